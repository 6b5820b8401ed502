/* Which parameters the throughput depends on: figures, words and text. */
#include "report/tornado.h"

#include "report/report.h"

#include <math.h>
#include <string.h>

/* -- figures -- */

#define S(member) offsetof(struct dlq_sensitivity, member)
static const struct dlq_figure sensitivity[] = {
    DLQ_ROW("parameter", LETTERS, S(parameter), NULL, "a key of [sweep], or the mean of a stage: load.NAME, step.NAME"),
    DLQ_ROW("value", NUMBER, S(value), "number", "as configured: s, bytes/s, a share or a count"),
    DLQ_ROW("less", NUMBER, S(less), "number", "a fifth less", "the configuration allows no such value"),
    DLQ_ROW("throughput_less", ESTIMATE, S(of_less.throughput), "1/s", "batches of one rank with `less`", "as `less`"),
    DLQ_ROW("gain_less", ESTIMATE, S(of_less.gain), "number", "throughput_less / throughput - 1, from pairs of runs",
            "as `less`"),
    DLQ_ROW("proven_less", FLAG, S(of_less.proven), NULL, "the interval of gain_less does not include 0"),
    DLQ_ROW("more", NUMBER, S(more), "number", "a fifth more", "the configuration allows no such value"),
    DLQ_ROW("throughput_more", ESTIMATE, S(of_more.throughput), "1/s", "batches of one rank with `more`", "as `more`"),
    DLQ_ROW("gain_more", ESTIMATE, S(of_more.gain), "number", "as gain_less", "as `more`"),
    DLQ_ROW("proven_more", FLAG, S(of_more.proven), NULL, "as proven_less"),
};
const struct dlq_figures dlq_figures_sensitivity = DLQ_FIGURES(
    "sweep --tornado: tornado[]; sweep --tornado --csv",
    "One for each parameter, the one that moves the throughput most first. DIR/STEM-tornado.csv is the same "
    "table.",
    sensitivity);

#define T(member) offsetof(struct dlq_tornado, member)
static const struct dlq_figure tornado_rows[] = {
    DLQ_ROW("name", WORD, T(description.name), NULL, "[pipeline] name, or that of the file"),
    DLQ_ROW("throughput", ESTIMATE, T(throughput), "1/s", "batches of one rank, as configured"),
    DLQ_ROW("tornado", LIST, T(rows), .of = &dlq_figures_sensitivity, .count_at = T(count),
            .stride = sizeof(struct dlq_sensitivity)),
    DLQ_ROW("warnings", TEXTS, T(warnings), NULL, "what to mind with these figures", .count_at = T(warning_count),
            .stride = DLQ_WARNING_TEXT),
};
const struct dlq_figures dlq_figures_tornado = DLQ_FIGURES("sweep --tornado", NULL, tornado_rows);

/* -- words -- */

/* The kind of axis that the parameter is; a stage has a time like the load. */
static const struct dlq_axis_kind *kind_of(const struct dlq_sensitivity *row)
{
    return dlq_axis_kind_find(strchr(row->parameter, '.') != NULL ? "load" : row->parameter);
}

const char *dlq_sensitivity_name(const struct dlq_sensitivity *row, char text[DLQ_AXIS_TEXT])
{
    const struct dlq_axis_kind *kind = kind_of(row);
    /* The words of an axis are before the value, "a load cv of ", or a unit behind it, " loader"; the name is made of
       either. */
    const char *before = dlq_axis_before(kind);
    if (strchr(row->parameter, '.') != NULL)
        snprintf(text, DLQ_AXIS_TEXT, "%s", row->parameter);
    else if (before[0] != '\0')
        snprintf(text, DLQ_AXIS_TEXT, "%.*s", (int)(strlen(before) - strlen(" of ")), before);
    else
        snprintf(text, DLQ_AXIS_TEXT, "%ss", kind->unit + strspn(kind->unit, " "));
    return text;
}

const char *dlq_sensitivity_say(const struct dlq_sensitivity *row, double value, char text[DLQ_AXIS_TEXT])
{
    const struct dlq_axis_kind *kind = kind_of(row);
    if (isnan(value)) {
        snprintf(text, DLQ_AXIS_TEXT, "-");
        return text;
    }
    /* The name of a parameter with a unit, "loaders", is that unit: the value needs none. */
    return dlq_axis_say(kind->unit[0] == '\0' ? kind : dlq_axis_kind_find(""), value, text);
}

