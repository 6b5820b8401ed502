/* Fields of dlqueue sweep and dlqueue plan. */
#include "fields.h"

static const struct dlq_field axes[] = {
    {"name", "text", "loaders, load, prefetch, ranks, step or cv", NULL},
    {"values[]", "number", "ascending; of load and step in seconds", NULL},
};

static const struct dlq_field points[] = {
    {"loaders, prefetch, ranks", "count", "N, p, R; only where it is an axis", NULL},
    {"load, step", "s", "s, t; only where it is an axis", NULL},
    {"cv", "number", "of the load; only where it is an axis", NULL},
    {"upper", "1/s", "the smallest of the upper bounds, batches of one rank", NULL},
    {"lower", "1/s", "the lower bound", "pin_time is not 0, unless serial"},
    {"throughput", "~ 1/s", "batches of one rank", NULL},
    {"utilization", "~ share", "time in which the trainer steps / all time", "t is 0"},
    {"wait_mean", "s", "wait for data before a step, receive cost and barrier included", NULL},
    {"wait_p99", "s", "quantile of that wait", "no step ends within the horizon"},
    {"stalled_steps", "share", "of the steps: waited for longer than 0.1 % of t (of s, if t is 0)", NULL},
    {"bound_by", "text", "the bottleneck, as in verdict of solve", NULL},
    {"replications", "count", "independent runs; 0: solved exactly, method = markov", NULL},
    {"precision_reached", "flag", "the interval of throughput is as narrow as [simulate] precision", NULL},
};

static const struct dlq_field root[] = {
    {"name", "text", "[pipeline] name, or that of the file", NULL},
    {"loader", "text", "[pipeline] loader: a row of `dlqueue loaders`", NULL},
    {"target", "number", "[plan] target: a share, or samples/s of all ranks", NULL},
    {"of", "text", "what is to reach it: utilization, au or samples_per_second", NULL},
    {"solve", "text", "what is looked for: loaders, prefetch or ranks", NULL},
    {"at_most", "count", "the most of these that are tried", NULL},
    {"met", "flag", "false: exit status 3, and `answer` is the best that fits", "interrupted"},
    {"answer", "object", "the candidate that is the answer", "interrupted"},
    {"binds", "text",
     "what keeps the next smaller answer (of ranks: the next larger) from the target; if it is not met, all: loaders, "
     "window, cores, bandwidth, memory, shm, order, barrier, step, receive, pin, startup, variance, serial or several",
     "interrupted"},
    {"text", "text", "the finding in sentences", NULL},
    {"warnings[]", "text", "what to mind with these figures", NULL},
    {"interrupted", "flag",
     "by a signal: `table` holds the candidates that were finished, answer is null, text, rules and levers are empty",
     NULL},
};

static const struct dlq_field rules[] = {
    {"rule", "text", "load/step, cores - 1 or cores/ranks - 1", NULL},
};

static const struct dlq_field candidates[] = {
    {"loaders", "count", "N", NULL},
    {"prefetch", "count", "p", "the loader has none"},
    {"ranks", "count", "R", NULL},
    {"utilization", "~ share", "time in which the trainer steps / all time", "t is 0"},
    {"au", "~ share", "MLPerf Storage's: step times / (wall time - first steps)",
     "t is 0, or all steps are first ones"},
    {"throughput", "~ 1/s", "batches of one rank", NULL},
    {"samples_per_second", "~ 1/s", "of all ranks", "batch_size is not given"},
    {"wait_p99", "s", "quantile of the wait for data before a step", "no step ends within the horizon"},
    {"memory_bytes", "bytes", "of batches and loaders of one host", "neither size is known, or K unbounded"},
    {"shm_bytes", "bytes", "of batches in /dev/shm of one host; 0 without loader processes",
     "the size of a batch is not known, or K unbounded"},
    {"cores_used", "number", "cores of one host that are busy, on average", "no stage uses cpu"},
    {"cost_per_hour", "price", "[host] price x hosts", "no price is given"},
    {"cost_per_million_samples", "price", "at samples_per_second", "that is 0, or price or batch_size is not given"},
    {"epoch_seconds", "s", "of one epoch, mean", "the epoch is endless, or with a horizon"},
    {"upper", "1/s", "the smallest of the upper bounds, batches of one rank", NULL},
    {"bound_by", "text", "the bottleneck, as in verdict of solve", NULL},
    {"meets", "flag", "the low end of what is planned for reaches the target", NULL},
    {"fits", "flag", "into [host] memory and shm, so far as these are given", NULL},
};

static const struct dlq_field_group groups[] = {
    DLQ_FIELD_GROUP("sweep: axes[]", NULL, axes),
    DLQ_FIELD_GROUP("sweep: points[]; sweep --csv",
                    "One for each combination of the axes' values. DIR/STEM-sweep.csv is the same table.", points),
    DLQ_FIELD_GROUP("plan", NULL, root),
    DLQ_FIELD_GROUP("plan: answer, table[], rules[]; plan --csv",
                    "`table` and --csv: the candidates around the answer; `rules`: what rules of thumb say, empty "
                    "where not loaders are looked for.",
                    candidates),
    DLQ_FIELD_GROUP("plan: rules[]", NULL, rules),
};

const struct dlq_field_groups dlq_fields_of_plan = {groups, sizeof groups / sizeof *groups};
