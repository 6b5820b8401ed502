#include "args.h"

#include "base/option.h"
#include "dlqueue/model.h"
#include "dlqueue/quantity.h"
#include "dlqueue/simulate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_PATTERN = 320, MOST_LOG_KEYS = 8 };

/* Appends what `--set path=value` says. */
static enum dlq_status add_override(struct dlq_args *args, const char *origin, const char *path, size_t length,
                                    const char *value, struct dlq_error *error)
{
    struct dlq_override *override = &args->overrides[args->override_count];
    override->path = strndup(path, length);
    if (override->path == NULL)
        return dlq_error_memory(error, "reading the command line");
    snprintf(override->origin, sizeof override->origin, "%s", origin);
    override->value = value;
    args->override_count++;
    return DLQ_OK;
}

static enum dlq_status take_set(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                struct dlq_error *error)
{
    char origin[24];
    const char *equals = strchr(value, '=');
    (void)arg;
    snprintf(origin, sizeof origin, "--set #%zu", ++args->set_count);
    if (equals == NULL || equals == value)
        return dlq_error_add(error, DLQ_INVALID, "%s: '%s' is not section.key=value (e.g. --set load.mean=700ms)",
                             origin, value);
    return add_override(args, origin, value, (size_t)(equals - value), equals + 1, error);
}

static enum dlq_status take_short(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                  struct dlq_error *error)
{
    char origin[24];
    snprintf(origin, sizeof origin, "--%s", arg->name);
    return add_override(args, origin, arg->path, strlen(arg->path), value, error);
}

static enum dlq_status take_threads(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                    struct dlq_error *error)
{
    long threads = strspn(value, "0123456789") == strlen(value) ? strtol(value, NULL, 10) : 0;
    (void)arg;
    if (threads < 1 || threads > DLQ_RUN_THREADS)
        return dlq_error_add(error, DLQ_INVALID, "--threads: '%s' is not a whole number from 1 to %d", value,
                             DLQ_RUN_THREADS);
    args->threads = (int)threads;
    return DLQ_OK;
}

const char *const dlq_color_words[] = {"auto", "always", "never", NULL};

static enum dlq_status take_color(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                  struct dlq_error *error)
{
    (void)arg;
    for (size_t i = 0; dlq_color_words[i] != NULL; i++) {
        if (strcmp(value, dlq_color_words[i]) == 0) {
            args->color = (enum dlq_color_when)i;
            return DLQ_OK;
        }
    }
    return dlq_error_add(error, DLQ_INVALID, "--color: '%s' is not one of auto, always, never", value);
}

#define SWITCH(field)                                                                                                  \
    static enum dlq_status take_##field(struct dlq_args *args, const struct dlq_arg *arg, const char *value,           \
                                        struct dlq_error *error)                                                       \
    {                                                                                                                  \
        (void)arg, (void)value, (void)error;                                                                           \
        args->field = true;                                                                                            \
        return DLQ_OK;                                                                                                 \
    }
SWITCH(json)
SWITCH(csv)
SWITCH(quiet)
SWITCH(follow)
SWITCH(verbose)
SWITCH(help)
SWITCH(version)
SWITCH(keep_scripts)
SWITCH(no_title)
SWITCH(no_explore)
SWITCH(all)
SWITCH(ranks)
SWITCH(plot)
SWITCH(waits)
SWITCH(path)
SWITCH(summary)
SWITCH(markdown)

#define TEXT(field)                                                                                                    \
    static enum dlq_status take_##field(struct dlq_args *args, const struct dlq_arg *arg, const char *value,           \
                                        struct dlq_error *error)                                                       \
    {                                                                                                                  \
        (void)arg, (void)error;                                                                                        \
        args->field = value;                                                                                           \
        return DLQ_OK;                                                                                                 \
    }
TEXT(format)
TEXT(steps)
TEXT(loads)

