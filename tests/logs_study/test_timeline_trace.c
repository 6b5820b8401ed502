/* Timelines of logs: known answers, those that the probe wrote, and what a diagnosis says of the same logs. */
#include "logs/stats/stats.h"
#include "study/models.h"
#include "traces.h"

static enum dlq_status timeline_of(struct dlq_trace *trace, struct dlq_pipeline_hint hint, double from, double until,
                                   struct dlq_timeline *timeline, struct dlq_error *error)
{
    enum dlq_status status = dlq_timeline_of_trace(trace, &hint, from, until, timeline, error);
    dlq_trace_free(trace);
    return status;
}

static bool is_same(double got, double want)
{
    return fabs(got - want) < 1e-9 || (isnan(got) && isnan(want));
}

static void check_batch(const char *name, const struct dlq_timeline_batch *got, const struct dlq_timeline_batch *want)
{
    CHECK(got->worker == want->worker && got->epoch == want->epoch && got->index == want->index &&
              got->step == want->step,
          "%s: worker %ld epoch %ld index %ld step %ld", name, got->worker, got->epoch, got->index, got->step);
    CHECK(is_same(got->dispatched, want->dispatched) && is_same(got->load_start, want->load_start) &&
              is_same(got->load_end, want->load_end) && isnan(got->ready),
          "%s: step %ld: dispatched %g, load %g to %g", name, got->step, got->dispatched, got->load_start,
          got->load_end);
    CHECK(is_same(got->request, want->request) && is_same(got->received, want->received) &&
              is_same(got->step_begin, want->step_begin) && is_same(got->step_end, want->step_end),
          "%s: step %ld: %g %g %g %g", name, got->step, got->request, got->received, got->step_begin, got->step_end);
}

#define POINTS "epoch,index,worker,dispatched,load_start,load_end,request,received,step_end\n"
#define TWO_EPOCHS                                                                                                     \
    POINTS "0,0,730,100,100,104,100.5,104.5,105\n0,1,731,100,100,101,105,105.5,106\n"                                  \
           "1,0,733,108,109,110,108,110.5,111\n1,1,732,108,109,112,111,112.5,113\n"
#define TWO_RANKS                                                                                                      \
    "rank,index,worker,load_start,load_end,request,received,step_end\n0,0,0,0,1,0,1,4\n0,1,1,0,2,4,4.5,8\n"            \
    "1,0,0,0,2,0,2,4\n1,1,1,0,1,4,4.25,8\n"

/* First request at 100.5; a worker that ends with its epoch is another one in the next. */
static const struct dlq_timeline_batch two_epochs[] = {
    {0, 0, 0, 0, -0.5, -0.5, 3.5, NAN, 0, 4, 4, 4.5, 0},
    {1, 0, 1, 1, -0.5, -0.5, 0.5, NAN, 4.5, 5, 5, 5.5, 0},
    {1, 1, 0, 2, 7.5, 8.5, 9.5, NAN, 7.5, 10, 10, 10.5, 0},
    {0, 1, 1, 3, 7.5, 8.5, 11.5, NAN, 10.5, 12, 12, 12.5, 0},
};
static const struct dlq_timeline_batch two_ranks[] = {
    {0, 0, 0, 0, NAN, 0, 1, NAN, 0, 1, 2, 4, 0},
    {1, 0, 1, 1, NAN, 0, 2, NAN, 4, 4.5, 4.5, 8, 0},
    {0, 0, 0, 0, NAN, 0, 2, NAN, 0, 2, 2, 4, 0},
    {1, 0, 1, 1, NAN, 0, 1, NAN, 4, 4.25, 4.5, 8, 0},
};
static const struct dlq_timeline_batch no_workers[] = {
    {-1, 0, 0, 0, NAN, NAN, NAN, NAN, 0, 0.5, 0.5, 1, 0},
    {-1, 0, 1, 1, NAN, NAN, NAN, NAN, 1, 1.25, 1.25, 2, 0},
};
static const struct dlq_timeline_batch serial[] = {
    {0, 0, 0, 0, NAN, 0, 0.5, NAN, 0, 0.5, 0.5, 1, 0},
    {0, 0, 1, 1, NAN, 1, 1.25, NAN, 1, 1.25, 1.25, 2, 0},
};
static const struct dlq_timeline_batch alone[] = {
    {-1, 0, 0, 0, NAN, NAN, NAN, NAN, 0, 0.25, 0.25, 1, 0},
    {-1, 0, 1, 1, NAN, NAN, NAN, NAN, 1, 1, 1, 1.5, 0},
    {-1, 0, 2, 2, NAN, NAN, NAN, NAN, 1.5, 3.5, 3.5, 4, 0},
};

