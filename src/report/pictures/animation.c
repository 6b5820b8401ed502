/* A timeline as an animated GIF: what each frame shows of the loaders, the queue and the trainer, as slots of
   animation.gp, and the whole file. gnuplot lays out and draws; gifsicle packs where it is installed. */
#include "base/arena.h"
#include "draw/file.h"
#include "draw/gnuplot.h"
#include "draw/memory.h"
#include "draw/text.h"
#include "report/phrase.h"
#include "report/pictures/pictures.h"
#include "report/timeline.h"
#include "study/timeline/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Frames at most, of a GIF's clock of that many ticks a second; a frame is shown for 0.1 s where that is not too much,
   and never longer than a quarter of a second. */
enum { FRAMES = 300, TICKS = 100 };
static const double usual_rate = 10, least_rate = 4;

/* What gnuplot may take: a frame takes it some 15 ms, on a busy host many times that. */
static const double gnuplot_seconds = 60, gnuplot_seconds_per_frame = 0.5;

/* Cells in a line at most (in a crowd; of a queue beside few loaders), lines of loaders and of the queue, loaders whose
   cells hold a number. */
enum { RANKS = 4, LINE = 16, CROWDED_LINE = 32, SHORT_LINE = 8, LOADER_LINES = 4, QUEUE_LINES = 2, NUMBERED = 16 };

/* Pixels: of the page; its margins, room for a remark behind a full line, of a title's line and of a letter; of a cell
   and its gap at most. Wider cells gain nothing, and each line of pixels costs bytes in every frame. */
enum { WIDTH = 900, MARGIN = 18, REMARK_ROOM = 46, TITLE_LINE = 27, LETTER = 9, MOST_PITCH = 104, MOST_HEIGHT = 40 };
enum { HEAD = 40, FOOT = 50, RIGHT = 32, SLICES = 400 /* of a strip */ };
static const double between_rows = 0.4, between_ranks = 0.5, strip_height = 0.62; /* in lines of cells */

/* As the template calls them. */
enum kind { EMPTY, LOADS, FULL, HELD, STALLED, BARRIER, RECEIVES };

enum { TEXT = 0x111111, WHITE = 0xffffff, REMARK = 64 };
static const unsigned remark_barrier = 0x8a6508;

/* How many frames there are, and how long each is shown. */
struct pace {
    double from, until; /* s of the run */
    long frames;
    double delay; /* s, in whole ticks */
    const char *unit;
    double scale; /* of seconds */
    int decimals; /* of the clock */
};

/* The rows of a rank, the same at every moment: cells of loaders and places of the queue, 0 where there is no such
   row. */
struct cell_rows {
    size_t loaders, places, columns; /* columns: cells in a line */
    bool serial;                     /* the trainer loads its batches itself */
    bool numbers;                    /* the progress of a load stands in its cell */
};

/* Shares of a slice of time in which the trainer steps or receives, waits for data and for other ranks. */
struct slice {
    double busy, waiting, barrier;
};

struct animation {
    const struct dlq_timeline *timeline;
    struct pace pace;
    struct cell_rows rows;
    size_t ranks, places[RANKS];                                    /* that are shown */
    double loader_top[RANKS], queue_top[RANKS], trainer_top[RANKS]; /* where their rows begin, in lines of cells */
    double cell_width, cell_height, pitch;
    struct dlq_moment moments[RANKS]; /* owned */
    struct slice slices[SLICES];
    bool waits, barriers; /* there are such slices */
    struct dlq_slots slots;
};

/* -- pace -- */

/* In six digits, on the safe side. */
static double rounded(double value, double (*direction)(double))
{
    double power = pow(10, floor(log10(value)) - 5);
    return direction(value / power + (direction == floor ? 1e-6 : -1e-6)) * power;
}

