/* Reads CSV with a header line, as users' own scripts write it. The names of the columns give their meaning. */
#include "base/option.h"
#include "base/utf8.h"
#include "logs/calibration.h"
#include "logs/read/formats/generic.h"
#include "logs/stats/stats.h"

#include <string.h>
#include <strings.h>

/* -- the columns -- */

/* Type and range of a column. WHOLE: int32_t >= 0; RANK: long >= 0; both -1 for none. POINT: a point in time, s,
   double. DURATION: s, double >= 0; CPU_TIME: s, float >= 0. */
enum kind { WHOLE, RANK, POINT, DURATION, CPU_TIME };

struct known {
    const char *name;
    enum kind kind;
    size_t offset; /* of its member of struct dlq_record */
};

#define AT(MEMBER) offsetof(struct dlq_record, batch.MEMBER)

/* Names with the same offset are synonyms. */
static const struct known known_columns[] = {
    {"rank", RANK, offsetof(struct dlq_record, rank)},
    {"epoch", WHOLE, AT(epoch)},
    {"batch", WHOLE, AT(index)},
    {"index", WHOLE, AT(index)},
    {"worker", WHOLE, AT(worker)},
    {"dispatched", POINT, AT(dispatched)},
    {"load_start", POINT, AT(load_start)},
    {"load_end", POINT, AT(load_end)},
    {"load_time", DURATION, AT(load)},
    {"request", POINT, AT(request)},
    {"received", POINT, AT(received)},
    {"step_end", POINT, AT(step_end)},
    {"data_time", DURATION, AT(data)},
    {"data_wait", DURATION, AT(data)},
    {"iter_time", DURATION, AT(iter)},
    {"step_time", DURATION, AT(step)},
    {"load_cpu", CPU_TIME, AT(use[DLQ_LOAD_CPU])},
    {"load_delay", CPU_TIME, AT(use[DLQ_LOAD_DELAY])},
    {"worker_cpu", CPU_TIME, AT(use[DLQ_WORKER_CPU])},
    {"worker_delay", CPU_TIME, AT(use[DLQ_WORKER_DELAY])},
    {"receive_cpu", CPU_TIME, AT(use[DLQ_RECEIVE_CPU])},
    {"receive_delay", CPU_TIME, AT(use[DLQ_RECEIVE_DELAY])},
    {"step_cpu", CPU_TIME, AT(use[DLQ_STEP_CPU])},
    {"step_delay", CPU_TIME, AT(use[DLQ_STEP_DELAY])},
};

enum { KNOWN = sizeof known_columns / sizeof *known_columns };

struct csv {
    bool refused; /* the header is wrong: no row can be read */
    char separator;
    size_t count;               /* of columns; 0: no header yet */
    const struct known **known; /* meaning of each column; null: ignored */
    double *units;              /* [column]: unit of numbers without a unit, s; 0: 1 s */
    char *header;               /* the line of the header */
    size_t phase;               /* the column that distinguishes training and validation; count: none */
    char **fields;              /* of the current line */
    struct dlq_spread unitless; /* times of iterations or steps without a unit */
    const char *unitless_name;  /* of their column */
};

/* -- the header -- */

static const struct known *find_known(const char *name)
{
    for (const struct known *known = known_columns; known < known_columns + KNOWN; known++)
        if (strcasecmp(known->name, name) == 0)
            return known;
    return NULL;
}

/* The known column for ROLE of --column ROLE=NAME: data_time for data, ..., step_end for clock, or a known name. */
static const struct known *find_role(const char *text)
{
    enum { ROLE = 32 };
    char role[ROLE], full[ROLE];
    snprintf(role, sizeof role, "%.*s", (int)strcspn(text, "="), text);
    snprintf(full, sizeof full, "%.*s_time", ROLE - 6, role);
    if (strcmp(role, "clock") == 0)
        return find_known("step_end");
    const struct known *known = strlen(role) == 4 ? find_known(full) : NULL; /* data, iter, step, load */
    return known != NULL ? known : find_known(role);
}