static enum dlq_status take_file(const struct dlq_arg *arg, const char *value, const char **file,
                                 struct dlq_error *error)
{
    if (value[0] == '\0')
        return dlq_error_add(error, DLQ_INVALID, "--%s: the name is empty", arg->name);
    *file = value;
    return DLQ_OK;
}

#define PATH(field)                                                                                                    \
    static enum dlq_status take_##field(struct dlq_args *args, const struct dlq_arg *arg, const char *value,           \
                                        struct dlq_error *error)                                                       \
    {                                                                                                                  \
        return take_file(arg, value, &args->field, error);                                                             \
    }
PATH(output)
PATH(animate)
PATH(chrome)

static enum dlq_status take_log(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                struct dlq_error *error)
{
    enum dlq_status status = take_file(arg, value, &args->logs[args->log_count], error);
    args->log_count += status == DLQ_OK;
    return status;
}

#define QUANTITY(field, parse)                                                                                         \
    static enum dlq_status take_##field(struct dlq_args *args, const struct dlq_arg *arg, const char *value,           \
                                        struct dlq_error *error)                                                       \
    {                                                                                                                  \
        char why[256];                                                                                                 \
        if (parse(value, &args->field, why, sizeof why))                                                               \
            return DLQ_OK;                                                                                             \
        return dlq_error_add(error, DLQ_INVALID, "--%s: %s", arg->name, why);                                          \
    }
QUANTITY(from, dlq_time_parse)
QUANTITY(until, dlq_time_parse)
QUANTITY(speed, dlq_factor_parse)

/* A key of [log]: where a number stands, as --pattern has it, or what all of them are. */
static enum dlq_status take_log_key(struct dlq_args *args, const char *shows, struct dlq_entry *entry,
                                    struct dlq_error *error)
{
    static const char *const roles[] = {"data", "iter", "step", "count", "epoch", "rank", NULL};
    char text[LONGEST_PATTERN], *end;
    size_t role = 0;
    if (strcmp(entry->section, "log") != 0)
        return dlq_error_add(error, DLQ_INVALID, "%s:%ld: [%s]: what a log looks like stands in [log]", entry->origin,
                             entry->line, entry->section);
    while (roles[role] != NULL && strcmp(roles[role], entry->key) != 0)
        role++;
    if (strcmp(entry->key, "every") == 0) {
        args->every = strtol(entry->value, &end, 10);
        if (*end != '\0' || args->every < 1 || args->every > 999999999)
            return dlq_error_add(error, DLQ_INVALID, "%s:%ld: [log] every: '%.40s' is not a whole number from 1 on",
                                 entry->origin, entry->line, entry->value);
    } else if (roles[role] != NULL) {
        bool time = role < 3;
        snprintf(text, sizeof text, "%s%s%s=%s", entry->key, time && shows != NULL ? ":" : "",
                 time && shows != NULL ? shows : "", entry->value);
        entry = dlq_entries_add(args->log_file, "pattern", roles[role], text, entry->origin, entry->line);
        if (entry == NULL)
            return dlq_error_memory(error, "reading the command line");
        args->patterns[args->pattern_count++] = entry->value;
    } else if (strcmp(entry->key, "shows") != 0) {
        return dlq_error_add(error, DLQ_INVALID,
                             "%s:%ld: [log] %s: no such key (data, iter, step, count, epoch, rank, shows, every)",
                             entry->origin, entry->line, entry->key);
    }
    return DLQ_OK;
}

