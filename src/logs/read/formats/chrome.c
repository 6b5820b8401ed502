/* Traces of torch.profiler and Composer: each next() of the data loader is a wait, and the next one ends its step.
   A trace is {"traceEvents": [{...}, ...], ...}, or the array alone, which need not be closed. Its events come in any
   order and from many threads. Those that matter are few: they are held, put in order of time, and a process is
   followed in the thread that trains. */
#include "logs/read/format.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define MICRO 1e-6
/* Microseconds: doubles hold whole ones up to here. */
#define MOST_TIME 9007199254740992.0

enum { MOST_EVENT = 1 << 20, MOST_HELD = 1 << 18, MOST_THREADS = 4096, MOST_PROCESSES = 1 << 24 };

/* The begin and the end of a wait may be two events. */
enum kind { EVENT_STEP, EVENT_WAIT, EVENT_BEGIN, EVENT_END };

/* Who recorded it; a step belongs to the profiler. */
enum source { SOURCE_PROFILER, SOURCE_COMPOSER };

struct event {
    enum kind kind;
    enum source source;
    double begin, end;    /* us */
    long process, thread; /* numbers as they are, texts by their hash */
    long epoch, batch;    /* where Composer says so; else -1 */
    long line;
    size_t place, from; /* among those of the file that matter; which of state->threads it is of */
    bool in_step;       /* of a wait that is pending: a step of the profiler holds it, which ends then */
    double step_end;
};

/* A thread that waits for data or marks steps. */
struct thread {
    long process, number;
    enum source source;
    long waits, steps;
    /* Of the one of its process that trains: */
    bool trains, in_step, is_open, is_pending;
    long rank;
    double step_end;
    long step_waits;      /* of the step at hand */
    long single, many;    /* steps before it with one wait, and with more */
    long epoch, index;    /* of the next record */
    struct event open;    /* a wait that has begun and not ended */
    struct event pending; /* a wait; what follows it is not known yet */
};

struct state {
    struct dlq_json_values values;
    enum { AT_START, IN_OBJECT, IN_EVENTS, AFTER, GIVING } where;
    bool bare; /* an array alone */
    long rank; /* as distributedInfo says; else -1 */
    struct thread *threads;
    size_t thread_count, thread_capacity;
    struct event *events; /* that matter: as they come, then in order of time */
    size_t event_count, event_capacity;
    size_t taken, finished; /* events, threads */
    double origin;          /* ts of the first */
};

/* -- one event -- */

/* Whether the text holds one of the names: most events are kernels and operators, which are not worth parsing. */
static enum dlq_taken may_matter(struct dlq_log *log, char *text)
{
    (void)log;
    bool may = strstr(text, "DataLoader)#") != NULL || strstr(text, "ProfilerStep#") != NULL ||
               strstr(text, "event/dataloader\"") != NULL;
    return may ? DLQ_TAKEN_RECORD : DLQ_TAKEN_NOTHING;
}

/* A text by its hash (FNV-1a). */
static long number_of(const json_t *value, long otherwise)
{
    unsigned hash = 2166136261U;
    if (!json_is_string(value))
        return json_is_integer(value) ? (long)json_integer_value(value) : otherwise;
    for (const char *text = json_string_value(value); *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619U;
    return hash;
}

static bool read_time(struct dlq_log *log, const json_t *object, const char *key, double least, double *time)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value)) {
        dlq_log_bad(log, "%s of the event %s", key, value == NULL ? "is missing" : "is not a number");
        return false;
    }
    double found = json_number_value(value);
    if (found < least || found > MOST_TIME) {
        dlq_log_bad(log, "%s of the event is out of range: %g us", key, found);
        return false;
    }
    *time = found;
    return true;
}

