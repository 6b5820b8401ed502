/* [pipeline], [overheads], [host] and [storage]: their option rows, and the system that a configuration describes. */
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(key_, minimum_, maximum_, standard_, field, help_)                                                       \
    {                                                                                                                  \
        .key = key_, .kind = DLQ_KIND_COUNT, .unit = DLQ_UNIT_COUNT, .minimum = minimum_, .maximum = maximum_,         \
        .standard = standard_, .help = help_, .offset = offsetof(struct dlq_pipeline, field)                           \
    }

static const char *const window_words[] = {"unbounded", NULL};

static const struct dlq_option pipeline_options[] = {
    {.key = "name",
     .kind = DLQ_KIND_TEXT,
     .help = "free text, shown in titles",
     .offset = offsetof(struct dlq_pipeline, name)},
    {.key = "loader",
     .kind = DLQ_KIND_CHOICE,
     .standard = "pytorch",
     .words = dlq_loader_names,
     .help = "which data loader: dlqueue loaders lists them",
     .offset = offsetof(struct dlq_pipeline, loader)},
    COUNT("loaders", 0, DLQ_MOST_LOADERS, NULL, loaders,
          "loader workers of one rank; 0 = the trainer loads for itself"),
    COUNT("prefetch", 1, DLQ_MOST_PREFETCH, NULL, prefetch, "batches in flight per loader (default: the loader's own)"),
    {.key = "window",
     .kind = DLQ_KIND_COUNT,
     .unit = DLQ_UNIT_COUNT,
     .minimum = 1,
     .maximum = 1e7,
     .words = window_words,
     .help = "batches dispatched and not yet delivered, or unbounded (default: the loader's rule)",
     .offset = offsetof(struct dlq_pipeline, window)},
    COUNT("ranks", 1, 65535, "1", ranks, "data-parallel ranks that start each step together"),
    COUNT("batch_size", 1, 1e9, "1", batch_size, "samples per batch of one rank"),
    COUNT("threads", 1, DLQ_MOST_THREADS, "1", threads, "within a load: its samples go to the first that is free"),
    {.key = "load_scale",
     .kind = DLQ_KIND_QUANTITY,
     .unit = DLQ_UNIT_FACTOR,
     .minimum = 1e-9,
     .maximum = 1e9,
     .standard = "1",
     .help = "all stages of the load take that many times as long (--load TIME sets it where there are several)",
     .offset = offsetof(struct dlq_pipeline, load_scale)},
    COUNT("epoch_batches", 1, 1e12, NULL, epoch_batches, "batches of an epoch (default: one endless epoch)"),
    COUNT("epochs", 1, 1e6, NULL, epochs, "length of the run, from its start on (default: the later epochs)"),
    {.key = "persistent",
     .kind = DLQ_KIND_FLAG,
     .standard = "no",
     .help = "workers live on from epoch to epoch: startup is paid once",
     .offset = offsetof(struct dlq_pipeline, persistent)},
    COUNT("slow_loaders", 0, DLQ_MOST_LOADERS, "0", slow_loaders, "that many loaders of a rank are slow"),
    COUNT("slow_ranks", 0, 65535, "0", slow_ranks, "that many ranks are slow"),
    {.key = "slow_factor",
     .kind = DLQ_KIND_QUANTITY,
     .unit = DLQ_UNIT_FACTOR,
     .minimum = 1,
     .maximum = 1e6,
     .standard = "1",
     .help = "slow ones take that many times as long",
     .offset = offsetof(struct dlq_pipeline, slow_factor)},
};

const struct dlq_section dlq_pipeline_section = {
    .name = "pipeline",
    .help = "the loader and how it is set up",
    .options = pipeline_options,
    .count = sizeof pipeline_options / sizeof *pipeline_options,
};

#define TIME(key_, field, help_)                                                                                       \
    {                                                                                                                  \
        .key = key_, .kind = DLQ_KIND_QUANTITY, .unit = DLQ_UNIT_TIME, .minimum = 0, .maximum = 1e9, .standard = "0",  \
        .help = help_, .offset = offsetof(struct dlq_overheads, field)                                                 \
    }

static const char *const receive_words[] = {"nothing", "cpu", NULL};

