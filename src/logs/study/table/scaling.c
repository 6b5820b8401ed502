/* Answers by the law that is fitted to a table: predictions, the best count, causes of the plateau, cautions, and the
   most informative next run. */
#include "base/elementary.h"
#include "logs/calibration.h"
#include "logs/study/table/table.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All counts up to EVERY_COUNT are candidates; every THINNED-th particle serves to choose the next run. */
enum { EVERY_COUNT = 64, THINNED = 4 };
#define DENSE 1.02 /* ratio of two neighboring candidates beyond EVERY_COUNT */

static dlq_table_law *const laws[] = DLQ_SETS(dlq_table_law);

/* The state of a fit. */
struct fit {
    const struct dlq_measurements *table;
    const struct dlq_scaling_options *options;
    struct dlq_arena *arena;
    struct problem problem;
    struct level *levels;
    struct particles *particles;
    double normal[PARTICLES], student[PARTICLES]; /* noise of a run */
    double logs[PARTICLES], sorted[PARTICLES];
    double *law; /* log y of each level by the law */
    struct candidates {
        long *counts;
        size_t count, tested, best; /* candidates: all; those up to the largest of the table; index of the best count */
        double (*logs)[PARTICLES];  /* log y */
        double *medians;            /* of these */
        double *probability;        /* that the count is within 3 % of the best */
    } candidates;
};

static long largest_of(const struct fit *fit)
{
    return fit->table->rows[fit->table->count - 1].count;
}

/* The least count >= 1; the table has one. */
static long smallest_of(const struct fit *fit)
{
    size_t i = 0;
    while (fit->table->rows[i].count < 1)
        i++;
    return fit->table->rows[i].count;
}

static void predict(struct fit *fit, long count, double logs[PARTICLES])
{
    const struct level level = dlq_table_level(&fit->problem, count);
    laws[dlq_instructions_best()](&fit->problem, fit->particles, &level, logs);
}

/* The quantiles 2.5, 50 and 97.5 %. */
static struct dlq_estimate quantiles_of(struct fit *fit, const double values[PARTICLES])
{
    memcpy(fit->sorted, values, sizeof fit->sorted);
    double middle = dlq_median(fit->sorted, PARTICLES); /* sorts */
    return (struct dlq_estimate){middle, fit->sorted[PARTICLES / 40], fit->sorted[PARTICLES - 1 - PARTICLES / 40]};
}

/* -- the problem -- */

struct level dlq_table_level(const struct problem *problem, long count)
{
    double n = count > 0 ? (double)count : 1, part = 1 / n;
    if (problem->batches > 0)
        part = ceil(problem->batches / n) / problem->batches;
    return (struct level){.count = (double)count, .log_part = dlq_log(part)};
}

/* The deviation of the logs of steps, by the median of their distances from their median; sorts the logs. */
static double step_noise_of(double *logs, size_t count, double *distances)
{
    const double of_normal = 1.4826; /* standard deviation / median distance, of the normal law */
    if (count < (size_t)dlq_calibration.fewest_alike)
        return STEP_NOISE_MOST;
    const double middle = dlq_median(logs, count);
    for (size_t i = 0; i < count; i++)
        distances[i] = fabs(logs[i] - middle);
    return fmin(fmax(of_normal * dlq_median(distances, count), STEP_NOISE_LEAST), STEP_NOISE_MOST);
}

