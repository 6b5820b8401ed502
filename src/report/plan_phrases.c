#include "report/plan_phrases.h"

#include "analytic/analytic.h"
#include "report/phrase.h"
#include "study/plan/plan.h"

#include <math.h>
#include <string.h>

static double host_rate(const struct dlq_candidate *candidate)
{
    return candidate->bandwidth;
}

static double storage_rate(const struct dlq_candidate *candidate)
{
    return candidate->storage;
}

static const struct dlq_solved solved[] = {
    {"loaders", "pipeline.loaders", "loaders", "Loader workers", " loader", " loaders", "", "No loader count", NULL},
    {"prefetch", "pipeline.prefetch", "prefetch", "Prefetch", "", "", "a prefetch of ", "No prefetch", NULL},
    {"ranks", "pipeline.ranks", "ranks", "Data-parallel ranks", " rank", " ranks", "", "No number of ranks", NULL},
    {"cores", "host.cores", "cores", "Cores of a host", " core of a host", " cores of a host", "", "No number of cores",
     NULL},
    {"bandwidth", "host.bandwidth", "GB/s", "Bandwidth of a host (GB/s)", " for each host", " for each host", "",
     "No bandwidth of a host", host_rate},
    {"storage", "storage.bandwidth", "GB/s", "Bandwidth of the storage (GB/s)", " of storage", " of storage", "",
     "No bandwidth of the storage", storage_rate},
    {"instance", "host.instance", "loaders", "Price of all hosts ($ per hour)", "", "", "", "No instance", NULL},
};

const struct dlq_solved *dlq_plan_solved(const struct dlq_plan *plan)
{
    for (size_t i = 1; i < sizeof solved / sizeof *solved; i++)
        if (strcmp(plan->solve, solved[i].name) == 0)
            return &solved[i];
    return &solved[0];
}

long dlq_plan_count(const struct dlq_plan *plan, const struct dlq_candidate *candidate)
{
    return strcmp(plan->solve, "loaders") == 0    ? candidate->loaders
           : strcmp(plan->solve, "prefetch") == 0 ? candidate->prefetch
           : strcmp(plan->solve, "ranks") == 0    ? candidate->ranks
                                                  : candidate->value;
}

double dlq_plan_amount(const struct dlq_plan *plan, const struct dlq_candidate *candidate)
{
    const struct dlq_solved *words = dlq_plan_solved(plan);
    return words->rate != NULL           ? words->rate(candidate)
           : candidate->instance != NULL ? (double)candidate->loaders
                                         : (double)dlq_plan_count(plan, candidate);
}

bool dlq_plan_is_one(const struct dlq_plan *plan, long count)
{
    return count == 1 || strcmp(plan->solve, "prefetch") == 0 || strcmp(plan->solve, "instance") == 0 ||
           dlq_plan_solved(plan)->rate != NULL;
}

const char *dlq_plan_say_amount(const struct dlq_plan *plan, long count, char text[DLQ_PLAN_WORDS])
{
    const struct dlq_candidate *candidate = &plan->answer;
    for (size_t i = 0; i < plan->count && dlq_plan_count(plan, candidate) != count; i++)
        candidate = &plan->candidates[i];
    if (candidate->instance != NULL)
        snprintf(text, DLQ_PLAN_WORDS, "%.47s", candidate->instance);
    else if (dlq_plan_solved(plan)->rate != NULL)
        dlq_quantity_readable(dlq_plan_amount(plan, candidate), DLQ_UNIT_RATE, 3, text);
    else
        dlq_text_fixed((double)count, 0, text);
    return text;
}

const char *dlq_plan_say_count(const struct dlq_plan *plan, long count, char text[DLQ_PLAN_WORDS])
{
    char amount[DLQ_PLAN_WORDS];
    const struct dlq_solved *words = dlq_plan_solved(plan);
    dlq_plan_say_amount(plan, count, amount);
    snprintf(text, DLQ_PLAN_WORDS, "%s%.99s%s", words->article, amount, count == 1 ? words->one : words->many);
    return text;
}

bool dlq_plan_of_share(const struct dlq_plan *plan)
{
    return strcmp(plan->of, "samples_per_second") != 0;
}

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

const char *dlq_plan_say_figure(const struct dlq_plan *plan, double figure, char text[DLQ_PLAN_WORDS])
{
    char number[DLQ_TEXT_NUMBER];
    if (dlq_plan_of_share(plan)) {
        int least = decimals_for(100 * figure, 100 * plan->target, dlq_quantity_share_decimals(figure));
        snprintf(text, DLQ_PLAN_WORDS, "%.*f %%", figure > 1 - 1e-7 ? 0 : decimals_for(100 * figure, 100, least),
                 100 * figure);
        return text;
    }
    int decimals = decimals_for(figure, plan->target, figure >= 100 ? 0 : figure >= 10 ? 1 : 2);
    snprintf(text, DLQ_PLAN_WORDS, "%s samples/s", dlq_text_fixed(figure, decimals, number));
    return text;
}

const char *dlq_plan_say_level(const struct dlq_plan *plan, char text[DLQ_PLAN_WORDS])
{
    double target = plan->target;
    if (dlq_plan_of_share(plan))
        snprintf(text, DLQ_PLAN_WORDS, "%.6g %%", 100 * target);
    else if (target == floor(target))
        snprintf(text, DLQ_PLAN_WORDS, "%s samples/s", SAY_COUNT(target));
    else
        snprintf(text, DLQ_PLAN_WORDS, "%.9g samples/s", target);
    return text;
}

