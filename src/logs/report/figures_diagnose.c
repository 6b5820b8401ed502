/* Figures of dlqueue diagnose. */
#include "logs/report/diagnose_report.h"

#define M(member) offsetof(struct dlq_times, member)
static const struct dlq_figure times[] = {
    DLQ_ROW("mean", NUMBER, M(mean), "s", "of an iteration; step_time: iteration less data", "the logs do not tell"),
    DLQ_ROW("median", NUMBER, M(median), "s", "of single iterations, or see of_windows",
            "the logs show sums alone, or not even these"),
    DLQ_ROW("p99", NUMBER, M(p99), .alike = true),
};
static const struct dlq_figures of_times =
    DLQ_FIGURES("diagnose: data_time, iter_time, step_time, ranks[].data_time, ranks[].iter_time", NULL, times);

#define K(member) offsetof(struct dlq_rank_diagnosis, member)
static const struct dlq_figure rank[] = {
    DLQ_ROW("rank", COUNT, K(rank), NULL, "as the logs call it"),
    DLQ_ROW("iterations", COUNT, K(iterations), NULL, "of this rank"),
    DLQ_ROW("data_time", OBJECT, K(data_time), .of = &of_times),
    DLQ_ROW("iter_time", OBJECT, K(iter_time), .of = &of_times),
    DLQ_ROW("ratio", NUMBER, K(ratio), "share", "data_time.mean / iter_time.mean", "one of them is not known"),
    DLQ_ROW("slow", FLAG, K(slow), NULL, "waits for its data clearly longer than the median rank"),
};
static const struct dlq_figures of_rank = DLQ_FIGURES("diagnose: ranks[]", NULL, rank);

#define W(member) offsetof(struct dlq_worker_diagnosis, member)
static const struct dlq_figure worker[] = {
    DLQ_ROW("rank", COUNT, W(rank), NULL, "which one"),
    DLQ_ROW("worker", COUNT, W(worker), .alike = true),
    DLQ_ROW("batches", COUNT, W(batches), NULL, "that it loaded"),
    DLQ_ROW("load_mean", NUMBER, W(load_mean), "s", "of a batch"),
    DLQ_ROW("factor", NUMBER, W(factor), NULL, "load_mean / that of the median worker"),
};
static const struct dlq_figures of_worker =
    DLQ_FIGURES("diagnose: slow_workers[]", "Those that load clearly longer than the median one, worst first.", worker);

#define D(member) offsetof(struct dlq_diagnosed, diagnosis.member)
static const struct dlq_figure tail[] = {
    DLQ_ROW("median_over_mean", NUMBER, D(median_over_mean), NULL, "of the data time; small: few iterations wait long",
            "single iterations are not known, or nothing waits"),
    DLQ_ROW("cost", NUMBER, D(tail_cost), "share", "of all iteration time: data times beyond their median",
            "single iterations are not known"),
};
static const struct dlq_figures of_tail = DLQ_FIGURES("diagnose: tail", NULL, tail);

static const struct dlq_figure verdict[] = {
    DLQ_ROW("bound_by", WORD, offsetof(struct dlq_diagnosed, bound_by), NULL,
            "step, load, variance, startup, serial, receive, barrier; unknown, where the logs show no data times"),
    DLQ_ROW("text", LETTERS, offsetof(struct dlq_diagnosed, verdict), NULL,
            "what binds, and what would help, in sentences"),
    DLQ_ROW("severity", WORD, offsetof(struct dlq_diagnosed, severity), NULL,
            "none, small, slight, moderate or severe, by `thresholds`"),
    DLQ_ROW("lost", NUMBER, D(lost), "share", "of the iteration time: what waiting for data costs", "not known"),
    DLQ_ROW("loaders_needed", NUMBER, D(needed), NULL,
            "that would keep the step fed, about; if a rhythm is theirs, where the logs do not show them",
            "bound_by is neither load nor serial, or it is not known"),
};
static const struct dlq_figures of_verdict = DLQ_FIGURES("diagnose: verdict", NULL, verdict);

static const struct dlq_figure starts[] = {
    DLQ_ROW("count", COUNT, D(epoch_starts), NULL, "first iterations of epochs, that of the run included"),
    DLQ_ROW("mean", NUMBER, D(epoch_start_mean), "s", "their data time", "there are none by themselves"),
    DLQ_ROW("cost", NUMBER, D(epoch_start_cost), "share", "of all iteration time: their data times",
            "there are none by themselves"),
};
static const struct dlq_figures of_starts = DLQ_FIGURES("diagnose: epoch_starts", NULL, starts);

static const struct dlq_figure trend[] = {
    DLQ_ROW("first", NUMBER, D(trend_first), "s", "mean data time of the first and the last third of the run",
            "too few iterations"),
    DLQ_ROW("last", NUMBER, D(trend_last), .alike = true),
    DLQ_ROW("ratio", NUMBER, D(trend), NULL, "last / first", "not known to differ, at 99 %, or first is 0"),
};
static const struct dlq_figures of_trend = DLQ_FIGURES("diagnose: trend", NULL, trend);

