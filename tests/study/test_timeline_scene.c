/* One moment of a timeline, levels of its queue, sums: known answers, and definitions applied one by one. */
#include "made_timelines.h"
#include "models.h"

static const char *const trainer_states[] = {"waits", "receives", "barrier", "steps", "done"};

/* "0:2@0.25 1:-" for loaders, "2 4h" for batches that wait. */
static const char *scene_text(const struct dlq_moment *scene, char text[512])
{
    const struct dlq_timeline_batch *batch = scene->batch;
    size_t used = (size_t)snprintf(text, 512, "%s %ld/%ld %.4g since %g |", trainer_states[scene->trainer],
                                   batch != NULL ? batch->worker : -1, batch != NULL ? batch->index : -1,
                                   scene->progress, scene->state_start);
    for (size_t w = 0; w < scene->loader_count; w++) {
        const struct dlq_moment_loader *loader = &scene->loaders[w];
        used += loader->batch != NULL
                    ? (size_t)snprintf(text + used, 512 - used, " %ld@%.4g", loader->batch->index, loader->progress)
                    : (size_t)snprintf(text + used, 512 - used, " -");
    }
    used += (size_t)snprintf(text + used, 512 - used, " |");
    for (size_t i = 0; i < scene->queue_count; i++)
        used += (size_t)snprintf(text + used, 512 - used, " %ld%s", scene->queue[i].batch->index,
                                 scene->queue[i].held ? "h" : "");
    snprintf(text + used, 512 - used, " | %ld %.4g", scene->steps, scene->idle);
    return text;
}

/* Trainer: worker / index of its batch, progress; loads; queue; steps and idle. */
static const struct {
    enum made made;
    double time;
    const char *text;
} moments[] = {
    {ORDERED, 0, "waits 0/0 0 since 0 | 0@0 1@0 | | 0 nan"},
    {ORDERED, 0.5, "waits 0/0 0.5 since 0 | 0@0.5 1@0.1667 | | 0 1"},
    {ORDERED, 1, "receives 0/0 0 since 1 | 2@0 1@0.3333 | | 0 1"},
    {ORDERED, 1.125, "steps 0/0 0 since 1.125 | 2@0.125 1@0.375 | | 0 1"},
    {ORDERED, 1.625, "waits 1/1 0 since 1.625 | 2@0.625 1@0.5417 | | 1 0.6923"},
    {ORDERED, 2.25, "waits 1/1 0.4545 since 1.625 | 4@0.5 1@0.75 | 2h | 1 0.7778"},
    {ORDERED, 2.75, "waits 1/1 0.8182 since 1.625 | - 1@0.9167 | 2h 4h | 1 0.8182"},
    {ORDERED, 3, "receives 1/1 0 since 3 | - 3@0 | 2 4h | 1 0.8333"},
    {ORDERED, 3.5, "steps 1/1 0.75 since 3.125 | - 5@0 | 2 3 4 | 1 0.75"},
    {ORDERED, 3.625, "receives 0/2 0 since 3.625 | - 5@0.03571 | 3 4 | 2 0.7241"},
    {ORDERED, 4.75, "steps 1/3 0.75 since 4.375 | - 5@0.3571 | 4 6h | 3 0.6053"},
    {ORDERED, 5, "steps 0/4 0 since 5 | - 5@0.4286 | 6h | 4 0.6"},
    {ORDERED, 5.5, "waits 1/5 nan since 5.5 | - 5@0.5714 | 6h | 5 0.5455"},
    {ORDERED, 6, "waits 1/5 nan since 5.5 | - 5@0.7143 | 6h | 5 0.5833"},
    {ORDERED, 7, "done -1/-1 nan since 5.5 | - - | 5 6 | 5 0.6429"},
    {ORDERED, -1, "waits 0/0 nan since -1 | - - | | 0 nan"},
    {UNORDERED, 0.5, "waits -1/-1 0.5 since 0 | 0@0.5 1@0.125 | | 0 1"},
    {UNORDERED, 2.25, "steps 0/0 0.8333 since 1 | 4@0.25 1@0.5625 | 2 | 0 0.4444"},
    {UNORDERED, 4, "steps 0/4 0.3333 since 3 | 5@0.5 3@0 | 1 | 2 0.25"},
    {UNORDERED, 5.5, "steps 0/4 0.8333 since 3 | 6@0.5 3@0.6 | 1 5 | 2 0.1818"},
    {UNORDERED, 6.125, "steps 1/1 0.125 since 6 | - 3@0.85 | 5 6 | 3 0.1633"},
    {UNORDERED, 6.75, "steps 1/1 0.75 since 6 | - - | 5 6 3 | 3 0.1481"},
    {SERIAL, 0.5, "waits 0/0 0.5 since 0 | 0@0.5 | | 0 1"},
    {SERIAL, 1, "receives 0/0 0 since 1 | - | | 0 1"},
    {SERIAL, 1.25, "steps 0/0 0 since 1.25 | - | | 0 1"},
    {SERIAL, 2, "waits 0/1 0 since 2 | 1@0 | | 1 0.625"},
    {SERIAL, 4.5, "done -1/-1 nan since 4.5 | - | | 2 0.6667"},
    {LOGGED, 0.25, "waits 0/0 0.25 since 0 | - - | | 10 1"},
    {LOGGED, 0.75, "waits 0/0 0.75 since 0 | 0@0.5 1@0.1667 | | 10 1"},
    {LOGGED, 1.125, "receives 0/0 0.5 since 1 | - 1@0.4167 | | 10 1"},
    {LOGGED, 1.5, "barrier 0/0 0.3333 since 1.25 | - 1@0.6667 | | 10 1"},
    {LOGGED, 2.5, "steps 0/0 0.5 since 2 | - - | 1 | 10 0.8"},
    {LOGGED, 3, "receives 1/1 0 since 3 | - - | | 11 0.6667"},
    {LOGGED, 4.25, "waits -1/2 nan since 4.25 | - - | | 12 0.5882"},
    {LOGGED, 4.5, "steps -1/2 0 since 4.5 | - - | | 12 0.6111"},
    {LOGGED, 5, "done -1/-1 nan since 5 | - - | | 13 0.55"},
    {LONE, 0.5, "waits -1/0 0.5714 since 0 | | | 0 1"},
    {LONE, 0.9375, "receives -1/0 0.5 since 0.875 | | | 0 1"},
    {LONE, 2, "receives -1/1 0 since 2 | | | 1 0.5"},
    {EMPTY, 3, "waits -1/-1 nan since 0 | - - | | 0 1"},
    {EMPTY_LOG, 3, "done -1/-1 nan since 0 | - - | | 0 1"},
};

