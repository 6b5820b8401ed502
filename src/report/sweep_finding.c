/* The finding of a sweep as title and subtitle. */
#include "report/sweep.h"

#include "analytic/analytic.h"
#include "report/description.h"
#include "report/phrase.h"

#include <math.h>
#include <string.h>

/* What binds, as a region of the chart; bound: where it is one. */
static const struct {
    struct dlq_binding binding;
    size_t bound;
} regions[DLQ_CAUSES] = {
    [DLQ_CAUSE_LOAD] = {{"LOADING-BOUND", DLQ_COLOR_BLUE}, offsetof(struct dlq_bounds, load)},
    [DLQ_CAUSE_WINDOW] = {{"WINDOW-BOUND", DLQ_COLOR_GREEN}, offsetof(struct dlq_bounds, window)},
    [DLQ_CAUSE_STEP] = {{"STEP-BOUND", DLQ_COLOR_AMBER}, offsetof(struct dlq_bounds, step)},
    [DLQ_CAUSE_RECEIVE] = {{"RECEIVE-BOUND", DLQ_COLOR_GREEN}, offsetof(struct dlq_bounds, receive)},
    [DLQ_CAUSE_CORES] = {{"CORES-BOUND", DLQ_COLOR_PURPLE}, offsetof(struct dlq_bounds, cores)},
    [DLQ_CAUSE_HOST_BANDWIDTH] = {{"BANDWIDTH-BOUND", DLQ_COLOR_RED}, offsetof(struct dlq_bounds, host_bandwidth)},
    [DLQ_CAUSE_STORAGE] = {{"STORAGE-BOUND", DLQ_COLOR_RED}, offsetof(struct dlq_bounds, storage)},
    [DLQ_CAUSE_PIN] = {{"PINNING-BOUND", DLQ_COLOR_GREEN}, offsetof(struct dlq_bounds, pin)},
    [DLQ_CAUSE_SERIAL] = {{"NO LOADERS", DLQ_COLOR_BLUE}, 0},
    [DLQ_CAUSE_ORDER] = {{"ORDER", DLQ_COLOR_PURPLE}, 0},
    [DLQ_CAUSE_BARRIER] = {{"BARRIER", DLQ_COLOR_GREEN}, 0},
    [DLQ_CAUSE_STARTUP] = {{"START-UP", DLQ_COLOR_GRAY}, 0},
    [DLQ_CAUSE_VARIANCE] = {{"VARIANCE", DLQ_COLOR_RED}, 0},
    [DLQ_CAUSE_PAUSE] = {{"PAUSES", DLQ_COLOR_GRAY}, 0},
    [DLQ_CAUSE_SLOWDOWN] = {{"SLOWDOWNS", DLQ_COLOR_BLUE}, 0},
    [DLQ_CAUSE_SEVERAL] = {{"SEVERAL CAUSES", DLQ_COLOR_GRAY}, 0},
};

/* With nothing to receive, that bound is the step's and says nothing. */
static double bound_of(const struct dlq_bounds *bounds, enum dlq_cause cause)
{
    if (cause == DLQ_CAUSE_RECEIVE && !(bounds->receive < bounds->step * (1 - 1e-12)) && !isnan(bounds->step))
        return NAN;
    return *(const double *)(const void *)((const char *)bounds + regions[cause].bound);
}

/* Where bounds tie, the step is said to rule, as in verdicts. */
static enum dlq_cause smallest_bound(const struct dlq_sweep_grid *grid, size_t column)
{
    const struct dlq_bounds *bounds = &grid->line[column].bounds;
    double least = INFINITY;
    enum dlq_cause smallest = DLQ_CAUSE_LOAD;
    for (enum dlq_cause cause = DLQ_CAUSE_LOAD; cause <= DLQ_CAUSE_PIN; cause++) {
        double value = bound_of(bounds, cause);
        if (value < least || (cause == DLQ_CAUSE_STEP && value <= least * (1 + 1e-9))) {
            least = value;
            smallest = cause;
        }
    }
    return smallest;
}

/* Over counts the bounds are straight lines, over times their reciprocals. */
static double gap(const struct dlq_bounds *bounds, enum dlq_cause from, enum dlq_cause to, bool of_times)
{
    double old = bound_of(bounds, from), new = bound_of(bounds, to);
    return of_times ? 1 / old - 1 / new : new - old;
}

/* Where bound `to` takes over from bound `from` between two neighboring columns, linearly in between. */
static double border(const struct dlq_sweep_grid *grid, size_t column, enum dlq_cause from, enum dlq_cause to)
{
    const struct dlq_sweep_point *before = &grid->line[column];
    const struct dlq_sweep_point *after = &grid->line[column + 1];
    bool of_times = grid->kinds[0]->is_time;
    double gap_before = gap(&before->bounds, from, to, of_times), gap_after = gap(&after->bounds, from, to, of_times);
    double share = gap_before / (gap_before - gap_after);
    if (!(share >= 0 && share <= 1))
        share = 0.5;
    return before->value[0] + share * (after->value[0] - before->value[0]);
}

