/* The recursions of all loaders, of one rank and several, against the same written down naively; against the event
   loop; and what max-plus linearity promises. On the same draws, to the bit. */
#include "random_pipeline.h"
#include "tapes.h"

enum { PIPELINES = 520 };

/* -- the recursions with whole arrays: no ring, no heap, nothing forgotten; every epoch begins anew -- */

/* PATH_PLACES: with what is in flight at the end. */
enum { PATH_STEPS = 300, PATH_PLACES = PATH_STEPS + 200, PATH_RANKS = 6, PATH_SERVERS = 64 };

/* One rank: A, D, G, P and Q of every batch. Batches are numbered through all epochs. */
struct rank_path {
    const struct dlq_point *point;
    const double *loads;
    double scale; /* s of this rank */
    long first, last, sent;
    double arrived[PATH_PLACES], done[PATH_PLACES], given[PATH_PLACES], moved[PATH_PLACES], slot[PATH_PLACES];
    long server[PATH_PLACES];
    bool taken[PATH_PLACES];
    double free[PATH_SERVERS];
    double start;
    long chosen;
};

static double path_load(const struct rank_path *path, long batch, long server)
{
    struct dlq_point point = *path->point;
    point.load_scale = path->scale;
    return dlq_load_time(&point, path->loads[batch], server);
}

/* The next batch goes to a server: the first that is free (pool), its turn (in order), or `owner`. */
static void path_send(struct rank_path *path, double available, long owner)
{
    const struct dlq_point *point = path->point;
    long batch = path->sent++;
    long server = point->loader->order == DLQ_ORDER_COMPLETION ? owner : (batch - path->first) % point->servers;
    if (point->loader->assign == DLQ_ASSIGN_POOL) {
        server = 0;
        for (long w = 1; w < point->servers; w++)
            if (path->free[w] < path->free[server])
                server = w;
    }
    path->arrived[batch] = available;
    path->done[batch] = fmax(available + point->dispatch, path->free[server]) + path_load(path, batch, server);
    path->free[server] = path->done[batch];
    path->server[batch] = server;
}

/* Batches that go out before any is delivered. An owner's endless queue is dealt out as its batches are taken. */
static long path_opening(const struct dlq_point *point)
{
    if (point->loader->assign == DLQ_ASSIGN_TRAINER)
        return 0;
    if (point->window != DLQ_UNBOUNDED)
        return point->window + (point->loader->release == DLQ_RELEASE_REQUEST ? 1 : 0);
    return point->loader->order == DLQ_ORDER_COMPLETION && point->loader->assign == DLQ_ASSIGN_OWNER ? point->servers
                                                                                                     : PATH_STEPS;
}

static void path_epoch(struct rank_path *path, double start, const double *phase, long first, long last)
{
    path->start = start;
    path->first = path->sent = first;
    path->last = last;
    for (long w = 0; w < path->point->servers; w++)
        path->free[w] = start + (phase == NULL ? 0 : phase[w] * path->scale);
    for (long i = 0; i < path_opening(path->point) && path->sent < last; i++)
        path_send(path, start, i % path->point->servers);
}

/* The first that is done of those sent; of several the lowest. */
static long path_earliest(const struct rank_path *path)
{
    long earliest = -1;
    for (long i = path->first; i < path->sent; i++)
        if (!path->taken[i] && (earliest < 0 || path->done[i] < path->done[earliest]))
            earliest = i;
    return earliest;
}

/* P_j = max(Q_j, D_j + e), Q_j = max(P_{j-1}, G_{j-p}), A_{j+N} = Q_j */
static double path_relay(struct rank_path *path, long step)
{
    const struct dlq_point *point = path->point;
    double before = step == path->first ? path->start : path->moved[step - 1];
    double room = step - path->first < point->prefetch ? path->start : path->given[step - point->prefetch];
    path->slot[step] = fmax(before, room);
    if (path->sent < path->last)
        path_send(path, path->slot[step], 0);
    path->moved[step] = fmax(path->slot[step], path->done[step] + point->deliver);
    return path->moved[step];
}

