/* Looks up what commands write, in JSON and in CSV, in the table of fields, and keeps what was met of it. */
#ifndef TESTS_FIELDS_SURVEY_H
#define TESTS_FIELDS_SURVEY_H

#include "cli/args.h"
#include "command.h"
#include "report/figures.h"

#include <math.h>

enum { MOST_GROUPS = 80, MOST_ROWS = 40, PATH_TEXT = 256 };

/* A line of the help. */
struct field {
    char names[sizeof((struct dlq_figure_line *)NULL)->names], kind[sizeof((struct dlq_figure_line *)NULL)->kind];
    bool absent; /* it may be null */
};

struct group {
    const char *place;
    size_t count;
    struct field rows[MOST_ROWS];
};

/* Group 0, 1, ... of the help; null at the end. */
static inline const struct group *survey_group(size_t index)
{
    static struct group groups[MOST_GROUPS];
    static size_t count;
    struct dlq_figure_line line;
    for (; dlq_figures_group(count) != NULL; count++) {
        struct group *group = &groups[count];
        group->place = dlq_figures_group(count)->place;
        for (size_t row = 0; dlq_figures_line(dlq_figures_group(count), &row, &line); group->count++) {
            struct field *field = &group->rows[group->count];
            snprintf(field->names, sizeof field->names, "%s", line.names);
            snprintf(field->kind, sizeof field->kind, "%s", line.kind);
            field->absent = strstr(line.meaning, "; null: ") != NULL;
        }
    }
    return index < count ? &groups[index] : NULL;
}

struct row_seen {
    unsigned seen, all; /* bits, three for each of the names */
    bool absent;
};

struct survey {
    struct command *command;
    const char *line; /* that is run */
    const char *name; /* of its command */
    bool flat;        /* estimates are three fields */
    bool csv;
    struct {
        unsigned seen, all; /* bits, in the order of the places */
    } places[MOST_GROUPS];
    struct row_seen rows[MOST_GROUPS][MOST_ROWS];
};

struct found {
    const struct field *field;
    struct row_seen *seen;
};

/* -- places -- */

/* A * stands for one letter or more. */
static inline bool matches(const char *pattern, const char *text)
{
    for (; *pattern != '*'; pattern++, text++) {
        if (*pattern != *text)
            return false;
        if (*pattern == '\0')
            return true;
    }
    while (*text != '\0')
        if (matches(pattern + 1, ++text))
            return true;
    return false;
}

/* The next part of a text whose parts are set apart so; false at the end. */
static inline bool next_part(const char **text, const char *apart, char part[PATH_TEXT])
{
    const char *end = strstr(*text, apart);
    size_t length = end != NULL ? (size_t)(end - *text) : strlen(*text);
    if (**text == '\0')
        return false;
    snprintf(part, PATH_TEXT, "%.*s", (int)length, *text);
    *text += length + (end != NULL ? strlen(apart) : 0);
    return true;
}

/* Is `path` the field NAMEend of the object `before`? */
static inline bool is_named(const char *before, const char *name, const char *end, const char *path)
{
    char pattern[2 * PATH_TEXT + 8];
    snprintf(pattern, sizeof pattern, "%s%s%s%s", before, before[0] != '\0' ? "." : "", name, end);
    return matches(pattern, path);
}

/* Whether a row explains the path; "throughput" also explains "throughput_low" and "throughput_high", where estimates
   are three fields. */
static inline bool row_explains(const struct survey *survey, const struct field *field, struct row_seen *seen,
                                const char *before, const char *path)
{
    static const char *const ends[] = {"", "_low", "_high"};
    size_t count = survey->flat && field->kind[0] == '~' ? 3 : 1;
    const char *names = field->names;
    char name[PATH_TEXT];
    bool any = false;
    for (unsigned first = 1; next_part(&names, ", ", name); first <<= 3)
        for (size_t i = 0; i < count; i++) {
            bool named = is_named(before, name, ends[i], path);
            seen->all |= first << i;
            seen->seen |= named ? first << i : 0;
            any = any || named;
        }
    return any;
}

