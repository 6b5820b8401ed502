/* Random pipelines with all keys in combination: as configuration text, and as the reference simulation reads them. */
#pragma once

#include "reference_pipeline.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REFERENCE_TEXT = 6000 };

struct generator {
    struct reference_random random;
    struct pipeline *pipeline;
    char *text;
    size_t used;
};

static bool chance(struct generator *g, double share)
{
    return random_uniform(&g->random) < share;
}

static double between(struct generator *g, double low, double high)
{
    return low + (high - low) * random_uniform(&g->random);
}

static long any(struct generator *g, long low, long high)
{
    return low + (long)(random_uniform(&g->random) * (double)(high - low + 1));
}

__attribute__((format(printf, 2, 3))) static void say(struct generator *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g->used += (size_t)vsnprintf(g->text + g->used, REFERENCE_TEXT - g->used, format, arguments);
    va_end(arguments);
}

/* "key = VALUEs", and the value. */
static double say_time(struct generator *g, const char *key, double value)
{
    say(g, "%s = %.17gs\n", key, value);
    return value;
}

/* The times of measured_row as a CSV file, which the caller has written. */
static char measured_file[1024]; /* SCRATCH_PATH */

static struct law make_law(struct generator *g, double mean, bool sample)
{
    static const struct {
        const char *name, *key; /* key of the parameter */
        enum law_family family;
        double parameters[3];
    } rows[] = {
        {"constant", NULL, CONSTANT, {0, 0, 0}},
        {"exponential", NULL, EXPONENTIAL, {0, 0, 0}},
        {"lognormal", "cv", LOGNORMAL, {0.3, 0.1, 1.385}},
        {"gamma", "cv", GAMMA, {0.5, 0.2, 1.7}},
        {"erlang", "stages", ERLANG, {3, 2, 5}},
        {"weibull", "shape", WEIBULL, {1.5, 4, 0.8}},
        {"pareto", "alpha", PARETO, {4, 6, 2.8}},
        {"uniform", NULL, UNIFORM, {0.9, 0.5, 0.2}},
        {"normal", "cv", NORMAL, {0.1, 0.05, 0.15}},
        {"hyperexponential", "cv", HYPEREXPONENTIAL, {1.2, 1.5, 2.385}},
    };
    if (chance(g, 0.15)) {
        const bool recorded = !sample && chance(g, 0.7);
        say(g, "distribution = empirical\nfile = %s\norder = %s\n", measured_file,
            recorded ? "recorded" : "independent");
        return (struct law){recorded ? RECORDED : MEASURED, say_time(g, "mean", mean), 0};
    }
    const long row = any(g, 0, (long)(sizeof rows / sizeof *rows) - 1);
    struct law law = {rows[row].family, mean, rows[row].parameters[any(g, 0, 2)]};
    say(g, "distribution = %s\n", rows[row].name);
    if (law.family == UNIFORM)
        say(g, "min = %.17gs\nmax = %.17gs\n", mean * (1 - law.parameter), mean * (1 + law.parameter));
    else
        say_time(g, "mean", mean);
    if (rows[row].key != NULL)
        say(g, "%s = %g\n", rows[row].key, law.parameter);
    return law;
}

