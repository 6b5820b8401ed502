/* Fitted distributions as results (names, parameters, intervals, points of a chart), and the keys and values of the
   fitted configuration. */
#include "logs/study/fit/fit.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The parameters of a family. tail_key: the key in the stage of a tail; without the prefix, that in a single stage. */
static const struct parameter_row {
    const char *tail_key;
    size_t offset;
    bool is_time; /* in s */
} parameter_rows[] = {
    {"tail.mean", offsetof(struct dlq_parameters, mean), true},
    {"tail.cv", offsetof(struct dlq_parameters, cv), false},
    {"tail.sd", offsetof(struct dlq_parameters, sd), true},
    {"tail.median", offsetof(struct dlq_parameters, median), true},
    {"tail.p99", offsetof(struct dlq_parameters, p99), true},
    {"tail.shape", offsetof(struct dlq_parameters, shape), false},
    {"tail.alpha", offsetof(struct dlq_parameters, alpha), false},
    {"tail.stages", offsetof(struct dlq_parameters, stages), false},
    {"tail.min", offsetof(struct dlq_parameters, minimum), true},
    {"tail.max", offsetof(struct dlq_parameters, maximum), true},
};

static const char tail_prefix[] = "tail.", probability[] = "tail.probability";
enum { PARAMETERS = sizeof parameter_rows / sizeof *parameter_rows, PREFIX = sizeof tail_prefix - 1 };

/* -- distributions as results -- */

static void add_parameter(struct dlq_fit_law *law, const char *name, double value)
{
    if (law->parameter_count < DLQ_FIT_PARAMETERS && !isnan(value))
        law->parameters[law->parameter_count++] = (struct dlq_fit_parameter){name, value};
}

/* Adds the parameters that are not NAN. Their names: the tail keys without the first `prefix` characters. */
static void add_parameters(struct dlq_fit_law *law, const struct dlq_parameters *parameters, size_t prefix)
{
    for (size_t i = 0; i < PARAMETERS; i++)
        add_parameter(law, parameter_rows[i].tail_key + prefix,
                      *(const double *)(const void *)((const char *)parameters + parameter_rows[i].offset));
}

static void name_law(const struct dlq_fitted *fitted, char *text, size_t size)
{
    if (fitted->has_tail)
        snprintf(text, size, "%s + %s tail", fitted->family->name, fitted->tail_family->name);
    else
        snprintf(text, size, "%s", fitted->family->name);
}

/* Fills the points of the chart. */
static enum dlq_status put_points(struct dlq_fit_law *law, const struct dlq_fitted *fitted, const double *sorted,
                                  size_t n, struct dlq_error *error)
{
    DLQ_RELEASED_BY(dlq_sum_free) struct dlq_sum sum = {0};
    const struct dlq_part parts[] = {{fitted->dist, 1, 1}, {fitted->tail, fitted->tail_probability, 1}};
    TRY(dlq_sum_make(&sum, parts, fitted->has_tail ? 2 : 1, error));
    size_t points = n < DLQ_FIT_POINTS ? n : DLQ_FIT_POINTS;
    for (size_t i = 0; i < points; i++) {
        size_t place = (size_t)(((double)i + 0.5) / (double)points * (double)n);
        law->x[i] = sorted[place];
        law->measured[i] = ((double)place + 0.5) / (double)n;
        law->fitted[i] = dlq_sum_cdf(&sum, sorted[place]);
    }
    law->point_count = points;
    return DLQ_OK;
}

enum dlq_status dlq_fit_law_fill(struct dlq_arena *arena, struct dlq_fit_law *law, const struct dlq_fitted *all,
                                 size_t count, size_t chosen, const struct dlq_observed *observed, size_t n)
{
    const struct dlq_fitted *fitted = &all[chosen];
    double *exact, least = INFINITY;
    size_t known = 0;
    NEW(arena, exact, n);
    for (size_t i = 0; i < n; i++)
        if (observed[i].low == observed[i].high)
            exact[known++] = observed[i].low;
    gsl_sort(exact, 1, known);
    *law = (struct dlq_fit_law){
        .mean = fitted->mean,
        .cv = fitted->cv,
        .median = fitted->median,
        .p99 = fitted->p99,
        .mean_low = NAN,
        .mean_high = NAN,
        .ks = fitted->ks,
        .n = (long)n,
    };
    name_law(fitted, law->distribution, sizeof law->distribution);
    add_parameters(law, &fitted->parameters, PREFIX);
    if (fitted->has_tail) {
        add_parameter(law, probability, fitted->tail_probability);
        add_parameters(law, &fitted->tail_parameters, 0);
    }
    for (size_t i = 0; i < count; i++)
        least = fmin(least, all[i].aic);
    for (size_t i = 0; i < count && i < DLQ_FIT_LAWS; i++) {
        const struct dlq_fitted *one = &all[i == 0 ? chosen : i <= chosen ? i - 1 : i];
        struct dlq_fit_tried *tried = &law->tried[law->tried_count++];
        name_law(one, tried->distribution, sizeof tried->distribution);
        tried->mean = one->mean;
        tried->cv = one->cv;
        tried->aic_above = one->aic - least;
        tried->ks = one->ks;
    }
    if (known < n || n == 0)
        return DLQ_OK;
    /* Student's interval of the mean, extended to the mean of the law, which lies outside where the times are too few
       for the tail of the law. */
    double mean = gsl_stats_mean(exact, 1, known), half = 0;
    if (known > 1)
        half = dlq_student(0.975, (double)known - 1) * gsl_stats_sd_m(exact, 1, known, mean) / sqrt((double)known);
    law->mean_low = fmin(fmax(0, mean - half), law->mean);
    law->mean_high = fmax(mean + half, law->mean);
    return put_points(law, fitted, exact, known, arena->error);
}

