/* Reads a log: finds its format, and adds the records of its reader to a trace. Decides which logs are of one run. */
#include "logs/read/formats/generic.h"
#include "logs/read/trace.h"

#include "base/option.h"
#include "dlqueue/loaders.h"
#include "logs/calibration.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* -- record by record -- */

struct reading {
    struct dlq_trace *trace; /* of this log alone */
    struct dlq_log log;
    struct dlq_error *error;
    long named;    /* the rank in the name of the log; -1: none */
    long rank;     /* for records that do not name their rank */
    long position; /* bytes counted as progress */
};

static enum dlq_status refuse(const struct reading *reading, const char *why)
{
    return dlq_error_add(reading->error, DLQ_INVALID, "%s: %s", reading->log.name, why);
}

static enum dlq_status fail(const struct reading *reading, const char *why)
{
    return dlq_error_add(reading->error, DLQ_FAILURE, "cannot read %s: %s", reading->log.name, why);
}

/* Counts the bytes read as progress. DLQ_INTERRUPTED: the caller wants reading to stop. */
static enum dlq_status poll_reading(struct reading *reading)
{
    const struct dlq_trace_options *options = &reading->trace->options;
    long position = dlq_input_position(reading->log.input);
    if (options->progress != NULL)
        atomic_fetch_add(&options->progress->done, position - reading->position);
    reading->position = position;
    if (options->interrupted == NULL || *options->interrupted == 0)
        return DLQ_OK;
    return dlq_error_add(reading->error, DLQ_INTERRUPTED, "interrupted while reading %s", reading->log.name);
}

/* Reads all records. Skips and counts up to skip_bad bad lines; the next DLQ_ERROR_LINES are errors, then it stops. */
static enum dlq_status read_records(struct reading *reading)
{
    enum { POLL = 1024 };
    struct dlq_trace *trace = reading->trace;
    struct dlq_log *log = &reading->log;
    const struct dlq_log_reader *reader = log->format->reader;
    enum dlq_read result = DLQ_READ_NOTHING;
    bool ended = false;
    int refused = 0;
    for (long i = 0; result != DLQ_READ_END && refused < DLQ_ERROR_LINES; i++) {
        struct dlq_record record = dlq_record_empty();
        if (i % POLL == 0)
            TRY(poll_reading(reading));
        result = ended ? reader->drain(log, &record) : reader->next(log, &record);
        if (result == DLQ_READ_END && !ended && reader->drain != NULL) {
            ended = true;
            result = DLQ_READ_NOTHING;
        }
        for (size_t r = 0; result == DLQ_READ_BAD && r < trace->rank_count; r++)
            trace->ranks[r].last_end = NAN; /* a record may be lost: the next iteration does not start there */
        if (result == DLQ_READ_RECORD) {
            dlq_log_no_memory(log); /* the reason if dlq_trace_add fails without setting log->why */
            result = dlq_trace_add(trace, record.rank >= 0 ? record.rank : reading->rank, &record, log->why);
        }
        if (result == DLQ_READ_FAILED)
            return fail(reading, log->why);
        trace->other += result == DLQ_READ_OTHER && !log->lines->ends_in_return;
        trace->records += result == DLQ_READ_RECORD;
        trace->rank_known |= result == DLQ_READ_RECORD && (record.rank >= 0 || reading->named >= 0);
        if (result == DLQ_READ_BAD && trace->bad < trace->options.skip_bad) {
            trace->bad++;
            dlq_error_add(&trace->skipped, DLQ_INVALID, "%s:%ld: %s", log->name, log->line, log->why);
        } else if (result == DLQ_READ_BAD) {
            bool cut = !log->format->binary && log->lines->unended && log->lines->ended;
            bool first = refused++ == 0 && trace->records > 0; /* a header is no such line */
            dlq_error_add(reading->error, DLQ_INVALID, "%s:%ld: %s%s", log->name, log->line, log->why,
                          cut     ? " (the log ends within this line; --skip-bad 1 leaves it out)"
                          : first ? " (--skip-bad N leaves out up to N such lines)"
                                  : "");
        }
    }
    TRY(poll_reading(reading));
    return refused > 0 ? DLQ_INVALID : DLQ_OK;
}

