/* Timelines in files: traces of Chrome, and tables. */
#include "draw/tables.h"
#include "report/recorded_run.h"
#include "report/timeline.h"

#include <jansson.h>

/* -- traces of Chrome -- */

static json_t *chrome_json(const struct dlq_timeline_answer *answer)
{
    json_error_t wrong = {0};
    struct dlq_error error = {0};
    FILE *out = tmpfile();
    CHECK(dlq_timeline_chrome(answer, out, &error) == DLQ_OK, "chrome: %s", error.text);
    rewind(out);
    json_t *json = json_loadf(out, JSON_REJECT_DUPLICATES, &wrong);
    CHECK(json != NULL, "line %d: %s", wrong.line, wrong.text);
    fclose(out);
    return json;
}

static const char *text_of(const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text == NULL ? "" : text;
}

static double number_of(const json_t *event, const char *key)
{
    const json_t *value = json_object_get(event, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* The span of that name of that batch on a thread is there, where it lasts. */
static void check_span(const json_t *events, long process, long thread, const char *name,
                       const struct dlq_timeline_batch *batch, double from, double to)
{
    const json_t *event = NULL;
    for (size_t i = 0; event == NULL && i < json_array_size(events); i++) {
        const json_t *each = json_array_get(events, i), *args = json_object_get(each, "args");
        bool same = strcmp(text_of(each, "ph"), "X") == 0 && number_of(each, "pid") == (double)process &&
                    number_of(each, "tid") == (double)thread && strcmp(text_of(each, "name"), name) == 0 &&
                    number_of(args, "batch") == (double)batch->index &&
                    number_of(args, "epoch") == (double)batch->epoch;
        event = same ? each : NULL;
    }
    bool wanted = to - from > 1e-9 || strncmp(name, "step", 4) == 0;
    CHECK((event != NULL) == wanted, "'%s' of batch %ld from %.9g to %.9g: %s", name, batch->index, from, to,
          event == NULL ? "missing" : "there");
    if (event == NULL)
        return;
    CHECK_ABS(number_of(event, "ts"), 1e6 * from, 0.0006);
    CHECK_ABS(number_of(event, "dur"), 1e6 * (to - from), 0.0012);
    CHECK(json_is_real(json_object_get(event, "ts")) && json_is_real(json_object_get(event, "dur")), "whole times");
}

static void test_spans(void)
{
    OWN(dlq_timeline) made = recorded_run(RANKS, 100);
    made.until = made.ranks[0].batches[119].step_end;
    const struct dlq_timeline_answer answer = {.timeline = made, .name = "made"};
    json_t *json = chrome_json(&answer);
    const json_t *events = json_object_get(json, "traceEvents");
    char name[64];
    for (size_t r = 0; r < RANKS; r++)
        for (size_t i = 0; i < 120; i++) {
            const struct dlq_timeline_batch *batch = &made.ranks[r].batches[i];
            long process = (long)r + 1;
            double begin = fmax(batch->request, batch->ready);
            snprintf(name, sizeof name, "batch %ld", batch->index);
            check_span(events, process, batch->worker + 2, name, batch, batch->load_start, batch->load_end);
            check_span(events, process, 1, "wait for data", batch, batch->request, begin);
            check_span(events, process, 1, "receive", batch, begin, batch->received);
            check_span(events, process, 1, "wait for ranks", batch, batch->received, batch->step_begin);
            snprintf(name, sizeof name, "step %ld", batch->step);
            check_span(events, process, 1, name, batch, batch->step_begin, batch->step_end);
        }
    json_decref(json);
}

/* No span begins on a thread before the one before it has ended: viewers would nest or drop it. */
static void test_disjoint(void)
{
    OWN(dlq_timeline) made = recorded_run(RANKS, 100);
    struct dlq_timeline_answer answer = {.timeline = made};
    json_t *json = chrome_json(&answer);
    const json_t *events = json_object_get(json, "traceEvents");
    double ended[RANKS + 1][LOADERS + 2] = {{0}};
    size_t spans = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        if (strcmp(text_of(event, "ph"), "X") != 0)
            continue;
        size_t process = (size_t)number_of(event, "pid"), thread = (size_t)number_of(event, "tid");
        CHECK(process >= 1 && process <= RANKS && thread >= 1 && thread <= LOADERS + 1, "process %zu, thread %zu",
              process, thread);
        if (process > RANKS || thread > LOADERS + 1)
            continue;
        double begin = round(1e3 * number_of(event, "ts")), lasts = round(1e3 * number_of(event, "dur"));
        CHECK(begin >= ended[process][thread], "%s begins %g ns early", text_of(event, "name"),
              ended[process][thread] - begin);
        CHECK(lasts > 0, "%s lasts %g ns", text_of(event, "name"), lasts);
        ended[process][thread] = begin + lasts;
        spans++;
    }
    CHECK(spans > RANKS * made.ranks[0].stepped * 3, "%zu spans", spans);
    json_decref(json);
}

static const json_t *find_meta(const json_t *events, const char *kind, long process, long thread)
{
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        if (strcmp(text_of(event, "ph"), "M") == 0 && strcmp(text_of(event, "name"), kind) == 0 &&
            number_of(event, "pid") == (double)process && (thread == 0 || number_of(event, "tid") == (double)thread))
            return json_object_get(event, "args");
    }
    return NULL;
}

