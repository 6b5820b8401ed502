#include "study/run.h"

enum dlq_status dlq_accept_run(const struct dlq_run *run, struct dlq_error *error)
{
    if (run->threads >= 1 && run->threads <= DLQ_RUN_THREADS)
        return DLQ_OK;
    return dlq_error_add(error, DLQ_INVALID, "threads of a run: %d is not from 1 to %d", run->threads, DLQ_RUN_THREADS);
}
