/* dlqueue run: runs an unchanged training, records its DataLoaders, and advises on the DataLoader of the training.
   The recorder is a Python module (python/dlqueue_probe.py). This file puts the recorder first on the program's
   PYTHONPATH, and after the run reads the summaries that the recorder has written. */
#include "child.h"
#include "draw/embedded.h"
#include "draw/phrase.h"
#include "logs.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The most traces of all ranks that are read; the default time between lines of --follow, s. */
enum { LOADERS = 4096, FOLLOW_SECONDS = 30 };

struct run {
    struct dlq_invocation *invocation;
    char directory[PATH_MAX];       /* contains the recorder and its summaries */
    char trace[PATH_MAX];           /* absolute path of the trace of the first loader */
    char trace_of_rank_0[PATH_MAX]; /* path of the same trace if there are several ranks */
    char here[PATH_MAX];            /* the current directory */
    struct timespec started;
    struct dlq_followed followed;
    json_t *summaries;     /* array of the processes' arrays, which own the rows */
    json_t *rows[LOADERS]; /* summaries of loaders, one per trace, ordered by rank and loader number */
    size_t count;
    long pythons; /* Python processes that loaded the recorder */
};

/* -- the directory of the run -- */

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

static void release_run(void *object)
{
    struct run *run = object;
    if (run->directory[0] != '\0')
        nftw(run->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    json_decref(run->summaries);
}

/* Creates the directory, with the recorder in it. Only its owner can write to it, since Python executes its files. */
static enum dlq_status create_directory(struct run *run)
{
    struct dlq_error *error = run->invocation->error;
    const char *parent = getenv("TMPDIR");
    char path[PATH_MAX], *whole = run->directory;
    parent = parent != NULL && parent[0] != '\0' ? parent : "/tmp";
    if (realpath(parent, path) == NULL || strlen(path) > sizeof path - 64)
        return dlq_error_add(error, DLQ_FAILURE, "run: cannot use TMPDIR %s: %s", parent, strerror(errno));
    if (strchr(path, ':') != NULL)
        return dlq_error_add(error, DLQ_INVALID,
                             "run: TMPDIR %s has a colon, which ends a directory in PYTHONPATH; set another", path);
    snprintf(path + strlen(path), 64, "/dlqueue-run-XXXXXX");
    if (mkdtemp(path) == NULL)
        return dlq_error_add(error, DLQ_FAILURE, "run: cannot make a directory in %s: %s", parent, strerror(errno));
    memcpy(whole, path, sizeof path);
    for (const struct dlq_embedded *file = dlq_run_files; file->name != NULL; file++) {
        snprintf(path, sizeof path, "%.*s/%s.py", PATH_MAX - 64, whole, file->name);
        FILE *stream = fopen(path, "w");
        bool written = stream != NULL && fputs((const char *)file->text, stream) >= 0;
        if (stream == NULL || fclose(stream) != 0 || !written)
            return dlq_error_add(error, DLQ_FAILURE, "run: cannot write %s: %s", path, strerror(errno));
    }
    return DLQ_OK;
}

/* Inserts a word before the ending of a path: "dir/trace.csv" and "rank0" give "dir/trace.rank0.csv". */
static void add_to_stem(char result[PATH_MAX], const char *path, const char *word)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
    size_t stem = dot != NULL && dot != name ? (size_t)(dot - path) : strlen(path);
    snprintf(result, PATH_MAX, "%.*s.%s%s", (int)stem, path, word, path + stem);
}

