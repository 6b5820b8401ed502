/* The system under study: a loader, its load and step, the overheads, the host. Checked; a plain value to copy and
   vary. */
#ifndef DLQ_MODEL_MODEL_H
#define DLQ_MODEL_MODEL_H

#include "base/option.h"
#include "dist/dist.h"
#include "dlqueue/instances.h"
#include "dlqueue/loaders.h"

#include <limits.h>

/* -- sections that are read: of load, step and slowdown also those with a name of their own, as [load.NAME] -- */

extern const struct dlq_section dlq_pipeline_section, dlq_overheads_section, dlq_load_section, dlq_step_section,
    dlq_host_section, dlq_storage_section, dlq_slowdown_section, dlq_cache_section;

struct dlq_reading {
    const struct dlq_entries *entries;
    const char *name; /* "load.read" */
    struct dlq_error *error;
};

/* "PLACE: [section] key: why", as dlq_entries_refuse; where the text begins with the key it is not said twice. */
enum dlq_status dlq_reading_refuse(const struct dlq_reading *reading, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool dlq_reading_has(const struct dlq_reading *reading, const char *key);

/* -- hosts: what ranks share -- */

/* NAN: not given, does not bind. */
struct dlq_host {
    int instance;        /* word of dlq_instance_names; 0: none */
    long ranks_per_host; /* 0: all ranks on one host */
    double cores;        /* may be a fraction */
    /* How cores are shared: 0 evenly; 1: loader w of a rank keeps to core w mod cores, its trainer to the next;
       between: that share of a process's speed comes from its own core. */
    double core_affinity;
    double memory, shm;           /* bytes */
    double bandwidth;             /* bytes/s */
    enum dlq_unit bandwidth_unit; /* how it was given: DLQ_UNIT_RATE or one of its kind */
    double loader_memory, batch_bytes, other_memory;
    double price; /* per host and hour */
};

struct dlq_storage {
    double bandwidth; /* bytes/s, shared by all hosts */
    enum dlq_unit bandwidth_unit;
};

/* -- cloud instances: what a host of that name has -- */

/* "none", then the names of dlq_instances, null-terminated: the words of [host] instance. */
extern const char *const dlq_instance_names[];
/* The instance of that word; null for "none". */
const struct dlq_instance *dlq_instance_at(int word);
/* Fills what `host` has not (NAN, 0 ranks_per_host) from its instance, a rank per GPU. */
void dlq_instance_fill(struct dlq_host *host);
/* The host of that word, with nothing kept but what a loader and a batch take and how cores are shared. */
struct dlq_host dlq_instance_host(const struct dlq_host *host, int word);

/* -- what a load or a step consists of: stages in sequence, each with its own distribution -- */

enum { DLQ_MOST_STAGES = 16 };

#define DLQ_EVERY_EPOCH (-1L)

enum dlq_uses { DLQ_USES_NOTHING, DLQ_USES_CPU, DLQ_USES_STORAGE };

struct dlq_stage {
    char name[64];      /* "" for a plain [load] */
    bool per_sample;    /* the sum over batch_size independent draws */
    double probability; /* share of units that have the stage */
    enum dlq_uses uses;
    double stream_rate;  /* bytes/s of one loader at full speed; of storage stages; > 0 */
    double bytes;        /* per batch; of storage stages; 0: unknown */
    bool time_follows;   /* from bytes / stream_rate, and changes with them */
    bool rate_follows;   /* from bytes / mean, likewise */
    long every;          /* of a step: steps every, 2 every, ... of the run have it; DLQ_EVERY_EPOCH: an epoch's last */
    bool pause;          /* of a step: not training, so that utilization does not count it */
    long threads;        /* its samples went to so many: it is their makespan; 0: to none */
    double busy_threads; /* of these, on average, where it is a part of a makespan; 0: is none */
    const struct dlq_samples *samples; /* of which it is the makespan; null: of none that are told apart */
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

struct dlq_threaded;

/* Samples that went to the threads of a load: their stages, the mean of the makespan that was drawn of them (s), and
   whether all stages use the same. */
struct dlq_samples {
    struct dlq_work work;
    double makespan;
    bool alike;
    struct dlq_samples *next; /* of those that the data owns */
};

/* What a system refers to: files of measured times, its slowdowns, its load as written, with samples that no threads
   share, the loads that threads have made of it, their samples, and the laws of many samples; owned here. */
struct dlq_data {
    struct dlq_empirical **files;
    size_t count;
    struct dlq_slowdowns *slowdowns; /* null: none */
    struct dlq_work *written;
    struct dlq_threaded *threaded;
    size_t threaded_count;
    struct dlq_samples *samples;
    struct dlq_laws laws;
};

/* From checked entries, stages in the order in which they appear. base_directory: what paths of empirical files are
   relative to. Adds every error, with its place. */
enum dlq_status dlq_work_read(struct dlq_work *work, const struct dlq_section *section,
                              const struct dlq_entries *entries, long batch_size, const char *base_directory,
                              struct dlq_data *data, struct dlq_error *error);
/* The law of n times, which `data` then owns, with that mean; NAN: with their own. */
enum dlq_status dlq_data_law(struct dlq_data *data, const double *times, size_t n, double mean, struct dlq_dist *law,
                             struct dlq_error *error);
void dlq_data_free(struct dlq_data *data);

/* Draws scale with the mean: all stages by the same factor, so that the mean becomes `mean` (> 0, or 0 for a step). */
void dlq_work_set_mean(struct dlq_work *work, double mean);
/* Of a single stage whose family takes a cv: gives its unit that cv, at the same mean. false: why. */
bool dlq_work_set_cv(struct dlq_work *work, double cv, char *why, size_t size);
void dlq_work_make_constant(struct dlq_work *work); /* each stage at its mean */
/* Samples as one draw of their sum, where that has a closed form: the same distribution, sooner drawn. Not of a cache,
   which some samples are in. */
void dlq_work_add_up(struct dlq_work *work);
/* Recomputes mean and variance from the stages. */
void dlq_work_refresh(struct dlq_work *work);
/* Do they differ in their means alone? */
bool dlq_work_same_shape(const struct dlq_work *a, const struct dlq_work *b);
double dlq_work_cv(const struct dlq_work *work); /* 0 where the mean is 0 */
bool dlq_work_is_constant(const struct dlq_work *work);
bool dlq_work_is_exponential(const struct dlq_work *work); /* in one stage, which every batch has */
/* Mean seconds per batch of a stage (of a batch that has it, where not every one has); in stages of that use; bytes
   read per batch. */
double dlq_stage_cores(const struct dlq_stage *stage); /* that a load takes in it, on average */
/* Does it, or one of its samples' stages? Most of the threads that load its samples; 1 where it is no makespan. */
bool dlq_stage_uses(const struct dlq_stage *stage, enum dlq_uses uses);
double dlq_stage_most_threads(const struct dlq_stage *stage);
/* The stages of its samples (there are some), in the time that they have now. */
struct dlq_work dlq_stage_samples(const struct dlq_stage *stage);
/* Is its first stage the makespan of samples? Then, in its place, the stages of the samples; else the same. */
bool dlq_work_has_samples(const struct dlq_work *work);
struct dlq_work dlq_work_by_sample(const struct dlq_work *work);
/* Makespans of samples as constant stages in sequence, one for each stage of the samples: of its share of the time, on
   the threads that are busy on average. What cores and storage do for a batch is the same. */
void dlq_work_part_makespan(struct dlq_work *work);
double dlq_work_stage_mean(const struct dlq_work *work, const struct dlq_stage *stage);
double dlq_work_time(const struct dlq_work *work, enum dlq_uses uses);
double dlq_work_bytes(const struct dlq_work *work);
/* The parts of its distribution, stages that use cpu and storage slowed by these factors (>= 1): at most
   DLQ_MOST_STAGES rows. A work of mean 0 has none: returns 0. */
size_t dlq_work_parts(const struct dlq_work *work, double cpu_factor, double storage_factor, struct dlq_part *parts);

/* -- works whose times vary less: what a lever makes of a distribution -- */

/* Changes the units of every stage that varies (with the share of units that have the stage). Halved: half the variance
   at the same mean m: the family's distribution of that cv, m + (x - m)/sqrt 2 for every time x, or, of a stage that
   hardly a unit has, half the time twice as often. Else no unit takes longer than DLQ_TAIL of them do; a stage that
   fewer than 1 - DLQ_TAIL of the units have is gone. Where the family can't say it, the new distribution is an
   empirical one of DLQ_RESHAPED quantiles, which `data` then owns. *changed: whether there was such a stage. Not for an
   infinite variance: nothing changes. */
enum { DLQ_RESHAPED = 1024 };
#define DLQ_TAIL 0.95
enum dlq_status dlq_work_reshape(struct dlq_work *work, bool halved, struct dlq_data *data, bool *changed,
                                 struct dlq_error *error);
/* Half the bytes of stages that use storage, in half the time. *changed: whether there was such a stage. */
enum dlq_status dlq_work_halve_bytes(struct dlq_work *work, struct dlq_data *data, bool *changed,
                                     struct dlq_error *error);
/* A stage takes no time: the others keep their draws. */
void dlq_work_free_stage(struct dlq_work *work, size_t stage);

/* -- the loader table as the option rows see it: by place, beyond the listed rows too -- */

extern const char *const dlq_loader_names[]; /* null-terminated */
int dlq_loader_index(const struct dlq_loader *loader);
const struct dlq_loader *dlq_loader_at(int index);

/* -- slowdowns: while one lasts, loads progress at a share of their speed -- */

enum { DLQ_SCOPE_ALL, DLQ_SCOPE_HOST, DLQ_SCOPE_RANK, DLQ_SCOPE_LOADER, DLQ_MOST_SLOWDOWNS = 8 };

/* Slow phases of random times, or a profile where times.count > 0. */
struct dlq_slowdown {
    double interval, interval_cv, duration, duration_cv; /* gamma laws; s */
    double speed;                                        /* within a slow phase, 0 <= speed < 1 */
    struct dlq_range times;                              /* of a profile, from 0; s */
    double speeds[DLQ_RANGE_LIST];
    const char *speeds_text;
    double horizon; /* of the run, s; NAN: none */
    int linear;     /* from speed to speed; else in steps */
    int scope;      /* DLQ_SCOPE_...: who has phases of its own */
    int uses;       /* enum dlq_uses of the stages that it slows; 0: all */
};

struct dlq_slowdowns {
    size_t count;
    struct dlq_slowdown rows[DLQ_MOST_SLOWDOWNS];
};

struct dlq_system;
/* Into system->slowdowns, which `data` owns; null where there are none. The rest of the system is complete. */
enum dlq_status dlq_slowdowns_read(struct dlq_system *system, const struct dlq_entries *entries, struct dlq_data *data,
                                   struct dlq_error *error);
/* Stages of that use? */
bool dlq_slowdown_slows(const struct dlq_slowdown *slowdown, enum dlq_uses uses);
/* Of all loaders of a rank alike, and in steps? */
bool dlq_slowdowns_are_steps_of_ranks(const struct dlq_slowdowns *slowdowns); /* null: yes */
bool dlq_slowdowns_are_random(const struct dlq_slowdowns *slowdowns);         /* null: no */
/* Over all time, (I + v d)/(I + d); of a profile over the horizon, or its largest. Check: 300 s, 6 s, 0: 0.98039. */
double dlq_slowdown_mean_speed(const struct dlq_slowdown *slowdown);
double dlq_slowdown_least_speed(const struct dlq_slowdown *slowdown);
/* Mean over time of the least speed among all independent units of the job: v + (1 - v)(I/(I + d))^n. */
double dlq_slowdown_slowest_unit(const struct dlq_slowdown *slowdown, const struct dlq_system *system);

/* -- caches -- */

struct dlq_cache {
    bool given;
    double share, size; /* of the data set; bytes; NAN: the other */
    double seen;        /* as in struct dlq_hits; 0: by the ranks of a host */
    const char *size_text;
    bool free; /* the memory that is left */
    int policy, scope;
};

/* What a cache saves, epoch by epoch: its share of the data set (c), the share of it that the cache's ranks read in an
   epoch (phi), batches of an epoch. limit: after many epochs; else from the first on. */
struct dlq_hits {
    double share, seen;
    bool kept, limit;
    long epoch; /* 0: there is no cache */
};

enum dlq_status dlq_cache_read(struct dlq_system *system, const struct dlq_entries *entries, struct dlq_error *error);
double dlq_system_cache_share(const struct dlq_system *system); /* 0: no cache; NAN: the memory is not known */
struct dlq_hits dlq_system_hits(const struct dlq_system *system);
/* Probability that what is read at place y, 0 <= y < 1, of an epoch (1: the first) is in the cache; and its mean over
   an epoch. Checks: one host, c = .5, epoch 2: c + (1 - c) ln(1 - c) = .1534; c = .5, phi = 1/4: .250 .410 .425 in
   epochs 2, 3, 4. */
double dlq_hit_ratio(const struct dlq_hits *hits, long epoch, double y);
double dlq_hit_ratio_of_epoch(const struct dlq_hits *hits, long epoch);
/* Of one with a cache: without it, stages that use storage as rare as they are with it, on average. */
struct dlq_system dlq_system_cached(const struct dlq_system *system);

/* -- the system -- */

#define DLQ_UNBOUNDED LONG_MAX
enum { DLQ_MOST_THREADS = 256 /* of a load */ };

struct dlq_pipeline {
    const char *name;
    int loader; /* row of dlq_loaders */
    long loaders;
    long prefetch; /* 0: not given; after checking the loader's own default, 0 where it has none */
    long window;   /* 0: the loader's rule; -1: unbounded */
    long ranks, batch_size;
    long threads;       /* of a load */
    long epoch_batches; /* 0: one endless epoch */
    long epochs;        /* length of the run; 0: until it is known well enough */
    bool persistent;
    long slow_loaders, slow_ranks;
    double slow_factor;
    double load_scale; /* of all stages of the load; read once */
};

struct dlq_overheads {
    double startup, startup_per_loader, dispatch, deliver, receive, pin_time, barrier; /* s */
    int receive_uses;                                                                  /* 0: nothing; 1: cpu */
};

struct dlq_system {
    struct dlq_pipeline pipeline;
    struct dlq_overheads overheads;
    struct dlq_work load, step;
    /* Stages of the step that are pauses, or that not every step has: not in `step`. The first `pausing` are pauses. */
    struct dlq_work extra;
    size_t pausing;
    struct dlq_host host;
    struct dlq_storage storage;
    const struct dlq_slowdowns *slowdowns; /* null: none */
    struct dlq_cache cache;
    struct dlq_data *data; /* what it borrows from */
    bool has_batch_size;
};

extern const struct dlq_foreign dlq_foreign_names[];

/* From checked entries; adds every error with its place. */
enum dlq_status dlq_system_read(struct dlq_system *system, const struct dlq_entries *entries,
                                const char *base_directory, struct dlq_data *data, struct dlq_error *error);

/* The same system with another number of loaders, prefetch, ...: false and why where that can't be. */
bool dlq_system_set_loaders(struct dlq_system *system, long loaders, char *why, size_t size);
bool dlq_system_set_prefetch(struct dlq_system *system, long prefetch, char *why, size_t size);
/* The load as it is written, of that many threads or samples; epochs and cache keep their samples. Each is made once
   and kept by the system's data. A load whose mean was set starts anew. */
bool dlq_system_set_threads(struct dlq_system *system, long threads, char *why, size_t size);
bool dlq_system_set_batch_size(struct dlq_system *system, long batch_size, char *why, size_t size);
/* Samples go, in order, to the first free of so many threads: the per-sample stages, of which there must be one, become
   their makespan, a stage whose law `data` then owns. */
enum dlq_status dlq_work_set_threads(struct dlq_work *work, long threads, struct dlq_data *data,
                                     struct dlq_error *error);
bool dlq_system_set_ranks(struct dlq_system *system, long ranks, char *why, size_t size);
/* One rank that waits for no other, with the share of hosts and storage that it has now; a slow one only where all
   are. False where there is no other. */
bool dlq_system_set_one_rank(struct dlq_system *system);
/* Delivery by completion, all else the same; false where that is so already, or can't matter. */
bool dlq_system_set_unordered(struct dlq_system *system);
/* Do they differ in the means of load and step, and in what makes no draws, so that they can share draws? */
bool dlq_system_same_shape(const struct dlq_system *a, const struct dlq_system *b);
/* Checks what rows cannot: N against the loader, window, slow loaders; false and why. */
bool dlq_system_check(const struct dlq_system *system, char *why, size_t size);

/* The row that rules: `serial` where N = 0. */
const struct dlq_loader *dlq_system_loader(const struct dlq_system *system);
bool dlq_system_is_serial(const struct dlq_system *system);
long dlq_system_servers(const struct dlq_system *system); /* that work side by side: N; 1 for `single` and serial */
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
/* What the training process takes to receive a batch, s; 0 for serial: it sends itself nothing. */
double dlq_system_receive(const struct dlq_system *system);
/* The stages beside the step with their rhythm in steps, DLQ_EVERY_EPOCH resolved; of mean 0 where there are none. */
struct dlq_work dlq_system_extra_work(const struct dlq_system *system);
/* Of these stages, or of the pauses among them, per step on average, s; with all of them the whole step; and that
   without its pauses, which is what utilization counts. */
double dlq_system_extra_mean(const struct dlq_system *system, bool pauses);
double dlq_system_step_mean(const struct dlq_system *system);
double dlq_system_trained_mean(const struct dlq_system *system);

/* A rank's share of what hosts have, in loads at full speed resp. bytes/s; INFINITY where not given; bandwidth: the
   smaller of the two. */
double dlq_system_cores(const struct dlq_system *system);
double dlq_system_host_bandwidth(const struct dlq_system *system);
double dlq_system_storage_bandwidth(const struct dlq_system *system);
double dlq_system_bandwidth(const struct dlq_system *system);
/* Of the step's mean time without what not every step has, the share that needs a core of the host; and what a batch
   needs of cores, s: the loaders for it, the training process for it and its step. */
double dlq_system_step_cpu_share(const struct dlq_system *system);
double dlq_system_trainer_cpu(const struct dlq_system *system);
double dlq_system_cpu_work(const struct dlq_system *system);
/* Can more loads be under way than run at full speed? Then load times depend on each other: simulate by events. */
bool dlq_system_shares(const struct dlq_system *system);
/* Are the samples that threads load simulated one by one? They are where they share cores or bandwidth, where a cache
   spares some of them, and where a slowdown slows some of their stages alone; else their makespan is drawn. */
bool dlq_system_by_sample(const struct dlq_system *system);
/* The load as it is drawn: where samples are simulated one by one, their stages first. */
struct dlq_work dlq_system_drawn_load(const struct dlq_system *system);
/* Largest factor by which sharing can slow cpu resp. storage stages when all servers are busy: >= 1. */
double dlq_system_cpu_factor(const struct dlq_system *system);
double dlq_system_storage_factor(const struct dlq_system *system);

/* Memory of a host: ranks on it * ((batches in flight + 1) batch bytes + N loader memory) + other memory, what is not
   given of these left out; NAN where it is known of neither batch nor loader, or the window is unbounded. */
double dlq_system_memory(const struct dlq_system *system);
/* Shared memory of a host: its ranks * batches in flight * batch bytes; 0 where loaders are threads; NAN: unknown. */
double dlq_system_shm(const struct dlq_system *system);
long dlq_system_ranks_per_host(const struct dlq_system *system);

#endif