/* Fills the levels of the table, and the prior. */
static enum dlq_status fill_problem(struct fit *fit)
{
    enum { MANY_ROUNDS = 20 };
    const struct dlq_measurements *table = fit->table;
    struct problem *problem = &fit->problem;
    double *logs, *step_logs, *distances, sum = 0, counted = 0;
    NEW(fit->arena, fit->levels, table->distinct);
    NEW(fit->arena, logs, table->count);
    NEW(fit->arena, step_logs, table->count);
    NEW(fit->arena, distances, table->count);
    *problem = (struct problem){.levels = fit->levels, .rows = table->count, .step_logs = step_logs};
    if (table->batches < MANY_ROUNDS * (double)largest_of(fit))
        problem->batches = table->batches;
    for (size_t i = 0; i < table->count; i++) {
        const struct dlq_measurement *row = &table->rows[i];
        logs[i] = dlq_log(row->seconds);
        if (i == 0 || row->count != row[-1].count) {
            fit->levels[problem->level_count] = dlq_table_level(problem, row->count);
            fit->levels[problem->level_count++].logs = logs + i;
        }
        fit->levels[problem->level_count - 1].measured++;
        sum += row->count > 0 ? logs[i] : 0;
        counted += row->count > 0;
        if (!isnan(row->wait))
            step_logs[problem->step_log_count++] = logs[i] + dlq_log(fmax(1 - row->wait, 1e-3));
    }
    problem->step_noise = step_noise_of(step_logs, problem->step_log_count, distances);
    problem->parameters = table->rows[0].count == 0                        ? PARAMETERS
                          : problem->step_log_count > 0 || table->step > 0 ? PACE
                                                                           : STEP;
    problem->plateau = sum / counted + PLATEAU_BELOW;
    problem->no_steps = table->step == 0;
    problem->measured_step = table->step > 0;
    /* The step of a batch, as part of the time of a run or of a sample. */
    const double batches = table->measure == DLQ_MEASURE_SECONDS && table->batches > 0      ? table->batches
                           : table->measure == DLQ_MEASURE_SAMPLES && table->batch_size > 0 ? 1 / table->batch_size
                                                                                            : 1;
    problem->log_step = table->step > 0 ? dlq_log(table->step * batches) : 0;
    problem->loads = (struct mixture){{1, 0}, {dlq_log(6), 0}, {1.3, 1}};
    if (table->cores > 0)
        problem->loads = (struct mixture){{0.4, 0.6}, {dlq_log(0.8 * table->cores), dlq_log(6)}, {0.35, 1.3}};
    problem->sharpness = (struct mixture){{0.5, 0.5}, {dlq_log(2.2), dlq_log(10)}, {0.6, 0.7}};
    problem->overhead = (struct mixture){{0.88, 0.12}, {dlq_log(0.005), dlq_log(0.3)}, {1.2, 1}};
    return DLQ_OK;
}

/* -- parameters and predictions -- */

/* exp(one + other) for two of enum parameter; other PARAMETERS: exp(one). */
static struct dlq_estimate exponential_of(struct fit *fit, int one, int other)
{
    double values[PARTICLES];
    for (size_t i = 0; i < PARTICLES; i++)
        values[i] =
            dlq_exp(fit->particles->values[one][i] + (other < PARAMETERS ? fit->particles->values[other][i] : 0));
    return quantiles_of(fit, values);
}

/* k of a particle. */
static double sharpness_of(const struct fit *fit, size_t i)
{
    return fmin(fmax(dlq_exp(fit->particles->values[SHARPNESS][i]), SHARPNESS_LEAST), SHARPNESS_MOST);
}

static double step_of(const struct fit *fit, size_t i)
{
    return dlq_exp(fit->particles->values[PLATEAU][i]) / (1 + dlq_exp(-fit->particles->values[STEP][i]));
}

static void fill_law(struct fit *fit, struct dlq_scaling *scaling)
{
    double values[PARTICLES];
    for (size_t i = 0; i < PARTICLES; i++)
        values[i] = sharpness_of(fit, i);
    scaling->sharpness = quantiles_of(fit, values);
    scaling->work = exponential_of(fit, PLATEAU, LOADS);
    scaling->plateau = exponential_of(fit, PLATEAU, PARAMETERS);
    scaling->saturates_at = exponential_of(fit, LOADS, PARAMETERS);
    scaling->overhead = exponential_of(fit, PLATEAU, OVERHEAD);
    scaling->noise = exponential_of(fit, NOISE, PARAMETERS);
    scaling->step = dlq_no_estimate;
    if (fit->problem.no_steps) {
        scaling->step = (struct dlq_estimate){0, 0, 0};
    } else if (fit->problem.parameters > STEP) {
        for (size_t i = 0; i < PARTICLES; i++)
            values[i] = step_of(fit, i);
        scaling->step = quantiles_of(fit, values);
    }
}

