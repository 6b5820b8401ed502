/* Deliveries that come late or out of order, and times that can't be. */
#include "base/quantity.h"
#include "study/contrast.h"
#include "study/reasons.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* s: what clocks and the writing of a log may differ by. */
static const double TICK = 1e-3;
/* What a replay may differ by before a cause is sought. */
static const double WITHIN = 0.02;
/* Of late batches: the share of the time lost that is beyond their median. Exponential times: 1/2; equal ones: 0. */
static const double UNEVEN = 0.15;

/* -- the interpreter lock -- */

enum { LEAST_LATE = 5, MOST_NEXT = 16 };

static double lateness(const struct dlq_batch *batch)
{
    return batch->received - fmax(batch->request, batch->load_end);
}

/* Did it come just after its worker had ended another load? What hands a batch over needs the lock that the next load
   holds. */
static bool comes_with_next(const struct dlq_evidence *evidence, size_t place)
{
    const struct dlq_batch *sent = evidence->measured->sent;
    double received = sent[place].received;
    double near = fmax(5 * TICK, 0.2 * lateness(&sent[place]));
    size_t next = evidence->next[place];
    for (int i = 0; i < MOST_NEXT && next != SIZE_MAX; i++, next = evidence->next[next])
        if (sent[next].load_end <= received + TICK && sent[next].load_end >= received - near)
            return true;
    return false;
}

/* Or just after another worker had: the trainer was fetching a batch from that one meanwhile. `ends`: of the rank's
   loads, sorted; near: so short that one in ten would by chance. */
static bool comes_with_any(const double *ends, size_t n, double received, double throughput)
{
    double near = fmin(5 * TICK, 0.1 / throughput);
    return dlq_count_up_to(ends, n, received) > dlq_count_up_to(ends, n, received - near);
}

/* Batches that came late, and by how many seconds together. */
struct late {
    size_t count, held;  /* held: until a worker had ended another load */
    double lost, uneven; /* s; uneven: by more than most of them */
};

static void late_of_rank(struct dlq_evidence *evidence, size_t rank, double least, struct late *late)
{
    const struct dlq_measured_run *measured = evidence->measured;
    size_t n = measured->batches;
    double *ends = evidence->scratch;
    for (size_t k = 0; k < n; k++)
        ends[k] = measured->sent[rank * n + k].load_end;
    gsl_sort(ends, 1, n);
    for (size_t k = 0; k < n; k++) {
        const struct dlq_batch *batch = &measured->sent[rank * n + k];
        double by = lateness(batch);
        if (!(by > least))
            continue;
        evidence->x[late->count++] = by;
        late->lost += by;
        if (comes_with_next(evidence, rank * n + k) ||
            comes_with_any(ends, n, batch->received, evidence->replay->measured))
            late->held++;
    }
}

static struct late late_batches(struct dlq_evidence *evidence)
{
    const struct dlq_measured_run *measured = evidence->measured;
    size_t places = measured->ranks * measured->batches;
    struct late late = {0};
    double load = 0;
    for (size_t i = 0; i < places; i++)
        load += measured->sent[i].load / (double)places;
    for (size_t r = 0; r < measured->ranks; r++)
        late_of_rank(evidence, r, fmax(5 * TICK, 0.1 * load), &late);
    double usual = dlq_median(evidence->x, late.count);
    for (size_t i = 0; i < late.count; i++)
        late.uneven += fmax(0, evidence->x[i] - usual);
    return late;
}

/* A large batch takes long to deliver too, but always as long: that is an overhead, not a lock. */
bool dlq_reason_lock(struct dlq_evidence *evidence, char text[DLQ_REASON_TEXT])
{
    const struct dlq_measured_run *measured = evidence->measured;
    const struct dlq_replay *replay = evidence->replay;
    size_t places = measured->ranks * measured->batches;
    struct late late = late_batches(evidence);
    double seconds = (double)places / replay->measured;
    char delay[DLQ_QUANTITY_TEXT];
    if (measured->loaders == 0 || replay->pure < (1 + WITHIN) * replay->measured || late.count < LEAST_LATE ||
        late.lost < WITHIN * seconds || late.uneven < UNEVEN * late.lost || 2 * late.held < late.count)
        return false;
    dlq_quantity_readable(late.lost / (double)late.count, DLQ_UNIT_TIME, 2, delay);
    snprintf(
        text, DLQ_REASON_TEXT,
        "%zu of %zu batches came %s late, most as a worker ended another load: loads hold the interpreter "
        "lock, which handing over needs. Without it %.3g batches/s, not %.3g. Release it in the load, or set prefetch "
        "to 1.",
        late.count, places, delay, replay->pure, replay->measured);
    return true;
}

