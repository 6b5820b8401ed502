#include "study/reasons.h"

#include "base/elementary.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Most telling first. */
static const struct {
    const char *cause;
    bool (*is_so)(struct dlq_evidence *evidence, char text[DLQ_REASON_TEXT]);
} causes[] = {
    {"lock", dlq_reason_lock},   {"worker", dlq_reason_worker}, {"cores", dlq_reason_cores},
    {"drift", dlq_reason_drift}, {"order", dlq_reason_order},   {"clock", dlq_reason_clock},
};

_Static_assert(sizeof causes / sizeof *causes == DLQ_REASONS, "room for each cause");

static void evidence_free(struct dlq_evidence *evidence)
{
    free(evidence->x);
    free(evidence->y);
    free(evidence->within);
    free(evidence->scratch);
    free(evidence->next);
    free(evidence->logs);
}

/* `last` is scratch of as many places as a rank has workers. */
static void link_loads(struct dlq_evidence *evidence, size_t *last)
{
    const struct dlq_measured_run *measured = evidence->measured;
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t e = 0; e < measured->epochs; e++) {
            for (long w = 0; w < measured->workers; w++)
                last[w] = SIZE_MAX;
            for (size_t k = measured->begins[e + 1]; k-- > measured->begins[e];) {
                size_t place = r * measured->batches + k;
                evidence->next[place] = last[measured->worker[place]];
                last[measured->worker[place]] = place;
            }
        }
}

static void take_logs(struct dlq_evidence *evidence)
{
    const struct dlq_measured_run *measured = evidence->measured;
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t k = 0; k < measured->batches; k++) {
            size_t place = r * measured->batches + k;
            double load = measured->sent[place].load;
            struct dlq_spread *spread = &evidence->logs[r * (size_t)measured->workers + measured->worker[place]];
            if (load > 0)
                dlq_spread_add(spread, dlq_log(load), 1);
        }
}

static bool gather(struct dlq_evidence *evidence)
{
    const struct dlq_measured_run *measured = evidence->measured;
    size_t places = measured->ranks * measured->batches;
    evidence->x = calloc(places, sizeof(double));
    evidence->y = calloc(places, sizeof(double));
    evidence->within = calloc(places, 2 * sizeof(double));
    evidence->scratch = calloc(places, 2 * sizeof(double));
    evidence->next = calloc(places, sizeof(size_t));
    if (evidence->x == NULL || evidence->y == NULL || evidence->within == NULL || evidence->scratch == NULL ||
        evidence->next == NULL)
        return false;
    if (measured->workers == 0) {
        memset(evidence->next, 0xFF, places * sizeof(size_t));
        return true;
    }
    size_t *last = calloc((size_t)measured->workers, sizeof *last);
    evidence->logs = calloc(measured->ranks * (size_t)measured->workers, sizeof *evidence->logs);
    bool made = last != NULL && evidence->logs != NULL;
    if (made) {
        link_loads(evidence, last);
        take_logs(evidence);
    }
    free(last);
    return made;
}

enum dlq_status dlq_reasons(const struct dlq_measured_run *measured, struct dlq_replay *replay, struct dlq_error *error)
{
    struct dlq_evidence evidence = {.measured = measured, .replay = replay};
    enum dlq_status status = DLQ_OK;
    size_t count = 0;
    if (!gather(&evidence)) {
        status = dlq_error_memory(error, "replaying a trace");
        goto cleanup;
    }
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        struct dlq_reason *reason = &replay->reasons[count];
        if (!causes[i].is_so(&evidence, reason->text))
            continue;
        reason->cause = causes[i].cause;
        count++;
    }
    replay->reason_count = count;
cleanup:
    evidence_free(&evidence);
    return status;
}
