/* Markov chains: loaders in order, round-robin, or a pool that delivers what is finished; a delivery frees a place in
   the window; load S and step T exponential, Erlang or hyperexponential, no overheads, one rank. The balance of the
   states at deliveries is solved by iteration, one delivery at a time (the embedded chain of Kendall 1953, "Stochastic
   processes occurring in the theory of queues", Annals of Mathematical Statistics 24). With the mean wait w in units of
   the mean load s, X = 1/(t + w s). Checks, X, exponential: N = 1, p = 1, s = t = 1: 2/3; N = 2, p = 1, s = t = 1:
   14/17; N = 2, p = 2, s = 0.2, t = 0.1: 370/53 (theory 18). */
#include "analytic/analytic.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- systems that have a chain -- */

/* Whether batches are delivered in order: round-robin, or by a single server. */
static bool is_ordered(const struct dlq_system *system)
{
    const struct dlq_loader *loader = dlq_system_loader(system);
    bool order = loader->order == DLQ_ORDER_INDEX && loader->assign == DLQ_ASSIGN_ROUND_ROBIN;
    return order || dlq_system_servers(system) == 1;
}

/* With a larger cv the rates of the alternatives differ too much for convergence in reasonable time. */
static const double most_cv = 50;

/* The phases of a work. False: not a single stage that every batch has, of one of the three families. */
static bool find_phases(const struct dlq_work *work, struct dlq_phases *phases)
{
    const struct dlq_stage *stage = &work->stages[0];
    double mean = stage->dist.mean, variance = stage->dist.variance;
    *phases = (struct dlq_phases){.count = 1, .rate = {1}, .share = {1}};
    if (work->count != 1 || stage->probability != 1 || (stage->per_sample && work->batch_size != 1) || variance == 0)
        return false;
    if (strcmp(stage->family->name, "erlang") == 0) {
        phases->count = (int)lround(mean * mean / variance);
        phases->rate[0] = phases->count;
        return true;
    }
    if (strcmp(stage->family->name, "hyperexponential") == 0) {
        double ratio = variance / (mean * mean);
        double root = ratio > 1 ? sqrt((ratio - 1) / (ratio + 1)) : 0;
        *phases = (struct dlq_phases){true, 2, {(1 + root) / 2, (1 - root) / 2}, {1 + root, 1 - root}};
        return ratio <= most_cv * most_cv * (1 + 1e-9);
    }
    return strcmp(stage->family->name, "exponential") == 0;
}

/* The chain of a system; the step is exponential if it, or the load, has no phases; so is a load without. */
static struct dlq_chain_question question_of(const struct dlq_system *system)
{
    long window = dlq_system_window(system), servers = dlq_system_servers(system);
    struct dlq_chain_question question = {
        .ordered = is_ordered(system),
        .loaders = servers < window ? servers : window, /* no more loads run at once */
        .window = window,
        .step = {.count = 1, .rate = {1}, .share = {1}},
        .ratio = system->step.mean / dlq_system_load_mean(system),
    };
    if (find_phases(&system->load, &question.load) && system->step.mean > 0)
        find_phases(&system->step, &question.step);
    return question;
}

#define LAWS "its distribution must be exponential, erlang or hyperexponential (cv 50 at most), in one stage"

