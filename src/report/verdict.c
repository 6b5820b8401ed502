/* The verdict in words, with how many loaders would be enough. */
#include "analytic/analytic.h"
#include "report/phrase.h"
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
    struct dlq_phrase *phrase;
};

#define SAY(...) dlq_phrase_add(facts->phrase, __VA_ARGS__)
#define CORES(cores) count_of_cores((cores), (char[32]){0})

/* "12 cores", "1 core", "0.5 cores" */
static const char *count_of_cores(double cores, char text[32])
{
    if (cores == floor(cores))
        snprintf(text, 32, "%.20s core%s", SAY_COUNT(cores), PLURAL(cores));
    else
        snprintf(text, 32, "%.3g cores", cores);
    return text;
}

/* -- how many loaders would do, and what is in their way -- */

/* What "enough" means, of the step's own rate. */
static const double enough_share = 0.95;

/* The limit of the host that lies lowest under what 95 % takes, as "12 cores per rank allow 8.68"; false: none does. */
static bool say_limit(const struct verdict_facts *facts, char *text, size_t size)
{
    const struct dlq_bounds *bounds = facts->bounds;
    const struct dlq_system *system = facts->system;
    const double limits[] = {bounds->cores, bounds->host_bandwidth, bounds->storage, bounds->pin, bounds->receive};
    struct dlq_phrase limit = {.text = text, .size = size};
    double own = dlq_system_cores(system), lowest = enough_share * bounds->step;
    size_t which = 5;
    for (size_t i = 0; i < 5; i++)
        if (limits[i] < lowest)
            lowest = limits[which = i];
    if (which == 0)
        dlq_phrase_add(&limit, "the host's %s per rank allow%s", CORES(own), own == 1 ? "s" : "");
    else if (which == 1)
        dlq_phrase_add(&limit, "the host's %s per rank allow",
                       SAY_QUANTITY(dlq_system_host_bandwidth(system), system->host.bandwidth_unit));
    else if (which == 2)
        dlq_phrase_add(&limit, "the storage's %s per rank allow",
                       SAY_QUANTITY(dlq_system_storage_bandwidth(system), system->storage.bandwidth_unit));
    else if (which < 5)
        dlq_phrase_add(&limit, "%s allows", which == 3 ? "the pinning thread" : "receiving batches");
    if (which < 5)
        dlq_phrase_add(&limit, " %s batches/s at most", SAY_RATE(lowest));
    return which < 5;
}

