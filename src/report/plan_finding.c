/* What a plan has found, in plain sentences, and as the headline of its chart. */
#include "analytic/analytic.h"
#include "dlqueue/report.h"
#include "report/phrase.h"
#include "report/plan_phrases.h"
#include "study/model.h"
#include "study/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the sentences speak of. */
struct finding {
    const struct dlq_plan *plan;
    const struct dlq_model *model;
    struct dlq_system system; /* of the answer */
    bool most;                /* as many as possible are wanted */
    struct dlq_phrase phrase;
};

#define SAY(...) dlq_phrase_add(&finding->phrase, __VA_ARGS__)
#define FIGURE(value) dlq_plan_say_figure(finding->plan, (value), (char[DLQ_PLAN_WORDS]){0})
#define TARGET dlq_plan_say_level(finding->plan, (char[DLQ_PLAN_WORDS]){0})
#define CHOICE(value) dlq_plan_say_count(finding->plan, (value), (char[DLQ_PLAN_WORDS]){0})
#define AMOUNT(value) dlq_plan_say_amount(finding->plan, (value), (char[DLQ_PLAN_WORDS]){0})
/* The verb behind it: "14 loaders reach", "1 rank reaches". */
#define VERB(value, one, many) (dlq_plan_is_one(finding->plan, (value)) ? (one) : (many))

static long count_of(const struct finding *finding, const struct dlq_candidate *candidate)
{
    return dlq_plan_count(finding->plan, candidate);
}

/* "82 GB of /dev/shm and the host has 64 GB" */
static void say_lack(struct finding *finding, const struct dlq_host_use *use)
{
    const struct dlq_host *host = &finding->system.host;
    bool memory = use->memory_bytes > host->memory, shm = use->shm_bytes > host->shm;
    if (memory && shm)
        SAY("%s of memory and %s of /dev/shm, and the host has %s and %s", SAY_SIZE(use->memory_bytes, 3),
            SAY_SIZE(use->shm_bytes, 3), SAY_SIZE(host->memory, 3), SAY_SIZE(host->shm, 3));
    else if (memory)
        SAY("%s of memory and the host has %s", SAY_SIZE(use->memory_bytes, 3), SAY_SIZE(host->memory, 3));
    else
        SAY("%s of /dev/shm and the host has %s", SAY_SIZE(use->shm_bytes, 3), SAY_SIZE(host->shm, 3));
}

/* Not met, but the target lies within the interval. */
static bool straddles(const struct finding *finding, const struct dlq_candidate *candidate)
{
    double level = finding->plan->target;
    return !candidate->meets && dlq_reaches(candidate->figure.high, level);
}

/* What every step waits at the barrier is longer than what it waits for the slowest rank. */
static bool is_fixed_barrier(const struct finding *finding)
{
    const struct dlq_system *system = &finding->system;
    const struct dlq_overheads *overheads = &system->overheads;
    double lost = 1 / finding->plan->answer.simulation.throughput.value - system->step.mean - overheads->receive;
    return system->pipeline.ranks > 1 && overheads->barrier > 0.5 * lost;
}

static const char *holder_of(const struct finding *finding)
{
    enum dlq_cause binds = finding->plan->binds;
    bool fixed = binds == DLQ_CAUSE_BARRIER && is_fixed_barrier(finding);
    return fixed ? "the barrier of every step" : dlq_causes[binds].holder;
}

/* -- reasons -- */

/* A gain that is worth a sentence, as in the table of the report. */
static const double least_gain = 0.005;

/* Loaders that are no more than the cores leave other cores idle. */
static void say_cores(struct finding *finding)
{
    double cores = dlq_system_cores(&finding->system);
    bool both = !(dlq_plan_proven_gain(finding->plan, "twice the cores") >= least_gain) &&
                dlq_plan_proven_gain(finding->plan, "twice the cores and loaders") >= least_gain;
    SAY(", as %s core%s per rank carr%s %s batches/s at most, however many loaders share %s. ",
        SAY_QUANTITY(cores, DLQ_UNIT_NUMBER), cores == 1 ? "" : "s", cores == 1 ? "ies" : "y",
        SAY_RATE(finding->plan->answer.bounds.cores), cores == 1 ? "it" : "them");
    SAY("Less cpu time per batch, or more cores%s, help%s.", both ? " and loaders together" : "", both ? "" : "s");
}

