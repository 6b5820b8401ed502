/* The distributions that a configuration can name, described for people. */
#pragma once

#include "dlqueue/declarations.h"

#include <stdbool.h>
#include <stddef.h>

DLQ_DECLARATIONS_BEGIN

struct dlq_distribution_help {
    const char *name;       /* as in a configuration */
    const char *parameters; /* "mean; cv or sd" */
    const char *help;       /* one line */
};

/* Sets *help to distribution 0, 1, ...; the texts are static. False: no more. */
bool dlq_distribution_help(size_t index, struct dlq_distribution_help *help);

DLQ_DECLARATIONS_END
