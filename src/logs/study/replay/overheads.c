/* Estimates the overheads of the recursion from a measured run. */
#include "logs/calibration.h"
#include "logs/study/replay/replay.h"

#include <string.h>

/* Rounds in which deliver and receive are found in turn; steps of a bisection. */
enum { ROUNDS = 8, HALVINGS = 40 };

double dlq_measured_requested(const struct dlq_measured_run *measured, size_t j)
{
    double sum = 0;
    for (size_t r = 0; r < measured->ranks; r++)
        sum += j < measured->batches ? dlq_measured_delivered(measured, r, j)->request
                                     : dlq_measured_delivered(measured, r, j - 1)->step_end;
    return sum / (double)measured->ranks;
}

double dlq_measured_last_received(const struct dlq_measured_run *measured, size_t j)
{
    double last = -INFINITY;
    for (size_t r = 0; r < measured->ranks; r++)
        last = fmax(last, dlq_measured_delivered(measured, r, j)->received);
    return last;
}

/* The sum of the residuals of the lateness under received = max(request, load end + deliver) + receive, s. */
static double residual(const double *late, const double *ready_for, size_t n, double deliver, double receive)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += late[i] - fmax(0, deliver - fmax(0, ready_for[i])) - receive;
    return sum;
}

/* Sets receive and receive_error: mean and standard error of the lateness of batches whose load ended `deliver` s
   before their request, or of all batches. */
static void reception_of(const double *late, const double *ready_for, size_t n, double deliver, bool all,
                         struct dlq_measured_overheads *overheads)
{
    double sum = 0, squares = 0, count = 0;
    for (size_t i = 0; i < n; i++)
        if (all || ready_for[i] >= deliver) {
            sum += late[i];
            squares += late[i] * late[i];
            count++;
        }
    const double mean = count > 0 ? sum / count : 0;
    overheads->receive = fmax(0, mean);
    overheads->receive_error = count > 1 ? sqrt(fmax(0, squares / count - mean * mean) / (count - 1)) : 0;
}

/* Finds deliver and receive in turn, since deliver decides which batches were ready. All batches count for deliver:
   where the trainer hardly waits, the batches that it waits for are few and late. If deliver is 0, receive is the mean
   over all batches. */
static void deliveries_of(const struct dlq_measured_run *measured, double *scratch,
                          struct dlq_measured_overheads *overheads)
{
    size_t places = measured->ranks * measured->batches;
    /* s: how late batches came, received - max(request, load end); and from the end of a load to the request. The first
       batch of an epoch is left out, since it comes while workers start. */
    double *late = scratch, *ready_for = scratch + places, *sorted = scratch + 2 * places;
    size_t n = 0;
    for (size_t r = 0; r < measured->ranks; r++)
        for (size_t e = 0; e < measured->epochs; e++)
            for (size_t j = measured->begins[e] + 1; j < measured->begins[e + 1]; j++) {
                const struct dlq_batch *batch = dlq_measured_delivered(measured, r, j);
                if (!isfinite(batch->load_end))
                    continue;
                ready_for[n] = batch->request - batch->load_end;
                late[n++] = batch->received - fmax(batch->request, batch->load_end);
            }
    if (n == 0)
        return;
    /* Lateness beyond a high quantile is cut to that quantile. */
    memcpy(sorted, late, n * sizeof *sorted);
    double most = dlq_quantile(sorted, n, dlq_calibration.late_quantile);
    for (size_t i = 0; i < n; i++)
        late[i] = fmin(late[i], most);
    for (int round = 0; round < ROUNDS; round++) {
        double low = 0, high = fmax(0, most);
        reception_of(late, ready_for, n, overheads->deliver, false, overheads);
        bool any = residual(late, ready_for, n, 0, overheads->receive) > 0;
        for (int i = 0; i < HALVINGS && any; i++) { /* bisection: the residual falls as deliver grows */
            double middle = low + (high - low) / 2;
            *(residual(late, ready_for, n, middle, overheads->receive) > 0 ? &low : &high) = middle;
        }
        overheads->deliver = low;
    }
    if (overheads->deliver == 0)
        reception_of(late, ready_for, n, 0, true, overheads);
}

