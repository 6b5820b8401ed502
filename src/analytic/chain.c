#include "analytic/chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double dlq_chain_states(long loaders, long window)
{
    long n = loaders < window ? loaders : window;
    long each = window / n;
    long deep = window % n; /* loaders that hold one more */
    long other = deep > 0 ? deep - 1 : 0;
    double rest = pow((double)each + 2, (double)other) * pow((double)each + 1, (double)(n - 1 - other));
    return rest * (double)(each + (deep > 0 ? 3 : 2));
}

size_t dlq_chain_size(const struct dlq_chain *chain)
{
    return (size_t)chain->capacity[0] * chain->rest;
}

/* Blocks of whole loaders, of which a few states with their neighbors fit the first cache. */
static void lay_out_blocks(struct dlq_chain *chain)
{
    chain->inner = chain->loaders;
    chain->block = 1;
    while (chain->inner > 1 && chain->block * (size_t)(chain->capacity[chain->inner - 1] + 1) <= DLQ_CHAIN_BLOCK)
        chain->block *= (size_t)(chain->capacity[--chain->inner] + 1);
    size_t count = 0;
    for (size_t i = 0; i < chain->block; i++) {
        chain->begin[i] = count;
        chain->busy[i] = 0;
        for (int j = chain->inner; j < chain->loaders; j++) {
            int finished = (int)(i / chain->weight[j] % (size_t)(chain->capacity[j] + 1));
            chain->busy[i] += finished < chain->capacity[j] ? 1 : 0;
            if (finished > 0)
                chain->back[count++] = chain->weight[j];
        }
    }
    chain->begin[chain->block] = count;
}

bool dlq_chain_begin(struct dlq_chain *chain, long loaders, long window, double ratio)
{
    *chain = (struct dlq_chain){.loaders = (int)loaders, .ratio = ratio};
    size_t weight = 1;
    for (int j = (int)loaders - 1; j >= 0; j--) {
        chain->capacity[j] = (int)((window - 1 - j) / loaders) + 1;
        chain->weight[j] = weight;
        weight *= (size_t)(chain->capacity[j] + 1);
    }
    chain->all = weight;
    chain->rest = chain->weight[0];
    long deep = window % loaders;
    chain->shallow = deep > 0 ? chain->weight[deep - 1] : chain->rest;
    lay_out_blocks(chain);
    chain->stepping = malloc(chain->all * sizeof(double));
    chain->waiting = malloc(chain->rest * sizeof(double));
    return chain->stepping != NULL && chain->waiting != NULL;
}

void dlq_chain_end(struct dlq_chain *chain)
{
    free(chain->stepping);
    free(chain->waiting);
    chain->stepping = chain->waiting = NULL;
}

/* A delivery turns the loaders: what was loader j is loader j - 1, and the one that delivered, one poorer, the last.
   `from` is numbered as before that: m_0 - 1 outermost, then m_1 .. m_{N-1}. The weight of m_j grows by c_{j-1} + 1 or,
   which is the same where both are possible, c_j + 1: by one more for the deep loaders than for the shallow ones. */
static void turn(struct dlq_chain *chain, const double *from)
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
static int outer_loads(const struct dlq_chain *chain, int first, const int *finished, const double *at, double *sums)
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

static void next_block(const struct dlq_chain *chain, int first, int *finished)
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
static void load(const struct dlq_chain *chain, double *states, int first, double rate)
{
    int finished[DLQ_CHAIN_LOADERS] = {0};
    double inverse[DLQ_CHAIN_LOADERS + 1];
    size_t count = first == 0 ? chain->all : chain->rest;
    for (int busy = 0; busy <= chain->loaders; busy++)
        inverse[busy] = 1 / (1 + rate * busy);
    for (size_t at = 0; at < count; at += chain->block) {
        double sums[DLQ_CHAIN_BLOCK] = {0};
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

double dlq_chain_deliver(struct dlq_chain *chain, const double *from, double *to)
{
    turn(chain, from);
    load(chain, chain->stepping, 0, chain->ratio);
    memcpy(chain->waiting, chain->stepping, chain->rest * sizeof(double));
    /* Time in s: the batch that is due arrives at rate 1, as each of the others. */
    load(chain, chain->waiting, 1, 1);
    memcpy(to, chain->stepping + chain->rest, dlq_chain_size(chain) * sizeof(double));
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
