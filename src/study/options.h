/* [sweep], [plan] and [plot]. */
#ifndef DLQ_STUDY_OPTIONS_H
#define DLQ_STUDY_OPTIONS_H

#include "base/option.h"
#include "dlqueue/model.h"

enum dlq_axis_name {
    DLQ_AXIS_LOADERS,
    DLQ_AXIS_LOAD,
    DLQ_AXIS_PREFETCH,
    DLQ_AXIS_RANKS,
    DLQ_AXIS_STEP,
    DLQ_AXIS_CV,
    DLQ_AXIS_CORES,
    DLQ_AXIS_BANDWIDTH,
    DLQ_AXIS_STARTUP,
    DLQ_AXIS_STARTUP_PER_LOADER,
    DLQ_AXIS_BATCH_SIZE,
    DLQ_AXIS_CACHE,
    DLQ_AXIS_THREADS,
    DLQ_AXES,
    DLQ_AXIS_DELIVERY = DLQ_AXES /* no key of [sweep]: 0 as it is, 1 as completed */
};

/* By axis, which are the rows of dlq_sweep_section, too; count 0: not swept. */
struct dlq_sweep_options {
    struct dlq_range axes[DLQ_AXES];
};

struct dlq_system;

/* Its key. Set: false and why, where the system can't be so. Get: NAN where the configuration does not say. */
const char *dlq_axis_key(enum dlq_axis_name axis);
bool dlq_axis_set(enum dlq_axis_name axis, struct dlq_system *system, double value, char *why, size_t size);
double dlq_axis_get(enum dlq_axis_name axis, const struct dlq_system *system);

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
enum { DLQ_SECTIONS = 12 };
size_t dlq_sections(struct dlq_section sections[DLQ_SECTIONS]);

#endif
