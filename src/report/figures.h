/* The figures of answers about models: of each struct the rows of its JSON, CSV and help. */
#ifndef DLQ_REPORT_FIGURES_H
#define DLQ_REPORT_FIGURES_H

#include "draw/figures.h"

/* The help of utilization, which has several rows. */
#define DLQ_BUSY "what steps take by themselves / all time: throughput x t; 1: the trainer neither waits nor competes"

extern const struct dlq_figures dlq_figures_solution, dlq_figures_comparison, dlq_figures_lever, dlq_figures_plan,
    dlq_figures_candidate, dlq_figures_axis, dlq_figures_point, dlq_figures_timeline, dlq_figures_timeline_columns;

#endif
