/* The finding of a sweep as title and subtitle. */
#include "report/sweep.h"

#include "draw/text.h"
#include "report/description.h"
#include "report/phrase.h"

#include <math.h>
#include <string.h>

static double of_load(const struct dlq_bounds *bounds)
{
    return bounds->load;
}

static double of_step(const struct dlq_bounds *bounds)
{
    return bounds->step;
}

static double of_window(const struct dlq_bounds *bounds)
{
    return bounds->window;
}

static double of_cores(const struct dlq_bounds *bounds)
{
    return bounds->cores;
}

static double of_host_bandwidth(const struct dlq_bounds *bounds)
{
    return bounds->host_bandwidth;
}

static double of_storage(const struct dlq_bounds *bounds)
{
    return bounds->storage;
}

static double of_pin(const struct dlq_bounds *bounds)
{
    return bounds->pin;
}

/* With nothing to receive, that bound is the step's and says nothing. */
static double of_receive(const struct dlq_bounds *bounds)
{
    return bounds->receive < bounds->step * (1 - 1e-12) || isnan(bounds->step) ? bounds->receive : NAN;
}

enum { LOAD, STEP };

const struct dlq_ruler dlq_rulers[DLQ_RULERS] = {
    [LOAD] = {"load", "loading bound  N / load time", "LOADING-BOUND", "Loading holds it at", DLQ_COLOR_BLUE, of_load},
    [STEP] = {"step", "step bound  1 / step time", "STEP-BOUND", "The step holds it at", DLQ_COLOR_AMBER, of_step},
    {"cores", "cores bound  cores / cpu time", "CORES-BOUND", "The cores hold it at", DLQ_COLOR_PURPLE, of_cores},
    {"window", "window bound  batches in flight / load time", "WINDOW-BOUND", "The window holds it at", DLQ_COLOR_GREEN,
     of_window},
    {"host_bandwidth", "bandwidth bound  of the host", "BANDWIDTH-BOUND", "The host's bandwidth holds it at",
     DLQ_COLOR_RED, of_host_bandwidth},
    {"storage", "storage bound", "STORAGE-BOUND", "The storage holds it at", DLQ_COLOR_RED, of_storage},
    {"pin", "pinning bound  1 / pin time", "PINNING-BOUND", "The pinning thread holds it at", DLQ_COLOR_GREEN, of_pin},
    {"receive", "receiving bound  1 / (step + receive)", "RECEIVE-BOUND", "Receiving holds it at", DLQ_COLOR_GREEN,
     of_receive},
};

/* Where bounds tie, the step is said to rule, as in verdicts. */
size_t dlq_finding_ruler(const struct dlq_sweep_grid *grid, size_t column)
{
    const struct dlq_bounds *bounds = &grid->line[column].bounds;
    double least = INFINITY;
    size_t ruler = LOAD;
    for (size_t i = 0; i < DLQ_RULERS; i++) {
        double value = dlq_rulers[i].of(bounds);
        bool tie = i == STEP && value <= least * (1 + 1e-9);
        if (value < least || tie) {
            least = value;
            ruler = i;
        }
    }
    return ruler;
}

/* Over counts the bounds are straight lines, over times their reciprocals. */
static double gap(const struct dlq_bounds *bounds, size_t from, size_t to, bool of_times)
{
    double old = dlq_rulers[from].of(bounds), new = dlq_rulers[to].of(bounds);
    return of_times ? 1 / old - 1 / new : new - old;
}

double dlq_finding_border(const struct dlq_sweep_grid *grid, size_t column, size_t from, size_t to)
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

/* What costs throughput where no bound says why. */
struct cause {
    const char *name; /* as in dlq_verdict */
    const char *words, *region;
    enum dlq_color color;
};

static const struct cause causes[] = {
    {"order", "Delivery in order", "ORDER", DLQ_COLOR_PURPLE},
    {"variance", "The variance of the load", "VARIANCE", DLQ_COLOR_RED},
    {"barrier", "Waiting for the slowest rank", "BARRIER", DLQ_COLOR_GREEN},
    {"startup", "The start of each epoch", "START-UP", DLQ_COLOR_GRAY},
    {"receive", "Receiving", "RECEIVING", DLQ_COLOR_GREEN},
    {"several", NULL, "SEVERAL CAUSES", DLQ_COLOR_GRAY},
    {"serial", NULL, "NO LOADERS", DLQ_COLOR_BLUE},
};

static const struct cause *cause_at(const struct dlq_sweep_grid *grid, size_t column)
{
    const char *bound_by = grid->line[column].bound_by;
    for (size_t i = 0; bound_by != NULL && i < sizeof causes / sizeof *causes; i++)
        if (strcmp(causes[i].name, bound_by) == 0)
            return &causes[i];
    return NULL;
}

