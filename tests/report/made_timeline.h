/* Timelines made by hand: the recursion of an ordered loader, written down once more. */
#ifndef TESTS_CLI_MADE_TIMELINE_H
#define TESTS_CLI_MADE_TIMELINE_H

#include "dlqueue/timeline.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

enum { LOADERS = 3, PREFETCH = 2, WINDOW = LOADERS * PREFETCH, BATCHES = 400, RANKS = 2 };

static const double startup = 0.05, dispatch = 0.3e-3, deliver = 0.7e-3, receive = 0.9e-3, barrier = 0.4e-3;

/* Awkward to write with few digits; loads of 3 loaders take somewhat longer than the steps. */
struct draws {
    double load[RANKS][BATCHES], step[BATCHES];
};

static inline void draw(struct draws *draws)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, 4711);
    for (size_t i = 0; i < BATCHES; i++) {
        for (size_t r = 0; r < RANKS; r++)
            draws->load[r][i] = gsl_ran_gamma(rng, 6, 0.04 / 6);
        draws->step[i] = 0.009 + gsl_ran_gamma(rng, 3, 0.001);
    }
    gsl_rng_free(rng);
}

/* A timeline of `ranks` ranks that share their steps; each epoch of `epoch` batches begins empty. */
struct made {
    struct dlq_timeline timeline;
    struct dlq_timeline_rank ranks[RANKS];
    struct dlq_timeline_batch batches[RANKS][BATCHES];
    struct draws draws;
};

/* times: dispatched, load_start, load_end, ready, request, received, step_begin, step_end */
static inline struct dlq_timeline_batch batch_of(long worker, long epoch, long index, long step, const double times[8])
{
    return (struct dlq_timeline_batch){.worker = worker,
                                       .epoch = epoch,
                                       .index = index,
                                       .step = step,
                                       .dispatched = times[0],
                                       .load_start = times[1],
                                       .load_end = times[2],
                                       .ready = times[3],
                                       .request = times[4],
                                       .received = times[5],
                                       .step_begin = times[6],
                                       .step_end = times[7]};
}

/* Loader i mod N; A_i = G_(i-K), L_i = max(A_i + a, D_(i-N)), D_i = L_i + S_i, G_i = max(F_(i-1), D_i + e) + c. */
static inline void receive_batch(struct made *made, size_t rank, size_t place, size_t index, double epoch_start)
{
    struct dlq_timeline_batch *own = made->batches[rank], *batch = &own[place];
    double available = index < WINDOW ? epoch_start + startup : own[place - WINDOW].received;
    double free = index < LOADERS ? 0 : own[place - LOADERS].load_end;
    batch->worker = (long)(index % LOADERS);
    batch->index = (long)index;
    batch->step = (long)place;
    batch->dispatched = available;
    batch->load_start = fmax(available + dispatch, free);
    batch->load_end = batch->load_start + made->draws.load[rank][place];
    batch->ready = batch->load_end + deliver;
    batch->request = place > 0 ? own[place - 1].step_end : 0;
    batch->received = fmax(batch->request, batch->ready) + receive;
}

static inline void step_together(struct made *made, size_t ranks, size_t place)
{
    double last = 0;
    for (size_t r = 0; r < ranks; r++)
        last = fmax(last, made->batches[r][place].received);
    last += ranks > 1 ? barrier : 0;
    for (size_t r = 0; r < ranks; r++) {
        made->batches[r][place].step_begin = last;
        made->batches[r][place].step_end = last + made->draws.step[place];
    }
}

static inline struct made *make(size_t ranks, size_t epoch)
{
    struct made *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    draw(&made->draws);
    for (size_t i = 0; i < BATCHES; i++) {
        double start = i >= epoch ? made->batches[0][i / epoch * epoch - 1].step_end : 0;
        for (size_t r = 0; r < ranks; r++) {
            made->batches[r][i].epoch = (long)(i / epoch);
            receive_batch(made, r, i, i % epoch, start);
        }
        step_together(made, ranks, i);
    }
    for (size_t r = 0; r < ranks; r++)
        made->ranks[r] = (struct dlq_timeline_rank){
            .number = (long)r, .stepped = BATCHES, .count = BATCHES, .batches = made->batches[r]};
    made->timeline = (struct dlq_timeline){
        .loader = "pytorch",
        .in_order = true,
        .loaders = LOADERS,
        .workers = LOADERS,
        .window = WINDOW,
        .from = 0,
        .until = made->batches[0][BATCHES - 1].step_end,
        .receive = receive,
        .stall_above = 1e-5,
        .rank_count = ranks,
        .ranks = made->ranks,
    };
    return made;
}

#endif
