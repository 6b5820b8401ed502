/* Figures of `dlqueue timeline`. */
#include "report/figures.h"
#include "report/timeline.h"

#include <stddef.h>

#define OF(member) offsetof(struct dlq_timeline_summary, member)
static const struct dlq_figure summary[] = {
    DLQ_ROW("rank", COUNT, OF(rank), NULL, "from 0, or as in the log"),
    DLQ_ROW("steps", COUNT, OF(steps), NULL, "steps that ended"),
    DLQ_ROW("stalls", COUNT, OF(stalls), NULL, "long waits for data"),
    DLQ_ROW("longest_stall", NUMBER, OF(longest_stall), "s",
            "the longest wait, including its part outside `from` to `until`"),
    DLQ_ROW("stepping", NUMBER, OF(stepping), "s",
            "time of the trainer in steps, in waits for data, in receiving batches"),
    DLQ_ROW("waiting", NUMBER, OF(waiting), .alike = true),
    DLQ_ROW("receiving", NUMBER, OF(receiving), .alike = true),
    DLQ_ROW("barrier", NUMBER, OF(barrier), "s", "time of the trainer in waits for other ranks"),
    DLQ_ROW("pausing", NUMBER, OF(pausing), "s", "time of the trainer in pauses, which `stepping` does not contain"),
    DLQ_ROW("loading", NUMBER, OF(loading), "share", "time in which the loaders load / all their time",
            "the log has no loads"),
    DLQ_ROW("queue_mean", NUMBER, OF(queue_mean), NULL, "ready batches, on average", "the log has no loads"),
    DLQ_ROW("queue_most", COUNT, OF(queue_most), NULL, "the most ready batches; 0 also if the log has no loads"),
    DLQ_ROW("held", NUMBER, OF(held), "share", "part of `waiting` in which loaded batches wait for an earlier one",
            "nothing waits, or the log has no loads"),
};
#undef OF
static const struct dlq_figures of_summary =
    DLQ_FIGURES("timeline: ranks[], against.ranks[]", "Between `from` and `until`.", summary);

#define OF(member) offsetof(struct dlq_rhythm, member)
static const struct dlq_figure rhythm[] = {
    DLQ_ROW("steps", SIZE, OF(count), NULL, "number of steps with a wait"),
    DLQ_ROW("period", NUMBER, OF(period), "count", "steps from stall to stall", "no rhythm found"),
    DLQ_ROW("idle", NUMBER, OF(idle), "share", "time in which the trainer neither steps nor pauses / all time"),
    DLQ_ROW("stalled_steps", NUMBER, OF(stalled), "share", "steps with a long wait / all steps"),
    DLQ_ROW("autocorrelation", NUMBERS, OF(acf), "number",
            "of the waits at lags 0, 1, ..., from -1 to 1; empty if all waits are equal", .count_at = OF(acf_count),
            .by_pointer = true),
};
#undef OF
static const struct dlq_figures of_rhythm = DLQ_FIGURES(
    "timeline: rhythm",
    "All measured steps of a simulated run, or with --waits those between --from and --until; for a log the rank "
    "that waits longest.",
    rhythm);

#define OF(member) offsetof(struct dlq_path_worker, member)
static const struct dlq_figure path_worker[] = {
    DLQ_ROW("rank", COUNT, OF(rank), NULL, "the number of the rank"),
    DLQ_ROW("worker", COUNT, OF(worker), NULL, "from 0"),
    DLQ_ROW("share", NUMBER, OF(share), "share", "share of the time on the path in loads of the worker"),
};
#undef OF
static const struct dlq_figures of_path_worker =
    DLQ_FIGURES("timeline: critical_path.workers[]", "At most 8, the largest share first.", path_worker);

#define SHARE(part) offsetof(struct dlq_timeline_path, share) + DLQ_PATH_##part * sizeof(double)
#define OF(member) offsetof(struct dlq_timeline_path, member)
static const struct dlq_figure path[] = {
    DLQ_ROW("from", NUMBER, OF(from), "time", "where the path starts"),
    DLQ_ROW("until", NUMBER, OF(until), "time", "where the path ends"),
    DLQ_ROW("step", NUMBER, SHARE(STEP), "share",
            "share of the time in steps, in pauses, in waits for ranks, in receiving"),
    DLQ_ROW("pause", NUMBER, SHARE(PAUSE), .alike = true),
    DLQ_ROW("barrier", NUMBER, SHARE(BARRIER), .alike = true),
    DLQ_ROW("receive", NUMBER, SHARE(RECEIVE), .alike = true),
    DLQ_ROW("deliver", NUMBER, SHARE(DELIVERY), "share",
            "from the end of a load until the trainer can receive the batch"),
    DLQ_ROW("load", NUMBER, SHARE(LOAD), "share", "in loads, at full speed"),
    DLQ_ROW("slowdown", NUMBER, SHARE(SLOWDOWN), "share", "time that slow phases add to loads"),
    DLQ_ROW("startup", NUMBER, SHARE(STARTUP), "share", "in starts of loaders when an epoch begins"),
    DLQ_ROW("other", NUMBER, SHARE(OTHER), "share", "in none of these"),
    DLQ_ROW("slow_batches", SIZE, OF(slow_count), NULL,
            "batches on the path whose loads take over twice the median load"),
    DLQ_ROW("slow_part", NUMBER, OF(slow_fraction), "share", "slow_batches / all loads in that time"),
    DLQ_ROW("slow_share", NUMBER, OF(slow_share), "share", "share of the time in loads of slow batches"),
    DLQ_ROW("workers", LIST, OF(workers), .of = &of_path_worker, .count_at = OF(worker_count),
            .stride = sizeof(struct dlq_path_worker)),
};
#undef OF
static const struct dlq_figures of_path =
    DLQ_FIGURES("timeline: critical_path", "With --path: where the elapsed time goes.", path);

