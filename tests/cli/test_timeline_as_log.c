/* A simulated run, written as a table, is a log that replays as the run was. */
#include "draw/tables.h"
#include "logs_study/traces.h"
#include "report/recorded_run.h"
#include "report/timeline.h"

static void test_round_trip(void)
{
    static const struct {
        size_t ranks;
        int epoch;
    } rows[] = {{1, 0}, {1, 50}, {RANKS, 0}, {RANKS, 100}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(dlq_timeline) made = recorded_run(rows[i].ranks, rows[i].epoch);
        OWN_TABLE *table = dlq_timeline_table(&made);
        CHECK(table != NULL, "no table");
        FILE *log = tmpfile();
        dlq_table_write_csv(table, log);
        struct dlq_trace *trace = trace_of(log);
        struct dlq_trace_facts facts;
        dlq_trace_facts(trace, &facts);
        CHECK_TEXT(facts.format, "csv");
        CHECK_INT(facts.ranks, rows[i].ranks);
        CHECK_INT(facts.records, rows[i].ranks * made.ranks[0].stepped);
        CHECK_INT(facts.bad, 0);
        struct dlq_replay replay = replay_of(trace, (struct dlq_pipeline_hint){"pytorch", -1, 0}, "a timeline");
        CHECK(replay.loaders == LOADERS && replay.prefetch == PREFETCH && replay.ranks == (long)rows[i].ranks &&
                  replay.batches == (long)made.ranks[0].stepped,
              "%ld loaders, prefetch %ld, %ld ranks, %ld batches", (long)replay.loaders, (long)replay.prefetch,
              (long)replay.ranks, (long)replay.batches);
        CHECK_ABS(replay.overheads.startup, startup + dispatch, 1e-6);
        CHECK_ABS(replay.overheads.dispatch, dispatch, 1e-6);
        CHECK_ABS(replay.overheads.deliver, deliver, 1e-6);
        CHECK_ABS(replay.overheads.receive, receive, 1e-6);
        CHECK_ABS(replay.error, 0, 1e-9);
    }
}

TEST_SUITE(timeline_as_log, CASE(test_round_trip));
