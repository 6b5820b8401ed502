/* dlqueue diagnose: report, JSON, CSV, charts, wrong usage. */
#include "command.h"

/* 400 iterations, step 0.1 s, a wait of 0.4 s every 8. */
static void write_turns(const struct command *command, const char *name)
{
    char text[20000];
    size_t used = 0;
    for (int i = 0; i < 400; i++) {
        double wait = i % 8 == 0 ? 0.4 : 0.0002;
        used += (size_t)snprintf(text + used, sizeof text - used, "%.4f/%.4f\n", wait, wait + 0.1);
    }
    command_write(command, name, text);
}

/* Rank r of 4, which waits for the latest, rank 2. */
static void write_ranks(const struct command *command)
{
    for (int r = 0; r < 4; r++) {
        char name[32], text[8000];
        size_t used = 0;
        for (int i = 0; i < 100; i++)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%.4f/%.4f\n",
                                 r == 2 ? 0.05 + 1e-4 * (i % 7) : 2e-4 + 1e-5 * ((i + r) % 5), 0.15 + 1e-4 * (i % 7));
        snprintf(name, sizeof name, "rank%d.log", r);
        command_write(command, name, text);
    }
}

static void test_report(void)
{
    static const char *const parts[] = {
        "train.log\nratio · 400 iterations\n",
        "mean (ms)",
        "data time",
        "Loading is the bottleneck: 33.4 % of each iteration (50 of 150 ms) is spent waiting for data, in a\n",
        "rhythm of 8 batches: 8 loaders, it seems, that take turns and can't keep up, or as many batches\n",
        "next: dlqueue fit train.log --loaders <your num_workers>\n",
    };
    COMMAND(command);
    write_turns(command, "train.log");
    CHECK_INT(command_run(command, "", "diagnose train.log"), 0);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        CHECK(strstr(command->out, parts[i]) != NULL, "'%s' is not in: %s", parts[i], command->out);
    CHECK_TEXT(command->err, "");
    CHECK(strchr(command->out, '\033') == NULL, "color into a file");
    CHECK_INT(command_run(command, "", "diagnose train.log --color always"), 0);
    CHECK(strstr(command->out, "\033[1m") != NULL, "no color where it is asked for");
    CHECK_INT(command_run(command, "cat train.log |", "diagnose - --format ratio"), 0);
    CHECK(strncmp(command->out, "standard input\n", 15) == 0, "%.40s", command->out);
    SAYS(command, "next: dlqueue fit LOG --format ratio --loaders <your num_workers>\n");
    CHECK_INT(command_run(command, "", "diagnose train.log -o report.txt"), 0);
    CHECK_TEXT(command->out, "");
    CHECK(command_has(command, "report.txt"), "no report");
}

/* Only what waits is shown, unless all is asked for. */
static void test_ranks(void)
{
    COMMAND(command);
    write_ranks(command);
    CHECK_INT(command_run(command, "", "diagnose rank0.log rank1.log rank2.log rank3.log"), 0);
    SAYS(command, "rank0.log and 3 more\nratio · 4 logs · 4 ranks · 100 iterations");
    CHECK(strstr(command->out, "\n     2 ") != NULL && strstr(command->out, "\n     3 ") == NULL, "%s", command->out);
    SAYS(command, "2 more ranks wait for 1 % of the time or less; --all shows them");
    SAYS(command, "Rank 2 holds the others up");
    CHECK_INT(command_run(command, "", "diagnose --all rank0.log rank1.log rank2.log rank3.log"), 0);
    CHECK(strstr(command->out, "\n     3 ") != NULL && strstr(command->out, "--all") == NULL, "%s", command->out);
    /* Rank 1 hardly waits; how long rank 2 does is not known, and not said. */
    command_write(command, "some.csv",
                  "rank,index,data_time,iter_time\n0,0,0.1,0.2\n1,0,0.001,0.2\n2,0,,0.2\n"
                  "0,1,0.1,0.2\n1,1,0.001,0.2\n2,1,,0.2\n");
    CHECK_INT(command_run(command, "", "diagnose some.csv"), 0);
    CHECK(strstr(command->out, "\n     1 ") == NULL && strstr(command->out, "\n     2 ") != NULL, "%s", command->out);
    SAYS(command, "  1 more rank waits for 1 % of the time or less");
    /* Single iterations of one rank, windows of the other. */
    CHECK_INT(command_run(command, "", "diagnose --ranks rank0.log '" TEST_DATA "/logs/torchvision-sparse.log'"), 0);
    SAYS(command, "the log shows means over windows of iterations");
}

