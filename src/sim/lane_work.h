/* The engine that advances lanes: sixteen replications of a wave at once, for all points of a job. */
#ifndef DLQ_SIM_LANE_WORK_H
#define DLQ_SIM_LANE_WORK_H

#include "sim/engine.h"

extern const struct dlq_engine dlq_lane_engine;

#endif