static struct dlq_scaling_law law_of(const struct fit *fit, size_t i, bool with_overhead)
{
    const double plateau = dlq_exp(fit->particles->values[PLATEAU][i]);
    return (struct dlq_scaling_law){
        .work = plateau * dlq_exp(fit->particles->values[LOADS][i]),
        .plateau = plateau,
        .sharpness = sharpness_of(fit, i),
        .overhead = with_overhead ? plateau * dlq_exp(fit->particles->values[OVERHEAD][i]) : 0,
    };
}

/* Sets `nearest` to the particle whose curve is nearest to the median curve, by squared differences of logs, up to
   twice the largest count. If the batches of a run are unknown, so is the overhead: curves are compared without it. */
static void fill_nearest(const struct fit *fit, struct dlq_scaling *scaling)
{
    const struct candidates *all = &fit->candidates;
    const bool with_overhead = !isnan(fit->table->batches);
    double least = INFINITY;
    for (size_t i = 0; i < PARTICLES; i++) {
        const struct dlq_scaling_law law = law_of(fit, i, with_overhead);
        double distance = 0;
        for (size_t c = all->counts[0] == 0 ? 1 : 0; c < all->count; c++) {
            const double n = (double)all->counts[c];
            const double log = with_overhead ? all->logs[c][i] : dlq_log(dlq_scaling_seconds(&law, n, NULL));
            distance += dlq_square(log - all->medians[c]);
        }
        if (distance < least) {
            least = distance;
            scaling->nearest = law;
        }
    }
}

/* Predicts a run, in the unit of the table: the curve, with the noise of runs and, beyond the table, with a further
   deviation, since the law may change there. */
static struct dlq_estimate predict_run(struct fit *fit, long count)
{
    const double doubling = 0.6931471805599453; /* ln 2 */
    const double n = count > 0 ? (double)count : 1;
    const double above = n / (double)largest_of(fit), below = (double)smallest_of(fit) / n;
    const double deviation = BEYOND_DEVIATION / doubling * dlq_log(fmax(1, fmax(above, below)));
    predict(fit, count, fit->logs);
    for (size_t i = 0; i < PARTICLES; i++)
        fit->logs[i] += dlq_exp(fit->particles->values[NOISE][i]) * fit->student[i] + deviation * fit->normal[i];
    struct dlq_estimate log = quantiles_of(fit, fit->logs);
    struct dlq_estimate run = {dlq_exp(log.value), dlq_exp(log.low), dlq_exp(log.high)};
    if (fit->table->measure == DLQ_MEASURE_SECONDS)
        return run;
    const bool batches = fit->table->measure == DLQ_MEASURE_BATCHES && fit->table->counted == DLQ_COUNTED_BATCH_SIZE;
    const double size = batches ? n : 1; /* samples of a unit of the measure */
    return (struct dlq_estimate){1 / (size * run.value), 1 / (size * run.high), 1 / (size * run.low)};
}

/* y(n) (theory 37), with the larger of the two powers factored out. W 80, P 10, k 4, b .5: y(8) = 15.892071. */
double dlq_scaling_seconds(const struct dlq_scaling_law *law, double n, double shares[DLQ_SCALING_PARTS])
{
    const double k = law->sharpness, above = dlq_log(law->work / n / law->plateau);
    const double larger = fmax(above, 0), bracket = 1 + dlq_exp(-k * fabs(above));
    const double core = law->plateau * dlq_exp(larger + dlq_log(bracket) / k);
    const double y = core + law->overhead * n, loaders = 1 / (1 + dlq_exp(-k * above));
    if (shares != NULL) {
        shares[DLQ_SCALING_LOADERS] = loaders * core / y;
        shares[DLQ_SCALING_PLATEAU] = (1 - loaders) * core / y;
        shares[DLQ_SCALING_OVERHEAD] = law->overhead * n / y;
    }
    return y;
}

