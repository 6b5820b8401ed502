/* Frames of a timeline as text: exact, at every width and height, with color and without. */
#include "cli/frame_text.h"
#include "cli/pen.h"
#include "study/made_timelines.h"

#include <limits.h>
#include <stdlib.h>

static struct dlq_timeline_subject subject_of(const struct dlq_timeline *timeline)
{
    return (struct dlq_timeline_subject){.timeline = timeline, .name = "made", .title = "Two loaders", .subtitle = ""};
}

/* The frame as an owned text; *lines of it. */
static char *text_of(const struct dlq_frame *frame, size_t *lines)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    *lines = dlq_frame_text(stream, frame);
    fclose(stream);
    return text;
}

static char *text_at(enum made made, double time, int columns, size_t rows, bool color, const char *footer)
{
    struct dlq_timeline_subject subject = subject_of(made_timelines[made]);
    struct dlq_scene scene = {0};
    size_t lines;
    CHECK_INT(dlq_timeline_at(made_timelines[made], 0, time, &scene, NULL), DLQ_OK);
    const struct dlq_frame frame = {&subject, &scene, columns, rows, color, footer};
    char *text = text_of(&frame, &lines);
    dlq_scene_free(&scene);
    return text;
}

#define HEAD(t, until, batches, idle) "Two loaders\nt = " t " s of " until " s   " batches "   idle " idle "\n"

static void exact_texts(void)
{
    static const struct {
        enum made made;
        double time;
        const char *text;
    } rows[] = {
        {ORDERED, 0,
         HEAD("0.00", "6.00", "0 batches", "-") "loader 1 [----------] batch 0  0.00\n"
                                                "loader 2 [----------] batch 1  0.00\n"
                                                "queue    0 ready\n"
                                                "trainer  waits for batch 0 of loader 1\n"},
        {ORDERED, 1.0625,
         HEAD("1.06", "6.00", "0 batches", "100 %") "loader 1 [#---------] batch 2  0.06\n"
                                                    "loader 2 [####------] batch 1  0.35\n"
                                                    "queue    0 ready\n"
                                                    "trainer  [----------] receives batch 0\n"},
        {ORDERED, 2.75,
         HEAD("2.75", "6.00", "1 batch", "82 %") "loader 1 [----------] idle\n"
                                                 "loader 2 [#########-] batch 1  0.91\n"
                                                 "queue    0 ready, 2 held behind batch 1  ==\n"
                                                 "trainer  STALLED 1.12 s: waits for batch 1 of "
                                                 "loader 2\n"},
        {ORDERED, 3.0625,
         HEAD("3.06", "6.00", "1 batch", "84 %") "loader 1 [----------] idle\n"
                                                 "loader 2 [#---------] batch 3  0.12\n"
                                                 "queue    1 ready, 1 held behind batch 3  #=\n"
                                                 "trainer  [----------] receives batch 1\n"},
        {ORDERED, 4.875,
         HEAD("4.88", "6.00", "4 batches", "59 %") "loader 1 [----------] idle\n"
                                                   "loader 2 [####------] batch 5  0.39\n"
                                                   "queue    0 ready, 1 held behind batch 5  =\n"
                                                   "trainer  [----------] receives batch 4\n"},
        {ORDERED, 5.5,
         HEAD("5.50", "6.00", "5 batches", "55 %") "loader 1 [----------] idle\n"
                                                   "loader 2 [######----] batch 5  0.57\n"
                                                   "queue    0 ready, 1 held behind batch 5  =\n"
                                                   "trainer  waits for batch 5 of loader 2\n"},
        {UNORDERED, 5.5,
         HEAD("5.50", "6.25", "2 batches", "18 %") "loader 1 [#####-----] batch 6  0.50\n"
                                                   "loader 2 [######----] batch 3  0.60\n"
                                                   "queue    2 ready  ##\n"
                                                   "trainer  [########--] batch 4\n"},
        {UNORDERED, 0.5,
         HEAD("0.50", "6.25", "0 batches", "100 %") "loader 1 [#####-----] batch 0  0.50\n"
                                                    "loader 2 [#---------] batch 1  0.12\n"
                                                    "queue    0 ready\n"
                                                    "trainer  STALLED 0.50 s: waits for the next "
                                                    "batch\n"},
        {SERIAL, 0.5,
         HEAD("0.50", "4.50", "0 batches", "100 %") "loading  [#####-----] batch 0  0.50\n"
                                                    "queue    0 ready\n"
                                                    "trainer  waits for batch 0\n"},
        {LOGGED, 1.5,
         HEAD("1.50", "5.00", "10 batches", "100 %") "loader 1 [----------] idle\n"
                                                     "loader 2 [#######---] batch 1  0.66\n"
                                                     "queue    0 ready\n"
                                                     "trainer  BARRIER 0.25 s: has batch 0, waits for "
                                                     "other ranks\n"},
        {LONE, 2.5, HEAD("2.50", "3.00", "1 batch", "45 %") "trainer  [####------] batch 1\n"},
        {LONE, 3, HEAD("3.00", "3.00", "2 batches", "38 %") "trainer  done: the record ends\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = text_at(rows[i].made, rows[i].time, 100, 0, false, NULL);
        CHECK(strcmp(text, rows[i].text) == 0, "row %zu: \n%s\nis not\n%s", i, text, rows[i].text);
        free(text);
    }
}

/* Printed columns of the longest line; escape sequences take none. *lines: how many. */
static int measure(const char *text, size_t *lines)
{
    int widest = 0, width = 0;
    *lines = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '\033') {
            at += strcspn(at, "m");
        } else if (*at == '\n') {
            widest = width > widest ? width : widest;
            width = 0;
            ++*lines;
        } else {
            width += ((unsigned char)*at & 0xc0) != 0x80 ? 1 : 0;
        }
    }
    return width > widest ? width : widest;
}

