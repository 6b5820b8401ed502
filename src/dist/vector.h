/* The innermost loops of sampling, one copy for each instruction set; all give the same bits. Private to the floor. */
#ifndef DLQ_DIST_VECTOR_H
#define DLQ_DIST_VECTOR_H

#include "dist/dist.h"

#include <math.h>

/* What names a stream of Philox, in the words of its key and counter. */
struct dlq_stream_key {
    uint32_t key[2], role, replication;
};

/* Blocks of 2 uniforms each, in rows of `lanes`, a multiple of DLQ_RUN: both of block `block` + i of replication +
   lane; or, along one stream, of block + i lanes + lane of the replication: u[2 i lanes + lane] and u[(2 i + 1) lanes +
   lane], i < rows. */
enum { DLQ_RUN = 8 };
typedef void dlq_uniforms(const struct dlq_stream_key *key, bool along, size_t lanes, uint64_t block, size_t rows,
                          double *u);

DLQ_DECLARE_SETS(dlq_uniforms, dlq_vector_uniforms);

DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_exponential);
DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_gamma);
DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_lognormal);
DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_weibull);
DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_pareto);
DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_uniform);
DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_normal);
DLQ_DECLARE_SETS(dlq_draw_kernel, dlq_vector_hyperexponential);

/* Of a sum of few exponential stages, how many these are; else 0. */
static inline int dlq_gamma_stages(const struct dlq_dist *dist)
{
    const double most = 8;
    return dist->a <= most && dist->a == floor(dist->a) ? (int)dist->a : 0;
}

/* A gamma variable of that shape, >= 1, and mean `shape`: another for each u. Marsaglia & Tsang's, one by one. */
double dlq_gamma_anew(double shape, double u);

#endif
