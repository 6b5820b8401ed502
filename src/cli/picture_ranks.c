/* Data time by rank. */
#include "diagnose_pictures.h"
#include "dlqueue/text.h"

#include <math.h>
#include <stdlib.h>

enum { TITLE = 200 };

bool dlq_picture_ranks_fits(const struct dlq_diagnosis *diagnosis)
{
    double most = 0;
    for (size_t r = 0; r < diagnosis->rank_count; r++)
        most = fmax(most, diagnosis->ranks[r].data_time.mean);
    return diagnosis->rank_count > 1 && most > 0;
}

static const struct dlq_rank_diagnosis *slowest(const struct dlq_diagnosis *diagnosis)
{
    const struct dlq_rank_diagnosis *worst = &diagnosis->ranks[0];
    for (size_t r = 1; r < diagnosis->rank_count; r++)
        if (diagnosis->ranks[r].data_time.mean > worst->data_time.mean)
            worst = &diagnosis->ranks[r];
    return worst;
}

static const char *title_of(const struct dlq_diagnosis *diagnosis, char text[TITLE])
{
    char wait[DLQ_TEXT_NUMBER], median[DLQ_TEXT_NUMBER], share[DLQ_TEXT_NUMBER], time[DLQ_TEXT_NUMBER];
    const struct dlq_rank_diagnosis *worst = slowest(diagnosis);
    size_t slow = 0;
    for (size_t r = 0; r < diagnosis->rank_count; r++)
        slow += diagnosis->ranks[r].slow ? 1 : 0;
    snprintf(wait, sizeof wait, "%s", dlq_picture_time(worst->data_time.mean, time));
    snprintf(median, sizeof median, "%s", dlq_picture_time(diagnosis->median_rank_wait, time));
    if (slow > 1)
        snprintf(text, TITLE, "%zu of %zu ranks are slow: rank %ld waits %s, the median rank %s", slow,
                 diagnosis->rank_count, worst->rank, wait, median);
    else if (slow == 1)
        snprintf(text, TITLE, "Rank %ld waits %s for each batch, the median rank %s", worst->rank, wait, median);
    else if (!isnan(diagnosis->together_ratio))
        snprintf(text, TITLE, "No rank is slow, but they take turns in being late: the latest waits %s of the time",
                 dlq_text_share(diagnosis->together_ratio, share));
    else
        snprintf(text, TITLE, "No rank stands out: the median rank waits %s for each batch", median);
    return text;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of the bars. scratch: as many values as there are ranks. */
static double median_bar(const struct dlq_diagnosis *diagnosis, double *scratch)
{
    size_t count = diagnosis->rank_count;
    for (size_t r = 0; r < count; r++)
        scratch[r] = diagnosis->ranks[r].data_time.mean;
    qsort(scratch, count, sizeof *scratch, ascending);
    return count % 2 == 1 ? scratch[count / 2] : (scratch[count / 2 - 1] + scratch[count / 2]) / 2;
}

static enum dlq_status write_chart(const struct dlq_diagnose_subject *subject, double *room,
                                   const struct dlq_canvas *canvas, FILE *script, struct dlq_error *error)
{
    const struct dlq_diagnosis *diagnosis = subject->diagnosis;
    size_t count = diagnosis->rank_count, slow = 0;
    double *x = room, *normal = room + count, *late = room + 2 * count;
    char title[TITLE], y_label[80], label[DLQ_TEXT_NUMBER + 16], time[DLQ_TEXT_NUMBER];
    const char *unit;
    double factor = dlq_picture_unit(slowest(diagnosis)->data_time.mean, &unit);
    for (size_t r = 0; r < count; r++) {
        const struct dlq_rank_diagnosis *rank = &diagnosis->ranks[r];
        x[r] = (double)rank->rank;
        normal[r] = rank->slow ? NAN : factor * rank->data_time.mean;
        late[r] = rank->slow ? factor * rank->data_time.mean : NAN;
        slow += rank->slow ? 1U : 0U;
    }
    struct dlq_series series[] = {
        {slow > 0 ? "as the others" : NULL, DLQ_MARK_BARS, DLQ_COLOR_BLUE, count, x, normal, NULL, NULL},
        {"slow", DLQ_MARK_BARS, DLQ_COLOR_RED, count, x, late, NULL, NULL},
    };
    snprintf(y_label, sizeof y_label, "Mean data time of an iteration (%s)", unit);
    double middle = median_bar(diagnosis, room + 3 * count);
    snprintf(label, sizeof label, "median %s", dlq_picture_time(middle, time));
    struct dlq_level median = {factor * middle, label};
    struct dlq_chart chart = {
        .title = title_of(diagnosis, title),
        .subtitle = subject->subtitle,
        .x_label = "Rank",
        .y_label = y_label,
        .x_integer = true,
        .series = series,
        .series_count = slow > 0 ? 2U : 1U,
        .levels = &median,
        .level_count = isnan(median.y) ? 0U : 1U,
        .line_x = NAN,
        .note_x = NAN,
        .note_y = NAN,
    };
    return dlq_chart_script(&chart, canvas, script, error);
}

enum dlq_status dlq_picture_ranks(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                  struct dlq_error *error)
{
    const struct dlq_diagnose_subject *of = subject;
    double *room = calloc(4 * (of->diagnosis->rank_count + 1), sizeof *room);
    if (room == NULL)
        return dlq_error_memory(error, "drawing a chart");
    enum dlq_status status = write_chart(of, room, canvas, script, error);
    free(room);
    return status;
}