/* Without its escape sequences. */
static void strip(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0'; at++)
        if (*at == '\033')
            at += strcspn(at, "m");
        else
            *to++ = *at;
    *to = '\0';
}

/* Many loaders, and ranks of them, all of them loading. */
static char *many_text(size_t workers, size_t ranks, int columns, size_t rows, bool color, const char *title)
{
    struct dlq_timeline_rank *all = calloc(ranks, sizeof *all);
    struct dlq_scene *scenes = calloc(ranks, sizeof *scenes);
    struct dlq_scene_loader *loaders = calloc(workers + 1, sizeof *loaders);
    struct dlq_scene_batch queue[40];
    struct dlq_timeline_batch last = {.index = (long)workers - 1};
    struct dlq_timeline timeline = {.in_order = true,
                                    .loaders = (long)workers,
                                    .workers = (long)workers,
                                    .until = 60,
                                    .stall_above = 1,
                                    .rank_count = ranks,
                                    .ranks = all};
    struct dlq_timeline_subject subject = {.timeline = &timeline, .name = "made", .title = title};
    for (size_t w = 0; w < workers; w++)
        loaders[w] = (struct dlq_scene_loader){DLQ_LOADER_LOADING, (long)w, 0.5};
    for (long i = 0; i < 40; i++)
        queue[i] = (struct dlq_scene_batch){i, i, i > 20};
    for (size_t r = 0; r < ranks; r++) {
        all[r] = (struct dlq_timeline_rank){.number = (long)r, .count = 1, .batches = &last};
        scenes[r] = (struct dlq_scene){.time = 30,
                                       .loader_count = workers,
                                       .loaders = loaders,
                                       .queue_count = 40,
                                       .queue = queue,
                                       .trainer = r % 2 == 0 ? DLQ_TRAINER_STEPS : DLQ_TRAINER_WAITS,
                                       .since = 20,
                                       .progress = 0.5};
    }
    const struct dlq_frame frame = {&subject, scenes, columns, rows, color, "q quits"};
    size_t lines;
    char *text = text_of(&frame, &lines);
    free(all);
    free(scenes);
    free(loaders);
    return text;
}

/* Whatever the terminal's size: nothing wider, nothing higher, the footer last; colors change nothing else. */
static void every_size(void)
{
    static const struct {
        size_t workers, ranks;
    } runs[] = {{1, 1}, {8, 1}, {17, 1}, {64, 1}, {1000, 1}, {0, 1}, {4, 2}, {40, 3}, {16, 4}, {8, 100}};
    static const int columns[] = {1, 7, 20, 39, 40, 80, 81, 200};
    static const size_t heights[] = {0, 1, 2, 3, 5, 8, 24, 60};
    for (size_t i = 0; i < sizeof runs / sizeof *runs * 64; i++) {
        int width = columns[i / 8 % 8];
        size_t height = heights[i % 8], lines;
        const char *title = i % 3 == 0 ? "Waits, und zwar für Daten: \xe2\x89\xa5 40 %" : "a";
        char *plain = many_text(runs[i / 64].workers, runs[i / 64].ranks, width, height, false, title);
        char *colored = many_text(runs[i / 64].workers, runs[i / 64].ranks, width, height, true, title);
        int widest = measure(plain, &lines);
        CHECK(widest <= width && (height == 0 || lines <= height), "run %zu, %d x %zu: %d x %zu", i / 64, width, height,
              widest, lines);
        CHECK(strchr(plain, '\033') == NULL, "run %zu: escapes", i);
        strip(colored);
        CHECK(strcmp(plain, colored) == 0, "run %zu: '%s' is not '%s'", i, colored, plain);
        CHECK(width < 7 || (height == 1) || strcmp(plain + strlen(plain) - 8, "q quits\n") == 0,
              "run %zu, %d x %zu: no footer", i / 64, width, height);
        free(plain);
        free(colored);
    }
}

