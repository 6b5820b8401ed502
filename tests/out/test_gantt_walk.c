#include "harness.h"

#include "out/gantt_walk.h"

#include <stdlib.h>

static const struct dlq_gantt_view whole = {10, 20, 0}, columns = {10, 20, 0.5};

/* What a walk gives: "W" work, "S" stall, "B" barrier, "O" overhead; small letters: joined. */
static void check_walk(const char *name, const struct dlq_gantt_view *view, const struct dlq_span *spans, size_t count,
                       const char *kinds, const double *ends, const unsigned *colors)
{
    struct dlq_track track = {.spans = spans, .count = count};
    struct dlq_gantt_walk walk;
    struct dlq_span span;
    size_t i = 0;
    dlq_gantt_walk_begin(&walk, view, &track);
    for (; dlq_gantt_walk_next(&walk, &span) && i < strlen(kinds); i++) {
        CHECK(kinds[i] == (walk.joined ? "wsbo" : "WSBO")[span.kind], "%s: span %zu is of kind %d, joined %d", name, i,
              (int)span.kind, walk.joined);
        CHECK(fabs(span.from - ends[2 * i]) < 1e-12 && fabs(span.to - ends[2 * i + 1]) < 1e-12,
              "%s: span %zu is %.15g to %.15g, not %.15g to %.15g", name, i, span.from, span.to, ends[2 * i],
              ends[2 * i + 1]);
        CHECK(span.kind != DLQ_SPAN_WORK || span.color == colors[i], "%s: span %zu is %06x", name, i, span.color);
        CHECK(!walk.joined || span.label == NULL, "%s: span %zu has a label", name, i);
    }
    CHECK(i == strlen(kinds), "%s: %zu spans", name, i);
    CHECK(!dlq_gantt_walk_next(&walk, &span), "%s: more spans", name);
}

static void test_cut(void)
{
    static const struct dlq_span spans[] = {
        {-INFINITY, 9, DLQ_SPAN_WORK, 1, "before"},   {9, 10, DLQ_SPAN_WORK, 1, "touches"},
        {9.5, 10.25, DLQ_SPAN_STALL, 2, "cut"},       {11, 11, DLQ_SPAN_WORK, 3, "empty"},
        {12, 11.5, DLQ_SPAN_WORK, 3, "backward"},     {NAN, 13, DLQ_SPAN_WORK, 3, "no number"},
        {12, NAN, DLQ_SPAN_WORK, 3, "no number"},     {14, 15, DLQ_SPAN_WORK, 4, NULL},
        {15, 15.5, DLQ_SPAN_KINDS, 4, "no kind"},     {16, 17, DLQ_SPAN_BARRIER, 4, ""},
        {17, 18, DLQ_SPAN_OVERHEAD, 4, NULL},         {19, INFINITY, DLQ_SPAN_WORK, 5, "unfinished"},
        {20, 21, DLQ_SPAN_WORK, 5, "touches the end"}};
    static const double ends[] = {10, 10.25, 14, 15, 16, 17, 17, 18, 19, 20};
    static const unsigned colors[] = {0, 4, 0, 0, 5};
    check_walk("cut", &whole, spans, sizeof spans / sizeof *spans, "SWBOW", ends, colors);
    check_walk("none", &whole, spans, 0, "", ends, colors);
}

/* Columns of 0.5 s from 10 on. */
static void test_join(void)
{
    static const struct dlq_span spans[] = {
        /* one color, with gaps: from the start of the column, as long as both together */
        {10.1, 10.2, DLQ_SPAN_WORK, 1, "a"},
        {10.3, 10.45, DLQ_SPAN_WORK, 1, "b"},
        /* several colors; the last reaches into the next column, where it is alone */
        {10.5, 10.7, DLQ_SPAN_WORK, 1, "c"},
        {10.75, 11.1, DLQ_SPAN_WORK, 2, "d"},
        /* stalls fill most */
        {11.5, 11.6, DLQ_SPAN_WORK, 1, "e"},
        {11.6, 11.9, DLQ_SPAN_STALL, 0, "f"},
        /* long ones stay as they are, and what is short behind them begins where they end */
        {12.25, 12.8, DLQ_SPAN_WORK, 3, "g"},
        {12.8, 12.85, DLQ_SPAN_WORK, 3, "h"},
        {12.9, 12.95, DLQ_SPAN_WORK, 3, "i"},
        /* neighbors of one color become one */
        {14, 14.25, DLQ_SPAN_WORK, 4, "j"},
        {14.25, 14.5, DLQ_SPAN_WORK, 4, "k"},
        {14.5, 14.9, DLQ_SPAN_WORK, 4, "l"},
        {14.9, 15.2, DLQ_SPAN_WORK, 4, "m"},
        {15.2, 15.9, DLQ_SPAN_WORK, 4, "n"},
        {16, 16.1, DLQ_SPAN_OVERHEAD, 0, "o"},
        {16.1, 16.25, DLQ_SPAN_BARRIER, 0, "p"}};
    static const double ends[] = {10,   10.25, 10.5, 10.95, 11,   11.1, 11.5, 11.9, 12.25,
                                  12.8, 12.8,  12.9, 14,    15.2, 15.2, 15.9, 16,   16.25};
    static const unsigned colors[] = {1, DLQ_GANTT_MIXED, 2, 0, 3, 3, 4, 4, 0};
    check_walk("join", &columns, spans, sizeof spans / sizeof *spans, "wwwsWwwWb", ends, colors);
}

