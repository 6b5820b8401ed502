/* The overheads of the recursion, estimated from a run itself. */
#include "stats/stats.h"
#include "study/replay/replay.h"

#include <string.h>

enum { ROUNDS = 8, HALVINGS = 40 };

static const double MOST_OF_THEM = 0.99;

double dlq_measured_asked(const struct dlq_measured_run *measured, size_t j)
{
    double sum = 0;
    for (size_t r = 0; r < measured->ranks; r++)
        sum += j < measured->batches ? dlq_measured_taken(measured, r, j)->request
                                     : dlq_measured_taken(measured, r, j - 1)->step_end;
    return sum / (double)measured->ranks;
}

double dlq_measured_last_received(const struct dlq_measured_run *measured, size_t j)
{
    double last = -INFINITY;
    for (size_t r = 0; r < measured->ranks; r++)
        last = fmax(last, dlq_measured_taken(measured, r, j)->received);
    return last;
}

double dlq_measured_busy_until(const struct dlq_measured_run *measured, size_t rank, size_t epoch, size_t k,
                               double dispatch)
{
    size_t place = rank * measured->batches + measured->begins[epoch] + k;
    double before = measured->before[place], sent = dlq_measured_credit(measured, rank, epoch, k);
    if (!isfinite(sent)) /* the recursion does not say when it was sent, but the log may */
        sent = measured->sent[place].dispatched;
    bool idle = isfinite(sent) && sent + dispatch >= before;
    return idle ? NAN : before;
}

static double not_negative(double value)
{
    return value > 0 ? value : 0; /* NAN: nothing was seen */
}

static double dispatch_of(const struct dlq_measured_run *measured, double *values)
{
    size_t n = 0;
    for (size_t r = 0; r < measured->ranks && measured->has_starts; r++)
        for (size_t e = 0; e < measured->epochs; e++)
            for (size_t k = 0; k < measured->begins[e + 1] - measured->begins[e]; k++) {
                size_t place = r * measured->batches + measured->begins[e] + k;
                double credit = dlq_measured_credit(measured, r, e, k);
                if (measured->before[place] < credit)
                    values[n++] = measured->sent[place].load_start - credit;
            }
    return not_negative(dlq_steady_mean(values, n));
}

/* How late batches came, received - max(request, load end), and how long before its request each was done. An epoch's
   first batch comes while workers are still being started: it is no measure of the others. What is far later than 99 %
   of all counts as late as these. */
struct deliveries {
    double *late, *done_before;
    size_t n;
};

static void collect(const struct dlq_measured_run *measured, double *scratch, struct deliveries *deliveries)
{
    size_t n = 0;
    double *late = scratch;
    double *done_before = scratch + measured->ranks * measured->batches;
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t e = 0; e < measured->epochs; e++)
            for (size_t j = measured->begins[e] + 1; j < measured->begins[e + 1]; j++) {
                const struct dlq_batch *batch = dlq_measured_taken(measured, r, j);
                if (!isfinite(batch->load_end))
                    continue;
                done_before[n] = batch->request - batch->load_end;
                late[n++] = batch->received - fmax(batch->request, batch->load_end);
            }
    *deliveries = (struct deliveries){.late = late, .done_before = done_before, .n = n};
}

/* received = max(request, load end + deliver) + receive: what is left of the lateness, in the mean. */
static double residual(const struct deliveries *deliveries, double deliver, double receive)
{
    double sum = 0;
    for (size_t i = 0; i < deliveries->n; i++) {
        double before = fmax(0, deliveries->done_before[i]);
        sum += deliveries->late[i] - fmax(0, deliver - before) - receive;
    }
    return sum;
}

/* Mean of received - request where batches were done that much before the request; 0: there are none. */
static double receive_where(const struct deliveries *deliveries, double deliver)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < deliveries->n; i++)
        if (deliveries->done_before[i] >= deliver) {
            sum += deliveries->late[i];
            n++;
        }
    return n > 0 ? not_negative(sum / (double)n) : 0;
}

