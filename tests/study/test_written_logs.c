/* Logs of all formats, written of runs whose truth is known, and read back: the verdict and the mean load. */
#include "dlqueue/diagnose.h"
#include "dlqueue/fit.h"
#include "log_writers.h"
#include "trace/trace.h"

static const struct made_kind kinds[] = {
    {"8 loaders too slow, constant", "load", "constant", 0, 0, 1, 1.5, 8, 2, 0.1},
    {"4 loaders too slow, lognormal", "load", "lognormal", 0.3, 0, 1, 1.6, 4, 2, 0.2385},
    {"6 loaders far too slow, gamma", "load", "gamma", 0.1, 0, 1, 2.2, 6, 4, 0.05},
    {"one loader too slow", "load", "lognormal", 0.2, 0, 1, 1.4, 1, 2, 0.317},
    {"8 loaders, fast", "step", "constant", 0, 0, 1, 0.5, 8, 2, 0.1},
    {"4 loaders, fast, lognormal", "step", "lognormal", 0.3, 0, 1, 0.4, 4, 2, 0.2385},
    {"a slow tail", "variance", "lognormal", 0.1, 0.02, 40, 0.75, 8, 2, 0.1},
};
enum { KINDS = sizeof kinds / sizeof *kinds, WRITERS = sizeof log_writers / sizeof *log_writers };

/* Reads what the writer makes of the run; null: it can't be read. */
static struct dlq_trace *read_written(const struct log_writer *writer, const struct made_run *run)
{
    char *text = NULL;
    size_t size;
    struct dlq_trace *trace = NULL;
    struct dlq_error error = {0};
    const struct dlq_trace_options options = {0};
    FILE *out = open_memstream(&text, &size);
    writer->write(out, run);
    fclose(out);
    FILE *in = fmemopen(text, size, "r");
    bool read =
        dlq_trace_new(&trace, &options, &error) == DLQ_OK && dlq_trace_read(trace, writer->file, in, &error) == DLQ_OK;
    CHECK(read, "%s, %s: %s", writer->format, run->kind->what, error.text);
    fclose(in);
    free(text);
    if (read)
        return trace;
    dlq_trace_free(trace);
    return NULL;
}

/* Can the truth be seen in what the log shows? Medians of windows show what most iterations do, means no single one. */
static bool is_visible(const struct log_writer *writer, const struct made_kind *kind)
{
    bool every_iteration = kind->loaders == 1 || strcmp(kind->bound_by, "step") == 0;
    if (writer->shown == SHOWS_MEDIANS)
        return every_iteration;
    return strcmp(kind->bound_by, "variance") != 0 || writer->shown != SHOWS_MEANS;
}

static void check_verdict(const struct log_writer *writer, const struct made_run *run, const struct dlq_trace *trace)
{
    struct dlq_diagnosis diagnosis;
    struct dlq_error error = {0};
    bool done = dlq_diagnose(trace, NULL, &diagnosis, &error) == DLQ_OK;
    CHECK(done, "%s, %s: %s", writer->format, run->kind->what, error.text);
    if (!done)
        return;
    static const char *const causes[] = {
        [DLQ_DIAGNOSIS_UNKNOWN] = "unknown", [DLQ_DIAGNOSIS_STARTUP] = "startup",  [DLQ_DIAGNOSIS_STEP] = "step",
        [DLQ_DIAGNOSIS_SERIAL] = "serial",   [DLQ_DIAGNOSIS_BARRIER] = "barrier",  [DLQ_DIAGNOSIS_RECEIVE] = "receive",
        [DLQ_DIAGNOSIS_LOAD] = "load",       [DLQ_DIAGNOSIS_VARIANCE] = "variance"};
    const char *bound_by = causes[diagnosis.cause];
    if (is_visible(writer, run->kind))
        CHECK(strcmp(bound_by, run->kind->bound_by) == 0, "%s, %s: bound by %s", writer->format, run->kind->what,
              bound_by);
    else if (writer->shown == SHOWS_MEANS)
        CHECK(strcmp(bound_by, "variance") == 0 || strcmp(bound_by, "load") == 0, "%s, %s: bound by %s", writer->format,
              run->kind->what, bound_by);
    if (writer->shown != SHOWS_MEDIANS)
        CHECK(fabs(diagnosis.ratio - made_mean(run->data, 0, MADE_STEPS) / made_mean(run->iter, 0, MADE_STEPS)) < 0.02,
              "%s, %s: ratio %g", writer->format, run->kind->what, diagnosis.ratio);
    dlq_diagnosis_free(&diagnosis);
}

/* Within 5 %; or said to be no more than a bound; or known within limits that hold the truth; medians may have no
   answer. Returns whether it was found. */
static bool check_load(const struct log_writer *writer, const struct made_run *run, const struct dlq_trace *trace)
{
    struct dlq_fit fit;
    struct dlq_error error = {0};
    struct dlq_run how = {.threads = 1, .seed = 1, .has_seed = true};
    const struct dlq_fit_options options = {.hint = {.loaders = run->kind->loaders, .prefetch = run->kind->prefetch}};
    enum dlq_status status = dlq_fit(trace, &options, &how, &fit, &error);
    bool done = status == DLQ_OK, hidden = status == DLQ_NO_ANSWER && writer->shown == SHOWS_MEDIANS;
    CHECK(done || hidden, "%s, %s: %s", writer->format, run->kind->what, error.text);
    if (!done)
        return false;
    double off = fit.load.mean / run->load_mean - 1;
    bool found = !fit.load.only_bound && fabs(off) <= 0.05;
    bool held = run->load_mean >= 0.95 * fit.load.mean_low && run->load_mean <= 1.05 * fit.load.mean_high;
    bool wide = fit.load.only_bound || fit.load.mean_high > 1.1 * fit.load.mean_low;
    CHECK(found || (held && wide), "%s, %s: load %g (%g to %g), truth %g", writer->format, run->kind->what,
          fit.load.mean, fit.load.mean_low, fit.load.mean_high, run->load_mean);
    return found;
}

static void written_and_read(void)
{
    static struct made_run run;
    size_t found = 0, shown = 0, wanted = 0, every = test_every(4);
    every = every < KINDS ? every : KINDS; /* each writer has one run at least */
    for (size_t k = 0; k < KINDS; k++) {
        made_run(&run, &kinds[k], 20 + k);
        for (size_t w = 0; w < WRITERS; w++) {
            if ((k + w) % every != 0)
                continue;
            wanted++;
            struct dlq_trace *trace = read_written(&log_writers[w], &run);
            if (trace == NULL)
                continue;
            CHECK_TEXT(trace->format->name, log_writers[w].format);
            check_verdict(&log_writers[w], &run, trace);
            bool load_bound = strcmp(kinds[k].bound_by, "load") == 0;
            bool must = log_writers[w].shown == SHOWS_LOADS || (log_writers[w].shown == SHOWS_WAITS && load_bound);
            bool is = check_load(&log_writers[w], &run, trace);
            CHECK(is || !must, "%s, %s: the load was not found", log_writers[w].format, kinds[k].what);
            found += is ? 1 : 0;
            shown++;
            dlq_trace_free(trace);
        }
    }
    CHECK(shown == wanted && shown >= WRITERS, "%zu of %zu logs", shown, wanted);
    printf("    %zu logs, the mean load found within 5 %% in %zu, bounded in the others\n", shown, found);
}

static const struct test_case cases[] = {
    {"written and read", written_and_read},
    {NULL, NULL},
};

const struct test_suite suite_written_logs = {"written_logs", cases};
