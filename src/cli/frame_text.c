#include "frame_text.h"

#include "dlqueue/palette.h"
#include "dlqueue/text.h"
#include "pen.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Ranks that are shown as a whole; columns of a bar; loaders one below the other where there is room beside them;
   blanks between columns of loaders. */
enum { WHOLE_RANKS = 3, BAR = 10, TALL = 16, GAP = 3, LABEL = 32 };

/* What all parts of a frame know. */
struct drawing {
    const struct dlq_frame *frame;
    const struct dlq_timeline *timeline;
    struct dlq_pen pen;
    int decimals;    /* of points in time */
    int index_width; /* of a batch's number */
};

static int digits_of(long number)
{
    int digits = 1;
    for (; number > 9; number /= 10)
        digits++;
    return digits;
}

static long largest_index(const struct dlq_timeline *timeline)
{
    long largest = 0;
    for (size_t r = 0; r < timeline->rank_count; r++)
        for (size_t i = 0; i < timeline->ranks[r].count; i++)
            if (timeline->ranks[r].batches[i].index > largest)
                largest = timeline->ranks[r].batches[i].index;
    return largest;
}

static const char *time_text(const struct drawing *drawing, double seconds, char text[DLQ_TEXT_NUMBER])
{
    return dlq_text_fixed(seconds, drawing->decimals, text);
}

/* "[####------]"; a share that is not known is none. */
static void put_bar(struct drawing *drawing, long color, double share)
{
    char bar[BAR + 1];
    int full = share > 0 ? (int)(share * BAR + 0.5) : 0;
    full = full > BAR ? BAR : full;
    for (int i = 0; i < BAR; i++)
        bar[i] = '#';
    bar[full] = '\0';
    dlq_pen_put(&drawing->pen, DLQ_PEN_PLAIN, "[");
    dlq_pen_put(&drawing->pen, color, bar);
    dlq_pen_write(&drawing->pen, DLQ_PEN_DIM, "%.*s", BAR - full, "----------");
    dlq_pen_put(&drawing->pen, DLQ_PEN_PLAIN, "] ");
}

static long color_of(long worker)
{
    return worker >= 0 ? (long)dlq_palette_worker(worker) : DLQ_PEN_PLAIN;
}

/* -- the head -- */

static double mean_idle(const struct drawing *drawing)
{
    double sum = 0;
    for (size_t r = 0; r < drawing->timeline->rank_count; r++)
        sum += drawing->frame->scenes[r].idle;
    return sum / (double)drawing->timeline->rank_count;
}

static void put_head(struct drawing *drawing)
{
    const struct dlq_timeline_subject *subject = drawing->frame->subject;
    const struct dlq_scene *scene = drawing->frame->scenes;
    const char *title = subject->title != NULL && subject->title[0] != '\0' ? subject->title : subject->name;
    char now[DLQ_TEXT_NUMBER], until[DLQ_TEXT_NUMBER], idle[DLQ_TEXT_NUMBER];
    if (isnan(mean_idle(drawing)))
        snprintf(idle, sizeof idle, "-");
    else
        snprintf(idle, sizeof idle, "%.0f %%", 100 * mean_idle(drawing));
    dlq_pen_put(&drawing->pen, DLQ_PEN_BOLD, title != NULL ? title : "");
    dlq_pen_end(&drawing->pen);
    dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, "t = %s s of %s s   %ld batch%s   idle %s",
                  time_text(drawing, scene->time, now), time_text(drawing, drawing->timeline->until, until),
                  scene->steps, scene->steps == 1 ? "" : "es", idle);
    dlq_pen_end(&drawing->pen);
}

/* -- loaders -- */

static int label_width(const struct drawing *drawing)
{
    return (int)sizeof "loader " - 1 + digits_of(drawing->timeline->workers);
}

/* "loader 1 [######----] batch 14  0.62" */
static int cell_width(const struct drawing *drawing)
{
    return label_width(drawing) + (int)sizeof " [] batch   0.00" - 1 + BAR + drawing->index_width;
}

static void put_loader(struct drawing *drawing, const struct dlq_scene *scene, size_t worker)
{
    const struct dlq_timeline *timeline = drawing->timeline;
    const struct dlq_scene_loader *loader = &scene->loaders[worker];
    bool loads = loader->state == DLQ_LOADER_LOADING;
    char label[LABEL];
    snprintf(label, sizeof label, "loader %zu", worker + 1);
    if (timeline->workers == 1 && timeline->loaders != 1)
        snprintf(label, sizeof label, timeline->loaders == 0 ? "loading" : "loaders");
    dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, "%-*s ", label_width(drawing), label);
    put_bar(drawing, color_of((long)worker), loads ? loader->progress : 0);
    if (!loads)
        dlq_pen_put(&drawing->pen, DLQ_PEN_DIM, "idle");
    else if (isnan(loader->progress))
        dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, "batch %-*ld  -", drawing->index_width, loader->index);
    else
        dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, "batch %-*ld  %.2f", drawing->index_width, loader->index,
                      floor(100 * loader->progress) / 100);
}

