/* The report of a solution: bounds, simulation, use of the host, levers and verdict. */
#include "report/report.h"

#include "draw/table.h"
#include "report/causes.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>

/* A line: name, value, and more text, which wraps. */
static void write_line(FILE *stream, const char *name, const char *value, const char *more)
{
    char lead[200];
    int name_width = dlq_text_width(name), value_width = dlq_text_width(value);
    snprintf(lead, sizeof lead, "    %s%*s%s%*s", name, name_width < 18 ? 18 - name_width : 1, "", value,
             more[0] == '\0'    ? 0
             : value_width < 17 ? 17 - value_width
                                : 2,
             "");
    if (dlq_text_width(lead) + dlq_text_width(more) <= dlq_text_columns(stream))
        fprintf(stream, "%s%s\n", lead, more);
    else
        dlq_text_wrap_item(stream, lead, more, dlq_text_columns(stream));
}

/* An estimate and "± " its half-width with the same decimals, rounded up; "?": no interval. */
struct estimate_text {
    char value[DLQ_TEXT_NUMBER], half[DLQ_TEXT_NUMBER];
};

/* Writes an estimate times a factor; a factor of 100 means a share. */
static struct estimate_text say_estimate(const struct dlq_simulation *simulation, struct dlq_estimate estimate,
                                         double factor)
{
    struct estimate_text text;
    double width = dlq_simulation_has_intervals(simulation) ? factor * 0.5 * (estimate.high - estimate.low) : NAN;
    if (factor == 100)
        dlq_text_share(estimate.value, text.value);
    else
        dlq_text_rate(factor * estimate.value, text.value);
    const char *point = strchr(text.value, '.');
    int decimals = point != NULL ? (int)strspn(point + 1, "0123456789") : 0;
    double unit = pow(10, -decimals);
    bool shown = width > 1e-9 * fabs(factor * estimate.value) && isfinite(width);
    snprintf(text.half, sizeof text.half, "± %s",
             shown          ? SAY_FIXED(ceil(width / unit * (1 - 1e-9)) * unit, decimals)
             : isnan(width) ? "?"
                            : "0");
    return text;
}

static void write_throughput(FILE *stream, const struct dlq_solution *solution)
{
    const struct dlq_simulation *simulation = &solution->simulation;
    const bool several = solution->description.ranks > 1;
    const struct estimate_text batches = say_estimate(simulation, simulation->throughput, 1);
    char first[96], more[200];
    struct dlq_phrase phrase = {.text = more, .size = sizeof more};
    snprintf(first, sizeof first, "%s batches/s", batches.value);
    dlq_phrase_add(&phrase, "%s%s", batches.half, several ? "   of each rank" : "");
    if (solution->description.has_batch_size)
        dlq_phrase_add(&phrase, "   %s samples/s%s", SAY_RATE(simulation->samples_per_second.value),
                       several ? " in all" : "");
    write_line(stream, "throughput", first, more);
}

static void write_share(FILE *stream, const struct dlq_simulation *simulation, const char *name,
                        struct dlq_estimate estimate)
{
    const struct estimate_text share = say_estimate(simulation, estimate, 100);
    if (!isnan(estimate.value))
        write_line(stream, name, share.value, share.half);
}

static void write_time(FILE *stream, const char *name, double seconds, const char *more)
{
    if (!isnan(seconds))
        write_line(stream, name, SAY_TIME(seconds, 3), more);
}

#define TIME_OR_ZERO(seconds) ((seconds) == 0 ? "0" : SAY_TIME((seconds), 2))

static void write_waits(FILE *stream, const struct dlq_simulation *simulation)
{
    char mean[96], more[400];
    double seconds = simulation->wait_mean.value;
    struct dlq_phrase phrase = {.text = more, .size = sizeof more};
    if (isnan(seconds))
        return;
    const char *unit;
    double factor = dlq_quantity_time_unit(seconds, &unit);
    const struct estimate_text wait = say_estimate(simulation, simulation->wait_mean, factor);
    snprintf(mean, sizeof mean, "%s %s", wait.value, unit);
    dlq_phrase_add(&phrase, "%s", wait.half);
    if (!isnan(simulation->wait_p50))
        dlq_phrase_add(&phrase, "   median %s, 90 %% %s, 99 %% %s", TIME_OR_ZERO(simulation->wait_p50),
                       TIME_OR_ZERO(simulation->wait_p90), TIME_OR_ZERO(simulation->wait_p99));
    if (!isnan(simulation->wait_max))
        dlq_phrase_add(&phrase, ", at most %s", TIME_OR_ZERO(simulation->wait_max));
    write_line(stream, "wait per step", seconds == 0 ? "0" : mean, more);
}

