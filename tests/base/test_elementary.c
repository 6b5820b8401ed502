/* Elementary functions and the normal law against libm, long double and GSL. */
#include "base/elementary.h"
#include "harness.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>

static double inverse(double p, double q)
{
    double w = -dlq_log_core(4 * p * q);
    return (p - q) * (w > DLQ_NORMAL_CENTER ? dlq_normal_tail(sqrt(w) - 2.5) : dlq_normal_center(w));
}

/* From 2^-53 to the middle, both tails; just beside the seam between the two formulas. */
static void inverse_of_the_normal_law(void)
{
    const double seam = (1 - sqrt(-expm1(-DLQ_NORMAL_CENTER))) / 2;
    double worst = 0, odd = 0;
    for (int i = 0; i <= 104000; i++) {
        double p = uniform_near(exp2(-i / 2000.0 - 1)), z = inverse(p, 1 - p);
        worst = fmax(worst, fabs(z / gsl_cdf_ugaussian_Pinv(p) - 1));
        odd = fmax(odd, fabs(z + inverse(1 - p, p)));
    }
    CHECK(worst < 2e-15, "relative error %g", worst);
    CHECK(odd == 0, "the tails differ by %g", odd);
    for (int i = -2; i <= 2; i++)
        CHECK_REL(inverse(seam * (1 + i * 1e-15), 1 - seam * (1 + i * 1e-15)), gsl_cdf_ugaussian_Pinv(seam), 2e-15);
    CHECK_REL(inverse(0x1p-53, 1 - 0x1p-53), -8.209536151601387, 1e-15);
    CHECK_REL(inverse(1 - 0x1p-53, 0x1p-53), 8.209536151601387, 1e-15);
    CHECK_REL(inverse(0.975, 0.025), 1.959963984540054, 1e-15);
    CHECK(inverse(0.5, 0.5) == 0, "the middle is %g", inverse(0.5, 0.5));
    /* as far as the law cut off at 0 reaches */
    CHECK_REL(inverse(1 - 0x1p-54, 0x1p-54), gsl_cdf_ugaussian_Qinv(0x1p-54), 2e-15);
}

/* The worst error of f relative to the long double's, over 20,000 numbers from low to high, even in x or in its log. */
static double worst_of(double (*f)(double), long double (*exact)(long double), double low, double high, bool by_log)
{
    double worst = 0;
    for (int i = 0; i <= 20000; i++) {
        double part = i / 20000.0, x = by_log ? low * pow(high / low, part) : low + (high - low) * part;
        long double value = exact((long double)x);
        if (fabsl(value) > 1e-300L)
            worst = fmax(worst, (double)fabsl((long double)f(x) / value - 1));
    }
    return worst;
}

static void whole_range(void)
{
    static const struct {
        const char *name;
        double (*f)(double);
        long double (*exact)(long double);
        double low, high, within;
        bool by_log;
    } rows[] = {
        {"exp", dlq_exp, expl, -690, 709.7, 1e-15, false},
        {"log", dlq_log, logl, 1e-308, 1e308, 1e-15, true},
        {"log, near 1", dlq_log, logl, 0.9, 1.1003, 1e-15, false},
        {"log, at 1", dlq_log, logl, 1 - 0x1p-51, 1 + 0x1p-30, 1e-15, false},
        {"expm1", dlq_expm1, expm1l, -40, 700, 2e-15, false},
        {"expm1, small", dlq_expm1, expm1l, 1e-300, 1, 1e-15, true},
        {"expm1, near 0", dlq_expm1, expm1l, -1, 1.0007, 2e-15, false},
        {"log1p", dlq_log1p, log1pl, 1e-300, 1e300, 1e-15, true},
        {"log1p, near 0", dlq_log1p, log1pl, -0.9999, 1.0003, 1e-15, false},
        {"ln Gamma, small", dlq_log_gamma, lgammal, 1e-5, 0.98, 2e-15, true},
        {"ln Gamma, large", dlq_log_gamma, lgammal, 2.4, 1e8, 2e-15, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double worst = worst_of(rows[i].f, rows[i].exact, rows[i].low, rows[i].high, rows[i].by_log);
        CHECK(worst < rows[i].within, "%s: relative error %g", rows[i].name, worst);
    }
    double near_roots = 0;
    for (int i = 0; i <= 20000; i++) {
        double x = 0.9 + i * 6e-5;
        near_roots = fmax(near_roots, fabs(dlq_log_gamma(x) - (double)lgammal((long double)x)));
    }
    CHECK(near_roots < 1e-15, "ln Gamma from 0.9 to 2.1: error %g", near_roots);
    CHECK_REL(dlq_log_gamma(1.001), -0.0005763936, 1e-7);
    CHECK_REL(dlq_log_gamma(1.0001), (double)lgammal(1.0001L), 1e-12);
    CHECK(dlq_exp(-745.2) == 0 && dlq_exp(-INFINITY) == 0 && isinf(dlq_exp(710)) && isinf(dlq_exp(INFINITY)) &&
              isnan(dlq_exp(NAN)),
          "exp at its ends");
    CHECK(dlq_log(0) == -INFINITY && dlq_log(INFINITY) == INFINITY && isnan(dlq_log(-1)) && isnan(dlq_log(NAN)),
          "log at its ends");
    CHECK_REL(dlq_exp(1), 2.718281828459045, 4e-16);
    CHECK_REL(dlq_log(10), 2.302585092994046, 4e-16);
    CHECK(dlq_exp(0) == 1 && dlq_log(1) == 0, "exp(0) %a, ln(1) %a", dlq_exp(0), dlq_log(1));
    CHECK_REL(dlq_log(0x1p-1074), log(0x1p-1074), 1e-15);
    CHECK_REL(dlq_exp(-740), exp(-740), 1e-3); /* a few bits are left */
    CHECK(dlq_expm1(-INFINITY) == -1 && dlq_expm1(INFINITY) == INFINITY && dlq_log1p(-1) == -INFINITY &&
              dlq_log1p(INFINITY) == INFINITY && isnan(dlq_log1p(-2)) && dlq_log1p(0) == 0,
          "expm1, log1p at their ends");
}

static void powers(void)
{
    static const double exponents[] = {-700, -31.7, -1.5, -0.01, 0.0003, 1 / 3.0, 0.5, 1, 2, 7.3, 250, 2e4};
    double worst = 0;
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++)
        for (int i = 1; i <= 20000; i++) {
            double x = i < 10000 ? i / 9000.0 : pow(10, (i - 15000) / 17.0), y = exponents[k];
            long double value = powl((long double)x, (long double)y);
            if (value > 1e-300L && value < 1e300L)
                worst = fmax(worst, (double)fabsl((long double)dlq_pow(x, y) / value - 1));
        }
    CHECK(worst < 2e-15, "pow: relative error %g", worst);
    CHECK(dlq_pow(0, 2) == 0 && dlq_pow(0, 0) == 1 && isinf(dlq_pow(0, -1)) && isinf(dlq_pow(INFINITY, 0.5)) &&
              dlq_pow(INFINITY, -2) == 0 && isinf(dlq_pow(10, 400)) && dlq_pow(10, -400) == 0 && isnan(dlq_pow(NAN, 2)),
          "pow at its ends");
}

