#include "inputs.h"

#include "config.h"
#include "moved_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
static enum dlq_status check_input(const struct dlq_session *session, const char *input, size_t first)
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
static enum dlq_status check_outputs(const struct dlq_session *session)
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

enum dlq_status dlq_inputs_check(const struct dlq_session *session)
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

static enum dlq_status remember(struct dlq_session *session, const char *path)
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

enum dlq_status dlq_inputs_check_measured(struct dlq_session *session, const struct dlq_model *model,
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
static enum dlq_status check_apart(const struct dlq_session *session, const char *path)
{
    struct output outputs[OUTPUTS];
    list_outputs(session->args, outputs);
    for (size_t i = session->command->target == DLQ_TARGET_BESIDE ? 0 : 1; i < OUTPUTS; i++)
        if (outputs[i].name != NULL && (strcmp(outputs[i].name, path) == 0 || is_same(outputs[i].name, path)))
            return dlq_error_add(session->error, DLQ_INVALID, "--%s: %s is one of the charts too; choose another name",
                                 outputs[i].option, path);
    return DLQ_OK;
}

enum dlq_status dlq_inputs_check_product(const struct dlq_session *session, const char *path)
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

void dlq_inputs_free(struct dlq_session *session)
{
    for (size_t i = 0; i < session->measured_count; i++)
        free(session->measured[i]);
    free(session->measured);
    session->measured = NULL;
    session->measured_count = 0;
}
