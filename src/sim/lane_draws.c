/* The random numbers of a job's lanes, a block at a time: what is ahead of a block stays for the next. */
#include "sim/job.h"

#include <stdlib.h>
#include <string.h>

/* Draws of all ranks that a block holds at most, but of so many steps at least, and how many blocks pass before what is
   ahead is moved. */
enum { PIECE = 1024, LOAD_BLOCKS = 4, MOST_DRAWS = 1 << 20, FEWEST_STEPS = 8 };
/* One lane: where ranks are many and reach far ahead, more. What a block holds beyond a horizon is simulated for
   nothing. */
enum { LEAST_STEPS = 16, HORIZON_STEPS = 64, USUAL_STEPS = 1024, MOST_OF_ONE = 1 << 17 };

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Lanes know no stages, and a load of one stage is its stage. */
static bool needs_stages(const struct dlq_job *job)
{
    bool needed = false;
    for (size_t i = 0; i < job->count; i++)
        needed = needed || (job->kernels[i] != NULL && (job->points[i].staged || job->points[i].samples > 0 ||
                                                        job->points[i].discipline == DLQ_DEPENDENT));
    return needed && job->lanes == 1 && job->sources.load.count > 1;
}

/* Some stages of the step need a core, but not all. */
static bool works_on_cores(const struct dlq_job *job)
{
    bool some = false;
    for (size_t i = 0; i < job->count; i++)
        some = some || (job->kernels[i] != NULL && job->points[i].step_cpu > 0 && job->points[i].step_cpu < 1);
    return some && job->lanes == 1;
}

/* Of a load, where they are told apart: all points of a job draw alike. */
static size_t samples_each(const struct dlq_job *job)
{
    size_t samples = 0;
    for (size_t i = 0; i < job->count; i++)
        if (job->kernels[i] != NULL)
            samples = larger(samples, (size_t)job->points[i].samples);
    return samples;
}

/* Numbers that are drawn of a load. */
static size_t draws_of_load(const struct dlq_job *job)
{
    size_t draws = needs_stages(job) ? 1 + job->sources.load.count : 1;
    for (size_t k = 0; k < job->sources.load.count; k++)
        draws += job->sources.load.stages[k].each ? samples_each(job) : 0;
    return draws;
}

void dlq_lane_draws_lay_out(struct dlq_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        const struct dlq_point *point = &job->points[i];
        if (job->kernels[i] == NULL)
            continue;
        job->ahead = larger(job->ahead, job->kernels[i]->ahead(point));
        job->ranks = larger(job->ranks, (size_t)point->ranks);
        job->servers = larger(job->servers, (size_t)point->servers);
    }
    const bool within = isfinite(job->horizon);
    size_t most = MOST_DRAWS / job->lanes / job->ranks, usual = within ? HORIZON_STEPS : DLQ_BLOCK,
           least = FEWEST_STEPS;
    if (job->lanes == 1) {
        /* What is ahead is moved once per block: not for a few steps only. */
        least = larger(job->ahead / 4, LEAST_STEPS);
        usual = larger(job->ahead, within ? HORIZON_STEPS : USUAL_STEPS);
        most = MOST_OF_ONE / (job->ranks * draws_of_load(job));
    }
    job->block = most > usual ? usual : larger(most, least);
}

double *dlq_lane_rows(size_t count, size_t lanes)
{
    const size_t row = DLQ_LANES * sizeof(double);
    return aligned_alloc(row, (count * lanes + DLQ_LANES - 1) / DLQ_LANES * row);
}

void dlq_lane_draws_free(struct dlq_lane_draws *draws)
{
    if (draws == NULL)
        return;
    for (size_t c = 0; c < draws->control_count; c++)
        dlq_controls_free(&draws->controls[c]);
    dlq_draws_free(&draws->load);
    dlq_draws_free(&draws->step);
    dlq_draws_free(&draws->extra);
    free(draws->controls);
    free(draws->control_of);
    for (size_t k = 0; k < DLQ_MOST_STAGES; k++)
        free(draws->cumulative[k]), free(draws->samples[k]);
    free(draws->loads);
    free(draws->steps);
    free(draws->on_cores);
    free(draws->phases);
    free(draws);
}