/* Counts the rows that explain the path, the last of which is `found`. */
static inline int find_in_object(struct survey *survey, size_t index, const char *before, const char *path,
                                 struct found *found)
{
    const struct group *group = survey_group(index);
    int count = 0;
    for (size_t r = 0; r < group->count; r++) {
        struct row_seen *seen = &survey->rows[index][r];
        if (!row_explains(survey, &group->rows[r], seen, before, path))
            continue;
        *found = (struct found){&group->rows[r], seen};
        count++;
    }
    return count;
}

/* "plan: answer, table[]", "plan --csv", "plan" or "every command" */
static inline int find_in_place(struct survey *survey, size_t index, unsigned *bit, const char *place, const char *path,
                                struct found *found)
{
    char object[PATH_TEXT];
    int count = 0;
    size_t length = strlen(survey->name);
    bool every = strcmp(place, "every command") == 0;
    bool mine = every || (strncmp(place, survey->name, length) == 0 && strchr(": ", place[length]) != NULL);
    bool csv = strstr(place, " --csv") != NULL;
    const char *objects = strchr(place, ':') != NULL ? strchr(place, ':') + 2 : "";
    do {
        object[0] = '\0';
        next_part(&objects, ", ", object);
        int here = mine && csv == survey->csv ? find_in_object(survey, index, object, path, found) : 0;
        survey->places[index].seen |= here > 0 ? *bit : 0;
        survey->places[index].all |= *bit;
        count += here;
        *bit <<= 1;
    } while (objects[0] != '\0');
    return count;
}

static inline int find(struct survey *survey, const char *path, struct found *found)
{
    int count = 0;
    for (size_t i = 0; survey_group(i) != NULL; i++) {
        const char *places = survey_group(i)->place;
        char place[PATH_TEXT];
        for (unsigned bit = 1; next_part(&places, "; ", place);)
            count += find_in_place(survey, i, &bit, place, path, found);
    }
    return count;
}

/* -- values -- */

static inline bool is_of_kind(const char *kind, const json_t *value)
{
    double number = json_number_value(value);
    if (strcmp(kind, "text") == 0)
        return json_is_string(value);
    if (strcmp(kind, "flag") == 0)
        return json_is_boolean(value);
    if (strcmp(kind, "object") == 0)
        return json_is_object(value);
    if (strcmp(kind, "number") == 0 || strcmp(kind, "time") == 0)
        return json_is_number(value);
    if (strcmp(kind, "share") == 0 && number > 1 + 1e-6)
        return false;
    if (strcmp(kind, "count") == 0 && number != floor(number))
        return false;
    return json_is_number(value) && number >= -1e-9 && strstr(" share count s 1/s bytes bytes/s price ", kind) != NULL;
}

static inline bool is_estimate(const char *kind, const json_t *value)
{
    const json_t *low = json_object_get(value, "low"), *high = json_object_get(value, "high");
    const json_t *middle = json_object_get(value, "value");
    bool whole = strcmp(kind, "count") == 0; /* a mean of these is none */
    return json_object_size(value) == 3 && is_of_kind(whole ? "number" : kind, middle) && json_is_number(low) &&
           json_is_number(high) && json_number_value(low) <= json_number_value(middle) &&
           json_number_value(middle) <= json_number_value(high);
}

