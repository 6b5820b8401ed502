/* Lower and upper bounds against the recursions of every discipline, over random pipelines. */
#include "analytic/analytic.h"
#include "dist/dist.h"
#include "systems.h"

#include <stdlib.h>

enum { MOST_WINDOW = 64, MOST_SERVERS = 16, MOST_RANKS = 3, PARTS = 20 };

struct batch {
    double done;
    long index, server;
};

/* One rank's loaders. */
struct rank {
    struct batch waiting[MOST_WINDOW + 1];
    long count, dispatched;
    double free[MOST_SERVERS];
    double moved;                  /* relay: P of the batch before */
    double delivered[MOST_WINDOW]; /* relay: G of the last `prefetch` batches */
    double slowness;
};

struct run {
    const struct dlq_system *system;
    const struct dlq_loader *loader;
    struct dlq_sum load, step;
    gsl_rng *rng;
    struct rank ranks[MOST_RANKS];
    long place; /* of the batch being delivered, modulo prefetch */
};

static void dispatch(struct run *run, struct rank *rank, double available, long owner)
{
    long servers = dlq_system_servers(run->system);
    long server = rank->dispatched % servers;
    if (run->loader->assign == DLQ_ASSIGN_OWNER)
        server = owner;
    else if (run->loader->assign == DLQ_ASSIGN_POOL)
        for (long w = server = 0; w < servers; w++)
            server = rank->free[w] < rank->free[server] ? w : server;
    double begin = fmax(available + run->system->overheads.dispatch, rank->free[server]);
    double load = dlq_sum_sample(&run->load, run->rng) / dlq_system_threads(run->system) * rank->slowness *
                  dlq_system_slowness(run->system, server);
    rank->free[server] = begin + load;
    rank->waiting[rank->count++] = (struct batch){begin + load, rank->dispatched++, server};
}

static struct batch take(const struct run *run, struct rank *rank)
{
    long best = 0;
    for (long i = 1; i < rank->count; i++) {
        const struct batch *a = &rank->waiting[i];
        const struct batch *b = &rank->waiting[best];
        bool sooner = a->done < b->done || (a->done == b->done && a->index < b->index);
        if (run->loader->order == DLQ_ORDER_INDEX ? a->index < b->index : sooner)
            best = i;
    }
    struct batch batch = rank->waiting[best];
    rank->waiting[best] = rank->waiting[--rank->count];
    return batch;
}

/* G of the rank's next batch; the server whose credit waits for the end of the step is stored. */
static double deliver(struct run *run, struct rank *rank, double finished)
{
    const struct dlq_overheads *overheads = &run->system->overheads;
    struct batch batch = take(run, rank);
    double ready = batch.done + overheads->deliver;
    if (run->loader->relay) {
        double taken = fmax(rank->moved, rank->delivered[run->place]);
        rank->moved = ready = fmax(taken, ready);
        dispatch(run, rank, taken, 0);
    }
    double delivered = fmax(finished, ready) + overheads->receive;
    rank->delivered[run->place] = delivered;
    if (!run->loader->relay && run->loader->release == DLQ_RELEASE_DELIVERY)
        dispatch(run, rank, delivered, batch.server);
    return delivered;
}

static double next_step(struct run *run, double finished)
{
    long ranks = run->system->pipeline.ranks;
    double latest = 0;
    for (long r = 0; r < ranks; r++)
        latest = fmax(latest, deliver(run, &run->ranks[r], finished));
    double barrier = ranks > 1 ? run->system->overheads.barrier : 0;
    double end = latest + barrier + dlq_sum_sample(&run->step, run->rng);
    for (long r = 0; r < ranks && run->loader->release == DLQ_RELEASE_REQUEST; r++)
        dispatch(run, &run->ranks[r], end, 0);
    if (run->system->pipeline.prefetch > 0)
        run->place = (run->place + 1) % run->system->pipeline.prefetch;
    return end;
}

