/* Upper bounds of what loads and steps too rare for an experiment add to its mean times. */
#include "sim/session.h"

/* What the part of the draws above x adds to the mean and to the second moment. */
struct tail {
    double mean, square; /* E[(D - x)+]; E[D^2] - E[min(D, x)^2] = 2 E[(D - x)+ x] + E[(D - x)+^2] */
};

/* An event counts as rare if its share of the draws is below DLQ_FEW_EVENTS / least_draws. */
static const double least_draws = 1000;
/* A 95 % interval covers `covered` standard errors. Less than `negligible` of the time per batch is not reported. */
static const double covered = 2, negligible = 1e-4;

/* The integrals of S(u) and 2 u S(u) from x up, S being the survival function, by Gauss-Legendre's three points
   (Abramowitz & Stegun 1964, table 25.4) in pieces of growing width. Check: exponential of mean 1: e^-x and
   2 (x + 1) e^-x. */
static struct tail tail_of(const struct dlq_dist *dist, double x)
{
    static const double nodes[] = {0.11270166537925831, 0.5, 0.88729833462074169},
                        weights[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    struct tail tail = {0};
    double sd = sqrt(dist->variance), width = fmin(x > 0 ? x / 8 : INFINITY, sd / 2);
    for (int pieces = 0; pieces < 400 && width > 0 && isfinite(width) && isfinite(x); pieces++) {
        double mean = 0, square = 0;
        for (int k = 0; k < 3; k++) {
            double u = x + nodes[k] * width, beyond = weights[k] * width * dlq_dist_survival(dist, u);
            mean += beyond;
            square += 2 * u * beyond;
        }
        tail.mean += mean;
        tail.square += square;
        if (mean <= 1e-6 * tail.mean && square <= 1e-6 * tail.square)
            break;
        x += width;
        width *= pieces % 4 == 3 ? 2 : 1;
    }
    tail.mean = fmin(tail.mean, dist->mean);
    tail.square = fmin(tail.square, dist->variance + dist->mean * dist->mean);
    return tail;
}

struct sums {
    double missed, seen;      /* s per batch; variance of what is not rare, s^2 per batch */
    double most, expected;    /* the most that a stage adds to `missed`, and how often that occurs */
    double variance, by_rare; /* s^2 per batch; sum of variance / occurrences over stages with a probability */
};

/* A work whose draws are multiplied by `scale` and drawn for `draws` batches; a batch waits for `copies` of it,
   `longest` s for each at most. Rounding adds a tick at most, which may be the whole time of stages with a
   probability. */
struct drawn {
    const struct dlq_work *work;
    double scale, draws, copies, longest, tick;
};

static void add_stage(const struct drawn *drawn, const struct dlq_stage *stage, struct sums *sums)
{
    const struct dlq_dist *dist = &stage->dist;
    double units = stage->per_sample ? (double)drawn->work->batch_size : 1, q = stage->probability;
    units /= (double)(stage->every > 1 ? stage->every : 1);
    double weight = drawn->copies * units * q, square = drawn->scale * drawn->scale;
    double occurrences = drawn->draws * units * q, beyond = occurrences;
    double tick = q < 1 ? drawn->tick / drawn->scale : 0, mean = dist->mean + tick;
    double second = dist->variance + mean * mean;
    struct tail tail = {0};
    if (q < 1 && occurrences < DLQ_FEW_EVENTS) {
        tail = (struct tail){mean, second};
    } else if (dist->variance > 0) {
        double p = fmin(DLQ_FEW_EVENTS / occurrences, DLQ_FEW_EVENTS / least_draws);
        tail = tail_of(dist, dlq_dist_upper(dist, p));
        beyond = occurrences * p;
    }
    double added = weight * fmin(drawn->scale * tail.mean, drawn->longest), rest = mean - tail.mean;
    double variance = weight * square * (second - q * mean * mean);
    sums->missed += added;
    sums->expected = added > sums->most ? beyond : sums->expected;
    sums->most = fmax(added, sums->most);
    sums->seen += isfinite(second) ? weight * square * fmax(second - tail.square - q * rest * rest, 0) : 0;
    sums->variance += variance;
    sums->by_rare += q < 1 ? variance / occurrences : 0;
}

/* A load that takes longer delays the trainer by at most the difference, on each rank and with the slowest loader. So
   at most R E[(S - x)+] + E[(T - x)+] is missed per batch (theory 23). */
void dlq_rare_find(const struct dlq_system *system, const struct dlq_experiment *experiment, struct dlq_rare *rare)
{
    const struct dlq_pipeline *pipeline = &system->pipeline;
    bool slow = pipeline->slow_loaders > 0 || pipeline->slow_ranks > 0;
    double ranks = (double)pipeline->ranks;
    const double batches = experiment->batches, horizon = experiment->horizon;
    const double shared = fmax(dlq_system_cpu_factor(system), dlq_system_storage_factor(system));
    const double scale = (slow ? pipeline->slow_factor : 1) * (shared / dlq_system_threads(system));
    const struct dlq_work extra = dlq_system_extra_work(system);
    const struct drawn works[] = {{&system->load, scale, batches * ranks, ranks, horizon, experiment->resolution},
                                  {&system->step, 1, batches, 1, horizon, 0},
                                  {&extra, 1, batches, 1, horizon, 0}};
    struct sums sums = {0};
    for (size_t k = 0; k < sizeof works / sizeof *works; k++)
        for (size_t i = 0; works[k].work->mean > 0 && i < works[k].work->count; i++)
            add_stage(&works[k], &works[k].work->stages[i], &sums);
    bool exceeds_interval = sums.missed > covered * sqrt(sums.seen / batches);
    *rare = (struct dlq_rare){
        .missed = exceeds_interval && sums.missed > negligible * experiment->seconds ? sums.missed : 0,
        .expected = sums.expected,
        .events = sums.by_rare > 0 && isfinite(sums.variance) ? sums.variance / sums.by_rare : INFINITY,
    };
}

static bool misses(const struct dlq_system *system, struct dlq_experiment experiment, double batches)
{
    struct dlq_rare rare;
    experiment.batches = batches;
    dlq_rare_find(system, &experiment, &rare);
    return rare.missed > 0;
}

double dlq_rare_batches(const struct dlq_system *system, const struct dlq_experiment *experiment)
{
    double low = experiment->batches, high = low;
    while (high < 1e15 && misses(system, *experiment, high)) {
        low = high;
        high *= 2;
    }
    if (high >= 1e15)
        return INFINITY;
    while (high > 1.01 * low)
        *(misses(system, *experiment, sqrt(low * high)) ? &low : &high) = sqrt(low * high);
    return high;
}