static void test_names(void)
{
    OWN(dlq_timeline) made = recorded_run(RANKS, 100);
    struct dlq_timeline_answer answer = {
        .timeline = made, .name = "resnet", .title = "It \"waits\"", .subtitle = "3 loaders \xff\xc0 \\ \n"};
    made.ranks[1].number = 12;
    json_t *json = chrome_json(&answer);
    const json_t *events = json_object_get(json, "traceEvents"), *other = json_object_get(json, "otherData");
    CHECK_TEXT(text_of(json, "displayTimeUnit"), "ms");
    CHECK_TEXT(text_of(other, "name"), "resnet");
    CHECK_TEXT(text_of(other, "title"), "It \"waits\"");
    CHECK(text_of(other, "dlqueue")[0] != '\0', "no version");
    CHECK_TEXT(text_of(find_meta(events, "process_name", 1, 0), "name"), "rank 0");
    CHECK_TEXT(text_of(find_meta(events, "process_name", 2, 0), "name"), "rank 12");
    CHECK_TEXT(text_of(find_meta(events, "thread_name", 2, 1), "name"), "trainer");
    CHECK_TEXT(text_of(find_meta(events, "thread_name", 2, 2), "name"), "loader 1");
    CHECK_TEXT(text_of(find_meta(events, "thread_name", 1, 4), "name"), "loader 3");
    CHECK(find_meta(events, "thread_name", 1, 5) == NULL, "a loader too many");
    CHECK(number_of(find_meta(events, "thread_sort_index", 1, 1), "sort_index") >
              number_of(find_meta(events, "thread_sort_index", 1, 4), "sort_index"),
          "the trainer is above a loader");
    json_decref(json);
    static const struct {
        long loaders, workers;
        const char *name;
    } rows[] = {{0, 1, "loads in the trainer"}, {8, 1, "8 loaders together"}, {1, 1, "loader 1"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        answer.timeline.loaders = rows[i].loaders;
        answer.timeline.workers = rows[i].workers;
        json = chrome_json(&answer);
        CHECK_TEXT(text_of(find_meta(json_object_get(json, "traceEvents"), "thread_name", 1, 2), "name"), rows[i].name);
        json_decref(json);
    }
}

static void test_counters(void)
{
    OWN(dlq_timeline) made = recorded_run(1, 100);
    struct dlq_timeline_answer answer = {.timeline = made};
    OWN(dlq_queue_levels) levels = {0};
    struct dlq_error error = {0};
    size_t place = 0;
    CHECK_INT(dlq_timeline_queue(&made, 0, &levels, &error), DLQ_OK);
    answer.levels = &levels;
    json_t *json = chrome_json(&answer);
    const json_t *events = json_object_get(json, "traceEvents");
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i), *args = json_object_get(event, "args");
        if (strcmp(text_of(event, "ph"), "C") != 0 || place == levels.count)
            continue;
        CHECK_TEXT(text_of(event, "name"), "queue");
        CHECK_ABS(number_of(event, "ts"), 1e6 * levels.time[place], 0.0006);
        CHECK_ABS(number_of(args, "ready"), levels.ready[place], 0);
        CHECK_ABS(number_of(args, "held"), levels.held[place], 0);
        place++;
    }
    CHECK(levels.count > made.ranks[0].stepped, "%zu levels", levels.count);
    CHECK_INT(place, levels.count);
    json_decref(json);
}

static size_t count_spans(const struct dlq_timeline_answer *answer)
{
    json_t *json = chrome_json(answer);
    const json_t *events = json_object_get(json, "traceEvents");
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(events); i++)
        count += strcmp(text_of(json_array_get(events, i), "ph"), "X") == 0 ? 1 : 0;
    json_decref(json);
    return count;
}

