/* Rows of figures, and what is written from them: JSON, tables, help. */
#include "report/figures.h"

#include "dlqueue/bounds.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
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

void dlq_object_flag(struct dlq_object *object, const char *key, bool value)
{
    dlq_object_put(object, key, json_boolean(value));
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

/* In tables the kind of the column, but for what the unit says; in the help the word, null: the unit. */
static const struct {
    enum dlq_column_kind column;
    const char *word;
} kinds[] = {
    [DLQ_FIGURE_NUMBER] = {DLQ_COLUMN_NUMBER, NULL},   [DLQ_FIGURE_COUNT] = {DLQ_COLUMN_COUNT, "count"},
    [DLQ_FIGURE_SIZE] = {DLQ_COLUMN_COUNT, "count"},   [DLQ_FIGURE_SEED] = {DLQ_COLUMN_COUNT, "count"},
    [DLQ_FIGURE_FLAG] = {DLQ_COLUMN_FLAG, "flag"},     [DLQ_FIGURE_WORD] = {DLQ_COLUMN_TEXT, "text"},
    [DLQ_FIGURE_CAUSE] = {DLQ_COLUMN_TEXT, "text"},    [DLQ_FIGURE_LETTERS] = {DLQ_COLUMN_TEXT, "text"},
    [DLQ_FIGURE_ESTIMATE] = {DLQ_COLUMN_NUMBER, NULL}, [DLQ_FIGURE_OBJECT] = {DLQ_COLUMN_TEXT, "object"},
    [DLQ_FIGURE_INLINE] = {DLQ_COLUMN_TEXT, "object"}, [DLQ_FIGURE_LIST] = {DLQ_COLUMN_TEXT, "object"},
    [DLQ_FIGURE_TEXTS] = {DLQ_COLUMN_TEXT, "text"},    [DLQ_FIGURE_NUMBERS] = {DLQ_COLUMN_NUMBER, NULL},
    [DLQ_FIGURE_MAP] = {DLQ_COLUMN_NUMBER, NULL},      [DLQ_FIGURE_TOLD] = {DLQ_COLUMN_NUMBER, NULL},
};

/* A single value, or an estimate: what may be in a table. */
static bool is_plain(const struct dlq_figure *figure)
{
    return figure->kind <= DLQ_FIGURE_ESTIMATE;
}

static double number_of(const struct dlq_figure *figure, const void *field)
{
    return figure->kind == DLQ_FIGURE_COUNT  ? (double)*(const long *)field
           : figure->kind == DLQ_FIGURE_SIZE ? (double)*(const size_t *)field
           : figure->kind == DLQ_FIGURE_FLAG ? *(const bool *)field
                                             : *(const double *)field;
}

/* Null: none. */
static const char *text_of(const struct dlq_figure *figure, const void *field)
{
    return figure->kind == DLQ_FIGURE_WORD    ? *(const char *const *)field
           : figure->kind == DLQ_FIGURE_CAUSE ? dlq_cause_name(*(const enum dlq_cause *)field)
                                              : field;
}

/* -- JSON -- */

static json_t *plain_json(const struct dlq_figure *figure, const void *field)
{
    char text[24];
    if (figure->kind == DLQ_FIGURE_ESTIMATE)
        return dlq_json_estimate(*(const struct dlq_estimate *)field);
    if (figure->kind == DLQ_FIGURE_FLAG)
        return json_boolean(*(const bool *)field);
    if (figure->kind != DLQ_FIGURE_SEED)
        return kinds[figure->kind].column == DLQ_COLUMN_TEXT ? dlq_json_text(text_of(figure, field))
                                                             : dlq_json_number(number_of(figure, field));
    /* jansson's integers are signed: larger ones keep their digits as text. */
    uint64_t value = *(const uint64_t *)field;
    if (value <= INT64_MAX)
        return json_integer((json_int_t)value);
    snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
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

static void put(struct dlq_object *json, const struct dlq_figures *figures, const void *object, const void *root);

static json_t *list_of(const struct dlq_figure *figure, const char *field, size_t count, const void *root)
{
    json_t *list = json_array();
    size_t stride = figure->kind == DLQ_FIGURE_NUMBERS ? sizeof(double) : figure->stride;
    bool whole = list != NULL;
    for (size_t i = 0; whole && i < count; i++) {
        const char *element = field + i * stride;
        if (figure->skip != NULL && figure->skip(element))
            continue;
        if (figure->kind == DLQ_FIGURE_LIST) {
            struct dlq_object one = dlq_object_new();
            put(&one, figure->of, element, root);
            whole = json_array_append_new(list, dlq_object_end(&one)) == 0;
        } else
            whole = json_array_append_new(list, plain_json(figure, element)) == 0;
    }
    if (!whole)
        json_decref(list);
    return whole ? list : NULL;
}

static json_t *value_of(const struct dlq_figure *figure, const void *object, const void *root)
{
    struct pair {
        const char *name;
        double value;
    };
    const char *field = field_of(figure, object);
    if (is_plain(figure))
        return plain_json(figure, field);
    if (figure->kind == DLQ_FIGURE_OBJECT && figure->by_first && !isfinite(*(const double *)(const void *)field))
        return json_null();
    size_t count = 0;
    if (figure->kind != DLQ_FIGURE_OBJECT)
        count = *(const size_t *)(const void *)((const char *)object + figure->count_at);
    if (figure->kind != DLQ_FIGURE_OBJECT && figure->kind != DLQ_FIGURE_MAP)
        return list_of(figure, field, count, root);
    struct dlq_object made = dlq_object_new();
    if (figure->kind == DLQ_FIGURE_OBJECT)
        put(&made, figure->of, field, root);
    for (size_t i = 0; i < count; i++) {
        const struct pair *pair = (const void *)(field + i * figure->stride);
        dlq_object_number(&made, pair->name, pair->value);
    }
    return dlq_object_end(&made);
}

/* The figures of object, which is part of root. */
static void put(struct dlq_object *json, const struct dlq_figures *figures, const void *object, const void *root)
{
    for (size_t i = 0; i < figures->count && !json->failed; i++) {
        const struct dlq_figure *figure = &figures->rows[i];
        bool missing = is_missing(figure, object, root);
        if (figure->kind == DLQ_FIGURE_INLINE && !(missing && figure->omitted))
            put(json, figure->of, field_of(figure, object), root);
        else if (figure->kind != DLQ_FIGURE_TOLD && !(missing && figure->omitted))
            dlq_object_put(json, figure->name, missing ? json_null() : value_of(figure, object, root));
    }
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
    } units[] = {{"s", DLQ_COLUMN_TIME}, {"share", DLQ_COLUMN_SHARE}, {"bytes", DLQ_COLUMN_SIZE}};
    for (size_t i = 0; figure->unit != NULL && i < sizeof units / sizeof *units; i++)
        if (strcmp(figure->unit, units[i].unit) == 0)
            return units[i].kind;
    return kinds[figure->kind].column;
}

/* Columns come in the order of the rows, but for those that are last. */
static const struct dlq_figure *next_column(const struct dlq_figures *figures, size_t *place)
{
    while (*place < 2 * figures->count) {
        bool last = *place >= figures->count;
        const struct dlq_figure *figure = &figures->rows[last ? *place - figures->count : *place];
        (*place)++;
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
    size_t count = lead_count, place = 0;
    const struct dlq_figure *figure;
    if (lead_count > 0)
        memcpy(columns, lead, lead_count * sizeof *lead);
    while ((figure = next_column(figures, &place)) != NULL) {
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
    size_t column = lead_count, place = 0;
    const struct dlq_figure *figure;
    bool filled = dlq_table_row(table);
    while (filled && (figure = next_column(figures, &place)) != NULL) {
        const void *field = field_of(figure, object);
        const bool missing = is_missing(figure, object, root), estimate = figure->kind == DLQ_FIGURE_ESTIMATE;
        if (kinds[figure->kind].column == DLQ_COLUMN_TEXT) {
            filled = dlq_table_text(table, column++, missing ? NULL : text_of(figure, field));
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

/* -- help -- */

const struct dlq_figures *dlq_figures_group(size_t index)
{
    static const struct dlq_figures *const *const parts[] = {
        dlq_figures_of_solve,   dlq_figures_of_plan,   dlq_figures_of_logs,  dlq_figures_of_fit,
        dlq_figures_of_compare, dlq_figures_of_advice, dlq_figures_of_tables};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (const struct dlq_figures *const *part = parts[i]; *part != NULL; part++)
            if (index-- == 0)
                return *part;
    return NULL;
}

/* Row `index`, those of inline figures without a headline counted in; null: there are no more. */
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
    snprintf(line->meaning, sizeof line->meaning, "%s%s%s", figure->help, figure->absent != NULL ? "; null: " : "",
             figure->absent != NULL ? figure->absent : "");
    return true;
}

const char *dlq_figures_rule(size_t index)
{
    static const char *const rules[] = {
        "The fields of --json and the columns of --csv. A headline says where those below it stand: `plan: answer, "
        "table[]` is the object `answer`, and each object of the list `table`, of what `dlqueue plan --json` writes; "
        "`plan --csv` is columns.",
        "A kind that begins with ~ is an estimate's. In JSON it is an object of `value`, `low` and `high`, "
        "the ends of the 95 % interval (of a single run, which has none, both are `value`). In CSV, and in `points` of "
        "sweep, these are three fields: NAME, NAME_low, NAME_high.",
        "What has no value is null in JSON and empty in CSV, where `null:` says when; no key is left out, but where it "
        "is said. Symbols: N loaders of a rank, p prefetch, K window, R ranks, s and t mean times of a load and of a "
        "step.",
        "Kinds: text; flag: true or false; count: a whole number from 0; number: without unit; share: 0 to 1; s: "
        "seconds; time: seconds from the start of the run, of a log from its first request; 1/s: per second; bytes; "
        "bytes/s; price: money; object: its fields are listed by themselves.",
    };
    return index < sizeof rules / sizeof *rules ? rules[index] : NULL;
}

static const struct dlq_figure settings[] = {
    DLQ_FIGURE_LINE("section, key", "text", "of the configuration", NULL),
    DLQ_FIGURE_LINE("value", "text", "in canonical form, with its unit", "it has none"),
    DLQ_FIGURE_LINE("origin", "text", "where it is from: file and line, an option, or a default", NULL),
    DLQ_FIGURE_LINE("given", "flag", "false: a default", NULL),
};

static const struct dlq_figure templates[] = {
    DLQ_FIGURE_LINE("name", "text", "pytorch, tfdata or mlperf", NULL),
    DLQ_FIGURE_LINE("config", "text", "the configuration, as a file would hold it", NULL),
};

static const struct dlq_figure loaders[] = {
    DLQ_FIGURE_LINE("name", "text", "for [pipeline] loader", NULL),
    DLQ_FIGURE_LINE("order", "text", "index or completion: batches are delivered as dispatched, or as they finish",
                    NULL),
    DLQ_FIGURE_LINE("assign", "text", "who loads the next batch: trainer, round-robin, pool, owner or single", NULL),
    DLQ_FIGURE_LINE("window", "text", "K by a rule of p and N", "the trainer loads for itself"),
    DLQ_FIGURE_LINE("prefetch_name", "text", "what the loader calls p", "it has none"),
    DLQ_FIGURE_LINE("prefetch", "count", "its default of p", "it has none"),
    DLQ_FIGURE_LINE("release", "text", "delivery or request: what lets the next batch be dispatched", NULL),
    DLQ_FIGURE_LINE("real", "text", "the real thing", NULL),
};

static const struct dlq_figure distributions[] = {
    DLQ_FIGURE_LINE("name", "text", "for [load] and [step] distribution", NULL),
    DLQ_FIGURE_LINE("parameters", "text", "its keys", NULL),
    DLQ_FIGURE_LINE("help", "text", "what it is", NULL),
};

static const struct dlq_figure instances[] = {
    DLQ_FIGURE_LINE("name", "text", "for [host] instance", NULL),
    DLQ_FIGURE_LINE("provider, gpu, source", "text", "source: of the figures, and when they were retrieved", NULL),
    DLQ_FIGURE_LINE("gpus", "count", "in the instance", NULL),
    DLQ_FIGURE_LINE("vcpus, vcpus_per_gpu", "number", "hyper-threads", NULL),
    DLQ_FIGURE_LINE("memory_bytes", "bytes", "of the host", "not known"),
    DLQ_FIGURE_LINE("network_bytes_per_second", "bytes/s", "of the host", "not known"),
    DLQ_FIGURE_LINE("local_storage_bytes", "bytes", "of its drives", "not known"),
    DLQ_FIGURE_LINE("price_per_hour", "price", "US dollars, on demand", "not known"),
};

static const struct dlq_figure keys[] = {
    DLQ_FIGURE_LINE("section, key", "text", "of the configuration", NULL),
    DLQ_FIGURE_LINE("kind", "text", "of its value: time, size, rate, share, whole number, factor, word, text, ...",
                    NULL),
    DLQ_FIGURE_LINE("range", "flag", "several values: 1..32, or a list", NULL),
    DLQ_FIGURE_LINE("words[]", "text", "the words that may be given", NULL),
    DLQ_FIGURE_LINE("least, most", "text", "both may be given, too", "no limit"),
    DLQ_FIGURE_LINE("default", "text", "as a configuration has it", "none, or what the manual says"),
    DLQ_FIGURE_LINE("help", "text", "what it is", NULL),
};

static const struct dlq_figure options[] = {
    DLQ_FIGURE_LINE("name", "text", "without the dashes", NULL),
    DLQ_FIGURE_LINE("value", "text", "what help calls its value", "it has none"),
    DLQ_FIGURE_LINE("key", "text", "section.key: the option is short for --set of it", "it is not"),
    DLQ_FIGURE_LINE("commands[]", "text", "those that have the option", NULL),
    DLQ_FIGURE_LINE("help", "text", "what it is", NULL),
};

static const struct dlq_figures of_keys = DLQ_FIGURES("help: keys[]", NULL, keys);
static const struct dlq_figures of_options = DLQ_FIGURES("help: options[]", NULL, options);
static const struct dlq_figures of_settings = DLQ_FIGURES("check: settings[]; check --csv", NULL, settings);
static const struct dlq_figures of_templates = DLQ_FIGURES("init", NULL, templates);
static const struct dlq_figures of_loaders = DLQ_FIGURES("loaders: loaders[]; loaders --csv", NULL, loaders);
static const struct dlq_figures of_distributions =
    DLQ_FIGURES("distributions: distributions[]; distributions --csv", NULL, distributions);
static const struct dlq_figures of_instances = DLQ_FIGURES("instances: instances[]; instances --csv", NULL, instances);

const struct dlq_figures *const dlq_figures_of_tables[] = {&of_settings,  &of_templates, &of_loaders, &of_distributions,
                                                           &of_instances, &of_keys,      &of_options, NULL};
