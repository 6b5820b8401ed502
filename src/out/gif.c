#include "dlqueue/cells.h"

#include "out/gif_reader.h"
#include "out/gif_writer.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DELAY = 65535 };

struct shrinking {
    struct dlq_gif_reader reader;
    struct dlq_gif_writer writer;
    struct dlq_gif_colors global; /* at most 255: one place is left for what is transparent */
    int width, height;
    bool begun;        /* `before` holds a frame */
    uint32_t *before;  /* the last frame that was written */
    uint32_t *pending; /* the next one, whose time of showing may yet grow */
    long delay;        /* of that, 10 ms; -1: there is none */
    GifPixelType *pixels;
};

struct area {
    int left, top, right, bottom; /* all inside */
};

static size_t size_of(const struct shrinking *work)
{
    return (size_t)work->width * (size_t)work->height;
}

/* The first colors that are met, for all frames together. */
static void count_colors(struct shrinking *work)
{
    const uint32_t *canvas = work->reader.canvas;
    for (size_t i = 0; i < size_of(work) && work->global.count < DLQ_GIF_COLORS - 1; i++)
        if (i == 0 || canvas[i] != canvas[i - 1])
            dlq_gif_colors_add(&work->global, canvas[i]);
}

/* Reads all of it: what is not whole is found before anything is written. */
static enum dlq_status look_through(struct shrinking *work, const struct dlq_image *whole, int *loops,
                                    struct dlq_error *error)
{
    bool more = true;
    enum dlq_status status = dlq_gif_reader_open(&work->reader, whole, error);
    if (status != DLQ_OK)
        return status;
    work->width = work->reader.width;
    work->height = work->reader.height;
    while (more && status == DLQ_OK) {
        status = dlq_gif_reader_next(&work->reader, &more, error);
        if (status == DLQ_OK && more)
            count_colors(work);
    }
    if (status == DLQ_OK && work->reader.frames == 0)
        status = dlq_error_add(error, DLQ_FAILURE, "not a whole GIF: no frame");
    *loops = work->reader.loops;
    dlq_gif_reader_close(&work->reader);
    return status;
}

static enum dlq_status allocate(struct shrinking *work, struct dlq_error *error)
{
    work->before = malloc(size_of(work) * sizeof *work->before);
    work->pending = malloc(size_of(work) * sizeof *work->pending);
    work->pixels = malloc(size_of(work));
    bool done = work->before != NULL && work->pending != NULL && work->pixels != NULL;
    return done ? DLQ_OK : dlq_error_memory(error, "shrinking a GIF");
}

static bool row_changed(const struct shrinking *work, int y)
{
    size_t at = (size_t)y * (size_t)work->width;
    return memcmp(work->before + at, work->pending + at, (size_t)work->width * sizeof *work->before) != 0;
}

static bool column_changed(const struct shrinking *work, int x, int top, int bottom)
{
    for (int y = top; y <= bottom; y++) {
        size_t at = (size_t)y * (size_t)work->width + (size_t)x;
        if (work->before[at] != work->pending[at])
            return true;
    }
    return false;
}

/* What differs; a pixel where nothing does, the whole at first. */
static struct area changed_area(const struct shrinking *work)
{
    struct area area = {0, 0, work->width - 1, work->height - 1};
    if (!work->begun)
        return area;
    while (area.top < area.bottom && !row_changed(work, area.top))
        area.top++;
    while (area.bottom > area.top && !row_changed(work, area.bottom))
        area.bottom--;
    while (area.left < area.right && !column_changed(work, area.left, area.top, area.bottom))
        area.left++;
    while (area.right > area.left && !column_changed(work, area.right, area.top, area.bottom))
        area.right--;
    return area;
}

/* How the pixels of a frame become indices. */
struct coding {
    const struct dlq_gif_colors *colors;
    bool holes; /* what has not changed is transparent */
};

static bool is_hole(const struct shrinking *work, const struct coding *coding, size_t at)
{
    return coding->holes && work->before[at] == work->pending[at];
}

/* False: more than `most` colors. */
static bool collect(const struct shrinking *work, const struct area *area, const struct coding *coding, int most,
                    struct dlq_gif_colors *colors)
{
    *colors = (struct dlq_gif_colors){0};
    for (int y = area->top; y <= area->bottom; y++)
        for (int x = area->left; x <= area->right; x++) {
            size_t at = (size_t)y * (size_t)work->width + (size_t)x;
            if (!is_hole(work, coding, at) && (!dlq_gif_colors_add(colors, work->pending[at]) || colors->count > most))
                return false;
        }
    return true;
}