static const struct dlq_option overhead_options[] = {
    TIME("startup", startup, "workers' start, at the beginning of an epoch"),
    TIME("startup_per_loader", startup_per_loader,
         "what each worker adds to it: the training process starts them one after the other, then dispatches"),
    TIME("dispatch", dispatch, "latency from dispatch to the start of the load"),
    TIME("deliver", deliver, "latency from the end of the load until the batch can be received"),
    TIME("receive", receive, "per batch, in the training process"),
    {.key = "receive_uses",
     .kind = DLQ_KIND_CHOICE,
     .standard = "nothing",
     .words = receive_words,
     .help = "cpu: receiving needs a core of the host",
     .offset = offsetof(struct dlq_overheads, receive_uses)},
    TIME("pin_time", pin_time, "per batch, in a serial pinning thread; 0 = none"),
    TIME("barrier", barrier, "per step, with several ranks"),
};

const struct dlq_section dlq_overheads_section = {
    .name = "overheads",
    .help = "what a batch costs beside its load and its step",
    .options = overhead_options,
    .count = sizeof overhead_options / sizeof *overhead_options,
};

/* -- hosts and storage -- */

#define HOST(kind_, unit_, key_, minimum_, maximum_, field, help_)                                                     \
    {                                                                                                                  \
        .key = key_, .kind = kind_, .unit = unit_, .minimum = minimum_, .maximum = maximum_, .help = help_,            \
        .offset = offsetof(struct dlq_host, field)                                                                     \
    }

static const struct dlq_option host_options[] = {
    {.key = "instance",
     .kind = DLQ_KIND_CHOICE,
     .standard = "none",
     .words = dlq_instance_names,
     .help = "dlqueue instances lists them: fills what is not given of the rest (its cores are hyper-threads)",
     .offset = offsetof(struct dlq_host, instance)},
    HOST(DLQ_KIND_COUNT, DLQ_UNIT_COUNT, "ranks_per_host", 1, 4096, ranks_per_host,
         "ranks that share a host (default: all ranks)"),
    HOST(DLQ_KIND_QUANTITY, DLQ_UNIT_NUMBER, "cores", 0.01, 1e6, cores,
         "cores of a host that loaders may use (two hyper-threads share one)"),
    {.key = "core_affinity",
     .kind = DLQ_KIND_QUANTITY,
     .unit = DLQ_UNIT_SHARE,
     .minimum = 0,
     .maximum = 1,
     .standard = "0%",
     .help = "0 %: processes share the cores evenly; 100 %: each keeps to one; real schedulers lie between",
     .offset = offsetof(struct dlq_host, core_affinity)},
    HOST(DLQ_KIND_QUANTITY, DLQ_UNIT_SIZE, "memory", 1, 1e18, memory, "memory of a host"),
    HOST(DLQ_KIND_QUANTITY, DLQ_UNIT_SIZE, "shm", 1, 1e18, shm, "size of a host's /dev/shm"),
    HOST(DLQ_KIND_QUANTITY, DLQ_UNIT_RATE, "bandwidth", 1, 1e18, bandwidth, "a host's way to its data"),
    HOST(DLQ_KIND_QUANTITY, DLQ_UNIT_SIZE, "loader_memory", 0, 1e18, loader_memory, "memory of one worker process"),
    HOST(DLQ_KIND_QUANTITY, DLQ_UNIT_SIZE, "other_memory", 0, 1e18, other_memory,
         "what else takes memory of a host: the loader of a validation, the training processes"),
    HOST(DLQ_KIND_QUANTITY, DLQ_UNIT_SIZE, "batch_bytes", 0, 1e18, batch_bytes,
         "size of a finished batch (default: batch_size x bytes of the load)"),
    HOST(DLQ_KIND_QUANTITY, DLQ_UNIT_NUMBER, "price", 0, 1e9, price, "per host and hour"),
};

const struct dlq_section dlq_host_section = {
    .name = "host",
    .help = "each host; what is not given does not bind",
    .options = host_options,
    .count = sizeof host_options / sizeof *host_options,
};

static const struct dlq_option storage_options[] = {
    {.key = "bandwidth",
     .kind = DLQ_KIND_QUANTITY,
     .unit = DLQ_UNIT_RATE,
     .minimum = 1,
     .maximum = 1e18,
     .help = "shared by all hosts",
     .offset = offsetof(struct dlq_storage, bandwidth)},
};

const struct dlq_section dlq_storage_section = {
    .name = "storage",
    .help = "what all hosts read from",
    .options = storage_options,
    .count = sizeof storage_options / sizeof *storage_options,
};

/* -- the system -- */

