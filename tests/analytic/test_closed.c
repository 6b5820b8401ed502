/* Closed forms: values by hand, none where they do not apply. */
#include "systems.h"

#define EXPONENTIAL(pipeline, load, step)                                                                              \
    "[pipeline]\n" pipeline "\n[load]\ndistribution=exponential\nmean=" load "\n[step]\ndistribution=exponential\n"    \
    "mean=" step "\n"

#define PINNED(cv)                                                                                                     \
    "[pipeline]\nloaders=4\n[overheads]\npin_time=1us\n[load]\ndistribution=lognormal\nmean=0.4s\ncv=" cv              \
    "\n[step]\nmean=0.1s\n"

#define ANY -1.0

/* NAN: there is none; ANY: one that is not asserted here. Product form: exact solutions of the chain; 9.1679244,
   9.7652373, 2/3 and 9.713319422, 5.311 are published with the model. Release at request, by the chain's own balance: N
   = 2, K = 4, s = 0.2, t = 0.1: weights s/(t min(j, 2)) = 2, 1, 1, 1, 1 for j = 1..5, shares 1 : 2 : 2 : 2 : 2 : 2, X =
   10 (1 - 2/11). Without a lower bound the diffusion is 1/t - v/(2K) = 10 - 10 cv^2/16: below 0 from cv = 4 on. */
static const struct {
    const char *text;
    double product_form, diffusion, autotune;
    bool exact;
} rows[] = {
    {EXPONENTIAL("loader=pool\nloaders=7", "0.7s", "0.1s"), 9.1679244, 9.285714286, 9.375, true},
    {EXPONENTIAL("loader=pool\nloaders=12", "1.1s", "0.1s"), 9.7652373, ANY, ANY, true},
    {EXPONENTIAL("loader=pool\nloaders=1\nprefetch=1", "1s", "1s"), 2.0 / 3, NAN, 2.0 / 3, true},
    {EXPONENTIAL("loader=pytorch\nloaders=1\nprefetch=1", "1s", "1s"), 2.0 / 3, NAN, 2.0 / 3, true},
    {EXPONENTIAL("loader=pytorch\nloaders=4", "0.4s", "0.1s"), ANY, 8.75, 9, false},
    {EXPONENTIAL("loader=pytorch\nloaders=7", "0.7s", "0.1s"), 9.1679244, 9.285714286, 9.375, false},
    {EXPONENTIAL("loader=pytorch\nloaders=7\nprefetch=1", "0.7s", "0.1s"), ANY, NAN, ANY, false},
    {EXPONENTIAL("loader=tfdata\nloaders=7", "0.7s", "0.1s"), ANY, NAN, ANY, false},
    {EXPONENTIAL("loader=serial\nloaders=0", "0.7s", "0.1s"), NAN, NAN, NAN, false},
    {EXPONENTIAL("loader=pool\nloaders=8\nwindow=3", "0.5s", "0.1s"), 5.31132783, NAN, ANY, true},
    {EXPONENTIAL("loader=dali\nloaders=4\nprefetch=1", "4s", "1s"), 2.0 / 3, NAN, 2.0 / 3, true},
    {EXPONENTIAL("loader=pool\nloaders=4\nwindow=unbounded", "0.5s", "0.1s"), 8, 8, 8, true},
    {EXPONENTIAL("loader=pool\nloaders=8\nwindow=unbounded", "0.5s", "0.1s"), 10, 10, 10, true},
    {EXPONENTIAL("loader=pool\nloaders=4\nranks=2", "0.4s", "0.1s"), ANY, 8.75, 9, false},
    {EXPONENTIAL("loader=pool\nloaders=4\nepoch_batches=50", "0.4s", "0.1s"), ANY, 8.75, 9, false},
    {EXPONENTIAL("loader=pool\nloaders=8", "0.7s", "0.1s"), 9.713319422, ANY, ANY, true},
    {EXPONENTIAL("loader=mxnet\nloaders=2", "0.2s", "0.1s"), 90.0 / 11, ANY, ANY, false},
    {EXPONENTIAL("loader=tfdata-unordered\nloaders=1\nprefetch=1", "1s", "1s"), 3.0 / 4, ANY, ANY, true},
    {EXPONENTIAL("loader=pool\nloaders=4096\nprefetch=64", "4000s", "0.01s"), 1.024, ANY, ANY, true},
    {EXPONENTIAL("loader=pool\nloaders=4096\nprefetch=64", "1ms", "1s"), 1, ANY, ANY, true},
    {"[pipeline]\nloader=pool\nloaders=4\n[load]\nmean=0.5s\n[step]\nmean=0\n", 8, NAN, 8, false},
    {"[pipeline]\nloader=pool\nloaders=4\nwindow=3\n[load]\nmean=0.5s\n[step]\nmean=0\n", 6, NAN, 8, false},
    {"[pipeline]\nloader=pool\nloaders=4\n[load]\nmean=0.5s\n[step]\nmean=0.1s\n", ANY, 8, ANY, false},
    {"[pipeline]\nloader=pool\nloaders=8\n[load]\nmean=0.5s\n[step]\nmean=0.1s\n", ANY, 10, ANY, false},
    {"[pipeline]\nloader=pool\nloaders=8\n[load]\ndistribution=pareto\nalpha=1.8\nmean=0.5s\n[step]\nmean=0.1s\n", ANY,
     NAN, ANY, false},
    {"[pipeline]\nloader=pool\nloaders=1\nprefetch=1\n[load]\nmean=0.2s\n[step]\nmean=0.1s\n", ANY, NAN, 30.0 / 7,
     false},
    {PINNED("3.9"), ANY, ANY, ANY, false},
    {PINNED("4.1"), ANY, NAN, ANY, false},
};

static void test_rows(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_closed_forms forms;
        if (!forms_of(rows[i].text, &forms))
            continue;
        const double wanted[] = {rows[i].product_form, rows[i].diffusion, rows[i].autotune};
        const double found[] = {forms.product_form.value, forms.diffusion.value, forms.autotune.value};
        for (int k = 0; k < 3; k++)
            CHECK(isnan(wanted[k])   ? isnan(found[k])
                  : wanted[k] == ANY ? isfinite(found[k])
                                     : test_relative(found[k], wanted[k], 1e-8),
                  "form %d = %.12g, expected %.12g\n%s", k, found[k], wanted[k], rows[i].text);
        CHECK(forms.product_form.exact == rows[i].exact, "exact: %d\n%s", forms.product_form.exact, rows[i].text);
        CHECK(!forms.diffusion.exact && !forms.autotune.exact && isnan(forms.markov.value), "%s", rows[i].text);
    }
}

/* The diffusion is smooth through s = N t: nothing jumps where the drift changes sign. */
static void test_diffusion_smooth(void)
{
    double before = NAN;
    for (int i = -20; i <= 20; i++) {
        char text[256];
        struct dlq_closed_forms forms;
        snprintf(text, sizeof text, EXPONENTIAL("loader=pool\nloaders=4", "%.17gs", "0.1s"),
                 0.4 * (1 + i * (i % 2 == 0 ? 1e-12 : 1e-9)));
        if (!forms_of(text, &forms))
            continue;
        CHECK_REL(forms.diffusion.value, 8.75, 1e-7);
        CHECK(isnan(before) || fabs(forms.diffusion.value - before) < 1e-6, "jump to %.12g", forms.diffusion.value);
        before = forms.diffusion.value;
    }
}

static const struct test_case cases[] = {
    {"values", test_rows},
    {"diffusion at the knee", test_diffusion_smooth},
    {NULL, NULL},
};

const struct test_suite suite_closed = {"closed", cases};
