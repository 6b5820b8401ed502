/* All parameters of a sweep in one line. */
#include "dlqueue/text.h"
#include "finding.h"
#include "parameters.h"

#include <math.h>

/* How much was simulated: points may have needed different numbers of runs. */
static void add_effort(struct dlq_phrase *phrase, const struct dlq_grid *grid)
{
    long least = 0, most = 0, batches = 0;
    char number[DLQ_TEXT_NUMBER];
    if (dlq_grid_is_exact(grid)) {
        dlq_phrase_add(phrase, " · exact");
        return;
    }
    for (size_t i = 0; i < grid->columns * grid->rows; i++) {
        const struct dlq_simulation *simulation = &grid->cells[i].simulation;
        if (!grid->have_cell[i])
            continue;
        least = least == 0 || simulation->replications < least ? simulation->replications : least;
        most = simulation->replications > most ? simulation->replications : most;
        batches = simulation->batches_per_replication;
    }
    if (least == most)
        dlq_phrase_add(phrase, " · %ld run%s", most, most == 1 ? "" : "s");
    else
        dlq_phrase_add(phrase, " · %ld–%ld runs", least, most);
    if (isnan(grid->description.horizon))
        dlq_phrase_add(phrase, " × %s batches", dlq_text_number((double)batches, 15, number));
    else
        dlq_phrase_add(phrase, " of %s", dlq_text_time(grid->description.horizon, 3, number));
    dlq_phrase_add(phrase, " · seed %llu", (unsigned long long)grid->description.seed);
}

const char *dlq_finding_subtitle(const struct dlq_grid *grid, size_t drawn, char *text, size_t size)
{
    const char *const except[2] = {grid->axes[0].name, drawn > 1 ? grid->axes[1].name : NULL};
    struct dlq_phrase phrase = {.text = text, .size = size};
    dlq_parameters_add(&phrase, &grid->description, except);
    add_effort(&phrase, grid);
    return text;
}
