/* The verdict in words, with how many loaders would be enough. */
#include "analytic/analytic.h"
#include "report/report.h"
#include "study/model.h"
#include "study/solve/solve.h"
#include "study/what_if/what_if.h"

#include <math.h>
#include <stdio.h>

/* What the sentences of a verdict speak of. */
struct verdict_facts {
    const struct dlq_system *system;
    const struct dlq_bounds *bounds;
    const struct dlq_simulation *simulation;
    const struct dlq_verdict *verdict;
    double throughput, headroom, busy; /* busy: utilization */
    char *text;
    size_t size;
};

/* -- how many loaders would do, and what is in their way -- */

#define RATE(value) dlq_quantity_rate((value), (char[DLQ_QUANTITY_TEXT]){0})

/* What "enough" means, of the step's own rate. */
static const double enough_share = 0.95;

/* "12 cores", "1 core", "0.5 cores" */
static const char *count_of_cores(double cores, char text[32])
{
    char number[DLQ_QUANTITY_TEXT];
    if (cores == floor(cores))
        snprintf(text, 32, "%.20s core%s", dlq_quantity_fixed(cores, 0, number), cores == 1 ? "" : "s");
    else
        snprintf(text, 32, "%.3g cores", cores);
    return text;
}

/* The limit of the host that lies lowest under what 95 % takes, as "12 cores per rank allow 8.68"; false: none does. */
static bool say_limit(const struct verdict_facts *facts, char *text, size_t size)
{
    const struct dlq_bounds *bounds = facts->bounds;
    const struct dlq_system *system = facts->system;
    double own = dlq_system_cores(system);
    char cores[DLQ_QUANTITY_TEXT + 32], host[DLQ_QUANTITY_TEXT + 32], storage[DLQ_QUANTITY_TEXT + 32],
        rate_text[DLQ_QUANTITY_TEXT];
    snprintf(cores, sizeof cores, "the host's %s per rank allow%s", count_of_cores(own, rate_text),
             own == 1 ? "s" : "");
    dlq_quantity_readable(dlq_system_host_bandwidth(system), system->host.bandwidth_unit, 3, rate_text);
    snprintf(host, sizeof host, "the host's %s per rank allow", rate_text);
    dlq_quantity_readable(dlq_system_storage_bandwidth(system), system->storage.bandwidth_unit, 3, rate_text);
    snprintf(storage, sizeof storage, "the storage's %s per rank allow", rate_text);
    const struct {
        const char *name;
        double value;
    } limits[] = {{cores, bounds->cores},
                  {host, bounds->host_bandwidth},
                  {storage, bounds->storage},
                  {"the pinning thread allows", bounds->pin},
                  {"receiving batches allows", bounds->receive}};
    double lowest = enough_share * bounds->step;
    bool any = false;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (!(limits[i].value < lowest))
            continue;
        lowest = limits[i].value;
        any = true;
        snprintf(text, size, "%s %s batches/s at most", limits[i].name, RATE(lowest));
    }
    return any;
}

/* The same with so many loaders. */
static struct dlq_system with_loaders(const struct dlq_system *system, long loaders)
{
    struct dlq_system with = *system;
    char why[160];
    dlq_suffices_give_loaders(&with);
    dlq_system_set_loaders(&with, loaders > 0 ? loaders : 1, why, sizeof why);
    return with;
}

/* "31 GB of memory and the host has 16 GB"; false: they fit. */
static bool say_no_room(const struct dlq_system *with, char *text, size_t size)
{
    char need[DLQ_QUANTITY_TEXT], have[DLQ_QUANTITY_TEXT];
    const struct {
        const char *what;
        double need, have;
    } rooms[] = {{"memory", dlq_system_memory(with), with->host.memory},
                 {"/dev/shm", dlq_system_shm(with), with->host.shm}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        if (!(rooms[i].need > rooms[i].have))
            continue;
        dlq_quantity_readable(rooms[i].need, DLQ_UNIT_SIZE, 3, need);
        dlq_quantity_readable(rooms[i].have, DLQ_UNIT_SIZE, 3, have);
        snprintf(text, size, "%s of %s and the host has %s", need, rooms[i].what, have);
        return true;
    }
    return false;
}

