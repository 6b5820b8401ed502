/* The recursions of all loaders, of one rank and several, against the same written down naively; against the event
   loop; and what max-plus linearity promises. On the same draws, to the bit. */
#include "ranks_recursion.h"

enum { PIPELINES = 520 };

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
struct scene {
    char text[PIPELINE_TEXT];
    struct built built;
    struct dlq_point point;
    struct tape tape;
};

/* Unbounded windows are far ahead by events. */
static bool scene_make(struct scene *scene, unsigned number, long more)
{
    random_pipeline(number, false, scene->text);
    if (!build(&scene->built, scene->text))
        return false;
    const struct dlq_simulate_options *options = &scene->built.options;
    add_ranks(&scene->built.system, number);
    scene->built.system.pipeline.ranks += more;
    const long ahead = strstr(scene->text, "unbounded") != NULL ? DLQ_EVENTS_AHEAD + 1 : PATH_PLACES - PATH_STEPS;
    dlq_point_make(&scene->point, &scene->built.system, options->resolution, (enum dlq_start)options->start);
    if (!tape_make(&scene->tape, &scene->built.system, number, PATH_STEPS, ahead))
        return false;
    tape_phase(&scene->tape, &scene->point);
    return true;
}

static void scene_free(struct scene *scene)
{
    tape_free(&scene->tape);
    unbuild(&scene->built);
}

static void recursions_are_the_equations(void)
{
    static struct rank_path paths[PATH_RANKS];
    double times[4][PATH_STEPS] = {{0}};
    int compared = 0, together = 0, by_events = 0;
    for (unsigned number = 0; number < PIPELINES; number++) {
        struct scene scene = {.tape = {.steps = 0}};
        if (scene_make(&scene, number, 0)) {
            struct dlq_point *point = &scene.point;
            bool same = true;
            paths_run(paths, point, &scene.tape, times[0], times[1]);
            for (long most = 1; most <= 97; most += 48) {
                play(point->kernel, point, &scene.tape, most, times[2], times[3]);
                same = same && same_path("delivered", scene.text, times[2], times[0]) &&
                       same_path("finished", scene.text, times[3], times[1]);
            }
            compared += same;
            together += same && point->ranks > 1;
            /* With ample cores and bandwidth events give the recursion's times: constant loads end at the same moment
               by the dozen. An owner's endless queues are dealt out in another order. */
            point->cores = 1e9;
            point->bandwidth = 1e30;
            if ((point->window != DLQ_UNBOUNDED || point->loader->assign != DLQ_ASSIGN_OWNER) &&
                play(&dlq_kernel_events, point, &scene.tape, 29, times[2], times[3]))
                by_events += same_path("delivered by events", scene.text, times[2], times[0]) &&
                             same_path("finished by events", scene.text, times[3], times[1]);
        }
        scene_free(&scene);
    }
    CHECK(compared == PIPELINES && together >= 400 && by_events >= 480,
          "%d compared, %d of several ranks, %d by events", compared, together, by_events);
}

/* -- shorter loads and longer windows never make a batch later -- */

/* In a pool of unequal loaders a shorter load may hand the next one to a slow loader: nothing is promised there, nor by
   completion. */
static bool promised(const struct dlq_point *point)
{
    bool unequal = point->slow_servers > 0 && point->slow_factor > 1;
    return point->loader->order == DLQ_ORDER_INDEX && !(unequal && point->loader->assign == DLQ_ASSIGN_POOL);
}

/* Each changes a point, or one of its draws; false where it does not apply. */
typedef bool change(struct dlq_point *point, struct tape *tape);

static bool shorter_loads(struct dlq_point *point, struct tape *tape)
{
    (void)tape;
    point->load_scale *= 0.87;
    return true;
}

/* One single load of all. */
static bool one_shorter_load(struct dlq_point *point, struct tape *tape)
{
    (void)point;
    tape->loads[PATH_STEPS / 5] *= 0.3;
    return true;
}

static bool shorter_steps(struct dlq_point *point, struct tape *tape)
{
    (void)tape;
    point->step_scale *= 0.87;
    return true;
}

