/* Functions for the readers of formats: an empty record, the next line, and messages about bad lines and times. */
#include "base/quantity.h"
#include "base/utf8.h"
#include "logs/calibration.h"
#include "logs/read/format.h"

#include <stdarg.h>
#include <string.h>

struct dlq_record dlq_record_empty(void)
{
    struct dlq_record record = {
        .rank = -1,
        .data_shown = NAN,
        .iter_shown = NAN,
        .batch =
            {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, {0}, .epoch = -1, .worker = -1, .index = -1, .count = 1},
    };
    for (size_t i = 0; i < DLQ_PROCESSOR_TIMES; i++)
        record.batch.use[i] = NAN;
    return record;
}

enum dlq_read dlq_log_line(struct dlq_log *log)
{
    enum dlq_line line = dlq_lines_next(log->lines);
    log->line = log->lines->number;
    if (line == DLQ_LINE_TOO_LONG)
        return dlq_log_bad(log, "the line is over %d bytes long", DLQ_LOG_LINE);
    if (line == DLQ_LINE_BINARY)
        return dlq_log_bad(log, "not text: the line holds a NUL byte");
    if (line == DLQ_LINE_FAILED) {
        dlq_log_bad(log, "%s", dlq_input_fault(log->input));
        return DLQ_READ_FAILED;
    }
    return line == DLQ_LINE_TEXT ? DLQ_READ_RECORD : DLQ_READ_END;
}

void dlq_log_doubt(struct dlq_log *log, const char *format, ...)
{
    char text[DLQ_LOG_WHY], *doubts = log->shared->doubts;
    const size_t used = strlen(doubts);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (strstr(doubts, dlq_utf8_clean(text)) == NULL) /* of an earlier log */
        snprintf(doubts + used, DLQ_LOG_DOUBTS - used, "%s\n", text);
}

enum dlq_read dlq_log_bad(struct dlq_log *log, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(log->why, sizeof log->why, format, arguments);
    va_end(arguments);
    return DLQ_READ_BAD;
}

enum dlq_read dlq_log_exceeds(struct dlq_log *log, double data, double iter)
{
    const bool units = data > dlq_calibration.unit_differs * iter;
    return dlq_log_bad(log, "data time %g s is longer than the iteration, %g s%s", data, iter,
                       units
                           ? ": is one of them in another unit? --pattern 'data=TEXT %f{ms}' or --column data=NAME:ms "
                             "tells the unit"
                           : "");
}

enum dlq_read dlq_log_no_memory(struct dlq_log *log)
{
    dlq_log_bad(log, "out of memory");
    return DLQ_READ_FAILED;
}

bool dlq_log_time(const char *name, double seconds, char why[DLQ_LOG_WHY])
{
    if (!(seconds > DLQ_TIME_MOST) && !(seconds < -DLQ_TIME_MOST))
        return true;
    int length = (int)strcspn(name, ":"); /* a label may end with a colon */
    snprintf(why, DLQ_LOG_WHY, "%.*s: %.15g is too large for seconds", length, name, seconds);
    return false;
}
