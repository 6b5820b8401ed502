/* What is said of a table of measured runs, and the configuration that follows from it. */
#include "base/elementary.h"
#include "logs/calibration.h"
#include "logs/report/report.h"

#include <stdlib.h>

const char *dlq_counted_say(enum dlq_counted counted, double count, char text[DLQ_TEXT_NUMBER])
{
    static const char *const words[] = {"loader", "rank", "thread"};
    if (counted == DLQ_COUNTED_BATCH_SIZE || counted == DLQ_COUNTED_PREFETCH)
        snprintf(text, DLQ_TEXT_NUMBER, "%s %s", counted == DLQ_COUNTED_PREFETCH ? "prefetch" : "batch size",
                 SAY_COUNT(count));
    else
        snprintf(text, DLQ_TEXT_NUMBER, "%s %s%s", SAY_COUNT(count), words[counted], PLURAL(count));
    return text;
}

const char *dlq_part_say(enum dlq_counted counted, enum dlq_scaling_part part)
{
    return part == DLQ_SCALING_LOADERS   ? dlq_counted_names[counted]
           : part == DLQ_SCALING_PLATEAU ? "plateau"
                                         : "each more";
}

/* "3 to 8"; "3" */
#define SAY_ALIKE(best) alike_say((best), (char[2 * DLQ_TEXT_NUMBER]){0})
static const char *alike_say(const struct dlq_best_count *best, char text[2 * DLQ_TEXT_NUMBER])
{
    int used = snprintf(text, DLQ_TEXT_NUMBER, "%s", SAY_COUNT(best->alike[0]));
    if (best->alike[1] > best->alike[0])
        snprintf(text + used, DLQ_TEXT_NUMBER, " to %s", SAY_COUNT(best->alike[1]));
    return text;
}

/* -- cautions -- */

static const struct {
    const char *name, *sentence;
} caution_words[DLQ_SCALING_CAUTIONS] = {
    [DLQ_SCALING_FEW_ROWS] = {"few-rows", "The table has {n} different counts: other tables tell the shape of the "
                                          "curve, not this one."},
    [DLQ_SCALING_BEYOND_TABLE] = {"beyond-table", "{count}, {factor} times the largest count of the table: another "
                                                  "limit may come before."},
    [DLQ_SCALING_GROWS] = {"grows", "More than {count} may gain over {gain} % (probability {probability}): the table "
                                    "ends too early."},
    [DLQ_SCALING_EACH_MORE_COSTS] =
        {"each-more-costs", "With {count}, {share} of the time is what each more costs. Workers start one after the "
                            "other, or each reads all data once, or they hinder one another. An epoch of twice the "
                            "length tells start-up from the others; persistent workers avoid it."},
    [DLQ_SCALING_OUTLIER] = {"outlier", "A run with {count} took {off} than the other rows say: run it again."},
    [DLQ_SCALING_REPEATS_DIFFER] = {"repeats-differ", "Runs with {count} differ by {share}: run each count several "
                                                      "times."},
    [DLQ_SCALING_PLATEAU_UNKNOWN] =
        {"plateau-unknown", "Step, receiving, a lock and storage look alike in this table. The share of the time that "
                            "a run waits tells them apart (column wait), or the step time (--step), or loading "
                            "without steps (--step 0)."},
};

static void say_caution(const struct dlq_table_answer *answer, const struct dlq_scaling_caution *caution,
                        struct dlq_phrase *text)
{
    const double number = caution->number;
    char off[DLQ_TEXT_NUMBER];
    snprintf(off, sizeof off, "%.0f %% %s", 100 * fabs(number), number > 0 ? "longer" : "less");
    const struct dlq_word words[] = {{"n", SAY_COUNT(caution->count)},
                                     {"count", SAY_COUNTED(answer->table->counted, (double)caution->count)},
                                     {"factor", SAY_NUMBER(number, 2)},
                                     {"gain", SAY_NUMBER(100 * dlq_calibration.gain_beyond, 2)},
                                     {"probability", SAY_FIXED(number, 2)},
                                     {"share", SAY_SHARE(number)},
                                     {"off", off},
                                     {NULL, NULL}};
    dlq_phrase_fill(text, caution_words[caution->name].sentence, words);
}

