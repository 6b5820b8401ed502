/* Defines the thresholds with their values. */
#include "logs/calibration.h"

#define VALUE(name, value, meaning, evidence, test) .name = (value),
const struct dlq_calibration dlq_calibration = {DLQ_CALIBRATION(VALUE)};
