#include "sim/kernel.h"

#include <math.h>

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

void dlq_kernel_log_dispatch(struct dlq_kernel_log *log, double dispatched)
{
    dlq_kernel_log_load(log, dispatched, NAN, NAN, NAN, -1);
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
