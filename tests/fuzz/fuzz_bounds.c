/* Sums of laws and their maxima; bounds and closed forms of models.
   From raw parameters; models have one stage or two. What is answered is finite and in order. Slower than others: such
   laws lie on grids of 16384 cells. */
#include "analytic/analytic.h"
#include "settings.h"

#include <gsl/gsl_errno.h>

void target_begin(void)
{
    gsl_set_error_handler_off();
}

/* -- laws of sums -- */

static size_t take_parts(struct bytes *bytes, const struct dlq_empirical *data, struct dlq_part *parts, size_t most)
{
    size_t count = 0, wanted = 1 + bytes_next(bytes) % most;
    for (size_t i = 0; i < wanted; i++) {
        static const double probabilities[] = {1, 1, 0.5, 0.01, 1e-9};
        struct dlq_parameters parameters;
        struct dlq_part part = {.probability = probabilities[bytes_next(bytes) % 5],
                                .units = 1 + bytes_next(bytes) % 4 * 17};
        const struct dlq_family *family = law_take(bytes, &parameters, data);
        if (law_make(family, &parameters, &part.dist) && part.dist.mean > 0)
            parts[count++] = part;
    }
    return count;
}

static void check_law(const struct dlq_sum *law)
{
    static const double factors[] = {0, 0.1, 0.5, 0.9, 1, 1.1, 2, 10, 1e6};
    double below = 0;
    EXPECT(law->mean > 0 && isfinite(law->mean) && law->variance >= 0, "mean %g, variance %g", law->mean,
           law->variance);
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        double x = factors[i] * law->mean, cdf = dlq_sum_cdf(law, x), survival = dlq_sum_survival(law, x);
        EXPECT(cdf >= 0 && cdf <= 1 && survival >= 0 && survival <= 1, "at %g: %g, %g", x, cdf, survival);
        EXPECT(cdf >= below - 1e-9, "at %g: falls from %.17g to %.17g", x, below, cdf);
        below = cdf;
    }
    double low = dlq_sum_quantile(law, 0.1), high = dlq_sum_upper(law, 0.1);
    EXPECT(low >= 0 && low <= high * (1 + 1e-9) && isfinite(high), "quantiles %.17g, %.17g", low, high);
}

/* The largest of 1 + n copies is not below that of n, nor below the mean. */
static void check_maxima(const struct dlq_sum *law, long copies)
{
    struct dlq_term term = {.time = law, .scale = 1, .count = 1, .copies = 1};
    struct dlq_term all = {.time = law, .scale = 1, .count = 1, .copies = (double)copies};
    double one = 0, many = 0;
    if (!dlq_expected_maximum(&term, 1, 0, &one) || !dlq_expected_maximum(&all, 1, 0, &many))
        return;
    EXPECT(isfinite(one) && isfinite(many), "maxima %g, %g", one, many);
    EXPECT(one >= law->mean * (1 - 1e-6), "the mean %.17g is %.17g", law->mean, one);
    EXPECT(many >= one * (1 - 1e-6), "the maximum of %ld is %.17g, of one %.17g", copies, many, one);
}

static void check_rounded(const struct dlq_sum *law, double tick)
{
    /* As many ticks as that are summed one by one. */
    if (!(tick > law->mean / 1000 && tick < law->mean * 1000))
        return;
    double rounded = dlq_rounded_mean(law, 1, tick);
    EXPECT(rounded >= law->mean * (1 - 1e-6) && rounded <= (law->mean + tick) * (1 + 1e-3), "%.17g by %g: %.17g",
           law->mean, tick, rounded);
}

static void try_sum(struct bytes *bytes, const struct dlq_empirical *data)
{
    enum { MOST = 3 };
    struct dlq_part parts[MOST];
    struct dlq_sum law;
    struct dlq_error error = {0};
    long copies = 2 + bytes_next(bytes);
    double tick = bytes_double(bytes);
    size_t count = take_parts(bytes, data, parts, MOST);
    if (count == 0)
        return;
    enum dlq_status status = dlq_sum_make(&law, parts, count, &error);
    EXPECT((status == DLQ_OK) == (error.count == 0), "status %d: %s", (int)status, error.text);
    if (status != DLQ_OK)
        return;
    check_law(&law);
    check_maxima(&law, copies);
    check_rounded(&law, tick);
    dlq_sum_free(&law);
}

/* -- models -- */

static void check_form(const char *name, const struct dlq_closed_form *form, const struct dlq_bounds *bounds)
{
    EXPECT(isnan(form->value) || form->value >= 0, "%s: %g", name, form->value);
    if (form->exact && !isnan(form->value))
        EXPECT(form->value <= bounds->upper * (1 + 1e-6) &&
                   (isnan(bounds->lower) || form->value >= bounds->lower * (1 - 1e-6)),
               "%s: %.17g is not in %.17g..%.17g", name, form->value, bounds->lower, bounds->upper);
}

static void check_model(struct dlq_model *model)
{
    struct dlq_bounds bounds;
    struct dlq_closed_forms forms;
    struct dlq_error error = {0};
    if (dlq_bounds(model, &bounds, &error) != DLQ_OK)
        return;
    const double rows[] = {bounds.serial, bounds.load,           bounds.window,  bounds.step, bounds.receive,
                           bounds.cores,  bounds.host_bandwidth, bounds.storage, bounds.pin};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        EXPECT(isnan(rows[i]) || rows[i] > 0, "bound %zu: %g", i, rows[i]);
    EXPECT(bounds.upper > 0 && bounds.bottleneck != DLQ_CAUSE_NONE, "upper %g", bounds.upper);
    EXPECT(isnan(bounds.lower) || (bounds.lower >= 0 && bounds.lower <= bounds.upper * (1 + 1e-9)), "%.17g..%.17g",
           bounds.lower, bounds.upper);
    if (dlq_closed_forms(model, &forms, &error) != DLQ_OK)
        return;
    check_form("product form", &forms.product_form, &bounds);
    check_form("diffusion", &forms.diffusion, &bounds);
    check_form("autotune", &forms.autotune, &bounds);
    check_form("markov", &forms.markov, &bounds);
}

static void try_model(struct bytes *bytes)
{
    enum { MOST_SET = 12 };
    struct dlq_model *model = NULL;
    struct dlq_error error = {0};
    if (dlq_model_new(&model, &error) != DLQ_OK)
        return;
    unsigned stages = 1 + bytes_next(bytes) % 2;
    set(model, "pipeline", "loaders", "4");
    for (unsigned i = 0; i < stages; i++)
        set_law(model, stages == 1 ? "load" : i == 0 ? "load.read" : "load.decode", bytes);
    set_law(model, "step", bytes);
    for (unsigned i = 0, count = bytes_next(bytes) % MOST_SET; i < count; i++)
        set_any(model, stages == 1 ? "load" : "load.decode", bytes);
    check_model(model);
    dlq_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONGEST = 256 };
    struct bytes bytes = {data, size};
    struct dlq_empirical empirical = {0};
    if (size > LONGEST)
        return 0;
    if (bytes_next(&bytes) % 2 == 0) {
        try_model(&bytes);
        return 0;
    }
    law_measured(&empirical);
    try_sum(&bytes, &empirical);
    dlq_empirical_free(&empirical);
    return 0;
}
