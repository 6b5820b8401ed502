/* Fields of dlqueue fit. */
#include "fields.h"

static const struct dlq_field root[] = {
    {"config", "text", "the configuration, as a file would hold it", NULL},
    {"source", "text", "of the load times: trace, waits, windows (all three of logs) or stopwatch", NULL},
    {"loader", "text", "a row of `dlqueue loaders`", NULL},
    {"loaders", "count", "N; 0: the training process loads for itself", NULL},
    {"loaders_known", "flag", "told, or seen in the logs; false: assumed", NULL},
    {"prefetch", "count", "p", "the loader has none"},
    {"ranks", "count", "R", NULL},
    {"predicted_run", "~ 1/s",
     "batches of one rank, by the fitted model in as many batches; low to high: 95 % of such runs", NULL},
    {"suffices", "count", "the fewest loaders that reach a utilization of 95 %",
     "none of as many as are tried, loads exclude one another or are fetched several at once, or loaders_known is "
     "false"},
    {"headroom", "number", "of stopwatches: how many times as fast training could run if loading cost nothing",
     "the source is another"},
    {"warnings[]", "text", "what to mind with these figures", NULL},
};

static const struct dlq_field laws[] = {
    {"distribution", "text", "a row of `dlqueue distributions`; with a second stage \"NAME + NAME tail\"", NULL},
    {"parameters.*", "number", "as in a configuration, times in seconds; tail.*: of the second stage", NULL},
    {"mean", "s", "of the law", NULL},
    {"cv", "number", "of the law: coefficient of variation", "the variance is infinite"},
    {"median, p99", "s", "of the law", NULL},
    {"ks", "share", "largest distance between law and measurements (Kolmogorov-Smirnov)",
     "there is nothing to compare with"},
    {"n", "count", "measurements, or batches whose loads are known or bounded", NULL},
    {"mean_low, mean_high", "s", "95 % interval of the mean; from 0 where there is but a bound", NULL},
    {"only_bound", "flag", "the mean is no more than an upper bound", NULL},
};

static const struct dlq_field tried[] = {
    {"distribution", "text", "the best first", NULL},
    {"aic_above", "number", "Akaike's criterion above that of the best", "not compared by likelihood"},
    {"ks", "share", "as above", "there is nothing to compare with"},
};

static const struct dlq_field overheads[] = {
    {"dispatch, deliver, receive", "s", "means; 0 where the logs do not tell", NULL},
    {"startup, barrier", "s", "likewise", NULL},
};

static const struct dlq_field replay[] = {
    {"measured", "1/s", "batches of one rank", "two stopwatch runs, or logs without iteration times"},
    {"predicted", "1/s", "the same by the model; without a trace its mean, predicted_run.value", NULL},
    {"error", "number", "predicted / measured - 1", "measured is"},
    {"without_overheads", "1/s", "predicted, had no overhead been measured", NULL},
    {"batches", "count", "of one rank, that were replayed", NULL},
    {"wait_mean_measured", "s", "wait for data before a step", NULL},
    {"wait_mean_predicted", "s", "the same by the model", NULL},
    {"wait_p99_measured", "s", "its quantile", NULL},
    {"wait_p99_predicted", "s", "the same by the model", NULL},
};

static const struct dlq_field reasons[] = {
    {"cause", "text", "lock, worker, cores, drift, order or clock", NULL},
    {"text", "text", "the same in sentences", NULL},
};

static const struct dlq_field_group groups[] = {
    DLQ_FIELD_GROUP("fit", NULL, root),
    DLQ_FIELD_GROUP("fit: load, step", NULL, laws),
    DLQ_FIELD_GROUP("fit: load.tried[], step.tried[]", "All laws that were tried.", tried),
    DLQ_FIELD_GROUP("fit: overheads", NULL, overheads),
    DLQ_FIELD_GROUP("fit: replay", "From without_overheads on, only where `source` is trace and the run was replayed.",
                    replay),
    DLQ_FIELD_GROUP("fit: replay.reasons[]", "Why the model does not give what was measured, most telling first.",
                    reasons),
};

const struct dlq_field_groups dlq_fields_of_fit = {groups, sizeof groups / sizeof *groups};
