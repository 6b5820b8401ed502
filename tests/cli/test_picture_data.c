/* What pictures are drawn from is what tables, logs, JSON and the record of a run say. */
#include "command.h"
#include "draw/gnuplot.h"
#include "report/slots.h"
#include "study/models.h"

#include <gsl/gsl_sort.h>

#define TWELVE "--loaders 4 --load 1s --step 100ms --cv 0.5"

/* A table without quotes; fields that are no numbers are 0. */
static void read_csv(const struct command *command, const char *name, struct slot_rows *rows)
{
    FREED char *text = calloc(1, COMMAND_TEXT);
    command_file(command, name, text, COMMAND_TEXT);
    rows->count = 0;
    for (const char *at = strchr(text, '\n'); at != NULL && at[1] != '\0'; at = strchr(at + 1, '\n')) {
        const char *field = at + 1;
        for (size_t i = 0; i < SLOT_FIELDS; i++) {
            rows->at[rows->count][i] = strtod(field, NULL);
            field += strcspn(field, ",\n");
            field += *field == ',';
        }
        rows->count++;
    }
}

static void read_block(const struct command *command, const char *file, const char *name, struct slot_rows *rows)
{
    static char script[COMMAND_TEXT];
    command_file(command, file, script, sizeof script);
    slot_rows(script, name, rows);
}

/* Columns of the table: loaders, load, upper, lower, throughput and its interval, utilization. */
static void test_sweep(void)
{
    enum { COUNTS = 3, LOADS = 3, AT_400_MS = 1 };
    static const size_t from[] = {0, 2, 3, 4, 5, 6}; /* column of the table of each of DATA */
    static struct slot_rows table, drawn;
    COMMAND(command);
    CHECK_INT(command_run(command, "",
                          "sweep --loaders 4 --load 400ms --step 100ms --cv 0.3 --set sweep.loaders=2,4,8 "
                          "--set sweep.load=200ms,400ms,800ms --set simulate.precision=5% -o . --keep-scripts -q"),
              0);
    read_csv(command, "dlqueue-sweep.csv", &table);
    CHECK_INT(table.count, COUNTS * LOADS);
    read_block(command, "dlqueue-throughput.gp", "DATA", &drawn);
    for (size_t s = 0; s < sizeof from / sizeof *from; s++) {
        double wanted[COUNTS];
        for (size_t i = 0; i < COUNTS; i++)
            wanted[i] = table.at[LOADS * i + AT_400_MS][from[s]];
        slot_check("throughput", &drawn, s, wanted, COUNTS);
    }
    read_block(command, "dlqueue-utilization.gp", "DATA", &drawn);
    CHECK_INT(drawn.count, COUNTS * LOADS);
    for (size_t i = 0; i < COUNTS * LOADS; i++) {
        const double *row = table.at[i], *cell = drawn.at[i % LOADS * COUNTS + i / LOADS];
        CHECK_REL(cell[0], row[0], 1e-9);
        CHECK_REL(cell[1], 1000 * row[1], 1e-9);
        CHECK_REL(cell[2], 100 * row[7], 1e-8);
        CHECK(cell[3] < cell[0] && cell[0] < cell[4] && cell[5] < cell[1] && cell[1] < cell[6], "cell %zu", i);
    }
}

/* Lines of a map lie on the borders between cells below the level and cells that reach it: all of these, and no other.
 */
