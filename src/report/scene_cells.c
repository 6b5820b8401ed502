#include "report/scene_cells.h"

#include "draw/gnuplot.h"
#include "draw/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cells in a line at most (in a crowd; of a queue beside few loaders), lines of loaders and of the queue, cells that
   hold a number. */
enum { LINE = 16, CROWDED_LINE = 32, SHORT_LINE = 8, LOADER_LINES = 4, QUEUE_LINES = 2, NUMBERED = 16 };

/* Loaders share lines of equal length; where they are few, the queue may have a longer one. */
static size_t columns_for(size_t loaders, size_t window)
{
    size_t line = loaders <= (size_t)LOADER_LINES * LINE ? LINE : CROWDED_LINE;
    size_t lines = (loaders + line - 1) / line;
    if (loaders == 0)
        return 1;
    if (loaders <= SHORT_LINE / 2 && window > loaders)
        return window < SHORT_LINE ? window : SHORT_LINE;
    return lines <= LOADER_LINES ? (loaders + lines - 1) / lines : line;
}

void dlq_moment_plan_set(const struct dlq_timeline *timeline, size_t ranks, struct dlq_moment_plan *plan)
{
    size_t workers = timeline->workers > 0 ? (size_t)timeline->workers : 0;
    size_t window = timeline->window > 0 ? (size_t)timeline->window : SIZE_MAX;
    bool serial = workers > 0 && timeline->loaders == 0, queue = workers > 0 && !serial;
    size_t columns = columns_for(workers, queue ? window : 0), most = LOADER_LINES * columns;
    *plan = (struct dlq_moment_plan){.loaders = workers < most ? workers : most,
                                     .columns = columns,
                                     .serial = serial,
                                     .numbers = workers <= NUMBERED && workers * ranks <= NUMBERED};
    if (queue)
        plan->places = window < QUEUE_LINES * columns ? window : QUEUE_LINES * columns;
}

size_t dlq_moment_plan_rows(const struct dlq_moment_plan *plan, struct dlq_cell_row rows[DLQ_SCENE_ROWS])
{
    size_t count = 0;
    if (plan->loaders > 0)
        rows[count++] = (struct dlq_cell_row){plan->loaders > 1 ? "loaders" : "loader", plan->loaders, true, false};
    if (plan->places > 0)
        rows[count++] = (struct dlq_cell_row){"queue", plan->places, true, false};
    rows[count++] = (struct dlq_cell_row){"trainer", 1, true, false};
    return count;
}

enum dlq_status dlq_moment_cells_new(const struct dlq_moment_plan *plan, struct dlq_moment_cells *cells,
                                     struct dlq_error *error)
{
    struct dlq_cell_row rows[DLQ_SCENE_ROWS];
    struct dlq_cell *made = calloc(plan->loaders + plan->places + 1, sizeof *made);
    if (made == NULL)
        return dlq_error_memory(error, "drawing an animation");
    *cells = (struct dlq_moment_cells){.cells = made, .row_count = dlq_moment_plan_rows(plan, rows)};
    for (size_t i = 0; i < cells->row_count; i++) {
        cells->rows[i] = made;
        made += rows[i].count;
    }
    return DLQ_OK;
}

void dlq_moment_cells_free(struct dlq_moment_cells *cells)
{
    free(cells->cells);
    *cells = (struct dlq_moment_cells){0};
}

static unsigned color_of(long worker)
{
    return worker < 0 ? DLQ_PALETTE_OVERHEAD : dlq_palette_worker(worker);
}

/* A number that does not fit is left out: half of it would be another one. */
static void set_number(struct dlq_cell *cell, long number)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%ld", number);
    if (number >= 0 && (size_t)length < sizeof cell->text)
        memcpy(cell->text, text, (size_t)length + 1);
}

static double share_of(double progress)
{
    return progress > 0 ? fmin(progress, 1) : 0; /* NAN: 0 */
}

/* "+12": there are more than there are cells. */
static void set_more(size_t count, size_t cells, char remark[DLQ_SCENE_REMARK])
{
    char number[DLQ_TEXT_NUMBER];
    if (count > cells)
        snprintf(remark, DLQ_SCENE_REMARK, "+%s", dlq_text_fixed((double)(count - cells), 0, number));
}

static void fill_loaders(const struct dlq_moment_plan *plan, const struct dlq_moment *scene, struct dlq_cell *cells,
                         char remark[DLQ_SCENE_REMARK])
{
    set_more(scene->loader_count, plan->loaders, remark);
    for (size_t i = 0; i < plan->loaders && i < scene->loader_count; i++) {
        const struct dlq_moment_loader *loader = &scene->loaders[i];
        if (loader->state != DLQ_LOADER_LOADING)
            continue;
        cells[i] = (struct dlq_cell){
            .kind = DLQ_CELL_FILLING, .color = color_of((long)i), .share = share_of(loader->progress)};
        if (plan->numbers)
            snprintf(cells[i].text, sizeof cells[i].text, "%.1f", cells[i].share);
    }
}

