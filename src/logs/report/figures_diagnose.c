/* Figures of dlqueue diagnose. */
#include "logs/report/report.h"

#include <math.h>

#define TIMES(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_times, member), __VA_ARGS__)
static const struct dlq_figure times[] = {
    TIMES("mean", NUMBER, mean, "s", "of an iteration; step_time: iteration less data", "the logs do not tell"),
    TIMES("median", NUMBER, median, "s", "of single iterations, or see of_windows",
          "the logs show sums alone, or not even these"),
    TIMES("p99", NUMBER, p99, .alike = true),
};
static const struct dlq_figures of_times =
    DLQ_FIGURES("diagnose: data_time, iter_time, step_time, ranks[].data_time, ranks[].iter_time", NULL, times);

#define RANK(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_rank_diagnosis, member), __VA_ARGS__)
static const struct dlq_figure rank[] = {
    RANK("rank", COUNT, rank, NULL, "as the logs call it"),
    RANK("iterations", COUNT, iterations, NULL, "of this rank"),
    RANK("data_time", OBJECT, data_time, .of = &of_times),
    RANK("iter_time", OBJECT, iter_time, .of = &of_times),
    RANK("ratio", NUMBER, ratio, "share", "data_time.mean / iter_time.mean", "one of them is not known"),
    RANK("slow", FLAG, slow, NULL, "waits for its data clearly longer than the median rank"),
};
static const struct dlq_figures of_rank = DLQ_FIGURES("diagnose: ranks[]", NULL, rank);

#define WORKER(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_worker_diagnosis, member), __VA_ARGS__)
static const struct dlq_figure worker[] = {
    WORKER("rank", COUNT, rank, NULL, "which one"),
    WORKER("worker", COUNT, worker, .alike = true),
    WORKER("batches", COUNT, batches, NULL, "that it loaded"),
    WORKER("load_mean", NUMBER, load_mean, "s", "of a batch"),
    WORKER("factor", NUMBER, factor, NULL, "load_mean / that of the median worker"),
};
static const struct dlq_figures of_worker =
    DLQ_FIGURES("diagnose: slow_workers[]", "Those that load clearly longer than the median one, worst first.", worker);

#define FOUND(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_diagnosed, diagnosis.member), __VA_ARGS__)
static const struct dlq_figure tail[] = {
    FOUND("median_over_mean", NUMBER, median_over_mean, NULL, "of the data time; small: few iterations wait long",
          "single iterations are not known, or nothing waits"),
    FOUND("cost", NUMBER, tail_cost, "share", "of all iteration time: data times beyond their median",
          "single iterations are not known"),
};
static const struct dlq_figures of_tail = DLQ_FIGURES("diagnose: tail", NULL, tail);

#define SAID(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_diagnosed, member), __VA_ARGS__)
static const struct dlq_figure verdict[] = {
    SAID("bound_by", WORD, bound_by, NULL,
         "step, load, variance, startup, serial, receive, barrier, pauses; unknown, where the logs show no data times"),
    SAID("text", LETTERS, verdict, NULL, "what binds, and what would help, in sentences"),
    SAID("severity", WORD, severity, NULL, "none, small, slight, moderate or severe, by `thresholds`"),
    FOUND("lost", NUMBER, lost_share, "share", "of the iteration time: what waiting for data costs", "not known"),
    FOUND("loaders_needed", NUMBER, loaders_needed, NULL,
          "that would keep the step fed, about; if a rhythm is theirs, where the logs do not show them",
          "bound_by is neither load nor serial, or it is not known"),
};
static const struct dlq_figures of_verdict = DLQ_FIGURES("diagnose: verdict", NULL, verdict);

static const struct dlq_figure starts[] = {
    FOUND("count", COUNT, epoch_starts, NULL, "first iterations of epochs, that of the run included"),
    FOUND("mean", NUMBER, epoch_start_mean, "s", "their data time", "there are none by themselves"),
    FOUND("cost", NUMBER, epoch_start_cost, "share", "of all iteration time: their data times",
          "there are none by themselves"),
};
static const struct dlq_figures of_starts = DLQ_FIGURES("diagnose: epoch_starts", NULL, starts);

