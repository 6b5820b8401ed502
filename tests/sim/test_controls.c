/* Control variates of the simulation: what they sum up, that their mean is 0, and how much variance they explain. */
#include "sim/controls.h"
#include "systems.h"

enum { BATCHES = 600, WARMUP = 50, ROWS = WARMUP + BATCHES + 30 };

static const char *const loads[] = {
    "distribution = exponential\n",
    "distribution = gamma\ncv = 0.385\n",
    "distribution = gamma\ncv = 2.385\n",
    "cv = 1.385\n",
    "distribution = weibull\nshape = 0.8\n",
    "distribution = pareto\nalpha = 3.1\n",
    "distribution = normal\ncv = 0.285\n",
    "distribution = uniform\nmin = 0.1s\nmax = 0.9s\n",
    "distribution = hyperexponential\ncv = 2.1\n",
    "cv = 0.7\nprobability = 37%\n",
    "cv = 0.7\nper = sample\n",
    "cv = 1.1\nper = sample\nprobability = 9%\n",
    "[load.b]\nmean = 0.7s\ncv = 1\nprobability = 5%\n[load.c]\nmean = 0.1s\ncv = 2\nper = sample\nprobability = 50%\n",
};

/* A system with that load, and what is expected of its draws. */
struct drawn {
    struct built built;
    struct dlq_source load, step;
    struct dlq_expectations expectations;
    bool whole;
    struct dlq_arena arena;
};

static void begin(struct drawn *drawn, const char *load, const char *step, long batch_size)
{
    char text[700];
    bool uniform = strstr(load, "min =") != NULL;
    snprintf(text, sizeof text, "[pipeline]\nloaders = 2\nbatch_size = %ld\n[step]\nmean = 0.1s\n%s[load%s]\n%s%s",
             batch_size, step, strstr(load, "[load") != NULL ? ".a" : "", uniform ? "" : "mean = 0.5s\n", load);
    *drawn = (struct drawn){.arena = {.doing = "drawing"}};
    drawn->whole = build(&drawn->built, text) &&
                   dlq_source_begin(&drawn->load, &drawn->built.system.load, DLQ_PURPOSE_LOAD, DLQ_SAMPLER_FAST,
                                    DLQ_PORTABLE, NULL) == DLQ_OK &&
                   dlq_source_begin(&drawn->step, &drawn->built.system.step, DLQ_PURPOSE_STEP, DLQ_SAMPLER_FAST,
                                    DLQ_PORTABLE, NULL) == DLQ_OK &&
                   dlq_expectations_begin(&drawn->expectations, &drawn->load, &drawn->step, true,
                                          dlq_instructions_best(), NULL) == DLQ_OK;
    CHECK(drawn->whole, "no draws:\n%s", text);
}

static void end(struct drawn *drawn)
{
    dlq_arena_end(&drawn->arena);
    dlq_expectations_free(&drawn->expectations);
    dlq_source_free(&drawn->load);
    dlq_source_free(&drawn->step);
    built_free(&drawn->built);
}

static const struct dlq_extent extent = {.warmup = WARMUP, .batches = BATCHES, .horizon = INFINITY};

/* Draws of `lanes` replications, with slack that depends on the draws before. */
struct field {
    double *loads, *steps, *slack;
};

static bool make_field(struct field *field, struct drawn *drawn, size_t lanes, uint32_t replication, size_t rank)
{
    struct dlq_draws load, step;
    double *memory = calloc(3 * ROWS * lanes, sizeof *memory);
    *field = (struct field){memory, memory + ROWS * lanes, memory + 2 * ROWS * lanes};
    if (memory == NULL || dlq_draws_begin(&drawn->arena, &load, &drawn->load, lanes, rank + 1) != DLQ_OK ||
        dlq_draws_begin(&drawn->arena, &step, &drawn->step, lanes, 1) != DLQ_OK)
        return false;
    dlq_draws_start(&load, 5, replication);
    dlq_draws_start(&step, 5, replication);
    dlq_draws_next(&load, rank, ROWS, field->loads, NULL, NULL);
    dlq_draws_next(&step, 0, ROWS, field->steps, NULL, NULL);
    for (size_t k = lanes; k < ROWS * lanes; k++)
        field->slack[k] = 0.5 * (3 * field->loads[k - lanes] + field->slack[k - lanes] - 2);
    return true;
}

static void add(struct dlq_controls *controls, size_t rank, long index, size_t n, const struct field *field, size_t at)
{
    dlq_controls_add_draws(controls, DLQ_CONTROL_LOAD, rank, index, n, field->loads + at);
    if (rank == 0)
        dlq_controls_add_draws(controls, DLQ_CONTROL_STEP, 0, index, n, field->steps + at);
    dlq_controls_add_slack(controls, rank, index, n, field->loads + at, field->slack + at, 0.5);
}

