/* What a command reads: models from files, standard input and options; what it must not overwrite. */
#include "command.h"
#include "draw/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- what must not be written -- */

/* A file that is read, or written: then what says so ("--output: ", "" of a name that we made up). */
struct dlq_use {
    const struct dlq_use *next;
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

/* The file "DIRECTORYname" is used: DLQ_INVALID where it is written, and read or written too. */
static enum dlq_status use(const struct dlq_invocation *session, const char *writer, int length, const char *directory,
                           const char *name)
{
    size_t size = (size_t)length + strlen(name) + 1;
    struct dlq_use *used = dlq_arena_take(&session->call->arena, 1, sizeof *used + size);
    if (used == NULL)
        return dlq_error_memory(session->error, session->call->arena.doing);
    snprintf(used->path, size, "%.*s%s", length, directory, name);
    used->writer = writer;
    for (const struct dlq_use *other = session->call->uses; other != NULL; other = other->next) {
        const struct dlq_use *written = writer != NULL ? used : other, *rest = writer != NULL ? other : used;
        if (written->writer != NULL && dlq_input_is_same(used->path, other->path))
            return dlq_error_add(session->error, DLQ_INVALID, "%s%s is %s too%s; choose another name", written->writer,
                                 written->path, rest->writer != NULL ? "written" : "read",
                                 strcmp(rest->path, "-") == 0 ? ", from standard input" : "");
    }
    used->next = session->call->uses;
    session->call->uses = used;
    return DLQ_OK;
}

/* -- what is read -- */

/* A pipe without a writer must not keep us waiting: it is opened at once, and is empty. */
enum dlq_status dlq_input_open(const struct dlq_invocation *session, const char *path, const char *what, FILE **stream)
{
    struct stat entry;
    *stream = stdin;
    if (strcmp(path, "-") == 0) {
        if (isatty(STDIN_FILENO) == 1)
            dlq_tell(session, "reading a %s from the terminal; Ctrl-D ends it", what);
        return DLQ_OK;
    }
    FILE *opened = NULL;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &entry) == 0) {
        if (S_ISDIR(entry.st_mode))
            errno = EISDIR;
        else if (fcntl(fd, F_SETFL, 0) != -1)
            opened = fdopen(fd, "r");
    }
    if (opened != NULL) {
        *stream = opened;
        return DLQ_OK;
    }
    int reason = errno;
    if (fd >= 0)
        close(fd);
    if (reason == ENOMEM)
        return dlq_error_memory(session->error, "opening a file");
    bool unlucky = reason == EMFILE || reason == ENFILE || reason == EIO;
    bool lacks = reason == ENOENT && path[0] != '\0' && strcmp(what, "configuration") == 0;
    return dlq_error_add(session->error, unlucky ? DLQ_FAILURE : DLQ_INVALID, "cannot read %s: %s%s%s%s", path,
                         strerror(reason), lacks ? " (dlqueue init > " : "", lacks ? path : "",
                         lacks ? " writes one to start from)" : "");
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

enum dlq_status dlq_config_read(struct dlq_invocation *session, size_t index,
                                enum dlq_status (*complete)(struct dlq_model *model, struct dlq_error *error),
                                struct dlq_model **model)
{
    struct dlq_model *read = NULL;
    struct dlq_setting setting;
    struct dlq_error *error = session->error;
    const char *name = session->command->name, *path = index < session->operand_count ? session->operands[index] : NULL;
    int before = error->count;
    enum dlq_status status = DLQ_OK;
    if (*session->run.interrupted != 0)
        return dlq_error_add(error, DLQ_INTERRUPTED, "interrupted");
    if (path != NULL) {
        FILE *stream;
        TRY(dlq_input_open(session, path, "configuration", &stream));
        status = dlq_model_read(&read, path, stream, error);
        dlq_input_close(stream);
    } else if (session->args->override_count == 0) {
        return dlq_error_add(error, DLQ_INVALID,
                             "%s needs a configuration (dlqueue %s my.ini; dlqueue init writes one) or options: "
                             "dlqueue %s --loaders 8 --load 700ms --step 100ms",
                             name, name, name);
    } else {
        status = dlq_model_new(&read, error);
    }
    if (read == NULL)
        return status;
    TRY(dlq_keep(session, read, dlq_model_release));
    for (size_t i = 0; i < session->args->override_count; i++) {
        const struct dlq_override *override = &session->args->overrides[i];
        dlq_model_set_from(read, override->origin, override->path, override->value, error);
    }
    if (complete != NULL && status != DLQ_FAILURE)
        complete(read, error);
    if (status != DLQ_FAILURE)
        dlq_model_check(read, error);
    if (error->count > before)
        return status != DLQ_OK ? status : error->status;
    *model = read;
    /* Measured times, whose names count from where the configuration lies, must not be written. */
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    for (size_t i = 0; dlq_model_setting(read, i, &setting); i++)
        if (strcmp(setting.key, "file") == 0 && setting.value[0] != '\0')
            TRY(use(session, NULL, slash != NULL && setting.value[0] != '/' ? (int)(slash - path) + 1 : 0,
                    slash != NULL ? path : "", setting.value));
    return DLQ_OK;
}