/* --pattern FILE.ini: the section [log] of a file, for logs that are read again and again. */
static enum dlq_status take_log_file(struct dlq_args *args, const char *name, struct dlq_error *error)
{
    if (args->log_file != NULL)
        return dlq_error_add(error, DLQ_INVALID, "--pattern: %s: there is one such file already", name);
    args->log_file = calloc(1, sizeof *args->log_file);
    if (args->log_file == NULL)
        return dlq_error_memory(error, "reading the command line");
    FILE *stream = fopen(name, "r");
    if (stream == NULL)
        return dlq_error_add(error, DLQ_INVALID, "--pattern: cannot open %s: %s", name, strerror(errno));
    enum dlq_status status = dlq_ini_read(args->log_file, name, stream, error);
    fclose(stream);
    const struct dlq_entry *shows = dlq_entries_find(args->log_file, "log", "shows");
    const char *how = shows != NULL ? shows->value : NULL;
    size_t count = args->log_file->count;
    if (status == DLQ_OK && count == 0)
        return dlq_error_add(error, DLQ_INVALID, "%s: no [log] says what a log looks like", name);
    for (size_t i = 0; status == DLQ_OK && i < count; i++) {
        struct dlq_entry entry = args->log_file->rows[i]; /* rows may move */
        status = take_log_key(args, how, &entry, error);
    }
    return status;
}

static enum dlq_status take_pattern(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                    struct dlq_error *error)
{
    size_t length = strlen(value);
    (void)arg;
    if (length > 4 && strcmp(value + length - 4, ".ini") == 0)
        return take_log_file(args, value, error);
    args->patterns[args->pattern_count++] = value;
    return DLQ_OK;
}

static enum dlq_status take_column(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                   struct dlq_error *error)
{
    (void)arg, (void)error;
    args->columns[args->column_count++] = value;
    return DLQ_OK;
}

static enum dlq_status take_count(const struct dlq_arg *arg, const char *value, long least, long *count,
                                  struct dlq_error *error)
{
    enum { MOST_DIGITS = 9 };
    bool whole = value[0] != '\0' && strlen(value) <= MOST_DIGITS && strspn(value, "0123456789") == strlen(value);
    if (!whole || strtol(value, NULL, 10) < least)
        return dlq_error_add(error, DLQ_INVALID, "--%s: '%s' is not a whole number from %ld to 999999999", arg->name,
                             value, least);
    *count = strtol(value, NULL, 10);
    return DLQ_OK;
}

#define COUNT(field, least)                                                                                            \
    static enum dlq_status take_##field(struct dlq_args *args, const struct dlq_arg *arg, const char *value,           \
                                        struct dlq_error *error)                                                       \
    {                                                                                                                  \
        return take_count(arg, value, least, &args->field, error);                                                     \
    }
COUNT(skip_bad, 0)
COUNT(every, 1)

