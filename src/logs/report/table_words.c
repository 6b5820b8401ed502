/* Sentences about a table of measured runs. */
#include "logs/calibration.h"
#include "logs/report/report.h"

#include <math.h>

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
    [DLQ_SCALING_OVERHEAD_COSTS] = {"each-more-costs",
                                    "With {count}, {share} of the time is what each more costs.{why}"},
    [DLQ_SCALING_OUTLIER] = {"outlier", "A run with {count} took {off} than the other rows say: run it again."},
    [DLQ_SCALING_REPEATS_DIFFER] = {"repeats-differ", "Runs with {count} differ by {share}: run each count several "
                                                      "times."},
    [DLQ_SCALING_PLATEAU_UNKNOWN] =
        {"plateau-unknown", "Step, receiving, a lock and storage look alike in this table. The share of the time that "
                            "a run waits tells them apart (column wait), or the step time (--step), or loading "
                            "without steps (--step 0)."},
    [DLQ_SCALING_LAW_MISSES] = {"law-misses", "Runs with {count} agree with one another, and took {off} than the law "
                                              "of all rows says.{why}"},
    [DLQ_SCALING_RATE_FALLS] = {"rate-falls", "The throughput is highest with {count}, and lower with any more: if "
                                              "these are times, name the column seconds."},
};

/* Says why the law misses runs that agree. */
static void say_miss(const struct dlq_table_answer *answer, const struct dlq_scaling_caution *caution,
                     struct dlq_phrase *text)
{
    if (caution->number > 0 && caution->faster > (1 + dlq_calibration.alike) * caution->most_faster)
        SAY(text,
            " With %s a run was %s times as fast, and more of them alone make it at most %s times as fast: something "
            "else slowed these runs, such as data that was not in memory yet.",
            SAY_COUNTED(answer->table->counted, (double)caution->next), SAY_NUMBER(caution->faster, 3),
            SAY_NUMBER(caution->most_faster, 3));
    else
        SAY(text, " The curve of the rows bends in another way: near this count, believe the rows.");
}

static void say_caution(const struct dlq_table_answer *answer, const struct dlq_scaling_caution *caution,
                        struct dlq_phrase *text)
{
    const double number = caution->number;
    char off[DLQ_TEXT_NUMBER], why[300] = "";
    if (caution->name == DLQ_SCALING_LAW_MISSES)
        say_miss(answer, caution, &(struct dlq_phrase){.text = why, .size = sizeof why});
    if (caution->name == DLQ_SCALING_OVERHEAD_COSTS && answer->table->counted == DLQ_COUNTED_LOADERS)
        snprintf(why, sizeof why, "%s",
                 " Workers start one after the other, or each reads all data once, or they hinder one another. An "
                 "epoch of twice the length tells start-up from the others; persistent workers avoid it.");
    snprintf(off, sizeof off, "%.0f %% %s", 100 * fabs(number), number > 0 ? "longer" : "less");
    /* The meaning of `number` depends on the caution (measurements.h); its sentence uses the words that apply. */
    const struct dlq_word words[] = {{"n", SAY_COUNT(caution->count)},
                                     {"count", SAY_COUNTED(answer->table->counted, (double)caution->count)},
                                     {"factor", SAY_NUMBER(number, 2)},
                                     {"gain", SAY_NUMBER(100 * dlq_calibration.gain_beyond, 2)},
                                     {"probability", SAY_FIXED(number, 2)},
                                     {"share", SAY_SHARE(number)},
                                     {"off", off},
                                     {"why", why},
                                     {NULL, NULL}};
    dlq_phrase_fill(text, caution_words[caution->name].sentence, words);
}

/* -- sentences -- */

