/* What one report of a page is made of: of a configuration (report_config.c), or of logs (report_log.c). */
#ifndef DLQ_CLI_REPORT_SUBJECT_H
#define DLQ_CLI_REPORT_SUBJECT_H

#include "command.h"
#include "dlqueue/explore.h"
#include "dlqueue/fit.h"
#include "report/page/page.h"
#include "report/pictures/pictures.h"
#include "result_files.h"

/* STEPS: that the player shows, about. */
enum { DLQ_SUBJECT_NAME = 512, DLQ_SUBJECT_PARAMETERS = 1024, DLQ_SUBJECT_CAUTION = 512, DLQ_SUBJECT_STEPS = 400 };

/* All that one report of the page is made of. */
struct dlq_subject {
    struct dlq_model *model;
    struct dlq_solve_answer *solved;
    struct dlq_plan_answer planned;
    struct dlq_explore grid;
    struct dlq_timeline_answer timeline;
    struct dlq_trace *trace; /* of a log */
    struct dlq_diagnosed *diagnosed;
    struct dlq_fit fit;
    struct dlq_fit_answer fit_answer;
    struct dlq_advise_answer advised;
    char *fitted; /* the configuration that fit wrote */
    bool interrupted;
    char name[DLQ_SUBJECT_NAME], parameters[DLQ_SUBJECT_PARAMETERS], seed[32], file[DLQ_SUBJECT_NAME],
        chart_note[DLQ_SUBJECT_CAUTION], caution[DLQ_PAGE_NOTES][DLQ_SUBJECT_CAUTION];
    char failure[DLQ_SUBJECT_CAUTION]; /* not empty: out of memory, and there is no page */
    const char *cautions[DLQ_PAGE_NOTES];
    char *commands, *text, *configuration;
    struct dlq_page_report report;
};

/* Fill a subject; after them all that is missing is the report's texts and its name. An error means that there is no
   report at all. */
enum dlq_status dlq_subject_configured(struct dlq_invocation *session, struct dlq_subject *subject);
enum dlq_status dlq_subject_measured(struct dlq_invocation *session, struct dlq_subject *subject);
/* What is its own; not the model and the trace. For dlq_keep. */
void dlq_subject_release(void *object);

/* What the page says beside the verdict. */
void dlq_subject_caution(struct dlq_subject *subject, const char *text);
/* A part that is missing leaves the page without it; what it is missing for stands in its place. */
void dlq_subject_without(struct dlq_subject *subject, enum dlq_status status, const char *part,
                         const struct dlq_error *error);
/* True where the status is that of an interrupt. What takes no time is done nevertheless: the page then holds what was
   finished. */
bool dlq_subject_interrupted(struct dlq_subject *subject, enum dlq_status status);

/* The picture in two sizes. */
enum dlq_status dlq_subject_chart(const struct dlq_invocation *session, struct dlq_subject *subject,
                                  const struct dlq_picture_row *row, const void *drawn);
/* The page without charts is a page: what is in their way is said there, and on standard error. */
void dlq_subject_no_charts(struct dlq_subject *subject, const struct dlq_invocation *session, enum dlq_status status,
                           const struct dlq_error *error);

/* Of the subject's model. */
enum dlq_status dlq_subject_solve(struct dlq_invocation *session, struct dlq_subject *subject);
/* The explorer, the player and the charts: where one of them is missing, the page still says what it knows. */
void dlq_subject_look_around(struct dlq_invocation *session, struct dlq_subject *subject);

#endif