static void say_bandwidth(struct finding *finding)
{
    const struct dlq_bounds *bounds = &finding->plan->answer.bounds;
    bool host = isnan(bounds->storage) || bounds->host_bandwidth <= bounds->storage;
    double bandwidth =
        host ? dlq_system_host_bandwidth(&finding->system) : dlq_system_storage_bandwidth(&finding->system);
    enum dlq_unit unit = host ? finding->system.host.bandwidth_unit : finding->system.storage.bandwidth_unit;
    SAY(", as the %s's bandwidth, %s per rank, carries %s batches/s at most. Fewer bytes per batch, a cache, or more "
        "bandwidth helps.",
        host ? "host" : "storage", SAY_QUANTITY(bandwidth, unit),
        SAY_RATE(host ? bounds->host_bandwidth : bounds->storage));
}

/* Where a credit comes back late, the window loses more than its bound says. */
static void say_window(struct finding *finding)
{
    const struct dlq_candidate *answer = &finding->plan->answer;
    long in_flight = dlq_system_in_flight(&finding->system);
    SAY(", as with %s batch%s in flight ", SAY_COUNT(in_flight), in_flight == 1 ? "" : "es");
    if (answer->bounds.window < 1.02 * answer->simulation.throughput.value)
        SAY("no more than %s batches/s can pass.", SAY_RATE(answer->bounds.window));
    else
        SAY("too few are loaded ahead.");
}

static void say_step(struct finding *finding)
{
    const struct dlq_candidate *answer = &finding->plan->answer;
    if (dlq_plan_of_share(finding->plan) || isnan(answer->bounds.step))
        SAY(".");
    else
        SAY(", as the step allows %s at most. A faster step, or more ranks, helps.",
            FIGURE(answer->bounds.step * (double)(finding->plan->description.batch_size * answer->ranks)));
}

static void say_receive(struct finding *finding)
{
    SAY(", as receiving batches takes the training process part of every step: %s batches/s at most. "
        "A cheaper hand-over helps: fewer or smaller tensors per batch.",
        SAY_RATE(finding->plan->answer.bounds.receive));
}

static void say_pin(struct finding *finding)
{
    SAY(", as the pinning thread takes one batch at a time: %s batches/s at most.",
        SAY_RATE(finding->plan->answer.bounds.pin));
}

static void say_barrier(struct finding *finding)
{
    const struct dlq_pipeline *pipeline = &finding->system.pipeline;
    if (is_fixed_barrier(finding))
        SAY(", as the barrier takes %s of every step.", SAY_TIME(finding->system.overheads.barrier, 3));
    else if (pipeline->slow_ranks > 0 && pipeline->slow_factor > 1)
        SAY(", as all wait for %s of the %s ranks, which take%s %.3g times as long to load.",
            SAY_COUNT(pipeline->slow_ranks), SAY_COUNT(pipeline->ranks), pipeline->slow_ranks == 1 ? "s" : "",
            pipeline->slow_factor);
    else
        SAY(", as every step waits for the slowest of %s ranks.", SAY_COUNT(pipeline->ranks));
}

static void say_startup(struct finding *finding)
{
    const struct dlq_pipeline *pipeline = &finding->system.pipeline;
    const struct dlq_plan *plan = finding->plan;
    const char *cure = pipeline->persistent ? "Longer epochs help" : "Persistent workers, or longer epochs, help";
    if (pipeline->epoch_batches == 0)
        SAY(", as the run is short: the first batch takes %s of %s.",
            SAY_TIME(plan->answer.simulation.time_to_first_batch.value, 3), SAY_TIME(plan->description.horizon, 3));
    else if (pipeline->epoch_batches == 1)
        SAY(", as every batch an epoch starts with nothing loaded. %s.", cure);
    else
        SAY(", as every %s batches an epoch starts with nothing loaded. %s.", SAY_COUNT(pipeline->epoch_batches), cure);
}

