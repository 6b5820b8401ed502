/* Recognizes the columns of a CSV log by the words of their names, if csv.c does not know these names; reads the keys
   of JSON objects that --column names. */
#include "logs/read/formats/generic.h"

#include <string.h>
#include <strings.h>

enum { COLUMNS = 512, TEXT = 160 };

struct columns {
    char line[DLQ_LOG_LINE + 1], header[DLQ_LOG_LINE + 1];
    char *names[COLUMNS], *fields[COLUMNS];
    size_t count;
    char separator;
};

/* Copies the next line that is neither empty nor a comment, and moves *at behind it. False: there is none. */
static bool next_line(const struct dlq_log *log, size_t *at, char line[DLQ_LOG_LINE + 1])
{
    while (*at < log->head_length) {
        const char *first = log->head + *at;
        const size_t size = strcspn(first, "\r\n");
        *at += size + 1;
        if (size > DLQ_LOG_LINE || *first == '#' || strspn(first, " \t") >= size)
            continue;
        const size_t mark = strncmp(first, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
        memcpy(line, first + mark, size - mark);
        line[size - mark] = '\0';
        return true;
    }
    return false;
}

static bool read_value(const char *field, char separator, double *value)
{
    return dlq_number_read(&field, separator == ';', value) && field[strspn(field, " \t")] == '\0';
}

/* Whether the first line is a header: no field is a number or, but for the first, empty; and at least half of the
   fields of the next row are numbers or empty. */
static bool read_header(const struct dlq_log *log, struct columns *columns, size_t *at)
{
    size_t right, after, numbers = 0;
    double value;
    if (!next_line(log, at, columns->header))
        return false;
    columns->separator = dlq_separator_of(columns->header);
    columns->count = dlq_cut_fields(columns->header, columns->separator, columns->names, COLUMNS, &right);
    if (columns->count < 2 || columns->count > COLUMNS)
        return false;
    for (size_t i = 0; i < columns->count; i++)
        if (columns->names[i][0] == '\0' ? i > 0 : read_value(columns->names[i], columns->separator, &value))
            return false;
    after = *at;
    if (!next_line(log, &after, columns->line) ||
        dlq_cut_fields(columns->line, columns->separator, columns->fields, COLUMNS, &right) != columns->count)
        return false;
    for (size_t i = 0; i < columns->count; i++)
        numbers += columns->fields[i][0] == '\0' || read_value(columns->fields[i], columns->separator, &value);
    return 2 * numbers >= columns->count;
}

/* The NAME in "RUN - NAME" of Weights & Biases; "" for its columns NAME__MIN and NAME__MAX, which are no times. */
static const char *own_name(const char *name)
{
    const size_t length = strlen(name);
    if (length > 5 && (strcmp(name + length - 5, "__MIN") == 0 || strcmp(name + length - 5, "__MAX") == 0))
        return "";
    for (const char *next; (next = strstr(name, " - ")) != NULL;)
        name = next + 3;
    return name;
}

/* Finds the columns that name times, places[label], and that count iterations, *counter (columns->count: none). */
static void find_labels(const struct columns *columns, struct dlq_log_sample *sample, size_t places[DLQ_NAMED],
                        size_t *counter)
{
    static const char *const counters[] = {"_step", "step", "global_step", "iter", "iteration", "batch", "index", "it"};
    *counter = columns->count;
    for (size_t i = 0; i < columns->count; i++) {
        const char *name = own_name(columns->names[i]);
        const struct dlq_meaning meaning = dlq_meaning_of(name, strlen(name), false);
        for (size_t k = 0; k < sizeof counters / sizeof *counters && *counter == columns->count; k++)
            *counter = strcasecmp(name, counters[k]) == 0 ? i : columns->count;
        if (meaning.role <= DLQ_ROLE_REFUSED || sample->label_count == DLQ_NAMED || *counter == i)
            continue;
        struct dlq_named *named = &sample->labels[sample->label_count];
        *named = (struct dlq_named){.meaning = meaning, .unit = meaning.unit, .whole = true};
        snprintf(named->label, sizeof named->label, "%s", columns->names[i]);
        places[sample->label_count++] = i;
        sample->directions |= meaning.direction;
    }
}

/* Whether a column has one of the names, of which the last is followed by null. */
static bool has_column(const struct columns *columns, const char *const *names)
{
    for (size_t i = 0; i < columns->count; i++)
        for (const char *const *name = names; *name != NULL; name++)
            if (strcasecmp(columns->names[i], *name) == 0)
                return true;
    return false;
}

/* Whether this is a table of measured runs, which --table reads: a count of workers, and the time or rate of a run,
   by names of logs/study/table/columns.c that no log uses for an iteration. */
static bool is_table(const struct columns *columns)
{
    static const char *const counts[] = {"loaders", "workers", "num_workers", NULL};
    static const char *const measures[] = {
        "seconds",        "epoch_seconds",  "epoch_time", "epoch time", "epoch_s",       "epoch_min",
        "time_per_epoch", "time per epoch", "duration",   "runtime",    "samples_per_s", "images_per_s",
        "img/s",          "batches_per_s",  "it_per_s",   "it/s",       "throughput",    NULL};
    return has_column(columns, counts) && has_column(columns, measures);
}

static void read_rows(const struct dlq_log *log, struct columns *columns, size_t at, struct dlq_log_sample *sample,
                      const size_t places[DLQ_NAMED], size_t counter)
{
    size_t right;
    while (sample->lines < DLQ_SAMPLED_LINES && next_line(log, &at, columns->line)) {
        const size_t line = sample->lines;
        double value;
        if (dlq_cut_fields(columns->line, columns->separator, columns->fields, COLUMNS, &right) != columns->count)
            continue;
        sample->lines++;
        sample->stamp[line] = NAN;
        sample->counter[line] =
            counter < columns->count && read_value(columns->fields[counter], columns->separator, &value) ? value : NAN;
        for (size_t i = 0; i < sample->label_count; i++) {
            struct dlq_named *named = &sample->labels[i];
            const bool known = read_value(columns->fields[places[i]], columns->separator, &value);
            sample->values[line][i] = known ? value : NAN;
            named->lines += known;
            named->whole = named->whole && (!known || value == floor(value));
        }
    }
    for (size_t i = 0; i < sample->label_count; i++) {
        struct dlq_named *named = &sample->labels[i];
        named->strong = named->meaning.sure ? named->lines : 0;
        if (named->whole && !named->meaning.sure) /* a counter: "step", "batch" */
            named->lines = 0;
    }
}

const struct dlq_format *dlq_generic_columns(struct dlq_log *log, struct dlq_log_sample *sample, bool *is_csv)
{
    struct columns *columns = dlq_arena_take(log->arena, 1, sizeof *columns);
    size_t at = 0, places[DLQ_NAMED] = {0}, counter;
    *is_csv = columns != NULL && read_header(log, columns, &at);
    if (!*is_csv)
        return NULL;
    find_labels(columns, sample, places, &counter);
    read_rows(log, columns, at, sample, places, counter);
    const struct dlq_chosen chosen = dlq_choose_times(sample);
    if (chosen.data < 0 && is_table(columns)) {
        dlq_log_bad(log, "a table of measured runs, and no log: advise --table FILE and fit --table FILE read it");
        return NULL;
    }
    if (chosen.clock)
        dlq_log_bad(log, "the only time among its columns is a clock of the run, which tells neither iterations nor "
                         "waits: the differences of a column that counts seconds are read by --column clock=NAME");
    if (chosen.iter < 0)
        return NULL;
    const struct dlq_window_evidence evidence = dlq_window_of(sample, &chosen);
    dlq_generic_say(log, sample, &chosen, &evidence, true);
    const char *const roles[] = {"data", chosen.step ? "step" : "iter"};
    const int labels[] = {chosen.data, chosen.iter};
    char texts[2][TEXT] = {""};
    for (size_t i = 0; i < 2; i++) {
        if (labels[i] < 0)
            continue;
        const struct dlq_named *named = &sample->labels[labels[i]];
        const double unit = named->unit > 0 ? named->unit : evidence.unit;
        const bool says = unit > 0 && unit != 1;
        snprintf(texts[i], TEXT, "%s=%s%s%s", roles[i], named->label, says ? ":" : "", says ? dlq_unit_name(unit) : "");
    }
    return dlq_generic_options(log, (const char *const[]){texts[0], texts[1]}, 2, DLQ_NUMBERS_SINGLE, true);
}

/* The name of a label, if it is one of the names, of which the last is followed by null; else null. */
static const char *label_of(const struct dlq_log_sample *sample, int label, const char *const *names)
{
    for (; label >= 0 && *names != NULL; names++)
        if (strcasecmp(sample->labels[label].label, *names) == 0)
            return sample->labels[label].label;
    return NULL;
}

void dlq_columns_choose_step(struct dlq_log *log)
{
    static const char *const waits[] = {"data_time", "data_wait", NULL}, *const steps[] = {"step_time", NULL};
    static const char *const others[] = {"iter_time", "step_end", NULL}; /* they tell how long an iteration takes */
    struct columns *columns = dlq_arena_take(log->arena, 1, sizeof *columns);
    struct dlq_log_sample *sample = dlq_arena_take(log->arena, 1, sizeof *sample);
    size_t at = 0, places[DLQ_NAMED] = {0}, counter;
    if (columns == NULL || sample == NULL || !read_header(log, columns, &at) || has_column(columns, others))
        return;
    find_labels(columns, sample, places, &counter);
    read_rows(log, columns, at, sample, places, counter);
    const struct dlq_chosen chosen = dlq_choose_times(sample);
    const char *data = label_of(sample, chosen.data, waits), *step = label_of(sample, chosen.iter, steps);
    if (data == NULL || step == NULL)
        return;
    char texts[2][TEXT];
    snprintf(texts[0], TEXT, "data=%s", data);
    snprintf(texts[1], TEXT, "%s=%s", chosen.step ? "step" : "iter", step);
    dlq_generic_options(log, (const char *const[]){texts[0], texts[1]}, 2, DLQ_NUMBERS_SINGLE, true);
    dlq_step_say(log, sample, &chosen);
}

bool dlq_patterns_of_keys(struct dlq_log *log)
{
    const size_t count = log->options->column_count;
    enum { KEY = 128, WIDE = 2 * KEY + 64 };
    char(*texts)[WIDE] = dlq_arena_take(log->arena, count, sizeof *texts);
    const char **patterns = dlq_arena_take(log->arena, count, sizeof *patterns);
    for (size_t i = 0; texts != NULL && patterns != NULL && i < count; i++) {
        const char *text = log->options->columns[i], *name = strchr(text, '=') + 1, *colon = strrchr(name, ':');
        const bool has_unit = colon != NULL && dlq_unit_of(colon + 1, strlen(colon + 1)) > 0;
        const char *end = has_unit ? colon : name + strlen(name), *found = NULL;
        char key[KEY] = "";
        /* "timers/rtime" is a key, or the key "rtime" in an object "timers". */
        for (const char *slash = name - 1; slash != NULL && found == NULL;
             slash = memchr(slash + 1, '/', (size_t)(end - slash - 1))) {
            snprintf(key, sizeof key, "\"%.*s\"", (int)(end - slash - 1), slash + 1);
            found = strstr(log->head, key);
        }
        const char *behind = found != NULL ? found + strlen(key) : ":";
        const char *role = strncmp(text, "batch=", 6) == 0 ? "count" : text;
        snprintf(texts[i], WIDE, "%.*s=%s%.*s%%f%s%s%s", (int)strcspn(role, "="), role, key,
                 (int)strspn(behind, ": \t"), behind, has_unit ? "{" : "", has_unit ? colon + 1 : "",
                 has_unit ? "}" : "");
        patterns[i] = texts[i];
    }
    return texts != NULL && patterns != NULL &&
           dlq_generic_options(log, patterns, count, DLQ_NUMBERS_SINGLE, false) != NULL;
}
