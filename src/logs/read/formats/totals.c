/* Reads formats that print sums of the whole run once, into one record: the table of Lightning's SimpleProfiler, the
   last line of the Trainer of transformers or its all_results.json, and the statistics of Ray Data. */
#include "logs/read/formats/generic.h"

#include <string.h>

/* -- Lightning: sums by action -- */

enum { ACTION_DATA, ACTION_STEP, ACTION_TRANSFER, ACTION_PASSES, ACTION_EPOCH, ACTION_VALIDATION, ACTIONS, CELLS = 5 };

/* The endings of the names of actions, of newer and older versions. Passes (forward, ...) are the parts of a step. */
static const struct {
    const char *ending;
    int action;
} names[] = {
    {"train_dataloader_next", ACTION_DATA}, {"get_train_batch", ACTION_DATA},     {"run_training_batch", ACTION_STEP},
    {"batch_to_device", ACTION_TRANSFER},   {"model_forward", ACTION_PASSES},     {"model_backward", ACTION_PASSES},
    {"optimizer_step", ACTION_PASSES},      {"run_training_epoch", ACTION_EPOCH}, {"val_next", ACTION_VALIDATION},
    {"validation_step", ACTION_VALIDATION},
};

struct table {
    bool open;                             /* the header was read */
    double total[ACTIONS], calls[ACTIONS]; /* total in s; calls 0: no such row */
};

/* Makes the record of a table. The number of calls of the step is the number of iterations; the loader is called once
   more per epoch, to find its end. Validation has transfers to the GPU, too, so an iteration has the mean transfer of
   all calls. Tables of 2020 have no row of the step: a step is the sum of its passes, without a transfer. */
static enum dlq_read close_table(struct dlq_log *log, struct dlq_record *record)
{
    struct table *table = log->state, found = *table;
    *table = (struct table){0};
    if (found.calls[ACTION_STEP] == 0 && found.calls[ACTION_PASSES] > 0) {
        found.total[ACTION_STEP] = found.total[ACTION_PASSES];
        found.calls[ACTION_STEP] = found.calls[ACTION_PASSES];
        dlq_log_doubt(log, "the table has no row 'run_training_batch': an iteration is taken for its data, forward, "
                           "backward and optimizer");
    }
    for (int i = 0; i <= ACTION_STEP; i++)
        if (found.calls[i] == 0)
            return dlq_log_bad(log, "the table has no row '%s'",
                               names[i == ACTION_DATA ? 0 : 2].ending); /* in newer versions */
    const double transfer = found.calls[ACTION_TRANSFER] > 0 && found.calls[ACTION_STEP] != found.calls[ACTION_PASSES]
                                ? found.total[ACTION_TRANSFER] / found.calls[ACTION_TRANSFER]
                                : 0;
    record->batch.count = (int32_t)found.calls[ACTION_STEP];
    record->batch.index = record->batch.count - 1;
    record->batch.data = found.total[ACTION_DATA] / found.calls[ACTION_STEP];
    record->batch.step = found.total[ACTION_STEP] / found.calls[ACTION_STEP] + transfer;
    record->batch.iter = record->batch.data + record->batch.step;
    if (found.calls[ACTION_EPOCH] > 0) {
        struct dlq_clock *clock = &log->shared->clock;
        clock->passed += found.total[ACTION_EPOCH];
        clock->timed += record->batch.iter * record->batch.count;
        clock->waited += found.total[ACTION_DATA];
        clock->transfer += transfer * record->batch.count;
        clock->iterations += record->batch.count;
        clock->validation.count += (long)found.calls[ACTION_VALIDATION];
        clock->validation.seconds += found.total[ACTION_VALIDATION];
    }
    return DLQ_READ_RECORD;
}

static bool is_header(const char *text)
{
    return strstr(text, "Action") != NULL && strstr(text, "Mean duration (s)") != NULL;
}

