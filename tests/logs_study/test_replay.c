/* Recorded runs of torch's DataLoader, and simulated ones, through the model. */
#include "traces.h"

#include "dlqueue/loaders.h"
#include "logs/read/trace.h"

struct recorded {
    const char *name, *loader;
    long loaders, prefetch, batches;
    double error, pure; /* most, per cent */
};

/* In order: within 1 % with overheads from the run itself; what it takes without is in the last column. */
static const struct recorded recorded[] = {
    {"cases/n0_p1_exp_r1", "serial", 0, 0, 400, 0.01, 0.2},
    {"cases/n1_p1_const_r1", "pytorch", 1, 1, 611, 0.1, 1.8},
    {"cases/n2_p8_exp_r1", "pytorch", 2, 8, 529, 0.1, 0.5},
    {"cases/n4_p2_const_r2", "pytorch", 4, 2, 400, 0.1, 0.5},
    {"cases/n4_p4_pareto2.5_r2", "pytorch", 4, 4, 400, 0.1, 0.5},
    {"cases/n7_p2_desync7_r1", "pytorch", 7, 2, 609, 0.1, 1},
    {"cases/n8_p1_const_r1", "pytorch", 8, 1, 757, 0.1, 1.2},
    {"cases/n8_p2_exp_r1", "pytorch", 8, 2, 440, 0.1, 0.5},
    {"cases/n8_p4_bimodal0.05-40_r1", "pytorch", 8, 4, 0, 0.1, 0.5},
    {"cases/n8_p2_bimodal0.05-40_r1_python", "pytorch", 8, 2, 0, 0.1, 0.5},
    {"cases/n16_p2_logn1_r0.9", "pytorch", 16, 2, 0, 0.1, 0.5},
    {"cases/n24_p2_const_r1", "pytorch", 24, 2, 1488, 0.5, 2.5},
    {"indep/n4_p1_pareto2.5_r1.1_s141", "pytorch", 4, 1, 200, 0.1, 0.5},
    {"indep/n8_p2_gamma0.3_r1_s107", "pytorch", 8, 2, 200, 0.5, 0.5},
    {"indep/n8_p4_bimodal0.05-40_r1_s139", "pytorch", 8, 4, 200, 0.5, 0.5},
    {"blog/doc_load0.7_p1_const", "pytorch", 7, 1, 288, 0.2, 1.2},
    {"blog/doc_load2_p2_exp", "pytorch", 7, 2, 0, 0.1, 0.5},
    /* By completion a moment decides which worker gets the next batch; from there on the loads meet other batches. */
    {"unordered/n8_p1_exp_r1_unordered", "pytorch-unordered", 8, 1, 400, 0.2, 1},
    {"unordered/n8_p2_bimodal0.05-40_r1_unordered", "pytorch-unordered", 8, 2, 412, 0.2, 1},
    /* torch 2.6, in_order=False, recorded by `dlqueue run` on busy cores. */
    {"torch2.6/n4_p2_unordered", "pytorch-unordered", 4, 2, 400, 0.5, 17},
    {"torch2.6/n3_p2_unordered_pinned", "pytorch-unordered", 3, 2, 400, 0.5, 18},
};

static void recorded_runs(void)
{
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        const struct recorded *run = &recorded[i];
        struct dlq_replay replay = replay_of(trace_of_file(run->name), no_hint, run->name);
        CHECK_TEXT(replay.loader, run->loader);
        CHECK(replay.loaders == run->loaders && replay.prefetch == run->prefetch && replay.ranks == 1,
              "%s: N %ld p %ld", run->name, replay.loaders, replay.prefetch);
        CHECK(run->batches == 0 || replay.batches == run->batches, "%s: %ld batches", run->name, replay.batches);
        CHECK(fabs(100 * replay.error) <= run->error, "%s: error %.3f %%", run->name, 100 * replay.error);
        CHECK(fabs(100 * (replay.without_overheads / replay.measured - 1)) <= run->pure, "%s: pure %.3f %%", run->name,
              100 * (replay.without_overheads / replay.measured - 1));
        CHECK_REL(replay.predicted, (1 + replay.error) * replay.measured, 1e-12);
        CHECK(fabs(replay.wait_predicted - replay.wait_measured) < 2e-3 + 0.01 * replay.wait_measured,
              "%s: waits %.3f ms, %.3f measured", run->name, 1e3 * replay.wait_predicted, 1e3 * replay.wait_measured);
        check_no_reason(&replay, run->name);
        /* Of the real thing, in order, where loads vary, in ms: 0.1..0.4, under 10, 0.2..1.5 (tiny tensors). */
        const struct dlq_measured_overheads *found = &replay.overheads;
        CHECK(strcmp(run->loader, "pytorch") != 0 || strstr(run->name, "const") != NULL ||
                  (found->dispatch > 2e-5 && found->dispatch < 5e-4 && found->deliver > 1e-4 && found->deliver < 1e-2 &&
                   found->receive > 2e-4 && found->receive < 2e-3),
              "%s: %g, %g, %g", run->name, found->dispatch, found->deliver, found->receive);
    }
}

