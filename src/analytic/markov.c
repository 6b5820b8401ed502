/* Loaders in order, round-robin, credits back at delivery; load S and step T exponential, no overheads, one rank. The
   state is how many finished batches each loader holds, counted from the one whose batch is due, and whether the
   trainer steps or waits: with K = p N, (p + 2)(p + 1)^(N - 1) states. Balance is solved as seen at deliveries, one
   delivery at a time (the embedded chain of Kendall 1953, "Stochastic processes occurring in the theory of queues",
   Annals of Mathematical Statistics 24). With w the share of deliveries that the trainer waits for, X = 1/(t + w s).
   Checks, X: N = 1, p = 1, s = t = 1: 2/3; N = 2, p = 1, s = t = 1: 14/17; N = 2, p = 2, s = 0.2, t = 0.1: 370/53. */
#include "analytic/markov.h"

#include "analytic/chain.h"
#include "analytic/extrapolate.h"
#include "base/elementary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double most_bytes = 60.0 * 1024 * 1024;

static bool is_exponential(const struct dlq_work *work)
{
    const struct dlq_stage *stage = &work->stages[0];
    return work->count == 1 && stage->probability == 1 && (!stage->per_sample || work->batch_size == 1) &&
           strcmp(stage->family->name, "exponential") == 0;
}

static bool has_overheads(const struct dlq_overheads *overheads)
{
    return overheads->dispatch > 0 || overheads->deliver > 0 || overheads->receive > 0 || overheads->pin_time > 0;
}

/* One server leaves no other order. */
static bool is_ordered(const struct dlq_system *system)
{
    const struct dlq_loader *loader = dlq_system_loader(system);
    bool order = loader->order == DLQ_ORDER_INDEX && loader->assign == DLQ_ASSIGN_ROUND_ROBIN;
    return (order || dlq_system_servers(system) == 1) && loader->release == DLQ_RELEASE_DELIVERY && !loader->relay &&
           !dlq_system_is_serial(system);
}

/* The first condition that fails; null: none. */
static const char *obstacle(const struct dlq_system *system)
{
    const struct dlq_pipeline *pipeline = &system->pipeline;
    const struct {
        bool holds;
        const char *otherwise;
    } conditions[] = {
        {is_ordered(system), "for this loader: batches must go round-robin to the loaders and be delivered in order, "
                             "as pytorch does"},
        {dlq_system_window(system) != DLQ_UNBOUNDED, "for an unbounded window"},
        {is_exponential(&system->load), "for this load: its distribution must be exponential, in one stage"},
        {system->step.mean == 0 || is_exponential(&system->step),
         "for this step: its distribution must be exponential, in one stage (or mean = 0)"},
        {!has_overheads(&system->overheads), "for overheads: dispatch, deliver, receive and pin_time must be 0"},
        {pipeline->ranks == 1, "for several ranks"},
        {pipeline->epoch_batches == 0, "for epochs: leave epoch_batches out"},
        {pipeline->slow_factor == 1 || pipeline->slow_loaders == 0, "for unequal loaders: leave slow_loaders out"},
        {!dlq_system_shares(system), "for loads that share cores or bandwidth"},
    };
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (!conditions[i].holds)
            return conditions[i].otherwise;
    return NULL;
}

bool dlq_markov_applies(const struct dlq_system *system, char *why, size_t size)
{
    const char *found = obstacle(system);
    if (found != NULL)
        snprintf(why, size, "%s", found);
    return found == NULL;
}

double dlq_markov_states(const struct dlq_system *system)
{
    return dlq_chain_states(dlq_system_servers(system), dlq_system_window(system));
}

static bool one_by_one(const struct dlq_system *system)
{
    return dlq_system_servers(system) == 1 || dlq_system_window(system) == 1;
}

/* M/M/1 with room for K + 1: empty with share 1/(1 + r + ... + r^(K + 1)), r = t/s, and of its arrivals 1/(1 + r + ...
   + r^K) find it so. Check: K = 1, r = 1: 1/2. */
static double single_waiting(const struct dlq_system *system)
{
    double ratio = system->step.mean / dlq_system_load_mean(system);
    double sum = 0;
    for (long n = dlq_system_window(system); n >= 0 && sum < 1e300; n--) {
        double next = 1 + ratio * sum;
        if (next == sum)
            break;
        sum = next;
    }
    return 1 / sum;
}

