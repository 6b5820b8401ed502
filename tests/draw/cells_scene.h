/* A strip of loaders, a queue and a trainer, all of whose cells change from frame to frame. */
#ifndef TESTS_OUT_CELLS_SCENE_H
#define TESTS_OUT_CELLS_SCENE_H

#include "harness.h"

#include "draw/cells.h"
#include "draw/gnuplot.h"

#include "draw/cells_layout.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST_CELLS = 200, ROWS = 3 };

struct scene {
    struct dlq_cell_row rows[ROWS];
    struct dlq_cells cells;
    struct dlq_cell cell[ROWS][MOST_CELLS];
    const struct dlq_cell *row[ROWS];
    const char *remarks[ROWS];
    char left[64], right[64];
    struct dlq_cells_frame frame;
};

static struct scene scene;

static inline void begin_scene(size_t loaders, size_t places, size_t columns, int width)
{
    scene = (struct scene){
        .rows = {{"loaders", loaders, false, false}, {"queue", places, true, false}, {"trainer", 1, true, false}},
        .cells = {"The trainer waits for data 64 % of the time", width, 0.1, scene.rows, ROWS, columns}};
}

static inline void set_frame(int frame)
{
    static const enum dlq_cell_kind queued[] = {DLQ_CELL_FULL, DLQ_CELL_HELD, DLQ_CELL_EMPTY};
    static const enum dlq_cell_kind trains[] = {DLQ_CELL_FULL, DLQ_CELL_STALL, DLQ_CELL_BARRIER, DLQ_CELL_EMPTY};
    static const char *const says[] = {"", "STALLED - batch 17 is late", "waits for other ranks", "idle"};
    for (size_t i = 0; i < scene.rows[0].count; i++) {
        double share = fmod(frame * 0.053 + (double)i * 0.317, 1.0);
        scene.cell[0][i] = (struct dlq_cell){DLQ_CELL_FILLING, dlq_palette_worker((long)i), share, ""};
        snprintf(scene.cell[0][i].text, sizeof scene.cell[0][i].text, "%.1f", share);
    }
    for (size_t i = 0; i < scene.rows[1].count; i++)
        scene.cell[1][i] =
            (struct dlq_cell){queued[(i + (size_t)frame) % 3], dlq_palette_worker((long)i + frame), 0, ""};
    scene.cell[2][0] = (struct dlq_cell){trains[frame % 4], dlq_palette_worker(frame), 0, ""};
    if (frame % 4 == 0)
        snprintf(scene.cell[2][0].text, sizeof scene.cell[2][0].text, "%d", frame % 1000);
    snprintf(scene.left, sizeof scene.left, "t = %.1f s", frame * 0.1);
    snprintf(scene.right, sizeof scene.right, "%d batches trained \xc2\xb7 idle 43 %%", frame);
    for (size_t i = 0; i < ROWS; i++)
        scene.row[i] = scene.cell[i];
    scene.remarks[1] = "+12";
    scene.remarks[2] = says[frame % 4];
    scene.frame = (struct dlq_cells_frame){scene.left, scene.right, scene.row, scene.remarks};
}

static inline char *scene_script(int from, int to)
{
    char *text = NULL;
    size_t size = 0;
    struct dlq_error error = {0};
    FILE *file = open_memstream(&text, &size);
    CHECK(dlq_cells_begin(&scene.cells, file, &error) == DLQ_OK, "begin: %s", error.text);
    for (int i = from; i < to; i++) {
        set_frame(i);
        CHECK(dlq_cells_frame(&scene.cells, &scene.frame, file, &error) == DLQ_OK, "frame %d: %s", i, error.text);
    }
    fclose(file);
    return text;
}

static inline struct dlq_image draw(const char *script)
{
    struct dlq_image image = {0};
    struct dlq_error error = {0};
    CHECK(dlq_gnuplot_run(script, "gif", 120, NULL, &image, &error) == DLQ_OK, "%s", error.text);
    return image;
}

static inline struct dlq_cell_box box_of(size_t row, size_t cell)
{
    struct dlq_cells_layout layout;
    dlq_cells_lay_out(&scene.cells, &layout);
    return dlq_cells_box(&scene.cells, &layout, row, cell);
}

#endif