static bool begin_controls(struct dlq_lane_draws *draws)
{
    const struct dlq_job *job = draws->job;
    draws->controls = calloc(job->count, sizeof *draws->controls);
    draws->control_of = calloc(job->count, sizeof *draws->control_of);
    if (draws->controls == NULL || draws->control_of == NULL)
        return false;
    for (size_t i = 0; job->expectations != NULL && i < job->count; i++) {
        if (job->kernels[i] == NULL)
            continue;
        const struct dlq_extent *extent = &job->extents[i];
        size_t ranks = (size_t)job->points[i].ranks;
        size_t c = 0;
        while (c < draws->control_count &&
               (draws->controls[c].first != extent->warmup || draws->controls[c].batches != extent->batches ||
                draws->controls[c].ranks != ranks))
            c++;
        draws->control_of[i] = c;
        if (c == draws->control_count &&
            !dlq_controls_begin(&draws->controls[draws->control_count++], job->expectations, extent, job->lanes, ranks))
            return false;
    }
    return true;
}

struct dlq_lane_draws *dlq_lane_draws_new(const struct dlq_job *job)
{
    struct dlq_lane_draws *draws = calloc(1, sizeof *draws);
    if (draws == NULL)
        return NULL;
    draws->job = job;
    draws->rows =
        job->ahead > 0 && job->lanes > 1 ? LOAD_BLOCKS * job->block + 2 * job->ahead : job->block + job->ahead;
    draws->loads = dlq_lane_rows(draws->rows * job->ranks, job->lanes);
    bool enough = true;
    for (size_t k = 0; needs_stages(job) && k < job->sources.load.count; k++)
        enough = (draws->cumulative[k] = dlq_lane_rows(draws->rows * job->ranks, job->lanes)) != NULL && enough;
    for (size_t k = 0; samples_each(job) > 0 && k < job->sources.load.count; k++)
        if (job->sources.load.stages[k].each)
            enough =
                (draws->samples[k] = dlq_lane_rows(draws->rows * job->ranks * samples_each(job), 1)) != NULL && enough;
    /* Behind the steps what not every one has, and its part that is a pause. */
    draws->steps = dlq_lane_rows(job->block * (job->sources.extra.count > 0 ? 3 : 1), job->lanes);
    if (works_on_cores(job))
        enough = (draws->on_cores = dlq_lane_rows(job->block, 1)) != NULL && enough;
    draws->phases = dlq_lane_rows(job->random_start ? job->ranks * job->servers : 1, job->lanes);
    if (enough && draws->loads != NULL && draws->steps != NULL && draws->phases != NULL && begin_controls(draws) &&
        dlq_draws_begin(&draws->load, &job->sources.load, job->lanes, job->ranks, NULL) == DLQ_OK &&
        dlq_draws_begin(&draws->step, &job->sources.step, job->lanes, 1, NULL) == DLQ_OK &&
        dlq_draws_begin(&draws->extra, &job->sources.extra, job->lanes, 1, NULL) == DLQ_OK)
        return draws;
    dlq_lane_draws_free(draws);
    return NULL;
}

/* What of a step needs a core is the sum of the stages that do: not a share that is the same for all steps. */
static void fill_steps(struct dlq_lane_draws *draws)
{
    const struct dlq_source *step = &draws->job->sources.step;
    const size_t n = draws->job->block;
    double rows[PIECE], *cumulative[DLQ_MOST_STAGES];
    for (size_t at = 0, some; at < n && draws->on_cores != NULL; at += some) {
        some = n - at < PIECE / step->count ? n - at : PIECE / step->count;
        for (size_t k = 0; k < step->count; k++)
            cumulative[k] = rows + k * some;
        dlq_draws_next(&draws->step, 0, some, draws->steps + at, cumulative);
        for (size_t i = 0; i < some; i++) {
            draws->on_cores[at + i] = 0;
            for (size_t k = 0; k < step->count; k++)
                if (step->stages[k].on_cpu)
                    draws->on_cores[at + i] += cumulative[k][i] - (k > 0 ? cumulative[k - 1][i] : 0);
        }
    }
    if (draws->on_cores == NULL)
        dlq_draws_next(&draws->step, 0, n, draws->steps, NULL);
}

