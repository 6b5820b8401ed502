/* dlqueue advise, from outside: the change, in the words of the program that loads; or that a log cannot tell. */
#include "command.h"

#define RUNS TEST_DATA "/torch2/"
#define LOGS TEST_DATA "/logs/"

/* What stands at the top of the object, and beside gain.factor, is what its parts say. */
static void check_flat(const json_t *object)
{
    static const char *const same[][2] = {
        {"kind", "change.kind"},
        {"loaders", "change.loaders"},
        {"prefetch", "change.prefetch"},
        {"recommended", "change.recommended"},
        {"text", "change.text"},
        {"memory_bytes", "cost.bytes"},
        {"gain.value", "gain.factor.value"},
        {"gain.low", "gain.factor.low"},
        {"gain.high", "gain.factor.high"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const json_t *flat = command_at(object, same[i][0]), *part = command_at(object, same[i][1]);
        CHECK(flat != NULL && (part == NULL ? json_is_null(flat) : json_equal(flat, part)), "%s", same[i][0]);
    }
    const double low = command_number(object, "gain.factor.low"), bytes = command_number(object, "memory_bytes"),
                 shm = command_number(object, "shm_bytes");
    CHECK(json_is_true(command_at(object, "gain.proven")) == (low >= 1), "proven beside %g", low);
    CHECK(isnan(bytes) ? isnan(shm) : shm == 0 || shm == bytes, "%g bytes in shm, of %g", shm, bytes);
}

/* Logs whose answer is known: of torch's runs by what a run with the change measured (compare), of others by hand. */
static void test_changes(void)
{
    static const struct {
        const char *arguments;
        int status;
        const char *kind, *code;
        long loaders, prefetch; /* 0: any */
        double least, most;     /* of the gain; 0: none is told */
        const char *caution;    /* the first; "": none */
    } rows[] = {
#define TORCH(loaders, prefetch) "DataLoader(num_workers=" loaders ", prefetch_factor=" prefetch ")"
#define FIXED "assumes-load-fixed"
        {RUNS "exp_n8_p2_s1.csv.gz", 0, "prefetch", TORCH("8", "8"), 8, 8, 1.15, 1.35, ""},
        {RUNS "cpug_n2_p2_s12.csv.gz", 0, "load", NULL, 2, 2, 0, 0, ""},
        {RUNS "g3_n8_p2_s1.csv.gz", 0, "receive", NULL, 8, 2, 0, 0, ""},
        {RUNS "epochs-np_n4_p2_s1.csv.gz", 0, "persistent", "DataLoader(persistent_workers=True)", 4, 2, 1.2, 1.3,
         "tail"},
        /* Loads that hold the interpreter lock: the trainer waits for sending; 2 loaders measured 1.9 times as fast. */
        {TEST_DATA "/torch3/cow_n1_p2_s21.csv.gz", 0, "loaders", TORCH("2", "2"), 2, 2, 1.5, 2, "shared"},
        {TEST_DATA "/torch3/beside_n1_p2_s1.csv.gz", 3, "record", NULL, 1, 2, 0, 0,
         ""}, /* other programs had the cores */
        /* Loads of .2 ms: 2 loaders made 400 batches/s, none 806 to 827. */
        {TEST_DATA "/spawn/tiny_n2.csv.gz", 0, "loaders", "DataLoader(num_workers=0)", 0, 0, 1.2, 2, "warm-up"},
        {"--steps 100/100s --loads 100/200s --loaders 11", 0, "loaders", TORCH("22", "2"), 22, 2, 0, 0, FIXED},
        {"--steps 100/100s --loads 100/80s --loaders 4", 0, "nothing", NULL, 4, 2, 0, 0, ""},
        {"--steps 100/100s --loads 100/80s --loaders 0", 0, "loaders", NULL, 2, 2, 0, 0, FIXED},
        {"--steps 100/100s --loads 100/200s", 3, "record", NULL, 0, 0, 0, 0, ""},
        {LOGS "timm-reference.log --loaders 4", 3, "record", NULL, 0, 0, 0, 0, ""}, /* one line */
        {LOGS "mmengine-vis-data.log --loaders 4", 0, "loaders", NULL, 0, 2, 0, 0, FIXED},
        {LOGS "hf-trainer-reference.log", 3, "record", NULL, 0, 0, 0, 0, ""},
        {LOGS "torchvision-reference.log", 3, "record", NULL, 0, 0, 0, 0, "few"},
        /* From here on, of three one in an ordinary run. */
        {LOGS "timm-reference.log", 3, "record", NULL, 0, 0, 0, 0, ""},
        {RUNS "g3_n2_p2_s1.csv.gz --also " RUNS "g3_n8_p2_s1.csv.gz", 0, "loaders", TORCH("7", "2"), 7, 2, 2.7, 3, ""},
        {RUNS "g3_n2_p2_s1.csv.gz", 0, "loaders", TORCH("7", "2"), 7, 2, 2.7, 3.1, FIXED},
        {LOGS "mmengine-vis-data.log --loaders 4 --loader tfdata", 0, "loaders", NULL, 0, 0, 0, 0, FIXED},
        {RUNS "serial_n0_p2_s1.csv.gz", 0, "loaders", TORCH("3", "2"), 3, 2, 2.8, 3.1, FIXED},
        {RUNS "epochs_n4_p2_s1.csv.gz", 0, "loaders", TORCH("7", "2"), 7, 2, 1.15, 1.3, FIXED},
        {LOGS "chrome-profiler.json", 3, "record", NULL, 0, 0, 0, 0, ""},
        /* One rank of four: its step may hold what it waits for the others. */
        {TEST_DATA "/torch/multirank/mr4_logn1_r1_p8_rank0.csv", 3, "record", NULL, 0, 0, 0, 0, "long-steps"},
        {RUNS "cache_n4_p2_s1.csv.gz", 0, "nothing", NULL, 4, 2, 0, 0, ""},
    };
    enum { EACH = 14 };
    COMMAND(command);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += i < EACH ? 1 : test_every(3)) {
        char line[600];
        snprintf(line, sizeof line, "advise --json %s", rows[i].arguments);
        int status = command_run(command, "", line);
        CHECK(status == rows[i].status && command->err[0] == '\0', "%s: %d %s", line, status, command->err);
        json_t *object = command_object(command);
        const char *caution = command_text(object, "cautions.0.name");
        CHECK_TEXT(command_text(object, "change.kind"), rows[i].kind);
        check_flat(object);
        if (rows[i].code != NULL)
            CHECK_TEXT(command_text(object, "change.code"), rows[i].code);
        if (rows[i].loaders > 0)
            CHECK_INT(command_number(object, "change.loaders"), rows[i].loaders);
        if (rows[i].prefetch > 0)
            CHECK_INT(command_number(object, "change.prefetch"), rows[i].prefetch);
        double value = command_number(object, "gain.factor.value");
        CHECK(rows[i].most == 0 ? isnan(value) : value >= rows[i].least && value <= rows[i].most, "%s: gain %g", line,
              value);
        CHECK_TEXT(caution != NULL ? caution : "", rows[i].caution);
        CHECK((rows[i].status == 3) == (strcmp(rows[i].kind, "record") == 0) &&
                  (rows[i].status == 0 || json_array_size(json_object_get(object, "record")) > 0),
              "%s: what would tell", line);
    }
}

