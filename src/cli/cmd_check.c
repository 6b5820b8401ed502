/* dlqueue check: the complete configuration, and where each value came from. */
#include "dlqueue/plan.h"
#include "output.h"
#include "result_files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COMMENT_COLUMN = 44 };

/* Defaults that mean something else once they are written down: they stay comments. */
static const struct {
    const char *section, *key;
} silent_defaults[] = {
    {"pipeline", "batch_size"}, /* given, rates are told in samples/s as well */
    {"simulate", "batches"},    /* contradicts a horizon */
    {"simulate", "warmup"},
};

/* -- files of measured times, when the configuration is written to another directory -- */

/* Where a configuration's names of files count from, without links, into `real`. */
static bool directory_of(const char *path, char real[PATH_MAX])
{
    char named[PATH_MAX];
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    int length =
        snprintf(named, sizeof named, "%.*s", slash == NULL ? 1 : (int)(slash - path) + 1, slash == NULL ? "." : path);
    return length < (int)sizeof named && realpath(named, real) != NULL;
}

/* -- the settings -- */

static enum dlq_status write_settings(struct dlq_invocation *session, const struct dlq_model *model)
{
    const char *from = session->operand_count > 0 ? session->operands[0] : NULL, *to = session->args->output;
    /* What /dev/stdout and /dev/fd/3 stand for may be a file, but nobody reads it by that name. */
    struct stat entry;
    char here[PATH_MAX], there[PATH_MAX];
    const bool to_file = to != NULL && strcmp(to, "-") != 0 && (stat(to, &entry) != 0 || S_ISREG(entry.st_mode)) &&
                         !(directory_of(to, there) && (strcmp(there, "/dev") == 0 || strncmp(there, "/proc/", 6) == 0));
    const bool beside = to_file && directory_of(to, there) && directory_of(from, here) && strcmp(here, there) == 0;
    struct dlq_setting setting;
    char section[64] = "", text[sizeof setting.value + 64];
    for (size_t i = 0; dlq_model_setting(model, i, &setting); i++) {
        /* A relative name means another file where the configuration is a file in another directory. */
        if (strcmp(setting.key, "file") == 0 && setting.value[0] != '\0' && setting.value[0] != '/' && to_file &&
            !beside)
            return dlq_error_add(session->error, DLQ_INVALID,
                                 "[%s] %s: %s is named from where the configuration lies; write the result there too, "
                                 "or name it from the root",
                                 setting.section, setting.key, setting.value);
        if (strcmp(section, setting.section) != 0)
            fprintf(session->out, "%s[%s]\n", i > 0 ? "\n" : "", setting.section);
        snprintf(section, sizeof section, "%s", setting.section);
        bool none = !setting.given && setting.value[0] == '\0';
        bool silent = none; /* a comment where it would mean something else once it is written down */
        for (size_t k = 0; !setting.given && k < sizeof silent_defaults / sizeof *silent_defaults; k++)
            silent = silent || (strcmp(silent_defaults[k].section, setting.section) == 0 &&
                                strcmp(silent_defaults[k].key, setting.key) == 0);
        /* A value that begins with ; or # is none behind a blank, but a comment. */
        snprintf(text, sizeof text, "%s%s =%s%s", silent ? "; " : "", setting.key,
                 strchr(";#", setting.value[0]) == NULL ? " " : "", setting.value);
        int width = dlq_text_width(text);
        fprintf(session->out, "%s%*s ; %s", text, width < COMMENT_COLUMN ? COMMENT_COLUMN - width : 2, "",
                setting.origin);
        /* What holds where there is no value: help texts say it in brackets. */
        const char *told = strstr(setting.help, "(default: ");
        const char *absence = told != NULL ? told + strlen("(default: ") : "none";
        if (none)
            fprintf(session->out, ": %.*s", (int)strcspn(absence, ")"), absence);
        fputc('\n', session->out);
    }
    fprintf(session->out, "\n; next: dlqueue solve");
    dlq_config_write_arguments(session->out, session, NULL);
    fputc('\n', session->out);
    return DLQ_OK;
}

enum dlq_status dlq_run_check(struct dlq_invocation *session)
{
    struct dlq_model *model;
    struct dlq_setting setting;
    TRY(dlq_config_read(session, 0, NULL, &model));
    TRY(dlq_plan_check(model, session->error));
    if (!session->args->json && !session->args->csv)
        return write_settings(session, model);
    struct dlq_table *table = dlq_figures_table(&dlq_figures_settings, NULL, 0);
    bool filled = table != NULL;
    for (size_t i = 0; filled && dlq_model_setting(model, i, &setting); i++)
        filled = dlq_figures_row(table, &dlq_figures_settings, 0, &setting, NULL);
    return dlq_result_rows(session, "settings", dlq_table_whole(table, filled));
}
