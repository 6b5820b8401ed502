/* Upper bounds by operational laws. */
#include "analytic/analytic.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

double dlq_system_trainer_overhead(const struct dlq_system *system)
{
    return dlq_system_receive(system) + (system->pipeline.ranks > 1 ? system->overheads.barrier : 0);
}

double dlq_system_slowest_loader(const struct dlq_system *system)
{
    bool slow = system->pipeline.slow_loaders > 0 && !dlq_system_is_serial(system);
    return slow ? system->pipeline.slow_factor : 1;
}

double dlq_system_slowest_rank(const struct dlq_system *system)
{
    return system->pipeline.slow_ranks > 0 ? system->pipeline.slow_factor : 1;
}

/* Mean load time of a loader in the slowest rank, for which all ranks wait, s. */
static double rank_load(const struct dlq_system *system)
{
    return dlq_system_load_mean(system) * dlq_system_slowest_rank(system);
}

static double known_rate(double amount, double per_batch)
{
    return isfinite(amount) && per_batch > 0 ? amount / per_batch : NAN;
}

/* Whether loads go round-robin to the loaders, 1/N of them to each. */
static bool in_turn(const struct dlq_system *system)
{
    return dlq_system_loader(system)->assign == DLQ_ASSIGN_ROUND_ROBIN;
}

/* N'/s, N' = min(N, loads under way). With slow loaders, where loader w has the mean load s_w, round-robin:
   N / max s_w, or N' / mean s_w where fewer than N are busy; else the sum of 1/s_w of the N' fastest. Check: N = 7,
   s = 0.7: 10 (theory 6). */
static double load_bound(const struct dlq_system *system)
{
    double servers = (double)dlq_system_servers(system);
    /* K loads may be under way, and one more where a batch makes room in the window before its delivery (release at
       request; a relay frees the slot of the batch that it waits for). */
    long window = dlq_system_window(system);
    double busy = fmin(servers, (double)window + (dlq_system_in_flight(system) > window ? 1 : 0));
    double slow = (double)system->pipeline.slow_loaders;
    double factor = dlq_system_slowest_loader(system);
    double load = rank_load(system);
    if (factor == 1)
        return busy / load;
    if (!in_turn(system)) {
        double fast = fmin(busy, servers - slow);
        return (fast + (busy - fast) / factor) / load;
    }
    return fmin(servers / factor, busy * servers / (servers - slow + slow * factor)) / load;
}

/* Little's law: the batches in flight (K, or more with release at request or a relay) over a + s + e + c. With slow
   loaders, s is, round-robin, the mean over all loaders, slow or not; else that of the fastest, as the share of loads
   on slow loaders is unknown (theory 7). */
static double window_bound(const struct dlq_system *system)
{
    const struct dlq_overheads *overheads = &system->overheads;
    long in_flight = dlq_system_in_flight(system);
    if (in_flight == DLQ_UNBOUNDED)
        return NAN;
    double servers = (double)dlq_system_servers(system);
    double slow = (double)system->pipeline.slow_loaders;
    double factor = dlq_system_slowest_loader(system);
    double mean = in_turn(system) ? (servers - slow + slow * factor) / servers : slow < servers ? 1 : factor;
    double stay = overheads->dispatch + rank_load(system) * mean + overheads->deliver;
    return (double)in_flight / (stay + overheads->receive);
}

/* The max-plus recursion's rate is its largest mean cycle (Cohen, Dubois, Quadrat & Viot 1985). For constant times each
   cycle is a mixture of three: a loader's (s/N), the window's ((a + s + e + c)/K), the trainer's (t + c + b). Release
   at request closes the window's cycle over the step: (a + s + e + c + t + b)/(K + 1) (theory 9). */
static bool is_exact(const struct dlq_system *system, double upper)
{
    const struct dlq_loader *loader = dlq_system_loader(system);
    const struct dlq_pipeline *pipeline = &system->pipeline;
    const struct dlq_overheads *overheads = &system->overheads;
    bool serial = dlq_system_is_serial(system);
    bool alike = dlq_system_slowest_loader(system) == 1 && dlq_system_slowest_rank(system) == 1;
    if (!dlq_work_is_constant(&system->load) || !dlq_work_is_constant(&system->step) || !alike ||
        dlq_system_shares(system) || system->extra.mean > 0 || system->slowdowns != NULL ||
        loader->order != DLQ_ORDER_INDEX || loader->relay || pipeline->epoch_batches > 0)
        return false;
    if (serial)
        return dlq_system_trainer_overhead(system) == 0;
    if (overheads->pin_time > 0)
        return false;
    if (loader->release == DLQ_RELEASE_DELIVERY || dlq_system_window(system) == DLQ_UNBOUNDED)
        return true;
    double cycle = overheads->dispatch + dlq_system_load_mean(system) + overheads->deliver + system->step.mean +
                   dlq_system_trainer_overhead(system);
    return (double)dlq_system_in_flight(system) / cycle >= upper * (1 - 1e-12);
}

