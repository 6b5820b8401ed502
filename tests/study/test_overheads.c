/* Overheads that a run was simulated with are found in its trace. */
#include "traces.h"

struct known {
    double dispatch, deliver, receive, step;
    load_law *load;
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
    struct run run = usual_run(known->load, known->step, 5);
    run.workers = 5;
    run.dispatch = known->dispatch;
    run.deliver = known->deliver;
    run.receive = known->receive;
    run.by_completion = known->by_completion;
    run.gap = 0;
    run.startup = 0.07;
    run.epochs = 2;
    return run;
}

static void check_found(const struct dlq_measured_overheads *found, const struct known *known, double tolerance,
                        const char *what)
{
    const double pairs[][2] = {
        {found->dispatch, known->dispatch}, {found->deliver, known->deliver}, {found->receive, known->receive}};
    for (size_t i = 0; i < 3; i++)
        CHECK(fabs(pairs[i][0] - pairs[i][1]) <= tolerance, "%s: overhead %zu: %g, %g", what, i, pairs[i][0],
              pairs[i][1]);
    CHECK(found->barrier == 0, "%s: barrier %g with one rank", what, found->barrier);
}

static void found_again(void)
{
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char what[32];
        struct run run = run_of(&runs[i]);
        snprintf(what, sizeof what, "run %zu", i);
        simulate(&run);
        struct dlq_replay replay = replay_of(trace_of_run(&run, 0), no_hint, what);
        check_found(&replay.overheads, &runs[i], 2e-6 + 0.01 * runs[i].deliver, what);
        CHECK_REL(replay.overheads.startup, 0.07, 1e-4);
    }
}

/* A pause of seconds in the trainer, in a worker, in a delivery: each once. */
static void outliers_do_not_matter(void)
{
    struct run run = run_of(&runs[0]);
    run.epochs = 1;
    simulate(&run);
    double pause = run.rows[200].request;
    for (long i = 200; i < run.count; i++)
        for (size_t k = 0; k < ROW_TIMES; k++)
            if (*row_time(&run.rows[i], k) > pause)
                *row_time(&run.rows[i], k) += 4.7;
    struct dlq_replay replay = replay_of(trace_of_run(&run, 0), no_hint, "with a pause");
    check_found(&replay.overheads, &runs[0], 1e-4, "with a pause");
}

/* Of the real thing, in ms: 0.1..0.4, under 10, 0.2..1.5 (tiny tensors). */
static void recorded(void)
{
    static const char *const names[] = {"cases/n8_p2_exp_r1", "cases/n16_p2_logn1_r0.9", "cases/n4_p4_pareto2.5_r2",
                                        "indep/n8_p4_bimodal0.05-40_r1_s139"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct dlq_replay replay = replay_of(trace_of_file(names[i]), no_hint, names[i]);
        const struct dlq_measured_overheads *found = &replay.overheads;
        CHECK(found->dispatch > 2e-5 && found->dispatch < 5e-4, "%s: dispatch %g", names[i], found->dispatch);
        CHECK(found->deliver > 1e-4 && found->deliver < 5e-3, "%s: deliver %g", names[i], found->deliver);
        CHECK(found->receive > 2e-4 && found->receive < 2e-3, "%s: receive %g", names[i], found->receive);
    }
}

TEST_SUITE(overheads, CASE(found_again), CASE(outliers_do_not_matter), CASE(recorded));
