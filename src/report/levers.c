/* The gains of single changes: as a table, and in words where they are small or not proven. */
#include "report/report.h"

#include "draw/table.h"

#include <math.h>

/* LARGE: a proven gain or loss of at least 0.5 %; SMALL: a proven one of less; NOTHING: all runs are equal;
   UNPROVEN: not proven, or without a value. */
enum kind { LARGE, SMALL, NOTHING, UNPROVEN };

static enum kind kind_of(const struct dlq_lever *lever)
{
    static const double least = 0.005;
    if (fmax(fabs(lever->gain.low), fabs(lever->gain.high)) <= 1e-9 && fabs(lever->gain.value) <= 1e-9)
        return NOTHING;
    if (!lever->proven || !isfinite(lever->gain.value))
        return UNPROVEN;
    return fabs(lever->gain.value) >= least ? LARGE : SMALL;
}

/* The table of changes of kind LARGE. */
static enum dlq_status write_table(FILE *stream, const struct dlq_levers *levers, const char *with,
                                   struct dlq_error *error)
{
    char heading[256];
    snprintf(heading, sizeof heading, "What one change gains%s%.200s", with[0] != '\0' ? " with " : "", with);
    const struct dlq_column columns[] = {
        {"change", heading, DLQ_COLUMN_TEXT, 0},
        {"throughput", "batches/s", DLQ_COLUMN_NUMBER, 3},
        {"gain", "gain (%)", DLQ_COLUMN_NUMBER, 3},
        {"half", "±", DLQ_COLUMN_NUMBER, 2},
    };
    struct dlq_table *table = dlq_table_new(columns, sizeof columns / sizeof *columns);
    bool filled = table != NULL, halves = false;
    for (size_t i = 0; filled && i < levers->count; i++) {
        const struct dlq_lever *lever = &levers->rows[i];
        if (kind_of(lever) != LARGE)
            continue;
        double half = 50 * (lever->gain.high - lever->gain.low);
        bool has_half = half >= 0.005 && isfinite(half); /* less is rounding, not an interval */
        halves = halves || has_half;
        filled = DLQ_TABLE_ADD(table, {NAN, lever->change}, {lever->throughput.value, NULL},
                               {100 * lever->gain.value, NULL}, {has_half ? half : (double)NAN, NULL});
    }
    if (filled && !halves)
        table->columns[3].heading = NULL;
    if (filled && table->rows == 0)
        fprintf(stream, "  %s\n", heading);
    else
        filled = filled && dlq_table_write(table, stream, 2, -1, NULL);
    dlq_table_free(table);
    return filled ? DLQ_OK : dlq_error_memory(error, "writing a table");
}

enum dlq_status dlq_report_levers(FILE *stream, const struct dlq_levers *levers, const char *with,
                                  struct dlq_error *error)
{
    static const char *const words[] = {
        [SMALL] = "Under 0.5 % either way: ", [NOTHING] = "Changes nothing: ", [UNPROVEN] = "No difference proven: "};
    char text[DLQ_LEVERS * (DLQ_LEVER_TEXT + 16)];
    bool loses = false;
    if (levers->count == 0)
        return DLQ_OK;
    TRY(write_table(stream, levers, with, error));
    for (enum kind kind = SMALL; kind <= UNPROVEN; kind++) {
        struct dlq_phrase phrase = {.text = text, .size = sizeof text};
        for (size_t i = 0; i < levers->count; i++)
            if (kind_of(&levers->rows[i]) == kind)
                dlq_phrase_add(&phrase, "%s%s", phrase.used > 0 ? ", " : words[kind], levers->rows[i].change);
        if (phrase.used == 0)
            continue;
        dlq_phrase_add(&phrase, ".");
        dlq_text_wrap(stream, text, 2, dlq_text_columns(stream));
    }
    for (size_t i = 0; i < levers->count; i++)
        loses = loses || (kind_of(&levers->rows[i]) == LARGE && levers->rows[i].gain.value < 0);
    if (loses)
        dlq_text_wrap(stream,
                      "A change may lose where loads share cores or bandwidth or are rounded up to whole ticks, where "
                      "each loader takes time to start, and where an epoch or a horizon ends with loads under way.",
                      2, dlq_text_columns(stream));
    return DLQ_OK;
}