/* Seeded, without the C library's generator, whose numbers differ between systems. */
static double draw(unsigned *state)
{
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 8) / 16777216.0;
}

static size_t random_spans(struct dlq_span *spans, size_t most, unsigned seed, double mean, double busy)
{
    double time = -0.3;
    size_t count = 0;
    for (; count < most && time < 1.1; count++) {
        double length = mean * (draw(&seed) < 0.02 ? 40 : 2) * draw(&seed);
        enum dlq_span_kind kind = (enum dlq_span_kind)(int)(4 * draw(&seed));
        spans[count] = (struct dlq_span){time, time + busy * length, kind, (unsigned)(3 * draw(&seed)), "x"};
        time += length;
    }
    return count;
}

/* Time is neither lost nor found: as much as there was, disjoint, ascending, each moment within a column of where it
   was; what is longer than a column is the same as before. */
static void check_conserved(const struct dlq_span *spans, size_t count, double column)
{
    struct dlq_gantt_view view = {0, 1, column}, single = {0, 1, 0};
    struct dlq_track track = {.spans = spans, .count = count};
    struct dlq_gantt_walk walk, before;
    struct dlq_span span, original = {0};
    double sum = 0, wanted = 0, last = 0;
    size_t kept = 0, wide = 0;
    dlq_gantt_walk_begin(&walk, &view, &track);
    dlq_gantt_walk_begin(&before, &single, &track);
    while (dlq_gantt_walk_next(&walk, &span)) {
        CHECK(span.from >= last - 1e-12 && span.to > span.from && span.to <= 1, "%g to %g behind %g", span.from,
              span.to, last);
        /* All that began before this one ends. */
        while (wanted < sum && dlq_gantt_walk_next(&before, &original))
            wanted += original.to - original.from;
        CHECK(fabs(sum - wanted) < 1.01 * column + (original.to - original.from), "at %g: %.9g s, were %.9g", span.from,
              sum, wanted);
        sum += span.to - span.from;
        last = span.to;
        kept += walk.joined ? 0 : 1;
    }
    while (dlq_gantt_walk_next(&before, &original))
        wanted += original.to - original.from;
    dlq_gantt_walk_begin(&before, &single, &track);
    while (dlq_gantt_walk_next(&before, &original))
        wide += original.to - original.from >= column ? 1 : 0;
    CHECK_INT(kept, wide);
    CHECK_REL(sum, wanted, 1e-6);
}

