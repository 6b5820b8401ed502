#include "cells_scene.h"

#include "draw/glyph.h"

/* -- labels of a script -- */

struct label {
    char text[DLQ_LINE_BYTES], align[8];
    double x, y, points;
    unsigned color;
};

/* Reads a label and moves on to the next line; octal numbers become bytes. */
static bool read_label(const char **script, struct label *label)
{
    static const char start[] = "set label \"";
    const char *at = strstr(*script, start);
    if (at == NULL)
        return false;
    size_t used = 0;
    for (at += strlen(start); *at != '"'; at++) {
        if (*at != '\\') {
            label->text[used++] = *at;
            continue;
        }
        char digits[5] = "";
        memcpy(digits, at + 1, at[1] == '0' ? 4 : 3);
        label->text[used++] = (char)strtol(digits, NULL, 8);
        at += strlen(digits);
    }
    label->text[used] = '\0';
    char *end;
    const char *font = strstr(at, " front font ',"), *color = strstr(at, " textcolor rgb '#");
    bool found = strncmp(at, "\" at ", 5) == 0 && font != NULL && color != NULL;
    CHECK(found, "not a label of ours: %.90s", at);
    if (!found)
        return false;
    label->x = strtod(at + 5, &end);
    label->y = strtod(end + 1, &end);
    snprintf(label->align, sizeof label->align, "%.*s", (int)(font - end - 1), end + 1);
    label->points = strtod(font + strlen(" front font ',"), NULL);
    label->color = (unsigned)strtoul(color + strlen(" textcolor rgb '#"), NULL, 16);
    *script = strchr(at, '\n');
    return true;
}

static bool find_label(const char *script, const char *text, struct label *label)
{
    while (read_label(&script, label))
        if (strcmp(label->text, text) == 0)
            return true;
    return false;
}

static double left_end(const struct label *label, double *width)
{
    double em = label->points / 0.75;
    *width = dlq_glyph_width(label->text, strlen(label->text), em);
    return label->x - (strcmp(label->align, "left") == 0 ? 0 : strcmp(label->align, "center") == 0 ? 0.5 : 1) * *width;
}

/* All that is written lies on the page; nothing lies on anything else. */
static void check_layout(size_t loaders, size_t places, size_t columns, int width)
{
    char name[80];
    struct label label = {0};
    struct dlq_cells_layout layout;
    begin_scene(loaders, places, columns, width);
    char *script = scene_script(1, 2);
    const char *at = script;
    int high = dlq_cells_height(&scene.cells);
    snprintf(name, sizeof name, "%zu + %zu cells in lines of %zu, %d pixels", loaders, places, columns, width);
    while (read_label(&at, &label)) {
        double wide, left = left_end(&label, &wide), em = label.points / 0.75;
        CHECK(left >= 0.5 * em && left + wide <= width - 0.5 * em, "%s: '%s' from %g to %g", name, label.text, left,
              left + wide);
        CHECK(label.y >= 0.6 * em && label.y <= high - 0.6 * em, "%s: '%s' at %g of %d", name, label.text, label.y,
              high);
        CHECK(em >= 8, "%s: '%s' with letters of %g pixels", name, label.text, em);
    }
    dlq_cells_lay_out(&scene.cells, &layout);
    CHECK(find_label(script, "loaders", &label) && label.x < layout.left, "%s: no label before its cells", name);
    int last = 0;
    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = 0; i < scene.rows[row].count; i++) {
            struct dlq_cell_box box = box_of(row, i);
            CHECK(box.left >= layout.left && box.right < width - layout.margin / 2 && box.bottom < high,
                  "%s: cell %zu at %d..%d, %d..%d", name, i, box.left, box.right, box.top, box.bottom);
            CHECK(box.right - box.left >= 3 && box.bottom - box.top >= 3, "%s: %d wide", name, box.right - box.left);
            CHECK(i % columns == 0 ? box.top > last : box.left > box_of(row, i - 1).right, "%s: on another", name);
            last = i % columns == 0 ? box.bottom : last;
        }
    free(script);
}

static void test_layout(void)
{
    static const size_t counts[][3] = {{1, 2, 2},    {1, 0, 1},    {7, 14, 7},    {16, 32, 16},
                                       {24, 24, 12}, {64, 32, 16}, {128, 64, 32}, {5, 200, 32}};
    static const int widths[] = {320, 517, 900, 1283, 1600};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
            check_layout(counts[i][0], counts[i][1], counts[i][2], widths[k]);
}

