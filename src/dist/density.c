/* Log densities of the families, and of sums of a usual distribution and a tail. */
#include "dist/likelihood.h"

#include "base/elementary.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <string.h>

void dlq_density_of(struct dlq_density *density, const struct dlq_dist *dist)
{
    bool has_one = dist->family->log_density != NULL;
    *density = (struct dlq_density){*dist, has_one ? dist->family->log_density(dist, true, 0) : NAN};
    density->constant -= dlq_log(dist->scale);
}

double dlq_log_density(const struct dlq_density *density, double x)
{
    const struct dlq_dist *dist = &density->dist;
    if (isnan(density->constant))
        return NAN;
    return x > 0 ? density->constant + dist->family->log_density(dist, false, x / dist->scale) : -INFINITY;
}

/* -- a usual distribution with a tail -- */

/* Nodes are quantiles of the lognormal distribution of the same mean and cv, which are fast, each with the weight that
   the distribution itself gives to it: midpoints in t, p = t^2 (3 - 2 t), so that nodes are closer at both ends. They
   are shifted so that their mean is that of the distribution. */
void dlq_tailed_of(struct dlq_tailed *tailed, const struct dlq_dist *usual, const struct dlq_dist *tail,
                   double probability)
{
    tailed->probability = tail == NULL ? 0 : probability;
    tailed->nodes = 0;
    tailed->wide = &tailed->usual;
    dlq_density_of(&tailed->usual, usual);
    if (tail == NULL)
        return;
    dlq_density_of(&tailed->tail, tail);
    if (dlq_dist_is_constant(tail)) {
        tailed->nodes = 1;
        tailed->node[0] = tail->mean;
        tailed->weight[0] = 1;
        return;
    }
    bool tail_is_wide = !(tail->variance < usual->variance);
    const struct dlq_density *narrow = tail_is_wide ? &tailed->usual : &tailed->tail;
    double square = dlq_log1p(narrow->dist.variance / (narrow->dist.mean * narrow->dist.mean));
    double mean = 0, sum = 0, spread = sqrt(square);
    tailed->wide = tail_is_wide ? &tailed->tail : &tailed->usual;
    tailed->nodes = DLQ_TAIL_NODES;
    for (int i = 0; i < DLQ_TAIL_NODES; i++) {
        double t = (i + 0.5) / DLQ_TAIL_NODES, z = -dlq_normal_upper_at(t * t * (3 - 2 * t));
        double x = narrow->dist.mean * dlq_exp(spread * z - square / 2);
        tailed->node[i] = x;
        tailed->weight[i] = t * (1 - t) * spread * x * dlq_exp(dlq_log_density(narrow, x) + z * z / 2);
        sum += tailed->weight[i];
        mean += tailed->weight[i] * x;
    }
    for (int i = 0; i < DLQ_TAIL_NODES; i++) {
        tailed->weight[i] /= sum;
        tailed->node[i] += narrow->dist.mean - mean / sum;
    }
}

double dlq_tailed_log_density(const struct dlq_tailed *tailed, double x)
{
    double usual = dlq_log_density(&tailed->usual, x), sum = 0;
    if (tailed->probability == 0)
        return usual;
    for (int i = 0; i < tailed->nodes; i++)
        if (x > tailed->node[i])
            sum += tailed->weight[i] * dlq_exp(dlq_log_density(tailed->wide, x - tailed->node[i]));
    return dlq_log((1 - tailed->probability) * dlq_exp(usual) + tailed->probability * sum);
}

static double mixed(const struct dlq_tailed *tailed, double x,
                    double (*function)(const struct dlq_dist *dist, double x))
{
    double sum = 0;
    for (int i = 0; i < tailed->nodes; i++)
        sum += tailed->weight[i] * function(&tailed->wide->dist, x - tailed->node[i]);
    return (1 - tailed->probability) * function(&tailed->usual.dist, x) + tailed->probability * sum;
}

double dlq_tailed_cdf(const struct dlq_tailed *tailed, double x)
{
    return mixed(tailed, x, dlq_dist_cdf);
}

double dlq_tailed_survival(const struct dlq_tailed *tailed, double x)
{
    return mixed(tailed, x, dlq_dist_survival);
}

/* Between the usual distribution's quantile and where neither part is left: by bisection. */
double dlq_tailed_quantile(const struct dlq_tailed *tailed, double p)
{
    double low = dlq_dist_quantile(&tailed->usual.dist, p), high = low;
    if (tailed->probability == 0)
        return low;
    high = fmax(high, tailed->usual.dist.mean);
    while (dlq_tailed_cdf(tailed, high) < p && high < 1e300)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = low + (high - low) / 2;
        if (dlq_tailed_cdf(tailed, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return high;
}
