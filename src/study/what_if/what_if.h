/* What-if questions: gains of single changes, the worst cause, sufficient loaders, and run lengths of comparisons. */
#pragma once

#include "dlqueue/solve.h"
#include "dlqueue/what_if.h"
#include "sim/simulate.h"
#include "study/model.h"

/* A system that a change is made to. data: owns the distributions that the change makes. */
struct dlq_changed {
    struct dlq_system *system;
    struct dlq_data *data;
    struct dlq_error *error;
    enum dlq_status status; /* of the change; DLQ_FAILURE: no memory */
};

struct dlq_change {
    const char *name; /* of the lever; null: the change is no lever */
    /* False: the system does not admit the change, and *changed->system must not be used. */
    bool (*apply)(struct dlq_changed *changed);
    enum dlq_cause removes; /* whose loss the change shows */
};

/* *count rows: levers by enum dlq_lever_change (DLQ_LEVER_STAGE_FREE is empty), then changes that only remove
   causes. */
const struct dlq_change *dlq_changes(size_t *count);
/* Whether the changed system is simulated in a reasonable time: some bound limits its throughput, and a horizon
   contains at most a million batches, or ten times as many as before. */
bool dlq_change_is_brief(const struct dlq_system *changed, const struct dlq_system *system, double horizon);

/* Whether the system takes long to simulate, and the upper bound of the changed system is at most 0.5 % above the
   throughput: then the change is not simulated, and no gain is proven. It may cost something. */
bool dlq_change_is_decided(const struct dlq_system *changed, const struct dlq_system *system,
                           const struct dlq_simulate_options *options, struct dlq_estimate throughput);

/* Whether the low end of a throughput is at most the share `within` below the upper bound. */
bool dlq_at_bound(double upper, struct dlq_estimate throughput, double within);

/* How far a throughput may be from its bound, as a share, to count as known: half a per cent, or options->precision if
   that is less; 0: bounds decide nothing. */
double dlq_precision_of_bounds(const struct dlq_simulate_options *options);

/* Simulates the systems for which chosen[i] is true and leaves results[i] of the others. All share their draws.
   request->seconds: null. Errors: as dlq_simulate_systems. */
enum dlq_status dlq_simulate_some(const struct dlq_system *const *systems, const bool *chosen, size_t count,
                                  const struct dlq_simulate_options *options,
                                  const struct dlq_simulate_request *request, const struct dlq_run *run,
                                  struct dlq_simulation *results, struct dlq_error *error);

/* Pilot runs: a few replications of PILOT_BATCHES batches or a window after a short warm-up, of those systems that take
   long to simulate, whose upper bound is the step, and that have no slowdowns. A run starts with nothing loaded, the
   worst state: a trainer that hardly waits soon after the start will not wait later (theory, "Short runs"). So if the
   throughput reaches the bound (dlq_at_bound, dlq_precision_of_bounds), run and bound enclose it: decided[i] is true,
   and results[i] is set. (If cores or bandwidth bind, deliveries come in bursts at first, and the rate of a short run
   says nothing.) With options->batches_given nothing is decided. request: seconds null, lengths not used. The systems
   share their draws. */
enum dlq_status dlq_pilot_runs(const struct dlq_system *const *systems, size_t count,
                               const struct dlq_simulate_options *options, const struct dlq_simulate_request *request,
                               const struct dlq_run *run, struct dlq_simulation *results, bool *decided,
                               struct dlq_error *error);

/* dlq_pilot_runs of all systems; systems that share their draws are simulated together. */
enum dlq_status dlq_pilot_variants(struct dlq_arena *arena, const struct dlq_system *systems, size_t all,
                                   const struct dlq_simulate_options *options, const struct dlq_run *run,
                                   struct dlq_simulation *results, bool *decided);

/* Simulates all systems; systems that share their draws together. seconds: null, or room for `all` * DLQ_WAVE times as
   in struct dlq_simulate_request; times of systems[i] begin at i * DLQ_WAVE. */
