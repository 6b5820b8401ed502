/* Writes the configuration of a fit, to logs or to a table: settings with comments. */
#include "base/elementary.h"
#include "logs/calibration.h"
#include "logs/report/report.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_TEXT = 100, COMMENT_WIDTH = 100 };

/* Makes a text fit for a line: cuts it, and writes _ for all that ends a line, starts a comment, or is not ASCII. */
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

/* Writes comment lines, broken between words. */
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

/* Writes comments on a law: the number of times it is fitted to (what: "loads"), its mean and cv; and the three best
   laws, if AIC compared several. */
static void add_law(FILE *out, const struct dlq_fit_law *law, const char *what)
{
    if (law->only_bound)
        fprintf(out, "; a batch takes at most %s on average\n", SAY_TIME(law->mean_high, 4));
    else if (law->n > 0 && law->mean_high > law->mean_low)
        fprintf(out, "; fitted to %ld %s: mean %s (95 %%: %s to %s), cv %s\n", law->n, what, SAY_TIME(law->mean, 4),
                SAY_TIME(law->mean_low, 4), SAY_TIME(law->mean_high, 4), SAY_CV(law->cv));
    else if (law->n > 0)
        fprintf(out, "; fitted to %ld %s: mean %s, cv %s\n", law->n, what, SAY_TIME(law->mean, 4), SAY_CV(law->cv));
    bool compared = law->tried_count > 1 && !isnan(law->tried[1].aic_above);
    for (size_t i = 0; compared && i < law->tried_count && i < 3; i++)
        fprintf(out, "%s%s%s", i == 0 ? "; " : ", then ", law->tried[i].distribution,
                i + 1 == law->tried_count || i == 2 ? " by AIC\n" : "");
}

/* The comment after a value, or after the name of a section. */
static const char *comment_of(const struct dlq_fit *fit, const char *name)
{
    static const struct {
        const char *name, *comment;
    } comments[] = {
        {"load_scale", "the threads load a batch together: its work, in the times measured"},
        {"slow_ranks", "ranks whose loads took longer than those of the others"},
        {"slow_loaders", "workers that were slower than the others"},
        {"persistent", "whether workers persist from epoch to epoch"},
        {"startup", "until the workers begin, at the start of an epoch"},
        {"dispatch", "from dispatch to the start of a load"},
        {"deliver", "from the end of a load until the batch can be received"},
        {"receive", "per batch, in the training process"},
        {"barrier", "per step, with several ranks"},
        {"[overheads]", "as measured"},
        {"[load.tail]", "what slow ones take on top"},
        {"[step.tail]", "what slow ones take on top"},
        {"[step.pause2]", "the same in another rhythm"},
        {"[step.pause]", "what one step in so many takes on top: a checkpoint, a validation"},
        {"cores", "not a core: what the loaders wait for"},
    };
    if (strcmp(name, "loaders") == 0 && !fit->loaders_known)
        return "assumed, the logs do not tell: no count follows from it; see --loaders";
    for (size_t i = 0; i < sizeof comments / sizeof *comments; i++)
        if (strcmp(name, comments[i].name) == 0)
            return comments[i].comment;
    return "";
}

static void add_line(FILE *out, const char *line, const char *comment)
{
    fprintf(out, comment[0] != '\0' ? "%-34s; %s\n" : "%s\n", line, comment);
}

void dlq_fit_times_write(FILE *stream, const struct dlq_replay_times *times, const char *logs)
{
    char cleaned[NAME_TEXT];
    fprintf(stream,
            "# Recorded times of %s, s, in their order: loads with the gap before each, steps with all other work\n"
            "" DLQ_FIT_LOAD_COLUMN "," DLQ_FIT_STEP_COLUMN "\n",
            clean(logs, cleaned));
    for (size_t i = 0; i < times->count; i++)
        fprintf(stream, "%.9g,%.9g\n", times->loads[i], times->steps[i]);
}

/* Says why the configuration has recorded times. */
static void add_recorded(FILE *out, const struct dlq_fit *fit)
{
    char text[2 * DLQ_FIT_TEXT];
    snprintf(text, sizeof text,
             "The recorded times, in their order, from any place on: with them the model makes %s batches/s, and %s "
             "were measured. The fitted distributions (%s; of steps %s), drawn independently, miss that by %+.1f %%.",
             SAY_NUMBER(fit->predicted.value, 4), SAY_NUMBER(fit->rate, 4), fit->load.distribution,
             fit->step.distribution, 100 * fit->laws_error);
    add_remark(out, text);
}