static enum dlq_status set_pace(double from, double until, double speed, struct pace *pace, struct dlq_error *error)
{
    if (!(speed > 0 && isfinite(speed)))
        return dlq_error_add(error, DLQ_INVALID, "a speed of %g: it must be above 0", speed);
    if (!(isfinite(from) && isfinite(until) && until > from))
        return dlq_error_add(error, DLQ_INVALID, "nothing to animate between %g s and %g s", from, until);
    double play = (until - from) / speed;
    if (play * least_rate > FRAMES * (1 + 1e-9)) {
        double most = FRAMES / least_rate;
        char lasts[DLQ_TEXT_NUMBER];
        return dlq_error_add(
            error, DLQ_INVALID,
            "the animation would last %s: at most %g s (%d frames, %g a second); show less (--until %.6gs) "
            "or play it faster (--speed %.6g)",
            dlq_text_time(play, 3, lasts), most, FRAMES, least_rate, rounded(from + most * speed, floor),
            rounded(play * speed / most, ceil));
    }
    double ticks = fmax(TICKS / usual_rate, ceil(play * TICKS / FRAMES - 1e-9));
    long frames = lrint(play * TICKS / ticks);
    *pace = (struct pace){.from = from, .until = until, .frames = frames > 0 ? frames : 1, .delay = ticks / TICKS};
    pace->unit = until >= 1 ? "s" : until >= 1e-3 ? "ms" : "\xc2\xb5s";
    pace->scale = until >= 1 ? 1 : until >= 1e-3 ? 1e3 : 1e6;
    /* Steps of 0.1 need one decimal, 0.25 two. */
    double step = (until - from) / (double)pace->frames * pace->scale;
    pace->decimals = dlq_text_decimals(step, 1);
    double shown = step * pow(10, pace->decimals);
    pace->decimals += fabs(shown - rint(shown)) > 0.05;
    return DLQ_OK;
}

/* -- layout -- */

/* Loaders share lines of equal length; where they are few, the queue may have a longer one. */
static struct cell_rows rows_of(const struct dlq_timeline *timeline, size_t ranks)
{
    size_t workers = timeline->workers > 0 ? (size_t)timeline->workers : 0;
    size_t window = timeline->window > 0 ? (size_t)timeline->window : SIZE_MAX;
    size_t line = workers <= (size_t)LOADER_LINES * LINE ? LINE : CROWDED_LINE, lines = (workers + line - 1) / line;
    bool serial = workers > 0 && timeline->loaders == 0, queue = workers > 0 && !serial;
    size_t columns = lines <= LOADER_LINES ? (workers + lines - 1) / (lines > 0 ? lines : 1) : line;
    if (queue && workers <= SHORT_LINE / 2 && window > workers)
        columns = window < SHORT_LINE ? window : SHORT_LINE;
    columns = workers == 0 ? 1 : columns;
    size_t most = LOADER_LINES * columns, room = QUEUE_LINES * columns;
    return (struct cell_rows){.loaders = workers < most ? workers : most,
                              .places = !queue          ? 0
                                        : window < room ? window
                                                        : room,
                              .columns = columns,
                              .serial = serial,
                              .numbers = workers <= NUMBERED && workers * ranks <= NUMBERED};
}

static double lines_of(const struct animation *animation, size_t cells)
{
    size_t lines = (cells + animation->rows.columns - 1) / animation->rows.columns;
    return (double)lines;
}

/* "loaders", or "rank 3 loaders" for the first row of each of several ranks. */
static void put_label(struct animation *animation, size_t rank, bool first, const char *name, double middle)
{
    char label[REMARK] = "";
    if (first && animation->timeline->rank_count > 1)
        snprintf(label, sizeof label, "rank %ld ", animation->timeline->ranks[animation->places[rank]].number);
    snprintf(label + strlen(label), sizeof label - strlen(label), "%s", name);
    DLQ_SLOT_NAMED_ROW(&animation->slots, label, middle);
}