/* Lowers bounds by the slowdowns of stages with this use (0: of all stages), of mean speed r and least speed v. A load
   has work s_a in the stages that are slowed and s_u in the others. Count work in the other stages v-fold: at speed
   r(t) a loader does at most r(t) of such work per second, and a load has s_a + v s_u of it. So the rate is at most
   N' r/(s_a + v s_u) (theory 30). The bounds of cores and bandwidth are multiplied by r. */
static void slow_down(const struct dlq_system *system, int uses, const struct dlq_bounds *plain,
                      struct dlq_bounds *bounds)
{
    double speed = 1, least = 1, slowed = 0, other = 0;
    for (size_t j = 0; j < system->slowdowns->count; j++) {
        const struct dlq_slowdown *slowdown = &system->slowdowns->rows[j];
        speed *= slowdown->uses == uses ? dlq_slowdown_mean_speed(slowdown) : 1;
        least *= slowdown->uses == uses ? dlq_slowdown_least_speed(slowdown) : 1;
    }
    for (size_t k = 0; k < system->load.count; k++) {
        const struct dlq_stage *stage = &system->load.stages[k];
        if (stage->samples == NULL || stage->samples->alike) {
            *(uses == 0 || (int)stage->uses == uses ? &slowed : &other) += dlq_work_stage_mean(&system->load, stage);
            continue;
        }
        /* For samples with several stages only the total work is known, which the threads share. */
        const struct dlq_work samples = dlq_stage_samples(stage);
        const double threads = dlq_stage_most_threads(stage);
        const double work = uses == 0 ? samples.mean : dlq_work_time(&samples, (enum dlq_uses)uses);
        slowed += work / threads;
        other += (samples.mean - work) / threads;
    }
    bounds->load = fmin(bounds->load, plain->load * system->load.mean * speed / (slowed + least * other));
    if (uses != DLQ_USES_STORAGE) {
        bounds->cores = fmin(bounds->cores, speed * plain->cores);
        bounds->contention = fmin(bounds->contention, speed * plain->contention);
    }
    if (uses != DLQ_USES_CPU) {
        bounds->host_bandwidth = fmin(bounds->host_bandwidth, speed * plain->host_bandwidth);
        bounds->storage = fmin(bounds->storage, speed * plain->storage);
    }
}

/* Whether every load, or every one of its samples, has a stage with work that the slowdown slows. */
static bool always_slowed(const struct dlq_work *load, const struct dlq_slowdown *slowdown)
{
    for (size_t k = 0; k < load->count; k++) {
        const struct dlq_stage *stage = &load->stages[k];
        if (stage->samples != NULL ? always_slowed(&stage->samples->work, slowdown)
                                   : stage->probability == 1 && dlq_work_stage_mean(load, stage) > 0 &&
                                         dlq_slowdown_slows(slowdown, stage->uses))
            return true;
    }
    return false;
}

/* While a slowdown stops all loads, only the batches in flight and the one in the step can be trained on. D is the
   length of a stop, d its mean, I the mean time between stops, K here the number of batches in flight. With
   t' = t + c + b constant: (1/t')(1 - E[(D - (K + 1) t')+]/(I + d)) (theory 31). */
static double stopped_rate(const struct dlq_system *system)
{
    double best = INFINITY, step = dlq_system_step_mean(system) + dlq_system_trainer_overhead(system);
    long in_flight = dlq_system_in_flight(system);
    if (system->slowdowns == NULL || !(step > 0) || !dlq_work_is_constant(&system->step) || system->extra.mean > 0 ||
        in_flight == DLQ_UNBOUNDED)
        return best;
    for (size_t j = 0; j < system->slowdowns->count; j++) {
        const struct dlq_slowdown *slowdown = &system->slowdowns->rows[j];
        if (!always_slowed(&system->load, slowdown) || slowdown->times.count > 0 || slowdown->speed > 0 ||
            slowdown->scope == DLQ_SCOPE_LOADER)
            continue;
        /* E[(D - time)+] of a gamma law */
        double mean = slowdown->duration, cv = slowdown->duration_cv, time = ((double)in_flight + 1) * step;
        double beyond = fmax(mean - time, 0), k = 1 / (cv * cv), scale = mean / k;
        if (cv > 0)
            beyond = mean * gsl_cdf_gamma_Q(time, k + 1, scale) - time * gsl_cdf_gamma_Q(time, k, scale);
        best = fmin(best, (1 - beyond / (slowdown->interval + slowdown->duration)) / step);
    }
    return best;
}

