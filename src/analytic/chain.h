/* The chain of an ordered loader between two deliveries: its states, and one delivery as a map. */
#ifndef DLQ_ANALYTIC_CHAIN_H
#define DLQ_ANALYTIC_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

enum { DLQ_CHAIN_LOADERS = 24, DLQ_CHAIN_BLOCK = 64 };

/* N loaders in the order in which their batches are due, K batches in flight dealt out among them: loader j holds at
   most c_j = floor((K - 1 - j)/N) + 1 finished ones, m_j of them. States: m_0 .. m_{N-1} while the trainer steps;
   m_1 .. m_{N-1}, with m_0 = 0, while it waits. Numbers: sum m_j weight_j. */
struct dlq_chain {
    int loaders;
    int capacity[DLQ_CHAIN_LOADERS]; /* c_0 >= c_1 >= ... >= c_0 - 1, c_{N-1} >= 1 */
    size_t weight[DLQ_CHAIN_LOADERS];
    size_t shallow; /* states of the loaders of the smaller capacity; `rest` where all are alike */
    size_t rest;    /* states of all but loader 0: weight[0] */
    size_t all;     /* of all */
    double ratio;   /* t/s */
    /* The last loaders, from `inner` on, form blocks of `block` consecutive states. */
    int inner;
    size_t block;
    int busy[DLQ_CHAIN_BLOCK]; /* inner loaders that load */
    size_t begin[DLQ_CHAIN_BLOCK + 1];
    size_t back[DLQ_CHAIN_BLOCK * 8]; /* [begin[i]..begin[i + 1]): distances to the states one load earlier */
    double *stepping, *waiting;       /* owned */
};

/* Loaders and window as they count: min(N, K) loaders, as more never load at once. How many states: stepping and
   waiting. Exact up to 2^53. */
double dlq_chain_states(long loaders, long window);

/* loaders <= DLQ_CHAIN_LOADERS of them, window >= loaders. False: no memory. */
bool dlq_chain_begin(struct dlq_chain *chain, long loaders, long window, double ratio);
void dlq_chain_end(struct dlq_chain *chain);

/* States just after a delivery: those of `stepping` with m_0 > 0 before it, m_0 outermost. */
size_t dlq_chain_size(const struct dlq_chain *chain);

/* From the shares of states just after a delivery to those after the next one; returns the share of deliveries that the
   trainer waits for. to != from. */
double dlq_chain_deliver(struct dlq_chain *chain, const double *from, double *to);

#endif
