#include "picture_timeline.h"

#include "dlqueue/gantt.h"
#include "dlqueue/palette.h"
#include "dlqueue/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows that are drawn at most before ranks shrink to their trainers, and trainers then. */
enum { MOST_ROWS = 80, MOST_TRAINERS = 32 };

typedef char label[40];

struct dlq_timeline_drawing {
    const struct dlq_timeline_answer *answer;
    size_t *ranks; /* that are shown, in their order */
    size_t rank_count;
    bool whole; /* with their loaders and queues */
    struct dlq_span *spans;
    label *labels; /* of the spans */
    size_t span_count, label_count;
    bool labelled; /* few enough for labels */
    struct dlq_track *tracks;
    label *names; /* of the tracks */
    size_t track_count;
    char note[160];
    struct dlq_gantt gantt;
};

/* -- spans -- */

static void add_span(struct dlq_timeline_drawing *drawing, double from, double to, enum dlq_span_kind kind, long worker,
                     const char *text)
{
    const struct dlq_timeline *timeline = &drawing->answer->timeline;
    if (!(to > from) || to <= timeline->from || from >= timeline->until)
        return;
    const char *own = NULL;
    if (drawing->labelled && text != NULL) {
        snprintf(drawing->labels[drawing->label_count], sizeof(label), "%s", text);
        own = drawing->labels[drawing->label_count++];
    }
    drawing->spans[drawing->span_count++] =
        (struct dlq_span){.from = from, .to = to, .kind = kind, .color = dlq_palette_worker(worker), .label = own};
    if (drawing->gantt.names[kind] == NULL && kind != DLQ_SPAN_WORK) {
        static const char *const names[DLQ_SPAN_KINDS] = {[DLQ_SPAN_STALL] = "waits for data",
                                                          [DLQ_SPAN_BARRIER] = "waits for other ranks",
                                                          [DLQ_SPAN_OVERHEAD] = "receives"};
        drawing->gantt.names[kind] = names[kind];
    }
}

static void add_load(struct dlq_timeline_drawing *drawing, const struct dlq_timeline_batch *batch)
{
    label text;
    snprintf(text, sizeof text, "batch %ld", batch->index);
    add_span(drawing, batch->load_start, batch->load_end, DLQ_SPAN_WORK, batch->worker, text);
}

/* Short waits are drawn, without a word. */
static const char *wait_label(const struct dlq_timeline_drawing *drawing, const char *word, double from, double to,
                              label text)
{
    char time[DLQ_TEXT_NUMBER];
    const struct dlq_timeline *timeline = &drawing->answer->timeline;
    bool cut = from < timeline->from || to > timeline->until;
    if (!(to - from > timeline->stall_above))
        return NULL;
    snprintf(text, sizeof(label), "%s %s%s", word, dlq_text_time(to - from, 3, time), cut ? " in all" : "");
    return text;
}

/* Request, taken, received, the step's begin and end: one behind the other. */
static void add_step(struct dlq_timeline_drawing *drawing, const struct dlq_timeline_batch *batch)
{
    label text;
    double taken = dlq_timeline_taken(&drawing->answer->timeline, batch);
    add_span(drawing, batch->request, taken, DLQ_SPAN_STALL, 0,
             wait_label(drawing, "stall", batch->request, taken, text));
    add_span(drawing, taken, batch->received, DLQ_SPAN_OVERHEAD, 0, NULL);
    add_span(drawing, batch->received, batch->step_begin, DLQ_SPAN_BARRIER, 0,
             wait_label(drawing, "ranks", batch->received, batch->step_begin, text));
    snprintf(text, sizeof text, "%ld", batch->index);
    add_span(drawing, batch->step_begin, batch->step_end, DLQ_SPAN_WORK, batch->worker, text);
}

/* -- tracks -- */

