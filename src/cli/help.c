/* Help, written from the tables of commands, options, keys, formats and figures. */
#include "dlqueue/logs/trace.h"
#include "output.h"
#include "report/report.h"
#include "result_files.h"

#include <string.h>

enum { OPTION_WIDTH = 29, FORMAT_WIDTH = 19, FIGURE_WIDTH = 28, KIND_WIDTH = 9 };

const struct dlq_example dlq_help_examples[] = {
    {"dlqueue solve --loaders 8 --load 700ms --step 100ms", "is loading the bottleneck?"},
    {"dlqueue init > my.ini && dlqueue solve my.ini", "the same from a file with all settings"},
    {"dlqueue sweep my.ini", "charts: how many loaders are enough"},
    {NULL, NULL},
};

const struct dlq_exit_help dlq_exit_rows[] = {
    {"0", "answered"},
    {"1", "failure while running; of compare, also: slower than the gate"},
    {"2", "wrong usage or configuration"},
    {"3", "no answer, or a target that can't be met"},
    {"129, 130 or 143", "interrupted"},
    {"any other", "run: the exit status of the command"},
    {NULL, NULL},
};

static void write_examples(FILE *stream, const struct dlq_example *example)
{
    fprintf(stream, "Examples\n");
    for (; example->line != NULL; example++)
        fprintf(stream, "  %-58s %s\n", example->line, example->comment);
}

/* The help of --output. */
static const char *const outputs[] = {
    [DLQ_TARGET_FILE] = "write the result to this file",
    [DLQ_TARGET_NEW_FILE] = "write to this file, which must not exist yet",
    [DLQ_TARGET_DIRECTORY] = "write the charts and the CSV file to this directory",
    [DLQ_TARGET_CHARTS] = "write the result to this file; with --plot: the charts to this directory",
    [DLQ_TARGET_BESIDE] = "write the configuration to this file; with --json: the result",
    [DLQ_TARGET_PAGE] = "write the page to this file (-: standard output)",
    [DLQ_TARGET_TRACE] =
        "write the trace to this file (default trace.csv), and those of further loaders and ranks beside it",
    [DLQ_TARGET_PICTURES] = "draw into this directory, or this file (run.png); with --json, --csv: the result",
};

static void write_options(FILE *stream, const struct dlq_command *command)
{
    fprintf(stream, "\nOptions, before or after the arguments\n");
    for (const struct dlq_arg *row = dlq_arg_rows; row->name != NULL; row++) {
        char letter[8] = "", text[80];
        if (!dlq_command_has(command, row))
            continue;
        if (row->letter != 0)
            snprintf(letter, sizeof letter, "-%c, ", row->letter);
        snprintf(text, sizeof text, "%s--%s%s%s%s", letter, row->name,
                 row->may_lack ? "[=" : (row->value != NULL ? " " : ""), row->value != NULL ? row->value : "",
                 row->may_lack ? "]" : "");
        bool output = command != NULL && strcmp(row->name, "output") == 0;
        fprintf(stream, "  %-*s %s\n", OPTION_WIDTH, text, output ? outputs[command->target] : row->help);
    }
}

void dlq_help_write(FILE *stream, const struct dlq_command *commands, const struct dlq_command *command)
{
    struct dlq_format_help format;
    bool logs = command != NULL && command->operands == DLQ_OPERANDS_LOGS;
    if (command != NULL) {
        write_examples(stream, command->examples);
        fprintf(stream, "\nUsage: dlqueue %s [options] %s\n\n", command->name, command->arguments);
        dlq_text_wrap(stream, command->about, 0, dlq_text_columns(stream));
        if (logs)
            fprintf(stream, "\nFormats of logs\n");
        for (size_t i = 0; logs && dlq_format_help(i, &format); i++)
            fprintf(stream, "  %-*s %s\n", FORMAT_WIDTH, format.name, format.written_by);
        write_options(stream, command);
        return;
    }
    write_examples(stream, dlq_help_examples);
    fprintf(stream, "\nUsage: dlqueue COMMAND [options] [arguments]\n\n"
                    "Is the data loader the bottleneck of your training? Bounds, simulation and charts.\n"
                    "\nCommands\n");
    for (command = commands; command->name != NULL; command++) {
        char usage[64];
        snprintf(usage, sizeof usage, "%s %s", command->name, command->arguments);
        fprintf(stream, "  %-*s %s\n", OPTION_WIDTH, usage, command->summary);
    }
    write_options(stream, NULL);
    fprintf(stream, "\nExit status\n");
    for (const struct dlq_exit_help *row = dlq_exit_rows; row->status != NULL; row++)
        fprintf(stream, "  %-*s %s\n", OPTION_WIDTH, row->status, row->meaning);
    fprintf(stream, "\n`dlqueue help COMMAND` says more; `dlqueue help configuration` lists all keys, `dlqueue help "
                    "formats`\nthe logs that can be read, `dlqueue help output` the fields of --json and --csv.\n");
}