/* A row for each cause whose holder does not say all. */
static const struct {
    void (*say)(struct finding *finding);
    const char *text;
} reasons[DLQ_CAUSES] = {
    [DLQ_CAUSE_CORES] = {say_cores, NULL},
    [DLQ_CAUSE_BANDWIDTH] = {say_bandwidth, NULL},
    [DLQ_CAUSE_WINDOW] = {say_window, NULL},
    [DLQ_CAUSE_STEP] = {say_step, NULL},
    [DLQ_CAUSE_RECEIVE] = {say_receive, NULL},
    [DLQ_CAUSE_PIN] = {say_pin, NULL},
    [DLQ_CAUSE_BARRIER] = {say_barrier, NULL},
    [DLQ_CAUSE_STARTUP] = {say_startup, NULL},
    [DLQ_CAUSE_ORDER] = {NULL, ", as delivered in order a slow batch holds up those that are done."},
    [DLQ_CAUSE_VARIANCE] = {NULL, ", as some loads take much longer than the mean."},
};

static void say_reason(struct finding *finding)
{
    enum dlq_cause binds = finding->plan->binds;
    if (reasons[binds].say != NULL)
        reasons[binds].say(finding);
    else if (reasons[binds].text != NULL)
        SAY("%s", reasons[binds].text);
    else
        SAY(", held back by %s.", holder_of(finding));
    /* Where the reason itself names no cure; a shorter step is none for a share of its time. */
    const struct dlq_plan *plan = finding->plan;
    bool asked = binds == DLQ_CAUSE_BARRIER || binds == DLQ_CAUSE_PIN || binds == DLQ_CAUSE_RECEIVE ||
                 binds == DLQ_CAUSE_STARTUP;
    for (size_t i = 0; i < plan->levers.count && asked; i++) {
        const struct dlq_lever *lever = &plan->levers.rows[i];
        bool step = strcmp(lever->change, "step time halved") == 0;
        double percent = 100 * lever->gain.value;
        if (!lever->proven || !(lever->gain.value >= least_gain) || (step && dlq_plan_of_share(plan)))
            continue;
        SAY(" Of single changes the best is \"%s\": %+.*f %% throughput.", lever->change, percent < 9.95, percent);
        return;
    }
}

/* -- met -- */

static void say_before(struct finding *finding, const struct dlq_candidate *before)
{
    if (before == NULL) {
        SAY("%s", finding->most ? ", as many as [plan] at_most allows." : ", and fewer there can't be.");
        return;
    }
    long count = count_of(finding, before);
    if (before->meets) {
        SAY("; %s would too, but %s ", AMOUNT(count), VERB(count, "needs", "need"));
        say_lack(finding, &before->host);
        SAY(".");
    } else if (straddles(finding, before)) {
        SAY("; %s may do, too: it is within the interval of the target (%s).", AMOUNT(count),
            FIGURE(before->figure.value));
    } else {
        SAY("; %s %s %s, held back by %s.", AMOUNT(count), VERB(count, "reaches", "reach"),
            FIGURE(before->figure.value), holder_of(finding));
    }
}

/* A larger one that misses the target again; with most: a smaller one. */
static const struct dlq_candidate *relapse(const struct finding *finding)
{
    const struct dlq_plan *plan = finding->plan;
    long answer = count_of(finding, &plan->answer);
    for (size_t i = 0; i < plan->count; i++) {
        const struct dlq_candidate *candidate = &plan->candidates[i];
        long count = count_of(finding, candidate);
        bool beyond = finding->most ? count < answer : count > answer;
        if (beyond && candidate->verified && !dlq_reaches(candidate->figure.high, plan->target))
            return candidate;
    }
    return NULL;
}

static void say_met(struct finding *finding)
{
    const struct dlq_plan *plan = finding->plan;
    const struct dlq_candidate *again = relapse(finding), *before = NULL;
    /* What lies before the answer was tried: the search leaves no gap there. */
    for (size_t i = 0; i < plan->count; i++)
        if (count_of(finding, &plan->candidates[i]) == count_of(finding, &plan->answer)) {
            bool any = finding->most ? i + 1 < plan->count : i > 0;
            before = any ? &plan->candidates[finding->most ? i + 1 : i - 1] : NULL;
        }
    if (finding->most && before != NULL)
        SAY("At most ");
    dlq_plan_say_reach(&finding->phrase, plan);
    say_before(finding, before);
    if (again == NULL)
        return;
    long count = count_of(finding, again);
    SAY(" Not every %s count does: %s %s %s.", finding->most ? "smaller" : "larger", AMOUNT(count),
        VERB(count, "reaches", "reach"), FIGURE(again->figure.value));
}