/* Means over replications are 0 within 4.5 standard errors: for every family, for sums of stages and of samples. */
static void expectations(void)
{
    enum { LANES = 16, CALLS = 25 };
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct drawn drawn;
        begin(&drawn, loads[i], "distribution = gamma\ncv = 0.6\n", i % 2 == 0 ? 8 : 100);
        double sum[DLQ_CONTROLS] = {0}, squares[DLQ_CONTROLS] = {0};
        for (uint32_t call = 0; drawn.whole && call < CALLS; call++) {
            struct field field;
            struct dlq_controls controls;
            bool ready = make_field(&field, &drawn, LANES, call * LANES, 0) &&
                         dlq_controls_begin(&drawn.arena, &controls, &drawn.expectations, &extent, LANES, 1) == DLQ_OK;
            CHECK(ready, "no memory");
            add(&controls, 0, 0, ROWS, &field, 0);
            for (size_t lane = 0; lane < LANES; lane++) {
                double values[DLQ_CONTROLS] = {0};
                dlq_controls_get(&controls, lane, values);
                for (size_t k = 0; k < DLQ_CONTROLS; k++) {
                    sum[k] += values[k];
                    squares[k] += values[k] * values[k];
                }
            }
            free(field.loads);
        }
        for (size_t k = 0; k < DLQ_CONTROLS; k++)
            CHECK(squares[k] > 0 && fabs(sum[k]) < 4.5 * sqrt(squares[k]), "%scontrol %zu: mean %g +- %g", loads[i], k,
                  sum[k] / (LANES * CALLS), sqrt(squares[k]) / (LANES * CALLS));
        end(&drawn);
    }
}

/* Sums of two ranks are the same to the bit lane by lane and together, in one block and in pieces, by every instruction
   set of this processor; what lies outside of the range does not count. */
static void layouts(void)
{
    enum { LANES = 19, PIECE = 77 };
    static const struct dlq_control_sums *const sets[] = DLQ_SETS(&dlq_control_sums);
    struct drawn drawn;
    begin(&drawn, loads[3], "distribution = exponential\n", 1);
    struct field wide[2];
    struct dlq_controls together[DLQ_INSTRUCTION_SETS];
    bool ready = make_field(&wide[0], &drawn, LANES, 0, 0) && make_field(&wide[1], &drawn, LANES, 0, 1);
    for (enum dlq_instructions set = DLQ_PORTABLE; ready && set < DLQ_INSTRUCTION_SETS; set++) {
        drawn.expectations.sums = sets[dlq_instructions_available(set) ? set : DLQ_PORTABLE];
        ready = dlq_controls_begin(&drawn.arena, &together[set], &drawn.expectations, &extent, LANES, 2) == DLQ_OK;
        for (size_t at = 0; ready && at < ROWS; at += PIECE)
            for (size_t rank = 0; rank < 2; rank++)
                add(&together[set], rank, (long)at, ROWS - at < PIECE ? ROWS - at : PIECE, &wide[rank], at * LANES);
    }
    CHECK(ready, "no memory");
    drawn.expectations.sums = sets[DLQ_PORTABLE];
    for (size_t lane = 0; ready && lane < LANES; lane++) {
        struct field narrow[2];
        struct dlq_controls alone;
        double one[DLQ_CONTROLS] = {0};
        CHECK(make_field(&narrow[0], &drawn, 1, (uint32_t)lane, 0) &&
                  make_field(&narrow[1], &drawn, 1, (uint32_t)lane, 1) &&
                  dlq_controls_begin(&drawn.arena, &alone, &drawn.expectations, &extent, 1, 2) == DLQ_OK,
              "no memory");
        for (size_t rank = 0; rank < 2; rank++)
            add(&alone, rank, WARMUP, BATCHES, &narrow[rank], WARMUP);
        dlq_controls_get(&alone, 0, one);
        for (size_t set = 0; set < DLQ_INSTRUCTION_SETS; set++) {
            double all[DLQ_CONTROLS] = {0};
            dlq_controls_get(&together[set], lane, all);
            for (size_t k = 0; k < DLQ_CONTROLS; k++)
                CHECK(one[k] == all[k] && one[k] != 0, "set %zu, lane %zu, control %zu: %.17g, alone %.17g", set, lane,
                      k, all[k], one[k]);
        }
        free(narrow[0].loads);
        free(narrow[1].loads);
    }
    free(wide[0].loads);
    free(wide[1].loads);
    end(&drawn);
}

