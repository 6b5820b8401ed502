/* What a plan has found, in plain sentences and as the headline of its chart, and what to try next. */
#include "report/causes.h"
#include "report/plan_report.h"
#include "study/plan/plan.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const struct dlq_quantity_words quantities[] = {
    [DLQ_SOLVE_LOADERS] = {"pipeline.loaders", "loaders", "Loader workers", "", " loader", "No loader count", 0},
    [DLQ_SOLVE_PREFETCH] = {"pipeline.prefetch", "prefetch", "Prefetch", "prefetch ", NULL, "No prefetch", 0},
    [DLQ_SOLVE_RANKS] = {"pipeline.ranks", "ranks", "Data-parallel ranks", "", " rank", "No number of ranks", 0},
    [DLQ_SOLVE_CORES] = {"host.cores", "cores", "Cores of a host", "", " core", "No number of cores", 0},
    [DLQ_SOLVE_BANDWIDTH] = {"host.bandwidth", "GB/s", "Bandwidth of a host (GB/s)", "", " for each host",
                             "No bandwidth of a host", offsetof(struct dlq_candidate, bandwidth)},
    [DLQ_SOLVE_STORAGE] = {"storage.bandwidth", "GB/s", "Bandwidth of the storage (GB/s)", "", " of storage",
                           "No bandwidth of the storage", offsetof(struct dlq_candidate, storage)},
    [DLQ_SOLVE_INSTANCE] = {"host.instance", "loaders", "Price of all hosts ($ per hour)", "", NULL, "No instance", 0},
};

const struct dlq_quantity_words *dlq_plan_quantity(const struct dlq_plan *plan)
{
    return &quantities[plan->solve];
}

double dlq_plan_amount(const struct dlq_plan *plan, const struct dlq_candidate *candidate)
{
    size_t rate = dlq_plan_quantity(plan)->rate;
    if (rate > 0)
        return *(const double *)((const char *)candidate + rate);
    return (double)(candidate->instance != NULL ? candidate->loaders : candidate->value);
}

const char *dlq_plan_say_choice(const struct dlq_plan *plan, const struct dlq_candidate *candidate,
                                char text[DLQ_PLAN_WORDS])
{
    char amount[DLQ_QUANTITY_TEXT];
    const struct dlq_quantity_words *words = dlq_plan_quantity(plan);
    if (words->rate > 0)
        dlq_quantity_readable(dlq_plan_amount(plan, candidate), DLQ_UNIT_RATE, 3, amount);
    else
        snprintf(amount, sizeof amount, "%.47s",
                 candidate->instance != NULL ? candidate->instance : SAY_COUNT(candidate->value));
    bool several = words->unit != NULL && words->rate == 0 && candidate->value != 1;
    snprintf(text, DLQ_PLAN_WORDS, "%s%s%s%s", words->before, amount, words->unit != NULL ? words->unit : "",
             several ? "s" : "");
    return text;
}

bool dlq_plan_of_share(const struct dlq_plan *plan)
{
    return plan->of != DLQ_OF_SAMPLES_PER_SECOND;
}

/* The fewest decimals, at least `least` and at most 6, with which the rounded value stays on its side of the level. */
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
    if (dlq_plan_of_share(plan)) {
        int least = decimals_for(100 * figure, 100 * plan->target, dlq_quantity_share_decimals(figure));
        snprintf(text, DLQ_PLAN_WORDS, "%.*f %%", figure > 1 - 1e-7 ? 0 : decimals_for(100 * figure, 100, least),
                 100 * figure);
        return text;
    }
    int decimals = decimals_for(figure, plan->target, figure >= 100 ? 0 : figure >= 10 ? 1 : 2);
    snprintf(text, DLQ_PLAN_WORDS, "%s samples/s", SAY_FIXED(figure, decimals));
    return text;
}

const char *dlq_plan_say_target(const struct dlq_plan *plan, char text[DLQ_PLAN_WORDS])
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

const struct dlq_candidate *dlq_plan_held(const struct dlq_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->candidates[i].value == plan->held)
            return &plan->candidates[i];
    return &plan->answer;
}

/* -- sentences -- */

/* A plan, its answer's system, and the text that the sentences are added to. */
struct finding {
    const struct dlq_plan *plan;
    struct dlq_system system;  /* of the answer */
    struct dlq_simulated held; /* the candidate that shows what binds (dlq_plan_held) */
    bool most;                 /* the plan looks for the most, not the least, that meets the target */
    struct dlq_phrase phrase;
};

#define SAY(...) dlq_phrase_add(&finding->phrase, __VA_ARGS__)
#define FIGURE(value) dlq_plan_say_figure(finding->plan, (value), (char[DLQ_PLAN_WORDS]){0})
#define TARGET dlq_plan_say_target(finding->plan, (char[DLQ_PLAN_WORDS]){0})
#define CHOICE(candidate) dlq_plan_say_choice(finding->plan, (candidate), (char[DLQ_PLAN_WORDS]){0})

