/* The distributions that are known, for people. */
#ifndef DLQUEUE_DISTRIBUTIONS_H
#define DLQUEUE_DISTRIBUTIONS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dlq_distribution_help {
    const char *name, *parameters, *help;
};

/* Row 0, 1, ... until false. */
bool dlq_distribution_help(size_t index, struct dlq_distribution_help *help);

#ifdef __cplusplus
}
#endif

#endif
