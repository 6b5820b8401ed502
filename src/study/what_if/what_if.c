/* The gains of single changes. */
#include "study/what_if/what_if.h"

#include "analytic/analytic.h"
#include "sim/measure.h"
#include "stats/stats.h"
#include "study/solve/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Effort of the runs of one system; see dlq_effort_of_batch. */
static const double effort_each = 1.6e6;

/* LOST: see dlq_gain_of. */
enum { MOST = 1 + DLQ_LEVERS, LOST = 2 * DLQ_CONTROLS };

/* A system that takes long to simulate is simulated in two stages, without controls: COSTLY_RUNS runs after a rough
   warm-up, but COSTLY_ALONE of a change that lanes cannot simulate; then runs after the whole warm-up that are
   second_length times as long, as exact as twice as many runs that are a quarter longer, for fewer warm-ups. Those of
   the first stage are COSTLY_LENGTH times as long as the runs of a wave: runs of 640 batches have intervals .3 to .4
   times as wide as runs of 160 (256 ranks that share cores and storage), but each run has its warm-up. PILOT_RUNS:
   pilot runs of a change, as many as for candidates of a plan. */
enum { COSTLY_RUNS = 8, COSTLY_ALONE = 4, COSTLY_LENGTH = 2, PILOT_RUNS = 4 };
static const double second_length = 2.5;

bool dlq_change_keep(const struct dlq_system *systems, double horizon, enum dlq_lever_change id, const char *name,
                     const char *suffix, struct dlq_levers *levers)
{
    const struct dlq_system *system = &systems[levers->count + 1];
    char why[256];
    levers->rows[levers->count].id = id;
    snprintf(levers->rows[levers->count].change, DLQ_LEVER_TEXT, "%s%s", name, suffix);
    const bool kept = dlq_simulate_accepts(system, why, sizeof why) && dlq_change_is_brief(system, systems, horizon);
    levers->count += kept;
    return kept;
}

/* Applies all changes that are levers; if the load has several stages, removes one stage at a time. */
static enum dlq_status apply_changes(struct dlq_system *systems, double horizon, struct dlq_data *data,
                                     struct dlq_levers *levers, struct dlq_error *error)
{
    const struct dlq_work *load = &systems[0].load;
    size_t count;
    const struct dlq_change *changes = dlq_changes(&count);
    for (size_t k = 0; k < count && levers->count < DLQ_LEVERS; k++) {
        struct dlq_changed changed = {.system = &systems[levers->count + 1], .data = data, .error = error};
        *changed.system = systems[0];
        if (changes[k].name != NULL && changes[k].apply(&changed))
            dlq_change_keep(systems, horizon, (enum dlq_lever_change)k, changes[k].name, "", levers);
        TRY(changed.status);
    }
    for (size_t i = 0; load->count > 1 && i < load->count && levers->count < DLQ_LEVERS; i++) {
        struct dlq_system *system = &systems[levers->count + 1];
        *system = systems[0];
        dlq_work_free_stage(&system->load, i);
        if (system->load.mean > 0 && load->stages[i].dist.mean > 0)
            dlq_change_keep(systems, horizon, DLQ_LEVER_STAGE_FREE, load->stages[i].name, " free", levers);
    }
    return DLQ_OK;
}

struct dlq_simulate_options dlq_levers_options(const struct dlq_model *model, const struct dlq_system *system)
{
    struct dlq_simulate_options options = dlq_effort_limited(&model->simulate, system, effort_each);
    if (options.batches < model->simulate.batches)
        options.batches = dlq_effort_whole_rounds(options.batches, system);
    options.precision = 0;
    options.replications = DLQ_WAVE;
    if (options.batches < model->simulate.batches && dlq_effort_is_costly(system, &model->simulate)) {
        options.replications = COSTLY_RUNS;
        options.batches *= system->pipeline.epoch_batches > 0 ? 1 : COSTLY_LENGTH;
        if (model->simulate.warmup < 0)
            options.warmup = dlq_effort_rough_warmup(&options, system);
    }
    /* With one rank control variates explain most of the waits, which makes measuring these worth the time. */
    options.measure = system->pipeline.ranks == 1 ? DLQ_MEASURE_ALL : DLQ_MEASURE_THROUGHPUT;
    return options;
}