static void say_lack(struct finding *finding, const struct dlq_host_use *use)
{
    dlq_say_lack(&finding->phrase, use->memory_bytes, use->shm_bytes, &finding->system.host);
}

/* The candidate misses the target, which lies within its interval. */
static bool interval_holds_target(const struct finding *finding, const struct dlq_candidate *candidate)
{
    return !candidate->meets && dlq_reaches(candidate->figure.high, finding->plan->target);
}

static const char *holder_of_cause(const struct finding *finding, enum dlq_cause cause,
                                   const struct dlq_candidate *candidate)
{
    return dlq_cause_holder(cause, &candidate->bounds, finding->plan->description.epoch_batches);
}

/* What keeps a candidate of the plan from its target. */
static const char *what_keeps_back(const struct finding *finding, const struct dlq_candidate *candidate)
{
    enum dlq_cause binds = finding->plan->obstacle;
    return binds == DLQ_CAUSE_BARRIER && dlq_barrier_is_fixed(&finding->held)
               ? "the barrier of every step"
               : holder_of_cause(finding, binds, candidate);
}

/* After the best figure: why all candidates fall short, and what helps if neither loaders, prefetch nor ranks do. */
static void say_reason(struct finding *finding)
{
    const struct dlq_plan *plan = finding->plan;
    enum dlq_cause cause = dlq_cause_resolve(plan->obstacle, finding->held.bounds);
    char reason[200] = "";
    struct dlq_phrase phrase = {.text = reason, .size = sizeof reason};
    dlq_say_reason(&phrase, &finding->held, cause);
    if (cause == DLQ_CAUSE_STEP && !dlq_plan_of_share(plan))
        dlq_phrase_add(&phrase, "the step allows %s at most",
                       FIGURE(plan->answer.figure_bound * plan->answer.bounds.step / plan->answer.bounds.upper));
    if (reason[0] != '\0')
        SAY(", as %s.", reason);
    else
        SAY(", held back by %s.", what_keeps_back(finding, dlq_plan_held(plan)));
    if (cause == DLQ_CAUSE_RECEIVE || cause == DLQ_CAUSE_PIN || cause == DLQ_CAUSE_STARTUP ||
        cause == DLQ_CAUSE_CORES || cause == DLQ_CAUSE_CONTENTION || cause == DLQ_CAUSE_HOST_BANDWIDTH ||
        cause == DLQ_CAUSE_STORAGE)
        SAY(" %s", dlq_cure(&finding->held, cause));
}

static void say_met(struct finding *finding)
{
    const struct dlq_plan *plan = finding->plan;
    /* The nearest candidate short of the answer (the search leaves no gap there), and one beyond the answer that misses
       the target again. */
    const struct dlq_candidate *before = NULL, *again = NULL;
    for (size_t i = 0; i < plan->count; i++) {
        const struct dlq_candidate *candidate = &plan->candidates[i];
        const long distance = (candidate->value - plan->answer.value) * (finding->most ? -1 : 1);
        if (distance < 0 && (before == NULL || !finding->most))
            before = candidate;
        if (distance > 0 && again == NULL && candidate->run_length >= DLQ_RUN_FULL &&
            !dlq_reaches(candidate->figure.high, plan->target))
            again = candidate;
    }
    SAY("%s%s: %s%s%s", finding->most && plan->answer.value > 1 ? "Up to " : "", CHOICE(&plan->answer),
        plan->of == DLQ_OF_AU ? "AU " : "", FIGURE(plan->answer.figure.value),
        plan->of == DLQ_OF_UTILIZATION ? " busy" : "");
    if (before == NULL) {
        SAY("; %s", finding->most ? "[plan] at_most allows no more." : "fewer there can't be.");
    } else if (before->meets) {
        SAY("; %s would do, too, but would take ", CHOICE(before));
        say_lack(finding, &before->host);
        SAY(".");
    } else if (interval_holds_target(finding, before)) {
        SAY("; %s may do, too: %s, and the target lies within its interval.", CHOICE(before),
            FIGURE(before->figure.value));
    } else {
        SAY("; %s: %s, held back by %s.", CHOICE(before), FIGURE(before->figure.value),
            what_keeps_back(finding, before));
    }
    if (again != NULL)
        SAY(" Not every %s count does: with %s it is %s.", finding->most ? "smaller" : "larger", CHOICE(again),
            FIGURE(again->figure.value));
}

