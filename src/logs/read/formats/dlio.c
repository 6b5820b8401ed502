/* Reads DLIO's RANK_output.json: arrays with the load, proc (whole iteration) and compute times of the batches, for
   each epoch and each of its blocks (old versions have no blocks). Epochs are parsed one by one. */
#include "logs/read/format.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EPOCH = 1 << 28, MOST_NUMBERS = 4000000 }; /* bytes and numbers of an epoch */

static const char *const sections[] = {"load", "proc", "compute"};
enum { LOAD, PROC, COMPUTE, SECTIONS };

struct state {
    struct dlq_json_values values;
    bool started, closed;
    json_t *epoch;         /* the current epoch; null: none */
    int32_t number, index; /* of the epoch; of the next batch in the epoch */
    long line;             /* at which the epoch begins */
    void *block;           /* iterator over the blocks of load; null: no more */
    size_t returned;       /* batches of the block that next_batch has returned */
};

/* -- the batches of an epoch -- */

static double number_at(const json_t *array, size_t at)
{
    const json_t *number = json_array_get(array, at);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

/* Returns the next batch of the current block; DLQ_READ_NOTHING: there is none. */
static enum dlq_read next_batch(struct dlq_log *log, struct dlq_record *record)
{
    struct state *state = log->state;
    const char *name = json_object_iter_key(state->block);
    json_t *blocks = json_object_get(state->epoch, sections[LOAD]), *load = json_object_iter_value(state->block);
    const json_t *proc = json_object_get(json_object_get(state->epoch, sections[PROC]), name);
    const json_t *compute = json_object_get(json_object_get(state->epoch, sections[COMPUTE]), name);
    const json_t *whole = proc != NULL ? proc : compute;
    /* A block after the first starts when its first batch is already loaded: the load time of that batch is lost. */
    bool later = strncmp(name, "block", 5) == 0 && strcmp(name, "block1") != 0;
    size_t lost = later && proc != NULL && json_array_size(proc) == json_array_size(load) + 1 ? 1 : 0;
    size_t loads = json_array_size(load) + lost, wholes = json_array_size(whole), at = state->returned++;
    log->line = state->line;
    if (at >= loads || at >= wholes) {
        state->block = json_object_iter_next(blocks, state->block);
        state->returned = 0;
        if (loads == wholes)
            return DLQ_READ_NOTHING;
        return dlq_log_bad(log, "a block of epoch %d has %zu times of load and %zu of %s: only %zu are pairs",
                           state->number, loads, wholes, sections[proc != NULL ? PROC : COMPUTE], at);
    }
    record->batch.epoch = state->number;
    record->batch.index = state->index++;
    record->batch.step = number_at(compute, at);
    record->batch.iter = number_at(proc, at);
    record->batch.data = at < lost ? record->batch.iter - record->batch.step : number_at(load, at - lost);
    if (proc == NULL)
        record->batch.iter = record->batch.data + record->batch.step;
    if (at < lost && isnan(record->batch.data))
        return DLQ_READ_NOTHING;
    if (record->batch.data >= 0 && record->batch.iter >= record->batch.data && !(record->batch.step < 0))
        return DLQ_READ_RECORD;
    return dlq_log_bad(log,
                       "batch %d of epoch %d: load %g s, iteration (proc) %g s, compute %g s: not times, or the load "
                       "is longer than the whole",
                       record->batch.index, state->number, record->batch.data, record->batch.iter, record->batch.step);
}

/* -- the file -- */

static enum dlq_read refuse(struct dlq_log *log, const char *name)
{
    struct state *state = log->state;
    state->values.broken = true;
    log->line = state->values.line;
    return dlq_log_bad(log, "this is DLIO's %s; the times of batches are in 0_output.json, 1_output.json, ...", name);
}

/* Limits the memory for an epoch: it has about as many numbers as commas. */
static enum dlq_read prepare(struct dlq_log *log, char *text)
{
    return dlq_json_mend(text) < MOST_NUMBERS ? DLQ_READ_RECORD
                                              : dlq_log_bad(log, "an epoch of over %d numbers", MOST_NUMBERS);
}

/* Reads the value of a key: an epoch if the key consists of digits; other values are skipped. */
static enum dlq_read read_epoch(struct dlq_log *log, const char *key)
{
    struct state *state = log->state;
    json_t *epoch, *array;
    const char *name;
    bool is_epoch = isdigit((unsigned char)key[0]) && strlen(key) < 10 && strspn(key, "0123456789") == strlen(key);
    if (strcmp(key, "num_accelerators") == 0 || strcmp(key, "metric") == 0)
        return refuse(log, "summary.json");
    if (!is_epoch || dlq_json_peek(&state->values) != '{')
        return dlq_json_next(&state->values) != DLQ_VALUE_CUT
                   ? DLQ_READ_NOTHING
                   : dlq_json_wrong(&state->values, log, "the end of a value");
    TRY_READ(dlq_json_parse(&state->values, log, "an epoch", prepare, &epoch));
    enum dlq_read result = DLQ_READ_NOTHING;
    json_object_foreach(epoch, name, array)
    {
        if (strncmp(name, "block", 5) == 0)
            result = refuse(log, "per_epoch_stats.json");
    }
    for (size_t i = 0; i < SECTIONS && result == DLQ_READ_NOTHING; i++) {
        json_t *section = json_object_get(epoch, sections[i]);
        if (json_is_array(section) && json_object_set_new(epoch, sections[i], json_pack("{sO}", "", section)) != 0)
            result = dlq_log_no_memory(log);
        section = json_object_get(epoch, sections[i]);
        json_object_del(section, "eval");
        bool right = section == NULL || json_is_object(section);
        json_object_foreach(section, name, array) right = right && json_is_array(array);
        if (!right && result == DLQ_READ_NOTHING)
            result = dlq_log_bad(log, "%s of epoch %s is not of arrays of times", sections[i], key);
    }
    json_decref(state->epoch);
    state->epoch = epoch;
    state->block = result == DLQ_READ_NOTHING ? json_object_iter(json_object_get(epoch, sections[LOAD])) : NULL;
    state->number = (int32_t)strtol(key, NULL, 10);
    state->line = log->line;
    state->index = 0;
    state->returned = 0;
    return result;
}

static enum dlq_read next(struct dlq_log *log, struct dlq_record *record)
{
    struct state *state = log->state;
    char key[DLQ_KEY_SIZE];
    if (state->block != NULL)
        return next_batch(log, record);
    if (state->closed || state->values.broken)
        return DLQ_READ_END;
    if (!state->started && !dlq_json_accept(&state->values, '{'))
        return dlq_json_wrong(&state->values, log, "{ of DLIO's output");
    state->started = true;
    enum dlq_key found = dlq_json_key(&state->values, key);
    state->closed = found == DLQ_KEY_CLOSE;
    return found == DLQ_KEY_NAME    ? read_epoch(log, key)
           : found == DLQ_KEY_CLOSE ? DLQ_READ_NOTHING
                                    : dlq_json_wrong(&state->values, log, "an epoch, or the end of the file,");
}

static void start(struct dlq_log *log)
{
    struct state *state = log->state;
    state->values = (struct dlq_json_values){.input = log->input, .most = MOST_EPOCH, .line = 1, .lines = 1};
}

static void finish(struct dlq_log *log)
{
    struct state *state = log->state;
    json_decref(state->epoch);
    free(state->values.bytes);
}

static bool has(const char *head, const char *first, const char *second)
{
    return strstr(head, first) != NULL && strstr(head, second) != NULL;
}

/* Recognizes other files of DLIO, too, so that the message names the right ones. Old versions begin {"1": {"load": */
static int probe(const struct dlq_log *log)
{
    const char *head = log->head;
    char word[8] = "";
    if (head[strspn(head, " \t\r\n")] != '{')
        return 0;
    if (sscanf(head, " { \"%*9[0-9]\" : { \"%7[a-z]\"", word) == 1)
        for (size_t i = 0; i < SECTIONS; i++)
            if (strcmp(word, sections[i]) == 0)
                return 90;
    if (has(head, "\"load\"", "\"proc\"") && strstr(head, "\"block") != NULL)
        return 90;
    if (has(head, "\"host_memory_GB\"", "\"host_cpu_count\"") || has(head, "\"num_accelerators\"", "\"hostname\""))
        return 80;
    return has(head, "\"block1\"", "\"duration\"") ? 60 : 0;
}

const struct dlq_log_reader dlq_dlio_reader = {
    .probe = probe, .next = next, .state = sizeof(struct state), .start = start, .finish = finish};
