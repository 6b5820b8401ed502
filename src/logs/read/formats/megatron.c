/* Megatron-LM: a line for some iterations, and where timers are shown a block of lines after it. */
#include "logs/read/format.h"

#include <string.h>

/* The line of iterations waits for the timers that may follow it. */
struct megatron {
    struct dlq_record held;
    bool holds, ended, by_rank; /* by_rank: after "batch-generator:", before the lines of its ranks */
};

/* "(least, longest)" or one number, in ms. */
static enum dlq_taken take_timer(struct dlq_log *log, struct megatron *state, const char *text)
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
            return DLQ_TAKEN_BAD;
    }
    if (pair && *at != ')')
        return dlq_log_bad(log, "the parenthesis after 'batch-generator' does not end: is the line cut off?");
    for (int i = 0; state->holds && i < (pair ? 2 : 1); i++)
        state->held.batch.data = fmax(state->held.batch.data, fmin(1e-3 * values[i], state->held.batch.iter));
    return DLQ_TAKEN_NOTHING;
}

/* A line behind that of the iterations: "batch-generator ....: TIMES", or that without times and then, with
   --timing-log-option all, "rank  3: 12.34" and so on. */
static enum dlq_taken take_block(struct dlq_log *log, struct megatron *state, const char *text)
{
    static const char timer[] = "batch-generator";
    const char *at = text + strspn(text, " \t");
    long rank;
    if (state->by_rank && strncmp(at, "rank", 4) == 0) {
        at += 4 + strspn(at + 4, " ");
        at = dlq_number_whole(at, &rank);
        if (at != NULL && *at == ':')
            return take_timer(log, state, at + 1);
    }
    state->by_rank = false;
    at = dlq_text_find(text, timer);
    if (at == NULL)
        return DLQ_TAKEN_OTHER;
    at += strlen(timer);
    at += strspn(at, " .");
    if (*at != ':')
        return DLQ_TAKEN_OTHER;
    at += 1 + strspn(at + 1, " \t");
    state->by_rank = *at == '\0';
    return state->by_rank ? DLQ_TAKEN_NOTHING : take_timer(log, state, at);
}

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    struct megatron *state = log->state;
    struct dlq_record came = dlq_record_empty();
    char *text;
    long rank;
    if (state->ended)
        return DLQ_TAKEN_END;
    enum dlq_taken taken = dlq_text_line(log, "elapsed time per iteration", &text, &rank);
    state->ended = taken == DLQ_TAKEN_END;
    if (taken == DLQ_TAKEN_RECORD) {
        taken = dlq_text_take(log, text, rank, &came);
        came.line = log->line;
        if (taken == DLQ_TAKEN_OTHER)
            return take_block(log, state, text);
    }
    if (taken != DLQ_TAKEN_RECORD && !state->ended)
        return taken;
    /* The one held is given for the one that came. */
    bool held = state->holds;
    *record = state->held;
    state->held = came;
    state->holds = !state->ended;
    if (!held)
        return state->ended ? DLQ_TAKEN_END : DLQ_TAKEN_NOTHING;
    log->line = record->line;
    return DLQ_TAKEN_RECORD;
}

const struct dlq_log_reader dlq_megatron_reader = {
    .probe = dlq_text_probe, .next = next, .state = sizeof(struct megatron)};
