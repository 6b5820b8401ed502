/* Throughput in closed form: product form, diffusion, and the estimate of tf.data's autotune. */
#include "analytic/analytic.h"
#include "base/elementary.h"

#include <math.h>

static const struct dlq_closed_form none = {NAN, false};

/* A closed network of K + 1 batches, n of them at the loaders: weight[n] = prod_{j=1..n} s/(t min(j, N, K)), with
   release at request s/(t min(j, N)). share[n] is weight[n] over the sum of all weights; the throughput is
   X = (1 - share[K + 1])/t. Exact for `pool`, exponential load and step (Gordon & Newell 1967, "Closed Queuing Systems
   with Exponential Servers", Operations Research 15(2)). t = 0: its limit, min(N, K)/s. Checks: N = 7, K = 14, s = 0.7,
   t = 0.1: 9.1679244; N = 1, K = 1, s = t: 2/3 of 1/t (theory 15).

   Weights are computed from n = K + 1 down, relative to weight[K + 1]: weight[n] = weight[n + 1] t min(n + 1, most)/s.
   Only negligible weights underflow; an overflow means that the trainer never waits. */
static struct dlq_closed_form product_form(const struct dlq_system *system)
{
    double servers = (double)dlq_system_servers(system);
    /* Batches that circulate besides the one in the step. */
    long held = dlq_system_loader(system)->relay ? dlq_system_in_flight(system) : dlq_system_window(system);
    double window = held == DLQ_UNBOUNDED ? INFINITY : (double)held;
    double most = dlq_system_loader(system)->release == DLQ_RELEASE_REQUEST ? servers : fmin(servers, window);
    double load = dlq_system_load_mean(system), step = system->step.mean, rate, weight = 1, rest = 0;
    for (long n = isinf(window) || step == 0 ? -1 : (long)window; n >= 0 && isfinite(rest); n--) {
        double ratio = step * fmin((double)n + 1, most) / load;
        weight *= ratio;
        rest += weight;
        if (ratio < 0.5 && weight < 1e-18 * rest)
            break;
    }
    if (isinf(window)) /* the open queue */
        rate = step > 0 ? fmin(1 / step, servers / load) : servers / load;
    else if (step == 0)
        rate = fmin(window + 1, most) / load;
    else
        rate = isinf(rest) ? 1 / step : rest / (1 + rest) / step;
    const struct dlq_loader *loader = dlq_system_loader(system);
    const struct dlq_overheads *overheads = &system->overheads;
    bool pool = loader->assign == DLQ_ASSIGN_POOL && loader->order == DLQ_ORDER_COMPLETION;
    bool alike = dlq_system_slowest_loader(system) == 1 && dlq_system_slowest_rank(system) == 1;
    bool no_overheads =
        overheads->dispatch == 0 && overheads->deliver == 0 && overheads->receive == 0 && overheads->pin_time == 0;
    bool exact = (pool || servers == 1) && !loader->relay && alike && no_overheads && system->pipeline.ranks == 1 &&
                 system->pipeline.epoch_batches == 0 && !dlq_system_shares(system) &&
                 dlq_work_is_exponential(&system->load) && dlq_work_is_exponential(&system->step);
    return (struct dlq_closed_form){rate, exact};
}

/* Brownian motion between 0 and K with drift d = N/s - 1/t and variance v = (N/s) cv_S^2 + (1/t) cv_T^2, where cv_S and
   cv_T are the cv of load and step (Harrison 1985, "Brownian Motion and Stochastic Flow Systems", chapter 5):
   throughput X = 1/t - d/(e^(2dK/v) - 1); 1/t - v/(2K) where d = 0. NAN if K < 2N. X is clamped to the bounds; without
   a lower bound it may be 0 or less, and is then NAN. Check: N = 4, K = 8, s = 0.4, t = 0.1, both exponential:
   10 - 20/16 = 8.75 (theory 16). */
static struct dlq_closed_form diffusion(const struct dlq_system *system, const struct dlq_bounds *bounds)
{
    double servers = (double)dlq_system_servers(system);
    long window = dlq_system_window(system);
    double load_cv = dlq_work_cv(&system->load), step_cv = dlq_work_cv(&system->step);
    double supply = servers / dlq_system_load_mean(system), demand = 1 / system->step.mean;
    double variance = supply * load_cv * load_cv + demand * step_cv * step_cv;
    if (!(system->step.mean > 0) || (double)window < 2 * servers || !isfinite(variance))
        return none;
    double rate = fmin(supply, demand);
    if (variance > 0 && window != DLQ_UNBOUNDED) {
        double width = 2 * (double)window / variance;
        double y = (supply - demand) * width; /* y/(e^y - 1): 1 at 0 */
        rate = demand - (fabs(y) < 1e-8 ? 1 - y / 2 : y / dlq_expm1(y)) / width;
    }
    rate = fmin(fmax(rate, bounds->lower), bounds->upper);
    return rate > 0 ? (struct dlq_closed_form){rate, false} : none;
}

/* tf.data's own estimate, an M/M/1/n queue (tensorflow/core/framework/model.cc, ComputeWaitTime): y = s/N, x = t, n =
   K, P0 = (1 - x/y)/(1 - (x/y)^(n+1)), X = 1/(t + P0 y); t = 0: 1/y. Checks: N = 4, s = 0.4, t = 0.1, K = 8: 1/(0.1 +
   0.1/9) = 9; N = 1, s = 0.2, t = 0.1, K = 1: P0 = 2/3, X = 1/(0.1 + 0.4/3) = 4.2857 (theory 17). */
static struct dlq_closed_form autotune(const struct dlq_system *system)
{
    long window = dlq_system_window(system);
    double places = window == DLQ_UNBOUNDED ? INFINITY : (double)window;
    double interval = dlq_system_load_mean(system) / (double)dlq_system_servers(system);
    double step = system->step.mean;
    double ratio = step / interval, empty = 1; /* (1 - r)/(1 - r^(n + 1)), r > 0; its limit 1/(n + 1) at r = 1 */
    if (step > 0 && isinf(places))
        empty = fmax(0, 1 - ratio);
    else if (step > 0)
        empty = fabs(ratio - 1) < 1e-9 ? 1 / (places + 1) : (1 - ratio) / -dlq_expm1((places + 1) * dlq_log(ratio));
    return (struct dlq_closed_form){1 / (step + empty * interval), false};
}

void dlq_system_closed_forms(const struct dlq_system *system, const struct dlq_bounds *bounds,
                             struct dlq_closed_forms *forms)
{
    *forms = (struct dlq_closed_forms){none, none, none, none};
    if (dlq_system_is_serial(system) || system->extra.mean > 0 || system->slowdowns != NULL || system->cache.given)
        return;
    forms->product_form = product_form(system);
    forms->diffusion = diffusion(system, bounds);
    forms->autotune = autotune(system);
}
