/* Why no candidate meets the target, and what would help. */
#include "study/plan_words.h"

#include <math.h>
#include <string.h>

static void say_cores(struct dlq_words *text)
{
    const struct dlq_plan_facts *facts = text->facts;
    dlq_words_say(text, ", as %.3g cores per rank carry %s batches/s at most, however many loaders share them. ",
                  dlq_system_cores(&facts->system), RATE(facts->plan->answer.bounds.cores));
    dlq_words_say(text, "Less cpu time per batch, or more cores, helps.");
}

static void say_bandwidth(struct dlq_words *text)
{
    const struct dlq_plan_facts *facts = text->facts;
    const struct dlq_bounds *bounds = &facts->plan->answer.bounds;
    bool host = isnan(bounds->storage) || bounds->host_bandwidth <= bounds->storage;
    char bandwidth[DLQ_QUANTITY_TEXT];
    dlq_quantity_readable(host ? dlq_system_host_bandwidth(&facts->system)
                               : dlq_system_storage_bandwidth(&facts->system),
                          DLQ_UNIT_RATE, 3, bandwidth);
    dlq_words_say(
        text,
        ", as the %s's bandwidth, %s per rank, carries %s batches/s at most. Fewer bytes per batch, a cache, or more "
        "bandwidth helps.",
        host ? "host" : "storage", bandwidth, RATE(host ? bounds->host_bandwidth : bounds->storage));
}

/* Where a credit comes back late, the window loses more than its bound says. */
static void say_window(struct dlq_words *text)
{
    const struct dlq_candidate *answer = &text->facts->plan->answer;
    long in_flight = dlq_system_in_flight(&text->facts->system);
    if (answer->bounds.window < 1.02 * answer->simulation.throughput.value)
        dlq_words_say(text, ", as with %ld batches in flight no more than %s batches/s can pass.", in_flight,
                      RATE(answer->bounds.window));
    else
        dlq_words_say(text, ", as with %ld batches in flight too few are loaded ahead.", in_flight);
}

static void say_step(struct dlq_words *text)
{
    const struct dlq_plan_facts *facts = text->facts;
    const struct dlq_candidate *answer = &facts->plan->answer;
    const struct dlq_plan_figure *of = facts->search->trials->figure;
    if (of->share || isnan(answer->bounds.step))
        dlq_words_say(text, ".");
    else
        dlq_words_say(text, ", as the step allows %s at most. A faster step, or more ranks, helps.",
                      FIGURE_OF(of->of_rate(&facts->system, answer->bounds.step)));
}

static void say_receive(struct dlq_words *text)
{
    dlq_words_say(text,
                  ", as receiving batches takes the training process part of every step: %s batches/s at most. "
                  "A cheaper hand-over helps: fewer or smaller tensors per batch.",
                  RATE(text->facts->plan->answer.bounds.receive));
}

static void say_pin(struct dlq_words *text)
{
    dlq_words_say(text, ", as the pinning thread takes one batch at a time: %s batches/s at most.",
                  RATE(text->facts->plan->answer.bounds.pin));
}

static void say_barrier(struct dlq_words *text)
{
    const struct dlq_pipeline *pipeline = &text->facts->system.pipeline;
    if (pipeline->slow_ranks > 0 && pipeline->slow_factor > 1)
        dlq_words_say(text, ", as all wait for %ld of the %ld ranks, which take %.3g times as long to load.",
                      pipeline->slow_ranks, pipeline->ranks, pipeline->slow_factor);
    else
        dlq_words_say(text, ", as every step waits for the slowest of %ld ranks.", pipeline->ranks);
}

static void say_short_run(struct dlq_words *text)
{
    const struct dlq_plan *plan = text->facts->plan;
    char first[DLQ_QUANTITY_TEXT], all[DLQ_QUANTITY_TEXT];
    dlq_quantity_readable(plan->answer.simulation.time_to_first_batch.value, DLQ_UNIT_TIME, 3, first);
    dlq_quantity_readable(plan->description.horizon, DLQ_UNIT_TIME, 3, all);
    dlq_words_say(text, ", as the run is short: the first batch takes %s of %s.", first, all);
}

static void say_startup(struct dlq_words *text)
{
    const struct dlq_pipeline *pipeline = &text->facts->system.pipeline;
    if (pipeline->epoch_batches == 0) {
        say_short_run(text);
        return;
    }
    dlq_words_say(text, ", as every %ld batches an epoch starts with nothing loaded. %s.", pipeline->epoch_batches,
                  pipeline->persistent ? "Longer epochs help" : "Persistent workers, or longer epochs, help");
}

static void say_order(struct dlq_words *text)
{
    dlq_words_say(text, ", as delivered in order a slow batch holds up those that are done.");
}

static void say_variance(struct dlq_words *text)
{
    dlq_words_say(text, ", as some loads take much longer than the mean.");
}

static const struct {
    const char *binds;
    void (*say)(struct dlq_words *text);
} reasons[] = {
    {"cores", say_cores},       {"bandwidth", say_bandwidth}, {"window", say_window},
    {"step", say_step},         {"receive", say_receive},     {"pin", say_pin},
    {"barrier", say_barrier},   {"startup", say_startup},     {"order", say_order},
    {"variance", say_variance},
};

void dlq_words_reason(struct dlq_words *text)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(reasons[i].binds, text->facts->plan->binds) == 0) {
            reasons[i].say(text);
            return;
        }
    dlq_words_say(text, ", held back by %s.", dlq_words_holder(text->facts->plan->binds));
}
