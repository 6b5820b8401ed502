/* What a record shows besides its times: found where it is, not where it is not, and what a prediction makes of it. */
#include "traces.h"

/* -- runs that something is wrong with -- */

LAW(law_varied, 0.08 * law_mild(index, worker, busy, draw) / law_mild(index, worker, busy, 1))

/* 2 % take 30 times as long. */
LAW(law_tail, (draw < -log(0.98) ? 30 : 1) * 0.05 * (1 + 0.01 * (double)(index % 7)))
LAW(law_step_up, (index < 150 ? 1 : 2.5) * law_varied(index, worker, busy, draw))
LAW(law_step_small, (index < 150 ? 1 : 1.2) * (0.08 + 0.001 * (double)(index % 7)))
LAW(law_grows, (1 + 2 * (double)index / 500) * law_varied(index, worker, busy, draw))
LAW(law_slow_worker, (worker == 1 ? 3 : 1) * law_varied(index, worker, busy, draw))

static bool warms; /* the second epoch, and those that follow */

LAW(law_cache, (warms ? 0.25 : 1) * law_varied(index, worker, busy, draw))

/* Simulated. */
static struct run record(load_law *load, long workers, unsigned seed)
{
    struct run run = usual_run(load, 0.012, seed);
    run.workers = workers;
    run.batches = 500;
    simulate(&run);
    return run;
}

static double rate_of(const struct run *run)
{
    double last = 0;
    for (long i = 0; i < run->count; i++)
        last = fmax(last, run->rows[i].step_end);
    return (double)run->count / (last - run->rows[0].request);
}

/* Of another run with so many loaders; 0: as many. */
static struct dlq_fit_prediction predict(struct dlq_trace *trace, long loaders)
{
    return fit_of(trace, no_hint, (struct dlq_fit_change){.has_loaders = loaders > 0, .loaders = loaders}).prediction;
}

/* False alarms: at most as many as 1 % for each of five tests let expect, none in the three of an ordinary run. Of what
   a record of independent loads may say: where it is short of slow batches, and that it assumes. */
static void plain_runs(void)
{
    static load_law *const laws[] = {law_varied, law_exponential, law_tail};
    int alarms = 0, runs = 0;
    for (size_t law = 0; law < 3; law++)
        for (long workers = test_long() ? 2 : 2L << law; workers <= 8; workers *= test_long() ? 2 : 8)
            for (unsigned seed = 1; seed <= (test_long() ? 50U : 1U); seed++, runs++) {
                struct run run = record(laws[law], workers, 7 * seed + (unsigned)workers);
                struct dlq_fit_prediction prediction = predict(trace_of_run(&run, 0), workers / 2);
                bool more = false;
                for (size_t i = 0; i < DLQ_CAUTIONS; i++)
                    more = more || (prediction.cautions[i] && i != DLQ_CAUTION_TAIL && i != DLQ_CAUTION_EVEN &&
                                    i != DLQ_CAUTION_LOAD_FIXED);
                alarms += more;
                CHECK(prediction.recommended.low <= prediction.recommended.value &&
                          prediction.recommended.value <= prediction.recommended.high,
                      "law %zu: %g to %g", law, prediction.recommended.low, prediction.recommended.high);
            }
    CHECK(alarms <= (runs > 9) + runs / 20, "%d of %d", alarms, runs);
}

static void changes(void)
{
    struct run run = record(law_step_up, 4, 3);
    struct dlq_fit_prediction prediction = predict(trace_of_run(&run, 0), 8);
    CHECK(prediction.cautions[DLQ_CAUTION_DRIFT] && prediction.abrupt && prediction.from_change, "no step");
    CHECK(labs(prediction.changed_at - 150) <= 5, "at %ld", prediction.changed_at);
    CHECK_REL(prediction.factor, 2.5, 0.1);
    struct run after = record(law_varied, 8, 4);
    after.step /= 2.5; /* all times in proportion */
    simulate(&after);
    CHECK_REL(prediction.throughput.value, rate_of(&after) / 2.5, 0.08);
    run = record(law_step_small, 4, 5); /* a change beyond doubt that is too small to matter */
    prediction = predict(trace_of_run(&run, 0), 8);
    CHECK(!prediction.cautions[DLQ_CAUTION_DRIFT] && prediction.changed_at == 0, "since %ld", prediction.changed_at);
    run = record(law_grows, 4, 5);
    prediction = predict(trace_of_run(&run, 0), 0);
    CHECK(prediction.cautions[DLQ_CAUTION_DRIFT] && !prediction.abrupt && !prediction.from_change, "no growth");
    CHECK(prediction.factor > 1.5 && prediction.factor < 2.5, "%g times", prediction.factor);
}