static const struct dlq_figure trend[] = {
    FOUND("first", NUMBER, trend_first, "s", "mean data time of the first and the last third of the run",
          "too few iterations"),
    FOUND("last", NUMBER, trend_last, .alike = true),
    FOUND("ratio", NUMBER, trend, NULL, "last / first", "not known to differ, at 99 %, or first is 0"),
};
static const struct dlq_figures of_trend = DLQ_FIGURES("diagnose: trend", NULL, trend);

#define PHASE(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_phase, member), __VA_ARGS__)
static const struct dlq_figure phase[] = {
    PHASE("from", COUNT, from, NULL, "its first and last iteration, counted from 1"),
    PHASE("until", COUNT, until, .alike = true),
    PHASE("iteration_mean", NUMBER, iter, "s", "of its iterations"),
    PHASE("data_share", NUMBER, lost_share, "share", "of its iteration time that is waiting for data"),
    PHASE("loaders_needed", NUMBER, loaders_needed, NULL, "as verdict.loaders_needed, for this phase", "likewise"),
    PHASE("lasts", FLAG, lasts, NULL, "the last phase: what the advice is for"),
};
static const struct dlq_figures of_phase =
    DLQ_FIGURES("diagnose: phases[]",
                "Stretches of the run with different iteration times; of a run that drifts its first tenth and what "
                "lasts; empty: no change found.",
                phase);

static double lost_at_first(const void *object)
{
    const struct dlq_diagnosis *found = &((const struct dlq_diagnosed *)object)->diagnosis;
    return found->phase_count > 0 ? found->phases[0].lost_share : NAN;
}

static double lost_at_last(const void *object)
{
    const struct dlq_phase *last = dlq_lasting_phase(&((const struct dlq_diagnosed *)object)->diagnosis);
    return last != NULL ? last->lost_share : NAN;
}

static const struct dlq_figure change[] = {
    FOUND("since", NUMBER, changed_at, "count",
          "the iteration from which on the last of `phases` is; 0: it changed little by little", "no change found"),
    DLQ_ROW("lost_before", COMPUTED, 0, "share", "data_share of the first of `phases`", "no change found",
            .number = lost_at_first),
    DLQ_ROW("lost_after", COMPUTED, 0, "share", "the same of the last", "no change found", .number = lost_at_last),
};
static const struct dlq_figures of_change = DLQ_FIGURES("diagnose: change", NULL, change);

static const struct dlq_figure pauses[] = {
    FOUND("every", COUNT, pause_every, NULL,
          "iterations, after which a step takes over five times the median; 0: none, or not even"),
    FOUND("count", COUNT, pause_count, NULL, "of such steps, if they are pauses"),
    FOUND("in_data", FLAG, pauses_in_data, NULL, "they count as data time, not as steps"),
    FOUND("mean", NUMBER, pause, "s", "what it takes more", "there are none"),
    FOUND("cost", NUMBER, pause_share, "share", "of all iteration time", "there are none"),
};
static const struct dlq_figures of_pauses = DLQ_FIGURES("diagnose: pauses", NULL, pauses);

#define PART(key, member, unit, help) DLQ_ROW(key, NUMBER, offsetof(struct dlq_budget, member), unit, help)
static const struct dlq_figure budget[] = {
    PART("iterations", iterations, "share", "of the time by the clock: iterations without waits and transfers"),
    DLQ_ROW("waits", NUMBER, offsetof(struct dlq_budget, waits), "share", "for data, without starts of epochs",
            "the log shows iteration times alone"),
    PART("transfer", transfer, "share", "of batches to the device, where the log times it"),
    PART("validation", validation, "share", "between iterations, with lines of validation, or as the log times it"),
    PART("checkpoints", checkpoints, "share", "between iterations, with lines that tell of a saved checkpoint"),
    PART("epoch_starts", epoch_starts, "share", "waits of first iterations of epochs"),
    PART("pauses", pauses, "share",
         "validation, checkpoints or starts of epochs: the log does not tell which, or tells of two of them"),
    PART("unexplained", unexplained, NULL,
         "the share that is left; below 0: the times of the log are longer than the clock allows"),
    PART("seconds", seconds, "s", "by the clock"),
};
static const struct dlq_figures of_budget = DLQ_FIGURES("diagnose: budget", NULL, budget);

