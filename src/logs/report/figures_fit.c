/* Figures of dlqueue fit. */
#include "logs/report/report.h"

#include <math.h>

#define TRIED(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_fit_tried, member), __VA_ARGS__)
static const struct dlq_figure tried[] = {
    TRIED("distribution", LETTERS, distribution, NULL, "the best first"),
    TRIED("aic_above", NUMBER, aic_above, NULL, "Akaike's criterion above that of the best",
          "not compared by likelihood"),
    TRIED("ks", NUMBER, ks, "share", "as above", "there is nothing to compare with"),
};
static const struct dlq_figures of_tried =
    DLQ_FIGURES("fit: load.tried[], step.tried[]", "All laws that were tried.", tried);

DLQ_MISSING(unnamed, object, struct dlq_fit_law, it->distribution[0] == '\0')
#define LAW(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_fit_law, member), __VA_ARGS__)
static const struct dlq_figure law[] = {
    LAW("distribution", LETTERS, distribution, NULL,
        "a row of `dlqueue distributions`; with a second stage \"NAME + NAME tail\"", .missing = unnamed),
    DLQ_ROW("parameters.*", TOLD, .unit = "number",
            .help = "as in a configuration, times in seconds; tail.*: of the second stage"),
    DLQ_LIST_ROW("parameters", MAP, struct dlq_fit_law, parameters, parameter_count, .of = NULL),
    LAW("mean", NUMBER, mean, "s", "of the law"),
    LAW("cv", NUMBER, cv, NULL, "of the law: coefficient of variation", "the variance is infinite"),
    LAW("median", NUMBER, median, "s", "of the law"),
    LAW("p99", NUMBER, p99, .alike = true),
    LAW("ks", NUMBER, ks, "share", "largest distance between law and measurements (Kolmogorov-Smirnov)",
        "there is nothing to compare with"),
    LAW("n", COUNT, n, NULL, "measurements, or batches whose loads are known or bounded"),
    LAW("mean_low", NUMBER, mean_low, "s", "95 % interval of the mean; from 0 where there is but a bound"),
    LAW("mean_high", NUMBER, mean_high, .alike = true),
    LAW("only_bound", FLAG, only_bound, NULL, "the mean is no more than an upper bound"),
    DLQ_LIST_ROW("tried", LIST, struct dlq_fit_law, tried, tried_count, .of = &of_tried),
};
static const struct dlq_figures of_law = DLQ_FIGURES("fit: load, step", NULL, law);

#define COST(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_measured_overheads, member), __VA_ARGS__)
static const struct dlq_figure overheads[] = {
    COST("dispatch", NUMBER, dispatch, "s", "means; 0 where the logs do not tell"),
    COST("deliver", NUMBER, deliver, .alike = true),
    COST("receive", NUMBER, receive, .alike = true),
    COST("startup", NUMBER, startup, "s", "likewise"),
    COST("barrier", NUMBER, barrier, .alike = true),
};
static const struct dlq_figures of_overheads = DLQ_FIGURES("fit: overheads", NULL, overheads);

static const struct dlq_figure reason[] = {
    DLQ_ROW("cause", WORD, offsetof(struct dlq_reason_said, cause), NULL, "lock, worker, cores, drift, order or clock"),
    DLQ_ROW("text", LETTERS, offsetof(struct dlq_reason_said, text), NULL, "the same in sentences"),
};
static const struct dlq_figures of_reasons =
    DLQ_FIGURES("fit: replay.reasons[]", "Why the model does not give what was measured, most telling first.", reason);

DLQ_MISSING(not_replayed, root, struct dlq_fit_answer, !it->fit->has_replay)
#define REPLAYED(key, type, member, unit_of, meaning)                                                                  \
    DLQ_ROW(key, type, offsetof(struct dlq_fit, replay.member), unit_of, meaning, .missing = not_replayed,             \
            .omitted = true)
static const struct dlq_figure replayed[] = {
    REPLAYED("without_overheads", NUMBER, without_overheads, "1/s", "predicted, had no overhead been measured"),
    REPLAYED("batches", COUNT, batches, NULL, "of one rank, that were replayed"),
    REPLAYED("wait_mean_measured", NUMBER, wait_measured, "s", "wait for data before a step"),
    REPLAYED("wait_mean_predicted", NUMBER, wait_predicted, "s", "the same by the model"),
    REPLAYED("wait_p99_measured", NUMBER, wait_p99_measured, "s", "its quantile"),
    REPLAYED("wait_p99_predicted", NUMBER, wait_p99_predicted, "s", "the same by the model"),
};
static const struct dlq_figures of_replayed = DLQ_FIGURES(NULL, NULL, replayed);

