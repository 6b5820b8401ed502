/* Signals at random moments, two runs into the same directory: each file is whole, no other file or process is left. */
#include "faults.h"

#include "cli/result_files.h"

#define SWEPT "plots/good-sweep.csv", "plots/good-throughput.png", "plots/good-utilization.png"

static const struct faults_row rows[] = {
    {"sweep good.ini", {SWEPT}},
    {"report good.ini --no-explore -o p.html", {"p.html"}},
    {"timeline good.ini --until 300ms", {"plots/good-timeline.png"}},
    {"timeline good.ini --until 100ms --animate a.gif", {"a.gif"}},
    {"timeline good.ini --csv -o t.csv", {"t.csv"}},
    {"timeline good.ini --until 9s --chrome t.json", {"t.json"}},
    {"solve good.ini --json -o s.json", {"s.json"}},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char *line_of(const struct faults_row *row, const char *extra, char line[256])
{
    snprintf(line, 256, "exec dlqueue -q --threads 2 %s %s", row->line, extra);
    return line;
}

/* Sums of what an undisturbed run makes; how long it takes. */
static double make(struct command *command, const struct faults_row *row, const char *extra, struct faults_made *made)
{
    char line[256], path[512];
    faults_prepare(command, row, false);
    double start = hostile_now();
    CHECK(hostile_run(command, line_of(row, extra, line)) == 0, "%s: %d %s", line, command->status, command->err);
    double lasted = hostile_now() - start;
    for (size_t i = 0; i < FAULTS_OUTPUTS && row->outputs[i] != NULL; i++) {
        CHECK(command_has(command, row->outputs[i]), "%s: no %s", line, row->outputs[i]);
        made->sums[i] = hostile_sum(faults_path(command, row->outputs[i], path));
    }
    return lasted;
}

static double random_share(uint64_t *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static const struct {
    const char *name;
    int first, second; /* 0: none; at once, to the whole group */
} signals[] = {
    {"SIGINT", SIGINT, 0},
    {"SIGTERM", SIGTERM, 0},
    {"SIGHUP", SIGHUP, 0},
    {"SIGKILL", SIGKILL, 0},
    {"SIGINT twice", SIGINT, SIGINT},
    {"SIGTERM twice", SIGTERM, SIGTERM},
    {"SIGINT and SIGTERM", SIGINT, SIGTERM},
};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* Finished rows of a sweep that was interrupted are saved: each line is one of the whole file, with its end. */
static void accept_part(struct command *command, const struct faults_row *row, struct faults_made *made)
{
    static const char is_part[] =
        "cd plots && test -s good-sweep.csv && test $(tail -c 1 good-sweep.csv | wc -l) = 1 && "
        "! grep -qvxFf ../.whole good-sweep.csv";
    char path[512];
    if (row == &rows[0] && hostile_run(command, is_part) == 0)
        made->sums[0] = hostile_sum(faults_path(command, row->outputs[0], path));
}

/* One run; true: the signal came in time. */
static bool interrupt(struct command *command, size_t row, size_t which, double after)
{
    char line[256], what[400];
    snprintf(what, sizeof what, "%s, %s after %.4f s", line_of(&rows[row], "", line), signals[which].name, after);
    pid_t pid = hostile_start(command, line);
    hostile_pause(after);
    kill(pid, signals[which].first);
    if (signals[which].second != 0)
        kill(-pid, signals[which].second);
    hostile_wait(command, pid, what);
    int status = command->status;
    bool second = signals[which].second != 0 && status == 128 + signals[which].second;
    CHECK(status == 0 || status == 128 + signals[which].first || second, "%s: status %d (%.300s)", what, status,
          command->err);
    hostile_check_lines(command, what);
    if (signals[which].first == SIGKILL) /* leaves what was being written beside the old file */
        hostile_run(command, "rm -f *.tmp plots/*.tmp");
    return status != 0;
}

static void test_random_signals(void)
{
    static struct faults_made made[ROWS];
    COMMAND_OF(command, faults_new());
    double lasts[ROWS];
    int runs = test_long() ? 210 : test_full() ? 35 : 21, hit = 0;
    uint64_t state = 20261122;
    for (size_t r = 0; r < ROWS; r++) {
        lasts[r] = make(command, &rows[r], "", &made[r]);
        CHECK_INT(r > 0 ? 0 : hostile_run(command, "cp plots/good-sweep.csv .whole"), 0);
    }
    for (int i = 0; i < runs; i++) {
        size_t r = (size_t)i % ROWS, which = (size_t)(i + i / ROWS) % SIGNALS;
        struct faults_made allowed = made[r];
        for (size_t other = 0; other < ROWS; other++)
            faults_prepare(command, &rows[other], false);
        faults_prepare(command, &rows[r], i / 2 % 2 == 0);
        hit += interrupt(command, r, which, random_share(&state) * lasts[r]) ? 1 : 0;
        accept_part(command, &rows[r], &allowed);
        faults_look(command, &rows[r], &allowed, rows[r].line);
    }
    CHECK(hit >= runs / 10, "only %d of %d runs were interrupted", hit, runs);
    printf("  signals: %d runs, %d of them ended by it\n", runs, hit);
}

/* In a child: one that comes at once with the first changes nothing, forgotten or not; a later one is then a first. */
static void raise_all(const int raised[3])
{
    dlq_interrupt_install();
    raise(raised[0]);
    raise(raised[1]);
    if (*dlq_interrupt_flag() != raised[0])
        test_leave(1);
    dlq_interrupt_forget();
    raise(raised[1]);
    if (*dlq_interrupt_flag() != 0)
        test_leave(3);
    hostile_pause(0.25);
    raise(raised[0]);
    hostile_pause(0.25);
    raise(raised[2]);
    test_leave(2);
}

static void test_second_signal(void)
{
    static const int rows_of_signals[][3] = {
        {SIGINT, SIGINT, SIGINT}, {SIGTERM, SIGTERM, SIGTERM}, {SIGINT, SIGTERM, SIGTERM}, {SIGHUP, SIGINT, SIGHUP}};
    for (size_t i = 0; i < sizeof rows_of_signals / sizeof *rows_of_signals; i++) {
        int status = 0;
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0)
            raise_all(rows_of_signals[i]);
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid, "fork");
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == rows_of_signals[i][2], "row %zu: status %x", i,
              (unsigned)status);
    }
}

