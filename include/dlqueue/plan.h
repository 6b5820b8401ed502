/* Plans: the least loaders, prefetch, cores or bandwidth, the most ranks, or the cheapest instance for a target. */
#pragma once

#include "dlqueue/levers.h"
#include "dlqueue/solve.h"

DLQ_DECLARATIONS_BEGIN

enum { DLQ_PLAN_RULES = 3 };

/* The keys of [plan]: `solve`, the quantity to find, and `of`, the figure that has to reach the target. */
enum dlq_plan_solve {
    DLQ_SOLVE_LOADERS,
    DLQ_SOLVE_PREFETCH,
    DLQ_SOLVE_RANKS,
    DLQ_SOLVE_CORES,
    DLQ_SOLVE_BANDWIDTH,
    DLQ_SOLVE_STORAGE,
    DLQ_SOLVE_INSTANCE
};
enum dlq_plan_of { DLQ_OF_UTILIZATION, DLQ_OF_AU, DLQ_OF_SAMPLES_PER_SECOND };

/* The words of these keys, "loaders" and "utilization"; static texts. */
const char *dlq_plan_solve_name(enum dlq_plan_solve solve);
const char *dlq_plan_of_name(enum dlq_plan_of of);

/* How long a candidate was simulated. BRIEF: enough to see where the figure changes. FULL: as [simulate] asks, within a
   limit of computing time. LONG: longer, since the figure is close to the target; also where longer runs would not
   change the figure. */
enum dlq_run_length { DLQ_RUN_BRIEF, DLQ_RUN_FULL, DLQ_RUN_LONG };

/* One choice, and its figures. */
struct dlq_candidate {
    long loaders, prefetch, ranks;    /* prefetch 0: the loader has none */
    double cores, bandwidth, storage; /* cores of a host; bytes/s of a host, and of the storage. NAN: unlimited */
    const char *instance;             /* static; null: the plan does not look for an instance */
    enum dlq_cause obstacle;          /* of the plan that finds the loaders on this instance, if `solve` is instance */
    long value;                       /* the count that is solved for; for bandwidths and instances an index from 1 */
    struct dlq_estimate figure;       /* named by `of`: utilization or au (shares), or samples/s of all ranks */
    bool meets;                       /* the low end of the figure's 95 % interval reaches the target */
    bool in_table;                    /* in the table for people: the answer, and some near it */
    enum dlq_run_length run_length;
    bool excluded; /* a bound keeps the figure below the target */
    struct dlq_bounds bounds;
    double figure_bound;              /* the figure at the rate bounds.upper */
    struct dlq_simulation simulation; /* its period is NAN */
    struct dlq_host_use host;
    enum dlq_cause bound_by;         /* as in dlq_verdict; of other candidates than table and rules perhaps NONE */
    double hosts;                    /* of all ranks */
    double cost_per_hour;            /* price of all hosts; NAN: no price is known */
    double cost_per_million_samples; /* NAN: no price, or no batch size */
};

/* The candidate that a rule of thumb suggests. */
struct dlq_plan_rule {
    const char *rule; /* static: "load/step", "cores - 1", "cores/ranks - 1" */
    struct dlq_candidate candidate;
};

struct dlq_plan {
    struct dlq_description description; /* of the configuration */
    double target;                      /* a share, or samples/s */
    enum dlq_plan_of of;
    enum dlq_plan_solve solve;
    long at_most;     /* the largest value that may be tried */
    bool met;         /* a candidate that fits the host meets the target */
    bool interrupted; /* there is no answer, and `candidates` has the finished ones */
    /* If the target is met, the least candidate that meets it and fits (ranks: the most; instances: the cheapest); else
       the best that fits. */
    struct dlq_candidate answer;
    /* The cause that keeps the next smaller candidate (ranks: the next larger; instances: the next cheaper) from the
       target; if the target is not met, the cause that keeps all candidates from it. As dlq_verdict.bound_by, but
       LOADERS for LOAD and SERIAL, and BANDWIDTH for HOST_BANDWIDTH and STORAGE; or MEMORY, SHM: the host has too
       little. */
    enum dlq_cause obstacle;
    long held;          /* value of that candidate; of several as good as the best the largest */
    long largest_value; /* the largest value up to at_most that can be simulated */
    size_t count;
    struct dlq_candidate *candidates; /* all that were simulated, by ascending value, instances by price; owned */
    size_t rule_count;                /* 0 unless loaders are solved for */
    struct dlq_plan_rule rules[DLQ_PLAN_RULES];
    struct dlq_levers levers; /* of the answer */
    size_t warning_count;
    char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT];
};

/* Checks [plan] of the model, without planning; DLQ_OK where [plan] is empty. DLQ_INVALID, with a line of *error for
   each mistake: a target that its figure cannot have (a share above 1, a share where a rate is planned, 0, no target
   for a rate), at_most above the limit of the key in [pipeline], prefetch as the quantity to find where the loader has
   none or it changes nothing; and all errors of dlq_model_check. */
enum dlq_status dlq_plan_check(struct dlq_model *model, struct dlq_error *error);

/* Plans as [plan] of the model asks. DLQ_OK whether or not the target is met. DLQ_INVALID: an error of dlq_plan_check,
   or the model cannot be simulated; DLQ_NO_ANSWER: the figure has no value (utilization where steps take no time, au
   where every step is the first of its epoch); DLQ_INTERRUPTED: *plan holds the candidates that were finished, if any,
   and no answer; DLQ_FAILURE: no memory. The caller frees *plan with dlq_plan_free after DLQ_OK and DLQ_INTERRUPTED.
   Candidates share their draws; figures depend on the seed, the configuration, and the distance to the answer, near
   which candidates are simulated for longer. A candidate whose true figure lies just below the target passes about once
   in forty times, since the low end of a 95 % interval is compared; and a little more often because candidates are
   simulated up to three times and the least candidate that passes is chosen. */
enum dlq_status dlq_plan(struct dlq_model *model, const struct dlq_run *run, struct dlq_plan *plan,
                         struct dlq_error *error);
void dlq_plan_free(struct dlq_plan *plan);

DLQ_DECLARATIONS_END