bool dlq_markov_applies(const struct dlq_system *system, char *why, size_t size)
{
    const struct dlq_pipeline *pipeline = &system->pipeline;
    const struct dlq_overheads *times = &system->overheads;
    const struct dlq_loader *loader = dlq_system_loader(system);
    bool pool = loader->order == DLQ_ORDER_COMPLETION && loader->assign == DLQ_ASSIGN_POOL;
    bool described = (is_ordered(system) || pool) && loader->release == DLQ_RELEASE_DELIVERY && !loader->relay &&
                     !dlq_system_is_serial(system);
    bool overheads = times->dispatch > 0 || times->deliver > 0 || times->receive > 0 || times->pin_time > 0;
    bool alike = dlq_system_slowest_loader(system) == 1 && dlq_system_slowest_rank(system) == 1;
    struct dlq_phases phases;
    const struct {
        bool holds;
        const char *otherwise;
    } conditions[] = {
        {described, "for this loader: batches must go round-robin to the loaders and be delivered in order, "
                    "as pytorch does, or be delivered as a pool finishes them, as loader = pool does"},
        {dlq_system_window(system) != DLQ_UNBOUNDED, "for an unbounded window"},
        {find_phases(&system->load, &phases), "for this load: " LAWS},
        {system->step.mean == 0 || find_phases(&system->step, &phases), "for this step: " LAWS " (or mean = 0)"},
        {system->extra.mean == 0, "for steps that are not all alike: leave pauses out"},
        {system->slowdowns == NULL, "for loads that are slowed: leave [slowdown] out"},
        {!system->cache.given, "where a cache shortens loads: leave [cache] out"},
        {!overheads, "for overheads: dispatch, deliver, receive and pin_time must be 0"},
        {pipeline->ranks == 1, "for several ranks"},
        {pipeline->epoch_batches == 0, "for epochs: leave epoch_batches out"},
        {alike, "for slow loaders or ranks: leave slow_loaders and slow_ranks out"},
        {!dlq_system_shares(system), "for loads that share cores or bandwidth"},
    };
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (!conditions[i].holds) {
            snprintf(why, size, "%s", conditions[i].otherwise);
            return false;
        }
    return true;
}

/* Each state of a pool has edges for the phases of its loads, which are stored; a step takes a pass over the states for
   each of its phases. states: exact up to 2^53. */
struct dlq_markov_size dlq_markov_size(const struct dlq_system *system)
{
    const double most_work = 2e7, most_kept = 1e6, most_window = 256;
    const struct dlq_chain_question question = question_of(system);
    double window = (double)question.window, states = dlq_chain_states(&question);
    double phases = question.ordered ? 1 : question.load.count;
    double kept = !question.ordered && question.load.alternatives ? 4 : phases;
    double work = states * window * phases * question.step.count;
    return (struct dlq_markov_size){states, work,
                                    states * kept <= most_kept && work <= most_work && window <= most_window};
}

/* -- waits -- */

/* P(W > x), x in units of s. The number of jumps until x is Poisson distributed; terms far from its mean vanish. */
static double wait_beyond(const struct dlq_chain_answer *answer, double x)
{
    double mean = answer->rate * x, room = 40 + 12 * sqrt(mean), sum = 0;
    size_t from = mean > room ? (size_t)(mean - room) : 0;
    size_t until = mean + room < (double)answer->count ? (size_t)(mean + room) : answer->count;
    for (size_t n = from; n < until; n++)
        sum += answer->left[n] * gsl_ran_poisson_pdf((unsigned)n, mean);
    return sum;
}

/* The least x with P(W <= x) >= p < 1. */
static double wait_quantile(const struct dlq_chain_answer *answer, double p)
{
    double low = 0, high = 1;
    if (answer->count == 0 || 1 - answer->left[0] >= p)
        return 0;
    while (wait_beyond(answer, high) > 1 - p)
        high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
        double middle = (low + high) / 2;
        if (wait_beyond(answer, middle) > 1 - p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

enum dlq_status dlq_markov_solve(const struct dlq_system *system, const volatile sig_atomic_t *interrupted,
                                 struct dlq_markov *markov, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "solving the Markov chain"};
    char why[256];
    if (!dlq_markov_applies(system, why, sizeof why))
        return dlq_error_add(error, DLQ_INVALID, "there is no Markov chain %s", why);
    const struct dlq_markov_size size = dlq_markov_size(system);
    if (!size.solvable)
        return dlq_error_add(error, DLQ_INVALID, "a Markov chain of %.3g states is too large", size.states);
    struct dlq_chain_question question = question_of(system);
    question.interrupted = interrupted;
    struct dlq_chain_answer answer;
    double load = dlq_system_load_mean(system), step = system->step.mean;
    TRY(dlq_chain_solve(&arena, &question, &answer));
    *markov = (struct dlq_markov){
        .throughput = 1 / (step + answer.wait * load),
        .step = step,
        .wait_mean = answer.wait * load,
        .wait_p50 = load * wait_quantile(&answer, 0.5),
        .wait_p90 = load * wait_quantile(&answer, 0.9),
        .wait_p99 = load * wait_quantile(&answer, 0.99),
        .stalled = wait_beyond(&answer, 1e-3 * (step > 0 ? question.ratio : 1)),
    };
    return DLQ_OK;
}
