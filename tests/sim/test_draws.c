/* Loads and steps of mean 1: shared by all points, independent of the way they are asked for. */
#include "../dist/cases.h"
#include "sim/draws.h"
#include "systems.h"

enum { DRAWS = 20000 };

#define STEP "[step]\nmean = 100ms\n"

static const char *const loads[] = {
    "[load]\nmean = %gs\n",
    "[load]\nmean = %gs\ndistribution = exponential\n",
    "[load]\nmean = %gs\ndistribution = gamma\ncv = 1.385\n",
    "[load]\nmean = %gs\ncv = 1.385\n",
    "[load]\nmean = %gs\ndistribution = gamma\ncv = 0.385\n",
    "[load]\nmean = %gs\ndistribution = normal\ncv = 0.05\n",
    "[load]\nmean = %gs\ndistribution = weibull\nshape = 0.8\n",
    "[load]\nmean = %gs\ndistribution = pareto\nalpha = 3.1\n",
    "[load]\nmean = %gs\ndistribution = normal\ncv = 0.285\n",
    "[load]\nmean = %gs\ndistribution = hyperexponential\ncv = 2.1\n",
    "[load]\nmean = %gs\ndistribution = erlang\nstages = 3\n",
    "[load]\nmean = %gs\ncv = 0.7\nprobability = 37%%\n",
    "[load]\nmean = %gs\ncv = 0.7\nper = sample\n",
    ("[load.a]\nmean = %gs\n[load.b]\nmean = 0.7s\ncv = 1\nprobability = 5%%\n[load.c]\nmean = 0.1s\ncv = 2\n"
     "per = sample\nprobability = 50%%\n"),
};

enum { LOADS = sizeof loads / sizeof *loads };

/* The work [load] of row i with that mean of its first stage. */
static bool build_load(struct built *built, size_t i, double mean, long batch_size)
{
    char load[400], text[600];
    snprintf(load, sizeof load, loads[i], mean);
    snprintf(text, sizeof text, "[pipeline]\nloaders = 2\nbatch_size = %ld\n%s" STEP, batch_size, load);
    return build(built, text);
}

/* Who draws, by what instructions, how many replications at once. */
struct way {
    enum dlq_sampler sampler;
    enum dlq_instructions set;
    size_t lanes;
};

/* n draws of replications r.. in pieces of `piece`; cumulative: by stage, may be null. */
static void draw_by(const struct way *way, const struct dlq_work *work, uint64_t seed, uint32_t r, size_t n,
                    size_t piece, double *total, double *const *cumulative)
{
    OWN(dlq_source) source;
    struct dlq_draws draws;
    DLQ_ARENA arena = {.doing = "drawing"};
    bool ready = dlq_source_begin(&source, work, DLQ_PURPOSE_LOAD, way->sampler, way->set, NULL) == DLQ_OK;
    CHECK(ready && dlq_draws_begin(&arena, &draws, &source, way->lanes, 1) == DLQ_OK, "no draws");
    dlq_draws_start(&draws, seed, r);
    for (size_t at = 0; at < n; at += piece) {
        double *tails[DLQ_MOST_STAGES] = {0};
        for (size_t k = 0; cumulative != NULL && k < work->count; k++)
            tails[k] = cumulative[k] + at * way->lanes;
        dlq_draws_next(&draws, 0, n - at < piece ? n - at : piece, total + at * way->lanes,
                       cumulative != NULL ? tails : NULL, NULL);
    }
}

static void draw(enum dlq_sampler sampler, const struct dlq_work *work, uint64_t seed, uint32_t r, size_t n,
                 size_t piece, double *total, double *const *cumulative)
{
    struct way way = {sampler, dlq_instructions_best(), 1};
    draw_by(&way, work, seed, r, n, piece, total, cumulative);
}

