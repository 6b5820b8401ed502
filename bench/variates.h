/* Random times as a fast event-driven program draws them: one at a time, as they are needed. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* xoshiro256++ 1.0 (Blackman and Vigna 2021, "Scrambled linear pseudorandom number generators", ACM TOMS 47(4)). From
   the state 1, 2, 3, 4 its first value is 41943041. */
struct bench_random {
    uint64_t state[4];
    double spare; /* a normal variate drawn along with the one before */
    bool has_spare;
};

static inline uint64_t bench_rotate(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

static inline uint64_t bench_bits(struct bench_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = bench_rotate(s[0] + s[3], 23) + s[0];
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = bench_rotate(s[3], 45);
    return result;
}

/* The state from a seed by SplitMix64 (Steele, Lea and Flood 2014), as the authors of xoshiro advise. */
static inline void bench_seed(struct bench_random *random, uint64_t seed)
{
    *random = (struct bench_random){.has_spare = false};
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += 0x9E3779B97F4A7C15U;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
        z = (z ^ z >> 27) * 0x94D049BB133111EBU;
        random->state[i] = z ^ z >> 31;
    }
}

/* In (0, 1]: its logarithm is finite. */
static inline double bench_uniform(struct bench_random *random)
{
    return (double)((bench_bits(random) >> 11) + 1) * 0x1p-53;
}

static inline double bench_exponential(struct bench_random *random, double mean)
{
    return -mean * log(bench_uniform(random));
}

/* Marsaglia's polar method (Marsaglia and Bray 1964): two at a time, without sine or cosine. */
static inline double bench_normal(struct bench_random *random)
{
    if (random->has_spare) {
        random->has_spare = false;
        return random->spare;
    }
    double x;
    double y;
    double square;
    do {
        x = 2 * bench_uniform(random) - 1;
        y = 2 * bench_uniform(random) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double factor = sqrt(-2 * log(square) / square);
    random->spare = y * factor;
    random->has_spare = true;
    return x * factor;
}
