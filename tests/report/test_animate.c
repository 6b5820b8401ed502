#include "harness.h"

#include "draw/gif_show.h"
#include "draw/gnuplot.h"
#include "draw/scratch.h"
#include "report/animate.h"
#include "report/scene_cells.h"

/* -- rows -- */

static void test_plans(void)
{
    static const struct {
        long loaders, workers, window;
        size_t ranks;
        struct dlq_moment_plan plan;
        const char *labels;
    } rows[] = {
        {7, 7, 14, 1, {7, 14, 7, false, true}, "loaders queue trainer "},
        {7, 7, 13, 1, {7, 13, 7, false, true}, "loaders queue trainer "},
        {7, 7, 14, 4, {7, 14, 7, false, false}, "loaders queue trainer "},
        {1, 1, 2, 1, {1, 2, 2, false, true}, "loader queue trainer "},
        {1, 1, -1, 1, {1, 16, 8, false, true}, "loader queue trainer "},
        {3, 3, 6, 1, {3, 6, 6, false, true}, "loaders queue trainer "},
        {4, 4, 8, 1, {4, 8, 8, false, true}, "loaders queue trainer "},
        {5, 5, 10, 1, {5, 10, 5, false, true}, "loaders queue trainer "},
        {16, 16, 32, 1, {16, 32, 16, false, true}, "loaders queue trainer "},
        {17, 17, 0, 1, {17, 18, 9, false, false}, "loaders queue trainer "},
        {24, 24, 48, 1, {24, 24, 12, false, false}, "loaders queue trainer "},
        {64, 64, 128, 1, {64, 32, 16, false, false}, "loaders queue trainer "},
        {65, 65, 130, 1, {65, 44, 22, false, false}, "loaders queue trainer "},
        {4096, 4096, -1, 4, {128, 64, 32, false, false}, "loaders queue trainer "},
        {8, 1, 3, 1, {1, 3, 3, false, true}, "loader queue trainer "},
        {0, 1, 1, 1, {1, 0, 1, true, true}, "loader trainer "},
        {0, 0, 0, 1, {0, 0, 1, false, true}, "trainer "},
        {7, 0, 14, 1, {0, 0, 1, false, true}, "trainer "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_timeline timeline = {
            .loaders = rows[i].loaders, .workers = rows[i].workers, .window = rows[i].window};
        struct dlq_cell_row cell_rows[4 * DLQ_SCENE_ROWS];
        struct dlq_moment_plan plan;
        char labels[64] = "";
        dlq_moment_plan_set(&timeline, rows[i].ranks, &plan);
        CHECK_INT(plan.loaders, rows[i].plan.loaders);
        CHECK_INT(plan.places, rows[i].plan.places);
        CHECK_INT(plan.columns, rows[i].plan.columns);
        CHECK(plan.serial == rows[i].plan.serial && plan.numbers == rows[i].plan.numbers, "row %zu: %d %d", i,
              plan.serial, plan.numbers);
        size_t count = 0;
        for (size_t rank = 0; rank < rows[i].ranks; rank++)
            count += dlq_moment_plan_rows(&plan, &cell_rows[count]);
        for (size_t k = 0, used = 0; k < count / rows[i].ranks; k++)
            used += (size_t)snprintf(labels + used, sizeof labels - used, "%s ", cell_rows[k].label);
        CHECK_TEXT(labels, rows[i].labels);
        struct dlq_cells cells = {"title", 900, 0.1, cell_rows, count, plan.columns};
        struct dlq_error error = {0};
        FILE *script = tmpfile();
        CHECK(dlq_cells_begin(&cells, script, &error) == DLQ_OK, "row %zu: %s", i, error.text);
        CHECK(dlq_cells_height(&cells) < 1200, "row %zu: %d pixels high", i, dlq_cells_height(&cells));
        fclose(script);
    }
}

/* -- cells -- */

static struct dlq_moment_plan usual_plan = {3, 4, 4, false, true};

static void check_cell(const struct dlq_cell *cell, enum dlq_cell_kind kind, unsigned color, double share,
                       const char *text, int line)
{
    test_check(cell->kind == kind, line, __FILE__, "kind %d instead of %d", cell->kind, kind);
    test_check(kind == DLQ_CELL_EMPTY || cell->color == color, line, __FILE__, "%06x instead of %06x", cell->color,
               color);
    test_check_near(cell->share, share, 1e-12, false, line, __FILE__, "share");
    test_check_text(cell->text, text, line, __FILE__, "text");
}

static void test_loaders(void)
{
    struct dlq_moment_loader loaders[] = {{DLQ_LOADER_LOADING, 5, 0.7391},
                                          {DLQ_LOADER_IDLE, -1, NAN},
                                          {DLQ_LOADER_LOADING, 7, NAN},
                                          {DLQ_LOADER_LOADING, 8, 0.1},
                                          {DLQ_LOADER_LOADING, 9, 0.1}};
    struct dlq_moment scene = {.loader_count = 5, .loaders = loaders, .trainer = DLQ_TRAINER_DONE, .worker = -1};
    struct dlq_moment_plan plan = usual_plan;
    struct dlq_moment_cells cells;
    CHECK_INT(dlq_moment_cells_new(&plan, &cells, NULL), DLQ_OK);
    CHECK_INT(cells.row_count, 3);
    dlq_moment_cells_fill(&plan, &scene, &cells);
    check_cell(&cells.rows[0][0], DLQ_CELL_FILLING, dlq_palette_worker(0), 0.7391, "0.7", __LINE__);
    check_cell(&cells.rows[0][1], DLQ_CELL_EMPTY, 0, 0, "", __LINE__);
    check_cell(&cells.rows[0][2], DLQ_CELL_FILLING, dlq_palette_worker(2), 0, "0.0", __LINE__);
    check_cell(&cells.rows[1][0], DLQ_CELL_EMPTY, 0, 0, "", __LINE__);
    check_cell(&cells.rows[2][0], DLQ_CELL_EMPTY, 0, 0, "", __LINE__);
    CHECK_TEXT(cells.remarks[0], "+2");
    CHECK_TEXT(cells.remarks[2], "");
    plan.numbers = false;
    loaders[0].progress = 1.5;
    loaders[2].state = DLQ_LOADER_IDLE;
    scene.loader_count = 3;
    dlq_moment_cells_fill(&plan, &scene, &cells);
    check_cell(&cells.rows[0][0], DLQ_CELL_FILLING, dlq_palette_worker(0), 1, "", __LINE__);
    check_cell(&cells.rows[0][2], DLQ_CELL_EMPTY, 0, 0, "", __LINE__);
    CHECK_TEXT(cells.remarks[0], "");
    dlq_moment_cells_free(&cells);
}

static void test_queue(void)
{
    struct dlq_moment_batch queue[1300] = {
        {2, 11, false}, {-1, 12, false}, {1, 14, true}, {0, 15, true}, {0, 16, true}};
    struct dlq_moment scene = {.queue = queue, .trainer = DLQ_TRAINER_STEPS, .worker = 1, .index = 10};
    static const struct {
        size_t count;
        const char *remark;
    } rows[] = {{0, ""}, {1, ""}, {4, ""}, {5, "+1"}, {16, "+12"}, {1300, "+1,296"}};
    struct dlq_moment_cells cells;
    CHECK_INT(dlq_moment_cells_new(&usual_plan, &cells, NULL), DLQ_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene.queue_count = rows[i].count;
        dlq_moment_cells_fill(&usual_plan, &scene, &cells);
        for (size_t k = 0; k < usual_plan.places; k++)
            CHECK((cells.rows[1][k].kind == DLQ_CELL_EMPTY) == (k >= rows[i].count), "%zu in the queue: place %zu",
                  rows[i].count, k);
        CHECK_TEXT(cells.remarks[1], rows[i].remark);
    }
    check_cell(&cells.rows[1][0], DLQ_CELL_FULL, dlq_palette_worker(2), 0, "", __LINE__);
    check_cell(&cells.rows[1][1], DLQ_CELL_FULL, DLQ_PALETTE_OVERHEAD, 0, "", __LINE__);
    check_cell(&cells.rows[1][2], DLQ_CELL_HELD, dlq_palette_worker(1), 0, "", __LINE__);
    check_cell(&cells.rows[1][3], DLQ_CELL_HELD, dlq_palette_worker(0), 0, "", __LINE__);
    dlq_moment_cells_free(&cells);
}

static void test_trainer(void)
{
    static const struct {
        enum dlq_trainer_state state;
        enum dlq_cell_kind kind;
        long worker, index;
        double progress;
        double share;
        const char *text, *remark;
    } rows[] = {
        {DLQ_TRAINER_STEPS, DLQ_CELL_FULL, 2, 12, 0.3, 0, "12", ""},
        {DLQ_TRAINER_STEPS, DLQ_CELL_FULL, -1, 0, NAN, 0, "0", ""},
        {DLQ_TRAINER_STEPS, DLQ_CELL_FULL, 1, 9999999, NAN, 0, "9999999", ""},
        {DLQ_TRAINER_STEPS, DLQ_CELL_FULL, 1, 10000000, NAN, 0, "", ""},
        {DLQ_TRAINER_STEPS, DLQ_CELL_FULL, 1, -1, NAN, 0, "", ""},
        {DLQ_TRAINER_RECEIVES, DLQ_CELL_FILLING, 0, 3, 0.25, 0.25, "3", "receives"},
        {DLQ_TRAINER_BARRIER, DLQ_CELL_BARRIER, 0, 3, NAN, 0, "", "waits for other ranks"},
        {DLQ_TRAINER_WAITS, DLQ_CELL_STALL, -1, -1, NAN, 0, "", "STALLED - queue empty"},
        {DLQ_TRAINER_DONE, DLQ_CELL_EMPTY, -1, -1, NAN, 0, "", ""},
    };
    struct dlq_moment_cells cells;
    CHECK_INT(dlq_moment_cells_new(&usual_plan, &cells, NULL), DLQ_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_moment scene = {
            .trainer = rows[i].state, .worker = rows[i].worker, .index = rows[i].index, .progress = rows[i].progress};
        dlq_moment_cells_fill(&usual_plan, &scene, &cells);
        unsigned color = rows[i].worker < 0 ? DLQ_PALETTE_OVERHEAD : dlq_palette_worker(rows[i].worker);
        check_cell(cells.rows[2], rows[i].kind, color, rows[i].share, rows[i].text, __LINE__);
        CHECK_TEXT(cells.remarks[2], rows[i].remark);
    }
    dlq_moment_cells_free(&cells);
}

/* What the trainer waits for, and who has it. */
static void test_stalls(void)
{
    struct dlq_moment_loader loaders[] = {
        {DLQ_LOADER_LOADING, 18, 0.5}, {DLQ_LOADER_LOADING, 17, 0.9}, {DLQ_LOADER_IDLE, 3, NAN}};
    struct dlq_moment_batch ready[] = {{0, 16, false}}, held[] = {{2, 19, true}},
                            both[] = {{2, 16, false}, {2, 17, true}};
    const struct {
        struct dlq_moment_plan plan;
        struct dlq_moment_batch *queue;
        size_t queue_count, loader_count;
        const char *remark;
    } rows[] = {
        {usual_plan, NULL, 0, 3, "STALLED - queue empty"},
        {usual_plan, held, 1, 3, "STALLED - batch 17 is late"},
        {usual_plan, held, 1, 1, "STALLED - batch 18 is late"},
        {usual_plan, held, 1, 0, "STALLED - the next batch is late"},
        {usual_plan, both, 2, 3, "STALLED - the next batch is late"},
        {usual_plan, ready, 1, 3, "STALLED - queue empty"},
        {{1, 0, 1, true, true}, NULL, 0, 1, "STALLED - loads its batch itself"},
        {{0, 0, 1, false, true}, NULL, 0, 0, "STALLED - no data"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_moment scene = {.trainer = DLQ_TRAINER_WAITS,
                                   .worker = -1,
                                   .index = -1,
                                   .queue = rows[i].queue,
                                   .queue_count = rows[i].queue_count,
                                   .loaders = loaders,
                                   .loader_count = rows[i].loader_count};
        struct dlq_moment_cells cells;
        CHECK_INT(dlq_moment_cells_new(&rows[i].plan, &cells, NULL), DLQ_OK);
        dlq_moment_cells_fill(&rows[i].plan, &scene, &cells);
        CHECK_TEXT(cells.remarks[cells.row_count - 1], rows[i].remark);
        CHECK_INT(cells.rows[cells.row_count - 1]->kind, DLQ_CELL_STALL);
        dlq_moment_cells_free(&cells);
    }
}

static void test_counts(void)
{
    static const struct {
        long steps;
        double idle[2];
        size_t ranks;
        const char *text;
    } rows[] = {
        {0, {NAN}, 1, "0 batches trained"},
        {1, {1}, 1, "1 batch trained \xc2\xb7 idle 100 %"},
        {12, {0.4312}, 1, "12 batches trained \xc2\xb7 idle 43 %"},
        {123456, {0}, 1, "123,456 batches trained \xc2\xb7 idle 0 %"},
        {12, {0.4312, 0.5149}, 2, "12 batches trained per rank \xc2\xb7 idle 43 to 51 %"},
        {12, {0.4312, 0.4349}, 2, "12 batches trained per rank \xc2\xb7 idle 43 %"},
        {12, {NAN, 0.4349}, 2, "12 batches trained per rank \xc2\xb7 idle 43 %"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_moment scenes[2] = {{.steps = rows[i].steps, .idle = rows[i].idle[0]},
                                       {.steps = rows[i].steps, .idle = rows[i].idle[1]}};
        char text[160];
        dlq_moment_count(scenes, rows[i].ranks, text, sizeof text);
        CHECK_TEXT(text, rows[i].text);
    }
}

/* -- the whole -- */

enum { BATCHES = 6, MANY_RANKS = 5 };

/* Two loaders of 0.5 s, which take turns, and steps of 0.1 s. */
static void fill_rank(struct dlq_timeline_rank *rank, struct dlq_timeline_batch batches[BATCHES])
{
    double free_at = 0;
    for (int i = 0; i < BATCHES; i++) {
        int turn = i / 2;
        double start = 0.5 * turn, end = start + 0.5, begin = fmax(free_at, end);
        batches[i] = (struct dlq_timeline_batch){.worker = i % 2,
                                                 .index = i,
                                                 .step = i,
                                                 .dispatched = start,
                                                 .load_start = start,
                                                 .load_end = end,
                                                 .ready = end,
                                                 .request = free_at,
                                                 .received = begin,
                                                 .step_begin = begin,
                                                 .step_end = begin + 0.1};
        free_at = begin + 0.1;
    }
    rank->stepped = rank->count = BATCHES;
    rank->batches = batches;
}

static enum dlq_status animate(size_t ranks, double speed, const char *path, volatile sig_atomic_t *interrupted,
                               struct dlq_error *error)
{
    static struct dlq_timeline_batch batches[MANY_RANKS][BATCHES];
    static struct dlq_timeline_rank rows[MANY_RANKS];
    struct dlq_timeline timeline = {.loader = "pytorch",
                                    .in_order = true,
                                    .loaders = 2,
                                    .workers = 2,
                                    .window = 4,
                                    .until = 1.7,
                                    .rank_count = ranks,
                                    .ranks = rows};
    struct dlq_timeline_subject subject = {&timeline, "made", "Made by hand", "by hand", NULL};
    bool no_font = false;
    for (long i = 0; i < MANY_RANKS; i++) {
        rows[i].number = i;
        fill_rank(&rows[i], batches[i]);
    }
    return dlq_animate(&subject, speed, path, interrupted, &no_font, error);
}

static struct dlq_image read_image(const char *path)
{
    static unsigned char bytes[1 << 22];
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL, "no file");
    size_t size = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
    struct dlq_image image = {.bytes = bytes, .size = size};
    if (file != NULL)
        fclose(file);
    return image;
}

/* As long as the run at that speed, and of some colors. */
static void test_animation(void)
{
    static const size_t ranks[] = {1, 2, MANY_RANKS};
    struct scratch scratch;
    char path[SCRATCH_PATH];
    CHECK(scratch_begin(&scratch), "no directory");
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        struct dlq_error error = {0};
        struct gif_show show;
        bool blue = false, pale = false, red = false;
        long delay = 0;
        CHECK(animate(ranks[i], 0.5, scratch_path(&scratch, "a.gif", path), NULL, &error) == DLQ_OK, "%s", error.text);
        struct dlq_image image = read_image(path);
        CHECK(gif_open(&show, &image), "not opened");
        while (gif_next(&show)) {
            delay += gif_control(&show, show.frame).DelayTime;
            for (size_t k = 0; k < gif_area(&show); k++) {
                blue = blue || show.canvas[k] == dlq_palette_worker(0);
                pale = pale || show.canvas[k] == dlq_palette_blend(dlq_palette_worker(1), 0xffffff, 0.25);
                red = red || show.canvas[k] == DLQ_PALETTE_STALL;
            }
        }
        CHECK_INT(delay, 340);
        CHECK(blue && pale && red, "%zu ranks: colors %d %d %d", ranks[i], blue, pale, red);
        CHECK(show.width == 900 && show.height > 200, "%dx%d", show.width, show.height);
        gif_close(&show);
        CHECK_INT(scratch_entries(scratch.path), 1);
    }
    scratch_end(&scratch);
}

static void test_no_animation(void)
{
    static volatile sig_atomic_t interrupted = 1;
    struct scratch scratch;
    char path[SCRATCH_PATH];
    CHECK(scratch_begin(&scratch), "no directory");
    struct dlq_error error = {0};
    scratch_path(&scratch, "a.gif", path);
    CHECK_INT(animate(1, 0.001, path, NULL, &error), DLQ_INVALID);
    CHECK(strstr(error.text, "--speed") != NULL, "%s", error.text);
    CHECK_INT(animate(0, 1, path, NULL, &error), DLQ_INVALID);
    CHECK_INT(animate(1, 1, path, &interrupted, &error), DLQ_INTERRUPTED);
    CHECK_INT(scratch_entries(scratch.path), 0);
    CHECK_INT(animate(1, 1, scratch_path(&scratch, "none/a.gif", path), NULL, &error), DLQ_FAILURE);
    scratch_end(&scratch);
}

static const struct test_case cases[] = {
    {"rows", test_plans},
    {"loaders", test_loaders},
    {"queue", test_queue},
    {"trainer", test_trainer},
    {"stalls", test_stalls},
    {"counts", test_counts},
    {"animation", test_animation},
    {"no animation", test_no_animation},
    {NULL, NULL},
};
const struct test_suite suite_animate = {"animate", cases};
