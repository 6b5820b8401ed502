/* What the rows of a table say by themselves: whether they suffice for a law, whether repeated runs agree, where the
   law misses them, and the gain that they show. The law is fitted elsewhere (scaling.c). */
#include "base/elementary.h"
#include "logs/calibration.h"
#include "logs/study/table/table.h"

#include <math.h>

/* The logs of the times of a count. */
struct spread {
    double least, mean, most;
};

static struct spread spread_of(const struct level *level)
{
    struct spread spread = {INFINITY, 0, -INFINITY};
    for (size_t k = 0; k < level->measured; k++) {
        spread.least = fmin(spread.least, level->logs[k]);
        spread.most = fmax(spread.most, level->logs[k]);
        spread.mean += level->logs[k] / (double)level->measured;
    }
    return spread;
}

static bool agree(const struct level *level)
{
    const struct spread rows = spread_of(level);
    return !(dlq_expm1(rows.most - rows.least) > dlq_calibration.repeats_apart);
}

/* Refuses a step that is longer than the fastest row: no run takes less time than its steps. */
static enum dlq_status check_step(const struct problem *problem, const struct dlq_measurements *table,
                                  struct dlq_error *error)
{
    double fastest = INFINITY;
    for (size_t l = 0; l < problem->level_count; l++)
        fastest = fmin(fastest, spread_of(&problem->levels[l]).least);
    if (!problem->measured_step || problem->log_step <= fastest + dlq_log(1 + dlq_calibration.alike))
        return DLQ_OK;
    return dlq_error_add(
        error, DLQ_INVALID, "the step: steps of %g s add up to %.3g s, and the fastest row took %.3g s%s", table->step,
        dlq_exp(problem->log_step), dlq_exp(fastest),
        table->measure == DLQ_MEASURE_SECONDS ? ""
        : table->measure == DLQ_MEASURE_SAMPLES
            ? isnan(table->batch_size)
                  ? " per sample; if the step is that of a batch, --batch-size says of how many samples"
                  : " per sample"
            : " per batch");
}

/* Refuses a step that may be that of a batch, beside times of runs of unknown batches. */
static enum dlq_status check_batches(const struct problem *problem, const struct dlq_measurements *table,
                                     struct dlq_error *error)
{
    double fastest = INFINITY;
    for (size_t l = 0; l < problem->level_count; l++)
        fastest = fmin(fastest, spread_of(&problem->levels[l]).least);
    const double steps = dlq_exp(fastest - problem->log_step);
    if (!problem->measured_step || table->measure != DLQ_MEASURE_SECONDS || !isnan(table->batches) ||
        steps <= dlq_calibration.steps_of_run)
        return DLQ_OK;
    return dlq_error_add(error, DLQ_INVALID,
                         "the step: the fastest row took %.3g s, as long as %.3g steps of %g s. If that is the step of "
                         "one batch, say how many batches a row has: a line '# batches=1000' in the table, or --set "
                         "simulate.batches=1000. If a row is one batch, give rates (batches_per_s)",
                         dlq_exp(fastest), steps, table->step);
}

/* Refuses too few counts: a bend takes three, and a known step replaces one of them. */
enum dlq_status dlq_table_check(const struct problem *problem, const struct dlq_measurements *table,
                                struct dlq_error *error)
{
    const char *what = dlq_counted_names[table->counted];
    const long largest = table->rows[table->count - 1].count;
    const size_t above = table->distinct - (table->rows[0].count == 0);
    const size_t needed = problem->step_log_count > 0 || !isnan(table->step) ? 2 : 3;
    TRY(check_step(problem, table, error));
    TRY(check_batches(problem, table, error));
    if (above == 0)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "The table cannot tell: only 0 %s were measured. Run 1 and 2 %s next.", what, what);
    if (above == 1)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "The table cannot tell: above 0 only %ld %s were measured, and two counts are needed. Run "
                             "%ld and %ld %s next.",
                             largest, what, 2 * largest, 4 * largest, what);
    if (table->distinct < needed)
        return dlq_error_add(error, DLQ_NO_ANSWER,
                             "The table cannot tell: %zu different %s, and %zu are needed, or two with wait shares or "
                             "--step. Run %ld %s next.",
                             table->distinct, what, needed, 2 * largest, what);
    return DLQ_OK;
}