/* clang-format off */
static const struct dlq_arg rows[] = {
    {"loaders", 0, "N", "pipeline.loaders", NULL, "num-workers workers num_workers num-parallel-calls num-threads",
     "loader workers of one rank; 0 = the trainer loads", take_short},
    {"load", 0, "TIME", "load.mean", NULL, "load-time loading-time", "[load] mean, e.g. 700ms: of a batch, or of a sample where per = sample",
     take_short},
    {"step", 0, "TIME", "step.mean", NULL, "step-time computation-time", "mean time of one training step", take_short},
    {"cv", 0, "NUMBER", "load.cv", NULL, "coefficient-of-variation", "how much loads vary: standard deviation / mean",
     take_short},
    {"prefetch", 0, "N", "pipeline.prefetch", NULL, "prefetch-factor prefetch_factor queue-depth buffer-size",
     "the loader's prefetch, e.g. batches in flight per worker", take_short},
    {"loader", 0, "NAME", "pipeline.loader", NULL, "framework backend", "which data loader: `dlqueue loaders` lists them",
     take_short},
    {"batch-size", 0, "N", "pipeline.batch_size", NULL, "batch batch_size", "samples per batch: also report samples/s",
     take_short},
    {"set", 0, "SECTION.KEY=VALUE", NULL, NULL, "option config", "set any key of the configuration; repeatable", take_set},
    {"seed", 0, "N", "simulate.seed", NULL, "random-seed", "of the simulation (default 1)", take_short},
    {"threads", 0, "N", NULL, NULL, "jobs", "1 to 256 (default: the processors online); never changes a number",
     take_threads},
    {"format", 0, "NAME", NULL, "diagnose fit advise compare timeline", "log-format type", "of the logs, where their content does not tell: `dlqueue help formats`",
     take_format},
    {"skip-bad", 0, "N", NULL, "diagnose fit advise compare timeline", "skip-invalid ignore-errors", "skip and count up to N malformed lines (default 0)",
     take_skip_bad},
    {"every", 0, "N", NULL, "diagnose fit advise compare", "log-interval log-every print-freq logging-steps",
     "iterations that each line is the mean of, in logs that do not tell", take_every},
    {"pattern", 0, "ROLE=TEXT", NULL, "diagnose fit advise compare", "regex regexp",
     "a log of your own: where its numbers stand, 'data=rtime=%f' 'iter=(%f ms)', or a FILE.ini that says so in [log]; repeatable", take_pattern},
    {"column", 0, "ROLE=NAME", NULL, "diagnose fit advise compare", "columns", "which column of a CSV log is what: data=timers/rtime; repeatable",
     take_column},
    {"ranks", 0, NULL, NULL, "diagnose fit advise compare timeline", "same-run one-run", "all logs are ranks of one run, whatever their names say",
     take_ranks},
    {"follow", 0, NULL, NULL, "diagnose", "tail live watch", "a log that still grows, or a pipe: a line every five seconds, the verdict at Ctrl-C or its end",
     take_follow},
    {"all", 0, NULL, NULL, "diagnose", "all-ranks", "show every rank, not only those that wait", take_all},
    {"steps", 0, "N/TIME", NULL, "fit", NULL, "a stopwatch: N steps on a batch that is there, e.g. 100/12s", take_steps},
    {"loads", 0, "N/TIME", NULL, "fit", NULL, "a stopwatch: N batches from the loaders without steps, e.g. 100/40s",
     take_loads},
    {"from", 0, "TIME", NULL, "timeline", "begin since", "where the picture begins (default 0)", take_from},
    {"until", 0, "TIME", NULL, "timeline", "end to duration", "where it ends, e.g. 6s (default: after a few rounds of the loaders)", take_until},
    {"waits", 0, NULL, NULL, "timeline", "acf rhythm", "the wait of each step and its rhythm", take_waits},
    {"path", 0, NULL, NULL, "timeline", "critical", "the critical path: what the elapsed time runs through, as a line and in shares", take_path},
    {"animate", 0, "FILE.gif", NULL, "timeline", "gif animation", "an animation of the loaders, the queue and the trainer; - is standard output", take_animate},
    {"speed", 0, "FACTOR", NULL, "timeline", "rate", "of --animate: 2 is twice real time (default 1)", take_speed},
    {"chrome", 0, "FILE.json", NULL, "timeline", "perfetto trace-json", "the events for chrome://tracing and Perfetto; - is standard output", take_chrome},
    {"log", 0, "FILE", NULL, "timeline report", "trace from-log", "a run that a log recorded, not a configuration; repeatable, one per rank", take_log},
    {"summary", 0, NULL, NULL, "advise", "short brief", "three lines, for a chat", take_summary},
    {"markdown", 0, NULL, NULL, "advise", "md", "these three lines as Markdown", take_markdown},
    {"after", 0, "FILE", NULL, "compare", "new to-log", "a run after the change; repeatable: all operands are then runs before it", take_log},
    {"also", 0, "FILE", NULL, "fit", "other-run", "another run of the same job, with another number of loaders; repeatable", take_log},
    {"no-explore", 0, NULL, NULL, "report", NULL, "without the explorer, whose points take most of the time", take_no_explore},
    {"target", 0, "SHARE", "plan.target", "plan", "goal", "[plan] target: what to reach, e.g. 95% (or samples/s)",
     take_short},
    {"at-most", 0, "N", "plan.at_most", "plan", "max-loaders max max-workers", "[plan] at_most: the largest count to consider (default 128)",
     take_short},
    {"plot", 0, NULL, NULL, "solve plan diagnose fit", "chart charts", "also draw charts, into plots/", take_plot},
    {"keep-scripts", 0, NULL, NULL, "sweep solve plan timeline diagnose fit", "keep-script", "also write the gnuplot scripts beside the charts",
     take_keep_scripts},
    {"no-title", 0, NULL, NULL, "sweep solve plan timeline diagnose fit", "notitle", "charts without title and subtitle, for papers", take_no_title},
    {"size", 0, "SIZE", "plot.size", "sweep solve plan timeline diagnose fit", "width", "of charts: 1600x900 pixels; 85mm or 170mm wide, for papers", take_short},
    {"json", 0, NULL, NULL, NULL, NULL, "the result as JSON (see `dlqueue help output`)", take_json},
    {"csv", 0, NULL, NULL, NULL, NULL, "the result as CSV, where it is a table", take_csv},
    {"output", 'o', "PATH", NULL, NULL, "out file outdir", "where the result goes: a file; of sweep, timeline, and solve, plan, diagnose --plot a directory", take_output},
    {"quiet", 'q', NULL, NULL, NULL, "silent", "no warnings, no progress", take_quiet},
    {"verbose", 'v', NULL, NULL, NULL, "debug", "say more on standard error", take_verbose},
    {"color", 0, "WHEN", NULL, NULL, "colour colors", "auto, always or never", take_color},
    {"help", 'h', NULL, NULL, NULL, "usage", "show help", take_help},
    {"version", 'V', NULL, NULL, NULL, NULL, "show the version", take_version},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows };

