/* Logs of lines, in words and as JSON: what is wrong with one, and which iterations the others are of. */
#include "logs.h"

#define IMAGENET "Epoch: [0][   1/91]\tTime  1.000 ( 1.000)\tData  0.500 ( 0.500)\n"
#define TIMM "Train: 0 [   0/1251 (  0%)]  Time: 1.000s,  256.00/s  (1.000s,  256.00/s)  Data: 0.500 (0.500)\n"
#define MASKRCNN "eta: 1:00:00  iter: 20  time: 0.4321 (0.5432)  data: 0.0101 (0.0345)\n"
#define GOOD "{\"time\": 1.0, \"data_time\": 0.5, \"epoch\": 1, \"iter\": 50}\n"
#define METRICS "{\"time\": 1.0, \"data_time\": 0.5, \"iteration\": 19}\n"
#define MEGATRON " iteration 10/ 500 | elapsed time per iteration (ms): 800.0 |\n"

static const struct {
    const char *format, *text, *error;
} wrong[] = {
    {"pytorch-imagenet", "Epoch: [0][  11/91]\n", "a.log:1: no 'Time': is the line cut off?"},
    {"pytorch-imagenet", "Epoch: [0][  11/91]\tTime  0.400 ( 0.500)\tData\n",
     "a.log:1: nothing follows 'Data': is the line cut off?"},
    {"pytorch-imagenet", "Epoch: [0][  11/91]\tTime  0.400 ( 0.500)\tData 0.1 ( 0.",
     "a.log:1: the parenthesis after 'Data' does not end: is the line cut off?"},
    {"pytorch-imagenet", "Epoch: [0][  11/91]\tTime  0.400\tData 0.1 (0.1)\n",
     "a.log:1: 'Time' has no mean in parentheses: is the line cut off?"},
    {"pytorch-imagenet", "Epoch: [0][  11/91]\tTime  0x1p3 ( 0.500)\tData 0.1 (0.1)\n",
     "a.log:1: 'Time' is '0x1p3', not a time such as 0.354"},
    {"pytorch-imagenet", IMAGENET "Epoch: [0][99999999999999999999/91]\tTime  0.4 ( 0.500)\tData 0.1 (0.1)\n",
     "a.log:2: the number of the iteration or its epoch is over 2147483646"},
    {"pytorch-imagenet", IMAGENET "[rank4096]: " IMAGENET, "a.log:2: rank 4096 is over 4095"},
    {"timm", TIMM "Train: 0 [  50/1251 (  4%)]  Time: 0.354s,  723.16/s  Data: 0.012 (0.642)\n",
     "a.log:2: 'Time:' has no mean in parentheses: is the line cut off?"},
    {"torchvision", "Epoch: [0]  [  10/7329]  eta: 1:02:30  time: 0.3401  data: 0.3501\n",
     "a.log:1: data time 0.3501 s is longer than the iteration, 0.3401 s"},
    {"maskrcnn-benchmark", MASKRCNN "iter: x  time: 0.4321 (0.5432)  data: 0.0101 (0.0345)\n",
     "a.log:2: no number of the iteration after 'iter:'"},
    {"megatron", " iteration 10/ 500 | consumed samples: 1",
     "a.log:1: no 'elapsed time per iteration (ms):': is the line cut off?"},
    {"megatron", MEGATRON "    batch-generator ....: (1.0, 2",
     "a.log:2: the parenthesis after 'batch-generator' does not end: is the line cut off?"},
    {"megatron", "hello\n iteration 3000000000/ 500 | elapsed time per iteration (ms): 800.0 |\nhello\nhello\n",
     "a.log:2: the number of the iteration or its epoch is over 2147483646"},
    {"megatron", MEGATRON "    batch-generator ....: nan\n",
     "a.log:2: 'batch-generator' is not a time in ms, or not (shortest, longest)"},
    {"lightning", "| Action | Mean duration (s) |\n| run_training_batch | 0.1 | 10 | 1 |\n",
     "a.log:2: the table has no row 'train_dataloader_next'"},
    {"lightning", "| Action | Mean duration (s) |\n| get_train_batch | 0.1\n| run_training_batch | 0.1 | 10 | 1 |\n",
     "a.log:2: the row 'get_train_batch' has no total: is the line cut off?\n"
     "a.log:3: the table has no row 'train_dataloader_next'"},
    {"lightning", "| Action | Mean duration (s) |\n| get_train_batch | 0.1 | 10 | nan |\n",
     "a.log:2: 'nan' of 'get_train_batch' is not a number\n"
     "a.log:2: the table has no row 'train_dataloader_next'"},
    {"lightning", "| Action | Mean duration (s) |\n| run_training_batch | 0.1 | 0 | 1 |\n",
     "a.log:2: 'run_training_batch' was called 0 times\na.log:2: the table has no row 'train_dataloader_next'"},
    {"hf-trainer", "{'train_runtime': nan, 'train_steps_per_second': 1.0}\n",
     "a.log:1: 'train_runtime' or 'train_steps_per_second' is not there, or no number: is the line cut off?"},
    {"hf-trainer", "{'train_runtime': 0.0, 'train_steps_per_second': 1.0}\n",
     "a.log:1: 0 s at 1 steps/s make 0 steps: not in 1..2147483646"},
    {"hf-trainer", "[rank2147483648]: {'train_runtime': 10.0, 'train_steps_per_second': 1.0}\n",
     "a.log:1: rank 2147483648 is not in 0..2147483647"},
    {"ratio", "step 3: 0.6/0.5\n", "a.log:1: data time 0.6 s is longer than the iteration, 0.5 s"},
    {"ratio", "rank 3: 0.012/0.3\nrank 99999999999, step 14: 0.012/0.3\n",
     "a.log:2: a number of the rank, the epoch or the iteration is over 2147483646"},
    {"ratio", "rank 3: 0.012/x\n", "a.log:1: not of the form data/iter, as in 0.012/0.354"},
    {"timm", "Test: [   0/196]  Time: 0.345s (0.345s, 742.0/s)  Loss: 1\n", "a.log: no times in it (read as timm)"},
    {"mmengine", GOOD "{\"time\": 1.0, \"data_ti",
     "a.log:2: not JSON at column 22: premature end of input near '\"data_ti'"},
    {"mmengine", GOOD "{\"time\": 1.0, \"iter\": 100}\n",
     "a.log:2: one of the times is missing, of data or of the iteration"},
    {"mmengine", GOOD "{\"time\": NaN, \"data_time\": 0.5, \"iter\": 100}\n",
     "a.log:2: \"time\" is not a time such as 0.354"},
    {"mmengine", GOOD "{\"time\": 1, \"data_time\": 0.5, \"iter\": 1.5}\n",
     "a.log:2: \"iter\" is not a number of an iteration"},
    {"mmengine", GOOD "{\"time\": 1, \"data_time\": 0.5, \"iter\": 99999999999}\n",
     "a.log:2: the number of the iteration or its epoch is over 2147483646"},
    {"detectron2", METRICS "{\"time\": 1.0, \"data_time\": \"x\", \"iteration\": 39}\n",
     "a.log:2: \"data_time\" is not a time such as 0.354"},
    {"detectron2", METRICS "{\"time\": 1.0, \"data_time\": 0.5, \"iteration\": -1}\n",
     "a.log:2: \"iteration\" is not a number of an iteration"},
    {"detectron2",
     METRICS METRICS METRICS "{\"time\": 1.0, \"data_time\": 0.5, \"iteration\": 39}\n"
                             "{\"time\": 1.0, \"data_time\": 0.5, \"iteration\": 39}\n",
     "a.log:5: iteration 39 comes again (do several ranks print into this log?)"},
    /* What would make nonsense of the times. */
    {NULL, "request,received,step_end\n0,0.3,0.4\n0.41,0.46,0.55\n0.41,0.46,0.55\n",
     "a.log:4: step_end, 0.55, is that of the iteration before: is the row repeated?"},
    {NULL, "Train: 0 [  50/1251 (  4%)]  Time: 0.354s,  7/s  (0.981s,  2/s)  LR: 1  Data: 1.79e308 (0.642)\n",
     "a.log:1: Data: 1.79e+308 is too large for seconds"},
    {NULL, "0.1/0.2\n0.1/2e12\n", "a.log:2: iteration: 2000000000000 is too large for seconds"},
    {NULL, "{'train_runtime': 1e300, 'train_steps_per_second': 1e-299}\n",
     "a.log:1: iteration: 1e+299 is too large for seconds"},
    {NULL, "batch,load_time\n0,1e13\n",
     "a.log:2: column load_time: 10000000000000 is too large for seconds (with a unit: "
     "12ms, 34us, 56ns)"},
    {NULL, "{\"time\": 1e308, \"data_time\": 0.5, \"iter\": 50}\n", "a.log:1: time: 1e+308 is too large for seconds"},
    /* Cut to the iteration it would pass for one. */
    {NULL, "{\"time\": 1, \"data_time\": 1e308, \"iteration\": 19}\n",
     "a.log:1: data_time: 1e+308 is too large for seconds"},
    {NULL, "{\"1\": {\"load\": {\"block1\": [1e300]}, \"proc\": {\"block1\": [1e300]}}}\n",
     "a.log:1: data time: 1e+300 is too large for seconds"},
    {"megatron", MEGATRON "    batch-generator ....: 1e300\n",
     "a.log:2: batch-generator: 1e+297 is too large for seconds"},
};