const struct dlq_foreign dlq_foreign_names[] = {
    {"num_workers", "loaders"},
    {"workers", "loaders"},
    {"num_parallel_calls", "loaders"},
    {"read_threads", "loaders"},
    {"prefetch_factor", "prefetch"},
    {"prefetch_queue_depth", "prefetch"},
    {"batches_ahead", "prefetch"},
    {"buffer_size", "prefetch"},
    {"worker_buffer_size", "prefetch"},
    {"max_queue_size", "prefetch"},
    {"batch", "batch_size"},
    {"pin_memory", "pin_time"},
    {"persistent_workers", "persistent"},
    {"computation_time", "step"},
    {"world_size", "ranks"},
    {"gpus", "ranks"},
    {"std", "sd"},
    {"stddev", "sd"},
    {NULL, NULL},
};

/* Where a complaint about a key points: its entry, or the first entry of all. */
static const char *place(const struct dlq_entries *entries, const char *section, const char *key, char text[],
                         size_t size)
{
    const struct dlq_entry *entry = dlq_entries_find(entries, section, key);
    if (entry == NULL && entries->count > 0) {
        snprintf(text, size, "%s", entries->rows[0].line > 0 ? entries->rows[0].origin : "command line");
        return text;
    }
    return entry == NULL ? "configuration" : dlq_entry_place(entry, text, size);
}

/* The key that a cross-check most likely is about: the one that its message begins with, or loaders. */
static const char *blamed(const char *why)
{
    static const char *const keys[] = {"slow_loaders", "slow_ranks", "window", "prefetch"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strncmp(why, keys[i], strlen(keys[i])) == 0)
            return keys[i];
    return "loaders";
}

static enum dlq_status check_pipeline(struct dlq_system *system, const struct dlq_entries *entries,
                                      struct dlq_error *error)
{
    char why[256];
    char text[512];
    const struct dlq_entry *loaders = dlq_entries_find(entries, "pipeline", "loaders");
    size_t count;
    bool serial = dlq_loaders(&count)[system->pipeline.loader].assign == DLQ_ASSIGN_TRAINER;
    if (loaders == NULL && !serial)
        return dlq_error_add(error, DLQ_INVALID, "%s: [pipeline] loaders: missing (say how many, e.g. loaders = 8)",
                             place(entries, "pipeline", "loaders", text, sizeof text));
    if (loaders != NULL && loaders->bad)
        return DLQ_INVALID;
    enum dlq_status status = DLQ_OK;
    const struct dlq_loader *loader = dlq_loader_at(system->pipeline.loader);
    if (system->pipeline.prefetch == 0)
        system->pipeline.prefetch = loader->prefetch;
    else if (loader->prefetch_name == NULL)
        status = dlq_error_add(error, DLQ_INVALID, "%s: [pipeline] prefetch: %s has no prefetch",
                               place(entries, "pipeline", "prefetch", text, sizeof text), loader->name);
    if (status == DLQ_OK && !dlq_system_check(system, why, sizeof why))
        status = dlq_error_add(error, DLQ_INVALID, "%s: [pipeline] %s",
                               place(entries, "pipeline", blamed(why), text, sizeof text), why);
    if (status == DLQ_OK && system->pipeline.epochs > 0 && system->pipeline.epoch_batches == 0)
        status = dlq_error_add(error, DLQ_INVALID, "%s: [pipeline] epochs: needs epoch_batches",
                               place(entries, "pipeline", "epochs", text, sizeof text));
    static const char *const lengths[] = {"batches", "horizon", "warmup"};
    for (size_t i = 0; status == DLQ_OK && system->pipeline.epochs > 0 && i < 3; i++)
        if (dlq_entries_find(entries, "simulate", lengths[i]) != NULL)
            status = dlq_error_add(error, DLQ_INVALID, "%s: [pipeline] epochs: not together with [simulate] %s",
                                   place(entries, "pipeline", "epochs", text, sizeof text), lengths[i]);
    if (status == DLQ_OK && system->pipeline.slow_ranks > system->pipeline.ranks)
        status = dlq_error_add(error, DLQ_INVALID, "%s: [pipeline] slow_ranks = %ld is more than ranks = %ld",
                               place(entries, "pipeline", "slow_ranks", text, sizeof text), system->pipeline.slow_ranks,
                               system->pipeline.ranks);
    return status;
}

static enum dlq_unit bandwidth_unit(const struct dlq_entries *entries, const char *section)
{
    const struct dlq_entry *entry = dlq_entries_find(entries, section, "bandwidth");
    return entry == NULL ? DLQ_UNIT_RATE : dlq_quantity_rate_unit(entry->value);
}