static void make_loader(struct generator *g)
{
    static const struct {
        const char *name;
        enum assign assign;
        bool by_completion, at_request, relay, prefetch;
        int times_n, times_pn, times_p, plus; /* the window's formula */
    } rows[] = {
        {"pytorch", BY_TURNS, false, false, false, true, 0, 1, 0, 0},
        {"pytorch-unordered", BY_OWNER, true, false, false, true, 0, 1, 0, 0},
        {"serial", BY_POOL, false, true, false, false, 0, 0, 0, 0},
        {"pool", BY_POOL, true, false, false, true, 0, 1, 0, 0},
        {"pool-ordered", BY_POOL, false, false, false, true, 0, 1, 0, 0},
        {"tfdata", BY_POOL, false, false, true, true, 1, 0, 0, 0},
        {"tfdata-unordered", BY_POOL, true, false, false, true, 1, 0, 1, 0},
        {"dataloaders.jl", BY_POOL, true, false, false, false, 2, 0, 0, 0},
        {"dali", BY_POOL, false, false, false, true, 0, 0, 1, 0},
        {"ffcv", BY_POOL, false, false, false, true, 0, 0, 1, 1},
        {"grain", BY_TURNS, false, false, false, true, 2, 2, 0, 0},
        {"keras", BY_POOL, false, true, false, true, 0, 0, 1, 1},
        {"mxnet", BY_POOL, false, true, false, false, 2, 0, 0, 0},
    };
    const long row = any(g, 0, 16) % 13, n = any(g, 1, MOST_WORKERS), p = any(g, 1, 4); /* the first four more often */
    const bool single = row == 8 || row == 9;
    struct pipeline *pipeline = g->pipeline;
    pipeline->assign = rows[row].assign;
    pipeline->by_completion = rows[row].by_completion;
    pipeline->at_request = rows[row].at_request;
    pipeline->relay = rows[row].relay;
    pipeline->serial = row == 2;
    pipeline->workers = pipeline->serial || single ? 1 : n;
    pipeline->threads_of_load = single ? (double)n : 1;
    pipeline->started_workers = pipeline->serial ? 0 : (double)n;
    pipeline->buffer = p;
    pipeline->window = rows[row].times_n * n + rows[row].times_pn * p * n + rows[row].times_p * p + rows[row].plus;
    say(g, "[pipeline]\nloader = %s\nloaders = %ld\n", rows[row].name, pipeline->serial ? 0 : n);
    if (rows[row].prefetch)
        say(g, "prefetch = %ld\n", p);
    if (!pipeline->serial && chance(g, 0.12)) {
        pipeline->window = pipeline->assign == BY_OWNER ? n * any(g, 1, 4) : any(g, 1, 3 * n);
        say(g, "window = %ld\n", pipeline->window);
    } else if (!pipeline->serial && chance(g, 0.05)) {
        pipeline->window = UNBOUNDED;
        say(g, "window = unbounded\n");
    }
    pipeline->ranks = pipeline->ranks_per_host = chance(g, 0.3) ? any(g, 2, MOST_RANKS) : 1;
    pipeline->batch_size = chance(g, 0.6) ? any(g, 2, MOST_SAMPLES) : 1;
    say(g, "ranks = %ld\nbatch_size = %ld\n", pipeline->ranks, pipeline->batch_size);
    if (!single && !pipeline->serial && chance(g, 0.12))
        say(g, "slow_loaders = %ld\n", pipeline->slow_workers = any(g, 1, n));
    if (pipeline->ranks > 1 && chance(g, 0.25))
        say(g, "slow_ranks = %ld\n", pipeline->slow_ranks = any(g, 1, pipeline->ranks));
    pipeline->slow_factor = chance(g, 0.3) ? 2 : between(g, 1, 3);
    say(g, "slow_factor = %.17g\n", pipeline->slow_factor);
}

/* Epochs, and in what the rest of [pipeline] says; the load's mean is known. */
static void make_epochs(struct generator *g, bool threads, double unit)
{
    struct pipeline *pipeline = g->pipeline;
    if (chance(g, 0.3)) {
        pipeline->epoch = any(g, 3, 80);
        pipeline->persistent = chance(g, 0.5);
        say(g, "epoch_batches = %ld\npersistent = %s\n", pipeline->epoch, pipeline->persistent ? "yes" : "no");
        if (chance(g, 0.4))
            say(g, "epochs = %ld\n", pipeline->epochs = any(g, 1, 5));
    }
    if (pipeline->epochs == 0 && chance(g, 0.12))
        pipeline->horizon = between(g, 30, 150) * unit;
    pipeline->threads = 1;
    if (threads && chance(g, 0.7)) {
        pipeline->threads = any(g, 2, 4);
        say(g, "threads = %ld\n", pipeline->threads);
    }
}

/* A unit of `mean` seconds on average: with the keys that loads and steps have in common. */
static void make_stage(struct generator *g, struct stage *stage, double mean, bool sample)
{
    *stage = (struct stage){.sample = sample, .probability = chance(g, 0.2) ? between(g, 0.05, 0.9) : 1};
    if (sample)
        mean /= (double)g->pipeline->batch_size;
    say(g, "per = %s\nprobability = %.17g\n", sample ? "sample" : "batch", stage->probability);
    stage->law = make_law(g, mean / stage->probability, sample);
}