/* -- sentences -- */

static void say_plateau(const struct dlq_table_answer *answer, struct dlq_phrase *text)
{
    const struct dlq_scaling *scaling = answer->scaling;
    const struct dlq_plateau_causes *causes = &scaling->causes;
    const double cores = answer->table->cores, likely = 0.5;
    const char *at_once = SAY_NUMBER(scaling->saturates_at.value, 2);
    if (isnan(causes->other))
        return;
    if (isnan(causes->step) && causes->cores <= likely)
        SAY(text,
            "The plateau is that of %s loads at once, not of %s cores: the step, receiving batches, a lock or storage.",
            at_once, SAY_NUMBER(cores, 3));
    else if (causes->step > likely)
        SAY(text, "The plateau is the training step (probability %s).", SAY_FIXED(causes->step, 2));
    else if (causes->cores > likely)
        SAY(text, "The plateau is that of %s loads at once: the %s cores (probability %s).", at_once,
            SAY_NUMBER(cores, 3), SAY_FIXED(causes->cores, 2));
    else if (causes->other > likely && answer->table->step == 0)
        SAY(text, "The plateau is that of %s loads at once%s%s%s and no step: receiving batches, a lock or storage.",
            at_once, cores > 0 ? ", not of " : "", cores > 0 ? SAY_NUMBER(cores, 3) : "", cores > 0 ? " cores," : "");
    else {
        SAY(text, "The table cannot tell what the plateau, that of %s loads at once, is:", at_once);
        if (!isnan(causes->step))
            SAY(text, " the step with probability %s,", SAY_FIXED(causes->step, 2));
        if (!isnan(causes->cores))
            SAY(text, " the cores with %s,", SAY_FIXED(causes->cores, 2));
        SAY(text, " receiving batches, a lock or storage with %s.", SAY_FIXED(causes->other, 2));
    }
}

/* Which part of the time a count has, for `gain_from` and the best count. */
static const struct dlq_scaling_row *row_at(const struct dlq_scaling *scaling, long count)
{
    size_t i = 0;
    while (i + 1 < scaling->row_count && scaling->rows[i].count != count)
        i++;
    return &scaling->rows[i];
}

static void say_limits(const struct dlq_table_answer *answer, struct dlq_phrase *text)
{
    static const char *const others[] = {"work that more would share", "what more do not make shorter",
                                         "what each more costs"};
    const struct dlq_scaling_row *row = row_at(answer->scaling, answer->scaling->gain_from);
    SAY(text, "With %s ", SAY_COUNTED(answer->table->counted, (double)row->count));
    if (row->share_count == 0) {
        SAY(text, "the trainer loads for itself, and load and step add up.");
        return;
    }
    const char *share = SAY_SHARE(row->shares[row->binds]);
    if (row->binds == DLQ_SCALING_LOADERS && answer->table->counted == DLQ_COUNTED_LOADERS)
        SAY(text, "loading is the bottleneck: %s of the time is the work of the loaders.", share);
    else
        SAY(text, "%s of the time is %s.", share, others[row->binds]);
}

static void say_change(const struct dlq_table_answer *answer, struct dlq_phrase *change)
{
    const struct dlq_best_count *best = &answer->scaling->best;
    const char *of = SAY_COUNTED(answer->table->counted, best->value);
    SAY(change, best->alike[1] > best->alike[0] ? "%s; %s are alike (within %s %%)." : "%s.", of, SAY_ALIKE(best),
        SAY_NUMBER(100 * dlq_calibration.within_best, 2));
}

