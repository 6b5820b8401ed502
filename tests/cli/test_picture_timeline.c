/* The chart of a timeline: every span in it comes from the record, and none is missing. */
#include "cli/picture_timeline.h"
#include "dlqueue/palette.h"
#include "harness.h"
#include "out/gantt_script.h"

#include <stdlib.h>

/* A line of one of the chart's data blocks: that of an enum dlq_span_kind. */
struct line {
    int block;
    double from, to;
    long row;
    unsigned color;
    bool found;
};

enum { MOST_LINES = 20000 };

struct chart {
    char *script;
    struct line *lines;
    size_t count;
};

static void read_block(struct chart *chart, int block)
{
    struct gantt_lines read = gantt_kind(chart->script, (enum dlq_span_kind)block);
    for (size_t i = 0; i < read.count && chart->count < MOST_LINES; i++) {
        const struct gantt_line *line = &read.line[i];
        CHECK(line->joined == 0 && line->low < line->high, "%s: line %zu", gantt_blocks[block].name, i);
        chart->lines[chart->count++] = (struct line){
            .block = block,
            .from = line->from,
            .to = line->to,
            .row = lround(line->row),
            .color = (unsigned)line->color,
        };
    }
    free(read.line);
}

static void chart_make(struct chart *chart, const struct dlq_timeline_answer *answer)
{
    static const struct dlq_canvas canvas = {1600, 900, "png"};
    struct dlq_timeline_drawing *drawing = NULL;
    struct dlq_error error = {0};
    size_t size;
    *chart = (struct chart){.lines = calloc(MOST_LINES, sizeof(struct line))};
    FILE *stream = open_memstream(&chart->script, &size);
    CHECK(dlq_timeline_drawing_new(answer, &drawing, &error) == DLQ_OK, "%s", error.text);
    CHECK(dlq_picture_timeline(drawing, &canvas, stream, &error) == DLQ_OK, "%s", error.text);
    fclose(stream);
    dlq_timeline_drawing_free(drawing);
    for (int block = 0; block < DLQ_SPAN_KINDS; block++)
        read_block(chart, block);
}

static void chart_free(struct chart *chart)
{
    free(chart->script);
    free(chart->lines);
}

/* A run of `settings`, "pipeline.loaders=4 load.mean=1s". */
static void answer_make(struct dlq_timeline_answer *answer, const char *settings, double from, double until)
{
    struct dlq_error error = {0};
    struct dlq_run run = {.threads = 1};
    char text[512];
    *answer = (struct dlq_timeline_answer){.title = "a run"};
    CHECK_INT(dlq_model_new(&answer->model, &error), DLQ_OK);
    snprintf(text, sizeof text, "%s", settings);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        dlq_model_set(answer->model, word, equals + 1, &error);
    }
    CHECK(dlq_timeline_simulate(answer->model, from, until, &run, &answer->timeline, &error) == DLQ_OK, "%s: %s",
          settings, error.text);
    size_t ranks = answer->timeline.rank_count;
    answer->levels = calloc(ranks, sizeof *answer->levels);
    answer->summaries = calloc(ranks, sizeof *answer->summaries);
    for (size_t r = 0; r < ranks; r++) {
        CHECK_INT(dlq_timeline_queue(&answer->timeline, r, &answer->levels[r], &error), DLQ_OK);
        dlq_timeline_summarize(&answer->timeline, r, &answer->levels[r], &answer->summaries[r]);
    }
    CHECK_INT(dlq_timeline_order(answer->summaries, ranks, &answer->order, &error), DLQ_OK);
}

/* Takes the span that the record holds, cut at the ends of the axis, out of the chart's lines. */
static size_t take(struct chart *chart, const struct dlq_timeline *timeline, int block, long row, double from,
                   double to, long worker)
{
    double begin = fmax(from, timeline->from), end = fmin(to, timeline->until);
    if (!(end > begin))
        return 0;
    for (size_t i = 0; i < chart->count; i++) {
        struct line *line = &chart->lines[i];
        bool same = !line->found && line->block == block && line->row == row &&
                    fabs(line->from - begin) <= 1e-14 * begin && fabs(line->to - end) <= 1e-14 * end;
        if (!same || (block == DLQ_SPAN_WORK && line->color != dlq_palette_worker(worker)))
            continue;
        line->found = true;
        return 1;
    }
    CHECK(false, "%s of row %ld from %.15g to %.15g is not in the chart", gantt_blocks[block].name, row, begin, end);
    return 1;
}

