/* What `help output` and the manual list: the figures of all commands, and those of the commands that print a table of
   what dlqueue knows. */
#include "output.h"

#include "dlqueue/distributions.h"
#include "dlqueue/instances.h"
#include "dlqueue/loaders.h"
#include "dlqueue/model.h"
#include "logs/report/advise.h"
#include "logs/report/compare.h"
#include "report/figures.h"

#include <stddef.h>

const char *const dlq_figures_rules[] = {
    "The fields of --json and the columns of --csv. A headline says where those below it stand: `plan: answer, "
    "table[]` is the object `answer`, and each object of the list `table`, of what `dlqueue plan --json` writes; "
    "`plan --csv` is columns.",
    "A kind that begins with ~ is an estimate's. In JSON it is an object of `value`, `low` and `high`, "
    "the ends of the 95 % interval (of a single run, which has none, both are `value`). In CSV, and in `points` of "
    "sweep, these are three fields: NAME, NAME_low, NAME_high.",
    "What has no value is null in JSON and empty in CSV, where `null:` says when; no key is left out, but where it "
    "is said. Symbols: N loaders of a rank, p prefetch, K window, R ranks, s and t mean times of a load and of a "
    "step.",
    "Kinds: text; flag: true or false; count: a whole number from 0; number: without unit; share: 0 to 1; s: "
    "seconds; time: seconds from the start of the run, of a log from its first request; 1/s: per second; bytes; "
    "bytes/s; price: money; object: its fields are listed by themselves.",
    NULL,
};

DLQ_MISSING(no_value, object, struct dlq_setting, it->value[0] == '\0')
#define S(member) offsetof(struct dlq_setting, member)
static const struct dlq_figure settings[] = {
    DLQ_ROW("section", WORD, S(section), NULL, "of the configuration"),
    DLQ_ROW("key", WORD, S(key), .alike = true),
    DLQ_ROW("value", LETTERS, S(value), NULL, "in canonical form, with its unit", "it has none", no_value),
    DLQ_ROW("origin", LETTERS, S(origin), NULL, "where it is from: file and line, an option, or a default"),
    DLQ_ROW("given", FLAG, S(given), NULL, "false: a default"),
};
const struct dlq_figures dlq_figures_settings = DLQ_FIGURES("check: settings[]; check --csv", NULL, settings);

