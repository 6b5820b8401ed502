/* Configurations fitted to logs: of the real DataLoader's runs (torch 1.13), of stopwatches, of what training prints.
 */
#include "made_logs.h"
#include "pipelines.h"
#include "study/models.h"

#include <glob.h>

static const struct dlq_run run = {.threads = 1, .seed = 1, .has_seed = true};
static const struct dlq_pipeline_hint four = {.loaders = 4};

/* Of a run of torch, without any hint. */
static struct dlq_fit fit_recorded(const char *log, struct dlq_fit_change change)
{
    char path[512];
    snprintf(path, sizeof path, TEST_DATA "/torch2/%s.csv.gz", log);
    return fit_of(trace_of_path(path), no_hint, change);
}

/* 25 runs of 200 batches, five of each law, each with its own seed: nine of ten lie where 95 % of the fitted model's
   runs do. Three of them, of a law each, in an ordinary run. */
static void prediction_intervals(void)
{
    glob_t logs;
    int inside = 0, runs = 0, whole = 0;
    CHECK(glob(TEST_DATA "/torch/indep/*.csv", 0, NULL, &logs) == 0 && logs.gl_pathc == 25, "no runs");
    for (size_t i = 0; i < logs.gl_pathc; i += test_every(9)) {
        const char *path = logs.gl_pathv[i];
        struct dlq_fit fit = fit_of(trace_of_path(path), no_hint, unchanged);
        inside += fit.measured >= fit.predicted.low && fit.measured <= fit.predicted.high;
        runs++;
        CHECK(fit.has_replay && fabs(fit.replay.error) < 0.01, "%s: replay is off by %g", path, fit.replay.error);
        CHECK(fit.predicted.high < 4 * fit.predicted.low, "%s: %g to %g", path, fit.predicted.low, fit.predicted.high);
        CHECK_INT(fit.source, DLQ_FIT_TRACE);
        whole += fit.load.n == 200;
    }
    globfree(&logs);
    /* In s104 the first 37 loads are longer by 3 standard errors, by chance. */
    CHECK(whole >= runs - 1, "in %d of %d runs a change was found", runs - whole, runs);
    CHECK(10 * inside >= 9 * runs, "%d of %d runs inside", inside, runs);
}

/* Real runs: from the one, the rate of the other (rows over the time from the first dispatch or request to the last
   step's end, by bench/predictions.py). Each third, of every method one, in an ordinary run. */
