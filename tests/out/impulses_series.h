/* Series with a rhythm, their scripts, and where things are in these. */
#ifndef TESTS_OUT_IMPULSES_SERIES_H
#define TESTS_OUT_IMPULSES_SERIES_H

#include "chart_script.h"

#include "dlqueue/impulses.h"

enum { MOST = 70000, LAGS = 400 };

static double values[MOST], acf[LAGS + 1];
static unsigned long seed;

static inline double uniform(void)
{
    seed = (seed * 6364136223846793005UL + 1442695040888963407UL) & 0xffffffffffffffffUL;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* A rhythm of 7: every 7th value is large, and the autocorrelation is that of such a series, about. */
static inline struct dlq_impulses rhythm(size_t count)
{
    seed = 20240607;
    for (size_t i = 0; i < count; i++)
        values[i] = i % 7 == 0 ? 0.6 + uniform() : 0.07 * uniform();
    for (size_t lag = 0; lag <= LAGS; lag++)
        acf[lag] = lag % 7 == 0 ? 0.91 * pow(0.985, (double)lag) : -0.16 + 0.02 * uniform();
    return (struct dlq_impulses){
        .title = "Waits repeat every 7 batches",
        .subtitle = "pytorch \xc2\xb7 7 loaders \xc2\xb7 load 2 s",
        .x_label = "Batch",
        .y_label = "Wait for data (s)",
        .values = values,
        .count = count,
        .first = 40,
        .alarm = 0.05,
        .alarm_name = "longer than 50 ms",
        .usual_name = "shorter",
        .lag_label = "Lag (batches)",
        .acf_label = "Autocorrelation",
        .acf = acf,
        .lags = 42,
        .band = 0.135,
        .band_label = "gray: 95 % band",
        .mark = 7,
        .note = "peaks at 7, 14, 21",
        .empty = "all are equal",
        .tics = 7,
    };
}

static inline char *impulses_script(const struct dlq_impulses *impulses, const struct dlq_canvas *canvas)
{
    char *text = NULL;
    size_t size = 0;
    struct dlq_error error = {0};
    FILE *file = open_memstream(&text, &size);
    enum dlq_status status = dlq_impulses_script(impulses, canvas, file, &error);
    fclose(file);
    CHECK(status == DLQ_OK, "impulses: %s", error.text);
    CHECK(status != DLQ_OK || script_foreign(text) == NULL, "foreign: %.80s", script_shown(script_foreign(text)));
    return text;
}

/* Where the lower panel begins in the script; null: there is none. */
static inline const char *lower_of(const char *script)
{
    return script_line(script, "unset object\n");
}

/* The script's end at the latest, so that no later line is found. */
static inline struct script_box lower_plot(const char *script)
{
    struct script_box plot = script_plot(script);
    const char *lower = lower_of(script);
    plot.top = script_number(lower == NULL ? "" : lower, "set tmargin at screen ");
    plot.bottom = script_number(lower == NULL ? "" : lower, "set bmargin at screen ");
    return plot;
}

static inline void range_of(const char *script, const char *start, double range[2])
{
    const char *line = script == NULL ? NULL : script_line(script, start);
    range[0] = range[1] = NAN;
    if (line != NULL)
        script_numbers(line + strlen(start), 2, range);
}

/* Screen coordinates in a panel whose part of the script is given. */
static inline double at_x(const char *part, struct script_box plot, double x)
{
    double range[2];
    range_of(part, "set xrange [", range);
    return plot.left + (x - range[0]) / (range[1] - range[0]) * (plot.right - plot.left);
}

static inline double at_y(const char *part, struct script_box plot, double y)
{
    double range[2];
    range_of(part, "set yrange [", range);
    return plot.bottom + (y - range[0]) / (range[1] - range[0]) * (plot.top - plot.bottom);
}

#endif
