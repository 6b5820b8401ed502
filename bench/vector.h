/* Eight doubles at once: GCC's vector types, which other machines do in pieces. */
#pragma once

enum { BENCH_WIDTH = 8 };
typedef double bench_vector __attribute__((vector_size(BENCH_WIDTH * sizeof(double))));

/* The two loops become one instruction each where there is one. */
static inline bench_vector bench_larger(bench_vector a, bench_vector b)
{
    bench_vector result;
    for (int i = 0; i < BENCH_WIDTH; i++)
        result[i] = a[i] > b[i] ? a[i] : b[i];
    return result;
}

static inline bench_vector bench_smaller(bench_vector a, bench_vector b)
{
    bench_vector result;
    for (int i = 0; i < BENCH_WIDTH; i++)
        result[i] = a[i] < b[i] ? a[i] : b[i];
    return result;
}

static inline bench_vector bench_spread(double value)
{
    bench_vector result = {0};
    return result + value;
}

static inline bench_vector bench_gather(const double *values)
{
    bench_vector result;
    for (int i = 0; i < BENCH_WIDTH; i++)
        result[i] = values[i];
    return result;
}

static inline void bench_scatter(bench_vector vector, double *values)
{
    for (int i = 0; i < BENCH_WIDTH; i++)
        values[i] = vector[i];
}