static void says_what_is_wrong(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_bytes((struct dlq_trace_options){.format = wrong[i].format}, "a.log", wrong[i].text,
                    strlen(wrong[i].text), wrong[i].error);
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
    "h.log:14: two lines are printed on one",
};

enum { HOSTILE = sizeof hostile / sizeof *hostile };

static void skips_what_it_may(void)
{
    struct bytes text = load_file("logs/pytorch-imagenet-hostile.log");
    for (long skip = HOSTILE - 1; skip <= HOSTILE + 5; skip++) {
        struct dlq_error error;
        enum dlq_status status;
        struct dlq_trace_facts facts;
        struct dlq_trace_options options = {.skip_bad = skip};
        OWN_TRACE *trace = read_bytes(options, "h.log", text.data, text.size, &status, &error);
        CHECK_TEXT(without_hint(error.text), skip >= HOSTILE ? "" : hostile[HOSTILE - 1]);
        CHECK_INT(trace != NULL, skip >= HOSTILE);
        if (trace == NULL)
            continue;
        dlq_trace_facts(trace, &facts);
        CHECK_INT(facts.records, 3);
        CHECK_INT(facts.bad, HOSTILE);
        CHECK_INT(facts.other_lines, 3);
        for (size_t i = 0; i < HOSTILE; i++)
            CHECK(strstr(facts.bad_text, hostile[i]) != NULL, "'%s' not in '%s'", hostile[i], facts.bad_text);
        CHECK_REL(sums_of(trace).iter, 21 * 0.5, 1e-9);
    }
    free(text.data);
}

