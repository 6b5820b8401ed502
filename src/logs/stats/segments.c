/* Divides a series into segments: stretches of different levels (phases), or finds a level that drifts. */
#include "dist/dist.h"
#include "logs/calibration.h"
#include "logs/stats/stats.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>

/* Numbers of blocks: at most in a series; at least on each side of a border; at least in a series that is tested for
   borders, and for a drift. Permutations of a test. Borders at most. */
enum { MOST_BLOCKS = 200, SIDE = 5, FEWEST = 12, FEWEST_OF_DRIFT = 20, PERMUTATIONS = 999, MOST_BORDERS = 16 };

struct search {
    const double *x;
    size_t n, length, count; /* numbers of values, of values of a block, and of blocks */
    gsl_rng *rng;
    double means[MOST_BLOCKS];                  /* of the blocks */
    size_t borders[MOST_BORDERS], border_count; /* first block after each border, ascending */
};

static double mean_of(const double *x, size_t from, size_t until)
{
    double sum = 0;
    for (size_t i = from; i < until; i++)
        sum += x[i];
    return sum / (double)(until - from);
}

/* Midranks with mean 0 and variance 1; all 0 if all values are equal. */
static void rank(const double *x, size_t m, double *z)
{
    size_t order[MOST_BLOCKS];
    double squares = 0;
    gsl_sort_index(order, x, 1, m);
    for (size_t i = 0, end; i < m; i = end) {
        for (end = i + 1; end < m && x[order[end]] <= x[order[i]]; end++)
            ;
        for (size_t k = i; k < end; k++)
            z[order[k]] = (double)(i + end) / 2 - (double)m / 2;
    }
    for (size_t i = 0; i < m; i++)
        squares += z[i] * z[i];
    const double scale = squares > 0 ? 1 / sqrt(squares / (double)m) : 0;
    for (size_t i = 0; i < m; i++)
        z[i] *= scale;
}

/* T = max |sum of z over the arc| / sqrt(l (m - l) / m) over all arcs of l of the m scores z with SIDE <= l <= m - SIDE
   (Olshen, Venkatraman, Lucito and Wigler 2004, "Circular binary segmentation", Biostatistics 5, equation 2, for scores
   with mean 0 and variance 1). The best arc is *from..*until - 1. */
static double largest_arc(const double *z, size_t m, size_t *from, size_t *until)
{
    double sums[MOST_BLOCKS + 1], most = 0;
    sums[0] = 0;
    for (size_t i = 0; i < m; i++)
        sums[i + 1] = sums[i] + z[i];
    for (size_t length = SIDE; length + SIDE <= m; length++) {
        const double weight = (double)m / ((double)length * (double)(m - length));
        double best = 0;
        for (size_t i = 0; i + length <= m; i++) {
            const double inside = sums[i + length] - sums[i];
            best = inside * inside > best ? inside * inside : best;
        }
        if (best * weight <= most)
            continue;
        most = best * weight;
        for (size_t i = 0; i + length <= m; i++)
            if ((sums[i + length] - sums[i]) * (sums[i + length] - sums[i]) >= best) {
                *from = i;
                *until = i + length;
                break;
            }
    }
    return sqrt(most);
}

/* The ratio of the standard deviations of sums over long stretches: of an autoregression of order 1 with lag-1
   correlation r, and of independent values: sqrt((1 + r) / (1 - r)). r is clamped to 0..0.9. */
static double inflation(double r)
{
    r = fmin(fmax(r, 0), 0.9);
    return sqrt((1 + r) / (1 - r));
}

/* The lag-1 correlation of residuals of scores with variance 1; 0 if the residuals are only rounding errors. */
static double lag_1(const double *residuals, size_t m)
{
    double products = 0, squares = 0;
    for (size_t i = 0; i < m; i++) {
        squares += residuals[i] * residuals[i];
        products += i > 0 ? residuals[i] * residuals[i - 1] : 0;
    }
    return squares > 1e-9 * (double)m ? products / squares : 0;
}

