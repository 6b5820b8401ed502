/* Reads the logs of a command, and the options that describe them. */
#include "logs.h"
#include "base/utf8.h"
#include "logs/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- the logs -- */

const char *dlq_logs_name(const struct dlq_invocation *invocation, char *text, size_t size)
{
    const char *first = strcmp(invocation->operands[0], "-") == 0 ? "standard input" : invocation->operands[0];
    if (invocation->operand_count > 1)
        snprintf(text, size, "%s and %zu more", first, invocation->operand_count - 1);
    else
        snprintf(text, size, "%s", first);
    return dlq_utf8_clean(text);
}

struct dlq_invocation dlq_invocation_of(const struct dlq_invocation *invocation, const char *const *operands,
                                        size_t count)
{
    struct dlq_invocation other = *invocation;
    other.operands = operands;
    other.operand_count = count;
    other.followed = NULL;
    return other;
}

struct dlq_invocation dlq_invocation_of_logs(const struct dlq_invocation *invocation)
{
    return dlq_invocation_of(invocation, invocation->args->logs.words, invocation->args->logs.count);
}

struct dlq_trace_options dlq_logs_options(const struct dlq_args *args)
{
    return (struct dlq_trace_options){.format = args->format,
                                      .skip_bad = args->skip_bad,
                                      .every = args->every,
                                      .patterns = args->patterns.words,
                                      .columns = args->columns.words,
                                      .pattern_count = args->patterns.count,
                                      .column_count = args->columns.count,
                                      .one_run = args->ranks};
}

DLQ_RELEASE(release, dlq_traces_free)

/* Prints a message for each line of a text. */
static void say_lines(struct dlq_invocation *invocation, const char *what, const char *text)
{
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        dlq_message(invocation, "%s: %.*s", what, (int)length, text);
    }
}

/* Whether the answer lists the doubts about the logs and is shown on the terminal, so that messages are unnecessary. A
   table of runs, a summary, and answers of commands with logs of --log, --also or --after do not list all doubts. */
static bool answer_lists_doubts(const struct dlq_invocation *invocation, const struct dlq_traces *traces)
{
    const struct dlq_args *args = invocation->args;
    return traces->count == 1 && args->logs.count == 0 && !args->csv && !args->summary && !args->markdown &&
           isatty(fileno(invocation->out)) == 1;
}

enum dlq_status dlq_logs_read_runs(struct dlq_invocation *invocation, struct dlq_traces **traces)
{
    struct dlq_trace_options options = dlq_logs_options(invocation->args);
    options.interrupted = invocation->run.interrupted;
    options.progress = &invocation->progress;
    NEW(&invocation->call->arena, *traces, 1);
    TRY(dlq_keep(invocation, *traces, release));
    struct dlq_progress_bar *bar = dlq_progress_begin(invocation);
    enum dlq_status status = DLQ_OK, read = DLQ_OK;
    /* Continues after an error, to report the mistakes of all logs. */
    for (size_t i = 0; i < invocation->operand_count && read != DLQ_INTERRUPTED; i++) {
        FILE *stream = NULL;
        const char *path = invocation->operands[i];
        if (invocation->followed != NULL)
            stream = invocation->followed;
        else
            read = dlq_input_open(invocation, path, "log", &stream);
        if (read == DLQ_OK) {
            read = dlq_traces_read(*traces, &options, path, stream, invocation->error);
            dlq_input_close(stream);
        }
        status = status == DLQ_OK || read == DLQ_INTERRUPTED ? read : status;
    }
    dlq_progress_end(bar);
    atomic_store(&invocation->progress.done, 0); /* progress of the next computation starts at 0 */
    atomic_store(&invocation->progress.total, 0);
    TRY(status);
    for (const struct dlq_trace *run = (*traces)->first; run != NULL; run = dlq_trace_next(run)) {
        struct dlq_trace_facts facts;
        dlq_trace_facts(run, &facts);
        if (invocation->args->verbose && facts.other_lines > 0)
            fprintf(stderr, "dlqueue: %ld lines are not in the format\n", facts.other_lines);
        if (facts.read_as.words[0] != '\0')
            dlq_message(invocation, "read as: %s", facts.read_as.words);
        if (facts.loaders > 0)
            dlq_message(invocation, "%ld loader%s, by the lines of %s%s", facts.loaders, PLURAL(facts.loaders),
                        facts.name, dlq_log_loaders(invocation, false) >= 0 ? ", which --loaders replaces" : "");
        if (facts.validation_lines > 0)
            dlq_message(invocation, "%ld line%s of validation left out", facts.validation_lines,
                        PLURAL(facts.validation_lines));
        if (facts.repeated_headers > 0)
            dlq_message(invocation, "%ld repeated header%s left out", facts.repeated_headers,
                        PLURAL(facts.repeated_headers));
        if (!answer_lists_doubts(invocation, *traces))
            say_lines(invocation, "caution", facts.doubts);
        if (facts.unused[0] != '\0')
            dlq_message(invocation, "not used: %s", facts.unused);
        if (facts.bad > 0)
            dlq_message(invocation, "warning: malformed lines skipped: %ld", facts.bad);
        say_lines(invocation, "skipped", facts.bad_text);
    }
    return DLQ_OK;
}

