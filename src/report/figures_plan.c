/* Figures of `dlqueue sweep` and `dlqueue plan`. Offsets of a struct: A() of an axis, P() of a point, C() of a
   candidate, N() of a plan. */
#include "report/figures.h"

#include "analytic/analytic.h"
#include "dlqueue/sweep.h"
#include "report/plan_report.h"
#include "study/model.h"

#define A(member) offsetof(struct dlq_axis, member)
static const struct dlq_figure axis[] = {
    DLQ_ROW("name", WORD, A(name), NULL, "a key of [sweep]"),
    DLQ_ROW("values", NUMBERS, A(values), "number", "ascending; times in seconds, a bandwidth in bytes/s",
            .count_at = A(count), .by_pointer = true),
};
const struct dlq_figures dlq_figures_axis = DLQ_FIGURES("sweep: axes[]", NULL, axis);

#define P(member) offsetof(struct dlq_sweep_point, member)
static const struct dlq_figure point[] = {
    DLQ_ROW("loaders, prefetch, ranks, cores, batch_size, threads", TOLD, .unit = "count",
            .help = "N, p, R, of a host, samples, of a load; only where it is an axis"),
    DLQ_ROW("load, step, startup, startup_per_loader", TOLD, .unit = "s",
            .help = "s, t, of the workers; only where it is an axis"),
    DLQ_ROW("receive, pin_time, barrier", TOLD, .unit = "s", .help = "of a batch; only where it is an axis"),
    DLQ_ROW("bandwidth, storage", TOLD, .unit = "bytes/s",
            .help = "of a host, of the storage; only where it is an axis"),
    DLQ_ROW("cache, contention", TOLD, .unit = "share",
            .help = "of the data set, in the cache; of loads; only where it is an axis"),
    DLQ_ROW("cv, step_cv", TOLD, .unit = "number", .help = "of the load, of the step; only where it is an axis"),
    DLQ_ROW("upper", NUMBER, P(bounds.upper), "1/s", "the smallest of the upper bounds, batches of one rank"),
    DLQ_ROW("lower", NUMBER, P(bounds.lower), "1/s", "the lower bound", "pin_time is not 0, unless serial"),
    DLQ_ROW("throughput", ESTIMATE, P(simulation.throughput), "1/s", "batches of one rank"),
    DLQ_ROW("utilization", ESTIMATE, P(simulation.utilization), "share", DLQ_BUSY, "t is 0"),
    DLQ_ROW("wait_mean", NUMBER, P(simulation.wait_mean.value), "s",
            "wait for data before a step, receive cost and barrier included"),
    DLQ_ROW("wait_p99", NUMBER, P(simulation.wait_p99), "s", "quantile of that wait",
            "no step ends within the horizon"),
    DLQ_ROW("stalled_steps", NUMBER, P(simulation.stalled_steps.value), "share",
            "of the steps: waited for longer than 0.1 % of t (of s, if t is 0)"),
    DLQ_ROW("bound_by", NAMED, P(bound_by), NULL, "the bottleneck, as in verdict of solve", .names = dlq_cause_names),
    DLQ_ROW("replications", COUNT, P(simulation.replications), NULL,
            "independent runs; 0: solved exactly, method = markov"),
    DLQ_ROW("precision_reached", FLAG, P(simulation.precision_reached), NULL,
            "the interval of throughput is as narrow as [simulate] precision"),
};
const struct dlq_figures dlq_figures_point =
    DLQ_FIGURES("sweep: points[]; sweep --csv",
                "One for each combination of the axes' values. DIR/STEM-sweep.csv is the same table.", point);

/* What --join needs of a point: columns of DIR/STEM-part-K-of-N.csv, which only dlqueue reads. */
static const struct dlq_figure part[] = {
    DLQ_ROW("throughput", ESTIMATE, P(simulation.throughput), "1/s", NULL),
    DLQ_ROW("utilization", ESTIMATE, P(simulation.utilization), "share", NULL),
    DLQ_ROW("wait_mean", NUMBER, P(simulation.wait_mean.value), "s", NULL),
    DLQ_ROW("wait_p99", NUMBER, P(simulation.wait_p99), "s", NULL),
    DLQ_ROW("stalled_steps", NUMBER, P(simulation.stalled_steps.value), "share", NULL),
    DLQ_ROW("bound_by", NAMED, P(bound_by), NULL, NULL, .names = dlq_cause_names),
    DLQ_ROW("replications", COUNT, P(simulation.replications), NULL, NULL),
    DLQ_ROW("precision_reached", FLAG, P(simulation.precision_reached), NULL, NULL),
    DLQ_ROW("batches", COUNT, P(simulation.batches_per_replication), NULL, NULL),
    DLQ_ROW("missed", NUMBER, P(simulation.rare_time), "s", NULL),
    DLQ_ROW("outside_bound", NUMBER, P(simulation.outside_bound), "1/s", NULL),
    DLQ_ROW("heavy_tail", FLAG, P(simulation.heavy_tail), NULL, NULL),
    DLQ_ROW("still_warming_up", FLAG, P(simulation.still_warming_up), NULL, NULL),
    DLQ_ROW("lockstep", FLAG, P(simulation.lockstep), NULL, NULL),
};
const struct dlq_figures dlq_figures_part = DLQ_FIGURES(NULL, NULL, part);

