/* Loaders in order, round-robin, credits back at delivery: the state is how many phases of its batches each loader has
   passed, counted from the one whose batch is due. With exponential loads that is how many finished batches it holds,
   and with K = p N there are (p + 2)(p + 1)^(N - 1) states (theory 18). */
#include "analytic/analytic.h"
#include "analytic/chain.h"

#include <math.h>
#include <string.h>

enum { MOST_LOADERS = 24, MOST_BLOCK = 64, MOST_BACK = 8 };

/* N loaders in the order in which their batches are due, K batches in flight dealt out among them: loader j has
   c_j = floor((K - 1 - j)/N) + 1 of them. Its states: `each` for each of them, and `full` more where all are finished
   (of alternatives two: which one the next load will be is drawn when the one before it ends). Numbers: sum i_j
   weight_j. */
struct chain {
    const struct dlq_chain_question *question;
    int loaders, each, full;
    int states[MOST_LOADERS]; /* of loader j */
    size_t weight[MOST_LOADERS];
    size_t shallow; /* states of the loaders of the smaller capacity; `rest` where all are alike */
    size_t rest;    /* states of all but loader 0: weight[0] */
    size_t all;     /* of all */
    /* The last loaders, from `inner` on, form blocks of `block` consecutive states. */
    int inner;
    size_t block;
    int busy[MOST_BLOCK]; /* inner loaders that load: those in phase 0, and N + 1 times those in phase 1 */
    size_t begin[MOST_BLOCK + 1];
    size_t back[MOST_BLOCK * MOST_BACK]; /* [begin[i]..begin[i + 1]): distances to the states one phase earlier, */
    double pull[MOST_BLOCK * MOST_BACK]; /* and at what rate they lead here */
    double *stepping, *copy, *waiting;
    double *asked; /* [each] share of the steps that find the batch that is due in each phase */
};

/* The states of a loader that lead to its state i, at what rates: at most two. */
static int earlier(const struct chain *chain, int i, size_t distance[2], double rate[2])
{
    const struct dlq_phases *load = &chain->question->load;
    if (i < (load->alternatives ? 2 : 1))
        return 0;
    for (int from = 0; from < (load->alternatives ? 2 : 1); from++) {
        distance[from] = load->alternatives ? (size_t)(2 + i % 2 - from) : 1;
        rate[from] = load->rate[from] * load->share[load->alternatives ? i % 2 : 0];
    }
    return load->alternatives ? 2 : 1;
}

/* How a loader counts in `busy`. */
static int busy_as(const struct chain *chain, int j, int i)
{
    if (i >= chain->states[j] - chain->full)
        return 0;
    return chain->question->load.alternatives && i % 2 == 1 ? chain->loaders + 1 : 1;
}

/* States just after a delivery: those of `stepping` with a batch at loader 0 before it, its states outermost. */
static size_t chain_size(const struct chain *chain)
{
    return (size_t)(chain->states[0] - chain->each) * chain->rest;
}

/* Blocks of whole loaders, of which a few states with their neighbors fit the first cache. */
static void lay_out_blocks(struct chain *chain)
{
    chain->inner = chain->loaders;
    chain->block = 1;
    while (chain->inner > 1 && chain->block * (size_t)chain->states[chain->inner - 1] <= MOST_BLOCK)
        chain->block *= (size_t)chain->states[--chain->inner];
    size_t count = 0;
    for (size_t i = 0; i < chain->block; i++) {
        size_t rest = i;
        chain->begin[i] = count;
        chain->busy[i] = 0;
        for (int j = chain->loaders - 1; j >= chain->inner; j--) {
            int at = (int)(rest % (size_t)chain->states[j]);
            rest /= (size_t)chain->states[j];
            chain->busy[i] += busy_as(chain, j, at);
            int found = earlier(chain, at, &chain->back[count], &chain->pull[count]);
            for (int n = 0; n < found; n++)
                chain->back[count++] *= chain->weight[j];
        }
    }
    chain->begin[chain->block] = count;
}

