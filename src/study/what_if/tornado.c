/* How sensitive the throughput is to each parameter, changed one at a time on the same draws. */
#include "dlqueue/tornado.h"

#include "study/solve/solve.h"
#include "study/what_if/what_if.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By which share a parameter is changed. */
static const double change = 0.2;

/* A parameter: an axis of a sweep, or the mean of a stage of the work at `work` in a system. */
struct parameter {
    enum dlq_axis_name axis;
    size_t work, stage; /* work 0: an axis */
};

static struct dlq_work *work_of(struct dlq_system *system, const struct parameter *parameter)
{
    return (struct dlq_work *)(void *)((char *)system + parameter->work);
}

/* A fifth less (direction -1) or more (1). Counts change by at least one and stay whole; shares stay within 1. */
static double changed_value(const struct parameter *parameter, double value, int direction)
{
    double changed = value * (1 + direction * change);
    const bool counts = parameter->work == 0 && dlq_axis_is_whole(parameter->axis) && value == floor(value);
    const bool share =
        parameter->work == 0 && (parameter->axis == DLQ_AXIS_CACHE || parameter->axis == DLQ_AXIS_CONTENTION);
    if (counts)
        changed = direction < 0 ? fmin(round(changed), value - 1) : fmax(round(changed), value + 1);
    if (share)
        changed = fmin(changed, 1);
    return changed == value || (counts && changed < 1) ? NAN : changed;
}

/* Adds the parameter, unless its value is 0 or there is none. */
static void add(struct dlq_tornado *tornado, struct parameter *parameters, struct parameter parameter,
                const char *section, const char *name, double value)
{
    struct dlq_sensitivity *row = &tornado->rows[tornado->count];
    const struct dlq_lever none = {.throughput = {NAN, NAN, NAN}, .gain = {NAN, NAN, NAN}, .outside_bound = NAN};
    if (!(value > 0) || !isfinite(value) || name[0] == '\0' || tornado->count == DLQ_SENSITIVITIES)
        return;
    *row = (struct dlq_sensitivity){.value = value, .of_less = none, .of_more = none};
    row->less = changed_value(&parameter, value, -1);
    row->more = changed_value(&parameter, value, 1);
    snprintf(row->parameter, sizeof row->parameter, "%s%s", section, name);
    parameters[tornado->count++] = parameter;
}

static void find_parameters(struct dlq_system *system, struct dlq_tornado *tornado, struct parameter *parameters)
{
    static const struct {
        const char *section;
        size_t work, least; /* least: number of stages from which on each has a row */
    } works[] = {{"load.", offsetof(struct dlq_system, load), 2},
                 {"step.", offsetof(struct dlq_system, step), 2},
                 {"step.", offsetof(struct dlq_system, extra), 1}};
    for (enum dlq_axis_name axis = 0; axis < DLQ_AXES; axis++)
        if (axis != DLQ_AXIS_RANKS && axis != DLQ_AXIS_BATCH_SIZE &&
            !(axis == DLQ_AXIS_THREADS && system->pipeline.threads == 1)) /* 1: loads have no threads */
            add(tornado, parameters, (struct parameter){.axis = axis}, "", dlq_axis_key(axis),
                dlq_axis_get(axis, system));
    for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
        struct parameter parameter = {.work = works[w].work};
        const struct dlq_work *work = work_of(system, &parameter);
        for (; work->count >= works[w].least && parameter.stage < work->count; parameter.stage++)
            add(tornado, parameters, parameter, works[w].section, work->stages[parameter.stage].name,
                work->stages[parameter.stage].dist.mean);
    }
}

/* Gives the system the changed value; false: it does not allow that. */
static bool set(struct dlq_system *system, const struct parameter *parameter, double value, double changed)
{
    char why[256];
    if (isnan(changed))
        return false;
    if (parameter->work == 0)
        return dlq_axis_set(parameter->axis, system, changed, why, sizeof why);
    dlq_work_scale_stage(work_of(system, parameter), parameter->stage, changed / value);
    return true;
}

