/* The line that the Trainer of transformers prints at the end: {'train_runtime': ..., 'train_steps_per_second': ...} */
#include "trace/format.h"

#include <string.h>

static const char runtime_key[] = "train_runtime";
static const char rate_key[] = "train_steps_per_second";

/* 'key': NUMBER, quoted either way, and by newer versions the number too; null: no such. */
static const char *read_key(const char *text, const char *key, double *value)
{
    const char *at = dlq_text_find(text, key);
    if (at == NULL)
        return NULL;
    at += strlen(key);
    at += strspn(at, "'\": \t");
    at = dlq_number_time(at, value, NULL);
    return at != NULL && isfinite(*value) && strchr("'\", \t}", *at) != NULL ? at : NULL;
}

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    char *text;
    long rank;
    double runtime, rate;
    enum dlq_taken taken = dlq_text_line(log, runtime_key, &text, &rank);
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
    if (strchr(text, '{') == NULL || dlq_text_find(text, runtime_key) == NULL)
        return DLQ_TAKEN_OTHER;
    if (read_key(text, runtime_key, &runtime) == NULL)
        return dlq_log_bad(log, "'%s' is not a time such as 703.2716", runtime_key);
    if (read_key(text, rate_key, &rate) == NULL)
        return dlq_log_bad(log, "'%s' is not there, or no number: is the line cut off?", rate_key);
    double count = round(runtime * rate);
    if (!(count >= 1 && count < INT32_MAX))
        return dlq_log_bad(log, "%g s at %g steps/s are no run", runtime, rate);
    record->rank = rank;
    record->count = (long)count;
    record->index = record->count - 1;
    record->iter = runtime / count;
    return DLQ_TAKEN_RECORD;
}

static int probe(const struct dlq_format *format, const char *head, size_t length)
{
    enum { SURE = 80 };
    (void)format;
    (void)length;
    return dlq_text_find(head, runtime_key) != NULL && strstr(head, rate_key) != NULL ? SURE : 0;
}

const struct dlq_log_reader dlq_hf_trainer_reader = {.probe = probe, .next = next};