/* Sets the environment that the program inherits. */
static enum dlq_status set_environment(struct run *run)
{
    const struct dlq_args *args = run->invocation->args;
    const char *before = getenv("PYTHONPATH");
    bool some = before != NULL && before[0] != '\0'; /* a trailing colon would add the current directory */
    size_t size = sizeof run->directory + (some ? strlen(before) + 1 : 0);
    char *paths, most[16];
    NEW(&run->invocation->call->arena, paths, size);
    snprintf(paths, size, "%s%s%s", run->directory, some ? ":" : "", some ? before : "");
    snprintf(most, sizeof most, "%ld", args->max_loaders);
    const char *const rows[][2] = {{"PYTHONPATH", paths},
                                   {"DLQUEUE_RUN", run->directory},
                                   {"DLQUEUE_OUT", run->trace},
                                   {"DLQUEUE_MAX_LOADERS", most},
                                   {"DLQUEUE_SYNCHRONIZE", args->synchronize ? "1" : NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((rows[i][1] != NULL ? setenv(rows[i][0], rows[i][1], 1) : unsetenv(rows[i][0])) != 0)
            return dlq_error_memory(run->invocation->error, "preparing a run");
    return DLQ_OK;
}

/* -- while the program runs -- */

/* Whether the file was written since the program started. An earlier run may have left a file of the same name. */
static bool is_new(const struct run *run, const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
           (about.st_mtim.tv_sec > run->started.tv_sec ||
            (about.st_mtim.tv_sec == run->started.tv_sec && about.st_mtim.tv_nsec >= run->started.tv_nsec));
}

static void follow(void *object)
{
    struct run *run = object;
    const char *path = is_new(run, run->trace) ? run->trace : run->trace_of_rank_0;
    FILE *log = is_new(run, path) ? fopen(path, "re") : NULL;
    if (log == NULL)
        return;
    dlq_followed_print(&run->followed, run->invocation->args, path, log, stderr);
    fclose(log);
}

/* -- after the program has ended -- */

static double number_of(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text != NULL ? text : "";
}

/* Inserts a row in the order of rank and loader number. */
static void add_row(struct run *run, json_t *row)
{
    size_t at = run->count++;
    for (; at > 0; at--) {
        json_t *other = run->rows[at - 1];
        double ranks = number_of(other, "rank") - number_of(row, "rank");
        if (ranks < 0 || (ranks == 0 && number_of(other, "number") <= number_of(row, "number")))
            break;
        run->rows[at] = other;
    }
    run->rows[at] = row;
}

/* Reads the summaries of all processes. A program that was killed may have left a trace but no summary. */
static void read_summaries(struct run *run)
{
    DIR *directory = opendir(run->directory);
    const struct dirent *entry;
    char path[PATH_MAX];
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        const char *name = entry->d_name, *ending = strrchr(name, '.');
        run->pythons += strncmp(name, "python.", 7) == 0;
        if (strncmp(name, "p.", 2) != 0 || strcmp(ending, ".json") != 0)
            continue;
        snprintf(path, sizeof path, "%.*s/%.200s", PATH_MAX - 256, run->directory, name);
        json_t *rows = json_load_file(path, 0, NULL);
        for (size_t i = 0; i < json_array_size(rows) && run->count < LOADERS; i++)
            add_row(run, json_array_get(rows, i));
        json_array_append_new(run->summaries, rows);
    }
    if (directory != NULL)
        closedir(directory);
    const char *trace = is_new(run, run->trace) ? run->trace : run->trace_of_rank_0;
    if (run->count == 0 && is_new(run, trace)) {
        run->rows[run->count++] = json_pack("{s:s,s:i,s:i}", "path", trace, "number", 1, "batches", 1);
        json_array_append_new(run->summaries, run->rows[0]);
    }
}

/* Whether most batches were loaded while gradients were enabled. */
static bool trains(const json_t *row)
{
    return 2 * number_of(row, "grad") > number_of(row, "batches");
}

/* Chooses a loader of the first rank: by its number, or for 0 the training loader, which is iterated for the most
   seconds among loaders with gradients enabled for most batches, or, without such, among all. Null: no such number. */
static const json_t *choose(const struct run *run, long number)
{
    const json_t *best = NULL;
    bool best_trains = false;
    for (size_t i = 0; i < run->count && number_of(run->rows[i], "rank") == number_of(run->rows[0], "rank"); i++) {
        const json_t *row = run->rows[i];
        if (number > 0 && number_of(row, "number") != (double)number)
            continue;
        if (best == NULL || trains(row) > best_trains ||
            (trains(row) == best_trains && number_of(row, "seconds") > number_of(best, "seconds"))) {
            best = row;
            best_trains = trains(row);
        }
    }
    return best;
}

/* The path relative to the current directory if it is below it. */
static const char *name_of(const struct run *run, const char *path)
{
    size_t length = strlen(run->here);
    return length > 1 && strncmp(path, run->here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

/* Prints "dlqueue run: x.csv (training): D, 100 batches of 3.26 kB, 2 workers, 800 ms, waited 300 ms". use: "training",
   "evaluation", or "": the loader that is not advised on. */
static void print_loader(const struct run *run, const json_t *row, const char *use)
{
    double bytes = number_of(row, "bytes"), workers = number_of(row, "workers"), batches = number_of(row, "batches");
    fprintf(stderr, "dlqueue run: %s", name_of(run, text_of(row, "path")));
    if (*use != '\0' && number_of(row, "world") > 1)
        fprintf(stderr, " (%s, rank %s)", use, SAY_COUNT(number_of(row, "rank")));
    else if (*use != '\0')
        fprintf(stderr, " (%s)", use);
    fprintf(stderr, ": %s, %s batch%s", text_of(row, "dataset"), SAY_COUNT(batches), batches == 1 ? "" : "es");
    if (bytes > 0)
        fprintf(stderr, " of %s", SAY_SIZE(bytes, 3));
    fprintf(stderr, ", %s worker%s, %s, waited %s\n", SAY_COUNT(workers), PLURAL(workers),
            SAY_TIME(number_of(row, "seconds"), 2), SAY_TIME(number_of(row, "waited"), 2));
}

/* Prints "dlqueue run: of other ranks: x.rank1.csv to x.rank7.csv": the traces of the same loader. */
static void print_other_ranks(const struct run *run, const json_t *chosen)
{
    const json_t *first = NULL, *last = NULL;
    for (size_t i = 0; chosen != NULL && i < run->count; i++)
        if (number_of(run->rows[i], "number") == number_of(chosen, "number") &&
            number_of(run->rows[i], "rank") != number_of(chosen, "rank")) {
            first = first == NULL ? run->rows[i] : first;
            last = run->rows[i];
        }
    if (first == NULL)
        return;
    fprintf(stderr, "dlqueue run: of other ranks: %s", name_of(run, text_of(first, "path")));
    if (last != first)
        fprintf(stderr, " to %s", name_of(run, text_of(last, "path")));
    fputc('\n', stderr);
}

/* Runs another command on the traces, with standard error as its output. Its failure is printed and has no effect. */
static void run_other(const struct run *run, const char *name, const struct dlq_args *args,
                      const struct dlq_words *operands)
{
    struct dlq_error error = {0};
    struct dlq_invocation other = dlq_invocation_of(run->invocation, operands->words, operands->count);
    other.command = dlq_command_find(other.commands, name);
    other.args = args;
    FILE *ascii = dlq_terminal_is_ascii() ? dlq_text_ascii(stderr) : NULL;
    other.out = ascii != NULL ? ascii : stderr;
    other.error = &error;
    other.command->run(&other);
    if (ascii != NULL)
        fclose(ascii);
    if (error.count > 0)
        fprintf(stderr, "dlqueue run: %s: %.*s\n", name, (int)strcspn(error.text, "\n"), error.text);
}

/* Prints the recorded loaders and the advice, and writes the page. number: of --loader; status: of waitpid(). */
static enum dlq_status conclude(struct run *run, long number, int status)
{
    const struct dlq_args *args = run->invocation->args;
    struct dlq_args quiet = *args;
    struct dlq_words logs = {0}, none = {0};
    const json_t *chosen = choose(run, number);
    const char *command = run->invocation->operands[0], *slash = strrchr(command, '/'), *python;
    python = strncmp(slash != NULL ? slash + 1 : command, "python", 6) == 0 ? "; python -I, -E and -S keep it out" : "";
    bool absent = WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
    if (!args->quiet && run->count == 0 && run->pythons > 0 && WIFSIGNALED(status))
        fprintf(stderr, "dlqueue run: signal %d ended the program before a batch was written to the trace\n",
                WTERMSIG(status));
    else if (!args->quiet && run->count == 0 && (run->pythons > 0 || !absent))
        fprintf(stderr, "dlqueue run: no DataLoader of torch was iterated (%ld Python process%s seen%s)\n",
                run->pythons, run->pythons == 1 ? "" : "es", run->pythons == 0 ? python : "");
    for (size_t i = 0; i < run->count && !args->quiet; i++)
        if (number_of(run->rows[i], "rank") == number_of(run->rows[0], "rank"))
            print_loader(run, run->rows[i],
                         run->rows[i] != chosen                ? ""
                         : number == 0 || trains(run->rows[i]) ? "training"
                                                               : "evaluation");
    if (!args->quiet)
        print_other_ranks(run, chosen);
    for (size_t i = 0; i < run->count && number == 0 && !args->quiet; i++)
        if (number_of(run->rows[i], "rank") == number_of(chosen, "rank") &&
            number_of(run->rows[i], "waited") > number_of(chosen, "waited"))
            fprintf(stderr, "dlqueue run: the training waited longer for %s than for the other: dlqueue advise %s\n",
                    name_of(run, text_of(run->rows[i], "path")), name_of(run, text_of(run->rows[i], "path")));
    if (chosen == NULL && run->count > 0)
        fprintf(stderr, "dlqueue run: --loader %ld: there is no loader of that number\n", number);
    if (chosen == NULL || number_of(chosen, "batches") == 0)
        return DLQ_OK;
    NEW(&run->invocation->call->arena, logs.words, run->count);
    for (size_t i = 0; i < run->count; i++) /* the traces of this loader, of all ranks */
        if (number_of(run->rows[i], "number") == number_of(chosen, "number"))
            logs.words[logs.count++] = name_of(run, text_of(run->rows[i], "path"));
    quiet.quiet = quiet.summary = true;
    quiet.follow = false; /* the training has ended */
    quiet.override_count = quiet.given_count = 0;
    quiet.output = args->page;
    if (!args->quiet && !args->no_advise)
        run_other(run, "advise", &quiet, &logs);
    quiet.logs = logs;
    if (args->page != NULL)
        run_other(run, "report", &quiet, &none);
    return DLQ_OK;
}

/* Reads --loader N; 0: not given. */
static enum dlq_status read_number(const struct dlq_invocation *invocation, long *number)
{
    *number = 0;
    for (size_t i = 0; i < invocation->args->override_count; i++) {
        const struct dlq_override *override = &invocation->args->overrides[i];
        char why[256];
        double count = 0;
        if (strcmp(override->path, invocation->command->keys[0]) != 0)
            return dlq_error_add(invocation->error, DLQ_INVALID, "%s: %s %s", override->origin, override->path,
                                 invocation->command->refusal);
        if (!dlq_quantity_parse(override->value, DLQ_UNIT_COUNT, &count, why, sizeof why) || count < 1)
            return dlq_error_add(invocation->error, DLQ_INVALID,
                                 "%s: '%s' is not the number of a loader, such as 2 of trace.loader2.csv",
                                 override->origin, override->value);
        *number = (long)count;
    }
    return DLQ_OK;
}

enum dlq_status dlq_run_run(struct dlq_invocation *invocation)
{
    const struct dlq_args *args = invocation->args;
    const char *output = args->output != NULL ? args->output : "trace.csv";
    struct run *run;
    long number;
    TRY(read_number(invocation, &number));
    if (invocation->operand_count == 0)
        return dlq_error_add(invocation->error, DLQ_INVALID, "run needs a command: dlqueue run -- python train.py");
    if (strcmp(output, "-") == 0)
        return dlq_error_add(invocation->error, DLQ_INVALID, "run: the trace needs a file: -o trace.csv");
    NEW(&invocation->call->arena, run, 1);
    run->invocation = invocation;
    run->summaries = json_array();
    TRY(dlq_keep(invocation, run, release_run));
    bool known = run->summaries != NULL && getcwd(run->here, sizeof run->here) != NULL;
    int length = snprintf(run->trace, sizeof run->trace, "%s%s%s", output[0] == '/' ? "" : run->here,
                          output[0] == '/' ? "" : "/", output);
    if (!known || length >= PATH_MAX - 64)
        return dlq_error_add(invocation->error, DLQ_FAILURE, "run: the path of %s is not known, or too long", output);
    add_to_stem(run->trace_of_rank_0, run->trace, "rank0");
    if (args->output == NULL && !args->quiet && access(run->trace, F_OK) == 0)
        fprintf(stderr, "dlqueue run: a new trace replaces %s of an earlier run; -o NAME.csv keeps both\n", output);
    TRY(create_directory(run));
    TRY(set_environment(run));
    clock_gettime(CLOCK_REALTIME, &run->started);
    const long period = args->follow_seconds > 0 ? args->follow_seconds : FOLLOW_SECONDS;
    const struct dlq_child_watch watch = {follow, run, args->follow ? period : 0};
    TRY(dlq_child_run((char *const *)invocation->operands, &watch, &invocation->child, invocation->error));
    invocation->child_ended = true;
    read_summaries(run);
    return conclude(run, number, invocation->child);
}