enum dlq_status dlq_variants_simulate(struct dlq_arena *arena, const struct dlq_system *systems, size_t all,
                                      const struct dlq_simulate_options *options, struct dlq_simulate_request request,
                                      const struct dlq_run *run, struct dlq_simulation *results, double *seconds);

/* The options for simulating single changes of a system: one wave, shortened to a limited effort. */
struct dlq_simulate_options dlq_levers_options(const struct dlq_model *model, const struct dlq_system *system);

/* Whether a gain by a few pairs of runs leaves open, to half a per cent, whether this change gains most or how much it
   gains then. most: the largest gain that its bound allows; best: the largest gain of all changes so far. */
bool dlq_gain_is_open(struct dlq_estimate gain, double most, double best);

/* Adds the change that made systems[levers->count + 1], with the name `name` followed by `suffix`, if that system can
   be simulated; false: it can't. systems: the unchanged one, then one for each change. */
bool dlq_change_keep(const struct dlq_system *systems, double horizon, enum dlq_lever_change id, const char *name,
                     const char *suffix, struct dlq_levers *levers);

/* Finds the gains of the changes in `levers`, at most DLQ_LEVERS, on the same draws. systems: the unchanged one, made
   from the model, then one for each change. Reorders rows and systems. throughput: of the unchanged system, batches/s
   of a rank. losses: changes that cannot gain are of interest, too (see dlq_change_is_decided). */
enum dlq_status dlq_gains_find(const struct dlq_model *model, struct dlq_system *systems,
                               struct dlq_estimate throughput, bool losses, const struct dlq_run *run,
                               struct dlq_levers *levers, struct dlq_error *error);

/* Finds the gain of every change that the system, made from the model, admits, on the same draws as the system itself.
   throughput: of the system, batches/s of a rank. */
enum dlq_status dlq_levers_find(const struct dlq_model *model, const struct dlq_system *system,
                                struct dlq_estimate throughput, const struct dlq_run *run, struct dlq_levers *levers,
                                struct dlq_error *error);

/* Computing time of a simulated batch of all ranks, as dlq_lane_kernel.effort: 1 is a batch of one rank in lanes. */
double dlq_effort_of_batch(const struct dlq_system *system, const struct dlq_simulate_options *options);

/* Whether replications of the system are simulated side by side. */
bool dlq_effort_in_lanes(const struct dlq_system *system, const struct dlq_simulate_options *options);

/* Whether even the shortest comparison of the system takes seconds: many ranks whose loads depend on each other. */
bool dlq_effort_is_costly(const struct dlq_system *system, const struct dlq_simulate_options *options);

/* Computing time of a wave of runs with these options, warm-up included, in the same unit; 0 with a horizon. */
double dlq_effort_of_wave(const struct dlq_system *system, const struct dlq_simulate_options *options);

/* Warm-up (batches) of a run that is shorter than [simulate] asks: about as long as in the full run; -1: by rule. */
long dlq_effort_warmup(const struct dlq_simulate_options *full, const struct dlq_system *system);

/* Warm-up (batches) of a rough first run of a system that takes long to simulate; with epochs that of `limited`. */
long dlq_effort_rough_warmup(const struct dlq_simulate_options *limited, const struct dlq_system *system);

/* Rounds batches up to whole rounds of the loaders, and of twice as many loaders. A cut round would bias a short run,
   as a round may have a single stall, at its start. */
long dlq_effort_whole_rounds(long batches, const struct dlq_system *system);

/* The options with fewer batches if one wave would exceed `effort`, but no fewer than a steady state needs. With a
   horizon nothing changes. */
struct dlq_simulate_options dlq_effort_limited(const struct dlq_simulate_options *options,
                                               const struct dlq_system *system, double effort);

/* dlq_sufficient_loaders for a system. */
enum dlq_status dlq_suffices(const struct dlq_system *system, double target, long most, const struct dlq_run *run,
                             struct dlq_sufficient *found, struct dlq_error *error);

/* Gives the loader of pytorch to a system with the serial loader. */
void dlq_suffices_give_loaders(struct dlq_system *system);
