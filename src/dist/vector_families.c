/* Distributions by inversion: n draws from uniforms. Devroye 1986, Non-Uniform Random Variate Generation, ch. II.2. */
#include "base/elementary.h"
#include "dist/vector.h"

#include <math.h>

void DLQ_FOR_SET(dlq_vector_exponential)(const struct dlq_dist *dist, const double *restrict u, size_t stride, size_t n,
                                         double *restrict x)
{
    const double mean = dist->scale;
    (void)stride;
    for (size_t i = 0; i < n; i++)
        x[i] = -mean * dlq_log_core(u[i]);
}

/* The sum of k exponentials is -ln of a product of k uniforms; k <= 19 would keep it above 2^-1022. */
void DLQ_FOR_SET(dlq_vector_erlang)(const struct dlq_dist *dist, const double *restrict u, size_t stride, size_t n,
                                    double *restrict x)
{
    const double mean = dist->scale * dist->b;
    memcpy(x, u, n * sizeof *x);
    for (size_t k = 1; k < (size_t)dist->a; k++)
        for (size_t i = 0; i < n; i++)
            x[i] *= u[k * stride + i];
    for (size_t i = 0; i < n; i++)
        x[i] = -mean * dlq_log_core(x[i]);
}

void DLQ_FOR_SET(dlq_vector_uniform)(const struct dlq_dist *dist, const double *restrict u, size_t stride, size_t n,
                                     double *restrict x)
{
    const double low = dist->a, width = dist->b - dist->a, scale = dist->scale;
    (void)stride;
    for (size_t i = 0; i < n; i++)
        x[i] = scale * (low + u[i] * width);
}

void DLQ_FOR_SET(dlq_vector_weibull)(const struct dlq_dist *dist, const double *restrict u, size_t stride, size_t n,
                                     double *restrict x)
{
    const double scale = dist->scale * dist->a, power = dist->c;
    (void)stride;
    for (size_t i = 0; i < n; i++)
        x[i] = scale * dlq_exp_core(power * dlq_log_core(-dlq_log_core(u[i])));
}

void DLQ_FOR_SET(dlq_vector_pareto)(const struct dlq_dist *dist, const double *restrict u, size_t stride, size_t n,
                                    double *restrict x)
{
    const double least = dist->scale * dist->a, power = -1 / dist->b;
    (void)stride;
    for (size_t i = 0; i < n; i++)
        x[i] = least * dlq_exp_core(power * dlq_log_core(u[i]));
}

void DLQ_FOR_SET(dlq_vector_hyperexponential)(const struct dlq_dist *dist, const double *restrict u, size_t stride,
                                              size_t n, double *restrict x)
{
    const double share = dist->a, first = -dist->scale / dist->c, second = -dist->scale / dist->d;
    for (size_t i = 0; i < n; i++)
        x[i] = (u[stride + i] < share ? first : second) * dlq_log_core(u[i]);
}

/* -- by the inverse of the normal distribution -- */

/* Few draws lie in the tails: the formula for them is worked out only in pieces that hold one. */
enum { PIECE = 64 };

/* z from its lower and upper tail; n <= PIECE. */
static void invert(const double *restrict p, const double *restrict q, size_t n, double *restrict z)
{
    double w[PIECE];
    double most = 0;
    for (size_t i = 0; i < n; i++)
        w[i] = -dlq_log_core(4 * p[i] * q[i]);
    for (size_t i = 0; i < n; i++)
        most = w[i] > most ? w[i] : most;
    for (size_t i = 0; i < n; i++)
        z[i] = (p[i] - q[i]) * dlq_normal_center(w[i]);
    if (most <= DLQ_NORMAL_CENTER)
        return;
    for (size_t i = 0; i < n; i++) {
        double tail = (p[i] - q[i]) * dlq_normal_tail(sqrt(w[i] > 0 ? w[i] : 0) - 2.5);
        z[i] = w[i] > DLQ_NORMAL_CENTER ? tail : z[i];
    }
}

static void lognormal(const struct dlq_dist *dist, const double *restrict u, size_t n, double *restrict x)
{
    const double mu = dist->a, sigma = dist->b, scale = dist->scale;
    double q[PIECE] = {0};
    double z[PIECE];
    for (size_t i = 0; i < n; i++)
        q[i] = 1 - u[i];
    invert(u, q, n, z);
    for (size_t i = 0; i < n; i++)
        x[i] = scale * dlq_exp_core(mu + sigma * z[i]);
}

void DLQ_FOR_SET(dlq_vector_lognormal)(const struct dlq_dist *dist, const double *u, size_t stride, size_t n, double *x)
{
    (void)stride;
    for (; n >= PIECE; n -= PIECE, u += PIECE, x += PIECE)
        lognormal(dist, u, PIECE, x);
    if (n > 0)
        lognormal(dist, u, n, x);
}

/* Cut off at 0: u counts from the share c that lies below. Rounding must not lead there. */
static void normal(const struct dlq_dist *dist, const double *restrict u, size_t n, double *restrict x)
{
    const double mu = dist->a, sigma = dist->b, scale = dist->scale, below = dist->c, above = dist->d;
    const double least = sigma * 0x1p-53;
    double p[PIECE] = {0};
    double q[PIECE] = {0};
    double z[PIECE];
    for (size_t i = 0; i < n; i++) {
        p[i] = below + u[i] * above;
        q[i] = (1 - u[i]) * above;
    }
    invert(p, q, n, z);
    for (size_t i = 0; i < n; i++) {
        double value = mu + sigma * z[i];
        x[i] = scale * (value > least ? value : least);
    }
}

void DLQ_FOR_SET(dlq_vector_normal)(const struct dlq_dist *dist, const double *u, size_t stride, size_t n, double *x)
{
    (void)stride;
    for (; n >= PIECE; n -= PIECE, u += PIECE, x += PIECE)
        normal(dist, u, PIECE, x);
    if (n > 0)
        normal(dist, u, n, x);
}
