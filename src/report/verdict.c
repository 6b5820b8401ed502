/* The verdict of a solution in sentences: the bottleneck, its reason, what helps, and how many loaders would suffice.
 */
#include "report/causes.h"
#include "report/report.h"
#include "study/solve/solve.h"
#include "study/what_if/what_if.h"

#include <math.h>

/* What the sentences are about, and the text that they are added to. */
struct verdict_facts {
    struct dlq_simulated simulated;
    const struct dlq_verdict *verdict;
    const struct dlq_solution *solution;
    double throughput;
    struct dlq_loss worst; /* the cause that costs most; DLQ_CAUSE_STEP: none costs over 0.1 % */
    struct dlq_phrase *phrase;
};

#define SAY(facts, ...) dlq_phrase_add((facts)->phrase, __VA_ARGS__)

/* Adds, after a blank, how many loaders reach 95 % utilization, and which bound stays below that. Adds nothing without
   such a bound if the present loaders suffice, no sufficient number is known, or that many would share cores or
   storage. */
static void say_loaders(const struct verdict_facts *facts)
{
    const struct dlq_bounds *bounds = facts->simulated.bounds;
    const struct dlq_pipeline *pipeline = &facts->simulated.system->pipeline;
    long sufficient = facts->verdict->enough_loaders;
    struct dlq_system larger = *facts->simulated.system; /* with a sufficient number of loaders */
    char lack[160], why[160];
    struct dlq_phrase lacking = {.text = lack, .size = sizeof lack};
    dlq_suffices_give_loaders(&larger);
    larger.host.contention = 0; /* `sufficient` includes contention, whose bound is for the present number of loaders */
    dlq_system_set_loaders(&larger, sufficient > 0 ? sufficient : 1, why, sizeof why);
    /* The lowest bound under 95 % of the step's, apart from the window; DLQ_CAUSE_NONE: there is none. */
    enum dlq_cause limit = DLQ_CAUSE_NONE;
    double lowest = DLQ_TARGET_UTILIZATION * bounds->step;
    for (enum dlq_cause cause = DLQ_CAUSE_STEP; cause < DLQ_CAUSES; cause++)
        if (dlq_causes[cause].carrier != NULL && cause != DLQ_CAUSE_CONTENTION &&
            dlq_cause_bound(bounds, cause) < lowest) {
            lowest = dlq_cause_bound(bounds, cause);
            limit = cause;
        }
    if (limit != DLQ_CAUSE_NONE && sufficient <= 0) {
        SAY(facts, " More loaders alone do not reach 95 %%: ");
        dlq_say_reason(facts->phrase, &facts->simulated, limit);
        SAY(facts, ".");
        return;
    }
    if (limit == DLQ_CAUSE_NONE && (sufficient <= pipeline->loaders || dlq_system_shares(&larger)))
        return;
    SAY(facts, " %s loader%s%s would reach 95 %%", SAY_COUNT(sufficient), PLURAL(sufficient),
        pipeline->ranks > 1 ? " of each rank" : "");
    if (limit != DLQ_CAUSE_NONE) {
        SAY(facts, ", but ");
        dlq_say_reason(facts->phrase, &facts->simulated, limit);
        /* The cores would limit that many loaders, and the present loaders are too few, too. */
        if (limit == DLQ_CAUSE_CORES && bounds->load <= bounds->cores * (1 + 1e-9))
            SAY(facts, ". More cores and loaders together help");
    } else if (dlq_say_lack(&lacking, dlq_system_memory(&larger), dlq_system_shm(&larger), &larger.host))
        SAY(facts, ", but take %s", lack);
    SAY(facts, ".");
}

/* "9.32 batches/s arrive where the step could take 9.62 (1.7x)"; without a step time only the first part. */
static void say_rates(const struct verdict_facts *facts)
{
    SAY(facts, "%s batches/s arrive", SAY_RATE(facts->throughput));
    if (!isnan(facts->verdict->headroom))
        SAY(facts, " where the step could take %s (%.*fx)", SAY_RATE(facts->simulated.bounds->step),
            facts->verdict->headroom < 9.95, facts->verdict->headroom);
}

