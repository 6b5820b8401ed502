/* All parameters of a model in a line: the subtitles of charts. */
#ifndef DLQ_REPORT_PARAMETERS_H
#define DLQ_REPORT_PARAMETERS_H

#include "dlqueue/model.h"
#include "report/phrase.h"

/* "ResNet-50 · pytorch · 8 loaders · ... · step 104 ms · 12 cores", without those named in `except` as axes of a sweep
   are (null: all). */
void dlq_parameters_add(struct dlq_phrase *phrase, const struct dlq_description *description,
                        const char *const except[2]);

#endif