/* What stands on the dark part of a cell is white, what stands on the pale one black. */
static void test_ink(void)
{
    static const struct {
        double share;
        unsigned first, last;
    } rows[] = {{0, 0, 0}, {1, 0xffffff, 0xffffff}, {0.5, 0xffffff, 0}, {NAN, 0, 0}, {7, 0xffffff, 0xffffff}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct label first = {0}, last = {0};
        char *text = NULL;
        size_t size = 0;
        begin_scene(1, 0, 1, 900);
        set_frame(0);
        scene.cell[0][0] = (struct dlq_cell){DLQ_CELL_FILLING, 0x112244, rows[i].share, "3x7"};
        FILE *file = open_memstream(&text, &size);
        CHECK_INT(dlq_cells_frame(&scene.cells, &scene.frame, file, NULL), DLQ_OK);
        fclose(file);
        CHECK(find_label(text, "3", &first) && find_label(text, "7", &last), "share %g: no letters", rows[i].share);
        CHECK_INT(first.color, rows[i].first);
        CHECK_INT(last.color, rows[i].last);
        CHECK(first.x < last.x && last.x - first.x < 40, "share %g: %g and %g", rows[i].share, first.x, last.x);
        free(text);
    }
}

/* Texts shrink to their cells, and are left out where they could not be read. */
static void test_cell_texts(void)
{
    static const struct {
        size_t columns;
        const char *text;
        bool shown;
    } rows[] = {{7, "1234567", true}, {16, "0.7", true}, {20, "1234567", false}, {64, "0.7", false}, {32, "7", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct label label = {0};
        char *text = NULL;
        size_t size = 0;
        begin_scene(rows[i].columns, 0, rows[i].columns, 900);
        set_frame(0);
        for (size_t k = 0; k < rows[i].columns; k++) {
            scene.cell[0][k] = (struct dlq_cell){DLQ_CELL_HELD, 0x88ccee, 0, ""};
            memcpy(scene.cell[0][k].text, rows[i].text, strlen(rows[i].text));
        }
        FILE *file = open_memstream(&text, &size);
        CHECK_INT(dlq_cells_frame(&scene.cells, &scene.frame, file, NULL), DLQ_OK);
        fclose(file);
        bool shown = find_label(text, rows[i].text, &label);
        CHECK(shown == rows[i].shown, "'%s' in lines of %zu", rows[i].text, rows[i].columns);
        struct dlq_cell_box box = box_of(0, 0);
        double wide, left = shown ? left_end(&label, &wide) : 0;
        CHECK(!shown || (left > box.left && left + wide < box.right), "'%s' from %g on in %d..%d", rows[i].text, left,
              box.left, box.right);
        CHECK(!shown || strstr(text, "$plate << ") != NULL, "'%s' on a bare hatch", rows[i].text);
        free(text);
    }
}

static void test_remarks(void)
{
    static const struct {
        int frame;
        unsigned red, green;
    } rows[] = {{1, 0xcc, 0x33}, {2, 0x8a, 0x65}, {3, 0x11, 0x11}};
    for (size_t i = 0; i < 3; i++) {
        struct label label = {0};
        begin_scene(7, 14, 7, 900);
        char *script = scene_script(rows[i].frame, rows[i].frame + 1);
        CHECK(find_label(script, scene.remarks[2], &label), "no remark");
        CHECK_INT(label.color >> 16, rows[i].red);
        CHECK_INT(label.color >> 8 & 0xff, rows[i].green);
        CHECK(find_label(script, "+12", &label) && label.color == 0x111111, "no other remark");
        CHECK(label.x > box_of(1, 13).right, "over the cells");
        scene.frame.remarks = NULL;
        free(script);
    }
}

/* -- nothing but what we wrote -- */

static bool ours(const char *line)
{
    static const char *const starts[] = {"set encoding utf8\n",
                                         "set term gif animate delay ",
                                         "set lmargin at screen 0\n",
                                         "set rmargin at screen 1\n",
                                         "set tmargin at screen 1\n",
                                         "set bmargin at screen 0\n",
                                         "unset key\n",
                                         "unset border\n",
                                         "unset tics\n",
                                         "set xrange [0:",
                                         "set yrange [",
                                         "unset label\n",
                                         "set label \"",
                                         "plot $",
                                         "     $",
                                         "$outline << END_OF_DATA\n",
                                         "$ground << END_OF_DATA\n",
                                         "$filled << END_OF_DATA\n",
                                         "$held << END_OF_DATA\n",
                                         "$stall << END_OF_DATA\n",
                                         "$barrier << END_OF_DATA\n",
                                         "$plate << END_OF_DATA\n",
                                         "END_OF_DATA\n"};
    if (*line >= '0' && *line <= '9')
        return strspn(line, "0123456789 ") == strcspn(line, "\n");
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(line, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static void test_hostile(void)
{
    static const char *const texts[] = {"`touch /tmp/dlq-cells`",
                                        "\"; system('x') #",
                                        "a\nplot 1",
                                        "{/=999 x}_^@&~",
                                        "'\\'\"$@!|",
                                        "\xff\xfe\x80",
                                        "END_OF_DATA\nexit",
                                        "%s%n%d",
                                        ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = texts[i];
        begin_scene(2, 2, 2, 900);
        set_frame(0);
        scene.cells.title = scene.rows[0].label = scene.rows[1].label = text;
        scene.frame.left = scene.frame.right = scene.remarks[1] = scene.remarks[2] = text;
        for (size_t k = 0; k < 2; k++)
            snprintf(scene.cell[k][1].text, sizeof scene.cell[k][1].text, "%.7s", text);
        char *script = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&script, &size);
        CHECK_INT(dlq_cells_begin(&scene.cells, file, NULL), DLQ_OK);
        CHECK_INT(dlq_cells_frame(&scene.cells, &scene.frame, file, NULL), DLQ_OK);
        fclose(file);
        for (const char *line = script; *line != '\0'; line = strchr(line, '\n') + 1) {
            CHECK(ours(line), "text %zu: foreign: %.60s", i, line);
            CHECK(strcspn(line, "`!|@") >= strcspn(line, "\n"), "text %zu: %.90s", i, line);
        }
        free(draw(script).bytes);
        free(script);
    }
}

static void test_missing_texts(void)
{
    begin_scene(3, 0, 3, 500);
    int with = dlq_cells_height(&scene.cells);
    set_frame(0);
    scene.rows[2].apart = true;
    CHECK(dlq_cells_height(&scene.cells) > with + 10, "no room above another group");
    scene.rows[2].apart = false;
    scene.rows[0].apart = true;
    CHECK_INT(dlq_cells_height(&scene.cells), with);
    scene.cells.title = scene.rows[0].label = scene.frame.left = scene.frame.right = NULL;
    scene.frame.remarks = NULL;
    CHECK(dlq_cells_height(&scene.cells) < with, "room for no title");
    char *script = scene_script(0, 0);
    free(script);
    FILE *file = tmpfile();
    CHECK_INT(dlq_cells_frame(&scene.cells, &scene.frame, file, NULL), DLQ_OK);
    fclose(file);
}

/* -- errors -- */

/* The scene is refused with these words, and nothing is written. */
static void check_refused(const char *words)
{
    char *text = NULL;
    size_t size = 0;
    struct dlq_error error = {0};
    FILE *stream = open_memstream(&text, &size);
    enum dlq_status status = dlq_cells_begin(&scene.cells, stream, &error);
    fclose(stream);
    CHECK(status == DLQ_INVALID && size == 0, "%s: status %d, %zu bytes", words, (int)status, size);
    CHECK(strstr(error.text, words) != NULL, "'%s' lacks '%s'", error.text, words);
    free(text);
}

static void test_errors(void)
{
    static const double delays[] = {0.0199, 0, -1, NAN, INFINITY, 655.36};
    static const int widths[] = {319, 1601, 0, -900, 1 << 30};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        begin_scene(7, 14, 7, widths[i]);
        check_refused("pixels wide: 320..1600 are possible");
    }
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        begin_scene(7, 14, 7, 900);
        scene.cells.delay = delays[i];
        check_refused("s per frame: 0.02..655.35 are possible");
    }
    begin_scene(0, 0, 1, 900);
    scene.rows[2].count = 0;
    check_refused("no cells");
    begin_scene(7, 14, 0, 900);
    check_refused("no cells");
    begin_scene(1000, 0, 1000, 900);
    check_refused("1000 cells in a line do not fit into 900 pixels");
    begin_scene(SIZE_MAX / 4, 0, SIZE_MAX / 4, 900);
    check_refused("do not fit into 900 pixels");
    begin_scene(1000, 0, 1, 900);
    check_refused("1001 cells need a picture more than 4096 pixels high");
    begin_scene(SIZE_MAX / 4, 9, 10, 900);
    check_refused("more than 4096 pixels high");
}

static void test_full_disk(void)
{
    struct dlq_error error = {0};
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL)
        return;
    setvbuf(full, NULL, _IONBF, 0);
    begin_scene(7, 14, 7, 900);
    set_frame(0);
    CHECK_INT(dlq_cells_begin(&scene.cells, full, &error), DLQ_FAILURE);
    CHECK_INT(dlq_cells_frame(&scene.cells, &scene.frame, full, &error), DLQ_FAILURE);
    CHECK_INT(error.count, 2);
    fclose(full);
}

static const struct test_case cases[] = {
    {"layout", test_layout},
    {"ink", test_ink},
    {"texts", test_cell_texts},
    {"remarks", test_remarks},
    {"hostile texts", test_hostile},
    {"missing texts", test_missing_texts},
    {"errors", test_errors},
    {"full disk", test_full_disk},
    {NULL, NULL},
};
const struct test_suite suite_cells = {"cells", cases};
