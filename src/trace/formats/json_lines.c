/* The reader of all formats of one JSON object a line: a row of struct dlq_json_row names the keys. */
#include "trace/trace.h"

#include <jansson.h>
#include <string.h>

/* Null: not JSON. Python writes NaN and Infinity, which are not JSON, for losses of a run gone astray: they become
   empty texts of the same length. */
static json_t *parse(char *text, json_error_t *error)
{
    static const char *const words[] = {"NaN", "-Infinity", "Infinity"};
    bool any = false;
    json_t *object = json_loads(text, 0, error);
    for (size_t i = 0; i < sizeof words / sizeof *words && object == NULL; i++) {
        size_t length = strlen(words[i]);
        for (char *at = strstr(text, words[i]); at != NULL; at = strstr(at + length, words[i])) {
            if (at > text && at[-1] != ' ' && at[-1] != ':' && at[-1] != '[' && at[-1] != ',')
                continue;
            memset(at, ' ', length);
            at[0] = at[1] = '"';
            any = true;
        }
    }
    return any ? json_loads(text, 0, error) : object;
}

static json_t *find(const json_t *object, const char *const keys[DLQ_JSON_KEYS])
{
    json_t *value = NULL;
    for (size_t i = 0; i < DLQ_JSON_KEYS && keys[i] != NULL && value == NULL; i++)
        value = json_object_get(object, keys[i]);
    return value;
}

static bool is_training(const json_t *object)
{
    const char *mode = json_string_value(json_object_get(object, "mode"));
    return mode == NULL || strcmp(mode, "train") == 0;
}

static enum dlq_taken read_time(struct dlq_log *log, const json_t *object, const char *const keys[DLQ_JSON_KEYS],
                                double *value)
{
    const json_t *found = find(object, keys);
    if (found == NULL)
        return dlq_log_bad(log, "no \"%s\"", keys[0]);
    if (!json_is_number(found))
        return dlq_log_bad(log, "\"%s\" is not a number", keys[0]);
    *value = json_number_value(found);
    if (!(*value >= 0))
        return dlq_log_bad(log, "\"%s\" is %g, not a time such as 0.354", keys[0], *value);
    return dlq_log_time(keys[0], *value, log->why) ? DLQ_TAKEN_RECORD : DLQ_TAKEN_BAD;
}

static enum dlq_taken take_object(struct dlq_log *log, const json_t *object, long rank, struct dlq_record *record)
{
    const struct dlq_json_row *row = log->format->json;
    struct dlq_printed_line line = dlq_printed_nothing();
    double *data = dlq_printed_place(&line.data, row->shows);
    const json_t *counter = json_object_get(object, row->counter);
    const json_t *epoch = json_object_get(object, "epoch");
    if ((find(object, row->data) == NULL && find(object, row->iter) == NULL) || counter == NULL || !is_training(object))
        return DLQ_TAKEN_NOTHING;
    if (!json_is_integer(counter) || json_integer_value(counter) < 0)
        return dlq_log_bad(log, "\"%s\" is not a number of an iteration", row->counter);
    line.rank = rank;
    line.counter = json_integer_value(counter);
    if (json_is_integer(epoch) && json_integer_value(epoch) >= 0)
        line.epoch = json_integer_value(epoch);
    enum dlq_taken taken = read_time(log, object, row->data, data);
    if (taken == DLQ_TAKEN_RECORD)
        taken = read_time(log, object, row->iter, dlq_printed_place(&line.iter, row->shows));
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
    if (row->least != NULL && json_is_number(json_object_get(object, row->least)))
        record->data_least = fmin(json_number_value(json_object_get(object, row->least)), *data);
    return dlq_windows_take(log, &row->rules, &line, record);
}

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    char *text;
    long rank;
    json_error_t error;
    enum dlq_taken taken = dlq_text_line(log, "\"data_time\"", &text, &rank);
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
    text += strspn(text, " \t");
    if (*text != '{')
        return DLQ_TAKEN_OTHER;
    json_t *object = parse(text, &error);
    if (object == NULL)
        return dlq_log_bad(log, "not JSON at column %d: %s", error.column, error.text);
    taken = take_object(log, object, rank, record);
    json_decref(object);
    return taken;
}

static bool is_of_row(char *text, void *with)
{
    const struct dlq_json_row *const *row = with;
    json_error_t error;
    text += strspn(text, " \t");
    if (*text != '{' || strstr(text, "data_time\"") == NULL)
        return false;
    json_t *object = parse(text, &error);
    bool is = object != NULL && json_object_get(object, (*row)->counter) != NULL &&
              find(object, (*row)->data) != NULL && find(object, (*row)->iter) != NULL && is_training(object);
    json_decref(object);
    return is;
}

static int probe(const struct dlq_format *format, const char *head, size_t length)
{
    enum { SURE = 85 };
    const struct dlq_json_row *row = format->json;
    return dlq_text_any_line(head, length, is_of_row, &row) ? SURE : 0;
}

const struct dlq_log_reader dlq_json_reader = {.probe = probe, .next = next};