static size_t take_rank(struct chart *chart, const struct dlq_timeline *timeline, size_t r, long first)
{
    const struct dlq_timeline_rank *rank = &timeline->ranks[r];
    const long trainer = first + timeline->workers + (timeline->loaders > 0 ? 1 : 0);
    size_t count = 0;
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        if (batch->worker >= 0)
            count += take(chart, timeline, DLQ_SPAN_WORK, first + batch->worker, batch->load_start, batch->load_end,
                          batch->worker);
        if (batch->step < 0)
            continue;
        double taken = fmax(batch->request, isnan(batch->ready) ? batch->load_end : batch->ready);
        count += take(chart, timeline, DLQ_SPAN_STALL, trainer, batch->request, taken, 0);
        count += take(chart, timeline, DLQ_SPAN_OVERHEAD, trainer, taken, batch->received, 0);
        count += take(chart, timeline, DLQ_SPAN_BARRIER, trainer, batch->received, batch->step_begin, 0);
        count += take(chart, timeline, DLQ_SPAN_WORK, trainer, batch->step_begin, batch->step_end, batch->worker);
    }
    return count;
}

static void test_spans(void)
{
    static const struct {
        const char *settings;
        double from, until;
        bool log; /* does not know when a batch is ready */
    } rows[] = {
        {"pipeline.loaders=7 load.mean=2s step.mean=100ms", 0, 6, false},
        {"pipeline.loaders=4 load.mean=239ms load.cv=0.8 step.mean=97ms overheads.deliver=7ms overheads.receive=11ms",
         0, 7.3, true},
        {"pipeline.loaders=4 load.mean=239ms load.cv=0.8 step.mean=97ms step.cv=0.2 overheads.dispatch=3ms "
         "overheads.deliver=7ms overheads.receive=11ms overheads.startup=80ms",
         0, 7.3, false},
        {"pipeline.loaders=4 load.mean=239ms load.cv=0.8 step.mean=97ms", 41.7, 53.1, false},
        {"pipeline.loaders=3 pipeline.loader=pool load.mean=239ms load.cv=1.3 step.mean=97ms", 0, 9, false},
        {"pipeline.loaders=3 pipeline.loader=pytorch-unordered load.mean=239ms load.cv=1.3 step.mean=97ms", 5, 9,
         false},
        {"pipeline.loaders=3 pipeline.loader=tfdata load.mean=239ms load.cv=0.6 step.mean=97ms", 0, 5, false},
        {"pipeline.loaders=6 pipeline.loader=dali load.mean=239ms load.cv=0.6 step.mean=97ms", 0, 5, false},
        {"pipeline.loaders=0 pipeline.loader=serial load.mean=239ms load.cv=0.6 step.mean=97ms", 1, 5, false},
        {"pipeline.loaders=5 pipeline.epoch_batches=17 load.mean=239ms load.cv=0.6 step.mean=97ms", 0, 8, false},
        {"pipeline.loaders=2 pipeline.ranks=3 load.mean=159ms load.cv=0.6 step.mean=97ms overheads.barrier=4ms", 0, 5,
         false},
        {"pipeline.loaders=2 overheads.pin_time=30ms load.mean=159ms load.cv=0.6 step.mean=97ms", 0, 5, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_timeline_answer answer;
        struct chart chart;
        answer_make(&answer, rows[i].settings, rows[i].from, rows[i].until);
        const struct dlq_timeline *timeline = &answer.timeline;
        for (size_t k = 0; k < timeline->ranks[0].count && rows[i].log; k++)
            timeline->ranks[0].batches[k].ready = NAN;
        chart_make(&chart, &answer);
        size_t count = 0;
        for (size_t r = 0; r < timeline->rank_count; r++)
            count +=
                take_rank(&chart, timeline, r, timeline->rank_count > 1 ? 1 + (long)r * (timeline->workers + 3) : 0);
        CHECK(count > 20, "%s: %zu spans", rows[i].settings, count);
        CHECK(count == chart.count, "%s: the record has %zu spans, the chart %zu", rows[i].settings, count,
              chart.count);
        chart_free(&chart);
        dlq_timeline_answer_free(&answer);
    }
}

/* The batches at a moment, counted one by one. */
static void count_ready(const struct dlq_timeline *timeline, double time, double *ready, double *held)
{
    const struct dlq_timeline_rank *rank = &timeline->ranks[0];
    long next = -1, last = 0;
    bool there[4096] = {false};
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        double taken = batch->step < 0 ? INFINITY : fmax(batch->request, batch->ready);
        if (batch->ready <= time && time < taken && batch->index < 4096)
            there[batch->index] = true;
        if (taken > time && (next < 0 || batch->index < next))
            next = batch->index;
        last = batch->index > last ? batch->index : last;
    }
    *ready = *held = 0;
    bool follows = true;
    for (long k = next; k <= last && k < 4096; k++) {
        follows = follows && there[k];
        *(follows ? ready : held) += there[k] ? 1 : 0;
    }
}

