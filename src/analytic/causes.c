/* What may hold a pipeline back, by name. */
#include "dlqueue/bounds.h"

const char *dlq_cause_name(enum dlq_cause cause)
{
    static const char *const names[DLQ_CAUSES] = {
        NULL,      "load",   "window",  "step",      "receive", "cores",    "host_bandwidth", "storage",
        "pin",     "serial", "order",   "barrier",   "startup", "variance", "pause",          "slowdown",
        "several", "none",   "loaders", "bandwidth", "memory",  "shm"};
    return names[cause];
}
