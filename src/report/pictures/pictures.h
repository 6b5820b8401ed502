/* Pictures: slots filled in C, laid out by gnuplot. A script is slots, style.gp and one template, which CMake embeds
   from the *.gp beside this file; `sweep --keep-scripts` writes it, and gnuplot draws it as it is. */
#ifndef DLQ_REPORT_PICTURES_PICTURES_H
#define DLQ_REPORT_PICTURES_PICTURES_H

#include "dlqueue/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Size in pixels, DLQ_SLOTS_LEAST to DLQ_SLOTS_MOST each; format "png", "svg" or "pdf" (of 100 pixels an inch). */
struct dlq_canvas {
    int width, height;
    const char *format;
    bool on_paper, untitled; /* of 300 pixels an inch, with letters of 7 points; without title and subtitle */
};

enum { DLQ_SLOTS_LEAST = 320, DLQ_SLOTS_MOST = 8192 }; /* pixels of a side */

struct dlq_slots {
    FILE *script;
    bool embeds;           /* letters are drawn, not named: those that the font lacks must not be */
    double lines, columns; /* of text: how high and wide the page is */
    bool failed;           /* no memory for a text */
};

/* Page, title and subtitle. DLQ_INVALID: a size or a format that there is not. */
enum dlq_status dlq_slots_begin(struct dlq_slots *slots, const struct dlq_canvas *canvas, FILE *script,
                                const char *title, const char *subtitle, struct dlq_error *error);
/* The axis along the bottom over `factor` times the values; logarithmic where they are spaced so, to the base 2 where
   all of them are powers of it. */
void dlq_slots_axis(struct dlq_slots *slots, const char *label, const double *x, size_t count, double factor,
                    bool logarithmic, bool whole);
/* NAME = "text", and NAME[index] of an array, a text or a number. Any text: it is quoted, letters that the font lacks
 * replaced. */
void dlq_slot_text(struct dlq_slots *slots, const char *name, const char *text);
void dlq_slot_array(struct dlq_slots *slots, const char *name, size_t count);
void dlq_slot_element(struct dlq_slots *slots, const char *name, size_t index, const char *text);
void dlq_slot_value(struct dlq_slots *slots, const char *name, size_t index, double value);
/* NAME = number; NaN where it is not finite. */
void dlq_slot_number(struct dlq_slots *slots, const char *name, double value);
/* NAME: a data block of rows; a row that is not finite somewhere has NaN there. */
void dlq_slot_block(struct dlq_slots *slots, const char *name);
void dlq_slot_row(struct dlq_slots *slots, size_t count, const double *values);
#define DLQ_SLOT_ROW(slots, ...)                                                                                       \
    dlq_slot_row(slots, sizeof(double[]){__VA_ARGS__} / sizeof(double), (const double[]){__VA_ARGS__})
/* The text in quotes before the values; it holds neither quotes nor backslashes. */
void dlq_slot_named_row(struct dlq_slots *slots, const char *text, size_t count, const double *values);
void dlq_slot_gap(struct dlq_slots *slots); /* an empty line */
void dlq_slot_block_end(struct dlq_slots *slots);
/* Style and template, by its name without ".gp". */
enum dlq_status dlq_slots_end(struct dlq_slots *slots, const char *template_name, struct dlq_error *error);

/* "k", "M", "G", "T" where figures up to `largest` need one ("": they do not), and what to divide by. */
double dlq_slot_prefix(double largest, const char **prefix);

#endif
