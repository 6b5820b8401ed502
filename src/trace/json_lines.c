/* Formats of one JSON object a line. */
#include "trace/text.h"

#include <jansson.h>
#include <stdint.h>
#include <string.h>

enum { KEYS = 2, PROBE = 85 };

struct json_row {
    const char *counter;    /* an object without it is none of training */
    const char *data[KEYS]; /* keys, any of them; up to null */
    const char *iter[KEYS];
    const char *least; /* data time of this rank, beside that of all; null: none */
    enum dlq_figure figure;
    struct dlq_rules rules;
};

static const struct json_row mmengine_row = {
    .counter = "iter",
    .data = {"data_time", "train/data_time"},
    .iter = {"time", "train/time"},
    .figure = DLQ_FIGURE_WINDOW,
    .rules = {.run_long = true, .usual = 10},
};

static const struct json_row detectron2_row = {
    .counter = "iteration",
    .data = {"data_time"},
    .iter = {"time"},
    .least = "rank_data_time",
    .figure = DLQ_FIGURE_MEDIAN,
    .rules = {.zero_based = true, .run_long = true, .unchecked = true, .usual = 20},
};

/* Python writes NaN and Infinity, which are not JSON: losses of a run gone astray. They become empty texts of the same
   length. */
static bool blank_words(char *text)
{
    bool any = false;
    static const char *const words[] = {"NaN", "-Infinity", "Infinity"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        for (char *at = strstr(text, words[i]); at != NULL; at = strstr(at + length, words[i])) {
            if (at > text && at[-1] != ' ' && at[-1] != ':' && at[-1] != '[' && at[-1] != ',')
                continue;
            memset(at, ' ', length);
            at[0] = at[1] = '"';
            any = true;
        }
    }
    return any;
}

/* Null: not JSON. */
static json_t *parse(char *text, json_error_t *error)
{
    json_t *object = json_loads(text, 0, error);
    if (object == NULL && blank_words(text))
        object = json_loads(text, 0, error);
    return object;
}

static json_t *find(const json_t *object, const char *const *keys)
{
    json_t *value = NULL;
    for (size_t i = 0; i < KEYS && keys[i] != NULL && value == NULL; i++)
        value = json_object_get(object, keys[i]);
    return value;
}

static bool is_training(const json_t *object)
{
    const char *mode = json_string_value(json_object_get(object, "mode"));
    return mode == NULL || strcmp(mode, "train") == 0;
}

static enum dlq_taken read_time(struct dlq_log *log, const json_t *object, const char *const *keys, double *value)
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

static void show(struct dlq_shown *shown, enum dlq_figure figure, double value)
{
    if (figure == DLQ_FIGURE_MEDIAN)
        shown->median = value;
    else
        shown->window = value;
}

static enum dlq_taken read_counters(struct dlq_log *log, const struct json_row *row, const json_t *object,
                                    struct dlq_told *told)
{
    const json_t *counter = json_object_get(object, row->counter);
    const json_t *epoch = json_object_get(object, "epoch");
    if (!json_is_integer(counter) || json_integer_value(counter) < 0)
        return dlq_log_bad(log, "\"%s\" is not a number of an iteration", row->counter);
    told->counter = json_integer_value(counter);
    if (json_is_integer(epoch) && json_integer_value(epoch) >= 0)
        told->epoch = json_integer_value(epoch);
    return DLQ_TAKEN_RECORD;
}

static enum dlq_taken take_object(const struct json_row *row, struct dlq_log *log, const json_t *object, long rank,
                                  struct dlq_record *record)
{
    struct dlq_told told = dlq_told_nothing();
    double data = NAN;
    double iter = NAN;
    bool times = find(object, row->data) != NULL || find(object, row->iter) != NULL;
    if (!times || json_object_get(object, row->counter) == NULL || !is_training(object))
        return DLQ_TAKEN_NOTHING;
    told.rank = rank;
    enum dlq_taken taken = read_counters(log, row, object, &told);
    if (taken == DLQ_TAKEN_RECORD)
        taken = read_time(log, object, row->data, &data);
    if (taken == DLQ_TAKEN_RECORD)
        taken = read_time(log, object, row->iter, &iter);
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
    show(&told.data, row->figure, data);
    show(&told.iter, row->figure, iter);
    if (row->least != NULL && json_is_number(json_object_get(object, row->least)))
        record->data_least = fmin(json_number_value(json_object_get(object, row->least)), data);
    return dlq_streams_take(log->state, log, &row->rules, &told, record);
}

static enum dlq_taken next_object(const struct json_row *row, struct dlq_log *log, struct dlq_record *record)
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
    taken = take_object(row, log, object, rank, record);
    json_decref(object);
    return taken;
}

static bool is_of_row(char *text, const void *with)
{
    const struct json_row *row = with;
    json_error_t error;
    text += strspn(text, " \t");
    if (*text != '{' || strstr(text, "data_time\"") == NULL)
        return false;
    json_t *object = parse(text, &error);
    bool is = object != NULL && json_object_get(object, row->counter) != NULL && find(object, row->data) != NULL &&
              find(object, row->iter) != NULL && is_training(object);
    json_decref(object);
    return is;
}

static int probe_mmengine(const char *head, size_t length)
{
    return dlq_text_any_line(head, length, is_of_row, &mmengine_row) ? PROBE : 0;
}

static enum dlq_taken next_mmengine(struct dlq_log *log, struct dlq_record *record)
{
    return next_object(&mmengine_row, log, record);
}

const struct dlq_format dlq_format_mmengine_json = {
    .name = "mmengine",
    .written_by = "mmengine (vis_data/*.json) and mmcv (.log.json): JSON lines",
    .meaning = "means of the last iterations (mmengine: 10 unless set; mmcv: all since the line before)",
    .numbers = DLQ_NUMBERS_MEAN,
    .probe = probe_mmengine,
    .begin = dlq_streams_begin,
    .next = next_mmengine,
    .end = dlq_streams_end,
};

static int probe_detectron2(const char *head, size_t length)
{
    return dlq_text_any_line(head, length, is_of_row, &detectron2_row) ? PROBE : 0;
}

static enum dlq_taken next_detectron2(struct dlq_log *log, struct dlq_record *record)
{
    return next_object(&detectron2_row, log, record);
}

const struct dlq_format dlq_format_detectron2_json = {
    .name = "detectron2",
    .written_by = "detectron2: metrics.json",
    .meaning = "medians of the last 20 iterations, data time the longest of all ranks",
    .numbers = DLQ_NUMBERS_MEDIAN,
    .waits_for_all = true,
    .probe = probe_detectron2,
    .begin = dlq_streams_begin,
    .next = next_detectron2,
    .end = dlq_streams_end,
};
