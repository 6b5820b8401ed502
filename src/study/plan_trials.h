/* Candidates of a plan: made, simulated as exactly as is asked for, and kept. */
#ifndef DLQ_STUDY_PLAN_TRIALS_H
#define DLQ_STUDY_PLAN_TRIALS_H

#include "analytic/analytic.h"
#include "dlqueue/plan.h"
#include "study/model.h"
#include "study/plan_axis.h"

/* How exactly: for a curve; as [simulate] says, as far as the effort allows; for a figure close to the target. */
enum dlq_exactness { DLQ_PLAN_CURVE, DLQ_PLAN_TABLE, DLQ_PLAN_FINE };

struct dlq_trial {
    long value;
    enum dlq_exactness exactness;
    bool excluded; /* a bound says that the target is out of reach */
    struct dlq_candidate candidate;
};

struct dlq_trials {
    const struct dlq_model *model;
    const struct dlq_run *run;
    const struct dlq_plan_axis *axis;
    const struct dlq_plan_figure *figure;
    double target;
    long at_most;
    struct dlq_trial *rows; /* ascending in value; owned */
    size_t count;
    struct dlq_bounds_context context;
};

void dlq_trials_begin(struct dlq_trials *trials, const struct dlq_model *model, const struct dlq_run *run);
void dlq_trials_end(struct dlq_trials *trials);

/* The model's system with that value: false where there is none, or none that is simulated. */
bool dlq_trials_system(const struct dlq_trials *trials, long value, struct dlq_system *system);
/* Null: not simulated. */
struct dlq_trial *dlq_trials_find(const struct dlq_trials *trials, long value);

/* Simulates those values that exist and are not known so exactly already. */
enum dlq_status dlq_trials_run(struct dlq_trials *trials, const long *values, size_t count,
                               enum dlq_exactness exactness, struct dlq_error *error);
/* The figure of a system that is none of the candidates. */
enum dlq_status dlq_trials_figure(struct dlq_trials *trials, const struct dlq_system *system,
                                  struct dlq_estimate *figure, struct dlq_error *error);
/* bound_by of all that have none yet. */
enum dlq_status dlq_trials_name_causes(struct dlq_trials *trials, struct dlq_error *error);
/* What costs a system most, short of its bounds; see dlq_worst_causes. */
enum dlq_status dlq_trials_cause(const struct dlq_trials *trials, const struct dlq_system *system,
                                 struct dlq_loss *worst, struct dlq_error *error);

/* Simulated batches that a candidate's curve point takes, in those of one rank that lanes advance. */
double dlq_trials_effort(const struct dlq_trials *trials, const struct dlq_system *system);
/* Figure >= level, but for rounding. */
bool dlq_reaches(double figure, double level);

#endif
