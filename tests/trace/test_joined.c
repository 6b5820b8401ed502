/* Records of one batch from several logs. */
#include "log_bytes.h"

static const struct dlq_format joined = {.name = "joined", .numbers = DLQ_NUMBERS_SINGLE, .joins = true};

static void end_log(struct dlq_trace *trace)
{
    CHECK_INT(dlq_trace_end_log(trace, &joined, -1, NULL), DLQ_OK);
}

static void add(struct dlq_trace *trace, struct dlq_record record)
{
    char why[DLQ_LOG_WHY] = "";
    CHECK_INT(dlq_trace_add(trace, &joined, 0, &record, why), DLQ_TAKEN_RECORD);
    CHECK_TEXT(why, "");
}

static struct dlq_record load_of(long index, double start)
{
    struct dlq_record record = dlq_record_empty();
    record.count = 0;
    record.index = index;
    record.worker = index % 2;
    record.load_start = start;
    record.load_end = start + 0.5;
    return record;
}

static struct dlq_record iteration_of(long epoch, long index, double received)
{
    struct dlq_record record = dlq_record_empty();
    record.epoch = epoch;
    record.index = index;
    record.request = received - 0.1;
    record.received = received;
    return record;
}

/* Two epochs of three batches: each finds its own load, whichever log comes first, and in any order within. */
static void joins_in_time(void)
{
    for (int order = 0; order < 2; order++) {
        struct dlq_trace *trace = new_trace(0);
        for (int log = 0; log < 2; log++) {
            bool loads = (log == 0) == (order == 0);
            for (int i = 5; loads && i >= 0; i--)
                add(trace, load_of(i % 3, i));
            for (int i = 0; !loads && i < 6; i++)
                add(trace, iteration_of(i / 3, i % 3, i + 0.75));
            end_log(trace);
        }
        const struct dlq_rank *rank = &trace->ranks[0];
        CHECK_INT(rank->count, 6);
        CHECK_INT(trace->kept, 6);
        CHECK_INT(rank->iterations, 6);
        for (int i = 0; i < 6; i++) {
            const struct dlq_batch *batch = &rank->batches[i];
            CHECK_INT(batch->epoch, i / 3);
            CHECK_INT(batch->index, i % 3);
            CHECK_INT(batch->count, 1);
            CHECK_INT(batch->worker, i % 3 % 2);
            CHECK_REL(batch->load_start, i, 0);
            CHECK_REL(batch->load, 0.5, 0);
            CHECK_REL(batch->received, i + 0.75, 0);
        }
        dlq_trace_free(trace);
    }
}

/* Loads that nobody took, and iterations whose load no log has, stay as they are. */
static void joins_what_it_can(void)
{
    struct dlq_trace *trace = new_trace(0);
    const struct dlq_record records[] = {load_of(0, 0), load_of(1, 0), load_of(7, 0), iteration_of(0, 1, 1),
                                         iteration_of(0, 2, 2)};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        add(trace, records[i]);
    end_log(trace);
    const struct dlq_rank *rank = &trace->ranks[0];
    CHECK_INT(rank->count, 4);
    CHECK_INT(rank->iterations, 2);
    CHECK_REL(rank->load.count, 3, 0);
    long joined_ones = 0;
    for (size_t i = 0; i < rank->count; i++)
        joined_ones += rank->batches[i].count > 0 && !isnan(rank->batches[i].load);
    CHECK_INT(joined_ones, 1);
    dlq_trace_free(trace);
}

/* A batch that was loaded twice has the last load before it, whatever comes later. */
static void joins_once(void)
{
    struct dlq_trace *trace = new_trace(0);
    const struct dlq_record records[] = {load_of(1, 0), load_of(1, 0.25), iteration_of(0, 1, 1), iteration_of(0, 2, 2)};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        add(trace, records[i]);
        if (i >= 2)
            end_log(trace);
    }
    const struct dlq_rank *rank = &trace->ranks[0];
    CHECK_INT(rank->count, 3);
    CHECK_INT(rank->batches[0].count, 0);
    CHECK_REL(rank->batches[0].load_start, 0, 0);
    CHECK_INT(rank->batches[1].index, 1);
    CHECK_REL(rank->batches[1].load_start, 0.25, 0);
    dlq_trace_free(trace);
}

/* More than can be kept: of every log the same indices, so that they still meet. */
static void joins_the_first_of_many(void)
{
    enum { MANY = DLQ_MOST_RECORDS + DLQ_MOST_RECORDS / 2 };
    struct dlq_trace *trace = new_trace(0);
    for (int log = 0; log < 2; log++) {
        for (long i = 0; i < MANY; i++)
            add(trace, log == 0 ? iteration_of(0, i, (double)i + 0.75) : load_of(i, (double)i));
        end_log(trace);
    }
    const struct dlq_rank *rank = &trace->ranks[0];
    CHECK_INT(rank->whole, false);
    CHECK_INT(rank->iterations, MANY);
    CHECK_REL(rank->load.count, MANY, 0);
    CHECK(rank->count >= DLQ_MOST_RECORDS / 8, "%zu kept", rank->count);
    CHECK_INT(trace->kept, rank->count);
    for (size_t i = 0; i < rank->count; i++)
        if (rank->batches[i].index != (int32_t)i || isnan(rank->batches[i].load) || isnan(rank->batches[i].data)) {
            CHECK(false, "batch %zu: index %d, load %g", i, rank->batches[i].index, rank->batches[i].load);
            break;
        }
    dlq_trace_free(trace);
}

/* Nothing tells them apart: none can be kept, which must not take ages. */
static void joins_without_index(void)
{
    struct dlq_trace *trace = new_trace(0);
    struct dlq_record record = iteration_of(0, -1, 1);
    for (long i = 0; i < 2L * DLQ_MOST_RECORDS; i++)
        add(trace, record);
    end_log(trace);
    CHECK_INT(trace->ranks[0].whole, false);
    CHECK_INT(trace->ranks[0].iterations, 2L * DLQ_MOST_RECORDS);
    CHECK(trace->kept <= DLQ_MOST_RECORDS, "%zu", trace->kept);
    dlq_trace_free(trace);
}

static const struct test_case cases[] = {
    {"joins in time", joins_in_time},
    {"joins what it can", joins_what_it_can},
    {"joins once", joins_once},
    {"joins the first of many", joins_the_first_of_many},
    {"joins without index", joins_without_index},
    {NULL, NULL},
};

const struct test_suite suite_joined = {"joined", cases};