static enum dlq_read next_of_table(struct dlq_log *log, struct dlq_record *record)
{
    struct table *table = log->state;
    char *text;
    long rank;
    TRY_READ(dlq_text_line(log, names[0].ending, &text, &rank));
    if (is_header(text)) {
        enum dlq_read result = table->open ? close_table(log, record) : DLQ_READ_NOTHING;
        table->open = true;
        return result;
    }
    if (!table->open || strchr(text, '|') == NULL)
        return DLQ_READ_OTHER;
    /* NAME | mean | calls | total | percent, in older versions NAME | mean | total, with or without outer bars. */
    double values[CELLS] = {0};
    size_t count = 0;
    char *rest = NULL, *cells[CELLS];
    for (char *cell = strtok_r(text, "|", &rest); cell != NULL && count < CELLS; cell = strtok_r(NULL, "|", &rest))
        if (*dlq_skip_blanks(cell) != '\0')
            cells[count++] = dlq_trim(cell);
    if (count == 0)
        return DLQ_READ_NOTHING;
    int action = -1;
    size_t length = strlen(cells[0]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t ending = strlen(names[i].ending);
        if (length >= ending && strcmp(cells[0] + length - ending, names[i].ending) == 0)
            action = names[i].action;
    }
    if (action < 0)
        return DLQ_READ_NOTHING;
    if (count < 3)
        return dlq_log_bad(log, "the row '%s' has no total: is the line cut off?", cells[0]);
    for (size_t i = 1; i < count && i < 4; i++) {
        const char *after = dlq_number_time(cells[i], &values[i], NULL);
        if (after == NULL || *after != '\0' || !isfinite(values[i]))
            return dlq_log_bad(log, "'%.24s' of '%s' is not a number", cells[i], cells[0]);
    }
    /* Older tables lack calls: total / mean, where the total has five digits. A mean rounded to 0 gives no number. */
    double calls = count > 3 ? values[2] : round(values[2] / values[1]);
    if (!(calls >= 1 && calls < INT32_MAX))
        return dlq_log_bad(log, "'%s' was called %g times", cells[0], calls);
    const bool several = action == ACTION_PASSES || action == ACTION_VALIDATION; /* sums of several rows */
    table->total[action] = values[count > 3 ? 3 : 2] + (several ? table->total[action] : 0);
    table->calls[action] = fmax(calls, several ? table->calls[action] : 0);
    return DLQ_READ_NOTHING;
}

static enum dlq_read drain_table(struct dlq_log *log, struct dlq_record *record)
{
    const struct table *table = log->state;
    return table->open ? close_table(log, record) : DLQ_READ_END;
}

static int probe_table(const struct dlq_log *log)
{
    return is_header(log->head) && strchr(log->head, '|') != NULL ? 80 : 0;
}

const struct dlq_log_reader dlq_lightning_reader = {
    .probe = probe_table, .next = next_of_table, .drain = drain_table, .state = sizeof(struct table)};

/* -- the Trainer: {'train_runtime': 703.2, 'train_steps_per_second': 16.7}, with single or double quotes; newer
   versions quote the numbers, too. In all_results.json each key is on a line of its own -- */

static const char runtime_key[] = "train_runtime", rate_key[] = "train_steps_per_second";

struct results {
    bool has_runtime, has_rate;
    double runtime, rate, rounding; /* s; steps/s; half a unit of the last digit of rate */
};

/* Reads the number behind a key. False: the text lacks the key. *known: a number follows the key. */
static bool read_key(const char *text, const char *key, bool *known, double *value, double *rounding)
{
    const char *at = dlq_text_find(text, key);
    double read;
    if (at == NULL)
        return false;
    at += strlen(key);
    at = dlq_number_time(at + strspn(at, "'\": \t"), &read, rounding);
    *known = at != NULL && isfinite(read) && strchr("'\", \t}", *at) != NULL;
    if (*known)
        *value = read;
    return true;
}

