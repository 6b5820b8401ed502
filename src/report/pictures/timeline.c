/* Charts of a timeline: what each loader, the queue and the trainer did over time; and the waits of steps with their
   autocorrelation. */
#include "draw/phrase.h"
#include "report/pictures/pictures.h"

#include "draw/gnuplot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With more than MOST_ROWS rows, only trainers are drawn, at most MOST_TRAINERS. Adjacent spans narrower than a
   PIXELS-th of the axis are joined, and so are levels of a queue that would take more than MOST_SPANS spans.
   A chart with rows lower than LEAST_PIXELS is refused. */
enum { MOST_ROWS = 80, MOST_TRAINERS = 32, MOST_SPANS = 10000, PIXELS = 2000, LEAST_PIXELS = 2, LABEL = 40 };

/* Kinds of spans, as numbered in the template. */
enum kind { WORK, OVERHEAD, READY, HELD, STALL, BARRIER, PAUSE, SLOW, EPOCH, LATE, HEADING };

/* Loads have one hue and steps another; late batches are red. */
enum { USUAL_LOAD = 0x9db8cc, USUAL_STEP = 0x0072b2, LATE_BATCH = 0xcc3311 };

struct span {
    double from, to;     /* s */
    double lower, upper; /* in rows, from the top */
    enum kind kind;
    unsigned color;
    char label[LABEL];
};

struct row {
    double at;   /* place of the name */
    double low;  /* the lower edge */
    size_t rank; /* place of the rank */
    long worker; /* -1: the trainer; -2: any other row */
    bool heading;
    char name[LABEL];
};

struct drawing {
    const struct dlq_timeline_answer *answer;
    const struct dlq_timeline *timeline;
    const struct dlq_timeline_lateness *lateness; /* of the rank that is drawn */
    struct dlq_timeline_lateness found;           /* of one run: freed once its rank is drawn */
    bool compares;                                /* two orders of delivery, in one chart */
    struct dlq_slots *slots;
    double factor, pixel; /* units of the axis per second; s of a pixel */
    bool several, whole;  /* several ranks are shown; with loaders and queues */
    struct span last;     /* not yet written: narrow spans may join */
    struct row *rows;
    size_t row_count;
    double high;     /* of all rows so far */
    double row_high; /* of the last row */
};

/* -- spans -- */

static void write_last(struct drawing *drawing)
{
    const struct span *span = &drawing->last;
    bool dark = span->kind == WORK || span->kind == PAUSE || span->kind == LATE;
    if (span->to > span->from)
        DLQ_SLOT_NAMED_ROW(drawing->slots, span->label, drawing->factor * span->from, drawing->factor * span->to,
                           span->lower, span->upper, span->kind, span->color, dark ? dlq_palette_ink(span->color) : 0);
}

/* Adds a span to the last row, between two shares of its height. Spans narrower than a pixel are joined; the longest
   sets the color. */
static void add(struct drawing *drawing, double from, double to, enum kind kind, unsigned color, double bottom,
                double level, const char *text)
{
    const double margin = 0.08 * fmin(drawing->row_high, 1), base = drawing->high - margin,
                 high = drawing->row_high - 2 * margin;
    struct span *last = &drawing->last;
    from = fmax(from, drawing->timeline->from);
    to = fmin(to, drawing->timeline->until);
    if (!(to > from) || !(level > bottom))
        return;
    double lower = base - high * bottom, pixel = kind != READY && kind != HELD ? drawing->pixel : 0;
    if (to - from < pixel && last->to - last->from < pixel && last->lower == lower && to - last->from < pixel) {
        if (to - from > last->to - last->from) {
            last->kind = kind;
            last->color = color;
        }
        last->to = to;
        return;
    }
    write_last(drawing);
    *last = (struct span){
        .from = from, .to = to, .lower = lower, .upper = base - high * level, .kind = kind, .color = color};
    snprintf(last->label, LABEL, "%s", text != NULL ? text : "");
}

