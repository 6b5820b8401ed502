#include "gantt_script.h"

#include "dlqueue/palette.h"

/* Two loaders, their queue, their trainer; 6 s. */
static const struct dlq_span first_loads[] = {{-1, 1.9, DLQ_SPAN_WORK, 0x332288, "batch 0"},
                                              {1.9, 3.7, DLQ_SPAN_WORK, 0x332288, "batch 2"},
                                              {3.7, 3.72, DLQ_SPAN_OVERHEAD, 0, "collation"},
                                              {3.8, 9, DLQ_SPAN_WORK, 0x332288, "batch 4"}};
static const struct dlq_span second_loads[] = {{0.1, 2.12345678901, DLQ_SPAN_WORK, 0x88ccee, "batch 1"},
                                               {2.2, 2.25, DLQ_SPAN_WORK, 0x88ccee, "batch 3"},
                                               {6, 7, DLQ_SPAN_WORK, 0x88ccee, "never seen"}};
static const struct dlq_span steps[] = {{0, 1.9, DLQ_SPAN_STALL, 0, "stall 1.9 s"},
                                        {1.9, 2.4, DLQ_SPAN_BARRIER, 0, "barrier"},
                                        {2.4, 2.5, DLQ_SPAN_WORK, 0x332288, "0"},
                                        {2.5, 2.51, DLQ_SPAN_STALL, 0, "stall 10 ms"},
                                        {5.5, 8, DLQ_SPAN_STALL, 0, "stall 2.5 s"}};
static const double times[] = {0, 1.9, 2.12, 2.4, 5.9}, ready[] = {0, 1, 2, 1, 3}, held[] = {0, 0, 1, 1, 0};
static const struct dlq_track tracks[] = {
    {.label = "rank 0", .heading = true, .weight = 0.8},
    {.label = "loader 1", .spans = first_loads, .count = 4, .weight = 1},
    {.label = "loader 2", .spans = second_loads, .count = 3, .weight = 1},
    {.label = "queue", .time = times, .lower = ready, .upper = held, .count = 5, .weight = 2, .apart = true},
    {.label = "trainer", .spans = steps, .count = 5, .weight = 1.5, .apart = true}};
static const struct dlq_gantt standard = {.title = "Two loaders cannot feed a 100 ms step",
                                          .subtitle = "first 6 s \xc2\xb7 load 1.9 s",
                                          .from = 0,
                                          .to = 6,
                                          .tracks = tracks,
                                          .count = 5,
                                          .names = {"work", "waits for data", "waits for ranks", "overhead"},
                                          .lower_name = "ready",
                                          .upper_name = "held",
                                          .note = "simulated"};

/* What is drawn of the track `row` in the order of the spans. */
static void check_row(const char *script, size_t row, const struct dlq_span *spans, size_t count)
{
    size_t next[DLQ_SPAN_KINDS] = {0};
    struct gantt_lines lines[DLQ_SPAN_KINDS];
    for (enum dlq_span_kind kind = 0; kind < DLQ_SPAN_KINDS; kind++)
        lines[kind] = gantt_kind(script, kind);
    for (size_t i = 0; i < count; i++) {
        const struct gantt_lines *found = &lines[spans[i].kind];
        size_t *at = &next[spans[i].kind];
        if (spans[i].from >= 6)
            continue;
        while (*at < found->count && found->line[*at].row != (double)row)
            ++*at;
        CHECK(*at < found->count, "span %zu of row %zu is not drawn", i, row);
        if (*at >= found->count)
            continue;
        const struct gantt_line *line = &found->line[(*at)++];
        CHECK_REL(line->from, fmax(spans[i].from, 0), 1e-13);
        CHECK_REL(line->to, fmin(spans[i].to, 6), 1e-13);
        CHECK(line->low >= 0 && line->high > line->low + 10 && line->high <= gantt_height(script), "box %g to %g",
              line->low, line->high);
        CHECK_INT(line->color, spans[i].color);
        CHECK_INT(line->joined, 0);
    }
    for (enum dlq_span_kind kind = 0; kind < DLQ_SPAN_KINDS; kind++) {
        for (size_t i = next[kind]; i < lines[kind].count; i++)
            CHECK(lines[kind].line[i].row != (double)row, "a span of kind %d too many in row %zu", (int)kind, row);
        free(lines[kind].line);
    }
}

