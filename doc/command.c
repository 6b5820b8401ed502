/* Of dlqueue(1). */
#include "cli/command.h"
#include "cli/args.h"
#include "dlqueue/logs/trace.h"
#include "manual.h"
#include "scdoc.h"

#include <string.h>

static void write_usage(FILE *stream, const struct dlq_command *command)
{
    fprintf(stream, "*dlqueue %s* [_options_]%s", command->name, command->arguments[0] != '\0' ? " " : "");
    scdoc_arguments(stream, command->arguments);
}

void manual_synopsis(FILE *stream)
{
    for (const struct dlq_command *command = dlq_commands; command->name != NULL; command++) {
        fprintf(stream, "%s", command > dlq_commands ? "++\n" : "");
        write_usage(stream, command);
    }
}

void manual_examples(FILE *stream)
{
    scdoc_examples(stream, dlq_help_examples);
}

void manual_commands(FILE *stream)
{
    for (const struct dlq_command *command = dlq_commands; command->name != NULL; command++) {
        fprintf(stream, "## dlqueue %s\n\n", command->name);
        write_usage(stream, command);
        fprintf(stream, "\n\n");
        scdoc_prose(stream, command->about);
        fprintf(stream, "\n\n");
        scdoc_examples(stream, command->examples);
    }
}

static void write_option(FILE *stream, const struct dlq_arg *arg)
{
    if (arg->letter != 0)
        fprintf(stream, "*-%c*, ", arg->letter);
    fprintf(stream, "*--%s*", arg->name);
    if (arg->value != NULL) {
        fprintf(stream, arg->may_lack ? "[=_" : " _");
        scdoc_plain(stream, arg->value);
        fprintf(stream, arg->may_lack ? "_]" : "_");
    }
    fprintf(stream, "\n\t");
    scdoc_prose(stream, arg->help);
    if (arg->path != NULL) {
        fprintf(stream, "++\nThe same as *--set ");
        scdoc_plain(stream, arg->path);
        fprintf(stream, "=*_%s_", arg->value);
    }
}

/* "Of *solve*, *plan*" */
static void write_owners(FILE *stream, const char *words)
{
    fprintf(stream, "++\nOf");
    for (const char *at = words; *at != '\0';) {
        size_t length = strcspn(at, " ");
        fprintf(stream, "%s *%.*s*", at == words ? "" : ",", (int)length, at);
        at += length;
        at += strspn(at, " ");
    }
}

static void write_options(FILE *stream, bool limited)
{
    for (const struct dlq_arg *arg = dlq_arg_rows; arg->name != NULL; arg++) {
        if ((arg->only != NULL) != limited)
            continue;
        write_option(stream, arg);
        if (limited)
            write_owners(stream, arg->only);
        fprintf(stream, "\n\n");
    }
}

void manual_options(FILE *stream)
{
    write_options(stream, false);
}

void manual_command_options(FILE *stream)
{
    write_options(stream, true);
}

void manual_formats(FILE *stream)
{
    struct dlq_format_help row;
    for (size_t i = 0; dlq_format_help(i, &row); i++)
        scdoc_row(stream, row.name, row.written_by, row.meaning);
}

void manual_exits(FILE *stream)
{
    for (const struct dlq_exit_help *row = dlq_exit_rows; row->status != NULL; row++)
        scdoc_row(stream, row->status, NULL, row->meaning);
}