/* Adds a wait; only long waits have a label. */
static void add_wait(struct drawing *drawing, double from, double to, enum kind kind, unsigned color, const char *word)
{
    char text[LABEL] = "";
    bool cut = from < drawing->timeline->from || to > drawing->timeline->until;
    if (to - from > drawing->timeline->stall_above)
        snprintf(text, LABEL, "%s %.20s%s", word, SAY_TIME(to - from, 3), cut ? " in all" : "");
    add(drawing, from, to, kind, color, 0, 1, text);
}

/* -- rows -- */

/* Adds a row named "WORD NUMBER", or "WORD" if number < 0; apart: with a gap above. */
static struct row *add_row(struct drawing *drawing, double high, bool apart, const char *word, long number, size_t rank,
                           long worker)
{
    struct row *row = &drawing->rows[drawing->row_count++];
    drawing->high += high + (apart ? 0.4 : 0);
    drawing->row_high = high;
    *row = (struct row){.at = drawing->high - high / 2, .low = drawing->high, .rank = rank, .worker = worker};
    snprintf(row->name, LABEL, number < 0 ? "%s" : "%s %ld", word, number);
    return row;
}

/* Finds a late batch; null: the batch is not late. In a chart of one run only those with slow loads count: if loaders
   load in turn, many batches are late, most of them delayed by others. */
static const struct dlq_timeline_late *late_of(const struct drawing *drawing, const struct dlq_timeline_batch *batch)
{
    const struct dlq_timeline_late *late = dlq_timeline_late_batch(drawing->lateness, batch->epoch, batch->index);
    return late != NULL && (late->slow || drawing->compares) ? late : NULL;
}

/* If two orders of delivery are compared, all loaders together have one name, and low rows unless they load late
   batches. */
static void add_workers_compared(struct drawing *drawing, size_t r)
{
    const struct dlq_timeline *timeline = drawing->timeline;
    const struct dlq_timeline_rank *rank = &timeline->ranks[r];
    const double low = fmin(0.5, 5.0 / (double)timeline->workers), top = drawing->high;
    const size_t first = drawing->row_count;
    for (long w = 0; w < timeline->workers; w++) {
        bool high = false;
        for (size_t i = 0; i < rank->count && !high; i++)
            high = rank->batches[i].worker == w && late_of(drawing, &rank->batches[i]) != NULL &&
                   rank->batches[i].load_end > timeline->from && rank->batches[i].load_start < timeline->until;
        add_row(drawing, high ? 1 : low, false, "", -1, r, w);
        for (size_t i = 0; i < rank->count; i++) {
            const struct dlq_timeline_batch *batch = &rank->batches[i];
            const struct dlq_timeline_late *late = late_of(drawing, batch);
            char text[LABEL] = "";
            if (batch->worker != w || isnan(batch->load_start))
                continue;
            if (late != NULL)
                snprintf(text, LABEL, "batch %ld: %.20s", batch->index,
                         SAY_TIME(batch->load_end - batch->load_start, 2));
            add(drawing, batch->load_start, batch->load_end, late != NULL ? LATE : WORK,
                late != NULL ? LATE_BATCH : USUAL_LOAD, 0, 1, text);
        }
    }
    struct row *row = &drawing->rows[first];
    row->at = (top + drawing->high) / 2;
    snprintf(row->name, LABEL, "%ld loader%s", timeline->loaders, PLURAL(timeline->loaders));
}

/* A row per worker with loads, and a stripe along its upper edge for slow phases. */
static void add_workers(struct drawing *drawing, size_t r)
{
    const struct dlq_timeline *timeline = drawing->timeline;
    const struct dlq_timeline_rank *rank = &timeline->ranks[r];
    const char *word = timeline->loaders == 0 ? "load" : timeline->measured ? "worker" : "loader";
    char text[LABEL];
    for (long w = 0; w < timeline->workers; w++) {
        add_row(drawing, 1, false, word, timeline->loaders == 0 ? -1 : timeline->measured ? w : w + 1, r, w);
        for (size_t i = 0; i < rank->count; i++) {
            const struct dlq_timeline_batch *batch = &rank->batches[i];
            if (batch->worker != w || isnan(batch->load_start))
                continue;
            const bool late = late_of(drawing, batch) != NULL;
            snprintf(text, LABEL, late ? "batch %ld: %.20s" : "batch %ld", batch->index,
                     SAY_TIME(batch->load_end - batch->load_start, 2));
            add(drawing, batch->load_start, batch->load_end, late ? LATE : WORK, late ? LATE_BATCH : USUAL_LOAD, 0, 1,
                text);
        }
        for (size_t i = 0; i < rank->slow_count; i++)
            if (rank->slow[i].worker == w)
                add(drawing, rank->slow[i].from, rank->slow[i].until, SLOW, 0xee7733, 0.86, 1, NULL);
    }
}

