/* What becomes of records: times that follow from others, ranks, and how many are kept. */
#include "logs.h"

static const struct dlq_format single = {.name = "single", .numbers = DLQ_NUMBERS_SINGLE};

static const struct dlq_format joined = {.name = "joined", .numbers = DLQ_NUMBERS_SINGLE, .joins = true};

static struct dlq_trace *new_log(const struct dlq_format *format)
{
    struct dlq_trace *log = new_trace(0);
    log->format = format;
    return log;
}

static void add(struct dlq_trace *trace, long rank, struct dlq_record record)
{
    char why[DLQ_LOG_WHY] = "";
    CHECK_INT(dlq_trace_add(trace, rank, &record, why), DLQ_READ_RECORD);
    CHECK_TEXT(why, "");
}

/* The log was read: it joins its run. */
static void end_log(struct dlq_trace *trace, struct dlq_trace *log)
{
    trace->format = log->format;
    CHECK_INT(dlq_trace_join(trace, log, NULL), DLQ_OK);
    dlq_trace_free(log);
}

static void derived_times(void)
{
    static const struct {
        double data, iter, step, request, received, step_end; /* given */
        double want_data, want_iter, want_step;
    } table[] = {
        {0.1, 0.3, NAN, NAN, NAN, NAN, 0.1, 0.3, 0.2},
        {0.1, NAN, 0.2, NAN, NAN, NAN, 0.1, 0.3, 0.2},
        {NAN, 0.3, NAN, NAN, NAN, NAN, NAN, 0.3, NAN},
        {0.1, NAN, NAN, NAN, NAN, NAN, 0.1, NAN, NAN},
        {NAN, NAN, 0.2, NAN, NAN, NAN, NAN, NAN, 0.2},
        {NAN, NAN, NAN, 1, 1.25, 2, 0.25, 1, 0.75},
        {0.2, NAN, NAN, 1, 1.25, 2, 0.2, 1, 0.75},
        {NAN, 1.5, NAN, 1, 1.25, 2, 0.25, 1.5, 0.75},
        {0.5, NAN, NAN, 1, NAN, 2, 0.5, 1, 0.5},
        {NAN, NAN, NAN, NAN, NAN, 2, NAN, NAN, NAN},
        {NAN, NAN, NAN, 1, 1.25, NAN, 0.25, NAN, NAN},
        /* means that were recovered from rounded ones */
        {0.31, 0.3, NAN, NAN, NAN, NAN, 0.31, 0.3, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        OWN_TRACE *trace = new_log(&single);
        struct dlq_record record = dlq_record_empty();
        record.batch.data = table[i].data;
        record.batch.iter = table[i].iter;
        record.batch.step = table[i].step;
        record.batch.request = table[i].request;
        record.batch.received = table[i].received;
        record.batch.step_end = table[i].step_end;
        add(trace, 0, record);
        const struct dlq_batch *batch = trace->ranks[0].batches;
        const double got[] = {batch->data, batch->iter, batch->step};
        const double want[] = {table[i].want_data, table[i].want_iter, table[i].want_step};
        for (size_t k = 0; k < 3; k++)
            CHECK(isnan(want[k]) ? isnan(got[k]) : test_relative(got[k], want[k], 1e-15), "%zu: %g", i, got[k]);
        CHECK_INT(trace->iter.count, !isnan(table[i].want_iter));
    }
}

/* Rows of step_end alone: the clock, epochs, ranks that take turns, lines that are skipped. */
static void iterations_from_ends(void)
{
    static const struct {
        const char *text, *skipped, *want; /* skipped: the line that is; null: none */
    } table[] = {
        {"step_end\n1\n2\n4\n", NULL, "0: nan/- nan/1000000 nan/2000000"},
        {"rank,step_end\n0,1\n1,1.5\n0,2\n1,9\n2,77\n0,4\n", NULL,
         "0: nan/- nan/1000000 nan/2000000; 1: nan/- nan/7500000; 2: nan/-"},
        {"epoch,step_end\n0,1\n0,2\n1,100\n1,102\n", NULL, "0: nan/- nan/1000000 | nan/- nan/2000000"},
        {"epoch,step_end\n0,101\n0,102\n1,0\n1,2\n", NULL, "0: nan/- nan/1000000 | nan/- nan/2000000"},
        {"step_end\n1\n2\nx\n4\n5\n", "a.csv:4: column step_end: 'x' is not a time (expected e.g. 700ms, 2s)",
         "0: nan/- nan/1000000 nan/- nan/1000000"},
        {"step_end,index\n1,3\n2,0\n4,1\n", NULL, "0: nan/- nan/1000000 nan/2000000"},
        {"step_end\n10\n12\n3\n4\n", "a.csv:4: step_end, 3, is before that of the iteration before, 12",
         "0: nan/- nan/2000000 nan/1000000"},
        {"step_end,data_time\n1,0.1\n2,0.1\n3,1.5\n4,0.1\n",
         "a.csv:4: data time 1.5 s is longer than the iteration, 1 s", "0: 100000/- 100000/1000000 100000/1000000"},
        {"request,received,step_end,data_wait\n0,1,2,1\n2,3,4,399\n4,5,6,1\n",
         "a.csv:3: data time 399 s is longer than the iteration, 2 s", "0: 1000000/2000000 1000000/2000000"},
        {"step_end,data_time\n1,0.1\n2,1.000001\n", NULL, "0: 100000/- 1000001/1000000"},
        {"load_time,step_end\n0.1,1\n0.1,\n0.1,3\n", NULL, "0: nan/- nan/- nan/2000000"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t size = strlen(table[i].text);
        check_bytes((struct dlq_trace_options){.skip_bad = 1}, "a.csv", table[i].text, size, table[i].want);
        check_bytes((struct dlq_trace_options){0}, "a.csv", table[i].text, size,
                    table[i].skipped != NULL ? table[i].skipped : table[i].want);
    }
}

static void refuses_what_does_not_fit(void)
{
    static const struct {
        long rank;
        double data, iter, step_end;
        const char *why;
    } table[] = {
        {INT32_MAX, NAN, 1, NAN, ""},
        {2147483648, NAN, 1, NAN, "rank 2147483648 is not in 0..2147483647"},
        {0, 1e12, 1e12, NAN, ""},
        {0, 0, INFINITY, NAN, "iteration: inf is too large for seconds"},
        {0, 2e12, 3e12, NAN, "data time: 2000000000000 is too large for seconds"},
        {0, -INFINITY, 1, NAN, "data time: -inf is too large for seconds"},
        {0, 0, NAN, INFINITY, "iteration: inf is too large for seconds"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        OWN_TRACE *trace = new_log(&single);
        char why[DLQ_LOG_WHY] = "";
        struct dlq_record record = dlq_record_empty();
        record.batch.data = table[i].data;
        record.batch.iter = table[i].iter;
        record.batch.request = 0;
        record.batch.step_end = table[i].step_end;
        enum dlq_read taken = dlq_trace_add(trace, table[i].rank, &record, why);
        CHECK_INT(taken, *table[i].why == '\0' ? DLQ_READ_RECORD : DLQ_READ_BAD);
        CHECK_TEXT(why, table[i].why);
        CHECK_INT(trace->kept, *why == '\0');
    }
}

static void rank_of_name(void)
{
    static const struct {
        const char *name;
        long rank;
    } table[] = {
        {"rank3.csv", 3},        {"a/b/run_rank_3.log.gz", 3}, {"rank-12", 12},        {"3_output.json", 3},
        {"x/0_output.json", 0},  {"rank0/steps.csv", 0},       {"steps.csv", -1},      {"3_steps.json", -1},
        {"ranked_rank7.csv", 7}, {"rank7_of_ranks", 7},        {"rank", -1},           {"rank_", -1},
        {"rank1234567", -1},     {"rank999999", 999999},       {"mr4_const_rank2", 2}, {"frank2.csv", -1},
        {"3_outputs.json", 3},   {"-1_output.json", -1},       {"rank.5.log", 5},      {"", -1},
        {"rank1/rank2.csv", 2},  {"a/rank1/b/c.csv", 1},       {"ranks/c.csv", -1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        CHECK(dlq_rank_of_name(table[i].name) == table[i].rank, "%s: %ld", table[i].name,
              dlq_rank_of_name(table[i].name));
}

#define NONE "iter_time\n1\n1\n"
#define ZERO "rank,iter_time\n0,1\n0,1\n"
#define ONE "rank,iter_time\n1,1\n1,1\n"
#define BOTH "rank,iter_time\n0,1\n1,1\n0,1\n1,1\n"
/* Of rank 7 there is but a malformed line. */
#define BAD "rank,data_time,request,step_end\n0,0.1,1,2\n7,3,5,6\n0,0.1,2,3\n"

#define LOTUS "SBatchWait_0,1000000,2000000\nSBatchConsumed_0,3000000,5000000\n"

/* The runs that logs are of: the name of each, its logs, and whose the records are, "RANK:ITERATIONS". */
static void of_which_run(void)
{
    static const struct {
        const char *names[4], *texts[4];
        bool one_run;
        const char *runs;
    } table[] = {
        {{"before.log", "after.log"}, {NONE, NONE}, false, "before.log 1 0:2; after.log 1 0:2;"},
        {{"before.log", "after.log"}, {NONE, NONE}, true, "before.log 2 0:2 1:2;"},
        {{"before.log", "after.log"}, {ZERO, ZERO}, true, "before.log 2 0:4;"},
        {{"rank0.log", "rank1.log"}, {NONE, NONE}, false, "rank*.log 2 0:2 1:2;"},
        {{"frank0.log", "frank1.log"}, {NONE, NONE}, false, "frank0.log 1 0:2; frank1.log 1 0:2;"},
        {{"rank0/a.log", "rank1/a.log"}, {NONE, NONE}, false, "rank*/a.log 2 0:2 1:2;"},
        {{"rank0/a.log", "rank1/b.log"}, {NONE, NONE}, false, "rank0/a.log 1 0:2; rank1/b.log 1 1:2;"},
        {{"0_output.json.csv", "1_output.json.csv"}, {NONE, NONE}, false, "*_output.json.csv 2 0:2 1:2;"},
        {{"a_rank1", "b_rank0", "a_rank0", "b_rank1"},
         {ZERO, ZERO, ZERO, ZERO},
         false,
         "a_rank* 2 0:2 1:2; b_rank* 2 0:2 1:2;"},
        {{"0.csv", "1.csv"}, {ZERO, ONE}, false, "0.csv 2 0:2 1:2;"},
        {{"a/t.csv", "b/t.csv", "c/t.csv"}, {ONE, NONE, ZERO}, false, "a/t.csv 2 0:2 1:2; b/t.csv 1 0:2;"},
        {{"0.csv", "1.csv", "2.csv"}, {ZERO, BOTH, ONE}, false, "0.csv 2 0:2 1:2; 1.csv 1 0:2 1:2;"},
        {{"0.csv", "rank1.csv"}, {ZERO, ONE}, false, "0.csv 1 0:2; rank1.csv 1 1:2;"},
        {{"x/main", "x/worker_pid7", "y/main"}, {LOTUS, LOTUS, LOTUS}, false, "x/main 2 0:2; y/main 1 0:1;"},
        {{"a", "b", "c"}, {NONE, NONE, NONE}, true, "a 3 0:2 1:2 2:2;"},
        {{"rank2", "rank0", "rank1"}, {NONE, NONE, NONE}, true, "rank* 3 0:2 1:2 2:2;"},
        {{"rank5", "rank9", "c"}, {NONE, NONE, NONE}, true, "rank* 3 2:2 5:2 9:2;"},
        {{"rank1", "b", "c"}, {NONE, NONE, NONE}, true, "rank* 3 1:2 2:2 3:2;"},
        {{"rank0", "rank1", "rank2"}, {ZERO, ZERO, ZERO}, true, "rank* 3 0:2 1:2 2:2;"},
        {{"epoch0", "epoch1", "c"}, {ZERO, ZERO, ONE}, true, "epoch0 3 0:4 1:2;"},
        {{"rank3", "rank3", "c"}, {ZERO, NONE, ONE}, true, "rank* 3 1:2 3:4;"},
        {{"rank3", "b", "c"}, {BOTH, BOTH, NONE}, true, "rank* 3 0:4 1:4 2:2;"},
        {{"a", "b", "c"}, {BOTH, NONE, NONE}, true, "a 3 0:2 1:2 2:2 3:2;"},
        {{"rank3"}, {BAD}, false, "rank3 1 3:2;"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct dlq_trace_options options = {.one_run = table[i].one_run, .skip_bad = 1};
        OWN(dlq_traces) traces = {0};
        struct dlq_error error = {0};
        struct dlq_trace_facts facts;
        char got[256] = "";
        for (size_t k = 0; k < 4 && table[i].names[k] != NULL; k++) {
            FILE *stream = stream_of(table[i].texts[k], strlen(table[i].texts[k]));
            CHECK_INT(dlq_traces_read(&traces, &options, table[i].names[k], stream, &error), DLQ_OK);
            CHECK_TEXT(error.text, "");
            fclose(stream);
        }
        for (const struct dlq_trace *run = traces.first; run != NULL; run = dlq_trace_next(run)) {
            dlq_trace_facts(run, &facts);
            CHECK_INT(facts.kept > 0, true);
            size_t used = strlen(got);
            used += (size_t)snprintf(got + used, sizeof got - used, "%s%s %zu", used > 0 ? " " : "", facts.name,
                                     facts.logs);
            for (size_t r = 0; r < run->rank_count; r++)
                used += (size_t)snprintf(got + used, sizeof got - used, " %ld:%ld", run->ranks[r].number,
                                         run->ranks[r].iterations);
            snprintf(got + used, sizeof got - used, ";");
        }
        CHECK_TEXT(got, table[i].runs);
    }
}

/* Two logs of a rank: sums as if they were one, except between them; what is malformed is told of both. */
static void parts_of_a_rank(void)
{
    OWN_TRACE *trace = new_trace(2);
    static const char *const parts[] = {
        "rank,worker,load_time,data_time,step_end\n0,0,1,0.5,10\n0,2,3,0.25,12\n0,0,x,0,0\n",
        "rank,worker,load_time,data_time,step_end\n0,y,0,0,0\n0,3,5,0.75,2\n0,2,7,0.5,3\n",
    };
    for (size_t i = 0; i < 2; i++)
        CHECK_INT(add_text(trace, i == 0 ? "a" : "b", parts[i], NULL), DLQ_OK);
    const struct dlq_rank *rank = dlq_trace_rank(trace, 0);
    CHECK_INT(rank->iterations, 4);
    CHECK_INT(rank->count, 4);
    CHECK_INT(trace->kept, 4);
    CHECK_INT(rank->whole, true);
    CHECK_REL(rank->batches[2].load, 5, 0);
    CHECK_REL(dlq_spread_mean(&rank->data), 0.5, 1e-15);
    CHECK_REL(dlq_spread_variance(&rank->load), 20.0 / 3, 1e-15);
    CHECK_REL(rank->iter.count, 2, 0); /* 10 to 12, 2 to 3 */
    CHECK_REL(dlq_spread_sum(&rank->iter), 3, 1e-15);
    CHECK_INT(rank->worker_count, 4);
    CHECK_REL(dlq_spread_mean(&rank->workers[2]), 5, 1e-15);
    CHECK_REL(rank->workers[1].count, 0, 0);
    CHECK(trace->records == 4 && trace->bad == 2 && trace->data.count == 4 && trace->iter.count == 2,
          "%ld records, %ld malformed", trace->records, trace->bad);
    CHECK(strstr(trace->skipped.text, "a:4: ") != NULL && strstr(trace->skipped.text, "b:2: ") != NULL, "%s",
          trace->skipped.text);
}

/* A log that fails leaves the ranks of those before alone. */
static void failed_log(void)
{
    OWN_TRACE *trace = new_trace(0);
    CHECK_INT(add_text(trace, "a", ZERO, NULL), DLQ_OK);
    CHECK_INT(add_text(trace, "b", BOTH "0,x\n", NULL), DLQ_INVALID);
    CHECK_INT(trace->rank_count, 1);
    CHECK_INT(trace->logs, 1);
    CHECK_INT(trace->kept, 2);
    CHECK_INT(trace->ranks[0].iterations, 2);
}

/* A log of so many records of a rank. */
static void add_log(struct dlq_trace *trace, long rank, long count)
{
    struct dlq_trace *log = new_log(&single);
    struct dlq_record record = dlq_record_empty();
    for (long i = 0; i < count; i++) {
        record.batch.index = (int32_t)i;
        record.batch.iter = (double)(i % 3);
        add(log, rank, record);
    }
    end_log(trace, log);
}

static void check_first(const struct dlq_trace *trace, long number, size_t least, size_t most, bool whole)
{
    const struct dlq_rank *rank = dlq_trace_rank(trace, number);
    CHECK(rank->count >= least && rank->count <= most, "rank %ld keeps %zu", number, rank->count);
    CHECK_INT(rank->whole, whole);
    for (size_t i = 0; i < rank->count; i++)
        if (rank->batches[i].index != (int32_t)i) {
            CHECK(false, "rank %ld keeps %d at %zu", number, rank->batches[i].index, i);
            break;
        }
}

static void kept_of_one(void)
{
    for (long count = DLQ_MOST_RECORDS; count <= DLQ_MOST_RECORDS + 1000; count += 1000) {
        OWN_TRACE *trace = new_trace(0);
        add_log(trace, 0, count);
        check_first(trace, 0, DLQ_MOST_RECORDS, DLQ_MOST_RECORDS, count == DLQ_MOST_RECORDS);
        CHECK_INT(trace->ranks[0].iterations, count);
        CHECK_REL(trace->ranks[0].iter.count, (double)count, 0);
        CHECK_INT(trace->iter.count, count);
    }
}

/* A rank that comes late has its share, and the total stays within the limit. */
static void kept_of_several(void)
{
    enum { SHARE = DLQ_MOST_RECORDS / 4 };
    static const long counts[] = {DLQ_MOST_RECORDS, DLQ_MOST_RECORDS, 10, DLQ_MOST_RECORDS / 2};
    OWN_TRACE *trace = new_trace(0);
    size_t kept = 0;
    for (long i = 0; i < 4; i++)
        add_log(trace, i, counts[i]);
    for (size_t i = 0; i < 4; i++) {
        bool few = counts[i] == 10;
        check_first(trace, (long)i, few ? 10 : SHARE, few ? 10 : 2 * SHARE, few);
        kept += trace->ranks[i].count;
    }
    CHECK_INT(trace->kept, kept);
    CHECK(kept <= DLQ_MOST_RECORDS, "%zu kept", kept);
}

/* Two logs of a rank, one of them too long: what is kept are the first records of all, without a gap. */
static void kept_of_two_logs(void)
{
    static const long counts[][2] = {{10, DLQ_MOST_RECORDS + 1000}, {DLQ_MOST_RECORDS + 1000, 10}};
    for (size_t i = 0; i < 2; i++) {
        OWN_TRACE *trace = new_trace(0);
        for (size_t k = 0; k < 2; k++)
            add_log(trace, 0, counts[i][k]);
        const struct dlq_rank *rank = &trace->ranks[0];
        CHECK_INT(rank->iterations, DLQ_MOST_RECORDS + 1010);
        CHECK_INT(rank->whole, false);
        CHECK_INT(trace->kept, rank->count);
        CHECK(rank->count >= DLQ_MOST_RECORDS / 2, "%zu kept", rank->count);
        long first = i == 0 ? 10 : (long)rank->count;
        CHECK_INT(rank->batches[first - 1].index, first - 1);
        CHECK_INT(rank->batches[rank->count - 1].index, (long)rank->count - 1 - (i == 0 ? first : 0));
    }
}

/* Workers of high numbers in many ranks must not fill the memory. */
static void spreads_of_workers(void)
{
    enum { FULL = DLQ_MOST_SPREADS / DLQ_MOST_WORKERS };
    OWN_TRACE *trace = new_trace(0);
    struct dlq_record record = dlq_record_empty();
    record.batch.load = 1;
    record.batch.worker = DLQ_MOST_WORKERS - 1;
    for (long k = 0; k < 2; k++) { /* the second of the same ranks */
        struct dlq_trace *log = new_log(&single);
        log->spreads = trace->spreads;
        for (long rank = 0; rank < FULL + 1; rank++)
            add(log, rank, record);
        end_log(trace, log);
        CHECK_INT(trace->spreads, DLQ_MOST_SPREADS);
        CHECK_INT(trace->ranks[0].worker_count, DLQ_MOST_WORKERS);
        CHECK_INT(trace->ranks[FULL].worker_count, 0);
        CHECK_REL(trace->ranks[FULL].load.count, (double)(k + 1), 0);
    }
}

static struct dlq_record load_of(long index, double start)
{
    struct dlq_record record = dlq_record_empty();
    record.batch.count = 0;
    record.batch.index = (int32_t)index;
    record.batch.worker = (int32_t)(index % 2);
    record.batch.load_start = start;
    record.batch.load_end = start + 0.5;
    return record;
}

static struct dlq_record iteration_of(long epoch, long index, double received)
{
    struct dlq_record record = dlq_record_empty();
    record.batch.epoch = (int32_t)epoch;
    record.batch.index = (int32_t)index;
    record.batch.request = received - 0.1;
    record.batch.received = received;
    return record;
}

/* Logs in short: "l INDEX START" is a load, "i EPOCH INDEX RECEIVED" an iteration, "." ends a log. Wanted are the
   batches, "EPOCH.INDEX" with the load of each, "START<", and "RECEIVED". */
static void joins(void)
{
    static const struct {
        const char *logs, *want;
    } table[] = {
        /* Two epochs of three batches: each finds its own load, whichever log comes first, and in any order within. */
        {"l 2 5 l 1 4 l 0 3 l 2 2 l 1 1 l 0 0 . i 0 0 .75 i 0 1 1.75 i 0 2 2.75 i 1 0 3.75 i 1 1 4.75 i 1 2 5.75 .",
         "0.0:0<0.75 0.1:1<1.75 0.2:2<2.75 1.0:3<3.75 1.1:4<4.75 1.2:5<5.75"},
        {"i 0 0 .75 i 0 1 1.75 i 0 2 2.75 i 1 0 3.75 i 1 1 4.75 i 1 2 5.75 . l 2 5 l 1 4 l 0 3 l 2 2 l 1 1 l 0 0 .",
         "0.0:0<0.75 0.1:1<1.75 0.2:2<2.75 1.0:3<3.75 1.1:4<4.75 1.2:5<5.75"},
        /* Loads that nobody took, and iterations whose load no log has, stay as they are. */
        {"l 0 0 l 1 0 l 7 0 i 0 1 1 i 0 2 2 .", "-1.0:0<nan -1.7:0<nan 0.1:0<1 0.2:nan<2"},
        /* A batch that was loaded twice has the last load before it, whatever comes later. */
        {"l 1 0 . l 1 .25 . i 0 1 1 . i 0 2 2 .", "-1.1:0<nan 0.1:0.25<1 0.2:nan<2"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_trace *trace = new_trace(0), *log = new_log(&joined);
        char got[512] = "", *at;
        long iterations = 0, loads = 0;
        for (const char *rest = table[i].logs; *rest != '\0'; rest = at + strspn(at, " ")) {
            at = (char *)rest + 1;
            long epoch = *rest == 'i' ? strtol(at, &at, 10) : 0, index = *rest == '.' ? 0 : strtol(at, &at, 10);
            if (*rest == 'l')
                add(log, 0, load_of(index, strtod(at, &at)));
            if (*rest == 'i')
                add(log, 0, iteration_of(epoch, index, strtod(at, &at)));
            iterations += *rest == 'i';
            loads += *rest == 'l';
            if (*rest == '.') {
                end_log(trace, log);
                log = new_log(&joined);
            }
        }
        const struct dlq_rank *rank = &trace->ranks[0];
        for (size_t k = 0; k < rank->count; k++) {
            const struct dlq_batch *batch = &rank->batches[k];
            CHECK_INT(batch->worker, isnan(batch->load) ? -1 : batch->index % 2);
            CHECK(isnan(batch->load) || test_relative(batch->load, 0.5, 1e-15), "load %g", batch->load);
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s%d.%d:%g<%g", k > 0 ? " " : "", batch->epoch,
                     batch->index, batch->load_start, batch->received);
        }
        CHECK_TEXT(got, table[i].want);
        CHECK_INT(trace->kept, rank->count);
        CHECK_INT(rank->iterations, iterations);
        CHECK_REL(rank->load.count, (double)loads, 0);
        dlq_trace_free(log);
        dlq_trace_free(trace);
    }
}

/* More than can be kept: of every log the same indices, so that they still meet. */
static void joins_the_first_of_many(void)
{
    enum { MANY = DLQ_MOST_RECORDS + DLQ_MOST_RECORDS / 2 };
    for (long ranks = 1; ranks <= 3; ranks += 2) {
        OWN_TRACE *trace = new_trace(0);
        for (int loads = 0; loads < 2; loads++) {
            struct dlq_trace *log = new_log(&joined);
            for (long i = 0; i < MANY * ranks; i++) {
                long k = i / ranks;
                add(log, i % ranks, loads ? load_of(k, (double)k) : iteration_of(0, k, (double)k + 0.75));
            }
            end_log(trace, log);
        }
        size_t kept = 0;
        for (long r = 0; r < ranks; r++) {
            const struct dlq_rank *rank = &trace->ranks[r];
            kept += rank->count;
            CHECK_INT(rank->whole, false);
            CHECK_INT(rank->iterations, MANY);
            CHECK_REL(rank->load.count, MANY, 0);
            CHECK((long)rank->count * ranks >= DLQ_MOST_RECORDS / 8, "%zu kept", rank->count);
            for (size_t i = 0; i < rank->count; i++)
                if (rank->batches[i].index != (int32_t)i || isnan(rank->batches[i].load) ||
                    isnan(rank->batches[i].data)) {
                    CHECK(false, "batch %zu: index %d, load %g", i, rank->batches[i].index, rank->batches[i].load);
                    break;
                }
        }
        CHECK_INT(trace->kept, kept);
    }
}

/* Nothing tells them apart: as many are kept as there is room for, which must not take ages. */
static void joins_without_index(void)
{
    struct dlq_trace *trace = new_trace(0), *log = new_log(&joined);
    struct dlq_record record = iteration_of(0, -1, 1);
    for (long i = 0; i < 2L * DLQ_MOST_RECORDS; i++)
        add(log, 0, record);
    end_log(trace, log);
    CHECK_INT(trace->ranks[0].whole, false);
    CHECK_INT(trace->ranks[0].iterations, 2L * DLQ_MOST_RECORDS);
    CHECK(trace->kept <= DLQ_MOST_RECORDS, "%zu", trace->kept);
    dlq_trace_free(trace);
}

TEST_SUITE(retain, CASE(derived_times), CASE(iterations_from_ends), CASE(refuses_what_does_not_fit), CASE(rank_of_name),
           CASE(of_which_run), CASE(parts_of_a_rank), CASE(failed_log), CASE(kept_of_one), CASE(kept_of_several),
           CASE(kept_of_two_logs), CASE(spreads_of_workers), CASE(joins), CASE(joins_the_first_of_many),
           CASE(joins_without_index));
