/* Pictures as scripts for gnuplot: a template, and the slots that are set before it. */
#pragma once

#include "dlqueue/error.h"
#include "draw/embedded.h"

#include <stdbool.h>
#include <stdio.h>

struct dlq_canvas {
    int width, height;  /* pixels, at most DLQ_SLOTS_MOST */
    const char *format; /* "png", "svg" or "pdf" (of 100 pixels an inch) */
    bool on_paper;      /* of 300 pixels an inch, with letters of 7 points */
    bool untitled;      /* without title and subtitle */
};

enum { DLQ_SLOTS_MOST = 8192 }; /* pixels of a side */

/* A picture's script that is being written. */
struct dlq_slots {
    const struct dlq_canvas *canvas;
    FILE *script;
    struct dlq_error *error;
    bool failed; /* no memory for a text */
};

/* Begins the script: sets the slots of the page, the title and the subtitle. */
void dlq_slots_begin(struct dlq_slots *slots, const char *title, const char *subtitle);
/* Makes the picture at least `lines` lines of text high, if it is on paper (where users choose the width alone) or
   `grows`. Returns its height in pixels. */
double dlq_slots_lines(struct dlq_slots *slots, double lines, bool grows);
/* Sets the label of the x axis, and whether it is logarithmic and has ticks at whole numbers alone. The template takes
   the range from the first column of DATA, or from XMIN and XMAX if they are set. */
void dlq_slots_axis(struct dlq_slots *slots, const char *label, bool logarithmic, bool whole);
/* Set the variable NAME to a text (dlq_slot_say: of at most 1,023 bytes), and NAME[index] of an array. Texts are
   quoted, and letters that the font lacks are replaced. */
void dlq_slot_text(struct dlq_slots *slots, const char *name, const char *text);
void dlq_slot_say(struct dlq_slots *slots, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void dlq_slot_array(struct dlq_slots *slots, const char *name, size_t count);
void dlq_slot_element(struct dlq_slots *slots, const char *name, size_t index, const char *text);
/* NAME = number; NaN where it is not finite. */
void dlq_slot_number(struct dlq_slots *slots, const char *name, double value);
/* Sets AX, AY and ATEXT (for letter "A"): the position and the label of a mark. The template draws none if y is not
   finite. */
void dlq_slot_mark(struct dlq_slots *slots, const char *letter, double x, double y, const char *text);
/* NAME: a data block of rows, in which NaN stands for what is not finite. */
void dlq_slot_block(struct dlq_slots *slots, const char *name);
void dlq_slot_row(struct dlq_slots *slots, size_t count, const double *values);
#define DLQ_SLOT_ROW(slots, ...)                                                                                       \
    dlq_slot_row(slots, sizeof(double[]){__VA_ARGS__} / sizeof(double), (const double[]){__VA_ARGS__})
/* A row that begins with a text in quotes, which has neither quotes nor backslashes. */
#define DLQ_SLOT_NAMED_ROW(slots, text, ...)                                                                           \
    (fprintf((slots)->script, "\"%s\" ", text), DLQ_SLOT_ROW(slots, __VA_ARGS__))
void dlq_slot_block_end(struct dlq_slots *slots);
/* A whole data block: a row of values for each index i below count. */
#define DLQ_SLOT_ROWS(slots, name, i, count, ...)                                                                      \
    do {                                                                                                               \
        dlq_slot_block(slots, name);                                                                                   \
        for (size_t i = 0; i < (count); i++)                                                                           \
            DLQ_SLOT_ROW(slots, __VA_ARGS__);                                                                          \
        dlq_slot_block_end(slots);                                                                                     \
    } while (0)
/* dlq_slots_end ends the script with the common style and the template `name`, which `templates` must have;
   dlq_slots_sentence ends it with a sentence instead of a chart. */
enum dlq_status dlq_slots_end(struct dlq_slots *slots, const struct dlq_embedded *templates, const char *name);
enum dlq_status dlq_slots_sentence(struct dlq_slots *slots, const char *sentence);

/* A function that writes the script of a picture of `subject`; the caller has set canvas, script and error of the
   slots. */
typedef enum dlq_status dlq_picture(const void *subject, struct dlq_slots *slots);
