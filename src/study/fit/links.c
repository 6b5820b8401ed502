/* What the waits of a run say of each of its loads. */
#include "stats/stats.h"
#include "study/fit/fit.h"

#include <gsl/gsl_sort.h>
#include <math.h>

/* Batches of one rank that are looked at: the last ones. */
enum { MOST_ITERATIONS = 8192 };

/* Waits for batches that are there lie close together, at the low end; stalls spread out from nothing on. So many more
   below a twentieth of an iteration than in twice that above it are of the first kind, and c is typical for them. A
   training process that takes any time has ups and downs of several times c, when it drains what finished meanwhile: a
   stall must be longer by far, for one that is none is worse (its load is taken for much too long) than one that is
   passed over (its load keeps its bound). */
void dlq_find_stalls(double *waits, size_t n, double mean_iteration, double told, double *receive, double *stall_above)
{
    const double exact = 1e-3 * mean_iteration, jitter = 0.05 * mean_iteration, most = 3 * jitter;
    gsl_sort(waits, 1, n);
    size_t few = dlq_count_up_to(waits, n, jitter), more = dlq_count_up_to(waits, n, most) - few;
    double typical = few > 0 && few >= 3 * more ? waits[few / 2] : 0;
    *receive = told > 0 ? told : typical;
    *stall_above = *receive + (typical > exact / 10 ? fmax(4 * typical, most) : exact);
}

/* -- runs -- */

/* Batches that hang together, from begin on; delivered and ended are G and F from the request of the first. */
struct run {
    size_t loaders, window; /* N, K */
    const struct dlq_batch *batches;
    size_t count;
    bool from_start; /* of an epoch */
    double *delivered, *ended;
};

static bool is_known(const struct dlq_batch *batch)
{
    return batch->data >= 0 && batch->iter >= batch->data && isfinite(batch->iter) && batch->count == 1;
}

/* The next one from `at` on; false: no more. */
static bool next_run(const struct dlq_batch *batches, size_t count, size_t *at, struct run *run)
{
    while (*at < count && !is_known(&batches[*at]))
        ++*at;
    if (*at == count)
        return false;
    size_t end = *at + 1;
    while (end < count && is_known(&batches[end]) && batches[end].epoch == batches[*at].epoch)
        end++;
    run->batches = batches + *at;
    run->count = end - *at;
    run->from_start = batches[*at].index <= 0;
    *at = end;
    return true;
}

/* -- links of a run -- */

/* MODEL.md's recursion: A_i = G_{i-K}, L_i = max(A_i, D_{i-N}), G_i = D_i + c where the trainer waited. Of the first K
   batches the dispatch is not known; at the start of an epoch all are dispatched before the first is done, so that from
   the second on a loader never waits for work. */
static struct dlq_link link_of(const struct dlq_links *links, const struct run *run, size_t i,
                               const struct dlq_link *before)
{
    struct dlq_link link = {.ready = 0, .counts = true};
    link.exact = run->batches[i].data > links->stall_above;
    double received = link.exact ? run->delivered[i] : (i > 0 ? run->ended[i - 1] : 0) + links->stall_above;
    link.done = fmax(received - links->receive, 0);
    link.clear = run->batches[i].data > 1.5 * links->stall_above;
    link.first = before == NULL;
    if (i >= run->window)
        link.ready = run->delivered[i - run->window];
    else
        link.counts = run->from_start && i >= run->loaders;
    if (before != NULL && before->exact)
        link.ready = fmax(link.ready, before->done);
    if (before != NULL && (before->exact || before->done <= link.ready))
        link.first = true;
    if (link.ready > link.done)
        link.ready = link.done;
    return link;
}

enum dlq_status dlq_links_make(struct dlq_arena *arena, struct dlq_links *links, const struct dlq_rank *rank,
                               long loaders, long window)
{
    size_t count = rank->count < MOST_ITERATIONS ? rank->count : MOST_ITERATIONS, n = 0;
    const struct dlq_batch *batches = rank->batches + (rank->count - count);
    struct dlq_links made = {.shortened = count < rank->count || !rank->whole};
    struct run run = {.loaders = (size_t)loaders, .window = (size_t)window};
    double *waits, steady = 0;
    for (size_t at = 0; next_run(batches, count, &at, &run);) {
        for (size_t i = run.window < run.count ? run.window : 0; i < run.count; i++) {
            made.mean_iteration += run.batches[i].iter;
            made.mean_step += run.batches[i].iter - run.batches[i].data;
            steady++;
        }
        made.iterations += (long)run.count;
    }
    made.mean_iteration /= steady;
    made.mean_step /= steady;
    if (made.iterations == 0)
        return dlq_error_add(arena->error, DLQ_NO_ANSWER,
                             "the log has no iteration whose data time and duration are known");
    NEW(arena, made.links, count);
    NEW(arena, waits, count);
    NEW(arena, run.delivered, count);
    NEW(arena, run.ended, count);
    for (size_t i = 0; i < count; i++)
        if (is_known(&batches[i]))
            waits[n++] = batches[i].data;
    dlq_find_stalls(waits, n, made.mean_iteration, 0, &made.receive, &made.stall_above);
    for (size_t at = 0; next_run(batches, count, &at, &run);) {
        double now = 0;
        for (size_t i = 0; i < run.count; i++) {
            run.delivered[i] = now + run.batches[i].data;
            now += run.batches[i].iter;
            run.ended[i] = now;
        }
        for (size_t w = 0; w < run.loaders; w++) {
            const struct dlq_link *before = NULL;
            for (size_t i = w; i < run.count; i += run.loaders) {
                struct dlq_link *link = &made.links[made.count++];
                *link = link_of(&made, &run, i, before);
                before = link;
                made.exact += link->exact && link->counts;
                made.clear += link->counts && link->clear;
                made.counted += link->counts;
            }
        }
    }
    *links = made;
    return DLQ_OK;
}
