/* The configuration that a fit writes. */
#ifndef DLQ_STUDY_FIT_CONFIG_H
#define DLQ_STUDY_FIT_CONFIG_H

#include "dist/likelihood.h"
#include "dlqueue/fit.h"

/* Beside what is in the result. Null law: constant at the result's mean. */
struct dlq_fit_recipe {
    const struct dlq_fitted *load, *step;
    long slow_loaders;
    double slow_factor;
    const char *name, *logs;
    const char *load_note; /* how the load times were obtained; "" */
};

/* A complete configuration with comments, in allocated memory. Null: no memory. */
char *dlq_fit_config(const struct dlq_fit *fit, const struct dlq_fit_recipe *recipe);

#endif
