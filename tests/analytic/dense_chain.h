/* A dense solution of the same chain, written down from the rules anew: a list of states, the rates between them, and
   elimination (Grassmann, Taksar and Heyman 1985). */
#ifndef TESTS_ANALYTIC_DENSE_CHAIN_H
#define TESTS_ANALYTIC_DENSE_CHAIN_H

#include <stdbool.h>
#include <string.h>

enum { DENSE = 400, DENSE_LOADERS = 6 };

struct dense {
    int loaders, capacity[DENSE_LOADERS];
    int count;
    double rate[DENSE][DENSE];
};

/* The number of a state: m_0 .. m_{N-1} and, last, whether the trainer steps. */
static inline int number(const struct dense *dense, const int *finished, bool steps)
{
    int at = 0;
    for (int j = 0; j < dense->loaders; j++)
        at = at * (dense->capacity[j] + 1) + finished[j];
    return 2 * at + (steps ? 1 : 0);
}

/* The trainer asks: for what loader 0 has, or it waits. */
static inline int ask(const struct dense *dense, const int *finished)
{
    int after[DENSE_LOADERS];
    if (finished[0] == 0)
        return number(dense, finished, false);
    for (int j = 1; j < dense->loaders; j++)
        after[j - 1] = finished[j];
    after[dense->loaders - 1] = finished[0] - 1;
    return number(dense, after, true);
}

static inline void add_rates(struct dense *dense, const int *finished, double load, double step)
{
    int stepping = number(dense, finished, true);
    int waiting = number(dense, finished, false);
    dense->rate[stepping][ask(dense, finished)] += step;
    for (int j = 0; j < dense->loaders; j++) {
        int after[DENSE_LOADERS];
        if (finished[j] == dense->capacity[j])
            continue;
        memcpy(after, finished, sizeof after);
        after[j]++;
        dense->rate[stepping][number(dense, after, true)] += load;
        if (finished[0] == 0)
            dense->rate[waiting][j == 0 ? ask(dense, after) : number(dense, after, false)] += load;
    }
    if (finished[0] > 0)
        dense->rate[waiting][ask(dense, finished)] += step; /* never reached; it must lead somewhere */
}

static inline double dense_throughput(struct dense *dense, int loaders, int window, double load, double step)
{
    int finished[DENSE_LOADERS] = {0};
    *dense = (struct dense){.loaders = loaders, .count = 2};
    for (int j = 0; j < loaders; j++)
        for (int batch = j; batch < window; batch += loaders)
            dense->capacity[j]++;
    for (int j = 0; j < loaders; j++)
        dense->count *= dense->capacity[j] + 1;
    for (int j = 0; j >= 0;) {
        add_rates(dense, finished, 1 / load, 1 / step);
        for (j = loaders - 1; j >= 0 && ++finished[j] > dense->capacity[j]; j--)
            finished[j] = 0;
    }
    double shares[DENSE] = {1};
    for (int n = dense->count - 1; n > 0; n--) {
        double out = 0;
        for (int j = 0; j < n; j++)
            out += dense->rate[n][j];
        for (int i = 0; i < n; i++)
            dense->rate[i][n] /= out;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                dense->rate[i][j] += dense->rate[i][n] * dense->rate[n][j];
    }
    double sum = 1;
    double steps = 0;
    for (int n = 1; n < dense->count; n++) {
        for (int i = 0; i < n; i++)
            shares[n] += shares[i] * dense->rate[i][n];
        sum += shares[n];
    }
    for (int n = 1; n < dense->count; n += 2)
        steps += shares[n];
    return steps / sum / step;
}

#endif