/* Each loader's own words; and the sentence of each change, of three ranks' 400 steps with these waits. */
static void test_words(void)
{
#define MADE(before, wait, step)                                                                                       \
    "awk 'BEGIN { print \"" before                                                                                     \
    "rank,epoch,index,data_time,iter_time\"; for (i = 0; i < 400; i++) for (r = 0; r < 3; r++) { w = " wait            \
    "; printf \"%d,%d,%d,%.9g,%.9g\\n\", r, i / 100, i % 100, w, w + " step                                            \
    " } }' > t.csv; dlqueue advise t.csv --summary"
#define WITH(loader) "advise --steps 100/100s --loads 100/200s --loaders 2 --loader " loader
    static const struct command_case rows[] = {
        {WITH("tfdata"), {"dataset.map(load, num_parallel_calls="}},
        {WITH("dali"), {"Pipeline(num_threads="}},
        {WITH("ffcv"), {"Loader(num_workers="}},
        {WITH("grain"), {"DataLoader(worker_count="}},
        {WITH("keras"), {"PyDataset(workers="}},
        {WITH("mxnet"), {"DataLoader(num_workers="}},
        {WITH("pytorch-unordered"), {"in_order=False)"}},
        {WITH("dataloaders.jl"), {"julia --threads "}},
        {MADE("", "3e-4", "0.1"),
         {"is. A faster step is what would help.\nGain: Loading that costs nothing would gain nothing.\n"}},
        {MADE("", "i % 8 || i > 199 ? 2e-4 : 0.4", "0.1"),
         {"is, as long as it stays so.\nGain: Loading that costs nothing would gain nothing.\n"}},
        {MADE("# persistent_workers=True\\n", "i % 100 ? 3e-4 : 3.1", "0.1"),
         {"is. Longer epochs are what would help.\n"}},
        {MADE("", "i % 100 ? 3e-4 : 3.1", "0.1"),
         {"Keep the workers from epoch to epoch. DataLoader(persistent_workers=True)\nGain: Loading that costs nothing "
          "would make it 1.31 times as fast.\n"}},
        {MADE("", "3e-4", "(i % 50 == 49 ? 5 : 0.1)"), {"is. Make the pauses of the training fewer, or shorter.\n"}},
        {MADE("", "i % 24 ? 2e-4 : 9.6", "0.1") " --loaders 4",
         {"Make fetches faster, or several at a time.\nGain: Loading that costs nothing would make it 4.88 times"}},
        {"advise --steps 100/100s --loads 100/80s --loaders 0 --summary",
         {"\nChange: Load in the background, with 2 loaders. DataLoader(num_workers=2"}},
        {MADE("", "r > 0 ? 0.01 : 0.06", "0.16 - w"), {"Look at the rank that waits longest"}},
        {MADE("", "r < 2 ? 0.01 : 0.06", "0.16 - w"),
         {"Look at the rank that waits longest: its host and its data.\n"}},
    };
    COMMAND(command);
    COMMAND_CASES(command, "", rows);
}

