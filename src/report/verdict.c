/* The verdict in words, with how many loaders would be enough. */
#include "report/causes.h"
#include "report/report.h"
#include "study/solve/solve.h"
#include "study/what_if/what_if.h"

#include <math.h>
#include <string.h>

/* What the sentences of a verdict speak of. */
struct verdict_facts {
    struct dlq_known known;
    const struct dlq_verdict *verdict;
    const struct dlq_solution *solution;
    double throughput;
    struct dlq_phrase *phrase;
};

#define SAY(...) dlq_phrase_add(facts->phrase, __VA_ARGS__)

/* How many loaders would do, and what would keep them from it, after a blank; nothing where that is not the question.
 */
static void say_enough(const struct verdict_facts *facts)
{
    const struct dlq_bounds *bounds = facts->known.bounds;
    long enough = facts->verdict->enough_loaders;
    struct dlq_system with = *facts->known.system; /* the same with so many loaders */
    char lack[160], why[160];
    struct dlq_phrase lacking = {.text = lack, .size = sizeof lack};
    dlq_suffices_give_loaders(&with);
    dlq_system_set_loaders(&with, enough > 0 ? enough : 1, why, sizeof why);
    /* The limit, of the window apart, that lies lowest under what 95 % takes; none: none does. */
    enum dlq_cause limit = DLQ_CAUSE_NONE;
    double lowest = DLQ_TARGET_UTILIZATION * bounds->step;
    for (enum dlq_cause cause = DLQ_CAUSE_STEP; cause < DLQ_CAUSES; cause++)
        if (dlq_causes[cause].carrier != NULL && dlq_cause_bound(bounds, cause) < lowest) {
            lowest = dlq_cause_bound(bounds, cause);
            limit = cause;
        }
    if (limit != DLQ_CAUSE_NONE && enough <= 0) {
        SAY(" More loaders alone do not reach 95 %%: ");
        dlq_say_reason(facts->phrase, &facts->known, limit);
        SAY(".");
        return;
    }
    if (limit == DLQ_CAUSE_NONE && (enough <= facts->known.system->pipeline.loaders || dlq_system_shares(&with)))
        return;
    SAY(" %s loader%s%s would reach 95 %%", SAY_COUNT(enough), PLURAL(enough),
        facts->known.system->pipeline.ranks > 1 ? " of each rank" : "");
    if (limit != DLQ_CAUSE_NONE) {
        SAY(", but ");
        dlq_say_reason(facts->phrase, &facts->known, limit);
        /* Cores bind so many loaders; now both are too few. */
        if (limit == DLQ_CAUSE_CORES && bounds->load <= bounds->cores * (1 + 1e-9))
            SAY(". More cores and loaders together help");
    } else if (dlq_say_lack(&lacking, dlq_system_memory(&with), dlq_system_shm(&with), &with.host))
        SAY(", but take %s", lack);
    SAY(".");
}

/* -- the sentences -- */

/* "9.32 arrive where the step could take 9.62 (1.7x)"; the second part not where the step takes no time. */
static void say_arrive(const struct verdict_facts *facts)
{
    SAY("%s batches/s arrive", SAY_RATE(facts->throughput));
    if (!isnan(facts->verdict->headroom))
        SAY(" where the step could take %s (%.*fx)", SAY_RATE(facts->known.bounds->step),
            facts->verdict->headroom < 9.95, facts->verdict->headroom);
}

/* What would arrive without that cause. */
static double without(const struct verdict_facts *facts, enum dlq_cause cause)
{
    for (size_t i = 0; i < facts->verdict->loss_count; i++)
        if (facts->verdict->losses[i].cause == cause)
            return facts->verdict->losses[i].throughput;
    return facts->throughput;
}

