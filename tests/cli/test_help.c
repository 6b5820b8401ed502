/* Help says what is so: of each command the options that it takes, where its result goes, examples that run. */
#include "command.h"

#include "cli/result_files.h"
#include "dlqueue/logs/trace.h"

/* By `help NAME` and by `NAME --help`: the same text. */
static const char *help_of(struct command *command, const char *name)
{
    char line[64];
    static char text[COMMAND_TEXT];
    snprintf(line, sizeof line, "%s --help", name);
    CHECK_INT(command_run(command, "", line), 0);
    memcpy(text, command->out, sizeof text);
    snprintf(line, sizeof line, "help %s", name);
    CHECK_INT(command_run(command, "", line), 0);
    CHECK(strcmp(text, command->out) == 0, "%s: other words from --help", name);
    return text;
}

static bool lists(const char *help, const struct dlq_arg *arg)
{
    char row[64], lettered[64];
    const char *end = arg->may_lack ? "[=" : arg->value != NULL ? " " : "";
    snprintf(row, sizeof row, "\n  --%s%s%s%s ", arg->name, end, arg->value != NULL ? arg->value : "",
             arg->may_lack ? "]" : "");
    snprintf(lettered, sizeof lettered, "\n  -%c, --%s ", arg->letter != 0 ? arg->letter : '?', arg->name);
    return strstr(help, row) != NULL || strstr(help, lettered) != NULL;
}

/* Is the option refused as one that the command hasn't? */
static bool refuses(struct command *command, const char *name, const char *option)
{
    char line[128];
    /* Without a log it is for that that diagnose fails first. */
    snprintf(line, sizeof line, "%s %s%s", name, option, strcmp(name, "diagnose") == 0 ? " none.log" : "");
    command_run(command, "", line);
    return strstr(command->err, "is an option of") != NULL || strstr(command->err, "belongs to a model") != NULL ||
           strstr(command->err, "cannot be set here") != NULL || strstr(command->err, "--csv: the result is") != NULL ||
           strstr(command->err, "--json: the result is") != NULL;
}

static void test_options(void)
{
    size_t refused = 0, count = 0;
    COMMAND(command);
    for (const struct dlq_command *row = dlq_commands; row->name != NULL; row++) {
        const char *help = help_of(command, row->name);
        for (const struct dlq_arg *arg = dlq_arg_rows; arg->name != NULL; arg++) {
            if (count++ % test_every(1) != 0)
                continue;
            char option[64];
            const char *value = arg->value == NULL ? "" : strcmp(arg->value, "TIME") == 0 ? " 1s" : " 1";
            snprintf(option, sizeof option, "--%s%s", arg->name, value);
            bool refusal = refuses(command, row->name, option);
            refused += refusal;
            CHECK(lists(help, arg) == !refusal, "%s: %s is %s", row->name, option,
                  refusal ? "listed and refused" : "not listed");
        }
    }
    CHECK(refused > 100 / test_every(1), "only %zu options were refused", refused);
}

static void test_formats(void)
{
    static const char *const readers[] = {"diagnose", "fit"};
    COMMAND(command);
    for (size_t r = 0; r < sizeof readers / sizeof *readers; r++) {
        const char *help = help_of(command, readers[r]);
        struct dlq_format_help row;
        size_t i = 0;
        for (; dlq_format_help(i, &row); i++) {
            char line[200];
            snprintf(line, sizeof line, "\n  %-19s %s\n", row.name, row.written_by);
            CHECK(strstr(help, line) != NULL, "%s: no '%s'", readers[r], line + 1);
            CHECK(strlen(line) <= 102, "%zu columns: %s", strlen(line) - 2, line);
        }
        CHECK(i >= 17, "only %zu formats", i);
    }
    CHECK(strstr(help_of(command, "solve"), "torchvision") == NULL, "solve reads no logs");
}

TEST_SUITE(help, CASE(test_options), CASE(test_formats));
