/* Runs whose loads and steps share cores, worked out by hand; capacities that are found in runs made with them. */
#include "harness.h"
#include "study/fit/resample.h"

#include <gsl/gsl_rng.h>
#include <math.h>

/* 100 batches. Loads that begin together on too few cores end together. */
static void constant_times(void)
{
    static const struct {
        const char *name;
        long loaders, window;
        double cores;
        struct dlq_sharing sharing; /* usable, spread, pace */
        struct dlq_demand demand;   /* blocked, load, receive, sleep, step */
        double seconds, load;
    } rows[] = {
        {"the trainer loads", 0, 0, 1, {1, 1, 1}, {0.25, 0.75, 0, 0.1, 0}, 110, 1},
        {"enough cores", 2, 4, 8, {1, 1, 1}, {0.25, 0.75, 0, 0.1, 0}, 50.2, 1},
        {"one core for two", 2, 4, 1, {1, 1, 1}, {0, 1, 0, 0.1, 0}, 100.2, 2},
        {"half a core is usable", 2, 4, 1, {0.5, 1, 1}, {0, 1, 0, 0.1, 0}, 200.2, 4},
        {"slower work", 2, 4, 1, {1, 1, 1.1}, {0, 1, 0, 0.1, 0}, 110.2, 2.2},
        {"fixed places, one each", 2, 4, 2, {1, 0, 1}, {0, 1, 0, 0.1, 0}, 50.2, 1},
        {"fixed places, two each", 4, 8, 2, {1, 0, 1}, {0, 1, 0, 0.1, 0}, 50.4, 2},
        {"blocked loads need no core", 4, 8, 1, {1, 1, 1}, {1, 0, 0, 0.1, 0}, 25.4, 1},
        {"a core that always works", 1, 1, 1, {1, 1, 1}, {0, 1, 0, 0, 0.5}, 150, NAN},
        {"reception is work, too", 1, 1, 1, {1, 1, 1}, {0, 1, 0.25, 0, 0.25}, 150, NAN},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        enum { BATCHES = 100 };
        struct dlq_error error = {0};
        struct dlq_arena arena = {.error = &error, .doing = "testing"};
        struct dlq_demand demands[] = {rows[r].demand};
        const size_t which[BATCHES] = {0};
        struct dlq_shared_run run = {.loaders = rows[r].loaders,
                                     .window = rows[r].window,
                                     .cores = rows[r].cores,
                                     .demands = demands,
                                     .which = which};
        CHECK_INT(dlq_shared_run_prepare(&arena, &run, BATCHES), DLQ_OK);
        dlq_shared_run_epoch(&run, &rows[r].sharing, 0, BATCHES, 7);
        CHECK(fabs(run.finished[BATCHES - 1] - 7 - rows[r].seconds) < 1e-9, "%s: %.12g", rows[r].name,
              run.finished[BATCHES - 1] - 7);
        CHECK(isnan(rows[r].load) || fabs(run.load_mean / BATCHES - rows[r].load) < 1e-9, "%s: load %.12g",
              rows[r].name, run.load_mean / BATCHES);
        dlq_arena_end(&arena);
    }
}

/* Loads of 0.15 to 0.25 s by workers that pause between them, of which no more than `capacity` make headway. */
static void share(gsl_rng *rng, size_t workers, double capacity, struct dlq_batch *batches, size_t n)
{
    enum { MOST = 8 };
    struct {
        bool loads;
        double left;
        size_t batch;
    } at[MOST] = {{false, 0, 0}};
    double now = 1;
    for (size_t w = 0; w < workers; w++)
        at[w].left = 0.01 * (double)w;
    for (size_t started = 0, ended = 0; ended < n;) {
        double running = 0, after = INFINITY;
        size_t next = 0;
        for (size_t w = 0; w < workers; w++)
            running += at[w].loads;
        double speed = fmin(1, capacity / fmax(1, running));
        for (size_t w = 0; w < workers; w++) {
            double until = at[w].loads ? at[w].left / speed : at[w].left;
            next = until < after ? w : next;
            after = fmin(after, until);
        }
        now += after;
        for (size_t w = 0; w < workers; w++)
            at[w].left = w == next ? 0 : at[w].left - after * (at[w].loads ? speed : 1);
        if (at[next].loads) {
            batches[at[next].batch].load_end = now;
            at[next].left = 0.3 * gsl_rng_uniform(rng);
            ended++;
        } else {
            at[next].batch = started++;
            at[next].left = at[next].batch < n ? 0.15 + 0.1 * gsl_rng_uniform(rng) : INFINITY;
            if (at[next].batch < n)
                batches[at[next].batch].load_start = now;
        }
        at[next].loads = !at[next].loads && at[next].left < INFINITY;
    }
}

/* Two runs with 2 and 6 workers tell the capacity, and the work of each load. */
static void known_capacities(void)
{
    static const double capacities[] = {1, 2, 3.5, INFINITY};
    enum { LOADS = 400 };
    static struct dlq_batch batches[2][LOADS];
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++) {
        struct dlq_error error = {0};
        struct dlq_arena arena = {.error = &error, .doing = "testing"};
        struct dlq_measured_run runs[2] = {{.batches = LOADS, .sent = batches[0]},
                                           {.batches = LOADS, .sent = batches[1]}};
        struct dlq_capacity found;
        double work[LOADS], least = INFINITY, most = 0;
        share(rng, 2, capacities[c], batches[0], LOADS);
        share(rng, 6, capacities[c], batches[1], LOADS);
        CHECK_INT(dlq_capacity_fit(&arena, runs, 2, &found), DLQ_OK);
        /* Of one or less there is no telling apart: no time has fewer than one load. */
        CHECK(fmax(1, found.best) == capacities[c] || (isinf(capacities[c]) && found.best >= 6), "%g: %g",
              capacities[c], found.best);
        CHECK((found.gain > 12) == isfinite(capacities[c]), "%g: gain %g", capacities[c], found.gain);
        CHECK_INT(dlq_capacity_work(&arena, &runs[1], capacities[c], work), DLQ_OK);
        for (size_t i = 0; i < LOADS; i++) {
            least = fmin(least, work[i]);
            most = fmax(most, work[i]);
        }
        CHECK(least > 0.15 - 1e-9 && most < 0.25 + 1e-9, "%g: %g to %g", capacities[c], least, most);
        dlq_arena_end(&arena);
    }
    gsl_rng_free(rng);
}

TEST_SUITE(cores, CASE(constant_times), CASE(known_capacities));
