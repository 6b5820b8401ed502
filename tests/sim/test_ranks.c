/* Several ranks: against recursions written down naively, to the bit; against a second simulator where loads share
   cores; and what must hold between numbers of ranks. */
#include "oracle.h"
#include "random_pipeline.h"
#include "ranks_recursion.h"

enum { PIPELINES = 520, ORACLE_STEPS = 40 };

static bool same_path(const char *what, const char *text, const double *got, const double *want, long n, double within)
{
    for (long i = 0; i < n; i++)
        if (!test_relative(got[i], want[i], within)) {
            CHECK(false, "%s, batch %ld: %.17g, expected %.17g\n%s", what, i, got[i], want[i], text);
            return false;
        }
    CHECK(true, "same");
    return true;
}

/* Pipeline `number` with 1 to 5 ranks, some of them slow, and a barrier. */
static bool build_ranks(struct built *built, unsigned number, char text[PIPELINE_TEXT])
{
    random_pipeline(number, false, text);
    if (!build(built, text))
        return false;
    struct dlq_pipeline *pipeline = &built->system.pipeline;
    pipeline->ranks = 1 + (long)(number / 3) % (PATH_RANKS - 1);
    pipeline->slow_ranks = number % 4 == 1 ? 1 + (long)(number / 4) % pipeline->ranks : 0;
    if (pipeline->slow_factor == 1)
        pipeline->slow_factor = number % 8 == 1 ? 2 : 1.385;
    built->system.overheads.barrier = number % 3 == 0 ? 0 : 0.007 * (number % 5);
    return true;
}

static bool make_scene(const struct built *built, long steps, long ahead, unsigned number, struct dlq_point *point,
                       struct tape *tape)
{
    dlq_point_make(point, &built->system, built->options.resolution, (enum dlq_start)built->options.start);
    if (!tape_make(tape, &built->system, number, steps, ahead))
        return false;
    tape_phase(tape, point);
    return true;
}

static void recursions(void)
{
    static struct rank_path paths[PATH_RANKS];
    double times[4][PATH_STEPS] = {{0}};
    int compared = 0;
    for (unsigned number = 0; number < PIPELINES; number++) {
        char text[PIPELINE_TEXT];
        struct built built;
        struct dlq_point point;
        struct tape tape;
        if (build_ranks(&built, number, text)) {
            if (make_scene(&built, PATH_STEPS, PATH_PLACES - PATH_STEPS, number, &point, &tape)) {
                paths_run(paths, &point, &tape, times[0], times[1]);
                play(point.kernel, &point, &tape, 41, times[2], times[3]);
                bool same = same_path("delivered", text, times[2], times[0], PATH_STEPS, 0) &&
                            same_path("finished", text, times[3], times[1], PATH_STEPS, 0);
                compared += same && point.ranks > 1;
                tape_free(&tape);
            }
        }
        unbuild(&built);
    }
    CHECK(compared >= 400, "%d pipelines with several ranks compared", compared);
}

/* One rank has a loop of its own in most kernels: the same as the loop over ranks. By events as well: ample cores. */
static void one_by_any_way(void)
{
    double times[6][PATH_STEPS] = {{0}};
    int compared = 0;
    for (unsigned number = 0; number < PIPELINES; number++) {
        char text[PIPELINE_TEXT];
        struct built built;
        struct dlq_point point;
        struct tape tape;
        if (!build_ranks(&built, number, text))
            continue;
        dlq_point_make(&point, &built.system, 0, DLQ_START_TOGETHER);
        size_t ahead = dlq_kernel_events.ahead(&point);
        bool dealt = point.window == DLQ_UNBOUNDED; /* in another order by events, and far ahead */
        ahead = dealt || ahead < point.kernel->ahead(&point) ? point.kernel->ahead(&point) : ahead;
        if (make_scene(&built, PATH_STEPS, (long)ahead, number, &point, &tape)) {
            play(point.kernel, &point, &tape, 97, times[0], times[1]);
            play(point.kernel, &point, &tape, 1, times[2], times[3]);
            compared += same_path("finished", text, times[3], times[1], PATH_STEPS, 0);
            point.cores = 1e9;
            point.bandwidth = 1e30;
            if (!dealt && play(&dlq_kernel_events, &point, &tape, 29, times[4], times[5]))
                compared += same_path("by events", text, times[5], times[1], PATH_STEPS, 0);
            tape_free(&tape);
        }
        unbuild(&built);
    }
    CHECK(compared >= 900, "%d compared", compared);
}

