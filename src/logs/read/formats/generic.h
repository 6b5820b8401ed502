/* Logs of no known format whose lines or columns name times: what their labels mean (words.c), and the patterns or
   columns that read them (generic.c). */
#pragma once

#include "logs/read/format.h"

enum dlq_means {
    DLQ_MEANS_NOTHING, /* unknown words */
    DLQ_MEANS_REFUSED, /* a word that is not of a time of iterations: "loss", "eta" */
    DLQ_MEANS_DATA,    /* the wait for data */
    DLQ_MEANS_ITER,    /* an iteration */
    DLQ_MEANS_WHOLE,   /* a time that the label does not say of what: an iteration, if nothing else is */
    DLQ_MEANS_PART,    /* a part of an iteration, without data */
    DLQ_MEANS_CLOCK    /* the time since the start of the run */
};

/* What a label says of its number. */
struct dlq_meaning {
    enum dlq_means role;
    double unit;     /* s; 0: the label has none. Known where the role is not, too */
    bool sure;       /* the label says that the number is a time */
    bool direction;  /* DLQ_MEANS_PART: the forward or the backward pass */
    bool whole_step; /* DLQ_MEANS_PART: all of an iteration but the data */
    bool bare_step;  /* "step" alone */
};

/* has_unit: the number has a unit. */
struct dlq_meaning dlq_meaning_of(const char *label, size_t length, bool has_unit);
/* Whether the table of words is in the order in which it is searched. */
bool dlq_label_words_sorted(void);

/* A number of a line and its label. */
struct dlq_labeled {
    const char *label; /* in the line */
    size_t length;     /* bytes of the label; 0: none */
    struct dlq_meaning meaning;
    bool separated, bracket;    /* ":" or "=" stands between; "[" alone does, and no label */
    const char *number, *inner; /* in the line; inner: a second number, in parentheses behind it, or null */
    const char *end;            /* of the number */
    const char *behind;         /* what follows the number and its unit */
    const char *inner_end;
    double value, second, unit; /* unit: s, behind the number or in the label; 0: none */
    bool whole, of_total;       /* digits alone; "/" and a total follow */
    bool time;                  /* nothing behind the number says that it is no time, as "%" and "/s" do */
};

/* Behind the digits of a whole number: "1,100" is 1100. Returns what follows. */
const char *dlq_thousands(const char *end, double *value);
/* The next number at or behind *at, which moves behind it; of a long line the first 1,500 bytes. False: no more. */
bool dlq_labeled_next(const char *line, const char **at, struct dlq_labeled *found);

/* "ms" of 1e-3; "": no unit of that name. */
const char *dlq_unit_name(double seconds);
/* Whether a pattern (text of --pattern) finds the number that ends at `end` in a line. */
bool dlq_pattern_finds(const char *pattern, const char *line, const char *end);

/* Seconds of a unit, "ms"; 0: none of that name. */
double dlq_unit_of(const char *text, size_t length);
/* Seconds of the unit behind a number, after any blanks, and in *end (or null) what follows; 0: none, *end = at. */
double dlq_unit_behind(const char *at, const char **end);

/* -- the log -- */

/* A row of the table of formats whose logs are recognized by their words. Finds log->options that read the log, in its
   arena, log->every, and what log->shared tells of it. Of a CSV log without times the row csv, which says what it
   lacks. Null: the log names no times, and log->why says why if it is known; or no memory. */
const struct dlq_format *dlq_generic_format(struct dlq_log *log);
/* Writes what a log of a known program lacks (lacking.c), and returns `why`; null: it is of no such program. */
const char *dlq_log_lacks(const char *head, char why[DLQ_LOG_WHY]);
/* The five numbers with labels that come most often, "loss, lr"; "": none. */
void dlq_log_labels(const struct dlq_log *log, char text[DLQ_LOG_WHY]);

/* -- which of several times, and what they are of (evidence.c) -- */

enum { DLQ_NAMED = 24, DLQ_SAMPLED_LINES = 1024 };

struct dlq_named {
    char label[64];
    struct dlq_meaning meaning;
    double unit;          /* s; 0: unknown */
    bool whole, inner;    /* all numbers are whole; all have a second one in parentheses */
    size_t lines, strong; /* with the label; where it surely is of a time */
};

/* The times of the beginning of a log: numbers as printed; NAN: not in the line. */
struct dlq_log_sample {
    struct dlq_named labels[DLQ_NAMED];
    size_t label_count, lines;
    double values[DLQ_SAMPLED_LINES][DLQ_NAMED];
    double counter[DLQ_SAMPLED_LINES], stamp[DLQ_SAMPLED_LINES]; /* s; of any origin */
    double resolution;                                           /* s, of the stamps */
    bool directions;                                             /* some line times the forward or the backward pass */
};

struct dlq_chosen {
    int data, iter; /* labels; -1: none */
    bool step;      /* iter is without data */
    bool exceeds;   /* because data is often longer */
    bool clock;     /* iter is none: the only time there is rises evenly */
};
/* Among the labels that most lines have. */
struct dlq_chosen dlq_choose_times(const struct dlq_log_sample *sample);

struct dlq_window_evidence {
    enum dlq_shows shows; /* DLQ_SHOWS_NOTHING: the log does not tell */
    double unit;          /* s; 0: unknown */
    long every;           /* iterations of a line, where it has no counter; 0: unknown */
};
struct dlq_window_evidence dlq_window_of(const struct dlq_log_sample *sample, const struct dlq_chosen *chosen);

/* Tells in log->shared which times are read, and what the log leaves open. */
void dlq_generic_say(struct dlq_log *log, const struct dlq_log_sample *sample, const struct dlq_chosen *chosen,
                     const struct dlq_window_evidence *evidence);
/* Makes log->options of the texts that are not empty, of --pattern or of --column, and says so in log->shared. Returns
   the row of the table of formats; null: no memory. */
const struct dlq_format *dlq_generic_take(struct dlq_log *log, const char *const *texts, size_t count,
                                          enum dlq_numbers numbers, bool columns);
/* As dlq_generic_format, of columns (generic_csv.c). *is_csv: the log has a header and rows. */
const struct dlq_format *dlq_generic_columns(struct dlq_log *log, struct dlq_log_sample *sample, bool *is_csv);

/* Whether time stamps say clearly that a time is the mean since the start, and not of the iterations since the line
   before: the share of the lines that agree is larger by a half. */
bool dlq_is_running_by_stamps(const struct dlq_log_sample *sample, int label, double unit);

/* Seconds of the first date and time that begins in the first 1,500 bytes of a line and has no "eta", "start" or the
   like before it, and in *resolution the unit of its last digit; NAN: none. */
double dlq_stamp_of(const char *line, double *resolution);