const struct dlq_arg *dlq_arg_rows(size_t *count)
{
    *count = ROWS;
    return rows;
}

bool dlq_word_among(const char *words, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = words; at != NULL && *at != '\0';) {
        size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, name, word) == 0)
            return true;
        at += word;
        at += strspn(at, " ");
    }
    return false;
}

static const struct dlq_arg *find_long(const char *name, size_t length)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0)
            return &rows[i];
    return NULL;
}

static const struct dlq_arg *find_letter(char letter)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].letter == letter)
            return &rows[i];
    return NULL;
}

bool dlq_arg_key(const char *name, char *path, size_t size)
{
    struct dlq_option_help help;
    for (size_t i = 0; dlq_option_help(i, &help); i++) {
        size_t k = 0;
        while (name[k] != '\0' && (name[k] == help.key[k] || (name[k] == '-' && help.key[k] == '_')))
            k++;
        if (name[k] == '\0' && help.key[k] == '\0') {
            snprintf(path, size, "%s.%s", help.section, help.key);
            return true;
        }
    }
    return false;
}

static enum dlq_status complain_unknown(const char *name, struct dlq_error *error)
{
    char path[128];
    struct dlq_nearest nearest = {.name = name};
    for (size_t i = 0; i < ROWS; i++)
        if (dlq_word_among(rows[i].others, name))
            return dlq_error_add(error, DLQ_INVALID, "unknown option --%s; here it is --%s", name, rows[i].name);
    if (dlq_arg_key(name, path, sizeof path))
        return dlq_error_add(error, DLQ_INVALID, "unknown option --%s; write --set %s=VALUE", name, path);
    for (size_t i = 0; i < ROWS; i++)
        dlq_nearest_offer(&nearest, rows[i].name);
    if (nearest.best != NULL)
        return dlq_error_add(error, DLQ_INVALID, "unknown option --%s; did you mean --%s?", name, nearest.best);
    return dlq_error_add(error, DLQ_INVALID, "unknown option --%s; dlqueue --help lists them", name);
}

/* What is left to read. */
struct reader {
    int argc, next;
    char *const *argv;
};