/* Means over the particles; sum to 1. */
static void mean_shares(struct fit *fit, long count, double shares[DLQ_SCALING_PARTS])
{
    double each[DLQ_SCALING_PARTS], n = dlq_exp(-dlq_table_level(&fit->problem, count).log_part);
    memset(shares, 0, DLQ_SCALING_PARTS * sizeof *shares);
    for (size_t i = 0; i < PARTICLES; i++) {
        const struct dlq_scaling_law law = {
            .work = dlq_exp(fit->particles->values[LOADS][i]),
            .plateau = 1,
            .sharpness = sharpness_of(fit, i),
            .overhead = dlq_exp(fit->particles->values[OVERHEAD][i]) * (double)count / n,
        };
        dlq_scaling_seconds(&law, n, each);
        for (size_t p = 0; p < DLQ_SCALING_PARTS; p++)
            shares[p] += each[p] / PARTICLES;
    }
}

/* -- the best count, and the run to make next -- */

static int ascending(const void *left, const void *right)
{
    long a = *(const long *)left, b = *(const long *)right;
    return (a > b) - (a < b);
}

/* Candidates: the counts of the table; and to twice the largest of them, all counts up to 64, then counts 2 % apart. */
static enum dlq_status find_candidates(struct fit *fit)
{
    struct candidates *all = &fit->candidates;
    const long most = 2 * largest_of(fit);
    size_t count = 0, unique = 0;
    NEW(fit->arena, all->counts, fit->table->distinct + EVERY_COUNT + 1024);
    for (size_t i = 0; i < fit->problem.level_count; i++)
        all->counts[count++] = (long)fit->levels[i].count;
    for (long n = 1; n <= most;) {
        all->counts[count++] = n;
        long next = n < EVERY_COUNT ? n + 1 : (long)ceil((double)n * DENSE);
        n = n < most && next > most ? most : next;
    }
    qsort(all->counts, count, sizeof *all->counts, ascending);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || all->counts[i] != all->counts[unique - 1])
            all->counts[unique++] = all->counts[i];
    all->count = unique;
    NEW(fit->arena, all->logs, unique);
    NEW(fit->arena, all->medians, unique);
    NEW(fit->arena, all->probability, unique);
    NEW(fit->arena, fit->law, fit->problem.level_count);
    for (size_t i = 0, level = 0; i < unique; i++) {
        predict(fit, all->counts[i], all->logs[i]);
        all->medians[i] = quantiles_of(fit, all->logs[i]).value;
        all->tested += all->counts[i] <= largest_of(fit);
        if (level < fit->problem.level_count && all->counts[i] == (long)fit->levels[level].count)
            fit->law[level++] = all->medians[i];
    }
    return DLQ_OK;
}

/* Finds the least count within 3 % of the best one of the table's range, in each particle; grows: particles in which a
   larger count gains clearly more. */
static void find_best(struct fit *fit, struct dlq_scaling *scaling)
{
    struct candidates *all = &fit->candidates;
    struct dlq_best_count *best = &scaling->best;
    const double near = dlq_log(1 + dlq_calibration.within_best), gain = dlq_log(1 - dlq_calibration.gain_beyond);
    double first[PARTICLES], grows = 0, lowest_median = INFINITY;
    size_t by_medians = 0;
    for (size_t i = 0; i < PARTICLES; i++) {
        double least = INFINITY, beyond = INFINITY;
        for (size_t c = 0; c < all->count; c++) {
            double *lowest = c < all->tested ? &least : &beyond;
            *lowest = fmin(*lowest, all->logs[c][i]);
        }
        grows += beyond < least + gain;
        bool found = false;
        for (size_t c = 0; c < all->tested; c++) {
            bool close = all->logs[c][i] <= least + near;
            all->probability[c] += close ? 1.0 / PARTICLES : 0;
            if (close && !found)
                first[i] = (double)all->counts[c];
            found = found || close;
        }
    }
    qsort(first, PARTICLES, sizeof *first, dlq_ascending);
    for (size_t c = 0; c < all->tested; c++)
        lowest_median = fmin(lowest_median, all->medians[c]);
    while (all->medians[by_medians] > lowest_median + near)
        by_medians++;
    /* Half of the particles may favor a count that is not within 3 % by the medians, which the answer shows. */
    best->value = fmax(first[PARTICLES / 2], (double)all->counts[by_medians]);
    best->low = first[PARTICLES / 20];
    best->high = first[PARTICLES - 1 - PARTICLES / 20];
    best->more_than_table = grows / PARTICLES;
    best->alike_count = 2;
    best->alike[0] = best->alike[1] = best->value;
    for (size_t c = 0; c < all->tested; c++) {
        all->best = (double)all->counts[c] == best->value ? c : all->best;
        if (all->probability[c] >= dlq_calibration.likely_alike) {
            best->alike[0] = fmin(best->alike[0], (double)all->counts[c]);
            best->alike[1] = fmax(best->alike[1], (double)all->counts[c]);
        }
    }
}

