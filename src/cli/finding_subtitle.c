/* All parameters of a sweep in one line. */
#include "dlqueue/text.h"
#include "finding.h"
#include "phrase.h"
#include "report.h"

#include <math.h>
#include <string.h>

static bool is_drawn(const struct dlq_grid *grid, size_t drawn, const char *name)
{
    for (size_t i = 0; i < drawn; i++)
        if (strcmp(grid->axes[i].name, name) == 0)
            return true;
    return false;
}

static void add_load(struct dlq_phrase *phrase, const struct dlq_grid *grid, size_t drawn)
{
    const struct dlq_description *description = &grid->description;
    char time[DLQ_TEXT_NUMBER];
    bool mean = is_drawn(grid, drawn, "load"), cv = is_drawn(grid, drawn, "cv");
    dlq_text_time(description->load_mean, 3, time);
    if (!mean && !cv)
        dlq_phrase_add(phrase, " · load %s (%s)", time, description->load_text);
    else if (!mean)
        dlq_phrase_add(phrase, " · load %s", time);
    else if (!cv && description->load_cv > 0)
        dlq_phrase_add(phrase, " · load cv %.3g", description->load_cv);
}

static void add_step(struct dlq_phrase *phrase, const struct dlq_grid *grid, size_t drawn)
{
    const struct dlq_description *description = &grid->description;
    char time[DLQ_TEXT_NUMBER];
    if (is_drawn(grid, drawn, "step"))
        return;
    dlq_phrase_add(phrase, " · step %s", dlq_text_time(description->step_mean, 3, time));
    if (description->step_cv > 0)
        dlq_phrase_add(phrase, " (%s)", description->step_text);
}

static void add_rest(struct dlq_phrase *phrase, const struct dlq_grid *grid, size_t drawn)
{
    const struct dlq_description *description = &grid->description;
    bool ranks = is_drawn(grid, drawn, "ranks");
    if (description->has_batch_size)
        dlq_phrase_add(phrase, " · batches of %ld", description->batch_size);
    if (description->ranks > 1 && !ranks)
        dlq_phrase_add(phrase, " · %ld ranks", description->ranks);
    if (!isnan(description->cores) && ranks)
        dlq_phrase_add(phrase, " · %.6g cores a host", description->cores);
    else if (!isnan(description->cores))
        dlq_phrase_add(phrase, " · %.6g cores", description->cores / description->ranks_per_host);
    if (description->rest_text[0] != '\0')
        dlq_phrase_add(phrase, " · %s", description->rest_text);
}

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
    char loader[200];
    struct dlq_phrase phrase = {.text = text, .size = size};
    /* What has no name is called after the program, which is no news. */
    if (strcmp(grid->description.name, "dlqueue") != 0)
        dlq_phrase_add(&phrase, "%.80s · ", grid->description.name);
    dlq_phrase_add(&phrase, "%s", dlq_report_loader(&grid->description, except, loader, sizeof loader));
    add_load(&phrase, grid, drawn);
    add_step(&phrase, grid, drawn);
    add_rest(&phrase, grid, drawn);
    add_effort(&phrase, grid);
    return text;
}
