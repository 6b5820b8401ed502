/* States, edges and balance (the stationary distribution) of the two chains, for N loaders and a window of K batches.
   In order (round-robin; a delivery frees a place in the window) a state has for each loader, from the one whose batch
   is due on, the number of phases that its loads have passed: with exponential loads, the number of its finished
   batches. With K = p N these are (p + 1)^N states; dlq_chain_states counts those that wait twice (theory 18). In a
   pool a state is the number q of finished batches, and how many of the min(N, K - q) running loads are in each phase.
 */
#include "analytic/analytic.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>

enum { MOST_LOADERS = 24 /* in order: more have too many states */ };

struct chain {
    const struct dlq_chain_question *question;
    size_t states, waiting;  /* in the first `waiting` states nothing can be delivered */
    size_t alike;            /* number of successive waiting states with the due batch in the same phase; pool: 1 */
    size_t *begin;           /* [states + 1]: first edge of each state */
    uint32_t *to;            /* later state to which an edge leads when a load passes a phase */
    double *rate;            /* of each edge */
    double *out;             /* sum of a state's rates */
    uint32_t *next;          /* the state that follows a delivery */
    double *first;           /* probability of `next`; else `next` + 1 follows, as the load that starts is of the second
                                alternative */
    double *stepping, *copy; /* shares of the states when the step ends; copy: if of the second alternative */
    double *waiters;         /* [waiting / alike]: share of the steps that begin to wait in these alike states */
};

/* In how many phases a load may start. */
static int start_phases(const struct dlq_phases *load)
{
    return load->alternatives ? 2 : 1;
}

/* Adds an edge from the state that is being laid out: edges lie in order of states. */
static void add_edge(struct chain *chain, size_t from, size_t to, double rate)
{
    size_t at = chain->begin[from + 1]++;
    chain->to[at] = (uint32_t)to;
    chain->rate[at] = rate;
    chain->out[from] += rate;
}

static enum dlq_status make_room(struct dlq_arena *arena, struct chain *chain, size_t edges)
{
    NEW(arena, chain->begin, chain->states + 1);
    NEW(arena, chain->to, edges);
    NEW(arena, chain->rate, edges);
    NEW(arena, chain->out, chain->states);
    NEW(arena, chain->next, chain->states);
    NEW(arena, chain->first, chain->states);
    NEW(arena, chain->stepping, chain->states);
    NEW(arena, chain->copy, chain->states);
    NEW(arena, chain->waiters, chain->waiting);
    return DLQ_OK;
}

/* -- loaders in order -- */

/* States of loader j (0: its batch is due), which has floor((K - 1 - j)/N) + 1 batches in the window: one for each
   phase of each batch, and one where all are finished; with alternatives two of the latter, as the phase of the next
   load is drawn when the load before ends. */
static double states_of_loader(const struct dlq_chain_question *question, long j)
{
    double batches = floor((double)(question->window - 1 - j) / (double)question->loaders) + 1;
    return batches * question->load.count + start_phases(&question->load);
}

/* The number of a state is the sum of at[j] * weight[j], where loader j has passed at[j] phases; with alternatives
   at[j] is twice its finished batches, plus 1 if its load is in the second phase. A delivery renumbers the loaders:
   loader j becomes loader j - 1, and the one that delivered, with one batch less, the last. */