/* In descending order of gain; NAN comes last. */
static int by_gain(const void *left, const void *right)
{
    double a = fmax(((const struct dlq_lever *)left)->gain.value, -INFINITY);
    double b = fmax(((const struct dlq_lever *)right)->gain.value, -INFINITY);
    return (a < b) - (a > b);
}

/* The gain of a change. Its interval is widened by `startup`, and by what either run may have missed of rare events. */
static struct dlq_estimate gain_of(const double *before, const double *after, size_t runs, bool plain, double horizon,
                                   double startup, const struct dlq_simulation *old, const struct dlq_simulation *new)
{
    double old_rates[DLQ_WAVE], new_rates[DLQ_WAVE];
    /* Within a horizon batches are counted, and a replication may have none: compare the means of the counts. */
    for (size_t r = 0; r < runs; r++) {
        old_rates[r] = 1 / before[r];
        new_rates[r] = 1 / after[r];
    }
    struct dlq_estimate gain = isnan(horizon) ? dlq_gain_of(before, after, runs, plain ? 0 : LOST)
                                              : dlq_gain_of(new_rates, old_rates, runs, 0);
    gain.low -= startup;
    gain.high += startup;
    gain.high += (1 + gain.high) * old->rare_time * old->throughput.value;
    gain.low -= (1 + gain.low) * (1 - 1 / (1 + new->rare_time *new->throughput.value));
    return gain;
}

/* Limits throughput and gain to the upper bound of the changed system, above which chance may put them: the value by
   the throughput before, the high end of the interval by the low end before. */
static void clip(struct dlq_lever *lever, struct dlq_estimate before, double upper)
{
    const double most = fmax(upper, before.value), widest = fmax(upper, before.low);
    struct dlq_estimate *gain = &lever->gain, *throughput = &lever->throughput;
    gain->value = fmin(gain->value, most / before.value - 1);
    gain->low = fmin(gain->low, gain->value);
    gain->high = fmax(gain->value, fmin(gain->high, widest / before.low - 1));
    throughput->value = fmin(throughput->value, most);
    throughput->low = fmin(throughput->low, throughput->value);
    throughput->high = fmin(throughput->high, most);
}

static bool is_proven(struct dlq_estimate gain)
{
    return (gain.low > 0 || gain.high < 0) && fabs(gain.value) > 1e-9;
}

/* The precision of the gain of the best change, as a share of the throughput. */
static const double best_precision = 5e-3;

bool dlq_gain_is_open(struct dlq_estimate gain, double most, double best)
{
    const double half = dlq_estimate_half_width(&gain), room = best_precision * (1 + best);
    const bool may_be_best = gain.value < most && fmin(gain.value + half, most) > best + room;
    return may_be_best && half > best_precision * (1 + gain.value);
}

/* Sets the gain of a change whose throughput pilot runs and its bound enclose. */
static void fill_in(struct dlq_lever *lever, struct dlq_estimate before, double upper, const struct dlq_simulation *new)
{
    const struct dlq_estimate after = new->throughput;
    const double value = fmin(after.value, upper);
    lever->throughput = (struct dlq_estimate){value, fmin(after.low, upper), upper};
    lever->gain.value = value / before.value - 1;
    lever->gain.low = lever->throughput.low / before.high - 1;
    lever->gain.high = upper / before.low - 1;
    lever->outside_bound = NAN;
    lever->proven = is_proven(lever->gain);
}

/* systems[0]: unchanged; then with each change: up to `open` those that are still to be simulated, up to `piloted`
   those that pilot runs have decided, then those that bounds have decided. */
struct decisions {
    struct dlq_system *systems;
    struct dlq_simulation *results;
    size_t open, piloted;
    bool plain;  /* runs of systems that take long to simulate have no controls */
    bool rough;  /* and, in the first stage, a rough warm-up */
    bool losses; /* changes that cannot gain stay open */
};

/* Marks change i as decided: swaps it with the last open one. */
static void close_change(struct decisions *decisions, struct dlq_levers *levers, size_t i)
{
    const size_t last = decisions->open--;
    const struct dlq_system system = decisions->systems[i];
    const struct dlq_simulation result = decisions->results[i];
    const struct dlq_lever lever = levers->rows[i - 1];
    decisions->systems[i] = decisions->systems[last];
    decisions->results[i] = decisions->results[last];
    levers->rows[i - 1] = levers->rows[last - 1];
    decisions->systems[last] = system;
    decisions->results[last] = result;
    levers->rows[last - 1] = lever;
}