/* What costs throughput where no bound says why; none: a bound does. Receiving is named so, too. */
static enum dlq_cause cause_at(const struct dlq_sweep_grid *grid, size_t column)
{
    enum dlq_cause bound_by = grid->line[column].bound_by;
    bool cost = bound_by >= DLQ_CAUSE_SERIAL && bound_by <= DLQ_CAUSE_SEVERAL;
    return cost || bound_by == DLQ_CAUSE_RECEIVE ? bound_by : DLQ_CAUSE_NONE;
}

static const char *say_cause(const struct dlq_sweep_grid *grid, size_t column)
{
    enum dlq_cause cause = cause_at(grid, column);
    return cause == DLQ_CAUSE_STARTUP && grid->description.epoch_batches == 0 ? "The wait for the first batch"
           : cause == DLQ_CAUSE_NONE                                          ? dlq_causes[DLQ_CAUSE_SEVERAL].subject
                                                                              : dlq_causes[cause].subject;
}

struct dlq_binding dlq_finding_binds(const struct dlq_sweep_grid *grid, size_t column)
{
    static const struct dlq_binding receiving = {"RECEIVING", DLQ_COLOR_GREEN};
    enum dlq_cause bound_by = grid->line[column].bound_by;
    if (bound_by == DLQ_CAUSE_RECEIVE)
        return receiving;
    return regions[regions[bound_by].binding.region != NULL ? bound_by : smallest_bound(grid, column)].binding;
}

double dlq_finding_change(const struct dlq_sweep_grid *grid, size_t column)
{
    const struct dlq_sweep_point *before = &grid->line[column], *after = &grid->line[column + 1];
    enum dlq_cause from = smallest_bound(grid, column), to = smallest_bound(grid, column + 1);
    double gap = 0.95 - before->simulation.utilization.value;
    double share = gap / (after->simulation.utilization.value - before->simulation.utilization.value);
    if (from != to)
        return border(grid, column, from, to);
    return before->value[0] + (share >= 0 && share <= 1 ? share : 0.5) * (after->value[0] - before->value[0]);
}

static double throughput_at(const struct dlq_sweep_grid *grid, size_t column)
{
    return grid->line[column].simulation.throughput.value;
}

#define SAY(...) dlq_phrase_add(phrase, __VA_ARGS__)

/* The value at a column that reaches what its neighbor misses; of counts between which others were left out, both ends:
   "6 to 9 loaders", "4, perhaps 7 ranks". */
static const char *say_bracket(const struct dlq_sweep_grid *grid, size_t reached, bool unit, char text[DLQ_AXIS_TEXT])
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
    if (unit)
        dlq_axis_say(kind, high, end);
    else
        dlq_text_number(high, 3, end);
    if (low < high)
        snprintf(text, DLQ_AXIS_TEXT, "%s%s%.60s", dlq_text_number(low, 3, begin), kind->rising ? " to " : ", perhaps ",
                 end);
    else
        snprintf(text, DLQ_AXIS_TEXT, "%.90s", end);
    return text;
}

/* Too few loaders everywhere, or a bound that no number of them lifts. */
static void say_short(const struct dlq_sweep_grid *grid, struct dlq_phrase *phrase)
{
    size_t last = grid->columns - 1;
    enum dlq_cause bound = smallest_bound(grid, last);
    const struct dlq_sweep_point *point = &grid->line[last];
    char most[DLQ_AXIS_TEXT];
    dlq_axis_say(grid->kinds[0], grid->axes[0].values[last], most);
    if (bound == DLQ_CAUSE_LOAD) {
        SAY("Even %s can't feed the trainer", most);
        return;
    }
    if (bound == DLQ_CAUSE_STEP) {
        SAY("%s: with %s only %s of the step's rate", say_cause(grid, last), most,
            SAY_SHARE(throughput_at(grid, last) / point->bounds.step));
        return;
    }
    if (bound == DLQ_CAUSE_CORES)
        SAY("%.3g cores hold it at", grid->description.cores / grid->description.ranks_per_host);
    else
        SAY("%s holds it at", dlq_causes[bound].subject);
    SAY(" %s batches/s: no loader count reaches the step's %s", SAY_RATE(bound_of(&point->bounds, bound)),
        SAY_RATE(point->bounds.step));
}

