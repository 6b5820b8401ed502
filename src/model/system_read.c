/* [pipeline], [overheads], [host] and [storage]: their option rows, and reading a system. */
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct dlq_pipeline, field)
#define COUNT(key, minimum, maximum, standard, field, help)                                                            \
    DLQ_COUNT_ROW(key, minimum, maximum, standard, NULL, AT(field), help)

static const char *const window_words[] = {"unbounded", NULL};

static const struct dlq_option pipeline_options[] = {
    DLQ_TEXT_ROW("name", AT(name), "free text, shown in titles"),
    DLQ_WORD_ROW("loader", dlq_loader_names, "pytorch", AT(loader), "data loader: see dlqueue loaders"),
    COUNT("loaders", 0, DLQ_MOST_LOADERS, NULL, loaders,
          "loader workers of one rank; 0 = the trainer loads for itself"),
    COUNT("prefetch", 1, DLQ_MOST_PREFETCH, NULL, prefetch, "batches in flight per loader (default: the loader's own)"),
    DLQ_COUNT_ROW("window", 1, 1e7, NULL, window_words, AT(window),
                  "most batches dispatched and not yet delivered, or unbounded (default: the loader's rule)"),
    COUNT("ranks", 1, 65535, "1", ranks, "data-parallel ranks that start each step together"),
    COUNT("batch_size", 1, 1e9, "1", batch_size, "samples per batch of one rank"),
    COUNT("threads", 1, DLQ_MOST_THREADS, "1", threads,
          "threads within a load: each sample goes to the first free thread"),
    DLQ_QUANTITY_ROW(
        "load_scale", DLQ_UNIT_FACTOR, 1e-9, 1e9, "1", AT(load_scale),
        "factor for the times of all stages of the load (--load TIME sets it if there are several stages)"),
    COUNT("epoch_batches", 1, 1e12, NULL, epoch_batches, "batches of an epoch (default: one endless epoch)"),
    COUNT("epochs", 1, 1e6, NULL, epochs, "epochs of the run, counted from its start (default: the later epochs)"),
    DLQ_FLAG_ROW("persistent", "no", AT(persistent), "workers stay alive between epochs, so that startup occurs once"),
    COUNT("slow_loaders", 0, DLQ_MOST_LOADERS, "0", slow_loaders, "number of slow loaders of a rank"),
    COUNT("slow_ranks", 0, 65535, "0", slow_ranks, "number of slow ranks"),
    DLQ_QUANTITY_ROW("slow_factor", DLQ_UNIT_FACTOR, 1, 1e6, "1", AT(slow_factor),
                     "factor for the load times of slow loaders and ranks"),
};

const struct dlq_section dlq_pipeline_section =
    DLQ_SECTION("pipeline", pipeline_options, .help = "the data loader and its settings");

#undef AT
#define AT(field) offsetof(struct dlq_overheads, field)
#define TIME(key, field, help) DLQ_QUANTITY_ROW(key, DLQ_UNIT_TIME, 0, 1e9, "0", AT(field), help)

static const char *const receive_words[] = {"nothing", "cpu", NULL};

static const struct dlq_option overhead_options[] = {
    TIME("startup", startup, "start of the workers, when an epoch begins"),
    TIME("startup_per_loader", startup_per_loader,
         "further start-up time per worker: workers start one after the other, before any dispatch"),
    TIME("dispatch", dispatch, "latency from dispatch to the start of the load"),
    TIME("deliver", deliver, "latency from the end of the load until the batch can be received"),
    TIME("receive", receive, "time to receive a batch in the training process; unused with loaders = 0"),
    DLQ_WORD_ROW("receive_uses", receive_words, "nothing", AT(receive_uses), "cpu: receiving needs a core of the host"),
    TIME("pin_time", pin_time, "time to pin a batch in the pinning thread; 0 = no such thread"),
    TIME("barrier", barrier, "time of the barrier per step, with several ranks"),
};

const struct dlq_section dlq_overheads_section =
    DLQ_SECTION("overheads", overhead_options, .help = "times of a batch in addition to load and step");

/* -- hosts and storage -- */

#undef AT
#define AT(field) offsetof(struct dlq_host, field)
#define SIZE(key, least, field, help) DLQ_QUANTITY_ROW(key, DLQ_UNIT_SIZE, least, 1e18, NULL, AT(field), help)