/* Runs side by side: of a log each, or of several ranks each. */
static void test_runs(void)
{
    static const char *const names[] = {"one-rank0.log", "one-rank1.log", "two-rank0.log", "two-rank1.log",
                                        "three.log"};
    COMMAND(command);
    char text[400] = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (int k = 0; k < 20; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     i < 2   ? "0.1/0.2\n"
                     : i < 4 ? "0/0.1\n"
                             : "0/0.4\n");
        command_write(command, names[i], text);
        text[0] = '\0';
    }
    CHECK_INT(command_run(command, "", "diagnose one-rank0.log three.log"), 0);
    SAYS(command, "\none-rank0.log");
    SAYS(command, "\nthree.log");
    SAYS(command, "load\n");
    SAYS(command, "step\n");
    SAYS(command, "with --ranks.");
    SAYS(command, "\n  next: dlqueue diagnose one-rank0.log\n");
    CHECK_TEXT(command->err, "");
    CHECK_INT(command_run(command, "", "diagnose *.log --csv"), 0);
    CHECK_TEXT(command->out, "log,ranks,iterations,data_mean,iter_mean,ratio,lost,rate,speedup,bound_by\n"
                             "one-rank*.log,2,20,0.1,0.2,0.5,0.5,5,1,load\n"
                             "three.log,1,20,0,0.4,0,0,2.5,0.5,step\n"
                             "two-rank*.log,2,20,0,0.1,0,0,10,2,step\n");
    json_t *object = command_ask(command, "diagnose three.log one-rank0.log one-rank1.log --json");
    const json_t *logs = json_object_get(object, "logs");
    CHECK_INT(json_array_size(logs), 2);
    CHECK_INT(json_object_size(object), 3);
    CHECK_TEXT(json_string_value(json_object_get(json_array_get(logs, 0), "log")), "three.log");
    CHECK_REL(command_number(json_array_get(logs, 0), "iter_time.mean"), 0.4, 1e-12);
    CHECK_INT(json_array_size(json_object_get(json_array_get(logs, 1), "ranks")), 2);
    CHECK_REL(command_number(json_array_get(logs, 1), "log_count"), 2, 0);
    object = command_ask(command, "diagnose *.log --ranks --json");
    CHECK(json_object_get(object, "logs") == NULL, "runs in spite of --ranks");
    CHECK_REL(command_number(object, "log_count"), 5, 0);
    CHECK_INT(command_run(command, "", "diagnose --ranks three.log two-rank1.log --every 2"), 0);
    SAYS(command, "next: dlqueue fit three.log two-rank1.log --ranks --every 2 ");
    CHECK_INT(command_run(command, "echo iter_time > a.csv; for i in 1 2 3; do echo 0.$i; done >> a.csv;",
                          "diagnose three.log a.csv --plot -o out"),
              0);
    COMPLAINS(command, "no chart");
    for (int k = 0; k < 30; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "0.%d/0.9\n", 1 + k * k % 5);
    command_write(command, "four.log", text);
    CHECK_INT(command_run(command, "", "diagnose three.log four.log --plot -o out"), 0);
    CHECK(command_has(command, "out/four-waits.png") && strstr(command->out, "out/four-waits.png") != NULL, "%s",
          command->out);
    CHECK_INT(command_run(command, "echo index,load_time > b.csv; echo 0,1 >> b.csv;", "diagnose three.log b.csv"), 3);
    COMPLAINS(command, "that is of b.csv");
}