/* When the last step before an epoch ended; of the first epoch, the first request. */
static double ended_before(const struct dlq_measured_run *measured, size_t rank, size_t epoch)
{
    const struct dlq_batch *sent = &measured->sent[rank * measured->batches];
    double ended = dlq_measured_delivered(measured, rank, 0)->request;
    for (size_t k = epoch > 0 ? measured->begins[epoch - 1] : 0; k < measured->begins[epoch]; k++)
        ended = fmax(ended, sent[k].step_end);
    return ended;
}

double dlq_measured_pause(const struct dlq_measured_run *measured, size_t rank, size_t epoch)
{
    const struct dlq_batch *sent = &measured->sent[rank * measured->batches];
    const double workers = measured->loaders > 0 ? (double)measured->loaders : 1;
    double begun = INFINITY;
    for (size_t k = measured->begins[epoch]; k < measured->begins[epoch + 1]; k++)
        begun = fmin(begun, fmin(sent[k].dispatched, sent[k].request));
    const double gap = begun - ended_before(measured, rank, epoch);
    if (epoch == 0 || !isfinite(gap) || gap <= dlq_calibration.longest_change_of_workers * workers)
        return 0;
    return gap - (measured->loaders > 0 && !measured->persistent ? dlq_calibration.change_of_workers * workers : 0);
}

double dlq_measured_startup(const struct dlq_measured_run *measured, size_t rank, size_t epoch)
{
    const struct dlq_batch *sent = &measured->sent[rank * measured->batches];
    double first = INFINITY;
    for (size_t k = measured->begins[epoch]; k < measured->begins[epoch + 1]; k++)
        first = fmin(first, sent[k].load_start);
    const double ready = ended_before(measured, rank, epoch) + dlq_measured_pause(measured, rank, epoch);
    return isfinite(first) ? fmax(0, first - ready) : 0;
}

bool dlq_measured_persists(const struct dlq_measured_run *measured)
{
    double first = 0, later = 0;
    if (measured->persistent)
        return measured->epochs > 1;
    for (size_t r = 0; r < measured->ranks && measured->has_starts && measured->loaders > 0; r++) {
        first += dlq_measured_startup(measured, r, 0);
        for (size_t e = 1; e < measured->epochs; e++)
            later += dlq_measured_startup(measured, r, e);
    }
    return measured->epochs > 1 && later < first / 2 * (double)(measured->epochs - 1);
}

void dlq_overheads_estimate(const struct dlq_measured_run *measured, double *scratch,
                            struct dlq_measured_overheads *overheads)
{
    size_t places = measured->ranks * measured->batches, n = 0;
    bool persistent = dlq_measured_persists(measured);
    size_t from = measured->epochs == 1 || persistent ? 0 : 1, until = from == 0 ? 1 : measured->epochs;
    /* Of no values the mean is NAN, and fmax(0, NAN) is 0. */
    *overheads = (struct dlq_measured_overheads){.persistent = persistent};
    if (measured->loaders > 0) {
        deliveries_of(measured, scratch, overheads);
        for (size_t j = 0; j < measured->batches && measured->ranks > 1; j++) {
            bool ready = true;
            for (size_t r = 0; r < measured->ranks; r++) {
                const struct dlq_batch *batch = dlq_measured_delivered(measured, r, j);
                ready = ready && batch->load_end + overheads->deliver < batch->request;
            }
            if (ready)
                scratch[n++] =
                    dlq_measured_last_received(measured, j) - dlq_measured_requested(measured, j) - overheads->receive;
        }
        overheads->barrier = fmax(0, dlq_steady_mean(scratch, n));
        n = 0;
    } else {
        for (size_t i = 0; i < places; i++)
            scratch[i] = measured->sent[i].received - measured->sent[i].request - measured->sent[i].load;
        overheads->receive = fmax(0, dlq_steady_mean(scratch, places));
    }
    if (!measured->has_starts)
        return;
    for (size_t i = 0; i < places; i++)
        if (measured->before[i] < measured->credit[i])
            scratch[n++] = measured->sent[i].load_start - measured->credit[i];
    overheads->dispatch = fmax(0, dlq_steady_mean(scratch, n));
    n = 0;
    for (size_t r = 0; r < measured->ranks && measured->loaders > 0; r++)
        for (size_t e = from; e < until; e++)
            scratch[n++] = dlq_measured_startup(measured, r, e);
    overheads->startup = fmax(0, dlq_steady_mean(scratch, n));
}