/* Null: no single cause. */
static const char *say_cause(const struct dlq_sweep_grid *grid, size_t column)
{
    const struct cause *cause = cause_at(grid, column);
    bool first_batch = cause != NULL && strcmp(cause->name, "startup") == 0 && grid->description.epoch_batches == 0;
    return cause == NULL ? NULL : first_batch ? "The wait for the first batch" : cause->words;
}

struct dlq_binding dlq_finding_binds(const struct dlq_sweep_grid *grid, size_t column)
{
    const struct cause *cause = cause_at(grid, column);
    size_t ruler = dlq_finding_ruler(grid, column);
    for (size_t i = 0; grid->line[column].bound_by != NULL && i < DLQ_RULERS; i++)
        if (strcmp(dlq_rulers[i].name, grid->line[column].bound_by) == 0)
            ruler = i;
    return cause != NULL ? (struct dlq_binding){cause->region, cause->color}
                         : (struct dlq_binding){dlq_rulers[ruler].region, dlq_rulers[ruler].color};
}

double dlq_finding_change(const struct dlq_sweep_grid *grid, size_t column)
{
    const struct dlq_sweep_point *before = &grid->line[column], *after = &grid->line[column + 1];
    size_t from = dlq_finding_ruler(grid, column), to = dlq_finding_ruler(grid, column + 1);
    double gap = 0.95 - before->simulation.utilization.value;
    double share = gap / (after->simulation.utilization.value - before->simulation.utilization.value);
    if (from != to)
        return dlq_finding_border(grid, column, from, to);
    return before->value[0] + (share >= 0 && share <= 1 ? share : 0.5) * (after->value[0] - before->value[0]);
}

static double throughput_at(const struct dlq_sweep_grid *grid, size_t column)
{
    return grid->line[column].simulation.throughput.value;
}

static double step_of(const struct dlq_sweep_grid *grid, size_t column)
{
    return grid->line[column].bounds.step;
}

/* The first column within 2 % of the best throughput. */
static size_t plateau(const struct dlq_sweep_grid *grid)
{
    double best = 0;
    for (size_t i = 0; i < grid->columns; i++)
        best = fmax(best, throughput_at(grid, i));
    size_t at = 0;
    while (throughput_at(grid, at) < 0.98 * best)
        at++;
    return at;
}

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
static void say_short(const struct dlq_sweep_grid *grid, char *text)
{
    size_t last = grid->columns - 1;
    const struct dlq_ruler *ruler = &dlq_rulers[dlq_finding_ruler(grid, last)];
    char most[DLQ_AXIS_TEXT], rate[DLQ_TEXT_NUMBER], step[DLQ_TEXT_NUMBER], holds[64];
    dlq_axis_say(grid->kinds[0], grid->axes[0].values[last], most);
    if (ruler == &dlq_rulers[LOAD]) {
        snprintf(text, DLQ_FINDING_TEXT, "Even %s %s feed the trainer", most,
                 grid->axes[0].values[last] == 1 ? "does not" : "do not");
        return;
    }
    if (ruler == &dlq_rulers[STEP]) {
        const char *cause = say_cause(grid, last);
        snprintf(text, DLQ_FINDING_TEXT, "%s%sven %s reach%s only %s of the step's rate", cause != NULL ? cause : "",
                 cause != NULL ? ": e" : "E", most, grid->axes[0].values[last] == 1 ? "es" : "",
                 dlq_text_share(throughput_at(grid, last) / step_of(grid, last), rate));
        return;
    }
    snprintf(holds, sizeof holds, "%s", ruler->holds);
    if (strcmp(ruler->name, "cores") == 0)
        snprintf(holds, sizeof holds, "%.3g cores hold it at",
                 grid->description.cores / grid->description.ranks_per_host);
    snprintf(text, DLQ_FINDING_TEXT, "%s %s batches/s: no loader count reaches the step's %s", holds,
             dlq_text_rate(ruler->of(&grid->line[last].bounds), rate), dlq_text_rate(step_of(grid, last), step));
}