/* Whether a run at the count is worth making: beyond the table, if it ends too early; else between the measured counts
   on either side of those that may be best; not at a count whose repeats agree, nor a step beside a measured one. */
static bool may_be_next(const struct fit *fit, const struct dlq_scaling *scaling, long count)
{
    const struct dlq_best_count *best = &scaling->best;
    const double n = (double)count;
    double below = 0, above = INFINITY;
    if (count < 1)
        return false;
    for (size_t l = 0; l < fit->problem.level_count; l++) {
        const struct level *level = &fit->levels[l];
        const double ratio = level->count > 0 ? fmax(n, level->count) / fmin(n, level->count) : INFINITY;
        if (level->count == n ? dlq_level_repeats(level) : ratio < dlq_calibration.next_apart)
            return false;
        below = level->count < best->alike[0] ? level->count : below;
        above = level->count > best->alike[1] ? fmin(above, level->count) : above;
    }
    return best->more_than_table > dlq_calibration.likely_grows
               ? count > largest_of(fit)
               : n >= below && n <= fmin(above, (double)largest_of(fit));
}

/* A run at n lowers the variance of the logs at target counts by the sum of
   cov(log y_n, log y_target)^2 / (var(log y_n) + 3 sigma^2) (Chaloner and Verdinelli 1995, "Bayesian experimental
   design", Statistical Science 10; linearized). 3 sigma^2 is the variance of sigma t_3. Targets are the counts that may
   be best: larger ones than those of the table, if it ends too early. Of the counts that lower the variance nearly as
   much as possible, the next run has the one nearest to the best count. */
static enum dlq_status find_next_run(struct fit *fit, struct dlq_scaling *scaling)
{
    enum { KEPT = PARTICLES / THINNED };
    const struct candidates *all = &fit->candidates;
    const bool grows = scaling->best.more_than_table > dlq_calibration.likely_grows;
    const double noise = 3 * dlq_square(scaling->noise.value);
    double(*deviations)[KEPT], *reduced, total = 0, most = 0, nearest = INFINITY;
    NEW(fit->arena, deviations, all->count);
    NEW(fit->arena, reduced, all->count);
    for (size_t c = 0; c < all->count; c++) {
        double mean = 0;
        for (size_t i = 0; i < KEPT; i++)
            mean += all->logs[c][THINNED * i] / KEPT;
        for (size_t i = 0; i < KEPT; i++)
            deviations[c][i] = all->logs[c][THINNED * i] - mean;
    }
    for (size_t t = 0; t < all->count; t++) {
        if (grows ? t < all->tested
                  : t >= all->tested || (all->probability[t] < dlq_calibration.likely_alike && t != all->best))
            continue;
        for (size_t c = 0; c < all->count; c++) {
            double covariance = 0, variance = 0;
            for (size_t i = 0; i < KEPT; i++) {
                covariance += deviations[c][i] * deviations[t][i] / KEPT;
                variance += deviations[c][i] * deviations[c][i] / KEPT;
            }
            total += c == t ? variance : 0;
            reduced[c] += dlq_square(covariance) / (variance + noise);
        }
    }
    for (size_t c = 0; c < all->count; c++) {
        reduced[c] = may_be_next(fit, scaling, all->counts[c]) ? reduced[c] : 0;
        most = fmax(most, reduced[c]);
    }
    for (size_t c = 0; c < all->count && most > 0; c++) {
        double distance = fabs(dlq_log(fmax(1, (double)all->counts[c]) / fmax(1, scaling->best.value)));
        if (reduced[c] >= dlq_calibration.as_telling * most && distance < nearest) {
            nearest = distance;
            scaling->next.count = all->counts[c];
        }
    }
    scaling->next.variance_removed = total > 0 ? most / total : 0;
    return DLQ_OK;
}

