/* Fields of dlqueue fit. */
#include "figures.h"

#define TOLD(names, kind_of, meaning, none)                                                                            \
    {                                                                                                                  \
        .name = (names), .kind = DLQ_FIGURE_TOLD, .unit = (kind_of), .help = (meaning), .absent = (none)               \
    }

static const struct dlq_figure root[] = {
    TOLD("config", "text", "the configuration, as a file would hold it", NULL),
    TOLD("source", "text", "of the load times: trace, waits, windows (all three of logs) or stopwatch", NULL),
    TOLD("loader", "text", "a row of `dlqueue loaders`", NULL),
    TOLD("loaders", "count", "N; 0: the training process loads for itself", NULL),
    TOLD("loaders_known", "flag", "told, or seen in the logs; false: assumed", NULL),
    TOLD("prefetch", "count", "p", "the loader has none"),
    TOLD("ranks", "count", "R", NULL),
    TOLD("predicted_run", "~ 1/s",
         "batches of one rank, by the fitted model in as many batches; low to high: 95 % of such runs", NULL),
    TOLD("suffices", "count", "the fewest loaders that reach a utilization of 95 %",
         "none of as many as are tried, loads exclude one another or are fetched several at once, or loaders_known is "
         "false"),
    TOLD("headroom", "number", "of stopwatches: how many times as fast training could run if loading cost nothing",
         "the source is another"),
    TOLD("warnings[]", "text", "what to mind with these figures", NULL),
};

static const struct dlq_figure laws[] = {
    TOLD("distribution", "text", "a row of `dlqueue distributions`; with a second stage \"NAME + NAME tail\"", NULL),
    TOLD("parameters.*", "number", "as in a configuration, times in seconds; tail.*: of the second stage", NULL),
    TOLD("mean", "s", "of the law", NULL),
    TOLD("cv", "number", "of the law: coefficient of variation", "the variance is infinite"),
    TOLD("median, p99", "s", "of the law", NULL),
    TOLD("ks", "share", "largest distance between law and measurements (Kolmogorov-Smirnov)",
         "there is nothing to compare with"),
    TOLD("n", "count", "measurements, or batches whose loads are known or bounded", NULL),
    TOLD("mean_low, mean_high", "s", "95 % interval of the mean; from 0 where there is but a bound", NULL),
    TOLD("only_bound", "flag", "the mean is no more than an upper bound", NULL),
};

static const struct dlq_figure tried[] = {
    TOLD("distribution", "text", "the best first", NULL),
    TOLD("aic_above", "number", "Akaike's criterion above that of the best", "not compared by likelihood"),
    TOLD("ks", "share", "as above", "there is nothing to compare with"),
};

static const struct dlq_figure overheads[] = {
    TOLD("dispatch, deliver, receive", "s", "means; 0 where the logs do not tell", NULL),
    TOLD("startup, barrier", "s", "likewise", NULL),
};

static const struct dlq_figure replay[] = {
    TOLD("measured", "1/s", "batches of one rank", "two stopwatch runs, or logs without iteration times"),
    TOLD("predicted", "1/s", "the same by the model; without a trace its mean, predicted_run.value", NULL),
    TOLD("error", "number", "predicted / measured - 1", "measured is"),
    TOLD("without_overheads", "1/s", "predicted, had no overhead been measured", NULL),
    TOLD("batches", "count", "of one rank, that were replayed", NULL),
    TOLD("wait_mean_measured", "s", "wait for data before a step", NULL),
    TOLD("wait_mean_predicted", "s", "the same by the model", NULL),
    TOLD("wait_p99_measured", "s", "its quantile", NULL),
    TOLD("wait_p99_predicted", "s", "the same by the model", NULL),
};

static const struct dlq_figure reasons[] = {
    TOLD("cause", "text", "lock, worker, cores, drift, order or clock", NULL),
    TOLD("text", "text", "the same in sentences", NULL),
};

static const struct dlq_figures of_root = DLQ_FIGURES("fit", NULL, root);
static const struct dlq_figures of_laws = DLQ_FIGURES("fit: load, step", NULL, laws);
static const struct dlq_figures of_tried =
    DLQ_FIGURES("fit: load.tried[], step.tried[]", "All laws that were tried.", tried);
static const struct dlq_figures of_overheads = DLQ_FIGURES("fit: overheads", NULL, overheads);
static const struct dlq_figures of_replay = DLQ_FIGURES(
    "fit: replay", "From without_overheads on, only where `source` is trace and the run was replayed.", replay);
static const struct dlq_figures of_reasons =
    DLQ_FIGURES("fit: replay.reasons[]", "Why the model does not give what was measured, most telling first.", reasons);

const struct dlq_figures *const dlq_figures_of_fit[] = {&of_root,   &of_laws,    &of_tried, &of_overheads,
                                                        &of_replay, &of_reasons, NULL};