static enum dlq_status lay_out_order(struct dlq_arena *arena, struct chain *chain)
{
    const struct dlq_phases *load = &chain->question->load;
    const int loaders = (int)chain->question->loaders, phases = load->count;
    int loader_states[MOST_LOADERS] = {0}, at[MOST_LOADERS] = {0};
    size_t weight[MOST_LOADERS] = {0};
    size_t edges = 0;
    chain->states = 1;
    for (int j = loaders - 1; j >= 0; j--) {
        loader_states[j] = (int)states_of_loader(chain->question, j);
        weight[j] = chain->states;
        chain->states *= (size_t)loader_states[j];
    }
    for (int j = 0; j < loaders; j++)
        edges += chain->states / (size_t)loader_states[j] *
                 (size_t)(start_phases(load) * (loader_states[j] - start_phases(load)));
    chain->alike = weight[0];
    chain->waiting = (size_t)phases * weight[0];
    TRY(make_room(arena, chain, edges));
    for (size_t i = 0; i < chain->states; i++) {
        chain->begin[i + 1] = chain->begin[i];
        chain->first[i] = 1;
        for (int j = 0; j < loaders; j++) {
            int drawn = load->alternatives ? at[j] % 2 : 0;
            for (int next = 0; next < start_phases(load) && at[j] < loader_states[j] - start_phases(load); next++)
                add_edge(chain, i, i + (size_t)(load->alternatives ? 2 + next - drawn : 1) * weight[j],
                         load->rate[drawn] * load->share[next]);
        }
        if (i >= chain->waiting) {
            size_t renumbered = (size_t)(at[0] - phases);
            for (int j = 1; j < loaders; j++)
                renumbered += (size_t)at[j] * weight[j - 1];
            chain->next[i] = (uint32_t)renumbered;
        }
        for (int j = loaders - 1; j >= 0 && ++at[j] == loader_states[j]; j--)
            at[j] = 0;
    }
    return DLQ_OK;
}

/* -- a pool -- */

/* The binomial coefficient "n over k"; 0 where n < k. */
static double choose(long n, long k)
{
    double ways = n < k ? 0 : 1;
    for (long i = 1; i <= k && ways > 0 && ways < INFINITY; i++)
        ways = round(ways * (double)(n - k + i) / (double)i);
    return ways;
}

/* How many loads run while so many batches are finished. */
static long loads_at(const struct dlq_chain_question *question, long finished)
{
    long room = question->window - finished;
    return room < question->loaders ? room : question->loaders;
}

/* The number of ways to distribute the running loads over the phases. */
static double phase_distributions(const struct dlq_chain_question *question, long finished)
{
    const int phases = question->load.count;
    return choose(loads_at(question, finished) + phases - 1, phases - 1);
}

/* The number of the state with q finished batches, in[a] loads in each phase a, and one more load in phase `more` (-1:
   no more). layer: the number of the first state with q finished batches; among these, states with more loads in
   earlier phases come first. */
static size_t state_of(const struct chain *chain, size_t layer, long q, const int *in, int more)
{
    const int phases = chain->question->load.count;
    long loads = loads_at(chain->question, q);
    double rank = 0;
    for (int a = 0; a + 1 < phases; a++) {
        loads -= in[a] + (a == more);
        if (loads > 0)
            rank += choose(loads - 1 + phases - 1 - a, phases - 1 - a);
    }
    return layer + (size_t)rank;
}

/* Adds the edges of a state (a load passes a phase; or a load ends, and the next one starts if the window has room),
   and what follows a delivery. layer: the first states with q - 1, q and q + 1 finished batches. */
static void add_state(struct chain *chain, size_t at, const size_t layer[3], long q, int *in)
{
    const struct dlq_chain_question *question = chain->question;
    const struct dlq_phases *load = &question->load;
    bool next_starts = loads_at(question, q) == loads_at(question, q + 1);
    chain->begin[at + 1] = chain->begin[at];
    for (int a = 0; a < load->count; a++) {
        double rate = in[a] * load->rate[load->alternatives ? a : 0];
        if (in[a]-- > 0) {
            if (!load->alternatives && a + 1 < load->count)
                add_edge(chain, at, state_of(chain, layer[1], q, in, a + 1), rate);
            else
                for (int begun = 0; begun < (next_starts ? start_phases(load) : 1); begun++)
                    add_edge(chain, at, state_of(chain, layer[2], q + 1, in, next_starts ? begun : -1),
                             rate * (next_starts ? load->share[begun] : 1));
        }
        in[a]++;
    }
    if (q == 0)
        return;
    bool more = loads_at(question, q - 1) > loads_at(question, q);
    chain->next[at] = (uint32_t)state_of(chain, layer[0], q - 1, in, more ? 0 : -1);
    chain->first[at] = more ? load->share[0] : 1;
}

