/* DLIO's RANK_output.json: per epoch the times of its batches, in arrays of load, proc and compute, by block. An
   epoch's arrays are held until it ends. */
#include "trace/epoch.h"
#include "trace/values.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 64 };

static const char *const section_names[DLQ_SECTIONS] = {"load", "proc", "compute"};

enum where { AT_START, IN_FILE, IN_EPOCH, IN_SECTION, IN_ARRAY, TELLING, DONE };

struct state {
    struct dlq_values values;
    enum where where, around; /* around: what an array is in */
    enum dlq_section section;
    struct dlq_epoch epoch;
};

static bool begin(struct dlq_log *log)
{
    struct state *state = malloc(sizeof *state);
    if (state == NULL)
        return false;
    dlq_values_begin(&state->values, log->input);
    state->where = state->around = AT_START;
    state->section = DLQ_SECTION_LOAD;
    memset(&state->epoch, 0, sizeof state->epoch);
    log->state = state;
    return true;
}

static void end(struct dlq_log *log)
{
    struct state *state = log->state;
    dlq_epoch_free(&state->epoch);
    free(state);
}

static enum dlq_taken stop(struct state *state, struct dlq_log *log, const char *wanted)
{
    state->where = DONE;
    return dlq_values_wrong(&state->values, log, wanted);
}

static enum dlq_taken fail(struct dlq_log *log)
{
    dlq_log_bad(log, "out of memory");
    return DLQ_TAKEN_FAILED;
}

/* -- arrays of numbers -- */

/* Seconds; NAN: what stands there is no number. */
static double number_of(const char *text, size_t length)
{
    char number[64];
    char *after;
    if (length == 0 || length >= sizeof number)
        return NAN;
    memcpy(number, text, length);
    number[length] = '\0';
    double value = strtod(number, &after);
    return strspn(number, "0123456789.eE+-") == length && *after == '\0' && isfinite(value) ? value : NAN;
}

/* The array at hand, its bracket taken. */
static enum dlq_taken begin_array(struct state *state, struct dlq_log *log, const char *block)
{
    if (state->epoch.array_count == DLQ_EPOCH_ARRAYS)
        return stop(state, log, "an epoch of fewer blocks");
    if (!dlq_epoch_array(&state->epoch, state->section, block))
        return fail(log);
    state->around = state->where;
    state->where = IN_ARRAY;
    return DLQ_TAKEN_NOTHING;
}

static enum dlq_taken read_number(struct state *state, struct dlq_log *log)
{
    struct dlq_values *values = &state->values;
    if (dlq_values_next(values) != DLQ_VALUE_WHOLE || values->length == 0)
        return stop(state, log, "a number, or the end of the array,");
    if (state->epoch.count == DLQ_EPOCH_NUMBERS) {
        state->where = DONE;
        log->line = values->line;
        return dlq_log_bad(log, "an epoch of more than %d numbers", DLQ_EPOCH_NUMBERS);
    }
    if (!dlq_epoch_add(&state->epoch, number_of(values->text, values->length), values->line))
        return fail(log);
    dlq_values_take(values, ',');
    return DLQ_TAKEN_NOTHING;
}

static enum dlq_taken next_of_array(struct state *state, struct dlq_log *log)
{
    enum dlq_taken taken = DLQ_TAKEN_NOTHING;
    for (int i = 0; i < AT_ONCE && taken == DLQ_TAKEN_NOTHING && state->where == IN_ARRAY; i++)
        if (dlq_values_take(&state->values, ']'))
            state->where = state->around;
        else
            taken = read_number(state, log);
    return taken;
}

/* -- the file around it -- */

static enum dlq_taken skip(struct state *state, struct dlq_log *log)
{
    return dlq_values_skip(&state->values) ? DLQ_TAKEN_NOTHING : stop(state, log, "the end of a value");
}

static enum dlq_taken refuse(struct state *state, struct dlq_log *log, const char *name)
{
    state->where = DONE;
    log->line = state->values.line;
    return dlq_log_bad(log, "this is DLIO's %s; the times of batches are in 0_output.json, 1_output.json, ...", name);
}

static enum dlq_taken next_of_file(struct state *state, struct dlq_log *log)
{
    char key[DLQ_KEY_SIZE];
    switch (dlq_values_key(&state->values, key)) {
    case DLQ_KEY_CLOSE:
        state->where = DONE;
        return DLQ_TAKEN_NOTHING;
    case DLQ_KEY_WRONG:
        return stop(state, log, "a key, or the end of the object,");
    case DLQ_KEY_NAME:
        break;
    }
    if (strcmp(key, "num_accelerators") == 0 || strcmp(key, "metric") == 0)
        return refuse(state, log, "summary.json");
    bool is_epoch = isdigit((unsigned char)key[0]) && strlen(key) < 10 && strspn(key, "0123456789") == strlen(key);
    if (!is_epoch || !dlq_values_take(&state->values, '{'))
        return skip(state, log);
    state->epoch.number = strtol(key, NULL, 10);
    state->where = IN_EPOCH;
    return DLQ_TAKEN_NOTHING;
}