/* number below 0: the word alone. */
static struct dlq_track *add_track(struct dlq_timeline_drawing *drawing, double weight, const char *word, long number)
{
    struct dlq_track *track = &drawing->tracks[drawing->track_count];
    label *name = &drawing->names[drawing->track_count++];
    if (number < 0)
        snprintf(*name, sizeof *name, "%s", word);
    else
        snprintf(*name, sizeof *name, "%s %ld", word, number);
    *track = (struct dlq_track){.label = *name, .weight = weight, .spans = drawing->spans + drawing->span_count};
    return track;
}

static void end_track(const struct dlq_timeline_drawing *drawing, struct dlq_track *track)
{
    track->count = (size_t)(drawing->spans + drawing->span_count - track->spans);
}

static int by_worker_and_start(const void *a, const void *b)
{
    const struct dlq_timeline_batch *left = *(const struct dlq_timeline_batch *const *)a;
    const struct dlq_timeline_batch *right = *(const struct dlq_timeline_batch *const *)b;
    if (left->worker != right->worker)
        return left->worker < right->worker ? -1 : 1;
    return (left->load_start > right->load_start) - (left->load_start < right->load_start);
}

/* A row per worker, its loads in the order in which they began. */
static bool add_workers(struct dlq_timeline_drawing *drawing, const struct dlq_timeline_rank *rank)
{
    const struct dlq_timeline *timeline = &drawing->answer->timeline;
    const struct dlq_timeline_batch **loads = calloc(rank->count + 1, sizeof(const struct dlq_timeline_batch *));
    size_t count = 0, next = 0;
    if (loads == NULL)
        return false;
    for (size_t i = 0; i < rank->count; i++)
        if (rank->batches[i].worker >= 0 && !isnan(rank->batches[i].load_start))
            loads[count++] = &rank->batches[i];
    qsort(loads, count, sizeof(const struct dlq_timeline_batch *), by_worker_and_start);
    for (long w = 0; w < timeline->workers; w++) {
        struct dlq_track *track =
            timeline->loaders == 0 ? add_track(drawing, 1, "load", -1) : add_track(drawing, 1, "loader", w + 1);
        for (; next < count && loads[next]->worker <= w; next++)
            add_load(drawing, loads[next]);
        end_track(drawing, track);
    }
    free(loads);
    return true;
}

static void add_queue(struct dlq_timeline_drawing *drawing, size_t r)
{
    const struct dlq_queue_levels *levels = &drawing->answer->levels[r];
    struct dlq_track *track = add_track(drawing, drawing->rank_count > 1 ? 1.4 : 2, "queue", -1);
    track->spans = NULL;
    track->count = levels->count;
    track->time = levels->time;
    track->lower = levels->ready;
    track->upper = levels->held;
    track->apart = true;
    drawing->gantt.lower_name = "batches ready";
    for (size_t i = 0; i < levels->count && drawing->gantt.upper_name == NULL; i++)
        if (levels->held[i] > 0)
            drawing->gantt.upper_name = "held behind a late one";
}

static void add_trainer(struct dlq_timeline_drawing *drawing, const struct dlq_timeline_rank *rank)
{
    struct dlq_track *track = drawing->whole ? add_track(drawing, drawing->rank_count > 1 ? 1.2 : 1.6, "trainer", -1)
                                             : add_track(drawing, 1, "rank", rank->number);
    for (size_t i = 0; i < rank->stepped; i++)
        add_step(drawing, &rank->batches[i]);
    track->apart = drawing->whole;
    end_track(drawing, track);
}

static bool add_rank(struct dlq_timeline_drawing *drawing, size_t r)
{
    const struct dlq_timeline *timeline = &drawing->answer->timeline;
    const struct dlq_timeline_rank *rank = &timeline->ranks[r];
    if (drawing->whole && drawing->rank_count > 1) {
        struct dlq_track *heading = add_track(drawing, 1, "rank", rank->number);
        heading->heading = heading->apart = true;
        heading->spans = NULL;
    }
    if (drawing->whole && !add_workers(drawing, rank))
        return false;
    if (drawing->whole && timeline->workers > 0 && timeline->loaders != 0)
        add_queue(drawing, r);
    add_trainer(drawing, rank);
    return true;
}

