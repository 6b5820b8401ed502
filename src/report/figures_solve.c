/* Figures of dlqueue solve. */
#include "report/figures.h"

#include "analytic/analytic.h"
#include "dlqueue/solve.h"
#include "report/report.h"

#include <math.h>

/* All of a struct dlq_solve_answer. */
#define S(member) offsetof(struct dlq_solve_answer, solution.member)

static const struct dlq_figure load[] = {
    DLQ_ROW("mean", NUMBER, S(description.load_mean), "s", "s and t: of a batch"),
    DLQ_ROW("cv", NUMBER, S(description.load_cv), NULL, "coefficient of variation", "the variance is infinite"),
};
static const struct dlq_figures of_load = DLQ_FIGURES("solve: load, step", NULL, load);

static const struct dlq_figure step[] = {
    DLQ_ROW("mean", NUMBER, S(description.step_mean)),
    DLQ_ROW("cv", NUMBER, S(description.step_cv)),
};
static const struct dlq_figures of_step = DLQ_FIGURES(NULL, NULL, step);

#define B(member) offsetof(struct dlq_bounds, member)
static const struct dlq_figure bounds[] = {
    DLQ_ROW("serial", NUMBER, B(serial), "1/s",
            "as if the training process loaded for itself: load, pin and step one after the other, nothing to receive"),
    DLQ_ROW("load", NUMBER, B(load), "1/s", "what the loaders can load", "serial"),
    DLQ_ROW("window", NUMBER, B(window), "1/s", "what the window lets pass", "serial, or unbounded"),
    DLQ_ROW("step", NUMBER, B(step), "1/s", "1 / t", "t is 0"),
    DLQ_ROW("receive", NUMBER, B(receive), "1/s", "1 / (t + receive cost + barrier)", "neither costs anything"),
    DLQ_ROW("cores", NUMBER, B(cores), "1/s", "what the host's cores can load",
            "no stage uses cpu, or [host] cores is not given"),
    DLQ_ROW("host_bandwidth", NUMBER, B(host_bandwidth), "1/s", "what reaches the host",
            "no bytes, or no [host] bandwidth, given"),
    DLQ_ROW("storage", NUMBER, B(storage), "1/s", "what the storage delivers",
            "no bytes, or no [storage] bandwidth, given"),
    DLQ_ROW("pin", NUMBER, B(pin), "1/s", "1 / pin_time", "pin_time is 0"),
    DLQ_ROW("upper", NUMBER, B(upper), "1/s", "the smallest of load, window, ..., pin (of serial too, if it is that)"),
    DLQ_ROW("lower", NUMBER, B(lower), "1/s", "no slower, in whatever order loads of these laws come",
            "pin_time is not 0, unless serial"),
    DLQ_ROW("bottleneck", NAMED, B(bottleneck), NULL,
            "which of these is the smallest, or serial; step, if it is within 1 % of that", .names = dlq_cause_names),
};
static const struct dlq_figures of_bounds = DLQ_FIGURES("solve: bounds", "Batches per second of one rank.", bounds);

static const struct dlq_figure form[] = {
    DLQ_ROW("value", NUMBER, offsetof(struct dlq_closed_form, value), "1/s", "batches of one rank"),
    DLQ_ROW("exact", FLAG, offsetof(struct dlq_closed_form, exact), NULL,
            "the model's own answer, no approximation of it"),
};
static const struct dlq_figures of_form = DLQ_FIGURES("solve: estimates.*", NULL, form);

#define F(member) offsetof(struct dlq_closed_forms, member)
static const struct dlq_figure forms[] = {
    DLQ_ROW("product_form", OBJECT, F(product_form), NULL, "a closed network of queues (Gordon and Newell 1967)",
            "serial", .of = &of_form, .by_first = true),
    DLQ_ROW("diffusion", OBJECT, F(diffusion), NULL, "regulated Brownian motion (Harrison 1985)",
            "serial, K < 2 N, t is 0, or the variance is too large", .of = &of_form, .by_first = true),
    DLQ_ROW("autotune", OBJECT, F(autotune), NULL, "what tf.data AUTOTUNE reckons with", "serial", .of = &of_form,
            .by_first = true),
    DLQ_ROW("markov", OBJECT, F(markov), NULL, "the Markov chain", "there is none for this model, or it takes too long",
            .of = &of_form, .by_first = true),
};
static const struct dlq_figures of_forms =
    DLQ_FIGURES("solve: estimates", "By formula, each an object or null.", forms);

