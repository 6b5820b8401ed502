/* Figures of answers about models: the rows from which JSON, CSV and help are written. */
#pragma once

#include "draw/figures.h"

/* Help of the utilization, which is in several tables. */
#define DLQ_BUSY "throughput x t, the share of the time that steps need: 1 if the trainer never waits for data or cores"

extern const struct dlq_figures dlq_figures_solution, dlq_figures_comparison, dlq_figures_lever, dlq_figures_plan,
    dlq_figures_candidate, dlq_figures_axis, dlq_figures_point, dlq_figures_part, dlq_figures_timeline,
    dlq_figures_timeline_columns;
