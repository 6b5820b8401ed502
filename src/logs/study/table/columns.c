/* What the columns of a table hold, by their names in the header. */
#include "base/option.h"
#include "logs/read/formats/generic.h"
#include "logs/study/table/table.h"

#include <ctype.h>
#include <string.h>

/* Names of columns of each role, as canonical() writes them; null ends them. Messages list the first SHOWN. */
enum { NAMES = 16, SHOWN = 4 };
static const char *const known[ROLES][NAMES] = {
    [DLQ_COUNTED_LOADERS] = {"loaders", "workers", "num_workers", "nw", "worker", "loader", "n_workers", "num_loaders",
                             "number_of_workers", "dataloader_num_workers"},
    [DLQ_COUNTED_RANKS] = {"ranks", "gpus", "num_gpus", "world_size"},
    [DLQ_COUNTED_THREADS] = {"threads", "num_threads"},
    [DLQ_COUNTED_BATCH_SIZE] = {"batch_size"},
    [DLQ_COUNTED_PREFETCH] = {"prefetch", "prefetch_factor"},
    [MEASURED + DLQ_MEASURE_SAMPLES] = {"samples_per_s", "images_per_s", "img_per_s", DLQ_THROUGHPUT, "imgs_per_s",
                                        "sample_per_s", "image_per_s"},
    [MEASURED + DLQ_MEASURE_BATCHES] = {"batches_per_s", "it_per_s", "iter_per_s", "batch_per_s", "iters_per_s",
                                        "iterations_per_s", "steps_per_s"},
    [MEASURED + DLQ_MEASURE_SECONDS] = {"seconds", "epoch_seconds", "time", "epoch_time", "time_per_epoch", "duration",
                                        "epoch_duration", "runtime", "run_time", "elapsed", "wall_time", "ms",
                                        "minutes"},
    [WAIT] = {"wait", "data_wait", "wait_share", "wait_fraction"},
    [STEP_TIME] = {"step"},
    [BATCHES] = {"batches"},
    [PER_BATCH] = {"batch_time", "iteration_time", "iter_time", "time_per_batch", "time_per_iteration", "time_per_iter",
                   "time_per_step"},
};

const char *dlq_time_unit(const char *text)
{
    static const char *const units[][2] = {{"s", "s"},         {"sec", "s"},   {"secs", "s"},  {"seconds", "s"},
                                           {"ms", "ms"},       {"msec", "ms"}, {"min", "min"}, {"mins", "min"},
                                           {"minutes", "min"}, {"h", "h"},     {"hours", "h"}};
    const char *per = strstr(text, "_per_");
    const size_t length = per != NULL ? (size_t)(per - text) : strcspn(text, "/");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i][0]) == length && memcmp(text, units[i][0], length) == 0)
            return units[i][1];
    return NULL;
}

/* Whether a unit of time, "ms/batch" or "s_per_it", is one of each batch. */
static bool is_per_batch(const char *unit)
{
    static const char *const batches[] = {"batch", "it", "iter", "iteration", "step"};
    const char *slash = strchr(unit, '/'), *per = slash != NULL ? slash + 1 : strstr(unit, "_per_");
    for (size_t i = 0; i < sizeof batches / sizeof *batches && per != NULL; i++)
        if (strcmp(per + (slash != NULL ? 0 : 5), batches[i]) == 0)
            return true;
    return false;
}

int dlq_column_role(const char *name)
{
    char rate[COLUMN_NAME + 8];
    const char *slash = strchr(name, '/'), *per = slash != NULL ? slash : strstr(name, "_per_"), *time = NULL;
    if (per != NULL)
        time =
            strcmp(per + (slash != NULL ? 1 : 5), "second") == 0 ? "s" : dlq_time_unit(per + (slash != NULL ? 1 : 5));
    if (time != NULL) {
        snprintf(rate, sizeof rate, "%.*s_per_%s", (int)(per - name), name, time);
        name = rate;
    }
    for (int role = 0; role < ROLES; role++)
        for (size_t k = 0; known[role][k] != NULL; k++)
            if (strcmp(known[role][k], name) == 0)
                return role;
    return ROLES;
}

const char *dlq_column_nearest(const char *name)
{
    struct dlq_nearest nearest = {.name = name};
    for (int role = 0; role < ROLES; role++)
        for (size_t k = 0; known[role][k] != NULL; k++)
            dlq_nearest_offer(&nearest, known[role][k]);
    return nearest.best;
}

