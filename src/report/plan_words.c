/* What a plan has found, in plain sentences and as the headline of its chart, and what to try next. */
#include "report/causes.h"
#include "report/plan_report.h"
#include "study/plan/plan.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const struct dlq_solved solved[] = {
    {"loaders", "pipeline.loaders", "loaders", "Loader workers", "", " loader", "No loader count", 0},
    {"prefetch", "pipeline.prefetch", "prefetch", "Prefetch", "prefetch ", NULL, "No prefetch", 0},
    {"ranks", "pipeline.ranks", "ranks", "Data-parallel ranks", "", " rank", "No number of ranks", 0},
    {"cores", "host.cores", "cores", "Cores of a host", "", " core", "No number of cores", 0},
    {"bandwidth", "host.bandwidth", "GB/s", "Bandwidth of a host (GB/s)", "", " for each host",
     "No bandwidth of a host", offsetof(struct dlq_candidate, bandwidth)},
    {"storage", "storage.bandwidth", "GB/s", "Bandwidth of the storage (GB/s)", "", " of storage",
     "No bandwidth of the storage", offsetof(struct dlq_candidate, storage)},
    {"instance", "host.instance", "loaders", "Price of all hosts ($ per hour)", "", NULL, "No instance", 0},
};

const struct dlq_solved *dlq_plan_solved(const struct dlq_plan *plan)
{
    size_t i = 0;
    while (strcmp(plan->solve, solved[i].name) != 0)
        i++;
    return &solved[i];
}

double dlq_plan_amount(const struct dlq_plan *plan, const struct dlq_candidate *candidate)
{
    size_t rate = dlq_plan_solved(plan)->rate;
    if (rate > 0)
        return *(const double *)((const char *)candidate + rate);
    return (double)(candidate->instance != NULL ? candidate->loaders : candidate->value);
}