/* The median of the lag-1 correlations r within stretches of n scores, so that a few changes of level do not count as
   correlation. Each is corrected for its bias, -(1 + 3 r) / n (Kendall 1954). INFINITY: there are few stretches. */
static double usual_lag_1(const double *z, size_t m)
{
    enum { STRETCH = 20, FEWEST_STRETCHES = 4 };
    double found[MOST_BLOCKS / STRETCH], residuals[STRETCH];
    const size_t count = m / STRETCH;
    for (size_t k = 0; k < count; k++) {
        const double *stretch = z + k * m / count, level = mean_of(stretch, 0, STRETCH);
        for (size_t i = 0; i < STRETCH; i++)
            residuals[i] = stretch[i] - level;
        const double r = lag_1(residuals, STRETCH);
        found[k] = r + (1 + 3 * fmax(r, 0)) / STRETCH;
    }
    return count >= FEWEST_STRETCHES ? dlq_median(found, count) : INFINITY;
}

/* Whether the statistic of at most a share `level` of the permutations of z is t or more. Permutes z. */
static bool is_rare(gsl_rng *rng, double *z, size_t m, double t, double level,
                    double (*statistic)(const double *z, size_t m))
{
    double reached = 1;
    for (int i = 0; i < PERMUTATIONS && reached <= level * (PERMUTATIONS + 1); i++) {
        gsl_ran_shuffle(rng, z, m, sizeof *z);
        reached += statistic(z, m) >= t * (1 - 1e-12) ? 1 : 0;
    }
    return reached <= level * (PERMUTATIONS + 1);
}

static double arc_statistic(const double *z, size_t m)
{
    size_t from, until;
    return largest_arc(z, m, &from, &until);
}

/* Whether an arc of the m block means x differs from the other means. The estimate of the correlation, which is biased
   downward by the choice of the arc, is raised so that false alarms of correlated blocks are rare (theory 36). */
static bool has_arc(const struct search *search, const double *x, size_t m, size_t *from, size_t *until)
{
    double z[MOST_BLOCKS], residuals[MOST_BLOCKS], blocks = (double)m;
    if (m < FEWEST)
        return false;
    rank(x, m, z);
    double t = largest_arc(z, m, from, until);
    if (!(t > 0))
        return false;
    for (size_t i = 0, until_here; i < m; i = until_here) {
        until_here = i < *from ? *from : i < *until ? *until : m;
        const double level = mean_of(z, i, until_here);
        for (size_t k = i; k < until_here; k++)
            residuals[k] = z[k] - level;
    }
    const double r = lag_1(residuals, m) + 1 / blocks;
    t /= inflation(fmin(r + (2 + 3 * fmax(r, 0)) / blocks, usual_lag_1(z, m)));
    return is_rare(search->rng, z, m, t, dlq_calibration.rare, arc_statistic);
}

static void add_border(struct search *search, size_t border)
{
    if (search->border_count < MOST_BORDERS)
        search->borders[search->border_count++] = border;
}

/* Finds borders, in ascending order, within the blocks from..until - 1, and recursively within the parts. An end of an
   arc closer than SIDE to an end of these blocks moves to that end. */
static void divide(struct search *search, size_t from, size_t until)
{
    size_t begin, end;
    if (search->border_count == MOST_BORDERS || !has_arc(search, search->means + from, until - from, &begin, &end))
        return;
    begin = begin < SIDE ? from : from + begin;
    end = until - from - end < SIDE ? until : from + end;
    if (begin == from && end == until)
        return;
    if (begin > from) {
        divide(search, from, begin);
        add_border(search, begin);
    }
    divide(search, begin, end);
    if (end < until) {
        add_border(search, end);
        divide(search, end, until);
    }
}

