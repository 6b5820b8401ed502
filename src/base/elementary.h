/* Elementary functions from additions, multiplications, divisions, square roots and operations on bits, so that every
   processor, instruction set and C library gives the same bits. libm chooses its code by the processor, and results
   differ in the last digit. All computations that affect answers use these functions. The inline functions below have
   no branches, so that the compiler can vectorize loops over them; their polynomials are evaluated by the scheme of
   Estrin (1960), whose parts a processor computes in parallel. */
#pragma once

#include <stdint.h>
#include <string.h>

/* For any number; infinities and NAN as in libm. Relative error 1e-15. */
double dlq_exp(double x);
double dlq_log(double x);
double dlq_expm1(double x);
double dlq_log1p(double x);
/* x >= 0 */
double dlq_pow(double x, double y);
/* ln Gamma(x), x > 0. Error 1e-15: absolute where |result| < 1, except near x = 1; else relative. */
double dlq_log_gamma(double x);
/* The standard normal distribution: P(Z > z), and the z with P(Z > z) = q. The relative error is small for all
   probabilities down to 1e-300. */
double dlq_normal_survival_at(double z);
double dlq_normal_upper_at(double q);
/* Replaces each of n numbers z by dlq_normal_survival_at(z), to the bit, in less time. */
void dlq_normal_survivals(double *z, size_t n);
/* e^(2 pi i k/n), 0 <= k < n, n a multiple of 8: within 2e-16. */
void dlq_root_of_unity(long k, long n, double *real, double *imaginary);

static inline double dlq_square(double x)
{
    return x * x;
}

/* -- without branches -- */

static inline uint64_t dlq_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double dlq_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ln 2 in two parts; the first has 32 bits, so that whole multiples of it up to 2^20 are exact (Cody & Waite 1980,
   Software Manual for the Elementary Functions). */
#define DLQ_LN2_HIGH 0x1.62e42feep-1
#define DLQ_LN2_LOW 0x1.a39ef35793c76p-33

/* exp(r) - 1, |r| <= ln 2 / 2: r + r^2 P(r), P minimax: error 3.6e-18 (Remez exchange). */
static inline double dlq_expm1_core(double r)
{
    double r2 = r * r, r4 = r2 * r2;
    double p = (0.50000000000000106 + 0.16666666666666413 * r) +
               r2 * (0.041666666666530157 + 0.0083333333334944708 * r) +
               r4 * ((0.0013888888943630360 + 0.00019841269506555356 * r) +
                     r2 * (2.4801493098733355e-05 + 2.7557586396741578e-06 * r) +
                     r4 * (2.7630248422432529e-07 + 2.5000053878886915e-08 * r));
    return r + r2 * p;
}

/* |x| <= 700, relative error 1e-15. x = n ln 2 + r, n whole: adding 1.5 * 2^52 rounds to a whole number, which is then
   in the low bits. exp(1) = 2.718281828459045. */
static inline double dlq_exp_core(double x)
{
    const double rounder = 0x1.8p52;
    double shifted = x * 1.4426950408889634 + rounder;
    double n = shifted - rounder;
    double r = (x - n * DLQ_LN2_HIGH) - n * DLQ_LN2_LOW;
    double scale = dlq_from_bits((dlq_bits(shifted) + 1023) << 52);
    return scale + scale * dlq_expm1_core(r);
}

/* x > 0, not subnormal; relative error 1e-15. x = 2^e m with m in [sqrt(1/2), sqrt(2)); with s = f/(2 + f), f = m - 1,
   ln m = 2 artanh s = f - s (f - R), R = s^2 P(s^2), P minimax on |s| <= 0.1716: error 1.2e-18 (Remez exchange). The
   form is that of Ng (1993, fdlibm). ln 10 = 2.302585092994046. */