static const struct dlq_figure thresholds[] = {
    DLQ_ROW("none, small, slight", TOLD, 0, "share", "of the iteration time: the least `lost` with this name"),
    DLQ_ROW("moderate, severe", TOLD, 0, "share", "likewise"),
};
static const struct dlq_figures of_thresholds = DLQ_FIGURES("diagnose: thresholds", NULL, thresholds);

#define NO_TEXT(name, member) DLQ_MISSING(name, object, struct dlq_diagnosed, it->facts.member[0] == '\0')
static const struct dlq_figure long_steps[] = {
    FOUND("share", NUMBER, long_steps.excess_share, "share", "of all time, that steps take beyond twice their median",
          "the log is not of one rank alone, or its steps do not vary so much"),
    FOUND("usual", NUMBER, long_steps.median, "s", "the median step, and the p99", "likewise"),
    FOUND("p99", NUMBER, long_steps.p99, .alike = true),
};
static const struct dlq_figures of_long_steps = DLQ_FIGURES(
    "diagnose: long_steps", "Of the log of one rank, whose steps hold what it waits for others.", long_steps);

static const struct dlq_figure kinds[] = {
    FOUND("every", COUNT, kinds.every, NULL, "iterations from a long one to the next; 0: no such distance"),
    FOUND("often", NUMBER, kinds.long_fraction, "share", "of the iterations that are long, at no equal distance",
          "there are no two kinds, or see every"),
    FOUND("usual", NUMBER, kinds.usual, "s", "of the others, and of the long ones", "there are no two kinds"),
    FOUND("longer", NUMBER, kinds.longer, .alike = true),
    FOUND("share", NUMBER, kinds.excess_share, "share", "of all time, that the long ones take beyond the usual",
          "there are no two kinds"),
};
static const struct dlq_figures of_kinds =
    DLQ_FIGURES("diagnose: kinds", "Of logs of iteration times alone: iterations of two kinds.", kinds);

static const struct dlq_figure caution[] = {DLQ_CAUTION_ROWS(
    "few (iterations), reading (what the logs leave open), long-steps (in which one rank may wait for others) or clock "
    "(times are longer than the time stamps allow)")};
static const struct dlq_figures of_cautions = DLQ_FIGURES("diagnose: cautions[]", "Why it may not hold.", caution);

NO_TEXT(no_data_label, read_as.data)
NO_TEXT(no_iteration_label, read_as.iteration)
NO_TEXT(no_unit, read_as.unit)
NO_TEXT(no_words, read_as.words)
NO_TEXT(no_doubts, doubts)

#define READ(key, kind, member, ...)                                                                                   \
    DLQ_ROW(key, kind, offsetof(struct dlq_diagnosed, facts.read_as.member), __VA_ARGS__)
static const struct dlq_figure read_as[] = {
    READ("data", LETTERS, data, NULL, "the label or the column of the wait for data",
         "there is none, or the format has no labels", no_data_label),
    READ("iteration", LETTERS, iteration, NULL, "likewise of the iteration, or of its time without data", "likewise",
         no_iteration_label),
    READ("unit", LETTERS, unit, NULL, "of the iteration, as the log has it", "the log does not tell", no_unit),
    READ("kind", WORD, kind, NULL,
         "of which iterations a time is: single, sampled, mean, running, median or total; unknown: the log does not "
         "tell"),
    READ("words", LETTERS, words, NULL, "options that read the same", "the format is known", no_words),
};
static const struct dlq_figures of_read_as = DLQ_FIGURES("diagnose: read_as", "Of the last log.", read_as);

