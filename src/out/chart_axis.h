/* Tics at readable values, with their labels. */
#ifndef OUT_CHART_AXIS_H
#define OUT_CHART_AXIS_H

#include "out/chart_page.h"

enum { DLQ_TICS = 64, DLQ_TIC_TEXT = 32 };

/* `at` in the coordinates of the axis. */
struct dlq_tics {
    size_t count;
    double at[DLQ_TICS];
    char label[DLQ_TICS][DLQ_TIC_TEXT];
};

/* An axis that spans `pixels`; factor: labels show factor * position (100 with percent). Logarithmic: low > 0. */
struct dlq_axis {
    double low, high, pixels, factor;
    bool logarithmic, integer, percent, vertical;
};

/* 1, 2 or 5 times a power of ten apart (integers below 300: powers of two), as many as there is room for; logarithmic:
   at such values. */
void dlq_tics_plain(struct dlq_tics *tics, const struct dlq_page *page, const struct dlq_axis *axis);
/* At the values themselves, leaving out those whose labels would touch the one before. positions: null: = values. */
void dlq_tics_values(struct dlq_tics *tics, const struct dlq_page *page, const struct dlq_axis *axis,
                     const double *values, const double *positions, size_t count);
/* name: "x", "y", "y2", "cb". */
void dlq_tics_write(const struct dlq_tics *tics, const struct dlq_page *page, const char *name);
double dlq_tics_width(const struct dlq_tics *tics, const struct dlq_page *page);

/* Plain number with thousands separated: 1482.5, 1 -> "1,482.5". */
void dlq_tic_number(double value, int decimals, char text[DLQ_TIC_TEXT]);

#endif
