#include "study/fit_law.h"

#include "dist/dist.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static const struct {
    const char *name, *of_tail;
    size_t offset;
    bool is_time;
} rows[] = {
    {"mean", "tail.mean", offsetof(struct dlq_parameters, mean), true},
    {"cv", "tail.cv", offsetof(struct dlq_parameters, cv), false},
    {"sd", "tail.sd", offsetof(struct dlq_parameters, sd), true},
    {"median", "tail.median", offsetof(struct dlq_parameters, median), true},
    {"p99", "tail.p99", offsetof(struct dlq_parameters, p99), true},
    {"shape", "tail.shape", offsetof(struct dlq_parameters, shape), false},
    {"alpha", "tail.alpha", offsetof(struct dlq_parameters, alpha), false},
    {"stages", "tail.stages", offsetof(struct dlq_parameters, stages), false},
    {"min", "tail.min", offsetof(struct dlq_parameters, minimum), true},
    {"max", "tail.max", offsetof(struct dlq_parameters, maximum), true},
};
enum { ROWS = sizeof rows / sizeof *rows };

static double value_at(const struct dlq_parameters *parameters, size_t row)
{
    return *(const double *)((const char *)parameters + rows[row].offset);
}

bool dlq_fit_parameter_at(const struct dlq_parameters *parameters, size_t index, const char **name, double *value,
                          bool *is_time)
{
    for (size_t i = 0; i < ROWS; i++) {
        double found = value_at(parameters, i);
        if (isnan(found) || index-- > 0)
            continue;
        *name = rows[i].name;
        *value = found;
        *is_time = rows[i].is_time;
        return true;
    }
    return false;
}

static void add_parameter(struct dlq_fit_law *law, const char *name, double value)
{
    if (law->parameter_count < DLQ_FIT_PARAMETERS && !isnan(value))
        law->parameters[law->parameter_count++] = (struct dlq_fit_parameter){name, value};
}

static void name_law(const struct dlq_fitted *fitted, char *text, size_t size)
{
    if (fitted->has_tail)
        snprintf(text, size, "%s + %s tail", fitted->family->name, fitted->tail_family->name);
    else
        snprintf(text, size, "%s", fitted->family->name);
}

static void put_parameters(struct dlq_fit_law *law, const struct dlq_fitted *fitted)
{
    for (size_t i = 0; i < ROWS; i++)
        add_parameter(law, rows[i].name, value_at(&fitted->parameters, i));
    if (!fitted->has_tail)
        return;
    add_parameter(law, "tail.probability", fitted->tail_probability);
    for (size_t i = 0; i < ROWS; i++)
        add_parameter(law, rows[i].of_tail, value_at(&fitted->tail_parameters, i));
}

static void put_tried(struct dlq_fit_law *law, const struct dlq_fitted *fitted, size_t count)
{
    for (size_t i = 0; i < count && i < DLQ_FIT_LAWS; i++) {
        struct dlq_fit_tried *tried = &law->tried[law->tried_count++];
        name_law(&fitted[i], tried->distribution, sizeof tried->distribution);
        tried->aic_above = fitted[i].aic - fitted[0].aic;
        tried->ks = fitted[i].ks;
    }
}

/* Student's interval of the mean of exact times, and as far as the law's own mean: where that lies outside, the times
   are too few for the law's tail. */
static void put_interval(struct dlq_fit_law *law, const double *sorted, size_t n)
{
    double mean = gsl_stats_mean(sorted, 1, n);
    double half = 0;
    if (n > 1)
        half = gsl_cdf_tdist_Pinv(0.975, (double)n - 1) * gsl_stats_sd_m(sorted, 1, n, mean) / sqrt((double)n);
    law->mean_low = fmin(fmax(0, mean - half), law->mean);
    law->mean_high = fmax(mean + half, law->mean);
}

static enum dlq_status put_points(struct dlq_fit_law *law, const struct dlq_fitted *fitted, const double *sorted,
                                  size_t n, struct dlq_error *error)
{
    struct dlq_sum whole = {0};
    const struct dlq_part parts[] = {{fitted->dist, 1, 1}, {fitted->tail, fitted->tail_probability, 1}};
    enum dlq_status status = dlq_sum_make(&whole, parts, fitted->has_tail ? 2 : 1, error);
    if (status != DLQ_OK)
        return status;
    size_t points = n < DLQ_FIT_POINTS ? n : DLQ_FIT_POINTS;
    for (size_t i = 0; i < points; i++) {
        size_t place = (size_t)(((double)i + 0.5) / (double)points * (double)n);
        law->x[i] = sorted[place];
        law->measured[i] = ((double)place + 0.5) / (double)n;
        law->fitted[i] = dlq_sum_cdf(&whole, sorted[place]);
    }
    law->point_count = points;
    dlq_sum_free(&whole);
    return DLQ_OK;
}

enum dlq_status dlq_fit_law_fill(struct dlq_fit_law *law, const struct dlq_fitted *fitted, size_t fitted_count,
                                 const struct dlq_observed *observed, size_t n, struct dlq_error *error)
{
    struct dlq_fit_law filled = {.mean_low = NAN, .mean_high = NAN, .ks = fitted->ks, .n = (long)n};
    double *exact = calloc(n > 0 ? n : 1, sizeof *exact);
    enum dlq_status status = DLQ_OK;
    size_t known = 0;
    if (exact == NULL)
        return dlq_error_memory(error, "fitting load times");
    for (size_t i = 0; i < n; i++)
        if (observed[i].low == observed[i].high)
            exact[known++] = observed[i].low;
    gsl_sort(exact, 1, known);
    name_law(fitted, filled.distribution, sizeof filled.distribution);
    filled.mean = fitted->mean;
    filled.cv = fitted->cv;
    filled.median = fitted->median;
    filled.p99 = fitted->p99;
    put_parameters(&filled, fitted);
    put_tried(&filled, fitted, fitted_count);
    if (known == n && n > 0)
        put_interval(&filled, exact, known);
    if (known == n && n > 0)
        status = put_points(&filled, fitted, exact, known, error);
    free(exact);
    if (status == DLQ_OK)
        *law = filled;
    return status;
}

void dlq_fit_law_constant(struct dlq_fit_law *law, double mean, long n)
{
    *law = (struct dlq_fit_law){
        .distribution = "constant",
        .mean = mean,
        .median = mean,
        .p99 = mean,
        .mean_low = mean,
        .mean_high = mean,
        .ks = NAN,
        .n = n,
    };
    add_parameter(law, "mean", mean);
}
