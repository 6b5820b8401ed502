/* Pictures: what each is drawn from, and the slots of their templates. */
#ifndef DLQ_REPORT_PICTURES_PICTURES_H
#define DLQ_REPORT_PICTURES_PICTURES_H

#include "dlqueue/diagnose.h"
#include "dlqueue/fit.h"
#include "dlqueue/plan.h"
#include "report/sweep.h"
#include "report/timeline.h"

#include <signal.h>

/* Size in pixels, at most DLQ_SLOTS_MOST each; format "png", "svg" or "pdf" (of 100 pixels an inch). */
struct dlq_canvas {
    int width, height;
    const char *format;
    bool on_paper, untitled; /* of 300 pixels an inch, with letters of 7 points; without title and subtitle */
};

enum { DLQ_SLOTS_MOST = 8192 }; /* pixels of a side */

/* A picture's script that is being written. */
struct dlq_slots {
    const struct dlq_canvas *canvas;
    FILE *script;
    struct dlq_error *error;
    bool failed; /* no memory for a text */
};

/* Page, title and subtitle. */
void dlq_slots_begin(struct dlq_slots *slots, const char *title, const char *subtitle);
/* The axis along the bottom, over the first column of DATA, or from XMIN to XMAX where these are set; logarithmic where
   values are spaced so. */
void dlq_slots_axis(struct dlq_slots *slots, const char *label, bool logarithmic, bool whole);
/* NAME = "text", of dlq_slot_say at most 1,023 bytes, and NAME[index] of an array. Any text: it is quoted, letters that
   the font lacks replaced. */
void dlq_slot_text(struct dlq_slots *slots, const char *name, const char *text);
void dlq_slot_say(struct dlq_slots *slots, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void dlq_slot_array(struct dlq_slots *slots, const char *name, size_t count);
void dlq_slot_element(struct dlq_slots *slots, const char *name, size_t index, const char *text);
/* NAME = number; NaN where it is not finite. */
void dlq_slot_number(struct dlq_slots *slots, const char *name, double value);
/* A place and what stands there, AX, AY and ATEXT of letter "A"; without a finite y there is none. */
void dlq_slot_mark(struct dlq_slots *slots, const char *letter, double x, double y, const char *text);
/* NAME: a data block of rows, in which NaN stands for what is not finite. */
void dlq_slot_block(struct dlq_slots *slots, const char *name);
void dlq_slot_row(struct dlq_slots *slots, size_t count, const double *values);
#define DLQ_SLOT_ROW(slots, ...)                                                                                       \
    dlq_slot_row(slots, sizeof(double[]){__VA_ARGS__} / sizeof(double), (const double[]){__VA_ARGS__})
/* The text in quotes before the values; it holds neither quotes nor backslashes. */
#define DLQ_SLOT_NAMED_ROW(slots, text, ...)                                                                           \
    (fprintf((slots)->script, "\"%s\" ", text), DLQ_SLOT_ROW(slots, __VA_ARGS__))
void dlq_slot_block_end(struct dlq_slots *slots);
/* The whole block: a row of values for each index i below count. */
#define DLQ_SLOT_ROWS(slots, name, i, count, ...)                                                                      \
    do {                                                                                                               \
        dlq_slot_block(slots, name);                                                                                   \
        for (size_t i = 0; i < (count); i++)                                                                           \
            DLQ_SLOT_ROW(slots, __VA_ARGS__);                                                                          \
        dlq_slot_block_end(slots);                                                                                     \
    } while (0)
/* Style and template, by its name without ".gp"; or a sentence instead of a chart. */
enum dlq_status dlq_slots_end(struct dlq_slots *slots, const char *template_name);
enum dlq_status dlq_slots_sentence(struct dlq_slots *slots, const char *sentence);

/* The unit that a time reads best in: factor from seconds, and its name. */
double dlq_picture_unit(double seconds, const char **name);
/* Writes a picture's script, its canvas, script and error set in the slots. */
typedef enum dlq_status dlq_picture(const void *subject, struct dlq_slots *slots);

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

struct dlq_diagnose_subject {
    const struct dlq_diagnosis *diagnosis;
    const char *subtitle; /* what was read */
};

/* Waits over the iterations; their distribution; data time by rank; and whether there is anything to see. */
dlq_picture dlq_picture_waits, dlq_picture_shares, dlq_picture_ranks;
bool dlq_picture_waits_fits(const struct dlq_diagnosis *diagnosis);
bool dlq_picture_shares_fits(const struct dlq_diagnosis *diagnosis);
bool dlq_picture_ranks_fits(const struct dlq_diagnosis *diagnosis);

/* Of a law with points. */
struct dlq_fit_subject {
    const char *what, *logs; /* "load" or "step"; what was read */
    const struct dlq_fit_law *law;
};
dlq_picture dlq_fit_picture;

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
