/* Records against the recursion of each discipline, batch by batch, to the bit; and that no batch is missing. */
#include "recorded.h"

enum { PIPELINES = 780 };

/* A rank of a record, as the laws need it. */
struct rank {
    const struct recorded *recorded;
    struct dlq_point point; /* as this rank sees it */
    const struct dlq_timeline_rank *rank;
    const struct dlq_timeline_batch *batches;
    const double *loads, *steps;
    bool shares;
};

static long steps_of(const struct rank *rank)
{
    return (long)rank->rank->stepped;
}

static long epoch_length(const struct rank *rank)
{
    return rank->point.epoch > 0 ? rank->point.epoch : LONG_MAX;
}

static long first_step(const struct rank *rank, long epoch)
{
    return epoch == 0 ? 0 : epoch * rank->point.epoch;
}

/* Workers of the epoch are ready. */
static double ready_at(const struct rank *rank, long epoch)
{
    double ended = epoch == 0 ? 0 : rank->batches[first_step(rank, epoch) - 1].step_end;
    return ended + (epoch == 0 || !rank->point.persistent ? rank->point.startup : 0);
}

static bool is_serial(const struct rank *rank)
{
    return rank->point.loader->assign == DLQ_ASSIGN_TRAINER;
}

/* When the credit that the step gives back comes; NAN: not recorded. */
static double credit_of(const struct rank *rank, long step)
{
    if (step >= steps_of(rank))
        return NAN;
    bool request = is_serial(rank) || rank->point.loader->release == DLQ_RELEASE_REQUEST;
    return request ? rank->batches[step].step_end : rank->batches[step].received;
}

/* Batches that an epoch's start sends out. */
static long opening(const struct rank *rank)
{
    const struct dlq_point *point = &rank->point;
    if (is_serial(rank))
        return 1;
    long window = point->window;
    if (window == DLQ_UNBOUNDED && point->discipline == DLQ_DEPENDENT)
        window = DLQ_EVENTS_AHEAD;
    bool request = point->loader->release == DLQ_RELEASE_REQUEST;
    return window == DLQ_UNBOUNDED || !request ? window : window + 1;
}

/* G_i = max(F_{i-1}, ready) + c, F_i = G_i + T_i; the step begins when all ranks have received. */
static const char *trainer(const struct rank *rank, size_t i, const struct dlq_timeline_batch *batch)
{
    const struct recorded *recorded = rank->recorded;
    double ended = i == 0 ? 0 : rank->batches[i - 1].step_end, latest = 0;
    for (long r = 0; r < rank->point.ranks; r++)
        latest = fmax(latest, recorded->ranks[r].batches[i].received);
    if (batch->step != (long)i || batch->request != ended)
        return "steps do not follow one another";
    if (batch->received != fmax(ended, batch->ready) + rank->point.receive)
        return "received";
    if (batch->step_begin != latest + rank->point.barrier)
        return "step_begin";
    if (batch->step_end != batch->step_begin + rank->steps[i] * rank->point.step_scale)
        return "step_end";
    bool in_order = rank->point.loader->order == DLQ_ORDER_INDEX;
    return in_order && first_step(rank, batch->epoch) + batch->index != (long)i ? "order" : NULL;
}

/* A_i is G_{i-K}, F_{i-K-1}, or the start of the epoch: at most K in flight. A relay's are looked at elsewhere. */
static const char *dispatch(const struct rank *rank, const struct dlq_timeline_batch *batch)
{
    long opened = opening(rank);
    if (rank->point.loader->relay && rank->point.window != DLQ_UNBOUNDED)
        return NULL;
    double expected = batch->index < opened ? ready_at(rank, batch->epoch)
                                            : credit_of(rank, first_step(rank, batch->epoch) + batch->index - opened);
    return batch->dispatched == expected ? NULL : "dispatched";
}

/* L >= A + a, D = L + S, ready = D + e. */
static const char *load(const struct rank *rank, const struct dlq_timeline_batch *batch)
{
    const struct dlq_point *point = &rank->point;
    double draw = rank->loads[first_step(rank, batch->epoch) + batch->index];
    double time = dlq_load_time(point, draw, batch->worker);
    if (batch->worker < 0 || batch->worker >= point->servers)
        return "worker";
    if (!(batch->load_start >= batch->dispatched + point->dispatch))
        return "load_start";
    if (rank->shares ? !(batch->load_end >= batch->load_start + time * (1 - 1e-9))
                     : batch->load_end != batch->load_start + time)
        return "load_end";
    if (batch->ready < batch->load_end + point->deliver)
        return "ready too early";
    bool plain = point->pin == 0 && !point->loader->relay;
    return plain && batch->ready != batch->load_end + point->deliver ? "ready" : NULL;
}