/* A log that ends within its malformed line may still be written to. */
static void says_that_it_is_cut(void)
{
    struct dlq_error error;
    static const char text[] = GOOD "{\"time\": 1.0, \"data_ti";
    CHECK(read_text((struct dlq_trace_options){0}, "a.log", text, &error) == NULL, "is read");
    CHECK_TEXT(error.text,
               "a.log:2: not JSON at column 22: premature end of input near '\"data_ti' (the log ends within "
               "this line; --skip-bad 1 leaves it out)");
}

#define LINE(epoch, number, time, data)                                                                                \
    "Epoch: [" #epoch "][" #number "/91]\tTime  0.5 ( " #time ")\tData  0.0 ( " #data ")\n"

#define OBJECT(line) "Loading...\n" line "{\"mode\": \"val\", \"time\": 1, \"data_time\": 1, \"iter\": 7}\n[]\n"
#define RATIO(line) line "\n/usr/share/x 0.1/0.2\nsee a/b\n"

/* Which iterations the lines are of. */
static const struct {
    const char *format, *text, *want;
} placed[] = {
    /* Windows between lines. */
    {"pytorch-imagenet", LINE(0, 1, 2.0, 1.0) LINE(0, 11, 1.0, 0.5), "0: 0.0+1 0/0.5; 0.10+10 0.55/1.05"},
    /* A log without its beginning. */
    {"pytorch-imagenet", LINE(2, 2001, 1.0, 0.5) LINE(2, 2011, 1.0, 0.5), "0: 2.2000+2001 0.5/1; 2.2010+10 0.5/1"},
    /* An epoch begun again. */
    {"pytorch-imagenet", LINE(0, 2, 2.0, 1.0) LINE(0, 4, 1.0, 0.5) LINE(0, 2, 1.0, 0.25),
     "0: 0.1+2 1/2; 0.3+2 0/0; 0.1+2 0.25/1"},
    /* An earlier epoch again. */
    {"pytorch-imagenet", LINE(5, 2, 2.0, 1.0) LINE(3, 2, 1.0, 0.5), "0: 5.1+2 1/2; 3.1+2 0.5/1"},
    /* Counters from 0, known for the next epoch too. */
    {"pytorch-imagenet", LINE(0, 0, 2.0, 1.0) LINE(0, 2, 2.0, 1.0) LINE(1, 4, 1.0, 0.5),
     "0: 0.0+1 0/0.5; 0.2+2 1.5/2.75; 1.4+5 0.5/1"},
    /* What rounding takes below 0 is made up for. */
    {"pytorch-imagenet", LINE(0, 2, 0.50, 0.250) LINE(0, 4, 0.50, 0.120) LINE(0, 6, 0.50, 0.120),
     "0: 0.1+2 0.25/0.5; 0.3+2 0/0.5; 0.5+2 0.11/0.5"},
    /* A run resumed from a checkpoint. */
    {"maskrcnn-benchmark",
     "iter: 5020  time: 0.4 (0.6)  data: 0.1 (0.2)\niter: 5040  time: 0.4 (0.5)  data: 0.1 (0.15)\n",
     "0: -1.5019+20 0.2/0.6; -1.5039+20 0.1/0.4"},
    /* The same in Megatron's lines, whose first two tell the distance; in others also where the number is small. */
    {"megatron",
     " iteration 7100/ 9000 | elapsed time per iteration (ms): 500 |\n"
     " iteration 7150/ 9000 | elapsed time per iteration (ms): 400 |\n"
     " iteration 7120/ 9000 | elapsed time per iteration (ms): 300 |\n",
     "0: -1.7099+50 nan/0.5; -1.7149+50 nan/0.4; -1.7119+50 nan/0.3"},
    {"mmengine",
     "Iter(train) [1000/9000]  time: 0.5  data_time: 0.25\nIter(val) [10/50]  time: 9  data_time: 8\n"
     "Iter(train) [1050/9000]  time: 0.4  data_time: 0.1\n",
     "0: -1.999+50 0.25/0.5; -1.1049+50 0.1/0.4"},
    {"nemo",
     "Training epoch 0, iteration 399/999 | lr: 0.1 | train_step_timing in s: 0.5\n"
     "Training epoch 0, iteration 424/999 | lr: 0.1 | train_step_timing in s: 0.25\n",
     "0: 0.399+25 nan/0.5; 0.424+25 nan/0.25"},
    /* Iterations that the timer leaves out. */
    {"detectron2",
     "iter: 0  time: 0.5  data_time: 0.25\niter: 2  time: 0.25  data_time: 4\niter: 3  time: 0.25  data_time: 0.1\n",
     "0: -1.0+1 0.25/0.5; -1.2+2 0.25/0.25; -1.3+1 0.1/0.25"},
    /* What is above the iteration is made up for. */
    {"pytorch-imagenet", LINE(0, 2, 0.50, 0.25) LINE(0, 4, 0.30, 0.20) LINE(0, 6, 0.50, 0.20),
     "0: 0.1+2 0.25/0.5; 0.3+2 0.1/0.1; 0.5+2 0.25/0.9"},
    /* A loader asked more often than there is training. */
    {"lightning",
     "| Action | Mean duration (s) |\n| get_train_batch | 0.1 | 20 | 2 |\n| run_training_batch | 0.3 | 10 | 3 |\n",
     "0: -1.9+10 0.2/0.5"},
    /* A rate of steps. */
    {"hf-trainer", "{\"train_runtime\": \"10.5\", \"train_steps_per_second\": \"2.0\"}\n", "0: -1.20+21 nan/0.5"},
    /* Windows that are not yet full. */
    {"torchvision",
     "Epoch: [0]  [ 0/90]  time: 4.0  data: 3.0\nEpoch: [0]  [ 9/90]  time: 0.8  data: 0.4\n"
     "Epoch: [0]  [40/90]  time: 0.5  data: 0.1\n",
     "0: 0.0+1 3/4; 0.9+9 0.111111111/0.444444444; 0.40+31 0.1/0.5"},
    /* Ranks that print into one log; a line that names none is of the log's own, in windows of its own. */
    {NULL,
     "0: " LINE(0, 2, 1.0, 0.5) "1: " LINE(0, 2, 2.0, 0.5) "1: " LINE(0, 4, 2.0, 1.0) "0: " LINE(0, 4, 1.5, 0.5)
         LINE(0, 4, 3.0, 0.5),
     "0: 0.1+2 0.5/1; 0.3+2 0.5/2; 0.3+4 0.5/3; 1: 0.1+2 0.5/2; 0.3+2 1.5/2"},
    /* Of JSON lines what is no time may be anything, NaN too, inside texts as well. */
    {NULL, OBJECT("{\"loss\": NaN, \"time\": 1.0, \"data_time\": 0.5, \"epoch\": 1, \"iter\": 100}\n"),
     "0: 1.99+100 0.5/1"},
    {NULL,
     OBJECT("{\"loss\": [-Infinity, Infinity,NaN], \"time\": 1, \"data_time\": 0.5, \"epoch\": 1, \"iter\": 100}\n"),
     "0: 1.99+100 0.5/1"},
    {NULL, OBJECT("{\"note\": \"x NaN\", \"time\": 1.0, \"data_time\": 0.5, \"epoch\": 1, \"iter\": 100}\n"),
     "0: 1.99+100 0.5/1"},
    {NULL, OBJECT("  \x1b[0m{\"train/time\": 1.0, \"train/data_time\": 0.5, \"epoch\": 1, \"iter\": 100}\r\n"),
     "0: 1.99+100 0.5/1"},
    {NULL, OBJECT("[rank0]: {\"time\": 1, \"data_time\": 5e-1, \"epoch\": 1, \"iter\": 100}\n"), "0: 1.99+100 0.5/1"},
    /* What may stand before the times of data/iter. */
    {NULL, RATIO("0.01/0.35"), "0: -1.-1+1 0.01/0.35"},
    {NULL, RATIO("12: 0.01/0.35"), "0: -1.12+1 0.01/0.35"},
    {NULL, RATIO("12 0.01 / 0.35 "), "0: -1.12+1 0.01/0.35"},
    {NULL, RATIO("rank 3: 0.012/0.354"), "3: -1.-1+1 0.012/0.354"},
    {NULL, RATIO("rank3 0.012/0.354"), "3: -1.-1+1 0.012/0.354"},
    {NULL, RATIO("[rank2]: 7: 12ms/354ms"), "2: -1.7+1 0.012/0.354"},
    {NULL, RATIO("[default5]:step 7, data/iter = 0.012s/0.354s"), "5: -1.7+1 0.012/0.354"},
    {NULL, RATIO("data/iter 0.012/0.354"), "0: -1.-1+1 0.012/0.354"},
    {NULL, RATIO("iteration 8 rank 1 1e-2/.5"), "1: -1.8+1 0.01/0.5"},
    {NULL, RATIO("iter 100 loss 3.2 data/iter: 0.19/0.41"), "0: -1.100+1 0.19/0.41"},
    {NULL, RATIO("Epoch 2, Iter=31 | data/iter 0.19s/0.41s | lr 1e-3"), "0: 2.31+1 0.19/0.41"},
    {NULL, RATIO("\x1b[31miter 9: 0/0.5\x1b[0m\r"), "0: -1.9+1 0/0.5"},
};