/* -- the choice of the format -- */

static enum dlq_status refuse_content(const struct reading *reading)
{
    const char *head = reading->log.head;
    size_t length = reading->log.head_length;
    const char *fault = dlq_input_fault(reading->log.input);
    if (fault != NULL)
        return fail(reading, fault);
    if (length == 0)
        return refuse(reading, "the log is empty");
    bool marked = length > 1 && (memcmp(head, "\xFF\xFE", 2) == 0 || memcmp(head, "\xFE\xFF", 2) == 0);
    if (marked || (length > 3 && (head[0] == '\0') != (head[1] == '\0') && (head[0] == '\0') == (head[2] == '\0') &&
                   (head[1] == '\0') == (head[3] == '\0')))
        return refuse(reading, "UTF-16, not UTF-8: iconv -f UTF-16 -t UTF-8 makes a text of it that can be read");
    if (memchr(head, '\0', length) != NULL)
        return refuse(reading, "not a text file");
    char lacks[DLQ_LOG_WHY];
    if (dlq_log_lacks(head, lacks) != NULL)
        return refuse(reading, lacks);
    if (reading->log.why[0] != '\0')
        return refuse(reading, reading->log.why);
    char labels[DLQ_LOG_WHY];
    dlq_log_labels(&reading->log, labels);
    return dlq_error_add(reading->error, DLQ_INVALID,
                         "%s: no known log format%s%s%s: --format names one (dlqueue help formats lists them), "
                         "--pattern or --column says where the numbers of any other log are",
                         reading->log.name,
                         labels[0] != '\0' ? ", and no time of an iteration among its numbers (" : "", labels,
                         labels[0] != '\0' ? ")" : "");
}

static enum dlq_status choose_format(struct reading *reading)
{
    struct dlq_log *log = &reading->log;
    const struct dlq_trace_options *options = &reading->trace->options;
    const char *wanted = options->format;
    if (wanted == NULL && options->column_count > 0 && options->pattern_count == 0 && log->head[0] == '{') {
        if (dlq_columns_check(options, reading->error) != DLQ_OK)
            return DLQ_INVALID;
        if (!dlq_patterns_of_keys(log))
            return dlq_error_memory(reading->error, "reading a log");
        options = log->options;
    } else if (wanted == NULL && options->column_count > 0) {
        wanted = "csv";
    }
    const bool by_patterns = options->pattern_count > 0;
    const char *name = by_patterns ? dlq_patterns_format(options, reading->error) : wanted;
    const struct dlq_format *format =
        by_patterns && name == NULL ? NULL : dlq_format_find(name, log->head, log->head_length);
    log->format = format;
    TRY(dlq_columns_check(options, reading->error));
    if (by_patterns && wanted != NULL)
        return dlq_error_add(reading->error, DLQ_INVALID, "--pattern is a format of its own: leave out --%s",
                             options->column_count > 0 ? "column" : "format");
    if (by_patterns)
        return format != NULL ? DLQ_OK : DLQ_INVALID;
    if (format == NULL && wanted != NULL) {
        struct dlq_nearest nearest = {.name = wanted};
        for (size_t i = 0; (format = dlq_format_at(i)) != NULL; i++)
            dlq_nearest_offer(&nearest, format->name);
        return dlq_error_add(reading->error, DLQ_INVALID, "no log format is called '%s'; %s%s", wanted,
                             nearest.best != NULL ? "did you mean " : "dlqueue help formats lists them",
                             nearest.best != NULL ? nearest.best : "");
    }
    if ((format == NULL && wanted == NULL) || (format != NULL && format->recognized)) {
        format = memchr(log->head, '\0', log->head_length) == NULL ? dlq_generic_format(log) : NULL;
        log->format = format;
    }
    if (format == NULL || log->head_length == 0)
        return refuse_content(reading);
    if (options->column_count > 0 && !format->named_columns)
        return dlq_error_add(reading->error, DLQ_INVALID, "%s: --column names columns of a csv log, this is %s",
                             log->name, format->name);
    if (format->reader->probe == NULL && !format->recognized)
        return refuse(reading, "--pattern says what its lines look like");
    bool of_lines = !format->binary && !format->joins && format->numbers != DLQ_NUMBERS_TOTAL;
    if (log->every > 1 && !of_lines)
        return dlq_error_add(reading->error, DLQ_INVALID,
                             "%s: a %s log tells by itself how many iterations a line covers: leave out --every",
                             log->name, format->name);
    return DLQ_OK;
}

