/* What may be changed about a system, one thing at a time. */
#ifndef DLQ_STUDY_CHANGES_H
#define DLQ_STUDY_CHANGES_H

#include "dlqueue/error.h"
#include "model/model.h"

/* The system that a change is made to, and who owns what new laws borrow. */
struct dlq_changed {
    struct dlq_system *system;
    struct dlq_data *data;
    struct dlq_error *error;
};

struct dlq_change {
    const char *name;
    /* *there, true before, becomes false where the system does not admit the change: what it is then means nothing. */
    enum dlq_status (*apply)(const struct dlq_changed *changed, bool *there);
};

/* All but stages made free; *count of them. */
const struct dlq_change *dlq_changes(size_t *count);

#endif
