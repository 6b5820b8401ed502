#include "gantt_script.h"

/* Sizes: rows of loaders with a queue and a trainer, and many spans. */
enum { LOADERS_MOST = 256 };
static char labels[LOADERS_MOST][32];
static struct dlq_track rows[LOADERS_MOST + 2];
static const double times[] = {0, 1, 2, 5}, levels[] = {0, 3, 17, 4};
static const struct dlq_span lone = {0.5, 5.5, DLQ_SPAN_WORK, 0x44aa99, "batch 7"};

static struct dlq_gantt loaders(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        snprintf(labels[i], sizeof labels[i], "loader %zu", i + 1);
        rows[i] = (struct dlq_track){.label = labels[i], .spans = &lone, .count = 1, .weight = 1};
    }
    rows[count] =
        (struct dlq_track){.label = "queue", .time = times, .lower = levels, .count = 4, .weight = 4, .apart = true};
    rows[count + 1] = (struct dlq_track){.label = "trainer", .spans = &lone, .count = 1, .weight = 1.5, .apart = true};
    return (struct dlq_gantt){.title = "title",
                              .subtitle = "subtitle",
                              .from = 0,
                              .to = 6,
                              .tracks = rows,
                              .count = count + 2,
                              .names = {"work", "stall", NULL, NULL}};
}

/* Height in pixels of the letters of a label; NAN: not drawn. */
static double letters(const char *script, const char *text, const struct dlq_canvas *canvas)
{
    char start[96];
    char *quoted = dlq_gnuplot_quote(text);
    snprintf(start, sizeof start, "set label %s at screen ", quoted);
    free(quoted);
    const char *line = script_line(script, start), *font = line == NULL ? NULL : strstr(line, "font ',");
    return font == NULL ? NAN : strtod(font + 7, NULL) / (strcmp(canvas->format, "svg") == 0 ? 1 : 0.75);
}

/* How many labels of loaders are drawn; none may touch another, the queue's or the trainer's. */
static size_t check_labels(const char *script, size_t count, const struct dlq_canvas *canvas)
{
    double last = NAN;
    size_t drawn = 0;
    for (size_t i = 0; i < count + 2; i++) {
        double x, y, em = letters(script, rows[i].label, canvas);
        if (!script_label_of(script, rows[i].label, &x, &y))
            continue;
        CHECK(em >= 7.9, "%s at %dx%d: letters of %g pixels", rows[i].label, canvas->width, canvas->height, em);
        CHECK(isnan(last) || (last - y) * canvas->height > 0.9 * em, "%s at %dx%d: %g pixels below another of %g",
              rows[i].label, canvas->width, canvas->height, (last - y) * canvas->height, em);
        last = y;
        drawn += i < count ? 1 : 0;
    }
    return drawn;
}

static void test_rows(void)
{
    static const struct dlq_canvas canvases[] = {{1600, 900, "png"}, {640, 400, "png"},  {3000, 1600, "png"},
                                                 {800, 600, "svg"},  {1600, 900, "pdf"}, {700, 1400, "png"}};
    static const size_t counts[] = {1, 2, 7, 24, 40, 64, 100};
    for (size_t c = 0; c < sizeof canvases / sizeof *canvases; c++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            struct dlq_gantt gantt = loaders(counts[i]);
            char *script = gantt_script(&gantt, &canvases[c]);
            size_t drawn = check_labels(script, counts[i], &canvases[c]);
            struct script_box plot = script_plot(script);
            CHECK(counts[i] > 24 || drawn == counts[i], "%zu of %zu labels", drawn, counts[i]);
            CHECK(drawn >= 6 || drawn == counts[i], "%zu of %zu labels", drawn, counts[i]);
            CHECK(plot.right - plot.left > 0.6 && plot.top - plot.bottom > 0.4, "a plot of %g x %g",
                  plot.right - plot.left, plot.top - plot.bottom);
            script_draws(script, &canvases[c], "rows");
            free(script);
        }
}