static void test_conserved(void)
{
    enum { MOST = 60000 };
    static struct dlq_span spans[MOST];
    static const struct {
        double mean, busy, column;
    } cases[] = {{1e-4, 1, 1e-3},   {1e-4, 0.4, 1e-3}, {3e-5, 0.95, 1 / 1408.0}, {1e-3, 0.8, 1e-3},
                 {5e-3, 0.9, 1e-3}, {1e-4, 0.01, 0.1}, {2e-4, 1, 1e-9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t count = random_spans(spans, MOST, 17 + (unsigned)i, cases[i].mean, cases[i].busy);
        check_conserved(spans, count, cases[i].column);
        struct dlq_track track = {.spans = spans, .count = count};
        struct dlq_gantt gantt = {.tracks = &track, .count = 1};
        struct dlq_gantt_view view = {0, 1, cases[i].column};
        size_t drawn = dlq_gantt_count(&gantt, &view, false);
        CHECK((double)drawn <= 2 / cases[i].column + 1, "case %zu: %zu spans drawn in columns of %g", i, drawn,
              cases[i].column);
        CHECK_INT(dlq_gantt_count(&gantt, &view, true), 0);
    }
}

/* Two thirds of stalls do not hide a third of steps: over any hundred columns each kind has its share. */
static void test_shares(void)
{
    enum { STEPS = 30000, PARTS = 10 };
    static struct dlq_span spans[2 * STEPS];
    double drawn[PARTS][DLQ_SPAN_KINDS] = {{0}};
    for (int i = 0; i < STEPS; i++) {
        double begin = 1.0 * i / STEPS, middle = (i + 2 / 3.0) / STEPS, end = (i + 1.0) / STEPS;
        spans[2 * i] = (struct dlq_span){begin, middle, DLQ_SPAN_STALL, 0, NULL};
        spans[2 * i + 1] = (struct dlq_span){middle, end, DLQ_SPAN_WORK, (unsigned)(i % 7), NULL};
    }
    struct dlq_track track = {.spans = spans, .count = sizeof spans / sizeof *spans};
    struct dlq_gantt_view view = {0, 1, 1e-3};
    struct dlq_gantt_walk walk;
    struct dlq_span span;
    dlq_gantt_walk_begin(&walk, &view, &track);
    while (dlq_gantt_walk_next(&walk, &span))
        drawn[(int)(PARTS * 0.5 * (span.from + span.to))][span.kind] += span.to - span.from;
    for (int i = 0; i < PARTS; i++) {
        CHECK_ABS(PARTS * drawn[i][DLQ_SPAN_STALL], 2 / 3.0, 0.03);
        CHECK_ABS(PARTS * drawn[i][DLQ_SPAN_WORK], 1 / 3.0, 0.03);
    }
}

static void check_stairs(const char *name, const struct dlq_gantt_view *view, const struct dlq_track *track,
                         const struct dlq_gantt_step *wanted, size_t count)
{
    struct dlq_gantt_stairs stairs;
    struct dlq_gantt_step step;
    size_t i = 0;
    dlq_gantt_stairs_begin(&stairs, view, track);
    for (; dlq_gantt_stairs_next(&stairs, &step) && i < count; i++)
        CHECK(fabs(step.from - wanted[i].from) < 1e-12 && fabs(step.to - wanted[i].to) < 1e-12 &&
                  step.lower == wanted[i].lower && step.upper == wanted[i].upper,
              "%s: step %zu is %g to %g: %g + %g", name, i, step.from, step.to, step.lower, step.upper);
    CHECK(i == count, "%s: %zu steps", name, i);
    CHECK(!dlq_gantt_stairs_next(&stairs, &step), "%s: more steps", name);
}

static void test_levels(void)
{
    static const double time[] = {8, 9, 11, 12, 12.1, 12.2, 12.3, 12.45, 12.6, 15, 15, 18, 25};
    static const double lower[] = {7, 1, 0, 2, 1, 4, 0, 3, 5, 9, NAN, -1, 8};
    static const double upper[] = {7, 0, 3, 2, 1, 0, 2, 0, 1, 9, INFINITY, 2, 8};
    static const struct dlq_gantt_step cut[] = {
        {10, 11, 1, 0},      {11, 12, 0, 3},      {12, 12.1, 2, 2}, {12.1, 12.2, 1, 1}, {12.2, 12.3, 4, 0},
        {12.3, 12.45, 0, 2}, {12.45, 12.6, 3, 0}, {12.6, 15, 5, 1}, {15, 18, 0, 0},     {18, 20, 0, 2}};
    /* In the column from 12 the least sum is 2 (with the lesser first level), the largest 4 (with the larger). */
    static const struct dlq_gantt_step joined[] = {{10, 11, 1, 0},      {11, 12, 0, 3},     {12, 12.25, 0, 2},
                                                   {12.25, 12.5, 4, 0}, {12.5, 12.6, 3, 0}, {12.6, 15, 5, 1},
                                                   {15, 18, 0, 0},      {18, 20, 0, 2}};
    struct dlq_track track = {.time = time, .lower = lower, .upper = upper, .count = sizeof time / sizeof *time};
    check_stairs("cut", &whole, &track, cut, sizeof cut / sizeof *cut);
    check_stairs("joined", &columns, &track, joined, sizeof joined / sizeof *joined);
    struct dlq_gantt_step alone[] = {{10, 20, 7, 0}};
    track = (struct dlq_track){.time = time, .lower = lower, .count = 1};
    check_stairs("one level that lasts", &columns, &track, alone, 1);
    track.count = 0;
    check_stairs("none", &columns, &track, alone, 0);
}

/* No gap between steps, nothing above the largest or below the least. */
static void test_many_levels(void)
{
    enum { COUNT = 30000 };
    static double time[COUNT], lower[COUNT];
    unsigned seed = 5;
    for (size_t i = 0; i < COUNT; i++) {
        time[i] = (double)i / COUNT;
        lower[i] = floor(5 * draw(&seed)) + (i == 12345 ? 100 : 0);
    }
    struct dlq_track track = {.time = time, .lower = lower, .count = COUNT};
    struct dlq_gantt gantt = {.tracks = &track, .count = 1};
    struct dlq_gantt_view view = {0, 1, 1e-3};
    struct dlq_gantt_stairs stairs;
    struct dlq_gantt_step step;
    double last = 0, most = 0;
    dlq_gantt_stairs_begin(&stairs, &view, &track);
    while (dlq_gantt_stairs_next(&stairs, &step)) {
        CHECK_ABS(step.from, last, 1e-12);
        last = step.to;
        most = fmax(most, step.lower);
    }
    CHECK_REL(last, 1, 1e-12);
    CHECK_REL(most, lower[12345], 0);
    size_t count = dlq_gantt_count(&gantt, &view, true);
    CHECK(count > 1900 && count < 2050, "%zu steps in 1000 columns", count);
}

static const struct test_case cases[] = {{"spans cut", test_cut},
                                         {"spans joined", test_join},
                                         {"time is conserved", test_conserved},
                                         {"each kind has its share", test_shares},
                                         {"levels", test_levels},
                                         {"many levels", test_many_levels},
                                         {NULL, NULL}};
const struct test_suite suite_gantt_walk = {"gantt_walk", cases};
