/* A simulated run that is recorded whole. */
#pragma once

#include "study/models.h"

enum { LOADERS = 3, PREFETCH = 2, RANKS = 2 };

static const double startup = 0.05, dispatch = 0.3e-3, deliver = 0.7e-3, receive = 0.9e-3;

/* Epoch 0: endless. Awkward to write with few digits; loads of 3 loaders take somewhat longer than the steps. Each
   epoch begins empty. To be freed. */
static inline struct dlq_timeline recorded_run(size_t ranks, int epoch)
{
    char settings[600];
    int used =
        snprintf(settings, sizeof settings,
                 "pipeline.loaders=%d pipeline.prefetch=%d pipeline.ranks=%zu load.mean=40ms load.distribution=gamma "
                 "load.cv=0.4 step.mean=12ms step.distribution=gamma step.cv=0.15 overheads.startup=%gs "
                 "overheads.dispatch=%gs overheads.deliver=%gs overheads.receive=%gs overheads.barrier=0.4ms",
                 LOADERS, PREFETCH, ranks, startup, dispatch, deliver, receive);
    if (epoch > 0)
        snprintf(settings + used, sizeof settings - (size_t)used, " pipeline.epoch_batches=%d", epoch);
    struct dlq_timeline made = recorded(settings, 0, 8);
    made.until = made.ranks[0].batches[made.ranks[0].stepped - 1].step_end;
    return made;
}
