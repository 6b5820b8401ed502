/* Each write of each output fails once, each call on its way, and each allocation: the output is the old one or the new
   one, as a whole, the message says which file and why, or that memory ran out, and nothing is left behind. */
#include "faults.h"

#define QUICK "--threads 1 --set simulate.batches=30 --set simulate.replications=4 "
#define LOG TEST_DATA "/logs/csv-ranks.csv"
#define SWEPT "plots/good-sweep.csv", "plots/good-throughput.png", "plots/good-utilization.png"

static const struct faults_row rows[] = {
    {QUICK "solve good.ini", {NULL}},
    {QUICK "solve good.ini --json -o s.json", {"s.json"}},
    {QUICK "solve good.ini --csv -o t.csv", {"t.csv"}},
    {QUICK "sweep good.ini", {SWEPT}},
    {QUICK "sweep good.ini --keep-scripts --set plot.format=png --set sweep.loaders=1",
     {"plots/good-sweep.csv", "plots/good-throughput.png", "plots/good-throughput.gp", "plots/good-utilization.png",
      "plots/good-utilization.gp"}},
    {QUICK "sweep good.ini --tornado", {"plots/good-tornado.csv", "plots/good-tornado.png"}},
    {QUICK "plan good.ini --plot --set plan.at_most=4", {"plots/good-plan.png"}},
    {QUICK "plan good.ini --csv --set plan.at_most=4 -o plan.csv", {"plan.csv"}},
    {"--threads 1 fit " LOG " --plot -o my.ini", {"my.ini", "plots/csv-ranks-load.png"}},
    {"diagnose " LOG " --plot", {"plots/csv-ranks-waits.png", "plots/csv-ranks-ranks.png"}},
    {"diagnose " LOG " --csv -o d.csv", {"d.csv"}},
    {QUICK "timeline good.ini --until 200ms", {"plots/good-timeline.png"}},
    {QUICK "timeline good.ini --until 200ms --animate a.gif", {"a.gif"}},
    {QUICK "timeline good.ini --until 200ms --chrome t.json", {"t.json"}},
    {QUICK "timeline good.ini --csv -o t.csv", {"t.csv"}},
    /* For allocations alone, which these make in other ways. */
    {"solve good.ini --plot", {"plots/good-levers.png", "plots/good-queue.png"}},
    {QUICK "sweep good.ini --json --set sweep.loaders=1,2 --set sweep.load=10ms,20ms", {SWEPT}},
    {QUICK "plan good.ini --json --set plan.at_most=4", {NULL}},
    {"--threads 1 fit " LOG " --json", {NULL}},
    {"diagnose " LOG " --json", {NULL}},
    {QUICK "report good.ini --set pipeline.loader=serial --set pipeline.loaders=0 --set sweep.loaders=0 -o p.html",
     {"p.html"}},
    {"--threads 1 report --log " LOG " --no-explore -o p.html", {"p.html"}},
};
enum { ROWS = sizeof rows / sizeof *rows, WRITING = ROWS - 7 };

/* What fails, and whether what was to be done must fail with it. */
struct way {
    const char *kind;
    int reason;
    bool fatal;
};

/* A failure is explained by its reason and names a file, or standard output, or a program. */
static void check_message(const struct command *command, const struct faults_row *row, const struct way *way,
                          const char *what)
{
    bool subject = strstr(command->err, "standard output") != NULL || strstr(command->err, "gnuplot") != NULL ||
                   strstr(command->err, "gifsicle") != NULL || strstr(command->err, "good.ini") != NULL ||
                   strstr(command->err, LOG) != NULL || strstr(command->err, "plots") != NULL;
    for (size_t i = 0; i < FAULTS_OUTPUTS && row->outputs[i] != NULL; i++)
        subject = subject || strstr(command->err, row->outputs[i]) != NULL;
    CHECK(command->status == 1, "%s: status %d (%.300s)", what, command->status, command->err);
    CHECK(subject, "%s: what could not be written? %.300s", what, command->err);
    /* Of a single write that fails, while others before and after it do not, the reason is not known any more. */
    bool passed = strcmp(way->kind, "stream") == 0 && strstr(command->err, "a part of it could not be written") != NULL;
    CHECK(passed || strstr(command->err, strerror(way->reason)) != NULL, "%s: not for that reason: %.300s", what,
          command->err);
}

static void check_fault(struct command *command, const struct faults_row *row, const struct way *way,
                        const struct faults_made *made, long at, struct faults_tally *tally)
{
    const struct fault fault = {way->kind, at, way->reason};
    char what[1200];
    bool allocation = strcmp(way->kind, "allocation") == 0;
    snprintf(what, sizeof what, "%s, %s %ld", row->line, way->kind, at);
    faults_prepare(command, row, at % 2 == 0);
    faults_run(command, row, &fault);
    int fresh = faults_look(command, row, made, what);
    hostile_check_lines(command, what);
    CHECK(faults_count(command, "fired") == 1, "%s: status %d, no call failed", what, command->status);
    tally->injected++;
    if (faults_survived(command, row, made, fresh)) {
        tally->survived++;
        bool packs = at == 2 && strstr(row->line, "--animate") != NULL; /* by gifsicle, which may be missing */
        CHECK(!way->fatal || (packs && strcmp(way->kind, "spawn") == 0), "%s: as if nothing had happened", what);
    } else if (allocation) {
        CHECK(command->status == 1 && strstr(command->err, "out of memory") != NULL, "%s: status %d (%.300s)", what,
              command->status, command->err);
    } else {
        check_message(command, row, way, what);
    }
}