/* Where the rows of each rank stand, with their labels; returns the height of all in lines of cells. */
static double put_rows(struct animation *animation)
{
    const struct cell_rows *rows = &animation->rows;
    double loaders = lines_of(animation, rows->loaders), places = lines_of(animation, rows->places), y = 0;
    double half = 0.5 * animation->cell_height, strips[RANKS];
    dlq_slot_block(&animation->slots, "LABELS");
    for (size_t i = 0; i < animation->ranks; i++) {
        y += i > 0 ? between_ranks : 0;
        animation->loader_top[i] = y;
        if (rows->loaders > 0)
            put_label(animation, i, true, rows->loaders > 1 ? "loaders" : "loader", y + 0.5 * (loaders - 1) + half);
        animation->queue_top[i] = y += rows->loaders > 0 ? loaders + between_rows : 0;
        if (rows->places > 0)
            put_label(animation, i, false, "queue", y + 0.5 * (places - 1) + half);
        animation->trainer_top[i] = y += rows->places > 0 ? places + between_rows : 0;
        put_label(animation, i, rows->loaders == 0, "trainer", y + half);
        strips[i] = y += 1 + 0.6 * between_rows;
        put_label(animation, i, false, "so far", y + 0.5 * strip_height);
        y += strip_height + (i + 1 < animation->ranks ? between_rows : 0);
    }
    dlq_slot_block_end(&animation->slots);
    dlq_slot_block(&animation->slots, "STRIPS");
    for (size_t i = 0; i < animation->ranks; i++)
        DLQ_SLOT_ROW(&animation->slots, strips[i]);
    dlq_slot_block_end(&animation->slots);
    return y;
}

/* Page and panel. The title says which ranks are shown where these are not all: "Ranks 2, 8, 19, 20 of 256: ...". */
static void put_page(struct animation *animation, const char *finding)
{
    const struct dlq_timeline *timeline = animation->timeline;
    struct dlq_slots *slots = &animation->slots;
    const struct cell_rows *rows = &animation->rows;
    char title[512];
    struct dlq_phrase phrase = {.text = title, .size = sizeof title};
    for (size_t i = 0; timeline->rank_count > animation->ranks && i < animation->ranks; i++)
        dlq_phrase_add(&phrase, "%s%ld", i == 0 ? "Ranks " : ", ", timeline->ranks[animation->places[i]].number);
    if (timeline->rank_count > animation->ranks)
        dlq_phrase_add(&phrase, " of %zu: ", timeline->rank_count);
    dlq_phrase_add(&phrase, "%s", finding);
    int letters = 8;
    for (size_t i = 0; timeline->rank_count > 1 && i < animation->ranks; i++) {
        int wide = snprintf(NULL, 0, "rank %ld loaders", timeline->ranks[animation->places[i]].number);
        letters = wide > letters ? wide : letters;
    }
    int left = MARGIN + LETTER * letters, room = WIDTH - left - RIGHT;
    animation->pitch = fmin(floor((room - REMARK_ROOM) / (double)rows->columns), MOST_PITCH);
    double gap = animation->pitch >= 60 ? 8 : animation->pitch >= 30 ? 4 : 2, wide = animation->pitch - gap;
    double high = fmin(fmax(0.7 * wide, fmin(wide, 20)), MOST_HEIGHT), line = high + gap;
    animation->cell_width = wide / animation->pitch;
    animation->cell_height = high / line;
    double lines = put_rows(animation);
    int letters_of_title = dlq_text_width(title);
    int top = HEAD + TITLE_LINE * (letters_of_title <= 84 ? 1 : letters_of_title <= 150 ? 2 : 3);
    fprintf(slots->script, "TERM = 'gif animate delay %ld loop 0'\n", lrint(TICKS * animation->pace.delay));
    dlq_slot_number(slots, "W", WIDTH);
    dlq_slot_number(slots, "H", rint(top + lines * line + FOOT));
    dlq_slot_number(slots, "F", 12);
    dlq_slot_text(slots, "TITLE", title);
    dlq_slot_text(slots, "SUBTITLE", "");
    dlq_slot_number(slots, "LEFT", left);
    dlq_slot_number(slots, "RIGHT", RIGHT);
    dlq_slot_number(slots, "TOP", top);
    dlq_slot_number(slots, "BOTTOM", FOOT);
    dlq_slot_number(slots, "COLUMNS", room / animation->pitch);
    dlq_slot_number(slots, "LINES", lines);
    dlq_slot_number(slots, "CW", animation->cell_width);
    dlq_slot_number(slots, "CH", animation->cell_height);
    dlq_slot_number(slots, "NUMBERS", rows->numbers);
}