static void fill_queue(const struct dlq_moment_plan *plan, const struct dlq_moment *scene, struct dlq_cell *cells,
                       char remark[DLQ_SCENE_REMARK])
{
    set_more(scene->queue_count, plan->places, remark);
    for (size_t i = 0; i < plan->places && i < scene->queue_count; i++) {
        const struct dlq_moment_batch *batch = &scene->queue[i];
        cells[i] =
            (struct dlq_cell){.kind = batch->held ? DLQ_CELL_HELD : DLQ_CELL_FULL, .color = color_of(batch->worker)};
    }
}

/* The batch that a loader still has at hand and that must be delivered before those that are held; -1: none is seen. */
static long late_batch(const struct dlq_moment *scene, long held)
{
    long late = -1;
    for (size_t i = 0; i < scene->loader_count; i++) {
        long index = scene->loaders[i].index;
        if (scene->loaders[i].state == DLQ_LOADER_LOADING && index >= 0 && index < held && (late < 0 || index < late))
            late = index;
    }
    return late;
}

static void explain_stall(const struct dlq_moment_plan *plan, const struct dlq_moment *scene,
                          char remark[DLQ_SCENE_REMARK])
{
    const char *reason = plan->serial ? "loads its batch itself" : plan->places == 0 ? "no data" : "queue empty";
    snprintf(remark, DLQ_SCENE_REMARK, "STALLED - %s", reason);
    for (size_t i = 0; i < scene->queue_count; i++) {
        if (!scene->queue[i].held)
            continue;
        long late = late_batch(scene, scene->queue[i].index);
        if (late >= 0)
            snprintf(remark, DLQ_SCENE_REMARK, "STALLED - batch %ld is late", late);
        else
            snprintf(remark, DLQ_SCENE_REMARK, "STALLED - the next batch is late");
        return;
    }
}

static void fill_trainer(const struct dlq_moment_plan *plan, const struct dlq_moment *scene, struct dlq_cell *cell,
                         char remark[DLQ_SCENE_REMARK])
{
    static const enum dlq_cell_kind kinds[] = {[DLQ_TRAINER_WAITS] = DLQ_CELL_STALL,
                                               [DLQ_TRAINER_RECEIVES] = DLQ_CELL_FILLING,
                                               [DLQ_TRAINER_BARRIER] = DLQ_CELL_BARRIER,
                                               [DLQ_TRAINER_STEPS] = DLQ_CELL_FULL,
                                               [DLQ_TRAINER_DONE] = DLQ_CELL_EMPTY};
    *cell = (struct dlq_cell){.kind = kinds[scene->trainer], .color = color_of(scene->worker)};
    if (scene->trainer == DLQ_TRAINER_RECEIVES) {
        cell->share = share_of(scene->progress);
        snprintf(remark, DLQ_SCENE_REMARK, "receives");
    }
    if (scene->trainer == DLQ_TRAINER_STEPS || scene->trainer == DLQ_TRAINER_RECEIVES)
        set_number(cell, scene->index);
    if (scene->trainer == DLQ_TRAINER_WAITS)
        explain_stall(plan, scene, remark);
    if (scene->trainer == DLQ_TRAINER_BARRIER)
        snprintf(remark, DLQ_SCENE_REMARK, "waits for other ranks");
}

void dlq_moment_cells_fill(const struct dlq_moment_plan *plan, const struct dlq_moment *scene,
                           struct dlq_moment_cells *cells)
{
    size_t row = 0;
    struct dlq_cell *at = cells->cells;
    memset(at, 0, (plan->loaders + plan->places + 1) * sizeof *at);
    memset(cells->remark, 0, sizeof cells->remark);
    for (size_t i = 0; i < cells->row_count; i++)
        cells->remarks[i] = cells->remark[i];
    if (plan->loaders > 0)
        fill_loaders(plan, scene, at, cells->remark[row++]);
    if (plan->places > 0)
        fill_queue(plan, scene, at + plan->loaders, cells->remark[row++]);
    fill_trainer(plan, scene, at + plan->loaders + plan->places, cells->remark[row]);
}

void dlq_moment_count(const struct dlq_moment *scenes, size_t ranks, char *text, size_t size)
{
    char steps[DLQ_TEXT_NUMBER], idle[DLQ_TEXT_NUMBER] = "";
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < ranks; i++) {
        low = fmin(low, 100 * scenes[i].idle); /* a NAN is passed over */
        high = fmax(high, 100 * scenes[i].idle);
    }
    if (low <= high && rint(low) < rint(high))
        snprintf(idle, sizeof idle, " \xc2\xb7 idle %.0f to %.0f %%", low, high);
    else if (low <= high)
        snprintf(idle, sizeof idle, " \xc2\xb7 idle %.0f %%", high);
    snprintf(text, size, "%s %s trained%s%s", dlq_text_fixed((double)scenes[0].steps, 0, steps),
             scenes[0].steps == 1 ? "batch" : "batches", ranks > 1 ? " per rank" : "", idle);
}