/* Where rows are thin, every 2nd, 4th, ... is labeled: those with round numbers. */
static void test_every(void)
{
    struct dlq_gantt gantt = loaders(64);
    char *script = gantt_script(&gantt, &design);
    size_t every = 64 / check_labels(script, 64, &design);
    CHECK(every >= 2 && every <= 8, "every %zu-th", every);
    for (size_t i = 0; i < 64; i++) {
        double x, y;
        bool drawn = script_label_of(script, labels[i], &x, &y);
        CHECK(drawn == ((i + 1) % every == 0), "%s: %d", labels[i], drawn);
    }
    free(script);
}

/* Thin rows of all kinds of weights are no group: labels that would touch are left out one by one. */
static void test_uneven(void)
{
    struct dlq_gantt gantt = loaders(100);
    for (size_t i = 0; i < 100; i++)
        rows[i].weight = 1 + 0.01 * (double)i;
    char *script = gantt_script(&gantt, &design);
    size_t drawn = check_labels(script, 100, &design);
    CHECK(drawn > 20 && drawn < 80, "%zu of 100 labels", drawn);
    free(script);
}

/* At the height that is asked for, every row has its label, and it is no larger than it must be. */
static void test_height(void)
{
    static const int widths[] = {640, 1000, 1600, 3000};
    static const size_t counts[] = {1, 7, 24, 64, 128};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            struct dlq_gantt gantt = loaders(counts[i]);
            int usual = widths[w] * 9 / 16, height = dlq_gantt_height(&gantt, widths[w], usual);
            struct dlq_canvas canvas = {widths[w], height, "png"};
            char *script = gantt_script(&gantt, &canvas);
            CHECK(height >= usual && height <= usual + 4000, "%d high for %zu loaders", height, counts[i]);
            CHECK(counts[i] > 7 || height == usual, "%d high for %zu loaders", height, counts[i]);
            CHECK_INT(check_labels(script, counts[i], &canvas), counts[i]);
            double pitch = gantt_height(script) / ((double)counts[i] + 5.5);
            double scale = fmax(0.72, widths[w] / 1600.0);
            CHECK(pitch > 12.7 * scale && (height == usual || pitch < 14.5 * scale),
                  "%zu loaders at %d: %g pixels each", counts[i], widths[w], pitch);
            free(script);
        }
    static struct dlq_track many[3000];
    struct dlq_gantt gantt = {.from = 0, .to = 1, .tracks = many, .count = 3000};
    CHECK_INT(dlq_gantt_height(&gantt, 1600, 900), 8192);
    CHECK_INT(dlq_gantt_height(&gantt, 100, 900), 900);
    gantt.count = 0;
    CHECK_INT(dlq_gantt_height(&gantt, 1600, 900), 900);
}

/* Every label of m's stands within the picture. */
static void check_inside(const char *script, const struct dlq_canvas *canvas)
{
    static const char start[] = "set label \"m";
    double per = strcmp(canvas->format, "svg") == 0 ? 1 : 0.75;
    size_t count = 0;
    for (const char *line = script_line(script, start); line != NULL; line = script_line(strchr(line, '\n'), start)) {
        size_t length = strspn(line + strlen(start) - 1, "m");
        const char *at = strstr(line, " at screen "), *font = strchr(at, '\'');
        double x = strtod(at + 11, NULL), em = strtod(strchr(font, ',') + 1, NULL) / per;
        double width = dlq_glyph_width(line + strlen(start) - 1, length, em) / canvas->width;
        const char *align = strchr(strchr(at, ','), ' ');
        bool left = strncmp(align, " left", 5) == 0, right = strncmp(align, " right", 6) == 0;
        x -= left ? 0 : right ? width : 0.5 * width;
        CHECK(x >= 0 && x + width <= 1, "%zu letters from %g to %g", length, x, x + width);
        count++;
    }
    CHECK(count >= 8, "%zu labels", count);
}