static void test_levels(void)
{
    static const struct {
        const char *axes;
        size_t columns, rows;
    } rows[] = {
        {"--set sweep.loaders=2,3,4,6 --set sweep.load=200ms,300ms,400ms,500ms", 4, 4},
        {"--set \"sweep.load=200ms..800ms in 24\" --set sweep.loaders=2,3,4,6", 24, 4},
        {"--set sweep.loaders=2,4,5,6 --set sweep.prefetch=1,2,3", 4, 3},
    };
    static struct slot_rows cells, line;
    char arguments[400];
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        COMMAND(command);
        snprintf(arguments, sizeof arguments,
                 "sweep --loaders 4 --load 400ms --step 100ms --cv 0.5 --set simulate.batches=500 -o . --keep-scripts "
                 "-q %s",
                 rows[k].axes);
        CHECK_INT(command_run(command, "", arguments), 0);
        read_block(command, "dlqueue-utilization.gp", "DATA", &cells);
        read_block(command, "dlqueue-utilization.gp", "LINE90", &line);
        CHECK_INT(cells.count, rows[k].columns * rows[k].rows);
        size_t borders = 0;
        for (size_t i = 0; i < cells.count; i++) {
            const double *cell = cells.at[i];
            for (int up = 0; up < 2; up++) {
                const size_t other = up ? i + rows[k].columns : i + 1;
                if (other >= cells.count || (!up && other % rows[k].columns == 0))
                    continue;
                /* the left end of its upper edge, the lower end of its right one */
                const double from[2] = {cell[up ? 3 : 4], cell[up ? 6 : 5]};
                size_t found = 0;
                for (size_t j = 0; j < line.count; j++)
                    found += line.at[j][0] == from[0] && line.at[j][1] == from[1] && line.at[j][2] == cell[4] &&
                             line.at[j][3] == cell[6];
                const bool crosses = (cell[2] >= 90) != (cells.at[other][2] >= 90);
                CHECK_INT(found, crosses);
                borders += crosses;
            }
        }
        CHECK(borders > 2, "%zu borders", borders);
        CHECK_INT(line.count, borders);
    }
}

/* Each wait of a log in milliseconds, in three windows, and by its length: of 10 iterations 3 wait 0,
   6 up to 200 ms, a step takes 202 on average, and one 500 ms; 1.3 s in all. Of ranks the mean wait of each, without
   the first, and how often it was the longest. */
