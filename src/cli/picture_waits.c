/* Waits over the iterations. */
#include "diagnose_pictures.h"
#include "dlqueue/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TITLE = 200 };

bool dlq_picture_waits_fits(const struct dlq_diagnosis *diagnosis)
{
    double longest = 0;
    for (size_t i = 0; i < diagnosis->point_count; i++)
        longest = fmax(longest, diagnosis->points[i].longest);
    return diagnosis->point_count > 1 && longest > 0;
}

/* The finding. */
static const char *title_of(const struct dlq_diagnosis *diagnosis, char text[TITLE])
{
    char share[DLQ_TEXT_NUMBER], first[DLQ_TEXT_NUMBER], last[DLQ_TEXT_NUMBER];
    bool waits = diagnosis->severity > DLQ_SEVERITY_SMALL;
    dlq_text_share(isnan(diagnosis->lost) ? diagnosis->ratio : diagnosis->lost, share);
    if (!isnan(diagnosis->period))
        snprintf(text, TITLE, "Training halts in a rhythm of %.0f batches, %s of the time", diagnosis->period, share);
    else if (isfinite(diagnosis->trend) && waits)
        snprintf(text, TITLE, "Waits get %s over the run: from %s to %s", diagnosis->trend > 1 ? "longer" : "shorter",
                 dlq_picture_time(diagnosis->trend_first, first), dlq_picture_time(diagnosis->trend_last, last));
    else if (strcmp(diagnosis->verdict.bound_by, "startup") == 0)
        snprintf(text, TITLE, "Only the starts of epochs wait");
    else if (strcmp(diagnosis->verdict.bound_by, "step") == 0)
        snprintf(text, TITLE, "Training hardly waits for data: %s of the time", share);
    else if (!isnan(diagnosis->ratio) && diagnosis->stalled > 0.9)
        snprintf(text, TITLE, "Nearly every iteration waits for data: %s of the time", share);
    else if (strcmp(diagnosis->verdict.bound_by, "variance") == 0)
        snprintf(text, TITLE, "Few long waits take %s of the time", share);
    else if (!isnan(diagnosis->ratio))
        snprintf(text, TITLE, "Training waits for data %s of the time", share);
    else
        snprintf(text, TITLE, "How long training waits for data");
    return text;
}

/* x, longest, longest of those beyond a step; x and mean of longer stretches. */
enum { X, LONGEST, STALL, MEAN_X, MEAN, ARRAYS };
enum { MEANS = 50 };

struct plan {
    const struct dlq_diagnosis *diagnosis;
    double *arrays[ARRAYS];
    double factor, largest;
    bool stretches; /* points stand for several iterations */
    size_t stalls;
    size_t means;
    const char *unit;
};

/* Smooth enough to be followed by the eye. */
static void fill_means(struct plan *plan)
{
    const struct dlq_diagnosis *diagnosis = plan->diagnosis;
    size_t count = diagnosis->point_count;
    plan->means = count < MEANS ? count : MEANS;
    for (size_t k = 0; k < plan->means; k++) {
        double x = 0, mean = 0;
        size_t from = k * count / plan->means, until = (k + 1) * count / plan->means;
        for (size_t i = from; i < until; i++) {
            x += diagnosis->points[i].iteration / (double)(until - from);
            mean += diagnosis->points[i].mean / (double)(until - from);
        }
        plan->arrays[MEAN_X][k] = x;
        plan->arrays[MEAN][k] = plan->factor * mean;
    }
}

static void fill(struct plan *plan)
{
    const struct dlq_diagnosis *diagnosis = plan->diagnosis;
    double step = diagnosis->step_time.mean;
    for (size_t i = 0; i < diagnosis->point_count; i++)
        plan->largest = fmax(plan->largest, diagnosis->points[i].longest);
    plan->factor = dlq_picture_unit(plan->largest, &plan->unit);
    for (size_t i = 0; i < diagnosis->point_count; i++) {
        const struct dlq_wait_point *point = &diagnosis->points[i];
        bool stall = step > 0 && point->longest > step;
        plan->arrays[X][i] = point->iteration;
        plan->arrays[LONGEST][i] = stall ? NAN : plan->factor * point->longest;
        plan->arrays[STALL][i] = stall ? plan->factor * point->longest : NAN;
        plan->stalls += stall ? 1 : 0;
        plan->stretches = plan->stretches || point->longest > point->mean * (1 + 1e-9);
    }
    fill_means(plan);
}

static enum dlq_status write_chart(const struct plan *plan, const struct dlq_diagnose_subject *subject,
                                   const struct dlq_canvas *canvas, FILE *script, struct dlq_error *error)
{
    const struct dlq_diagnosis *diagnosis = plan->diagnosis;
    char title[TITLE], x_label[80] = "Iteration", y_label[80], label[DLQ_TEXT_NUMBER + 16], time[DLQ_TEXT_NUMBER];
    size_t count = diagnosis->point_count;
    char longest[80] = "wait", means[80];
    double run = diagnosis->points[count - 1].iteration;
    if (diagnosis->of_windows)
        snprintf(longest, sizeof longest, "mean wait of each window");
    else if (plan->stretches)
        snprintf(longest, sizeof longest, "longest wait of %s iterations",
                 dlq_text_fixed(ceil(run / (double)count), 0, time));
    snprintf(means, sizeof means, "mean of %s iterations", dlq_text_fixed(ceil(run / (double)plan->means), 0, time));
    struct dlq_series series[3] = {
        {longest, DLQ_MARK_BARS, DLQ_COLOR_BLUE, count, plan->arrays[X], plan->arrays[LONGEST], NULL, NULL},
        {"more than a step", DLQ_MARK_BARS, DLQ_COLOR_RED, count, plan->arrays[X], plan->arrays[STALL], NULL, NULL},
        {means, DLQ_MARK_LINE, DLQ_COLOR_AMBER, plan->means, plan->arrays[MEAN_X], plan->arrays[MEAN], NULL, NULL},
    };
    if (diagnosis->rank_count > 1)
        snprintf(x_label, sizeof x_label, "Iteration of rank %ld, which waits most", diagnosis->point_rank);
    snprintf(y_label, sizeof y_label, "Wait for data (%s)", plan->unit);
    snprintf(label, sizeof label, "mean %s", dlq_picture_time(diagnosis->data_time.mean, time));
    struct dlq_level mean = {plan->factor * diagnosis->data_time.mean, label};
    struct dlq_chart chart = {
        .title = title_of(diagnosis, title),
        .subtitle = subject->subtitle,
        .x_label = x_label,
        .y_label = y_label,
        .x_integer = true,
        .series = series,
        .series_count = plan->stretches ? 3 : 2,
        .levels = &mean,
        .level_count = 1,
        .line_x = NAN,
        .note_x = NAN,
        .note_y = NAN,
    };
    return dlq_chart_script(&chart, canvas, script, error);
}

enum dlq_status dlq_picture_waits(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                  struct dlq_error *error)
{
    const struct dlq_diagnose_subject *of = subject;
    size_t count = of->diagnosis->point_count;
    struct plan plan = {.diagnosis = of->diagnosis};
    double *room = calloc(ARRAYS * (count + 1), sizeof *room);
    if (room == NULL)
        return dlq_error_memory(error, "drawing a chart");
    for (size_t i = 0; i < ARRAYS; i++)
        plan.arrays[i] = room + i * count;
    fill(&plan);
    enum dlq_status status = write_chart(&plan, of, canvas, script, error);
    free(room);
    return status;
}
