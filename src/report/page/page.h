/* The page of `dlqueue report`: one HTML file that needs nothing beside it. */
#ifndef DLQ_REPORT_PAGE_PAGE_H
#define DLQ_REPORT_PAGE_PAGE_H

#include "dlqueue/explore.h"
#include "draw/figures.h"
#include "model/model.h"
#include "report/plan_report.h"
#include "report/report.h"
#include "report/timeline.h"

#include <jansson.h>

/* -- what a page shows -- */

/* A chart in two sizes, as gnuplot wrote it; label: what is to be read to those who don't see it. */
struct dlq_page_chart {
    char *wide, *narrow; /* SVG; owned by who fills the page */
    const char *label;
};

enum { DLQ_PAGE_CHARTS = 6, DLQ_PAGE_NOTES = 16, DLQ_PAGE_TEXT = 512, DLQ_PAGE_ANSWERS = 3 };

/* An answer of a command that reads logs, under its name in the data of the page; page.js shows those of diagnose, fit
   and advise. */
struct dlq_page_answer {
    const char *command;
    const struct dlq_figures *figures;
    const void *answer;
};

/* A configuration, or a log with the configuration that was fitted to it. What is null or empty is left out. */
struct dlq_page_report {
    char name[DLQ_PAGE_TEXT], parameters[2 * DLQ_PAGE_TEXT]; /* what it is about: the two lines at the top */
    char file[DLQ_PAGE_TEXT];                                /* of the configuration, for commands to try */
    char cautions[DLQ_PAGE_NOTES][DLQ_PAGE_TEXT];            /* beside the verdict */
    size_t caution_count;
    char chart_note[DLQ_PAGE_TEXT]; /* why there are no charts, or not all */
    char seed[32];
    const char *verdict; /* in sentences */
    const struct dlq_solve_answer *solved;
    const struct dlq_plan_answer *plan;
    const struct dlq_explore *grid;
    const struct dlq_model *model; /* of the grid */
    const struct dlq_timeline_answer *timeline;
    bool of_log;
    size_t answer_count; /* about the log */
    struct dlq_page_answer answers[DLQ_PAGE_ANSWERS];
    json_t
        *waiting; /* what waiting for data costs, as the headline of the page shows it; owned by who fills the page */
    struct dlq_page_chart charts[DLQ_PAGE_CHARTS];
    size_t chart_count;
    char *commands, *text, *configuration; /* owned by who fills the page */
};

/* Writes the page. The same reports give the same bytes. */
enum dlq_status dlq_page_write(FILE *stream, const char *title, const struct dlq_page_report *reports, size_t count,
                               struct dlq_error *error);

/* -- what it is made with -- */

/* Writes the template with its slots filled, in one pass: what is inserted is not searched. `slots` is an object:
   {{name}} is a text, in which what would be markup is escaped, or an object, JSON within <script>, in which < > & and
   line separators become \u escapes; {{&name}} is a text as it is: our own files, and charts that were cleaned. From
   {{#name}} to {{/name}} all is written for each element of a list, which is {{.}}, or an object whose slots come
   first; or once for a text that is not empty. DLQ_FAILURE: a name that nothing has, a section without an end, an error
   of ours; or no memory. */
enum dlq_status dlq_page_fill(FILE *stream, const char *text, const json_t *slots, struct dlq_error *error);

/* How a command asks for the i-th value of an explorer's axis, as an option. */
void dlq_page_option(const struct dlq_system *system, const struct dlq_explore_axis *axis, size_t i,
                     struct dlq_phrase *option);

/* A chart by gnuplot for the inside of a page, in allocated memory: elements and attributes that are known alone, inks
   as variables of the style sheet, numbers to 0.1, no ids. Null: no memory, or no SVG. */
char *dlq_page_chart_clean(const char *svg);

#endif