static void write_first_batch(FILE *stream, const struct dlq_simulation *simulation)
{
    const struct dlq_estimate first = simulation->time_to_first_batch;
    const char *unit;
    if (isnan(first.value))
        return;
    const struct estimate_text text = say_estimate(simulation, first, dlq_quantity_time_unit(first.value, &unit));
    write_time(stream, "first batch after", first.value, first.high > first.low * (1 + 1e-9) ? text.half : "");
}

static void write_simulation(FILE *stream, const struct dlq_solution *solution)
{
    const struct dlq_simulation *simulation = &solution->simulation;
    const struct dlq_epochs_of_run *epochs = &solution->epochs;
    char more[2 * DLQ_TEXT_NUMBER] = "", runs[200];
    if (solution->interrupted && isnan(simulation->throughput.value))
        return;
    if (simulation->replications == 0) {
        fprintf(stream, "\n  Exact               by the Markov chain, in the long run\n");
    } else {
        snprintf(runs, sizeof runs, "%ld run%s of %s batches, %s, seed %llu", simulation->replications,
                 PLURAL(simulation->replications), SAY_NUMBER((double)simulation->batches_per_replication, 15),
                 dlq_simulation_has_intervals(simulation) ? "95 % intervals" : "no intervals",
                 (unsigned long long)solution->description.seed);
        fputc('\n', stream);
        dlq_text_wrap_item(stream, "  Simulated           ", runs, dlq_text_room(stream));
    }
    write_throughput(stream, solution);
    write_share(stream, simulation, "utilization", simulation->utilization);
    /* The two shares differ if steps compete for cores. */
    if (fabs(simulation->stepping.value - simulation->utilization.value) >= 5e-4)
        write_share(stream, simulation, "stepping", simulation->stepping);
    write_share(stream, simulation, "pauses", simulation->pause_share);
    if (!isnan(simulation->epoch_seconds.value)) {
        write_share(stream, simulation, "au", simulation->au);
        write_time(stream, "epoch", simulation->epoch_seconds.value, "");
        if (epochs->count > 1)
            snprintf(more, sizeof more, "the cache spares %s of the reads in the last",
                     SAY_SHARE(epochs->hit_ratio[epochs->count - 1]));
        if (epochs->has_epochs && !isnan(epochs->later.seconds)) {
            write_time(stream, "first epoch", epochs->first.seconds, "");
            write_time(stream, "later epochs", epochs->later.seconds, more);
        }
    }
    if (!isnan(simulation->batches.value)) {
        const struct estimate_text batches = say_estimate(simulation, simulation->batches, 1);
        snprintf(more, sizeof more, "%s   within %s", batches.half, SAY_TIME(solution->description.horizon, 3));
        write_line(stream, "batches", batches.value, more);
    }
    write_waits(stream, simulation);
    const double stalled = simulation->stalled_steps.value;
    struct dlq_phrase phrase = {.text = more, .size = sizeof more, .separator = "; "};
    more[0] = '\0';
    if (stalled > 0.9)
        dlq_phrase_add(&phrase, "nearly every step waits");
    else if (stalled > 0.005)
        dlq_phrase_add(&phrase, "one in %.*f", stalled < 0.28 ? 0 : 1, 1 / stalled);
    if (isfinite(simulation->period))
        dlq_phrase_add(&phrase, "the waits repeat every %.0f steps", simulation->period);
    if (!isnan(stalled))
        write_line(stream, "stalled steps", SAY_SHARE(stalled), more);
    write_first_batch(stream, simulation);
}

/* -- bounds -- */

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
    char text[300] = "";
    struct dlq_phrase phrase = {.text = text, .size = sizeof text, .separator = " · "};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (isfinite(rows[i].form.value))
            dlq_phrase_add(&phrase, "%s %s%s", rows[i].name, SAY_NUMBER(rows[i].form.value, 3),
                           rows[i].form.exact ? " (exact)" : "");
    if (phrase.used > 0) {
        dlq_text_wrap(stream, "Estimates, batches/s (without order of delivery, overheads and shared resources)", 2,
                      dlq_text_columns(stream));
        dlq_text_wrap(stream, text, 4, dlq_text_columns(stream));
    }
    if (isfinite(solution->forms.markov.value))
        fprintf(stream, "  Exact, batches/s\n    Markov chain %s\n", SAY_NUMBER(solution->forms.markov.value, 5));
}

