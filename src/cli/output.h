/* The figures of all commands, for the help and the manual. */
#pragma once

#include "draw/figures.h"

/* Group 0, 1, ... of the help: the figures under one headline; null: there are no more. If a row of a group is itself a
   struct with a headline, the group of that struct comes later. */
const struct dlq_figures *dlq_figures_group(size_t index);
/* Paragraphs that explain all figures, ended by null. */
extern const char *const dlq_figures_rules[];

/* Figures of `check`, `loaders`, `distributions` and `instances`. */
extern const struct dlq_figures dlq_figures_settings, dlq_figures_loaders, dlq_figures_distributions,
    dlq_figures_instances;
