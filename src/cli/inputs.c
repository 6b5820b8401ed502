/* Reads models from files, standard input and options, and keeps commands from overwriting what they read. */
#include "base/option.h"
#include "command.h"
#include "draw/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- files that must not be overwritten -- */

/* A file that is read or written. writer: the option that names a file to write ("--output: "), "" if the command made
   the name up; null: the file is read. */
struct dlq_used_path {
    const struct dlq_used_path *next;
    const char *writer;
    char path[];
};

bool dlq_input_is_same(const char *one, const char *other)
{
    struct stat first, second;
    bool is_one = (strcmp(one, "-") == 0 ? fstat(STDIN_FILENO, &first) : stat(one, &first)) == 0;
    bool is_other = (strcmp(other, "-") == 0 ? fstat(STDIN_FILENO, &second) : stat(other, &second)) == 0;
    if (!is_one || !is_other)
        return strcmp(one, other) == 0;
    return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* Records the file directory[0..length) + name; DLQ_INVALID if that file is written and also read, or written twice. */
static enum dlq_status register_path(const struct dlq_invocation *invocation, const char *writer, int length,
                                     const char *directory, const char *name)
{
    size_t size = (size_t)length + strlen(name) + 1;
    struct dlq_used_path *used = dlq_arena_take(&invocation->call->arena, 1, sizeof *used + size);
    if (used == NULL)
        return dlq_error_memory(invocation->error, invocation->call->arena.doing);
    snprintf(used->path, size, "%.*s%s", length, directory, name);
    used->writer = writer;
    for (const struct dlq_used_path *other = invocation->call->paths; other != NULL; other = other->next) {
        const struct dlq_used_path *written = writer != NULL ? used : other, *clash = writer != NULL ? other : used;
        if (written->writer != NULL && dlq_input_is_same(used->path, other->path))
            return dlq_error_add(invocation->error, DLQ_INVALID, "%s%s is %s too%s; choose another name",
                                 written->writer, written->path, clash->writer != NULL ? "written" : "read",
                                 strcmp(clash->path, "-") == 0 ? ", from standard input" : "");
    }
    used->next = invocation->call->paths;
    invocation->call->paths = used;
    return DLQ_OK;
}

/* -- inputs -- */

/* The path of the file in the directory of `path` whose name is nearest to that of `path`, the first in order of names;
   "": none is near. */
static const char *nearest_file(const char *path, char nearest[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    const int length = slash != NULL ? (int)(slash + 1 - path) : 0;
    struct dlq_nearest search = {.name = path + length};
    struct dirent **entries;
    const int written = snprintf(nearest, PATH_MAX, "%.*s", length, path);
    const int count = written < PATH_MAX ? scandir(length > 0 ? nearest : ".", &entries, NULL, alphasort) : -1;
    for (int i = 0; i < count; i++)
        dlq_nearest_offer(&search, entries[i]->d_name);
    if (search.best != NULL)
        snprintf(nearest + length, PATH_MAX - (size_t)length, "%s", search.best);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    if (count >= 0)
        free(entries);
    return search.best != NULL ? nearest : "";
}

/* O_NONBLOCK opens a pipe without a writer at once; such a pipe is empty. */
enum dlq_status dlq_input_open(const struct dlq_invocation *invocation, const char *path, const char *what,
                               FILE **stream)
{
    struct stat entry;
    *stream = stdin;
    if (strcmp(path, "-") == 0) {
        if (isatty(STDIN_FILENO) == 1)
            dlq_message(invocation, "reading a %s from the terminal; Ctrl-D ends it", what);
        return DLQ_OK;
    }
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    *stream = NULL;
    if (fd >= 0 && fstat(fd, &entry) == 0) {
        if (S_ISDIR(entry.st_mode))
            errno = EISDIR;
        else if (fcntl(fd, F_SETFL, 0) != -1)
            *stream = fdopen(fd, "r");
    }
    if (*stream != NULL)
        return DLQ_OK;
    int reason = errno;
    if (fd >= 0)
        close(fd);
    if (reason == ENOMEM)
        return dlq_error_memory(invocation->error, "opening a file");
    bool transient = reason == EMFILE || reason == ENFILE || reason == EIO;
    char found[PATH_MAX];
    const bool missing = reason == ENOENT && path[0] != '\0';
    const char *nearest = missing ? nearest_file(path, found) : "";
    const char *before = "", *name = "", *after = "";
    if (nearest[0] != '\0') {
        before = "; did you mean ";
        name = nearest;
        after = "?";
    } else if (missing && strchr(path, '.') != NULL && strcmp(what, "configuration") == 0) {
        before = " (dlqueue init > ";
        name = path;
        after = " writes one to start from)";
    }
    return dlq_error_add(invocation->error, transient ? DLQ_FAILURE : DLQ_INVALID, "cannot read %s: %s%s%s%s", path,
                         strerror(reason), before, name, after);
}

void dlq_input_close(FILE *stream)
{
    if (stream != stdin)
        fclose(stream);
}

void dlq_model_release(void *model)
{
    dlq_model_free(model);
}

enum dlq_status dlq_config_read(struct dlq_invocation *invocation, size_t index,
                                enum dlq_status (*complete)(struct dlq_model *model, struct dlq_error *error),
                                struct dlq_model **model)
{
    struct dlq_model *read = NULL;
    struct dlq_setting setting;
    struct dlq_error *error = invocation->error;
    const char *name = invocation->command->name,
               *path = index < invocation->operand_count ? invocation->operands[index] : NULL;
    int before = error->count;
    enum dlq_status status = DLQ_OK;
    if (*invocation->run.interrupted != 0)
        return dlq_error_add(error, DLQ_INTERRUPTED, "interrupted");
    if (path != NULL) {
        FILE *stream;
        TRY(dlq_input_open(invocation, path, "configuration", &stream));
        status = dlq_model_read(&read, path, stream, error);
        dlq_input_close(stream);
    } else if (invocation->args->override_count == 0) {
        return dlq_error_add(error, DLQ_INVALID,
                             "%s needs a configuration (dlqueue %s my.ini; dlqueue init writes one) or options: "
                             "dlqueue %s --loaders 8 --load 700ms --step 100ms",
                             name, name, name);
    } else {
        status = dlq_model_new(&read, error);
    }
    if (read == NULL)
        return status;
    TRY(dlq_keep(invocation, read, dlq_model_release));
    for (size_t i = 0; i < invocation->args->override_count; i++) {
        const struct dlq_override *override = &invocation->args->overrides[i];
        dlq_model_set_from(read, override->origin, override->path, override->value, error);
    }
    if (complete != NULL && status != DLQ_FAILURE)
        complete(read, error);
    if (status != DLQ_FAILURE)
        dlq_model_check(read, error);
    if (error->count > before)
        return status != DLQ_OK ? status : error->status;
    *model = read;
    /* Files of measured times must not be written either; their names are relative to the configuration. */
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    for (size_t i = 0; dlq_model_setting(read, i, &setting); i++)
        if (strcmp(setting.key, "file") == 0 && setting.value[0] != '\0')
            TRY(register_path(invocation, NULL, slash != NULL && setting.value[0] != '/' ? (int)(slash - path) + 1 : 0,
                              slash != NULL ? path : "", setting.value));
    return DLQ_OK;
}

enum dlq_status dlq_configs_read(struct dlq_invocation *invocation, struct dlq_model ***models, size_t count)
{
    enum dlq_status status = DLQ_OK;
    *models = dlq_arena_take(&invocation->call->arena, count, sizeof(struct dlq_model *));
    if (*models == NULL)
        return dlq_error_memory(invocation->error, invocation->call->arena.doing);
    for (size_t i = 0; i < count; i++) {
        enum dlq_status read = dlq_config_read(invocation, i, NULL, *models + i);
        status = status == DLQ_OK ? read : status;
    }
    if (status == DLQ_OK && count > 1) {
        struct dlq_description description;
        TRY(dlq_model_describe(**models, &description, invocation->error));
        invocation->run.seed = description.seed;
        invocation->run.has_seed = true;
    }
    return status;
}

void dlq_config_write_word(FILE *stream, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+%@";
    bool quoted = word[0] == '\0' || word[strspn(word, plain)] != '\0';
    fputs(quoted ? "'" : "", stream);
    for (size_t length; *word != '\0'; word += length + (word[length] != '\0')) {
        length = strcspn(word, "'");
        dlq_text_put(stream, word, length);
        fputs(word[length] != '\0' ? "'\\''" : "", stream);
    }
    fputs(quoted ? "'" : "", stream);
}

/* Whether the key "section.key" or its section is among the words. */
static bool leaves_out(const char *words, const char *path)
{
    char section[32]; /* `words` has no longer name */
    snprintf(section, sizeof section, "%.*s", (int)strcspn(path, "."), path);
    return dlq_word_among(words, path) || dlq_word_among(words, section);
}

void dlq_config_write_arguments(FILE *stream, const struct dlq_invocation *invocation, const char *except)
{
    enum { MOST_NAMED = 8 };
    /* --log gives logs to commands that otherwise read a configuration. */
    bool logs = invocation->command->operands != DLQ_OPERANDS_CONFIGURATIONS ||
                invocation->operands == invocation->args->logs.words;
    bool named = !logs || invocation->operand_count <= MOST_NAMED;
    if (!named)
        fputs(" LOG...", stream);
    for (size_t i = 0; named && i < invocation->operand_count; i++) {
        fputc(' ', stream);
        if (strcmp(invocation->operands[i], "-") == 0)
            /* A pipe cannot be read again: print a placeholder. */
            fputs(logs ? "LOG" : "CONFIG", stream);
        else
            dlq_config_write_word(stream, invocation->operands[i]);
    }
    for (size_t i = 0; i < invocation->args->given_count; i++) {
        const struct dlq_given *given = &invocation->args->given[i];
        if (given->override != NULL ? leaves_out(except, given->override->path) : !given->arg->reads)
            continue;
        fprintf(stream, " --%s%s", given->arg->name, given->value != NULL ? " " : "");
        if (given->value != NULL)
            dlq_config_write_word(stream, given->value);
    }
}

void dlq_config_next(const struct dlq_invocation *invocation, const char *command, const char *except,
                     const char *extra)
{
    fprintf(invocation->out, "\n  next: dlqueue %s", command);
    dlq_config_write_arguments(invocation->out, invocation, except);
    fprintf(invocation->out, "%s%s\n", extra[0] != '\0' ? " " : "", extra);
}

bool dlq_config_setting(const struct dlq_model *model, const char *section, const char *key,
                        struct dlq_setting *setting)
{
    for (size_t i = 0; dlq_model_setting(model, i, setting); i++)
        if (strcmp(setting->section, section) == 0 && strcmp(setting->key, key) == 0)
            return true;
    return false;
}

enum dlq_status dlq_inputs_check(const struct dlq_invocation *invocation, bool to_file)
{
    const struct dlq_args *args = invocation->args;
    const enum dlq_operands operands = invocation->command->operands;
    bool reads = operands != DLQ_OPERANDS_WORDS && operands != DLQ_OPERANDS_PROGRAM;
    size_t from_input = 0;
    const char *const outputs[][2] = {{"--output: ", to_file ? args->output : NULL},
                                      {"--animate: ", args->animate},
                                      {"--chrome: ", args->chrome},
                                      {"--report: ", args->page}};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (outputs[i][1] != NULL && strcmp(outputs[i][1], "-") != 0)
            TRY(register_path(invocation, outputs[i][0], 0, "", outputs[i][1]));
    for (size_t i = 0; reads && i < invocation->operand_count + args->logs.count; i++) {
        bool log = i >= invocation->operand_count; /* of --log, --after or --also */
        const char *path = log ? args->logs.words[i - invocation->operand_count] : invocation->operands[i];
        from_input += strcmp(path, "-") == 0;
        if (log || !invocation->command->rewrites)
            TRY(register_path(invocation, NULL, 0, "", path));
    }
    if (reads && args->table != NULL) {
        from_input += strcmp(args->table, "-") == 0;
        TRY(register_path(invocation, NULL, 0, "", args->table));
    }
    return from_input > 1 ? dlq_error_add(invocation->error, DLQ_INVALID, "-: standard input can be read once only")
                          : DLQ_OK;
}

enum dlq_status dlq_inputs_check_product(const struct dlq_invocation *invocation, const char *path)
{
    return register_path(invocation, "", 0, "", path);
}
