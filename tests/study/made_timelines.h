/* Timelines made by hand, with known answers. */
#pragma once

#include "dlqueue/timeline.h"
#include "harness.h"

/* Two loaders in order, K = 4; batch 1 takes long, batch 5 longer than the record. */
static const struct dlq_timeline_batch ordered_batches[] = {
    {0, 0, 0, 0, 0, 0, 1, 1, 0, 1.125, 1.125, 1.625, 0},
    {1, 0, 1, 1, 0, 0, 3, 3, 1.625, 3.125, 3.125, 3.625, 0},
    {0, 0, 2, 2, 0, 1, 2, 2, 3.625, 3.75, 3.75, 4.25, 0},
    {1, 0, 3, 3, 0, 3, 3.5, 3.5, 4.25, 4.375, 4.375, 4.875, 0},
    {0, 0, 4, 4, 1.125, 2, 2.5, 2.5, 4.875, 5, 5, 5.5, 0},
    {1, 0, 5, -1, 3.125, 3.5, 7, 7, NAN, NAN, NAN, NAN, 0},
    {0, 0, 6, -1, 3.75, 3.75, 4.75, 4.75, NAN, NAN, NAN, NAN, 0},
};

/* The same loader by completion, receiving costs nothing. */
static const struct dlq_timeline_batch unordered_batches[] = {
    {0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 2.5, 0},
    {0, 0, 2, 1, 0, 1, 2, 2, 2.5, 2.5, 2.5, 3, 0},
    {0, 0, 4, 2, 1, 2, 3, 3, 3, 3, 3, 6, 0},
    {1, 0, 1, 3, 0, 0, 4, 4, 6, 6, 6, 7, 0},
    {1, 0, 3, -1, 0, 4, 6.5, 6.5, NAN, NAN, NAN, NAN, 0},
    {0, 0, 5, -1, 2.5, 3, 5, 5, NAN, NAN, NAN, NAN, 0},
    {0, 0, 6, -1, 3, 5, 6, 6, NAN, NAN, NAN, NAN, 0},
};

/* The trainer loads for itself. */
static const struct dlq_timeline_batch serial_batches[] = {
    {0, 0, 0, 0, 0, 0, 1, 1, 0, 1.25, 1.25, 2, 0},
    {0, 0, 1, 1, 2, 2, 3.5, 3.5, 2, 3.75, 3.75, 4.5, 0},
};

/* One of two ranks, in a log: `ready` is unknown, another rank is later. */
static const struct dlq_timeline_batch logged_batches[] = {
    {0, 0, 0, 10, NAN, 0.5, 1, NAN, 0, 1.25, 2, 3, 0},
    {1, 0, 1, 11, NAN, 0.5, 2, NAN, 3, 3.25, 3.25, 4, 0},
    {-1, 0, 2, 12, NAN, NAN, NAN, NAN, NAN, 4.5, NAN, 5, 0},
};

/* The trainer alone. */
static const struct dlq_timeline_batch lone_batches[] = {
    {-1, 0, 0, 0, NAN, NAN, NAN, NAN, 0, 1, 1, 2, 0},
    {-1, 0, 1, 1, NAN, NAN, NAN, NAN, 2, 2.125, 2.125, 3, 0},
};

#define MADE_RANK(rows, steps)                                                                                         \
    {                                                                                                                  \
        .stepped = (steps), .count = sizeof(rows) / sizeof *(rows), .batches = (struct dlq_timeline_batch *)(rows)     \
    }

static struct dlq_timeline_rank made_ranks[] = {
    MADE_RANK(ordered_batches, 5), MADE_RANK(unordered_batches, 4), MADE_RANK(serial_batches, 2),
    MADE_RANK(logged_batches, 3),  MADE_RANK(lone_batches, 2),      {.batches = NULL},
};

enum made { ORDERED, UNORDERED, SERIAL, LOGGED, LONE, EMPTY, EMPTY_LOG, MADE };

static const struct dlq_timeline made_ordered = {"pytorch", true, 2,     2,    4, false,          false,
                                                 0,         6,    0.125, 0.25, 1, &made_ranks[0], NULL};
static const struct dlq_timeline made_unordered = {
    "pytorch-unordered", false, 2, 2, 4, false, false, 0, 6.25, 0, 0.25, 1, &made_ranks[1], NULL};
static const struct dlq_timeline made_serial = {"serial", true, 0,    1,   1, false,          false,
                                                0,        4.5,  0.25, 0.5, 1, &made_ranks[2], NULL};
static const struct dlq_timeline made_logged = {NULL, true, 2,     2,   4, true,           false,
                                                0,    5,    0.125, 0.5, 1, &made_ranks[3], NULL};
static const struct dlq_timeline made_lone = {NULL, true, 0,     0,   0, true,           false,
                                              0,    3,    0.125, 0.5, 1, &made_ranks[4], NULL};
static const struct dlq_timeline made_empty = {"pytorch", true, 2, 2,    4, false,          false,
                                               0,         6,    0, 0.25, 1, &made_ranks[5], NULL};
static const struct dlq_timeline made_empty_log = {NULL, true, 2, 2,    4, true,           false,
                                                   0,    6,    0, 0.25, 1, &made_ranks[5], NULL};

static const struct dlq_timeline *const made_timelines[MADE] = {
    [ORDERED] = &made_ordered, [UNORDERED] = &made_unordered, [SERIAL] = &made_serial,       [LOGGED] = &made_logged,
    [LONE] = &made_lone,       [EMPTY] = &made_empty,         [EMPTY_LOG] = &made_empty_log,
};