/* How many loaders a log of waits tells. Windows tell what it takes at least, whatever their order: 26 windows of timm,
   of 50 iterations each, of which 8 wait. */
static void test_how_many(void)
{
#define WINDOWS(waits)                                                                                                 \
    "awk 'BEGIN { for (i = 0; i < 26; i++) { long = " waits "; t = long ? 1.15 : 0.254; d = long ? 0.9 : 0.004; "      \
    "T += t; D += d; printf \"Train: 0 [%4d/1251 (%3d%%)]  Loss: 6.93 (6.93)  Time: %.3fs, %.2f/s  (%.3fs, %.2f/s)  "  \
    "LR: 1.000e-05  Data: %.3f (%.3f)\\n\", 50 * i, 4 * i, t, 256 / t, T / (i + 1), 256 * (i + 1) / T, d, "            \
    "D / (i + 1) } }' > w.log;",                                                                                       \
        "advise w.log --json --loaders 8 "
/* Loads of `load` s and steps of 0.1 s: each turn of N loaders waits once. */
#define TURNS(count, loaders, load)                                                                                    \
    "awk 'BEGIN { print \"data_time,iter_time\"; for (i = 0; i < " count "; i++) { w = i % " loaders " ? 0 : " load    \
    " - " loaders " * 0.1; printf \"%.9g,%.9g\\n\", w, w + 0.1 } }' > t.csv;",                                         \
        "advise t.csv --json --loaders " loaders " "
    static const struct {
        const char *before, *arguments;
        int status;
        const char *kind, *limit;
        double loaders, least, low, high; /* NAN: null */
    } rows[] = {
        {WINDOWS("i < 8"), 0, "loaders", "none", NAN, 14, NAN, NAN},
        {WINDOWS("i < 16 && i % 2 == 0"), 0, "loaders", "none", NAN, 14, NAN, NAN},
        {WINDOWS("i >= 18"), 0, "loaders", "none", NAN, 14, NAN, NAN},
        {WINDOWS("i < 8") "--cores 16", 0, "loaders", "none", NAN, 14, NAN, NAN},
        {WINDOWS("i < 8") "--cores 12", 0, "loaders", "cores", 12, 14, NAN, NAN},
        {WINDOWS("i < 8") "--cores 12 --at-most 10", 0, "loaders", "at_most", 10, 14, NAN, NAN},
        {WINDOWS("i < 8") "--at-most 8", 0, "load", "at_most", 8, 14, NAN, NAN},
        {WINDOWS("i < 8") "--set host.cores=7", 0, "load", "cores", 8, 14, NAN, NAN},
        /* Three ranks that wait 0.107 of 0.22 s each, and 0.12 s for the latest. */
        {"awk 'BEGIN { print \"rank,epoch,index,data_time,iter_time\"; for (i = 0; i < 300; i++) for (r = 0; r < 3; "
         "r++) "
         "print r \",0,\" i \",\" (i % 3 == r ? 0.12 : 0.1) \",0.22\" }' > r.csv;",
         "advise r.csv --json --loaders 4", 0, "loaders", "none", 9, NAN, 7, 13},
        {TURNS("200", "3", "1.09"), 0, "loaders", "none", 11, NAN, 9, 16},
        {TURNS("200", "3", "1.09") "--at-most 9", 0, "loaders", "at_most", 9, NAN, NAN, NAN},
        {TURNS("200", "3", "1.09") "--strict-range 1.8", 0, "loaders", "none", 11, NAN, 9, 16},
        {TURNS("200", "3", "1.09") "--strict-range 1.7 --cores 20", 0, "loaders", "none", NAN, 8, NAN, NAN},
        {TURNS("140", "3", "1.09"), 0, "loaders", "none", NAN, 8, NAN, NAN},
        {TURNS("15", "3", "1.09"), 3, "record", "none", 3, NAN, NAN, NAN},
        {TURNS("200", "3", "8.09"), 0, "load", "hosts", 3, NAN, NAN, NAN},
        {TURNS("200", "3", "8.09") "--cores 90", 0, "loaders", "none", 77, NAN, 68, 95},
        {"head -n 1 '" LOGS "mmengine-vis-data.log' > 1.log;", "advise 1.log --json --loaders 4", 3, "record", "none",
         4, NAN, NAN, NAN},
    };
    static const struct command_case texts[] = {
        {"advise '" TEST_DATA "/spawn/tiny_n2.csv.gz'",
         {"  No loaders instead of 2: the trainer loads a batch in less time than it takes to receive one. That\n  is "
          "at "
          "least 1.3",
          "    At least 1.3", "batches/s or more instead of 412", "!Loading that costs nothing"}},
        /* One rank of four hardly waits. */
        {"advise '" TEST_DATA "/torch/multirank/mr4_logn1_r1_p8_rank0.csv'",
         {"?3", "^  Rank 0 hardly waits for its own data: ", "  If there are other ranks, give their logs too"}},
        {"advise w.log --loaders 8",
         {"At least 14 loaders instead of 8; how many more this log cannot tell: record 500",
          "If loads hardly vary, 17 do.", "!train.py --workers", "Memory: at least 28 batches ahead instead of 16",
          "!--also"}},
        {"advise t.csv --loaders 3 --summary",
         {"Change: Make loads cheaper: 77 loaders would be needed, more than hosts run (a batch occupies a loader "
          "for"}},
        {"advise t.csv --loaders 3 --at-most 0", {"?2", "~at_most"}},
        {"advise t.csv --loaders 3 --strict-range 0", {"?2", "~--strict-range: a factor must be above 0"}},
        {"advise --table t.csv --at-most 8",
         {"?2", "~--at-most: plan.at_most is not what a table of measured runs tells"}},
        {"advise 1.log --loaders 4", {"?3", "One line cannot tell what to change: log more of them.", "Log more iter"}},
        {"diagnose 1.log --loaders 4", {"the log has one line with times, of 100 iterations: others may"}},
        {"diagnose w.log --loaders 8", {"least 14 are needed"}},
        /* Few very late batches, by waits alone: a larger prefetch or more loaders smooth them. A rhythm shows that
           loaders are too few. */
        {"awk 'BEGIN { print \"data_time,iter_time\"; for (i = 0; i < 600; i++) { x = (x * 3877 + 29573) % 139968; w = "
         "x < "
         "5600 ? 0.9 : 4e-4; printf \"%.9g,%.9g\\n\", w, w + 0.1 } }' > v.csv; dlqueue advise v.csv --loaders 8",
         {"^  Prefetch 8 instead of 2, or at least 9 loaders instead of 8: either smooths the few very late",
          "waits alone do not tell which gains more.", "!can't keep up"}},
        {"advise v.csv --loaders 8 --loader dataloaders.jl", {" loaders instead of 8.", "!refetch 8 instead"}},
        {"advise t.csv --loaders 3 --cores 90", {"^  77 (68 to 95) loaders instead of 3", "!refetch 8"}},
        /* What a log shows that cannot tell what to change, and what it lacks. */
        {"advise w.log",
         {"?3", "^  At its end, training waits for data 12.2 % of the time, and would be up to 1.14 times as fast",
          "Say how many loaders there are: --loaders <your num_workers>. Without that, this log",
          "    Loading that costs nothing would make the end of the run 1.14 times as fast."}},
        {"advise w.log --summary", {"?3", "\nChange: Say how many loaders", "\nGain: Loading that costs nothing"}},
        {"head -n 16 t.csv >few.csv; dlqueue advise few.csv",
         {"?3", "^  Training waits for data ", "times as fast without",
          "Log more iterations: some hundreds. Without that, this log cannot"}},
        {"printf 'step 1 time 1\nstep 2 time 1.1\nstep 3 time 1\nstep 4 time 1\n' | dlqueue advise -",
         {"?3", "  The log shows iteration times alone (", "  Log the time that training waits", "~read as"}},
    };
    COMMAND(command);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int status = command_run(command, rows[i].before, rows[i].arguments);
        json_t *object = command_object(command);
        const double found[] = {command_number(object, "change.loaders"), command_number(object, "change.at_least"),
                                command_number(object, "change.recommended.low"),
                                command_number(object, "change.recommended.high")};
        const double expected[] = {rows[i].loaders, rows[i].least, rows[i].low, rows[i].high};
        CHECK_INT(status, rows[i].status);
        CHECK_TEXT(command_text(object, "change.kind"), rows[i].kind);
        CHECK_TEXT(command_text(object, "change.limited_by"), rows[i].limit);
        for (size_t k = 0; k < sizeof found / sizeof *found; k++)
            CHECK(isnan(expected[k]) ? isnan(found[k]) : found[k] == expected[k], "row %zu, number %zu: %g, not %g", i,
                  k, found[k], expected[k]);
    }
    COMMAND_CASES(command, "", texts);
}

