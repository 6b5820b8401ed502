/* What pictures contain: every picture is drawn at many sizes, from odd runs and with hostile names; its texts are
   those of the finding, and its blocks of data are what tables, JSON and records say. */
#include "command.h"
#include "draw/gnuplot.h"
#include "report/made_plan.h"
#include "report/slots.h"

#define FEW " -q --set simulate.precision=0 --set simulate.replications=2 --set simulate.batches=100"
#define ONE "--loaders 2 --load 1s --step 1s"
#define TWELVE "--loaders 4 --load 1s --step 100ms --cv 0.5"

static const char *const every_picture[] = {
    "sweep " TWELVE FEW " --set sweep.loaders=1..12",
    "sweep " TWELVE FEW " --set sweep.loaders=1,2,4,8,16,32 --set 'sweep.load=0.1s..2s in 6 log' --batch-size 32",
    "sweep " ONE FEW " --set sweep.loaders=2,3 --set sweep.load=0.5s,1s", /* a sentence instead of a map */
    "sweep " TWELVE FEW " --tornado --set load.uses=cpu --set host.cores=3 --set host.contention=3%",
    "solve " TWELVE FEW " --plot",
    "plan '" PROJECT_SOURCE "/configs/resnet50-a100.ini'" FEW " --plot",
    "timeline " TWELVE " --set pipeline.ranks=2",
    "timeline " TWELVE " --against completion",
    "timeline " TWELVE " --waits",
    "diagnose ten.csv --plot -q",
    "diagnose '" TEST_DATA "/logs/csv-ranks.csv' ten.csv --plot -q",
    "fit '" TEST_DATA "/torch/indep/n8_p2_gamma0.3_r1_s104.csv' --plot -q",
};

/* Runs of which some figure has no value, or all are the same: at a usual size alone. */
static const char *const odd_pictures[] = {
    "sweep " ONE FEW " --step 0 --batch-size 8",
    "sweep " ONE FEW " --step 0 --set sweep.loaders=1,2,3 --set sweep.load=1s,2s",
    "sweep " ONE FEW " --loaders 0",
    "sweep " ONE FEW " --set sweep.loaders=1",
    "sweep " ONE FEW " --set sweep.loaders=1 --set sweep.load=1s",
    "sweep " ONE FEW " --set sweep.loaders=1 --set sweep.load=1s,2s",
    "sweep " ONE FEW " --set sweep.loaders=1,2 --set sweep.load=4s",
    "sweep " ONE FEW " --set sweep.loaders=0,1,4096",
    "sweep " ONE FEW " --set sweep.step=0",
    "sweep " ONE FEW " --set sweep.step=0,1s --set sweep.load=1ns,1e9s",
    "sweep " ONE FEW " --cv 1 --set sweep.cv=0,100",
    "sweep " ONE FEW " --load 1e9s --step 1e9s",
    "sweep " ONE FEW " --load 1ns --step 1e9s",
    "sweep " ONE FEW " --set 'sweep.load=1ns..1e9s in 4 log'",
    "sweep " ONE FEW " --set 'sweep.load=1s..1.0000001s in 3'",
    "sweep " ONE FEW " --set load.distribution=pareto --set load.alpha=1.0001",
    "sweep " ONE FEW " --set pipeline.epoch_batches=1 --set overheads.startup=1e9s",
    "sweep " ONE " -q --cv 1 --set simulate.batches=100 --set simulate.replications=1 --set sweep.loaders=1,2,3",
    "sweep " ONE " --set simulate.horizon=1ms --set sweep.loaders=1,2,3 -q",
    "sweep " ONE " --set simulate.horizon=1ms --set sweep.loaders=1,2,3 --set sweep.load=1s,2s -q",
    "sweep " ONE FEW " --tornado",
    "sweep " ONE " --tornado --set simulate.horizon=1ms -q",
    "sweep " ONE FEW " --loaders 0 --step 0 --tornado",
    "solve " ONE FEW " --plot",
    "solve " ONE FEW " --loaders 0 --step 0 --plot",
    "solve " ONE " --set simulate.horizon=1ms --plot -q",
    "plan " ONE FEW " --load 100s --at-most 1 --plot",
    "plan " ONE " --set simulate.horizon=1ms --plot -q",
    "plan " ONE FEW " --set plan.solve=prefetch --plot",
    "plan " ONE FEW " --set load.uses=storage --set load.bytes=1MB --set plan.solve=storage --plot",
    "plan " ONE FEW " --set plan.solve=instance --plot",
    "plan " ONE FEW " --set host.instance=g5.xlarge --set plan.solve=instance --plot",
    "timeline " ONE " --step 0",
    "timeline " ONE " --waits",
    "timeline " ONE " --step 0 --waits",
    "timeline " ONE " --loaders 0 --until 3s",
    "timeline " ONE " --until 1ns",
    "timeline " ONE " --load 1e9s --step 1ns --waits",
    "timeline " ONE " --cv 2 --set pipeline.ranks=64",
    "diagnose '" TEST_DATA "/logs/csv-points.csv' --plot -q",
};