static void other_runs(void)
{
    static const struct {
        const char *record;
        long loaders, prefetch;
        double rate, half_width;
        unsigned cautions; /* a bit for each */
    } rows[] = {
#define FIXED (1U << DLQ_CAUTION_LOAD_FIXED)
        {"exp_n4_p2_s1", 8, 0, 35.336, 0.15, FIXED},
        {"exp_n8_p2_s1", 4, 2, 21.941, 0.15, 0},
        {"g3_n8_p2_s1", 2, 2, 15.715, 0.06, 0},
        {"hiccup_n8_p2_s1", 4, 0, 38.28, 0.3, 1U << DLQ_CAUTION_TOGETHER}, /* storage that stands still */
        {"logn_n4_p2_s1", 4, 8, 28.020, 0.25, 0},
        {"logn_n4_p8_s1", 4, 2, 20.381, 0.25, 0},
        {"serial_n4_p2_s1", 0, 0, 10.529, 0.05, 0},
        {"serial_n0_p2_s1", 4, 2, 31.154, 0.06, FIXED},
        {"epochs_n2_p2_s1", 4, 2, 21.243, 0.2, FIXED | 1U << DLQ_CAUTION_TAIL},
        {"cpug_n8_p2_s18", 2, 2, 56.368, 0.3, 1U << DLQ_CAUTION_SHARED | 1U << DLQ_CAUTION_DRIFT},
        {"epochs_n4_p2_s1", 2, 2, 15.079, 0.2, 1U << DLQ_CAUTION_TAIL},
        {"hiccup_n4_p2_s1", 8, 2, 42.979, 0.3, FIXED | 1U << DLQ_CAUTION_TOGETHER},
        {"g3_n2_p2_s1", 8, 2, 45.415, 0.06, FIXED | 1U << DLQ_CAUTION_EVEN},
        {"cpug_n2_p2_s12", 8, 2, 55.375, 0.23, 1U << DLQ_CAUTION_SHARED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += test_every(3)) {
        const char *path = rows[i].record;
        struct dlq_fit fit = fit_recorded(
            path,
            (struct dlq_fit_change){.has_loaders = true, .loaders = rows[i].loaders, .prefetch = rows[i].prefetch});
        const struct dlq_fit_prediction *it = &fit.prediction;
        const struct dlq_estimate *rate = &it->throughput;
        CHECK_INT(it->loaders, rows[i].loaders);
        CHECK_TEXT(it->method, rows[i].cautions & 1U << DLQ_CAUTION_SHARED     ? "cores"
                               : rows[i].cautions & 1U << DLQ_CAUTION_TOGETHER ? "replay-pauses"
                                                                               : "replay");
        CHECK((rate->high - rate->low) / 2 < rows[i].half_width * rate->value, "%s: %g to %g", path, rate->low,
              rate->high);
        /* What a trainer that loads for itself does besides is not in a record of workers: 0.3 % of serial_n4. */
        const double besides = rows[i].loaders == 0 ? 0.995 : 1;
        CHECK(rate->low * besides <= rows[i].rate && rows[i].rate <= rate->high, "%s: %g to %g, not %g", path,
              rate->low, rate->high, rows[i].rate);
        CHECK(rows[i].loaders == 0 || it->long_run.value > 0, "%s: %g", path, it->long_run.value);
        for (unsigned k = 0; k < DLQ_CAUTIONS; k++)
            CHECK(it->cautions[k] == ((rows[i].cautions >> k & 1) != 0), "%s: caution %u", path, k);
    }
#undef FIXED
}

/* epochs-np_n4_p2_s1, the same loads by workers that start anew in each epoch, made 17.23 batches/s. */
static void other_workers(void)
{
    static const struct {
        struct dlq_fit_change change;
        double low, high; /* between which the prediction's ends enclose the rate */
        long batches;
    } rows[] = {
        {{.has_persistent = true, .persistent = false}, 17.23, 17.23, 300},
        {{.has_persistent = true, .persistent = true}, 21.25, 21.25, 300},
        {{.loader = "pytorch-unordered"}, 26, 27, 300},
        {{.batches = 50}, 19, 21.5, 50},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_fit fit = fit_recorded("epochs_n4_p2_s1", rows[i].change);
        const struct dlq_estimate *rate = &fit.prediction.throughput;
        CHECK(rate->low <= rows[i].low && rows[i].high <= rate->high, "row %zu: %g to %g", i, rate->low, rate->high);
        CHECK_INT(fit.prediction.batches, rows[i].batches);
    }
}

/* A validation of 2 s between epochs remains whatever the workers do: persistent workers save the same seconds as in
   the record without it, and the model, which leaves it out, is the same. */
static void pauses_remain(void)
{
    double saved[2], measured[2];
    for (size_t paused = 0; paused < 2; paused++) {
        const struct dlq_fit_options options = {.hint = no_hint,
                                                .change = {.has_persistent = true, .persistent = true}};
        struct dlq_error error = {0};
        struct dlq_fit fit;
        OWN_TRACE *trace = trace_of_path(TEST_DATA "/torch2/epochs-np_n4_p2_s1.csv.gz");
        trace_pause(trace, 0, 2.0 * (double)paused);
        CHECK_INT(dlq_fit(trace, &options, &run, &fit, &error), DLQ_OK);
        saved[paused] = 300 / fit.replay.measured - 300 / fit.prediction.throughput.value;
        measured[paused] = fit.measured;
    }
    CHECK(saved[0] > 2.5 && fabs(saved[1] / saved[0] - 1) < 0.1, "%g and %g s", saved[0], saved[1]);
    CHECK(fabs(measured[1] / measured[0] - 1) < 0.01, "%g and %g", measured[0], measured[1]);
}

/* Other programs had the cores: two loaders load at most twice as fast as one did. A record whose own loads share the
   cores is told from that. */
static void other_programs(void)
{
    static const struct {
        const char *file, *method;
        bool others;
    } rows[] = {{"beside_n1_p2_s1", "replay", true}, {"jpgs_n1_p2_s21", "cores", false}};
    for (size_t i = 0; i < 2; i++) {
        const struct dlq_fit_options options = {.hint = no_hint, .change = {.has_loaders = true, .loaders = 2}};
        struct dlq_error error = {0};
        struct dlq_fit fit;
        char path[256];
        snprintf(path, sizeof path, TEST_DATA "/torch3/%s.csv.gz", rows[i].file);
        OWN_TRACE *trace = trace_of_path(path);
        CHECK_INT(dlq_fit(trace, &options, &run, &fit, &error), DLQ_OK);
        CHECK(strcmp(fit.prediction.method, rows[i].method) == 0, "%s: %s", path, fit.prediction.method);
        CHECK_INT(fit.prediction.other_programs, rows[i].others);
        CHECK(fit.prediction.throughput.value < 2.02 * fit.measured, "%g, measured %g", fit.prediction.throughput.value,
              fit.measured);
    }
}

/* Twice the same draws; another seed moves them; the recorded run is what is predicted where nothing changes. */
static void same_run_again(void)
{
    struct dlq_fit fits[3];
    for (size_t i = 0; i < 3; i++) {
        const struct dlq_run again = {.threads = 1, .seed = 7, .has_seed = i == 2};
        const struct dlq_fit_options options = {.hint = no_hint};
        struct dlq_error error = {0};
        OWN_TRACE *trace = trace_of_path(TEST_DATA "/torch2/g3_n2_p2_s1.csv.gz");
        CHECK_INT(dlq_fit(trace, &options, &again, &fits[i], &error), DLQ_OK);
    }
    const struct dlq_estimate *first = &fits[0].prediction.throughput, *other = &fits[2].prediction.throughput;
    CHECK_REL(fits[1].prediction.throughput.low, first->low, 0);
    CHECK(other->low != first->low && fabs(other->low / first->low - 1) < 0.02, "%g, %g", first->low, other->low);
    CHECK_REL(first->value, fits[0].measured, 0.02);
    CHECK_INT(fits[0].prediction.loaders, 2);
    CHECK_INT(fits[0].prediction.batches, 500);
}

/* Loading takes 2 s a batch in all, a step 1 s: with 4 loaders half as long a load makes training twice as fast, and
   then the step binds. 11 loaders bring 100 batches in ten rounds, of which the last brings one. */
static void stopwatch(void)
{
    static const struct {
        long loaders;
        double load;
    } rows[] = {{11, 20}, {200, 200}, {1, 2}, {0, 2}, {4, 8}};
    struct dlq_error error = {0};
    struct dlq_fit fit;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct dlq_fit_options options = {
            .hint = {.loaders = rows[k].loaders}, .steps = {100, 100}, .loads = {100, 200}};
        CHECK(dlq_fit(NULL, &options, &run, &fit, &error) == DLQ_OK, "%s", error.text);
        CHECK_REL(fit.load.mean, rows[k].load, 1e-12);
        CHECK_REL(fit.load_pace, 2, 1e-12);
    }
    CHECK_REL(fit.step.mean, 1, 1e-12);
    CHECK_INT(fit.sufficient_loaders, 8);
    OWN_MODEL *model = NULL;
    CHECK_INT(dlq_fit_model(&fit, &model, &error), DLQ_OK);
    struct dlq_bounds bounds;
    CHECK_INT(dlq_bounds(model, &bounds, &error), DLQ_OK);
    CHECK_REL(bounds.upper, 0.5, 1e-12);
    CHECK_INT(dlq_model_set(model, "load.mean", "4s", &error), DLQ_OK);
    CHECK_INT(dlq_bounds(model, &bounds, &error), DLQ_OK);
    CHECK_REL(bounds.upper, 1, 1e-12);
}

