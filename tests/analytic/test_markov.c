/* The Markov chain: published values, other chains, limits, what it refuses; closed forms. */
#include "systems.h"

#include <stdlib.h>

static void write_system(char *text, size_t size, const char *pipeline, double load, double step)
{
    snprintf(text, size,
             "[pipeline]\n%s\n[load]\ndistribution=exponential\nmean=%.17gs\n[step]\ndistribution=exponential\n"
             "mean=%.17gs\n",
             pipeline, load, step);
}

static struct dlq_markov solve_text(const char *text)
{
    struct dlq_error error = {0};
    struct dlq_markov markov = {.throughput = NAN};
    enum dlq_status status = dlq_markov_solve(&good(text, "")->system, NULL, &markov, &error);
    CHECK(status == DLQ_OK, "status %d: %s\n%s", (int)status, error.text, text);
    return markov;
}

static struct dlq_markov solve_pipeline(const char *pipeline, double load, double step)
{
    char text[512];
    write_system(text, sizeof text, pipeline, load, step);
    return solve_text(text);
}

static struct dlq_closed_forms forms_of(const char *text)
{
    struct dlq_bounds bounds = bounds_of(text);
    struct dlq_closed_forms forms;
    dlq_system_closed_forms(&good(text, "")->system, &bounds, &forms);
    return forms;
}

/* Fractions: solved by hand from the balance of 3, 6 and 12 states; the others by two independent programs. */
static void test_values(void)
{
    static const struct {
        const char *pipeline;
        double load, step, throughput, tolerance;
    } rows[] = {
        {"loaders=1\nprefetch=1", 1, 1, 2.0 / 3, 1e-11},
        {"loaders=2\nprefetch=1", 1, 1, 14.0 / 17, 1e-11},
        {"loaders=2\nprefetch=2", 0.2, 0.1, 370.0 / 53, 1e-11},
        {"loaders=2\nprefetch=2", 2.385e-5, 1.1925e-5, 370.0 / 53 / 1.1925e-4, 1e-11},
        {"loaders=1\nprefetch=256", 1, 1, 257.0 / 258, 1e-9},
        {"loader=pool\nloaders=1\nwindow=8", 1, 1, 9.0 / 10, 1e-11},
        {"loader=pytorch-unordered\nloaders=1\nwindow=15", 1, 1, 16.0 / 17, 1e-11},
        {"loader=dali\nloaders=1\nprefetch=1", 1, 1, 2.0 / 3, 1e-11},
        {"loaders=2\nwindow=4", 0.2, 0.1, 370.0 / 53, 1e-11},
        {"loader=grain\nloaders=2\nwindow=4", 0.2, 0.1, 370.0 / 53, 1e-11},
        {"loaders=4\nprefetch=1", 1, 0, 4 * 0.58, 2e-3},
        {"loaders=4\nprefetch=8", 1, 0, 4 * 0.896, 1e-3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double got = solve_pipeline(rows[i].pipeline, rows[i].load, rows[i].step).throughput;
        CHECK(test_relative(got, rows[i].throughput, rows[i].tolerance), "row %zu: %.15g, expected %.15g", i, got,
              rows[i].throughput);
    }
}

/* "exponential 0.2" */
static double mean_of(const char *total)
{
    return strncmp(total, "exponential ", 12) == 0 ? strtod(total + 12, NULL) : NAN;
}

/* The rows of reference.csv that are exact, to the eight digits that they have. */
static void test_reference(void)
{
    FILE *stream = fopen(TEST_DATA "/reference.csv", "r");
    char line[512], load[64], step[64], pipeline[64];
    int rows = 0;
    CHECK(stream != NULL, "no reference.csv");
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL) {
        char loaders[8], prefetch[8], throughput[32];
        if (sscanf(line, "exact,pytorch,%7[^,],%7[^,],%63[^,],%63[^,],1,%31[^,]", loaders, prefetch, load, step,
                   throughput) != 5)
            continue;
        snprintf(pipeline, sizeof pipeline, "loaders=%s\nprefetch=%s", loaders, prefetch);
        CHECK_REL(solve_pipeline(pipeline, mean_of(load), mean_of(step)).throughput, strtod(throughput, NULL), 2e-8);
        rows++;
    }
    CHECK_INT(rows, 10);
    if (stream != NULL)
        fclose(stream);
}

