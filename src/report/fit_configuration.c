/* The configuration that a fit writes: its settings, with comments. */
#include "base/quantity.h"
#include "draw/memory.h"
#include "report/fit_report.h"

#include <math.h>
#include <string.h>

enum { NAME_TEXT = 100, COMMENT_WIDTH = 100 };

/* Free text in a line: no more than fits, and nothing that would end it or begin a comment. */
static const char *clean(const char *value, char text[NAME_TEXT])
{
    size_t used = 0;
    for (; *value != '\0' && used + 1 < NAME_TEXT; value++) {
        unsigned char byte = (unsigned char)*value;
        text[used++] = byte < ' ' || byte >= 127 || byte == ';' || byte == '#' ? '_' : *value;
    }
    text[used] = '\0';
    return text;
}

/* Comment lines of whole words. */
static void add_remark(FILE *out, const char *text)
{
    while (*text != '\0') {
        size_t length = strlen(text);
        if (length > COMMENT_WIDTH) {
            length = COMMENT_WIDTH;
            while (length > 1 && text[length] != ' ')
                length--;
        }
        fprintf(out, "; %.*s\n", (int)length, text);
        text += length;
        text += strspn(text, " ");
    }
}

static void add_comment(FILE *out, const struct dlq_fit_law *law, const char *what)
{
    char mean[DLQ_QUANTITY_TEXT], low[DLQ_QUANTITY_TEXT], high[DLQ_QUANTITY_TEXT], cv[32] = "unbounded";
    dlq_quantity_readable(law->mean, DLQ_UNIT_TIME, 4, mean);
    if (isfinite(law->cv))
        snprintf(cv, sizeof cv, "%.3g", law->cv);
    dlq_quantity_readable(law->mean_low, DLQ_UNIT_TIME, 4, low);
    dlq_quantity_readable(law->mean_high, DLQ_UNIT_TIME, 4, high);
    if (law->only_bound)
        fprintf(out, "; only a bound is known: a batch takes at most %s on average\n", high);
    else if (law->n > 0 && law->mean_high > law->mean_low)
        fprintf(out, "; %ld %s, mean %s (95 %%: %s to %s), cv %s\n", law->n, what, mean, low, high, cv);
    else if (law->n > 0)
        fprintf(out, "; %ld %s, mean %s, cv %s\n", law->n, what, mean, cv);
    for (size_t i = 0; law->tried_count > 1 && i < law->tried_count && i < 3; i++)
        fprintf(out, "%s%s%s", i == 0 ? "; " : ", then ", law->tried[i].distribution,
                i + 1 == law->tried_count || i == 2 ? " by AIC\n" : "");
}

/* What stands behind a value. */
static const char *comment_of(const struct dlq_fit *fit, const struct dlq_fit_setting *setting)
{
    static const struct {
        const char *key, *comment;
    } comments[] = {
        {"slow_loaders", "workers that were slower than the others"},
        {"persistent", "whether workers live on from epoch to epoch"},
        {"startup", "until the workers begin, at the start of an epoch"},
        {"dispatch", "from dispatch to the start of a load"},
        {"deliver", "from the end of a load until the batch can be received"},
        {"receive", "per batch, in the training process"},
        {"barrier", "per step, with several ranks"},
    };
    if (strcmp(setting->key, "loaders") == 0 && !fit->loaders_known)
        return "assumed, the logs do not tell: no count follows from it; see --loaders";
    for (size_t i = 0; i < sizeof comments / sizeof *comments; i++)
        if (strcmp(setting->key, comments[i].key) == 0)
            return comments[i].comment;
    return "";
}

static void add_line(FILE *out, const char *key, const char *value, const char *comment)
{
    fprintf(out, "%-12s = %s", key, value);
    if (comment[0] != '\0')
        fprintf(out, "%*s; %s", (int)(strlen(value) < 20 ? 20 - strlen(value) : 1), "", comment);
    fprintf(out, "\n");
}

/* What stands before the first line of a section, its name included. */
static void begin_section(FILE *out, const struct dlq_fit *fit, const char *section, const char *name)
{
    char text[DLQ_FIT_TEXT], cleaned[NAME_TEXT];
    const char *remark = "";
    if (strcmp(section, "pipeline") != 0)
        fprintf(out, "\n");
    if (strcmp(section, "load") == 0 || strcmp(section, "load.usual") == 0) {
        add_remark(out, dlq_fit_notes_say(fit, text));
        if (fit->prediction.begin > 0)
            snprintf(text, sizeof text, "loads from batch %ld on", fit->prediction.begin);
        else
            snprintf(text, sizeof text, "%s", fit->source == DLQ_FIT_TRACE ? "loads" : "batches");
        add_comment(out, &fit->load, text);
    } else if (strcmp(section, "step") == 0 || strcmp(section, "step.usual") == 0) {
        add_comment(out, &fit->step, "steps");
    } else if (strcmp(section, "overheads") == 0) {
        remark = "                          ; as measured";
    } else if (strstr(section, ".tail") != NULL) {
        remark = "                          ; what slow ones take on top";
    }
    fprintf(out, "[%s]%s\n", section, remark);
    if (strcmp(section, "pipeline") == 0 && name != NULL && name[0] != '\0')
        add_line(out, "name", clean(name, cleaned), "");
}

/* Before the settings that a user will rarely look at, or at the end of [pipeline]. */
static bool is_before_batch_size(const struct dlq_fit *fit, size_t i)
{
    const struct dlq_fit_setting *setting = &fit->settings[i];
    return i > 0 && strcmp(setting[-1].section, "pipeline") == 0 && strncmp(setting[-1].key, "slow_", 5) != 0 &&
           (strcmp(setting->section, "pipeline") != 0 || strcmp(setting->key, "slow_loaders") == 0);
}

char *dlq_fit_configuration(const struct dlq_fit *fit, const char *name, const char *logs)
{
    struct dlq_memory memory;
    char text[NAME_TEXT];
    if (!dlq_memory_begin(&memory))
        return NULL;
    FILE *out = memory.stream;
    fprintf(out, "; Fitted by dlqueue to %s\n\n", clean(logs, text));
    for (size_t i = 0; i < fit->setting_count; i++) {
        const struct dlq_fit_setting *setting = &fit->settings[i];
        if (is_before_batch_size(fit, i))
            fprintf(out, "; batch_size = 256                ; samples per batch: also report samples/s\n");
        if (strcmp(setting->section, "host") == 0)
            break;
        if (i == 0 || strcmp(setting->section, setting[-1].section) != 0)
            begin_section(out, fit, setting->section, name);
        add_line(out, setting->key, setting->value, comment_of(fit, setting));
    }
    fprintf(out, "\n%s[host]                            ; what the machine has%s\n", fit->one_by_one ? "" : "; ",
            fit->one_by_one ? "" : ": then limits and sharing are known");
    fprintf(out, "%s",
            fit->one_by_one ? "cores = 1                         ; not a core: what the loaders wait for\n"
                            : "; cores = 12                        ; and in [load]: uses = cpu\n");
    fprintf(out, "; memory = 64GiB\n"
                 "; price = 3.06                      ; per hour\n");
    return dlq_memory_end(&memory);
}
