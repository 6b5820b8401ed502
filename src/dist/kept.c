/* A store of draws in chunks, so that systems that are compared on the same draws do not draw these again. Chunks are
   found by a table of hashes whose places are filled once: threads read and add chunks without locks. */
#include "dist/dist.h"

#include <stdlib.h>
#include <string.h>

/* At least half of the places stay empty, if chunks have FEWEST_LANES lanes or more. */
enum { PLACES = 1 << 17, FEWEST_LANES = 8 };
_Static_assert(PLACES / 2 * DLQ_KEPT_ROWS * FEWEST_LANES * sizeof(double) >= DLQ_KEPT_BYTES, "the table may be full");

struct dlq_kept_chunk {
    struct dlq_kept_key key;
    double rows[];
};

bool dlq_kept_law(struct dlq_kept_draws *kept, const void *law, size_t size)
{
    if (kept->law != NULL)
        return kept->law_size == size && memcmp(kept->law, law, size) == 0;
    kept->places = calloc(PLACES, sizeof(_Atomic(struct dlq_kept_chunk *)));
    kept->law = malloc(size);
    if (kept->places == NULL || kept->law == NULL) {
        dlq_kept_free(kept);
        return false;
    }
    memcpy(kept->law, law, size);
    kept->law_size = size;
    return true;
}

/* The first place to look for a key; multipliers of splitmix64 (Steele, Lea & Flood 2014, "Fast splittable pseudorandom
   number generators"). */
static size_t place_of(const struct dlq_kept_key *key)
{
    const uint64_t words[] = {key->seed, key->chunk, (uint64_t)key->replication << 32 | key->rank, key->lanes};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        hash = (hash ^ words[i]) * 0xbf58476d1ce4e5b9;
        hash = (hash ^ hash >> 27) * 0x94d049bb133111eb;
        hash ^= hash >> 31;
    }
    return hash & (PLACES - 1);
}

static bool is_same(const struct dlq_kept_key *a, const struct dlq_kept_key *b)
{
    return a->seed == b->seed && a->chunk == b->chunk && a->replication == b->replication && a->rank == b->rank &&
           a->lanes == b->lanes;
}

const double *dlq_kept_find(const struct dlq_kept_draws *kept, const struct dlq_kept_key *key)
{
    const struct dlq_kept_chunk *chunk;
    for (size_t at = place_of(key); (chunk = atomic_load(&kept->places[at])) != NULL; at = (at + 1) & (PLACES - 1))
        if (is_same(&chunk->key, key))
            return chunk->rows;
    return NULL;
}

/* Whether there is memory for more draws: not if less than RESERVE is left then, where memory is limited. */
static bool has_room(struct dlq_kept_draws *kept, size_t size)
{
    enum { STEP = 1 << 20, RESERVE = 1 << 26 };
    /* A full store does not count on: in 32 bits the count could overflow. */
    const size_t full = DLQ_KEPT_BYTES, bytes = atomic_load(&kept->bytes);
    const size_t before = bytes < full ? atomic_fetch_add(&kept->bytes, size) : bytes;
    if (before + size > full)
        return false;
    if (before / STEP == (before + size) / STEP && before > 0)
        return true;
    void *volatile reserve = malloc(RESERVE); /* volatile: or else the compiler leaves the call out */
    const bool is_left = reserve != NULL;
    if (!is_left)
        atomic_store(&kept->bytes, full);
    free(reserve);
    return is_left;
}

double *dlq_kept_new(struct dlq_kept_draws *kept, const struct dlq_kept_key *key)
{
    const size_t size = DLQ_KEPT_ROWS * key->lanes * sizeof(double);
    const bool room = key->lanes >= FEWEST_LANES && has_room(kept, size);
    struct dlq_kept_chunk *chunk = room ? malloc(sizeof *chunk + size) : NULL;
    if (chunk == NULL)
        return NULL;
    chunk->key = *key;
    return chunk->rows;
}

void dlq_kept_add(struct dlq_kept_draws *kept, double *rows)
{
    struct dlq_kept_chunk *chunk = (struct dlq_kept_chunk *)(void *)((char *)rows - sizeof *chunk), *none = NULL;
    for (size_t at = place_of(&chunk->key); !atomic_compare_exchange_strong(&kept->places[at], &none, chunk);
         none = NULL)
        at = (at + 1) & (PLACES - 1);
}

void dlq_kept_free(struct dlq_kept_draws *kept)
{
    for (size_t i = 0; kept->places != NULL && i < PLACES; i++)
        free(atomic_load(&kept->places[i]));
    free(kept->places);
    free(kept->law);
    *kept = (struct dlq_kept_draws){.law = NULL};
}