/* The queue: ready batches dark, batches held behind a late one light. Of many levels the highest in each pixel is
   drawn. */
static void add_queue(struct drawing *drawing, size_t r)
{
    const struct dlq_queue_levels *levels = &drawing->answer->levels[r];
    double pixel = levels->count > MOST_SPANS / 2 ? drawing->pixel : 0, most = 1;
    for (size_t i = 0; i < levels->count; i++)
        most = fmax(most, levels->ready[i] + levels->held[i]);
    add_row(drawing, drawing->several ? 1.4 : 2, true, "queue, 0 to", lround(most), r, -2);
    for (size_t i = 0, next; i < levels->count; i = next) {
        double from = levels->time[i], ready = levels->ready[i], held = levels->held[i];
        for (next = i + 1; next < levels->count && levels->time[next] < from + pixel; next++)
            if (levels->ready[next] + levels->held[next] > ready + held) {
                ready = levels->ready[next];
                held = levels->held[next];
            }
        double to = next < levels->count ? levels->time[next] : drawing->timeline->until;
        char text[LABEL] = "";
        if (held > 1)
            snprintf(text, LABEL, "%.0f held", held);
        add(drawing, from, to, READY, 0x55595f, 0, ready / most, NULL);
        add(drawing, from, to, HELD, 0xc4c8ce, ready / most, (ready + held) / most, text);
    }
}

/* A rank: loaders and queue, if shown, then the trainer. */
static enum dlq_status add_rank(struct drawing *drawing, size_t r)
{
    const struct dlq_timeline *timeline = drawing->timeline;
    const struct dlq_timeline_rank *rank = &timeline->ranks[r];
    if (!drawing->compares) {
        TRY(dlq_timeline_find_late(timeline, r, &drawing->answer->levels[r], &drawing->found, drawing->slots->error));
        drawing->lateness = &drawing->found;
    }
    if (drawing->whole && drawing->several)
        add_row(drawing, 1, true, "rank", rank->number, r, -2)->heading = true;
    if (drawing->compares)
        add_workers_compared(drawing, r);
    else if (drawing->whole)
        add_workers(drawing, r);
    if (drawing->whole && timeline->workers > 0 && timeline->loaders != 0)
        add_queue(drawing, r);
    if (drawing->whole)
        add_row(drawing, drawing->several ? 1.2 : 1.6, true, "trainer", -1, r, -1);
    else
        add_row(drawing, 1, false, "rank", rank->number, r, -1);
    for (size_t i = 0; i < rank->stepped; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        double taken = dlq_timeline_receive_start(timeline, batch), trained = batch->step_end - batch->pause;
        const bool late = late_of(drawing, batch) != NULL;
        const unsigned color = late ? LATE_BATCH : USUAL_STEP;
        char text[LABEL] = "", waits[LABEL] = "stall";
        if (!drawing->compares)
            snprintf(text, LABEL, "%ld", batch->index);
        if (late && timeline->in_order)
            snprintf(waits, LABEL, "batch %ld late: stall", batch->index);
        add_wait(drawing, batch->request, taken, STALL, DLQ_PALETTE_STALL, waits);
        add(drawing, taken, batch->received, OVERHEAD, DLQ_PALETTE_OVERHEAD, 0, 1, NULL);
        add_wait(drawing, batch->received, batch->step_begin, BARRIER, DLQ_PALETTE_BARRIER, "ranks");
        add(drawing, batch->step_begin, trained, late ? LATE : WORK, color, 0, 1, text);
        add(drawing, trained, batch->step_end, PAUSE, 0x7d5ba6, 0, 1, "pause");
    }
    free(drawing->found.batches);
    drawing->found.batches = NULL;
    return DLQ_OK;
}

