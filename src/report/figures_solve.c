/* Figures of `dlqueue solve`. Offsets of a struct dlq_solve_answer are SOLVED(), those of a table's own struct OF(). */
#include "report/figures.h"

#include "analytic/analytic.h"
#include "report/report.h"

#include <math.h>

#define SOLVED(member) offsetof(struct dlq_solve_answer, solution.member)

static const struct dlq_figure load[] = {
    DLQ_ROW("mean", NUMBER, SOLVED(description.load_mean), "s", "mean time of a batch: s and t"),
    DLQ_ROW("cv", NUMBER, SOLVED(description.load_cv), NULL, "coefficient of variation", "the variance is infinite"),
};
static const struct dlq_figures of_load = DLQ_FIGURES("solve: load, step", NULL, load);

static const struct dlq_figure step[] = {
    DLQ_ROW("mean", NUMBER, SOLVED(description.step_mean)),
    DLQ_ROW("cv", NUMBER, SOLVED(description.step_cv)),
};
static const struct dlq_figures of_step = DLQ_FIGURES(NULL, NULL, step);

#define OF(member) offsetof(struct dlq_bounds, member)
static const struct dlq_figure bounds[] = {
    DLQ_ROW("serial", NUMBER, OF(serial), "1/s", "without loaders: load, pin and step one after the other"),
    DLQ_ROW("load", NUMBER, OF(load), "1/s", "loads that the loaders can finish", "serial"),
    DLQ_ROW("window", NUMBER, OF(window), "1/s", "batches that the window allows", "serial, or unbounded"),
    DLQ_ROW("step", NUMBER, OF(step), "1/s", "1 / t", "t is 0"),
    DLQ_ROW("receive", NUMBER, OF(receive), "1/s", "1 / (t + receive cost + barrier)", "both costs are 0"),
    DLQ_ROW("cores", NUMBER, OF(cores), "1/s", "loads that the host's cores can finish",
            "no stage uses cpu, or [host] cores is not given"),
    DLQ_ROW("contention", NUMBER, OF(contention), "1/s", "loads that can finish while all of them slow one another",
            "no stage uses cpu, or [host] contention is 0"),
    DLQ_ROW("host_bandwidth", NUMBER, OF(host_bandwidth), "1/s", "loads that the host's bandwidth allows",
            "bytes or [host] bandwidth is not given"),
    DLQ_ROW("storage", NUMBER, OF(storage), "1/s", "loads that the storage allows",
            "bytes or [storage] bandwidth is not given"),
    DLQ_ROW("pin", NUMBER, OF(pin), "1/s", "1 / pin_time", "pin_time is 0"),
    DLQ_ROW("upper", NUMBER, OF(upper), "1/s", "the smallest bound; serial counts without loaders only"),
    DLQ_ROW("lower", NUMBER, OF(lower), "1/s", "guaranteed in any order of loads", "pin_time is not 0, unless serial"),
    DLQ_ROW("bottleneck", NAMED, OF(bottleneck), NULL,
            "the bound that is the smallest; step if that is within 1 % of the smallest", .names = dlq_cause_names),
};
#undef OF
static const struct dlq_figures of_bounds = DLQ_FIGURES("solve: bounds", "Batches per second of one rank.", bounds);

static const struct dlq_figure form[] = {
    DLQ_ROW("value", NUMBER, offsetof(struct dlq_closed_form, value), "1/s", "batches of one rank"),
    DLQ_ROW("exact", FLAG, offsetof(struct dlq_closed_form, exact), NULL,
            "exact for the model; false: an approximation"),
};
static const struct dlq_figures of_form = DLQ_FIGURES("solve: estimates.*", NULL, form);

#define OF(member) offsetof(struct dlq_closed_forms, member)
static const struct dlq_figure forms[] = {
    DLQ_ROW("product_form", OBJECT, OF(product_form), NULL, "a closed network of queues (Gordon and Newell 1967)",
            "serial", .of = &of_form, .by_first = true),
    DLQ_ROW("diffusion", OBJECT, OF(diffusion), NULL, "regulated Brownian motion (Harrison 1985)",
            "serial, K < 2 N, t is 0, or the variance is too large", .of = &of_form, .by_first = true),
    DLQ_ROW("autotune", OBJECT, OF(autotune), NULL, "the estimate that tf.data AUTOTUNE uses", "serial", .of = &of_form,
            .by_first = true),
    DLQ_ROW("markov", OBJECT, OF(markov), NULL, "the Markov chain",
            "the model has no chain, or solving it takes too long", .of = &of_form, .by_first = true),
};
#undef OF
static const struct dlq_figures of_forms =
    DLQ_FIGURES("solve: estimates", "Closed forms, each an object or null.", forms);

