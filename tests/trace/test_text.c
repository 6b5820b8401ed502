/* Lines of text: what is wrong with one, and which iterations the others speak of. */
#include "log_files.h"

#define IMAGENET "Epoch: [0][   1/91]\tTime  1.000 ( 1.000)\tData  0.500 ( 0.500)\n"
#define TIMM "Train: 0 [   0/1251 (  0%)]  Time: 1.000s,  256.00/s  (1.000s,  256.00/s)  Data: 0.500 (0.500)\n"
#define MASKRCNN "eta: 1:00:00  iter: 20  time: 0.4321 (0.5432)  data: 0.0101 (0.0345)\n"
#define MEGATRON " iteration 10/ 500 | elapsed time per iteration (ms): 800.0 |\n"

static const struct {
    const char *format, *text, *error;
} wrong[] = {
    {"pytorch-imagenet", "Epoch: [0][  11/91]\n", "a.log:1: no 'Time': is the line cut off?"},
    {"pytorch-imagenet", "Epoch: [0][  11/91]\tTime  0.400 ( 0.5", "a.log:1: no 'Data': is the line cut off?"},
    {"pytorch-imagenet", "Epoch: [0][  11/91]\tTime  0.400 ( 0.500)\tData\n",
     "a.log:1: nothing follows 'Data': is the line cut off?"},
    {"pytorch-imagenet", "Epoch: [0][  11/91]\tTime  0.400 ( 0.500)\tData 0.1 ( 0.",
     "a.log:1: the parenthesis after 'Data' does not end: is the line cut off?"},
    {"pytorch-imagenet", "Epoch: [0][  11/91]\tTime  0.400\tData 0.1 (0.1)\n",
     "a.log:1: 'Time' has no mean in parentheses: is the line cut off?"},
    {"pytorch-imagenet", "Epoch: [0][  11/91]\tTime  0x1p3 ( 0.500)\tData 0.1 (0.1)\n",
     "a.log:1: 'Time' is '0x1p3', not a time such as 0.354"},
    {"pytorch-imagenet", "Epoch: [0][  11/91]\tTime  1e400 ( 0.500)\tData 0.1 (0.1)\n",
     "a.log:1: 'Time' is '1e400', not a time such as 0.354"},
    {"pytorch-imagenet", "Epoch: [0][  11/91]\tTime  0.4 ( inf)\tData 0.1 (0.1)\n",
     "a.log:1: 'Time' is 'inf', not a time such as 0.354"},
    {"pytorch-imagenet", "Epoch: [0][  11/91]\tTime  0,400 ( 0.500)\tData 0.1 (0.1)\n",
     "a.log:1: 'Time' is '0,400', not a time such as 0.354"},
    {"pytorch-imagenet", "Epoch: [0][  11/91]\tTime  0.4 ( 0.500)\tData 0.5 (0.1)\n",
     "a.log:1: data time 0.5 s is longer than the iteration, 0.4 s"},
    {"pytorch-imagenet", IMAGENET "Epoch: [0][99999999999999999999/91]\tTime  0.4 ( 0.500)\tData 0.1 (0.1)\n",
     "a.log:2: the number of the iteration or its epoch is over 2147483646"},
    {"pytorch-imagenet", IMAGENET "[rank4096]: " IMAGENET, "a.log:2: rank 4096 is over 4095"},
    {"timm", TIMM "Train: 0 [  50/1251 (  4%)]  Time: 0.354s,  723.16/s  Data: 0.012 (0.642)\n",
     "a.log:2: 'Time:' has no mean in parentheses: is the line cut off?"},
    {"timm", TIMM "Train: 0 [  50/1251 (  4%)]  Time: nans,  723.16/s (0.1s, 1/s) Data: 0.012 (0.642)\n",
     "a.log:2: 'Time:' is 'nans,', not a time such as 0.354"},
    {"torchvision", "Epoch: [0]  [  10/7329]  eta: 1:02:30  time: 0.3401  data: 0.3501\n",
     "a.log:1: data time 0.3501 s is longer than the iteration, 0.3401 s"},
    {"torchvision", "Epoch: [0]  [  10/7329]  eta: 1:02:30  loss: 5.1\n", "a.log:1: no 'time:': is the line cut off?"},
    {"maskrcnn-benchmark", MASKRCNN "iter: 40  time: 0.4321 (0.5432)\n", "a.log:2: no 'data:': is the line cut off?"},
    {"maskrcnn-benchmark", MASKRCNN "iter: x  time: 0.4321 (0.5432)  data: 0.0101 (0.0345)\n",
     "a.log:2: no number of the iteration after 'iter:'"},
    {"mmengine", "Epoch(train) [1][50/100]  time: 0.1  data_time: -0.1\n",
     "a.log:1: 'data_time:' is '-0.1', not a time such as 0.354"},
    {"mmengine", "Iter(train) [50/100]  time: 0.1\n", "a.log:1: no 'data_time:': is the line cut off?"},
    {"detectron2", "iter: 19  time: 0.1\n", "a.log:1: no 'data_time:': is the line cut off?"},
    {"megatron", " iteration 10/ 500 | consumed samples: 1",
     "a.log:1: no 'elapsed time per iteration (ms):': is the line "
     "cut off?"},
    {"megatron", MEGATRON "    batch-generator ....: (1.0, 2",
     "a.log:2: the parenthesis after 'batch-generator' does not "
     "end: is the line cut off?"},
    {"megatron", MEGATRON "    batch-generator ....: nan\n",
     "a.log:2: 'batch-generator' is not a time in ms, or not (shortest, longest)"},
    {"lightning", "| Action | Mean duration (s) |\n| run_training_batch | 0.1 | 10 | 1 |\n",
     "a.log:2: the table has no row 'train_dataloader_next'"},
    {"lightning", "| Action | Mean duration (s) |\n| get_train_batch | 0.1 | 10 | 1 |\n",
     "a.log:2: the table has no row 'run_training_batch'"},
    {"lightning", "| Action | Mean duration (s) |\n| get_train_batch | 0.1\n| run_training_batch | 0.1 | 10 | 1 |\n",
     "a.log:2: the row 'get_train_batch' has no total: is the line cut off?\n"
     "a.log:3: the table has no row 'train_dataloader_next'"},
    {"lightning", "| Action | Mean duration (s) |\n| get_train_batch | 0.1 | 10 | nan |\n",
     "a.log:2: 'Total time (s)' of 'get_train_batch' is 'nan', not a number\n"
     "a.log:2: the table has no row 'train_dataloader_next'"},
    {"lightning", "| Action | Mean duration (s) |\n| run_training_batch | 0.1 | 0 | 1 |\n",
     "a.log:2: 'run_training_batch' was called 0 times\na.log:2: the table has no row 'train_dataloader_next'"},
    {"hf-trainer", "{'train_runtime': nan, 'train_steps_per_second': 1.0}\n",
     "a.log:1: 'train_runtime' is not a time such as 703.2716"},
    {"hf-trainer", "{'train_runtime': 10.0, 'train_st",
     "a.log:1: 'train_steps_per_second' is not there, or no number: is the line cut off?"},
    {"hf-trainer", "{'train_runtime': 0.0, 'train_steps_per_second': 1.0}\n", "a.log:1: 0 s at 1 steps/s are no run"},
    {"ratio", "step 3: 0.6/0.5\n", "a.log:1: data time 0.6 s is longer than the iteration, 0.5 s"},
    {"ratio", "rank 3: 0.012/x\n", "a.log:1: not of the form data/iter, as in 0.012/0.354"},
    {"timm", "hello\n", "a.log: no times in it (read as timm)"},
    {"timm", "Test: [   0/196]  Time: 0.345s (0.345s, 742.0/s)  Loss: 1\n", "a.log: no times in it (read as timm)"},
};