/* Batches per second after a warm-up, and its standard error from PARTS stretches. */
static double simulate(struct run *run, long batches, double *error)
{
    const struct dlq_system *system = run->system;
    long window = dlq_system_window(system) + (run->loader->release == DLQ_RELEASE_REQUEST ? 1 : 0);
    for (long r = 0; r < system->pipeline.ranks; r++) {
        struct rank *rank = &run->ranks[r];
        *rank = (struct rank){.slowness = r < system->pipeline.slow_ranks ? system->pipeline.slow_factor : 1};
        for (long i = 0; i < window; i++)
            dispatch(run, rank, 0, i % dlq_system_servers(system));
    }
    double end = 0;
    double sum = 0;
    double squares = 0;
    for (long i = 0; i < batches / 10; i++)
        end = next_step(run, end);
    long share = batches / PARTS;
    for (int part = 0; part < PARTS; part++) {
        double begin = end;
        for (long i = 0; i < share; i++)
            end = next_step(run, end);
        double time = (end - begin) / (double)share;
        sum += time;
        squares += time * time;
    }
    double mean = sum / PARTS;
    *error = sqrt(fmax(0, squares / PARTS - mean * mean) / (PARTS - 1)) / (mean * mean);
    return 1 / mean;
}

static bool sum_of_work(struct dlq_sum *total, const struct dlq_work *work)
{
    struct dlq_part parts[DLQ_MOST_STAGES];
    size_t count = dlq_work_parts(work, 1, 1, parts);
    return dlq_sum_make(total, parts, count, NULL) == DLQ_OK;
}

/* lower <= X <= upper within 5 standard errors, and X = upper where it is said to be exact. */
static void check_pipeline(const char *text, gsl_rng *rng, long batches)
{
    struct built built;
    if (build(&built, text)) {
        const struct dlq_system *system = &built.system;
        struct run run = {.system = system, .loader = dlq_system_loader(system), .rng = rng};
        struct dlq_bounds bounds = bounds_of(text);
        double error = 0;
        CHECK(sum_of_work(&run.load, &system->load) && sum_of_work(&run.step, &system->step), "distributions\n%s",
              text);
        double rate = simulate(&run, batches, &error);
        double slack = 5 * error + 1e-9 * rate;
        CHECK(bounds.lower <= rate + slack, "lower %.9g > simulated %.9g +- %.2g\n%s", bounds.lower, rate, error, text);
        CHECK(rate <= bounds.upper + slack, "upper %.9g < simulated %.9g +- %.2g\n%s", bounds.upper, rate, error, text);
        CHECK(!bounds.exact || fabs(rate - bounds.upper) <= 2e-3 * rate, "exact %.9g, simulated %.9g\n%s", bounds.upper,
              rate, text);
        dlq_sum_free(&run.load);
        dlq_sum_free(&run.step);
    }
    unbuild(&built);
}

static double uniform(gsl_rng *rng, double low, double high)
{
    return low + (high - low) * gsl_rng_uniform(rng);
}

/* One of the texts, by chance. */
static const char *any(gsl_rng *rng, const char *const *texts, unsigned long count)
{
    return texts[gsl_rng_uniform_int(rng, count)];
}

static const char *const loads[] = {
    "constant",
    "exponential",
    "lognormal\ncv = 1",
    "lognormal\ncv = 0.1",
    "gamma\ncv = 0.5",
    "uniform",
    "hyperexponential\ncv = 3",
    "exponential\nprobability = 30%",
    "pareto\nalpha = 2.5",
    "weibull\nshape = 0.6",
};
static const char *const steps[] = {"constant", "constant", "exponential", "gamma\ncv = 0.3"};

/* A load or step of that mean. */
static void write_work(FILE *out, const char *section, const char *total, double mean)
{
    fprintf(out, "[%s]\ndistribution = %s\n", section, total);
    if (strcmp(total, "uniform") == 0)
        fprintf(out, "min = %.6fs\nmax = %.6fs\n", 0.4 * mean, 1.6 * mean);
    else
        fprintf(out, "mean = %.6fs\n", strstr(total, "probability") != NULL ? mean / 0.3 : mean);
}

