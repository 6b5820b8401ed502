/* A pool whose batches are delivered as they are finished, credits back at delivery: the state is how many finished
   batches there are, q, and in which phases the min(N, K - q) loads are. */
#include "analytic/analytic.h"
#include "analytic/chain.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct chain {
    const struct dlq_chain_question *question;
    size_t states, edges;            /* edges of a state at most */
    size_t *layer;                   /* [K + 2]: where the states with q finished batches begin */
    uint32_t *to;                    /* [states][edges]: where it goes when a load passes a phase, */
    double *rate;                    /* and how fast; 0: there is no such edge */
    double *out;                     /* sum of its rates */
    uint32_t *next;                  /* where a delivery leads, q > 0: of alternatives, if the first is drawn */
    double *first, *second;          /* shares of that and of the state after it */
    double *stepping, *copy, *asked; /* asked: shares of the steps that wait, in the states with q = 0 */
    double *jumped, most;            /* the fastest of those states, for one jump of those that wait */
};

/* Of `of` things, `taken`; 0 where of < taken. */
static double choose(long of, long taken)
{
    double ways = of < taken ? 0 : 1;
    for (long i = 1; i <= taken && ways > 0 && ways < INFINITY; i++)
        ways = round(ways * (double)(of - taken + i) / (double)i);
    return ways;
}

/* So many loads in phases: in how many ways. */
static double ways(const struct dlq_phases *phases, long loads)
{
    return choose(loads + phases->count - 1, phases->count - 1);
}

static long loads_at(const struct dlq_chain_question *question, long finished)
{
    long room = question->window - finished;
    return room < question->loaders ? room : question->loaders;
}

double dlq_pool_states(const struct dlq_chain_question *question)
{
    double states = 0;
    for (long q = 0; q <= question->window && states < INFINITY; q++)
        states += ways(&question->load, loads_at(question, q));
    return states;
}

/* The place of a way among those of so many loads: more in the first phases come first. */
static size_t rank_of(const int *in, int phases, long loads)
{
    double rank = 0;
    for (int a = 0; a + 1 < phases; a++) {
        loads -= in[a];
        if (loads > 0)
            rank += choose(loads - 1 + phases - 1 - a, phases - 1 - a);
    }
    return (size_t)rank;
}

/* The way after it; false: it is the last. */
static bool next_way(int *in, int phases)
{
    int last = in[phases - 1];
    for (int a = phases - 2; a >= 0; a--)
        if (in[a] > 0) {
            in[phases - 1] = 0;
            in[a]--;
            in[a + 1] = last + 1;
            return true;
        }
    return false;
}

static void add_edge(struct chain *chain, size_t from, size_t to, double rate)
{
    size_t at = from * chain->edges;
    while (chain->rate[at] > 0)
        at++;
    chain->to[at] = (uint32_t)to;
    chain->rate[at] = rate;
    chain->out[from] += rate;
}

/* The state with q finished batches whose loads are these, but for one less in phase `less` and one more in `more` (-1:
   none). */
static size_t state_of(const struct chain *chain, long q, int *in, int less, int more)
{
    int phases = chain->question->load.count;
    if (less >= 0)
        in[less]--;
    if (more >= 0)
        in[more]++;
    size_t state = chain->layer[q] + rank_of(in, phases, loads_at(chain->question, q));
    if (less >= 0)
        in[less]++;
    if (more >= 0)
        in[more]--;
    return state;
}

/* A load passes its phase, or ends, and where there is room the next one begins; or a batch is delivered. */
static void add_state(struct chain *chain, size_t at, long q, int *in)
{
    const struct dlq_phases *load = &chain->question->load;
    long loads = loads_at(chain->question, q);
    for (int a = 0; a < load->count; a++) {
        double rate = in[a] * load->rate[load->alternatives ? a : 0];
        if (in[a] == 0)
            continue;
        if (!load->alternatives && a + 1 < load->count) {
            add_edge(chain, at, state_of(chain, q, in, a, a + 1), rate);
            continue;
        }
        bool more = loads == loads_at(chain->question, q + 1);
        for (int begun = 0; begun < (more && load->alternatives ? 2 : 1); begun++)
            add_edge(chain, at, state_of(chain, q + 1, in, a, more ? begun : -1),
                     rate * (more ? load->share[begun] : 1));
    }
    if (q == 0)
        return;
    bool more = loads_at(chain->question, q - 1) > loads;
    chain->next[at] = (uint32_t)state_of(chain, q - 1, in, -1, more ? 0 : -1);
    chain->first[at] = more ? load->share[0] : 1;
    chain->second[at] = more && load->alternatives ? load->share[1] : 0;
}