/* An undisturbed run counts the calls of all kinds; some row makes each. In turn each row meets one of `every` ways. */
static void check_ways(const struct way *ways, size_t count, size_t every, long all, long sample)
{
    enum { MOST = 16 };
    static struct faults_made made;
    long made_calls[MOST] = {0};
    for (size_t i = 0; i < WRITING; i++) {
        long calls[MOST];
        COMMAND_OF(command, faults_new());
        bool ready = faults_undisturbed(command, &rows[i], ways[0].kind, &made, &calls[0]);
        for (size_t k = 0; ready && k < count; k++)
            made_calls[k] += calls[k] = faults_count(command, ways[k].kind);
        for (size_t k = i % every; ready && k < count; k += every) {
            struct faults_tally tally = {.calls = calls[k]};
            uint64_t state = i;
            long first = strcmp(ways[k].kind, "bytes") == 0 ? 0 : 1;
            for (long at = first; at < tally.calls + first; at = faults_next(at, tally.calls, all, sample, 200, &state))
                check_fault(command, &rows[i], &ways[k], &made, at, &tally);
            if (tally.injected > 0)
                faults_tell(ways[k].kind, &rows[i], &tally);
        }
    }
    for (size_t k = 0; k < count; k++)
        CHECK(made_calls[k] > 0, "no row calls %s", ways[k].kind);
}

static void test_disk_fills(void)
{
    static const struct way way = {"bytes", ENOSPC, true};
    check_ways(&way, 1, 1, 2, 2);
}

static void test_each_write(void)
{
    static const struct way ways[] = {{"stream", EIO, true}};
    check_ways(ways, sizeof ways / sizeof *ways, 1, 1, 2);
}

/* The first ones and some of the others; all of them with scripts/test --long. */
static void test_each_call(void)
{
    static const struct way ways[] = {
        {"fsync", EIO, true},    {"fclose", ENOSPC, true}, {"rename", EACCES, true}, {"fdopen", EMFILE, true},
        {"mkdir", EROFS, false}, {"open", EMFILE, false},  {"spawn", EAGAIN, true},  {"read", EIO, false},
        {"send", EIO, true},     {"close", EIO, false},
    };
    check_ways(ways, sizeof ways / sizeof *ways, test_every(3), 1, 1);
}

/* About so many of those beyond the first: all of them take a minute. */
static void check_row(const struct faults_row *row, long all, long sample)
{
    static const struct way way = {"allocation", ENOMEM, false};
    static struct faults_made made;
    struct faults_tally tally = {0};
    uint64_t state = strlen(row->line);
    COMMAND_OF(command, faults_new());
    bool ready = faults_undisturbed(command, row, "allocation", &made, &tally.calls);
    for (long at = 1; ready && at <= tally.calls; at = faults_next(at, tally.calls, all, sample, 5000, &state))
        check_fault(command, row, &way, &made, at, &tally);
    CHECK(tally.survived <= 6 + tally.injected / 10, "%s: %ld of %ld allocations could be done without", row->line,
          tally.survived, tally.injected);
    faults_tell("allocations", row, &tally);
}

static void test_allocations(void)
{
    for (size_t i = 0; i < ROWS; i++)
        check_row(&rows[i], 2, 2);
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
            const struct fault fault = {"thread", at, EAGAIN};
            faults_prepare(command, &threaded[i], at % 2 == 0);
            faults_run(command, &threaded[i], &fault);
            int fresh = faults_look(command, &threaded[i], &made, threaded[i].line);
            CHECK(faults_survived(command, &threaded[i], &made, fresh), "%s: thread %ld: %d %s", threaded[i].line, at,
                  command->status, command->err);
        }
        check_row(&threaded[i], 2, 2);
    }
}

/* "-" is standard output, with nothing else on it, and no file of that name. */
static void test_standard_output(void)
{
    static const struct command_case lines[] = {
        {"timeline good.ini --until 50ms --animate - > a.gif; head -c 6 a.gif", {"^GIF89a"}},
        {"dlqueue timeline good.ini --chrome t.json -q; dlqueue timeline good.ini --chrome - | cmp - t.json", {NULL}},
        {"timeline good.ini --chrome - --json -o s.json | cmp - t.json", {"+s.json", "--"}},
    };
    COMMAND_OF(command, faults_new());
    COMMAND_CASES(command, "", lines);
}

TEST_SUITE(faults_calls, CASE(test_disk_fills), CASE(test_each_write), CASE(test_each_call), CASE(test_allocations),
           CASE(test_threads), CASE(test_standard_output));
