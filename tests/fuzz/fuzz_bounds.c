/* Sums of laws and their maxima; bounds and closed forms of models.
   From raw parameters; models have one stage or two. What is answered is finite and in order. Slower than others: such
   laws lie on grids of 16384 cells. */
#include "analytic/analytic.h"
#include "fuzz.h"

/* -- laws of sums -- */

static size_t take_parts(struct bytes *bytes, const struct dlq_empirical *data, struct dlq_part *parts, size_t most)
{
    static const double probabilities[] = {1, 1, 0.5, 0.01, 1e-9};
    size_t count = 0, wanted = 1 + bytes_next(bytes) % most;
    for (size_t i = 0; i < wanted; i++) {
        struct dlq_part part = {.probability = probabilities[bytes_next(bytes) % 5],
                                .units = 1 + bytes_next(bytes) % 4 * 17};
        const struct law law = law_take(bytes);
        if (law_make(&law, data, &part.dist) && part.dist.mean > 0)
            parts[count++] = part;
    }
    return count;
}

static void check_sum(const struct dlq_sum *law)
{
    static const double factors[] = {0, 0.1, 0.5, 0.9, 1, 1.1, 2, 10, 1e6};
    double below = 0;
    IN(DBL_TRUE_MIN, DBL_MAX, law->mean);
    IN(0, INFINITY, law->variance);
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        double x = factors[i] * law->mean, cdf = dlq_sum_cdf(law, x);
        IN(fmax(0, below - 1e-9), 1, cdf);
        IN(0, 1, dlq_sum_survival(law, x));
        below = cdf;
    }
    double low = dlq_sum_quantile(law, 0.1), high = dlq_sum_upper(law, 0.1);
    IN(0, high * (1 + 1e-9), low);
    IN(0, DBL_MAX, high);
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
    if (count == 0 || !GOOD(dlq_sum_make(&law, parts, count, &error), &error))
        return;
    check_sum(&law);
    /* The largest of several copies is not below that of one, nor below the mean. */
    struct dlq_term term = {.time = &law, .scale = 1, .count = 1, .copies = 1}, all = term;
    double one = 0, many = 0;
    all.copies = (double)copies;
    if (dlq_expected_maximum(&term, 1, 0, &one) && dlq_expected_maximum(&all, 1, 0, &many)) {
        IN(law.mean * (1 - 1e-6), DBL_MAX, one);
        IN(one * (1 - 1e-6), DBL_MAX, many);
    }
    /* As many ticks as that are summed one by one. */
    if (tick > law.mean / 1000 && tick < law.mean * 1000)
        IN(law.mean * (1 - 1e-6), (law.mean + tick) * (1 + 1e-3), dlq_rounded_mean(&law, 1, tick));
    dlq_sum_free(&law);
}

/* -- models -- */

static void check_model(struct dlq_model *model)
{
    struct dlq_bounds bounds;
    struct dlq_closed_forms forms;
    struct dlq_error error = {0};
    if (!model_bounds(model, &bounds))
        return;
    const double rows[] = {bounds.serial, bounds.load,           bounds.window,  bounds.step, bounds.receive,
                           bounds.cores,  bounds.host_bandwidth, bounds.storage, bounds.pin};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        KNOWN(DBL_TRUE_MIN, INFINITY, rows[i]);
    if (dlq_closed_forms(model, &forms, &error) != DLQ_OK)
        return;
    const struct dlq_closed_form each[] = {forms.product_form, forms.diffusion, forms.autotune, forms.markov};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        KNOWN(0, each[i].exact ? bounds.upper * (1 + 1e-6) : INFINITY, each[i].value);
        if (each[i].exact && !isnan(bounds.lower))
            KNOWN(bounds.lower * (1 - 1e-6), INFINITY, each[i].value);
    }
}

static void try_model(struct bytes *bytes)
{
    enum { MOST_SET = 12 };
    struct dlq_model *model = NULL;
    struct dlq_error error = {0};
    EXPECT(dlq_model_new(&model, &error) == DLQ_OK, "%s", error.text);
    unsigned stages = 1 + bytes_next(bytes) % 2;
    const char *load = stages == 1 ? "load" : "load.decode";
    model_put(model, "pipeline", "loaders", "4");
    if (stages == 2)
        model_put_law(model, "load.read", law_take(bytes));
    model_put_law(model, load, law_take(bytes));
    model_put_law(model, "step", law_take(bytes));
    for (unsigned i = 0, count = bytes_next(bytes) % MOST_SET; i < count; i++)
        model_put_any(model, load, 0, SETTINGS, true, bytes);
    check_model(model);
    dlq_model_free(model);
}

static void run(struct bytes *bytes)
{
    struct dlq_empirical empirical = {0};
    if (bytes_next(bytes) % 2 == 0) {
        try_model(bytes);
        return;
    }
    law_measured(&empirical);
    try_sum(bytes, &empirical);
    dlq_empirical_free(&empirical);
}

const struct target target_bounds = {.name = "bounds", .longest = 256, .run = run};
