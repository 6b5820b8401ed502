/* What is timed: dlqueue's own computations and the yardsticks beside them. Each kind is one row of functions. */
#pragma once

#include "dlqueue/error.h"

#include <signal.h>
#include <stdbool.h>

/* Of the whole run. */
struct bench_run {
    int threads;
    bool quick;
    const volatile sig_atomic_t *interrupted; /* non-zero: end soon; null: never */
};

/* What a piece of work is. Kinds use what concerns them. */
struct bench_setup {
    const char *settings;       /* of the model: "section.key=value", separated by semicolons */
    long batches, replications; /* of each point */
    long points;                /* load times, evenly from half to one and a half of the configured mean */
    long ranks;                 /* 0: one */
    int threads;                /* 0: those of the run */
    bool whole;                 /* a piece counts as one unit */
    const char *until;          /* of a timeline; null: the command is a sweep */
    const void *detail;         /* a kind's own */
};

struct bench_kind {
    enum dlq_status (*begin)(const struct bench_setup *setup, const struct bench_run *run, void **state,
                             struct dlq_error *error);
    /* One piece; *amount: of how many units (batches of one point and rank, draws, runs). */
    enum dlq_status (*piece)(void *state, double *amount, struct dlq_error *error);
    void (*end)(void *state);
};

struct bench_subject {
    const char *name;              /* of a yardstick */
    const struct bench_kind *kind; /* null: none */
    struct bench_setup setup;
};

extern const struct bench_kind bench_simulate; /* one point by dlq_simulate */
extern const struct bench_kind bench_systems;  /* many points that share draws, simulation alone */
extern const struct bench_kind bench_sweep;    /* the same by dlq_sweep_begin and next, bounds included; [sweep] may be
                                                  in the settings */
extern const struct bench_kind bench_draws;    /* the load's block sampler */
extern const struct bench_kind bench_lanes;    /* the engine's loops alone; detail: struct bench_lane_case */
extern const struct bench_kind bench_command;  /* dlqueue sweep, or timeline; detail: the configuration's path, or null;
                                                  settings,  which say all, go by --set */
extern const struct bench_kind bench_file;     /* a sweep by the library; detail: the configuration's path */
extern const struct bench_kind bench_plan;     /* dlq_plan, levers and rules included */
extern const struct bench_kind bench_solve;    /* dlq_solve, levers included */
extern const struct bench_kind bench_read_log; /* dlq_trace_read; detail: struct bench_log_case */

extern const struct bench_kind bench_newlines; /* the same */
extern const struct bench_kind bench_events;   /* detail: struct bench_pipeline */
extern const struct bench_kind bench_bare;     /* detail: struct bench_bare_case */
extern const struct bench_kind bench_gsl;      /* detail: struct bench_gsl_case */
extern const struct bench_kind bench_numpy;    /* detail: the name of a law, as numpy_recursion.py takes it */