static void write_pipeline(FILE *out, const char *loader, gsl_rng *rng)
{
    const struct dlq_loader *row = dlq_loader_find(loader);
    unsigned long loaders = 1 + gsl_rng_uniform_int(rng, 8);
    unsigned long prefetch = 1 + gsl_rng_uniform_int(rng, 3);
    fprintf(out, "[pipeline]\nloader = %s\nloaders = %lu\nranks = %lu\n", loader, loaders,
            1 + gsl_rng_uniform_int(rng, MOST_RANKS) / 2 * 2);
    if (row->prefetch_name != NULL)
        fprintf(out, "prefetch = %lu\n", prefetch);
    if (row->assign != DLQ_ASSIGN_SINGLE && gsl_rng_uniform_int(rng, 4) == 0)
        fprintf(out, "slow_loaders = %lu\nslow_factor = 2.3\n", 1 + gsl_rng_uniform_int(rng, loaders));
    else if (gsl_rng_uniform_int(rng, 6) == 0)
        fprintf(out, "slow_ranks = 1\nslow_factor = 1.7\n");
    fprintf(out, "[overheads]\n");
    if (gsl_rng_uniform_int(rng, 2) == 0)
        fprintf(out, "dispatch = %.4fs\ndeliver = %.4fs\nreceive = %.4fs\nbarrier = %.4fs\n", uniform(rng, 0, 0.05),
                uniform(rng, 0, 0.05), uniform(rng, 0, 0.03), uniform(rng, 0, 0.03));
    double threads = row->assign == DLQ_ASSIGN_SINGLE ? 1 : (double)loaders;
    write_work(out, "load", any(rng, loads, sizeof loads / sizeof *loads), 0.1 * threads * uniform(rng, 0.3, 2));
    write_work(out, "step", any(rng, steps, sizeof steps / sizeof *steps), 0.1);
}

static void test_random_pipelines(void)
{
    static const char *const loaders[] = {
        "pytorch", "pytorch-unordered", "pool", "pool-ordered", "tfdata", "tfdata-unordered", "dali", "grain", "keras",
        "mxnet"};
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
    CHECK(rng != NULL, "memory");
    long rounds = test_long() ? 100 : 12;
    for (size_t i = 0; rng != NULL && i < sizeof loaders / sizeof *loaders; i++)
        for (long k = 0; k < rounds; k++) {
            char text[1024] = "";
            dlq_stream_start(rng, 20240611, (uint32_t)k, (uint32_t)i, DLQ_PURPOSE_TEST);
            FILE *out = fmemopen(text, sizeof text, "w");
            write_pipeline(out, loaders[i], rng);
            fclose(out);
            check_pipeline(text, rng, test_long() ? 100000 : 20000);
        }
    gsl_rng_free(rng);
}

