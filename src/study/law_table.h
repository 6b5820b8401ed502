/* A law as a table, for algorithms that ask for it millions of times. */
#ifndef DLQ_STUDY_LAW_TABLE_H
#define DLQ_STUDY_LAW_TABLE_H

#include "dist/likelihood.h"

#include <stdint.h>

/* 2^DLQ_LAW_BITS cells per octave, up to DLQ_LAW_OCTAVES of them. */
enum { DLQ_LAW_BITS = 8, DLQ_LAW_OCTAVES = 20, DLQ_LAW_CELLS = DLQ_LAW_OCTAVES << DLQ_LAW_BITS, DLQ_LAW_GUIDE = 1024 };

/* The density is constant within a cell, which is 0.2 to 0.4 % wide. A millionth of the probability is spread over all
   cells, so that nothing which was measured is impossible. */
struct dlq_law_table {
    uint64_t first; /* number of the first cell: the leading bits of its times */
    int cells;
    double x[DLQ_LAW_CELLS + 1], cdf[DLQ_LAW_CELLS + 1]; /* s; of the cells' edges */
    int guide[DLQ_LAW_GUIDE + 1]; /* a cell at or before that where the cdf passes k/DLQ_LAW_GUIDE */
};

/* high > 0: the longest time that is asked for. */
void dlq_law_table_make(struct dlq_law_table *table, const struct dlq_fitted *law, double high);
double dlq_law_table_cdf(const struct dlq_law_table *table, double x);
double dlq_law_table_density(const struct dlq_law_table *table, double x);
/* The x where the cdf is p, 0 <= p <= cdf of high. */
double dlq_law_table_quantile(const struct dlq_law_table *table, double p);

#endif
