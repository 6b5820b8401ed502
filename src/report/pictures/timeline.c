/* Who did what when: a row per loader, the queue, the trainer; or of many ranks the trainers alone. */
#include "report/phrase.h"
#include "report/pictures/pictures.h"

#include "base/arena.h"
#include "draw/gnuplot.h"
#include "draw/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows that are drawn at most before ranks shrink to their trainers, and trainers then. Of more than so many spans,
   neighbors narrower than a PIXELS-th of the axis are joined, and so are levels of a queue. No row is lower than
   LEAST_PIXELS. */
enum { MOST_ROWS = 80, MOST_TRAINERS = 32, MOST_SPANS = 10000, PIXELS = 2000, LEAST_PIXELS = 2, LABEL = 40 };

/* As the template numbers them. */
enum kind { WORK, OVERHEAD, READY, HELD, STALL, BARRIER, PAUSE, SLOW, EPOCH };

struct span {
    double from, to;  /* s */
    double low, high; /* in rows, from the top */
    enum kind kind;
    unsigned color;
    bool joined;
    char label[LABEL];
};

struct row {
    double at;   /* where its name stands */
    double low;  /* its lower edge */
    size_t rank; /* place */
    long worker; /* whose it is; -1: the trainer's; -2: of others */
    bool heading;
    char name[LABEL];
};

struct dlq_timeline_drawing {
    const struct dlq_timeline_answer *answer;
    size_t *ranks; /* that are shown, in their order */
    size_t rank_count;
    bool whole; /* with their loaders and queues */
    struct span *spans;
    size_t span_count, joined;
    bool joins;
    struct row *rows;
    size_t row_count;
    double high; /* of all rows so far */
    double row_high;
};

/* -- spans -- */

/* What is narrower than a pixel joins its neighbor; the longer one gives its color. */
static bool join(struct dlq_timeline_drawing *drawing, const struct span *span)
{
    const struct dlq_timeline *timeline = &drawing->answer->timeline;
    double pixel = (timeline->until - timeline->from) / PIXELS;
    struct span *last = drawing->span_count > 0 ? &drawing->spans[drawing->span_count - 1] : NULL;
    if (!drawing->joins || span->to - span->from >= pixel || last == NULL || !last->joined || last->low != span->low ||
        span->to - last->from >= pixel)
        return false;
    if (span->to - span->from > last->to - last->from) {
        last->kind = span->kind;
        last->color = span->color;
    }
    last->to = span->to;
    drawing->joined++;
    return true;
}

/* In the last row; level: the part of its height from the bottom, as a share. */
static void add(struct dlq_timeline_drawing *drawing, double from, double to, enum kind kind, unsigned color,
                double bottom, double level, const char *text)
{
    const struct dlq_timeline *timeline = &drawing->answer->timeline;
    if (!(to > timeline->from) || !(from < timeline->until) || !(to > from) || !(level > bottom))
        return;
    double base = drawing->high, margin = 0.08;
    struct span span = {.from = fmax(from, timeline->from),
                        .to = fmin(to, timeline->until),
                        .low = base - margin - (drawing->row_high - 2 * margin) * bottom,
                        .high = base - margin - (drawing->row_high - 2 * margin) * level,
                        .kind = kind,
                        .color = color};
    span.joined = drawing->joins && span.to - span.from < (timeline->until - timeline->from) / PIXELS;
    snprintf(span.label, LABEL, "%s", text != NULL ? text : "");
    if (!join(drawing, &span))
        drawing->spans[drawing->span_count++] = span;
}

/* Short waits are drawn, without a word. */
static const char *wait_label(const struct dlq_timeline *timeline, const char *word, double from, double to,
                              char text[LABEL])
{
    char time[DLQ_TEXT_NUMBER];
    bool cut = from < timeline->from || to > timeline->until;
    if (!(to - from > timeline->stall_above))
        return NULL;
    snprintf(text, LABEL, "%s %.20s%s", word, dlq_text_time(to - from, 3, time), cut ? " in all" : "");
    return text;
}

/* Request, taken, received, the step's begin and end: one behind the other. */
static void add_step(struct dlq_timeline_drawing *drawing, const struct dlq_timeline_batch *batch)
{
    const struct dlq_timeline *timeline = &drawing->answer->timeline;
    char text[LABEL];
    double taken = dlq_timeline_taken(timeline, batch);
    add(drawing, batch->request, taken, STALL, DLQ_PALETTE_STALL, 0, 1,
        wait_label(timeline, "stall", batch->request, taken, text));
    add(drawing, taken, batch->received, OVERHEAD, DLQ_PALETTE_OVERHEAD, 0, 1, NULL);
    add(drawing, batch->received, batch->step_begin, BARRIER, DLQ_PALETTE_BARRIER, 0, 1,
        wait_label(timeline, "ranks", batch->received, batch->step_begin, text));
    snprintf(text, LABEL, "%ld", batch->index);
    double trained = batch->step_end - batch->pause;
    add(drawing, batch->step_begin, trained, WORK, dlq_palette_worker(batch->worker), 0, 1, text);
    add(drawing, trained, batch->step_end, PAUSE, 0x7d5ba6, 0, 1, "pause");
}