static const struct dlq_option host_options[] = {
    DLQ_WORD_ROW(
        "instance", dlq_instance_names, "none", AT(instance),
        "cloud instance, which sets keys below that are not given (cores are hyper-threads): see dlqueue instances"),
    DLQ_COUNT_ROW("ranks_per_host", 1, 4096, NULL, NULL, AT(ranks_per_host),
                  "ranks that share a host (default: all ranks); with fewer ranks, the host's other ranks are assumed "
                  "to be equally busy"),
    DLQ_QUANTITY_ROW("cores", DLQ_UNIT_NUMBER, 0.01, 1e6, NULL, AT(cores),
                     "cores that loaders may use (two hyper-threads share one)"),
    DLQ_QUANTITY_ROW(
        "core_affinity", DLQ_UNIT_SHARE, 0, 1, "0%", AT(core_affinity),
        "0 %: processes share the cores evenly; 100 %: each stays on one core; real schedulers lie between"),
    DLQ_QUANTITY_ROW("contention", DLQ_UNIT_SHARE, 0, 1, "0%", AT(contention),
                     "each further load with uses = cpu makes a load take longer by this share of its time alone; all "
                     "together are at most 1/contention times as fast as one"),
    DLQ_QUANTITY_ROW("sharpness", DLQ_UNIT_NUMBER, 0.5, 50, "1", AT(sharpness),
                     "of contention: 1: every load counts alike; larger: few loads hardly slow one another"),
    SIZE("memory", 1, memory, "memory"),
    SIZE("shm", 1, shm, "size of /dev/shm"),
    DLQ_QUANTITY_ROW("bandwidth", DLQ_UNIT_RATE, 1, 1e18, NULL, AT(bandwidth), "bandwidth from the data to the host"),
    SIZE("loader_memory", 0, loader_memory, "memory of one worker process"),
    SIZE("other_memory", 0, other_memory, "other memory in use, e.g. by training processes and validation loaders"),
    SIZE("batch_bytes", 0, batch_bytes, "size of a finished batch (default: batch_size x bytes of the load)"),
    DLQ_QUANTITY_ROW(
        "price", DLQ_UNIT_NUMBER, 0, 1e9, NULL, AT(price),
        "price per host and hour: plan adds $/million samples with batch_size, $/epoch with epoch_batches"),
};

const struct dlq_section dlq_host_section =
    DLQ_SECTION("host", host_options, .help = "each host; a resource that is not given is unlimited");

static const struct dlq_option storage_options[] = {
    DLQ_QUANTITY_ROW("bandwidth", DLQ_UNIT_RATE, 1, 1e18, NULL, offsetof(struct dlq_storage, bandwidth),
                     "bandwidth that all hosts share"),
};

const struct dlq_section dlq_storage_section =
    DLQ_SECTION("storage", storage_options, .help = "the storage that all hosts read from");

/* -- the system -- */

const struct dlq_foreign dlq_foreign_names[] = {
    {"num_workers", "loaders", NULL},
    {"workers", "loaders", NULL},
    {"num_parallel_calls", "loaders", NULL},
    {"read_threads", "loaders", NULL},
    {"prefetch_factor", "prefetch", NULL},
    {"prefetch_queue_depth", "prefetch", NULL},
    {"batches_ahead", "prefetch", NULL},
    {"buffer_size", "prefetch", NULL},
    {"worker_buffer_size", "prefetch", NULL},
    {"max_queue_size", "prefetch", NULL},
    {"batch", "batch_size", NULL},
    {"pin_memory", "pin_time", NULL},
    {"persistent_workers", "persistent", NULL},
    {"computation_time", "step", NULL},
    {"world_size", "ranks", NULL},
    {"gpus", "ranks", NULL},
    {"std", "sd", NULL},
    {"stddev", "sd", NULL},
    {"iops", "bandwidth", "operations/s x bytes of each"},
    {NULL, NULL, NULL},
};

static enum dlq_status check_pipeline(struct dlq_system *system, const struct dlq_entries *entries,
                                      struct dlq_error *error)
{
    static const char *const lengths[] = {"batches", "horizon", "warmup"};
    static const char *const keys[] = {"slow_loaders", "slow_ranks", "window", NULL};
    const struct dlq_reading reading = {entries, "pipeline", error};
    char why[256];
    struct dlq_pipeline *pipeline = &system->pipeline;
    const struct dlq_entry *loaders = dlq_entries_find(entries, "pipeline", "loaders");
    const struct dlq_loader *loader = dlq_loader_at(pipeline->loader);
    if (loaders == NULL && loader->assign != DLQ_ASSIGN_TRAINER)
        return dlq_reading_refuse(&reading, "loaders", "missing (say how many, e.g. loaders = 8)");
    if (loaders != NULL && loaders->bad)
        return DLQ_INVALID;
    if (pipeline->prefetch != 0 && loader->prefetch_name == NULL)
        return dlq_reading_refuse(&reading, "prefetch", "%s has no prefetch", loader->name);
    if (pipeline->prefetch == 0)
        pipeline->prefetch = loader->prefetch;
    if (!dlq_system_check(system, why, sizeof why)) {
        const char *const *key = keys; /* the key with which the message starts; else loaders */
        while (*key != NULL && strncmp(why, *key, strlen(*key)) != 0)
            key++;
        return dlq_reading_refuse(&reading, *key != NULL ? *key : "loaders", "%s", why);
    }
    if (pipeline->epochs > 0 && pipeline->epoch_batches == 0)
        return dlq_reading_refuse(&reading, "epochs", "needs epoch_batches");
    for (size_t i = 0; pipeline->epochs > 0 && i < 3; i++)
        if (dlq_entries_find(entries, "simulate", lengths[i]) != NULL)
            return dlq_reading_refuse(&reading, "epochs", "not together with [simulate] %s", lengths[i]);
    return DLQ_OK;
}