static void normal_law(void)
{
    double worst = 0, back = 0;
    for (int i = -8000; i <= 37000; i++) {
        double z = i / 1000.0, q = dlq_normal_survival_at(z);
        long double exact = erfcl((long double)z * 0.707106781186547524400844362104849039L) / 2;
        worst = fmax(worst, (double)fabsl((long double)q / exact - 1));
        back = fmax(back, i < -6000 ? 0
                                    : fabs(dlq_normal_upper_at(q) - z) / fmax(1, fabs(z)) *
                                          fmin(1, z < 0 ? exp(-z * z / 2) : 1));
    }
    CHECK(worst < 1e-14, "P(Z > z): relative error %g", worst);
    CHECK(back < 4e-15, "the inverse: error %g", back);
    CHECK_REL(dlq_normal_survival_at(1.96), 0.024997895148220435, 1e-15);
    CHECK_REL(dlq_normal_upper_at(1e-250), gsl_cdf_ugaussian_Qinv(1e-250), 1e-13);
    CHECK(dlq_normal_survival_at(INFINITY) == 0 && dlq_normal_survival_at(-INFINITY) == 1 &&
              isinf(dlq_normal_upper_at(0)) && dlq_normal_upper_at(1) == -INFINITY && isnan(dlq_normal_upper_at(2)),
          "the normal law at its ends");
}

/* Many at a time: the same bits, also where one of them is out of the usual range. */
static void many_normals(void)
{
    enum { PIECE = 37 };
    static const double ends[] = {0, -0.0, 37, 37.01, 40.5, -37.01, INFINITY, -INFINITY, 1e-300};
    double z[PIECE], got[PIECE];
    for (int i = 0; i < 3000; i++) {
        for (int k = 0; k < PIECE; k++)
            got[k] = z[k] = (i * PIECE + k - 55000) / 1600.0;
        if (i % 3 == 0)
            got[i % PIECE] = z[i % PIECE] = ends[i / 3 % (int)(sizeof ends / sizeof *ends)];
        dlq_normal_survivals(got, PIECE);
        for (int k = 0; k < PIECE; k++)
            CHECK(dlq_bits(got[k]) == dlq_bits(dlq_normal_survival_at(z[k])), "z = %.17g: %.17g", z[k], got[k]);
    }
}

static void roots_of_unity(void)
{
    double worst = 0;
    for (long n = 8; n <= 32768; n *= 64)
        for (long k = 0; k < n; k++) {
            double real, imaginary;
            long double angle = 2 * 3.141592653589793238462643383279502884L * (long double)k / (long double)n;
            dlq_root_of_unity(k, n, &real, &imaginary);
            worst = fmax(worst, (double)fmaxl(fabsl((long double)real - cosl(angle)),
                                              fabsl((long double)imaginary - sinl(angle))));
        }
    CHECK(worst < 2.3e-16, "error %g", worst);
}

TEST_SUITE(elementary, CASE(whole_range), CASE(powers), CASE(normal_law), CASE(many_normals), CASE(roots_of_unity),
           CASE(inverse_of_the_normal_law));
