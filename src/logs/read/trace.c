/* Creates and frees traces, summarizes their facts, and finds the rank in the name of a log. */
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
        return dlq_error_memory(error, "reading logs");
    }
    made->options = *options;
    made->index_limit = DLQ_MOST_RECORDS / 2; /* each index has a load and an iteration */
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
        .other_lines = trace->other,
        .kept = trace->kept,
        .bad_text = trace->skipped.text,
        .validation_lines = trace->shared.validation_lines,
        .repeated_headers = trace->shared.repeated_headers,
        .loaders = trace->shared.loaders > 0 ? trace->shared.loaders : 0,
        .doubts = trace->shared.doubts,
        .read_as = trace->shared.read_as,
        .unused = trace->shared.unused,
    };
    for (size_t i = 0; i < trace->rank_count; i++)
        if (trace->ranks[i].iterations > facts->iterations)
            facts->iterations = trace->ranks[i].iterations;
}

struct dlq_trace *dlq_trace_next(const struct dlq_trace *trace)
{
    return trace->next;
}

void dlq_traces_free(struct dlq_traces *traces)
{
    for (struct dlq_trace *run = traces->first, *next; run != NULL; run = next) {
        next = run->next;
        dlq_trace_free(run);
    }
    *traces = (struct dlq_traces){0};
}

/* -- names -- */

/* The number of digits at the start of the text; 0 also for more than six. */
static size_t count_digits(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits <= 6 ? digits : 0;
}

/* The digits of the rank in a name: N of a file "N_output...", else the digits behind the last "rank", "rank_", "rank-"
   or "rank." with no letter before it. Null: none. */
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
