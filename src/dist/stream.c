/* Random streams as a gsl_rng_type, one number at a time. vector_philox.c computes the same uniforms in blocks. */
#include "dist/dist.h"

#include <Random123/philox.h>

/* Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3": block b of a stream
   depends on the key, b, role and replication alone, so that a stream can start anywhere. Key and counter 0 give the
   words 6627e8d5 e169c58d bc57ac4c 9b00dbd8 (Random123, kat_vectors). */
struct state {
    philox4x32_ctr_t counter, block;
    philox4x32_key_t key;
    unsigned used; /* words of `block` that were returned */
};

enum { WORDS = 4 };

static unsigned long next_word(void *of)
{
    struct state *state = of;
    if (state->used == WORDS) {
        state->block = philox4x32(state->counter, state->key);
        state->counter.v[0]++;
        state->counter.v[1] += state->counter.v[0] == 0;
        state->used = 0;
    }
    return state->block.v[state->used++];
}

static void start(struct state *state, uint64_t seed, uint32_t replication, uint32_t role)
{
    *state = (struct state){
        .key.v = {(uint32_t)seed, (uint32_t)(seed >> 32)}, .counter.v = {0, 0, role, replication}, .used = WORDS};
}

static void seed_state(void *state, unsigned long seed)
{
    start(state, seed, 0, 0);
}

/* The top 27 and 26 bits of two words: multiples of 2^-53. */
static double get_double(void *state)
{
    double high = (double)(next_word(state) >> 5), low = (double)(next_word(state) >> 6);
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

static const gsl_rng_type philox = {
    "philox4x32-10", UINT32_MAX, 0, sizeof(struct state), seed_state, next_word, get_double,
};

const gsl_rng_type *const dlq_stream_type = &philox;

enum dlq_status dlq_stream_new(struct dlq_arena *arena, uint64_t seed, gsl_rng **rng)
{
    char *state;
    NEW(arena, *rng, 1);
    NEW(arena, state, dlq_stream_type->size);
    **rng = (gsl_rng){.type = dlq_stream_type, .state = state};
    gsl_rng_set(*rng, seed);
    return DLQ_OK;
}

void dlq_stream_start(gsl_rng *rng, uint64_t seed, uint32_t replication, uint32_t rank, uint32_t purpose)
{
    start(rng->state, seed, replication, rank << 16 | (purpose & 0xffff));
}
