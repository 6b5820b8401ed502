/* Random times in blocks: draws of several lanes at once, by the kernels of vector_*.c. */
#include "base/elementary.h"
#include "dist/families.h"

#include <string.h>

/* -- uniforms -- */

static dlq_uniforms *const kernels[] = DLQ_SETS(dlq_vector_uniforms);

/* Block b of Philox has the uniforms 2b and 2b + 1 of a stream. If the number of lanes is a multiple of DLQ_RUN, the
   kernel computes the blocks of several lanes at once; else several blocks of one lane at once. */
void dlq_fill_uniform(const struct dlq_lanes *lanes, unsigned use, uint64_t first, size_t n, double *u)
{
    struct dlq_stream_key key = {
        .key = {(uint32_t)lanes->seed, (uint32_t)(lanes->seed >> 32)},
        .role = lanes->rank << 16 | use << 12 | lanes->purpose,
        .replication = lanes->replication,
    };
    dlq_uniforms *const fill = kernels[lanes->set];
    enum { RUN_UNIFORMS = 2 * DLQ_RUN, RUNS = 16 };
    double buffer[RUN_UNIFORMS * RUNS];
    if (lanes->count % DLQ_RUN == 0) {
        for (size_t got; n > 0; n -= got, first += got, u += got * lanes->count) {
            const bool whole = first % 2 == 0 && n > 1; /* else one half of a block */
            got = whole ? n - n % 2 : 1;
            fill(&key, false, lanes->count, first / 2, (got + 1) / 2, whole ? u : buffer);
            if (!whole)
                memcpy(u, buffer + first % 2 * lanes->count, lanes->count * sizeof *u);
        }
        return;
    }
    for (size_t lane = 0; lane < lanes->count; lane++, key.replication++)
        for (size_t done = 0, got; done < n; done += got) {
            size_t skip = (first + done) % 2, needed = (n - done + skip + RUN_UNIFORMS - 1) / RUN_UNIFORMS;
            size_t count = needed < RUNS ? needed : RUNS;
            got = count * RUN_UNIFORMS - skip < n - done ? count * RUN_UNIFORMS - skip : n - done;
            fill(&key, true, DLQ_RUN, (first + done) / 2, count, buffer);
            /* A run has the first uniforms of DLQ_RUN blocks, then their second ones. */
            for (size_t i = 0; i < got; i++) {
                size_t at = i + skip;
                u[(done + i) * lanes->count + lane] =
                    buffer[at / RUN_UNIFORMS * RUN_UNIFORMS + at % 2 * DLQ_RUN + at % RUN_UNIFORMS / 2];
            }
        }
}

/* -- distributions -- */

/* Uniforms of a gamma draw by rejection; the next uniform seeds the generator that replaces a rejected draw. */
enum { REJECTING = 2 };

/* The number of uniforms per draw; -1: no kernel draws this distribution. */
static int uniforms_of(const struct dlq_dist *dist)
{
    int uniforms = dist->family->uniforms;
    if (uniforms != DLQ_UNIFORMS_BY_SHAPE)
        return uniforms;
    int stages = dlq_gamma_stages(dist);
    /* One for each exponential stage; else 2, by the method of Marsaglia & Tsang. */
    return stages > 0 ? stages : dist->a >= 1 ? REJECTING : -1;
}

bool dlq_dist_in_blocks(const struct dlq_dist *dist)
{
    return uniforms_of(dist) >= 0;
}

bool dlq_sum_in_blocks(const struct dlq_sum *sum)
{
    return sum->on_grid || dlq_dist_in_blocks(&sum->dist);
}

/* Uniforms that are computed together: they fit into the first-level cache. */
enum { AT_ONCE = 2048 };

/* The number of rows of lanes to compute together: even, if possible, so that no block of Philox is cut in half. */
static size_t rows_of(const struct dlq_lanes *lanes, size_t uniforms, size_t n)
{
    size_t room = AT_ONCE / (lanes->count * (uniforms > 0 ? uniforms : 1));
    room -= room > 1 ? room % 2 : 0;
    return n < room ? n : room;
}

