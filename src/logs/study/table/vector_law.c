/* The scaling law, the likelihood of a table and the prior, of all particles at once. */
#include "base/elementary.h"
#include "logs/study/table/table.h"

#define LIKELIHOOD DLQ_FOR_SET(dlq_table_posterior)
#define LAW DLQ_FOR_SET(dlq_table_law)

/* exp(x), with x limited to the range of dlq_exp_core; beyond it the result does not matter. */
static inline double exponential(double x)
{
    return dlq_exp_core(x < -700 ? -700 : x > 700 ? 700 : x);
}

static inline double sharpness_from(double log_sharpness)
{
    const double least = LOG_SHARPNESS_LEAST, most = LOG_SHARPNESS_MOST;
    return dlq_exp_core(log_sharpness < least ? least : log_sharpness > most ? most : log_sharpness);
}

/* ln(S/P), S/P = 1 / (1 + e^-u) */
static inline double log_share(double u)
{
    return -dlq_log_core(1 + exponential(-u));
}

void LAW(const struct problem *problem, const struct particles *particles, const struct level *level, double *logs)
{
    const double *plateau = particles->values[PLATEAU], *loads = particles->values[LOADS];
    const double *sharpness = particles->values[SHARPNESS], *overhead = particles->values[OVERHEAD];
    const double *pace = particles->values[PACE], *step = particles->values[STEP];
    const double part = level->log_part, count = level->count;
    if (count < 1) {
        const double with_step = problem->no_steps ? 0 : 1;
        for (size_t i = 0; i < PARTICLES; i++)
            logs[i] = plateau[i] +
                      dlq_log_core(exponential(pace[i] + loads[i]) + with_step * exponential(log_share(step[i])));
        return;
    }
    /* ln y = ln P + ln(((W/nP)^k + 1)^(1/k) + b n/P); the larger of the two powers is factored out. */
    for (size_t i = 0; i < PARTICLES; i++) {
        const double k = sharpness_from(sharpness[i]), above = loads[i] + part;
        const double larger = above > 0 ? above : 0, difference = above > 0 ? above : -above;
        const double core = larger + dlq_log_core(1 + exponential(-k * difference)) / k;
        logs[i] = plateau[i] + dlq_log_core(exponential(core) + exponential(overhead[i]) * count);
    }
}

/* For each particle the product of `count` factors 1 + r^2/3 of residuals r. With at most MOST_FACTORS of them it stays
   below the largest double. */
struct factors {
    double product[PARTICLES];
    size_t count;
};
enum { MOST_FACTORS = 16 };

/* Adds -(3 + 1)/2 times the log of the product (Student's t with 3 degrees of freedom, without its constant), and
   starts a new product. */
static void flush(struct factors *factors, double *likelihood)
{
    for (size_t i = 0; i < PARTICLES; i++) {
        likelihood[i] -= 2 * dlq_log_core(factors->product[i]);
        factors->product[i] = 1;
    }
    factors->count = 0;
}

static void add_residuals(const double *logs, size_t count, const double *predicted, const double *scale,
                          struct factors *factors, double *likelihood)
{
    for (size_t k = 0; k < count; k++) {
        const double log = logs[k];
        for (size_t i = 0; i < PARTICLES; i++) {
            double r = (log - predicted[i]) * scale[i], square = r * r;
            factors->product[i] *= 1 + (square < 1e18 ? square : 1e18) / 3;
        }
        if (++factors->count == MOST_FACTORS)
            flush(factors, likelihood);
    }
}

static inline double mixture_log(const struct mixture *mixture, double x)
{
    double a = (x - mixture->mean[0]) / mixture->deviation[0], b = (x - mixture->mean[1]) / mixture->deviation[1];
    return dlq_log_core(mixture->weight[0] / mixture->deviation[0] * exponential(-0.5 * a * a) +
                        mixture->weight[1] / mixture->deviation[1] * exponential(-0.5 * b * b) + 1e-300);
}

void LIKELIHOOD(const struct problem *problem, struct particles *particles)
{
    const double *plateau = particles->values[PLATEAU], *noise = particles->values[NOISE];
    const double *step = particles->values[STEP];
    double predicted[PARTICLES], scale[PARTICLES], *prior = particles->prior, *likelihood = particles->likelihood;
    const double rows = (double)problem->rows;
    struct factors factors = {.count = 0};
    for (size_t i = 0; i < PARTICLES; i++) {
        likelihood[i] = -rows * noise[i];
        scale[i] = exponential(-noise[i]);
        factors.product[i] = 1;
    }
    for (size_t l = 0; l < problem->level_count; l++) {
        const struct level *level = &problem->levels[l];
        LAW(problem, particles, level, predicted);
        add_residuals(level->logs, level->measured, predicted, scale, &factors, likelihood);
    }
    for (size_t i = 0; i < PARTICLES; i++) {
        predicted[i] = plateau[i] + log_share(step[i]);
        scale[i] = 1 / problem->step_noise;
    }
    add_residuals(problem->step_logs, problem->step_log_count, predicted, scale, &factors, likelihood);
    flush(&factors, likelihood);
    if (problem->measured_step)
        for (size_t i = 0; i < PARTICLES; i++)
            likelihood[i] -= 0.5 * dlq_square((predicted[i] - problem->log_step) / STEP_KNOWN);
    for (size_t i = 0; i < PARTICLES; i++)
        prior[i] = -0.5 * dlq_square((plateau[i] - problem->plateau) / PLATEAU_DEVIATION) -
                   0.5 * dlq_square((noise[i] - NOISE_MEAN) / NOISE_DEVIATION) -
                   0.5 * dlq_square(particles->values[PACE][i] / PACE_DEVIATION) -
                   0.5 * dlq_square((step[i] - STEP_MEAN) / STEP_DEVIATION) +
                   mixture_log(&problem->loads, particles->values[LOADS][i]) +
                   mixture_log(&problem->sharpness, particles->values[SHARPNESS][i]) +
                   mixture_log(&problem->overhead, particles->values[OVERHEAD][i]);
}