/* Where many loaders are side by side: as few columns as keep them within `room` lines, or TALL. */
static size_t columns_for(const struct drawing *drawing, size_t count, size_t room)
{
    size_t most = (size_t)(drawing->frame->columns + GAP) / (size_t)(cell_width(drawing) + GAP);
    size_t tall = room < TALL ? room : TALL;
    size_t columns = (count + tall - 1) / tall;
    if (count <= TALL && count <= room)
        columns = 1;
    columns = columns < most ? columns : most;
    return columns > 0 ? columns : 1;
}

/* Column by column, in at most `room` lines. */
static void put_loaders(struct drawing *drawing, const struct dlq_scene *scene, size_t room)
{
    size_t count = scene->loader_count, columns = columns_for(drawing, count, room);
    size_t lines = (count + columns - 1) / columns, shown = count;
    if (lines > room) {
        lines = room > 1 ? room - 1 : 0; /* one says how many are missing */
        shown = lines * columns;
    }
    for (size_t line = 0; line < lines; line++) {
        for (size_t column = 0; column < columns && column * lines + line < shown; column++) {
            dlq_pen_to(&drawing->pen, (int)column * (cell_width(drawing) + GAP));
            put_loader(drawing, scene, column * lines + line);
        }
        dlq_pen_end(&drawing->pen);
    }
    if (shown == count)
        return;
    dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, "... and %zu more", count - shown);
    dlq_pen_end(&drawing->pen);
}

/* -- queue -- */

/* The batch that those held wait for: the next one after what is ready, or after the trainer's; -1: unknown. */
static long missing_batch(const struct dlq_scene *scene, size_t ready)
{
    if (ready > 0)
        return scene->queue[ready - 1].index + 1;
    if (scene->index < 0)
        return -1;
    return scene->trainer == DLQ_TRAINER_WAITS ? scene->index : scene->index + 1;
}

static size_t count_ready(const struct dlq_scene *scene)
{
    size_t ready = 0;
    while (ready < scene->queue_count && !scene->queue[ready].held)
        ready++;
    return ready;
}

static void put_queue(struct drawing *drawing, const struct dlq_scene *scene)
{
    size_t ready = count_ready(scene), held = scene->queue_count - ready;
    long missing = missing_batch(scene, ready);
    dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, "%-*s %zu ready", label_width(drawing), "queue", ready);
    if (held > 0)
        dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, ", %zu held", held);
    if (held > 0 && missing >= 0)
        dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, " behind batch %ld", missing);
    if (scene->queue_count > 0)
        dlq_pen_put(&drawing->pen, DLQ_PEN_PLAIN, "  ");
    for (size_t i = 0; i < scene->queue_count && drawing->pen.used < drawing->frame->columns; i++)
        dlq_pen_put(&drawing->pen, color_of(scene->queue[i].worker), scene->queue[i].held ? "=" : "#");
    dlq_pen_end(&drawing->pen);
}

/* -- trainer -- */

/* "batch 17 of loader 3", "the next batch" */
static const char *batch_text(const struct drawing *drawing, const struct dlq_scene *scene, char *text, size_t size)
{
    bool many = drawing->timeline->workers > 1 && scene->worker >= 0;
    if (scene->index < 0)
        snprintf(text, size, "the next batch");
    else if (many)
        snprintf(text, size, "batch %ld of loader %ld", scene->index, scene->worker + 1);
    else
        snprintf(text, size, "batch %ld", scene->index);
    return text;
}

static void put_waits(struct drawing *drawing, const struct dlq_scene *scene)
{
    char number[DLQ_TEXT_NUMBER], batch[80];
    double waited = scene->time - scene->since;
    batch_text(drawing, scene, batch, sizeof batch);
    if (waited > drawing->timeline->stall_above)
        dlq_pen_write(&drawing->pen, DLQ_PALETTE_STALL, "STALLED %s s: waits for %s",
                      time_text(drawing, waited, number), batch);
    else
        dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, "waits for %s", batch);
}

static void put_receives(struct drawing *drawing, const struct dlq_scene *scene)
{
    put_bar(drawing, DLQ_PEN_PLAIN, 0);
    dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, "receives batch %ld", scene->index);
}

static void put_barrier(struct drawing *drawing, const struct dlq_scene *scene)
{
    char number[DLQ_TEXT_NUMBER];
    dlq_pen_write(&drawing->pen, DLQ_PALETTE_BARRIER, "BARRIER %s s: has batch %ld, waits for other ranks",
                  time_text(drawing, scene->time - scene->since, number), scene->index);
}

static void put_steps(struct drawing *drawing, const struct dlq_scene *scene)
{
    put_bar(drawing, color_of(scene->worker), scene->progress);
    dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, "batch %ld", scene->index);
}

static void put_done(struct drawing *drawing, const struct dlq_scene *scene)
{
    (void)scene;
    dlq_pen_put(&drawing->pen, DLQ_PEN_PLAIN, "done: the record ends");
}