/* How many iterations a line stands for: as its numbers say, or the user. */
static const struct {
    long every;
    const char *text, *want;
} counted[] = {
    {0, "0.2/0.5\n0.4/0.5\n", "0: -1.-1+1 0.2/0.5; -1.-1+1 0.4/0.5"},
    {100, "0.2/0.5\n0.4/0.5\n", "0: -1.-1+100 0.2/0.5; -1.-1+100 0.4/0.5"},
    {50, "1: 0.2/0.5\n2: 0.4/0.5\n", "0: -1.1+50 0.2/0.5; -1.2+50 0.4/0.5"},
    {0, "iter 100 loss 3 data/iter: 0.2/0.5\niter 200 loss 2 data/iter: 0.4/0.5\n",
     "0: -1.100+100 0.2/0.5; -1.200+100 0.4/0.5"},
    {0, "step 0 4.9/5.2\nstep 100 0.2/0.5\nstep 200 0.4/0.5\n",
     "0: -1.0+1 4.9/5.2; -1.100+100 0.2/0.5; -1.200+100 0.4/0.5"},
    {0, "iter 4100: 0.2/0.5\niter 4200: 0.4/0.5\n", "0: -1.4100+100 0.2/0.5; -1.4200+100 0.4/0.5"},
    {0, "iter 7: 0.2/0.5\niter 8: 0.4/0.5\n", "0: -1.7+1 0.2/0.5; -1.8+1 0.4/0.5"},
    {20, "data_time,iter_time\n0.2,0.5\n0.4,0.5\n", "0: -1.-1+20 0.2/0.5; -1.-1+20 0.4/0.5"},
    /* NeMo gives its first line's by nothing but its number. */
    {50, "Training epoch 0, iteration 999/2000 | train_step_timing in s: 2.5\n", "0: 0.999+50 nan/2.5"},
    {20, "0.2/0.5\n1/x\n", "a.log:2: not of the form data/iter, as in 0.012/0.354"},
    {20, "load_time,data_time\n1,0.5\n", "a.log:2: --every is for means: loads and points in time belong to one batch"},
    {20, "[{\"ph\":\"X\",\"name\":\"ProfilerStep#1\",\"ts\":1,\"dur\":2}]",
     "a.log: a chrome log tells by itself how many iterations a line covers: leave out --every"},
};

