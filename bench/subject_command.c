#include "child.h"
#include "subject.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 64 };

/* `dlqueue sweep [CONFIG] --set ...`, or `dlqueue timeline --until ...`, its charts in a directory that is removed at
 * the end. */
struct command {
    char *directory, *settings, threads[16];
    const char *arguments[MOST_ARGUMENTS]; /* null-terminated */
    size_t count;
};

static void remove_files(const char *directory)
{
    char path[4096];
    DIR *entries = opendir(directory);
    if (entries == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        int length = snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (length < (int)sizeof path && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(path);
    }
    closedir(entries);
}

static void command_end(void *state)
{
    struct command *command = state;
    if (command->directory != NULL) {
        remove_files(command->directory);
        rmdir(command->directory);
    }
    free(command->directory);
    free(command->settings);
    free(command);
}

static enum dlq_status make_directory(struct command *command, struct dlq_error *error)
{
    static const char name[] = "/dlqueue-bench-XXXXXX";
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || *parent == '\0')
        parent = "/tmp";
    size_t size = strlen(parent) + sizeof name;
    char *directory = malloc(size);
    if (directory == NULL)
        return dlq_error_memory(error, "setting up a command");
    snprintf(directory, size, "%s%s", parent, name);
    if (mkdtemp(directory) == NULL) {
        free(directory);
        return dlq_error_add(error, DLQ_FAILURE, "no directory for charts in %s: %s", parent, strerror(errno));
    }
    command->directory = directory;
    return DLQ_OK;
}

/* What does not fit is left out, and the command then lacks a value: no row comes near it. */
static void add(struct command *command, const char *argument)
{
    if (argument != NULL && command->count + 1 < MOST_ARGUMENTS)
        command->arguments[command->count++] = argument;
}

static enum dlq_status add_settings(struct command *command, const char *settings, struct dlq_error *error)
{
    char *rest = NULL;
    if (settings == NULL)
        return DLQ_OK;
    command->settings = strdup(settings);
    if (command->settings == NULL)
        return dlq_error_memory(error, "setting up a command");
    for (char *word = strtok_r(command->settings, ";", &rest); word != NULL; word = strtok_r(NULL, ";", &rest)) {
        word += strspn(word, " ");
        if (*word == '\0')
            continue;
        add(command, "--set");
        add(command, word);
    }
    return DLQ_OK;
}

static enum dlq_status command_begin(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                     struct dlq_error *error)
{
    struct command *command = calloc(1, sizeof *command);
    if (command == NULL)
        return dlq_error_memory(error, "setting up a command");
    enum dlq_status status = make_directory(command, error);
    if (status == DLQ_OK) {
        snprintf(command->threads, sizeof command->threads, "%d", setup->threads > 0 ? setup->threads : run->threads);
        const bool timeline = setup->until != NULL;
        const char *const fixed[] = {DLQ_COMMAND,
                                     timeline ? "timeline" : "sweep",
                                     "--quiet",
                                     "--output",
                                     command->directory,
                                     "--threads",
                                     command->threads,
                                     setup->detail,
                                     timeline ? "--until" : NULL,
                                     setup->until};
        for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
            add(command, fixed[i]);
        status = add_settings(command, setup->settings, error);
    }
    if (status == DLQ_OK)
        *state = command;
    else
        command_end(command);
    return status;
}

static enum dlq_status command_piece(void *state, double *amount, struct dlq_error *error)
{
    const struct command *command = state;
    struct bench_child child;
    enum dlq_status status = bench_child_start(&child, command->arguments, false, error);
    if (status == DLQ_OK)
        status = bench_child_wait(&child, error);
    if (status == DLQ_OK)
        *amount = 1;
    return status;
}

const struct bench_kind bench_command = {command_begin, command_piece, command_end};
