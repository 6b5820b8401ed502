/* libdlqueue: is the data loader the bottleneck? */
#ifndef DLQUEUE_DLQUEUE_H
#define DLQUEUE_DLQUEUE_H

#include "dlqueue/advise.h"
#include "dlqueue/bounds.h"
#include "dlqueue/compare.h"
#include "dlqueue/diagnose.h"
#include "dlqueue/distributions.h"
#include "dlqueue/error.h"
#include "dlqueue/estimate.h"
#include "dlqueue/explore.h"
#include "dlqueue/fit.h"
#include "dlqueue/instances.h"
#include "dlqueue/levers.h"
#include "dlqueue/loaders.h"
#include "dlqueue/model.h"
#include "dlqueue/plan.h"
#include "dlqueue/record.h"
#include "dlqueue/replay.h"
#include "dlqueue/report.h"
#include "dlqueue/simulate.h"
#include "dlqueue/solve.h"
#include "dlqueue/sweep.h"
#include "dlqueue/timeline.h"
#include "dlqueue/trace.h"

#endif
