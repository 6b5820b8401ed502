/* Estimates of a mean by linear regression on control variates. */
#include "stats/stats.h"

#include <float.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

/* A control is not used if its variance is at most the share no_spread of its mean square, or if the controls before it
   explain all of its variance except the share no_rest: such a variance is rounding. */
static const double no_spread = 1e-24, no_rest = 1e-9;

/* A control whose mean lies more than this many standard errors from its expectation depends on rare events that have
   not occurred yet. Its values say nothing about its variance and its slope. */
static const double most_errors = 4;

/* The least 1 - leverage, as the residual of a replication that alone determines a slope is rounding. */
static const double least_complement = 1e-4;

/* A regression on standardized controls. Their correlation matrix is lower * lower', so that forward substitution gives
   orthonormal controls. */
struct regression {
    const struct dlq_controlled_sample *sample;
    double mean, squares; /* of the values: mean, and sum of squares about the mean */
    double value;         /* the estimate: the fitted value where all controls equal their expectations */
    size_t used;          /* number of controls in use, and their columns */
    size_t column[DLQ_MOST_CONTROLS];
    double center[DLQ_MOST_CONTROLS], spread[DLQ_MOST_CONTROLS]; /* mean; root of the sum of squares about the mean */
    double lower[DLQ_MOST_CONTROLS][DLQ_MOST_CONTROLS];
    double slope[DLQ_MOST_CONTROLS], distance[DLQ_MOST_CONTROLS]; /* of orthonormal controls: slope; mean (from 0) */
};

/* What replication i contributes: its orthonormal controls u_i, its residual, its share a_i = 1/n - u_i'd of the
   estimate, d the distances, and its leverage h_i = 1/n + u_i'u_i. */
struct contribution {
    double row[DLQ_MOST_CONTROLS + 1];            /* u_i, then 1/sqrt(n) for the mean */
    double residual, share, leverage, complement; /* complement: 1 - leverage */
};

/* Control j orthonormalized: its standardized value less the part that the controls before, `row`, explain. */
static double orthonormal(const struct regression *fit, size_t j, double standardized, const double *row)
{
    for (size_t m = 0; m < j; m++)
        standardized -= fit->lower[j][m] * row[m];
    return standardized / fit->lower[j][j];
}

static double standardized(const struct regression *fit, size_t i, size_t j)
{
    const struct dlq_controlled_sample *sample = fit->sample;
    return (sample->controls[i * sample->stride + fit->column[j]] - fit->center[j]) / fit->spread[j];
}

static struct contribution contribution_of(const struct regression *fit, size_t i)
{
    double n = (double)fit->sample->n;
    struct contribution part = {.residual = fit->sample->values[i] - fit->mean, .share = 1 / n, .leverage = 1 / n};
    for (size_t j = 0; j < fit->used; j++) {
        double u = part.row[j] = orthonormal(fit, j, standardized(fit, i, j), part.row);
        part.residual -= fit->slope[j] * u;
        part.share -= u * fit->distance[j];
        part.leverage += u * u;
    }
    part.row[fit->used] = 1 / sqrt(n);
    part.complement = fmax(1 - part.leverage, least_complement);
    return part;
}

/* The degrees of freedom of a variance if `events` rare events cause all differences between the values. A sum of a
   Poisson number of exponential waits has the excess kurtosis 6 / (mean number); with that kurtosis k in each of n
   values the variance of s^2 is sigma^4 (2/(n - 1) + k/n) (Cramer 1946, Mathematical Methods of Statistics,
   eq. 27.4.2), as that of chi-squared with

       1 / (1/(n - 1) + k/(2n)) = 1 / (1/(n - 1) + 3/events)

   degrees of freedom. Check value: 15 degrees and 45 events leave 7.5 (theory 21). */
static double degrees_left(double degrees, double events)
{
    return events > 0 ? fmax(1 / (1 / degrees + 3 / events), 1) : 1;
}

