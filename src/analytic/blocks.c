/* The lower bound by blocks of rounds: sharper than that by single rounds where the window holds many rounds. */
#include "analytic/analytic.h"

#include "base/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The bound (theory 14). N loaders take their batches in turn, the window holds K batches, delivered in order. For
   blocks of n = m N batches, n <= K, and g = min(K - n, n):

       X >= n / E[max(U, max over ranks and loaders w of Y_w)],   U = the sum of n steps (T + c + b),
       V_{w,0} = d_w + a + S,  V_{w,j} = max(V_{w,j-1}, d_{jN+w} + a) + S',  Y_w = V_{w,m-1} + e,
       d_q = 0 for q < g, else the sum of q - g steps, + c (not where a request frees a place in the window).

   X is the throughput; S, S' are loads and T a step; a, e, c, b the times of dispatch, delivery, receiving and barrier.
   Batch q of a block is dispatched d_q after the block begins; loader w has loaded its batch j at V_{w,j}.

   Proof: delay each block until the block before is loaded and the steps of the block before that are over. No event
   then comes earlier than in the real system, and blocks are independent and alike. Steps and loads in U, d and V are
   associated (Esary, Proschan & Walkup 1967), so that treating them as independent only raises E. Check: 8 loaders,
   prefetch 16, loads of 500 ms of which 2 % take 5 s, steps of 100 ms: 8.508; exponential loads of 800 ms: 6.977.

   All distributions lie on a grid of DLQ_SUM_GRID points. Values are split between neighboring points, which keeps
   means and makes a distribution larger in convex order: the mean of a maximum of sums only rises, so that the bound
   holds. Values beyond the end of the grid are left out and counted separately: m loads of up to x each have room, and
   their sum exceeds m x by E[(sum - m x)+] <= m E[(S - x)+] on average. */

enum {
    POINTS = DLQ_SUM_GRID,   /* of the grid */
    MOST_ROUNDS = 128,       /* of a block */
    MOST_CONVOLUTIONS = 128, /* per class of loaders: large classes are grouped */
    MOST_STEPS = 128,        /* random steps that delay a batch */
    TRIALS = 14              /* ends of the grid that are tried */
};

struct blocks {
    const struct dlq_system *system;
    const struct dlq_sum *load;                  /* of mean 1, slowed by sharing */
    const struct dlq_sum *step;                  /* of mean 1; null: constant */
    struct dlq_kept_sum *steps;                  /* the sum of the steps of a block */
    struct dlq_convolution *one_step, *one_load; /* kernels; one_step null: constant */
    struct dlq_arena *arena;
    double copies; /* loaders of all ranks */
    long loaders, window;
    double step_mean, overhead, receive; /* t; c + b; c, or 0 where a request frees a place in the window */
    /* of the block of m rounds */
    long rounds, batches, free;        /* m, n, g */
    double cell, tail, floor;          /* s: cell of the grid; what values beyond the grid add to E; U if constant */
    double *delay, *delay_cdf, *spare; /* the sum of `delayed` steps; d_q + a as a distribution function */
    double *all;                       /* distribution function of the largest Y */
    long delayed;
};

/* -- on the grid -- */

/* *cdf: the distribution function of X + offset, X having these masses; mass null: X = 0. */
static void shift_cdf(const struct blocks *blocks, const double *mass, double offset, double *cdf)
{
    double place = fmin(offset / blocks->cell, POINTS), whole = floor(place), sum = 0, before = 0;
    long shift = (long)whole;
    for (long k = 0; k < POINTS; k++) {
        long at = k - shift;
        before = sum;
        if (at >= 0)
            sum += mass != NULL ? mass[at] : at == 0;
        cdf[k] = before + (sum - before) * (1 - (place - whole));
    }
}

/* The part of d_q + a that is constant; *steps: the number of random steps in the other part. */
static double constant_delay(const struct blocks *blocks, long q, long *steps)
{
    const long all = q - blocks->free;
    *steps = all > 0 && blocks->step != NULL ? all : 0;
    double offset = blocks->system->overheads.dispatch;
    if (all >= 0)
        offset += (double)all * blocks->overhead + blocks->receive;
    return offset + (all > 0 && blocks->step == NULL ? (double)all * blocks->step_mean : 0);
}

