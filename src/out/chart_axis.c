#include "out/chart_axis.h"

#include "base/number.h"
#include "dlqueue/gnuplot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double tic_points = 17;

void dlq_tic_number(double value, int decimals, char text[DLQ_TIC_TEXT])
{
    char plain[DLQ_TIC_TEXT];
    if (value == 0)
        decimals = decimals > 4 ? 0 : decimals;
    if (fabs(value) >= 1e9 || (value != 0 && fabs(value) < 1e-4)) {
        snprintf(text, DLQ_TIC_TEXT, "%.4g", value);
        return;
    }
    snprintf(plain, sizeof plain, "%.*f", decimals, value == 0 ? 0.0 : value);
    dlq_number_thousands(plain, text, DLQ_TIC_TEXT);
}

/* Decimals that show every multiple of step; at most 6. */
static int decimals_of(double step)
{
    for (int decimals = 0; decimals < 6; decimals++) {
        double scaled = step * pow(10, decimals);
        if (fabs(scaled - round(scaled)) < 1e-6 * scaled)
            return decimals;
    }
    return 6;
}

static void add(struct dlq_tics *tics, const struct dlq_axis *axis, double at, int decimals)
{
    if (tics->count == DLQ_TICS)
        return;
    tics->at[tics->count] = at;
    dlq_tic_number(at * axis->factor, decimals, tics->label[tics->count]);
    size_t length = strlen(tics->label[tics->count]);
    if (axis->percent && length + 3 <= DLQ_TIC_TEXT)
        memcpy(tics->label[tics->count] + length, " %", 3);
    tics->count++;
}

static void drop_last(struct dlq_tics *tics)
{
    tics->count--;
}

static double pixel(const struct dlq_axis *axis, double at)
{
    double low = axis->low, high = axis->high;
    if (axis->logarithmic) {
        low = log10(low);
        high = log10(high);
        at = log10(at);
    }
    return (at - low) / (high - low) * axis->pixels;
}

/* Pixels of a label along its axis, with the gap to the next. */
static double extent(const struct dlq_page *page, const struct dlq_axis *axis, const char *label)
{
    double em = dlq_page_em(page, tic_points);
    return axis->vertical ? 1.3 * em : dlq_page_width(page, tic_points, label) + 0.7 * em;
}

static bool touches(const struct dlq_tics *tics, const struct dlq_page *page, const struct dlq_axis *axis, size_t i,
                    size_t j)
{
    double apart = fabs(pixel(axis, tics->at[i]) - pixel(axis, tics->at[j]));
    return apart < 0.5 * (extent(page, axis, tics->label[i]) + extent(page, axis, tics->label[j]));
}

static bool crowded(const struct dlq_tics *tics, const struct dlq_page *page, const struct dlq_axis *axis)
{
    for (size_t i = 1; i < tics->count; i++)
        if (touches(tics, page, axis, i - 1, i))
            return true;
    return false;
}

/* Counts of loaders go by powers of two; counts of batches do not. */
static double next_step(double step, const struct dlq_axis *axis)
{
    if (axis->integer && axis->high < 300)
        return 2 * step;
    double power = pow(10, floor(log10(step) + 1e-9)), mantissa = step / power;
    return mantissa < 1.5 ? 2 * power : mantissa < 4 ? 5 * power : 10 * power;
}

static void fill_linear(struct dlq_tics *tics, const struct dlq_axis *axis, double step)
{
    double low = axis->low * axis->factor, high = axis->high * axis->factor;
    double slack = 1e-6 * step;
    int decimals = decimals_of(step);
    tics->count = 0;
    /* Fewer than DLQ_TICS by the choice of step. */
    double first = ceil((low - slack) / step), last = floor((high + slack) / step);
    for (int k = 0; k < DLQ_TICS && first + k <= last; k++)
        add(tics, axis, (first + k) * step / axis->factor + 0.0, decimals); /* + 0.0: no -0 */
}

/* Counts begin with 1, which steps above 2 leave out. */
static void integer_one(struct dlq_tics *tics, const struct dlq_page *page, const struct dlq_axis *axis)
{
    if (axis->low > 1 || tics->count == DLQ_TICS || (tics->count > 0 && tics->at[0] <= 1))
        return;
    memmove(tics->at + 1, tics->at, tics->count * sizeof *tics->at);
    memmove(tics->label + 1, tics->label, tics->count * sizeof *tics->label);
    tics->count++;
    tics->at[0] = 1;
    dlq_tic_number(1, 0, tics->label[0]);
    if (tics->count > 1 && touches(tics, page, axis, 0, 1)) {
        tics->count--;
        memmove(tics->at, tics->at + 1, tics->count * sizeof *tics->at);
        memmove(tics->label, tics->label + 1, tics->count * sizeof *tics->label);
    }
}

