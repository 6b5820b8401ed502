/* Every allocation fails once while logs are read: the reader then says so and gives all back. */
#include "failing_allocator.h"
#include "logs.h"

enum { LOGS = 3 };

struct run {
    const char *paths[LOGS]; /* of tests/data; null: no more */
};

/* One run in which allocation number `nth` fails; true where there were fewer. */
static bool survives(const struct run *run, long nth)
{
    struct dlq_error error = {0};
    struct dlq_trace_options options = {0};
    struct dlq_trace *trace = NULL;
    FILE *streams[LOGS] = {NULL};
    for (size_t i = 0; i < LOGS && run->paths[i] != NULL; i++) {
        char full[4096];
        snprintf(full, sizeof full, "%s/%s", TEST_DATA, run->paths[i]);
        streams[i] = fopen(full, "r");
        CHECK(streams[i] != NULL, "cannot open %s", full);
    }
    atomic_store(&failed, false);
    atomic_store(&countdown, nth);
    enum dlq_status status = dlq_trace_new(&trace, &options, &error);
    CHECK((trace == NULL) == (status != DLQ_OK), "allocation %ld: a trace from nothing", nth);
    for (size_t i = 0; i < LOGS && streams[i] != NULL && status == DLQ_OK; i++)
        status = dlq_trace_read(trace, run->paths[i], streams[i], &error);
    bool hit = atomic_load(&failed);
    atomic_store(&countdown, 0);
    for (size_t i = 0; i < LOGS && streams[i] != NULL; i++)
        fclose(streams[i]);
    dlq_trace_free(trace);
    if (hit)
        CHECK(status == DLQ_OK || (status == DLQ_FAILURE && strstr(error.text, "memory") != NULL),
              "allocation %ld: status %d, '%s'", nth, (int)status, error.text);
    else
        CHECK(status == DLQ_OK, "no allocation failed, yet: %s", error.text);
    return !hit;
}

static void every_allocation_fails_once(void)
{
    static const struct run runs[] = {
        {{"logs/csv-all.csv", "logs/csv-all.csv", "logs/csv-waits.csv"}},
        {{"torch/cases/n4_p2_logn1_r1.1.csv", "logs/csv-points.csv"}},
        {{"logs/lotus-imagenet_worker_pid_123.csv", "logs/lotus-imagenet_main_pid_99.csv",
          "logs/lotus-imagenet_worker_pid_124.csv"}},
        {{"logs/chrome-profiler.json"}},
        {{"logs/dlio/0_output.json"}},
        {{"logs/megatron-reference.log"}},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        long nth = 1;
        while (nth < 500 && !survives(&runs[i], nth))
            nth++;
        CHECK(nth > 10 && nth < 500, "run %zu made %ld allocations", i, nth - 1);
    }
}

TEST_SUITE(memory, CASE(every_allocation_fails_once));
