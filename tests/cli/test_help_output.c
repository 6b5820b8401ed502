/* dlqueue help output: each field and column that commands write is explained, and each that is explained is written.
 */
#include "cli/help.h"
#include "fields_survey.h"
#include "report/plan_report.h"

#include <glob.h>

/* -- runs -- */

static const struct {
    const char *name, *text;
} files[] = {
    {"full.ini",
     "[pipeline]\nloaders = 4\nranks = 2\nbatch_size = 64\nepoch_batches = 100\n[overheads]\nstartup = 1s\nreceive = "
     "2ms\n"
     "pin_time = 5ms\n[load.read]\nmean = 60ms\ndistribution = gamma\ncv = 0.5\nuses = storage\nbytes = 100KB\n"
     "[load.decode]\nmean = 300ms\nuses = cpu\n[step]\nmean = 100ms\n[host]\ncores = 6\nmemory = 64GiB\nshm = 32GiB\n"
     "bandwidth = 1GB/s\nloader_memory = 1GB\nprice = 20\n[storage]\nbandwidth = 2GB/s\n[simulate]\nbatches = 100\n"
     "replications = 16\nprecision = 5%\n"},
    {"two.ini", "[pipeline]\nloaders = 2\n[load]\nmean = 200ms\ndistribution = exponential\n[step]\nmean = 100ms\n"
                "distribution = exponential\n[simulate]\nbatches = 300\nreplications = 16\nprecision = 5%\n"},
    {"ranks.ini", "[pipeline]\nloaders = 4\nranks = 3\nslow_loaders = 1\nslow_factor = 2\n[load]\nmean = 500ms\n"
                  "distribution = gamma\ncv = 0.1\n[step]\nmean = 100ms\n[simulate]\nbatches = 300\nreplications = 16\n"
                  "precision = 5%\n"},
    {"horizon.ini", "[pipeline]\nloaders = 2\n[load]\nmean = 200ms\n[step]\nmean = 50ms\n[simulate]\nhorizon = 10s\n"},
    {"pauses.ini",
     "[pipeline]\nloaders = 2\nepoch_batches = 20\nepochs = 2\nbatch_size = 4\n[load.read]\nmean = 100ms\n"
     "uses = storage\nbytes = 1MB\n[load.decode]\nmean = 50ms\n[step.train]\nmean = 50ms\n[step.save]\n"
     "mean = 100ms\nevery = 10\n[cache]\nshare = 50%\n[slowdown]\ninterval = 10s\nduration = 1s\n"
     "[simulate]\nreplications = 16\nprecision = 5%\n"},
    {"samples.ini", "[pipeline]\nloaders = 2\nbatch_size = 4\n[load]\nmean = 100ms\nper = sample\n[step]\nmean = 50ms\n"
                    "[simulate]\nbatches = 300\n"},
    {"data.csv", "index,data_time\n0,0.1\n1,0.1\n2,0.2\n"},
    {"loads_only.csv", "index,load_time,step_time\n0,0.3,0.1\n1,0.4,0.1\n2,0.3,0.1\n3,0.5,0.1\n4,0.3,0.1\n5,0.4,0.1\n"},
    {"workers.csv", "index,worker,load_time,data_time,iter_time\n0,0,0.3,0.1,0.2\n1,1,0.4,0.1,0.2\n"
                    "2,0,0.3,0.1,0.2\n3,1,0.5,0.1,0.2\n4,0,0.3,0.1,0.2\n5,1,0.5,0.1,0.2\n"},
};

/* 600 iterations: the first sixteen don't wait, the others ever longer. */
static void write_waits(const struct command *command)
{
    char text[20000];
    size_t used = 0;
    for (int i = 0; i < 600; i++) {
        double wait = i < 16 ? 0 : 0.02 + 2e-4 * i + 1e-3 * (i % 7);
        used += (size_t)snprintf(text + used, sizeof text - used, "%.4f/%.4f\n", wait, wait + 0.1);
    }
    command_write(command, "waits.log", text);
}

/* Loads of infinite variance, in the training process itself. */
static void write_loads(const struct command *command)
{
    char text[20000] = "load_time,request,received,step_end\n";
    size_t used = strlen(text);
    double now = 0;
    for (int i = 0; i < 300; i++) {
        double load = 0.1 * pow(1 - fmod(0.618034 * (i + 0.5), 1), -1 / 1.2);
        used += (size_t)snprintf(text + used, sizeof text - used, "%.6f,%.6f,%.6f,%.6f\n", load, now, now + load,
                                 now + load + 0.1);
        now += load + 0.1;
    }
    command_write(command, "loads.csv", text);
}

