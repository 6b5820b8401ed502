/* What the waits of a run say of each of its loads, where every loader takes each N-th batch and batches are delivered
   in order. */
#ifndef DLQ_STUDY_LINKS_H
#define DLQ_STUDY_LINKS_H

#include "dlqueue/replay.h"
#include "trace/trace.h"

#include <signal.h>

/* One load. It begins at max(ready, end of the load before it on the same loader), and ends at `done` where that is
   exact, else at or before `done`. */
struct dlq_link {
    double ready, done; /* s */
    bool first;         /* when the load before ends does not matter, or is known and in `ready` */
    bool exact;
    bool clear;  /* the wait was longer than any ups and downs of a training process */
    bool counts; /* else its beginning is not known: what it takes says nothing */
};

/* In chains: from one that is first to the next one. */
struct dlq_links {
    struct dlq_link *links; /* owned */
    size_t count, exact, clear, counted;
    size_t longest;        /* chain */
    double longest_load;   /* at most: the largest done - ready, s */
    double receive;        /* c, as told or as the waits show it */
    double stall_above;    /* a longer wait is for the batch */
    double mean_iteration; /* over all, without the first K of each epoch, s */
    double mean_step;
    long iterations;                          /* that were looked at */
    bool shortened;                           /* the log has more */
    const volatile sig_atomic_t *interrupted; /* may be null: what works on the links looks at it */
};

static inline bool dlq_links_interrupted(const struct dlq_links *links)
{
    return links->interrupted != NULL && *links->interrupted != 0;
}

/* Cost of a wait for a batch that is there: `*receive`; waits above `*stall_above` are for the batch. From the waits
   (n >= 1), where they are of two kinds; `told` > 0 is taken as it is. */
void dlq_tell_stalls(const double *waits, size_t n, double mean_iteration, double told, double *receive,
                     double *stall_above);

/* loaders >= 1; window: K, >= loaders. Of the batches of a rank, one each; those whose times are unknown end a run of
   batches that hang together, as epochs do. */
enum dlq_status dlq_links_make(struct dlq_links *links, const struct dlq_rank *rank, long loaders, long window,
                               const struct dlq_measured_overheads *overheads, struct dlq_error *error);
void dlq_links_free(struct dlq_links *links);

#endif