static void stopwatch_texts(void)
{
    static const struct {
        const char *text;
        struct dlq_stopwatch want;
    } rows[] = {{"100/12.5s", {100, 12.5}}, {"1e3/2min", {1000, 120}}, {"7/350ms", {7, 0.35}}};
    static const char *const refused[] = {"100",   "/5s",     "100/5", "0/5s",     "100/0",  "1.5/5s",
                                          "-1/5s", "100/-5s", "",      "100/5s/2", "1e99/5s"};
    struct dlq_stopwatch got = {-1, -1};
    char why[256] = "";
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK(!dlq_stopwatch_parse(refused[i], &got, why, sizeof why) && got.count == -1 &&
                  strstr(why, "expected e.g. 100/12.5s") != NULL,
              "'%s': %s", refused[i], why);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK(dlq_stopwatch_parse(rows[i].text, &got, why, sizeof why) && got.count == rows[i].want.count, "'%s': %s",
              rows[i].text, why);
        CHECK_REL(got.seconds, rows[i].want.seconds, 1e-12);
    }
}

static void waits(void)
{
    const struct truth truth = {4, 2, 1000, "lognormal", 0.52, 0.3, 0.1, 0, 0, 1, 0};
    struct pipeline_log made = log_of(&truth, 3);
    FILE *text = tmpfile();
    for (size_t i = 0; i < 1000; i++)
        fprintf(text, "%.4f/%.4f\n", made.batches[i].data, made.batches[i].iter);
    struct dlq_fit fit = fit_of(trace_of(text), four, unchanged);
    CHECK_INT(fit.source, DLQ_FIT_WAITS);
    CHECK_REL(fit.load.mean, made.mean, 0.03);
    CHECK_REL(fit.load.cv, 0.3, 0.15);
    CHECK_REL(fit.step.mean, 0.1, 1e-9);
    CHECK_REL(fit.measured, 1000 / made.batches[999].step_end, 1e-3);
    CHECK(fit.loaders_known && fit.loaders == 4, "%ld loaders", fit.loaders);
    CHECK(fit.measured > fit.predicted.low && fit.measured < fit.predicted.high, "%g outside %g..%g", fit.measured,
          fit.predicted.low, fit.predicted.high);
    free(made.batches);
}

