/* Logs of no known format that name their times: the meanings of labels, and the options that read such a log. */
#pragma once

#include "logs/read/format.h"

/* The quantity that a label names. */
enum dlq_label_role {
    DLQ_ROLE_UNKNOWN, /* the label has an unknown word */
    DLQ_ROLE_REFUSED, /* another quantity than a time of iterations: "loss", "eta" */
    DLQ_ROLE_DATA,    /* the wait for data */
    DLQ_ROLE_ITER,    /* an iteration */
    DLQ_ROLE_TIME,    /* a time, but not of what, as "time": of an iteration, if no other label is */
    DLQ_ROLE_PART,    /* a part of an iteration, without data */
    DLQ_ROLE_CLOCK    /* the time since the start of the run */
};

/* The meaning of a label. */
struct dlq_meaning {
    enum dlq_label_role role;
    double unit;     /* s; 0: the label has none. Set also if the role is unknown */
    bool sure;       /* the label says that the number is a time */
    bool direction;  /* DLQ_ROLE_PART: the forward or the backward pass */
    bool whole_step; /* DLQ_ROLE_PART: all of an iteration but the data */
    bool bare_step;  /* "step" alone */
    bool bare_total; /* DLQ_ROLE_TIME: "total" alone, which may be the sum of anything */
    bool step;       /* DLQ_ROLE_ITER: "step", as in "step_time"; not "per step", "total step time" */
};

/* The meaning of a label of `length` bytes. has_unit: a unit follows its number. */
struct dlq_meaning dlq_meaning_of(const char *label, size_t length, bool has_unit);
/* Whether the table of words is sorted, as its binary search needs. */
bool dlq_label_words_sorted(void);

/* A number of a line and its label. Pointers point into the line. */
struct dlq_labeled {
    const char *label;
    size_t length; /* bytes of the label; 0: none */
    struct dlq_meaning meaning;
    bool separated, bracket; /* ":" or "=" precedes the number; "[" alone precedes it, or the "|" of a bar: no label */
    const char *number, *inner; /* inner: a second number, in parentheses behind the first; null: none */
    const char *end;            /* of the number */
    const char *behind;         /* the text behind the number and its unit */
    const char *inner_end;
    double value, second, unit; /* the number; the second; s, of a unit behind the number or in the label; 0: none */
    bool whole, of_total;       /* the number has digits alone; "/" and a total follow */
    bool time;                  /* the number may be a time: no "%" or "/s" or the like follows */
};

/* Behind the digits of a whole number, reads groups of thousands, "1,100" as 1100. Returns the text behind them. */
const char *dlq_thousands(const char *end, double *value);
/* Finds the next number from *at on, in the first 1,500 bytes of the line, and moves *at behind it. False: none. */
bool dlq_labeled_next(const char *line, const char **at, struct dlq_labeled *found);

/* The name of a unit of `seconds`, "ms" of 1e-3; "": there is none. */
const char *dlq_unit_name(double seconds);
/* Whether a pattern (text of --pattern) finds the number that ends at `end` in a line. */
bool dlq_pattern_finds(const char *pattern, const char *line, const char *end);

/* Seconds of a unit, "ms"; 0: not a unit. */
double dlq_unit_of(const char *text, size_t length);
/* Seconds of the unit behind a number and blanks; 0: none. *end (or null): the text behind the unit, else `at`. */
double dlq_unit_behind(const char *at, const char **end);

/* -- the log -- */

/* Chooses the row of the table of formats for a log whose words name its times. Sets log->options, in the log's arena,
   to options that read the log, also log->every and members of log->shared. A CSV log without times gets the row csv,
   whose reader says what is missing. Null: the log names no times, and log->why may say more; or no memory. */
const struct dlq_format *dlq_generic_format(struct dlq_log *log);
/* What the beginning of a file is, if it is a configuration or a script; null: it may be a log. */
const char *dlq_is_no_log(const char *head);
/* Writes which times a log of a known program lacks (lacking.c), and returns `why`; null: not such a program. */
const char *dlq_log_lacks(const char *head, char why[DLQ_LOG_WHY]);
/* Lists the five most frequent labels of numbers, "loss, lr"; "": none. */
void dlq_log_labels(const struct dlq_log *log, char text[DLQ_LOG_WHY]);

/* -- the choice among several times, and the iterations that they cover (evidence.c) -- */

