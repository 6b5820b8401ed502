#include "cells_scene.h"
#include "gif_show.h"

static uint32_t pixel(const struct gif_show *show, int x, int y)
{
    return show->canvas[y * show->width + x];
}

/* Pixels of the hatch that have another one of it below, to the left (-1) or to the right (1). */
static int follow(const struct gif_show *show, const struct dlq_cell_box *at, unsigned lines, int slope)
{
    int count = 0;
    for (int y = at->top + 1; y < at->bottom - 1; y++)
        for (int x = at->left + 2; x < at->right - 1; x++)
            count += pixel(show, x, y) == lines && pixel(show, x + slope, y + 1) == lines ? 1 : 0;
    return count;
}

/* Nothing but these two colors within the outline, each on at least a tenth; lines down to the right (1) or left. */
static void check_hatch(const struct gif_show *show, const struct dlq_cell_box *at, unsigned ground, unsigned lines,
                        int slope, const char *name)
{
    int grounds = 0, hatched = 0, all = 0;
    for (int y = at->top + 1; y < at->bottom; y++)
        for (int x = at->left + 1; x < at->right; x++, all++) {
            grounds += pixel(show, x, y) == ground ? 1 : 0;
            hatched += pixel(show, x, y) == lines ? 1 : 0;
        }
    CHECK(grounds + hatched == all, "%s: %d of %d pixels have other colors", name, all - grounds - hatched, all);
    CHECK(10 * grounds > all && 10 * hatched > all, "%s: %d %06x, %d %06x", name, grounds, ground, hatched, lines);
    int along = follow(show, at, lines, slope), across = follow(show, at, lines, -slope);
    CHECK(3 * along > 2 * hatched && 3 * across < hatched, "%s: %d of %d along, %d across", name, along, hatched,
          across);
}

static void check_solid(const struct gif_show *show, int x, int y, unsigned color, const char *name)
{
    CHECK(pixel(show, x, y) == color, "%s: %06x at %d,%d instead of %06x", name, pixel(show, x, y), x, y, color);
}

/* Above and below the text, at both ends, and in the middle where there is no text. */
static void check_filling(const struct gif_show *show, const struct dlq_cell *cell, const struct dlq_cell_box *at,
                          const char *name)
{
    unsigned under = dlq_palette_blend(cell->color, 0xffffff, 0.25);
    double end = at->left + 0.5 + cell->share * (at->right - at->left - 1);
    for (int x = at->left + 1; x < at->right; x++) {
        if (fabs(x - end) <= 1)
            continue;
        check_solid(show, x, at->top + 1, x < end ? cell->color : under, name);
        check_solid(show, x, at->bottom - 1, x < end ? cell->color : under, name);
    }
}

static void check_cell(const struct gif_show *show, size_t row, size_t i, int frame)
{
    const struct dlq_cell *cell = &scene.cell[row][i];
    struct dlq_cell_box at = box_of(row, i);
    char name[80];
    snprintf(name, sizeof name, "frame %d, row %zu, cell %zu, kind %d", frame, row, i, cell->kind);
    int x = (at.left + at.right) / 2, y = (at.top + at.bottom) / 2;
    bool bare = cell->text[0] == '\0';
    if (cell->kind == DLQ_CELL_FILLING)
        check_filling(show, cell, &at, name);
    else if (cell->kind == DLQ_CELL_HELD)
        check_hatch(show, &at, cell->color, dlq_palette_ink(cell->color), -1, name);
    else if (cell->kind == DLQ_CELL_STALL)
        check_hatch(show, &at, 0xffffff, DLQ_PALETTE_STALL, 1, name);
    else if (cell->kind == DLQ_CELL_BARRIER)
        check_hatch(show, &at, 0xffffff, DLQ_PALETTE_BARRIER, -1, name);
    else
        check_solid(show, bare ? x : at.left + 2, bare ? y : at.top + 2,
                    cell->kind == DLQ_CELL_FULL ? cell->color : 0xffffff, name);
    check_solid(show, at.left - 1, y, 0xffffff, name);
    check_solid(show, at.right + 1, y, 0xffffff, name);
    CHECK(pixel(show, at.left, y) != 0xffffff && pixel(show, at.right, y) != 0xffffff, "%s: no outline", name);
}