/* -- instances -- */

/* Beside the answer what costs less than it, and what would do but has no price. */
static void say_instances(struct finding *finding)
{
    const struct dlq_plan *plan = finding->plan;
    const struct dlq_candidate *answer = &plan->answer, *before = NULL;
    const char *without = NULL;
    long unpriced = 0;
    bool priced = !isnan(answer->cost_per_hour);
    for (size_t i = 0; i < plan->count; i++) {
        const struct dlq_candidate *candidate = &plan->candidates[i];
        if (candidate->value == answer->value && i > 0 && priced)
            before = &plan->candidates[i - 1];
        if (isnan(candidate->cost_per_hour) && candidate->meets && candidate->host.fits && unpriced++ == 0)
            without = candidate->instance;
    }
    if (!plan->met)
        SAY("No instance reaches %s: %s gets to %s, with %s loader%s", TARGET, answer->instance,
            FIGURE(answer->figure.value), SAY_COUNT(answer->loaders), PLURAL(answer->loaders));
    else
        SAY("%s%s: %s loader%s per rank reach%s %s", answer->instance,
            priced ? " is the cheapest that will do" : " will do, at a price that is not known here",
            SAY_COUNT(answer->loaders), PLURAL(answer->loaders), answer->loaders == 1 ? "es" : "",
            FIGURE(answer->figure.value));
    if (priced)
        SAY(", for $%.2f an hour", answer->cost_per_hour);
    SAY(".");
    if (before != NULL && plan->met)
        SAY(" %s, for $%.2f, reaches %s, held back by %s.", before->instance, before->cost_per_hour,
            FIGURE(before->figure.value), dlq_causes[before->binds].holder);
    if (!plan->met)
        SAY(" It is held back by %s.", dlq_causes[answer->binds].holder);
    if (unpriced == 1 && priced)
        SAY(" %s would do, too, at a price that is not known here.", without);
    else if (unpriced > 1 && priced)
        SAY(" %s and %s more would do, too, at prices that are not known here.", without, SAY_COUNT(unpriced - 1));
    SAY(" The step is taken to be as long on each of these.");
}

/* -- not met -- */

static void say_remedy(struct finding *finding, const char *what, const char *number, double reached)
{
    bool enough = dlq_reaches(reached, finding->plan->target);
    if (enough || reached > 1.01 * finding->plan->answer.figure.value)
        SAY(" %s%s it would be %s%s.", what, number, FIGURE(reached), enough ? ": enough" : "");
}

/* Within 1 %: what the answer reaches, and what larger ones do. */
static const double flat = 0.01;

static bool is_certain(const struct finding *finding)
{
    const struct dlq_estimate *figure = &finding->plan->answer.figure;
    return figure->high - figure->low <= 2 * flat * figure->value;
}

/* Of thousands of loaders the last ones gain too little to be told apart, and yet more would do. */
static bool lacks_loaders(const struct finding *finding)
{
    const struct dlq_plan *plan = finding->plan;
    return plan->binds == DLQ_CAUSE_LOADERS && strcmp(plan->solve, "loaders") == 0 &&
           (double)plan->answer.loaders >= 0.99 * (double)plan->last;
}

/* Of larger ones, those that were tried do no better, or do not fit. */
static const char *beyond(const struct finding *finding)
{
    const struct dlq_plan *plan = finding->plan;
    const struct dlq_candidate *last = plan->count > 0 ? &plan->candidates[plan->count - 1] : &plan->answer;
    long answer = count_of(finding, &plan->answer);
    bool is_flat = is_certain(finding);
    for (size_t i = 0; i < plan->count; i++) {
        const struct dlq_candidate *candidate = &plan->candidates[i];
        if (count_of(finding, candidate) > answer && candidate->host.fits &&
            candidate->figure.value > (1 + flat) * plan->answer.figure.value)
            is_flat = false;
    }
    if (count_of(finding, last) <= answer || lacks_loaders(finding) || (last->host.fits && !is_flat))
        return "";
    if (finding->most)
        return ", and more get no further";
    return last->host.fits ? ", and more gain nothing" : ", and not many more fit";
}

