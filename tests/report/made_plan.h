/* Plans that are made by hand. */
#pragma once

#include "harness.h"
#include "report/plan_report.h"

#include <stdlib.h>

enum { MADE_MOST = 40 };

struct made {
    union {
        struct dlq_plan plan;
        struct dlq_plan_answer planned;
    };
    struct dlq_candidate candidates[MADE_MOST];
};

static inline struct dlq_estimate around(double value, double half)
{
    return (struct dlq_estimate){value, value - half, value + half};
}

/* A host that feeds a step of 100 ms by loads of 1 s. */
static inline void fill_candidate(const struct dlq_plan *plan, struct dlq_candidate *candidate, long value)
{
    bool ranks = plan->solve == DLQ_SOLVE_RANKS, prefetch = plan->solve == DLQ_SOLVE_PREFETCH;
    *candidate = (struct dlq_candidate){.loaders = ranks || prefetch ? 8 : value,
                                        .prefetch = prefetch ? value : 2,
                                        .ranks = ranks ? value : 1,
                                        .value = value,
                                        .bound_by = DLQ_CAUSE_LOAD};
    double n = (double)value, upper = ranks ? 10 : fmin(10, n), busy = ranks ? 1 / (1 + 0.01 * n) : 1 - exp(-n / 5);
    busy = fmin(busy, upper / 10);
    candidate->bounds =
        (struct dlq_bounds){.load = n, .step = 10, .upper = upper, .lower = 1, .bottleneck = DLQ_CAUSE_LOAD};
    candidate->figure_bound = upper * (plan->of == DLQ_OF_SAMPLES_PER_SECOND ? 256 * (double)candidate->ranks : 0.1);
    candidate->simulation = (struct dlq_simulation){
        .throughput = around(10 * busy, 0.01),
        .samples_per_second = around(2560 * busy * (ranks ? n : 1), 2.5),
        .utilization = around(busy, 0.0001),
        .au = around(busy, 0.0001),
        .wait_p99 = 0.5 / n,
        .epoch_seconds = around(5005 / (10 * busy), 1),
        .replications = 16,
        .batches_per_replication = 20000,
        .precision_reached = true,
    };
    candidate->host = (struct dlq_host_use){n, 1, NAN, 1.2e9 * n, 308e6 * n, true};
    candidate->cost_per_hour = ranks ? 21.96 * ceil(n / 8) : 21.96;
    candidate->cost_per_million_samples =
        candidate->cost_per_hour / 3600 / candidate->simulation.samples_per_second.value * 1e6;
}

/* Candidates 1..count; answer 0: the target is not met, and the last is best. */
static inline void make(struct made *made, enum dlq_plan_solve solve, enum dlq_plan_of of, double target, long count,
                        long answer)
{
    *made = (struct made){0};
    struct dlq_plan *plan = &made->plan;
    plan->description = (struct dlq_description){.name = "a plan",
                                                 .loader = "pytorch",
                                                 .prefetch_name = "prefetch_factor",
                                                 .loaders = 8,
                                                 .prefetch = 2,
                                                 .window = 16,
                                                 .ranks = 1,
                                                 .batch_size = 256,
                                                 .has_batch_size = true,
                                                 .seed = 1,
                                                 .load_mean = 1,
                                                 .load_cv = 0.3,
                                                 .step_mean = 0.1,
                                                 .cores = 12,
                                                 .ranks_per_host = 1,
                                                 .precision = 0.005,
                                                 .horizon = NAN,
                                                 .load_text = "lognormal, cv 0.3",
                                                 .step_text = "constant"};
    plan->solve = solve;
    plan->of = of;
    plan->target = target;
    plan->at_most = 128;
    plan->met = answer > 0;
    plan->obstacle = plan->met ? DLQ_CAUSE_ORDER : DLQ_CAUSE_CORES;
    plan->candidates = made->candidates;
    plan->count = (size_t)count;
    snprintf(made->planned.text, sizeof made->planned.text, "The finding.");
    for (long i = 0; i < count; i++) {
        struct dlq_candidate *candidate = &made->candidates[i];
        fill_candidate(plan, candidate, i + 1);
        candidate->figure = of == DLQ_OF_UTILIZATION ? candidate->simulation.utilization
                            : of == DLQ_OF_AU        ? candidate->simulation.au
                                                     : candidate->simulation.samples_per_second;
        candidate->meets = candidate->figure.low >= target;
        candidate->in_table = labs(i + 1 - (answer > 0 ? answer : count)) <= 3;
    }
    plan->answer = made->candidates[(answer > 0 ? answer : count) - 1];
    if (solve == DLQ_SOLVE_LOADERS) {
        static const char *const names[DLQ_PLAN_RULES] = {"load/step", "cores - 1", "cores/ranks - 1"};
        static const long counts[DLQ_PLAN_RULES] = {10, 11, 11};
        for (size_t i = 0; i < DLQ_PLAN_RULES && counts[i] <= count; i++)
            plan->rules[plan->rule_count++] = (struct dlq_plan_rule){names[i], made->candidates[counts[i] - 1]};
    }
    plan->levers.count = 1;
    snprintf(plan->levers.rows[0].change, DLQ_LEVER_TEXT, "loads half as long");
    plan->levers.rows[0].throughput = around(20, 0.1);
    plan->levers.rows[0].gain = around(1, 0.01);
    plan->levers.rows[0].proven = true;
}