/* unexplained / seen is the share of the values' variance that no fit removes: if the controls explain all of `seen`
   events, up to 3 in `seen` events may still have another cause, at 95 % (the rule of three: Hanley & Lippman-Hand
   1983, "If nothing goes wrong, is everything all right?", JAMA 249(13)). */
static const double unexplained = 3;

/* The estimate is the fitted value where all controls equal their expectations, deviation 0: Lavenberg & Welch 1981, "A
   perspective on the use of control variables to increase the efficiency of Monte Carlo simulations", Management
   Science 27(3), eq. 7 to 11. Residuals vary more in replications with many stalls, which have large controls: the
   classical interval, for equal variances, would be too narrow. Instead the variance is HC2 of
   MacKinnon & White 1985, unbiased where variances are equal, with degrees of freedom by Bell & McCaffrey 2002, "Bias
   reduction in standard errors for linear regression with multi-stage samples", Survey Methodology 28(2). Check value:
   ten values 1, 2, 3, 5, 4, 6, 8, 7, 9, 11 with control -4, -3, ..., 5: 5.0848485, variance 0.0503519765
   with 7.10520561 degrees of freedom, variance reduction 20.389799 (theory 20). */
static void evaluate(const struct regression *fit, struct dlq_controlled *result)
{
    double n = (double)fit->sample->n, value = fit->value;
    double variance = 0, squares = 0, trace = 0; /* sums of a_i^2 e_i^2 / (1 - h_i), of a_i^2; tr(G^2), below */
    double cross[DLQ_MOST_CONTROLS + 1][DLQ_MOST_CONTROLS + 1] = {{0}};
    for (size_t i = 0; i < fit->sample->n; i++) {
        const struct contribution part = contribution_of(fit, i);
        double share = part.share, weight = share * share / part.complement;
        variance += weight * part.residual * part.residual;
        squares += share * share;
        trace += share * share * share * share - weight * part.leverage * weight * part.leverage;
        for (size_t j = 0; j <= fit->used; j++)
            for (size_t k = 0; k <= fit->used; k++)
                cross[j][k] += weight * part.row[j] * part.row[k];
    }
    /* The residuals of a perfect fit are rounding, which is at least that of the values. */
    double rounding = fit->mean * DBL_EPSILON, plain = fit->squares / (n - 1) / n;
    variance = fmax(variance, rounding * rounding * squares) + unexplained / fit->sample->seen * plain;
    /* Satterthwaite's degrees of freedom of that sum: tr(G)^2 / tr(G^2) with G_ij = a_i a_j M_ij / sqrt((1 - h_i)(1 -
       h_j)), M = 1 - UU' the matrix that maps values to residuals. */
    for (size_t j = 0; j <= fit->used; j++)
        for (size_t k = 0; k <= fit->used; k++)
            trace += cross[j][k] * cross[j][k];
    double degrees = squares * squares / trace;
    degrees = degrees >= 1 ? fmin(degrees, n - 1 - (double)fit->used) : 1;
    degrees = degrees_left(degrees, fit->sample->events);
    double half = dlq_student(0.975, degrees) * sqrt(variance);
    result->estimate = (struct dlq_estimate){value, value - half, value + half};
    result->variance_reduction = plain / variance;
}

static struct dlq_estimate without_controls(const struct dlq_controlled_sample *sample)
{
    struct dlq_estimate plain = dlq_estimate_of(sample->values, sample->n);
    if (sample->n < 2 || !isfinite(sample->events) || isnan(plain.value))
        return plain;
    double degrees = (double)(sample->n - 1);
    double widen = dlq_student(0.975, degrees_left(degrees, sample->events)) / dlq_student(0.975, degrees);
    double half = widen * dlq_estimate_half_width(&plain);
    return (struct dlq_estimate){plain.value, plain.value - half, plain.value + half};
}

/* Adds the useful controls one by one, each with the next row of Cholesky's factor (Golub & Van Loan 1996, Matrix
   Computations, sec. 4.2), and fits the slopes. False: no control is useful, or too few degrees of freedom would be
   left (rare events count as at most one each). */
