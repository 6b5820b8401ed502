/* Records of random pipelines, and the draws that they were made from. */
#pragma once

#include "random_pipeline.h"
#include "sim/record.h"
#include "tapes.h"

struct recorded {
    char text[PIPELINE_TEXT];
    struct built built;
    struct dlq_point point;
    double from, until;
    struct dlq_timeline_rank *ranks;
    bool whole;
};

/* Every other round through the loaders has several ranks; others pin batches, or share cores or bandwidth. */
static inline void widen(struct built *built, unsigned number)
{
    size_t loaders;
    dlq_loaders(&loaders);
    unsigned round = number / (unsigned)loaders;
    struct dlq_system *system = &built->system;
    if (round % 2 == 1)
        add_ranks(system, number);
    if (round % 5 == 2)
        system->overheads.pin_time = 0.013;
    if (round % 3 == 1)
        system->host.cores = 0.385 * (double)(dlq_system_servers(system) * system->pipeline.ranks);
    if (round % 7 == 3)
        system->host.bandwidth = 2e6;
    built->options.batches = 60 + number % 97;
    built->options.seed = number;
    built->options.replications = 1;
    built->options.precision = 0;
}

/* Pipeline `number`, with nothing recorded yet. */
static inline bool recorded_begin(struct recorded *recorded, unsigned number)
{
    *recorded = (struct recorded){.whole = false};
    random_pipeline(number, false, recorded->text);
    recorded->whole = build(&recorded->built, recorded->text);
    if (!recorded->whole)
        return false;
    widen(&recorded->built, number);
    const struct dlq_simulate_options *options = &recorded->built.options;
    dlq_point_make(&recorded->point, &recorded->built.system, options->resolution, (enum dlq_start)options->start);
    return true;
}

static inline bool recorded_make(struct recorded *recorded, double from, double until)
{
    const struct dlq_run run = {.threads = 1};
    const struct dlq_record_span span = {.from = from, .until = until};
    struct dlq_error error = {0};
    dlq_record_free(recorded->ranks, (size_t)recorded->point.ranks);
    recorded->ranks = NULL;
    recorded->from = from;
    recorded->until = until;
    recorded->whole =
        dlq_record(&recorded->built.system, &recorded->built.options, &span, &run, &recorded->ranks, &error) == DLQ_OK;
    CHECK(recorded->whole, "from %g to %g: %s\n%s", from, until, error.text, recorded->text);
    return recorded->whole;
}

static inline void recorded_free(struct recorded *recorded)
{
    dlq_record_free(recorded->ranks, (size_t)recorded->point.ranks);
    built_free(&recorded->built);
}

/* A record from 0 in which that many steps have begun. */
static inline bool recorded_steps(struct recorded *recorded, long steps)
{
    double until = (double)steps * (recorded->point.step_scale + 2 * recorded->point.load_scale) / 4;
    while (recorded_make(recorded, 0, until) && (long)recorded->ranks[0].stepped < steps)
        until *= 1.5;
    return recorded->whole;
}

/* Draws of all steps and loads of a record. */
static inline bool recorded_tape(const struct recorded *recorded, struct tape *tape)
{
    long last = 0;
    for (long r = 0; r < recorded->point.ranks; r++)
        for (size_t i = 0; i < recorded->ranks[r].count; i++) {
            const struct dlq_timeline_batch *batch = &recorded->ranks[r].batches[i];
            long number = batch->epoch * recorded->point.epoch + batch->index;
            last = number > last ? number : last;
        }
    long steps = (long)recorded->ranks[0].stepped;
    return tape_make(tape, &recorded->built.system, recorded->built.options.seed, steps, last + 1);
}