/* By bisection: the residual falls as deliver grows. */
static double deliver_for(const struct deliveries *deliveries, double receive, double most)
{
    double low = 0;
    double high = most;
    if (residual(deliveries, 0, receive) <= 0)
        return 0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = low + (high - low) / 2;
        if (residual(deliveries, middle, receive) > 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Which batches were ready, and so what receiving costs, depends on deliver: the two are found in turn. What a batch
   that is awaited costs beyond another cannot be taken from such batches alone: where the trainer hardly ever waits,
   these are the few that came late. */
static void deliveries_of(const struct dlq_measured_run *measured, double *scratch, double *deliver, double *receive)
{
    struct deliveries deliveries;
    collect(measured, scratch, &deliveries);
    *deliver = *receive = 0;
    if (deliveries.n == 0)
        return;
    double *sorted = scratch + 2 * measured->ranks * measured->batches;
    memcpy(sorted, deliveries.late, deliveries.n * sizeof *sorted);
    double most = dlq_quantile(sorted, deliveries.n, MOST_OF_THEM);
    for (size_t i = 0; i < deliveries.n; i++)
        deliveries.late[i] = fmin(deliveries.late[i], most);
    for (int i = 0; i < ROUNDS; i++) {
        *receive = receive_where(&deliveries, *deliver);
        *deliver = deliver_for(&deliveries, *receive, fmax(0, most));
    }
}

static double serial_receive_of(const struct dlq_measured_run *measured, double *values)
{
    size_t n = measured->ranks * measured->batches;
    for (size_t i = 0; i < n; i++)
        values[i] = measured->sent[i].received - measured->sent[i].request - measured->sent[i].load;
    return not_negative(dlq_steady_mean(values, n));
}

static double barrier_of(const struct dlq_measured_run *measured, double deliver, double receive, double *values)
{
    size_t n = 0;
    for (size_t j = 0; j < measured->batches && measured->ranks > 1 && measured->loaders > 0; j++) {
        bool ready = true;
        for (size_t r = 0; r < measured->ranks; r++) {
            const struct dlq_batch *batch = dlq_measured_taken(measured, r, j);
            ready = ready && batch->load_end + deliver < batch->request;
        }
        if (ready)
            values[n++] = dlq_measured_last_received(measured, j) - dlq_measured_asked(measured, j) - receive;
    }
    return not_negative(dlq_steady_mean(values, n));
}

double dlq_measured_startup(const struct dlq_measured_run *measured, size_t rank, size_t epoch)
{
    const struct dlq_batch *sent = &measured->sent[rank * measured->batches];
    const size_t *begins = &measured->begins[epoch];
    double first = INFINITY, asked = dlq_measured_taken(measured, rank, 0)->request;
    for (size_t k = epoch > 0 ? begins[-1] : 0; k < begins[0]; k++)
        asked = fmax(asked, sent[k].step_end);
    for (size_t k = begins[0]; k < begins[1]; k++)
        first = fmin(first, sent[k].load_start);
    return isfinite(first) ? fmax(0, first - asked) : 0;
}

bool dlq_measured_persists(const struct dlq_measured_run *measured)
{
    double first = 0, later = 0;
    for (size_t r = 0; r < measured->ranks && measured->has_starts && measured->loaders > 0; r++) {
        first += dlq_measured_startup(measured, r, 0);
        for (size_t e = 1; e < measured->epochs; e++)
            later += dlq_measured_startup(measured, r, e);
    }
    return measured->epochs > 1 && later < first / 2 * (double)(measured->epochs - 1);
}

/* Of the epochs first..end - 1 of all ranks. */
static double startup_of(const struct dlq_measured_run *measured, size_t first, size_t end, double *values)
{
    size_t n = 0;
    for (size_t r = 0; r < measured->ranks && measured->has_starts && measured->loaders > 0; r++)
        for (size_t e = first; e < end; e++)
            values[n++] = dlq_measured_startup(measured, r, e);
    return not_negative(dlq_steady_mean(values, n));
}

void dlq_overheads_estimate(const struct dlq_measured_run *measured, double *scratch,
                            struct dlq_measured_overheads *overheads)
{
    double deliver = 0;
    double receive = 0;
    bool persistent = dlq_measured_persists(measured);
    size_t from = measured->epochs == 1 || persistent ? 0 : 1, until = from == 0 ? 1 : measured->epochs;
    if (measured->loaders == 0)
        receive = serial_receive_of(measured, scratch);
    else
        deliveries_of(measured, scratch, &deliver, &receive);
    *overheads = (struct dlq_measured_overheads){
        .startup = startup_of(measured, from, until, scratch),
        .dispatch = dispatch_of(measured, scratch),
        .deliver = deliver,
        .receive = receive,
        .barrier = barrier_of(measured, deliver, receive, scratch),
        .persistent = persistent,
    };
}
