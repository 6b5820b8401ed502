/* Quantities that follow from the settings of a system: servers, window, means, shares of the host, memory. */
#include "model/model.h"

#include "base/elementary.h"

#include <math.h>

const struct dlq_loader *dlq_system_loader(const struct dlq_system *system)
{
    return system->pipeline.loaders == 0 ? dlq_loader_find("serial") : dlq_loader_at(system->pipeline.loader);
}

bool dlq_system_is_serial(const struct dlq_system *system)
{
    return dlq_loader_is_serial(dlq_system_loader(system));
}

long dlq_system_servers(const struct dlq_system *system)
{
    const struct dlq_loader *loader = dlq_system_loader(system);
    return dlq_loader_is_serial(loader) || loader->assign == DLQ_ASSIGN_SINGLE ? 1 : system->pipeline.loaders;
}

double dlq_system_threads(const struct dlq_system *system)
{
    return dlq_system_loader(system)->assign == DLQ_ASSIGN_SINGLE ? (double)system->pipeline.loaders : 1;
}

double dlq_system_load_mean(const struct dlq_system *system)
{
    return system->load.mean / dlq_system_threads(system);
}

long dlq_system_window(const struct dlq_system *system)
{
    const struct dlq_pipeline *pipeline = &system->pipeline;
    const struct dlq_loader *loader = dlq_system_loader(system);
    if (dlq_loader_is_serial(loader))
        return 1;
    if (pipeline->window != 0)
        return pipeline->window < 0 ? DLQ_UNBOUNDED : pipeline->window;
    return loader->window(pipeline->loaders, pipeline->prefetch);
}

long dlq_system_in_flight(const struct dlq_system *system)
{
    const struct dlq_loader *loader = dlq_system_loader(system);
    long window = dlq_system_window(system);
    if (window == DLQ_UNBOUNDED)
        return window;
    if (loader->relay)
        return window + system->pipeline.prefetch;
    return window + (loader->release == DLQ_RELEASE_REQUEST ? 1 : 0);
}

double dlq_system_startup(const struct dlq_system *system)
{
    const struct dlq_overheads *overheads = &system->overheads;
    if (dlq_system_is_serial(system))
        return 0;
    return overheads->startup + (double)system->pipeline.loaders * overheads->startup_per_loader;
}

double dlq_system_receive(const struct dlq_system *system)
{
    return dlq_system_is_serial(system) ? 0 : system->overheads.receive;
}

struct dlq_work dlq_system_extra_work(const struct dlq_system *system)
{
    struct dlq_work work = system->extra;
    for (size_t i = 0; i < work.count; i++)
        if (work.stages[i].every == DLQ_EVERY_EPOCH)
            work.stages[i].every = system->pipeline.epoch_batches;
    return work;
}

double dlq_system_extra_mean(const struct dlq_system *system, bool pauses)
{
    struct dlq_work work = dlq_system_extra_work(system);
    double sum = 0;
    for (size_t i = 0; i < (pauses ? system->pausing : work.count); i++)
        sum += dlq_work_stage_mean(&work, &work.stages[i]) / (double)work.stages[i].every;
    return sum;
}

double dlq_system_step_mean(const struct dlq_system *system)
{
    return system->step.mean + dlq_system_extra_mean(system, false);
}

double dlq_system_trained_mean(const struct dlq_system *system)
{
    return system->step.mean + (dlq_system_extra_mean(system, false) - dlq_system_extra_mean(system, true));
}

long dlq_system_ranks_per_host(const struct dlq_system *system)
{
    return system->host.ranks_per_host > 0 ? system->host.ranks_per_host : system->pipeline.ranks;
}

double dlq_system_hosts(const struct dlq_system *system)
{
    return ceil((double)system->pipeline.ranks / (double)dlq_system_ranks_per_host(system));
}

double dlq_system_cores(const struct dlq_system *system)
{
    double cores = system->host.cores;
    return isnan(cores) ? INFINITY : cores / (double)dlq_system_ranks_per_host(system);
}