/* One of two orders of delivery: a heading, "in order: 14 batches trained", and the rank. */
static enum dlq_status add_delivery(struct drawing *drawing, const struct dlq_timeline_answer *answer, size_t r)
{
    char text[LABEL];
    const long steps = answer->summaries[r].steps;
    const bool in_order = answer->timeline.in_order;
    drawing->answer = answer;
    drawing->timeline = &answer->timeline;
    snprintf(text, LABEL, "%s: %s batch%s trained", in_order ? "in order" : "as completed", SAY_COUNT(steps),
             steps == 1 ? "" : "es");
    add_row(drawing, 1.3, !in_order, "", -1, r, -2);
    add(drawing, answer->timeline.from, answer->timeline.until, HEADING, in_order ? 0x9c2400 : 0x00664b, 0, 1, text);
    return add_rank(drawing, r);
}

/* With several epochs a row of epochs, with the share that the cache saves. */
static void add_epochs(struct drawing *drawing, const struct dlq_timeline_rank *rank)
{
    if (rank->stepped == 0 || rank->batches[0].epoch == rank->batches[rank->stepped - 1].epoch)
        return;
    add_row(drawing, 0.9, true, "epoch", -1, 0, -2);
    for (size_t i = 0, next; i < rank->stepped; i = next) {
        const struct dlq_timeline_batch *first = &rank->batches[i];
        char text[LABEL];
        for (next = i; next < rank->stepped && rank->batches[next].epoch == first->epoch;)
            next++;
        double cached = dlq_cache_hit_ratio(drawing->answer->model, first->epoch + 1);
        double from = i == 0 && first->step == 0 ? 0 : isnan(first->request) ? first->received : first->request;
        snprintf(text, sizeof text, cached >= 0 ? "%ld: %s from the cache" : "%ld", first->epoch + 1,
                 SAY_SHARE(cached));
        add(drawing, from, rank->batches[next - 1].step_end, EPOCH, first->epoch % 2 == 0 ? 0xd5dae0 : 0xe9ecf0, 0, 1,
            text);
    }
}

/* Draws the critical path through the rows, below their texts; if a loader has no row, along the row of the trainer. */
static void put_path(const struct drawing *drawing)
{
    const struct dlq_timeline_path *path = &drawing->answer->path;
    const double least = path->count > MOST_SPANS ? drawing->pixel : 0;
    dlq_slot_block(drawing->slots, "PATH");
    for (size_t i = 0; i < path->count; i++) {
        const struct dlq_path_piece *piece = &path->pieces[i];
        const struct row *found = NULL;
        for (size_t k = 0; k < drawing->row_count; k++) {
            const struct row *row = &drawing->rows[k];
            if (row->rank == piece->rank && (row->worker == piece->worker || (row->worker == -1 && found == NULL)))
                found = row;
        }
        if (found == NULL || piece->until - piece->from < least)
            continue;
        DLQ_SLOT_ROW(drawing->slots, drawing->factor * piece->from, found->low - 0.03);
        DLQ_SLOT_ROW(drawing->slots, drawing->factor * piece->until, found->low - 0.03);
    }
    dlq_slot_block_end(drawing->slots);
}

/* "Idle 35.5 % of the time; the critical path: loads 83 %, steps 17 %" */
static void say_title(const struct dlq_timeline_answer *answer, char title[2 * DLQ_TIMELINE_TITLE])
{
    const bool has_path = answer->path.count > 0;
    snprintf(title, 2 * DLQ_TIMELINE_TITLE, "%s%s", answer->title, has_path ? "; the critical path: " : "");
    struct dlq_phrase phrase = {.text = title, .size = 2 * DLQ_TIMELINE_TITLE, .used = strlen(title)};
    if (has_path)
        dlq_timeline_path_say(&answer->path, 3, ", ", &phrase);
}

