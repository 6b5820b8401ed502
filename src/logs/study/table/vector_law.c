/* The scaling law, the likelihood of a table and the prior, of all particles at once. */
#include "base/elementary.h"
#include "logs/study/table/table.h"

#define LIKELIHOOD DLQ_FOR_SET(dlq_table_posterior)
#define LAW DLQ_FOR_SET(dlq_table_law)

/* Where a result is too small to matter, exp and log stay within the range of the cores. */
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
    /* ln y = ln P + ln(((W/nP)^k + 1)^(1/k) + b n/P); the larger of the two powers stands before the bracket. */
    for (size_t i = 0; i < PARTICLES; i++) {
        const double k = sharpness_from(sharpness[i]), above = loads[i] + part;
        const double larger = above > 0 ? above : 0, apart = above > 0 ? above : -above;
        const double core = larger + dlq_log_core(1 + exponential(-k * apart)) / k;
        logs[i] = plateau[i] + dlq_log_core(exponential(core) + exponential(overhead[i]) * count);
    }
}

/* Brackets 1 + r^2/3 of residuals r, multiplied; the product of so many stays below the largest double. */
struct brackets {
    double product[PARTICLES];
    size_t count;
};
enum { MOST_BRACKETS = 16 };

/* Adds -(3 + 1)/2 times the log of the product: Student's t with 3 degrees of freedom, without its constant. */
static void flush(struct brackets *brackets, double *likelihood)
{
    for (size_t i = 0; i < PARTICLES; i++) {
        likelihood[i] -= 2 * dlq_log_core(brackets->product[i]);
        brackets->product[i] = 1;
    }
    brackets->count = 0;
}

static void add_residuals(const double *logs, size_t count, const double *predicted, const double *scale,
                          struct brackets *brackets, double *likelihood)
{
    for (size_t k = 0; k < count; k++) {
        const double log = logs[k];
        for (size_t i = 0; i < PARTICLES; i++) {
            double r = (log - predicted[i]) * scale[i], square = r * r;
            brackets->product[i] *= 1 + (square < 1e18 ? square : 1e18) / 3;
        }
        if (++brackets->count == MOST_BRACKETS)
            flush(brackets, likelihood);
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
    struct brackets brackets = {.count = 0};
    for (size_t i = 0; i < PARTICLES; i++) {
        likelihood[i] = -rows * noise[i];
        scale[i] = exponential(-noise[i]);
        brackets.product[i] = 1;
    }
    for (size_t l = 0; l < problem->level_count; l++) {
        const struct level *level = &problem->levels[l];
        LAW(problem, particles, level, predicted);
        add_residuals(level->logs, level->measured, predicted, scale, &brackets, likelihood);
    }
    for (size_t i = 0; i < PARTICLES; i++) {
        predicted[i] = plateau[i] + log_share(step[i]);
        scale[i] = 1 / STEP_NOISE;
    }
    add_residuals(problem->step_logs, problem->step_log_count, predicted, scale, &brackets, likelihood);
    flush(&brackets, likelihood);
    if (problem->measured_step)
        for (size_t i = 0; i < PARTICLES; i++)
            likelihood[i] -= 0.5 * dlq_square((predicted[i] - problem->log_step) / STEP_KNOWN);
    for (size_t i = 0; i < PARTICLES; i++)
        prior[i] = -0.5 * dlq_square((plateau[i] - problem->plateau) / PLATEAU_DEVIATION) -
                   0.5 * dlq_square((noise[i] - NOISE_MEAN) / NOISE_DEVIATION) -
                   0.5 * dlq_square(particles->values[PACE][i] / PACE_DEVIATION) -
                   0.5 * dlq_square(step[i] / STEP_DEVIATION) +
                   mixture_log(&problem->loads, particles->values[LOADS][i]) +
                   mixture_log(&problem->sharpness, particles->values[SHARPNESS][i]) +
                   mixture_log(&problem->overhead, particles->values[OVERHEAD][i]);
}
