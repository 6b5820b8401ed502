#include "gif_show.h"

static struct gif_bytes made;

/* -- animations made by hand -- */

struct frame {
    int left, top, width, height;
    int mode, transparent, delay;
    bool interlaced, own; /* a palette of its own */
    unsigned seed;        /* of its pixels */
};

struct film {
    int width, height, colors; /* in each palette: a power of two */
    int loops;                 /* -1: none said */
    const struct frame *frames;
    int count;
};

static unsigned draw_number(unsigned *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

static ColorMapObject *random_map(int colors, unsigned seed)
{
    ColorMapObject *map = GifMakeMapObject(colors, NULL);
    for (int i = 0; i < colors; i++) {
        unsigned color = draw_number(&seed);
        map->Colors[i] =
            (GifColorType){(GifByteType)(color & 0xff), (GifByteType)(color >> 8 & 0xff), (GifByteType)(i * 5)};
    }
    return map;
}

/* Patches of one color, and some noise. */
static void put_pixels(GifFileType *file, const struct film *film, const struct frame *frame)
{
    static const int starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    GifPixelType line[1024];
    for (int pass = 0; pass < (frame->interlaced ? 4 : 1); pass++)
        for (int y = frame->interlaced ? starts[pass] : 0; y < frame->height;
             y += frame->interlaced ? steps[pass] : 1) {
            unsigned state = frame->seed + (unsigned)(y / 3) * 77U;
            for (int x = 0; x < frame->width; x++)
                line[x] = (GifPixelType)((x % 5 == 0 ? draw_number(&state) : state >> 8) % (unsigned)film->colors);
            EGifPutLine(file, line, frame->width);
        }
}

static void put_loops(GifFileType *file, int loops)
{
    unsigned char block[] = {1, (unsigned char)(loops & 0xff), (unsigned char)(loops >> 8)};
    EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE);
    EGifPutExtensionBlock(file, 11, "NETSCAPE2.0");
    EGifPutExtensionBlock(file, 3, block);
    EGifPutExtensionTrailer(file);
}

static struct dlq_image make(const struct film *film)
{
    int code;
    made.size = 0;
    GifFileType *file = EGifOpen(&made, gif_put, &code);
    ColorMapObject *map = random_map(film->colors, 3);
    EGifSetGifVersion(file, true);
    EGifPutScreenDesc(file, film->width, film->height, 8, 0, map);
    GifFreeMapObject(map);
    if (film->loops >= 0)
        put_loops(file, film->loops);
    EGifPutComment(file, "made by hand");
    for (int i = 0; i < film->count; i++) {
        const struct frame *frame = &film->frames[i];
        GifByteType bytes[4];
        GraphicsControlBlock control = {frame->mode, false, frame->delay, frame->transparent};
        size_t size = EGifGCBToExtension(&control, bytes);
        EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, (int)size, bytes);
        map = frame->own ? random_map(film->colors, frame->seed + 5) : NULL;
        if (file->Image.ColorMap != NULL)
            GifFreeMapObject(file->Image.ColorMap);
        file->Image.ColorMap = NULL;
        EGifPutImageDesc(file, frame->left, frame->top, frame->width, frame->height, frame->interlaced, map);
        if (map != NULL)
            GifFreeMapObject(map);
        put_pixels(file, film, frame);
    }
    CHECK_INT(EGifCloseFile(file, &code), GIF_OK);
    return (struct dlq_image){.bytes = made.bytes, .size = made.size};
}

static struct dlq_image shrink(const struct dlq_image *whole, const char *name)
{
    struct dlq_image shrunk = {0};
    struct dlq_error error = {0};
    CHECK(dlq_gif_shrink(whole, &shrunk, &error) == DLQ_OK, "%s: %s", name, error.text);
    return shrunk;
}

