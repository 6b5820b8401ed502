/* The table of bounds: each with how it is computed. */
#include "dlqueue/loaders.h"
#include "draw/text.h"
#include "report/phrase.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

enum { HOW = 96 };

/* "8 / 1.38 s": the count and the time whose quotient the bound is. */
static void quotient(double count, double bound, char how[HOW])
{
    char time[DLQ_TEXT_NUMBER], number[DLQ_TEXT_NUMBER];
    snprintf(how, HOW, "%s / %s", dlq_text_number(count, 6, number), dlq_text_time(count / bound, 3, time));
}

/* Loads that can go on at a time. */
static double loads_at_once(const struct dlq_description *description)
{
    const struct dlq_loader *loader = dlq_loader_find(description->loader);
    if (loader != NULL && loader->assign == DLQ_ASSIGN_SINGLE)
        return 1;
    bool held = description->window > 0 && description->window < description->loaders;
    return (double)(held ? description->window : description->loaders);
}

/* Batches in flight at most: where credits return at the request, one more than the window; a relay holds its buffer
   besides. */
static double in_flight(const struct dlq_description *description)
{
    const struct dlq_loader *loader = dlq_loader_find(description->loader);
    long extra = loader != NULL && loader->release == DLQ_RELEASE_REQUEST ? 1 : 0;
    long buffer = loader != NULL && loader->relay ? description->prefetch : 0;
    return (double)(description->window + extra + buffer);
}

struct line {
    const char *name, *key;
    double value;
    char how[HOW];
};

enum { LINES = 11 };

static void fill_lines(const struct dlq_solution *solution, struct line lines[LINES])
{
    const struct dlq_bounds *bounds = &solution->bounds;
    const struct dlq_description *description = &solution->description;
    bool serial = strcmp(bounds->bottleneck, "serial") == 0;
    /* With nothing to receive, that bound is the step's. */
    bool receives = bounds->receive < bounds->step * (1 - 1e-12) || isnan(bounds->step);
    const struct line all[LINES] = {
        {"serial", "serial", serial ? bounds->serial : NAN, ""},
        {"loaders", "load", bounds->load, ""},
        {"window", "window", bounds->window, ""},
        {"cores", "cores", bounds->cores, ""},
        {"host bandwidth", "host_bandwidth", bounds->host_bandwidth, "bandwidth / bytes of a batch"},
        {"storage", "storage", bounds->storage, "bandwidth / bytes of a batch"},
        {"pinning", "pin", bounds->pin, ""},
        {"step", "step", bounds->step, ""},
        {"step + receive", "receive", receives ? bounds->receive : NAN, ""},
        {"upper", "", bounds->upper, ""},
        {"lower", "", bounds->lower, "guaranteed"},
    };
    memcpy(lines, all, sizeof all);
    if (!isnan(description->horizon))
        snprintf(lines[LINES - 1].how, HOW, "in the long run");
    quotient(1, bounds->serial, lines[0].how);
    quotient(loads_at_once(description), bounds->load, lines[1].how);
    quotient(in_flight(description), bounds->window, lines[2].how);
    quotient(description->cores / description->ranks_per_host, bounds->cores, lines[3].how);
    quotient(1, bounds->pin, lines[6].how);
    quotient(1, bounds->step, lines[7].how);
    quotient(1, bounds->receive, lines[8].how);
    snprintf(lines[9].how, HOW, "%s", bounds->exact ? "exact: nothing varies" : "the smallest");
}

static bool fill_row(struct dlq_table *table, const struct line *line, double samples)
{
    char name[32];
    snprintf(name, sizeof name, "  %s", line->name);
    if (!dlq_table_row(table) || !dlq_table_text(table, 0, name) || !dlq_table_text(table, 1, line->how))
        return false;
    char rate[DLQ_TEXT_NUMBER];
    dlq_table_number(table, 3, line->value * samples);
    return dlq_table_text(table, 2, dlq_text_rate(line->value, rate));
}

static void write_estimates(FILE *stream, const struct dlq_solution *solution)
{
    const struct {
        const char *name;
        struct dlq_closed_form form;
    } rows[] = {
        {"product form", solution->forms.product_form},
        {"diffusion", solution->forms.diffusion},
        {"tf.data autotune", solution->forms.autotune},
    };
    char text[300] = "", value[DLQ_TEXT_NUMBER];
    struct dlq_phrase phrase = {.text = text, .size = sizeof text, .separator = " · "};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (isfinite(rows[i].form.value))
            dlq_phrase_add(&phrase, "%s %s%s", rows[i].name, dlq_text_number(rows[i].form.value, 3, value),
                           rows[i].form.exact ? " (exact)" : "");
    if (phrase.used > 0) {
        dlq_text_wrap(stream,
                      solution->description.ranks > 1
                          ? "Estimates, batches/s (they know neither order of delivery, nor overheads, nor what is "
                            "shared, nor other ranks)"
                          : "Estimates, batches/s (they know neither order of delivery, nor overheads, nor what is "
                            "shared)",
                      2, dlq_report_width(stream));
        dlq_text_wrap(stream, text, 4, dlq_report_width(stream));
    }
    if (isfinite(solution->forms.markov.value))
        fprintf(stream, "  Exact, batches/s\n    Markov chain %s\n",
                dlq_text_number(solution->forms.markov.value, 5, value));
}

enum dlq_status dlq_report_bounds(FILE *stream, const struct dlq_solution *solution, struct dlq_error *error)
{
    const struct dlq_description *description = &solution->description;
    const struct dlq_column columns[] = {
        {"bound", "Bounds", DLQ_COLUMN_TEXT, 0},
        {"how", "", DLQ_COLUMN_TEXT, 0},
        {"batches", "batches/s", DLQ_COLUMN_NUMBER, 3},
        {"samples", description->has_batch_size ? "samples/s" : NULL, DLQ_COLUMN_NUMBER, 4},
    };
    struct line lines[LINES];
    fill_lines(solution, lines);
    struct dlq_table *table = dlq_table_new(columns, sizeof columns / sizeof *columns);
    bool filled = table != NULL;
    long marked = -1;
    for (size_t i = 0; filled && i < LINES; i++) {
        if (!isfinite(lines[i].value))
            continue;
        if (strcmp(lines[i].key, solution->bounds.bottleneck) == 0)
            marked = (long)dlq_table_rows(table);
        filled = fill_row(table, &lines[i], (double)(description->batch_size * description->ranks));
    }
    if (filled)
        filled = dlq_table_write(table, stream, 2, marked, "smallest bound");
    dlq_table_free(table);
    if (!filled)
        return dlq_error_memory(error, "writing bounds");
    write_estimates(stream, solution);
    return DLQ_OK;
}