/* The definition: batches over the time from the first request to the last step's end, read off the file. */
static void whole_run(void)
{
    struct dlq_replay replay = replay_of(trace_of_file("cases/n8_p2_exp_r1"), no_hint, "the whole run");
    CHECK_REL(replay.measured, 440 / (61.709739 - 0.102052), 1e-9);
    CHECK(replay.wait_p99_measured > 0.2 && fabs(replay.wait_p99_predicted / replay.wait_p99_measured - 1) < 0.05,
          "p99 %g, %g measured", replay.wait_p99_predicted, replay.wait_p99_measured);
}

static void recorded_ranks(void)
{
    static const struct {
        const char *names[4];
        size_t ranks;
        long prefetch;
        double error;
    } runs[] = {
        {{"multirank/mr2_logn1_r1_rank0", "multirank/mr2_logn1_r1_rank1"}, 2, 2, 0.2},
        {{"multirank/mr2_bimodal_r1_rank0", "multirank/mr2_bimodal_r1_rank1"}, 2, 2, 0.2},
        {{"multirank/mr4_logn1_r1_p8_rank0", "multirank/mr4_logn1_r1_p8_rank1", "multirank/mr4_logn1_r1_p8_rank2",
          "multirank/mr4_logn1_r1_p8_rank3"},
         4,
         8,
         0.2},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct dlq_trace *trace = trace_of_files(runs[i].names, runs[i].ranks);
        struct dlq_replay replay = replay_of(trace, no_hint, runs[i].names[0]);
        CHECK_INT(replay.ranks, runs[i].ranks);
        CHECK(replay.loaders == 4 && replay.prefetch == runs[i].prefetch && replay.batches == 400, "%s: N %ld p %ld",
              runs[i].names[0], replay.loaders, replay.prefetch);
        CHECK(fabs(100 * replay.error) <= runs[i].error, "%s: error %.3f %%", runs[i].names[0], 100 * replay.error);
        CHECK(replay.overheads.barrier > 0 && replay.overheads.barrier < 2e-3, "barrier %g", replay.overheads.barrier);
        check_no_reason(&replay, runs[i].names[0]);
    }
}

/* Simulated by a loop of the test's own, with every overhead: the replay gives the same, batch by batch. */
static void simulated_runs(void)
{
    for (int i = 0; i < 24; i++) {
        struct run run = usual_run(law_mild, 0.03, (unsigned)i);
        run.batches = 300;
        run.workers = 1 + i % 6;
        run.prefetch = 1 + i % 4;
        run.epochs = i % 3 == 0 ? 3 : 1;
        run.startup = i % 2 == 0 ? 0.05 : 0;
        run.by_completion = i % 5 == 4;
        run.load = i % 4 == 3 ? law_exponential : law_mild;
        simulate(&run);
        struct dlq_replay replay = replay_of(trace_of_run(&run, 0), no_hint, "simulated");
        CHECK(replay.loaders == run.workers && replay.prefetch == run.prefetch, "run %d: N %ld p %ld", i,
              replay.loaders, replay.prefetch);
        CHECK(fabs(replay.error) < (run.by_completion ? 5e-3 : 5e-4), "run %d: error %.4f %%", i, 100 * replay.error);
        CHECK(replay.without_overheads > replay.predicted, "run %d: %g without overheads, %g with", i,
              replay.without_overheads, replay.predicted);
        CHECK_INT(replay.batches, run.count);
        check_no_reason(&replay, "simulated");
    }
}

/* Between epochs of this record no more than 0.11 s pass until the first dispatch, in which four workers end and four
   start. What comes on top, a validation, is a pause once that is more than 0.4 s, and no startup. */
static void pauses_between_epochs(void)
{
    static const struct {
        double pause;     /* s, added to each of 5 gaps between epochs */
        double low, high; /* of all pauses that are found, s */
        double startup;   /* s */
    } rows[] = {
        {0, 0, 0, 0.657},
        {0.27, 0, 0, 0.927},
        {0.34, 5 * 0.34 - 0.16, 5 * 0.34 - 0.12, 0.685},
        {8, 5 * 8 - 0.16, 5 * 8 - 0.12, 0.685},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_trace *trace = trace_of_path(TEST_DATA "/torch2/epochs-np_n4_p2_s1.csv.gz");
        trace_pause(trace, 0, rows[i].pause);
        struct dlq_replay replay = replay_of(trace, no_hint, "pauses");
        CHECK(replay.pauses >= rows[i].low && replay.pauses <= rows[i].high, "row %zu: %g s", i, replay.pauses);
        CHECK(fabs(replay.overheads.startup - rows[i].startup) < 0.004, "row %zu: %g s", i, replay.overheads.startup);
        CHECK(fabs(replay.error) < 2e-3 && !replay.overheads.persistent, "row %zu: %g", i, replay.error);
    }
}

