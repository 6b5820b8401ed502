#include "turns.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* Five turns of a tenth of a second each, and fewer where a piece takes longer than the row may. */
enum { TURNS = 5 };
static const double turn_seconds = 0.1, quick_turn_seconds = 0.02;
static const double row_seconds = 20, quick_row_seconds = 3;

/* A subject under way. */
struct side {
    const struct bench_kind *kind; /* null: none, or it failed */
    void *state;
    double first; /* seconds of the first piece, which is not counted unless it is the only one */
    double first_each, amount;
    double each[TURNS];
};

static double turn_of(const struct bench_run *run)
{
    return run->quick ? quick_turn_seconds : turn_seconds;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

struct bench_figure bench_figure_of(double *values, int n)
{
    if (n == 0)
        return (struct bench_figure){NAN, NAN, NAN};
    qsort(values, (size_t)n, sizeof *values, by_value);
    return (struct bench_figure){(values[n / 2] + values[(n - 1) / 2]) / 2, values[0], values[n - 1]};
}

static void end_side(struct side *side)
{
    if (side->kind != NULL)
        side->kind->end(side->state);
    side->kind = NULL;
}

static bool interrupted(const struct bench_run *run)
{
    return run->interrupted != NULL && *run->interrupted != 0;
}

/* With one piece, which warms caches and says how long a piece takes. */
static enum dlq_status begin_side(struct side *side, const struct bench_subject *subject, const struct bench_run *run,
                                  struct dlq_error *error)
{
    *side = (struct side){.kind = NULL};
    if (subject->kind == NULL)
        return DLQ_OK;
    enum dlq_status status = subject->kind->begin(&subject->setup, run, &side->state, error);
    if (status != DLQ_OK)
        return status;
    side->kind = subject->kind;
    double begin = now();
    status = side->kind->piece(side->state, &side->amount, error);
    side->first = now() - begin;
    side->first_each = side->first / side->amount;
    if (status == DLQ_OK && interrupted(run)) /* there may be no turn */
        status = dlq_error_add(error, DLQ_INTERRUPTED, "interrupted");
    if (status != DLQ_OK)
        end_side(side);
    return status;
}

/* Pieces until the time of a turn is over. */
static enum dlq_status take_turn(struct side *side, const struct bench_run *run, double *each, struct dlq_error *error)
{
    const double seconds = turn_of(run);
    if (side->kind == NULL) {
        *each = NAN;
        return DLQ_OK;
    }
    double total = 0;
    double begin = now();
    double elapsed = 0;
    while (elapsed < seconds) {
        double amount = 0;
        if (interrupted(run))
            return dlq_error_add(error, DLQ_INTERRUPTED, "interrupted");
        enum dlq_status status = side->kind->piece(side->state, &amount, error);
        if (status != DLQ_OK)
            return status;
        total += amount;
        elapsed = now() - begin;
    }
    *each = elapsed / total;
    return DLQ_OK;
}

static void summarize(struct bench_comparison *comparison, struct side *subject, struct side *yardstick, int turns)
{
    double ratios[TURNS];
    for (int i = 0; i < turns; i++)
        ratios[i] = yardstick->each[i] / subject->each[i];
    bool compared = turns > 0 && !isnan(ratios[0]);
    comparison->turns = turns;
    comparison->amount = subject->amount;
    comparison->subject = bench_figure_of(subject->each, turns);
    comparison->yardstick = bench_figure_of(yardstick->each, compared ? turns : 0);
    comparison->ratio = bench_figure_of(ratios, compared ? turns : 0);
    comparison->ratio.median = comparison->yardstick.median / comparison->subject.median;
}

/* As many turns as have room in the row. Where there is none the subject's first piece is all there is. */
static enum dlq_status take_turns(struct side *subject, struct side *yardstick, const struct bench_run *run, int *taken,
                                  struct dlq_error *error)
{
    double turn = turn_of(run);
    double row = run->quick ? quick_row_seconds : row_seconds;
    double round = fmax(turn, subject->first) + (yardstick->kind != NULL ? fmax(turn, yardstick->first) : 0);
    int turns = (int)fmin(TURNS, (row - subject->first - yardstick->first) / round);
    if (turns < 1) {
        subject->each[0] = subject->first_each;
        yardstick->each[0] = yardstick->first_each;
        *taken = 1;
        return yardstick->first < subject->first ? take_turn(yardstick, run, yardstick->each, error) : DLQ_OK;
    }
    for (int i = 0; i < turns; i++) {
        enum dlq_status status = take_turn(yardstick, run, &yardstick->each[i], error);
        if (status == DLQ_OK)
            status = take_turn(subject, run, &subject->each[i], error);
        if (status != DLQ_OK)
            return status;
    }
    *taken = turns;
    return DLQ_OK;
}

enum dlq_status bench_compare(const struct bench_subject *subject, const struct bench_subject *yardstick,
                              const struct bench_run *run, struct bench_comparison *comparison, struct dlq_error *error)
{
    struct side ours;
    struct side theirs = {.kind = NULL};
    int turns = 0;
    enum dlq_status beside = DLQ_OK;
    enum dlq_status status = begin_side(&ours, subject, run, error);
    if (status == DLQ_OK) {
        beside = begin_side(&theirs, yardstick, run, error);
        status = take_turns(&ours, &theirs, run, &turns, error);
    }
    summarize(comparison, &ours, &theirs, turns);
    end_side(&ours);
    end_side(&theirs);
    return status != DLQ_OK ? status : beside;
}
