/* Laws with a tail to begin a search with, where most loads are hidden. */
#ifndef DLQ_STUDY_TAILS_H
#define DLQ_STUDY_TAILS_H

#include "dist/likelihood.h"
#include "study/links.h"

enum { DLQ_TAIL_STARTS = 4 };

/* From the loads that the trainer waited for: those above the widest gap between them are slow, or all of them are, and
   the usual ones hidden; a tail of the same time for all, or a lognormal one. loaders >= 1. `*count` is 0 where fewer
   than four are slow. false: no memory. */
bool dlq_tail_starts(const struct dlq_links *links, long loaders, struct dlq_fitted starts[DLQ_TAIL_STARTS],
                     size_t *count);
/* Makes both laws of the parameters; false where there are none. */
bool dlq_tail_make(struct dlq_fitted *law);

#endif
