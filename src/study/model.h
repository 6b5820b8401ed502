/* The inside of a model: its configuration, system and options; what all studies work on. */
#pragma once

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
    DLQ_AXIS_CONTENTION,
    DLQ_AXIS_STORAGE,
    DLQ_AXIS_STEP_CV,
    DLQ_AXIS_RECEIVE,
    DLQ_AXIS_PIN_TIME,
    DLQ_AXIS_BARRIER,
    DLQ_AXES,
    DLQ_AXIS_DELIVERY = DLQ_AXES /* not a key of [sweep]; 0: the loader's own order, 1: by completion */
};

/* Values by axis, in the order of the rows of dlq_sweep_section; count 0: not swept. */
struct dlq_sweep_options {
    struct dlq_range axes[DLQ_AXES];
};

/* key: the word in [sweep]. set: gives the system that value; false and `why` (a buffer of `size` bytes) where the
   system does not allow it. get: the system's value; NAN where the configuration gives none. */
const char *dlq_axis_key(enum dlq_axis_name axis);
bool dlq_axis_is_whole(enum dlq_axis_name axis); /* its values are counts */
bool dlq_axis_set(enum dlq_axis_name axis, struct dlq_system *system, double value, char *why, size_t size);
double dlq_axis_get(enum dlq_axis_name axis, const struct dlq_system *system);

struct dlq_plan_options {
    double target; /* 0..1; of samples per second: 1/s */
    int of, solve; /* enum dlq_plan_of, enum dlq_plan_solve */
    long at_most;
};

/* The words of [plan] of (enum dlq_plan_of) and solve (enum dlq_plan_solve), null-terminated. */
extern const char *const dlq_plan_of_words[], *const dlq_plan_solve_words[];

extern const struct dlq_section dlq_sweep_section, dlq_plan_section, dlq_plot_section;

/* Reads and checks [plot]; directory points into `entries`. */
enum dlq_status dlq_plot_options_read(struct dlq_plot_options *options, const struct dlq_entries *entries,
                                      struct dlq_error *error);

/* All sections of a configuration, in the order in which they are printed. */
enum { DLQ_SECTIONS = 12 };
size_t dlq_sections(struct dlq_section sections[DLQ_SECTIONS]);

/* -- the model -- */

struct dlq_model {
    struct dlq_entries entries;
    char *file;      /* name of the configuration file; null: none */
    char *directory; /* paths are relative to it; null: the working directory */
    char *stem;      /* file name without directory and extension: the model's name where [pipeline] has none */
    bool checked;
    struct dlq_given_times *columns; /* of dlq_model_set_times; owned */
    struct dlq_data data;
    struct dlq_system system;
    struct dlq_simulate_options simulate;
    struct dlq_sweep_options sweep;
    struct dlq_plan_options plan;
    struct dlq_plot_options plot;
};

/* The name of the file for error messages; "configuration" without a file. */
const char *dlq_model_file(const struct dlq_model *model);

/* "my.ini:12: [plan] target: why": DLQ_INVALID at the place where that key was written, if it was. */
enum dlq_status dlq_model_refuse(const struct dlq_model *model, const char *section, const char *key, const char *why,
                                 struct dlq_error *error);

/* Checks that a system made from the model can be simulated, or solved by a Markov chain where that is the model's
   method. DLQ_INVALID: it cannot; the error names the place of the key at fault. (solve/exact.c) */
enum dlq_status dlq_model_accept(const struct dlq_model *model, const struct dlq_system *system,
                                 struct dlq_error *error);

/* Stores the model's upper bound in the run's progress, if the run has one. */
void dlq_progress_of(const struct dlq_model *model, const struct dlq_run *run);