static const struct dlq_figure templates[] = {
    DLQ_ROW("name", TOLD, 0, "text", "pytorch, tfdata or mlperf"),
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
#define L(member) offsetof(struct dlq_loader, member)
static const struct dlq_figure loaders[] = {
    DLQ_ROW("name", WORD, L(name), NULL, "for [pipeline] loader", .heading = "loader"),
    DLQ_ROW("order", NAMED, L(order), NULL,
            "index or completion: batches are delivered as dispatched, or as they finish", .names = orders,
            .heading = "delivered by"),
    DLQ_ROW("assign", NAMED, L(assign), NULL, "who loads the next batch: trainer, round-robin, pool, owner or single",
            .names = assigns, .heading = "loaded by"),
    DLQ_ROW("window", WORD, L(window_rule), NULL, "K by a rule of p and N", "the trainer loads for itself", no_window,
            .heading = "window"),
    DLQ_ROW("prefetch_name", WORD, L(prefetch_name), NULL, "what the loader calls p", "it has none",
            .heading = "prefetch is"),
    DLQ_ROW("prefetch", COUNT, L(prefetch), NULL, "its default of p", "it has none", no_prefetch, .heading = "default"),
    DLQ_ROW("release", NAMED, L(release), NULL, "delivery or request: what lets the next batch be dispatched",
            .names = releases),
    DLQ_ROW("real", WORD, L(real), NULL, "the real thing", .heading = "the real thing"),
};
const struct dlq_figures dlq_figures_loaders = DLQ_FIGURES("loaders: loaders[]; loaders --csv", NULL, loaders);

#define D(member) offsetof(struct dlq_distribution_help, member)
static const struct dlq_figure distributions[] = {
    DLQ_ROW("name", WORD, D(name), NULL, "for [load] and [step] distribution", .heading = "distribution"),
    DLQ_ROW("parameters", WORD, D(parameters), NULL, "its keys", .heading = "parameters"),
    DLQ_ROW("help", WORD, D(help), NULL, "what it is", .heading = "what it is"),
};
const struct dlq_figures dlq_figures_distributions =
    DLQ_FIGURES("distributions: distributions[]; distributions --csv", NULL, distributions);

static double vcpus_per_gpu(const void *object)
{
    const struct dlq_instance *instance = object;
    return instance->vcpus / (double)instance->gpus;
}

#define I(member) offsetof(struct dlq_instance, member)
static const struct dlq_figure instances[] = {
    DLQ_ROW("name", WORD, I(name), NULL, "for [host] instance", .heading = "instance"),
    DLQ_ROW("provider", WORD, I(provider), NULL, "source: of the figures, and when they were retrieved",
            .heading = "provider"),
    DLQ_ROW("gpu", WORD, I(gpu), .alike = true, .heading = "GPU"),
    DLQ_ROW("source", WORD, I(source), .alike = true, .last = true),
    DLQ_ROW("gpus", COUNT, I(gpus), NULL, "in the instance", .heading = "GPUs"),
    DLQ_ROW("vcpus", NUMBER, I(vcpus), NULL, "hyper-threads", .heading = "vCPU", .digits = 3),
    DLQ_ROW("vcpus_per_gpu", COMPUTED, .number = vcpus_per_gpu, .alike = true, .heading = "per GPU", .digits = 3),
    DLQ_ROW("memory_bytes", NUMBER, I(memory), "bytes", "of the host", "not known", .heading = "memory", .digits = 4),
    DLQ_ROW("network_bytes_per_second", NUMBER, I(bandwidth), "bytes/s", "of the host", "not known",
            .heading = "network/s", .digits = 3),
    DLQ_ROW("local_storage_bytes", NUMBER, I(local_storage), "bytes", "of its drives", "not known", .heading = "NVMe",
            .digits = 3),
    DLQ_ROW("price_per_hour", NUMBER, I(price), "price", "US dollars, on demand", "not known", .heading = "$/h",
            .digits = 4),
};
const struct dlq_figures dlq_figures_instances =
    DLQ_FIGURES("instances: instances[]; instances --csv", NULL, instances);

static const struct dlq_figure keys[] = {
    DLQ_ROW("section, key", TOLD, 0, "text", "of the configuration"),
    DLQ_ROW("kind", TOLD, 0, "text", "of its value: time, size, rate, share, whole number, factor, word, text, ..."),
    DLQ_ROW("range", TOLD, 0, "flag", "several values: 1..32, or a list"),
    DLQ_ROW("words[]", TOLD, 0, "text", "the words that may be given"),
    DLQ_ROW("least, most", TOLD, 0, "text", "both may be given, too", "no limit"),
    DLQ_ROW("default", TOLD, 0, "text", "as a configuration has it", "none, or what the manual says"),
    DLQ_ROW("help", TOLD, 0, "text", "what it is"),
};

static const struct dlq_figure options[] = {
    DLQ_ROW("name", TOLD, 0, "text", "without the dashes"),
    DLQ_ROW("value", TOLD, 0, "text", "what help calls its value", "it has none"),
    DLQ_ROW("key", TOLD, 0, "text", "section.key: the option is short for --set of it", "it is not"),
    DLQ_ROW("commands[]", TOLD, 0, "text", "those that have the option"),
    DLQ_ROW("help", TOLD, 0, "text", "what it is"),
};

static const struct dlq_figure every[] = {
    DLQ_ROW("dlqueue", TOLD, 0, "text", "the version that wrote it"),
    DLQ_ROW("command", TOLD, 0, "text", "the command's name"),
};

/* Those that are part of no other. */
static const struct dlq_figures tables[] = {
    DLQ_FIGURES("init", NULL, templates),
    DLQ_FIGURES("help: keys[]", NULL, keys),
    DLQ_FIGURES("help: options[]", NULL, options),
};
static const struct dlq_figures of_every = DLQ_FIGURES("every command", NULL, every);

enum { MOST_GROUPS = 100 };

/* The group and those of its rows, each once. */
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
                                                    &dlq_figures_plan,
                                                    &dlq_figures_timeline,
                                                    &dlq_figures_timeline_columns,
                                                    &dlq_figures_diagnosis,
                                                    &dlq_figures_diagnosis_columns,
                                                    &dlq_figures_fit,
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
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        count = add_groups(&tables[i], found, count);
    return index < count ? found[index] : NULL;
}
