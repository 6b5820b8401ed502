/* The options of [simulate]: how long, how exactly, from which seed. */
#pragma once

#include "base/option.h"

enum dlq_start { DLQ_START_TOGETHER, DLQ_START_STAGGERED, DLQ_START_RANDOM };
enum dlq_sampler { DLQ_SAMPLER_FAST, DLQ_SAMPLER_GSL };
enum dlq_measured { DLQ_MEASURE_ALL, DLQ_MEASURE_MEANS, DLQ_MEASURE_THROUGHPUT };
enum dlq_method { DLQ_METHOD_AUTO, DLQ_METHOD_SIMULATE, DLQ_METHOD_MARKOV };

/* Replications of a wave. */
enum { DLQ_WAVE = 16 };

struct dlq_simulate_options {
    double horizon;     /* s; NAN: none */
    long batches;       /* measured per replication */
    bool batches_given; /* by the user */
    long warmup;        /* batches before the measured ones; -1: by rule */
    bool under_way;     /* no key: loads are under way at the start, if the kernel can do that (dlq_extent.under_way) */
    double precision;   /* half-width / throughput; 0: run all replications */
    long replications;  /* at most */
    uint64_t seed;
    double resolution; /* s; 0: none */
    int start;         /* enum dlq_start */
    int method;        /* enum dlq_method */
    int sampler;       /* enum dlq_sampler */
    int measure;       /* enum dlq_measured */
};

extern const struct dlq_section dlq_simulate_section;

enum dlq_status dlq_simulate_options_read(struct dlq_simulate_options *options, const struct dlq_entries *entries,
                                          struct dlq_error *error);
