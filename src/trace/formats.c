/* The table of log formats. */
#include "dlqueue/trace.h"
#include "trace/format.h"

#include <string.h>

static const struct dlq_format *const rows[] = {
    &dlq_format_csv,
    &dlq_format_ratio,
    &dlq_format_lotus,
};

enum { ROWS = sizeof rows / sizeof *rows };

const struct dlq_format *dlq_format_at(size_t index)
{
    return index < ROWS ? rows[index] : NULL;
}

const struct dlq_format *dlq_format_find(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i]->name, name) == 0)
            return rows[i];
    return NULL;
}

const struct dlq_format *dlq_format_probe(const char *head, size_t length)
{
    const struct dlq_format *best = NULL;
    int most = 0;
    for (size_t i = 0; i < ROWS; i++) {
        int sure = rows[i]->probe(head, length);
        if (sure > most) {
            most = sure;
            best = rows[i];
        }
    }
    return best;
}

bool dlq_format_help(size_t index, struct dlq_format_help *help)
{
    const struct dlq_format *row = dlq_format_at(index);
    if (row != NULL)
        *help = (struct dlq_format_help){row->name, row->written_by, row->meaning};
    return row != NULL;
}