/* What finds no room is counted; many loaders stand side by side. */
static void many_loaders(void)
{
    static const struct {
        size_t workers, ranks;
        int columns;
        size_t rows;
        const char *has, *has_not;
    } runs[] = {
        {16, 1, 100, 0, "\nloader 16 [#####-----] batch 15  0.50\n", "batch 0   0.50   l"},
        {17, 1, 100, 0, "\nloader 1  [#####-----] batch 0   0.50   loader 10 [#####-----] batch 9   0.50\n", "more"},
        {17, 1, 60, 0, "\nloader 17 ", "   loader 10"},
        {64, 1, 100, 24, "\n... and 28 more\nqueue", "loader 37"},
        {64, 1, 200, 24, "   loader 64 ", "more"},
        {8, 1, 100, 10, "   loader 5", "more"},
        {8, 1, 30, 10, "\n... and 4 more\nqueue ", "loader 5"},
        {8, 1, 100, 6, "\n... and 8 more\nqueue", "loader 1"},
        {8, 1, 100, 5, "idle 0 %\nqueue", "loader 1"},
        {8, 3, 100, 10, "\nrank 2  8 of 8 loaders busy", "\nloader"},
        {4, 2, 100, 0, "\nrank 1\nloader 1 ", "rank 2"},
        {4, 3, 100, 24, "\nrank 2\nloader 1 ", "more"},
        {4, 4, 100, 0, "\nrank 3  4 of 4 loaders busy   21 ready  STALLED 10.0 s: waits for batch 0 of loader 1\n",
         "\nloader 1"},
        {4, 4, 100, 0, "\nrank 0  4 of 4 loaders busy   21 ready  [#####-----] batch 0\nrank 1", "more"},
        {4, 100, 100, 24, "\n... and 80 more\nq quits\n", "rank 20 "},
        {0, 5, 100, 24, "\nrank 2  [#####-----] batch 0\n", "busy"},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char *text = many_text(runs[i].workers, runs[i].ranks, runs[i].columns, runs[i].rows, false, "many");
        CHECK(strstr(text, runs[i].has) != NULL && strstr(text, runs[i].has_not) == NULL, "row %zu: \n%s", i, text);
        free(text);
    }
}

static int distance_of(int number, unsigned color)
{
    static const int levels[] = {0, 95, 135, 175, 215, 255};
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        static const int places[] = {36, 6, 1};
        int value = number < 232 ? levels[(number - 16) / places[i] % 6] : 8 + 10 * (number - 232);
        int apart = value - (int)(color >> (16 - 8 * i) & 255);
        sum += apart * apart;
    }
    return sum;
}

/* xterm's 256 colors: 16 + 36 r + 6 g + b with levels 0, 95, 135, 175, 215, 255; 232 + n is gray 8 + 10 n. */
static void nearest_colors(void)
{
    static const struct {
        unsigned color;
        int number;
    } rows[] = {{0x000000, 16},  {0xffffff, 231}, {0xff0000, 196}, {0x5f87af, 67},  {0x808080, 244}, {0x888888, 102},
                {0x080808, 232}, {0xeeeeee, 255}, {0x332288, 54},  {0x88ccee, 117}, {0x44aa99, 72},  {0xcc3311, 166}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(dlq_pen_nearest(rows[i].color) == rows[i].number, "%06x: %d", rows[i].color,
              dlq_pen_nearest(rows[i].color));
    for (unsigned i = 0; i < 4000; i++) {
        unsigned color = i * 2654435761U >> 8;
        int number = dlq_pen_nearest(color), least = INT_MAX;
        for (int k = 16; k < 256; k++)
            least = distance_of(k, color) < least ? distance_of(k, color) : least;
        CHECK(distance_of(number, color) == least, "%06x: %d is %d away, not %d", color, number,
              distance_of(number, color), least);
    }
}

/* Names come from files. */
static void controls_are_shown(void)
{
    static const struct {
        const char *title, *line;
    } rows[] = {{"a\033[2Jb\n\tc", "a?[2Jb??c\n"},
                {"a\xc2\x9bzb", "a?zb\n"},
                {"\x9bz", "?z\n"},
                {"caf\xc3\xa9 \xe2\x89\xa5", "caf\xc3\xa9 \xe2\x89\xa5\n"},
                {"cut\xc3", "cut\xc3\n"},
                {"", "made\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = many_text(1, 1, 40, 0, true, rows[i].title);
        strip(text);
        CHECK(strncmp(text, rows[i].line, strlen(rows[i].line)) == 0, "row %zu: '%.20s'", i, text);
        free(text);
    }
}

static void colors_of_loaders(void)
{
    char *text = text_at(ORDERED, 2.75, 100, 0, true, "q quits");
    CHECK(strstr(text, "\033[1mTwo loaders\033[0m\n") != NULL, "no bold title: %s", text);
    CHECK(strstr(text, "[\033[38;5;117m#########\033[0m\033[2m-\033[0m] batch 1") != NULL, "no colored bar: %s", text);
    CHECK(strstr(text, "\033[38;5;166mSTALLED 1.12 s") != NULL, "no colored stall: %s", text);
    free(text);
}

static const struct test_case cases[] = {
    {"exact texts", exact_texts},
    {"every size", every_size},
    {"many loaders", many_loaders},
    {"nearest colors", nearest_colors},
    {"controls are shown", controls_are_shown},
    {"colors of loaders", colors_of_loaders},
    {NULL, NULL},
};

const struct test_suite suite_frame_text = {"frame_text", cases};