/* -- what the trainer did -- */

/* Adds a span of time to one of the shares, `field` of all slices. */
static void add_span(struct animation *animation, double begin, double end, size_t field)
{
    const struct pace *pace = &animation->pace;
    double width = (pace->until - pace->from) / SLICES, first = floor((begin - pace->from) / width);
    if (!(end > begin) || !isfinite(begin))
        return;
    for (size_t i = (size_t)fmin(fmax(first, 0), SLICES); i < SLICES; i++) {
        double left = pace->from + (double)i * width;
        double share = (fmin(end, left + width) - fmax(begin, left)) / width;
        if (left >= end)
            break;
        *(double *)((char *)&animation->slices[i] + field) += fmax(share, 0);
    }
}

/* A strip of a rank: slices that are alike are one row. */
static void put_strip(struct animation *animation, size_t rank)
{
    const struct dlq_timeline_rank *row = &animation->timeline->ranks[animation->places[rank]];
    const struct pace *pace = &animation->pace;
    char name[32];
    memset(animation->slices, 0, sizeof animation->slices);
    for (size_t i = 0; i < row->stepped; i++) {
        const struct dlq_timeline_batch *batch = &row->batches[i];
        double taken = dlq_timeline_taken(animation->timeline, batch), begin = dlq_timeline_step_begin(batch);
        add_span(animation, batch->request, taken, offsetof(struct slice, waiting));
        add_span(animation, taken, batch->received, offsetof(struct slice, busy));
        add_span(animation, batch->received, begin, offsetof(struct slice, barrier));
        add_span(animation, begin, batch->step_end, offsetof(struct slice, busy));
    }
    /* Behind its last step the trainer of a simulated run waits on. */
    if (!animation->timeline->measured)
        add_span(animation, row->stepped > 0 ? dlq_timeline_last_end(row) : pace->from, pace->until,
                 offsetof(struct slice, waiting));
    snprintf(name, sizeof name, "STRIP%zu", rank + 1);
    dlq_slot_block(&animation->slots, name);
    for (size_t i = 0, first = 0; i < SLICES; i++) {
        const struct slice *slice = &animation->slices[i], *next = slice + 1;
        animation->waits = animation->waits || slice->waiting > 0;
        animation->barriers = animation->barriers || slice->barrier > 0;
        if (i + 1 < SLICES && fabs(slice->busy - next->busy) < 1e-3 && fabs(slice->waiting - next->waiting) < 1e-3 &&
            fabs(slice->barrier - next->barrier) < 1e-3)
            continue;
        double width = (pace->until - pace->from) / SLICES * pace->scale, from = pace->from * pace->scale;
        DLQ_SLOT_ROW(&animation->slots, from + (double)first * width, from + (double)(i + 1) * width, slice->busy,
                     slice->waiting, slice->barrier);
        first = i + 1;
    }
    dlq_slot_block_end(&animation->slots);
}

/* -- a moment -- */

static double share_of(double progress)
{
    return progress > 0 ? fmin(progress, 1) : 0; /* NAN: 0 */
}

/* Cell `i` of the row that begins at line `top`. */
static void put_cell(struct animation *animation, double top, size_t i, enum kind kind, long worker, double share)
{
    unsigned color = worker < 0 ? DLQ_PALETTE_OVERHEAD : dlq_palette_worker(worker);
    unsigned ground = kind == LOADS || kind == RECEIVES ? dlq_palette_blend(color, WHITE, 0.25)
                      : kind == FULL || kind == HELD    ? color
                                                        : WHITE;
    size_t columns = animation->rows.columns, line = i / columns;
    DLQ_SLOT_ROW(&animation->slots, (double)(i % columns), top + (double)line, kind, color, ground,
                 dlq_palette_ink(color), share);
}

