/* The system under study: a loader, its load and step, the overheads, the host. Checked; a plain value to copy and
 * vary. */
#ifndef DLQ_MODEL_SYSTEM_H
#define DLQ_MODEL_SYSTEM_H

#include "dlqueue/loaders.h"
#include "model/host.h"
#include "model/load.h"

#include <limits.h>

#define DLQ_UNBOUNDED LONG_MAX
enum { DLQ_MOST_LOADERS = 4096, DLQ_MOST_PREFETCH = 4096 };

struct dlq_pipeline {
    const char *name;
    int loader; /* row of dlq_loaders */
    long loaders;
    long prefetch; /* 0: not given; after checking the loader's own default, 0 where it has none */
    long window;   /* 0: the loader's rule; -1: unbounded */
    long ranks, batch_size;
    long epoch_batches; /* 0: one endless epoch */
    bool persistent;
    long slow_loaders, slow_ranks;
    double slow_factor;
};

struct dlq_overheads {
    double startup, dispatch, deliver, receive, pin_time, barrier; /* s */
};

struct dlq_system {
    struct dlq_pipeline pipeline;
    struct dlq_overheads overheads;
    struct dlq_work load, step;
    struct dlq_host host;
    struct dlq_storage storage;
    bool has_batch_size;
};

extern const struct dlq_section dlq_pipeline_section, dlq_overheads_section;
extern const struct dlq_foreign dlq_foreign_names[];

/* Builds and cross-checks a system from checked entries; adds every error with its place. */
enum dlq_status dlq_system_read(struct dlq_system *system, const struct dlq_entries *entries,
                                const char *base_directory, struct dlq_data *data, struct dlq_error *error);

/* The same system with another number of loaders, prefetch, ...: false and why where that can't be. */
bool dlq_system_set_loaders(struct dlq_system *system, long loaders, char *why, size_t size);
bool dlq_system_set_prefetch(struct dlq_system *system, long prefetch, char *why, size_t size);
bool dlq_system_set_ranks(struct dlq_system *system, long ranks, char *why, size_t size);
/* One rank that waits for no other, with the share of hosts and storage that it has now; a slow one only where all
   are. False where there is no other. */
bool dlq_system_set_one_rank(struct dlq_system *system);
/* Delivery by completion, all else the same; false where that is so already, or can't matter. */
bool dlq_system_set_unordered(struct dlq_system *system);
/* Checks what rows cannot: N against the loader, window, slow loaders; false and why. */
bool dlq_system_check(const struct dlq_system *system, char *why, size_t size);

/* The row that rules: `serial` where N = 0. */
const struct dlq_loader *dlq_system_loader(const struct dlq_system *system);
bool dlq_system_is_serial(const struct dlq_system *system);
/* Servers that work side by side: N; 1 for `single` and serial. */
long dlq_system_servers(const struct dlq_system *system);
/* Threads that load one batch together: N for `single`, else 1; and a server's mean load time at full speed: s over
   these threads. */
double dlq_system_threads(const struct dlq_system *system);
double dlq_system_load_mean(const struct dlq_system *system);
/* K of the recursion (for a relay the result slots alone); DLQ_UNBOUNDED; 1 for serial. */
long dlq_system_window(const struct dlq_system *system);
/* Most batches that are dispatched and not yet delivered: K, + 1 for release at request, + prefetch for a relay. */
long dlq_system_in_flight(const struct dlq_system *system);
/* Of server w: slow_factor or 1. */
double dlq_system_slowness(const struct dlq_system *system, long server);

/* A rank's share of what hosts have, in loads at full speed resp. bytes/s; INFINITY where not given. */
double dlq_system_cores(const struct dlq_system *system);
double dlq_system_host_bandwidth(const struct dlq_system *system);
double dlq_system_storage_bandwidth(const struct dlq_system *system);
double dlq_system_bandwidth(const struct dlq_system *system); /* the smaller of the two */
/* Can more loads be under way than run at full speed? Then load times depend on each other: simulate by events. */
bool dlq_system_shares(const struct dlq_system *system);
/* Largest factor by which sharing can slow cpu resp. storage stages when all servers are busy: >= 1. */
double dlq_system_cpu_factor(const struct dlq_system *system);
double dlq_system_storage_factor(const struct dlq_system *system);

/* Memory of a host: ranks on it * ((K + 1) batch bytes + N loader memory); NAN where unknown. */
double dlq_system_memory(const struct dlq_system *system);
/* Shared memory of a host: its ranks * K * batch bytes; 0 where loaders are threads; NAN where unknown. */
double dlq_system_shm(const struct dlq_system *system);
long dlq_system_ranks_per_host(const struct dlq_system *system);

#endif
