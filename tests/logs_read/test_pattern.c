/* Logs whose lines or columns the user tells: what is read, and what is refused. */
#include "logs.h"

enum { MOST = 6 };

static void check_log(const char *const *patterns, const char *const *columns, long every, const char *text,
                      const char *want)
{
    struct dlq_trace_options options = {.patterns = patterns, .columns = columns, .every = every};
    while (patterns != NULL && patterns[options.pattern_count] != NULL)
        options.pattern_count++;
    while (columns != NULL && columns[options.column_count] != NULL)
        options.column_count++;
    check_bytes(options, "own.log", text, strlen(text), want);
}

/* Times in us, as show_trace has them. */
static void reads(void)
{
    static const struct {
        const char *patterns[MOST];
        long every;
        const char *text, *want;
    } table[] = {
        {{"data=rtime %f", "iter=itime %f"},
         0,
         "step 000031/200000; rtime 0.03; itime 1.80; loss = 100.1\nsaved\nstep 32/9; rtime 210.16; itime 212.36\n",
         "0: 30000/1800000 210160000/212360000"},
        /* units; a blank is one or more; without data; "%%" */
        {{"data=wait %f ms (", "step=compute: %fus"},
         0,
         "1 wait  20.5 ms (5%) compute:   1500us\n2 wait 1 ms (1%) compute: 2500us\n",
         "0: 20500/22000 1000/3500"},
        {{"data=5%% of %f s", "iter=it=%f"}, 0, "5% of 0.5 s it=1\n", "0: 500000/1000000"},
        /* a word is a whole one, or begins there */
        {{"data=data_time: %f", "iter=time: %f"}, 0, "data_time: 0.1 time: 0.3\n", "0: 100000/300000"},
        {{"iter=time %f"}, 0, "rtime 0.1\n", "own.log: no times in it (read as pattern)"},
        /* text behind alone; the first that fits */
        {{"iter=%f s/it"}, 0, "3/100 [00:12, 0.25 s/it]\n4/100 [00:12, 1.5 s/it]\n", "0: nan/250000 nan/1500000"},
        /* means of ten iterations, told by their number or by --every */
        {{"data:mean=d=%f", "iter:mean=t=%f", "count=i=%d"},
         0,
         "i=10 d=.1 t=.3\ni=20 d=.2 t=.4\n",
         "0: 100000/300000 200000/400000"},
        {{"data=d=%f", "iter=t=%f"}, 10, "d=0.1 t=0.3\nd=0.2 t=0.4\n", "0: 100000/300000 200000/400000"},
        /* means since the epoch's start: windows are recovered */
        {{"data:running=d=%f", "iter:running=t=%f", "count=i=%d", "epoch=Epoch %d"},
         0,
         "Epoch 1\ni=10 d=0.1 t=0.2\ni=20 d=0.2 t=0.4\nEpoch 2\ni=10 d=0.5 t=0.6\n",
         "0: 100000/200000 300000/600000 | 500000/600000"},
        {{"data=d=%f", "iter=t=%f", "rank=rank=%d"},
         0,
         "rank=1 d=0.1 t=0.2\nrank=0 d=0.3 t=0.4\n",
         "0: 300000/400000; 1: 100000/200000"},
        /* units in braces, in the label, behind the number; another number between */
        {{"data=wait %f{ms}", "iter=e2e_us: %f"}, 0, "wait 20.5 e2e_us: 90000\n", "0: 20500/90000"},
        {{"data=wait %f", "iter=took %f"},
         0,
         "wait 500 ms took 1.5 s\nwait 0.25 took 2000ms\n",
         "0: 500000/1500000 250000/2000000"},
        {{"data=min %f", "iter=took %*f of %f"}, 0, "min 1 took 3 of 4\n", "0: 1000000/4000000"},
        {{"iter=5%% %*f%% %f"}, 0, "5% 20% 1.5\n", "0: nan/1500000"},
        /* sums since the line before, clocks: their first line has no difference, nor has one that falls */
        {{"data:sum=waited %f", "iter:sum=took %f", "count=i=%d"},
         0,
         "i=10 waited 2 took 5\ni=20 waited 1 took 3\n",
         "0: 200000/500000 100000/300000"},
        {{"sum=took %f", "count=i=%d"}, 0, "i=10 took 5\ni=20 took 3\n", "0: nan/500000 nan/300000"},
        {{"clock=t=%f", "data:clock=w=%f", "count=i=%d"},
         0,
         "i=10 t=100 w=5\ni=20 t=110 w=6\ni=10 t=3 w=1\ni=20 t=8 w=2\n",
         "0: 100000/1000000 100000/500000"},
        {{"clock=t=%f"}, 0, "t=1\nt=1.5\nt=3\n", "0: nan/500000 nan/1500000"},
        /* a first line that begins late is of as many iterations as the next; "1,010" is a number */
        {{"data:mean=d=%f", "iter:mean=t=%f", "count=i=%d"},
         0,
         "i=1,010 d=.1 t=.3\ni=1,020 d=.2 t=.4\n",
         "0: 100000/300000 200000/400000"},
        /* lines of validation, unless a pattern is of these */
        {{"data=d=%f", "iter=t=%f"}, 0, "d=.1 t=.3\nval: d=5 t=6\nTest: d=5 t=6\n", "0: 100000/300000"},
        {{"data=val: d=%f", "iter=t=%f"}, 0, "val: d=5 t=6\n", "0: 5000000/6000000"},
        /* what is no number is malformed; other lines are none of it */
        {{"data=d=%f", "iter=t=%f"}, 0, "d=0.1 t=x\n", "own.log:1: no number follows 't='"},
        {{"data=d=%f"}, 0, "d=1e308 ms\n", "own.log:1: data: 1e+305 is too large for seconds"},
        {{"data=d=%f", "count=i=%d"}, 0, "d=0.1\n", "own.log:1: no number of the iteration"},
        {{"data=d=%f"}, 0, "nothing\n", "own.log: no times in it (read as pattern)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check_log(table[i].patterns, NULL, table[i].every, table[i].text, table[i].want);
}

/* No change of a unit is silent. */
static void units(void)
{
    static const struct {
        const char *text, *doubt, *error; /* of data=d %f and iter=t %f; null: none */
    } table[] = {
        {"d 0 t .1\nd 0 t 51\n", "line 2: iter is 51 after 0.1: is its unit another one? {ms} behind %f tells a unit\n",
         NULL},
        {"d 0 t .1\nd 0 t 49\nd 0 t .1\nd 0 t .1 s\nd 0 t 99 s\n", "", NULL},
        {"d 9 t .1\n", NULL, "own.log:1: data time 9 s is longer than the iteration, 0.1 s"},
        {"d 11 t .1\n", NULL,
         "own.log:1: data time 11 s is longer than the iteration, 0.1 s: is one of them in another unit? --pattern "
         "'data=TEXT %f{ms}' or --column data=NAME:ms tells the unit"},
    };
    static const char *const patterns[] = {"data=d %f", "iter=t %f"};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_error error;
        struct dlq_trace_facts facts = {.doubts = NULL};
        OWN_TRACE *trace = read_text((struct dlq_trace_options){.patterns = patterns, .pattern_count = 2}, "own.log",
                                     table[i].text, &error);
        CHECK((trace != NULL) == (table[i].error == NULL), "%s: %s", table[i].text, error.text);
        if (trace == NULL && table[i].error != NULL)
            CHECK(strncmp(error.text, table[i].error, strlen(table[i].error)) == 0 &&
                      (strstr(error.text, "unit") != NULL) == (strstr(table[i].error, "unit") != NULL),
                  "%s", error.text);
        if (trace != NULL) {
            dlq_trace_facts(trace, &facts);
            CHECK_TEXT(facts.doubts, table[i].doubt);
        }
    }
}

#define PLACE "needs one place for a number, %f or %d, and up to 127 bytes on either side, in which %% is a %"

static void refuses(void)
{
    static const struct {
        const char *pattern, *want;
    } table[] = {
        {"data", "--pattern: 'data' is not ROLE=TEXT, as data=rtime=%f is"},
        {"wait=%f s",
         "--pattern: 'wait=%f s' does not begin with data, iter, step, load, clock, sum, count, epoch or rank"},
        {"data=rtime", "--pattern: 'data=rtime' " PLACE},
        {"data=a%f b%f", "--pattern: 'data=a%f b%f' " PLACE},
        {"data=a%s", "--pattern: 'data=a%s' " PLACE},
        {"data=a%f 5%", "--pattern: 'data=a%f 5%' " PLACE},
        {"data=%f", "--pattern: 'data=%f' has nothing but the number: it would match any line"},
        {"data= %f ", "--pattern: 'data= %f ' has nothing but the number: it would match any line"},
        {"data:last=a%f",
         "--pattern: 'data:last=a%f' says neither single, mean, running, median, sum nor clock behind the colon"},
        {"count:mean=a%d", "--pattern: 'count:mean=a%d' has a number that is no time: nothing goes behind a colon"},
        {"data=a%f{m}", "--pattern: 'data=a%f{m}' has no unit in its braces: {s}, {ms}, {us}, {ns} or {min}"},
        {"data=a%f{ms", "--pattern: 'data=a%f{ms' has no unit in its braces: {s}, {ms}, {us}, {ns} or {min}"},
        {"data=%*f %f", "--pattern: 'data=%*f %f' has nothing but the number: it would match any line"},
        {"clock:mean=a%f", "--pattern: 'clock:mean=a%f' has a first word that says what its number is: leave out the "
                           "colon and what follows"},
        {"count=a%d", "--pattern: none is of a time: data, iter, step, load, clock or sum"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *const patterns[MOST] = {table[i].pattern};
        check_log(patterns, NULL, 0, "a1\n", table[i].want);
    }
    static const char *const twice[MOST] = {"data=a%f", "data=b%f"}, *const both[MOST] = {"iter=a%f", "step=b%f"};
    check_log(twice, NULL, 0, "a1\n", "--pattern: 'data=b%f' comes twice");
    check_log(both, NULL, 0, "a1\n",
              "--pattern: give iter, the whole iteration, or step, the iteration without its wait for data, not both");
    check_bytes((struct dlq_trace_options){.patterns = twice, .pattern_count = 1, .format = "ratio"}, "own.log", "a1\n",
                3, "--pattern is a format of its own: leave out --format");
    check_bytes((struct dlq_trace_options){.format = "pattern"}, "own.log", "a1\n", 3,
                "own.log: --pattern says what its lines look like");
}

/* A long line of what almost fits takes no longer than its length says: the pattern is looked for once at each place.
 */
static void hostile_lines(void)
{
    enum { LONG = 30000 };
    static const char *const patterns[MOST] = {"data=--------------------------------------------b%f", "iter=%f ---"};
    char text[LONG + 64];
    memset(text, '-', LONG);
    memset(text + LONG / 2, '1', LONG / 2);
    snprintf(text + LONG, 64, "\n1.5 --- a--------------------------------------------b0.5\n");
    check_bytes((struct dlq_trace_options){.patterns = patterns, .pattern_count = 2}, "own.log", text, strlen(text),
                "0: 500000/1500000");
}

static void columns(void)
{
    static const struct {
        const char *columns[MOST];
        const char *text, *want;
    } table[] = {
        {{"data=timers/rtime", "iter=timers/itime"},
         "Step,timers/rtime,timers/itime\n1,0.5,1\n2,0.25,1\n",
         "0: 500000/1000000 250000/1000000"},
        {{"data=Value"}, "Wall time,Step,Value\n1,1,0.5\n", "0: 500000/-"},
        {{"data=run - wait, s", "step_time=run"}, "\"run - wait, s\";run\n0,5;1\n", "0: 500000/1500000"},
        /* units of columns, clocks, validation, a header that comes again */
        {{"data=wait_ms", "iter=t:us"}, "wait_ms,t\n500,2000000\n0.5s,1s\n", "0: 500000/2000000 500000/1000000"},
        {{"data=a:ms", "iter=b"}, "a:ms,b\n0.5,2\n", "0: 500/2000000"},
        {{"clock=t"}, "t\n1\n1.5\n3\n", "0: nan/- nan/500000 nan/1500000"},
        {{"data=w"},
         "Phase,w\ntrain,1\nval,9\nTest,9\ntrain,2\nPhase,w\ntrain,3\n",
         "0: 1000000/- 2000000/- 3000000/-"},
        /* a column that is told wins over one of the usual name */
        {{"data=mine"}, "data_time,iter_time,mine\n9,1,0.5\n", "0: 500000/1000000"},
        {{"data=rtime"}, "Step,x\n1,2\n", "own.log:1: there is no column 'rtime', which --column names"},
        {{"wait=x"},
         "Step,x\n1,2\n",
         "--column: 'wait' is not data, iter, step, load, clock, epoch, batch, rank, worker or another name of a csv "
         "log "
         "(dlqueue "
         "help formats)"},
        {{"data"}, "Step,x\n1,2\n", "--column: 'data' is not ROLE=NAME, as data=timers/rtime is"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check_log(NULL, table[i].columns, 0, table[i].text, table[i].want);
    check_bytes((struct dlq_trace_options){.format = "ratio", .columns = table[0].columns, .column_count = 1},
                "own.log", "0.2/0.5\n", 8, "own.log: --column names columns of a csv log, this is ratio");
}

TEST_SUITE(pattern, CASE(reads), CASE(units), CASE(refuses), CASE(hostile_lines), CASE(columns));
