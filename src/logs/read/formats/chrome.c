/* Reads traces of torch.profiler and Composer: each next() of the data loader is a wait, and its iteration ends with
   the following next(). A trace is {"traceEvents": [{...}, ...], ...}, or the array alone, whose ] may be missing. The
   reader keeps waits and steps, sorts them by time, and makes records for the training thread of each process. */
#include "logs/read/format.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define MICRO 1e-6
#define MOST_TIME 9007199254740992.0 /* us; 2^53: doubles hold all integers up to here */

enum { MOST_EVENT = 1 << 20, MOST_KEPT = 1 << 18, MOST_THREADS = 4096, MOST_PROCESSES = 1 << 24 };

/* A wait is one event, EVENT_WAIT, or two, EVENT_START and EVENT_END. Only torch.profiler records steps. */
enum kind { EVENT_STEP, EVENT_WAIT, EVENT_START, EVENT_END };
enum source { SOURCE_PROFILER, SOURCE_COMPOSER };

struct event {
    enum kind kind;
    enum source source;
    double start, end;    /* us, since state.origin */
    long process, thread; /* a number, or the hash of a text */
    long epoch, batch;    /* from Composer; -1: unknown */
    long line;            /* in the file */
    size_t order, from;   /* number among the kept events, from 0; index of its thread */
    bool in_step;         /* of a pending wait: it starts within a step of torch.profiler, which ends at step_end */
    double step_end;      /* us */
};

/* A thread that waits for data or marks steps. */
struct thread {
    long process, number;
    enum source source;
    long waits, steps;
    bool trains; /* the training thread of its process; the members below are only set for such threads */
    bool in_step, is_open, is_pending; /* a step has started; `open` is set; `pending` is set */
    long rank;
    double step_end;      /* us, of the last step that started */
    long step_waits;      /* in that step */
    long single, many;    /* earlier steps with one wait, and with several waits */
    long epoch, index;    /* of the next record */
    struct event open;    /* a wait that has started and not ended */
    struct event pending; /* a wait whose iteration has not ended */
};

struct state {
    struct dlq_json_values values;
    enum { AT_START, IN_OBJECT, IN_EVENTS, AFTER, SORTED } where; /* position in the file; SORTED: the file has ended */
    bool bare;                                                    /* the trace is an array alone */
    long rank;                                                    /* from distributedInfo; -1: unknown */
    struct thread *threads;
    size_t thread_count, thread_capacity;
    struct event *events; /* waits and steps: in the order of the file, after its end sorted by time */
    size_t event_count, event_capacity;
    size_t followed, finished; /* numbers of events and threads that drain() has processed */
    double origin;             /* us; ts of the first event */
};

/* -- one event -- */

/* DLQ_READ_RECORD: the event may be a wait or a step. Most events are kernels and operators, which need no parsing. */
static enum dlq_read select_event(struct dlq_log *log, char *text)
{
    (void)log;
    bool may = strstr(text, "DataLoader)#") != NULL || strstr(text, "ProfilerStep#") != NULL ||
               strstr(text, "event/dataloader\"") != NULL;
    return may ? DLQ_READ_RECORD : DLQ_READ_NOTHING;
}

/* The value of an integer, the hash (FNV-1a) of a text; `otherwise`: the value is neither. */
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
    *time = json_number_value(value);
    bool right = json_is_number(value) && *time >= least && *time <= MOST_TIME;
    if (!json_is_number(value))
        dlq_log_bad(log, "%s of the event %s", key, value == NULL ? "is missing" : "is not a number");
    else if (!right)
        dlq_log_bad(log, "%s of the event is out of range: %g us", key, *time);
    return right;
}