DLQ_MISSING(no_stepping, object, struct dlq_simulation, isnan(it->stepping.value))
DLQ_MISSING(no_pauses, object, struct dlq_simulation, isnan(it->pause_share.value))
#define OF(member) offsetof(struct dlq_simulation, member)
static const struct dlq_figure simulation[] = {
    DLQ_ROW("throughput", ESTIMATE, OF(throughput), "1/s", "batches of one rank"),
    DLQ_ROW("samples_per_second", ESTIMATE, OF(samples_per_second), "1/s",
            "of all ranks; without batch_size a batch counts as one sample"),
    DLQ_ROW("utilization", ESTIMATE, OF(utilization), "share", DLQ_BUSY, "t is 0"),
    DLQ_ROW("stepping", ESTIMATE, OF(stepping), "share",
            "time within steps / all time: exceeds utilization if steps compete for cores; left out if they cannot",
            .missing = no_stepping, .omitted = true),
    DLQ_ROW("au", ESTIMATE, OF(au), "share", "of MLPerf Storage: step times / (wall time - first steps)",
            "t is 0, or all steps are first ones"),
    DLQ_ROW("wait_mean", ESTIMATE, OF(wait_mean), "s", "wait before a step, with receive cost and barrier"),
    DLQ_ROW("wait_p50", NUMBER, OF(wait_p50), "s", "quantiles of that wait", "no step ends within the horizon"),
    DLQ_ROW("wait_p90", NUMBER, OF(wait_p90), .alike = true),
    DLQ_ROW("wait_p99", NUMBER, OF(wait_p99), .alike = true),
    DLQ_ROW("wait_max", NUMBER, OF(wait_max), "s", "the longest", "method = markov"),
    DLQ_ROW("pause_share", ESTIMATE, OF(pause_share), "share",
            "time in pauses of the trainer / all time; left out without pauses", .missing = no_pauses, .omitted = true),
    DLQ_ROW("stalled_steps", ESTIMATE, OF(stalled_steps), "share",
            "steps with a wait above 0.1 % of t (of s if t is 0) / all steps"),
    DLQ_ROW("period", NUMBER, OF(period), "count", "steps from stall to stall", "no rhythm found"),
    DLQ_ROW("batches", ESTIMATE, OF(batches), "count", "batches trained on within the horizon, on average",
            "no [simulate] horizon"),
    DLQ_ROW("time_to_first_batch", ESTIMATE, OF(time_to_first_batch), "s", "from the start of the run",
            "method = markov"),
    DLQ_ROW("epoch_seconds", ESTIMATE, OF(epoch_seconds), "s", "of one epoch",
            "the epoch is endless, or a horizon is given"),
    DLQ_ROW("replications", COUNT, OF(replications), NULL, "independent runs; 0: solved exactly, method = markov"),
    DLQ_ROW("batches_per_replication", COUNT, OF(batches_per_replication), NULL,
            "measured in each run, after the warm-up"),
    DLQ_ROW("precision_reached", FLAG, OF(precision_reached), NULL,
            "the interval of throughput is as narrow as [simulate] precision"),
    DLQ_ROW("variance_reduction", NUMBER, OF(variance_reduction), NULL,
            "factor by which control variates divide the variance", "not used"),
};
#undef OF
static const struct dlq_figures of_simulation = DLQ_FIGURES("solve: simulation", NULL, simulation);

