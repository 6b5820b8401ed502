/* The command line: the table of options, and the parser. */
#include "args.h"

#include "base/option.h"
#include "dlqueue/model.h"
#include "draw/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* `--set section.key=value`, or an option that is short for one; it is the last of args->given. */
static enum dlq_status store_setting(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                     struct dlq_error *error)
{
    struct dlq_override *override = &args->overrides[args->override_count];
    const char *path = arg->path != NULL ? arg->path : value;
    size_t length = strcspn(path, "=");
    if (arg->path != NULL) {
        snprintf(override->origin, sizeof override->origin, "--%s", arg->name);
        override->value = value;
    } else {
        override->set = true;
        snprintf(override->origin, sizeof override->origin, "--set #%zu", ++args->set_count);
        if (length == 0 || value[length] == '\0')
            return dlq_error_add(error, DLQ_INVALID, "%s: '%s' is not section.key=value (e.g. --set load.mean=700ms)",
                                 override->origin, value);
        override->value = value + length + 1;
    }
    NEW(&args->arena, override->path, length + 1);
    memcpy(override->path, path, length);
    args->given[args->given_count - 1].override = override;
    args->override_count++;
    return DLQ_OK;
}

const char *const dlq_color_words[] = {"auto", "always", "never", NULL};

static enum dlq_status store_color(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
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

static enum dlq_status store_switch(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                    struct dlq_error *error)
{
    (void)value, (void)error;
    *(bool *)((char *)args + arg->at) = true;
    return DLQ_OK;
}

static enum dlq_status store_text(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                  struct dlq_error *error)
{
    (void)error;
    *(const char **)((char *)args + arg->at) = value;
    return DLQ_OK;
}

enum dlq_status dlq_store_list(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                               struct dlq_error *error)
{
    struct dlq_words *list = (struct dlq_words *)((char *)args + arg->at);
    (void)error;
    list->words[list->count++] = value;
    return DLQ_OK;
}

static enum dlq_status store_count(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                   struct dlq_error *error)
{
    enum { MOST_DIGITS = 9 };
    bool whole = value[0] != '\0' && strlen(value) <= MOST_DIGITS && strspn(value, "0123456789") == strlen(value);
    long count = whole ? strtol(value, NULL, 10) : -1;
    if (count < arg->least || count > arg->most)
        return dlq_error_add(error, DLQ_INVALID, "--%s: '%s' is not a whole number from %ld to %ld", arg->name, value,
                             arg->least, arg->most);
    *(long *)((char *)args + arg->at) = count;
    return DLQ_OK;
}

/* --follow or --follow=30 */
static enum dlq_status store_follow(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                    struct dlq_error *error)
{
    args->follow = true;
    return value != NULL ? store_count(args, arg, value, error) : DLQ_OK;
}

static enum dlq_status store_quantity(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                      struct dlq_error *error)
{
    char why[256] = "a factor must be above 0"; /* parsing that fails replaces it */
    double number;
    if (!dlq_quantity_parse(value, arg->unit, &number, why, sizeof why) ||
        (arg->unit == DLQ_UNIT_FACTOR && !(number > 0)))
        return dlq_error_add(error, DLQ_INVALID, "--%s: %s", arg->name, why);
    if (arg->unit == DLQ_UNIT_SHARE && number > 1)
        return dlq_error_add(error, DLQ_INVALID, "--%s: '%s' is over 100 %%: write 3%% or 0.03", arg->name, value);
    *(double *)((char *)args + arg->at) = number;
    return DLQ_OK;
}

#define AT(field) .at = offsetof(struct dlq_args, field)

/* clang-format off */
const struct dlq_arg dlq_arg_rows[] = {
    {"loaders", "N", "pipeline.loaders", NULL, "num-workers workers num_workers num-parallel-calls num-threads",
     "loader workers of one rank; 0 = the trainer loads", .store = store_setting},
    {"load", "TIME", "load.mean", NULL, "load-time loading-time", "[load] mean: time to load a batch (with per = sample, a sample), e.g. 700ms",
     .store = store_setting},
    {"step", "TIME", "step.mean", NULL, "step-time computation-time", "mean time of one training step", .store = store_setting},
    {"cv", "NUMBER", "load.cv", NULL, "coefficient-of-variation", "variation of load times: standard deviation / mean",
     .store = store_setting},
    {"prefetch", "N", "pipeline.prefetch", NULL, "prefetch-factor prefetch_factor queue-depth buffer-size",
     "the loader's prefetch, e.g. batches in flight per worker", .store = store_setting},
    {"loader", "NAME", "pipeline.loader", NULL, "framework backend", "which data loader: `dlqueue loaders` lists them; for run, the number of the loader to advise on",
     .store = store_setting},
    {"cores", "N", "host.cores", NULL, "cpus num-cpus", "[host] cores: how many cores loaders may use", .store = store_setting},
    {"memory", "SIZE", "host.memory", NULL, "ram", "[host] memory, e.g. 64GB", .store = store_setting},
    {"batch-size", "N", "pipeline.batch_size", NULL, "batch batch_size", "samples per batch; results then include samples/s",
     .store = store_setting},
    {"set", "SECTION.KEY=VALUE", NULL, NULL, "option config", "set any key of the configuration; repeatable", .store = store_setting},
    {"seed", "N", "simulate.seed", NULL, "random-seed", "seed of the simulation (default 1)", .store = store_setting},
    {"threads", "N", NULL, NULL, "jobs", "threads, 1 to 256 (default: one per processor); results do not depend on them",
     .store = store_count, AT(threads), .least = 1, .most = DLQ_RUN_THREADS},
    {"format", "NAME", NULL, "diagnose fit advise compare timeline", "log-format type", "format of the logs, if it is not detected: see `dlqueue help formats`",
     .store = store_text, AT(format), .reads = true},
    {"skip-bad", "N", NULL, "diagnose fit advise compare timeline", "skip-invalid ignore-errors", "skip and count up to N malformed lines (default 0)",
     .store = store_count, AT(skip_bad), .reads = true, .most = 999999999},
    {"every", "N", NULL, "diagnose fit advise compare", "log-interval log-every print-freq logging-steps",
     "iterations that each line of the log averages, if the log does not say", .store = store_count, AT(every), .reads = true, .least = 1, .most = 999999999},
    {"pattern", "ROLE=TEXT", NULL, "diagnose fit advise compare", "regex regexp",
     "for other logs, where a number stands: 'data=rtime=%f' 'iter:mean=took %f{ms}' (dlqueue help formats), or a FILE.ini with such keys in [log]; repeatable", .store = dlq_store_pattern, AT(patterns), .reads = true},
    {"column", "ROLE=NAME", NULL, "diagnose fit advise compare", "columns", "the column of a CSV log that holds a number, and its unit: data=timers/rtime, iter=step_time:ms, clock=seconds; repeatable",
     .store = dlq_store_list, AT(columns), .reads = true},
    {"ranks", NULL, NULL, "diagnose fit advise compare timeline", "same-run one-run", "all logs are ranks of one run, whatever their names",
     .store = store_switch, AT(ranks), .reads = true},
    {"follow", "SECONDS", NULL, "diagnose fit advise run", "tail live watch", "print a line every few seconds (5; run: 30) while the log grows; diagnose, fit and advise read a growing log or a pipe until its end or Ctrl-C, then answer",
     .store = store_follow, AT(follow_seconds), .least = 1, .most = 86400, .may_lack = true},
    {"synchronize", NULL, NULL, "run", "sync", "wait for the GPU at the end of each step: true step times, but a slower training", .store = store_switch, AT(synchronize)},
    {"no-advise", NULL, NULL, "run", NULL, "print no advice at the end", .store = store_switch, AT(no_advise)},
    {"report", "FILE.html", NULL, "run", "page html", "also write the page of `dlqueue report --log`", .store = store_text, AT(page), .names_file = true},
    {"max-loaders", "N", NULL, "run", "most-loaders", "record at most N DataLoaders (default 16)", .store = store_count, AT(max_loaders), .least = 1, .most = 9999},
    {"all", NULL, NULL, "diagnose fit advise", "all-ranks", "show every rank (diagnose: not only those that wait)", .store = store_switch, AT(all)},
    {"steps", "N/TIME", NULL, "fit advise", NULL, "measured by stopwatch: N steps on one batch in memory, e.g. 100/12s",
     .store = store_text, AT(steps), .reads = true},
    {"loads", "N/TIME", NULL, "fit advise", NULL, "measured by stopwatch: N batches loaded without steps, e.g. 100/40s",
     .store = store_text, AT(loads), .reads = true},
    {"table", "FILE", NULL, "fit advise", "measurements", "a table of measured runs instead of logs, such as loaders,seconds",
     .store = store_text, AT(table), .names_file = true, .reads = true},
    {"at", "N,N", NULL, "fit advise", "predict", "with --table: also predict these counts, e.g. 12,24", .store = store_text, AT(at)},
    {"from", "TIME", NULL, "timeline", "begin since", "start of what is shown (default 0)", .store = store_quantity, AT(from), .unit = DLQ_UNIT_TIME},
    {"until", "TIME", NULL, "timeline", "end to duration", "end of what is shown, e.g. 6s (default: a few rounds of the loaders)", .store = store_quantity, AT(until), .unit = DLQ_UNIT_TIME},
    {"waits", NULL, NULL, "timeline", "acf rhythm", "show the wait of each step, and how waits repeat", .store = store_switch, AT(waits)},
    {"against", "ORDER", NULL, "timeline", "versus order", "compare with the loader's other order of delivery, on the same draws: completion, or order",
     .store = store_text, AT(against)},
    {"path", NULL, NULL, "timeline", "critical", "show the critical path as a line, and its shares", .store = store_switch, AT(path)},
    {"animate", "FILE.gif", NULL, "timeline", "gif animation", "write an animation of loaders, queue and trainer (-: standard output)", .store = store_text, AT(animate), .names_file = true},
    {"speed", "FACTOR", NULL, "timeline", "rate", "speed of --animate: 2 is twice real time (default 1)", .store = store_quantity, AT(speed), .unit = DLQ_UNIT_FACTOR},
    {"chrome", "FILE.json", NULL, "timeline", "perfetto trace-json", "write the events for chrome://tracing and Perfetto (-: standard output)", .store = store_text, AT(chrome), .names_file = true},
    {"log", "FILE", NULL, "timeline report", "trace from-log", "show a recorded run instead of a configuration; repeatable, one log per rank", .store = dlq_store_list, AT(logs), .names_file = true},
    {"summary", NULL, NULL, "advise", "short brief", "print three lines, for a chat", .store = store_switch, AT(summary)},
    {"markdown", NULL, NULL, "advise", "md", "print the three lines as Markdown", .store = store_switch, AT(markdown)},
    {"strict-range", "FACTOR", NULL, "advise", "max-range", "from a log without load times, name a number of loaders only if the high end of its range is at most FACTOR times the low end (default 3); else say how many it takes at least", .store = store_quantity, AT(strict_range), .unit = DLQ_UNIT_FACTOR},
    {"after", "FILE", NULL, "compare", "new to-log", "a run after the change; repeatable; all operands are then runs before the change", .store = dlq_store_list, AT(logs), .names_file = true},
    {"gate", "SHARE", NULL, "compare", "threshold tolerance fail-above", "exit status 1 where iterations are proven to take longer by more than this, e.g. 3%; 0 where they are proven not to; 3 where the logs cannot tell", .store = store_quantity, AT(gate), .unit = DLQ_UNIT_SHARE},
    {"also", "FILE", NULL, "fit advise", "other-run", "another run of the same job with another number of loaders; repeatable; N=FILE if the log does not show its N loaders",
     .store = dlq_store_list, AT(logs), .names_file = true, .reads = true},
    {"compare", NULL, NULL, "report", "before-after", "with --log BEFORE --log AFTER: two runs, and what differs between them", .store = store_switch, AT(compare)},
    {"open", NULL, NULL, "report", "browser show", "open the page, once it is written, with the program that $BROWSER names, or else with xdg-open", .store = store_switch, AT(open)},
    {"no-explore", NULL, NULL, "report", NULL, "leave out the sliders, whose simulations take most of the time", .store = store_switch, AT(no_explore)},
    {"target", "SHARE", "plan.target", "plan", "goal", "[plan] target: the utilization to reach, e.g. 95% (or samples/s)",
     .store = store_setting},
    {"at-most", "N", "plan.at_most", "plan advise", "max max-workers", "[plan] at_most: the largest count to consider (default 128, or the configured count if that is larger; advise: as many as the host has cores, or 64)",
     .store = store_setting},
    {"tornado", NULL, NULL, "sweep", "sensitivity oat", "instead of a grid, change each parameter by 20 %, one at a time: which moves throughput most", .store = store_switch, AT(tornado)},
    {"part", "K/N", NULL, "sweep", "shard array", "solve the K-th of N parts of the points, and write them for --join", .store = store_text, AT(part)},
    {"join", "FILE", NULL, "sweep", "merge combine", "draw from the parts that --part wrote; further operands are parts, too", .store = dlq_store_list, AT(parts), .names_file = true},
    {"plot", NULL, NULL, "solve plan diagnose fit advise", "chart charts", "also draw charts, into plots/", .store = store_switch, AT(plot)},
    {"keep-scripts", NULL, NULL, "sweep solve plan timeline diagnose fit advise", "keep-script", "also write the gnuplot script of each chart: gnuplot X.gp >X.png draws it",
     .store = store_switch, AT(keep_scripts)},
    {"no-title", NULL, NULL, "sweep solve plan timeline diagnose fit advise", "notitle", "draw charts without title and subtitle, for papers", .store = store_switch, AT(no_title)},
    {"size", "SIZE", "plot.size", "sweep solve plan timeline diagnose fit advise", "width", "size of charts: 1600x900 pixels; for papers 85mm or 170mm wide", .store = store_setting},
    {"json", NULL, NULL, NULL, NULL, "print the result as JSON (see `dlqueue help output`)", .store = store_switch, AT(json)},
    {"csv", NULL, NULL, NULL, NULL, "print the result as CSV, if it is a table", .store = store_switch, AT(csv)},
    {"output", "PATH", NULL, NULL, "out file outdir", "write the result to a file; for sweep, timeline and --plot: the files to a directory", .store = store_text, AT(output), .names_file = true, .letter = 'o'},
    {"quiet", NULL, NULL, NULL, "silent", "print no warnings and no progress", .store = store_switch, AT(quiet), .letter = 'q'},
    {"verbose", NULL, NULL, NULL, "debug", "print more on standard error", .store = store_switch, AT(verbose), .letter = 'v'},
    {"color", "WHEN", NULL, NULL, "colour colors", "auto, always or never", .store = store_color},
    {"help", NULL, NULL, NULL, "usage", "show help", .store = store_switch, AT(help), .letter = 'h'},
    {"version", NULL, NULL, NULL, NULL, "show the version", .store = store_switch, AT(version), .letter = 'V'},
    {.name = NULL},
};
/* clang-format on */

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

/* Stores an option. *next: the words after the option, ended by null; an option that needs a value removes one. */
static enum dlq_status apply(struct dlq_args *args, const struct dlq_arg *arg, const char *value, char *const **next,
                             struct dlq_error *error)
{
    if (arg->value == NULL && value != NULL)
        return dlq_error_add(error, DLQ_INVALID, "--%s takes no value", arg->name);
    if (arg->value != NULL && value == NULL && !arg->may_lack) {
        value = *(*next);
        if (value == NULL || strcmp(value, "--") == 0)
            return dlq_error_add(error, DLQ_INVALID, "--%s needs a value: --%s %s", arg->name, arg->name, arg->value);
        ++*next;
    }
    args->given[args->given_count++] = (struct dlq_given){arg, value, NULL};
    if (arg->names_file && value != NULL && value[0] == '\0')
        return dlq_error_add(error, DLQ_INVALID, "--%s: the name is empty", arg->name);
    return arg->store(args, arg, value, error);
}

static enum dlq_status parse_long(struct dlq_args *args, const char *text, char *const **next, struct dlq_error *error)
{
    char name[64], path[128];
    struct dlq_nearest nearest = {.name = name};
    size_t length = strcspn(text, "=");
    const char *ours = NULL; /* our name of the option that other programs call `name` */
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    for (const struct dlq_arg *row = dlq_arg_rows; row->name != NULL; row++) {
        if (strlen(row->name) == length && strncmp(row->name, text, length) == 0)
            return apply(args, row, text[length] == '=' ? text + length + 1 : NULL, next, error);
        if (ours == NULL && dlq_word_among(row->others, name))
            ours = row->name;
        dlq_nearest_offer(&nearest, row->name);
    }
    if (ours != NULL)
        return dlq_error_add(error, DLQ_INVALID, "unknown option --%s; here it is --%s", name, ours);
    if (dlq_arg_key(name, path, sizeof path))
        return dlq_error_add(error, DLQ_INVALID, "unknown option --%s; write --set %s=VALUE", name, path);
    if (nearest.best != NULL)
        return dlq_error_add(error, DLQ_INVALID, "unknown option --%s; did you mean --%s?", name, nearest.best);
    return dlq_error_add(error, DLQ_INVALID, "unknown option --%s; dlqueue --help lists them", name);
}

/* Parses "-qv", "-oFILE" or "-o FILE". */
static enum dlq_status parse_letters(struct dlq_args *args, const char *letters, char *const **next,
                                     struct dlq_error *error)
{
    for (; *letters != '\0'; letters++) {
        const struct dlq_arg *row = dlq_arg_rows;
        while (row->name != NULL && row->letter != *letters)
            row++;
        if (row->name == NULL)
            return dlq_error_add(error, DLQ_INVALID, "unknown option -%c; dlqueue --help lists them", *letters);
        bool rest = row->value != NULL && letters[1] != '\0';
        TRY(apply(args, row, rest ? letters + 1 : NULL, next, error));
        if (row->value != NULL)
            break;
    }
    return DLQ_OK;
}

/* The command whose operands are a program and its arguments: options after the program's name are the program's. */
static const char program_runner[] = "run";

enum dlq_status dlq_args_parse(int argc, char *const argv[], struct dlq_args *args, struct dlq_error *error)
{
    size_t most = argc > 0 ? (size_t)argc : 1;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    bool options_allowed = true; /* not after `--` or the program of `run` */
    int before = error->count;
    online = online < 1 ? 1 : online;
    *args = (struct dlq_args){.threads = online < DLQ_RUN_THREADS ? online : DLQ_RUN_THREADS,
                              .from = NAN,
                              .until = NAN,
                              .speed = NAN,
                              .gate = NAN,
                              .strict_range = NAN,
                              .max_loaders = 16,
                              .arena = {.error = error, .doing = "reading the command line"}};
    NEW(&args->arena, args->operands, most);
    NEW(&args->arena, args->overrides, most);
    NEW(&args->arena, args->given, most);
    NEW(&args->arena, args->logs.words, most);
    NEW(&args->arena, args->parts.words, most);
    NEW(&args->arena, args->patterns.words, most * DLQ_PATTERNS_OF_FILE);
    NEW(&args->arena, args->columns.words, most);
    for (char *const *next = argc > 0 ? argv + 1 : argv; *next != NULL;) {
        const char *word = *next++;
        if (!options_allowed || word[0] != '-' || word[1] == '\0') {
            args->operands[args->operand_count++] = word;
            options_allowed =
                options_allowed && (args->operand_count != 2 || strcmp(args->operands[0], program_runner) != 0);
        } else if (strcmp(word, "--") == 0)
            options_allowed = false;
        else if (word[1] == '-')
            parse_long(args, word + 2, &next, error);
        else
            parse_letters(args, word + 1, &next, error);
    }
    if (args->json && args->csv)
        dlq_error_add(error, DLQ_INVALID, "--json and --csv exclude each other");
    return error->count > before ? error->status : DLQ_OK;
}

void dlq_args_free(struct dlq_args *args)
{
    dlq_arena_end(&args->arena);
    *args = (struct dlq_args){0};
}
