/* Timelines of simulated runs, and the usual length of one. */
#include "study/timeline/timeline.h"
#include "sim/measure.h"
#include "sim/simulate.h"
#include "study/model.h"

enum dlq_status dlq_timeline_accept(struct dlq_model *model, struct dlq_error *error)
{
    char why[256];
    TRY(dlq_model_check(model, error));
    bool accepted = dlq_simulate_accepts(&model->system, why, sizeof why);
    return accepted ? DLQ_OK : dlq_model_accept(model, &model->system, error);
}

enum dlq_status dlq_timeline_record(const struct dlq_model *model, const struct dlq_record_span *span,
                                    const struct dlq_run *run, struct dlq_timeline *timeline, struct dlq_error *error)
{
    const struct dlq_system *system = &model->system;
    struct dlq_point point;
    const struct dlq_loader *loader = dlq_system_loader(system);
    dlq_point_make(&point, system, model->simulate.resolution, (enum dlq_start)model->simulate.start);
    struct dlq_timeline recorded = {
        .loader = loader->name,
        .in_order = loader->order == DLQ_ORDER_INDEX,
        .loaders = dlq_system_is_serial(system) ? 0 : system->pipeline.loaders,
        .workers = point.servers,
        .loads_share = dlq_system_shares(system),
        .window = point.window == DLQ_UNBOUNDED ? -1 : point.window,
        .from = span->from,
        .until = span->until,
        .receive = point.receive,
        .stall_above = dlq_stall_above(&point),
        .rank_count = (size_t)point.ranks,
    };
    TRY(dlq_record(system, &model->simulate, span, run, &recorded.ranks, error));
    *timeline = recorded;
    return DLQ_OK;
}

enum dlq_status dlq_timeline_simulate(struct dlq_model *model, double from, double until, const struct dlq_run *run,
                                      struct dlq_timeline *timeline, struct dlq_error *error)
{
    const struct dlq_record_span span = {.from = from, .until = until};
    TRY(dlq_validate_run(run, error));
    TRY(dlq_timeline_accept(model, error));
    dlq_progress_of(model, run);
    return dlq_timeline_record(model, &span, run, timeline, error);
}

double dlq_cache_hit_ratio(const struct dlq_model *model, long epoch)
{
    if (!model->system.cache.given)
        return NAN;
    const struct dlq_hits hits = dlq_system_hits(&model->system);
    return dlq_hit_ratio_of_epoch(&hits, hits.limit ? LONG_MAX : epoch);
}

void dlq_timeline_free(struct dlq_timeline *timeline)
{
    dlq_record_free(timeline->ranks, timeline->rank_count);
    timeline->ranks = NULL;
    timeline->rank_count = 0;
}

/* At least three rounds of the loaders, each as long as the slowest load or as N steps, and twenty steps; with pauses
   that come within SOON steps. */
enum dlq_status dlq_timeline_default_end(struct dlq_model *model, double *until, struct dlq_error *error)
{
    enum { ROUNDS = 3, STEPS = 20, SOON = 200 };
    static const double round[] = {1, 1.5, 2, 3, 4, 5, 6, 8, 10};
    TRY(dlq_timeline_accept(model, error));
    const struct dlq_system *system = &model->system;
    struct dlq_point point;
    dlq_point_make(&point, system, model->simulate.resolution, (enum dlq_start)model->simulate.start);
    bool slow = point.slow_servers > 0 || point.slow_ranks > 0;
    double load = point.load_mean * (slow ? point.slow_factor : 1) *
                  fmax(dlq_system_cpu_factor(system), dlq_system_storage_factor(system));
    double step = fmax(point.step_scale + point.receive + point.barrier, point.pin);
    if (dlq_system_is_serial(system))
        step += load;
    double rounds = fmax(fmax(ROUNDS * load, ROUNDS * (double)point.servers * step), STEPS * step);
    for (size_t i = 0; i < system->pausing; i++)
        if (system->extra.stages[i].every <= SOON)
            rounds = fmax(rounds,
                          (double)(system->extra.stages[i].every + STEPS) * step + system->extra.stages[i].dist.mean);
    /* The first round number above 0.9 times that length. */
    double least = point.startup + (rounds > 0 ? 0.9 * rounds : 1), power = pow(10, floor(log10(least)));
    size_t i = 0;
    while (i + 1 < sizeof round / sizeof *round && round[i] * power < least * (1 - 1e-9)) /* 6 * 0.1 is not 0.6 */
        i++;
    double wanted = round[i] * power, horizon = model->simulate.horizon;
    *until = wanted > horizon ? horizon : wanted;
    return DLQ_OK;
}