/* The trainer never waits: no more than a bound is known, and that is what the result says. */
static void only_a_bound(void)
{
    FILE *text = tmpfile();
    for (int i = 0; i < 200; i++)
        fprintf(text, "0.0003/%.4f\n", 0.1 + 0.0001 * (i % 7));
    struct dlq_fit fit = fit_of(trace_of(text), four, unchanged);
    CHECK(fit.load.only_bound, "load %g", fit.load.mean);
    CHECK(fit.load.mean_high > 0.3 && fit.load.mean_high < 0.45, "bound %g", fit.load.mean_high);
    CHECK(fit.sufficient_loaders >= 1 && fit.sufficient_loaders <= 4, "%ld loaders, though 4 are seen to be enough",
          fit.sufficient_loaders);
    CHECK(fit.note_count == 1 && fit.notes[0].kind == DLQ_NOTE_KEEPS_UP, "%zu notes", fit.note_count);
}

/* The value of a setting; "" where there is none. */
static const char *value_of(const struct dlq_fit *fit, const char *key)
{
    for (size_t i = 0; i < fit->setting_count; i++)
        if (strcmp(fit->settings[i].key, key) == 0)
            return fit->settings[i].value;
    return "";
}

/* Six epochs of 50 batches, 0.6 s until workers begin, loads of 0.1 s: of workers that stay (21.25 batches/s), of those
   that start anew (17.23), and of one endless epoch. */
static void epochs(void)
{
    static const struct {
        const char *log, *epoch, *persistent;
        double least, most, load; /* startup, mean load; s */
    } rows[] = {
        {"epochs_n4_p2_s1", "50", "yes", 0.5, 0.7, 0.1},
        {"epochs-np_n4_p2_s1", "50", "no", 0.6, 0.8, 0.1},
        {"exp_n4_p2_s1", "", "", 0, 0.05, 0.12},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_fit fit = fit_recorded(rows[i].log, unchanged);
        CHECK_TEXT(value_of(&fit, "epoch_batches"), rows[i].epoch);
        CHECK_TEXT(value_of(&fit, "persistent"), rows[i].persistent);
        CHECK(fit.overheads.startup >= rows[i].least && fit.overheads.startup <= rows[i].most, "row %zu: %g s", i,
              fit.overheads.startup);
        CHECK_REL(fit.load.mean, rows[i].load, 0.1);
        CHECK(fit.predicted.low <= fit.measured && fit.measured <= fit.predicted.high, "row %zu: %g to %g, not %g", i,
              fit.predicted.low, fit.predicted.high, fit.measured);
    }
}

LAW(law_slower_at_last, index < 400 ? 0.4 : 1.6)
LAW(law_slower_and_slower, 0.4 + 0.002 * (double)index)
LAW(law_quick, 0.4)

/* Waits and iterations alone, of 8 workers and steps of 0.1 s: a run that changes at once is fitted from there on, one
   that changes little by little is told; pauses and unmarked starts of epochs stand in the configuration as such. */