void dlq_fit_law_constant(struct dlq_fit_law *law, double mean, long n)
{
    *law = (struct dlq_fit_law){
        .distribution = "constant",
        .mean = mean,
        .median = mean,
        .p99 = mean,
        .mean_low = mean,
        .mean_high = mean,
        .ks = NAN,
        .n = n,
    };
    add_parameter(law, "mean", mean);
}

struct dlq_fitted dlq_fitted_of(const char *family, double mean, double cv)
{
    struct dlq_fitted fitted = {
        .parameters = dlq_no_parameters, .tail_parameters = dlq_no_parameters, .log_likelihood = NAN, .aic = NAN};
    /* The range of a model's times; check_times refuses means outside of it. */
    fitted.parameters.mean = mean > 0 || cv > 0 ? fmin(fmax(mean, DLQ_TIME_LEAST), DLQ_TIME_MOST) : 0;
    fitted.parameters.cv = cv > 0 ? cv : NAN;
    (void)dlq_dist_make(&fitted.dist, dlq_family_find(family), &fitted.parameters, NULL, NULL, 0);
    fitted.family = fitted.dist.family;
    fitted.free_parameters = cv > 0 ? 2 : 1;
    dlq_fitted_summarize(&fitted);
    return fitted;
}

/* -- settings -- */

enum { DIGITS = 6, OVERHEAD_DIGITS = 3 };

__attribute__((format(printf, 4, 5))) static void add(struct dlq_fit *fit, const char *section, const char *key,
                                                      const char *format, ...)
{
    size_t last = fit->setting_count < DLQ_FIT_SETTINGS ? fit->setting_count++ : DLQ_FIT_SETTINGS - 1;
    va_list arguments;
    fit->settings[last] = (struct dlq_fit_setting){.section = section, .key = key};
    va_start(arguments, format);
    vsnprintf(fit->settings[last].value, sizeof fit->settings[last].value, format, arguments);
    va_end(arguments);
}

static void add_time(struct dlq_fit *fit, const char *section, const char *key, double seconds, int digits)
{
    static const struct {
        double least, unit;
        const char *name;
    } units[] = {{1, 1, "s"}, {1e-3, 1e-3, "ms"}, {1e-6, 1e-6, "us"}, {0, 1e-9, "ns"}};
    size_t i = 0;
    while (seconds < units[i].least)
        i++;
    add(fit, section, key, "%.*g%s", digits, seconds / units[i].unit, units[i].name);
}

/* Adds the settings of a law. sections: of a single stage; with a tail, of the usual loads and of the tail.
   shares_core: loads exclude one another, and the model has them share one core. */
static void add_work(struct dlq_fit *fit, const char *const sections[3], const struct dlq_fit_law *law,
                     bool shares_core)
{
    const char *section = sections[strchr(law->distribution, '+') != NULL ? 1 : 0], *family = law->distribution;
    for (size_t i = 0; i < law->parameter_count; i++) {
        const char *key = law->parameters[i].name;
        double value = law->parameters[i].value;
        size_t row = 0;
        bool begins_tail = strcmp(key, probability) == 0;
        if (begins_tail && shares_core)
            add(fit, section, "uses", "cpu");
        if (begins_tail) {
            section = sections[2];
            family = strchr(law->distribution, '+') + 2;
            add(fit, section, "probability", "%.*g%%", DIGITS, value / 0.01);
        }
        if (begins_tail || (i == 0 && law->tried_count > 0))
            add(fit, section, "distribution", "%.*s", (int)strcspn(family, " "), family);
        if (begins_tail)
            continue;
        key += strncmp(key, tail_prefix, PREFIX) == 0 ? PREFIX : 0;
        while (strcmp(parameter_rows[row].tail_key + PREFIX, key) != 0)
            row++;
        if (parameter_rows[row].is_time)
            add_time(fit, section, key, value, DIGITS);
        else
            /* A cv above 10 without a unit would be read as per cent. */
            add(fit, section, key, "%.*g%s", DIGITS, value, strcmp(key, "cv") == 0 && value > 10 ? "x" : "");
    }
    if (shares_core)
        add(fit, section, "uses", "cpu");
}