/* Three epochs, of which the first is slow: joined by hand, as a law does not see its epoch. */
static void first_epochs(void)
{
    warms = false;
    struct run run = usual_run(law_cache, 0.012, 3);
    run.workers = 4;
    run.batches = 150;
    struct run later = run;
    simulate(&run);
    warms = true;
    later.seed = 9;
    later.epochs = 2;
    simulate(&later);
    double shift = run.rows[149].step_end - 100;
    for (long i = 0; i < later.count; i++) {
        struct row row = later.rows[i];
        row.epoch++;
        for (size_t k = 0; k < ROW_TIMES; k++)
            *row_time(&row, k) += shift;
        run.rows[run.count++] = row;
    }
    struct dlq_fit_prediction prediction = predict(trace_of_run(&run, 0), 0);
    CHECK(prediction.cautions[DLQ_CAUTION_FIRST_EPOCH] && !prediction.cautions[DLQ_CAUTION_DRIFT], "no first epoch");
    CHECK_REL(prediction.factor, 0.25, 0.1);
    CHECK_REL(prediction.throughput.value, rate_of(&run), 0.03);
    CHECK_REL(prediction.long_run.value, rate_of(&later), 0.05);
}

static void pauses(void)
{
    struct run run = usual_run(law_varied, 0.012, 3);
    run.batches = 500;
    run.pause_every = 50;
    run.pause = 2;
    simulate(&run);
    struct dlq_fit_prediction prediction = predict(trace_of_run(&run, 0), 0);
    CHECK(prediction.cautions[DLQ_CAUTION_PAUSES], "no pauses");
    CHECK_INT(prediction.pauses[0].every, 50);
    CHECK_REL(prediction.pauses[0].mean, 2, 0.01);
    CHECK_REL(prediction.throughput.value, rate_of(&run), 0.02);
    CHECK(prediction.throughput.high < 1.05 * prediction.throughput.low, "%g to %g: pauses are not drawn",
          prediction.throughput.low, prediction.throughput.high);
}

static void epochs_without_marks(void)
{
    struct run run = usual_run(law_varied, 0.012, 3);
    run.batches = 100;
    run.epochs = 6;
    run.startup = 1.5;
    simulate(&run);
    for (long i = 0; i < run.count; i++)
        run.rows[i].index += 100 * run.rows[i].epoch;
    struct dlq_fit_prediction prediction = predict(trace_of_run(&run, NO_EPOCH), 0);
    CHECK(prediction.cautions[DLQ_CAUTION_EPOCHS], "no epochs");
    CHECK_INT(prediction.epoch_every, 100);
}

/* The slow one stays slow, the new ones are like the others. */
static void slow_workers(void)
{
    struct run run = record(law_slow_worker, 4, 3);
    struct run wide = record(law_slow_worker, 8, 4);
    struct dlq_fit_prediction prediction = predict(trace_of_run(&run, 0), 8);
    CHECK(prediction.cautions[DLQ_CAUTION_SLOW_WORKER], "no slow worker");
    CHECK(prediction.throughput.low < rate_of(&wide) && rate_of(&wide) < prediction.throughput.high,
          "%g not in %g to %g", rate_of(&wide), prediction.throughput.low, prediction.throughput.high);
    CHECK(prediction.throughput.high < 45, "up to %g: the slow worker is lost", prediction.throughput.high);
}

static long slow_first;

LAW(law_warm, (index < slow_first ? 5 : 1) * law_varied(index, worker, busy, draw))

