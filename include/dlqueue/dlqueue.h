/* libdlqueue: is the data loader the bottleneck? */
#ifndef DLQUEUE_DLQUEUE_H
#define DLQUEUE_DLQUEUE_H

#include "dlqueue/bounds.h"
#include "dlqueue/distributions.h"
#include "dlqueue/error.h"
#include "dlqueue/estimate.h"
#include "dlqueue/explore.h"
#include "dlqueue/instances.h"
#include "dlqueue/levers.h"
#include "dlqueue/loaders.h"
#include "dlqueue/model.h"
#include "dlqueue/plan.h"
#include "dlqueue/record.h"
#include "dlqueue/report.h"
#include "dlqueue/simulate.h"
#include "dlqueue/solve.h"
#include "dlqueue/sweep.h"
#include "dlqueue/timeline.h"
#include "dlqueue/tornado.h"
#include "dlqueue/what_if.h"

#include "dlqueue/logs/advise.h"
#include "dlqueue/logs/compare.h"
#include "dlqueue/logs/diagnose.h"
#include "dlqueue/logs/fit.h"
#include "dlqueue/logs/measurements.h"
#include "dlqueue/logs/replay.h"
#include "dlqueue/logs/trace.h"

#endif