#define ANSWER(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_fit_answer, member), __VA_ARGS__)
static const struct dlq_figure comparison[] = {
    ANSWER("measured", NUMBER, measured, "1/s", "batches of one rank",
           "two stopwatch runs, or logs without iteration times"),
    ANSWER("predicted", NUMBER, predicted, "1/s",
           "the same by the model; without a trace its mean, predicted_run.value"),
    ANSWER("error", NUMBER, error, NULL, "predicted / measured - 1", "measured is"),
    ANSWER("replayed", INLINE, fit, .of = &of_replayed, .by_pointer = true),
    DLQ_LIST_ROW("reasons", LIST, struct dlq_fit_answer, reasons, reason_count, .of = &of_reasons,
                 .missing = not_replayed, .omitted = true),
};
static const struct dlq_figures of_replay = DLQ_FIGURES(
    "fit: replay", "From without_overheads on, only where `source` is trace and the run was replayed.", comparison);

DLQ_MISSING(not_compared, root, struct dlq_fit_answer, isnan(it->fit->rate))
DLQ_MISSING(not_predicted, root, struct dlq_fit_answer, it->fit->prediction.batches == 0)
#define PREDICTED(key, type, member, unit_of, meaning)                                                                 \
    DLQ_ROW(key, type, offsetof(struct dlq_fit, prediction.member), unit_of, meaning,                                  \
            "no loads can be replayed; rate and method, too, where loads share cores, their number "                   \
            "changes, and the record does not have the CPU times of each",                                             \
            not_predicted)
static const struct dlq_figure prediction[] = {
    PREDICTED(
        "method", WORD, method, NULL,
        "replay: loads take as long as recorded; replay-pauses: and stand still together now and then; cores: they "
        "share the host's, by their CPU times; joint: by how long they took in several runs"),
    PREDICTED("loaders", COUNT, loaders, NULL, "of that run: as recorded, or by --set pipeline.loaders"),
    PREDICTED("prefetch", COUNT, prefetch, NULL, "likewise"),
    PREDICTED("batches", COUNT, batches, NULL, "of that run: as many as were recorded"),
    PREDICTED("throughput", ESTIMATE, throughput, "1/s",
              "batches of one rank from the first request to the end of the last step; low to high: 95 % of such runs"),
    PREDICTED("long_run", ESTIMATE, long_run, "1/s", "the same of a run ten times as long, past its start"),
};
static const struct dlq_figures of_prediction = DLQ_FIGURES(
    "fit: prediction", "Another run, by the recorded loads and steps themselves. The law is not asked.", prediction);

static const struct dlq_figure caution[] = {
    DLQ_CAUTION_ROWS(
        "lock, slower-when-more, shared, waits-together, burst, order-matters, drift, first-epoch, pauses, "
        "epochs-unmarked, warm-up, starts-unknown, threads, slow-worker, one-rank, assumes-load-fixed, "
        "constant-concurrency, tail or few-stretches; reading (what the logs leave open)"),
    DLQ_ROW("since", NUMBER, offsetof(struct dlq_caution_said, since), NULL,
            "from which batch on loads took another time", "not of drift or first-epoch"),
    DLQ_ROW("factor", NUMBER, offsetof(struct dlq_caution_said, factor), NULL,
            "so many times as long: medians after and before", "not of drift or first-epoch"),
};
static const struct dlq_figures of_cautions =
    DLQ_FIGURES("fit: cautions[]", "Why the prediction may not hold.", caution);

DLQ_MISSING(no_prefetch, object, struct dlq_fit, it->prefetch <= 0)
DLQ_MISSING(none_suffices, object, struct dlq_fit, it->sufficient_loaders <= 0)
#define FIT(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_fit, member), __VA_ARGS__)
static const struct dlq_figure parts[] = {
    FIT("load", OBJECT, load, .of = &of_law),
    FIT("step", OBJECT, step, .of = &of_law),
    FIT("overheads", OBJECT, overheads, .of = &of_overheads),
};
static const struct dlq_figures of_parts = DLQ_FIGURES(NULL, NULL, parts);

