/* What to try next where the target is not met. */
#include "report/phrase.h"
#include "report/plan_phrases.h"
#include "report/plan_report.h"

#include <math.h>
#include <string.h>

/* Batches/s of a rank that the target takes. */
static double needed_rate(const struct dlq_plan *plan)
{
    if (dlq_plan_of_share(plan))
        return plan->target * plan->answer.bounds.step;
    return plan->target / (double)(plan->description.batch_size * plan->answer.ranks);
}

/* Loaders whose bound reaches the target; NAN: not known. */
static double needed_loaders(const struct dlq_plan *plan)
{
    return ceil(needed_rate(plan) / plan->answer.bounds.load * (double)plan->answer.loaders);
}

/* The count was at its end: twice as many, and as the bound asks for. */
static bool say_more(const struct dlq_plan *plan, struct dlq_phrase *phrase)
{
    enum { MOST = 4096 };
    double more = fmax(2 * (double)plan->at_most, 2 * needed_loaders(plan));
    bool at_end = (double)dlq_plan_count(plan, &plan->answer) >= 0.99 * (double)plan->at_most;
    if (!at_end || strcmp(plan->solve, "loaders") != 0 || !(more <= MOST))
        return false;
    dlq_phrase_add(phrase, "--at-most %.0f", more);
    return true;
}

/* The loaders are given, and too few. */
static bool say_loaders(const struct dlq_plan *plan, struct dlq_phrase *phrase)
{
    enum { MOST = 4096 };
    double loaders = ceil(1.2 * needed_loaders(plan));
    if (strcmp(plan->solve, "loaders") == 0 || !(loaders > (double)plan->answer.loaders && loaders <= MOST))
        return false;
    dlq_phrase_add(phrase, "--set pipeline.loaders=%.0f", loaders);
    return true;
}

/* The bound of the cores grows with their number. */
static bool say_cores(const struct dlq_plan *plan, struct dlq_phrase *phrase)
{
    double cores = ceil(1.02 * plan->description.cores * needed_rate(plan) / plan->answer.bounds.cores);
    if (!isfinite(cores) || cores <= plan->description.cores || cores > 1e6)
        return false;
    dlq_phrase_add(phrase, "--set host.cores=%.0f", cores);
    return true;
}

static bool say_window(const struct dlq_plan *plan, struct dlq_phrase *phrase)
{
    enum { MOST = 64 };
    long prefetch = 2 * plan->answer.prefetch;
    if (prefetch < 2 || prefetch > MOST || strcmp(plan->solve, "prefetch") == 0)
        return false;
    dlq_phrase_add(phrase, "--set pipeline.prefetch=%ld", prefetch);
    return true;
}

static bool say_order(const struct dlq_plan *plan, struct dlq_phrase *phrase)
{
    if (strcmp(plan->description.loader, "pytorch") != 0)
        return false;
    dlq_phrase_add(phrase, "--set pipeline.loader=pytorch-unordered");
    return true;
}

/* What the first that would meet the target takes; whole megabytes, or gigabytes where they are many. */
static bool say_room(const struct dlq_plan *plan, struct dlq_phrase *phrase)
{
    bool memory = plan->binds == DLQ_CAUSE_MEMORY;
    for (size_t i = 0; i < plan->count; i++) {
        const struct dlq_candidate *candidate = &plan->candidates[i];
        double bytes = memory ? candidate->host.memory_bytes : candidate->host.shm_bytes;
        if (!candidate->meets || candidate->host.fits || !(bytes > 0) || strcmp(plan->solve, "ranks") == 0)
            continue;
        bool large = bytes >= 1e10;
        dlq_phrase_add(phrase, "--set host.%s=%.0f%s", memory ? "memory" : "shm", ceil(bytes / (large ? 1e9 : 1e6)),
                       large ? "GB" : "MB");
        return true;
    }
    return false;
}

/* Where they are proven to gain. */
static bool say_persistent(const struct dlq_plan *plan, struct dlq_phrase *phrase)
{
    if (!(dlq_plan_proven_gain(plan, "persistent workers") > 0))
        return false;
    dlq_phrase_add(phrase, "--set pipeline.persistent=yes");
    return true;
}

