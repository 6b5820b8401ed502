/* exp, log and the inverse of the normal law for vectors, against libm and GSL. */
#include "dist/elementary.h"
#include "harness.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>

/* The uniform just above x, 0 <= x < 1. */
static double uniform_near(double x)
{
    return ldexp(2 * floor(ldexp(x, 52)) + 1, -53);
}

static double inverse(double p, double q)
{
    double w = -dlq_log(4 * p * q);
    return (p - q) * (w > DLQ_NORMAL_CENTER ? dlq_normal_tail(sqrt(w) - 2.5) : dlq_normal_center(w));
}

static void elementary_functions(void)
{
    double exps = 0, logs = 0, near_one = 0;
    for (int i = -70000; i <= 70000; i++) {
        double x = 0.00997 * i;
        exps = fmax(exps, fabs(dlq_exp(x) / exp(x) - 1));
        logs = fmax(logs, i == 0 ? 0 : fabs(dlq_log(exp(x)) / log(exp(x)) - 1));
    }
    for (int i = 0; i <= 2080; i++) {
        double f = exp2(-i / 40.0 - 1), below = 1 - f;
        near_one = fmax(near_one, fabs(dlq_log(below) / log(below) - 1));
        near_one = fmax(near_one, fabs(dlq_log(f) / log(f) - 1));
    }
    CHECK(exps < 1e-15 && logs < 1e-15 && near_one < 1e-15, "relative errors: exp %g, log %g, %g", exps, logs,
          near_one);
    CHECK_REL(dlq_exp(1), 2.718281828459045, 4e-16);
    CHECK_REL(dlq_log(10), 2.302585092994046, 4e-16);
    CHECK(dlq_exp(0) == 1 && dlq_log(1) == 0, "exp(0) %a, ln(1) %a", dlq_exp(0), dlq_log(1));
    CHECK_REL(dlq_log(0x1p-795), -795 * M_LN2, 4e-16);
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

static const struct test_case cases[] = {
    {"elementary functions", elementary_functions},
    {"inverse of the normal law", inverse_of_the_normal_law},
    {NULL, NULL},
};
const struct test_suite suite_elementary = {"elementary", cases};
