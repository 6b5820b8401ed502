/* The verdict in words. */
#include "study/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the sentences speak of. */
struct facts {
    const struct dlq_system *system;
    const struct dlq_bounds *bounds;
    const struct dlq_simulation *simulation;
    const struct dlq_verdict *verdict;
    double throughput, headroom, busy; /* busy: utilization in per cent */
    char *text;
    size_t size;
};

/* Three digits, and no exponent: 0.0123, 5.78, 238, 875526. */
static const char *rate(double value, char text[32])
{
    int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    if (value > 0 && value < 1)
        decimals -= (int)floor(log10(value));
    if (decimals > 9)
        decimals = 9;
    snprintf(text, 32, "%.*f", decimals, value);
    return text;
}

#define RATE(value) rate((value), (char[32]){0})

static const char *plural(long count)
{
    return count == 1 ? "" : "s";
}

/* " where the step could take 9.62 (1.7x)"; nothing where the step takes no time. */
static void say_headroom(const struct facts *facts, char *text, size_t size)
{
    text[0] = '\0';
    if (!isnan(facts->headroom))
        snprintf(text, size, " where the step could take %s (%.2gx)", RATE(facts->bounds->step), facts->headroom);
}

/* What would arrive without that cause. */
static double without(const struct facts *facts, const char *cause)
{
    for (size_t i = 0; i < facts->verdict->loss_count; i++)
        if (strcmp(facts->verdict->losses[i].cause, cause) == 0)
            return facts->verdict->losses[i].throughput;
    return facts->throughput;
}

/* How far more loaders help: to the next bound, or to the step's own rate. */
static void say_more_loaders(const struct facts *facts, char *text, size_t size)
{
    const struct dlq_bounds *bounds = facts->bounds;
    const struct {
        const char *name;
        double value;
    } others[] = {{"the cores allow", bounds->cores},
                  {"the host's bandwidth allows", bounds->host_bandwidth},
                  {"the storage allows", bounds->storage},
                  {"the pinning thread allows", bounds->pin},
                  {"receiving batches allows", bounds->receive}};
    double ceiling = isnan(bounds->step) ? INFINITY : 0.99 * bounds->step;
    double needed = facts->system->load.mean / facts->system->step.mean;
    const char *name = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].value < ceiling) {
            ceiling = others[i].value;
            name = others[i].name;
        }
    text[0] = '\0';
    if (name != NULL)
        snprintf(text, size, " More loaders help up to %s batches/s at best: %s no more.", RATE(ceiling), name);
    else if (isfinite(needed) && needed > (double)facts->system->pipeline.loaders)
        snprintf(text, size, " Load / step = %.3g loaders would do if none ever waited.", needed);
}

/* What the loaders lose below their own rate, and to what. */
static void say_shortfall(const struct facts *facts, char *text, size_t size)
{
    const struct dlq_verdict *verdict = facts->verdict;
    const struct dlq_pipeline *pipeline = &facts->system->pipeline;
    double shortfall = 1 - facts->throughput / facts->bounds->load;
    const char *worst = dlq_worst_loss(verdict->losses, verdict->loss_count, facts->throughput);
    text[0] = '\0';
    if (pipeline->slow_loaders > 0 && pipeline->slow_factor > 1)
        snprintf(text, size, " %ld of them take %.3g times as long%s", pipeline->slow_loaders, pipeline->slow_factor,
                 dlq_system_loader(facts->system)->order == DLQ_ORDER_INDEX ? ", and in order the others wait for them."
                                                                            : ".");
    else if (pipeline->ranks > 1 && pipeline->slow_ranks > 0 && pipeline->slow_factor > 1)
        snprintf(text, size, " %ld of the %ld ranks take%s %.3g times as long, and the others wait.",
                 pipeline->slow_ranks, pipeline->ranks, pipeline->slow_ranks == 1 ? "s" : "", pipeline->slow_factor);
    else if (shortfall > 0.02 && without(facts, worst) > 1.01 * facts->throughput)
        snprintf(text, size, " Of the %s that they could load, %.0f %% are lost, most of it to %s.",
                 RATE(facts->bounds->load), 100 * shortfall, worst);
}

static void say_load(const struct facts *facts)
{
    char room[96];
    char more[128] = "";
    char lost[160];
    long loaders = facts->system->pipeline.loaders;
    say_headroom(facts, room, sizeof room);
    say_shortfall(facts, lost, sizeof lost);
    if (facts->system->pipeline.slow_loaders == 0)
        say_more_loaders(facts, more, sizeof more);
    snprintf(facts->text, facts->size, "Loading is the bottleneck: %ld loader%s deliver%s %s batches/s%s.%s%s", loaders,
             plural(loaders), loaders == 1 ? "s" : "", RATE(facts->throughput), room, more, lost);
}

static void say_window(const struct facts *facts)
{
    char room[96];
    say_headroom(facts, room, sizeof room);
    snprintf(facts->text, facts->size,
             "The window is the bottleneck: with %ld batches in flight at most, no more than %s batches/s can pass; "
             "it delivers %s%s. A larger prefetch helps.",
             dlq_system_in_flight(facts->system), RATE(facts->bounds->window), RATE(facts->throughput), room);
}

static void say_cores(const struct facts *facts)
{
    char room[96];
    say_headroom(facts, room, sizeof room);
    snprintf(facts->text, facts->size,
             "The cores are the bottleneck: %.3g cores per rank allow %s batches/s at most, however many loaders "
             "share them; %s arrive%s. Less cpu time per batch, or more cores, helps.",
             dlq_system_cores(facts->system), RATE(facts->bounds->cores), RATE(facts->throughput), room);
}

