#include "report/timeline_files.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* As the csv log format calls them. Neither load_time nor step_time: they follow from the points in time, a step with
   the barrier before it, as a log has it. */
static const struct dlq_column columns[] = {
    {"rank", NULL, DLQ_COLUMN_COUNT, 0},      {"epoch", NULL, DLQ_COLUMN_COUNT, 0},
    {"batch", NULL, DLQ_COLUMN_COUNT, 0},     {"worker", NULL, DLQ_COLUMN_COUNT, 0},
    {"dispatched", NULL, DLQ_COLUMN_TIME, 0}, {"load_start", NULL, DLQ_COLUMN_TIME, 0},
    {"load_end", NULL, DLQ_COLUMN_TIME, 0},   {"request", NULL, DLQ_COLUMN_TIME, 0},
    {"received", NULL, DLQ_COLUMN_TIME, 0},   {"step_end", NULL, DLQ_COLUMN_TIME, 0},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

struct row {
    const struct dlq_timeline_batch *batch;
    size_t rank; /* its place */
};

static int by_step_and_rank(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->batch->step != b->batch->step)
        return a->batch->step < b->batch->step ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static bool is_within(const struct dlq_timeline *timeline, const struct dlq_timeline_batch *batch)
{
    return batch->step_end >= timeline->from && batch->step_end <= timeline->until;
}

/* rows: null, or room for them; returns how many. */
static size_t gather(const struct dlq_timeline *timeline, struct row *rows)
{
    size_t count = 0;
    for (size_t r = 0; r < timeline->rank_count; r++)
        for (size_t i = 0; i < timeline->ranks[r].stepped; i++) {
            const struct dlq_timeline_batch *batch = &timeline->ranks[r].batches[i];
            if (!is_within(timeline, batch))
                continue;
            if (rows != NULL)
                rows[count] = (struct row){batch, r};
            count++;
        }
    return count;
}

static double whole(long number)
{
    return number >= 0 ? (double)number : (double)NAN;
}

/* The training process loading for itself is no worker: -1, as PyTorch's probe writes it. */
static double worker_of(const struct dlq_timeline *timeline, const struct dlq_timeline_batch *batch)
{
    return timeline->loaders == 0 ? -1 : whole(batch->worker);
}

static bool add_row(struct dlq_table *table, const struct dlq_timeline *timeline, const struct row *row)
{
    const struct dlq_timeline_batch *batch = row->batch;
    const double cells[COLUMNS] = {
        whole(timeline->ranks[row->rank].number),
        whole(batch->epoch),
        whole(batch->index),
        worker_of(timeline, batch),
        batch->dispatched,
        batch->load_start,
        batch->load_end,
        batch->request,
        batch->received,
        batch->step_end,
    };
    if (!dlq_table_row(table))
        return false;
    for (size_t i = 0; i < COLUMNS; i++)
        dlq_table_number(table, i, cells[i]);
    return true;
}

struct dlq_table *dlq_timeline_table(const struct dlq_timeline *timeline)
{
    size_t count = gather(timeline, NULL);
    struct row *rows = calloc(count + 1, sizeof *rows);
    struct dlq_table *table = dlq_table_new(columns, COLUMNS);
    bool made = rows != NULL && table != NULL;
    if (made) {
        gather(timeline, rows);
        qsort(rows, count, sizeof *rows, by_step_and_rank);
    }
    for (size_t i = 0; i < count && made; i++)
        made = add_row(table, timeline, &rows[i]);
    free(rows);
    if (made)
        return table;
    dlq_table_free(table);
    return NULL;
}
