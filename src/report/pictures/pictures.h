/* Pictures of answers about models, and the structs that each is drawn from. */
#pragma once

#include "dlqueue/plan.h"
#include "draw/picture.h"
#include "report/sweep.h"
#include "report/timeline.h"

#include <signal.h>

/* From a struct dlq_solution: the gain of each change; the distribution of the length of the queue. */
dlq_picture dlq_picture_levers, dlq_picture_queue;
/* From a struct dlq_sweep_grid: throughput over the first axis, at the configured value of the second; utilization as a
   heat map over two axes or a line over one. */
dlq_picture dlq_picture_throughput, dlq_picture_utilization;

/* From a struct dlq_tornado: what a fifth less and more of each parameter does to the throughput. */
dlq_picture dlq_picture_tornado;

struct dlq_plan_subject {
    const struct dlq_plan_answer *planned;
    const char *memory, *shm; /* of a host, as configured: "64 GiB"; "": not given */
    bool grows;               /* the chart may be higher than its canvas */
};

/* From a struct dlq_plan_subject: the planned figure over the candidates, with target and memory. */
dlq_picture dlq_picture_plan;

/* From a struct dlq_timeline_answer: rows for loaders, queue and trainer of each rank, or with many ranks the trainers
   of those that delay the others most; and the waits with their autocorrelation. */
dlq_picture dlq_picture_timeline, dlq_picture_rhythm;

/* -- a timeline as an animated GIF -- */

/* Draws an animation, `speed` times as fast as the run, into memory that the caller frees. DLQ_INVALID: too many
   frames, with what to change. DLQ_INTERRUPTED: *interrupted became non-zero. */
struct dlq_image;
enum dlq_status dlq_animate(const struct dlq_timeline_answer *answer, double speed,
                            const volatile sig_atomic_t *interrupted, struct dlq_image *image, struct dlq_error *error);

/* Writes the gnuplot script of the animation; *frames: the number of frames. */
enum dlq_status dlq_animation_script(const struct dlq_timeline_answer *answer, double speed,
                                     const volatile sig_atomic_t *interrupted, FILE *script, long *frames,
                                     struct dlq_error *error);