/* All ways to put a frame and to take it away. */
static void test_ways(void)
{
    static const struct frame frames[] = {
        {0, 0, 61, 23, DISPOSE_DO_NOT, -1, 10, false, false, 1},
        {3, 5, 20, 11, DISPOSE_DO_NOT, 1, 7, false, true, 2},
        {0, 0, 1, 1, DISPOSE_BACKGROUND, -1, 3, false, false, 9},
        {60, 22, 1, 1, DISPOSE_PREVIOUS, -1, 2, true, true, 4},
        {10, 0, 51, 23, DISPOSE_BACKGROUND, 0, 9, true, true, 11},
        {0, 9, 61, 9, DISPOSE_PREVIOUS, 1, 4, true, false, 12},
        {5, 5, 30, 7, DISPOSAL_UNSPECIFIED, -1, 0, true, true, 13},
        {0, 0, 61, 23, DISPOSE_DO_NOT, -1, 5, true, true, 13},
        {0, 0, 61, 23, DISPOSE_DO_NOT, -1, 5, true, true, 13},
        {8, 8, 4, 4, DISPOSE_PREVIOUS, -1, 65535, false, true, 14},
        {8, 8, 4, 4, DISPOSE_DO_NOT, 0, 1, false, true, 15},
    };
    static const int colors[] = {2, 4, 16, 128, 256};
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        for (int count = 1; count <= (int)(sizeof frames / sizeof *frames); count++)
            for (int skip = 0; skip < (count > 1 ? 2 : 1); skip++) {
                char name[64];
                snprintf(name, sizeof name, "%d colors, %d frames from %d on", colors[i], count - skip, skip);
                struct film film = {61, 23, colors[i], 0, frames + skip, count - skip};
                struct dlq_image whole = make(&film), shrunk = shrink(&whole, name);
                CHECK(gif_same(&whole, &shrunk, name) > 0, "%s: nothing seen", name);
                free(shrunk.bytes);
            }
}

/* Odd sizes, and frames of which many are equal. */
static void test_sizes(void)
{
    static const int sizes[][2] = {{1, 1}, {1, 300}, {1000, 1}, {257, 31}, {8, 8}};
    static const unsigned seeds[] = {7, 7, 8, 8, 8, 7, 9, 9};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct frame frames[8];
        for (int k = 0; k < 8; k++)
            frames[k] =
                (struct frame){0, 0, sizes[i][0], sizes[i][1], DISPOSE_DO_NOT, -1, k + 1, false, k < 2, seeds[k]};
        struct film film = {sizes[i][0], sizes[i][1], 256, 0, frames, 8};
        char name[64];
        snprintf(name, sizeof name, "%dx%d", sizes[i][0], sizes[i][1]);
        struct dlq_image whole = make(&film), shrunk = shrink(&whole, name);
        gif_same(&whole, &shrunk, name);
        free(shrunk.bytes);
    }
}

static const SavedImage *frame_of(const struct gif_show *show, int frame)
{
    return &show->file->SavedImages[frame];
}

/* One frame for each picture, as large as what has changed, with a small palette. */
static void test_changes_alone(void)
{
    static const struct frame frames[] = {{0, 0, 100, 60, DISPOSE_DO_NOT, -1, 10, false, false, 1},
                                          {0, 0, 100, 60, DISPOSE_DO_NOT, -1, 12, false, false, 1},
                                          {37, 19, 1, 1, DISPOSE_DO_NOT, -1, 13, false, false, 999}};
    struct film film = {100, 60, 128, 0, frames, 3};
    struct dlq_image whole = make(&film), shrunk = shrink(&whole, "changes");
    struct gif_show show;
    CHECK(gif_open(&show, &shrunk), "not opened");
    CHECK_INT(show.file->ImageCount, 2);
    CHECK_INT(gif_control(&show, 0).DelayTime, 22);
    CHECK_INT(gif_control(&show, 1).DelayTime, 13);
    const GifImageDesc *at = &frame_of(&show, 1)->ImageDesc;
    CHECK(at->Left == 37 && at->Top == 19 && at->Width == 1 && at->Height == 1, "%dx%d at %d,%d", at->Width, at->Height,
          at->Left, at->Top);
    CHECK(at->ColorMap == NULL, "a palette of its own where the common one has all colors");
    CHECK_INT(gif_control(&show, 1).DisposalMode, DISPOSE_DO_NOT);
    gif_close(&show);
    CHECK(shrunk.size < whole.size, "%zu bytes from %zu", shrunk.size, whole.size);
    free(shrunk.bytes);
}

