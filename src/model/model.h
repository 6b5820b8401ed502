/* The system under study: loader, load, step, overheads and host. A struct dlq_system is checked, and may be copied and
   changed as a plain value. */
#pragma once

#include "base/option.h"
#include "dist/dist.h"
#include "dlqueue/instances.h"
#include "dlqueue/loaders.h"

#include <limits.h>

/* -- the sections of a configuration; load, step and slowdown also as [load.NAME] -- */

extern const struct dlq_section dlq_pipeline_section, dlq_overheads_section, dlq_load_section, dlq_step_section,
    dlq_host_section, dlq_storage_section, dlq_slowdown_section, dlq_cache_section;

/* -- hosts: what ranks share -- */

/* The resources of a host; NAN: not given, unlimited. */
struct dlq_host {
    int instance;        /* index in dlq_instance_names; 0: none */
    long ranks_per_host; /* 0: all ranks on one host */
    double cores;        /* may be a fraction */
    /* How processes share cores: 0 evenly; 1: loader w of a rank stays on core w mod cores, its trainer on the next
       core; between: the share of a process's speed that comes from its own core. */
    double core_affinity;
    double contention, sharpness; /* how much loads that compute slow one another: see struct dlq_pace */
    double memory, shm;           /* bytes */
    double bandwidth;             /* bytes/s */
    enum dlq_unit bandwidth_unit; /* as it was written: DLQ_UNIT_RATE or another unit of rates */
    double loader_memory, batch_bytes, other_memory; /* bytes: of a worker, of a finished batch, of all else */
    double price;                                    /* of a host per hour, $ */
};

/* What determines the pace of stages that share a resource of a host: their speed as a share of their full speed. */
struct dlq_pace {
    double capacity;   /* of one rank, in units of demand: cores, or bytes/s; INFINITY: not limited */
    double contention; /* relative delay of a load by a second one, with sharpness 1; 0: none; cores only */
    double sharpness;
    double ranks; /* number of ranks of the host; all are equally busy */
};

/* Paces for a demand >= 0 of one rank; each falls with the demand, while demand times pace rises.
   Even: min(1, capacity/demand), where a demand that exceeds the capacity by rounding alone does not count.
   Contended: 1/phi(ranks demand); phi(n), the factor by which n loads are slower than one: (1 + c^k (n^k - 1))^(1/k)
   for n >= 1, else 1; c contention, k sharpness (theory 38). Check: c = 0.1, k = 2, n = 8: phi = 1.276714533.
   At: the smaller of both. */
double dlq_pace_even(const struct dlq_pace *pace, double demand);
double dlq_pace_contended(const struct dlq_pace *pace, double demand);
double dlq_pace_at(const struct dlq_pace *pace, double demand);

struct dlq_storage {
    double bandwidth; /* bytes/s, shared by all hosts */
    enum dlq_unit bandwidth_unit;
};

/* -- cloud instances -- */

/* "none", then the names of dlq_instances, null-terminated: the words of [host] instance. */
extern const char *const dlq_instance_names[];
/* The instance at an index in dlq_instance_names; null for "none". */
const struct dlq_instance *dlq_instance_at(int index);
/* Fills what is not given (NAN, ranks_per_host 0) from the host's instance, with one rank per GPU. */
void dlq_instance_fill(struct dlq_host *host);
/* The host of an instance; keeps from `host` the memory of loaders and batches and the sharing of cores. */
struct dlq_host dlq_instance_host(const struct dlq_host *host, int index);

/* -- loads and steps: stages in sequence, each with its own distribution -- */

enum { DLQ_MOST_STAGES = 16 };

#define DLQ_EVERY_EPOCH (-1L)

enum dlq_uses { DLQ_USES_NOTHING, DLQ_USES_CPU, DLQ_USES_STORAGE };