char *dlq_fit_configuration(const struct dlq_fit *fit, const char *name, const char *logs)
{
    struct dlq_memory memory;
    char text[2 * DLQ_FIT_TEXT], cleaned[NAME_TEXT], warnings[DLQ_FIT_WARNINGS][DLQ_FIT_TEXT];
    const size_t warning_count = dlq_fit_warnings(fit, warnings);
    if (!dlq_memory_begin(&memory))
        return NULL;
    FILE *out = memory.stream;
    fprintf(out, "; Fitted by dlqueue to %s\n", clean(logs, cleaned));
    for (size_t i = 0; i < warning_count; i++)
        add_remark(out, warnings[i]);
    fputc('\n', out);
    for (size_t i = 0; i < fit->setting_count; i++) {
        const struct dlq_fit_setting *setting = &fit->settings[i];
        if (i == 0 || strcmp(setting->section, setting[-1].section) != 0) {
            if (i > 0 && strcmp(setting[-1].section, "pipeline") == 0)
                add_line(out, "; batch_size = 256", "samples per batch: also report samples/s");
            fprintf(out, "%s", i > 0 ? "\n" : "");
            if (fit->carries_times && strcmp(setting->section, "load") == 0)
                add_recorded(out, fit);
            if (!fit->carries_times &&
                (strcmp(setting->section, "load") == 0 || strcmp(setting->section, "load.usual") == 0))
                add_law(out, &fit->load,
                        fit->source != DLQ_FIT_TRACE ? "batches"
                        : fit->prediction.begin > 0  ? "later loads"
                                                     : "loads");
            if (!fit->carries_times &&
                (strcmp(setting->section, "step") == 0 || strcmp(setting->section, "step.usual") == 0))
                add_law(out, &fit->step, "steps");
            snprintf(text, sizeof text, "[%s]", setting->section);
            add_line(out, text, comment_of(fit, text));
            if (i == 0 && name != NULL && name[0] != '\0')
                fprintf(out, "%-12s = %s\n", "name", clean(name, cleaned));
        }
        snprintf(text, sizeof text, "%-12s = %s", setting->key, setting->value);
        add_line(out, text, comment_of(fit, setting->key));
    }
    /* The settings of loads that exclude one another have a [host] of their own, with cores = 1. */
    if (!fit->one_by_one || fit->carries_times) {
        fputc('\n', out);
        add_line(out, "; [host]", "what the machine has: then limits and sharing are known");
        add_line(out, "; cores = 12", "and in [load]: uses = cpu");
    }
    add_line(out, "; memory = 64GiB", "");
    add_line(out, "; price = 3.06", "per hour");
    return dlq_memory_end(&memory);
}

/* -- of a table of measured runs -- */

/* The factor from the `seconds` of a row to seconds per batch; NAN: the table does not tell, as `why` explains. */
static double batch_factor(const struct dlq_measurements *table, char why[DLQ_TABLE_TEXT])
{
    why[0] = '\0';
    if (table->counted != DLQ_COUNTED_LOADERS)
        snprintf(why, DLQ_TABLE_TEXT, "a configuration follows from a table of loaders, not of %s",
                 dlq_counted_names[table->counted]);
    else if (table->measure == DLQ_MEASURE_SAMPLES && isnan(table->batch_size))
        snprintf(
            why, DLQ_TABLE_TEXT,
            "a configuration needs the samples of a batch: --batch-size, or a line '# batch_size=32' in the table");
    else if (table->measure == DLQ_MEASURE_SECONDS && isnan(table->batches))
        snprintf(why, DLQ_TABLE_TEXT,
                 "a configuration needs the batches of a run: --set simulate.batches=1000, or a line '# batches=1000' "
                 "in the table");
    else
        return table->measure == DLQ_MEASURE_SAMPLES   ? table->batch_size
               : table->measure == DLQ_MEASURE_SECONDS ? 1 / table->batches
                                                       : 1;
    return NAN;
}