/* Waits that are medians: short ones tell nothing, whatever the mean is; long ones are told with a caution. */
#define METRICS(wait, time)                                                                                            \
    "awk 'BEGIN { for (i = 19; i < 600; i += 20) printf \"{\\\"data_time\\\": %.3f, \\\"iteration\\\": %d, "           \
    "\\\"time\\\": %.3f}\\n\", " wait ", i, " time " }' > m.json; "
#define BY_PATTERN(way) "--pattern 'data:" way "=\"data_time\": %f' --pattern 'iter:" way "=\"time\": %f'"
static const struct command_case medians_cases[] = {
    {METRICS("0", "0.1 + i % 7 / 1000") "dlqueue advise m.json --loaders 8 --summary -q",
     {"?3", "^Limit: The log cannot tell how long training waits for data: its waits are medians (0 of 103 ms)",
      "\nChange: Record each wait with `dlqueue run`, or log the mean wait in place of the median",
      "\nGain: Not known. the times of the log are medians of several iterations"}},
    {"advise m.json --loaders 8 --json -q",
     {"?3", "#gain.at_most null", "\"kind\": \"record\"", "\"text\": \"the times of the log are medians of several",
      "\"bound_by\": \"unknown\""}},
    {"diagnose m.json --json -q", {"#verdict.lost null", "\"text\": \"the times of the log are medians of several"}},
    {"cp m.json m2.json; dlqueue diagnose m.json m2.json --ranks -q | grep -c 'are medians of several'", {"^1\n"}},
    {"compare m.json m.json -q", {"  - the times of the log are medians"}},
    {"diagnose m.json -q " BY_PATTERN("median"), {"^  The log cannot tell how long training waits for data"}},
    {"diagnose m.json -q " BY_PATTERN("mean"), {"^  Loading is not the bottleneck"}},
    {METRICS("0.0097", "0.1") "dlqueue diagnose m.json -q", {"^  The log cannot tell how long training waits"}},
    {METRICS("0.2385", "0.3") "dlqueue diagnose m.json -q",
     {"^  Loading is the bottleneck", "\n  - the times of the log are medians of several iterations"}},
};
COMMAND_TEST(test_medians, medians_cases)

