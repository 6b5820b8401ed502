/* A model from inside, and how a caller wants things computed: what the studies work on. */
#ifndef DLQ_STUDY_MODEL_H
#define DLQ_STUDY_MODEL_H

#include "dlqueue/model.h"
#include "model/model.h"
#include "sim/options.h"

/* -- [sweep], [plan] and [plot] (options.c, axes.c) -- */

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

/* Its key. Set: false and why, where the system can't be so. Get: NAN where the configuration does not say. */
const char *dlq_axis_key(enum dlq_axis_name axis);
bool dlq_axis_set(enum dlq_axis_name axis, struct dlq_system *system, double value, char *why, size_t size);
double dlq_axis_get(enum dlq_axis_name axis, const struct dlq_system *system);

struct dlq_plan_options {
    double target;
    int of, solve;
    long at_most;
};

/* The words of [plan] of (enum dlq_plan_of) and solve (enum dlq_plan_solve), null-terminated. */
extern const char *const dlq_plan_of_words[], *const dlq_plan_solve_words[];

extern const struct dlq_section dlq_sweep_section, dlq_plan_section, dlq_plot_section;

/* Reads [plot]: lists and sizes are checked here. */
enum dlq_status dlq_plot_options_read(struct dlq_plot_options *options, const struct dlq_entries *entries,
                                      struct dlq_error *error);

/* All sections of a configuration, in the order in which they are printed. */
enum { DLQ_SECTIONS = 12 };
size_t dlq_sections(struct dlq_section sections[DLQ_SECTIONS]);

/* -- the model -- */

struct dlq_model {
    struct dlq_entries entries;
    char *file;      /* its name; null: none */
    char *directory; /* what paths are relative to; null: the working directory */
    char *stem;      /* the name where [pipeline] has none */
    bool checked;
    struct dlq_data data;
    struct dlq_system system;
    struct dlq_simulate_options simulate;
    struct dlq_sweep_options sweep;
    struct dlq_plan_options plan;
    struct dlq_plot_options plot;
};

/* What errors call it. */
const char *dlq_model_file(const struct dlq_model *model);

/* "my.ini:12: [plan] target: why": DLQ_INVALID at the place where that key was written, if it was. */
enum dlq_status dlq_model_refuse(const struct dlq_model *model, const char *section, const char *key, const char *why,
                                 struct dlq_error *error);

/* Whether a system made from the model is answered, by the model's method: DLQ_INVALID with the place of what is in the
 * way. */
enum dlq_status dlq_model_accept(const struct dlq_model *model, const struct dlq_system *system,
                                 struct dlq_error *error);

/* What is known at once of a model that is to be simulated becomes known of the run's progress. */
void dlq_progress_of(const struct dlq_model *model, const struct dlq_run *run);

#endif
