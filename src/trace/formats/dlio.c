/* DLIO's RANK_output.json: per epoch the times of its batches, in arrays of load, proc and compute, by block. An
   epoch's arrays are held until it ends; then its batches come one by one. */
#include "trace/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 4000000, MOST_ARRAYS = 4096, BLOCK_SIZE = 24 };

enum section { LOAD, PROC, COMPUTE, SECTIONS };
static const char *const section_names[SECTIONS] = {"load", "proc", "compute"};

struct array {
    enum section section;
    char block[BLOCK_SIZE]; /* "" where the section is a list itself, as of old versions */
    size_t begin, count;    /* in numbers */
    long line, last_line;   /* of its first number and its last */
};

struct state {
    struct dlq_json_values values;
    enum where { AT_START, IN_FILE, IN_EPOCH, IN_SECTION, IN_ARRAY, GIVING, DONE } where;
    enum where around; /* what an array is in */
    enum section section;
    long epoch, index; /* index: of the next batch */
    struct array arrays[MOST_ARRAYS];
    size_t array_count;
    double *numbers; /* of the epoch, in s; NAN where what stood there is none */
    size_t count, capacity;
    size_t given_arrays, given;         /* what has become records: whole arrays, and batches of the one at hand */
    const struct array *proc, *compute; /* that belong to it; null: none */
};

static enum dlq_taken stop(struct dlq_log *log, const char *wanted)
{
    struct state *state = log->state;
    state->where = DONE;
    return dlq_json_wrong(&state->values, log, wanted);
}

/* -- arrays of numbers -- */

/* The array at hand, its bracket taken. */
static enum dlq_taken begin_array(struct dlq_log *log, const char *block)
{
    struct state *state = log->state;
    if (state->array_count == MOST_ARRAYS)
        return stop(log, "an epoch of fewer blocks");
    struct array *array = &state->arrays[state->array_count++];
    *array = (struct array){.section = state->section, .begin = state->count};
    snprintf(array->block, sizeof array->block, "%s", block);
    state->around = state->where;
    state->where = IN_ARRAY;
    return DLQ_TAKEN_NOTHING;
}

static enum dlq_taken read_number(struct dlq_log *log)
{
    struct state *state = log->state;
    struct dlq_json_values *values = &state->values;
    struct array *array = &state->arrays[state->array_count - 1];
    char text[64] = "";
    const char *end = text;
    double value = NAN;
    if (dlq_json_next(values) != DLQ_VALUE_WHOLE || values->length == 0)
        return stop(log, "a number, or the end of the array,");
    if (state->count == MOST_NUMBERS) {
        state->where = DONE;
        log->line = values->line;
        return dlq_log_bad(log, "an epoch of more than %d numbers", MOST_NUMBERS);
    }
    if (!dlq_grow(&state->numbers, &state->capacity, state->count + 1, sizeof *state->numbers))
        return dlq_log_no_memory(log);
    if (values->length < sizeof text)
        memcpy(text, values->text, values->length);
    bool is_number = dlq_number_read(&end, false, &value) && *end == '\0' && isfinite(value);
    state->numbers[state->count++] = is_number ? value : NAN;
    array->line = array->count++ == 0 ? values->line : array->line;
    array->last_line = values->line;
    dlq_json_take(values, ',');
    return DLQ_TAKEN_NOTHING;
}

/* -- batches -- */

static const struct array *find_array(const struct state *state, enum section section, const char *block)
{
    for (const struct array *array = state->arrays; array < state->arrays + state->array_count; array++)
        if (array->section == section && strcmp(array->block, block) == 0)
            return array;
    return NULL;
}

/* A number by its place in the array; NAN: there is none. */
static double number_at(const struct state *state, const struct array *array, size_t at)
{
    return array != NULL && at < array->count ? state->numbers[array->begin + at] : NAN;
}

/* json.dump with an indent writes a number a line. */
static long line_at(const struct array *array, size_t at)
{
    bool one_each = array->last_line - array->line == (long)array->count - 1;
    return one_each ? array->line + (long)at : array->line;
}

