/* [sweep], [plan] and [plot]. */
#ifndef DLQ_STUDY_OPTIONS_H
#define DLQ_STUDY_OPTIONS_H

#include "base/option.h"
#include "dlqueue/model.h"

enum { DLQ_AXES = 6 };

/* By axis, in the order of dlq_sweep_section's rows: loaders, load, prefetch, ranks, step, cv; count 0: not swept. */
struct dlq_sweep_options {
    struct dlq_range axes[DLQ_AXES];
};

struct dlq_plan_options {
    double target;
    int of, solve;
    long at_most;
};

extern const struct dlq_section dlq_sweep_section, dlq_plan_section, dlq_plot_section;

/* Reads [plot]: lists and sizes are checked here. */
enum dlq_status dlq_plot_options_read(struct dlq_plot_options *options, const struct dlq_entries *entries,
                                      struct dlq_error *error);

/* All sections of a configuration, in the order in which they are printed. */
enum { DLQ_SECTIONS = 10 };
size_t dlq_sections(struct dlq_section sections[DLQ_SECTIONS]);

#endif