static double throughput_without(const struct verdict_facts *facts, enum dlq_cause cause)
{
    for (size_t i = 0; i < facts->verdict->loss_count; i++)
        if (facts->verdict->losses[i].cause == cause)
            return facts->verdict->losses[i].throughput;
    return facts->throughput;
}

static const char *name_of(const struct verdict_facts *facts, enum dlq_cause cause)
{
    if (cause == DLQ_CAUSE_STARTUP && facts->simulated.system->pipeline.epoch_batches == 0)
        return "The wait for the first batch";
    if (cause == DLQ_CAUSE_BARRIER && dlq_barrier_is_fixed(&facts->simulated))
        return "The barrier of every step";
    return dlq_causes[cause].subject;
}

/* Whether variance costs throughput mostly because batches are delivered in order, which is easier to change. */
static bool is_by_order(const struct verdict_facts *facts, enum dlq_cause cause)
{
    double cost = throughput_without(facts, cause) - facts->throughput;
    return cause == DLQ_CAUSE_VARIANCE && throughput_without(facts, DLQ_CAUSE_ORDER) - facts->throughput > 0.7 * cost;
}

static void say_load(const struct verdict_facts *facts)
{
    const struct dlq_pipeline *pipeline = &facts->simulated.system->pipeline;
    /* Slow loaders or ranks explain all other losses. first: another cause costs more than what arrives; loading comes
       second. */
    const bool slow = pipeline->slow_factor > 1, slow_loaders = slow && pipeline->slow_loaders > 0;
    const bool slow_ranks = slow && !slow_loaders && pipeline->ranks > 1 && pipeline->slow_ranks > 0;
    const enum dlq_cause worst = is_by_order(facts, facts->worst.cause) ? DLQ_CAUSE_ORDER : facts->worst.cause;
    const char *name = name_of(facts, worst);
    const double missing = facts->simulated.bounds->step - facts->throughput;
    const double cost = fmin(throughput_without(facts, worst) - facts->throughput, missing);
    const bool first = !slow && name != NULL && cost > facts->throughput;
    if (first)
        SAY(facts, "%s costs most, %s batches/s. Next is loading", name, SAY_RATE(cost));
    else
        SAY(facts, "Loading is the bottleneck");
    SAY(facts, ": with %s loader%s ", SAY_COUNT(pipeline->loaders), PLURAL(pipeline->loaders));
    say_rates(facts);
    if (slow_loaders)
        SAY(facts, ", and the slow loaders, %s of %s, take %.3g times as long", SAY_COUNT(pipeline->slow_loaders),
            SAY_COUNT(pipeline->loaders), pipeline->slow_factor);
    if (slow_ranks) {
        SAY(facts, ", and ");
        dlq_say_reason(facts->phrase, &facts->simulated, DLQ_CAUSE_BARRIER);
    }
    SAY(facts, ".");
    if (slow_loaders || slow_ranks || first || name == NULL || cost < 0.02 * facts->throughput)
        return;
    SAY(facts, " %s costs %s", name, SAY_RATE(cost));
    if (!isnan(missing))
        SAY(facts, " of the missing %s", SAY_RATE(missing));
    SAY(facts, " batches/s.");
}

/* A bound of the window, the host, the pinning thread or the serial trainer, and what 95 % would take of it. */
static void say_bound(const struct verdict_facts *facts)
{
    const enum dlq_cause cause = facts->verdict->bound_by;
    const struct dlq_bounds *bounds = facts->simulated.bounds;
    const double target = DLQ_TARGET_UTILIZATION * bounds->step;
    SAY(facts, cause == DLQ_CAUSE_SERIAL ? "Nothing overlaps, the trainer loads for itself: " : "The bottleneck: ");
    if (cause != DLQ_CAUSE_SERIAL) {
        dlq_say_reason(facts->phrase, &facts->simulated, cause);
        SAY(facts, "; ");
    }
    say_rates(facts);
    SAY(facts, ".");
    if (cause == DLQ_CAUSE_SERIAL || cause == DLQ_CAUSE_PIN || cause == DLQ_CAUSE_CONTENTION ||
        isnan(facts->verdict->headroom) || target <= bounds->upper)
        return;
    SAY(facts, " 95 %% takes at least ");
    dlq_say_amount(facts->phrase, &facts->simulated, cause, target / dlq_cause_bound(bounds, cause));
    SAY(facts, "%s.", cause == DLQ_CAUSE_CORES && bounds->load < target ? ", and more loaders" : "");
}

