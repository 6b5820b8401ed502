/* A timeline as an animated GIF: frames with loaders, queue and trainer, as slots of animation.gp. gnuplot draws them;
   gifsicle, if installed, packs the file. */
#include "draw/gnuplot.h"
#include "draw/phrase.h"
#include "report/pictures/pictures.h"
#include "study/timeline/timeline.h"

#include <math.h>
#include <stdlib.h>

enum { FRAMES = 300 /* at most */, TICKS = 100 /* per second of a GIF's clock */ };
static const double usual_rate = 10, least_rate = 4; /* frames per second */

/* Time limits of gnuplot, which needs some 15 ms per frame, and many times that on a busy host. */
static const double gnuplot_seconds = 60, gnuplot_seconds_per_frame = 0.5;

enum {
    LINE = 16,         /* cells in a line, at most */
    CROWDED_LINE = 32, /* the same, if loaders would take more than LOADER_LINES */
    SHORT_LINE = 8,    /* the same, for the queue beside at most half as many loaders */
    LOADER_LINES = 4,  /* at most */
    QUEUE_LINES = 2,   /* at most */
    NUMBERED = 16,     /* loaders, at most, whose cells show their progress as numbers */
    SLICES = 400,      /* of the strip */
    REMARK = 64        /* bytes */
};

/* Pixels. Every line of pixels costs bytes in each frame. */
enum {
    WIDTH = 900, /* of the page */
    LEFT = 90,   /* margins of the panel: LEFT, RIGHT, HEAD (without title), FOOT */
    RIGHT = 32,
    HEAD = 40,
    FOOT = 50,
    REMARK_ROOM = 46, /* to the right of the cells */
    TITLE_LINE = 27,  /* height of a line of the title */
    MOST_PITCH = 104, /* width of a cell with its gap */
    MOST_HEIGHT = 40  /* of a cell */
};
static const double between_rows = 0.4, strip_height = 0.62; /* in lines of cells */

/* Rows of the page: loaders, queue and trainer of the rank that delays the others most, and the trainer over time. */
enum { LOADERS, QUEUE, TRAINER, STRIP, ROWS };

/* States of a cell, as numbered in the template. */
enum kind { EMPTY, LOADS, FULL, HELD, STALLED, BARRIER, RECEIVES };

struct animation {
    const struct dlq_timeline_answer *answer;
    const struct dlq_timeline *timeline;
    long frames;
    double delay;     /* of a frame, s, in whole ticks */
    const char *unit; /* of the clock */
    double scale;     /* from seconds to `unit` */
    int decimals;
    size_t cells[ROWS], columns; /* cells of each row, 0: no such row; cells in a line */
    bool serial;                 /* the trainer loads its batches itself */
    size_t rank;                 /* the rank that is shown */
    double top[ROWS];            /* of each row, in lines of cells */
    double cell_height, pitch;   /* in lines of cells; pixels from cell to cell */
    struct dlq_moment moment;    /* owned */
    struct dlq_slots slots;
};

/* -- layout -- */

