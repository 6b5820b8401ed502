#include "trace/trace.h"

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
    made->index_limit = INT32_MAX;
    *trace = made;
    return DLQ_OK;
}

void dlq_trace_free(struct dlq_trace *trace)
{
    if (trace == NULL)
        return;
    dlq_trace_drop(trace);
    for (size_t i = 0; i < trace->rank_count; i++) {
        free(trace->ranks[i].batches);
        free(trace->ranks[i].workers);
    }
    free(trace->ranks);
    dlq_histogram_free(&trace->data);
    dlq_histogram_free(&trace->iter);
    free(trace);
}

void dlq_trace_facts(const struct dlq_trace *trace, struct dlq_trace_facts *facts)
{
    *facts = (struct dlq_trace_facts){
        .format = trace->format != NULL ? trace->format->name : "",
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

size_t dlq_rank_place(const struct dlq_rank *ranks, size_t count, long number)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranks[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct dlq_rank *dlq_trace_rank(const struct dlq_trace *trace, long number)
{
    size_t place = dlq_rank_place(trace->ranks, trace->rank_count, number);
    bool found = place < trace->rank_count && trace->ranks[place].number == number;
    return found ? &trace->ranks[place] : NULL;
}

/* Up to six digits; false, and nothing changed: none, or more. */
static bool read_number(const char *text, const char **end, long *number)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 6)
        return false;
    *number = strtol(text, NULL, 10);
    *end = text + digits;
    return true;
}

/* The digits after the last "rank", "rank_" or "rank-" that has any, or those that begin the name before "_output". */
long dlq_rank_of_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *file = slash != NULL ? slash + 1 : name;
    long number = -1;
    if (read_number(file, &file, &number) && strncmp(file, "_output", 7) == 0)
        return number;
    number = -1;
    for (const char *word = strstr(file, "rank"); word != NULL; word = strstr(word + 1, "rank"))
        read_number(word + 4 + (word[4] != '\0' && strchr("_-.", word[4]) != NULL), &file, &number);
    return number;
}
