/* The engine that advances one replication at a time, batch by batch: every discipline, and the lanes' reference. */
#ifndef DLQ_SIM_REPLICATE_H
#define DLQ_SIM_REPLICATE_H

#include "sim/engine.h"

extern const struct dlq_engine dlq_scalar_engine;

#endif
