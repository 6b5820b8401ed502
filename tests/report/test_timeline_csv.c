/* Timelines as tables, and what the log reader makes of these. */
#include "report/timeline.h"

#include "draw/memory.h"
#include "harness.h"
#include "made_timeline.h"
#include "study/traces.h"

#include "dlqueue/fit.h"
#include "dlqueue/trace.h"

static void check_replay(const struct dlq_trace *trace, size_t ranks, double start)
{
    struct dlq_replay replay = {0};
    struct dlq_error error = {0};
    struct dlq_pipeline_hint hint = {.loader = "pytorch", .loaders = -1};
    CHECK(dlq_replay(trace, &hint, &replay, &error) == DLQ_OK, "replay: %s", error.text);
    CHECK_INT(replay.loaders, LOADERS);
    CHECK_INT(replay.prefetch, PREFETCH);
    CHECK_INT(replay.ranks, ranks);
    CHECK_INT(replay.batches, BATCHES);
    CHECK_ABS(replay.overheads.startup, start, 1e-6);
    CHECK_ABS(replay.overheads.dispatch, dispatch, 1e-6);
    CHECK_ABS(replay.overheads.deliver, deliver, 1e-6);
    CHECK_ABS(replay.overheads.receive, receive, 1e-6);
    CHECK_ABS(replay.error, 0, 1e-9);
}

static void test_round_trip(void)
{
    static const struct {
        size_t ranks, epoch;
    } rows[] = {{1, BATCHES}, {1, 50}, {RANKS, BATCHES}, {RANKS, 100}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made *made = make(rows[i].ranks, rows[i].epoch);
        struct dlq_table *table = dlq_timeline_table(&made->timeline);
        CHECK(table != NULL, "no table");
        FILE *log = tmpfile();
        dlq_table_write_csv(table, log);
        struct dlq_trace *trace = trace_of(log);
        struct dlq_trace_facts facts;
        dlq_trace_facts(trace, &facts);
        CHECK_TEXT(facts.format, "csv");
        CHECK_INT(facts.ranks, rows[i].ranks);
        CHECK_INT(facts.records, rows[i].ranks * BATCHES);
        CHECK_INT(facts.bad, 0);
        check_replay(trace, rows[i].ranks, startup + dispatch);
        dlq_trace_free(trace);
        dlq_table_free(table);
        free(made);
    }
}

static const char *const names[] = {"rank",       "epoch",    "batch",   "worker",   "dispatched",
                                    "load_start", "load_end", "request", "received", "step_end"};
enum { RANK, EPOCH, BATCH, WORKER, DISPATCHED, LOAD_START, LOAD_END, REQUEST, RECEIVED, STEP_END, COLUMNS };

static void test_rows(void)
{
    struct made *made = make(RANKS, 100);
    struct dlq_timeline *timeline = &made->timeline;
    timeline->from = made->batches[0][30].step_end;
    timeline->until = made->batches[0][250].step_end;
    made->ranks[1].number = 5;
    struct dlq_table *table = dlq_timeline_table(timeline);
    CHECK_INT(table->column_count, COLUMNS);
    for (size_t i = 0; i < COLUMNS; i++)
        CHECK_TEXT(table->columns[i].name, names[i]);
    CHECK_INT(table->rows, 2 * 221);
    const struct dlq_table_row *cells = table->first;
    for (size_t row = 0; row < table->rows; row++, cells = cells->next) {
        const struct dlq_timeline_batch *batch = &made->batches[row % 2][30 + row / 2];
        const double wanted[] = {
            row % 2 == 0 ? 0 : 5, (double)batch->epoch, (double)batch->index, (double)batch->worker, batch->dispatched,
            batch->load_start,    batch->load_end,      batch->request,       batch->received,       batch->step_end};
        for (size_t i = 0; i < COLUMNS; i++)
            CHECK_REL(cells->cells[i].number, wanted[i], 0);
    }
    dlq_table_free(table);
    free(made);
}

/* Steps in the order of delivery, `batch` by dispatch; what is unknown is empty, what was not trained on is not there.
 */
static void test_unordered(void)
{
    struct dlq_timeline_batch batches[] = {
        batch_of(1, 0, 1, 7, (double[]){0, 0, 1, 1, 0, 1, 1, 1.5}),
        batch_of(-1, -1, 0, 8, (double[]){NAN, NAN, 3, NAN, 1.5, 3, 3, 3.25}),
        batch_of(1, 0, 2, 9, (double[]){1, 1, 2, 2, 3.25, 3.25, 3.25, NAN}),
        batch_of(0, 0, 3, -1, (double[]){1, 3, NAN, NAN, NAN, NAN, NAN, NAN}),
    };
    struct dlq_timeline_rank rank = {.number = 3, .stepped = 3, .count = 4, .batches = batches};
    struct dlq_timeline timeline = {.loaders = 2, .workers = 2, .until = INFINITY, .rank_count = 1, .ranks = &rank};
    struct dlq_table *table = dlq_timeline_table(&timeline);
    struct dlq_memory memory;
    dlq_memory_begin(&memory);
    dlq_table_write_csv(table, memory.stream);
    char *text = dlq_memory_end(&memory);
    CHECK_TEXT(text, "rank,epoch,batch,worker,dispatched,load_start,load_end,request,received,step_end\n"
                     "3,0,1,1,0,0,1,0,1,1.5\n"
                     "3,,0,,,,3,1.5,3,3.25\n");
    free(text);
    dlq_table_free(table);
    timeline.from = 40;
    table = dlq_timeline_table(&timeline);
    CHECK(table != NULL && table->rows == 0, "a table without rows");
    dlq_table_free(table);
}

TEST_SUITE(timeline_csv, CASE(test_round_trip), CASE(test_rows), CASE(test_unordered));