static void moments_are_as_known(void)
{
    struct dlq_moment scene = {0};
    char text[512];
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        enum dlq_status status = dlq_timeline_at(made_timelines[moments[i].made], 0, moments[i].time, &scene, NULL);
        CHECK(status == DLQ_OK && strcmp(scene_text(&scene, text), moments[i].text) == 0, "%zu: '%s' is not '%s'", i,
              text, moments[i].text);
    }
    dlq_moment_free(&scene);
    CHECK(scene.loaders == NULL && scene.queue == NULL, "not forgotten");
    dlq_moment_free(&scene);
}

static void what_is_not_there_is_refused(void)
{
    struct dlq_moment scene = {.steps = 77};
    struct dlq_queue_levels levels = {.count = 77};
    CHECK_INT(dlq_timeline_at(made_timelines[ORDERED], 1, 0, &scene, NULL), DLQ_INVALID);
    CHECK_INT(dlq_timeline_at(made_timelines[ORDERED], 0, NAN, &scene, NULL), DLQ_INVALID);
    CHECK_INT(dlq_timeline_queue(made_timelines[ORDERED], 1, &levels, NULL), DLQ_INVALID);
    CHECK(scene.steps == 77 && levels.count == 77, "outputs were touched");
}

/* The first batch that is not yet taken and all that follow it without a gap are ready; the others are held. */
static void count_waiting(const struct dlq_timeline_rank *rank, double time, size_t *ready, size_t *held)
{
    bool gap = false;
    *ready = *held = 0;
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        double taken = batch->step < 0 ? INFINITY : fmax(batch->request, batch->ready);
        if (taken <= time)
            continue;
        gap = gap || !(batch->ready <= time);
        *ready += batch->ready <= time && !gap ? 1 : 0;
        *held += batch->ready <= time && gap ? 1 : 0;
    }
}

static void check_moment(const struct dlq_timeline *timeline, double time, struct dlq_moment *scene)
{
    size_t ready = 0, held = 0, seen_held = 0;
    CHECK_INT(dlq_timeline_at(timeline, 0, time, scene, NULL), DLQ_OK);
    count_waiting(timeline->ranks, time, &ready, &held);
    for (size_t i = 0; i < scene->queue_count; i++)
        seen_held += scene->queue[i].held ? 1 : 0;
    CHECK(scene->queue_count == ready + held && seen_held == held, "%g: %zu wait, %zu held; not %zu + %zu", time,
          scene->queue_count, seen_held, ready, held);
    for (size_t w = 0; w < scene->loader_count; w++) {
        size_t loading = 0;
        for (size_t i = 0; i < timeline->ranks->count; i++) {
            const struct dlq_timeline_batch *batch = &timeline->ranks->batches[i];
            loading += batch->worker == (long)w && batch->load_start <= time && time < batch->load_end ? 1 : 0;
        }
        CHECK((scene->loaders[w].batch != NULL) == (loading == 1), "%g: loader %zu", time, w);
    }
}

