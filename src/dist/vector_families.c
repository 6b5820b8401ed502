/* Kernels that compute n draws of a family from uniforms, mostly by inversion (Devroye 1986, Non-Uniform Random Variate
   Generation, ch. II.2). */
#include "base/elementary.h"
#include "dist/families.h"

#include <math.h>

#define FUNCTION(name)                                                                                                 \
    void name(const struct dlq_dist *dist, const double *restrict u, __attribute__((unused)) size_t stride, size_t n,  \
              double *restrict x)
#define KERNEL(name) FUNCTION(DLQ_FOR_SET(dlq_vector_##name))

KERNEL(exponential)
{
    const double mean = dist->scale;
    for (size_t i = 0; i < n; i++)
        x[i] = -mean * dlq_log_core(u[i]);
}

KERNEL(uniform)
{
    const double low = dist->a, width = dist->b - dist->a, scale = dist->scale;
    for (size_t i = 0; i < n; i++)
        x[i] = scale * (low + u[i] * width);
}

KERNEL(weibull)
{
    const double scale = dist->scale * dist->a, power = dist->c;
    for (size_t i = 0; i < n; i++)
        x[i] = scale * dlq_exp_core(power * dlq_log_core(-dlq_log_core(u[i])));
}

KERNEL(pareto)
{
    const double least = dist->scale * dist->a, power = -1 / dist->b;
    for (size_t i = 0; i < n; i++)
        x[i] = least * dlq_exp_core(power * dlq_log_core(u[i]));
}

KERNEL(hyperexponential)
{
    const double share = dist->a, first = -dist->scale / dist->c, second = -dist->scale / dist->d;
    for (size_t i = 0; i < n; i++)
        x[i] = (u[stride + i] < share ? first : second) * dlq_log_core(u[i]);
}

/* -- by the inverse of the normal distribution -- */

/* Draws of a piece. Few draws are in the tails: only a piece with such a draw computes the formula of the tails. */
enum { PIECE = 64 };

/* Computes z from the probabilities p and q below and above z; n <= PIECE. */
static void invert(const double *restrict p, const double *restrict q, size_t n, double *restrict z)
{
    double w[PIECE], most = 0;
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

/* draw: computes n <= PIECE draws. */
static inline __attribute__((always_inline)) void by_pieces(dlq_draw_kernel *draw, const struct dlq_dist *dist,
                                                            const double *u, size_t stride, size_t n, double *x)
{
    for (; n >= PIECE; n -= PIECE, u += PIECE, x += PIECE)
        draw(dist, u, stride, PIECE, x);
    if (n > 0)
        draw(dist, u, stride, n, x);
}

static FUNCTION(lognormal)
{
    const double mu = dist->a, sigma = dist->b, scale = dist->scale;
    double q[PIECE] = {0}, z[PIECE];
    for (size_t i = 0; i < n; i++)
        q[i] = 1 - u[i];
    invert(u, q, n, z);
    for (size_t i = 0; i < n; i++)
        x[i] = scale * dlq_exp_core(mu + sigma * z[i]);
}

KERNEL(lognormal)
{
    by_pieces(lognormal, dist, u, stride, n, x);
}

/* Marsaglia & Tsang 2000, "A simple method for generating gamma variables", ACM Transactions on Mathematical Software
   26: with d = k - 1/3, z normal, y = z/sqrt(9 d) and v = (1 + y)^3, d v has the gamma distribution of shape k >= 1 if
   ln u < z^2/2 + d - d v + d ln v = d (9 y^2/2 + 1 - v + 3 ln(1 + y)), which 95 % and more of the u satisfy. The
   bracket is -3 y^4/4 (1 - 4 y/5 + 2 y^2/3 - ...), above -1.7 * 3 y^4/4 for y >= -1/2: if all u of a piece are below 1
   - 1.7 * 3 d y^4/4, which is usual for larger shapes, no logarithm is computed. The caller replaces rejected draws. */
static FUNCTION(gamma_of)
{
    const double d = dist->a - 1.0 / 3, c = 1 / sqrt(9 * d), scale = dist->scale * dist->b;
    double q[PIECE] = {0}, z[PIECE], margins[PIECE], least = 1;
    for (size_t i = 0; i < n; i++)
        q[i] = 1 - u[i];
    invert(u, q, n, z);
    for (size_t i = 0; d > 3 && i < n; i++) {
        double y = c * z[i], base = 1 + y;
        double margin = 1 - 1.7 * 0.75 * d * (y * y * (y * y)) - u[stride + i];
        x[i] = scale * (d * (base * base * base));
        margin = y > -0.5 ? margin : -1;
        least = margin < least ? margin : least;
    }
    if (d > 3 && least > 0)
        return;
    least = 1;
    for (size_t i = 0; i < n; i++) {
        double base = 1 + c * z[i];
        double v = base > 0 ? base * base * base : 1;
        double margin = z[i] * z[i] / 2 + (d - d * v) + d * dlq_log_core(v) - dlq_log_core(u[stride + i]);
        margins[i] = base > 0 ? margin : -1;
        x[i] = scale * (d * v);
        least = margins[i] < least ? margins[i] : least;
    }
    if (least > 0)
        return;
    for (size_t i = 0; i < n; i++)
        x[i] = margins[i] > 0 ? x[i] : DLQ_REJECTED;
}

KERNEL(gamma)
{
    const double mean = dist->scale * dist->b;
    const size_t stages = (size_t)dlq_gamma_stages(dist);
    if (stages == 0) {
        by_pieces(gamma_of, dist, u, stride, n, x);
        return;
    }
    /* The sum of k exponentials is -ln of a product of k uniforms; k <= 19 would keep it above 2^-1022. */
    memcpy(x, u, n * sizeof *x);
    for (size_t k = 1; k < stages; k++)
        for (size_t i = 0; i < n; i++)
            x[i] *= u[k * stride + i];
    for (size_t i = 0; i < n; i++)
        x[i] = -mean * dlq_log_core(x[i]);
}

/* u is a share of the part above 0, so that p = c + u d. The lower limit of x keeps rounding from giving 0 or less. */
static FUNCTION(normal)
{
    const double mu = dist->a, sigma = dist->b, scale = dist->scale, below = dist->c, above = dist->d;
    const double least = sigma * 0x1p-53;
    double p[PIECE] = {0}, q[PIECE] = {0}, z[PIECE];
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

KERNEL(normal)
{
    by_pieces(normal, dist, u, stride, n, x);
}
