#include "out/gif_writer.h"

#include <stdlib.h>
#include <string.h>

static int write_bytes(GifFileType *file, const GifByteType *bytes, int count)
{
    struct dlq_gif_writer *writer = file->UserData;
    size_t more = count > 0 ? (size_t)count : 0;
    if (writer->capacity - writer->size < more) {
        size_t capacity = 2 * writer->capacity + more + 4096;
        unsigned char *grown = realloc(writer->bytes, capacity);
        if (grown == NULL) {
            writer->memory_failed = true;
            return 0;
        }
        writer->bytes = grown;
        writer->capacity = capacity;
    }
    if (more > 0)
        memcpy(writer->bytes + writer->size, bytes, more);
    writer->size += more;
    return count;
}

static enum dlq_status explain(const struct dlq_gif_writer *writer, int code, struct dlq_error *error)
{
    const char *reason = GifErrorString(code);
    if (writer->memory_failed || code == E_GIF_ERR_NOT_ENOUGH_MEM)
        return dlq_error_memory(error, "writing a GIF");
    return dlq_error_add(error, DLQ_FAILURE, "cannot write a GIF: %s", reason == NULL ? "unknown error" : reason);
}

/* As many places as a power of two: those that are left over stay black. Null: no memory. */
static ColorMapObject *make_map(const struct dlq_gif_colors *colors, int transparent)
{
    int needed = transparent >= colors->count ? transparent + 1 : colors->count, places = 2;
    while (places < needed)
        places *= 2;
    ColorMapObject *map = GifMakeMapObject(places, NULL);
    for (int i = 0; map != NULL && i < colors->count; i++) {
        uint32_t color = colors->color[i];
        map->Colors[i] = (GifColorType){(GifByteType)(color >> 16 & 0xff), (GifByteType)(color >> 8 & 0xff),
                                        (GifByteType)(color & 0xff)};
    }
    return map;
}

static bool put_loops(GifFileType *file, int loops)
{
    unsigned char block[] = {1, (unsigned char)(loops & 0xff), (unsigned char)(loops >> 8 & 0xff)};
    return EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(file, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(file, sizeof block, block) == GIF_OK && EGifPutExtensionTrailer(file) == GIF_OK;
}

enum dlq_status dlq_gif_writer_open(struct dlq_gif_writer *writer, int width, int height,
                                    const struct dlq_gif_colors *colors, int loops, struct dlq_error *error)
{
    int code = 0;
    *writer = (struct dlq_gif_writer){0};
    ColorMapObject *map = make_map(colors, colors->count < DLQ_GIF_COLORS ? colors->count : -1);
    if (map == NULL)
        return dlq_error_memory(error, "writing a GIF");
    writer->file = EGifOpen(writer, write_bytes, &code);
    bool done = writer->file != NULL;
    if (done) {
        EGifSetGifVersion(writer->file, true);
        done = EGifPutScreenDesc(writer->file, width, height, 8, 0, map) == GIF_OK &&
               (loops < 0 || put_loops(writer->file, loops));
        code = writer->file->Error;
    }
    GifFreeMapObject(map);
    enum dlq_status status = done ? DLQ_OK : explain(writer, code, error);
    if (!done)
        dlq_gif_writer_abandon(writer);
    return status;
}

static bool put_control(GifFileType *file, const struct dlq_gif_frame *frame)
{
    GifByteType bytes[4];
    GraphicsControlBlock control = {DISPOSE_DO_NOT, false, frame->delay,
                                    frame->transparent < 0 ? NO_TRANSPARENT_COLOR : frame->transparent};
    size_t size = EGifGCBToExtension(&control, bytes);
    return EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, (int)size, bytes) == GIF_OK;
}

static bool put_lines(GifFileType *file, const struct dlq_gif_frame *frame, GifPixelType *line)
{
    for (int y = 0; y < frame->height; y++) {
        memcpy(line, frame->pixels + (size_t)y * (size_t)frame->width, (size_t)frame->width);
        if (EGifPutLine(file, line, frame->width) != GIF_OK)
            return false;
    }
    return true;
}

enum dlq_status dlq_gif_writer_frame(struct dlq_gif_writer *writer, const struct dlq_gif_frame *frame,
                                     struct dlq_error *error)
{
    GifFileType *file = writer->file;
    ColorMapObject *map = frame->colors != NULL ? make_map(frame->colors, frame->transparent) : NULL;
    GifPixelType *line = malloc((size_t)frame->width);
    bool done = line != NULL && (frame->colors == NULL || map != NULL);
    writer->memory_failed = writer->memory_failed || !done;
    /* giflib forgets the last frame's map where this one has none. */
    if (file->Image.ColorMap != NULL) {
        GifFreeMapObject(file->Image.ColorMap);
        file->Image.ColorMap = NULL;
    }
    done = done && put_control(file, frame) &&
           EGifPutImageDesc(file, frame->left, frame->top, frame->width, frame->height, false, map) == GIF_OK &&
           put_lines(file, frame, line);
    free(line);
    if (map != NULL)
        GifFreeMapObject(map);
    return done ? DLQ_OK : explain(writer, file->Error, error);
}

enum dlq_status dlq_gif_writer_end(struct dlq_gif_writer *writer, struct dlq_image *image, struct dlq_error *error)
{
    int code = 0;
    bool done = EGifCloseFile(writer->file, &code) == GIF_OK && !writer->memory_failed;
    enum dlq_status status = done ? DLQ_OK : explain(writer, code, error);
    writer->file = NULL;
    if (done) {
        *image = (struct dlq_image){.bytes = writer->bytes, .size = writer->size};
        writer->bytes = NULL;
    }
    dlq_gif_writer_abandon(writer);
    return status;
}

void dlq_gif_writer_abandon(struct dlq_gif_writer *writer)
{
    int code;
    if (writer->file != NULL)
        EGifCloseFile(writer->file, &code);
    free(writer->bytes);
    *writer = (struct dlq_gif_writer){0};
}
