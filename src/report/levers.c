/* What changes gain, in words and as a table. */
#include "report/levers.h"

#include "base/arena.h"
#include "draw/table.h"
#include "report/phrase.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

enum dlq_lever_kind dlq_lever_kind(const struct dlq_lever *lever)
{
    static const double least = 0.005;
    if (!lever->proven || !isfinite(lever->gain.value))
        return DLQ_LEVER_UNPROVEN;
    return fabs(lever->gain.value) >= least ? DLQ_LEVER_COUNTS : DLQ_LEVER_SMALL;
}

int dlq_lever_decimals(const struct dlq_levers *levers, double throughput)
{
    double least = throughput, most = throughput;
    for (size_t i = 0; i < levers->count; i++) {
        double value = levers->rows[i].throughput.value;
        if (!(value > 0) || !isfinite(value))
            continue;
        least = fmin(least, value); /* the number, where the other is none */
        most = fmax(most, value);
    }
    if (!(least > 0) || !isfinite(most))
        return 0;
    int wide = dlq_text_decimals(most, 3), narrow = dlq_text_decimals(least, 2);
    return wide > narrow ? wide : narrow;
}

const char *dlq_lever_gain(struct dlq_estimate gain, char text[DLQ_TEXT_NUMBER], char half[DLQ_TEXT_NUMBER])
{
    double percent = 100 * gain.value, width = 50 * (gain.high - gain.low);
    bool shows = width >= 0.05 && isfinite(width);
    int decimals = fabs(percent) < 9.95 || (shows && width < 0.95) ? 1 : 0;
    char number[DLQ_TEXT_NUMBER];
    half[0] = '\0';
    if (shows)
        dlq_text_fixed(width, decimals, half);
    dlq_text_fixed(percent, decimals, number);
    bool rises = percent > 0 && strspn(number, "0.") < strlen(number);
    snprintf(text, DLQ_TEXT_NUMBER, "%s%.48s %%", rises ? "+" : "", number);
    return text;
}

enum { MOST_ROWS = 10, MOST_NAME = 54, LIST = DLQ_LEVERS * (DLQ_LEVER_TEXT + 16) };

/* At most MOST_NAME columns, the last of them an ellipsis where that is not all. */
static void set_name(const char *change, char name[DLQ_LEVER_TEXT + 4])
{
    size_t length = strlen(change);
    snprintf(name, DLQ_LEVER_TEXT + 4, "%s", change);
    if (dlq_text_width(name) <= MOST_NAME)
        return;
    while (length > 0 && dlq_text_width(name) >= MOST_NAME) {
        length--;
        while (length > 0 && ((unsigned char)change[length] & 0xC0) == 0x80)
            length--;
        name[length] = '\0';
    }
    memcpy(name + length, "…", sizeof "…");
}

/* Of the gain's interval, in %. */
static double half_of(const struct dlq_lever *lever)
{
    return 50 * (lever->gain.high - lever->gain.low);
}

/* Rounding is no interval. */
static bool has_half(const struct dlq_lever *lever)
{
    return half_of(lever) >= 0.005 && isfinite(half_of(lever));
}