struct dlq_stage {
    char name[64];      /* "" for a plain [load] */
    bool per_sample;    /* units are samples: the time is a sum over batch_size independent draws */
    double probability; /* share of units (batches or samples) that have the stage */
    enum dlq_uses uses;
    double stream_rate; /* bytes/s of one loader at full speed, > 0; storage stages only */
    double bytes;       /* per batch; storage stages only; 0: unknown */
    bool time_follows;  /* the mean is bytes / stream_rate, and changes with them */
    bool rate_follows;  /* the stream_rate is bytes / mean, and changes with them */
    long every;         /* of a step: steps every, 2 every, ... have the stage; DLQ_EVERY_EPOCH: the last of an epoch */
    bool pause;         /* of a step: no training, which utilization does not count */
    long threads;       /* the stage is the makespan of samples on this many threads; 0: it is no makespan */
    double busy_threads; /* part of a makespan: threads that are busy in it, on average; 0: it is no such part */
    const struct dlq_samples *samples; /* the samples of the makespan; null: none */
    const struct dlq_family *family;
    struct dlq_parameters parameters;
    struct dlq_dist dist; /* of one unit */
    struct dlq_dist unit; /* dist in units of the work's mean; setting the mean keeps it to the bit */
};

/* A load or a step; a plain value, whose measured times belong to a struct dlq_data. */
struct dlq_work {
    size_t count;
    struct dlq_stage stages[DLQ_MOST_STAGES];
    long batch_size;
    double mean, variance; /* of the whole, s and s^2; variance may be infinite */
};

struct dlq_threaded;

/* Samples that the threads of a load share out: their stages, the mean of their makespan (s), and whether all stages
   use the same resource (alike). */
struct dlq_samples {
    struct dlq_work work;
    double makespan;
    bool alike;
    struct dlq_samples *next; /* in the list of struct dlq_data */
};

/* Measured times that replace a column of a file: the file is not read. */
struct dlq_given_times {
    char *file, *column;
    double *times; /* s */
    size_t count;
    struct dlq_given_times *next;
};

/* Owns what a system points to: files of measured times, slowdowns, the load as written (before threads share its
   samples), the loads with threads, their samples, distributions of sums of samples, and draws. */
struct dlq_data {
    struct dlq_empirical **files;
    size_t count;
    const struct dlq_given_times *columns; /* not owned; null: all measured times are read from files */
    struct dlq_slowdowns *slowdowns;       /* null: none */
    struct dlq_work *written;
    struct dlq_threaded *threaded;
    size_t threaded_count;
    struct dlq_samples *samples;
    struct dlq_laws laws;
    struct dlq_kept_draws kept; /* draws of loads */
};

/* Reads the stages of a section from checked entries, in order. base_directory: of relative paths of files; null: the
   working directory. Adds every error, with its place. */
enum dlq_status dlq_work_read(struct dlq_work *work, const struct dlq_section *section,
                              const struct dlq_entries *entries, long batch_size, const char *base_directory,
                              struct dlq_data *data, struct dlq_error *error);
/* *law: the empirical distribution of n times (s), owned by `data`, scaled to that mean; NAN: not scaled. */
enum dlq_status dlq_data_law(struct dlq_data *data, const double *times, size_t n, bool in_order, double mean,
                             struct dlq_dist *law, struct dlq_error *error);
void dlq_data_free(struct dlq_data *data);

/* Scales all stages by one factor, so that the mean becomes `mean` (s; > 0, or 0 for a step). Draws scale with it. */
void dlq_work_set_mean(struct dlq_work *work, double mean);
/* Sets the cv of the units of a single stage, at the same mean. False and why: several stages, or a law without cv. */
bool dlq_work_set_cv(struct dlq_work *work, double cv, char *why, size_t size);
void dlq_work_make_constant(struct dlq_work *work); /* each stage at its mean */
/* Replaces sums over samples by a single draw where the sum has a closed form: the same distribution, drawn faster. Not
   with a cache, which holds single samples. */
