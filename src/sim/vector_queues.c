/* Loaders with a queue of batches each, delivered in order of completion. Load times may be equal and queues deep,
   unlike in vector_owner.c. The first batch of each queue lies in rows that vectors search, the other batches in a
   ring. */
#include "sim/vector.h"

#include <limits.h>

/* When a batch is done, and its key: from the high bits down its number, its loader, and its place in the ring of this
   loader. A batch that becomes the first of its queue leaves its place to the youngest batch of the queue; the second
   batch of the queue is then at the place after that. Keys are whole numbers below 2^53, which rise in order of
   dispatch. */
struct batch {
    double done, key;
};

struct queues {
    double *done, *keys;  /* of the first batch of each queue: a row for each loader */
    struct batch *behind; /* the other batches: [loader][places][lane] */
    const double *ready;  /* a row: when the epoch starts */
    long loaders, places, places_bits, key_bits;
    const struct dlq_point *point;
    double scale; /* of the rank's loads */
};

INLINE long bits_for(long count)
{
    return count > 1 ? (long)sizeof count * CHAR_BIT - __builtin_clzl((unsigned long)count - 1) : 0;
}

INLINE struct queues queues_of(const struct dlq_lane_state *state)
{
    struct queues queues = {.loaders = state->point->servers, .places = state->slots - 1, .point = state->point};
    queues.places_bits = bits_for(queues.places);
    queues.key_bits = queues.places_bits + bits_for(queues.loaders);
    return queues;
}

INLINE void select_rank(struct queues *queues, const struct dlq_lane_state *state, long rank)
{
    queues->done = dlq_rank_rows(state, rank);
    queues->keys = queues->done + queues->loaders * DLQ_LANES;
    queues->behind = (struct batch *)(queues->keys + queues->loaders * DLQ_LANES);
    queues->ready = queues->done + state->server_rows * DLQ_LANES;
    queues->scale = dlq_load_scale(state->point, rank);
}

INLINE double key_of(const struct queues *queues, long number, long loader, long place)
{
    return (double)((number << queues->key_bits) + (loader << queues->places_bits) + place);
}

/* As dlq_load_time, of the rank's loads. */
INLINE double time_on(const struct queues *queues, double draw, long loader)
{
    return dlq_rounded(queues->point, dlq_time_on(queues->point, draw * queues->scale, loader));
}

/* Batch `number` of the epoch, on a loader that has the batch from `available` on and is free from `since` on; done
   NEVER if the epoch has no such batch. */
INLINE struct batch dispatch(const struct queues *queues, double available, double since, double draw, long number,
                             long batches, long loader, long place)
{
    double start = available > since ? available : since;
    if (number >= batches)
        return (struct batch){NEVER, NEVER};
    return (struct batch){start + time_on(queues, draw, loader), key_of(queues, number, loader, place)};
}

/* Dispatches the first window of batches of an epoch, to one loader after the other. On entry `done` has the time from
   which on each loader is free. */
INLINE void open_queues_of(const struct queues *queues, const double *loads, long batches)
{
    const long places = queues->places;
    for (long w = 0; w < queues->loaders; w++)
        for (long l = 0; l < DLQ_LANES; l++) {
            double *done = &queues->done[w * DLQ_LANES + l], since = *done;
            for (long j = 0; j <= places; j++) {
                const long number = j * queues->loaders + w, place = j > 0 ? j - 1 : places > 0 ? places - 1 : 0;
                const struct batch batch = dispatch(queues, queues->ready[l] + queues->point->dispatch, since,
                                                    loads[number * DLQ_LANES + l], number, batches, w, place);
                since = batch.done;
                if (j > 0)
                    queues->behind[(w * places + place) * DLQ_LANES + l] = batch;
                else {
                    *done = batch.done;
                    queues->keys[w * DLQ_LANES + l] = batch.key;
                }
            }
        }
}

INLINE void open_queues(struct dlq_lane_state *state, const struct dlq_block *block)
{
    struct queues queues = queues_of(state);
    for (long rank = 0; rank < state->point->ranks && state->dispatched == 0; rank++) {
        select_rank(&queues, state, rank);
        open_queues_of(&queues, block->loads + (size_t)rank * block->rank_stride, state->batches);
    }
    if (state->dispatched == 0)
        state->dispatched = queues.loaders * state->slots;
}

/* The batch that is done first; of several the one with the lowest key. */
INLINE void find_first(const struct queues *queues, vector done[VECTORS], vector key[VECTORS])
{
    const long end = queues->loaders * DLQ_LANES;
    EACH_VECTOR(v) done[v] = load(queues->done, v);
    for (long row = DLQ_LANES; row < end; row += DLQ_LANES)
        EACH_VECTOR(v) done[v] = smaller(load(queues->done + row, v), done[v]);
    EACH_VECTOR(v) key[v] = splat(NEVER);
    for (long row = 0; row < end; row += DLQ_LANES)
        EACH_VECTOR(v)
    key[v] = smaller(choose(load(queues->done + row, v) == done[v], load(queues->keys + row, v), splat(NEVER)), key[v]);
}

/* Removes the delivered batch from the queue of its loader in each lane, and adds batch `number` at `available`. */
INLINE void move_up(const struct queues *queues, const double *done, const double *keys, const double *available,
                    const double *loads, long number, long batches)
{
    const long places = queues->places;
    for (long l = 0; l < DLQ_LANES; l++) {
        const int64_t at = (int64_t)keys[l] & ((1L << queues->key_bits) - 1);
        const long w = at >> queues->places_bits;
        const long youngest = at & ((1L << queues->places_bits) - 1), next = youngest + 1 < places ? youngest + 1 : 0;
        struct batch *behind = &queues->behind[(w * places + next) * DLQ_LANES + l];
        double since = places == 0 ? done[l] : queues->behind[(w * places + youngest) * DLQ_LANES + l].done;
        struct batch batch = dispatch(queues, available[l], since, loads[l], number, batches, w, next);
        struct batch first = batch;
        if (places > 0) {
            first = *behind;
            *behind = batch;
        }
        queues->done[w * DLQ_LANES + l] = first.done;
        queues->keys[w * DLQ_LANES + l] = first.key;
    }
}

/* Each rank receives the batch that is done first, and the step begins when the last rank has. */
INLINE void receive_and_step(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums,
                             const double *loads, const double *steps, enum dlq_lane_measure measure,
                             struct dlq_lane_record record)
{
    struct queues queues = queues_of(state);
    vector latest[VECTORS] = {{0}};
    loads += queues.loaders * state->slots * DLQ_LANES; /* of the batch that this step dispatches */
    for (long rank = 0; rank < state->point->ranks; rank++) {
        vector done[VECTORS], key[VECTORS], available[VECTORS];
        select_rank(&queues, state, rank);
        prefetch_row(loads + 4 * numbers->rank_stride);
        find_first(&queues, done, key);
        EACH_VECTOR(v)
        {
            vector ready = plus(numbers, done[v], numbers->deliver);
            vector received = plus(numbers, larger(sums[v].end, ready), numbers->receive);
            available[v] = plus(numbers, received, numbers->dispatch);
            latest[v] = larger(latest[v], ready);
        }
        move_up(&queues, (double *)done, (double *)key, (double *)available, loads, state->dispatched, state->batches);
        loads += numbers->rank_stride;
    }
    EACH_VECTOR(v) deliver_and_step(numbers, &sums[v], v, latest[v], steps, measure, record.waits);
}

DEFINE_ADVANCE(advance_queues, open_queues, receive_and_step)

const dlq_lane_advances DLQ_FOR_SET(dlq_queues) = {advance_queues};
