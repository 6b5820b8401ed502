/* A part of a sweep as a table, and reading parts into the grid of the whole. */
#include "report/sweep.h"

#include "base/lines.h"
#include "draw/phrase.h"
#include "report/figures.h"
#include "study/model.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first columns, LEAD of them; then limits: fields of a line, bytes of a line, bytes of a checksum or seed. */
enum { VERSION, CONFIGURATION, SEED, POINTS, POINT, LEAD, MOST_FIELDS = 64, MOST_LINE = 4096, SUM_TEXT = 24 };

static const struct dlq_column lead[LEAD] = {{"version", NULL, DLQ_COLUMN_TEXT, 0},
                                             {"configuration", NULL, DLQ_COLUMN_TEXT, 0},
                                             {"seed", NULL, DLQ_COLUMN_TEXT, 0},
                                             {"points", NULL, DLQ_COLUMN_COUNT, 0},
                                             {"point", NULL, DLQ_COLUMN_COUNT, 0}};

/* FNV-1a (Fowler, Noll, Vo 1991) of 64 bits, including the null at the end of the text. */
static uint64_t add_text(uint64_t sum, const char *text)
{
    do
        sum = (sum ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    while (*text++ != '\0');
    return sum;
}

/* sum_text: a checksum of the keys and values that the points depend on, apart from the seed; their order does not
   matter. */
static void name_sweep(const struct dlq_model *model, const struct dlq_sweep_grid *grid, char sum_text[SUM_TEXT],
                       char seed[SUM_TEXT])
{
    const struct dlq_entries *entries = &model->entries;
    uint64_t sum = 0;
    for (size_t i = 0; i < entries->count; i++) {
        const struct dlq_entry *entry = &entries->rows[i];
        const bool applies = dlq_entries_find(entries, entry->section, entry->key) == entry;
        if (applies && strcmp(entry->key, "seed") != 0 && strcmp(entry->section, "plot") != 0 &&
            strcmp(entry->section, "plan") != 0)
            sum += add_text(add_text(add_text(UINT64_C(0xcbf29ce484222325), entry->section), entry->key), entry->value);
    }
    snprintf(sum_text, SUM_TEXT, "%016" PRIx64, sum);
    snprintf(seed, SUM_TEXT, "%" PRIu64, grid->description.seed);
}

/* The place of point k of the sweep in the grid. */
static size_t place_of(const struct dlq_sweep_grid *grid, const struct dlq_sweep *sweep, size_t k)
{
    struct dlq_sweep_point point = {0};
    dlq_sweep_locate(sweep, k, &point);
    return dlq_sweep_grid_place(grid, &point);
}

struct dlq_table *dlq_sweep_part_table(const struct dlq_sweep_grid *grid, const struct dlq_sweep *sweep,
                                       const struct dlq_model *model, size_t first, size_t last)
{
    struct dlq_table *table = dlq_figures_table(&dlq_figures_part, lead, LEAD);
    char sum[SUM_TEXT], seed[SUM_TEXT];
    bool filled = table != NULL;
    name_sweep(model, grid, sum, seed);
    for (size_t k = first; filled && k < last; k++) {
        const size_t place = place_of(grid, sweep, k);
        const struct dlq_sweep_point *point = &grid->cells[place];
        if (!grid->have_cell[place])
            continue;
        filled = dlq_figures_row(table, &dlq_figures_part, LEAD, point, point);
        if (!filled)
            break;
        dlq_table_number(table, POINTS, (double)grid->total);
        dlq_table_number(table, POINT, (double)k);
        filled = dlq_table_text(table, VERSION, DLQ_VERSION) && dlq_table_text(table, CONFIGURATION, sum) &&
                 dlq_table_text(table, SEED, seed);
    }
    return dlq_table_whole(table, filled);
}

/* Reads one line into the cell of its point. */
static const char *read_row(struct dlq_sweep_grid *grid, const struct dlq_sweep *sweep, char *const *fields,
                            const char *const *expected)
{
    static const char *const wrong[] = {"another version of dlqueue wrote it",
                                        "it is of another configuration: give the same file and options",
                                        "it has another seed", "it is of a sweep with other points"};
    struct dlq_sweep_point read = {.throughput_without = NAN};
    char *end;
    for (size_t i = 0; i < POINT; i++)
        if (fields[i] == NULL || strcmp(fields[i], expected[i]) != 0)
            return wrong[i];
    const unsigned long k = strtoul(fields[POINT], &end, 10);
    if (end == fields[POINT] || *end != '\0' || k >= grid->total)
        return "there is no such point";
    dlq_sweep_locate(sweep, k, &read);
    if (grid->have_cell[dlq_sweep_grid_place(grid, &read)])
        return "the point was read before";
    if (!dlq_figures_read(&dlq_figures_part, fields + LEAD, &read))
        return "a field is not what its column holds";
    dlq_sweep_grid_put(grid, &read);
    return NULL;
}

/* Whether the line is the header of the table. */
static bool is_header(const struct dlq_table *table, char *const *fields, size_t count)
{
    bool same = count == table->column_count;
    for (size_t i = 0; same && i < count; i++)
        same = strcmp(fields[i], table->columns[i].name) == 0;
    return same;
}

static enum dlq_status read_part(struct dlq_sweep_grid *grid, const struct dlq_sweep *sweep, const char *path,
                                 struct dlq_lines *lines, const struct dlq_table *table, const char *const *expected,
                                 struct dlq_error *error)
{
    char *fields[MOST_FIELDS] = {NULL};
    const char *why = NULL;
    enum dlq_line line;
    while (why == NULL && (line = dlq_lines_next(lines)) != DLQ_LINE_END) {
        size_t correct = 0, count = 0;
        if (line == DLQ_LINE_TEXT)
            count = dlq_cut_fields(lines->text, ',', fields, MOST_FIELDS, &correct);
        if (line == DLQ_LINE_FAILED)
            why = strerror(errno);
        else if (count != table->column_count || (lines->number == 1 && !is_header(table, fields, count)))
            why = "this is no part of a sweep";
        else if (lines->number > 1)
            why = read_row(grid, sweep, fields, expected);
    }
    if (lines->number == 0)
        return dlq_error_add(error, DLQ_INVALID, "%s: %s", path, why != NULL ? why : "the file is empty");
    return why == NULL ? DLQ_OK : dlq_error_add(error, DLQ_INVALID, "%s, line %ld: %s", path, lines->number, why);
}

static bool lacks(const struct dlq_sweep_grid *grid, const struct dlq_sweep *sweep, size_t k)
{
    return k < grid->total && !grid->have_cell[place_of(grid, sweep, k)];
}

/* Says which points are missing: the first ranges of them. */
static void say_missing(const struct dlq_sweep_grid *grid, const struct dlq_sweep *sweep, struct dlq_phrase *phrase)
{
    enum { LONGEST = 60 };
    for (size_t k = 0; k < grid->total; k++) {
        const size_t first = k;
        if (!lacks(grid, sweep, k))
            continue;
        while (lacks(grid, sweep, k + 1))
            k++;
        if (phrase->used + LONGEST > phrase->size) {
            dlq_phrase_add(phrase, ", ...");
            return;
        }
        dlq_phrase_add(phrase, "%s%zu", phrase->used > 0 ? ", " : "", first);
        if (k > first)
            dlq_phrase_add(phrase, " to %zu", k);
    }
}

enum dlq_status dlq_sweep_grid_join(struct dlq_sweep_grid *grid, struct dlq_sweep *sweep, const struct dlq_model *model,
                                    const char *const *paths, size_t count, struct dlq_error *error)
{
    char sum[SUM_TEXT], seed[SUM_TEXT], points[SUM_TEXT];
    const char *const expected[] = {DLQ_VERSION, sum, seed, points};
    struct dlq_table *table = dlq_figures_table(&dlq_figures_part, lead, LEAD);
    struct dlq_lines *lines = malloc(sizeof *lines);
    enum dlq_status status = DLQ_OK;
    if (table == NULL || lines == NULL) {
        dlq_table_free(table);
        free(lines);
        return dlq_error_memory(error, "joining parts");
    }
    name_sweep(model, grid, sum, seed);
    snprintf(points, sizeof points, "%zu", grid->total);
    for (size_t i = 0; status == DLQ_OK && i < count; i++) {
        FILE *stream = fopen(paths[i], "r");
        if (stream == NULL) {
            status = dlq_error_add(error, DLQ_INVALID, "%s: %s", paths[i], strerror(errno));
            break;
        }
        dlq_lines_begin(lines, stream, MOST_LINE, 0);
        status = read_part(grid, sweep, paths[i], lines, table, expected, error);
        fclose(stream);
    }
    char ranges[240] = "";
    struct dlq_phrase phrase = {.text = ranges, .size = sizeof ranges};
    size_t missing = 0;
    for (size_t k = 0; status == DLQ_OK && k < grid->total; k++) {
        const size_t place = place_of(grid, sweep, k);
        status = dlq_sweep_bounds(sweep, k, &grid->cells[place].bounds, error);
        missing += !grid->have_cell[place];
    }
    if (status == DLQ_OK && missing > 0) {
        say_missing(grid, sweep, &phrase);
        status = dlq_error_add(error, DLQ_INVALID,
                               "%zu of %zu points are missing, counted from 0: %s; run their parts again", missing,
                               grid->total, ranges);
    }
    dlq_table_free(table);
    free(lines);
    return status;
}
