/* Rows of figures: writes JSON, tables and help from them, and reads them back from CSV. */
#include "draw/figures.h"

#include "draw/phrase.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- objects -- */

struct dlq_object dlq_object_new(void)
{
    json_t *json = json_object();
    return (struct dlq_object){.json = json, .failed = json == NULL};
}

struct dlq_object dlq_object_of_command(const char *name)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_text(&object, "dlqueue", DLQ_VERSION);
    dlq_object_text(&object, "command", name);
    return object;
}

void dlq_object_put(struct dlq_object *object, const char *key, json_t *value)
{
    if (json_object_set_new(object->json, key, value) != 0)
        object->failed = true;
}

void dlq_object_number(struct dlq_object *object, const char *key, double value)
{
    dlq_object_put(object, key, dlq_json_number(value));
}

void dlq_object_text(struct dlq_object *object, const char *key, const char *value)
{
    dlq_object_put(object, key, dlq_json_text(value));
}

void dlq_object_list(struct dlq_object *object, const char *key)
{
    dlq_object_put(object, key, json_array());
}

void dlq_object_append(struct dlq_object *object, const char *key, json_t *value)
{
    if (json_array_append_new(json_object_get(object->json, key), value) != 0)
        object->failed = true;
}

json_t *dlq_object_end(struct dlq_object *object)
{
    if (object->failed) {
        json_decref(object->json);
        return NULL;
    }
    return object->json;
}

/* -- kinds -- */

/* By kind of figure. column: how a column of such figures is written, unless column_kind() finds that by the unit.
   word: what the help says in place of a unit, if the figure has none; null: "number". */
static const struct {
    enum dlq_column_kind column;
    const char *word;
} kinds[] = {
    [DLQ_FIGURE_NUMBER] = {DLQ_COLUMN_NUMBER, NULL},   [DLQ_FIGURE_COUNT] = {DLQ_COLUMN_COUNT, "count"},
    [DLQ_FIGURE_SIZE] = {DLQ_COLUMN_COUNT, "count"},   [DLQ_FIGURE_SEED] = {DLQ_COLUMN_TEXT, "count"},
    [DLQ_FIGURE_FLAG] = {DLQ_COLUMN_FLAG, "flag"},     [DLQ_FIGURE_WORD] = {DLQ_COLUMN_TEXT, "text"},
    [DLQ_FIGURE_NAMED] = {DLQ_COLUMN_TEXT, "text"},    [DLQ_FIGURE_LETTERS] = {DLQ_COLUMN_TEXT, "text"},
    [DLQ_FIGURE_COMPUTED] = {DLQ_COLUMN_NUMBER, NULL}, [DLQ_FIGURE_ESTIMATE] = {DLQ_COLUMN_NUMBER, NULL},
    [DLQ_FIGURE_OBJECT] = {DLQ_COLUMN_TEXT, "object"}, [DLQ_FIGURE_INLINE] = {DLQ_COLUMN_TEXT, "object"},
    [DLQ_FIGURE_LIST] = {DLQ_COLUMN_TEXT, "object"},   [DLQ_FIGURE_TEXTS] = {DLQ_COLUMN_TEXT, "text"},
    [DLQ_FIGURE_NUMBERS] = {DLQ_COLUMN_NUMBER, NULL},  [DLQ_FIGURE_MAP] = {DLQ_COLUMN_NUMBER, NULL},
    [DLQ_FIGURE_TOLD] = {DLQ_COLUMN_NUMBER, NULL},
};

/* Whether a figure may be in a table: a single value, or an estimate. */
static bool is_plain(const struct dlq_figure *figure)
{
    return figure->kind <= DLQ_FIGURE_ESTIMATE;
}

static double number_of(const struct dlq_figure *figure, const void *field)
{
    return figure->kind == DLQ_FIGURE_COUNT      ? (double)*(const long *)field
           : figure->kind == DLQ_FIGURE_SIZE     ? (double)*(const size_t *)field
           : figure->kind == DLQ_FIGURE_FLAG     ? *(const bool *)field
           : figure->kind == DLQ_FIGURE_COMPUTED ? figure->number(field)
                                                 : *(const double *)field;
}