static void test_data(void)
{
    char *script = gantt_script(&standard, &design);
    CHECK(script_foreign(script) == NULL, "foreign: %.80s", script_shown(script_foreign(script)));
    check_row(script, 1, first_loads, 4);
    check_row(script, 2, second_loads, 3);
    check_row(script, 4, steps, 5);
    struct gantt_lines levels = gantt_lines(script, "levels_3", 4);
    CHECK_INT(levels.count, 5);
    for (size_t i = 0; i < levels.count; i++) {
        CHECK_REL(levels.line[i].from, times[i], 1e-13);
        CHECK_REL(levels.line[i].to, i < 4 ? times[i + 1] : 6, 1e-13);
        CHECK_REL(levels.line[i].row, ready[i], 0);
        CHECK_REL(levels.line[i].low, held[i], 0);
    }
    free(levels.line);
    CHECK(strstr(script, "set output") == NULL, "the script writes a file itself");
    CHECK(strstr(script, "joined") == NULL && strstr(script, "are drawn") == NULL, "joined for nothing");
    script_draws(script, &design, "standard");
    free(script);
}

/* Top and bottom of the boxes in a row. */
static void row_box(const char *script, size_t row, double *low, double *high)
{
    *low = *high = NAN;
    for (enum dlq_span_kind kind = 0; kind < DLQ_SPAN_KINDS; kind++) {
        struct gantt_lines lines = gantt_kind(script, kind);
        for (size_t i = 0; i < lines.count; i++)
            if (lines.line[i].row == (double)row) {
                CHECK(isnan(*low) || (*low == lines.line[i].low && *high == lines.line[i].high), "row %zu", row);
                *low = lines.line[i].low;
                *high = lines.line[i].high;
            }
        free(lines.line);
    }
}

/* From top to bottom, with room above what stands apart; each label at the left, at the height of its boxes. */
static void test_places(void)
{
    static const size_t rows[] = {1, 2, 4};
    char *script = gantt_script(&standard, &design);
    struct script_box plot = script_plot(script);
    double low[3], high[3], x, y, heading_y;
    for (size_t i = 0; i < 3; i++) {
        row_box(script, rows[i], &low[i], &high[i]);
        CHECK(script_label_of(script, tracks[rows[i]].label, &x, &y), "no label of row %zu", rows[i]);
        CHECK(fabs(y - gantt_y(script, 0.5 * (low[i] + high[i]))) < 1.0 / design.height, "row %zu: label at %g",
              rows[i], y);
        CHECK(x < plot.left && x > 0.5 * plot.left, "label at %g beside a plot at %g", x, plot.left);
    }
    CHECK(low[1] > high[0] && low[2] > high[1], "rows overlap");
    CHECK_REL(high[0] - low[0], high[1] - low[1], 1e-12);
    CHECK(script_label_of(script, "queue", &x, &y), "no label of the queue");
    CHECK(y < gantt_y(script, high[1]) && y > gantt_y(script, low[2]), "queue at %g", y);
    char *quoted = dlq_gnuplot_quote("rank 0");
    CHECK(script_label(script, quoted, &x, &heading_y), "no heading");
    free(quoted);
    CHECK(heading_y > gantt_y(script, low[0]) && heading_y <= plot.top, "heading at %g", heading_y);
    CHECK(strstr(script, "'DejaVu Sans:Bold,") != NULL, "the heading is not bold");
    struct dlq_track together[5];
    struct dlq_gantt gantt = standard;
    memcpy(together, tracks, sizeof together);
    together[3].apart = together[4].apart = false;
    gantt.tracks = together;
    char *closer = gantt_script(&gantt, &design);
    double close_low, close_high;
    row_box(closer, 1, &close_low, &close_high);
    CHECK(close_high - close_low > high[0] - low[0], "the gaps take no room");
    free(closer);
    free(script);
}