/* PyTorch names its events so in BaseDataLoaderIter.__next__ and in profile.step; Composer in Engine.run_event. */
static enum dlq_taken read_object(struct dlq_log *log, const json_t *object, struct event *event)
{
    static const char loader[] = "enumerate(DataLoader)#", step[] = "ProfilerStep#", next[] = ".__next__";
    const char *text = json_string_value(json_object_get(object, "name"));
    const char *category = json_string_value(json_object_get(object, "cat"));
    const char *phase = json_string_value(json_object_get(object, "ph"));
    const json_t *arguments = json_object_get(object, "args");
    struct state *state = log->state;
    size_t length = text != NULL ? strlen(text) : 0;
    /* gpu_user_annotation repeats an event of the host, with the times of its kernels. */
    if (text == NULL || (category != NULL && strncmp(category, "gpu_", 4) == 0))
        return DLQ_TAKEN_NOTHING;
    bool steps = strncmp(text, step, sizeof step - 1) == 0, composer = strcmp(text, "event/dataloader") == 0;
    bool waits = strncmp(text, loader, sizeof loader - 1) == 0 && length >= sizeof next - 1 &&
                 strcmp(text + length - (sizeof next - 1), next) == 0;
    if (!steps && !waits && !composer)
        return DLQ_TAKEN_NOTHING;
    event->line = log->line;
    event->kind = steps ? EVENT_STEP : EVENT_WAIT;
    event->source = composer ? SOURCE_COMPOSER : SOURCE_PROFILER;
    if (phase == NULL)
        return dlq_log_bad(log, "ph of the event is missing");
    bool whole = strcmp(phase, "X") == 0, begins = strcmp(phase, "B") == 0;
    if (!whole && (event->kind != EVENT_WAIT || (!begins && strcmp(phase, "E") != 0)))
        return DLQ_TAKEN_NOTHING;
    if (!whole)
        event->kind = begins ? EVENT_BEGIN : EVENT_END;
    double duration = 0;
    if (!read_time(log, object, "ts", -MOST_TIME, &event->begin) ||
        (whole && !read_time(log, object, "dur", 0, &duration)))
        return DLQ_TAKEN_BAD;
    if (state->event_count == 0)
        state->origin = event->begin;
    event->begin -= state->origin; /* exact: what is left of 1.7e15 us are the digits that differ */
    event->end = event->begin + duration;
    event->process = number_of(json_object_get(object, "pid"), 0);
    event->thread = number_of(json_object_get(object, "tid"), 0);
    event->epoch = number_of(json_object_get(arguments, "epoch"), -1);
    if (event->epoch > INT32_MAX - MOST_HELD) /* each of the waits behind it may begin another */
        return dlq_log_bad(log, "epoch %ld is not in 0..%d", event->epoch, INT32_MAX - MOST_HELD);
    event->batch = number_of(json_object_get(arguments, "batch"), -1);
    return DLQ_TAKEN_RECORD;
}

/* -- the file around them -- */

static enum dlq_taken next_key(struct dlq_log *log)
{
    struct state *state = log->state;
    struct dlq_json_values *values = &state->values;
    char key[DLQ_KEY_SIZE] = "";
    enum dlq_key found = dlq_json_key(values, key);
    bool events = strcmp(key, "traceEvents") == 0;
    if (found == DLQ_KEY_WRONG)
        return dlq_json_wrong(values, log, "a key, or the end of the trace,");
    if (found == DLQ_KEY_CLOSE)
        state->where = AFTER;
    else if (events && !dlq_json_take(values, '['))
        return dlq_json_wrong(values, log, "the array of traceEvents");
    else if (events)
        state->where = IN_EVENTS;
    else if (dlq_json_next(values) == DLQ_VALUE_CUT)
        return dlq_json_wrong(values, log, "the end of a value");
    else if (strcmp(key, "distributedInfo") == 0) { /* {"backend": "nccl", "rank": 3, "world_size": 8} */
        json_t *info = json_loadb(values->text, values->length, 0, NULL), *own = json_object_get(info, "rank");
        json_int_t rank = json_integer_value(own), world = json_integer_value(json_object_get(info, "world_size"));
        if (json_is_integer(own) && rank >= 0 && rank < MOST_PROCESSES)
            state->rank = (long)rank;
        if (world > log->shared->world && world < MOST_PROCESSES)
            log->shared->world = (long)world;
        json_decref(info);
    }
    return DLQ_TAKEN_NOTHING;
}

