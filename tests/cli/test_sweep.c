/* dlqueue sweep: files, tables, findings. */
#include "command.h"

#define SHORT "--loaders 7 --load 700ms --step 100ms --set simulate.batches=2000"

static void test_files(void)
{
    COMMAND(command);
    COMMAND_CASE(command, "sweep " SHORT " -o out --keep-scripts --set sweep.loaders=1..9 --set 'plot.format=png, svg'",
                 {"out/dlqueue-throughput.png", "out/dlqueue-utilization.png", "out/dlqueue-throughput.gp",
                  "+out/dlqueue-throughput.svg", "+out/dlqueue-utilization.svg", "+out/dlqueue-utilization.gp",
                  "@out/dlqueue-throughput.png: \211PNG",
                  ("@out/dlqueue-sweep.csv: loaders,upper,lower,throughput,throughput_low,throughput_high,utilization,"
                   "utilization_low,utilization_high,wait_mean,wait_p99,stalled_steps,bound_by,replications,"
                   "precision_reached\n"),
                  "95 % utilization takes 7 loaders.", "next: dlqueue solve"});
}

/* Rows: first axis outer, second inner; times in seconds. */
static void test_order(void)
{
    static const double loads[] = {0.3, 0.6, 0.9};
    COMMAND(command);
    COMMAND_CASE(command, "sweep " SHORT " --json --set sweep.loaders=2,5 --set 'sweep.load=300ms, 600ms, 900ms'",
                 {"#axes.0.values.1 5", "#axes.1.values.2 0.9", "\"name\": \"load\"", "+plots/dlqueue-sweep.csv"});
    const json_t *points = json_object_get(command_object(command), "points");
    CHECK_INT(json_array_size(points), 6);
    for (size_t i = 0; i < 6; i++) {
        const json_t *point = json_array_get(points, i);
        CHECK_INT(command_number(point, "loaders"), i < 3 ? 2 : 5);
        CHECK_REL(command_number(point, "load"), loads[i % 3], 1e-12);
        double bound = fmin(10, (i < 3 ? 2 : 5) / loads[i % 3]);
        CHECK_REL(command_number(point, "upper"), bound, 1e-9);
        CHECK_REL(command_number(point, "throughput"), bound, 1e-3);
    }
    COMMAND_CASE(command, "sweep " SHORT " --set sweep.loaders=6..8 --csv -o -", {"--"}); /* no directory */
    /* 63 batches of 8 samples are 32 of 16. */
    COMMAND_CASE(command,
                 "sweep --loaders 3 --load 20ms --step 104ms --set load.per=sample --set pipeline.batch_size=8 --set "
                 "pipeline.epoch_batches=63 --set sweep.batch_size=8,16 --json",
                 {"#points.0.throughput 9.38617401668634", "#points.1.throughput 8.58369098712456"});
}

/* The words come from the data: constant loads of 0.7 s keep a step of 0.1 s busy with 7 loaders. */
static void test_findings(void)
{
    static const struct command_case rows[] = {
        {SHORT " --set sweep.loaders=1..10", {"95 % utilization takes 7 loaders."}},
        {SHORT " --set sweep.loaders=1..6",
         {"Even with 6 loaders, utilization stays below 95 %, held back by loading."}},
        /* Between the counts that were tried lies the one that it takes. */
        {SHORT " --set 'sweep.loaders=1, 3, 5, 9, 17' --cv 0.6", {"95 % utilization takes 10 to 17 loaders."}},
        {"'" PROJECT_SOURCE "/configs/blog-phase.ini' --cv 0.0001 --set sweep.loaders=30,40",
         {"utilization stays below 95 %, held back by the wait for the first batch."}},
        {SHORT " --set sweep.loaders=1..20 --set load.uses=cpu --set host.cores=5", {", held back by the cores."}},
        {SHORT " --set 'sweep.load=0.1s..1s step 0.1s'", {"95 % utilization up to a load of 700 ms (not 800 ms)."}},
        {SHORT " --set 'sweep.load=1s..2s in 3'", {"Even with a load of 1 s, utilization stays below 95 %"}},
        {SHORT " --set 'sweep.step=20ms..40ms in 3'", {"Even with a step of 40 ms, utilization stays below 95 %"}},
        {SHORT " --set 'sweep.cv=0.1,2' --set load.distribution=gamma --cv 1 -q",
         {"95 % utilization up to a load cv of 0.1 (not 2)."}},
        {SHORT " --set sweep.ranks=1,2,4 --set pipeline.loader=pool --loaders 9 --cv 0.5",
         {"95 % utilization even with 4 ranks"}},
        {SHORT " --set sweep.ranks=1,2,8,64 --loaders 11 --cv 0.4", {"95 % utilization up to 8, perhaps 63 ranks."}},
        {SHORT " --set sweep.ranks=1,2 --cv 0.5", {"Even with 1 rank, utilization stays below 95 %"}},
        {SHORT " --set 'sweep.prefetch=1..3'", {"95 % utilization already with a prefetch of 1."}},
        {"--loaders 7 --load 1s --step 0 --set sweep.loaders=1..3 --set simulate.batches=2000",
         {"Without a training step, loading delivers up to 3.00 batches/s."}},
    };
    COMMAND(command);
    COMMAND_CASES(command, "sweep ", rows);
}

#define PARTED                                                                                                         \
    "--loaders 4 --load 300ms --cv 0.6 --step 100ms --set load.distribution=gamma --set load.uses=cpu --cores 3 "
#define GRID PARTED "--set sweep.loaders=2..5 --set 'sweep.cv=0.5, 1.385' --set simulate.batches=400 "

/* The files of all parts together are those of the whole, to the byte; parts that do not belong together are refused.
 */