/* Cores bind so many loaders; now both are too few. */
static bool are_cores_both(const struct verdict_facts *facts)
{
    const struct dlq_bounds *bounds = facts->bounds;
    double other = fmin(fmin(INFINITY, bounds->host_bandwidth), fmin(bounds->storage, bounds->pin));
    return bounds->cores < enough_share * bounds->step && bounds->load <= bounds->cores * (1 + 1e-9) &&
           !(other <= bounds->cores) && !(bounds->receive <= bounds->cores);
}

/* How many loaders would do, and what would keep them from it, after a blank; "" where that is not the question. */
static void say_enough(const struct verdict_facts *facts, char *text, size_t size)
{
    long enough = facts->verdict->enough_loaders;
    const struct dlq_system with = with_loaders(facts->system, enough);
    bool shared = facts->system->pipeline.ranks > 1;
    char limit[160], loaders[DLQ_QUANTITY_TEXT + 16], number[DLQ_QUANTITY_TEXT];
    bool limited = say_limit(facts, limit, sizeof limit);
    snprintf(loaders, sizeof loaders, "%s loader%s", dlq_quantity_fixed((double)enough, 0, number),
             enough == 1 ? "" : "s");
    text[0] = '\0';
    if (limited && enough > 0)
        snprintf(text, size, " %s would reach 95 %%, but %s, however many there are.%s", loaders, limit,
                 are_cores_both(facts) ? " More cores and loaders together help." : "");
    else if (limited)
        snprintf(text, size, " More loaders help no further than that: %s.", limit);
    else if (enough <= facts->system->pipeline.loaders || dlq_system_shares(&with))
        return;
    else if (say_no_room(&with, limit, sizeof limit))
        snprintf(text, size, " %s%s would reach 95 %%, but %s need%s %s.", loaders, shared ? " of each rank" : "",
                 enough == 1 ? "it" : "they", enough == 1 ? "s" : "", limit);
    else if (shared)
        snprintf(text, size, " %s of each rank would reach 95 %%.", loaders);
    else
        snprintf(text, size, " %s reach%s 95 %%.", loaders, enough == 1 ? "es" : "");
}

/* -- the sentences -- */

#define SHARE(value) dlq_quantity_share((value), (char[DLQ_QUANTITY_TEXT]){0})
#define COUNT(value) dlq_quantity_fixed((double)(value), 0, (char[DLQ_QUANTITY_TEXT]){0})

/* ", the step could take 9.62 (1.7x)"; nothing where the step takes no time. */
static void say_headroom(const struct verdict_facts *facts, char *text, size_t size)
{
    text[0] = '\0';
    if (!isnan(facts->headroom))
        snprintf(text, size, ", the step could take %s (%.*fx)", RATE(facts->bounds->step), facts->headroom < 9.95,
                 facts->headroom);
}

/* What would arrive without that cause. */
static double without(const struct verdict_facts *facts, enum dlq_cause cause)
{
    for (size_t i = 0; i < facts->verdict->loss_count; i++)
        if (facts->verdict->losses[i].cause == cause)
            return facts->verdict->losses[i].throughput;
    return facts->throughput;
}

/* A barrier that takes longer than the wait for the slowest rank. */
static bool is_fixed_barrier(const struct verdict_facts *facts)
{
    double lost = 1 / facts->throughput - 1 / without(facts, DLQ_CAUSE_BARRIER);
    return facts->system->pipeline.ranks > 1 && facts->system->overheads.barrier > 0.5 * lost;
}

/* Within a horizon, without epochs, only the first batch is waited for from the start on. */
static bool is_first_batch(const struct verdict_facts *facts)
{
    return facts->system->pipeline.epoch_batches == 0;
}

static const char *name_of(const struct verdict_facts *facts, enum dlq_cause cause)
{
    if (cause == DLQ_CAUSE_STARTUP && is_first_batch(facts))
        return "The wait for the first batch";
    if (cause == DLQ_CAUSE_BARRIER && is_fixed_barrier(facts))
        return "The barrier of every step";
    return dlq_causes[cause].subject;
}

/* Variance costs what it does mostly because of the order of delivery, which is easier to change: then that is named.
 */