static void says_what_is_wrong(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        CHECK_INT(read_text(&trace, wrong[i].format, 0, "a.log", wrong[i].text, &error), DLQ_INVALID);
        check_error(error.text, wrong[i].text, wrong[i].error);
        dlq_trace_free(trace);
    }
}

static const char *const hostile[] = {
    "h.log:2: no 'Data': is the line cut off?",
    "h.log:3: 'Time' is 'nan', not a time such as 0.354",
    "h.log:4: 'Data' is '-0.001', not a time such as 0.354",
    "h.log:5: 'Time' is '1,412.0', not a time such as 0.354",
    "h.log:6: data time 0.6 s is longer than the iteration, 0.5 s",
    "h.log:7: no number of the iteration after 'Epoch: ['",
    "h.log:8: not text: the line holds a NUL byte",
    "h.log:10: the line is over 32768 bytes long",
    "h.log:12: iteration 11 comes again (do several ranks print into this log?)",
    "h.log:13: iteration 9 comes after a later one of the same epoch",
    "h.log:14: two lines have run into one",
};

enum { HOSTILE = sizeof hostile / sizeof *hostile };

static void skips_what_it_may(void)
{
    size_t length;
    char *text = load_log("pytorch-imagenet-hostile.log", &length);
    for (long skip = HOSTILE - 1; skip <= HOSTILE + 5; skip++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        struct dlq_trace_facts facts;
        bool enough = skip >= HOSTILE;
        CHECK_INT(read_bytes(&trace, NULL, skip, "h.log", text, length, &error), enough ? DLQ_OK : DLQ_INVALID);
        CHECK_TEXT(error.text, enough ? "" : hostile[HOSTILE - 1]);
        if (trace == NULL)
            continue;
        dlq_trace_facts(trace, &facts);
        CHECK_INT(facts.records, 3);
        CHECK_INT(facts.bad, HOSTILE);
        CHECK_INT(facts.other, 3);
        for (size_t i = 0; i < HOSTILE; i++)
            CHECK(strstr(facts.bad_text, hostile[i]) != NULL, "'%s' not in '%s'", hostile[i], facts.bad_text);
        CHECK_REL(sums_of(trace).iter, 21 * 0.5, 1e-9);
        dlq_trace_free(trace);
    }
    free(text);
}

