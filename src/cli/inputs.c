/* What a command reads: models from files, standard input and options; what it must not overwrite. */
#include "inputs.h"
#include "draw/text.h"
#include "moved_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- what is read -- */

/* A pipe without a writer must not keep us waiting: it is opened at once, and is empty. */
enum dlq_status dlq_config_open(const char *path, FILE **stream, struct dlq_error *error)
{
    struct stat entry;
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
        return dlq_error_memory(error, "opening a file");
    bool unlucky = reason == EMFILE || reason == ENFILE || reason == EIO;
    return dlq_error_add(error, unlucky ? DLQ_FAILURE : DLQ_INVALID, "cannot read %s: %s", path, strerror(reason));
}

static enum dlq_status read_file(struct dlq_invocation *session, const char *path, struct dlq_model **model)
{
    bool standard_input = strcmp(path, "-") == 0;
    if (standard_input && isatty(STDIN_FILENO) == 1 && !session->args->quiet)
        fprintf(stderr, "dlqueue: reading a configuration from the terminal; Ctrl-D ends it\n");
    FILE *stream = stdin;
    enum dlq_status status = standard_input ? DLQ_OK : dlq_config_open(path, &stream, session->error);
    if (status != DLQ_OK)
        return status;
    status = dlq_model_read(model, path, stream, session->error);
    if (!standard_input)
        fclose(stream);
    return status;
}

static bool read_before(const struct dlq_invocation *session, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(session->operands[i], "-") == 0)
            return true;
    return false;
}

static enum dlq_status begin(struct dlq_invocation *session, size_t index, struct dlq_model **model)
{
    const char *name = session->command->name;
    if (*session->run.interrupted != 0)
        return dlq_error_add(session->error, DLQ_INTERRUPTED, "interrupted");
    if (index < session->operand_count && strcmp(session->operands[index], "-") == 0 && read_before(session, index))
        return dlq_error_add(session->error, DLQ_INVALID, "-: standard input can be read once only");
    if (index < session->operand_count)
        return read_file(session, session->operands[index], model);
    if (session->args->override_count == 0)
        return dlq_error_add(
            session->error, DLQ_INVALID,
            "%s needs a configuration (dlqueue %s my.ini; dlqueue init writes one) or options: dlqueue "
            "%s --loaders 8 --load 700ms --step 100ms",
            name, name, name);
    return dlq_model_new(model, session->error);
}

enum dlq_status dlq_config_read(struct dlq_invocation *session, size_t index, struct dlq_model **model)
{
    return dlq_config_read_completed(session, index, NULL, model);
}

enum dlq_status dlq_config_read_completed(struct dlq_invocation *session, size_t index,
                                          enum dlq_status (*complete)(struct dlq_model *model, struct dlq_error *error),
                                          struct dlq_model **model)
{
    struct dlq_model *read = NULL;
    enum dlq_status status = begin(session, index, &read);
    for (size_t i = 0; read != NULL && i < session->args->override_count; i++) {
        const struct dlq_override *override = &session->args->overrides[i];
        enum dlq_status set =
            dlq_model_set_from(read, override->origin, override->path, override->value, session->error);
        status = status == DLQ_OK ? set : status;
    }
    if (read != NULL && complete != NULL && status != DLQ_FAILURE) {
        enum dlq_status completed = complete(read, session->error);
        status = status == DLQ_OK ? completed : status;
    }
    if (read != NULL && status != DLQ_FAILURE) {
        enum dlq_status check = dlq_model_check(read, session->error);
        status = status == DLQ_OK ? check : status;
        if (status == DLQ_OK)
            status = dlq_inputs_check_measured(session, read,
                                               index < session->operand_count ? session->operands[index] : NULL);
    }
    if (status == DLQ_OK)
        *model = read;
    else
        dlq_model_free(read);
    return status;
}

static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+%@";
    return strspn(word, plain) == strlen(word);
}