static void test_diagnosis(void)
{
    static struct slot_rows drawn;
    COMMAND(command);
    command_write(command, "ten.csv",
                  "data_time,iter_time\n0.1,0.3\n0.2,0.4\n0,0.2\n0.5,0.7\n0.1,0.3\n0.1,0.31\n0.2,0.4\n0,0.2\n"
                  "0,0.21\n0.1,0.3\n");
    CHECK_INT(command_run(command, "", "diagnose ten.csv --plot --keep-scripts -o . -q"), 0);
    read_block(command, "ten-waits.gp", "DATA", &drawn);
    slot_check("iterations", &drawn, 0, (double[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10);
    slot_check("waits", &drawn, 1, (double[]){100, 200, 0, 500, 100, 100, 200, 0, 0, 100}, 10);
    read_block(command, "ten-waits.gp", "WINDOWS", &drawn);
    slot_check("share of a window", &drawn, 2, (double[]){30 / 0.9, 70 / 1.31, 30 / 1.11}, 3);
    read_block(command, "ten-waits.gp", "CLASSES", &drawn);
    slot_check("iterations by length", &drawn, 0, (double[]){30, 60, 10, 0}, 4);
    slot_check("time by length", &drawn, 1, (double[]){0, 80 / 1.3, 50 / 1.3, 0}, 4);
    slot_check("number by length", &drawn, 2, (double[]){3, 6, 1, 0}, 4);
    command_write(command, "fast.csv", "data_time,iter_time\n0.1,0.3\n0.2,0.3\n0.3,0.4\n0.2,0.3\n");
    CHECK_INT(command_run(command, "", "diagnose ten.csv fast.csv --ranks --plot --keep-scripts -o . -q"), 0);
    read_block(command, "ten-ranks.gp", "DATA", &drawn);
    slot_check("rank", &drawn, 0, (double[]){0, 1}, 2);
    slot_check("mean wait", &drawn, 1, (double[]){1200.0 / 9, 700.0 / 3}, 2);
    slot_check("not as many iterations", &drawn, 5, (double[]){NAN, NAN}, 2);
    command_write(command, "slow.csv",
                  "data_time,iter_time\n0.1,0.3\n0,0.4\n0.3,0.5\n0,0.7\n0,0.3\n0.2,0.4\n0,0.4\n0,0.2\n0,0.21\n"
                  "0,0.3\n");
    CHECK_INT(command_run(command, "", "diagnose ten.csv slow.csv --ranks --plot --keep-scripts -o . -q"), 0);
    read_block(command, "ten-ranks.gp", "DATA", &drawn);
    slot_check("share of the longest waits", &drawn, 5, (double[]){110 / 1.6, 50 / 1.6}, 2);
    slot_check("times the longest", &drawn, 6, (double[]){5, 2}, 2);
}

/* Loads of a trace, in order, each at the share of those that are not longer; beside them the fitted law. */
static void test_fit(void)
{
    static struct slot_rows trace, drawn;
    static double loads[SLOT_ROWS];
    COMMAND(command);
    CHECK_INT(command_run(command, "",
                          "timeline --loaders 4 --load 400ms --step 90ms --cv 0.4 --until 16s --csv -o t.csv -q"),
              0);
    read_csv(command, "t.csv", &trace);
    CHECK(trace.count > 100, "%zu batches", trace.count);
    CHECK_INT(command_run(command, "", "fit t.csv --plot --keep-scripts -q --set plot.directory=."), 0);
    read_block(command, "t-load.gp", "DATA", &drawn);
    CHECK(drawn.count > 50, "%zu points", drawn.count);
    for (size_t i = 0; i < trace.count; i++)
        loads[i] = 1000 * (trace.at[i][6] - trace.at[i][5]);
    gsl_sort(loads, 1, trace.count);
    for (size_t i = 0; i < drawn.count; i++) {
        const double *row = drawn.at[i];
        double place = row[1] / 100 * (double)trace.count - 0.5;
        size_t at = (size_t)lround(fmin(fmax(place, 0), (double)trace.count - 1));
        CHECK(fabs(place - (double)at) < 1e-5, "point %zu at %g of %zu", i, place, trace.count);
        CHECK_REL(row[0], loads[at], 1e-6);
        CHECK(fabs(row[2] - row[1]) < 10, "point %zu: %g fitted, %g measured", i, row[2], row[1]);
    }
}

/* One late step does not squeeze the others: the axis ends at them, and a note says where it is. */
static void test_fit_outlier(void)
{
    static const struct {
        double last, end; /* ms; of the axis */
        const char *note;
    } rows[] = {{4217, 159.4, "slowest: 4.22 s →"}, {251.3, 251.3, ""}};
    static char script[COMMAND_TEXT];
    char log[2000], text[SLOT_TEXT];
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct dlq_phrase lines = {.text = log, .size = sizeof log};
        COMMAND(command);
        dlq_phrase_add(&lines, "data_time,iter_time\n0.1,0.2\n");
        for (int i = 0; i < 60; i++) /* steps from 100.4 to 159.4 ms in a mixed order */
            dlq_phrase_add(&lines, "0.1,%.4f\n", 0.2004 + 0.001 * (37 * i % 60));
        dlq_phrase_add(&lines, "0.1,%.4f\n", 0.1 + rows[k].last / 1000);
        command_write(command, "t.csv", log);
        CHECK_INT(command_run(command, "", "fit t.csv --plot --keep-scripts -q --set plot.directory=."), 0);
        command_file(command, "t-step.gp", script, sizeof script);
        CHECK_REL(slot_number(script, "XMAX"), rows[k].end, 1e-6);
        CHECK_TEXT(slot_text(script, "BEYOND", text), rows[k].note);
    }
}

/* The fitted share at a time, between points in a straight line. */
static double fitted_at(const struct slot_rows *drawn, double time)
{
    size_t i = 0;
    while (i < drawn->count && drawn->at[i][0] < time)
        i++;
    if (i == 0 || i == drawn->count)
        return i == 0 ? 0 : 100;
    const double *below = drawn->at[i - 1], *above = drawn->at[i];
    return below[2] + (above[2] - below[2]) * (time - below[0]) / (above[0] - below[0]);
}

/* The number that follows these words, or NaN. */
static double number_after(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    return at == NULL ? NAN : strtod(at + strlen(words), NULL);
}

/* Where most steps are alike the title says how far off the quantiles of the fit are at most: so far, and no less. */
static void test_fit_quantiles(void)
{
    static struct slot_rows drawn;
    static char script[COMMAND_TEXT];
    char text[SLOT_TEXT];
    COMMAND(command);
    CHECK_INT(command_run(command, "",
                          "fit '" TEST_DATA "/torch2/epochs_n4_p2_s1.csv.gz' --plot --keep-scripts -q --set "
                          "plot.directory=."),
              0);
    command_file(command, "epochs_n4_p2_s1.csv-step.gp", script, sizeof script);
    slot_rows(script, "DATA", &drawn);
    const char *said = slot_text(script, "TITLE", text);
    const double from = number_after(said, "quantiles of the fit from "), off = number_after(said, "% are at most ");
    CHECK(from > 0 && off > 0, "%s", text);
    for (int k = 0; k < 2; k++) {
        const double within = off / 100 * (k == 0 ? 0.99 : 1.01);
        size_t outside = 0;
        for (size_t i = 0; i < drawn.count; i++) {
            const double time = drawn.at[i][0], share = drawn.at[i][1];
            outside +=
                share >= from && share <= 99 &&
                (fitted_at(&drawn, time * (1 - within)) > share || fitted_at(&drawn, time * (1 + within)) < share);
        }
        CHECK((outside == 0) == (k == 1), "%zu quantiles are more than %g %% off", outside, 100 * within);
    }
}

/* Levers, a plan's candidates and the autocorrelation are those of JSON. */
static void test_json(void)
{
    static struct slot_rows drawn;
    static const char plan[] = "plan " TWELVE " --at-most 8 -q";
    char line[400];
    COMMAND(command);
    CHECK_INT(command_run(command, "", "solve " TWELVE " -q --json --plot --keep-scripts -o ."), 0);
    json_t *object = command_object(command), *list = json_object_get(object, "levers");
    read_block(command, "dlqueue-levers.gp", "DATA", &drawn);
    CHECK(drawn.count > 3 && drawn.count <= json_array_size(list), "%zu levers", drawn.count);
    for (size_t i = 0; i < drawn.count; i++) {
        const json_t *lever = json_array_get(list, i);
        CHECK_ABS(drawn.at[i][0], 100 * command_number(lever, "gain.value"), 1e-7);
        CHECK_ABS(drawn.at[i][1], 100 * command_number(lever, "gain.low"), 1e-7);
        CHECK_ABS(drawn.at[i][2], 100 * command_number(lever, "gain.high"), 1e-7);
        CHECK_INT(drawn.at[i][3], json_is_true(json_object_get(lever, "proven")));
    }
    snprintf(line, sizeof line, "%s --json --plot --keep-scripts -o .", plan);
    CHECK_INT(command_run(command, "", line), 3);
    object = command_object(command);
    list = json_object_get(object, "table");
    read_block(command, "dlqueue-plan.gp", "DATA", &drawn);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *candidate = json_array_get(list, i);
        size_t at = 0;
        while (at < drawn.count && drawn.at[at][0] != command_number(candidate, "loaders"))
            at++;
        CHECK(at < drawn.count, "candidate %zu is not drawn", i);
        CHECK_REL(drawn.at[at % SLOT_ROWS][1], 100 * command_number(candidate, "utilization.value"), 1e-8);
        CHECK_REL(drawn.at[at % SLOT_ROWS][2], 100 * command_number(candidate, "utilization.low"), 1e-8);
        CHECK_REL(drawn.at[at % SLOT_ROWS][3], fmin(100, 100 * command_number(candidate, "utilization.high")), 1e-8);
    }
    CHECK_INT(command_run(command, "", "timeline " TWELVE " --json"), 0);
    object = command_object(command);
    CHECK_INT(command_run(command, "", "timeline " TWELVE " --waits --keep-scripts -o ."), 0);
    list = json_object_get(json_object_get(object, "rhythm"), "autocorrelation");
    read_block(command, "dlqueue-waits.gp", "ACF", &drawn);
    CHECK(drawn.count > 10 && drawn.count < json_array_size(list), "%zu lags", drawn.count);
    for (size_t i = 0; i < drawn.count; i++) {
        CHECK_INT(drawn.at[i][0], i + 1);
        CHECK_ABS(drawn.at[i][1], json_number_value(json_array_get(list, i + 1)), 1e-8);
    }
}

