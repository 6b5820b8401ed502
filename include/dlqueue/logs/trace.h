/* Logs of training runs, in any of the known formats, read into one form. */
#pragma once

#include "dlqueue/error.h"
#include "dlqueue/simulate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

DLQ_DECLARATIONS_BEGIN

/* Of which iterations the times of a format are. */
enum dlq_numbers {
    DLQ_NUMBERS_SINGLE,  /* every iteration by itself */
    DLQ_NUMBERS_SAMPLED, /* some single iterations, and a running mean */
    DLQ_NUMBERS_MEAN,    /* means of the last few iterations, or of those since the last line */
    DLQ_NUMBERS_MEDIAN,  /* medians of the last few iterations */
    DLQ_NUMBERS_TOTAL    /* sums of the whole run */
};

/* What the ranks of a run on one host may use. 0: unknown. */
struct dlq_log_host {
    double cores;
    double memory, shm; /* bytes; shm: the size of /dev/shm */
    double batch_bytes; /* the size of a batch */
    long ranks;         /* ranks on that host */
};

/* Which numbers of a log are its times. */
struct dlq_read_as {
    char data[64], iteration[64]; /* the label or the column; "": none, or a format without labels */
    char unit[8];                 /* of the iteration in the log: "ms" */
    const char *kind;             /* single, sampled, mean, running, median or total; unknown; null: no log yet */
    char words[512];              /* of a log of no known format: the options that read the same; "" of others */
};

/* What was read of the logs of a run. The caller frees a trace with dlq_trace_free. */
struct dlq_trace;

/* {0} is valid. A trace keeps the pointers: what they point to has to live as long as the trace. */
struct dlq_trace_options {
    const char *format;          /* name of a format (dlq_format_help); null: found by content */
    long skip_bad;               /* >= 0; bad lines or events, over all logs, that are skipped and counted */
    long every;                  /* iterations that a line is the mean of, if the line does not say; 0 and 1: one */
    const char *const *patterns; /* of the user's own format, "data:mean=rtime=%f ms" (dlqueue help formats) */
    const char *const *columns;  /* names of columns of a CSV, "data=timers/rtime" */
    size_t pattern_count, column_count;
    bool one_run; /* for dlq_traces_read: all logs are of one run, whatever their names and records say */
    const volatile sig_atomic_t *interrupted; /* not 0: reading stops soon; may be null */
    struct dlq_progress *progress;            /* in bytes, read and of all regular files; may be null */
};

/* Makes an empty trace. DLQ_FAILURE: no memory, and *trace stays. */
enum dlq_status dlq_trace_new(struct dlq_trace **trace, const struct dlq_trace_options *options,
                              struct dlq_error *error);
/* Adds a log, plain or compressed by gzip. The stream is read once, to its end, in memory that does not grow with the
   log; the caller closes the stream. `name` appears in messages and may tell the rank: the number after the last
   "rank", "rank_", "rank-" or "rank." in the path with no letter before it, or N of a file "N_output...". The records
   belong to the ranks that the log names, if it names several; else to the rank in `name`; else to the one rank that
   the log names (many programs write rank 0 everywhere: put the rank into the names of such logs); else to the first
   free rank, from the number of logs before. Logs of one rank are parts of one run, in the order in which they are
   added, each with its own origin of time. Formats that spread a rank over several logs are joined instead, into rank 0
   if nothing tells the rank.
   DLQ_INVALID: more than skip_bad bad lines (*error has a line "NAME:LINE: why" for each, up to DLQ_ERROR_LINES), no
   time in the log, an unknown format, or wrong options; DLQ_INTERRUPTED; in both cases the trace is
   as before. DLQ_FAILURE: reading failed, or no memory. */
enum dlq_status dlq_trace_read(struct dlq_trace *trace, const char *name, FILE *stream, struct dlq_error *error);
/* May be null. Not for traces of a struct dlq_traces. */
void dlq_trace_free(struct dlq_trace *trace);

/* Logs of several runs: a trace for each run, in the order of their first logs. Initialize with {0}, and free with
   dlq_traces_free, which also makes it {0}. */
struct dlq_traces {
    struct dlq_trace *first;
    size_t count;
};
/* The run after this one; null: none. */
struct dlq_trace *dlq_trace_next(const struct dlq_trace *trace);

/* Adds a log to its run, or as a new run. Two logs are of one run if their paths differ in nothing but the rank; if no
   path has a rank, all records do, and the logs share no rank; or if their format spreads a run over the logs of a
   directory. skip_bad counts over all runs. Otherwise as dlq_trace_read. */
enum dlq_status dlq_traces_read(struct dlq_traces *traces, const struct dlq_trace_options *options, const char *name,
                                FILE *stream, struct dlq_error *error);
void dlq_traces_free(struct dlq_traces *traces);

/* The trace owns the texts, which are never null. */
struct dlq_trace_facts {
    const char *format; /* of the first log */
    const char *name;   /* of the first log; with several logs "*" stands for its rank: "run2-rank*.csv" */
    size_t first;       /* place of its first log, from 0, among those that dlq_traces_read has read */
    size_t logs, ranks;
    long iterations;       /* of the rank that has most */
    long records, bad;     /* records of all logs; bad lines that were skipped */
    long other_lines;      /* lines of other kinds, which the program prints too */
    size_t kept;           /* records in memory, the first of each rank; fewer than `records` if these are too many */
    const char *bad_text;  /* a line for each of the first DLQ_ERROR_LINES bad lines */
    long validation_lines; /* left out */
    long repeated_headers; /* left out */
    const char *doubts;    /* what a log does not tell, a sentence a line */
    struct dlq_read_as read_as;
    const char *unused; /* unknown columns of a CSV without waits or iterations, and which names are known; patterns
                           that no line had */
};
void dlq_trace_facts(const struct dlq_trace *trace, struct dlq_trace_facts *facts);

/* A known format, for people. */
struct dlq_format_help {
    const char *name;
    const char *written_by; /* "torchvision references, DETR, DINO" */
    const char *meaning;    /* what its numbers are */
};
/* Format 0, 1, ...; false, and *help stays: no more. */
bool dlq_format_help(size_t index, struct dlq_format_help *help);

DLQ_DECLARATIONS_END
