/* Systems answered as the model's method asks: by simulation, or exactly by their Markov chain. */
#ifndef DLQ_STUDY_EXACT_H
#define DLQ_STUDY_EXACT_H

#include "sim/simulate.h"
#include "study/model.h"

/* With method = markov: whether the system has a chain, and one that can be solved; else DLQ_INVALID, with the place of
   the method and what to do. With other methods: DLQ_OK. */
enum dlq_status dlq_exact_accept(const struct dlq_model *model, const struct dlq_system *system,
                                 struct dlq_error *error);

/* results[i] of systems[i], which have been accepted; see dlq_simulate_systems. An exact result has intervals of no
   width and no replications; what the chain does not tell is NAN. */
enum dlq_status dlq_answer_systems(const struct dlq_model *model, const struct dlq_system *const *systems, size_t count,
                                   const struct dlq_wishes *wishes, const struct dlq_run *run,
                                   struct dlq_simulation *results, struct dlq_error *error);

/* The chain's throughput where it applies and takes no time to speak of; else NAN. */
enum dlq_status dlq_exact_form(const struct dlq_model *model, struct dlq_closed_form *form, struct dlq_error *error);

#endif