/* Times are added; where the sum is more than a frame can be shown it is cut into equal parts. */
static void test_times(void)
{
    enum { MOST = 12 };
    static const struct {
        int delay, count, frames;
    } rows[] = {{65535, 1, 1}, {65535, 2, 2}, {65535, 3, 3}, {6554, 10, 2}, {6553, 10, 1}, {0, 5, 1}, {1, 7, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct frame frames[MOST];
        for (int k = 0; k < MOST; k++)
            frames[k] =
                (struct frame){0, 0, 9, 7, DISPOSE_DO_NOT, -1, rows[i].delay, false, false, k < rows[i].count ? 5 : 6};
        struct film film = {9, 7, 16, 0, frames, rows[i].count + 1};
        struct dlq_image whole = make(&film), shrunk = shrink(&whole, "times");
        struct gif_show show;
        CHECK_INT(gif_same(&whole, &shrunk, "times"), 2);
        CHECK(gif_open(&show, &shrunk), "not opened");
        CHECK_INT(show.file->ImageCount, rows[i].frames + 1);
        for (int k = 0; k < rows[i].frames; k++)
            CHECK(labs((long)gif_control(&show, k).DelayTime * rows[i].frames - (long)rows[i].delay * rows[i].count) <
                      rows[i].frames,
                  "part %d of %d: %d", k, rows[i].frames, gif_control(&show, k).DelayTime);
        gif_close(&show);
        free(shrunk.bytes);
    }
}

static void test_loops(void)
{
    static const int loops[] = {-1, 0, 1, 300, 65535};
    static const struct frame frame = {0, 0, 9, 7, DISPOSE_DO_NOT, -1, 10, false, false, 5};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct film film = {9, 7, 16, loops[i], &frame, 1};
        struct dlq_image whole = make(&film), shrunk = shrink(&whole, "loops");
        CHECK_INT(gif_loops(&shrunk), loops[i]);
        free(shrunk.bytes);
    }
}

/* -- what is no GIF -- */

static void check_broken(const unsigned char *bytes, size_t size, const char *words, int line)
{
    unsigned char *copy = malloc(size + 1); /* of the right size, for the sanitizer */
    memcpy(copy, bytes, size);
    struct dlq_image whole = {.bytes = copy, .size = size}, shrunk = {.bytes = (unsigned char *)1, .size = 23};
    struct dlq_error error = {0};
    enum dlq_status status = dlq_gif_shrink(&whole, &shrunk, &error);
    test_check(status == DLQ_FAILURE, line, __FILE__, "%zu bytes: status %d", size, status);
    test_check(strstr(error.text, words) != NULL, line, __FILE__, "'%s' lacks '%s'", error.text, words);
    test_check(shrunk.bytes == (unsigned char *)1 && shrunk.size == 23, line, __FILE__, "the output was touched");
    free(copy);
}

static const struct frame plain[] = {{0, 0, 21, 13, DISPOSE_DO_NOT, -1, 10, false, false, 1},
                                     {2, 3, 7, 9, DISPOSE_DO_NOT, 1, 10, true, true, 2}};
static const struct film plain_film = {21, 13, 16, 0, plain, 2};

static void test_cut(void)
{
    struct dlq_image whole = make(&plain_film);
    for (size_t size = 0; size < whole.size; size++)
        check_broken(whole.bytes, size, "not a whole GIF: ", __LINE__);
    check_broken((const unsigned char *)"\x89PNG\r\n\x1a\n........", 16, "not a whole GIF: ", __LINE__);
}

