/* Closed forms: values by hand, none where they do not apply, digits. */
#include "systems.h"

struct row {
    const char *text;
    double product_form, diffusion, autotune; /* NAN: none */
    bool exact;
};

#define EXPONENTIAL(pipeline, load, step)                                                                              \
    "[pipeline]\n" pipeline "\n[load]\ndistribution=exponential\nmean=" load "\n[step]\ndistribution=exponential\n"    \
    "mean=" step "\n"

static void check_form(const char *text, const char *name, double got, double want, double tolerance)
{
    CHECK(isnan(want) ? isnan(got) : test_relative(got, want, tolerance), "%s = %.12g, expected %.12g\n%s", name, got,
          want, text);
}

/* Product form: exact solutions of the chain; 9.1679244, 9.7652373, 2/3 and 9.713319422, 5.311 are published with the
   model. */
static const struct row rows[] = {
    {EXPONENTIAL("loader=pool\nloaders=7", "0.7s", "0.1s"), 9.1679244, 9.285714286, 9.375, true},
    {EXPONENTIAL("loader=pool\nloaders=12", "1.1s", "0.1s"), 9.7652373, NAN, NAN, true},
    {EXPONENTIAL("loader=pool\nloaders=1\nprefetch=1", "1s", "1s"), 2.0 / 3, NAN, 2.0 / 3, true},
    {EXPONENTIAL("loader=pytorch\nloaders=1\nprefetch=1", "1s", "1s"), 2.0 / 3, NAN, 2.0 / 3, true},
    {EXPONENTIAL("loader=pytorch\nloaders=4", "0.4s", "0.1s"), NAN, 8.75, 9, false},
    {EXPONENTIAL("loader=pytorch\nloaders=7", "0.7s", "0.1s"), 9.1679244, 9.285714286, 9.375, false},
    {EXPONENTIAL("loader=serial\nloaders=0", "0.7s", "0.1s"), NAN, NAN, NAN, false},
    {EXPONENTIAL("loader=pool\nloaders=8\nwindow=3", "0.5s", "0.1s"), 5.31132783, NAN, NAN, true},
    {EXPONENTIAL("loader=dali\nloaders=4\nprefetch=1", "4s", "1s"), 2.0 / 3, NAN, 2.0 / 3, true},
    {EXPONENTIAL("loader=pool\nloaders=4\nwindow=unbounded", "0.5s", "0.1s"), 8, 8, 8, true},
    {EXPONENTIAL("loader=pool\nloaders=8\nwindow=unbounded", "0.5s", "0.1s"), 10, 10, 10, true},
    {EXPONENTIAL("loader=pool\nloaders=4\nranks=2", "0.4s", "0.1s"), NAN, 8.75, 9, false},
    {EXPONENTIAL("loader=pool\nloaders=4\nepoch_batches=50", "0.4s", "0.1s"), NAN, 8.75, 9, false},
    {"[pipeline]\nloader=pool\nloaders=4\n[load]\nmean=0.5s\n[step]\nmean=0\n", 8, NAN, 8, false},
    {"[pipeline]\nloader=pool\nloaders=4\nwindow=3\n[load]\nmean=0.5s\n[step]\nmean=0\n", 6, NAN, 8, false},
    {"[pipeline]\nloader=pool\nloaders=4\n[load]\nmean=0.5s\n[step]\nmean=0.1s\n", NAN, 8, NAN, false},
    {"[pipeline]\nloader=pool\nloaders=8\n[load]\nmean=0.5s\n[step]\nmean=0.1s\n", NAN, 10, NAN, false},
    {"[pipeline]\nloader=pool\nloaders=8\n[load]\ndistribution=pareto\nalpha=1.8\nmean=0.5s\n[step]\nmean=0.1s\n", NAN,
     NAN, NAN, false},
    {"[pipeline]\nloader=pool\nloaders=1\nprefetch=1\n[load]\nmean=0.2s\n[step]\nmean=0.1s\n", NAN, NAN, 30.0 / 7,
     false},
};

