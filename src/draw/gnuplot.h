/* gnuplot as a process that reads a script from standard input and writes a picture; and the colors of pictures. */
#pragma once

#include "dlqueue/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Colors of stalls, barriers and overheads, the same in every picture. 0xRRGGBB. */
enum {
    DLQ_PALETTE_STALL = 0xcc3311,   /* needs a hatch or a word beside the color, as some readers see no red */
    DLQ_PALETTE_BARRIER = 0xb8860b, /* needs a hatch or a word, too */
    DLQ_PALETTE_OVERHEAD = 0x888888
};

/* The color of worker 0, 1, ...: seven colors that color-blind readers can distinguish, then seven paler ones, then
   the same again; a negative (unknown) worker is gray. */
unsigned dlq_palette_worker(long worker);
/* Black or white, whichever has more contrast with the color. */
unsigned dlq_palette_ink(unsigned color);
/* A mixture of the color and white; share of the color 0..1. */
unsigned dlq_palette_pale(unsigned color, double share);

struct dlq_image {
    unsigned char *bytes; /* with a NUL at the end, which `size` does not count; owned: free() */
    size_t size;
    bool no_font; /* gnuplot found no font: a PNG or PDF has no text, a GIF the text of a built-in font */
};

/* Runs `gnuplot -d -` on the script, which must not `set output`, for at most timeout_seconds and while *interrupted
   (may be null) is 0. The standard streams must be open. format: the expected format of the output, "png", "svg", "pdf"
   or "gif". The caller frees image->bytes. DLQ_INTERRUPTED; DLQ_FAILURE: gnuplot is not installed, failed (with
   gnuplot's own message), was killed, took too long, or wrote no whole picture. */
enum dlq_status dlq_gnuplot_run(const char *script, const char *format, double timeout_seconds,
                                const volatile sig_atomic_t *interrupted, struct dlq_image *image,
                                struct dlq_error *error);

/* Compresses a GIF by gifsicle. If gifsicle is not installed, fails, or gains nothing, the image does not change. */
enum dlq_status dlq_gif_pack(struct dlq_image *image, const volatile sig_atomic_t *interrupted,
                             struct dlq_error *error);

/* Whether the bytes start and end like a whole picture of this format (png, svg, pdf, gif). */
bool dlq_picture_is_whole(const char *format, const unsigned char *bytes, size_t size);

/* The text as a gnuplot string literal in double quotes: bytes outside of [A-Za-z0-9 ,.:;=+()/-] become octal, control
   characters blanks, the "us" of microseconds "µs", invalid UTF-8 U+FFFD; at most 1,200 characters. in_font: characters
   that DejaVu Sans lacks become U+FFFD, too, as gnuplot's cairo terminals would draw the box for an unknown character
   twenty times too large. The caller frees the text; null: no memory. */
char *dlq_gnuplot_quote(const char *text, bool in_font);

/* Commands for the end of a script that report a missing font: without any font cairo's terminals draw no text and
   print no message, but their letters have no width. (libgd's terminals print this message themselves.) */
#define DLQ_GNUPLOT_NO_FONT "Couldn't find font"
#define DLQ_GNUPLOT_PROBE                                                                                              \
    "\nif (exists(\"GPVAL_TERM_HCHAR\") && GPVAL_TERM_HCHAR < GPVAL_TERM_SCALE) printerr \"" DLQ_GNUPLOT_NO_FONT "\""  \
    "\n"
