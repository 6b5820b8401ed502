/* dlqueue help output: each field and column that commands write is explained, and each that is explained is written.
 */
#include "base/lines.h"
#include "cli/output.h"
#include "cli/result_files.h"
#include "command.h"
#include "report/plan_report.h"

#include <glob.h>

enum { MOST_NAMES = 8000, PATH_TEXT = 256 };

/* One name of one row of the help at one of the places where its group stands. */
struct name {
    size_t group, place, row; /* place, row: numbered through all groups */
    char command[PATH_TEXT];  /* "": every one */
    char pattern[PATH_TEXT];  /* "answer.throughput"; in tables "throughput_low"; a * is one letter or more */
    const char *end;          /* of `pattern`: the name without the object */
    char kind[sizeof((struct dlq_figure_line *)NULL)->kind];
    bool csv, part;          /* part: a field of an estimate, which has three there */
    bool absent, seen, null; /* it may be null; it was met; it was null */
};

struct survey {
    struct command *command;
    const char *line; /* that is run */
    const char *name; /* of its command */
    bool csv;
    unsigned ran; /* rows of dlq_commands, as bits */
    struct name names[MOST_NAMES];
    size_t count;
};

/* The next part of a text whose parts are set apart so; false at the end. */
static bool next_part(const char **text, const char *apart, char part[PATH_TEXT])
{
    const char *end = strstr(*text, apart);
    size_t length = end != NULL ? (size_t)(end - *text) : strlen(*text);
    if (**text == '\0')
        return false;
    snprintf(part, PATH_TEXT, "%.*s", (int)length, *text);
    *text += length + (end != NULL ? strlen(apart) : 0);
    return true;
}

/* The names of a group in that object: in JSON, or where estimates are three fields. */
static void add_names(struct survey *survey, size_t index, const struct name *common, const char *object)
{
    static const char *const ends[] = {"", "_low", "_high"};
    struct dlq_figure_line line;
    char name[PATH_TEXT];
    for (size_t row = 0, at = 0; dlq_figures_line(dlq_figures_group(index), &at, &line); row++) {
        const char *names = line.names;
        bool part = line.kind[0] == '~' && (common->csv || strcmp(common->command, "sweep") == 0);
        while (next_part(&names, ", ", name))
            for (size_t i = 0; i < (part ? 3 : 1) && survey->count < MOST_NAMES; i++) {
                struct name *added = &survey->names[survey->count++];
                *added = *common;
                added->row = 1000 * index + row;
                added->part = part;
                added->absent = strstr(line.meaning, "; null: ") != NULL;
                snprintf(added->kind, sizeof added->kind, "%s", line.kind);
                int before = snprintf(added->pattern, PATH_TEXT, "%s%s", object, object[0] != '\0' ? "." : "");
                added->end = added->pattern + before;
                snprintf(added->pattern + before, PATH_TEXT - (size_t)before, "%s%s", name, ends[i]);
            }
    }
}

/* Places such as "plan: answer, table[]; plan --csv" or "every command". */
static void read_help(struct survey *survey)
{
    size_t place_count = 0;
    for (size_t i = 0; dlq_figures_group(i) != NULL; i++) {
        const char *places = dlq_figures_group(i)->place;
        char place[PATH_TEXT], object[PATH_TEXT];
        while (next_part(&places, "; ", place)) {
            struct name common = {.group = i, .csv = strstr(place, " --csv") != NULL};
            const char *objects = strchr(place, ':') != NULL ? strchr(place, ':') + 2 : "";
            if (strcmp(place, "every command") != 0)
                snprintf(common.command, PATH_TEXT, "%.*s",
                         (int)(common.csv ? strstr(place, " --csv") - place : (long)strcspn(place, ":")), place);
            do {
                object[0] = '\0';
                next_part(&objects, ", ", object);
                common.place = place_count++;
                add_names(survey, i, &common, object);
            } while (objects[0] != '\0');
        }
    }
}

static bool matches(const char *pattern, const char *text)
{
    for (; *pattern != '*'; pattern++, text++) {
        if (*pattern != *text)
            return false;
        if (*pattern == '\0')
            return true;
    }
    while (*text != '\0')
        if (matches(pattern + 1, ++text))
            return true;
    return false;
}

/* Counts the names that explain the path, the last of which is `found`. */
static int find(struct survey *survey, const char *path, struct name **found)
{
    int count = 0;
    for (struct name *name = survey->names; name < survey->names + survey->count; name++)
        if (name->csv == survey->csv && (name->command[0] == '\0' || strcmp(name->command, survey->name) == 0) &&
            matches(name->pattern, path)) {
            name->seen = true;
            *found = name;
            count++;
        }
    return count;
}