DLQ_MISSING(no_prefetch, object, struct dlq_candidate, it->prefetch == 0)
/* Cores and bandwidth of a host, and an instance, are printed only if the plan solves for them. */
DLQ_MISSING(no_cores, root, struct dlq_plan, it->solve != DLQ_SOLVE_CORES)
DLQ_MISSING(no_bandwidth, root, struct dlq_plan, it->solve != DLQ_SOLVE_BANDWIDTH)
DLQ_MISSING(no_storage, root, struct dlq_plan, it->solve != DLQ_SOLVE_STORAGE)
DLQ_MISSING(no_instance, root, struct dlq_plan, it->solve != DLQ_SOLVE_INSTANCE)
DLQ_MISSING(no_most, root, struct dlq_plan, it->solve == DLQ_SOLVE_BANDWIDTH || it->solve == DLQ_SOLVE_STORAGE)
DLQ_MISSING(no_batch_size, root, struct dlq_plan, !it->description.has_batch_size)

static bool outside_table(const void *candidate)
{
    return !((const struct dlq_candidate *)candidate)->in_table;
}

DLQ_MISSING(interrupted, root, struct dlq_plan, it->interrupted)
#define C(member) offsetof(struct dlq_candidate, member)
static const struct dlq_figure candidate[] = {
    DLQ_ROW("loaders", COUNT, C(loaders), NULL, "N"),
    DLQ_ROW("prefetch", COUNT, C(prefetch), NULL, "p", "the loader has none", no_prefetch),
    DLQ_ROW("ranks", COUNT, C(ranks), NULL, "R"),
    DLQ_ROW("instance", WORD, C(instance), NULL, "the cheapest that will do; where it is looked for",
            .missing = no_instance, .omitted = true),
    DLQ_ROW("cores", NUMBER, C(cores), NULL, "of a host; where cores are looked for", .missing = no_cores,
            .omitted = true),
    DLQ_ROW("bandwidth", NUMBER, C(bandwidth), "bytes/s", "of a host; where it is looked for", .missing = no_bandwidth,
            .omitted = true),
    DLQ_ROW("storage", NUMBER, C(storage), "bytes/s", "of the storage; where it is looked for", .missing = no_storage,
            .omitted = true),
    DLQ_ROW("utilization", ESTIMATE, C(simulation.utilization), "share", DLQ_BUSY, "t is 0"),
    DLQ_ROW("au", ESTIMATE, C(simulation.au), "share", "MLPerf Storage's: step times / (wall time - first steps)",
            "t is 0, or all steps are first ones"),
    DLQ_ROW("throughput", ESTIMATE, C(simulation.throughput), "1/s", "batches of one rank"),
    DLQ_ROW("wait_p99", NUMBER, C(simulation.wait_p99), "s", "quantile of the wait for data before a step",
            "no step ends within the horizon"),
    DLQ_ROW("memory_bytes", NUMBER, C(host.memory_bytes), "bytes", "of batches and loaders of one host",
            "neither size is known, or K unbounded"),
    DLQ_ROW("shm_bytes", NUMBER, C(host.shm_bytes), "bytes",
            "of batches in /dev/shm of one host; 0 without loader processes",
            "the size of a batch is not known, or K unbounded"),
    DLQ_ROW("cores_used", NUMBER, C(host.cores_used), NULL, "cores of one host that are busy, on average",
            "no stage uses cpu"),
    DLQ_ROW("cost_per_hour", NUMBER, C(cost_per_hour), "price", "[host] price x hosts", "no price is given"),
    DLQ_ROW("cost_per_million_samples", NUMBER, C(cost_per_million_samples), "price", "at samples_per_second",
            "that is 0, or price or batch_size is not given"),
    DLQ_ROW("epoch_seconds", NUMBER, C(simulation.epoch_seconds.value), "s", "of one epoch, mean",
            "the epoch is endless, or with a horizon"),
    DLQ_ROW("upper", NUMBER, C(bounds.upper), "1/s", "the smallest of the upper bounds, batches of one rank"),
    DLQ_ROW("samples_per_second", ESTIMATE, C(simulation.samples_per_second), "1/s", "of all ranks",
            "batch_size is not given", no_batch_size),
    DLQ_ROW("bound_by", NAMED, C(bound_by), NULL, "the bottleneck, as in verdict of solve", .last = true,
            .names = dlq_cause_names),
    DLQ_ROW("meets", FLAG, C(meets), NULL, "the low end of what is planned for reaches the target"),
    DLQ_ROW("fits", FLAG, C(host.fits), NULL, "into [host] memory and shm, so far as these are given"),
};
const struct dlq_figures dlq_figures_candidate = DLQ_FIGURES(
    "plan: answer, table[], rules[]; plan --csv",
    "`table` and --csv: the candidates around the answer; `rules`: what rules of thumb say, empty where not loaders "
    "are looked for.",
    candidate);

