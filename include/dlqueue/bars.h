/* Charts of horizontal bars: plain descriptions in, gnuplot script out. */
#ifndef DLQUEUE_BARS_H
#define DLQUEUE_BARS_H

#include "dlqueue/chart.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DLQ_BARS_MOST = 40 };

/* A bar from 0 to value (NAN: none), with a whisker from low to high (NAN or hardly wide: none) and a text behind it.
 */
struct dlq_bar {
    const char *label; /* at the left */
    double value, low, high;
    enum dlq_color color;
    const char *text; /* null: none, or "-" where there is no value */
};

/* Texts are plain (any bytes). The first row is the uppermost. */
struct dlq_bars {
    const char *title, *subtitle; /* the finding; all parameters (wrapped to two lines where long) */
    const char *x_label;
    const struct dlq_bar *rows;
    size_t count;
    double line_x; /* vertical dashed line; NAN: none */
    const char *line_label;
};

/* Writes the script (no `set output`). DLQ_INVALID where no row has a value, there are more than DLQ_BARS_MOST, or the
   size is out of range. */
enum dlq_status dlq_bars_script(const struct dlq_bars *bars, const struct dlq_canvas *canvas, FILE *script,
                                struct dlq_error *error);

#ifdef __cplusplus
}
#endif

#endif