#define OF(member) offsetof(struct dlq_epochs_of_run, member)
static const struct dlq_figure epoch[] = {
    DLQ_ROW("seconds", NUMBER, offsetof(struct dlq_epoch_of_run, seconds), "s", "of an epoch"),
    DLQ_ROW("throughput", NUMBER, offsetof(struct dlq_epoch_of_run, throughput), "1/s", "batches of one rank"),
};
static const struct dlq_figures of_epoch = DLQ_FIGURES("solve: epochs.*", NULL, epoch);
static const struct dlq_figure epochs[] = {
    DLQ_ROW("first", OBJECT, OF(first), NULL, "the first epoch, in which nothing is cached", .of = &of_epoch),
    DLQ_ROW("later", OBJECT, OF(later), NULL, "the other epochs, on average", "there is only one epoch",
            .of = &of_epoch, .by_first = true),
    DLQ_ROW("hit_ratio", NUMBERS, OF(hit_ratio), "share",
            "reads that the cache saves in epochs 1, 2, ..., or without [pipeline] epochs in the first epoch and in "
            "the limit; empty without a cache",
            .count_at = OF(count)),
};
#undef OF
static const struct dlq_figures of_epochs = DLQ_FIGURES("solve: epochs", "With a cache, or [pipeline] epochs.", epochs);

#define OF(member) offsetof(struct dlq_host_use, member)
static const struct dlq_figure host[] = {
    DLQ_ROW("cores_used", NUMBER, OF(cores_used), NULL, "cores that are busy, on average", "no stage uses cpu"),
    DLQ_ROW("cpu_slowdown", NUMBER, OF(cpu_slowdown), NULL, "time of stages that use cpu / their time at full speed",
            "no stage uses cpu"),
    DLQ_ROW("storage_slowdown", NUMBER, OF(storage_slowdown), NULL, "the same for stages that use storage",
            "no stage uses storage"),
    DLQ_ROW("memory_bytes", NUMBER, OF(memory_bytes), "bytes", "of batches and loaders",
            "neither size is given, or K is unbounded"),
    DLQ_ROW("shm_bytes", NUMBER, OF(shm_bytes), "bytes", "of batches in /dev/shm; 0 without loader processes",
            "the size of a batch is not given, or K is unbounded"),
    DLQ_ROW("fits", FLAG, OF(fits), NULL, "whether [host] memory and shm suffice, if given"),
};
#undef OF
static const struct dlq_figures of_host = DLQ_FIGURES("solve: host", "For one host.", host);

static const struct dlq_figure losses[] = {
    DLQ_ROW("cause", NAMED, offsetof(struct dlq_loss, cause), NULL,
            "a cause that costs throughput although no bound does: one of those of bound_by", .names = dlq_cause_names),
    DLQ_ROW("throughput", NUMBER, offsetof(struct dlq_loss, throughput), "1/s",
            "batches of one rank without this cause alone"),
};
static const struct dlq_figures of_losses =
    DLQ_FIGURES("solve: verdict.losses[]", "What each cause in the model costs.", losses);

static const struct dlq_figure path[] = {
    DLQ_ROW(
        "name", LETTERS, offsetof(struct dlq_path_share, name), NULL,
        "section with stage or key: step, load.read, overheads.receive; slowdown: time that slow phases add to loads"),
    DLQ_ROW("share", ESTIMATE, offsetof(struct dlq_path_share, share), "share", "of the elapsed time"),
};
static const struct dlq_figures of_path = DLQ_FIGURES(
    "solve: critical_path[]",
    "Where the elapsed time goes: how much it grows with each mean, or with slowdowns, how much of it is spent in "
    "each part. Empty if loads share cores or bandwidth, and with a horizon or resolution.",
    path);

static const struct dlq_figure level[] = {
    DLQ_ROW("batches", COUNT, offsetof(struct dlq_queue_level, batches), NULL, "n, from 0; 256 counts larger n too"),
    DLQ_ROW("ready", NUMBER, offsetof(struct dlq_queue_level, ready), "share",
            "share of the time with n batches ready"),
    DLQ_ROW("held", NUMBER, offsetof(struct dlq_queue_level, held), "share", "share of the time with n batches held"),
};
static const struct dlq_figures of_level =
    DLQ_FIGURES("solve: queue.levels[]", "The distribution of the length of the queue over time.", level);
#define OF(member) offsetof(struct dlq_queue_of_run, member)
static const struct dlq_figure queue[] = {
    DLQ_ROW("ready", ESTIMATE, OF(ready), NULL, "batches that the trainer can receive at once, on average over time"),
    DLQ_ROW("held", ESTIMATE, OF(held), NULL, "loaded batches that wait for an earlier one, on average over time"),
    DLQ_ROW("levels", LIST, OF(levels), .of = &of_level, .count_at = OF(count),
            .stride = sizeof(struct dlq_queue_level)),
};
#undef OF
static const struct dlq_figures of_queue = DLQ_FIGURES(
    "solve: queue", "Batches of a rank that are loaded and not yet received, in eight recorded runs.", queue);

