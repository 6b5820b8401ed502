#include "report/timeline_subject.h"

#include <stdlib.h>

/* The later a rank receives, the less it waits for others. */
struct lateness {
    double barrier;
    size_t rank;
};

static int by_barrier(const void *left, const void *right)
{
    const struct lateness *a = left, *b = right;
    if (a->barrier != b->barrier)
        return a->barrier < b->barrier ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

enum dlq_status dlq_timeline_order(const struct dlq_timeline_summary *summaries, size_t count, size_t **order,
                                   struct dlq_error *error)
{
    struct lateness *ranks = calloc(count + 1, sizeof *ranks);
    size_t *places = calloc(count + 1, sizeof *places);
    bool enough = ranks != NULL && places != NULL;
    for (size_t r = 0; enough && r < count; r++)
        ranks[r] = (struct lateness){summaries[r].barrier, r};
    if (enough)
        qsort(ranks, count, sizeof *ranks, by_barrier);
    for (size_t r = 0; enough && r < count; r++)
        places[r] = ranks[r].rank;
    free(ranks);
    if (enough)
        *order = places;
    else
        free(places);
    return enough ? DLQ_OK : dlq_error_memory(error, "summing up a timeline");
}

static int ascending(const void *left, const void *right)
{
    const size_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

size_t dlq_timeline_subject_ranks(const struct dlq_timeline_subject *subject, size_t most, size_t *places)
{
    size_t count = subject->timeline->rank_count < most ? subject->timeline->rank_count : most;
    for (size_t i = 0; i < count; i++)
        places[i] = subject->order != NULL ? subject->order[i] : i;
    qsort(places, count, sizeof *places, ascending);
    return count;
}