/* A drawn span label stands inside of its span; one that does not fit is not drawn. */
static void test_texts(void)
{
    static const struct {
        const char *text;
        double from, to;
        size_t row;
        bool fits, center;
        const char *color;
    } cases[] = {{"batch 0", 0, 1.9, 1, true, false, "#ffffff"},
                 {"batch 2", 1.9, 3.7, 1, true, false, "#ffffff"},
                 {"batch 4", 3.8, 6, 1, true, false, "#ffffff"},
                 {"batch 1", 0.1, 2.12345678901, 2, true, false, "#000000"},
                 {"batch 3", 2.2, 2.25, 2, false, false, ""},
                 {"never seen", 0, 0, 2, false, false, ""},
                 {"collation", 0, 0, 1, false, false, ""},
                 {"stall 1.9 s", 0, 1.9, 4, true, true, "#cc3311"},
                 {"stall 10 ms", 0, 0, 4, false, true, ""},
                 {"stall 2.5 s", 5.5, 6, 4, false, true, ""}, /* what is left of it is too short */
                 {"barrier", 1.9, 2.4, 4, true, true, "#7a5900"}};
    char *script = gantt_script(&standard, &design);
    struct dlq_page page = {.canvas = &design, .scale = 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x, y, low, high, width = dlq_page_width(&page, 14, cases[i].text) / design.width;
        bool found = script_label_of(script, cases[i].text, &x, &y);
        CHECK(found == cases[i].fits, "%s: drawn %d", cases[i].text, found);
        if (!found || !cases[i].fits)
            continue;
        row_box(script, cases[i].row, &low, &high);
        double left = gantt_x(script, cases[i].from), right = gantt_x(script, cases[i].to);
        CHECK_ABS(y, gantt_y(script, 0.5 * (low + high)), 1.0 / design.height);
        CHECK(cases[i].center ? fabs(x - 0.5 * (left + right)) < 1e-6 : x > left && x - left < 10.0 / design.width,
              "%s at %g in %g to %g", cases[i].text, x, left, right);
        CHECK((cases[i].center ? x + 0.5 * width : x + width) < right, "%s leaves its span", cases[i].text);
        char *quoted = dlq_gnuplot_quote(cases[i].text);
        const char *line = strstr(script, quoted);
        char color[32];
        snprintf(color, sizeof color, "textcolor rgb '%s'\n", cases[i].color);
        CHECK(line != NULL && strstr(line, "textcolor") != NULL &&
                  strncmp(strstr(line, "textcolor"), color, strlen(color)) == 0,
              "%s has not the color %s", cases[i].text, cases[i].color);
        free(quoted);
    }
    free(script);
}

static const char fitted[] = "batch 12345";

/* Whether a span that long has its label; its pixels. */
static bool labeled(const struct dlq_canvas *canvas, enum dlq_span_kind kind, double length, double *pixels)
{
    struct dlq_span span = {0.3, 0.3 + length, kind, 0x117733, fitted};
    struct dlq_track track = {.label = "loader 1", .spans = &span, .count = 1, .weight = 1};
    struct dlq_gantt gantt = {.from = 0, .to = 2, .tracks = &track, .count = 1};
    char *script = gantt_script(&gantt, canvas);
    struct script_box plot = script_plot(script);
    double x, y;
    bool drawn = script_label_of(script, fitted, &x, &y);
    *pixels = length / 2 * (plot.right - plot.left) * canvas->width;
    free(script);
    return drawn;
}

/* Labels that just fit, and just do not. */
static void test_fit(void)
{
    static const struct dlq_canvas canvases[] = {{1600, 900, "png"}, {640, 480, "svg"}, {3000, 1600, "pdf"}};
    for (size_t c = 0; c < sizeof canvases / sizeof *canvases; c++)
        for (enum dlq_span_kind kind = DLQ_SPAN_WORK; kind < DLQ_SPAN_KINDS; kind++) {
            struct dlq_page page;
            double length = 0.002, pixels = 0;
            while (length < 1 && !labeled(&canvases[c], kind, length, &pixels))
                length *= 1.04;
            dlq_page_open(&page, &canvases[c], NULL, NULL);
            double width = dlq_page_width(&page, 14, fitted);
            CHECK(length < 1 && pixels > width && pixels < 1.6 * width,
                  "canvas %zu, kind %d: %g pixels for a text of %g", c, (int)kind, pixels, width);
            for (int i = 1; i < 20; i++)
                CHECK(labeled(&canvases[c], kind, length + 0.03 * i, &pixels), "none in a longer span of %g", length);
        }
}