static bool is_part(const struct dlq_gif_colors *part, const struct dlq_gif_colors *of)
{
    for (int i = 0; i < part->count; i++)
        if (dlq_gif_colors_find(of, part->color[i]) < 0)
            return false;
    return true;
}

static void encode(struct shrinking *work, const struct area *area, const struct coding *coding)
{
    GifPixelType *to = work->pixels, hole = (GifPixelType)coding->colors->count;
    for (int y = area->top; y <= area->bottom; y++)
        for (int x = area->left; x <= area->right; x++) {
            size_t at = (size_t)y * (size_t)work->width + (size_t)x;
            *to++ =
                is_hole(work, coding, at) ? hole : (GifPixelType)dlq_gif_colors_find(coding->colors, work->pending[at]);
        }
}

/* A frame is shown for 65535 units at most: longer times are cut into equal parts, which are empty but for the first.
 */
static enum dlq_status write_parts(struct shrinking *work, struct dlq_gif_frame *frame, struct dlq_error *error)
{
    enum dlq_status status = DLQ_OK;
    long left = work->delay, parts = left / MOST_DELAY + (left % MOST_DELAY > 0 || left == 0 ? 1 : 0);
    for (; parts > 0 && status == DLQ_OK; parts--) {
        frame->delay = (int)(left / parts);
        left -= frame->delay;
        status = dlq_gif_writer_frame(&work->writer, frame, error);
        frame->width = frame->height = 1;
    }
    return status;
}

static enum dlq_status write_pending(struct shrinking *work, struct dlq_error *error)
{
    struct area area = changed_area(work);
    struct dlq_gif_colors own;
    struct coding coding = {&own, work->begun};
    if (!collect(work, &area, &coding, DLQ_GIF_COLORS - 1, &own)) {
        coding.holes = false;
        if (!collect(work, &area, &coding, DLQ_GIF_COLORS, &own))
            return dlq_error_add(error, DLQ_FAILURE, "a frame of a GIF has more than %d colors", DLQ_GIF_COLORS);
    }
    bool global = is_part(&own, &work->global);
    coding.colors = global ? &work->global : &own;
    encode(work, &area, &coding);
    struct dlq_gif_frame frame = {area.left,
                                  area.top,
                                  area.right - area.left + 1,
                                  area.bottom - area.top + 1,
                                  global ? NULL : &own,
                                  coding.holes ? coding.colors->count : -1,
                                  0,
                                  work->pixels};
    enum dlq_status status = write_parts(work, &frame, error);
    uint32_t *written = work->pending;
    work->pending = work->before;
    work->before = written;
    work->begun = true;
    return status;
}

static enum dlq_status take_frame(struct shrinking *work, struct dlq_error *error)
{
    size_t bytes = size_of(work) * sizeof *work->pending;
    enum dlq_status status = DLQ_OK;
    if (work->delay >= 0 && memcmp(work->pending, work->reader.canvas, bytes) == 0) {
        work->delay += work->reader.delay;
        return DLQ_OK;
    }
    if (work->delay >= 0)
        status = write_pending(work, error);
    memcpy(work->pending, work->reader.canvas, bytes);
    work->delay = work->reader.delay;
    return status;
}

static enum dlq_status rewrite(struct shrinking *work, const struct dlq_image *whole, int loops,
                               struct dlq_image *shrunk, struct dlq_error *error)
{
    bool more = true;
    enum dlq_status status = dlq_gif_reader_open(&work->reader, whole, error);
    if (status == DLQ_OK)
        status = dlq_gif_writer_open(&work->writer, work->width, work->height, &work->global, loops, error);
    while (more && status == DLQ_OK) {
        status = dlq_gif_reader_next(&work->reader, &more, error);
        if (status == DLQ_OK)
            status = more ? take_frame(work, error) : write_pending(work, error);
    }
    if (status == DLQ_OK)
        return dlq_gif_writer_end(&work->writer, shrunk, error);
    dlq_gif_writer_abandon(&work->writer);
    return status;
}

enum dlq_status dlq_gif_shrink(const struct dlq_image *whole, struct dlq_image *shrunk, struct dlq_error *error)
{
    struct shrinking work = {.delay = -1};
    int loops = -1;
    enum dlq_status status = look_through(&work, whole, &loops, error);
    if (status == DLQ_OK)
        status = allocate(&work, error);
    if (status == DLQ_OK)
        status = rewrite(&work, whole, loops, shrunk, error);
    if (status == DLQ_OK)
        shrunk->no_font = whole->no_font;
    dlq_gif_reader_close(&work.reader);
    free(work.before);
    free(work.pending);
    free(work.pixels);
    return status;
}
