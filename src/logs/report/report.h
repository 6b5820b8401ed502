/* The output of the commands about logs. For each command: a struct, functions that fill it with names and sentences
   and write it as text, rows of figures, and pictures. */
#pragma once

#include "dlqueue/logs/advise.h"
#include "dlqueue/logs/compare.h"
#include "dlqueue/logs/measurements.h"
#include "draw/figures.h"
#include "draw/phrase.h"
#include "draw/picture.h"

/* Appends a formatted text to a phrase. */
#define SAY(phrase, ...) dlq_phrase_add(phrase, __VA_ARGS__)

/* -- cautions -- */

enum {
    DLQ_FIT_LINE = 320, /* bytes of a text, as all constants in _TEXT */
    DLQ_READING_CAUTIONS = 8,
    DLQ_DIAGNOSIS_CAUTIONS = DLQ_READING_CAUTIONS + 3 /* few, long-steps, clock */
};

/* Why an answer may not hold. */
struct dlq_caution_said {
    const char *name;
    char text[DLQ_FIT_LINE];
    bool repeats;         /* another caution of the list says the same: texts leave this one out */
    double since, factor; /* loads took `factor` times as long from batch `since` on; NAN: they did not change */
};
#define DLQ_CAUTION_ROWS(names)                                                                                        \
    DLQ_ROW("name", WORD, offsetof(struct dlq_caution_said, name), NULL, names),                                       \
        DLQ_ROW("text", LETTERS, offsetof(struct dlq_caution_said, text), NULL, "the same in sentences")
/* Fills cautions named "reading", of what the logs do not tell. Returns their number, at most `room`. */
size_t dlq_doubts_say(const struct dlq_trace_facts *facts, struct dlq_caution_said *said, size_t room);
/* Writes a blank line and a list of the cautions; nothing if there are none. */
void dlq_cautions_write(FILE *stream, const struct dlq_caution_said *said, size_t count);

/* -- diagnose -- */

struct dlq_threshold {
    const char *name;
    double value;
};

enum { DLQ_DIAGNOSIS_NOTES = 10, DLQ_DIAGNOSIS_TEXT = 320, DLQ_DIAGNOSED_TEXT = 960 };

/* All that `diagnose` prints of a run. */
struct dlq_diagnosed {
    struct dlq_trace_facts facts;
    struct dlq_diagnosis diagnosis;
    const char *severity, *bound_by;  /* names */
    char verdict[DLQ_DIAGNOSED_TEXT]; /* the cause of the waits, and what would help */
    size_t note_count;                /* further findings, a sentence each, the most important first */
    char notes[DLQ_DIAGNOSIS_NOTES][DLQ_DIAGNOSIS_TEXT];
    size_t caution_count; /* why the verdict may not hold */
    struct dlq_caution_said cautions[DLQ_DIAGNOSIS_CAUTIONS];
    size_t threshold_count;
    struct dlq_threshold thresholds[DLQ_SEVERITIES];
    double rate, speedup; /* iterations/s; rate / rate of the first run */
};

/* Fills all but facts, diagnosis, rate and speedup. */
void dlq_diagnosed_say(struct dlq_diagnosed *run);
/* Fills the cautions: of few iterations, of reading the logs, of long steps of one rank, of times that the clock
   contradicts. */
void dlq_diagnosed_caution(struct dlq_diagnosed *run);
/* Whether iterations take so much more or less time by the clock than by the log that the log has another unit. */
bool dlq_is_of_other_unit(const struct dlq_budget *budget);
/* "44 ms"; of a log without units, whose times count as s, "44 s or ms". */
const char *dlq_log_time_say(const struct dlq_diagnosis *result, double seconds, char text[2 * DLQ_TEXT_NUMBER]);
#define SAY_LOG_TIME(result, seconds) dlq_log_time_say((result), (seconds), (char[2 * DLQ_TEXT_NUMBER]){0})

/* "torchvision · 3 logs · 4 ranks · 4,000 iterations" */
const char *dlq_logs_say(const struct dlq_trace_facts *facts, char *text, size_t size);

/* Writes verdict, cautions, heading, facts about the logs, times, ranks and notes. all: also ranks that hardly wait. */
enum dlq_status dlq_diagnose_report(FILE *stream, bool color, bool all, const char *heading,
                                    const struct dlq_diagnosed *run, struct dlq_error *error);

/* Writes the table of ranks of a run that has several: all; else the first, and those that may wait for over 1 %. */
enum dlq_status dlq_ranks_write(FILE *stream, bool all, const struct dlq_diagnosis *diagnosis, struct dlq_error *error);

/* For the page of `report`: the share of the time that waiting costs, as in the verdict, and the share of the mean
   times if that differs. The caller owns the reference; null: no memory. */
json_t *dlq_diagnosed_waiting(const struct dlq_diagnosis *diagnosis);

/* -- fit -- */

