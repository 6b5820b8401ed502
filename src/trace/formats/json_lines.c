/* The reader of all formats of one JSON object a line: a row of struct dlq_text_row names the keys. */
#include "trace/trace.h"

#include <jansson.h>
#include <string.h>

static json_t *parse(char *text, json_error_t *error)
{
    dlq_json_mend(text);
    return json_loads(text, 0, error);
}

/* Of the data time and that of the iteration, how many an object has; 0, too, where it is none of training. */
static int count_times(const struct dlq_text_row *row, const json_t *object)
{
    const char *mode = json_string_value(json_object_get(object, "mode"));
    bool has[] = {[DLQ_OF_DATA] = false, [DLQ_OF_ITER] = false};
    if (json_object_get(object, row->forms->marker) == NULL || (mode != NULL && strcmp(mode, "train") != 0))
        return 0;
    for (const struct dlq_label *label = row->labels; label->text != NULL; label++)
        has[label->of] = has[label->of] || json_object_get(object, label->text) != NULL;
    return has[DLQ_OF_DATA] + has[DLQ_OF_ITER];
}

static enum dlq_taken take_object(struct dlq_log *log, const json_t *object, long rank, struct dlq_record *record)
{
    const struct dlq_text_row *row = &log->format->text;
    struct dlq_printed_line line = dlq_printed_nothing();
    const json_t *counter = json_object_get(object, row->forms->marker), *epoch = json_object_get(object, "epoch");
    int times = count_times(row, object);
    if (times == 0)
        return DLQ_TAKEN_NOTHING;
    if (!json_is_integer(counter) || json_integer_value(counter) < 0)
        return dlq_log_bad(log, "\"%s\" is not a number of an iteration", row->forms->marker);
    if (times == 1)
        return dlq_log_bad(log, "one of the times is missing, of data or of the iteration");
    line.rank = rank;
    line.counter = json_integer_value(counter);
    if (json_is_integer(epoch) && json_integer_value(epoch) >= 0)
        line.epoch = json_integer_value(epoch);
    for (const struct dlq_label *label = row->labels; label->text != NULL; label++) {
        const json_t *found = json_object_get(object, label->text);
        double value = json_number_value(found);
        if (found == NULL)
            continue;
        if (!json_is_number(found) || !(value >= 0))
            return dlq_log_bad(log, "\"%s\" is not a time such as 0.354", label->text);
        if (!dlq_log_time(label->text, value, log->why))
            return DLQ_TAKEN_BAD;
        line.of[label->of].shown[label->front] = value;
    }
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
    const struct dlq_text_row *const *row = with;
    json_error_t error;
    text += strspn(text, " \t");
    json_t *object = *text == '{' && strstr(text, "data_time\"") != NULL ? parse(text, &error) : NULL;
    bool is = count_times(*row, object) == 2;
    json_decref(object);
    return is;
}

static int probe(const struct dlq_log *log)
{
    enum { SURE = 85 };
    const struct dlq_text_row *row = &log->format->text;
    return dlq_text_any_line(log, is_of_row, &row) ? SURE : 0;
}

const struct dlq_log_reader dlq_json_reader = {.probe = probe, .next = next};