/* G of this rank's batch of that step. */
static double path_receive(struct rank_path *path, long step, double ended)
{
    const struct dlq_point *point = path->point;
    double ready;
    path->chosen = step;
    if (point->loader->assign == DLQ_ASSIGN_TRAINER)
        ready = fmax(ended, path->start) + path_load(path, step, 0);
    else if (point->loader->relay)
        ready = path_relay(path, step);
    else {
        if (point->loader->order == DLQ_ORDER_COMPLETION)
            path->chosen = path_earliest(path);
        ready = path->done[path->chosen] + point->deliver;
    }
    path->taken[path->chosen] = true;
    return path->given[step] = fmax(ended, ready) + point->receive;
}

/* Batches of the epoch that an owner with an endless queue has had: all were dealt by turns as the epoch began. */
static bool path_had_all(const struct rank_path *path, long server)
{
    const long servers = path->point->servers;
    long had = 0;
    for (long i = path->first; i < path->sent; i++)
        had += path->server[i] == server;
    return path->point->window == DLQ_UNBOUNDED && path->point->epoch > 0 &&
           path->point->loader->assign == DLQ_ASSIGN_OWNER && path->point->loader->order == DLQ_ORDER_COMPLETION &&
           had >= (path->last - path->first - server + servers - 1) / servers;
}

/* The step ended: a credit is back, at delivery or at request. */
static void path_release(struct rank_path *path, long step, double ended)
{
    const struct dlq_loader *loader = path->point->loader;
    double available = loader->release == DLQ_RELEASE_REQUEST ? ended : path->given[step];
    if (path->point->window == DLQ_UNBOUNDED)
        available = path->start;
    if (path->sent < path->last && !loader->relay && loader->assign != DLQ_ASSIGN_TRAINER &&
        !path_had_all(path, path->server[path->chosen]))
        path_send(path, available, path->server[path->chosen]);
}

/* F_i = max_r G^r_i + b + T_i */
static void paths_run(struct rank_path *paths, const struct dlq_point *point, const struct tape *tape,
                      double *delivered, double *finished)
{
    long epoch = point->epoch > 0 ? point->epoch : PATH_PLACES;
    double ended = 0;
    for (long r = 0; r < point->ranks; r++)
        paths[r] = (struct rank_path){.point = point,
                                      .loads = tape->loads + r * (tape->steps + tape->ahead),
                                      .scale = r < point->slow_ranks ? point->load_scale * point->slow_factor
                                                                     : point->load_scale};
    for (long i = 0; i < PATH_STEPS; i++) {
        double startup = i == 0 || !point->persistent ? point->startup : 0;
        long last = i + epoch < PATH_PLACES ? i + epoch : PATH_PLACES;
        delivered[i] = 0;
        for (long r = 0; r < point->ranks; r++) {
            if (i % epoch == 0)
                path_epoch(&paths[r], ended + startup, i == 0 ? tape->phase + r * point->servers : NULL, i, last);
            delivered[i] = fmax(delivered[i], path_receive(&paths[r], i, ended));
        }
        delivered[i] += point->barrier;
        finished[i] = ended = delivered[i] + tape->step[i] * point->step_scale;
        for (long r = 0; r < point->ranks; r++)
            path_release(&paths[r], i, ended);
    }
}

/* -- against them -- */

/* Compares two paths; true where equal to the bit. */
static bool same_path(const char *what, const char *text, const double *got, const double *want)
{
    for (long i = 0; i < PATH_STEPS; i++)
        if (got[i] != want[i]) {
            CHECK(false, "%s, batch %ld: %.17g, expected %.17g\n%s", what, i, got[i], want[i], text);
            return false;
        }
    CHECK(true, "same");
    return true;
}

/* Random pipeline `number` of several ranks, `more` than usual, and a tape of its draws. */
struct pipeline {
    char text[PIPELINE_TEXT];
    struct built built;
    struct dlq_point point;
    struct tape tape;
};

