/* The parts of a plan: quantities to solve for, candidates, the search among them, and the obstacle. */
#pragma once

#include "analytic/analytic.h"
#include "dlqueue/plan.h"
#include "study/model.h"

/* A quantity that a plan solves for. */
struct dlq_plan_axis {
    size_t rate; /* offset of a rate in struct dlq_system; values number rates (rate_at); 0: they are counts */
    enum dlq_axis_name axis; /* DLQ_AXES: no axis of a sweep */
    bool most;               /* the plan looks for the most that meets the target, not the least */
};

extern const struct dlq_plan_axis dlq_plan_axes[]; /* by enum dlq_plan_solve */

/* The candidates that have been simulated. */
struct dlq_trials {
    const struct dlq_model *model;
    const struct dlq_run *run;
    const struct dlq_plan_axis *axis;
    long at_most;
    struct dlq_candidate *rows; /* ascending in value; owned */
    size_t count;
    struct dlq_bounds_context *context; /* of the whole plan */
    long *existing;                     /* values of 1..at_most that can be simulated, ascending */
    size_t existing_count;
    long *values;   /* room for existing_count values */
    size_t covered; /* how many of the existing values lie within the curve */
    long shown;     /* the curve reaches at least this value */
    /* Upper bound on the figure of all candidates, if the plan looks for the least value and candidates take long to
       simulate; else INFINITY. */
    double ceiling;
    bool answer_alone; /* no table is wanted */
    struct dlq_trial_tile *tile;
    struct dlq_arena arena; /* for the whole plan */
};

/* Borrows its arguments. */
void dlq_trials_start(struct dlq_trials *trials, const struct dlq_model *model, const struct dlq_run *run,
                      struct dlq_bounds_context *context, struct dlq_error *error);
void dlq_trials_end(struct dlq_trials *trials);

/* The configured value of the quantity; 0: none. */
long dlq_plan_configured(const struct dlq_model *model);
/* The model's system with that value. False: there is none, or the model's method does not accept it. */
bool dlq_plan_system(const struct dlq_model *model, long value, struct dlq_system *system);
/* The candidate with that value; null: not simulated. */
struct dlq_candidate *dlq_trials_find(const struct dlq_trials *trials, long value);

/* Simulates those values that exist and were not yet simulated for as long as run_length says. */
enum dlq_status dlq_trials_run(struct dlq_trials *trials, const long *values, size_t count,
                               enum dlq_run_length run_length);
/* Finds bound_by of the candidates with these values that were simulated and have none yet. */
enum dlq_status dlq_trials_name_causes(struct dlq_trials *trials, const long *values, size_t count);
/* The worst cause of a system; see dlq_worst_causes. */
enum dlq_status dlq_trials_cause(const struct dlq_trials *trials, const struct dlq_system *system,
                                 struct dlq_loss *worst);

/* Effort of simulating a candidate for the curve; see dlq_effort_of_wave. */
double dlq_trials_effort(const struct dlq_trials *trials, const struct dlq_system *system);
/* Upper bound on the figure of a candidate. INFINITY: it does not take long to simulate, or its figure has no bound. */
double dlq_trials_limit(const struct dlq_trials *trials, const struct dlq_system *system);
/* Whether bounds narrow the search: no table is wanted, and candidates take long to simulate. */
bool dlq_trials_by_bounds(const struct dlq_trials *trials);
/* Whether candidates take long to simulate, and the upper bound of this one is below the target or, if no candidate can
   reach the target, below the ceiling. */
bool dlq_trials_excludes(const struct dlq_trials *trials, long value);
/* Fills in use of the host and costs of a simulated candidate. */
void dlq_plan_price(const struct dlq_system *system, struct dlq_candidate *candidate);
/* figure >= level, with 1e-9 for rounding. */
bool dlq_reaches(double figure, double level);

/* Finds the values that can be simulated, and the ceiling. */
enum dlq_status dlq_plan_find_values(struct dlq_trials *trials);
/* Simulates candidates over the range in which the figure changes; a later call adds what a new answer needs. */
enum dlq_status dlq_plan_curve(struct dlq_trials *trials);
/* value: the least (or most) candidate that fits and meets the target, verified with its neighbors. met false: there is
   none; then the least that fits and is about as good as the best (search.c), or, if none fits, the least of all. */
enum dlq_status dlq_plan_settle(struct dlq_trials *trials, bool *met, long *value);
/* Checks [plan] of a checked model. DLQ_INVALID: an impossible target, or nothing to change; DLQ_NO_ANSWER: a figure
   without a value. */
enum dlq_status dlq_plan_accept(const struct dlq_model *model, struct dlq_error *error);

/* Finds plan->obstacle for that answer, and plan->held. */
enum dlq_status dlq_plan_find_obstacle(struct dlq_trials *trials, const struct dlq_candidate *answer,
                                       struct dlq_plan *plan);