/* A dense solution of the same chain, written down from the rules anew: a list of states, the rates between them, and
   elimination (Grassmann, Taksar and Heyman 1985). */

enum { DENSE = 400, DENSE_LOADERS = 6 };

struct dense {
    int loaders, capacity[DENSE_LOADERS];
    int count;
    double rate[DENSE][DENSE];
};

/* The number of a state: m_0 .. m_{N-1} and, last, whether the trainer steps. */
static int number(const struct dense *dense, const int *finished, bool steps)
{
    int at = 0;
    for (int j = 0; j < dense->loaders; j++)
        at = at * (dense->capacity[j] + 1) + finished[j];
    return 2 * at + (steps ? 1 : 0);
}

/* The trainer asks: for what loader 0 has, or it waits. */
static int ask(const struct dense *dense, const int *finished)
{
    int after[DENSE_LOADERS];
    if (finished[0] == 0)
        return number(dense, finished, false);
    for (int j = 1; j < dense->loaders; j++)
        after[j - 1] = finished[j];
    after[dense->loaders - 1] = finished[0] - 1;
    return number(dense, after, true);
}

static void add_rates(struct dense *dense, const int *finished, double load, double step)
{
    int stepping = number(dense, finished, true);
    int waiting = number(dense, finished, false);
    dense->rate[stepping][ask(dense, finished)] += step;
    for (int j = 0; j < dense->loaders; j++) {
        int after[DENSE_LOADERS];
        if (finished[j] == dense->capacity[j])
            continue;
        memcpy(after, finished, sizeof after);
        after[j]++;
        dense->rate[stepping][number(dense, after, true)] += load;
        if (finished[0] == 0)
            dense->rate[waiting][j == 0 ? ask(dense, after) : number(dense, after, false)] += load;
    }
    if (finished[0] > 0)
        dense->rate[waiting][ask(dense, finished)] += step; /* never reached; it must lead somewhere */
}

static double dense_throughput(struct dense *dense, int loaders, int window, double load, double step)
{
    int finished[DENSE_LOADERS] = {0};
    *dense = (struct dense){.loaders = loaders, .count = 2};
    for (int j = 0; j < loaders; j++)
        for (int batch = j; batch < window; batch += loaders)
            dense->capacity[j]++;
    for (int j = 0; j < loaders; j++)
        dense->count *= dense->capacity[j] + 1;
    for (int j = 0; j >= 0;) {
        add_rates(dense, finished, 1 / load, 1 / step);
        for (j = loaders - 1; j >= 0 && ++finished[j] > dense->capacity[j]; j--)
            finished[j] = 0;
    }
    double shares[DENSE] = {1};
    for (int n = dense->count - 1; n > 0; n--) {
        double out = 0;
        for (int j = 0; j < n; j++)
            out += dense->rate[n][j];
        for (int i = 0; i < n; i++)
            dense->rate[i][n] /= out;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                dense->rate[i][j] += dense->rate[i][n] * dense->rate[n][j];
    }
    double sum = 1;
    double steps = 0;
    for (int n = 1; n < dense->count; n++) {
        for (int i = 0; i < n; i++)
            shares[n] += shares[i] * dense->rate[i][n];
        sum += shares[n];
    }
    for (int n = 1; n < dense->count; n += 2)
        steps += shares[n];
    return steps / sum / step;
}

/* Every window, multiples of N or not, fewer than N too; times from far apart to alike. */
static void test_elimination(void)
{
    static const double loads[] = {0.01, 0.5, 2.385, 40};
    FREED struct dense *dense = malloc(sizeof *dense);
    for (int loaders = 1; loaders <= 5 && dense != NULL; loaders++)
        for (int window = 1; window <= 7; window++)
            for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
                char pipeline[64], text[512];
                int most = loaders < window ? loaders : window;
                snprintf(pipeline, sizeof pipeline, "loaders=%d\nwindow=%d", loaders, window);
                write_system(text, sizeof text, pipeline, loads[i], 1);
                double want = dense_throughput(dense, most, window, loads[i], 1);
                double got = solve_text(text).throughput;
                CHECK(test_relative(got, want, 1e-10), "N=%d K=%d s=%g: %.15g, expected %.15g", loaders, window,
                      loads[i], got, want);
                double full = dense->count / 2.0;
                CHECK_REL(dlq_markov_size(&good(text, "")->system).states, full + full / (dense->capacity[0] + 1), 0);
            }
}