DLQ_MISSING(alone, object, struct dlq_simulation, isnan(it->stepping.value))
DLQ_MISSING(no_pauses, object, struct dlq_simulation, isnan(it->pause_share.value))
#define M(member) offsetof(struct dlq_simulation, member)
static const struct dlq_figure simulation[] = {
    DLQ_ROW("throughput", ESTIMATE, M(throughput), "1/s", "batches of one rank"),
    DLQ_ROW("samples_per_second", ESTIMATE, M(samples_per_second), "1/s",
            "of all ranks; a batch whose size is not given counts as one sample"),
    DLQ_ROW("utilization", ESTIMATE, M(utilization), "share", DLQ_BUSY, "t is 0"),
    DLQ_ROW("stepping", ESTIMATE, M(stepping), "share",
            "time from the begin of a step to its end / all time: more than utilization where steps compete for cores; "
            "only where they may",
            .missing = alone, .omitted = true),
    DLQ_ROW("au", ESTIMATE, M(au), "share", "MLPerf Storage's: step times / (wall time - first steps)",
            "t is 0, or all steps are first ones"),
    DLQ_ROW("wait_mean", ESTIMATE, M(wait_mean), "s", "wait for data before a step, receive cost and barrier included"),
    DLQ_ROW("wait_p50", NUMBER, M(wait_p50), "s", "quantiles of that wait", "no step ends within the horizon"),
    DLQ_ROW("wait_p90", NUMBER, M(wait_p90), .alike = true),
    DLQ_ROW("wait_p99", NUMBER, M(wait_p99), .alike = true),
    DLQ_ROW("wait_max", NUMBER, M(wait_max), "s", "the longest", "method = markov"),
    DLQ_ROW("pause_share", ESTIMATE, M(pause_share), "share",
            "time in which the trainer pauses / all time; only where it does", .missing = no_pauses, .omitted = true),
    DLQ_ROW("stalled_steps", ESTIMATE, M(stalled_steps), "share",
            "of the steps: waited for longer than 0.1 % of t (of s, if t is 0)"),
    DLQ_ROW("period", NUMBER, M(period), "count", "steps from stall to stall", "no rhythm found"),
    DLQ_ROW("batches", ESTIMATE, M(batches), "count", "trained on within the horizon; a mean", "no [simulate] horizon"),
    DLQ_ROW("time_to_first_batch", ESTIMATE, M(time_to_first_batch), "s", "from the start of the run",
            "method = markov"),
    DLQ_ROW("epoch_seconds", ESTIMATE, M(epoch_seconds), "s", "of one epoch",
            "the epoch is endless, or with a horizon"),
    DLQ_ROW("replications", COUNT, M(replications), NULL, "independent runs; 0: solved exactly, method = markov"),
    DLQ_ROW("batches_per_replication", COUNT, M(batches_per_replication), NULL, "measured in each, behind the warm-up"),
    DLQ_ROW("precision_reached", FLAG, M(precision_reached), NULL,
            "the interval of throughput is as narrow as [simulate] precision"),
    DLQ_ROW("variance_reduction", NUMBER, M(variance_reduction), NULL,
            "factor by which control variates divide the variance", "none were used"),
};
static const struct dlq_figures of_simulation = DLQ_FIGURES("solve: simulation", NULL, simulation);

#define E(member) offsetof(struct dlq_epochs_of_run, member)
static const struct dlq_figure epoch[] = {
    DLQ_ROW("seconds", NUMBER, offsetof(struct dlq_epoch_of_run, seconds), "s", "of an epoch"),
    DLQ_ROW("throughput", NUMBER, offsetof(struct dlq_epoch_of_run, throughput), "1/s", "batches of one rank"),
};
static const struct dlq_figures of_epoch = DLQ_FIGURES("solve: epochs.*", NULL, epoch);
static const struct dlq_figure epochs[] = {
    DLQ_ROW("first", OBJECT, E(first), NULL, "the first epoch, in which nothing is cached", .of = &of_epoch),
    DLQ_ROW("later", OBJECT, E(later), NULL, "the other ones, on average", "there is only one epoch", .of = &of_epoch,
            .by_first = true),
    DLQ_ROW("hit_ratio", NUMBERS, E(hit_ratio), "share",
            "of reads that the cache spares, in epochs 1, 2, ...; without [pipeline] epochs: in the first and in the "
            "limit; none without a cache",
            .count_at = E(count)),
};
static const struct dlq_figures of_epochs = DLQ_FIGURES("solve: epochs", "With a cache, or [pipeline] epochs.", epochs);