/* Limits: different labels, and lines that are examined. */
enum { DLQ_NAMED = 24, DLQ_SAMPLED_LINES = 1024 };

/* A label of times. */
struct dlq_named {
    char label[64];
    struct dlq_meaning meaning;
    double unit;          /* s; 0: unknown */
    bool whole, inner;    /* all numbers are whole; all have a second one in parentheses */
    size_t lines, strong; /* lines with the label; lines where its number certainly is a time */
};

/* The times of the beginning of a log: numbers as printed; NAN: not in the line. */
struct dlq_log_sample {
    struct dlq_named labels[DLQ_NAMED];
    size_t label_count, lines;
    double values[DLQ_SAMPLED_LINES][DLQ_NAMED];
    double counter[DLQ_SAMPLED_LINES]; /* of iterations */
    double stamp[DLQ_SAMPLED_LINES];   /* time stamp, s, from any origin */
    double resolution;                 /* s, of the stamps */
    bool directions;                   /* a line times the forward or the backward pass */
};

/* Why a time is read as an iteration with or without its wait for data. */
enum dlq_step_reason {
    DLQ_STEP_NAMED,     /* the words of the label say so, and nothing contradicts */
    DLQ_STEP_EXCEEDED,  /* data is often longer: without */
    DLQ_STEP_STAMPS,    /* time stamps say so, and the words something else */
    DLQ_STEP_GROWS,     /* it is named a step and grows with data: with */
    DLQ_STEP_UNDECIDED, /* it is named a step, and both are possible: without */
    DLQ_STEP_PART       /* it is named a part, and nothing tells whether that is all but the data: without */
};

struct dlq_chosen {
    int data, iter; /* indices of labels; -1: none */
    bool step;      /* the time of iter excludes the wait for data */
    enum dlq_step_reason because;
    bool clock; /* iter is none, as the only time is a clock: it rises evenly */
};
/* Chooses among the labels that most lines have. */
struct dlq_chosen dlq_choose_times(const struct dlq_log_sample *sample);

struct dlq_window_evidence {
    enum dlq_shows shows; /* DLQ_SHOWS_NOTHING: unknown */
    double unit;          /* s; 0: unknown */
    bool sampled;         /* SINGLE: one iteration of several since the line before */
    long every;           /* iterations that a line without a counter covers; 0: unknown */
};
/* Finds the iterations that the chosen times cover, by counters and time stamps. */
struct dlq_window_evidence dlq_window_of(const struct dlq_log_sample *sample, const struct dlq_chosen *chosen);

/* Adds a doubt if other than the words decided whether the iteration includes its wait, or if nothing did. */
void dlq_step_say(struct dlq_log *log, const struct dlq_log_sample *sample, const struct dlq_chosen *chosen);
/* Fills read_as and doubts of log->shared. columns: the log is read by --column, not by --pattern. */
void dlq_generic_say(struct dlq_log *log, const struct dlq_log_sample *sample, const struct dlq_chosen *chosen,
                     const struct dlq_window_evidence *evidence, bool columns);
/* Sets log->options to options with the non-empty texts as --pattern, or as --column if `columns`; lists these in
   shared->read_as.words. Returns the row of the table of formats; null: no memory. */
const struct dlq_format *dlq_generic_options(struct dlq_log *log, const char *const *texts, size_t count,
                                             enum dlq_numbers numbers, bool columns);
/* As dlq_generic_format, by the names of columns (generic_csv.c). *is_csv: the log has a header and rows. */
const struct dlq_format *dlq_generic_columns(struct dlq_log *log, struct dlq_log_sample *sample, bool *is_csv);

/* Of a CSV log with the names data_time and step_time: decides whether a step includes the wait, sets log->options to
   options that say so, and adds the doubt. Of other logs does nothing. */
void dlq_columns_choose_step(struct dlq_log *log);

/* Whether a time clearly is the mean since the start, not since the line before: if so, the share of lines that agree
   with their time stamps is higher by 0.5 or more. */
bool dlq_is_running_by_stamps(const struct dlq_log_sample *sample, int label, double unit);

/* Seconds, from any origin, of the first date and time that begins in the first 1,500 bytes of a line and does not
   follow "eta", "start" or the like; NAN: none. Sets *resolution to the unit of its last digit, s. */
double dlq_stamp_of(const char *line, double *resolution);
