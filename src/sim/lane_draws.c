/* The draws of a job's lanes, a block of steps at a time. Loads that a block draws ahead of its steps are kept for the
   next block. */
#include "sim/job.h"

#include <string.h>

/* MOST_DRAWS: draws of loads in a block, of all lanes and ranks, if that leaves FEWEST_STEPS steps. LOAD_BLOCKS: blocks
   until the loads that are kept are moved to the front. PIECE: steps times stages drawn at a time. */
enum { MOST_DRAWS = 1 << 20, FEWEST_STEPS = 8, LOAD_BLOCKS = 4, PIECE = 1024 };
/* With one lane: MOST_OF_ONE draws, LEAST_STEPS steps at least, USUAL_STEPS at most. With a horizon HORIZON_STEPS at
   most, because steps drawn beyond the horizon are wasted. */
enum { MOST_OF_ONE = 1 << 17, LEAST_STEPS = 16, USUAL_STEPS = 1024, HORIZON_STEPS = 64 };

/* How many lanes draw loads: if there are few replications, half of the lanes; the other half repeats these loads. */
static size_t lanes_that_draw(const struct dlq_job *job)
{
    return job->lanes > 1 && job->replications <= (long)job->lanes / 2 ? job->lanes / 2 : job->lanes;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

void dlq_lane_draws_lay_out(struct dlq_job *job)
{
    const struct dlq_source *load = &job->sources.load;
    const bool within = isfinite(job->horizon);
    for (size_t i = 0; i < job->count; i++) {
        const struct dlq_point *point = &job->points[i];
        if (job->kernels[i] == NULL)
            continue;
        if (job->kernels[i]->ahead != NULL)
            job->ahead = larger(job->ahead, job->kernels[i]->ahead(point));
        job->ranks = larger(job->ranks, (size_t)point->ranks);
        job->servers = larger(job->servers, (size_t)point->servers);
        job->samples = larger(job->samples, (size_t)point->samples);
        const bool alone = job->lanes == 1;
        if (job->kernels[i]->by_stage ||
            (alone && (point->staged || point->samples > 0 || point->discipline == DLQ_DEPENDENT)))
            job->stages = load->count > 1 ? load->count : 0; /* a load of one stage is its stage */
        job->on_cores = job->on_cores || (alone && point->step_cpu > 0 && point->step_cpu < 1);
    }
    size_t most = MOST_DRAWS / job->lanes / job->ranks / (1 + job->stages), usual = within ? HORIZON_STEPS : DLQ_BLOCK,
           least = FEWEST_STEPS;
    if (job->lanes == 1) {
        /* The loads that are kept are moved once per block, so a block must not be much shorter than they are. */
        size_t draws = 1 + job->stages;
        for (size_t k = 0; k < load->count; k++)
            draws += load->stages[k].each ? job->samples : 0;
        least = larger(job->ahead / 4, LEAST_STEPS);
        usual = larger(job->ahead, within ? HORIZON_STEPS : USUAL_STEPS);
        most = MOST_OF_ONE / (job->ranks * draws);
    }
    job->block = most > usual ? usual : larger(most, least);
}

/* Points of the same extent and number of ranks share their controls. */
static enum dlq_status begin_controls(struct dlq_arena *arena, struct dlq_lane_draws *draws)
{
    const struct dlq_job *job = draws->job;
    NEW(arena, draws->controls, job->count);
    NEW(arena, draws->control_of, job->count);
    for (size_t i = 0; job->expectations != NULL && i < job->count; i++) {
        if (job->kernels[i] == NULL)
            continue;
        const struct dlq_extent *extent = &job->extents[i];
        const size_t ranks = (size_t)job->points[i].ranks;
        size_t c = 0;
        while (c < draws->control_count &&
               (draws->controls[c].first != extent->warmup || draws->controls[c].batches != extent->batches ||
                draws->controls[c].ranks != ranks))
            c++;
        draws->control_of[i] = c;
        if (c == draws->control_count)
            TRY(dlq_controls_begin(arena, &draws->controls[draws->control_count++], job->expectations, extent,
                                   job->lanes, ranks));
    }
    return DLQ_OK;
}

enum dlq_status dlq_lane_draws_begin(struct dlq_arena *arena, struct dlq_lane_draws *draws, const struct dlq_job *job)
{
    const size_t lanes = job->lanes;
    *draws = (struct dlq_lane_draws){.job = job};
    draws->rows = job->ahead > 0 && lanes > 1 ? LOAD_BLOCKS * job->block + 2 * job->ahead : job->block + job->ahead;
    TRY(dlq_lane_rows(arena, draws->rows * job->ranks, lanes, &draws->loads));
    for (size_t k = 0; k < job->stages; k++)
        TRY(dlq_lane_rows(arena, draws->rows * job->ranks, lanes, &draws->cumulative[k]));
    for (size_t k = 0; job->samples > 0 && k < job->sources.load.count; k++)
        if (job->sources.load.stages[k].each)
            TRY(dlq_lane_rows(arena, draws->rows * job->ranks * job->samples, 1, &draws->samples[k]));
    /* The extras and the pauses follow the steps. */
    TRY(dlq_lane_rows(arena, job->block * (job->sources.extra.count > 0 ? 3 : 1), lanes, &draws->steps));
    if (job->on_cores)
        TRY(dlq_lane_rows(arena, job->block, 1, &draws->on_cores));
    TRY(dlq_lane_rows(arena, job->ranks * job->servers, lanes, &draws->phases));
    if (job->under_way)
        TRY(dlq_lane_rows(arena, job->ranks * job->servers,
                          lanes + (lanes + job->samples) * (size_t)job->sources.load.count, &draws->saved));
    TRY(begin_controls(arena, draws));
    TRY(dlq_draws_begin(arena, &draws->load, &job->sources.load, lanes_that_draw(job), job->ranks));
    TRY(dlq_draws_begin(arena, &draws->step, &job->sources.step, lanes, 1));
    return dlq_draws_begin(arena, &draws->extra, &job->sources.extra, lanes, 1);
}

/* The part of a step that needs a core is the sum of the stages that use cpu: its share differs from step to step. */
static void fill_steps(struct dlq_lane_draws *draws)
{
    const struct dlq_source *step = &draws->job->sources.step;
    const size_t n = draws->job->block;
    double rows[PIECE], *cumulative[DLQ_MOST_STAGES];
    for (size_t at = 0, piece; at < n && draws->on_cores != NULL; at += piece) {
        piece = n - at < PIECE / step->count ? n - at : PIECE / step->count;
        for (size_t k = 0; k < step->count; k++)
            cumulative[k] = rows + k * piece;
        dlq_draws_next(&draws->step, 0, piece, draws->steps + at, cumulative, NULL);
        for (size_t i = 0; i < piece; i++) {
            draws->on_cores[at + i] = 0;
            for (size_t k = 0; k < step->count; k++)
                if (step->stages[k].on_cpu)
                    draws->on_cores[at + i] += cumulative[k][i] - (k > 0 ? cumulative[k - 1][i] : 0);
        }
    }
    if (draws->on_cores == NULL)
        dlq_draws_next(&draws->step, 0, n, draws->steps, NULL, NULL);
}

/* How a rank's draws are refilled: `kept` draws from row `at` on stay, or move to the front if there is no room behind
   them; new draws go to row `end`. */
struct refill {
    size_t at, kept, end;
    bool moves;
};

/* Where new draws of a rank go, whose first row is `first`. width: doubles per draw. Null: no rows. */
static double *place_for_new(const struct refill *refill, double *rows, size_t first, size_t width)
{
    if (rows == NULL)
        return NULL;
    rows += first * width;
    if (refill->moves)
        memmove(rows, rows + refill->at * width, refill->kept * width * sizeof *rows);
    return rows + refill->end * width;
}

/* Copies n rows of `drawn` lanes, in place, to rows in which all lanes repeat them. */
static void repeat_lanes(double *rows, size_t n, size_t drawn, size_t lanes)
{
    for (size_t i = n; rows != NULL && drawn < lanes && i-- > 0;)
        for (size_t lane = lanes; lane > 0; lane -= drawn)
            memmove(rows + i * lanes + lane - drawn, rows + i * drawn, drawn * sizeof *rows);
}

/* Adds the loads of a rank in the current block to the controls: right after they are drawn, while they are cached. */
static void add_controls(const struct dlq_lane_draws *draws, size_t rank, const double *loads)
{
    for (size_t c = 0; c < draws->control_count; c++)
        if (rank < draws->controls[c].ranks)
            dlq_controls_add_draws(&draws->controls[c], DLQ_CONTROL_LOAD, rank, draws->index, draws->job->block, loads);
}

static void fill_loads(struct dlq_lane_draws *draws)
{
    const struct dlq_job *job = draws->job;
    const size_t needed = job->block + job->ahead, kept = draws->drawn - draws->at;
    const size_t fresh = kept < needed ? needed - kept : 0;
    struct refill refill = {.at = draws->at, .kept = kept, .moves = draws->at + needed > draws->rows};
    refill.end = refill.moves ? kept : draws->drawn;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        double *cumulative[DLQ_MOST_STAGES] = {0}, *samples[DLQ_MOST_STAGES] = {0};
        const size_t first = rank * draws->rows;
        double *loads = place_for_new(&refill, draws->loads, first, job->lanes);
        for (size_t k = 0; k < job->sources.load.count; k++) {
            cumulative[k] = place_for_new(&refill, draws->cumulative[k], first, job->lanes);
            samples[k] = place_for_new(&refill, draws->samples[k], first, job->samples);
        }
        if (fresh > 0)
            dlq_draws_next(&draws->load, rank, fresh, loads, cumulative, samples);
        repeat_lanes(loads, fresh, draws->load.lanes, job->lanes);
        for (size_t k = 0; k < job->sources.load.count; k++)
            repeat_lanes(cumulative[k], fresh, draws->load.lanes, job->lanes);
        add_controls(draws, rank, draws->loads + (first + (refill.moves ? 0 : draws->at)) * job->lanes);
    }
    draws->at = refill.moves ? 0 : draws->at;
    draws->drawn = refill.end + fresh;
}