/* Unbounded windows are far ahead by events. */
static bool pipeline_make(struct pipeline *pipeline, unsigned number, long more)
{
    random_pipeline(number, false, pipeline->text);
    if (!build(&pipeline->built, pipeline->text))
        return false;
    const struct dlq_simulate_options *options = &pipeline->built.options;
    add_ranks(&pipeline->built.system, number);
    pipeline->built.system.pipeline.ranks += more;
    const long ahead = strstr(pipeline->text, "unbounded") != NULL ? DLQ_EVENTS_AHEAD + 8 : PATH_PLACES - PATH_STEPS;
    dlq_point_make(&pipeline->point, &pipeline->built.system, options->resolution, (enum dlq_start)options->start);
    if (!tape_make(&pipeline->tape, &pipeline->built.system, number, PATH_STEPS, ahead))
        return false;
    tape_phase(&pipeline->tape, &pipeline->point);
    return true;
}

static void pipeline_free(struct pipeline *pipeline)
{
    tape_free(&pipeline->tape);
    built_free(&pipeline->built);
}

static void recursions_are_the_equations(void)
{
    static struct rank_path paths[PATH_RANKS];
    double times[4][PATH_STEPS] = {{0}};
    int compared = 0, together = 0, by_events = 0;
    for (unsigned number = 0; number < PIPELINES; number++) {
        OWN(pipeline) pipeline = {.tape = {.steps = 0}};
        if (pipeline_make(&pipeline, number, 0)) {
            struct dlq_point *point = &pipeline.point;
            bool same = true;
            paths_run(paths, point, &pipeline.tape, times[0], times[1]);
            for (long most = 1; most <= 97; most += 48) {
                play(point->discipline, point, &pipeline.tape, most, times[2], times[3]);
                same = same && same_path("delivered", pipeline.text, times[2], times[0]) &&
                       same_path("finished", pipeline.text, times[3], times[1]);
            }
            compared += same;
            together += same && point->ranks > 1;
            /* With ample cores and bandwidth events give the recursion's times: constant loads end at the same moment
               by the dozen. An owner's endless queues are dealt out in another order. */
            point->cores.capacity = 1e9;
            point->bandwidth.capacity = 1e30;
            if ((point->window != DLQ_UNBOUNDED || point->loader->assign != DLQ_ASSIGN_OWNER) &&
                play(DLQ_DEPENDENT, point, &pipeline.tape, 29, times[2], times[3]))
                by_events += same_path("delivered by events", pipeline.text, times[2], times[0]) &&
                             same_path("finished by events", pipeline.text, times[3], times[1]);
        }
    }
    CHECK(compared == PIPELINES && together >= 400 && by_events >= 480,
          "%d compared, %d of several ranks, %d by events", compared, together, by_events);
}

/* A load that never ends is waited for without end, and is found all the same. */
static void endless_loads(void)
{
    double delivered[PATH_STEPS] = {0}, finished[PATH_STEPS] = {0};
    for (unsigned number = 0; number < 26; number++) {
        OWN(pipeline) pipeline = {.tape = {.steps = 0}};
        bool made = pipeline_make(&pipeline, number, 0);
        for (long i = 0; made && i < (pipeline.tape.steps + pipeline.tape.ahead) * pipeline.tape.ranks; i++)
            pipeline.tape.loads[i] = INFINITY;
        if (made && play(pipeline.point.discipline, &pipeline.point, &pipeline.tape, 29, delivered, finished))
            CHECK(isinf(delivered[0]) && isinf(finished[PATH_STEPS - 1]), "%g s\n%s", delivered[0], pipeline.text);
    }
}

/* -- shorter loads and longer windows never make a batch later -- */

/* In a pool of unequal loaders a shorter load may hand the next one to a slow loader: no promise there. */
static bool promised(const struct dlq_point *point)
{
    bool unequal = point->slow_servers > 0 && point->slow_factor > 1;
    return point->loader->order == DLQ_ORDER_INDEX && !(unequal && point->loader->assign == DLQ_ASSIGN_POOL);
}

/* Each changes a point, or one of its draws; false where it does not apply. */
typedef bool change(struct dlq_point *point, struct tape *tape);
#define CHANGE(name, applies, action)                                                                                  \
    static bool name(struct dlq_point *point, struct tape *tape)                                                       \
    {                                                                                                                  \
        (void)tape, (void)point;                                                                                       \
        const bool does = applies;                                                                                     \
        if (does)                                                                                                      \
            action;                                                                                                    \
        return does;                                                                                                   \
    }
