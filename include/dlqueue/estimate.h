/* A result and its uncertainty. */
#pragma once

/* A value with its 95 % interval low..high; all NAN: no estimate. */
struct dlq_estimate {
    double value, low, high;
};