/* DLQ_TAKEN_RECORD: *event is filled; NOTHING: what is of no interest; END: all is read that can be. */
static enum dlq_taken read_on(struct dlq_log *log, struct event *event)
{
    struct state *state = log->state;
    struct dlq_json_values *values = &state->values;
    json_t *object;
    if (values->broken)
        return DLQ_TAKEN_END;
    if (state->where == IN_OBJECT)
        return next_key(log);
    if (state->where == AT_START) {
        state->bare = dlq_json_take(values, '[');
        if (!state->bare && !dlq_json_take(values, '{'))
            return dlq_json_wrong(values, log, "{ or [ of a trace");
        state->where = state->bare ? IN_EVENTS : IN_OBJECT;
        return DLQ_TAKEN_NOTHING;
    }
    if (state->where == IN_EVENTS) {
        dlq_json_take(values, ',');
        if (dlq_json_take(values, ']')) {
            state->where = state->bare ? AFTER : IN_OBJECT;
            return DLQ_TAKEN_NOTHING;
        }
    }
    bool ends = dlq_json_peek(values) < 0, may_end = state->where == AFTER || state->bare;
    if (ends && may_end && dlq_input_fault(log->input) == NULL)
        return DLQ_TAKEN_END;
    if (state->where == AFTER)
        return dlq_json_wrong(values, log, "the end of the file");
    if (ends)
        return dlq_json_wrong(values, log, "the next event, or the end of traceEvents,");
    enum dlq_taken taken = dlq_json_parse(values, log, "an event", may_matter, &object);
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
    taken = read_object(log, object, event);
    json_decref(object);
    return taken;
}

/* -- which thread trains -- */

/* Gives each process with waits a training thread. Composer's processes are numbered by rank; where there are several
   others, in their order. The rank of one alone is known by something else. */
static void choose_trainers(struct state *state)
{
    struct thread *threads = state->threads;
    bool by_composer = false;
    size_t trainers = 0;
    for (size_t i = 0; i < state->thread_count; i++) {
        struct thread *best = &threads[i];
        bool first = threads[i].waits > 0;
        by_composer = by_composer || threads[i].source == SOURCE_COMPOSER;
        for (size_t k = 0; k < state->thread_count; k++) {
            struct thread *other = &threads[k];
            if (other->process != threads[i].process || other->waits == 0)
                continue;
            first = first && k >= i;
            /* Steps are marked by the training thread; else the one that waits most often is it. */
            bool likelier = (other->steps > 0) != (best->steps > 0) ? other->steps > 0 : other->waits > best->waits;
            best = likelier ? other : best;
        }
        best->trains = best->trains || first;
        trainers += first;
    }
    for (size_t i = 0; i < state->thread_count; i++) {
        bool numbered = by_composer && threads[i].process >= 0;
        threads[i].rank = numbered ? threads[i].process : trainers > 1 ? 0 : state->rank;
        for (size_t k = 0; k < state->thread_count && trainers > 1 && !numbered; k++)
            threads[i].rank += threads[k].trains && threads[k].process < threads[i].process;
    }
}

/* -- from its events to records -- */

static void fill(struct thread *trainer, double end, struct dlq_record *record)
{
    const struct event *wait = &trainer->pending;
    if (wait->epoch >= 0 && wait->epoch != trainer->epoch) {
        trainer->epoch = wait->epoch;
        trainer->index = 0;
    }
    record->line = wait->line;
    record->rank = trainer->rank;
    record->batch.epoch = (int32_t)trainer->epoch;
    record->batch.index = (int32_t)trainer->index++;
    record->batch.request = wait->begin * MICRO;
    record->batch.received = wait->end * MICRO;
    record->batch.step_end = end >= wait->end ? end * MICRO : NAN;
    record->batch.data = (wait->end - wait->begin) * MICRO;
    record->batch.iter = record->batch.step_end - record->batch.request;
}

/* Events in order of time. True: *record is that of the wait before. */
static bool take_event(struct thread *trainer, struct event event, struct dlq_record *record)
{
    struct event *pending = &trainer->pending;
    if (event.kind == EVENT_STEP) {
        trainer->single += trainer->step_waits == 1;
        trainer->many += trainer->step_waits > 1;
        trainer->step_waits = 0;
        trainer->in_step = true;
        trainer->step_end = event.end;
        return false;
    }
    if (event.kind == EVENT_BEGIN)
        trainer->open = event;
    bool was_open = trainer->is_open;
    trainer->is_open = event.kind == EVENT_BEGIN || (was_open && event.kind != EVENT_END);
    if (event.kind == EVENT_BEGIN || (event.kind == EVENT_END && !was_open))
        return false;
    if (event.kind == EVENT_END) {
        trainer->open.end = event.begin;
        event = trainer->open;
    }
    if (trainer->is_pending && event.begin < pending->end)
        return false; /* within the other: an iterator that calls one */
    event.in_step = trainer->in_step && event.begin < trainer->step_end;
    event.step_end = trainer->step_end;
    trainer->step_waits += event.in_step;
    /* The next() that finds the end of an epoch is recorded like any other. Composer numbers batches: that of the next
       one is the same. In the profiler's steps, which as a rule hold one next() each, another follows within its step:
       that of the next epoch, or of a validation in between. */
    bool numbered = pending->batch >= 0 && event.batch >= 0;
    bool found_the_end = numbered ? pending->batch == event.batch
                                  : event.in_step && trainer->step_waits > 1 && trainer->single > trainer->many;
    bool filled = trainer->is_pending && !found_the_end;
    if (filled)
        fill(trainer, event.begin, record);
    else if (trainer->is_pending) {
        if (trainer->step_waits == 2 || !event.in_step)
            trainer->epoch++;
        trainer->index = 0;
    }
    *pending = event;
    trainer->is_pending = true;
    return filled;
}