void dlq_work_add_up(struct dlq_work *work);
/* Recomputes mean and variance from the stages. */
void dlq_work_refresh(struct dlq_work *work);
/* Whether two works differ only in their means. */
bool dlq_work_same_shape(const struct dlq_work *a, const struct dlq_work *b);
double dlq_work_cv(const struct dlq_work *work); /* 0 where the mean is 0 */
bool dlq_work_is_constant(const struct dlq_work *work);
bool dlq_work_is_in_order(const struct dlq_work *work);    /* a stage draws measured times in their order */
bool dlq_work_is_exponential(const struct dlq_work *work); /* one stage, which every batch has */
/* Cores that a load uses in a stage, on average. */
double dlq_stage_cores(const struct dlq_stage *stage);
/* Whether the stage, or a stage of its samples, uses the resource; and threads that may load its samples at once, 1
   where the stage is no makespan. */
bool dlq_stage_uses(const struct dlq_stage *stage, enum dlq_uses uses);
double dlq_stage_most_threads(const struct dlq_stage *stage);
/* The stages of the samples of a makespan, scaled with its mean. */
struct dlq_work dlq_stage_samples(const struct dlq_stage *stage);
/* Whether the first stage is the makespan of samples; and the work with the stages of the samples instead of it. */
bool dlq_work_has_samples(const struct dlq_work *work);
struct dlq_work dlq_work_by_sample(const struct dlq_work *work);
/* Replaces the makespan of samples by constant stages, one for each stage of the samples: with its share of the time,
   on the threads that are busy on average. The use of cores and storage by a batch stays the same. */
void dlq_work_part_makespan(struct dlq_work *work);
/* Mean time of a stage in a batch (for `every` > 1, in a batch that has the stage); mean core or storage time of a
   batch in stages that use the resource; bytes read per batch. */
double dlq_work_stage_mean(const struct dlq_work *work, const struct dlq_stage *stage);
double dlq_work_time(const struct dlq_work *work, enum dlq_uses uses);
double dlq_work_bytes(const struct dlq_work *work);
/* Writes the parts of the distribution, at most DLQ_MOST_STAGES, with stages that use cpu or storage slowed by these
   factors (>= 1). Returns how many; 0 for a work of mean 0. */
size_t dlq_work_parts(const struct dlq_work *work, double cpu_factor, double storage_factor, struct dlq_part *parts);

/* -- works with less variance, or fewer bytes -- */

/* Changes the units of every stage that varies; a unit without the stage counts as time 0. halved: half the variance at
   the same mean m, by the family's distribution with cv/sqrt 2, by m + (x - m)/sqrt 2 for every time x, or, for a stage
   that very few units have, by half the time twice as often. Not halved: cuts times at the quantile DLQ_TAIL. Where the
   family has no such distribution, `data` owns a new empirical one of DLQ_RESHAPED quantiles. *changed: whether any
   stage varies. With infinite variance nothing changes. DLQ_FAILURE: no memory. */
enum { DLQ_RESHAPED = 1024 };
#define DLQ_TAIL 0.95
enum dlq_status dlq_work_reshape(struct dlq_work *work, bool halved, struct dlq_data *data, bool *changed,
                                 struct dlq_error *error);
/* Halves bytes and time of stages that use storage. *changed: whether there is such a stage. */
enum dlq_status dlq_work_halve_bytes(struct dlq_work *work, struct dlq_data *data, bool *changed,
                                     struct dlq_error *error);
/* Makes a stage take `factor` times as long for the same bytes, factor > 0; the others keep their draws. */
void dlq_work_scale_stage(struct dlq_work *work, size_t stage, double factor);
/* Makes a stage take no time; the others keep their draws. */
void dlq_work_free_stage(struct dlq_work *work, size_t stage);

/* -- loaders by their row, including rows that are not listed -- */

extern const char *const dlq_loader_names[]; /* null-terminated */
int dlq_loader_index(const struct dlq_loader *loader);
const struct dlq_loader *dlq_loader_at(int index);

/* -- slowdowns: phases in which loads progress at a fraction of their speed -- */

enum { DLQ_SCOPE_ALL, DLQ_SCOPE_HOST, DLQ_SCOPE_RANK, DLQ_SCOPE_LOADER, DLQ_MOST_SLOWDOWNS = 8 };

