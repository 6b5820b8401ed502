/* Of the bash completion: words, each with a blank behind it. */
#include "cli/args.h"
#include "cli/command.h"
#include "dlqueue/logs/trace.h"
#include "dlqueue/model.h"
#include "draw/embedded.h"
#include "manual.h"

#include <stdbool.h>
#include <string.h>

/* "        NAME) echo '", to be ended by end_arm. */
static void begin_arm(FILE *stream, const char *name)
{
    fprintf(stream, "        %s) echo '", name);
}

static void end_arm(FILE *stream)
{
    fprintf(stream, "' ;;\n");
}

static void write_words(FILE *stream, const char *const *words)
{
    for (; words != NULL && *words != NULL; words++)
        fprintf(stream, "%s ", *words);
}

void completion_commands(FILE *stream)
{
    for (const struct dlq_command *command = dlq_commands; command->name != NULL; command++)
        fprintf(stream, "%s ", command->name);
}

/* Of each command, and, the last time, of the program. */
void completion_options(FILE *stream)
{
    bool program = false;
    for (const struct dlq_command *command = dlq_commands; !program; command++) {
        program = command->name == NULL;
        begin_arm(stream, program ? "*" : command->name);
        for (const struct dlq_arg *arg = dlq_arg_rows; arg->name != NULL; arg++) {
            if (!dlq_command_has(program ? NULL : command, arg))
                continue;
            fprintf(stream, "--%s ", arg->name);
            if (arg->letter != 0)
                fprintf(stream, "-%c ", arg->letter);
        }
        end_arm(stream);
    }
}

static bool is_flag(const struct dlq_option_help *row)
{
    return strcmp(row->kind, "yes or no") == 0;
}

/* The words that "section.key" may be; a key without any writes nothing. */
static void write_key_words(FILE *stream, const struct dlq_option_help *row)
{
    static const char *const flags[] = {"yes", "no", NULL};
    write_words(stream, is_flag(row) ? flags : row->words);
}

static void write_values(FILE *stream, const struct dlq_arg *arg)
{
    struct dlq_format_help format;
    struct dlq_option_help row;
    char name[128] = "";
    if (strcmp(arg->name, "set") == 0)
        fputs("@keys", stream);
    else if (strcmp(arg->name, "color") == 0)
        write_words(stream, dlq_color_words);
    else if (strcmp(arg->name, "format") == 0)
        for (size_t i = 0; dlq_format_help(i, &format); i++) {
            if (strcmp(name, format.name) != 0)
                fprintf(stream, "%s ", format.name);
            snprintf(name, sizeof name, "%s", format.name);
        }
    else if (arg->names_file)
        fputs("@files", stream);
    for (size_t i = 0; arg->path != NULL && dlq_option_help(i, &row); i++) {
        snprintf(name, sizeof name, "%s.%s", row.section, row.key);
        if (strcmp(name, arg->path) == 0)
            write_key_words(stream, &row);
    }
}

void completion_values(FILE *stream)
{
    for (const struct dlq_arg *arg = dlq_arg_rows; arg->name != NULL; arg++) {
        char name[64];
        if (arg->value == NULL || arg->may_lack)
            continue;
        snprintf(name, sizeof name, arg->letter != 0 ? "--%s | -%c" : "--%s", arg->name, arg->letter);
        begin_arm(stream, name);
        write_values(stream, arg);
        end_arm(stream);
    }
}

void completion_operands(FILE *stream)
{
    for (const struct dlq_command *command = dlq_commands; command->name != NULL; command++) {
        const bool topics = command->run == dlq_run_help, templates = command->run == dlq_run_init;
        if (command->most_operands == 0 || command->operands == DLQ_OPERANDS_RUNS)
            continue;
        begin_arm(stream, command->name);
        if (command->operands == DLQ_OPERANDS_CONFIGURATIONS)
            fputs("@ini", stream);
        else if (command->operands == DLQ_OPERANDS_LOGS)
            fputs("@files", stream);
        else if (topics) {
            completion_commands(stream);
            write_words(stream, dlq_help_topics);
        }
        for (size_t k = 0; templates && dlq_init_templates[k].name != NULL; k++)
            fprintf(stream, "%s ", dlq_init_templates[k].name);
        end_arm(stream);
    }
}

void completion_keys(FILE *stream)
{
    struct dlq_option_help row;
    for (size_t i = 0; dlq_option_help(i, &row); i++)
        fprintf(stream, "%s%s.%s=", i == 0 ? "" : " ", row.section, row.key);
}

/* The sections of which there may be several. */
void completion_named(FILE *stream)
{
    struct dlq_option_help row;
    const char *section = "";
    for (size_t i = 0; dlq_option_help(i, &row); i++) {
        if (row.in_named_sections && strcmp(section, row.section) != 0)
            fprintf(stream, "%s ", row.section);
        section = row.section;
    }
}

void completion_key_values(FILE *stream)
{
    struct dlq_option_help row;
    for (size_t i = 0; dlq_option_help(i, &row); i++) {
        char name[128];
        if (row.words == NULL && !is_flag(&row))
            continue;
        snprintf(name, sizeof name, row.in_named_sections ? "%s.%s | %s.*.%s" : "%s.%s", row.section, row.key,
                 row.section, row.key);
        begin_arm(stream, name);
        write_key_words(stream, &row);
        end_arm(stream);
    }
}
