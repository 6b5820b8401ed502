/* Figures of dlqueue timeline. */
#include "report/figures.h"
#include "report/timeline.h"

#include <stddef.h>

#define S(member) offsetof(struct dlq_timeline_summary, member)
static const struct dlq_figure summary[] = {
    DLQ_ROW("rank", COUNT, S(rank), NULL, "from 0, or as the log calls it"),
    DLQ_ROW("steps", COUNT, S(steps), NULL, "that ended"),
    DLQ_ROW("stalls", COUNT, S(stalls), NULL, "waits for data that are long enough to count"),
    DLQ_ROW("longest_stall", NUMBER, S(longest_stall), "s", "whole, also where it begins earlier or ends later"),
    DLQ_ROW("stepping", NUMBER, S(stepping), "s", "of the trainer: in steps, waiting for data, receiving batches"),
    DLQ_ROW("waiting", NUMBER, S(waiting), .alike = true),
    DLQ_ROW("receiving", NUMBER, S(receiving), .alike = true),
    DLQ_ROW("barrier", NUMBER, S(barrier), "s", "of the trainer: waiting for other ranks"),
    DLQ_ROW("pausing", NUMBER, S(pausing), "s", "of the trainer: in pauses, which are not part of `stepping`"),
    DLQ_ROW("loading", NUMBER, S(loading), "share", "time in which the loaders load / all of theirs",
            "the log does not tell loads"),
    DLQ_ROW("queue_mean", NUMBER, S(queue_mean), NULL, "batches that are ready, on average",
            "the log does not tell loads"),
    DLQ_ROW("queue_most", COUNT, S(queue_most), NULL,
            "the most that are ready; 0, too, where the log does not tell loads"),
    DLQ_ROW("held", NUMBER, S(held), "share", "of `waiting`: batches are ready, but behind one that is not",
            "nothing waits, or the log does not tell loads"),
};
static const struct dlq_figures of_summary = DLQ_FIGURES("timeline: ranks[]", "Between `from` and `until`.", summary);

#define R(member) offsetof(struct dlq_rhythm, member)
static const struct dlq_figure rhythm[] = {
    DLQ_ROW("steps", SIZE, R(count), NULL, "whose waits these are"),
    DLQ_ROW("period", NUMBER, R(period), "count", "steps from stall to stall", "no rhythm found"),
    DLQ_ROW("idle", NUMBER, R(idle), "share", "time in which the trainer neither steps nor pauses / all time"),
    DLQ_ROW("stalled_steps", NUMBER, R(stalled), "share", "of the steps"),
    DLQ_ROW("autocorrelation", NUMBERS, R(acf), "number",
            "of the waits, at lags 0, 1, ...: from -1 to 1; none where all waits are equal", .count_at = R(acf_count),
            .by_pointer = true),
};
static const struct dlq_figures of_rhythm =
    DLQ_FIGURES("timeline: rhythm",
                "Simulated: of all measured steps of the run, but with --waits and --from or --until of those in "
                "between. Of a log: of the rank that waits longest.",
                rhythm);

#define PW(member) offsetof(struct dlq_path_worker, member)
static const struct dlq_figure path_worker[] = {
    DLQ_ROW("rank", COUNT, PW(rank), NULL, "its number"),
    DLQ_ROW("worker", COUNT, PW(worker), NULL, "from 0"),
    DLQ_ROW("share", NUMBER, PW(share), "share", "of the time between: in its loads"),
};
static const struct dlq_figures of_path_worker =
    DLQ_FIGURES("timeline: critical_path.workers[]", "At most 8, those with the largest share first.", path_worker);

#define P(part) offsetof(struct dlq_timeline_path, share) + (part) * sizeof(double)
#define Q(member) offsetof(struct dlq_timeline_path, member)
static const struct dlq_figure path[] = {
    DLQ_ROW("from", NUMBER, Q(from), "time", "how far back it is recorded"),
    DLQ_ROW("until", NUMBER, Q(until), "time", "where it ends"),
    DLQ_ROW("step", NUMBER, P(DLQ_PATH_STEP), "share",
            "of the time between: in steps, in pauses, waiting for ranks, receiving"),
    DLQ_ROW("pause", NUMBER, P(DLQ_PATH_PAUSE), .alike = true),
    DLQ_ROW("barrier", NUMBER, P(DLQ_PATH_BARRIER), .alike = true),
    DLQ_ROW("receive", NUMBER, P(DLQ_PATH_RECEIVE), .alike = true),
    DLQ_ROW("deliver", NUMBER, P(DLQ_PATH_DELIVERY), "share", "from the end of a load until the trainer can take it"),
    DLQ_ROW("load", NUMBER, P(DLQ_PATH_LOAD), "share", "in loads, at full speed"),
    DLQ_ROW("slowdown", NUMBER, P(DLQ_PATH_SLOWDOWN), "share", "what slow phases add to them"),
    DLQ_ROW("startup", NUMBER, P(DLQ_PATH_STARTUP), "share", "of loaders, when an epoch begins"),
    DLQ_ROW("other", NUMBER, P(DLQ_PATH_OTHER), "share", "between these"),
    DLQ_ROW("slow_batches", SIZE, Q(slow_count), NULL, "on it: their loads take over twice the median load"),
    DLQ_ROW("slow_part", NUMBER, Q(slow_part), "share", "slow_batches / all loads in between"),
    DLQ_ROW("slow_share", NUMBER, Q(slow_share), "share", "of the time between: in their loads"),
    DLQ_ROW("workers", LIST, Q(workers), .of = &of_path_worker, .count_at = Q(worker_count),
            .stride = sizeof(struct dlq_path_worker)),
};
static const struct dlq_figures of_path =
    DLQ_FIGURES("timeline: critical_path", "With --path: what the elapsed time runs through.", path);