enum dlq_status dlq_columns_check(const struct dlq_trace_options *options, struct dlq_error *error)
{
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < options->column_count; i++) {
        const char *text = options->columns[i], *equals = strchr(text, '=');
        if (equals == NULL || equals[1] == '\0')
            dlq_error_add(error, DLQ_INVALID, "--column: '%.60s' is not ROLE=NAME, as data=timers/rtime is", text);
        else if (find_role(text) == NULL)
            dlq_error_add(
                error, DLQ_INVALID,
                "--column: '%.*s' is not data, iter, step, load, clock, epoch, batch, rank, worker or another name "
                "of a csv log (dlqueue help formats)",
                (int)(equals - text > 40 ? 40 : equals - text), text);
        else
            continue;
        status = DLQ_INVALID;
    }
    return status;
}

/* Whether --column ROLE=NAME[:UNIT] names this column. *unit, s: UNIT, else as in NAME "data_time_us"; 0: none. */
static bool find_unit(const char *option, const char *name, double *unit)
{
    const char *given = strchr(option, '=') + 1, *colon = strrchr(given, ':');
    const size_t length = strlen(name);
    if (strcmp(given, name) == 0) {
        *unit = dlq_meaning_of(name, length, true).unit;
        return true;
    }
    *unit = colon != NULL ? dlq_unit_of(colon + 1, strlen(colon + 1)) : 0;
    return *unit > 0 && strncmp(given, name, length) == 0 && given + length == colon;
}

/* The meaning of the column `name`: by --column, else by its name if no --column has this meaning. Null: unknown. */
static const struct known *meaning_of(const struct dlq_log *log, const char *name, double *unit)
{
    const struct known *own = find_known(name);
    *unit = 0;
    for (size_t i = 0; i < log->options->column_count; i++) {
        const struct known *role = find_role(log->options->columns[i]);
        if (find_unit(log->options->columns[i], name, unit))
            return role;
        if (own != NULL && own->offset == role->offset)
            own = NULL;
    }
    return own;
}

/* The first column whose member has that offset; csv->count: none. */
static size_t column_at(const struct csv *csv, size_t offset)
{
    size_t i = 0;
    while (i < csv->count && (csv->known[i] == NULL || csv->known[i]->offset != offset))
        i++;
    return i;
}

static bool has(const struct csv *csv, size_t offset)
{
    return column_at(csv, offset) < csv->count;
}

/* Says that no column has times, and suggests a known name for the first column with a similar name, or that the file
   may be a table of runs. */
