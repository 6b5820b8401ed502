/* Kernels against each other and against the recursions written down naively, on the same draws, to the bit. */
#include "random_pipeline.h"
#include "tapes.h"

enum { PIPELINES = 520, STEPS = 400 };

/* Compares two paths; true where equal to the bit. */
static bool same_path(const char *what, const char *text, const double *got, const double *want, long n)
{
    for (long i = 0; i < n; i++)
        if (got[i] != want[i]) {
            CHECK(false, "%s, batch %ld: %.17g, expected %.17g\n%s", what, i, got[i], want[i], text);
            return false;
        }
    CHECK(true, "same");
    return true;
}

/* The point of a text and a tape for it. */
struct scene {
    struct built built;
    struct dlq_point point;
    struct tape tape;
    bool whole;
};

static void scene_make(struct scene *scene, const char *text, uint64_t seed, long ahead)
{
    scene->whole = build(&scene->built, text);
    if (!scene->whole)
        return;
    const struct dlq_simulate_options *options = &scene->built.options;
    dlq_point_make(&scene->point, &scene->built.system, options->resolution, (enum dlq_start)options->start);
    scene->whole = tape_make(&scene->tape, &scene->built.system, seed, STEPS, ahead);
    if (scene->whole)
        tape_phase(&scene->tape, &scene->point);
}

static void scene_free(struct scene *scene)
{
    if (scene->whole)
        tape_free(&scene->tape);
    unbuild(&scene->built);
}

static long most_ahead(const struct dlq_point *point)
{
    size_t own = point->kernel->ahead(point);
    size_t events = dlq_kernel_events.ahead(point);
    return (long)(own > events ? own : events);
}

/* An owner's endless queues are dealt out in another order by events: the same law, other draws. */
static bool comparable(const struct dlq_point *point)
{
    return point->window != DLQ_UNBOUNDED || point->loader->assign != DLQ_ASSIGN_OWNER;
}

/* With ample cores and bandwidth events give the recursion's times: constant loads end at the same moment by the
   dozen. In pieces of other sizes as well. */
static void events_are_the_recursions(void)
{
    double paths[4][STEPS] = {{0}};
    int compared = 0;
    for (unsigned number = 0; number < PIPELINES; number++) {
        char text[PIPELINE_TEXT];
        struct scene scene;
        random_pipeline(number, false, text);
        if (!build(&scene.built, text))
            continue;
        dlq_point_make(&scene.point, &scene.built.system, 0, DLQ_START_TOGETHER);
        bool wanted = comparable(&scene.point);
        long ahead = most_ahead(&scene.point);
        unbuild(&scene.built);
        if (!wanted)
            continue;
        scene_make(&scene, text, number, ahead);
        scene.point.cores = 1e9;
        scene.point.bandwidth = 1e30;
        if (scene.whole && play(scene.point.kernel, &scene.point, &scene.tape, 97, paths[0], paths[1]) &&
            play(&dlq_kernel_events, &scene.point, &scene.tape, 29, paths[2], paths[3])) {
            bool same = same_path("delivered", text, paths[2], paths[0], STEPS);
            same = same && same_path("finished", text, paths[3], paths[1], STEPS);
            compared += same;
        }
        scene_free(&scene);
    }
    CHECK(compared >= 480, "%d pipelines compared", compared);
}

/* The recursions with whole arrays, for a single epoch: A, D, G, F of every batch by their own equations. */
struct naive {
    double arrived[STEPS], done[STEPS], given[STEPS], finished[STEPS], moved[STEPS], slot[STEPS];
    double free[DLQ_MOST_LOADERS];
};

static double credit_of(const struct naive *naive, const struct dlq_point *point, double start, long i)
{
    bool request = point->loader->release == DLQ_RELEASE_REQUEST;
    long back = point->window == DLQ_UNBOUNDED ? LONG_MAX : point->window + (request ? 1 : 0);
    if (i < back)
        return start;
    if (point->loader->relay)
        return naive->slot[i - back];
    return request ? naive->finished[i - back] : naive->given[i - back];
}

static long server_of(const struct naive *naive, const struct dlq_point *point, long i)
{
    long server = 0;
    if (point->loader->assign != DLQ_ASSIGN_POOL)
        return i % point->servers;
    for (long w = 1; w < point->servers; w++)
        if (naive->free[w] < naive->free[server])
            server = w;
    return server;
}

