/* Sequential Monte Carlo (Del Moral, Doucet and Jasra 2006, "Sequential Monte Carlo samplers", Journal of the Royal
   Statistical Society B 68): particles drawn from the prior move to the posterior in stages. A stage raises the power
   of the likelihood until the effective sample size is half the number of particles, resamples the particles by their
   weights, and moves them by Metropolis steps. */
#include "base/elementary.h"
#include "dist/dist.h"
#include "logs/study/table/table.h"

#include <math.h>

/* Moves of a stage; lanes of a random stream; bisections of a power; uniform numbers whose sum is a random step. */
enum { MOVES = 6, LANES = 16, BISECTIONS = 9, SUM_OF = 3 };
#define LEAST_RISE 1e-6 /* of the power, in a stage */
#define JITTER 1e-4     /* the largest random addition to a move along a difference */

static dlq_table_posterior *const posteriors[] = DLQ_SETS(dlq_table_posterior);

/* A stream of uniform numbers. */
struct stream {
    struct dlq_lanes lanes;
    uint64_t next;
};

/* Draws `count` numbers, a multiple of LANES. */
static void draw(struct stream *stream, size_t count, double *u)
{
    dlq_fill_uniform(&stream->lanes, 0, stream->next, count / LANES, u);
    stream->next += count / LANES;
}

static struct stream stream_of(uint64_t seed, uint32_t purpose)
{
    return (struct stream){.lanes = {.seed = seed, .purpose = purpose, .count = LANES, .set = dlq_instructions_best()}};
}

void dlq_table_noise(uint64_t seed, double normal[PARTICLES], double student[PARTICLES])
{
    enum { DEGREES = 3 };
    double u[PARTICLES];
    struct stream stream = stream_of(seed, DLQ_PURPOSE_NOISE);
    draw(&stream, PARTICLES, u);
    for (size_t i = 0; i < PARTICLES; i++)
        normal[i] = dlq_normal_upper_at(u[i]);
    draw(&stream, PARTICLES, u);
    for (size_t i = 0; i < PARTICLES; i++)
        student[i] = dlq_normal_upper_at(u[i]);
    double squares[PARTICLES] = {0};
    for (int k = 0; k < DEGREES; k++) {
        draw(&stream, PARTICLES, u);
        for (size_t i = 0; i < PARTICLES; i++)
            squares[i] += dlq_square(dlq_normal_upper_at(u[i]));
    }
    for (size_t i = 0; i < PARTICLES; i++)
        student[i] /= sqrt(squares[i] / DEGREES);
}

/* -- the prior -- */

static void draw_normal(struct stream *stream, double mean, double deviation, double x[PARTICLES])
{
    draw(stream, PARTICLES, x);
    for (size_t i = 0; i < PARTICLES; i++)
        x[i] = mean + deviation * dlq_normal_upper_at(x[i]);
}

static void draw_mixture(struct stream *stream, const struct mixture *mixture, double x[PARTICLES])
{
    double u[PARTICLES];
    draw(stream, PARTICLES, u);
    draw(stream, PARTICLES, x);
    for (size_t i = 0; i < PARTICLES; i++) {
        int part = u[i] >= mixture->weight[0];
        x[i] = mixture->mean[part] + mixture->deviation[part] * dlq_normal_upper_at(x[i]);
    }
}

static void draw_prior(const struct problem *problem, struct stream *stream, struct particles *particles)
{
    draw_normal(stream, problem->plateau, PLATEAU_DEVIATION, particles->values[PLATEAU]);
    draw_mixture(stream, &problem->loads, particles->values[LOADS]);
    draw_mixture(stream, &problem->sharpness, particles->values[SHARPNESS]);
    draw_mixture(stream, &problem->overhead, particles->values[OVERHEAD]);
    draw_normal(stream, NOISE_MEAN, NOISE_DEVIATION, particles->values[NOISE]);
    draw_normal(stream, 0, PACE_DEVIATION, particles->values[PACE]);
    draw_normal(stream, STEP_MEAN, STEP_DEVIATION, particles->values[STEP]);
}

/* -- a stage -- */

/* Sets the weights for a rise of the power; returns the effective sample size, (sum w)^2 / sum w^2. */
static double weigh(const struct particles *particles, double rise, double weights[PARTICLES])
{
    double most = particles->likelihood[0], sum = 0, squares = 0;
    for (size_t i = 1; i < PARTICLES; i++)
        most = particles->likelihood[i] > most ? particles->likelihood[i] : most;
    for (size_t i = 0; i < PARTICLES; i++) {
        double log_weight = rise * (particles->likelihood[i] - most);
        weights[i] = dlq_exp_core(log_weight > -700 ? log_weight : -700);
    }
    for (size_t i = 0; i < PARTICLES; i++) {
        sum += weights[i];
        squares += weights[i] * weights[i];
    }
    return sum * sum / squares;
}

/* Finds the next power by bisection of the log of the rise, and sets the weights for it. */
static double raise(const struct particles *particles, double power, double weights[PARTICLES])
{
    double low = LEAST_RISE, high = 1 - power;
    if (weigh(particles, high, weights) >= 0.5 * PARTICLES)
        return 1;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = sqrt(low * high);
        if (weigh(particles, middle, weights) < 0.5 * PARTICLES)
            high = middle;
        else
            low = middle;
    }
    weigh(particles, low, weights);
    return power + low;
}