/* Wherever a byte is wrong, the answer is a whole GIF or an error. */
static void test_damaged(void)
{
    static unsigned char bytes[4096];
    struct dlq_image whole = make(&plain_film);
    unsigned state = 17;
    int failures = 0;
    CHECK(whole.size < sizeof bytes, "%zu bytes", whole.size);
    for (int i = 0; i < 3000; i++) {
        memcpy(bytes, whole.bytes, whole.size);
        for (int k = 0; k <= i % 3; k++)
            bytes[6 + draw_number(&state) % (whole.size - 6)] = (unsigned char)draw_number(&state);
        bytes[7] &= 3; /* no canvas of millions of pixels */
        bytes[9] &= 3;
        struct dlq_image damaged = {.bytes = bytes, .size = whole.size}, shrunk = {0};
        struct dlq_error error = {0};
        enum dlq_status status = dlq_gif_shrink(&damaged, &shrunk, &error);
        failures += status == DLQ_OK ? 0 : 1;
        CHECK(status == DLQ_OK || (status == DLQ_FAILURE && error.count > 0 && shrunk.bytes == NULL), "damage %d: %d",
              i, status);
        if (status == DLQ_OK && i % 10 == 0)
            free(shrink(&shrunk, "damaged").bytes);
        free(shrunk.bytes);
    }
    CHECK(failures > 100 && failures < 3000, "%d of 3000 failed", failures);
}

/* Sizes in the file's own words. */
static void test_limits(void)
{
    static unsigned char bytes[4096];
    static const struct {
        size_t at; /* 6, 8: width and height of the canvas */
        unsigned value;
        const char *words;
    } rows[] = {
        {6, 0, "a GIF of 0x13 pixels"},
        {8, 0, "a GIF of 21x0 pixels"},
        {6, 65535, "a GIF of 65535x13 pixels"},
        {8, 8193, "a GIF of 21x8193 pixels"},
        {6, 20, "not a whole GIF: a frame beyond the edge"},
        {8, 12, "not a whole GIF: a frame beyond the edge"},
    };
    struct dlq_image whole = make(&plain_film);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(bytes, whole.bytes, whole.size);
        bytes[rows[i].at] = (unsigned char)(rows[i].value & 0xff);
        bytes[rows[i].at + 1] = (unsigned char)(rows[i].value >> 8);
        check_broken(bytes, whole.size, rows[i].words, __LINE__);
    }
    memcpy(bytes, whole.bytes, whole.size);
    bytes[6] = bytes[8] = 0;
    bytes[7] = bytes[9] = 0x1f;
    check_broken(bytes, whole.size, "a GIF of 7936x7936 pixels", __LINE__);
}

/* GIF89a, 2x1; a frame of 2x1 with minimum code size 2: clear, 0, 1, end (4, 0, 1, 5 in three bits each). */
static void test_made_of_bytes(void)
{
#define HEAD "GIF89a\x02\x00\x01\x00"
#define PALETTE "\x80\x00\x00\x11\x22\x33\x44\x55\x66" /* two colors */
#define FRAME ",\x00\x00\x00\x00\x02\x00\x01\x00\x00\x02\x02\x44\x0a\x00"
    static unsigned char good[] = HEAD PALETTE FRAME ";";
    static const char bare[] = HEAD "\x00\x00\x00" FRAME ";";
    static const char empty[] = HEAD PALETTE ";";
    static const char no_width[] = HEAD PALETTE ",\x00\x00\x00\x00\x00\x00\x01\x00\x00\x02\x02\x44\x0a\x00;";
    /* 4, 0, 3, 5: three is not in the palette. */
    static const char beyond[] = HEAD PALETTE ",\x00\x00\x00\x00\x02\x00\x01\x00\x00\x02\x02\xc4\x0a\x00;";
    static const char foreign[] = HEAD PALETTE FRAME "?;";
    struct dlq_image whole = {.bytes = good, .size = sizeof good - 1}, shrunk = shrink(&whole, "bytes");
    struct gif_show show;
    bool opened = gif_open(&show, &shrunk) && gif_next(&show);
    CHECK(opened && show.canvas[0] == 0x112233 && show.canvas[1] == 0x445566, "other pixels");
    gif_close(&show);
    free(shrunk.bytes);
    check_broken((const unsigned char *)bare, sizeof bare - 1, "no palette", __LINE__);
    check_broken((const unsigned char *)empty, sizeof empty - 1, "no frame", __LINE__);
    check_broken((const unsigned char *)no_width, sizeof no_width - 1, "a frame beyond the edge", __LINE__);
    check_broken((const unsigned char *)beyond, sizeof beyond - 1, "a color that is not in the palette", __LINE__);
    check_broken((const unsigned char *)foreign, sizeof foreign - 1, "not a whole GIF: ", __LINE__);
    check_broken((const unsigned char *)"", 0, "no bytes", __LINE__);
}

