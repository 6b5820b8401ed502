#include "study/law_table.h"

#include "dist/likelihood.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double spread = 1e-6, rare = 1e-6;

enum { FRACTION_BITS = DBL_MANT_DIG - 1 };

/* Exponent and leading bits of the fraction: rises with x > 0, evenly within an octave. */
static uint64_t number_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> (FRACTION_BITS - DLQ_LAW_BITS);
}

static double edge_of(uint64_t number)
{
    uint64_t bits = number << (FRACTION_BITS - DLQ_LAW_BITS);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void make_guide(struct dlq_law_table *table)
{
    int cell = 0;
    for (int k = 0; k <= DLQ_LAW_GUIDE; k++) {
        while (cell < table->cells - 1 && table->cdf[cell + 1] < (double)k / DLQ_LAW_GUIDE)
            cell++;
        table->guide[k] = cell;
    }
}

/* Cells reach down to what hardly occurs. */
void dlq_law_table_make(struct dlq_law_table *table, const struct dlq_fitted *law, double high)
{
    struct dlq_tailed tailed;
    dlq_tailed_of(&tailed, &law->dist, law->has_tail ? &law->tail : NULL, law->has_tail ? law->tail_probability : 0);
    uint64_t last = number_of(high) + 1;
    double low = fmin(dlq_tailed_quantile(&tailed, rare) / 2, high / 4);
    table->first = number_of(fmax(low, high * 1e-9));
    if (table->first + DLQ_LAW_CELLS < last)
        table->first = last - DLQ_LAW_CELLS;
    table->cells = (int)(last - table->first);
    for (int k = 0; k <= table->cells; k++) {
        table->x[k] = edge_of(table->first + (uint64_t)k);
        table->cdf[k] = (1 - spread) * dlq_tailed_cdf(&tailed, table->x[k]) + spread * k / table->cells;
    }
    make_guide(table);
}

double dlq_law_table_cdf(const struct dlq_law_table *table, double x)
{
    if (!(x > table->x[0]))
        return x > 0 ? table->cdf[0] * x / table->x[0] : 0;
    if (x >= table->x[table->cells])
        return table->cdf[table->cells];
    int k = (int)(number_of(x) - table->first);
    double part = (x - table->x[k]) / (table->x[k + 1] - table->x[k]);
    return table->cdf[k] + part * (table->cdf[k + 1] - table->cdf[k]);
}

double dlq_law_table_density(const struct dlq_law_table *table, double x)
{
    if (!(x > 0) || x >= table->x[table->cells])
        return 0;
    if (x <= table->x[0])
        return table->cdf[0] / table->x[0];
    int k = (int)(number_of(x) - table->first);
    return (table->cdf[k + 1] - table->cdf[k]) / (table->x[k + 1] - table->x[k]);
}

double dlq_law_table_quantile(const struct dlq_law_table *table, double p)
{
    if (p <= table->cdf[0])
        return table->cdf[0] > 0 ? table->x[0] * p / table->cdf[0] : table->x[0];
    int at = (int)(p * DLQ_LAW_GUIDE);
    int k = table->guide[at < DLQ_LAW_GUIDE ? at : DLQ_LAW_GUIDE];
    int above = at < DLQ_LAW_GUIDE ? table->guide[at + 1] + 1 : table->cells;
    while (above - k > 1) {
        int middle = k + (above - k) / 2;
        *(table->cdf[middle] < p ? &k : &above) = middle;
    }
    double mass = table->cdf[k + 1] - table->cdf[k], part = mass > 0 ? (p - table->cdf[k]) / mass : 1;
    return table->x[k] + fmin(part, 1) * (table->x[k + 1] - table->x[k]);
}