/* Closes the changes that a bound decides, and fills in their rows; then closes those that pilot runs decide. */
static enum dlq_status decide(const struct dlq_model *model, const struct dlq_simulate_options *options,
                              struct dlq_estimate throughput, const struct dlq_run *run, struct decisions *decisions,
                              struct dlq_levers *levers, struct dlq_arena *arena)
{
    bool decided[MOST] = {false};
    struct dlq_simulate_options pilot = *options;
    pilot.precision = model->simulate.precision;
    pilot.replications = PILOT_RUNS;
    decisions->open = levers->count;
    for (size_t i = levers->count; i > 0; i--) {
        struct dlq_lever *lever = &levers->rows[i - 1];
        struct dlq_bounds bounds;
        if (decisions->losses ||
            !dlq_change_is_decided(&decisions->systems[i], &decisions->systems[0], options, throughput))
            continue;
        dlq_system_upper(&decisions->systems[i], &bounds);
        lever->throughput = throughput;
        lever->gain = (struct dlq_estimate){0, 0, fmax(0, bounds.upper / throughput.low - 1)};
        lever->outside_bound = NAN;
        close_change(decisions, levers, i);
    }
    decisions->piloted = decisions->open;
    TRY(dlq_pilot_variants(arena, decisions->systems + 1, decisions->open, &pilot, run, decisions->results + 1,
                           decided + 1));
    for (size_t i = decisions->open; i > 0; i--)
        if (decided[i])
            close_change(decisions, levers, i);
    return DLQ_OK;
}

/* The start of a run biases a shortened one, by a tenth of a per cent or less (measured with shared cores, 8 ranks of
   16 loaders); after a rough warm-up by up to twice as much (256 ranks of 7 and 8 loaders that share bandwidth). If
   loads and steps balance (s = N t), a change that gains nothing may then seem to lose up to 1.1 % (the same system
   with 7 loaders and half the step). */
static const double startup_bias = 1e-3, startup_loss = 8e-3;

/* The gain of change i by pairs of runs, and what follows from it. seconds: of each run of the systems. */
static void compare(const struct decisions *decisions, size_t i, const struct dlq_simulate_options *options,
                    bool shortened, struct dlq_estimate before, const double *seconds, struct dlq_lever *lever)
{
    const struct dlq_simulation *new = &decisions->results[i];
    const size_t runs = (size_t)dlq_least(options->replications, new->replications > 1 ? new->replications : LONG_MAX);
    const double startup = !shortened ? 0 : decisions->rough ? 2 * startup_bias : startup_bias;
    struct dlq_bounds bounds; /* upper ones: the lower bound takes longer than the simulation */
    lever->gain = gain_of(seconds, seconds + i * DLQ_WAVE, runs, decisions->plain, options->horizon, startup,
                          &decisions->results[0], new);
    lever->gain.high += decisions->rough && lever->gain.value < 0 ? startup_loss : 0;
    if (before.value == 0) /* a throughput of 0 has no gain */
        lever->gain = (struct dlq_estimate){NAN, NAN, NAN};
    dlq_system_upper(&decisions->systems[i], &bounds);
    lever->outside_bound = dlq_outside_bound(&decisions->systems[i], options, &bounds, new);
    /* The throughput before, times 1 + gain; relative errors of a product add in quadrature. The throughput of the
       change's own, shorter runs could lie below the one before although the pairs of runs prove a gain. */
    const struct dlq_estimate gain = lever->gain;
    const double value = before.value * (1 + gain.value);
    double below = hypot(1 - before.low / before.value, (gain.value - gain.low) / (1 + gain.value));
    double above = hypot(before.high / before.value - 1, (gain.high - gain.value) / (1 + gain.value));
    lever->throughput = new->throughput;
    if (value > 0 && isfinite(value))
        lever->throughput = (struct dlq_estimate){value, fmax(0, value * (1 - below)), value * (1 + above)};
    if (isnan(options->horizon) && before.low > 0 && value > 0) /* within a horizon there may be a few more */
        clip(lever, before, bounds.upper);
    lever->proven = is_proven(lever->gain);
}

/* Closes the changes that the first stage has decided, given the gain of the best change. */
static void close_decided(struct decisions *decisions, struct dlq_levers *levers, struct dlq_estimate before)
{
    double best = -INFINITY;
    for (size_t i = 0; i < decisions->piloted; i++)
        best = fmax(best, levers->rows[i].gain.value);
    for (size_t i = decisions->open; i > 0; i--) {
        struct dlq_bounds bounds;
        dlq_system_upper(&decisions->systems[i], &bounds);
        if (!dlq_gain_is_open(levers->rows[i - 1].gain, bounds.upper / before.value - 1, best))
            close_change(decisions, levers, i);
    }
}

