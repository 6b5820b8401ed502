/* Reads logs of Megatron-LM: a line covers several iterations; if timers are logged, lines with their times follow. */
#include "logs/read/format.h"

#include <string.h>

struct megatron {
    struct dlq_record pending; /* of line pending_line, until its timers have been read */
    long pending_line;
    bool is_pending; /* there is a pending record */
    bool clocked;    /* log->shared->clock contains its iterations */
    bool by_rank;    /* the last line was "batch-generator:" without times: a line for each rank may follow */
};

/* Reads "(shortest, longest)" or one number, in ms. The data time of the pending record is the maximum of all. */
static enum dlq_read add_timer(struct dlq_log *log, struct megatron *state, const char *text)
{
    const char *at = text + strspn(text, " \t");
    bool pair = *at == '(';
    double values[2];
    for (int i = 0; i < (pair ? 2 : 1); i++) {
        at += strspn(at, "(, \t");
        at = dlq_number_time(at, &values[i], NULL);
        if (at == NULL || strchr(" \t,)|", *at) == NULL || !isfinite(values[i]))
            return dlq_log_bad(log, "'batch-generator' is not a time in ms, or not (shortest, longest)");
        if (!dlq_log_time("batch-generator", 1e-3 * values[i], log->why))
            return DLQ_READ_BAD;
    }
    if (pair && *at != ')')
        return dlq_log_bad(log, "the parenthesis after 'batch-generator' does not end: is the line cut off?");
    for (int i = 0; state->is_pending && i < (pair ? 2 : 1); i++)
        state->pending.batch.data = fmax(state->pending.batch.data, fmin(1e-3 * values[i], state->pending.batch.iter));
    return DLQ_READ_NOTHING;
}

/* Reads a line behind a line of iterations: "batch-generator ....: TIMES"; with --timing-log-option all, the same
   without TIMES, and then "rank  3: 12.34" for each rank. */
static enum dlq_read read_timers(struct dlq_log *log, struct megatron *state, const char *text)
{
    static const char timer[] = "batch-generator";
    const char *at = text + strspn(text, " \t");
    long rank;
    if (state->by_rank && strncmp(at, "rank", 4) == 0) {
        at += 4 + strspn(at + 4, " ");
        at = dlq_number_whole(at, &rank);
        if (at != NULL && *at == ':')
            return add_timer(log, state, at + 1);
    }
    state->by_rank = false;
    at = dlq_text_find(text, timer);
    if (at == NULL) /* Megatron of 2019: "time (ms) | forward: 132.49 | batch generator: 45.29" */
        at = dlq_text_find(text, "batch generator");
    if (at == NULL)
        return DLQ_READ_OTHER;
    at += strlen(timer);
    at += strspn(at, " .");
    if (*at != ':')
        return DLQ_READ_OTHER;
    at += 1 + strspn(at + 1, " \t");
    state->by_rank = *at == '\0';
    return state->by_rank ? DLQ_READ_NOTHING : add_timer(log, state, at);
}

static enum dlq_read drain(struct dlq_log *log, struct dlq_record *record)
{
    struct megatron *state = log->state;
    if (!state->is_pending)
        return DLQ_READ_END;
    *record = state->pending;
    state->is_pending = false;
    if (state->clocked && !isnan(record->batch.data))
        log->shared->clock.waited += record->batch.data * record->batch.count;
    log->line = state->pending_line;
    return DLQ_READ_RECORD;
}

/* Returns the pending record, if any. The record of this line becomes pending until its timers have been read. */
static enum dlq_read next(struct dlq_log *log, struct dlq_record *record)
{
    struct megatron *state = log->state;
    struct dlq_record current = dlq_record_empty();
    char *text;
    long rank;
    TRY_READ(dlq_text_line(log, "elapsed time per iteration", &text, &rank));
    const long rows = log->shared->clock.rows;
    enum dlq_read result = dlq_text_record(log, text, rank, &current);
    if (result == DLQ_READ_OTHER)
        return read_timers(log, state, text);
    if (result != DLQ_READ_RECORD)
        return result;
    long line = log->line;
    result = drain(log, record);
    state->pending = current;
    state->pending_line = line;
    state->is_pending = true;
    state->clocked = log->shared->clock.rows > rows;
    return result == DLQ_READ_END ? DLQ_READ_NOTHING : result;
}

static void start(struct dlq_log *log)
{
    dlq_text_pace(log, dlq_text_counter, NULL);
}

const struct dlq_log_reader dlq_megatron_reader = {
    .probe = dlq_text_probe, .start = start, .next = next, .drain = drain, .state = sizeof(struct megatron)};
