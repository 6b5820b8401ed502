#include "out/gif_colors.h"

/* The slot that holds the color, or the free one where it belongs. Three of four slots are always free. */
static unsigned slot_of(const struct dlq_gif_colors *colors, uint32_t color)
{
    unsigned slot = (color * 2654435761U) >> 22;
    while (colors->slot[slot] != 0 && colors->color[colors->slot[slot] - 1] != color)
        slot = (slot + 1) % DLQ_GIF_SLOTS;
    return slot;
}

int dlq_gif_colors_find(const struct dlq_gif_colors *colors, uint32_t color)
{
    return colors->slot[slot_of(colors, color)] - 1;
}

bool dlq_gif_colors_add(struct dlq_gif_colors *colors, uint32_t color)
{
    unsigned slot = slot_of(colors, color);
    if (colors->slot[slot] != 0)
        return true;
    if (colors->count == DLQ_GIF_COLORS)
        return false;
    colors->color[colors->count++] = color;
    colors->slot[slot] = (int16_t)colors->count;
    return true;
}