static void fill(struct dlq_lane_draws *draws)
{
    const struct dlq_job *job = draws->job;
    fill_loads(draws);
    fill_steps(draws);
    for (size_t c = 0; c < draws->control_count; c++)
        dlq_controls_add_draws(&draws->controls[c], DLQ_CONTROL_STEP, 0, draws->index, job->block, draws->steps);
    if (job->sources.extra.count == 0)
        return;
    const size_t size = job->block * job->lanes, pausing = job->sources.pausing;
    double *extras = draws->steps + size, *pauses = extras + size, *cumulative[DLQ_MOST_STAGES] = {0};
    memset(pauses, 0, size * sizeof *pauses);
    if (pausing > 0)
        cumulative[pausing - 1] = pauses;
    dlq_draws_next(&draws->extra, 0, job->block, extras, cumulative, NULL);
    for (size_t i = 0; i < 2 * size; i++)
        extras[i] *= job->sources.extra_scale;
}

void dlq_lane_draws_start(struct dlq_lane_draws *draws, long replication)
{
    const struct dlq_job *job = draws->job;
    dlq_draws_start(&draws->load, job->seed, (uint32_t)replication);
    dlq_draws_start(&draws->step, job->seed, (uint32_t)replication);
    dlq_draws_start(&draws->extra, job->seed, (uint32_t)replication);
    for (size_t rank = 0; (job->random_start || job->under_way) && rank < job->ranks; rank++) {
        const struct dlq_lanes lanes = {
            .seed = job->seed,
            .replication = (uint32_t)replication,
            .rank = (uint32_t)rank,
            .purpose = DLQ_PURPOSE_PHASE,
            .count = job->lanes,
            .set = job->set,
        };
        dlq_fill_uniform(&lanes, 0, 0, job->servers, draws->phases + rank * job->servers * job->lanes);
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

struct dlq_block dlq_lane_draws_block(const struct dlq_lane_draws *draws, size_t at)
{
    const struct dlq_job *job = draws->job;
    const size_t load = (draws->at + at) * job->lanes, extras = job->block * job->lanes;
    struct dlq_block block = {
        .loads = draws->loads + load,
        .steps = draws->steps + at * job->lanes,
        .extras = job->sources.extra.count > 0 ? extras : 0,
        .pauses = job->sources.extra.count > 0 ? 2 * extras : 0,
        .on_cores = draws->on_cores != NULL ? draws->on_cores + at : NULL,
        .rank_stride = draws->rows * job->lanes,
    };
    for (size_t k = 0; k < job->sources.load.count; k++) {
        block.cumulative[k] = draws->cumulative[k] != NULL ? draws->cumulative[k] + load : block.loads;
        if (draws->samples[k] != NULL)
            block.samples[k] = draws->samples[k] + (draws->at + at) * job->samples;
    }
    return block;
}

const double *dlq_lane_draws_shares(struct dlq_lane_draws *draws, const struct dlq_point *point, size_t *stride)
{
    const size_t lanes = draws->job->lanes;
    *stride = point->start == DLQ_START_RANDOM ? draws->job->servers : 0;
    for (size_t i = 0; point->start == DLQ_START_STAGGERED && i < (size_t)point->servers * lanes; i++)
        draws->phases[i] = floor((double)i / (double)lanes) / (double)point->servers;
    return point->start == DLQ_START_TOGETHER ? NULL : draws->phases;
}

/* Shortens or restores the first rows of all ranks: `width` doubles per draw, each of which is multiplied by the phase
   of its lane. Returns the end of what is saved. */
static double *shorten_rows(const struct dlq_lane_draws *draws, const struct dlq_point *point, bool shorten,
                            double *rows, size_t width, double *saved)
{
    const struct dlq_job *job = draws->job;
    const long window = point->window == DLQ_UNBOUNDED ? point->servers : point->window;
    const size_t first = (size_t)dlq_least(point->servers, window); /* in flight, each at a server of its own */
    for (size_t i = 0; rows != NULL && i < (size_t)point->ranks * first; i++) {
        const size_t rank = i / first, server = i % first;
        double *row = rows + (rank * draws->rows + draws->at + server) * width;
        const double *share = draws->phases + (rank * job->servers + server) * job->lanes;
        for (size_t k = 0; k < width; k++, saved++) {
            *saved = shorten ? row[k] : *saved;
            row[k] = shorten ? row[k] * share[k % job->lanes] : *saved;
        }
    }
    return saved;
}

void dlq_lane_draws_shorten(struct dlq_lane_draws *draws, const struct dlq_point *point, bool shorten)
{
    const struct dlq_job *job = draws->job;
    double *saved = shorten_rows(draws, point, shorten, draws->loads, job->lanes, draws->saved);
    for (size_t k = 0; k < job->sources.load.count; k++) {
        saved = shorten_rows(draws, point, shorten, draws->cumulative[k], job->lanes, saved);
        saved = shorten_rows(draws, point, shorten, draws->samples[k], job->samples, saved);
    }
}

void dlq_lane_draws_controls(const struct dlq_lane_draws *draws, size_t point, size_t lane, double *values)
{
    if (draws->control_count > 0)
        dlq_controls_get(&draws->controls[draws->control_of[point]], lane, values);
}