/* Batches, rank by rank: "RANK: EPOCH.INDEX+COUNT DATA/ITERATION; ..." in s. */
static void check_batches(struct dlq_trace_options options, const char *text, const char *want)
{
    struct dlq_error error;
    char got[512] = "";
    OWN_TRACE *trace = read_text(options, "a.log", text, &error);
    for (size_t r = 0, at = 0; trace != NULL && r < trace->rank_count; r++)
        for (size_t k = 0; k < trace->ranks[r].count && at < sizeof got; k++) {
            const struct dlq_batch *batch = &trace->ranks[r].batches[k];
            at += (size_t)snprintf(got + at, sizeof got - at, "%s", k > 0 || r > 0 ? "; " : "");
            if (k == 0)
                at += (size_t)snprintf(got + at, sizeof got - at, "%ld: ", trace->ranks[r].number);
            at += (size_t)snprintf(got + at, sizeof got - at, "%d.%d+%d %.9g/%.9g", (int)batch->epoch,
                                   (int)batch->index, (int)batch->count, batch->data, batch->iter);
        }
    const char *shown = trace != NULL ? got : without_hint(error.text);
    CHECK(strcmp(shown, want) == 0, "'%s' is %s, not %s", text, shown, want);
}

static void places_lines(void)
{
    for (size_t i = 0; i < sizeof placed / sizeof *placed; i++)
        check_batches((struct dlq_trace_options){.format = placed[i].format}, placed[i].text, placed[i].want);
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        check_batches((struct dlq_trace_options){.every = counted[i].every}, counted[i].text, counted[i].want);
}