double dlq_order_states(const struct dlq_chain_question *question)
{
    const struct dlq_phases *load = &question->load;
    double states = 1, rest = 1;
    for (long j = 0; j < question->loaders && states < INFINITY; j++) {
        double batches = floor((double)(question->window - 1 - j) / (double)question->loaders) + 1;
        double own = batches * load->count + (load->alternatives ? 2 : 1);
        states *= own;
        rest *= j == 0 ? 1 : own;
    }
    return states + rest * load->count;
}

static enum dlq_status chain_begin(struct dlq_arena *arena, const struct dlq_chain_question *question,
                                   struct chain *chain)
{
    long loaders = question->loaders, window = question->window;
    *chain = (struct chain){.question = question,
                            .loaders = (int)loaders,
                            .each = question->load.count,
                            .full = question->load.alternatives ? 2 : 1};
    size_t weight = 1;
    for (int j = 0; j == 0 || j < loaders; j++) /* of one at least */
        chain->states[j] = ((int)((window - 1 - j) / loaders) + 1) * chain->each + chain->full;
    for (int j = (int)loaders - 1; j >= 0; j--) {
        chain->weight[j] = weight;
        weight *= (size_t)chain->states[j];
    }
    chain->all = weight;
    chain->rest = weight / (size_t)chain->states[0];
    long deep = window % loaders;
    chain->shallow = deep > 0 ? chain->weight[deep - 1] : chain->rest;
    lay_out_blocks(chain);
    NEW(arena, chain->stepping, chain->all);
    NEW(arena, chain->waiting, chain->rest);
    NEW(arena, chain->asked, (size_t)chain->each);
    if (question->step.alternatives)
        NEW(arena, chain->copy, chain->all);
    return DLQ_OK;
}

/* A delivery turns the loaders: what was loader j is loader j - 1, and the one that delivered, one poorer, the last.
   `from` is numbered as before that: i_0 less the batch outermost, then i_1 .. i_{N-1}. The weight of i_j grows by the
   states of loader j - 1 or, which is the same where both are possible, j: by those of one batch more for the deep
   loaders than for the shallow ones. */
static void turn(struct chain *chain, const double *from)
{
    size_t few = (size_t)chain->states[chain->loaders - 1];
    memset(chain->stepping, 0, chain->all * sizeof(double));
    for (size_t high = 0; high < chain->rest; high += chain->shallow) {
        double *to = chain->stepping + high * (few + (size_t)chain->each);
        for (int left = 0; left < chain->states[0] - chain->each; left++) {
            const double *row = from + (size_t)left * chain->rest + high;
            for (size_t low = 0; low < chain->shallow; low++)
                to[low * few + (size_t)left] = row[low];
        }
    }
}

/* Adds to sums[0..block) what the loaders before the block bring in, and tells how many of them load. */
static int outer_loads(const struct chain *chain, int first, const int *states, const double *at, double *sums)
{
    int busy = 0;
    for (int j = first; j < chain->inner; j++) {
        size_t distance[2];
        double rate[2];
        int found = earlier(chain, states[j], distance, rate);
        busy += busy_as(chain, j, states[j]);
        for (int n = 0; n < found; n++) {
            const double *before = at - distance[n] * chain->weight[j];
            for (size_t i = 0; i < chain->block; i++)
                sums[i] += rate[n] * before[i];
        }
    }
    return busy;
}

/* Loads go on, until an event that comes after a mean time of `stay` ends the stay. In place: from the rate at which
   stays begin in each state to that at which they end: x = (x + stay sum_earlier rate x)/(1 + stay sum_busy rate), in
   order of the states' numbers, as loads only add to them. */