#define ROWS(rows) (rows), sizeof(rows) / sizeof *(rows)
#define ALONE "data_time,iter_time\n0.25,1\n0,0.5\n2,2.5\n"
#define LOAD_TIMES "index,worker,load_time,request,received,step_end\n0,0,0.4,0,0.5,1\n1,1,0.4,1,1.25,2\n"
#define TWICE                                                                                                          \
    "index,worker,load_start,load_end,request,received,step_end\n0,0,0,1,0,1,4\n0,0,0,1,0,1,5\n1,1,0,2,5,5.5,8\n"
#define WINDOWS "Epoch: [0]  [ 0/100]  time: 9.9000  data: 0.9000\nEpoch: [0]  [10/100]  time: 1.1500  data: 0.2000\n"
#define INSIDE "index,load_start,load_end,request,received,step_end\n0,0,0.5,0,0.5,1\n1,1,1.25,1,1.25,2\n"

static void known_answers(void)
{
    static const struct {
        const char *name, *log;
        struct dlq_pipeline_hint hint;
        double from, until;
        const struct dlq_timeline_batch *batches;
        size_t count;
        const char *loader;
        long loaders, workers, window, ranks;
        double end;
    } rows[] = {
        {"epochs", TWO_EPOCHS, {NULL, -1, 0}, 0, INFINITY, ROWS(two_epochs), "pytorch", 2, 2, 4, 1, 12.5},
        /* ends exactly at the borders: the step that ends then counts, and a load that begins then */
        {"first", TWO_EPOCHS, {NULL, -1, 0}, 0, 4.5, two_epochs, 2, "pytorch", 2, 2, 4, 1, 4.5},
        {"late", TWO_EPOCHS, {NULL, -1, 0}, 5.5, 20, two_epochs + 1, 3, "pytorch", 2, 2, 4, 1, 12.5},
        {"middle", TWO_EPOCHS, {NULL, -1, 0}, 6, 8, two_epochs + 2, 2, NULL, 2, 2, 4, 1, 8},
        {"ranks", TWO_RANKS, {NULL, -1, 0}, 0, INFINITY, ROWS(two_ranks), "pytorch", 2, 2, 4, 2, 8},
        {"without starts", LOAD_TIMES, {NULL, -1, 0}, 0, INFINITY, ROWS(no_workers), "pytorch", 2, 0, 4, 1, 2},
        {"serial", INSIDE, {NULL, -1, 0}, 0, INFINITY, ROWS(serial), "serial", 0, 1, 1, 1, 2},
        {"threads", INSIDE, {"dali", 3, 0}, 0, INFINITY, ROWS(serial), "dali", 3, 1, 2, 1, 2},
        {"told", INSIDE, {"pytorch", 0, 0}, 0, INFINITY, ROWS(serial), "serial", 0, 1, 1, 1, 2},
        {"alone", ALONE, {NULL, -1, 0}, 0, INFINITY, ROWS(alone), NULL, 0, 0, 0, 1, 4},
        {"alone, told", ALONE, {"pool", 5, 0}, 1, 1.25, alone, 2, "pool", 5, 0, 0, 1, 1.25},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(dlq_timeline) timeline = {0};
        struct dlq_error error = {0};
        enum dlq_status status =
            timeline_of(trace_of_text(rows[i].log), rows[i].hint, rows[i].from, rows[i].until, &timeline, &error);
        CHECK(status == DLQ_OK, "%s: %s", rows[i].name, error.text);
        if (status != DLQ_OK)
            continue;
        CHECK(timeline.measured && timeline.loaders == rows[i].loaders && timeline.workers == rows[i].workers &&
                  timeline.window == rows[i].window && (long)timeline.rank_count == rows[i].ranks &&
                  timeline.from == rows[i].from && is_same(timeline.until, rows[i].end),
              "%s: N %ld, %ld rows, K %ld, %zu ranks, %g to %g", rows[i].name, timeline.loaders, timeline.workers,
              timeline.window, timeline.rank_count, timeline.from, timeline.until);
        if (rows[i].loader != NULL)
            CHECK_TEXT(timeline.loader != NULL ? timeline.loader : "", rows[i].loader);
        size_t at = 0;
        for (size_t r = 0; r < timeline.rank_count; r++) {
            CHECK_INT(timeline.ranks[r].number, r);
            CHECK_INT(timeline.ranks[r].stepped, timeline.ranks[r].count);
            for (size_t k = 0; k < timeline.ranks[r].count && at < rows[i].count; k++)
                check_batch(rows[i].name, &timeline.ranks[r].batches[k], &rows[i].batches[at++]);
        }
        CHECK_INT(at, rows[i].count);
    }
}

