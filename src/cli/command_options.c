/* Which options a command takes, and what they mean to it. */
#include "command.h"

#include <string.h>

static bool takes_key(const struct dlq_command *command, const char *path)
{
    for (const char *const *key = command->keys; *key != NULL; key++)
        if (strncmp(path, *key, strlen(*key)) == 0)
            return true;
    return false;
}

bool dlq_command_takes(const struct dlq_command *command, const struct dlq_arg *arg)
{
    if (command == NULL)
        return true;
    if ((strcmp(arg->name, "csv") == 0 && !command->has_table) ||
        (strcmp(arg->name, "json") == 0 && !command->has_object))
        return false;
    if (arg->path != NULL && command->keys != NULL && !takes_key(command, arg->path))
        return false;
    return arg->only == NULL || dlq_word_among(arg->only, command->name);
}

static const char *const outputs[] = {
    [DLQ_TARGET_FILE] = "write the result to this file",
    [DLQ_TARGET_NEW_FILE] = "write to this file, which must not exist yet",
    [DLQ_TARGET_DIRECTORY] = "write the charts and the CSV file to this directory",
    [DLQ_TARGET_CHARTS] = "write the result to this file; with --plot: the charts to this directory",
    [DLQ_TARGET_BESIDE] = "write the configuration to this file; with --json: the result",
    [DLQ_TARGET_PICTURES] = "draw into this directory, or this file (run.png); with --json, --csv: the result",
};

const char *dlq_command_option_help(const struct dlq_command *command, const struct dlq_arg *arg)
{
    return command != NULL && strcmp(arg->name, "output") == 0 ? outputs[command->target] : arg->help;
}
