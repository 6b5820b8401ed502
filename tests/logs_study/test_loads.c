/* Load times from the waits of every iteration, where the truth is known. */
#include "logs/study/diagnose/diagnose.h"
#include "pipelines.h"

static struct asked asked;

/* Loads that vary: within 5 % of what was drawn, or for few stalls within what the interval says; the first one, which
   the short tests take alone, without a tail, and the true mean within the interval. */
static void random_loads(void)
{
    static const struct {
        struct truth truth;
        double tolerance;
    } cases[] = {
        {{4, 2, 500, "gamma", 0.40, 0.3, 0.1, 0.1, 0, 0, 0}, 0.05},
        {{4, 2, 1000, "gamma", 0.40, 0.3, 0.1, 0.1, 0, 0, 0}, 0.05},
        {{4, 2, 1000, "lognormal", 0.48, 0.5, 0.1, 0.1, 0, 0, 0}, 0.05},
        {{8, 2, 1000, "exponential", 0.96, 1, 0.1, 0.1, 0, 0, 0}, 0.05},
        {{1, 4, 1000, "gamma", 0.12, 0.3, 0.1, 0.1, 0, 0, 0}, 0.03},
        {{4, 1, 1000, "lognormal", 0.32, 0.5, 0.1, 0.1, 0, 0, 0}, 0.15},
        {{8, 4, 2000, "gamma", 0.96, 0.1, 0.1, 0.1, 0, 0, 0}, 0.02},
        {{4, 2, 1000, "lognormal", 0.80, 1, 0.1, 0, 0, 0, 0}, 0.05},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += test_every(8)) {
        const struct dlq_load_evidence *found = find(&asked, &cases[i].truth, 11);
        CHECK(!found->only_bound && found->fitted_count > 0, "case %zu: only a bound", i);
        CHECK_REL(found->fitted[0].mean, asked.log.mean, cases[i].tolerance);
        CHECK_REL(found->fitted[0].cv, cases[i].truth.cv, 0.3);
        CHECK(found->mean_low < found->fitted[0].mean && found->fitted[0].mean < found->mean_high, "case %zu: %g..%g",
              i, found->mean_low, found->mean_high);
        CHECK(i > 0 || (found->mean_low <= 0.4 && 0.4 <= found->mean_high && !found->fitted[0].has_tail),
              "%g..%g, with a tail: %d", found->mean_low, found->mean_high, found->fitted[0].has_tail);
        CHECK(found->loaders_known && found->source == DLQ_FIT_WAITS, "case %zu: source", i);
        CHECK((double)found->n > 0.9 * (double)cases[i].truth.steps && found->observed_count == (size_t)found->n,
              "case %zu: n %ld", i, found->n);
        end_asking(&asked);
    }
}

/* The true mean lies in nearly all of the intervals: 17 and more of 20 with a chance of 98 % where it should in 95 %.
   One interval alone is looked at in random_loads. */
