/* Sensitivity: the throughput with a fifth less and a fifth more of each parameter, one at a time. */
#pragma once

#include "dlqueue/solve.h"

DLQ_DECLARATIONS_BEGIN

/* The most parameters: each is a change in two comparisons, with less and with more, of at most DLQ_LEVERS changes. */
enum { DLQ_SENSITIVITIES = DLQ_LEVERS };

struct dlq_sensitivity {
    char parameter[DLQ_LEVER_TEXT]; /* a key of [sweep], or the mean of one of several stages: "load.decode" */
    double value, less, more; /* as configured, a fifth less, a fifth more: s, bytes/s, a share or a count; NAN: none */
    struct dlq_lever of_less, of_more; /* gains of the two changes; NAN: the configuration does not allow the change */
};

/* Rows in descending order of the larger of the two changes of throughput. */
struct dlq_tornado {
    struct dlq_description description;
    struct dlq_estimate throughput; /* as configured, batches/s of a rank */
    size_t count;
    struct dlq_sensitivity rows[DLQ_SENSITIVITIES];
    size_t warning_count;
    char warnings[DLQ_WARNINGS][DLQ_WARNING_TEXT];
};

/* Varies each parameter of the model that is above 0 and can be changed: the axes of a sweep except ranks and
   batch_size, as they change how many samples one batch/s means; and the means of single stages. Counts change by at
   least 1, to whole numbers. All runs share their draws. DLQ_INVALID: model or run is refused; DLQ_INTERRUPTED,
   DLQ_FAILURE. */
enum dlq_status dlq_tornado(struct dlq_model *model, const struct dlq_run *run, struct dlq_tornado *tornado,
                            struct dlq_error *error);

DLQ_DECLARATIONS_END