enum dlq_status dlq_table_check_law(const struct problem *problem, const double *law, double noise,
                                    const struct dlq_measurements *table, struct dlq_error *error)
{
    size_t missed = 0;
    for (size_t l = 0; l < problem->level_count; l++)
        for (size_t k = 0; k < problem->levels[l].measured; k++)
            missed += fabs(problem->levels[l].logs[k] - law[l]) > dlq_calibration.errors_clear * noise;
    if (2 * missed <= problem->rows)
        return DLQ_OK;
    return dlq_error_add(
        error, DLQ_NO_ANSWER,
        "The table cannot tell: no curve explains %zu of its %zu rows. Are these counts of %s, and all "
        "else the same in all runs? Or were the columns swapped?",
        missed, problem->rows, dlq_counted_names[table->counted]);
}

bool dlq_level_repeats(const struct level *level)
{
    return level->measured > 1 && agree(level);
}

bool dlq_rate_falls(const struct problem *problem)
{
    const size_t first = problem->levels[0].count == 0, count = problem->level_count;
    bool falls = count >= first + 3;
    for (size_t l = first + 1; l < count; l++)
        falls = falls && spread_of(&problem->levels[l]).mean >
                             spread_of(&problem->levels[first]).mean + dlq_log(1 + dlq_calibration.alike);
    return falls;
}

static void add(struct dlq_scaling *scaling, struct dlq_scaling_caution caution)
{
    if (scaling->caution_count < DLQ_SCALING_CAUTIONS_MOST)
        scaling->cautions[scaling->caution_count++] = caution;
}

void dlq_scaling_caution_add(struct dlq_scaling *scaling, enum dlq_scaling_caution_name name, long count, double number)
{
    add(scaling, (struct dlq_scaling_caution){name, count, number, 0, NAN, NAN});
}

/* Adds the cautions of a count: of runs far from the law, which are outliers unless they agree with one another, and of
   runs far from one another. next: the next larger count; null: there is none. */
static void caution_of_level(const struct level *level, const struct level *next, double law,
                             struct dlq_scaling *scaling)
{
    const struct spread rows = spread_of(level);
    const double far = dlq_calibration.errors_clear * scaling->noise.value, apart = dlq_expm1(rows.most - rows.least);
    const long count = (long)level->count;
    if (dlq_level_repeats(level) && (rows.least - law > far || law - rows.most > far)) {
        struct dlq_scaling_caution missed = {DLQ_SCALING_LAW_MISSES, count, dlq_expm1(rows.mean - law), 0, NAN, NAN};
        if (next != NULL && count > 0) {
            missed.next = (long)next->count;
            missed.faster = dlq_exp(rows.mean - spread_of(next).mean);
            missed.most_faster = dlq_exp(level->log_part - next->log_part);
        }
        add(scaling, missed);
    } else {
        for (size_t k = 0; k < level->measured; k++)
            if (fabs(level->logs[k] - law) > far)
                dlq_scaling_caution_add(scaling, DLQ_SCALING_OUTLIER, count, dlq_expm1(level->logs[k] - law));
    }
    if (apart > dlq_calibration.repeats_apart)
        dlq_scaling_caution_add(scaling, DLQ_SCALING_REPEATS_DIFFER, count, apart);
}

/* The count, if it was measured, its runs agree, and a single run of it is not far from the law; else null. */
static const struct level *trusted(const struct problem *problem, const double *law, double noise, double count)
{
    for (size_t l = 0; l < problem->level_count; l++) {
        const struct level *level = &problem->levels[l];
        if (level->count == count)
            return agree(level) && (level->measured > 1 ||
                                    !(fabs(level->logs[0] - law[l]) > dlq_calibration.errors_clear * noise))
                       ? level
                       : NULL;
    }
    return NULL;
}

void dlq_table_compare_rows(const struct problem *problem, const double *law, struct dlq_scaling *scaling)
{
    const size_t count = problem->level_count;
    for (size_t l = 0; l < count; l++)
        caution_of_level(&problem->levels[l], l + 1 < count ? &problem->levels[l + 1] : NULL, law[l], scaling);
    const double noise = scaling->noise.value;
    const struct level *from = trusted(problem, law, noise, (double)scaling->gain_from);
    const struct level *best = trusted(problem, law, noise, scaling->best.value);
    scaling->best.gain_measured = NAN;
    if (from == NULL || best == NULL)
        return;
    scaling->best.gain_measured = dlq_expm1(spread_of(from).mean - spread_of(best).mean);
    scaling->gain.low = fmin(scaling->gain.low, scaling->best.gain_measured);
    scaling->gain.high = fmax(scaling->gain.high, scaling->best.gain_measured);
}