/* What the trainer waits for: the loaders; or of a batch that is held, one before it that a loader still has. */
static void explain_stall(const struct cell_rows *rows, const struct dlq_moment *moment, char remark[REMARK])
{
    const char *reason = rows->serial ? "loads its batch itself" : rows->places == 0 ? "no data" : "queue empty";
    long late = -1;
    size_t held = 0;
    while (held < moment->queue_count && !moment->queue[held].held)
        held++;
    for (size_t i = 0; held < moment->queue_count && i < moment->loader_count; i++) {
        long index = moment->loaders[i].index;
        if (moment->loaders[i].state == DLQ_LOADER_LOADING && index >= 0 && index < moment->queue[held].index &&
            (late < 0 || index < late))
            late = index;
    }
    if (late >= 0)
        snprintf(remark, REMARK, "STALLED - batch %ld is late", late);
    else
        snprintf(remark, REMARK, "STALLED - %s", held < moment->queue_count ? "the next batch is late" : reason);
}

static void put_cells(struct animation *animation, size_t rank)
{
    static const enum kind kinds[] = {[DLQ_TRAINER_WAITS] = STALLED,
                                      [DLQ_TRAINER_RECEIVES] = RECEIVES,
                                      [DLQ_TRAINER_BARRIER] = BARRIER,
                                      [DLQ_TRAINER_STEPS] = FULL,
                                      [DLQ_TRAINER_DONE] = EMPTY};
    const struct dlq_moment *moment = &animation->moments[rank];
    const struct cell_rows *rows = &animation->rows;
    for (size_t i = 0; i < rows->loaders; i++) {
        bool loads = i < moment->loader_count && moment->loaders[i].state == DLQ_LOADER_LOADING;
        put_cell(animation, animation->loader_top[rank], i, loads ? LOADS : EMPTY, (long)i,
                 loads ? share_of(moment->loaders[i].progress) : 0);
    }
    for (size_t i = 0; i < rows->places; i++) {
        const struct dlq_moment_batch *batch = i < moment->queue_count ? &moment->queue[i] : NULL;
        enum kind kind = batch == NULL ? EMPTY : batch->held ? HELD : FULL;
        put_cell(animation, animation->queue_top[rank], i, kind, batch == NULL ? -1 : batch->worker, 0);
    }
    put_cell(animation, animation->trainer_top[rank], 0, kinds[moment->trainer], moment->worker,
             moment->trainer == DLQ_TRAINER_RECEIVES ? share_of(moment->progress) : 0);
}

/* A text behind the last cell of a row. */
static void put_remark(struct animation *animation, double top, size_t cells, const char *text, unsigned color)
{
    size_t columns = animation->rows.columns, last = cells - 1, row = last / columns;
    DLQ_SLOT_NAMED_ROW(&animation->slots, text, (double)(last % columns + 1) + 4 / animation->pitch,
                       top + (double)row + 0.5 * animation->cell_height, color);
}