/* Reads a wait or a step, by names from BaseDataLoaderIter.__next__, profile.step, and Composer's Engine.run_event. */
static enum dlq_read read_object(struct dlq_log *log, const json_t *object, struct event *event)
{
    static const char loader[] = "enumerate(DataLoader)#", step[] = "ProfilerStep#", next[] = ".__next__";
    const char *text = json_string_value(json_object_get(object, "name"));
    const char *category = json_string_value(json_object_get(object, "cat"));
    const char *phase = json_string_value(json_object_get(object, "ph"));
    const json_t *arguments = json_object_get(object, "args");
    struct state *state = log->state;
    size_t length = text != NULL ? strlen(text) : 0;
    /* gpu_user_annotation repeats an event of the host with the times of its kernels. */
    if (text == NULL || (category != NULL && strncmp(category, "gpu_", 4) == 0))
        return DLQ_READ_NOTHING;
    bool steps = strncmp(text, step, sizeof step - 1) == 0, composer = strcmp(text, "event/dataloader") == 0;
    bool waits = strncmp(text, loader, sizeof loader - 1) == 0 && length >= sizeof next - 1 &&
                 strcmp(text + length - (sizeof next - 1), next) == 0;
    if (!steps && !waits && !composer)
        return DLQ_READ_NOTHING;
    event->line = log->line;
    event->kind = steps ? EVENT_STEP : EVENT_WAIT;
    event->source = composer ? SOURCE_COMPOSER : SOURCE_PROFILER;
    if (phase == NULL)
        return dlq_log_bad(log, "ph of the event is missing");
    bool whole = strcmp(phase, "X") == 0, starts = strcmp(phase, "B") == 0;
    if (!whole && (event->kind != EVENT_WAIT || (!starts && strcmp(phase, "E") != 0)))
        return DLQ_READ_NOTHING;
    if (!whole)
        event->kind = starts ? EVENT_START : EVENT_END;
    double duration = 0;
    if (!read_time(log, object, "ts", -MOST_TIME, &event->start) ||
        (whole && !read_time(log, object, "dur", 0, &duration)))
        return DLQ_READ_BAD;
    if (state->event_count == 0)
        state->origin = event->start;
    event->start -= state->origin; /* exact, as both are near 1.7e15 us */
    event->end = event->start + duration;
    event->process = number_of(json_object_get(object, "pid"), 0);
    event->thread = number_of(json_object_get(object, "tid"), 0);
    event->epoch = number_of(json_object_get(arguments, "epoch"), -1);
    if (event->epoch > INT32_MAX - MOST_KEPT) /* each later wait may start another epoch */
        return dlq_log_bad(log, "epoch %ld is not in 0..%d", event->epoch, INT32_MAX - MOST_KEPT);
    event->batch = number_of(json_object_get(arguments, "batch"), -1);
    return DLQ_READ_RECORD;
}

/* -- the file -- */

static enum dlq_read next_key(struct dlq_log *log)
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
    else if (events && !dlq_json_accept(values, '['))
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
    return DLQ_READ_NOTHING;
}

/* Reads a key, an event or a bracket. DLQ_READ_RECORD: *event is a wait or a step. */
static enum dlq_read read_event(struct dlq_log *log, struct event *event)
{
    struct state *state = log->state;
    struct dlq_json_values *values = &state->values;
    json_t *object;
    if (values->broken)
        return DLQ_READ_END;
    if (state->where == IN_OBJECT)
        return next_key(log);
    if (state->where == AT_START) {
        state->bare = dlq_json_accept(values, '[');
        if (!state->bare && !dlq_json_accept(values, '{'))
            return dlq_json_wrong(values, log, "{ or [ of a trace");
        state->where = state->bare ? IN_EVENTS : IN_OBJECT;
        return DLQ_READ_NOTHING;
    }
    if (state->where == IN_EVENTS) {
        dlq_json_accept(values, ',');
        if (dlq_json_accept(values, ']')) {
            state->where = state->bare ? AFTER : IN_OBJECT;
            return DLQ_READ_NOTHING;
        }
    }
    bool ends = dlq_json_peek(values) < 0, may_end = state->where == AFTER || state->bare;
    if (ends && may_end && dlq_input_fault(log->input) == NULL)
        return DLQ_READ_END;
    if (state->where == AFTER)
        return dlq_json_wrong(values, log, "the end of the file");
    if (ends)
        return dlq_json_wrong(values, log, "the next event, or the end of traceEvents,");
    TRY_READ(dlq_json_parse(values, log, "an event", select_event, &object));
    enum dlq_read result = read_object(log, object, event);
    json_decref(object);
    return result;
}

/* -- the training threads -- */

/* Chooses the training thread of each process with waits, and its rank: with Composer the number of the process; with
   several processes the index of the process in ascending order; else the rank of the trace. */
static void choose_trainers(struct state *state)
{
    struct thread *threads = state->threads;
    bool by_composer = false;
    size_t trainers = 0;
    for (size_t i = 0; i < state->thread_count; i++) {
        struct thread *best = NULL;
        by_composer = by_composer || threads[i].source == SOURCE_COMPOSER;
        for (struct thread *other = threads; other < threads + state->thread_count; other++)
            /* The training thread marks steps, or else waits most often. */
            if (other->process == threads[i].process && other->waits > 0 &&
                (best == NULL || (other->steps > 0 && best->steps == 0) ||
                 ((other->steps > 0) == (best->steps > 0) && other->waits > best->waits)))
                best = other;
        if (best != NULL && !best->trains) {
            best->trains = true;
            trainers++;
        }
    }
    for (size_t i = 0; i < state->thread_count; i++) {
        bool numbered = by_composer && threads[i].process >= 0;
        threads[i].rank = numbered ? threads[i].process : trainers > 1 ? 0 : state->rank;
        for (size_t k = 0; k < state->thread_count && trainers > 1 && !numbered; k++)
            threads[i].rank += threads[k].trains && threads[k].process < threads[i].process;
    }
}

