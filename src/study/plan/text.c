/* A plan's finding in plain sentences. */
#include "study/plan/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- met -- */

static void say_before(struct dlq_words *text)
{
    const struct dlq_plan_facts *facts = text->facts;
    const struct dlq_trial *before = facts->before;
    bool most = facts->search->trials->axis->most;
    if (before == NULL && most)
        dlq_words_say(text, ", as many as [plan] at_most allows.");
    else if (before == NULL)
        dlq_words_say(text, ", and fewer there can't be.");
    else if (before->candidate.meets)
        dlq_words_say(text, "; %s would too, but %s ", COUNT(before->value),
                      dlq_words_singular(text, before->value) ? "needs" : "need");
    else if (dlq_words_straddles(text, &before->candidate))
        dlq_words_say(text, "; %s may do, too: it is within the interval of the target (%s).", COUNT(before->value),
                      FIGURE_OF(before->candidate.figure.value));
    else
        dlq_words_say(text, "; %s %s %s, held back by %s.", COUNT(before->value),
                      dlq_words_singular(text, before->value) ? "reaches" : "reach",
                      FIGURE_OF(before->candidate.figure.value), dlq_words_holder(text));
    if (before != NULL && before->candidate.meets) {
        dlq_words_lack(text, &before->candidate.host);
        dlq_words_say(text, ".");
    }
}

/* A larger one that misses the target again; with most: a smaller one. */
static const struct dlq_trial *relapse(const struct dlq_plan_facts *facts)
{
    const struct dlq_trials *trials = facts->search->trials;
    for (size_t i = 0; i < trials->count; i++) {
        const struct dlq_trial *trial = &trials->rows[i];
        bool beyond = trials->axis->most ? trial->value < facts->answer->value : trial->value > facts->answer->value;
        if (beyond && trial->exactness >= DLQ_PLAN_TABLE && !dlq_reaches(trial->candidate.figure.high, trials->target))
            return trial;
    }
    return NULL;
}

static void say_met(struct dlq_words *text)
{
    const struct dlq_plan_facts *facts = text->facts;
    const struct dlq_trial *again = relapse(facts);
    if (facts->search->trials->axis->most && facts->before != NULL)
        dlq_words_say(text, "At most ");
    dlq_words_reach(text, facts->answer->value, facts->plan->answer.figure.value);
    say_before(text);
    if (again != NULL)
        dlq_words_say(text, " Not every %s count does: %s %s %s.",
                      facts->search->trials->axis->most ? "smaller" : "larger", COUNT(again->value),
                      dlq_words_singular(text, again->value) ? "reaches" : "reach",
                      FIGURE_OF(again->candidate.figure.value));
}

/* -- not met -- */

static void say_remedies(struct dlq_words *text)
{
    const struct dlq_plan_facts *facts = text->facts;
    const struct {
        const char *what;
        long number;
        double reached;
    } remedies[] = {{"With a prefetch of", 2 * facts->system.pipeline.prefetch, facts->doubled},
                    {"Delivered by completion", 0, facts->unordered}};
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++) {
        char number[DLQ_WORDS_FIGURE] = "";
        bool enough = dlq_reaches(remedies[i].reached, facts->plan->target);
        if (!enough && !(remedies[i].reached > 1.01 * facts->plan->answer.figure.value))
            continue;
        if (remedies[i].number > 0)
            snprintf(number, sizeof number, " %.40s", COUNT(remedies[i].number));
        dlq_words_say(text, " %s%s it would be %s%s.", remedies[i].what, number, FIGURE_OF(remedies[i].reached),
                      enough ? ": enough" : "");
    }
}

/* Within 1 %: what the answer reaches, and what larger ones do. */
static const double flat = 0.01;

static bool is_certain(const struct dlq_plan_facts *facts)
{
    const struct dlq_estimate *figure = &facts->answer->candidate.figure;
    return figure->high - figure->low <= 2 * flat * figure->value;
}

static bool is_flat(const struct dlq_plan_facts *facts)
{
    const struct dlq_trials *trials = facts->search->trials;
    double most = (1 + flat) * facts->answer->candidate.figure.value;
    for (size_t i = 0; i < trials->count; i++) {
        const struct dlq_candidate *candidate = &trials->rows[i].candidate;
        if (trials->rows[i].value > facts->answer->value && candidate->host.fits && candidate->figure.value > most)
            return false;
    }
    return is_certain(facts);
}

/* Of thousands of loaders the last ones gain too little to be told apart, and yet more would do. */
static bool lacks_loaders(const struct dlq_plan_facts *facts)
{
    const struct dlq_plan_search *search = facts->search;
    double last = (double)search->existing[search->count - 1];
    return facts->plan->binds == DLQ_CAUSE_LOADERS && strcmp(facts->plan->solve, "loaders") == 0 &&
           (double)facts->answer->value >= 0.99 * last;
}

