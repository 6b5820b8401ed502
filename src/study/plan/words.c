/* The words of which the finding of a plan is made, and why more do not help. */
#include "study/plan/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* -- words -- */

void dlq_words_say(struct dlq_words *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->text + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->used = text->used + (size_t)length < text->size ? text->used + (size_t)length : text->size - 1;
}

/* -- figures -- */

#define FIXED(value, decimals) dlq_quantity_fixed((value), (decimals), (char[DLQ_QUANTITY_TEXT]){0})

/* As many, from `least` on, as do not put the value on the other side of the level. */
static int decimals_for(double value, double level, int least)
{
    int decimals = least;
    while (decimals < 6) {
        double unit = pow(10, -decimals);
        if (dlq_reaches(round(value / unit) * unit, level) == dlq_reaches(value, level))
            break;
        decimals++;
    }
    return decimals;
}

/* Three digits; as many more as it takes not to say 100 %, or the target, of what is less. */
static void percent(double share, double target, char text[DLQ_WORDS_FIGURE])
{
    bool whole = share > 1 - 1e-7;
    int least = dlq_quantity_share_decimals(share);
    int decimals = whole ? 0 : decimals_for(100 * share, 100, decimals_for(100 * share, 100 * target, least));
    snprintf(text, DLQ_WORDS_FIGURE, "%.*f %%", decimals, 100 * share);
}

static int plain_decimals(double value)
{
    return value >= 100 ? 0 : value >= 10 ? 1 : 2;
}

const char *dlq_words_figure(const struct dlq_words *text, double value, char buffer[DLQ_WORDS_FIGURE])
{
    double target = text->facts->plan->target;
    if (text->facts->search->trials->figure->share)
        percent(value, target, buffer);
    else
        snprintf(buffer, DLQ_WORDS_FIGURE, "%.36s samples/s",
                 FIXED(value, decimals_for(value, target, plain_decimals(value))));
    return buffer;
}

const char *dlq_words_target(const struct dlq_words *text, char buffer[DLQ_WORDS_FIGURE])
{
    double value = text->facts->plan->target;
    bool share = text->facts->search->trials->figure->share;
    if (share)
        snprintf(buffer, DLQ_WORDS_FIGURE, "%.6g %%", 100 * value);
    else if (value == floor(value))
        snprintf(buffer, DLQ_WORDS_FIGURE, "%.36s samples/s", FIXED(value, 0));
    else
        snprintf(buffer, DLQ_WORDS_FIGURE, "%.9g samples/s", value);
    return buffer;
}

#define BYTES(value) bytes((value), (char[DLQ_QUANTITY_TEXT]){0})

static const char *bytes(double value, char buffer[DLQ_QUANTITY_TEXT])
{
    dlq_quantity_readable(value, DLQ_UNIT_SIZE, 3, buffer);
    return buffer;
}

const char *dlq_words_rate(double value, char buffer[DLQ_WORDS_FIGURE])
{
    snprintf(buffer, DLQ_WORDS_FIGURE, "%.47s", dlq_quantity_rate(value, (char[DLQ_QUANTITY_TEXT]){0}));
    return buffer;
}

const char *dlq_words_count(long count, char buffer[DLQ_WORDS_FIGURE])
{
    snprintf(buffer, DLQ_WORDS_FIGURE, "%.47s", FIXED((double)count, 0));
    return buffer;
}

const char *dlq_words_choice(const struct dlq_words *text, long value, char buffer[DLQ_WORDS_FIGURE])
{
    const char *axis = text->facts->plan->solve;
    if (strcmp(axis, "prefetch") == 0)
        snprintf(buffer, DLQ_WORDS_FIGURE, "a prefetch of %.20s", COUNT(value));
    else
        snprintf(buffer, DLQ_WORDS_FIGURE, "%.20s %.*s", COUNT(value), (int)strlen(axis) - (value == 1), axis);
    return buffer;
}

static const char *capital(const char *words, char buffer[DLQ_WORDS_FIGURE])
{
    snprintf(buffer, DLQ_WORDS_FIGURE, "%s", words);
    if (buffer[0] >= 'a' && buffer[0] <= 'z')
        buffer[0] = (char)(buffer[0] - 'a' + 'A');
    return buffer;
}

