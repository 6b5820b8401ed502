/* A series as impulses, and its autocorrelation below. Plain descriptions in, gnuplot script out. */
#ifndef DLQUEUE_IMPULSES_H
#define DLQUEUE_IMPULSES_H

#include "dlqueue/chart.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dlq_impulses {
    const char *title, *subtitle; /* the finding; all parameters (wrapped to two lines where long) */
    const char *x_label, *y_label;
    const double *values; /* values[i] at x = first + i; >= 0 */
    size_t count;
    double first;
    double alarm;                        /* values above are red; INFINITY: none */
    const char *alarm_name, *usual_name; /* for the key; null: none */
    const char *lag_label, *acf_label;
    const double *acf; /* acf[0..lags], of which 1..lags are drawn; null: `empty` is written in the lower panel */
    size_t lags;
    double band; /* +- : a gray band with `band_label` */
    const char *band_label;
    long mark;         /* lags that are multiples of it are red, with a point; 0: none */
    const char *note;  /* beside the first marked lag, or at the top of the lower panel; null: none */
    const char *empty; /* why there is no autocorrelation */
    long tics;         /* both x axes have tics at multiples of it where they have room; 0: chosen */
};

/* Writes the script (no `set output`). DLQ_INVALID where there is nothing to draw, or the size is out of range. */
enum dlq_status dlq_impulses_script(const struct dlq_impulses *impulses, const struct dlq_canvas *canvas, FILE *script,
                                    struct dlq_error *error);

#ifdef __cplusplus
}
#endif

#endif