CHANGE(shorter_loads, true, point->load_scale *= 0.87)
CHANGE(one_shorter_load, true, tape->loads[PATH_STEPS / 5] *= 0.3)
CHANGE(shorter_steps, true, point->step_scale *= 0.87)
CHANGE(one_more_in_the_window, point->loader->assign != DLQ_ASSIGN_TRAINER && point->window < DLQ_UNBOUNDED,
       point->window++)
CHANGE(longer_buffer, point->loader->relay, point->prefetch++)
CHANGE(shorter_dispatch, true, point->dispatch /= 2)
CHANGE(shorter_delivery, true, point->deliver /= 2)
CHANGE(shorter_receiving, true, point->receive /= 2)
CHANGE(shorter_startup, true, point->startup /= 2)
CHANGE(equal_loaders, true, point->slow_factor = 1)
CHANGE(longer_barrier, true, point->barrier += 0.013)
CHANGE(one_more_rank, true, point->ranks++) /* its draws change no other's */
CHANGE(one_more_slow_rank, true, point->slow_ranks++)
CHANGE(unbounded_window, point->loader->assign != DLQ_ASSIGN_TRAINER, point->window = DLQ_UNBOUNDED)

/* Every operation of the recursions is monotone in floating point too, so there is no tolerance. */
static void never_later(void)
{
    static const struct {
        const char *name;
        change *apply;
        bool helps; /* else it can only hurt */
        int least;  /* pipelines to which it applies */
    } changes[] = {
        {"shorter loads", shorter_loads, true, 250},         {"one shorter load", one_shorter_load, true, 250},
        {"shorter steps", shorter_steps, true, 250},         {"window + 1", one_more_in_the_window, true, 200},
        {"unbounded window", unbounded_window, true, 200},   {"longer buffer", longer_buffer, true, 25},
        {"shorter dispatch", shorter_dispatch, true, 250},   {"shorter delivery", shorter_delivery, true, 250},
        {"shorter receiving", shorter_receiving, true, 250}, {"shorter start-up", shorter_startup, true, 250},
        {"equal loaders", equal_loaders, true, 250},         {"longer barrier", longer_barrier, false, 250},
        {"one more rank", one_more_rank, false, 250},        {"one more slow rank", one_more_slow_rank, false, 250},
    };
    enum { CHANGES = sizeof changes / sizeof *changes };
    double given[PATH_STEPS], before[PATH_STEPS] = {0}, after[PATH_STEPS] = {0};
    int applied[CHANGES] = {0};
    for (unsigned number = 0; number < PIPELINES; number++) {
        OWN(pipeline) pipeline = {.tape = {.steps = 0}};
        bool made = pipeline_make(&pipeline, number, 1);
        pipeline.point.ranks--;
        made = made && promised(&pipeline.point) &&
               play(pipeline.point.discipline, &pipeline.point, &pipeline.tape, 64, given, before);
        for (size_t c = 0; made && c < CHANGES; c++) {
            struct dlq_point changed = pipeline.point;
            const double kept = pipeline.tape.loads[PATH_STEPS / 5];
            if (changes[c].apply(&changed, &pipeline.tape) &&
                play(changed.discipline, &changed, &pipeline.tape, 64, given, after)) {
                long i = 0;
                while (i < PATH_STEPS && (changes[c].helps ? after[i] <= before[i] : after[i] >= before[i]))
                    i++;
                CHECK(i == PATH_STEPS, "%s: batch %ld ends at %.17g, before at %.17g\n%s", changes[c].name, i,
                      i < PATH_STEPS ? after[i] : 0, i < PATH_STEPS ? before[i] : 0, pipeline.text);
                applied[c]++;
            }
            pipeline.tape.loads[PATH_STEPS / 5] = kept;
        }
    }
    for (size_t c = 0; c < CHANGES; c++)
        CHECK(applied[c] >= changes[c].least, "%s: %d pipelines", changes[c].name, applied[c]);
}