DLQ_MISSING(no_loaders, object, struct dlq_diagnosed, it->diagnosis.loaders <= 0)
#define FACT(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_diagnosed, facts.member), __VA_ARGS__)
static const struct dlq_figure diagnosis[] = {
    DLQ_ROW(
        "logs[]", TOLD, 0, "object",
        "only of logs of several runs: an object for each run, with all that follows, in place of the outermost one"),
    FOUND("iterations", COUNT, iterations, NULL, "of the rank that has most"),
    FOUND("data_time", OBJECT, data_time, .of = &of_times),
    FOUND("iter_time", OBJECT, iter_time, .of = &of_times),
    FOUND("ratio", NUMBER, ratio, "share", "data_time.mean / iter_time.mean", "one of them is not known"),
    FOUND("period", NUMBER, period, "count", "iterations from stall to stall", "no rhythm found"),
    DLQ_ROW("tail", OBJECT, .of = &of_tail),
    DLQ_LIST_ROW("ranks", LIST, struct dlq_diagnosed, diagnosis.ranks, diagnosis.rank_count, .of = &of_rank,
                 .by_pointer = true),
    DLQ_ROW("verdict", OBJECT, .of = &of_verdict),
    FOUND("step_time", OBJECT, step_time, .of = &of_times),
    FOUND("of_windows", FLAG, of_windows, NULL,
          "median and p99 are those of means (or medians) over several iterations"),
    FOUND("stalled", NUMBER, stalled, "share", "of the iterations: data time over 1 % of iter_time.mean",
          "single iterations are not known"),
    DLQ_ROW("epoch_starts", OBJECT, .of = &of_starts),
    FOUND("steady_ratio", NUMBER, steady_ratio, "share", "as ratio, without first iterations of epochs",
          "these are not known by themselves"),
    FOUND("together_ratio", NUMBER, together_ratio, "share",
          "as ratio, with the longest data time of all ranks in each iteration; of windows: the largest mean of a rank",
          "one rank, or ranks do not keep step"),
    FOUND("alike", ESTIMATE, speedup_if_alike, NULL,
          "how many times as fast training would be if the slowest rank loaded as the others do: mean, least and most "
          "of replays",
          "no rank is slow, or loads are not recorded"),
    FOUND("shared_stalls", NUMBER, shared_stalls, "share",
          "of the stalls: within 16 iterations of another rank's, more than chance would have",
          "one rank, or no more than chance would have"),
    FOUND("ready_ahead", COUNT, ready_at_start, NULL,
          "batches that were ready before the waits began; 0: no such beginning"),
    DLQ_ROW("trend", OBJECT, .of = &of_trend),
    DLQ_ROW("change", OBJECT, .of = &of_change),
    DLQ_LIST_ROW("phases", LIST, struct dlq_diagnosed, diagnosis.phases, diagnosis.phase_count, .of = &of_phase),
    DLQ_ROW("pauses", OBJECT, .of = &of_pauses),
    FOUND("budget", OBJECT, budget, NULL, "where the time by the wall clock went", "the log has no clock",
          .of = &of_budget, .by_first = true),
    DLQ_ROW("long_steps", OBJECT, .of = &of_long_steps),
    DLQ_ROW("kinds", OBJECT, .of = &of_kinds),
    FOUND("loaders", COUNT, loaders, NULL, "of a rank: told by --loaders, or seen to load", "neither", no_loaders),
    FOUND("load_mean", NUMBER, load_mean, "s", "of a batch on its worker", "the logs do not tell"),
    DLQ_LIST_ROW("slow_workers", LIST, struct dlq_diagnosed, diagnosis.slow_workers, diagnosis.slow_worker_count,
                 .of = &of_worker),
    DLQ_LIST_ROW("notes", TEXTS, struct dlq_diagnosed, notes, note_count,
                 .help = "further findings, a sentence each, the most telling first"),
    DLQ_LIST_ROW("cautions", LIST, struct dlq_diagnosed, cautions, caution_count, .of = &of_cautions),
    FACT("log", WORD, name, NULL, "what is diagnosed: its first log, * for the rank where its name tells one"),
    FACT("format", WORD, format, NULL, "of the first log: a name of `dlqueue help formats`"),
    DLQ_ROW("read_as", OBJECT, .of = &of_read_as),
    FACT("left_out", COUNT, validation_lines, NULL, "lines of validation"),
    FACT("doubts", WORD, doubts, NULL, "what the log leaves open, a sentence a line", "nothing", no_doubts),
    FACT("log_count", SIZE, logs, NULL, "logs that were read"),
    FACT("records", COUNT, records, NULL, "that were found in them"),
    FACT("skipped", COUNT, bad, NULL, "malformed lines"),
    DLQ_LIST_ROW("thresholds", MAP, struct dlq_diagnosed, thresholds, threshold_count, .of = &of_thresholds),
};
const struct dlq_figures dlq_figures_diagnosis = DLQ_FIGURES("diagnose", NULL, diagnosis);

