/* Estimates by regression on control variates. */
#include "stats/stats.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A control whose variance is this share or less of its square, or that the others explain but for this share of its
   variance, says nothing but rounding. */
static const double no_spread = 1e-24, no_rest = 1e-9;

/* A control whose mean lies more than this many standard errors from its expectation is made of rare events that have
   not been seen yet: its spread is not theirs, and no slope can be learned from it. */
static const double most_errors = 4;

/* Least 1 - leverage: a value that a control has for itself leaves rounding. */
static const double least_freedom = 1e-4;

/* A regression on standardized controls: the correlation matrix is lower * lower'. */
struct regression {
    const struct dlq_controlled_sample *sample;
    double mean, squares; /* of the values; sum of squares about the mean */
    size_t used;
    size_t column[DLQ_MOST_CONTROLS];
    double center[DLQ_MOST_CONTROLS], spread[DLQ_MOST_CONTROLS]; /* mean; root of the sum of squares about it */
    double lower[DLQ_MOST_CONTROLS][DLQ_MOST_CONTROLS];
    double slope[DLQ_MOST_CONTROLS];
};

static double control_of(const struct dlq_controlled_sample *sample, size_t i, size_t column)
{
    return sample->controls[i * sample->stride + column];
}

static double standardized(const struct regression *fit, size_t i, size_t j)
{
    return (control_of(fit->sample, i, fit->column[j]) - fit->center[j]) / fit->spread[j];
}

static double residual(const struct regression *fit, size_t i)
{
    double rest = fit->sample->values[i] - fit->mean;
    for (size_t j = 0; j < fit->used; j++)
        rest -= fit->slope[j] * standardized(fit, i, j);
    return rest;
}

/* Mean and spread of a control, at fit->column[fit->used]; false: it says nothing. */
static bool center_control(struct regression *fit)
{
    const struct dlq_controlled_sample *sample = fit->sample;
    size_t j = fit->used;
    double n = (double)sample->n, sum = 0, about = 0, squares = 0;
    for (size_t i = 0; i < sample->n; i++)
        sum += control_of(sample, i, fit->column[j]);
    fit->center[j] = sum / n;
    for (size_t i = 0; i < sample->n; i++) {
        double value = control_of(sample, i, fit->column[j]);
        squares += value * value;
        about += (value - fit->center[j]) * (value - fit->center[j]);
    }
    fit->spread[j] = sqrt(about);
    double error = sqrt(about / (n - 1) / n);
    return isfinite(about) && about > no_spread * squares && fabs(fit->center[j]) <= most_errors * error;
}

/* Cholesky's next row (Golub & Van Loan 1996, Matrix Computations, sec. 4.2); false: the others explain the control. */
static bool factor_row(struct regression *fit)
{
    size_t j = fit->used;
    double rest = 1;
    for (size_t m = 0; m < j; m++) {
        double sum = 0;
        for (size_t i = 0; i < fit->sample->n; i++)
            sum += standardized(fit, i, j) * standardized(fit, i, m);
        for (size_t k = 0; k < m; k++)
            sum -= fit->lower[j][k] * fit->lower[m][k];
        fit->lower[j][m] = sum / fit->lower[m][m];
        rest -= fit->lower[j][m] * fit->lower[j][m];
    }
    fit->lower[j][j] = sqrt(fmax(rest, 0));
    return rest > no_rest;
}

static void solve_lower(const struct regression *fit, double *x)
{
    for (size_t j = 0; j < fit->used; j++) {
        for (size_t m = 0; m < j; m++)
            x[j] -= fit->lower[j][m] * x[m];
        x[j] /= fit->lower[j][j];
    }
}

/* Least squares; the second round fits what rounding left of the first. */
static void fit_slopes(struct regression *fit)
{
    for (int round = 0; round < 2; round++) {
        double step[DLQ_MOST_CONTROLS] = {0};
        for (size_t i = 0; i < fit->sample->n; i++) {
            double rest = residual(fit, i);
            for (size_t j = 0; j < fit->used; j++)
                step[j] += rest * standardized(fit, i, j);
        }
        solve_lower(fit, step);
        for (size_t j = fit->used; j-- > 0;) { /* and by its transpose */
            for (size_t m = j + 1; m < fit->used; m++)
                step[j] -= fit->lower[m][j] * step[m];
            step[j] /= fit->lower[j][j];
            fit->slope[j] += step[j];
        }
    }
}