static enum dlq_status lay_out_pool(struct dlq_arena *arena, struct chain *chain)
{
    const struct dlq_chain_question *question = chain->question;
    const int phases = question->load.count;
    size_t layer[3] = {0};
    int *in;
    chain->states = (size_t)dlq_chain_states(question);
    chain->waiting = (size_t)phase_distributions(question, 0);
    chain->alike = 1;
    TRY(make_room(arena, chain, chain->states * (question->load.alternatives ? 4 : (size_t)phases)));
    NEW(arena, in, (size_t)phases);
    for (long q = 0; q <= question->window; q++) {
        memset(in, 0, (size_t)phases * sizeof *in);
        in[0] = (int)loads_at(question, q);
        layer[2] = layer[1] + (size_t)phase_distributions(question, q);
        for (size_t at = layer[1]; at < layer[2]; at++) {
            add_state(chain, at, layer, q, in);
            int a = phases - 2, last = in[phases - 1]; /* the next way to put the loads into phases, if there is one */
            while (a >= 0 && in[a] == 0)
                a--;
            in[phases - 1] = 0;
            if (a >= 0) {
                in[a]--;
                in[a + 1] = last + 1;
            }
        }
        layer[0] = layer[1];
        layer[1] = layer[2];
    }
    return DLQ_OK;
}

double dlq_chain_states(const struct dlq_chain_question *question)
{
    double states = 0, rest = 1;
    for (long q = 0; !question->ordered && q <= question->window && states < INFINITY; q++)
        states += phase_distributions(question, q);
    if (!question->ordered)
        return states;
    for (long j = 1; j < question->loaders && rest < INFINITY; j++)
        rest *= states_of_loader(question, j);
    return rest * (states_of_loader(question, 0) + question->load.count);
}

/* -- from delivery to delivery -- */

/* Adds to other states what leaves the state `from`. time: its share times the mean time in it. */
static void leave_state(const struct chain *chain, double *shares, size_t from, double time)
{
    for (size_t n = chain->begin[from]; n < chain->begin[from + 1]; n++)
        shares[chain->to[n]] += chain->rate[n] * time;
}

/* Loads run on for an exponential time of mean `stay`. One pass changes the shares in place, as every edge leads to a
   later state. */
static void run_loads(const struct chain *chain, double *shares, double stay)
{
    for (size_t i = 0; i < chain->states; i++) {
        shares[i] /= 1 + stay * chain->out[i];
        leave_state(chain, shares, i, stay * shares[i]);
    }
}

/* Sets `to`, the shares of the states just after a delivery, from those after the delivery before; returns the mean
   wait. A step without a ready batch waits for its batch, while the other loads run on. */
static double deliver(struct chain *chain, const double *from, double *to)
{
    const struct dlq_phases *step = &chain->question->step;
    const double ratio = chain->question->ratio;
    double *shares = chain->stepping, all = 0, waited = 0;
    memcpy(shares, from, chain->states * sizeof *shares);
    if (step->alternatives) {
        memcpy(chain->copy, from, chain->states * sizeof *shares);
        run_loads(chain, shares, ratio / step->rate[0]);
        run_loads(chain, chain->copy, ratio / step->rate[1]);
        for (size_t i = 0; i < chain->states; i++)
            shares[i] = step->share[0] * shares[i] + step->share[1] * chain->copy[i];
    } else {
        for (int i = 0; i < step->count; i++)
            run_loads(chain, shares, ratio / step->rate[0]);
    }
    memset(to, 0, chain->states * sizeof *to);
    memset(chain->waiters, 0, chain->waiting / chain->alike * sizeof *chain->waiters);
    for (size_t i = 0; i < chain->states; i++)
        all += shares[i];
    for (size_t i = 0; i < chain->waiting; i++)
        chain->waiters[i / chain->alike] += shares[i] / all;
    for (size_t i = 0; i < chain->waiting; i++) {
        waited += shares[i] / chain->out[i];
        leave_state(chain, shares, i, shares[i] / chain->out[i]);
    }
    for (size_t i = chain->waiting; i < chain->states; i++) {
        to[chain->next[i]] += chain->first[i] * shares[i];
        if (chain->first[i] < 1)
            to[chain->next[i] + 1] += (1 - chain->first[i]) * shares[i];
    }
    return waited / all;
}