/* Reads the number of loaders in a line: "workers=4", "\"num_workers\": 4", "Namespace(workers=4, ...)". */
static bool find_loaders(char *text, void *context)
{
    static const char *const names[] = {"workers", "num_workers", "dataloader_num_workers"};
    long *loaders = context;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (const char *at = dlq_text_find(text, names[i]); at != NULL; at = dlq_text_find(at, names[i])) {
            long number;
            at += strlen(names[i]);
            const char *sign = at + strspn(at, " \"'");
            const char *end =
                *sign == '=' || *sign == ':' ? dlq_number_whole(sign + 1 + strspn(sign + 1, " \"'"), &number) : NULL;
            if (end == NULL || strchr(" \t,;|)]}\"'", *end) == NULL)
                continue;
            const bool valid = number > 0 && number <= DLQ_MOST_LOADERS;
            *loaders = valid && (*loaders == 0 || *loaders == number) ? number : -1;
        }
    return false;
}

/* Fills shared->read_as by the row of the format. */
static void fill_read_as(struct dlq_log *log)
{
    static const char *const kinds[] = {"single", "sampled", "mean", "median", "total"};
    struct dlq_read_as *as = &log->shared->read_as;
    if (as->kind != NULL && log->format->recognized)
        return;
    *as = (struct dlq_read_as){.unit = "s", .kind = kinds[log->format->numbers]};
    for (size_t i = DLQ_LABELS; i-- > 0;) {
        const struct dlq_label *label = &log->format->labels[i];
        if (label->text == NULL)
            continue;
        char *into = label->time == DLQ_PRINTED_DATA ? as->data : as->iteration;
        snprintf(into, sizeof as->data, "%.*s", (int)strcspn(label->text, ":"), label->text);
        if (label->time == DLQ_PRINTED_ITER)
            snprintf(as->unit, sizeof as->unit, "%s", dlq_unit_name(label->unit));
    }
}

/* Adds a doubt if the log also has lines of another format, which are not read. */
static void find_second_format(struct reading *reading)
{
    enum { SURE = 80 };
    struct dlq_log *log = &reading->log;
    const struct dlq_format *other;
    for (size_t i = 0; reading->trace->other > 0 && (other = dlq_format_at(i)) != NULL; i++) {
        const struct dlq_log probed = {.format = other, .head = log->head, .head_length = log->head_length};
        if (strcmp(other->name, log->format->name) == 0 || other->binary || other->reader->probe == NULL ||
            other->reader->probe(&probed) < SURE)
            continue;
        dlq_log_doubt(log, "the log has lines of %s, too, which are not read: --format %s reads these", other->name,
                      other->name);
        return;
    }
}

/* -- the whole log -- */

static size_t read_input(void *source, char *bytes, size_t size, bool *failed)
{
    size_t got = dlq_input_read(source, bytes, size);
    *failed = dlq_input_fault(source) != NULL;
    return got;
}

