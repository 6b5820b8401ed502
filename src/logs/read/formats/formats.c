/* The table of log formats, in the order of `dlqueue help formats`. A new format whose lines name their numbers, or are
   JSON objects, is a row here; format.h explains the members, and rows with dlq_text_reader or dlq_json_reader are
   examples. Other formats need a reader, too, in a file of this folder. Each format has a log in tests/data/logs. */
#include "logs/read/format.h"

#include <string.h>

/* The readers that the files of this folder define, besides dlq_text_reader. */
extern const struct dlq_log_reader dlq_json_reader, dlq_csv_reader, dlq_ratio_reader, dlq_lightning_reader,
    dlq_megatron_reader, dlq_hf_trainer_reader, dlq_chrome_reader, dlq_dlio_reader, dlq_lotus_reader,
    dlq_pattern_reader, dlq_columns_reader, dlq_ray_reader, dlq_lerobot_reader;

static const struct dlq_format formats[] = {
    {
        .name = "csv",
        .other_names = {"trace"},
        .written_by = "scripts of users",
        .meaning = "times in s, a row per batch, columns named data_time, iter_time, load_start, load_end, ...",
        .named_columns = true,
        .reader = &dlq_csv_reader,
    },
    {
        .name = "ratio",
        .other_names = {"data/iter"},
        .written_by = "any program that prints data/iter",
        .meaning = "data time and iteration time in s, means since the line before; the number of iterations is the "
                   "difference of their numbers, or --every",
        .unmarked_means = true,
        .reader = &dlq_ratio_reader,
    },
    {
        .name = "pytorch-imagenet",
        .other_names = {"imagenet"},
        .written_by = "pytorch/examples imagenet/main.py and its derivatives",
        .meaning =
            "one iteration, and the mean since the start of the epoch, from which the times between lines are computed",
        .numbers = DLQ_NUMBERS_SAMPLED,
        .reader = &dlq_text_reader,
        /* Printed after i + 1 iterations as 1, 11, 21, ...; by older versions as 0, 10, 20, ... */
        .forms = {{"Epoch: [", "%e][%n/%t]"}, {"Epoch: [", "%e/%t][%n/%t]"}},
        .labels = {{"Time", 1, DLQ_PRINTED_ITER, DLQ_SHOWS_SINGLE, DLQ_SHOWS_RUNNING, false},
                   {"Data", 1, DLQ_PRINTED_DATA, DLQ_SHOWS_SINGLE, DLQ_SHOWS_RUNNING, false}},
        .ignored = {"Test: ["},
    },
    {
        .name = "timm",
        .written_by = "train.py of timm (pytorch-image-models)",
        .meaning = "means since the start of the epoch, from which the times between lines are computed; an iteration "
                   "is an update of the weights, with the data times of all batches that it accumulates",
        .numbers = DLQ_NUMBERS_SAMPLED,
        .looks_ahead = true,
        .persistent = true, /* create_loader has persistent_workers=True */
        .reader = &dlq_text_reader,
        .forms = {{"Train:", " %e [%n/%t"}},
        .labels = {{"Time:", 1, DLQ_PRINTED_ITER, DLQ_SHOWS_SINGLE, DLQ_SHOWS_RUNNING, false},
                   {"Data:", 1, DLQ_PRINTED_DATA, DLQ_SHOWS_SINGLE, DLQ_SHOWS_RUNNING, false}},
        .ignored = {"Test: [", "Test ("},
        .rules = {.zero_based = true, .single_differs = true},
    },
    {
        .name = "torchvision",
        .written_by = "references of torchvision, DETR, DINO, MAE, BLIP: log_every of a MetricLogger",
        .meaning = "means of the last 20 iterations, taken for all iterations since the line before",
        .numbers = DLQ_NUMBERS_MEAN,
        .reader = &dlq_text_reader,
        /* "Total time: 0:41:20 (0.3384 s / it)" is the sum of the epoch, including the time for printing. */
        .forms = {{"Epoch: [", "%e] [%n/%t]"}, {"Epoch: [", "%e/%t] [%n/%t]"}},
        .labels = {{"time:", 1, DLQ_PRINTED_ITER, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, false},
                   {"data:", 1, DLQ_PRINTED_DATA, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, false}},
        .ignored = {"Test:", "Total time:"},
        .rules = {.zero_based = true, .interval = 20, .window = 20},
    },
    {
        .name = "maskrcnn-benchmark",
        .other_names = {"maskrcnn"},
        .written_by = "maskrcnn-benchmark and its derivatives",
        .meaning = "medians of the last 20 iterations, and means since the start of the run, from which the times "
                   "between lines are computed",
        .numbers = DLQ_NUMBERS_MEAN,
        .reader = &dlq_text_reader,
        .forms = {{"iter:", " %n"}},
        .labels = {{"time:", 1, DLQ_PRINTED_ITER, DLQ_SHOWS_MEDIAN, DLQ_SHOWS_RUNNING, false},
                   {"data:", 1, DLQ_PRINTED_DATA, DLQ_SHOWS_MEDIAN, DLQ_SHOWS_RUNNING, false}},
        .rules = {.interval = 20},
        .weak = true,
    },
    {
        .name = "mmengine",
        .other_names = {"mmcv", "mmdetection"},
        .written_by = "mmengine and mmcv (mmdetection, mmpretrain, mmsegmentation, ...): text",
        .meaning = "means of the last iterations (mmengine: 10 unless set; mmcv: all since the line before)",
        .numbers = DLQ_NUMBERS_MEAN,
        .reader = &dlq_text_reader,
        .forms = {{"Epoch(train)", "~[%e][%n/%t]"},
                  {"Epoch", " [%e][%n/%t]"},
                  {"Iter(train)", "~[%n/%t]"},
                  {"Iter", " [%n/%t]"}},
        .labels = {{"time:", 1, DLQ_PRINTED_ITER, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, false},
                   {"data_time:", 1, DLQ_PRINTED_DATA, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, false}},
        .ignored = {"Epoch(val)", "Epoch(test)", "Iter(val)", "Iter(test)"},
        .rules = {.interval = 10},
    },
    {
        .name = "mmengine",
        .other_names = {"mmcv", "mmdetection"},
        .written_by = "mmengine (vis_data/*.json) and mmcv (.log.json): JSON lines",
        .meaning = "means of the last iterations (mmengine: 10 unless set; mmcv: all since the line before)",
        .numbers = DLQ_NUMBERS_MEAN,
        .reader = &dlq_json_reader,
        .forms = {{"iter", ""}},
        .labels = {{"time", 1, DLQ_PRINTED_ITER, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, true},
                   {"train/time", 1, DLQ_PRINTED_ITER, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, true},
                   {"data_time", 1, DLQ_PRINTED_DATA, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, true},
                   {"train/data_time", 1, DLQ_PRINTED_DATA, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, true}},
        .rules = {.run_long = true, .interval = 10},
    },
    {
        .name = "detectron2",
        .written_by = "detectron2: text",
        .meaning =
            "data time: mean of the last 20 iterations, the longest of all ranks; iteration time: mean since the start "
            "of the run without the first two iterations, from which the times between lines are computed",
        .numbers = DLQ_NUMBERS_MEAN,
        .waits_for_all = true,
        .reader = &dlq_text_reader,
        /* The mean iteration time excludes the first two iterations, the data time includes them. */
        .forms = {{"iter:", " %n"}},
        .labels = {{"time:", 1, DLQ_PRINTED_ITER, DLQ_SHOWS_RUNNING, DLQ_SHOWS_NOTHING, false},
                   {"data_time:", 1, DLQ_PRINTED_DATA, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, false},
                   {"last_time:", 1, DLQ_PRINTED_ITER, DLQ_SHOWS_SINGLE, DLQ_SHOWS_NOTHING, true},
                   {"last_data_time:", 1, DLQ_PRINTED_DATA, DLQ_SHOWS_SINGLE, DLQ_SHOWS_NOTHING, true}},
        .rules = {.zero_based = true, .data_may_exceed = true, .single_differs = true, .interval = 20, .warm_up = 2},
        .weak = true,
    },
    {
        .name = "detectron2",
        .written_by = "detectron2: metrics.json",
        .meaning = "medians of the last 20 iterations; the data time is the longest of all ranks",
        .numbers = DLQ_NUMBERS_MEDIAN,
        .waits_for_all = true,
        .reader = &dlq_json_reader,
        .forms = {{"iteration", ""}},
        .labels = {{"time", 1, DLQ_PRINTED_ITER, DLQ_SHOWS_MEDIAN, DLQ_SHOWS_NOTHING, true},
                   {"data_time", 1, DLQ_PRINTED_DATA, DLQ_SHOWS_MEDIAN, DLQ_SHOWS_NOTHING, true}},
        .rules = {.zero_based = true, .run_long = true, .data_may_exceed = true, .interval = 20},
    },
    {
        .name = "lightning",
        .written_by = "Lightning: the table of SimpleProfiler",
        .meaning =
            "sums over the whole run of the loader's next and of run_training_batch, without callbacks and validation",
        .numbers = DLQ_NUMBERS_TOTAL,
        .reader = &dlq_lightning_reader,
    },
    {
        .name = "megatron",
        .other_names = {"megatron-lm"},
        .written_by = "Megatron-LM and its derivatives",
        .meaning = "means since the line before; the data time, printed with --timing-log-level 2 only, is the longest "
                   "of all ranks and the sum over micro-batches",
        .numbers = DLQ_NUMBERS_MEAN,
        .waits_for_all = true,
        .reader = &dlq_megatron_reader,
        /* The timers that may follow the line are read by the format's own reader. */
        .forms = {{"iteration", " %n/%t |"}},
        .labels = {{"elapsed time per iteration (ms):", 1e-3, DLQ_PRINTED_ITER, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING,
                    true},
                   {"elapsed time per iteration (s):", 1, DLQ_PRINTED_ITER, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, true}},
        .rules = {.interval = 100},
    },
    {
        .name = "nemo",
        .written_by = "NeMo",
        .meaning = "the time of one iteration, taken for all iterations since the line before; no data time",
        .numbers = DLQ_NUMBERS_SAMPLED,
        .reader = &dlq_text_reader,
        .forms = {{"Training epoch", " %e, iteration %n/%t"}},
        .labels = {{"train_step_timing in s:", 1, DLQ_PRINTED_ITER, DLQ_SHOWS_SINGLE, DLQ_SHOWS_NOTHING, false}},
        .rules = {.zero_based = true, .single_differs = true, .interval = 10},
    },
    {
        .name = "hf-trainer",
        .written_by = "the Trainer of transformers: its last line, all_results.json",
        .meaning = "only the mean iteration time of the whole run",
        .numbers = DLQ_NUMBERS_TOTAL,
        .reader = &dlq_hf_trainer_reader,
    },
    {
        .name = "ray",
        .other_names = {"ray-data"},
        .written_by = "Ray Data: Dataset.stats()",
        .meaning = "sums over the whole run: the time that training was blocked, and the time overall",
        .numbers = DLQ_NUMBERS_TOTAL,
        .reader = &dlq_ray_reader,
    },
    {
        .name = "chrome",
        .other_names = {"torch.profiler", "torch-profiler", "kineto", "chrome-trace"},
        .written_by = "torch.profiler, Composer's profiler (Chrome trace, .json or .json.gz)",
        .meaning = "each next() of the data loader, and the time from each to the following one",
        .binary = true,
        .reader = &dlq_chrome_reader,
    },
    {
        .name = "dlio",
        .other_names = {"mlperf"},
        .written_by = "DLIO and MLPerf Storage (0_output.json, 1_output.json, ...)",
        .meaning = "load and compute times of each batch, without the barrier of the ranks",
        .binary = true,
        .reader = &dlq_dlio_reader,
    },
    {
        .name = "lotus",
        .written_by = "Lotus",
        .meaning = "loads of the workers, waits and steps of the main process; give all logs of a rank together",
        .joins = true,
        .reader = &dlq_lotus_reader,
    },
    {
        .name = "lerobot",
        .written_by = "LeRobot",
        .meaning =
            "times of data loading and of the update, which together are an iteration: means over log_freq iterations",
        .unmarked_means = true,
        .reader = &dlq_lerobot_reader,
    },
    {
        .name = "pattern",
        .written_by = "any program: --pattern 'data=rtime=%f' --pattern 'iter=(%f s)'",
        .meaning = "the number at %f, in the unit in braces (%f{ms}), the one before or behind it, or s; %*f is any "
                   "number. The first word is data, iter, step (without data), load, clock (differences are "
                   "iterations; %t is the time stamp of the line), sum (since the line before), count, epoch or rank. "
                   "With data:mean= or --every N the "
                   "number is a mean since the line before, with data:running= since the start of the epoch",
        .unmarked_means = true,
        .reader = &dlq_pattern_reader,
    },
    {
        .name = "pattern-means",
        .written_by = "the same, with :mean= or :running=",
        .meaning = "see pattern",
        .numbers = DLQ_NUMBERS_MEAN,
        .unmarked_means = true,
        .reader = &dlq_pattern_reader,
    },
    {
        .name = "pattern-medians",
        .written_by = "the same, with data:median=",
        .meaning = "see pattern",
        .numbers = DLQ_NUMBERS_MEDIAN,
        .reader = &dlq_pattern_reader,
    },
    {
        .name = "generic",
        .written_by = "any other program whose lines name a time of data and of an iteration",
        .meaning = "what the words of the lines say, or else their time stamps; dlqueue prints the --pattern options "
                   "that read the same",
        .recognized = true,
        .reader = &dlq_pattern_reader,
    },
    {
        .name = "generic",
        .written_by = "the same, whose times are means, as time stamps or parentheses tell",
        .meaning = "means since the line before, or since the start",
        .numbers = DLQ_NUMBERS_MEAN,
        .recognized = true,
        .reader = &dlq_pattern_reader,
    },
    {
        .name = "generic",
        .written_by = "CSV whose columns name them: exports of Weights & Biases, TensorBoard",
        .meaning = "what the names of the columns say; dlqueue prints the --column options that read the same",
        .named_columns = true,
        .recognized = true,
        .reader = &dlq_columns_reader,
    },
};

enum { FORMATS = sizeof formats / sizeof *formats };

const struct dlq_format *dlq_format_at(size_t index)
{
    return index < FORMATS ? &formats[index] : NULL;
}

const struct dlq_format *dlq_format_find(const char *name, const char *head, size_t length)
{
    const struct dlq_format *best = NULL;
    int most = name != NULL ? -1 : 0;
    for (const struct dlq_format *format = formats; format < formats + FORMATS; format++) {
        const struct dlq_log log = {.format = format, .head = head, .head_length = length};
        int score = format->reader->probe != NULL ? format->reader->probe(&log) : 0;
        bool called = name == NULL || strcmp(format->name, name) == 0;
        for (size_t i = 0; !called && i < DLQ_FORMAT_NAMES && format->other_names[i] != NULL; i++)
            called = strcmp(format->other_names[i], name) == 0;
        if (called && score > most) {
            most = score;
            best = format;
        }
    }
    return best;
}

bool dlq_format_help(size_t index, struct dlq_format_help *help)
{
    const struct dlq_format *format = dlq_format_at(index);
    if (format != NULL)
        *help = (struct dlq_format_help){format->name, format->written_by, format->meaning};
    return format != NULL;
}