static void write_quoted(FILE *stream, const char *text)
{
    for (;;) {
        size_t length = strcspn(text, "'");
        dlq_text_put(stream, text, length);
        if (text[length] == '\0')
            return;
        fputs("'\\''", stream);
        text += length + 1;
    }
}

void dlq_config_write_word(FILE *stream, const char *word)
{
    if (word[0] != '\0' && is_plain(word)) {
        fputs(word, stream);
        return;
    }
    fputc('\'', stream);
    write_quoted(stream, word);
    fputc('\'', stream);
}

static void write_override(FILE *stream, const struct dlq_override *override)
{
    if (strncmp(override->origin, "--set", 5) != 0) {
        fprintf(stream, " %s ", override->origin);
        dlq_config_write_word(stream, override->value);
        return;
    }
    if (is_plain(override->path) && is_plain(override->value)) {
        fprintf(stream, " --set %s=%s", override->path, override->value);
        return;
    }
    fputs(" --set '", stream);
    write_quoted(stream, override->path);
    fputc('=', stream);
    write_quoted(stream, override->value);
    fputc('\'', stream);
}

void dlq_config_write_arguments(FILE *stream, const struct dlq_invocation *session, const char *except)
{
    for (size_t i = 0; i < session->operand_count; i++) {
        fputc(' ', stream);
        if (strcmp(session->operands[i], "-") == 0)
            /* What came in by a pipe is gone: what the command calls its arguments. */
            fputs(strncmp(session->command->arguments, "LOG", 3) == 0 ? "LOG" : "CONFIG", stream);
        else
            dlq_config_write_word(stream, session->operands[i]);
    }
    for (size_t i = 0; i < session->args->override_count; i++)
        if (!dlq_word_among(except, session->args->overrides[i].path))
            write_override(stream, &session->args->overrides[i]);
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

/* -- what must not be written -- */

/* What is written; the name is null where it is not. */
struct output {
    const char *option, *name;
};
enum { OUTPUTS = 3, MOST_PATH = 4300 };

static void list_outputs(const struct dlq_args *args, struct output outputs[OUTPUTS])
{
    outputs[0] = (struct output){"output", args->output};
    outputs[1] = (struct output){"animate", args->animate};
    outputs[2] = (struct output){"chrome", args->chrome};
}

/* Devices and pipes may be both. */
static bool is_same(const char *output, const char *input)
{
    struct stat written, read;
    if (output == NULL || stat(output, &written) != 0 || !S_ISREG(written.st_mode))
        return false;
    int found = strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &read) : stat(input, &read);
    return found == 0 && written.st_dev == read.st_dev && written.st_ino == read.st_ino;
}

/* DLQ_INVALID where an output is the file called input. */
static enum dlq_status check_input(const struct dlq_invocation *session, const char *input, size_t first)
{
    struct output outputs[OUTPUTS];
    list_outputs(session->args, outputs);
    for (size_t i = first; i < OUTPUTS; i++)
        if (is_same(outputs[i].name, input))
            return dlq_error_add(session->error, DLQ_INVALID, "--%s: %s is read too%s; choose another name",
                                 outputs[i].option, outputs[i].name,
                                 strcmp(input, "-") == 0 ? ", from standard input" : "");
    return DLQ_OK;
}

/* Two results in one file: the first would be lost. */
static enum dlq_status check_outputs(const struct dlq_invocation *session)
{
    struct output outputs[OUTPUTS];
    list_outputs(session->args, outputs);
    for (size_t i = 1; i < OUTPUTS; i++)
        for (size_t k = 0; k < i; k++) {
            const char *one = outputs[i].name, *other = outputs[k].name;
            bool both = one != NULL && other != NULL && strcmp(one, "-") != 0;
            if (both && (strcmp(one, other) == 0 || is_same(one, other)))
                return dlq_error_add(session->error, DLQ_INVALID, "--%s and --%s name the same file, %s",
                                     outputs[k].option, outputs[i].option, one);
        }
    return DLQ_OK;
}