/* "+12" behind a row where there are more than there are cells, and what the trainer does. */
static void put_remarks(struct animation *animation, size_t rank)
{
    const struct dlq_moment *moment = &animation->moments[rank];
    const struct cell_rows *rows = &animation->rows;
    const struct {
        size_t count, cells;
        double top;
    } filled[] = {{moment->loader_count, rows->loaders, animation->loader_top[rank]},
                  {moment->queue_count, rows->places, animation->queue_top[rank]}};
    char number[DLQ_TEXT_NUMBER], remark[REMARK] = "";
    unsigned color = TEXT;
    for (size_t i = 0; i < 2; i++)
        if (filled[i].cells > 0 && filled[i].count > filled[i].cells) {
            snprintf(remark, REMARK, "+%s", dlq_text_fixed((double)(filled[i].count - filled[i].cells), 0, number));
            put_remark(animation, filled[i].top, filled[i].cells, remark, TEXT);
        }
    remark[0] = '\0';
    if (moment->trainer == DLQ_TRAINER_WAITS) {
        explain_stall(rows, moment, remark);
        color = DLQ_PALETTE_STALL;
    } else if (moment->trainer == DLQ_TRAINER_BARRIER) {
        snprintf(remark, REMARK, "waits for other ranks");
        color = remark_barrier;
    } else if (moment->index >= 0 && moment->trainer != DLQ_TRAINER_DONE) {
        snprintf(remark, REMARK, "%s batch %ld", moment->trainer == DLQ_TRAINER_STEPS ? "trains on" : "receives",
                 moment->index);
    }
    put_remark(animation, animation->trainer_top[rank], 1, remark, color);
}

/* "12 batches trained · idle 43 %" of the ranks that are shown. */
static void put_count(struct animation *animation, long frame)
{
    const struct dlq_moment *moments = animation->moments;
    char steps[DLQ_TEXT_NUMBER], idle[DLQ_TEXT_NUMBER] = "", text[3 * DLQ_TEXT_NUMBER];
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < animation->ranks; i++) {
        low = fmin(low, 100 * moments[i].idle); /* a NAN is passed over */
        high = fmax(high, 100 * moments[i].idle);
    }
    if (low <= high && rint(low) < rint(high))
        snprintf(idle, sizeof idle, " \xc2\xb7 idle %.0f to %.0f %%", low, high);
    else if (low <= high)
        snprintf(idle, sizeof idle, " \xc2\xb7 idle %.0f %%", high);
    snprintf(text, sizeof text, "%s %s trained%s%s", dlq_text_fixed((double)moments[0].steps, 0, steps),
             moments[0].steps == 1 ? "batch" : "batches", animation->ranks > 1 ? " per rank" : "", idle);
    dlq_slot_element(&animation->slots, "COUNT", (size_t)frame, text);
}

/* Frames are equal steps of time, the last at `until`. */
static enum dlq_status put_frame(struct animation *animation, long frame, struct dlq_error *error)
{
    const struct pace *pace = &animation->pace;
    struct dlq_slots *slots = &animation->slots;
    double share = (double)(frame + 1) / (double)pace->frames;
    double time = frame + 1 >= pace->frames ? pace->until : pace->from + (pace->until - pace->from) * share;
    char number[DLQ_TEXT_NUMBER], clock[2 * DLQ_TEXT_NUMBER], name[32];
    for (size_t i = 0; i < animation->ranks; i++)
        TRY(dlq_timeline_at(animation->timeline, animation->places[i], time, &animation->moments[i], error));
    snprintf(clock, sizeof clock, "t = %s %s", dlq_text_fixed(time * pace->scale, pace->decimals, number), pace->unit);
    dlq_slot_element(slots, "CLOCK", (size_t)frame, clock);
    put_count(animation, frame);
    snprintf(name, sizeof name, "CELLS%ld", frame + 1);
    dlq_slot_block(slots, name);
    for (size_t i = 0; i < animation->ranks; i++)
        put_cells(animation, i);
    dlq_slot_block_end(slots);
    snprintf(name, sizeof name, "TEXTS%ld", frame + 1);
    dlq_slot_block(slots, name);
    for (size_t i = 0; i < animation->ranks; i++)
        put_remarks(animation, i);
    dlq_slot_block_end(slots);
    return DLQ_OK;
}

/* -- the whole -- */

