/* JSON values of a log, one after the other, in memory that does not grow with it. What lies within a value is looked
   at no further than its end needs. */
#ifndef DLQ_TRACE_VALUES_H
#define DLQ_TRACE_VALUES_H

#include "trace/format.h"

#include <stdbool.h>
#include <stddef.h>

enum { DLQ_VALUE_MOST = 1 << 20, DLQ_KEY_SIZE = 64 };

struct dlq_values {
    struct dlq_input *input;
    const char *text; /* the value read last, as it stands in the log; not NUL-terminated; until the next call */
    size_t length;
    long line; /* where it begins, from 1 */
    bool begun, ended;
    size_t begin, end; /* what is buffered and not yet read */
    size_t counted;    /* bytes of the buffer whose ends of lines are in lines */
    long lines;
    char bytes[DLQ_VALUE_MOST];
};

enum dlq_value {
    DLQ_VALUE_WHOLE,
    DLQ_VALUE_TOO_LONG, /* over DLQ_VALUE_MOST: passed over */
    DLQ_VALUE_CUT       /* the log ends within it */
};

enum dlq_key { DLQ_KEY_NAME, DLQ_KEY_CLOSE, DLQ_KEY_WRONG };

/* The struct is large: allocate it. */
void dlq_values_begin(struct dlq_values *values, struct dlq_input *input);
/* The next byte that is no white space; -1: none. */
int dlq_values_peek(struct dlq_values *values);
/* Takes that byte if it is this one. */
bool dlq_values_take(struct dlq_values *values, char byte);
/* The value at hand, whatever its kind: brackets are counted, not matched. Empty where there is none. */
enum dlq_value dlq_values_next(struct dlq_values *values);
/* Passes it over, however long. False: cut. */
bool dlq_values_skip(struct dlq_values *values);
/* Of an object whose brace is taken: the next key, without its quotes, cut to fit; its value is then at hand. */
enum dlq_key dlq_values_key(struct dlq_values *values, char key[DLQ_KEY_SIZE]);
/* What to return where a log is not as it has to be here: sets log->line and log->why. */
enum dlq_taken dlq_values_wrong(struct dlq_values *values, struct dlq_log *log, const char *wanted);

#endif