#define VARIED                                                                                                         \
    "pipeline.loaders=3 load.distribution=uniform load.min=1s load.max=7s step.mean=1.25s overheads.receive=250ms"

static void definitions_hold(void)
{
    OWN(dlq_timeline) timeline = recorded(VARIED, 0, 800);
    OWN(dlq_moment) scene = {0};
    OWN(dlq_queue_levels) levels = {0};
    CHECK_INT(dlq_timeline_queue(&timeline, 0, &levels, NULL), DLQ_OK);
    CHECK(levels.count > 200, "%zu levels", levels.count);
    for (size_t i = 0; i + 1 < levels.count; i++) {
        size_t ready = 0, held = 0;
        double time = levels.time[i];
        check_moment(&timeline, time, &scene);
        check_moment(&timeline, 0.5 * (time + levels.time[i + 1]), &scene);
        count_waiting(timeline.ranks, 0.5 * (time + levels.time[i + 1]), &ready, &held);
        CHECK(levels.ready[i] == (double)ready && levels.held[i] == (double)held && levels.time[i + 1] > time,
              "%g: %g ready, %g held; not %zu, %zu", time, levels.ready[i], levels.held[i], ready, held);
    }
}

static void levels_are_as_known(void)
{
    static const double ordered[][3] = {{0, 0, 0},     {2, 0, 1},    {2.5, 0, 2},  {3, 1, 1},     {3.5, 3, 0},
                                        {3.625, 2, 0}, {4.25, 1, 0}, {4.75, 1, 1}, {4.875, 0, 1}, {6, 0, 1}};
    static const double unordered[][3] = {{0, 0, 0}, {2, 1, 0}, {2.5, 0, 0}, {4, 1, 0}, {5, 2, 0}, {6.25, 2, 0}};
    static const double late[][3] = {{3.25, 1, 1}, {3.5, 3, 0}, {3.625, 2, 0}, {4.25, 1, 0}};
    static const double serial[][3] = {{0, 0, 0}, {4.5, 0, 0}};
    static const double logged[][3] = {{0, 0, 0}, {2, 1, 0}, {3, 0, 0}, {5, 0, 0}};
    static const struct {
        enum made made;
        double from, until;
        const double (*rows)[3];
        size_t count;
    } cases[] = {
        {ORDERED, 0, 6, ordered, sizeof ordered / sizeof *ordered},
        {ORDERED, 3.25, 4.25, late, sizeof late / sizeof *late},
        {UNORDERED, 0, 6.25, unordered, sizeof unordered / sizeof *unordered},
        {SERIAL, 0, 4.5, serial, sizeof serial / sizeof *serial},
        {LOGGED, 0, INFINITY, logged, sizeof logged / sizeof *logged},
        {LONE, 0, 3, NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlq_queue_levels levels = {0};
        struct dlq_timeline timeline = *made_timelines[cases[i].made];
        timeline.from = cases[i].from;
        timeline.until = cases[i].until;
        CHECK_INT(dlq_timeline_queue(&timeline, 0, &levels, NULL), DLQ_OK);
        CHECK(levels.count == cases[i].count, "case %zu: %zu levels", i, levels.count);
        for (size_t k = 0; k < levels.count && k < cases[i].count; k++)
            CHECK(levels.time[k] == cases[i].rows[k][0] && levels.ready[k] == cases[i].rows[k][1] &&
                      levels.held[k] == cases[i].rows[k][2],
                  "case %zu: %g: %g ready, %g held", i, levels.time[k], levels.ready[k], levels.held[k]);
        dlq_queue_levels_free(&levels);
        CHECK(levels.time == NULL && levels.count == 0, "not forgotten");
    }
}

static const struct {
    enum made made;
    double from, until;
    struct dlq_timeline_summary want;
} sums[] = {
    {ORDERED, 0, 6, {0, 5, 3, 6, 2.5, 2.875, 0.625, 0, 0, 1.5, 9.5 / 12, 2.75 / 6, 3, 1.5 / 2.875}},
    /* from within a wait until within a step */
    {ORDERED, 2.25, 4, {0, 1, 1, 1.75, 0.75, 0.75, 0.25, 0, 0, 1.5, 2.25 / 3.5, 1.625 / 1.75, 3, 1}},
    /* until within a wait, whose length is told whole */
    {ORDERED, 0, 2.25, {0, 1, 2, 2.25, 0.5, 1.625, 0.125, 0, 0, 1.5, 4.5 / 4.5, 0, 0, 0.25 / 1.625}},
    /* a step that ends with the window counts */
    {ORDERED, 3.625, 4.25, {0, 2, 0, 0.625, 0.5, 0, 0.125, 0, 0, 0, 1.125 / 1.25, 2, 2, NAN}},
    {UNORDERED, 0, 6.25, {0, 3, 1, 6.25, 5.25, 1, 0, 0, 0, 1, 12.25 / 12.5, 4 / 6.25, 2, 0}},
    {SERIAL, 0, 4.5, {0, 2, 2, 4.5, 1.5, 2.5, 0.5, 0, 0, 1.75, 2.5 / 4.5, 0, 0, 0}},
    {LOGGED, 0, INFINITY, {0, 3, 1, 5, 2.25, 1, 0.5, 0.75, 0, 1.25, 0.2, 0.2, 1, 0}},
    {LONE, 0, 3, {0, 2, 1, 3, 1.875, 0.875, 0.25, 0, 0, 1, NAN, NAN, 0, NAN}},
    {EMPTY, 0, 6, {0, 0, 1, 6, 0, 6, 0, 0, 0, 6, NAN, 0, 0, 0}},
    {EMPTY_LOG, 0, 6, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NAN, NAN, 0, NAN}},
};

