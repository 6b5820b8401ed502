/* Fields of dlqueue check, init, loaders, distributions and instances. */
#include "report/figures.h"

static const struct dlq_figure settings[] = {
    DLQ_FIGURE_LINE("section, key", "text", "of the configuration", NULL),
    DLQ_FIGURE_LINE("value", "text", "in canonical form, with its unit", "it has none"),
    DLQ_FIGURE_LINE("origin", "text", "where it is from: file and line, an option, or a default", NULL),
    DLQ_FIGURE_LINE("given", "flag", "false: a default", NULL),
};

static const struct dlq_figure templates[] = {
    DLQ_FIGURE_LINE("name", "text", "pytorch, tfdata or mlperf", NULL),
    DLQ_FIGURE_LINE("config", "text", "the configuration, as a file would hold it", NULL),
};

static const struct dlq_figure loaders[] = {
    DLQ_FIGURE_LINE("name", "text", "for [pipeline] loader", NULL),
    DLQ_FIGURE_LINE("order", "text", "index or completion: batches are delivered as dispatched, or as they finish",
                    NULL),
    DLQ_FIGURE_LINE("assign", "text", "who loads the next batch: trainer, round-robin, pool, owner or single", NULL),
    DLQ_FIGURE_LINE("window", "text", "K by a rule of p and N", "the trainer loads for itself"),
    DLQ_FIGURE_LINE("prefetch_name", "text", "what the loader calls p", "it has none"),
    DLQ_FIGURE_LINE("prefetch", "count", "its default of p", "it has none"),
    DLQ_FIGURE_LINE("release", "text", "delivery or request: what lets the next batch be dispatched", NULL),
    DLQ_FIGURE_LINE("real", "text", "the real thing", NULL),
};

static const struct dlq_figure distributions[] = {
    DLQ_FIGURE_LINE("name", "text", "for [load] and [step] distribution", NULL),
    DLQ_FIGURE_LINE("parameters", "text", "its keys", NULL),
    DLQ_FIGURE_LINE("help", "text", "what it is", NULL),
};

static const struct dlq_figure instances[] = {
    DLQ_FIGURE_LINE("name", "text", "for [host] instance", NULL),
    DLQ_FIGURE_LINE("provider, gpu, source", "text", "source: of the figures, and when they were retrieved", NULL),
    DLQ_FIGURE_LINE("gpus", "count", "in the instance", NULL),
    DLQ_FIGURE_LINE("vcpus, vcpus_per_gpu", "number", "hyper-threads", NULL),
    DLQ_FIGURE_LINE("memory_bytes", "bytes", "of the host", "not known"),
    DLQ_FIGURE_LINE("network_bytes_per_second", "bytes/s", "of the host", "not known"),
    DLQ_FIGURE_LINE("local_storage_bytes", "bytes", "of its drives", "not known"),
    DLQ_FIGURE_LINE("price_per_hour", "price", "US dollars, on demand", "not known"),
};

static const struct dlq_figures of_settings = DLQ_FIGURES("check: settings[]; check --csv", NULL, settings);
static const struct dlq_figures of_templates = DLQ_FIGURES("init", NULL, templates);
static const struct dlq_figures of_loaders = DLQ_FIGURES("loaders: loaders[]; loaders --csv", NULL, loaders);
static const struct dlq_figures of_distributions =
    DLQ_FIGURES("distributions: distributions[]; distributions --csv", NULL, distributions);
static const struct dlq_figures of_instances = DLQ_FIGURES("instances: instances[]; instances --csv", NULL, instances);

const struct dlq_figures *const dlq_figures_of_tables[] = {&of_settings,      &of_templates, &of_loaders,
                                                           &of_distributions, &of_instances, NULL};
