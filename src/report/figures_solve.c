/* Figures of dlqueue solve. */
#include "report/figures.h"

#include "dlqueue/solve.h"
#include "report/report.h"

#include <math.h>

#define NUMBER DLQ_FIGURE_NUMBER
#define COUNT DLQ_FIGURE_COUNT
#define FLAG DLQ_FIGURE_FLAG
#define WORD DLQ_FIGURE_WORD
#define ESTIMATE DLQ_FIGURE_ESTIMATE
#define OBJECT DLQ_FIGURE_OBJECT
#define LIST DLQ_FIGURE_LIST
#define TOLD DLQ_FIGURE_TOLD

static const struct dlq_figure every[] = {
    {.name = "dlqueue", TOLD, .unit = "text", .help = "the version that wrote it"},
    {.name = "command", TOLD, .unit = "text", .help = "the command's name"},
};
static const struct dlq_figures of_every = DLQ_FIGURES("every command", NULL, every);

#define S(member) offsetof(struct dlq_solution, member)

static const struct dlq_figure load[] = {
    {.name = "mean", NUMBER, S(description.load_mean), "s", "s and t: of a batch"},
    {.name = "cv", NUMBER, S(description.load_cv), NULL, "coefficient of variation", "the variance is infinite"},
};
static const struct dlq_figures of_load = DLQ_FIGURES("solve: load, step", NULL, load);

static const struct dlq_figure step[] = {
    {.name = "mean", NUMBER, S(description.step_mean)},
    {.name = "cv", NUMBER, S(description.step_cv)},
};
static const struct dlq_figures of_step = DLQ_FIGURES(NULL, NULL, step);

#define B(member) offsetof(struct dlq_bounds, member)
static const struct dlq_figure bounds[] = {
    {.name = "serial", NUMBER, B(serial), "1/s", "without overlap: load, pin, receive and step one after the other"},
    {.name = "load", NUMBER, B(load), "1/s", "what the loaders can load", "serial"},
    {.name = "window", NUMBER, B(window), "1/s", "what the window lets pass", "serial, or unbounded"},
    {.name = "step", NUMBER, B(step), "1/s", "1 / t", "t is 0"},
    {.name = "receive", NUMBER, B(receive), "1/s", "1 / (t + receive cost + barrier)", "neither costs anything"},
    {.name = "cores",
     NUMBER,
     B(cores),
     "1/s",
     "what the host's cores can load",
     "no stage uses cpu, or [host] cores is not given"},
    {.name = "host_bandwidth",
     NUMBER,
     B(host_bandwidth),
     "1/s",
     "what reaches the host",
     "no bytes, or no [host] bandwidth, given"},
    {.name = "storage",
     NUMBER,
     B(storage),
     "1/s",
     "what the storage delivers",
     "no bytes, or no [storage] bandwidth, given"},
    {.name = "pin", NUMBER, B(pin), "1/s", "1 / pin_time", "pin_time is 0"},
    {.name = "upper", NUMBER, B(upper), "1/s", "the smallest of load, window, ..., pin (of serial too, if it is that)"},
    {.name = "lower",
     NUMBER,
     B(lower),
     "1/s",
     "no slower, in whatever order loads of these laws come",
     "pin_time is not 0, unless serial"},
    {.name = "bottleneck",
     WORD,
     B(bottleneck),
     NULL,
     "which of these is the smallest, or serial; step, if it is within 1 % of that"},
};
static const struct dlq_figures of_bounds = DLQ_FIGURES("solve: bounds", "Batches per second of one rank.", bounds);

static const struct dlq_figure form[] = {
    {.name = "value", NUMBER, offsetof(struct dlq_closed_form, value), "1/s", "batches of one rank"},
    {.name = "exact",
     FLAG,
     offsetof(struct dlq_closed_form, exact),
     NULL,
     "the model's own answer, no approximation of it"},
};
static const struct dlq_figures of_form = DLQ_FIGURES("solve: estimates.*", NULL, form);

#define FORM(member, meaning, none)                                                                                    \
    {                                                                                                                  \
        .name = #member, .kind = OBJECT, .at = offsetof(struct dlq_closed_forms, member), .help = (meaning),           \
        .absent = (none), .of = &of_form, .by_first = true                                                             \
    }