/* The limits: nothing waits where loads take nothing; the loaders' own rate where the step takes nothing and the window
   leaves one batch per round: E[max of N] = s H_N only for rounds, so X lies between; small waits keep their digits. */
static void test_limits(void)
{
    struct dlq_markov markov = solve_pipeline("loaders=4\nprefetch=2", 1e-6, 1);
    CHECK_REL(markov.throughput, 1, 1e-12);
    double before = INFINITY;
    for (int digits = 1; digits <= 11; digits++) {
        double now = 1 / solve_pipeline("loaders=5\nprefetch=2", 1, 3 * pow(10, -digits)).throughput;
        CHECK(now < before, "t = 3e-%d: not faster", digits);
        before = now;
    }
    CHECK_REL(1 / solve_pipeline("loaders=5\nprefetch=2", 1, 0).throughput, before, 1e-10);
}

/* One loader, one batch in flight: a batch loads while the one before it is trained on, X = 1/E[max(S, T)]; with T
   exponential of rate q, E[max] = s + t - t (1 - E[e^(-qS)]), and what is left of S is seen in each of its phases. */
static void check_waits(const char *law, const struct dlq_markov *found, const double *rate, const double *share,
                        bool alternatives)
{
    const double q = 10, times[] = {found->wait_p90, found->wait_p99};
    double transform = 0, mean = 0;
    for (int i = 0; i < 2; i++) {
        transform += share[i] * rate[i] / (rate[i] + q) * (alternatives ? 1 : rate[i] / (rate[i] + q));
        mean += share[i] * (alternatives ? 1 : 2) / rate[i];
    }
    CHECK(test_relative(1 / found->throughput, mean + 0.1 * transform, 1e-12), "%s: %.15g, expected %.15g", law,
          1 / found->throughput, mean + 0.1 * transform);
    CHECK_REL(found->wait_mean, mean + 0.1 * transform - 0.1, 1e-11);
    for (int k = 0; k < 2; k++) {
        double beyond = 0, x = times[k];
        for (int i = 0; i < 2; i++) {
            double asked = q / (q + rate[i]);
            double left = alternatives ? 1 : 1 + rate[i] * x + rate[i] / (q + rate[i]);
            beyond += share[i] * asked * left * exp(-rate[i] * x);
        }
        CHECK(test_relative(beyond, k == 0 ? 0.1 : 0.01, 1e-9), "%s: P(W > %g) = %.12g", law, x, beyond);
    }
}

static void test_waits(void)
{
    static const char step[] = "[step]\ndistribution=exponential\nmean=0.1s\n";
    static const char head[] = "[pipeline]\nloaders=1\nprefetch=1\n[load]\nmean=0.7s\n";
    struct dlq_markov markov;
    char text[300];
    snprintf(text, sizeof text, "%sdistribution=exponential\n%s", head, step);
    markov = solve_text(text);
    CHECK_REL(markov.wait_p50, 0.7 * log(7.0 / 8 / 0.5), 1e-12);
    CHECK_REL(markov.stalled, 7.0 / 8 * exp(-1e-4 / 0.7), 1e-13);
    snprintf(text, sizeof text, "%sdistribution=erlang\nstages=2\n%s", head, step);
    markov = solve_text(text);
    check_waits("erlang", &markov, (const double[]){2 / 0.7, 2 / 0.7}, (const double[]){1, 0}, false);
    snprintf(text, sizeof text, "%sdistribution=hyperexponential\ncv=2\n%s", head, step);
    double root = sqrt(3.0 / 5);
    markov = solve_text(text);
    check_waits("hyperexponential", &markov, (const double[]){(1 + root) / 0.7, (1 - root) / 0.7},
                (const double[]){(1 + root) / 2, (1 - root) / 2}, true);
}