enum dlq_status dlq_configs_read(struct dlq_invocation *session, struct dlq_model ***models, size_t count)
{
    enum dlq_status status = DLQ_OK;
    *models = dlq_arena_take(&session->call->arena, count, sizeof(struct dlq_model *));
    if (*models == NULL)
        return dlq_error_memory(session->error, session->call->arena.doing);
    for (size_t i = 0; i < count; i++) {
        enum dlq_status read = dlq_config_read(session, i, NULL, *models + i);
        status = status == DLQ_OK ? read : status;
    }
    if (status == DLQ_OK && count > 1) {
        struct dlq_description description;
        TRY(dlq_model_describe(**models, &description, session->error));
        session->run.seed = description.seed;
        session->run.has_seed = true;
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

void dlq_config_write_arguments(FILE *stream, const struct dlq_invocation *session, const char *except)
{
    enum { MOST_NAMED = 8 };
    /* Also those of --log, of a command that else takes a configuration. */
    bool log = strstr(session->command->arguments, "CONFIG") == NULL || session->operands == session->args->logs.words;
    bool named = !log || session->operand_count <= MOST_NAMED;
    if (!named)
        fputs(" LOG...", stream);
    for (size_t i = 0; named && i < session->operand_count; i++) {
        fputc(' ', stream);
        if (strcmp(session->operands[i], "-") == 0)
            /* What came in by a pipe is gone: what the command calls its arguments. */
            fputs(log ? "LOG" : "CONFIG", stream);
        else
            dlq_config_write_word(stream, session->operands[i]);
    }
    for (size_t i = 0; i < session->args->given_count; i++) {
        const struct dlq_given *given = &session->args->given[i];
        if (given->override != NULL ? dlq_word_among(except, given->override->path) : !given->arg->reads)
            continue;
        fprintf(stream, " --%s%s", given->arg->name, given->value != NULL ? " " : "");
        if (given->value != NULL)
            dlq_config_write_word(stream, given->value);
    }
}

void dlq_config_next(const struct dlq_invocation *session, const char *command, const char *except, const char *extra)
{
    fprintf(session->out, "\n  next: dlqueue %s", command);
    dlq_config_write_arguments(session->out, session, except);
    fprintf(session->out, "%s%s\n", extra[0] != '\0' ? " " : "", extra);
}

bool dlq_config_setting(const struct dlq_model *model, const char *section, const char *key,
                        struct dlq_setting *setting)
{
    for (size_t i = 0; dlq_model_setting(model, i, setting); i++)
        if (strcmp(setting->section, section) == 0 && strcmp(setting->key, key) == 0)
            return true;
    return false;
}

enum dlq_status dlq_inputs_check(const struct dlq_invocation *session, bool to_file)
{
    const struct dlq_args *args = session->args;
    const char *arguments = session->command->arguments;
    bool reads = !session->command->runs && strcmp(arguments, "[NAME]") != 0 && strcmp(arguments, "[TOPIC]") != 0;
    size_t from_input = 0;
    const char *const outputs[][2] = {{"--output: ", to_file ? args->output : NULL},
                                      {"--animate: ", args->animate},
                                      {"--chrome: ", args->chrome},
                                      {"--report: ", args->page}};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (outputs[i][1] != NULL && strcmp(outputs[i][1], "-") != 0)
            TRY(use(session, outputs[i][0], 0, "", outputs[i][1]));
    for (size_t i = 0; reads && i < session->operand_count + args->logs.count; i++) {
        bool log = i >= session->operand_count; /* of --log, --after or --also */
        const char *path = log ? args->logs.words[i - session->operand_count] : session->operands[i];
        from_input += strcmp(path, "-") == 0;
        if (log || !session->command->rewrites)
            TRY(use(session, NULL, 0, "", path));
    }
    return from_input > 1 ? dlq_error_add(session->error, DLQ_INVALID, "-: standard input can be read once only")
                          : DLQ_OK;
}

enum dlq_status dlq_inputs_check_product(const struct dlq_invocation *session, const char *path)
{
    return use(session, "", 0, "", path);
}