/* -- rows -- */

/* number below 0: the word alone; apart: some room above. Returns it. */
static struct row *add_row(struct dlq_timeline_drawing *drawing, double high, bool apart, const char *word, long number)
{
    struct row *row = &drawing->rows[drawing->row_count++];
    drawing->high += high + (apart ? 0.4 : 0);
    drawing->row_high = high;
    row->at = drawing->high - high / 2;
    row->low = drawing->high;
    row->worker = -2;
    row->heading = false;
    if (number < 0)
        snprintf(row->name, LABEL, "%s", word);
    else
        snprintf(row->name, LABEL, "%s %ld", word, number);
    return row;
}

static int by_worker_and_start(const void *a, const void *b)
{
    const struct dlq_timeline_batch *left = *(const struct dlq_timeline_batch *const *)a;
    const struct dlq_timeline_batch *right = *(const struct dlq_timeline_batch *const *)b;
    if (left->worker != right->worker)
        return left->worker < right->worker ? -1 : 1;
    return (left->load_start > right->load_start) - (left->load_start < right->load_start);
}

/* A row per worker, its loads in the order in which they began; a stripe above them where they are slowed. */
static bool add_workers(struct dlq_timeline_drawing *drawing, size_t r)
{
    const struct dlq_timeline *timeline = &drawing->answer->timeline;
    const struct dlq_timeline_rank *rank = &timeline->ranks[r];
    const struct dlq_timeline_batch **loads = calloc(rank->count + 1, sizeof(const struct dlq_timeline_batch *));
    size_t count = 0, next = 0, slow = 0;
    char text[LABEL];
    if (loads == NULL)
        return false;
    for (size_t i = 0; i < rank->count; i++)
        if (rank->batches[i].worker >= 0 && !isnan(rank->batches[i].load_start))
            loads[count++] = &rank->batches[i];
    qsort(loads, count, sizeof(const struct dlq_timeline_batch *), by_worker_and_start);
    for (long w = 0; w < timeline->workers; w++) {
        bool serial = timeline->loaders == 0;
        struct row *row = serial               ? add_row(drawing, 1, false, "load", -1)
                          : timeline->measured ? add_row(drawing, 1, false, "worker", w)
                                               : add_row(drawing, 1, false, "loader", w + 1);
        row->rank = r;
        row->worker = w;
        for (; next < count && loads[next]->worker <= w; next++) {
            snprintf(text, LABEL, "batch %ld", loads[next]->index);
            add(drawing, loads[next]->load_start, loads[next]->load_end, WORK, dlq_palette_worker(w), 0, 1, text);
        }
        for (; slow < rank->slow_count && rank->slow[slow].worker <= w; slow++)
            add(drawing, rank->slow[slow].from, rank->slow[slow].until, SLOW, 0xee7733, 0.86, 1, NULL);
    }
    free(loads);
    return true;
}

/* What is ready, dark, and what is held behind a late batch, light. Of many levels the highest of each pixel. */
static void add_queue(struct dlq_timeline_drawing *drawing, size_t r)
{
    const struct dlq_timeline *timeline = &drawing->answer->timeline;
    const struct dlq_queue_levels *levels = &drawing->answer->levels[r];
    double pixel = levels->count > MOST_SPANS / 2 ? (timeline->until - timeline->from) / PIXELS : 0, most = 1;
    add_row(drawing, drawing->rank_count > 1 ? 1.4 : 2, true, "queue", -1);
    for (size_t i = 0; i < levels->count; i++)
        most = fmax(most, levels->ready[i] + levels->held[i]);
    for (size_t i = 0; i < levels->count;) {
        double from = levels->time[i], ready = levels->ready[i], held = levels->held[i];
        size_t next = i + 1;
        while (next < levels->count && levels->time[next] < from + pixel) {
            bool higher = levels->ready[next] + levels->held[next] > ready + held;
            ready = higher ? levels->ready[next] : ready;
            held = higher ? levels->held[next] : held;
            next++;
        }
        double to = next < levels->count ? levels->time[next] : timeline->until;
        bool joins = drawing->joins;
        drawing->joins = false;
        add(drawing, from, to, READY, 0x55595f, 0, ready / most, NULL);
        add(drawing, from, to, HELD, 0xc4c8ce, ready / most, (ready + held) / most, NULL);
        drawing->joins = joins;
        i = next;
    }
}