/* Q_j = max(P_{j-1}, G_{j-p}), P_j = max(Q_j, D_j + e) where nothing pins, A_{j+N} = Q_j. */
static const char *relay(const struct rank *rank)
{
    const struct dlq_point *point = &rank->point;
    for (long i = 0; i < steps_of(rank) && point->loader->relay; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        bool opens = batch->index == 0;
        double before = opens ? ready_at(rank, batch->epoch) : batch[-1].ready;
        double freed = batch->index < point->prefetch ? 0 : batch[-point->prefetch].received;
        double taken = fmax(before, freed);
        if (point->pin == 0 && batch->ready != fmax(taken, batch->load_end + point->deliver))
            return "relay: ready";
        for (size_t k = 0; k < rank->rank->count && point->window != DLQ_UNBOUNDED; k++) {
            const struct dlq_timeline_batch *other = &rank->batches[k];
            bool next = other->epoch == batch->epoch && other->index == batch->index + point->window;
            bool first = other->epoch == batch->epoch && opens && other->index < point->window;
            if ((next && other->dispatched != taken) || (first && other->dispatched != before))
                return "relay: dispatched";
        }
    }
    return NULL;
}

static int by_worker(const void *left, const void *right)
{
    const struct dlq_timeline_batch *a = *(const struct dlq_timeline_batch *const *)left;
    const struct dlq_timeline_batch *b = *(const struct dlq_timeline_batch *const *)right;
    if (a->worker != b->worker)
        return a->worker < b->worker ? -1 : 1;
    if (a->load_start != b->load_start)
        return a->load_start < b->load_start ? -1 : 1;
    return (a->load_end > b->load_end) - (a->load_end < b->load_end);
}

static int by_ready(const void *left, const void *right)
{
    const struct dlq_timeline_batch *a = *(const struct dlq_timeline_batch *const *)left;
    const struct dlq_timeline_batch *b = *(const struct dlq_timeline_batch *const *)right;
    return (a->ready > b->ready) - (a->ready < b->ready);
}

/* One batch at a time; a worker that has one waiting is not idle, but in a pool, where another may have it. */
static const char *workers(const struct rank *rank, const struct dlq_timeline_batch **sorted, size_t n)
{
    const struct dlq_point *point = &rank->point;
    bool pool = point->loader->assign == DLQ_ASSIGN_POOL;
    for (size_t i = 0; i < n; i++) {
        const struct dlq_timeline_batch *batch = sorted[i], *before = i > 0 ? sorted[i - 1] : NULL;
        bool first = before == NULL || before->worker != batch->worker;
        if (!first && (batch->load_start < before->load_end || batch->epoch < before->epoch))
            return "two batches at a time";
        double arrived = batch->dispatched + point->dispatch;
        if (!first && before->epoch == batch->epoch && !pool && batch->load_start != fmax(arrived, before->load_end))
            return "an idle worker";
        if (first && point->start == DLQ_START_TOGETHER && !pool && batch->epoch == 0 && batch->load_start != arrived)
            return "an idle worker at the start";
    }
    return NULL;
}

/* P = max(D, P of the one before) + pin, in order of completion; loads that begin after the end may come between. */
static const char *pinning(const struct rank *rank, const struct dlq_timeline_batch **sorted, size_t n)
{
    const struct dlq_point *point = &rank->point;
    double pinned = 0;
    for (size_t i = 0; i < n && sorted[i]->load_end <= rank->recorded->until; i++) {
        pinned = fmax(pinned, sorted[i]->load_end) + point->pin;
        if (sorted[i]->ready != pinned + point->deliver)
            return "pinned";
    }
    return NULL;
}

/* All that was dispatched by the end is there: in the last epoch the numbers without a gap, as many as there were
   credits; where loaders run ahead without limit, each goes on past the end. */