bool dlq_words_singular(const struct dlq_words *text, long value)
{
    return value == 1 || strcmp(text->facts->plan->solve, "prefetch") == 0;
}

void dlq_words_reach(struct dlq_words *text, long value, double reached)
{
    const char *of = text->facts->plan->of;
    const char *s = dlq_words_singular(text, value) ? "s" : "";
    char words[DLQ_WORDS_FIGURE];
    capital(CHOICE(value), words);
    if (strcmp(of, "utilization") == 0)
        dlq_words_say(text, "%s keep%s the trainer %s busy", words, s, FIGURE_OF(reached));
    else if (strcmp(of, "au") == 0)
        dlq_words_say(text, "%s reach%s an AU of %s", words, s[0] == 's' ? "es" : "", FIGURE_OF(reached));
    else
        dlq_words_say(text, "%s deliver%s %s", words, s, FIGURE_OF(reached));
}

/* -- what holds back -- */

bool dlq_words_fixed_barrier(const struct dlq_words *text)
{
    const struct dlq_system *system = &text->facts->system;
    const struct dlq_overheads *overheads = &system->overheads;
    double lost = 1 / text->facts->plan->answer.simulation.throughput.value - system->step.mean - overheads->receive;
    return system->pipeline.ranks > 1 && overheads->barrier > 0.5 * lost;
}

const char *dlq_words_holder(const struct dlq_words *text)
{
    enum dlq_cause binds = text->facts->plan->binds;
    bool fixed = binds == DLQ_CAUSE_BARRIER && dlq_words_fixed_barrier(text);
    return fixed ? "the barrier of every step" : dlq_causes[binds].holder;
}

void dlq_words_lack(struct dlq_words *text, const struct dlq_host_use *use)
{
    const struct dlq_host *host = &text->facts->system.host;
    bool memory = use->memory_bytes > host->memory, shm = use->shm_bytes > host->shm;
    if (memory && shm)
        dlq_words_say(text, "%s of memory and %s of /dev/shm, and the host has %s and %s", BYTES(use->memory_bytes),
                      BYTES(use->shm_bytes), BYTES(host->memory), BYTES(host->shm));
    else if (memory)
        dlq_words_say(text, "%s of memory and the host has %s", BYTES(use->memory_bytes), BYTES(host->memory));
    else
        dlq_words_say(text, "%s of /dev/shm and the host has %s", BYTES(use->shm_bytes), BYTES(host->shm));
}

bool dlq_words_straddles(const struct dlq_words *text, const struct dlq_candidate *candidate)
{
    double level = text->facts->plan->target;
    return !candidate->meets && dlq_reaches(candidate->figure.high, level);
}

/* -- reasons -- */

/* A gain that is worth a sentence, as in the table of the report; NAN: none is proven. */
static const double least_gain = 0.005;

static double proven_gain(const struct dlq_words *text, const char *change)
{
    const struct dlq_levers *levers = &text->facts->plan->levers;
    for (size_t i = 0; i < levers->count; i++)
        if (levers->rows[i].proven && strcmp(levers->rows[i].change, change) == 0)
            return levers->rows[i].gain.value;
    return NAN;
}

/* Loaders that are no more than the cores leave other cores idle. */
static void say_cores(struct dlq_words *text)
{
    const struct dlq_plan_facts *facts = text->facts;
    double cores = dlq_system_cores(&facts->system);
    char number[DLQ_QUANTITY_TEXT];
    bool both = !(proven_gain(text, "twice the cores") >= least_gain) &&
                proven_gain(text, "twice the cores and loaders") >= least_gain;
    dlq_quantity_readable(cores, DLQ_UNIT_NUMBER, 3, number);
    dlq_words_say(text, ", as %s core%s per rank carr%s %s batches/s at most, however many loaders share %s. ", number,
                  cores == 1 ? "" : "s", cores == 1 ? "ies" : "y", RATE(facts->plan->answer.bounds.cores),
                  cores == 1 ? "it" : "them");
    dlq_words_say(text, "Less cpu time per batch, or more cores%s, help%s.", both ? " and loaders together" : "",
                  both ? "" : "s");
}

