#include "report.h"

#include "draw/table.h"
#include "draw/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 3, CELL = 2 * DLQ_TEXT_NUMBER + 8 };

struct bench_report {
    bool csv;
    struct dlq_table *table;
};

/* For people: figures with a unit each, since a table of ns and minutes has none of its own. */
static const struct dlq_column text_columns[] = {
    {"group", "group", DLQ_COLUMN_TEXT, 0},          {"row", "measured", DLQ_COLUMN_TEXT, 0},
    {"each", "dlqueue", DLQ_COLUMN_TEXT, 0},         {"range", "range", DLQ_COLUMN_TEXT, 0},
    {"rate", "a second", DLQ_COLUMN_TEXT, 0},        {"yardstick", "yardstick", DLQ_COLUMN_TEXT, 0},
    {"yardstick_each", "takes", DLQ_COLUMN_TEXT, 0}, {"ratio", "ratio", DLQ_COLUMN_TEXT, 0},
    {"ratio_range", "range", DLQ_COLUMN_TEXT, 0},    {"run", "a run", DLQ_COLUMN_TEXT, 0},
    {"turns", "turns", DLQ_COLUMN_COUNT, 0},
};

static const struct dlq_column csv_columns[] = {
    {"group", NULL, DLQ_COLUMN_TEXT, 0},
    {"row", NULL, DLQ_COLUMN_TEXT, 0},
    {"unit", NULL, DLQ_COLUMN_TEXT, 0},
    {"yardstick", NULL, DLQ_COLUMN_TEXT, 0},
    {"note", NULL, DLQ_COLUMN_TEXT, 0},
    {"turns", NULL, DLQ_COLUMN_NUMBER, 0},
    {"units_per_piece", NULL, DLQ_COLUMN_NUMBER, 0},
    {"value", NULL, DLQ_COLUMN_NUMBER, 0},
    {"value_low", NULL, DLQ_COLUMN_NUMBER, 0},
    {"value_high", NULL, DLQ_COLUMN_NUMBER, 0},
    {"yardstick_value", NULL, DLQ_COLUMN_NUMBER, 0},
    {"yardstick_low", NULL, DLQ_COLUMN_NUMBER, 0},
    {"yardstick_high", NULL, DLQ_COLUMN_NUMBER, 0},
    {"ratio", NULL, DLQ_COLUMN_NUMBER, 0},
    {"ratio_low", NULL, DLQ_COLUMN_NUMBER, 0},
    {"ratio_high", NULL, DLQ_COLUMN_NUMBER, 0},
};

struct bench_report *bench_report_new(bool csv)
{
    struct bench_report *report = calloc(1, sizeof *report);
    if (report == NULL)
        return NULL;
    report->csv = csv;
    report->table = csv ? dlq_table_new(csv_columns, sizeof csv_columns / sizeof *csv_columns)
                        : dlq_table_new(text_columns, sizeof text_columns / sizeof *text_columns);
    if (report->table != NULL)
        return report;
    free(report);
    return NULL;
}

void bench_report_free(struct bench_report *report)
{
    if (report == NULL)
        return;
    dlq_table_free(report->table);
    free(report);
}

/* The cell's text, or null where there is no value. */
static const char *figure(bool memory, double value, char text[DLQ_TEXT_NUMBER])
{
    return isnan(value) ? NULL : dlq_quantity_readable(value, memory ? DLQ_UNIT_SIZE : DLQ_UNIT_TIME, DIGITS, text);
}

/* Least and most relative to the median: "-2..+15 %". */
static const char *range_of(const struct bench_figure *of, char text[CELL])
{
    if (isnan(of->median) || of->low == of->high)
        return NULL;
    snprintf(text, CELL, "%+.0f..%+.0f %%", 100 * (of->low / of->median - 1), 100 * (of->high / of->median - 1));
    return text;
}

static const char *number(double value, char text[DLQ_TEXT_NUMBER])
{
    return isnan(value) ? NULL : dlq_text_number(value, DIGITS, text);
}