/* Those that count, as far as there is room; *next: where the others begin. */
static enum dlq_status write_table(FILE *stream, const struct dlq_levers *levers, size_t *next, struct dlq_error *error)
{
    enum { CHANGE, THROUGHPUT, GAIN, HALF, COLUMNS };
    static const struct dlq_column columns[COLUMNS] = {
        [CHANGE] = {"change", "What one change gains", DLQ_COLUMN_TEXT, 0},
        [THROUGHPUT] = {"throughput", "batches/s", DLQ_COLUMN_NUMBER, 3},
        [GAIN] = {"gain", "gain (%)", DLQ_COLUMN_NUMBER, 3},
        [HALF] = {"half", "±", DLQ_COLUMN_NUMBER, 2},
    };
    bool halves = false;
    for (size_t k = 0; k < levers->count; k++)
        halves = halves || (dlq_lever_kind(&levers->rows[k]) == DLQ_LEVER_COUNTS && has_half(&levers->rows[k]));
    struct dlq_table *table = dlq_table_new(columns, halves ? COLUMNS : HALF);
    bool filled = table != NULL;
    size_t i = 0;
    for (; filled && i < levers->count && table->rows < MOST_ROWS; i++) {
        const struct dlq_lever *lever = &levers->rows[i];
        char name[DLQ_LEVER_TEXT + 4];
        if (dlq_lever_kind(lever) != DLQ_LEVER_COUNTS)
            continue;
        set_name(lever->change, name);
        filled = dlq_table_row(table) && dlq_table_text(table, CHANGE, name);
        if (filled && halves)
            filled = dlq_table_text(table, HALF, has_half(lever) ? NULL : "");
        if (filled) {
            dlq_table_number(table, THROUGHPUT, lever->throughput.value);
            dlq_table_number(table, GAIN, 100 * lever->gain.value);
            dlq_table_number(table, HALF, has_half(lever) ? half_of(lever) : NAN);
        }
    }
    if (filled && table->rows == 0)
        fprintf(stream, "  %s\n", columns[CHANGE].heading);
    else
        filled = filled && dlq_table_write(table, stream, 2, -1, NULL);
    dlq_table_free(table);
    *next = i;
    return filled ? DLQ_OK : dlq_error_memory(error, "writing a table");
}

/* "Under 0.5 % either way: one more loader, read free." */
static void write_list(FILE *stream, const char *words, const struct dlq_levers *levers, size_t from,
                       enum dlq_lever_kind kind)
{
    char text[LIST], gain[DLQ_TEXT_NUMBER], half[DLQ_TEXT_NUMBER];
    struct dlq_phrase phrase = {.text = text, .size = sizeof text - 1};
    for (size_t i = from; i < levers->count; i++) {
        const struct dlq_lever *lever = &levers->rows[i];
        if (dlq_lever_kind(lever) != kind)
            continue;
        dlq_phrase_add(&phrase, "%s%s", phrase.used > 0 ? ", " : words, lever->change);
        if (kind == DLQ_LEVER_COUNTS)
            dlq_phrase_add(&phrase, " %s", dlq_lever_gain(lever->gain, gain, half));
    }
    if (phrase.used == 0)
        return;
    memcpy(text + phrase.used, ".", sizeof ".");
    dlq_text_wrap(stream, text, 2, dlq_report_width(stream));
}

static const char *const why_some_lose[] = {
    [DLQ_LOSES_BY_TICKS] = "A change may lose here because every load is rounded up to whole ticks: more of them, or "
                           "shorter ones, waste more.",
    [DLQ_LOSES_BY_SHARING] = "A change may lose here because loads share cores or bandwidth: more at once take longer "
                             "each, so that the batch that is due, and the first one, come later.",
    [DLQ_LOSES_BY_HORIZON] = "A change may lose here because the horizon counts the start and drops what is loaded "
                             "ahead at its end.",
    [DLQ_LOSES_BY_EPOCHS] = "A change may lose here because each epoch begins with no batch loaded and ends with fewer "
                            "and fewer under way.",
};

enum dlq_status dlq_report_levers(FILE *stream, const struct dlq_levers *levers, struct dlq_error *error)
{
    size_t shown;
    if (levers->count == 0)
        return DLQ_OK;
    TRY(write_table(stream, levers, &shown, error));
    write_list(stream, "Also: ", levers, shown, DLQ_LEVER_COUNTS);
    write_list(stream, "Under 0.5 % either way: ", levers, 0, DLQ_LEVER_SMALL);
    write_list(stream, "No difference proven: ", levers, 0, DLQ_LEVER_UNPROVEN);
    if (levers->loses != DLQ_LOSES_NOWHERE)
        dlq_text_wrap(stream, why_some_lose[levers->loses], 2, dlq_report_width(stream));
    return DLQ_OK;
}