static bool is_by_order(const struct verdict_facts *facts, enum dlq_cause cause)
{
    double cost = without(facts, cause) - facts->throughput;
    return cause == DLQ_CAUSE_VARIANCE && without(facts, DLQ_CAUSE_ORDER) - facts->throughput > 0.7 * cost;
}

/* What the worst cause takes of that which is missing to the step's own rate; nothing below 2 % of what arrives. */
static void say_worst_loss(const struct verdict_facts *facts, char *text, size_t size)
{
    const struct dlq_verdict *verdict = facts->verdict;
    enum dlq_cause worst = dlq_worst_loss(verdict->losses, verdict->loss_count, facts->throughput, NAN).cause;
    worst = is_by_order(facts, worst) ? DLQ_CAUSE_ORDER : worst;
    double cost = without(facts, worst) - facts->throughput;
    double missing = facts->bounds->step - facts->throughput;
    text[0] = '\0';
    const char *name = name_of(facts, worst);
    if (name == NULL || cost < 0.02 * facts->throughput)
        return;
    if (isnan(missing))
        snprintf(text, size, " %s costs %s.", name, RATE(cost));
    else
        snprintf(text, size, " %s costs %s of the missing %s.", name, RATE(fmin(cost, missing)), RATE(missing));
}

/* Loaders or ranks that are slow explain all that follows from them. */
static bool say_slow(const struct verdict_facts *facts, char *text, size_t size)
{
    const struct dlq_pipeline *pipeline = &facts->system->pipeline;
    bool loaders = pipeline->slow_loaders > 0 && pipeline->slow_factor > 1;
    bool ranks = pipeline->ranks > 1 && pipeline->slow_ranks > 0 && pipeline->slow_factor > 1;
    if (loaders)
        snprintf(text, size, " %s of them take%s %.3g times as long%s", COUNT(pipeline->slow_loaders),
                 pipeline->slow_loaders == 1 ? "s" : "", pipeline->slow_factor,
                 dlq_system_loader(facts->system)->order == DLQ_ORDER_INDEX ? ", and in order the others wait." : ".");
    else if (ranks)
        snprintf(text, size, " %s of the %s ranks take%s %.3g times as long, and the others wait.",
                 COUNT(pipeline->slow_ranks), COUNT(pipeline->ranks), pipeline->slow_ranks == 1 ? "s" : "",
                 pipeline->slow_factor);
    return loaders || ranks;
}

static void say_load(const struct verdict_facts *facts)
{
    char room[96], lost[200] = "", more[360];
    long loaders = facts->system->pipeline.loaders;
    say_headroom(facts, room, sizeof room);
    if (!say_slow(facts, lost, sizeof lost))
        say_worst_loss(facts, lost, sizeof lost);
    say_enough(facts, more, sizeof more);
    snprintf(facts->text, facts->size, "Loading is the bottleneck: %s loader%s deliver%s %s batches/s%s.%s%s",
             COUNT(loaders), loaders == 1 ? "" : "s", loaders == 1 ? "s" : "", RATE(facts->throughput), room, lost,
             more);
}

/* Little's law the other way round: batches in flight for 95 % of the step's rate. */
static void say_window(const struct verdict_facts *facts)
{
    char room[96], needed[160] = "";
    long in_flight = dlq_system_in_flight(facts->system);
    say_headroom(facts, room, sizeof room);
    if (!isnan(facts->headroom))
        snprintf(needed, sizeof needed, ": 95 %% takes at least %s in flight",
                 COUNT(ceil((double)in_flight * enough_share * facts->bounds->step / facts->bounds->window - 1e-9)));
    snprintf(facts->text, facts->size,
             "The window is the bottleneck: with %s batch%s in flight at most, no more than %s batches/s can pass; "
             "%s arrive%s. A larger prefetch helps%s.",
             COUNT(in_flight), in_flight == 1 ? "" : "es", RATE(facts->bounds->window), RATE(facts->throughput), room,
             needed);
}

/* " 95 % takes 12.6 cores per rank"; nothing where the step takes no time. */
static void say_needed(const struct verdict_facts *facts, double have, double bound, enum dlq_unit unit,
                       const char *what, char *text, size_t size)
{
    char needed[DLQ_QUANTITY_TEXT];
    text[0] = '\0';
    if (isnan(facts->headroom))
        return;
    double least = have * enough_share * facts->bounds->step / bound;
    if (least <= have)
        return; /* it would do, if nothing varied */
    dlq_quantity_readable(least, unit, 3, needed);
    snprintf(text, size, " 95 %% takes at least %s%s per rank.", needed, what);
}