static void refused(void)
{
    static const struct {
        const char *log;
        struct dlq_pipeline_hint hint;
        double from, until;
        enum dlq_status status;
        const char *why;
    } rows[] = {
        {ALONE, {NULL, -1, 0}, 4, INFINITY, DLQ_NO_ANSWER, "no iteration lies after 4 s: the log ends at 4 s"},
        {TWICE, {NULL, -1, 0}, 0, INFINITY, DLQ_NO_ANSWER, "iteration 2 of rank 0 overlaps the one before"},
        {TWO_EPOCHS, {NULL, -1, 0}, 5.5, 7.5, DLQ_NO_ANSWER, "no iteration lies between 5.5 s and 7.5 s"},
        {ALONE, {NULL, -1, 0}, -1, 2, DLQ_INVALID, "from -1 s"},
        {ALONE, {NULL, -1, 0}, 2, 2, DLQ_INVALID, "until 2 s"},
        {ALONE, {NULL, -1, 0}, NAN, 2, DLQ_INVALID, "from"},
        {ALONE, {NULL, -1, 0}, 0, NAN, DLQ_INVALID, "until"},
        {ALONE, {"nobody", -1, 0}, 0, 2, DLQ_INVALID, "no loader is called 'nobody'"},
        {TWO_EPOCHS, {NULL, 1, 0}, 0, 2, DLQ_INVALID, "1 loaders given, but the trace shows 2"},
        {"data_time\n0.1\n0.2\n", {NULL, -1, 0}, 0, 2, DLQ_NO_ANSWER, "2 of 2 of rank 0 are without"},
        /* Windows of iterations hide what happened in each. */
        {WINDOWS, {NULL, -1, 0}, 0, 2, DLQ_NO_ANSWER, "several together"},
        {"iter_time\n0.1\n0.2\n", {NULL, -1, 0}, 0, 2, DLQ_NO_ANSWER, "2 of 2 of rank 0 are without"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_timeline timeline = {.window = 77};
        struct dlq_error error = {0};
        enum dlq_status status =
            timeline_of(trace_of_text(rows[i].log), rows[i].hint, rows[i].from, rows[i].until, &timeline, &error);
        CHECK(status == rows[i].status && strstr(error.text, rows[i].why) != NULL && error.count == 1,
              "row %zu: status %d, '%s'", i, (int)status, error.text);
        CHECK_INT(timeline.window, 77);
    }
}

/* Waits and steps of the log, rank by rank, and its rhythm. */
static void check_diagnosis(const char *name, const struct dlq_timeline *timeline, const struct dlq_diagnosis *want)
{
    OWN(dlq_rhythm) rhythm = {0};
    CHECK_INT(timeline->rank_count, want->rank_count);
    for (size_t r = 0; r < timeline->rank_count && r < want->rank_count; r++) {
        struct dlq_timeline_summary sums;
        dlq_timeline_summarize(timeline, r, NULL, &sums);
        double waits = sums.waiting + sums.receiving, steps = (double)sums.steps;
        CHECK_INT(sums.steps, want->ranks[r].iterations);
        CHECK_REL(waits / steps, want->ranks[r].data_time.mean, 1e-3);
        CHECK_REL(sums.span / steps, want->ranks[r].iter_time.mean, 1e-3);
        CHECK(waits + sums.barrier + sums.stepping <= sums.span * (1 + 1e-9), "%s: rank %zu: parts exceed the span",
              name, r);
        CHECK(waits + sums.barrier + sums.stepping > 0.98 * sums.span, "%s: rank %zu: parts are missing", name, r);
    }
    for (size_t k = 0; timeline->rank_count == 2 && k < timeline->ranks[0].stepped; k++) {
        const struct dlq_timeline_batch *one = &timeline->ranks[0].batches[k], *other = &timeline->ranks[1].batches[k];
        CHECK(one->step_begin == other->step_begin && is_same(one->step_begin, fmax(one->received, other->received)),
              "%s: step %zu: %g and %g", name, k, one->step_begin, other->step_begin);
    }
    CHECK_INT(dlq_rhythm_of_timeline(timeline, &rhythm, NULL), DLQ_OK);
    CHECK(rhythm.period == want->period || (isnan(rhythm.period) && isnan(want->period)), "%s: period %g, not %g", name,
          rhythm.period, want->period);
    CHECK(timeline->rank_count > 1 || rhythm.loaders == want->loaders, "%s: %ld loaders", name, rhythm.loaders);
}

static void as_diagnosed(void)
{
    static const struct {
        const char *names[4];
        size_t count;
        long loaders;
    } rows[] = {
        {{"cases/n0_p1_exp_r1"}, 1, 0},
        {{"cases/n4_p2_const_r2"}, 1, 4},
        {{"cases/n8_p2_exp_r1"}, 1, 8},
        {{"cases/n24_p2_const_r1"}, 1, 24},
        {{"cases/n8_p8_logn1_r2"}, 1, 8},
        {{"unordered/n8_p2_bimodal0.05-40_r1_unordered"}, 1, 8},
        {{"multirank/mr2_bimodal_r1_rank0", "multirank/mr2_bimodal_r1_rank1"}, 2, 4},
        {{"multirank/mr4_logn1_r1_p8_rank0", "multirank/mr4_logn1_r1_p8_rank1", "multirank/mr4_logn1_r1_p8_rank2",
          "multirank/mr4_logn1_r1_p8_rank3"},
         4,
         4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN_TRACE *trace = trace_of_files(rows[i].names, rows[i].count);
        OWN(dlq_timeline) timeline = {0};
        OWN(dlq_diagnosis) diagnosis = {0};
        struct dlq_error error = {0};
        enum dlq_status status = dlq_timeline_of_trace(trace, &no_hint, 0, INFINITY, &timeline, &error);
        CHECK(status == DLQ_OK && dlq_diagnose(trace, NULL, &diagnosis, &error) == DLQ_OK, "%s", error.text);
        CHECK_INT(timeline.loaders, rows[i].loaders);
        check_diagnosis(rows[i].names[0], &timeline, &diagnosis);
    }
}

/* Whoever loaded in whatever order: as it was simulated. */
static void simulated_runs(void)
{
    for (int i = 0; i < 12; i++) {
        OWN(dlq_timeline) timeline = {0};
        struct dlq_error error = {0};
        struct run run = {.workers = 1 + i % 5,
                          .prefetch = 1 + i % 3,
                          .batches = 80,
                          .epochs = 1 + i % 2,
                          .by_completion = i % 4 == 3,
                          .deliver = 0.001,
                          .receive = 0.002,
                          .step = 0.03,
                          .load = i % 2 == 0 ? law_mild : law_exponential,
                          .seed = 5 + (unsigned)i};
        simulate(&run);
        CHECK(timeline_of(trace_of_run(&run, 0), no_hint, 0, INFINITY, &timeline, &error) == DLQ_OK, "run %d: %s", i,
              error.text);
        CHECK(timeline.rank_count == 1 && (long)timeline.ranks[0].stepped == run.count, "run %d", i);
        CHECK(timeline.in_order == !run.by_completion || run.workers == 1, "run %d: order", i);
        if (run.workers > 2) /* batches are ready now and then */
            CHECK_ABS(timeline.receive, 0.002, 2e-4);
        for (long k = 0; timeline.rank_count == 1 && k < run.count; k++) {
            const struct row *row = &run.rows[k];
            const struct dlq_timeline_batch *batch = &timeline.ranks[0].batches[k];
            double origin = run.rows[0].request;
            CHECK(batch->worker == row->worker && batch->index == row->index && batch->epoch == row->epoch &&
                      fabs(batch->load_start - (row->load_start - origin)) < 1e-6 &&
                      fabs(batch->load_end - (row->load_end - origin)) < 1e-6 &&
                      fabs(batch->received - (row->received - origin)) < 1e-6,
                  "run %d: step %ld", i, k);
        }
    }
}

/* What an epoch's first batch waits for is no part of a measured rhythm. */
static void epochs_begin_slowly(void)
{
    OWN(dlq_timeline)
    timeline = recorded("pipeline.loaders=3 pipeline.epoch_batches=20 overheads.startup=40s "
                        "load.mean=1ms step.mean=100ms",
                        0, 840);
    struct dlq_rhythm rhythm = {0};
    timeline.period_rule = dlq_rhythm_of_waits;
    for (int k = 0; k < 2; k++) {
        CHECK_INT(dlq_rhythm_of_timeline(&timeline, &rhythm, NULL), DLQ_OK);
        CHECK(k == 0 ? isnan(rhythm.period) : rhythm.period == 20, "period %g", rhythm.period);
        CHECK_REL(rhythm.waits[20], 40.001, 1e-9);
        dlq_rhythm_free(&rhythm);
        for (size_t i = 0; i < timeline.ranks[0].count; i++)
            timeline.ranks[0].batches[i].epoch = 0;
    }
}

TEST_SUITE(timeline_trace, CASE(known_answers), CASE(refused), CASE(as_diagnosed), CASE(simulated_runs),
           CASE(epochs_begin_slowly));