static enum dlq_status apply(struct dlq_args *args, const struct dlq_arg *arg, const char *attached,
                             struct reader *reader, struct dlq_error *error)
{
    const char *value = attached;
    if (arg->only != NULL)
        args->limited[args->limited_count++] = arg;
    if (arg->value == NULL && attached != NULL)
        return dlq_error_add(error, DLQ_INVALID, "--%s takes no value", arg->name);
    if (arg->value != NULL && value == NULL) {
        if (reader->next == reader->argc)
            return dlq_error_add(error, DLQ_INVALID, "--%s needs a value: --%s %s", arg->name, arg->name, arg->value);
        value = reader->argv[reader->next++];
    }
    return arg->take(args, arg, value, error);
}

static enum dlq_status parse_long(struct dlq_args *args, const char *text, struct reader *reader,
                                  struct dlq_error *error)
{
    size_t length = strcspn(text, "=");
    const struct dlq_arg *arg = find_long(text, length);
    if (arg != NULL)
        return apply(args, arg, text[length] == '=' ? text + length + 1 : NULL, reader, error);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    return complain_unknown(name, error);
}

/* "-qv", "-oFILE", "-o FILE" */
static enum dlq_status parse_letters(struct dlq_args *args, const char *letters, struct reader *reader,
                                     struct dlq_error *error)
{
    for (; *letters != '\0'; letters++) {
        const struct dlq_arg *arg = find_letter(*letters);
        if (arg == NULL)
            return dlq_error_add(error, DLQ_INVALID, "unknown option -%c; dlqueue --help lists them", *letters);
        bool rest = arg->value != NULL && letters[1] != '\0';
        enum dlq_status status = apply(args, arg, rest ? letters + 1 : NULL, reader, error);
        if (status != DLQ_OK || arg->value != NULL)
            return status;
    }
    return DLQ_OK;
}

static int online_processors(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online > DLQ_RUN_THREADS ? DLQ_RUN_THREADS : (int)online;
}

enum dlq_status dlq_args_parse(int argc, char *const argv[], struct dlq_args *args, struct dlq_error *error)
{
    struct reader reader = {.argc = argc, .next = 1, .argv = argv};
    size_t most = argc > 0 ? (size_t)argc : 1;
    bool options = true;
    *args = (struct dlq_args){.threads = online_processors(), .from = NAN, .until = NAN, .speed = NAN};
    args->operands = calloc(most, sizeof *args->operands);
    args->overrides = calloc(most, sizeof *args->overrides);
    args->limited = calloc(most, sizeof(const struct dlq_arg *));
    args->logs = calloc(most, sizeof *args->logs);
    args->patterns = calloc(most + MOST_LOG_KEYS, sizeof *args->patterns);
    args->columns = calloc(most, sizeof *args->columns);
    if (args->operands == NULL || args->overrides == NULL || args->limited == NULL || args->logs == NULL ||
        args->patterns == NULL || args->columns == NULL)
        return dlq_error_memory(error, "reading the command line");
    int before = error->count;
    while (reader.next < argc) {
        const char *word = argv[reader.next++];
        if (!options || word[0] != '-' || word[1] == '\0')
            args->operands[args->operand_count++] = word;
        else if (strcmp(word, "--") == 0)
            options = false;
        else if (word[1] == '-')
            parse_long(args, word + 2, &reader, error);
        else
            parse_letters(args, word + 1, &reader, error);
    }
    if (args->json && args->csv)
        dlq_error_add(error, DLQ_INVALID, "--json and --csv exclude each other");
    return error->count > before ? error->status : DLQ_OK;
}

void dlq_args_free(struct dlq_args *args)
{
    for (size_t i = 0; i < args->override_count; i++)
        free(args->overrides[i].path);
    free(args->overrides);
    free(args->operands);
    free(args->limited);
    free(args->logs);
    free(args->patterns);
    if (args->log_file != NULL)
        dlq_entries_free(args->log_file);
    free(args->log_file);
    free(args->columns);
    *args = (struct dlq_args){0};
}