/* Two loaders that are always busy bring a batch every 317 ms: a load takes 634 ms, and steps of 100 ms need 6.34. */
static void test_loaders_told(void)
{
    COMMAND(command);
    char text[2000] = "";
    for (int i = 0; i < 60; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "0.%d/0.%d\n", 216 + i * 7919 % 61 % 3,
                 316 + i * 7919 % 61 % 3);
    command_write(command, "train.log", text);
    CHECK_INT(command_run(command, "", "diagnose train.log"), 0);
    CHECK(strstr(command->out, "next: dlqueue fit train.log --loaders <your num_workers>\n") != NULL &&
              strstr(command->out, "--loaders N says how many that is") != NULL &&
              strstr(command->out, "are needed") == NULL,
          "%s", command->out);
    CHECK_INT(command_run(command, "", "fit train.log"), 0);
    CHECK(strstr(command->out, "keep the trainer busy for") == NULL &&
              strstr(command->out, "--loaders <your num_workers>, and --prefetch.") != NULL &&
              strstr(command->out, "; next: the same with --loaders <your num_workers>") != NULL,
          "%s", command->out);
    CHECK_INT(command_run(command, "", "fit train.log --json"), 0);
    SAYS(command, "\"suffices\": null");
    CHECK_INT(command_run(command, "", "diagnose train.log --loaders 2 --prefetch 4"), 0);
    CHECK(strstr(command->out, "2\n  loaders can't keep up, as a batch takes one of them about 630 ms. At least 7") !=
              NULL,
          "%s", command->out);
    SAYS(command, "next: dlqueue fit train.log --loaders 2 --prefetch 4\n");
    CHECK_INT(command_run(command, "", "diagnose train.log --loaders 0"), 0);
    SAYS(command, "training process loads each batch itself (220 ms)");
    /* Loads of the first epoch take 140 ms, later ones 41: 2.7 loaders, whatever waits there are. */
    CHECK_INT(command_run(command, "", "diagnose -q '" TEST_DATA "/torch2/cache_n4_p2_s1.csv.gz'"), 0);
    SAYS(command, "in the end 4 loaders could just keep up if every load took its mean, 41 ms");
    CHECK_INT(command_run(command, "", "diagnose '" TEST_DATA "/torch2/cache_n4_p2_s1.csv.gz' --json"), 0);
    SAYS(command, "\"loaders_needed\": 2.7");
    CHECK_INT(command_run(command, "", "diagnose '" TEST_DATA "/logs/probe_4_workers.csv' --loaders 3"), 2);
    COMPLAINS(command, "told 3 loaders, but the logs show 4");
}

/* The next command names as many logs as a line has room for. */
static void test_many_logs(void)
{
    static const struct {
        const char *logs, *next;
    } rows[] = {
        {"1 2 3 4 5 6 7 8", "  next: dlqueue fit 1 2 3 4 5 6 7 8 --ranks --loaders <your num_workers>\n"},
        {"1 2 3 4 5 6 7 8 9", "  next: dlqueue fit LOG... --ranks --loaders <your num_workers>   with the same logs\n"},
    };
    COMMAND(command);
    char name[16], line[100];
    for (int i = 1; i <= 9; i++) {
        snprintf(name, sizeof name, "%d", i);
        write_turns(command, name);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(line, sizeof line, "diagnose --ranks %s", rows[i].logs);
        CHECK_INT(command_run(command, "", line), 0);
        CHECK(strstr(command->out, rows[i].next) != NULL, "%s", command->out);
    }
}