static enum dlq_status chain_begin(struct dlq_arena *arena, const struct dlq_chain_question *question,
                                   struct chain *chain)
{
    size_t window = (size_t)question->window;
    int *in;
    *chain =
        (struct chain){.question = question, .edges = question->load.alternatives ? 4 : (size_t)question->load.count};
    NEW(arena, in, (size_t)question->load.count);
    NEW(arena, chain->layer, window + 2);
    for (size_t q = 0; q <= window; q++)
        chain->layer[q + 1] = chain->layer[q] + (size_t)ways(&question->load, loads_at(question, (long)q));
    chain->states = chain->layer[window + 1];
    NEW(arena, chain->to, chain->states * chain->edges);
    NEW(arena, chain->rate, chain->states * chain->edges);
    NEW(arena, chain->out, chain->states);
    NEW(arena, chain->next, chain->states);
    NEW(arena, chain->first, chain->states);
    NEW(arena, chain->second, chain->states);
    NEW(arena, chain->stepping, chain->states);
    NEW(arena, chain->copy, chain->states);
    NEW(arena, chain->asked, chain->layer[1]);
    NEW(arena, chain->jumped, chain->layer[1]);
    for (long q = 0; q <= question->window; q++) {
        memset(in, 0, (size_t)question->load.count * sizeof *in);
        in[0] = (int)loads_at(question, q);
        size_t at = chain->layer[q];
        do
            add_state(chain, at++, q, in);
        while (next_way(in, question->load.count));
    }
    for (size_t i = 0; i < chain->layer[1]; i++)
        chain->most = fmax(chain->most, chain->out[i]);
    return DLQ_OK;
}

/* Loads go on, until an event that comes after a mean time of `stay` ends the stay: in place, in order of the states,
   as every edge leads to a later one. */
static void load(void *context, double *states, double stay)
{
    const struct chain *chain = context;
    for (size_t i = 0; i < chain->states; i++) {
        states[i] /= 1 + stay * chain->out[i];
        double moved = stay * states[i];
        for (size_t n = i * chain->edges; n < (i + 1) * chain->edges && chain->rate[n] > 0; n++)
            states[chain->to[n]] += chain->rate[n] * moved;
    }
}

/* Those that ask where nothing is finished wait for the first load to end; returns how long, in all. */
static double wait(struct chain *chain)
{
    double *states = chain->stepping, waited = 0;
    for (size_t i = 0; i < chain->layer[1]; i++) {
        double time = states[i] / chain->out[i];
        waited += time;
        for (size_t n = i * chain->edges; n < (i + 1) * chain->edges && chain->rate[n] > 0; n++)
            states[chain->to[n]] += chain->rate[n] * time;
    }
    return waited;
}

/* From the shares of states just after a delivery to those after the next one; returns the mean wait. to != from. */
static double deliver(void *context, const double *from, double *to)
{
    struct chain *chain = context;
    size_t size = chain->layer[chain->question->window];
    double all = 0;
    memcpy(chain->stepping, from, size * sizeof(double));
    memset(chain->stepping + size, 0, (chain->states - size) * sizeof(double));
    memset(to, 0, size * sizeof(double));
    dlq_chain_step(chain->question, chain->stepping, chain->copy, chain->states, load, chain);
    for (size_t i = 0; i < chain->states; i++)
        all += chain->stepping[i];
    for (size_t i = 0; i < chain->layer[1]; i++)
        chain->asked[i] = chain->stepping[i] / all;
    double waited = wait(chain);
    for (size_t i = chain->layer[1]; i < chain->states; i++) {
        to[chain->next[i]] += chain->first[i] * chain->stepping[i];
        if (chain->second[i] > 0)
            to[chain->next[i] + 1] += chain->second[i] * chain->stepping[i];
    }
    return waited / all;
}

/* One jump of those that wait, of the rate of the fastest state. */
static double jump(void *context, double *waiting)
{
    struct chain *chain = context;
    size_t size = chain->layer[1];
    double left = 0;
    memset(chain->jumped, 0, size * sizeof(double));
    for (size_t i = 0; i < size; i++) {
        chain->jumped[i] += waiting[i] * (1 - chain->out[i] / chain->most);
        for (size_t n = i * chain->edges; n < (i + 1) * chain->edges && chain->rate[n] > 0; n++)
            if (chain->to[n] < size)
                chain->jumped[chain->to[n]] += waiting[i] * (chain->rate[n] / chain->most);
    }
    for (size_t i = 0; i < size; i++)
        left += waiting[i] = chain->jumped[i];
    return left;
}

enum dlq_status dlq_pool_solve(struct dlq_arena *arena, const struct dlq_chain_question *question,
                               struct dlq_chain_answer *answer)
{
    struct chain chain;
    TRY(chain_begin(arena, question, &chain));
    double used = (double)chain.states * ((double)chain.edges * 12 + 44);
    TRY(dlq_chain_balance(arena, question, chain.layer[question->window], used, deliver, &chain, &answer->wait));
    return dlq_chain_waits(arena, chain.most, chain.asked, chain.layer[1], jump, &chain, answer);
}
