/* Solving a model: bounds, closed forms, simulation, verdict, use of the host, and warnings. */
#include "study/solve/solve.h"

#include "analytic/analytic.h"
#include "study/what_if/what_if.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* -- use of the host -- */

void dlq_host_use_of(const struct dlq_system *system, const struct dlq_simulation *simulation, struct dlq_host_use *use)
{
    const double cpu_slowdown = isnan(simulation->cpu_slowdown) ? 1 : simulation->cpu_slowdown;
    const double storage_slowdown = isnan(simulation->storage_slowdown) ? 1 : simulation->storage_slowdown;
    double cpu = dlq_system_cpu_work(system);
    double storage = dlq_work_time(&system->load, DLQ_USES_STORAGE);
    *use = (struct dlq_host_use){
        .cores_used = cpu > 0 ? simulation->throughput.value * cpu * (double)dlq_system_ranks_per_host(system) : NAN,
        .cpu_slowdown = cpu == 0 ? NAN : cpu_slowdown,
        .storage_slowdown = storage == 0 ? NAN : storage_slowdown,
        .memory_bytes = dlq_system_memory(system),
        .shm_bytes = dlq_system_shm(system),
    };
    use->fits = !(use->memory_bytes > system->host.memory) && !(use->shm_bytes > system->host.shm);
}

/* -- warnings -- */

/* Warnings that are being added: at most DLQ_WARNINGS. */
struct warnings {
    char (*rows)[DLQ_WARNING_TEXT];
    size_t *count;
};

__attribute__((format(printf, 3, 4))) static void warn(const struct warnings *warnings, bool holds, const char *format,
                                                       ...)
{
    va_list arguments;
    if (!holds || *warnings->count == DLQ_WARNINGS)
        return;
    va_start(arguments, format);
    vsnprintf(warnings->rows[(*warnings->count)++], DLQ_WARNING_TEXT, format, arguments);
    va_end(arguments);
}

static void warn_of_bound(const struct warnings *warnings, const struct dlq_estimate *throughput, double bound)
{
    warn(warnings, !isnan(bound),
         "an error of dlqueue: %.4g batches/s were simulated where %.4g is a bound; do not use these figures, and "
         "please report the configuration",
         throughput->value, bound);
}

/* Warns of cores and bandwidths that are given but used by no stage, and of more ranks on a host than there are, not of
   those that an instance brings; and of a last host with fewer ranks. */
static void warn_of_host(const struct warnings *warnings, const struct dlq_system *system)
{
    const struct dlq_instance *instance = dlq_instance_at(system->host.instance);
    const double cores = system->host.cores, bandwidth = system->host.bandwidth, storage = system->storage.bandwidth;
    const bool named = instance != NULL, reads = dlq_work_bytes(&system->load) > 0;
    const long ranks = system->pipeline.ranks, on_host = dlq_system_ranks_per_host(system);
    warn(warnings, ranks > 1 && on_host > ranks && !(named && on_host == instance->gpus),
         "[host] ranks_per_host = %ld is more than the %ld ranks: the others are assumed to be equally busy", on_host,
         ranks);
    warn(warnings, ranks > on_host && ranks % on_host != 0,
         "%ld ranks, ranks_per_host = %ld: the last host has %ld, which are simulated as if it were full", ranks,
         on_host, ranks % on_host);
    warn(warnings, !isnan(cores) && !(named && cores == instance->vcpus) && dlq_system_cpu_work(system) == 0,
         "no stage uses cpu: [host] cores does not bind; where loads compute, give them uses = cpu");
    warn(warnings, system->host.contention > 0 && dlq_system_cpu_work(system) == 0,
         "no stage uses cpu: [host] contention does not act; where loads compute, give them uses = cpu");
    warn(warnings, !isnan(bandwidth) && !(named && bandwidth == instance->bandwidth) && !reads,
         "no stage uses storage: [host] bandwidth does not bind; where loads read, give them uses = storage");
    warn(warnings, !isnan(storage) && !reads,
         "no stage uses storage: [storage] bandwidth does not bind; where loads read, give them uses = storage");
}

/* Warns that the model gives each rank an even share of what ranks have in common, where that may cost throughput: a
   resource slows stages by over 2 %, is idle for over 2 % of the time, and so is the trainer. (8 ranks with 5 cores
   each, loads of cv 0.5 that need 90 % of them: slower by 8 %, and the trainer is idle for 7.5 % of the time.) */
