/* The finding of a sweep as title and subtitle. */
#include "report/sweep.h"

#include "report/causes.h"
#include "report/description.h"
#include "report/phrase.h"

#include <math.h>
#include <string.h>

#define SAY(...) dlq_phrase_add(phrase, __VA_ARGS__)

/* The value at a column that reaches what its neighbor misses; of counts between which others were left out, both ends:
   "6 to 9 loaders", "4, perhaps 7 ranks". */
static const char *say_bracket(const struct dlq_sweep_grid *grid, size_t reached, char text[DLQ_AXIS_TEXT])
{
    const struct dlq_axis_kind *kind = grid->kinds[0];
    const double *values = grid->axes[0].values;
    size_t last = grid->columns - 1;
    double value = values[reached], low = value, high = value;
    char end[DLQ_AXIS_TEXT], begin[DLQ_TEXT_NUMBER];
    if (kind->is_integer && kind->rising && reached > 0)
        low = values[reached - 1] + 1;
    else if (kind->is_integer && !kind->rising && reached < last)
        high = values[reached + 1] - 1;
    dlq_axis_say(kind, high, end);
    if (low < high)
        snprintf(text, DLQ_AXIS_TEXT, "%s%s%.60s", dlq_text_number(low, 3, begin), kind->rising ? " to " : ", perhaps ",
                 end);
    else
        snprintf(text, DLQ_AXIS_TEXT, "%.90s", end);
    return text;
}

const char *dlq_finding_title(const struct dlq_sweep_grid *grid, char text[DLQ_FINDING_TEXT])
{
    struct dlq_phrase title = {.text = text, .size = DLQ_FINDING_TEXT}, *phrase = &title;
    const struct dlq_axis_kind *kind = grid->kinds[0];
    const size_t last = grid->columns - 1;
    size_t at = kind->rising ? last : 0;
    char value[DLQ_AXIS_TEXT], other[2 * DLQ_AXIS_TEXT] = "";
    double best = 0;
    bool steps = false;
    for (size_t i = 0; i < grid->columns; i++) {
        steps = steps || isfinite(grid->line[i].bounds.step);
        best = fmax(best, grid->line[i].simulation.throughput.value);
    }
    if (!steps) { /* nothing to keep busy: utilization says nothing */
        SAY("Without a training step, loading delivers up to %s batches/s", SAY_RATE(best));
        return text;
    }
    bool reached = dlq_sweep_grid_reaching(grid, 0.95, &at);
    bool everywhere = reached && at == (kind->rising ? 0 : last) && grid->columns > 1;
    if (reached && !everywhere)
        say_bracket(grid, at, value);
    else
        dlq_axis_say(kind, grid->axes[0].values[at], value);
    if (grid->axis_count == 2)
        snprintf(other, sizeof other, "%s%s%s", reached && !everywhere ? " with " : " and ", grid->kinds[1]->before,
                 dlq_axis_say(grid->kinds[1], grid->axes[1].configured, (char[DLQ_AXIS_TEXT]){0}));
    if (!reached) {
        const char *holder = dlq_causes[grid->line[at].bound_by].holder;
        SAY("Even with %s%s%s, utilization stays below 95 %%%s%s", kind->before, value, other,
            holder != NULL ? ", held back by " : "", holder != NULL ? holder : "");
    } else
        SAY("95 %% utilization %s %s%s%s",
            everywhere     ? kind->rising ? "already with" : "even with"
            : kind->rising ? "takes"
                           : "up to",
            kind->before, value, other);
    return text;
}

const char *dlq_finding_subtitle(const struct dlq_sweep_grid *grid, size_t drawn, char *text, size_t size)
{
    const char *const except[2] = {grid->axes[0].name, drawn > 1 ? grid->axes[1].name : NULL};
    struct dlq_phrase phrase = {.text = text, .size = size};
    struct dlq_runs runs = {0};
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        if (grid->have_cell[i])
            dlq_runs_count(&runs, &grid->cells[i].simulation);
    dlq_parameters_add(&phrase, &grid->description, except);
    dlq_runs_add(&phrase, &runs, &grid->description);
    return text;
}