/* delay_cdf: the distribution function of d_q + a. Called with ascending q. */
static void set_delay(struct blocks *blocks, long q)
{
    long steps;
    const double offset = constant_delay(blocks, q, &steps);
    for (; blocks->delayed < steps; blocks->delayed++)
        dlq_convolution_pair(blocks->one_step, blocks->delay, blocks->spare);
    shift_cdf(blocks, steps > 0 ? blocks->delay : NULL, offset, blocks->delay_cdf);
}

/* -- one block -- */

/* An upper bound on E[(scale * time - x)+]: the integral of the survival function from x up, on widening intervals,
   with its values at their left ends. */
static double mean_beyond(const struct dlq_sum *time, double scale, double x)
{
    const struct dlq_term term = {.time = time, .scale = scale, .count = 1, .copies = 1};
    if (x <= 0)
        return scale * time->mean;
    double sum = 0, share = dlq_sum_survival(time, x / scale);
    while (share > 1e-18 && sum < INFINITY) {
        sum += 0.02 * x * share;
        x *= 1.02;
        share = dlq_sum_survival(time, x / scale);
    }
    return sum + dlq_terms_tail(&term, 1, x);
}

/* Chooses the end of the grid. A far end makes cells wide, a near one leaves more values out, and both loosen the
   bound: takes the trial that loosens it least. A value between two points is split between them, so that each added
   load or step reaches one cell further. */
static enum dlq_status lay_out(struct blocks *blocks)
{
    const struct dlq_system *system = blocks->system;
    double scale = dlq_system_load_mean(system) * dlq_system_slowest_loader(system) * dlq_system_slowest_rank(system);
    double n = (double)blocks->batches, lost = INFINITY, steps_tail = 0;
    long steps = blocks->batches - blocks->free;
    /* in cells */
    const double end = POINTS - 2 - (double)blocks->rounds - (blocks->step != NULL && steps > 0 ? (double)steps : 0);
    blocks->floor = n * (blocks->overhead + blocks->step_mean);
    double longest = steps > 0 ? (double)steps * (blocks->overhead + blocks->step_mean) + blocks->receive : 0;
    if (blocks->step != NULL) {
        TRY(dlq_kept_sum_make(blocks->steps, &system->step, blocks->batches, 1, 1, blocks->arena->error));
        longest = blocks->step_mean * dlq_sum_upper(&blocks->steps->time, 1e-10 / (1 + blocks->copies));
        steps_tail = (1 + blocks->copies) * mean_beyond(&blocks->steps->time, blocks->step_mean, longest);
        longest += n * blocks->overhead + blocks->receive;
    }
    longest += system->overheads.dispatch + system->overheads.deliver;
    double share = 1;
    for (int i = 1; i <= TRIALS; i++) {
        share /= 10;
        double x = scale * dlq_sum_upper(blocks->load, share), m = (double)blocks->rounds;
        double cell = (longest + m * x) / end;
        double tail = blocks->copies * m * mean_beyond(blocks->load, scale, x);
        if (isfinite(tail) && isfinite(cell) && tail + 2 * cell < lost) {
            lost = tail + 2 * cell;
            blocks->cell = fmax(cell, blocks->floor / end);
            blocks->tail = tail + steps_tail;
        }
    }
    return DLQ_OK;
}

/* The last loader of a group stands for the whole group, as d rises with w. */
static long last_of_group(const struct dlq_term *class, long groups, long group)
{
    return (long)class->offset + (group + 1) * class->count / groups - 1;
}

/* so_far, the distribution of V of round j - 1, becomes that of max(d + a, V); of d + a in round 0. */
static void delay_round(struct blocks *blocks, long j, long q, double *so_far)
{
    double sum = 0, last = 0;
    set_delay(blocks, q);
    for (long k = 0; k < POINTS; k++) {
        sum += so_far[k];
        double now = j == 0 ? blocks->delay_cdf[k] : sum * blocks->delay_cdf[k];
        so_far[k] = now - last;
        last = now;
    }
}

