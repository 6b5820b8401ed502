#include "study/median_worker.h"

#include "study/contrast.h"

double dlq_median_worker(const struct dlq_rank *rank, double *scratch)
{
    size_t count = 0;
    for (size_t w = 0; w < rank->worker_count; w++)
        if (rank->workers[w].count > 0)
            scratch[count++] = dlq_spread_mean(&rank->workers[w]);
    return dlq_quantile(scratch, count, 0.5);
}