static bool add_rank(struct dlq_timeline_drawing *drawing, size_t r)
{
    const struct dlq_timeline *timeline = &drawing->answer->timeline;
    const struct dlq_timeline_rank *rank = &timeline->ranks[r];
    bool whole = drawing->whole, several = drawing->rank_count > 1;
    if (whole && several)
        add_row(drawing, 1, true, "rank", rank->number)->heading = true;
    if (whole && !add_workers(drawing, r))
        return false;
    if (whole && timeline->workers > 0 && timeline->loaders != 0)
        add_queue(drawing, r);
    struct row *row = whole ? add_row(drawing, several ? 1.2 : 1.6, true, "trainer", -1)
                            : add_row(drawing, 1, false, "rank", rank->number);
    row->rank = r;
    row->worker = -1;
    for (size_t i = 0; i < rank->stepped; i++)
        add_step(drawing, &rank->batches[i]);
    return true;
}

/* The epochs, where there are several, with what the cache spares in each. */
static void add_epochs(struct dlq_timeline_drawing *drawing)
{
    const struct dlq_timeline *timeline = &drawing->answer->timeline;
    const struct dlq_timeline_rank *rank = &timeline->ranks[drawing->ranks[0]];
    if (rank->stepped == 0 || rank->batches[0].epoch == rank->batches[rank->stepped - 1].epoch)
        return;
    add_row(drawing, 0.9, true, "epoch", -1);
    for (size_t i = 0, next; i < rank->stepped; i = next) {
        const struct dlq_timeline_batch *first = &rank->batches[i];
        char text[LABEL], share[DLQ_TEXT_NUMBER];
        for (next = i; next < rank->stepped && rank->batches[next].epoch == first->epoch;)
            next++;
        double spared = dlq_timeline_cached(drawing->answer->model, first->epoch + 1);
        double from = i == 0 && first->step == 0 ? 0 : isnan(first->request) ? first->received : first->request;
        int used = snprintf(text, sizeof text, "%ld", first->epoch + 1);
        if (spared >= 0)
            snprintf(text + used, sizeof text - (size_t)used, ": %s from the cache", dlq_text_share(spared, share));
        add(drawing, from, rank->batches[next - 1].step_end, EPOCH, first->epoch % 2 == 0 ? 0xd5dae0 : 0xe9ecf0, 0, 1,
            text);
    }
}

/* -- the whole -- */

/* Chooses the ranks that are shown, and makes room for all their spans and rows; false: no memory. */
static bool allocate(struct dlq_timeline_drawing *drawing)
{
    const struct dlq_timeline *timeline = &drawing->answer->timeline;
    const struct dlq_timeline_subject subject = dlq_timeline_answer_subject(drawing->answer);
    size_t all = timeline->rank_count, rows = (size_t)timeline->workers + 3, spans = 1;
    drawing->ranks = calloc(all, sizeof *drawing->ranks);
    if (drawing->ranks == NULL)
        return false;
    drawing->whole = all == 1 || all * rows <= MOST_ROWS;
    drawing->rank_count = dlq_timeline_subject_ranks(&subject, drawing->whole ? all : MOST_TRAINERS, drawing->ranks);
    for (size_t i = 0; i < drawing->rank_count; i++) {
        size_t r = drawing->ranks[i];
        const struct dlq_timeline_rank *rank = &timeline->ranks[r];
        spans += rank->count + 6 * rank->stepped + rank->slow_count;
        spans += drawing->whole ? 2 * drawing->answer->levels[r].count : 0;
    }
    drawing->joins = spans > MOST_SPANS;
    drawing->spans = calloc(spans, sizeof *drawing->spans);
    drawing->rows = calloc(drawing->rank_count * rows + 2, sizeof *drawing->rows);
    return drawing->spans != NULL && drawing->rows != NULL;
}

enum dlq_status dlq_timeline_drawing_new(const struct dlq_timeline_answer *answer,
                                         struct dlq_timeline_drawing **drawing, struct dlq_error *error)
{
    struct dlq_timeline_drawing *made = calloc(1, sizeof *made);
    bool enough = made != NULL;
    if (enough) {
        made->answer = answer;
        enough = allocate(made);
    }
    for (size_t i = 0; enough && i < made->rank_count; i++)
        enough = add_rank(made, made->ranks[i]);
    if (enough && made->rank_count > 0)
        add_epochs(made);
    if (!enough) {
        dlq_timeline_drawing_free(made);
        return dlq_error_memory(error, "drawing a timeline");
    }
    *drawing = made;
    return DLQ_OK;
}

void dlq_timeline_drawing_free(struct dlq_timeline_drawing *drawing)
{
    if (drawing == NULL)
        return;
    free(drawing->ranks);
    free(drawing->spans);
    free(drawing->rows);
    free(drawing);
}