/* Loads of slow servers count by what they take, in turn and anew in each epoch; in one block and in pieces. */
static void slow_servers(void)
{
    enum { LANES = 3, PIECE = 77, EPOCH = 100 };
    const struct dlq_point point = {
        .discipline = DLQ_ROUND_ROBIN, .servers = 7, .slow_servers = 2, .slow_factor = 1.7, .epoch = EPOCH};
    struct drawn drawn;
    struct field field;
    struct dlq_controls whole, pieces;
    begin(&drawn, loads[3], "distribution = exponential\n", 1);
    bool ready = make_field(&field, &drawn, LANES, 0, 0) &&
                 dlq_controls_begin(&drawn.arena, &whole, &drawn.expectations, &extent, LANES, 1) == DLQ_OK &&
                 dlq_controls_begin(&drawn.arena, &pieces, &drawn.expectations, &extent, LANES, 1) == DLQ_OK;
    CHECK(ready, "no memory");
    dlq_controls_weigh(&whole, &point);
    dlq_controls_weigh(&pieces, &point);
    add(&whole, 0, 0, ROWS, &field, 0);
    for (size_t at = 0; at < ROWS; at += PIECE)
        add(&pieces, 0, (long)at, ROWS - at < PIECE ? ROWS - at : PIECE, &field, at * LANES);
    for (size_t lane = 0; lane < LANES; lane++) {
        double one[DLQ_CONTROLS] = {0}, many[DLQ_CONTROLS] = {0}, sum = 0;
        for (size_t i = WARMUP; i < WARMUP + BATCHES; i++)
            sum += (i % EPOCH % 7 < 2 ? 1.7 : 1) * (field.loads[i * LANES + lane] - 1);
        dlq_controls_get(&whole, lane, one);
        dlq_controls_get(&pieces, lane, many);
        CHECK_ABS(one[DLQ_CONTROL_LOAD], sum / BATCHES, 1e-13);
        for (size_t k = 0; k < DLQ_CONTROLS; k++)
            CHECK(one[k] == many[k] && one[k] != 0, "lane %zu, control %zu: %.17g, in pieces %.17g", lane, k, one[k],
                  many[k]);
    }
    free(field.loads);
    end(&drawn);
}

/* No control where nothing varies, where the variance is infinite, or within a horizon. */
static void none(void)
{
    static const struct {
        const char *load, *step;
        bool by_load, by_step;
    } rows[] = {
        {"distribution = constant\n", "distribution = exponential\n", false, true},
        {"distribution = pareto\nalpha = 1.9\n", "distribution = constant\n", false, false},
        {"cv = 1\n", "distribution = pareto\nalpha = 1.5\n", true, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drawn drawn;
        begin(&drawn, rows[i].load, rows[i].step, 1);
        CHECK(drawn.expectations.load == rows[i].by_load && drawn.expectations.wait == rows[i].by_load &&
                  drawn.expectations.step == rows[i].by_step,
              "row %zu: %d %d %d", i, drawn.expectations.load, drawn.expectations.wait, drawn.expectations.step);
        end(&drawn);
    }
    struct dlq_simulation result =
        simulate_text("[pipeline]\nloaders = 4\n[load]\nmean = 400ms\ncv = 1\n[step]\nmean = 100ms\n[simulate]\n"
                      "horizon = 60s\nreplications = 32\n");
    CHECK(isnan(result.variance_reduction), "a horizon: %g", result.variance_reduction);
}

/* N = 8, p = 2: loaders four and two times too slow, at the knee, and fast enough. */
static void reductions(void)
{
    static const char *const families[] = {"cv = 1\n", "distribution = exponential\n"};
    static const char *const steps[] = {"", "distribution = exponential\n"};
    static const double means[] = {3.2, 1.6, 0.8, 0.48, 0.32, 0.2};
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++)
            for (size_t k = 0; k < sizeof means / sizeof *means; k++) {
                char text[400];
                snprintf(text, sizeof text,
                         "[pipeline]\nloaders = 8\n[load]\nmean = %gs\n%s[step]\nmean = 100ms\n%s"
                         "[simulate]\nbatches = 1500\nreplications = 96\nprecision = 0\n",
                         means[k], families[i], steps[j]);
                struct dlq_simulation result = simulate_text(text);
                CHECK(result.variance_reduction > 12, "U = %g: variance / %g\n%s", result.utilization.value,
                      result.variance_reduction, text);
            }
}

/* With other loaders, overheads, slow loaders, ticks and epochs, against the sums of loads and steps alone. */
static void other_systems(void)
{
    static const struct {
        const char *text;
        double least;
    } rows[] = {
        {"loader = pool-ordered\nloaders = 8\n", 12},
        {"loader = tfdata\nloaders = 8\n", 8},
        {"loader = mxnet\nloaders = 8\n", 12},
        {"loader = keras\nloaders = 8\n", 12},
        {"loader = pool\nloaders = 4\n", 12},
        {"loaders = 8\nslow_loaders = 2\nslow_factor = 1.7\n", 12},
        {"loaders = 8\nepoch_batches = 100\n", 8},
        {"loaders = 8\n[simulate]\nresolution = 50ms\n", 12},
        {"loaders = 8\n[overheads]\ndispatch = 5ms\ndeliver = 9ms\nreceive = 7ms\n", 12},
        {"loaders = 0\n", 1e6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "[load]\nmean = 900ms\ndistribution = exponential\n[step]\nmean = 100ms\n[simulate]\n"
                 "batches = 1500\nreplications = 64\nprecision = 0\n[pipeline]\n%s",
                 rows[i].text);
        struct dlq_simulation result = simulate_text(text);
        CHECK(result.variance_reduction > rows[i].least, "variance / %g\n%s", result.variance_reduction, rows[i].text);
    }
}

TEST_SUITE(controls, CASE(expectations), CASE(layouts), CASE(slow_servers), CASE(none), CASE(reductions),
           CASE(other_systems));
