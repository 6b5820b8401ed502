/* Load times that are not alike: on one worker, when many run, over the run. */
#include "base/elementary.h"
#include "base/quantity.h"
#include "study/contrast.h"
#include "study/reasons.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Both must hold: so improbable by chance, and so large. A worker's median is that of few loads. */
static const double IMPROBABLE = 1e-4;
static const double WORTH_SAYING = 1.1;
static const double CLEARLY_SLOW = 1.2;

enum { LEAST_LOADS = 30, LEAST_OF_WORKER = 5, STRETCH = 64 };

static void readable(double seconds, char text[DLQ_QUANTITY_TEXT])
{
    dlq_quantity_readable(seconds, DLQ_UNIT_TIME, 2, text);
}

/* -- one worker -- */

static struct dlq_group_moments moments(double count, double mean, double squares)
{
    return (struct dlq_group_moments){.mean = mean, .variance = squares / fmax(1, count - 1), .count = count};
}

/* All but one of them: what Welford's sums were before it was merged. */
static struct dlq_group_moments others_of(const struct dlq_spread *all, const struct dlq_spread *one)
{
    double count = all->count - one->count;
    if (count < 1)
        return moments(0, 0, 0);
    double mean = (all->count * all->mean - one->count * one->mean) / count;
    double apart = one->mean - mean;
    double squares = all->squares - one->squares - apart * apart * count * one->count / all->count;
    return moments(count, mean, fmax(0, squares));
}

/* The slowest worker of a rank, by the geometric mean of its loads, among those that differ from the others. */
struct slowest {
    size_t rank, worker;
    double log_factor;
    size_t slow; /* how many are slow */
};

static void look_at_rank(const struct dlq_evidence *evidence, size_t rank, struct slowest *slowest)
{
    size_t workers = (size_t)evidence->measured->workers;
    const struct dlq_spread *own = &evidence->logs[rank * workers];
    struct dlq_spread all = {0};
    for (size_t w = 0; w < workers; w++)
        dlq_spread_merge(&all, &own[w]);
    for (size_t w = 0; w < workers; w++) {
        struct dlq_group_moments one = moments(own[w].count, own[w].mean, own[w].squares);
        struct dlq_group_moments others = others_of(&all, &own[w]);
        double factor = one.mean - others.mean;
        double tests = (double)(workers * evidence->measured->ranks);
        if (one.count < LEAST_OF_WORKER || others.count < LEAST_OF_WORKER || factor < dlq_log(CLEARLY_SLOW) ||
            dlq_welch(&one, &others) * tests > IMPROBABLE)
            continue;
        slowest->slow++;
        if (factor > slowest->log_factor) {
            slowest->log_factor = factor;
            slowest->rank = rank;
            slowest->worker = w;
        }
    }
}

/* Medians of the slowest worker's loads and of the rank's others; the number that the log calls it by. */
static void medians_of(struct dlq_evidence *evidence, const struct slowest *slowest, double medians[2], long *number)
{
    const struct dlq_measured_run *measured = evidence->measured;
    size_t counts[2] = {0};
    for (size_t k = 0; k < measured->batches; k++) {
        size_t place = slowest->rank * measured->batches + k;
        bool own = measured->worker[place] == slowest->worker;
        double *values = own ? evidence->x : evidence->y;
        values[counts[own ? 0 : 1]++] = measured->sent[place].load;
        if (own)
            *number = measured->sent[place].worker;
    }
    medians[0] = dlq_median(evidence->x, counts[0]);
    medians[1] = dlq_median(evidence->y, counts[1]);
}

bool dlq_reason_worker(struct dlq_evidence *evidence, char text[DLQ_REASON_TEXT])
{
    const struct dlq_measured_run *measured = evidence->measured;
    struct slowest slowest = {0};
    double medians[2];
    long number = 0;
    char own[DLQ_QUANTITY_TEXT];
    char others[DLQ_QUANTITY_TEXT];
    char rank[32] = "";
    char more[48] = "";
    for (size_t r = 0; r < measured->ranks && measured->workers > 1; r++)
        look_at_rank(evidence, r, &slowest);
    if (slowest.slow == 0)
        return false;
    medians_of(evidence, &slowest, medians, &number);
    if (!(medians[0] >= CLEARLY_SLOW * medians[1]))
        return false;
    readable(medians[0], own);
    readable(medians[1], others);
    if (measured->ranks > 1)
        snprintf(rank, sizeof rank, " of rank %zu", slowest.rank);
    if (slowest.slow > 1)
        snprintf(more, sizeof more, " (%zu of the workers are slow)", slowest.slow);
    snprintf(text, DLQ_REASON_TEXT, "Worker %ld%s takes %.2g times as long as the others (median %s against %s)%s",
             number, rank, medians[0] / medians[1], own, others, more);
    size_t length = strlen(text);
    snprintf(text + length, DLQ_REASON_TEXT - length, "%s Look at its core, its host and its files.",
             measured->loader->order == DLQ_ORDER_INDEX ? ": delivery in order holds the whole pipeline to its pace."
                                                        : ".");
    return true;
}

/* -- cores, or whatever loads share -- */

/* y[i]: the load over the geometric mean of its worker's; x[i]: how many others of the rank ran when it began. Loads
   that do not depend on each other do not depend on what ran before them. */
