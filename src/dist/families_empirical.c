/* Measured times, resampled: a = factor from the data to units of the mean. */
#include "dist/families.h"

#include <math.h>

bool dlq_empirical_make(struct dlq_dist *dist, const struct dlq_parameters *parameters, unsigned *fault, char *why,
                        size_t size)
{
    const struct dlq_empirical *data = parameters->data;
    double mean = parameters->mean;
    if (data == NULL || data->count == 0)
        return dlq_refuse(fault, DLQ_FILE, why, size, "is missing: a CSV file of measured times");
    if (dlq_given(mean) && !(mean >= DLQ_TIME_LEAST))
        return dlq_refuse(fault, DLQ_MEAN, why, size, "%g s is out of range (%g to %g s)", mean, DLQ_TIME_LEAST,
                          DLQ_TIME_MOST);
    if (data->mean == 0 && dlq_given(mean))
        return dlq_refuse(fault, DLQ_MEAN, why, size, "can't rescale measured times that are all 0");
    if (!dlq_given(mean))
        mean = data->mean;
    if (data->variance == 0) {
        dlq_constant_set(dist, mean);
        return true;
    }
    dlq_set_moments(dist, mean, sqrt(data->variance) / data->mean);
    dist->a = 1 / data->mean;
    dist->data = data;
    return true;
}

/* One value of the law. Without rescaling the measured value itself, to the bit. */
double dlq_empirical_value(const struct dlq_dist *dist, size_t i)
{
    double value = dist->data->sorted[i];
    return dist->scale == dist->data->mean ? value : value * dist->a * dist->scale;
}

/* How many values are <= x. */
static size_t count_to(const struct dlq_dist *dist, double x)
{
    size_t low = 0, high = dist->data->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (dlq_empirical_value(dist, middle) <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double dlq_empirical_cdf(const struct dlq_dist *dist, double x)
{
    return (double)count_to(dist, x) / (double)dist->data->count;
}

double dlq_empirical_survival(const struct dlq_dist *dist, double x)
{
    return (double)(dist->data->count - count_to(dist, x)) / (double)dist->data->count;
}

/* The smallest value with at least that share at or below it; a share that is whole but for rounding is whole. */
double dlq_empirical_quantile(const struct dlq_dist *dist, double p)
{
    double rank = ceil(p * (double)dist->data->count * (1 - 1e-15));
    return dlq_empirical_value(dist, rank > 1 ? (size_t)rank - 1 : 0);
}

/* The smallest value with at most that share above it. */
double dlq_empirical_upper(const struct dlq_dist *dist, double q)
{
    double above = floor(q * (double)dist->data->count * (1 + 1e-15));
    size_t last = dist->data->count - 1;
    return dlq_empirical_value(dist, above < (double)last ? last - (size_t)above : 0);
}

double dlq_empirical_sample(const struct dlq_dist *dist, gsl_rng *rng)
{
    return dlq_empirical_value(dist, (size_t)(gsl_rng_uniform(rng) * (double)dist->data->count));
}