/* The text of a figure whose column has texts; null: there is none. A seed keeps all its digits, in `digits`. */
enum { DIGITS = 24 };
static const char *text_of(const struct dlq_figure *figure, const void *field, char digits[DIGITS])
{
    if (figure->kind == DLQ_FIGURE_SEED)
        snprintf(digits, DIGITS, "%" PRIu64, *(const uint64_t *)field);
    return figure->kind == DLQ_FIGURE_SEED    ? digits
           : figure->kind == DLQ_FIGURE_WORD  ? *(const char *const *)field
           : figure->kind == DLQ_FIGURE_NAMED ? figure->names[*(const unsigned *)field]
                                              : field;
}

/* -- JSON -- */

static json_t *plain_json(const struct dlq_figure *figure, const void *field)
{
    char digits[DIGITS];
    if (figure->kind == DLQ_FIGURE_ESTIMATE)
        return dlq_json_estimate(*(const struct dlq_estimate *)field);
    if (figure->kind == DLQ_FIGURE_FLAG)
        return json_boolean(*(const bool *)field);
    /* jansson's integers are signed: larger ones keep their digits as text. */
    if (figure->kind == DLQ_FIGURE_SEED && *(const uint64_t *)field <= INT64_MAX)
        return json_integer((json_int_t) * (const uint64_t *)field);
    return kinds[figure->kind].column == DLQ_COLUMN_TEXT ? dlq_json_text(text_of(figure, field, digits))
                                                         : dlq_json_number(number_of(figure, field));
}

static const char *field_of(const struct dlq_figure *figure, const void *object)
{
    const char *field = (const char *)object + figure->at;
    return figure->by_pointer ? *(const char *const *)field : field;
}

static bool is_missing(const struct dlq_figure *figure, const void *object, const void *root)
{
    return figure->missing != NULL && figure->missing(object, root);
}

static json_t *object_of(const struct dlq_figures *figures, const void *object, const void *root);

/* The value of a figure; for a list an empty array, to which put() appends. count: pairs of a map. */
static json_t *value_of(const struct dlq_figure *figure, const char *field, size_t count, const void *root)
{
    struct pair {
        const char *name;
        double value;
    };
    if (is_plain(figure))
        return plain_json(figure, field);
    if (figure->kind == DLQ_FIGURE_OBJECT && figure->by_first && !isfinite(*(const double *)(const void *)field))
        return json_null();
    if (figure->kind == DLQ_FIGURE_OBJECT)
        return object_of(figure->of, field, root);
    if (figure->kind != DLQ_FIGURE_MAP)
        return json_array();
    struct dlq_object map = dlq_object_new();
    for (size_t i = 0; i < count; i++) {
        const struct pair *pair = (const void *)(field + i * figure->stride);
        dlq_object_number(&map, pair->name, pair->value);
    }
    return dlq_object_end(&map);
}

/* Adds the figures of `object`, which is part of `root`, to `json`. */
static void put(struct dlq_object *json, const struct dlq_figures *figures, const void *object, const void *root)
{
    for (size_t i = 0; i < figures->count && !json->failed; i++) {
        const struct dlq_figure *figure = &figures->rows[i];
        const bool missing = is_missing(figure, object, root);
        if (figure->kind == DLQ_FIGURE_TOLD || (missing && figure->omitted))
            continue;
        const char *field = field_of(figure, object);
        if (figure->kind == DLQ_FIGURE_INLINE) {
            put(json, figure->of, field, root);
            continue;
        }
        const bool several = figure->kind > DLQ_FIGURE_INLINE && !missing; /* the kinds of arrays */
        const size_t count = several ? *(const size_t *)(const void *)((const char *)object + figure->count_at) : 0;
        dlq_object_put(json, figure->name, missing ? json_null() : value_of(figure, field, count, root));
        for (size_t k = 0; figure->kind != DLQ_FIGURE_MAP && k < count && !json->failed; k++) {
            const char *element = field + k * (figure->kind == DLQ_FIGURE_NUMBERS ? sizeof(double) : figure->stride);
            if (figure->skip == NULL || !figure->skip(element))
                dlq_object_append(json, figure->name,
                                  figure->kind == DLQ_FIGURE_LIST ? object_of(figure->of, element, root)
                                                                  : plain_json(figure, element));
        }
    }
}