#define LINE(epoch, number, time, data)                                                                                \
    "Epoch: [" #epoch "][" #number "/91]\tTime  0.5 ( " #time ")\tData  0.0 ( " #data ")\n"

/* Which iterations the lines speak of: batches of rank 0. */
static const struct {
    const char *what, *format, *text;
    size_t records;
    struct {
        int epoch, index, count;
        double data, iter;
    } want[4];
} placed[] = {
    {"windows between lines",
     "pytorch-imagenet",
     LINE(0, 1, 2.0, 1.0) LINE(0, 11, 1.0, 0.5),
     2,
     {{0, 0, 1, 0, 0.5}, {0, 10, 10, 0.55, 1.05}}},
    {"a log without its beginning",
     "pytorch-imagenet",
     LINE(2, 2001, 1.0, 0.5) LINE(2, 2011, 1.0, 0.5),
     2,
     {{2, 2000, 2001, 0.5, 1}, {2, 2010, 10, 0.5, 1}}},
    {"an epoch begun again",
     "pytorch-imagenet",
     LINE(0, 2, 2.0, 1.0) LINE(0, 4, 1.0, 0.5) LINE(0, 2, 1.0, 0.25),
     3,
     {{0, 1, 2, 1, 2}, {0, 3, 2, 0, 0}, {0, 1, 2, 0.25, 1}}},
    {"an earlier epoch again",
     "pytorch-imagenet",
     LINE(5, 2, 2.0, 1.0) LINE(3, 2, 1.0, 0.5),
     2,
     {{5, 1, 2, 1, 2}, {3, 1, 2, 0.5, 1}}},
    {"counters from 0, known for the next epoch too",
     "pytorch-imagenet",
     LINE(0, 0, 2.0, 1.0) LINE(0, 2, 2.0, 1.0) LINE(1, 4, 1.0, 0.5),
     3,
     {{0, 0, 1, 0, 0.5}, {0, 2, 2, 1.5, 2.75}, {1, 4, 5, 0.5, 1}}},
    {"what rounding takes below 0 is made up for",
     "pytorch-imagenet",
     LINE(0, 2, 0.50, 0.250) LINE(0, 4, 0.50, 0.120) LINE(0, 6, 0.50, 0.120),
     3,
     {{0, 1, 2, 0.25, 0.5}, {0, 3, 2, 0, 0.5}, {0, 5, 2, 0.11, 0.5}}},
    {"a run resumed from a checkpoint",
     "maskrcnn-benchmark",
     "iter: 5020  time: 0.4 (0.6)  data: 0.1 (0.2)\niter: 5040  time: 0.4 (0.5)  data: 0.1 (0.15)\n",
     2,
     {{-1, 5019, 20, 0.2, 0.6}, {-1, 5039, 20, 0.1, 0.4}}},
    {"the same in Megatron's lines",
     "megatron",
     " iteration 7100/ 9000 | elapsed time per iteration (ms): 500 |\n"
     " iteration 7150/ 9000 | elapsed time per iteration (ms): 400 |\n"
     " iteration 7120/ 9000 | elapsed time per iteration (ms): 300 |\n",
     3,
     {{-1, 7099, 100, NAN, 0.5}, {-1, 7149, 50, NAN, 0.4}, {-1, 7119, 50, NAN, 0.3}}},
    {"iterations that the timer leaves out",
     "detectron2",
     "iter: 0  time: 0.5  data_time: 0.25\niter: 2  time: 0.25  data_time: 4\niter: 3  time: 0.25  data_time: 0.1\n",
     3,
     {{-1, 0, 1, 0.25, 0.5}, {-1, 2, 2, 0.25, 0.25}, {-1, 3, 1, 0.1, 0.25}}},
    {"what is above the iteration is made up for",
     "pytorch-imagenet",
     LINE(0, 2, 0.50, 0.25) LINE(0, 4, 0.30, 0.20) LINE(0, 6, 0.50, 0.20),
     3,
     {{0, 1, 2, 0.25, 0.5}, {0, 3, 2, 0.1, 0.1}, {0, 5, 2, 0.25, 0.9}}},
    {"a loader asked more often than there is training",
     "lightning",
     "| Action | Mean duration (s) |\n| get_train_batch | 0.1 | 20 | 2 |\n| run_training_batch | 0.3 | 10 | 3 |\n",
     1,
     {{-1, 9, 10, 0.2, 0.5}}},
    {"a rate of steps",
     "hf-trainer",
     "{\"train_runtime\": \"10.5\", \"train_steps_per_second\": \"2.0\"}\n",
     1,
     {{-1, 20, 21, NAN, 0.5}}},
    {"windows that are not yet full",
     "torchvision",
     "Epoch: [0]  [ 0/90]  time: 4.0  data: 3.0\nEpoch: [0]  [ 9/90]  time: 0.8  data: 0.4\n"
     "Epoch: [0]  [40/90]  time: 0.5  data: 0.1\n",
     3,
     {{0, 0, 1, 3, 4}, {0, 9, 9, 1.0 / 9, 4.0 / 9}, {0, 40, 31, 0.1, 0.5}}},
};

