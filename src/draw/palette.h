/* Colors of loaders, the same in every picture. 0xRRGGBB. */
#ifndef DLQ_DRAW_PALETTE_H
#define DLQ_DRAW_PALETTE_H

enum {
    DLQ_PALETTE_STALL = 0xcc3311,   /* always with a hatch or a word beside it */
    DLQ_PALETTE_BARRIER = 0xb8860b, /* likewise */
    DLQ_PALETTE_OVERHEAD = 0x888888
};

/* Of worker 0, 1, ...: seven colors that the color-blind tell apart, then paler ones, then again. */
unsigned dlq_palette_worker(long worker);
/* Black or white: what can be read on that color. */
unsigned dlq_palette_ink(unsigned color);
/* The color on a sheet of `under` with that opacity, 0..1. */
unsigned dlq_palette_blend(unsigned color, unsigned under, double opacity);

#endif
