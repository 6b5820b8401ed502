/* Draws on tape, and disciplines run over them in pieces of any size. */
#pragma once

#include "sim/draws.h"
#include "sim/group.h"
#include "systems.h"

/* Draws of mean 1 of `steps` batches and `ahead` more loads of each rank, one rank after the other, and the phases of
   the servers' start in units of s: server w of rank r at r * servers + w. */
struct tape {
    long steps, ahead, ranks;
    size_t stages;
    double *loads, *step, *cumulative[DLQ_MOST_STAGES];
    double phase[DLQ_MOST_LOADERS];
};

static inline void tape_free(struct tape *tape)
{
    free(tape->loads);
    free(tape->step);
    for (size_t k = 0; k < tape->stages; k++)
        free(tape->cumulative[k]);
    *tape = (struct tape){0};
}

/* n draws of each rank, `stride` apart. */
static inline bool tape_draw(const struct dlq_work *work, unsigned purpose, uint64_t seed, size_t ranks, size_t n,
                             size_t stride, double *total, double *const *cumulative)
{
    struct dlq_source source;
    struct dlq_draws draws;
    DLQ_ARENA arena = {.doing = "drawing"};
    if (dlq_source_begin(&source, work, purpose, DLQ_SAMPLER_FAST, dlq_instructions_best(), NULL) != DLQ_OK)
        return false;
    bool drawn = dlq_draws_begin(&arena, &draws, &source, 1, ranks) == DLQ_OK;
    if (drawn) {
        dlq_draws_start(&draws, seed, 0);
        for (size_t r = 0; r < ranks; r++) {
            double *parts[DLQ_MOST_STAGES] = {0};
            for (size_t k = 0; cumulative != NULL && k < source.count; k++)
                parts[k] = cumulative[k] + r * stride;
            dlq_draws_next(&draws, r, n, total + r * stride, cumulative != NULL ? parts : NULL, NULL);
        }
    }
    dlq_source_free(&source);
    return drawn;
}

/* Beyond 2^16 loads of a rank the tape repeats itself. */
static inline void tape_repeat(double *loads, long ranks, long stride, long fresh)
{
    for (long r = 0; r < ranks; r++)
        for (long i = fresh; i < stride; i++)
            loads[r * stride + i] = loads[r * stride + i - fresh];
}

static inline bool tape_make(struct tape *tape, const struct dlq_system *system, uint64_t seed, long steps, long ahead)
{
    long stride = steps + ahead;
    long fresh = stride < 1 << 16 ? stride : 1 << 16;
    *tape =
        (struct tape){.steps = steps, .ahead = ahead, .ranks = system->pipeline.ranks, .stages = system->load.count};
    size_t loads = (size_t)(stride * tape->ranks);
    tape->loads = calloc(loads, sizeof *tape->loads);
    tape->step = calloc((size_t)steps, sizeof *tape->step);
    bool made = tape->loads != NULL && tape->step != NULL;
    for (size_t k = 0; k < tape->stages; k++)
        made = (tape->cumulative[k] = calloc(loads, sizeof(double))) != NULL && made;
    made = made &&
           tape_draw(&system->load, DLQ_PURPOSE_LOAD, seed, (size_t)tape->ranks, (size_t)fresh, (size_t)stride,
                     tape->loads, tape->cumulative) &&
           tape_draw(&system->step, DLQ_PURPOSE_STEP, seed, 1, (size_t)steps, (size_t)steps, tape->step, NULL);
    if (made)
        tape_repeat(tape->loads, tape->ranks, stride, fresh);
    for (size_t k = 0; made && k < tape->stages; k++)
        tape_repeat(tape->cumulative[k], tape->ranks, stride, fresh);
    CHECK(made, "no tape");
    if (!made)
        tape_free(tape);
    return made;
}

/* Phases as [simulate] start has them; random ones from the golden ratio. */
static inline void tape_phase(struct tape *tape, const struct dlq_point *point)
{
    for (long r = 0; r < tape->ranks; r++)
        for (long w = 0; w < point->servers; w++) {
            long at = r * point->servers + w;
            tape->phase[at] = point->start == DLQ_START_STAGGERED ? (double)w / (double)point->servers
                              : point->start == DLQ_START_RANDOM  ? fmod(0.6180339887498949 * (double)(at + 1), 1)
                                                                  : 0;
        }
}

/* The tape through a discipline, epoch by epoch, in pieces of 1, 2, ... up to `most` steps. */
static inline bool play(enum dlq_discipline discipline, const struct dlq_point *point, const struct tape *tape,
                        long most, double *delivered, double *finished)
{
    struct dlq_point played = *point;
    long epoch = point->epoch > 0 ? point->epoch : LONG_MAX;
    played.discipline = discipline;
    DLQ_ARENA arena = {.doing = "playing a tape"};
    struct dlq_group *group;
    const bool begun = dlq_group_begin(&arena, &played, &group) == DLQ_OK;
    CHECK(begun, "no group");
    if (!begun)
        return false;
    dlq_group_reset(group);
    long piece = 1;
    for (long at = 0; at < tape->steps;) {
        if (at % epoch == 0) {
            double startup = at == 0 || !point->persistent ? point->startup : 0;
            double ready = (at == 0 ? 0 : finished[at - 1]) + startup;
            dlq_group_epoch(group, ready, at == 0 ? tape->phase : NULL, (size_t)point->servers, epoch);
        }
        long left = epoch - at % epoch < tape->steps - at ? epoch - at % epoch : tape->steps - at;
        long n = piece < left ? piece : left;
        struct dlq_block block = {
            .loads = tape->loads + at, .steps = tape->step + at, .rank_stride = (size_t)(tape->steps + tape->ahead)};
        for (size_t k = 0; k < tape->stages; k++)
            block.cumulative[k] = tape->cumulative[k] + at;
        dlq_group_advance(group, &block, 0, (size_t)n, delivered + at, finished + at);
        at += n;
        piece = piece < most ? piece + 1 : 1;
    }
    return true;
}