/* The range of a number of loaders, " (3 to 512 or more)", in a buffer of the enclosing block; "": no range. */
#define SAY_AMONG(loaders) dlq_among_say((loaders), (char[2 * DLQ_TEXT_NUMBER]){0}, 2 * DLQ_TEXT_NUMBER)
const char *dlq_among_say(const struct dlq_estimate *loaders, char *text, size_t size);

enum { DLQ_FIT_WARNINGS = 12 };

/* A reason why a replay gives another rate than measured. */
struct dlq_reason_said {
    const char *cause; /* its name */
    char text[DLQ_FIT_LINE];
};
void dlq_reasons_say(const struct dlq_replay *replay, struct dlq_reason_said said[DLQ_REASONS]);

/* Warnings about the figures of a fit. Returns their number. */
size_t dlq_fit_warnings(const struct dlq_fit *fit, char texts[DLQ_FIT_WARNINGS][DLQ_FIT_TEXT]);
/* A complete configuration with comments, which the caller frees; null: no memory. name: of the pipeline; logs: what
   the model was fitted to. */
char *dlq_fit_configuration(const struct dlq_fit *fit, const char *name, const char *logs);
/* Writes the file of recorded times that the configuration of a fit names; logs: as above. */
void dlq_fit_times_write(FILE *stream, const struct dlq_replay_times *times, const char *logs);

/* All that `fit` prints. */
struct dlq_fit_answer {
    const struct dlq_fit *fit;
    double measured, predicted; /* batches/s of one rank; NAN: unknown */
    double error;               /* predicted / measured - 1 */
    double headroom;            /* speed-up if loading cost nothing; NAN: unknown */
    bool reproduces;            /* not fit->rate_outside */
    const char *source, *config;
    size_t reason_count;
    struct dlq_reason_said reasons[DLQ_REASONS];
    size_t warning_count;
    char warnings[DLQ_FIT_WARNINGS][DLQ_FIT_TEXT];
    size_t caution_count, doubt_count; /* cautions: all; the last ones, which are of reading the logs */
    struct dlq_caution_said cautions[DLQ_READING_CAUTIONS + DLQ_CAUTIONS];
};
/* Why the prediction may not hold. Returns the number of cautions. */
size_t dlq_cautions_say(const struct dlq_fit_prediction *prediction, struct dlq_caution_said said[DLQ_CAUTIONS]);
/* Fills all but the cautions of reading the logs. */
struct dlq_fit_answer dlq_fit_answer_of(const struct dlq_fit *fit, const char *config);
/* Adds the cautions of reading the logs. */
void dlq_fit_answer_doubt(struct dlq_fit_answer *filled, const struct dlq_trace_facts *facts);

/* Writes the answer as text. logs: a line of facts about the logs. */
void dlq_fit_report(FILE *stream, bool color, const struct dlq_fit_answer *answer, const char *logs);
/* "The fitted model makes 6.3 batches/s. 6.4 were measured." and which number of loaders suffices. */
const char *dlq_fit_verdict(const struct dlq_fit *fit, char text[3 * DLQ_FIT_LINE]);
/* "loads of 1 slow rank divided by 1.4", to which the law is fitted; null: no worker or rank is slow. */
const char *dlq_fit_slow(const struct dlq_fit *fit, char text[DLQ_FIT_LINE]);

/* -- fit --table, advise --table -- */

enum { DLQ_TABLE_TEXT = 480 };
/* A cause of the plateau is named if its probability is larger. */
#define DLQ_LIKELY_CAUSE 0.5

/* All that `fit --table` and `advise --table` print. */
struct dlq_table_answer {
    const struct dlq_measurements *table;
    const struct dlq_scaling *scaling;
    const char *name;         /* of the file */
    const char *config;       /* the text of the configuration; null: there is none */
    char why[DLQ_TABLE_TEXT]; /* why there is no configuration */
    size_t caution_count;
    struct dlq_table_caution_said {
        const char *name;
        char text[DLQ_TABLE_TEXT];
    } cautions[DLQ_SCALING_CAUTIONS_MOST];
    char limits[DLQ_TABLE_TEXT], change[DLQ_TABLE_TEXT], gain[DLQ_TABLE_TEXT], plateau[DLQ_TABLE_TEXT],
        next[DLQ_TABLE_TEXT];
};

/* Fills the sentences. */
void dlq_table_say(struct dlq_table_answer *answer);
/* "15 loaders", "batch size 32", in a buffer of the enclosing block. */
#define SAY_COUNTED(counted, count) dlq_counted_say((counted), (count), (char[DLQ_TEXT_NUMBER]){0})
const char *dlq_counted_say(enum dlq_counted counted, double count, char text[DLQ_TEXT_NUMBER]);
/* The name of a part of the time: "plateau". */
const char *dlq_part_say(enum dlq_counted counted, enum dlq_scaling_part part);
/* A complete configuration with comments, `plateau` (a sentence) among them, which the caller frees. Null: the table
   lacks data, which `why` names; or no memory, and `why` is empty. */
