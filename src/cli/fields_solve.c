/* Fields of dlqueue solve. */
#include "fields.h"

static const struct dlq_field every[] = {
    {"dlqueue", "text", "the version that wrote it", NULL},
    {"command", "text", "the command's name", NULL},
};

static const struct dlq_field root[] = {
    {"models[]", "object",
     "only with several CONFIGs: an object for each, with all that follows, in place of the outermost one", NULL},
    {"name", "text", "[pipeline] name, or that of the file", NULL},
    {"loader", "text", "[pipeline] loader: a row of `dlqueue loaders`", NULL},
    {"loaders", "count", "N; 0: the training process loads for itself", NULL},
    {"prefetch", "count", "p", "the loader has none"},
    {"window", "count", "K", "unbounded"},
    {"ranks", "count", "R", NULL},
    {"batch_size", "count", "samples in a batch of a rank; 1 where it is not given", NULL},
    {"seed", "count", "of the draws; from 2^63 on as text", NULL},
    {"load_ratio", "number", "s / (N t): above 1 the loaders cannot keep up", "N or t is 0"},
    {"warnings[]", "text", "what to mind with these figures", NULL},
    {"interrupted", "flag",
     "by a signal: simulation is of the runs that were finished, or null, verdict is null, levers are empty", NULL},
};

static const struct dlq_field works[] = {
    {"mean", "s", "s and t: of a batch", NULL},
    {"cv", "number", "coefficient of variation", "the variance is infinite"},
};

static const struct dlq_field bounds[] = {
    {"serial", "1/s", "without overlap: load, pin, receive and step one after the other", NULL},
    {"load", "1/s", "what the loaders can load", "serial"},
    {"window", "1/s", "what the window lets pass", "serial, or unbounded"},
    {"step", "1/s", "1 / t", "t is 0"},
    {"receive", "1/s", "1 / (t + receive cost + barrier)", "neither costs anything"},
    {"cores", "1/s", "what the host's cores can load", "no stage uses cpu, or [host] cores is not given"},
    {"host_bandwidth", "1/s", "what reaches the host", "no bytes, or no [host] bandwidth, given"},
    {"storage", "1/s", "what the storage delivers", "no bytes, or no [storage] bandwidth, given"},
    {"pin", "1/s", "1 / pin_time", "pin_time is 0"},
    {"upper", "1/s", "the smallest of load, window, ..., pin (of serial too, if it is that)", NULL},
    {"lower", "1/s", "no slower, in whatever order loads of these laws come", "pin_time is not 0, unless serial"},
    {"bottleneck", "text", "which of these is the smallest, or serial; step, if it is within 1 % of that", NULL},
};

static const struct dlq_field estimates[] = {
    {"product_form", "object", "a closed network of queues (Gordon and Newell 1967)", "serial"},
    {"diffusion", "object", "regulated Brownian motion (Harrison 1985)",
     "serial, K < 2 N, t is 0, or the variance is too large"},
    {"autotune", "object", "what tf.data AUTOTUNE reckons with", "serial"},
    {"markov", "object", "the Markov chain", "there is none for this model, or it takes too long"},
};

static const struct dlq_field forms[] = {
    {"value", "1/s", "batches of one rank", NULL},
    {"exact", "flag", "the model's own answer, no approximation of it", NULL},
};

static const struct dlq_field simulation[] = {
    {"throughput", "~ 1/s", "batches of one rank", NULL},
    {"samples_per_second", "~ 1/s", "of all ranks; a batch whose size is not given counts as one sample", NULL},
    {"utilization", "~ share", "time in which the trainer steps / all time", "t is 0"},
    {"au", "~ share", "MLPerf Storage's: step times / (wall time - first steps)",
     "t is 0, or all steps are first ones"},
    {"wait_mean", "~ s", "wait for data before a step, receive cost and barrier included", NULL},
    {"wait_p50, wait_p90, wait_p99", "s", "quantiles of that wait", "no step ends within the horizon"},
    {"wait_max", "s", "the longest", "method = markov"},
    {"stalled_steps", "~ share", "of the steps: waited for longer than 0.1 % of t (of s, if t is 0)", NULL},
    {"period", "count", "steps from stall to stall", "no rhythm found"},
    {"batches", "~ count", "trained on within the horizon; a mean", "no [simulate] horizon"},
    {"time_to_first_batch", "~ s", "from the start of the run", "method = markov"},
    {"epoch_seconds", "~ s", "of one epoch", "the epoch is endless, or with a horizon"},
    {"replications", "count", "independent runs; 0: solved exactly, method = markov", NULL},
    {"batches_per_replication", "count", "measured in each, behind the warm-up", NULL},
    {"precision_reached", "flag", "the interval of throughput is as narrow as [simulate] precision", NULL},
    {"variance_reduction", "number", "factor by which control variates divide the variance", "none were used"},
};

