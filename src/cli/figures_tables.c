/* Fields of dlqueue check, init, loaders, distributions and instances. */
#include "figures.h"

#define TOLD(names, kind_of, meaning, none)                                                                            \
    {                                                                                                                  \
        .name = (names), .kind = DLQ_FIGURE_TOLD, .unit = (kind_of), .help = (meaning), .absent = (none)               \
    }

static const struct dlq_figure settings[] = {
    TOLD("section, key", "text", "of the configuration", NULL),
    TOLD("value", "text", "in canonical form, with its unit", "it has none"),
    TOLD("origin", "text", "where it is from: file and line, an option, or a default", NULL),
    TOLD("given", "flag", "false: a default", NULL),
};

static const struct dlq_figure templates[] = {
    TOLD("name", "text", "pytorch, tfdata or mlperf", NULL),
    TOLD("config", "text", "the configuration, as a file would hold it", NULL),
};

static const struct dlq_figure loaders[] = {
    TOLD("name", "text", "for [pipeline] loader", NULL),
    TOLD("order", "text", "index or completion: batches are delivered as dispatched, or as they finish", NULL),
    TOLD("assign", "text", "who loads the next batch: trainer, round-robin, pool, owner or single", NULL),
    TOLD("window", "text", "K by a rule of p and N", "the trainer loads for itself"),
    TOLD("prefetch_name", "text", "what the loader calls p", "it has none"),
    TOLD("prefetch", "count", "its default of p", "it has none"),
    TOLD("release", "text", "delivery or request: what lets the next batch be dispatched", NULL),
    TOLD("real", "text", "the real thing", NULL),
};

static const struct dlq_figure distributions[] = {
    TOLD("name", "text", "for [load] and [step] distribution", NULL),
    TOLD("parameters", "text", "its keys", NULL),
    TOLD("help", "text", "what it is", NULL),
};

static const struct dlq_figure instances[] = {
    TOLD("name", "text", "for [host] instance", NULL),
    TOLD("provider, gpu, source", "text", "source: of the figures, and when they were retrieved", NULL),
    TOLD("gpus", "count", "in the instance", NULL),
    TOLD("vcpus, vcpus_per_gpu", "number", "hyper-threads", NULL),
    TOLD("memory_bytes", "bytes", "of the host", "not known"),
    TOLD("network_bytes_per_second", "bytes/s", "of the host", "not known"),
    TOLD("local_storage_bytes", "bytes", "of its drives", "not known"),
    TOLD("price_per_hour", "price", "US dollars, on demand", "not known"),
};

static const struct dlq_figures of_settings = DLQ_FIGURES("check: settings[]; check --csv", NULL, settings);
static const struct dlq_figures of_templates = DLQ_FIGURES("init", NULL, templates);
static const struct dlq_figures of_loaders = DLQ_FIGURES("loaders: loaders[]; loaders --csv", NULL, loaders);
static const struct dlq_figures of_distributions =
    DLQ_FIGURES("distributions: distributions[]; distributions --csv", NULL, distributions);
static const struct dlq_figures of_instances = DLQ_FIGURES("instances: instances[]; instances --csv", NULL, instances);

const struct dlq_figures *const dlq_figures_of_tables[] = {&of_settings,      &of_templates, &of_loaders,
                                                           &of_distributions, &of_instances, NULL};
