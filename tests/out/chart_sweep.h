/* A throughput chart as a sweep draws it. */
#ifndef TESTS_OUT_CHART_SWEEP_H
#define TESTS_OUT_CHART_SWEEP_H

#include "chart_script.h"

/* The data of a typical sweep; ratio = load time / step time. */
struct sweep {
    double n[64], upper[64], step[64], mean[64], low[64], high[64];
    struct dlq_series series[4];
    struct dlq_region regions[2];
    struct dlq_chart chart;
};

static inline void set_sweep(struct sweep *sweep, size_t count, double ratio, double step)
{
    memset(sweep, 0, sizeof *sweep);
    for (size_t i = 0; i < count; i++) {
        double q = (double)(i + 1) / ratio;
        sweep->n[i] = (double)(i + 1);
        sweep->upper[i] = q / step;
        sweep->step[i] = 1 / step;
        sweep->mean[i] = fmin(1, q) / step * (1 - 0.0931 * exp(-3 * fabs(q - 1)));
        sweep->low[i] = 0.983 * sweep->mean[i];
        sweep->high[i] = 1.011 * sweep->mean[i];
    }
    sweep->series[0] = (struct dlq_series){"95 % interval", DLQ_MARK_BAND, DLQ_COLOR_BLUE, count,
                                           sweep->n,        NULL,          sweep->low,     sweep->high};
    sweep->series[1] = (struct dlq_series){"loading bound", DLQ_MARK_DOTTED, DLQ_COLOR_BLUE, count,
                                           sweep->n,        sweep->upper,    NULL,           NULL};
    sweep->series[2] =
        (struct dlq_series){"step bound", DLQ_MARK_DASHED, DLQ_COLOR_AMBER, count, sweep->n, sweep->step, NULL, NULL};
    sweep->series[3] = (struct dlq_series){"simulated mean", DLQ_MARK_POINTS, DLQ_COLOR_BLUE, count,
                                           sweep->n,         sweep->mean,     NULL,           NULL};
    sweep->regions[0] = (struct dlq_region){-HUGE_VAL, ratio, DLQ_COLOR_BLUE, "LOADING-BOUND"};
    sweep->regions[1] = (struct dlq_region){ratio, HUGE_VAL, DLQ_COLOR_AMBER, "STEP-BOUND"};
    sweep->chart = (struct dlq_chart){.title = "Throughput saturates near 7 loaders",
                                      .subtitle = "load 700 ms, cv 0.6, step 100 ms",
                                      .x_label = "Loader processes",
                                      .y_label = "Throughput (batches/s)",
                                      .x_integer = true,
                                      .series = sweep->series,
                                      .series_count = 4,
                                      .regions = sweep->regions,
                                      .region_count = 2,
                                      .line_x = ratio,
                                      .note_x = floor(ratio),
                                      .note_y = sweep->mean[(size_t)ratio - 1],
                                      .note = "the knee\nis here"};
}

#endif