/* What the bounds promise at 95 %, and what it costs that the simulation needs more. */
static bool say_lag(const struct dlq_sweep_grid *grid, size_t reached, char *text)
{
    size_t promised = 0;
    while (promised < reached && !(grid->line[promised].bounds.upper >= 0.95 * step_of(grid, promised)))
        promised++;
    size_t at = promised;
    while (at < reached && cause_at(grid, at) == NULL)
        at++;
    if (at == reached || grid->axes[0].values[reached] < 1.1 * grid->axes[0].values[promised])
        return false;
    const struct dlq_sweep_point *point = &grid->line[at];
    const char *cause = say_cause(grid, at);
    double upper = point->bounds.upper, without = cause != NULL ? fmin(point->without, upper) : upper;
    if (without > 0.99 * upper) /* found by shorter runs */
        without = upper;
    double cost = (without - throughput_at(grid, at)) / upper;
    if (!(cost >= 0.05))
        return false;
    char here[DLQ_AXIS_TEXT], needed[DLQ_AXIS_TEXT], share[DLQ_TEXT_NUMBER];
    dlq_axis_say(grid->kinds[0], point->value[0], here);
    say_bracket(grid, reached, false, needed);
    snprintf(text, DLQ_FINDING_TEXT, "%s %s %s at %s: 95 %% takes %s, not %.0f",
             cause != NULL ? cause : "Several causes together", cause != NULL ? "costs" : "cost",
             dlq_text_share(cost, share), here, needed, grid->axes[0].values[promised]);
    return true;
}

static void say_loaders(const struct dlq_sweep_grid *grid, char *text)
{
    char near_what[DLQ_AXIS_TEXT];
    size_t reached;
    if (!dlq_sweep_grid_reaching(grid, 0.95, &reached))
        say_short(grid, text);
    else if (!say_lag(grid, reached, text))
        snprintf(text, DLQ_FINDING_TEXT, "Throughput saturates near %s",
                 dlq_axis_say(grid->kinds[0], grid->axes[0].values[plateau(grid)], near_what));
}

/* From the words of the axis: where 95 % is reached. */
static void say_reaching(const struct dlq_sweep_grid *grid, char *text)
{
    const struct dlq_axis_kind *kind = grid->kinds[0];
    size_t last = grid->columns - 1, at = 0;
    bool reached = dlq_sweep_grid_reaching(grid, 0.95, &at);
    bool everywhere = reached && at == (kind->rising ? 0 : last) && grid->columns > 1;
    const char *const *words = everywhere ? kind->all : reached ? kind->some : kind->none;
    if (!reached)
        at = kind->rising ? last : 0;
    char value[DLQ_AXIS_TEXT];
    if (reached && !everywhere)
        say_bracket(grid, at, true, value);
    else
        dlq_axis_say(kind, grid->axes[0].values[at], value);
    snprintf(text, DLQ_FINDING_TEXT, "%s%s%s", words[0], value, words[1]);
}

/* Nothing to keep busy: utilization says nothing. */
static bool say_no_step(const struct dlq_sweep_grid *grid, char *text)
{
    double best = 0;
    char rate[DLQ_TEXT_NUMBER];
    for (size_t i = 0; i < grid->columns; i++)
        if (isfinite(step_of(grid, i)))
            return false;
        else
            best = fmax(best, throughput_at(grid, i));
    snprintf(text, DLQ_FINDING_TEXT, "Without a training step, loading delivers up to %s batches/s",
             dlq_text_rate(best, rate));
    return true;
}

const char *dlq_finding_throughput(const struct dlq_sweep_grid *grid, char text[DLQ_FINDING_TEXT])
{
    if (say_no_step(grid, text))
        return text;
    if (strcmp(grid->kinds[0]->name, "loaders") == 0)
        say_loaders(grid, text);
    else
        say_reaching(grid, text);
    return text;
}

const char *dlq_finding_utilization(const struct dlq_sweep_grid *grid, char text[DLQ_FINDING_TEXT])
{
    if (say_no_step(grid, text))
        return text;
    say_reaching(grid, text);
    if (grid->axis_count == 2) {
        char value[DLQ_AXIS_TEXT];
        struct dlq_phrase phrase = {.text = text, .size = DLQ_FINDING_TEXT, .used = strlen(text)};
        dlq_phrase_add(&phrase, "%s%s", grid->kinds[1]->at,
                       dlq_axis_say(grid->kinds[1], grid->axes[1].configured, value));
    }
    return text;
}

static void add_effort(struct dlq_phrase *phrase, const struct dlq_sweep_grid *grid)
{
    struct dlq_runs runs = {0};
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        if (grid->have_cell[i])
            dlq_runs_count(&runs, &grid->cells[i].simulation);
    dlq_runs_add(phrase, &runs, &grid->description);
}

const char *dlq_finding_subtitle(const struct dlq_sweep_grid *grid, size_t drawn, char *text, size_t size)
{
    const char *const except[2] = {grid->axes[0].name, drawn > 1 ? grid->axes[1].name : NULL};
    struct dlq_phrase phrase = {.text = text, .size = size};
    dlq_parameters_add(&phrase, &grid->description, except);
    add_effort(&phrase, grid);
    return text;
}