/* One phase, or alternatives alike but for rounding, are exponential; more stages are faster, and a larger cv slower,
   within the bounds; a window of one batch leaves no order, so that both chains must agree. */
static void test_phases(void)
{
    static const char *const loaders[] = {"pytorch\nloaders=3\nprefetch=2", "pytorch\nloaders=4\nwindow=7",
                                          "pool\nloaders=3\nprefetch=2", "pool\nloaders=4\nwindow=3"};
    static const char *const laws[] = {
        "erlang\nstages=5",       "erlang\nstages=2",         "erlang\nstages=1",       "exponential",
        "hyperexponential\ncv=1", "hyperexponential\ncv=1.5", "hyperexponential\ncv=3", "hyperexponential\ncv=20x"};
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++)
        for (int of_step = 0; of_step < 2; of_step++) {
            double before = INFINITY;
            for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
                char text[400];
                snprintf(
                    text, sizeof text,
                    "[pipeline]\nloader=%s\n[load]\ndistribution=%s\nmean=0.3s\n[step]\ndistribution=%s\nmean=0.1s\n",
                    loaders[i], of_step ? "erlang\nstages=2" : laws[k], of_step ? laws[k] : "erlang\nstages=2");
                struct dlq_bounds bounds = bounds_of(text);
                const struct dlq_markov markov = solve_text(text);
                if (k >= 2 && k <= 4)
                    CHECK(k == 2 || test_relative(markov.throughput, before, 1e-10), "%s: %g", text, before);
                else
                    CHECK(markov.throughput < before, "%s: %.12g after %.12g", text, markov.throughput, before);
                CHECK(bounds.lower <= markov.throughput * (1 + 1e-9) && markov.throughput <= bounds.upper,
                      "%s: %g <= %g <= %g", text, bounds.lower, markov.throughput, bounds.upper);
                before = markov.throughput;
            }
        }
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        double found[2] = {0, 1};
        for (int pool = 0; pool < 2; pool++) {
            char text[400];
            snprintf(text, sizeof text,
                     "[pipeline]\nloader=%s\nloaders=2\nwindow=1\n[load]\ndistribution=%s\nmean=0.3s\n[step]\n"
                     "distribution=hyperexponential\ncv=2\nmean=0.1s\n",
                     pool ? "pool" : "pytorch", laws[k]);
            found[pool] = solve_text(text).throughput;
        }
        CHECK_REL(found[0], found[1], 1e-12);
    }
}

#define LAWS(load, step) "[load]\n" load "\n[step]\n" step "\n"
#define EXPONENTIAL LAWS("distribution=exponential\nmean=0.7s", "distribution=exponential\nmean=0.1s")

