#include "dist/likelihood.h"
#include "model/model.h"
#include "study/evidence.h"

#include <math.h>

static void put_work(struct dlq_work *work, const struct dlq_fitted *law)
{
    *work = (struct dlq_work){.batch_size = 1, .count = law->has_tail ? 2 : 1};
    work->stages[0] = (struct dlq_stage){.probability = 1, .family = law->family, .parameters = law->parameters};
    work->stages[0].dist = law->dist;
    if (law->has_tail) {
        work->stages[1] = (struct dlq_stage){.probability = law->tail_probability, .family = law->tail_family};
        work->stages[1].parameters = law->tail_parameters;
        work->stages[1].dist = law->tail;
    }
    dlq_work_refresh(work);
}

enum dlq_status dlq_evidence_system_of(const struct dlq_load_evidence *evidence, const struct dlq_fitted *load,
                                       const struct dlq_fitted *step, const struct dlq_measured_overheads *overheads,
                                       struct dlq_system *system, struct dlq_error *error)
{
    char why[256];
    struct dlq_system made = {
        .pipeline = {.loader = dlq_loader_index(dlq_loader_find(evidence->loader)),
                     .loaders = evidence->loaders,
                     .prefetch = evidence->prefetch,
                     .ranks = 1,
                     .batch_size = 1,
                     .slow_factor = 1},
        .overheads = {.startup = overheads->startup,
                      .dispatch = overheads->dispatch,
                      .deliver = overheads->deliver,
                      .receive = overheads->receive},
        .host = {.cores = NAN,
                 .memory = NAN,
                 .shm = NAN,
                 .bandwidth = NAN,
                 .loader_memory = NAN,
                 .batch_bytes = NAN,
                 .price = NAN},
        .storage = {.bandwidth = NAN},
    };
    put_work(&made.load, load);
    put_work(&made.step, step);
    if (!dlq_system_check(&made, why, sizeof why))
        return dlq_error_add(error, DLQ_INVALID, "%s", why);
    *system = made;
    return DLQ_OK;
}

static struct dlq_fitted constant(double mean)
{
    struct dlq_fitted law = {.parameters = dlq_no_parameters, .tail_parameters = dlq_no_parameters};
    char why[128];
    unsigned fault;
    law.parameters.mean = mean;
    dlq_dist_make(&law.dist, dlq_family_find("constant"), &law.parameters, &fault, why, sizeof why);
    law.family = law.dist.family;
    return law;
}

enum dlq_status dlq_evidence_system(const struct dlq_load_evidence *evidence, double load, double step,
                                    const struct dlq_measured_overheads *overheads, struct dlq_system *system,
                                    struct dlq_error *error)
{
    struct dlq_fitted loads = constant(load), steps = constant(step);
    return dlq_evidence_system_of(evidence, &loads, &steps, overheads, system, error);
}