/* Ranks whose clocks begin at other times. */
static void clocks_of_ranks(void)
{
    static const char *const names[] = {"multirank/mr2_logn1_r1_rank0", "multirank/mr2_logn1_r1_rank1"};
    struct dlq_replay replays[2];
    for (int apart = 0; apart < 2; apart++) {
        struct dlq_trace *trace = trace_of_files(names, 2);
        for (size_t i = 0; i < trace->ranks[1].count && apart; i++) {
            struct dlq_batch *batch = &trace->ranks[1].batches[i];
            double *const times[] = {&batch->dispatched, &batch->load_start, &batch->load_end,
                                     &batch->request,    &batch->received,   &batch->step_end};
            for (size_t k = 0; k < sizeof times / sizeof *times; k++)
                *times[k] += 1234.5;
        }
        replays[apart] = replay_of(trace, no_hint, "two ranks");
    }
    CHECK(replays[1].ranks == 2 && replays[1].batches == 400, "%ld batches", replays[1].batches);
    CHECK_REL(replays[1].predicted, replays[0].predicted, 1e-6);
}

/* Whatever row of the table is told: it is replayed, or why not is said. */
static void every_loader(void)
{
    size_t count;
    const struct dlq_loader *rows = dlq_loaders(&count);
    for (size_t i = 0; i < count; i++) {
        struct dlq_error error = {0};
        struct dlq_replay replay = {0};
        bool single = rows[i].assign == DLQ_ASSIGN_SINGLE;
        struct dlq_pipeline_hint hint = {.loader = rows[i].name, .loaders = -1};
        enum dlq_status status = replay_trace(trace_of_file("cases/n8_p2_exp_r1"), hint, &replay, &error);
        if (rows[i].assign == DLQ_ASSIGN_TRAINER) {
            CHECK_INT(status, DLQ_INVALID);
            CHECK(strstr(error.text, "8") != NULL, "%s", error.text);
            continue;
        }
        CHECK(status == DLQ_OK, "%s: %s", rows[i].name, error.text);
        CHECK_TEXT(replay.loader, rows[i].name);
        CHECK(replay.loaders == (single ? 1 : 8) && replay.predicted > 0, "%s: %ld loaders, %g", rows[i].name,
              replay.loaders, replay.predicted);
        CHECK((replay.prefetch == 0) == (rows[i].prefetch_name == NULL), "%s: prefetch %ld", rows[i].name,
              replay.prefetch);
    }
}

/* A pool in order, simulated here: batch i goes to the worker that is free first. */
static void told_a_pool(void)
{
    static struct run run;
    enum { N = 3, K = 6, BATCHES = 400 };
    double free[N] = {0};
    double received[BATCHES];
    double ended = 50;
    unsigned long long state = 3;
    for (long i = 0; i < BATCHES; i++) {
        struct row *row = &run.rows[run.count++];
        long w = 0;
        for (long k = 1; k < N; k++)
            w = free[k] < free[w] ? k : w;
        *row = (struct row){.index = i, .worker = w, .dispatched = i < K ? 49 : received[i - K], .request = ended};
        row->load_start = fmax(row->dispatched, free[w]);
        row->load_end = free[w] = row->load_start + 0.1 * exponential(&state);
        row->received = received[i] = fmax(ended, row->load_end);
        row->step_end = ended = row->received + 0.035;
    }
    struct dlq_pipeline_hint hint = {.loader = "pool-ordered", .loaders = -1};
    struct dlq_replay replay = replay_of(trace_of_run(&run, 0), hint, "a pool");
    CHECK_ABS(replay.error, 0, 1e-6);
    CHECK(replay.loaders == N && replay.prefetch == 2, "N %ld p %ld", replay.loaders, replay.prefetch);
    hint.loader = "pytorch";
    replay = replay_of(trace_of_run(&run, 0), hint, "told as torch's");
    CHECK(fabs(replay.error) > 0.01, "round-robin is another discipline: %g", replay.error);
}

/* The same run with less and less in the log. */
static void fewer_columns(void)
{
    static const struct {
        int without;
        double error;
    } logs[] = {{NO_DISPATCHED, 1e-3}, {NO_REQUEST, 1e-3}, {NO_INDEX, 1e-3},
                {NO_EPOCH, 1e-3},      {NO_STARTS, 3e-2},  {NO_STARTS | NO_DISPATCHED | NO_REQUEST | NO_INDEX, 3e-2}};
    struct run run = usual_run(law_mild, 0.03, 7);
    run.workers = 4;
    run.batches = 300;
    simulate(&run);
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        struct dlq_replay replay = replay_of(trace_of_run(&run, logs[i].without), no_hint, "fewer columns");
        CHECK(replay.loaders == 4 && replay.prefetch == 2, "%zu: N %ld p %ld", i, replay.loaders, replay.prefetch);
        CHECK(fabs(replay.error) < logs[i].error, "%zu: error %g", i, replay.error);
        /* What the log does not show is 0, not a part of the waits. */
        CHECK(replay.overheads.deliver + replay.overheads.receive < 0.002, "%zu: e %g, c %g", i,
              replay.overheads.deliver, replay.overheads.receive);
    }
}

TEST_SUITE(replay, CASE(recorded_runs), CASE(whole_run), CASE(recorded_ranks), CASE(simulated_runs),
           CASE(pauses_between_epochs), CASE(clocks_of_ranks), CASE(every_loader), CASE(told_a_pool),
           CASE(fewer_columns));
