/* Loaders in order, round-robin, credits back at delivery; load S and step T exponential, no overheads, one rank. The
   state is how many finished batches each loader holds, counted from the one whose batch is due, and whether the
   trainer steps or waits: with K = p N, (p + 2)(p + 1)^(N - 1) states. Balance is solved as seen at deliveries, one
   delivery at a time (the embedded chain of Kendall 1953, "Stochastic processes occurring in the theory of queues",
   Annals of Mathematical Statistics 24). With w the share of deliveries that the trainer waits for, X = 1/(t + w s).
   Checks, X: N = 1, p = 1, s = t = 1: 2/3; N = 2, p = 1, s = t = 1: 14/17; N = 2, p = 2, s = 0.2, t = 0.1: 370/53
   (theory 18). */
#include "analytic/analytic.h"
#include "base/elementary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- which systems the chain describes -- */

/* One server leaves no other order. */
static bool is_ordered(const struct dlq_system *system)
{
    const struct dlq_loader *loader = dlq_system_loader(system);
    bool order = loader->order == DLQ_ORDER_INDEX && loader->assign == DLQ_ASSIGN_ROUND_ROBIN;
    return (order || dlq_system_servers(system) == 1) && loader->release == DLQ_RELEASE_DELIVERY && !loader->relay &&
           !dlq_system_is_serial(system);
}

bool dlq_markov_applies(const struct dlq_system *system, char *why, size_t size)
{
    const struct dlq_pipeline *pipeline = &system->pipeline;
    const struct dlq_overheads *times = &system->overheads;
    bool overheads = times->dispatch > 0 || times->deliver > 0 || times->receive > 0 || times->pin_time > 0;
    const struct {
        bool holds;
        const char *otherwise;
    } conditions[] = {
        {is_ordered(system), "for this loader: batches must go round-robin to the loaders and be delivered in order, "
                             "as pytorch does"},
        {dlq_system_window(system) != DLQ_UNBOUNDED, "for an unbounded window"},
        {dlq_work_is_exponential(&system->load), "for this load: its distribution must be exponential, in one stage"},
        {system->step.mean == 0 || dlq_work_is_exponential(&system->step),
         "for this step: its distribution must be exponential, in one stage (or mean = 0)"},
        {system->extra.mean == 0, "for a step of which not every one is alike: leave pauses out"},
        {system->slowdowns == NULL, "for loads that are slowed: leave [slowdown] out"},
        {!system->cache.given, "for loads that a cache spares: leave [cache] out"},
        {!overheads, "for overheads: dispatch, deliver, receive and pin_time must be 0"},
        {pipeline->ranks == 1, "for several ranks"},
        {pipeline->epoch_batches == 0, "for epochs: leave epoch_batches out"},
        {pipeline->slow_factor == 1 || pipeline->slow_loaders == 0, "for unequal loaders: leave slow_loaders out"},
        {!dlq_system_shares(system), "for loads that share cores or bandwidth"},
    };
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (!conditions[i].holds) {
            snprintf(why, size, "%s", conditions[i].otherwise);
            return false;
        }
    return true;
}