static bool reads_operands(const struct dlq_command *command)
{
    return strstr(command->arguments, "CONFIG") != NULL || strstr(command->arguments, "LOG") != NULL;
}

enum dlq_status dlq_inputs_check(const struct dlq_invocation *session)
{
    const struct dlq_args *args = session->args;
    size_t first = session->command->rewrites ? 1 : 0;
    enum dlq_status status = check_outputs(session);
    for (size_t i = 0; i < session->operand_count && reads_operands(session->command) && status == DLQ_OK; i++)
        status = check_input(session, session->operands[i], first);
    for (size_t i = 0; i < args->log_count && status == DLQ_OK; i++)
        status = check_input(session, args->logs[i], 0);
    return status;
}

static enum dlq_status remember(struct dlq_invocation *session, const char *path)
{
    char **measured = realloc(session->measured, (session->measured_count + 1) * sizeof *measured);
    char *copy = strdup(path);
    if (measured != NULL)
        session->measured = measured;
    if (measured == NULL || copy == NULL) {
        free(copy);
        return dlq_error_memory(session->error, "reading a configuration");
    }
    session->measured[session->measured_count++] = copy;
    return DLQ_OK;
}

enum dlq_status dlq_inputs_check_measured(struct dlq_invocation *session, const struct dlq_model *model,
                                          const char *config)
{
    struct dlq_setting setting;
    enum dlq_status status = DLQ_OK;
    const char *slash = config != NULL ? strrchr(config, '/') : NULL;
    for (size_t i = 0; status == DLQ_OK && dlq_model_setting(model, i, &setting); i++) {
        char path[MOST_PATH];
        int directory = slash != NULL && setting.value[0] != '/' ? (int)(slash - config) + 1 : 0;
        if (!dlq_setting_is_file(&setting))
            continue;
        snprintf(path, sizeof path, "%.*s%s", directory, directory > 0 ? config : "", setting.value);
        status = check_input(session, path, 0);
        if (status == DLQ_OK)
            status = remember(session, path);
    }
    return status;
}

/* --output may be the directory of the product, or the product itself, unless it is a file beside. */
static enum dlq_status check_apart(const struct dlq_invocation *session, const char *path)
{
    struct output outputs[OUTPUTS];
    list_outputs(session->args, outputs);
    for (size_t i = session->command->target == DLQ_TARGET_BESIDE ? 0 : 1; i < OUTPUTS; i++)
        if (outputs[i].name != NULL && (strcmp(outputs[i].name, path) == 0 || is_same(outputs[i].name, path)))
            return dlq_error_add(session->error, DLQ_INVALID, "--%s: %s is one of the charts too; choose another name",
                                 outputs[i].option, path);
    return DLQ_OK;
}

enum dlq_status dlq_inputs_check_product(const struct dlq_invocation *session, const char *path)
{
    const struct dlq_args *args = session->args;
    bool read = false;
    enum dlq_status status = check_apart(session, path);
    if (status != DLQ_OK)
        return status;
    for (size_t i = 0; i < session->operand_count && reads_operands(session->command) && !read; i++)
        read = is_same(path, session->operands[i]);
    for (size_t i = 0; i < args->log_count && !read; i++)
        read = is_same(path, args->logs[i]);
    for (size_t i = 0; i < session->measured_count && !read; i++)
        read = is_same(path, session->measured[i]);
    if (!read)
        return DLQ_OK;
    return dlq_error_add(session->error, DLQ_INVALID,
                         "%s is read, and would be written too; choose another directory (--output)", path);
}

void dlq_inputs_free(struct dlq_invocation *session)
{
    for (size_t i = 0; i < session->measured_count; i++)
        free(session->measured[i]);
    free(session->measured);
    session->measured = NULL;
    session->measured_count = 0;
}
