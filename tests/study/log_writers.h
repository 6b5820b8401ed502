/* What each framework would have printed of a run: one row per format. */
#ifndef TESTS_STUDY_LOG_WRITERS_H
#define TESTS_STUDY_LOG_WRITERS_H

#include "made_runs.h"

#include <stdio.h>

enum { PRINT_EVERY = 20, WINDOW = 20, EPOCH = 5000 };

/* The beginning of the window that ends before `end`. */
static inline size_t window_of(size_t end)
{
    return end > WINDOW ? end - WINDOW : 0;
}

static inline void write_ratio(FILE *out, const struct made_run *run)
{
    for (size_t i = 0; i < MADE_STEPS; i++)
        fprintf(out, "%.5f/%.5f\n", run->data[i], run->iter[i]);
}

static inline void write_trace(FILE *out, const struct made_run *run)
{
    fprintf(out, "# a trace\nindex,worker,load_start,load_end,request,received,step_end\n");
    for (size_t i = 0; i < MADE_STEPS; i++)
        fprintf(out, "%zu,%zu,%.6f,%.6f,%.6f,%.6f,%.6f\n", i, i % (size_t)run->kind->loaders, run->load_start[i],
                run->load_end[i], run->request[i], run->received[i], run->step_end[i]);
}

static inline void write_times(FILE *out, const struct made_run *run)
{
    fprintf(out, "epoch;batch;data_time;iter_time;loss\n");
    for (size_t i = 0; i < MADE_STEPS; i++)
        fprintf(out, "0;%zu;%.6f;%.6f;0.5\n", i, run->data[i], run->iter[i]);
}

static inline void write_imagenet(FILE *out, const struct made_run *run)
{
    fprintf(out, "=> creating model 'resnet50'\n");
    for (size_t i = 0; i < MADE_STEPS; i += 10)
        fprintf(out, "Epoch: [0][%4zu/%d]\tTime %6.3f (%6.3f)\tData %6.3f (%6.3f)\tLoss 6.9e+00 (7.0e+00)\n", i + 1,
                EPOCH, run->iter[i], made_mean(run->iter, 0, i + 1), run->data[i], made_mean(run->data, 0, i + 1));
}

static inline void write_timm(FILE *out, const struct made_run *run)
{
    for (size_t i = 0; i < MADE_STEPS; i += 25)
        fprintf(out,
                "Train: 0 [%4zu/%d (%3zu%%)]  Loss: 6.93 (6.95)  Time: %.3fs,  723.16/s  (%.3fs,  260.96/s)  "
                "LR: 1.000e-05  Data: %.3f (%.3f)\n",
                i, EPOCH, 100 * i / EPOCH, run->iter[i], made_mean(run->iter, 0, i + 1), run->data[i],
                made_mean(run->data, 0, i + 1));
}

static inline void write_torchvision(FILE *out, const struct made_run *run)
{
    for (size_t i = 0; i < MADE_STEPS; i += PRINT_EVERY)
        fprintf(out,
                "Epoch: [0]  [%5zu/%d]  eta: 1:02:30  lr: 0.000200  loss: 5.1234 (5.4321)  time: %.4f  data: %.4f  "
                "max mem: 3211\n",
                i, EPOCH, made_mean(run->iter, window_of(i + 1), i + 1), made_mean(run->data, window_of(i + 1), i + 1));
}

static inline void write_maskrcnn(FILE *out, const struct made_run *run)
{
    for (size_t n = PRINT_EVERY; n <= MADE_STEPS; n += PRINT_EVERY)
        fprintf(out,
                "eta: 1 day, 2:03:04  iter: %zu  loss: 1.2345 (1.5678)  time: %.4f (%.4f)  data: %.4f (%.4f)  "
                "lr: 0.003333  max mem: 3210\n",
                n, made_median(run->iter, n - WINDOW, n), made_mean(run->iter, 0, n),
                made_median(run->data, n - WINDOW, n), made_mean(run->data, 0, n));
}

