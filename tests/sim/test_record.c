/* Records: what simulation counts follows from them to the bit; longer and shorter ones agree; refusals. */
#include "recorded.h"

#include "sim/measure.h"

#include <string.h>

enum { PIPELINES = 520 };

/* What is counted of a rank's steps. */
struct counted {
    struct dlq_tally tally;
    struct dlq_lane_sums sums;
    struct dlq_lane_state state;
    double series[DLQ_PERIOD_WAITS], wait_max;
};

static bool count(const struct recorded *recorded, const struct tape *tape, long r, struct counted *counted)
{
    const struct dlq_timeline_rank *rank = &recorded->ranks[r];
    struct dlq_source step;
    struct dlq_extent extent;
    struct dlq_tally *tally = &counted->tally;
    if (dlq_source_begin(&step, &recorded->built.system.step, DLQ_PURPOSE_STEP, DLQ_SAMPLER_FAST, DLQ_PORTABLE, NULL) !=
        DLQ_OK)
        return false;
    dlq_extent_make(&extent, &recorded->point, &recorded->built.options);
    dlq_tally_begin(tally, &recorded->point, &extent, 1, dlq_source_constant(&step));
    dlq_source_free(&step);
    counted->sums = (struct dlq_lane_sums){.end = {0}};
    counted->wait_max = 0;
    counted->state = (struct dlq_lane_state){
        .sums = &counted->sums, .horizon = extent.horizon, .stall_above = dlq_stall_above(&recorded->point)};
    for (size_t i = 0; i < rank->stepped && !dlq_tally_complete(tally); i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        double wait = 0;
        size_t within = dlq_tally_add(&counted->state, &batch->step_begin, &batch->step_end, &tape->step[i], 1, &wait);
        if (dlq_tally_measures(tally) && within == 1) {
            counted->wait_max = fmax(counted->wait_max, wait);
            if (tally->counted < DLQ_PERIOD_WAITS)
                counted->series[tally->counted] = wait;
        }
        dlq_tally_after(tally, &counted->state, &(struct dlq_block){.steps = &tape->step[i]}, 1);
    }
    return dlq_tally_complete(tally);
}

/* The part of a simulation that one replication determines, from its outcome. */
static bool same_outcome(const struct recorded *recorded, const struct dlq_simulation *result,
                         const struct counted *counted)
{
    struct dlq_outcome outcome;
    const struct dlq_tally *tally = &counted->tally;
    dlq_tally_outcome(tally, &counted->state, 0, &outcome);
    const struct dlq_work *step = &recorded->built.system.step;
    bool horizon = !isnan(recorded->built.options.horizon);
    /* As results are summed up: the throughput from seconds per batch, the utilization of constant steps from that. */
    double throughput = horizon ? outcome.throughput : 1 / (1 / outcome.throughput);
    bool constant = dlq_work_is_constant(step) && !horizon;
    const double pairs[][2] = {
        {result->throughput.value, throughput},
        {result->utilization.value, fmin(constant ? throughput * step->mean : outcome.trained / outcome.seconds, 1)},
        {result->au.value, outcome.au_seconds > 0 ? fmin(outcome.au_stepping / outcome.au_seconds, 1) : NAN},
        {result->wait_mean.value, tally->counted > 0 ? outcome.wait_mean : 0},
        {result->stalled_steps.value, tally->counted > 0 ? outcome.stalled : 0},
        {result->time_to_first_batch.value, outcome.first_batch},
        {result->batches.value, outcome.batches},
        {result->wait_max, counted->wait_max},
    };
    bool same = true;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        bool equal = pairs[k][0] == pairs[k][1] || (isnan(pairs[k][0]) && isnan(pairs[k][1]));
        CHECK(equal, "value %zu: simulated %.17g, of the record %.17g\n%s", k, pairs[k][0], pairs[k][1],
              recorded->text);
        same = same && equal;
    }
    return same;
}

static void same_waits(const struct recorded *recorded, const struct dlq_simulation *result,
                       const struct counted *counted)
{
    const struct dlq_tally *tally = &counted->tally;
    const struct built *built = &recorded->built;
    const struct dlq_run run = {.threads = 1};
    struct dlq_waits waits = {.count = 0};
    struct dlq_error error = {0};
    enum dlq_status status = dlq_waits_simulate(&built->system, &built->options, &run, &waits, &error);
    CHECK(status == DLQ_OK && (long)waits.count == tally->counted && waits.first == tally->extent.warmup &&
              memcmp(waits.series, counted->series, waits.count * sizeof *waits.series) == 0,
          "%zu waits, expected %ld: %s\n%s", waits.count, tally->counted, error.text, recorded->text);
    CHECK(waits.stalled == result->stalled_steps.value || waits.count == 0, "stalled %g\n%s", waits.stalled,
          recorded->text);
    if (isnan(built->options.horizon))
        CHECK_REL(waits.stepping / waits.time, result->utilization.value, 1e-12);
    free(waits.series);
}