/* The change stays within what the host has; `next` leaves the host out, which means another run to fit. */
#define EXP "advise '" TEST_DATA "/torch/cases/n2_p8_exp_r1.csv' --set host.batch_bytes=1MB "
static const struct command_case host_cases[] = {
    {EXP "--cores 3 --memory 25MB",
     {"3 (2 to 3) loaders instead of 2.\n", "24 batches ahead instead of 16, 24 MB", "\n  next: dlqueue fit ",
      "-host.batch_bytes"}},
    {EXP "--cores 2", {"Prefetch 32 instead of 8", "64 batches ahead instead of 16, 64 MB instead of 16 MB."}},
    {EXP "--cores 2 --set host.shm=40MB", {"Prefetch 20 instead of 8", "40 batches ahead", "which has 40 MB"}},
    {EXP "--cores 6 --set host.ranks_per_host=3", {"Prefetch 32", "192 MB"}},
    {EXP "--set host.shm=16MB", {"/dev/shm (16 MB) holds no more batches: make it larger"}},
    {EXP "--memory 17MB", {"The memory (17 MB) holds no more batches"}},
    {"advise '" RUNS "g3_n2_p2_s1.csv.gz' --cores 4 --summary",
     {"\nChange: 4 loaders instead of 2, as many as 4 cores run; 7 would keep the step fed. "
      "DataLoader(num_workers=4"}},
    {"advise '" RUNS "g3_n2_p2_s1.csv.gz' --cores 9 --at-most 5 --summary",
     {"\nChange: 5 loaders instead of 2, as many as --at-most allows; 7 would keep the step fed. "}},
    {"advise '" RUNS "g3_n2_p2_s1.csv.gz' --cores 4 --json", {"\"limited_by\": \"cores\"", "\"bytes\": null"}},
    {EXP "--set host.price=3", {"?2", "~only loaders, prefetch, loader and what the host has can be set here"}},
    {"(echo '# cuda=1'; echo '# synchronize=False'; cat '" TEST_DATA "/torch/cases/n2_p8_exp_r1.csv') | dlqueue "
     "advise -",
     {"Steps are launches on the GPU, which the record did not wait for: gains are upper bounds."}},
    {"(echo '# cuda=1'; echo '# synchronize=True'; cat '" TEST_DATA "/torch/cases/n2_p8_exp_r1.csv') | dlqueue "
     "advise -",
     {"-launches"}},
};
COMMAND_TEST(test_host, host_cases)

