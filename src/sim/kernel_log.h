/* What the loaders of a rank do, batch by batch, as kernels note it for a recorder. */
#ifndef DLQ_SIM_KERNEL_LOG_H
#define DLQ_SIM_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* Times in s, NAN while they are not known. */
struct dlq_logged {
    long number; /* in its epoch, by dispatch, from 0 */
    long worker; /* -1: not begun */
    double dispatched, load_start, load_end;
    double ready; /* when the trainer could take it: D + e, behind pinning; moved by the relay */
    bool taken;   /* the recorder's: done with */
};

/* Batches in order of dispatch. Room for those to come is the recorder's to keep, so that kernels never allocate; it
   may drop some that were taken. */
struct dlq_kernel_log {
    struct dlq_logged *batches;
    size_t count;
    long dispatched; /* in the epoch */
    long taken;      /* number of the batch that the trainer took last */
};

/* The next batch is dispatched. */
void dlq_kernel_log_dispatch(struct dlq_kernel_log *log, double dispatched);
/* The same where all of its times are known. */
void dlq_kernel_log_load(struct dlq_kernel_log *log, double dispatched, double start, double end, double ready,
                         long worker);
/* A batch that is in the log. */
struct dlq_logged *dlq_kernel_log_find(const struct dlq_kernel_log *log, long number);

#endif
