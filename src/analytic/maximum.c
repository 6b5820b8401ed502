#include "analytic/maximum.h"

#include "analytic/terms.h"

static bool add_groups(const struct dlq_law *law, double law_scale, const struct dlq_maximum_group *groups,
                       size_t group_count, long copies, struct dlq_term *terms)
{
    if (group_count >= DLQ_MOST_TERMS)
        return false;
    for (size_t k = 0; k < group_count; k++)
        terms[k] = (struct dlq_term){
            .law = law,
            .scale = groups[k].factor * law_scale,
            .offset = groups[k].offset,
            .spacing = groups[k].spacing,
            .count = groups[k].count,
            .copies = (double)copies,
        };
    return true;
}

bool dlq_expected_maximum(const struct dlq_law *law, double law_scale, double floor,
                          const struct dlq_maximum_group *groups, size_t group_count, long copies, double *value)
{
    struct dlq_term terms[DLQ_MOST_TERMS];
    return add_groups(law, law_scale, groups, group_count, copies, terms) &&
           dlq_terms_maximum(terms, group_count, floor, value);
}

bool dlq_expected_maximum_random(const struct dlq_law *floor_law, double floor_scale, double floor,
                                 const struct dlq_law *law, double law_scale, const struct dlq_maximum_group *groups,
                                 size_t group_count, long copies, double *value)
{
    struct dlq_term terms[DLQ_MOST_TERMS];
    if (!add_groups(law, law_scale, groups, group_count, copies, terms))
        return false;
    terms[group_count] =
        (struct dlq_term){.law = floor_law, .scale = floor_scale, .offset = floor, .count = 1, .copies = 1};
    return dlq_terms_maximum(terms, group_count + 1, floor, value);
}
