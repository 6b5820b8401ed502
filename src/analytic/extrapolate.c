/* Reduced rank extrapolation (Eddy 1979, "Extrapolating to the limit of a vector sequence"), carried out by orthogonal
   directions (Sidi 1991, "Efficient implementation of minimal polynomial and reduced rank extrapolation methods",
   Journal of Computational and Applied Mathematics 36): from x_0 .. x_{k+1} with differences D_j = x_{j+1} - x_j, the
   weights g of sum 1 that minimize |sum_j g_j D_j|, and on from sum_j g_j x_j. For a linear map that is GMRES(k),
   restarted. */
#include "analytic/analytic.h"
#include "base/arena.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

struct cycle {
    size_t size;
    double *start; /* x_0; after an extrapolation what it led from, owned; the directions lie behind it */
    double worth;  /* how much that was still changing; INFINITY: no extrapolation */
    double triangle[DLQ_MOST_DIRECTIONS][DLQ_MOST_DIRECTIONS]; /* [row][column]: D = directions * triangle */
    int count;
    bool closed; /* the last difference lies in the span of those before */
};

static double *direction_of(const struct cycle *cycle, int i)
{
    return cycle->start + (size_t)(i + 1) * cycle->size;
}

static double dot(const double *a, const double *b, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add_multiple(double *to, double factor, const double *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] += factor * from[i];
}

/* direction holds map(shares): turns it into the difference, moves shares on, and tells sum |difference|. */
static double advance(double *shares, double *direction, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++) {
        double mapped = direction[i];
        direction[i] = mapped - shares[i];
        shares[i] = mapped;
        sum += fabs(direction[i]);
    }
    return sum;
}

/* Takes the newest difference, in directions[count], into the basis (modified Gram-Schmidt). */
static void orthogonalize(struct cycle *cycle)
{
    int new = cycle->count++;
    double *direction = direction_of(cycle, new);
    double whole = sqrt(dot(direction, direction, cycle->size));
    for (int i = 0; i < new; i++) {
        cycle->triangle[i][new] = dot(direction_of(cycle, i), direction, cycle->size);
        add_multiple(direction, -cycle->triangle[i][new], direction_of(cycle, i), cycle->size);
    }
    double left = sqrt(dot(direction, direction, cycle->size));
    cycle->closed = left <= 1e-12 * whole;
    cycle->triangle[new][new] = cycle->closed ? 1e-12 * whole : left;
    for (size_t i = 0; i < cycle->size; i++)
        direction[i] /= cycle->triangle[new][new];
}

/* shares = x_0 + sum_j (1 - g_0 - ... - g_j) D_j, with weights g of R' R g ~ (1, ..., 1), sum 1; what they were is kept
   in start. None negative, sum 1: where nothing is left of them they stay. */
static void extrapolate(struct cycle *cycle, double change, double *shares)
{
    double weights[DLQ_MOST_DIRECTIONS] = {0}, all = 0, sum = 0, left = 1;
    const int count = cycle->count - 1;
    for (int i = 0; i < cycle->count; i++) {
        weights[i] = 1;
        for (int j = 0; j < i; j++)
            weights[i] -= cycle->triangle[j][i] * weights[j];
        weights[i] /= cycle->triangle[i][i];
    }
    for (int i = cycle->count - 1; i >= 0; i--) {
        for (int j = i + 1; j < cycle->count; j++)
            weights[i] -= cycle->triangle[i][j] * weights[j];
        weights[i] /= cycle->triangle[i][i];
        all += weights[i];
    }
    for (int i = 0; i < count; i++) { /* the weights become the steps */
        left -= weights[i] / all;
        weights[i] = left;
    }
    for (int i = 0; i < count; i++) {
        double factor = 0;
        for (int j = i; j < count; j++)
            factor += cycle->triangle[i][j] * weights[j];
        add_multiple(cycle->start, factor, direction_of(cycle, i), cycle->size);
    }
    cycle->count = 0;
    for (size_t i = 0; i < cycle->size; i++) {
        cycle->start[i] = fmax(cycle->start[i], 0);
        sum += cycle->start[i];
    }
    if (count == 0 || !(sum > 0) || !isfinite(sum))
        return;
    for (size_t i = 0; i < cycle->size; i++) {
        double before = shares[i];
        shares[i] = cycle->start[i] / sum;
        cycle->start[i] = before;
    }
    cycle->worth = change;
}

/* Applies the map once. An extrapolation that made things worse is taken back; else a cycle may begin. */
static double apply(const struct dlq_fixed_point *problem, struct cycle *cycle, double *shares, double *figure)
{
    double *direction = direction_of(cycle, cycle->count);
    *figure = problem->map(problem->context, shares, direction);
    if (cycle->count > 0)
        return advance(shares, direction, cycle->size);
    double change = 0;
    for (size_t i = 0; i < cycle->size; i++)
        change += fabs(direction[i] - shares[i]);
    if (change > cycle->worth) {
        memcpy(shares, cycle->start, cycle->size * sizeof *shares);
        *figure = problem->map(problem->context, shares, direction);
    }
    cycle->worth = INFINITY;
    memcpy(cycle->start, shares, cycle->size * sizeof *shares);
    return advance(shares, direction, cycle->size);
}

/* Once the shares stand still no more is extrapolated: plain iteration, free of subtraction, brings small ones right.
 */
static enum dlq_status find(struct dlq_arena *arena, const struct dlq_fixed_point *problem, double *found,
                            double *figure)
{
    struct cycle cycle = {.size = problem->size, .worth = INFINITY};
    double before = NAN, change = INFINITY, now, *shares;
    NEW(arena, shares, problem->size);
    NEW(arena, cycle.start, ((size_t)problem->directions + 1) * problem->size);
    memcpy(shares, found, problem->size * sizeof *shares);
    for (long n = 0; n < problem->most; n++) {
        if (problem->interrupted != NULL && *problem->interrupted != 0)
            return DLQ_INTERRUPTED;
        bool still = change <= problem->tolerance;
        cycle.count = still ? 0 : cycle.count;
        change = apply(problem, &cycle, shares, &now);
        if (change <= problem->tolerance && fabs(now - before) <= problem->rest * now) {
            memcpy(found, shares, problem->size * sizeof *found);
            *figure = now;
            return DLQ_OK;
        }
        before = now;
        if (still)
            continue;
        orthogonalize(&cycle);
        if (cycle.count == problem->directions || cycle.closed) {
            extrapolate(&cycle, change, shares);
            before = NAN;
        }
    }
    return dlq_error_add(arena->error, DLQ_FAILURE, "no convergence in %ld iterations: still changing by %.2g",
                         problem->most, change);
}

enum dlq_status dlq_fixed_point_find(const struct dlq_fixed_point *problem, double *shares, double *figure,
                                     struct dlq_error *error)
{
    struct dlq_arena arena = {.error = error, .doing = "solving the Markov chain"};
    enum dlq_status status = find(&arena, problem, shares, figure);
    dlq_arena_end(&arena);
    return status;
}
