/* A pipeline as the reference simulation reads it, and random times of its own: nothing of dlqueue is used here. Times
   are in seconds, sizes in bytes. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* -- uniform numbers: SplitMix64 (Steele, Lea and Flood 2014) -- */

struct reference_random {
    uint64_t state;
};

/* In (0, 1). */
static inline double random_uniform(struct reference_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

static inline double random_exponential(struct reference_random *random)
{
    return -log(random_uniform(random));
}

/* Box and Muller (1958). */
static inline double random_normal(struct reference_random *random)
{
    double radius = sqrt(2 * random_exponential(random));
    return radius * cos(2 * 3.14159265358979323846 * random_uniform(random));
}

/* Of that shape and scale 1 (Marsaglia and Tsang 2000). */
static inline double random_gamma(struct reference_random *random, double shape)
{
    if (shape < 1) {
        double larger = random_gamma(random, shape + 1);
        return larger * pow(random_uniform(random), 1 / shape);
    }
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = random_normal(random), v = pow(1 + c * x, 3);
        if (v > 0 && log(random_uniform(random)) < x * x / 2 + d - d * v + d * log(v))
            return d * v;
    }
}

/* -- laws -- */

enum law_family {
    CONSTANT,
    EXPONENTIAL,
    LOGNORMAL,
    GAMMA,
    ERLANG,
    WEIBULL,
    PARETO,
    UNIFORM,
    NORMAL,
    HYPEREXPONENTIAL,
    MEASURED, /* one of MEASURED_ROWS times */
    RECORDED  /* the same in their order */
};

/* parameter: cv; of erlang stages, of weibull its shape, of pareto alpha, of uniform half its width / mean. */
struct law {
    enum law_family family;
    double mean, parameter;
};

enum { MEASURED_ROWS = 50 };

/* Times of mean 1: in each five rows the last is long, and the first ten are twice as long. */
static inline double measured_row(long row)
{
    return (row < 10 ? 2 : 1) * (row % 5 == 4 ? 3 : 0.5) / 1.2;
}

static inline double law_draw(const struct law *law, struct reference_random *random)
{
    const double mean = law->mean, k = law->parameter;
    double sum = 0, share;
    switch (law->family) {
    case EXPONENTIAL:
        return mean * random_exponential(random);
    case LOGNORMAL:
        return mean * exp(sqrt(log1p(k * k)) * random_normal(random) - log1p(k * k) / 2);
    case GAMMA:
        return mean * k * k * random_gamma(random, 1 / (k * k));
    case ERLANG:
        for (int i = 0; i < (int)k; i++)
            sum += random_exponential(random);
        return mean * sum / k;
    case WEIBULL:
        return mean / tgamma(1 + 1 / k) * pow(random_exponential(random), 1 / k);
    case PARETO:
        return mean * (k - 1) / k * pow(random_uniform(random), -1 / k);
    case UNIFORM:
        return mean * (1 + k * (2 * random_uniform(random) - 1));
    case NORMAL: /* of a cv so small that nothing is below 0 */
        return fmax(0, mean * (1 + k * random_normal(random)));
    case HYPEREXPONENTIAL: /* of balanced means */
        share = (1 + sqrt((k * k - 1) / (k * k + 1))) / 2;
        share = random_uniform(random) < share ? share : 1 - share;
        return mean / (2 * share) * random_exponential(random);
    case MEASURED:
        return mean * measured_row((long)(random_uniform(random) * MEASURED_ROWS));
    default:
        return mean;
    }
}

/* -- the pipeline -- */

enum { MOST_WORKERS = 8, MOST_RANKS = 4, MOST_SAMPLES = 16, MOST_STAGES = 4, MOST_SLOW = 2, MOST_TIMES = 4 };

enum use { USES_NOTHING, USES_CPU, USES_STORAGE, USES };

/* Of a load or of a step. */
struct stage {
    struct law law; /* of a unit: a sample or the batch */
    bool sample;
    double probability; /* share of units that have it */
    enum use use;
    double rate;   /* of storage: bytes/s of one stream at full speed */
    long every;    /* of a step: 0: all of them have it */
    bool of_epoch; /* the last of each */
    bool pause;
};

/* Phases, or a profile where times > 0. */
struct slow {
    double interval, interval_cv, duration, duration_cv, speed;
    int times;
    double time[MOST_TIMES], speeds[MOST_TIMES];
    bool linear;
    enum { OF_ALL, OF_HOST, OF_RANK, OF_LOADER } scope;
    enum use use; /* of the stages that it slows; USES_NOTHING: all */
};

#define UNBOUNDED (-1L)

enum assign { BY_TURNS, BY_POOL, BY_OWNER };

