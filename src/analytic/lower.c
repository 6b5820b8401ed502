/* The lower bound on throughput, by rounds of loads: a round takes the maximum of independent times. N loaders, K
   window, p = K/N, R ranks; means s of a load, t of a step; a dispatch, e deliver, c receive, b barrier. */
#include "analytic/analytic.h"

#include <math.h>

/* Values of a system that all its bounds use. */
struct round {
    const struct dlq_system *system;
    const struct dlq_sum *load; /* a load of mean 1, times the slowdown by sharing */
    const struct dlq_sum *step; /* sum of the steps of a round, of mean 1 each; null: constant */
    double latency;             /* a + e */
    double step_time;           /* t' = t + c + b */
    double extra;               /* pauses and rare stages, per step */
};

long dlq_system_round(const struct dlq_system *system)
{
    long loaders = dlq_system_servers(system), window = dlq_system_window(system);
    if (dlq_system_loader(system)->assign != DLQ_ASSIGN_OWNER) {
        bool twice = window == DLQ_UNBOUNDED || (window >= loaders && dlq_system_in_flight(system) >= 2 * loaders);
        return twice ? loaders : 0;
    }
    /* DLQ_ASSIGN_OWNER: the loader of a delivered batch loads the next one. So a loader is idle only while all its p
       batches are finished, and at least N + finished - (finished - delivered)/p loads have started. Hence the next m
       loads have started once a round of m is finished and the round before is delivered, if m + floor(m/p) <= N. This
       is the largest such m; constant steps need less, see double_rate. */
    long per_loader = window / loaders; /* p */
    if (window == DLQ_UNBOUNDED || per_loader > loaders)
        return loaders;
    if (dlq_work_is_constant(&system->step))
        return per_loader >= 2 ? loaders : 0;
    return ((loaders + 1) * per_loader + per_loader) / (per_loader + 1) - 1;
}

/* Terms: slow loaders in usual and in slow ranks, then usual loaders in both. Round-robin: each slow loader loads one
   batch of a round. Else chance decides which loader loads a batch, and a delay may give a batch to a slower one: the
   bound holds only with all loaders slow. */
void dlq_round_terms(const struct dlq_system *system, const struct dlq_sum *load, long count, double offset,
                     double spacing, struct dlq_term terms[DLQ_ROUND_TERMS])
{
    const struct dlq_pipeline *pipeline = &system->pipeline;
    bool in_turn = dlq_system_loader(system)->assign == DLQ_ASSIGN_ROUND_ROBIN;
    long slow = in_turn && pipeline->slow_loaders < count ? pipeline->slow_loaders : count;
    for (int k = 0; k < DLQ_ROUND_TERMS; k++) {
        bool usual = k >= 2, slow_ranks = k % 2 == 1;
        double scale = (usual ? 1 : dlq_system_slowest_loader(system)) * dlq_system_load_mean(system);
        terms[k] = (struct dlq_term){
            .time = load,
            .scale = slow_ranks ? scale * dlq_system_slowest_rank(system) : scale,
            .offset = offset + (usual ? (double)slow * spacing : 0),
            .spacing = spacing,
            .count = usual ? count - slow : slow,
            .copies = (double)(slow_ranks ? pipeline->slow_ranks : pipeline->ranks - pipeline->slow_ranks),
        };
    }
}

/* One batch at a time: 1/(a + e + E[max of R loads] + pin time + t' + extra stages of the step) (theory 10). */
static bool serial_rate(const struct round *round, double *rate)
{
    struct dlq_term terms[DLQ_ROUND_TERMS];
    dlq_round_terms(round->system, round->load, 1, 0, 0, terms);
    double load = terms[0].scale * round->load->mean;
    if (round->system->pipeline.ranks > 1 && !dlq_expected_maximum(terms, DLQ_ROUND_TERMS, 0, &load))
        return false;
    if (round->system->pipeline.ranks == 1 && round->system->pipeline.slow_ranks > 0)
        load = terms[1].scale * round->load->mean;
    *rate = 1 / (round->latency + load + round->system->overheads.pin_time + round->step_time + round->extra);
    return true;
}

/* Rounds of m batches: while the m batches of a round are trained on, the m loads of the next round run. K >= 2m:
   m / E[max(m t', M + a + e)], M the largest of m R loads. Check: N = 7, K = 14, s = 0.7 exponential, t = 0.1:
   3.846. With DLQ_ASSIGN_OWNER and a constant step, batch j of a round is due j t' after the first, and at least j more
   loads have started once j are delivered: m / E[max(m t', M + a + e + c)] with m = N, for any choice of loaders
   (theory 11).

   E[max(U, M)]: U is the time of a round of `count` steps, at least `least`. With a pause of constant time P every k
   steps, the round holds q = floor(count/k) of them, in a share f = count/k - q of rounds one more:
   (1 - f) E[max(U + q P, M)] + f E[max(U + (q + 1) P, M)]. Other rare stages of the step delay the round by at most
   their own time (theory 32). */