/* Sums over the replications for the estimate's variance. */
struct spread {
    double variance, squares; /* sum of a_i^2 e_i^2 / (1 - h_i); of a_i^2 */
    double diagonal, cross[DLQ_MOST_CONTROLS + 1][DLQ_MOST_CONTROLS + 1];
};

/* Replication i has the share a_i = 1/n - u_i'd of the estimate and the leverage h_i = 1/n + u_i'u_i, where u_i and d
   are the standardized controls and their mean deviations after forward substitution. */
struct role {
    double share, leverage, row[DLQ_MOST_CONTROLS + 1]; /* row: u_i, and the mean's */
};

static struct role role_of(const struct regression *fit, const double *distance, size_t i)
{
    double n = (double)fit->sample->n;
    struct role role = {.share = 1 / n, .leverage = 1 / n};
    for (size_t j = 0; j < fit->used; j++)
        role.row[j] = standardized(fit, i, j);
    solve_lower(fit, role.row);
    for (size_t j = 0; j < fit->used; j++) {
        role.share -= role.row[j] * distance[j];
        role.leverage += role.row[j] * role.row[j];
    }
    role.row[fit->used] = 1 / sqrt(n);
    return role;
}

static double freedom(const struct role *role)
{
    return fmax(1 - role->leverage, least_freedom);
}

/* What is left of degrees of freedom where the values differ by `events` rare events. A sum of a Poisson number of
   exponential waits has the excess kurtosis 6 / (mean number); with that kurtosis k in each of n values the variance of
   s^2 is sigma^4 (2/(n - 1) + k/n) (Cramer 1946, Mathematical Methods of Statistics, eq. 27.4.2), which is that of
   chi-squared with

       1 / (1/(n - 1) + k/(2n)) = 1 / (1/(n - 1) + 3/events)

   degrees of freedom. Check value: 15 degrees and 45 events leave 7.5 (theory 21). */
static double degrees_left(double degrees, double events)
{
    return events > 0 ? fmax(1 / (1 / degrees + 3 / events), 1) : 1;
}

/* The share of the values' variance that no fit takes away: all of `seen` events may follow the controls, and still one
   in seen/3 may not, at 95 % (the rule of three: Hanley & Lippman-Hand 1983, "If nothing goes wrong, is everything all
   right?", JAMA 249(13)). */
static double unexplained(const struct dlq_controlled_sample *sample)
{
    return 3 / sample->seen;
}

/* The regression where all controls meet their expectations, deviation 0; and how far that is. */
static double locate(const struct regression *fit, double distance[DLQ_MOST_CONTROLS])
{
    double value = fit->mean;
    for (size_t j = 0; j < fit->used; j++) {
        distance[j] = fit->center[j] / fit->spread[j];
        value -= fit->slope[j] * distance[j];
    }
    solve_lower(fit, distance);
    return value;
}

/* The value of the regression where all controls meet their expectations, deviation 0: Lavenberg & Welch 1981, "A
   perspective on the use of control variables to increase the efficiency of Monte Carlo simulations", Management
   Science 27(3), eq. 7 to 11. What the controls leave varies more in replications with many stalls, whose controls lie
   far out: their classical interval, for equal variances, then covers too little. Instead the variance is HC2 of
   MacKinnon & White 1985, unbiased where variances are equal, with degrees of freedom by Bell & McCaffrey 2002, "Bias
   reduction in standard errors for linear regression with multi-stage samples", Survey Methodology 28(2). Check value:
   ten values 1, 2, 3, 5, 4, 6, 8, 7, 9, 11 with control -4, -3, ..., 5: 5.0848485, variance 0.0503519765
   with 7.10520561 degrees of freedom, variance reduction 20.389799 (theory 20). */