const char *dlq_plan_say_target(const struct dlq_plan *plan, char text[DLQ_PLAN_WORDS])
{
    char level[DLQ_PLAN_WORDS];
    bool au = strcmp(plan->of, "au") == 0;
    dlq_plan_say_level(plan, level);
    snprintf(text, DLQ_PLAN_WORDS, "%s%.99s%s", au ? "an au of " : "", level,
             !au && dlq_plan_of_share(plan) ? " utilization" : "");
    return text;
}

double dlq_plan_proven_gain(const struct dlq_plan *plan, const char *change)
{
    for (size_t i = 0; i < plan->levers.count; i++)
        if (plan->levers.rows[i].proven && strcmp(plan->levers.rows[i].change, change) == 0)
            return plan->levers.rows[i].gain.value;
    return NAN;
}

double dlq_plan_figure_bound(const struct dlq_plan *plan, const struct dlq_candidate *candidate)
{
    const struct dlq_bounds *bounds = &candidate->bounds;
    if (dlq_plan_of_share(plan))
        return fmin(1, bounds->upper / bounds->step);
    return bounds->upper * (double)(plan->description.batch_size * candidate->ranks);
}

bool dlq_plan_has_answer(const struct dlq_plan *plan)
{
    return plan->met || (isfinite(plan->answer.figure.value) && plan->answer.host.fits);
}

void dlq_plan_say_reach(struct dlq_phrase *phrase, const struct dlq_plan *plan)
{
    char words[DLQ_PLAN_WORDS], figure[DLQ_PLAN_WORDS];
    long count = dlq_plan_count(plan, &plan->answer);
    bool one = dlq_plan_is_one(plan, count);
    dlq_plan_say_count(plan, count, words);
    if (words[0] == 'a')
        words[0] = 'A';
    dlq_plan_say_figure(plan, plan->answer.figure.value, figure);
    if (strcmp(plan->of, "utilization") == 0)
        dlq_phrase_add(phrase, "%s keep%s the trainer %s busy", words, one ? "s" : "", figure);
    else if (strcmp(plan->of, "au") == 0)
        dlq_phrase_add(phrase, "%s reach%s an AU of %s", words, one ? "es" : "", figure);
    else
        dlq_phrase_add(phrase, "%s deliver%s %s", words, one ? "s" : "", figure);
}

const struct dlq_candidate *dlq_plan_outsize(const struct dlq_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->candidates[i].meets && !plan->candidates[i].host.fits)
            return &plan->candidates[i];
    return NULL;
}

static void say_met(struct dlq_phrase *phrase, const struct dlq_plan *plan)
{
    long count = dlq_plan_count(plan, &plan->answer), says = plan->rules[0].candidate.loaders;
    if (strcmp(plan->solve, "ranks") == 0 && count > 1)
        dlq_phrase_add(phrase, "Up to ");
    dlq_plan_say_reach(phrase, plan);
    if (plan->rule_count > 0 && says == count)
        dlq_phrase_add(phrase, ", as %s says", plan->rules[0].rule);
    else if (plan->rule_count > 0)
        dlq_phrase_add(phrase, "; %s says %s", plan->rules[0].rule, SAY_COUNT(says));
}

#define CHOICE(candidate) dlq_plan_say_count(plan, dlq_plan_count(plan, (candidate)), (char[DLQ_PLAN_WORDS]){0})

static void say_unmet(struct dlq_phrase *phrase, const struct dlq_plan *plan)
{
    char target[DLQ_PLAN_WORDS], text[DLQ_PLAN_WORDS];
    const struct dlq_candidate *outsize = dlq_plan_outsize(plan);
    bool room = plan->binds == DLQ_CAUSE_MEMORY || plan->binds == DLQ_CAUSE_SHM;
    dlq_plan_say_target(plan, target);
    /* "95 % utilization takes 13 loaders, the host's memory holds 6" */
    if (outsize != NULL && room && dlq_plan_has_answer(plan) && strcmp(plan->solve, "ranks") != 0) {
        target[0] = (char)(target[0] == 'a' ? 'A' : target[0]);
        dlq_phrase_add(phrase, "%s takes %s, %s holds %s", target, CHOICE(outsize), dlq_causes[plan->binds].holder,
                       dlq_plan_say_amount(plan, dlq_plan_count(plan, &plan->answer), text));
        return;
    }
    dlq_phrase_add(phrase, "%s", dlq_plan_solved(plan)->none);
    if (dlq_plan_solved(plan)->rate == NULL)
        dlq_phrase_add(phrase, " up to %s", SAY_COUNT(plan->at_most));
    if (!plan->answer.host.fits)
        dlq_phrase_add(phrase, " fits the host");
    else
        dlq_phrase_add(phrase, " reaches %s", target);
    if (plan->answer.host.fits && dlq_plan_has_answer(plan))
        dlq_phrase_add(phrase, ": %s at best, with %s", dlq_plan_say_figure(plan, plan->answer.figure.value, text),
                       CHOICE(&plan->answer));
}

const char *dlq_plan_title(const struct dlq_plan *plan, char text[DLQ_PLAN_WORDS])
{
    struct dlq_phrase phrase = {.text = text, .size = DLQ_PLAN_WORDS};
    text[0] = '\0';
    if (plan->met)
        say_met(&phrase, plan);
    else
        say_unmet(&phrase, plan);
    return text;
}