/* The keys of the interface, in its order, and after them the rest. */
static void test_json(void)
{
    static const char *const keys[] = {"dlqueue", "command", "iterations", "data_time", "iter_time",
                                       "ratio",   "period",  "tail",       "ranks",     "verdict"};
    COMMAND(command);
    write_ranks(command);
    write_turns(command, "train.log");
    json_t *object = command_ask(command, "diagnose --json train.log");
    void *at = json_object_iter(object);
    for (size_t i = 0; i < sizeof keys / sizeof *keys && at != NULL; i++, at = json_object_iter_next(object, at))
        CHECK_TEXT(json_object_iter_key(at), keys[i]);
    CHECK_TEXT(json_string_value(json_object_get(object, "command")), "diagnose");
    CHECK_REL(command_number(object, "iterations"), 400, 0);
    CHECK_REL(command_number(object, "data_time.mean"), (50 * 0.4 + 350 * 0.0002) / 400, 1e-9);
    CHECK_REL(command_number(object, "data_time.median"), 0.0002, 1e-9);
    CHECK_REL(command_number(object, "data_time.p99"), 0.4, 1e-9);
    CHECK_REL(command_number(object, "iter_time.median"), 0.1002, 1e-9);
    CHECK_REL(command_number(object, "period"), 8, 0);
    CHECK(json_is_null(json_object_get(json_object_get(object, "trend"), "ratio")), "a trend");
    CHECK_REL(command_number(object, "tail.median_over_mean"), 0.0002 / command_number(object, "data_time.mean"), 1e-9);
    CHECK_REL(command_number(object, "thresholds.severe"), 0.2, 0);
    CHECK_TEXT(json_string_value(json_object_get(json_object_get(object, "verdict"), "bound_by")), "load");
    CHECK(json_is_null(json_object_get(object, "loaders")), "loaders are not known");
    object = command_ask(command, "diagnose --json rank*.log");
    const json_t *ranks = json_object_get(object, "ranks");
    CHECK_INT(json_array_size(ranks), 4);
    for (size_t r = 0; r < json_array_size(ranks); r++) {
        const json_t *rank = json_array_get(ranks, r);
        CHECK_REL(command_number(rank, "rank"), (double)r, 0);
        CHECK_REL(command_number(rank, "iterations"), 100, 0);
        CHECK_REL(command_number(rank, "ratio"),
                  command_number(rank, "data_time.mean") / command_number(rank, "iter_time.mean"), 1e-9);
        CHECK_INT(json_is_true(json_object_get(rank, "slow")), r == 2);
    }
}

static void test_csv(void)
{
    COMMAND(command);
    write_ranks(command);
    CHECK_INT(command_run(command, "", "diagnose --csv rank*.log"), 0);
    CHECK(strncmp(command->out,
                  "rank,iterations,data_mean,data_median,data_p99,iter_mean,iter_median,iter_p99,ratio,slow\n0,100,",
                  94) == 0,
          "%s", command->out);
    size_t lines = 0;
    for (const char *c = command->out; *c != '\0'; c++)
        lines += *c == '\n';
    CHECK_INT(lines, 5);
    SAYS(command, "\n2,100,");
    SAYS(command, ",true\n");
}