static inline void check_value(struct survey *survey, const char *path, const json_t *value)
{
    struct found found;
    char list[PATH_TEXT + 2]; /* one that is null */
    snprintf(list, sizeof list, "%.*s[]", PATH_TEXT - 1, path);
    if (json_is_null(value) && find(survey, path, &found) == 0)
        path = list;
    int count = find(survey, path, &found);
    CHECK(count == 1, "%s: %s '%s' is explained %d times", survey->line, survey->csv ? "column" : "field", path, count);
    if (count == 0)
        return;
    found.seen->absent = found.seen->absent || json_is_null(value);
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    const char *kind = found.field->kind;
    bool told = kind[0] == '~' ? is_estimate(kind + 2, value) : is_of_kind(kind, value);
    if (kind[0] == '~' && survey->flat) /* the ends of an interval may lie outside of what a value can be */
        told = json_is_number(value);
    if (survey->csv && strcmp(kind, "text") == 0)
        told = true;
    if (json_is_null(value))
        told = found.field->absent;
    CHECK(told, "%s: '%s' is no %s: %.200s", survey->line, path, kind, text);
    free(text);
}

/* -- objects -- */

static inline void visit(struct survey *survey, const char *path, const json_t *value)
{
    const char *key;
    json_t *member;
    char inner[PATH_TEXT];
    struct found found;
    /* Of several models, or runs, each is like the outermost object. */
    bool models = (strcmp(survey->name, "solve") == 0 && strcmp(path, "models") == 0) ||
                  (strcmp(survey->name, "diagnose") == 0 && strcmp(path, "logs") == 0);
    bool object = json_is_object(value), explained = object && find(survey, path, &found) > 0;
    snprintf(inner, sizeof inner, "%.*s[]", PATH_TEXT - 3, path);
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (models)
            check_value(survey, inner, json_array_get(value, i));
        visit(survey, models ? "" : inner, json_array_get(value, i));
    }
    if (!json_is_array(value) && (!object || explained))
        check_value(survey, path, value);
    if (!object || json_object_size(value) == 0 || (json_object_get(value, "high") != NULL && explained))
        return;
    json_object_foreach((json_t *)value, key, member)
    {
        int length = snprintf(inner, sizeof inner, "%s%s%s", path, path[0] != '\0' ? "." : "", key);
        CHECK(length < PATH_TEXT, "%s: too long: %s", survey->line, inner);
        visit(survey, inner, member);
    }
}

/* -- CSV -- */

/* The next cell, which may be quoted; returns what follows it, the comma or end of line. */
static inline const char *read_cell(const char *at, char *cell, size_t size)
{
    size_t used = 0;
    bool quoted = *at == '"';
    for (at += quoted; *at != '\0' && (quoted || (*at != ',' && *at != '\n')); at++) {
        if (quoted && *at == '"' && *++at != '"')
            break;
        if (used + 1 < size)
            cell[used++] = *at;
    }
    cell[used] = '\0';
    return at;
}

static inline json_t *cell_value(const char *cell)
{
    char *end;
    double number = strtod(cell, &end);
    if (cell[0] == '\0')
        return json_null();
    if (strcmp(cell, "true") == 0 || strcmp(cell, "false") == 0)
        return json_boolean(cell[0] == 't');
    return *end == '\0' && isfinite(number) ? json_real(number) : json_string(cell);
}

static inline void visit_csv(struct survey *survey, const char *text)
{
    enum { MOST_COLUMNS = 40 };
    static char names[MOST_COLUMNS][PATH_TEXT];
    char cell[2000];
    size_t lines = 0, columns = 0;
    for (size_t column = 0; *text != '\0'; column = *text++ == '\n' ? 0 : column + 1) {
        lines += column == 0;
        text = read_cell(text, lines == 1 ? names[column] : cell, lines == 1 ? PATH_TEXT : sizeof cell);
        columns = lines == 1 ? column + 1 : columns;
        CHECK(column < columns && columns < MOST_COLUMNS, "%s: line %zu has another length", survey->line, lines);
        struct found found;
        if (lines == 1)
            CHECK(find(survey, names[column], &found) == 1, "%s: column '%s'", survey->line, names[column]);
        if (lines == 1 || column >= columns)
            continue;
        json_t *value = cell_value(cell);
        check_value(survey, names[column], value);
        json_decref(value);
    }
    CHECK(lines > 0, "%s: nothing is written", survey->line);
}

#endif
