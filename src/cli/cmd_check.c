/* dlqueue check: prints the complete configuration with the origin of each value. */
#include "output.h"
#include "result_files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COMMENT_COLUMN = 44 };

/* Defaults that would have another meaning if a configuration gave them; they are printed as comments. */
static const struct {
    const char *section, *key;
} silent_defaults[] = {
    {"pipeline", "batch_size"}, /* if given, samples/s are printed too */
    {"simulate", "batches"},    /* if given, excludes [simulate] horizon and [pipeline] epochs */
    {"simulate", "warmup"},     /* likewise */
};

/* Sets `real` to the directory of the file `path`, without symbolic links; path null or without a slash: the current
   directory. False: there is no such directory, or its name is too long. */
static bool directory_of(const char *path, char real[PATH_MAX])
{
    char named[PATH_MAX];
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    int length =
        snprintf(named, sizeof named, "%.*s", slash == NULL ? 1 : (int)(slash - path) + 1, slash == NULL ? "." : path);
    return length < (int)sizeof named && realpath(named, real) != NULL;
}

static enum dlq_status write_settings(struct dlq_invocation *invocation, const struct dlq_model *model)
{
    const char *from = invocation->operand_count > 0 ? invocation->operands[0] : NULL, *to = invocation->args->output;
    /* to_file: the result can be read again by its name, unlike what goes to /dev/stdout and the like. */
    struct stat entry;
    char from_directory[PATH_MAX], to_directory[PATH_MAX];
    const bool to_file = to != NULL && strcmp(to, "-") != 0 && (stat(to, &entry) != 0 || S_ISREG(entry.st_mode)) &&
                         !(directory_of(to, to_directory) &&
                           (strcmp(to_directory, "/dev") == 0 || strncmp(to_directory, "/proc/", 6) == 0));
    const bool beside = to_file && directory_of(to, to_directory) && directory_of(from, from_directory) &&
                        strcmp(from_directory, to_directory) == 0;
    struct dlq_setting setting;
    char section[64] = "", text[sizeof setting.value + 64];
    size_t given = 0, all = 0;
    for (; dlq_model_setting(model, all, &setting); all++)
        given += setting.given;
    dlq_text_bold(invocation->out, invocation->color,
                  "; No mistakes: %zu of %zu keys are given, the others have defaults.", given, all);
    fputs("\n\n", invocation->out);
    for (size_t i = 0; dlq_model_setting(model, i, &setting); i++) {
        /* A relative name means another file if the configuration lies in another directory. */
        if (strcmp(setting.key, "file") == 0 && setting.value[0] != '\0' && setting.value[0] != '/' && to_file &&
            !beside)
            return dlq_error_add(invocation->error, DLQ_INVALID,
                                 "[%s] %s: %s is relative to the directory of the configuration; write the result "
                                 "to the same directory, or give an absolute path",
                                 setting.section, setting.key, setting.value);
        if (strcmp(section, setting.section) != 0)
            fprintf(invocation->out, "%s[%s]\n", i > 0 ? "\n" : "", setting.section);
        snprintf(section, sizeof section, "%s", setting.section);
        bool none = !setting.given && setting.value[0] == '\0';
        bool silent = none;
        for (size_t k = 0; !setting.given && k < sizeof silent_defaults / sizeof *silent_defaults; k++)
            silent = silent || (strcmp(silent_defaults[k].section, setting.section) == 0 &&
                                strcmp(silent_defaults[k].key, setting.key) == 0);
        /* After a blank, ; and # start a comment: no blank before a value that begins with them, or is empty. */
        snprintf(text, sizeof text, "%s%s =%s%s", silent ? "; " : "", setting.key,
                 strchr(";#", setting.value[0]) == NULL ? " " : "", setting.value);
        int width = dlq_text_width(text);
        fprintf(invocation->out, "%s%*s ; %s", text, width < COMMENT_COLUMN ? COMMENT_COLUMN - width : 2, "",
                setting.origin);
        /* The help of a key without a value says in parentheses what applies instead. */
        const char *text_of_default = strstr(setting.help, "(default: ");
        const char *absence = text_of_default != NULL ? text_of_default + strlen("(default: ") : "none";
        if (none)
            fprintf(invocation->out, ": %.*s", (int)strcspn(absence, ")"), absence);
        fputc('\n', invocation->out);
    }
    fprintf(invocation->out, "\n; next: dlqueue solve");
    dlq_config_write_arguments(invocation->out, invocation, NULL);
    fputc('\n', invocation->out);
    return DLQ_OK;
}

enum dlq_status dlq_run_check(struct dlq_invocation *invocation)
{
    struct dlq_model *model;
    struct dlq_setting setting;
    TRY(dlq_config_read(invocation, 0, NULL, &model));
    TRY(dlq_plan_check(model, invocation->error));
    if (!invocation->args->json && !invocation->args->csv)
        return write_settings(invocation, model);
    struct dlq_table *table = dlq_figures_table(&dlq_figures_settings, NULL, 0);
    bool filled = table != NULL;
    for (size_t i = 0; filled && dlq_model_setting(model, i, &setting); i++)
        filled = dlq_figures_row(table, &dlq_figures_settings, 0, &setting, NULL);
    return dlq_result_rows(invocation, "settings", dlq_table_whole(table, filled));
}
