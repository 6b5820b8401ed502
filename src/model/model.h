/* The system under study: a loader, its load and step, the overheads, the host. Checked; a plain value to copy and
   vary. */
#ifndef DLQ_MODEL_MODEL_H
#define DLQ_MODEL_MODEL_H

#include "base/option.h"
#include "dist/dist.h"
#include "dlqueue/instances.h"
#include "dlqueue/loaders.h"

#include <limits.h>

/* -- hosts: what ranks share -- */

/* NAN: not given, does not bind. */
struct dlq_host {
    int instance;                 /* word of dlq_instance_names; 0: none */
    long ranks_per_host;          /* 0: all ranks on one host */
    double cores;                 /* may be a fraction */
    double memory, shm;           /* bytes */
    double bandwidth;             /* bytes/s */
    enum dlq_unit bandwidth_unit; /* how it was given: DLQ_UNIT_RATE or one of its kind */
    double loader_memory, batch_bytes;
    double price; /* per host and hour */
};

struct dlq_storage {
    double bandwidth; /* bytes/s, shared by all hosts */
    enum dlq_unit bandwidth_unit;
};

extern const struct dlq_section dlq_host_section, dlq_storage_section;

/* -- cloud instances: what a host of that name has -- */

/* "none", then the names of dlq_instances, null-terminated: the words of [host] instance. */
extern const char *const dlq_instance_names[];
/* The instance of that word; null for "none". */
const struct dlq_instance *dlq_instance_at(int word);
/* Fills what `host` has not (NAN, 0 ranks_per_host) from its instance, a rank per GPU. */
void dlq_instance_fill(struct dlq_host *host);

/* -- what a load or a step consists of: stages in sequence, each with its own distribution -- */

enum { DLQ_MOST_STAGES = 16 };

enum dlq_uses { DLQ_USES_NOTHING, DLQ_USES_CPU, DLQ_USES_STORAGE };

struct dlq_stage {
    char name[64];      /* "" for a plain [load] */
    bool per_sample;    /* the sum over batch_size independent draws */
    double probability; /* share of units that have the stage */
    enum dlq_uses uses;
    double stream_rate; /* bytes/s of one loader at full speed; of storage stages; > 0 */
    double bytes;       /* per batch; of storage stages; 0: unknown */
    const struct dlq_family *family;
    struct dlq_parameters parameters;
    struct dlq_dist dist; /* of one unit */
    struct dlq_dist unit; /* the same in units of the work's mean: kept, to the bit, when the mean is set */
};

/* A plain value: nothing to free (empirical data belong to whoever read them). */
struct dlq_work {
    size_t count;
    struct dlq_stage stages[DLQ_MOST_STAGES];
    long batch_size;
    double mean, variance; /* of the whole, s and s^2; variance may be infinite */
};

/* The sections [load], [load.NAME] and [step], [step.NAME]. */
extern const struct dlq_section dlq_load_section, dlq_step_section;

/* Files of measured times that a work refers to; owned here. */
struct dlq_data {
    struct dlq_empirical **files;
    size_t count;
};

/* Builds the work of `section` from checked entries: all stages in the order in which they appear. base_directory:
   what paths of empirical files are relative to. Adds every error, with its place. */
enum dlq_status dlq_work_read(struct dlq_work *work, const struct dlq_section *section,
                              const struct dlq_entries *entries, long batch_size, const char *base_directory,
                              struct dlq_data *data, struct dlq_error *error);
/* An empty one more; null: no memory. */
struct dlq_empirical *dlq_data_add(struct dlq_data *data);
void dlq_data_free(struct dlq_data *data);

/* Draws scale with the mean: all stages by the same factor, so that the mean becomes `mean` (> 0, or 0 for a step). */
void dlq_work_set_mean(struct dlq_work *work, double mean);
/* Of a single stage whose family takes a cv: gives its unit that cv, at the same mean. false: why. */
bool dlq_work_set_cv(struct dlq_work *work, double cv, char *why, size_t size);
/* Every stage constant at its mean (the loss named `variance`). */
void dlq_work_make_constant(struct dlq_work *work);

/* Recomputes mean and variance from the stages. */
void dlq_work_refresh(struct dlq_work *work);
/* Do they differ in their means alone, so that they can share draws? */
bool dlq_work_same_shape(const struct dlq_work *a, const struct dlq_work *b);
double dlq_work_cv(const struct dlq_work *work); /* 0 where the mean is 0 */
bool dlq_work_is_constant(const struct dlq_work *work);
bool dlq_work_is_exponential(const struct dlq_work *work); /* in one stage, which every batch has */
/* Mean seconds per batch in stages of that use; bytes read per batch. */
double dlq_work_time(const struct dlq_work *work, enum dlq_uses uses);
double dlq_work_bytes(const struct dlq_work *work);
/* The parts of its distribution, stages that use cpu and storage slowed by these factors (>= 1): at most
   DLQ_MOST_STAGES rows. A work of mean 0 has none: returns 0. */
size_t dlq_work_parts(const struct dlq_work *work, double cpu_factor, double storage_factor, struct dlq_part *parts);

/* -- works whose times vary less: what a lever makes of a distribution -- */

/* Each changes the units of every stage that varies (with the share of units that have the stage). Where the family
   can't say it, the new distribution is an empirical one of DLQ_RESHAPED quantiles, which `data` then owns. *changed:
   whether there was such a stage. Not for an infinite variance: nothing changes. */
enum { DLQ_RESHAPED = 1024 };

/* Half the variance at the same mean m: the family's distribution of that cv, m + (x - m)/sqrt 2 for every time x, or,
   of a stage that hardly a unit has, half the time twice as often. */
enum dlq_status dlq_work_halve_variance(struct dlq_work *work, struct dlq_data *data, bool *changed,
                                        struct dlq_error *error);
/* No unit takes longer than DLQ_TAIL of them do; a stage that fewer than 1 - DLQ_TAIL of the units have is gone. */
#define DLQ_TAIL 0.95
enum dlq_status dlq_work_cut_tail(struct dlq_work *work, struct dlq_data *data, bool *changed, struct dlq_error *error);
/* Half the bytes of stages that use storage, in half the time; false where there are none. */
bool dlq_work_halve_bytes(struct dlq_work *work);
/* A stage takes no time: the others keep their draws. */
void dlq_work_free_stage(struct dlq_work *work, size_t stage);

/* -- the loader table as the option rows see it -- */

/* Names in the order of the rows, null-terminated, for a choice. */
extern const char *const dlq_loader_names[];

/* By place in the table, beyond the listed rows too. */
int dlq_loader_index(const struct dlq_loader *loader);
const struct dlq_loader *dlq_loader_at(int index);

/* The row that N = 0 stands for. */
const struct dlq_loader *dlq_loader_serial(void);
bool dlq_loader_is_serial(const struct dlq_loader *loader);

/* -- the system -- */

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
    double startup, startup_per_loader, dispatch, deliver, receive, pin_time, barrier; /* s */
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
/* From the begin of an epoch, or of the run where workers persist, until all loaders can be given batches, s: startup +
   N startup_per_loader, as the training process starts them one by one and dispatches then (measured: 3.35 s of each
   make first batches after 3.5, 6.8, 13.3 and 26.6 s with 1, 2, 4 and 8 workers). 0 for serial. */
double dlq_system_startup(const struct dlq_system *system);
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
