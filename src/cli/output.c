/* The list of the figures of all commands, for `help output` and the manual; and the rows of figures of `check`,
   `loaders`, `distributions`, `instances`, `init` and `help`. */
#include "output.h"

#include "dlqueue/distributions.h"
#include "dlqueue/instances.h"
#include "dlqueue/loaders.h"
#include "logs/report/report.h"
#include "report/figures.h"
#include "report/tornado.h"

#include <stddef.h>

const char *const dlq_figures_rules[] = {
    "The fields of --json and the columns of --csv. A headline says where its fields are: `plan: answer, table[]` "
    "means the object `answer` and each object of the list `table` in the output of `dlqueue plan --json`; "
    "`plan --csv` means columns.",
    "~ marks an estimate with an interval. In JSON it is an object of `value`, `low` and `high`, the ends of the 95 % "
    "interval (a single run has no interval: both ends are `value`). In CSV, and in `points` of sweep, it is three "
    "fields: NAME, NAME_low, NAME_high.",
    "A field without a value is null in JSON and empty in CSV; `null:` says when. A key is left out only where its "
    "description says so. Symbols: N loaders of a rank, p prefetch, K window, R ranks, s and t mean times of a load "
    "and of a step.",
    "Kinds: text; flag: true or false; count: a whole number from 0; number: without unit; share: 0 to 1; s: seconds; "
    "time: seconds from the start of the run, or from the first request of a log; 1/s: per second; bytes; bytes/s; "
    "price: money; object: its fields have a headline of their own.",
    NULL,
};

DLQ_MISSING(no_value, object, struct dlq_setting, it->value[0] == '\0')
#define OF(member) offsetof(struct dlq_setting, member)
static const struct dlq_figure settings[] = {
    DLQ_ROW("section", WORD, OF(section), NULL, "of the configuration"),
    DLQ_ROW("key", WORD, OF(key), .alike = true),
    DLQ_ROW("value", LETTERS, OF(value), NULL, "the value in canonical form, with its unit", "the key has none",
            no_value),
    DLQ_ROW("origin", LETTERS, OF(origin), NULL, "where the value is from: file and line, an option, or a default"),
    DLQ_ROW("given", FLAG, OF(given), NULL, "false: the value is a default"),
};
#undef OF
const struct dlq_figures dlq_figures_settings = DLQ_FIGURES("check: settings[]; check --csv", NULL, settings);

static const struct dlq_figure templates[] = {
    DLQ_ROW("name", TOLD, 0, "text", "pytorch, tfdata, mlperf or cluster"),
    DLQ_ROW("config", TOLD, 0, "text", "the configuration, as a file would hold it"),
};

static const char *const orders[] = {[DLQ_ORDER_INDEX] = "index", [DLQ_ORDER_COMPLETION] = "completion"};
static const char *const assigns[] = {
    [DLQ_ASSIGN_TRAINER] = "trainer", [DLQ_ASSIGN_ROUND_ROBIN] = "round-robin", [DLQ_ASSIGN_POOL] = "pool",
    [DLQ_ASSIGN_OWNER] = "owner",     [DLQ_ASSIGN_SINGLE] = "single",
};
static const char *const releases[] = {[DLQ_RELEASE_DELIVERY] = "delivery", [DLQ_RELEASE_REQUEST] = "request"};
DLQ_MISSING(no_window, object, struct dlq_loader, it->window == NULL)
DLQ_MISSING(no_prefetch, object, struct dlq_loader, it->prefetch_name == NULL)
#define OF(member) offsetof(struct dlq_loader, member)
static const struct dlq_figure loaders[] = {
    DLQ_ROW("name", WORD, OF(name), NULL, "for [pipeline] loader", .heading = "loader"),
    DLQ_ROW("order", NAMED, OF(order), NULL,
            "index or completion: batches are delivered as dispatched, or as they finish", .names = orders,
            .heading = "delivered by"),
    DLQ_ROW("assign", NAMED, OF(assign), NULL, "who loads the next batch: trainer, round-robin, pool, owner or single",
            .names = assigns, .heading = "loaded by"),
    DLQ_ROW("window", WORD, OF(window_rule), NULL, "the rule that gives K from p and N", "the trainer loads for itself",
            no_window, .heading = "window"),
    DLQ_ROW("prefetch_name", WORD, OF(prefetch_name), NULL, "what the loader calls p", "the loader has none",
            .heading = "prefetch is"),
    DLQ_ROW("prefetch", COUNT, OF(prefetch), NULL, "the default of p", "the loader has none", no_prefetch,
            .heading = "default"),
    DLQ_ROW("release", NAMED, OF(release), NULL,
            "delivery or request: the event after which the next batch is dispatched", .names = releases),
    DLQ_ROW("real", WORD, OF(implementation), NULL, "the data loader that is modeled", .heading = "the real thing"),
};
#undef OF
const struct dlq_figures dlq_figures_loaders = DLQ_FIGURES("loaders: loaders[]; loaders --csv", NULL, loaders);

#define OF(member) offsetof(struct dlq_distribution_help, member)
static const struct dlq_figure distributions[] = {
    DLQ_ROW("name", WORD, OF(name), NULL, "for [load] and [step] distribution", .heading = "distribution"),
    DLQ_ROW("parameters", WORD, OF(parameters), NULL, "its keys", .heading = "parameters"),
    DLQ_ROW("help", WORD, OF(help), NULL, "what it is", .heading = "what it is"),
};
#undef OF
const struct dlq_figures dlq_figures_distributions =
    DLQ_FIGURES("distributions: distributions[]; distributions --csv", NULL, distributions);

