#include "out/gif_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More than any animation of ours: its bytes come from a child process. */
enum { MOST_SIDE = 8192, MOST_PIXELS = 1 << 24, MOST_FRAMES = 10000, BLANK = 0xffffff };

static int read_bytes(GifFileType *file, GifByteType *bytes, int count)
{
    struct dlq_gif_reader *reader = file->UserData;
    size_t wanted = count > 0 ? (size_t)count : 0, got = wanted < reader->size ? wanted : reader->size;
    memcpy(bytes, reader->bytes, got);
    reader->bytes += got;
    reader->size -= got;
    return (int)got;
}

static enum dlq_status broken(struct dlq_error *error, const char *reason)
{
    return dlq_error_add(error, DLQ_FAILURE, "not a whole GIF: %s", reason == NULL ? "unknown error" : reason);
}

/* A table of colors that finds no memory is told as a missing header. */
static enum dlq_status broken_code(int code, struct dlq_error *error)
{
    if (code == D_GIF_ERR_NOT_ENOUGH_MEM || (code == D_GIF_ERR_NO_SCRN_DSCR && errno == ENOMEM))
        return dlq_error_memory(error, "reading a GIF");
    return broken(error, GifErrorString(code));
}

static enum dlq_status broken_file(const struct dlq_gif_reader *reader, struct dlq_error *error)
{
    return broken_code(reader->file->Error, error);
}

static size_t area(const struct dlq_gif_reader *reader)
{
    return (size_t)reader->width * (size_t)reader->height;
}

static enum dlq_status allocate(struct dlq_gif_reader *reader, struct dlq_error *error)
{
    reader->width = reader->file->SWidth;
    reader->height = reader->file->SHeight;
    if (reader->width < 1 || reader->height < 1 || reader->width > MOST_SIDE || reader->height > MOST_SIDE ||
        area(reader) > MOST_PIXELS)
        return dlq_error_add(error, DLQ_FAILURE, "a GIF of %dx%d pixels: at most %dx%d, and %d in all", reader->width,
                             reader->height, MOST_SIDE, MOST_SIDE, MOST_PIXELS);
    reader->canvas = malloc(area(reader) * sizeof *reader->canvas);
    reader->saved = malloc(area(reader) * sizeof *reader->saved);
    reader->line = malloc((size_t)reader->width);
    if (reader->canvas == NULL || reader->saved == NULL || reader->line == NULL)
        return dlq_error_memory(error, "reading a GIF");
    for (size_t i = 0; i < area(reader); i++)
        reader->canvas[i] = BLANK;
    return DLQ_OK;
}

static const GraphicsControlBlock no_control = {DISPOSAL_UNSPECIFIED, false, 0, NO_TRANSPARENT_COLOR};

enum dlq_status dlq_gif_reader_open(struct dlq_gif_reader *reader, const struct dlq_image *image,
                                    struct dlq_error *error)
{
    int code = 0;
    *reader = (struct dlq_gif_reader){
        .bytes = image->bytes, .size = image->size, .before = no_control, .control = no_control, .loops = -1};
    if (image->bytes == NULL || image->size == 0)
        return broken(error, "no bytes");
    errno = 0;
    reader->file = DGifOpen(reader, read_bytes, &code);
    if (reader->file == NULL)
        return broken_code(code, error);
    enum dlq_status status = allocate(reader, error);
    if (status != DLQ_OK)
        dlq_gif_reader_close(reader);
    return status;
}

void dlq_gif_reader_close(struct dlq_gif_reader *reader)
{
    int code;
    if (reader->file != NULL)
        DGifCloseFile(reader->file, &code);
    free(reader->canvas);
    free(reader->saved);
    free(reader->line);
    *reader = (struct dlq_gif_reader){0};
}

/* Netscape's application extension: the block 01 LOW HIGH says how often the animation is repeated. */
static void take_block(struct dlq_gif_reader *reader, int function, const GifByteType *block, bool *netscape)
{
    static const char name[] = "NETSCAPE2.0";
    if (function == GRAPHICS_EXT_FUNC_CODE)
        DGifExtensionToGCB(block[0], block + 1, &reader->control);
    else if (function == APPLICATION_EXT_FUNC_CODE && block[0] == sizeof name - 1)
        *netscape = memcmp(block + 1, name, sizeof name - 1) == 0;
    else if (function == APPLICATION_EXT_FUNC_CODE && *netscape && block[0] == 3 && block[1] == 1)
        reader->loops = block[2] | block[3] << 8;
}