/* Without ties, and no relay: see test_sharing.c. */
static bool suits_oracle(const struct dlq_system *system, const struct dlq_point *point)
{
    bool suited = !point->loader->relay && point->window != DLQ_UNBOUNDED;
    for (size_t k = 0; k < system->load.count; k++)
        suited =
            suited && system->load.stages[k].probability == 1 && !dlq_dist_is_constant(&system->load.stages[k].dist);
    return suited;
}

/* Each rank has half the cores and bandwidth that its loads ask for, and pins its batches. */
static void shared_cores(void)
{
    double times[4][ORACLE_STEPS] = {{0}};
    int compared = 0;
    for (unsigned number = 0; number < PIPELINES; number++) {
        char text[PIPELINE_TEXT];
        struct built built;
        struct dlq_point point;
        struct tape tape;
        if (!build_ranks(&built, number, text))
            continue;
        dlq_point_make(&point, &built.system, 0, (enum dlq_start)built.options.start);
        if (suits_oracle(&built.system, &point) && point.ranks > 1 &&
            make_scene(&built, ORACLE_STEPS, (long)dlq_kernel_events.ahead(&point), number, &point, &tape)) {
            point.epoch = 0;
            point.resolution = 0;
            point.pin = number % 2 == 0 ? 0.01 : 0;
            point.cores = 0.5 * (double)point.servers;
            for (size_t k = 0; k < point.stages; k++)
                if (point.uses[k] == DLQ_USES_STORAGE)
                    point.bandwidth = 0.5 * (double)point.servers * point.demand[k];
            CHECK(oracle_run(&point, &tape, times[0], times[1]), "the oracle is at a loss\n%s", text);
            play(&dlq_kernel_events, &point, &tape, 23, times[2], times[3]);
            compared += same_path("finished", text, times[3], times[1], ORACLE_STEPS, 1e-9);
            tape_free(&tape);
        }
        unbuild(&built);
    }
    CHECK(compared >= 120, "%d pipelines compared", compared);
}

/* In order, a longer barrier, one more rank (whose draws change no other's), or slower ranks make no step earlier. By
   completion nothing is promised, nor in a pool of unequal loaders. */
static void never_earlier(void)
{
    double before[2][PATH_STEPS] = {{0}};
    double after[2][PATH_STEPS] = {{0}};
    int compared = 0;
    for (unsigned number = 0; number < PIPELINES; number++) {
        char text[PIPELINE_TEXT];
        struct built built;
        struct dlq_point point;
        struct tape tape;
        if (!build_ranks(&built, number, text))
            continue;
        built.system.pipeline.ranks++;
        if (make_scene(&built, PATH_STEPS, 0, number, &point, &tape)) {
            bool unequal = point.slow_servers > 0 && point.slow_factor > 1;
            bool promised =
                point.loader->order == DLQ_ORDER_INDEX && !(unequal && point.loader->assign == DLQ_ASSIGN_POOL);
            struct dlq_point changed[3] = {point, point, point};
            changed[0].barrier += 0.013;
            changed[2].slow_ranks++;
            point.ranks--;
            changed[0].ranks--;
            changed[2].ranks--;
            for (size_t c = 0; promised && c < 3 && play(point.kernel, &point, &tape, 64, before[0], before[1]); c++) {
                play(point.kernel, &changed[c], &tape, 64, after[0], after[1]);
                for (long i = 0; i < PATH_STEPS; i++)
                    if (after[1][i] < before[1][i]) {
                        CHECK(false, "change %zu: batch %ld ends at %.17g, before at %.17g\n%s", c, i, after[1][i],
                              before[1][i], text);
                        break;
                    }
                compared++;
            }
            tape_free(&tape);
        }
        unbuild(&built);
    }
    CHECK(compared >= 700, "%d compared", compared);
}

static const struct test_case cases[] = {
    {"recursions", recursions},
    {"one by any way", one_by_any_way},
    {"shared cores", shared_cores},
    {"never earlier", never_earlier},
    {NULL, NULL},
};

const struct test_suite suite_ranks = {"ranks", cases};
