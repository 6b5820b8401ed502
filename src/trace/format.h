/* Log formats: one row each, and what its functions work with. */
#ifndef DLQ_TRACE_FORMAT_H
#define DLQ_TRACE_FORMAT_H

#include "base/lines.h"
#include "dlqueue/error.h"
#include "trace/input.h"
#include "trace/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DLQ_LOG_LINE = 32768, DLQ_LOG_HEAD = 65536, DLQ_LOG_WHY = 256 };

/* What the logs of a trace have in common; all zero at first. */
struct dlq_shared {
    bool has_origin;
    int64_t origin;           /* from which a format of absolute times counts, so that doubles are exact enough */
    long workers;             /* that have logs of their own, so far */
    long world;               /* processes of the run, the most that a log tells; 0: none does */
    char unused[DLQ_LOG_WHY]; /* of a CSV without waits or iterations: columns whose names are not known; "" */
};

/* A log being read. */
struct dlq_log {
    const char *name;
    struct dlq_input *input; /* bytes, unpacked; a format reads these or, more often, lines */
    struct dlq_lines *lines; /* over the input; lines->text is the line at hand, which may be written to */
    long every;              /* iterations that a line is the mean of, where it does not tell; >= 1 */
    long line;               /* of what is at hand: a line's number, an event's; set by dlq_log_line or the format */
    char why[DLQ_LOG_WHY];   /* what is wrong with it */
    struct dlq_shared *shared;
    void *state; /* the format's own: what begin made */
};

enum dlq_taken {
    DLQ_TAKEN_RECORD,  /* *record is filled */
    DLQ_TAKEN_OTHER,   /* not of this format: what else a program prints; counted */
    DLQ_TAKEN_NOTHING, /* of this format, with nothing to tell: a header, a comment, an event that is no iteration */
    DLQ_TAKEN_BAD,     /* of this format, and wrong: `why` says in what */
    DLQ_TAKEN_END,
    DLQ_TAKEN_FAILED /* reading failed, or memory: `why` says so; the log ends */
};

/* What the numbers of a format are: rows say it, so that diagnose and fit treat all formats alike. */
enum dlq_numbers {
    DLQ_NUMBERS_SINGLE,  /* every iteration by itself */
    DLQ_NUMBERS_SAMPLED, /* single iterations now and then, beside a running mean */
    DLQ_NUMBERS_MEAN,    /* the mean of the last few iterations, or of those since the last line */
    DLQ_NUMBERS_MEDIAN,  /* their median */
    DLQ_NUMBERS_TOTAL    /* sums of the whole run */
};

struct dlq_format {
    const char *name, *written_by, *meaning;
    enum dlq_numbers numbers;
    bool waits_for_all; /* data is the longest of all ranks' */
    bool looks_ahead;   /* the wait of an iteration is that of the batch after it */
    bool joins;         /* records of one rank and index belong together, in several logs too: what one does not know
                           is filled in from the other */
    bool binary;        /* not made of lines */
    bool untold;        /* whether a line is of one iteration or the mean of several, it may not tell */
    /* How sure a reader is, of the first bytes (NUL-terminated; at most DLQ_LOG_HEAD, cut anywhere): 0 not this one;
       the highest counts, the first row among equals. */
    int (*probe)(const char *head, size_t length);
    /* Null where there is no state. false: no memory. */
    bool (*begin)(struct dlq_log *log);
    enum dlq_taken (*next)(struct dlq_log *log, struct dlq_record *record);
    void (*end)(struct dlq_log *log);
};

/* Row 0, 1, ...; null: no more. */
const struct dlq_format *dlq_format_at(size_t index);
/* Of several rows of that name the one that the content speaks for, or the first. */
const struct dlq_format *dlq_format_named(const char *name, const char *head, size_t length);
/* The nearest name, or null where none is near. */
const char *dlq_format_nearest(const char *name);
/* By content; null: none of them. */
const struct dlq_format *dlq_format_probe(const char *head, size_t length);

/* The next line for a format of lines: DLQ_TAKEN_RECORD where log->lines->text is there; else what to return. */
enum dlq_taken dlq_log_line(struct dlq_log *log);
/* Every time of a log passes here, under its own name or as what is made of it: whether it is within DLQ_TIME_MOST,
   also below 0 (points in time); else `why` says so. NAN is fine. */
bool dlq_log_time(const char *name, double seconds, char why[DLQ_LOG_WHY]);
/* "why", printf-checked; always DLQ_TAKEN_BAD. */
enum dlq_taken dlq_log_bad(struct dlq_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

extern const struct dlq_format dlq_format_csv, dlq_format_ratio, dlq_format_imagenet, dlq_format_timm,
    dlq_format_torchvision, dlq_format_mmengine, dlq_format_mmengine_json, dlq_format_detectron2,
    dlq_format_detectron2_json, dlq_format_maskrcnn, dlq_format_lightning, dlq_format_nemo, dlq_format_hf_trainer,
    dlq_format_megatron, dlq_format_chrome, dlq_format_dlio, dlq_format_lotus;

#endif