static json_t *object_of(const struct dlq_figures *figures, const void *object, const void *root)
{
    struct dlq_object json = dlq_object_new();
    put(&json, figures, object, root);
    return dlq_object_end(&json);
}

json_t *dlq_figures_json(const struct dlq_figures *figures, const void *object, const char *command)
{
    struct dlq_object json = command != NULL ? dlq_object_of_command(command) : dlq_object_new();
    put(&json, figures, object, object);
    return dlq_object_end(&json);
}

/* -- tables -- */

enum { MOST_COLUMNS = 64 };

static enum dlq_column_kind column_kind(const struct dlq_figure *figure)
{
    static const struct {
        const char *unit;
        enum dlq_column_kind kind;
    } units[] = {{"s", DLQ_COLUMN_TIME},
                 {"time", DLQ_COLUMN_TIME},
                 {"share", DLQ_COLUMN_SHARE},
                 {"bytes", DLQ_COLUMN_SIZE},
                 {"bytes/s", DLQ_COLUMN_SIZE}};
    for (size_t i = 0; figure->unit != NULL && i < sizeof units / sizeof *units; i++)
        if (strcmp(figure->unit, units[i].unit) == 0)
            return units[i].kind;
    return kinds[figure->kind].column;
}

/* The columns in the order of the rows, then those marked as last, in a second pass over the rows. *visited: the rows
   visited in both passes. Null: no more columns. */
static const struct dlq_figure *next_column(const struct dlq_figures *figures, size_t *visited)
{
    while (*visited < 2 * figures->count) {
        const bool last = *visited >= figures->count;
        const struct dlq_figure *figure = &figures->rows[last ? *visited - figures->count : *visited];
        (*visited)++;
        if (is_plain(figure) && !figure->omitted && figure->last == last)
            return figure;
    }
    return NULL;
}

struct dlq_table *dlq_figures_table(const struct dlq_figures *figures, const struct dlq_column *lead, size_t lead_count)
{
    static const char *const ends[] = {"_low", "_high"};
    struct dlq_column columns[MOST_COLUMNS];
    char names[MOST_COLUMNS][48];
    size_t count = lead_count, visited = 0;
    const struct dlq_figure *figure;
    if (lead_count > 0)
        memcpy(columns, lead, lead_count * sizeof *lead);
    while ((figure = next_column(figures, &visited)) != NULL) {
        columns[count++] = (struct dlq_column){figure->name, figure->heading, column_kind(figure), figure->digits};
        for (size_t end = 0; figure->kind == DLQ_FIGURE_ESTIMATE && end < 2; end++) {
            snprintf(names[count], sizeof names[count], "%s%s", figure->name, ends[end]);
            columns[count] = (struct dlq_column){names[count], NULL, column_kind(figure), figure->digits};
            count++;
        }
    }
    return dlq_table_new(columns, count);
}

bool dlq_figures_row(struct dlq_table *table, const struct dlq_figures *figures, size_t lead_count, const void *object,
                     const void *root)
{
    size_t column = lead_count, visited = 0;
    const struct dlq_figure *figure;
    bool filled = dlq_table_row(table);
    char digits[DIGITS];
    while (filled && (figure = next_column(figures, &visited)) != NULL) {
        const void *field = field_of(figure, object);
        const bool missing = is_missing(figure, object, root), estimate = figure->kind == DLQ_FIGURE_ESTIMATE;
        if (kinds[figure->kind].column == DLQ_COLUMN_TEXT) {
            filled = dlq_table_text(table, column++, missing ? NULL : text_of(figure, field, digits));
            continue;
        }
        for (size_t i = 0; i < (estimate ? 3 : 1); i++) /* of an estimate value, low, and high */
            dlq_table_number(table, column++,
                             missing    ? NAN
                             : estimate ? ((const double *)field)[i]
                                        : number_of(figure, field));
    }
    return filled;
}

static bool read_number(const char *text, double *number)
{
    char *end;
    *number = text[0] == '\0' ? NAN : strtod(text, &end);
    return text[0] == '\0' || *end == '\0';
}