static inline void write_mmengine(FILE *out, const struct made_run *run)
{
    for (size_t n = PRINT_EVERY; n <= MADE_STEPS; n += PRINT_EVERY)
        fprintf(out,
                "02/20 14:43:11 - mmengine - INFO - Epoch(train)   [1][%4zu/%d]  lr: 1.0000e-01  eta: 6:12:01  "
                "time: %.4f  data_time: %.4f  memory: 214  loss: 2.0611\n",
                n, EPOCH, made_mean(run->iter, n - PRINT_EVERY, n), made_mean(run->data, n - PRINT_EVERY, n));
}

static inline void write_mmengine_json(FILE *out, const struct made_run *run)
{
    for (size_t n = PRINT_EVERY; n <= MADE_STEPS; n += PRINT_EVERY)
        fprintf(out,
                "{\"lr\": 0.1, \"data_time\": %.9f, \"loss\": 2.06, \"time\": %.9f, \"epoch\": 1, \"iter\": %zu, "
                "\"memory\": 214, \"step\": %zu}\n",
                made_mean(run->data, n - PRINT_EVERY, n), made_mean(run->iter, n - PRINT_EVERY, n), n, n);
}

static inline void write_detectron2(FILE *out, const struct made_run *run)
{
    for (size_t n = PRINT_EVERY; n <= MADE_STEPS; n += PRINT_EVERY)
        fprintf(out,
                "{\"data_time\": %.9f, \"eta_seconds\": 2301.5, \"iteration\": %zu, \"lr\": 0.0077, "
                "\"rank_data_time\": %.9f, \"time\": %.9f, \"total_loss\": 1.28}\n",
                made_median(run->data, n - WINDOW, n), n - 1, made_median(run->data, n - WINDOW, n),
                made_median(run->iter, n - WINDOW, n));
}

static inline void write_lightning(FILE *out, const struct made_run *run)
{
    double data = made_mean(run->data, 0, MADE_STEPS), iter = made_mean(run->iter, 0, MADE_STEPS);
    fprintf(out, "FIT Profiler Report\n\n"
                 "------------------------------------------------------------------------------------------\n"
                 "|  Action                                   \t|  Mean duration (s)\t|  Num calls      \t|"
                 "  Total time (s) \t|  Percentage %%   \t|\n"
                 "------------------------------------------------------------------------------------------\n");
    fprintf(out,
            "|  Total                                    \t|  -              \t|  100            \t|  %-15.5g\t|"
            "  100 %%          \t|\n",
            iter * MADE_STEPS);
    fprintf(out,
            "|  run_training_epoch                       \t|  %-15.5g\t|  1              \t|  %-15.5g\t|  100          "
            "  \t|\n",
            iter * MADE_STEPS, iter * MADE_STEPS);
    fprintf(out,
            "|  run_training_batch                       \t|  %-15.5g\t|  %-15d\t|  %-15.5g\t|  50             \t|\n",
            iter - data, MADE_STEPS, (iter - data) * MADE_STEPS);
    fprintf(out,
            "|  [_TrainingEpochLoop].train_dataloader_next\t|  %-15.5g\t|  %-15d\t|  %-15.5g\t|  50             \t|\n",
            data, MADE_STEPS, data * MADE_STEPS);
}

static inline void write_megatron(FILE *out, const struct made_run *run)
{
    for (size_t n = PRINT_EVERY; n <= MADE_STEPS; n += PRINT_EVERY) {
        double data = 1e3 * made_mean(run->data, n - PRINT_EVERY, n);
        fprintf(out,
                " [2026-08-22 10:00:00.123456] iteration %8zu/  500000 | consumed samples: %12zu | elapsed time per "
                "iteration (ms): %.1f | learning rate: 1.0E-04 | global batch size:   256 | lm loss: 1.0E+01 |\n",
                n, 256 * n, 1e3 * made_mean(run->iter, n - PRINT_EVERY, n));
        fprintf(
            out,
            "(min, max) time across ranks (ms):\n    batch-generator ................................: (%.2f, %.2f)\n",
            data, data);
    }
}