const char *dlq_column_usual(int role)
{
    return known[role][0];
}

void dlq_columns_list(char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "; known are");
    for (int role = 0; role < ROLES; role++) {
        const char *const *names = known[role], *before = role == MEASURED || role == WAIT ? ";" : ",";
        used += (size_t)snprintf(text + used, size - used, "%s %s", role == 0 ? "" : before, names[0]);
        for (size_t k = 1; k < SHOWN && names[k] != NULL; k++)
            used += (size_t)snprintf(text + used, size - used, "%s%s%s", k == 1 ? " (" : ", ", names[k],
                                     k + 1 == SHOWN || names[k + 1] == NULL ? ")" : "");
    }
}

/* Writes a name in small letters, without blanks. */
static void canonical(const char *text, size_t length, char name[COLUMN_NAME])
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < COLUMN_NAME; i++)
        name[used++] = strchr(" -", text[i]) != NULL ? '_' : (char)tolower((unsigned char)text[i]);
    while (used > 0 && name[used - 1] == '_')
        used--;
    name[used] = '\0';
}

static bool is_rate(int role)
{
    return role == MEASURED + DLQ_MEASURE_SAMPLES || role == MEASURED + DLQ_MEASURE_BATCHES;
}

/* Finds the unit of a time in the last word of a name that is not known with it, "epoch_s" or "time_ms". Cuts this word
   off if the rest is known. */
static void cut_unit(struct column *column)
{
    char *last = strrchr(column->name, '_');
    const char *unit = last != NULL ? dlq_time_unit(last + 1) : NULL;
    if (column->role != ROLES || unit == NULL)
        return;
    *last = '\0';
    column->role = dlq_column_role(column->name);
    if (column->role == ROLES)
        *last = '_';
    if (column->unit[0] == '\0')
        snprintf(column->unit, sizeof column->unit, "%s", unit);
}

void dlq_column_read(struct column *column, const char *text)
{
    const bool percent = strchr(text, '%') != NULL; /* "wait (%)", "data time %", "% waiting" */
    text += strspn(text, "% ");
    const size_t length = strcspn(text, "([%"), size = sizeof column->unit;
    char in_small[COLUMN_NAME];
    if (percent)
        snprintf(column->unit, size, "%%");
    else if (text[length] != '\0')
        snprintf(column->unit, size, "%.*s", (int)strcspn(text + length + 1, ")]"), text + length + 1);
    canonical(text, length, column->name);
    canonical(column->unit, strlen(column->unit), in_small);
    column->role = dlq_column_role(column->name);
    const int rate = dlq_column_role(in_small);
    const char *unit = dlq_time_unit(column->name);
    if (is_rate(rate) && (column->role == ROLES || is_rate(column->role))) {
        column->role = rate;
        column->unit[0] = '\0';
    } else if (unit != NULL) {
        column->role = MEASURED + DLQ_MEASURE_SECONDS; /* "ms", "s/epoch" */
        if (column->unit[0] == '\0')
            snprintf(column->unit, size, "%s", unit);
    } else {
        cut_unit(column);
    }
    const bool is_data = dlq_meaning_of(column->name, strlen(column->name), false).role == DLQ_ROLE_DATA;
    if (column->role == ROLES && dlq_column_is_timed(column) && strncmp(column->name, "epoch", 5) == 0)
        column->role = MEASURED + DLQ_MEASURE_SECONDS; /* "epoch_s", "Epoche (s)" */
    else if (column->role == WAIT && dlq_column_is_timed(column))
        column->role = ROLES; /* no share */
    else if (column->role == ROLES && strcmp(column->unit, "%") == 0 && is_data)
        column->role = WAIT; /* "data time %" */
    column->per_batch =
        column->role == PER_BATCH || (column->role == MEASURED + DLQ_MEASURE_SECONDS &&
                                      (is_per_batch(in_small) || (unit != NULL && is_per_batch(column->name))));
    if (column->per_batch)
        column->role = MEASURED + DLQ_MEASURE_BATCHES;
    column->unnamed_rate = strcmp(column->name, DLQ_THROUGHPUT) == 0 && in_small[0] == '\0';
}

bool dlq_column_is_timed(const struct column *column)
{
    char in_small[COLUMN_NAME];
    canonical(column->unit, strlen(column->unit), in_small);
    return dlq_time_unit(in_small) != NULL;
}