/* A NAN in a row where there is a value means: not asserted here. */
static void test_rows(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_closed_forms forms;
        const char *text = rows[i].text;
        if (!forms_of(text, &forms))
            continue;
        if (!isnan(rows[i].product_form))
            check_form(text, "product form", forms.product_form.value, rows[i].product_form, 1e-8);
        if (!isnan(rows[i].diffusion))
            check_form(text, "diffusion", forms.diffusion.value, rows[i].diffusion, 1e-8);
        if (!isnan(rows[i].autotune))
            check_form(text, "autotune", forms.autotune.value, rows[i].autotune, 1e-12);
        CHECK(forms.product_form.exact == rows[i].exact, "exact: %d\n%s", forms.product_form.exact, text);
        CHECK(!forms.diffusion.exact && !forms.autotune.exact && isnan(forms.markov.value), "%s", text);
    }
}

#define PINNED(cv)                                                                                                     \
    "[pipeline]\nloaders=4\n[overheads]\npin_time=1us\n[load]\ndistribution=lognormal\nmean=0.4s\ncv=" cv              \
    "\n[step]\nmean=0.1s\n"

/* Where there is no value. */
static void test_none(void)
{
    static const struct {
        const char *text;
        bool product_form, diffusion, autotune;
    } cases_without[] = {
        {EXPONENTIAL("loader=serial\nloaders=0", "0.7s", "0.1s"), false, false, false},
        {EXPONENTIAL("loader=pytorch\nloaders=7\nprefetch=1", "0.7s", "0.1s"), true, false, true},
        {EXPONENTIAL("loader=tfdata\nloaders=7", "0.7s", "0.1s"), true, false, true},
        {"[pipeline]\nloaders=4\n[load]\nmean=0.5s\n[step]\nmean=0\n", true, false, true},
        {"[pipeline]\nloaders=8\n[load]\ndistribution=pareto\nalpha=1.8\nmean=0.5s\n[step]\nmean=0.1s\n", true, false,
         true},
        /* Without a lower bound, 1/t - v/(2K) = 10 - 10 cv^2/16: below 0 from cv = 4 on. */
        {PINNED("3.9"), true, true, true},
        {PINNED("4.1"), true, false, true},
    };
    for (size_t i = 0; i < sizeof cases_without / sizeof *cases_without; i++) {
        struct dlq_closed_forms forms;
        if (!forms_of(cases_without[i].text, &forms))
            continue;
        CHECK_INT(!isnan(forms.product_form.value), cases_without[i].product_form);
        CHECK_INT(!isnan(forms.diffusion.value), cases_without[i].diffusion);
        CHECK_INT(!isnan(forms.autotune.value), cases_without[i].autotune);
    }
}

/* N = 8, K = 16 at load 0.7: to ten digits. Release at request, by the chain's own balance: N = 2, K = 4, s = 0.2,
   t = 0.1: weights s/(t min(j, 2)) = 2, 1, 1, 1, 1 for j = 1..5, shares 1 : 2 : 2 : 2 : 2 : 2, X = 10 (1 - 2/11). */
static void test_digits(void)
{
    static const struct {
        const char *text;
        double value, tolerance;
    } digits[] = {
        {EXPONENTIAL("loader=pool\nloaders=8", "0.7s", "0.1s"), 9.713319422, 1e-9},
        {EXPONENTIAL("loader=mxnet\nloaders=2", "0.2s", "0.1s"), 90.0 / 11, 1e-12},
        {EXPONENTIAL("loader=tfdata-unordered\nloaders=1\nprefetch=1", "1s", "1s"), 3.0 / 4, 1e-12},
        {EXPONENTIAL("loader=pool\nloaders=4096\nprefetch=64", "40.96s", "0.01s"), 99.99961, 1e-7},
        {EXPONENTIAL("loader=pool\nloaders=4096\nprefetch=64", "4000s", "0.01s"), 1.024, 1e-9},
        {EXPONENTIAL("loader=pool\nloaders=4096\nprefetch=64", "1ms", "1s"), 1, 1e-12},
    };
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) {
        struct dlq_closed_forms forms;
        if (forms_of(digits[i].text, &forms))
            check_form(digits[i].text, "product form", forms.product_form.value, digits[i].value, digits[i].tolerance);
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
    {"no values", test_none},
    {"digits", test_digits},
    {"diffusion at the knee", test_diffusion_smooth},
    {NULL, NULL},
};

const struct test_suite suite_closed = {"closed", cases};
