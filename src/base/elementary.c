/* Functions whose last digit is the same with every C library: exp, log, pow, the gamma function, the normal
   distribution, roots of unity. */
#include "base/elementary.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* -- exp and log -- */

/* Outside of the core's range computes the square of exp(x/2), which overflows and underflows as exp(x) does. */
double dlq_exp(double x)
{
    if (fabs(x) <= 700)
        return dlq_exp_core(x);
    double root = isnan(x) ? x : dlq_exp_core(fmax(fmin(x, 1400), -1400) / 2);
    return root * root;
}

double dlq_log(double x)
{
    if (x >= DBL_MIN && x <= DBL_MAX)
        return dlq_log_core(x);
    if (x > 0)
        return x > 1 ? x : dlq_log_core(x * 0x1p60) - 60 * 0.6931471805599453;
    return x == 0 ? -INFINITY : NAN;
}

double dlq_expm1(double x)
{
    return fabs(x) <= 0.34 ? dlq_expm1_core(x) : dlq_exp(x) - 1;
}

/* Corrects the rounding of u = 1 + x: ln(1 + x) = ln u + (x - (u - 1))/u. */
double dlq_log1p(double x)
{
    double u = 1 + x;
    return u > 0 && u <= DBL_MAX ? dlq_log_core(u) + (x - (u - 1)) / u : dlq_log(u);
}

/* -- pow: exp(y ln x), with y ln x in twice the precision -- */

struct pair {
    double high, low; /* the number is high + low; |low| is below the last digit of high */
};

/* Dekker 1971, "A floating-point technique for extending the available precision", Numerische Mathematik 18. */
static struct pair sum_of(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (struct pair){sum, (a - (sum - part)) + (b - part)};
}