double dlq_pace_even(const struct dlq_pace *pace, double demand)
{
    return demand <= pace->capacity * (1 + 1e-12) ? 1 : pace->capacity / demand;
}

double dlq_pace_contended(const struct dlq_pace *pace, double demand)
{
    const double c = pace->contention, k = pace->sharpness, n = pace->ranks * demand, x = c * n;
    if (c == 0 || n <= 1 + 1e-12)
        return 1;
    /* The larger of c n and 1 is a factor outside the power, which then stays within the range of a double. */
    const double slowed = x > 1 ? x * dlq_pow(1 + (1 - dlq_pow(c, k)) * dlq_pow(x, -k), 1 / k)
                                : dlq_pow(1 + (dlq_pow(x, k) - dlq_pow(c, k)), 1 / k);
    return fmin(1, 1 / slowed);
}

/* (theory 38) */
double dlq_pace_at(const struct dlq_pace *pace, double demand)
{
    return fmin(dlq_pace_even(pace, demand), dlq_pace_contended(pace, demand));
}

struct dlq_pace dlq_system_cpu_pace(const struct dlq_system *system)
{
    return (struct dlq_pace){dlq_system_cores(system), system->host.contention, system->host.sharpness,
                             (double)dlq_system_ranks_per_host(system)};
}

double dlq_system_step_cpu_share(const struct dlq_system *system)
{
    return system->step.mean > 0 ? dlq_work_time(&system->step, DLQ_USES_CPU) / system->step.mean : 0;
}

double dlq_system_trainer_cpu(const struct dlq_system *system)
{
    return dlq_work_time(&system->step, DLQ_USES_CPU) +
           (system->overheads.receive_uses == 0 ? 0 : dlq_system_receive(system));
}

double dlq_system_cpu_work(const struct dlq_system *system)
{
    return dlq_work_time(&system->load, DLQ_USES_CPU) / (1 + system->rounding) + dlq_system_trainer_cpu(system);
}

double dlq_system_host_bandwidth(const struct dlq_system *system)
{
    double bandwidth = system->host.bandwidth;
    return isnan(bandwidth) ? INFINITY : bandwidth / (double)dlq_system_ranks_per_host(system);
}

double dlq_system_storage_bandwidth(const struct dlq_system *system)
{
    double bandwidth = system->storage.bandwidth;
    return isnan(bandwidth) ? INFINITY : bandwidth / (double)system->pipeline.ranks;
}

double dlq_system_bandwidth(const struct dlq_system *system)
{
    return fmin(dlq_system_host_bandwidth(system), dlq_system_storage_bandwidth(system));
}

/* Threads of a rank that may load at once. */
static double most_threads(const struct dlq_system *system)
{
    if (dlq_system_is_serial(system))
        return 1;
    long in_flight = dlq_system_in_flight(system);
    long servers = dlq_system_servers(system);
    return (double)(servers < in_flight ? servers : in_flight) * dlq_system_threads(system);
}

/* A trainer that loads for itself does not compete with its own load. */
double dlq_system_cpu_demand(const struct dlq_system *system)
{
    bool loads = dlq_work_time(&system->load, DLQ_USES_CPU) > 0;
    bool trainer = dlq_system_trainer_cpu(system) > 0 && !(loads && dlq_system_is_serial(system));
    double most = 1;
    for (size_t i = 0; i < system->load.count; i++) {
        const struct dlq_stage *stage = &system->load.stages[i];
        if (dlq_stage_uses(stage, DLQ_USES_CPU))
            most = fmax(most, dlq_stage_cores(stage) * dlq_stage_most_threads(stage));
    }
    return (loads ? most_threads(system) * most : 0) + trainer;
}

/* (theory 40) */
double dlq_system_uncontended(const struct dlq_system *system)
{
    const struct dlq_pace pace = dlq_system_cpu_pace(system);
    const double demand = dlq_system_cpu_demand(system);
    return pace.contention == 0 ? INFINITY : demand * dlq_pace_contended(&pace, demand);
}

