/* Models from the settings of a setup. */
#pragma once

#include "dlqueue/model.h"
#include "subject.h"

/* On failure *model is untouched. */
enum dlq_status bench_model_new(struct dlq_model **model, const struct bench_setup *setup, struct dlq_error *error);

/* How the library is to run. */
struct dlq_run bench_library_run(const struct bench_setup *setup, const struct bench_run *run);

/* Batches that a result stands for, the warm-up left out. */
double bench_batches(const struct dlq_simulation *result, const struct bench_setup *setup);