struct pipeline {
    /* the loader */
    enum assign assign;
    bool by_completion, at_request, relay, serial;
    long workers, window, buffer; /* buffer: of the relay */
    double threads_of_load;       /* a load takes 1/threads_of_load of its time, on as many cores: `single` */
    double started_workers;       /* that each take startup_per_loader */
    long ranks, batch_size, threads;
    long epoch, epochs; /* 0: none; not given */
    bool persistent;
    long slow_workers, slow_ranks;
    double slow_factor;
    double startup, startup_per_loader, dispatch, deliver, receive, pin, barrier;
    bool receive_on_cpu;
    int load_stages, step_stages;
    struct stage load[MOST_STAGES], step[MOST_STAGES];
    /* hosts; INFINITY: not given */
    long ranks_per_host;
    double contention, sharpness; /* of what uses cpu; 0: none */
    double cores, affinity, host_bandwidth, storage_bandwidth;
    int slows;
    struct slow slow[MOST_SLOW];
    double cache; /* share of the data; 0: none */
    bool kept, cache_of_all;
    /* the run */
    enum { TOGETHER, STAGGERED, AT_RANDOM } start;
    double resolution, horizon; /* 0: none */
    long warmup, batches;
};

/* Seconds of a batch in a stage, on average and alone. */
static inline double stage_mean(const struct pipeline *pipeline, const struct stage *stage)
{
    return stage->law.mean * stage->probability * (double)(stage->sample ? pipeline->batch_size : 1);
}

static inline double load_mean(const struct pipeline *pipeline)
{
    double sum = 0;
    for (int k = 0; k < pipeline->load_stages; k++)
        sum += stage_mean(pipeline, &pipeline->load[k]);
    return sum / pipeline->threads_of_load;
}

/* Share of what is read at place y of epoch e (1, 2, ...; INFINITY: after many) that the cache holds. */
static inline double hit_ratio(const struct pipeline *pipeline, double e, double y)
{
    const double c = pipeline->cache, hosts = (double)pipeline->ranks / (double)pipeline->ranks_per_host;
    const double phi = pipeline->cache_of_all ? 1 : fmin(1, 1 / hosts);
    double sum = 0;
    if (pipeline->kept)
        return fmin(c, 1 - pow(1 - phi, e - 1));
    for (long g = 1; (double)g < e && (1 - c) < pow(1 - phi, (double)g - 1); g++) {
        const double left = pow(1 - phi, (double)g - 1), z = (1 - c) / left;
        sum += phi * left * fmin(1, fmax(0, 1 - z / (1 - phi * y)) / phi);
    }
    return sum;
}

/* -- slow phases -- */

/* Pieces of constant speed: the k-th lasts until `until`. */
struct calendar {
    long count, at;
    double until[1 << 14], speed[1 << 14];
};

static inline void calendar_add(struct calendar *calendar, double until, double speed)
{
    if (calendar->count == sizeof calendar->until / sizeof *calendar->until)
        abort();
    calendar->until[calendar->count] = until;
    calendar->speed[calendar->count++] = speed;
}

static inline double phase(struct reference_random *random, double mean, double cv)
{
    return cv == 0 ? mean : mean * cv * cv * random_gamma(random, 1 / (cv * cv));
}

/* What is left of a phase at a moment that knows nothing of it: a share of one that is chosen by its length. */
static inline double rest_of_phase(struct reference_random *random, double mean, double cv)
{
    double length = cv == 0 ? mean : mean * cv * cv * random_gamma(random, 1 / (cv * cv) + 1);
    return length * random_uniform(random);
}

static inline void calendar_begin(struct calendar *calendar, const struct slow *slow, struct reference_random *random)
{
    enum { PIECES = 256 }; /* of a drift */
    calendar->count = calendar->at = 0;
    if (slow->times == 0) {
        bool slowed = random_uniform(random) < slow->duration / (slow->interval + slow->duration);
        double rest = slowed ? rest_of_phase(random, slow->duration, slow->duration_cv)
                             : rest_of_phase(random, slow->interval, slow->interval_cv);
        calendar_add(calendar, rest, slowed ? slow->speed : 1);
        return;
    }
    for (int k = 0; k + 1 < slow->times; k++) {
        const int pieces = slow->linear ? PIECES : 1;
        double length = slow->time[k + 1] - slow->time[k], rise = slow->speeds[k + 1] - slow->speeds[k];
        for (int i = 0; i < pieces; i++)
            calendar_add(calendar, slow->time[k] + length * (i + 1) / pieces,
                         slow->speeds[k] + (slow->linear ? rise * (i + 0.5) / pieces : 0));
    }
    calendar_add(calendar, INFINITY, slow->speeds[slow->times - 1]);
}

/* Speed at a time, and when it changes. */
static inline double calendar_speed(struct calendar *calendar, const struct slow *slow, struct reference_random *random,
                                    double time, double *change)
{
    while (calendar->until[calendar->count - 1] <= time) {
        double last = calendar->until[calendar->count - 1];
        bool slowed = calendar->speed[calendar->count - 1] == 1; /* the next one */
        calendar_add(calendar,
                     last + (slowed ? phase(random, slow->duration, slow->duration_cv)
                                    : phase(random, slow->interval, slow->interval_cv)),
                     slowed ? slow->speed : 1);
    }
    while (calendar->at > 0 && calendar->until[calendar->at - 1] > time)
        calendar->at--;
    while (calendar->until[calendar->at] <= time)
        calendar->at++;
    *change = fmin(*change, calendar->until[calendar->at]);
    return calendar->speed[calendar->at];
}