static bool say_equal_ranks(const struct dlq_plan *plan, struct dlq_phrase *phrase)
{
    (void)plan;
    dlq_phrase_add(phrase, "--set pipeline.slow_ranks=0");
    return true;
}

/* A remedy appends to the phrase, or has none for this plan; enough: only where that change is, in throughput and so in
   what is planned for. */
static const struct {
    enum dlq_cause binds;
    const char *except, *enough;
    bool (*say)(const struct dlq_plan *plan, struct dlq_phrase *phrase);
} remedies[] = {
    {DLQ_CAUSE_LOADERS, "plan.at_most", NULL, say_more},
    {DLQ_CAUSE_LOADERS, "pipeline.loaders", NULL, say_loaders},
    {DLQ_CAUSE_CORES, "host.cores", NULL, say_cores},
    {DLQ_CAUSE_WINDOW, "pipeline.prefetch", NULL, say_window},
    {DLQ_CAUSE_ORDER, "pipeline.loader", NULL, say_order},
    {DLQ_CAUSE_ORDER, "pipeline.prefetch", NULL, say_window},
    {DLQ_CAUSE_VARIANCE, "pipeline.prefetch", NULL, say_window},
    {DLQ_CAUSE_MEMORY, "host.memory", NULL, say_room},
    {DLQ_CAUSE_SHM, "host.shm", NULL, say_room},
    {DLQ_CAUSE_STARTUP, "pipeline.persistent", NULL, say_persistent},
    {DLQ_CAUSE_BARRIER, "pipeline.slow_ranks", "no slow ranks", say_equal_ranks},
    {DLQ_CAUSE_BARRIER, "pipeline.prefetch", "prefetch doubled", say_window},
    {DLQ_CAUSE_BARRIER, "pipeline.loader", "delivery by completion", say_order},
    {DLQ_CAUSE_RECEIVE, "pipeline.prefetch", "prefetch doubled", say_window},
    {DLQ_CAUSE_STARTUP, "pipeline.prefetch", "prefetch doubled", say_window},
};

/* A target that the best candidate reaches, in whole per cent, or with two digits. */
static void say_target(const struct dlq_plan *plan, struct dlq_phrase *phrase)
{
    double reached = plan->answer.figure.low;
    if (!dlq_plan_has_answer(plan) || !(reached > 0))
        return;
    if (dlq_plan_of_share(plan) && reached >= 0.01) {
        dlq_phrase_add(phrase, "--target %.0f%%", floor(100 * reached));
    } else if (!dlq_plan_of_share(plan)) {
        double unit = pow(10, floor(log10(reached)) - 1);
        dlq_phrase_add(phrase, "--target %.12g", floor(reached / unit) * unit);
    }
}

const char *dlq_plan_remedy(const struct dlq_plan *plan, char text[DLQ_PLAN_REMEDY], const char **except)
{
    struct dlq_phrase phrase = {.text = text, .size = DLQ_PLAN_REMEDY};
    const struct dlq_description *description = &plan->description;
    bool has_answer = dlq_plan_has_answer(plan);
    text[0] = '\0';
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies && has_answer; i++) {
        const char *change = remedies[i].enough;
        bool enough = change == NULL || plan->answer.figure.value * (1 + fmax(0, dlq_plan_proven_gain(plan, change))) >=
                                            1.005 * plan->target;
        if (remedies[i].binds == plan->binds && enough && remedies[i].say(plan, &phrase)) {
            *except = remedies[i].except;
            return text;
        }
    }
    *except = "plan.target";
    say_target(plan, &phrase);
    if (text[0] == '\0' && !isnan(description->horizon)) {
        /* So long that many batches fit in. */
        double batches = 1000 * fmax(description->step_mean, 1e-3), loads = 100 * description->load_mean;
        double seconds = ceil(fmax(fmax(batches, loads), 10 * description->horizon));
        *except = "simulate.horizon";
        if (has_answer && isfinite(seconds))
            dlq_phrase_add(&phrase, "--set simulate.horizon=%.0fs", seconds);
    }
    return text;
}
