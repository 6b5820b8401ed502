/* Advice: the one change to make by a log, or what to record where the log cannot tell. */
#pragma once

#include "dlqueue/logs/diagnose.h"
#include "dlqueue/logs/fit.h"

DLQ_DECLARATIONS_BEGIN

enum dlq_advice_kind {
    DLQ_ADVICE_RECORD,     /* the log cannot tell; `record` lists what would */
    DLQ_ADVICE_NOTHING,    /* loading costs next to nothing */
    DLQ_ADVICE_LOADERS,    /* more loaders */
    DLQ_ADVICE_PREFETCH,   /* more batches ahead */
    DLQ_ADVICE_PERSISTENT, /* workers that persist over epochs */
    DLQ_ADVICE_LOAD,       /* cheaper loads: more loaders would not help */
    DLQ_ADVICE_RECEIVE,    /* batches that are cheaper to receive */
    DLQ_ADVICE_RANKS,      /* ranks that hold the others up */
    DLQ_ADVICE_PAUSES,     /* fewer or shorter pauses of the training */
    DLQ_ADVICES
};

/* Records that would make the answer surer. */
enum dlq_evidence {
    DLQ_EVIDENCE_WAITS,   /* the time that is waiting for data */
    DLQ_EVIDENCE_LOADERS, /* how many loaders there are */
    DLQ_EVIDENCE_LONGER,  /* more iterations */
    DLQ_EVIDENCE_TRACE,   /* each load, by the probe */
    DLQ_EVIDENCE_RANKS,   /* the logs of all ranks */
    DLQ_EVIDENCE_CPU,     /* CPU times of loads, by the probe */
    DLQ_EVIDENCE_RUN,     /* a run with that change */
    DLQ_EVIDENCES
};

/* What keeps the change smaller than the record asks for. HOSTS: the number is more than hosts usually run, and that of
   the cores is not known. */
enum dlq_advice_limit {
    DLQ_LIMIT_NONE,
    DLQ_LIMIT_CORES,
    DLQ_LIMIT_SHM,
    DLQ_LIMIT_MEMORY,
    DLQ_LIMIT_AT_MOST,
    DLQ_LIMIT_HOSTS,
    DLQ_ADVICE_LIMITS
};

struct dlq_advice {
    enum dlq_advice_kind kind;
    const char *loader;                   /* a row of dlq_loaders */
    long loaders, prefetch;               /* now; loaders -1: not known */
    long to_loaders, to_prefetch;         /* as the change has them */
    struct dlq_estimate recommended;      /* loaders, with their range, as of the fit; NAN: not told */
    long window, to_window;               /* batches that are loaded ahead, now and then; 0: not known */
    double bytes, to_bytes;               /* of these batches, for the ranks of a host; 0: not known */
    bool loads_wait_for_cores;            /* LOAD */
    bool first_epoch_waited;              /* NOTHING: the first epoch waited, the later ones need no more loaders */
    double core_wait_share;               /* of the load time; NAN: not known */
    double cores;                         /* cores that loads keep busy with the change; NAN: not known */
    struct dlq_log_host host;             /* what the ranks of the host may use, by the options or else by the log */
    bool in_shm;                          /* batches that are loaded ahead lie in /dev/shm */
    enum dlq_advice_limit limit;          /* what of the host holds the loaders or the prefetch at their number */
    long loaders_wanted;                  /* loaders that would keep the step fed, if the host allowed; 0: not known */
    bool wanted_at_least;                 /* loaders_wanted is the least number; how many more is not told */
    double cores_per_load;                /* cores that one load keeps busy while it has a core; NAN: not known */
    bool steps_are_launches;              /* steps are launches on a GPU: gains are upper bounds */
    double measured;                      /* batches/s of a rank; NAN: not known */
    struct dlq_fit_prediction prediction; /* of the changed run; its batches is 0 where there is none */
    struct dlq_estimate speedup;          /* its throughput / measured; NAN: not told */
    double speedup_bound; /* the speedup if waiting for data (PAUSES: pausing) cost nothing; NAN: not known */
    bool record[DLQ_EVIDENCES];
};

/* options: hint and also alone matter. fit: by the same trace and options; null where it has no answer. */
enum dlq_status dlq_advise(const struct dlq_trace *trace, const struct dlq_fit_options *options,
                           const struct dlq_diagnosis *diagnosis, const struct dlq_fit *fit, const struct dlq_run *run,
                           struct dlq_advice *advice, struct dlq_error *error);

DLQ_DECLARATIONS_END