enum dlq_status dlq_logs_read(struct dlq_invocation *invocation, struct dlq_trace **trace)
{
    struct dlq_traces *traces;
    struct dlq_trace_facts first, second;
    if (invocation->args->follow)
        TRY(dlq_follow(invocation, stderr));
    TRY(dlq_logs_read_runs(invocation, &traces));
    *trace = traces->first;
    const struct dlq_trace *other = dlq_trace_next(traces->first);
    if (other == NULL)
        return DLQ_OK;
    dlq_trace_facts(traces->first, &first);
    dlq_trace_facts(other, &second);
    return dlq_error_add(invocation->error, DLQ_INVALID,
                         "%s needs one run, but these logs are of %zu runs: %s, %s%s; if they are ranks of one "
                         "run, add --ranks",
                         invocation->command->name, traces->count, first.name, second.name,
                         traces->count > 2 ? ", ..." : "");
}

void dlq_hint_complete(struct dlq_pipeline_hint *hint, const struct dlq_trace *trace)
{
    struct dlq_trace_facts facts;
    dlq_trace_facts(trace, &facts);
    if (hint->loaders < 0 && hint->loader == NULL && facts.loaders > 0)
        hint->loaders = facts.loaders;
}

/* The FILE of --also FILE or --also N=FILE. *loaders: N, the number of loaders, or -1. */
static const char *operand_of_also(const char *word, long *loaders)
{
    enum { MOST_DIGITS = 5 };
    const size_t digits = strspn(word, "0123456789");
    *loaders = -1;
    if (digits == 0 || digits > MOST_DIGITS || word[digits] != '=')
        return word;
    *loaders = strtol(word, NULL, 10);
    return word + digits + 1;
}

enum dlq_status dlq_logs_read_also(struct dlq_invocation *invocation, struct dlq_fit_options *options,
                                   struct dlq_also *also)
{
    const struct dlq_words *words = &invocation->args->logs;
    const char **operands;
    long *given;
    struct dlq_traces *traces;
    *also = (struct dlq_also){.count = 0};
    if (words->count == 0)
        return DLQ_OK;
    NEW(&invocation->call->arena, operands, words->count);
    NEW(&invocation->call->arena, given, words->count);
    NEW(&invocation->call->arena, also->runs, words->count);
    NEW(&invocation->call->arena, also->loaders, words->count);
    for (size_t i = 0; i < words->count; i++)
        operands[i] = operand_of_also(words->words[i], &given[i]);
    struct dlq_invocation others = dlq_invocation_of(invocation, operands, words->count);
    TRY(dlq_logs_read_runs(&others, &traces));
    options->other_runs = traces->first;
    for (const struct dlq_trace *trace = traces->first; trace != NULL; trace = dlq_trace_next(trace)) {
        struct dlq_diagnosed *run = &also->runs[also->count];
        struct dlq_trace_facts facts;
        dlq_trace_facts(trace, &facts);
        const struct dlq_pipeline_hint hint = {.loaders = given[facts.first]};
        TRY(dlq_diagnosed_fill(&others, trace, &hint, run));
        also->loaders[also->count++] = hint.loaders;
    }
    return DLQ_OK;
}

