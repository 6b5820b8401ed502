/* Animated GIFs as a viewer shows them, by giflib's own reader of whole files. */
#ifndef TESTS_REPORT_GIF_SHOW_H
#define TESTS_REPORT_GIF_SHOW_H

#include "harness.h"

#include "draw/gnuplot.h"

#include <gif_lib.h>
#include <stdint.h>
#include <stdlib.h>

static inline int gif_get(GifFileType *file, GifByteType *bytes, int count)
{
    struct dlq_image *from = file->UserData;
    size_t got = (size_t)count < from->size ? (size_t)count : from->size;
    memcpy(bytes, from->bytes, got);
    from->bytes += got;
    from->size -= got;
    return (int)got;
}

/* How often it is repeated: 0 for ever, -1 where it does not say. */
static inline int gif_loops(const struct dlq_image *image)
{
    for (size_t i = 0; i + 16 < image->size; i++)
        if (memcmp(image->bytes + i, "NETSCAPE2.0\x03\x01", 13) == 0)
            return image->bytes[i + 13] | image->bytes[i + 14] << 8;
    return -1;
}

/* A file that is played; `canvas` holds frame `frame`. */
struct gif_show {
    GifFileType *file;
    int width, height, frame;
    uint32_t *canvas, *saved;
};

static inline size_t gif_area(const struct gif_show *show)
{
    return (size_t)show->width * (size_t)show->height;
}

static inline bool gif_open(struct gif_show *show, const struct dlq_image *image)
{
    struct dlq_image left = *image;
    int code;
    *show = (struct gif_show){.frame = -1};
    show->file = DGifOpen(&left, gif_get, &code);
    if (show->file == NULL || DGifSlurp(show->file) != GIF_OK)
        return false;
    show->width = show->file->SWidth;
    show->height = show->file->SHeight;
    show->canvas = calloc(gif_area(show), sizeof *show->canvas);
    show->saved = calloc(gif_area(show), sizeof *show->saved);
    if (show->canvas == NULL || show->saved == NULL)
        return false;
    for (size_t i = 0; i < gif_area(show); i++)
        show->canvas[i] = 0xffffff;
    return true;
}

static inline void gif_close(struct gif_show *show)
{
    int code;
    if (show->file != NULL)
        DGifCloseFile(show->file, &code);
    free(show->canvas);
    free(show->saved);
}

static inline GraphicsControlBlock gif_control(const struct gif_show *show, int frame)
{
    GraphicsControlBlock control = {DISPOSAL_UNSPECIFIED, false, 0, NO_TRANSPARENT_COLOR};
    DGifSavedExtensionToGCB(show->file, frame, &control);
    return control;
}

/* Takes the last frame away as it wants it, and draws the next; false: there is none. */
static inline bool gif_next(struct gif_show *show)
{
    if (show->frame >= 0) {
        const GifImageDesc *last = &show->file->SavedImages[show->frame].ImageDesc;
        int mode = gif_control(show, show->frame).DisposalMode;
        for (int y = last->Top; y < last->Top + last->Height; y++)
            for (int x = last->Left; x < last->Left + last->Width && mode >= DISPOSE_BACKGROUND; x++)
                show->canvas[y * show->width + x] =
                    mode == DISPOSE_PREVIOUS ? show->saved[y * show->width + x] : 0xffffff;
    }
    if (show->saved == NULL || ++show->frame >= show->file->ImageCount)
        return false;
    const SavedImage *image = &show->file->SavedImages[show->frame];
    const GifImageDesc *at = &image->ImageDesc;
    const ColorMapObject *map = at->ColorMap != NULL ? at->ColorMap : show->file->SColorMap;
    GraphicsControlBlock control = gif_control(show, show->frame);
    memcpy(show->saved, show->canvas, gif_area(show) * sizeof *show->saved);
    for (int i = 0; i < at->Width * at->Height; i++) {
        int index = image->RasterBits[i];
        const GifColorType *color = &map->Colors[index];
        if (index != control.TransparentColor)
            show->canvas[(at->Top + i / at->Width) * show->width + at->Left + i % at->Width] =
                (uint32_t)color->Red << 16 | (uint32_t)color->Green << 8 | color->Blue;
    }
    return true;
}

/* Plays on to the next picture that differs from `shown` (of the same size), which it then holds. Returns how long the
   old one was seen, in 10 ms. */
static inline long gif_scene(struct gif_show *show, uint32_t *shown, bool *more)
{
    long delay = 0;
    size_t bytes = gif_area(show) * sizeof *shown;
    memcpy(shown, show->canvas, bytes);
    do {
        delay += gif_control(show, show->frame).DelayTime;
        *more = gif_next(show);
    } while (*more && memcmp(shown, show->canvas, bytes) == 0);
    return delay;
}

/* Pictures and times are the same, whatever frames they are made of; returns the count of pictures. */
static inline int gif_same(const struct dlq_image *one, const struct dlq_image *two, const char *name)
{
    struct gif_show a, b;
    int count = 0;
    bool opened = gif_open(&a, one), both = gif_open(&b, two) && opened;
    CHECK(both && a.width == b.width && a.height == b.height, "%s: not the same size", name);
    if (both && a.width == b.width && a.height == b.height) {
        uint32_t *left = malloc(gif_area(&a) * sizeof *left), *right = malloc(gif_area(&a) * sizeof *right);
        bool more = gif_next(&a), too = gif_next(&b);
        while (more && too) {
            long first = gif_scene(&a, left, &more), second = gif_scene(&b, right, &too);
            bool same = memcmp(left, right, gif_area(&a) * sizeof *left) == 0;
            CHECK(same, "%s: picture %d differs", name, count);
            CHECK(first == second, "%s: picture %d is seen for %ld and %ld", name, count, first, second);
            count++;
        }
        CHECK(!more && !too, "%s: one has more pictures than %d", name, count);
        free(left);
        free(right);
    }
    gif_close(&a);
    gif_close(&b);
    return count;
}

#endif