/* Exact up to 2^53. */
double dlq_markov_states(const struct dlq_system *system)
{
    long window = dlq_system_window(system);
    long servers = dlq_system_servers(system);
    long n = servers < window ? servers : window; /* more never load at once */
    long each = window / n;
    long deep = window % n; /* loaders that hold one more */
    long other = deep > 0 ? deep - 1 : 0;
    double rest = pow((double)each + 2, (double)other) * pow((double)each + 1, (double)(n - 1 - other));
    return rest * (double)(each + (deep > 0 ? 3 : 2));
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

/* -- the chain between two deliveries: its states, and one delivery as a map -- */

enum { MOST_LOADERS = 24, MOST_BLOCK = 64 };

/* N loaders in the order in which their batches are due, K batches in flight dealt out among them: loader j holds at
   most c_j = floor((K - 1 - j)/N) + 1 finished ones, m_j of them. States: m_0 .. m_{N-1} while the trainer steps;
   m_1 .. m_{N-1}, with m_0 = 0, while it waits. Numbers: sum m_j weight_j. */
struct chain {
    int loaders;
    int capacity[MOST_LOADERS]; /* c_0 >= c_1 >= ... >= c_0 - 1, c_{N-1} >= 1 */
    size_t weight[MOST_LOADERS];
    size_t shallow; /* states of the loaders of the smaller capacity; `rest` where all are alike */
    size_t rest;    /* states of all but loader 0: weight[0] */
    size_t all;     /* of all */
    double ratio;   /* t/s */
    /* The last loaders, from `inner` on, form blocks of `block` consecutive states. */
    int inner;
    size_t block;
    int busy[MOST_BLOCK]; /* inner loaders that load */
    size_t begin[MOST_BLOCK + 1];
    size_t back[MOST_BLOCK * 8]; /* [begin[i]..begin[i + 1]): distances to the states one load earlier */
    double *stepping, *waiting;  /* owned */
};

/* States just after a delivery: those of `stepping` with m_0 > 0 before it, m_0 outermost. */
static size_t chain_size(const struct chain *chain)
{
    return (size_t)chain->capacity[0] * chain->rest;
}

/* Blocks of whole loaders, of which a few states with their neighbors fit the first cache. */
static void lay_out_blocks(struct chain *chain)
{
    chain->inner = chain->loaders;
    chain->block = 1;
    while (chain->inner > 1 && chain->block * (size_t)(chain->capacity[chain->inner - 1] + 1) <= MOST_BLOCK)
        chain->block *= (size_t)(chain->capacity[--chain->inner] + 1);
    size_t count = 0;
    for (size_t i = 0; i < chain->block; i++) {
        int finished[MOST_LOADERS];
        size_t rest = i;
        for (int j = chain->loaders - 1; j >= chain->inner; j--) {
            finished[j] = (int)(rest % (size_t)(chain->capacity[j] + 1));
            rest /= (size_t)(chain->capacity[j] + 1);
        }
        chain->begin[i] = count;
        chain->busy[i] = 0;
        for (int j = chain->inner; j < chain->loaders; j++) {
            chain->busy[i] += finished[j] < chain->capacity[j] ? 1 : 0;
            if (finished[j] > 0)
                chain->back[count++] = chain->weight[j];
        }
    }
    chain->begin[chain->block] = count;
}

/* 2 <= loaders <= MOST_LOADERS, window >= loaders. False: no memory. */
static bool chain_begin(struct chain *chain, long loaders, long window, double ratio)
{
    *chain = (struct chain){.loaders = (int)loaders, .ratio = ratio};
    size_t weight = 1;
    for (int j = 0; j == 0 || j < loaders; j++) /* of one at least */
        chain->capacity[j] = (int)((window - 1 - j) / loaders) + 1;
    for (int j = (int)loaders - 1; j >= 0; j--) {
        chain->weight[j] = weight;
        weight *= (size_t)(chain->capacity[j] + 1);
    }
    chain->all = weight;
    chain->rest = weight / (size_t)(chain->capacity[0] + 1);
    long deep = window % loaders;
    chain->shallow = deep > 0 ? chain->weight[deep - 1] : chain->rest;
    lay_out_blocks(chain);
    chain->stepping = malloc(chain->all * sizeof(double));
    chain->waiting = malloc(chain->rest * sizeof(double));
    return chain->stepping != NULL && chain->waiting != NULL;
}

/* A delivery turns the loaders: what was loader j is loader j - 1, and the one that delivered, one poorer, the last.
   `from` is numbered as before that: m_0 - 1 outermost, then m_1 .. m_{N-1}. The weight of m_j grows by c_{j-1} + 1 or,
   which is the same where both are possible, c_j + 1: by one more for the deep loaders than for the shallow ones. */
static void turn(struct chain *chain, const double *from)
{
    size_t few = (size_t)chain->capacity[chain->loaders - 1] + 1;
    memset(chain->stepping, 0, chain->all * sizeof(double));
    for (size_t high = 0; high < chain->rest; high += chain->shallow) {
        double *to = chain->stepping + high * (few + 1);
        for (int left = 0; left < chain->capacity[0]; left++) {
            const double *row = from + (size_t)left * chain->rest + high;
            for (size_t low = 0; low < chain->shallow; low++)
                to[low * few + (size_t)left] = row[low];
        }
    }
}

/* Adds to sums[0..block) what the loaders before the block bring in, and tells how many of them load. */
static int outer_loads(const struct chain *chain, int first, const int *finished, const double *at, double *sums)
{
    int busy = 0;
    for (int j = first; j < chain->inner; j++) {
        busy += finished[j] < chain->capacity[j] ? 1 : 0;
        if (finished[j] == 0)
            continue;
        const double *earlier = at - chain->weight[j];
        for (size_t i = 0; i < chain->block; i++)
            sums[i] += earlier[i];
    }
    return busy;
}

static void next_block(const struct chain *chain, int first, int *finished)
{
    for (int j = chain->inner - 1; j >= first; j--) {
        if (++finished[j] <= chain->capacity[j])
            return;
        finished[j] = 0;
    }
}

/* Loads go on, `rate` of each loader that is not full, until an event of rate 1 ends the stay. In place: from the rate
   at which stays begin in each state to that at which they end: x = (x + rate sum_j x[m_j - 1])/(1 + rate busy), in
   order of the states' numbers, as loads only add to them. */
static void load(const struct chain *chain, double *states, int first, double rate)
{
    int finished[MOST_LOADERS] = {0};
    double inverse[MOST_LOADERS + 1];
    size_t count = first == 0 ? chain->all : chain->rest;
    for (int busy = 0; busy <= chain->loaders; busy++)
        inverse[busy] = 1 / (1 + rate * busy);
    for (size_t at = 0; at < count; at += chain->block) {
        double sums[MOST_BLOCK] = {0};
        double *block = states + at;
        int busy = outer_loads(chain, first, finished, block, sums);
        for (size_t i = 0; i < chain->block; i++) {
            double sum = sums[i];
            for (size_t n = chain->begin[i]; n < chain->begin[i + 1]; n++)
                sum += block[i - chain->back[n]];
            block[i] = (block[i] + rate * sum) * inverse[busy + chain->busy[i]];
        }
        next_block(chain, first, finished);
    }
}

/* From the shares of states just after a delivery to those after the next one; returns the share of deliveries that the
   trainer waits for. to != from. */
static double deliver(void *context, const double *from, double *to)
{
    struct chain *chain = context;
    turn(chain, from);
    load(chain, chain->stepping, 0, chain->ratio);
    memcpy(chain->waiting, chain->stepping, chain->rest * sizeof(double));
    /* Time in s: the batch that is due arrives at rate 1, as each of the others. */
    load(chain, chain->waiting, 1, 1);
    memcpy(to, chain->stepping + chain->rest, chain_size(chain) * sizeof(double));
    double waits = 0;
    double all = 0;
    for (size_t k = 0; k < chain->rest; k++) {
        to[k] += chain->waiting[k];
        waits += chain->waiting[k];
    }
    for (size_t k = 0; k < chain->all; k++)
        all += chain->stepping[k];
    return waits / all;
}

/* -- its balance -- */

static const double most_bytes = 60.0 * 1024 * 1024;

/* As many directions as the memory allows: they and two vectors besides, and the chain's own. */
static int directions(const struct chain *chain)
{
    double vector = (double)chain_size(chain) * sizeof(double);
    double rest = most_bytes - (double)(chain->all + chain->rest) * sizeof(double);
    double fit = floor(rest / vector) - 3;
    return fit >= DLQ_MOST_DIRECTIONS ? DLQ_MOST_DIRECTIONS : fit < 2 ? 2 : (int)fit;
}

/* The share of deliveries that are waited for. */
static enum dlq_status balance(const struct dlq_system *system, const volatile sig_atomic_t *interrupted,
                               double *waiting, struct dlq_error *error)
{
    struct chain chain;
    double *shares = NULL;
    long window = dlq_system_window(system);
    long loaders = dlq_system_servers(system) < window ? dlq_system_servers(system) : window;
    bool ready = chain_begin(&chain, loaders, window, system->step.mean / dlq_system_load_mean(system));
    const struct dlq_fixed_point problem = {
        .size = chain_size(&chain),
        .map = deliver,
        .context = &chain,
        .directions = directions(&chain),
        .tolerance =
            fmin(1e-12, 4e-9 / ((double)window * (double)window)), /* balance takes up to some K^2 deliveries */
        .rest = 1e-11,
        .most = 2000 + 100 * window,
        .interrupted = interrupted,
    };
    enum dlq_status status;
    if (ready)
        shares = malloc(problem.size * sizeof *shares);
    if (shares != NULL) {
        for (size_t i = 0; i < problem.size; i++)
            shares[i] = 1 / (double)problem.size;
        status = dlq_fixed_point_find(&problem, shares, waiting, error);
    } else {
        status = dlq_error_memory(error, "solving the Markov chain");
    }
    free(shares);
    free(chain.stepping);
    free(chain.waiting);
    return status;
}

enum dlq_status dlq_markov_solve(const struct dlq_system *system, const volatile sig_atomic_t *interrupted,
                                 struct dlq_markov *markov, struct dlq_error *error)
{
    struct dlq_markov found = {.load = dlq_system_load_mean(system), .step = system->step.mean};
    char why[256];
    if (!dlq_markov_applies(system, why, sizeof why))
        return dlq_error_add(error, DLQ_INVALID, "there is no Markov chain %s", why);
    if (!dlq_markov_is_solvable(system))
        return dlq_error_add(error, DLQ_INVALID, "a Markov chain of %.3g states is too large",
                             dlq_markov_states(system));
    if (interrupted != NULL && *interrupted != 0)
        return DLQ_INTERRUPTED;
    enum dlq_status status = DLQ_OK;
    if (one_by_one(system))
        found.waiting = single_waiting(system);
    else
        status = balance(system, interrupted, &found.waiting, error);
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