static inline void write_chrome(FILE *out, const struct made_run *run)
{
    fprintf(out, "{\"schemaVersion\": 1, \"traceEvents\": [\n");
    for (size_t i = 0; i < MADE_STEPS; i++) {
        fprintf(out,
                "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": "
                "\"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__\", \"pid\": 7, \"tid\": 7, "
                "\"ts\": %.3f, \"dur\": %.3f},\n",
                1e6 * (1000 + run->request[i]), 1e6 * run->data[i]);
        fprintf(out,
                "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#%zu\", \"pid\": 7, \"tid\": 7, "
                "\"ts\": %.3f, \"dur\": %.3f}%s\n",
                i, 1e6 * (1000 + run->request[i]), 1e6 * run->iter[i], i + 1 < MADE_STEPS ? "," : "");
    }
    fprintf(out, "], \"traceName\": \"trace.json\"}\n");
}

static inline void write_list(FILE *out, const char *name, const double *x, const double *less, const char *after)
{
    fprintf(out, "        \"%s\": {\n            \"block1\": [\n", name);
    for (size_t i = 0; i < MADE_STEPS; i++)
        fprintf(out, "                %.9f%s\n", x[i] - (less != NULL ? less[i] : 0), i + 1 < MADE_STEPS ? "," : "");
    fprintf(out, "            ]\n        }%s\n", after);
}

static inline void write_dlio(FILE *out, const struct made_run *run)
{
    fprintf(out, "{\n    \"host_memory_GB\": 503.4,\n    \"host_cpu_count\": 96,\n    \"1\": {\n");
    write_list(out, "load", run->data, NULL, ",");
    write_list(out, "proc", run->iter, NULL, ",");
    write_list(out, "compute", run->iter, run->data, "");
    fprintf(out, "    },\n    \"hostname\": \"node\"\n}\n");
}

static inline void write_lotus(FILE *out, const struct made_run *run)
{
    const long long origin = 1700000000000000000LL;
    for (size_t i = 0; i < MADE_STEPS; i++) {
        fprintf(out, "SBatchPreprocessed_%zu,%lld,%lld\n", i, origin + (long long)(1e9 * run->load_start[i]),
                (long long)(1e9 * run->load[i]));
        fprintf(out, "SBatchWait_%zu,%lld,%lld\n", i, origin + (long long)(1e9 * run->request[i]),
                (long long)(1e9 * run->data[i]));
        fprintf(out, "SBatchConsumed_%zu,%lld,%lld\n", i, origin + (long long)(1e9 * run->received[i]),
                (long long)(1e9 * (run->iter[i] - run->data[i])));
    }
}

/* What a log of that format shows of a run. */
enum shown { SHOWS_LOADS, SHOWS_WAITS, SHOWS_MEANS, SHOWS_MEDIANS };

static const struct log_writer {
    const char *format, *file;
    enum shown shown;
    void (*write)(FILE *out, const struct made_run *run);
} log_writers[] = {
    {"csv", "trace.csv", SHOWS_LOADS, write_trace},
    {"lotus", "lotus.csv", SHOWS_LOADS, write_lotus},
    {"csv", "times.csv", SHOWS_WAITS, write_times},
    {"ratio", "train.log", SHOWS_WAITS, write_ratio},
    {"chrome", "trace.json", SHOWS_WAITS, write_chrome},
    {"dlio", "0_output.json", SHOWS_WAITS, write_dlio},
    {"pytorch-imagenet", "train.log", SHOWS_MEANS, write_imagenet},
    {"timm", "train.log", SHOWS_MEANS, write_timm},
    {"torchvision", "train.log", SHOWS_MEANS, write_torchvision},
    {"maskrcnn-benchmark", "train.log", SHOWS_MEANS, write_maskrcnn},
    {"mmengine", "train.log", SHOWS_MEANS, write_mmengine},
    {"mmengine", "scalars.json", SHOWS_MEANS, write_mmengine_json},
    {"detectron2", "metrics.json", SHOWS_MEDIANS, write_detectron2},
    {"lightning", "profile.txt", SHOWS_MEANS, write_lightning},
    {"megatron", "train.log", SHOWS_MEANS, write_megatron},
};

#endif