static void say_plateau(const struct dlq_table_answer *answer, struct dlq_phrase *text)
{
    const struct dlq_scaling *scaling = answer->scaling;
    const struct dlq_plateau_causes *causes = &scaling->causes;
    const double cores = answer->table->cores;
    const char *at_once = SAY_NUMBER(scaling->saturates_at.value, 2);
    if (isnan(causes->other))
        return;
    if (isnan(causes->step) && causes->cores <= DLQ_LIKELY_CAUSE)
        SAY(text,
            "The plateau is that of %s loads at once, not of %s cores: the step, receiving batches, a lock or storage.",
            at_once, SAY_NUMBER(cores, 3));
    else if (causes->step > DLQ_LIKELY_CAUSE)
        SAY(text, "The plateau is the training step (probability %s).", SAY_FIXED(causes->step, 2));
    else if (causes->cores > DLQ_LIKELY_CAUSE)
        SAY(text, "The plateau is that of %s loads at once: the %s cores (probability %s).", at_once,
            SAY_NUMBER(cores, 3), SAY_FIXED(causes->cores, 2));
    else if (causes->other > DLQ_LIKELY_CAUSE && answer->table->step == 0)
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

/* The row of a count; the last one if there is none. */
static const struct dlq_scaling_row *row_at(const struct dlq_scaling *scaling, long count)
{
    size_t i = 0;
    while (i + 1 < scaling->row_count && scaling->rows[i].count != count)
        i++;
    return &scaling->rows[i];
}

static void say_limits(const struct dlq_table_answer *answer, struct dlq_phrase *text)
{
    /* By enum dlq_scaling_part. */
    static const char *const others[] = {"work that more would share", "what more do not make shorter",
                                         "what each more costs"};
    const struct dlq_scaling_row *row = row_at(answer->scaling, answer->scaling->gain_from);
    const struct dlq_measurement *rows = answer->table->rows, *last = &rows[answer->table->count - 1];
    SAY(text, "With %s ", SAY_COUNTED(answer->table->counted, (double)row->count));
    if (row->count < rows->count || row->count > last->count)
        SAY(text, "(beyond the measured runs, of %s to %s: by the law alone) ", SAY_COUNT(rows->count),
            SAY_COUNT(last->count));
    else if (row->measured_count == 0)
        SAY(text, "(not measured: by the law alone) ");
    if (row->share_count == 0) {
        SAY(text, "the trainer loads for itself, and load and step add up.");
        return;
    }
    const char *share = SAY_SHARE(row->shares[row->largest_part]);
    if (row->largest_part == DLQ_SCALING_LOADERS && answer->table->counted == DLQ_COUNTED_LOADERS)
        SAY(text, "loading is the bottleneck: %s of the time is the work of the loaders.", share);
    else
        SAY(text, "%s of the time is %s.", share, others[row->largest_part]);
}

static void say_change(const struct dlq_table_answer *answer, struct dlq_phrase *change)
{
    const struct dlq_best_count *best = &answer->scaling->best;
    const bool more = best->more_than_table > DLQ_LIKELY_CAUSE;
    const bool measured = row_at(answer->scaling, (long)best->value)->measured_count > 0;
    SAY(change, "%s%s%s", more ? "At least " : "", SAY_COUNTED(answer->table->counted, best->value),
        measured ? "" : " (not measured)");
    if (more && answer->scaling->next.count > 0)
        SAY(change, "; run %s next", SAY_COUNT(answer->scaling->next.count));
    else if (best->alike[1] > best->alike[0])
        SAY(change, "; %s to %s may be alike (within %s %%)", SAY_COUNT(best->alike[0]), SAY_COUNT(best->alike[1]),
            SAY_NUMBER(100 * dlq_calibration.within_best, 2));
    SAY(change, ".");
}

static void say_gain(const struct dlq_table_answer *answer, struct dlq_phrase *text)
{
    const struct dlq_scaling *scaling = answer->scaling;
    const struct dlq_estimate *gain = &scaling->gain;
    const double measured = scaling->best.gain_measured;
    const char *from = SAY_COUNTED(answer->table->counted, (double)scaling->gain_from);
    const char *low = SAY_NUMBER(1 + gain->low, 3), *high = SAY_NUMBER(1 + gain->high, 3);
    if (scaling->best.value == (double)scaling->gain_from && scaling->best.more_than_table > DLQ_LIKELY_CAUSE) {
        SAY(text, "Of the measured counts, none is faster than %s.", from);
    } else if (scaling->best.value == (double)scaling->gain_from) {
        SAY(text, "No faster: %s is the best count already, or within %s %% of it.", from,
            SAY_NUMBER(100 * dlq_calibration.within_best, 2));
    } else if ((measured == gain->low || measured == gain->high) && /* it widened the interval */
               fabs(measured - gain->value) > dlq_calibration.alike * (1 + gain->value)) {
        SAY(text,
            "%s times as fast as %s by the measured runs; by the law of all rows %s times (95 %%, widened to hold "
            "the measured: %s to %s).",
            SAY_NUMBER(1 + measured, 3), from, SAY_NUMBER(1 + gain->value, 3), low, high);
    } else if (gain->value < dlq_calibration.gain_shown - 1) {
        SAY(text, "No faster than %s (95 %%: %s to %s times as fast).", from, low, high);
    } else {
        SAY(text, "%s times as fast as %s (95 %%: %s to %s).", SAY_NUMBER(1 + gain->value, 3), from, low, high);
        if (!isnan(measured))
            SAY(text, " The measured runs of both say %s times.", SAY_NUMBER(1 + measured, 3));
    }
}

static bool is_measured(const struct dlq_scaling *scaling, long count)
{
    const struct dlq_scaling_row *row = row_at(scaling, count);
    return row->count == count && row->measured_count > 0;
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
    say_gain(answer, &gain);
    if (scaling->next.count == 0)
        SAY(&next, "No run would tell much more.");
    else if (scaling->next.variance_removed < dlq_calibration.tells_little)
        SAY(&next,
            "No run would tell much more: the most telling, with %s, would remove %s of the variance of the best "
            "times.",
            SAY_COUNTED(counted, (double)scaling->next.count), SAY_SHARE(scaling->next.variance_removed));
    else
        SAY(&next, "%s run with %s: it would remove %s of the variance of the best times.",
            is_measured(scaling, scaling->next.count) ? "Another" : "A",
            SAY_COUNTED(counted, (double)scaling->next.count), SAY_SHARE(scaling->next.variance_removed));
}
