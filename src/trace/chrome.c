/* Traces of torch.profiler and Composer: each next() of the data loader is a wait, and the next one ends its step. */
#include "trace/lanes.h"

#include <stdlib.h>
#include <string.h>

/* Events that tell are few: as many are held, and put in order of time. Beyond that the first half goes on. */
enum { MOST_HELD = 1 << 16 };

struct held {
    struct dlq_json_event event;
    long place; /* in the file */
    int thread;
};

struct state {
    struct dlq_json_events events;
    struct dlq_lanes lanes;
    struct held *held;
    size_t count, capacity;
    size_t ordered, taken; /* of held: known to be in order, and given to the lanes */
    size_t finished;       /* lanes */
    long read;
    double origin, latest; /* ts of the first; the latest one taken, since then */
    bool ended;
};

static bool begin(struct dlq_log *log)
{
    struct state *state = malloc(sizeof *state);
    if (state == NULL)
        return false;
    dlq_json_events_begin(&state->events, log->input);
    memset(&state->lanes, 0, sizeof state->lanes);
    state->held = NULL;
    state->count = state->capacity = state->ordered = state->taken = state->finished = 0;
    state->read = 0;
    state->origin = 0;
    state->latest = -INFINITY;
    state->ended = false;
    log->state = state;
    return true;
}

static void end(struct dlq_log *log)
{
    struct state *state = log->state;
    dlq_lanes_free(&state->lanes);
    free(state->held);
    free(state);
}

static enum dlq_taken fail(struct dlq_log *log)
{
    dlq_log_bad(log, "out of memory");
    return DLQ_TAKEN_FAILED;
}

/* A step begins before the wait that it holds. */
static int compare(const void *one, const void *other)
{
    const struct held *a = one;
    const struct held *b = other;
    if (a->event.begin != b->event.begin)
        return a->event.begin < b->event.begin ? -1 : 1;
    if ((a->event.kind == DLQ_EVENT_STEP) != (b->event.kind == DLQ_EVENT_STEP))
        return a->event.kind == DLQ_EVENT_STEP ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Puts what is held in order, of which `count` may go on. */
static bool put_in_order(struct state *state, size_t count)
{
    if (state->count > 0)
        qsort(state->held, state->count, sizeof *state->held, compare);
    state->ordered = count;
    state->taken = 0;
    return dlq_lanes_choose(&state->lanes);
}

static bool grow(struct state *state)
{
    if (state->count < state->capacity)
        return true;
    size_t capacity = state->capacity == 0 ? 256 : 2 * state->capacity;
    struct held *grown = realloc(state->held, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    state->held = grown;
    state->capacity = capacity;
    return true;
}

static enum dlq_taken hold(struct state *state, struct dlq_log *log, struct dlq_json_event event)
{
    if (state->read++ == 0)
        state->origin = event.begin;
    event.begin -= state->origin; /* exact: what is left of 1.7e15 us are the digits that differ */
    if (event.begin < state->latest)
        return dlq_log_bad(log, "more than %d events that come later in time precede it", MOST_HELD / 2);
    int thread = dlq_lanes_thread(&state->lanes, &event);
    if (thread == -2)
        return dlq_log_bad(log, "more than %d threads wait for data", DLQ_MOST_THREADS);
    if (thread < 0 || !grow(state))
        return fail(log);
    state->held[state->count++] = (struct held){event, state->read, thread};
    if (state->count == MOST_HELD && !put_in_order(state, MOST_HELD / 2))
        return fail(log);
    return DLQ_TAKEN_NOTHING;
}

static enum dlq_taken tell(struct state *state, struct dlq_log *log, struct dlq_record *record)
{
    log->line = record->line;
    if (record->rank < 0)
        record->rank = state->events.rank;
    return DLQ_TAKEN_RECORD;
}

static enum dlq_taken take_held(struct state *state, struct dlq_log *log, struct dlq_record *record)
{
    const struct held *held = &state->held[state->taken++];
    state->latest = held->event.begin;
    bool told = dlq_lanes_take(&state->lanes, &held->event, held->thread, record);
    if (state->taken == state->ordered) {
        state->count -= state->ordered;
        memmove(state->held, state->held + state->ordered, state->count * sizeof *state->held);
        state->ordered = state->taken = 0;
    }
    return told ? tell(state, log, record) : DLQ_TAKEN_NOTHING;
}

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    struct state *state = log->state;
    struct dlq_json_event event;
    if (state->taken < state->ordered)
        return take_held(state, log, record);
    if (!state->ended) {
        enum dlq_taken taken = dlq_json_events_next(&state->events, log, &event);
        if (taken == DLQ_TAKEN_RECORD)
            return hold(state, log, event);
        if (taken != DLQ_TAKEN_END)
            return taken;
        state->ended = true;
        return put_in_order(state, state->count) ? DLQ_TAKEN_NOTHING : fail(log);
    }
    while (state->finished < state->lanes.count)
        if (dlq_lanes_finish(&state->lanes, state->finished++, record))
            return tell(state, log, record);
    return DLQ_TAKEN_END;
}

static int probe(const char *head, size_t length)
{
    const char *first = head + strspn(head, "\xEF\xBB\xBF \t\r\n");
    (void)length;
    if (*first == '[') {
        const char *object = first + 1 + strspn(first + 1, " \t\r\n");
        return *object == '{' && strstr(object, "\"ph\"") != NULL ? 90 : 0;
    }
    if (*first != '{')
        return 0;
    if (strstr(first, "\"traceEvents\"") != NULL)
        return 95;
    static const char *const keys[] = {"\"schemaVersion\"", "\"deviceProperties\"", "\"displayTimeUnit\"",
                                       "\"baseTimeNanoseconds\""};
    int found = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        found += strstr(first, keys[i]) != NULL;
    return found > 1 ? 80 : found * 40;
}

const struct dlq_format dlq_format_chrome = {
    .name = "chrome",
    .written_by = "torch.profiler, Composer's profiler (Chrome trace, .json or .json.gz)",
    .meaning = "every next() of the data loader, and the distance to the one after it",
    .numbers = DLQ_NUMBERS_SINGLE,
    .binary = true,
    .probe = probe,
    .begin = begin,
    .next = next,
    .end = end,
};