DLQ_MISSING(no_path, object, struct dlq_timeline_answer, it->path.count == 0)
DLQ_MISSING(no_loads, object, struct dlq_timeline_answer, it->timeline.workers <= 0)
DLQ_MISSING(no_rhythm, object, struct dlq_timeline_answer, it->rhythm.count == 0)
#define T(member) offsetof(struct dlq_timeline_answer, member)
static const struct dlq_figure timeline[] = {
    DLQ_ROW("name", LETTERS, T(name), NULL, "of the pipeline, or of the log"),
    DLQ_ROW("finding", LETTERS, T(title), NULL, "what it shows, in a sentence"),
    DLQ_ROW("measured", FLAG, T(timeline.measured), NULL, "recorded in a log; false: simulated"),
    DLQ_ROW("loader", WORD, T(timeline.loader), NULL, "a row of `dlqueue loaders`", "the log does not tell"),
    DLQ_ROW("loaders", COUNT, T(timeline.loaders), NULL, "N; 0: the training process loads for itself",
            "the log does not tell loads", no_loads),
    DLQ_ROW("from", NUMBER, T(timeline.from), "time", "what is shown"),
    DLQ_ROW("until", NUMBER, T(timeline.until), .alike = true),
    DLQ_ROW("ranks", LIST, T(summaries), .of = &of_summary, .count_at = T(timeline.rank_count),
            .stride = sizeof(struct dlq_timeline_summary), .by_pointer = true),
    DLQ_ROW("rhythm", OBJECT, T(rhythm), NULL, "the waits, step by step", "there are none", no_rhythm, &of_rhythm),
    DLQ_ROW("critical_path", OBJECT, T(path), NULL, "its parts", "--path is not given", no_path, &of_path),
};
const struct dlq_figures dlq_figures_timeline = DLQ_FIGURES("timeline", NULL, timeline);

DLQ_MISSING(no_rank, object, struct dlq_timeline_row, it->rank < 0)
DLQ_MISSING(no_epoch, object, struct dlq_timeline_row, it->batch.epoch < 0)
DLQ_MISSING(no_batch, object, struct dlq_timeline_row, it->batch.index < 0)
DLQ_MISSING(no_worker, object, struct dlq_timeline_row, it->batch.worker < 0 && !it->serial)
#define B(member) offsetof(struct dlq_timeline_row, batch.member)
static const struct dlq_figure timeline_columns[] = {
    DLQ_ROW("rank", COUNT, offsetof(struct dlq_timeline_row, rank), NULL, "from 0; batch: in its epoch, as dispatched",
            .missing = no_rank),
    DLQ_ROW("epoch", COUNT, B(epoch), .alike = true, .missing = no_epoch),
    DLQ_ROW("batch", COUNT, B(index), .alike = true, .missing = no_batch),
    DLQ_ROW("worker", COUNT, B(worker), "number",
            "from 0; -1: the training process itself, or nothing is known of loaders", "not known which", no_worker),
    DLQ_ROW("dispatched", NUMBER, B(dispatched), "time", "when the batch was given to a loader",
            "the log does not tell"),
    DLQ_ROW("load_start", NUMBER, B(load_start), "time", "when its load began and was done", "the log does not tell"),
    DLQ_ROW("load_end", NUMBER, B(load_end), "time", .alike = true),
    DLQ_ROW("request", NUMBER, B(request), "time", "when the trainer asked for it, and had it"),
    DLQ_ROW("received", NUMBER, B(received), "time", .alike = true),
    DLQ_ROW("step_end", NUMBER, B(step_end), "time", "when the step on it had ended"),
};
const struct dlq_figures dlq_figures_timeline_columns = DLQ_FIGURES(
    "timeline --csv", "A row for each batch that was trained on, in the order of steps. diagnose and fit read it.",
    timeline_columns);