/* Says the answer, the next cheaper instance, and which instances meet the target but have no price. */
static void say_instances(struct finding *finding)
{
    const struct dlq_plan *plan = finding->plan;
    const struct dlq_candidate *answer = &plan->answer, *cheaper = NULL;
    const char *first_unpriced = NULL;
    long unpriced = 0;
    bool priced = !isnan(answer->cost_per_hour);
    for (size_t i = 0; i < plan->count; i++) {
        const struct dlq_candidate *candidate = &plan->candidates[i];
        if (candidate->value == answer->value && i > 0 && priced)
            cheaper = &plan->candidates[i - 1];
        if (isnan(candidate->cost_per_hour) && candidate->meets && candidate->host.fits && unpriced++ == 0)
            first_unpriced = candidate->instance;
    }
    if (!plan->met)
        SAY("No instance reaches %s. The best is %s", TARGET, answer->instance);
    else
        SAY("%s %s", answer->instance, priced ? "is the cheapest that will do" : "will do, at a price not known here");
    SAY(": %s with %s loader%s per rank", FIGURE(answer->figure.value), SAY_COUNT(answer->loaders),
        PLURAL(answer->loaders));
    if (priced)
        SAY(", for $%.2f an hour in all", answer->cost_per_hour);
    if (priced && answer->hosts > 1)
        SAY(" (%s hosts)", SAY_COUNT(answer->hosts));
    SAY(".");
    if (cheaper != NULL && plan->met)
        SAY(" %s, for $%.2f, reaches %s, held back by %s.", cheaper->instance, cheaper->cost_per_hour,
            FIGURE(cheaper->figure.value), holder_of_cause(finding, cheaper->obstacle, cheaper));
    if (!plan->met)
        SAY(" It is held back by %s.", holder_of_cause(finding, answer->obstacle, answer));
    if (unpriced == 1 && priced)
        SAY(" %s would do, too, at a price not known here.", first_unpriced);
    else if (unpriced > 1 && priced)
        SAY(" At prices not known here %s would do, too, first of them %s.", SAY_COUNT(unpriced), first_unpriced);
    SAY(" The step is assumed to take the same time on each of these.");
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

/* Whether what is planned for, loaders or cores, is itself what binds. */
static bool asks_for_more(const struct dlq_plan *plan)
{
    return (plan->solve == DLQ_SOLVE_CORES && plan->obstacle == DLQ_CAUSE_CORES) ||
           (plan->solve == DLQ_SOLVE_LOADERS && plan->obstacle == DLQ_CAUSE_LOADERS);
}

static void say_unmet(struct finding *finding)
{
    static const double widest = 0.02;      /* relative width of an interval that tells counts apart */
    static const double least_gain = 0.005; /* worth a sentence, as in the table of the report */
    static const double nearly_all = 0.99;  /* of the largest count: the last 1 % of it gains nothing visible */
    const struct dlq_plan *plan = finding->plan;
    const struct dlq_candidate *answer = &plan->answer;
    const struct dlq_estimate *figure = &answer->figure;
    const bool lacks = asks_for_more(plan) && (double)answer->value >= nearly_all * (double)plan->largest_value;
    const bool at_end = answer->value == plan->largest_value || lacks, cut = plan->largest_value < plan->at_most;
    SAY("%s", dlq_plan_quantity(plan)->none);
    if (at_end && dlq_plan_quantity(plan)->rate == 0)
        SAY(" up to %s%s", SAY_COUNT(plan->largest_value), cut ? ", the most that can be computed," : "");
    SAY(" %s %s. %s: %s, with %s", interval_holds_target(finding, answer) ? "is sure to reach" : "reaches", TARGET,
        dlq_plan_is_best(plan) ? "Best" : "Best within the intervals", CHOICE(answer), FIGURE(figure->value));
    if (interval_holds_target(finding, answer))
        SAY(" (the target lies within its interval)");
    say_reason(finding);
    if (at_end && !cut && asks_for_more(plan))
        SAY(" Raise [plan] at_most.");
    if (!(figure->high - figure->low <= widest * figure->value))
        SAY(" The runs are too short to tell whether another count reaches more: this one reaches %s to %s. Raise "
            "[simulate] batches.",
            FIGURE(figure->low), FIGURE(figure->high));
    /* Where a share of the time is planned for, a shorter step is no cure. */
    for (size_t i = 0; i < plan->levers.count; i++) {
        const struct dlq_lever *lever = &plan->levers.rows[i];
        double percent = 100 * lever->gain.value;
        if (!lever->proven || !(lever->gain.value >= least_gain) ||
            (lever->id == DLQ_LEVER_STEP_TIME_HALVED && dlq_plan_of_share(plan)))
            continue;
        SAY(" With %s the best single change is \"%s\": %+.*f %% throughput.", CHOICE(answer), lever->change,
            percent < 9.95, percent);
        break;
    }
}

/* `large` would meet the target, but does not fit the host. */
static void say_too_large(struct finding *finding, const struct dlq_candidate *large)
{
    const struct dlq_candidate *answer = &finding->plan->answer;
    const long prefetch = finding->system.pipeline.prefetch;
    SAY("%s takes %s, and so ", TARGET, CHOICE(large));
    say_lack(finding, &large->host);
    SAY(". ");
    if (answer->host.fits)
        SAY("Best that fits: %s, with %s.", CHOICE(answer), FIGURE(answer->figure.value));
    else
        SAY("Even %s would not fit.", CHOICE(answer));
    const struct dlq_host *host = &finding->system.host;
    const double loaders = (double)(large->loaders * dlq_system_ranks_per_host(&finding->system));
    if (loaders * host->loader_memory > host->memory)
        SAY(" The loaders by themselves take %s: fewer, or some that take less, help.",
            SAY_SIZE(loaders * host->loader_memory, 3));
    else if (finding->plan->solve != DLQ_SOLVE_PREFETCH && prefetch > 1)
        SAY(" A smaller prefetch than %s, or smaller batches, need less.", SAY_COUNT(prefetch));
}

const char *dlq_plan_text(const struct dlq_model *model, const struct dlq_plan *plan, char text[DLQ_PLAN_TEXT])
{
    struct finding made = {plan, .most = plan->solve == DLQ_SOLVE_RANKS, .phrase = {text, DLQ_PLAN_TEXT, 0, NULL}};
    struct finding *finding = &made;
    const struct dlq_candidate *held = dlq_plan_held(plan);
    struct dlq_system system_held;
    size_t large = 0; /* the first candidate that would meet the target, were the host larger */
    while (large < plan->count && !(plan->candidates[large].meets && !plan->candidates[large].host.fits))
        large++;
    text[0] = '\0';
    if (plan->interrupted || !dlq_plan_system(model, plan->answer.value, &made.system) ||
        !dlq_plan_system(model, held->value, &system_held))
        return text;
    made.held = (struct dlq_simulated){&system_held, &held->bounds, &held->simulation};
    if (plan->solve == DLQ_SOLVE_INSTANCE) {
        say_instances(finding);
        if (dlq_system_cpu_work(&made.system) == 0)
            SAY(" No stage uses cpu: the cores of an instance do not bind.");
    } else if (plan->met) {
        say_met(finding);
    } else if (large < plan->count) {
        say_too_large(finding, &plan->candidates[large]);
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
    const char *said = planned->text, *dot = strstr(said, ". "), *semicolon = strstr(said, "; ");
    const char *end = dot != NULL ? dot : said + strlen(said);
    if (semicolon != NULL && semicolon < end)
        end = semicolon;
    if (end > said && end[-1] == '.')
        end--;
    dlq_phrase_add(&(struct dlq_phrase){text, DLQ_PLAN_WORDS, 0, NULL}, "%.*s", (int)(end - said), said);
    return text;
}

/* -- what to try next -- */

const char *dlq_plan_remedy(const struct dlq_plan *plan, char text[DLQ_PLAN_REMEDY], const char **except)
{
    enum { MOST_COUNT = 4096, MOST_RANKS = 65535 }; /* that is simulated in a minute; that [plan] allows */
    const struct dlq_candidate *answer = &plan->answer;
    const bool share = dlq_plan_of_share(plan);
    const double reached = answer->figure.low;
    text[0] = '\0';
    *except = "plan.target";
    if (!dlq_plan_has_answer(plan))
        return text;
    if (plan->met) { /* as many ranks as [plan] allows: there may be more */
        *except = "plan.at_most";
        if (plan->solve == DLQ_SOLVE_RANKS && answer->value == plan->at_most && plan->at_most < MOST_RANKS)
            snprintf(text, DLQ_PLAN_REMEDY, "--at-most %.0f", fmin(2 * (double)plan->at_most, MOST_RANKS));
        return text;
    }
    /* More loaders or cores than [plan] allows: as many as the bound asks for. */
    double rate = plan->target * answer->bounds.upper / answer->figure_bound;
    double bound = plan->solve == DLQ_SOLVE_CORES ? answer->bounds.cores : answer->bounds.load;
    double more = 2 * fmax((double)plan->at_most, ceil(rate / bound * (double)answer->value));
    if (asks_for_more(plan) && (double)answer->value >= 0.99 * (double)plan->at_most && more <= MOST_COUNT) {
        *except = "plan.at_most";
        snprintf(text, DLQ_PLAN_REMEDY, "--at-most %.0f", more);
    } else if (reached >= (share ? 0.01 : DBL_MIN)) {
        /* The figure of the best candidate, rounded down to a whole per cent or to two digits. */
        double unit = share ? 0.01 : pow(10, floor(log10(reached)) - 1);
        snprintf(text, DLQ_PLAN_REMEDY, "--target %.12g%s", (share ? 1 : unit) * floor(reached / unit),
                 share ? "%" : "");
    }
    return text;
}