double dlq_system_cpu_factor(const struct dlq_system *system)
{
    const double cores = dlq_system_cores(system), own = isinf(cores) ? 0 : system->host.core_affinity;
    const double demand = dlq_system_cpu_demand(system), even = fmax(1, demand / cores);
    const double whole = fmax(1, round(cores)); /* cores that a process may stay on */
    /* If the window is smaller than the number of servers, not all are busy at once, but any of them may be. */
    const double idle = (double)dlq_system_servers(system) * dlq_system_threads(system) - most_threads(system);
    const double per_core = fmin(ceil((demand + idle) / whole), demand);
    const double contended = fmax(1, demand / dlq_system_uncontended(system));
    if (own == 0 || (even == 1 && per_core <= 1))
        return fmax(contended, even);
    return fmax(contended, 1 / ((1 - own) / even + own / per_core * fmin(cores / whole, 1)));
}

/* The largest rate at which all threads of a load read together, bytes/s. */
static double fastest_stream(const struct dlq_work *load)
{
    double fastest = 0;
    for (size_t i = 0; i < load->count; i++) {
        const struct dlq_stage *stage = &load->stages[i];
        if (stage->samples != NULL) {
            const struct dlq_work samples = dlq_stage_samples(stage);
            fastest = fmax(fastest, dlq_stage_most_threads(stage) * fastest_stream(&samples));
        } else if (stage->uses == DLQ_USES_STORAGE)
            fastest = fmax(fastest, stage->stream_rate);
    }
    return fastest;
}

double dlq_system_storage_factor(const struct dlq_system *system)
{
    return fmax(1, most_threads(system) * fastest_stream(&system->load) / dlq_system_bandwidth(system));
}

bool dlq_system_shares(const struct dlq_system *system)
{
    return dlq_system_cpu_factor(system) > 1 || dlq_system_storage_factor(system) > 1;
}

bool dlq_system_by_sample(const struct dlq_system *system)
{
    const struct dlq_stage *first = &system->load.stages[0];
    if (!dlq_work_has_samples(&system->load))
        return false;
    const struct dlq_stage *stages = first->samples->work.stages;
    for (size_t j = 0; system->slowdowns != NULL && j < system->slowdowns->count; j++)
        for (size_t k = 1; k < first->samples->work.count; k++)
            if (dlq_slowdown_slows(&system->slowdowns->rows[j], stages[k].uses) !=
                dlq_slowdown_slows(&system->slowdowns->rows[j], stages[0].uses))
                return true;
    return dlq_system_shares(system) || (system->cache.given && dlq_stage_uses(first, DLQ_USES_STORAGE));
}

struct dlq_work dlq_system_drawn_load(const struct dlq_system *system)
{
    return dlq_system_by_sample(system) ? dlq_work_by_sample(&system->load) : system->load;
}

static double batch_bytes(const struct dlq_system *system)
{
    if (!isnan(system->host.batch_bytes))
        return system->host.batch_bytes;
    double bytes = dlq_work_bytes(&system->load);
    return bytes > 0 ? bytes : NAN;
}

double dlq_system_memory(const struct dlq_system *system)
{
    long in_flight = dlq_system_in_flight(system);
    double batch = batch_bytes(system);
    if (in_flight == DLQ_UNBOUNDED || (isnan(batch) && isnan(system->host.loader_memory)))
        return NAN;
    double loaders = dlq_system_is_serial(system) ? 0 : (double)system->pipeline.loaders;
    double worker = isnan(system->host.loader_memory) ? 0 : system->host.loader_memory;
    double batches = isnan(batch) ? 0 : ((double)in_flight + 1) * batch;
    double other = system->host.other_memory > 0 ? system->host.other_memory : 0;
    return (double)dlq_system_ranks_per_host(system) * (batches + loaders * worker) + other;
}

double dlq_system_shm(const struct dlq_system *system)
{
    long in_flight = dlq_system_in_flight(system);
    if (in_flight == DLQ_UNBOUNDED)
        return NAN;
    if (dlq_system_is_serial(system) || !dlq_system_loader(system)->processes)
        return 0;
    return (double)dlq_system_ranks_per_host(system) * (double)in_flight * batch_bytes(system);
}
