#include "sim/engine.h"

#include <pthread.h>

/* Of a thread: whatever limit the user set. Measured: up to 41 KB of it are used. */
enum { STACK = 1 << 18 };

struct shift {
    const struct dlq_engine *engine;
    struct dlq_job *job;
    void *worker;
    long units;
};

static void *work(void *argument)
{
    const struct shift *shift = argument;
    struct dlq_job *job = shift->job;
    while (atomic_load(&job->failed) == DLQ_OK) {
        long unit = atomic_fetch_add(&job->next, 1);
        if (unit >= shift->units)
            break;
        enum dlq_status status = shift->engine->perform(shift->worker, unit);
        if (status != DLQ_OK)
            atomic_store(&job->failed, (int)status);
    }
    return NULL;
}

enum dlq_status dlq_engine_run(const struct dlq_engine *engine, struct dlq_job *job, void *const *workers, int threads,
                               struct dlq_error *error)
{
    pthread_t ids[DLQ_RUN_THREADS];
    pthread_attr_t attributes;
    struct shift shifts[DLQ_RUN_THREADS];
    int started = 0;
    shifts[0] = (struct shift){.engine = engine, .job = job, .worker = workers[0], .units = engine->units(job)};
    for (int i = 1; i < threads; i++)
        shifts[i] = (struct shift){.engine = engine, .job = job, .worker = workers[i], .units = engine->units(job)};
    atomic_store(&job->next, 0);
    /* The caller's thread is the first worker; where no thread can be had it does all the work. */
    if (pthread_attr_init(&attributes) == 0) {
        pthread_attr_setstacksize(&attributes, STACK);
        for (int i = 1; i < threads; i++)
            if (pthread_create(&ids[started], &attributes, work, &shifts[i]) == 0)
                started++;
        pthread_attr_destroy(&attributes);
    }
    work(&shifts[0]);
    for (int i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    enum dlq_status status = (enum dlq_status)atomic_load(&job->failed);
    if (status == DLQ_INTERRUPTED)
        return dlq_error_add(error, status, "interrupted");
    return status == DLQ_FAILURE ? dlq_error_memory(error, "simulating") : status;
}
