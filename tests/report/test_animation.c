/* Animations: what each frame shows, the strip of what the trainer did, the pace, and the GIF. */

#include "draw/gnuplot.h"
#include "report/slots.h"
#include "study/models.h"

enum { EMPTY, LOADS, FULL, HELD, STALLED, BARRIER, RECEIVES }; /* of cells, as the template has them */
enum { X, Y, KIND, COLOR, GROUND, INK, SHARE };                /* fields of a cell */
enum { MOST_RANKS = 5 };

static struct slot_rows cells, strip; /* too large for a stack */

static char *script_of(const struct dlq_timeline *timeline, double speed, enum dlq_status expected,
                       struct dlq_error *error)
{
    struct dlq_timeline_summary summaries[MOST_RANKS] = {{0}};
    const struct dlq_timeline_answer answer = {.timeline = *timeline, .title = "Made by hand", .summaries = summaries};
    struct dlq_memory memory;
    long frames = 0;
    dlq_memory_begin(&memory);
    enum dlq_status status = dlq_animation_script(&answer, speed, NULL, memory.stream, &frames, error);
    char *script = dlq_memory_end(&memory);
    CHECK(status == expected, "status %d: %s", status, error->text);
    CHECK(status != DLQ_OK || slot_number(script, "FRAMES") == (double)frames, "%ld frames", frames);
    return script;
}

/* Whether a frame has that remark beside its rows. */
static bool remarks(const char *script, long frame, const char *text)
{
    char begin[64], row[160];
    snprintf(begin, sizeof begin, "\n$TEXTS%ld << END_OF_DATA\n", frame);
    snprintf(row, sizeof row, "\"%s\" ", text);
    const char *block = strstr(script, begin), *found = block != NULL ? strstr(block, row) : NULL;
    return found != NULL && found < strstr(block + strlen(begin), "END_OF_DATA");
}