static bool is_proven(const struct dlq_sensitivity *row)
{
    return row->of_less.proven || row->of_more.proven;
}

bool dlq_sensitivity_moves(const struct dlq_sensitivity *row)
{
    return fabs(row->of_less.gain.value) > 1e-9 || fabs(row->of_more.gain.value) > 1e-9 || is_proven(row);
}

static void say_change(struct dlq_phrase *phrase, const struct dlq_sensitivity *row, bool less, bool first)
{
    const struct dlq_lever *lever = less ? &row->of_less : &row->of_more;
    char value[DLQ_AXIS_TEXT], now[DLQ_AXIS_TEXT];
    if (isnan(lever->gain.value))
        return;
    dlq_phrase_add(phrase, "%s%s", first ? ": " : ", ", dlq_sensitivity_say(row, less ? row->less : row->more, value));
    if (first)
        dlq_phrase_add(phrase, " instead of %s", dlq_sensitivity_say(row, row->value, now));
    if (lever->proven)
        dlq_phrase_add(phrase, " %s %.3g %%", lever->gain.value > 0 ? "gains" : "costs", 100 * fabs(lever->gain.value));
    else
        dlq_phrase_add(phrase, " changes nothing that is proven");
}

/* The proven change that gains most (sign 1) or costs most (-1), of equal ones the first; *less: whether it lowers the
   parameter. Null: there is none. */
static const struct dlq_sensitivity *extreme_of(const struct dlq_tornado *tornado, int sign, bool *less)
{
    static const double alike = 0.0005; /* half of 0.1 %, the last digit of most gains as shown */
    const struct dlq_sensitivity *found = NULL;
    double most = 0;
    for (size_t i = 0; i < 2 * tornado->count; i++) {
        const struct dlq_sensitivity *row = &tornado->rows[i / 2];
        const struct dlq_lever *lever = i % 2 == 0 ? &row->of_less : &row->of_more;
        const double size = sign * lever->gain.value;
        if (!lever->proven || !(size > most + (found != NULL ? alike : 0)))
            continue;
        found = row;
        most = size;
        *less = i % 2 == 0;
    }
    return found;
}

/* "a load of 1.11 s instead of 1.38 s (+25 %)" */
static void say_extreme(struct dlq_phrase *phrase, const struct dlq_sensitivity *row, bool less)
{
    const struct dlq_axis_kind *kind = kind_of(row);
    char value[DLQ_AXIS_TEXT], now[DLQ_AXIS_TEXT], name[DLQ_AXIS_TEXT];
    if (strchr(row->parameter, '.') != NULL)
        dlq_phrase_add(phrase, "%s of ", dlq_sensitivity_name(row, name));
    else
        dlq_phrase_add(phrase, "%s", kind->before);
    dlq_phrase_add(phrase, "%s instead of %s (%+.3g %%)", dlq_axis_say(kind, less ? row->less : row->more, value),
                   dlq_sensitivity_say(row, row->value, now), 100 * (less ? &row->of_less : &row->of_more)->gain.value);
}

const char *dlq_tornado_title(const struct dlq_tornado *tornado, char text[DLQ_FINDING_TEXT])
{
    struct dlq_phrase phrase = {.text = text, .size = DLQ_FINDING_TEXT};
    char name[DLQ_AXIS_TEXT];
    bool gains_by_less = false, costs_by_less = false;
    const struct dlq_sensitivity *gain = extreme_of(tornado, 1, &gains_by_less),
                                 *cost = extreme_of(tornado, -1, &costs_by_less), *row = gain != NULL ? gain : cost;
    text[0] = '\0';
    if (row == NULL) {
        dlq_phrase_add(&phrase, "No parameter is proven to move the throughput when it changes by 20 %%");
        return text;
    }
    if (cost != NULL && cost != row) { /* no parameter has the longest bars on both sides */
        dlq_phrase_add(&phrase, "Throughput gains most with ");
        say_extreme(&phrase, gain, gains_by_less);
        dlq_phrase_add(&phrase, " and loses most with ");
        say_extreme(&phrase, cost, costs_by_less);
        return text;
    }
    dlq_phrase_add(&phrase, "Throughput depends most on %s%s", strchr(row->parameter, '.') == NULL ? "the " : "",
                   dlq_sensitivity_name(row, name));
    say_change(&phrase, row, true, true);
    say_change(&phrase, row, false, isnan(row->of_less.gain.value));
    return text;
}

