/* Of the bash completion. */
#include "cli/args.h"
#include "cli/command.h"
#include "cli/help.h"
#include "dlqueue/model.h"
#include "dlqueue/trace.h"
#include "manual.h"
#include "report/embedded.h"

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

/* Words that are to be separated by blanks; `first` tells the first of them. */
static void write_word(FILE *stream, bool *first, const char *word)
{
    fprintf(stream, "%s%s", *first ? "" : " ", word);
    *first = false;
}

static void write_words(FILE *stream, bool *first, const char *const *words)
{
    for (; words != NULL && *words != NULL; words++)
        write_word(stream, first, *words);
}

static void write_commands(FILE *stream, bool *first)
{
    size_t count;
    const struct dlq_command *commands = dlq_commands(&count);
    for (size_t i = 0; i < count; i++)
        write_word(stream, first, commands[i].name);
}

void completion_commands(FILE *stream)
{
    bool first = true;
    write_commands(stream, &first);
}

static void write_options(FILE *stream, const struct dlq_command *command)
{
    size_t count;
    const struct dlq_arg *args = dlq_arg_rows(&count);
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        char text[64];
        if (!dlq_command_takes(command, &args[i]))
            continue;
        snprintf(text, sizeof text, "--%s", args[i].name);
        write_word(stream, &first, text);
        snprintf(text, sizeof text, "-%c", args[i].letter);
        if (args[i].letter != 0)
            write_word(stream, &first, text);
    }
}

void completion_options(FILE *stream)
{
    size_t count;
    const struct dlq_command *commands = dlq_commands(&count);
    for (size_t i = 0; i < count; i++) {
        begin_arm(stream, commands[i].name);
        write_options(stream, &commands[i]);
        end_arm(stream);
    }
    begin_arm(stream, "*");
    write_options(stream, NULL);
    end_arm(stream);
}

static void write_formats(FILE *stream, bool *first)
{
    struct dlq_format_help row;
    char before[64] = "";
    for (size_t i = 0; dlq_format_help(i, &row); i++) {
        if (strcmp(before, row.name) != 0)
            write_word(stream, first, row.name);
        snprintf(before, sizeof before, "%s", row.name);
    }
}

static bool is_flag(const struct dlq_option_help *row)
{
    return strcmp(row->kind, "yes or no") == 0;
}

/* The words that "section.key" may be; a key without any writes nothing. */
static void write_key_words(FILE *stream, bool *first, const struct dlq_option_help *row)
{
    static const char *const flags[] = {"yes", "no", NULL};
    write_words(stream, first, is_flag(row) ? flags : row->words);
}

static void write_path_words(FILE *stream, bool *first, const char *path)
{
    struct dlq_option_help row;
    for (size_t i = 0; dlq_option_help(i, &row); i++) {
        char name[128];
        snprintf(name, sizeof name, "%s.%s", row.section, row.key);
        if (strcmp(name, path) == 0)
            write_key_words(stream, first, &row);
    }
}

static void write_values(FILE *stream, const struct dlq_arg *arg)
{
    bool first = true;
    if (strcmp(arg->name, "set") == 0)
        write_word(stream, &first, "@keys");
    else if (strcmp(arg->name, "color") == 0)
        write_words(stream, &first, dlq_color_words);
    else if (strcmp(arg->name, "format") == 0)
        write_formats(stream, &first);
    else if (arg->path != NULL)
        write_path_words(stream, &first, arg->path);
    else if (strncmp(arg->value, "FILE", 4) == 0 || strcmp(arg->value, "PATH") == 0)
        write_word(stream, &first, "@files");
}

void completion_values(FILE *stream)
{
    size_t count;
    const struct dlq_arg *args = dlq_arg_rows(&count);
    for (size_t i = 0; i < count; i++) {
        char name[64];
        if (args[i].value == NULL)
            continue;
        if (args[i].letter != 0)
            snprintf(name, sizeof name, "--%s | -%c", args[i].name, args[i].letter);
        else
            snprintf(name, sizeof name, "--%s", args[i].name);
        begin_arm(stream, name);
        write_values(stream, &args[i]);
        end_arm(stream);
    }
}

static void write_templates(FILE *stream, bool *first)
{
    for (const struct dlq_embedded *row = dlq_init_templates; row->name != NULL; row++)
        write_word(stream, first, row->name);
}

static void write_topics(FILE *stream, bool *first)
{
    write_commands(stream, first);
    for (size_t i = 0; dlq_help_topic(i) != NULL; i++)
        write_word(stream, first, dlq_help_topic(i));
}

static void write_ini(FILE *stream, bool *first)
{
    write_word(stream, first, "@ini");
}

static void write_files(FILE *stream, bool *first)
{
    write_word(stream, first, "@files");
}

/* By what the usage of a command calls its operands. */
void completion_operands(FILE *stream)
{
    static const struct {
        const char *word;
        void (*write)(FILE *stream, bool *first);
    } kinds[] = {{"CONFIG", write_ini}, {"LOG", write_files}, {"NAME", write_templates}, {"TOPIC", write_topics}};
    size_t count;
    const struct dlq_command *commands = dlq_commands(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            bool first = true;
            if (strstr(commands[i].arguments, kinds[k].word) == NULL)
                continue;
            begin_arm(stream, commands[i].name);
            kinds[k].write(stream, &first);
            end_arm(stream);
        }
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
    bool first = true;
    for (size_t i = 0; dlq_option_help(i, &row); i++) {
        if (row.named && strcmp(section, row.section) != 0)
            write_word(stream, &first, row.section);
        section = row.section;
    }
}

void completion_key_values(FILE *stream)
{
    struct dlq_option_help row;
    for (size_t i = 0; dlq_option_help(i, &row); i++) {
        char name[128];
        bool first = true;
        if (row.words == NULL && !is_flag(&row))
            continue;
        snprintf(name, sizeof name, "%s.%s", row.section, row.key);
        if (row.named)
            snprintf(name, sizeof name, "%s.%s | %s.*.%s", row.section, row.key, row.section, row.key);
        begin_arm(stream, name);
        write_key_words(stream, &first, &row);
        end_arm(stream);
    }
}