static void test_rows(void)
{
    static const struct {
        long loaders, workers, window;
        size_t ranks, cells, places, columns;
        bool numbers;
        const char *labels;
    } rows[] = {
        {7, 7, 14, 1, 7, 14, 7, true, "loaders queue trainer so far "},
        {7, 7, 14, 4, 7, 14, 7, true, "loaders queue trainer so far "},
        {1, 1, 2, 1, 1, 2, 2, true, "loader queue trainer so far "},
        {1, 1, -1, 1, 1, 16, 8, true, "loader queue trainer so far "},
        {4, 4, 8, 1, 4, 8, 8, true, "loaders queue trainer so far "},
        {16, 16, 32, 1, 16, 32, 16, true, "loaders queue trainer so far "},
        {17, 17, 0, 1, 17, 32, 16, false, "loaders queue trainer so far "},
        {24, 24, 48, 1, 24, 32, 16, false, "loaders queue trainer so far "},
        {64, 64, 128, 1, 64, 32, 16, false, "loaders queue trainer so far "},
        {65, 65, 130, 1, 65, 64, 32, false, "loaders queue trainer so far "},
        {4096, 4096, -1, 4, 128, 64, 32, false, "loaders queue trainer so far "},
        {8, 1, 3, 1, 1, 3, 3, true, "loader queue trainer so far "},
        {0, 1, 1, 1, 1, 0, 1, true, "loader trainer so far "},
        {0, 0, 0, 1, 0, 0, 1, true, "trainer so far "},
        {7, 0, 14, 2, 0, 0, 1, true, "trainer so far "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_timeline_rank ranks[4] = {{.number = 0}, {.number = 1}, {.number = 2}, {.number = 3}};
        struct dlq_timeline timeline = {.loaders = rows[i].loaders,
                                        .workers = rows[i].workers,
                                        .window = rows[i].window,
                                        .until = 0.2,
                                        .rank_count = rows[i].ranks,
                                        .ranks = ranks};
        struct dlq_error error = {0};
        char labels[256] = "", name[32], text[SLOT_TEXT];
        FREED char *script = script_of(&timeline, 1, DLQ_OK, &error);
        slot_rows(script, "LABELS", &cells);
        size_t count = cells.count;
        double widest = 0;
        for (size_t k = 0, used = 0; k < count; k++) {
            snprintf(name, sizeof name, "LABELS[%zu]", k + 1);
            const char *label = slot_text(script, name, text) + 1;
            used += (size_t)snprintf(labels + used, sizeof labels - used, "%.*s ", (int)strcspn(label, "\""), label);
        }
        CHECK_TEXT(labels, rows[i].labels);
        slot_rows(script, "CELLS1", &cells);
        CHECK(cells.count == rows[i].cells + rows[i].places + 1, "row %zu: %zu cells", i, cells.count);
        for (size_t k = 0; k < cells.count; k++)
            widest = fmax(widest, cells.at[k][X] + 1);
        CHECK(widest == (double)rows[i].columns && widest <= slot_number(script, "COLUMNS"), "row %zu: %g columns", i,
              widest);
        CHECK(slot_number(script, "NUMBERS") == rows[i].numbers, "row %zu: numbers", i);
        CHECK(slot_number(script, "H") < 1400, "row %zu: %g pixels high", i, slot_number(script, "H"));
    }
}

#define BATCH(of, at, a, b, takes, begins, ends)                                                                       \
    {                                                                                                                  \
        .worker = (of), .index = (at), .step = (at), .dispatched = (a), .load_start = (a), .load_end = (b),            \
        .ready = (b), .request = 0, .received = (takes), .step_begin = (begins), .step_end = (ends)                    \
    }

#define MOMENT(name, loaders, workers, window, stepped, count, kind, worker, share, of_loaders, of_queue, remark, ...) \
    {                                                                                                                  \
        name, loaders, workers, window, stepped, count, {__VA_ARGS__}, kind, worker, share, of_loaders, of_queue,      \
            remark                                                                                                     \
    }

/* A frame shows time 0.5 of a timeline from 0 to 1: the trainer's cell and the remarks behind the rows. */
static const struct {
    const char *name;
    long loaders, workers, window;
    size_t stepped, count;
    struct dlq_timeline_batch batches[8];
    int kind;
    long worker;
    double share;
    const char *loaders_remark, *queue_remark, *remark;
} moments[] = {
    MOMENT("steps", 2, 2, 4, 1, 1, FULL, 1, 0, "", "", "trains on batch 0", BATCH(1, 0, 0, 0.2, 0.2, 0.2, 0.9)),
    MOMENT("a worker unknown", 2, 2, 4, 1, 1, FULL, -1, 0, "", "", "trains on batch 0",
           BATCH(-1, 0, 0, 0.2, 0.2, 0.2, 0.9)),
    MOMENT("receives", 2, 2, 4, 1, 1, RECEIVES, 0, 0.25, "", "", "receives batch 0",
           BATCH(0, 0, 0, 0.4, 0.8, 0.8, 0.9)),
    MOMENT("barrier", 2, 2, 4, 1, 1, BARRIER, 0, 0, "", "", "waits for other ranks",
           BATCH(0, 0, 0, 0.4, 0.4, 0.8, 0.9)),
    MOMENT("nothing there", 2, 2, 4, 1, 1, STALLED, 0, 0, "", "", "STALLED - queue empty",
           BATCH(0, 0, 0, 0.8, 0.8, 0.8, 0.9)),
    MOMENT("serial", 0, 1, 1, 1, 1, STALLED, 0, 0, "", "", "STALLED - loads its batch itself",
           BATCH(0, 0, 0, 0.8, 0.8, 0.8, 0.9)),
    MOMENT("no loads recorded", 7, 0, 14, 1, 1, STALLED, -1, 0, "", "", "STALLED - no data",
           BATCH(-1, 0, NAN, NAN, 0.95, 0.95, 0.98)),
    MOMENT("held", 2, 2, 4, 2, 2, STALLED, 0, 0, "", "", "STALLED - batch 0 is late",
           BATCH(0, 0, 0, 0.8, 0.8, 0.8, 0.85), BATCH(1, 1, 0, 0.1, 0.85, 0.85, 0.9)),
    MOMENT("too many", 2, 2, 2, 5, 5, FULL, 0, 0, "", "+2", "trains on batch 0", BATCH(0, 0, 0, 0.2, 0.2, 0.2, 0.9),
           BATCH(1, 1, 0, 0.2, 0.9, 0.9, 0.92), BATCH(0, 2, 0.2, 0.3, 0.92, 0.92, 0.94),
           BATCH(1, 3, 0.2, 0.3, 0.94, 0.94, 0.96), BATCH(1, 4, 0.3, 0.4, 0.96, 0.96, 0.98)),
    MOMENT("many loaders", 5000, 5000, -1, 1, 1, FULL, 0, 0, "+4,872", "", "trains on batch 0",
           BATCH(0, 0, 0, 0.2, 0.2, 0.2, 0.9)),
};

static void test_moments(void)
{
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        struct dlq_timeline_batch batches[8];
        memcpy(batches, moments[i].batches, sizeof batches);
        for (size_t k = 1; k < moments[i].count; k++)
            batches[k].request = batches[k - 1].step_end;
        struct dlq_timeline_rank rank = {.stepped = moments[i].stepped, .count = moments[i].count, .batches = batches};
        struct dlq_timeline timeline = {.in_order = true,
                                        .loaders = moments[i].loaders,
                                        .workers = moments[i].workers,
                                        .window = moments[i].window,
                                        .until = 1,
                                        .receive = 0.4,
                                        .rank_count = 1,
                                        .ranks = &rank};
        struct dlq_error error = {0};
        FREED char *script = script_of(&timeline, 1, DLQ_OK, &error);
        slot_rows(script, "CELLS5", &cells);
        const double *last = cells.at[cells.count - 1];
        unsigned color = moments[i].worker < 0 ? (unsigned)DLQ_PALETTE_OVERHEAD : dlq_palette_worker(moments[i].worker);
        CHECK((int)last[KIND] == moments[i].kind, "%s: kind %g", moments[i].name, last[KIND]);
        CHECK((unsigned)last[COLOR] == color || moments[i].kind == STALLED, "%s: color %g", moments[i].name,
              last[COLOR]);
        CHECK_ABS(last[SHARE], moments[i].share, 1e-9);
        const char *const texts[] = {moments[i].remark, moments[i].loaders_remark, moments[i].queue_remark};
        for (size_t k = 0; k < 3; k++)
            CHECK(texts[k][0] == '\0' || remarks(script, 5, texts[k]), "%s: no '%s'", moments[i].name, texts[k]);
    }
}