/* Without a horizon, and with one that cuts a step. */
static void compare(struct recorded *recorded, int *compared)
{
    struct dlq_extent extent;
    OWN(tape) tape = {0};
    static struct counted counted;
    struct dlq_simulate_options *options = &recorded->built.options;
    const struct dlq_simulation result = simulate_built(&recorded->built, 1);
    if (isnan(options->horizon)) /* whole rounds of constant loads */
        options->batches = result.batches_per_replication;
    dlq_extent_make(&extent, &recorded->point, options);
    bool made = isnan(options->horizon) ? recorded_steps(recorded, extent.warmup + extent.batches)
                                        : recorded_make(recorded, 0, options->horizon);
    if (made && recorded_tape(recorded, &tape)) {
        for (long r = 0; r < recorded->point.ranks; r++) {
            bool whole = count(recorded, &tape, r, &counted);
            CHECK(whole, "rank %ld: %zu steps do not end it\n%s", r, recorded->ranks[r].stepped, recorded->text);
            if (whole && same_outcome(recorded, &result, &counted) && r == 0) {
                same_waits(recorded, &result, &counted);
                ++*compared;
            }
        }
    }
}

static void records_are_the_simulation(void)
{
    int compared = 0;
    const unsigned every = (unsigned)test_every(3);
    for (unsigned number = 0; number < PIPELINES; number += every) {
        OWN(recorded) recorded;
        if (recorded_begin(&recorded, number)) {
            if (number % 4 == 3)
                recorded.built.options.horizon = 1.385 + 0.1 * (number % 50);
            compare(&recorded, &compared);
        }
    }
    CHECK(compared >= 500 / (int)every, "%d compared", compared);
}

static bool same_batch(const struct dlq_timeline_batch *a, const struct dlq_timeline_batch *b)
{
    const double times[][2] = {{a->dispatched, b->dispatched}, {a->load_start, b->load_start},
                               {a->load_end, b->load_end},     {a->ready, b->ready},
                               {a->request, b->request},       {a->received, b->received},
                               {a->step_begin, b->step_begin}, {a->step_end, b->step_end}};
    bool same = a->worker == b->worker && a->epoch == b->epoch && a->index == b->index && a->step == b->step;
    for (size_t k = 0; k < sizeof times / sizeof *times; k++)
        same = same && (times[k][0] == times[k][1] || (isnan(times[k][0]) && isnan(times[k][1])));
    return same;
}

/* What a record that ends at `until` says of a batch of a longer one; false: nothing. */
static bool cut(struct dlq_timeline_batch *batch, double from, double until, bool unbounded)
{
    if (batch->request <= until)
        return batch->step_end >= from;
    bool begun = batch->load_start <= until;
    batch->step = -1;
    batch->request = batch->received = batch->step_begin = batch->step_end = NAN;
    if (!begun) {
        batch->worker = -1;
        batch->load_start = batch->load_end = batch->ready = NAN;
    }
    return unbounded ? begun : batch->dispatched <= until;
}

static int by_use(const void *left, const void *right)
{
    const struct dlq_timeline_batch *a = left, *b = right;
    long keys[2] = {a->step < 0 ? LONG_MAX : a->step, b->step < 0 ? LONG_MAX : b->step};
    if (keys[0] == keys[1])
        return (a->index > b->index) - (a->index < b->index);
    return keys[0] < keys[1] ? -1 : 1;
}

/* The rank of the longer record, cut in place, is that of the shorter one. */
static bool is_part(struct dlq_timeline_rank *longer, const struct dlq_timeline_rank *shorter, double from,
                    double until, bool unbounded)
{
    size_t left = 0;
    for (size_t i = 0; i < longer->count; i++)
        if (cut(&longer->batches[i], from, until, unbounded))
            longer->batches[left++] = longer->batches[i];
    qsort(longer->batches, left, sizeof *longer->batches, by_use);
    bool same = left == shorter->count;
    for (size_t i = 0; i < left && same; i++)
        same = same_batch(&longer->batches[i], &shorter->batches[i]) &&
               (i < shorter->stepped) == (shorter->batches[i].step >= 0);
    return same;
}

static void shorter_records_are_parts(void)
{
    for (unsigned number = 0; number < PIPELINES; number += (unsigned)test_every(3)) {
        struct recorded longer, shorter;
        double until = 0.385 + 0.1 * (number % 40);
        double from = number % 3 == 0 ? 0 : until * (number % 7) / 8;
        bool begun = recorded_begin(&longer, number);
        if (recorded_begin(&shorter, number) && begun && recorded_make(&longer, 0, 2 * until + 1) &&
            recorded_make(&shorter, from, until))
            for (long r = 0; r < shorter.point.ranks; r++)
                CHECK(is_part(&longer.ranks[r], &shorter.ranks[r], from, until, shorter.point.window == DLQ_UNBOUNDED),
                      "rank %ld from %g to %g: %zu batches\n%s", r, from, until, shorter.ranks[r].count, shorter.text);
        recorded_free(&longer);
        recorded_free(&shorter);
    }
}