static const struct dlq_figure change[] = {
    DLQ_ROW("since", NUMBER, D(change), "count",
            "the iteration at which the iteration time changed; 0: it did so little by little", "no change found"),
    DLQ_ROW("lost_before", NUMBER, D(phases[0].lost), "share",
            "of the iteration time that is waiting for data, before it, or in the first tenth of the run",
            "no change found"),
    DLQ_ROW("lost_after", NUMBER, D(phases[1].lost), "share", "the same since then, or in the last tenth",
            "no change found"),
};
static const struct dlq_figures of_change = DLQ_FIGURES("diagnose: change", NULL, change);

static const struct dlq_figure pauses[] = {
    DLQ_ROW("every", COUNT, D(pause_every), NULL,
            "iterations, after which a step takes over five times the median; 0: none"),
    DLQ_ROW("mean", NUMBER, D(pause), "s", "what it takes more", "there are none"),
    DLQ_ROW("cost", NUMBER, D(pause_share), "share", "of all iteration time", "there are none"),
};
static const struct dlq_figures of_pauses = DLQ_FIGURES("diagnose: pauses", NULL, pauses);

static const struct dlq_figure thresholds[] = {
    DLQ_ROW("none, small, slight", TOLD, 0, "share", "of the iteration time: from there on `lost` is called so"),
    DLQ_ROW("moderate, severe", TOLD, 0, "share", "likewise"),
};
static const struct dlq_figures of_thresholds = DLQ_FIGURES("diagnose: thresholds", NULL, thresholds);

DLQ_MISSING(no_loaders, object, struct dlq_diagnosed, it->diagnosis.loaders <= 0)
#define F(member) offsetof(struct dlq_diagnosed, facts.member)
static const struct dlq_figure diagnosis[] = {
    DLQ_ROW(
        "logs[]", TOLD, 0, "object",
        "only of logs of several runs: an object for each run, with all that follows, in place of the outermost one"),
    DLQ_ROW("iterations", COUNT, D(iterations), NULL, "of the rank that has most"),
    DLQ_ROW("data_time", OBJECT, D(data_time), .of = &of_times),
    DLQ_ROW("iter_time", OBJECT, D(iter_time), .of = &of_times),
    DLQ_ROW("ratio", NUMBER, D(ratio), "share", "data_time.mean / iter_time.mean", "one of them is not known"),
    DLQ_ROW("period", NUMBER, D(period), "count", "iterations from stall to stall", "no rhythm found"),
    DLQ_ROW("tail", OBJECT, .of = &of_tail),
    DLQ_ROW("ranks", LIST, D(ranks), .of = &of_rank, .count_at = D(rank_count),
            .stride = sizeof(struct dlq_rank_diagnosis), .by_pointer = true),
    DLQ_ROW("verdict", OBJECT, .of = &of_verdict),
    DLQ_ROW("step_time", OBJECT, D(step_time), .of = &of_times),
    DLQ_ROW("of_windows", FLAG, D(of_windows), NULL,
            "median and p99 are those of means (or medians) over several iterations"),
    DLQ_ROW("stalled", NUMBER, D(stalled), "share", "of the iterations: data time over 1 % of iter_time.mean",
            "single iterations are not known"),
    DLQ_ROW("epoch_starts", OBJECT, .of = &of_starts),
    DLQ_ROW("steady_ratio", NUMBER, D(steady_ratio), "share", "as ratio, without first iterations of epochs",
            "these are not known by themselves"),
    DLQ_ROW(
        "together_ratio", NUMBER, D(together_ratio), "share",
        "as ratio, with the longest data time of all ranks in each iteration; of windows: the largest mean of a rank",
        "one rank, or ranks do not keep step"),
    DLQ_ROW("shared_stalls", NUMBER, D(shared_stalls), "share",
            "of the stalls: within 16 iterations of another rank's, more than chance would have",
            "one rank, or no more than chance would have"),
    DLQ_ROW("ready_ahead", COUNT, D(ahead), NULL,
            "batches that were ready before the waits began; 0: no such beginning"),
    DLQ_ROW("trend", OBJECT, .of = &of_trend),
    DLQ_ROW("change", OBJECT, .of = &of_change),
    DLQ_ROW("pauses", OBJECT, .of = &of_pauses),
    DLQ_ROW("loaders", COUNT, D(loaders), NULL, "of a rank: told by --loaders, or seen to load", "neither", no_loaders),
    DLQ_ROW("load_mean", NUMBER, D(load_mean), "s", "of a batch on its worker", "the logs do not tell"),
    DLQ_ROW("slow_workers", LIST, D(slow_workers), .of = &of_worker, .count_at = D(slow_worker_count),
            .stride = sizeof(struct dlq_worker_diagnosis)),
    DLQ_ROW("notes", TEXTS, offsetof(struct dlq_diagnosed, notes), NULL,
            "further findings, a sentence each, the most telling first",
            .count_at = offsetof(struct dlq_diagnosed, note_count), .stride = DLQ_DIAGNOSIS_TEXT),
    DLQ_ROW("log", WORD, F(name), NULL, "what is diagnosed: its first log, * for the rank where its name tells one"),
    DLQ_ROW("format", WORD, F(format), NULL, "of the first log: a name of `dlqueue help formats`"),
    DLQ_ROW("log_count", SIZE, F(logs), NULL, "logs that were read"),
    DLQ_ROW("records", COUNT, F(records), NULL, "that were found in them"),
    DLQ_ROW("skipped", COUNT, F(bad), NULL, "malformed lines"),
    DLQ_ROW("thresholds", MAP, offsetof(struct dlq_diagnosed, thresholds), .of = &of_thresholds,
            .count_at = offsetof(struct dlq_diagnosed, threshold_count), .stride = sizeof(struct dlq_threshold)),
};
const struct dlq_figures dlq_figures_diagnosis = DLQ_FIGURES("diagnose", NULL, diagnosis);