/* Hatches in two directions on a tint; names and swatches above the plot. */
static void test_looks(void)
{
    char *script = gantt_script(&standard, &design);
    struct script_box plot = script_plot(script);
    const char *const names[] = {"work", "waits for data", "waits for ranks", "overhead", "ready", "held"};
    double x, y, subtitle, last = 0;
    CHECK(script_label_of(script, standard.subtitle, &x, &subtitle), "no subtitle");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK(script_label_of(script, names[i], &x, &y), "%s: not in the key", names[i]);
        CHECK(y > plot.top && y < subtitle && x > last, "%s: at %g %g", names[i], x, y);
        last = x;
    }
    const char *plotted = script_line(script, "plot $axes");
    CHECK(plotted != NULL, "no plot");
    CHECK(strstr(script_shown(plotted), "lc rgb '#cc3311' fs transparent pattern 4 border") != NULL, "stall");
    CHECK(strstr(script_shown(plotted), "lc rgb '#b8860b' fs transparent pattern 5 border") != NULL, "barrier");
    CHECK(strstr(script_shown(plotted), "lc rgb '#888888' fs solid") != NULL, "overhead");
    CHECK(strstr(script, "front fc rgb '#cc3311' fs transparent pattern 4") != NULL, "no hatch in the key");
    CHECK(strstr(script, "front fc rgb '#b8860b' fs transparent pattern 5") != NULL, "no hatch in the key");
    CHECK(script_label_of(script, "Time (s)", &x, &y) && y < plot.bottom, "no label of the axis");
    CHECK_ABS(x, 0.5 * (plot.left + plot.right), 1e-6);
    double note;
    CHECK(script_label_of(script, "simulated", &x, &note), "no note");
    CHECK(note < y && note > 0.01, "note at %g", note);
    free(script);
    struct dlq_gantt gantt = standard;
    memset(gantt.names, 0, sizeof gantt.names);
    gantt.lower_name = gantt.upper_name = gantt.note = NULL;
    script = gantt_script(&gantt, &design);
    CHECK(script_plot(script).top > plot.top && script_plot(script).bottom < plot.bottom, "no room gained");
    CHECK(!script_label_of(script, "held", &x, &y), "a key that nobody asked for");
    free(script);
}

/* Names that don't fit into one row of the key take more, and the plot makes room for them. */
static void test_rows_of_the_key(void)
{
    static const char *const names[] = {"a name that is rather long, and goes on for a while",
                                        "another one that is no shorter than the one before",
                                        "a third one, so that there is no room in the row for it",
                                        "a fourth one, for which the second row has no room"};
    struct dlq_gantt gantt = standard;
    memset(gantt.names, 0, sizeof gantt.names);
    memcpy(gantt.names, names, 4 * sizeof *names);
    gantt.lower_name = gantt.upper_name = NULL;
    char *script = gantt_script(&gantt, &design), *single;
    memset(gantt.names + 1, 0, 3 * sizeof *names);
    single = gantt_script(&gantt, &design);
    double x[4], y[4];
    for (size_t i = 0; i < 4; i++)
        CHECK(script_label_of(script, names[i], &x[i], &y[i]), "%s: not in the key", names[i]);
    double row = y[0] - y[3];
    CHECK(row > 0.02, "all in one row");
    for (size_t i = 1; i < 4; i++)
        CHECK((fabs(y[i] - y[i - 1]) < 1e-9 && x[i] > x[i - 1]) || (y[i - 1] - y[i] > 0.02 && fabs(x[i] - x[0]) < 1e-9),
              "entry %zu at %g %g, behind %g %g", i, x[i], y[i], x[i - 1], y[i - 1]);
    CHECK_ABS(script_plot(single).top - script_plot(script).top, row, 1e-3);
    free(script);
    free(single);
}

/* Whatever is on the axis, gnuplot takes the script. */
static void test_little(void)
{
    static const struct dlq_span past = {1, 2, DLQ_SPAN_WORK, 1, "past"}, stall = {11, 12, DLQ_SPAN_STALL, 0, NULL};
    static const double time[] = {30}, level[] = {2}, low[] = {1e-3}, high[] = {1e9};
    static const double early[] = {3};
    const struct dlq_track cases[] = {{.label = "nothing"},
                                      {.label = NULL, .spans = &past, .count = 1, .weight = NAN},
                                      {.label = "", .spans = &stall, .count = 1, .weight = -1},
                                      {.label = "later", .time = time, .lower = level, .count = 1},
                                      {.label = "none", .time = time, .lower = level},
                                      {.label = "small", .time = early, .lower = low, .count = 1},
                                      {.label = "large", .time = early, .upper = high, .count = 1},
                                      {.label = "a heading alone", .heading = true}};
    static const char *const formats[] = {"png", "svg", "pdf"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t f = 0; f < 3; f++) {
            struct dlq_canvas canvas = {700, 400, formats[f]};
            struct dlq_gantt gantt = {.from = 10, .to = 20, .tracks = &cases[i], .count = 1};
            char *script = gantt_script(&gantt, &canvas);
            CHECK(script_foreign(script) == NULL, "foreign: %.80s", script_shown(script_foreign(script)));
            CHECK(strstr(script, "nan") == NULL && strstr(script, "inf") == NULL, "case %zu: not a number", i);
            script_draws(script, &canvas, cases[i].label == NULL ? "null" : cases[i].label);
            free(script);
        }
}