static void test_long_texts(void)
{
    static char name[400];
    static const struct dlq_canvas canvases[] = {{1600, 900, "png"}, {640, 480, "png"}, {320, 320, "svg"}};
    memset(name, 'm', sizeof name - 1);
    for (size_t c = 0; c < sizeof canvases / sizeof *canvases; c++) {
        struct dlq_span spans[] = {{0, 3, DLQ_SPAN_WORK, 0, name}, {3, 6, DLQ_SPAN_STALL, 0, name}};
        struct dlq_track tracks[] = {{.label = name, .heading = true},
                                     {.label = name, .spans = spans, .count = 2},
                                     {.label = name, .time = times, .lower = levels, .count = 4}};
        struct dlq_gantt gantt = {name, name, 0, 6, tracks, 3, {name, name, name, name}, name, name, name};
        char *script = gantt_script(&gantt, &canvases[c]);
        struct script_box plot = script_plot(script);
        CHECK(plot.left < 0.35 && plot.right - plot.left > 0.5, "plot %g to %g", plot.left, plot.right);
        CHECK(strstr(script, "m\\342\\200\\246\"") != NULL, "no ellipsis");
        check_inside(script, &canvases[c]);
        script_draws(script, &canvases[c], "long texts");
        free(script);
    }
}

/* Boxes stand on the axis of the levels, and the highest ends within the plot. */
static void check_level_map(const char *script, double base, double most)
{
    static const char start[] = ":1:2:(";
    const char *map = strstr(script, start);
    char *after = NULL;
    CHECK(map != NULL, "no levels");
    if (map == NULL)
        return;
    double bottom = strtod(map + strlen(start), &after);
    double unit = *after == '-' ? strtod(after + 1, &after) : NAN;
    CHECK(strncmp(after, "*(column(3)+column(4))):(", 25) == 0, "both levels: %.40s", after);
    CHECK(strstr(map, "*column(3)):(") != NULL, "the first level is not on the axis");
    CHECK_REL(bottom, base, 1e-6);
    CHECK(unit > 0 && bottom - unit * most >= 0 && bottom - unit * fmax(1, most) < 0.2 * base,
          "levels up to %g: %g below the top, %g each", most, bottom, unit);
}

/* Two to four tics at whole numbers, the axis' own; the boxes of the levels end within the track. */
static void test_level_tics(void)
{
    static const double tops[] = {0, 0.4, 1, 2, 3, 4, 7, 8, 12, 31, 64, 99, 1000, 123456};
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
        double upper[] = {0, 0, tops[i], 0};
        struct dlq_track track = {.label = "queue", .time = times, .upper = upper, .count = 4};
        struct dlq_gantt gantt = {.from = 0, .to = 6, .tracks = &track, .count = 1};
        char *script = gantt_script(&gantt, &design);
        double x, y, zero;
        size_t tics = 0;
        for (int value = 0; value <= (tops[i] > 1 ? tops[i] : 1); value++) {
            char text[64];
            snprintf(text, sizeof text, value >= 1000 ? "%d,%03d" : "%d", value >= 1000 ? value / 1000 : value,
                     value % 1000);
            tics += script_label_of(script, text, &x, &y) && x < script_plot(script).left ? 1 : 0;
        }
        CHECK(tics >= 2 && tics <= 4, "%zu tics for levels up to %g", tics, tops[i]);
        CHECK(script_label_of(script, "0", &x, &zero), "no zero");
        struct gantt_lines axes = gantt_lines(script, "axes", 3);
        CHECK_INT(axes.count, 2);
        CHECK_ABS(gantt_y(script, axes.line[1].row), zero, 1.5 / design.height);
        check_level_map(script, axes.line[1].row, tops[i]);
        free(axes.line);
        free(script);
    }
}

