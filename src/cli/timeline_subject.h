/* What the pictures of a timeline are drawn from. */
#ifndef DLQ_CLI_TIMELINE_SUBJECT_H
#define DLQ_CLI_TIMELINE_SUBJECT_H

#include "dlqueue/timeline.h"

struct dlq_timeline_subject {
    const struct dlq_timeline *timeline;
    const char *name;     /* short: of the configuration, or the logs */
    const char *title;    /* the finding */
    const char *subtitle; /* all parameters */
};

#endif