/* A log of ten iterations. gnuplot leaves what it complains of in a file, but for what a column without a number, one
   point or one row make it say. */
static struct command *drawing_new(void)
{
    static const char shim[] = "#!/bin/sh\nPATH=${PATH#*:} exec gnuplot \"$@\" 2>>\"${0%/*}/said\"\n";
    struct command *command = command_new();
    command_run(command, "mkdir bin;", "--version");
    command_write(command, "bin/gnuplot", shim);
    command_write(command, "ten.csv",
                  "data_time,iter_time\n0.1,0.3\n0.2,0.4\n0,0.2\n0.5,0.7\n0.1,0.3\n0.1,0.31\n0.2,0.4\n0,0.2\n"
                  "0,0.21\n0.1,0.3\n");
    return command;
}

static void draw(struct command *command, const char *arguments, const char *more)
{
    static const char complaints[] =
        "grep -v -e '^ *$' -e 'o valid points' -e 'No valid data points' -e 'Errors of slope and intercept are zero' "
        "-e 'All points out of range' -e 'adjusting to' -e 'Cannot contour non grid data' bin/said >&2; ";
    char line[1000];
    snprintf(line, sizeof line, "%s -o out %s --keep-scripts%s", arguments, more,
             strncmp(arguments, "fit", 3) == 0 ? " --set plot.directory=out >fitted.ini -o -" : "");
    int status = command_run(command, "chmod 755 bin/gnuplot; rm -rf out; >bin/said; PATH=\"$PWD/bin:$PATH\"", line);
    CHECK(status == 0 || (status == 3 && strncmp(arguments, "plan", 4) == 0), "%s: %d %s", line, status, command->err);
    CHECK_TEXT(command->err, "");
    command_run(command, complaints, "--version");
    CHECK(command->err[0] == '\0', "%s: gnuplot says %s", line, command->err);
}

/* The same script with another text in each of its slots, to be freed. */
static char *with_text(const char *script, const char *text)
{
    char *made = NULL, *quoted = dlq_gnuplot_quote(text, true);
    size_t size = 0;
    const char *end = strstr(script, "\n# style.gp"), *at = script;
    FILE *stream = open_memstream(&made, &size);
    for (const char *slot; (slot = strstr(at, " = \"")) != NULL && slot < end; at = strchr(slot, '\n'))
        fprintf(stream, "%.*s = %s", (int)(slot - at), at, quoted);
    fputs(at, stream);
    fclose(stream);
    free(quoted);
    return made;
}

/* gnuplot draws the scripts in out with whatever texts: one of them, all with scripts/test --long. */
static void check_texts(struct command *command, size_t which)
{
    static char script[COMMAND_TEXT], files[2000], endless[601];
    static const char *const texts[] = {
        "",      " ",
        "\n",    "\"'\\`touch ran`\n!touch ran\n@x %s %d %h $(touch ran) {/=99 z}_^ END_OF_DATA",
        endless, "\xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x9a\x80 \xff"};
    enum { TEXTS = sizeof texts / sizeof *texts };
    memset(endless, 'm', sizeof endless - 1);
    command_run(command, "ls out/*.gp >files;", "--version");
    command_file(command, "files", files, sizeof files);
    for (const char *file = strtok(files, "\n"); file != NULL; file = strtok(NULL, "\n")) {
        command_file(command, file, script, sizeof script);
        for (size_t k = test_long() ? 0 : which % TEXTS; k < TEXTS; k += test_long() ? 1 : TEXTS) {
            struct dlq_image image = {0};
            struct dlq_error error = {0};
            FREED char *other = with_text(script, texts[k]);
            CHECK(dlq_gnuplot_run(other, "png", 60, NULL, &image, &error) == DLQ_OK, "%s, text %zu: %s", file, k,
                  error.text);
            CHECK(access("ran", F_OK) != 0, "%s, text %zu ran a command", file, k);
            free(image.bytes);
        }
    }
}

