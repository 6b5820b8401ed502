/* The training threads of a Chrome trace: their waits in order, each made a record when what follows it is known. */
#ifndef DLQ_TRACE_LANES_H
#define DLQ_TRACE_LANES_H

#include "trace/events.h"
#include "trace/record.h"

enum { DLQ_MOST_THREADS = 4096 };

/* A thread that waits for data or marks steps; process is a lane when its thread is chosen. */
struct dlq_thread {
    long process, number;
    enum dlq_event_source source;
    long waits, steps;
    int lane; /* -1: none yet, or another thread of the process was chosen */
};

struct dlq_wait {
    bool known, in_step;
    double begin, end; /* us since the origin */
    double step_end;
    long epoch, batch, line;
};

struct dlq_lane {
    long process, rank;
    bool in_step;
    double step_end;
    long steps;
    long step_waits;         /* of the step at hand */
    long single, many;       /* steps before it with one wait, and with more */
    long epoch, index;       /* of the next record */
    struct dlq_wait open;    /* begun and not ended */
    struct dlq_wait pending; /* waits for what follows it */
};

struct dlq_lanes {
    struct dlq_thread *threads;
    size_t thread_count;
    struct dlq_lane *lanes;
    size_t count;
};

void dlq_lanes_free(struct dlq_lanes *lanes);
/* The thread of the event, found or made, its event counted; -1: no memory, -2: too many. */
int dlq_lanes_thread(struct dlq_lanes *lanes, const struct dlq_json_event *event);
/* Gives each process with waits that has none a lane. False: no memory. */
bool dlq_lanes_choose(struct dlq_lanes *lanes);
/* Events in order of time. True: *record is that of the wait before. */
bool dlq_lanes_take(struct dlq_lanes *lanes, const struct dlq_json_event *event, int thread, struct dlq_record *record);
/* What is pending in lane number `at`, at the end. */
bool dlq_lanes_finish(struct dlq_lanes *lanes, size_t at, struct dlq_record *record);

#endif
