/* What max-plus linearity promises, pipeline by pipeline on the same draws: shorter loads and longer
   windows never make a batch later. Every operation of the recursions is monotone in floating point too, so there is no
   tolerance. */
#include "random_pipeline.h"
#include "tapes.h"

enum { PIPELINES = 520, STEPS = 300 };

/* In a pool of unequal loaders a shorter load may hand the next one to a slow loader: nothing is promised there, nor by
   completion. */
static bool promised(const struct dlq_point *point)
{
    bool unequal = point->slow_servers > 0 && point->slow_factor > 1;
    return point->loader->order == DLQ_ORDER_INDEX && !(unequal && point->loader->assign == DLQ_ASSIGN_POOL);
}

/* A change that can only help; false where it does not apply. */
typedef bool improvement(struct dlq_point *point, struct tape *tape);

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
    tape->loads[STEPS / 5] *= 0.3;
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

static const struct {
    const char *name;
    improvement *apply;
    int least; /* pipelines to which it applies */
} changes[] = {
    {"shorter loads", shorter_loads, 250},       {"one shorter load", one_shorter_load, 250},
    {"shorter steps", shorter_steps, 250},       {"window + 1", one_more_in_the_window, 200},
    {"unbounded window", unbounded_window, 200}, {"longer buffer", longer_buffer, 25},
    {"less overhead", less_overhead, 250},       {"equal loaders", equal_loaders, 250},
};

enum { CHANGES = sizeof changes / sizeof *changes };

/* No batch of the changed pipeline ends later. */
static void compare(const char *text, size_t change, const double *before, const double *after)
{
    for (long i = 0; i < STEPS; i++)
        if (after[i] > before[i]) {
            CHECK(false, "%s: batch %ld ends at %.17g, before at %.17g\n%s", changes[change].name, i, after[i],
                  before[i], text);
            return;
        }
    CHECK(true, "never later");
}

static bool try_change(const struct built *built, const struct dlq_point *point, size_t change, uint64_t seed,
                       double *delivered, double *finished)
{
    struct dlq_point changed = *point;
    struct tape tape;
    if (!tape_make(&tape, &built->system, seed, STEPS, 0))
        return false;
    tape_phase(&tape, point);
    bool played =
        changes[change].apply(&changed, &tape) && play(changed.kernel, &changed, &tape, 64, delivered, finished);
    tape_free(&tape);
    return played;
}

static void try_pipeline(const char *text, uint64_t seed, int applied[CHANGES])
{
    double delivered[STEPS];
    double before[STEPS] = {0};
    double after[STEPS] = {0};
    struct built built;
    struct tape tape;
    if (!build(&built, text))
        return;
    struct dlq_point point;
    dlq_point_make(&point, &built.system, built.options.resolution, (enum dlq_start)built.options.start);
    if (promised(&point) && tape_make(&tape, &built.system, seed, STEPS, 0)) {
        tape_phase(&tape, &point);
        play(point.kernel, &point, &tape, 64, delivered, before);
        tape_free(&tape);
        for (size_t change = 0; change < CHANGES; change++)
            if (try_change(&built, &point, change, seed, delivered, after)) {
                compare(text, change, before, after);
                applied[change]++;
            }
    }
    unbuild(&built);
}

static void never_later(void)
{
    int applied[CHANGES] = {0};
    for (unsigned number = 0; number < PIPELINES; number++) {
        char text[PIPELINE_TEXT];
        random_pipeline(number, false, text);
        try_pipeline(text, number, applied);
    }
    for (size_t change = 0; change < CHANGES; change++)
        CHECK(applied[change] >= changes[change].least, "%s: %d pipelines", changes[change].name, applied[change]);
}

/* Throughput over a fixed number of batches in simulation, too: each step of a ladder of loads and of windows. */
static void throughput_never_falls(void)
{
    static const char *const base = "[pipeline]\nloaders = 5\n[load]\nmean = 600ms\ncv = 0.9\n"
                                    "[step]\nmean = 100ms\ndistribution = exponential\n"
                                    "[simulate]\nbatches = 2000\nwarmup = 0\nprecision = 0\nreplications = 16\n";
    enum { RUNGS = 8 };
    struct built built;
    struct dlq_system systems[2 * RUNGS];
    const struct dlq_system *pointers[2 * RUNGS];
    struct dlq_simulation results[2 * RUNGS];
    if (build(&built, base)) {
        const struct dlq_wishes wishes = {.histogram_bits = 4};
        const struct dlq_run run = {.threads = 1};
        for (int i = 0; i < 2 * RUNGS; i++) {
            pointers[i] = &systems[i];
            systems[i] = built.system;
            if (i < RUNGS)
                dlq_work_set_mean(&systems[i].load, 0.6 - 0.04 * i);
            else
                systems[i].pipeline.window = 2 + 3 * (i - RUNGS);
        }
        CHECK(dlq_simulate_systems(pointers, 2 * RUNGS, &built.options, &wishes, &run, results, NULL) == DLQ_OK,
              "not simulated");
        for (int i = 1; i < 2 * RUNGS; i++)
            CHECK(i == RUNGS || results[i].throughput.value >= results[i - 1].throughput.value,
                  "rung %d: %.17g after %.17g", i, results[i].throughput.value, results[i - 1].throughput.value);
        CHECK(results[RUNGS - 1].throughput.value > 1.1 * results[0].throughput.value &&
                  results[2 * RUNGS - 1].throughput.value > 1.1 * results[RUNGS].throughput.value,
              "nothing gained");
    }
    unbuild(&built);
}

static const struct test_case cases[] = {
    {"never later", never_later},
    {"throughput never falls", throughput_never_falls},
    {NULL, NULL},
};

const struct test_suite suite_monotone = {"monotone", cases};