static const struct command_case parts_cases[] = {
    {"sweep " GRID "--set plot.format=svg -o whole", {"8 points: ", "whole/dlqueue-sweep.csv"}},
    {"for k in 1 2 3 4 5 6 7; do dlqueue sweep " GRID "--part $k/7 -o parts; done",
     {"parts/dlqueue-part-1-of-7.csv\n", "parts/dlqueue-part-7-of-7.csv\n",
      "@parts/dlqueue-part-7-of-7.csv: version,configuration,seed,points,point,throughput,"}},
    {"cp -r parts joined && cd joined && for f in *.csv; do set -- \"$@\" --join $f; done && dlqueue sweep " GRID
     "--set plot.format=svg -o . \"$@\" && rm -f *-part-* && diff -r . ../whole && echo equal",
     {"equal\n"}},
    {"sweep " GRID "--join parts/dlqueue-part-2-of-7.csv",
     {"?2", "~10 of 12 points are missing, counted from 0: 0, 3 to 11; run their parts again\n"}},
    {"sweep " GRID "--seed 2 --join parts/dlqueue-part-2-of-7.csv", {"?2", "~line 2: it has another seed"}},
    {"sweep " GRID "--step 101ms --join parts/dlqueue-part-2-of-7.csv",
     {"?2", "~line 2: it is of another configuration"}},
    {"sweep " GRID "--join parts/dlqueue-part-2-of-7.csv --join parts/dlqueue-part-2-of-7.csv",
     {"?2", "~line 2: the point was read before"}},
    {"sed 's/true/maybe/' parts/dlqueue-part-2-of-7.csv >bad.csv; dlqueue sweep " GRID "--join bad.csv",
     {"?2", "~bad.csv, line 2: a field is not what its column holds"}},
    {"sed '2s/^[^,]*/0.0/' parts/dlqueue-part-2-of-7.csv >bad.csv; dlqueue sweep " GRID "--join bad.csv",
     {"?2", "~bad.csv, line 2: another version of dlqueue wrote it"}},
    {"sweep --join parts/dlqueue-part-2-of-7.csv parts/dlqueue-part-3-of-7.csv",
     {"?2", "~dlqueue: parts/dlqueue-part-3-of-7.csv: looks like CSV, not a configuration"}},
    {"sweep " GRID "--join whole/dlqueue-sweep.csv", {"?2", "~line 1: this is no part of a sweep"}},
    {"sweep " GRID "--join /dev/null", {"?2", "~/dev/null: the file is empty"}},
    {"sweep " GRID "--join absent.csv", {"?2", "~absent.csv: No such file"}},
    {"sweep " GRID "--part 8/7", {"?2", "~--part: '8/7' is not K/N with K from 1 to N, e.g. 3/16"}},
    {"sweep " GRID "--part 1/2 --csv", {"?2", "~not together with"}},
};
COMMAND_TEST(test_parts, parts_cases)

/* Text, JSON, CSV and files say the same: of constant loads of 0.7 s for 4 loaders, and steps of 0.1 s. */
static void test_tornado(void)
{
    static const char model[] = "--loaders 4 --load 700ms --step 100ms --set overheads.receive=3ms --tornado";
    static const struct command_case rows[] = {
        {"sweep --loaders 4 --load 400ms --cv 0.8 --step 100ms --set simulate.batches=2000 --tornado",
         {"^  Throughput gains most with a load of 320 ms instead of 400 ms (+16.5 %) and loses most with a\n"
          "  prefetch of 1 instead of 2 (-20.5 %).\n"}},
        {"sweep --loaders 4 --load 700ms --step 100ms --set overheads.receive=3ms --tornado",
         {"^  Throughput depends most on the loaders: 3 instead of 4 costs 25 %, 5 gains 25 %.\n\n",
          "\n  load       700 ms  560 ms   25.0  840 ms  -16.7\n", "  Changes nothing: receive time, step.\n",
          "plots/dlqueue-tornado.csv", "plots/dlqueue-tornado.png", "!sweep.csv"}},
        {"sweep --loaders 4 --load 700ms --step 100ms --tornado --csv -o out --keep-scripts",
         {"^parameter,value,less,throughput_less,throughput_less_low,throughput_less_high,gain_less,gain_less_low,"
          "gain_less_high,proven_less,more,throughput_more,",
          "\nload,0.7,0.56,7.14285714", "+out/dlqueue-tornado.gp"}},
        {"sweep --loaders 4 --load 1s --step 0 --set simulate.horizon=1ms --tornado",
         {"^  No parameter is proven to move the throughput when it changes by 20 %."}},
        {"sweep --loaders 4 --load 1s --step 1s --tornado --part 1/2", {"?2", "~--tornado: not together with --part"}},
        {"sweep --loaders 4 --load 1s --step 1s --tornado --join a.csv", {"?2", "~--tornado: not together with"}},
        {"plan --loaders 4 --load 1s --step 1s --tornado", {"?2", "~plan: --tornado is an option of: sweep"}},
        {"sweep --loaders 4 --load 1s --step 1s --tornado -q >/dev/full", {"?1", "~No space left on device"}},
    };
    char line[200];
    COMMAND(command);
    COMMAND_CASES(command, "", rows);
    snprintf(line, sizeof line, "sweep %s --json", model);
    COMMAND_CASE(command, line,
                 {"#tornado.0.gain_less.value -0.25", "#tornado.1.less 0.56", "#tornado.1.gain_less.value 0.25",
                  "#tornado.1.throughput_more.value 4.76190476190476", "\"proven_more\": true"});
    CHECK_INT(json_array_size(json_object_get(command_object(command), "tornado")), 5);
}

TEST_SUITE(sweep, CASE(test_files), CASE(test_tornado), CASE(test_order), CASE(test_findings), CASE(test_parts));