static enum dlq_read refuse_columns(struct dlq_log *log)
{
    const struct csv *csv = log->state;
    static const char *const counts[] = {"loaders", "workers", "num_workers", "nw"};
    char quoted[DLQ_QUOTED], hint[2 * DLQ_QUOTED] = "";
    for (size_t i = 0; i < csv->count && hint[0] == '\0'; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
            if (strcasecmp(csv->fields[i], counts[k]) == 0)
                snprintf(hint, sizeof hint, "; a table with a run in each row is read by --table");
    for (size_t i = 0; i < csv->count && hint[0] == '\0'; i++) {
        struct dlq_nearest near = {.name = csv->fields[i]};
        for (size_t k = 0; k < KNOWN && csv->known[i] == NULL; k++)
            dlq_nearest_offer(&near, known_columns[k].name);
        if (near.best != NULL)
            snprintf(hint, sizeof hint, "; '%s': did you mean %s?", dlq_quoted(csv->fields[i], quoted), near.best);
    }
    return dlq_log_bad(log,
                       "no column has times: data_time or data_wait, iter_time, step_time, load_time, step_end, "
                       "load_start and load_end, request and received; --column data=NAME and iter=NAME name others%s",
                       hint);
}

/* Lists the unknown columns, which may have the missing times, and known names for these: iterations, or waits. */
static void list_unused(const struct csv *csv, bool waits, char unused[DLQ_LOG_WHY])
{
    enum { LISTED = 160 };
    size_t used = 0;
    bool room = true;
    for (size_t i = 0; i < csv->count && room; i++) {
        if (csv->known[i] != NULL || csv->fields[i][0] == '\0')
            continue;
        room = used + strlen(csv->fields[i]) + 2 < LISTED;
        used += (size_t)snprintf(unused + used, DLQ_LOG_WHY - used, "%s%s", used > 0 ? ", " : "",
                                 room ? csv->fields[i] : "...");
    }
    dlq_utf8_clean(unused);
    used = strlen(unused);
    if (used > 0)
        snprintf(unused + used, DLQ_LOG_WHY - used, " (known are %s)",
                 waits ? "iter_time, step_time and step_end" : "data_time and data_wait, the wait for data");
}

/* Cuts the current line into *count fields, at most `most`. */
static enum dlq_read cut_fields(struct dlq_log *log, size_t most, size_t *count)
{
    const struct csv *csv = log->state;
    size_t right;
    *count = dlq_cut_fields(log->lines->text, csv->separator, csv->fields, most, &right);
    if (*count == 0)
        return dlq_log_bad(log, "field %zu: a quote that never ends, or text after it", right + 1);
    return DLQ_READ_RECORD;
}

/* Finds the column whose fields are "train" or "val". */
static void find_phase(struct csv *csv)
{
    static const char *const names[] = {"phase", "mode", "split", "stage"};
    for (csv->phase = 0; csv->phase < csv->count; csv->phase++)
        for (size_t i = 0; i < sizeof names / sizeof *names && csv->known[csv->phase] == NULL; i++)
            if (strcasecmp(csv->fields[csv->phase], names[i]) == 0)
                return;
}

static enum dlq_read read_header(struct dlq_log *log)
{
    struct csv *csv = log->state;
    char *line = log->lines->text;
    size_t count, most = 1;
    csv->refused = true;
    csv->separator = dlq_separator_of(line);
    for (const char *at = line; (at = strchr(at, csv->separator)) != NULL; at++)
        most++;
    csv->fields = dlq_arena_take(log->arena, most, sizeof *csv->fields);
    csv->known = dlq_arena_take(log->arena, most, sizeof(void *));
    csv->units = dlq_arena_take(log->arena, most, sizeof *csv->units);
    csv->header = dlq_arena_take(log->arena, strlen(line) + 1, 1);
    if (csv->fields == NULL || csv->known == NULL || csv->units == NULL || csv->header == NULL)
        return dlq_log_no_memory(log);
    memcpy(csv->header, line, strlen(line) + 1);
    TRY_READ(cut_fields(log, most, &count));
    for (; csv->count < count; csv->count++) {
        const struct known *known = meaning_of(log, csv->fields[csv->count], &csv->units[csv->count]);
        size_t same = known != NULL ? column_at(csv, known->offset) : csv->count;
        if (same < csv->count)
            return dlq_log_bad(log, "columns %zu and %zu are the same: %s, %s", same + 1, csv->count + 1,
                               csv->known[same]->name, known->name);
        csv->known[csv->count] = known;
    }
    for (size_t i = 0; i < log->options->column_count; i++) {
        size_t k = 0;
        double unit;
        while (k < count && !find_unit(log->options->columns[i], csv->fields[k], &unit))
            k++;
        if (k == count)
            return dlq_log_bad(log, "there is no column '%.60s', which --column names",
                               strchr(log->options->columns[i], '=') + 1);
    }
    bool loads = has(csv, AT(load)) || (has(csv, AT(load_start)) && has(csv, AT(load_end)));
    bool waits = has(csv, AT(data)) || (has(csv, AT(request)) && has(csv, AT(received)));
    bool iterations = has(csv, AT(iter)) || has(csv, AT(step)) || has(csv, AT(step_end));
    if (!loads && !waits && !iterations)
        return refuse_columns(log);
    if (log->shared->unused[0] == '\0' && !(waits && iterations))
        list_unused(csv, waits, log->shared->unused);
    find_phase(csv);
    csv->refused = false;
    return DLQ_READ_NOTHING;
}

/* -- rows -- */

/* Stores a number, or a time with its unit; an empty field is unknown. */
static enum dlq_read read_field(struct dlq_log *log, const struct known *known, double unit, char *field,
                                struct dlq_record *record)
{
    struct csv *csv = log->state;
    char why[DLQ_LOG_WHY], quoted[DLQ_QUOTED];
    const char *end = field;
    void *into = (char *)record + known->offset;
    bool whole = known->kind == WHOLE || known->kind == RANK;
    double value;
    if (*field == '\0')
        return DLQ_READ_RECORD;
    if (!dlq_number_read(&end, csv->separator == ';', &value) || *end != '\0') {
        char *comma = csv->separator == ';' ? strchr(field, ',') : NULL;
        if (comma != NULL)
            *comma = '.';
        if (whole)
            return dlq_log_bad(log, "column %s: '%s' is not a whole number", known->name, dlq_quoted(field, quoted));
        if (!dlq_quantity_parse(field, DLQ_UNIT_TIME, &value, why, sizeof why))
            return dlq_log_bad(log, "column %s: %s", known->name, why);
    } else if (unit > 0 && !whole) {
        value *= unit;
    } else if (known->offset == AT(iter) || known->offset == AT(step)) {
        dlq_spread_add(&csv->unitless, value, 1);
        csv->unitless_name = known->name;
    }
    /* Programs write -1 for none, as the worker of a batch that no worker loaded. */
    if (whole && !(value >= -1 && value <= INT32_MAX && value == floor(value)))
        return dlq_log_bad(log, "column %s: %.15g is not a whole number from 0 to %d", known->name, value, INT32_MAX);
    if (known->kind == RANK)
        record->rank = (long)value;
    if (known->kind == WHOLE)
        *(int32_t *)into = (int32_t)value;
    if (whole)
        return DLQ_READ_RECORD;
    if (!dlq_log_time(known->name, value, why))
        return dlq_log_bad(log, "column %s (with a unit: 12ms, 34us, 56ns)", why);
    if (value < 0 && known->kind >= DURATION)
        return dlq_log_bad(log, "column %s: %.15g is negative", known->name, value);
    if (known->kind == CPU_TIME)
        *(float *)into = (float)value;
    else
        *(double *)into = value;
    return DLQ_READ_RECORD;
}

/* Checks the times of a row against each other, and sets the number of iterations that the row covers. */
static enum dlq_read check_row(struct dlq_log *log, struct dlq_record *record)
{
    const struct {
        const char *first, *second;
        double from, to;
    } pairs[] = {
        {"load_start", "load_end", record->batch.load_start, record->batch.load_end},
        {"request", "received", record->batch.request, record->batch.received},
        {"received", "step_end", record->batch.received, record->batch.step_end},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].to < pairs[i].from)
            return dlq_log_bad(log, "column %s: %.15g is before %s, %.15g", pairs[i].second, pairs[i].to,
                               pairs[i].first, pairs[i].from);
    /* Where words of the log chose the columns, a few rows may contradict them, as in lines. */
    if (record->batch.data > record->batch.iter && log->shared->read_as.words[0] == '\0')
        return dlq_log_exceeds(log, record->batch.data, record->batch.iter);
    bool loads = !isnan(record->batch.load) || !isnan(record->batch.load_start);
    bool points = !isnan(record->batch.request) || !isnan(record->batch.received) || !isnan(record->batch.step_end);
    bool iterates = points || !isnan(record->batch.data) || !isnan(record->batch.iter) || !isnan(record->batch.step);
    if (log->every > 1 && (loads || points))
        return dlq_log_bad(log, "--every is for means: loads and points in time belong to one batch");
    record->batch.count = iterates ? (int32_t)log->every : 0;
    if (!iterates && !loads && isnan(record->batch.load_end) && isnan(record->batch.dispatched))
        return dlq_log_bad(log, "no time is in this row");
    return DLQ_READ_RECORD;
}

