#include "report/animate.h"

#include "draw/file.h"
#include "draw/memory.h"
#include "report/animate_pace.h"
#include "report/phrase.h"
#include "report/scene_cells.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, WIDTH = 900, LABEL = 48, HEAD = 160, TITLE = 512 };

/* What gnuplot may take: a frame takes it some 15 ms, on a busy host many times that. */
static const double gnuplot_seconds = 60, gnuplot_seconds_per_frame = 0.5;

/* All ranks that are shown, one below the other. */
struct film {
    const struct dlq_timeline *timeline;
    struct dlq_pace pace;
    struct dlq_moment_plan plan;
    size_t ranks, places[RANKS];           /* that are shown */
    struct dlq_moment scenes[RANKS];       /* owned */
    struct dlq_moment_cells strips[RANKS]; /* owned */
    char labels[RANKS][LABEL], title[TITLE];
    struct dlq_cell_row rows[RANKS * DLQ_SCENE_ROWS];
    struct dlq_cells cells;
};

/* The first row of each rank bears its number. */
static void set_rows(struct film *film)
{
    size_t count = 0;
    for (size_t i = 0; i < film->ranks; i++) {
        struct dlq_cell_row *first = &film->rows[count];
        count += dlq_moment_plan_rows(&film->plan, first);
        snprintf(film->labels[i], LABEL, "rank %ld %s", film->timeline->ranks[film->places[i]].number, first->label);
        if (film->timeline->rank_count > 1)
            first->label = film->labels[i];
        first->apart = i > 0;
    }
    film->cells = (struct dlq_cells){.title = film->title,
                                     .width = WIDTH,
                                     .delay = film->pace.delay,
                                     .rows = film->rows,
                                     .row_count = count,
                                     .columns = film->plan.columns};
}

/* "Ranks 2, 8, 19, 20 of 256: ...": those that hold the others up most. */
static void set_title(struct film *film, const char *title)
{
    const struct dlq_timeline *timeline = film->timeline;
    struct dlq_phrase phrase = {.text = film->title, .size = TITLE};
    for (size_t i = 0; timeline->rank_count > film->ranks && i < film->ranks; i++)
        dlq_phrase_add(&phrase, "%s%ld", i == 0 ? "Ranks " : ", ", timeline->ranks[film->places[i]].number);
    if (timeline->rank_count > film->ranks)
        dlq_phrase_add(&phrase, " of %zu: ", timeline->rank_count);
    dlq_phrase_add(&phrase, "%s", title);
}

static void free_film(struct film *film)
{
    for (size_t i = 0; i < RANKS; i++) {
        dlq_moment_free(&film->scenes[i]);
        dlq_moment_cells_free(&film->strips[i]);
    }
    free(film);
}

/* Null: no memory. */
static struct film *new_film(const struct dlq_timeline_subject *subject, const struct dlq_pace *pace)
{
    struct film *film = calloc(1, sizeof *film);
    if (film == NULL)
        return NULL;
    film->timeline = subject->timeline;
    film->pace = *pace;
    film->ranks = dlq_timeline_subject_ranks(subject, RANKS, film->places);
    dlq_moment_plan_set(subject->timeline, film->ranks, &film->plan);
    set_title(film, subject->title);
    set_rows(film);
    for (size_t i = 0; i < film->ranks; i++)
        if (dlq_moment_cells_new(&film->plan, &film->strips[i], NULL) != DLQ_OK) {
            free_film(film);
            return NULL;
        }
    return film;
}

static enum dlq_status draw_frame(struct film *film, long frame, FILE *script, struct dlq_error *error)
{
    const struct dlq_cell *rows[RANKS * DLQ_SCENE_ROWS];
    const char *remarks[RANKS * DLQ_SCENE_ROWS];
    char left[HEAD], right[HEAD];
    double time = dlq_pace_time(&film->pace, frame);
    size_t count = 0;
    for (size_t i = 0; i < film->ranks; i++) {
        struct dlq_moment_cells *strip = &film->strips[i];
        enum dlq_status status = dlq_timeline_at(film->timeline, film->places[i], time, &film->scenes[i], error);
        if (status != DLQ_OK)
            return status;
        dlq_moment_cells_fill(&film->plan, &film->scenes[i], strip);
        for (size_t row = 0; row < strip->row_count; row++, count++) {
            rows[count] = strip->rows[row];
            remarks[count] = strip->remarks[row];
        }
    }
    dlq_pace_clock(&film->pace, time, left, sizeof left);
    dlq_moment_count(film->scenes, film->ranks, right, sizeof right);
    struct dlq_cells_frame picture = {left, right, rows, remarks};
    return dlq_cells_frame(&film->cells, &picture, script, error);
}

static enum dlq_status write_script(struct film *film, const volatile sig_atomic_t *interrupted, char **script,
                                    struct dlq_error *error)
{
    struct dlq_memory memory;
    if (!dlq_memory_begin(&memory))
        return dlq_error_memory(error, "drawing an animation");
    enum dlq_status status = dlq_cells_begin(&film->cells, memory.stream, error);
    for (long i = 0; i < film->pace.frames && status == DLQ_OK; i++) {
        if (interrupted != NULL && *interrupted != 0)
            status = dlq_error_add(error, DLQ_INTERRUPTED, "interrupted while drawing an animation");
        else
            status = draw_frame(film, i, memory.stream, error);
    }
    *script = dlq_memory_end(&memory);
    if (*script == NULL && (status == DLQ_OK || status == DLQ_FAILURE))
        status = dlq_error_memory(error, "drawing an animation");
    return status;
}

static enum dlq_status make_picture(const struct dlq_timeline_subject *subject, const struct dlq_pace *pace,
                                    const volatile sig_atomic_t *interrupted, struct dlq_image *image,
                                    struct dlq_error *error)
{
    struct film *film = new_film(subject, pace);
    char *script = NULL;
    if (film == NULL)
        return dlq_error_memory(error, "drawing an animation");
    enum dlq_status status = write_script(film, interrupted, &script, error);
    if (status == DLQ_OK)
        status = dlq_gnuplot_run(script, "gif", gnuplot_seconds + gnuplot_seconds_per_frame * (double)film->pace.frames,
                                 interrupted, image, error);
    if (status == DLQ_OK)
        status = dlq_gif_pack(image, interrupted, error);
    free(script);
    free_film(film);
    return status;
}

enum dlq_status dlq_animate(const struct dlq_timeline_subject *subject, double speed, const char *path,
                            const volatile sig_atomic_t *interrupted, bool *no_font, struct dlq_error *error)
{
    const struct dlq_timeline *timeline = subject->timeline;
    struct dlq_image image = {0};
    struct dlq_pace pace;
    struct dlq_file file = {0};
    bool to_output = strcmp(path, "-") == 0;
    enum dlq_status status = dlq_pace_set(timeline->from, timeline->until, speed, &pace, error);
    if (status == DLQ_OK && timeline->rank_count == 0)
        status = dlq_error_add(error, DLQ_INVALID, "nothing to animate: the timeline has no ranks");
    if (status == DLQ_OK && !to_output)
        status = dlq_file_begin(&file, path, error);
    if (status != DLQ_OK)
        return status;
    status = make_picture(subject, &pace, interrupted, &image, error);
    if (status == DLQ_OK)
        fwrite(image.bytes, 1, image.size, to_output ? stdout : file.stream);
    if (status == DLQ_OK && !to_output)
        status = dlq_file_commit(&file, error);
    *no_font = image.no_font;
    dlq_file_abandon(&file);
    free(image.bytes);
    return status;
}