/* What the record says beside its means: its rank, and the last iteration alone, for quantiles. */
static void keeps_the_rest(void)
{
    static const struct {
        const char *text;
        long rank;
        double data, iter;
    } table[] = {
        {"[default2]:" LINE(0, 11, 1.0, 0.5), 2, 0, 0.5},
        {" 7: " LINE(0, 11, 1.0, 0.5), 7, 0, 0.5},
        {"[1,5]<stdout>:" LINE(0, 11, 1.0, 0.5), 5, 0, 0.5},
        {"\x1b[1m[rank9]: \x1b[0m 1%|  | 3/9\r" LINE(0, 11, 1.0, 0.5), 9, 0, 0.5},
        {"1772359200: " LINE(0, 11, 1.0, 0.5), 0, 0, 0.5},
        {MASKRCNN, 0, 0.0345, 0.5432},
        {"iter: 39  time: 0.25  last_time: 0.23  data_time: 0.007  last_data_time: 0.006\n", 0, 0.006, 0.23},
        {"{\"data_time\": 0.5, \"rank_data_time\": 0.25, \"time\": 1, \"iteration\": 19}\n", 0, 0.5, 1},
        {"hello\n" MEGATRON "    batch-generator ....: (1.0, 2.0)\nhello\n", 0, 0.002, 0.8},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        OWN_TRACE *trace = good_trace("a.log", table[i].text);
        CHECK_INT(trace->ranks[0].number, table[i].rank);
        CHECK_REL(dlq_histogram_quantile(&trace->data, 1), table[i].data, 0);
        CHECK_REL(dlq_histogram_quantile(&trace->iter, 1), table[i].iter, 0);
    }
}