static inline double dlq_log_core(double x)
{
    /* the high 32 bits of sqrt(1/2), the bits of 1, and a mask of the fraction */
    const uint64_t half_root = 0x3fe6a09e00000000, one = 0x3ff0000000000000, fraction = 0x000fffffffffffff;
    uint64_t bits = dlq_bits(x) + (one - half_root);
    /* the bits are those of the number 2^52 + e + 1023 */
    double e = dlq_from_bits(bits >> 52 | 0x4330000000000000) - (0x1p52 + 1023);
    double f = dlq_from_bits((bits & fraction) + half_root) - 1;
    double s = f / (2 + f);
    double z = s * s;
    double z2 = z * z, z4 = z2 * z2;
    double p = (0.66666666666667345 + 0.39999999999414329 * z) + z2 * (0.28571428742473843 + 0.22222198563570510 * z) +
               z4 * ((0.18183564862737315 + 0.15314035926279556 * z) + z2 * 0.14796104637002064);
    return e * DLQ_LN2_HIGH - ((s * (f - z * p) - e * DLQ_LN2_LOW) - f);
}

/* The z with probability p below and q = 1 - p above it, standard normal: z = (p - q) g(w), w = -ln(4 p q), the
   variable of Giles (2011, "Approximating the erfinv function", GPU Computing Gems 2), so that one formula covers both
   tails. g is rational with positive coefficients, so that no digits cancel: minimax on 0 <= w <= 6.25 (relative error
   5.6e-18), and in sqrt(w) - 2.5 on 6.25 <= w <= 37.2 (5.2e-18), down to tails of 2^-54 (least squares reweighted after
   Lawson 1961). z(0.975) = 1.959963984540054, z(2^-53) = -8.209536151601387. */
#define DLQ_NORMAL_CENTER 6.25

/* g for w <= DLQ_NORMAL_CENTER. */
static inline double dlq_normal_center(double w)
{
    double w2 = w * w, w4 = w2 * w2;
    double n = (1.2533141373155002 + 0.44344824765965208 * w) + w2 * (0.11458718206403883 + 0.021040184862254032 * w) +
               w4 * ((0.0028650874412262644 + 0.00029679562419754017 * w) +
                     w2 * (2.2673070395502957e-05 + 1.1725108788635292e-06 * w) +
                     w4 * (3.3653035077855496e-08 + 2.4848311681235551e-10 * w));
    double d = (1 + 0.092021122523571635 * w) + w2 * (0.054304232943911101 + 0.0040064810948648792 * w) +
               w4 * ((0.00091636597231375238 + 4.8477085528229914e-05 * w) +
                     w2 * (4.7404573225569424e-06 + 1.3274672355547880e-07 * w) + w4 * 3.1743244657113390e-09);
    return n / d;
}

/* g for larger w, t = sqrt(w) - 2.5. */
static inline double dlq_normal_tail(double t)
{
    double n = 0.00025769822996322808, d = 3.5944526785949706e-09;
    n = n * t + 0.0019999597123491081;
    n = n * t + 0.0096159297798595886;
    n = n * t + 0.038316408133106646;
    n = n * t + 0.12389056424548263;
    n = n * t + 0.34818789279793083;
    n = n * t + 0.81840967657774219;
    n = n * t + 1.6948200222996308;
    n = n * t + 2.8001636044460897;
    n = n * t + 4.0804606383312823;
    n = n * t + 3.9055671776371883;
    n = n * t + 3.3035256144637756;
    d = d * t + 0.00018199986887134408;
    d = d * t + 0.00096688711950368849;
    d = d * t + 0.0045881530746403942;
    d = d * t + 0.015883162082096962;
    d = d * t + 0.051537022202628183;
    d = d * t + 0.12111404531556320;
    d = d * t + 0.30352465601435641;
    d = d * t + 0.47112280096435981;
    d = d * t + 0.89980509939803531;
    d = d * t + 0.76173866215221239;
    d = d * t + 1;
    return n / d;
}