/* As `timeout` sends it: to the process, and to its group. The program ends in order. */
static void test_keystroke(void)
{
    static const char line[] = "exec dlqueue solve --loaders 2 --load 1s --step 1s --cv 1 --set simulate.batches=1e10 "
                               "--set simulate.precision=1e-9 -o s.txt";
    COMMAND_OF(command, faults_new());
    for (int i = 0; i < 3; i++) {
        pid_t pid = hostile_start_listening(command, line);
        kill(pid, SIGINT);
        hostile_pause(0.001 * i);
        kill(-pid, SIGINT);
        hostile_wait(command, pid, line);
        CHECK_INT(command->status, 130);
        CHECK_TEXT(command->err, "dlqueue: interrupted\n");
        CHECK(!command_has(command, "s.txt"), "half a result");
    }
}

static void test_two_runs(void)
{
    static struct faults_made first[3], second[3];
    static const size_t which[] = {0, 1, 4};
    int pairs = test_long() ? 21 : 6;
    COMMAND_OF(command, faults_new());
    for (int i = 0; i < pairs; i++) {
        int kind = i % 3;
        const struct faults_row *row = &rows[which[kind]];
        char line[256];
        if (i < 3) {
            make(command, row, "--seed 1", &first[kind]);
            make(command, row, "--seed 2", &second[kind]);
        }
        faults_prepare(command, row, i % 2 == 0);
        pid_t one = hostile_start(command, line_of(row, "--seed 1", line));
        hostile_pause(0.002 * i);
        pid_t two = hostile_start(command, line_of(row, "--seed 2", line));
        int status[2] = {-1, -1};
        CHECK(hostile_await(one, &status[0], HOSTILE_LIMIT) && hostile_await(two, &status[1], HOSTILE_LIMIT), "%s",
              line);
        CHECK(status[0] == 0 && status[1] == 0, "%s: %d, %d", line, status[0], status[1]);
        hostile_reap(line);
        for (size_t k = 0; k < FAULTS_OUTPUTS && row->outputs[k] != NULL; k++) {
            char path[512];
            uint32_t sum = hostile_sum(faults_path(command, row->outputs[k], path));
            CHECK(sum == first[kind].sums[k] || sum == second[kind].sums[k], "%s: %s is of neither run", line,
                  row->outputs[k]);
        }
        CHECK_INT(hostile_run(command, "ls . plots | grep -c tmp"), 1);
        for (size_t other = 0; other < ROWS; other++)
            faults_prepare(command, &rows[other], false);
    }
}

TEST_SUITE(faults_signals, CASE(test_random_signals), CASE(test_second_signal), CASE(test_keystroke),
           CASE(test_two_runs));