/* advise draws what diagnose draws of the same logs; of two stopwatch runs, which show no single wait, nothing. */
static void test_advise(void)
{
    static const char *const files[] = {"mr2_logn1_r1_rank0-waits.gp", "mr2_logn1_r1_rank0-ranks.gp"};
    static const char logs[] = "'" TEST_DATA "/torch/multirank/mr2_logn1_r1_rank0.csv' '" TEST_DATA
                               "/torch/multirank/mr2_logn1_r1_rank1.csv' --plot --keep-scripts -q -o ";
    static char scripts[2][COMMAND_TEXT];
    char line[1024], name[64];
    COMMAND(command);
    for (int k = 0; k < 2; k++) {
        snprintf(line, sizeof line, "%s %s%s", k == 0 ? "diagnose" : "advise", logs, k == 0 ? "seen" : "advised");
        CHECK_INT(command_run(command, "", line), 0);
    }
    CHECK(strstr(command->out, "advised/mr2_logn1_r1_rank0-waits.png\n") != NULL, "%s", command->out);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        for (int k = 0; k < 2; k++) {
            snprintf(name, sizeof name, "%s/%s", k == 0 ? "seen" : "advised", files[i]);
            command_file(command, name, scripts[k], COMMAND_TEXT);
        }
        CHECK(strlen(scripts[0]) > 1000, "%s: %zu bytes", files[i], strlen(scripts[0]));
        CHECK_TEXT(scripts[1], scripts[0]);
    }
    CHECK_INT(command_run(command, "", "advise --table '" TEST_DATA "/../../examples/runs.csv' --plot -q -o of"), 0);
    CHECK(command_has(command, "of/runs-table.png"), "%s", command->err);
    CHECK_INT(command_run(command, "", "advise --steps 100/12s --loads 100/40s --loaders 8 --plot -o none"), 0);
    CHECK(strstr(command->err, "no chart") != NULL && !command_has(command, "none/dlqueue-waits.png"), "%s",
          command->err);
}