static void say_unmet(struct finding *finding)
{
    const struct dlq_plan *plan = finding->plan;
    const struct dlq_estimate *figure = &plan->answer.figure;
    long answer = count_of(finding, &plan->answer);
    bool end = answer == plan->last || lacks_loaders(finding), cut = plan->last < plan->at_most;
    SAY("%s", dlq_plan_solved(plan)->none);
    if (end && dlq_plan_solved(plan)->rate == NULL)
        SAY(" up to %s%s", SAY_COUNT(plan->last), cut ? ", the most that can be computed," : "");
    SAY(" reaches %s: %s %s to %s%s", TARGET, CHOICE(answer), VERB(answer, "gets", "get"), FIGURE(figure->value),
        beyond(finding));
    if (straddles(finding, &plan->answer))
        SAY(" (within the interval of the target)");
    say_reason(finding);
    if (end && !cut && plan->binds == DLQ_CAUSE_LOADERS)
        SAY(" Raise [plan] at_most.");
    if (!is_certain(finding))
        SAY(" The runs are too short to tell whether another count reaches more: this one reaches %s to %s. Raise "
            "[simulate] batches.",
            FIGURE(figure->low), FIGURE(figure->high));
    long deeper = 2 * finding->system.pipeline.prefetch;
    say_remedy(finding, "With a prefetch of ", SAY_COUNT(deeper), plan->doubled);
    say_remedy(finding, "Delivered by completion", "", plan->unordered);
}

/* Batches in flight, not what workers hold for themselves, take most of what is lacking. */
static bool batches_take_most(const struct finding *finding, const struct dlq_candidate *outsize)
{
    struct dlq_system system;
    if (finding->plan->binds != DLQ_CAUSE_MEMORY ||
        !dlq_plan_system(finding->model, count_of(finding, outsize), &system))
        return true;
    system.host.loader_memory = NAN;
    return dlq_system_memory(&system) > 0.5 * outsize->host.memory_bytes;
}

static void say_outsize(struct finding *finding, const struct dlq_candidate *outsize)
{
    const struct dlq_plan *plan = finding->plan;
    long count = count_of(finding, outsize), answer = count_of(finding, &plan->answer);
    SAY("%s takes %s, but %s ", TARGET, CHOICE(count), VERB(count, "that needs", "these need"));
    say_lack(finding, &outsize->host);
    if (plan->answer.host.fits)
        SAY(": %s %s and %s %s.", AMOUNT(answer), VERB(answer, "fits", "fit"), VERB(answer, "reaches", "reach"),
            FIGURE(plan->answer.figure.value));
    else
        SAY("; even %s does not fit.", CHOICE(answer));
    if (!batches_take_most(finding, outsize))
        SAY(" Most of it is the workers' own.");
    else if (strcmp(plan->solve, "prefetch") != 0 && finding->system.pipeline.prefetch > 1)
        SAY(" A smaller prefetch than %s, or smaller batches, need less.",
            SAY_COUNT(finding->system.pipeline.prefetch));
}

const char *dlq_plan_text(const struct dlq_model *model, const struct dlq_plan *plan, char text[DLQ_PLAN_TEXT])
{
    struct finding made = {plan, model, .most = strcmp(plan->solve, "ranks") == 0,
                           .phrase = {text, DLQ_PLAN_TEXT, 0, NULL}};
    struct finding *finding = &made;
    const struct dlq_candidate *outsize = dlq_plan_outsize(plan);
    long answer = dlq_plan_count(plan, &plan->answer);
    text[0] = '\0';
    if (plan->interrupted || !dlq_plan_system(model, answer, &made.system))
        return text;
    if (strcmp(plan->solve, "instance") == 0) {
        say_instances(finding);
    } else if (plan->met) {
        say_met(finding);
    } else if (outsize != NULL) {
        say_outsize(finding, outsize);
    } else if (!plan->answer.host.fits) {
        SAY("Nothing fits: even %s %s ", CHOICE(answer), VERB(answer, "needs", "need"));
        say_lack(finding, &plan->answer.host);
        SAY(".");
    } else {
        say_unmet(finding);
    }
    return text;
}