/* $levels_ROW: from to lower upper. */
static void test_queue(void)
{
    struct dlq_timeline_answer answer;
    struct chart chart;
    answer_make(&answer, "pipeline.loaders=5 load.mean=239ms load.cv=1.2 step.mean=67ms overheads.deliver=5ms", 0, 11);
    chart_make(&chart, &answer);
    struct gantt_lines levels = gantt_lines(chart.script, "levels_5", 4);
    double ready, held, covered = 0, most = 0;
    for (size_t i = 0; i < levels.count; i++) {
        const struct gantt_line *line = &levels.line[i];
        double lower = line->row, upper = line->low;
        count_ready(&answer.timeline, 0.5 * (line->from + line->to), &ready, &held);
        CHECK(lower == ready && upper == held, "at %.9g: %g and %g in the chart, %g and %g in the record",
              0.5 * (line->from + line->to), lower, upper, ready, held);
        covered += line->to - line->from;
        most = fmax(most, held);
    }
    free(levels.line);
    CHECK_REL(covered, 11, 1e-9);
    CHECK(most > 0, "no batch is ever held: the test shows nothing");
    chart_free(&chart);
    dlq_timeline_answer_free(&answer);
}

/* In ticks much happens at one moment, but for the last bits of sums: no batch is ready for 1e-16 s. */
static void test_ticks(void)
{
    struct dlq_timeline_answer answer;
    answer_make(&answer,
                "pipeline.loaders=7 pipeline.loader=pool pipeline.window=unbounded load.mean=700ms "
                "load.distribution=normal load.cv=0.05 step.mean=100ms simulate.resolution=100ms",
                0, 30);
    const struct dlq_queue_levels *levels = &answer.levels[0];
    CHECK(levels->count > 50, "%zu levels", levels->count);
    for (size_t i = 0; i + 1 < levels->count; i++)
        CHECK(levels->time[i + 1] - levels->time[i] > 0.0999, "%g and %g ready for %g s", levels->ready[i],
              levels->held[i], levels->time[i + 1] - levels->time[i]);
    dlq_timeline_answer_free(&answer);
}

/* Many ranks: their trainers alone, those that the others wait for. */
static void test_many_ranks(void)
{
    struct dlq_timeline_answer answer;
    struct chart chart;
    answer_make(&answer,
                "pipeline.loaders=2 pipeline.ranks=50 pipeline.slow_ranks=1 pipeline.slow_factor=1.5 load.mean=190ms "
                "load.cv=0.1 step.mean=100ms",
                0, 4);
    chart_make(&chart, &answer);
    long rows = 0;
    for (size_t i = 0; i < chart.count; i++)
        rows = chart.lines[i].row > rows ? chart.lines[i].row : rows;
    CHECK_INT(rows, 31);
    CHECK(strstr(chart.script, "\"rank 0\"") != NULL, "the slow rank is not shown");
    CHECK(strstr(chart.script, "the 32 of 50 ranks that hold the others up most") != NULL, "the note");
    chart_free(&chart);
    dlq_timeline_answer_free(&answer);
}

/* Of 5 ranks those that wait least for the others come first; equal ones as they are. */
static void test_order(void)
{
    static const double barriers[] = {2.385, 0.5, 2.385, 7, 0.25};
    static const size_t want[] = {4, 1, 0, 2, 3}, three[] = {0, 1, 4};
    struct dlq_timeline_summary summaries[5];
    struct dlq_timeline timeline = {.rank_count = 5};
    struct dlq_timeline_subject subject = {.timeline = &timeline};
    struct dlq_error error = {0};
    size_t *order = NULL, places[5];
    for (size_t r = 0; r < 5; r++)
        summaries[r] = (struct dlq_timeline_summary){.barrier = barriers[r]};
    CHECK_INT(dlq_timeline_order(summaries, 5, &order, &error), DLQ_OK);
    for (size_t r = 0; r < 5; r++)
        CHECK_INT(order[r], want[r]);
    CHECK_INT(dlq_timeline_subject_ranks(&subject, 7, places), 5);
    CHECK_INT(places[4], 4);
    subject.order = order;
    CHECK_INT(dlq_timeline_subject_ranks(&subject, 3, places), 3);
    for (size_t r = 0; r < 3; r++)
        CHECK_INT(places[r], three[r]);
    free(order);
}

static const struct test_case tests[] = {{"spans", test_spans},           {"queue", test_queue}, {"ticks", test_ticks},
                                         {"many ranks", test_many_ranks}, {"order", test_order}, {NULL, NULL}};
const struct test_suite suite_picture_timeline = {"picture_timeline", tests};