static const struct dlq_figure forms[] = {
    FORM(product_form, "a closed network of queues (Gordon and Newell 1967)", "serial"),
    FORM(diffusion, "regulated Brownian motion (Harrison 1985)",
         "serial, K < 2 N, t is 0, or the variance is too large"),
    FORM(autotune, "what tf.data AUTOTUNE reckons with", "serial"),
    FORM(markov, "the Markov chain", "there is none for this model, or it takes too long"),
};
static const struct dlq_figures of_forms =
    DLQ_FIGURES("solve: estimates", "By formula, each an object or null.", forms);

#define M(member) offsetof(struct dlq_simulation, member)
static const struct dlq_figure simulation[] = {
    {.name = "throughput", ESTIMATE, M(throughput), "1/s", "batches of one rank"},
    {.name = "samples_per_second",
     ESTIMATE,
     M(samples_per_second),
     "1/s",
     "of all ranks; a batch whose size is not given counts as one sample"},
    {.name = "utilization", ESTIMATE, M(utilization), "share", "time in which the trainer steps / all time", "t is 0"},
    {.name = "au",
     ESTIMATE,
     M(au),
     "share",
     "MLPerf Storage's: step times / (wall time - first steps)",
     "t is 0, or all steps are first ones"},
    {.name = "wait_mean",
     ESTIMATE,
     M(wait_mean),
     "s",
     "wait for data before a step, receive cost and barrier included"},
    {.name = "wait_p50", NUMBER, M(wait_p50), "s", "quantiles of that wait", "no step ends within the horizon"},
    {.name = "wait_p90", NUMBER, M(wait_p90), .alike = true},
    {.name = "wait_p99", NUMBER, M(wait_p99), .alike = true},
    {.name = "wait_max", NUMBER, M(wait_max), "s", "the longest", "method = markov"},
    {.name = "stalled_steps",
     ESTIMATE,
     M(stalled_steps),
     "share",
     "of the steps: waited for longer than 0.1 % of t (of s, if t is 0)"},
    {.name = "period", NUMBER, M(period), "count", "steps from stall to stall", "no rhythm found"},
    {.name = "batches",
     ESTIMATE,
     M(batches),
     "count",
     "trained on within the horizon; a mean",
     "no [simulate] horizon"},
    {.name = "time_to_first_batch",
     ESTIMATE,
     M(time_to_first_batch),
     "s",
     "from the start of the run",
     "method = markov"},
    {.name = "epoch_seconds",
     ESTIMATE,
     M(epoch_seconds),
     "s",
     "of one epoch",
     "the epoch is endless, or with a horizon"},
    {.name = "replications", COUNT, M(replications), NULL, "independent runs; 0: solved exactly, method = markov"},
    {.name = "batches_per_replication",
     COUNT,
     M(batches_per_replication),
     NULL,
     "measured in each, behind the warm-up"},
    {.name = "precision_reached",
     FLAG,
     M(precision_reached),
     NULL,
     "the interval of throughput is as narrow as [simulate] precision"},
    {.name = "variance_reduction",
     NUMBER,
     M(variance_reduction),
     NULL,
     "factor by which control variates divide the variance",
     "none were used"},
};
static const struct dlq_figures of_simulation = DLQ_FIGURES("solve: simulation", NULL, simulation);

#define H(member) offsetof(struct dlq_host_use, member)
static const struct dlq_figure host[] = {
    {.name = "cores_used", NUMBER, H(cores_used), NULL, "cores that are busy, on average", "no stage uses cpu"},
    {.name = "cpu_slowdown",
     NUMBER,
     H(cpu_slowdown),
     NULL,
     "from 1: time of the stages that use cpu / their time at full speed",
     "there are none"},
    {.name = "storage_slowdown",
     NUMBER,
     H(storage_slowdown),
     NULL,
     "from 1: the same of those that use storage",
     "there are none"},
    {.name = "memory_bytes",
     NUMBER,
     H(memory_bytes),
     "bytes",
     "of batches and loaders",
     "neither size is known, or K unbounded"},
    {.name = "shm_bytes",
     NUMBER,
     H(shm_bytes),
     "bytes",
     "of batches in /dev/shm; 0 without loader processes",
     "the size of a batch is not known, or K unbounded"},
    {.name = "fits", FLAG, H(fits), NULL, "into [host] memory and shm, so far as these are given"},
};
static const struct dlq_figures of_host = DLQ_FIGURES("solve: host", "Of one host.", host);