static const char *completeness(const struct rank *rank)
{
    const struct recorded *recorded = rank->recorded;
    const struct dlq_timeline_batch *last = &rank->batches[steps_of(rank) - 1];
    bool seen[4096] = {false};
    double ends[64] = {0};
    long count = 0, expected = opening(rank), length = epoch_length(rank);
    for (size_t i = 0; i < rank->rank->count; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        if (batch->epoch > last->epoch || batch->index >= 4096)
            return "an epoch too late";
        if (batch->epoch == last->epoch) {
            if (seen[batch->index])
                return "a batch twice";
            seen[batch->index] = true;
            count++;
        }
        if (batch->epoch == last->epoch && batch->worker >= 0)
            ends[batch->worker] = fmax(ends[batch->worker], batch->load_end);
    }
    bool unbounded = rank->point.window == DLQ_UNBOUNDED && !is_serial(rank);
    for (long i = 0; i < count && !unbounded; i++)
        if (!seen[i])
            return "a gap";
    if (count == length || ready_at(rank, last->epoch) + rank->point.dispatch > recorded->until)
        return NULL;
    for (long w = 0; w < rank->point.servers && unbounded && rank->point.start == DLQ_START_TOGETHER; w++)
        if (!(ends[w] > recorded->until))
            return "loads that are missing";
    for (long i = first_step(rank, last->epoch); i < steps_of(rank) && !unbounded; i++)
        expected += credit_of(rank, i) <= recorded->until;
    bool plain = !unbounded && !rank->point.loader->relay;
    return plain && count != (expected < length ? expected : length) ? "dispatched batches that are missing" : NULL;
}

static const char *broken_law(const struct rank *rank, const struct dlq_timeline_batch **sorted)
{
    const char *law = NULL;
    size_t n = 0;
    for (size_t i = 0; i < rank->rank->stepped && law == NULL; i++)
        law = trainer(rank, i, &rank->batches[i]);
    for (size_t i = 0; i < rank->rank->count && law == NULL; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        law = dispatch(rank, batch);
        if (law == NULL && batch->worker >= 0 && !isnan(batch->ready))
            law = load(rank, batch);
        if (batch->worker >= 0)
            sorted[n++] = batch;
    }
    if (law == NULL)
        law = completeness(rank);
    qsort(sorted, n, sizeof(const struct dlq_timeline_batch *), by_worker);
    if (law == NULL)
        law = workers(rank, sorted, n);
    qsort(sorted, n, sizeof(const struct dlq_timeline_batch *), by_ready);
    if (law == NULL && rank->point.pin > 0 && !rank->point.loader->relay)
        law = pinning(rank, sorted, n);
    return law == NULL ? relay(rank) : law;
}

static void check_rank(const struct recorded *recorded, const struct tape *tape, long r)
{
    struct rank rank = {
        .recorded = recorded,
        .point = recorded->point,
        .rank = &recorded->ranks[r],
        .batches = recorded->ranks[r].batches,
        .loads = tape->loads + r * (tape->steps + tape->ahead),
        .steps = tape->step,
        .shares = dlq_system_shares(&recorded->built.system),
    };
    if (r < rank.point.slow_ranks)
        rank.point.load_scale *= rank.point.slow_factor;
    const struct dlq_timeline_batch **sorted = calloc(rank.rank->count, sizeof(const struct dlq_timeline_batch *));
    CHECK(sorted != NULL && rank.rank->number == r, "rank %ld is number %ld", r, rank.rank->number);
    if (sorted != NULL) {
        const char *law = broken_law(&rank, sorted);
        CHECK(law == NULL, "rank %ld, to %g: %s\n%s", r, recorded->until, law, recorded->text);
    }
    free(sorted);
}

static void laws_hold(void)
{
    static const char *const names[] = {"serial", "round-robin", "pool", "relay", "completion", "dependent"};
    enum { DISCIPLINES = sizeof names / sizeof *names };
    int checked[DISCIPLINES] = {0};
    for (unsigned number = 0; number < PIPELINES; number++) {
        OWN(recorded) recorded;
        OWN(tape) tape = {0};
        if (recorded_begin(&recorded, number) && recorded_make(&recorded, 0, 0.2 + 0.0385 * (number % 300)) &&
            recorded_tape(&recorded, &tape)) {
            for (long r = 0; r < recorded.point.ranks; r++)
                check_rank(&recorded, &tape, r);
            checked[recorded.point.discipline]++;
        }
    }
    for (size_t k = 0; k < DISCIPLINES; k++)
        CHECK(checked[k] >= 15, "%s: %d pipelines", names[k], checked[k]);
}

TEST_SUITE(record_laws, CASE(laws_hold));
