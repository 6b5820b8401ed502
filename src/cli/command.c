/* The program without main: parses the command line, runs the command, reports errors and the exit status. */
#include "command.h"
#include "base/option.h"
#include "cli/logs/child.h"
#include "result_files.h"

#include <errno.h>
#include <gsl/gsl_version.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool dlq_command_has(const struct dlq_command *command, const struct dlq_arg *arg)
{
    if (command == NULL)
        return true;
    if ((strcmp(arg->name, "csv") == 0 && command->no_csv) || (strcmp(arg->name, "json") == 0 && command->no_json) ||
        (arg->only != NULL && !dlq_word_among(arg->only, command->name)))
        return false;
    bool has = arg->path == NULL || command->keys[0] == NULL || command->operands == DLQ_OPERANDS_CONFIGURATIONS;
    for (const char *const *key = command->keys; !has && *key != NULL; key++)
        has = strncmp(arg->path, *key, strlen(*key)) == 0 &&
              (arg->path[strlen(*key)] == '\0' || (*key)[strlen(*key) - 1] == '.');
    return has;
}

const struct dlq_command *dlq_command_find(const struct dlq_command *commands, const char *name)
{
    const struct dlq_command *command = commands;
    while (command->name != NULL && strcmp(command->name, name) != 0)
        command++;
    return command->name != NULL ? command : NULL;
}

enum dlq_status dlq_command_unknown(const struct dlq_command *commands, const char *name, struct dlq_error *error)
{
    struct dlq_nearest nearest = {.name = name};
    if (access(name, F_OK) == 0)
        return dlq_error_add(error, DLQ_INVALID, "'%s' is a file, not a command; did you mean: dlqueue solve %s", name,
                             name);
    for (const struct dlq_command *command = commands; command->name != NULL; command++)
        dlq_nearest_offer(&nearest, command->name);
    if (nearest.best != NULL)
        return dlq_error_add(error, DLQ_INVALID, "unknown command '%s'; did you mean %s?", name, nearest.best);
    return dlq_error_add(error, DLQ_INVALID, "unknown command '%s'; dlqueue --help lists them", name);
}

/* Checks operands and options against the command's row. */
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
    if (args->csv && command->no_csv)
        dlq_error_add(error, DLQ_INVALID, "%s: --csv: the result is not a table", name);
    if (args->json && command->no_json)
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
    /* An earlier write has failed: another write finds out why. */
    int reason = errno != 0 ? errno : dlq_file_reason(STDOUT_FILENO);
    return dlq_error_add(error, DLQ_FAILURE, "write error on standard output: %s",
                         reason != 0 ? strerror(reason) : "what was written is lost");
}

/* A target that can't be met, or a run slower than --gate allows, is a complete result, not an error. */
static bool answered(enum dlq_status status, const struct dlq_error *error)
{
    return (status == DLQ_NO_ANSWER || status == DLQ_FAILURE) && error->count == 0;
}

/* Runs the command and writes its result to a file, which appears whole or not at all. */
static enum dlq_status run_to_file(struct dlq_invocation *invocation, const char *path)
{
    struct dlq_file *file;
    struct stat entry;
    struct dlq_error *error = invocation->error;
    const struct dlq_args *args = invocation->args;
    bool new_file = invocation->command->target == DLQ_TARGET_NEW_FILE;
    if (new_file && lstat(path, &entry) == 0 && !S_ISCHR(entry.st_mode))
        return dlq_error_add(error, DLQ_FAILURE, "%s exists already and is not replaced; choose another name", path);
    TRY(dlq_result_open(invocation, path, false, &file));
    invocation->out = file->stream;
    invocation->color = args->color == DLQ_COLOR_ALWAYS;
    enum dlq_status status = invocation->command->run(invocation);
    if (status == DLQ_FAILURE && ferror(file->stream) && error->count == 1 && strstr(error->text, path) == NULL) {
        char line[512]; /* an error of the stream does not name the file */
        snprintf(line, sizeof line, "%.*s", (int)sizeof line - 1, error->text);
        *error = (struct dlq_error){0};
        dlq_error_add(error, DLQ_FAILURE, "%s: %s", path, line);
    }
    bool partial = status == DLQ_INTERRUPTED && invocation->partial;
    if (status != DLQ_OK && !partial && !answered(status, error))
        return status;
    TRY(dlq_file_commit(file, error));
    if (partial)
        dlq_message(invocation, "what was finished is in %s", path);
    else if (new_file && !args->json && !args->quiet)
        fprintf(stderr, "next: dlqueue solve %s\n", path);
    return status;
}

