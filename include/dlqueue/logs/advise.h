/* Advice: the one change that a log recommends, or what to record if the log does not suffice. */
#pragma once

#include "dlqueue/logs/diagnose.h"
#include "dlqueue/logs/fit.h"

DLQ_DECLARATIONS_BEGIN

enum dlq_advice_kind {
    DLQ_ADVICE_RECORD,     /* to record more, as `record` lists: the log does not suffice */
    DLQ_ADVICE_NOTHING,    /* no change: loading costs next to nothing */
    DLQ_ADVICE_LOADERS,    /* more loaders */
    DLQ_ADVICE_PREFETCH,   /* more batches ahead */
    DLQ_ADVICE_PERSISTENT, /* workers that persist over epochs */
    DLQ_ADVICE_LOAD,       /* cheaper loads: more loaders would not help */
    DLQ_ADVICE_RECEIVE,    /* batches that are cheaper to receive */
    DLQ_ADVICE_RANKS,      /* faster loading on the ranks for which the others wait */
    DLQ_ADVICE_PAUSES,     /* fewer or shorter pauses of the training */
    DLQ_ADVICES
};

/* Records that would make the answer more certain. */
enum dlq_evidence {
    DLQ_EVIDENCE_WAITS,   /* the time that is waiting for data */
    DLQ_EVIDENCE_MEANS,   /* waits that are no medians */
    DLQ_EVIDENCE_LOADERS, /* how many loaders there are */
    DLQ_EVIDENCE_LONGER,  /* more iterations */
    DLQ_EVIDENCE_TRACE,   /* each load, by the probe */
    DLQ_EVIDENCE_RANKS,   /* the logs of all ranks */
    DLQ_EVIDENCE_CPU,     /* CPU times of loads, by the probe */
    DLQ_EVIDENCE_RUN,     /* a run with the recommended change */
    DLQ_EVIDENCES
};

/* Why the change is smaller than the log calls for. */
enum dlq_advice_limit {
    DLQ_LIMIT_NONE,    /* it is not smaller */
    DLQ_LIMIT_CORES,   /* cores of the host */
    DLQ_LIMIT_SHM,     /* size of /dev/shm */
    DLQ_LIMIT_MEMORY,  /* memory of the host */
    DLQ_LIMIT_AT_MOST, /* most_loaders of the options */
    DLQ_LIMIT_HOSTS,   /* cores of the host are unknown, and a usual host runs no more loaders */
    DLQ_ADVICE_LIMITS
};

struct dlq_advice {
    enum dlq_advice_kind kind;
    const char *loader;              /* a row of dlq_loaders */
    long loaders, prefetch;          /* of the logged run; loaders -1: unknown */
    long to_loaders, to_prefetch;    /* after the change */
    struct dlq_estimate recommended; /* number of loaders, with its range, by the fit; NAN: unknown */
    /* A larger prefetch beside more loaders: either waits alone, without a rhythm, do not tell which gains more, or the
       prefetch gains less but takes no cores. 0: none. */
    long prefetch_instead;
    struct dlq_estimate rate_instead;     /* batches/s of a rank with it and the present loaders; NAN: not predicted */
    long window, to_window;               /* batches loaded ahead by a rank: logged, after the change; 0: unknown */
    double bytes, to_bytes;               /* size of these batches for all ranks of a host; 0: unknown */
    bool loads_wait_for_cores;            /* ADVICE_LOAD: why loads are slow */
    bool other_programs;                  /* ADVICE_RECORD: other programs had the cores in much of the run */
    bool first_epoch_waited;              /* ADVICE_NOTHING: only the first epoch waited for data */
    double pauses;                        /* s between epochs, in which other work was done; part of `measured` */
    double core_wait_share;               /* share of the load time in which the load waits for a core; NAN: unknown */
    double cores;                         /* cores that loads keep busy after the change; NAN: unknown */
    struct dlq_log_host host;             /* resources of the host, by the options or else by the log */
    bool in_shm;                          /* batches that are loaded ahead lie in /dev/shm */
    enum dlq_advice_limit limit;          /* of to_loaders or to_prefetch */
    long loaders_wanted;                  /* loaders that would suffice, without the limit; 0: unknown */
    bool wanted_at_least;                 /* loaders_wanted is a lower bound */
    double cores_per_load;                /* cores that one load keeps busy while it has a core; NAN: unknown */
    bool steps_are_launches;              /* a step ends when its GPU work is launched: gains are upper bounds */
    double measured;                      /* batches/s of a rank; NAN: unknown */
    struct dlq_fit_prediction prediction; /* of the changed run; batches is 0 if there is none */
    struct dlq_estimate speedup;          /* predicted throughput / measured; NAN: unknown */
    double speedup_bound; /* the speedup if waiting for data (ADVICE_PAUSES: pausing) took no time; NAN: unknown */
    bool record[DLQ_EVIDENCES];
};

/* Derives advice from a diagnosis and a fit. Of the options, reads those for dlq_advise, hint and other_runs. fit: of
   the same trace and options; null if dlq_fit has no answer. run: threads, seed, interruption. Errors as of dlq_fit. */
enum dlq_status dlq_advise(const struct dlq_trace *trace, const struct dlq_fit_options *options,
                           const struct dlq_diagnosis *diagnosis, const struct dlq_fit *fit, const struct dlq_run *run,
                           struct dlq_advice *advice, struct dlq_error *error);

DLQ_DECLARATIONS_END
