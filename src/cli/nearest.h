/* "Did you mean ...?" */
#ifndef DLQ_CLI_NEAREST_H
#define DLQ_CLI_NEAREST_H

#include <stddef.h>

/* Edit distance in which a transposition counts once (Damerau 1964, without substrings edited twice); texts beyond 63
   characters are far from everything. */
size_t dlq_edit_distance(const char *a, const char *b);

/* The nearest so far: begin with {name, NULL, 0} and offer candidates. */
struct dlq_nearest {
    const char *name, *best;
    size_t distance;
};
void dlq_nearest_offer(struct dlq_nearest *nearest, const char *candidate);

#endif