static const struct dlq_figure rank_columns[] = {
    RANK("rank", COUNT, rank, NULL, "as the logs call it", .heading = "rank"),
    RANK("iterations", COUNT, iterations, NULL, "of this rank, or of that which has most", .heading = "iterations"),
    RANK("data_mean", NUMBER, data_time.mean, "s", "as data_time.mean of --json", "the logs do not tell",
         .heading = "data time", .digits = 3),
    RANK("data_median", NUMBER, data_time.median, "s", "as the others of data_time",
         "the logs show sums alone, or not even these", .heading = "median", .digits = 3),
    RANK("data_p99", NUMBER, data_time.p99, "s", .alike = true, .heading = "99 %", .digits = 3),
    RANK("iter_mean", NUMBER, iter_time.mean, "s", "as iter_time.mean", "the logs do not tell", .heading = "iteration",
         .digits = 3),
    RANK("iter_median", NUMBER, iter_time.median, "s", "as the others of iter_time",
         "the logs show sums alone, or not even these"),
    RANK("iter_p99", NUMBER, iter_time.p99, "s", .alike = true),
    RANK("ratio", NUMBER, ratio, "share", "data_mean / iter_mean", "one of them is not known",
         .heading = "data/iteration", .digits = 3),
    RANK("slow", FLAG, slow, NULL, "waits for its data clearly longer than the median rank", .heading = "slow"),
};
const struct dlq_figures dlq_figures_ranks = DLQ_FIGURES(NULL, NULL, rank_columns);

static const struct dlq_figure run_columns[] = {
    FACT("log", WORD, name, NULL, "of several runs: as `log` of --json", .heading = ""),
    FOUND("ranks", SIZE, rank_count, NULL, "of this run", .heading = "ranks"),
    FOUND("iterations", COUNT, iterations, .heading = "iterations"),
    FOUND("data_mean", NUMBER, data_time.mean, "s", .heading = "data time", .digits = 3),
    FOUND("iter_mean", NUMBER, iter_time.mean, "s", .heading = "iteration", .digits = 3),
    FOUND("ratio", NUMBER, ratio, "share"),
    FOUND("lost", NUMBER, lost_share, "share", "as verdict.lost", "not known", .heading = "lost", .digits = 3),
    SAID("rate", NUMBER, rate, "1/s", "iterations: 1 / iter_mean", "the logs do not tell", .heading = "iterations/s",
         .digits = 3),
    SAID("speedup", NUMBER, speedup, NULL, "rate / that of the first run", "one of them is not known",
         .heading = "speed-up", .digits = 3),
    SAID("bound_by", WORD, bound_by, NULL, "as verdict.bound_by", .heading = "bound by"),
};
const struct dlq_figures dlq_figures_runs = DLQ_FIGURES(NULL, NULL, run_columns);

static const struct dlq_figure diagnosis_columns[] = {
    DLQ_ROW("rank", INLINE, .of = &dlq_figures_ranks),
    DLQ_ROW("run", INLINE, .of = &dlq_figures_runs),
};
const struct dlq_figures dlq_figures_diagnosis_columns =
    DLQ_FIGURES("diagnose --csv", "A row for each rank (rank to slow); of logs of several runs a row for each run.",
                diagnosis_columns);