/* Lays out page, panel and rows. With several ranks the title starts with the one that is shown: "Rank 8 of 256 · ". */
static void put_page(struct animation *animation)
{
    const struct dlq_timeline *timeline = animation->timeline;
    struct dlq_slots *slots = &animation->slots;
    const char *const names[ROWS] = {animation->cells[LOADERS] > 1 ? "loaders" : "loader", "queue", "trainer",
                                     "so far"};
    char title[512] = "";
    struct dlq_phrase phrase = {.text = title, .size = sizeof title};
    if (timeline->rank_count > 1)
        dlq_phrase_add(&phrase, "Rank %ld of %zu · ", timeline->ranks[animation->rank].number, timeline->rank_count);
    dlq_phrase_add(&phrase, "%s", animation->answer->title);
    int room = WIDTH - LEFT - RIGHT;
    animation->pitch = fmin(floor((room - REMARK_ROOM) / (double)animation->columns), MOST_PITCH);
    double gap = animation->pitch >= 60 ? 8 : animation->pitch >= 30 ? 4 : 2, wide = animation->pitch - gap;
    double cell = fmin(fmax(0.7 * wide, fmin(wide, 20)), MOST_HEIGHT), y = 0;
    animation->cell_height = cell / (cell + gap);
    dlq_slot_block(slots, "LABELS");
    for (size_t row = 0; row < ROWS; row++) {
        size_t lines = (animation->cells[row] + animation->columns - 1) / animation->columns;
        double high = row == STRIP ? strip_height : (double)lines - 1 + animation->cell_height;
        animation->top[row] = y;
        if (lines == 0)
            continue;
        DLQ_SLOT_NAMED_ROW(slots, names[row], y + 0.5 * high);
        y += row == STRIP ? strip_height : (double)lines + between_rows * (row == TRAINER ? 0.6 : 1);
    }
    dlq_slot_block_end(slots);
    /* A line of the title has 84 letters (animation.gp), the last of several fewer. */
    int letters = dlq_text_width(title), top = HEAD + TITLE_LINE * (letters <= 84 ? 1 : letters <= 150 ? 2 : 3);
    fprintf(slots->script, "TERM = 'gif animate delay %ld loop 0'\nW = %d\nH = %.10g\nF = 12\n",
            lrint(TICKS * animation->delay), WIDTH, rint(top + y * (cell + gap) + FOOT));
    fprintf(slots->script, "LEFT = %d\nRIGHT = %d\nTOP = %d\nBOTTOM = %d\n", LEFT, RIGHT, top, FOOT);
    dlq_slot_number(slots, "COLUMNS", room / animation->pitch);
    dlq_slot_number(slots, "LINES", y);
    dlq_slot_number(slots, "CW", wide / animation->pitch);
    dlq_slot_number(slots, "CH", animation->cell_height);
    dlq_slot_number(slots, "NUMBERS", timeline->workers <= NUMBERED);
    dlq_slot_number(slots, "FROM", timeline->from * animation->scale);
    dlq_slot_number(slots, "UNTIL", timeline->until * animation->scale);
    dlq_slot_number(slots, "FRAMES", (double)animation->frames);
    dlq_slot_text(slots, "TITLE", title);
    dlq_slot_text(slots, "SUBTITLE", "");
    dlq_slot_text(slots, "UNIT", animation->unit);
    dlq_slot_array(slots, "CLOCK", (size_t)animation->frames);
    dlq_slot_array(slots, "COUNT", (size_t)animation->frames);
}

/* -- the strip -- */

/* Adds a span of time to the shares of the slices. */
static void add_span(const struct animation *animation, double start, double end, double shares[SLICES])
{
    double from = animation->timeline->from, width = (animation->timeline->until - from) / SLICES;
    double first = floor((start - from) / width);
    if (!(end > start) || !isfinite(start))
        return;
    for (size_t i = (size_t)fmin(fmax(first, 0), SLICES); i < SLICES && from + (double)i * width < end; i++) {
        double left = from + (double)i * width;
        shares[i] += fmax(0, (fmin(end, left + width) - fmax(start, left)) / width);
    }
}

/* Slices of time with the shares in which the trainer is busy, waits for data, and waits for ranks. */
static void put_strip(struct animation *animation)
{
    const struct dlq_timeline *timeline = animation->timeline;
    const struct dlq_timeline_rank *rank = &timeline->ranks[animation->rank];
    double busy[SLICES] = {0}, waiting[SLICES] = {0}, barrier[SLICES] = {0};
    for (size_t i = 0; i < rank->stepped; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        double taken = dlq_timeline_receive_start(timeline, batch), start = dlq_timeline_step_begin(batch);
        add_span(animation, batch->request, taken, waiting);
        add_span(animation, taken, batch->received, busy);
        add_span(animation, batch->received, start, barrier);
        add_span(animation, start, batch->step_end, busy);
    }
    /* After its last step the trainer of a simulated run waits. */
    if (!timeline->measured)
        add_span(animation, rank->stepped > 0 ? dlq_timeline_last_end(rank) : timeline->from, timeline->until, waiting);
    double scale = animation->scale, width = (timeline->until - timeline->from) / SLICES;
    DLQ_SLOT_ROWS(&animation->slots, "STRIP", i, SLICES, scale * (timeline->from + (double)i * width),
                  scale * (timeline->from + (double)(i + 1) * width), animation->top[STRIP], busy[i], waiting[i],
                  barrier[i]);
}

/* -- frames -- */

/* Cell `i` of a row. */
static void put_cell(struct animation *animation, double top, size_t i, enum kind kind, long worker, double share)
{
    unsigned color = dlq_palette_worker(worker);
    unsigned ground = kind == LOADS || kind == RECEIVES ? dlq_palette_pale(color, 0.25)
                      : kind == FULL || kind == HELD    ? color
                                                        : 0xffffff;
    size_t line = i / animation->columns, column = i % animation->columns;
    DLQ_SLOT_ROW(&animation->slots, (double)column, top + (double)line, kind, color, ground, dlq_palette_ink(color),
                 share > 0 ? fmin(share, 1) : 0);
}