static double ratio_of(double a, double b)
{
    return fmin(a, b) > 0 ? fmax(a, b) / fmin(a, b) : fmax(a, b) > 0 ? INFINITY : 1;
}

/* Joins the most similar neighbors while their means differ by less than phases_differ, or there are too many. */
static void join(const struct search *search, size_t *begin, size_t *count)
{
    while (*count > 1) {
        double least = INFINITY;
        size_t at = 1;
        for (size_t k = 1; k < *count; k++) {
            const double ratio =
                ratio_of(mean_of(search->x, begin[k - 1], begin[k]), mean_of(search->x, begin[k], begin[k + 1]));
            if (ratio < least) {
                least = ratio;
                at = k;
            }
        }
        if (least >= dlq_calibration.phases_differ && *count <= DLQ_MOST_SEGMENTS)
            return;
        memmove(begin + at, begin + at + 1, (*count - at) * sizeof *begin);
        --*count;
    }
}

/* Moves each border within two blocks to the least-squares change point between both levels (Hinkley 1970). */
static void refine(const struct search *search, size_t *begin, size_t count)
{
    double levels[MOST_BORDERS + 1];
    for (size_t k = 0; k < count; k++)
        levels[k] = mean_of(search->x, begin[k], begin[k + 1]);
    for (size_t k = 1; k < count; k++) {
        const size_t reach = 2 * search->length;
        const size_t from = begin[k] > begin[k - 1] + reach + 1 ? begin[k] - reach : begin[k - 1] + 1;
        const size_t until = begin[k] + reach + 1 < begin[k + 1] ? begin[k] + reach : begin[k + 1] - 1;
        const double middle = (levels[k - 1] + levels[k]) / 2;
        double sum = 0, most = -INFINITY;
        for (size_t i = from; i < until; i++) {
            sum += (search->x[i] - middle) * (levels[k] > levels[k - 1] ? -1 : 1);
            if (sum > most) {
                most = sum;
                begin[k] = i + 1;
            }
        }
    }
}

/* -- drift -- */

/* |sum of z[i] (i - mean i)|: Spearman's rank correlation of the scores and time, up to a factor. */
static double slope_statistic(const double *z, size_t m)
{
    double sum = 0;
    for (size_t i = 0; i < m; i++)
        sum += z[i] * ((double)i - ((double)m - 1) / 2);
    return fabs(sum);
}

/* The residuals of z from the best-fitting non-decreasing series, by pooling adjacent violators (Ayer et al. 1955). */
static void isotonic_residuals(const double *z, size_t m, double *residuals)
{
    double fit[MOST_BLOCKS];
    size_t weight[MOST_BLOCKS], pools = 0;
    for (size_t i = 0; i < m; i++) {
        fit[pools] = z[i];
        weight[pools++] = 1;
        for (; pools > 1 && fit[pools - 2] > fit[pools - 1]; pools--) {
            const double a = (double)weight[pools - 2], b = (double)weight[pools - 1];
            fit[pools - 2] = (a * fit[pools - 2] + b * fit[pools - 1]) / (a + b);
            weight[pools - 2] += weight[pools - 1];
        }
    }
    for (size_t pool = 0, i = 0; pool < pools; pool++)
        for (size_t k = 0; k < weight[pool]; k++, i++)
            residuals[i] = z[i] - fit[pool];
}

/* Finds a level that rises or falls all the time: a permutation test of Spearman's rank correlation of block means and
   time, whose statistic is reduced for the lag-1 correlation of the residuals from a monotone fit. */