static void linear(struct dlq_tics *tics, const struct dlq_page *page, const struct dlq_axis *axis)
{
    double span = (axis->high - axis->low) * axis->factor;
    double room = axis->vertical ? 2.6 * dlq_page_em(page, tic_points) : 1.5 * dlq_page_em(page, tic_points);
    double most = axis->integer && !axis->vertical ? 20 : 10.5;
    double least = span / fmin(most, fmax(1, axis->pixels / room));
    double step = axis->integer ? 1 : pow(10, floor(log10(least)));
    while (step < least * (1 - 1e-9))
        step = next_step(step, axis);
    fill_linear(tics, axis, step);
    while (tics->count > 2 && crowded(tics, page, axis)) {
        step = next_step(step, axis);
        fill_linear(tics, axis, step);
    }
    if (axis->integer && step > 2)
        integer_one(tics, page, axis);
}

/* Digits behind the point for 1, 2, 5 times 10^exponent. */
static int log_decimals(double value)
{
    int exponent = (int)floor(log10(value) + 1e-9);
    return exponent < 0 ? -exponent : 0;
}

static void fill_log(struct dlq_tics *tics, const struct dlq_axis *axis, size_t density)
{
    static const double mantissas[3][3] = {{1, 0, 0}, {1, 3, 0}, {1, 2, 5}};
    double low = axis->low * axis->factor, high = axis->high * axis->factor;
    tics->count = 0;
    int last = (int)ceil(log10(high));
    for (int decade = (int)floor(log10(low)); decade <= last; decade++)
        for (size_t i = 0; i <= density; i++) {
            double value = mantissas[density][i] * pow(10, decade);
            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
                add(tics, axis, value / axis->factor, log_decimals(value));
        }
}

static void logarithmic(struct dlq_tics *tics, const struct dlq_page *page, const struct dlq_axis *axis)
{
    for (size_t density = 3; density-- > 0;) {
        fill_log(tics, axis, density);
        if (!crowded(tics, page, axis))
            break;
    }
    /* Less than a decade: evenly spaced values stand unevenly, but readable. */
    if (tics->count < 2)
        linear(tics, page, axis);
}

/* Those that touch the one before. */
static void drop_touching(struct dlq_tics *tics, const struct dlq_page *page, const struct dlq_axis *axis)
{
    size_t kept = 0;
    for (size_t i = 0; i < tics->count; i++) {
        tics->at[kept] = tics->at[i];
        memmove(tics->label[kept], tics->label[i], DLQ_TIC_TEXT);
        if (kept == 0 || !touches(tics, page, axis, kept - 1, kept))
            kept++;
    }
    tics->count = kept;
}

void dlq_tics_plain(struct dlq_tics *tics, const struct dlq_page *page, const struct dlq_axis *axis)
{
    tics->count = 0;
    if (axis->logarithmic)
        logarithmic(tics, page, axis);
    else
        linear(tics, page, axis);
    drop_touching(tics, page, axis);
}

static int value_decimals(double value)
{
    if (value == 0 || fabs(value - round(value)) < 1e-9 * fabs(value))
        return 0;
    int exponent = (int)floor(log10(fabs(value)));
    int decimals = exponent > 2 ? 0 : 2 - exponent;
    for (; decimals > 0; decimals--) {
        double coarse = value * pow(10, decimals - 1);
        if (fabs(coarse - round(coarse)) > 0.01 * fabs(coarse) * 0.1)
            break;
    }
    return decimals;
}

void dlq_tics_values(struct dlq_tics *tics, const struct dlq_page *page, const struct dlq_axis *axis,
                     const double *values, const double *positions, size_t count)
{
    tics->count = 0;
    for (size_t i = 0; i < count && tics->count < DLQ_TICS; i++) {
        add(tics, axis, values[i], value_decimals(values[i] * axis->factor));
        if (positions != NULL)
            tics->at[tics->count - 1] = positions[i];
        if (tics->count > 1 && touches(tics, page, axis, tics->count - 2, tics->count - 1))
            drop_last(tics);
    }
}

void dlq_tics_write(const struct dlq_tics *tics, const struct dlq_page *page, const char *name)
{
    fprintf(page->script, "set %stics (", name);
    for (size_t i = 0; i < tics->count; i++) {
        fputs(i == 0 ? "\"" : ", \"", page->script);
        for (const char *c = tics->label[i]; *c != '\0'; c++) /* gnuplot takes it for a format */
            fputs(*c == '%' ? "%%" : (const char[]){*c, '\0'}, page->script);
        fprintf(page->script, "\" %.12g", tics->at[i]);
    }
    /* The svg terminal sets the labels of x half a line lower than the others do. */
    bool low = name[0] == 'x' && strcmp(page->canvas->format, "svg") == 0;
    fprintf(page->script, ")%s font ',%.6g'\n", low ? " offset 0,0.4" : "", dlq_page_font(page, tic_points));
}

double dlq_tics_width(const struct dlq_tics *tics, const struct dlq_page *page)
{
    double widest = 0;
    for (size_t i = 0; i < tics->count; i++)
        widest = fmax(widest, dlq_page_width(page, tic_points, tics->label[i]));
    return widest;
}