/* -- JSON lines -- */

/* A meta line longer than lines may be is other text; one of times is not. */
static void bears_long_lines(void)
{
    enum { LONG = 40000 };
    static const char *const begins[] = {"{\"config\": \"", "{\"data_time\": 0.5, \"x\": \""};
    for (int i = 0; i < 2; i++) {
        struct bytes text = surround(begins[i], 'x', LONG, "\"}\n" GOOD);
        check_bytes((struct dlq_trace_options){0}, "a.log", text.data, text.size,
                    i == 0 ? "0: 500000/1000000" : "a.log:1: the line is over 32768 bytes long");
        free(text.data);
    }
}

/* Counts of what is done are no times, nor are dates. */
static void is_not_taken_for_more(void)
{
    static const char *const logs[] = {"1/2\n2/2\n", "12: 3/10\n",   "a 0.1/0.2 b\n",
                                       "0.5/0.2\n",  "2026/03/01\n", "0.1/\n"};
    const struct dlq_format *ratio = dlq_format_find("ratio", "", 0);
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
        CHECK(ratio->reader->probe(
                  &(struct dlq_log){.format = ratio, .head = logs[i], .head_length = strlen(logs[i])}) == 0,
              "'%s'", logs[i]);
}

TEST_SUITE(text, CASE(says_what_is_wrong), CASE(skips_what_it_may), CASE(says_that_it_is_cut), CASE(places_lines),
           CASE(keeps_the_rest), CASE(bears_long_lines), CASE(is_not_taken_for_more));