/* The colors are those that were asked for, to the bit, before and after packing. */
static void test_colors(void)
{
    static const size_t loaders[] = {7, 32}, columns[] = {7, 16};
    for (size_t k = 0; k < 2; k++) {
        begin_scene(loaders[k], 2 * columns[k], columns[k], 900);
        char *script = scene_script(0, 60);
        struct dlq_image whole = draw(script), shrunk = draw(script);
        struct dlq_error error = {0};
        struct gif_show show;
        CHECK(dlq_gif_pack(&shrunk, NULL, &error) == DLQ_OK, "pack: %s", error.text);
        CHECK(gif_open(&show, &shrunk), "not opened");
        CHECK_INT(show.file->ImageCount, 60);
        CHECK_INT(gif_loops(&shrunk), 0);
        CHECK_INT(show.width, 900);
        CHECK_INT(show.height, dlq_cells_height(&scene.cells));
        for (int frame = 0; gif_next(&show); frame++) {
            set_frame(frame);
            for (size_t row = 0; row < ROWS && frame % 7 == 0; row++)
                for (size_t i = 0; i < scene.rows[row].count; i++)
                    check_cell(&show, row, i, frame);
            CHECK_INT(gif_control(&show, frame).DelayTime, 10);
        }
        gif_close(&show);
        CHECK_INT(gif_same(&whole, &shrunk, "60 frames"), 60);
        CHECK(3 * shrunk.size < 2 * whole.size, "%zu bytes from %zu", shrunk.size, whole.size);
        free(whole.bytes);
        free(shrunk.bytes);
        free(script);
    }
}

/* The real letters keep off the edges, whatever is said. */
static void test_margins(void)
{
    static const int widths[] = {320, 900, 1600};
    static const char endless[] = "All of it is said at great length, and then said once more in other words, so that "
                                  "no line of any page that we draw can ever hold it from its beginning to its end";
    for (size_t k = 0; k < 3; k++) {
        struct gif_show show;
        begin_scene(7, 14, 7, widths[k]);
        set_frame(1);
        scene.cells.title = scene.rows[0].label = endless;
        scene.frame.left = scene.frame.right = scene.remarks[1] = scene.remarks[2] = endless;
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        CHECK_INT(dlq_cells_begin(&scene.cells, file, NULL), DLQ_OK);
        CHECK_INT(dlq_cells_frame(&scene.cells, &scene.frame, file, NULL), DLQ_OK);
        fclose(file);
        struct dlq_image image = draw(text);
        bool opened = gif_open(&show, &image) && gif_next(&show);
        CHECK(opened, "not opened");
        for (int y = 0; opened && y < show.height; y++)
            for (int x = 0; x < show.width; x++) {
                bool edge = x < 5 || y < 5 || x >= show.width - 5 || y >= show.height - 5;
                CHECK(!edge || pixel(&show, x, y) == 0xffffff, "%d pixels wide: something at %d,%d", widths[k], x, y);
            }
        gif_close(&show);
        free(image.bytes);
        free(text);
    }
}

static void test_same_again(void)
{
    begin_scene(5, 10, 5, 700);
    char *one = scene_script(0, 3), *two = scene_script(0, 3);
    CHECK_TEXT(one, two);
    struct dlq_image first = draw(one), second = draw(two);
    CHECK(first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0, "other bytes");
    free(first.bytes);
    free(second.bytes);
    free(one);
    free(two);
}

static const struct test_case cases[] = {
    {"colors", test_colors},
    {"margins", test_margins},
    {"same again", test_same_again},
    {NULL, NULL},
};
const struct test_suite suite_cells_colors = {"cells_colors", cases};