/* The next batch of the arrays of a block; NOTHING: they have no more. */
static enum dlq_taken next_of_block(struct dlq_log *log, const struct array *load, struct dlq_record *record)
{
    struct state *state = log->state;
    if (state->given == 0) {
        state->proc = find_array(state, PROC, load->block);
        state->compute = find_array(state, COMPUTE, load->block);
    }
    const struct array *proc = state->proc, *compute = state->compute;
    const struct array *whole = proc != NULL ? proc : compute; /* without proc the whole is load and compute */
    /* Blocks after the first begin when their first batch is there already, and the time of its load is lost. */
    bool later = strncmp(load->block, "block", 5) == 0 && strcmp(load->block, "block1") != 0;
    size_t lost = later && proc != NULL && proc->count == load->count + 1 ? 1 : 0;
    size_t loads = load->count + lost, wholes = whole != NULL ? whole->count : 0;
    size_t at = state->given++;
    if (at >= loads || at >= wholes) {
        state->given_arrays++;
        state->given = 0;
        if (loads == wholes)
            return DLQ_TAKEN_NOTHING;
        log->line = loads > wholes ? line_at(load, at) : line_at(whole, at);
        return dlq_log_bad(log, "%s of epoch %ld has %zu times of load and %zu of %s: only %zu are pairs",
                           load->block[0] != '\0' ? load->block : "the list", state->epoch, loads, wholes,
                           proc != NULL ? "proc" : "compute", at);
    }
    record->epoch = state->epoch;
    record->index = state->index++;
    record->step = number_at(state, compute, at);
    record->iter = number_at(state, proc, at);
    record->data = at < lost ? record->iter - record->step : number_at(state, load, at - lost);
    if (proc == NULL)
        record->iter = record->data + record->step;
    log->line = at < lost ? proc->line : line_at(load, at - lost);
    if (at < lost && isnan(record->data))
        return DLQ_TAKEN_NOTHING;
    if (isnan(record->data) || isnan(record->iter))
        return dlq_log_bad(log, "not a number");
    if (record->data < 0 || record->step < 0)
        return dlq_log_bad(log, "a negative time, %g s", record->data < 0 ? record->data : record->step);
    if (record->iter < record->data)
        return dlq_log_bad(log, "the load, %g s, is longer than the whole iteration (proc), %g s", record->data,
                           record->iter);
    return DLQ_TAKEN_RECORD;
}

/* -- the file around them -- */

static enum dlq_taken skip(struct dlq_log *log)
{
    struct state *state = log->state;
    return dlq_json_skip(&state->values) ? DLQ_TAKEN_NOTHING : stop(log, "the end of a value");
}

static enum dlq_taken refuse(struct dlq_log *log, const char *name)
{
    struct state *state = log->state;
    state->where = DONE;
    log->line = state->values.line;
    return dlq_log_bad(log, "this is DLIO's %s; the times of batches are in 0_output.json, 1_output.json, ...", name);
}

static enum dlq_taken take_file_key(struct dlq_log *log, const char *key)
{
    struct state *state = log->state;
    if (strcmp(key, "num_accelerators") == 0 || strcmp(key, "metric") == 0)
        return refuse(log, "summary.json");
    bool is_epoch = isdigit((unsigned char)key[0]) && strlen(key) < 10 && strspn(key, "0123456789") == strlen(key);
    if (!is_epoch || !dlq_json_take(&state->values, '{'))
        return skip(log);
    state->epoch = strtol(key, NULL, 10);
    state->where = IN_EPOCH;
    return DLQ_TAKEN_NOTHING;
}

static enum dlq_taken take_epoch_key(struct dlq_log *log, const char *key)
{
    struct state *state = log->state;
    if (strncmp(key, "block", 5) == 0)
        return refuse(log, "per_epoch_stats.json");
    state->section = LOAD;
    while (state->section < SECTIONS && strcmp(key, section_names[state->section]) != 0)
        state->section++;
    if (state->section == SECTIONS)
        return skip(log);
    if (dlq_json_take(&state->values, '['))
        return begin_array(log, "");
    if (!dlq_json_take(&state->values, '{'))
        return stop(log, "an object of blocks");
    state->where = IN_SECTION;
    return DLQ_TAKEN_NOTHING;
}