/* Systematic resampling: one uniform number places PARTICLES points at equal distances on the weights' sum. */
static void resample(const double weights[PARTICLES], double u, struct particles *particles, struct particles *spare)
{
    double sum = 0, reached = 0;
    size_t source = 0;
    for (size_t i = 0; i < PARTICLES; i++)
        sum += weights[i];
    *spare = *particles;
    reached = weights[0];
    for (size_t i = 0; i < PARTICLES; i++) {
        double point = (u + (double)i) / PARTICLES * sum;
        while (reached < point && source + 1 < PARTICLES)
            reached += weights[++source];
        for (size_t p = 0; p < PARAMETERS; p++)
            particles->values[p][i] = spare->values[p][source];
        particles->prior[i] = spare->prior[source];
        particles->likelihood[i] = spare->likelihood[source];
    }
}

/* The lower triangle L with L L' = the covariance of the particles (Cholesky). */
static void factorize(const struct particles *particles, double factor[PARAMETERS][PARAMETERS])
{
    double mean[PARAMETERS] = {0};
    for (size_t p = 0; p < PARAMETERS; p++) {
        for (size_t i = 0; i < PARTICLES; i++)
            mean[p] += particles->values[p][i];
        mean[p] /= PARTICLES;
    }
    for (size_t p = 0; p < PARAMETERS; p++) {
        for (size_t q = 0; q <= p; q++) {
            double sum = 0;
            for (size_t i = 0; i < PARTICLES; i++)
                sum += (particles->values[p][i] - mean[p]) * (particles->values[q][i] - mean[q]);
            sum = sum / (PARTICLES - 1) + (p == q ? 1e-9 : 0);
            for (size_t k = 0; k < q; k++)
                sum -= factor[p][k] * factor[q][k];
            factor[p][q] = p == q ? sqrt(sum > 1e-12 ? sum : 1e-12) : sum / factor[q][q];
        }
    }
}

struct workspace {
    double u[PARTICLES * PARAMETERS * SUM_OF], weights[PARTICLES];
    struct particles spare;
    double factor[PARAMETERS][PARAMETERS];
};

/* Proposes a random walk: steps of 2.38/sqrt(d) in d dimensions (Gelman, Roberts and Gilks 1996), some of them shorter,
   with the covariance of the particles. A step has to be as likely as its opposite, but not normal. */
static void walk(const struct particles *particles, size_t dimensions, struct stream *stream, struct workspace *work)
{
    const double full = 2.38 / sqrt((double)dimensions);
    double z[PARAMETERS];
    draw(stream, PARTICLES * dimensions * SUM_OF, work->u);
    draw(stream, PARTICLES, work->weights);
    for (size_t i = 0; i < PARTICLES; i++) {
        const double *u = work->u + i * dimensions * SUM_OF, scale = full * (work->weights[i] < 0.5 ? 0.3 : 1);
        for (size_t p = 0; p < dimensions; p++)
            z[p] = 2 * (u[SUM_OF * p] + u[SUM_OF * p + 1] + u[SUM_OF * p + 2] - 1.5);
        for (size_t p = 0; p < dimensions; p++) {
            double sum = 0;
            for (size_t q = 0; q <= p; q++)
                sum += work->factor[p][q] * z[q];
            work->spare.values[p][i] = particles->values[p][i] + scale * sum;
        }
    }
}

/* Proposes steps of differential evolution (ter Braak 2006): along the difference of two other particles. */
static void evolve(const struct particles *particles, size_t dimensions, struct stream *stream, double times,
                   struct workspace *work)
{
    const size_t each = dimensions + 2;
    const double scale = times * 2.38 / sqrt(2 * (double)dimensions);
    draw(stream, PARTICLES * each, work->u);
    for (size_t i = 0; i < PARTICLES; i++) {
        const double *u = work->u + i * each;
        const size_t a = (size_t)(u[0] * PARTICLES), b = (size_t)(u[1] * PARTICLES);
        for (size_t p = 0; p < dimensions; p++)
            work->spare.values[p][i] = particles->values[p][i] +
                                       scale * (particles->values[p][a] - particles->values[p][b]) +
                                       JITTER * (2 * u[p + 2] - 1);
    }
}

/* Accepts or rejects the proposals in work->spare (Metropolis). */
static void accept(const struct problem *problem, double power, struct stream *stream, struct particles *particles,
                   struct workspace *work)
{
    struct particles *spare = &work->spare;
    posteriors[dlq_instructions_best()](problem, spare);
    draw(stream, PARTICLES, work->weights);
    for (size_t i = 0; i < PARTICLES; i++) {
        double gain = spare->prior[i] - particles->prior[i] + power * (spare->likelihood[i] - particles->likelihood[i]);
        if (!(dlq_log_core(work->weights[i]) < gain))
            continue;
        for (size_t p = 0; p < PARAMETERS; p++)
            particles->values[p][i] = spare->values[p][i];
        particles->prior[i] = spare->prior[i];
        particles->likelihood[i] = spare->likelihood[i];
    }
}

enum dlq_status dlq_table_sample(const struct problem *problem, uint64_t seed, struct dlq_arena *arena,
                                 struct particles *particles)
{
    const size_t dimensions = problem->parameters;
    struct stream stream = stream_of(seed, DLQ_PURPOSE_PARTICLES);
    struct workspace *work;
    double power = 0, u[LANES];
    NEW(arena, work, 1);
    draw_prior(problem, &stream, particles);
    posteriors[dlq_instructions_best()](problem, particles);
    while (power < 1) {
        power = raise(particles, power, work->weights);
        draw(&stream, LANES, u);
        resample(work->weights, u[0], particles, &work->spare);
        factorize(particles, work->factor);
        work->spare = *particles; /* for the parameters that do not move */
        for (int move = 0; move < (power < 1 ? MOVES : 2 * MOVES); move++) {
            if (move % 2 == 0)
                walk(particles, dimensions, &stream, work);
            else
                evolve(particles, dimensions, &stream, move % 6 == 5 ? 2 : 1, work);
            accept(problem, power, &stream, particles, work);
        }
    }
    return DLQ_OK;
}
