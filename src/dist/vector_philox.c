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

enum { WIDTH = sizeof(words) / sizeof(uint64_t), ROUNDS = 10 };

/* The first 52 of 64 bits become the fraction of a number in [1, 2); less 1 - 2^-53 this is an odd multiple of 2^-53,
   without rounding. */
static inline void store_uniforms(words high, words low, double *u)
{
    typedef double numbers __attribute__((vector_size(sizeof(words))));
    words bits = (high << 32 | (low & 0xffffffff)) >> 12 | 0x3ff0000000000000;
    numbers values;
    memcpy(&values, &bits, sizeof values);
    values -= 1 - 0x1p-53;
    memcpy(u, &values, sizeof values);
}

/* from, from + 1, ... */
static inline words count(uint64_t from)
{
    static const uint64_t numbers[DLQ_RUN] = {0, 1, 2, 3, 4, 5, 6, 7};
    words first;
    memcpy(&first, numbers, sizeof first);
    return first + from;
}

void DLQ_FOR_SET(dlq_vector_uniforms)(const struct dlq_stream_key *key, bool along, size_t lanes, uint64_t block,
                                      size_t rows, double *u)
{
    const words none = {0}, m0 = none + 0xd2511f53, m1 = none + 0xcd9e8d57;
    const struct dlq_stream_key name = *key;
    for (size_t i = 0; i < rows; i++, block += along ? lanes : 1)
        for (size_t lane = 0; lane < lanes; lane += WIDTH) {
            words number = along ? count(block + lane) : none + block;
            words replication = along ? none + name.replication : count(name.replication + lane);
            words c0 = number, c1 = number >> 32, c2 = none + name.role, c3 = replication;
            double *row = u + 2 * i * lanes + lane;
            uint32_t k0 = name.key[0], k1 = name.key[1];
#pragma GCC unroll 10
            for (int round = 0; round < ROUNDS; round++) {
                words p0 = PRODUCT(c0, m0), p1 = PRODUCT(c2, m1);
                c0 = SWAP(p1) ^ c1 ^ k0;
                c1 = p1;
                c2 = SWAP(p0) ^ c3 ^ k1;
                c3 = p0;
                k0 += 0x9e3779b9;
                k1 += 0xbb67ae85;
            }
            store_uniforms(c0, c1, row);
            store_uniforms(c2, c3, row + lanes);
        }
}
