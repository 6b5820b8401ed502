/* Measured logs: what training has printed or recorded, read into one form. */
#ifndef DLQUEUE_TRACE_H
#define DLQUEUE_TRACE_H

#include "dlqueue/error.h"
#include "dlqueue/simulate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the numbers of a format are: rows say it, so that diagnose and fit treat all formats alike. */
enum dlq_numbers {
    DLQ_NUMBERS_SINGLE,  /* every iteration by itself */
    DLQ_NUMBERS_SAMPLED, /* single iterations now and then, beside a running mean */
    DLQ_NUMBERS_MEAN,    /* the mean of the last few iterations, or of those since the last line */
    DLQ_NUMBERS_MEDIAN,  /* their median */
    DLQ_NUMBERS_TOTAL    /* sums of the whole run */
};

struct dlq_trace; /* opaque; owned by the caller, freed with dlq_trace_free */

struct dlq_trace_options {
    const char *format; /* row of dlq_format_help; null: found by content */
    long skip_bad; /* malformed lines or events that are skipped and counted, over all logs, before giving up; >= 0 */
    long every;    /* iterations that a line is the mean of, in logs that do not say; 0 or 1: one */
    const char *const *patterns; /* of a log of one's own, "data:mean=rtime=%f ms": dlqueue help formats; null: none */
    const char *const *columns;  /* "data=timers/rtime": a name of a CSV's column for what it is; null: none */
    size_t pattern_count, column_count;
    bool one_run; /* for dlq_traces_read: all logs are of one run, whatever their names and columns say */
    const volatile sig_atomic_t *interrupted; /* polled often; may be null */
    struct dlq_progress *progress;            /* bytes read, of the logs' sizes where these are known; may be null */
};

/* An empty trace, to be filled by dlq_trace_read. */
enum dlq_status dlq_trace_new(struct dlq_trace **trace, const struct dlq_trace_options *options,
                              struct dlq_error *error);
/* Adds one log: plain or compressed by gzip, read once, from front to end, in memory that does not grow with it. `name`
   is for messages and tells the rank where it has "rank3", "rank_3", "rank-3" or "rank.3" in it, behind no letter (in
   its path, too: the last counts), or its file begins with "3_output". Whose records are they? If the log itself calls
   several ranks, theirs. If it calls one or none, that of the name; if the name tells none, the one it calls (programs
   often write rank 0 everywhere: name such logs); else the smallest number from that of logs before on that is free.
   Logs of one rank are parts of one run, in the order in which they are added; each counts times from an origin of its
   own. Formats that spread a rank over several logs (dlq_format_help says so) are joined instead, into rank 0 where
   nothing tells one. Malformed lines beyond skip_bad: DLQ_INVALID, each (of the first DLQ_ERROR_LINES) a line
   "NAME:LINE: why" of *error. A log without a single time, or whose format is unknown: DLQ_INVALID too. */
enum dlq_status dlq_trace_read(struct dlq_trace *trace, const char *name, FILE *stream, struct dlq_error *error);
void dlq_trace_free(struct dlq_trace *trace);

/* Logs of several runs, a trace for each, in the order of their first logs. Begins as {0}. */
struct dlq_traces {
    struct dlq_trace *first;
    size_t count;
};
/* The run after this one; null: none. */
struct dlq_trace *dlq_trace_next(const struct dlq_trace *trace);

/* Adds one log to the run that it is of, or to a new one. Logs are of one run where their paths differ in nothing but
   the rank; where no name tells a rank, but all records do, and they share none; or where their format spreads a run
   over the logs of a directory. skip_bad is over all runs. Otherwise as dlq_trace_read. */
enum dlq_status dlq_traces_read(struct dlq_traces *traces, const struct dlq_trace_options *options, const char *name,
                                FILE *stream, struct dlq_error *error);
void dlq_traces_free(struct dlq_traces *traces);

/* What was read. Texts belong to the trace. */
struct dlq_trace_facts {
    const char *format; /* of the first log */
    const char *name;   /* of the first log; of several "*" for the rank that it tells: "run2-rank*.csv" */
    size_t first;       /* its place among those that dlq_traces_read has read */
    size_t logs, ranks;
    long iterations;   /* of the rank that has most */
    long records, bad; /* taken, of all logs; malformed and skipped */
    long other;        /* lines that are none of the format's: what else a program prints */
    size_t kept; /* records in memory: the first of each rank. Where fewer than records: what needs them says so */
    const char *bad_text; /* the first DLQ_ERROR_LINES of what was skipped, a line each; "" */
    const char *unused;   /* of a CSV without waits or iterations: columns whose names are not known, and which are;
                             patterns that no line has; "" */
};
void dlq_trace_facts(const struct dlq_trace *trace, struct dlq_trace_facts *facts);

/* The formats that are known, for people: row 0, 1, ... until false. */
struct dlq_format_help {
    const char *name;
    const char *written_by; /* "torchvision references, DETR, DINO" */
    const char *meaning;    /* what its numbers are, in a line */
};
bool dlq_format_help(size_t index, struct dlq_format_help *help);

#ifdef __cplusplus
}
#endif

#endif
