/* The distributions that are known, for people. */
#ifndef DLQUEUE_DISTRIBUTIONS_H
#define DLQUEUE_DISTRIBUTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct dlq_distribution_help {
    const char *name, *parameters, *help;
};

/* Row 0, 1, ... until false. */
bool dlq_distribution_help(size_t index, struct dlq_distribution_help *help);

#endif