static void say_step(const struct verdict_facts *facts)
{
    const bool gains = facts->verdict->headroom - 1 >= 1e-4;
    const double utilization = facts->simulated.simulation->utilization.value;
    if (isnan(utilization))
        SAY(facts, "The training process takes all that is loaded: %s batches/s.", SAY_RATE(facts->throughput));
    else
        SAY(facts,
            "The training step is the bottleneck: it is busy %s of the time with %s batches/s; faster loading gains "
            "%s%s.",
            SAY_SHARE(utilization), SAY_RATE(facts->throughput), gains ? "at most " : "",
            gains ? SAY_SHARE(facts->verdict->headroom - 1) : "nothing");
    if (facts->simulated.bounds->load <= 1.01 * facts->simulated.bounds->step)
        SAY(facts, " The loaders are hardly faster than the step: a faster step alone gains little, too.");
}

static void say_pause(const struct verdict_facts *facts)
{
    const struct dlq_simulation *simulation = facts->simulated.simulation;
    const double stepping = simulation->stepping.value;
    SAY(facts, "The trainer pauses %s of the time and steps %s of it, with %s batches/s. Without pauses: %s.",
        SAY_SHARE(simulation->pause_share.value), SAY_SHARE(isnan(stepping) ? simulation->utilization.value : stepping),
        SAY_RATE(facts->throughput), SAY_RATE(throughput_without(facts, DLQ_CAUSE_PAUSE)));
}

/* Of several causes together: the change, other than a shorter step, that gains most, if it gains more than the removal
   of the worst cause; else null. */
static const struct dlq_lever *best_change(const struct verdict_facts *facts)
{
    const struct dlq_levers *levers = &facts->solution->levers;
    if (facts->verdict->bound_by != DLQ_CAUSE_SEVERAL)
        return NULL;
    for (size_t i = 0; i < levers->count; i++) {
        const struct dlq_lever *lever = &levers->rows[i];
        if (lever->proven && lever->id != DLQ_LEVER_STEP_TIME_HALVED)
            return lever->throughput.value > facts->worst.throughput ? lever : NULL;
    }
    return NULL;
}

/* A cause that costs throughput although no bound does. */
static void say_loss(const struct verdict_facts *facts)
{
    const enum dlq_cause cause = facts->verdict->bound_by;
    const bool several = cause == DLQ_CAUSE_SEVERAL;
    /* If removing any single cause gains next to nothing, the variance of the step is the cause that is left. */
    const bool by_step =
        several && facts->worst.cause == DLQ_CAUSE_STEP && !dlq_work_is_constant(&facts->simulated.system->step);
    const char *name = by_step ? "The variance of the step" : name_of(facts, cause);
    SAY(facts, "%s%s: the loaders are fast enough on average, yet ",
        several && !by_step ? "No single cause explains it" : name, several && !by_step ? "" : " is the bottleneck");
    say_rates(facts);
    SAY(facts, ". ");
    if (several) {
        const struct dlq_lever *best = best_change(facts);
        if (best != NULL)
            SAY(facts, "Of single changes the best is \"%s\": %s. ", best->change, SAY_RATE(best->throughput.value));
        else if (facts->worst.cause != DLQ_CAUSE_STEP)
            SAY(facts, "%s costs most: without it %s. ", name_of(facts, facts->worst.cause),
                SAY_RATE(facts->worst.throughput));
        if (!by_step && !dlq_work_is_constant(&facts->simulated.system->step))
            SAY(facts, "Steps vary, too. ");
        return;
    }
    char reason[200] = "";
    struct dlq_phrase phrase = {.text = reason, .size = sizeof reason};
    dlq_say_reason(&phrase, &facts->simulated, cause);
    if (cause == DLQ_CAUSE_FIRST_EPOCH)
        dlq_phrase_add(&phrase, "nothing is cached then, and it takes %s, a later one %s",
                       SAY_TIME(facts->solution->epochs.first.seconds, 3),
                       SAY_TIME(facts->solution->epochs.later.seconds, 3));
    SAY(facts, "Without it: %s%s%s. ", SAY_RATE(throughput_without(facts, cause)), reason[0] != '\0' ? "; " : "",
        reason);
    if (is_by_order(facts, cause))
        SAY(facts, "Delivered as completed, the same loads give %s. ",
            SAY_RATE(throughput_without(facts, DLQ_CAUSE_ORDER)));
}