enum dlq_status dlq_picture_timeline(const void *subject, struct dlq_slots *slots)
{
    const struct dlq_timeline_answer *answer = subject;
    const struct dlq_timeline *timeline = &answer->timeline;
    DLQ_ARENA arena = {.error = slots->error, .doing = "drawing a timeline"};
    struct drawing drawing = {.answer = answer,
                              .timeline = timeline,
                              .lateness = &answer->lateness,
                              .compares = answer->against != NULL,
                              .slots = slots};
    const size_t all = timeline->rank_count, rows = (size_t)timeline->workers + 3;
    size_t *ranks;
    char text[LABEL];
    const char *unit;
    drawing.factor = dlq_quantity_time_unit(timeline->until, &unit);
    drawing.pixel = (timeline->until - timeline->from) / PIXELS;
    char title[2 * DLQ_TIMELINE_TITLE];
    say_title(answer, title);
    dlq_slots_begin(slots, title, answer->subtitle);
    NEW(&arena, ranks, all + 1);
    const bool compares = drawing.compares;
    drawing.whole = compares || all == 1 || all * rows <= MOST_ROWS;
    size_t shown = compares ? 1 : dlq_timeline_ranks(answer, drawing.whole ? all : MOST_TRAINERS, ranks);
    drawing.several = shown > 1;
    NEW(&arena, drawing.rows, (compares ? 2 : shown) * rows + 2);
    if (shown == 0 || !(timeline->until > timeline->from))
        return dlq_error_add(arena.error, DLQ_INVALID, "nothing happens between the ends of the timeline");
    snprintf(text, sizeof text, "Time (%s)", unit);
    dlq_slots_axis(slots, text, false, false);
    dlq_slot_number(slots, "XMIN", drawing.factor * timeline->from);
    dlq_slot_number(slots, "XMAX", drawing.factor * timeline->until);
    dlq_slot_block(slots, "SPANS");
    if (compares) {
        TRY(add_delivery(&drawing, dlq_timeline_delivered(answer, true), answer->worst));
        TRY(add_delivery(&drawing, dlq_timeline_delivered(answer, false), answer->worst));
    } else {
        for (size_t i = 0; i < shown; i++)
            TRY(add_rank(&drawing, ranks[i]));
        add_epochs(&drawing, &timeline->ranks[ranks[0]]);
    }
    write_last(&drawing);
    dlq_slot_block_end(slots);
    const double height = dlq_slots_lines(slots, 10 + drawing.high, answer->grows);
    if (drawing.high * LEAST_PIXELS > height)
        return dlq_error_add(arena.error, DLQ_INVALID,
                             "a chart of %dx%g pixels is too small for %zu tracks (it may be at most %d high)",
                             slots->canvas->width, height, drawing.row_count, DLQ_SLOTS_MOST);
    put_path(&drawing);
    dlq_slot_block(slots, "TRACKS");
    for (size_t i = 0; i < drawing.row_count; i++)
        if (drawing.rows[i].name[0] != '\0')
            DLQ_SLOT_NAMED_ROW(slots, drawing.rows[i].name, drawing.rows[i].at, drawing.rows[i].heading);
    dlq_slot_block_end(slots);
    dlq_slot_number(slots, "HIGH", drawing.high);
    char which[96] = "";
    if (shown == 1 && all > 1)
        snprintf(which, sizeof which, "; the rank of %zu that delays the others most", all);
    else if (shown < all)
        snprintf(which, sizeof which, "; the %zu of %zu ranks that delay the others most", shown, all);
    dlq_slot_say(slots, "NOTE", "%s%s", answer->timeline.measured ? "as recorded" : "one simulated run", which);
    return dlq_slots_end(slots, dlq_picture_templates, "timeline");
}

/* -- waits -- */

/* The upper panel shows ROUNDS of the loaders, at least FEWEST and at most MOST steps; the lower one names PEAKS. */
enum { ROUNDS = 30, FEWEST = 150, MOST = 1500, PEAKS = 3 };