static void add_time(FILE *out, const char *key, double seconds, const char *comment)
{
    char line[DLQ_TEXT_NUMBER + 32], value[DLQ_QUANTITY_TEXT];
    char rounded[DLQ_TEXT_NUMBER];
    snprintf(rounded, sizeof rounded, "%.4g", seconds);
    dlq_quantity_exact(strtod(rounded, NULL), DLQ_UNIT_TIME, value);
    snprintf(line, sizeof line, "%-12s = %s", key, value);
    add_line(out, line, comment);
}

/* [host] contention makes the model follow the law of the table (theory 38). It is not written where the step causes
   the plateau and the curve bends about as sharply as without; where cores do, [host] cores is. Then the user can try
   other steps or numbers of cores, but the curve of the model bends more sharply than that of the table. */
char *dlq_table_configuration(const struct dlq_measurements *table, const struct dlq_scaling *scaling, const char *name,
                              const char *file, const char *plateau, char why[DLQ_TABLE_TEXT])
{
    struct dlq_memory memory;
    char cleaned[NAME_TEXT];
    const struct dlq_plateau_causes *causes = &scaling->causes;
    const struct dlq_scaling_law *law = &scaling->nearest;
    const double factor = batch_factor(table, why), step = scaling->step.value;
    const double alone = dlq_scaling_seconds(law, 1, NULL) - law->overhead; /* one loader */
    const bool by_step = causes->step > DLQ_LIKELY_CAUSE, by_cores = !by_step && causes->cores > DLQ_LIKELY_CAUSE;
    /* y(n) / max(W/n, P) - 1 where it is largest, at n = W/P (symbols: dlqueue/logs/measurements.h) */
    const double softer = dlq_pow(2, 1 / scaling->sharpness.value) - 1;
    const bool contends = by_step ? softer > dlq_calibration.alike : !by_cores;
    if (isnan(factor) || !dlq_memory_begin(&memory))
        return NULL;
    FILE *out = memory.stream;
    fprintf(out, "; Fitted by dlqueue to the table %s: %zu rows\n", clean(file, cleaned), table->count);
    if (!contends)
        fprintf(out,
                "; A table does not tell how loads vary: cv is not set. Its bend is softer than the model's, which is "
                "up to\n; %.0f %% faster with about %.0f loaders.\n",
                100 * softer, scaling->saturates_at.value);
    else
        fprintf(out,
                "; A table does not tell how loads vary: cv is not set, and contention stands for it, for delivery "
                "in order and\n; for all else that bends the curve.\n");
    add_remark(out, plateau);
    if (by_step && contends)
        add_remark(
            out, "Step and contention here have the same limit: where solve or plan names contention, it is the step.");
    fprintf(out, "\n[pipeline]\nname         = %s\nloaders      = %.0f\n", clean(name, cleaned), scaling->best.value);
    if (!isnan(table->batch_size))
        fprintf(out, "batch_size   = %.0f\n", table->batch_size);
    if (!isnan(table->batches))
        fprintf(out, "epoch_batches = %.0f\nepochs       = 1\n", table->batches);
    fprintf(out, "\n[load]\n%s", contends || by_cores ? "uses         = cpu\n" : "");
    add_time(out, "mean", (contends ? alone : scaling->work.value) * factor, "of one loader alone");
    fprintf(out, "\n[step]\n");
    if (by_step || isnan(step))
        add_time(out, "mean", law->plateau * factor, by_step ? "the plateau" : "the plateau, whatever makes it");
    else
        add_time(out, "mean", fmin(step, law->plateau) * factor, "as given, or as the table tells");
    if (!isnan(table->batches)) {
        fprintf(out, "\n[overheads]\n");
        add_time(out, "startup_per_loader",
                 law->overhead * (table->measure == DLQ_MEASURE_SECONDS ? 1 : table->batches * factor),
                 "what each more costs");
    }
    if (by_cores)
        fprintf(out, "\n[host]\ncores        = %g\n", table->cores);
    if (contends)
        fprintf(out, "\n[host]\ncontention   = %.4g%%\nsharpness    = %.3g\n", 100 * fmin(1, law->plateau / alone),
                law->sharpness);
    return dlq_memory_end(&memory);
}