static void test_refusals(void)
{
    static const struct {
        const char *text, *why; /* null: there is a chain */
    } rows[] = {
        {"[pipeline]\nloaders=4\n[overheads]\nstartup=3s\nbarrier=1s\n" EXPONENTIAL, NULL},
        {"[pipeline]\nloaders=4\nslow_loaders=1\n" EXPONENTIAL, NULL},
        {"[pipeline]\nloaders=4\n[host]\ncores=4\n" LAWS("distribution=exponential\nmean=0.7s\nuses=cpu", "mean=0"),
         NULL},
        {"[pipeline]\nloaders=3\nloader=dali\n" EXPONENTIAL, NULL},
        {"[pipeline]\nloaders=4\nloader=pool-ordered\n" EXPONENTIAL, "for this loader"},
        {"[pipeline]\nloaders=4\nloader=pytorch-unordered\n" EXPONENTIAL, "for this loader"},
        {"[pipeline]\nloaders=1\nloader=mxnet\n" EXPONENTIAL, "for this loader"},
        {"[pipeline]\nloaders=1\nloader=tfdata\n" EXPONENTIAL, "for this loader"},
        {"[pipeline]\nloaders=0\n" EXPONENTIAL, "for this loader"},
        {"[pipeline]\nloaders=4\nwindow=unbounded\n" EXPONENTIAL, "unbounded window"},
        {"[pipeline]\nloaders=4\n" LAWS("mean=0.7s", "distribution=exponential\nmean=0.1s"), "for this load"},
        {"[pipeline]\nloaders=4\n" LAWS("mean=0.7s\ndistribution=exponential\nprobability=50%", "mean=0"),
         "for this load"},
        {"[pipeline]\nloaders=4\nbatch_size=2\n" LAWS("mean=0.7s\ndistribution=exponential\nper=sample", "mean=0"),
         "for this load"},
        {"[pipeline]\nloaders=4\n" LAWS("distribution=exponential\nmean=0.7s", "mean=0.1s"), "for this step"},
        {"[pipeline]\nloaders=4\n" LAWS("distribution=hyperexponential\ncv=51x\nmean=0.7s", "mean=0"), "cv 50 at most"},
        {"[pipeline]\nloaders=4\n" LAWS("distribution=gamma\ncv=0.5\nmean=0.7s", "mean=0"), "for this load"},
        {"[pipeline]\nloaders=8\n" LAWS("distribution=erlang\nstages=9\nmean=0.7s", "mean=0"), "states is too large"},
        {"[pipeline]\nloader=pool\nloaders=40\n" LAWS("distribution=erlang\nstages=9\nmean=0.7s", "mean=0"),
         "states is too large"},
        {"[pipeline]\nloaders=4\n[overheads]\nreceive=1ms\n" EXPONENTIAL, "for overheads"},
        {"[pipeline]\nloaders=4\n[overheads]\npin_time=1ms\n" EXPONENTIAL, "for overheads"},
        {"[pipeline]\nloaders=4\nranks=2\n" EXPONENTIAL, "for several ranks"},
        {"[pipeline]\nloaders=4\nepoch_batches=50\n" EXPONENTIAL, "for epochs"},
        {"[pipeline]\nloaders=4\nslow_loaders=1\nslow_factor=2\n" EXPONENTIAL, "for slow loaders or ranks"},
        {"[pipeline]\nloaders=4\nslow_ranks=1\nslow_factor=2\n" EXPONENTIAL, "for slow loaders or ranks"},
        {"[pipeline]\nloaders=4\n[host]\ncores=2\n" LAWS("distribution=exponential\nmean=0.7s\nuses=cpu", "mean=0"),
         "share cores"},
        {"[pipeline]\nloaders=20\nprefetch=2\n" EXPONENTIAL, "states is too large"},
        {"[pipeline]\nloaders=2\nprefetch=129\n" EXPONENTIAL, "states is too large"},
        {"[pipeline]\nloaders=4096\nprefetch=4096\n" EXPONENTIAL, "states is too large"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        struct dlq_markov markov = {.throughput = -77};
        struct built *built = good(rows[i].text, "");
        const char *why = rows[i].why;
        enum dlq_status status = dlq_markov_solve(&built->system, NULL, &markov, &error);
        CHECK(status == (why == NULL ? DLQ_OK : DLQ_INVALID), "row %zu: status %d", i, (int)status);
        CHECK(why == NULL || strstr(error.text, why) != NULL, "row %zu: '%s'", i, error.text);
        CHECK((why == NULL) == (markov.throughput != -77), "row %zu: touched", i);
    }
    const volatile sig_atomic_t interrupted = 1;
    struct dlq_error error = {0};
    struct dlq_markov markov = {.throughput = -77};
    CHECK_INT(dlq_markov_solve(&good("[pipeline]\nloaders=4\n", EXPONENTIAL)->system, &interrupted, &markov, &error),
              DLQ_INTERRUPTED);
    CHECK(markov.throughput == -77 && error.count == 0, "touched: %s", error.text);
}

/* -- closed forms: values by hand, none where they do not apply -- */

#define BOTH_EXPONENTIAL(pipeline, load, step)                                                                         \
    "[pipeline]\n" pipeline "\n[load]\ndistribution=exponential\nmean=" load "\n[step]\ndistribution=exponential\n"    \
    "mean=" step "\n"

#define PINNED(cv)                                                                                                     \
    "[pipeline]\nloaders=4\n[overheads]\npin_time=1us\n[load]\ndistribution=lognormal\nmean=0.4s\ncv=" cv              \
    "\n[step]\nmean=0.1s\n"

#define ANY -1.0

/* NAN: there is none; ANY: one that is not asserted here. Product form: exact solutions of the chain; 9.1679244,
   9.7652373, 2/3 and 9.713319422, 5.311 are published with the model. Release at request, by the chain's own balance: N
   = 2, K = 4, s = 0.2, t = 0.1: weights s/(t min(j, 2)) = 2, 1, 1, 1, 1 for j = 1..5, shares 1 : 2 : 2 : 2 : 2 : 2, X =
   10 (1 - 2/11). Without a lower bound the diffusion is 1/t - v/(2K) = 10 - 10 cv^2/16: below 0 from cv = 4 on. */
static const struct {
    const char *text;
    double product_form, diffusion, autotune;
    bool exact;
} forms_by_hand[] = {
    {BOTH_EXPONENTIAL("loader=pool\nloaders=7", "0.7s", "0.1s"), 9.1679244, 9.285714286, 9.375, true},
    {BOTH_EXPONENTIAL("loader=pool\nloaders=12", "1.1s", "0.1s"), 9.7652373, ANY, ANY, true},
    {BOTH_EXPONENTIAL("loader=dataloaders.jl\nloaders=7", "0.7s", "0.1s"), 9.1679244, ANY, ANY, true},
    {BOTH_EXPONENTIAL("loader=pool\nloaders=1\nprefetch=1", "1s", "1s"), 2.0 / 3, NAN, 2.0 / 3, true},
    {BOTH_EXPONENTIAL("loader=pytorch\nloaders=1\nprefetch=1", "1s", "1s"), 2.0 / 3, NAN, 2.0 / 3, true},
    {BOTH_EXPONENTIAL("loader=pytorch\nloaders=4", "0.4s", "0.1s"), ANY, 8.75, 9, false},
    {BOTH_EXPONENTIAL("loader=pytorch\nloaders=7", "0.7s", "0.1s"), 9.1679244, 9.285714286, 9.375, false},
    {BOTH_EXPONENTIAL("loader=pytorch\nloaders=7\nprefetch=1", "0.7s", "0.1s"), ANY, NAN, ANY, false},
    {BOTH_EXPONENTIAL("loader=tfdata\nloaders=7", "0.7s", "0.1s"), ANY, NAN, ANY, false},
    {BOTH_EXPONENTIAL("loader=serial\nloaders=0", "0.7s", "0.1s"), NAN, NAN, NAN, false},
    {BOTH_EXPONENTIAL("loader=pool\nloaders=8\nwindow=3", "0.5s", "0.1s"), 5.31132783, NAN, ANY, true},
    {BOTH_EXPONENTIAL("loader=dali\nloaders=4\nprefetch=1", "4s", "1s"), 2.0 / 3, NAN, 2.0 / 3, true},
    {BOTH_EXPONENTIAL("loader=pool\nloaders=4\nwindow=unbounded", "0.5s", "0.1s"), 8, 8, 8, true},
    {BOTH_EXPONENTIAL("loader=pool\nloaders=8\nwindow=unbounded", "0.5s", "0.1s"), 10, 10, 10, true},
    {BOTH_EXPONENTIAL("loader=pool\nloaders=4\nranks=2", "0.4s", "0.1s"), ANY, 8.75, 9, false},
    {BOTH_EXPONENTIAL("loader=pool\nloaders=4\nepoch_batches=50", "0.4s", "0.1s"), ANY, 8.75, 9, false},
    {BOTH_EXPONENTIAL("loader=pool\nloaders=8", "0.7s", "0.1s"), 9.713319422, ANY, ANY, true},
    {BOTH_EXPONENTIAL("loader=mxnet\nloaders=2", "0.2s", "0.1s"), 90.0 / 11, ANY, ANY, false},
    {BOTH_EXPONENTIAL("loader=tfdata-unordered\nloaders=1\nprefetch=1", "1s", "1s"), 3.0 / 4, ANY, ANY, true},
    {BOTH_EXPONENTIAL("loader=pool\nloaders=4096\nprefetch=64", "4000s", "0.01s"), 1.024, ANY, ANY, true},
    {BOTH_EXPONENTIAL("loader=pool\nloaders=4096\nprefetch=64", "1ms", "1s"), 1, ANY, ANY, true},
    {"[pipeline]\nloader=pool\nloaders=4\n[load]\nmean=0.5s\n[step]\nmean=0\n", 8, NAN, 8, false},
    {"[pipeline]\nloader=pool\nloaders=4\nwindow=3\n[load]\nmean=0.5s\n[step]\nmean=0\n", 6, NAN, 8, false},
    {"[pipeline]\nloader=pool\nloaders=4\n[load]\nmean=0.5s\n[step]\nmean=0.1s\n", ANY, 8, ANY, false},
    {"[pipeline]\nloader=pool\nloaders=8\n[load]\nmean=0.5s\n[step]\nmean=0.1s\n", ANY, 10, ANY, false},
    {"[pipeline]\nloader=pool\nloaders=8\n[load]\ndistribution=pareto\nalpha=1.8\nmean=0.5s\n[step]\nmean=0.1s\n", ANY,
     NAN, ANY, false},
    {"[pipeline]\nloader=pool\nloaders=1\nprefetch=1\n[load]\nmean=0.2s\n[step]\nmean=0.1s\n", ANY, NAN, 30.0 / 7,
     false},
    {PINNED("3.9"), ANY, ANY, ANY, false},
    {PINNED("4.1"), ANY, NAN, ANY, false},
};

static void test_forms(void)
{
    int solved = 0;
    for (size_t i = 0; i < sizeof forms_by_hand / sizeof *forms_by_hand; i++) {
        const struct dlq_closed_forms forms = forms_of(forms_by_hand[i].text);
        const double wanted[] = {forms_by_hand[i].product_form, forms_by_hand[i].diffusion, forms_by_hand[i].autotune};
        const double found[] = {forms.product_form.value, forms.diffusion.value, forms.autotune.value};
        for (int k = 0; k < 3; k++)
            CHECK(isnan(wanted[k])   ? isnan(found[k])
                  : wanted[k] == ANY ? isfinite(found[k])
                                     : test_relative(found[k], wanted[k], 1e-8),
                  "form %d = %.12g, expected %.12g\n%s", k, found[k], wanted[k], forms_by_hand[i].text);
        CHECK(forms.product_form.exact == forms_by_hand[i].exact, "exact: %d\n%s", forms.product_form.exact,
              forms_by_hand[i].text);
        /* A pool with exponential times is a closed network of queues: another road to the chain's answer. */
        struct dlq_markov markov;
        if (forms.product_form.exact &&
            dlq_markov_solve(&good(forms_by_hand[i].text, "")->system, NULL, &markov, NULL) == DLQ_OK)
            solved++, CHECK_REL(markov.throughput, forms.product_form.value, 1e-10);
        CHECK(!forms.diffusion.exact && !forms.autotune.exact && isnan(forms.markov.value), "%s",
              forms_by_hand[i].text);
    }
    CHECK(solved >= 7, "%d by the chain, too", solved);
}

/* The diffusion is smooth through s = N t: nothing jumps where the drift changes sign. */
static void test_diffusion_smooth(void)
{
    double before = NAN;
    for (int i = -20; i <= 20; i++) {
        char text[256];
        snprintf(text, sizeof text, BOTH_EXPONENTIAL("loader=pool\nloaders=4", "%.17gs", "0.1s"),
                 0.4 * (1 + i * (i % 2 == 0 ? 1e-12 : 1e-9)));
        double now = forms_of(text).diffusion.value;
        CHECK_REL(now, 8.75, 1e-7);
        CHECK(isnan(before) || fabs(now - before) < 1e-6, "jump to %.12g", now);
        before = now;
    }
}

TEST_SUITE(markov, CASE(test_values), CASE(test_reference), CASE(test_elimination), CASE(test_limits), CASE(test_waits),
           CASE(test_phases), CASE(test_refusals), CASE(test_forms), CASE(test_diffusion_smooth));
