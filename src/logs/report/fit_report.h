/* The answer of a fit: its text for people, its figures for programs, its configuration. */
#ifndef DLQ_REPORT_FIT_REPORT_H
#define DLQ_REPORT_FIT_REPORT_H

#include "dlqueue/logs/fit.h"
#include "draw/figures.h"
#include "draw/phrase.h"

/* The range of a number of loaders, " (3 to 512 or more)", in a buffer of the enclosing block; "": no range. */
#define SAY_AMONG(loaders) dlq_among_say((loaders), (char[2 * DLQ_TEXT_NUMBER]){0}, 2 * DLQ_TEXT_NUMBER)
const char *dlq_among_say(const struct dlq_estimate *loaders, char *text, size_t size);

enum { DLQ_REASON_TEXT = 320 };

/* Why a replay failed. */
struct dlq_reason_said {
    const char *cause; /* its name */
    char text[DLQ_REASON_TEXT];
};
void dlq_reasons_say(const struct dlq_replay *replay, struct dlq_reason_said said[DLQ_REASONS]);

enum { DLQ_FIT_WARNINGS = 12 };

/* Warnings about the figures of a fit. Returns their number. */
size_t dlq_fit_warnings(const struct dlq_fit *fit, char texts[DLQ_FIT_WARNINGS][DLQ_FIT_TEXT]);
/* A complete configuration with comments, which the caller frees; null: no memory. `name` is the pipeline's name,
   `logs` what the model was fitted to. */
char *dlq_fit_configuration(const struct dlq_fit *fit, const char *name, const char *logs);

enum { DLQ_FIT_LINE = 320 };

/* All that `fit` prints. */
struct dlq_fit_answer {
    const struct dlq_fit *fit;
    double measured, predicted; /* batches/s of one rank; NAN: unknown */
    double error;               /* predicted / measured - 1 */
    double headroom;            /* speed-up if loading cost nothing; NAN: unknown */
    const char *source, *config;
    size_t reason_count;
    struct dlq_reason_said reasons[DLQ_REASONS];
    size_t warning_count;
    char warnings[DLQ_FIT_WARNINGS][DLQ_FIT_TEXT];
    size_t caution_count;
    struct dlq_caution_said {
        const char *name;
        char text[DLQ_FIT_LINE];
        double since, factor; /* loads took `factor` times as long from batch `since` on; NAN: they did not change */
    } cautions[DLQ_CAUTIONS];
};
#define DLQ_CAUTION_ROWS(names)                                                                                        \
    DLQ_ROW("name", WORD, offsetof(struct dlq_caution_said, name), NULL, names),                                       \
        DLQ_ROW("text", LETTERS, offsetof(struct dlq_caution_said, text), NULL, "the same in sentences")
/* Why the prediction may not hold. Returns the number of cautions. */
size_t dlq_cautions_say(const struct dlq_fit_prediction *prediction, struct dlq_caution_said said[DLQ_CAUTIONS]);
struct dlq_fit_answer dlq_fit_answer_of(const struct dlq_fit *fit, const char *config);

/* `logs` is a line about what was read. */
void dlq_fit_report(FILE *stream, bool color, const struct dlq_fit_answer *answer, const char *logs);
/* "The fitted model gives ..., as measured" */
const char *dlq_fit_verdict(const struct dlq_fit *fit, char text[3 * DLQ_FIT_LINE]);

extern const struct dlq_figures dlq_figures_fit;

#endif
