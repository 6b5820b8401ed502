/* The logs that a command is given, read into one trace, and what it is told beside them. */
#include "logs.h"
#include "draw/text.h"
#include "inputs.h"
#include "report/phrase.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- the logs -- */

const char *dlq_logs_name(const struct dlq_invocation *session, char *text, size_t size)
{
    const char *first = strcmp(session->operands[0], "-") == 0 ? "standard input" : session->operands[0];
    if (session->operand_count > 1)
        snprintf(text, size, "%s and %zu more", first, session->operand_count - 1);
    else
        snprintf(text, size, "%s", first);
    return dlq_text_clean(text);
}

struct dlq_invocation dlq_logs_session(const struct dlq_invocation *session)
{
    struct dlq_invocation logs = *session;
    logs.operands = session->args->logs;
    logs.operand_count = session->args->log_count;
    return logs;
}

static enum dlq_status read_one(struct dlq_invocation *session, const char *path,
                                const struct dlq_trace_options *options, struct dlq_traces *traces)
{
    bool standard_input = strcmp(path, "-") == 0;
    if (standard_input && isatty(STDIN_FILENO) == 1 && !session->args->quiet)
        fprintf(stderr, "dlqueue: reading a log from the terminal; Ctrl-D ends it\n");
    FILE *stream = stdin;
    enum dlq_status status = standard_input ? DLQ_OK : dlq_config_open(path, &stream, session->error);
    if (status != DLQ_OK)
        return status;
    status = dlq_traces_read(traces, options, path, stream, session->error);
    if (!standard_input)
        fclose(stream);
    return status;
}

/* All of them, so that every mistake is told; stops where nothing more can come. */
static enum dlq_status read_all(struct dlq_invocation *session, const struct dlq_trace_options *options,
                                struct dlq_traces *traces)
{
    enum dlq_status status = DLQ_OK;
    size_t from_input = 0;
    for (size_t i = 0; i < session->operand_count; i++) {
        enum dlq_status read = DLQ_OK;
        if (strcmp(session->operands[i], "-") == 0 && from_input++ > 0)
            read = dlq_error_add(session->error, DLQ_INVALID, "-: standard input can be read once only");
        else
            read = read_one(session, session->operands[i], options, traces);
        if (read == DLQ_INTERRUPTED)
            return read;
        status = status == DLQ_OK ? read : status;
    }
    return status;
}

static void write_skipped(const struct dlq_invocation *session, const struct dlq_trace *trace)
{
    struct dlq_trace_facts facts;
    dlq_trace_facts(trace, &facts);
    if (session->args->verbose && facts.other > 0)
        fprintf(stderr, "dlqueue: %ld lines are none of the format's\n", facts.other);
    if (facts.unused[0] != '\0' && !session->args->quiet)
        fprintf(stderr, "dlqueue: columns not used: %s\n", facts.unused);
    if (facts.bad == 0 || session->args->quiet)
        return;
    fprintf(stderr, "dlqueue: warning: %ld malformed line%s skipped\n", facts.bad, facts.bad == 1 ? "" : "s");
    for (const char *line = facts.bad_text; *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        fprintf(stderr, "dlqueue: skipped: %.*s\n", length, line);
        line += length;
        line += *line == '\n';
    }
}

enum dlq_status dlq_logs_read_runs(struct dlq_invocation *session, struct dlq_traces *traces)
{
    const struct dlq_trace_options options = {
        .format = session->args->format,
        .skip_bad = session->args->skip_bad,
        .every = session->args->every,
        .patterns = session->args->patterns,
        .columns = session->args->columns,
        .pattern_count = session->args->pattern_count,
        .column_count = session->args->column_count,
        .one_run = session->args->ranks,
        .interrupted = session->run.interrupted,
        .progress = &session->progress,
    };
    struct dlq_progress_bar *bar = dlq_progress_begin(session);
    enum dlq_status status = read_all(session, &options, traces);
    dlq_progress_end(bar);
    atomic_store(&session->progress.done, 0); /* what follows begins anew */
    atomic_store(&session->progress.total, 0);
    for (const struct dlq_trace *run = traces->first; status == DLQ_OK && run != NULL; run = dlq_trace_next(run))
        write_skipped(session, run);
    return status;
}

