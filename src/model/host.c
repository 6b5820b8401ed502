#include "model/host.h"

#include "model/instance.h"

#define ROW(kind_, unit_, key_, minimum_, maximum_, standard_, field, help_)                                           \
    {                                                                                                                  \
        .key = key_, .kind = kind_, .unit = unit_, .minimum = minimum_, .maximum = maximum_, .standard = standard_,    \
        .help = help_, .offset = offsetof(struct dlq_host, field)                                                      \
    }

static const struct dlq_option host_options[] = {
    {.key = "instance",
     .kind = DLQ_KIND_CHOICE,
     .standard = "none",
     .words = dlq_instance_names,
     .help = "dlqueue instances lists them: fills what is not given of the rest (its cores are hyper-threads)",
     .offset = offsetof(struct dlq_host, instance)},
    ROW(DLQ_KIND_COUNT, DLQ_UNIT_COUNT, "ranks_per_host", 1, 4096, NULL, ranks_per_host,
        "ranks that share a host (default: all ranks)"),
    ROW(DLQ_KIND_QUANTITY, DLQ_UNIT_NUMBER, "cores", 0.01, 1e6, NULL, cores,
        "cores of a host that loaders may use (two hyper-threads share one)"),
    ROW(DLQ_KIND_QUANTITY, DLQ_UNIT_SIZE, "memory", 1, 1e18, NULL, memory, "memory of a host"),
    ROW(DLQ_KIND_QUANTITY, DLQ_UNIT_SIZE, "shm", 1, 1e18, NULL, shm, "size of a host's /dev/shm"),
    ROW(DLQ_KIND_QUANTITY, DLQ_UNIT_RATE, "bandwidth", 1, 1e18, NULL, bandwidth, "a host's way to its data"),
    ROW(DLQ_KIND_QUANTITY, DLQ_UNIT_SIZE, "loader_memory", 0, 1e18, NULL, loader_memory,
        "memory of one worker process"),
    ROW(DLQ_KIND_QUANTITY, DLQ_UNIT_SIZE, "batch_bytes", 0, 1e18, NULL, batch_bytes,
        "size of a finished batch (default: batch_size x bytes of the load)"),
    ROW(DLQ_KIND_QUANTITY, DLQ_UNIT_NUMBER, "price", 0, 1e9, NULL, price, "per host and hour"),
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