/* Whether standard output gets text for people, and no configuration, picture or page. */
static bool prints_text(const struct dlq_command *command, const struct dlq_args *args)
{
    const char *const files[] = {args->output, args->animate, args->chrome};
    bool text = !args->json && !args->csv && !command->rewrites && command->target != DLQ_TARGET_NEW_FILE;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        text = text && (files[i] == NULL || strcmp(files[i], "-") != 0);
    return text;
}

/* child: the wait status of the program that the command ran; unchanged if the command ran none. */
static enum dlq_status run_command(const struct dlq_command *commands, const struct dlq_command *command,
                                   const struct dlq_args *args, int *child, struct dlq_error *error)
{
    const enum dlq_target target = command->target;
    /* Whether --output names the file of the result; else the command itself uses --output. */
    const bool result = target == DLQ_TARGET_FILE || target == DLQ_TARGET_NEW_FILE ||
                        (target == DLQ_TARGET_CHARTS && !args->plot) || (target == DLQ_TARGET_BESIDE && args->json) ||
                        (target == DLQ_TARGET_PICTURES && (args->json || args->csv));
    const bool to_file = result && args->output != NULL && strcmp(args->output, "-") != 0;
    struct dlq_call call = {.arena = {.error = error, .doing = "answering"}};
    struct dlq_invocation invocation = {
        .commands = commands,
        .command = command,
        .args = args,
        .operands = args->operands + 1,
        .operand_count = args->operand_count - 1,
        .out = stdout,
        .color =
            args->color == DLQ_COLOR_ALWAYS || (args->color == DLQ_COLOR_AUTO && dlq_terminal_escapes(STDOUT_FILENO)),
        .run = {.threads = (int)args->threads, .interrupted = dlq_interrupt_flag(), .progress = &invocation.progress},
        .error = error,
        .call = &call,
    };
    TRY(check_usage(command, args, error));
    FILE *ascii = NULL;
    if (!to_file && prints_text(command, args) && dlq_terminal_is_ascii()) {
        if ((ascii = dlq_text_ascii(stdout)) == NULL)
            return dlq_error_memory(error, "answering");
        invocation.out = ascii;
    }
    dlq_interrupt_install();
    enum dlq_status status = dlq_inputs_check(&invocation, result || target == DLQ_TARGET_BESIDE ||
                                                               target == DLQ_TARGET_PAGE || target == DLQ_TARGET_TRACE);
    if (status == DLQ_OK)
        status = to_file ? run_to_file(&invocation, args->output) : command->run(&invocation);
    dlq_call_end(&call);
    if (ascii != NULL)
        fclose(ascii);
    *child = invocation.child_ended ? invocation.child : *child;
    return status;
}

int dlq_command_main(int argc, char *const argv[], const struct dlq_command *commands)
{
    struct dlq_args args;
    struct dlq_error error = {0};
    int child = -1;
    enum dlq_status status = dlq_args_parse(argc, argv, &args, &error);
    const struct dlq_command *command = args.operand_count > 0 ? dlq_command_find(commands, args.operands[0]) : NULL;
    if (args.help && (args.operand_count == 0 || command != NULL)) {
        error = (struct dlq_error){0};
        status = DLQ_OK;
        dlq_help_write(stdout, commands, command);
    } else if (args.version && status == DLQ_OK) {
        printf("dlqueue %s (gsl %s, jansson %s)\n", DLQ_VERSION, gsl_version, jansson_version_str());
    } else if (args.operand_count == 0 && status == DLQ_OK) {
        status = DLQ_INVALID;
        fprintf(stderr, "usage: dlqueue COMMAND [options] [arguments]\n\n  %s\n\ncommands:", dlq_help_examples[0].line);
        for (const struct dlq_command *each = commands; each->name != NULL; each++)
            fprintf(stderr, "%s %s", each > commands ? "," : "", each->name);
        fprintf(stderr, "\ndlqueue --help says more\n");
    } else if (args.operand_count > 0 && command == NULL) {
        status = dlq_command_unknown(commands, args.operands[0], &error);
    } else if (status == DLQ_OK) {
        status = run_command(commands, command, &args, &child, &error);
    }
    const bool complete = status == DLQ_OK || answered(status, &error);
    enum dlq_status written = finish_output(&error);
    if (complete && written != DLQ_OK)
        status = written;
    int signal_number = *dlq_interrupt_flag();
    /* A signal also explains other failures: reading standard input or opening a pipe ends with EINTR. */
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
    if (child != -1)
        return dlq_child_leave(child);
    return status == DLQ_INTERRUPTED ? 128 + (signal_number != 0 ? signal_number : SIGINT) : (int)status;
}
