/* One replication of one system, that a caller takes through its steps itself: the draws and times of its simulation.
 */
#ifndef DLQ_SIM_SOLO_H
#define DLQ_SIM_SOLO_H

#include "model/model.h"
#include "sim/feed.h"

/* Its parts point to one another: not to be moved. */
struct dlq_solo {
    struct dlq_point point;
    struct dlq_job job;
    struct dlq_feed feed;
    struct dlq_group *group;
};

/* At the start of the replication, before the first block. To be ended unless zeroed, whatever the status. DLQ_INVALID
   where the system is not simulated. */
enum dlq_status dlq_solo_begin(struct dlq_solo *solo, const struct dlq_system *system,
                               const struct dlq_simulate_options *options, const struct dlq_run *run, long replication,
                               struct dlq_error *error);
void dlq_solo_end(struct dlq_solo *solo);

#endif