/* Compares all parameters changed in that direction. systems: room for the unchanged system and the changed ones. */
static enum dlq_status compare(const struct dlq_model *model, const struct parameter *parameters, int direction,
                               struct dlq_system *systems, const struct dlq_run *run, struct dlq_tornado *tornado,
                               struct dlq_error *error)
{
    struct dlq_levers levers = {.count = 0};
    systems[0] = model->system;
    for (size_t i = 0; i < tornado->count; i++) {
        struct dlq_sensitivity *row = &tornado->rows[i];
        double *changed = direction < 0 ? &row->less : &row->more;
        systems[levers.count + 1] = systems[0];
        if (!set(&systems[levers.count + 1], &parameters[i], row->value, *changed) ||
            !dlq_change_keep(systems, model->simulate.horizon, DLQ_LEVER_CHANGES, row->parameter, "", &levers))
            *changed = NAN;
    }
    TRY(dlq_gains_find(model, systems, tornado->throughput, true, run, &levers, error));
    for (size_t l = 0; l < levers.count; l++)
        for (size_t i = 0; i < tornado->count; i++)
            if (strcmp(levers.rows[l].change, tornado->rows[i].parameter) == 0)
                *(direction < 0 ? &tornado->rows[i].of_less : &tornado->rows[i].of_more) = levers.rows[l];
    return DLQ_OK;
}

/* Leaves out parameters that the configuration allows to change neither way, as the cv of exponential loads. */
static void drop_fixed(struct dlq_tornado *tornado)
{
    size_t kept = 0;
    for (size_t i = 0; i < tornado->count; i++)
        if (!isnan(tornado->rows[i].less) || !isnan(tornado->rows[i].more))
            tornado->rows[kept++] = tornado->rows[i];
    tornado->count = kept;
}

/* The larger of both changes of throughput; -1: unknown. */
static double size_of(const struct dlq_sensitivity *row)
{
    return fmax(-1, fmax(fabs(row->of_less.gain.value), fabs(row->of_more.gain.value)));
}

static int by_size(const void *left, const void *right)
{
    const double a = size_of(left), b = size_of(right);
    return a != b ? (a < b) - (a > b)
                  : strcmp(((const struct dlq_sensitivity *)left)->parameter,
                           ((const struct dlq_sensitivity *)right)->parameter);
}

enum dlq_status dlq_tornado(struct dlq_model *model, const struct dlq_run *run, struct dlq_tornado *tornado,
                            struct dlq_error *error)
{
    DLQ_ARENA arena = {.error = error, .doing = "comparing parameters"};
    struct parameter parameters[DLQ_SENSITIVITIES];
    struct dlq_system *systems;
    struct dlq_tornado *made;
    struct dlq_simulation simulation;
    struct dlq_levers odd = {.count = 0};
    TRY(dlq_validate_run(run, error));
    NEW(&arena, made, 1);
    NEW(&arena, systems, 1 + DLQ_SENSITIVITIES);
    TRY(dlq_model_describe(model, &made->description, error));
    if (run->has_seed)
        made->description.seed = run->seed;
    dlq_progress_of(model, run);
    TRY(dlq_simulate(model, run, &simulation, error));
    made->throughput = simulation.throughput;
    find_parameters(&model->system, made, parameters);
    TRY(compare(model, parameters, -1, systems, run, made, error));
    TRY(compare(model, parameters, 1, systems, run, made, error));
    drop_fixed(made);
    qsort(made->rows, made->count, sizeof *made->rows, by_size);
    for (size_t i = 0; i < 2 * made->count && odd.count < DLQ_LEVERS; i++) {
        const struct dlq_sensitivity *row = &made->rows[i / 2];
        odd.rows[odd.count] = i % 2 == 0 ? row->of_less : row->of_more;
        odd.count += isnan(odd.rows[odd.count].outside_bound) ? 0 : 1;
    }
    dlq_warnings_of(&model->system, &simulation, &odd, &model->simulate, made->warnings, &made->warning_count);
    *tornado = *made;
    return DLQ_OK;
}