static void add_times(struct dlq_fit *fit, const char *section, const char *file)
{
    add(fit, section, "distribution", "empirical");
    add(fit, section, "file", "%s", file);
    add(fit, section, "column", "%s", strcmp(section, "load") == 0 ? DLQ_FIT_LOAD_COLUMN : DLQ_FIT_STEP_COLUMN);
    add(fit, section, "order", "recorded");
}

long dlq_fit_threads(const struct dlq_fit *fit)
{
    return fit->source == DLQ_FIT_TRACE && dlq_loader_find(fit->loader)->assign == DLQ_ASSIGN_SINGLE ? fit->loaders : 1;
}

void dlq_fit_settings(struct dlq_fit *fit, const char *times_file)
{
    static const char *const load[] = {"load", "load.usual", "load.tail"};
    static const char *const step[] = {"step", "step.usual", "step.tail"};
    static const char *const pauses[DLQ_FIT_PAUSES] = {"step.pause", "step.pause2"};
    static const char *const step_beside_pauses[] = {"step.usual", "step.usual", "step.tail"};
    const struct {
        const char *key;
        double value;
    } overheads[] = {
        {"startup", fit->overheads.startup}, {"dispatch", fit->overheads.dispatch}, {"deliver", fit->overheads.deliver},
        {"receive", fit->overheads.receive}, {"barrier", fit->overheads.barrier},
    };
    fit->setting_count = 0;
    add(fit, "pipeline", "loader", "%s", fit->loader);
    add(fit, "pipeline", "loaders", "%ld", fit->loaders);
    if (fit->loaders > 0 && fit->prefetch > 0)
        add(fit, "pipeline", "prefetch", "%ld", fit->prefetch);
    if (dlq_fit_threads(fit) > 1)
        add(fit, "pipeline", "load_scale", "%ld", dlq_fit_threads(fit));
    if (fit->ranks > 1)
        add(fit, "pipeline", "ranks", "%ld", fit->ranks);
    if (fit->loaders > 0 && fit->epoch_batches > 0) {
        add(fit, "pipeline", "epoch_batches", "%ld", fit->epoch_batches);
        add(fit, "pipeline", "persistent", fit->overheads.persistent ? "yes" : "no");
    }
    const bool laws = times_file == NULL;
    if (laws && fit->slow_ranks > 0)
        add(fit, "pipeline", "slow_ranks", "%ld", fit->slow_ranks);
    if (laws && fit->slow_loaders > 0)
        add(fit, "pipeline", "slow_loaders", "%ld", fit->slow_loaders);
    if (laws && fit->slow_ranks + fit->slow_loaders > 0)
        add(fit, "pipeline", "slow_factor", "%.*g", DIGITS, fit->slow_factor);
    for (size_t i = 0; i < sizeof overheads / sizeof *overheads; i++)
        if (overheads[i].value > 0)
            add_time(fit, "overheads", overheads[i].key, overheads[i].value, OVERHEAD_DIGITS);
    if (!laws) {
        add_times(fit, "load", times_file);
        add_times(fit, "step", times_file);
        return;
    }
    add_work(fit, load, &fit->load, fit->one_by_one);
    add_work(fit, fit->pauses[0].every > 0 ? step_beside_pauses : step, &fit->step, false);
    for (size_t k = 0; k < DLQ_FIT_PAUSES && fit->pauses[k].every > 0; k++) {
        add_time(fit, pauses[k], "mean", fit->pauses[k].mean, DIGITS);
        add(fit, pauses[k], "every", "%ld", fit->pauses[k].every);
    }
    if (fit->one_by_one)
        add(fit, "host", "cores", "1");
}

/* Parses the settings as those of a file, so that the written configuration gives the same predictions. */
enum dlq_status dlq_fit_apply(const struct dlq_fit *fit, struct dlq_model *model, struct dlq_error *error)
{
    for (size_t i = 0; i < fit->setting_count; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s.%s", fit->settings[i].section, fit->settings[i].key);
        TRY(dlq_model_set(model, path, fit->settings[i].value, error));
    }
    return dlq_model_check(model, error);
}

enum dlq_status dlq_fit_model(const struct dlq_fit *fit, struct dlq_model **model, struct dlq_error *error)
{
    TRY(dlq_model_new(model, error));
    return dlq_fit_apply(fit, *model, error);
}
