/* Chrome traces: {"traceEvents": [{...}, ...], ...}, or the array alone, which need not be closed. Most of a trace's
   events are kernels and operators: only those whose bytes hold one of the names are parsed. */
#include "trace/events.h"

#include <jansson.h>
#include <string.h>

enum where { AT_START, IN_OBJECT, IN_EVENTS, AFTER, DONE };

/* Microseconds: doubles hold whole ones up to here. */
#define MOST_TIME 9007199254740992.0

void dlq_json_events_begin(struct dlq_json_events *events, struct dlq_input *input)
{
    dlq_values_begin(&events->values, input);
    events->where = AT_START;
    events->bare = false;
    events->rank = -1;
}

/* -- one event -- */

struct name {
    enum dlq_event_kind kind;
    enum dlq_event_source source;
    bool known;
};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* PyTorch names its events so in BaseDataLoaderIter.__next__ and in profile.step; Composer in Engine.run_event. */
static struct name name_of(const char *text)
{
    static const char loader[] = "enumerate(DataLoader)#";
    static const char step[] = "ProfilerStep#";
    if (strncmp(text, loader, sizeof loader - 1) == 0)
        return (struct name){DLQ_EVENT_WAIT, DLQ_SOURCE_PROFILER, ends_with(text, ".__next__")};
    if (strncmp(text, step, sizeof step - 1) == 0)
        return (struct name){DLQ_EVENT_STEP, DLQ_SOURCE_PROFILER, true};
    return (struct name){DLQ_EVENT_WAIT, DLQ_SOURCE_COMPOSER, strcmp(text, "event/dataloader") == 0};
}

/* A sign byte of a name, and what stands before and after it. */
static bool holds(const char *text, size_t length, char sign, const char *before, const char *after)
{
    size_t before_length = strlen(before);
    size_t after_length = strlen(after);
    const char *end = text + length;
    for (const char *at = memchr(text, sign, length); at != NULL; at = memchr(at + 1, sign, (size_t)(end - at - 1)))
        if ((size_t)(at - text) >= before_length && (size_t)(end - at) > after_length &&
            memcmp(at - before_length, before, before_length) == 0 && memcmp(at + 1, after, after_length) == 0)
            return true;
    return false;
}

static bool may_matter(const char *text, size_t length)
{
    return holds(text, length, '#', "DataLoader)", "") || holds(text, length, '#', "ProfilerStep", "") ||
           holds(text, length, '/', "event", "dataloader\"");
}

/* FNV-1a */
static long hash_text(const char *text)
{
    unsigned hash = 2166136261U;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619U;
    return hash;
}

