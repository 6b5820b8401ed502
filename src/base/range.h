/* Axes: "1..32", "1..64 step 4", "50ms..2s in 24 log", "1, 2, 4, 8". Plain structs, nothing to free. */
#ifndef DLQ_BASE_RANGE_H
#define DLQ_BASE_RANGE_H

#include "base/quantity.h"

enum { DLQ_RANGE_LIST = 64, DLQ_RANGE_POINTS = 10000 };

/* count 0: no range. A list keeps its values; otherwise value i is computed (no accumulation). */
struct dlq_range {
    size_t count; /* 1..DLQ_RANGE_POINTS */
    bool is_list, logarithmic;
    double low, high, step; /* step: 0 where evenly or logarithmically divided */
    double list[DLQ_RANGE_LIST];
};

/* Each value must lie in minimum..maximum, ascend strictly and, for counts, be whole. On failure *range is left
   and why tells. */
bool dlq_range_parse(const char *text, enum dlq_unit unit, double minimum, double maximum, struct dlq_range *range,
                     char *why, size_t why_size);

/* Value i < count; the ends are met exactly. */
double dlq_range_value(const struct dlq_range *range, size_t i);

/* Ranges made by the program: low..high by 1, or divided into count points. */
struct dlq_range dlq_range_counts(long low, long high);
struct dlq_range dlq_range_divided(double low, double high, size_t count, bool logarithmic);

/* Text that parse reads back to the same values. */
void dlq_range_exact(const struct dlq_range *range, enum dlq_unit unit, char *text, size_t size);

#endif