#define H(member) offsetof(struct dlq_host_use, member)
static const struct dlq_figure host[] = {
    DLQ_ROW("cores_used", NUMBER, H(cores_used), NULL, "cores that are busy, on average", "no stage uses cpu"),
    DLQ_ROW("cpu_slowdown", NUMBER, H(cpu_slowdown), NULL,
            "from 1: time of the stages that use cpu / their time at full speed", "there are none"),
    DLQ_ROW("storage_slowdown", NUMBER, H(storage_slowdown), NULL, "from 1: the same of those that use storage",
            "there are none"),
    DLQ_ROW("memory_bytes", NUMBER, H(memory_bytes), "bytes", "of batches and loaders",
            "neither size is known, or K unbounded"),
    DLQ_ROW("shm_bytes", NUMBER, H(shm_bytes), "bytes", "of batches in /dev/shm; 0 without loader processes",
            "the size of a batch is not known, or K unbounded"),
    DLQ_ROW("fits", FLAG, H(fits), NULL, "into [host] memory and shm, so far as these are given"),
};
static const struct dlq_figures of_host = DLQ_FIGURES("solve: host", "Of one host.", host);

static const struct dlq_figure losses[] = {
    DLQ_ROW("cause", NAMED, offsetof(struct dlq_loss, cause), NULL,
            "one of those of bound_by that cost throughput short of the bounds", .names = dlq_cause_names),
    DLQ_ROW("throughput", NUMBER, offsetof(struct dlq_loss, throughput), "1/s",
            "batches of one rank, were that cause alone away"),
};
static const struct dlq_figures of_losses =
    DLQ_FIGURES("solve: verdict.losses[]", "What each cause that is there costs.", losses);

static const struct dlq_figure path[] = {
    DLQ_ROW("name", LETTERS, offsetof(struct dlq_path_share, name), NULL,
            "section and stage or key: step, load.read, overheads.receive; slowdown: what it adds to loads"),
    DLQ_ROW("share", ESTIMATE, offsetof(struct dlq_path_share, share), "share", "of the elapsed time"),
};
static const struct dlq_figures of_path =
    DLQ_FIGURES("solve: critical_path[]",
                "What the elapsed time runs through: its growth with that of "
                "each mean; with slowdowns what it spends there. Empty where loads share cores or bandwidth, or "
                "with a horizon or resolution.",
                path);

static const struct dlq_figure level[] = {
    DLQ_ROW("batches", COUNT, offsetof(struct dlq_queue_level, batches), NULL, "n, from 0; 256: and more"),
    DLQ_ROW("ready", NUMBER, offsetof(struct dlq_queue_level, ready), "share", "of the time with n batches ready"),
    DLQ_ROW("held", NUMBER, offsetof(struct dlq_queue_level, held), "share", "of the time with n batches held"),
};
static const struct dlq_figures of_level =
    DLQ_FIGURES("solve: queue.levels[]", "How long the queue is, for how much of the time.", level);
#define Q(member) offsetof(struct dlq_queue_of_run, member)
static const struct dlq_figure queue[] = {
    DLQ_ROW("ready", ESTIMATE, Q(ready), NULL, "batches that can be taken at once; mean over time"),
    DLQ_ROW("held", ESTIMATE, Q(held), NULL, "batches that are loaded, behind one that is due first and is not; mean"),
    DLQ_ROW("levels", LIST, Q(levels), .of = &of_level, .count_at = Q(count), .stride = sizeof(struct dlq_queue_level)),
};
static const struct dlq_figures of_queue = DLQ_FIGURES(
    "solve: queue", "Batches of a rank that are loaded and not yet taken, in the records of eight runs.", queue);

