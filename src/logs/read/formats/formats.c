/* The table of log formats: a row says all of one. To add a format whose lines name their numbers, or are JSON objects,
   takes a row here and a log in tests/data/logs; one of another kind has a reader of its own in a file beside this one.
   The order matters: it is that of `dlqueue help formats`, and the first row counts where several are equally sure. */
#include "base/option.h"
#include "logs/read/format.h"

#include <string.h>

/* dlq_json_reader, dlq_pattern_reader, and dlq_text_reader of format.h, serve several formats, the others one. */
extern const struct dlq_log_reader dlq_json_reader, dlq_csv_reader, dlq_ratio_reader, dlq_lightning_reader,
    dlq_megatron_reader, dlq_hf_trainer_reader, dlq_chrome_reader, dlq_dlio_reader, dlq_lotus_reader,
    dlq_pattern_reader, dlq_lerobot_reader;

static const struct dlq_format formats[] = {
    {
        .name = "csv",
        .other_names = {"trace"},
        .written_by = "scripts of users",
        .meaning = "times in s, a row per batch, columns by name: data_time, iter_time, load_start, load_end, ...",
        .reader = &dlq_csv_reader,
    },
    {
        .name = "ratio",
        .other_names = {"data/iter"},
        .written_by = "a print of data/iter",
        .meaning =
            "data time and iteration time in s, the mean since the line before: as many iterations as their numbers "
            "tell, or --every",
        .untold = true,
        .reader = &dlq_ratio_reader,
    },
    {
        .name = "pytorch-imagenet",
        .other_names = {"imagenet"},
        .written_by = "pytorch/examples imagenet/main.py, and what was made from it",
        .meaning =
            "one iteration, and the mean since the epoch's start: windows between lines are recovered from these",
        .numbers = DLQ_NUMBERS_SAMPLED,
        .reader = &dlq_text_reader,
        /* Printed after i + 1 iterations as 1, 11, 21, ...; by older versions as 0, 10, 20, ... */
        .forms = {{"Epoch: [", "%e][%n/%t]"}, {"Epoch: [", "%e/%t][%n/%t]"}},
        .labels = {{"Time", 1, DLQ_OF_ITER, DLQ_SHOWS_SINGLE, DLQ_SHOWS_RUNNING, false},
                   {"Data", 1, DLQ_OF_DATA, DLQ_SHOWS_SINGLE, DLQ_SHOWS_RUNNING, false}},
        .asides = {"Test: ["},
    },
    {
        .name = "timm",
        .written_by = "train.py of timm (pytorch-image-models)",
        .meaning =
            "means since the epoch's start, per update of the weights (all batches that it accumulates, whose data "
            "times are added up); windows between lines are recovered from these",
        .numbers = DLQ_NUMBERS_SAMPLED,
        .looks_ahead = true,
        .persistent = true, /* create_loader has persistent_workers=True */
        .reader = &dlq_text_reader,
        .forms = {{"Train:", " %e [%n/%t"}},
        .labels = {{"Time:", 1, DLQ_OF_ITER, DLQ_SHOWS_SINGLE, DLQ_SHOWS_RUNNING, false},
                   {"Data:", 1, DLQ_OF_DATA, DLQ_SHOWS_SINGLE, DLQ_SHOWS_RUNNING, false}},
        .asides = {"Test: [", "Test ("},
        .rules = {.zero_based = true, .unlike = true},
    },
    {
        .name = "torchvision",
        .written_by = "references of torchvision, DETR, DINO, MAE, BLIP: log_every of a MetricLogger",
        .meaning = "means of the last 20 iterations, which stand for all since the line before",
        .numbers = DLQ_NUMBERS_MEAN,
        .reader = &dlq_text_reader,
        /* "Total time: 0:41:20 (0.3384 s / it)" is that of the epoch with what printing takes, whose iterations have
           all been printed by then. */
        .forms = {{"Epoch: [", "%e] [%n/%t]"}, {"Epoch: [", "%e/%t] [%n/%t]"}},
        .labels = {{"time:", 1, DLQ_OF_ITER, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, false},
                   {"data:", 1, DLQ_OF_DATA, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, false}},
        .asides = {"Test:", "Total time:"},
        .rules = {.zero_based = true, .usual = 20, .window = 20},
    },
    {
        .name = "maskrcnn-benchmark",
        .other_names = {"maskrcnn"},
        .written_by = "maskrcnn-benchmark, and what was made from it",
        .meaning =
            "medians of the last 20 iterations, and means since the run's start: windows between lines are recovered "
            "from these",
        .numbers = DLQ_NUMBERS_MEAN,
        .reader = &dlq_text_reader,
        .forms = {{"iter:", " %n"}},
        .labels = {{"time:", 1, DLQ_OF_ITER, DLQ_SHOWS_MEDIAN, DLQ_SHOWS_RUNNING, false},
                   {"data:", 1, DLQ_OF_DATA, DLQ_SHOWS_MEDIAN, DLQ_SHOWS_RUNNING, false}},
        .rules = {.usual = 20},
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
        .labels = {{"time:", 1, DLQ_OF_ITER, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, false},
                   {"data_time:", 1, DLQ_OF_DATA, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, false}},
        .asides = {"Epoch(val)", "Epoch(test)", "Iter(val)", "Iter(test)"},
        .rules = {.usual = 10},
    },
    {
        .name = "mmengine",
        .other_names = {"mmcv", "mmdetection"},
        .written_by = "mmengine (vis_data/*.json) and mmcv (.log.json): JSON lines",
        .meaning = "means of the last iterations (mmengine: 10 unless set; mmcv: all since the line before)",
        .numbers = DLQ_NUMBERS_MEAN,
        .reader = &dlq_json_reader,
        .forms = {{"iter", ""}},
        .labels = {{"time", 1, DLQ_OF_ITER, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, true},
                   {"train/time", 1, DLQ_OF_ITER, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, true},
                   {"data_time", 1, DLQ_OF_DATA, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, true},
                   {"train/data_time", 1, DLQ_OF_DATA, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, true}},
        .rules = {.run_long = true, .usual = 10},
    },
    {
        .name = "detectron2",
        .written_by = "detectron2: text",
        .meaning =
            "data time the mean of the last 20 iterations, longest of all ranks; iteration time the mean since the "
            "run's start without its first two, from which windows between lines are recovered",
        .numbers = DLQ_NUMBERS_MEAN,
        .waits_for_all = true,
        .reader = &dlq_text_reader,
        /* Its timer leaves out the first two iterations, the data time does not. */
        .forms = {{"iter:", " %n"}},
        .labels = {{"time:", 1, DLQ_OF_ITER, DLQ_SHOWS_RUNNING, DLQ_SHOWS_NOTHING, false},
                   {"data_time:", 1, DLQ_OF_DATA, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, false},
                   {"last_time:", 1, DLQ_OF_ITER, DLQ_SHOWS_SINGLE, DLQ_SHOWS_NOTHING, true},
                   {"last_data_time:", 1, DLQ_OF_DATA, DLQ_SHOWS_SINGLE, DLQ_SHOWS_NOTHING, true}},
        .rules = {.zero_based = true, .unchecked = true, .unlike = true, .usual = 20, .warm_up = 2},
        .weak = true,
    },
    {
        .name = "detectron2",
        .written_by = "detectron2: metrics.json",
        .meaning = "medians of the last 20 iterations, data time the longest of all ranks",
        .numbers = DLQ_NUMBERS_MEDIAN,
        .waits_for_all = true,
        .reader = &dlq_json_reader,
        .forms = {{"iteration", ""}},
        .labels = {{"time", 1, DLQ_OF_ITER, DLQ_SHOWS_MEDIAN, DLQ_SHOWS_NOTHING, true},
                   {"data_time", 1, DLQ_OF_DATA, DLQ_SHOWS_MEDIAN, DLQ_SHOWS_NOTHING, true}},
        .rules = {.zero_based = true, .run_long = true, .unchecked = true, .usual = 20},
    },
    {
        .name = "lightning",
        .written_by = "Lightning: the table of SimpleProfiler",
        .meaning =
            "sums of the whole run: the loader's next and run_training_batch; callbacks between them and validation "
            "are left out",
        .numbers = DLQ_NUMBERS_TOTAL,
        .reader = &dlq_lightning_reader,
    },
    {
        .name = "megatron",
        .other_names = {"megatron-lm"},
        .written_by = "Megatron-LM and its kin",
        .meaning =
            "means since the line before; data time where timers are shown (--timing-log-level 2): the longest of "
            "all ranks, micro-batches added up",
        .numbers = DLQ_NUMBERS_MEAN,
        .waits_for_all = true,
        .reader = &dlq_megatron_reader,
        /* The timers that may follow the line are read by the format's own reader. */
        .forms = {{"iteration", " %n/%t |"}},
        .labels = {{"elapsed time per iteration (ms):", 1e-3, DLQ_OF_ITER, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, true},
                   {"elapsed time per iteration (s):", 1, DLQ_OF_ITER, DLQ_SHOWS_WINDOW, DLQ_SHOWS_NOTHING, true}},
        .rules = {.usual = 100},
    },
    {
        .name = "nemo",
        .written_by = "NeMo",
        .meaning = "iteration times alone, of one iteration, which stands for all since the line before",
        .numbers = DLQ_NUMBERS_SAMPLED,
        .reader = &dlq_text_reader,
        .forms = {{"Training epoch", " %e, iteration %n/%t"}},
        .labels = {{"train_step_timing in s:", 1, DLQ_OF_ITER, DLQ_SHOWS_SINGLE, DLQ_SHOWS_NOTHING, false}},
        .rules = {.zero_based = true, .unlike = true, .usual = 10},
    },
    {
        .name = "hf-trainer",
        .written_by = "the Trainer of transformers, at the end of training",
        .meaning = "the mean iteration time of the whole run alone",
        .numbers = DLQ_NUMBERS_TOTAL,
        .reader = &dlq_hf_trainer_reader,
    },
    {
        .name = "chrome",
        .other_names = {"torch.profiler", "torch-profiler", "kineto", "chrome-trace"},
        .written_by = "torch.profiler, Composer's profiler (Chrome trace, .json or .json.gz)",
        .meaning = "every next() of the data loader, and the distance to the one after it",
        .binary = true,
        .reader = &dlq_chrome_reader,
    },
    {
        .name = "dlio",
        .other_names = {"mlperf"},
        .written_by = "DLIO and MLPerf Storage (0_output.json, 1_output.json, ...)",
        .meaning = "load and compute of every batch; the barrier of the ranks is in neither",
        .binary = true,
        .reader = &dlq_dlio_reader,
    },
    {
        .name = "lotus",
        .written_by = "Lotus",
        .meaning = "loads of the workers, waits and steps of the main process; all logs of a rank together",
        .joins = true,
        .reader = &dlq_lotus_reader,
    },
    {
        .name = "lerobot",
        .written_by = "LeRobot",
        .meaning =
            "data loading and update, which make an iteration together: the mean since the line before, its log_freq "
            "iterations",
        .untold = true,
        .reader = &dlq_lerobot_reader,
    },
    {
        .name = "pattern",
        .written_by = "any program: --pattern 'data=rtime=%f' --pattern 'iter=(%f s)'",
        .meaning =
            "what stands at %f, in s or the unit behind it; the first word is data, iter, step (without data), count, "
            "epoch or rank; data:mean= is of all since the line before (so is --every N), data:running= since the "
            "epoch's start",
        .untold = true,
        .reader = &dlq_pattern_reader,
    },
    {
        .name = "pattern-means",
        .written_by = "the same, with :mean=, :running= or :median=",
        .meaning = "as told",
        .numbers = DLQ_NUMBERS_MEAN,
        .untold = true,
        .reader = &dlq_pattern_reader,
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
        int sure = format->reader->probe != NULL ? format->reader->probe(&log) : 0;
        bool called = name == NULL || strcmp(format->name, name) == 0;
        for (size_t i = 0; !called && i < DLQ_FORMAT_NAMES && format->other_names[i] != NULL; i++)
            called = strcmp(format->other_names[i], name) == 0;
        if (called && sure > most) {
            most = sure;
            best = format;
        }
    }
    return best;
}

const char *dlq_format_nearest(const char *name)
{
    const char *names[FORMATS + 1] = {0};
    for (size_t i = 0; i < FORMATS; i++)
        names[i] = formats[i].name;
    return dlq_nearest(name, names);
}

bool dlq_format_help(size_t index, struct dlq_format_help *help)
{
    const struct dlq_format *format = dlq_format_at(index);
    if (format != NULL)
        *help = (struct dlq_format_help){format->name, format->written_by, format->meaning};
    return format != NULL;
}
