#include "sim/feed.h"

#include "dist/dist.h"

#include <stdlib.h>
#include <string.h>

/* Most draws of loads and their stages in a block; where ranks are many and reach far ahead, more. What a block holds
   beyond a horizon is simulated for nothing. */
enum { LEAST_STEPS = 16, HORIZON_STEPS = 64, USUAL_STEPS = 1024, MOST_DRAWS = 1 << 17 };

static bool needs_stages(const struct dlq_job *job)
{
    for (size_t i = 0; i < job->count; i++)
        if (job->points[i].kernel->needs_stages)
            return true;
    return false;
}

void dlq_feed_lay_out(struct dlq_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        const struct dlq_point *point = &job->points[i];
        size_t ahead = point->kernel->ahead(point);
        size_t ranks = (size_t)point->ranks;
        size_t servers = (size_t)point->servers;
        job->ahead = ahead > job->ahead ? ahead : job->ahead;
        job->ranks = ranks > job->ranks ? ranks : job->ranks;
        job->servers = servers > job->servers ? servers : job->servers;
    }
    /* What is ahead is moved once per block: not for a few steps only. */
    size_t least = job->ahead / 4 > LEAST_STEPS ? job->ahead / 4 : LEAST_STEPS;
    size_t usual = isfinite(job->horizon) ? HORIZON_STEPS : USUAL_STEPS;
    size_t wanted = job->ahead > usual ? job->ahead : usual;
    size_t most = MOST_DRAWS / (job->ranks * (needs_stages(job) ? 1 + job->load.count : 1));
    job->block = wanted < most ? wanted : most > least ? most : least;
}

void dlq_feed_free(struct dlq_feed *feed)
{
    for (size_t k = 0; k < DLQ_MOST_STAGES; k++)
        free(feed->cumulative[k]);
    dlq_draws_free(&feed->load);
    dlq_draws_free(&feed->step);
    free(feed->loads);
    free(feed->steps);
    free(feed->shares);
    *feed = (struct dlq_feed){0};
}

bool dlq_feed_begin(struct dlq_feed *feed, const struct dlq_job *job)
{
    size_t loads = (job->block + job->ahead) * job->ranks;
    bool enough = true;
    *feed = (struct dlq_feed){.job = job};
    feed->loads = calloc(loads, sizeof(double));
    feed->steps = calloc(job->block, sizeof(double));
    feed->shares = calloc(job->random_start ? job->ranks * job->servers : 1, sizeof(double));
    for (size_t k = 0; needs_stages(job) && k < job->load.count; k++)
        enough = (feed->cumulative[k] = calloc(loads, sizeof(double))) != NULL && enough;
    return enough && feed->loads != NULL && feed->steps != NULL && feed->shares != NULL &&
           dlq_draws_begin(&feed->load, &job->load, 1, job->ranks, NULL) == DLQ_OK &&
           dlq_draws_begin(&feed->step, &job->step, 1, 1, NULL) == DLQ_OK;
}

static void draw_shares(struct dlq_feed *feed, long replication)
{
    const struct dlq_job *job = feed->job;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        const struct dlq_lanes lanes = {
            .seed = job->seed,
            .replication = (uint32_t)replication,
            .rank = (uint32_t)rank,
            .purpose = DLQ_PURPOSE_PHASE,
            .count = 1,
            .set = job->set,
        };
        dlq_fill_uniform(&lanes, 0, 0, job->servers, feed->shares + rank * job->servers);
    }
}

void dlq_feed_start(struct dlq_feed *feed, long replication)
{
    const struct dlq_job *job = feed->job;
    dlq_draws_start(&feed->load, job->seed, (uint32_t)replication);
    dlq_draws_start(&feed->step, job->seed, (uint32_t)replication);
    feed->kept = 0;
    if (job->random_start)
        draw_shares(feed, replication);
}

/* The next block of a rank's loads; those that reach ahead are kept. */
static void next_loads(struct dlq_feed *feed, size_t rank)
{
    const struct dlq_job *job = feed->job;
    size_t first = rank * (job->block + job->ahead);
    size_t kept = feed->kept;
    double *tails[DLQ_MOST_STAGES] = {0};
    bool stages = feed->cumulative[0] != NULL;
    memmove(feed->loads + first, feed->loads + first + job->block, kept * sizeof(double));
    for (size_t k = 0; stages && k < job->load.count; k++) {
        double *cumulative = feed->cumulative[k] + first;
        memmove(cumulative, cumulative + job->block, kept * sizeof(double));
        tails[k] = cumulative + kept;
    }
    dlq_draws_next(&feed->load, rank, job->block + job->ahead - kept, feed->loads + first + kept,
                   stages ? tails : NULL);
}

void dlq_feed_next(struct dlq_feed *feed)
{
    for (size_t rank = 0; rank < feed->job->ranks; rank++)
        next_loads(feed, rank);
    dlq_draws_next(&feed->step, 0, feed->job->block, feed->steps, NULL);
    feed->kept = feed->job->ahead;
}

struct dlq_block dlq_feed_block(const struct dlq_feed *feed, size_t at)
{
    const struct dlq_job *job = feed->job;
    struct dlq_block block = {
        .loads = feed->loads + at,
        .steps = feed->steps + at,
        .stride = job->block + job->ahead,
    };
    for (size_t k = 0; k < job->load.count && feed->cumulative[k] != NULL; k++)
        block.cumulative[k] = feed->cumulative[k] + at;
    return block;
}

/* Phases hold at the very start; there are none later. */
void dlq_feed_epoch(const struct dlq_feed *feed, const struct dlq_point *point, long epoch, double ended,
                    struct dlq_group *group)
{
    double ready = ended + (epoch == 0 || !point->persistent ? point->startup : 0);
    long batches = point->epoch > 0 ? point->epoch : LONG_MAX;
    double even[DLQ_MOST_LOADERS];
    const double *shares = NULL;
    for (long w = 0; w < point->servers; w++)
        even[w] = (double)w / (double)point->servers;
    if (epoch == 0 && point->start != DLQ_START_TOGETHER)
        shares = point->start == DLQ_START_STAGGERED ? even : feed->shares;
    dlq_group_epoch(group, ready, shares, shares == even ? 0 : feed->job->servers, batches);
}

size_t dlq_feed_piece(const struct dlq_feed *feed, const struct dlq_tally *tally, size_t at)
{
    size_t n = feed->job->block - at;
    long left = dlq_tally_left(tally);
    n = left < (long)n ? (size_t)left : n;
    long to_epoch = tally->epoch > 0 ? tally->epoch - tally->seen % tally->epoch : LONG_MAX;
    return to_epoch < (long)n ? (size_t)to_epoch : n;
}
