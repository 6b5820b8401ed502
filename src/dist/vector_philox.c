/* Philox4x32-10 of several counters at a time; stream.c has the source and check values. */
#include "dist/families.h"

#include <string.h>

/* Each 64-bit element holds a 32-bit word in its low half; the high half is arbitrary. PRODUCT multiplies low halves,
   SWAP moves the high half to the low half. */
#if defined(__AVX512F__)
#include <immintrin.h>
typedef uint64_t words __attribute__((vector_size(64)));
#define PRODUCT(a, b) ((words)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#define SWAP(a) ((words)_mm512_shuffle_epi32((__m512i)(a), _MM_PERM_CDAB))
#elif defined(__AVX2__)
#include <immintrin.h>
typedef uint64_t words __attribute__((vector_size(32)));
#define PRODUCT(a, b) ((words)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define SWAP(a) ((words)_mm256_shuffle_epi32((__m256i)(a), 0xb1))
#elif defined(__SSE2__)
#include <emmintrin.h>
typedef uint64_t words __attribute__((vector_size(16)));
#define PRODUCT(a, b) ((words)_mm_mul_epu32((__m128i)(a), (__m128i)(b)))
#define SWAP(a) ((words)_mm_shuffle_epi32((__m128i)(a), 0xb1))
#else
typedef uint64_t words __attribute__((vector_size(16)));
#define PRODUCT(a, b) (((a)&0xffffffff) * ((b)&0xffffffff))
#define SWAP(a) ((a) >> 32)
#endif

enum { WIDTH = sizeof(words) / sizeof(uint64_t), ROUNDS = 10, SIDE_BY_SIDE = 2 };

/* The first 52 of 64 bits become the fraction of a number in [1, 2). That number minus (1 - 2^-53) is an odd multiple
   of 2^-53, without rounding. */
static inline void store_uniforms(words high, words low, double *u)
{
    typedef double doubles __attribute__((vector_size(sizeof(words))));
    words bits = (high << 32 | (low & 0xffffffff)) >> 12 | 0x3ff0000000000000;
    doubles values;
    memcpy(&values, &bits, sizeof values);
    values -= 1 - 0x1p-53;
    memcpy(u, &values, sizeof values);
}

/* from, from + 1, ... */
static inline words count_from(uint64_t from)
{
    static const uint64_t indices[DLQ_RUN] = {0, 1, 2, 3, 4, 5, 6, 7};
    words first;
    memcpy(&first, indices, sizeof first);
    return first + from;
}

/* The round keys, the same in all elements. */
struct round_keys {
    words first[ROUNDS], second[ROUNDS];
};

/* Applies Philox to `count` vectors of counters side by side, since each round of one vector has to wait for the round
   before. Writes the first uniforms of the blocks to u, the second ones to u + lanes. blocks: their numbers. */
static inline __attribute__((always_inline)) void scramble(const struct round_keys *keys, const int count,
                                                           const words *blocks, words role, const words *replications,
                                                           size_t lanes, double *u)
{
    const words none = {0}, m0 = none + 0xd2511f53, m1 = none + 0xcd9e8d57;
    words c0[SIDE_BY_SIDE], c1[SIDE_BY_SIDE], c2[SIDE_BY_SIDE], c3[SIDE_BY_SIDE];
    for (int v = 0; v < count; v++) {
        c0[v] = blocks[v];
        c1[v] = blocks[v] >> 32;
        c2[v] = role;
        c3[v] = replications[v];
    }
#pragma GCC unroll 10
    for (int round = 0; round < ROUNDS; round++)
#pragma GCC unroll 2
        for (int v = 0; v < count; v++) {
            words p0 = PRODUCT(c0[v], m0), p1 = PRODUCT(c2[v], m1);
            c0[v] = SWAP(p1) ^ c1[v] ^ keys->first[round];
            c1[v] = p1;
            c2[v] = SWAP(p0) ^ c3[v] ^ keys->second[round];
            c3[v] = p0;
        }
    for (int v = 0; v < count; v++) {
        store_uniforms(c0[v], c1[v], u + v * WIDTH);
        store_uniforms(c2[v], c3[v], u + lanes + v * WIDTH);
    }
}

void DLQ_FOR_SET(dlq_vector_uniforms)(const struct dlq_stream_key *key, bool along, size_t lanes, uint64_t block,
                                      size_t rows, double *u)
{
    const words none = {0};
    struct round_keys keys;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        keys.first[round] = none + (uint32_t)(key->key[0] + round * 0x9e3779b9);
        keys.second[round] = none + (uint32_t)(key->key[1] + round * 0xbb67ae85);
    }
    for (size_t i = 0; i < rows; i++, block += along ? lanes : 1, u += 2 * lanes)
        for (size_t lane = 0; lane < lanes; lane += (size_t)SIDE_BY_SIDE * WIDTH) {
            words blocks[SIDE_BY_SIDE], replications[SIDE_BY_SIDE];
            for (size_t v = 0; v < SIDE_BY_SIDE; v++) {
                const size_t at = lane + v * WIDTH;
                blocks[v] = along ? count_from(block + at) : none + block;
                replications[v] = along ? none + key->replication : count_from(key->replication + at);
            }
            if (lane + (SIDE_BY_SIDE - 1) * WIDTH < lanes)
                scramble(&keys, SIDE_BY_SIDE, blocks, none + key->role, replications, lanes, u + lane);
            else
                scramble(&keys, 1, blocks, none + key->role, replications, lanes, u + lane);
        }
}