static void test_texts(void)
{
    COMMAND(command);
    static const struct command_case rows[] = {
        {"advise '" RUNS "g3_n2_p2_s1.csv.gz'",
         {"\n  To mind\n    - Assumes that a load takes as long with 7 loaders as with 2.",
          "\n  What limits\n    Loading is the bottleneck: 67.8 % of each iteration",
          "\n  The change\n    7 (6 to 7) loaders instead of 2.\n\n      DataLoader(num_workers=7,",
          "\n  What it gains\n    2.91 times as fast (95 % of runs: ",
          "\n  What it costs\n    Memory: up to 14 batches ahead instead of 4",
          "dlqueue compare BEFORE AFTER.\n\n  next: dlqueue fit "}},
        /* More loaders gain more than a larger prefetch, which needs no cores. */
        {"advise '" RUNS "exp_n4_p2_s1.csv.gz'",
         {"loaders instead of 4.\n", " Prefetch 8 instead of 2, with the present", " and takes no cores.\n"}},
        {"advise --steps 100/100s --loads 100/200s --loaders 11 --markdown",
         {"* **Limit:** Loading is the bottleneck",
          "\n* **Change:** 22 loaders instead of 11. `DataLoader(num_workers=22, prefetch_factor=2)`\n"}},
        {"advise --steps 100/100s --loads 100/200s --loaders 11 --summary",
         {"Limit: Loading is the bottleneck", "\nChange: 22 loaders instead of 11. DataLoader(num_workers=22, "
                                              "prefetch_factor=2)\nGain: The log does not tell"}},
    };
    COMMAND_CASE(command, "advise '" LOGS "timm-reference.log'",
                 {"?3", "\n  next: dlqueue advise ", ".log --loaders <your num_workers>\n"});
    /* timm's create_loader keeps its workers. */
    COMMAND_CASE(command, "advise '" LOGS "timm-epochs.log' --loaders 8",
                 {"starts of epochs (2 in the log) wait", "!persistent_workers"});
    if (test_long()) /* some seconds */
        COMMAND_CASE(command, "advise '" RUNS "g3_n2_p2_s1.csv.gz' --also '" RUNS "g3_n8_p2_s1.csv.gz'",
                     {"!Assumes that a load takes as long", "\n  next: dlqueue fit ", " --also "});
    COMMAND_CASE(command, "advise --steps 100/100s --loads 100/200s --loaders 11",
                 {"^  22 loaders instead of 11.\n\ntwo stopwatch runs\nstopwatch · 100 iterations\n",
                  "50.0 % of each iteration (1 s of 2 s)",
                  "\n  next: dlqueue fit --steps 100/100s --loads 100/200s --loaders 11\n"});
    COMMAND_CASES(command, "", rows);
    int lines = 0;
    for (const char *at = command->out; *at != '\0'; at++)
        lines += *at == '\n';
    CHECK_INT(lines, 3);
}