/* Says what helps, but for a larger prefetch where that is proven to lose: with large windows loads that share the
   cores or the storage slow one another. */
static void say_cure(const struct verdict_facts *facts, enum dlq_cause cause)
{
    const struct dlq_levers *levers = &facts->solution->levers;
    const char *cure = dlq_cure(&facts->simulated, cause), *other = dlq_causes[cause].other;
    bool loses = false;
    for (size_t i = 0; i < levers->count; i++)
        loses = loses || (levers->rows[i].id == DLQ_LEVER_PREFETCH_DOUBLED && levers->rows[i].gain.high < 0);
    if (loses && other != NULL && cure == dlq_causes[cause].cure)
        SAY(facts, " %s; a larger prefetch loses here.", other);
    else if (cure != NULL)
        SAY(facts, " %s", cure);
}

static void say_verdict(const struct verdict_facts *facts)
{
    const enum dlq_cause cause = facts->verdict->bound_by;
    struct dlq_phrase *phrase = facts->phrase;
    void (*say)(const struct verdict_facts *facts) = cause == DLQ_CAUSE_LOAD    ? say_load
                                                     : cause == DLQ_CAUSE_STEP  ? say_step
                                                     : cause == DLQ_CAUSE_PAUSE ? say_pause
                                                     : dlq_causes[cause].limit != NULL || cause == DLQ_CAUSE_SERIAL
                                                         ? say_bound
                                                         : say_loss;
    say(facts);
    if (phrase->text[phrase->used - 1] == ' ')
        phrase->text[--phrase->used] = '\0';
    /* The cure of several causes could contradict the best change. */
    if (best_change(facts) == NULL)
        say_cure(facts, cause);
    if (dlq_causes[cause].asks_loaders)
        say_loaders(facts);
}

const char *dlq_verdict_text(const struct dlq_model *model, const struct dlq_solution *solution,
                             char text[DLQ_VERDICT_TEXT])
{
    const struct dlq_simulation *simulation = &solution->simulation;
    const struct dlq_verdict *verdict = &solution->verdict;
    const double throughput = simulation->throughput.value;
    struct dlq_phrase phrase = {.text = text, .size = DLQ_VERDICT_TEXT};
    const struct verdict_facts facts = {
        .simulated = {&model->system, &solution->bounds, simulation},
        .verdict = verdict,
        .solution = solution,
        .throughput = throughput,
        .worst = dlq_worst_loss(verdict->losses, verdict->loss_count, throughput, NAN),
        .phrase = &phrase,
    };
    text[0] = '\0';
    if (solution->interrupted)
        return text;
    if (throughput == 0)
        SAY(&facts, "No step ends within the horizon: the first batch alone takes %s. Raise [simulate] horizon.",
            SAY_TIME(simulation->time_to_first_batch.value, 3));
    else if (!isfinite(throughput))
        SAY(&facts,
            "The runs are too short for a rate: in some of them no time passes between the first and the last of %s "
            "batches. Raise [simulate] batches.",
            SAY_COUNT(simulation->batches_per_replication));
    else if (dlq_causes[verdict->bound_by].subject != NULL)
        say_verdict(&facts);
    return text;
}