static void make_load(struct generator *g, double mean, bool threads)
{
    static const char *const uses[] = {"nothing", "cpu", "storage"};
    struct pipeline *pipeline = g->pipeline;
    pipeline->load_stages = (int)(chance(g, 0.4) ? 1 : any(g, 2, 3));
    for (int k = 0; k < pipeline->load_stages; k++) {
        struct stage *stage = &pipeline->load[k];
        say(g, "[load.s%d]\n", k);
        make_stage(g, stage, mean / pipeline->load_stages * between(g, 0.5, 1.5),
                   (threads && k == 0) || (pipeline->batch_size > 1 && chance(g, 0.4)));
        stage->use = (enum use)any(g, 0, 2);
        say(g, "uses = %s\n", uses[stage->use]);
        if (stage->use == USES_STORAGE) {
            stage->rate = 1e5 / stage->law.mean * (double)(stage->sample ? 1 : pipeline->batch_size);
            say(g, "bytes = 100KB\n");
            if (chance(g, 0.3)) /* it takes longer than its bytes do */
                say(g, "stream_rate = %.17gB/s\n", stage->rate *= between(g, 1, 3));
        }
    }
}

enum { WHOLE_RHYTHMS = 24 };

static void make_step(struct generator *g, double mean)
{
    struct pipeline *pipeline = g->pipeline;
    static const long rhythms[] = {2, 3, 4, 8, 12, WHOLE_RHYTHMS};
    const int stages = 1 + chance(g, 0.3) + chance(g, 0.25);
    for (int k = 0; k < stages; k++) {
        struct stage *stage = &pipeline->step[pipeline->step_stages++];
        bool extra = k > 0 && chance(g, 0.7);
        say(g, "[step.t%d]\n", k);
        make_stage(g, stage, extra ? mean * between(g, 0.5, 8) : mean * (k == 0 ? 1 : 0.3),
                   pipeline->batch_size > 1 && chance(g, 0.15));
        if (extra) {
            stage->of_epoch = pipeline->epoch > 0 && chance(g, 0.4);
            if (!stage->of_epoch && chance(g, 0.8)) /* what a run that is part of a longer one has a whole number of */
                stage->every = pipeline->epochs > 0  ? any(g, 2, 25)
                               : pipeline->epoch > 0 ? 1 << any(g, 1, 3)
                                                     : rhythms[any(g, 0, 5)];
            stage->pause = chance(g, 0.7);
            if (stage->of_epoch)
                say(g, "every = epoch\n");
            if (stage->every > 0)
                say(g, "every = %ld\n", stage->every);
            say(g, "pause = %s\n", stage->pause ? "yes" : "no");
        } else if (chance(g, 0.2)) {
            stage->use = USES_CPU;
            say(g, "uses = cpu\n");
        }
    }
}