#define V(member) S(verdict.member)
static const struct dlq_figure verdict[] = {
    DLQ_ROW("bound_by", NAMED, V(bound_by), NULL,
            "the bottleneck: {names} (no single cause makes up a quarter of what is missing to the step's rate)",
            .names = dlq_cause_names),
    DLQ_ROW("headroom", NUMBER, V(headroom), NULL,
            "step bound / throughput: so many times as fast if data were always there", "t or throughput is 0"),
    DLQ_ROW("text", LETTERS, offsetof(struct dlq_solve_answer, verdict), NULL,
            "what binds, why, and what to do, in sentences"),
    DLQ_ROW("losses", LIST, V(losses), .of = &of_losses, .count_at = V(loss_count), .stride = sizeof(struct dlq_loss)),
};
static const struct dlq_figures of_verdict = DLQ_FIGURES("solve: verdict", NULL, verdict);

#define L(member) offsetof(struct dlq_lever, member)
static const struct dlq_figure lever[] = {
    DLQ_ROW("change", LETTERS, L(change), NULL, "to the model; the one that gains most is the first"),
    DLQ_ROW("throughput", ESTIMATE, L(throughput), "1/s", "batches of one rank, with it"),
    DLQ_ROW("gain", ESTIMATE, L(gain), "number", "of throughput: 0.1 is 10 % more, below 0 is less", "throughput is 0"),
    DLQ_ROW("proven", FLAG, L(proven), NULL, "the interval of gain does not hold 0"),
};
const struct dlq_figures dlq_figures_lever =
    DLQ_FIGURES("solve: levers[]; plan: levers[]",
                "What single changes gain: in solve over the configuration, in plan over its answer.", lever);

DLQ_MISSING(no_prefetch, object, struct dlq_solve_answer, it->solution.description.prefetch_name == NULL)
DLQ_MISSING(unbounded, object, struct dlq_solve_answer, it->solution.description.window < 0)
DLQ_MISSING(not_simulated, object, struct dlq_solve_answer,
            isnan(it->solution.simulation.throughput.value) && it->solution.interrupted)
DLQ_MISSING(interrupted, object, struct dlq_solve_answer, it->solution.interrupted)
DLQ_MISSING(no_queue, object, struct dlq_solve_answer, it->solution.queue.count == 0)
DLQ_MISSING(no_epochs, object, struct dlq_solve_answer, !it->solution.epochs.has_epochs)
DLQ_MISSING(no_batch_size, object, struct dlq_solve_answer, !it->solution.description.has_batch_size)

static const struct dlq_figure solution[] = {
    DLQ_ROW("models[]", TOLD, .unit = "object",
            .help =
                "only with several CONFIGs: an object for each, with all that follows, in place of the outermost one"),
    DLQ_ROW("name", WORD, S(description.name), NULL, "[pipeline] name, or that of the file"),
    DLQ_ROW("loader", WORD, S(description.loader), NULL, "[pipeline] loader: a row of `dlqueue loaders`"),
    DLQ_ROW("loaders", COUNT, S(description.loaders), NULL, "N; 0: the training process loads for itself"),
    DLQ_ROW("prefetch", COUNT, S(description.prefetch), NULL, "p", "the loader has none", no_prefetch),
    DLQ_ROW("window", COUNT, S(description.window), NULL, "K", "unbounded", unbounded),
    DLQ_ROW("ranks", COUNT, S(description.ranks), NULL, "R"),
    DLQ_ROW("batch_size", COUNT, S(description.batch_size), NULL,
            "samples in a batch of a rank; 1 where it is not given"),
    DLQ_ROW("seed", SEED, S(description.seed), NULL, "of the draws; from 2^63 on as text"),
    DLQ_ROW("load_ratio", NUMBER, S(description.load_ratio), NULL, "s / (N t): above 1 the loaders cannot keep up",
            "N or t is 0"),
    DLQ_ROW("load", OBJECT, .of = &of_load),
    DLQ_ROW("step", OBJECT, .of = &of_step),
    DLQ_ROW("bounds", OBJECT, S(bounds), .of = &of_bounds),
    DLQ_ROW("estimates", OBJECT, S(forms), .of = &of_forms),
    DLQ_ROW("simulation", OBJECT, S(simulation), .of = &of_simulation, .missing = not_simulated),
    DLQ_ROW("epochs", OBJECT, S(epochs), NULL,
            "the first epoch and the later ones; only with a cache or [pipeline] epochs", .of = &of_epochs,
            .missing = no_epochs, .omitted = true),
    DLQ_ROW("host", OBJECT, S(host), .of = &of_host),
    DLQ_ROW("verdict", OBJECT, .of = &of_verdict, .missing = interrupted),
    DLQ_ROW("levers", LIST, S(levers.rows), .of = &dlq_figures_lever, .count_at = S(levers.count),
            .stride = sizeof(struct dlq_lever)),
    DLQ_ROW("warnings", TEXTS, S(warnings), NULL, "what to mind with these figures", .count_at = S(warning_count),
            .stride = DLQ_WARNING_TEXT),
    DLQ_ROW("critical_path", LIST, S(path.shares), .of = &of_path, .count_at = S(path.count),
            .stride = sizeof(struct dlq_path_share)),
    DLQ_ROW("queue", OBJECT, S(queue), NULL, "how long the queue of loaded batches is",
            "serial, K unbounded, interrupted, or no step ends within the horizon", .of = &of_queue,
            .missing = no_queue),
    DLQ_ROW("interrupted", FLAG, S(interrupted), NULL,
            "by a signal: simulation is of the runs that were finished, or null, verdict is null, levers are empty"),
};
const struct dlq_figures dlq_figures_solution = DLQ_FIGURES("solve", NULL, solution);