static void runs_of_parts(void)
{
    static const struct {
        load_law *load;
        long batches, epochs, pause_every, changed_at, epoch_batches;
        bool drifts;
        double startup, load_mean, load_most; /* s; the load's mean where it is known, else its bound */
    } rows[] = {
        {law_slower_at_last, 800, 1, 0, 401, 0, false, 0, 1.6, INFINITY},
        {law_slower_and_slower, 800, 1, 0, 706, 0, true, 0, NAN, INFINITY},
        {law_quick, 800, 1, 50, 0, 0, false, 0, NAN, 0.94}, /* 16 of 50 batches are loaded in the pause */
        {law_quick, 200, 5, 0, 0, 200, false, 5, NAN, 0.8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run made = usual_run(rows[i].load, 0.1, 1);
        made.batches = rows[i].batches;
        made.epochs = rows[i].epochs;
        made.startup = rows[i].startup;
        made.pause_every = rows[i].pause_every;
        made.pause = 5;
        simulate(&made);
        FILE *log = tmpfile();
        fprintf(log, "data_time,iter_time\n");
        for (const struct row *row = made.rows; row < made.rows + made.count; row++)
            fprintf(log, "%.6f,%.6f\n", row->received - row->request, row->step_end - row->request);
        struct dlq_fit fit = fit_of(trace_of(log), (struct dlq_pipeline_hint){.loaders = 8}, unchanged);
        CHECK(labs(fit.changed_at - rows[i].changed_at) <= 16, "row %zu: from %ld on", i, fit.changed_at);
        CHECK_INT(fit.drifts, rows[i].drifts);
        CHECK_INT(fit.pauses[0].every, rows[i].pause_every);
        CHECK_INT(strtol(value_of(&fit, "every"), NULL, 10), rows[i].pause_every);
        CHECK_INT(strtol(value_of(&fit, "epoch_batches"), NULL, 10), rows[i].epoch_batches);
        CHECK_REL(fit.step.mean, 0.1, 0.01);
        CHECK(rows[i].pause_every == 0 || fabs(fit.pauses[0].mean / 5 - 1) < 0.01, "row %zu: pauses of %g s", i,
              fit.pauses[0].mean);
        CHECK(isnan(rows[i].load_mean) || fabs(fit.load.mean / rows[i].load_mean - 1) < 0.02, "row %zu: loads of %g s",
              i, fit.load.mean);
        CHECK_INT(fit.load.only_bound, isfinite(rows[i].load_most));
        CHECK(isinf(rows[i].load_most) || fabs(fit.load.mean_high / rows[i].load_most - 1) < 0.02,
              "row %zu: loads of up to %g s", i, fit.load.mean_high);
        CHECK(fabs(fit.overheads.startup + fit.load.mean - rows[i].startup) < 0.5 || rows[i].startup == 0,
              "row %zu: %g s", i, fit.overheads.startup);
        CHECK(rows[i].drifts || fabs(fit.predicted.value / fit.measured - 1) < 0.06, "row %zu: %g, not %g", i,
              fit.predicted.value, fit.measured);
    }
}

/* The third of four ranks waits 50 ms longer, and the others for it. */
static void slow_ranks(void)
{
    const struct job jobs[] = {{4, 300, 0.002, 0.05, true}, {4, 300, 0.002, 0, true}};
    for (size_t i = 0; i < 2; i++) {
        struct measured log = measured_log("rank,index,data_time,iter_time", 1);
        put_job(&log, &jobs[i]);
        struct dlq_fit fit = fit_of(measured_trace(&log), four, unchanged);
        CHECK(fit.has_slow_rank == (i == 0) && fit.slow_rank == (i == 0 ? 2 : 0), "job %zu: rank %ld", i,
              fit.slow_rank);
    }
}

/* Loads of the first of three epochs vary about 135 ms, all later ones take 40: the law is a constant. Two loaders in
   turns, each two batches ahead; steps of 30 ms. */
static void constant_later(void)
{
    enum { BATCHES = 150 };
    FILE *text = tmpfile();
    double now = 0;
    fprintf(text, "epoch,index,worker,dispatched,load_start,load_end,request,received,step_end\n");
    for (int e = 0; e < 3; e++) {
        double free[2] = {now + 0.1, now + 0.1}, received[BATCHES], begin = now;
        for (int i = 0; i < BATCHES; i++) {
            double sent = i < 4 ? begin : received[i - 4], start = fmax(free[i % 2], sent);
            double end = start + (e > 0 ? 0.04 : 0.12 + 0.0003 * (i * 7919 % 100));
            free[i % 2] = end;
            received[i] = fmax(now, end) + 0.001;
            fprintf(text, "%d,%d,%d,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", e, i, i % 2, sent, start, end, now, received[i],
                    received[i] + 0.03);
            now = received[i] + 0.03;
        }
    }
    struct dlq_fit fit = fit_of(trace_of(text), no_hint, unchanged);
    CHECK_INT(fit.prediction.begin, BATCHES);
    CHECK_TEXT(fit.load.distribution, "constant");
    CHECK_TEXT(value_of(&fit, "mean"), "40ms");
    CHECK_REL(fit.load.mean, 0.04, 1e-6);
}

/* Loads about 100 ms, steps of 30, and 20 ms in which the training process takes each batch: from two workers, of which
   a trainer that loads for itself knows nothing; or beside its own load, where it goes on to take them. */
static void takes_its_own(void)
{
    static const struct {
        int workers;
        double rate; /* with 0 loaders */
    } rows[] = {{2, 1 / 0.13}, {0, 1 / 0.15}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        FILE *text = tmpfile();
        double now = 0, ends[2] = {0}, received[200];
        const int workers = rows[k].workers;
        fprintf(text, "index,%sload_start,load_end,request,received,step_end\n", workers > 0 ? "worker," : "");
        for (int i = 0; i < 200; i++) {
            double start = workers == 0 ? now : fmax(ends[i % 2], i < 4 ? 0 : received[i - 4]);
            ends[i % 2] = start + 0.09 + 0.0002 * (i * 7919 % 101);
            received[i] = fmax(now, ends[i % 2]) + 0.02;
            fprintf(text, "%d,", i);
            if (workers > 0)
                fprintf(text, "%d,", i % 2);
            fprintf(text, "%.6f,%.6f,%.6f,%.6f,%.6f\n", start, ends[i % 2], now, received[i], received[i] + 0.03);
            now = received[i] + 0.03;
        }
        struct dlq_fit fit = fit_of(trace_of(text), no_hint, (struct dlq_fit_change){.has_loaders = true});
        CHECK_REL(fit.prediction.throughput.value, rows[k].rate, 0.005);
        CHECK(workers > 0 || fabs(fit.replay.error) < 1e-6, "replay: %g", fit.replay.error);
        CHECK(workers > 0 || fabs(fit.predicted.value / rows[k].rate - 1) < 0.005, "law: %g", fit.predicted.value);
        CHECK_TEXT(value_of(&fit, "receive"), workers > 0 ? "20ms" : "");
    }
}

/* Of 17 ms a batch 1.1 are receiving: no loaders keep the trainer busy for 95 %. With 3 it is as busy as with more, of
   the later epochs: their loads take 40 ms, those of the first 140, and they made 56.5 batches/s. */
static void receiving_limits(void)
{
    static const struct {
        const char *log;
        double least, most, loaders, load, rate;
        long begin;
    } rows[] = {{"cache_n4_p2_s1", 0.86, 0.9, 3, 0.0415, 56.5, 150}, {"g3_n2_p2_s1", 0.95, 0.95, 7, 0.1224, 15.8, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_fit fit = fit_recorded(rows[i].log, unchanged);
        const struct dlq_fit_prediction *it = &fit.prediction;
        CHECK(it->target >= rows[i].least && it->target <= rows[i].most, "%s: target %g", rows[i].log, it->target);
        CHECK_REL(it->recommended.value, rows[i].loaders, 1e-9);
        CHECK(it->recommended.low <= it->recommended.value && it->recommended.value <= it->recommended.high,
              "%s: %g to %g", rows[i].log, it->recommended.low, it->recommended.high);
        CHECK_INT(it->begin, rows[i].begin);
        CHECK_REL(fit.load.mean, rows[i].load, 0.02);
        CHECK_REL(fit.predicted.value, rows[i].rate, 0.02);
    }
}

/* 8 workers that take turns, loads of 0.4 s, of the slow ones 1.2 s: a round of 8 batches takes these 1.2 s. 11 loaders
   would give 9.2 batches/s, 12 no less than 9.5. */
static void slow_workers(void)
{
    static const struct {
        long ranks, slow;
        const char *count, *factor; /* of the settings; "": there is none */
    } rows[] = {
        {1, 0, "", ""}, {1, 1, "1", "3"}, {1, 3, "3", "3"}, {2, 1, "", ""}, /* of several ranks nothing is said */
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        FILE *text = tmpfile();
        fprintf(text, "rank,index,worker,load_time,data_time,iter_time\n");
        for (int i = 0; i < 160; i++)
            for (int r = 0; r < rows[k].ranks; r++)
                fprintf(text, "%d,%d,%d,%g,0.05,0.15\n", r, i, i % 8, i % 8 < rows[k].slow ? 1.2 : 0.4);
        struct dlq_fit fit = fit_of(trace_of(text), no_hint, unchanged);
        CHECK_TEXT(value_of(&fit, "slow_loaders"), rows[k].count);
        CHECK_TEXT(value_of(&fit, "slow_factor"), rows[k].factor);
        CHECK_INT(fit.loaders, 8);
        if (rows[k].count[0] != '\0') {
            CHECK_REL(fit.load.mean, 0.4, 1e-9);
            /* 20 rounds, and the steps of the last */
            CHECK_REL(fit.predicted.value, 160 / (20 * 1.2 + 8 * 0.1), 1e-6);
            CHECK_INT(fit.sufficient_loaders, 12);
        }
        CHECK(strstr(fit.why_not_replayed, "a replay needs") != NULL, "row %zu: '%s'", k, fit.why_not_replayed);
    }
}

/* Loads that hold the interpreter lock, and the same without: what deliveries wait for it is no overhead. */
static void held_lock(void)
{
    for (int held = 0; held < 2; held++) {
        struct dlq_fit fit = fit_of(trace_of_file(held ? "lock/held" : "lock/released"), no_hint, unchanged);
        CHECK((fit.overheads.deliver == 0 && fit.overheads.receive == 0) == held, "held: %d: %g and %g", held,
              fit.overheads.deliver, fit.overheads.receive);
        CHECK_INT(fit.replay.reason_count, held);
    }
}

/* Four loaders that could feed ten or five batches a second, where five were measured. */
static void missed(void)
{
    static const struct {
        double load;
        bool missed;
    } rows[] = {{0.05, true}, {0.8, false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        FILE *text = tmpfile();
        fprintf(text, "index,worker,load_time,data_time,iter_time\n");
        for (int i = 0; i < 4000; i++)
            fprintf(text, "%d,%d,%g,0.1,0.2\n", i, i % 4, rows[k].load);
        struct dlq_fit fit = fit_of(trace_of(text), no_hint, unchanged);
        CHECK(fit.misses_rate == rows[k].missed, "load %g: %g batches/s", rows[k].load, fit.predicted.value);
    }
}

/* Slow loads come together, as those of sorted texts do: the laws, drawn independently, miss the rate of the run, and
   the configuration carries the recorded times where it may. Independent loads need none. */
static double law_sorted(long index, long worker, long busy, double draw)
{
    (void)worker, (void)busy;
    return 0.02 + (index % 100 < 20 ? 0.5 : 0.05) * (0.8 + 0.4 * exp(-draw));
}

static double law_of_no_order(long index, long worker, long busy, double draw)
{
    (void)index, (void)worker, (void)busy;
    return 0.05 + 0.1 * draw;
}

static void recorded_times(void)
{
    static const struct {
        load_law *load;
        const char *file;
        bool reproduces, carries;
    } rows[] = {
        {law_sorted, NULL, false, false},
        {law_sorted, "my.times.csv", true, true},
        {law_of_no_order, "my.times.csv", true, false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct run made = usual_run(rows[k].load, 0.01, 7);
        simulate(&made);
        OWN_TRACE *trace = trace_of_run(&made, 0);
        const struct dlq_fit_options options = {.hint = no_hint, .times_file = rows[k].file};
        struct dlq_error error = {0};
        struct dlq_fit fit = {0};
        struct dlq_replay_times times = {0};
        CHECK(dlq_fit(trace, &options, &run, &fit, &error) == DLQ_OK, "%s", error.text);
        CHECK(fit.carries_times == rows[k].carries, "row %zu: carries %d", k, fit.carries_times);
        CHECK(fit.carries_times || fit.rate_outside != rows[k].reproduces, "row %zu: off by %g", k, fit.error);
        CHECK(!fit.carries_times || (fabs(fit.error) < 0.005 && fabs(fit.laws_error) > 0.03), "row %zu: %g, laws %g", k,
              fit.error, fit.laws_error);
        CHECK_TEXT(fit.settings[fit.setting_count - 1].value, rows[k].carries ? "recorded" : "10ms");
        CHECK(dlq_replay_times(trace, &no_hint, 100, &times, &error) == DLQ_OK, "%s", error.text);
        const struct row *first = &made.rows[100];
        CHECK_REL(times.rate, 300 / (made.rows[399].step_end - first->request), 1e-6);
        CHECK_INT((long)times.count, 300);
        CHECK_ABS(times.loads[0], first->load_end - first->load_start, 4e-4); /* with the gap before */
        CHECK_ABS(times.steps[0], 0.01, 1e-6);
        dlq_replay_times_free(&times);
        CHECK_INT(dlq_replay_times(trace, &no_hint, 400, &times, &error), DLQ_NO_ANSWER);
    }
}

/* Advice reads the prediction of a record alone, and has the same without laws. */
static void for_advice(void)
{
    OWN_TRACE *trace = trace_of_path(TEST_DATA "/torch2/exp_n4_p2_s1.csv.gz");
    struct dlq_fit whole = {0}, part = {0};
    struct dlq_error error = {0};
    struct dlq_fit_options options = {.hint = no_hint};
    CHECK(dlq_fit(trace, &options, &run, &whole, &error) == DLQ_OK, "%s", error.text);
    options.for_advice = true;
    CHECK(dlq_fit(trace, &options, &run, &part, &error) == DLQ_OK, "%s", error.text);
    const struct dlq_estimate *range = &whole.prediction.recommended, *same = &part.prediction.recommended;
    CHECK(strcmp(whole.load.distribution, part.load.distribution) != 0, "law %s", part.load.distribution);
    CHECK_INT(part.sufficient_loaders, whole.sufficient_loaders);
    CHECK(part.sufficient_loaders > 4, "%ld loaders", part.sufficient_loaders);
    CHECK(same->low == range->low && same->high == range->high, "%g to %g loaders", same->low, same->high);
}

/* Times of a row each, and what is said of them. */
static void odd_times(void)
{
    static const struct {
        const char *header, *row, *why;
    } rows[] = {
        /* 4 loaders at one batch in 5e9 s: 2e10 s each */
        {"index,data_time,iter_time", "0.05,5e9", "the load times of the logs come to 2e+10 s on average"},
        {"index,load_time,data_time,iter_time", "1,0.05,5e9", "the steps of the logs take 5e+09 s on average"},
        {"index,load_time", "1", "no step times: the logs need data and iteration times, or the ends of steps"},
        {"index,step_time", "1", "the log shows no iteration times"},
        {"index,data_time,iter_time", "0,0", "the load times of the logs come to 0 s"},
        {NULL, NULL, "the logs hold no times"},
    };
    const struct dlq_fit_options options = {.hint = four};
    const struct dlq_trace_options plain = {0};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct dlq_error error = {0};
        struct dlq_fit fit;
        OWN_TRACE *trace = NULL;
        if (rows[k].header != NULL) {
            FILE *text = tmpfile();
            fprintf(text, "%s\n", rows[k].header);
            for (int i = 0; i < 30; i++)
                fprintf(text, "%d,%s\n", i, rows[k].row);
            trace = trace_of(text);
        } else {
            CHECK_INT(dlq_trace_new(&trace, &plain, &error), DLQ_OK);
        }
        CHECK_INT(dlq_fit(trace, &options, &run, &fit, &error), DLQ_NO_ANSWER);
        CHECK(strstr(error.text, rows[k].why) != NULL, "row %zu: %s", k, error.text);
    }
}

/* Means over windows of times that no model has. */
static void odd_windows(void)
{
    static const char *const rows[][3] = {{"0.5e-12", "1e-12", "1.67645e-12"},
                                          {"1e-300", "1e-300", "1e-12"},
                                          {"0", "1e-320", "3.99996e-320"},
                                          {"0", "0", "0"},
                                          {"9e11", "1e12", "1e+12"}};
    const struct dlq_fit_options options = {.hint = four};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k += test_every(2)) {
        struct dlq_error error = {0};
        struct dlq_fit fit;
        char why[80];
        FILE *text = tmpfile();
        for (int i = 0; i < 300; i += 10)
            fprintf(text, "Epoch: [0]  [%d/300]  time: %s  data: %s\n", i, rows[k][1], rows[k][0]);
        OWN_TRACE *trace = trace_of(text);
        CHECK_INT(dlq_fit(trace, &options, &run, &fit, &error), DLQ_NO_ANSWER);
        snprintf(why, sizeof why, "the load times of the logs come to %s s on average", rows[k][2]);
        CHECK(strstr(error.text, why) != NULL, "row %zu: %s", k, error.text);
    }
}

TEST_SUITE(fit, CASE(prediction_intervals), SLOW_CASE(other_runs), SLOW_CASE(other_workers), CASE(pauses_remain),
           CASE(other_programs), CASE(epochs), SLOW_CASE(receiving_limits), CASE(constant_later), CASE(takes_its_own),
           SLOW_CASE(same_run_again), CASE(stopwatch), CASE(stopwatch_texts), SLOW_CASE(waits), CASE(only_a_bound),
           CASE(slow_workers), SLOW_CASE(held_lock), SLOW_CASE(runs_of_parts), CASE(slow_ranks), CASE(missed),
           CASE(recorded_times), CASE(for_advice), CASE(odd_times), SLOW_CASE(odd_windows));
