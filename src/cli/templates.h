/* Commented configurations to start from. */
#ifndef DLQ_CLI_TEMPLATES_H
#define DLQ_CLI_TEMPLATES_H

#include <stddef.h>

struct dlq_template {
    const char *name;
    const char *const *lines; /* ended by null */
};

const struct dlq_template *dlq_templates(size_t *count);

#endif
