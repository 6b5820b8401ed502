/* Logs of no known format: what their words say, what is read of them, and that nothing is read of logs without times.
 */
#include "logs.h"
#include "logs/read/formats/generic.h"

/* -- words -- */

static void meanings(void)
{
    static const struct {
        const char *label;
        enum dlq_label_role role;
        double unit;
    } table[] = {
        {"data_time", DLQ_ROLE_DATA, 0},
        {"avg_reader_cost", DLQ_ROLE_DATA, 0},
        {"dataTimeMs", DLQ_ROLE_DATA, 1e-3},
        {"timing/dataloader_us", DLQ_ROLE_DATA, 1e-6},
        {"batch generator", DLQ_ROLE_DATA, 0},
        {"Data (t)", DLQ_ROLE_DATA, 0},
        {"elapsed time per iteration (ms)", DLQ_ROLE_ITER, 1e-3},
        {"time_metrics/end_to_end(s)", DLQ_ROLE_ITER, 1},
        {"iter_time", DLQ_ROLE_ITER, 0},
        {"data step time", DLQ_ROLE_DATA, 0},
        {"seconds", DLQ_ROLE_TIME, 1},
        {"train_time", DLQ_ROLE_TIME, 0},
        {"dt", DLQ_ROLE_TIME, 0},
        {"t_total", DLQ_ROLE_TIME, 0},
        {"forward_time", DLQ_ROLE_PART, 0},
        {"updt_s", DLQ_ROLE_PART, 1},
        {"host_wait_ms", DLQ_ROLE_DATA, 1e-3},
        {"device_step_ms", DLQ_ROLE_PART, 1e-3},
        {"fwd+bwd", DLQ_ROLE_PART, 0},
        {"total", DLQ_ROLE_TIME, 0},
        {"total_ms", DLQ_ROLE_TIME, 1e-3},
        {"run total", DLQ_ROLE_UNKNOWN, 0},
        {"wall", DLQ_ROLE_CLOCK, 0},
        {"data_loss", DLQ_ROLE_REFUSED, 0},
        {"remaining time", DLQ_ROLE_REFUSED, 0},
        {"data_time_p99", DLQ_ROLE_REFUSED, 0},
        {"time_metrics/data_loading(%)", DLQ_ROLE_REFUSED, 0},
        {"Evaluating batch time", DLQ_ROLE_REFUSED, 0},
        {"validation_time", DLQ_ROLE_REFUSED, 0},
        {"min time", DLQ_ROLE_REFUSED, 0},
        {"forward data time", DLQ_ROLE_REFUSED, 0},
        {"queue time", DLQ_ROLE_UNKNOWN, 0},
        {"", DLQ_ROLE_UNKNOWN, 0},
        {"___", DLQ_ROLE_UNKNOWN, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct dlq_meaning meaning = dlq_meaning_of(table[i].label, strlen(table[i].label), false);
        CHECK(meaning.role == table[i].role, "%s: role %d", table[i].label, (int)meaning.role);
        CHECK(table[i].role <= DLQ_ROLE_REFUSED || meaning.unit == table[i].unit, "%s: %g s", table[i].label,
              meaning.unit);
    }
    CHECK(dlq_label_words_sorted(), "the words are not in order");
}

/* -- lines and columns as programs print them: data and iteration times in us -- */

static const struct {
    const char *text, *want, *kind;
} programs[] = {
    /* YOLOX */
    {"2021-08-03 08:06:36 | INFO | epoch: 1/100, iter: 240/983, mem: 7746Mb, iter_time: 8.711s, data_time: 8.409s, lr: "
     "2.384e-05, size: 512, ETA: 5 days, 2:29:49\n"
     "2021-08-03 08:09:00 | INFO | epoch: 1/100, iter: 250/983, mem: 7746Mb, iter_time: 14.433s, data_time: 0.002s, "
     "lr: "
     "2.587e-05, size: 768, ETA: 5 days, 13:18:34\n"
     "2021-08-03 08:09:18 | INFO | epoch: 1/100, iter: 260/983, mem: 7746Mb, iter_time: 1.781s, data_time: 0.001s, lr: "
     "2.798e-05, size: 640, ETA: 5 days, 10:02:04\n"
     "2021-08-03 08:09:21 | INFO | epoch: 1/100, iter: 270/983, mem: 7746Mb, iter_time: 0.288s, data_time: 0.001s, lr: "
     "3.018e-05, size: 800, ETA: 5 days, 5:29:47\n",
     "0: 8409000/8711000 2000/14433000 1000/1781000 1000/288000", "mean"},
    /* OpenCLIP; the numbers in brackets are samples */
    {"2023-10-18,18:08:07 | INFO | Train Epoch: 0 [  256/65368 (0%)] Data (t): 9.245 Batch (t): 9.933, 2.56173/s LR: "
     "0.0 Loss: 5.6169 (5.6169)\n"
     "2023-10-18,18:27:13 | INFO | Train Epoch: 0 [25856/65368 (40%)] Data (t): 11.252 Batch (t): 11.458, 22.3/s LR: "
     "0.0 Loss: 5.6 (5.6)\n",
     "0: 9245000/9933000 11252000/11458000", "unknown"},
    /* PaddleDetection: the counter is padded */
    {"[01/05 10:00:00] ppdet.engine INFO: Epoch: [0] [   0/7393] loss: 5.1 eta: 1 day, 0:00:00 batch_cost: 0.7531 "
     "data_cost: 0.4102 ips: 10.6223 images/s\n"
     "[01/05 10:15:00] ppdet.engine INFO: Epoch: [0] [1200/7393] loss: 5.1 eta: 1 day, 0:00:00 batch_cost: 0.75 "
     "data_cost: 0.25 ips: 10.6223 images/s\n",
     "0: 410200/753100 250000/750000", "unknown"},
    /* PaddleOCR */
    {"[2026/01/05 10:00:01] ppocr INFO: epoch: [1/500], global_step: 10, lr: 0.000100, avg_reader_cost: 0.41021 s, "
     "avg_batch_cost: 0.75312 s, avg_samples: 16.0, ips: 21.24 samples/s, eta: 1 day, 2:00:00\n"
     "[2026/01/05 10:00:02] ppocr INFO: epoch: [1/500], global_step: 20, lr: 0.000100, avg_reader_cost: 0.25 s, "
     "avg_batch_cost: 0.5 s, avg_samples: 16.0, ips: 21.24 samples/s, eta: 1 day, 2:00:00\n",
     "0: 410210/753120 250000/500000", "unknown"},
    /* BasicSR: two labels before two numbers, and a counter of thousands */
    {"2026-01-05 10:00:09,123 INFO: [train..][epoch:  0, iter:     900, lr:(2.000e-04,)] [eta: 1 day, 2:00:00, time "
     "(data): 0.753 (0.410)] l_pix: 2.1e-02\n"
     "2026-01-05 10:00:10,123 INFO: [train..][epoch:  0, iter:   1,000, lr:(2.000e-04,)] [eta: 1 day, 2:00:00, time "
     "(data): 0.5 (0.25)] l_pix: 2.1e-02\n",
     "0: 410000/753000 250000/500000", "unknown"},
    /* SlowFast, pycls: JSON within a line */
    {"[01/05 10:00:01][INFO] logging.py: 99: json_stats: {\"_type\": \"train_iter\", \"dt\": 0.75, \"dt_data\": 0.41, "
     "\"dt_net\": 0.34, \"epoch\": \"1/200\", \"iter\": \"10/2500\", \"loss\": 5.1}\n"
     "[01/05 10:00:02][INFO] logging.py: 99: json_stats: {\"_type\": \"train_iter\", \"dt\": 0.5, \"dt_data\": 0.25, "
     "\"dt_net\": 0.25, \"epoch\": \"1/200\", \"iter\": \"20/2500\", \"loss\": 5.1}\n",
     "0: 410000/750000 250000/500000", "unknown"},
    /* ESPnet2: iter_time is the time of the iterator */
    {"[host] 2026-01-05 10:01:00,123 INFO: 1epoch:train:1-100batch: iter_time=0.410, forward_time=0.210, loss=90.1, "
     "backward_time=0.110, optim_step_time=0.023, train_time=0.753\n"
     "[host] 2026-01-05 10:02:00,123 INFO: 1epoch:train:101-200batch: iter_time=0.25, forward_time=0.210, loss=90.1, "
     "backward_time=0.110, optim_step_time=0.023, train_time=0.5\n",
     "0: 410000/753000 250000/500000", "unknown"},
    /* Swin: one iteration, and in parentheses the mean since the start, from which windows follow */
    {"[swin] (main.py 200): INFO Train: [0/300][10/1251] eta 0:10:00 lr 0.001 time 0.3 (0.4) data 0.1 (0.2) loss 6.9\n"
     "[swin] (main.py 200): INFO Train: [0/300][20/1251] eta 0:10:00 lr 0.001 time 0.3 (0.5) data 0.1 (0.3) loss 6.9\n",
     "0: 200000/400000 400000/600000", "running"},
    /* units in keys, behind the number, in the header of the line, of the other time, in other words */
    {"step=0 data_wait_ms=100.0 step_time_ms=250.0\nstep=1 data_wait_ms=100.0 step_time_ms=250.0\n",
     "0: 100000/350000 100000/350000", "single"},
    {"[0/900] loss 0.31 (0.35) data 100.0 ms batch 250.0 ms\n[1/900] loss 0.3 (0.3) data 1.5 s batch 2500 ms\n",
     "0: 100000/250000 1500000/2500000", "single"},
    {"it 0 time (ms) | data loader: 100.5 | iteration: 250\nit 1 time (ms) | data loader: 100 | iteration: 250.5\n",
     "0: 100500/250000 100000/250500", "single"},
    {"{\"step\": 0, \"perf/data_us\": 100000, \"perf/iteration_us\": 250000}\n"
     "{\"step\": 1, \"perf/data_us\": 100000, \"perf/iteration_us\": 250000}\n",
     "0: 100000/250000 100000/250000", "single"},
    {"{'step': 0, 'dataTime': 0.1, 'iterTime': 0.25}\n{'step': 1, 'dataTime': 0.1, 'iterTime': 0.25}\n",
     "0: 100000/250000 100000/250000", "single"},
    /* times without data; the iteration alone */
    {"it 1 data: 0.1s updt: 0.15s\nit 2 data: 0.2s updt: 0.15s\n", "0: 100000/250000 200000/350000", "single"},
    {"step 1 host_wait_ms=100.0 device_step_ms=150.0\nstep 2 host_wait_ms=200.0 device_step_ms=150.0\n",
     "0: 100000/250000 200000/350000", "single"},
    {"step 1: dataload 0.10s | fwd+bwd 0.15s\nstep 2: dataload 0.20s | fwd+bwd 0.15s\n",
     "0: 100000/250000 200000/350000", "single"},
    /* A total that is not that of the iteration. */
    {"it 1 total 9.5s data 0.1s time 0.25s\nit 2 total 9.9s data 0.2s time 0.35s\n", "0: 100000/250000 200000/350000",
     "single"},
    {"it 1 total 1.5s data 0.1s updt 0.15s\nit 2 total 3s data 0.2s updt 0.15s\nit 3 total 4.5s data 0.2s updt 0.15s\n"
     "it 4 total 6s data 0.2s updt 0.15s\nit 5 total 7.5s data 0.2s updt 0.15s\n",
     "0: 100000/250000 200000/350000 200000/350000 200000/350000 200000/350000", "single"},
    {"[1/60] data 0.1s total 0.25s\n[2/60] data 0.2s total 0.35s\n", "0: 100000/250000 200000/350000", "single"},
    {"step=1 data=0.1 total=0.25\nstep=2 data=0.2 total=0.35\n", "0: 100000/250000 200000/350000", "single"},
    {"it 1 data_time 0.5 step_time 0.15\nit 2 data_time 0.1 step_time 0.15\n", "0: 500000/650000 100000/250000",
     "single"},
    {"completed step: 1, seconds: 0.753, loss: 8.1\ncompleted step: 2, seconds: 0.5, loss: 8.1\n",
     "0: nan/753000 nan/500000", "single"},
    {"iter 0: loss 4.2, time 523.12ms, mfu -100.00%\niter 1: loss 4.2, time 500ms, mfu -100.00%\n",
     "0: nan/523120 nan/500000", "single"},
    /* lines of validation, of other kinds, without a number */
    {"it 1 data 0.1s iter 0.3s\nval it 1 data 9.1s iter 9.3s\nit 2 data 0.1s iter 0.3s\nsaved\nit 3 data 0.1s iter "
     "nan\n",
     "0: 100000/300000 100000/300000", "single"},
    /* a second time of the same words before the first of the iteration */
    {"it 1 total time: 5.5 s time: 0.3 data: 0.1 s\nit 2 total time: 6.5 s time: 0.3 data: 0.1 s\n",
     "0: 100000/5500000 100000/6500000", "single"},
    /* Whole numbers without a unit: only together do they tell that "data 7" is a time. */
    {"it 1 data 7 time 9\nit 2 data 1 time 3\nit 3 data 2 time 4\nit 4 data 0 time 2\nit 5 data 1 time 3\n",
     "0: 7000000/9000000 1000000/3000000 2000000/4000000 0/2000000 1000000/3000000", "single"},
    {"data 7, iter 9\ndata 1, iter 3\ndata 2, iter 4\ndata 1, iter 3\ndata 0, iter 2\n",
     "0: 7000000/9000000 1000000/3000000 2000000/4000000 1000000/3000000 0/2000000", "unknown"},
    {"2026-01-05 10:00:01 step 1 data 700 iter 2000\n2026-01-05 10:00:04 step 2 data 1000 iter 3000\n"
     "2026-01-05 10:00:08 step 3 data 1500 iter 4000\n2026-01-05 10:00:10 step 4 data 500 iter 2000\n"
     "2026-01-05 10:00:13 step 5 data 1000 iter 3000\n",
     "0: 700000/2000000 1000000/3000000 1500000/4000000 500000/2000000 1000000/3000000", "single"},
    /* One of ten falls. */
    {"data 1, iter 3\ndata 2, iter 4\ndata 3, iter 5\ndata 4, iter 6\ndata 5, iter 7\ndata 6, iter 8\ndata 6, iter 8\n"
     "data 6, iter 8\ndata 7, iter 9\ndata 1, iter 3\n",
     "0: 1000000/3000000 2000000/4000000 3000000/5000000 4000000/6000000 5000000/7000000 6000000/8000000 "
     "6000000/8000000 6000000/8000000 7000000/9000000 1000000/3000000",
     "unknown"},
    /* Time stamps and counters alone: means of lines at least ten seconds apart, anew from a counter that falls. */
    {"2026-01-05 10:00:00 [10/40]\n2026-01-05 10:00:04 [14/40]\n2026-01-05 10:00:12 [20/40]\n"
     "2026-01-05 10:00:32 [40/40]\n2026-01-05 10:01:00 [10/40]\n2026-01-05 10:01:30 [40/40]\n",
     "0: nan/1200000 nan/1000000 nan/1000000", "mean"},
    /* columns */
    {"_step,time_metrics/end_to_end(s),time_metrics/data_loading(s),time_metrics/data_loading(%)\n"
     "1,1.25,0.85,68\n2,1.5,0.85,56\n",
     "0: 850000/1250000 850000/1500000", "single"},
    {"Step;run 1 - load_wait;run 1 - load_wait__MAX;run 1 - batch_time\n1;0,1;5;0,25\n2;0,2;5;0,5\n",
     "0: 100000/250000 200000/500000", "single"},
    {"Step\tload_wait\tloss\tbatch_time\n1\t0.1\t\t0.25\n2\t0.2\t3\t0.5\n", "0: 100000/250000 200000/500000", "single"},
    /* A counter with the name of a time. */
    {"step 5, input wait 0.1 sec, step 0.3 sec\nstep 6, input wait 0.2 sec, step 0.4 sec\n",
     "0: 100000/400000 200000/600000", "single"},
    {"{\"iteration\": 5, \"timing\": {\"data\": 0.1, \"iteration\": 0.3}}\n"
     "{\"iteration\": 6, \"timing\": {\"data\": 0.2, \"iteration\": 0.4}}\n",
     "0: 100000/300000 200000/400000", "single"},
    /* A rate is no time. */
    {"step: 1, steps_per_second: 3.2, data_fetch_seconds: 0.1, step_seconds: 0.3\n"
     "step: 2, steps_per_second: 3.2, data_fetch_seconds: 0.1, step_seconds: 0.3\n",
     "0: 100000/400000 100000/400000", "single"},
    {"it 1 data_s=0.1 time_per_step=0.3\nit 2 data_s=0.1 time_per_step=0.3\n", "0: 100000/300000 100000/300000",
     "single"},
    {"epoch,data_time,batch_time\n0,0.1,0.3\n0,0.2,0.4\n", "0: 100000/300000 200000/400000", "unknown"},
    /* Bars: drawn twice, over the one before, with the times of the iteration before, then of this one; an epoch. */
    {"start\n\rEpoch 0:   0%|     | 0/40 [00:00<?, ?it/s]\rEpoch 0:   2%|     | 1/40 [00:01<00:11, data_time=0.1, "
     "batch_time=0.3]\rEpoch 0:   2%|     | 1/40 [00:01<00:11, data_time=0.2, batch_time=0.4]\rEpoch 0:   5%|#    | "
     "2/40 [00:02<00:11, data_time=0.2, batch_time=0.4]\rEpoch 0:   5%|#    | 2/40 [00:02<00:11, data_time=0.3, "
     "batch_time=0.5]\rEpoch 0:   7%|#    | 3/40 [00:03<00:11, data_time=0.3, batch_time=0.5]\r\n\rEpoch 1:   2%|     "
     "| 1/40 [00:01<00:11, data_time=0.4, batch_time=0.6]\r\n",
     "0: 100000/300000 200000/400000 300000/500000 400000/600000", "single"},
    {"[rank1]: 2%|#    | 1/40 [00:02, data_time=0.1, batch_time=0.3]\r 5%|#    | 2/40 [00:02, data_time=0.2, "
     "batch_time=0.4]\r 7%|#    | 3/40 [00:02, data_time=0.2, batch_time=0.4]\n[rank0]: 2%|#    | 1/40 [00:02, "
     "data_time=0.3, batch_time=0.5]\n",
     "0: 300000/500000; 1: 100000/300000 200000/400000 200000/400000", "single"},
    {"data_time_us,iter_time_us\n492422,612422\n400,120400\n", "0: 492422/612422 400/120400", "unknown"},
};

static void reads(void)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct dlq_error error;
        struct dlq_trace_facts facts;
        char shown[512];
        OWN_TRACE *trace = read_text((struct dlq_trace_options){0}, "a.log", programs[i].text, &error);
        CHECK(trace != NULL, "%.60s: %s", programs[i].text, error.text);
        if (trace == NULL)
            continue;
        dlq_trace_facts(trace, &facts);
        CHECK_TEXT(show_trace(trace, shown, sizeof shown), programs[i].want);
        CHECK_TEXT(facts.format, "generic");
        CHECK_TEXT(facts.read_as.kind, programs[i].kind);
        CHECK(facts.read_as.words[0] != '\0', "%.60s: no options", programs[i].text);
    }
}