/* -- comments -- */

/* Reads the text of a comment that python/dlqueue_probe.py writes: "world=4", "cores=8", "persistent_workers=True". */
static void read_comment(struct dlq_shared *shared, const char *text)
{
    const struct {
        const char *name;
        double *number;
        long *count;
        double most;
    } numbers[] = {
        {"world=", NULL, &shared->world, 1e6},      {"local_world=", NULL, &shared->host.ranks, 1e6},
        {"cores=", &shared->host.cores, NULL, 1e6}, {"memory=", &shared->host.memory, NULL, 1e18},
        {"shm=", &shared->host.shm, NULL, 1e18},    {"batch_bytes=", &shared->host.batch_bytes, NULL, 1e18},
    };
    const char *at = text + strcspn(text, "=") + 1;
    double value;
    shared->persistent = shared->persistent || strcmp(text, "persistent_workers=True") == 0;
    shared->unordered = shared->unordered || strcmp(text, "in_order=False") == 0;
    shared->synchronized = shared->synchronized || strcmp(text, "synchronize=True") == 0;
    shared->cuda = shared->cuda || strcmp(text, "cuda=1") == 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strncmp(text, numbers[i].name, strlen(numbers[i].name)) != 0 || !dlq_number_read(&at, false, &value) ||
            !(value > 0 && value < numbers[i].most))
            continue;
        if (numbers[i].number != NULL)
            *numbers[i].number = fmax(*numbers[i].number, value);
        else if (value == floor(value) && (long)value > *numbers[i].count)
            *numbers[i].count = (long)value;
    }
}