static enum dlq_taken take_section_key(struct dlq_log *log, const char *key)
{
    struct state *state = log->state;
    if (strcmp(key, "eval") == 0)
        return skip(log);
    if (!dlq_json_take(&state->values, '['))
        return stop(log, "an array of times");
    return begin_array(log, key);
}

/* What the objects of a file hold, from its outermost one. */
static const struct {
    enum where around; /* where one is when it ends */
    const char *wanted;
    enum dlq_taken (*take)(struct dlq_log *log, const char *key);
} objects[] = {
    [IN_FILE] = {DONE, "a key, or the end of the object,", take_file_key},
    [IN_EPOCH] = {GIVING, "a key of the epoch, or its end,", take_epoch_key},
    [IN_SECTION] = {IN_EPOCH, "a block, or the end of them,", take_section_key},
};

/* -- the reader -- */

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    enum { AT_ONCE = 64 };
    struct state *state = log->state;
    enum dlq_taken taken = DLQ_TAKEN_NOTHING;
    char key[DLQ_KEY_SIZE];
    switch (state->where) {
    case AT_START:
        state->where = IN_FILE;
        return dlq_json_take(&state->values, '{') ? DLQ_TAKEN_NOTHING : stop(log, "{ of DLIO's output");
    case IN_FILE:
    case IN_EPOCH:
    case IN_SECTION:
        switch (dlq_json_key(&state->values, key)) {
        case DLQ_KEY_CLOSE:
            state->where = objects[state->where].around;
            return DLQ_TAKEN_NOTHING;
        case DLQ_KEY_WRONG:
            return stop(log, objects[state->where].wanted);
        case DLQ_KEY_NAME:
            break;
        }
        return objects[state->where].take(log, key);
    case IN_ARRAY:
        for (int i = 0; i < AT_ONCE && taken == DLQ_TAKEN_NOTHING && state->where == IN_ARRAY; i++)
            if (dlq_json_take(&state->values, ']'))
                state->where = state->around;
            else
                taken = read_number(log);
        return taken;
    case GIVING:
        for (; state->given_arrays < state->array_count; state->given_arrays++)
            if (state->arrays[state->given_arrays].section == LOAD)
                return next_of_block(log, &state->arrays[state->given_arrays], record);
        state->array_count = state->count = state->given_arrays = 0;
        state->index = 0;
        state->where = IN_FILE;
        return DLQ_TAKEN_NOTHING;
    case DONE:
        break;
    }
    return DLQ_TAKEN_END;
}

static void begin(struct dlq_log *log)
{
    struct state *state = log->state;
    dlq_json_begin(&state->values, log->input);
}

static void end(struct dlq_log *log)
{
    struct state *state = log->state;
    free(state->numbers);
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
    for (enum section i = LOAD; i < SECTIONS; i++)
        if (strcmp(word, section_names[i]) == 0)
            return true;
    return false;
}

/* Its summaries too, to say that they are not what is wanted. */
static int probe(const struct dlq_format *format, const char *head, size_t length)
{
    (void)format;
    (void)length;
    if (head[strspn(head, " \t\r\n")] != '{')
        return 0;
    if (begins_with_epoch(head) || (has(head, "\"load\"", "\"proc\"") && strstr(head, "\"block") != NULL))
        return 90;
    if (has(head, "\"host_memory_GB\"", "\"host_cpu_count\"") || has(head, "\"num_accelerators\"", "\"hostname\""))
        return 80;
    return has(head, "\"block1\"", "\"duration\"") ? 60 : 0;
}

const struct dlq_log_reader dlq_dlio_reader = {
    .probe = probe, .next = next, .state = sizeof(struct state), .begin = begin, .end = end};