/* What is proposed reads the same: as options of the user, without what only the recognition leaves out. */
static void proposes(void)
{
    static const char *const patterns[] = {"iter=time (data): %f", "data=time (data): %*f (%f", "count=iter:%d"};
    struct dlq_error error;
    struct dlq_trace_facts facts;
    OWN_TRACE *trace = read_text((struct dlq_trace_options){0}, "a.log", programs[4].text, &error);
    char words[256] = "";
    CHECK(trace != NULL, "%s", error.text);
    if (trace == NULL)
        return;
    for (size_t i = 0; i < 3; i++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s--pattern '%s'", i > 0 ? " " : "",
                 patterns[i]);
    dlq_trace_facts(trace, &facts);
    CHECK_TEXT(facts.read_as.words, words);
    check_bytes((struct dlq_trace_options){.patterns = patterns, .pattern_count = 3}, "a.log", programs[4].text,
                strlen(programs[4].text), programs[4].want);
}

/* Lines whose time is no number are left out, and a doubt counts them. */
static void numberless(void)
{
#define LINES "it 1 data_s=0.1 iter_s=0.3\nit 2 data_s=0.1 iter_s=0.3\n"
    static const struct {
        const char *text, *doubt;
    } rows[] = {
        {LINES "it 3 data_s=nan iter_s=0.3\nit 4 data_s=NaN iter_s=nan\nit 5 data_s=0.1 iter_s=inf\n",
         "3 lines are left out: no number follows 'data_s=', first in line 3"},
        {LINES "it 3 data_s=0.1 iter_s=-0.3\n", "1 line is left out: no number follows 'iter_s=', first in line 3"},
        {LINES "data_s= and iter_s= are in seconds\nval it 3 data_s=nan iter_s=nan\n", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error;
        struct dlq_trace_facts facts;
        OWN_TRACE *trace = read_text((struct dlq_trace_options){0}, "a.log", rows[i].text, &error);
        CHECK(trace != NULL, "row %zu: %s", i, error.text);
        if (trace == NULL)
            continue;
        dlq_trace_facts(trace, &facts);
        CHECK_INT(facts.iterations, 2);
        CHECK(strncmp(facts.doubts, rows[i].doubt, strlen(rows[i].doubt)) == 0 &&
                  (rows[i].doubt[0] != '\0' || facts.doubts[0] == '\0'),
              "row %zu: %s", i, facts.doubts);
    }
#undef LINES
}

/* A pattern without a unit: 20 and more may be ms. */
static void unitless_patterns(void)
{
    static const struct {
        const char *pattern, *text;
        bool doubted;
    } rows[] = {
        {"iter=took %f", "took 19\ntook 20\n", false},      {"iter=took %f", "took 20\ntook 20\n", true},
        {"step=took %f", "took 20\ntook 20\n", true},       {"iter=took %f{ms}", "took 20\ntook 20\n", false},
        {"iter=took %f", "took 20 ms\ntook 20 s\n", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error;
        struct dlq_trace_facts facts;
        OWN_TRACE *trace = read_text((struct dlq_trace_options){.patterns = &rows[i].pattern, .pattern_count = 1},
                                     "a.log", rows[i].text, &error);
        CHECK(trace != NULL, "row %zu: %s", i, error.text);
        if (trace == NULL)
            continue;
        dlq_trace_facts(trace, &facts);
        CHECK((strstr(facts.doubts, "20 in the mean: if it is ms") != NULL) == rows[i].doubted, "row %zu: %s", i,
              facts.doubts);
    }
}

/* The number of loaders that lines name, if they agree. */
static void names_loaders(void)
{
#define TIMES(rest) "it 1 data_s=0.1 iter_s=0.3" rest "\nit 2 data_s=0.1 iter_s=0.3" rest "\n"
    static const struct {
        const char *text;
        long loaders;
    } rows[] = {
        {TIMES(" workers=4"), 4},
        {"Namespace(batch_size=32, workers=12, lr=0.1)\n" TIMES(""), 12},
        {"{\"num_workers\": 3, \"lr\": 0.1}\n{'dataloader_num_workers': 3}\n" TIMES(""), 3},
        {"num_workers: 4\nworkers: 8\n" TIMES(""), 0},
        {"num_workers: 0\n" TIMES(" workers=4"), 0},
        {"max_workers=4 workers=4.5 workers=4/8 workers=4k workers 4 workers=-4 workers=\n" TIMES(""), 0},
        {"workers=5000\n" TIMES(""), 0},
        {TIMES(""), 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error;
        struct dlq_trace_facts facts;
        OWN_TRACE *trace = read_text((struct dlq_trace_options){0}, "a.log", rows[i].text, &error);
        CHECK(trace != NULL, "row %zu: %s", i, error.text);
        if (trace == NULL)
            continue;
        dlq_trace_facts(trace, &facts);
        CHECK(facts.loaders == rows[i].loaders, "row %zu: %ld loaders", i, facts.loaders);
    }
#undef TIMES
}

/* -- no times, or no iterations -- */

static void refuses(void)
{
#define NONE "a.log: no known log format"
    static const struct {
        const char *line, *want; /* a line that is repeated with a number at %d; how the error begins */
    } table[] = {
        {"step %d data_loss: 0.238 iter_loss: 1.544",
         NONE ", and no time of an iteration among its numbers (data_loss, iter_loss): --format names one"},
        {"iter %d lr: 0.9655 step_size: 0.3 batch_size: 64 data_size: 1200", NONE},
        {"Epoch 1 step %d/1000 eta: 0:12:00 remaining time: 12.5 min loss 0.3", NONE},
        {"batch %d loaded data from 2026/01/05 file 001.tar", NONE},
        {"val: [%d/100] time: 0.814 data_time: 0.010 val_loss 1.2", NONE},
        {"Evaluating: batch %d/50 data 0.01 s time 0.3 s", NONE},
        {"step %d data: 12.5 MB/s iter: 3.2 steps/s images: 400/s", NONE},
        {"step: %d, steps_per_second: 3.2, loss: 2.3", NONE},
        {"it %d steps/sec: 12.45 iterations per s: 12.3", NONE},
        {"INFO:tensorflow:global_step/sec: 12.3%d", "a.log: TensorFlow's estimator prints"},
        {"    Train time/batch: %d", "a.log: Composer prints counts and rates here"},
        {"Name  Self CPU %%  Self CPU  CPU total  CPU time avg  # of Calls %d", "a.log: this table of torch.profiler"},
        {"Profile stats for: run_training_batch\n  38650 function calls in 12.%d seconds",
         "a.log: Lightning's AdvancedProfiler does not tell"},
        {"{'loss': 2.13, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': 0.%d}",
         "a.log: the Trainer of transformers prints its time once"},
        {"data loaded: %d00 batches: 1 iter 1 load 3", NONE},
        {"step %d data time: 35.2% iter time: 64.8% gpu util 80%", NONE},
        {"it %d load average: 7.08 0.45 data rate 13.1", NONE},
        {"step %d: checkpoint save time: 8.89 s, validation time: 38.6 s", NONE},
        {"Epoch %d: epoch_time: 102.3 s loss 0.3", NONE},
        {"%d data timeout 30 s; step limit 100 s", NONE},
        {"step %d data_time_p99: 0.9 iter_time_max: 3.2 data_time_std: .1", NONE},
        {"| %d | 0.31 | 0.66 | data | step |", NONE},
        {"step %d data 5 iter 7", NONE},
        {"step %d data 5 total 7", NONE},
        {"{\"time\": \"2026-01-05T10:00:0%d\", \"loss\": 0.5}", NONE},
        {"2026-01-05 10:00:0%d step 100", NONE},
        {"{\"step\": %d, \"data_seed\": 7, \"batch_size\": 32, \"iter_per_epoch\": 100, \"loss\": 0.1}", NONE},
        {"time (ms) | fwd: 27.4%d | bwd: 73.60 | bwd_inner: 51.05 | step: 72.60", NONE},
        {"global_step=%d, RunningAvgSamplesPerSec=7.45, step: 5",
         "a.log: DeepSpeed times the forward and the backward"},
        {"step: %d loss: 8.1 memory: 40.12GiB(50.65%) tps: 7,890 tflops: 312.45 mfu: 31.59%",
         "a.log: torchtitan prints no times"},
        {"151/200 10.4G 0.46%d 640: 100%|####| 99/99 [01:52<00:00, 1.14s/it]",
         "a.log: it/s or s/it, as of a progress bar, and not both the time of data"},
        {"it %d: 3.28 it/s (data 67%)", "a.log: it/s or s/it, as of a progress bar, and not both the time of data"},
        {"%d/100 [====>.....] - ETA: 3s - loss: 0.5 25ms/step", "a.log: Keras prints the time of a step"},
        {"Epoch: 1/5, Iter: %d/32 -- train_loss: 0.5123", "a.log: MONAI prints losses"},
        {"{\"num_updates\": \"%d\", \"train_wall\": \"252\", \"wall\": \"1280\"}", "a.log: fairseq prints"},
        {"[METRIC] %d Training Accelerator Utilization [AU] (%): 98.6350 (0.2730)", "a.log: this text of DLIO"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[4096] = "";
        struct dlq_error error;
        const char *at = strstr(table[i].line, "%d");
        for (int k = 0; k < 20; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%.*s%d%s\n", (int)(at - table[i].line),
                     table[i].line, k, at + 2);
        OWN_TRACE *trace = read_text((struct dlq_trace_options){0}, "a.log", text, &error);
        CHECK(trace == NULL, "%s is read", table[i].line);
        CHECK(strncmp(error.text, table[i].want, strlen(table[i].want)) == 0, "%s: %s", table[i].line, error.text);
    }
    static const struct {
        const char *text, *want;
    } others[] = {
        {"; One batch in fifty; 4.5 s\n;\n\n[pipeline]\nloaders = 8\n[load]\nmean = 0.5\n",
         "a.log: a configuration, and"},
        {"# data_s, iter_s\n[step]\nmean = 0.1\n[load]\nmean = 0.1\n", "a.log: a configuration, and no log: solve"},
        {"import torch\nfor i in range(3):\n    print(i)\n", "a.log: a script, and no log: `dlqueue run"},
        {"#!/usr/bin/env python3\n# Trains.\nfrom torch import nn\ndata_s = 0.1; iter_s = 0.3\n", "a.log: a script"},
        {"\"\"\"Trains.\"\"\"\nimport time\nx = 1\n", "a.log: a script, and no log"},
        {"frombuffer 0.1 s to 0.2 s\n", NONE},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct dlq_error error;
        OWN_TRACE *trace = read_text((struct dlq_trace_options){0}, "a.log", others[i].text, &error);
        CHECK(trace == NULL, "%s is read", others[i].text);
        CHECK(strncmp(error.text, others[i].want, strlen(others[i].want)) == 0, "%s: %s", others[i].text, error.text);
    }
    static const char clock[] = "epoch,time,lr\n1,100,1\n2,200,1\n3,301,1\n4,400,1\n5,500,1\n6,601,1\n";
    check_bytes((struct dlq_trace_options){0}, "a.log", clock, sizeof clock - 1,
                "a.log: the only time among its columns is a clock of the run, which tells neither iterations nor "
                "waits: the differences of a column that counts seconds are read by --column clock=NAME");
}

/* -- however long or odd -- */

static void hostile(void)
{
    static const char bytes[] = "data_time: 0.1 s iter=2e9(, [/\"'%{}ms 1,000 step %*f\\\x01\xC3\xA9;|\n\r\t";
    for (unsigned long round = 0; round < (test_long() ? 5000 : 300); round++) {
        struct dlq_error error;
        enum dlq_status status;
        char text[2048];
        unsigned long seed = round;
        for (size_t i = 0; i < sizeof text; i++) {
            seed = seed * 6364136223846793005UL + 1442695040888963407UL;
            text[i] = bytes[(seed >> 40) % (sizeof bytes - 1)];
        }
        OWN_TRACE *trace =
            read_bytes((struct dlq_trace_options){.skip_bad = 100}, "a.log", text, sizeof text, &status, &error);
        CHECK(status == (trace != NULL ? DLQ_OK : DLQ_INVALID), "round %lu: status %d", round, (int)status);
    }
    /* Labels without end: a line is read once, up to its 1,500th byte. */
    struct bytes wide = surround("data", 'a', 30000, ": 0.1 iter: 0.2\n");
    check_bytes((struct dlq_trace_options){0}, "a.log", wide.data, wide.size,
                "a.log: no known log format: --format names one (dlqueue help formats lists them), --pattern or "
                "--column says where the numbers of any other log are");
    free(wide.data);
}

/* What fairseq prints tells how much is outside of its training steps, from the second line on. */
static void outside_of_steps(void)
{
#define FAIRSEQ(train, wall) "INFO | train_inner | epoch 001: 105 / 941 ups=0.39, train_wall=" train ", wall=" wall "\n"
#define FAIRSEQ_JSON(train, wall)                                                                                      \
    "{\"epoch\": 1, \"train_wall\": \"" train "\", \"gb_free\": \"1\", \"wall\": \"" wall "\"}\n"
    static const struct {
        const char *text, *want;
    } rows[] = {
        {FAIRSEQ("256", "1026") FAIRSEQ("250", "1280") FAIRSEQ("152", "1438"),
         "records it. Training steps took 402 of 412 s: 2.4 % is outside, waiting for data included"},
        {FAIRSEQ_JSON("256", "1026") FAIRSEQ_JSON("250", "1280"), "Training steps took 250 of 254 s: 1.6 % is outside"},
        /* A new start; steps longer than the clock; one line. */
        {FAIRSEQ("256", "1026") FAIRSEQ("100", "300") FAIRSEQ("80", "400"), "Training steps took 80 of 100 s: 20.0 %"},
        {FAIRSEQ("256", "1026") FAIRSEQ("250", "1100"), "`dlqueue run` records it"},
        {FAIRSEQ("256", "1026"), "`dlqueue run` records it"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_error error = {0};
        CHECK(read_text((struct dlq_trace_options){0}, "a.log", rows[i].text, &error) == NULL, "row %zu is read", i);
        CHECK(strstr(error.text, rows[i].want) != NULL, "row %zu: '%s'", i, error.text);
        CHECK((strstr(error.text, "took") != NULL) == (strstr(rows[i].want, "took") != NULL), "row %zu: '%s'", i,
              error.text);
    }
}

TEST_SUITE(generic, CASE(meanings), CASE(reads), CASE(numberless), CASE(names_loaders), CASE(unitless_patterns),
           CASE(outside_of_steps), CASE(proposes), CASE(refuses), CASE(hostile));
