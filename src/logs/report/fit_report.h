/* A fit for people and for programs. */
#ifndef DLQ_REPORT_FIT_REPORT_H
#define DLQ_REPORT_FIT_REPORT_H

#include "dlqueue/logs/fit.h"
#include "draw/figures.h"
#include "draw/phrase.h"

/* " (3 to 512 or more)", in a buffer of the block around it: the range in which a number of loaders lies; "" for none.
 */
#define SAY_AMONG(loaders) dlq_among_say((loaders), (char[2 * DLQ_TEXT_NUMBER]){0}, 2 * DLQ_TEXT_NUMBER)
const char *dlq_among_say(const struct dlq_estimate *loaders, char *text, size_t size);

enum { DLQ_REASON_TEXT = 320 };

/* A reason of a replay in words. */
struct dlq_reason_said {
    const char *cause;
    char text[DLQ_REASON_TEXT];
};
void dlq_reasons_say(const struct dlq_replay *replay, struct dlq_reason_said said[DLQ_REASONS]);

enum { DLQ_FIT_WARNINGS = 12 };

/* What to mind with the figures. Returns how many warnings there are. */
size_t dlq_fit_warnings(const struct dlq_fit *fit, char texts[DLQ_FIT_WARNINGS][DLQ_FIT_TEXT]);
/* A complete configuration with comments, in allocated memory. name: of the pipeline; logs: what it was fitted to.
   Null: no memory. */
char *dlq_fit_configuration(const struct dlq_fit *fit, const char *name, const char *logs);

/* With what follows from it. */
enum { DLQ_FIT_LINE = 320 };

struct dlq_fit_answer {
    const struct dlq_fit *fit;
    double measured, predicted, error, headroom;
    const char *source, *config;
    size_t reason_count; /* of the replay */
    struct dlq_reason_said reasons[DLQ_REASONS];
    size_t warning_count;
    char warnings[DLQ_FIT_WARNINGS][DLQ_FIT_TEXT];
    size_t caution_count;
    struct dlq_caution_said {
        const char *name;
        char text[DLQ_FIT_LINE];
        double since, factor; /* of a change of the loads: from which batch on, times what they were; NAN: of none */
    } cautions[DLQ_CAUTIONS];
};
/* Why the prediction may not hold, in words; how many. */
size_t dlq_cautions_say(const struct dlq_fit_prediction *prediction, struct dlq_caution_said said[DLQ_CAUTIONS]);
struct dlq_fit_answer dlq_fit_answer_of(const struct dlq_fit *fit, const char *config);

/* `logs`: what was read, in a line. */
void dlq_fit_report(FILE *stream, bool color, const struct dlq_fit_answer *answer, const char *logs);
/* "The fitted model gives ..., as measured" */
const char *dlq_fit_verdict(const struct dlq_fit *fit, char text[3 * DLQ_FIT_LINE]);

extern const struct dlq_figures dlq_figures_fit;

#endif