static void places_lines(void)
{
    for (size_t i = 0; i < sizeof placed / sizeof *placed; i++) {
        struct dlq_trace *trace;
        struct dlq_error error = {0};
        CHECK(read_text(&trace, placed[i].format, 0, "a.log", placed[i].text, &error) == DLQ_OK, "%s: %s",
              placed[i].what, error.text);
        if (trace == NULL)
            continue;
        const struct dlq_rank *rank = &trace->ranks[0];
        CHECK(rank->count == placed[i].records, "%s: %zu records", placed[i].what, rank->count);
        for (size_t k = 0; k < placed[i].records && k < rank->count; k++) {
            const struct dlq_batch *batch = &rank->batches[k];
            CHECK(batch->epoch == placed[i].want[k].epoch && batch->index == placed[i].want[k].index &&
                      batch->count == placed[i].want[k].count,
                  "%s: record %zu is of epoch %d, batch %d, %d iterations", placed[i].what, k, (int)batch->epoch,
                  (int)batch->index, (int)batch->count);
            CHECK_ABS(batch->iter, placed[i].want[k].iter, 1e-12);
            if (isnan(placed[i].want[k].data))
                CHECK(isnan(batch->data), "%s: data time known", placed[i].what);
            else
                CHECK_ABS(batch->data, placed[i].want[k].data, 1e-12);
        }
        dlq_trace_free(trace);
    }
}

/* The first record of a text, as its format gives it; the line that it is of. */
static struct dlq_record first_record(const char *format, char *text, long *line)
{
    struct dlq_record record = dlq_record_empty();
    FILE *stream = fmemopen(text, strlen(text), "r");
    struct dlq_log log = {.format = dlq_format_named(format, text, strlen(text)), .lines = malloc(sizeof *log.lines)};
    const struct dlq_log_reader *reader = log.format->reader;
    enum dlq_taken taken;
    log.state = calloc(1, reader->state);
    dlq_lines_begin(log.lines, stream, DLQ_LOG_LINE, 0);
    do
        taken = reader->next(&log, &record);
    while (taken == DLQ_TAKEN_OTHER || taken == DLQ_TAKEN_NOTHING);
    CHECK_INT(taken, DLQ_TAKEN_RECORD);
    *line = log.line;
    reader->end(&log);
    free(log.state);
    free(log.lines);
    fclose(stream);
    return record;
}

