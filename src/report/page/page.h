/* The page of `dlqueue report`: one HTML file that needs no other file. */
#pragma once

#include "dlqueue/explore.h"
#include "draw/figures.h"
#include "model/model.h"
#include "report/plan_report.h"
#include "report/report.h"
#include "report/timeline.h"

#include <jansson.h>

/* -- what a page shows -- */

enum { DLQ_PAGE_CHARTS = 6, DLQ_PAGE_NOTES = 16, DLQ_PAGE_TEXT = 512, DLQ_PAGE_ANSWERS = 3 };

/* A chart in two sizes, as gnuplot wrote it; the caller owns both SVGs. label: for screen readers. */
struct dlq_page_chart {
    char *wide, *narrow; /* SVG */
    const char *label;
};

/* The answer of a command that reads logs (diagnose, fit, advise), which page.js shows. */
struct dlq_page_answer {
    const char *command;
    const struct dlq_figures *figures;
    const void *answer;
};

/* A report about a configuration, or about a log with the fitted configuration. Null or empty members are left out. */
struct dlq_page_report {
    char name[DLQ_PAGE_TEXT], parameters[2 * DLQ_PAGE_TEXT]; /* the two lines at the top */
    char file[DLQ_PAGE_TEXT];                     /* operands and options of the configuration, for commands to try */
    char cautions[DLQ_PAGE_NOTES][DLQ_PAGE_TEXT]; /* notes beside the verdict */
    size_t caution_count;
    char chart_note[DLQ_PAGE_TEXT]; /* why charts are missing */
    char seed[32];
    const char *verdict; /* sentences */
    const struct dlq_solve_answer *solved;
    struct dlq_loss falls[DLQ_LOSSES + 1]; /* see dlq_waterfall */
    size_t fall_count;
    const struct dlq_plan_answer *plan;
    const struct dlq_explore *grid; /* of the sliders */
    const struct dlq_model *model;  /* of the grid */
    const struct dlq_timeline_answer *timeline;
    bool of_log;
    size_t answer_count;
    struct dlq_page_answer answers[DLQ_PAGE_ANSWERS]; /* about the log */
    json_t *waiting;                                  /* cost of waiting for data, for the headline; the caller's */
    struct dlq_page_chart charts[DLQ_PAGE_CHARTS];
    size_t chart_count;
    char *commands, *text, *configuration; /* the caller's */
};

/* Two runs before and after a change: what differs, by `compare`, whose verdict is the headline. */
struct dlq_page_comparison {
    struct dlq_page_answer answer;
    const char *verdict; /* sentences */
};

/* Writes the page; comparison null: none. The same reports give the same bytes. */
enum dlq_status dlq_page_write(FILE *stream, const char *title, const struct dlq_page_report *reports, size_t count,
                               const struct dlq_page_comparison *comparison, struct dlq_error *error);

/* -- parts of the page -- */

/* Writes a template with its slots filled in one pass: inserted texts are not searched for slots.
   {{name}}: a text, escaped; an object becomes JSON for <script>, with < > & as \u escapes.
   {{&name}}: a text as it is.
   {{#name}} to {{/name}}: for a list once for each element, which is {{.}}; members of an element that is an object
   hide outer slots of the same name. For a text once, unless the text is empty. DLQ_FAILURE: an unknown name, a section
   without an end, or no memory. */
enum dlq_status dlq_page_fill(FILE *stream, const char *text, const json_t *slots, struct dlq_error *error);

/* Adds the option that gives a command the i-th value of a slider. */
void dlq_page_option(const struct dlq_system *system, const struct dlq_explore_axis *axis, size_t i,
                     struct dlq_phrase *option);

/* Cleans a chart of gnuplot for a page, into memory that the caller frees: known elements and attributes only, colors
   as variables of the style sheet, numbers to 0.1, no ids. title: its name for screen readers, without markup. Null: no
   memory, or no SVG. */
char *dlq_page_chart_clean(const char *svg, const char *title);
