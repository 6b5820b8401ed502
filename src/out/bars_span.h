/* The x axis of a chart of bars: wide enough for bars, whiskers, line and texts. */
#ifndef OUT_BARS_SPAN_H
#define OUT_BARS_SPAN_H

#include "dlqueue/bars.h"

struct dlq_bars_span {
    double low, high;
};

/* gnuplot loses its way in numbers near the end of the range of double. */
bool dlq_bars_finite(double value);
bool dlq_bars_drawn(const struct dlq_bar *bar);
bool dlq_bars_has_whisker(const struct dlq_bar *bar);
/* Does its text stand at its left? */
bool dlq_bars_leftward(const struct dlq_bar *bar);
/* Where bar and whisker end on the side of the text; 0 where nothing is drawn. */
double dlq_bars_end_of(const struct dlq_bar *bar);

/* The shortest axis on which every text fits; share: what the text of each row takes of the width; together less than 1
   for a text at the left and one at the right. */
void dlq_bars_span(const struct dlq_bars *bars, const double *share, struct dlq_bars_span *span);

#endif