static const struct dlq_figure losses[] = {
    {.name = "cause", WORD, offsetof(struct dlq_loss, cause), NULL, "order, barrier, startup, receive or variance"},
    {.name = "throughput",
     NUMBER,
     offsetof(struct dlq_loss, throughput),
     "1/s",
     "batches of one rank, were that cause alone away"},
};
static const struct dlq_figures of_losses =
    DLQ_FIGURES("solve: verdict.losses[]", "What each cause that is there costs.", losses);

#define V(member) offsetof(struct dlq_verdict, member)
static const struct dlq_figure verdict[] = {
    {.name = "bound_by",
     WORD,
     V(bound_by),
     NULL,
     "the bottleneck: load, window, step, cores, host_bandwidth, storage, pin, serial, order, barrier, startup, "
     "receive, variance, or several (no single cause makes up a quarter of what is missing to the step's rate)"},
    {.name = "headroom",
     NUMBER,
     V(headroom),
     NULL,
     "step bound / throughput: so many times as fast if data were always there",
     "t or throughput is 0"},
    {.name = "text", DLQ_FIGURE_LETTERS, V(text), NULL, "what binds, why, and what to do, in sentences"},
    {.name = "losses", LIST, V(losses), .of = &of_losses, .count_at = V(loss_count), .stride = sizeof(struct dlq_loss)},
};
static const struct dlq_figures of_verdict = DLQ_FIGURES("solve: verdict", NULL, verdict);

#define L(member) offsetof(struct dlq_lever, member)
static const struct dlq_figure lever[] = {
    {.name = "change", DLQ_FIGURE_LETTERS, L(change), NULL, "to the model; the one that gains most is the first"},
    {.name = "throughput", ESTIMATE, L(throughput), "1/s", "batches of one rank, with it"},
    {.name = "gain",
     ESTIMATE,
     L(gain),
     "number",
     "of throughput: 0.1 is 10 % more, below 0 is less",
     "throughput is 0"},
    {.name = "proven", FLAG, L(proven), NULL, "the interval of gain does not hold 0"},
};
const struct dlq_figures dlq_figures_lever =
    DLQ_FIGURES("solve: levers[]; plan: levers[]", "What single changes gain.", lever);

static bool no_prefetch(const void *object, const void *root)
{
    (void)root;
    return ((const struct dlq_solution *)object)->description.prefetch_name == NULL;
}

static bool unbounded(const void *object, const void *root)
{
    (void)root;
    return ((const struct dlq_solution *)object)->description.window < 0;
}

static bool not_simulated(const void *object, const void *root)
{
    const struct dlq_solution *solution = object;
    (void)root;
    return solution->interrupted && isnan(solution->simulation.throughput.value);
}

static bool interrupted(const void *object, const void *root)
{
    (void)root;
    return ((const struct dlq_solution *)object)->interrupted;
}

static bool no_batch_size(const void *object, const void *root)
{
    (void)root;
    return !((const struct dlq_solution *)object)->description.has_batch_size;
}

