/* A utilization map as a sweep draws it. */
#ifndef TESTS_OUT_HEATMAP_FIELD_H
#define TESTS_OUT_HEATMAP_FIELD_H

#include "chart_script.h"

static const struct dlq_level three[] = {{0.9, "90 %"}, {0.95, "95 %"}, {0.99, "99 %"}};

struct field {
    double x[80], y[80], z[6400];
    struct dlq_heatmap map;
};

/* Utilization falls with the load time: q / (1 + q^6)^(1/6), q = loaders * step / load. */
static inline void set_field(struct field *field, size_t columns, size_t rows, double low, double high,
                             bool logarithmic)
{
    memset(field, 0, sizeof *field);
    double last = rows > 1 ? (double)(rows - 1) : 1;
    for (size_t i = 0; i < rows; i++)
        field->y[i] = logarithmic ? low * pow(high / low, (double)i / last) : low + (high - low) * (double)i / last;
    for (size_t i = 0; i < columns; i++)
        field->x[i] = (double)(i + 1);
    for (size_t i = 0; i < rows * columns; i++) {
        double q = field->x[i % columns] * 0.1 / field->y[i / columns];
        field->z[i] = q / pow(1 + pow(q, 6), 1 / 6.0);
    }
    field->map = (struct dlq_heatmap){.title = "Utilization over loaders and load time",
                                      .subtitle = "step 100 ms",
                                      .x_label = "Loader processes",
                                      .y_label = "Mean load time",
                                      .z_label = "GPU utilization",
                                      .x = field->x,
                                      .y = field->y,
                                      .z = field->z,
                                      .columns = columns,
                                      .rows = rows,
                                      .x_integer = true,
                                      .y_logarithmic = logarithmic,
                                      .y_is_time = true,
                                      .levels = three,
                                      .level_count = 3,
                                      .level_is_upper = true};
}

#endif
