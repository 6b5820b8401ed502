/* gnuplot as a process: script in as its standard input, picture out by a pipe, checked before anyone sees it. */
#ifndef DLQ_DRAW_GNUPLOT_H
#define DLQ_DRAW_GNUPLOT_H

#include "dlqueue/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Colors of loaders, the same in every picture. 0xRRGGBB. */
enum {
    DLQ_PALETTE_STALL = 0xcc3311,   /* always with a hatch or a word beside it */
    DLQ_PALETTE_BARRIER = 0xb8860b, /* likewise */
    DLQ_PALETTE_OVERHEAD = 0x888888
};

/* Of worker 0, 1, ...: seven colors that the color-blind tell apart, then paler ones, then again. */
unsigned dlq_palette_worker(long worker);
/* Black or white: what can be read on that color. */
unsigned dlq_palette_ink(unsigned color);
/* So much of it, 0..1, on white. */
unsigned dlq_palette_pale(unsigned color, double share);

struct dlq_image {
    unsigned char *bytes; /* and a NUL behind them; owned: free() */
    size_t size;
    bool no_font; /* gnuplot found none: a PNG or PDF has no text, a GIF that of a font built in */
};

/* Runs `gnuplot -d -` on the script (which must not `set output`) in a process group of its own, collects standard
   output and the end of standard error, and kills and reaps it after timeout_seconds or where *interrupted becomes
   non-zero (may be null). The standard streams must be open. The bytes must begin and end as the format does ("png",
   "svg", "pdf", "gif"). Errors: not found ("install gnuplot-nox"), its own message, signal, time-out, not a picture. */
enum dlq_status dlq_gnuplot_run(const char *script, const char *format, double timeout_seconds,
                                const volatile sig_atomic_t *interrupted, struct dlq_image *image,
                                struct dlq_error *error);

/* The frames of a GIF in fewer bytes, by gifsicle; where that is not installed, or fails, the image stays as it is. */
enum dlq_status dlq_gif_pack(struct dlq_image *image, const volatile sig_atomic_t *interrupted,
                             struct dlq_error *error);

/* Whether the bytes begin and end as whole pictures of that format (png, svg, pdf, gif) do. */
bool dlq_picture_is_whole(const char *format, const unsigned char *bytes, size_t size);

/* text as a gnuplot string literal with its quotes, into allocated memory: double quotes, every byte outside
   [A-Za-z0-9 ,.:;=+()/-] as octal, control characters blanked, invalid UTF-8 replaced, at most 600 characters. in_font:
   with U+FFFD for what DejaVu Sans lacks: where no other font has it either, gnuplot's cairo terminals draw the
   substitute box twenty times too large, over the whole picture. */
char *dlq_gnuplot_quote(const char *text, bool in_font);

/* Commands for the end of a script, that tell of a missing font: letters of no width are all that gnuplot shows where
   fontconfig knows none; cairo's terminals draw none and say nothing, those of libgd say so. */
#define DLQ_GNUPLOT_NO_FONT "Couldn't find font"
#define DLQ_GNUPLOT_PROBE                                                                                              \
    "\nif (exists(\"GPVAL_TERM_HCHAR\") && GPVAL_TERM_HCHAR < GPVAL_TERM_SCALE) printerr \"" DLQ_GNUPLOT_NO_FONT "\""  \
    "\n"

#endif
