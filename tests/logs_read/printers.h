/* What programs print after some iterations of an epoch, of the waits and the times of its iterations. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After n iterations of an epoch of `length`; the line before was `every` iterations ago. */
struct at {
    int epoch;
    long n, length, every;
    const double *data, *iter;
};

/* Of iterations from <= i < to. */
static inline double mean(const double *values, long from, long to)
{
    double sum = 0;
    for (long i = from; i < to; i++)
        sum += values[i];
    return sum / (double)(to - from);
}

static inline double last_20(const double *values, long n)
{
    return mean(values, n > 20 ? n - 20 : 0, n);
}

static inline int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of the last 20. */
static inline double median_20(const double *values, long n)
{
    double sorted[20];
    memcpy(sorted, values + n - 20, sizeof sorted);
    qsort(sorted, 20, sizeof *sorted, by_value);
    return (sorted[9] + sorted[10]) / 2;
}

#define PRINTER(name, ...)                                                                                             \
    static inline void name(FILE *out, struct at at)                                                                   \
    {                                                                                                                  \
        fprintf(out, __VA_ARGS__);                                                                                     \
    }

PRINTER(print_imagenet, "Epoch: [%d][%4ld/%ld]\tTime %6.3f (%6.3f)\tData %6.3f (%6.3f)\tLoss 7.0e+00 (7.0e+00)\n",
        at.epoch, at.n, at.length, at.iter[at.n - 1], mean(at.iter, 0, at.n), at.data[at.n - 1], mean(at.data, 0, at.n))

PRINTER(print_timm,
        "Train: %d [%4ld/%ld (%3.0f%%)]  Loss: 6.93 (6.95)  Time: %.3fs, %7.2f/s  (%.3fs, %7.2f/s)  LR: 1.000e-05  "
        "Data: %.3f (%.3f)\n",
        at.epoch, at.n - 1, at.length, 100.0 * (double)at.n / (double)at.length, at.iter[at.n - 1],
        256 / at.iter[at.n - 1], mean(at.iter, 0, at.n), 256 / mean(at.iter, 0, at.n), at.data[at.n - 1],
        mean(at.data, 0, at.n))

PRINTER(print_torchvision,
        "Epoch: [%d]  [%4ld/%ld]  eta: 0:10:00  loss: 5.1 (5.4)  time: %.4f  data: %.4f  max mem: 3211\n", at.epoch,
        at.n - 1, at.length, last_20(at.iter, at.n), last_20(at.data, at.n))

PRINTER(print_mmcv,
        "2020-07-21 16:20:05,759 - mmdet - INFO - Epoch [%d][%ld/%ld]\tlr: 0.02, eta: 1:00:00, time: %.3f, "
        "data_time: %.3f, memory: 2677, loss: 1.0\n",
        at.epoch + 1, at.n, at.length, mean(at.iter, at.n - at.every, at.n), mean(at.data, at.n - at.every, at.n))

PRINTER(print_maskrcnn, "eta: 1:00:00  iter: %ld  loss: 1.2 (1.5)  time: %.4f (%.4f)  data: %.4f (%.4f)  lr: 0.003\n",
        at.n, median_20(at.iter, at.n), mean(at.iter, 0, at.n), median_20(at.data, at.n), mean(at.data, 0, at.n))

PRINTER(print_detectron2,
        " eta: 0:38:21  iter: %ld  total_loss: 1.28  time: %.4f  data_time: %.4f  lr: 0.007  max_mem: 3210M\n",
        at.n - 1, mean(at.iter, 2, at.n), last_20(at.data, at.n))

PRINTER(print_detectron2_json, "{\"data_time\": %.17g, \"eta_seconds\": 2301.5, \"iteration\": %ld, \"time\": %.17g}\n",
        median_20(at.data, at.n), at.n - 1, median_20(at.iter, at.n))

PRINTER(print_mmengine_json,
        "{\"lr\": 0.1, \"data_time\": %.17g, \"time\": %.17g, \"epoch\": %d, \"iter\": %ld, \"step\": %ld}\n",
        mean(at.data, at.n - at.every, at.n), mean(at.iter, at.n - at.every, at.n), at.epoch + 1,
        at.n + at.epoch * at.length, at.n + at.epoch * at.length)

PRINTER(print_megatron,
        " iteration %8ld/  500000 | consumed samples: 2560 | elapsed time per iteration (ms): %.1f | lm loss: 1 |\n"
        "(min, max) time across ranks (ms):\n    batch-generator .....: (0.01, %.2f)\n",
        at.n, 1e3 * mean(at.iter, at.n - at.every, at.n), 1e3 * mean(at.data, at.n - at.every, at.n))