/* Replications are their own runs. */
static void replications_differ(void)
{
    OWN(built) built;
    struct dlq_timeline_rank *ranks[3] = {NULL};
    const struct dlq_run run = {.threads = 1};
    const struct dlq_run seeded = {.threads = 1, .seed = 77, .has_seed = true};
    if (build(&built, "[pipeline]\nloaders = 2\n[load]\nmean = 50ms\ncv = 0.3\n[step]\nmean = 20ms\n")) {
        for (int k = 0; k < 3; k++) {
            const struct dlq_record_span span = {.replication = k == 1, .until = 1};
            CHECK(dlq_record(&built.system, &built.options, &span, k == 2 ? &seeded : &run, &ranks[k], NULL) == DLQ_OK,
                  "no record %d", k);
            for (int j = 0; j < k && ranks[k] != NULL && ranks[j] != NULL; j++)
                CHECK(ranks[k]->batches[0].load_end != ranks[j]->batches[0].load_end, "%d is %d", k, j);
        }
    }
    for (int k = 0; k < 3; k++)
        dlq_record_free(ranks[k], 1);
}

#define LOADERS "[pipeline]\nloaders = 8\n"

static void refusals(void)
{
    static volatile sig_atomic_t raised = 1;
    static const struct {
        const char *text;
        double from, until;
        bool interrupted;
        enum dlq_status status;
        const char *says;
    } rows[] = {
        {LOADERS "[load]\nmean = 1us\n[step]\nmean = 1us\n", 0, 1e4, false, DLQ_INVALID, "1048576"},
        {LOADERS "[load]\nmean = 1us\n[step]\nmean = 1us\n", 0, 1e4, false, DLQ_INVALID, "lower --until"},
        {LOADERS "window = unbounded\n[load]\nmean = 1us\n[step]\nmean = 1s\n", 0, 10, false, DLQ_INVALID, "window"},
        {"[pipeline]\nloaders = 8\nloader = pool-ordered\nwindow = 1048576\n[load]\nmean = 1s\n[step]\nmean = 1s\n", 0,
         10, false, DLQ_INVALID, "1048576"},
        {LOADERS "[load]\nmean = 1us\n[step]\nmean = 1us\n", 1e8, 1e8 + 1e-3, false, DLQ_INVALID, "lower --from"},
        {LOADERS "[load]\nmean = 1ns\n[step]\nmean = 0\n", 0, 1, false, DLQ_INVALID, "1048576"},
        {LOADERS "[load]\nmean = 1ns\n[step]\nmean = 0\n", 1, 2, false, DLQ_INVALID, "lower --from"},
        {LOADERS "[load]\nmean = 1us\n[step]\nmean = 1us\n", 0, 1e4, true, DLQ_INTERRUPTED, "interrupted"},
        {LOADERS "[load]\nmean = 1s\n[step]\nmean = 1s\n", -1, 1, false, DLQ_INVALID, "from -1"},
        {LOADERS "[load]\nmean = 1s\n[step]\nmean = 1s\n", 1, 1, false, DLQ_INVALID, "from < until"},
        {LOADERS "[load]\nmean = 1s\n[step]\nmean = 1s\n", NAN, 1, false, DLQ_INVALID, "from < until"},
        {LOADERS "[load]\nmean = 1s\n[step]\nmean = 1s\n", 0, INFINITY, false, DLQ_INVALID, "from < until"},
        {LOADERS "[load]\nmean = 1s\n[step]\nmean = 1s\n", 0, NAN, false, DLQ_INVALID, "from < until"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(built) built;
        struct dlq_error error = {0};
        struct dlq_timeline_rank *ranks = NULL;
        const struct dlq_run run = {.threads = 1, .interrupted = rows[i].interrupted ? &raised : NULL};
        const struct dlq_record_span span = {.from = rows[i].from, .until = rows[i].until};
        if (build(&built, rows[i].text)) {
            enum dlq_status status = dlq_record(&built.system, &built.options, &span, &run, &ranks, &error);
            CHECK(status == rows[i].status && ranks == NULL && strstr(error.text, rows[i].says) != NULL,
                  "row %zu: status %d, '%s'", i, (int)status, error.text);
        }
    }
}

/* From far into a run, little is kept: batches before that do not count. */
static void far_into_a_run(void)
{
    OWN(built) built;
    struct dlq_error error = {0};
    struct dlq_timeline_rank *ranks = NULL;
    const struct dlq_run run = {.threads = 1};
    const struct dlq_record_span span = {.from = 1500, .until = 1500.01};
    if (build(&built, LOADERS "[load]\nmean = 4ms\ncv = 0.3\n[step]\nmean = 1ms\n")) {
        enum dlq_status status = dlq_record(&built.system, &built.options, &span, &run, &ranks, &error);
        CHECK(status == DLQ_OK && ranks[0].stepped >= 8 && ranks[0].count <= 60 && ranks[0].batches[0].step > 1000000,
              "status %d: %s", (int)status, error.text);
    }
    dlq_record_free(ranks, 1);
}

TEST_SUITE(record, CASE(records_are_the_simulation), CASE(shorter_records_are_parts), CASE(replications_differ),
           CASE(refusals), CASE(far_into_a_run));