/* -- text -- */

/* In per cent, to two decimals. */
static double percent_of(double gain)
{
    return round(1e4 * gain) / 100;
}

/* Half of the width of the interval, in per cent, rounded up to two decimals; NAN if it is below 0.005: no more than
   rounding. */
static double half_of(struct dlq_estimate gain)
{
    const double half = 50 * (gain.high - gain.low);
    return half >= 0.005 && isfinite(half) ? ceil(100 * half - 1e-9) / 100 : NAN;
}

/* The parameters without a proven change: "No difference proven: prefetch, receive time." of those that move the
   throughput, or "Changes nothing: " and the others. */
static void write_unproven(FILE *stream, const struct dlq_tornado *tornado, bool moves)
{
    char text[DLQ_SENSITIVITIES * DLQ_AXIS_TEXT] = "", name[DLQ_AXIS_TEXT];
    struct dlq_phrase phrase = {.text = text, .size = sizeof text};
    for (size_t i = 0; i < tornado->count; i++) {
        const struct dlq_sensitivity *row = &tornado->rows[i];
        if (!is_proven(row) && dlq_sensitivity_moves(row) == moves)
            dlq_phrase_add(&phrase, "%s%s",
                           phrase.used > 0 ? ", "
                           : moves         ? "No difference proven: "
                                           : "Changes nothing: ",
                           dlq_sensitivity_name(row, name));
    }
    dlq_phrase_add(&phrase, phrase.used > 0 ? "." : "");
    dlq_text_wrap(stream, text, 2, dlq_text_columns(stream));
}

enum dlq_status dlq_tornado_report(FILE *stream, bool color, const struct dlq_tornado *tornado, struct dlq_error *error)
{
    enum { NARROW = 80 };
    const int width = dlq_text_columns(stream);
    const struct dlq_column columns[] = {
        {"parameter", "parameter", DLQ_COLUMN_TEXT, 0}, {"value", width < NARROW ? NULL : "now", DLQ_COLUMN_TEXT, 0},
        {"less", "less", DLQ_COLUMN_TEXT, 0},           {"gain_less", "(%)", DLQ_COLUMN_NUMBER, 3},
        {"half_less", "±", DLQ_COLUMN_NUMBER, 2},       {"more", "more", DLQ_COLUMN_TEXT, 0},
        {"gain_more", "(%)", DLQ_COLUMN_NUMBER, 3},     {"half_more", "±", DLQ_COLUMN_NUMBER, 2},
    };
    char title[DLQ_FINDING_TEXT], text[DLQ_FINDING_TEXT + 2], words[4][DLQ_AXIS_TEXT];
    snprintf(text, sizeof text, "%s.", dlq_tornado_title(tornado, title));
    dlq_text_answer(stream, color, text);
    dlq_report_head(stream, color, &tornado->description, true, NULL);
    fputc('\n', stream);
    dlq_text_wrap(
        stream,
        "What a fifth (of counts one at least) less and more of one parameter does to the throughput, in %, on "
        "the same draws",
        2, width);
    struct dlq_table *table = dlq_table_new(columns, sizeof columns / sizeof *columns);
    bool filled = table != NULL, halves = false;
    for (size_t i = 0; filled && i < tornado->count; i++) {
        const struct dlq_sensitivity *row = &tornado->rows[i];
        halves = halves || !isnan(half_of(row->of_less.gain)) || !isnan(half_of(row->of_more.gain));
        if (is_proven(row))
            filled = DLQ_TABLE_ADD(table, {NAN, dlq_sensitivity_name(row, words[0])},
                                   {NAN, dlq_sensitivity_say(row, row->value, words[1])},
                                   {NAN, dlq_sensitivity_say(row, row->less, words[2])},
                                   {percent_of(row->of_less.gain.value), NULL}, {half_of(row->of_less.gain), NULL},
                                   {NAN, dlq_sensitivity_say(row, row->more, words[3])},
                                   {percent_of(row->of_more.gain.value), NULL}, {half_of(row->of_more.gain), NULL});
    }
    if (filled && !halves)
        table->columns[4].heading = table->columns[7].heading = NULL;
    filled = filled && (table->rows == 0 || dlq_table_write(table, stream, 2, -1, NULL));
    dlq_table_free(table);
    write_unproven(stream, tornado, true);
    write_unproven(stream, tornado, false);
    return filled ? DLQ_OK : dlq_error_memory(error, "writing a table");
}