static void test_refusals(void)
{
    static const struct command_case rows[] = {
        {"advise", {"?2", "~advise needs a log: dlqueue advise train.log"}},
        {"advise none.log", {"?2", "~cannot read none.log"}},
        {"advise a.csv b.csv", {"?2", "~advise needs one run"}},
        {"advise a.csv --load 1s", {"?2", "~--load: load.mean belongs to a model"}},
        {"advise a.csv --csv", {"?2", "~--csv"}},
        {"advise '" LOGS "timm-reference.log' --also '" RUNS "g3_n8_p2_s1.csv.gz'",
         {"?2", "~does not show how many loaders there were: --loaders N of the log, --also N=FILE"}},
        {"advise '" LOGS "timm-reference.log' --loaders 4 --also 7='" RUNS "g3_n8_p2_s1.csv.gz'",
         {"?2", "~7 loaders given, but the logs show 8"}},
        {"advise '" LOGS "timm-reference.log' --loaders 8 --also '" RUNS "g3_n8_p2_s1.csv.gz'",
         {"?3", "~The table cannot tell: above 0 only"}},
        {"advise a.csv --steps 100/1s --loads 100/2s", {"?2", "~advise: give either logs, or --steps and --loads"}},
        {"advise --steps 100/1s", {"?2", "~--steps and --loads belong together"}},
        {"advise --steps 100/1s --loads fast", {"?2", "~--loads: 'fast' is not a count and a time"}},
        {"advise loads.csv", {"?3", "~neither the time waiting for data nor that of an iteration"}},
        {"advise '" RUNS "g3_n2_p2_s1.csv.gz' --loaders 5", {"?2", "~5 loaders given, but the logs show 2"}},
        {"advise '" LOGS "timm-epochs.log' --loaders 8 --set pipeline.loaders=17",
         {"?2", "~--loaders 8 and --set pipeline.loaders=17: give only the number of loaders of the logs"}},
        {"fit a.csv --summary", {"?2", "~--summary is an option of: advise"}},
    };
    COMMAND(command);
    command_write(command, "a.csv", "data_time,iter_time\n0.1,0.2\n");
    command_write(command, "b.csv", "data_time,iter_time\n0.1,0.2\n");
    command_write(command, "loads.csv", "load_time\n0.1\n0.2\n");
    COMMAND_CASES(command, "", rows);
}

TEST_SUITE(advise, SLOW_CASE(test_changes), CASE(test_words), CASE(test_how_many), CASE(test_medians), CASE(test_host),
           CASE(test_texts), CASE(test_refusals));
