/* The parts of solving a model: the method, causes and their losses, use of the host, warnings. */
#pragma once

#include "dlqueue/solve.h"
#include "sim/simulate.h"
#include "study/model.h"

/* A simulation whose figures are all NAN. */
extern const struct dlq_simulation dlq_no_simulation;

/* Finds results[i] of systems[i], which dlq_model_accept has accepted, by the model's method; see dlq_simulate_systems.
   An exact result has intervals of no width and 0 replications; figures that the Markov chain does not give are NAN. */
enum dlq_status dlq_answer_systems(const struct dlq_model *model, const struct dlq_system *const *systems, size_t count,
                                   const struct dlq_simulate_request *request, const struct dlq_run *run,
                                   struct dlq_simulation *results, struct dlq_error *error);

/* The throughput by the Markov chain, if a chain applies and is solved within some hundredths of a second; else NAN. */
enum dlq_status dlq_exact_form(const struct dlq_model *model, struct dlq_closed_form *form, struct dlq_error *error);

/* The cause that limits the system by its bounds: the smallest bound, serial where the trainer loads for itself, or the
   step of a trainer that is 95 % busy. DLQ_CAUSE_NONE: the trainer is idle for another reason; see dlq_losses. */
enum dlq_cause dlq_bound_by(const struct dlq_system *system, const struct dlq_bounds *bounds,
                            const struct dlq_simulation *simulation);

/* The throughput without each cause, for n systems that share their draws and were simulated with these options:
   counts[i] losses of systems[i] from losses[i * DLQ_LOSSES] on. unordered: null, or the throughput of each system with
   delivery by completion; NAN: not known yet. */
enum dlq_status dlq_losses(const struct dlq_system *const *systems, const struct dlq_simulation *simulations,
                           const double *unordered, size_t n, const struct dlq_simulate_options *options,
                           const struct dlq_run *run, struct dlq_loss *losses, size_t *counts, struct dlq_error *error);

/* The row of `losses` with the highest throughput; of rows that differ by less than 0.01 %, the first. If removing the
   cause gains less than 0.1 %, or less than a quarter of the gap between `throughput` and `step` (the rate of the step,
   1/s), the cause becomes DLQ_CAUSE_SEVERAL, or DLQ_CAUSE_STEP if `step` is NAN. */
struct dlq_loss dlq_worst_loss(const struct dlq_loss *losses, size_t count, double throughput, double step);

/* worst[i]: dlq_worst_loss of systems[i]; its throughput is here a ratio: without the cause / with the cause. The
   systems share their draws. Simulates one wave of short runs with and without each cause. */
enum dlq_status dlq_worst_causes(const struct dlq_system *const *systems, size_t count,
                                 const struct dlq_simulate_options *options, const struct dlq_run *run,
                                 struct dlq_loss *worst, struct dlq_error *error);

/* Finds enough_loaders of dlq_verdict, with unlimited cores and bandwidth. 0: more loaders cannot help, or finding
   their number would take too long. */
enum { DLQ_MOST_ENOUGH = 512 };
enum dlq_status dlq_loaders_of_verdict(const struct dlq_system *system, enum dlq_cause bound_by,
                                       const struct dlq_run *run, long *loaders, struct dlq_error *error);

void dlq_host_use_of(const struct dlq_system *system, const struct dlq_simulation *simulation,
                     struct dlq_host_use *use);

/* The bound (1/s) that the throughput contradicts, which is an error of dlqueue. Allows for sampling errors up to a
   level of 1e-6 and for the ends of a finite run, to which no bound applies. NAN: none, or a single run of a random
   system. */
double dlq_outside_bound(const struct dlq_system *system, const struct dlq_simulate_options *options,
                         const struct dlq_bounds *bounds, const struct dlq_simulation *simulation);
/* The expected number of random slow phases in all runs together if it is below DLQ_ENOUGH_PHASES, which leaves their
   frequency uncertain by more than ten per cent; else NAN. */
enum { DLQ_ENOUGH_PHASES = 100 };
double dlq_few_phases(const struct dlq_slowdown *slowdown, const struct dlq_simulation *simulation);
/* Sets outside_bound and lockstep of a simulation, which depend on its system and bounds. */
void dlq_simulation_check(const struct dlq_system *system, const struct dlq_simulate_options *options,
                          const struct dlq_bounds *bounds, struct dlq_simulation *simulation);

/* Adds warnings from warnings[*count] on: figures outside of their bounds, events too rare for the run, heavy tails, a
   short warm-up, a lengthened run, a missed precision, constant loads that share cores or bandwidth, host resources
   that no stage uses, even shares of what ranks have in common. */
void dlq_warnings_of(const struct dlq_system *system, const struct dlq_simulation *simulation,
                     const struct dlq_levers *levers, const struct dlq_simulate_options *options,
                     char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT], size_t *count);
/* Adds the warning of even shares alone. */
void dlq_warn_of_shares(const struct dlq_system *system, const struct dlq_simulation *simulation,
                        char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT], size_t *count);

/* Finds the shares of the critical path; they sum to 1. rate: the simulated steps/s of a rank. Simulates one wave for
   each component; with slowdowns some runs are recorded instead. */
enum dlq_status dlq_critical_path_find(const struct dlq_model *model, double rate, const struct dlq_run *run,
                                       struct dlq_critical_path *path, struct dlq_error *error);

/* Finds the lengths of the queue from recorded runs. rate: the simulated steps/s of a rank. */
enum dlq_status dlq_queue_find(const struct dlq_model *model, double rate, const struct dlq_run *run,
                               struct dlq_queue_of_run *queue, struct dlq_error *error);