static void test_charts(void)
{
    static const char *const names[] = {"out/rank0-waits.png", "out/rank0-distribution.svg", "out/rank0-ranks.png",
                                        "out/rank0-ranks.gp"};
    COMMAND(command);
    char *script = calloc(1, COMMAND_TEXT);
    write_ranks(command);
    write_turns(command, "train.log");
    CHECK_INT(command_run(command, "", "diagnose rank*.log --plot -o out --keep-scripts --set 'plot.format=png, svg'"),
              0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(command_has(command, names[i]) && strstr(command->out, names[i]) != NULL, "%s is written and told",
              names[i]);
    command_file(command, "out/rank0-ranks.gp", script, COMMAND_TEXT);
    CHECK(strstr(script, "rank 2 waits 50 ms for each batch") != NULL, "no finding in the title");
    CHECK_INT(command_run(command, "", "diagnose train.log --plot --keep-scripts --set plot.directory=here"), 0);
    command_file(command, "here/train-waits.gp", script, COMMAND_TEXT);
    CHECK(strstr(script, "Training halts in a rhythm of 8 batches") != NULL, "no finding in the title");
    CHECK(!command_has(command, "here/train-ranks.png"), "a chart of one rank");
    command_file(command, "here/train-distribution.gp", script, COMMAND_TEXT);
    CHECK(strstr(script, "median 0.2 ms") != NULL && strstr(script, "mean 50 ms") != NULL, "no mean and median");
    free(script);
}

/* The section [log] of a file says what --pattern would. */
static void test_log_files(void)
{
    static const struct {
        const char *file, *error; /* null: none */
    } rows[] = {
        {"; ours\n[log]\ndata = rtime %f\niter = itime %f s\n", NULL},
        {"[log]\ndata = rtime %f\niter = itime %f s\nshows = mean\nevery = 10\ncount = step %d\n", NULL},
        {"[log]\ndata = rtime\n", "--pattern: 'data=rtime' needs one place for a number"},
        {"[log]\ndata = rtime %f\nshows = sums\n", "says neither single, mean, running nor median"},
        {"[log]\ndata = rtime %f\nevery = 0\n", "own.ini:3: [log] every: '0' is not a whole number from 1 on"},
        {"[log]\nrtime = %f\n", "own.ini:2: [log] rtime: no such key (data, iter, "},
        {"[load]\nmean = 1s\n", "own.ini:2: [load]: what a log looks like stands in [log]"},
        {"", "own.ini: no [log] says what a log looks like"},
        {"[log\n", "own.ini:1: "},
    };
    COMMAND(command);
    char log[4000];
    size_t used = 0;
    for (int i = 0; i < 30; i++)
        used += (size_t)snprintf(log + used, sizeof log - used, "step %d; rtime 0.%d; itime 1.%d s\n", 10 * i, i % 9,
                                 i % 9);
    command_write(command, "train.log", log);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        command_write(command, "own.ini", rows[i].file);
        int status = command_run(command, "", "diagnose train.log --json -q --pattern own.ini");
        CHECK_INT(status, rows[i].error == NULL ? 0 : 2);
        CHECK(rows[i].error == NULL || strstr(command->err, rows[i].error) != NULL, "row %zu: %s", i, command->err);
        CHECK(rows[i].error != NULL || strstr(command->out, i == 0 ? "\"pattern\"" : "\"pattern-means\"") != NULL,
              "row %zu: %.200s", i, command->out);
    }
    CHECK_INT(command_run(command, "", "diagnose train.log --pattern none.ini"), 2);
    CHECK(strstr(command->err, "--pattern: cannot open none.ini: ") != NULL, "%s", command->err);
    CHECK_INT(command_run(command, "", "diagnose train.log --pattern own.ini --pattern own.ini"), 2);
}

/* A log without a single wait, or of a few iterations: what can be drawn is. */
static void test_charts_of_little(void)
{
    COMMAND(command);
    command_write(command, "zero.log", "0/0.1\n0/0.1\n0/0.1\n");
    command_write(command, "one.log", "0.3/0.4\n0.2/0.3\n0.3/0.4\n0.2/0.3\n");
    command_write(command, "six.log", "0.3/0.4\n0.2/0.3\n0.25/0.3\n0.2/0.3\n0.22/0.3\n0.2/0.3\n");
    CHECK_INT(command_run(command, "", "diagnose zero.log --plot"), 0);
    CHECK(!command_has(command, "plots/zero-waits.png"), "a chart of nothing");
    CHECK_TEXT(command->err, "dlqueue: no chart: the log shows too few waits that differ\n");
    CHECK_INT(command_run(command, "", "diagnose one.log --plot -q"), 0);
    CHECK(!command_has(command, "plots/one-waits.png"), "a chart of too few");
    CHECK_TEXT(command->err, "");
    /* A mean and one iteration: neither is a distribution. */
    CHECK_INT(command_run(command, "", "diagnose '" TEST_DATA "/logs/timm-reference.log' --plot"), 0);
    CHECK(!command_has(command, "plots/timm-reference-distribution.png"), "a chart of one wait");
    COMPLAINS(command, "dlqueue: no chart: ");
    CHECK_INT(command_run(command, "", "diagnose six.log --plot"), 0);
    CHECK(command_has(command, "plots/six-waits.png") && command_has(command, "plots/six-distribution.png"), "%s",
          command->err);
    CHECK_TEXT(command->err, "");
}