static void naive_batch(struct naive *naive, const struct dlq_point *point, const struct tape *tape, long i)
{
    double start = point->startup;
    long w = server_of(naive, point, i);
    long p = point->prefetch;
    naive->arrived[i] = credit_of(naive, point, start, i);
    naive->done[i] =
        fmax(naive->arrived[i] + point->dispatch, naive->free[w]) + dlq_load_time(point, tape->loads[i], w);
    naive->free[w] = naive->done[i];
    double ready = naive->done[i] + point->deliver;
    double before = i == 0 ? 0 : naive->finished[i - 1];
    if (point->loader->relay) {
        naive->slot[i] = fmax(i == 0 ? start : naive->moved[i - 1], i < p ? start : naive->given[i - p]);
        ready = naive->moved[i] = fmax(naive->slot[i], ready);
    }
    naive->given[i] = fmax(before, ready) + point->receive;
    if (point->loader->assign == DLQ_ASSIGN_TRAINER)
        naive->given[i] = before + dlq_load_time(point, tape->loads[i], 0) + point->receive;
    naive->finished[i] = naive->given[i] + tape->step[i] * point->step_scale;
}

static void recursions_are_the_equations(void)
{
    static struct naive naive;
    double paths[2][STEPS] = {{0}};
    int compared = 0;
    for (unsigned number = 0; number < PIPELINES; number++) {
        char text[PIPELINE_TEXT];
        struct scene scene;
        random_pipeline(number, false, text);
        scene_make(&scene, text, number, 0);
        if (scene.whole && scene.point.loader->order == DLQ_ORDER_INDEX) {
            scene.point.epoch = 0;
            for (long w = 0; w < scene.point.servers; w++)
                naive.free[w] = scene.point.startup + scene.tape.phase[w] * scene.point.load_scale;
            for (long i = 0; i < STEPS; i++)
                naive_batch(&naive, &scene.point, &scene.tape, i);
            if (play(scene.point.kernel, &scene.point, &scene.tape, 31, paths[0], paths[1]))
                compared += same_path("given", text, paths[0], naive.given, STEPS) &&
                            same_path("finished", text, paths[1], naive.finished, STEPS);
        }
        scene_free(&scene);
    }
    CHECK(compared >= PIPELINES / 2, "%d pipelines compared", compared);
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

/* Each row gets the kernel of its discipline; pinning and scarce cores are for events alone. */
static void choice_of_kernel(void)
{
    static const struct {
        const char *text;
        const struct dlq_kernel *kernel;
    } rows[] = {
        {"loader = pytorch\nloaders = 3\n", &dlq_kernel_round_robin},
        {"loader = pytorch\nloaders = 0\n", &dlq_kernel_serial},
        {"loader = serial\nloaders = 0\n", &dlq_kernel_serial},
        {"loader = pytorch-unordered\nloaders = 3\n", &dlq_kernel_completion},
        {"loader = pool\nloaders = 3\n", &dlq_kernel_completion},
        {"loader = pool-ordered\nloaders = 3\n", &dlq_kernel_pool},
        {"loader = tfdata\nloaders = 3\n", &dlq_kernel_relay},
        {"loader = tfdata-unordered\nloaders = 3\n", &dlq_kernel_completion},
        {"loader = dali\nloaders = 3\n", &dlq_kernel_round_robin},
        {"loader = ffcv\nloaders = 3\n", &dlq_kernel_round_robin},
        {"loader = grain\nloaders = 3\n", &dlq_kernel_round_robin},
        {"loader = keras\nloaders = 3\n", &dlq_kernel_pool},
        {"loaders = 3\n[overheads]\npin_time = 1ms\n", &dlq_kernel_events},
        {"loaders = 3\n[host]\ncores = 3\n", &dlq_kernel_round_robin},
        {"loaders = 3\n[host]\ncores = 2.9\n", &dlq_kernel_events},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        struct built built;
        snprintf(text, sizeof text, "[load]\nmean = 1s\nuses = cpu\n[step]\nmean = 1s\n[pipeline]\n%s", rows[i].text);
        if (build(&built, text))
            CHECK(dlq_kernel_for(&built.system) == rows[i].kernel, "%s: %s, expected %s", rows[i].text,
                  dlq_kernel_for(&built.system)->name, rows[i].kernel->name);
        unbuild(&built);
    }
}

static const struct test_case cases[] = {
    {"events are the recursions", events_are_the_recursions},
    {"recursions are the equations", recursions_are_the_equations},
    {"ticks", ticks},
    {"choice of kernel", choice_of_kernel},
    {NULL, NULL},
};

const struct test_suite suite_kernels = {"kernels", cases};