/* Spans that reach beyond the ends are whole, those outside are not there, nor those with an unknown end. */
static void test_ends(void)
{
    struct dlq_timeline_batch batches[] = {
        {0, 0, 0, 0, 0, 0, 2, NAN, 1, 2.5, 2.5, 4, 0},
        {0, 0, 1, 1, 0, 2, 4.5, 4.5, 4, 4.5, 4.5, 4.5, 0},
        {0, 0, 2, 2, 0, 4.5, 9, 9, 4.5, NAN, NAN, NAN, 0},
        {-1, 0, 3, -1, 0, 4.5, 9, NAN, NAN, NAN, NAN, NAN, 0},
    };
    static const struct {
        double from, until;
        size_t spans;
    } rows[] = {{0, 20, 8},  {0, 2, 2},   {2.25, 2.4, 2}, {2.4, 2.5, 2},
                {2.5, 4, 2}, {4.6, 5, 1}, {4.5, 4.6, 2},  {9, 20, 0}};
    struct dlq_timeline_rank rank = {.stepped = 3, .count = 4, .batches = batches};
    struct dlq_timeline_answer answer = {
        .timeline = {.loaders = 1, .workers = 1, .receive = 0.25, .rank_count = 1, .ranks = &rank}};
    struct dlq_timeline *timeline = &answer.timeline;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        timeline->from = rows[i].from;
        timeline->until = rows[i].until;
        size_t spans = count_spans(&answer);
        CHECK(spans == rows[i].spans, "%g to %g: %zu spans, not %zu", rows[i].from, rows[i].until, spans,
              rows[i].spans);
    }
    timeline->from = 2.3;
    timeline->until = 2.4;
    json_t *json = chrome_json(&answer);
    const json_t *events = json_object_get(json, "traceEvents");
    check_span(events, 1, 2, "batch 1", &batches[1], 2, 4.5);
    check_span(events, 1, 1, "receive", &batches[0], 2, 2.5);
    json_decref(json);
    batches[0].load_end = NAN;
    json = chrome_json(&answer);
    check_span(json_object_get(json, "traceEvents"), 1, 1, "receive", &batches[0], 2.25, 2.5);
    json_decref(json);
    timeline->workers = 0;
    timeline->rank_count = 0;
    CHECK_INT(count_spans(&answer), 0);
}

/* -- tables -- */

static const char *const names[] = {"rank",       "epoch",    "batch",   "worker",   "dispatched",
                                    "load_start", "load_end", "request", "received", "step_end"};
enum { RANK, EPOCH, BATCH, WORKER, DISPATCHED, LOAD_START, LOAD_END, REQUEST, RECEIVED, STEP_END, COLUMNS };

static void test_rows(void)
{
    OWN(dlq_timeline) made = recorded_run(RANKS, 100);
    made.from = made.ranks[0].batches[30].step_end;
    made.until = made.ranks[0].batches[250].step_end;
    made.ranks[1].number = 5;
    OWN_TABLE *table = dlq_timeline_table(&made);
    CHECK_INT(table->column_count, COLUMNS);
    for (size_t i = 0; i < COLUMNS; i++)
        CHECK_TEXT(table->columns[i].name, names[i]);
    CHECK_INT(table->rows, 2 * 221);
    const struct dlq_table_row *cells = table->first;
    for (size_t row = 0; row < table->rows; row++, cells = cells->next) {
        const struct dlq_timeline_batch *batch = &made.ranks[row % 2].batches[30 + row / 2];
        const double wanted[] = {
            row % 2 == 0 ? 0 : 5, (double)batch->epoch, (double)batch->index, (double)batch->worker, batch->dispatched,
            batch->load_start,    batch->load_end,      batch->request,       batch->received,       batch->step_end};
        for (size_t i = 0; i < COLUMNS; i++)
            CHECK_REL(cells->cells[i].number, wanted[i], 0);
    }
}

/* Steps in the order of delivery, `batch` by dispatch; what is unknown is empty, what was not trained on is not there.
 */
static void test_unordered(void)
{
    struct dlq_timeline_batch batches[] = {
        {1, 0, 1, 7, 0, 0, 1, 1, 0, 1, 1, 1.5, 0},
        {-1, -1, 0, 8, NAN, NAN, 3, NAN, 1.5, 3, 3, 3.25, 0},
        {1, 0, 2, 9, 1, 1, 2, 2, 3.25, 3.25, 3.25, NAN, 0},
        {0, 0, 3, -1, 1, 3, NAN, NAN, NAN, NAN, NAN, NAN, 0},
    };
    struct dlq_timeline_rank rank = {.number = 3, .stepped = 3, .count = 4, .batches = batches};
    struct dlq_timeline timeline = {.loaders = 2, .workers = 2, .until = INFINITY, .rank_count = 1, .ranks = &rank};
    struct dlq_table *table = dlq_timeline_table(&timeline);
    struct dlq_memory memory;
    dlq_memory_begin(&memory);
    dlq_table_write_csv(table, memory.stream);
    FREED char *text = dlq_memory_end(&memory);
    CHECK_TEXT(text, "rank,epoch,batch,worker,dispatched,load_start,load_end,request,received,step_end\n"
                     "3,0,1,1,0,0,1,0,1,1.5\n"
                     "3,,0,,,,3,1.5,3,3.25\n");
    dlq_table_free(table);
    timeline.from = 40;
    table = dlq_timeline_table(&timeline);
    CHECK(table != NULL && table->rows == 0, "a table without rows");
    dlq_table_free(table);
}

TEST_SUITE(timeline_files, CASE(test_spans), CASE(test_disjoint), CASE(test_names), CASE(test_counters),
           CASE(test_ends), CASE(test_rows), CASE(test_unordered));