static double smallest_of(const struct dlq_bounds *bounds)
{
    double smallest = bounds->bottleneck == DLQ_CAUSE_SERIAL ? bounds->serial : fmin(bounds->load, bounds->step);
    for (enum dlq_cause cause = 0; cause < DLQ_CAUSES; cause++)
        if (dlq_causes[cause].carrier != NULL)
            smallest = fmin(smallest, dlq_cause_bound(bounds, cause));
    return smallest;
}

static enum dlq_status write_bounds(FILE *stream, const struct dlq_solution *solution, struct dlq_error *error)
{
    static const char bandwidth[] = "bandwidth / bytes of a batch";
    const struct dlq_bounds *bounds = &solution->bounds;
    const struct dlq_description *description = &solution->description;
    const struct dlq_loader *loader = dlq_loader_find(description->loader);
    bool window_limits = description->window > 0 && description->window < description->loaders;
    bool single = loader != NULL && loader->assign == DLQ_ASSIGN_SINGLE;
    long at_once = single ? 1 : window_limits ? description->window : description->loaders; /* loads at a time */
    bool serial = bounds->bottleneck == DLQ_CAUSE_SERIAL;
    const double smallest = smallest_of(bounds);
    /* If receiving costs nothing, its bound is that of the step. */
    bool receives = bounds->receive < bounds->step * (1 - 1e-12) || isnan(bounds->step);
    const char *upper = bounds->exact               ? "exact: nothing varies"
                        : bounds->upper >= smallest ? "the smallest"
                                                    : "as loads pause in slow phases";
    const struct {
        const char *name;
        enum dlq_cause cause;
        double value;
        double count;    /* the bound is `count` / a time: "8 / 1.38 s" */
        const char *how; /* another explanation; null: `count` applies */
    } lines[] = {
        {"  serial", DLQ_CAUSE_SERIAL, serial ? bounds->serial : NAN, 1, NULL},
        {"  loaders", DLQ_CAUSE_LOAD, bounds->load, (double)at_once, NULL},
        {"  window", DLQ_CAUSE_WINDOW, bounds->window, (double)description->in_flight, NULL},
        {"  cores", DLQ_CAUSE_CORES, bounds->cores, description->cores / description->ranks_per_host, NULL},
        {"  contention", DLQ_CAUSE_CONTENTION, bounds->contention, 0, "loads slow one another"},
        {"  host bandwidth", DLQ_CAUSE_HOST_BANDWIDTH, bounds->host_bandwidth, 0, bandwidth},
        {"  storage", DLQ_CAUSE_STORAGE, bounds->storage, 0, bandwidth},
        {"  pinning", DLQ_CAUSE_PIN, bounds->pin, 1, NULL},
        {"  step", DLQ_CAUSE_STEP, bounds->step, 1, NULL},
        {"  step + receive", DLQ_CAUSE_RECEIVE, receives ? bounds->receive : NAN, 1, NULL},
        {"  upper", DLQ_CAUSE_NONE, bounds->upper, 0, upper},
        {"  lower", DLQ_CAUSE_NONE, bounds->lower, 0, isnan(description->horizon) ? "guaranteed" : "in the long run"},
    };
    const struct dlq_column columns[] = {
        {"bound", "Bounds", DLQ_COLUMN_TEXT, 0},
        {"how", "", DLQ_COLUMN_TEXT, 0},
        {"batches", "batches/s", DLQ_COLUMN_NUMBER, 3},
        {"samples", description->has_batch_size ? "samples/s" : NULL, DLQ_COLUMN_NUMBER, 4},
    };
    char how[96];
    struct dlq_table *table = dlq_table_new(columns, sizeof columns / sizeof *columns);
    bool filled = table != NULL;
    long marked = -1;
    for (size_t i = 0; filled && i < sizeof lines / sizeof *lines; i++) {
        const double value = lines[i].value, count = lines[i].count;
        if (!isfinite(value))
            continue;
        /* Marks the smallest bound; of equal bounds the bottleneck. */
        if (lines[i].cause != DLQ_CAUSE_NONE && value <= smallest * (1 + 1e-9) &&
            (marked < 0 || lines[i].cause == bounds->bottleneck))
            marked = (long)table->rows;
        snprintf(how, sizeof how, "%s / %s", SAY_NUMBER(count, 6), SAY_TIME(count / value, 3));
        filled = DLQ_TABLE_ADD(table, {NAN, lines[i].name}, {NAN, lines[i].how != NULL ? lines[i].how : how},
                               {NAN, SAY_RATE(value)},
                               {value * (double)(description->batch_size * description->ranks), NULL});
    }
    filled = filled && dlq_table_write(table, stream, 2, marked, "smallest bound");
    dlq_table_free(table);
    if (!filled)
        return dlq_error_memory(error, "writing bounds");
    write_estimates(stream, solution);
    return DLQ_OK;
}