static void write_configuration(FILE *stream)
{
    struct dlq_option_help row;
    const char *section = "";
    fprintf(stream,
            "Keys of a configuration (INI; comments begin with ; or #). `dlqueue init` writes one to start from.\n"
            "Times such as 700ms, 2s; sizes 110KB, 1.2GiB; rates 2GB/s, 400Gb/s; shares 95%%; ranges 1..32,\n"
            "50ms..2s in 24 log; lists 1, 2, 4.\n");
    for (size_t i = 0; dlq_option_help(i, &row); i++) {
        if (strcmp(section, row.section) != 0)
            fprintf(stream, "\n[%s]  %s\n", row.section, row.section_help);
        section = row.section;
        fprintf(stream, "  %-15s %s", row.key, row.help);
        size_t count = 0; /* of words: 2 to 4 are printed; more are listed by a command of their own */
        while (row.words != NULL && row.words[count] != NULL)
            count++;
        for (size_t k = 0; k < count && count >= 2 && count <= 4; k++)
            fprintf(stream, "%s%s", k == 0 ? ": " : ", ", row.words[k]);
        fprintf(stream, "%s%s%s\n", row.default_value != NULL ? " [" : "",
                row.default_value != NULL ? row.default_value : "", row.default_value != NULL ? "]" : "");
    }
}

static void write_formats(FILE *stream)
{
    struct dlq_format_help row;
    fprintf(stream,
            "Formats of logs. The format is detected; if that fails, give --format NAME. Logs may be gzipped.\n");
    for (size_t i = 0; dlq_format_help(i, &row); i++) {
        fprintf(stream, "\n%s  %s\n", row.name, row.written_by);
        dlq_text_wrap(stream, row.meaning, 2, dlq_text_columns(stream));
    }
}

static void write_output(FILE *stream)
{
    const struct dlq_figures *group;
    struct dlq_figure_line line;
    char lead[160];
    for (size_t i = 0; dlq_figures_rules[i] != NULL; i++)
        dlq_text_wrap(stream, dlq_figures_rules[i], 0, dlq_text_columns(stream));
    for (size_t i = 0; (group = dlq_figures_group(i)) != NULL; i++) {
        fprintf(stream, "\n%s\n", group->place);
        if (group->note != NULL)
            dlq_text_wrap(stream, group->note, 2, dlq_text_columns(stream));
        for (size_t row = 0; dlq_figures_line(group, &row, &line);) {
            snprintf(lead, sizeof lead, "  %-*s %-*s ", FIGURE_WIDTH, line.names, KIND_WIDTH, line.kind);
            dlq_text_wrap_item(stream, lead, line.meaning, dlq_text_columns(stream));
        }
    }
}

const char *const dlq_help_topics[] = {"configuration", "formats", "output", NULL};
/* In the order of dlq_help_topics. */
static void (*const write_topic[])(FILE *stream) = {write_configuration, write_formats, write_output};

/* The keys and the options as JSON. */
static enum dlq_status write_json(const struct dlq_invocation *invocation)
{
    struct dlq_option_help key;
    struct dlq_object object = dlq_object_of_command("help");
    dlq_object_list(&object, "keys");
    for (size_t i = 0; dlq_option_help(i, &key); i++) {
        json_t *words = json_array();
        for (const char *const *word = key.words; word != NULL && *word != NULL; word++)
            object.failed = json_array_append_new(words, json_string(*word)) != 0 || object.failed;
        json_t *row = json_pack("{s:s, s:s, s:s, s:b, s:o, s:s?, s:s?, s:s?, s:s}", "section", key.section, "key",
                                key.key, "kind", key.kind, "range", (int)key.range, "words", words, "least",
                                key.least[0] != '\0' ? key.least : NULL, "most", key.most[0] != '\0' ? key.most : NULL,
                                "default", key.default_value, "help", key.help);
        dlq_object_append(&object, "keys", row);
    }
    dlq_object_list(&object, "options");
    for (const struct dlq_arg *arg = dlq_arg_rows; arg->name != NULL; arg++) {
        json_t *commands = json_array();
        for (const struct dlq_command *command = invocation->commands; command->name != NULL; command++)
            if (dlq_command_has(command, arg))
                object.failed = json_array_append_new(commands, json_string(command->name)) != 0 || object.failed;
        dlq_object_append(&object, "options",
                          json_pack("{s:s, s:s?, s:s?, s:o, s:s}", "name", arg->name, "value", arg->value, "key",
                                    arg->path, "commands", commands, "help", arg->help));
    }
    return dlq_result_object(invocation, &object);
}

enum dlq_status dlq_run_help(struct dlq_invocation *invocation)
{
    const char *topic = invocation->operand_count > 0 ? invocation->operands[0] : NULL;
    if (invocation->args->json && (topic == NULL || strcmp(topic, "configuration") == 0))
        return write_json(invocation);
    if (invocation->args->json)
        return dlq_error_add(invocation->error, DLQ_INVALID, "help: --json: the result is for people");
    const struct dlq_command *command = topic != NULL ? dlq_command_find(invocation->commands, topic) : NULL;
    for (size_t i = 0; topic != NULL && dlq_help_topics[i] != NULL; i++)
        if (strcmp(topic, dlq_help_topics[i]) == 0) {
            write_topic[i](invocation->out);
            return DLQ_OK;
        }
    if (topic != NULL && command == NULL)
        return dlq_command_unknown(invocation->commands, topic, invocation->error);
    dlq_help_write(invocation->out, invocation->commands, command);
    return DLQ_OK;
}