/* Each picture at one of the sizes and in two of the formats; with scripts/test --long at and in all of them. */
static void test_drawn(void)
{
    static const char *const sizes[] = {"640x400", "1600x900", "3000x1600"}, *const formats[] = {"png,svg", "png,pdf"};
    COMMAND_OF(command, drawing_new());
    for (size_t i = 0; i < sizeof every_picture / sizeof *every_picture; i += test_full() ? 1 : 2)
        for (size_t s = test_long() ? 0 : i % 3; s < 3; s += test_long() ? 1 : 3) {
            char more[100];
            snprintf(more, sizeof more, "--set plot.size=%s --set plot.format=%s", sizes[s],
                     test_long() ? "png,svg,pdf" : formats[i % 2]);
            draw(command, every_picture[i], more);
            command_run(command, "ls out | grep -c -e 'png$' -e 'svg$' -e 'pdf$' >&2;", "--version");
            long files = strtol(command->err, NULL, 10);
            CHECK(files > 0 && files % (test_long() ? 3 : 2) == 0, "%s: %ld files", every_picture[i], files);
            if (s == i % 3 && i % test_every(3) == 0)
                check_texts(command, i);
        }
    for (size_t i = 0; i < sizeof odd_pictures / sizeof *odd_pictures; i += test_every(5))
        draw(command, odd_pictures[i], "--set plot.size=320x320");
}

/* Names that gnuplot, or the shell behind it, would obey are drawn as they are, in every picture. */
static void test_hostile_names(void)
{
    static const char name[] = "it's \"x\" `touch ran` \\n @y %s $(touch ran) {=99 z}_^ \xe6\x97\xa5\xf0\x9f\x9a\x80";
    static const char drawn[] = "it's \"x\" `touch ran` \\n @y %s $(touch ran) {=99 z}_^ \xef\xbf\xbd\xef\xbf\xbd";
    static const struct {
        const char *arguments, *script;
    } rows[] = {
        {"sweep x.ini" FEW " --set sweep.loaders=1,2,3", "throughput"},
        {"sweep x.ini" FEW " --set sweep.loaders=1,2,3", "utilization"},
        {"sweep x.ini" FEW " --set sweep.loaders=1,2,3 --set sweep.load=1s,4s", "utilization"},
        {"solve x.ini" FEW " --plot", "levers"},
        {"solve x.ini" FEW " --plot", "queue"},
        {"plan x.ini" FEW " --plot", "plan"},
        {"timeline x.ini --until 3s", "timeline"},
        {"timeline x.ini --waits", "waits"},
        {"diagnose *.csv --plot -q", "waits"},
    };
    static char script[COMMAND_TEXT];
    COMMAND_OF(command, drawing_new());
    char text[SLOT_TEXT], find[100];
    snprintf(text, sizeof text, "[pipeline]\nname = %s\nloaders = 2\n[load]\nmean = 1s\ncv = 1\n[step]\nmean = 1s\n",
             name);
    command_write(command, "x.ini", text);
    command_run(command, "mv ten.csv \"$(sed -n 's/^name = //p' x.ini).csv\";", "--version");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (i == 0 || strcmp(rows[i].arguments, rows[i - 1].arguments) != 0)
            draw(command, rows[i].arguments, "");
        snprintf(find, sizeof find, "cat out/*-%s.gp >script;", rows[i].script);
        command_run(command, find, "--version");
        command_file(command, "script", script, sizeof script);
        slot_text(script, "SUBTITLE", text);
        CHECK(strstr(text, drawn) != NULL, "%s, %s: '%s'", rows[i].arguments, rows[i].script, text);
        CHECK(!command_has(command, "ran"), "%s ran a command", rows[i].arguments);
    }
}