#define OF(member) offsetof(struct dlq_timeline_answer, member)
static const struct dlq_figure against[] = {
    DLQ_ROW("in_order", FLAG, OF(timeline.in_order), NULL, "batches are delivered in order; false: by completion"),
    DLQ_ROW("ranks", LIST, OF(summaries), NULL, "as `ranks` of the configured run", NULL, NULL, &of_summary,
            .count_at = OF(timeline.rank_count), .stride = sizeof(struct dlq_timeline_summary), .by_pointer = true),
};
#undef OF
static const struct dlq_figures of_against =
    DLQ_FIGURES("timeline: against", "With --against: the other order of delivery, on the same draws.", against);

DLQ_MISSING(no_other, object, struct dlq_timeline_answer, it->against == NULL)
DLQ_MISSING(no_path, object, struct dlq_timeline_answer, it->path.count == 0)
DLQ_MISSING(no_loads, object, struct dlq_timeline_answer, it->timeline.workers <= 0)
DLQ_MISSING(no_rhythm, object, struct dlq_timeline_answer, it->rhythm.count == 0)
#define OF(member) offsetof(struct dlq_timeline_answer, member)
static const struct dlq_figure timeline[] = {
    DLQ_ROW("name", LETTERS, OF(name), NULL, "name of the pipeline or of the log"),
    DLQ_ROW("finding", LETTERS, OF(title), NULL, "what the timeline shows, in a sentence"),
    DLQ_ROW("measured", FLAG, OF(timeline.measured), NULL, "recorded in a log; false: simulated"),
    DLQ_ROW("loader", WORD, OF(timeline.loader), NULL, "a row of `dlqueue loaders`", "the log does not say"),
    DLQ_ROW("loaders", COUNT, OF(timeline.loaders), NULL, "N; 0: the training process loads for itself",
            "the log has no loads", no_loads),
    DLQ_ROW("from", NUMBER, OF(timeline.from), "time", "start and end of what is shown"),
    DLQ_ROW("until", NUMBER, OF(timeline.until), .alike = true),
    DLQ_ROW("ranks", LIST, OF(summaries), .of = &of_summary, .count_at = OF(timeline.rank_count),
            .stride = sizeof(struct dlq_timeline_summary), .by_pointer = true),
    DLQ_ROW("rhythm", OBJECT, OF(rhythm), NULL, "the waits of the steps", "there are no waits", no_rhythm, &of_rhythm),
    DLQ_ROW("critical_path", OBJECT, OF(path), NULL, "the parts of the critical path", "--path is not given", no_path,
            &of_path),
    DLQ_ROW("against", OBJECT, OF(against), NULL, "the run in the other order of delivery", NULL, no_other, &of_against,
            .by_pointer = true, .omitted = true),
};
#undef OF
const struct dlq_figures dlq_figures_timeline = DLQ_FIGURES("timeline", NULL, timeline);

DLQ_MISSING(no_rank, object, struct dlq_timeline_row, it->rank < 0)
DLQ_MISSING(no_epoch, object, struct dlq_timeline_row, it->batch.epoch < 0)
DLQ_MISSING(no_batch, object, struct dlq_timeline_row, it->batch.index < 0)
DLQ_MISSING(no_worker, object, struct dlq_timeline_row, it->batch.worker < 0 && !it->serial)
#define OF(member) offsetof(struct dlq_timeline_row, member)
static const struct dlq_figure timeline_columns[] = {
    DLQ_ROW("rank", COUNT, OF(rank), NULL, "from 0; batch: number in the epoch, as dispatched", .missing = no_rank),
    DLQ_ROW("epoch", COUNT, OF(batch.epoch), .alike = true, .missing = no_epoch),
    DLQ_ROW("batch", COUNT, OF(batch.index), .alike = true, .missing = no_batch),
    DLQ_ROW("worker", COUNT, OF(batch.worker), "number", "from 0; -1: the training process, or the log has no workers",
            "not known", no_worker),
    DLQ_ROW("dispatched", NUMBER, OF(batch.dispatched), "time", "when the batch was given to a loader",
            "the log does not say"),
    DLQ_ROW("load_start", NUMBER, OF(batch.load_start), "time", "when the load began and ended",
            "the log does not say"),
    DLQ_ROW("load_end", NUMBER, OF(batch.load_end), "time", .alike = true),
    DLQ_ROW("request", NUMBER, OF(batch.request), "time",
            "when the trainer requested the batch, and when the trainer had it"),
    DLQ_ROW("received", NUMBER, OF(batch.received), "time", .alike = true),
    DLQ_ROW("step_end", NUMBER, OF(batch.step_end), "time", "when the step on the batch ended"),
};
#undef OF
const struct dlq_figures dlq_figures_timeline_columns =
    DLQ_FIGURES("timeline --csv",
                "A row for each batch that was trained on, in the order of steps; diagnose and fit read this table.",
                timeline_columns);
