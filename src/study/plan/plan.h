/* The parts of a plan: what may change, candidates, the search among them, and what binds. */
#ifndef DLQ_STUDY_PLAN_PLAN_H
#define DLQ_STUDY_PLAN_PLAN_H

#include "analytic/analytic.h"
#include "dlqueue/plan.h"
#include "study/model.h"

/* A row for each word of [plan] solve. */
struct dlq_plan_axis {
    size_t rate;             /* where in struct dlq_system; 0: no rate; values are then steps of it, not counts */
    enum dlq_axis_name axis; /* of a sweep, if it is one */
    bool most;               /* the most that meets the target is wanted, not the least */
};

/* A row for each word of [plan] of. */
struct dlq_plan_figure {
    bool share;      /* of time: 0..1 */
    size_t estimate; /* where in struct dlq_simulation */
};

extern const struct dlq_plan_axis dlq_plan_axes[];
extern const struct dlq_plan_figure dlq_plan_figures[];

struct dlq_trials {
    const struct dlq_model *model;
    const struct dlq_run *run;
    const struct dlq_plan_axis *axis;
    const struct dlq_plan_figure *figure;
    double target;
    long at_most;
    struct dlq_candidate *rows; /* ascending in value; owned */
    size_t count;
    struct dlq_bounds_context context;
    long *existing, *values; /* values of 1..at_most that can be simulated, ascending; room for as many */
    size_t existing_count;
    size_t covered; /* of them, those that the curve has come by */
    long shown;     /* a curve goes at least so far */
    struct dlq_trial_tile *tile;
    struct dlq_arena arena; /* of the plan */
};

void dlq_trials_begin(struct dlq_trials *trials, const struct dlq_model *model, const struct dlq_run *run,
                      struct dlq_error *error);
void dlq_trials_end(struct dlq_trials *trials);

/* The value that is configured; 0: none. */
long dlq_plan_configured(const struct dlq_model *model);
/* The model's system with that value: false where there is none, or none that is simulated. */
bool dlq_plan_system(const struct dlq_model *model, long value, struct dlq_system *system);
/* Null: not simulated. */
struct dlq_candidate *dlq_trials_find(const struct dlq_trials *trials, long value);

/* Simulates those values that exist and are not known so exactly already. */
enum dlq_status dlq_trials_run(struct dlq_trials *trials, const long *values, size_t count,
                               enum dlq_exactness exactness);
/* bound_by of all that have none yet. */
enum dlq_status dlq_trials_name_causes(struct dlq_trials *trials);
/* What costs a system most, short of its bounds; see dlq_worst_causes. */
enum dlq_status dlq_trials_cause(const struct dlq_trials *trials, const struct dlq_system *system,
                                 struct dlq_loss *worst);

/* Simulated batches that a candidate's curve point takes, in those of one rank that lanes advance. */
double dlq_trials_effort(const struct dlq_trials *trials, const struct dlq_system *system);
/* What a candidate that is simulated takes of its hosts, and costs. */
void dlq_plan_price(const struct dlq_system *system, struct dlq_candidate *candidate);
/* Figure >= level, but for rounding. */
bool dlq_reaches(double figure, double level);

/* Which values there are. */
enum dlq_status dlq_plan_lay_out(struct dlq_trials *trials);
/* Tries candidates over the range in which something happens; again, once more is known of it, what is then missing. */
enum dlq_status dlq_plan_curve(struct dlq_trials *trials);
/* The least (or most) candidate that fits and meets the target, verified with its neighbors; *met false: none, and
 *value is the least that fits and is as good as the best, but for 0.1 %. Where none fits: the least. */
enum dlq_status dlq_plan_settle(struct dlq_trials *trials, bool *met, long *value);
/* [plan] against a checked model: a target that is none, nothing that may change, a figure without a value. */
enum dlq_status dlq_plan_accept(const struct dlq_model *model, struct dlq_error *error);

/* plan->binds, where `answer` is the answer. */
enum dlq_status dlq_plan_bind(const struct dlq_trials *trials, const struct dlq_candidate *answer,
                              struct dlq_plan *plan);

#endif