/* Of larger ones, those that were tried do no better, or do not fit. */
static const char *beyond(const struct dlq_plan_facts *facts)
{
    const struct dlq_trials *trials = facts->search->trials;
    const struct dlq_trial *last = trials->count > 0 ? &trials->rows[trials->count - 1] : facts->answer;
    if (last->value <= facts->answer->value || lacks_loaders(facts) || (last->candidate.host.fits && !is_flat(facts)))
        return "";
    if (trials->axis->most)
        return ", and more get no further";
    return last->candidate.host.fits ? ", and more gain nothing" : ", and not many more fit";
}

static void say_uncertain(struct dlq_words *text)
{
    const struct dlq_estimate *figure = &text->facts->answer->candidate.figure;
    dlq_words_say(
        text,
        " The runs are too short to tell whether another count reaches more: this one reaches %s to %s. Raise "
        "[simulate] batches.",
        FIGURE_OF(figure->low), FIGURE_OF(figure->high));
}

static void say_unmet(struct dlq_words *text)
{
    const struct dlq_plan_facts *facts = text->facts;
    const struct dlq_trials *trials = facts->search->trials;
    const char *axis = facts->plan->solve;
    long answer = facts->answer->value;
    long last = facts->search->existing[facts->search->count - 1];
    bool end = answer == last || lacks_loaders(facts), cut = last < trials->at_most;
    dlq_words_say(text, "No %s",
                  trials->axis->most             ? "number of ranks"
                  : strcmp(axis, "loaders") == 0 ? "loader count"
                                                 : axis);
    if (end)
        dlq_words_say(text, " up to %s%s", COUNT(last), cut ? ", the most that can be computed," : "");
    dlq_words_say(text, " reaches %s: ", TARGET);
    dlq_words_say(text, "%s %s to %s%s", CHOICE(answer), dlq_words_singular(text, answer) ? "gets" : "get",
                  FIGURE_OF(facts->plan->answer.figure.value), beyond(facts));
    if (dlq_words_straddles(text, &facts->plan->answer))
        dlq_words_say(text, " (within the interval of the target)");
    dlq_words_reason(text);
    if (end && !cut && facts->plan->binds == DLQ_CAUSE_LOADERS)
        dlq_words_say(text, " Raise [plan] at_most.");
    if (!is_certain(facts))
        say_uncertain(text);
    say_remedies(text);
}

/* Batches in flight, not what workers hold for themselves, take most of what is lacking. */
static bool batches_take_most(const struct dlq_plan_facts *facts)
{
    struct dlq_system system;
    double all = facts->outsize->candidate.host.memory_bytes;
    if (facts->plan->binds != DLQ_CAUSE_MEMORY ||
        !dlq_trials_system(facts->search->trials, facts->outsize->value, &system))
        return true;
    system.host.loader_memory = NAN;
    return dlq_system_memory(&system) > 0.5 * all;
}

static void say_outsize(struct dlq_words *text)
{
    const struct dlq_plan_facts *facts = text->facts;
    const struct dlq_trial *outsize = facts->outsize;
    bool one = dlq_words_singular(text, outsize->value);
    dlq_words_say(text, "%s takes %s, but %s ", TARGET, CHOICE(outsize->value), one ? "that needs" : "these need");
    dlq_words_lack(text, &outsize->candidate.host);
    if (facts->answer->candidate.host.fits)
        dlq_words_say(text, ": %s %s and %s %s.", COUNT(facts->answer->value),
                      dlq_words_singular(text, facts->answer->value) ? "fits" : "fit",
                      dlq_words_singular(text, facts->answer->value) ? "reaches" : "reach",
                      FIGURE_OF(facts->plan->answer.figure.value));
    else
        dlq_words_say(text, "; even %s does not fit.", CHOICE(facts->answer->value));
    if (!batches_take_most(facts))
        dlq_words_say(text, " Most of it is the workers' own.");
    else if (strcmp(facts->plan->solve, "prefetch") != 0 && facts->system.pipeline.prefetch > 1)
        dlq_words_say(text, " A smaller prefetch than %s, or smaller batches, need less.",
                      COUNT(facts->system.pipeline.prefetch));
}

static void say_nothing_fits(struct dlq_words *text)
{
    const struct dlq_plan_facts *facts = text->facts;
    dlq_words_say(text, "Nothing fits: even %s %s ", CHOICE(facts->answer->value),
                  dlq_words_singular(text, facts->answer->value) ? "needs" : "need");
    dlq_words_lack(text, &facts->answer->candidate.host);
    dlq_words_say(text, ".");
}

void dlq_plan_say(const struct dlq_plan_facts *facts, char *text, size_t size)
{
    struct dlq_words words = {.facts = facts, .text = text, .size = size};
    text[0] = '\0';
    if (facts->plan->met)
        say_met(&words);
    else if (facts->outsize != NULL)
        say_outsize(&words);
    else if (!facts->answer->candidate.host.fits)
        say_nothing_fits(&words);
    else
        say_unmet(&words);
}