/* Reads a log into reading->trace. `before`: the trace of earlier logs of the run. */
static enum dlq_status read_log(struct reading *reading, FILE *stream, const struct dlq_trace *before)
{
    struct dlq_log *log = &reading->log;
    struct dlq_trace *trace = reading->trace;
    struct dlq_progress *progress = trace->options.progress;
    struct stat about;
    log->input = dlq_input_new(stream);
    if (log->input == NULL)
        return dlq_error_memory(reading->error, "reading a log");
    NEW(log->arena, log->lines, 1);
    dlq_lines_begin_source(log->lines, read_input, log->input, DLQ_LOG_LINE, 0);
    log->lines->returns = true;
    if (progress != NULL && fstat(fileno(stream), &about) == 0 && S_ISREG(about.st_mode))
        atomic_fetch_add(&progress->total, (long)about.st_size);
    log->head = dlq_input_peek(log->input, &log->head_length);
    const enum dlq_status chosen = choose_format(reading);
    if (chosen != DLQ_OK || log->format == NULL) /* DLQ_OK implies a format; static analyzers need the second test */
        return chosen;
    trace->format = log->format;
    fill_read_as(log);
    if (log->format->named_columns && !log->format->recognized && log->options->column_count == 0)
        dlq_columns_choose_step(log);
    if (!log->format->binary && !log->format->joins && !log->format->named_columns)
        dlq_text_any_line(log, find_loaders, &log->shared->loaders);
    log->state = dlq_arena_take(log->arena, 1, log->format->reader->state);
    if (log->state == NULL)
        return dlq_error_memory(reading->error, "reading a log");
    if (log->format->reader->start != NULL)
        log->format->reader->start(log);
    log->shared->steps_unknown |= log->between != 1;
    /* A log without a rank in its name or records is a rank of its own, or belongs to rank 0 if its format joins. */
    reading->rank = reading->named >= 0 ? reading->named : log->format->joins ? 0 : (long)before->logs;
    while (reading->named < 0 && !log->format->joins && dlq_trace_rank(before, reading->rank) != NULL)
        reading->rank++;
    TRY(read_records(reading));
    if (log->format->numbers == DLQ_NUMBERS_MEDIAN)
        dlq_log_doubt(log, "the times of the log are medians of several iterations: those that are far longer do not "
                           "show, and may cost far more than those that do");
    if (reading->trace->options.pattern_count == 0)
        find_second_format(reading);
    if (trace->records == 0)
        return dlq_error_add(reading->error, DLQ_INVALID, "%s: no times in it (read as %s)%s%s", log->name,
                             log->format->name, trace->bad > 0 ? "; malformed: " : "", trace->bad > 0 ? log->why : "");
    /* If all records are of one rank, the rank in the name replaces it: many programs write rank 0 everywhere. */
    size_t filled = 0, only = 0;
    for (size_t i = 0; i < trace->rank_count; i++)
        if (dlq_rank_has_records(&trace->ranks[i]) && filled++ == 0)
            only = i;
    if (filled == 1 && reading->named >= 0)
        trace->ranks[only].number = reading->named;
    trace->logs = 1;
    return DLQ_OK;
}

/* Adds a doubt if the time stamps of a log show that its times have another unit. */
static void doubt_unit(struct dlq_log *log)
{
    const struct dlq_clock *clock = &log->shared->clock;
    const double ratio = clock->passed / clock->timed;
    const bool enough = (double)clock->rows >= dlq_calibration.fewest_alike && clock->resolution > 0 &&
                        clock->passed >= dlq_calibration.clock_enough * clock->resolution;
    const bool shorter = ratio > dlq_calibration.unit_differs, longer = 1 / ratio > dlq_calibration.unit_differs;
    if (!enough || log->shared->unit_unknown || !(shorter || longer))
        return;
    const char *unit = shorter ? "s" : "ms";
    dlq_log_doubt(
        log,
        "by its time stamps an iteration takes %.3g s, by its own times %.3g s: so these probably have another "
        "unit, %s. {%s} behind %%f of --pattern, or :%s behind a name of --column, says so%s",
        clock->passed / clock->iterations, clock->timed / clock->iterations,
        shorter ? "such as s instead of ms" : "ms instead of s", unit, unit,
        shorter ? "; or a line shows one iteration of many" : "");
}