double dlq_markov_work(const struct dlq_system *system)
{
    return dlq_markov_states(system) * (double)dlq_system_window(system);
}

bool dlq_markov_is_solvable(const struct dlq_system *system)
{
    return one_by_one(system) ||
           (dlq_markov_states(system) <= DLQ_MARKOV_MOST_STATES && dlq_markov_work(system) <= DLQ_MARKOV_MOST &&
            dlq_system_window(system) <= DLQ_MARKOV_MOST_WINDOW);
}

static double deliver(void *chain, const double *from, double *to)
{
    return dlq_chain_deliver(chain, from, to);
}

/* As many directions as the memory allows: they and two vectors besides, and the chain's own. */
static int directions(const struct dlq_chain *chain)
{
    double vector = (double)dlq_chain_size(chain) * sizeof(double);
    double rest = most_bytes - (double)(chain->all + chain->rest) * sizeof(double);
    double fit = floor(rest / vector) - 3;
    return fit >= DLQ_MOST_DIRECTIONS ? DLQ_MOST_DIRECTIONS : fit < 2 ? 2 : (int)fit;
}

/* The share of deliveries that are waited for. */
static enum dlq_status balance(struct dlq_chain *chain, long window, const volatile sig_atomic_t *interrupted,
                               double *waiting, struct dlq_error *error)
{
    const struct dlq_fixed_point problem = {
        .size = dlq_chain_size(chain),
        .map = deliver,
        .context = chain,
        .directions = directions(chain),
        .tolerance =
            fmin(1e-12, 4e-9 / ((double)window * (double)window)), /* balance takes up to some K^2 deliveries */
        .rest = 1e-11,
        .most = 2000 + 100 * window,
        .interrupted = interrupted,
    };
    double *shares = malloc(problem.size * sizeof *shares);
    if (shares == NULL)
        return dlq_error_memory(error, "solving the Markov chain");
    for (size_t i = 0; i < problem.size; i++)
        shares[i] = 1 / (double)problem.size;
    enum dlq_status status = dlq_fixed_point_find(&problem, shares, waiting, error);
    free(shares);
    return status;
}

static enum dlq_status refuse(const struct dlq_system *system, struct dlq_error *error)
{
    char why[256];
    if (!dlq_markov_applies(system, why, sizeof why))
        return dlq_error_add(error, DLQ_INVALID, "there is no Markov chain %s", why);
    if (!dlq_markov_is_solvable(system))
        return dlq_error_add(error, DLQ_INVALID, "a Markov chain of %.3g states is too large",
                             dlq_markov_states(system));
    return DLQ_OK;
}

static enum dlq_status find_waiting(const struct dlq_system *system, const volatile sig_atomic_t *interrupted,
                                    double *waiting, struct dlq_error *error)
{
    struct dlq_chain chain;
    enum dlq_status status = DLQ_OK;
    long window = dlq_system_window(system);
    long loaders = dlq_system_servers(system) < window ? dlq_system_servers(system) : window;
    if (interrupted != NULL && *interrupted != 0)
        return DLQ_INTERRUPTED;
    if (one_by_one(system)) {
        *waiting = single_waiting(system);
        return DLQ_OK;
    }
    if (dlq_chain_begin(&chain, loaders, window, system->step.mean / dlq_system_load_mean(system)))
        status = balance(&chain, window, interrupted, waiting, error);
    else
        status = dlq_error_memory(error, "solving the Markov chain");
    dlq_chain_end(&chain);
    return status;
}

enum dlq_status dlq_markov_solve(const struct dlq_system *system, const volatile sig_atomic_t *interrupted,
                                 struct dlq_markov *markov, struct dlq_error *error)
{
    struct dlq_markov found = {.load = dlq_system_load_mean(system), .step = system->step.mean};
    enum dlq_status status = refuse(system, error);
    if (status != DLQ_OK)
        return status;
    status = find_waiting(system, interrupted, &found.waiting, error);
    if (status != DLQ_OK)
        return status;
    found.throughput = 1 / (found.step + found.waiting * found.load);
    *markov = found;
    return DLQ_OK;
}

double dlq_markov_wait_beyond(const struct dlq_markov *markov, double x)
{
    return markov->waiting * dlq_exp(-x / markov->load);
}

double dlq_markov_wait_quantile(const struct dlq_markov *markov, double p)
{
    return 1 - markov->waiting >= p ? 0 : markov->load * dlq_log(markov->waiting / (1 - p));
}