static struct pair product_of(double a, double b)
{
    const double split = 0x1p27 + 1;
    double a_high = a * split - (a * split - a), a_low = a - a_high;
    double b_high = b * split - (b * split - b), b_low = b - b_high;
    double product = a * b;
    return (struct pair){product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

/* ln x as in dlq_log_core, but with s as a pair: ln m = 2 s + 2 s (s^2/3 + s^4/5 + ...), whose second term is small. */
double dlq_pow(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (!(x >= DBL_MIN && x <= DBL_MAX && fabs(y) <= 0x1p500))
        return dlq_exp(y * dlq_log(x));
    int e;
    double m = frexp(x, &e);
    if (m < 0.7071067811865476) {
        m *= 2;
        e--;
    }
    double f = m - 1, sum = 2 + f, s = f / sum, z = s * s;
    struct pair back = product_of(s, sum);
    double s_low = ((f - back.high) - back.low - s * (f - (sum - 2))) / sum, term = 1, odd = 0;
    for (int k = 3; k <= 23; k += 2) {
        term *= z;
        odd += term / k;
    }
    struct pair log = sum_of(e * DLQ_LN2_HIGH, 2 * s);
    log = sum_of(log.high, log.low + (e * DLQ_LN2_LOW + 2 * (s_low + s * odd)));
    struct pair product = product_of(y, log.high);
    double value = dlq_exp(product.high);
    return value <= DBL_MAX ? value + value * (product.low + y * log.low) : value;
}

/* -- ln Gamma -- */

/* Near 1: ln Gamma(1 + e) = -ln(1 + e) + (1 - gamma) e + sum over j >= 2 of (-e)^j (zeta(j) - 1)/j (Abramowitz & Stegun
   1964, 6.1.33), |e| <= 1/2. ln Gamma(1.5) = -0.12078223763524522. */
static double log_gamma_near_one(double e)
{
    static const double terms[] = {
        0.42278433509846714,     0.32246703342411322,   -0.067352301053198095,   0.020580808427784548,
        -0.0073855510286739853,  0.0028905103307415233, -0.001192753911703261,   0.00050966952474304242,
        -0.00022315475845357938, 9.9457512781808534e-5, -4.4926236738133142e-5,  2.0507212775670692e-5,
        -9.4394882752683959e-6,  4.3748667899074878e-6, -2.0392157538013662e-6,  9.5514121304074198e-7,
        -4.492469198764566e-7,   2.1207184805554666e-7, -1.00432248239681e-7,    4.7698101693639806e-8,
        -2.2711094608943165e-8,  1.0838659214896954e-8, -5.1834750419700467e-9,  2.4836745438024783e-9,
        -1.1921401405860912e-9,  5.731367241678862e-10, -2.7595228851242331e-10,
    };
    double sum = 0;
    for (size_t j = sizeof terms / sizeof *terms; j > 0; j--)
        sum = sum * e + terms[j - 1];
    return sum * e - dlq_log1p(e);
}

/* Stirling's series (6.1.41) from 8 on; below by Gamma(x + 1) = x Gamma(x). ln Gamma(10) = 12.801827480081469. */
double dlq_log_gamma(double x)
{
    double product = 1, square = 1 / (x * x);
    if (x < 0.5)
        return log_gamma_near_one(x) - dlq_log(x);
    if (x >= 8)
        return (x - 0.5) * dlq_log(x) - x + 0.91893853320467274 +
               (1.0 / 12 -
                square * (1.0 / 360 -
                          square * (1.0 / 1260 -
                                    square * (1.0 / 1680 -
                                              square * (1.0 / 1188 - square * (691.0 / 360360 - square / 156)))))) /
                   x;
    while (x > 1.5)
        product *= --x;
    return log_gamma_near_one(x - 1) + dlq_log(product);
}

/* -- the normal distribution -- */

/* (1 + z) e^(z^2/2) P(Z > z), z >= 0, is smooth to infinity: a Chebyshev series in t = (z - 5)/(z + 5) of degree 24,
   in powers of t, which cancel little (after Shepherd & Laframboise 1981, "Chebyshev approximation of (1 + 2x)
   exp(x^2) erfc x", Math. Comp. 36). P(Z > 1.96) = 0.024997895148220435. */
static inline double series_of(double z)
{
    enum { TERMS = 25 };
    static const double terms[TERMS] = {
        0.46151582985003778,    -0.091552281834009036, 0.031030368425962848,    0.010002352385229383,
        -0.026401042966267253,  0.024536963243678653,  -0.015170415403281223,   0.0065220006677838963,
        -0.0016760723371645698, 7.7915974093389983e-6, 0.00018233410307611755,  -5.36075811148722e-5,
        -9.8959461593347339e-6, 9.0598246812566385e-6, -7.070628846317715e-8,   -1.3074486019237587e-6,
        1.2844797106496339e-7,  1.9627809920091186e-7, -2.6882021292802151e-8,  -3.095201755804207e-8,
        4.0224933821687167e-9,  4.4011596227599252e-9, -4.3272971100820944e-10, -3.8158162626329528e-10,
        2.5086998016985131e-11,
    };
    double t = (z - 5) / (z + 5), sum = 0;
#pragma GCC unroll 25
    for (int j = TERMS; j > 0; j--)
        sum = sum * t + terms[j - 1];
    return sum / (1 + z);
}

/* z^2 = cut^2 + (z - cut)(z + cut), `cut` being z rounded down to 16ths, whose square is exact. */
static double upper_half(double z)
{
    double cut = floor(z * 16) / 16;
    if (z > 40)
        return 0;
    return dlq_exp(-cut * cut / 2) * dlq_exp(-(z - cut) * (z + cut) / 2) * series_of(z);
}

/* Below -8.5 the result is 1 to the last bit. */
double dlq_normal_survival_at(double z)
{
    return z >= 0 ? upper_half(z) : z < -8.5 ? 1 : 1 - upper_half(-z);
}

/* The compiler vectorizes the last loop, which has no branches and computes what upper_half does. Up to |z| = 37 the
   exponents are in the range of dlq_exp_core. */
void dlq_normal_survivals(double *z, size_t n)
{
    bool usual = true;
    for (size_t i = 0; i < n; i++)
        usual = usual && fabs(z[i]) <= 37;
    if (!usual) {
        for (size_t i = 0; i < n; i++)
            z[i] = dlq_normal_survival_at(z[i]);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        double x = fabs(z[i]), nearest = x * 16 + 0x1p52 - 0x1p52, lower = nearest - 1;
        double cut = (nearest > x * 16 ? lower : nearest) / 16;
        double above = dlq_exp_core(-cut * cut / 2) * dlq_exp_core(-(x - cut) * (x + cut) / 2) * series_of(x);
        double below = 1 - above;
        z[i] = z[i] >= 0 ? above : below;
    }
}

/* For q below 2^-54, the limit of the rational formulas, by Newton's method on ln P(Z > z), whose slope is
   -phi(z)/P(Z > z). */
double dlq_normal_upper_at(double q)
{
    if (!(q > 0 && q < 1))
        return q == 0 ? INFINITY : q == 1 ? -INFINITY : NAN;
    double w = -dlq_log(4 * q * (1 - q));
    if (w <= DLQ_NORMAL_CENTER)
        return (1 - 2 * q) * dlq_normal_center(w);
    if (q >= 0x1p-54)
        return (1 - 2 * q) * dlq_normal_tail(sqrt(w) - 2.5);
    double log_q = dlq_log(q), z = sqrt(-2 * log_q);
    for (int i = 0; i < 6; i++) {
        double above = upper_half(z), density = dlq_exp(-z * z / 2) / 2.5066282746310002;
        z += (dlq_log(above) - log_q) * above / density;
    }
    return z;
}

/* -- roots of unity -- */

/* By Taylor's series in the first eighth of the circle, |x| <= pi/4: the next terms are below 1e-19. */
void dlq_root_of_unity(long k, long n, double *real, double *imaginary)
{
    long quarter = n / 4, turns = (k + quarter / 2) / quarter;
    double x = 6.283185307179586 * (double)(k - turns * quarter) / (double)n, square = x * x, cosine = 0, sine = 0;
    for (int j = 18; j > 0; j -= 2) {
        cosine = (1 + cosine) * -square * (1.0 / (j * (j - 1)));
        sine = (1 + sine) * -square * (1.0 / (j * (j + 1)));
    }
    const double c = 1 + cosine, s = x + x * sine;
    /* The cosine after 0, 1, ... quarter turns; the sine is the cosine one quarter turn before. */
    const double parts[] = {c, -s, -c, s, c};
    *real = parts[turns % 4];
    *imaginary = parts[(turns + 3) % 4];
}