static void say_cores(const struct verdict_facts *facts)
{
    char room[96], needed[160], own[32];
    double cores = dlq_system_cores(facts->system);
    bool loaders = facts->bounds->load < enough_share * facts->bounds->step;
    say_headroom(facts, room, sizeof room);
    if (facts->bounds->bottleneck != DLQ_CAUSE_CORES) {
        snprintf(facts->text, facts->size,
                 "Loads and the training process compete for %s per rank: %s batches/s arrive%s. More cores help, or "
                 "less cpu time per batch.",
                 count_of_cores(cores, own), RATE(facts->throughput), room);
        return;
    }
    say_needed(facts, cores, facts->bounds->cores, DLQ_UNIT_NUMBER, loaders ? " cores and more loaders" : " cores",
               needed, sizeof needed);
    snprintf(facts->text, facts->size,
             "The cores are the bottleneck: %s per rank allow%s %s batches/s at most, however many loaders "
             "share them; %s arrive%s.%s Less cpu time per batch helps as much.",
             count_of_cores(cores, own), cores == 1 ? "s" : "", RATE(facts->bounds->cores), RATE(facts->throughput),
             room, needed);
}

static void say_bandwidth(const struct verdict_facts *facts)
{
    char room[96], bandwidth[DLQ_QUANTITY_TEXT], needed[160];
    bool host = facts->verdict->bound_by == DLQ_CAUSE_HOST_BANDWIDTH;
    double have = host ? dlq_system_host_bandwidth(facts->system) : dlq_system_storage_bandwidth(facts->system);
    double bound = host ? facts->bounds->host_bandwidth : facts->bounds->storage;
    enum dlq_unit unit = host ? facts->system->host.bandwidth_unit : facts->system->storage.bandwidth_unit;
    say_headroom(facts, room, sizeof room);
    say_needed(facts, have, bound, unit, "", needed, sizeof needed);
    dlq_quantity_readable(have, unit, 3, bandwidth);
    snprintf(facts->text, facts->size,
             "%s bandwidth is the bottleneck: %s per rank carry %s batches/s at most; %s arrive%s.%s More loaders gain "
             "nothing; fewer bytes per batch, a cache, or fewer ranks that share it do.",
             host ? "The host's" : "The storage's", bandwidth, RATE(bound), RATE(facts->throughput), room, needed);
}

static void say_pin(const struct verdict_facts *facts)
{
    char room[96];
    say_headroom(facts, room, sizeof room);
    snprintf(facts->text, facts->size,
             "The pinning thread is the bottleneck: one batch at a time, %s batches/s at most; %s arrive%s. Smaller "
             "batches, or none pinned, help; loaders do not.",
             RATE(facts->bounds->pin), RATE(facts->throughput), room);
}

static void say_serial(const struct verdict_facts *facts)
{
    char room[96], more[360];
    say_headroom(facts, room, sizeof room);
    say_enough(facts, more, sizeof more);
    snprintf(facts->text, facts->size,
             "Nothing overlaps: the trainer loads for itself and takes %s batches/s%s. Use loaders.%s",
             RATE(facts->throughput), room, more);
}

static void say_step(const struct verdict_facts *facts)
{
    if (isnan(facts->busy)) {
        snprintf(facts->text, facts->size, "The training process takes all that is loaded: %s batches/s.",
                 RATE(facts->throughput));
        return;
    }
    char gain[DLQ_QUANTITY_TEXT + 16] = "nothing";
    if (facts->headroom > 1.0005)
        snprintf(gain, sizeof gain, "at most %s", SHARE(facts->headroom - 1));
    snprintf(facts->text, facts->size,
             "The training step is the bottleneck: it is busy %s of the time with %s batches/s; faster loading "
             "gains %s.",
             SHARE(facts->busy), RATE(facts->throughput), gain);
}

