/* The program but for main: the command line, the files that it names, the command. */
#include "command.h"
#include "base/option.h"
#include "child.h"
#include "result_files.h"

#include <errno.h>
#include <gsl/gsl_version.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool dlq_command_takes(const struct dlq_command *command, const struct dlq_arg *arg)
{
    if (command == NULL)
        return true;
    if ((strcmp(arg->name, "csv") == 0 && command->no_table) || (strcmp(arg->name, "json") == 0 && command->no_object))
        return false;
    bool taken = arg->path == NULL || command->keys[0] == NULL || strstr(command->arguments, "CONFIG") != NULL;
    for (const char *const *key = command->keys; !taken && *key != NULL; key++)
        taken = strncmp(arg->path, *key, strlen(*key)) == 0 &&
                (arg->path[strlen(*key)] == '\0' || (*key)[strlen(*key) - 1] == '.');
    return taken && (arg->only == NULL || dlq_word_among(arg->only, command->name));
}

const struct dlq_command *dlq_command_find(const char *name)
{
    const struct dlq_command *command = dlq_commands;
    while (command->name != NULL && strcmp(command->name, name) != 0)
        command++;
    return command->name != NULL ? command : NULL;
}

bool dlq_command_runs(const char *name)
{
    const struct dlq_command *command = dlq_command_find(name);
    return command != NULL && command->runs;
}

enum dlq_status dlq_command_unknown(const char *name, struct dlq_error *error)
{
    struct dlq_nearest nearest = {.name = name};
    if (access(name, F_OK) == 0)
        return dlq_error_add(error, DLQ_INVALID, "'%s' is a file, not a command; did you mean: dlqueue solve %s", name,
                             name);
    for (const struct dlq_command *command = dlq_commands; command->name != NULL; command++)
        dlq_nearest_offer(&nearest, command->name);
    if (nearest.best != NULL)
        return dlq_error_add(error, DLQ_INVALID, "unknown command '%s'; did you mean %s?", name, nearest.best);
    return dlq_error_add(error, DLQ_INVALID, "unknown command '%s'; dlqueue --help lists them", name);
}

/* What the row allows. */
static enum dlq_status check_usage(const struct dlq_command *command, const struct dlq_args *args,
                                   struct dlq_error *error)
{
    const int before = error->count;
    const char *name = command->name;
    char path[128];
    if (args->operand_count > 1 + command->most_operands)
        dlq_error_add(error, DLQ_INVALID, "%s: '%s' is one argument too many (usage: dlqueue %s%s%s)", name,
                      args->operands[1 + command->most_operands], name, command->arguments[0] != '\0' ? " " : "",
                      command->arguments);
    if (args->csv && command->no_table)
        dlq_error_add(error, DLQ_INVALID, "%s: --csv: the result is not a table", name);
    if (args->json && command->no_object)
        dlq_error_add(error, DLQ_INVALID, "%s: --json: the result is for people", name);
    for (size_t i = 0; i < args->given_count; i++) {
        const struct dlq_arg *arg = args->given[i].arg;
        if (arg->only == NULL || dlq_word_among(arg->only, name))
            continue;
        bool key = arg->path == NULL && dlq_arg_key(arg->name, path, sizeof path);
        dlq_error_add(error, DLQ_INVALID, "%s: --%s is an option of: %s%s%s%s", name, arg->name, arg->only,
                      key ? "; write --set " : "", key ? path : "", key ? "=VALUE" : "");
    }
    return error->count > before ? DLQ_INVALID : DLQ_OK;
}

/* Flushes standard output; DLQ_FAILURE where anything written to it was lost. */
static enum dlq_status finish_output(struct dlq_error *error)
{
    bool failed = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) == 0 && !failed)
        return DLQ_OK;
    /* Where an earlier write failed its reason is gone. */
    int reason = errno != 0 ? errno : dlq_file_reason(STDOUT_FILENO);
    return dlq_error_add(error, DLQ_FAILURE, "write error on standard output: %s",
                         reason != 0 ? strerror(reason) : "what was written is lost");
}

/* Told in the result itself, with nothing that went wrong: a target that can't be met. */
static bool answered(enum dlq_status status, const struct dlq_error *error)
{
    return status == DLQ_NO_ANSWER && error->count == 0;
}

/* The command with its result going to a file that is there as a whole or not at all. */
static enum dlq_status run_to_file(struct dlq_invocation *session, const char *path)
{
    struct dlq_file *file;
    struct stat entry;
    struct dlq_error *error = session->error;
    if (session->command->target == DLQ_TARGET_NEW_FILE && lstat(path, &entry) == 0 && !S_ISCHR(entry.st_mode))
        return dlq_error_add(error, DLQ_FAILURE, "%s exists already and is not replaced; choose another name", path);
    TRY(dlq_result_begin(session, path, false, &file));
    session->out = file->stream;
    session->color = session->args->color == DLQ_COLOR_ALWAYS;
    enum dlq_status status = session->command->run(session);
    if (status == DLQ_FAILURE && ferror(file->stream) && error->count == 1 && strstr(error->text, path) == NULL) {
        char line[512]; /* what writes to a stream knows no name */
        snprintf(line, sizeof line, "%.*s", (int)sizeof line - 1, error->text);
        *error = (struct dlq_error){0};
        dlq_error_add(error, DLQ_FAILURE, "%s: %s", path, line);
    }
    bool part = status == DLQ_INTERRUPTED && session->part;
    if (status != DLQ_OK && !part && !answered(status, session->error))
        return status;
    TRY(dlq_file_commit(file, error));
    if (part)
        dlq_tell(session, "what was finished is in %s", path);
    else if (status == DLQ_OK && session->command->target == DLQ_TARGET_NEW_FILE && !session->args->json &&
             !session->args->quiet)
        fprintf(stderr, "next: dlqueue solve %s\n", path);
    return status;
}

