/* Counter-based random streams: Random123's Philox4x32-10 as a gsl_rng_type. */
#ifndef DLQ_DIST_STREAM_H
#define DLQ_DIST_STREAM_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

/* What a stream is for; stage k of load or step adds k << 8. */
enum dlq_purpose { DLQ_PURPOSE_LOAD, DLQ_PURPOSE_STEP, DLQ_PURPOSE_PHASE, DLQ_PURPOSE_TEST };

/* State {key, counter, output block}; gsl_rng_set seeds it as stream (seed, 0, 0, 0). 53-bit uniforms in [0, 1). */
extern const gsl_rng_type *const dlq_stream_type;

/* Puts rng (of dlq_stream_type) at the start of the stream that these four name: equal names give equal draws, and
   different names streams that never overlap (2^64 blocks each). rank < 2^16, purpose < 2^16. */
void dlq_stream_start(gsl_rng *rng, uint64_t seed, uint32_t replication, uint32_t rank, uint32_t purpose);

#endif