static void say_bandwidth(struct dlq_words *text)
{
    const struct dlq_plan_facts *facts = text->facts;
    const struct dlq_bounds *bounds = &facts->plan->answer.bounds;
    bool host = isnan(bounds->storage) || bounds->host_bandwidth <= bounds->storage;
    char bandwidth[DLQ_QUANTITY_TEXT];
    dlq_quantity_readable(
        host ? dlq_system_host_bandwidth(&facts->system) : dlq_system_storage_bandwidth(&facts->system),
        host ? facts->system.host.bandwidth_unit : facts->system.storage.bandwidth_unit, 3, bandwidth);
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
        dlq_words_say(text, ", as with %s batch%s in flight no more than %s batches/s can pass.", COUNT(in_flight),
                      in_flight == 1 ? "" : "es", RATE(answer->bounds.window));
    else
        dlq_words_say(text, ", as with %s batch%s in flight too few are loaded ahead.", COUNT(in_flight),
                      in_flight == 1 ? "" : "es");
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
    char time[DLQ_QUANTITY_TEXT];
    dlq_quantity_readable(text->facts->system.overheads.barrier, DLQ_UNIT_TIME, 3, time);
    if (dlq_words_fixed_barrier(text))
        dlq_words_say(text, ", as the barrier takes %s of every step.", time);
    else if (pipeline->slow_ranks > 0 && pipeline->slow_factor > 1)
        dlq_words_say(text, ", as all wait for %s of the %s ranks, which take%s %.3g times as long to load.",
                      COUNT(pipeline->slow_ranks), COUNT(pipeline->ranks), pipeline->slow_ranks == 1 ? "s" : "",
                      pipeline->slow_factor);
    else
        dlq_words_say(text, ", as every step waits for the slowest of %s ranks.", COUNT(pipeline->ranks));
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
    char every[DLQ_WORDS_FIGURE + 16] = "batch";
    if (pipeline->epoch_batches > 1)
        snprintf(every, sizeof every, "%s batches", COUNT(pipeline->epoch_batches));
    dlq_words_say(text, ", as every %s an epoch starts with nothing loaded. %s.", every,
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

/* Null: its holder says all. */
static void (*const reasons[DLQ_CAUSES])(struct dlq_words *text) = {
    [DLQ_CAUSE_CORES] = say_cores,       [DLQ_CAUSE_BANDWIDTH] = say_bandwidth, [DLQ_CAUSE_WINDOW] = say_window,
    [DLQ_CAUSE_STEP] = say_step,         [DLQ_CAUSE_RECEIVE] = say_receive,     [DLQ_CAUSE_PIN] = say_pin,
    [DLQ_CAUSE_BARRIER] = say_barrier,   [DLQ_CAUSE_STARTUP] = say_startup,     [DLQ_CAUSE_ORDER] = say_order,
    [DLQ_CAUSE_VARIANCE] = say_variance,
};

/* Where the reason itself names no cure; a shorter step is none for a share of its time. */
static void say_best_change(struct dlq_words *text)
{
    const struct dlq_plan *plan = text->facts->plan;
    bool asked = plan->binds == DLQ_CAUSE_BARRIER || plan->binds == DLQ_CAUSE_PIN || plan->binds == DLQ_CAUSE_RECEIVE ||
                 plan->binds == DLQ_CAUSE_STARTUP;
    for (size_t i = 0; i < plan->levers.count && asked; i++) {
        const struct dlq_lever *lever = &plan->levers.rows[i];
        bool step = strcmp(lever->change, "step time halved") == 0;
        if (!lever->proven || !(lever->gain.value >= least_gain) ||
            (step && text->facts->search->trials->figure->share))
            continue;
        double percent = 100 * lever->gain.value;
        dlq_words_say(text, " Of single changes the best is \"%s\": %+.*f %% throughput.", lever->change,
                      percent < 9.95, percent);
        return;
    }
}

void dlq_words_reason(struct dlq_words *text)
{
    enum dlq_cause binds = text->facts->plan->binds;
    if (reasons[binds] == NULL) {
        dlq_words_say(text, ", held back by %s.", dlq_words_holder(text));
        return;
    }
    reasons[binds](text);
    say_best_change(text);
}
