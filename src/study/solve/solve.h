/* What solving a model is made of: exact answers, what binds and what it costs, use of the host, warnings. */
#ifndef DLQ_STUDY_SOLVE_SOLVE_H
#define DLQ_STUDY_SOLVE_SOLVE_H

#include "dlqueue/solve.h"
#include "sim/simulate.h"
#include "study/model.h"

/* With method = markov: whether the system has a chain, and one that can be solved; else DLQ_INVALID, with the place of
   the method and what to do. With other methods: DLQ_OK. */
enum dlq_status dlq_exact_accept(const struct dlq_model *model, const struct dlq_system *system,
                                 struct dlq_error *error);

/* Nothing is known. */
extern const struct dlq_simulation dlq_no_simulation;

/* results[i] of systems[i], which have been accepted; see dlq_simulate_systems. An exact result has intervals of no
   width and no replications; what the chain does not tell is NAN. */
enum dlq_status dlq_answer_systems(const struct dlq_model *model, const struct dlq_system *const *systems, size_t count,
                                   const struct dlq_simulate_request *request, const struct dlq_run *run,
                                   struct dlq_simulation *results, struct dlq_error *error);

/* The chain's throughput where it applies and takes no time to speak of; else NAN. */
enum dlq_status dlq_exact_form(const struct dlq_model *model, struct dlq_closed_form *form, struct dlq_error *error);

/* The rule of the interface but for its last step: the bound that rules, the step, loading in the trainer, or none
   where what is lost below the step bound must decide (dlq_losses). */
enum dlq_cause dlq_bound_by(const struct dlq_system *system, const struct dlq_bounds *bounds,
                            const struct dlq_simulation *simulation);

/* What each cause costs, for n systems that share their draws, simulated with the same options: losses[i * DLQ_LOSSES
   ..] of systems[i], counts[i] of them. unordered: null, or what each does whose batches are delivered as they come,
   where that is known (else NAN). */
enum dlq_status dlq_losses(const struct dlq_system *const *systems, const struct dlq_simulation *simulations,
                           const double *unordered, size_t n, const struct dlq_simulate_options *options,
                           const struct dlq_run *run, struct dlq_loss *losses, size_t *counts, struct dlq_error *error);

/* The cause whose removal gains most on a throughput. Where that is less than a quarter of what it lacks to the rate of
   the step, or than 0.1 %, it is several causes; the step where there is no such rate (NAN). Of causes that gain the
   same, but for rounding, the first. */
struct dlq_loss dlq_worst_loss(const struct dlq_loss *losses, size_t count, double throughput, double step);

/* The loaders that would be enough if the host were not in the way; see dlq_verdict. 0 where no count of loaders is the
   question: nothing waits for them, or it would take too long to find out. */
enum { DLQ_MOST_ENOUGH = 512 };
enum dlq_status dlq_enough_loaders(const struct dlq_system *system, enum dlq_cause bound_by, const struct dlq_run *run,
                                   long *loaders, struct dlq_error *error);

void dlq_host_use_of(const struct dlq_system *system, const struct dlq_simulation *simulation,
                     struct dlq_host_use *use);

/* The bound that the throughput contradicts, a level of 1e-6 of its own error and what the bound does not promise of a
   finite run allowed for: an error of ours. NAN: none, or a single run of a system that varies. */
double dlq_outside_bound(const struct dlq_system *system, const struct dlq_simulate_options *options,
                         const struct dlq_bounds *bounds, const struct dlq_simulation *simulation);
/* Sets what of a simulation takes its system and bounds to tell: outside_bound, lockstep. */
void dlq_simulation_check(const struct dlq_system *system, const struct dlq_simulate_options *options,
                          const struct dlq_bounds *bounds, struct dlq_simulation *simulation);

/* Adds to warnings[*count ..]: figures outside of their bounds, what is too rare to be seen, a heavy tail, a warm-up
   too short, a run that was lengthened, a precision that was not reached, constants that share, what a host has and no
   stage uses. */
void dlq_warnings_of(const struct dlq_system *system, const struct dlq_simulation *simulation,
                     const struct dlq_levers *levers, const struct dlq_simulate_options *options,
                     char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT], size_t *count);

/* shares that sum to 1, none where there is no path. rate: steps/s that were simulated. One wave of runs for each
   component; with slowdowns some runs are recorded. */
enum dlq_status dlq_critical_path_find(const struct dlq_model *model, double rate, const struct dlq_run *run,
                                       struct dlq_critical_path *path, struct dlq_error *error);

/* rate: steps/s of a rank that were simulated. */
enum dlq_status dlq_queue_find(const struct dlq_model *model, double rate, const struct dlq_run *run,
                               struct dlq_queue_of_run *queue, struct dlq_error *error);

#endif
