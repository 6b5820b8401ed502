/* The reports of the page of `dlqueue report`: their content, notes about missing parts, and the report of a log. */
#pragma once

#include "cli/logs/logs.h"
#include "logs/report/report.h"
#include "report/page/page.h"
#include "result_files.h"

/* Steps of a rank in the player of the page: of a log at most so many, of a configuration about so many. */
enum { DLQ_PLAYER_STEPS = 400 };

/* One report of the page, about a configuration or a log, and the answers it shows. */
struct dlq_page_subject {
    struct dlq_model *model;
    struct dlq_solve_answer *solved;
    struct dlq_plan_answer planned;
    struct dlq_explore grid;
    struct dlq_timeline_answer timeline;
    struct dlq_timeline_answer orders, as_completed; /* a few rounds of the loaders: in order, in order of completion */
    struct dlq_trace *trace;                         /* null: a configuration */
    struct dlq_diagnosed *diagnosed;                 /* likewise */
    struct dlq_fit fit;
    struct dlq_fit_answer fit_answer;
    struct dlq_advise_answer advised;
    char *fitted;                /* text of the fitted configuration; null: no fit */
    bool advises;                /* `advised` is filled */
    bool interrupted, exhausted; /* exhausted: out of memory, so that no page is written */
    struct dlq_error error;      /* why the latest part failed */
    struct dlq_page_report page;
};

/* -- parts of a report (cmd_report.c) -- */

/* Adds a note beside the verdict. */
void dlq_page_add_caution(struct dlq_page_subject *subject, const char *text);
/* Whether a status is DLQ_INTERRUPTED, which the page notes. The page is still written, with the finished parts. */
bool dlq_page_is_interrupted(struct dlq_page_subject *subject, enum dlq_status status);
/* Whether a part of the page succeeded. If not, the reason goes to `note`, or, if that is null, beside the verdict. */
bool dlq_page_succeeded(struct dlq_page_subject *subject, enum dlq_status status, const char *part, char *note);
/* Adds a picture in two sizes. */
enum dlq_status dlq_page_add_chart(const struct dlq_invocation *invocation, struct dlq_page_subject *subject,
                                   const struct dlq_picture_row *row, const void *drawn);
/* If the page has no charts, adds the reason to the page and prints it as a warning. status: of the charts. */
void dlq_page_note_missing_charts(struct dlq_page_subject *subject, const struct dlq_invocation *invocation,
                                  enum dlq_status status);
/* Solves the model of the report, and computes a plan. */
enum dlq_status dlq_page_solve(struct dlq_invocation *invocation, struct dlq_page_subject *subject);
/* Adds sliders, player and charts of a solved model. */
void dlq_page_add_views(struct dlq_invocation *invocation, struct dlq_page_subject *subject);

/* -- the report of a log (report_log.c) -- */

/* Fills the subject from the operands of `logs`, which `hint` describes. */
enum dlq_status dlq_report_log(struct dlq_invocation *invocation, struct dlq_invocation *logs,
                               struct dlq_page_subject *subject, const struct dlq_pipeline_hint *hint);
/* Compares the runs of both subjects, before and after a change. invocation->call owns the answer. */
enum dlq_status dlq_report_compare(struct dlq_invocation *invocation, const struct dlq_page_subject subjects[2],
                                   struct dlq_page_comparison *comparison);
