/* Charts of a solution: gains of single changes, and the length of the queue. */
#include "report/pictures/pictures.h"

#include "report/report.h"

#include <math.h>

enum { TITLE = 256, SUBTITLE = 700 };
static const double least = 0.01;   /* the smallest gain that the title names */
static const double held_few = 0.5; /* batches: the title does not mention fewer that are held */

/* Starts a chart. The subtitle does not say how much was simulated: changes are compared in shorter runs. */
static void start(struct dlq_slots *slots, const struct dlq_solution *solution, const char *title,
                  const char *intervals)
{
    char subtitle[SUBTITLE] = "";
    struct dlq_phrase phrase = {.text = subtitle, .size = SUBTITLE};
    dlq_parameters_add(&phrase, &solution->description, NULL);
    if (!isnan(solution->description.horizon))
        dlq_phrase_add(&phrase, " · within %s", SAY_TIME(solution->description.horizon, 3));
    dlq_phrase_add(&phrase, "%s · seed %llu", intervals, (unsigned long long)solution->description.seed);
    dlq_slots_begin(slots, title, subtitle);
}

enum dlq_status dlq_picture_levers(const void *subject, struct dlq_slots *slots)
{
    const struct dlq_solution *solution = subject;
    const struct dlq_lever *levers = solution->levers.rows;
    enum dlq_cause bound = solution->verdict.bound_by;
    double now = solution->simulation.throughput.value;
    char title[TITLE];
    size_t rows = 0, best = 0;
    bool unsure = false;
    while (rows < solution->levers.count && isfinite(levers[rows].gain.value))
        rows++;
    /* The title names the first change that is proven to gain, or else the limit. */
    for (; best < solution->levers.count && !(levers[best].proven && levers[best].gain.value > least); best++)
        unsure = unsure || levers[best].gain.high > least;
    if (best < solution->levers.count) {
        const double percent = 100 * levers[best].gain.value;
        snprintf(title, TITLE, "Best %sgain: %s, %s instead of %s batches/s (%+.*f %%)", best == 0 ? "" : "proven ",
                 levers[best].change, SAY_RATE(levers[best].throughput.value), SAY_RATE(now), percent < 9.95, percent);
    } else
        snprintf(title, TITLE, now == 0 ? "No step ends within the horizon" : "Nothing tried %s more than 1 %%%s",
                 unsure ? "is proven to gain" : "gains",
                 bound == DLQ_CAUSE_STEP      ? ": the step is the limit"
                 : bound == DLQ_CAUSE_RECEIVE ? ": receiving is the limit"
                                              : "");
    start(slots, solution, title, " · 95 % intervals");
    if (rows == 0)
        return dlq_slots_sentence(slots, "The gain of no change is known.");
    dlq_slot_array(slots, "NAMES", rows);
    for (size_t i = 0; i < rows; i++)
        dlq_slot_element(slots, "NAMES", i, levers[i].change);
    DLQ_SLOT_ROWS(slots, "DATA", i, rows, 100 * levers[i].gain.value, 100 * levers[i].gain.low,
                  100 * levers[i].gain.high, levers[i].proven);
    dlq_slot_number(slots, "LIMIT", 100 * (solution->bounds.step / now - 1));
    dlq_slot_say(slots, "LTEXT", "what this step allows: %s", SAY_RATE(solution->bounds.step));
    return dlq_slots_end(slots, dlq_picture_templates, "levers");
}

enum dlq_status dlq_picture_queue(const void *subject, struct dlq_slots *slots)
{
    const struct dlq_solution *solution = subject;
    const struct dlq_queue_of_run *queue = &solution->queue;
    char title[TITLE] = "Batches between loaders and trainer";
    if (queue->count > 0)
        snprintf(title, TITLE,
                 queue->held.value > held_few
                     ? "No batch is ready for %s of the time, though %s loaded ones are held on average"
                     : "No batch is ready for %s of the time; on average %s are",
                 SAY_SHARE(queue->levels[0].ready),
                 SAY_NUMBER(queue->held.value > held_few ? queue->held.value : queue->ready.value, 2));
    start(slots, solution, title, "");
    if (queue->count == 0)
        return dlq_slots_sentence(slots,
                                  "There is no queue to count: nothing is loaded ahead, or the window is unbounded.");
    dlq_slots_axis(slots, "Batches", false, true);
    DLQ_SLOT_ROWS(slots, "DATA", n, queue->count, (double)n, 100 * queue->levels[n].ready, 100 * queue->levels[n].held);
    dlq_slot_number(slots, "HELD", queue->held.value > 0);
    dlq_slot_say(slots, "RNAME", "ready (mean %s)", SAY_NUMBER(queue->ready.value, 3));
    dlq_slot_say(slots, "HNAME", "loaded, but held behind one that is due first (mean %s)",
                 SAY_NUMBER(queue->held.value, 3));
    return dlq_slots_end(slots, dlq_picture_templates, "queue");
}
