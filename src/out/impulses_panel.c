/* What both panels of impulses share: axes, tics, widths, thinning. */
#include "out/impulses_sheet.h"

#include <math.h>
#include <stdint.h>

enum { TICS_MOST = 20, COLUMNS_LEAST = 300, COLUMNS_MOST = 4000 };

bool dlq_impulse_drawn(double value)
{
    return fabs(value) < 1e100;
}

double dlq_panel_x(const struct dlq_panel *panel, double x)
{
    const struct dlq_box *plot = &panel->plot;
    return plot->left + (x - panel->x_low) / (panel->x_high - panel->x_low) * (plot->right - plot->left);
}

double dlq_panel_y(const struct dlq_panel *panel, double y)
{
    const struct dlq_box *plot = &panel->plot;
    return plot->bottom - (y - panel->y_low) / (panel->y_high - panel->y_low) * (plot->bottom - plot->top);
}

/* 1, 2, 5, 10, 20, ... */
static double multiple(int place)
{
    static const double mantissas[] = {1, 2, 5};
    int power = place / 3;
    return mantissas[place % 3] * pow(10, power);
}

void dlq_panel_whole_tics(struct dlq_panel *panel, const struct dlq_page *page, long every, double from)
{
    struct dlq_axis axis = {.low = panel->x_low, .high = panel->x_high, .factor = 1};
    axis.pixels = panel->plot.right - panel->plot.left;
    double base = every < 1 ? 1 : (double)every, at[TICS_MOST];
    if (floor(panel->x_high / base) <= ceil(from / base))
        base = 1;
    size_t count = TICS_MOST;
    panel->x_tics.count = 0;
    for (int place = 0; panel->x_tics.count != count; place++) {
        double step = multiple(place) * base, first = ceil(from / step - 1e-9);
        double last = floor(panel->x_high / step + 1e-9);
        if (last - first >= TICS_MOST)
            continue;
        count = last < first ? 0 : (size_t)(last - first) + 1;
        for (size_t i = 0; i < count; i++)
            at[i] = (first + (double)i) * step + 0.0; /* the sum makes -0 plain */
        dlq_tics_values(&panel->x_tics, page, &axis, at, NULL, count);
    }
}

void dlq_panel_value_tics(struct dlq_panel *panel, const struct dlq_page *page)
{
    struct dlq_axis axis = {.low = panel->y_low, .high = panel->y_high, .factor = 1, .vertical = true};
    double pixels = panel->plot.bottom - panel->plot.top;
    panel->y_tics.count = 0;
    /* One tic alone tells no scale: low panels have two, if closer together than is usual. */
    for (int times = 1; times <= 4 && panel->y_tics.count < 2; times *= 2) {
        axis.pixels = times * pixels;
        dlq_tics_plain(&panel->y_tics, page, &axis);
    }
}

size_t dlq_impulse_largest(const double *values, size_t from, size_t until)
{
    size_t largest = SIZE_MAX;
    for (size_t i = from; i < until; i++)
        if (dlq_impulse_drawn(values[i]) && values[i] >= 0 && (largest == SIZE_MAX || values[i] > values[largest]))
            largest = i;
    return largest;
}

size_t dlq_impulse_group(size_t count, double pixels)
{
    if (count <= DLQ_IMPULSES_SINGLE)
        return 1;
    size_t columns = (size_t)fmin(fmax(pixels, COLUMNS_LEAST), COLUMNS_MOST);
    return (count + columns - 1) / columns;
}

double dlq_impulse_width(const struct dlq_page *page, double room, double share, double most)
{
    return fmin(most, share * room / page->scale);
}