static const struct dlq_figure pipeline[] = {
    FIT("loader", WORD, loader, NULL, "a row of `dlqueue loaders`"),
    FIT("loaders", COUNT, loaders, NULL, "N; 0: the training process loads for itself"),
    FIT("loaders_known", FLAG, loaders_known, NULL, "told, or seen in the logs; false: assumed"),
    FIT("prefetch", COUNT, prefetch, NULL, "p", "the loader has none", no_prefetch),
    FIT("ranks", COUNT, ranks, NULL, "R"),
    FIT("predicted_run", ESTIMATE, predicted, "1/s",
        "batches of one rank, by the fitted model in as many batches; low to high: 95 % of such runs"),
    FIT("suffices", COUNT, sufficient_loaders, NULL, "the fewest loaders that reach a utilization of `target`",
        "none of as many as are tried, loads exclude one another or are fetched several at once, or loaders_known is "
        "false",
        none_suffices),
    FIT("recommended", ESTIMATE, prediction.recommended, NULL,
        "the same by the recorded loads and steps, or where there are none by the law, and the range in which it lies; "
        "high is 512 where it may be more",
        "there is no prediction, none up to 512 does, loads were slower when more ran or stood still together, or they "
        "share cores",
        none_suffices),
    FIT("target", NUMBER, prediction.target, "share",
        "0.95; where no number of loaders reaches that, 0.95 of what receiving batches leaves"),
};
static const struct dlq_figures of_pipeline = DLQ_FIGURES(NULL, NULL, pipeline);

static const struct dlq_figure answer[] = {
    ANSWER("fit", INLINE, fit, .of = &of_parts, .by_pointer = true),
    DLQ_ROW("replay", OBJECT, .of = &of_replay),
    ANSWER("config", WORD, config, NULL, "the configuration, as a file would hold it"),
    ANSWER("source", WORD, source, NULL, "of the load times: trace, waits, windows (all three of logs) or stopwatch"),
    ANSWER("fit", INLINE, fit, .of = &of_pipeline, .by_pointer = true),
    ANSWER(
        "reproduces", FLAG, reproduces, NULL,
        "whether the measured rate lies in predicted_run, or within 1 % of its value; of a log whose first loads were "
        "unlike the later ones the rate of the later batches",
        "the log is not that of one rank that was replayed", not_compared),
    ANSWER("prediction", OBJECT, fit, .of = &of_prediction, .by_pointer = true),
    DLQ_LIST_ROW("cautions", LIST, struct dlq_fit_answer, cautions, caution_count, .of = &of_cautions),
    ANSWER("headroom", NUMBER, headroom, NULL,
           "of stopwatches: how many times as fast training could run if loading cost nothing",
           "the source is another"),
    DLQ_LIST_ROW("warnings", TEXTS, struct dlq_fit_answer, warnings, warning_count,
                 .help = "what to mind with these figures"),
};
const struct dlq_figures dlq_figures_fit = DLQ_FIGURES("fit", NULL, answer);

/* Without a replay, `predicted` is the mean throughput of the fitted model. */
struct dlq_fit_answer dlq_fit_answer_of(const struct dlq_fit *fit, const char *config)
{
    static const char *const sources[] = {"trace", "waits", "windows", "stopwatch"};
    const struct dlq_replay *replay = &fit->replay;
    double now = fit->loaders > 0 ? fmax(fit->load_pace, fit->step.mean) : fit->load_pace + fit->step.mean;
    struct dlq_fit_answer made = {
        .fit = fit,
        .reproduces = !fit->rate_outside,
        .measured = fit->has_replay ? replay->measured : fit->measured,
        .predicted = fit->has_replay ? replay->predicted : fit->predicted.value,
        .error = fit->has_replay ? replay->error : fit->predicted.value / fit->measured - 1,
        .headroom = isnan(fit->load_pace) ? NAN : now / fit->step.mean,
        .source = sources[fit->source],
        .config = config,
        .reason_count = replay->reason_count,
    };
    dlq_reasons_say(replay, made.reasons);
    made.caution_count = dlq_cautions_say(&fit->prediction, made.cautions);
    made.warning_count = dlq_fit_warnings(fit, made.warnings);
    return made;
}

void dlq_fit_answer_doubt(struct dlq_fit_answer *filled, const struct dlq_trace_facts *facts)
{
    filled->doubt_count = dlq_doubts_say(facts, filled->cautions + filled->caution_count, DLQ_READING_CAUTIONS);
    filled->caution_count += filled->doubt_count;
}