static const char *name_of(const struct verdict_facts *facts, enum dlq_cause cause)
{
    if (cause == DLQ_CAUSE_STARTUP && facts->known.system->pipeline.epoch_batches == 0)
        return "The wait for the first batch";
    if (cause == DLQ_CAUSE_BARRIER && dlq_known_fixed_barrier(&facts->known))
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

static void say_load(const struct verdict_facts *facts)
{
    const struct dlq_pipeline *pipeline = &facts->known.system->pipeline;
    const struct dlq_verdict *verdict = facts->verdict;
    bool slow = pipeline->slow_factor > 1;
    /* What the worst cause takes of that which is missing to the step's own rate; nothing below 2 % of what arrives. */
    enum dlq_cause worst = dlq_worst_loss(verdict->losses, verdict->loss_count, facts->throughput, NAN).cause;
    worst = is_by_order(facts, worst) ? DLQ_CAUSE_ORDER : worst;
    double missing = facts->known.bounds->step - facts->throughput;
    double cost = fmin(without(facts, worst) - facts->throughput, missing);
    bool first = !slow && name_of(facts, worst) != NULL && cost > facts->throughput;
    if (first)
        SAY("%s costs most, %s batches/s. Next is loading", name_of(facts, worst), SAY_RATE(cost));
    else
        SAY("Loading is the bottleneck");
    SAY(": with %s loader%s ", SAY_COUNT(pipeline->loaders), PLURAL(pipeline->loaders));
    say_arrive(facts);
    /* Loaders or ranks that are slow explain all that follows from them. */
    if (slow && pipeline->slow_loaders > 0) {
        SAY(", and the slow loaders, %s of %s, take %.3g times as long.", SAY_COUNT(pipeline->slow_loaders),
            SAY_COUNT(pipeline->loaders), pipeline->slow_factor);
        return;
    }
    if (slow && pipeline->ranks > 1 && pipeline->slow_ranks > 0) {
        SAY(", and ");
        dlq_say_reason(facts->phrase, &facts->known, DLQ_CAUSE_BARRIER);
        SAY(".");
        return;
    }
    SAY(".");
    if (first || name_of(facts, worst) == NULL || cost < 0.02 * facts->throughput)
        return;
    SAY(" %s costs %s", name_of(facts, worst), SAY_RATE(cost));
    if (!isnan(missing))
        SAY(" of the missing %s", SAY_RATE(missing));
    SAY(" batches/s.");
}

/* A bound of the window, the host, the pinning or the serial thread, and what 95 % would take of it. */
static void say_bound(const struct verdict_facts *facts)
{
    enum dlq_cause cause = facts->verdict->bound_by;
    double target = DLQ_TARGET_UTILIZATION * facts->known.bounds->step;
    if (cause == DLQ_CAUSE_SERIAL) {
        SAY("Nothing overlaps, the trainer loads for itself: ");
    } else {
        SAY("The bottleneck: ");
        dlq_say_reason(facts->phrase, &facts->known, cause);
        SAY("; ");
    }
    say_arrive(facts);
    SAY(".");
    if (cause == DLQ_CAUSE_SERIAL || cause == DLQ_CAUSE_PIN || isnan(facts->verdict->headroom) ||
        target <= facts->known.bounds->upper)
        return;
    SAY(" 95 %% takes at least ");
    dlq_say_amount(facts->phrase, &facts->known, cause, target / dlq_cause_bound(facts->known.bounds, cause));
    SAY("%s.", cause == DLQ_CAUSE_CORES && facts->known.bounds->load < target ? ", and more loaders" : "");
}

static void say_step(const struct verdict_facts *facts)
{
    const bool gains = facts->verdict->headroom - 1 >= 1e-4;
    if (isnan(facts->known.simulation->utilization.value))
        SAY("The training process takes all that is loaded: %s batches/s.", SAY_RATE(facts->throughput));
    else
        SAY("The training step is the bottleneck: it is busy %s of the time with %s batches/s; faster loading gains "
            "%s%s.",
            SAY_SHARE(facts->known.simulation->utilization.value), SAY_RATE(facts->throughput), gains ? "at most " : "",
            gains ? SAY_SHARE(facts->verdict->headroom - 1) : "nothing");
}

/* The change that gains most, and more than the worst cause costs; null: none, or a step that is shorter. The cure of
   causes that are several must not speak against it. */
static const struct dlq_lever *best_change(const struct verdict_facts *facts)
{
    const struct dlq_verdict *verdict = facts->verdict;
    const struct dlq_levers *levers = &facts->solution->levers;
    const struct dlq_loss worst = dlq_worst_loss(verdict->losses, verdict->loss_count, facts->throughput, NAN);
    for (size_t i = 0; i < levers->count; i++) {
        const struct dlq_lever *lever = &levers->rows[i];
        if (lever->proven && lever->id != DLQ_LEVER_STEP_TIME_HALVED)
            return lever->throughput.value > worst.throughput ? lever : NULL;
    }
    return NULL;
}

/* What costs throughput though no bound is in the way. */
static void say_loss(const struct verdict_facts *facts)
{
    const struct dlq_verdict *verdict = facts->verdict;
    enum dlq_cause cause = verdict->bound_by;
    bool several = cause == DLQ_CAUSE_SEVERAL;
    SAY("%s%s: the loaders are fast enough on average, yet ",
        several ? "No single cause explains it" : name_of(facts, cause), several ? "" : " is the bottleneck");
    say_arrive(facts);
    SAY(". ");
    if (several) {
        const struct dlq_loss worst = dlq_worst_loss(verdict->losses, verdict->loss_count, facts->throughput, NAN);
        const struct dlq_lever *best = best_change(facts);
        if (best != NULL)
            SAY("Of single changes the best is \"%s\": %s. ", best->change, SAY_RATE(best->throughput.value));
        else if (worst.cause != DLQ_CAUSE_STEP) /* it gains over 0.1 % */
            SAY("%s costs most: without it %s. ", name_of(facts, worst.cause), SAY_RATE(worst.throughput));
        if (!dlq_work_is_constant(&facts->known.system->step))
            SAY("Steps vary, too. ");
        return;
    }
    char reason[200] = "";
    struct dlq_phrase phrase = {.text = reason, .size = sizeof reason};
    dlq_say_reason(&phrase, &facts->known, cause);
    if (cause == DLQ_CAUSE_FIRST_EPOCH)
        dlq_phrase_add(&phrase, "nothing is cached then, and it takes %s, a later one %s",
                       SAY_TIME(facts->solution->epochs.first.seconds, 3),
                       SAY_TIME(facts->solution->epochs.later.seconds, 3));
    SAY("Without it: %s%s%s. ", SAY_RATE(without(facts, cause)), reason[0] != '\0' ? "; " : "", reason);
    if (is_by_order(facts, cause))
        SAY("Delivered as completed, the same loads give %s. ", SAY_RATE(without(facts, DLQ_CAUSE_ORDER)));
}

const char *dlq_verdict_text(const struct dlq_model *model, const struct dlq_solution *solution,
                             char text[DLQ_VERDICT_TEXT])
{
    struct dlq_phrase phrase = {.text = text, .size = DLQ_VERDICT_TEXT};
    const struct verdict_facts made = {
        .known = {&model->system, &solution->bounds, &solution->simulation},
        .verdict = &solution->verdict,
        .solution = solution,
        .throughput = solution->simulation.throughput.value,
        .phrase = &phrase,
    };
    const struct verdict_facts *facts = &made;
    const struct dlq_simulation *simulation = &solution->simulation;
    enum dlq_cause cause = solution->verdict.bound_by;
    text[0] = '\0';
    if (solution->interrupted)
        return text;
    /* Whatever the bottleneck of the long run. */
    if (facts->throughput == 0)
        SAY("No step ends within the horizon: the first batch alone takes %s. Raise [simulate] horizon.",
            SAY_TIME(facts->known.simulation->time_to_first_batch.value, 3));
    /* Nor a rate where all batches that count were there before the first of them was taken. */
    else if (!isfinite(facts->throughput))
        SAY("The runs are too short for a rate: in some of them no time passes between the first and the last of %s "
            "batches. Raise [simulate] batches.",
            SAY_COUNT(facts->known.simulation->batches_per_replication));
    else if (dlq_causes[cause].subject != NULL) {
        if (cause == DLQ_CAUSE_LOAD)
            say_load(facts);
        else if (cause == DLQ_CAUSE_STEP)
            say_step(facts);
        else if (cause == DLQ_CAUSE_PAUSE)
            SAY("The trainer pauses %s of the time and steps %s of it, with %s batches/s. Without pauses: %s.",
                SAY_SHARE(simulation->pause_share.value),
                SAY_SHARE(isnan(simulation->stepping.value) ? simulation->utilization.value
                                                            : simulation->stepping.value),
                SAY_RATE(facts->throughput), SAY_RATE(without(facts, cause)));
        else if (dlq_causes[cause].limit != NULL || cause == DLQ_CAUSE_SERIAL)
            say_bound(facts);
        else
            say_loss(facts);
        if (text[phrase.used - 1] == ' ')
            text[--phrase.used] = '\0';
        if (dlq_cure(&facts->known, cause) != NULL && !(cause == DLQ_CAUSE_SEVERAL && best_change(facts) != NULL))
            SAY(" %s", dlq_cure(&facts->known, cause));
        if (dlq_causes[cause].enough)
            say_enough(facts);
    }
    return text;
}