static void test_wrong_usage(void)
{
    static const struct command_refusal rows[] = {
        {"diagnose", 2, "diagnose needs a log: dlqueue diagnose train.log, or - for standard input"},
        {"diagnose missing.log", 2, "cannot read missing.log: No such file"},
        {"diagnose empty.log", 2, "empty.log: the log is empty"},
        {"diagnose .", 2, "cannot read .: Is a directory"},
        {"diagnose good.log --format nonsense", 2, "no log format is called 'nonsense'"},
        {"diagnose words.log", 2, "words.log: no known log format"},
        {"diagnose bad.log", 2, "bad.log:2: not of the form data/iter"},
        {"diagnose good.log missing.log empty.log", 2, "empty.log: the log is empty"},
        {"diagnose good.log --loader tfdata", 2, "--loader: pipeline.loader is of a model"},
        {"diagnose good.log --set plot.format=gif", 2, "'gif' is not a list of png, svg, pdf"},
        {"diagnose good.log --plot -o good.log/x", 1, "good.log"},
        {"diagnose good.log --json --csv", 2, "exclude each other"},
        {"diagnose good.log --skip-bad -1", 2, "--skip-bad"},
        {"diagnose - -", 2, "standard input can be read once only"},
        {"solve --all", 2, "--all is an option of: diagnose"},
    };
    COMMAND(command);
    command_write(command, "good.log", "0.1/0.3\n0.1/0.3\n");
    command_write(command, "bad.log", "0.1/0.3\n0.1/x\n0.2/0.4\n0.7/0.3\n");
    command_write(command, "words.log", "hello\nworld\n");
    command_write(command, "empty.log", "");
    COMMAND_REFUSALS(command, "", rows);
    CHECK_INT(command_run(command, "", "diagnose bad.log"), 2);
    CHECK(strstr(command->err, "bad.log:2:") != NULL && strstr(command->err, "bad.log:4:") != NULL,
          "not all mistakes: %s", command->err);
    CHECK(!command_has(command, "plots"), "something was written");
}

static void test_skip_bad(void)
{
    COMMAND(command);
    command_write(command, "bad.log", "0.1/0.3\n0.1/x\n0.2/0.4\n0.7/0.3\n0.1/0.3\n0.2/0.3\n0.1/0.3\n0.1/0.3\n");
    CHECK_INT(command_run(command, "", "diagnose bad.log --skip-bad 1"), 2);
    CHECK_INT(command_run(command, "", "diagnose bad.log --skip-bad 2"), 0);
    COMPLAINS(command, "warning: 2 malformed lines skipped");
    COMPLAINS(command, "skipped: bad.log:4:");
    SAYS(command, "--skip-bad 2 --loaders <your num_workers>\n");
    json_t *object = command_ask(command, "diagnose bad.log --skip-bad 2 --json");
    CHECK_REL(command_number(object, "skipped"), 2, 0);
    CHECK_REL(command_number(object, "records"), 6, 0);
    /* A rank all of whose records are malformed is none. */
    command_write(command, "rank.csv", "rank,data_time,iter_time\n0,0.1,0.2\n1,0.3,0.2\n0,0.1,0.2\n");
    CHECK_INT(command_run(command, "", "diagnose rank.csv --skip-bad 1"), 0);
    CHECK(strstr(command->out, "rank.csv\ncsv · 2 iterations\n") == command->out, "%s", command->out);
    command_write(command, "rank.csv", "rank,data_time,iter_time\n0,0.1,0.2\n1,0.3,0.2\n0,0.1,0.2\n1,0.1,0.2\n");
    CHECK_INT(command_run(command, "", "diagnose rank.csv --skip-bad 1"), 0);
    CHECK(strstr(command->out, "rank.csv\ncsv · 2 ranks · 2 iterations\n") == command->out, "%s", command->out);
}

/* What the log does not hold is not answered, and said to be missing. */
static void test_no_data_times(void)
{
    COMMAND(command);
    command_write(command, "iter.csv", "index,iter_time\n0,0.31\n1,0.32\n2,0.33\n");
    command_write(command, "load.csv", "index,load_time\n0,0.31\n1,0.32\n");
    CHECK_INT(command_run(command, "", "diagnose iter.csv --plot"), 0);
    SAYS(command, "The log shows iteration times alone (320 ms on average)");
    SAYS(command, "next: dlqueue fit --steps 100/12s --loads 100/40s ");
    CHECK(strstr(command->out, "data time") == NULL, "%s", command->out);
    CHECK(!command_has(command, "plots/iter-waits.png"), "a chart of nothing");
    json_t *object = command_ask(command, "diagnose iter.csv --json");
    CHECK(json_is_null(json_object_get(object, "ratio")), "a ratio");
    CHECK_TEXT(json_string_value(json_object_get(json_object_get(object, "verdict"), "bound_by")), "unknown");
    CHECK_INT(command_run(command, "", "diagnose load.csv"), 3);
    CHECK_TEXT(command->out, "");
}