bool dlq_also_rates_alone(const struct dlq_also *also, const struct dlq_diagnosed *first)
{
    bool loads = !isnan(first->diagnosis.load_mean);
    for (size_t i = 0; i < also->count; i++)
        loads = loads && !isnan(also->runs[i].diagnosis.load_mean);
    return also->count > 0 && !loads;
}

/* -- two stopwatch runs -- */

bool dlq_stopwatches_given(const struct dlq_args *args)
{
    return args->steps != NULL || args->loads != NULL;
}

enum dlq_status dlq_stopwatches_read(const struct dlq_invocation *invocation, struct dlq_fit_options *options)
{
    const struct dlq_args *args = invocation->args;
    const char *name = invocation->command->name;
    struct dlq_error *error = invocation->error;
    const struct {
        const char *name, *text;
        struct dlq_stopwatch *stopwatch;
    } totals[] = {{"steps", args->steps, &options->steps}, {"loads", args->loads, &options->loads}};
    bool given = dlq_stopwatches_given(args);
    int before = error->count;
    char why[256];
    if (given && (invocation->operand_count + args->logs.count > 0 || args->follow))
        dlq_error_add(error, DLQ_INVALID, "%s: give either logs, or --steps and --loads", name);
    else if (given && (args->steps == NULL || args->loads == NULL))
        dlq_error_add(error, DLQ_INVALID,
                      "%s: --steps and --loads belong together, e.g. --steps 100/12s --loads 100/40s", name);
    for (size_t i = 0; i < 2; i++)
        if (totals[i].text != NULL && !dlq_stopwatch_parse(totals[i].text, totals[i].stopwatch, why, sizeof why))
            dlq_error_add(error, DLQ_INVALID, "--%s: %s", totals[i].name, why);
    return error->count > before ? DLQ_INVALID : DLQ_OK;
}

enum dlq_status dlq_stopwatches_trace(struct dlq_invocation *invocation, const struct dlq_fit_options *options,
                                      struct dlq_trace **trace)
{
    enum { MOST = 1000, WIDE = 64 };
    static const char *const seconds[] = {"data=data_time:s", "iter=iter_time:s"};
    static const struct dlq_trace_options plain = {.format = "csv", .columns = seconds, .column_count = 2};
    double step = options->steps.seconds / (double)options->steps.count;
    double pace = options->loads.seconds / (double)options->loads.count;
    double data = options->hint.loaders == 0 ? pace : fmax(0, pace - step);
    long least = options->steps.count < options->loads.count ? options->steps.count : options->loads.count;
    char *text;
    struct dlq_traces *traces;
    NEW(&invocation->call->arena, traces, 1);
    NEW(&invocation->call->arena, text, (MOST + 1) * WIDE);
    TRY(dlq_keep(invocation, traces, release));
    size_t used = (size_t)snprintf(text, WIDE, "data_time,iter_time\n");
    for (long i = 0; i < least && i < MOST; i++)
        used += (size_t)snprintf(text + used, WIDE, "%.17g,%.17g\n", data, data + step);
    FILE *stream = fmemopen(text, used, "r");
    if (stream == NULL)
        return dlq_error_memory(invocation->error, "reading times");
    enum dlq_status status = dlq_traces_read(traces, &plain, "two stopwatch runs", stream, invocation->error);
    fclose(stream);
    *trace = traces->first;
    return status;
}

/* -- settings -- */

const struct dlq_override *dlq_override_find(const struct dlq_args *args, const char *path, bool set)
{
    const struct dlq_override *found = NULL;
    for (size_t i = 0; i < args->override_count; i++)
        if (strcmp(args->overrides[i].path, path) == 0 && args->overrides[i].set == set)
            found = &args->overrides[i];
    return found;
}

bool dlq_log_setting(const struct dlq_invocation *invocation, const struct dlq_model *model, const char *section,
                     const char *key, struct dlq_setting *setting)
{
    char path[160];
    snprintf(path, sizeof path, "%s.%s", section, key);
    return (dlq_override_find(invocation->args, path, true) != NULL ||
            dlq_override_find(invocation->args, path, false) != NULL) &&
           dlq_config_setting(model, section, key, setting);
}

