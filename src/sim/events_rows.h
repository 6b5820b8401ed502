/* Where the lanes of a rank whose loads are simulated by events keep what they know: rows of lanes. */
#ifndef DLQ_SIM_EVENTS_ROWS_H
#define DLQ_SIM_EVENTS_ROWS_H

#include "sim/lanes.h"

enum { DLQ_EVENTS_RESOURCES = 3 };

/* Registers of a rank, then those of each resource. */
enum dlq_events_register {
    DLQ_EVENTS_HEAD,   /* when the trainer can take the next batch, NEVER: it is not done; before the first step of an
                          epoch, when its first batches arrive */
    DLQ_EVENTS_PINNED, /* when the thread that pins batches is free */
    DLQ_EVENTS_OF_RANK
};
enum dlq_events_of_resource {
    DLQ_EVENTS_COUNT,
    DLQ_EVENTS_DEMAND,
    DLQ_EVENTS_RATE,
    DLQ_EVENTS_REAL,
    DLQ_EVENTS_CLOCK,
    DLQ_EVENTS_SINCE,
    DLQ_EVENTS_WORK, /* s at full speed, and s that it took, of all that was done */
    DLQ_EVENTS_SPENT,
    DLQ_EVENTS_OF_RESOURCE
};

/* A loader's rows: when its stage ends on each resource, in its time (NEVER: it is not there), then these. */
enum dlq_events_of_loader {
    DLQ_EVENTS_BATCH,
    DLQ_EVENTS_STAGE, /* their number: it is idle */
    DLQ_EVENTS_BASE,  /* when the batch began, as if nothing had slowed it */
    DLQ_EVENTS_SUM,   /* its stages up to this one */
    DLQ_EVENTS_OF_LOADER
};

/* Where the loads are of one piece (vector_shared.c), registers of a rank: the slope of its resource's time, what is
   known of it, the work of all loads, and when the last one came; before the first step of an epoch, when its first
   batches do. */
enum dlq_shared_register {
    DLQ_SHARED_RATE,
    DLQ_SHARED_REAL,
    DLQ_SHARED_CLOCK,
    DLQ_SHARED_COUNT,
    DLQ_SHARED_NEXT,
    DLQ_SHARED_EXCESS,
    DLQ_SHARED_WORK,
    DLQ_SHARED_NOW,
    DLQ_SHARED_REGISTERS
};

struct dlq_events_rows {
    double *registers, *resources, *loaders;
    double *places; /* batch i at i % count: when the trainer can take it, its sign set in odd laps round the places */
    long at_loaders, at_places;
    long loader; /* rows of a loader, of which the first `used` are on resources */
    long servers, count;
    int used; /* resources that the load uses */
    int resource_of[DLQ_MOST_STAGES], kind[DLQ_EVENTS_RESOURCES];
    double demand[DLQ_MOST_STAGES], capacity[DLQ_EVENTS_RESOURCES];
    bool limited[DLQ_EVENTS_RESOURCES];
};

/* How many rows a rank has. */
static inline long dlq_events_row_count(struct dlq_events_rows rows)
{
    return rows.at_places + rows.count;
}

/* A rank's rows, not yet in memory. */
static inline struct dlq_events_rows dlq_events_lay_out(const struct dlq_point *point)
{
    const double capacities[DLQ_EVENTS_RESOURCES] = {INFINITY, point->cores, point->bandwidth};
    int number[DLQ_EVENTS_RESOURCES];
    struct dlq_events_rows rows = {.servers = point->servers, .count = point->window};
    for (int kind = 0; kind < DLQ_EVENTS_RESOURCES; kind++) {
        bool used = false;
        for (size_t k = 0; k < point->stages; k++)
            used = used || (int)point->uses[k] == kind;
        number[kind] = rows.used;
        if (!used)
            continue;
        rows.kind[rows.used] = kind;
        rows.capacity[rows.used] = fmin(capacities[kind], NEVER);
        rows.limited[rows.used++] = capacities[kind] < NEVER;
    }
    for (size_t k = 0; k < point->stages; k++) {
        rows.resource_of[k] = number[point->uses[k]];
        rows.demand[k] = point->demand[k];
    }
    rows.loader = rows.used + DLQ_EVENTS_OF_LOADER;
    rows.at_loaders = DLQ_EVENTS_OF_RANK + rows.used * DLQ_EVENTS_OF_RESOURCE;
    rows.at_places = rows.at_loaders + rows.servers * rows.loader;
    return rows;
}

/* Those of rank `rank` of the state. */
static inline struct dlq_events_rows dlq_events_rows_of(const struct dlq_lane_state *state, long rank)
{
    struct dlq_events_rows rows = dlq_events_lay_out(state->point);
    rows.registers = state->servers + rank * (state->server_rows + state->places) * DLQ_LANES;
    rows.resources = rows.registers + DLQ_EVENTS_OF_RANK * DLQ_LANES;
    rows.loaders = rows.registers + rows.at_loaders * DLQ_LANES;
    rows.places = rows.registers + rows.at_places * DLQ_LANES;
    return rows;
}

#endif