/* Draws up to the end of the block and what is ahead of it; loads stay until they are used. */
static void fill(struct dlq_lane_draws *draws)
{
    const size_t lanes = draws->job->lanes, row = lanes * sizeof(double);
    const size_t needed = draws->job->block + draws->job->ahead;
    const size_t kept = draws->drawn - draws->at;
    const bool moves = draws->at + needed > draws->rows;
    const size_t end = moves ? kept : draws->drawn;
    const size_t fresh = kept < needed ? needed - kept : 0;
    for (size_t rank = 0; rank < draws->job->ranks; rank++) {
        const size_t first = rank * draws->rows * lanes;
        double *loads = draws->loads + first;
        double *cumulative[DLQ_MOST_STAGES] = {0}, *samples[DLQ_MOST_STAGES] = {0};
        bool stages = draws->cumulative[0] != NULL;
        if (moves)
            memmove(loads, loads + draws->at * lanes, kept * row);
        for (size_t k = 0; stages && k < draws->job->sources.load.count; k++) {
            double *own = draws->cumulative[k] + first;
            if (moves)
                memmove(own, own + draws->at * lanes, kept * row);
            cumulative[k] = own + end * lanes;
        }
        for (size_t k = 0, each = samples_each(draws->job); k < draws->job->sources.load.count; k++) {
            if (draws->samples[k] == NULL)
                continue;
            double *own = draws->samples[k] + first * each;
            if (moves)
                memmove(own, own + draws->at * each, kept * each * sizeof *own);
            samples[k] = own + end * each;
        }
        if (fresh > 0)
            dlq_draws_next_samples(&draws->load, rank, fresh, loads + end * lanes, stages ? cumulative : NULL, samples);
    }
    draws->at = moves ? 0 : draws->at;
    draws->drawn = end + fresh;
    fill_steps(draws);
    for (size_t c = 0; c < draws->control_count; c++) {
        struct dlq_controls *controls = &draws->controls[c];
        for (size_t rank = 0; rank < controls->ranks; rank++)
            dlq_controls_add_loads(controls, rank, draws->index, draws->job->block,
                                   draws->loads + (rank * draws->rows + draws->at) * lanes);
        dlq_controls_add_steps(controls, draws->index, draws->job->block, draws->steps);
    }
    if (draws->job->sources.extra.count == 0)
        return;
    const size_t size = draws->job->block * lanes, pausing = draws->job->sources.pausing;
    double *extras = draws->steps + size, *pauses = extras + size, *cumulative[DLQ_MOST_STAGES] = {0};
    memset(pauses, 0, size * sizeof *pauses);
    if (pausing > 0)
        cumulative[pausing - 1] = pauses;
    dlq_draws_next(&draws->extra, 0, draws->job->block, extras, cumulative);
    for (size_t i = 0; i < 2 * size; i++)
        extras[i] *= draws->job->sources.extra_scale;
}

void dlq_lane_draws_start(struct dlq_lane_draws *draws, long replication)
{
    dlq_draws_start(&draws->load, draws->job->seed, (uint32_t)replication);
    dlq_draws_start(&draws->step, draws->job->seed, (uint32_t)replication);
    dlq_draws_start(&draws->extra, draws->job->seed, (uint32_t)replication);
    for (size_t rank = 0; draws->job->random_start && rank < draws->job->ranks; rank++) {
        const struct dlq_lanes lanes = {
            .seed = draws->job->seed,
            .replication = (uint32_t)replication,
            .rank = (uint32_t)rank,
            .purpose = DLQ_PURPOSE_PHASE,
            .count = draws->job->lanes,
            .set = draws->job->set,
        };
        const size_t servers = draws->job->servers;
        dlq_fill_uniform(&lanes, 0, 0, servers, draws->phases + rank * servers * lanes.count);
    }
    for (size_t c = 0; c < draws->control_count; c++)
        dlq_controls_reset(&draws->controls[c]);
    draws->at = draws->drawn = 0;
    draws->index = 0;
    fill(draws);
}

void dlq_lane_draws_next(struct dlq_lane_draws *draws)
{
    draws->at += draws->job->block;
    draws->index += (long)draws->job->block;
    fill(draws);
}

struct dlq_lane_block dlq_lane_draws_block(const struct dlq_lane_draws *draws, size_t at)
{
    struct dlq_lane_block block = {
        .loads = draws->loads + (draws->at + at) * draws->job->lanes,
        .steps = draws->steps + at * draws->job->lanes,
        .rank_stride = draws->rows * draws->job->lanes,
    };
    if (draws->job->sources.extra.count > 0) {
        block.extras = draws->job->block * draws->job->lanes;
        block.pauses = 2 * block.extras;
    }
    block.on_cores = draws->on_cores != NULL ? draws->on_cores + at : NULL;
    block.samples_each = samples_each(draws->job);
    for (size_t k = 0; k < draws->job->sources.load.count; k++) {
        block.cumulative[k] =
            draws->cumulative[k] != NULL ? draws->cumulative[k] + (draws->at + at) * draws->job->lanes : block.loads;
        if (draws->samples[k] != NULL)
            block.samples[k] = draws->samples[k] + (draws->at + at) * block.samples_each;
    }
    return block;
}

void dlq_lane_draws_controls(const struct dlq_lane_draws *draws, size_t point, size_t lane, double *values)
{
    if (draws->control_count > 0)
        dlq_controls_get(&draws->controls[draws->control_of[point]], lane, values);
}
