/* What is common to rhythms of simulated and measured waits. */
#ifndef DLQ_STUDY_RHYTHM_H
#define DLQ_STUDY_RHYTHM_H

#include "dlqueue/timeline.h"

/* acf, lags, varies, band from waits, count and loaders. On failure nothing is touched. */
enum dlq_status dlq_rhythm_finish(struct dlq_rhythm *rhythm, struct dlq_error *error);

#endif
