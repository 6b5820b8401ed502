/* What-if questions: what single changes gain, which cause costs most, how many loaders are enough, and how long to
   simulate where many systems are compared. */
#ifndef DLQ_STUDY_WHAT_IF_WHAT_IF_H
#define DLQ_STUDY_WHAT_IF_WHAT_IF_H

#include "dlqueue/solve.h"
#include "dlqueue/what_if.h"
#include "sim/simulate.h"
#include "study/model.h"

/* The system that a change is made to, and who owns what new laws borrow. */
struct dlq_changed {
    struct dlq_system *system;
    struct dlq_data *data;
    struct dlq_error *error;
    enum dlq_status status; /* of what was asked for */
};

struct dlq_change {
    const char *name; /* of a lever; null: it is none */
    /* False where the system does not admit the change: what it is then means nothing. */
    bool (*apply)(struct dlq_changed *changed);
    enum dlq_cause removes; /* what it costs is what the change gains */
};

/* *count rows: those of levers by enum dlq_lever_change (that of DLQ_LEVER_STAGE_FREE is empty), then those that only
   remove a cause. */
const struct dlq_change *dlq_changes(size_t *count);
/* Within a horizon: no more than a million batches, or ten times as many as before. Where no time is left: never. */
bool dlq_change_is_brief(const struct dlq_system *changed, const struct dlq_system *system, double horizon);

/* Simulates all, those that share their draws together. seconds: null, or as in struct dlq_simulate_request, by system
   * DLQ_WAVE
   + replication. */
enum dlq_status dlq_variants_simulate(struct dlq_arena *arena, const struct dlq_system *systems, size_t all,
                                      const struct dlq_simulate_options *options, struct dlq_simulate_request request,
                                      const struct dlq_run *run, struct dlq_simulation *results, double *seconds);

/* worst[i]: as dlq_worst_loss says of systems[i]; its throughput is a factor, with the cause away over as it is. The
   systems share their draws. Found by one wave of short runs, on the same draws with and without the cause. */
enum dlq_status dlq_worst_causes(const struct dlq_system *const *systems, size_t count,
                                 const struct dlq_simulate_options *options, const struct dlq_run *run,
                                 struct dlq_loss *worst, struct dlq_error *error);

/* One wave, no longer than it need be: what single changes of a system are simulated by. */
struct dlq_simulate_options dlq_levers_options(const struct dlq_model *model, const struct dlq_system *system);

/* Every change that a system made from the model admits, on the same draws as the system itself. `throughput`: what the
   system reaches. */
enum dlq_status dlq_levers_find(const struct dlq_model *model, const struct dlq_system *system,
                                struct dlq_estimate throughput, const struct dlq_run *run, struct dlq_levers *levers,
                                struct dlq_error *error);

/* Time that a simulated batch of all ranks takes, in those of one rank that lanes advance. */
double dlq_effort_of_batch(const struct dlq_system *system, const struct dlq_simulate_options *options);

/* Of one wave of such runs, the warm-up included. A horizon: 0. */
double dlq_effort_of_wave(const struct dlq_system *system, const struct dlq_simulate_options *options);

/* [simulate] warmup for a run that is shorter than [simulate] says: about as long as for the whole; -1: by rule. */
long dlq_effort_warmup(const struct dlq_simulate_options *full, const struct dlq_system *system);

/* So many batches, or somewhat more: whole rounds of the loaders, and of twice as many. Of a short run one that is cut
   shows, as a round may have a single stall, at its begin. */
long dlq_effort_whole_rounds(long batches, const struct dlq_system *system);

/* [simulate] with fewer batches, if `effort` does not pay for all of them in one wave; no fewer than a steady state
   needs. A horizon, and what [simulate] says of fewer batches, stays. */
struct dlq_simulate_options dlq_effort_limited(const struct dlq_simulate_options *options,
                                               const struct dlq_system *system, double effort);

/* As dlq_sufficient_loaders. */
enum dlq_status dlq_suffices(const struct dlq_system *system, double target, long most, const struct dlq_run *run,
                             struct dlq_sufficient *found, struct dlq_error *error);

/* The loaders of pytorch, to a system whose trainer can but load for itself. */
void dlq_suffices_give_loaders(struct dlq_system *system);

#endif