static const struct dlq_figure rank_columns[] = {
    DLQ_ROW("rank", COUNT, K(rank), NULL, "as the logs call it", .heading = "rank"),
    DLQ_ROW("iterations", COUNT, K(iterations), NULL, "of this rank, or of that which has most",
            .heading = "iterations"),
    DLQ_ROW("data_mean", NUMBER, K(data_time.mean), "s", "as data_time.mean of --json", "the logs do not tell",
            .heading = "data time", .digits = 3),
    DLQ_ROW("data_median", NUMBER, K(data_time.median), "s", "as the others of data_time",
            "the logs show sums alone, or not even these", .heading = "median", .digits = 3),
    DLQ_ROW("data_p99", NUMBER, K(data_time.p99), "s", .alike = true, .heading = "99 %", .digits = 3),
    DLQ_ROW("iter_mean", NUMBER, K(iter_time.mean), "s", "as iter_time.mean", "the logs do not tell",
            .heading = "iteration", .digits = 3),
    DLQ_ROW("iter_median", NUMBER, K(iter_time.median), "s", "as the others of iter_time",
            "the logs show sums alone, or not even these"),
    DLQ_ROW("iter_p99", NUMBER, K(iter_time.p99), "s", .alike = true),
    DLQ_ROW("ratio", NUMBER, K(ratio), "share", "data_mean / iter_mean", "one of them is not known",
            .heading = "data/iteration", .digits = 3),
    DLQ_ROW("slow", FLAG, K(slow), NULL, "waits for its data clearly longer than the median rank", .heading = "slow"),
};
const struct dlq_figures dlq_figures_ranks = DLQ_FIGURES(NULL, NULL, rank_columns);

static const struct dlq_figure run_columns[] = {
    DLQ_ROW("log", WORD, F(name), NULL, "of several runs: as `log` of --json", .heading = ""),
    DLQ_ROW("ranks", SIZE, D(rank_count), NULL, "of this run", .heading = "ranks"),
    DLQ_ROW("iterations", COUNT, D(iterations), .heading = "iterations"),
    DLQ_ROW("data_mean", NUMBER, D(data_time.mean), "s", .heading = "data time", .digits = 3),
    DLQ_ROW("iter_mean", NUMBER, D(iter_time.mean), "s", .heading = "iteration", .digits = 3),
    DLQ_ROW("ratio", NUMBER, D(ratio), "share"),
    DLQ_ROW("lost", NUMBER, D(lost), "share", "as verdict.lost", "not known", .heading = "lost", .digits = 3),
    DLQ_ROW("rate", NUMBER, offsetof(struct dlq_diagnosed, rate), "1/s", "iterations: 1 / iter_mean",
            "the logs do not tell", .heading = "iterations/s", .digits = 3),
    DLQ_ROW("speedup", NUMBER, offsetof(struct dlq_diagnosed, speedup), NULL, "rate / that of the first run",
            "one of them is not known", .heading = "speed-up", .digits = 3),
    DLQ_ROW("bound_by", WORD, offsetof(struct dlq_diagnosed, bound_by), NULL, "as verdict.bound_by",
            .heading = "bound by"),
};
const struct dlq_figures dlq_figures_runs = DLQ_FIGURES(NULL, NULL, run_columns);

static const struct dlq_figure diagnosis_columns[] = {
    DLQ_ROW("rank", INLINE, .of = &dlq_figures_ranks),
    DLQ_ROW("run", INLINE, .of = &dlq_figures_runs),
};
const struct dlq_figures dlq_figures_diagnosis_columns =
    DLQ_FIGURES("diagnose --csv", "A row for each rank (rank to slow); of logs of several runs a row for each run.",
                diagnosis_columns);