/* so_far: the distribution of V of round 0 after a constant delay: that of a load, shifted. */
static void shift_load(struct blocks *blocks, const double *load, double delay, double *so_far)
{
    shift_cdf(blocks, load, delay, blocks->delay_cdf);
    for (long k = 0; k < POINTS; k++)
        so_far[k] = blocks->delay_cdf[k] - (k > 0 ? blocks->delay_cdf[k - 1] : 0);
}

/* Multiplies `all` by the distribution functions of Y of a class of loaders: those of one speed in ranks of one speed,
   from loader `offset` on. Groups of loaders are convolved two at a time. */
static enum dlq_status multiply_class(struct blocks *blocks, const struct dlq_term *class)
{
    bool alike = blocks->free == blocks->batches; /* no batch is delayed */
    long most = MOST_CONVOLUTIONS / blocks->rounds, groups = alike ? 1 : class->count < most ? class->count : most;
    double *mass;
    NEW(blocks->arena, mass, (size_t)(groups + 2) * POINTS);
    double *load = mass + (groups + 1) * POINTS;
    if (!dlq_sum_masses(blocks->load, class->scale, blocks->cell, POINTS, load))
        return dlq_error_memory(blocks->arena->error, blocks->arena->doing);
    dlq_convolution_kernel(blocks->one_load, load, POINTS);
    blocks->delayed = 0;
    memset(blocks->delay, 0, POINTS * sizeof *blocks->delay);
    blocks->delay[0] = 1;
    for (long j = 0; j < blocks->rounds; j++)
        for (long group = 0, steps; group < groups; group += 2) {
            const long end = group + 2 < groups ? group + 2 : groups;
            constant_delay(blocks, j * blocks->loaders + last_of_group(class, groups, end - 1), &steps);
            const bool shifts = j == 0 && steps == 0;
            for (long i = group; i < end; i++) {
                const long q = j * blocks->loaders + last_of_group(class, groups, i);
                if (shifts)
                    shift_load(blocks, load, constant_delay(blocks, q, &steps), mass + i * POINTS);
                else
                    delay_round(blocks, j, q, mass + i * POINTS);
            }
            if (!shifts)
                dlq_convolution_pair(blocks->one_load, mass + group * POINTS, mass + (group + 1) * POINTS);
        }
    for (long i = 0; i < groups; i++) {
        long from = i > 0 ? last_of_group(class, groups, i - 1) : (long)class->offset - 1;
        double loaders = (double)(last_of_group(class, groups, i) - from) * class->copies;
        shift_cdf(blocks, mass + i * POINTS, blocks->system->overheads.deliver, blocks->delay_cdf); /* V + e */
        for (long k = 0; k < POINTS; k++) {
            const double share = fmin(fmax(blocks->delay_cdf[k] - 1e-12, 0), 1); /* 1e-12: FFT errors */
            blocks->all[k] *= loaders == 1 ? share : dlq_pow(share, loaders);
        }
    }
    return DLQ_OK;
}

/* Raises *rate to the bound by blocks of that many rounds. Blocks of one round are not tried where another bound covers
   them: (theory 11) if the window has two rounds, (theory 12) if it has one and steps are constant. */
