/* dlqueue check: the complete configuration, and where each value came from. */
#include "command.h"
#include "dlqueue/plan.h"
#include "draw/table.h"
#include "draw/text.h"
#include "inputs.h"
#include "moved_file.h"
#include "report/figures.h"

#include <stdlib.h>
#include <string.h>

enum { COMMENT_COLUMN = 44 };

/* Defaults that mean something else once they are written down: they stay comments. */
static const struct {
    const char *section, *key;
} silent_defaults[] = {
    {"pipeline", "batch_size"}, /* given, rates are told in samples/s as well */
    {"simulate", "batches"},    /* contradicts a horizon */
    {"simulate", "warmup"},
};

static bool is_silent(const struct dlq_setting *setting)
{
    if (setting->given)
        return false;
    for (size_t i = 0; i < sizeof silent_defaults / sizeof *silent_defaults; i++)
        if (strcmp(silent_defaults[i].section, setting->section) == 0 &&
            strcmp(silent_defaults[i].key, setting->key) == 0)
            return true;
    return setting->value[0] == '\0';
}

/* What holds where there is no value: help texts say it in brackets. */
static void write_absence(FILE *stream, const char *help)
{
    static const char mark[] = "(default: ";
    const char *told = strstr(help, mark);
    const char *text = told != NULL ? told + strlen(mark) : "none";
    size_t length = told != NULL ? strcspn(text, ")") : strlen(text);
    fprintf(stream, ": %.*s", (int)length, text);
}

static void write_setting(FILE *stream, const struct dlq_setting *setting)
{
    char text[sizeof setting->value + 64];
    snprintf(text, sizeof text, "%s%s =%s%s", is_silent(setting) ? "; " : "", setting->key,
             setting->value[0] != '\0' ? " " : "", setting->value);
    int width = dlq_text_width(text);
    fprintf(stream, "%s%*s ; %s", text, width < COMMENT_COLUMN ? COMMENT_COLUMN - width : 2, "", setting->origin);
    if (!setting->given && setting->value[0] == '\0')
        write_absence(stream, setting->help);
    fputc('\n', stream);
}

static enum dlq_status write_settings(struct dlq_invocation *session, const struct dlq_model *model)
{
    const char *output = session->args->output;
    enum dlq_status status = DLQ_OK;
    struct dlq_setting setting;
    char section[64] = "";
    for (size_t i = 0; status == DLQ_OK && dlq_model_setting(model, i, &setting); i++) {
        if (dlq_setting_is_file(&setting))
            status = dlq_moved_file(&setting, session->operand_count > 0 ? session->operands[0] : NULL, output,
                                    session->error);
        if (strcmp(section, setting.section) != 0)
            fprintf(session->out, "%s[%s]\n", i > 0 ? "\n" : "", setting.section);
        snprintf(section, sizeof section, "%s", setting.section);
        write_setting(session->out, &setting);
    }
    fprintf(session->out, "\n; next: dlqueue solve");
    dlq_config_write_arguments(session->out, session, NULL);
    fputc('\n', session->out);
    return status;
}

static struct dlq_table *settings_table(const struct dlq_model *model)
{
    static const struct dlq_column columns[] = {
        {"section", "section", DLQ_COLUMN_TEXT, 0}, {"key", "key", DLQ_COLUMN_TEXT, 0},
        {"value", "value", DLQ_COLUMN_TEXT, 0},     {"origin", "origin", DLQ_COLUMN_TEXT, 0},
        {"given", "given", DLQ_COLUMN_FLAG, 0},
    };
    struct dlq_setting setting;
    struct dlq_table *table = dlq_table_new(columns, sizeof columns / sizeof *columns);
    bool filled = table != NULL;
    for (size_t i = 0; filled && dlq_model_setting(model, i, &setting); i++) {
        filled = dlq_table_row(table) && dlq_table_text(table, 0, setting.section) &&
                 dlq_table_text(table, 1, setting.key) && dlq_table_text(table, 3, setting.origin) &&
                 (setting.value[0] == '\0' || dlq_table_text(table, 2, setting.value));
        if (filled)
            dlq_table_number(table, 4, setting.given ? 1 : 0);
    }
    if (filled)
        return table;
    dlq_table_free(table);
    return NULL;
}

static enum dlq_status write_table(struct dlq_invocation *session, const struct dlq_model *model)
{
    struct dlq_table *table = settings_table(model);
    enum dlq_status status = DLQ_OK;
    if (table == NULL)
        return dlq_error_memory(session->error, "listing settings");
    if (session->args->csv) {
        dlq_table_write_csv(table, session->out);
    } else {
        struct dlq_object object = dlq_object_of_command("check");
        dlq_object_put(&object, "settings", dlq_json_rows(table));
        status = dlq_json_write(dlq_object_end(&object), session->out, session->error);
    }
    dlq_table_free(table);
    return status;
}

enum dlq_status dlq_run_check(struct dlq_invocation *session)
{
    struct dlq_model *model = NULL;
    enum dlq_status status = dlq_config_read(session, 0, &model);
    if (status != DLQ_OK)
        return status;
    status = dlq_plan_check(model, session->error);
    if (status == DLQ_OK && (session->args->json || session->args->csv))
        status = write_table(session, model);
    else if (status == DLQ_OK)
        status = write_settings(session, model);
    dlq_model_free(model);
    return status;
}