void dlq_warn_of_shares(const struct dlq_system *system, const struct dlq_simulation *simulation,
                        char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT], size_t *count)
{
    enum { RESOURCES = 3 };
    const struct warnings to = {warnings, count};
    const double slower = 1.02, busy = 0.98, throughput = simulation->throughput.value;
    const double host = dlq_system_host_bandwidth(system), storage = dlq_system_storage_bandwidth(system);
    const double bytes = throughput * dlq_work_bytes(&system->load), work = throughput * dlq_system_cpu_work(system);
    const bool reads = simulation->storage_slowdown > slower;
    const long ranks = system->pipeline.ranks, on_host = dlq_system_ranks_per_host(system);
    const struct {
        bool slows;
        long ranks;
        const char *name;
    } resources[RESOURCES] = {
        {reads && storage <= host && bytes < busy * storage, ranks, "the storage"},
        {reads && storage > host && bytes < busy * host, on_host, "the host's bandwidth"},
        {simulation->cpu_slowdown > slower && work < busy * dlq_system_cores(system), on_host, "the host's cores"}};
    for (size_t i = 0; i < RESOURCES; i++)
        warn(&to, resources[i].slows && resources[i].ranks > 1 && !(simulation->utilization.value > busy),
             "each of %ld ranks has an even share of %s, and cannot use what others leave idle: real ranks may be "
             "faster",
             resources[i].ranks, resources[i].name);
}

void dlq_warnings_of(const struct dlq_system *system, const struct dlq_simulation *simulation,
                     const struct dlq_levers *levers, const struct dlq_simulate_options *options,
                     char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT], size_t *count)
{
    const struct warnings to = {warnings, count};
    const struct dlq_estimate *throughput = &simulation->throughput;
    const bool epochs = !isnan(simulation->epoch_seconds.value);
    const bool single = simulation->replications == 1, missed = !simulation->precision_reached;
    const long limit = dlq_system_window(system), window = limit == DLQ_UNBOUNDED ? dlq_system_servers(system) : limit;
    char batches[32] = "more than 1e15";
    if (isfinite(simulation->rare_batches))
        snprintf(batches, sizeof batches, "about %.2g", simulation->rare_batches);
    warn_of_bound(&to, throughput, simulation->outside_bound);
    for (size_t i = 0; i < levers->count; i++)
        warn_of_bound(&to, &levers->rows[i].throughput, levers->rows[i].outside_bound);
    warn(&to, simulation->rare_time > 0 && !simulation->heavy_tail,
         "rare slow loads or steps, expected %.2g times in this run, may cost up to %.2g %% of the time: the intervals "
         "are wider by that; it takes %s batches in all, replications x batches, to know",
         simulation->rare_events, 100 * simulation->rare_time / (simulation->rare_time + 1 / throughput->value),
         batches);
    /* Runs are also lengthened to whole rounds of the loaders, which is no reason to warn. */
    warn(&to,
         isnan(options->horizon) && !epochs && options->batches_given && window > options->batches &&
             simulation->batches_per_replication > options->batches,
         "batches = %ld are fewer than may be in flight at once: %ld were measured, as a part of a window says "
         "little of a rate",
         options->batches, simulation->batches_per_replication);
    warn(&to, simulation->heavy_tail, "heavy tail: the variance is infinite, so the intervals can't be trusted");
    warn(&to, simulation->still_warming_up,
         "still warming up: the halves of a run differ, a run is shorter than its fast and slow states, or the window "
         "has not settled; raise [simulate] warmup and batches");
    warn(&to, missed && single,
         "a single run has no interval, and what changes gain comes of other runs; raise [simulate] replications");
    warn(&to, missed && !single && options->precision != 0 && isfinite(throughput->value),
         "precision not reached: %.2g %% after %ld replications (asked for %.2g %%); raise [simulate] %s",
         100 * (throughput->high - throughput->low) / 2 / throughput->value, simulation->replications,
         100 * options->precision,
         /* A plan and what-ifs of costly systems lower the replications. */
         simulation->replications < options->replications ? "batches" : "replications or batches");
    warn(&to, simulation->lockstep,
         "nothing varies, so that loads begin and end together, and slow one another more than real ones do: give "
         "a cv, or [simulate] start = staggered");
    warn(&to, dlq_system_is_serial(system) && system->overheads.receive > 0,
         "loaders = 0: the trainer loads for itself and receives nothing, so [overheads] receive does not act");
    warn_of_host(&to, system);
    dlq_warn_of_shares(system, simulation, warnings, count);
    for (size_t j = 0; system->slowdowns != NULL && j < system->slowdowns->count; j++) {
        const double phases = dlq_few_phases(&system->slowdowns->rows[j], simulation);
        warn(&to, !isnan(phases),
             "only about %.0f slow phases were simulated: what they cost is known roughly; raise [simulate] batches",
             phases);
    }
}

