/* Random times in blocks: the draws of adjacent replications (lanes), each a function of its number in its stream
   alone. Not on the number of lanes, nor on the pieces asked for, nor on the instruction set does a bit depend. */
#ifndef DLQ_DIST_SAMPLER_H
#define DLQ_DIST_SAMPLER_H

#include "base/instructions.h"
#include "dist/law.h"

#include <stdint.h>

enum { DLQ_MOST_LANES = 128 };

/* Lane l is replication + l. purpose < 2^12, as for dlq_stream_start. */
struct dlq_lanes {
    uint64_t seed;
    uint32_t replication, rank, purpose;
    size_t count; /* 1..DLQ_MOST_LANES */
    enum dlq_instructions set;
};

/* A draw may take several uniforms: each has streams of its own, in bits 12..15 of the purpose. */
enum { DLQ_USE_PRESENCE = 15, DLQ_USES };

/* How the laws of a family are drawn in blocks. */
struct dlq_blocks;

bool dlq_dist_in_blocks(const struct dlq_dist *dist);
bool dlq_law_in_blocks(const struct dlq_law *law);

/* Numbers first..first + n - 1 of each lane, as [i * count + lane]. Uniforms are odd multiples of 2^-53 in (0, 1). */
void dlq_fill_uniform(const struct dlq_lanes *lanes, unsigned use, uint64_t first, size_t n, double *u);
void dlq_fill_dist(const struct dlq_lanes *lanes, const struct dlq_dist *dist, uint64_t first, size_t n, double *x);
void dlq_fill_law(const struct dlq_lanes *lanes, const struct dlq_law *law, uint64_t first, size_t n, double *x);
/* x = 0 where the unit is absent, with 1 - probability. */
void dlq_fill_absence(const struct dlq_lanes *lanes, double probability, uint64_t first, size_t n, double *x);

#endif