const char *dlq_plan_say_choice(const struct dlq_plan *plan, const struct dlq_candidate *candidate,
                                char text[DLQ_PLAN_WORDS])
{
    char amount[DLQ_QUANTITY_TEXT];
    const struct dlq_solved *words = dlq_plan_solved(plan);
    if (candidate->instance != NULL)
        snprintf(amount, sizeof amount, "%.47s", candidate->instance);
    else if (words->rate > 0)
        dlq_quantity_readable(dlq_plan_amount(plan, candidate), DLQ_UNIT_RATE, 3, amount);
    else
        snprintf(amount, sizeof amount, "%.47s", SAY_COUNT(candidate->value));
    bool several = words->unit != NULL && words->rate == 0 && candidate->value != 1;
    snprintf(text, DLQ_PLAN_WORDS, "%s%s%s%s", words->before, amount, words->unit != NULL ? words->unit : "",
             several ? "s" : "");
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
    for (; decimals < 6; decimals++) {
        double unit = pow(10, -decimals);
        if (dlq_reaches(round(value / unit) * unit, level) == dlq_reaches(value, level))
            break;
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

bool dlq_plan_has_answer(const struct dlq_plan *plan)
{
    return plan->met || (isfinite(plan->answer.figure.value) && plan->answer.host.fits);
}

/* -- sentences -- */

/* What the sentences speak of. */
struct finding {
    const struct dlq_plan *plan;
    struct dlq_system system; /* of the answer */
    struct dlq_known known;   /* likewise */
    bool most;                /* as many as possible are wanted */
    struct dlq_phrase phrase;
};

#define SAY(...) dlq_phrase_add(&finding->phrase, __VA_ARGS__)
#define FIGURE(value) dlq_plan_say_figure(finding->plan, (value), (char[DLQ_PLAN_WORDS]){0})
#define TARGET dlq_plan_say_level(finding->plan, (char[DLQ_PLAN_WORDS]){0})
#define CHOICE(candidate) dlq_plan_say_choice(finding->plan, (candidate), (char[DLQ_PLAN_WORDS]){0})

static void say_lack(struct finding *finding, const struct dlq_host_use *use)
{
    dlq_say_lack(&finding->phrase, use->memory_bytes, use->shm_bytes, &finding->system.host);
}

/* Not met, but the target lies within the interval. */
static bool straddles(const struct finding *finding, const struct dlq_candidate *candidate)
{
    return !candidate->meets && dlq_reaches(candidate->figure.high, finding->plan->target);
}

static const char *holder_of(const struct finding *finding, const struct dlq_candidate *candidate)
{
    enum dlq_cause binds = finding->plan->binds;
    bool fixed = binds == DLQ_CAUSE_BARRIER && dlq_known_fixed_barrier(&finding->known);
    return fixed ? "the barrier of every step"
                 : dlq_cause_holder(binds, &candidate->bounds, finding->plan->description.epoch_batches);
}

/* Why all fall short, behind what the best reaches, and what helps where it is none of the counts. */
static void say_reason(struct finding *finding)
{
    const struct dlq_plan *plan = finding->plan;
    enum dlq_cause cause = dlq_cause_resolve(plan->binds, &plan->answer.bounds);
    char reason[200] = "";
    struct dlq_phrase phrase = {.text = reason, .size = sizeof reason};
    dlq_say_reason(&phrase, &finding->known, cause);
    if (reason[0] != '\0')
        SAY(", as %s.", reason);
    else
        SAY(", held back by %s.", holder_of(finding, &plan->answer));
    if (cause == DLQ_CAUSE_RECEIVE || cause == DLQ_CAUSE_PIN || cause == DLQ_CAUSE_STARTUP ||
        cause == DLQ_CAUSE_CORES || cause == DLQ_CAUSE_HOST_BANDWIDTH || cause == DLQ_CAUSE_STORAGE)
        SAY(" %s", dlq_cure(&finding->known, cause));
}

static void say_met(struct finding *finding)
{
    const struct dlq_plan *plan = finding->plan;
    const struct dlq_candidate *again = NULL, *before = NULL;
    /* What lies before the answer was tried: the search leaves no gap there. Beyond it the target may be missed again.
     */
    for (size_t i = 0; i < plan->count; i++) {
        const struct dlq_candidate *candidate = &plan->candidates[i];
        long value = candidate->value, answer = plan->answer.value;
        if (finding->most ? value > answer && before == NULL : value < answer)
            before = candidate;
        if ((finding->most ? value < answer : value > answer) && again == NULL &&
            candidate->exactness >= DLQ_PLAN_TABLE && !dlq_reaches(candidate->figure.high, plan->target))
            again = candidate;
    }
    SAY("%s%s: %s%s%s", finding->most && plan->answer.value > 1 ? "Up to " : "", CHOICE(&plan->answer),
        strcmp(plan->of, "au") == 0 ? "AU " : "", FIGURE(plan->answer.figure.value),
        strcmp(plan->of, "utilization") == 0 ? " busy" : "");
    if (before == NULL) {
        SAY("; %s", finding->most ? "[plan] at_most allows no more." : "fewer there can't be.");
    } else if (before->meets) {
        SAY("; %s would do, too, but would take ", CHOICE(before));
        say_lack(finding, &before->host);
        SAY(".");
    } else if (straddles(finding, before)) {
        SAY("; %s may do, too: %s, and the target lies within its interval.", CHOICE(before),
            FIGURE(before->figure.value));
    } else {
        SAY("; %s: %s, held back by %s.", CHOICE(before), FIGURE(before->figure.value), holder_of(finding, before));
    }
    if (again != NULL)
        SAY(" Not every %s count does: with %s it is %s.", finding->most ? "smaller" : "larger", CHOICE(again),
            FIGURE(again->figure.value));
}

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
        SAY("No instance reaches %s. The best is %s", TARGET, answer->instance);
    else
        SAY("%s %s", answer->instance, priced ? "is the cheapest that will do" : "will do, at a price not known here");
    SAY(": %s with %s loader%s per rank", FIGURE(answer->figure.value), SAY_COUNT(answer->loaders),
        PLURAL(answer->loaders));
    if (priced)
        SAY(", for $%.2f an hour", answer->cost_per_hour);
    SAY(".");
    if (before != NULL && plan->met)
        SAY(" %s, for $%.2f, reaches %s, held back by %s.", before->instance, before->cost_per_hour,
            FIGURE(before->figure.value),
            dlq_cause_holder(before->binds, &before->bounds, plan->description.epoch_batches));
    if (!plan->met)
        SAY(" It is held back by %s.",
            dlq_cause_holder(answer->binds, &answer->bounds, plan->description.epoch_batches));
    if (unpriced > 0 && priced)
        SAY(" At prices not known here %s would do, too, first of them %s.", SAY_COUNT(unpriced), without);
    SAY(" The step is taken to be as long on each of these.");
}

bool dlq_plan_is_best(const struct dlq_plan *plan)
{
    const double figure = plan->answer.figure.value;
    for (size_t i = 0; i < plan->count; i++) {
        const struct dlq_candidate *candidate = &plan->candidates[i];
        if (candidate->in_table && candidate->host.fits && candidate->figure.value > figure &&
            strcmp(SAY_NUMBER(candidate->figure.value, 3), SAY_NUMBER(figure, 3)) != 0)
            return false;
    }
    return true;
}

static void say_unmet(struct finding *finding)
{
    static const double flat = 0.01;        /* what counts as the same */
    static const double least_gain = 0.005; /* worth a sentence, as in the table of the report */
    const struct dlq_plan *plan = finding->plan;
    const struct dlq_candidate *answer = &plan->answer;
    const struct dlq_estimate *figure = &answer->figure;
    /* Of thousands of loaders the last ones gain too little to be told apart, and yet more would do. */
    bool lacks_loaders = plan->binds == DLQ_CAUSE_LOADERS && strcmp(plan->solve, "loaders") == 0 &&
                         (double)answer->loaders >= 0.99 * (double)plan->last;
    bool certain = figure->high - figure->low <= 2 * flat * figure->value;
    bool end = answer->value == plan->last || lacks_loaders, cut = plan->last < plan->at_most;
    SAY("%s", dlq_plan_solved(plan)->none);
    if (end && dlq_plan_solved(plan)->rate == 0)
        SAY(" up to %s%s", SAY_COUNT(plan->last), cut ? ", the most that can be computed," : "");
    SAY(" %s %s. %s: %s, with %s", straddles(finding, answer) ? "is sure to reach" : "reaches", TARGET,
        dlq_plan_is_best(plan) ? "Best" : "As good as any", CHOICE(answer), FIGURE(figure->value));
    if (straddles(finding, answer))
        SAY(" (the target lies within its interval)");
    say_reason(finding);
    if (end && !cut && plan->binds == DLQ_CAUSE_LOADERS)
        SAY(" Raise [plan] at_most.");
    if (!certain)
        SAY(" The runs are too short to tell whether another count reaches more: this one reaches %s to %s. Raise "
            "[simulate] batches.",
            FIGURE(figure->low), FIGURE(figure->high));
    /* A shorter step is no cure for a share of its time. */
    for (size_t i = 0; i < plan->levers.count; i++) {
        const struct dlq_lever *lever = &plan->levers.rows[i];
        bool step = strcmp(lever->change, "step time halved") == 0;
        double percent = 100 * lever->gain.value;
        if (!lever->proven || !(lever->gain.value >= least_gain) || (step && dlq_plan_of_share(plan)))
            continue;
        SAY(" With %s the best single change is \"%s\": %+.*f %% throughput.", CHOICE(answer), lever->change,
            percent < 9.95, percent);
        break;
    }
}

const char *dlq_plan_text(const struct dlq_model *model, const struct dlq_plan *plan, char text[DLQ_PLAN_TEXT])
{
    struct finding made = {plan, .most = strcmp(plan->solve, "ranks") == 0, .phrase = {text, DLQ_PLAN_TEXT, 0, NULL}};
    struct finding *finding = &made;
    const struct dlq_candidate *outsize = NULL; /* the first that would meet the target, had it room */
    for (size_t i = 0; i < plan->count && outsize == NULL; i++)
        if (plan->candidates[i].meets && !plan->candidates[i].host.fits)
            outsize = &plan->candidates[i];
    text[0] = '\0';
    if (plan->interrupted || !dlq_plan_system(model, plan->answer.value, &made.system))
        return text;
    made.known = (struct dlq_known){&made.system, &plan->answer.bounds, &plan->answer.simulation};
    if (strcmp(plan->solve, "instance") == 0) {
        if (dlq_system_cpu_work(&finding->system) == 0)
            SAY("No stage uses cpu: the cores of an instance do not bind. ");
        say_instances(finding);
    } else if (plan->met) {
        say_met(finding);
    } else if (outsize != NULL) {
        SAY("%s takes %s, and so ", TARGET, CHOICE(outsize));
        say_lack(finding, &outsize->host);
        SAY(". ");
        if (plan->answer.host.fits)
            SAY("Best that fits: %s, with %s.", CHOICE(&plan->answer), FIGURE(plan->answer.figure.value));
        else
            SAY("Even %s would not fit.", CHOICE(&plan->answer));
        if (strcmp(plan->solve, "prefetch") != 0 && made.system.pipeline.prefetch > 1)
            SAY(" A smaller prefetch than %s, or smaller batches, need less.",
                SAY_COUNT(made.system.pipeline.prefetch));
    } else if (!plan->answer.host.fits) {
        SAY("Nothing fits: even %s would take ", CHOICE(&plan->answer));
        say_lack(finding, &plan->answer.host);
        SAY(".");
    } else {
        say_unmet(finding);
    }
    return text;
}

const char *dlq_plan_title(const struct dlq_plan_answer *planned, char text[DLQ_PLAN_WORDS])
{
    static const char *const ends[] = {"; ", ". "};
    const char *said = planned->text;
    size_t length = strlen(said);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *end = strstr(said, ends[i]);
        length = end != NULL && (size_t)(end - said) < length ? (size_t)(end - said) : length;
    }
    if (length > 0 && said[length - 1] == '.')
        length--;
    struct dlq_phrase phrase = {text, DLQ_PLAN_WORDS, 0, NULL};
    dlq_phrase_add(&phrase, "%.*s", (int)length, said);
    return text;
}

