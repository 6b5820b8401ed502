#include "report/plan_phrases.h"

#include "analytic/analytic.h"
#include "draw/text.h"
#include "report/phrase.h"

#include <math.h>
#include <string.h>

static const struct dlq_solved solved[] = {
    {"loaders", "pipeline.loaders", "loaders", "Loader workers", " loader", " loaders", ""},
    {"prefetch", "pipeline.prefetch", "prefetch", "Prefetch", "", "", "a prefetch of "},
    {"ranks", "pipeline.ranks", "ranks", "Data-parallel ranks", " rank", " ranks", ""},
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
    if (strcmp(plan->solve, "ranks") == 0)
        return candidate->ranks;
    return strcmp(plan->solve, "prefetch") == 0 ? candidate->prefetch : candidate->loaders;
}

const char *dlq_plan_say_count(const struct dlq_plan *plan, long count, char text[DLQ_PLAN_WORDS])
{
    char number[DLQ_TEXT_NUMBER];
    const struct dlq_solved *words = dlq_plan_solved(plan);
    snprintf(text, DLQ_PLAN_WORDS, "%s%s%s", words->article, dlq_text_fixed((double)count, 0, number),
             count == 1 ? words->one : words->many);
    return text;
}

bool dlq_plan_of_share(const struct dlq_plan *plan)
{
    return strcmp(plan->of, "samples_per_second") != 0;
}

/* Would so many decimals put the value on the other side of the level? */
static bool misleads(double value, double level, int decimals)
{
    double unit = pow(10, -decimals);
    return (round(value / unit) * unit >= level) != (value >= level);
}

const char *dlq_plan_say_figure(const struct dlq_plan *plan, double figure, char text[DLQ_PLAN_WORDS])
{
    enum { MOST = 6 };
    char number[DLQ_TEXT_NUMBER];
    bool share = dlq_plan_of_share(plan);
    double factor = share ? 100 : 1, value = factor * figure;
    int decimals = dlq_text_decimals(value, 3);
    while (decimals < MOST &&
           (misleads(value, factor * plan->target, decimals) || (share && misleads(value, 100, decimals))))
        decimals++;
    snprintf(text, DLQ_PLAN_WORDS, "%s %s", dlq_text_fixed(value, decimals, number), share ? "%" : "samples/s");
    return text;
}

const char *dlq_plan_say_level(const struct dlq_plan *plan, char text[DLQ_PLAN_WORDS])
{
    char number[DLQ_TEXT_NUMBER];
    bool share = dlq_plan_of_share(plan);
    dlq_text_number(share ? 100 * plan->target : plan->target, 6, number);
    snprintf(text, DLQ_PLAN_WORDS, "%s %s", number, share ? "%" : "samples/s");
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

/* "14 loaders keep", "A prefetch of 4 keeps"; with ranks they are the most. */
static void add_subject(struct dlq_phrase *phrase, const struct dlq_plan *plan, long count, const char *verb)
{
    char words[DLQ_PLAN_WORDS];
    bool one = count == 1 || strcmp(plan->solve, "prefetch") == 0;
    dlq_plan_say_count(plan, count, words);
    if (words[0] == 'a')
        words[0] = 'A';
    if (strcmp(plan->solve, "ranks") == 0 && count > 1)
        dlq_phrase_add(phrase, "Up to ");
    dlq_phrase_add(phrase, "%s %s%s", words, verb, one ? "s" : "");
}

static void say_met(struct dlq_phrase *phrase, const struct dlq_plan *plan)
{
    char words[DLQ_PLAN_WORDS];
    char number[DLQ_TEXT_NUMBER];
    long count = dlq_plan_count(plan, &plan->answer);
    double reached = plan->answer.figure.value;
    dlq_plan_say_figure(plan, reached, words);
    if (strcmp(plan->of, "utilization") == 0) {
        add_subject(phrase, plan, count, "keep");
        dlq_phrase_add(phrase, " the trainer %s busy", words);
    } else {
        add_subject(phrase, plan, count, "deliver");
        dlq_phrase_add(phrase, " %s%s", dlq_plan_of_share(plan) ? "an au of " : "", words);
    }
    if (plan->rule_count == 0)
        return;
    long says = plan->rules[0].candidate.loaders;
    if (says == count)
        dlq_phrase_add(phrase, ", as %s says", plan->rules[0].rule);
    else
        dlq_phrase_add(phrase, "; %s says %s", plan->rules[0].rule, dlq_text_fixed((double)says, 0, number));
}

/* The first that would meet the target, had it room. */
static const struct dlq_candidate *first_outsize(const struct dlq_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->candidates[i].meets && !plan->candidates[i].host.fits)
            return &plan->candidates[i];
    return NULL;
}

/* "95 % utilization takes 13 loaders, the host's memory holds 6" */
static bool say_outsize(struct dlq_phrase *phrase, const struct dlq_plan *plan)
{
    char target[DLQ_PLAN_WORDS], count[DLQ_PLAN_WORDS], number[DLQ_TEXT_NUMBER];
    const struct dlq_candidate *outsize = first_outsize(plan);
    bool room = plan->binds == DLQ_CAUSE_MEMORY || plan->binds == DLQ_CAUSE_SHM;
    if (outsize == NULL || !room || !dlq_plan_has_answer(plan) || strcmp(plan->solve, "ranks") == 0)
        return false;
    dlq_plan_say_target(plan, target);
    target[0] = (char)(target[0] == 'a' ? 'A' : target[0]);
    dlq_phrase_add(phrase, "%s takes %s, ", target, dlq_plan_say_count(plan, dlq_plan_count(plan, outsize), count));
    dlq_text_fixed((double)dlq_plan_count(plan, &plan->answer), 0, number);
    dlq_phrase_add(phrase, "%s holds %s", dlq_causes[plan->binds].holder, number);
    return true;
}

static void say_unmet(struct dlq_phrase *phrase, const struct dlq_plan *plan)
{
    char target[DLQ_PLAN_WORDS], best[DLQ_PLAN_WORDS], count[DLQ_PLAN_WORDS], number[DLQ_TEXT_NUMBER];
    static const struct {
        const char *solve, *none;
    } rows[] = {{"loaders", "No loader count"}, {"prefetch", "No prefetch"}, {"ranks", "No number of ranks"}};
    if (say_outsize(phrase, plan))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].solve, plan->solve) == 0)
            dlq_phrase_add(phrase, "%s", rows[i].none);
    bool fits = plan->answer.host.fits;
    dlq_text_fixed((double)plan->at_most, 0, number);
    if (!fits) {
        dlq_phrase_add(phrase, " up to %s fits the host", number);
        return;
    }
    dlq_phrase_add(phrase, " up to %s reaches %s", number, dlq_plan_say_target(plan, target));
    if (!dlq_plan_has_answer(plan))
        return;
    double reached = plan->answer.figure.value;
    dlq_plan_say_figure(plan, reached, best);
    dlq_phrase_add(phrase, ": %s at best, with %s", best,
                   dlq_plan_say_count(plan, dlq_plan_count(plan, &plan->answer), count));
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
