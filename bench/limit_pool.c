#include "bare.h"

#include "vector.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = BENCH_POOL_LANES / BENCH_WIDTH, N = BENCH_POOL_LOADERS };

/* x takes the place of the least of the N ascending times: of each neighboring pair the middle one of (lower, x, upper)
   stays, so that no comparison waits for another. */
static inline void replace_least(bench_vector times[N], bench_vector x)
{
    bench_vector below = x;
#pragma GCC unroll 8
    for (int k = 0; k < N - 1; k++) {
        bench_vector above = times[k + 1];
        times[k] = bench_smaller(above, below);
        below = bench_larger(above, x);
    }
    times[N - 1] = below;
}

/* The loads under way as sorted end times: the least is the next to be delivered, G(j) = max(G(j-1) + T, least), and
   its loader begins batch j + N, dispatched at G(j+N-K). `ring` holds the last K times G. */
static void recur(const struct bench_bare *bare, bench_vector *restrict ring, long batches,
                  bench_vector received[GROUP])
{
    bench_vector mean[GROUP];
    bench_vector last[GROUP];
    bench_vector times[GROUP][N];
    for (int v = 0; v < GROUP; v++) {
        mean[v] = bench_gather(bare->means + v * BENCH_WIDTH);
        last[v] = received[v];
        for (int k = 0; k < N; k++)
            times[v][k] = bench_spread(0);
    }
    const bench_vector step = bench_spread(bare->step);
    const size_t size = GROUP * (size_t)bare->window;
    size_t place = 0;
    size_t ahead = GROUP * (size_t)(N % bare->window);
    long next = 0;
    for (long i = 0; i < batches; i++) {
        const bench_vector load = bench_spread(bare->loads[next]);
#pragma GCC unroll 8
        for (size_t v = 0; v < GROUP; v++) {
            bench_vector least = times[v][0];
            last[v] = bench_larger(last[v] + step, least);
            ring[place + v] = last[v];
            replace_least(times[v], bench_larger(ring[ahead + v], least) + load * mean[v]);
        }
        place = place + GROUP == size ? 0 : place + GROUP;
        ahead = ahead + GROUP == size ? 0 : ahead + GROUP;
        next = next + 1 == bare->load_count ? 0 : next + 1;
    }
    for (int v = 0; v < GROUP; v++)
        received[v] = last[v];
}

bool bench_bare_pool(const struct bench_bare *bare, long batches, double *delivered)
{
    size_t size = GROUP * (size_t)bare->window * sizeof(bench_vector);
    bench_vector *ring = aligned_alloc(sizeof(bench_vector), size);
    if (ring == NULL)
        return false;
    memset(ring, 0, size);
    bench_vector received[GROUP];
    for (int v = 0; v < GROUP; v++)
        received[v] = bench_spread(-bare->step);
    recur(bare, ring, batches, received);
    for (int v = 0; v < GROUP; v++)
        bench_scatter(received[v], delivered + v * BENCH_WIDTH);
    free(ring);
    return true;
}