enum dlq_status dlq_animation_script(const struct dlq_timeline_subject *subject, double speed,
                                     const volatile sig_atomic_t *interrupted, FILE *script, long *frames,
                                     struct dlq_error *error)
{
    const struct dlq_timeline *timeline = subject->timeline;
    struct pace pace = {0};
    TRY(set_pace(timeline->from, timeline->until, speed, &pace, error));
    if (timeline->rank_count == 0)
        return dlq_error_add(error, DLQ_INVALID, "nothing to animate: the timeline has no ranks");
    struct animation *animation = calloc(1, sizeof *animation);
    enum dlq_status status = DLQ_OK;
    if (animation == NULL)
        return dlq_error_memory(error, "drawing an animation");
    animation->timeline = timeline;
    animation->pace = pace;
    animation->slots = (struct dlq_slots){.script = script, .embeds = true};
    animation->ranks = dlq_timeline_subject_ranks(subject, RANKS, animation->places);
    animation->rows = rows_of(timeline, animation->ranks);
    put_page(animation, subject->title);
    struct dlq_slots *slots = &animation->slots;
    dlq_slot_number(slots, "FROM", pace.from * pace.scale);
    dlq_slot_number(slots, "UNTIL", pace.until * pace.scale);
    dlq_slot_text(slots, "UNIT", pace.unit);
    dlq_slot_number(slots, "RANKS", (double)animation->ranks);
    for (size_t i = 0; i < animation->ranks; i++)
        put_strip(animation, i);
    dlq_slot_number(slots, "WAITS", animation->waits);
    dlq_slot_number(slots, "BARRIERS", animation->barriers);
    dlq_slot_number(slots, "FRAMES", (double)pace.frames);
    dlq_slot_array(slots, "CLOCK", (size_t)pace.frames);
    dlq_slot_array(slots, "COUNT", (size_t)pace.frames);
    for (long i = 0; i < pace.frames && status == DLQ_OK; i++) {
        if (interrupted != NULL && *interrupted != 0)
            status = dlq_error_add(error, DLQ_INTERRUPTED, "interrupted while drawing an animation");
        else
            status = put_frame(animation, i, error);
    }
    if (status == DLQ_OK)
        status = dlq_slots_end(slots, "animation", error);
    for (size_t i = 0; i < RANKS; i++)
        dlq_moment_free(&animation->moments[i]);
    free(animation);
    *frames = pace.frames;
    return status;
}

/* The whole GIF in memory. */
static enum dlq_status make_picture(const struct dlq_timeline_subject *subject, double speed,
                                    const volatile sig_atomic_t *interrupted, struct dlq_image *image,
                                    struct dlq_error *error)
{
    struct dlq_memory memory;
    long frames = 0;
    if (!dlq_memory_begin(&memory))
        return dlq_error_memory(error, "drawing an animation");
    enum dlq_status status = dlq_animation_script(subject, speed, interrupted, memory.stream, &frames, error);
    char *script = dlq_memory_end(&memory);
    if (status == DLQ_OK && script == NULL)
        status = dlq_error_memory(error, "drawing an animation");
    if (status == DLQ_OK)
        status = dlq_gnuplot_run(script, "gif", gnuplot_seconds + gnuplot_seconds_per_frame * (double)frames,
                                 interrupted, image, error);
    free(script);
    return status == DLQ_OK ? dlq_gif_pack(image, interrupted, error) : status;
}

enum dlq_status dlq_animate(const struct dlq_timeline_subject *subject, double speed, const char *path,
                            const volatile sig_atomic_t *interrupted, bool *no_font, struct dlq_error *error)
{
    struct dlq_image image = {0};
    struct dlq_file file = {0};
    struct pace pace = {0};
    bool to_output = strcmp(path, "-") == 0;
    /* What is wrong with the question is said before a file is begun. */
    TRY(set_pace(subject->timeline->from, subject->timeline->until, speed, &pace, error));
    if (!to_output)
        TRY(dlq_file_begin(&file, path, error));
    enum dlq_status status = make_picture(subject, speed, interrupted, &image, error);
    if (status == DLQ_OK)
        fwrite(image.bytes, 1, image.size, to_output ? stdout : file.stream);
    if (status == DLQ_OK && !to_output)
        status = dlq_file_commit(&file, error);
    *no_font = image.no_font;
    dlq_file_abandon(&file);
    free(image.bytes);
    return status;
}
