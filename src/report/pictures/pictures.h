/* Pictures of answers about models: what each is drawn from. */
#ifndef DLQ_REPORT_PICTURES_PICTURES_H
#define DLQ_REPORT_PICTURES_PICTURES_H

#include "dlqueue/plan.h"
#include "draw/picture.h"
#include "report/sweep.h"
#include "report/timeline.h"

#include <signal.h>

/* Of a struct dlq_solution: the throughput after each change; the share of the time over the number of batches. */
dlq_picture dlq_picture_levers, dlq_picture_queue;
/* Of a struct dlq_sweep_grid: throughput over the first axis, at the configured value of the second; utilization as a
   heat map over two axes, a line over one. */
dlq_picture dlq_picture_throughput, dlq_picture_utilization;

struct dlq_plan_subject {
    const struct dlq_plan_answer *planned;
    const char *memory, *shm; /* of a host, as configured: "64 GiB"; "" where not given */
};

/* The figure over what is solved for, with its target, and the memory of a host. */
dlq_picture dlq_picture_plan;

/* Of a struct dlq_timeline_answer. A row per loader, the queue, the trainer; rank by rank where these are few, else the
   trainers alone of the ranks that hold the others up most. And waits with their rhythm. */
dlq_picture dlq_picture_timeline, dlq_picture_rhythm;

/* -- a timeline as an animated GIF -- */

/* The GIF, `speed` times as fast as the run was, in memory that the caller frees. DLQ_INVALID where it would have too
   many frames; says what to change. DLQ_INTERRUPTED once *interrupted is not 0. */
struct dlq_image;
enum dlq_status dlq_animate(const struct dlq_timeline_answer *answer, double speed,
                            const volatile sig_atomic_t *interrupted, struct dlq_image *image, struct dlq_error *error);

/* The script that gnuplot makes it from; *frames: how many it has. */
enum dlq_status dlq_animation_script(const struct dlq_timeline_answer *answer, double speed,
                                     const volatile sig_atomic_t *interrupted, FILE *script, long *frames,
                                     struct dlq_error *error);

#endif