#define TAIL                                                                                                           \
    "sweep '" PROJECT_SOURCE                                                                                           \
    "/configs/tail.ini' -q --set 'sweep.load=590ms, 600ms' --set 'sweep.loaders=1, 4, 7, 16, 22, 28, 34'"
#define POOL "sweep --loaders 4 --load 1s --step 100ms --loader pool -q --set sweep.loaders=1..3"
/* What slots hold: a part of the text, or the number as "=7", none as "=nan". No arguments: of the same run. */
static const struct {
    const char *arguments, *script, *slot, *text;
} slot_cases[] = {
    {"sweep " ONE FEW " --set sweep.loaders=2,3 --set sweep.load=0.5s,1s", "dlqueue-utilization", "SENTENCE",
     "The trainer is at least 100 % busy at every point of the grid."},
    {"sweep " ONE FEW " --load 7s --set sweep.loaders=1,2,4,8,16", "dlqueue-throughput", "XLOG", "=1"},
    {"", "dlqueue-throughput", "AX", "=8"},
    {"", "dlqueue-throughput", "ATEXT", "8 loaders: 1.00 batches/s, 100 % busy"},
    {"", "dlqueue-throughput", "NX", "=2"},
    {"", "dlqueue-throughput", "NTEXT", "now 2 loaders"},
    {"", "dlqueue-throughput", "REGIONS[1]", "\"LOADING-BOUND\" -1e+15 6 "},
    {"", "dlqueue-throughput", "REGIONS[2]", " 6 1e+15 "},
    {"", "dlqueue-utilization", "AY", "=100"},
    {"", "dlqueue-utilization", "NTEXT", "now 2 loaders: 28.6 %"},
    {"sweep " ONE FEW " --set 'sweep.load=0.1s..9s in 5 log'", "dlqueue-throughput", "XLOG", "=1"},
    {"sweep " ONE FEW " --load 9s --set sweep.loaders=1..3", "dlqueue-throughput", "XLOG", "=0"},
    {"", "dlqueue-throughput", "AX", "=nan"},
    {"", "dlqueue-throughput", "TITLE", "Even with 3 loaders, utilization stays below 95 %, held back by loading"},
    {"sweep " ONE FEW " --set sweep.loaders=1", "dlqueue-throughput", "REGIONS[1]", " -1e+15 1e+15 "},
    {"", "dlqueue-throughput", "LX", "=nan"},
    {"sweep " ONE FEW " --step 0", "dlqueue-throughput", "STEP", "=nan"},
    {TAIL, "tail-throughput", "REGIONS[1]", "LOADING-BOUND"},
    {"", "tail-throughput", "REGIONS[2]", "VARIANCE"},
    {"", "tail-throughput", "REGIONS[3]", "ORDER"},
    {"", "tail-throughput", "REGIONS[4]", "STEP-BOUND"},
    {POOL, "dlqueue-throughput", "LX", "=2"},
    {POOL " --set pipeline.window=unbounded", "dlqueue-throughput", "SUBTITLE", "window unbounded"},
    {POOL " --set pipeline.ranks=2", "dlqueue-throughput", "SUBTITLE", "2 ranks"},
    {"", "dlqueue-throughput", "YLABEL", "Throughput of a rank (batches/s)"},
    {POOL " --set step.distribution=exponential", "dlqueue-throughput", "SUBTITLE", "step 100 ms (exponential, cv 1)"},
    {POOL " --set simulate.horizon=30s", "dlqueue-throughput", "LX", "=nan"},
    {POOL " --set sweep.ranks=1,2,4", "dlqueue-utilization", "YLABEL", "Data-parallel ranks"},
    {"", "dlqueue-throughput", "XLABEL", "Loader workers, with 1 rank"},
    {"diagnose rank0.csv rank1.csv rank2.csv --plot -q", "rank0-ranks", "TITLE",
     "rank 1 waits 300 ms for each batch, the median rank 100 ms"},
    {"", "rank0-ranks", "MTEXT", "median rank 100 ms"},
    {"", "rank0-ranks", "DATA[2]", "1 300 1 "},
    {"timeline --waits '" PROJECT_SOURCE "/configs/tail.ini'", "tail-waits", "XNAME",
     "Batch (the first 240 of the 20,000 from 2,000 on)"},
    {"", "tail-waits", "MTEXT", "mean of all 20,000: 54.9 ms"},
    {"timeline --waits --loaders 7 --load 2s --step 100ms", "dlqueue-waits", "PERIOD", "=7"},
    {"", "dlqueue-waits", "PTEXT", "autocorrelation of the waits: repeats every 7 batches: 1.00, 1.00, 1.00 …"},
    {"timeline --waits --loaders 7 --load 20ms --step 100ms", "dlqueue-waits", "EMPTY",
     "all waits are equal: there is no rhythm to find"},
};

