/* Fields of dlqueue timeline and dlqueue diagnose. */
#include "fields.h"

static const struct dlq_field timeline[] = {
    {"name", "text", "of the pipeline, or of the log", NULL},
    {"finding", "text", "what it shows, in a sentence", NULL},
    {"measured", "flag", "recorded in a log; false: simulated", NULL},
    {"loader", "text", "a row of `dlqueue loaders`", "the log does not tell"},
    {"loaders", "count", "N; 0: the training process loads for itself", "the log does not tell loads"},
    {"from, until", "time", "what is shown", NULL},
    {"rhythm", "object", "the waits, step by step", "there are none"},
};

static const struct dlq_field timeline_ranks[] = {
    {"rank", "count", "from 0, or as the log calls it", NULL},
    {"steps", "count", "that ended", NULL},
    {"stalls", "count", "waits for data that are long enough to count", NULL},
    {"longest_stall", "s", "whole, also where it begins earlier or ends later", NULL},
    {"stepping, waiting, receiving", "s", "of the trainer: in steps, waiting for data, receiving batches", NULL},
    {"barrier", "s", "of the trainer: waiting for other ranks", NULL},
    {"loading", "share", "time in which the loaders load / all of theirs", "the log does not tell loads"},
    {"queue_mean", "number", "batches that are ready, on average", "the log does not tell loads"},
    {"queue_most", "count", "the most that are ready; 0, too, where the log does not tell loads", NULL},
    {"held", "share", "of `waiting`: batches are ready, but behind one that is not",
     "nothing waits, or the log does not tell loads"},
};

static const struct dlq_field rhythm[] = {
    {"steps", "count", "whose waits these are", NULL},
    {"period", "count", "steps from stall to stall", "no rhythm found"},
    {"idle", "share", "time in which the trainer does not step / all time", NULL},
    {"stalled_steps", "share", "of the steps", NULL},
    {"autocorrelation[]", "number", "of the waits, at lags 0, 1, ...: from -1 to 1; none where all waits are equal",
     NULL},
};

static const struct dlq_field timeline_columns[] = {
    {"rank, epoch, batch", "count", "from 0; batch: in its epoch, as dispatched", NULL},
    {"worker", "number", "from 0; -1: the training process itself, or nothing is known of loaders", "not known which"},
    {"dispatched", "time", "when the batch was given to a loader", "the log does not tell"},
    {"load_start, load_end", "time", "when its load began and was done", "the log does not tell"},
    {"request, received", "time", "when the trainer asked for it, and had it", NULL},
    {"step_end", "time", "when the step on it had ended", NULL},
};

static const struct dlq_field diagnosis[] = {
    {"logs[]", "object",
     "only of logs of several runs: an object for each run, with all that follows, in place of the outermost one",
     NULL},
    {"log", "text", "what is diagnosed: its first log, * for the rank where its name tells one", NULL},
    {"iterations", "count", "of the rank that has most", NULL},
    {"ratio", "share", "data_time.mean / iter_time.mean", "one of them is not known"},
    {"steady_ratio", "share", "the same without first iterations of epochs", "these are not known by themselves"},
    {"together_ratio", "share",
     "the same with the longest data time of all ranks in each iteration; of windows: the largest mean of a rank",
     "one rank, or ranks do not keep step"},
    {"period", "count", "iterations from stall to stall", "no rhythm found"},
    {"stalled", "share", "of the iterations: data time over 1 % of iter_time.mean", "single iterations are not known"},
    {"of_windows", "flag", "median and p99 are those of means (or medians) over several iterations", NULL},
    {"ready_ahead", "count", "batches that were ready before the waits began; 0: no such beginning", NULL},
    {"loaders", "count", "of a rank: told by --loaders, or seen to load", "neither"},
    {"load_mean", "s", "of a batch on its worker", "the logs do not tell"},
    {"notes[]", "text", "further findings, a sentence each, the most telling first", NULL},
    {"format", "text", "of the first log: a name of `dlqueue help formats`", NULL},
    {"log_count", "count", "logs that were read", NULL},
    {"records", "count", "that were found in them", NULL},
    {"skipped", "count", "malformed lines", NULL},
};

static const struct dlq_field times[] = {
    {"mean", "s", "of an iteration; step_time: iteration less data", "the logs do not tell"},
    {"median, p99", "s", "of single iterations, or see of_windows", "the logs show sums alone, or not even these"},
};

static const struct dlq_field tail[] = {
    {"median_over_mean", "number", "of the data time; small: few iterations wait long",
     "single iterations are not known, or nothing waits"},
    {"cost", "share", "of all iteration time: data times beyond their median", "single iterations are not known"},
};