/* Stages of the step that are pauses, or that not every step has, go beside it: pauses first. */
static enum dlq_status part_step(struct dlq_system *system, const struct dlq_entries *entries, struct dlq_error *error)
{
    char text[512], name[128];
    struct dlq_work *step = &system->step, *extra = &system->extra;
    const struct dlq_work all = *step;
    *extra = (struct dlq_work){.batch_size = step->batch_size};
    step->count = 0;
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < all.count; i++) {
            const struct dlq_stage *stage = &all.stages[i];
            bool beside = stage->pause || stage->every != 1;
            if (pass != (beside ? stage->pause ? 0 : 1 : 2))
                continue;
            system->pausing += stage->pause;
            struct dlq_work *work = beside ? extra : step;
            work->stages[work->count++] = *stage;
            if (stage->every == DLQ_EVERY_EPOCH && system->pipeline.epoch_batches == 0) {
                snprintf(name, sizeof name, "step%s%s", stage->name[0] == '\0' ? "" : ".", stage->name);
                return dlq_error_add(error, DLQ_INVALID, "%s: [%s] every: epoch needs [pipeline] epoch_batches",
                                     place(entries, name, "every", text, sizeof text), name);
            }
        }
    if (step->count == 0)
        return dlq_error_add(error, DLQ_INVALID,
                             "%s: [step] mean: missing: the time of a step without its pauses (0 if there is none)",
                             place(entries, "step", "every", text, sizeof text));
    dlq_work_refresh(step);
    dlq_work_refresh(extra);
    return DLQ_OK;
}

/* Threads make another load of it, which a sweep may want in another way. */
static enum dlq_status thread_load(struct dlq_system *system, const struct dlq_entries *entries, struct dlq_data *data,
                                   struct dlq_error *error)
{
    char text[512], why[256];
    system->data = data;
    data->written = malloc(sizeof *data->written);
    if (data->written == NULL)
        return dlq_error_memory(error, "reading the load");
    *data->written = system->load;
    if (system->pipeline.threads == 1 || (dlq_system_can_thread(system, why, sizeof why) &&
                                          dlq_system_set_threads(system, system->pipeline.threads, why, sizeof why)))
        return DLQ_OK;
    return dlq_error_add(error, DLQ_INVALID, "%s: [pipeline] %s",
                         place(entries, "pipeline", "threads", text, sizeof text), why);
}

enum dlq_status dlq_system_read(struct dlq_system *system, const struct dlq_entries *entries,
                                const char *base_directory, struct dlq_data *data, struct dlq_error *error)
{
    struct dlq_system read = {0};
    dlq_options_apply(&dlq_pipeline_section, "pipeline", entries, &read.pipeline);
    dlq_options_apply(&dlq_overheads_section, "overheads", entries, &read.overheads);
    dlq_options_apply(&dlq_host_section, "host", entries, &read.host);
    read.host.bandwidth_unit = bandwidth_unit(entries, "host");
    dlq_instance_fill(&read.host);
    dlq_options_apply(&dlq_storage_section, "storage", entries, &read.storage);
    read.storage.bandwidth_unit = bandwidth_unit(entries, "storage");
    const struct dlq_entry *batch_size = dlq_entries_find(entries, "pipeline", "batch_size");
    read.has_batch_size = batch_size != NULL;
    enum dlq_status status = check_pipeline(&read, entries, error);
    enum dlq_status load =
        dlq_work_read(&read.load, &dlq_load_section, entries, batch_size == NULL ? 0 : read.pipeline.batch_size,
                      base_directory, data, error);
    if (load == DLQ_OK && read.pipeline.load_scale != 1)
        dlq_work_set_mean(&read.load, read.pipeline.load_scale * read.load.mean);
    if (load == DLQ_OK)
        load = thread_load(&read, entries, data, error);
    enum dlq_status step =
        dlq_work_read(&read.step, &dlq_step_section, entries, batch_size == NULL ? 0 : read.pipeline.batch_size,
                      base_directory, data, error);
    if (step == DLQ_OK && read.step.count > 0)
        step = part_step(&read, entries, error);
    if (status == DLQ_OK)
        status = load != DLQ_OK ? load : step;
    if (status == DLQ_OK)
        status = dlq_slowdowns_read(&read, entries, data, error);
    if (status == DLQ_OK)
        status = dlq_cache_read(&read, entries, error);
    if (status == DLQ_OK)
        *system = read;
    return status;
}