static void test_slots(void)
{
    static char script[COMMAND_TEXT];
    COMMAND(command);
    char text[SLOT_TEXT], name[64], line[1000];
    command_fake_gnuplot(command);
    command_run(
        command,
        "for r in 0 1 2; do { echo data_time,iter_time; yes 0.$((1 + r % 2 * 2)),0.5 | head -n 9; } >rank$r.csv; "
        "done;",
        "--version");
    for (size_t i = 0; i < sizeof slot_cases / sizeof *slot_cases; i++) {
        snprintf(line, sizeof line, "%s -o out --keep-scripts", slot_cases[i].arguments);
        CHECK(slot_cases[i].arguments[0] == '\0' || command_run(command, "PATH=$PWD/bin:$PATH", line) == 0, "%s: %s",
              line, command->err);
        snprintf(name, sizeof name, "out/%s.gp", slot_cases[i].script);
        command_file(command, name, script, sizeof script);
        if (slot_cases[i].text[0] == '=')
            snprintf(text, sizeof text, "=%.10g", fabs(slot_number(script, slot_cases[i].slot)));
        else
            slot_text(script, slot_cases[i].slot, text);
        bool same = text[0] == '=' ? strcmp(text, slot_cases[i].text) == 0 : strstr(text, slot_cases[i].text) != NULL;
        CHECK(same, "row %zu, %s: '%s', not '%s'", i, slot_cases[i].slot, text, slot_cases[i].text);
    }
}

static struct made made;
static struct slot_rows drawn;

/* Plans and levers that are made by hand, and what must be somewhere among the texts. */
static void check_part(const char *script, const char *part)
{
    static const char *const slots[] = {"TITLE",  "SUBTITLE", "TTEXT",     "FIGURE",   "MNAME[1]", "MNAME[2]",
                                        "XLABEL", "FULL",     "UNREACHED", "PNAME[1]", "PNAME[2]", "MNAME[3]",
                                        "LTEXT",  "NAMES[1]", "NAMES[2]",  "NAMES[5]"};
    char text[SLOT_TEXT];
    bool found = false;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        found = found || strstr(slot_text(script, slots[i], text), part) != NULL;
    CHECK(found, "no '%s' in %.2000s", part, script);
}