/* Loads and steps of a rank draw the index of their first time from the same stream: that is one index if equally many
   times of both were measured. */
static void fill_in_order(const struct dlq_lanes *lanes, const struct dlq_dist *dist, uint64_t first, size_t n,
                          double *x)
{
    const uint64_t count = dist->data->count;
    struct dlq_lanes places = *lanes;
    double u[DLQ_MOST_LANES];
    places.purpose = DLQ_PURPOSE_PLACE;
    dlq_fill_uniform(&places, 0, 0, 1, u);
    for (size_t lane = 0; lane < lanes->count; lane++) {
        size_t at = (size_t)(((uint64_t)(u[lane] * (double)count) + first) % count);
        for (size_t i = 0; i < n; i++, at = at + 1 < count ? at + 1 : 0)
            x[i * lanes->count + lane] = dlq_measured_value(dist, dist->data->in_order[at]);
    }
}

static void replace_rejected(const struct dlq_lanes *lanes, const struct dlq_dist *dist, uint64_t first, size_t n,
                             double *x)
{
    const double scale = dist->scale * dist->b;
    for (size_t i = 0; i < n; i++, x += lanes->count) {
        double u[DLQ_MOST_LANES];
        uint64_t bits = 0;
        for (size_t lane = 0; lane < lanes->count; lane++)
            bits |= dlq_bits(x[lane]);
        if (bits >> 63 == 0) /* no sign is set */
            continue;
        dlq_fill_uniform(lanes, REJECTING, first + i, 1, u);
        for (size_t lane = 0; lane < lanes->count; lane++)
            if (x[lane] == DLQ_REJECTED)
                x[lane] = scale * dlq_gamma_anew(dist->a, u[lane]);
    }
}

void dlq_fill_dist(const struct dlq_lanes *lanes, const struct dlq_dist *dist, uint64_t first, size_t n, double *x)
{
    size_t uniforms = (size_t)uniforms_of(dist);
    double u[AT_ONCE];
    if (dlq_dist_is_in_order(dist)) {
        fill_in_order(lanes, dist, first, n, x);
        return;
    }
    for (size_t rows = 0; n > 0; n -= rows, first += rows) {
        rows = rows_of(lanes, uniforms, n);
        size_t count = rows * lanes->count;
        for (size_t use = 0; use < uniforms; use++)
            dlq_fill_uniform(lanes, (unsigned)use, first, rows, u + use * count);
        dist->family->draw[lanes->set](dist, u, count, count, x);
        if (dist->family->uniforms == DLQ_UNIFORMS_BY_SHAPE && dlq_gamma_stages(dist) == 0)
            replace_rejected(lanes, dist, first, rows, x);
        x += count;
    }
}

void dlq_fill_sum(const struct dlq_lanes *lanes, const struct dlq_sum *sum, uint64_t first, size_t n, double *x)
{
    const size_t count = n * lanes->count;
    if (sum->on_grid) {
        dlq_fill_uniform(lanes, 0, first, n, x);
        dlq_sum_invert(sum, count, x);
        return;
    }
    dlq_fill_dist(lanes, &sum->dist, first, n, x);
    for (size_t i = 0; i < count; i++)
        x[i] += sum->shift;
}

void dlq_fill_absence(const struct dlq_lanes *lanes, double probability, uint64_t first, size_t n, double *x)
{
    double u[AT_ONCE];
    for (size_t rows = 0; n > 0; n -= rows, first += rows) {
        rows = rows_of(lanes, 1, n);
        size_t count = rows * lanes->count;
        dlq_fill_uniform(lanes, DLQ_USE_PRESENCE, first, rows, u);
        for (size_t i = 0; i < count; i++)
            x[i] = u[i] < probability ? x[i] : 0;
        x += count;
    }
}
