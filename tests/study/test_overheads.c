/* Overheads that a run was simulated with are found in its trace. */
#include "traces.h"

struct known {
    double dispatch, deliver, receive, step;
    double (*load)(long index, long worker, long busy, double draw);
    bool by_completion;
};

static const struct known runs[] = {
    {0.0003, 0.0009, 0.0006, 0.02, law_mild, false},
    {0.003, 0.009, 0.006, 0.02, law_mild, false},
    {0.0003, 0.0009, 0.0006, 0.02, law_exponential, false},
    {0.0003, 0.0009, 0.0006, 0.02, law_mild, true},
    {0, 0.0009, 0.0006, 0.02, law_mild, false},
    {0.0003, 0, 0.0006, 0.02, law_mild, false},
    {0.0003, 0.0009, 0, 0.02, law_mild, false},
    {0, 0, 0, 0.02, law_mild, false},
};

static struct run run_of(const struct known *known)
{
    return (struct run){.workers = 5,
                        .prefetch = 2,
                        .batches = 400,
                        .dispatch = known->dispatch,
                        .deliver = known->deliver,
                        .receive = known->receive,
                        .step = known->step,
                        .load = known->load,
                        .by_completion = known->by_completion,
                        .startup = 0.07,
                        .epochs = 2,
                        .seed = 5};
}

static void check_found(const struct dlq_measured_overheads *found, const struct known *known, double tolerance,
                        const char *what)
{
    CHECK(fabs(found->dispatch - known->dispatch) <= tolerance, "%s: dispatch %g, %g", what, found->dispatch,
          known->dispatch);
    CHECK(fabs(found->deliver - known->deliver) <= tolerance, "%s: deliver %g, %g", what, found->deliver,
          known->deliver);
    CHECK(fabs(found->receive - known->receive) <= tolerance, "%s: receive %g, %g", what, found->receive,
          known->receive);
    CHECK(found->barrier == 0, "%s: barrier %g with one rank", what, found->barrier);
}

static void found_again(void)
{
    static struct run run;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct dlq_error error = {0};
        struct dlq_replay replay = {0};
        char what[32];
        run = run_of(&runs[i]);
        snprintf(what, sizeof what, "run %zu", i);
        simulate(&run);
        CHECK(replay_trace(trace_of_run(&run, 0), no_hint, &replay, &error) == DLQ_OK, "%s", error.text);
        check_found(&replay.overheads, &runs[i], 2e-6 + 0.01 * runs[i].deliver, what);
        CHECK_REL(replay.overheads.startup, 0.07, 1e-4);
    }
}

/* A pause of seconds in the trainer, in a worker, in a delivery: each once. */
static void outliers_do_not_matter(void)
{
    static struct run run;
    struct dlq_error error = {0};
    struct dlq_replay replay = {0};
    run = run_of(&runs[0]);
    run.epochs = 1;
    simulate(&run);
    for (long i = 200; i < run.count; i++) {
        struct row *row = &run.rows[i];
        double *const times[] = {&row->dispatched, &row->load_start, &row->load_end,
                                 &row->request,    &row->received,   &row->step_end};
        for (size_t k = 0; k < sizeof times / sizeof *times; k++)
            if (*times[k] > run.rows[200].request)
                *times[k] += 4.7;
    }
    CHECK(replay_trace(trace_of_run(&run, 0), no_hint, &replay, &error) == DLQ_OK, "%s", error.text);
    check_found(&replay.overheads, &runs[0], 1e-4, "with a pause");
}

/* Of the real thing, in ms: 0.1..0.4, under 10, 0.2..1.5 (tiny tensors). */
static void recorded(void)
{
    static const char *const names[] = {"cases/n8_p2_exp_r1", "cases/n16_p2_logn1_r0.9", "cases/n4_p4_pareto2.5_r2",
                                        "indep/n8_p4_bimodal0.05-40_r1_s139"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct dlq_error error = {0};
        struct dlq_replay replay = {0};
        CHECK(replay_trace(trace_of_file(names[i]), no_hint, &replay, &error) == DLQ_OK, "%s", error.text);
        const struct dlq_measured_overheads *found = &replay.overheads;
        CHECK(found->dispatch > 2e-5 && found->dispatch < 5e-4, "%s: dispatch %g", names[i], found->dispatch);
        CHECK(found->deliver > 1e-4 && found->deliver < 5e-3, "%s: deliver %g", names[i], found->deliver);
        CHECK(found->receive > 2e-4 && found->receive < 2e-3, "%s: receive %g", names[i], found->receive);
    }
}

static const struct test_case cases[] = {
    {"found again", found_again},
    {"outliers do not matter", outliers_do_not_matter},
    {"recorded", recorded},
    {NULL, NULL},
};

const struct test_suite suite_overheads = {"overheads", cases};