/* -- ranks -- */

static void choose_ranks(struct dlq_timeline_drawing *drawing)
{
    const struct dlq_timeline_subject subject = dlq_timeline_answer_subject(drawing->answer);
    size_t all = subject.timeline->rank_count;
    size_t rows = (size_t)subject.timeline->workers + 3;
    drawing->whole = all == 1 || all * rows <= MOST_ROWS;
    drawing->rank_count = dlq_timeline_subject_ranks(&subject, drawing->whole ? all : MOST_TRAINERS, drawing->ranks);
}

static void say_what(struct dlq_timeline_drawing *drawing)
{
    const struct dlq_timeline_answer *answer = drawing->answer;
    const char *source = answer->trace != NULL ? "as recorded" : "one simulated run";
    size_t all = answer->timeline.rank_count;
    if (drawing->rank_count < all)
        snprintf(drawing->note, sizeof drawing->note, "%s; the %zu of %zu ranks that hold the others up most", source,
                 drawing->rank_count, all);
    else
        snprintf(drawing->note, sizeof drawing->note, "%s", source);
}

/* -- all -- */

static size_t most_spans(const struct dlq_timeline_drawing *drawing)
{
    size_t most = 0;
    for (size_t i = 0; i < drawing->rank_count; i++) {
        const struct dlq_timeline_rank *rank = &drawing->answer->timeline.ranks[drawing->ranks[i]];
        most += rank->count + 4 * rank->stepped;
    }
    return most;
}

static bool allocate(struct dlq_timeline_drawing *drawing)
{
    const struct dlq_timeline *timeline = &drawing->answer->timeline;
    drawing->ranks = calloc(timeline->rank_count, sizeof *drawing->ranks);
    if (drawing->ranks == NULL)
        return false;
    choose_ranks(drawing);
    size_t spans = most_spans(drawing) + 1;
    size_t tracks = drawing->rank_count * ((size_t)timeline->workers + 3) + 1;
    drawing->labelled = spans <= 5 * (size_t)DLQ_GANTT_SPANS;
    drawing->spans = calloc(spans, sizeof *drawing->spans);
    drawing->labels = calloc(drawing->labelled ? spans : 1, sizeof *drawing->labels);
    drawing->tracks = calloc(tracks, sizeof *drawing->tracks);
    drawing->names = calloc(tracks, sizeof *drawing->names);
    return drawing->spans != NULL && drawing->labels != NULL && drawing->tracks != NULL && drawing->names != NULL;
}

static void describe(struct dlq_timeline_drawing *drawing)
{
    const struct dlq_timeline_answer *answer = drawing->answer;
    say_what(drawing);
    drawing->gantt.title = answer->title;
    drawing->gantt.subtitle = answer->subtitle;
    drawing->gantt.from = answer->timeline.from;
    drawing->gantt.to = answer->timeline.until;
    drawing->gantt.tracks = drawing->tracks;
    drawing->gantt.count = drawing->track_count;
    drawing->gantt.note = drawing->note;
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
    if (!enough) {
        dlq_timeline_drawing_free(made);
        return dlq_error_memory(error, "drawing a timeline");
    }
    describe(made);
    *drawing = made;
    return DLQ_OK;
}

void dlq_timeline_drawing_free(struct dlq_timeline_drawing *drawing)
{
    if (drawing == NULL)
        return;
    free(drawing->ranks);
    free(drawing->spans);
    free(drawing->labels);
    free(drawing->tracks);
    free(drawing->names);
    free(drawing);
}

int dlq_timeline_drawing_height(const struct dlq_timeline_drawing *drawing, int width, int usual)
{
    return dlq_gantt_height(&drawing->gantt, width, usual);
}

enum dlq_status dlq_picture_timeline(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                     struct dlq_error *error)
{
    const struct dlq_timeline_drawing *drawing = subject;
    return dlq_gantt_script(&drawing->gantt, canvas, script, error);
}