/* Slow phases of random times, or a profile where times.count > 0. */
struct dlq_slowdown {
    double interval, interval_cv, duration, duration_cv; /* gamma laws; s */
    double speed;                                        /* within a slow phase, 0 <= speed < 1 */
    struct dlq_range times;                              /* of a profile, from 0; s */
    double speeds[DLQ_RANGE_LIST];
    const char *speeds_text;
    double horizon; /* of the run, s; NAN: none */
    int linear;     /* the speed of a profile changes linearly; else in steps */
    int scope;      /* DLQ_SCOPE_...: each host, rank or loader has phases of its own, or all have the same */
    int uses;       /* enum dlq_uses of the slowed stages; 0: all */
};

struct dlq_slowdowns {
    size_t count;
    struct dlq_slowdown rows[DLQ_MOST_SLOWDOWNS];
};

struct dlq_system;
/* Reads system->slowdowns, owned by `data`; null: none. The rest of the system has been read before. */
enum dlq_status dlq_slowdowns_read(struct dlq_system *system, const struct dlq_entries *entries, struct dlq_data *data,
                                   struct dlq_error *error);
/* Whether the slowdown slows stages with that use. */
bool dlq_slowdown_slows(const struct dlq_slowdown *slowdown, enum dlq_uses uses);
/* Whether speeds change in steps, and all loaders of a rank have the same speed; null: yes. */
bool dlq_slowdowns_are_steps_of_ranks(const struct dlq_slowdowns *slowdowns);
/* Whether there are random phases; null: no. */
bool dlq_slowdowns_are_random(const struct dlq_slowdowns *slowdowns);
/* The mean speed over time, (I + v d)/(I + d), I and d the mean interval and duration, v the speed; of a profile: over
   the horizon or, without a horizon, its largest speed. Check: 300 s, 6 s, 0: 0.98039. */
double dlq_slowdown_mean_speed(const struct dlq_slowdown *slowdown);
double dlq_slowdown_least_speed(const struct dlq_slowdown *slowdown);
/* Mean over time of the least speed of the n hosts, ranks or loaders (by scope): v + (1 - v)(I/(I + d))^n. */
double dlq_slowdown_slowest_unit(const struct dlq_slowdown *slowdown, const struct dlq_system *system);

/* -- caches -- */

struct dlq_cache {
    bool given;
    double share, size; /* of the data set, or in bytes; the one that is not given is NAN */
    double seen;        /* as in struct dlq_hits; 0: follows from ranks and scope */
    const char *size_text;
    bool free; /* the size is the memory of the host that batches and loaders do not use */
    int policy, scope;
};

/* The parameters of a cache's hit ratio. */
struct dlq_hits {
    double share; /* c, of the data set that the cache holds */
    double seen;  /* phi, share of the data set that the ranks of one cache read in an epoch */
    bool kept;    /* the data read first stay; else those read last */
    bool limit;   /* the state after many epochs; else the epochs from the first on */
    long epoch;   /* batches of an epoch; 0: there is no cache */
};

enum dlq_status dlq_cache_read(struct dlq_system *system, const struct dlq_entries *entries, struct dlq_error *error);
double dlq_system_cache_share(const struct dlq_system *system); /* 0: no cache; NAN: unknown memory */
struct dlq_hits dlq_system_hits(const struct dlq_system *system);
/* Probability that data read at place y, 0 <= y < 1, of an epoch (from 1 on) are in the cache; and its mean over the
   epoch. Checks: one host, c = .5, epoch 2: c + (1 - c) ln(1 - c) = .1534; c = .5, phi = 1/4: .250 .410 .425 in
   epochs 2, 3, 4. */
double dlq_hit_ratio(const struct dlq_hits *hits, long epoch, double y);
double dlq_hit_ratio_of_epoch(const struct dlq_hits *hits, long epoch);
/* A system without cache whose storage stages are as rare as the cache makes them on average. */
struct dlq_system dlq_system_cached(const struct dlq_system *system);

/* -- the system -- */

#define DLQ_UNBOUNDED LONG_MAX
enum { DLQ_MOST_THREADS = 256 /* of a load */ };

