#include "out/bars_span.h"

#include <math.h>

bool dlq_bars_finite(double value)
{
    return fabs(value) < 1e100;
}

bool dlq_bars_drawn(const struct dlq_bar *bar)
{
    return dlq_bars_finite(bar->value);
}

bool dlq_bars_has_whisker(const struct dlq_bar *bar)
{
    return dlq_bars_drawn(bar) && dlq_bars_finite(bar->low) && dlq_bars_finite(bar->high) &&
           bar->high - bar->low > 1e-9 * fmax(fabs(bar->low), fabs(bar->high));
}

bool dlq_bars_leftward(const struct dlq_bar *bar)
{
    return dlq_bars_drawn(bar) && bar->value < 0;
}

static double leftmost(const struct dlq_bar *bar)
{
    double value = dlq_bars_drawn(bar) ? fmin(0, bar->value) : 0;
    return dlq_bars_has_whisker(bar) ? fmin(value, bar->low) : value;
}

static double rightmost(const struct dlq_bar *bar)
{
    double value = dlq_bars_drawn(bar) ? fmax(0, bar->value) : 0;
    return dlq_bars_has_whisker(bar) ? fmax(value, bar->high) : value;
}

double dlq_bars_end_of(const struct dlq_bar *bar)
{
    return dlq_bars_leftward(bar) ? leftmost(bar) : rightmost(bar);
}

/* An edge of the plot: data end at `at`, and behind them a share of the width is a text's. */
struct edge {
    double at, share;
};

static struct edge left_edge(const struct dlq_bars *bars, const double *share, size_t i)
{
    if (i == bars->count)
        return (struct edge){dlq_bars_finite(bars->line_x) ? fmin(0, bars->line_x) : 0, 0};
    return (struct edge){leftmost(&bars->rows[i]), dlq_bars_leftward(&bars->rows[i]) ? share[i] : 0};
}

static struct edge right_edge(const struct dlq_bars *bars, const double *share, size_t i)
{
    if (i == bars->count)
        return (struct edge){dlq_bars_finite(bars->line_x) ? fmax(0, bars->line_x) : 0, 0.03};
    return (struct edge){rightmost(&bars->rows[i]), dlq_bars_leftward(&bars->rows[i]) ? 0 : share[i]};
}

/* With S the length of the axis and L its lower end: L + S (1 - right share) >= right end and L + S left share <= left
   end, for all rows; hence S >= (right end - left end) / (1 - right share - left share) for each pair of rows. */
void dlq_bars_span(const struct dlq_bars *bars, const double *share, struct dlq_bars_span *span)
{
    double length = 0, low = 0;
    for (size_t i = 0; i <= bars->count; i++)
        for (size_t k = 0; k <= bars->count; k++) {
            struct edge left = left_edge(bars, share, i), right = right_edge(bars, share, k);
            length = fmax(length, (right.at - left.at) / (1 - left.share - right.share));
        }
    if (!(length > 0))
        length = 1;
    for (size_t i = 0; i <= bars->count; i++) {
        struct edge left = left_edge(bars, share, i);
        low = fmin(low, left.at - length * left.share);
    }
    *span = (struct dlq_bars_span){low, low + length};
}