/* -- events in order of time -- */

/* A step begins before the wait that it holds. */
static int compare(const void *one, const void *other)
{
    const struct event *a = one, *b = other;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if ((a->kind == EVENT_STEP) != (b->kind == EVENT_STEP))
        return a->kind == EVENT_STEP ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static enum dlq_taken hold(struct dlq_log *log, struct event event)
{
    struct state *state = log->state;
    size_t at = 0;
    if (state->event_count == MOST_HELD)
        return dlq_log_bad(log, "more than %d waits and steps", MOST_HELD);
    while (at < state->thread_count &&
           (state->threads[at].number != event.thread || state->threads[at].process != event.process ||
            state->threads[at].source != event.source))
        at++;
    if (at == MOST_THREADS)
        return dlq_log_bad(log, "more than %d threads wait for data", MOST_THREADS);
    if (!dlq_grow(&state->threads, &state->thread_capacity, at + 1, sizeof *state->threads) ||
        !dlq_grow(&state->events, &state->event_capacity, state->event_count + 1, sizeof *state->events))
        return dlq_log_no_memory(log);
    struct thread *thread = &state->threads[at];
    if (at == state->thread_count) {
        *thread = (struct thread){.process = event.process, .number = event.thread, .source = event.source};
        state->thread_count++;
    }
    thread->steps += event.kind == EVENT_STEP;
    thread->waits += event.kind == EVENT_WAIT || event.kind == EVENT_BEGIN;
    event.place = state->event_count;
    event.from = at;
    state->events[state->event_count++] = event;
    return DLQ_TAKEN_NOTHING;
}

/* -- the reader -- */

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    struct state *state = log->state;
    bool filled = false;
    if (state->where != GIVING) {
        struct event event = {0};
        enum dlq_taken taken = read_on(log, &event);
        if (taken != DLQ_TAKEN_END)
            return taken == DLQ_TAKEN_RECORD ? hold(log, event) : taken;
        state->where = GIVING;
        if (state->event_count > 0)
            qsort(state->events, state->event_count, sizeof *state->events, compare);
        choose_trainers(state);
        return DLQ_TAKEN_NOTHING;
    }
    if (state->taken < state->event_count) {
        const struct event *event = &state->events[state->taken++];
        struct thread *trainer = &state->threads[event->from];
        filled = trainer->trains && take_event(trainer, *event, record);
    } else if (state->finished < state->thread_count) {
        /* A wait that nothing follows may have found the end of the data: it is left out unless a step holds it. */
        struct thread *trainer = &state->threads[state->finished++];
        filled = trainer->trains && trainer->is_pending && trainer->pending.in_step;
        if (filled)
            fill(trainer, trainer->pending.step_end, record);
    } else
        return DLQ_TAKEN_END;
    if (filled)
        log->line = record->line;
    return filled ? DLQ_TAKEN_RECORD : DLQ_TAKEN_NOTHING;
}

static void begin(struct dlq_log *log)
{
    struct state *state = log->state;
    state->values = (struct dlq_json_values){.input = log->input, .most = MOST_EVENT, .line = 1, .lines = 1};
    state->rank = -1;
}

static void end(struct dlq_log *log)
{
    struct state *state = log->state;
    free(state->threads);
    free(state->events);
    free(state->values.bytes);
}

static int probe(const struct dlq_log *log)
{
    const char *first = log->head + strspn(log->head, "\xEF\xBB\xBF \t\r\n");
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

const struct dlq_log_reader dlq_chrome_reader = {
    .probe = probe, .next = next, .state = sizeof(struct state), .begin = begin, .end = end};