static bool regress(const struct dlq_controlled_sample *sample, struct regression *fit)
{
    double n = (double)sample->n, points = fmin(n, sample->seen);
    *fit = (struct regression){.sample = sample};
    if (points < 2 + DLQ_LEAST_DEGREES)
        return false;
    fit->mean = gsl_stats_mean(sample->values, 1, sample->n);
    fit->squares = gsl_stats_tss_m(sample->values, 1, sample->n, fit->mean);
    for (size_t column = 0; column < sample->count && fit->used < DLQ_MOST_CONTROLS; column++) {
        const size_t j = fit->used;
        const double *controls = sample->controls + column;
        double rest = 1, *lower = fit->lower[j];
        fit->column[j] = column;
        fit->center[j] = gsl_stats_mean(controls, sample->stride, sample->n);
        double squares = gsl_stats_tss_m(controls, sample->stride, sample->n, 0);
        double centered = gsl_stats_tss_m(controls, sample->stride, sample->n, fit->center[j]);
        fit->spread[j] = sqrt(centered);
        if (!(isfinite(centered) && centered > no_spread * squares &&
              fabs(fit->center[j]) <= most_errors * sqrt(centered / (n - 1) / n)))
            continue;
        memset(lower, 0, sizeof fit->lower[j]);
        for (size_t i = 0; i < sample->n; i++) {
            const struct contribution part = contribution_of(fit, i);
            for (size_t m = 0; m < j; m++)
                lower[m] += standardized(fit, i, j) * part.row[m];
        }
        for (size_t m = 0; m < j; m++)
            rest -= lower[m] * lower[m];
        if (!(rest > no_rest))
            continue;
        lower[j] = sqrt(rest);
        fit->distance[j] = orthonormal(fit, j, fit->center[j] / fit->spread[j], fit->distance);
        fit->used++;
    }
    if (fit->used == 0 || !(fit->squares > 0) || points < (double)(1 + fit->used + DLQ_LEAST_DEGREES))
        return false;
    /* Least squares; the second round corrects the rounding of the first. */
    for (int round = 0; round < 2; round++) {
        double step[DLQ_MOST_CONTROLS] = {0};
        for (size_t i = 0; i < sample->n; i++) {
            const struct contribution part = contribution_of(fit, i);
            for (size_t j = 0; j < fit->used; j++)
                step[j] += part.residual * part.row[j];
        }
        for (size_t j = 0; j < fit->used; j++)
            fit->slope[j] += step[j];
    }
    fit->value = fit->mean;
    for (size_t j = 0; j < fit->used; j++)
        fit->value -= fit->slope[j] * fit->distance[j];
    return true;
}

void dlq_control(const struct dlq_controlled_sample *sample, struct dlq_controlled *result)
{
    struct regression fit;
    *result = (struct dlq_controlled){without_controls(sample), NAN};
    if (!isnan(result->estimate.value) && regress(sample, &fit))
        evaluate(&fit, result);
}

/* The squares of the deviations of these values from their mean, each / (n (n - 1)), add up to the variance that
   `evaluate` computes, but for the product of the two parts, which is small where many events were `seen`. Hence
   differences of two such samples give the variance of the difference of the estimates. */
void dlq_control_adjust(const struct dlq_controlled_sample *sample, double *adjusted)
{
    struct regression fit;
    if (isnan(without_controls(sample).value) || !regress(sample, &fit)) {
        memcpy(adjusted, sample->values, sample->n * sizeof *adjusted);
        return;
    }
    double n = (double)sample->n, sum = 0;
    for (size_t i = 0; i < sample->n; i++) {
        const struct contribution part = contribution_of(&fit, i);
        adjusted[i] = sqrt(n * (n - 1) / part.complement) * part.share * part.residual;
        adjusted[i] += sqrt(unexplained / sample->seen) * (sample->values[i] - fit.mean);
        sum += adjusted[i];
    }
    for (size_t i = 0; i < sample->n; i++)
        adjusted[i] += fit.value - sum / n;
}