/* A text after the last cell of a row. */
static void put_remark(struct animation *animation, size_t row, const char *text, unsigned color)
{
    size_t last = animation->cells[row] - 1, line = last / animation->columns, column = last % animation->columns + 1;
    DLQ_SLOT_NAMED_ROW(&animation->slots, text, (double)column + 4 / animation->pitch,
                       animation->top[row] + (double)line + 0.5 * animation->cell_height, color);
}

/* "+12" after a row with too few cells; after the trainer what the trainer does or waits for. */
static void put_remarks(struct animation *animation)
{
    const struct dlq_moment *moment = &animation->moment;
    const size_t counts[] = {[LOADERS] = moment->loader_count, [QUEUE] = moment->queue_count};
    bool waits = moment->trainer == DLQ_TRAINER_WAITS, barrier = moment->trainer == DLQ_TRAINER_BARRIER;
    char remark[REMARK] = "";
    for (size_t row = LOADERS; row <= QUEUE; row++)
        if (animation->cells[row] > 0 && counts[row] > animation->cells[row]) {
            snprintf(remark, REMARK, "+%s", SAY_COUNT(counts[row] - animation->cells[row]));
            put_remark(animation, row, remark, 0x111111);
        }
    if (waits && moment->queue_count > 0 && moment->batch != NULL)
        snprintf(remark, REMARK, "STALLED - batch %ld is late", moment->batch->index);
    else if (waits)
        snprintf(remark, REMARK, "STALLED - %s",
                 animation->serial              ? "loads its batch itself"
                 : animation->cells[QUEUE] == 0 ? "no data"
                 : moment->queue_count > 0      ? "the next batch is late"
                                                : "queue empty");
    else if (barrier)
        snprintf(remark, REMARK, "waits for other ranks");
    else if (moment->batch != NULL)
        snprintf(remark, REMARK, "%s batch %ld", moment->trainer == DLQ_TRAINER_STEPS ? "trains on" : "receives",
                 moment->batch->index);
    else
        remark[0] = '\0';
    put_remark(animation, TRAINER, remark, waits ? DLQ_PALETTE_STALL : barrier ? 0x8a6508 : 0x111111);
}

/* Frame k shows the end of the k-th of equal spans of time. */
static enum dlq_status put_frame(struct animation *animation, long frame, struct dlq_error *error)
{
    static const enum kind kinds[] = {STALLED, RECEIVES, BARRIER, FULL, EMPTY}; /* by enum dlq_trainer_state */
    const double *top = animation->top;
    struct dlq_slots *slots = &animation->slots;
    struct dlq_moment *moment = &animation->moment;
    double from = animation->timeline->from, until = animation->timeline->until;
    double share = (double)(frame + 1) / (double)animation->frames;
    double time = frame + 1 >= animation->frames ? until : from + (until - from) * share;
    char text[3 * DLQ_TEXT_NUMBER];
    TRY(dlq_timeline_at(animation->timeline, animation->rank, time, moment, error));
    snprintf(text, sizeof text, "t = %s %s", SAY_FIXED(time * animation->scale, animation->decimals), animation->unit);
    dlq_slot_element(slots, "CLOCK", (size_t)frame, text);
    snprintf(text, sizeof text, isnan(moment->idle) ? "%s %s trained" : "%s %s trained \xc2\xb7 idle %.0f %%",
             SAY_COUNT(moment->steps), moment->steps == 1 ? "batch" : "batches", 100 * moment->idle);
    dlq_slot_element(slots, "COUNT", (size_t)frame, text);
    snprintf(text, sizeof text, "CELLS%ld", frame + 1);
    dlq_slot_block(slots, text);
    for (size_t i = 0; i < animation->cells[LOADERS]; i++) {
        const struct dlq_moment_loader *loader = &moment->loaders[i];
        put_cell(animation, top[LOADERS], i, loader->batch != NULL ? LOADS : EMPTY, (long)i, loader->progress);
    }
    for (size_t i = 0; i < animation->cells[QUEUE]; i++) {
        const struct dlq_moment_batch *batch = i < moment->queue_count ? &moment->queue[i] : NULL;
        enum kind kind = batch == NULL ? EMPTY : batch->held ? HELD : FULL;
        put_cell(animation, top[QUEUE], i, kind, batch == NULL ? -1 : batch->batch->worker, 0);
    }
    put_cell(animation, top[TRAINER], 0, kinds[moment->trainer], moment->batch != NULL ? moment->batch->worker : -1,
             moment->trainer == DLQ_TRAINER_RECEIVES ? moment->progress : 0);
    dlq_slot_block_end(slots);
    snprintf(text, sizeof text, "TEXTS%ld", frame + 1);
    dlq_slot_block(slots, text);
    put_remarks(animation);
    dlq_slot_block_end(slots);
    return DLQ_OK;
}