/* What the bounds promise at 95 %, and what it costs that the simulation needs more. */
static bool say_lag(const struct dlq_sweep_grid *grid, size_t reached, struct dlq_phrase *phrase)
{
    size_t promised = 0;
    while (promised < reached && !(grid->line[promised].bounds.upper >= 0.95 * grid->line[promised].bounds.step))
        promised++;
    size_t at = promised;
    while (at < reached && cause_at(grid, at) == DLQ_CAUSE_NONE)
        at++;
    if (at == reached || grid->axes[0].values[reached] < 1.1 * grid->axes[0].values[promised])
        return false;
    const struct dlq_sweep_point *point = &grid->line[at];
    enum dlq_cause cause = cause_at(grid, at);
    bool single = cause != DLQ_CAUSE_SERIAL && cause != DLQ_CAUSE_SEVERAL;
    double upper = point->bounds.upper, without = single ? fmin(point->without, upper) : upper;
    if (without > 0.99 * upper) /* found by shorter runs */
        without = upper;
    double cost = (without - throughput_at(grid, at)) / upper;
    if (!(cost >= 0.05))
        return false;
    char here[DLQ_AXIS_TEXT], needed[DLQ_AXIS_TEXT];
    dlq_axis_say(grid->kinds[0], point->value[0], here);
    say_bracket(grid, reached, false, needed);
    SAY("%s: %s lost at %s, so 95 %% takes %s, not %.0f", say_cause(grid, at), SAY_SHARE(cost), here, needed,
        grid->axes[0].values[promised]);
    return true;
}

static void say_loaders(const struct dlq_sweep_grid *grid, struct dlq_phrase *phrase)
{
    double best = 0;
    size_t reached, plateau = 0; /* the first column within 2 % of the best throughput */
    for (size_t i = 0; i < grid->columns; i++)
        best = fmax(best, throughput_at(grid, i));
    while (throughput_at(grid, plateau) < 0.98 * best)
        plateau++;
    if (!dlq_sweep_grid_reaching(grid, 0.95, &reached))
        say_short(grid, phrase);
    else if (!say_lag(grid, reached, phrase))
        SAY("Throughput saturates near %s",
            dlq_axis_say(grid->kinds[0], grid->axes[0].values[plateau], (char[DLQ_AXIS_TEXT]){0}));
}

/* Where 95 % is reached; the value of another axis, if it is to be told: "a load of 1 s". */
static void say_reaching(const struct dlq_sweep_grid *grid, const char *other, struct dlq_phrase *phrase)
{
    const struct dlq_axis_kind *kind = grid->kinds[0];
    size_t last = grid->columns - 1, at = kind->rising ? last : 0;
    char value[DLQ_AXIS_TEXT];
    bool reached = dlq_sweep_grid_reaching(grid, 0.95, &at);
    bool everywhere = reached && at == (kind->rising ? 0 : last) && grid->columns > 1;
    if (reached && !everywhere)
        say_bracket(grid, at, true, value);
    else
        dlq_axis_say(kind, grid->axes[0].values[at], value);
    const char *joint = other[0] == '\0' ? "" : reached && !everywhere ? " with " : " and ";
    if (!reached)
        SAY("Even with %s%s%s%s utilization stays below 95 %%", kind->before, value, joint, other);
    else
        SAY("95 %% utilization %s %s%s%s%s",
            everywhere     ? kind->rising ? "already with" : "even with"
            : kind->rising ? "takes"
                           : "up to",
            kind->before, value, joint, other);
}

/* Nothing to keep busy: utilization says nothing. */
static bool say_no_step(const struct dlq_sweep_grid *grid, struct dlq_phrase *phrase)
{
    double best = 0;
    for (size_t i = 0; i < grid->columns; i++)
        if (isfinite(grid->line[i].bounds.step))
            return false;
        else
            best = fmax(best, throughput_at(grid, i));
    SAY("Without a training step, loading delivers up to %s batches/s", SAY_RATE(best));
    return true;
}

const char *dlq_finding_throughput(const struct dlq_sweep_grid *grid, char text[DLQ_FINDING_TEXT])
{
    struct dlq_phrase phrase = {.text = text, .size = DLQ_FINDING_TEXT};
    if (say_no_step(grid, &phrase))
        return text;
    if (strcmp(grid->kinds[0]->name, "loaders") == 0)
        say_loaders(grid, &phrase);
    else
        say_reaching(grid, "", &phrase);
    return text;
}

const char *dlq_finding_utilization(const struct dlq_sweep_grid *grid, char text[DLQ_FINDING_TEXT])
{
    char other[2 * DLQ_AXIS_TEXT] = "";
    struct dlq_phrase phrase = {.text = text, .size = DLQ_FINDING_TEXT};
    if (say_no_step(grid, &phrase))
        return text;
    if (grid->axis_count == 2)
        snprintf(other, sizeof other, "%s%s", grid->kinds[1]->before,
                 dlq_axis_say(grid->kinds[1], grid->axes[1].configured, (char[DLQ_AXIS_TEXT]){0}));
    say_reaching(grid, other, &phrase);
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