/* Sets a plain figure that is no estimate; false: the text does not suit its kind. */
static bool read_field(const struct dlq_figure *figure, const char *text, char *field)
{
    double number = 0;
    if (figure->kind == DLQ_FIGURE_NAMED) {
        int named = 1; /* names[0] is null */
        while (figure->names[named] != NULL && strcmp(figure->names[named], text) != 0)
            named++;
        *(int *)(void *)field = named;
        return figure->names[named] != NULL;
    }
    if (figure->kind == DLQ_FIGURE_FLAG) {
        *(bool *)(void *)field = strcmp(text, "true") == 0;
        return *(bool *)(void *)field || strcmp(text, "false") == 0;
    }
    if (!read_number(text, &number))
        return false;
    if (figure->kind == DLQ_FIGURE_NUMBER)
        *(double *)(void *)field = number;
    else if (figure->kind == DLQ_FIGURE_COUNT && number >= 0 && number < 1e15)
        *(long *)(void *)field = (long)number;
    else
        return false;
    return true;
}

bool dlq_figures_read(const struct dlq_figures *figures, char *const *fields, void *object)
{
    const struct dlq_figure *figure;
    size_t visited = 0;
    bool read = true;
    while (read && (figure = next_column(figures, &visited)) != NULL) {
        char *field = (char *)object + figure->at;
        if (figure->kind != DLQ_FIGURE_ESTIMATE)
            read = read_field(figure, *fields++, field);
        for (size_t i = 0; read && figure->kind == DLQ_FIGURE_ESTIMATE && i < 3; i++)
            read = read_number(*fields++, &((double *)(void *)field)[i]);
    }
    return read;
}

/* -- help -- */

/* Row number *index, where the rows of inline figures without a headline count, too. Null: there are fewer rows, whose
   number is subtracted from *index. */
static const struct dlq_figure *row_of(const struct dlq_figures *figures, size_t *index)
{
    for (size_t i = 0; i < figures->count; i++) {
        const struct dlq_figure *figure = &figures->rows[i];
        bool inner = figure->kind == DLQ_FIGURE_INLINE && figure->of->place == NULL;
        const struct dlq_figure *found = inner ? row_of(figure->of, index) : figure;
        if (found != NULL && (inner || (*index)-- == 0))
            return found;
    }
    return NULL;
}

bool dlq_figures_line(const struct dlq_figures *figures, size_t *row, struct dlq_figure_line *line)
{
    const struct dlq_figure *figure = row_of(figures, &(size_t){*row}), *next;
    while (figure != NULL && figure->help == NULL)
        figure = row_of(figures, &(size_t){++*row});
    if (figure == NULL)
        return false;
    const char *kind = figure->unit != NULL ? figure->unit : kinds[figure->kind].word;
    bool several =
        figure->kind == DLQ_FIGURE_LIST || figure->kind == DLQ_FIGURE_TEXTS || figure->kind == DLQ_FIGURE_NUMBERS;
    snprintf(line->names, sizeof line->names, "%s%s", figure->name, several ? "[]" : "");
    while ((next = row_of(figures, &(size_t){++*row})) != NULL && next->alike) {
        size_t used = strlen(line->names);
        snprintf(line->names + used, sizeof line->names - used, ", %s", next->name);
    }
    snprintf(line->kind, sizeof line->kind, "%s%s", figure->kind == DLQ_FIGURE_ESTIMATE ? "~ " : "",
             kind != NULL ? kind : "number");
    char names[240] = "";
    struct dlq_phrase list = {.text = names, .size = sizeof names, .separator = ", "};
    struct dlq_phrase meaning = {.text = line->meaning, .size = sizeof line->meaning};
    for (size_t i = 1; i <= figure->last_listed; i++)
        dlq_phrase_add(&list, "%s%s", i == figure->last_listed ? "or " : "", figure->names[i]);
    line->meaning[0] = '\0';
    dlq_phrase_fill(&meaning, figure->help, (const struct dlq_word[]){{"names", names}, {NULL, NULL}});
    if (figure->absent != NULL)
        dlq_phrase_add(&meaning, "; null: %s", figure->absent);
    return true;
}
