/* A model from inside, and how a caller wants things computed: what the studies work on. */
#ifndef DLQ_STUDY_MODEL_H
#define DLQ_STUDY_MODEL_H

#include "dlqueue/error.h"
#include "dlqueue/model.h"
#include "dlqueue/simulate.h"
#include "model/model.h"
#include "sim/options.h"
#include "study/options.h"

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

/* DLQ_INVALID where the run asks for what there is not. Every public function that takes a run asks this first. */
enum dlq_status dlq_accept_run(const struct dlq_run *run, struct dlq_error *error);

/* The seed of a run that is about no model. */
static inline uint64_t dlq_seed_of(const struct dlq_run *run)
{
    return run->has_seed ? run->seed : 1;
}

#endif