static bool one_more_in_the_window(struct dlq_point *point, struct tape *tape)
{
    (void)tape;
    if (point->loader->assign == DLQ_ASSIGN_TRAINER || point->window == DLQ_UNBOUNDED)
        return false;
    point->window++;
    return true;
}

static bool unbounded_window(struct dlq_point *point, struct tape *tape)
{
    (void)tape;
    if (point->loader->assign == DLQ_ASSIGN_TRAINER)
        return false;
    point->window = DLQ_UNBOUNDED;
    return true;
}

static bool longer_buffer(struct dlq_point *point, struct tape *tape)
{
    (void)tape;
    point->prefetch++;
    return point->loader->relay;
}

static bool less_overhead(struct dlq_point *point, struct tape *tape)
{
    (void)tape;
    point->dispatch /= 2;
    point->deliver /= 2;
    point->receive /= 2;
    point->startup /= 2;
    return true;
}

static bool equal_loaders(struct dlq_point *point, struct tape *tape)
{
    (void)tape;
    point->slow_factor = 1;
    return true;
}

static bool longer_barrier(struct dlq_point *point, struct tape *tape)
{
    (void)tape;
    point->barrier += 0.013;
    return true;
}

/* Its draws change no other's. */
static bool one_more_rank(struct dlq_point *point, struct tape *tape)
{
    (void)tape;
    point->ranks++;
    return true;
}

static bool one_more_slow_rank(struct dlq_point *point, struct tape *tape)
{
    (void)tape;
    point->slow_ranks++;
    return true;
}

/* Every operation of the recursions is monotone in floating point too, so there is no tolerance. */
static void never_later(void)
{
    static const struct {
        const char *name;
        change *apply;
        bool helps; /* else it can only hurt */
        int least;  /* pipelines to which it applies */
    } changes[] = {
        {"shorter loads", shorter_loads, true, 250},
        {"one shorter load", one_shorter_load, true, 250},
        {"shorter steps", shorter_steps, true, 250},
        {"window + 1", one_more_in_the_window, true, 200},
        {"unbounded window", unbounded_window, true, 200},
        {"longer buffer", longer_buffer, true, 25},
        {"less overhead", less_overhead, true, 250},
        {"equal loaders", equal_loaders, true, 250},
        {"longer barrier", longer_barrier, false, 250},
        {"one more rank", one_more_rank, false, 250},
        {"one more slow rank", one_more_slow_rank, false, 250},
    };
    enum { CHANGES = sizeof changes / sizeof *changes };
    double given[PATH_STEPS], before[PATH_STEPS] = {0}, after[PATH_STEPS] = {0};
    int applied[CHANGES] = {0};
    for (unsigned number = 0; number < PIPELINES; number++) {
        struct scene scene = {.tape = {.steps = 0}};
        bool made = scene_make(&scene, number, 1);
        scene.point.ranks--;
        for (size_t c = 0; made && promised(&scene.point) && c < CHANGES; c++) {
            struct dlq_point changed = scene.point;
            const double kept = scene.tape.loads[PATH_STEPS / 5];
            play(scene.point.kernel, &scene.point, &scene.tape, 64, given, before);
            if (changes[c].apply(&changed, &scene.tape) &&
                play(changed.kernel, &changed, &scene.tape, 64, given, after)) {
                long i = 0;
                while (i < PATH_STEPS && (changes[c].helps ? after[i] <= before[i] : after[i] >= before[i]))
                    i++;
                CHECK(i == PATH_STEPS, "%s: batch %ld ends at %.17g, before at %.17g\n%s", changes[c].name, i,
                      i < PATH_STEPS ? after[i] : 0, i < PATH_STEPS ? before[i] : 0, scene.text);
                applied[c]++;
            }
            scene.tape.loads[PATH_STEPS / 5] = kept;
        }
        scene_free(&scene);
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
    {"recursions are the equations", recursions_are_the_equations},
    {"never later", never_later},
    {"ticks", ticks},
    {"choice of kernel", choice_of_kernel},
    {NULL, NULL},
};

const struct test_suite suite_kernels = {"kernels", cases};