/* Where constant times make the upper bound exact, and where they do not: credits that come back at request. */
static void test_exact(void)
{
    static const struct {
        const char *text;
        bool exact;
    } rows[] = {
        {"[pipeline]\nloaders=7\n[load]\nmean=2s\n[step]\nmean=100ms\n", true},
        {"[pipeline]\nloaders=7\nprefetch=1\n[load]\nmean=0.63s\n[step]\nmean=100ms\n[overheads]\ndispatch=30ms\n"
         "deliver=40ms\nreceive=20ms\n",
         true},
        {"[pipeline]\nloader=pool-ordered\nloaders=5\nwindow=8\n[load]\nmean=0.63s\n[step]\nmean=100ms\n"
         "[overheads]\ndispatch=200ms\ndeliver=40ms\nreceive=3ms\n",
         true},
        {"[pipeline]\nloader=dali\nloaders=4\n[load]\nmean=0.5s\n[step]\nmean=100ms\n[overheads]\ndispatch=70ms\n",
         true},
        {"[pipeline]\nloader=mxnet\nloaders=3\n[load]\nmean=0.5s\n[step]\nmean=100ms\n", true},
        {"[pipeline]\nloaders=3\nranks=3\n[load]\nmean=0.5s\n[step]\nmean=150ms\n[overheads]\nbarrier=30ms\n", true},
        {"[pipeline]\nloader=keras\nprefetch=1\nloaders=8\n[load]\nmean=0.5s\n[step]\nmean=300ms\n", true},
        {"[pipeline]\nloader=keras\nprefetch=1\nloaders=8\n[load]\nmean=0.9s\n[step]\nmean=300ms\n", false},
        {"[pipeline]\nloader=pool\nloaders=7\n[load]\nmean=0.7s\n[step]\nmean=100ms\n", false},
        {"[pipeline]\nloader=tfdata\nloaders=7\n[load]\nmean=0.7s\n[step]\nmean=100ms\n", false},
        {"[pipeline]\nloaders=7\nslow_loaders=1\nslow_factor=2\n[load]\nmean=0.7s\n[step]\nmean=100ms\n", false},
        {"[pipeline]\nloaders=7\n[load]\nmean=0.7s\ncv=0.2\ndistribution=gamma\n[step]\nmean=100ms\n", false},
    };
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
    for (size_t i = 0; rng != NULL && i < sizeof rows / sizeof *rows; i++) {
        CHECK_INT(bounds_of(rows[i].text).exact, rows[i].exact);
        check_pipeline(rows[i].text, rng, 20000);
    }
    gsl_rng_free(rng);
}

#define RANDOM_STEP "\n[step]\ndistribution=exponential"

/* Rounds: N where a whole one fits twice; fewer for random steps where a loader with full hands stands idle beside a
   queue of work. */
static void test_round(void)
{
    static const struct {
        const char *pipeline;
        long round;
    } rows[] = {
        {"loaders=7", 7},
        {"loaders=7\nprefetch=1", 0},
        {"loaders=7\nwindow=13", 0},
        {"loaders=7\nwindow=unbounded", 7},
        {"loader=keras\nloaders=5\nprefetch=8", 5},
        {"loader=keras\nloaders=5\nprefetch=7", 0},
        {"loader=keras\nloaders=1\nwindow=1", 1},
        {"loader=tfdata\nloaders=4", 0},
        {"loader=tfdata\nloaders=4\nprefetch=4", 4},
        {"loader=tfdata\nloaders=4\nwindow=3\nprefetch=9", 0},
        {"loader=dali\nloaders=4\nprefetch=2", 1},
        {"loader=dali\nloaders=4\nprefetch=1", 0},
        {"loader=pytorch-unordered\nloaders=8", 8},
        {"loader=pytorch-unordered\nloaders=8\nprefetch=1", 0},
        {"loader=pytorch-unordered\nloaders=8" RANDOM_STEP, 5},
        {"loader=pytorch-unordered\nloaders=1\nprefetch=1" RANDOM_STEP, 0},
        {"loader=pytorch-unordered\nloaders=2\nprefetch=1" RANDOM_STEP, 1},
        {"loader=pytorch-unordered\nloaders=8\nprefetch=3" RANDOM_STEP, 6},
        {"loader=pytorch-unordered\nloaders=8\nprefetch=7" RANDOM_STEP, 7},
        {"loader=pytorch-unordered\nloaders=8\nprefetch=9" RANDOM_STEP, 8},
        {"loader=pytorch-unordered\nloaders=8\nwindow=unbounded" RANDOM_STEP, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        struct built built;
        snprintf(text, sizeof text, "[pipeline]\n%s\n[step]\nmean=1s\n[load]\nmean=1s\n", rows[i].pipeline);
        if (build(&built, text))
            CHECK(dlq_system_round(&built.system) == rows[i].round, "%s: round of %ld, expected %ld", rows[i].pipeline,
                  dlq_system_round(&built.system), rows[i].round);
        unbuild(&built);
    }
}

static const struct test_case cases[] = {
    {"random pipelines", test_random_pipelines},
    {"constant times", test_exact},
    {"rounds", test_round},
    {NULL, NULL},
};

const struct test_suite suite_lower = {"lower", cases};
