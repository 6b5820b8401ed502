/* All parameters of a sweep in one line. */
#include "report/finding.h"
#include "report/parameters.h"
#include "report/runs.h"

static void add_effort(struct dlq_phrase *phrase, const struct dlq_grid *grid)
{
    struct dlq_runs runs = {0};
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        if (grid->have_cell[i])
            dlq_runs_count(&runs, &grid->cells[i].simulation);
    dlq_runs_add(phrase, &runs, &grid->description);
}

const char *dlq_finding_subtitle(const struct dlq_grid *grid, size_t drawn, char *text, size_t size)
{
    const char *const except[2] = {grid->axes[0].name, drawn > 1 ? grid->axes[1].name : NULL};
    struct dlq_phrase phrase = {.text = text, .size = size};
    dlq_parameters_add(&phrase, &grid->description, except);
    add_effort(&phrase, grid);
    return text;
}