static void write_part(FILE *stream, const char *title, const char *text)
{
    fprintf(stream, "  %s\n", title);
    dlq_text_wrap(stream, text, 4, dlq_text_room(stream));
}

/* The verdict, and within a horizon the number of batches. */
static const char *headline_of(const struct dlq_solve_answer *solved, char text[DLQ_VERDICT_TEXT + 100])
{
    const struct dlq_estimate batches = solved->solution.simulation.batches;
    snprintf(text, DLQ_VERDICT_TEXT + 100, "%s", solved->verdict);
    if (batches.value > 0)
        snprintf(text + strlen(text), 100, " %s batches end within %s.", SAY_RATE(batches.value),
                 SAY_TIME(solved->solution.description.horizon, 3));
    return text;
}

enum dlq_status dlq_report_solution(FILE *stream, bool color, const struct dlq_solve_answer *solved,
                                    struct dlq_error *error)
{
    const struct dlq_solution *solution = &solved->solution;
    const struct dlq_host_use *host = &solution->host;
    const struct dlq_path_share *shares = solution->path.shares;
    size_t order[DLQ_PATH_SHARES];
    bool known = !isnan(solution->simulation.throughput.value);
    char first[DLQ_VERDICT_TEXT + 100], use[400], time[DLQ_PATH_SHARES * (DLQ_PATH_NAME + 16)];
    struct dlq_phrase uses = {.text = use, .size = sizeof use, .separator = " · "};
    struct dlq_phrase times = {.text = time, .size = sizeof time, .separator = " · "};
    if (!solution->interrupted)
        dlq_text_answer(stream, color, headline_of(solved, first));
    dlq_report_head(stream, color, &solution->description, true, NULL);
    fputc('\n', stream);
    TRY(write_bounds(stream, solution, error));
    write_simulation(stream, solution);
    if (!isnan(host->cores_used) && !isnan(solution->description.cores))
        dlq_phrase_add(&uses, "%.3g of %.6g cores busy", host->cores_used, solution->description.cores);
    if (host->cpu_slowdown > 1.005)
        dlq_phrase_add(&uses,
                       isnan(solution->bounds.contention) ? "sharing them slows loads %.2fx"
                                                          : "beside one another loads take %.2fx as long",
                       host->cpu_slowdown);
    if (host->storage_slowdown > 1.005)
        dlq_phrase_add(&uses, "sharing the bandwidth slows reading %.2fx", host->storage_slowdown);
    if (!isnan(host->memory_bytes) && host->memory_bytes > 0)
        dlq_phrase_add(&uses, "memory %s", SAY_SIZE(host->memory_bytes, 2));
    if (!isnan(host->shm_bytes) && host->shm_bytes > 0)
        dlq_phrase_add(&uses, "/dev/shm %s", SAY_SIZE(host->shm_bytes, 2));
    if (!host->fits)
        dlq_phrase_add(&uses, "does not fit");
    if (uses.used > 0)
        write_part(stream, "Host", use);
    /* The parts of the critical path, the largest first, without those below a thousandth. */
    gsl_sort_index(order, &shares->share.value, sizeof *shares / sizeof(double), solution->path.count);
    for (size_t i = solution->path.count; i-- > 0 && shares[order[i]].share.value >= 1e-3;) {
        const char *name = shares[order[i]].name, *dot = strchr(name, '.');
        dlq_phrase_add(&times, "%s %s", dot != NULL ? dot + 1 : name, SAY_SHARE(shares[order[i]].share.value));
    }
    if (times.used > 0)
        write_part(stream, "Where the time goes, on the critical path", time);
    if (solution->interrupted) {
        fprintf(stream, "\n  Interrupted %s: there is no verdict.\n",
                known ? "after what was simulated here" : "before the first runs were simulated");
        return DLQ_OK;
    }
    return dlq_report_levers(stream, &solution->levers, "", error);
}
