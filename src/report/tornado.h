/* Which parameters the throughput depends on, in words, as text and as figures. */
#pragma once

#include "dlqueue/tornado.h"
#include "draw/figures.h"
#include "report/sweep.h"

extern const struct dlq_figures dlq_figures_tornado, dlq_figures_sensitivity;

/* "Throughput depends most on the load: 560 ms instead of 700 ms gains 24.9 %, 840 ms costs 16.6 %"; of two
   parameters "Throughput gains most with a load of 1.11 s instead of 1.38 s (+25 %) and loses most with 6 loaders
   instead of 8 (-25 %)". */
const char *dlq_tornado_title(const struct dlq_tornado *tornado, char text[DLQ_FINDING_TEXT]);
/* "load", "host's bandwidth", "load.decode". */
const char *dlq_sensitivity_name(const struct dlq_sensitivity *row, char text[DLQ_AXIS_TEXT]);
/* A value of that parameter: "560 ms", "12". */
const char *dlq_sensitivity_say(const struct dlq_sensitivity *row, double value, char text[DLQ_AXIS_TEXT]);
/* Whether a fifth less or more of the parameter changes the throughput. */
bool dlq_sensitivity_moves(const struct dlq_sensitivity *row);
/* DLQ_FAILURE: no memory. */
enum dlq_status dlq_tornado_report(FILE *stream, bool color, const struct dlq_tornado *tornado,
                                   struct dlq_error *error);