static enum dlq_unit bandwidth_unit(const struct dlq_entries *entries, const char *section)
{
    const struct dlq_entry *entry = dlq_entries_find(entries, section, "bandwidth");
    return entry == NULL ? DLQ_UNIT_RATE : dlq_quantity_rate_unit(entry->value);
}

/* Moves pauses, and stages that not every step has, from the step to `extra`; pauses come first there. */
static enum dlq_status separate_extra(struct dlq_system *system, const struct dlq_entries *entries,
                                      struct dlq_error *error)
{
    char name[128];
    struct dlq_work *step = &system->step, *extra = &system->extra;
    const struct dlq_work all = *step;
    *extra = (struct dlq_work){.batch_size = step->batch_size};
    step->count = 0;
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < all.count; i++) {
            const struct dlq_stage *stage = &all.stages[i];
            bool is_extra = stage->pause || stage->every != 1;
            if (pass != (is_extra ? stage->pause ? 0 : 1 : 2))
                continue;
            system->pausing += stage->pause;
            struct dlq_work *work = is_extra ? extra : step;
            work->stages[work->count++] = *stage;
            if (stage->every == DLQ_EVERY_EPOCH && system->pipeline.epoch_batches == 0) {
                const struct dlq_reading reading = {entries, name, error};
                snprintf(name, sizeof name, "step%s%s", stage->name[0] == '\0' ? "" : ".", stage->name);
                return dlq_reading_refuse(&reading, "every", "epoch needs [pipeline] epoch_batches");
            }
        }
    if (step->count == 0)
        return dlq_reading_refuse(&(struct dlq_reading){entries, "step", error}, "mean",
                                  "missing: the time of a step without its pauses (0 if there is none)");
    dlq_work_refresh(step);
    dlq_work_refresh(extra);
    return DLQ_OK;
}

enum dlq_status dlq_system_read(struct dlq_system *system, const struct dlq_entries *entries,
                                const char *base_directory, struct dlq_data *data, struct dlq_error *error)
{
    struct dlq_system read = {0};
    char why[256];
    dlq_options_apply(&dlq_pipeline_section, "pipeline", entries, &read.pipeline);
    dlq_options_apply(&dlq_overheads_section, "overheads", entries, &read.overheads);
    dlq_options_apply(&dlq_host_section, "host", entries, &read.host);
    read.host.bandwidth_unit = bandwidth_unit(entries, "host");
    dlq_instance_fill(&read.host);
    dlq_options_apply(&dlq_storage_section, "storage", entries, &read.storage);
    read.storage.bandwidth_unit = bandwidth_unit(entries, "storage");
    read.has_batch_size = dlq_entries_find(entries, "pipeline", "batch_size") != NULL;
    const long batch_size = read.has_batch_size ? read.pipeline.batch_size : 0;
    enum dlq_status status = check_pipeline(&read, entries, error);
    enum dlq_status load =
        dlq_work_read(&read.load, &dlq_load_section, entries, batch_size, base_directory, data, error);
    if (load == DLQ_OK) { /* keep the load as written: a sweep may give it other threads */
        if (read.pipeline.load_scale != 1)
            dlq_work_set_mean(&read.load, read.pipeline.load_scale * read.load.mean);
        read.data = data;
        data->written = malloc(sizeof *data->written);
        if (data->written == NULL)
            load = dlq_error_memory(error, "reading the load");
        else
            *data->written = read.load;
    }
    if (load == DLQ_OK && read.pipeline.threads != 1 &&
        !dlq_system_set_threads(&read, read.pipeline.threads, why, sizeof why))
        load = dlq_reading_refuse(&(struct dlq_reading){entries, "pipeline", error}, "threads", "%s", why);
    enum dlq_status step =
        dlq_work_read(&read.step, &dlq_step_section, entries, batch_size, base_directory, data, error);
    if (step == DLQ_OK && read.step.count > 0)
        step = separate_extra(&read, entries, error);
    TRY(status);
    TRY(load);
    TRY(step);
    TRY(dlq_slowdowns_read(&read, entries, data, error));
    TRY(dlq_cache_read(&read, entries, error));
    *system = read;
    return DLQ_OK;
}
