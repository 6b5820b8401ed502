/* Fields of dlqueue timeline and dlqueue diagnose. */
#include "figures.h"

#define TOLD(names, kind_of, meaning, none)                                                                            \
    {                                                                                                                  \
        .name = (names), .kind = DLQ_FIGURE_TOLD, .unit = (kind_of), .help = (meaning), .absent = (none)               \
    }

static const struct dlq_figure timeline[] = {
    TOLD("name", "text", "of the pipeline, or of the log", NULL),
    TOLD("finding", "text", "what it shows, in a sentence", NULL),
    TOLD("measured", "flag", "recorded in a log; false: simulated", NULL),
    TOLD("loader", "text", "a row of `dlqueue loaders`", "the log does not tell"),
    TOLD("loaders", "count", "N; 0: the training process loads for itself", "the log does not tell loads"),
    TOLD("from, until", "time", "what is shown", NULL),
    TOLD("rhythm", "object", "the waits, step by step", "there are none"),
};

static const struct dlq_figure timeline_ranks[] = {
    TOLD("rank", "count", "from 0, or as the log calls it", NULL),
    TOLD("steps", "count", "that ended", NULL),
    TOLD("stalls", "count", "waits for data that are long enough to count", NULL),
    TOLD("longest_stall", "s", "whole, also where it begins earlier or ends later", NULL),
    TOLD("stepping, waiting, receiving", "s", "of the trainer: in steps, waiting for data, receiving batches", NULL),
    TOLD("barrier", "s", "of the trainer: waiting for other ranks", NULL),
    TOLD("loading", "share", "time in which the loaders load / all of theirs", "the log does not tell loads"),
    TOLD("queue_mean", "number", "batches that are ready, on average", "the log does not tell loads"),
    TOLD("queue_most", "count", "the most that are ready; 0, too, where the log does not tell loads", NULL),
    TOLD("held", "share", "of `waiting`: batches are ready, but behind one that is not",
         "nothing waits, or the log does not tell loads"),
};

static const struct dlq_figure rhythm[] = {
    TOLD("steps", "count", "whose waits these are", NULL),
    TOLD("period", "count", "steps from stall to stall", "no rhythm found"),
    TOLD("idle", "share", "time in which the trainer does not step / all time", NULL),
    TOLD("stalled_steps", "share", "of the steps", NULL),
    TOLD("autocorrelation[]", "number", "of the waits, at lags 0, 1, ...: from -1 to 1; none where all waits are equal",
         NULL),
};

static const struct dlq_figure timeline_columns[] = {
    TOLD("rank, epoch, batch", "count", "from 0; batch: in its epoch, as dispatched", NULL),
    TOLD("worker", "number", "from 0; -1: the training process itself, or nothing is known of loaders",
         "not known which"),
    TOLD("dispatched", "time", "when the batch was given to a loader", "the log does not tell"),
    TOLD("load_start, load_end", "time", "when its load began and was done", "the log does not tell"),
    TOLD("request, received", "time", "when the trainer asked for it, and had it", NULL),
    TOLD("step_end", "time", "when the step on it had ended", NULL),
};

static const struct dlq_figure diagnosis[] = {
    TOLD("logs[]", "object",
         "only of logs of several runs: an object for each run, with all that follows, in place of the outermost one",
         NULL),
    TOLD("log", "text", "what is diagnosed: its first log, * for the rank where its name tells one", NULL),
    TOLD("iterations", "count", "of the rank that has most", NULL),
    TOLD("ratio", "share", "data_time.mean / iter_time.mean", "one of them is not known"),
    TOLD("steady_ratio", "share", "the same without first iterations of epochs", "these are not known by themselves"),
    TOLD("together_ratio", "share",
         "the same with the longest data time of all ranks in each iteration; of windows: the largest mean of a rank",
         "one rank, or ranks do not keep step"),
    TOLD("period", "count", "iterations from stall to stall", "no rhythm found"),
    TOLD("stalled", "share", "of the iterations: data time over 1 % of iter_time.mean",
         "single iterations are not known"),
    TOLD("of_windows", "flag", "median and p99 are those of means (or medians) over several iterations", NULL),
    TOLD("ready_ahead", "count", "batches that were ready before the waits began; 0: no such beginning", NULL),
    TOLD("loaders", "count", "of a rank: told by --loaders, or seen to load", "neither"),
    TOLD("load_mean", "s", "of a batch on its worker", "the logs do not tell"),
    TOLD("notes[]", "text", "further findings, a sentence each, the most telling first", NULL),
    TOLD("format", "text", "of the first log: a name of `dlqueue help formats`", NULL),
    TOLD("log_count", "count", "logs that were read", NULL),
    TOLD("records", "count", "that were found in them", NULL),
    TOLD("skipped", "count", "malformed lines", NULL),
};

static const struct dlq_figure times[] = {
    TOLD("mean", "s", "of an iteration; step_time: iteration less data", "the logs do not tell"),
    TOLD("median, p99", "s", "of single iterations, or see of_windows", "the logs show sums alone, or not even these"),
};

static const struct dlq_figure tail[] = {
    TOLD("median_over_mean", "number", "of the data time; small: few iterations wait long",
         "single iterations are not known, or nothing waits"),
    TOLD("cost", "share", "of all iteration time: data times beyond their median", "single iterations are not known"),
};

static const struct dlq_figure ranks[] = {
    TOLD("rank", "count", "as the logs call it", NULL),
    TOLD("iterations", "count", "of this rank", NULL),
    TOLD("ratio", "share", "data_time.mean / iter_time.mean", "one of them is not known"),
    TOLD("slow", "flag", "waits for its data clearly longer than the median rank", NULL),
};

