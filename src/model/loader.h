/* The loader table as the option rows see it. */
#ifndef DLQ_MODEL_LOADER_H
#define DLQ_MODEL_LOADER_H

#include "dlqueue/loaders.h"

/* Names in the order of the rows, null-terminated, for a choice. */
extern const char *const dlq_loader_names[];

/* By place in the table, beyond the listed rows too. */
int dlq_loader_index(const struct dlq_loader *loader);
const struct dlq_loader *dlq_loader_at(int index);

/* The row that N = 0 stands for. */
const struct dlq_loader *dlq_loader_serial(void);
bool dlq_loader_is_serial(const struct dlq_loader *loader);

#endif