struct dlq_pipeline {
    const char *name;
    int loader; /* index of dlq_loader_at */
    long loaders;
    long prefetch; /* while reading 0: not given; once checked 0: the loader has none */
    long window;   /* 0: the loader's rule; -1: unbounded */
    long ranks, batch_size;
    long threads;       /* of a load */
    long epoch_batches; /* 0: one endless epoch */
    long epochs;        /* of the run; 0: the run is as long as [simulate] asks */
    bool persistent;
    long slow_loaders, slow_ranks;
    double slow_factor;
    double load_scale; /* factor on all stages of the load, applied while reading */
};

struct dlq_overheads {
    double startup, startup_per_loader, dispatch, deliver, receive, pin_time, barrier; /* s */
    int receive_uses;                                                                  /* 0: nothing; 1: cpu */
};

struct dlq_system {
    struct dlq_pipeline pipeline;
    struct dlq_overheads overheads;
    struct dlq_work load, step;
    /* Stages of the step that are pauses or that not every step has; not in `step`. The first `pausing` are pauses. */
    struct dlq_work extra;
    size_t pausing;
    struct dlq_host host;
    struct dlq_storage storage;
    double rounding; /* share of the load time that rounding up to ticks has added to the means, not to cpu work */
    const struct dlq_slowdowns *slowdowns; /* null: none */
    struct dlq_cache cache;
    struct dlq_data *data; /* owns what the system points to */
    bool has_batch_size;
};

/* Option names of real loaders, for "did you mean". */
extern const struct dlq_foreign dlq_foreign_names[];

/* Reads a system from checked entries; adds every error with its place. */
enum dlq_status dlq_system_read(struct dlq_system *system, const struct dlq_entries *entries,
                                const char *base_directory, struct dlq_data *data, struct dlq_error *error);

/* Change a system; false and why, with the system untouched, where the change is impossible. */
bool dlq_system_set_loaders(struct dlq_system *system, long loaders, char *why, size_t size);
bool dlq_system_set_prefetch(struct dlq_system *system, long prefetch, char *why, size_t size);
/* Rebuild the load from its written form, for that many threads, or samples per batch; epochs keep their number of
   samples. Each load is computed once and kept in the system's data. A mean that was set before is lost. */
bool dlq_system_set_threads(struct dlq_system *system, long threads, char *why, size_t size);
bool dlq_system_set_batch_size(struct dlq_system *system, long batch_size, char *why, size_t size);
/* Gives samples, in order, to the thread that is free first: replaces the per-sample stages (at least one) by a stage
   with the distribution of their makespan, owned by `data`. */
enum dlq_status dlq_work_set_threads(struct dlq_work *work, long threads, struct dlq_data *data,
                                     struct dlq_error *error);
bool dlq_system_set_ranks(struct dlq_system *system, long ranks, char *why, size_t size);
/* Leaves one rank, with its present share of hosts and storage; a slow rank only if all ranks are slow. False: there
   was only one. */
bool dlq_system_set_one_rank(struct dlq_system *system);
/* Change to delivery by completion, or in order of index. False and why: the loader already delivers in this order,
   cannot deliver in it, or loads one batch at a time; or the changed system is refused. */
bool dlq_system_set_unordered(struct dlq_system *system, char *why, size_t size);
bool dlq_system_set_ordered(struct dlq_system *system, char *why, size_t size);
/* Whether two systems can share draws: whether they differ only in the means of load and step and in constants. */
bool dlq_system_same_shape(const struct dlq_system *a, const struct dlq_system *b);
/* Checks the number of loaders against loader, window, slow loaders and ranks; false and why. */
bool dlq_system_check(const struct dlq_system *system, char *why, size_t size);