static const char *const lines[] = {
    "solve full.ini",
    "solve two.ini",
    "solve two.ini --set simulate.method=markov",
    "solve two.ini --loaders 0",
    "solve two.ini --step 0",
    "solve two.ini --set load.distribution=pareto --set load.alpha=1.8 --set pipeline.window=unbounded",
    "solve horizon.ini ranks.ini",
    "solve horizon.ini --set simulate.horizon=100ms",
    "solve horizon.ini --set pipeline.epoch_batches=10",
    "solve pauses.ini",
    "solve pauses.ini --set pipeline.epochs=1",
    "sweep horizon.ini -o out --set simulate.horizon=100ms --set sweep.loaders=1,2",
    "sweep two.ini -o out --set sweep.loaders=1,2 --set sweep.load=100ms,1s",
    "sweep two.ini -o out --set sweep.prefetch=1,2 --set sweep.step=0,1s",
    "sweep full.ini -o out --set sweep.ranks=1,2",
    "sweep ranks.ini -o out --set sweep.cv=0.1,0.2",
    "sweep two.ini -o out --set host.cores=4 --set sweep.cores=2,4 --set sweep.startup=0s,1s",
    "sweep two.ini -o out --set host.bandwidth=1GB/s --set sweep.bandwidth=1GB/s,2GB/s",
    "sweep two.ini -o out --set sweep.startup_per_loader=0s,1s",
    "sweep pauses.ini -o out --set sweep.cache=0,0.5",
    "sweep samples.ini -o out --set sweep.threads=1,2 --set sweep.batch_size=2,4",
    "plan full.ini --set plan.at_most=8",
    "plan two.ini --set plan.at_most=6 --loader dataloaders.jl",
    "plan two.ini --step 0 --batch-size 2 --set plan.of=samples_per_second --target 3",
    "plan two.ini --set pipeline.window=unbounded --set load.distribution=pareto --set load.alpha=1.8",
    "plan full.ini --set plan.solve=cores",
    "plan full.ini --set plan.solve=bandwidth",
    "plan full.ini --set plan.solve=storage",
    "plan two.ini --set plan.solve=instance",
    "plan horizon.ini --set simulate.horizon=100ms --set plan.at_most=4",
    "timeline full.ini",
    "timeline two.ini --loaders 0",
    "timeline horizon.ini",
    "timeline horizon.ini --set simulate.horizon=100ms",
    "timeline two.ini --path",
    "timeline --log ranks.csv",
    "timeline --log two.csv --from 1s --until 1.001s",
    "timeline --log logs/chrome-composer.json",
    "timeline --log logs/chrome-composer.json --loaders 4",
    "diagnose ranks.csv",
    "diagnose data.csv",
    "diagnose waits.log",
    "diagnose waits.log data.csv",
    "diagnose logs/hf-trainer-reference.log",
    "diagnose logs/timm-reference.log",
    "fit ranks.csv",
    "fit two.csv --loader pytorch",
    "fit loads.csv --loaders 0",
    "fit loads_only.csv",
    "fit workers.csv",
    "fit two.csv --loader pytorch --set pipeline.loaders=9",
    "fit logs/timm-reference.log --loaders 4",
    "fit logs/probe_serial.csv",
    "fit --steps 100/12s --loads 100/40s --loaders 8",
    "advise torch2/g3_n2_p2_s1.csv.gz",
    "advise torch2/cpug_n2_p2_s12.csv.gz",
    "advise logs/timm-reference.log",
    "advise logs/hf-trainer-reference.log",
    "compare torch2/g3_n2_p2_s1.csv.gz torch2/g3_n8_p2_s1.csv.gz",
    "compare waits.log --after waits.log --after logs/csv-ranks.csv",
    "check full.ini",
    "init",
    "loaders",
    "distributions",
    "instances",
    "help configuration",
};

static void survey_line(struct survey *survey, const char *line, bool csv)
{
    char arguments[600], name[PATH_TEXT];
    const char *rest = line;
    if (csv && strstr(line, "--path") != NULL) /* not together */
        return;
    next_part(&rest, " ", name);
    survey->line = line;
    survey->name = name;
    survey->csv = csv;
    survey->flat = csv || strcmp(name, "sweep") == 0;
    snprintf(arguments, sizeof arguments, "%s %s", line, csv ? "--csv" : "--json");
    int status = command_run(survey->command, "", arguments);
    bool nothing = survey->command->out[0] == '\0';
    CHECK(nothing ? test_long() : status == 0 || status == 3, "%s: exit status %d: %s", arguments, status,
          survey->command->err);
    if (nothing)
        return;
    if (csv) {
        visit_csv(survey, survey->command->out);
    } else {
        json_t *object = command_object(survey->command);
        visit(survey, "", object);
    }
}

static void survey_both(struct survey *survey, const char *line, unsigned *commands)
{
    size_t count;
    const struct dlq_command *rows = dlq_commands(&count);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(rows[i].name);
        if (strncmp(line, rows[i].name, length) != 0 || strchr(" ", line[length]) == NULL)
            continue;
        *commands |= 1U << i;
        if (rows[i].has_object)
            survey_line(survey, line, false);
        if (rows[i].has_table)
            survey_line(survey, line, true);
    }
}