static const struct dlq_figure verdict[] = {
    DLQ_ROW("bound_by", NAMED, SOLVED(verdict.bound_by), NULL,
            "the bottleneck: {names} (several: no cause explains a quarter of the loss against the rate of the step)",
            .names = dlq_cause_names, .last_listed = DLQ_CAUSE_SEVERAL),
    DLQ_ROW("headroom", NUMBER, SOLVED(verdict.headroom), NULL,
            "step bound / throughput: the speed-up if data never had to be waited for", "t or throughput is 0"),
    DLQ_ROW("text", LETTERS, offsetof(struct dlq_solve_answer, verdict), NULL,
            "the bottleneck, its reason, and what helps, in sentences"),
    DLQ_ROW("losses", LIST, SOLVED(verdict.losses), .of = &of_losses, .count_at = SOLVED(verdict.loss_count),
            .stride = sizeof(struct dlq_loss)),
};
static const struct dlq_figures of_verdict = DLQ_FIGURES("solve: verdict", NULL, verdict);

#define OF(member) offsetof(struct dlq_lever, member)
static const struct dlq_figure lever[] = {
    DLQ_ROW("change", LETTERS, OF(change), NULL, "the change to the model; the largest gain is first"),
    DLQ_ROW("throughput", ESTIMATE, OF(throughput), "1/s", "batches of one rank after the change"),
    DLQ_ROW("gain", ESTIMATE, OF(gain), "number", "relative gain of throughput: 0.1 is 10 % more", "throughput is 0"),
    DLQ_ROW("proven", FLAG, OF(proven), NULL, "the interval of the gain excludes 0"),
};
#undef OF
const struct dlq_figures dlq_figures_lever =
    DLQ_FIGURES("solve: levers[]; plan: levers[]",
                "What single changes gain over the configuration (solve) or the answer (plan).", lever);

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
            .help = "with several CONFIGs only: an object for each, with all fields below"),
    DLQ_ROW("name", WORD, SOLVED(description.name), NULL, "[pipeline] name, or the name of the file"),
    DLQ_ROW("loader", WORD, SOLVED(description.loader), NULL, "[pipeline] loader: a row of `dlqueue loaders`"),
    DLQ_ROW("loaders", COUNT, SOLVED(description.loaders), NULL, "N; 0: the training process loads for itself"),
    DLQ_ROW("prefetch", COUNT, SOLVED(description.prefetch), NULL, "p", "the loader has none", no_prefetch),
    DLQ_ROW("window", COUNT, SOLVED(description.window), NULL, "K", "unbounded", unbounded),
    DLQ_ROW("ranks", COUNT, SOLVED(description.ranks), NULL, "R"),
    DLQ_ROW("batch_size", COUNT, SOLVED(description.batch_size), NULL, "samples in a batch of a rank; 1 if not given"),
    DLQ_ROW("seed", SEED, SOLVED(description.seed), NULL, "of the random draws; a text from 2^63 on"),
    DLQ_ROW("load_ratio", NUMBER, SOLVED(description.load_ratio), NULL, "s / (N t): above 1 the loaders cannot keep up",
            "N or t is 0"),
    DLQ_ROW("load", OBJECT, .of = &of_load),
    DLQ_ROW("step", OBJECT, .of = &of_step),
    DLQ_ROW("bounds", OBJECT, SOLVED(bounds), .of = &of_bounds),
    DLQ_ROW("estimates", OBJECT, SOLVED(forms), .of = &of_forms),
    DLQ_ROW("simulation", OBJECT, SOLVED(simulation), .of = &of_simulation, .missing = not_simulated),
    DLQ_ROW("epochs", OBJECT, SOLVED(epochs), NULL,
            "the first and the later epochs; left out without a cache or [pipeline] epochs", .of = &of_epochs,
            .missing = no_epochs, .omitted = true),
    DLQ_ROW("host", OBJECT, SOLVED(host), .of = &of_host),
    DLQ_ROW("verdict", OBJECT, .of = &of_verdict, .missing = interrupted),
    DLQ_ROW("levers", LIST, SOLVED(levers.rows), .of = &dlq_figures_lever, .count_at = SOLVED(levers.count),
            .stride = sizeof(struct dlq_lever)),
    DLQ_ROW("warnings", TEXTS, SOLVED(warnings), NULL, "cautions about these figures",
            .count_at = SOLVED(warning_count), .stride = DLQ_WARNING_TEXT),
    DLQ_ROW("critical_path", LIST, SOLVED(path.shares), .of = &of_path, .count_at = SOLVED(path.count),
            .stride = sizeof(struct dlq_path_share)),
    DLQ_ROW("queue", OBJECT, SOLVED(queue), NULL, "the length of the queue of loaded batches",
            "serial, K is unbounded, interrupted, or no step ends within the horizon", .of = &of_queue,
            .missing = no_queue),
    DLQ_ROW("interrupted", FLAG, SOLVED(interrupted), NULL,
            "by a signal: simulation has the finished runs or is null, verdict is null, levers is empty"),
};
const struct dlq_figures dlq_figures_solution = DLQ_FIGURES("solve", NULL, solution);