/* What the record says beside its means. A record that waits for timers is still of its own line. */
static void keeps_the_rest(void)
{
    struct {
        const char *format;
        char text[160];
        long rank, line;
        double data_single, iter_single, data_median, iter_median, data_least;
    } table[] = {
        {"pytorch-imagenet", "[default2]:" LINE(0, 11, 1.0, 0.5), 2, 1, 0, 0.5, NAN, NAN, NAN},
        {"pytorch-imagenet", " 7: " LINE(0, 11, 1.0, 0.5), 7, 1, 0, 0.5, NAN, NAN, NAN},
        {"pytorch-imagenet", "[1,5]<stdout>:" LINE(0, 11, 1.0, 0.5), 5, 1, 0, 0.5, NAN, NAN, NAN},
        {"pytorch-imagenet", "\x1b[1m[rank9]: \x1b[0m 1%|  | 3/9\r" LINE(0, 11, 1.0, 0.5), 9, 1, 0, 0.5, NAN, NAN, NAN},
        {"pytorch-imagenet", "1772359200: " LINE(0, 11, 1.0, 0.5), -1, 1, 0, 0.5, NAN, NAN, NAN},
        {"maskrcnn-benchmark", MASKRCNN, -1, 1, NAN, NAN, 0.0101, 0.4321, NAN},
        {"detectron2", "iter: 39  time: 0.25  last_time: 0.23  data_time: 0.007  last_data_time: 0.006\n", -1, 1, 0.006,
         0.23, NAN, NAN, NAN},
        {"detectron2", "{\"data_time\": 0.5, \"rank_data_time\": 0.25, \"time\": 1, \"iteration\": 19}\n", -1, 1, NAN,
         NAN, 0.5, 1, 0.25},
        {"megatron", "hello\n" MEGATRON "    batch-generator ....: (1.0, 2.0)\nhello\n", -1, 2, NAN, NAN, NAN, NAN,
         0.001},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        long line;
        struct dlq_record record = first_record(table[i].format, table[i].text, &line);
        CHECK_INT(record.rank, table[i].rank);
        CHECK_INT(line, table[i].line);
        const double got[] = {record.data_single, record.iter_single, record.data_median, record.iter_median,
                              record.data_least};
        const double want[] = {table[i].data_single, table[i].iter_single, table[i].data_median, table[i].iter_median,
                               table[i].data_least};
        for (int k = 0; k < 5; k++)
            CHECK(isnan(got[k]) == isnan(want[k]) && !(fabs(got[k] - want[k]) > 1e-12), "row %zu, value %d: %g", i, k,
                  got[k]);
    }
}

static void interleaves_ranks(void)
{
    struct dlq_trace *trace;
    struct dlq_error error = {0};
    CHECK_INT(read_text(&trace, NULL, 0, "a.log",
                        "0: " LINE(0, 2, 1.0, 0.5) "1: " LINE(0, 2, 2.0, 0.5) "1: " LINE(0, 4, 2.0, 1.0) "0: " LINE(
                            0, 4, 1.5, 0.5) LINE(0, 4, 3.0, 0.5),
                        &error),
              DLQ_OK);
    if (trace == NULL)
        return;
    CHECK_INT(trace->rank_count, 2);
    CHECK_REL(trace->ranks[0].batches[1].iter, 2, 1e-12);
    CHECK_REL(trace->ranks[0].batches[2].iter, 3, 1e-12); /* told of none: the log's own rank, a series of its own */
    CHECK_REL(trace->ranks[1].batches[1].data, 1.5, 1e-12);
    dlq_trace_free(trace);
}

static const struct test_case cases[] = {
    {"says what is wrong", says_what_is_wrong},
    {"skips what it may", skips_what_it_may},
    {"places lines", places_lines},
    {"keeps the rest", keeps_the_rest},
    {"interleaves ranks", interleaves_ranks},
    {NULL, NULL},
};

const struct test_suite suite_text = {"text", cases};