/* -- the animation -- */

enum dlq_status dlq_animation_script(const struct dlq_timeline_answer *answer, double speed,
                                     const volatile sig_atomic_t *interrupted, FILE *script, long *frames,
                                     struct dlq_error *error)
{
    const struct dlq_timeline *timeline = &answer->timeline;
    struct animation animation = {.answer = answer, .timeline = timeline, .slots = {.script = script, .error = error}};
    enum dlq_status status = DLQ_OK;
    double from = timeline->from, until = timeline->until, play = (until - from) / speed, most = FRAMES / least_rate;
    if (!(speed > 0 && isfinite(speed)))
        return dlq_error_add(error, DLQ_INVALID, "a speed of %g: it must be above 0", speed);
    if (!(isfinite(from) && isfinite(until) && until > from) || timeline->rank_count == 0)
        return dlq_error_add(error, DLQ_INVALID, "nothing to animate between %g s and %g s", from, until);
    if (play > most * (1 + 1e-5)) /* allows the rounded values of this message */
        return dlq_error_add(error, DLQ_INVALID,
                             "the animation would last %s: at most %g s (%d frames, %g a second); show less "
                             "(--until %.9gs) or play it faster (--speed %.6g)",
                             SAY_TIME(play, 3), most, FRAMES, least_rate, from + most * speed, play * speed / most);
    double ticks = fmax(TICKS / usual_rate, ceil(play * TICKS / FRAMES - 1e-9));
    animation.frames = (long)fmax(1, rint(play * TICKS / ticks));
    animation.delay = ticks / TICKS;
    animation.scale = dlq_quantity_time_unit(until, &animation.unit);
    animation.decimals = dlq_text_decimals((until - from) / (double)animation.frames * animation.scale, 2);
    *frames = animation.frames;
    dlq_timeline_ranks(answer, 1, &animation.rank);
    /* A line has all loaders, if they fit; beside few loaders it is as long as the queue needs, up to SHORT_LINE. */
    size_t workers = timeline->workers > 0 ? (size_t)timeline->workers : 0;
    size_t window = timeline->window > 0 ? (size_t)timeline->window : SIZE_MAX;
    size_t line = workers <= (size_t)LOADER_LINES * LINE ? LINE : CROWDED_LINE;
    size_t least = window < SHORT_LINE ? window : SHORT_LINE;
    animation.serial = workers > 0 && timeline->loaders == 0;
    bool queue = workers > 0 && !animation.serial;
    animation.columns = workers > line                                          ? line
                        : queue && workers <= SHORT_LINE / 2 && workers < least ? least
                        : workers > 0                                           ? workers
                                                                                : 1;
    size_t places = LOADER_LINES * animation.columns, room = QUEUE_LINES * animation.columns;
    animation.cells[LOADERS] = workers < places ? workers : places;
    animation.cells[QUEUE] = !queue ? 0 : window < room ? window : room;
    animation.cells[TRAINER] = animation.cells[STRIP] = 1;
    put_page(&animation);
    put_strip(&animation);
    for (long i = 0; i < *frames && status == DLQ_OK; i++) {
        if (interrupted != NULL && *interrupted != 0)
            status = dlq_error_add(error, DLQ_INTERRUPTED, "interrupted while drawing an animation");
        else
            status = put_frame(&animation, i, error);
    }
    dlq_moment_free(&animation.moment);
    return status == DLQ_OK ? dlq_slots_end(&animation.slots, dlq_picture_templates, "animation") : status;
}

enum dlq_status dlq_animate(const struct dlq_timeline_answer *answer, double speed,
                            const volatile sig_atomic_t *interrupted, struct dlq_image *image, struct dlq_error *error)
{
    struct dlq_memory memory;
    long frames = 0;
    if (!dlq_memory_begin(&memory))
        return dlq_error_memory(error, "drawing an animation");
    enum dlq_status status = dlq_animation_script(answer, speed, interrupted, memory.stream, &frames, error);
    char *script = dlq_memory_end(&memory);
    if (status == DLQ_OK && script == NULL)
        status = dlq_error_memory(error, "drawing an animation");
    if (status == DLQ_OK)
        status = dlq_gnuplot_run(script, "gif", gnuplot_seconds + gnuplot_seconds_per_frame * (double)frames,
                                 interrupted, image, error);
    free(script);
    return status == DLQ_OK ? dlq_gif_pack(image, interrupted, error) : status;
}