static const struct dlq_figure solution[] = {
    {.name = "models[]",
     TOLD,
     .unit = "object",
     .help = "only with several CONFIGs: an object for each, with all that follows, in place of the outermost one"},
    {.name = "name", WORD, S(description.name), NULL, "[pipeline] name, or that of the file"},
    {.name = "loader", WORD, S(description.loader), NULL, "[pipeline] loader: a row of `dlqueue loaders`"},
    {.name = "loaders", COUNT, S(description.loaders), NULL, "N; 0: the training process loads for itself"},
    {.name = "prefetch", COUNT, S(description.prefetch), NULL, "p", "the loader has none", no_prefetch},
    {.name = "window", COUNT, S(description.window), NULL, "K", "unbounded", unbounded},
    {.name = "ranks", COUNT, S(description.ranks), NULL, "R"},
    {.name = "batch_size",
     COUNT,
     S(description.batch_size),
     NULL,
     "samples in a batch of a rank; 1 where it is not given"},
    {.name = "seed", DLQ_FIGURE_SEED, S(description.seed), NULL, "of the draws; from 2^63 on as text"},
    {.name = "load_ratio",
     NUMBER,
     S(description.load_ratio),
     NULL,
     "s / (N t): above 1 the loaders cannot keep up",
     "N or t is 0"},
    {.name = "load", OBJECT, .of = &of_load},
    {.name = "step", OBJECT, .of = &of_step},
    {.name = "bounds", OBJECT, S(bounds), .of = &of_bounds},
    {.name = "estimates", OBJECT, S(forms), .of = &of_forms},
    {.name = "simulation", OBJECT, S(simulation), .of = &of_simulation, .missing = not_simulated},
    {.name = "host", OBJECT, S(host), .of = &of_host},
    {.name = "verdict", OBJECT, S(verdict), .of = &of_verdict, .missing = interrupted},
    {.name = "levers",
     LIST,
     S(levers.rows),
     .of = &dlq_figures_lever,
     .count_at = S(levers.count),
     .stride = sizeof(struct dlq_lever)},
    {.name = "warnings",
     DLQ_FIGURE_TEXTS,
     S(warnings),
     NULL,
     "what to mind with these figures",
     .count_at = S(warning_count),
     .stride = DLQ_WARNING_TEXT},
    {.name = "interrupted",
     FLAG,
     S(interrupted),
     NULL,
     "by a signal: simulation is of the runs that were finished, or null, verdict is null, levers are empty"},
};
const struct dlq_figures dlq_figures_solution = DLQ_FIGURES("solve", NULL, solution);

/* Of a struct dlq_comparison, which begins with the solution. */
static const struct dlq_figure comparison[] = {
    {.name = "name", WORD, S(description.name), NULL, "as name, loader and verdict.bound_by of --json", .heading = ""},
    {.name = "loader", WORD, S(description.loader), .alike = true, .heading = "loader"},
    {.name = "bound_by", WORD, S(verdict.bound_by), .alike = true, .heading = "bound by", .last = true},
    {.name = "loaders", COUNT, S(description.loaders), NULL, "N", .heading = "loaders"},
    {.name = "prefetch", COUNT, S(description.prefetch), NULL, "p", "the loader has none", no_prefetch},
    {.name = "window", COUNT, S(description.window), NULL, "K", "unbounded", unbounded, .heading = "window"},
    {.name = "load", NUMBER, S(description.load_mean), "s", "s and t", .heading = "load", .digits = 3},
    {.name = "step", NUMBER, S(description.step_mean), "s", .alike = true, .heading = "step", .digits = 3},
    {.name = "lower", NUMBER, S(bounds.lower), "1/s", "as bounds.lower", "pin_time is not 0, unless serial"},
    {.name = "upper", NUMBER, S(bounds.upper), "1/s", "as bounds.upper", .heading = "upper", .digits = 3},
    {.name = "throughput",
     ESTIMATE,
     S(simulation.throughput),
     "1/s",
     "batches of one rank",
     .heading = "batches/s",
     .digits = 3},
    {.name = "ratio",
     NUMBER,
     offsetof(struct dlq_comparison, ratio),
     NULL,
     "throughput / that of the first CONFIG",
     "that is 0",
     .heading = "ratio",
     .digits = 3},
    {.name = "samples_per_second",
     NUMBER,
     S(simulation.samples_per_second.value),
     "1/s",
     "of all ranks",
     "batch_size is not given",
     no_batch_size},
    {.name = "utilization",
     NUMBER,
     S(simulation.utilization.value),
     "share",
     "time in which the trainer steps / all time",
     "t is 0",
     .heading = "busy",
     .digits = 3},
    {.name = "wait_mean",
     NUMBER,
     S(simulation.wait_mean.value),
     "s",
     "as that of simulation",
     .heading = "wait",
     .digits = 3},
    {.name = "wait_p99", NUMBER, S(simulation.wait_p99), "s", "likewise", "no step ends within the horizon"},
    {.name = "stalled_steps", NUMBER, S(simulation.stalled_steps.value), "share", "likewise"},
};
const struct dlq_figures dlq_figures_comparison = DLQ_FIGURES("solve --csv", "A row for each CONFIG.", comparison);

const struct dlq_figures *const dlq_figures_of_solve[] = {
    &of_every,          &dlq_figures_solution,   &of_load, &of_bounds,  &of_forms,
    &of_form,           &of_simulation,          &of_host, &of_verdict, &of_losses,
    &dlq_figures_lever, &dlq_figures_comparison, NULL};
