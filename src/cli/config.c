#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe without a writer must not keep us waiting: it is opened at once, and is empty. */
FILE *dlq_config_open(const char *path, struct dlq_error *error)
{
    struct stat entry;
    FILE *stream = NULL;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &entry) == 0) {
        if (S_ISDIR(entry.st_mode))
            errno = EISDIR;
        else if (fcntl(fd, F_SETFL, 0) != -1)
            stream = fdopen(fd, "r");
    }
    if (stream != NULL)
        return stream;
    dlq_error_add(error, DLQ_INVALID, "cannot read %s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return NULL;
}

static enum dlq_status read_file(struct dlq_session *session, const char *path, struct dlq_model **model)
{
    bool standard_input = strcmp(path, "-") == 0;
    if (standard_input && isatty(STDIN_FILENO) == 1 && !session->args->quiet)
        fprintf(stderr, "dlqueue: reading a configuration from the terminal; Ctrl-D ends it\n");
    FILE *stream = standard_input ? stdin : dlq_config_open(path, session->error);
    if (stream == NULL)
        return DLQ_INVALID;
    enum dlq_status status = dlq_model_read(model, path, stream, session->error);
    if (!standard_input)
        fclose(stream);
    return status;
}

static bool read_before(const struct dlq_session *session, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(session->operands[i], "-") == 0)
            return true;
    return false;
}

static enum dlq_status begin(struct dlq_session *session, size_t index, struct dlq_model **model)
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

enum dlq_status dlq_config_read(struct dlq_session *session, size_t index, struct dlq_model **model)
{
    return dlq_config_read_completed(session, index, NULL, model);
}

enum dlq_status dlq_config_read_completed(struct dlq_session *session, size_t index,
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
    }
    if (status == DLQ_OK)
        *model = read;
    else
        dlq_model_free(read);
    return status;
}

/* A word for a shell, in quotes where it needs them. */
static void quote(FILE *stream, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+%@";
    if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
        fputs(word, stream);
        return;
    }
    fputc('\'', stream);
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            fputs("'\\''", stream);
        else
            fputc((unsigned char)*word < ' ' ? '?' : *word, stream);
    }
    fputc('\'', stream);
}

static void write_override(FILE *stream, const struct dlq_override *override)
{
    if (strncmp(override->origin, "--set", 5) != 0) {
        fprintf(stream, " %s ", override->origin);
        quote(stream, override->value);
        return;
    }
    fprintf(stream, " --set ");
    char *text = malloc(strlen(override->path) + strlen(override->value) + 2);
    if (text != NULL) {
        sprintf(text, "%s=%s", override->path, override->value);
        quote(stream, text);
    }
    free(text);
}

/* What the command calls its arguments. */
static const char *stand_in(const struct dlq_session *session)
{
    return strncmp(session->command->arguments, "LOG", 3) == 0 ? "LOG" : "CONFIG";
}

char *dlq_config_arguments(const struct dlq_session *session, const char *except)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    for (size_t i = 0; i < session->operand_count; i++) {
        fputc(' ', stream);
        if (strcmp(session->operands[i], "-") == 0)
            fputs(stand_in(session), stream); /* what came in by a pipe is gone */
        else
            quote(stream, session->operands[i]);
    }
    for (size_t i = 0; i < session->args->override_count; i++)
        if (!dlq_word_among(except, session->args->overrides[i].path))
            write_override(stream, &session->args->overrides[i]);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

void dlq_config_next(const struct dlq_session *session, const char *command, const char *except, const char *extra)
{
    char *arguments = dlq_config_arguments(session, except);
    if (arguments != NULL)
        fprintf(session->out, "\n  next: dlqueue %s%s%s%s\n", command, arguments, extra[0] != '\0' ? " " : "", extra);
    free(arguments);
}

bool dlq_config_setting(const struct dlq_model *model, const char *section, const char *key,
                        struct dlq_setting *setting)
{
    for (size_t i = 0; dlq_model_setting(model, i, setting); i++)
        if (strcmp(setting->section, section) == 0 && strcmp(setting->key, key) == 0)
            return true;
    return false;
}
