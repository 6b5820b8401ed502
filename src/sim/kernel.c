/* How a point is derived from a system. */
#include "sim/kernel.h"

enum dlq_discipline dlq_discipline_of(const struct dlq_system *system)
{
    const struct dlq_loader *loader = dlq_system_loader(system);
    if (dlq_system_shares(system) || system->overheads.pin_time > 0)
        return DLQ_DEPENDENT;
    if (loader->assign == DLQ_ASSIGN_TRAINER)
        return DLQ_SERIAL;
    if (loader->order == DLQ_ORDER_COMPLETION)
        return DLQ_COMPLETION;
    if (loader->relay)
        return DLQ_RELAY;
    return loader->assign == DLQ_ASSIGN_POOL ? DLQ_POOL : DLQ_ROUND_ROBIN;
}

long dlq_kernel_keeps(const struct dlq_system *system)
{
    long servers = dlq_system_servers(system);
    long window = dlq_system_in_flight(system);
    if (window == DLQ_UNBOUNDED)
        window = dlq_discipline_of(system) == DLQ_DEPENDENT ? DLQ_EVENTS_AHEAD : 0;
    return window > servers ? window : servers;
}

struct dlq_logged *dlq_kernel_log_find(const struct dlq_kernel_log *log, long number)
{
    size_t low = 0, high = log->count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (log->batches[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return &log->batches[low];
}

void dlq_point_make(struct dlq_point *point, const struct dlq_system *system, double resolution, enum dlq_start start)
{
    const struct dlq_pipeline *pipeline = &system->pipeline;
    double threads = dlq_system_threads(system);
    bool serial = dlq_system_is_serial(system);
    const bool by_sample = dlq_system_by_sample(system);
    const struct dlq_work load = dlq_system_drawn_load(system);
    /* If all ranks are slow, the factor becomes part of the scale, and no rank differs from the others. */
    bool all_slow = pipeline->slow_ranks >= pipeline->ranks;
    *point = (struct dlq_point){
        .loader = dlq_system_loader(system),
        .ranks = pipeline->ranks,
        .slow_ranks = all_slow ? 0 : pipeline->slow_ranks,
        .servers = dlq_system_servers(system),
        .window = dlq_system_window(system),
        .prefetch = pipeline->prefetch,
        .load_scale = load.mean / threads * (all_slow ? pipeline->slow_factor : 1),
        .load_mean = dlq_system_load_mean(system) * (all_slow ? pipeline->slow_factor : 1),
        .step_scale = system->step.mean,
        .extra_scale = system->extra.mean,
        /* A training process that loads for itself sends no messages and starts no workers. */
        .dispatch = serial ? 0 : system->overheads.dispatch,
        .deliver = serial ? 0 : system->overheads.deliver,
        .receive = dlq_system_receive(system),
        .barrier = pipeline->ranks > 1 ? system->overheads.barrier : 0,
        .pin = system->overheads.pin_time,
        .startup = dlq_system_startup(system),
        .resolution = resolution,
        .slow_servers = pipeline->slow_loaders,
        .slow_factor = pipeline->slow_factor,
        .epoch = pipeline->epoch_batches,
        .epochs = pipeline->epochs,
        .persistent = pipeline->persistent,
        .start = serial ? DLQ_START_TOGETHER : start,
        .cores = dlq_system_cpu_pace(system),
        .bandwidth = {.capacity = dlq_system_bandwidth(system)},
        .discipline = dlq_discipline_of(system),
        .slowdowns = system->slowdowns,
        .ranks_per_host = dlq_system_ranks_per_host(system),
    };
    if (dlq_system_cpu_factor(system) > 1) {
        point->core_affinity = system->host.core_affinity;
        point->step_cpu = dlq_system_step_cpu_share(system);
        point->receive_cpu = system->overheads.receive_uses != 0 && point->receive > 0 ? 1 : 0;
    }
    point->samples = by_sample ? load.batch_size : 0;
    point->threads = by_sample ? dlq_least(system->load.stages[0].threads, load.batch_size) : 1;
    for (size_t i = 0; i < load.count; i++) {
        const struct dlq_stage *stage = &load.stages[i];
        double demand = threads * (stage->uses == DLQ_USES_STORAGE ? stage->stream_rate : dlq_stage_cores(stage));
        const bool ends_sample = by_sample && i > 0 && load.stages[i - 1].per_sample && !stage->per_sample;
        size_t k = point->stages;
        if (k == 0 || ends_sample || point->uses[k - 1] != stage->uses || point->demand[k - 1] != demand)
            point->stages++;
        else
            k--;
        if (by_sample && stage->per_sample)
            point->sample_stages = k + 1;
        point->last[k] = i;
        point->uses[k] = stage->uses;
        point->demand[k] = demand;
    }
    for (size_t k = 0; k < point->stages; k++)
        for (size_t j = 0; point->slowdowns != NULL && j < point->slowdowns->count; j++) {
            const struct dlq_slowdown *slowdown = &point->slowdowns->rows[j];
            point->staged = point->staged || dlq_slowdown_slows(slowdown, point->uses[k]) !=
                                                 dlq_slowdown_slows(slowdown, point->uses[0]);
        }
}