/* A row is as high as a line of text and a half, at the scale of the usual page. */
int dlq_timeline_drawing_height(const struct dlq_timeline_drawing *drawing, int width, int usual)
{
    double line = 26 * fmax(sqrt(width / 1600.0 * usual / 900.0), 0.6);
    double needed = line * (10 + drawing->high);
    return needed > DLQ_SLOTS_MOST ? DLQ_SLOTS_MOST : (int)fmax(usual, ceil(needed));
}

static void put_spans(struct dlq_slots *slots, const struct dlq_timeline_drawing *drawing, double factor)
{
    dlq_slot_block(slots, "SPANS");
    for (size_t i = 0; i < drawing->span_count; i++) {
        const struct span *span = &drawing->spans[i];
        bool dark = span->kind == WORK || span->kind == PAUSE;
        DLQ_SLOT_NAMED_ROW(slots, span->label, factor * span->from, factor * span->to, span->low, span->high,
                           span->kind, span->color, dark ? dlq_palette_ink(span->color) : 0);
    }
    dlq_slot_block_end(slots);
}

/* Along the lower edges of the rows; over the trainer's where a loader has none. */
static void put_path(struct dlq_slots *slots, const struct dlq_timeline_drawing *drawing, double factor)
{
    const struct dlq_timeline_path *path = &drawing->answer->path;
    const struct dlq_timeline *timeline = &drawing->answer->timeline;
    const double least = path->count > MOST_SPANS ? (timeline->until - timeline->from) / PIXELS : 0;
    dlq_slot_block(slots, "PATH");
    for (size_t i = 0; i < path->count; i++) {
        const struct dlq_path_piece *piece = &path->pieces[i];
        const struct row *own = NULL, *trainer = NULL;
        if (piece->until - piece->from < least)
            continue;
        for (size_t k = 0; k < drawing->row_count; k++) {
            const struct row *row = &drawing->rows[k];
            if (row->rank == piece->rank && row->worker == piece->worker)
                own = row;
            if (row->rank == piece->rank && row->worker == -1)
                trainer = row;
        }
        own = own != NULL ? own : trainer;
        if (own == NULL)
            continue;
        DLQ_SLOT_ROW(slots, factor * piece->from, own->low - 0.03);
        DLQ_SLOT_ROW(slots, factor * piece->until, own->low - 0.03);
    }
    dlq_slot_block_end(slots);
}

enum dlq_status dlq_picture_timeline(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                     struct dlq_error *error)
{
    const struct dlq_timeline_drawing *drawing = subject;
    const struct dlq_timeline_answer *answer = drawing->answer;
    const struct dlq_timeline *timeline = &answer->timeline;
    const char *unit;
    char text[240];
    struct dlq_phrase note = {.text = text, .size = sizeof text};
    struct dlq_slots slots;
    double factor = dlq_picture_unit(timeline->until, &unit);
    TRY(dlq_slots_begin(&slots, canvas, script, answer->title, answer->subtitle, error));
    if (drawing->row_count == 0 || !(timeline->until > timeline->from))
        return dlq_error_add(error, DLQ_INVALID, "nothing happens between the ends of the timeline");
    if (drawing->high * LEAST_PIXELS > canvas->height)
        return dlq_error_add(error, DLQ_INVALID,
                             "a chart of %dx%d pixels is too small for %zu tracks (it may be at most %d high)",
                             canvas->width, canvas->height, drawing->row_count, DLQ_SLOTS_MOST);
    snprintf(text, sizeof text, "Time (%s)", unit);
    dlq_slots_axis(&slots, text, false, false);
    dlq_slot_number(&slots, "XMIN", factor * timeline->from);
    dlq_slot_number(&slots, "XMAX", factor * timeline->until);
    put_spans(&slots, drawing, factor);
    put_path(&slots, drawing, factor);
    dlq_slot_block(&slots, "TRACKS");
    for (size_t i = 0; i < drawing->row_count; i++)
        DLQ_SLOT_NAMED_ROW(&slots, drawing->rows[i].name, drawing->rows[i].at, drawing->rows[i].heading);
    dlq_slot_block_end(&slots);
    dlq_slot_number(&slots, "HIGH", drawing->high);
    dlq_phrase_add(&note, "%s", answer->trace != NULL ? "as recorded" : "one simulated run");
    if (drawing->rank_count < timeline->rank_count)
        dlq_phrase_add(&note, "; the %zu of %zu ranks that hold the others up most", drawing->rank_count,
                       timeline->rank_count);
    if (drawing->joined > 0)
        dlq_phrase_add(&note, "; spans narrower than a pixel are joined");
    dlq_slot_text(&slots, "NOTE", text);
    return dlq_slots_end(&slots, "timeline", error);
}