static void (*const trainers[])(struct drawing *drawing, const struct dlq_scene *scene) = {
    [DLQ_TRAINER_WAITS] = put_waits, [DLQ_TRAINER_RECEIVES] = put_receives, [DLQ_TRAINER_BARRIER] = put_barrier,
    [DLQ_TRAINER_STEPS] = put_steps, [DLQ_TRAINER_DONE] = put_done,
};

static void put_trainer(struct drawing *drawing, const struct dlq_scene *scene)
{
    dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, "%-*s ", label_width(drawing), "trainer");
    trainers[scene->trainer](drawing, scene);
    dlq_pen_end(&drawing->pen);
}

/* -- ranks -- */

/* Lines left for each of `parts`, all but `others` of them each. */
static size_t room_for(const struct drawing *drawing, size_t parts, size_t others)
{
    const struct dlq_frame *frame = drawing->frame;
    size_t taken = drawing->pen.lines + (frame->footer != NULL ? 1 : 0);
    if (frame->rows == 0)
        return SIZE_MAX / 2;
    size_t left = frame->rows > taken ? (frame->rows - taken) / parts : 0;
    return left > others ? left - others : 0;
}

/* Below the rank's name and above its queue and trainer. */
static size_t room_for_loaders(const struct drawing *drawing)
{
    size_t ranks = drawing->timeline->rank_count;
    return room_for(drawing, ranks, (ranks > 1 ? 1U : 0U) + (drawing->timeline->workers > 0 ? 2U : 1U));
}

static void put_whole(struct drawing *drawing)
{
    const struct dlq_timeline *timeline = drawing->timeline;
    bool several = timeline->rank_count > 1, queued = timeline->workers > 0;
    size_t room = room_for_loaders(drawing);
    for (size_t r = 0; r < timeline->rank_count; r++) {
        const struct dlq_scene *scene = &drawing->frame->scenes[r];
        if (several) {
            dlq_pen_write(&drawing->pen, DLQ_PEN_BOLD, "rank %ld", timeline->ranks[r].number);
            dlq_pen_end(&drawing->pen);
        }
        if (room > 0)
            put_loaders(drawing, scene, room);
        if (queued)
            put_queue(drawing, scene);
        put_trainer(drawing, scene);
    }
}

static size_t count_busy(const struct dlq_scene *scene)
{
    size_t busy = 0;
    for (size_t w = 0; w < scene->loader_count; w++)
        busy += scene->loaders[w].state == DLQ_LOADER_LOADING ? 1 : 0;
    return busy;
}

/* "rank 3  4 of 8 loaders busy  2 ready  [####------] batch 12" */
static void put_line(struct drawing *drawing, size_t rank)
{
    const struct dlq_timeline *timeline = drawing->timeline;
    const struct dlq_scene *scene = &drawing->frame->scenes[rank];
    int number = digits_of(timeline->ranks[timeline->rank_count - 1].number), loaders = digits_of(timeline->workers);
    dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, "rank %-*ld  ", number, timeline->ranks[rank].number);
    if (timeline->workers > 0)
        dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, "%*zu of %ld loaders busy  %3zu ready  ", loaders,
                      count_busy(scene), timeline->workers, count_ready(scene));
    trainers[scene->trainer](drawing, scene);
    dlq_pen_end(&drawing->pen);
}

/* Where there is no room for all, those that hold the others up most. */
static void put_lines(struct drawing *drawing)
{
    size_t count = drawing->timeline->rank_count, room = room_for(drawing, 1, 0);
    size_t shown = count <= room ? count : room > 1 ? room - 1 : 0;
    size_t *places = calloc(shown + 1, sizeof *places);
    if (places != NULL)
        dlq_timeline_subject_ranks(drawing->frame->subject, shown, places);
    for (size_t i = 0; i < shown; i++)
        put_line(drawing, places != NULL ? places[i] : i);
    free(places);
    if (shown == count)
        return;
    dlq_pen_write(&drawing->pen, DLQ_PEN_PLAIN, "... and %zu more", count - shown);
    dlq_pen_end(&drawing->pen);
}

/* -- the whole -- */

size_t dlq_frame_text(FILE *stream, const struct dlq_frame *frame)
{
    const struct dlq_timeline *timeline = frame->subject->timeline;
    size_t kept = frame->footer != NULL && frame->rows > 1 ? 1 : 0; /* for the footer */
    struct drawing drawing = {
        .frame = frame,
        .timeline = timeline,
        .pen = {.stream = stream, .color = frame->color, .columns = frame->columns, .most = frame->rows - kept},
        .decimals = dlq_text_decimals(timeline->until, 3),
        .index_width = digits_of(largest_index(timeline)),
    };
    put_head(&drawing);
    bool whole = timeline->rank_count <= WHOLE_RANKS && room_for_loaders(&drawing) > 0;
    if (whole || timeline->rank_count == 1)
        put_whole(&drawing);
    else
        put_lines(&drawing);
    if (frame->footer != NULL) {
        drawing.pen.most = frame->rows;
        dlq_pen_put(&drawing.pen, DLQ_PEN_DIM, frame->footer);
        dlq_pen_end(&drawing.pen);
    }
    return drawing.pen.lines;
}