/* S = q ceil(S / q - 1e-9): 0.1 + 0.2 is 0.30000000000000004 and three ticks all the same. */
static void ticks(void)
{
    static const struct {
        double scale, draw, resolution;
        long server;
        double time;
    } rows[] = {
        {0.1 + 0.2, 1, 0.1, 3, 0.3}, {0.7, 1, 0.1, 3, 0.7},
        {0.7, 1.385, 0, 3, 0.9695},  {0.7, 1.385, 0.1, 3, 1.0},
        {0.01, 1, 0.1, 3, 0.1},      {0.7, 0, 0.1, 3, 0},
        {0.7, 1, 0.2, 3, 0.8},       {0.3 * (1 + 1e-8), 1, 0.1, 3, 0.4},
        {0.7, 1, 0, 1, 1.75},        {0.7, 1, 0.2, 1, 1.8},
        {0.7, 1, 0, 2, 0.7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct dlq_point point = {
            .load_scale = rows[i].scale, .resolution = rows[i].resolution, .slow_servers = 2, .slow_factor = 2.5};
        CHECK_REL(dlq_load_time(&point, rows[i].draw, rows[i].server), rows[i].time, 1e-12);
    }
}

/* Loads that are pinned, or on scarce cores, depend on each other. */
static void choice_of_discipline(void)
{
    static const struct {
        const char *text;
        enum dlq_discipline discipline;
    } rows[] = {
        {"loader = pytorch\nloaders = 3\n", DLQ_ROUND_ROBIN},
        {"loader = pytorch\nloaders = 0\n", DLQ_SERIAL},
        {"loader = serial\nloaders = 0\n", DLQ_SERIAL},
        {"loader = pytorch-unordered\nloaders = 3\n", DLQ_COMPLETION},
        {"loader = pool\nloaders = 3\n", DLQ_COMPLETION},
        {"loader = pool-ordered\nloaders = 3\n", DLQ_POOL},
        {"loader = tfdata\nloaders = 3\n", DLQ_RELAY},
        {"loader = tfdata-unordered\nloaders = 3\n", DLQ_COMPLETION},
        {"loader = dali\nloaders = 3\n", DLQ_ROUND_ROBIN},
        {"loader = ffcv\nloaders = 3\n", DLQ_ROUND_ROBIN},
        {"loader = grain\nloaders = 3\n", DLQ_ROUND_ROBIN},
        {"loader = keras\nloaders = 3\n", DLQ_POOL},
        {"loaders = 3\n[overheads]\npin_time = 1ms\n", DLQ_DEPENDENT},
        {"loaders = 3\n[host]\ncores = 3\n", DLQ_ROUND_ROBIN},
        {"loaders = 3\n[host]\ncores = 2.9\n", DLQ_DEPENDENT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        OWN(built) built;
        snprintf(text, sizeof text, "[load]\nmean = 1s\nuses = cpu\n[step]\nmean = 1s\n[pipeline]\n%s", rows[i].text);
        if (build(&built, text))
            CHECK(dlq_discipline_of(&built.system) == rows[i].discipline, "%s: %d, expected %d", rows[i].text,
                  (int)dlq_discipline_of(&built.system), (int)rows[i].discipline);
    }
}

/* Stages are told apart only where a slowdown tells them apart: lanes take the others. */
static void stages_slowed_alike(void)
{
    static const char *const loads[] = {"[load]\nmean = 1s\nuses = cpu\n",
                                        "[load.a]\nmean = 1s\nuses = cpu\n[load.b]\nmean = 1s\n"};
    for (int i = 0; i < 2; i++) {
        char text[300];
        OWN(built) built;
        struct dlq_point point;
        snprintf(text, sizeof text,
                 "%s[step]\nmean = 1s\n[slowdown]\ninterval = 9s\nduration = 1s\nspeed = 50%%\nuses = "
                 "cpu\n[pipeline]\nloaders = 3\n",
                 loads[i]);
        if (build(&built, text)) {
            dlq_point_make(&point, &built.system, 0, DLQ_START_TOGETHER);
            CHECK(point.staged == (i == 1), "%s", text);
        }
    }
}

TEST_SUITE(kernels, CASE(recursions_are_the_equations), CASE(endless_loads), CASE(never_later), CASE(ticks),
           CASE(choice_of_discipline), CASE(stages_slowed_alike));