static enum dlq_status try_rounds(struct blocks *blocks, long rounds, double *rate)
{
    const long batches = rounds * blocks->loaders, window = blocks->window;
    struct dlq_term classes[DLQ_ROUND_TERMS];
    bool known = rounds == 1 && (2 * batches <= window || (batches == window && blocks->step == NULL));
    blocks->rounds = rounds;
    blocks->batches = batches;
    blocks->free = window - batches < batches ? window - batches : batches;
    if (known || (blocks->step != NULL && batches - blocks->free > MOST_STEPS))
        return DLQ_OK;
    dlq_round_terms(blocks->system, blocks->load, blocks->loaders, 0, 1, classes); /* their offset: the first loader */
    blocks->cell = 0;
    TRY(lay_out(blocks));
    if (!(blocks->cell > 0))
        return DLQ_OK;
    for (long k = 0; k < POINTS; k++)
        blocks->all[k] = 1;
    if (blocks->step != NULL) {
        if (!dlq_sum_masses(blocks->step, blocks->step_mean, blocks->cell, POINTS, blocks->spare))
            return dlq_error_memory(blocks->arena->error, blocks->arena->doing);
        dlq_convolution_kernel(blocks->one_step, blocks->spare, POINTS);
    }
    for (size_t i = 0; i < DLQ_ROUND_TERMS; i++)
        if (classes[i].count > 0 && classes[i].copies > 0)
            TRY(multiply_class(blocks, &classes[i]));
    /* E[max(U, all Y)]: 1 - F at the left ends of the cells */
    double sum = blocks->step == NULL ? blocks->floor : 0, overhead = (double)batches * blocks->overhead;
    for (long k = 0; k < POINTS; k++) {
        double left = (double)k * blocks->cell, right = left + blocks->cell, share = blocks->all[k];
        if (blocks->step == NULL)
            left = fmax(left, blocks->floor);
        else
            share *= dlq_sum_cdf(&blocks->steps->time, (left - overhead) / blocks->step_mean);
        sum += fmax(right - left, 0) * (1 - share);
    }
    *rate = fmax(*rate, (double)batches / (sum + blocks->tail));
    return DLQ_OK;
}

/* The best number of rounds is mostly near 3/4 of the window. */
static enum dlq_status try_all(struct blocks *blocks, double *rate)
{
    static const double shares[] = {0, 0.5, 0.75, 0.875, 1};
    const long whole = blocks->window / blocks->loaders, most = whole < MOST_ROUNDS ? whole : MOST_ROUNDS;
    long before = 0;
    NEW(blocks->arena, blocks->delay, POINTS);
    NEW(blocks->arena, blocks->delay_cdf, POINTS);
    NEW(blocks->arena, blocks->spare, POINTS);
    NEW(blocks->arena, blocks->all, POINTS);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        long rounds = (long)fmax(1, round(shares[i] * (double)most));
        if (rounds > before)
            TRY(try_rounds(blocks, rounds, rate));
        before = rounds;
    }
    return DLQ_OK;
}

enum dlq_status dlq_blocks_rate(const struct dlq_system *system, struct dlq_bounds_context *context, double *rate,
                                struct dlq_error *error)
{
    const struct dlq_loader *loader = dlq_system_loader(system);
    bool in_turn = loader->assign == DLQ_ASSIGN_ROUND_ROBIN || dlq_system_servers(system) == 1;
    *rate = 0;
    if (!in_turn || dlq_system_is_serial(system) || loader->order != DLQ_ORDER_INDEX || loader->relay ||
        system->load.mean <= 0 || dlq_system_window(system) == DLQ_UNBOUNDED ||
        dlq_system_window(system) < dlq_system_servers(system))
        return DLQ_OK;
    DLQ_ARENA arena = {.error = error, .doing = "bounding"};
    struct dlq_kept_sum step = {.units = 0};
    struct blocks blocks = {.system = system,
                            .load = &context->load.time,
                            .steps = &context->step_round,
                            .arena = &arena,
                            .one_load = dlq_convolution_new(),
                            .loaders = dlq_system_servers(system),
                            .window = dlq_system_window(system),
                            .step_mean = system->step.mean,
                            .overhead = dlq_system_trainer_overhead(system),
                            .receive = loader->release == DLQ_RELEASE_REQUEST ? 0 : system->overheads.receive};
    blocks.copies = (double)system->pipeline.ranks * (double)blocks.loaders;
    enum dlq_status status = DLQ_OK;
    bool random = !dlq_work_is_constant(&system->step);
    if (random) {
        status = dlq_kept_sum_make(&step, &system->step, 1, 1, 1, error);
        blocks.step = &step.time;
        blocks.one_step = dlq_convolution_new();
    }
    if (status == DLQ_OK && (blocks.one_load == NULL || (random && blocks.one_step == NULL)))
        status = dlq_error_memory(error, arena.doing);
    if (status == DLQ_OK)
        status = try_all(&blocks, rate);
    dlq_convolution_free(blocks.one_load);
    dlq_convolution_free(blocks.one_step);
    dlq_sum_free(&step.time);
    return status;
}
