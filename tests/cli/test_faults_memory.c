/* Each allocation fails once: "out of memory", status 1, nothing half-written; or, where it could be done without, the
   same bytes as ever. */
#include "faults.h"

#define QUICK "--threads 1 --set simulate.batches=30 --set simulate.replications=4 "
#define LOG TEST_DATA "/logs/csv-ranks.csv"

static const struct faults_row rows[] = {
    {"solve good.ini", {NULL}},
    {"solve good.ini --json", {NULL}},
    {"solve good.ini --csv -o t.csv", {"t.csv"}},
    {"solve good.ini --plot", {"plots/good-levers.png", "plots/good-queue.png"}},
    {QUICK "sweep good.ini", {"plots/good-sweep.csv", "plots/good-throughput.png", "plots/good-utilization.png"}},
    {QUICK "sweep good.ini --json --set sweep.loaders=1,2 --set sweep.load=10ms,20ms",
     {"plots/good-sweep.csv", "plots/good-throughput.png", "plots/good-utilization.png"}},
    {QUICK "plan good.ini --plot --set plan.at_most=4", {"plots/good-plan.png"}},
    {QUICK "plan good.ini --json --set plan.at_most=4 -o plan.json", {"plan.json"}},
    {"--threads 1 fit " LOG " --plot -o my.ini", {"my.ini", "plots/csv-ranks-load.png"}},
    {"--threads 1 fit " LOG " --json", {NULL}},
    {"diagnose " LOG " --plot",
     {"plots/csv-ranks-waits.png", "plots/csv-ranks-distribution.png", "plots/csv-ranks-ranks.png"}},
    {"diagnose " LOG " --json -o d.json", {"d.json"}},
    {QUICK "report good.ini --set pipeline.loader=serial --set pipeline.loaders=0 --set sweep.loaders=0 -o p.html",
     {"p.html"}},
    {"--threads 1 report --log " LOG " --no-explore -o p.html", {"p.html"}},
    {QUICK "timeline good.ini --until 200ms", {"plots/good-timeline.png"}},
    {QUICK "timeline good.ini --until 200ms --animate a.gif", {"a.gif"}},
    {QUICK "timeline good.ini --until 200ms --chrome t.json", {"t.json"}},
    {QUICK "timeline good.ini --until 200ms --csv -o t.csv", {"t.csv"}},

};

static void check_failure(struct command *command, const struct faults_row *row, const struct faults_made *made,
                          long at, struct faults_tally *tally)
{
    const struct fault fault = {"allocation", at, ENOMEM, false};
    char what[1100];
    snprintf(what, sizeof what, "%s, allocation %ld", row->line, at);
    faults_prepare(command, row, at % 2 == 0);
    faults_run(command, row, &fault);
    int fresh = faults_look(command, row, made, what);
    hostile_check_lines(command, what);
    CHECK(faults_count(command, "fired") == 1, "%s: status %d, no call failed", what, command->status);
    CHECK(strstr(command->err, "Sanitizer") == NULL && strstr(command->err, "runtime error:") == NULL, "%s: %.1500s",
          what, command->err);
    tally->injected++;
    if (faults_survived(command, row, made, fresh)) {
        tally->survived++;
        return;
    }
    CHECK(command->status == 1 && strstr(command->err, "out of memory") != NULL, "%s: status %d (%.300s)", what,
          command->status, command->err);
}

/* About so many of those beyond the first: all of them take a minute. */
static void check_row(const struct faults_row *row, long all, long sample)
{
    static struct faults_made made;
    struct faults_tally tally = {0};
    uint64_t state = strlen(row->line);
    COMMAND_OF(command, faults_new());
    bool ready = faults_undisturbed(command, row, "allocation", &made, &tally.calls);
    for (long at = 1; ready && at <= tally.calls; at = faults_next(at, tally.calls, all, sample, 5000, &state))
        check_failure(command, row, &made, at, &tally);
    CHECK(tally.survived <= 6 + tally.injected / 10, "%s: %ld of %ld allocations could be done without", row->line,
          tally.survived, tally.injected);
    faults_tell("allocations", row, &tally);
}

static void test_each(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i], 4, 6);
}

/* The order in which two threads allocate is not ever the same: which call fails differs, what comes of it does not. */
static void test_threads(void)
{
    static const struct faults_row threaded[] = {
        {"solve good.ini --threads 2 --set simulate.batches=30", {NULL}},
        {"sweep good.ini --threads 3 --set simulate.batches=30",
         {"plots/good-sweep.csv", "plots/good-throughput.png", "plots/good-utilization.png"}},
    };
    static struct faults_made made;
    for (size_t i = 0; i < sizeof threaded / sizeof *threaded; i++) {
        struct faults_tally tally = {0};
        COMMAND_OF(command, faults_new());
        bool ready = faults_undisturbed(command, &threaded[i], "thread", &made, &tally.calls);
        CHECK(!ready || tally.calls > 0, "%s: starts no thread", threaded[i].line);
        for (long at = 1; ready && at <= tally.calls; at++) {
            const struct fault fault = {"thread", at, EAGAIN, false};
            faults_prepare(command, &threaded[i], at % 2 == 0);
            faults_run(command, &threaded[i], &fault);
            int fresh = faults_look(command, &threaded[i], &made, threaded[i].line);
            CHECK(faults_survived(command, &threaded[i], &made, fresh), "%s: thread %ld: %d %s", threaded[i].line, at,
                  command->status, command->err);
        }
        check_row(&threaded[i], 4, 4);
    }
}

static const struct test_case cases[] = {
    {"each allocation fails once", test_each},
    {"threads", test_threads},
    {NULL, NULL},
};

const struct test_suite suite_faults_memory = {"faults_memory", cases};