/* The loader that is simulated: `serial` where N = 0. */
const struct dlq_loader *dlq_system_loader(const struct dlq_system *system);
bool dlq_system_is_serial(const struct dlq_system *system);
/* Servers that load different batches at once: N; 1 for `single` and serial. */
long dlq_system_servers(const struct dlq_system *system);
/* Threads that load one batch together, N for `single`, else 1; and the mean load divided by them, s. */
double dlq_system_threads(const struct dlq_system *system);
double dlq_system_load_mean(const struct dlq_system *system);
/* The window K (for a relay only its result slots); DLQ_UNBOUNDED; 1 for serial. */
long dlq_system_window(const struct dlq_system *system);
/* Most batches that are dispatched and not yet delivered: K, + 1 for release at request, + prefetch for a relay. */
long dlq_system_in_flight(const struct dlq_system *system);
/* Time from the start of an epoch (of the run, with persistent workers) to the first dispatch, s: startup + N
   startup_per_loader, as the training process starts workers one by one and dispatches then (measured: with 3.35 s each
   the first batches come after 3.5, 6.8, 13.3 and 26.6 s with 1, 2, 4 and 8 workers). 0 for serial. */
double dlq_system_startup(const struct dlq_system *system);
/* Time in which the training process receives a batch, s; 0 for serial, which receives nothing. */
double dlq_system_receive(const struct dlq_system *system);
/* system->extra with DLQ_EVERY_EPOCH replaced by the number of batches of an epoch. */
struct dlq_work dlq_system_extra_work(const struct dlq_system *system);
/* Mean time per step, s: of the extra stages, or only of the pauses among them; of the whole step; and of the step
   without pauses, which is what utilization counts. */
double dlq_system_extra_mean(const struct dlq_system *system, bool pauses);
double dlq_system_step_mean(const struct dlq_system *system);
double dlq_system_trained_mean(const struct dlq_system *system);

/* A rank's share of cores, of the bandwidth (bytes/s) of its host and of the storage, and the smaller of the two
   bandwidths; INFINITY: not given. */
double dlq_system_cores(const struct dlq_system *system);
double dlq_system_host_bandwidth(const struct dlq_system *system);
double dlq_system_storage_bandwidth(const struct dlq_system *system);
double dlq_system_bandwidth(const struct dlq_system *system);
/* The share of the step (without extra stages) that needs a core of the host; the core time (s) of a batch in the
   training process, for receiving and step; and in the training process and the loaders together. */
double dlq_system_step_cpu_share(const struct dlq_system *system);
double dlq_system_trainer_cpu(const struct dlq_system *system);
double dlq_system_cpu_work(const struct dlq_system *system);
/* Whether more loads may be under way than run at full speed: load times then depend on each other. */
bool dlq_system_shares(const struct dlq_system *system);
/* Whether the samples that threads load are simulated one by one: where these share cores or bandwidth, where a cache
   holds some of them, or where a slowdown slows only some of their stages. Else their makespan is drawn. */
bool dlq_system_by_sample(const struct dlq_system *system);
/* The load as the simulation draws it: with the stages of samples where these are simulated one by one. */
struct dlq_work dlq_system_drawn_load(const struct dlq_system *system);
/* What determines the pace of stages that use cpu; the cores that a rank can ask for at once; and the core time per
   second that so many give under contention, INFINITY without contention. */
struct dlq_pace dlq_system_cpu_pace(const struct dlq_system *system);
double dlq_system_cpu_demand(const struct dlq_system *system);
double dlq_system_uncontended(const struct dlq_system *system);
/* The factor by which sharing slows cpu or storage stages when all servers are busy, >= 1. */
double dlq_system_cpu_factor(const struct dlq_system *system);
double dlq_system_storage_factor(const struct dlq_system *system);

/* Memory of a host, bytes: ranks * ((batches in flight + 1) batch bytes + N loader memory) + other memory, without
   terms that are not given; NAN: neither batch nor loader memory is given, or the window is unbounded. */
double dlq_system_memory(const struct dlq_system *system);
/* Shared memory of a host, bytes: ranks * batches in flight * batch bytes; 0: loaders are threads; NAN: unknown. */
double dlq_system_shm(const struct dlq_system *system);
long dlq_system_ranks_per_host(const struct dlq_system *system);
double dlq_system_hosts(const struct dlq_system *system);