static const struct dlq_figure comparison[] = {
    DLQ_ROW("name", WORD, S(description.name), NULL, "as name, loader and verdict.bound_by of --json", .heading = ""),
    DLQ_ROW("loader", WORD, S(description.loader), .alike = true, .heading = "loader"),
    DLQ_ROW("bound_by", NAMED, S(verdict.bound_by), .alike = true, .heading = "bound by", .last = true,
            .names = dlq_cause_names),
    DLQ_ROW("loaders", COUNT, S(description.loaders), NULL, "N", .heading = "loaders"),
    DLQ_ROW("prefetch", COUNT, S(description.prefetch), NULL, "p", "the loader has none", no_prefetch),
    DLQ_ROW("window", COUNT, S(description.window), NULL, "K", "unbounded", unbounded, .heading = "window"),
    DLQ_ROW("load", NUMBER, S(description.load_mean), "s", "s and t", .heading = "load", .digits = 3),
    DLQ_ROW("step", NUMBER, S(description.step_mean), "s", .alike = true, .heading = "step", .digits = 3),
    DLQ_ROW("lower", NUMBER, S(bounds.lower), "1/s", "as bounds.lower", "pin_time is not 0, unless serial"),
    DLQ_ROW("upper", NUMBER, S(bounds.upper), "1/s", "as bounds.upper", .heading = "upper", .digits = 3),
    DLQ_ROW("throughput", ESTIMATE, S(simulation.throughput), "1/s", "batches of one rank", .heading = "batches/s",
            .digits = 3),
    DLQ_ROW("ratio", NUMBER, offsetof(struct dlq_solve_answer, ratio), NULL, "throughput / that of the first CONFIG",
            "that is 0", .heading = "ratio", .digits = 3),
    DLQ_ROW("samples_per_second", NUMBER, S(simulation.samples_per_second.value), "1/s", "of all ranks",
            "batch_size is not given", no_batch_size),
    DLQ_ROW("utilization", NUMBER, S(simulation.utilization.value), "share", DLQ_BUSY, "t is 0", .heading = "busy",
            .digits = 3),
    DLQ_ROW("wait_mean", NUMBER, S(simulation.wait_mean.value), "s", "as that of simulation", .heading = "wait",
            .digits = 3),
    DLQ_ROW("wait_p99", NUMBER, S(simulation.wait_p99), "s", "likewise", "no step ends within the horizon"),
    DLQ_ROW("stalled_steps", NUMBER, S(simulation.stalled_steps.value), "share", "likewise"),
};
const struct dlq_figures dlq_figures_comparison = DLQ_FIGURES("solve --csv", "A row for each CONFIG.", comparison);