/* A run of `settings`, "pipeline.loaders=4 load.mean=1s". */
static void answer_make(struct dlq_timeline_answer *answer, const char *settings, double from, double until)
{
    struct dlq_error error = {0};
    struct dlq_run run = {.threads = 1};
    *answer = (struct dlq_timeline_answer){.title = "a run", .model = model_with(settings, "", &error)};
    CHECK(dlq_timeline_simulate(answer->model, from, until, &run, &answer->timeline, &error) == DLQ_OK, "%s: %s",
          settings, error.text);
    size_t ranks = answer->timeline.rank_count;
    answer->levels = calloc(ranks, sizeof *answer->levels);
    answer->summaries = calloc(ranks, sizeof *answer->summaries);
    for (size_t r = 0; r < ranks; r++) {
        CHECK_INT(dlq_timeline_queue(&answer->timeline, r, &answer->levels[r], &error), DLQ_OK);
        dlq_timeline_summarize(&answer->timeline, r, &answer->levels[r], &answer->summaries[r]);
    }
}

enum kind { WORK, OVERHEAD, READY, HELD, STALL, BARRIER, PAUSE, SLOW, EPOCH, LATE };
enum { LOAD_HUE = 0x9db8cc, STEP_HUE = 0x0072b2, LATE_HUE = 0xcc3311 };

/* Takes a span of the record, cut at the ends of the axis, out of the drawn ones; a color below 0 is any. */
static size_t take(struct slot_rows *rows, const struct dlq_timeline *timeline, double from, double to, enum kind kind,
                   double color)
{
    double begin = fmax(from, timeline->from), end = fmin(to, timeline->until);
    if (!(end > begin))
        return 0;
    for (size_t i = 0; i < rows->count; i++) {
        double *row = rows->at[i];
        if (fabs(row[0] - begin) > 1e-9 * begin || fabs(row[1] - end) > 1e-9 * end || row[4] != (double)kind ||
            (color >= 0 && row[5] != color))
            continue;
        CHECK(row[3] < row[2], "a span of no height");
        row[0] = NAN;
        return 1;
    }
    CHECK(false, "no span from %.15g to %.15g, kind %d, %06x", begin, end, (int)kind, (unsigned)fmax(color, 0));
    return 1;
}