static void make_overheads(struct generator *g, double load, double step)
{
    struct pipeline *pipeline = g->pipeline;
    say(g, "[overheads]\n");
    const struct {
        const char *key;
        double *time, share, unit;
    } rows[] = {
        {"startup", &pipeline->startup, 0.3, 2 * load},
        {"startup_per_loader", &pipeline->startup_per_loader, 0.15, 0.3 * load},
        {"dispatch", &pipeline->dispatch, 0.25, 0.2 * load},
        {"deliver", &pipeline->deliver, 0.25, 0.2 * load},
        {"receive", &pipeline->receive, 0.35, 0.3 * step},
        {"pin_time", &pipeline->pin, 0.15, step},
        {"barrier", &pipeline->barrier, pipeline->ranks > 1 ? 0.3 : 0, 0.3 * step},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (chance(g, rows[i].share))
            *rows[i].time = say_time(g, rows[i].key, between(g, 0, rows[i].unit));
    if (pipeline->receive > 0 && chance(g, 0.25)) {
        pipeline->receive_on_cpu = true;
        say(g, "receive_uses = cpu\n");
    }
    if (!pipeline->serial)
        return;
    /* The trainer that loads for itself starts no workers, and neither sends nor receives. */
    pipeline->startup = pipeline->startup_per_loader = 0;
    pipeline->dispatch = pipeline->deliver = pipeline->receive = 0;
}

/* Cores and bandwidth, of each rank about as many as some loads need. */
static void make_host(struct generator *g)
{
    struct pipeline *pipeline = g->pipeline;
    const double loads = (double)pipeline->workers * (double)pipeline->threads * pipeline->threads_of_load;
    double rate = 0;
    bool whole = false;
    for (int k = 0; k < pipeline->load_stages; k++)
        rate = fmax(rate, pipeline->load[k].rate);
    pipeline->cores = pipeline->host_bandwidth = pipeline->storage_bandwidth = INFINITY;
    say(g, "[host]\n");
    if (chance(g, pipeline->ranks > 1 ? 0.5 : 0.1))
        pipeline->ranks_per_host = any(g, 1, MOST_RANKS);
    say(g, "ranks_per_host = %ld\n", pipeline->ranks_per_host);
    if (chance(g, 0.35)) {
        whole = chance(g, 0.6);
        pipeline->cores = (double)pipeline->ranks_per_host * fmax(0.7, between(g, 0.3, 1) * loads);
        pipeline->cores = whole ? ceil(pipeline->cores) : pipeline->cores;
        say(g, "cores = %.17g\n", pipeline->cores);
    }
    if (whole && pipeline->ranks_per_host == 1 && loads == (double)pipeline->workers && chance(g, 0.3)) {
        pipeline->affinity = chance(g, 0.3) ? 1 : between(g, 0, 1);
        say(g, "core_affinity = %.17g\n", pipeline->affinity);
    }
    if (chance(g, 0.25)) {
        pipeline->contention = chance(g, 0.2) ? 1 : between(g, 0.02, 0.5);
        pipeline->sharpness = chance(g, 0.4) ? 1 : between(g, 0.5, 12);
        say(g, "contention = %.17g\nsharpness = %.17g\n", pipeline->contention, pipeline->sharpness);
    }
    if (rate > 0 && chance(g, 0.3)) {
        pipeline->host_bandwidth = rate * (double)pipeline->ranks_per_host * fmax(0.7, between(g, 0.3, 1) * loads);
        say(g, "bandwidth = %.17gB/s\n", pipeline->host_bandwidth);
    }
    if (rate > 0 && chance(g, 0.2)) {
        pipeline->storage_bandwidth = rate * (double)pipeline->ranks * fmax(0.7, between(g, 0.3, 1) * loads);
        say(g, "[storage]\nbandwidth = %.17gB/s\n", pipeline->storage_bandwidth);
    }
}

static bool shares_cores(const struct pipeline *pipeline)
{
    return isfinite(pipeline->cores) || pipeline->contention > 0;
}

static bool uses(const struct pipeline *pipeline, enum use use)
{
    for (int k = 0; k < pipeline->load_stages; k++)
        if (pipeline->load[k].use == use)
            return true;
    return false;
}

static void make_cache(struct generator *g)
{
    struct pipeline *pipeline = g->pipeline;
    if (pipeline->epoch == 0 || pipeline->horizon > 0 || !uses(pipeline, USES_STORAGE) || chance(g, 0.4))
        return;
    pipeline->cache = between(g, 0.1, 1);
    pipeline->kept = chance(g, 0.5);
    pipeline->cache_of_all = chance(g, 0.3);
    say(g, "[cache]\npolicy = %s\nscope = %s\n", pipeline->kept ? "kept" : "lru",
        pipeline->cache_of_all ? "all" : "host");
    double bytes = 0; /* of a batch */
    for (int k = 0; k < pipeline->load_stages; k++)
        if (pipeline->load[k].use == USES_STORAGE)
            bytes += 1e5 * (double)pipeline->batch_size * pipeline->load[k].probability;
    if (chance(g, 0.5))
        say(g, "share = %.17g\n", pipeline->cache);
    else
        say(g, "size = %.17gB\n", pipeline->cache * bytes * (double)(pipeline->epoch * pipeline->ranks));
}

static void make_run(struct generator *g, double load)
{
    static const char *const starts[] = {"together", "staggered", "random"};
    struct pipeline *pipeline = g->pipeline;
    const bool shared =
        shares_cores(pipeline) || isfinite(pipeline->host_bandwidth) || isfinite(pipeline->storage_bandwidth);
    say(g, "[simulate]\nprecision = 0\n");
    if (pipeline->epochs > 0) {
        pipeline->batches = pipeline->epochs * pipeline->epoch;
    } else if (pipeline->horizon > 0) {
        say_time(g, "horizon", pipeline->horizon);
    } else if (pipeline->epoch > 0) {
        pipeline->batches = pipeline->epoch * 8 * (1 + 24 / pipeline->epoch);
        pipeline->warmup = pipeline->cache > 0 ? pipeline->epoch : 0; /* the first one is told apart */
        say(g, "batches = %ld\n", pipeline->batches);
    } else {
        pipeline->batches = WHOLE_RHYTHMS * any(g, 4, 12);
        pipeline->warmup = any(g, 0, 80);
        say(g, "batches = %ld\nwarmup = %ld\n", pipeline->batches, pipeline->warmup);
    }
    if (!shared && pipeline->slows == 0 && chance(g, 0.15))
        pipeline->resolution = say_time(g, "resolution", load * between(g, 0.05, 0.4));
    if (chance(g, 0.1))
        say(g, "sampler = gsl\n");
    if (pipeline->threads == 1 && !pipeline->serial && chance(g, 0.2)) {
        pipeline->start = chance(g, 0.5) ? STAGGERED : AT_RANDOM;
        say(g, "start = %s\n", starts[pipeline->start]);
    }
}

static void make_slow(struct generator *g, double unit)
{
    static const char *const scopes[] = {"all", "host", "rank", "loader"}, *const used[] = {"all", "cpu", "storage"};
    struct pipeline *pipeline = g->pipeline;
    bool shared = shares_cores(pipeline) || isfinite(pipeline->host_bandwidth) ||
                  isfinite(pipeline->storage_bandwidth) || pipeline->pin > 0;
    bool trains = pipeline->receive_on_cpu || pipeline->affinity > 0;
    for (int k = 0; k < pipeline->step_stages; k++)
        trains = trains || pipeline->step[k].use == USES_CPU;
    /* Not simulated: the trainer on shared cores with a slowdown. */
    const int count = (trains && shares_cores(pipeline)) || !chance(g, 0.25) ? 0 : chance(g, 0.3) ? 2 : 1;
    for (int k = 0; k < count; k++) {
        struct slow *slow = &pipeline->slow[pipeline->slows++];
        say(g, "[slowdown.d%d]\n", k);
        slow->use = (enum use)any(g, 0, 2);
        slow->use = uses(pipeline, slow->use) ? slow->use : USES_NOTHING;
        say(g, "uses = %s\n", used[slow->use]);
        /* A profile, drifting where nothing is shared; not where the epochs that are measured have no time in it. */
        if ((pipeline->epoch > 0 || pipeline->horizon > 0) && chance(g, 0.4) &&
            !(pipeline->cache > 0 && pipeline->epochs == 0)) {
            slow->times = (int)any(g, 2, 3);
            slow->linear = k == 0 && !shared && chance(g, 0.5);
            for (int i = 0; i < slow->times; i++) {
                slow->time[i] = i == 0 ? 0 : slow->time[i - 1] + unit * between(g, 5, 60);
                slow->speeds[i] = between(g, 0.2, 1);
            }
            slow->scope = OF_ALL;
            say(g, "times = %.17gs", slow->time[0]);
            for (int i = 1; i < slow->times; i++)
                say(g, ", %.17gs", slow->time[i]);
            say(g, "\nspeeds = %.17g", slow->speeds[0]);
            for (int i = 1; i < slow->times; i++)
                say(g, ", %.17g", slow->speeds[i]);
            say(g, "\nshape = %s\n", slow->linear ? "linear" : "steps");
            continue;
        }
        slow->interval = say_time(g, "interval", unit * between(g, 5, 60));
        slow->duration = say_time(g, "duration", unit * between(g, 0.5, 15));
        slow->interval_cv = 0.5 * (double)any(g, 0, 3);
        slow->duration_cv = 0.5 * (double)any(g, 0, 2);
        slow->speed = chance(g, 0.5) ? 0 : between(g, 0, 0.9);
        slow->scope = (unsigned)any(g, 0, shared ? 0 : 3);
        say(g, "interval_cv = %g\nduration_cv = %g\nspeed = %.17g\nscope = %s\n", slow->interval_cv, slow->duration_cv,
            slow->speed, scopes[slow->scope]);
    }
}

/* Pipeline `number`, the same on every machine but for the last digits of its times. */
static void make_pipeline(uint64_t number, struct pipeline *pipeline, char text[REFERENCE_TEXT])
{
    struct generator g = {.random.state = number * 0xd1342543de82ef95 + 20261128, .pipeline = pipeline, .text = text};
    *pipeline = (struct pipeline){.slow_factor = 1};
    make_loader(&g);
    const double step = between(&g, 0.05, 0.15), load = step * fmax(1, pipeline->started_workers) * between(&g, 0.3, 2);
    const bool threads = pipeline->batch_size > 1 && pipeline->threads_of_load == 1 && chance(&g, 0.3);
    make_epochs(&g, threads, fmax(step, load));
    make_load(&g, load, threads);
    make_step(&g, step);
    make_overheads(&g, load, step);
    make_host(&g);
    make_cache(&g);
    make_slow(&g, fmax(step, load));
    make_run(&g, load);
}
