/* Logs of all formats, written of runs whose truth is known, and read back: the verdict and the mean load. */
#include "logs_read/printers.h"
#include "pipelines.h"
#include "traces.h"

enum { STEPS = 2000 };

/* 4 loaders at 1.6 times what their steps take for loads, and so on; the tail makes it 0.75. Of each an ordinary run
   has every seventh log, and of each log one: they stand so that those whose waits take seconds are not among them. */
static const struct kind {
    const char *what;
    enum dlq_diagnosis_cause cause;
    struct truth truth;
} kinds[] = {
    {"6 loaders far too slow, gamma", DLQ_DIAGNOSIS_LOAD, {6, 4, STEPS, "gamma", 0.66, 0.1, 0.05, 0, 0, 1, 0}},
    {"4 loaders too slow, lognormal", DLQ_DIAGNOSIS_LOAD, {4, 2, STEPS, "lognormal", 1.5264, 0.3, 0.2385, 0, 0, 1, 0}},
    {"8 loaders too slow, constant", DLQ_DIAGNOSIS_LOAD, {8, 2, STEPS, "constant", 1.2, 0, 0.1, 0, 0, 1, 0}},
    {"one loader too slow", DLQ_DIAGNOSIS_LOAD, {1, 2, STEPS, "lognormal", 0.4438, 0.2, 0.317, 0, 0, 1, 0}},
    {"8 loaders, fast", DLQ_DIAGNOSIS_STEP, {8, 2, STEPS, "constant", 0.4, 0, 0.1, 0, 0, 1, 0}},
    {"4 loaders, fast, lognormal", DLQ_DIAGNOSIS_STEP, {4, 2, STEPS, "lognormal", 0.3816, 0.3, 0.2385, 0, 0, 1, 0}},
    {"a slow tail", DLQ_DIAGNOSIS_VARIANCE, {8, 2, STEPS, "lognormal", 0.337, 0.1, 0.1, 0, 0.02, 40, 0}},
};

struct written {
    const struct kind *kind;
    struct pipeline_log log;
    double data[STEPS], iter[STEPS];
};

static void write_ratio(FILE *out, const struct written *run)
{
    for (size_t i = 0; i < STEPS; i++)
        fprintf(out, "%.5f/%.5f\n", run->data[i], run->iter[i]);
}

static void write_trace(FILE *out, const struct written *run)
{
    fprintf(out, "# a trace\nindex,worker,load_start,load_end,request,received,step_end\n");
    for (long i = 0; i < STEPS; i++) {
        const struct dlq_batch *batch = &run->log.batches[i];
        fprintf(out, "%ld,%ld,%.6f,%.6f,%.6f,%.6f,%.6f\n", i, i % run->kind->truth.loaders, batch->load_start,
                batch->load_end, batch->request, batch->received, batch->step_end);
    }
}

static void write_times(FILE *out, const struct written *run)
{
    fprintf(out, "epoch;batch;data_time;iter_time;loss\n");
    for (size_t i = 0; i < STEPS; i++)
        fprintf(out, "0;%zu;%.6f;%.6f;0.5\n", i, run->data[i], run->iter[i]);
}

static void write_lightning(FILE *out, const struct written *run)
{
    double data = mean(run->data, 0, STEPS), iter = mean(run->iter, 0, STEPS);
    fprintf(out, "FIT Profiler Report\n\n|  Action  \t|  Mean duration (s)\t|  Num calls \t|  Total time (s) \t|\n");
    fprintf(out, "|  run_training_batch  \t|  %-15.5g\t|  %-15d\t|  %-15.5g\t|  50  \t|\n", iter - data, STEPS,
            (iter - data) * STEPS);
    fprintf(out, "|  [_TrainingEpochLoop].train_dataloader_next\t|  %-15.5g\t|  %-15d\t|  %-15.5g\t|  50  \t|\n", data,
            STEPS, data * STEPS);
}