static bool same(const double *a, const double *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* Common random numbers: a configuration with another mean, and a point whose mean was set, draw the same. */
static void common_by(enum dlq_sampler sampler)
{
    static double one[DRAWS], other[DRAWS];
    for (size_t i = 0; i < LOADS; i++) {
        struct built a, b;
        /* per sample 8: as many as a power of two, so that mean / (8 mean) is exact */
        if (build_load(&a, i, 0.7385, 8) && build_load(&b, i, 2.385, 8)) {
            draw(sampler, &a.system.load, 5, 3, 1000, 1000, one, NULL);
            draw(sampler, &b.system.load, 5, 3, 1000, 1000, other, NULL);
            CHECK(i == LOADS - 1 || i == LOADS - 3 || same(one, other, 1000), "load %zu: another mean", i);
            struct dlq_work moved = a.system.load;
            dlq_work_set_mean(&moved, 0.123);
            dlq_work_set_mean(&moved, 7.77);
            draw(sampler, &moved, 5, 3, 1000, 1000, other, NULL);
            CHECK(same(one, other, 1000), "load %zu: mean set", i);
        }
        built_free(&a);
        built_free(&b);
    }
}

/* Blocks of any size, and other replications and seeds. */
static void blocks_by(enum dlq_sampler sampler)
{
    static double whole[DRAWS], pieces[DRAWS];
    for (size_t i = 1; i < LOADS; i++) {
        OWN(built) built;
        if (build_load(&built, i, 0.7385, 3)) {
            draw(sampler, &built.system.load, 5, 3, 2000, 2000, whole, NULL);
            draw(sampler, &built.system.load, 5, 3, 2000, 37, pieces, NULL);
            CHECK(same(whole, pieces, 2000), "load %zu in pieces", i);
            draw(sampler, &built.system.load, 5, 4, 2000, 2000, pieces, NULL);
            CHECK(!same(whole, pieces, 100), "load %zu: replications alike", i);
            draw(sampler, &built.system.load, 6, 3, 2000, 2000, pieces, NULL);
            CHECK(!same(whole, pieces, 100), "load %zu: seeds alike", i);
        }
    }
}

/* Stages add up: cumulative times ascend to the total, and asking for them changes nothing. */
static void stages_by(enum dlq_sampler sampler)
{
    static double total[DRAWS], alone[DRAWS], sums[3][DRAWS];
    double *const cumulative[DLQ_MOST_STAGES] = {sums[0], sums[1], sums[2]};
    OWN(built) built;
    if (build_load(&built, LOADS - 1, 0.7385, 4)) {
        const struct dlq_work *work = &built.system.load;
        double second = 0;
        draw(sampler, work, 1, 0, DRAWS, 777, total, cumulative);
        draw(sampler, work, 1, 0, DRAWS, DRAWS, alone, NULL);
        CHECK(same(total, alone, DRAWS) && same(total, sums[2], DRAWS), "stages change the total");
        for (size_t i = 0; i < DRAWS; i++) {
            CHECK_REL(sums[0][i] * work->mean, 0.7385, 1e-12);
            CHECK(sums[1][i] >= sums[0][i] && sums[2][i] >= sums[1][i], "draw %zu descends", i);
            second += sums[1][i] > sums[0][i];
        }
        /* 5 %: sd of the share sqrt(.05 .95 / n) */
        CHECK_ABS(second / DRAWS, 0.05, 4 * sqrt(0.05 * 0.95 / DRAWS));
        /* 0.7385 + 5 % of 0.7 + 4 times half of 0.1 */
        CHECK_REL(work->mean, 0.7385 + 0.035 + 0.2, 1e-12);
    }
}

/* Mean 1 and the variance that the work says, over the mean squared. */
static void moments_by(enum dlq_sampler sampler)
{
    static double total[DRAWS];
    static const long sizes[] = {1, 7, 64, 65, 300};
    for (size_t i = 0; i < LOADS; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            OWN(built) built;
            double sum = 0, squares = 0;
            if (build_load(&built, i, 0.7385, sizes[j])) {
                double cv = dlq_work_cv(&built.system.load);
                draw(sampler, &built.system.load, 9, 1, DRAWS, DRAWS, total, NULL);
                for (size_t n = 0; n < DRAWS; n++)
                    sum += total[n];
                for (size_t n = 0; n < DRAWS; n++)
                    squares += (total[n] - sum / DRAWS) * (total[n] - sum / DRAWS);
                CHECK_ABS(sum / DRAWS, 1, 4 * cv / sqrt(DRAWS) + 1e-12);
                /* heavy tails converge slowly */
                CHECK_ABS(sqrt(squares / DRAWS), cv, 0.15 * cv + 1e-12);
            }
        }
}

static void nothing_to_draw(void)
{
    struct dlq_work none = {.count = 1};
    double total[3] = {1, 2, 3};
    draw(DLQ_SAMPLER_FAST, &none, 1, 0, 3, 2, total, NULL);
    CHECK(total[0] == 0 && total[1] == 0 && total[2] == 0, "%g %g %g", total[0], total[1], total[2]);
}

/* Lanes and pieces of any number, all instruction sets: the same bits, stage by stage. */
static void lanes_and_sets(void)
{
    enum { LANES = 16, N = 321 };
    static double whole[4][LANES * N], part[4][LANES * N];
    static const struct {
        size_t lanes, piece;
    } rows[] = {{1, N}, {1, 37}, {8, N}, {8, 37}, {16, N}, {16, 1}, {5, 64}};
    double *const all[DLQ_MOST_STAGES] = {whole[1], whole[2], whole[3]};
    double *const some[DLQ_MOST_STAGES] = {part[1], part[2], part[3]};
    for (size_t i = 0; i < 2 * LOADS; i++) {
        OWN(built) built;
        if (build_load(&built, i / 2, 0.7385, i % 2 == 0 ? 7 : 70)) {
            struct way way = {DLQ_SAMPLER_FAST, DLQ_PORTABLE, LANES};
            size_t stages = built.system.load.count;
            draw_by(&way, &built.system.load, 5, 3, N, N, whole[0], all);
            for (way.set = DLQ_PORTABLE; way.set < DLQ_INSTRUCTION_SETS; way.set++)
                for (size_t k = 0; dlq_instructions_available(way.set) && k < sizeof rows / sizeof *rows; k++) {
                    size_t differ = 0;
                    way.lanes = rows[k].lanes;
                    draw_by(&way, &built.system.load, 5, 6, N, rows[k].piece, part[0], some);
                    for (size_t at = 0; at < N * way.lanes; at++)
                        for (size_t j = 0; j <= stages && 3 + at % way.lanes < LANES; j++) {
                            size_t lane = 3 + at % way.lanes;
                            differ += part[j][at] != whole[j][at / way.lanes * LANES + lane];
                        }
                    CHECK(differ == 0, "load %zu, set %d, %zu lanes, pieces of %zu: %zu differ", i / 2, (int)way.set,
                          way.lanes, rows[k].piece, differ);
                }
        }
    }
}

/* Each rank has a place of its own and numbers of its own, whichever rank is asked first. */
static void ranks_by(enum dlq_sampler sampler)
{
    enum { RANKS = 5, N = 100 };
    for (size_t i = 1; i < LOADS; i++) {
        OWN(built) built;
        struct dlq_source source;
        struct dlq_draws draws;
        DLQ_ARENA arena = {.doing = "drawing"};
        double forth[RANKS][N], back[RANKS][N];
        if (build_load(&built, i, 0.7385, 3) &&
            dlq_source_begin(&source, &built.system.load, DLQ_PURPOSE_LOAD, sampler, DLQ_PORTABLE, NULL) == DLQ_OK) {
            CHECK(dlq_draws_begin(&arena, &draws, &source, 1, RANKS) == DLQ_OK, "no draws");
            dlq_draws_start(&draws, 9, 2);
            for (size_t rank = 0; rank < RANKS; rank++)
                dlq_draws_next(&draws, rank, N, forth[rank], NULL, NULL);
            dlq_draws_start(&draws, 9, 2);
            for (size_t half = 0; half < 2; half++)
                for (size_t rank = RANKS; rank-- > 0;)
                    dlq_draws_next(&draws, rank, N / 2, back[rank] + half * N / 2, NULL, NULL);
            for (size_t rank = 0; rank < RANKS; rank++) {
                CHECK(same(forth[rank], back[rank], N), "load %zu, rank %zu", i, rank);
                CHECK(rank == 0 || !same(forth[rank], forth[rank - 1], N), "load %zu: ranks alike", i);
            }
            dlq_source_free(&source);
        }
    }
}

/* Memory for streams is taken where GSL draws, only. */
static void streams_where_needed(void)
{
    static const struct {
        size_t load;
        enum dlq_sampler sampler;
        bool streams;
    } rows[] = {{3, DLQ_SAMPLER_FAST, false},
                {2, DLQ_SAMPLER_FAST, true},
                {3, DLQ_SAMPLER_GSL, true},
                {0, DLQ_SAMPLER_GSL, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(built) built;
        struct dlq_source source;
        struct dlq_draws draws;
        DLQ_ARENA arena = {.doing = "drawing"};
        if (build_load(&built, rows[i].load, 0.7385, 3) &&
            dlq_source_begin(&source, &built.system.load, DLQ_PURPOSE_LOAD, rows[i].sampler, DLQ_PORTABLE, NULL) ==
                DLQ_OK) {
            CHECK(dlq_draws_begin(&arena, &draws, &source, 16, 64) == DLQ_OK, "no draws");
            CHECK((draws.rngs != NULL) == rows[i].streams, "row %zu", i);
            dlq_source_free(&source);
        }
    }
}

/* Both samplers draw from the same law, and not the same numbers. */
static void samplers_agree(void)
{
    static double fast[DRAWS], slow[DRAWS];
    for (size_t i = 1; i < LOADS; i++) {
        OWN(built) built;
        if (build_load(&built, i, 0.7385, 3)) {
            draw(DLQ_SAMPLER_FAST, &built.system.load, 5, 0, DRAWS, DRAWS, fast, NULL);
            draw(DLQ_SAMPLER_GSL, &built.system.load, 5, 1, DRAWS, DRAWS, slow, NULL);
            CHECK(!same(fast, slow, DRAWS), "load %zu: the same numbers", i);
            double far = two_sample(fast, slow, DRAWS);
            CHECK(far < 1.95 * sqrt(2.0 / DRAWS), "load %zu: distance %g", i, far);
        }
    }
}

/* Measured times in order follow one another, the first after the last, from a place that is the same for loads and
   steps and another one in other replications and ranks; in pieces of any size, by either sampler. */
static void recorded_order(void)
{
    static const double times[] = {0.0231, 0.0219, 0.0304, 0.0198, 0.0275};
    static const struct way ways[] = {{DLQ_SAMPLER_FAST, DLQ_PORTABLE, 16}, {DLQ_SAMPLER_GSL, DLQ_PORTABLE, 5}};
    enum { TIMES = sizeof times / sizeof *times, DRAWN = 3 * TIMES + 2, LANES = 16 };
    static double drawn[DRAWN * LANES], again[DRAWN * LANES];
    struct dlq_data data = {0};
    struct dlq_work work = {.count = 1, .batch_size = 1};
    work.stages[0] = (struct dlq_stage){.probability = 1, .every = 1, .family = dlq_family_find("empirical")};
    CHECK_INT(dlq_data_law(&data, times, TIMES, true, NAN, &work.stages[0].dist, NULL), DLQ_OK);
    dlq_work_refresh(&work);
    for (size_t k = 0; k < 2 * (sizeof ways / sizeof *ways); k++) {
        const struct way *way = &ways[k / 2];
        size_t seen = 0;
        draw_by(way, &work, 3, 0, DRAWN, DRAWN, drawn, NULL);
        draw_by(way, &work, 3, 0, DRAWN, k % 2 ? 1 : 4, again, NULL);
        CHECK(same(drawn, again, DRAWN * way->lanes), "way %zu: pieces", k);
        for (size_t lane = 0; lane < way->lanes; lane++) {
            size_t at = 0;
            while (at < TIMES && fabs(drawn[lane] * work.mean / times[at] - 1) > 1e-12)
                at++;
            seen |= (size_t)1 << at;
            for (size_t i = 0; i < DRAWN; i++)
                CHECK_REL(drawn[i * way->lanes + lane] * work.mean, times[(at + i) % TIMES], 1e-12);
        }
        CHECK((seen & (seen - 1)) != 0 && seen < 1 << TIMES, "way %zu: places %zx", k, seen);
    }
    struct dlq_lanes lanes = {.seed = 3, .purpose = DLQ_PURPOSE_LOAD, .count = LANES, .set = DLQ_PORTABLE};
    dlq_fill_dist(&lanes, &work.stages[0].dist, 0, 1, drawn);
    lanes.purpose = DLQ_PURPOSE_STEP;
    dlq_fill_dist(&lanes, &work.stages[0].dist, 0, 1, again);
    CHECK(same(drawn, again, LANES), "steps begin elsewhere than loads");
    lanes.rank = 1;
    dlq_fill_dist(&lanes, &work.stages[0].dist, 0, 1, again);
    CHECK(!same(drawn, again, LANES), "two ranks begin at the same times");
    dlq_data_free(&data);
}

/* The draws of two ranks in pieces of `piece`, one rank after the other; kept ones where the system's data keep them.
   Returns whether they are kept. */
static bool draw_ranks(const struct dlq_system *system, size_t lanes, size_t n, size_t piece, double *total)
{
    DLQ_RELEASED_BY(dlq_sources_free) struct dlq_sources sources;
    struct dlq_draws draws;
    DLQ_ARENA arena = {.doing = "drawing"};
    bool ready = dlq_sources_begin(&sources, system, DLQ_SAMPLER_FAST, dlq_instructions_best(), NULL) == DLQ_OK;
    dlq_sources_keep(&sources, system);
    CHECK(ready && dlq_draws_begin(&arena, &draws, &sources.load, lanes, 2) == DLQ_OK, "no draws");
    dlq_draws_start(&draws, 5, 0);
    for (size_t rank = 0; rank < 2; rank++)
        for (size_t at = 0; at < n; at += piece)
            dlq_draws_next(&draws, rank, n - at < piece ? n - at : piece, total + (rank * n + at) * lanes, NULL, NULL);
    return sources.load.kept != NULL;
}

/* Draws that are kept equal fresh ones: as they are added, as they are found again, and where there is no room. A store
   keeps one law, and not if GSL draws it. */
static void kept_draws(void)
{
    enum { LANES = 16, N = 321 };
    static double fresh[2 * LANES * N], kept[2 * LANES * N];
    static const size_t pieces[] = {37, N, 64};
    size_t laws = 0;
    for (size_t i = 0; i < 4 * LOADS; i++) {
        const size_t lanes = i % 2 == 0 ? LANES : LANES / 2;
        OWN(built) built, other;
        const bool both = build_load(&built, i / 4, 0.7385, i / 2 % 2 == 0 ? 7 : 70);
        if (!build_load(&other, (i / 4 + 1) % LOADS, 0.7385, 7) || !both)
            continue;
        struct dlq_system without = built.system;
        struct dlq_kept_draws *store = &built.data.kept;
        without.data = NULL;
        CHECK(!draw_ranks(&without, lanes, N, N, fresh), "load %zu is kept without data", i / 4);
        laws += draw_ranks(&built.system, lanes, 1, 1, kept);
        const size_t bytes = atomic_exchange(&store->bytes, DLQ_KEPT_BYTES);
        draw_ranks(&built.system, lanes, N, 37, kept);
        CHECK(same(fresh, kept, 2 * N * lanes), "load %zu, %zu lanes, no room", i / 4, lanes);
        store->bytes = bytes;
        for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
            draw_ranks(&built.system, lanes, N, pieces[k], kept);
            CHECK(same(fresh, kept, 2 * N * lanes), "load %zu, %zu lanes, call %zu", i / 4, lanes, k);
        }
        /* What the first call keeps the others find. */
        const size_t chunks = 2 * ((N + DLQ_KEPT_ROWS - 1) / DLQ_KEPT_ROWS),
                     whole = chunks * DLQ_KEPT_ROWS * lanes * sizeof *kept;
        CHECK(store->law == NULL || store->bytes == whole, "load %zu: %zu bytes of %zu", i / 4, (size_t)store->bytes,
              whole);
        other.system.data = &built.data;
        CHECK(store->law == NULL || !draw_ranks(&other.system, lanes, N, N, kept), "load %zu: two laws", i / 4);
    }
    /* All but the constant, and the gamma of a cv above 1, which GSL draws. */
    CHECK_INT((long)laws, 4 * (LOADS - 2));
}

#define BY_BOTH(name)                                                                                                  \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        name##_by(DLQ_SAMPLER_FAST);                                                                                   \
        name##_by(DLQ_SAMPLER_GSL);                                                                                    \
    }

BY_BOTH(common)
BY_BOTH(blocks)
BY_BOTH(stages)
BY_BOTH(moments)
BY_BOTH(ranks)

TEST_SUITE(draws, CASE(common), CASE(blocks), CASE(stages), CASE(moments), CASE(nothing_to_draw), CASE(lanes_and_sets),
           CASE(ranks), CASE(streams_where_needed), CASE(samplers_agree), CASE(recorded_order), CASE(kept_draws));
