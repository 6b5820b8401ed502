/* Lines `data/iter`: the times that training itself was made to print. */
#include "trace/format.h"

#include <stdlib.h>
#include <string.h>

/* "0.012", "0.012s", "12ms" up to `end`; NAN: no such. */
static double read_seconds(const char *text, const char **end)
{
    char *after;
    if (strspn(text, "0123456789.") == 0)
        return NAN;
    double value = strtod(text, &after);
    double unit = 1;
    if (strncmp(after, "ms", 2) == 0) {
        unit = 1e-3;
        after += 2;
    } else if (*after == 's') {
        after++;
    }
    *end = after;
    return value * unit;
}

/* The line's two times; false where it is not of that form. */
static bool read_pair(const char *text, double *data, double *iter)
{
    const char *end = text + strspn(text, " \t");
    *data = read_seconds(end, &end);
    end += isnan(*data) ? 0 : strspn(end, " \t");
    if (isnan(*data) || *end != '/')
        return false;
    end += 1 + strspn(end + 1, " \t");
    *iter = read_seconds(end, &end);
    return !isnan(*iter) && end[strspn(end, " \t")] == '\0';
}

static int probe(const char *head, size_t length)
{
    char line[128];
    double data, iter;
    size_t end = strcspn(head, "\r\n");
    if (end == length || end >= sizeof line)
        return 0;
    memcpy(line, head, end);
    line[end] = '\0';
    return read_pair(line, &data, &iter) ? 50 : 0;
}

static enum dlq_taken next(struct dlq_log *log, struct dlq_record *record)
{
    enum dlq_taken taken = dlq_log_line(log);
    if (taken != DLQ_TAKEN_RECORD)
        return taken;
    if (!read_pair(log->lines->text, &record->data, &record->iter))
        return strchr(log->lines->text, '/') != NULL ? dlq_log_bad(log, "not of the form data/iter, as in 0.012/0.354")
                                                     : DLQ_TAKEN_OTHER;
    if (record->data > record->iter)
        return dlq_log_bad(log, "data time %g s is longer than the iteration, %g s", record->data, record->iter);
    return DLQ_TAKEN_RECORD;
}

const struct dlq_format dlq_format_ratio = {
    .name = "ratio",
    .written_by = "a print of data/iter",
    .meaning = "data time and iteration time in s, one iteration or the mean since the last print",
    .numbers = DLQ_NUMBERS_SINGLE,
    .probe = probe,
    .next = next,
};