/* The first three loads of each of four workers are slow, and so they are with two workers, or eight. */
static void warm_ups(void)
{
    slow_first = 12;
    struct run run = record(law_warm, 4, 3);
    for (long workers = 2; workers <= 8; workers *= 4) {
        struct dlq_fit_prediction prediction = predict(trace_of_run(&run, 0), workers);
        slow_first = 3 * workers;
        struct run other = record(law_warm, workers, 4);
        CHECK(prediction.cautions[DLQ_CAUTION_WARM_UP] && !prediction.cautions[DLQ_CAUTION_DRIFT], "no warm-up");
        CHECK_INT(prediction.warm_loads, 3);
        CHECK_REL(prediction.warm_factor, 5, 0.2);
        CHECK(prediction.throughput.low < rate_of(&other) && rate_of(&other) < prediction.throughput.high,
              "%ld workers: %g not in %g to %g", workers, rate_of(&other), prediction.throughput.low,
              prediction.throughput.high);
    }
    /* One worker's are no warm-up; nor are those of three in four. */
    for (slow_first = 1; slow_first < 4; slow_first += 2) {
        struct run plain = record(law_warm, 4, 3);
        CHECK(!predict(trace_of_run(&plain, 0), 2).cautions[DLQ_CAUTION_WARM_UP], "%ld slow loads", slow_first);
    }
}

/* Six epochs. Without workers nothing shows how long these take to start: between nothing and half a second. A trainer
   that loads for itself waits for none. */
static void starts_of_workers(void)
{
    enum { BATCHES = 80, EPOCHS = 6 };
    struct run run = usual_run(law_varied, 0.012, 3);
    run.workers = 3;
    run.batches = BATCHES;
    run.epochs = EPOCHS;
    FILE *log = tmpfile();
    fputs("# workers=0\nepoch,index,load_start,load_end,request,received,step_end\n", log);
    unsigned long long state = 5;
    double now = 100;
    for (long i = 0; i < EPOCHS * BATCHES; i++) {
        const double end = now + law_varied(i, 0, 0, exponential(&state));
        fprintf(log, "%ld,%ld,%.9f,%.9f,%.9f,%.9f,%.9f\n", i / BATCHES, i % BATCHES, now, end, now, end, end + 0.012);
        now = end + 0.012;
    }
    const double rate = EPOCHS * BATCHES / (now - 100);
    struct dlq_trace *serial = trace_of(log);
    const struct dlq_fit_change three = {.has_loaders = true, .loaders = 3}, none = {.has_loaders = true};
    struct dlq_fit_prediction prediction = fit_of(serial, no_hint, three).prediction;
    CHECK(prediction.cautions[DLQ_CAUTION_STARTS], "it is not said that starts are unknown");
    CHECK_INT(prediction.starts, EPOCHS);
    for (long i = 0; i < 3; i++) {
        run.startup = 0.05 + 0.2 * (double)i;
        simulate(&run);
        CHECK(prediction.throughput.low < rate_of(&run) && rate_of(&run) < prediction.throughput.high,
              "startup %g s: %g not in %g to %g", run.startup, rate_of(&run), prediction.throughput.low,
              prediction.throughput.high);
    }
    prediction = fit_of(trace_of_run(&run, 0), no_hint, none).prediction;
    CHECK(prediction.throughput.low < rate && rate < prediction.throughput.high, "%g not in %g to %g", rate,
          prediction.throughput.low, prediction.throughput.high);
}

/* Of waits alone: the count that the loads of the same run give lies in the range. The trainer waited for few of these
   loads, so that the range is wide. */
static void counts_of_waits(void)
{
    for (unsigned seed = 1; seed <= (test_long() ? 3U : 1U); seed++) {
        FILE *log = tmpfile();
        struct run run = usual_run(law_varied, 0.02, seed);
        run.workers = 4;
        run.batches = test_long() ? 500 : 250;
        simulate(&run);
        struct dlq_fit_prediction recorded = predict(trace_of_run(&run, 0), 0);
        fputs("data_time,iter_time\n", log);
        for (long i = 0; i < run.count; i++)
            fprintf(log, "%.6f,%.6f\n", run.rows[i].received - run.rows[i].request,
                    run.rows[i].step_end - run.rows[i].request);
        struct dlq_fit fit = fit_of(trace_of(log), (struct dlq_pipeline_hint){.loaders = 4}, unchanged);
        const struct dlq_estimate *range = &fit.prediction.recommended;
        CHECK(range->low <= recorded.recommended.value && recorded.recommended.value <= range->high,
              "seed %u: %g not in %g to %g", seed, recorded.recommended.value, range->low, range->high);
        CHECK(range->high < 7 * range->low, "seed %u: %g to %g", seed, range->low, range->high);
    }
}

TEST_SUITE(signs, CASE(plain_runs), SLOW_CASE(changes), CASE(first_epochs), CASE(pauses), CASE(warm_ups),
           CASE(starts_of_workers), CASE(epochs_without_marks), CASE(slow_workers), SLOW_CASE(counts_of_waits));
