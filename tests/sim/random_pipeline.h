/* Random pipelines as configuration text, the same for the same number on every machine. */
#pragma once

#include "systems.h"

#include <stdarg.h>

enum { PIPELINE_TEXT = 4000 };

struct writer {
    gsl_rng *rng;
    char *text;
    size_t used;
};

static inline double uniform(struct writer *writer, double low, double high)
{
    return low + (high - low) * gsl_rng_uniform(writer->rng);
}

static inline long any(struct writer *writer, long low, long high)
{
    return low + (long)gsl_rng_uniform_int(writer->rng, (unsigned long)(high - low + 1));
}

static inline bool chance(struct writer *writer, double share)
{
    return gsl_rng_uniform(writer->rng) < share;
}

static inline void add(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void add(struct writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    writer->used += (size_t)vsnprintf(writer->text + writer->used, PIPELINE_TEXT - writer->used, format, arguments);
    va_end(arguments);
}

static inline void write_times(struct writer *writer, double mean, bool constant)
{
    static const char *const families[] = {
        "constant",
        "exponential",
        "lognormal\ncv = 0.3",
        "lognormal\ncv = 1.385",
        "gamma\ncv = 0.2",
        "gamma\ncv = 1.7",
        "weibull\nshape = 0.8",
        "pareto\nalpha = 2.8",
        "hyperexponential\ncv = 2.385",
        "normal\ncv = 0.1",
        "erlang\nstages = 3",
    };
    long row = constant ? 0 : any(writer, 0, (long)(sizeof families / sizeof *families) - 1);
    add(writer, "mean = %.17gs\ndistribution = %s\n", mean, families[row]);
}

/* One stage, or up to three of which some are rare, use cpu or storage, or are done sample by sample. */
static inline void write_load(struct writer *writer, double mean, long batch_size, bool constant)
{
    static const char names[] = {'r', 'd', 'j'};
    static const char *const uses[] = {"nothing", "cpu", "storage\nbytes = 100KB"};
    long stages = chance(writer, 0.5) ? 1 : any(writer, 2, 3);
    for (long k = 0; k < stages; k++) {
        bool sample = !constant && chance(writer, 0.3);
        double probability = !constant && chance(writer, 0.2) ? uniform(writer, 0.05, 0.9) : 1;
        if (stages == 1)
            add(writer, "[load]\n");
        else
            add(writer, "[load.%c]\n", names[k % 3]);
        add(writer, "uses = %s\n", uses[any(writer, 0, 2)]);
        add(writer, "per = %s\nprobability = %.17g\n", sample ? "sample" : "batch", probability);
        write_times(writer, mean / (double)stages / probability / (sample ? (double)batch_size : 1), constant);
    }
}

static inline void write_pipeline(struct writer *writer, const struct dlq_loader *loader, long loaders, bool steady)
{
    bool serial = loader->assign == DLQ_ASSIGN_TRAINER;
    add(writer, "[pipeline]\nloader = %s\nloaders = %ld\n", loader->name, serial ? 0 : loaders);
    if (loader->prefetch_name != NULL && chance(writer, 0.8))
        add(writer, "prefetch = %ld\n", any(writer, 1, 4));
    if (!serial && !steady && chance(writer, 0.2))
        add(writer, "window = %ld\n", loaders * any(writer, 1, 4));
    else if (!serial && chance(writer, 0.08))
        add(writer, "window = unbounded\n");
    /* whole factors make ties of unequal loaders */
    double factor = chance(writer, 0.5) ? (double)any(writer, 2, 3) : uniform(writer, 1, 3);
    if (!serial && loader->assign != DLQ_ASSIGN_SINGLE && chance(writer, 0.2))
        add(writer, "slow_loaders = %ld\nslow_factor = %.17g\n", any(writer, 1, loaders), factor);
    if (!steady && chance(writer, 0.3))
        add(writer, "epoch_batches = %ld\npersistent = %s\n", any(writer, 3, 60), chance(writer, 0.5) ? "yes" : "no");
}

static inline void write_overheads(struct writer *writer)
{
    add(writer, "[overheads]\n");
    if (chance(writer, 0.3))
        add(writer, "dispatch = %.17gs\n", uniform(writer, 0, 0.02));
    if (chance(writer, 0.3))
        add(writer, "deliver = %.17gs\n", uniform(writer, 0, 0.02));
    if (chance(writer, 0.3))
        add(writer, "receive = %.17gs\n", uniform(writer, 0, 0.02));
    if (chance(writer, 0.3))
        add(writer, "startup = %.17gs\n", uniform(writer, 0, 0.5));
}

/* Pipeline `number` into text: loaders take turns. steady: without what a long run forgets or a longer window ends. */
static inline void random_pipeline(unsigned number, bool steady, char text[PIPELINE_TEXT])
{
    static const char *const starts[] = {"together", "staggered", "random"};
    size_t count;
    const struct dlq_loader *rows = dlq_loaders(&count);
    struct writer writer = {.rng = gsl_rng_alloc(dlq_stream_type), .text = text};
    CHECK(writer.rng != NULL, "no memory");
    if (writer.rng == NULL)
        return;
    dlq_stream_start(writer.rng, 20240517, number, 0, DLQ_PURPOSE_TEST);
    long loaders = any(&writer, 1, 16);
    bool constant = chance(&writer, 0.2);
    write_pipeline(&writer, &rows[number % count], loaders, steady);
    long batch_size = any(&writer, 1, 8);
    add(&writer, "batch_size = %ld\n", batch_size);
    write_overheads(&writer);
    write_load(&writer, 0.1 * (double)loaders * uniform(&writer, 0.3, 2), batch_size, constant);
    add(&writer, "[step]\n");
    write_times(&writer, 0.1, constant || chance(&writer, 0.3));
    add(&writer, "[simulate]\nstart = %s\n", starts[any(&writer, 0, 2)]);
    if (chance(&writer, 0.2))
        add(&writer, "resolution = %.17gs\n", uniform(&writer, 0.01, 0.1));
    gsl_rng_free(writer.rng);
}

/* 1 to 5 ranks, some of them slow, and a barrier. */
static inline void add_ranks(struct dlq_system *system, unsigned number)
{
    struct dlq_pipeline *pipeline = &system->pipeline;
    pipeline->ranks = 1 + (long)(number / 3) % 5;
    pipeline->slow_ranks = number % 4 == 1 ? 1 + (long)(number / 4) % pipeline->ranks : 0;
    if (pipeline->slow_factor == 1)
        pipeline->slow_factor = number % 8 == 1 ? 2 : 1.385;
    system->overheads.barrier = number % 3 == 0 ? 0 : 0.007 * (number % 5);
}