static const char *ratio_range(const struct bench_figure *ratio, char text[CELL])
{
    char low[DLQ_TEXT_NUMBER];
    char high[DLQ_TEXT_NUMBER];
    if (isnan(ratio->median) || ratio->low == ratio->high)
        return NULL;
    snprintf(text, CELL, "%s..%s", dlq_text_number(ratio->low, DIGITS, low),
             dlq_text_number(ratio->high, DIGITS, high));
    return text;
}

/* Rates in millions: "145 million". */
static const char *rate(const struct bench_row *row, double each, char text[CELL])
{
    char millions[DLQ_TEXT_NUMBER];
    if (isnan(each) || strcmp(row->unit, "run") == 0)
        return NULL;
    snprintf(text, CELL, "%s M", dlq_text_number(1e-6 / each, DIGITS, millions));
    return text;
}

/* The group's name stands in its first row alone; the last row is the one that is being filled. */
static bool is_first(const struct dlq_table *table, const struct bench_group *group)
{
    for (const struct dlq_table_row *row = table->first; row != table->last; row = row->next)
        if (row->cells[0].text != NULL && strcmp(row->cells[0].text, group->name) == 0)
            return false;
    return true;
}

static bool add_text(struct dlq_table *table, const struct bench_group *group, const struct bench_row *row,
                     const struct bench_comparison *comparison)
{
    char texts[8][CELL];
    const struct bench_figure *subject = &comparison->subject;
    const char *cells[] = {
        is_first(table, group) ? group->name : NULL,
        row->name,
        comparison->turns > 0 ? figure(group->memory, subject->median, texts[0]) : "not available",
        range_of(subject, texts[1]),
        rate(row, subject->median, texts[2]),
        row->yardstick.name,
        figure(group->memory, comparison->yardstick.median, texts[3]),
        number(comparison->ratio.median, texts[4]),
        ratio_range(&comparison->ratio, texts[5]),
        figure(false, comparison->amount * subject->median, texts[6]),
    };
    size_t count = sizeof cells / sizeof *cells;
    for (size_t i = 0; i < count; i++)
        if (cells[i] != NULL && !dlq_table_text(table, i, cells[i]))
            return false;
    dlq_table_number(table, count, comparison->turns > 0 ? (double)comparison->turns : NAN);
    return true;
}

/* In three columns; returns the next. */
static size_t add_figure(struct dlq_table *table, size_t column, const struct bench_figure *of)
{
    dlq_table_number(table, column++, of->median);
    dlq_table_number(table, column++, of->low);
    dlq_table_number(table, column++, of->high);
    return column;
}

static bool add_csv(struct dlq_table *table, const struct bench_group *group, const struct bench_row *row,
                    const struct bench_comparison *comparison, const char *note)
{
    const char *texts[] = {group->name, row->name, row->unit, row->yardstick.name, note};
    size_t column = 0;
    for (; column < sizeof texts / sizeof *texts; column++)
        if (texts[column] != NULL && !dlq_table_text(table, column, texts[column]))
            return false;
    dlq_table_number(table, column++, comparison->turns);
    dlq_table_number(table, column++, comparison->turns > 0 ? comparison->amount : NAN);
    column = add_figure(table, column, &comparison->subject);
    column = add_figure(table, column, &comparison->yardstick);
    add_figure(table, column, &comparison->ratio);
    return true;
}

bool bench_report_add(struct bench_report *report, const struct bench_group *group, const struct bench_row *row,
                      const struct bench_comparison *comparison, const char *note)
{
    if (!dlq_table_row(report->table))
        return false;
    return report->csv ? add_csv(report->table, group, row, comparison, note)
                       : add_text(report->table, group, row, comparison);
}

void bench_report_write(const struct bench_report *report, FILE *stream)
{
    if (report->csv)
        dlq_table_write_csv(report->table, stream);
    else
        dlq_table_write(report->table, stream, 0, -1, NULL);
}