void dlq_table_say(struct dlq_table_answer *answer)
{
    const struct dlq_scaling *scaling = answer->scaling;
    const enum dlq_counted counted = answer->table->counted;
    struct dlq_phrase limits = {.text = answer->limits, .size = sizeof answer->limits};
    struct dlq_phrase change = {.text = answer->change, .size = sizeof answer->change};
    struct dlq_phrase gain = {.text = answer->gain, .size = sizeof answer->gain};
    struct dlq_phrase plateau = {.text = answer->plateau, .size = sizeof answer->plateau};
    struct dlq_phrase next = {.text = answer->next, .size = sizeof answer->next};
    answer->caution_count = scaling->caution_count;
    for (size_t i = 0; i < scaling->caution_count; i++) {
        struct dlq_table_caution_said *said = &answer->cautions[i];
        struct dlq_phrase text = {.text = said->text, .size = sizeof said->text};
        said->name = caution_words[scaling->cautions[i].name].name;
        say_caution(answer, &scaling->cautions[i], &text);
    }
    say_limits(answer, &limits);
    say_change(answer, &change);
    say_plateau(answer, &plateau);
    SAY(&gain, "%s times as fast as %s (95 %%: %s to %s).", SAY_NUMBER(1 + scaling->gain.value, 3),
        SAY_COUNTED(counted, (double)scaling->gain_from), SAY_NUMBER(1 + scaling->gain.low, 3),
        SAY_NUMBER(1 + scaling->gain.high, 3));
    SAY(&next, "A run with %s: it would explain %s of what is unsure.",
        SAY_COUNTED(counted, (double)scaling->next.count), SAY_SHARE(scaling->next.explains));
}

/* -- the configuration -- */

/* Seconds of a batch for a second of the table's unit of work; NAN, with the reason in `why`: the table lacks it. */
static double batch_seconds(const struct dlq_measurements *table, char why[DLQ_TABLE_TEXT])
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
    fprintf(out, "%-34s; %s\n", line, comment);
}

char *dlq_table_configuration(const struct dlq_measurements *table, const struct dlq_scaling *scaling, const char *name,
                              const char *file, char why[DLQ_TABLE_TEXT])
{
    struct dlq_memory memory;
    const struct dlq_plateau_causes *causes = &scaling->causes;
    const double factor = batch_seconds(table, why), plateau = scaling->plateau.value * factor;
    const double step = scaling->step.value * factor, likely = 0.5;
    const bool by_step = causes->step > likely, by_cores = !by_step && causes->cores > likely;
    const bool reached =
        scaling->best.more_than_table <= dlq_calibration.likely_grows; /* else the plateau is unknown */
    const bool by_other = reached && !by_step && !by_cores && !isnan(step) && causes->other > likely;
    if (isnan(factor) || !dlq_memory_begin(&memory))
        return NULL;
    FILE *out = memory.stream;
    fprintf(out, "; Fitted by dlqueue to the table %s: %zu rows\n", file, table->count);
    const double softer = dlq_pow(2, 1 / scaling->sharpness.value) - 1; /* at n = W/P, for n between work and plateau */
    fprintf(
        out,
        "; A table does not tell how loads vary: cv is not set. Its bend is softer than the model's, which is up to\n"
        "; %.0f %% faster with about %.0f loaders.\n\n",
        100 * softer, scaling->saturates_at.value);
    fprintf(out, "[pipeline]\nname         = %s\n", name);
    fprintf(out, "loaders      = %.0f\n", scaling->best.value);
    if (!isnan(table->batch_size))
        fprintf(out, "batch_size   = %.0f\n", table->batch_size);
    fprintf(out, "\n[load]\n");
    add_time(out, "mean", scaling->work.value * factor, "the work of one loader");
    if (by_cores)
        fprintf(out, "uses         = cpu\n");
    fprintf(out, "\n[step]\n");
    if (by_step || isnan(step) || (reached && !by_cores && !by_other))
        add_time(out, "mean", plateau, by_step ? "the plateau" : "the plateau, whatever makes it");
    else
        add_time(out, "mean", step, "as given, or as the table tells");
    if (by_other || !isnan(table->batches)) {
        const double runs = table->measure == DLQ_MEASURE_SECONDS ? 1 : table->batches * factor;
        fprintf(out, "\n[overheads]\n");
        if (by_other)
            add_time(out, "receive", fmax(0, plateau - step), "of the plateau, what is neither step nor cores");
        if (!isnan(table->batches))
            add_time(out, "startup_per_loader", scaling->each_more.value * runs, "what each more costs");
    }
    if (by_cores)
        fprintf(out, "\n[host]\ncores        = %g\n", table->cores);
    if (!isnan(table->batches))
        fprintf(out, "\n[simulate]\nbatches      = %.0f\n", table->batches);
    return dlq_memory_end(&memory);
}