/* "9.32 of 10.0 batches/s arrive (93.2 % busy)" */
static void say_arrive(const struct verdict_facts *facts, char *text, size_t size)
{
    if (isnan(facts->busy))
        snprintf(text, size, "no more than %s batches/s arrive", RATE(facts->throughput));
    else
        snprintf(text, size, "%s of %s batches/s arrive (%s busy)", RATE(facts->throughput), RATE(facts->bounds->step),
                 SHARE(facts->busy));
}

static void say_loss(const struct verdict_facts *facts, const char *cure, bool loaders_matter)
{
    char more[360] = "", arrive[120];
    const char *what = name_of(facts, facts->verdict->bound_by);
    double better = without(facts, facts->verdict->bound_by);
    if (loaders_matter)
        say_enough(facts, more, sizeof more);
    say_arrive(facts, arrive, sizeof arrive);
    snprintf(facts->text, facts->size,
             "%s is the bottleneck: the loaders are fast enough on average, yet %s. Without it: %s. %s%s", what, arrive,
             RATE(better), cure, more);
}

static void say_order(const struct verdict_facts *facts)
{
    say_loss(facts, "A slow batch holds the others up: try delivery as completed, a larger prefetch, or more loaders.",
             true);
}

static void say_barrier(const struct verdict_facts *facts)
{
    const struct dlq_pipeline *pipeline = &facts->system->pipeline;
    char cure[200];
    char time[DLQ_QUANTITY_TEXT];
    dlq_quantity_readable(facts->system->overheads.barrier, DLQ_UNIT_TIME, 3, time);
    if (is_fixed_barrier(facts))
        snprintf(cure, sizeof cure, "The barrier alone takes %s of every step.", time);
    else if (pipeline->slow_ranks > 0 && pipeline->slow_factor > 1)
        snprintf(cure, sizeof cure, "%s of the %s ranks take%s %.3g times as long to load: find out why.",
                 COUNT(pipeline->slow_ranks), COUNT(pipeline->ranks), pipeline->slow_ranks == 1 ? "s" : "",
                 pipeline->slow_factor);
    else
        snprintf(cure, sizeof cure,
                 "Every step waits for the slowest of %s: try a larger prefetch, more loaders, or a load whose "
                 "slowest batches are less slow.",
                 COUNT(pipeline->ranks));
    say_loss(facts, cure, !is_fixed_barrier(facts));
}

static void say_variance(const struct verdict_facts *facts)
{
    char cure[200] = "Try a larger prefetch, more loaders, or a load whose slowest batches are less slow.";
    if (is_by_order(facts, DLQ_CAUSE_VARIANCE))
        snprintf(cure, sizeof cure,
                 "Delivered as completed, the same loads give %s. Or try a larger prefetch, more loaders, or a load "
                 "whose slowest batches are less slow.",
                 RATE(without(facts, DLQ_CAUSE_ORDER)));
    say_loss(facts, cure, true);
}

static void say_startup(const struct verdict_facts *facts)
{
    bool persistent = facts->system->pipeline.persistent;
    const struct dlq_simulation *simulation = facts->simulation;
    char cure[2 * DLQ_QUANTITY_TEXT + 96], first[DLQ_QUANTITY_TEXT], all[DLQ_QUANTITY_TEXT];
    if (is_first_batch(facts)) {
        dlq_quantity_readable(simulation->time_to_first_batch.value, DLQ_UNIT_TIME, 3, first);
        dlq_quantity_readable(simulation->batches.value / simulation->throughput.value, DLQ_UNIT_TIME, 3, all);
        snprintf(cure, sizeof cure, "It takes %s of %s: the longer the run ([simulate] horizon), the less it costs.",
                 first, all);
        say_loss(facts, cure, false);
        return;
    }
    say_loss(facts, persistent ? "Longer epochs help." : "Try persistent workers, or longer epochs.", false);
}

static void say_receive(const struct verdict_facts *facts)
{
    say_loss(facts, "No loader count helps, only a cheaper hand-over: fewer or smaller tensors per batch.", false);
}

static void say_pause(const struct verdict_facts *facts)
{
    snprintf(facts->text, facts->size,
             "The trainer pauses %s of the time: it steps %s of it, with %s batches/s. Without pauses: %s. Make them "
             "rarer or shorter, or do their work beside the training.",
             SHARE(facts->simulation->pause_share.value), SHARE(facts->busy), RATE(facts->throughput),
             RATE(without(facts, DLQ_CAUSE_PAUSE)));
}