enum dlq_status dlq_logs_read(struct dlq_invocation *session, struct dlq_trace **trace)
{
    struct dlq_traces traces = {0};
    struct dlq_trace_facts first, second;
    enum dlq_status status = dlq_logs_read_runs(session, &traces);
    const struct dlq_trace *other = traces.first != NULL ? dlq_trace_next(traces.first) : NULL;
    if (status == DLQ_OK && other != NULL) {
        dlq_trace_facts(traces.first, &first);
        dlq_trace_facts(other, &second);
        status = dlq_error_add(
            session->error, DLQ_INVALID,
            "%s takes one run, and these logs are of %zu: %s, %s%s; --ranks says that they are ranks "
            "of one run",
            session->command->name, traces.count, first.name, second.name, traces.count > 2 ? ", ..." : "");
    } else if (status == DLQ_OK) {
        *trace = traces.first;
        traces.first = NULL;
    }
    dlq_traces_free(&traces);
    return status;
}

/* -- what is told beside them -- */

/* A model's [plot] is checked with all the rest, which has to be there. */
static enum dlq_status fill_rest(struct dlq_model *model, struct dlq_error *error)
{
    static const char *const settings[][2] = {{"pipeline.loaders", "1"}, {"load.mean", "1s"}, {"step.mean", "1s"}};
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < sizeof settings / sizeof *settings && status == DLQ_OK; i++)
        status = dlq_model_set(model, settings[i][0], settings[i][1], error);
    return status;
}

static bool is_taken(const struct dlq_log_settings *settings, const char *path)
{
    for (const char *const *prefix = settings->taken; *prefix != NULL; prefix++)
        if (strncmp(path, *prefix, strlen(*prefix)) == 0)
            return true;
    return false;
}

static enum dlq_status apply(const struct dlq_invocation *session, const struct dlq_log_settings *settings,
                             struct dlq_model *model)
{
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < session->args->override_count; i++) {
        const struct dlq_override *override = &session->args->overrides[i];
        enum dlq_status set;
        if (is_taken(settings, override->path))
            set = dlq_model_set_from(model, override->origin, override->path, override->value, session->error);
        else
            set = dlq_error_add(session->error, DLQ_INVALID, "%s: %s %s", override->origin, override->path,
                                settings->refusal);
        status = status == DLQ_OK ? set : status;
    }
    return status;
}

enum dlq_status dlq_log_charts_read(struct dlq_invocation *session, const struct dlq_log_settings *settings,
                                    struct dlq_model **model, struct dlq_plot_options *plot)
{
    struct dlq_model *made = NULL;
    enum dlq_status status = dlq_model_new(&made, session->error);
    if (status == DLQ_OK)
        status = fill_rest(made, session->error);
    if (status == DLQ_OK)
        status = apply(session, settings, made);
    if (status == DLQ_OK)
        status = dlq_model_plot(made, plot, session->error);
    if (status == DLQ_OK)
        *model = made;
    else
        dlq_model_free(made);
    return status;
}

bool dlq_log_setting(const struct dlq_invocation *session, const struct dlq_model *model, const char *section,
                     const char *key, struct dlq_setting *setting)
{
    char path[160];
    bool given = false;
    snprintf(path, sizeof path, "%s.%s", section, key);
    for (size_t i = 0; i < session->args->override_count; i++)
        given = given || strcmp(session->args->overrides[i].path, path) == 0;
    return given && dlq_config_setting(model, section, key, setting);
}

void dlq_log_hint(const struct dlq_invocation *session, const struct dlq_model *model, char loader[DLQ_LOG_LOADER],
                  struct dlq_pipeline_hint *hint)
{
    struct dlq_setting setting;
    *hint = (struct dlq_pipeline_hint){.loaders = -1};
    if (dlq_log_setting(session, model, "pipeline", "loaders", &setting))
        hint->loaders = strtol(setting.value, NULL, 10);
    if (dlq_log_setting(session, model, "pipeline", "prefetch", &setting))
        hint->prefetch = strtol(setting.value, NULL, 10);
    if (dlq_log_setting(session, model, "pipeline", "loader", &setting)) {
        snprintf(loader, DLQ_LOG_LOADER, "%s", setting.value);
        hint->loader = loader;
    }
}
