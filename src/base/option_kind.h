/* The kinds of option fields: one row each reads and writes a field. */
#ifndef DLQ_BASE_OPTION_KIND_H
#define DLQ_BASE_OPTION_KIND_H

#include "base/option.h"

enum { DLQ_OPTION_TEXT = 300, DLQ_OPTION_WHY = 2048 };

/* Any field, for a value that is checked only. */
union dlq_field {
    double quantity;
    long count;
    uint64_t seed;
    bool flag;
    const char *text;
    int choice;
    struct dlq_range range;
};

struct dlq_option_kind {
    size_t size; /* of the field */
    /* False, with the reason in why and the field as it was, where `text` is no such value. */
    bool (*read)(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size);
    void (*print)(const struct dlq_option *option, const void *field, char *text, size_t size);
};

const struct dlq_option_kind *dlq_option_kind(enum dlq_kind kind);

/* Whole text as the option's value: what every kind demands, then its own. */
bool dlq_option_read(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size);

#endif