/* -- the answer -- */

static struct dlq_scaling_row row_of(struct fit *fit, long count)
{
    struct dlq_scaling_row row = {.count = count, .value = predict_run(fit, count), .beyond_table = NAN};
    if (count > 0) {
        row.share_count = DLQ_SCALING_PARTS;
        mean_shares(fit, count, row.shares);
    }
    for (size_t p = 1; p < row.share_count; p++)
        row.largest_part = row.shares[p] > row.shares[row.largest_part] ? (enum dlq_scaling_part)p : row.largest_part;
    if (count > largest_of(fit))
        row.beyond_table = (double)count / (double)largest_of(fit);
    return row;
}

static void fill_rows(struct fit *fit, struct dlq_scaling *scaling)
{
    const struct dlq_measurements *table = fit->table;
    long counts[sizeof scaling->rows / sizeof *scaling->rows];
    size_t count = 0, next = 0;
    for (size_t i = 0; i < fit->problem.level_count; i++)
        counts[count++] = (long)fit->levels[i].count;
    for (size_t i = 0; i < fit->options->at_count; i++)
        counts[count++] = fit->options->at[i];
    counts[count++] = (long)scaling->best.value;
    if (fit->options->now >= 0)
        counts[count++] = fit->options->now;
    qsort(counts, count, sizeof *counts, ascending);
    for (size_t i = 0; i < table->count; i++)
        scaling->measured[i] = table->rows[i].value;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && counts[i] == counts[i - 1])
            continue;
        struct dlq_scaling_row *row = &scaling->rows[scaling->row_count++];
        *row = row_of(fit, counts[i]);
        row->measured = scaling->measured + next;
        for (; next < table->count && table->rows[next].count == counts[i]; next++)
            row->measured_count++;
    }
}

static void fill_causes(struct fit *fit, struct dlq_scaling *scaling)
{
    const double cores = fit->table->cores;
    const bool host = cores > 0, step = !isnan(scaling->step.value);
    double is_step = 0, is_cores = 0, is_other = 0;
    scaling->causes = (struct dlq_plateau_causes){NAN, NAN, NAN};
    if (fit->table->counted != DLQ_COUNTED_LOADERS || (!host && !step))
        return;
    for (size_t i = 0; i < PARTICLES; i++) {
        double loads = dlq_exp(fit->particles->values[LOADS][i]);
        bool by_step = step && !fit->problem.no_steps &&
                       step_of(fit, i) > dlq_calibration.step_is_plateau * dlq_exp(fit->particles->values[PLATEAU][i]);
        bool by_cores = host && loads > dlq_calibration.cores_from * cores && loads < dlq_calibration.cores_to * cores;
        is_step += by_step;
        is_cores += by_cores;
        is_other += !by_step && !by_cores;
    }
    scaling->causes = (struct dlq_plateau_causes){step ? is_step / PARTICLES : NAN, host ? is_cores / PARTICLES : NAN,
                                                  is_other / PARTICLES};
}

/* The gain of the best count over `now`, or over the least count of the table. */
static void fill_gain(struct fit *fit, struct dlq_scaling *scaling)
{
    double gains[PARTICLES];
    const struct candidates *all = &fit->candidates;
    scaling->gain_from = fit->options->now >= 0 ? fit->options->now : fit->table->rows[0].count;
    predict(fit, scaling->gain_from, fit->logs);
    for (size_t i = 0; i < PARTICLES; i++)
        gains[i] = dlq_expm1(fit->logs[i] - all->logs[all->best][i]);
    scaling->gain = quantiles_of(fit, gains);
}