enum dlq_status dlq_picture_rhythm(const void *subject, struct dlq_slots *slots)
{
    const struct dlq_timeline_answer *answer = subject;
    const struct dlq_rhythm *rhythm = &answer->rhythm;
    const char *unit;
    char text[2 * DLQ_TIMELINE_SUBTITLE];
    snprintf(text, sizeof text, "%s · %s batches, %s of the time idle", answer->parameters, SAY_COUNT(rhythm->count),
             SAY_SHARE(rhythm->idle));
    dlq_slots_begin(slots, answer->title, text);
    if (rhythm->count == 0)
        return dlq_error_add(slots->error, DLQ_INVALID, "there are no waits to draw");
    size_t rounds = rhythm->loaders > 0 ? ROUNDS * (size_t)rhythm->loaders : 0;
    size_t shown = rounds < FEWEST ? FEWEST : rounds > MOST ? MOST : rounds;
    double longest = 0, mean = 0;
    shown = shown < rhythm->count ? shown : rhythm->count;
    for (size_t i = 0; i < rhythm->count; i++) {
        longest = fmax(longest, i < shown ? rhythm->waits[i] : 0);
        mean += rhythm->waits[i] / (double)rhythm->count;
    }
    double factor = dlq_quantity_time_unit(longest > 0 ? longest : 1, &unit);
    DLQ_SLOT_ROWS(slots, "DATA", i, shown, (double)rhythm->first_step + (double)i, factor * rhythm->waits[i]);
    dlq_slot_say(slots, "XNAME",
                 shown == rhythm->count   ? "Batch"
                 : rhythm->first_step > 0 ? "Batch (the first %zu of the %s from %s on)"
                                          : "Batch (the first %zu of %s)",
                 shown, SAY_COUNT(rhythm->count), SAY_COUNT(rhythm->first_step));
    /* The mean of all waits, not only the shown ones. */
    dlq_slot_number(slots, "MEAN", factor * mean);
    dlq_slot_say(slots, "MTEXT", shown < rhythm->count ? "mean of all %s: %s" : "mean%.0s %s", SAY_COUNT(rhythm->count),
                 SAY_TIME(mean, 3));
    bool alarm = rhythm->step_mean > 0;
    dlq_slot_say(slots, "YNAME", "%s of each batch (%s)%s%s",
                 answer->timeline.rank_count > 1 ? "wait before the step" : "wait", unit,
                 alarm ? ", orange: longer than the mean step, " : "", alarm ? SAY_TIME(rhythm->step_mean, 3) : "");
    /* A wait may equal a step except for rounding. */
    dlq_slot_number(slots, "ALARM", alarm ? factor * rhythm->step_mean * (1 + 1e-9) : 1e300);
    dlq_slot_number(slots, "FIRST", rhythm->first_step <= 1);
    dlq_slot_say(slots, "FTEXT", "first wait: %s, cut", SAY_TIME(rhythm->waits[0], 3));
    bool varies = rhythm->acf_count > 0;
    /* Without autocorrelation a row (10, 0), which sets the axis. */
    DLQ_SLOT_ROWS(slots, "ACF", i, varies ? rhythm->lags : 1, varies ? (double)(i + 1) : 10,
                  varies ? rhythm->acf[i + 1] : 0);
    /* "autocorrelation of the waits: repeats every 7 batches: 0.49, 0.27, 0.15 …" */
    const size_t blurred = dlq_timeline_blurred(rhythm);
    size_t period = isnan(rhythm->period) ? blurred : (size_t)rhythm->period;
    struct dlq_phrase phrase = {.text = text, .size = sizeof text};
    dlq_phrase_add(&phrase, "autocorrelation of the waits");
    if (period > 0)
        dlq_phrase_add(&phrase, ": repeats every %zu batches%s", period, blurred > 0 ? ", blurred" : "");
    for (size_t k = 1; period > 0 && k <= PEAKS && k * period <= rhythm->lags; k++)
        dlq_phrase_add(&phrase, "%s%.2f", k > 1 ? ", " : ": ", rhythm->acf[k * period]);
    dlq_slot_say(slots, "PTEXT", "%.240s%s", text, period > 0 && PEAKS * period < rhythm->lags ? " …" : "");
    dlq_slot_number(slots, "BAND", varies ? rhythm->band : 0);
    dlq_slot_number(slots, "PERIOD", (double)period);
    dlq_slot_text(slots, "EMPTY", varies ? "" : "all waits are equal: there is no rhythm to find");
    return dlq_slots_end(slots, dlq_picture_templates, "rhythm");
}