static double vcpus_per_gpu(const void *object)
{
    const struct dlq_instance *instance = object;
    return instance->vcpus / (double)instance->gpus;
}

#define OF(member) offsetof(struct dlq_instance, member)
static const struct dlq_figure instances[] = {
    DLQ_ROW("name", WORD, OF(name), NULL, "for [host] instance", .heading = "instance"),
    DLQ_ROW("provider", WORD, OF(provider), NULL, "source: where the figures are from, and when they were retrieved",
            .heading = "provider"),
    DLQ_ROW("gpu", WORD, OF(gpu), .alike = true, .heading = "GPU"),
    DLQ_ROW("source", WORD, OF(source), .alike = true, .last = true),
    DLQ_ROW("gpus", COUNT, OF(gpus), NULL, "in the instance", .heading = "GPUs"),
    DLQ_ROW("vcpus", NUMBER, OF(vcpus), NULL, "hyper-threads", .heading = "vCPU", .digits = 3),
    DLQ_ROW("vcpus_per_gpu", COMPUTED, .number = vcpus_per_gpu, .alike = true, .heading = "per GPU", .digits = 3),
    DLQ_ROW("memory_bytes", NUMBER, OF(memory), "bytes", "of the host", "not known", .heading = "memory", .digits = 4),
    DLQ_ROW("network_bytes_per_second", NUMBER, OF(bandwidth), "bytes/s", "of the host", "not known",
            .heading = "network/s", .digits = 3),
    DLQ_ROW("local_storage_bytes", NUMBER, OF(local_storage), "bytes", "of its drives", "not known", .heading = "NVMe",
            .digits = 3),
    DLQ_ROW("price_per_hour", NUMBER, OF(price), "price", "US dollars, on demand", "not known", .heading = "$/h",
            .digits = 4),
};
#undef OF
const struct dlq_figures dlq_figures_instances =
    DLQ_FIGURES("instances: instances[]; instances --csv", NULL, instances);

static const struct dlq_figure keys[] = {
    DLQ_ROW("section, key", TOLD, 0, "text", "of the configuration"),
    DLQ_ROW("kind", TOLD, 0, "text", "kind of value: time, size, rate, share, whole number, factor, word, text, ..."),
    DLQ_ROW("range", TOLD, 0, "flag", "the value may be a range (1..32) or a list"),
    DLQ_ROW("words[]", TOLD, 0, "text", "the words that may be given"),
    DLQ_ROW("least, most", TOLD, 0, "text", "the limits of the value, both included", "no limit"),
    DLQ_ROW("default", TOLD, 0, "text", "as in a configuration", "none, or described in the manual"),
    DLQ_ROW("help", TOLD, 0, "text", "what it is"),
};

static const struct dlq_figure options[] = {
    DLQ_ROW("name", TOLD, 0, "text", "without the dashes"),
    DLQ_ROW("value", TOLD, 0, "text", "what help calls the value", "the option has none"),
    DLQ_ROW("key", TOLD, 0, "text",
            "section.key: the option is short for --set section.key=", "the option is no setting"),
    DLQ_ROW("commands[]", TOLD, 0, "text", "the commands that have the option"),
    DLQ_ROW("help", TOLD, 0, "text", "what it is"),
};

static const struct dlq_figure every[] = {
    DLQ_ROW("dlqueue", TOLD, 0, "text", "the version of dlqueue"),
    DLQ_ROW("command", TOLD, 0, "text", "the command's name"),
};

/* Groups whose figures are written by code of the commands. */
static const struct dlq_figures written_by_code[] = {
    DLQ_FIGURES("init", NULL, templates),
    DLQ_FIGURES("help: keys[]", NULL, keys),
    DLQ_FIGURES("help: options[]", NULL, options),
};
static const struct dlq_figures of_every = DLQ_FIGURES("every command", NULL, every);

enum { MOST_GROUPS = 100 };

/* Adds the group and the groups of its rows, each once. */
static size_t add_groups(const struct dlq_figures *group, const struct dlq_figures *found[MOST_GROUPS], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (found[i] == group)
            return count;
    if (group->place != NULL && count < MOST_GROUPS)
        found[count++] = group;
    for (size_t i = 0; i < group->count; i++)
        if (group->rows[i].of != NULL)
            count = add_groups(group->rows[i].of, found, count);
    return count;
}

const struct dlq_figures *dlq_figures_group(size_t index)
{
    static const struct dlq_figures *const all[] = {&of_every,
                                                    &dlq_figures_solution,
                                                    &dlq_figures_comparison,
                                                    &dlq_figures_axis,
                                                    &dlq_figures_point,
                                                    &dlq_figures_tornado,
                                                    &dlq_figures_plan,
                                                    &dlq_figures_timeline,
                                                    &dlq_figures_timeline_columns,
                                                    &dlq_figures_diagnosis,
                                                    &dlq_figures_diagnosis_columns,
                                                    &dlq_figures_fit,
                                                    &dlq_figures_table_fit,
                                                    &dlq_figures_compare,
                                                    &dlq_figures_advice,
                                                    &dlq_figures_settings,
                                                    &dlq_figures_loaders,
                                                    &dlq_figures_distributions,
                                                    &dlq_figures_instances,
                                                    NULL};
    const struct dlq_figures *found[MOST_GROUPS];
    size_t count = 0;
    for (const struct dlq_figures *const *group = all; *group != NULL; group++)
        count = add_groups(*group, found, count);
    for (size_t i = 0; i < sizeof written_by_code / sizeof *written_by_code; i++)
        count = add_groups(&written_by_code[i], found, count);
    return index < count ? found[index] : NULL;
}