enum dlq_status dlq_trace_read(struct dlq_trace *trace, const char *name, FILE *stream, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "reading a log"};
    struct dlq_trace *own;
    TRY(dlq_trace_new(&own, &trace->options, error));
    struct reading reading = {
        .trace = own,
        .error = error,
        .named = dlq_rank_of_name(name),
        .log = {.name = name,
                .arena = &arena,
                .shared = &own->shared,
                .options = &own->options,
                .every = own->options.every > 1 ? own->options.every : 1},
    };
    own->shared = trace->shared;
    own->shared.validation_lines = own->shared.repeated_headers = 0; /* dlq_trace_join adds these */
    own->shared.clock = (struct dlq_clock){.rows = 0};
    own->index_limit = trace->index_limit;
    own->spreads = trace->spreads;
    own->options.skip_bad -= trace->bad;
    enum dlq_status status = read_log(&reading, stream, trace);
    if (reading.log.format != NULL && reading.log.state != NULL && reading.log.format->reader->finish != NULL)
        reading.log.format->reader->finish(&reading.log);
    doubt_unit(&reading.log);
    if (status == DLQ_OK && trace->logs == 0) {
        trace->format = own->format;
        trace->name = strdup(name);
        trace->pattern = dlq_name_of_ranks(name);
        trace->named = reading.named >= 0;
        if (trace->name == NULL || trace->pattern == NULL)
            status = dlq_error_memory(error, "reading a log");
    }
    if (status == DLQ_OK)
        status = dlq_trace_join(trace, own, error);
    free(reading.log.windows);
    dlq_input_free(reading.log.input);
    dlq_trace_free(own);
    return status;
}

/* -- several runs -- */

static bool share_directory(const char *name, const char *other)
{
    const char *slash = strrchr(name, '/');
    size_t length = slash != NULL ? (size_t)(slash - name) + 1 : 0;
    return strncmp(name, other, length) == 0 && strchr(other + length, '/') == NULL;
}

/* Whether a log belongs to a run by its directory or by the ranks of its records. */
static bool is_of_run(const struct dlq_trace *run, const struct dlq_trace *log)
{
    if (run->named || log->named)
        return false;
    if (run->format->joins && run->format == log->format)
        return share_directory(run->name, log->name);
    for (size_t i = 0; i < log->rank_count; i++)
        if (dlq_trace_rank(run, log->ranks[i].number) != NULL)
            return false;
    return run->rank_known && log->rank_known;
}

enum dlq_status dlq_traces_read(struct dlq_traces *traces, const struct dlq_trace_options *options, const char *name,
                                FILE *stream, struct dlq_error *error)
{
    char *pattern = dlq_name_of_ranks(name);
    if (pattern == NULL)
        return dlq_error_memory(error, "reading logs");
    struct dlq_trace *existing = traces->first; /* the run of the log, if its name tells the run */
    while (existing != NULL && !options->one_run &&
           !(dlq_rank_of_name(name) >= 0 && existing->named && strcmp(existing->pattern, pattern) == 0))
        existing = existing->next;
    free(pattern);
    struct dlq_trace *trace = existing;
    if (existing == NULL)
        TRY(dlq_trace_new(&trace, options, error));
    trace->options.skip_bad = options->skip_bad;
    for (const struct dlq_trace *run = traces->first; run != NULL; run = run->next) {
        trace->options.skip_bad -= run != trace ? run->bad : 0;
        if (existing != NULL)
            continue;
        trace->first += run->logs;
        if (share_directory(run->name, name)) /* the logs may be joined, which needs one origin and distinct workers */
            trace->shared = (struct dlq_shared){
                .has_origin = run->shared.has_origin, .origin = run->shared.origin, .workers = run->shared.workers};
    }
    enum dlq_status status = dlq_trace_read(trace, name, stream, error);
    if (existing != NULL)
        return status;
    struct dlq_trace **end = &traces->first;
    while (status == DLQ_OK && *end != NULL && !is_of_run(*end, trace))
        end = &(*end)->next;
    if (status == DLQ_OK && *end == NULL) {
        *end = trace;
        traces->count++;
        return DLQ_OK;
    }
    if (status == DLQ_OK)
        status = dlq_trace_join(*end, trace, error);
    dlq_trace_free(trace);
    return status;
}
