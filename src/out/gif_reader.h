/* Animated GIFs, frame by frame, as a viewer shows them. The bytes are not trusted. */
#ifndef OUT_GIF_READER_H
#define OUT_GIF_READER_H

#include "dlqueue/gnuplot.h"

#include <gif_lib.h>
#include <stdbool.h>
#include <stdint.h>

struct dlq_gif_reader {
    GifFileType *file;
    const unsigned char *bytes; /* what is left */
    size_t size;
    int width, height;
    uint32_t *canvas;             /* 0xRRGGBB, what is seen; white where nothing was drawn yet; owned */
    uint32_t *saved;              /* to be restored; owned */
    GifPixelType *line;           /* owned */
    GraphicsControlBlock before;  /* of the last frame: what becomes of it */
    GifImageDesc place;           /* of the last frame */
    GraphicsControlBlock control; /* of the next one */
    int loops;                    /* 0: forever; -1: none said so far */
    long frames;                  /* read so far */
    long delay;                   /* of the last one, in 10 ms */
};

/* DLQ_FAILURE: not a GIF, or larger than we draw. On success, close it. */
enum dlq_status dlq_gif_reader_open(struct dlq_gif_reader *reader, const struct dlq_image *image,
                                    struct dlq_error *error);
/* Draws the next frame; *more is false behind the last one. DLQ_FAILURE: the file is not whole. */
enum dlq_status dlq_gif_reader_next(struct dlq_gif_reader *reader, bool *more, struct dlq_error *error);
void dlq_gif_reader_close(struct dlq_gif_reader *reader);

#endif