static void say_bandwidth(const struct facts *facts)
{
    char room[96];
    char bandwidth[DLQ_QUANTITY_TEXT];
    bool host = strcmp(facts->verdict->bound_by, "host_bandwidth") == 0;
    say_headroom(facts, room, sizeof room);
    dlq_quantity_readable(host ? dlq_system_host_bandwidth(facts->system) : dlq_system_storage_bandwidth(facts->system),
                          DLQ_UNIT_RATE, 3, bandwidth);
    snprintf(facts->text, facts->size,
             "%s bandwidth is the bottleneck: %s per rank carry %s batches/s at most; %s arrive%s.",
             host ? "The host's" : "The storage's", bandwidth,
             RATE(host ? facts->bounds->host_bandwidth : facts->bounds->storage), RATE(facts->throughput), room);
}

static void say_pin(const struct facts *facts)
{
    snprintf(facts->text, facts->size,
             "The pinning thread is the bottleneck: one batch at a time, %s batches/s at most; %s arrive.",
             RATE(facts->bounds->pin), RATE(facts->throughput));
}

static void say_serial(const struct facts *facts)
{
    char room[96];
    say_headroom(facts, room, sizeof room);
    snprintf(facts->text, facts->size,
             "Nothing overlaps: the trainer loads for itself and takes %s batches/s%s. Use loaders.",
             RATE(facts->throughput), room);
}

static void say_step(const struct facts *facts)
{
    if (isnan(facts->busy)) {
        snprintf(facts->text, facts->size, "The training process takes all that is loaded: %s batches/s.",
                 RATE(facts->throughput));
        return;
    }
    char gain[48] = "nothing";
    if (facts->headroom > 1.0005)
        snprintf(gain, sizeof gain, "at most %.2g %%", 100 * (facts->headroom - 1));
    snprintf(facts->text, facts->size,
             "The training step is the bottleneck: it is busy %.3g %% of the time with %s batches/s; faster loading "
             "gains %s.",
             facts->busy, RATE(facts->throughput), gain);
}

static void say_loss(const struct facts *facts, const char *what, const char *cure)
{
    double better = without(facts, facts->verdict->bound_by);
    snprintf(facts->text, facts->size,
             "%s is the bottleneck: the loaders are fast enough on average, yet %s of %s batches/s arrive (%.3g %% "
             "busy). Without it: %s. %s",
             what, RATE(facts->throughput), RATE(facts->bounds->step), facts->busy, RATE(better), cure);
}

static void say_order(const struct facts *facts)
{
    say_loss(facts, "Delivery in order",
             "A slow batch holds the others up: try delivery as completed, a larger prefetch, or more loaders.");
}

static void say_barrier(const struct facts *facts)
{
    const struct dlq_pipeline *pipeline = &facts->system->pipeline;
    double barrier = facts->system->overheads.barrier;
    char cure[200];
    char time[DLQ_QUANTITY_TEXT];
    dlq_quantity_readable(barrier, DLQ_UNIT_TIME, 3, time);
    if (barrier > 0.01 * facts->system->step.mean)
        snprintf(cure, sizeof cure, "The barrier alone takes %s of every step.", time);
    else if (pipeline->slow_ranks > 0 && pipeline->slow_factor > 1)
        snprintf(cure, sizeof cure, "%ld of the %ld ranks take%s %.3g times as long to load: find out why.",
                 pipeline->slow_ranks, pipeline->ranks, pipeline->slow_ranks == 1 ? "s" : "", pipeline->slow_factor);
    else
        snprintf(cure, sizeof cure,
                 "Every step waits for the slowest of %ld: try a larger prefetch, more loaders, or a load whose "
                 "slowest batches are less slow.",
                 pipeline->ranks);
    say_loss(facts, "Waiting for the other ranks", cure);
}

static void say_variance(const struct facts *facts)
{
    say_loss(facts, "The variance of the load",
             "Try a larger prefetch, more loaders, or a load whose slowest batches are less slow.");
}

static void say_startup(const struct facts *facts)
{
    say_loss(facts, "The start of each epoch", "Try persistent workers, or longer epochs.");
}

static void say_receive(const struct facts *facts)
{
    say_loss(facts, "Receiving batches in the training process",
             "No loader count helps, only a cheaper hand-over: fewer or smaller tensors per batch.");
}

static const struct {
    const char *bound_by;
    void (*say)(const struct facts *facts);
} sentences[] = {
    {"load", say_load},         {"window", say_window},     {"cores", say_cores},     {"host_bandwidth", say_bandwidth},
    {"storage", say_bandwidth}, {"pin", say_pin},           {"serial", say_serial},   {"step", say_step},
    {"order", say_order},       {"variance", say_variance}, {"startup", say_startup}, {"receive", say_receive},
    {"barrier", say_barrier},
};

void dlq_verdict_say(const struct dlq_system *system, const struct dlq_bounds *bounds,
                     const struct dlq_simulation *simulation, struct dlq_verdict *verdict)
{
    verdict->headroom = bounds->step / simulation->throughput.value;
    struct facts facts = {
        .system = system,
        .bounds = bounds,
        .simulation = simulation,
        .verdict = verdict,
        .throughput = simulation->throughput.value,
        .headroom = verdict->headroom,
        .busy = 100 * simulation->utilization.value,
        .text = verdict->text,
        .size = sizeof verdict->text,
    };
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (strcmp(sentences[i].bound_by, verdict->bound_by) == 0)
            sentences[i].say(&facts);
}
