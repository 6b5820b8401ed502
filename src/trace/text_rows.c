/* Formats of one line for one or some iterations, in words. */
#include "trace/text.h"

/* Each row is a struct dlq_text_row NAME_row and a struct dlq_format dlq_format_NAME, joined by two functions. */
#define JOIN(name)                                                                                                     \
    static int probe_##name(const char *head, size_t length)                                                           \
    {                                                                                                                  \
        return dlq_text_probe(&name##_row, head, length);                                                              \
    }                                                                                                                  \
    static enum dlq_taken next_##name(struct dlq_log *log, struct dlq_record *record)                                  \
    {                                                                                                                  \
        return dlq_text_next(&name##_row, log, record);                                                                \
    }
#define CALLS(name) .probe = probe_##name, .begin = dlq_streams_begin, .next = next_##name, .end = dlq_streams_end

/* -- examples/imagenet/main.py of PyTorch -- */

/* clang-format off */
#define IMAGENET_LABELS                                                                                                \
    {                                                                                                                  \
        {"Time", DLQ_OF_ITER, DLQ_FIGURE_SINGLE, DLQ_FIGURE_RUNNING, 1, false},                                        \
        {"Data", DLQ_OF_DATA, DLQ_FIGURE_SINGLE, DLQ_FIGURE_RUNNING, 1, false},                                        \
    }
static const struct dlq_form imagenet_forms[] = {
    {"Epoch: [", "%e][%n/%t]", IMAGENET_LABELS},
    {"Epoch: [", "%e/%t][%n/%t]", IMAGENET_LABELS},
    {.marker = NULL},
};
/* clang-format on */
static const char *const imagenet_asides[] = {"Test: [", NULL};
/* Printed after i + 1 iterations as 1, 11, 21, ...; in older versions as 0, 10, 20, ... */
static const struct dlq_text_row imagenet_row = {.forms = imagenet_forms, .asides = imagenet_asides};

JOIN(imagenet)

const struct dlq_format dlq_format_imagenet = {
    .name = "pytorch-imagenet",
    .written_by = "pytorch/examples imagenet/main.py, and what was made from it",
    .meaning = "one iteration, and the mean since the epoch's start: windows between lines are recovered from these",
    .numbers = DLQ_NUMBERS_SAMPLED,
    CALLS(imagenet),
};

/* -- timm -- */

static const struct dlq_form timm_forms[] = {
    {"Train:",
     " %e [%n/%t",
     {{"Time:", DLQ_OF_ITER, DLQ_FIGURE_SINGLE, DLQ_FIGURE_RUNNING, 1, false},
      {"Data:", DLQ_OF_DATA, DLQ_FIGURE_SINGLE, DLQ_FIGURE_RUNNING, 1, false}}},
    {.marker = NULL},
};
static const char *const timm_asides[] = {"Test: [", "Test (EMA): [", "Test (", NULL};
static const struct dlq_text_row timm_row = {
    .forms = timm_forms, .asides = timm_asides, .rules = {.zero_based = true, .unlike = true}};

JOIN(timm)

const struct dlq_format dlq_format_timm = {
    .name = "timm",
    .written_by = "train.py of timm (pytorch-image-models)",
    .meaning = "means since the epoch's start, per update of the weights (all batches that it accumulates, whose data "
               "times are added up); windows between lines are recovered from these",
    .numbers = DLQ_NUMBERS_SAMPLED,
    .looks_ahead = true,
    CALLS(timm),
};

/* -- references of torchvision -- */

/* clang-format off */
#define TORCHVISION_LABELS                                                                                             \
    {                                                                                                                  \
        {"time:", DLQ_OF_ITER, DLQ_FIGURE_WINDOW, DLQ_FIGURE_NONE, 1, false},                                          \
        {"data:", DLQ_OF_DATA, DLQ_FIGURE_WINDOW, DLQ_FIGURE_NONE, 1, false},                                          \
    }
static const struct dlq_form torchvision_forms[] = {
    {"Epoch: [", "%e] [%n/%t]", TORCHVISION_LABELS},
    {"Epoch: [", "%e/%t] [%n/%t]", TORCHVISION_LABELS},
    {.marker = NULL},
};
/* clang-format on */
/* "Total time: 0:41:20 (0.3384 s / it)" is that of the epoch with what printing takes, whose iterations have all been
   told by then. */
static const char *const torchvision_asides[] = {"Test:", "Total time:", NULL};
static const struct dlq_text_row torchvision_row = {
    .forms = torchvision_forms, .asides = torchvision_asides, .rules = {.zero_based = true, .usual = 20, .window = 20}};

JOIN(torchvision)

const struct dlq_format dlq_format_torchvision = {
    .name = "torchvision",
    .written_by = "references of torchvision, DETR, DINO, MAE, BLIP: log_every of a MetricLogger",
    .meaning = "means of the last 20 iterations, which stand for all since the line before",
    .numbers = DLQ_NUMBERS_MEAN,
    CALLS(torchvision),
};

/* -- maskrcnn-benchmark -- */

static const struct dlq_form maskrcnn_forms[] = {
    {"iter:",
     " %n",
     {{"time:", DLQ_OF_ITER, DLQ_FIGURE_MEDIAN, DLQ_FIGURE_RUNNING, 1, false},
      {"data:", DLQ_OF_DATA, DLQ_FIGURE_MEDIAN, DLQ_FIGURE_RUNNING, 1, false}}},
    {.marker = NULL},
};
static const struct dlq_text_row maskrcnn_row = {.forms = maskrcnn_forms, .rules = {.usual = 20}, .weak = true};

JOIN(maskrcnn)

const struct dlq_format dlq_format_maskrcnn = {
    .name = "maskrcnn-benchmark",
    .written_by = "maskrcnn-benchmark, and what was made from it",
    .meaning =
        "medians of the last 20 iterations, and means since the run's start: windows between lines are recovered "
        "from these",
    .numbers = DLQ_NUMBERS_MEAN,
    CALLS(maskrcnn),
};

/* -- mmengine, mmcv -- */

/* clang-format off */
#define MMENGINE_LABELS                                                                                                \
    {                                                                                                                  \
        {"time:", DLQ_OF_ITER, DLQ_FIGURE_WINDOW, DLQ_FIGURE_NONE, 1, false},                                          \
        {"data_time:", DLQ_OF_DATA, DLQ_FIGURE_WINDOW, DLQ_FIGURE_NONE, 1, false},                                     \
    }
static const struct dlq_form mmengine_forms[] = {
    {"Epoch(train)", "~[%e][%n/%t]", MMENGINE_LABELS},
    {"Epoch", " [%e][%n/%t]", MMENGINE_LABELS},
    {"Iter(train)", "~[%n/%t]", MMENGINE_LABELS},
    {"Iter", " [%n/%t]", MMENGINE_LABELS},
    {.marker = NULL},
};
/* clang-format on */
static const char *const mmengine_asides[] = {"Epoch(val)", "Epoch(test)", "Iter(val)", "Iter(test)", NULL};
static const struct dlq_text_row mmengine_row = {
    .forms = mmengine_forms, .asides = mmengine_asides, .rules = {.usual = 10}};

JOIN(mmengine)

const struct dlq_format dlq_format_mmengine = {
    .name = "mmengine",
    .written_by = "mmengine and mmcv (mmdetection, mmpretrain, mmsegmentation, ...): text",
    .meaning = "means of the last iterations (mmengine: 10 unless set; mmcv: all since the line before)",
    .numbers = DLQ_NUMBERS_MEAN,
    CALLS(mmengine),
};

/* -- detectron2 -- */

static const struct dlq_form detectron2_forms[] = {
    {"iter:",
     " %n",
     {{"time:", DLQ_OF_ITER, DLQ_FIGURE_RUNNING, DLQ_FIGURE_NONE, 1, false},
      {"data_time:", DLQ_OF_DATA, DLQ_FIGURE_WINDOW, DLQ_FIGURE_NONE, 1, false},
      {"last_time:", DLQ_OF_ITER, DLQ_FIGURE_SINGLE, DLQ_FIGURE_NONE, 1, true},
      {"last_data_time:", DLQ_OF_DATA, DLQ_FIGURE_SINGLE, DLQ_FIGURE_NONE, 1, true}}},
    {.marker = NULL},
};
/* Its timer leaves out the first two iterations, the data time does not. */
static const struct dlq_text_row detectron2_row = {
    .forms = detectron2_forms,
    .rules = {.zero_based = true, .unchecked = true, .unlike = true, .usual = 20, .warm_up = 2},
    .weak = true,
};

JOIN(detectron2)

const struct dlq_format dlq_format_detectron2 = {
    .name = "detectron2",
    .written_by = "detectron2: text",
    .meaning = "data time the mean of the last 20 iterations, longest of all ranks; iteration time the mean since the "
               "run's start without its first two, from which windows between lines are recovered",
    .numbers = DLQ_NUMBERS_MEAN,
    .waits_for_all = true,
    CALLS(detectron2),
};

/* -- NeMo -- */

static const struct dlq_form nemo_forms[] = {
    {"Training epoch",
     " %e, iteration %n/%t",
     {{"train_step_timing in s:", DLQ_OF_ITER, DLQ_FIGURE_SINGLE, DLQ_FIGURE_NONE, 1, false}}},
    {.marker = NULL},
};
static const struct dlq_text_row nemo_row = {.forms = nemo_forms,
                                             .rules = {.zero_based = true, .unlike = true, .usual = 10}};

JOIN(nemo)

const struct dlq_format dlq_format_nemo = {
    .name = "nemo",
    .written_by = "NeMo",
    .meaning = "iteration times alone, of one iteration, which stands for all since the line before",
    .numbers = DLQ_NUMBERS_SAMPLED,
    CALLS(nemo),
};
