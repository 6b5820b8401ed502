/* Batches that one thread pins in order of completion, delivered in order of index; loader i mod N loads batch i. A
   batch is pinned at B = max(D, B of the batch pinned before) + pin. Batches dispatched after the delivery of batch i
   are done after batch i was pinned. So batches in flight are pinned in order of D until batch i is. No two load times
   are equal. */
#include "sim/vector.h"

/* Rows of a rank: D of each loader's last batch; for each place D (NEVER once pinned) and B; when the thread is
   free. */
struct rows {
    double *loaders, *done, *pinned, *thread;
};

INLINE struct rows rows_of(const struct dlq_lane_state *state, long rank)
{
    const long window = state->point->window;
    double *first = dlq_rank_rows(state, rank), *done = first + state->server_rows * DLQ_LANES;
    return (struct rows){first, done, done + window * DLQ_LANES, done + 2 * window * DLQ_LANES};
}

/* Loads batch `number` of the epoch, which arrives at its loader at `arrival`; nothing if the epoch is shorter. */
INLINE void load_batch(const struct dlq_lane_state *state, const struct rows *rows, long number, vector arrival,
                       vector scale, const double *draws, int v)
{
    const struct dlq_point *point = state->point;
    const long loader = number % point->servers;
    double *done = rows->done + number % point->window * DLQ_LANES, *busy = rows->loaders + loader * DLQ_LANES;
    vector time = load(draws, v) * scale;
    if (loader < point->slow_servers)
        time *= point->slow_factor;
    if (number < state->batches)
        store(busy, v, larger(arrival, load(busy, v)) + time);
    store(done, v, number < state->batches ? load(busy, v) : splat(NEVER));
}

/* Dispatches the first K batches of an epoch. */
INLINE void open_window(struct dlq_lane_state *state, const struct dlq_block *block)
{
    const struct dlq_point *point = state->point;
    for (long rank = 0; state->dispatched == 0 && rank < point->ranks; rank++) {
        const struct rows rows = rows_of(state, rank);
        const double *draws = block->loads + (size_t)rank * block->rank_stride;
        for (int v = 0; v < VECTORS; v++) {
            const vector arrival = load(rows.thread, v) + point->dispatch; /* the epoch's start */
            for (long i = 0; i < point->window; i++)
                load_batch(state, &rows, i, arrival, splat(dlq_load_scale(point, rank)), draws + i * DLQ_LANES, v);
        }
    }
}

/* Pins batches until the one at place `due` is pinned in all lanes of a vector, and returns its B. Lanes that need not
   wait pin batches that were done before the last step ended. done_due and pinned_due stay in registers, because
   reading memory that was just scattered to is slow. */
INLINE vector pin(const struct dlq_lane_state *state, const struct rows *rows, long due, int v, vector ended)
{
    const long end = state->point->window * DLQ_LANES;
    const vector_mask at_due = all(due);
    vector done_due = load(rows->done + due, v), pinned_due = load(rows->pinned + due, v);
    for (;;) {
        const vector_mask waits = (vector_mask)(done_due < NEVER);
        if (!any(waits))
            return pinned_due;
        vector first = done_due;
        vector_mask at = at_due;
#pragma GCC unroll 4
        for (long row = 0; row < end; row += DLQ_LANES) {
            const vector done = load(rows->done + row, v);
            at = (vector_mask)choose((vector_mask)(done < first), (vector)all(row), (vector)at);
            first = smaller(done, first);
        }
        const vector_mask pins = waits | (vector_mask)(first <= ended), is_due = at == at_due;
        const vector free_at = load(rows->thread, v), pinned = larger(first, free_at) + state->point->pin;
        pinned_due = choose(waits & is_due, pinned, pinned_due);
        done_due = choose(is_due, splat(NEVER), done_due);
        at = (vector_mask)choose(pins, (vector)at, (vector)at_due);
        scatter(rows->pinned, at, v, choose(pins, pinned, pinned_due));
        scatter(rows->done, at, v, choose(pins, splat(NEVER), done_due));
        store(rows->thread, v, choose(pins, pinned, free_at));
    }
}

/* Each rank receives its next batch, and the step begins when the last rank has. */
INLINE void pinned(struct dlq_lane_state *state, const struct numbers *numbers, struct sums *sums, const double *loads,
                   const double *steps, enum dlq_lane_measure measure, struct dlq_lane_record record)
{
    const struct dlq_point *point = state->point;
    const long due = state->dispatched % point->window * DLQ_LANES;
    vector latest[VECTORS] = {{0}};
    loads += point->window * DLQ_LANES;
    for (long rank = 0; rank < point->ranks; rank++) {
        const struct rows rows = rows_of(state, rank);
        for (int v = 0; v < VECTORS; v++) {
            const vector ready = plus(numbers, pin(state, &rows, due, v, sums[v].end), numbers->deliver);
            const vector begin = plus(numbers, larger(sums[v].end, ready), numbers->receive);
            latest[v] = larger(latest[v], ready);
            load_batch(state, &rows, state->dispatched + point->window, plus(numbers, begin, numbers->dispatch),
                       splat(dlq_load_scale(point, rank)), loads, v);
        }
        loads += numbers->rank_stride;
    }
    EACH_VECTOR(v) deliver_and_step(numbers, &sums[v], v, latest[v], steps, measure, record.waits);
}

DEFINE_ADVANCE(advance_pinned, open_window, pinned)

const dlq_lane_advances DLQ_FOR_SET(dlq_pinned) = {advance_pinned};
