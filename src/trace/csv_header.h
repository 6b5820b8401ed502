/* The header line of a CSV log: which column is what. */
#ifndef DLQ_TRACE_CSV_HEADER_H
#define DLQ_TRACE_CSV_HEADER_H

#include <stdbool.h>
#include <stddef.h>

/* A part of a line. */
struct dlq_csv_field {
    const char *text; /* without blanks around it and without quotes; not terminated */
    size_t length;
};

/* Cuts off the field that begins at `at` (RFC 4180, blanks around it allowed) and returns what is behind it: the
   separator or the line's end. Null: a quote that never ends, or text after it. */
const char *dlq_csv_cut(const char *at, char separator, struct dlq_csv_field *field);
/* ';' where the header line has one, else ','. */
char dlq_csv_separator(const char *header);

enum dlq_csv_kind { DLQ_CSV_WHOLE, DLQ_CSV_POINT, DLQ_CSV_DURATION };

/* What a column can be. */
struct dlq_csv_column {
    const char *name;
    enum dlq_csv_kind kind;
    size_t offset; /* of the long or double in dlq_record */
};

enum { DLQ_CSV_UNUSED = 240 };

struct dlq_csv_header {
    char separator;
    size_t count;                   /* of columns */
    size_t last;                    /* columns up to the last one that is used */
    struct dlq_csv_column *columns; /* what each of them is; without a name: not used; owned */
    char unused[DLQ_CSV_UNUSED];    /* where waits or iterations lack: the names of those, and what is known */
};

/* On failure `why` says in what, and "" stands for no memory. */
bool dlq_csv_header_read(struct dlq_csv_header *header, const char *line, char *why, size_t size);
void dlq_csv_header_free(struct dlq_csv_header *header);
/* How much a line looks like a header: a column that is known and a time; at least several words alone; nothing. */
enum dlq_csv_looks { DLQ_CSV_OTHER, DLQ_CSV_WORDS, DLQ_CSV_HEADER };
enum dlq_csv_looks dlq_csv_header_looks(const char *line);

#endif
