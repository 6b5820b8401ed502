/* Formats that print sums of the whole run once, which make one record: the table of Lightning's SimpleProfiler, and
   the last line of the Trainer of transformers. */
#include "logs/read/format.h"

#include <string.h>

/* -- Lightning: sums by action -- */

enum { ACTION_DATA, ACTION_STEP, ACTIONS, CELLS = 5 };

/* How the names of actions end, in this version and in older ones. */
static const struct {
    const char *ending;
    int action;
} names[] = {
    {"train_dataloader_next", ACTION_DATA},
    {"get_train_batch", ACTION_DATA},
    {"run_training_batch", ACTION_STEP},
};

struct table {
    bool open;
    double total[ACTIONS], calls[ACTIONS]; /* calls 0: no such row */
};

/* The record of a table. The calls of the step count iterations: at the end of each epoch the loader is called once
   more. All waits for data are waits of training. */
static enum dlq_read close_table(struct dlq_log *log, struct dlq_record *record)
{
    struct table *table = log->state, found = *table;
    *table = (struct table){0};
    for (int i = 0; i < ACTIONS; i++)
        if (found.calls[i] == 0)
            return dlq_log_bad(log, "the table has no row '%s'", names[i == ACTION_DATA ? 0 : 2].ending);
    record->batch.count = (int32_t)found.calls[ACTION_STEP];
    record->batch.index = record->batch.count - 1;
    record->batch.data = found.total[ACTION_DATA] / found.calls[ACTION_STEP];
    record->batch.step = found.total[ACTION_STEP] / found.calls[ACTION_STEP];
    record->batch.iter = record->batch.data + record->batch.step;
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
    /* The total has five digits; the mean may be rounded to 0. */
    double calls = count > 3 ? values[2] : round(values[2] / values[1]);
    if (!(calls >= 1 && calls < INT32_MAX))
        return dlq_log_bad(log, "'%s' was called %g times", cells[0], calls);
    table->total[action] = values[count > 3 ? 3 : 2];
    table->calls[action] = calls;
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

/* -- the Trainer: {'train_runtime': 703.2, 'train_steps_per_second': 16.7}, with quotes of either kind; newer versions
   quote the numbers, too -- */

static const char runtime_key[] = "train_runtime", rate_key[] = "train_steps_per_second";

static bool read_key(const char *text, const char *key, double *value)
{
    const char *at = dlq_text_find(text, key);
    if (at == NULL)
        return false;
    at += strlen(key);
    at = dlq_number_time(at + strspn(at, "'\": \t"), value, NULL);
    return at != NULL && isfinite(*value) && strchr("'\", \t}", *at) != NULL;
}

static enum dlq_read next(struct dlq_log *log, struct dlq_record *record)
{
    char *text;
    double runtime, rate;
    TRY_READ(dlq_text_line(log, runtime_key, &text, &record->rank));
    if (strchr(text, '{') == NULL || dlq_text_find(text, runtime_key) == NULL)
        return DLQ_READ_OTHER;
    if (!read_key(text, runtime_key, &runtime) || !read_key(text, rate_key, &rate))
        return dlq_log_bad(log, "'%s' or '%s' is not there, or no number: is the line cut off?", runtime_key, rate_key);
    double count = round(runtime * rate);
    if (!(count >= 1 && count < INT32_MAX))
        return dlq_log_bad(log, "%g s at %g steps/s are no run", runtime, rate);
    record->batch.count = (int32_t)count;
    record->batch.index = record->batch.count - 1;
    record->batch.iter = runtime / count;
    return DLQ_READ_RECORD;
}

static int probe(const struct dlq_log *log)
{
    return dlq_text_find(log->head, runtime_key) != NULL && strstr(log->head, rate_key) != NULL ? 80 : 0;
}

const struct dlq_log_reader dlq_hf_trainer_reader = {.probe = probe, .next = next};
