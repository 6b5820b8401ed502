/* The exact answer for loaders in order, where all times are exponential: a Markov chain. */
#ifndef DLQ_ANALYTIC_MARKOV_H
#define DLQ_ANALYTIC_MARKOV_H

#include "dlqueue/error.h"
#include "model/system.h"

#include <signal.h>

/* In the long run. A step that waits does so for an exponential time of mean s: the loader that is due is at work on
   the very batch. So P(W > x) = waiting e^(-x/s), E[W] = waiting s. */
struct dlq_markov {
    double throughput; /* batches/s */
    double waiting;    /* share of steps that find no batch ready */
    double load;       /* s */
    double step;       /* t */
};

/* Does the chain describe the system? False: why not, a phrase after "it is not". */
bool dlq_markov_applies(const struct dlq_system *system, char *why, size_t size);

/* Of a system that it describes: how many states, and how much work they make, in states times K, to which the time is
   about proportional. INSTANT: some hundredths of a second; MOST: some seconds, more for few loaders with a long
   window.
 */
#define DLQ_MARKOV_INSTANT 4e5
#define DLQ_MARKOV_MOST 2e7
#define DLQ_MARKOV_MOST_STATES 1e6
enum { DLQ_MARKOV_MOST_WINDOW = 256 };
double dlq_markov_states(const struct dlq_system *system);
double dlq_markov_work(const struct dlq_system *system);
/* Within the three limits: less than 64 MiB. One loader, or a window of 1, has none: a sum gives the answer. */
bool dlq_markov_is_solvable(const struct dlq_system *system);

/* DLQ_INVALID where it does not apply or is too large; DLQ_FAILURE where the iteration does not converge;
   DLQ_INTERRUPTED where *interrupted (may be null) was raised. */
enum dlq_status dlq_markov_solve(const struct dlq_system *system, const volatile sig_atomic_t *interrupted,
                                 struct dlq_markov *markov, struct dlq_error *error);

double dlq_markov_wait_beyond(const struct dlq_markov *markov, double x);   /* P(W > x), x >= 0 */
double dlq_markov_wait_quantile(const struct dlq_markov *markov, double p); /* the least x with P(W <= x) >= p < 1 */

#endif