static void load(const struct chain *chain, double *states, int first, double stay)
{
    const struct dlq_phases *phases = &chain->question->load;
    int at[MOST_LOADERS] = {0};
    double inverse[(MOST_LOADERS + 1) * (MOST_LOADERS + 1)];
    size_t count = first == 0 ? chain->all : chain->rest;
    for (int other = 0; other <= (phases->alternatives ? chain->loaders : 0); other++)
        for (int busy = 0; busy <= chain->loaders; busy++)
            inverse[other * (chain->loaders + 1) + busy] =
                1 / (1 + stay * (phases->rate[0] * busy + phases->rate[1] * other));
    for (size_t begin = 0; begin < count; begin += chain->block) {
        double sums[MOST_BLOCK] = {0};
        double *block = states + begin;
        int busy = outer_loads(chain, first, at, block, sums);
        for (size_t i = 0; i < chain->block; i++) {
            double sum = sums[i];
            for (size_t n = chain->begin[i]; n < chain->begin[i + 1]; n++)
                sum += chain->pull[n] * block[i - chain->back[n]];
            block[i] = (block[i] + stay * sum) * inverse[busy + chain->busy[i]];
        }
        for (int j = chain->inner - 1; j >= first && ++at[j] == chain->states[j]; j--)
            at[j] = 0;
    }
}

static void load_all(void *context, double *states, double stay)
{
    load(context, states, 0, stay);
}

/* The batch that is due is in this phase, and the others load on until it has passed it; returns how long, in all. */
static double wait(struct chain *chain, int phase, double *to)
{
    const struct dlq_phases *phases = &chain->question->load;
    const double *asking = chain->stepping + (size_t)phase * chain->rest;
    double stay = 1 / phases->rate[phases->alternatives ? phase : 0], sum = 0, asked = 0;
    for (size_t k = 0; k < chain->rest; k++) {
        asked += asking[k];
        chain->waiting[k] = asking[k] + (phases->alternatives ? 0 : chain->waiting[k]);
    }
    chain->asked[phase] = asked;
    load(chain, chain->waiting, 1, stay);
    for (size_t k = 0; k < chain->rest; k++)
        sum += chain->waiting[k];
    for (int next = 0; next < chain->full && (phases->alternatives || phase + 1 == phases->count); next++)
        for (size_t k = 0; k < chain->rest; k++)
            to[(size_t)next * chain->rest + k] += phases->share[next] * chain->waiting[k];
    return sum * stay;
}

/* From the shares of states just after a delivery to those after the next one; returns the mean wait. to != from. */
static double deliver(void *context, const double *from, double *to)
{
    struct chain *chain = context;
    double waited = 0, all = 0;
    turn(chain, from);
    dlq_chain_step(chain->question, chain->stepping, chain->copy, chain->all, load_all, chain);
    for (size_t k = 0; k < chain->all; k++)
        all += chain->stepping[k];
    memcpy(to, chain->stepping + (size_t)chain->each * chain->rest, chain_size(chain) * sizeof(double));
    memset(chain->waiting, 0, chain->rest * sizeof(double));
    for (int phase = 0; phase < chain->each; phase++)
        waited += wait(chain, phase, to);
    for (int phase = 0; phase < chain->each; phase++)
        chain->asked[phase] /= all;
    return waited / all;
}

/* One jump of those that wait, of the rate of the faster phase. */
static double jump(void *context, double *waiting)
{
    const struct chain *chain = context;
    const struct dlq_phases *phases = &chain->question->load;
    double left = 0;
    for (int i = chain->each - 1; i >= 0; i--) {
        if (phases->alternatives)
            waiting[i] *= 1 - phases->rate[i] / phases->rate[0];
        else
            waiting[i] = i > 0 ? waiting[i - 1] : 0;
        left += waiting[i];
    }
    return left;
}

enum dlq_status dlq_order_solve(struct dlq_arena *arena, const struct dlq_chain_question *question,
                                struct dlq_chain_answer *answer)
{
    struct chain chain;
    TRY(chain_begin(arena, question, &chain));
    double used = (double)((question->step.alternatives ? 2 : 1) * chain.all + chain.rest) * sizeof(double);
    TRY(dlq_chain_balance(arena, question, chain_size(&chain), used, deliver, &chain, &answer->wait));
    return dlq_chain_waits(arena, question->load.rate[0], chain.asked, (size_t)chain.each, jump, &chain, answer);
}
