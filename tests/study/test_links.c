/* What the waits of a run say of its loads: by hand, and against loads that are known. */
#include "pipelines.h"
#include "study/fit/fit.h"

static struct dlq_error error;
static struct dlq_arena arena = {.error = &error, .doing = "testing"};

/* In the arena, which the test ends. */
static struct dlq_links links_of(const struct pipeline_log *log, long loaders, long window)
{
    struct dlq_links made = {0};
    error = (struct dlq_error){0};
    CHECK(dlq_links_make(&arena, &made, &log->rank, loaders, window, &none) == DLQ_OK, "%s", error.text);
    return made;
}

/* S = 1 s, T = 0.1 s, 4 loaders: waits of 1 0 0 0 .6 0 0 0 .6 seconds. */
static void by_hand(void)
{
    const struct truth truth = {4, 2, 9, "constant", 1, 0, 0.1, 0, 0, 0, 0};
    struct pipeline_log log = log_of(&truth, 1);
    static const double waits[] = {1, 0, 0, 0, 0.6, 0, 0, 0, 0.6};
    static const struct {
        double ready, done;
        bool first, exact, counts;
    } links[] = {
        /* batches 0, 4, 8 of the first loader: 0 is done at 1, 4 at 2, 8 at 3 */
        {0, 1, true, true, false},
        {1, 2, true, true, true},
        {2, 3, true, true, true},
        /* 1, 5 of the second: done before the steps of 0 and of 4 end, at 1.1 and 2.1 */
        {0, 1.1, true, false, false},
        {0, 2.1, false, false, true},
        {0, 1.2, true, false, false},
        {0, 2.2, false, false, true},
        {0, 1.3, true, false, false},
        {0, 2.3, false, false, true},
    };
    for (size_t i = 0; i < 9; i++)
        CHECK_ABS(log.batches[i].data, waits[i], 1e-12);
    struct dlq_links made = links_of(&log, 4, 8);
    CHECK_INT(made.count, 9);
    CHECK_INT(made.exact, 2);
    CHECK_INT(made.counted, 5);
    for (size_t i = 0; i < made.count; i++) {
        const struct dlq_link *link = &made.links[i];
        CHECK_ABS(link->ready, links[i].ready, 1e-9);
        CHECK_ABS(link->done, links[i].done, 1e-3);
        CHECK(link->first == links[i].first && link->exact == links[i].exact && link->counts == links[i].counts,
              "link %zu: first %d, exact %d, counts %d", i, link->first, link->exact, link->counts);
    }
    dlq_arena_end(&arena);
    free(log.batches);
}

/* Known loads are those that were drawn, and all others keep their bounds. */
static void agrees_with_truth(void)
{
    static const struct truth cases[] = {{4, 2, 400, "gamma", 0.44, 0.5, 0.1, 0.3, 0, 0, 0},
                                         {8, 1, 400, "exponential", 0.8, 1, 0.1, 0, 0, 0, 0},
                                         {1, 3, 400, "lognormal", 0.1, 1, 0.1, 0.1, 0, 0, 0},
                                         {3, 4, 400, "exponential", 0.3, 1, 0.1, 0.1, 0, 0, 0.0004}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct truth *truth = &cases[c];
        struct pipeline_log log = log_of(truth, 5);
        struct dlq_links made = links_of(&log, truth->loaders, truth->loaders * truth->prefetch);
        CHECK_ABS(made.receive, truth->receive, 1e-6);
        CHECK_INT(made.iterations, truth->steps);
        size_t k = 0, known = 0;
        for (long w = 0; w < truth->loaders; w++)
            for (long i = w; i < truth->steps; i += truth->loaders, k++) {
                double most = made.links[k].done - made.links[k].ready, load = log.batches[i].load;
                bool exact = made.links[k].exact && made.links[k].first && made.links[k].counts;
                CHECK(!made.links[k].counts || load <= most + 1e-3, "case %zu, batch %ld: %g > %g", c, i, load, most);
                if (exact)
                    CHECK_ABS(most, load, 1e-3);
                known += exact;
            }
        CHECK(known > 8, "case %zu: %zu known", c, known);
        dlq_arena_end(&arena);
        free(log.batches);
    }
}

/* A gap, and a new epoch, begin anew; a log without iterations has nothing. */
static void gaps(void)
{
    const struct truth truth = {2, 2, 100, "gamma", 0.3, 0.5, 0.1, 0, 0, 0, 0};
    struct pipeline_log log = log_of(&truth, 1);
    log.batches[40].data = NAN;
    for (size_t i = 70; i < 100; i++) {
        log.batches[i].epoch = 1;
        log.batches[i].index -= 70;
    }
    struct dlq_links made = links_of(&log, 2, 4);
    CHECK_INT(made.count, 99);
    /* without the first round of each epoch, and the first window after the gap */
    CHECK_INT(made.counted, 99 - 2 - 4 - 2);
    dlq_arena_end(&arena);
    for (size_t i = 0; i < 100; i++)
        log.batches[i].iter = NAN;
    made = (struct dlq_links){0};
    CHECK_INT(dlq_links_make(&arena, &made, &log.rank, 2, 4, &none), DLQ_NO_ANSWER);
    CHECK(made.links == NULL, "untouched");
    free(log.batches);
}

static void stalls_are_told_from_receiving(void)
{
    enum { N = 200 };
    static const struct {
        double low, step, stall; /* waits low + step * (i % 5), every fourth `stall` and more */
        double receive, above;
    } cases[] = {
        {0, 0, 0.05, 0, 1e-4},               /* exact */
        {1e-3, 1e-4, 0.05, 1.2e-3, 16.2e-3}, /* a receive cost of 1 ms and more, an iteration of 100 ms */
        {0.03, 1e-3, 0.05, 0, 1e-4},         /* the trainer waits at every step */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double waits[N], receive, above;
        for (int i = 0; i < N; i++)
            waits[i] = i % 4 == 0 ? cases[c].stall + 1e-4 * i : cases[c].low + cases[c].step * (i % 5);
        dlq_find_stalls(waits, N, 0.1, 0, &receive, &above);
        CHECK_ABS(receive, cases[c].receive, 2e-4);
        CHECK_ABS(above, cases[c].above, 5e-4);
        dlq_find_stalls(waits, N, 0.1, 0.002, &receive, &above);
        CHECK_REL(receive, 0.002, 1e-12);
    }
}

TEST_SUITE(links, CASE(by_hand), CASE(agrees_with_truth), CASE(gaps), CASE(stalls_are_told_from_receiving));