/* What a plan that is interrupted at once writes. */
static void survey_interrupted(struct survey *survey)
{
    const struct dlq_plan_answer plan = {
        .plan = {
            .of = "utilization", .solve = "loaders", .description = {.name = "", .loader = ""}, .interrupted = true}};
    json_t *whole = dlq_figures_json(&dlq_figures_plan, &plan, "plan");
    survey->line = "an interrupted plan";
    survey->name = "plan";
    survey->csv = survey->flat = false;
    visit(survey, "", whole);
    json_decref(whole);
}

static void check_commands(unsigned commands)
{
    size_t count;
    const struct dlq_command *rows = dlq_commands(&count);
    for (size_t i = 0; i < count; i++)
        CHECK((!rows[i].has_object && !rows[i].has_table) || (commands >> i & 1) != 0, "%s was not run", rows[i].name);
}

/* Every row was written, and was null where it says that it may be. */
static void check_rows(const struct survey *survey)
{
    for (size_t i = 0; survey_group(i) != NULL; i++) {
        const struct group *group = survey_group(i);
        CHECK(survey->places[i].seen == survey->places[i].all, "%s: of the places %x, %x were met", group->place,
              survey->places[i].all, survey->places[i].seen);
        for (size_t r = 0; r < group->count; r++) {
            const struct row_seen *seen = &survey->rows[i][r];
            CHECK(seen->seen == seen->all && seen->all != 0, "%s: '%s': of the names %x, %x were met", group->place,
                  group->rows[r].names, seen->all, seen->seen);
            CHECK(seen->absent == group->rows[r].absent, "%s: '%s' was %snull", group->place, group->rows[r].names,
                  seen->absent ? "" : "never ");
        }
    }
}

/* Whatever there is to read; logs may not hold what a command needs. */
static void survey_all(struct survey *survey, const char *pattern, const char *const *formats, unsigned *commands)
{
    glob_t paths;
    char line[600];
    CHECK_INT(glob(pattern, 0, NULL, &paths), 0);
    for (size_t i = 0; i < paths.gl_pathc; i++)
        for (size_t k = 0; formats[k] != NULL; k++) {
            snprintf(line, sizeof line, formats[k], paths.gl_pathv[i]);
            survey_both(survey, line, commands);
        }
    globfree(&paths);
}

static void test_fields(void)
{
    static const char *const of_config[] = {"solve %s --set simulate.precision=5%%", "check %s", "timeline %s", NULL};
    static const char *const of_log[] = {"diagnose %s", "timeline --log %s", "fit %s --loaders 4", NULL};
    char logs[PATH_TEXT];
    unsigned commands = 0;
    struct survey *survey = calloc(1, sizeof *survey);
    survey->command = command_new();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        command_write(survey->command, files[i].name, files[i].text);
    snprintf(logs, sizeof logs, "%s/logs", survey->command->directory);
    CHECK_INT(symlink(TEST_DATA "/logs", logs), 0);
    snprintf(logs, sizeof logs, "%s/torch2", survey->command->directory);
    CHECK_INT(symlink(TEST_DATA "/torch2", logs), 0);
    write_waits(survey->command);
    write_loads(survey->command);
    CHECK_INT(command_run(survey->command, "", "timeline ranks.ini --csv --until 40s -o ranks.csv"), 0);
    CHECK_INT(command_run(survey->command, "", "timeline two.ini --csv --until 60s -o two.csv"), 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        survey_both(survey, lines[i], &commands);
    if (test_long()) {
        survey_all(survey, PROJECT_SOURCE "/configs/*.ini", of_config, &commands);
        survey_all(survey, TEST_DATA "/logs/*.*", of_log, &commands);
    }
    survey_interrupted(survey);
    check_commands(commands);
    check_rows(survey);
    command_free(survey->command);
    free(survey);
}

static void test_text(void)
{
    enum { WIDTH = 100 };
    char line[PATH_TEXT];
    COMMAND(command);
    CHECK_INT(command_run(command, "", "help output"), 0);
    CHECK_TEXT(command->err, "");
    const char *at = command->out;
    for (size_t i = 0; survey_group(i) != NULL; i++) {
        const struct group *group = survey_group(i);
        snprintf(line, sizeof line, "\n\n%s\n  ", group->place);
        at = at != NULL ? strstr(at, line) : NULL;
        CHECK(at != NULL, "no '%s' in its place", group->place);
        for (size_t r = 0; r < group->count && at != NULL; r++) {
            snprintf(line, sizeof line, "\n  %-28s %s ", group->rows[r].names, group->rows[r].kind);
            at = strstr(at, line);
            CHECK(at != NULL, "%s: no '%s' in its place", group->place, group->rows[r].names);
        }
    }
    for (at = command->out; *at != '\0'; at += strcspn(at, "\n") + 1)
        CHECK(strcspn(at, "\n") <= WIDTH, "%zu columns: %.120s", strcspn(at, "\n"), at);
    CHECK_INT(command_run(command, "", "help outputs"), 2);
}

static const struct test_case cases[] = {{"fields", test_fields}, {"text", test_text}, {NULL, NULL}};

const struct test_suite suite_help_output = {"help_output", cases};