static size_t take_rank(struct slot_rows *drawn, const struct dlq_timeline *timeline, size_t r,
                        const struct dlq_timeline_lateness *lateness)
{
    size_t count = 0;
    for (size_t k = 0; k < timeline->ranks[r].count; k++) {
        const struct dlq_timeline_batch *batch = &timeline->ranks[r].batches[k];
        const struct dlq_timeline_late *found = dlq_timeline_late_batch(lateness, batch->epoch, batch->index);
        const bool late = found != NULL && found->slow;
        const enum kind kind = late ? LATE : WORK;
        double taken = fmax(batch->request, batch->ready);
        if (batch->worker >= 0)
            count += take(drawn, timeline, batch->load_start, batch->load_end, kind, late ? LATE_HUE : LOAD_HUE);
        if (batch->step < 0)
            continue;
        count += take(drawn, timeline, batch->request, taken, STALL, -1);
        count += take(drawn, timeline, taken, batch->received, OVERHEAD, DLQ_PALETTE_OVERHEAD);
        count += take(drawn, timeline, batch->received, batch->step_begin, BARRIER, -1);
        double trained = batch->step_end - batch->pause;
        count += take(drawn, timeline, batch->step_begin, trained, kind, late ? LATE_HUE : STEP_HUE);
        count += take(drawn, timeline, trained, batch->step_end, PAUSE, -1);
    }
    for (size_t k = 0; k < timeline->ranks[r].slow_count; k++) {
        const struct dlq_slow_phase *slow = &timeline->ranks[r].slow[k];
        count += take(drawn, timeline, slow->from, slow->until, SLOW, -1);
    }
    return count;
}

static size_t take_queue(struct slot_rows *boxes, const struct dlq_timeline *timeline,
                         const struct dlq_queue_levels *levels)
{
    size_t count = 0;
    for (size_t k = 0; k < levels->count && timeline->loaders > 0; k++) {
        double end = k + 1 < levels->count ? levels->time[k + 1] : timeline->until;
        count += levels->ready[k] > 0 ? take(boxes, timeline, levels->time[k], end, READY, -1) : 0;
        count += levels->held[k] > 0 ? take(boxes, timeline, levels->time[k], end, HELD, -1) : 0;
    }
    return count;
}

/* Every span of the chart comes from the record, and none is missing. */
static void test_spans(void)
{
    static const struct {
        const char *settings;
        double from, until; /* longer than 1 s: the axis is in seconds */
    } rows[] = {
        {"pipeline.loaders=7 load.mean=2s step.mean=100ms", 0, 6},
        {"pipeline.loaders=4 load.mean=239ms load.cv=0.8 step.mean=97ms step.cv=0.2 overheads.dispatch=3ms "
         "overheads.deliver=7ms overheads.receive=11ms overheads.startup=80ms",
         0, 7.3},
        {"pipeline.loaders=4 load.mean=239ms load.cv=0.8 step.mean=97ms", 41.7, 53.1},
        {"pipeline.loaders=3 pipeline.loader=pytorch-unordered load.mean=239ms load.cv=1.3 step.mean=97ms", 5, 9},
        {"pipeline.loaders=6 pipeline.loader=dali load.mean=239ms load.cv=0.6 step.mean=97ms", 0, 5},
        {"pipeline.loaders=0 pipeline.loader=serial load.mean=239ms load.cv=0.6 step.mean=97ms", 1, 5},
        {"pipeline.loaders=5 pipeline.epoch_batches=17 load.mean=239ms load.cv=0.6 step.mean=97ms", 0, 8},
        {"pipeline.loaders=2 pipeline.ranks=3 load.mean=159ms load.cv=0.6 step.mean=97ms overheads.barrier=4ms", 0, 5},
        {"pipeline.loaders=2 overheads.pin_time=30ms load.mean=159ms load.cv=0.6 step.mean=97ms", 0, 5},
        {"pipeline.loaders=4 load.mean=239ms load.cv=0.6 step.train.mean=97ms step.save.mean=1s step.save.every=7", 0,
         9},
        {"pipeline.loaders=3 pipeline.ranks=2 load.mean=239ms load.cv=0.6 step.mean=97ms slowdown.interval=1s "
         "slowdown.duration=500ms slowdown.speed=0.3 slowdown.scope=loader",
         2, 9},
    };
    static struct slot_rows drawn;
    size_t late = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(dlq_timeline_answer) answer;
        answer_make(&answer, rows[i].settings, rows[i].from, rows[i].until);
        const struct dlq_timeline *timeline = &answer.timeline;
        FREED char *script = slots_made(dlq_picture_timeline, &answer);
        size_t count = 0;
        slot_rows(script, "SPANS", &drawn);
        for (size_t r = 0; r < timeline->rank_count; r++) {
            struct dlq_timeline_lateness lateness;
            struct dlq_error error = {0};
            CHECK_INT(dlq_timeline_find_late(timeline, r, &answer.levels[r], &lateness, &error), DLQ_OK);
            for (size_t k = 0; k < lateness.count; k++)
                late += lateness.batches[k].slow;
            count += take_rank(&drawn, timeline, r, &lateness) + take_queue(&drawn, timeline, &answer.levels[r]);
            free(lateness.batches);
        }
        const struct dlq_timeline_rank *rank = &timeline->ranks[0];
        double from = 0;
        /* A row for the epochs, where there are several. */
        bool several = rank->batches[0].epoch != rank->batches[rank->stepped - 1].epoch;
        for (size_t k = 0; several && k < rank->stepped; k++)
            if (k + 1 == rank->stepped || rank->batches[k + 1].epoch != rank->batches[k].epoch) {
                count += take(&drawn, timeline, from, rank->batches[k].step_end, EPOCH, -1);
                from = rank->batches[k].step_end;
            }
        CHECK(count > 20 && count == drawn.count, "%s: the record has %zu spans, the chart %zu", rows[i].settings,
              count, drawn.count);
        dlq_model_free(answer.model);
    }
    CHECK(late > 3, "%zu late batches", late);
}