static void find_drift(const struct search *search, struct dlq_segments *segments)
{
    const size_t m = search->count, end = m / 10 > 2 ? m / 10 : 2;
    double z[MOST_BLOCKS], residuals[MOST_BLOCKS];
    if (m < FEWEST_OF_DRIFT)
        return;
    const double first = mean_of(search->means, 0, end), last = mean_of(search->means, m - end, m);
    if (!(ratio_of(first, last) > dlq_calibration.drift_matters))
        return;
    const int sign = last > first ? 1 : -1;
    rank(search->means, m, z);
    for (size_t i = 0; i < m; i++)
        z[i] *= sign;
    isotonic_residuals(z, m, residuals);
    const double inflated = inflation(lag_1(residuals, m) + 2 / (double)m), t = slope_statistic(z, m) / inflated;
    if (!(t > 0) || !is_rare(search->rng, z, m, t, dlq_calibration.improbable, slope_statistic))
        return;
    *segments = (struct dlq_segments){.count = 1, .begin = {0, search->n}, .drift = sign};
    /* Steady after the last stretch whose mean is a tenth of the drift and 1.5 standard errors from the final one. */
    double squares = 0;
    for (size_t i = 0; i < m; i++)
        z[i] = sign * search->means[i];
    isotonic_residuals(z, m, residuals);
    for (size_t i = 0; i < m; i++)
        squares += residuals[i] * residuals[i];
    const double error = inflated * sqrt(2 * squares / (double)m / (double)end);
    const double alike = fmax(dlq_calibration.alike * fabs(first - last), dlq_calibration.drift_ended * error);
    for (size_t i = 0; i + end <= m; i++)
        if (fabs(mean_of(search->means, i, i + end) - last) > alike)
            segments->steady = (i + end / 2 + 1) * search->length;
}

/* Whether a drift may explain the segments better: their levels only rise, or only fall, and there are three or more,
   or a line explains a larger sum of squares of the block means than the two levels. */
static bool may_drift(const struct search *search, const size_t *begin, size_t count)
{
    const size_t m = search->count;
    double level[MOST_BORDERS + 1], levels = 0, products = 0, squares = 0;
    size_t rises = 0, falls = 0;
    const double mean = mean_of(search->means, 0, m), middle = ((double)m - 1) / 2;
    for (size_t k = 0; k < count; k++) {
        level[k] = mean_of(search->x, begin[k], begin[k + 1]) - mean;
        levels += level[k] * level[k] * (double)(begin[k + 1] - begin[k]) / (double)search->length;
        rises += k > 0 && level[k] > level[k - 1];
        falls += k > 0 && level[k] < level[k - 1];
    }
    for (size_t i = 0; i < m; i++) {
        products += ((double)i - middle) * (search->means[i] - mean);
        squares += ((double)i - middle) * ((double)i - middle);
    }
    return (rises + 1 == count || falls + 1 == count) && (count > 2 || products * products / squares > levels);
}

enum dlq_status dlq_segments_find(struct dlq_arena *arena, const double *x, size_t n, size_t turn, uint64_t seed,
                                  struct dlq_segments *segments)
{
    struct search *search;
    size_t begin[MOST_BORDERS + 2], count = 1, least = turn > 1 ? turn : 1;
    *segments = (struct dlq_segments){.count = 1, .begin = {0, n}};
    NEW(arena, search, 1);
    TRY(dlq_stream_new(arena, seed, &search->rng));
    search->x = x;
    search->n = n;
    search->length = least * (n / least / (MOST_BLOCKS + 1) + 1);
    search->count = n / search->length;
    if (search->count < FEWEST)
        return DLQ_OK;
    for (size_t k = 0; k < search->count; k++)
        search->means[k] = mean_of(x, k * search->length, (k + 1) * search->length);
    divide(search, 0, search->count);
    begin[0] = 0;
    for (size_t k = 0; k < search->border_count; k++)
        begin[count++] = search->borders[k] * search->length;
    begin[count] = n;
    join(search, begin, &count);
    refine(search, begin, count);
    segments->count = count;
    memcpy(segments->begin, begin, (count + 1) * sizeof *begin);
    if (count == 1 || may_drift(search, begin, count))
        find_drift(search, segments);
    return DLQ_OK;
}
