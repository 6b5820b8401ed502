/* The distribution of the waits: how many are short, and where the time goes. */
#include "diagnose_pictures.h"
#include "dlqueue/text.h"

#include <math.h>
#include <stdlib.h>

enum { TITLE = 200 };
/* Shorter waits are drawn here: clocks and queues tell no more. */
static const double shortest = 1e-5;

bool dlq_picture_shares_fits(const struct dlq_diagnosis *diagnosis)
{
    size_t count = diagnosis->share_count;
    return count > 1 && diagnosis->shares[count - 1].wait > fmax(diagnosis->shares[0].wait, shortest);
}

/* The share of the slowest waits that takes half of the time waited. */
static double slowest_half(const struct dlq_diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->share_count; i++)
        if (diagnosis->shares[i].time >= 0.5)
            return 1 - diagnosis->shares[i > 0 ? i - 1 : 0].iterations;
    return NAN;
}

static const char *title_of(const struct dlq_diagnosis *diagnosis, char text[TITLE])
{
    char share[DLQ_TEXT_NUMBER], median[DLQ_TEXT_NUMBER];
    double slowest = slowest_half(diagnosis);
    if (slowest < 0.25 && diagnosis->data_time.median == 0)
        snprintf(text, TITLE, "Half of the iterations do not wait; the slowest %s make half of the wait",
                 dlq_text_share(slowest, share));
    else if (slowest < 0.25)
        snprintf(text, TITLE, "Half of the batches arrive within %s; the slowest %s make half of the wait",
                 dlq_picture_time(diagnosis->data_time.median, median), dlq_text_share(slowest, share));
    else
        snprintf(text, TITLE, "The waits are much alike: half of them are below %s",
                 dlq_picture_time(diagnosis->data_time.median, median));
    return text;
}

/* A vertical line over the whole height. */
struct mark {
    double x[2], y[2];
    char name[40 + DLQ_TEXT_NUMBER];
};

static void set_mark(struct mark *mark, const char *name, double wait, double factor)
{
    char time[DLQ_TEXT_NUMBER];
    mark->x[0] = mark->x[1] = factor * fmax(wait, shortest);
    mark->y[0] = 0;
    mark->y[1] = 1;
    snprintf(mark->name, sizeof mark->name, "%s %s", name, dlq_picture_time(wait, time));
}

static enum dlq_status write_chart(const struct dlq_diagnose_subject *subject, double *room,
                                   const struct dlq_canvas *canvas, FILE *script, struct dlq_error *error)
{
    const struct dlq_diagnosis *diagnosis = subject->diagnosis;
    size_t last = diagnosis->share_count - 1, count = 2 * last + 1;
    double *x = room, *iterations = room + count, *time = room + 2 * count;
    char title[TITLE], label[80];
    const char *unit;
    struct mark median, mean;
    double factor = dlq_picture_unit(fmax(diagnosis->shares[last].wait / 30, diagnosis->data_time.mean), &unit);
    /* A staircase: each share holds until the next wait. */
    for (size_t i = 0; i < count; i++) {
        x[i] = factor * fmax(diagnosis->shares[(i + 1) / 2].wait, shortest);
        iterations[i] = diagnosis->shares[i / 2].iterations;
        time[i] = diagnosis->shares[i / 2].time;
    }
    set_mark(&median, "median", diagnosis->data_time.median, factor);
    set_mark(&mean, "mean", diagnosis->data_time.mean, factor);
    struct dlq_series series[] = {
        {"iterations that wait no longer", DLQ_MARK_LINE, DLQ_COLOR_BLUE, count, x, iterations, NULL, NULL},
        {"of the time waited, what they make", DLQ_MARK_LINE, DLQ_COLOR_RED, count, x, time, NULL, NULL},
        {median.name, DLQ_MARK_DOTTED, DLQ_COLOR_BLUE, 2, median.x, median.y, NULL, NULL},
        {mean.name, DLQ_MARK_DASHED, DLQ_COLOR_AMBER, 2, mean.x, mean.y, NULL, NULL},
    };
    snprintf(label, sizeof label, "Wait for data (%s)", unit);
    struct dlq_chart chart = {
        .title = title_of(diagnosis, title),
        .subtitle = subject->subtitle,
        .x_label = label,
        .y_label = "Share",
        .x_logarithmic = true,
        .y_percent = true,
        .series = series,
        .series_count = sizeof series / sizeof *series,
        .line_x = NAN,
        .note_x = NAN,
        .note_y = NAN,
    };
    return dlq_chart_script(&chart, canvas, script, error);
}

enum dlq_status dlq_picture_shares(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error)
{
    const struct dlq_diagnose_subject *of = subject;
    double *room = calloc(6 * of->diagnosis->share_count, sizeof *room);
    if (room == NULL)
        return dlq_error_memory(error, "drawing a chart");
    enum dlq_status status = write_chart(of, room, canvas, script, error);
    free(room);
    return status;
}
