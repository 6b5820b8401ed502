/* Sets of at most 256 colors, as the palettes of GIF files are. */
#ifndef OUT_GIF_COLORS_H
#define OUT_GIF_COLORS_H

#include <stdbool.h>
#include <stdint.h>

enum { DLQ_GIF_COLORS = 256, DLQ_GIF_SLOTS = 1024 };

/* Zeroed: empty. */
struct dlq_gif_colors {
    int count;
    uint32_t color[DLQ_GIF_COLORS]; /* 0xRRGGBB */
    int16_t slot[DLQ_GIF_SLOTS];    /* place in `color` plus 1, by hash */
};

/* Its place; -1: not in the set. */
int dlq_gif_colors_find(const struct dlq_gif_colors *colors, uint32_t color);
/* Adds it if it is not there; false: the set is full. */
bool dlq_gif_colors_add(struct dlq_gif_colors *colors, uint32_t color);

#endif
