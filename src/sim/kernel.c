#include "sim/kernel.h"

#include "sim/calendar.h"

const struct dlq_kernel *dlq_kernel_for(const struct dlq_system *system)
{
    const struct dlq_loader *loader = dlq_system_loader(system);
    if (dlq_system_shares(system) || system->overheads.pin_time > 0)
        return &dlq_kernel_events;
    if (loader->assign == DLQ_ASSIGN_TRAINER)
        return &dlq_kernel_serial;
    if (loader->order == DLQ_ORDER_COMPLETION)
        return &dlq_kernel_completion;
    if (loader->relay)
        return &dlq_kernel_relay;
    return loader->assign == DLQ_ASSIGN_POOL ? &dlq_kernel_pool : &dlq_kernel_round_robin;
}

long dlq_kernel_keeps(const struct dlq_system *system)
{
    long servers = dlq_system_servers(system);
    long window = dlq_system_in_flight(system);
    if (window == DLQ_UNBOUNDED)
        window = dlq_kernel_for(system) == &dlq_kernel_events ? DLQ_EVENTS_AHEAD : 0;
    return window > servers ? window : servers;
}

double dlq_load_slowed(const struct dlq_loading *rank, const struct dlq_block *block, size_t at, double start,
                       long server)
{
    const struct dlq_point *point = rank->point;
    double times[DLQ_MOST_STAGES];
    size_t count = point->staged ? point->stages : 1;
    double slow = server < point->slow_servers ? point->slow_factor : 1;
    for (size_t k = 0; k < count; k++)
        times[k] =
            (point->staged ? block->cumulative[point->last[k]][at] : block->loads[at]) * point->load_scale * slow;
    return dlq_calendar_end(rank->calendar, server, start, times, count);
}

void dlq_kernel_log_load(struct dlq_kernel_log *log, double dispatched, double start, double end, double ready,
                         long worker)
{
    log->batches[log->count++] = (struct dlq_logged){
        .number = log->dispatched++,
        .worker = worker,
        .dispatched = dispatched,
        .load_start = start,
        .load_end = end,
        .ready = ready,
    };
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
    /* Where all ranks are slow none differs from the others. */
    bool all_slow = pipeline->slow_ranks >= pipeline->ranks;
    *point = (struct dlq_point){
        .loader = dlq_system_loader(system),
        .ranks = pipeline->ranks,
        .slow_ranks = all_slow ? 0 : pipeline->slow_ranks,
        .servers = dlq_system_servers(system),
        .window = dlq_system_window(system),
        .prefetch = pipeline->prefetch,
        .load_scale = dlq_system_load_mean(system) * (all_slow ? pipeline->slow_factor : 1),
        .step_scale = system->step.mean,
        .extra_scale = system->extra.mean,
        /* The training process sends itself nothing, and has no workers to start. */
        .dispatch = serial ? 0 : system->overheads.dispatch,
        .deliver = serial ? 0 : system->overheads.deliver,
        .receive = system->overheads.receive,
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
        .cores = dlq_system_cores(system),
        .bandwidth = dlq_system_bandwidth(system),
        .kernel = dlq_kernel_for(system),
        .slowdowns = system->slowdowns,
        .ranks_per_host = dlq_system_ranks_per_host(system),
    };
    if (dlq_system_cpu_factor(system) > 1) {
        point->core_affinity = system->host.core_affinity;
        point->step_cpu = dlq_system_step_cpu_share(system);
        point->receive_cpu = system->overheads.receive_uses == 0 ? 0 : 1;
    }
    for (size_t i = 0; i < system->load.count; i++) {
        const struct dlq_stage *stage = &system->load.stages[i];
        double demand = threads * (stage->uses == DLQ_USES_STORAGE ? stage->stream_rate : dlq_stage_cores(stage));
        size_t k = point->stages;
        if (k == 0 || point->uses[k - 1] != stage->uses || point->demand[k - 1] != demand)
            point->stages++;
        else
            k--;
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
