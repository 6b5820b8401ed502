/* The table of log formats. */
#include "base/option.h"
#include "dlqueue/trace.h"
#include "trace/format.h"

#include <string.h>

static const struct dlq_format *const rows[] = {
    &dlq_format_csv,         &dlq_format_ratio,           &dlq_format_imagenet,  &dlq_format_timm,
    &dlq_format_torchvision, &dlq_format_maskrcnn,        &dlq_format_mmengine,  &dlq_format_mmengine_json,
    &dlq_format_detectron2,  &dlq_format_detectron2_json, &dlq_format_lightning, &dlq_format_megatron,
    &dlq_format_nemo,        &dlq_format_hf_trainer,      &dlq_format_chrome,    &dlq_format_dlio,
    &dlq_format_lotus,
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* What else people call them. */
static const struct {
    const char *other, *name;
} others[] = {
    {"imagenet", "pytorch-imagenet"},
    {"maskrcnn", "maskrcnn-benchmark"},
    {"mmcv", "mmengine"},
    {"mmdetection", "mmengine"},
    {"torch.profiler", "chrome"},
    {"torch-profiler", "chrome"},
    {"kineto", "chrome"},
    {"chrome-trace", "chrome"},
    {"mlperf", "dlio"},
    {"megatron-lm", "megatron"},
    {"data/iter", "ratio"},
    {"trace", "csv"},
};

static const char *usual_name(const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i].other, name) == 0)
            return others[i].name;
    return name;
}

const struct dlq_format *dlq_format_at(size_t index)
{
    return index < ROWS ? rows[index] : NULL;
}

/* The surest of all, or of those of that name; null: none. */
static const struct dlq_format *surest(const char *name, const char *head, size_t length, int least)
{
    const struct dlq_format *best = NULL;
    int most = least;
    for (size_t i = 0; i < ROWS; i++) {
        if (name != NULL && strcmp(rows[i]->name, name) != 0)
            continue;
        int sure = rows[i]->probe(head, length);
        if (sure > most) {
            most = sure;
            best = rows[i];
        }
    }
    return best;
}

const struct dlq_format *dlq_format_named(const char *name, const char *head, size_t length)
{
    return surest(usual_name(name), head, length, -1);
}

const char *dlq_format_nearest(const char *name)
{
    const char *names[ROWS + 1] = {0};
    for (size_t i = 0; i < ROWS; i++)
        names[i] = rows[i]->name;
    return dlq_nearest(name, names);
}

const struct dlq_format *dlq_format_probe(const char *head, size_t length)
{
    return surest(NULL, head, length, 0);
}

bool dlq_format_help(size_t index, struct dlq_format_help *help)
{
    const struct dlq_format *row = dlq_format_at(index);
    if (row != NULL)
        *help = (struct dlq_format_help){row->name, row->written_by, row->meaning};
    return row != NULL;
}