static bool double_rate(const struct round *round, long count, double *rate)
{
    struct dlq_term terms[DLQ_ROUND_TERMS + 1];
    const struct dlq_system *system = round->system;
    double batches = (double)count;
    bool owner = dlq_system_loader(system)->assign == DLQ_ASSIGN_OWNER;
    double latency = round->latency + (owner ? system->overheads.receive : 0);
    size_t n = DLQ_ROUND_TERMS;
    dlq_round_terms(system, round->load, count, latency, 0, terms);
    double least = batches * round->step_time, time = 0;
    if (round->step != NULL) {
        least = batches * dlq_system_trainer_overhead(system);
        terms[n++] = (struct dlq_term){
            .time = round->step, .scale = system->step.mean, .offset = least, .count = 1, .copies = 1};
    }
    const struct dlq_work extra = dlq_system_extra_work(system);
    const struct dlq_stage *only = &extra.stages[0];
    bool one_pause = extra.count == 1 && only->probability == 1 && dlq_work_is_constant(&extra);
    const long whole = one_pause ? count / only->every : 0;                                   /* q */
    const double share = one_pause ? (double)(count % only->every) / (double)only->every : 0; /* f */
    double pauses = (double)whole * extra.mean;
    for (int k = 0; k < (share == 0 ? 1 : 2); k++) {
        double found;
        if (round->step != NULL)
            terms[n - 1].offset = least + pauses;
        if (!dlq_expected_maximum(terms, n, least + pauses, &found))
            return false;
        time += (k == 0 ? 1 - share : share) * found;
        pauses += extra.mean;
    }
    *rate = batches / (one_pause ? time : time + batches * round->extra);
    return true;
}

/* The largest of the bounds for an endless epoch. With K >= N and a constant step, the load that replaces batch w of a
   round starts when batch w is delivered: N / E[max(N t', max_w(w t' + c + a + e + S_w))], S_w a load; never better
   than double_rate where the window holds two rounds, as there loads start at once. Check: N = K = 7, s = 0.7
   exponential, t = 0.1: 3.259 (theory 12). */
static bool endless_rate(const struct round *round, long count, double *rate)
{
    const struct dlq_system *system = round->system;
    double best, other = 0;
    if (!serial_rate(round, &best) || (count > 0 && !double_rate(round, count, &other)))
        return false;
    best = fmax(best, other);
    long loaders = dlq_system_servers(system);
    bool constant = round->step == NULL && dlq_work_is_constant(&system->step);
    if (constant && count < loaders && dlq_system_window(system) >= loaders) {
        struct dlq_term terms[DLQ_ROUND_TERMS];
        double offset = system->overheads.receive + round->latency, time;
        dlq_round_terms(system, round->load, loaders, offset, round->step_time, terms);
        if (!dlq_expected_maximum(terms, DLQ_ROUND_TERMS, (double)loaders * round->step_time, &time))
            return false;
        other = (double)loaders / (time + (double)loaders * round->extra);
    }
    *rate = fmax(best, other);
    return true;
}

enum dlq_status dlq_system_lower(const struct dlq_system *system, struct dlq_bounds_context *context, double *lower,
                                 struct dlq_error *error)
{
    const struct dlq_overheads *overheads = &system->overheads;
    bool serial = dlq_system_is_serial(system);
    *lower = NAN;
    /* No bound is known with a pinning thread, nor where the trainer and loads slow one another. */
    if ((overheads->pin_time > 0 && !serial) ||
        (dlq_system_trainer_cpu(system) > 0 && dlq_system_cpu_factor(system) > 1))
        return DLQ_OK;
    TRY(dlq_kept_sum_make(&context->load, &system->load, 1, dlq_system_cpu_factor(system),
                          dlq_system_storage_factor(system), error));
    const bool epochs = system->pipeline.epoch_batches > 0;
    /* Bounds by rounds assume independent times, which times in their recorded order are not. */
    const bool one_by_one =
        serial || epochs || dlq_work_is_in_order(&system->load) || dlq_work_is_in_order(&system->step);
    long count = one_by_one ? 0 : dlq_system_round(system);
    struct round round = {
        .system = system,
        .load = &context->load.time,
        .latency = serial ? 0 : overheads->dispatch + overheads->deliver,
        .step_time = system->step.mean + dlq_system_trainer_overhead(system),
        .extra = dlq_system_extra_mean(system, false),
    };
    if (count > 0 && !dlq_work_is_constant(&system->step)) {
        TRY(dlq_kept_sum_make(&context->step_round, &system->step, count, 1, 1, error));
        round.step = &context->step_round.time;
    }
    double rate, blocks = 0;
    bool found = one_by_one ? serial_rate(&round, &rate) : endless_rate(&round, count, &rate);
    /* An epoch of n batches one after the other: n/(startup + n/rate). With persistent workers only the first
       epoch has a startup, but that may be the only epoch. A serial loader has none. */
    double batches = (double)system->pipeline.epoch_batches;
    if (found && epochs && !serial)
        rate = batches / (dlq_system_startup(system) + batches / rate);
    if (!found)
        return dlq_error_add(error, DLQ_FAILURE, "the quadrature of the lower bound failed");
    if (context->blocks && !one_by_one)
        TRY(dlq_blocks_rate(system, context, &blocks, error));
    if (blocks > 0)
        rate = fmax(rate, 1 / (1 / blocks + round.extra));
    /* The rate times the mean speed of the slowest unit is a lower bound, too: it slows everything, even extra stages
       of the step. For phases at given times no bound is known. */
    for (size_t j = 0; system->slowdowns != NULL && j < system->slowdowns->count; j++) {
        const struct dlq_slowdown *slowdown = &system->slowdowns->rows[j];
        rate *= slowdown->times.count == 0 ? dlq_slowdown_slowest_unit(slowdown, system) : NAN;
    }
    *lower = rate;
    return DLQ_OK;
}