/* Two loaders of 0.5 s, which take turns, and steps of 0.1 s; to be freed. */
static struct dlq_timeline made_of(int ranks)
{
    char settings[100];
    snprintf(settings, sizeof settings, "pipeline.loaders=2 pipeline.ranks=%d load.mean=500ms step.mean=100ms", ranks);
    return recorded(settings, 0, 1.7);
}

/* Of the whole run: loads that fill, batches that wait and are held, what the strip says, the words of each frame. */
static void test_frames(void)
{
    struct dlq_timeline timeline = made_of(1);
    struct dlq_error error = {0};
    char *script = script_of(&timeline, 1, DLQ_OK, &error), text[SLOT_TEXT];
    CHECK_INT((long)slot_number(script, "FRAMES"), 17);
    CHECK_TEXT(slot_text(script, "TITLE", text), "Made by hand");
    CHECK_TEXT(slot_text(script, "COUNT[1]", text), "0 batches trained \xc2\xb7 idle 100 %");
    CHECK_TEXT(slot_text(script, "COUNT[6]", text), "1 batch trained \xc2\xb7 idle 83 %");
    CHECK_TEXT(slot_text(script, "COUNT[13]", text), "4 batches trained \xc2\xb7 idle 69 %");
    slot_rows(script, "CELLS3", &cells); /* at 0.3 s */
    for (size_t i = 0; i < 2; i++) {
        CHECK((int)cells.at[i][KIND] == LOADS && fabs(cells.at[i][SHARE] - 0.6) < 1e-9, "loader %zu: %g", i,
              cells.at[i][SHARE]);
        CHECK_INT((unsigned)cells.at[i][COLOR], dlq_palette_worker((long)i));
        CHECK_INT((unsigned)cells.at[i][GROUND], dlq_palette_pale(dlq_palette_worker((long)i), 0.25));
        CHECK_INT((unsigned)cells.at[i][INK], dlq_palette_ink(dlq_palette_worker((long)i)));
    }
    CHECK_INT((int)cells.at[2][KIND], EMPTY);
    CHECK_INT((int)cells.at[6][KIND], STALLED);
    slot_rows(script, "CELLS5", &cells); /* at 0.5 s: the second batch waits while the first is trained on */
    CHECK_INT((int)cells.at[2][KIND], FULL);
    CHECK_INT((int)cells.at[3][KIND], EMPTY);
    slot_rows(script, "STRIP", &strip);
    double sums[3] = {0}, last = 0;
    for (size_t i = 0; i < strip.count; i++) {
        CHECK(fabs(strip.at[i][0] - last) < 1e-9 && strip.at[i][1] > last, "row %zu begins at %g", i, strip.at[i][0]);
        for (size_t k = 0; k < 3; k++)
            sums[k] += (strip.at[i][1] - strip.at[i][0]) * strip.at[i][3 + k];
        last = strip.at[i][1];
    }
    CHECK_ABS(last, 1.7, 1e-9);
    CHECK_ABS(sums[0], 0.6, 1e-6);
    CHECK_ABS(sums[1], 1.1, 1e-6);
    CHECK_ABS(sums[2], 0, 1e-9);
    free(script);
    dlq_timeline_free(&timeline);
    timeline = made_of(MOST_RANKS);
    script = script_of(&timeline, 1, DLQ_OK, &error);
    CHECK_TEXT(slot_text(script, "TITLE", text), "Rank 0 of 5 · Made by hand");
    CHECK_TEXT(slot_text(script, "COUNT[13]", text), "4 batches trained \xc2\xb7 idle 69 %");
    free(script);
    dlq_timeline_free(&timeline);
}