static void sums_are_as_known(void)
{
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        struct dlq_timeline timeline = *made_timelines[sums[i].made];
        struct dlq_queue_levels levels = {0};
        struct dlq_timeline_summary got;
        const struct dlq_timeline_summary *want = &sums[i].want;
        timeline.from = sums[i].from;
        timeline.until = sums[i].until;
        CHECK_INT(dlq_timeline_queue(&timeline, 0, &levels, NULL), DLQ_OK);
        dlq_timeline_summarize(&timeline, 0, &levels, &got);
        CHECK(got.steps == want->steps && got.stalls == want->stalls && got.queue_most == want->queue_most,
              "row %zu: %ld steps, %ld stalls, at most %ld ready", i, got.steps, got.stalls, got.queue_most);
        const double pairs[][2] = {{got.span, want->span},
                                   {got.stepping, want->stepping},
                                   {got.waiting, want->waiting},
                                   {got.receiving, want->receiving},
                                   {got.barrier, want->barrier},
                                   {got.loading, want->loading},
                                   {got.held, want->held},
                                   {got.longest_stall, want->longest_stall},
                                   {got.queue_mean, want->queue_mean}};
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
            CHECK(fabs(pairs[k][0] - pairs[k][1]) < 1e-12 || (isnan(pairs[k][0]) && isnan(pairs[k][1])),
                  "row %zu: sum %zu is %.17g, not %.17g", i, k, pairs[k][0], pairs[k][1]);
        dlq_queue_levels_free(&levels);
        dlq_timeline_summarize(&timeline, 0, NULL, &got);
        CHECK(isnan(got.queue_mean) && isnan(got.held) && got.steps == want->steps, "row %zu: without levels", i);
    }
}

/* The trainer does one thing at a time: sums of parts of a window are those of the window. */
static void parts_add_up(void)
{
    struct dlq_timeline_summary part;
    double stepping = 0, waiting = 0, receiving = 0;
    OWN(dlq_timeline) timeline = recorded(VARIED, 0, 800);
    const double steps = (double)timeline.ranks[0].stepped;
    timeline.until = timeline.ranks[0].batches[timeline.ranks[0].stepped - 1].step_end;
    const double until = timeline.until;
    for (int k = 0; k < 100; k++) {
        timeline.from = until * k / 100;
        timeline.until = until * (k + 1) / 100;
        dlq_timeline_summarize(&timeline, 0, NULL, &part);
        CHECK_REL(part.stepping + part.waiting + part.receiving, part.span, 1e-9);
        stepping += part.stepping;
        waiting += part.waiting;
        receiving += part.receiving;
    }
    CHECK_REL(stepping, 1.25 * steps, 1e-9);
    CHECK_REL(receiving, 0.25 * steps, 1e-9);
    CHECK_REL(waiting, until - 1.5 * steps, 1e-9);
}

TEST_SUITE(timeline_scene, CASE(moments_are_as_known), CASE(what_is_not_there_is_refused), CASE(definitions_hold),
           CASE(levels_are_as_known), CASE(sums_are_as_known), CASE(parts_add_up));