/* Simulates the first epoch, in which nothing is cached, alone; the later epochs are the rest of the run. */
static enum dlq_status find_epochs(const struct dlq_model *model, const struct dlq_run *run,
                                   struct dlq_solution *solved, struct dlq_error *error)
{
    struct dlq_epochs_of_run *epochs = &solved->epochs;
    const struct dlq_system *system = &model->system;
    const double batches = (double)system->pipeline.epoch_batches, count = (double)system->pipeline.epochs;
    const struct dlq_simulate_request request = {.histogram_bits = 4};
    struct dlq_simulate_options options = model->simulate;
    struct dlq_system alone = *system;
    const struct dlq_system *systems[] = {&alone};
    struct dlq_simulation first;
    epochs->has_epochs = system->cache.given || system->pipeline.epochs > 0;
    if (!epochs->has_epochs)
        return DLQ_OK;
    alone.cache.given = false;
    alone.pipeline.epochs = 1;
    options.measure = DLQ_MEASURE_THROUGHPUT;
    options.horizon = NAN;
    TRY(dlq_simulate_systems(systems, 1, &options, &request, run, &first, error));
    double rate = solved->simulation.throughput.value;
    double seconds = batches / rate;
    if (count > 0)
        seconds = count > 1 ? (count * batches / rate - batches / first.throughput.value) / (count - 1) : NAN;
    epochs->first = (struct dlq_epoch_of_run){batches / first.throughput.value, first.throughput.value};
    epochs->later = (struct dlq_epoch_of_run){seconds, batches / seconds};
    const struct dlq_hits hits = dlq_system_hits(system);
    for (long e = 1; system->cache.given && e <= (count > 0 ? system->pipeline.epochs : 2) && e <= DLQ_EPOCHS; e++)
        epochs->hit_ratio[epochs->count++] = dlq_hit_ratio_of_epoch(&hits, e > 1 && count == 0 ? LONG_MAX : e);
    return DLQ_OK;
}

/* -- solving -- */

/* The bits of the histogram of waits (stats/stats.h); the most batches to which a run is lengthened, over all
   replications, which take some seconds. */
enum { SOLVE_BITS = 12, SOLVE_LONGEST = 1 << 28 };

/* Bounds and, unless `forms` is null, closed forms but for the Markov chain's. */
static enum dlq_status formulas(struct dlq_model *model, struct dlq_bounds *bounds, struct dlq_closed_forms *forms,
                                struct dlq_error *error)
{
    struct dlq_system rounded;
    double resolution = model->simulate.resolution;
    DLQ_RELEASED_BY(dlq_bounds_context_free) struct dlq_bounds_context context = {.blocks = resolution == 0};
    TRY(dlq_system_bounds(&model->system, resolution, &context, bounds, error));
    TRY(dlq_system_rounded(&model->system, resolution, &context, &rounded, error));
    if (forms != NULL)
        dlq_system_closed_forms(&rounded, bounds, forms);
    return DLQ_OK;
}

enum dlq_status dlq_bounds(struct dlq_model *model, struct dlq_bounds *bounds, struct dlq_error *error)
{
    TRY(dlq_model_check(model, error));
    return formulas(model, bounds, NULL, error);
}

enum dlq_status dlq_closed_forms(struct dlq_model *model, struct dlq_closed_forms *forms, struct dlq_error *error)
{
    struct dlq_bounds bounds;
    struct dlq_closed_forms found;
    TRY(dlq_model_check(model, error));
    TRY(formulas(model, &bounds, &found, error));
    TRY(dlq_exact_form(model, &found.markov, error));
    *forms = found;
    return DLQ_OK;
}

static enum dlq_status simulate(const struct dlq_model *model, const struct dlq_bounds *bounds,
                                const struct dlq_run *run, struct dlq_simulation *result, struct dlq_error *error)
{
    const struct dlq_simulate_request request = {
        .histogram_bits = SOLVE_BITS, .period = true, .longest = SOLVE_LONGEST};
    const struct dlq_system *system = &model->system;
    TRY(dlq_model_accept(model, system, error));
    TRY(dlq_answer_systems(model, &system, 1, &request, run, result, error));
    dlq_simulation_check(system, &model->simulate, bounds, result);
    return DLQ_OK;
}

enum dlq_status dlq_simulate(struct dlq_model *model, const struct dlq_run *run, struct dlq_simulation *result,
                             struct dlq_error *error)
{
    struct dlq_bounds bounds;
    TRY(dlq_validate_run(run, error));
    TRY(dlq_bounds(model, &bounds, error));
    return simulate(model, &bounds, run, result, error);
}