/* -- order -- */

bool dlq_reason_order(struct dlq_evidence *evidence, char text[DLQ_REASON_TEXT])
{
    const struct dlq_measured_run *measured = evidence->measured;
    const struct dlq_measured_overheads *overheads = &evidence->replay->overheads;
    size_t places = measured->ranks * measured->batches;
    bool by_index = measured->loader->order == DLQ_ORDER_INDEX;
    double slack = fmax(5 * TICK, 5 * (overheads->deliver + overheads->receive));
    size_t count = by_index ? dlq_measured_out_of_index(measured) : dlq_measured_out_of_completion(measured, slack);
    if (measured->loaders == 0 || count == 0 || (!by_index && 20 * count < places))
        return false;
    snprintf(text, DLQ_REASON_TEXT,
             by_index
                 ? "%zu of %zu batches were delivered before one of a smaller index; %s delivers in order. Name the "
                   "loader that was used, or look for batches that were skipped."
                 : "The trainer waited for %zu of %zu batches while another was ready; %s delivers what is ready "
                   "first. Name the loader that was used: it seems to keep an order.",
             count, places, measured->loader->name);
    return true;
}

/* -- clocks -- */

static double end_before(const struct dlq_batch *batch)
{
    return batch->load_start - batch->load_end;
}

static double start_before(const struct dlq_batch *batch)
{
    return batch->dispatched - batch->load_start;
}

static double received_before_load(const struct dlq_batch *batch)
{
    return batch->load_end - batch->received;
}

static double received_before_request(const struct dlq_batch *batch)
{
    return batch->request - batch->received;
}

static double step_before(const struct dlq_batch *batch)
{
    return batch->received - batch->step_end;
}

/* By how many seconds each comes too early. */
static const struct {
    double (*early)(const struct dlq_batch *batch);
    const char *what;
} impossible[] = {
    {start_before, "load_start before dispatched"},     {end_before, "load_end before load_start"},
    {received_before_load, "received before load_end"}, {received_before_request, "received before request"},
    {step_before, "step_end before received"},
};

enum { IMPOSSIBLE = sizeof impossible / sizeof *impossible };

/* Adds ", what (count)". */
static void add_count(char text[DLQ_REASON_TEXT], const char *what, size_t count)
{
    size_t length = strlen(text);
    if (count > 0)
        snprintf(text + length, DLQ_REASON_TEXT - length, "%s %s (%zu)", text[length - 1] == ':' ? "" : ",", what,
                 count);
}

bool dlq_reason_clock(struct dlq_evidence *evidence, char text[DLQ_REASON_TEXT])
{
    const struct dlq_measured_run *measured = evidence->measured;
    size_t places = measured->ranks * measured->batches;
    size_t counts[IMPOSSIBLE] = {0};
    size_t overlaps = 0;
    size_t sum = 0;
    for (size_t i = 0; i < places; i++) {
        overlaps += measured->before[i] - measured->sent[i].load_start > TICK ? 1 : 0;
        for (size_t k = 0; k < IMPOSSIBLE; k++)
            counts[k] += impossible[k].early(&measured->sent[i]) > TICK ? 1 : 0;
    }
    for (size_t k = 0; k < IMPOSSIBLE; k++)
        sum += counts[k];
    if (sum + overlaps == 0)
        return false;
    snprintf(text, DLQ_REASON_TEXT, "Times that can't be, of %zu batches:", places);
    for (size_t k = 0; k < IMPOSSIBLE; k++)
        add_count(text, impossible[k].what, counts[k]);
    add_count(text, "loads that overlap on one worker", overlaps);
    size_t length = strlen(text);
    snprintf(text + length, DLQ_REASON_TEXT - length, ". Write all times from one clock.");
    return true;
}