static const struct dlq_field ranks[] = {
    {"rank", "count", "as the logs call it", NULL},
    {"iterations", "count", "of this rank", NULL},
    {"ratio", "share", "data_time.mean / iter_time.mean", "one of them is not known"},
    {"slow", "flag", "waits for its data clearly longer than the median rank", NULL},
};

static const struct dlq_field verdict[] = {
    {"bound_by", "text",
     "step, load, variance, startup, serial, receive, barrier; unknown, where the logs show no data times", NULL},
    {"text", "text", "what binds, and what would help, in sentences", NULL},
    {"severity", "text", "none, small, slight, moderate or severe, by `thresholds`", NULL},
    {"lost", "share", "of the iteration time: what waiting for data costs", "not known"},
    {"loaders_needed", "number",
     "that would keep the step fed, about; if a rhythm is theirs, where the logs do not show them",
     "bound_by is neither load nor serial, or it is not known"},
};

static const struct dlq_field starts[] = {
    {"count", "count", "first iterations of epochs, that of the run included", NULL},
    {"mean", "s", "their data time", "there are none by themselves"},
    {"cost", "share", "of all iteration time: their data times", "there are none by themselves"},
};

static const struct dlq_field trend[] = {
    {"first, last", "s", "mean data time of the first and the last third of the run", "too few iterations"},
    {"ratio", "number", "last / first", "not known to differ, at 99 %, or first is 0"},
};

static const struct dlq_field workers[] = {
    {"rank, worker", "count", "which one", NULL},
    {"batches", "count", "that it loaded", NULL},
    {"load_mean", "s", "of a batch", NULL},
    {"factor", "number", "load_mean / that of the median worker", NULL},
};

static const struct dlq_field thresholds[] = {
    {"none, small, slight", "share", "of the iteration time: from there on `lost` is called so", NULL},
    {"moderate, severe", "share", "likewise", NULL},
};

static const struct dlq_field diagnosis_columns[] = {
    {"rank", "count", "as the logs call it", NULL},
    {"iterations", "count", "of this rank, or of that which has most", NULL},
    {"data_mean", "s", "as data_time.mean of --json", "the logs do not tell"},
    {"data_median, data_p99", "s", "as the others of data_time", "the logs show sums alone, or not even these"},
    {"iter_mean", "s", "as iter_time.mean", "the logs do not tell"},
    {"iter_median, iter_p99", "s", "as the others of iter_time", "the logs show sums alone, or not even these"},
    {"ratio", "share", "data_mean / iter_mean", "one of them is not known"},
    {"slow", "flag", "waits for its data clearly longer than the median rank", NULL},
    {"log", "text", "of several runs: as `log` of --json", NULL},
    {"ranks", "count", "of this run", NULL},
    {"lost", "share", "as verdict.lost", "not known"},
    {"rate", "1/s", "iterations: 1 / iter_mean", "the logs do not tell"},
    {"speedup", "number", "rate / that of the first run", "one of them is not known"},
    {"bound_by", "text", "as verdict.bound_by", NULL},
};

static const struct dlq_field_group groups[] = {
    DLQ_FIELD_GROUP("timeline", NULL, timeline),
    DLQ_FIELD_GROUP("timeline: ranks[]", "Between `from` and `until`.", timeline_ranks),
    DLQ_FIELD_GROUP("timeline: rhythm",
                    "Simulated: of all measured steps of the run, but with --waits and --from or --until of those in "
                    "between. Of a log: of the rank that waits longest.",
                    rhythm),
    DLQ_FIELD_GROUP("timeline --csv",
                    "A row for each batch that was trained on, in the order of steps. diagnose and fit read it.",
                    timeline_columns),
    DLQ_FIELD_GROUP("diagnose", NULL, diagnosis),
    DLQ_FIELD_GROUP("diagnose: data_time, iter_time, step_time, ranks[].data_time, ranks[].iter_time", NULL, times),
    DLQ_FIELD_GROUP("diagnose: tail", NULL, tail),
    DLQ_FIELD_GROUP("diagnose: ranks[]", NULL, ranks),
    DLQ_FIELD_GROUP("diagnose: verdict", NULL, verdict),
    DLQ_FIELD_GROUP("diagnose: epoch_starts", NULL, starts),
    DLQ_FIELD_GROUP("diagnose: trend", NULL, trend),
    DLQ_FIELD_GROUP("diagnose: slow_workers[]", "Those that load clearly longer than the median one, worst first.",
                    workers),
    DLQ_FIELD_GROUP("diagnose: thresholds", NULL, thresholds),
    DLQ_FIELD_GROUP("diagnose --csv", "A row for each rank (rank to slow); of logs of several runs a row for each run.",
                    diagnosis_columns),
};

const struct dlq_field_groups dlq_fields_of_logs = {groups, sizeof groups / sizeof *groups};
