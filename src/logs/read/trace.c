/* Traces: creating and freeing them, their facts, the ranks in the names of logs, and which logs are of one run. */
#include "logs/read/trace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { HISTOGRAM_BITS = 7 };

enum dlq_status dlq_trace_new(struct dlq_trace **trace, const struct dlq_trace_options *options,
                              struct dlq_error *error)
{
    struct dlq_trace *made = calloc(1, sizeof *made);
    if (made == NULL || !dlq_histogram_begin(&made->data, HISTOGRAM_BITS) ||
        !dlq_histogram_begin(&made->iter, HISTOGRAM_BITS)) {
        dlq_trace_free(made);
        dlq_error_memory(error, "reading logs");
        return DLQ_FAILURE;
    }
    made->options = *options;
    made->index_limit = DLQ_MOST_RECORDS / 2; /* of each index a load and an iteration */
    *trace = made;
    return DLQ_OK;
}

void dlq_trace_free(struct dlq_trace *trace)
{
    if (trace == NULL)
        return;
    for (size_t i = 0; i < trace->rank_count; i++) {
        free(trace->ranks[i].batches);
        free(trace->ranks[i].workers);
    }
    free(trace->ranks);
    free(trace->name);
    free(trace->pattern);
    dlq_histogram_free(&trace->data);
    dlq_histogram_free(&trace->iter);
    free(trace);
}

void dlq_trace_facts(const struct dlq_trace *trace, struct dlq_trace_facts *facts)
{
    *facts = (struct dlq_trace_facts){
        .format = trace->format != NULL ? trace->format->name : "",
        .name = trace->name == NULL ? ""
                : trace->logs > 1   ? trace->pattern
                                    : trace->name,
        .first = trace->first,
        .logs = trace->logs,
        .ranks = trace->rank_count,
        .records = trace->records,
        .bad = trace->bad,
        .other = trace->other,
        .kept = trace->kept,
        .bad_text = trace->skipped.text,
        .unused = trace->shared.unused,
    };
    for (size_t i = 0; i < trace->rank_count; i++)
        if (trace->ranks[i].iterations > facts->iterations)
            facts->iterations = trace->ranks[i].iterations;
}

/* -- names -- */

/* The number of digits at the start; 0, too, for more than six. */
static size_t count_digits(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits <= 6 ? digits : 0;
}

/* The digits of N in a file's name "N_output...", else after the last "rank" (or "rank_", "rank-", "rank.") that has
   digits and no letter before it; null: none. */
static const char *find_rank(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *file = slash != NULL ? slash + 1 : name;
    const char *found = NULL;
    if (count_digits(file) > 0 && strncmp(file + count_digits(file), "_output", 7) == 0)
        return file;
    for (const char *word = strstr(name, "rank"); word != NULL; word = strstr(word + 1, "rank")) {
        const char *digits = word + 4 + (word[4] != '\0' && strchr("_-.", word[4]) != NULL);
        if (count_digits(digits) > 0 && (word == name || !isalpha((unsigned char)word[-1])))
            found = digits;
    }
    return found;
}

long dlq_rank_of_name(const char *name)
{
    const char *digits = find_rank(name);
    return digits != NULL ? strtol(digits, NULL, 10) : -1;
}

char *dlq_name_of_ranks(const char *name)
{
    const char *digits = find_rank(name);
    size_t size = strlen(name) + 2;
    char *made = digits != NULL ? malloc(size) : strdup(name);
    if (made != NULL && digits != NULL)
        snprintf(made, size, "%.*s*%s", (int)(digits - name), name, digits + count_digits(digits));
    return made;
}

/* -- several runs -- */

static bool share_directory(const char *name, const char *other)
{
    const char *slash = strrchr(name, '/');
    size_t length = slash != NULL ? (size_t)(slash - name) + 1 : 0;
    return strncmp(name, other, length) == 0 && strchr(other + length, '/') == NULL;
}

struct dlq_trace *dlq_trace_next(const struct dlq_trace *trace)
{
    return trace->next;
}

/* Whether a log and a run without ranks in their names belong together. */
static bool are_one(const struct dlq_trace *run, const struct dlq_trace *log)
{
    if (run->named || log->named)
        return false;
    if (run->format->joins && run->format == log->format)
        return share_directory(run->name, log->name);
    for (size_t i = 0; i < log->rank_count; i++)
        if (dlq_trace_rank(run, log->ranks[i].number) != NULL)
            return false;
    return run->rank_told && log->rank_told;
}

enum dlq_status dlq_traces_read(struct dlq_traces *traces, const struct dlq_trace_options *options, const char *name,
                                FILE *stream, struct dlq_error *error)
{
    char *pattern = dlq_name_of_ranks(name);
    if (pattern == NULL)
        return dlq_error_memory(error, "reading logs");
    struct dlq_trace *known = traces->first;
    while (known != NULL && !options->one_run &&
           !(find_rank(name) != NULL && known->named && strcmp(known->pattern, pattern) == 0))
        known = known->next;
    free(pattern);
    struct dlq_trace *trace = known;
    if (known == NULL)
        TRY(dlq_trace_new(&trace, options, error));
    trace->options.skip_bad = options->skip_bad;
    for (const struct dlq_trace *run = traces->first; run != NULL; run = run->next) {
        trace->options.skip_bad -= run != trace ? run->bad : 0;
        if (known != NULL)
            continue;
        trace->first += run->logs;
        if (share_directory(run->name, name)) /* their format may join: they share the origin and count workers on */
            trace->shared = (struct dlq_shared){
                .has_origin = run->shared.has_origin, .origin = run->shared.origin, .workers = run->shared.workers};
    }
    enum dlq_status status = dlq_trace_read(trace, name, stream, error);
    if (known != NULL)
        return status;
    struct dlq_trace **end = &traces->first;
    while (status == DLQ_OK && *end != NULL && !are_one(*end, trace))
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

void dlq_traces_free(struct dlq_traces *traces)
{
    for (struct dlq_trace *run = traces->first, *next; run != NULL; run = next) {
        next = run->next;
        dlq_trace_free(run);
    }
    *traces = (struct dlq_traces){0};
}
