#include "study/moments.h"

#include "base/elementary.h"
#include "dist/dist.h"
#include "sim/group.h"
#include "stats/stats.h"

#include <stdlib.h>

/* Steps that are looked at, after a warm-up; halvings of a bracket. */
enum { STEPS = 16384, WARM_UP = 2048, HALVINGS = 30 };

struct dlq_mimic {
    struct dlq_mimic_question question;
    struct dlq_point point;
    struct dlq_group *group;
    size_t count, ahead;             /* steps; loads beyond them */
    double *normals, *loads, *steps; /* draws: standard normal, and of mean 1 */
    double *delivered, *finished;
};

void dlq_mimic_end(struct dlq_mimic *mimic)
{
    if (mimic == NULL)
        return;
    dlq_group_free(mimic->group);
    free(mimic->normals);
    free(mimic->loads);
    free(mimic->steps);
    free(mimic->delivered);
    free(mimic->finished);
    free(mimic);
}

/* The lognormal draw of mean 1. */
static double lognormal(double normal, double cv)
{
    double variance = dlq_log1p(cv * cv);
    return dlq_exp(sqrt(variance) * normal - variance / 2);
}

static void draw(struct dlq_mimic *mimic, gsl_rng *rng)
{
    dlq_stream_start(rng, mimic->question.seed, 0, 0, DLQ_PURPOSE_LOAD);
    for (size_t i = 0; i < mimic->count + mimic->ahead; i++)
        mimic->normals[i] = dlq_normal_upper_at(gsl_rng_uniform_pos(rng));
    dlq_stream_start(rng, mimic->question.seed, 0, 0, DLQ_PURPOSE_STEP);
    for (size_t i = 0; i < mimic->count; i++)
        mimic->steps[i] = lognormal(dlq_normal_upper_at(gsl_rng_uniform_pos(rng)), mimic->question.step_cv);
}

enum dlq_status dlq_mimic_begin(struct dlq_mimic **mimic, const struct dlq_mimic_question *question,
                                struct dlq_error *error)
{
    struct dlq_mimic *begun = calloc(1, sizeof *begun);
    gsl_rng *rng = gsl_rng_alloc(dlq_stream_type);
    bool enough = begun != NULL && rng != NULL;
    if (enough) {
        begun->question = *question;
        dlq_point_make(&begun->point, question->system, 0, DLQ_START_TOGETHER);
        begun->point.step_scale = question->step_mean;
        begun->count = STEPS + WARM_UP + 4 * (size_t)dlq_system_in_flight(question->system);
        begun->ahead = begun->point.kernel->ahead(&begun->point);
        begun->normals = calloc(begun->count + begun->ahead, sizeof *begun->normals);
        begun->loads = calloc(begun->count + begun->ahead, sizeof *begun->loads);
        begun->steps = calloc(begun->count, sizeof *begun->steps);
        begun->delivered = calloc(begun->count, sizeof *begun->delivered);
        begun->finished = calloc(begun->count, sizeof *begun->finished);
        begun->group = dlq_group_new(&begun->point);
        enough = begun->normals != NULL && begun->loads != NULL && begun->steps != NULL && begun->delivered != NULL &&
                 begun->finished != NULL && begun->group != NULL;
    }
    if (enough)
        draw(begun, rng);
    if (rng != NULL)
        gsl_rng_free(rng);
    if (enough) {
        *mimic = begun;
        return DLQ_OK;
    }
    dlq_mimic_end(begun);
    return dlq_error_memory(error, "simulating a log");
}

void dlq_mimic_moments(struct dlq_mimic *mimic, double mean, double cv, struct dlq_moments *moments)
{
    struct dlq_spread all = {0}, windows = {0}, window = {0};
    double stalled = 0;
    struct dlq_block block = {.loads = mimic->loads, .steps = mimic->steps, .stride = mimic->count + mimic->ahead};
    mimic->point.load_scale = mean / dlq_system_threads(mimic->question.system);
    for (size_t i = 0; i < mimic->count + mimic->ahead; i++)
        mimic->loads[i] = lognormal(mimic->normals[i], cv);
    dlq_group_reset(mimic->group);
    dlq_group_epoch(mimic->group, 0, NULL, 0, LONG_MAX);
    dlq_group_advance(mimic->group, &block, mimic->count, mimic->delivered, mimic->finished);
    for (size_t i = mimic->count - STEPS; i < mimic->count; i++) {
        double wait = mimic->delivered[i] - mimic->finished[i - 1];
        dlq_spread_add(&all, wait, 1);
        dlq_spread_add(&window, wait, 1);
        stalled += wait > mimic->question.stall_above;
        if (window.count >= (double)mimic->question.window) {
            dlq_spread_add(&windows, window.mean, 1);
            window = (struct dlq_spread){0};
        }
    }
    *moments = (struct dlq_moments){.mean = all.mean,
                                    .stalled = stalled / STEPS,
                                    .spread = sqrt(dlq_spread_variance(&all)),
                                    .windows = sqrt(dlq_spread_variance(&windows))};
}

/* Every time rises with every load, so that one mean fits. */
double dlq_mimic_mean(struct dlq_mimic *mimic, double cv, double wait, double most)
{
    double low = 0, high = most;
    for (int k = 0; k < HALVINGS && high - low > 1e-4 * high; k++) {
        struct dlq_moments moments;
        double middle = (low + high) / 2;
        dlq_mimic_moments(mimic, middle, cv, &moments);
        *(moments.mean < wait ? &low : &high) = middle;
    }
    return (low + high) / 2;
}