static bool is_of_kind(const char *kind, const json_t *value)
{
    double number = json_number_value(value);
    if (strcmp(kind, "text") == 0)
        return json_is_string(value);
    if (strcmp(kind, "flag") == 0)
        return json_is_boolean(value);
    if (strcmp(kind, "object") == 0)
        return json_is_object(value);
    if (strcmp(kind, "number") == 0 || strcmp(kind, "time") == 0)
        return json_is_number(value);
    if (strcmp(kind, "share") == 0 && number > 1 + 1e-6)
        return false;
    if (strcmp(kind, "count") == 0 && number != floor(number))
        return false;
    return json_is_number(value) && number >= -1e-9 && strstr(" share count s 1/s bytes bytes/s price ", kind) != NULL;
}

static bool is_estimate(const char *kind, const json_t *value)
{
    const json_t *low = json_object_get(value, "low"), *high = json_object_get(value, "high");
    const json_t *middle = json_object_get(value, "value");
    bool whole = strcmp(kind, "count") == 0; /* a mean of these is none */
    return json_object_size(value) == 3 && is_of_kind(whole ? "number" : kind, middle) && json_is_number(low) &&
           json_is_number(high) && json_number_value(low) <= json_number_value(middle) &&
           json_number_value(middle) <= json_number_value(high);
}

static void check_value(struct survey *survey, const char *path, const json_t *value)
{
    struct name *found = NULL;
    char list[PATH_TEXT + 2]; /* one that is null */
    snprintf(list, sizeof list, "%.*s[]", PATH_TEXT - 1, path);
    if (json_is_null(value) && find(survey, path, &found) == 0)
        path = list;
    int count = find(survey, path, &found);
    CHECK(count == 1, "%s: %s '%s' is explained %d times", survey->line, survey->csv ? "column" : "field", path, count);
    if (count == 0)
        return;
    found->null = found->null || json_is_null(value);
    FREED char *text = json_dumps(value, JSON_ENCODE_ANY);
    const char *kind = found->kind;
    bool told = kind[0] == '~' ? is_estimate(kind + 2, value) : is_of_kind(kind, value);
    if (found->part) /* the ends of an interval may lie outside of what a value can be */
        told = json_is_number(value);
    if (survey->csv && strcmp(kind, "text") == 0)
        told = true;
    if (json_is_null(value))
        told = found->absent;
    CHECK(told, "%s: '%s' is no %s: %.200s", survey->line, path, kind, text);
}

static void visit(struct survey *survey, const char *path, const json_t *value)
{
    const char *key;
    json_t *member;
    char inner[PATH_TEXT];
    struct name *found;
    /* Of several models, or runs, each is like the outermost object. */
    bool models = (strcmp(survey->name, "solve") == 0 && strcmp(path, "models") == 0) ||
                  (strcmp(survey->name, "diagnose") == 0 && strcmp(path, "logs") == 0);
    bool object = json_is_object(value), explained = object && find(survey, path, &found) > 0;
    snprintf(inner, sizeof inner, "%.*s[]", PATH_TEXT - 3, path);
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (models)
            check_value(survey, inner, json_array_get(value, i));
        visit(survey, models ? "" : inner, json_array_get(value, i));
    }
    if (!json_is_array(value) && (!object || explained))
        check_value(survey, path, value);
    if (!object || json_object_size(value) == 0 ||
        (json_object_size(value) == 3 && json_object_get(value, "high") != NULL && explained))
        return;
    json_object_foreach((json_t *)value, key, member)
    {
        int length = snprintf(inner, sizeof inner, "%s%s%s", path, path[0] != '\0' ? "." : "", key);
        CHECK(length < PATH_TEXT, "%s: too long: %s", survey->line, inner);
        visit(survey, inner, member);
    }
}

