#include "bare.h"

#include "vector.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = BENCH_INDEX_LANES / BENCH_WIDTH };

/* What the lanes remember, rings of GROUP vectors a batch: D of the last N batches, G of the last K. */
struct rings {
    bench_vector *done, *received;
    size_t done_size, received_size;
};

static bool rings_new(struct rings *rings, const struct bench_bare *bare)
{
    rings->done_size = GROUP * (size_t)bare->loaders;
    rings->received_size = GROUP * (size_t)bare->window;
    size_t size = (rings->done_size + rings->received_size) * sizeof(bench_vector);
    rings->done = aligned_alloc(sizeof(bench_vector), size);
    if (rings->done == NULL)
        return false;
    memset(rings->done, 0, size);
    rings->received = rings->done + rings->done_size;
    return true;
}

/* D(i) = max(G(i-K), D(i-N)) + S(i); G(i) = max(G(i-1) + T, D(i)): received[] goes from one call to the next. `done`
   and `ring` lie where batch 0 of these has its place. */
static void recur(const struct bench_bare *bare, const struct rings *rings, long batches, bench_vector received[GROUP])
{
    bench_vector *restrict done = rings->done;
    bench_vector *restrict ring = rings->received;
    bench_vector mean[GROUP];
    bench_vector last[GROUP];
    for (int v = 0; v < GROUP; v++) {
        mean[v] = bench_gather(bare->means + v * BENCH_WIDTH);
        last[v] = received[v];
    }
    const bench_vector step = bench_spread(bare->step);
    size_t at = 0;
    size_t place = 0;
    long next = 0;
    for (long i = 0; i < batches; i++) {
        const bench_vector load = bench_spread(bare->loads[next]);
#pragma GCC unroll 8
        for (size_t v = 0; v < GROUP; v++) {
            bench_vector end = bench_larger(ring[place + v], done[at + v]) + load * mean[v];
            done[at + v] = end;
            last[v] = bench_larger(last[v] + step, end);
            ring[place + v] = last[v];
        }
        at = at + GROUP == rings->done_size ? 0 : at + GROUP;
        place = place + GROUP == rings->received_size ? 0 : place + GROUP;
        next = next + 1 == bare->load_count ? 0 : next + 1;
    }
    for (int v = 0; v < GROUP; v++)
        received[v] = last[v];
}

bool bench_bare_index(const struct bench_bare *bare, long batches, double *delivered)
{
    struct rings rings;
    if (!rings_new(&rings, bare))
        return false;
    bench_vector received[GROUP];
    for (int v = 0; v < GROUP; v++)
        received[v] = bench_spread(-bare->step);
    recur(bare, &rings, batches, received);
    for (int v = 0; v < GROUP; v++)
        bench_scatter(received[v], delivered + v * BENCH_WIDTH);
    free(rings.done);
    return true;
}