static void evaluate(const struct regression *fit, struct dlq_controlled *result)
{
    double n = (double)fit->sample->n, distance[DLQ_MOST_CONTROLS];
    double value = locate(fit, distance);
    struct spread spread = {0};
    for (size_t i = 0; i < fit->sample->n; i++) {
        const struct role role = role_of(fit, distance, i);
        double share = role.share, rest = residual(fit, i), weight = share * share / freedom(&role);
        spread.variance += weight * rest * rest;
        spread.squares += share * share;
        spread.diagonal += share * share * share * share - weight * role.leverage * weight * role.leverage;
        for (size_t j = 0; j <= fit->used; j++)
            for (size_t k = 0; k <= fit->used; k++)
                spread.cross[j][k] += weight * role.row[j] * role.row[k];
    }
    /* The residuals of a perfect fit are the rounding of the values. */
    double rounding = fit->mean * DBL_EPSILON, plain = fit->squares / (n - 1) / n;
    double variance = fmax(spread.variance, rounding * rounding * spread.squares) + unexplained(fit->sample) * plain;
    /* Degrees of freedom by which Satterthwaite's chi-squared has the variance of that sum: tr(G)^2 / tr(G^2) with G_ij
       = a_i a_j M_ij / sqrt((1 - h_i)(1 - h_j)), M = 1 - UU' the matrix that makes residuals. */
    double trace = spread.diagonal;
    for (size_t j = 0; j <= fit->used; j++)
        for (size_t k = 0; k <= fit->used; k++)
            trace += spread.cross[j][k] * spread.cross[j][k];
    double degrees = spread.squares * spread.squares / trace;
    degrees = degrees >= 1 ? fmin(degrees, n - 1 - (double)fit->used) : 1;
    degrees = degrees_left(degrees, fit->sample->events);
    double half = dlq_student(0.975, degrees) * sqrt(variance);
    result->estimate = (struct dlq_estimate){value, value - half, value + half};
    result->variance_reduction = plain / variance;
    result->used = fit->used;
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

/* false: no control says anything that is worth its degree of freedom; of few events there are no more of them than
   events. */
static bool regress(const struct dlq_controlled_sample *sample, struct regression *fit)
{
    double points = fmin((double)sample->n, sample->seen);
    *fit = (struct regression){.sample = sample};
    if (points < 2 + DLQ_LEAST_DEGREES)
        return false;
    double sum = 0;
    for (size_t i = 0; i < sample->n; i++)
        sum += sample->values[i];
    fit->mean = sum / (double)sample->n;
    for (size_t i = 0; i < sample->n; i++)
        fit->squares += (sample->values[i] - fit->mean) * (sample->values[i] - fit->mean);
    for (size_t column = 0; column < sample->count && fit->used < DLQ_MOST_CONTROLS; column++) {
        fit->column[fit->used] = column;
        if (center_control(fit) && factor_row(fit))
            fit->used++;
    }
    if (fit->used == 0 || !(fit->squares > 0) || points < (double)(1 + fit->used + DLQ_LEAST_DEGREES))
        return false;
    fit_slopes(fit);
    return true;
}

void dlq_control(const struct dlq_controlled_sample *sample, struct dlq_controlled *result)
{
    struct regression fit;
    *result = (struct dlq_controlled){without_controls(sample), NAN, 0};
    if (!isnan(result->estimate.value) && regress(sample, &fit))
        evaluate(&fit, result);
}

/* What replication i adds to the variance that `evaluate` gives is influence^2 / (n (n - 1)): so the variance of a
   difference of two estimates comes from the differences of their influences. */
void dlq_control_adjust(const struct dlq_controlled_sample *sample, double *adjusted)
{
    struct regression fit;
    if (isnan(without_controls(sample).value) || !regress(sample, &fit)) {
        memcpy(adjusted, sample->values, sample->n * sizeof *adjusted);
        return;
    }
    double n = (double)sample->n, distance[DLQ_MOST_CONTROLS], sum = 0;
    double value = locate(&fit, distance);
    for (size_t i = 0; i < sample->n; i++) {
        const struct role role = role_of(&fit, distance, i);
        adjusted[i] = sqrt(n * (n - 1) / freedom(&role)) * role.share * residual(&fit, i);
        adjusted[i] += sqrt(unexplained(sample)) * (sample->values[i] - fit.mean);
        sum += adjusted[i];
    }
    for (size_t i = 0; i < sample->n; i++)
        adjusted[i] += value - sum / n;
}