bool dlq_log_number(const struct dlq_invocation *invocation, const struct dlq_model *model, const char *section,
                    const char *key, enum dlq_unit unit, double *value)
{
    struct dlq_setting setting;
    char why[256]; /* unused: the model has checked the value */
    return dlq_log_setting(invocation, model, section, key, &setting) &&
           dlq_quantity_parse(setting.value, unit, value, why, sizeof why);
}

long dlq_log_count(const struct dlq_invocation *invocation, const char *path, bool set)
{
    const struct dlq_override *override = dlq_override_find(invocation->args, path, set);
    char why[256];
    double count;
    bool given = override != NULL && dlq_quantity_parse(override->value, DLQ_UNIT_COUNT, &count, why, sizeof why);
    return given ? (long)count : -1;
}

long dlq_log_loaders(const struct dlq_invocation *invocation, bool set)
{
    return dlq_log_count(invocation, "pipeline.loaders", set);
}

enum dlq_status dlq_log_settings_read(struct dlq_invocation *invocation, struct dlq_log_settings *settings)
{
    /* Arbitrary values of keys that a model requires: [plot] can only be checked in a complete model. */
    static const char *const fillers[][2] = {{"pipeline.loaders", "1"}, {"load.mean", "1s"}, {"step.mean", "1s"}};
    struct dlq_plot_options plot;
    struct dlq_setting setting;
    struct dlq_pipeline_hint *hint = &settings->hint;
    enum dlq_status status = DLQ_OK;
    TRY(dlq_model_new(&settings->model, invocation->error));
    TRY(dlq_keep(invocation, settings->model, dlq_model_release));
    for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
        TRY(dlq_model_set(settings->model, fillers[i][0], fillers[i][1], invocation->error));
    for (size_t i = 0; i < invocation->args->override_count; i++) {
        const struct dlq_override *override = &invocation->args->overrides[i];
        const char *const *key = invocation->command->keys;
        while (*key != NULL && strncmp(override->path, *key, strlen(*key)) != 0)
            key++;
        enum dlq_status set = *key != NULL
                                  ? dlq_model_set_from(settings->model, override->origin, override->path,
                                                       override->value, invocation->error)
                                  : dlq_error_add(invocation->error, DLQ_INVALID, "%s: %s %s", override->origin,
                                                  override->path, invocation->command->refusal);
        status = status == DLQ_OK ? set : status;
    }
    TRY(status);
    TRY(dlq_model_plot(settings->model, &plot, invocation->error));
    *hint = (struct dlq_pipeline_hint){.loaders = -1};
    settings->host = (struct dlq_log_host){0};
    const struct {
        const char *key;
        enum dlq_unit unit;
        double *value;
    } host[] = {{"cores", DLQ_UNIT_NUMBER, &settings->host.cores},
                {"memory", DLQ_UNIT_SIZE, &settings->host.memory},
                {"shm", DLQ_UNIT_SIZE, &settings->host.shm},
                {"batch_bytes", DLQ_UNIT_SIZE, &settings->host.batch_bytes}};
    for (size_t i = 0; i < sizeof host / sizeof *host; i++)
        dlq_log_number(invocation, settings->model, "host", host[i].key, host[i].unit, host[i].value);
    if (dlq_log_setting(invocation, settings->model, "host", "ranks_per_host", &setting))
        settings->host.ranks = strtol(setting.value, NULL, 10);
    settings->at_most = 0;
    if (dlq_log_setting(invocation, settings->model, "plan", "at_most", &setting))
        settings->at_most = strtol(setting.value, NULL, 10);
    if (dlq_log_setting(invocation, settings->model, "pipeline", "loaders", &setting))
        hint->loaders = strtol(setting.value, NULL, 10);
    if (dlq_log_setting(invocation, settings->model, "pipeline", "prefetch", &setting))
        hint->prefetch = strtol(setting.value, NULL, 10);
    if (dlq_log_setting(invocation, settings->model, "pipeline", "loader", &setting)) {
        snprintf(settings->loader, sizeof settings->loader, "%s", setting.value);
        hint->loader = settings->loader;
    }
    if (dlq_log_setting(invocation, settings->model, "simulate", "seed", &setting)) {
        invocation->run.seed = strtoull(setting.value, NULL, 10);
        invocation->run.has_seed = true;
    }
    return DLQ_OK;
}