/* Whether twice the loaders would raise the bound of contention more than sqrt(2)-fold: then too few loaders count as
   the cause, not contention. */
static bool loaders_gain(const struct dlq_system *system)
{
    const double demand = dlq_system_cpu_demand(system);
    const struct dlq_pace pace = dlq_system_cpu_pace(system);
    return sqrt(2) * dlq_pace_contended(&pace, 2 * demand) > dlq_pace_contended(&pace, demand);
}

/* Denning & Buzen (1978): throughput is at most the smallest of the bounds (theory 8). With fewer batches in flight
   than loaders the window is the bottleneck even if its bound equals that of the loads: more loaders would not help. */
void dlq_system_upper(const struct dlq_system *system, struct dlq_bounds *bounds)
{
    if (system->cache.given) { /* the bounds need only mean times, so the cache may save reads at any time */
        const struct dlq_system cached = dlq_system_cached(system);
        dlq_system_upper(&cached, bounds);
        bounds->exact = false;
        return;
    }
    bool serial = dlq_system_is_serial(system);
    double bytes = dlq_work_bytes(&system->load);
    *bounds = (struct dlq_bounds){
        .serial = 1 / (rank_load(system) + system->overheads.pin_time + dlq_system_step_mean(system)),
        .load = serial ? NAN : load_bound(system),
        .window = serial ? NAN : window_bound(system),
        .step = known_rate(1, dlq_system_step_mean(system)),
        .receive = dlq_system_trainer_overhead(system) > 0
                       ? 1 / (dlq_system_step_mean(system) + dlq_system_trainer_overhead(system))
                       : NAN,
        .cores = known_rate(dlq_system_cores(system), dlq_system_cpu_work(system)),
        .contention = known_rate(dlq_system_uncontended(system), dlq_system_cpu_work(system)),
        .host_bandwidth = known_rate(dlq_system_host_bandwidth(system), bytes),
        .storage = known_rate(dlq_system_storage_bandwidth(system), bytes),
        .pin = known_rate(1, system->overheads.pin_time),
        .lower = NAN,
        .upper = INFINITY,
        .bottleneck = DLQ_CAUSE_SERIAL,
    };
    const struct dlq_bounds plain = *bounds;
    for (size_t j = 0; system->slowdowns != NULL && j < system->slowdowns->count; j++)
        slow_down(system, system->slowdowns->rows[j].uses, &plain, bounds);
    const double values[] = {
        [DLQ_CAUSE_LOAD] = bounds->load,
        [DLQ_CAUSE_WINDOW] = bounds->window,
        [DLQ_CAUSE_STEP] = bounds->step,
        [DLQ_CAUSE_RECEIVE] = bounds->receive,
        [DLQ_CAUSE_CORES] = bounds->cores,
        [DLQ_CAUSE_CONTENTION] = bounds->contention,
        [DLQ_CAUSE_HOST_BANDWIDTH] = bounds->host_bandwidth,
        [DLQ_CAUSE_STORAGE] = bounds->storage,
        [DLQ_CAUSE_PIN] = bounds->pin,
    };
    for (enum dlq_cause cause = DLQ_CAUSE_LOAD; cause <= DLQ_CAUSE_PIN; cause++)
        if (values[cause] < bounds->upper) {
            bounds->upper = values[cause];
            bounds->bottleneck = cause;
        }
    if (bounds->bottleneck == DLQ_CAUSE_CONTENTION && loaders_gain(system))
        bounds->bottleneck = DLQ_CAUSE_LOAD;
    if (bounds->window <= bounds->upper && dlq_system_in_flight(system) < dlq_system_servers(system))
        bounds->bottleneck = DLQ_CAUSE_WINDOW;
    if (bounds->step <= bounds->upper * 1.01)
        bounds->bottleneck = DLQ_CAUSE_STEP;
    bounds->upper = fmin(bounds->upper, stopped_rate(system));
    if (serial) {
        bounds->upper = fmin(bounds->upper, bounds->serial);
        bounds->bottleneck = DLQ_CAUSE_SERIAL;
    }
    bounds->exact = is_exact(system, bounds->upper);
}
