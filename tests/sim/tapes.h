/* Draws on tape, and kernels run over them in pieces of any size. */
#ifndef TESTS_SIM_TAPES_H
#define TESTS_SIM_TAPES_H

#include "dist/stream.h"
#include "sim/draws.h"
#include "sim/kernel.h"
#include "systems.h"

/* Draws of mean 1 of `steps` batches and `ahead` more loads, and the phases of the servers' start in units of s. */
struct tape {
    long steps, ahead;
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

static inline bool tape_draw(const struct dlq_work *work, unsigned purpose, uint64_t seed, long n, double *total,
                             double *const *cumulative)
{
    struct dlq_source source;
    struct dlq_draws draws;
    if (dlq_source_begin(&source, work, purpose, DLQ_SAMPLER_FAST, dlq_instructions_best(), NULL) != DLQ_OK)
        return false;
    bool drawn = dlq_draws_begin(&draws, &source, 1, 1, NULL) == DLQ_OK;
    if (drawn) {
        dlq_draws_start(&draws, seed, 0);
        dlq_draws_next(&draws, 0, (size_t)n, total, cumulative);
        dlq_draws_free(&draws);
    }
    dlq_source_free(&source);
    return drawn;
}

/* Beyond 2^16 loads ahead the tape repeats itself. */
static inline bool tape_make(struct tape *tape, const struct dlq_system *system, uint64_t seed, long steps, long ahead)
{
    long loads = steps + ahead;
    long fresh = loads < 1 << 16 ? loads : 1 << 16;
    *tape = (struct tape){.steps = steps, .ahead = ahead, .stages = system->load.count};
    tape->loads = calloc((size_t)loads, sizeof *tape->loads);
    tape->step = calloc((size_t)steps, sizeof *tape->step);
    bool made = tape->loads != NULL && tape->step != NULL;
    for (size_t k = 0; k < tape->stages; k++)
        made = (tape->cumulative[k] = calloc((size_t)loads, sizeof(double))) != NULL && made;
    made = made && tape_draw(&system->load, DLQ_PURPOSE_LOAD, seed, fresh, tape->loads, tape->cumulative) &&
           tape_draw(&system->step, DLQ_PURPOSE_STEP, seed, steps, tape->step, NULL);
    for (long i = fresh; made && i < loads; i++) {
        tape->loads[i] = tape->loads[i - fresh];
        for (size_t k = 0; k < tape->stages; k++)
            tape->cumulative[k][i] = tape->cumulative[k][i - fresh];
    }
    CHECK(made, "no tape");
    if (!made)
        tape_free(tape);
    return made;
}

/* Phases as [simulate] start has them; random ones from the golden ratio. */
static inline void tape_phase(struct tape *tape, const struct dlq_point *point)
{
    for (long w = 0; w < point->servers; w++)
        tape->phase[w] = point->start == DLQ_START_STAGGERED ? (double)w / (double)point->servers
                         : point->start == DLQ_START_RANDOM  ? fmod(0.6180339887498949 * (double)(w + 1), 1)
                                                             : 0;
}

/* Batches n of the tape through a kernel, epoch by epoch, in pieces of 1, 2, ... up to `most` steps. */
static inline bool play(const struct dlq_kernel *kernel, const struct dlq_point *point, const struct tape *tape,
                        long most, double *delivered, double *finished)
{
    double phase[DLQ_MOST_LOADERS];
    static const double none[DLQ_MOST_LOADERS] = {0};
    long epoch = point->epoch > 0 ? point->epoch : LONG_MAX;
    struct dlq_kernel_state *state = kernel->new (point);
    CHECK(state != NULL, "no state");
    if (state == NULL)
        return false;
    for (long w = 0; w < point->servers; w++)
        phase[w] = tape->phase[w] * point->load_scale;
    kernel->reset(state);
    long piece = 1;
    for (long at = 0; at < tape->steps;) {
        if (at % epoch == 0) {
            double startup = at == 0 || !point->persistent ? point->startup : 0;
            double ready = (at == 0 ? 0 : finished[at - 1]) + startup;
            kernel->epoch(state, ready, at == 0 ? phase : none, point->epoch > 0 ? epoch : LONG_MAX);
        }
        long left = epoch - at % epoch < tape->steps - at ? epoch - at % epoch : tape->steps - at;
        long n = piece < left ? piece : left;
        struct dlq_block block = {.loads = tape->loads + at, .steps = tape->step + at};
        for (size_t k = 0; k < tape->stages; k++)
            block.cumulative[k] = tape->cumulative[k] + at;
        kernel->advance(state, &block, (size_t)n, delivered + at, finished + at);
        at += n;
        piece = piece < most ? piece + 1 : 1;
    }
    kernel->free(state);
    return true;
}

#endif
