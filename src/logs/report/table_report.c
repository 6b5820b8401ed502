/* The texts of fit --table and advise --table. */
#include "logs/report/report.h"

#include <ctype.h>

static const char *unit_of(const struct dlq_measurements *table)
{
    static const char *const units[] = {"samples/s", "batches/s", "s"};
    return units[table->measure];
}

/* "loaders 48, plateau 46, each more 6 %", in whole per cent */
static void say_shares(enum dlq_counted counted, const struct dlq_scaling_row *row, struct dlq_phrase *text)
{
    for (size_t p = 0; p < row->share_count; p++)
        if (100 * row->shares[p] >= 0.5)
            SAY(text, "%s%s %.0f", text->used > 0 ? ", " : "", dlq_part_say(counted, (enum dlq_scaling_part)p),
                100 * row->shares[p]);
    if (row->share_count > 0)
        SAY(text, " %%");
}

static bool write_rows(FILE *stream, const struct dlq_table_answer *answer)
{
    char measured[DLQ_TEXT_NUMBER], run[DLQ_TEXT_NUMBER], what[DLQ_TEXT_NUMBER];
    const struct dlq_scaling *scaling = answer->scaling;
    snprintf(measured, sizeof measured, "measured (%s)", unit_of(answer->table));
    snprintf(run, sizeof run, "a run by the law (%s)", unit_of(answer->table));
    snprintf(what, sizeof what, "%s", dlq_counted_names[answer->table->counted]);
    const struct dlq_column columns[] = {{"count", what, DLQ_COLUMN_COUNT, 0},
                                         {"measured", measured, DLQ_COLUMN_TEXT, 0},
                                         {"value", run, DLQ_COLUMN_NUMBER, 3},
                                         {"range", "95 % of runs", DLQ_COLUMN_TEXT, 0},
                                         {"binds", "what takes the time", DLQ_COLUMN_TEXT, 0}};
    struct dlq_table *table = dlq_table_new(columns, sizeof columns / sizeof *columns);
    bool complete = table != NULL;
    long best = -1;
    for (size_t i = 0; complete && i < scaling->row_count; i++) {
        const struct dlq_scaling_row *row = &scaling->rows[i];
        char values[120] = "", range[2 * DLQ_TEXT_NUMBER], shares[120] = "";
        struct dlq_phrase list = {.text = values, .size = sizeof values, .separator = " "};
        struct dlq_phrase parts = {.text = shares, .size = sizeof shares};
        for (size_t k = 0; k < row->measured_count; k++)
            SAY(&list, "%s", SAY_NUMBER(row->measured[k], 4));
        snprintf(range, sizeof range, "%s to %s", SAY_NUMBER(row->value.low, 3), SAY_NUMBER(row->value.high, 3));
        say_shares(answer->table->counted, row, &parts);
        complete = DLQ_TABLE_ADD(table, {(double)row->count, NULL}, {NAN, values}, {row->value.value, NULL},
                                 {NAN, range}, {NAN, shares});
        best = (double)row->count == scaling->best.value ? (long)i : best;
    }
    complete = complete && dlq_table_write(table, stream, 2, best, "best");
    dlq_table_free(table);
    return complete;
}

static void write_head(FILE *stream, bool color, const struct dlq_table_answer *answer)
{
    const struct dlq_measurements *table = answer->table;
    char text[200];
    dlq_text_bold(stream, color, "%s", answer->name);
    snprintf(text, sizeof text, "%zu rows · %zu different counts of %s · noise of a run %s", table->count,
             table->distinct, dlq_counted_names[table->counted], SAY_SHARE(answer->scaling->noise.value));
    fputc('\n', stream);
    dlq_text_wrap(stream, text, 0, dlq_text_room(stream));
}

static void write_cautions(FILE *stream, const struct dlq_table_answer *answer, const char *title)
{
    if (answer->caution_count > 0)
        fprintf(stream, "\n  %s\n", title);
    for (size_t i = 0; i < answer->caution_count; i++)
        dlq_text_wrap_item(stream, "    - ", answer->cautions[i].text, dlq_text_columns(stream));
}

static void write_parameter(FILE *stream, const char *name, const struct dlq_estimate *value, enum dlq_unit unit)
{
    char middle[DLQ_TEXT_NUMBER], low[DLQ_TEXT_NUMBER], high[DLQ_TEXT_NUMBER];
    fprintf(stream, "    %-26s %s (%s to %s)\n", name, dlq_quantity_readable(value->value, unit, 3, middle),
            dlq_quantity_readable(value->low, unit, 3, low), dlq_quantity_readable(value->high, unit, 3, high));
}

static void write_law(FILE *stream, const struct dlq_table_answer *answer)
{
    static const char *const units[] = {"a sample", "a batch", "a run"};
    const struct dlq_scaling *scaling = answer->scaling;
    fprintf(stream, "\n  The law: ((W/n)^k + P^k)^(1/k) + b n, times of %s\n", units[answer->table->measure]);
    write_parameter(stream, "W, work of one", &scaling->work, DLQ_UNIT_TIME);
    write_parameter(stream, "P, plateau", &scaling->plateau, DLQ_UNIT_TIME);
    write_parameter(stream, "W/P, saturates at", &scaling->saturates_at, DLQ_UNIT_NUMBER);
    write_parameter(stream, "k, sharpness of the bend", &scaling->sharpness, DLQ_UNIT_NUMBER);
    write_parameter(stream, "b, what each more costs", &scaling->overhead, DLQ_UNIT_TIME);
    if (scaling->step.high > 0)
        write_parameter(stream, "S, training step", &scaling->step, DLQ_UNIT_TIME);
}

bool dlq_table_fit_report(FILE *stream, bool color, const struct dlq_table_answer *answer)
{
    char best[DLQ_TABLE_TEXT + 16];
    int width = dlq_text_columns(stream);
    snprintf(best, sizeof best, "Best: %c%s", tolower((unsigned char)answer->change[0]), answer->change + 1);
    dlq_text_answer(stream, color, best);
    write_head(stream, color, answer);
    write_cautions(stream, answer, "Cautions");
    fputc('\n', stream);
    bool complete = write_rows(stream, answer);
    write_law(stream, answer);
    if (answer->plateau[0] != '\0')
        fputc('\n', stream);
    dlq_text_wrap(stream, answer->plateau, 2, width);
    dlq_advice_part(stream, false, "The most informative run", answer->next);
    return complete;
}

bool dlq_table_advice_report(FILE *stream, bool color, const struct dlq_table_answer *answer)
{
    dlq_text_answer(stream, color, answer->change);
    write_head(stream, color, answer);
    dlq_advice_part(stream, color, "What limits", answer->limits);
    dlq_advice_part(stream, color, "The change", answer->change);
    dlq_advice_part(stream, color, "What it gains", answer->gain);
    dlq_advice_part(stream, color, "What the plateau is", answer->plateau);
    write_cautions(stream, answer, "What is not known");
    dlq_advice_part(stream, color, "The most informative run", answer->next);
    fputc('\n', stream);
    return write_rows(stream, answer);
}

void dlq_table_advice_summary(FILE *stream, bool markdown, const struct dlq_table_answer *answer)
{
    const char *const lines[][2] = {{"Limit", answer->limits}, {"Change", answer->change}, {"Gain", answer->gain}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        fprintf(stream, markdown ? "%s* **%s:** %s" : "%s%s: %s", i > 0 ? "\n" : "", lines[i][0], lines[i][1]);
    fprintf(stream, answer->caution_count > 0 ? " %s\n" : "\n", answer->cautions[0].text);
}