static void test_hostile(void)
{
    static const char *const texts[] = {"`touch owned`", "a\nsystem(\"touch owned\")",    "END_OF_DATA\n!touch owned",
                                        "%d %s %%",      "\xff\xc0\x80 \xf0\x9f\x98\x80", "{/=2000 X}\\",
                                        "'''a''\"b$@c",  "\xe2\x80\xae reversed",         "$work << END_OF_DATA"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = texts[i];
        struct dlq_canvas canvas = {800, 600, i % 3 == 0 ? "png" : i % 3 == 1 ? "svg" : "pdf"};
        struct dlq_span spans[] = {{0, 2, DLQ_SPAN_WORK, 0x332288, text},
                                   {2, 4, DLQ_SPAN_STALL, 0, text},
                                   {4, 5, DLQ_SPAN_BARRIER, 0, text},
                                   {5, 6, DLQ_SPAN_OVERHEAD, 0, text}};
        struct dlq_track hostile[] = {{.label = text, .heading = true},
                                      {.label = text, .spans = spans, .count = 4},
                                      {.label = text, .time = times, .lower = ready, .count = 5}};
        struct dlq_gantt gantt = {text, text, 0, 6, hostile, 3, {text, text, text, text}, text, text, text};
        char *script = gantt_script(&gantt, &canvas);
        CHECK(script_foreign(script) == NULL, "text %zu: %.80s", i, script_shown(script_foreign(script)));
        script_draws(script, &canvas, text);
        free(script);
    }
    FILE *owned = fopen("owned", "r");
    CHECK(owned == NULL, "a command of a label ran");
    if (owned != NULL)
        fclose(owned);
}

static void test_errors(void)
{
    static const struct dlq_canvas small = {319, 900, "png"}, large = {1600, 8193, "png"}, gif = {1600, 900, "gif"};
    static const double ends[][2] = {{6, 6},        {6, 5},          {NAN, 6},       {0, NAN},   {-INFINITY, 6},
                                     {0, INFINITY}, {-1e308, 1e308}, {1, 1 + 1e-12}, {0, 1e-300}};
    struct dlq_gantt gantt = standard;
    CHECK_REFUSED(dlq_gantt_script(&gantt, &small, stream, &error), "319x900");
    CHECK_REFUSED(dlq_gantt_script(&gantt, &large, stream, &error), "1600x8193");
    CHECK_REFUSED(dlq_gantt_script(&gantt, &gif, stream, &error), "png, svg or pdf");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        gantt.from = ends[i][0];
        gantt.to = ends[i][1];
        CHECK_REFUSED(dlq_gantt_script(&gantt, &design, stream, &error), "a chart");
    }
    gantt = standard;
    gantt.count = 0;
    CHECK_REFUSED(dlq_gantt_script(&gantt, &design, stream, &error), "no tracks");
    static struct dlq_track many[2000];
    gantt.tracks = many;
    gantt.count = 2000;
    CHECK_REFUSED(dlq_gantt_script(&gantt, &design, stream, &error),
                  "too small for 2000 tracks (it may be at most 8192 high)");
    gantt.count = 350;
    CHECK_REFUSED(dlq_gantt_script(&gantt, &design, stream, &error),
                  "too small for 350 tracks (they can be read when it is ");
}

/* Memory for so many bytes, a full disk. */
static void test_broken_stream(void)
{
    static char bytes[8192];
    for (size_t room = 1; room < sizeof bytes; room += 1300) {
        struct dlq_error broken = {0};
        FILE *stream = fmemopen(bytes, room, "w");
        setvbuf(stream, NULL, _IOFBF, 512);
        CHECK_INT(dlq_gantt_script(&standard, &design, stream, &broken), DLQ_FAILURE);
        CHECK(strstr(broken.text, "cannot write") != NULL, "'%s'", broken.text);
        fclose(stream);
    }
    struct dlq_error error = {0};
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL)
        return;
    CHECK_INT(dlq_gantt_script(&standard, &design, full, &error), DLQ_FAILURE);
    fclose(full);
}

static const struct test_case cases[] = {{"each span and level is drawn", test_data},
                                         {"places", test_places},
                                         {"labels of spans", test_texts},
                                         {"where labels fit", test_fit},
                                         {"looks and key", test_looks},
                                         {"rows of the key", test_rows_of_the_key},
                                         {"little to draw", test_little},
                                         {"hostile texts", test_hostile},
                                         {"errors", test_errors},
                                         {"broken streams", test_broken_stream},
                                         {NULL, NULL}};
const struct test_suite suite_gantt = {"gantt", cases};