/* What delivery by completion reaches, if that is among the levers; else NAN. */
static double unordered_of(const struct dlq_levers *levers)
{
    for (size_t l = 0; l < levers->count; l++)
        if (levers->rows[l].id == DLQ_LEVER_DELIVERY_BY_COMPLETION)
            return levers->rows[l].throughput.value;
    return NAN;
}

/* Replaces losses whose cause a lever removes by the throughput of that lever, which is more exact: its gain comes from
   pairs of runs on the same draws. */
static void replace_losses(const struct dlq_levers *levers, struct dlq_verdict *verdict)
{
    size_t count;
    const struct dlq_change *changes = dlq_changes(&count);
    for (size_t l = 0; l < levers->count; l++) {
        const struct dlq_lever *lever = &levers->rows[l];
        for (size_t i = 0; isfinite(lever->throughput.value) && i < verdict->loss_count; i++)
            if (verdict->losses[i].cause == changes[lever->id].removes)
                verdict->losses[i].throughput = lever->throughput.value;
    }
}

static enum dlq_status solve(struct dlq_model *model, const struct dlq_run *run, struct dlq_solution *solved,
                             struct dlq_error *error)
{
    const struct dlq_simulation *simulation = &solved->simulation;
    TRY(dlq_validate_run(run, error));
    TRY(dlq_model_describe(model, &solved->description, error));
    dlq_progress_of(model, run);
    if (run->has_seed)
        solved->description.seed = run->seed;
    TRY(formulas(model, &solved->bounds, &solved->forms, error));
    TRY(simulate(model, &solved->bounds, run, &solved->simulation, error));
    if (model->simulate.method == DLQ_METHOD_MARKOV) /* the chain has been solved for the answer */
        solved->forms.markov = (struct dlq_closed_form){simulation->throughput.value, true};
    else
        TRY(dlq_exact_form(model, &solved->forms.markov, error));
    const struct dlq_system *system = &model->system;
    const struct dlq_simulate_options *given = &model->simulate, options = dlq_levers_options(model, system);
    struct dlq_verdict *verdict = &solved->verdict;
    TRY(find_epochs(model, run, solved, error));
    TRY(dlq_levers_find(model, system, simulation->throughput, run, &solved->levers, error));
    verdict->bound_by = dlq_bound_by(system, &solved->bounds, simulation);
    /* Where no bound names the cause, losses are compared with one another, so all come from the same kind of runs;
       elsewhere the throughput of the lever saves a simulation. */
    const double unordered = verdict->bound_by != DLQ_CAUSE_NONE ? unordered_of(&solved->levers) : NAN;
    TRY(dlq_losses(&system, simulation, &unordered, 1, &options, run, verdict->losses, &verdict->loss_count, error));
    if (verdict->bound_by == DLQ_CAUSE_NONE)
        verdict->bound_by =
            dlq_worst_loss(verdict->losses, verdict->loss_count, simulation->throughput.value, solved->bounds.step)
                .cause;
    /* enough_loaders is for a long run in continuous time, and found on the draws of this solution. */
    struct dlq_run seeded = *run;
    seeded.seed = solved->description.seed;
    seeded.has_seed = true;
    if (isnan(given->horizon) && given->resolution == 0 && isfinite(system->load.variance))
        TRY(dlq_loaders_of_verdict(system, verdict->bound_by, &seeded, &verdict->enough_loaders, error));
    verdict->headroom = solved->bounds.step / simulation->throughput.value;
    replace_losses(&solved->levers, &solved->verdict);
    TRY(dlq_critical_path_find(model, simulation->throughput.value, run, &solved->path, error));
    TRY(dlq_queue_find(model, simulation->throughput.value, run, &solved->queue, error));
    dlq_host_use_of(system, simulation, &solved->host);
    dlq_warnings_of(system, simulation, &solved->levers, given, solved->warnings, &solved->warning_count);
    const struct warnings warnings = {solved->warnings, &solved->warning_count};
    warn(&warnings, !solved->host.fits,
         "does not fit: the batches in flight need more memory or /dev/shm than the host has");
    return DLQ_OK;
}

enum dlq_status dlq_solve(struct dlq_model *model, const struct dlq_run *run, struct dlq_solution *solution,
                          struct dlq_error *error)
{
    struct dlq_solution solved = {.simulation = dlq_no_simulation};
    enum dlq_status status = solve(model, run, &solved, error);
    if (status == DLQ_INTERRUPTED) { /* keep the formulas, and what was simulated before */
        solved.interrupted = true;
        solved.verdict = (struct dlq_verdict){.headroom = NAN};
        solved.levers = (struct dlq_levers){0};
        dlq_host_use_of(&model->system, &solved.simulation, &solved.host);
    }
    if (status == DLQ_OK || status == DLQ_INTERRUPTED)
        *solution = solved;
    return status;
}