static void coverage(void)
{
    static const struct truth cases[] = {{4, 2, 500, "lognormal", 0.40, 0.5, 0.1, 0.1, 0, 0, 0},
                                         {4, 1, 500, "exponential", 0.36, 1, 0.1, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases && test_long(); i++) {
        int inside = 0;
        for (int seed = 1; seed <= 20; seed++) {
            const struct dlq_load_evidence *found = find(&asked, &cases[i], (uint64_t)seed);
            inside += found->mean_low <= cases[i].load && cases[i].load <= found->mean_high;
            end_asking(&asked);
        }
        CHECK(inside >= 17, "case %zu: %d of 20 intervals hold the mean", i, inside);
    }
}

/* Every load the same, too slow: S = H + N T of a spike H at every N-th step. */
static void constant_loads(void)
{
    static const struct truth cases[] = {{4, 2, 9, "constant", 1, 0, 0.1, 0, 0, 0, 0},
                                         {4, 2, 400, "constant", 1, 0, 0.1, 0, 0, 0, 0},
                                         {8, 1, 400, "constant", 0.9, 0, 0.1, 0, 0, 0, 0},
                                         {7, 4, 400, "constant", 2, 0, 0.1, 0, 0, 0, 0.0005},
                                         {1, 2, 400, "constant", 0.15, 0, 0.1, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct dlq_load_evidence *found = find(&asked, &cases[i], 1);
        CHECK_TEXT(found->fitted_count > 0 ? found->fitted[0].family->name : "", "constant");
        CHECK_REL(found->fitted[0].mean, cases[i].load, 2e-3);
        end_asking(&asked);
    }
}

static void period_tells_loaders(void)
{
    const struct truth truth = {7, 2, 100, test_long() ? "gamma" : "constant", 1.4, test_long() ? 0.02 : 0, 0.1, 0,
                                0, 0, 0};
    begin_asking(&asked, &truth, 3, 1);
    asked.hint = (struct dlq_pipeline_hint){NULL, -1, 0};
    ask(&asked, DLQ_NUMBERS_SINGLE, DLQ_OK);
    const struct dlq_load_evidence *found = &asked.found;
    CHECK(found->loaders == 7 && !found->loaders_known, "%ld loaders, seen, not told", found->loaders);
    CHECK(found->notes[0].kind == DLQ_NOTE_LOADERS_SEEN && found->notes[0].numbers[0] == 7, "%g",
          found->notes[0].numbers[0]);
    CHECK_REL(found->fitted[0].mean, 1.4, 0.01);
    end_asking(&asked);
}

/* Waits that are all alike but for every seventh, which takes 3 % longer, in a diagnosis and here: no rhythm, and so no
   number of loaders. Where it takes half as long again, 7. */
static void waits_alike(void)
{
    for (int alike = 0; alike < 2; alike++) {
        const struct truth truth = {1, 1, 400, "constant", 0.3, 0, 0.1, 0, 0, 0, 0};
        long rhythm;
        begin_asking(&asked, &truth, 1, 1);
        asked.hint = (struct dlq_pipeline_hint){NULL, -1, 0};
        for (size_t i = 0; i < asked.log.rank.count; i++)
            asked.log.batches[i].data *= i % 7 == 0 ? (alike ? 1.03 : 1.5) : 1;
        CHECK_INT(dlq_rhythm_of_rank(&asked.log.rank, NAN, 0, &rhythm, &asked.error), DLQ_OK);
        CHECK_INT(rhythm, alike ? 0 : 7);
        ask(&asked, DLQ_NUMBERS_SINGLE, alike ? DLQ_NO_ANSWER : DLQ_OK);
        CHECK((strstr(asked.error.text, "show no period: give --loaders") != NULL) == alike, "%s", asked.error.text);
        CHECK_INT(asked.found.loaders, alike ? 0 : 7);
        end_asking(&asked);
    }
}

/* Loaders that keep up: no more than N iterations for a load. */
static void only_a_bound(void)
{
    static const struct truth cases[] = {{4, 2, 500, "gamma", 0.2, 0.1, 0.1, 0, 0, 0, 0},
                                         {8, 4, 500, "gamma", 0.64, 0.1, 0.1, 0.1, 0, 0, 0.001},
                                         {2, 2, 500, "constant", 0.2, 0, 0.1, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct dlq_load_evidence *found = find(&asked, &cases[i], 1);
        CHECK(found->only_bound && found->fitted_count == 0, "case %zu: %g", i, found->fitted[0].mean);
        CHECK_REL(found->mean_high, (double)cases[i].loaders * 0.1, 0.02);
        CHECK(found->mean_low == 0 && found->mean_high >= cases[i].load, "case %zu: %g", i, found->mean_high);
        CHECK(found->notes[0].kind == DLQ_NOTE_KEEPS_UP, "case %zu: no word", i);
        end_asking(&asked);
    }
}

/* A few percent take many times as long: the tail is found, how long it is and how frequent; what the usual loads take
   is told where the trainer waits for them. */
static void two_points(void)
{
    static const struct {
        struct truth truth;
        bool usual_shown;
    } cases[] = {
        {{4, 2, 200, "gamma", 0.5, 0.05, 0.1, 0, 0.05, 40, 0}, true},
        {{4, 2, 1000, "gamma", 0.5, 0.05, 0.1, 0, 0.05, 40, 0}, true},
        {{4, 2, 1000, "gamma", 0.1, 0.05, 0.1, 0, 0.05, 40, 0}, false},
        {{8, 2, 600, "gamma", 0.1, 0.005, 0.05, 0, 0.05, 40, 0.0005}, false},
        {{8, 1, 600, "gamma", 0.3, 0.01, 0.05, 0, 0.02, 10, 0}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += test_every(5)) {
        const struct truth *truth = &cases[i].truth;
        const struct dlq_load_evidence *found = find(&asked, truth, 5);
        const struct dlq_fitted *law = &found->fitted[0];
        double mean = asked.log.mean;
        CHECK(law->has_tail, "case %zu: the tail is found", i);
        CHECK_REL(law->dist.mean + law->tail.mean, truth->load * truth->rare_factor, 0.03);
        CHECK_REL(law->tail_probability, truth->rare, 0.4);
        CHECK(found->mean_low < mean && mean < found->mean_high, "case %zu: %g not in %g..%g", i, mean, found->mean_low,
              found->mean_high);
        if (cases[i].usual_shown) {
            CHECK_REL(law->mean, mean, 0.1);
            CHECK_REL(law->median, truth->load, 0.05);
        } else {
            CHECK(law->median < (double)truth->loaders * truth->step, "case %zu: usual %g", i, law->median);
        }
        end_asking(&asked);
    }
}

/* Loads that vary by one law have no tail of their own. */
static void no_tail(void)
{
    static const struct truth cases[] = {{8, 2, 250, "exponential", 0.8, 1, 0.1, 0, 0, 0, 0},
                                         {8, 2, 500, "exponential", 0.8, 1, 0.1, 0, 0, 0, 0},
                                         {4, 2, 500, "lognormal", 0.5, 0.3, 0.1, 0, 0, 0, 0},
                                         {4, 4, 500, "gamma", 0.44, 0.3, 0.1, 0.1, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += test_every(4))
        for (uint64_t seed = 1; seed <= (test_long() ? 2 : 1); seed++) {
            const struct dlq_load_evidence *found = find(&asked, &cases[i], seed);
            CHECK(found->fitted_count > 0 && !found->fitted[0].has_tail, "case %zu, seed %d", i, (int)seed);
            end_asking(&asked);
        }
}

/* What a batch that is there costs is told, and that of long logs the end alone is used. */
static void receive_and_length(void)
{
    static const struct {
        long steps;
        bool shortened;
    } cases[] = {{500, false}, {9000, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct truth truth = {2, 1, cases[i].steps, "constant", 0.3, 0, 0.1, 0, 0, 0, 0.001};
        const struct dlq_load_evidence *found = find(&asked, &truth, 1);
        CHECK_REL(found->receive, 0.001, 1e-6);
        bool said =
            found->note_count > 0 && found->notes[0].kind == DLQ_NOTE_SHORTENED && found->notes[0].numbers[0] == 8192;
        CHECK(said == cases[i].shortened, "case %zu", i);
        end_asking(&asked);
    }
}

static void serial(void)
{
    const struct truth truth = {0, 0, 500, "gamma", 0.3, 0.5, 0.1, 0.1, 0, 0, 0};
    begin_asking(&asked, &truth, 2, 1);
    ask(&asked, DLQ_NUMBERS_SINGLE, DLQ_OK);
    CHECK_TEXT(asked.found.loader, "serial");
    CHECK_REL(asked.found.fitted[0].mean, asked.log.mean, 0.01);
    CHECK_INT(asked.found.n, 500);
    for (size_t i = 0; i < asked.found.observed_count; i++)
        CHECK_ABS(asked.found.observed[i].low, asked.log.batches[i].data, 1e-12);
    end_asking(&asked);
}

/* The seed decides everything. */
static void repeatable(void)
{
    const struct truth truth = {2, 1, 40, "gamma", 0.3, 0.3, 0.1, 0.1, 0, 0, 0};
    double means[2], lows[2];
    for (int i = 0; i < 2; i++) {
        means[i] = find(&asked, &truth, 1)->fitted[0].mean;
        lows[i] = asked.found.mean_low;
        end_asking(&asked);
    }
    CHECK(means[0] == means[1] && lows[0] == lows[1], "%.17g and %.17g", means[0], means[1]);
}

static void refusals(void)
{
    const struct truth truth = {4, 2, 60, "gamma", 0.1, 0.3, 0.1, 0.1, 0, 0, 0};
    static const struct {
        struct dlq_pipeline_hint hint;
        enum dlq_status status;
        const char *text;
    } cases[] = {
        {{NULL, -1, 0}, DLQ_NO_ANSWER, "--loaders"}, {{"torch", 4, 0}, DLQ_INVALID, "torch"},
        {{NULL, 5000, 0}, DLQ_INVALID, "5000"},      {{"serial", 3, 0}, DLQ_INVALID, "serial"},
        {{NULL, 4, -2}, DLQ_INVALID, "prefetch"},    {{NULL, 4, 2}, DLQ_NO_ANSWER, "no data time"},
    };
    begin_asking(&asked, &truth, 1, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        asked.hint = cases[i].hint;
        for (size_t k = 0; k < asked.log.rank.count && i == 5; k++)
            asked.log.batches[k].data = NAN;
        ask(&asked, DLQ_NUMBERS_SINGLE, cases[i].status);
        CHECK(strstr(asked.error.text, cases[i].text) != NULL, "case %zu: %s", i, asked.error.text);
    }
    end_asking(&asked);
}

/* -- links: what the waits of a run say of its loads, by hand and against loads that are known -- */

static struct dlq_error error;
static struct dlq_arena arena = {.error = &error, .doing = "testing"};

/* In the arena, which the test ends. */
static struct dlq_links links_of(const struct pipeline_log *log, long loaders, long window)
{
    struct dlq_links made = {0};
    error = (struct dlq_error){0};
    CHECK(dlq_links_make(&arena, &made, &log->rank, loaders, window) == DLQ_OK, "%s", error.text);
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
    CHECK_INT(dlq_links_make(&arena, &made, &log.rank, 2, 4), DLQ_NO_ANSWER);
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
        {0.03, 1e-3, 0.05, 0, 5e-3},         /* the trainer waits at every step */
        {2e-3, 2.5e-3, 0.05, 0, 5e-3},       /* receptions of 2 to 12 ms, of which 5 ms are believed */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double waits[N], receive, above;
        for (int i = 0; i < N; i++)
            waits[i] = i % 4 == 0 ? cases[c].stall + 1e-4 * i : cases[c].low + cases[c].step * (i % 5);
        dlq_find_stalls(waits, N, 0.1, 0, &receive, &above);
        CHECK_ABS(receive, cases[c].receive, 2e-4);
        CHECK_ABS(above, cases[c].above, 4e-4);
        dlq_find_stalls(waits, N, 0.1, 0.002, &receive, &above);
        CHECK_REL(receive, 0.002, 1e-12);
    }
}

TEST_SUITE(loads, CASE(random_loads), CASE(coverage), CASE(constant_loads), CASE(period_tells_loaders),
           CASE(waits_alike), CASE(only_a_bound), SLOW_CASE(two_points), CASE(no_tail), CASE(receive_and_length),
           CASE(serial), CASE(repeatable), CASE(refusals), CASE(by_hand), CASE(agrees_with_truth), CASE(gaps),
           CASE(stalls_are_told_from_receiving));