static void fill_cautions(struct fit *fit, struct dlq_scaling *scaling)
{
    const struct dlq_measurements *table = fit->table;
    const long largest = largest_of(fit);
    const double count = (double)largest, most = dlq_log(dlq_calibration.each_more_matters);
    double often = 0, shares[DLQ_SCALING_PARTS];
    if (table->distinct < (size_t)dlq_calibration.fewest_counts)
        dlq_scaling_caution_add(scaling, DLQ_SCALING_FEW_ROWS, (long)table->distinct, NAN);
    if (table->unnamed_rate && dlq_rate_falls(&fit->problem))
        dlq_scaling_caution_add(scaling, DLQ_SCALING_RATE_FALLS, smallest_of(fit), NAN);
    dlq_table_compare_rows(&fit->problem, fit->law, scaling);
    if (scaling->best.more_than_table > dlq_calibration.likely_grows)
        dlq_scaling_caution_add(scaling, DLQ_SCALING_GROWS, largest, scaling->best.more_than_table);
    predict(fit, largest, fit->logs);
    for (size_t i = 0; i < PARTICLES; i++)
        often += fit->particles->values[PLATEAU][i] + fit->particles->values[OVERHEAD][i] + dlq_log(count) >
                 fit->logs[i] + most;
    if (often > dlq_calibration.each_more_likely * PARTICLES) { /* a plateau that bends softly looks much like it */
        mean_shares(fit, largest, shares);
        dlq_scaling_caution_add(scaling, DLQ_SCALING_OVERHEAD_COSTS, largest, shares[DLQ_SCALING_OVERHEAD]);
    }
    if (table->counted == DLQ_COUNTED_LOADERS && isnan(scaling->step.value))
        dlq_scaling_caution_add(scaling, DLQ_SCALING_PLATEAU_UNKNOWN, 0, NAN);
    for (size_t i = 0; i < scaling->row_count; i++)
        if (scaling->rows[i].beyond_table > dlq_calibration.far_beyond)
            dlq_scaling_caution_add(scaling, DLQ_SCALING_BEYOND_TABLE, scaling->rows[i].count,
                                    scaling->rows[i].beyond_table);
}

/* Fills the curve of a chart: whole counts at about equal ratios, from the first row to the last. */
static void fill_curve(struct fit *fit, struct dlq_scaling *scaling)
{
    enum { STEPS = 48 };
    const double first = fmax(1, (double)scaling->rows[0].count);
    const double last = (double)scaling->rows[scaling->row_count - 1].count, ratio = dlq_log(last / first) / STEPS;
    long before = 0;
    for (int k = 0; k <= STEPS; k++) {
        long count = (long)floor(first * dlq_exp(ratio * k) + 0.5);
        if (count == before)
            continue;
        before = count;
        scaling->curve[scaling->point_count++] = row_of(fit, count);
    }
}

enum dlq_status dlq_scaling_fit(const struct dlq_measurements *table, const struct dlq_scaling_options *options,
                                struct dlq_scaling *scaling, struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "fitting a table"};
    struct fit *fit;
    NEW(&arena, fit, 1);
    NEW(&arena, fit->particles, 1);
    fit->arena = &arena;
    fit->table = table;
    fit->options = options;
    TRY(fill_problem(fit));
    TRY(dlq_table_check(&fit->problem, table, error));
    TRY(dlq_table_sample(&fit->problem, options->seed, &arena, fit->particles));
    dlq_table_noise(options->seed, fit->normal, fit->student);
    TRY(find_candidates(fit));
    TRY(dlq_table_check_law(&fit->problem, fit->law, exponential_of(fit, NOISE, PARAMETERS).value, table, error));
    memset(scaling, 0, sizeof *scaling);
    fill_law(fit, scaling);
    find_best(fit, scaling);
    fill_nearest(fit, scaling);
    TRY(find_next_run(fit, scaling));
    fill_rows(fit, scaling);
    fill_causes(fit, scaling);
    fill_gain(fit, scaling);
    fill_cautions(fit, scaling);
    if (options->curve)
        fill_curve(fit, scaling);
    return DLQ_OK;
}