static const struct dlq_figure comparison[] = {
    DLQ_ROW("name", WORD, SOLVED(description.name), NULL, "as name, loader and verdict.bound_by of --json",
            .heading = ""),
    DLQ_ROW("loader", WORD, SOLVED(description.loader), .alike = true, .heading = "loader"),
    DLQ_ROW("bound_by", NAMED, SOLVED(verdict.bound_by), .alike = true, .heading = "bound by", .last = true,
            .names = dlq_cause_names),
    DLQ_ROW("loaders", COUNT, SOLVED(description.loaders), NULL, "N", .heading = "loaders"),
    DLQ_ROW("prefetch", COUNT, SOLVED(description.prefetch), NULL, "p", "the loader has none", no_prefetch),
    DLQ_ROW("window", COUNT, SOLVED(description.window), NULL, "K", "unbounded", unbounded, .heading = "window"),
    DLQ_ROW("load", NUMBER, SOLVED(description.load_mean), "s", "s and t", .heading = "load", .digits = 3),
    DLQ_ROW("step", NUMBER, SOLVED(description.step_mean), "s", .alike = true, .heading = "step", .digits = 3),
    DLQ_ROW("lower", NUMBER, SOLVED(bounds.lower), "1/s", "as bounds.lower", "pin_time is not 0, unless serial"),
    DLQ_ROW("upper", NUMBER, SOLVED(bounds.upper), "1/s", "as bounds.upper", .heading = "upper", .digits = 3),
    DLQ_ROW("throughput", ESTIMATE, SOLVED(simulation.throughput), "1/s", "batches of one rank", .heading = "batches/s",
            .digits = 3),
    DLQ_ROW("ratio", NUMBER, offsetof(struct dlq_solve_answer, ratio), NULL,
            "throughput / throughput of the first CONFIG", "the latter is 0", .heading = "ratio", .digits = 3),
    DLQ_ROW("samples_per_second", NUMBER, SOLVED(simulation.samples_per_second.value), "1/s", "of all ranks",
            "batch_size is not given", no_batch_size),
    DLQ_ROW("utilization", ESTIMATE, SOLVED(simulation.utilization), "share", DLQ_BUSY, "t is 0", .heading = "busy",
            .digits = 3),
    DLQ_ROW("wait_mean", NUMBER, SOLVED(simulation.wait_mean.value), "s", "as simulation.wait_mean", .heading = "wait",
            .digits = 3),
    DLQ_ROW("wait_p99", NUMBER, SOLVED(simulation.wait_p99), "s", "as simulation.wait_p99",
            "no step ends within the horizon"),
    DLQ_ROW("stalled_steps", NUMBER, SOLVED(simulation.stalled_steps.value), "share", "as simulation.stalled_steps"),
    DLQ_ROW("batches", NUMBER, SOLVED(simulation.batches.value), NULL, "that end within the horizon, mean",
            "there is no horizon", .heading = "batches", .digits = 3),
    DLQ_ROW("seed", SEED, SOLVED(description.seed), NULL, "of the random draws"),
};
const struct dlq_figures dlq_figures_comparison = DLQ_FIGURES("solve --csv", "A row for each CONFIG.", comparison);
