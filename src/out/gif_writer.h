/* Animated GIFs, written frame by frame into memory. */
#ifndef OUT_GIF_WRITER_H
#define OUT_GIF_WRITER_H

#include "dlqueue/gnuplot.h"

#include "out/gif_colors.h"

#include <gif_lib.h>

struct dlq_gif_writer {
    GifFileType *file;
    unsigned char *bytes; /* owned until the end */
    size_t size, capacity;
    bool memory_failed;
};

struct dlq_gif_frame {
    int left, top, width, height;
    const struct dlq_gif_colors *colors; /* of its own; null: those of the whole file */
    int transparent;                     /* index; -1: none */
    int delay;                           /* 10 ms, 0..65535 */
    const GifPixelType *pixels;          /* width x height indices */
};

/* loops: 0 for ever; -1: says nothing. On success, end or abandon it. */
enum dlq_status dlq_gif_writer_open(struct dlq_gif_writer *writer, int width, int height,
                                    const struct dlq_gif_colors *colors, int loops, struct dlq_error *error);
enum dlq_status dlq_gif_writer_frame(struct dlq_gif_writer *writer, const struct dlq_gif_frame *frame,
                                     struct dlq_error *error);
/* Hands the file over to `image`, and frees what is left. */
enum dlq_status dlq_gif_writer_end(struct dlq_gif_writer *writer, struct dlq_image *image, struct dlq_error *error);
void dlq_gif_writer_abandon(struct dlq_gif_writer *writer);

#endif
