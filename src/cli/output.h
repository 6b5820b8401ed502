/* The figures of all commands, for the help and the manual. */
#ifndef DLQ_CLI_OUTPUT_H
#define DLQ_CLI_OUTPUT_H

#include "draw/figures.h"

/* The figures of an object or table that has a headline: index 0, 1, ... until null. A group comes before the groups of
   its rows. */
const struct dlq_figures *dlq_figures_group(size_t index);
/* Rules that hold for all figures, a paragraph each, ended by null. */
extern const char *const dlq_figures_rules[];

/* Rows of `check`, `loaders`, `distributions` and `instances`. */
extern const struct dlq_figures dlq_figures_settings, dlq_figures_loaders, dlq_figures_distributions,
    dlq_figures_instances;

#endif