struct dlq_kept {
    struct dlq_kept *next;
    void *object;
    void (*release)(void *object);
};

enum dlq_status dlq_keep(const struct dlq_invocation *session, void *object, void (*release)(void *object))
{
    struct dlq_kept *kept = dlq_arena_take(&session->call->arena, 1, sizeof *kept);
    if (kept == NULL) {
        release(object);
        return dlq_error_memory(session->error, session->call->arena.doing);
    }
    *kept = (struct dlq_kept){session->call->kept, object, release};
    session->call->kept = kept;
    return DLQ_OK;
}

void dlq_call_end(struct dlq_call *call)
{
    for (const struct dlq_kept *kept = call->kept; kept != NULL; kept = kept->next)
        kept->release(kept->object);
    dlq_arena_end(&call->arena);
}

/* *left: what a program has left that was run, of which the exit status is that; else it stays. */
static enum dlq_status run_command(const struct dlq_command *command, const struct dlq_args *args, int *left,
                                   struct dlq_error *error)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool colors = (none == NULL || none[0] == '\0') && terminal != NULL && strcmp(terminal, "dumb") != 0;
    struct dlq_call call = {.arena = {.error = error, .doing = "answering"}};
    struct dlq_invocation session = {
        .command = command,
        .args = args,
        .operands = args->operands + 1,
        .operand_count = args->operand_count - 1,
        .out = stdout,
        .color =
            args->color == DLQ_COLOR_ALWAYS || (args->color == DLQ_COLOR_AUTO && colors && isatty(STDOUT_FILENO) == 1),
        .run = {.threads = (int)args->threads, .interrupted = dlq_interrupt_flag()},
        .error = error,
        .call = &call,
    };
    TRY(check_usage(command, args, error));
    session.run.progress = &session.progress;
    dlq_interrupt_install();
    enum dlq_target target = command->target;
    bool itself = target == DLQ_TARGET_DIRECTORY || target == DLQ_TARGET_PAGE || target == DLQ_TARGET_TRACE ||
                  (target == DLQ_TARGET_CHARTS && args->plot) || (target == DLQ_TARGET_BESIDE && !args->json) ||
                  (target == DLQ_TARGET_PICTURES && !args->json && !args->csv);
    bool named = args->output != NULL && strcmp(args->output, "-") != 0, to_file = named && !itself;
    bool is_file = to_file || target == DLQ_TARGET_BESIDE || target == DLQ_TARGET_PAGE || target == DLQ_TARGET_TRACE;
    enum dlq_status status = dlq_inputs_check(&session, is_file);
    if (status == DLQ_OK)
        status = to_file ? run_to_file(&session, args->output) : command->run(&session);
    dlq_call_end(&call);
    *left = session.has_left ? session.left : *left;
    return status;
}

int dlq_command_main(int argc, char *const argv[])
{
    struct dlq_args args;
    struct dlq_error error = {0};
    int left = -1;
    enum dlq_status status = dlq_args_parse(argc, argv, &args, &error);
    const struct dlq_command *command = args.operand_count > 0 ? dlq_command_find(args.operands[0]) : NULL;
    if (args.help && (args.operand_count == 0 || command != NULL)) {
        error = (struct dlq_error){0};
        status = DLQ_OK;
        dlq_help_write(stdout, command);
    } else if (args.version && status == DLQ_OK) {
        printf("dlqueue %s (gsl %s, jansson %s)\n", DLQ_VERSION, gsl_version, jansson_version_str());
    } else if (args.operand_count == 0 && status == DLQ_OK) {
        status = DLQ_INVALID;
        fprintf(stderr, "usage: dlqueue COMMAND [options] [arguments]\n\n  %s\n\ncommands:", dlq_help_examples[0].line);
        for (const struct dlq_command *each = dlq_commands; each->name != NULL; each++)
            fprintf(stderr, "%s %s", each > dlq_commands ? "," : "", each->name);
        fprintf(stderr, "\ndlqueue --help says more\n");
    } else if (args.operand_count > 0 && command == NULL) {
        status = dlq_command_unknown(args.operands[0], &error);
    } else if (status == DLQ_OK) {
        status = run_command(command, &args, &left, &error);
    }
    bool whole = status == DLQ_OK || answered(status, &error);
    enum dlq_status written = finish_output(&error);
    if (whole && written != DLQ_OK)
        status = written;
    int signal_number = *dlq_interrupt_flag();
    /* Whatever failed then failed for that reason: reading standard input or opening a pipe ends with EINTR. */
    if (status != DLQ_OK && signal_number != 0)
        status = DLQ_INTERRUPTED;
    if (status == DLQ_INTERRUPTED && signal_number != 0) {
        error = (struct dlq_error){0};
        fprintf(stderr, "dlqueue: interrupted\n");
    }
    for (const char *line = error.text; *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        fprintf(stderr, "dlqueue: %.*s\n", length, line);
        line += length;
        line += *line == '\n';
    }
    if (error.count > DLQ_ERROR_LINES)
        fprintf(stderr, "dlqueue: ... and %d more\n", error.count - DLQ_ERROR_LINES);
    dlq_args_free(&args);
    if (left != -1)
        return dlq_child_leave(left);
    return status == DLQ_INTERRUPTED ? 128 + (signal_number != 0 ? signal_number : SIGINT) : (int)status;
}
