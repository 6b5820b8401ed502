#include "child.h"
#include "subject.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* `dlqueue sweep CONFIG`, its charts in a directory that is removed at the end. */
struct command {
    const char *configuration;
    char directory[32], threads[16];
};

static enum dlq_status command_begin(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                     struct dlq_error *error)
{
    struct command *command = calloc(1, sizeof *command);
    if (command == NULL)
        return dlq_error_memory(error, "setting up a command");
    command->configuration = setup->detail;
    snprintf(command->threads, sizeof command->threads, "%d", run->threads);
    strcpy(command->directory, "/tmp/dlqueue-bench-XXXXXX");
    if (mkdtemp(command->directory) == NULL) {
        free(command);
        return dlq_error_add(error, DLQ_FAILURE, "no directory for charts: %s", strerror(errno));
    }
    *state = command;
    return DLQ_OK;
}

static enum dlq_status command_piece(void *state, double *amount, struct dlq_error *error)
{
    const struct command *command = state;
    const char *const arguments[] = {
        DLQ_COMMAND,        "sweep",     command->configuration, "--quiet", "--output",
        command->directory, "--threads", command->threads,       NULL,
    };
    struct bench_child child;
    enum dlq_status status = bench_child_start(&child, arguments, false, error);
    if (status == DLQ_OK)
        status = bench_child_wait(&child, error);
    if (status == DLQ_OK)
        *amount = 1;
    return status;
}

static void remove_files(const char *directory)
{
    char path[512];
    DIR *entries = opendir(directory);
    if (entries == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        unlink(path);
    }
    closedir(entries);
}

static void command_end(void *state)
{
    struct command *command = state;
    remove_files(command->directory);
    rmdir(command->directory);
    free(command);
}

const struct bench_kind bench_command = {command_begin, command_piece, command_end};