/* -- what to try next -- */

const char *dlq_plan_remedy(const struct dlq_plan *plan, char text[DLQ_PLAN_REMEDY], const char **except)
{
    enum { MOST_LOADERS = 4096 };
    const struct dlq_candidate *answer = &plan->answer;
    const bool share = dlq_plan_of_share(plan), loaders = strcmp(plan->solve, "loaders") == 0;
    const double reached = answer->figure.low;
    text[0] = '\0';
    *except = "plan.target";
    if (!dlq_plan_has_answer(plan))
        return text;
    /* More loaders than [plan] allows: as many as the bound asks for. */
    double rate = plan->target * answer->bounds.upper / answer->bound;
    double more = 2 * fmax((double)plan->at_most, ceil(rate / answer->bounds.load * (double)answer->loaders));
    if (plan->binds == DLQ_CAUSE_LOADERS && loaders && (double)answer->value >= 0.99 * (double)plan->at_most &&
        more <= MOST_LOADERS) {
        *except = "plan.at_most";
        snprintf(text, DLQ_PLAN_REMEDY, "--at-most %.0f", more);
    } else if (reached >= (share ? 0.01 : DBL_MIN)) {
        /* What the best candidate reaches, in whole per cent, or with two digits. */
        double unit = share ? 0.01 : pow(10, floor(log10(reached)) - 1);
        snprintf(text, DLQ_PLAN_REMEDY, "--target %.12g%s", (share ? 1 : unit) * floor(reached / unit),
                 share ? "%" : "");
    }
    return text;
}