/* -- from events to records -- */

/* Makes a record of the pending wait, whose iteration ends at `end`, us. */
static void fill(struct dlq_log *log, struct thread *trainer, double end, struct dlq_record *record)
{
    const struct event *wait = &trainer->pending;
    if (wait->epoch >= 0 && wait->epoch != trainer->epoch) {
        trainer->epoch = wait->epoch;
        trainer->index = 0;
    }
    log->line = wait->line;
    record->rank = trainer->rank;
    record->batch.epoch = (int32_t)trainer->epoch;
    record->batch.index = (int32_t)trainer->index++;
    record->batch.request = wait->start * MICRO;
    record->batch.received = wait->end * MICRO;
    record->batch.step_end = end >= wait->end ? end * MICRO : NAN;
    record->batch.data = (wait->end - wait->start) * MICRO;
    record->batch.iter = record->batch.step_end - record->batch.request;
}

/* Processes the next event of a thread, in order of time. True: *record is the iteration of the previous wait. */
static bool process_event(struct dlq_log *log, struct thread *trainer, struct event event, struct dlq_record *record)
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
    if (event.kind == EVENT_START)
        trainer->open = event;
    bool was_open = trainer->is_open;
    trainer->is_open = event.kind == EVENT_START || (was_open && event.kind != EVENT_END);
    if (event.kind == EVENT_START || (event.kind == EVENT_END && !was_open))
        return false;
    if (event.kind == EVENT_END) {
        trainer->open.end = event.start;
        event = trainer->open;
    }
    if (trainer->is_pending && event.start < pending->end)
        return false; /* nested in the other wait: an iterator calls another one */
    event.in_step = trainer->in_step && event.start < trainer->step_end;
    event.step_end = trainer->step_end;
    trainer->step_waits += event.in_step;
    /* The next() that finds the end of an epoch is no wait for a batch. With Composer, the following wait has the same
       batch number. With torch.profiler, another next() follows within the step, although most steps have one next():
       that of the next epoch, or of a validation in between. */
    bool numbered = pending->batch >= 0 && event.batch >= 0;
    bool found_the_end = numbered ? pending->batch == event.batch
                                  : event.in_step && trainer->step_waits > 1 && trainer->single > trainer->many;
    bool filled = trainer->is_pending && !found_the_end;
    if (filled)
        fill(log, trainer, event.start, record);
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

/* A step sorts before a wait that starts with it. */
static int compare(const void *one, const void *other)
{
    const struct event *a = one, *b = other;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if ((a->kind == EVENT_STEP) != (b->kind == EVENT_STEP))
        return a->kind == EVENT_STEP ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static enum dlq_read keep(struct dlq_log *log, struct event event)
{
    struct state *state = log->state;
    size_t at = 0;
    if (state->event_count == MOST_KEPT)
        return dlq_log_bad(log, "more than %d waits and steps", MOST_KEPT);
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
    thread->waits += event.kind == EVENT_WAIT || event.kind == EVENT_START;
    event.order = state->event_count;
    event.from = at;
    state->events[state->event_count++] = event;
    return DLQ_READ_NOTHING;
}

/* -- the reader -- */

static enum dlq_read next(struct dlq_log *log, struct dlq_record *record)
{
    (void)record;
    struct event event = {0};
    TRY_READ(read_event(log, &event));
    return keep(log, event);
}

static enum dlq_read drain(struct dlq_log *log, struct dlq_record *record)
{
    struct state *state = log->state;
    bool filled = false;
    if (state->where != SORTED) {
        state->where = SORTED;
        if (state->event_count > 0)
            qsort(state->events, state->event_count, sizeof *state->events, compare);
        choose_trainers(state);
    }
    if (state->followed < state->event_count) {
        const struct event *event = &state->events[state->followed++];
        struct thread *trainer = &state->threads[event->from];
        filled = trainer->trains && process_event(log, trainer, *event, record);
    } else if (state->finished < state->thread_count) {
        /* The last wait may have found the end of the epoch: it is a wait for a batch only if it lies in a step. */
        struct thread *trainer = &state->threads[state->finished++];
        filled = trainer->trains && trainer->is_pending && trainer->pending.in_step;
        if (filled)
            fill(log, trainer, trainer->pending.step_end, record);
    } else
        return DLQ_READ_END;
    return filled ? DLQ_READ_RECORD : DLQ_READ_NOTHING;
}

static void start(struct dlq_log *log)
{
    struct state *state = log->state;
    state->values = (struct dlq_json_values){.input = log->input, .most = MOST_EVENT, .line = 1, .lines = 1};
    state->rank = -1;
}

static void finish(struct dlq_log *log)
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
    .probe = probe, .next = next, .drain = drain, .state = sizeof(struct state), .start = start, .finish = finish};