static const struct dlq_field host[] = {
    {"cores_used", "number", "cores that are busy, on average", "no stage uses cpu"},
    {"cpu_slowdown", "number", "from 1: time of the stages that use cpu / their time at full speed", "there are none"},
    {"storage_slowdown", "number", "from 1: the same of those that use storage", "there are none"},
    {"memory_bytes", "bytes", "of batches and loaders", "neither size is known, or K unbounded"},
    {"shm_bytes", "bytes", "of batches in /dev/shm; 0 without loader processes",
     "the size of a batch is not known, or K unbounded"},
    {"fits", "flag", "into [host] memory and shm, so far as these are given", NULL},
};

static const struct dlq_field verdict[] = {
    {"bound_by", "text",
     "the bottleneck: load, window, step, cores, host_bandwidth, storage, pin, serial, order, barrier, startup, "
     "receive, variance, or several (no single cause makes up a quarter of what is missing to the step's rate)",
     NULL},
    {"headroom", "number", "step bound / throughput: so many times as fast if data were always there",
     "t or throughput is 0"},
    {"text", "text", "what binds, why, and what to do, in sentences", NULL},
};

static const struct dlq_field losses[] = {
    {"cause", "text", "order, barrier, startup, receive or variance", NULL},
    {"throughput", "1/s", "batches of one rank, were that cause alone away", NULL},
};

static const struct dlq_field levers[] = {
    {"change", "text", "to the model; the one that gains most is the first", NULL},
    {"throughput", "~ 1/s", "batches of one rank, with it", NULL},
    {"gain", "~ number", "of throughput: 0.1 is 10 % more, below 0 is less", "throughput is 0"},
    {"proven", "flag", "the interval of gain does not hold 0", NULL},
};

static const struct dlq_field columns[] = {
    {"name, loader, bound_by", "text", "as name, loader and verdict.bound_by of --json", NULL},
    {"loaders", "count", "N", NULL},
    {"prefetch", "count", "p", "the loader has none"},
    {"window", "count", "K", "unbounded"},
    {"load, step", "s", "s and t", NULL},
    {"lower", "1/s", "as bounds.lower", "pin_time is not 0, unless serial"},
    {"upper", "1/s", "as bounds.upper", NULL},
    {"throughput", "~ 1/s", "batches of one rank", NULL},
    {"ratio", "number", "throughput / that of the first CONFIG", "that is 0"},
    {"samples_per_second", "1/s", "of all ranks", "batch_size is not given"},
    {"utilization", "share", "time in which the trainer steps / all time", "t is 0"},
    {"wait_mean", "s", "as that of simulation", NULL},
    {"wait_p99", "s", "likewise", "no step ends within the horizon"},
    {"stalled_steps", "share", "likewise", NULL},
};

static const struct dlq_field_group groups[] = {
    DLQ_FIELD_GROUP("every command", NULL, every),
    DLQ_FIELD_GROUP("solve", NULL, root),
    DLQ_FIELD_GROUP("solve: load, step", NULL, works),
    DLQ_FIELD_GROUP("solve: bounds", "Batches per second of one rank.", bounds),
    DLQ_FIELD_GROUP("solve: estimates", "By formula, each an object or null.", estimates),
    DLQ_FIELD_GROUP("solve: estimates.*", NULL, forms),
    DLQ_FIELD_GROUP("solve: simulation", NULL, simulation),
    DLQ_FIELD_GROUP("solve: host", "Of one host.", host),
    DLQ_FIELD_GROUP("solve: verdict", NULL, verdict),
    DLQ_FIELD_GROUP("solve: verdict.losses[]", "What each cause that is there costs.", losses),
    DLQ_FIELD_GROUP("solve: levers[]; plan: levers[]", "What single changes gain.", levers),
    DLQ_FIELD_GROUP("solve --csv", "A row for each CONFIG.", columns),
};

const struct dlq_field_groups dlq_fields_of_solve = {groups, sizeof groups / sizeof *groups};