char *dlq_table_configuration(const struct dlq_measurements *table, const struct dlq_scaling *scaling, const char *name,
                              const char *file, const char *plateau, char why[DLQ_TABLE_TEXT]);
/* Write the answer as text; false: no memory. */
bool dlq_table_fit_report(FILE *stream, bool color, const struct dlq_table_answer *answer);
bool dlq_table_advice_report(FILE *stream, bool color, const struct dlq_table_answer *answer);
/* Writes three lines, short enough for a chat. */
void dlq_table_advice_summary(FILE *stream, bool markdown, const struct dlq_table_answer *answer);

/* -- advise -- */

enum { DLQ_ADVICE_TEXT = 480 };
/* Writes a part of a report: a blank line, the title, in bold if `color`, and the text; nothing if there is no text. */
void dlq_advice_part(FILE *stream, bool color, const char *title, const char *text);

/* All that `advise` prints. */
struct dlq_advise_answer {
    struct dlq_advice advice;
    const struct dlq_diagnosed *diagnosed;
    const char *kind;                /* name of the change */
    const char *limited_by;          /* name of enum dlq_advice_limit */
    bool proven;                     /* the interval of the speedup is not below 1 */
    char limits[DLQ_DIAGNOSED_TEXT]; /* the cause of the waits */
    char change[DLQ_ADVICE_TEXT];
    char code[DLQ_ADVICE_TEXT]; /* the change as an option or a line of code of the program that loads; "": unknown */
    char gain[DLQ_ADVICE_TEXT], cost[DLQ_ADVICE_TEXT];
    size_t caution_count;
    /* Of the record, of the prediction, of the diagnosis. */
    struct dlq_caution_said cautions[DLQ_CAUTIONS + 2 + DLQ_DIAGNOSIS_CAUTIONS];
    size_t record_count;
    char record[DLQ_EVIDENCES][DLQ_ADVICE_TEXT]; /* further records that would make the answer surer */
};

/* Fills all but advice and diagnosed. */
void dlq_advise_say(struct dlq_advise_answer *answer);

/* Writes the advice, its change first. */
void dlq_advise_report(FILE *stream, bool color, const char *heading, const struct dlq_advise_answer *answer);
/* Writes three lines, short enough for a chat. */
void dlq_advise_summary(FILE *stream, bool markdown, const struct dlq_advise_answer *answer);

/* -- compare -- */

enum { DLQ_COMPARE_TEXT = 1200 };

/* All that `compare` prints. */
struct dlq_compare_answer {
    struct dlq_comparison comparison;
    char before[300], after[300]; /* names of the logs */
    struct dlq_move_said {
        const char *name;
        struct dlq_time_change move;
    } moves[DLQ_COMPARED_TIMES];
    size_t move_count;                 /* of times that both sides have */
    const struct dlq_traces *sides[2]; /* the logs before and after; null: their reading adds no cautions */
    struct dlq_caution_said cautions[DLQ_COMPARE_CAUTIONS + 2 * DLQ_READING_CAUTIONS];
    size_t caution_count;
    char verdict[DLQ_COMPARE_TEXT];
    struct dlq_gate_said {
        struct dlq_gate_result gated; /* limit NAN: there is no gate */
        const char *verdict;
    } gate;
};

/* Fills all but comparison, before, after, sides and gate.gated. */
void dlq_compare_say(struct dlq_compare_answer *answer);

enum dlq_status dlq_compare_report(FILE *stream, bool color, const struct dlq_compare_answer *answer,
                                   struct dlq_error *error);

/* -- figures: a row for each number in JSON, CSV and help -- */

extern const struct dlq_figures dlq_figures_diagnosis, dlq_figures_diagnosis_columns, dlq_figures_ranks,
    dlq_figures_runs, dlq_figures_fit, dlq_figures_advice, dlq_figures_compare, dlq_figures_moves,
    dlq_figures_table_fit;

/* -- pictures -- */

struct dlq_diagnose_subject {
    const struct dlq_diagnosis *diagnosis;
    const char *subtitle; /* a line of facts about the logs */
};

/* Subject: struct dlq_diagnose_subject. Waits over the iterations and by their length; waits by rank. */
dlq_picture dlq_picture_waits, dlq_picture_ranks;
/* Whether the subject, a struct dlq_diagnosis, has something to draw. */
bool dlq_picture_waits_fits(const void *subject);
bool dlq_picture_ranks_fits(const void *subject);

/* Measured times and the distribution that was fitted to them. */
struct dlq_fit_subject {
    const char *what;              /* "load" or "step" */
    const char *logs;              /* a line of facts about the logs */
    const struct dlq_fit_law *law; /* with points */
    const struct dlq_fit *fit;
};
dlq_picture dlq_fit_picture;

/* Subject: struct dlq_table_answer, with a curve. Measured runs, the law with its band, the best counts. */
dlq_picture dlq_table_picture;