/* "31 GB of memory and the host has 16 GB"; false: they fit. */
static bool say_no_room(const struct dlq_system *with, char *text, size_t size)
{
    const struct {
        const char *what;
        double need, have;
    } rooms[] = {{"memory", dlq_system_memory(with), with->host.memory},
                 {"/dev/shm", dlq_system_shm(with), with->host.shm}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if (rooms[i].need > rooms[i].have) {
            snprintf(text, size, "%s of %s and the host has %s", SAY_QUANTITY(rooms[i].need, DLQ_UNIT_SIZE),
                     rooms[i].what, SAY_QUANTITY(rooms[i].have, DLQ_UNIT_SIZE));
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

/* How many loaders would do, and what would keep them from it, after a blank; nothing where that is not the question.
 */
static void say_enough(const struct verdict_facts *facts)
{
    long enough = facts->verdict->enough_loaders;
    struct dlq_system with = *facts->system; /* the same with so many loaders */
    char limit[160], why[160];
    dlq_suffices_give_loaders(&with);
    dlq_system_set_loaders(&with, enough > 0 ? enough : 1, why, sizeof why);
    bool limited = say_limit(facts, limit, sizeof limit);
    const char *each = facts->system->pipeline.ranks > 1 ? " of each rank" : "";
    if (limited && enough <= 0) {
        SAY(" More loaders help no further than that: %s.", limit);
        return;
    }
    if (!limited && (enough <= facts->system->pipeline.loaders || dlq_system_shares(&with)))
        return;
    SAY(" %s loader%s", SAY_COUNT(enough), PLURAL(enough));
    if (limited)
        SAY(" would reach 95 %%, but %s, however many there are.%s", limit,
            are_cores_both(facts) ? " More cores and loaders together help." : "");
    else if (say_no_room(&with, limit, sizeof limit))
        SAY("%s would reach 95 %%, but %s need%s %s.", each, enough == 1 ? "it" : "they", enough == 1 ? "s" : "",
            limit);
    else if (each[0] != '\0')
        SAY("%s would reach 95 %%.", each);
    else
        SAY(" reach%s 95 %%.", enough == 1 ? "es" : "");
}

/* -- the sentences -- */

/* "9.32 arrive, the step could take 9.62 (1.7x)"; the second part not where the step takes no time. */
static void say_headroom(const struct verdict_facts *facts, const char *end)
{
    if (!isnan(facts->headroom))
        SAY(", the step could take %s (%.*fx)", SAY_RATE(facts->bounds->step), facts->headroom < 9.95, facts->headroom);
    SAY("%s", end);
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
static void say_worst_loss(const struct verdict_facts *facts)
{
    const struct dlq_verdict *verdict = facts->verdict;
    enum dlq_cause worst = dlq_worst_loss(verdict->losses, verdict->loss_count, facts->throughput, NAN).cause;
    worst = is_by_order(facts, worst) ? DLQ_CAUSE_ORDER : worst;
    double cost = without(facts, worst) - facts->throughput;
    double missing = facts->bounds->step - facts->throughput;
    const char *name = name_of(facts, worst);
    if (name == NULL || cost < 0.02 * facts->throughput)
        return;
    if (isnan(missing))
        SAY(" %s costs %s.", name, SAY_RATE(cost));
    else
        SAY(" %s costs %s of the missing %s.", name, SAY_RATE(fmin(cost, missing)), SAY_RATE(missing));
}

static void say_load(const struct verdict_facts *facts)
{
    const struct dlq_pipeline *pipeline = &facts->system->pipeline;
    SAY("Loading is the bottleneck: %s loader%s deliver%s %s batches/s", SAY_COUNT(pipeline->loaders),
        PLURAL(pipeline->loaders), pipeline->loaders == 1 ? "s" : "", SAY_RATE(facts->throughput));
    say_headroom(facts, ".");
    /* Loaders or ranks that are slow explain all that follows from them. */
    if (pipeline->slow_loaders > 0 && pipeline->slow_factor > 1)
        SAY(" %s of them take%s %.3g times as long%s", SAY_COUNT(pipeline->slow_loaders),
            pipeline->slow_loaders == 1 ? "s" : "", pipeline->slow_factor,
            dlq_system_loader(facts->system)->order == DLQ_ORDER_INDEX ? ", and in order the others wait." : ".");
    else if (pipeline->ranks > 1 && pipeline->slow_ranks > 0 && pipeline->slow_factor > 1)
        SAY(" %s of the %s ranks take%s %.3g times as long, and the others wait.", SAY_COUNT(pipeline->slow_ranks),
            SAY_COUNT(pipeline->ranks), pipeline->slow_ranks == 1 ? "s" : "", pipeline->slow_factor);
    else
        say_worst_loss(facts);
}

/* Little's law the other way round: batches in flight for 95 % of the step's rate. */
static void say_window(const struct verdict_facts *facts)
{
    long in_flight = dlq_system_in_flight(facts->system);
    SAY("The window is the bottleneck: with %s batch%s in flight at most, no more than %s batches/s can pass; %s "
        "arrive",
        SAY_COUNT(in_flight), in_flight == 1 ? "" : "es", SAY_RATE(facts->bounds->window), SAY_RATE(facts->throughput));
    say_headroom(facts, ". A larger prefetch helps");
    if (!isnan(facts->headroom))
        SAY(": 95 %% takes at least %s in flight",
            SAY_COUNT(ceil((double)in_flight * enough_share * facts->bounds->step / facts->bounds->window - 1e-9)));
    SAY(".");
}

/* " 95 % takes 12.6 cores per rank."; nothing where the step takes no time, or what there is would do, if nothing
   varied. */
static void say_needed(const struct verdict_facts *facts, double have, double bound, enum dlq_unit unit,
                       const char *what)
{
    double least = have * enough_share * facts->bounds->step / bound;
    if (!isnan(facts->headroom) && !(least <= have))
        SAY(" 95 %% takes at least %s%s per rank.", SAY_QUANTITY(least, unit), what);
}

static void say_cores(const struct verdict_facts *facts)
{
    double cores = dlq_system_cores(facts->system);
    bool loaders = facts->bounds->load < enough_share * facts->bounds->step;
    if (facts->bounds->bottleneck != DLQ_CAUSE_CORES) {
        SAY("Loads and the training process compete for %s per rank: %s batches/s arrive", CORES(cores),
            SAY_RATE(facts->throughput));
        say_headroom(facts, ". More cores help, or less cpu time per batch.");
        return;
    }
    SAY("The cores are the bottleneck: %s per rank allow%s %s batches/s at most, however many loaders share them; %s "
        "arrive",
        CORES(cores), cores == 1 ? "s" : "", SAY_RATE(facts->bounds->cores), SAY_RATE(facts->throughput));
    say_headroom(facts, ".");
    say_needed(facts, cores, facts->bounds->cores, DLQ_UNIT_NUMBER, loaders ? " cores and more loaders" : " cores");
    SAY(" Less cpu time per batch helps as much.");
}

static void say_bandwidth(const struct verdict_facts *facts)
{
    bool host = facts->verdict->bound_by == DLQ_CAUSE_HOST_BANDWIDTH;
    double have = host ? dlq_system_host_bandwidth(facts->system) : dlq_system_storage_bandwidth(facts->system);
    double bound = host ? facts->bounds->host_bandwidth : facts->bounds->storage;
    enum dlq_unit unit = host ? facts->system->host.bandwidth_unit : facts->system->storage.bandwidth_unit;
    SAY("%s bandwidth is the bottleneck: %s per rank carry %s batches/s at most; %s arrive",
        host ? "The host's" : "The storage's", SAY_QUANTITY(have, unit), SAY_RATE(bound), SAY_RATE(facts->throughput));
    say_headroom(facts, ".");
    say_needed(facts, have, bound, unit, "");
    SAY(" More loaders gain nothing; fewer bytes per batch, a cache, or fewer ranks that share it do.");
}

static void say_pin(const struct verdict_facts *facts)
{
    SAY("The pinning thread is the bottleneck: one batch at a time, %s batches/s at most; %s arrive",
        SAY_RATE(facts->bounds->pin), SAY_RATE(facts->throughput));
    say_headroom(facts, "");
}

static void say_serial(const struct verdict_facts *facts)
{
    SAY("Nothing overlaps: the trainer loads for itself and takes %s batches/s", SAY_RATE(facts->throughput));
    say_headroom(facts, "");
}

static void say_step(const struct verdict_facts *facts)
{
    if (isnan(facts->busy)) {
        SAY("The training process takes all that is loaded: %s batches/s.", SAY_RATE(facts->throughput));
        return;
    }
    SAY("The training step is the bottleneck: it is busy %s of the time with %s batches/s; faster loading gains ",
        SAY_SHARE(facts->busy), SAY_RATE(facts->throughput));
    if (facts->headroom > 1.0005)
        SAY("at most %s.", SAY_SHARE(facts->headroom - 1));
    else
        SAY("nothing.");
}

/* "9.32 of 10.0 batches/s arrive (93.2 % busy)." */
static void say_arrive(const struct verdict_facts *facts)
{
    if (isnan(facts->busy))
        SAY("no more than %s batches/s arrive.", SAY_RATE(facts->throughput));
    else
        SAY("%s of %s batches/s arrive (%s busy).", SAY_RATE(facts->throughput), SAY_RATE(facts->bounds->step),
            SAY_SHARE(facts->busy));
}

static void say_loss(const struct verdict_facts *facts)
{
    enum dlq_cause cause = facts->verdict->bound_by;
    SAY("%s is the bottleneck: the loaders are fast enough on average, yet ", name_of(facts, cause));
    say_arrive(facts);
    SAY(" Without it: %s. ", SAY_RATE(without(facts, cause)));
}

static void say_barrier(const struct verdict_facts *facts)
{
    const struct dlq_pipeline *pipeline = &facts->system->pipeline;
    say_loss(facts);
    if (is_fixed_barrier(facts)) {
        SAY("The barrier alone takes %s of every step.", SAY_QUANTITY(facts->system->overheads.barrier, DLQ_UNIT_TIME));
        return;
    }
    if (pipeline->slow_ranks > 0 && pipeline->slow_factor > 1)
        SAY("%s of the %s ranks take%s %.3g times as long to load: find out why.", SAY_COUNT(pipeline->slow_ranks),
            SAY_COUNT(pipeline->ranks), pipeline->slow_ranks == 1 ? "s" : "", pipeline->slow_factor);
    else
        SAY("Every step waits for the slowest of %s: try a larger prefetch, more loaders, or a load whose slowest "
            "batches are less slow.",
            SAY_COUNT(pipeline->ranks));
    say_enough(facts);
}

static void say_variance(const struct verdict_facts *facts)
{
    bool order = is_by_order(facts, DLQ_CAUSE_VARIANCE);
    say_loss(facts);
    if (order)
        SAY("Delivered as completed, the same loads give %s. ", SAY_RATE(without(facts, DLQ_CAUSE_ORDER)));
    SAY(order ? "Or try" : "Try");
}

static void say_startup(const struct verdict_facts *facts)
{
    const struct dlq_simulation *simulation = facts->simulation;
    say_loss(facts);
    if (is_first_batch(facts))
        SAY("It takes %s of %s: the longer the run ([simulate] horizon), the less it costs.",
            SAY_QUANTITY(simulation->time_to_first_batch.value, DLQ_UNIT_TIME),
            SAY_QUANTITY(simulation->batches.value / simulation->throughput.value, DLQ_UNIT_TIME));
    else
        SAY(facts->system->pipeline.persistent ? "Longer epochs help." : "Try persistent workers, or longer epochs.");
}

static void say_pause(const struct verdict_facts *facts)
{
    SAY("The trainer pauses %s of the time: it steps %s of it, with %s batches/s. Without pauses: %s. Make them rarer "
        "or shorter, or do their work beside the training.",
        SAY_SHARE(facts->simulation->pause_share.value), SAY_SHARE(facts->busy), SAY_RATE(facts->throughput),
        SAY_RATE(without(facts, DLQ_CAUSE_PAUSE)));
}

/* No single cause makes up a good part of what is missing. */
static void say_several(const struct verdict_facts *facts)
{
    const struct dlq_verdict *verdict = facts->verdict;
    const struct dlq_loss *worst = NULL;
    for (size_t i = 0; i < verdict->loss_count; i++)
        if (verdict->losses[i].throughput > (worst == NULL ? 1.001 * facts->throughput : worst->throughput))
            worst = &verdict->losses[i];
    SAY("No single cause explains it: the loaders are fast enough on average, yet ");
    say_arrive(facts);
    if (worst != NULL)
        SAY(" %s costs most: without it %s.", name_of(facts, worst->cause), SAY_RATE(worst->throughput));
    if (!dlq_work_is_constant(&facts->system->step))
        SAY(" Steps vary, too.");
}

/* A row for each cause: what is said, a cure behind it, and whether it matters how many loaders would be enough. */
static const struct {
    void (*say)(const struct verdict_facts *facts);
    const char *cure;
    bool enough;
} sentences[DLQ_CAUSES] = {
    [DLQ_CAUSE_LOAD] = {say_load, "", true},
    [DLQ_CAUSE_WINDOW] = {say_window, "", false},
    [DLQ_CAUSE_CORES] = {say_cores, "", false},
    [DLQ_CAUSE_HOST_BANDWIDTH] = {say_bandwidth, "", false},
    [DLQ_CAUSE_STORAGE] = {say_bandwidth, "", false},
    [DLQ_CAUSE_PIN] = {say_pin, ". Smaller batches, or none pinned, help; loaders do not.", false},
    [DLQ_CAUSE_SERIAL] = {say_serial, ". Use loaders.", true},
    [DLQ_CAUSE_STEP] = {say_step, "", false},
    [DLQ_CAUSE_ORDER] = {say_loss,
                         "A slow batch holds the others up: try delivery as completed, a larger prefetch, or more "
                         "loaders.",
                         true},
    [DLQ_CAUSE_VARIANCE] = {say_variance,
                            " a larger prefetch, more loaders, or a load whose slowest batches are less slow.", true},
    [DLQ_CAUSE_STARTUP] = {say_startup, "", false},
    [DLQ_CAUSE_RECEIVE] = {say_loss,
                           "No loader count helps, only a cheaper hand-over: fewer or smaller tensors per batch.",
                           false},
    [DLQ_CAUSE_BARRIER] = {say_barrier, "", false},
    [DLQ_CAUSE_SEVERAL] = {say_several, " Try a larger prefetch, or more loaders.", true},
    [DLQ_CAUSE_PAUSE] = {say_pause, "", false},
    [DLQ_CAUSE_SLOWDOWN] = {say_loss,
                            "Batches in flight bridge a slow phase as long as their steps take: try a larger "
                            "prefetch.",
                            false},
};

const char *dlq_verdict_text(const struct dlq_model *model, const struct dlq_solution *solution,
                             char text[DLQ_VERDICT_TEXT])
{
    struct dlq_phrase phrase = {.text = text, .size = DLQ_VERDICT_TEXT};
    const struct verdict_facts made = {
        .system = &model->system,
        .bounds = &solution->bounds,
        .simulation = &solution->simulation,
        .verdict = &solution->verdict,
        .throughput = solution->simulation.throughput.value,
        .headroom = solution->verdict.headroom,
        .busy = solution->simulation.utilization.value,
        .phrase = &phrase,
    };
    const struct verdict_facts *facts = &made;
    enum dlq_cause cause = solution->verdict.bound_by;
    text[0] = '\0';
    if (solution->interrupted)
        return text;
    /* Whatever the bottleneck of the long run. */
    if (facts->throughput == 0)
        SAY("No step ends within the horizon: the first batch alone takes %s. Raise [simulate] horizon.",
            SAY_QUANTITY(facts->simulation->time_to_first_batch.value, DLQ_UNIT_TIME));
    /* Nor a rate where all batches that count were there before the first of them was taken. */
    else if (!isfinite(facts->throughput))
        SAY("The runs are too short for a rate: in some of them no time passes between the first and the last of %s "
            "batch%s. Raise [simulate] batches.",
            SAY_COUNT(facts->simulation->batches_per_replication),
            facts->simulation->batches_per_replication == 1 ? "" : "es");
    else if (sentences[cause].say != NULL) {
        sentences[cause].say(facts);
        SAY("%s", sentences[cause].cure);
        if (sentences[cause].enough)
            say_enough(facts);
    }
    return text;
}