static void test_units(void)
{
    static const struct {
        double from, to;
        const char *label, *tic;
    } cases[] = {{0, 6, "Time (s)", "\"6\" 6"},
                 {0, 0.6, "Time (ms)", "\"600\" 0.6"},
                 {0, 6e-5, "Time (\xc2\xb5s)", "\"60\" 6e-05"},
                 {0, 600, "Time (min)", "\"10\" 600"},
                 {0, 36000, "Time (h)", "\"10\" 36000"},
                 {600, 606, "Time (s)", "\"606\" 606"},
                 {5, 5.01, "Time (s)", "\"5.010\" 5.01"},
                 {-2, 0.5, "Time (s)", "\"-2.0\" -2"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x, y, middle = 0.5 * (cases[i].from + cases[i].to);
        struct dlq_span span = {middle, cases[i].to, DLQ_SPAN_STALL, 0, "x"};
        struct dlq_track track = {.label = "a", .spans = &span, .count = 1};
        struct dlq_gantt gantt = {.from = cases[i].from, .to = cases[i].to, .tracks = &track, .count = 1};
        char *script = gantt_script(&gantt, &design);
        struct gantt_lines lines = gantt_kind(script, DLQ_SPAN_STALL);
        CHECK(script_label_of(script, cases[i].label, &x, &y), "case %zu lacks %s", i, cases[i].label);
        CHECK(strstr(script_shown(script_line(script, "set xtics (")), cases[i].tic) != NULL, "case %zu: %.200s", i,
              script_shown(script_line(script, "set xtics (")));
        CHECK_INT(lines.count, 1);
        CHECK_REL(lines.line[0].from, middle, 1e-13);
        free(lines.line);
        script_draws(script, &design, cases[i].label);
        free(script);
    }
}

static struct dlq_span *many_spans(size_t count, double to)
{
    struct dlq_span *spans = calloc(count, sizeof *spans);
    for (size_t i = 0; i < count; i++) {
        double step = to / (double)count;
        enum dlq_span_kind kind = i % 17 == 3 ? DLQ_SPAN_STALL : i % 29 == 5 ? DLQ_SPAN_OVERHEAD : DLQ_SPAN_WORK;
        spans[i] = (struct dlq_span){(double)i * step, ((double)i + 0.5) * step, kind, (unsigned)(i % 5), "x"};
    }
    return spans;
}

/* Up to so many spans each is drawn; of more, as many as fit; the note tells how many there were. */
static void test_many(void)
{
    static const struct {
        size_t count;
        const char *note;
    } cases[] = {{DLQ_GANTT_SPANS, NULL},
                 {DLQ_GANTT_SPANS + 1, "10,001 spans; those narrower than a pixel are joined"},
                 {200000, "200,000 spans; those narrower than a pixel are joined"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct dlq_span *spans = many_spans(cases[c].count, 6);
        struct dlq_track track = {.label = "loader 1", .spans = spans, .count = cases[c].count, .weight = 1};
        struct dlq_gantt gantt = {.from = 0, .to = 6, .tracks = &track, .count = 1, .note = "simulated"};
        char *script = gantt_script(&gantt, &design);
        size_t drawn = 0;
        double sum = 0, x, y;
        for (enum dlq_span_kind kind = 0; kind < DLQ_SPAN_KINDS; kind++) {
            struct gantt_lines lines = gantt_kind(script, kind);
            for (size_t i = 0; i < lines.count; i++) {
                sum += lines.line[i].to - lines.line[i].from;
                CHECK(kind != DLQ_SPAN_WORK || (lines.line[i].joined == 1) == (cases[c].note != NULL), "line %zu", i);
            }
            drawn += lines.count;
            free(lines.line);
        }
        CHECK_REL(sum, 3, 1e-6);
        CHECK(cases[c].note == NULL ? drawn == cases[c].count : drawn < 3200, "%zu of %zu drawn", drawn,
              cases[c].count);
        CHECK(script_label_of(script, "simulated", &x, &y), "no note");
        CHECK(cases[c].note == NULL ? strstr(script, "joined") == NULL : script_label_of(script, cases[c].note, &x, &y),
              "%zu spans: not said", cases[c].count);
        CHECK(strstr(script, "set label \"x\"") == NULL, "labels where nothing fits");
        script_draws(script, &design, "many");
        free(script);
        free(spans);
    }
}

/* Many rows of many spans are joined in wider columns, and many levels to two per pixel. */
static void test_far_too_many(void)
{
    enum { ROWS = 64, COUNT = 4000, STEPS = 30000 };
    static double time[STEPS], lower[STEPS];
    struct dlq_span *spans = many_spans(COUNT, 6);
    struct dlq_gantt gantt = loaders(ROWS);
    size_t drawn = 0;
    double x, y;
    for (size_t i = 0; i < ROWS; i++) {
        rows[i].spans = spans;
        rows[i].count = COUNT;
    }
    for (size_t i = 0; i < STEPS; i++) {
        time[i] = 6.0 * (double)i / STEPS;
        lower[i] = (double)(i * 7 % 5);
    }
    rows[ROWS].time = time;
    rows[ROWS].lower = lower;
    rows[ROWS].count = STEPS;
    char *script = gantt_script(&gantt, &design);
    for (enum dlq_span_kind kind = 0; kind < DLQ_SPAN_KINDS; kind++) {
        struct gantt_lines lines = gantt_kind(script, kind);
        drawn += lines.count;
        free(lines.line);
    }
    CHECK(drawn > 10000 && drawn <= 4 * DLQ_GANTT_SPANS + ROWS, "%zu of 256001 drawn", drawn);
    struct gantt_lines steps = gantt_lines(script, "levels_64", 4);
    CHECK(steps.count > 2000 && steps.count < 3200, "%zu levels", steps.count);
    free(steps.line);
    CHECK(script_label_of(script,
                          "256,001 spans; those narrower than 4 pixels are joined \xc2\xb7 30,000 levels; least and "
                          "largest within a pixel are drawn",
                          &x, &y),
          "not said");
    script_draws(script, &design, "far too many");
    free(script);
    free(spans);
}

/* Of too many labels those of stalls stay, and the others in rows from top to bottom. */
static void test_too_many_texts(void)
{
    enum { ROWS = 500, EACH = 12 };
    static struct dlq_span loads[EACH];
    static struct dlq_track tracks[ROWS + 1];
    static const struct dlq_span stall = {0, 6, DLQ_SPAN_STALL, 0, "stall 6 s"};
    static const struct dlq_canvas canvas = {1600, 8192, "svg"};
    for (int i = 0; i < EACH; i++)
        loads[i] = (struct dlq_span){0.5 * i, 0.5 * (i + 1), DLQ_SPAN_WORK, 0x332288, "b"};
    for (int i = 0; i < ROWS; i++)
        tracks[i] = (struct dlq_track){.label = "loader", .spans = loads, .count = EACH, .weight = 1};
    tracks[ROWS] = (struct dlq_track){.label = "trainer", .spans = &stall, .count = 1, .weight = 1.6};
    const struct dlq_gantt gantt = {.title = "many", .to = 6, .tracks = tracks, .count = ROWS + 1};
    char *script = gantt_script(&gantt, &canvas);
    double x, y, last = 1;
    int texts = 0;
    for (const char *at = script; (at = strstr(at, "set label \"b\" at screen ")) != NULL; at++, texts++)
        last = fmin(last, strtod(strchr(at, ',') + 1, NULL));
    CHECK(texts > 1000 && texts <= 3000, "%d labels", texts);
    struct script_box plot = script_plot(script);
    CHECK(last < plot.bottom + 0.02 * (plot.top - plot.bottom), "the last label is at %g, the last row at %g", last,
          plot.bottom);
    CHECK(script_label_of(script, "stall 6 s", &x, &y), "the stall has no label");
    free(script);
}

/* A long number at the end of the axis does not leave the page; a short one stays. */
static void test_last_tic(void)
{
    static const struct {
        double from, to;
        const char *label;
        bool shown;
    } ends[] = {{12345, 12345.1, "\"12,345.10\"", false},
                {12345, 12345.1, "\"12,345.09\"", true},
                {0, 6, "\"6\"", true},
                {100, 100.1, "\"100.10\"", true}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const struct dlq_span span = {ends[i].from, ends[i].to, DLQ_SPAN_WORK, 0x332288, NULL};
        const struct dlq_track track = {.label = "loader 1", .spans = &span, .count = 1, .weight = 1};
        const struct dlq_gantt gantt = {
            .title = "far", .from = ends[i].from, .to = ends[i].to, .tracks = &track, .count = 1};
        char *script = gantt_script(&gantt, &design);
        CHECK((strstr(script, ends[i].label) != NULL) == ends[i].shown, "row %zu: %s", i, ends[i].label);
        free(script);
    }
}

static const struct test_case cases[] = {{"rows and sizes", test_rows},
                                         {"every k-th label", test_every},
                                         {"uneven rows", test_uneven},
                                         {"height", test_height},
                                         {"long texts", test_long_texts},
                                         {"tics of levels", test_level_tics},
                                         {"units", test_units},
                                         {"many spans", test_many},
                                         {"far too many", test_far_too_many},
                                         {"too many labels", test_too_many_texts},
                                         {"the last tic", test_last_tic},
                                         {NULL, NULL}};
const struct test_suite suite_gantt_sheet = {"gantt_sheet", cases};