/* -- balance: reduced rank extrapolation (Eddy 1979, "Extrapolating to the limit of a vector sequence"). For x_0 .. x_k
   with differences D_j = x_{j+1} - x_j, weights g of sum 1 minimize |sum_j g_j D_j|; the iteration goes on from sum_j
   g_j x_{j+1}. For a linear map this is restarted GMRES(k). -- */

enum { DIFFERENCES = 10 };

/* g is proportional to the solution of D'D g = (1, ..., 1); products[i][j], j <= i: D_i'D_j. Nearly parallel
   differences make D'D singular, so a little is added to its diagonal. The shares become x_k - sum_i (g_0 + ... +
   g_{i-1}) D_i, with negative ones set to 0 and a sum of 1. False: no weights were found. */
static bool extrapolate(const double products[DIFFERENCES][DIFFERENCES], const double *const *differences, size_t size,
                        double *shares)
{
    double matrix[DIFFERENCES * DIFFERENCES], scales[DIFFERENCES], weights[DIFFERENCES], sum = 0, before = 0, all = 0;
    gsl_matrix_view view = gsl_matrix_view_array(matrix, DIFFERENCES, DIFFERENCES);
    gsl_vector_view scale = gsl_vector_view_array(scales, DIFFERENCES);
    gsl_vector_view weight = gsl_vector_view_array(weights, DIFFERENCES);
    for (int i = 0; i < DIFFERENCES; i++)
        for (int j = 0; j < DIFFERENCES; j++)
            matrix[i * DIFFERENCES + j] =
                i == j ? products[i][i] * (1 + 1e-14) : products[i > j ? i : j][i > j ? j : i];
    gsl_vector_set_all(&weight.vector, 1);
    if (gsl_linalg_cholesky_decomp2(&view.matrix, &scale.vector) != GSL_SUCCESS ||
        gsl_linalg_cholesky_svx2(&view.matrix, &scale.vector, &weight.vector) != GSL_SUCCESS)
        return false;
    for (int i = 0; i < DIFFERENCES; i++)
        sum += weights[i];
    if (!(isfinite(sum) && sum > 0))
        return false;
    gsl_vector_scale(&weight.vector, 1 / sum);
    for (int i = 1; i < DIFFERENCES; i++) {
        before += weights[i - 1];
        for (size_t k = 0; k < size; k++)
            shares[k] -= before * differences[i][k];
    }
    for (size_t k = 0; k < size; k++) {
        shares[k] = fmax(shares[k], 0);
        all += shares[k];
    }
    for (size_t k = 0; k < size; k++)
        shares[k] /= all;
    return true;
}

/* Iterates from equal shares, with extrapolation. This subtracts, which spoils small shares, and these may have a large
   effect on the mean wait: once shares hardly change, plain iteration follows until the mean wait is constant, too. An
   extrapolation after which the change is larger than before is undone. */