static void test_plans(void)
{
    static const struct {
        enum dlq_plan_solve solve;
        enum dlq_plan_of of;
        double target;
        long count, answer;
        const char *part;
    } rows[] = {
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 15, "The finding"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 15, "a plan · pytorch · prefetch 2 · load 1 s"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 15, "16 runs × 20,000 batches · seed 1"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 15, "The finding, the smallest count for 95 %"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 15, "memory of a host (B)"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 15, "target 95 %"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 15, "15 loaders: 95.0 %"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 15, "CAN'T REACH 95 %"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 15, "load/step: 10, 86.5 %"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 15, "cores - 1: 11, 88.9 % (cores/ranks - 1)"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 11, "11 loaders: 88.9 % (cores - 1) (cores/ranks - 1)"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 12, 0, "; best: 12 loaders, with 90.9 %, held back by the cores"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 12, 0, "best: 12 loaders: 90.9 %"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_SAMPLES_PER_SECOND, 2000, 18, 8, "throughput of all ranks (samples/s)"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_SAMPLES_PER_SECOND, 2000, 18, 8, "CAN'T REACH 2,000 samples/s"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_AU, 0.95, 18, 15, "accelerator utilization (au)"},
        {DLQ_SOLVE_PREFETCH, DLQ_OF_UTILIZATION, 0.95, 18, 15, "prefetch 15: 95.0 %"},
        {DLQ_SOLVE_RANKS, DLQ_OF_UTILIZATION, 0.95, 18, 5, "Data-parallel ranks"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.1, 1, 1, "1 loader: 10.0 %"},
    };
    static const struct {
        const char *memory, *shm;
        enum dlq_cause binds;
        const char *label;
    } rooms[] = {
        {"17GB", "", DLQ_CAUSE_MEMORY, "NO ROOM IN MEMORY: 17GB"},
        {"", "4GB", DLQ_CAUSE_SHM, "NO ROOM IN /dev/shm: 4GB"},
        {"17GB", "4GB", DLQ_CAUSE_MEMORY, "NO ROOM IN MEMORY: 17GB"},
        {"17GB", "4GB", DLQ_CAUSE_SHM, "NO ROOM IN /dev/shm: 4GB"},
        {"17GB", "4GB", DLQ_CAUSE_ORDER, "NO ROOM ON THE HOST"},
    };
    struct dlq_plan_subject subject = {&made.planned, "", "", false};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make(&made, rows[i].solve, rows[i].of, rows[i].target, rows[i].count, rows[i].answer);
        char *script = slots_made(dlq_picture_plan, &subject);
        check_part(script, rows[i].part);
        slot_rows(script, "ZONES", &drawn);
        CHECK(drawn.count == 0 || drawn.at[0][0] == 0, "the first zone begins at %g", drawn.at[0][0]);
        CHECK_REL(slot_number(script, "AX"), (double)(rows[i].answer > 0 ? rows[i].answer : rows[i].count), 1e-9);
        free(script);
    }
    /* A figure without value is none, not 100 %; an end of an interval beyond 100 % is 100 %. */
    make(&made, DLQ_SOLVE_LOADERS, DLQ_OF_AU, 0.95, 18, 15);
    made.candidates[2].figure = (struct dlq_estimate){NAN, NAN, NAN};
    made.candidates[17].figure.high = 1.3;
    FREED char *odd = slots_made(dlq_picture_plan, &subject);
    slot_rows(odd, "DATA", &drawn);
    CHECK(isnan(drawn.at[2][1]) && drawn.at[17][3] == 100, "%g, %g", drawn.at[2][1], drawn.at[17][3]);
    /* A row for each instance whose price is known; the others are listed, those that are alike together. */
    make(&made, DLQ_SOLVE_INSTANCE, DLQ_OF_UTILIZATION, 0.95, 7, 4);
    for (size_t i = 0; i < 7; i++) {
        made.candidates[i].instance = (const char *[]){"a", "b", "c", "d", "e", "f", "g"}[i];
        made.candidates[i].cost_per_hour = (double[]){1, 1.0199, 1.021, 3, NAN, NAN, NAN}[i];
        made.candidates[i].figure.value = (double[]){0.5, 0.526, 0.49, 0.951, 0.962, 0.91, 0.91}[i];
        made.candidates[i].loaders = (long[]){1, 2, 3, 4, 5, 6, 6}[i];
        made.candidates[i].hosts = (double[]){1, 2, 4, 8, 1, 1, 1}[i];
        made.candidates[i].meets = i > 2 && i < 5;
    }
    made.candidates[1].host.fits = made.candidates[4].host.fits = false;
    made.plan.answer = made.candidates[3];
    char *priced = slots_made(dlq_picture_plan, &subject), text[SLOT_TEXT];
    slot_rows(priced, "DATA", &drawn);
    slot_check("figure", &drawn, 0, (double[]){50, 52.6, 49, 95.1}, 4);
    slot_check("reaches", &drawn, 1, (double[]){0, 0, 0, 1}, 4);
    slot_check("answer", &drawn, 2, (double[]){0, 0, 0, 1}, 4);
    CHECK_TEXT(slot_text(priced, "INAME[2]", text), "b");
    CHECK_TEXT(slot_text(priced, "COUNT[2]", text), "2: no room");
    CHECK_TEXT(slot_text(priced, "COUNT[3]", text), "3");
    CHECK_TEXT(slot_text(priced, "PRICE[4]", text), "3.00");
    CHECK_TEXT(slot_text(priced, "HOSTS[4]", text), "8");
    CHECK_TEXT(slot_text(priced, "LIST", text),
               "Price not known: 96.2 % with 5 loaders, for which there is no room: e; 91.0 % with 6 loaders: f, g");
    free(priced);
    /* An answer without a known price has a row. */
    made.plan.answer = made.candidates[5];
    priced = slots_made(dlq_picture_plan, &subject);
    CHECK_TEXT(slot_text(priced, "PRICE[6]", text), "not known");
    CHECK_TEXT(slot_text(priced, "LIST", text), "Price not known: 91.0 % with 6 loaders: g");
    free(priced);
    make(&made, DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 30, 15);
    for (size_t i = 15; i < made.plan.count; i++)
        made.candidates[i].host.fits = false;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        subject = (struct dlq_plan_subject){&made.planned, rooms[i].memory, rooms[i].shm, false};
        made.plan.obstacle = rooms[i].binds;
        char *script = slots_made(dlq_picture_plan, &subject);
        check_part(script, rooms[i].label);
        free(script);
    }
}