/* Simulates the system and its open changes, and finds their gains and those of changes that pilot runs decided.
   simulated: how many changes were open before the first stage. */
static enum dlq_status run_stage(const struct dlq_simulate_options *options, bool shortened,
                                 struct dlq_estimate throughput, const struct dlq_run *run, size_t simulated,
                                 struct decisions *decisions, struct dlq_levers *levers, struct dlq_arena *arena)
{
    const size_t open = decisions->open, runs = (size_t)options->replications;
    const bool fewer = decisions->rough && dlq_effort_in_lanes(&decisions->systems[0], options);
    const struct dlq_simulate_request request = {
        .whole_rounds = true, .plain = decisions->plain, .most_alone = fewer ? COSTLY_ALONE : 0};
    /* A throughput that is known exactly needs no pairs. */
    const size_t first = decisions->plain && throughput.low == throughput.high;
    struct dlq_simulation *results = decisions->results;
    double *seconds;
    NEW(arena, seconds, MOST * DLQ_WAVE);
    results[0].throughput = throughput;
    for (size_t r = 0; r < runs; r++)
        seconds[r] = 1 / throughput.value;
    TRY(dlq_variants_simulate(arena, decisions->systems + first, open > 0 ? open + 1 - first : 0, options, request, run,
                              results + first, seconds + first * DLQ_WAVE));
    for (size_t i = 1; i <= open; i++)
        compare(decisions, i, options, shortened, throughput, seconds, &levers->rows[i - 1]);
    const struct dlq_estimate simulated_again = results[0].throughput;
    const bool narrower = open > 0 && dlq_estimate_half_width(&simulated_again) < dlq_estimate_half_width(&throughput);
    for (size_t i = simulated + 1; i <= decisions->piloted; i++) {
        struct dlq_bounds bounds;
        dlq_system_upper(&decisions->systems[i], &bounds);
        fill_in(&levers->rows[i - 1], narrower ? simulated_again : throughput, bounds.upper, &results[i]);
    }
    return DLQ_OK;
}

enum dlq_status dlq_gains_find(const struct dlq_model *model, struct dlq_system *systems,
                               struct dlq_estimate throughput, bool losses, const struct dlq_run *run,
                               struct dlq_levers *levers, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "comparing changes"};
    struct dlq_simulate_options options = dlq_levers_options(model, &systems[0]);
    const bool plain = options.replications == COSTLY_RUNS;
    struct decisions decisions = {.systems = systems, .plain = plain, .rough = plain, .losses = losses};
    NEW(&arena, decisions.results, MOST);
    TRY(decide(model, &options, throughput, run, &decisions, levers, &arena));
    const size_t simulated = decisions.open;
    const bool shortened = options.batches < model->simulate.batches && systems[0].pipeline.epoch_batches == 0;
    TRY(run_stage(&options, shortened, throughput, run, simulated, &decisions, levers, &arena));
    if (decisions.plain) {
        close_decided(&decisions, levers, throughput);
        decisions.rough = false;
        options.batches = (long)(second_length * (double)options.batches);
        options.warmup = dlq_effort_limited(&model->simulate, &systems[0], effort_each).warmup;
        if (decisions.open > 0)
            TRY(run_stage(&options, shortened, throughput, run, simulated, &decisions, levers, &arena));
    }
    return DLQ_OK;
}

enum dlq_status dlq_levers_find(const struct dlq_model *model, const struct dlq_system *system,
                                struct dlq_estimate throughput, const struct dlq_run *run, struct dlq_levers *levers,
                                struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "comparing changes"};
    DLQ_RELEASED_BY(dlq_data_free) struct dlq_data data = {0};
    struct dlq_system *systems;
    struct dlq_levers found = {.count = 0};
    *levers = found;
    NEW(&arena, systems, MOST);
    systems[0] = *system;
    TRY(apply_changes(systems, model->simulate.horizon, &data, &found, error));
    TRY(dlq_gains_find(model, systems, throughput, false, run, &found, error));
    qsort(found.rows, found.count, sizeof *found.rows, by_gain);
    *levers = found;
    return DLQ_OK;
}