static void say_slowdown(const struct verdict_facts *facts)
{
    say_loss(facts, "Batches in flight bridge a slow phase as long as their steps take: try a larger prefetch.", false);
}

/* No single cause makes up a good part of what is missing. */
static void say_several(const struct verdict_facts *facts)
{
    const struct dlq_verdict *verdict = facts->verdict;
    char more[360], arrive[120], most[120] = "";
    const struct dlq_loss *worst = NULL;
    for (size_t i = 0; i < verdict->loss_count; i++)
        if (verdict->losses[i].throughput > (worst == NULL ? 1.001 * facts->throughput : worst->throughput))
            worst = &verdict->losses[i];
    if (worst != NULL)
        snprintf(most, sizeof most, " %s costs most: without it %s.", name_of(facts, worst->cause),
                 RATE(worst->throughput));
    say_enough(facts, more, sizeof more);
    say_arrive(facts, arrive, sizeof arrive);
    snprintf(facts->text, facts->size,
             "No single cause explains it: the loaders are fast enough on average, yet %s.%s%s Try a larger prefetch, "
             "or more loaders.%s",
             arrive, most, dlq_work_is_constant(&facts->system->step) ? "" : " Steps vary, too.", more);
}

/* Whatever the bottleneck of the long run. */
static void say_nothing_yet(const struct verdict_facts *facts)
{
    char first[DLQ_QUANTITY_TEXT];
    dlq_quantity_readable(facts->simulation->time_to_first_batch.value, DLQ_UNIT_TIME, 3, first);
    snprintf(facts->text, facts->size,
             "No step ends within the horizon: the first batch alone takes %s. Raise [simulate] horizon.", first);
}

/* Nor a rate where all batches that count were there before the first of them was taken. */
static void say_too_short(const struct verdict_facts *facts)
{
    snprintf(facts->text, facts->size,
             "The runs are too short for a rate: in some of them no time passes between the first and the last of %s "
             "batch%s. Raise [simulate] batches.",
             COUNT(facts->simulation->batches_per_replication),
             facts->simulation->batches_per_replication == 1 ? "" : "es");
}

static void (*const sentences[DLQ_CAUSES])(const struct verdict_facts *facts) = {
    [DLQ_CAUSE_LOAD] = say_load,         [DLQ_CAUSE_WINDOW] = say_window,
    [DLQ_CAUSE_CORES] = say_cores,       [DLQ_CAUSE_HOST_BANDWIDTH] = say_bandwidth,
    [DLQ_CAUSE_STORAGE] = say_bandwidth, [DLQ_CAUSE_PIN] = say_pin,
    [DLQ_CAUSE_SERIAL] = say_serial,     [DLQ_CAUSE_STEP] = say_step,
    [DLQ_CAUSE_ORDER] = say_order,       [DLQ_CAUSE_VARIANCE] = say_variance,
    [DLQ_CAUSE_STARTUP] = say_startup,   [DLQ_CAUSE_RECEIVE] = say_receive,
    [DLQ_CAUSE_BARRIER] = say_barrier,   [DLQ_CAUSE_SEVERAL] = say_several,
    [DLQ_CAUSE_PAUSE] = say_pause,       [DLQ_CAUSE_SLOWDOWN] = say_slowdown,
};

const char *dlq_verdict_text(const struct dlq_model *model, const struct dlq_solution *solution,
                             char text[DLQ_VERDICT_TEXT])
{
    const struct verdict_facts facts = {
        .system = &model->system,
        .bounds = &solution->bounds,
        .simulation = &solution->simulation,
        .verdict = &solution->verdict,
        .throughput = solution->simulation.throughput.value,
        .headroom = solution->verdict.headroom,
        .busy = solution->simulation.utilization.value,
        .text = text,
        .size = DLQ_VERDICT_TEXT,
    };
    text[0] = '\0';
    if (solution->interrupted)
        return text;
    if (facts.throughput == 0)
        say_nothing_yet(&facts);
    else if (!isfinite(facts.throughput))
        say_too_short(&facts);
    else if (sentences[solution->verdict.bound_by] != NULL)
        sentences[solution->verdict.bound_by](&facts);
    return text;
}
