#include "study/host_use.h"

#include <math.h>

/* Of a kind of stage: 1 where it runs at full speed. */
static double slowdown_of(double time, double simulated)
{
    return time == 0 ? NAN : isnan(simulated) ? 1 : simulated;
}

void dlq_host_use_of(const struct dlq_system *system, const struct dlq_simulation *simulation, struct dlq_host_use *use)
{
    double cpu = dlq_work_time(&system->load, DLQ_USES_CPU);
    double storage = dlq_work_time(&system->load, DLQ_USES_STORAGE);
    *use = (struct dlq_host_use){
        .cores_used = cpu > 0 ? simulation->throughput.value * cpu * (double)dlq_system_ranks_per_host(system) : NAN,
        .cpu_slowdown = slowdown_of(cpu, simulation->cpu_slowdown),
        .storage_slowdown = slowdown_of(storage, simulation->storage_slowdown),
        .memory_bytes = dlq_system_memory(system),
        .shm_bytes = dlq_system_shm(system),
    };
    use->fits = !(use->memory_bytes > system->host.memory) && !(use->shm_bytes > system->host.shm);
}