static enum dlq_taken next_of_epoch(struct state *state, struct dlq_log *log)
{
    char key[DLQ_KEY_SIZE];
    switch (dlq_values_key(&state->values, key)) {
    case DLQ_KEY_CLOSE:
        state->where = TELLING;
        return DLQ_TAKEN_NOTHING;
    case DLQ_KEY_WRONG:
        return stop(state, log, "a key of the epoch, or its end,");
    case DLQ_KEY_NAME:
        break;
    }
    if (strncmp(key, "block", 5) == 0)
        return refuse(state, log, "per_epoch_stats.json");
    for (enum dlq_section i = DLQ_SECTION_LOAD; i < DLQ_SECTIONS; i++)
        if (strcmp(key, section_names[i]) == 0) {
            state->section = i;
            if (dlq_values_take(&state->values, '['))
                return begin_array(state, log, "");
            if (!dlq_values_take(&state->values, '{'))
                return stop(state, log, "an object of blocks");
            state->where = IN_SECTION;
            return DLQ_TAKEN_NOTHING;
        }
    return skip(state, log);
}

static enum dlq_taken next_of_section(struct state *state, struct dlq_log *log)
{
    char key[DLQ_KEY_SIZE];
    switch (dlq_values_key(&state->values, key)) {
    case DLQ_KEY_CLOSE:
        state->where = IN_EPOCH;
        return DLQ_TAKEN_NOTHING;
    case DLQ_KEY_WRONG:
        return stop(state, log, "a block, or the end of them,");
    case DLQ_KEY_NAME:
        break;
    }
    if (strcmp(key, "eval") == 0)
        return skip(state, log);
    if (!dlq_values_take(&state->values, '['))
        return stop(state, log, "an array of times");
    return begin_array(state, log, key);
}

static enum dlq_taken tell(struct state *state, struct dlq_log *log, struct dlq_record *record)
{
    enum dlq_taken taken = dlq_epoch_tell(&state->epoch, log, record);
    if (taken != DLQ_TAKEN_END)
        return taken;
    state->where = IN_FILE;
    return DLQ_TAKEN_NOTHING;
}

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    struct state *state = log->state;
    switch (state->where) {
    case AT_START:
        state->where = IN_FILE;
        return dlq_values_take(&state->values, '{') ? DLQ_TAKEN_NOTHING : stop(state, log, "{ of DLIO's output");
    case IN_FILE:
        return next_of_file(state, log);
    case IN_EPOCH:
        return next_of_epoch(state, log);
    case IN_SECTION:
        return next_of_section(state, log);
    case IN_ARRAY:
        return next_of_array(state, log);
    case TELLING:
        return tell(state, log, record);
    case DONE:
        break;
    }
    return DLQ_TAKEN_END;
}

static bool has(const char *head, const char *first, const char *second)
{
    return strstr(head, first) != NULL && strstr(head, second) != NULL;
}

/* Old versions begin with an epoch: {"1": {"load": ... */
static bool begins_with_epoch(const char *head)
{
    char word[8] = "";
    if (sscanf(head, " { \"%*9[0-9]\" : { \"%7[a-z]\"", word) != 1)
        return false;
    for (enum dlq_section i = DLQ_SECTION_LOAD; i < DLQ_SECTIONS; i++)
        if (strcmp(word, section_names[i]) == 0)
            return true;
    return false;
}

/* Its summaries too, to say that they are not what is wanted. */
static int probe(const char *head, size_t length)
{
    (void)length;
    if (head[strspn(head, " \t\r\n")] != '{')
        return 0;
    if (begins_with_epoch(head) || (has(head, "\"load\"", "\"proc\"") && strstr(head, "\"block") != NULL))
        return 90;
    if (has(head, "\"host_memory_GB\"", "\"host_cpu_count\"") || has(head, "\"num_accelerators\"", "\"hostname\""))
        return 80;
    return has(head, "\"block1\"", "\"duration\"") ? 60 : 0;
}

const struct dlq_format dlq_format_dlio = {
    .name = "dlio",
    .written_by = "DLIO and MLPerf Storage (0_output.json, 1_output.json, ...)",
    .meaning = "load and compute of every batch; the barrier of the ranks is in neither",
    .numbers = DLQ_NUMBERS_SINGLE,
    .binary = true,
    .probe = probe,
    .begin = begin,
    .next = next,
    .end = end,
};