static struct dlq_timeline between(double from, double until)
{
    static struct dlq_timeline_rank rank;
    return (struct dlq_timeline){.from = from, .until = until, .rank_count = 1, .ranks = &rank};
}

static void test_pace(void)
{
    static const struct {
        double from, until, speed;
        long frames, delay;
        const char *first; /* what the clock says */
    } rows[] = {
        {0, 30, 1, 300, 10, "t = 0.10 s"},        {2.5, 6.03, 1, 35, 10, "t = 2.60 s"},
        {0, 0.6, 0.1, 60, 10, "t = 10 ms"},       {0, 75, 1, 300, 25, "t = 0.25 s"},
        {0, 31, 1, 282, 11, "t = 0.11 s"},        {0, 3600, 48, 300, 25, "t = 12 s"},
        {0, 0.25, 1, 2, 10, "t = 125 ms"},        {0, 0.03, 0.005, 60, 10, "t = 0.50 ms"},
        {0, 0.0007, 0.0001, 70, 10, "t = 10 µs"}, {1e6, 1e6 + 30, 1, 300, 10, "t = 1,000,000.10 s"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_timeline timeline = between(rows[i].from, rows[i].until);
        struct dlq_error error = {0};
        char *script = script_of(&timeline, rows[i].speed, DLQ_OK, &error), text[SLOT_TEXT], term[64];
        CHECK_INT((long)slot_number(script, "FRAMES"), rows[i].frames);
        snprintf(term, sizeof term, "TERM = 'gif animate delay %ld loop 0'\n", rows[i].delay);
        CHECK(strstr(script, term) != NULL, "row %zu: not a delay of %ld", i, rows[i].delay);
        CHECK_TEXT(slot_text(script, "CLOCK[1]", text), rows[i].first);
        double scale = rows[i].until >= 1 ? 1 : rows[i].until >= 1e-3 ? 1e3 : 1e6;
        CHECK_REL(slot_number(script, "FROM"), scale * rows[i].from, 1e-9);
        CHECK_REL(slot_number(script, "UNTIL"), scale * rows[i].until, 1e-9);
        free(script);
    }
}

/* What it says to do is allowed. */
static void test_too_long(void)
{
    static const double rows[][3] = {
        {0, 75.1, 1}, {0, 120, 1}, {37, 3636.7, 2.385}, {123456.7, 223456, 7.3}, {0, 0.9, 0.01}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        struct dlq_timeline timeline = between(rows[i][0], rows[i][1]);
        free(script_of(&timeline, rows[i][2], DLQ_INVALID, &error));
        CHECK(strstr(error.text, "at most 75 s (300 frames, 4 a second)") != NULL, "'%s'", error.text);
        const char *advice = strstr(error.text, "(--until ");
        const char *faster = strstr(error.text, "s) or play it faster (--speed ");
        CHECK(advice != NULL && faster != NULL, "'%s'", error.text);
        if (advice == NULL || faster == NULL)
            continue;
        double until = strtod(advice + strlen("(--until "), NULL);
        double speed = strtod(faster + strlen("s) or play it faster (--speed "), NULL);
        free(script_of(&timeline, speed, DLQ_OK, &error));
        CHECK_REL(speed, (rows[i][1] - rows[i][0]) / 75, 1e-4);
        timeline.until = until;
        free(script_of(&timeline, rows[i][2], DLQ_OK, &error));
        CHECK(until - rows[i][0] > 0.95 * 75 * rows[i][2], "until %g is too careful", until);
    }
}

static void test_no_pace(void)
{
    static const double rows[][3] = {{0, 1, 0},        {0, 1, -1}, {0, 1, NAN}, {0, 1, INFINITY},
                                     {0, INFINITY, 1}, {1, 1, 1},  {2, 1, 1},   {NAN, 1, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        struct dlq_timeline timeline = between(rows[i][0], rows[i][1]);
        free(script_of(&timeline, rows[i][2], DLQ_INVALID, &error));
        CHECK(strstr(error.text, i < 4 ? "a speed of " : "nothing to animate between ") != NULL, "'%s'", error.text);
    }
}

static enum dlq_status animate(int ranks, double speed, volatile sig_atomic_t *interrupted, struct dlq_image *image,
                               struct dlq_error *error)
{
    struct dlq_timeline_summary summaries[MOST_RANKS] = {{0}};
    struct dlq_timeline_answer answer = {.timeline = made_of(ranks), .title = "Made by hand", .summaries = summaries};
    enum dlq_status status = dlq_animate(&answer, speed, interrupted, image, error);
    dlq_timeline_free(&answer.timeline);
    return status;
}

/* As long as the run at that speed, repeated: gifsicle, where it is installed, changes no time. */
static void test_animation(void)
{
    for (int ranks = 1; ranks <= MOST_RANKS; ranks += 2) {
        struct dlq_error error = {0};
        struct dlq_image image = {0};
        long delay = 0, repeats = 0;
        CHECK(animate(ranks, 0.5, NULL, &image, &error) == DLQ_OK, "%s", error.text);
        const unsigned char *bytes = image.bytes;
        CHECK(image.size > 10 && dlq_picture_is_whole("gif", bytes, image.size), "%zu bytes", image.size);
        for (size_t i = 0; i + 8 < image.size; i++) { /* graphic control extensions, and the block that repeats */
            bool control = bytes[i] == 0x21 && bytes[i + 1] == 0xf9 && bytes[i + 2] == 4 && bytes[i + 7] == 0;
            delay += control ? bytes[i + 4] | bytes[i + 5] << 8 : 0;
            repeats += memcmp(bytes + i, "TSCAPE2.0", 9) == 0;
        }
        CHECK_INT(delay, 340);
        CHECK_INT(repeats, 1);
        CHECK(image.size > 10 && (bytes[6] | bytes[7] << 8) == 900 && (bytes[8] | bytes[9] << 8) > 200, "page size");
        free(image.bytes);
    }
}

static void test_no_animation(void)
{
    static volatile sig_atomic_t interrupted = 1;
    const struct dlq_timeline none = {.until = 1.7};
    struct dlq_error error = {0};
    struct dlq_image image = {0};
    CHECK_INT(animate(1, 0.001, NULL, &image, &error), DLQ_INVALID);
    CHECK(strstr(error.text, "--speed") != NULL, "%s", error.text);
    CHECK_INT(animate(1, 1, &interrupted, &image, &error), DLQ_INTERRUPTED);
    CHECK_INT(dlq_animate(&(struct dlq_timeline_answer){.timeline = none}, 1, NULL, &image, &error), DLQ_INVALID);
    CHECK(image.bytes == NULL, "an image is left");
}

TEST_SUITE(animation, CASE(test_rows), CASE(test_moments), CASE(test_frames), CASE(test_pace), CASE(test_too_long),
           CASE(test_no_pace), CASE(test_animation), CASE(test_no_animation));