/* -- the reader -- */

static enum dlq_read next(struct dlq_log *log, struct dlq_record *record)
{
    const struct csv *csv = log->state;
    size_t count;
    if (csv->refused)
        return DLQ_READ_END;
    TRY_READ(dlq_log_line(log));
    const char *text = dlq_skip_blanks(log->lines->text);
    if (*text == '#') {
        read_comment(log->shared, dlq_skip_blanks(text + 1));
        return DLQ_READ_NOTHING;
    }
    if (*text == '\0')
        return DLQ_READ_NOTHING;
    if (csv->count == 0)
        return read_header(log);
    if (strcmp(log->lines->text, csv->header) == 0) {
        log->shared->repeated_headers++;
        return DLQ_READ_NOTHING;
    }
    TRY_READ(cut_fields(log, csv->count, &count));
    if (count != csv->count)
        return dlq_log_bad(log, "%zu fields, but the header has %zu%s", count, csv->count,
                           count > csv->count && csv->separator == ',' ? " (a decimal comma? write 1.5)" : "");
    if (csv->phase < count && dlq_text_is_validation(csv->fields[csv->phase])) {
        log->shared->validation_lines++;
        return DLQ_READ_OTHER;
    }
    for (size_t i = 0; i < count; i++)
        if (csv->known[i] != NULL)
            TRY_READ(read_field(log, csv->known[i], csv->units[i], csv->fields[i], record));
    return check_row(log, record);
}

/* Adds a doubt if times of iterations have no unit and may be in ms; of recognized columns generic_csv.c does. */
static void finish(struct dlq_log *log)
{
    const struct csv *csv = log->state;
    const double mean = dlq_spread_mean(&csv->unitless); /* NAN: none */
    if (log->format->recognized || !(mean >= dlq_calibration.may_be_ms))
        return;
    log->shared->unit_unknown = true;
    dlq_log_doubt(log,
                  "'%s' has no unit: is its %.3g in s or in ms? Shares hold in both; a configuration and JSON take it "
                  "for s. --column iter=NAME:ms and data=NAME:ms say ms, :s says s",
                  csv->unitless_name, mean);
}

/* Moves *head to the first line that is not empty and not a comment, and returns its length. */
static size_t first_line(const char **head)
{
    size_t length = 0;
    do {
        *head += length;
        *head += strspn(*head, " \t\r\n");
        length = strcspn(*head, "\r\n");
    } while (**head == '#');
    return length;
}

/* A known column of times identifies the format. But if waits are the only known times and an unknown column names the
   time of an iteration, as "batch_time" does, the words of the header are used (formats/generic_csv.c). */
static int probe(const struct dlq_log *log)
{
    enum { EXAMINED = 1024 };
    char line[DLQ_LOG_LINE + 1], *fields[EXAMINED];
    size_t right;
    const char *head = log->head + (strncmp(log->head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0);
    size_t size = first_line(&head);
    if (size > DLQ_LOG_LINE)
        return 0;
    memcpy(line, head, size);
    line[size] = '\0';
    size_t count = dlq_cut_fields(line, dlq_separator_of(line), fields, EXAMINED, &right);
    bool waits = false, others = false, named = false;
    for (size_t i = 0; i < count && i < EXAMINED; i++) {
        const struct known *known = find_known(fields[i]);
        const struct dlq_meaning meaning = dlq_meaning_of(fields[i], strlen(fields[i]), false);
        const bool time = known != NULL && known->kind >= POINT;
        waits = waits || (time && known->offset == AT(data));
        others = others || (time && known->offset != AT(data));
        named = named || (known == NULL && meaning.role == DLQ_ROLE_ITER && meaning.sure);
    }
    return others || (waits && !named) ? 60 : 0;
}

const struct dlq_log_reader dlq_csv_reader = {
    .probe = probe, .next = next, .finish = finish, .state = sizeof(struct csv)};
/* For CSV logs whose columns generic_csv.c has recognized. */
const struct dlq_log_reader dlq_columns_reader = {.next = next, .state = sizeof(struct csv)};