static enum dlq_status read_extension(struct dlq_gif_reader *reader, struct dlq_error *error)
{
    int function = 0, result;
    bool netscape = false;
    GifByteType *block = NULL;
    for (result = DGifGetExtension(reader->file, &function, &block); result == GIF_OK && block != NULL;
         result = DGifGetExtensionNext(reader->file, &block))
        take_block(reader, function, block, &netscape);
    return result == GIF_OK ? DLQ_OK : broken_file(reader, error);
}

/* What the frame before leaves behind. */
static void dispose(struct dlq_gif_reader *reader)
{
    const GifImageDesc *place = &reader->place;
    bool restores = reader->before.DisposalMode == DISPOSE_PREVIOUS;
    if (!restores && reader->before.DisposalMode != DISPOSE_BACKGROUND)
        return;
    for (int y = place->Top; y < place->Top + place->Height; y++)
        for (int x = place->Left; x < place->Left + place->Width; x++) {
            size_t at = (size_t)y * (size_t)reader->width + (size_t)x;
            reader->canvas[at] = restores ? reader->saved[at] : BLANK;
        }
}

static enum dlq_status draw_line(struct dlq_gif_reader *reader, const ColorMapObject *map, int y,
                                 struct dlq_error *error)
{
    const GifImageDesc *place = &reader->file->Image;
    uint32_t *to = reader->canvas + (size_t)(place->Top + y) * (size_t)reader->width + place->Left;
    if (DGifGetLine(reader->file, reader->line, place->Width) != GIF_OK)
        return broken_file(reader, error);
    for (int x = 0; x < place->Width; x++) {
        int index = reader->line[x];
        if (index == reader->control.TransparentColor)
            continue;
        if (index >= map->ColorCount)
            return broken(error, "a color that is not in the palette");
        const GifColorType *color = &map->Colors[index];
        to[x] = (uint32_t)color->Red << 16 | (uint32_t)color->Green << 8 | color->Blue;
    }
    return DLQ_OK;
}

/* Interlaced lines come in four passes. */
static enum dlq_status draw(struct dlq_gif_reader *reader, struct dlq_error *error)
{
    static const int starts[] = {0, 4, 2, 1, 0}, steps[] = {8, 8, 4, 2, 1};
    const GifImageDesc *place = &reader->file->Image;
    const ColorMapObject *map = place->ColorMap != NULL ? place->ColorMap : reader->file->SColorMap;
    enum dlq_status status = DLQ_OK;
    if (map == NULL)
        return broken(error, "no palette");
    int last = place->Interlace ? 3 : 4;
    for (int pass = place->Interlace ? 0 : 4; pass <= last; pass++)
        for (int y = starts[pass]; y < place->Height && status == DLQ_OK; y += steps[pass])
            status = draw_line(reader, map, y, error);
    return status;
}

static enum dlq_status read_frame(struct dlq_gif_reader *reader, struct dlq_error *error)
{
    if (DGifGetImageDesc(reader->file) != GIF_OK)
        return broken_file(reader, error);
    const GifImageDesc *place = &reader->file->Image;
    if (place->Left < 0 || place->Top < 0 || place->Width < 1 || place->Height < 1 ||
        place->Width > reader->width - place->Left || place->Height > reader->height - place->Top)
        return broken(error, "a frame beyond the edge");
    if (++reader->frames > MOST_FRAMES)
        return dlq_error_add(error, DLQ_FAILURE, "a GIF of more than %d frames", MOST_FRAMES);
    dispose(reader);
    if (reader->control.DisposalMode == DISPOSE_PREVIOUS)
        memcpy(reader->saved, reader->canvas, area(reader) * sizeof *reader->saved);
    enum dlq_status status = draw(reader, error);
    reader->place = *place;
    reader->delay = reader->control.DelayTime;
    reader->before = reader->control;
    reader->control = no_control;
    return status;
}

enum dlq_status dlq_gif_reader_next(struct dlq_gif_reader *reader, bool *more, struct dlq_error *error)
{
    for (;;) {
        GifRecordType type = UNDEFINED_RECORD_TYPE;
        if (DGifGetRecordType(reader->file, &type) != GIF_OK)
            return broken_file(reader, error);
        *more = type == IMAGE_DESC_RECORD_TYPE;
        if (*more)
            return read_frame(reader, error);
        if (type == TERMINATE_RECORD_TYPE)
            return DLQ_OK;
        /* The library knows no other type. */
        enum dlq_status status = read_extension(reader, error);
        if (status != DLQ_OK)
            return status;
    }
}