/* A time under a name that is not known is not lost silently. */
static void test_columns(void)
{
    static const struct {
        const char *header, *says;
    } rows[] = {
        {"step,loading_time,iter_time,loss", "dlqueue: columns not used: step, loading_time, loss (known are data_time "
                                             "and data_wait, the wait for data)\n"},
        {"batch,data_time,iteration,loss\x1b[31m",
         "dlqueue: columns not used: iteration, loss?[31m (known are iter_time, step_time and step_end)\n"},
        {"batch,data_wait,iter_time,loss", ""},
        {"a_column_with_a_name_of_seventy_characters_which_are_too_many_for_one_name,iter_time,"
         "b_column_with_a_name_of_ninety_characters_which_are_far_too_many_to_be_shown_beside_the_first,lr",
         "dlqueue: columns not used: a_column_with_a_name_of_seventy_characters_which_are_too_many_for_one_name, ... "
         "(known are data_time and data_wait, the wait for data)\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        COMMAND(command);
        snprintf(text, sizeof text, "%s\n1,0.1,0.3,0.1\n2,0.2,0.3,0.1\n", rows[i].header);
        command_write(command, "t.csv", text);
        CHECK_INT(command_run(command, "", "diagnose t.csv"), 0);
        CHECK_TEXT(command->err, rows[i].says);
        CHECK_INT(command_run(command, "", "diagnose t.csv -q"), 0);
        CHECK_TEXT(command->err, "");
    }
}

/* A pipe is followed to its end, a file until it is interrupted; then comes what comes without --follow. What is told
   on the way stands before it, or beside what programs read. */
static void test_follow(void)
{
    static const struct {
        const char *before, *arguments;
        int status;
        const char *out, *err; /* null: anything */
    } rows[] = {
        {"cat train.log |", "diagnose - --follow", 0,
         "  400 iterations, 33.4 % of the time waiting for data\nstandard input\nratio · 400 iterations\n", NULL},
        {"cat train.log |", "diagnose - --follow --json", 0, "{\n", "  400 iterations, 33.4 % of the time"},
        {"timeout --preserve-status -s INT 1", "diagnose train.log --follow", 0, "Loading is the bottleneck: 33.4 %",
         NULL},
        {"", "diagnose train.log train.log --follow", 2, NULL, "--follow takes one log, these are 2"},
        {"", "diagnose none.log --follow", 2, NULL, "cannot read none.log: No such file or directory\n"},
    };
    COMMAND(command);
    write_turns(command, "train.log");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_INT(command_run(command, rows[i].before, rows[i].arguments), rows[i].status);
        CHECK(rows[i].out == NULL || strstr(command->out, rows[i].out) != NULL, "%s: %s", rows[i].arguments,
              command->out);
        CHECK(rows[i].err == NULL || strstr(command->err, rows[i].err) != NULL, "%s: %s", rows[i].arguments,
              command->err);
    }
}

static const struct test_case cases[] = {
    {"follow", test_follow},
    {"columns that are not used", test_columns},
    {"report", test_report},
    {"ranks", test_ranks},
    {"runs", test_runs},
    {"loaders told", test_loaders_told},
    {"many logs", test_many_logs},
    {"JSON", test_json},
    {"CSV", test_csv},
    {"charts", test_charts},
    {"log files", test_log_files},
    {"charts of little", test_charts_of_little},
    {"wrong usage", test_wrong_usage},
    {"--skip-bad", test_skip_bad},
    {"no data times", test_no_data_times},
    {NULL, NULL},
};

const struct test_suite suite_diagnose = {"diagnose", cases};
