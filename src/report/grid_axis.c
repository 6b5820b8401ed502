/* What the axes of a sweep are called. */
#include "draw/text.h"
#include "report/grid.h"

#include <math.h>
#include <string.h>

static const struct dlq_axis_kind kinds[] = {
    {
        .name = "loaders",
        .is_integer = true,
        .rising = true,
        .some = {"95 % utilization takes ", ""},
        .all = {"95 % utilization takes no more than ", ""},
        .none = {"Even ", " do not reach 95 % utilization"},
        .at = " with ",
        .unit_of_one = " loader",
        .unit_of_many = " loaders",
    },
    {
        .name = "load",
        .is_time = true,
        .some = {"Loads up to ", " keep the trainer 95 % busy"},
        .all = {"Even loads of ", " keep the trainer 95 % busy"},
        .none = {"Even loads of ", " are too slow for the trainer"},
        .at = " at a load of ",
    },
    {
        .name = "prefetch",
        .is_integer = true,
        .rising = true,
        .some = {"A prefetch of ", " keeps the trainer 95 % busy"},
        .all = {"A prefetch of ", " already keeps the trainer 95 % busy"},
        .none = {"Even a prefetch of ", " does not keep the trainer busy"},
        .at = " with a prefetch of ",
    },
    {
        .name = "ranks",
        .is_integer = true,
        .some = {"95 % utilization up to ", ""},
        .all = {"Even ", " reach 95 % utilization"},
        .none = {"No 95 % utilization, not even with ", ""},
        .at = " with ",
        .unit_of_one = " rank",
        .unit_of_many = " ranks",
    },
    {
        .name = "step",
        .is_time = true,
        .rising = true,
        .some = {"Loading keeps up with steps of ", " and more"},
        .all = {"Loading keeps up even with steps of ", ""},
        .none = {"Loading does not keep up even with steps of ", ""},
        .at = " at a step of ",
    },
    {
        .name = "cv",
        .some = {"Up to a load cv of ", " the trainer stays 95 % busy"},
        .all = {"Even at a load cv of ", " the trainer stays 95 % busy"},
        .none = {"Even at a load cv of ", " the trainer is not kept busy"},
        .at = " at a load cv of ",
    },
    /* Where a later version of the library has more axes. */
    {
        .name = "",
        .some = {"95 % utilization up to ", ""},
        .all = {"95 % utilization even at ", ""},
        .none = {"No 95 % utilization even at ", ""},
        .at = " at ",
    },
};

const struct dlq_axis_kind *dlq_axis_kind_find(const char *name)
{
    size_t i = 0;
    while (kinds[i].name[0] != '\0' && strcmp(kinds[i].name, name) != 0)
        i++;
    return &kinds[i];
}

const char *dlq_axis_say(const struct dlq_axis_kind *kind, double value, char text[DLQ_AXIS_TEXT])
{
    char number[DLQ_TEXT_NUMBER];
    if (kind->is_time) {
        snprintf(text, DLQ_AXIS_TEXT, "%s", dlq_text_time(value, 3, number));
        return text;
    }
    const char *unit = value == 1 ? kind->unit_of_one : kind->unit_of_many;
    snprintf(text, DLQ_AXIS_TEXT, "%s%s", dlq_text_number(value, 3, number), unit != NULL ? unit : "");
    return text;
}

static const struct {
    const char *name, *label;
} labels[] = {
    {"loaders", "Loader workers"},    {"load", "Mean load time"}, {"prefetch", "Prefetch"},
    {"ranks", "Data-parallel ranks"}, {"step", "Mean step time"}, {"cv", "Coefficient of variation of the load"},
};

/* The unit in which the largest value has at most three digits before the point. */
static double choose_unit(const struct dlq_axis *axis, const char **unit)
{
    static const struct {
        double above, factor;
        const char *unit;
    } units[] = {{0.9999, 1, "s"}, {0.9999e-3, 1e3, "ms"}, {0.9999e-6, 1e6, "us"}, {0, 1e9, "ns"}};
    size_t i = 0;
    double largest = axis->values[axis->count - 1];
    while (units[i].above > 0 && largest < units[i].above)
        i++;
    *unit = units[i].unit;
    return units[i].factor;
}

double dlq_axis_label(const struct dlq_grid *grid, size_t axis, char text[DLQ_AXIS_TEXT])
{
    const struct dlq_axis_kind *kind = grid->kinds[axis];
    const char *label = kind->name;
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strcmp(labels[i].name, kind->name) == 0)
            label = labels[i].label;
    if (strcmp(kind->name, "prefetch") == 0 && grid->description.prefetch_name != NULL &&
        strcmp(grid->description.prefetch_name, "prefetch") != 0) {
        snprintf(text, DLQ_AXIS_TEXT, "%s (%s)", label, grid->description.prefetch_name);
        return 1;
    }
    if (!kind->is_time) {
        snprintf(text, DLQ_AXIS_TEXT, "%s", label);
        return 1;
    }
    const char *unit;
    double factor = choose_unit(&grid->axes[axis], &unit);
    snprintf(text, DLQ_AXIS_TEXT, "%s (%s)", label, unit);
    return factor;
}

bool dlq_axis_is_logarithmic(const struct dlq_axis *axis)
{
    size_t last = axis->count - 1;
    if (axis->count < 4 || !(axis->values[0] > 0) || axis->values[last] < 3 * axis->values[0])
        return false;
    double first_ratio = axis->values[1] / axis->values[0];
    double last_ratio = axis->values[last] / axis->values[last - 1];
    return fabs(log(first_ratio) - log(last_ratio)) < 0.05 * log(first_ratio);
}
