#include "inputs.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Devices and pipes may be both. */
static bool is_same(const struct stat *output, const char *input)
{
    struct stat entry;
    int found = strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &entry) : stat(input, &entry);
    return found == 0 && S_ISREG(entry.st_mode) && entry.st_dev == output->st_dev && entry.st_ino == output->st_ino;
}

/* The first of them that is the file called name; null: none. */
static const char *find_same(const struct stat *output, const char *const *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_same(output, inputs[i]))
            return inputs[i];
    return NULL;
}

static enum dlq_status check(const struct dlq_session *session, const char *option, const char *name)
{
    struct stat output;
    if (name == NULL || stat(name, &output) != 0)
        return DLQ_OK;
    const char *same = find_same(&output, session->operands, session->operand_count);
    if (same == NULL)
        same = find_same(&output, session->args->logs, session->args->log_count);
    if (same == NULL)
        return DLQ_OK;
    return dlq_error_add(session->error, DLQ_INVALID, "--%s: %s is read too%s; choose another name", option, name,
                         strcmp(same, "-") == 0 ? ", from standard input" : "");
}

enum dlq_status dlq_inputs_check(const struct dlq_session *session)
{
    const struct dlq_args *args = session->args;
    const struct {
        const char *option, *name;
    } outputs[] = {
        {"output", session->command->rewrites ? NULL : args->output},
        {"animate", args->animate},
        {"chrome", args->chrome},
    };
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        enum dlq_status status = check(session, outputs[i].option, outputs[i].name);
        if (status != DLQ_OK)
            return status;
    }
    return DLQ_OK;
}
