/* Planning: the least loaders, prefetch, cores or bandwidth, the most ranks, or the cheapest instance that meets a
   target. */
#ifndef DLQUEUE_PLAN_H
#define DLQUEUE_PLAN_H

#include "dlqueue/levers.h"
#include "dlqueue/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DLQ_PLAN_RULES = 3 };

/* What a plan solves for, and the figure that has to reach the target: the words of [plan] solve and of [plan] of. */
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

/* Their words, "loaders" and "utilization"; static. */
const char *dlq_plan_solve_name(enum dlq_plan_solve solve);
const char *dlq_plan_of_name(enum dlq_plan_of of);

/* How exactly a candidate is simulated: for a curve; as [simulate] says, or as far as it pays; for a figure close to
   the target. */
enum dlq_exactness { DLQ_PLAN_CURVE, DLQ_PLAN_TABLE, DLQ_PLAN_FINE };

/* One choice, and what it reaches. */
struct dlq_candidate {
    long loaders, prefetch, ranks;    /* prefetch 0: the loader has none */
    double cores, bandwidth, storage; /* of a host; bytes/s of a host, and of the storage. NAN: does not bind */
    const char *instance;             /* null: another thing is looked for */
    enum dlq_cause binds;             /* solve = instance: what keeps fewer loaders from the target, or all of them */
    long value;                       /* of what is solved for, a count; of bandwidths, a place in their order */
    struct dlq_estimate figure;       /* what is planned for: utilization, au (shares), or samples/s of all ranks */
    bool meets;                       /* the low end of the figure's 95 % interval reaches the target */
    bool in_table;                    /* lies around the answer, or is it */
    enum dlq_exactness exactness;
    bool excluded; /* a bound says that the target is out of reach */
    struct dlq_bounds bounds;
    double bound;                     /* the figure at the rate of bounds.upper */
    struct dlq_simulation simulation; /* no period */
    struct dlq_host_use host;         /* host.fits: within the memory and /dev/shm that are configured */
    enum dlq_cause bound_by;          /* as in dlq_verdict */
    double cost_per_hour;             /* price * hosts; NAN: no price */
    double cost_per_million_samples;  /* NAN: no price, or no batch size */
};

/* What a rule of thumb says, and what it reaches. */
struct dlq_plan_rule {
    const char *rule; /* "load/step", "cores - 1", "cores/ranks - 1" */
    struct dlq_candidate candidate;
};

struct dlq_plan {
    struct dlq_description description; /* of the configuration */
    double target;                      /* a share, or samples/s */
    enum dlq_plan_of of;
    enum dlq_plan_solve solve;
    long at_most;
    bool met;                    /* a candidate that fits meets the target */
    bool interrupted;            /* no answer: the candidates that were finished */
    struct dlq_candidate answer; /* if met, the smallest that does (ranks: the most); else the best that fits */
    /* What keeps the next smaller candidate (ranks: the next larger) from the target, or, if it is not met, all of
       them: as in dlq_verdict, but loaders (for load, serial) and bandwidth (of host or storage); or memory, shm. */
    enum dlq_cause binds;
    long last; /* the most that can be simulated, of at_most */
    size_t count;
    struct dlq_candidate *candidates; /* all that were tried, ascending in what is solved for; owned */
    size_t rule_count;                /* rules are of loaders: 0 where something else is solved for */
    struct dlq_plan_rule rules[DLQ_PLAN_RULES];
    struct dlq_levers levers; /* of the answer */
    size_t warning_count;
    char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT];
};

/* Whether dlq_plan would take what [plan] of the model says; DLQ_OK where it says nothing. DLQ_INVALID, a line of
   *error each, at the place of the key: a target that is none of its figure (a share above 1, a share where a rate is
   planned, 0, no target of a rate), at_most above what [pipeline] can have, a prefetch to look for that the loader has
   not or that changes nothing. Also whatever dlq_model_check finds. */
enum dlq_status dlq_plan_check(struct dlq_model *model, struct dlq_error *error);

/* [plan] of the model. DLQ_OK whether or not the target is met. DLQ_INVALID: a target that is none, or nothing that may
   change; DLQ_NO_ANSWER: the figure has no value (utilization without a step, au of first steps alone);
   DLQ_INTERRUPTED: the plan holds the candidates that were simulated by then, if any, and no answer. The plan's owner
   frees what it holds with dlq_plan_free. Candidates share their draws; a candidate's figures depend on seed,
   configuration and on how near it lies to the answer: what is near is simulated for longer. A candidate is looked at
   up to three times, and the smallest that passes is taken, so one that lies within its own interval below the target
   passes a little more often than one time in forty. */
enum dlq_status dlq_plan(struct dlq_model *model, const struct dlq_run *run, struct dlq_plan *plan,
                         struct dlq_error *error);
void dlq_plan_free(struct dlq_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