static const struct dlq_figure verdict[] = {
    TOLD("bound_by", "text",
         "step, load, variance, startup, serial, receive, barrier; unknown, where the logs show no data times", NULL),
    TOLD("text", "text", "what binds, and what would help, in sentences", NULL),
    TOLD("severity", "text", "none, small, slight, moderate or severe, by `thresholds`", NULL),
    TOLD("lost", "share", "of the iteration time: what waiting for data costs", "not known"),
    TOLD("loaders_needed", "number",
         "that would keep the step fed, about; if a rhythm is theirs, where the logs do not show them",
         "bound_by is neither load nor serial, or it is not known"),
};

static const struct dlq_figure starts[] = {
    TOLD("count", "count", "first iterations of epochs, that of the run included", NULL),
    TOLD("mean", "s", "their data time", "there are none by themselves"),
    TOLD("cost", "share", "of all iteration time: their data times", "there are none by themselves"),
};

static const struct dlq_figure trend[] = {
    TOLD("first, last", "s", "mean data time of the first and the last third of the run", "too few iterations"),
    TOLD("ratio", "number", "last / first", "not known to differ, at 99 %, or first is 0"),
};

static const struct dlq_figure workers[] = {
    TOLD("rank, worker", "count", "which one", NULL),
    TOLD("batches", "count", "that it loaded", NULL),
    TOLD("load_mean", "s", "of a batch", NULL),
    TOLD("factor", "number", "load_mean / that of the median worker", NULL),
};

static const struct dlq_figure thresholds[] = {
    TOLD("none, small, slight", "share", "of the iteration time: from there on `lost` is called so", NULL),
    TOLD("moderate, severe", "share", "likewise", NULL),
};

static const struct dlq_figure diagnosis_columns[] = {
    TOLD("rank", "count", "as the logs call it", NULL),
    TOLD("iterations", "count", "of this rank, or of that which has most", NULL),
    TOLD("data_mean", "s", "as data_time.mean of --json", "the logs do not tell"),
    TOLD("data_median, data_p99", "s", "as the others of data_time", "the logs show sums alone, or not even these"),
    TOLD("iter_mean", "s", "as iter_time.mean", "the logs do not tell"),
    TOLD("iter_median, iter_p99", "s", "as the others of iter_time", "the logs show sums alone, or not even these"),
    TOLD("ratio", "share", "data_mean / iter_mean", "one of them is not known"),
    TOLD("slow", "flag", "waits for its data clearly longer than the median rank", NULL),
    TOLD("log", "text", "of several runs: as `log` of --json", NULL),
    TOLD("ranks", "count", "of this run", NULL),
    TOLD("lost", "share", "as verdict.lost", "not known"),
    TOLD("rate", "1/s", "iterations: 1 / iter_mean", "the logs do not tell"),
    TOLD("speedup", "number", "rate / that of the first run", "one of them is not known"),
    TOLD("bound_by", "text", "as verdict.bound_by", NULL),
};

static const struct dlq_figures of_timeline = DLQ_FIGURES("timeline", NULL, timeline);
static const struct dlq_figures of_timeline_ranks =
    DLQ_FIGURES("timeline: ranks[]", "Between `from` and `until`.", timeline_ranks);
static const struct dlq_figures of_rhythm =
    DLQ_FIGURES("timeline: rhythm",
                "Simulated: of all measured steps of the run, but with --waits and --from or --until of those in "
                "between. Of a log: of the rank that waits longest.",
                rhythm);
static const struct dlq_figures of_timeline_columns = DLQ_FIGURES(
    "timeline --csv", "A row for each batch that was trained on, in the order of steps. diagnose and fit read it.",
    timeline_columns);
static const struct dlq_figures of_diagnosis = DLQ_FIGURES("diagnose", NULL, diagnosis);
static const struct dlq_figures of_times =
    DLQ_FIGURES("diagnose: data_time, iter_time, step_time, ranks[].data_time, ranks[].iter_time", NULL, times);
static const struct dlq_figures of_tail = DLQ_FIGURES("diagnose: tail", NULL, tail);
static const struct dlq_figures of_ranks = DLQ_FIGURES("diagnose: ranks[]", NULL, ranks);
static const struct dlq_figures of_verdict = DLQ_FIGURES("diagnose: verdict", NULL, verdict);
static const struct dlq_figures of_starts = DLQ_FIGURES("diagnose: epoch_starts", NULL, starts);
static const struct dlq_figures of_trend = DLQ_FIGURES("diagnose: trend", NULL, trend);
static const struct dlq_figures of_workers = DLQ_FIGURES(
    "diagnose: slow_workers[]", "Those that load clearly longer than the median one, worst first.", workers);
static const struct dlq_figures of_thresholds = DLQ_FIGURES("diagnose: thresholds", NULL, thresholds);
static const struct dlq_figures of_diagnosis_columns =
    DLQ_FIGURES("diagnose --csv", "A row for each rank (rank to slow); of logs of several runs a row for each run.",
                diagnosis_columns);

const struct dlq_figures *const dlq_figures_of_logs[] = {
    &of_timeline, &of_timeline_ranks, &of_rhythm,     &of_timeline_columns,  &of_diagnosis,
    &of_times,    &of_tail,           &of_ranks,      &of_verdict,           &of_starts,
    &of_trend,    &of_workers,        &of_thresholds, &of_diagnosis_columns, NULL};