/* In ticks much happens at one moment, but for the last bits of sums: no batch is ready for 1e-16 s. */
static void test_ticks(void)
{
    OWN(dlq_timeline_answer) answer;
    answer_make(&answer,
                "pipeline.loaders=7 pipeline.loader=pool pipeline.window=unbounded load.mean=700ms "
                "load.distribution=normal load.cv=0.05 step.mean=100ms simulate.resolution=100ms",
                0, 30);
    const struct dlq_queue_levels *levels = &answer.levels[0];
    CHECK(levels->count > 50, "%zu levels", levels->count);
    for (size_t i = 0; i + 1 < levels->count; i++)
        CHECK(levels->time[i + 1] - levels->time[i] > 0.0999, "%g and %g ready for %g s", levels->ready[i],
              levels->held[i], levels->time[i + 1] - levels->time[i]);
    dlq_model_free(answer.model);
}

/* Many ranks: the trainers alone of those that the others wait for; equal ones as they are. */
static void test_many_ranks(void)
{
    static const double barriers[] = {2.385, 0.5, 2.385, 7, 0.25};
    struct dlq_timeline_answer answer;
    struct dlq_timeline_summary summaries[5];
    char text[SLOT_TEXT];
    size_t places[5];
    answer_make(&answer,
                "pipeline.loaders=2 pipeline.ranks=50 pipeline.slow_ranks=1 pipeline.slow_factor=1.5 load.mean=190ms "
                "load.cv=0.1 step.mean=100ms",
                0, 4);
    char *script = slots_made(dlq_picture_timeline, &answer);
    CHECK_TEXT(slot_text(script, "TRACKS[1]", text), "\"rank 0\" 0.5 0");
    CHECK_TEXT(slot_text(script, "TRACKS[33]", text), "");
    CHECK_TEXT(slot_text(script, "NOTE", text), "one simulated run; the 32 of 50 ranks that delay the others most");
    free(script);
    dlq_model_free(answer.model);
    dlq_timeline_answer_free(&answer);
    for (size_t r = 0; r < 5; r++)
        summaries[r] = (struct dlq_timeline_summary){.barrier = barriers[r]};
    answer = (struct dlq_timeline_answer){.timeline = {.rank_count = 5}, .summaries = summaries};
    CHECK_INT(dlq_timeline_ranks(&answer, 3, places), 3);
    CHECK(places[0] == 0 && places[1] == 1 && places[2] == 4, "%zu, %zu, %zu", places[0], places[1], places[2]);
    CHECK_INT(dlq_timeline_ranks(&answer, 1, places), 1);
    CHECK_INT(places[0], 4);
    /* From 0 until 0 nothing happens. */
    struct dlq_error error = {0};
    struct dlq_slots slots = {
        .canvas = &(struct dlq_canvas){.width = 9, .format = "png"}, .script = stdout, .error = &error};
    CHECK_INT(dlq_picture_timeline(&answer, &slots), DLQ_INVALID);
}

TEST_SUITE(picture_data, CASE(test_sweep), CASE(test_levels), CASE(test_diagnosis), CASE(test_fit),
           CASE(test_fit_outlier), CASE(test_fit_quantiles), CASE(test_advise), CASE(test_json), CASE(test_spans),
           CASE(test_ticks), CASE(test_many_ranks));
