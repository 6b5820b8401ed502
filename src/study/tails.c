#include "study/tails.h"

#include "dist/likelihood.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer slow loads tell no law. Slow ones are longer than others by this factor. */
enum { LEAST_SLOW = 4 };
static const double least_gap = 1.5, usual_cv = 0.1, most_share = 0.4;

/* Usual loads that are hidden: somewhere between a tenth and all of what the loaders have time for. */
static const double hidden_share = 0.32;

bool dlq_tail_make(struct dlq_fitted *law)
{
    unsigned fault;
    char why[128];
    return law->tail_probability > 0 && law->tail_probability <= 0.5 &&
           dlq_fitted_make(law->family->name, &law->parameters, &law->dist) &&
           dlq_dist_make(&law->tail, law->tail_family, &law->tail_parameters, &fault, why, sizeof why);
}

static int rising(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The loads that ended while the trainer waited, rising: where they began is not always known, so at most these. null:
   no memory. */
static double *waited_for(const struct dlq_links *links, size_t *n)
{
    double *loads = calloc(links->exact + 1, sizeof *loads);
    *n = 0;
    for (size_t i = 0; loads != NULL && i < links->count; i++)
        if (links->links[i].exact && links->links[i].counts)
            loads[(*n)++] = links->links[i].done - links->links[i].ready;
    if (loads != NULL)
        qsort(loads, *n, sizeof *loads, rising);
    return loads;
}

/* How many are below the widest gap, in ratio; 0: there is none. */
static size_t below_gap(const double *loads, size_t n)
{
    double widest = least_gap;
    size_t below = 0;
    for (size_t i = 1; i + LEAST_SLOW <= n; i++)
        if (loads[i] > widest * loads[i - 1]) {
            widest = loads[i] / loads[i - 1];
            below = i;
        }
    return below;
}

/* usual: mean of what is below; slow: rising. */
static bool begin_law(struct dlq_fitted *law, double usual, const double *slow, size_t n, size_t all,
                      const char *family)
{
    struct dlq_spread spread = {0};
    for (size_t i = 0; i < n; i++)
        dlq_spread_add(&spread, slow[i], 1);
    bool constant = strcmp(family, "constant") == 0;
    *law = (struct dlq_fitted){.parameters = dlq_no_parameters,
                               .tail_parameters = dlq_no_parameters,
                               .family = dlq_family_find("lognormal"),
                               .tail_family = dlq_family_find(family),
                               .free_parameters = constant ? 4 : 5,
                               .has_tail = true};
    double middle = constant ? slow[n / 2] : spread.mean;
    law->parameters.mean = fmin(usual, middle / 2);
    law->parameters.cv = usual_cv;
    law->tail_parameters.mean = middle - law->parameters.mean;
    if (!constant)
        law->tail_parameters.cv = fmin(fmax(dlq_spread_cv(&spread), 0.02), 2);
    law->tail_probability = fmin((double)n / (double)all, most_share);
    return dlq_tail_make(law);
}

bool dlq_tail_starts(const struct dlq_links *links, long loaders, struct dlq_fitted starts[DLQ_TAIL_STARTS],
                     size_t *count)
{
    static const char *const tails[] = {"constant", "lognormal"};
    size_t n;
    double *loads = waited_for(links, &n);
    *count = 0;
    if (loads == NULL)
        return false;
    size_t below[] = {0, below_gap(loads, n)};
    for (size_t k = 0; k < 2 && n >= LEAST_SLOW; k++) {
        if (k > 0 && below[k] == 0)
            continue;
        double sum = 0, hidden = hidden_share * (double)loaders * links->mean_step;
        for (size_t i = 0; i < below[k]; i++)
            sum += loads[i];
        double usual = below[k] > 0 ? sum / (double)below[k] : hidden;
        for (size_t t = 0; t < sizeof tails / sizeof *tails; t++)
            *count += begin_law(&starts[*count], usual, loads + below[k], n - below[k], links->counted, tails[t]);
    }
    free(loads);
    return true;
}