static void test_levers(void)
{
    static const struct {
        double gain, half, second; /* of the first change, of the second */
        bool proven, second_proven;
        enum dlq_cause bound_by;
        const char *part;
    } rows[] = {
        {0.004, 0.001, -0.2, true, true, DLQ_CAUSE_STEP, "Nothing tried gains more than 1 %: the step is the limit"},
        {0.004, 0.001, 0, true, false, DLQ_CAUSE_RECEIVE, "Nothing tried gains more than 1 %: receiving is the limit"},
        {0.004, 0.001, 0, true, false, DLQ_CAUSE_LOAD, "Nothing tried gains more than 1 %"},
        {0.03, 0.05, 0, false, false, DLQ_CAUSE_ORDER, "Nothing tried is proven to gain more than 1 %"},
        {0.03, 0.05, 0.02, false, true, DLQ_CAUSE_LOAD,
         "Best proven gain: second, 10.2 instead of 10.0 batches/s (+2.0 %)"},
        {1, 0, 0, true, false, DLQ_CAUSE_LOAD, "Best gain: first, 20.0 instead of 10.0 batches/s (+100 %)"},
        {1, 0, 0, true, false, DLQ_CAUSE_LOAD, "what this step allows: 40.0"},
        {1, 0, 0, true, false, DLQ_CAUSE_LOAD, "a plan · pytorch · 8 loaders"},
    };
    make(&made, DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 1, 1);
    struct dlq_solution solution = {
        .description = made.plan.description,
        .simulation = {.throughput = {10, 10, 10}, .replications = 16, .batches_per_replication = 20000},
        .bounds = {.step = 40},
        .levers = {.count = 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_lever *first = &solution.levers.rows[0], *second = &solution.levers.rows[1];
        double gain = rows[i].gain, other = rows[i].second;
        *first = (struct dlq_lever){DLQ_LEVER_STAGE_FREE,
                                    "first",
                                    {10 + 10 * gain, 0, 0},
                                    {gain, gain - rows[i].half, gain + rows[i].half},
                                    NAN,
                                    rows[i].proven};
        *second = (struct dlq_lever){DLQ_LEVER_STAGE_FREE,  "second", {10 + 10 * other, 0, 0},
                                     {other, other, other}, NAN,      rows[i].second_proven};
        solution.verdict.bound_by = rows[i].bound_by;
        char *script = slots_made(dlq_picture_levers, &solution);
        check_part(script, rows[i].part);
        slot_rows(script, "DATA", &drawn);
        slot_check("gain", &drawn, 0, (double[]){100 * gain, 100 * other}, 2);
        slot_check("low", &drawn, 1, (double[]){100 * (gain - rows[i].half), 100 * other}, 2);
        slot_check("proven", &drawn, 3, (double[]){rows[i].proven, rows[i].second_proven}, 2);
        free(script);
    }
    solution.simulation.throughput.value = 0;
    solution.levers.rows[0].gain = solution.levers.rows[1].gain = (struct dlq_estimate){NAN, NAN, NAN};
    char *script = slots_made(dlq_picture_levers, &solution);
    check_part(script, "No step ends within the horizon");
    CHECK(slot_of(script, "SENTENCE") != NULL, "no sentence");
    free(script);
}

TEST_SUITE(pictures, CASE(test_drawn), CASE(test_hostile_names), CASE(test_slots), CASE(test_plans), CASE(test_levers));