/* More colors over time than any palette holds, and all 256 of one changed at once. */
static void test_colors(void)
{
    struct frame frames[12];
    for (int k = 0; k < 12; k++)
        frames[k] = (struct frame){0, 0, 200, 150, DISPOSE_DO_NOT, -1, 10, false, true, (unsigned)k + 1};
    struct film film = {200, 150, 256, 0, frames, 12};
    struct dlq_image whole = make(&film), shrunk = shrink(&whole, "colors");
    CHECK_INT(gif_same(&whole, &shrunk, "colors"), 12);
    struct gif_show show;
    CHECK(gif_open(&show, &shrunk), "not opened");
    CHECK(gif_control(&show, 5).TransparentColor == NO_TRANSPARENT_COLOR, "no place is left for what is transparent");
    CHECK(frame_of(&show, 5)->ImageDesc.ColorMap != NULL, "no palette of its own");
    gif_close(&show);
    free(shrunk.bytes);
}

/* What lies behind two frames that are taken away at once has more colors than a frame can name. */
static void test_too_many_colors(void)
{
    static const struct frame frames[] = {{0, 0, 600, 300, DISPOSE_DO_NOT, -1, 10, false, true, 1},
                                          {0, 0, 280, 300, DISPOSE_BACKGROUND, -1, 10, false, true, 2},
                                          {320, 0, 280, 300, DISPOSE_DO_NOT, -1, 10, false, true, 3}};
    struct film film = {600, 300, 256, 0, frames, 3};
    struct dlq_image whole = make(&film);
    check_broken(whole.bytes, whole.size, "more than 256 colors", __LINE__);
}

static void test_too_many_frames(void)
{
    enum { COUNT = 10001 };
    static struct frame frames[COUNT];
    struct film film = {1, 1, 2, 0, frames, COUNT};
    for (int i = 0; i < COUNT; i++)
        frames[i] = (struct frame){0, 0, 1, 1, DISPOSE_DO_NOT, -1, 2, false, false, (unsigned)i};
    struct dlq_image whole = make(&film);
    check_broken(whole.bytes, whole.size, "more than 10000 frames", __LINE__);
    film.count--;
    whole = make(&film);
    struct dlq_image shrunk = shrink(&whole, "many frames");
    gif_same(&whole, &shrunk, "many frames");
    free(shrunk.bytes);
}

static const struct test_case cases[] = {
    {"all kinds of frames", test_ways},
    {"sizes and equal frames", test_sizes},
    {"changes alone", test_changes_alone},
    {"times", test_times},
    {"loops", test_loops},
    {"cut short", test_cut},
    {"damaged", test_damaged},
    {"limits", test_limits},
    {"bytes by hand", test_made_of_bytes},
    {"many colors", test_colors},
    {"too many colors", test_too_many_colors},
    {"too many frames", test_too_many_frames},
    {NULL, NULL},
};
const struct test_suite suite_gif = {"gif", cases};