static void write_chrome(FILE *out, const struct written *run)
{
    static const char *const names[] = {"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                                        "ProfilerStep#1"};
    fprintf(out, "{\"schemaVersion\": 1, \"traceEvents\": [\n");
    for (size_t i = 0; i < 2 * (size_t)STEPS; i++)
        fprintf(out,
                "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"%s\", \"pid\": 7, \"tid\": 7, \"ts\": %.3f, "
                "\"dur\": %.3f}%s\n",
                names[i % 2], 1e6 * (1000 + run->log.batches[i / 2].request),
                1e6 * (i % 2 == 0 ? run->data : run->iter)[i / 2], i + 1 < 2 * (size_t)STEPS ? "," : "");
    fprintf(out, "], \"traceName\": \"trace.json\"}\n");
}

static void write_dlio(FILE *out, const struct written *run)
{
    static const char *const sections[] = {"load", "proc", "compute"};
    fprintf(out, "{\n    \"host_memory_GB\": 503.4,\n    \"host_cpu_count\": 96,\n    \"1\": {\n");
    for (size_t k = 0; k < 3; k++) {
        fprintf(out, "        \"%s\": {\n            \"block1\": [\n", sections[k]);
        for (size_t i = 0; i < STEPS; i++)
            fprintf(out, "                %.9f%s\n",
                    k == 0   ? run->data[i]
                    : k == 1 ? run->iter[i]
                             : run->iter[i] - run->data[i],
                    i + 1 < STEPS ? "," : "");
        fprintf(out, "            ]\n        }%s\n", k < 2 ? "," : "");
    }
    fprintf(out, "    },\n    \"hostname\": \"node\"\n}\n");
}

static void write_lotus(FILE *out, const struct written *run)
{
    const long long origin = 1700000000000000000LL;
    for (size_t i = 0; i < STEPS; i++) {
        const struct dlq_batch *batch = &run->log.batches[i];
        fprintf(out, "SBatchPreprocessed_%zu,%lld,%lld\n", i, origin + (long long)(1e9 * batch->load_start),
                (long long)(1e9 * batch->load));
        fprintf(out, "SBatchWait_%zu,%lld,%lld\n", i, origin + (long long)(1e9 * batch->request),
                (long long)(1e9 * batch->data));
        fprintf(out, "SBatchConsumed_%zu,%lld,%lld\n", i, origin + (long long)(1e9 * batch->received),
                (long long)(1e9 * batch->step));
    }
}

/* What a log of that format shows of a run. */
enum shown { SHOWS_LOADS, SHOWS_WAITS, SHOWS_MEANS, SHOWS_MEDIANS };

static const struct log_writer {
    const char *format, *file;
    enum shown shown;
    void (*write)(FILE *out, const struct written *run);
    void (*print)(FILE *out, struct at at); /* lines after `first` iterations, and every so many from there */
    long first, every;
} log_writers[] = {
    {"csv", "trace.csv", SHOWS_LOADS, write_trace, NULL, 0, 0},
    {"lotus", "lotus.csv", SHOWS_LOADS, write_lotus, NULL, 0, 0},
    {"csv", "times.csv", SHOWS_WAITS, write_times, NULL, 0, 0},
    {"ratio", "train.log", SHOWS_WAITS, write_ratio, NULL, 0, 0},
    {"chrome", "trace.json", SHOWS_WAITS, write_chrome, NULL, 0, 0},
    {"dlio", "0_output.json", SHOWS_WAITS, write_dlio, NULL, 0, 0},
    {"lightning", "profile.txt", SHOWS_MEANS, write_lightning, NULL, 0, 0},
    {"pytorch-imagenet", "train.log", SHOWS_MEANS, NULL, print_imagenet, 1, 10},
    {"timm", "train.log", SHOWS_MEANS, NULL, print_timm, 1, 25},
    {"torchvision", "train.log", SHOWS_MEANS, NULL, print_torchvision, 1, 20},
    {"maskrcnn-benchmark", "train.log", SHOWS_MEANS, NULL, print_maskrcnn, 20, 20},
    {"mmengine", "train.log", SHOWS_MEANS, NULL, print_mmcv, 20, 20},
    {"mmengine", "scalars.json", SHOWS_MEANS, NULL, print_mmengine_json, 20, 20},
    {"detectron2", "metrics.json", SHOWS_MEDIANS, NULL, print_detectron2_json, 20, 20},
    {"megatron", "train.log", SHOWS_MEANS, NULL, print_megatron, 20, 20},
};

enum { KINDS = sizeof kinds / sizeof *kinds, WRITERS = sizeof log_writers / sizeof *log_writers };

static void check_verdict(const struct log_writer *writer, const struct written *run, const struct dlq_trace *trace)
{
    struct dlq_diagnosis diagnosis;
    struct dlq_error error = {0};
    bool done = dlq_diagnose(trace, NULL, &diagnosis, &error) == DLQ_OK;
    CHECK(done, "%s, %s: %s", writer->format, run->kind->what, error.text);
    if (!done)
        return;
    int cause = (int)diagnosis.cause;
    /* Medians of windows show what most iterations do, means no single one. */
    bool every_iteration = run->kind->truth.loaders == 1 || run->kind->cause == DLQ_DIAGNOSIS_STEP;
    if (writer->shown == SHOWS_MEDIANS ? every_iteration
                                       : run->kind->cause != DLQ_DIAGNOSIS_VARIANCE || writer->shown != SHOWS_MEANS)
        CHECK(diagnosis.cause == run->kind->cause, "%s, %s: cause %d", writer->format, run->kind->what, cause);
    else if (writer->shown == SHOWS_MEANS)
        CHECK(diagnosis.cause == DLQ_DIAGNOSIS_VARIANCE || diagnosis.cause == DLQ_DIAGNOSIS_LOAD, "%s, %s: cause %d",
              writer->format, run->kind->what, cause);
    if (writer->shown != SHOWS_MEDIANS)
        CHECK(fabs(diagnosis.ratio - mean(run->data, 0, STEPS) / mean(run->iter, 0, STEPS)) < 0.02, "%s, %s: ratio %g",
              writer->format, run->kind->what, diagnosis.ratio);
    dlq_diagnosis_free(&diagnosis);
}

/* Within 5 %; or said to be no more than a bound; or known within limits that hold the truth; medians may have no
   answer. Returns whether it was found. */
static bool check_load(const struct log_writer *writer, const struct written *run, const struct dlq_trace *trace)
{
    struct dlq_fit fit;
    struct dlq_error error = {0};
    struct dlq_run how = {.threads = 1, .seed = 1, .has_seed = true};
    const struct dlq_fit_options options = {
        .hint = {.loaders = run->kind->truth.loaders, .prefetch = run->kind->truth.prefetch}};
    enum dlq_status status = dlq_fit(trace, &options, &how, &fit, &error);
    bool done = status == DLQ_OK, hidden = status == DLQ_NO_ANSWER && writer->shown == SHOWS_MEDIANS;
    CHECK(done || hidden, "%s, %s: %s", writer->format, run->kind->what, error.text);
    if (!done)
        return false;
    double off = fit.load.mean / run->log.mean - 1;
    bool found = !fit.load.only_bound && fabs(off) <= 0.05;
    bool held = run->log.mean >= 0.95 * fit.load.mean_low && run->log.mean <= 1.05 * fit.load.mean_high;
    bool wide = fit.load.only_bound || fit.load.mean_high > 1.1 * fit.load.mean_low;
    CHECK(found || (held && wide), "%s, %s: load %g (%g to %g), truth %g", writer->format, run->kind->what,
          fit.load.mean, fit.load.mean_low, fit.load.mean_high, run->log.mean);
    return found;
}

static void written_and_read(void)
{
    static struct written run;
    size_t found = 0, shown = 0, every = test_long() ? 1 : test_full() ? KINDS : 2 * KINDS;
    for (size_t k = 0; k < KINDS; k++) {
        run.kind = &kinds[k];
        run.log = log_of(&kinds[k].truth, 20 + k);
        for (size_t i = 0; i < STEPS; i++) {
            run.data[i] = run.log.batches[i].data;
            run.iter[i] = run.log.batches[i].iter;
        }
        for (size_t w = 0; w < WRITERS; w++) {
            if ((k + w) % every != 0)
                continue;
            const struct log_writer *writer = &log_writers[w];
            FILE *log = tmpfile();
            if (writer->write != NULL)
                writer->write(log, &run);
            for (long n = writer->first; writer->print != NULL && n <= STEPS; n += writer->every)
                writer->print(log, (struct at){0, n, STEPS, writer->every, run.data, run.iter});
            rewind(log);
            OWN_TRACE *trace = trace_with(NULL, writer->file, log);
            CHECK_TEXT(trace->format->name, writer->format);
            check_verdict(writer, &run, trace);
            bool load_bound = kinds[k].cause == DLQ_DIAGNOSIS_LOAD;
            bool must = writer->shown == SHOWS_LOADS || (writer->shown == SHOWS_WAITS && load_bound);
            bool is = check_load(writer, &run, trace);
            CHECK(is || !must, "%s, %s: the load was not found", writer->format, kinds[k].what);
            found += is ? 1 : 0;
            shown++;
        }
        free(run.log.batches);
    }
    CHECK(shown >= WRITERS / (test_full() ? 1 : 3), "%zu logs", shown);
    printf("    %zu logs, the mean load found within 5 %% in %zu, bounded in the others\n", shown, found);
}

TEST_SUITE(written_logs, CASE(written_and_read));
