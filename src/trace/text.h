/* Formats of lines of text as rows of a table: by what a line is told, where its numbers stand and what they are. */
#ifndef DLQ_TRACE_TEXT_H
#define DLQ_TRACE_TEXT_H

#include "trace/series.h"

enum dlq_figure { DLQ_FIGURE_NONE, DLQ_FIGURE_SINGLE, DLQ_FIGURE_WINDOW, DLQ_FIGURE_RUNNING, DLQ_FIGURE_MEDIAN };
enum dlq_of { DLQ_OF_DATA, DLQ_OF_ITER };

/* "LABEL FRONT (INNER)" */
struct dlq_label {
    const char *text;
    enum dlq_of of;
    enum dlq_figure front, inner; /* inner DLQ_FIGURE_NONE: nothing is looked for in parentheses */
    double unit;                  /* s; 0: 1 */
    bool optional;
};

enum { DLQ_LABELS = 4 };

/* One look of a line. `place` follows the marker: %e epoch, %n counter, %t a total (numbers may have blanks before
   them); a blank: one or more blanks; ~: none or more; anything else: itself. */
struct dlq_form {
    const char *marker, *place;
    struct dlq_label labels[DLQ_LABELS]; /* up to the first without text */
};

struct dlq_text_row {
    const struct dlq_form *forms; /* up to one without marker */
    const char *const *asides;    /* in lines of the format that are no training: up to null; may be null */
    struct dlq_rules rules;
    bool weak; /* other programs print such markers too: a line without any of the labels is not of this format */
};

/* For dlq_format: with begin and end of dlq_streams. */
enum dlq_taken dlq_text_next(const struct dlq_text_row *row, struct dlq_log *log, struct dlq_record *record);
int dlq_text_probe(const struct dlq_text_row *row, const char *head, size_t length);
/* The same for a line that is at hand already, trimmed. */
enum dlq_taken dlq_text_take(const struct dlq_text_row *row, struct dlq_streams *streams, struct dlq_log *log,
                             const char *text, long rank, struct dlq_record *record);

/* The next line as people see it: what follows the last carriage return, without the codes of colors, and without a
   rank before it ("[rank3]: ", "3: "), which goes to *rank (-1: none; null: it stays). A line that is too long goes as
   other text, unless `marker` is in its beginning. */
enum dlq_taken dlq_text_line(struct dlq_log *log, const char *marker, char **text, long *rank);
/* Trims a line in place. */
char *dlq_text_trim(char *text, long *rank);

/* Calls `tells` with each line of a head, trimmed, until one says yes. */
bool dlq_text_any_line(const char *head, size_t length, bool (*tells)(char *text, const void *with), const void *with);

/* A time: digits with a decimal point or exponent, nothing else. NULL: none there; else what follows. *rounding may be
   null. */
const char *dlq_field_number(const char *text, double *value, double *rounding);
/* Digits up to what fits INT32_MAX; more are INT32_MAX + 1. NULL: no digit. */
const char *dlq_text_integer(const char *text, long *value);
/* Where `word` stands with no letter, digit or _ before it; NULL: nowhere. */
const char *dlq_text_find(const char *text, const char *word);

#endif