static long number_of(const json_t *value, long otherwise)
{
    if (json_is_string(value))
        return hash_text(json_string_value(value));
    return json_is_integer(value) ? (long)json_integer_value(value) : otherwise;
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

static enum dlq_taken read_fields(struct dlq_log *log, const json_t *object, const char *phase,
                                  struct dlq_json_event *event)
{
    const json_t *arguments = json_object_get(object, "args");
    if (*phase == 'B' || *phase == 'E')
        event->kind = *phase == 'B' ? DLQ_EVENT_BEGIN : DLQ_EVENT_END;
    if (!read_time(log, object, "ts", -MOST_TIME, &event->begin) ||
        (*phase == 'X' && !read_time(log, object, "dur", 0, &event->duration)))
        return DLQ_TAKEN_BAD;
    event->process = number_of(json_object_get(object, "pid"), 0);
    event->thread = number_of(json_object_get(object, "tid"), 0);
    event->epoch = number_of(json_object_get(arguments, "epoch"), -1);
    event->batch = number_of(json_object_get(arguments, "batch"), -1);
    return DLQ_TAKEN_RECORD;
}

static enum dlq_taken read_object(struct dlq_log *log, const json_t *object, struct dlq_json_event *event)
{
    const char *text = json_string_value(json_object_get(object, "name"));
    const char *category = json_string_value(json_object_get(object, "cat"));
    const char *phase = json_string_value(json_object_get(object, "ph"));
    struct name name = text != NULL ? name_of(text) : (struct name){.known = false};
    /* gpu_user_annotation repeats an event of the host, with the times of its kernels. */
    if (!name.known || (category != NULL && strncmp(category, "gpu_", 4) == 0))
        return DLQ_TAKEN_NOTHING;
    if (phase == NULL)
        return dlq_log_bad(log, "ph of the event is missing");
    bool paired = name.kind == DLQ_EVENT_WAIT && (strcmp(phase, "B") == 0 || strcmp(phase, "E") == 0);
    if (strcmp(phase, "X") != 0 && !paired)
        return DLQ_TAKEN_NOTHING;
    *event = (struct dlq_json_event){.kind = name.kind, .source = name.source, .line = log->line};
    return read_fields(log, object, phase, event);
}

static enum dlq_taken parse(struct dlq_log *log, const struct dlq_values *values, struct dlq_json_event *event)
{
    json_error_t fault;
    json_t *object = json_loadb(values->text, values->length, 0, &fault);
    if (object == NULL) {
        log->line += fault.line > 0 ? fault.line - 1 : 0;
        return dlq_log_bad(log, "the event is not JSON: %.*s", 160, fault.text);
    }
    enum dlq_taken taken = read_object(log, object, event);
    json_decref(object);
    return taken;
}

/* -- the file around them -- */

static enum dlq_taken stop(struct dlq_json_events *events, struct dlq_log *log, const char *wanted)
{
    events->where = DONE;
    return dlq_values_wrong(&events->values, log, wanted);
}

static enum dlq_taken read_event(struct dlq_json_events *events, struct dlq_log *log, struct dlq_json_event *event)
{
    struct dlq_values *values = &events->values;
    bool is_object = dlq_values_peek(values) == '{';
    enum dlq_value value = dlq_values_next(values);
    log->line = values->line;
    if (dlq_input_fault(values->input) != NULL)
        return stop(events, log, "an event");
    if (value == DLQ_VALUE_CUT) {
        events->where = DONE;
        return dlq_log_bad(log, "the file ends within this event");
    }
    if (value == DLQ_VALUE_TOO_LONG)
        return dlq_log_bad(log, "an event of over %d bytes", DLQ_VALUE_MOST);
    if (!is_object && values->length == 0)
        return stop(events, log, "an event");
    if (!is_object)
        return dlq_log_bad(log, "not an event");
    return may_matter(values->text, values->length) ? parse(log, values, event) : DLQ_TAKEN_NOTHING;
}

static enum dlq_taken next_event(struct dlq_json_events *events, struct dlq_log *log, struct dlq_json_event *event)
{
    struct dlq_values *values = &events->values;
    dlq_values_take(values, ',');
    if (dlq_values_take(values, ']')) {
        events->where = events->bare ? AFTER : IN_OBJECT;
        return DLQ_TAKEN_NOTHING;
    }
    if (dlq_values_peek(values) >= 0)
        return read_event(events, log, event);
    if (!events->bare || dlq_input_fault(values->input) != NULL)
        return stop(events, log, "the next event, or the end of traceEvents,");
    events->where = DONE;
    return DLQ_TAKEN_END;
}

/* {"backend": "nccl", "rank": 3, "world_size": 8} */
static void read_rank(struct dlq_json_events *events, struct dlq_shared *shared)
{
    json_t *info = json_loadb(events->values.text, events->values.length, 0, NULL);
    const json_t *rank = json_object_get(info, "rank");
    if (json_is_integer(rank) && json_integer_value(rank) >= 0 && json_integer_value(rank) < (1 << 24))
        events->rank = (long)json_integer_value(rank);
    const json_t *world = json_object_get(info, "world_size");
    if (json_is_integer(world) && json_integer_value(world) > shared->world && json_integer_value(world) < (1 << 24))
        shared->world = (long)json_integer_value(world);
    json_decref(info);
}

static enum dlq_taken next_key(struct dlq_json_events *events, struct dlq_log *log)
{
    struct dlq_values *values = &events->values;
    char key[DLQ_KEY_SIZE];
    enum dlq_key found = dlq_values_key(values, key);
    if (found == DLQ_KEY_WRONG)
        return stop(events, log, "a key, or the end of the trace,");
    if (found == DLQ_KEY_CLOSE) {
        events->where = AFTER;
        return DLQ_TAKEN_NOTHING;
    }
    if (strcmp(key, "traceEvents") == 0) {
        if (!dlq_values_take(values, '['))
            return stop(events, log, "the array of traceEvents");
        events->where = IN_EVENTS;
        return DLQ_TAKEN_NOTHING;
    }
    bool told = strcmp(key, "distributedInfo") == 0;
    if (!(told ? dlq_values_next(values) == DLQ_VALUE_WHOLE : dlq_values_skip(values)))
        return stop(events, log, "the end of a value");
    if (told)
        read_rank(events, log->shared);
    return DLQ_TAKEN_NOTHING;
}

static enum dlq_taken start(struct dlq_json_events *events, struct dlq_log *log)
{
    events->bare = dlq_values_take(&events->values, '[');
    if (!events->bare && !dlq_values_take(&events->values, '{'))
        return stop(events, log, "{ or [ of a trace");
    events->where = events->bare ? IN_EVENTS : IN_OBJECT;
    return DLQ_TAKEN_NOTHING;
}

enum dlq_taken dlq_json_events_next(struct dlq_json_events *events, struct dlq_log *log, struct dlq_json_event *event)
{
    switch ((enum where)events->where) {
    case AT_START:
        return start(events, log);
    case IN_OBJECT:
        return next_key(events, log);
    case IN_EVENTS:
        return next_event(events, log, event);
    case AFTER:
        if (dlq_values_peek(&events->values) >= 0 || dlq_input_fault(events->values.input) != NULL)
            return stop(events, log, "the end of the file");
        break;
    case DONE:
        break;
    }
    events->where = DONE;
    return DLQ_TAKEN_END;
}
