/* The table of Lightning's SimpleProfiler: sums over the whole run, one record. */
#include "trace/format.h"

#include <string.h>

enum { CELLS = 5 };

enum { ACTION_DATA, ACTION_STEP, ACTIONS };

/* What an action's name ends in, now and in older versions. */
static const struct {
    const char *ending;
    int action;
} names[] = {
    {"train_dataloader_next", ACTION_DATA},
    {"get_train_batch", ACTION_DATA},
    {"run_training_batch", ACTION_STEP},
};

struct table {
    bool open, ended;
    struct action {
        double mean, calls; /* calls 0: no such row */
    } actions[ACTIONS];
};

/* Cuts a row at its bars, in place, and trims the cells; how many there are. */
static size_t cut_row(char *text, char *cells[CELLS])
{
    size_t count = 0;
    text += strspn(text, " \t|");
    while (*text != '\0' && count < CELLS) {
        char *cell = text;
        text += strcspn(text, "|");
        if (*text == '|')
            *text++ = '\0';
        cells[count++] = dlq_trim(cell);
        text += strspn(text, " \t");
    }
    return count;
}

static int action_of(const char *cell)
{
    size_t length = strlen(cell);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t ending = strlen(names[i].ending);
        if (length >= ending && strcmp(cell + length - ending, names[i].ending) == 0)
            return names[i].action;
    }
    return -1;
}

static bool is_header(const char *text)
{
    return strstr(text, "Action") != NULL && strstr(text, "Mean duration (s)") != NULL;
}

/* NAME | mean | calls | total | percent, in older versions NAME | mean | total. */
static enum dlq_taken take_row(struct dlq_log *log, char *cells[CELLS], size_t count, struct action *action)
{
    static const char *const columns[] = {"", "Mean duration (s)", "Num calls", "Total time (s)"};
    bool with_calls = count >= 4;
    double values[4] = {0};
    if (count < 3)
        return dlq_log_bad(log, "the row '%s' has no total: is the line cut off?", cells[0]);
    for (size_t i = 1; i < (with_calls ? 4 : 3); i++) {
        const char *after = dlq_number_time(cells[i], &values[i], NULL);
        if (after == NULL || *after != '\0' || !isfinite(values[i]))
            return dlq_log_bad(log, "'%s' of '%s' is '%.24s', not a number", columns[!with_calls && i == 2 ? 3 : i],
                               cells[0], cells[i]);
    }
    double calls = with_calls ? values[2] : round(values[2] / values[1]);
    if (!(calls >= 1 && calls < INT32_MAX))
        return dlq_log_bad(log, "'%s' was called %g times", cells[0], calls);
    /* The total has five digits too, and the mean may have been rounded to nothing. */
    *action = (struct action){.mean = (with_calls ? values[3] : values[2]) / calls, .calls = calls};
    return DLQ_TAKEN_NOTHING;
}

/* What the table says. The loader is asked once more at the end of each epoch, so that iterations are counted by the
   batches trained; but a wait for all of them is a wait of training. */
static enum dlq_taken close_table(struct dlq_log *log, struct dlq_record *record)
{
    struct table *table = log->state;
    struct action data = table->actions[ACTION_DATA];
    struct action step = table->actions[ACTION_STEP];
    *table = (struct table){.ended = table->ended};
    if (data.calls == 0)
        return dlq_log_bad(log, "the table has no row 'train_dataloader_next'");
    if (step.calls == 0)
        return dlq_log_bad(log, "the table has no row 'run_training_batch'");
    record->count = (long)step.calls;
    record->index = record->count - 1;
    record->data = data.mean * data.calls / step.calls;
    record->step = step.mean;
    record->iter = record->data + record->step;
    return DLQ_TAKEN_RECORD;
}

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    struct table *table = log->state;
    char *cells[CELLS];
    char *text;
    long rank;
    if (table->ended)
        return DLQ_TAKEN_END;
    enum dlq_taken taken = dlq_text_line(log, "train_dataloader_next", &text, &rank);
    if (taken == DLQ_TAKEN_END) {
        table->ended = true;
        return table->open ? close_table(log, record) : DLQ_TAKEN_END;
    }
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
    if (is_header(text)) {
        taken = table->open ? close_table(log, record) : DLQ_TAKEN_NOTHING;
        table->open = true;
        return taken;
    }
    if (!table->open || strchr(text, '|') == NULL)
        return DLQ_TAKEN_OTHER;
    size_t count = cut_row(text, cells);
    int action = count > 0 ? action_of(cells[0]) : -1;
    return action >= 0 ? take_row(log, cells, count, &table->actions[action]) : DLQ_TAKEN_NOTHING;
}

static int probe(const struct dlq_format *format, const char *head, size_t length)
{
    enum { SURE = 80 };
    (void)format;
    (void)length;
    return is_header(head) && strchr(head, '|') != NULL ? SURE : 0;
}

const struct dlq_log_reader dlq_lightning_reader = {.probe = probe, .next = next, .state = sizeof(struct table)};
