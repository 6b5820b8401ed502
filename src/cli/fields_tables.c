/* Fields of dlqueue check, init, loaders, distributions and instances. */
#include "fields.h"

static const struct dlq_field settings[] = {
    {"section, key", "text", "of the configuration", NULL},
    {"value", "text", "in canonical form, with its unit", "it has none"},
    {"origin", "text", "where it is from: file and line, an option, or a default", NULL},
    {"given", "flag", "false: a default", NULL},
};

static const struct dlq_field templates[] = {
    {"name", "text", "pytorch, tfdata or mlperf", NULL},
    {"config", "text", "the configuration, as a file would hold it", NULL},
};

static const struct dlq_field loaders[] = {
    {"name", "text", "for [pipeline] loader", NULL},
    {"order", "text", "index or completion: batches are delivered as dispatched, or as they finish", NULL},
    {"assign", "text", "who loads the next batch: trainer, round-robin, pool, owner or single", NULL},
    {"window", "text", "K by a rule of p and N", "the trainer loads for itself"},
    {"prefetch_name", "text", "what the loader calls p", "it has none"},
    {"prefetch", "count", "its default of p", "it has none"},
    {"release", "text", "delivery or request: what lets the next batch be dispatched", NULL},
    {"real", "text", "the real thing", NULL},
};

static const struct dlq_field distributions[] = {
    {"name", "text", "for [load] and [step] distribution", NULL},
    {"parameters", "text", "its keys", NULL},
    {"help", "text", "what it is", NULL},
};

static const struct dlq_field instances[] = {
    {"name", "text", "for [host] instance", NULL},
    {"provider, gpu, source", "text", "source: of the figures, and when they were retrieved", NULL},
    {"gpus", "count", "in the instance", NULL},
    {"vcpus, vcpus_per_gpu", "number", "hyper-threads", NULL},
    {"memory_bytes", "bytes", "of the host", "not known"},
    {"network_bytes_per_second", "bytes/s", "of the host", "not known"},
    {"local_storage_bytes", "bytes", "of its drives", "not known"},
    {"price_per_hour", "price", "US dollars, on demand", "not known"},
};

static const struct dlq_field_group groups[] = {
    DLQ_FIELD_GROUP("check: settings[]; check --csv", NULL, settings),
    DLQ_FIELD_GROUP("init", NULL, templates),
    DLQ_FIELD_GROUP("loaders: loaders[]; loaders --csv", NULL, loaders),
    DLQ_FIELD_GROUP("distributions: distributions[]; distributions --csv", NULL, distributions),
    DLQ_FIELD_GROUP("instances: instances[]; instances --csv", NULL, instances),
};

const struct dlq_field_groups dlq_fields_of_tables = {groups, sizeof groups / sizeof *groups};
