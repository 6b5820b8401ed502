/* Quantities of a command line, read by the rules of the configuration. */
#ifndef DLQUEUE_QUANTITY_H
#define DLQUEUE_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "700ms", "1.5 min", "0" in s, >= 0; "2" or "2x" as a factor > 0. On failure false, *value is untouched and `why` has
   the reason: "'70 parsecs' is not a time (expected e.g. 700ms, 2s)". */
bool dlq_time_parse(const char *text, double *seconds, char *why, size_t size);
bool dlq_factor_parse(const char *text, double *factor, char *why, size_t size);

#ifdef __cplusplus
}
#endif

#endif