static void visit_csv(struct survey *survey, char *text)
{
    enum { MOST_COLUMNS = 40 };
    char *names[MOST_COLUMNS], *cells[MOST_COLUMNS], *rest = text;
    struct name *found;
    size_t columns = 0, right;
    for (char *line; (line = strtok_r(NULL, "\n", &rest)) != NULL;) {
        size_t count = dlq_cut_fields(line, ',', columns == 0 ? names : cells, MOST_COLUMNS, &right);
        CHECK(count > 0 && (columns == 0 || count == columns), "%s: a line of another length", survey->line);
        for (size_t i = 0; columns == 0 && i < count; i++)
            CHECK(find(survey, names[i], &found) == 1, "%s: column '%s'", survey->line, names[i]);
        for (size_t i = 0; i < columns && count == columns; i++) {
            json_t *value = cells[i][0] == '\0' ? json_null() : json_loads(cells[i], JSON_DECODE_ANY, NULL);
            value = value == NULL ? json_string(cells[i]) : value;
            check_value(survey, names[i], value);
            json_decref(value);
        }
        columns = columns == 0 ? count : columns;
    }
    CHECK(columns > 0, "%s: nothing is written", survey->line);
}

#define RUNS ",seconds\n1,90\n2,48\n4,40\n"
static const struct {
    const char *name, *text;
} files[] = {
    {"ranks.table", "ranks" RUNS},
    {"threads.table", "threads" RUNS},
    {"batch_size.table", "batch_size" RUNS},
    {"prefetch.table", "prefetch" RUNS},
    {"one.table", "loaders,seconds\n1,90\n"},
    {"full.ini",
     "[pipeline]\nloaders = 4\nranks = 2\nbatch_size = 64\nepoch_batches = 100\n[overheads]\nstartup = 1s\nreceive = "
     "2ms\npin_time = 5ms\n[load.read]\nmean = 60ms\ndistribution = gamma\ncv = 0.5\nuses = storage\nbytes = 100KB\n"
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
    {"stamped.log", "2026-01-05 10:00:01 iter 10 iter_time: 0.4 s\n"
                    "2026-01-05 10:00:05 iter 20 iter_time: 0.4 s\n"
                    "2026-01-05 10:00:09 iter 30 iter_time: 0.4 s\n"
                    "2026-01-05 10:00:13 iter 40 iter_time: 0.4 s\n"
                    "2026-01-05 10:00:17 iter 50 iter_time: 0.4 s\n"},
    {"words.log", "reader_time 0.1 batch_time 0.3\nreader_time 0.2 batch_time 0.4\n"},
};

/* 600 iterations: the first sixteen don't wait, the others ever longer. Loads of infinite variance, of no worker. */
static const char made[] =
    "awk 'BEGIN { for (i = 0; i < 600; i++) { w = i < 16 ? 0 : 0.02 + 2e-4 * i + 1e-3 * (i % 7); "
    "printf \"%.4f/%.4f\\n\", w, w + 0.1 } }' > waits.log; "
    "awk 'BEGIN { print \"load_time,request,received,step_end\"; for (i = 0; i < 300; i++) { u = 0.618034 * (i + 0.5); "
    "l = 0.1 * (1 - u + int(u)) ^ (-1 / 1.2); printf \"%.6f,%.6f,%.6f,%.6f\\n\", l, t, t + l, t + l + 0.1; "
    "t += l + 0.1 } }' > loads.csv; ln -s '" TEST_DATA "/logs' '" TEST_DATA "/torch2' '" TEST_DATA "/tables' .; ";

static const char *const lines[] = {
    "solve full.ini",
    "solve two.ini",
    "solve two.ini --set simulate.method=markov",
    "solve full.ini --set step.uses=cpu",
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
    "sweep two.ini -o out --set sweep.startup_per_loader=0s,1s --set sweep.contention=0,0.1",
    "sweep two.ini -o out --set sweep.receive=0s,1s --set sweep.pin_time=0s,1s",
    ("sweep ranks.ini -o out --set sweep.barrier=0s,1s --set sweep.step_cv=0,1 --set step.distribution=gamma "
     "--set step.cv=1"),
    "sweep full.ini -o out --set sweep.storage=1GB/s,2GB/s",
    "sweep full.ini -o out --tornado",
    "sweep two.ini -o out --prefetch 1 --tornado",
    "sweep pauses.ini -o out --set cache.share=100% --tornado",
    "sweep pauses.ini -o out --set sweep.cache=0,0.5",
    "sweep samples.ini -o out --set sweep.threads=1,2 --set sweep.batch_size=2,4",
    "plan full.ini --set plan.at_most=8",
    "plan two.ini --set plan.at_most=6 --loader dataloaders.jl",
    "plan two.ini --step 0 --batch-size 2 --set plan.of=samples_per_second --target 3",
    "plan two.ini --set pipeline.window=unbounded --set load.distribution=pareto --set load.alpha=1.8",
    "plan full.ini --set plan.solve=cores",
    "plan full.ini --set plan.solve=bandwidth --set simulate.replications=4",
    "plan full.ini --set plan.solve=storage --set simulate.replications=4",
    "plan two.ini --set plan.solve=instance",
    "plan horizon.ini --set simulate.horizon=100ms --set plan.at_most=4",
    "timeline full.ini",
    "timeline two.ini --loaders 0",
    "timeline horizon.ini",
    "timeline horizon.ini --set simulate.horizon=100ms",
    "timeline two.ini --path",
    "timeline two.ini --against completion",
    "timeline --log ranks.csv",
    "timeline --log two.csv --from 1s --until 1.001s",
    "timeline --log logs/chrome-composer.json",
    "timeline --log logs/chrome-composer.json --loaders 4",
    "diagnose ranks.csv",
    "diagnose data.csv",
    "diagnose waits.log",
    "diagnose words.log",
    "diagnose stamped.log",
    "diagnose waits.log data.csv",
    "diagnose logs/hf-trainer-reference.log",
    "diagnose logs/timm-reference.log",
    "diagnose logs/lightning-transfer.log",
    "fit ranks.csv",
    "fit two.csv --loader pytorch",
    "fit loads.csv --loaders 0",
    "fit loads_only.csv",
    "fit workers.csv",
    "fit two.csv --loader pytorch --set pipeline.loaders=9",
    "fit logs/timm-reference.log --loaders 4",
    "fit logs/probe_serial.csv",
    "fit --steps 100/12s --loads 100/40s --loaders 8",
    "fit --table tables/pl19391proc.csv --at 100",
    "fit --table one.table",
    "fit --table ranks.table",
    "fit --table threads.table",
    "fit --table batch_size.table",
    "fit --table prefetch.table",
    "advise --table tables/s3-usl.csv",
    "fit --table tables/s6-wait.csv",
    "advise --table tables/s1-hard.csv --cores 8",
    "advise torch2/g3_n2_p2_s1.csv.gz",
    "advise torch2/cpug_n2_p2_s12.csv.gz",
    "advise logs/timm-reference.log",
    "advise logs/hf-trainer-reference.log",
    "compare torch2/g3_n2_p2_s1.csv.gz torch2/g3_n8_p2_s1.csv.gz",
    "compare torch2/g3_n2_p2_s1.csv.gz torch2/g3_n8_p2_s1.csv.gz --gate 3%",
    "compare torch2/g3_n2_p2_s1.csv.gz torch2/g3_n8_p2_s1.csv.gz --gate 0",
    "compare waits.log --after waits.log --after logs/csv-ranks.csv",
    "compare stamped.log stamped.log",
    "check full.ini",
    "init",
    "loaders",
    "distributions",
    "instances",
    "help configuration",
};

static void survey_line(struct survey *survey, const char *line, bool csv)
{
    char arguments[600];
    survey->csv = csv;
    snprintf(arguments, sizeof arguments, "%s %s", line, csv ? "--csv" : "--json");
    int status = command_run(survey->command, "PATH=$PWD/bin:$PATH", arguments);
    bool nothing = survey->command->out[0] == '\0';
    CHECK(nothing ? test_long() : status == 0 || status == 3, "%s: exit status %d: %s", arguments, status,
          survey->command->err);
    if (!nothing && csv)
        visit_csv(survey, survey->command->out);
    else if (!nothing)
        visit(survey, "", command_object(survey->command));
}

static void survey_both(struct survey *survey, const char *line)
{
    char name[PATH_TEXT];
    const char *rest = line;
    next_part(&rest, " ", name);
    const struct dlq_command *row = dlq_command_find(dlq_commands, name);
    survey->line = line;
    if (strstr(line, "--table") != NULL) /* other fields than of logs */
        snprintf(name + strlen(name), sizeof name - strlen(name), " --table");
    if (strstr(line, "--tornado") != NULL) /* others than of a grid */
        snprintf(name + strlen(name), sizeof name - strlen(name), " --tornado");
    survey->name = name;
    survey->ran |= 1U << (row - dlq_commands);
    if (!row->no_json)
        survey_line(survey, line, false);
    if (!row->no_csv && strstr(line, "--path") == NULL && strstr(line, "--against") == NULL) /* not together */
        survey_line(survey, line, true);
}

/* What a plan that is interrupted at once writes. */
static void survey_interrupted(struct survey *survey)
{
    const struct dlq_plan_answer plan = {.plan = {.of = DLQ_OF_UTILIZATION,
                                                  .solve = DLQ_SOLVE_LOADERS,
                                                  .description = {.name = "", .loader = ""},
                                                  .interrupted = true}};
    json_t *whole = dlq_figures_json(&dlq_figures_plan, &plan, "plan");
    survey->line = "an interrupted plan";
    survey->name = "plan";
    survey->csv = false;
    visit(survey, "", whole);
    json_decref(whole);
}

static void check_commands(const struct survey *survey)
{
    for (const struct dlq_command *row = dlq_commands; row->name != NULL; row++)
        CHECK((row->no_json && row->no_csv) || (survey->ran >> (row - dlq_commands) & 1) != 0, "%s was not run",
              row->name);
}

/* Each name was written somewhere, and something at each place; a row was null where it says that it may be. */
static void check_names(const struct survey *survey)
{
    const struct name *last = survey->names + survey->count;
    CHECK(survey->count < MOST_NAMES, "too many names");
    for (const struct name *name = survey->names; name < last; name++) {
        bool written = false, at_place = false, null = false;
        for (const struct name *other = survey->names; other < last; other++) {
            written = written || (other->seen && other->row == name->row && strcmp(other->end, name->end) == 0);
            at_place = at_place || (other->seen && other->place == name->place);
            null = null || (other->null && other->row == name->row);
        }
        const char *place = dlq_figures_group(name->group)->place;
        CHECK(written, "%s: '%s' was not met", place, name->end);
        CHECK(at_place, "%s: nothing of %s was met", place, name->pattern);
        CHECK(null == name->absent, "%s: '%s' was %snull", place, name->end, null ? "" : "never ");
    }
}

/* Whatever there is to read; logs may not hold what a command needs. */
static void survey_all(struct survey *survey, const char *pattern, const char *const *formats)
{
    glob_t paths;
    char line[600];
    CHECK_INT(glob(pattern, 0, NULL, &paths), 0);
    for (size_t i = 0; i < paths.gl_pathc; i++)
        for (size_t k = 0; formats[k] != NULL; k++) {
            snprintf(line, sizeof line, formats[k], paths.gl_pathv[i]);
            survey_both(survey, line);
        }
    globfree(&paths);
}

static void test_fields(void)
{
    static const char *const of_config[] = {"solve %s --set simulate.precision=5%%", "check %s", "timeline %s", NULL};
    static const char *const of_log[] = {"diagnose %s", "timeline --log %s", "fit %s --loaders 4", NULL};
    FREED struct survey *survey = calloc(1, sizeof *survey);
    survey->command = command_new();
    read_help(survey);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        command_write(survey->command, files[i].name, files[i].text);
    command_fake_gnuplot(survey->command);
    CHECK_INT(command_run(survey->command, made, "timeline ranks.ini --csv --until 40s -o ranks.csv"), 0);
    CHECK_INT(command_run(survey->command, "", "timeline two.ini --csv --until 60s -o two.csv"), 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        survey_both(survey, lines[i]);
    if (test_long()) {
        survey_all(survey, PROJECT_SOURCE "/configs/*.ini", of_config);
        survey_all(survey, TEST_DATA "/logs/*.*", of_log);
    }
    survey_interrupted(survey);
    check_commands(survey);
    check_names(survey);
    command_free(survey->command);
}

static void test_text(void)
{
    enum { WIDTH = 100 };
    struct dlq_figure_line figure;
    char line[PATH_TEXT];
    COMMAND(command);
    CHECK_INT(command_run(command, "", "help output"), 0);
    CHECK_TEXT(command->err, "");
    const char *at = command->out;
    for (size_t i = 0; dlq_figures_group(i) != NULL; i++) {
        const struct dlq_figures *group = dlq_figures_group(i);
        snprintf(line, sizeof line, "\n\n%s\n  ", group->place);
        at = at != NULL ? strstr(at, line) : NULL;
        CHECK(at != NULL, "no '%s' in its place", group->place);
        for (size_t row = 0; at != NULL && dlq_figures_line(group, &row, &figure);) {
            snprintf(line, sizeof line, "\n  %-28s %-9s %.8s", figure.names, figure.kind, figure.meaning);
            at = strstr(at, line);
            CHECK(at != NULL, "%s: no '%s' in its place", group->place, figure.names);
        }
    }
    for (at = command->out; *at != '\0'; at += strcspn(at, "\n") + 1)
        CHECK(strcspn(at, "\n") <= WIDTH, "%zu columns: %.120s", strcspn(at, "\n"), at);
    CHECK_INT(command_run(command, "", "help outputs"), 2);
}

TEST_SUITE(help_output, CASE(test_fields), CASE(test_text));