static size_t crowds(struct dlq_evidence *evidence)
{
    const struct dlq_measured_run *measured = evidence->measured;
    size_t n = measured->batches;
    double *starts = evidence->scratch;
    double *ends = evidence->scratch + measured->ranks * n;
    size_t count = 0;
    for (size_t r = 0; r < measured->ranks; r++) {
        const struct dlq_batch *sent = &measured->sent[r * n];
        for (size_t k = 0; k < n; k++) {
            starts[k] = sent[k].load_start;
            ends[k] = sent[k].load_end;
        }
        gsl_sort(starts, 1, n);
        gsl_sort(ends, 1, n);
        for (size_t k = 0; k < n; k++) {
            size_t place = r * n + k;
            const struct dlq_spread *own = &evidence->logs[r * (size_t)measured->workers + measured->worker[place]];
            size_t begun = dlq_count_up_to(starts, n, sent[k].load_start);
            size_t ended = dlq_count_up_to(ends, n, sent[k].load_start);
            evidence->x[count] = begun > ended + 1 ? (double)(begun - ended - 1) : 0;
            evidence->y[count++] = sent[k].load / dlq_exp(own->mean);
        }
    }
    return count;
}

static double mean_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

/* Is a load's time related to how many ran, within stretches of the run? Where load times drift, both change together
   from one stretch to the next. */
static bool related_to_crowd(const struct dlq_evidence *evidence, size_t n)
{
    double *x = evidence->within;
    double *y = evidence->within + n;
    for (size_t at = 0; at < n; at += STRETCH) {
        size_t length = n - at < STRETCH ? n - at : STRETCH;
        double x_mean = mean_of(evidence->x + at, length);
        double y_mean = mean_of(evidence->y + at, length);
        for (size_t i = at; i < at + length; i++) {
            x[i] = evidence->x[i] - x_mean;
            y[i] = evidence->y[i] - y_mean;
        }
    }
    struct dlq_rank_correlation found = dlq_rank_correlation(x, y, n, evidence->scratch);
    return found.r > 0 && found.probability <= IMPROBABLE;
}

/* Medians of y where x is in its lowest and in its highest third; false: these are the same. */
static bool outer_thirds(const struct dlq_evidence *evidence, size_t n, double crowd[2], double medians[2])
{
    double *values = evidence->scratch;
    for (size_t i = 0; i < n; i++)
        values[i] = evidence->x[i];
    crowd[0] = dlq_quantile(values, n, 1 / 3.0);
    crowd[1] = dlq_quantile(values, n, 2 / 3.0);
    for (size_t side = 0; side < 2; side++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (side == 0 ? evidence->x[i] <= crowd[0] : evidence->x[i] >= crowd[1])
                values[count++] = evidence->y[i];
        medians[side] = dlq_median(values, count);
    }
    return crowd[1] > crowd[0];
}

bool dlq_reason_cores(struct dlq_evidence *evidence, char text[DLQ_REASON_TEXT])
{
    const struct dlq_measured_run *measured = evidence->measured;
    double crowd[2];
    double medians[2];
    if (!measured->has_starts || measured->workers < 2 || measured->ranks * measured->batches < LEAST_LOADS)
        return false;
    size_t n = crowds(evidence);
    if (!related_to_crowd(evidence, n) || !outer_thirds(evidence, n, crowd, medians) ||
        !(medians[1] >= WORTH_SAYING * medians[0]))
        return false;
    evidence->crowded = true;
    snprintf(text, DLQ_REASON_TEXT,
             "Loads take %.2g times as long when %.0f or more others run as when %.0f or fewer do (medians): workers "
             "share cores, memory or storage. Fewer workers would lose little; see [host] cores and bandwidth.",
             medians[1] / medians[0], crowd[1], crowd[0]);
    return true;
}

/* -- the run's beginning and its end -- */

bool dlq_reason_drift(struct dlq_evidence *evidence, char text[DLQ_REASON_TEXT])
{
    const struct dlq_measured_run *measured = evidence->measured;
    size_t third = measured->batches / 3;
    size_t n = 0;
    double medians[2];
    char first[DLQ_QUANTITY_TEXT];
    char last[DLQ_QUANTITY_TEXT];
    /* Where loads slow each other down, load times follow how many run: that need not be a drift of their own. */
    if (evidence->crowded || measured->ranks * measured->batches < LEAST_LOADS)
        return false;
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t k = 0; k < measured->batches; k++) {
            if (k >= third && k < measured->batches - third)
                continue;
            evidence->x[n] = k < third ? 0 : 1;
            evidence->y[n++] = measured->sent[r * measured->batches + k].load;
        }
    struct dlq_rank_correlation found = dlq_rank_correlation(evidence->x, evidence->y, n, evidence->scratch);
    for (size_t side = 0; side < 2; side++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (evidence->x[i] == (double)side)
                evidence->scratch[count++] = evidence->y[i];
        medians[side] = dlq_median(evidence->scratch, count);
    }
    double factor = medians[1] / medians[0];
    if (found.probability > IMPROBABLE || !(factor >= WORTH_SAYING || factor <= 1 / WORTH_SAYING))
        return false;
    readable(medians[0], first);
    readable(medians[1], last);
    snprintf(text, DLQ_REASON_TEXT,
             "Load times drift: the median is %s in the first third of the run and %s in the last. Caches that fill, "
             "files that grow or other jobs do that; one law for all loads describes neither part.",
             first, last);
    return true;
}
