/* Reads logs of training runs, in any of the known formats, into one form: a trace. */
#pragma once

#include "dlqueue/error.h"
#include "dlqueue/simulate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

DLQ_DECLARATIONS_BEGIN

/* Which iterations a printed time covers. */
enum dlq_numbers {
    DLQ_NUMBERS_SINGLE,  /* one: the log has a time for each iteration */
    DLQ_NUMBERS_SAMPLED, /* one, but the log has only some iterations, and a running mean of all */
    DLQ_NUMBERS_MEAN,    /* the last few iterations, or those since the line before; the time is their mean */
    DLQ_NUMBERS_MEDIAN,  /* the last few iterations; the time is their median */
    DLQ_NUMBERS_TOTAL    /* all iterations of the run; the time is their sum */
};

/* The resources that the ranks of a run on one host may use. 0: unknown. */
struct dlq_log_host {
    double cores;
    double memory, shm; /* bytes; shm: the size of /dev/shm */
    double batch_bytes; /* bytes; the size of a batch */
    long ranks;         /* ranks on that host */
};

/* Which numbers of a log were read as times. */
struct dlq_read_as {
    char data[64], iteration[64]; /* label or column of each time; "": no such time, or a format without labels */
    char unit[8];                 /* unit of the iteration time in the log: "ms" */
    const char *kind;             /* single, sampled, mean, running, median, total or unknown; null: no log was read */
    char words[512]; /* for a log of no known format: the command's options that read these numbers; else "" */
};

/* The content of the logs of one run. The caller frees a trace with dlq_trace_free. */
struct dlq_trace;

/* {0} is valid. A trace keeps the pointers, so their targets have to live as long as the trace. */
struct dlq_trace_options {
    const char *format;          /* name of a format (dlq_format_help); null: found by content */
    long skip_bad;               /* >= 0; so many bad lines or events of all logs are skipped and counted */
    long every;                  /* iterations in the mean of a line that does not give their number; 0 and 1: one */
    const char *const *patterns; /* of the user's own format, "data:mean=rtime=%f ms" (dlqueue help formats) */
    const char *const *columns;  /* names of columns of a CSV, "data=timers/rtime" */
    size_t pattern_count, column_count;
    bool one_run; /* for dlq_traces_read: all logs are of one run, whatever their names and records say */
    const volatile sig_atomic_t *interrupted; /* not 0: reading stops soon; may be null */
    struct dlq_progress *progress;            /* bytes read, and bytes of all regular files; may be null */
};

/* Makes an empty trace. DLQ_FAILURE: no memory, and *trace is unchanged. */
enum dlq_status dlq_trace_new(struct dlq_trace **trace, const struct dlq_trace_options *options,
                              struct dlq_error *error);
/* Adds a log, plain or compressed by gzip. The stream is read once, to its end, in memory that does not grow with the
   log; the caller closes the stream. `name` appears in messages and may contain the rank: the number after the last
   "rank", "rank_", "rank-" or "rank." in the path with no letter before it, or N of a file "N_output...". If the log
   names several ranks, each record belongs to the rank that the log gives for it. Else all records belong to the rank
   in `name`; without one, to the only rank that the log names (many programs write rank 0 everywhere: put the rank into
   the names of such logs); without that, to the first free rank from the number of earlier logs on. Logs of one rank
   are parts of one run, in the order in which they are added, each with its own origin of time. But if the format
   spreads a rank over several logs, their records are joined by batch, in rank 0 if no name has a rank.
   DLQ_INVALID: more than skip_bad bad lines (*error has a line "NAME:LINE: why" for each, up to DLQ_ERROR_LINES), no
   time in the log, an unknown format, or wrong options. After DLQ_INVALID and DLQ_INTERRUPTED the trace is unchanged.
   DLQ_FAILURE: reading failed, or no memory. */
enum dlq_status dlq_trace_read(struct dlq_trace *trace, const char *name, FILE *stream, struct dlq_error *error);
/* May be null. Not for traces of a struct dlq_traces. */
void dlq_trace_free(struct dlq_trace *trace);

/* Traces of several runs, in the order of their first logs. Initialize with {0}; dlq_traces_free restores {0}. */
struct dlq_traces {
    struct dlq_trace *first;
    size_t count;
};
/* The run after this one; null: none. */
struct dlq_trace *dlq_trace_next(const struct dlq_trace *trace);

/* Adds a log to its run, or as a new run. Two logs are of one run in three cases: their paths differ only in the rank;
   no path has a rank, every record has one, and no rank is in both logs; their format spreads a run over the logs of
   one directory. skip_bad is the limit for all runs together. Otherwise as dlq_trace_read. */
enum dlq_status dlq_traces_read(struct dlq_traces *traces, const struct dlq_trace_options *options, const char *name,
                                FILE *stream, struct dlq_error *error);
void dlq_traces_free(struct dlq_traces *traces);

/* The trace owns the texts. None but read_as.kind may be null. */
struct dlq_trace_facts {
    const char *format; /* of the first log */
    const char *name;   /* of the first log; with several logs "*" replaces its rank: "run2-rank*.csv" */
    size_t first;       /* index of its first log, from 0, among the logs that dlq_traces_read has read */
    size_t logs, ranks;
    long iterations;       /* of the rank with the most iterations */
    long records, bad;     /* records of all logs; bad lines that were skipped */
    long other_lines;      /* lines without times, which the program prints besides */
    size_t kept;           /* records in memory, the first of each rank; fewer than `records` if a log is long */
    const char *bad_text;  /* a line for each of the first DLQ_ERROR_LINES bad lines */
    long validation_lines; /* ignored lines of validation */
    long repeated_headers; /* ignored repetitions of a CSV header */
    long loaders;          /* of each rank, as lines of text say ("num_workers=4"); 0: they don't, or disagree */
    const char *doubts;    /* facts that the logs do not give, one sentence per line */
    struct dlq_read_as read_as;
    const char *unused; /* unknown columns of a CSV without waits or iterations; patterns that match no line */
};
void dlq_trace_facts(const struct dlq_trace *trace, struct dlq_trace_facts *facts);

/* Description of a known format, for users. */
struct dlq_format_help {
    const char *name;
    const char *written_by; /* "torchvision references, DETR, DINO" */
    const char *meaning;    /* of its numbers */
};
/* Describes format 0, 1, ...; false, and *help is unchanged: there are no more. */
bool dlq_format_help(size_t index, struct dlq_format_help *help);

DLQ_DECLARATIONS_END