static const struct dlq_figure rule[] = {
    DLQ_ROW("rule", WORD, offsetof(struct dlq_plan_rule, rule), NULL, "load/step, cores - 1 or cores/ranks - 1"),
    DLQ_ROW("candidate", INLINE, offsetof(struct dlq_plan_rule, candidate), .of = &dlq_figures_candidate),
};
static const struct dlq_figures of_rule = DLQ_FIGURES("plan: rules[]", NULL, rule);

/* N() holds for struct dlq_plan_answer, too, whose first member is its plan. */
#define N(member) offsetof(struct dlq_plan, member)
static const struct dlq_figure plan[] = {
    DLQ_ROW("name", WORD, N(description.name), NULL, "[pipeline] name, or that of the file"),
    DLQ_ROW("target", NUMBER, N(target), NULL, "[plan] target: a share, or samples/s of all ranks"),
    DLQ_ROW("of", NAMED, N(of), NULL, "what is to reach it: utilization, au or samples_per_second",
            .names = dlq_plan_of_words),
    DLQ_ROW("met", FLAG, N(met), NULL, "false: exit status 3, and `answer` is the best that fits", "interrupted",
            interrupted),
    DLQ_ROW("answer", OBJECT, N(answer), NULL, "the candidate that is the answer", "interrupted", interrupted,
            &dlq_figures_candidate),
    DLQ_ROW("binds", NAMED, N(obstacle), NULL,
            "what keeps the next smaller answer (of ranks: the next larger) from the target; if it is not met, all: "
            "as bound_by, but loaders for load and serial, bandwidth for host_bandwidth and storage; or memory, shm",
            "interrupted", .names = dlq_cause_names),
    DLQ_ROW("table", LIST, N(candidates), .of = &dlq_figures_candidate, .count_at = N(count),
            .stride = sizeof(struct dlq_candidate), .by_pointer = true, .skip = outside_table),
    DLQ_ROW("rules", LIST, N(rules), .of = &of_rule, .count_at = N(rule_count), .stride = sizeof(struct dlq_plan_rule)),
    DLQ_ROW("solve", NAMED, N(solve), NULL,
            "what is looked for: loaders, prefetch, ranks, cores, bandwidth, storage or instance",
            .names = dlq_plan_solve_words),
    DLQ_ROW("at_most", COUNT, N(at_most), NULL, "the most of these that are tried", "a bandwidth is looked for",
            no_most),
    DLQ_ROW("text", LETTERS, offsetof(struct dlq_plan_answer, text), NULL, "the finding in sentences"),
    DLQ_ROW("loader", WORD, N(description.loader), NULL, "[pipeline] loader: a row of `dlqueue loaders`"),
    DLQ_ROW("levers", LIST, N(levers.rows), .of = &dlq_figures_lever, .count_at = N(levers.count),
            .stride = sizeof(struct dlq_lever)),
    DLQ_ROW("warnings", TEXTS, N(warnings), NULL, "what to mind with these figures", .count_at = N(warning_count),
            .stride = DLQ_WARNING_TEXT),
    DLQ_ROW("interrupted", FLAG, N(interrupted), NULL,
            "by a signal: `table` holds the candidates that were finished, answer is null, text, rules and levers are "
            "empty"),
};
const struct dlq_figures dlq_figures_plan = DLQ_FIGURES("plan", NULL, plan);