static enum dlq_read next(struct dlq_log *log, struct dlq_record *record)
{
    struct results *results = log->state;
    char *text;
    double unused;
    TRY_READ(dlq_text_line(log, runtime_key, &text, &record->rank));
    const bool found_runtime = read_key(text, runtime_key, &results->has_runtime, &results->runtime, &unused);
    const bool found_rate = read_key(text, rate_key, &results->has_rate, &results->rate, &results->rounding);
    const bool whole = strchr(text, '{') != NULL && found_runtime; /* the line has to have both keys */
    if (!found_runtime && !found_rate)
        return DLQ_READ_OTHER;
    if (whole && !(results->has_runtime && found_rate && results->has_rate))
        return dlq_log_bad(log, "'%s' or '%s' is not there, or no number: is the line cut off?", runtime_key, rate_key);
    if (!results->has_runtime || !results->has_rate)
        return DLQ_READ_NOTHING;
    const double runtime = results->runtime, rate = results->rate, rounding = results->rounding;
    *results = (struct results){0};
    double count = round(runtime * rate);
    if (!(count >= 1 && count < INT32_MAX))
        return dlq_log_bad(log, "%g s at %g steps/s make %g steps: not in 1..%d", runtime, rate, count, INT32_MAX - 1);
    const double least = ceil(runtime * (rate - rounding)), most = floor(runtime * (rate + rounding));
    if (most - least > 0.02 * count)
        dlq_log_doubt(log, "the rate %g steps/s is rounded: the run has %.0f to %.0f iterations", rate, least, most);
    record->batch.count = (int32_t)count;
    record->batch.index = record->batch.count - 1;
    record->batch.iter = runtime / count;
    return DLQ_READ_RECORD;
}

static int probe(const struct dlq_log *log)
{
    return dlq_text_find(log->head, runtime_key) != NULL && strstr(log->head, rate_key) != NULL ? 80 : 0;
}

const struct dlq_log_reader dlq_hf_trainer_reader = {.probe = probe, .next = next, .state = sizeof(struct results)};

/* -- Ray Data: "* Total time overall: 318.05s", "* Total time user thread is blocked by Ray Data iter_batches: 220.5s",
   "* In batch creation: 16us min, 3.16s max, 127.06ms avg, 318.05s total"; total / avg is the number of batches -- */

static const char overall[] = "Total time overall:", blocked[] = "blocked by Ray Data iter_batches:";

struct statistics {
    double all, waits; /* s; 0: not read */
};

static bool read_seconds(const char *at, double *value)
{
    const char *end = dlq_number_time(at + strspn(at, " \t"), value, NULL);
    const double unit = end != NULL ? dlq_unit_behind(end, NULL) : 0;
    if (!(unit > 0))
        return false;
    *value *= unit;
    return isfinite(*value);
}

static enum dlq_read next_of_ray(struct dlq_log *log, struct dlq_record *record)
{
    struct statistics *statistics = log->state;
    char *text;
    double value = 0, mean = 0, total = 0;
    TRY_READ(dlq_text_line(log, overall, &text, &record->rank));
    for (size_t i = 0; i < 2; i++) {
        const char *key = i == 0 ? overall : blocked, *found = strstr(text, key);
        if (found == NULL)
            continue;
        if (!read_seconds(found + strlen(key), &value))
            return dlq_log_bad(log, "no time with a unit follows '%s'", key);
        *(i == 0 ? &statistics->all : &statistics->waits) = value;
        return DLQ_READ_NOTHING;
    }
    for (const char *at = strstr(text, "In batch creation:"); at != NULL && *at != '\0'; at += *at != '\0') {
        at += strcspn(at, "0123456789");
        const size_t length = strcspn(at, ",");
        if (length >= 4 && read_seconds(at, &value)) {
            mean = strncmp(at + length - 4, " avg", 4) == 0 ? value : mean;
            total = strncmp(at + strcspn(at, " "), " total", 6) == 0 ? value : total;
        }
        at += length;
    }
    const struct statistics found = *statistics;
    const double count = round(total / mean);
    if (!(mean > 0 && total > 0 && found.all > 0))
        return DLQ_READ_OTHER;
    *statistics = (struct statistics){0};
    if (!(count >= 1 && count < INT32_MAX) || found.waits > found.all)
        return dlq_log_bad(log, "%g batches and %g s of waits contradict %g s in all", count, found.waits, found.all);
    record->batch.count = (int32_t)count;
    record->batch.index = record->batch.count - 1;
    record->batch.data = found.waits / count;
    record->batch.iter = found.all / count;
    return DLQ_READ_RECORD;
}

static int probe_ray(const struct dlq_log *log)
{
    return strstr(log->head, overall) != NULL && strstr(log->head, blocked) != NULL ? 80 : 0;
}

const struct dlq_log_reader dlq_ray_reader = {
    .probe = probe_ray, .next = next_of_ray, .state = sizeof(struct statistics)};