static enum dlq_status find_balance(struct dlq_arena *arena, struct chain *chain, double *wait)
{
    const size_t size = chain->states;
    const double window = (double)chain->question->window;
    /* Balance may be some K^2 deliveries away, each of which changes the shares about as much as the last. */
    const double tolerance = fmin(1e-12, 4e-9 / (window * window));
    const long most = 2000 + 100 * chain->question->window;
    double *shares, *mapped, *kept, *differences[DIFFERENCES];
    double products[DIFFERENCES][DIFFERENCES] = {{0}}, moved = INFINITY, change_before = INFINITY, wait_before = NAN;
    int count = 0;
    NEW(arena, shares, size);
    NEW(arena, mapped, size);
    NEW(arena, kept, size);
    for (int i = 0; i < DIFFERENCES; i++)
        NEW(arena, differences[i], size);
    for (size_t i = 0; i < size; i++)
        shares[i] = 1 / (double)size;
    for (long n = 0; n < most; n++) {
        if (chain->question->interrupted != NULL && *chain->question->interrupted != 0)
            return DLQ_INTERRUPTED;
        const double now = deliver(chain, shares, mapped);
        moved = 0;
        for (size_t i = 0; i < size; i++)
            moved += fabs(mapped[i] - shares[i]);
        if (!(moved <= change_before)) {
            memcpy(shares, kept, size * sizeof *shares);
            change_before = INFINITY;
            continue;
        }
        change_before = INFINITY;
        if (moved <= tolerance && fabs(now - wait_before) <= 1e-11 * now) {
            *wait = now;
            return DLQ_OK;
        }
        wait_before = now;
        for (size_t i = 0; i < size; i++) {
            differences[count][i] = mapped[i] - shares[i];
            shares[i] = mapped[i];
        }
        for (int j = 0; j <= count; j++) {
            products[count][j] = 0;
            for (size_t i = 0; i < size; i++)
                products[count][j] += differences[count][i] * differences[j][i];
        }
        count = moved <= tolerance ? 0 : count + 1;
        if (count < DIFFERENCES)
            continue;
        count = 0;
        wait_before = NAN;
        memcpy(kept, shares, size * sizeof *shares);
        if (extrapolate((const double(*)[DIFFERENCES])products, (const double *const *)differences, size, shares))
            change_before = moved;
    }
    return dlq_error_add(arena->error, DLQ_FAILURE, "no convergence in %ld iterations: still changing by %.2g", most,
                         moved);
}

/* -- waits -- */

/* Solves a chain, then follows the waiting steps jump by jump at the rate of the fastest state (uniformization, see
   struct dlq_chain_answer) until hardly any waits. The first of alike states represents all, and edges between them do
   not count. */
enum dlq_status dlq_chain_solve(struct dlq_arena *arena, const struct dlq_chain_question *question,
                                struct dlq_chain_answer *answer)
{
    enum { MOST_JUMPS = 400000 };
    struct chain chain = {.question = question};
    double *left, *jumped, wait = 0, waiting = 0;
    TRY(question->ordered ? lay_out_order(arena, &chain) : lay_out_pool(arena, &chain));
    TRY(find_balance(arena, &chain, &wait));
    const size_t size = chain.waiting / chain.alike;
    double *waiters = chain.waiters;
    NEW(arena, left, MOST_JUMPS);
    NEW(arena, jumped, size);
    *answer = (struct dlq_chain_answer){.wait = wait, .left = left};
    for (size_t i = 0; i < size; i++) {
        double out = 0;
        for (size_t n = chain.begin[i * chain.alike]; n < chain.begin[i * chain.alike + 1]; n++)
            out += chain.to[n] / chain.alike != i ? chain.rate[n] : 0;
        chain.out[i] = out; /* no longer needed for each state */
        answer->rate = fmax(answer->rate, out);
        waiting += waiters[i];
    }
    while (answer->count < MOST_JUMPS && waiting > 1e-17 * left[0]) {
        left[answer->count++] = waiting;
        waiting = 0;
        memset(jumped, 0, size * sizeof *jumped);
        for (size_t i = 0; i < size; i++) {
            jumped[i] += waiters[i] * (1 - chain.out[i] / answer->rate);
            for (size_t n = chain.begin[i * chain.alike]; n < chain.begin[i * chain.alike + 1]; n++) {
                size_t to = chain.to[n] / chain.alike;
                if (to != i && to < size)
                    jumped[to] += waiters[i] * (chain.rate[n] / answer->rate);
            }
        }
        for (size_t i = 0; i < size; i++)
            waiting += waiters[i] = jumped[i];
    }
    return DLQ_OK;
}
