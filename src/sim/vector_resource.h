/* Cores and bandwidth that the loads of each lane share: the formulas of resource.c on vectors of lanes that are each
   at an event of its own, and the masks that say which of them it concerns. */
#ifndef DLQ_SIM_VECTOR_RESOURCE_H
#define DLQ_SIM_VECTOR_RESOURCE_H

#include "sim/events_rows.h"
#include "sim/vector.h"

/* Which lanes: a register of its own where the instruction set has them. */
#if defined(__AVX512F__)
typedef __mmask8 lane_mask;
typedef vector_mask index;
#define COMPARE(name, type, intrinsic, cast, how)                                                                      \
    INLINE lane_mask name(type a, type b)                                                                              \
    {                                                                                                                  \
        return intrinsic((cast)a, (cast)b, how);                                                                       \
    }
COMPARE(less, vector, _mm512_cmp_pd_mask, __m512d, _CMP_LT_OQ)
COMPARE(at_most, vector, _mm512_cmp_pd_mask, __m512d, _CMP_LE_OQ)
COMPARE(equal, vector, _mm512_cmp_pd_mask, __m512d, _CMP_EQ_OQ)
COMPARE(below, index, _mm512_cmp_epi64_mask, __m512i, _MM_CMPINT_LT)
COMPARE(identical, index, _mm512_cmp_epi64_mask, __m512i, _MM_CMPINT_EQ)
INLINE vector pick(lane_mask mask, vector yes, vector no)
{
    return (vector)_mm512_mask_blend_pd(mask, (__m512d)no, (__m512d)yes);
}
INLINE index pick_index(lane_mask mask, index yes, index no)
{
    return (index)_mm512_mask_blend_epi64(mask, (__m512i)no, (__m512i)yes);
}
INLINE index add_where(lane_mask mask, index to, int64_t count)
{
    return (index)_mm512_mask_add_epi64((__m512i)to, mask, (__m512i)to, _mm512_set1_epi64(count));
}
INLINE vector add_time_where(lane_mask mask, vector to, vector time)
{
    return (vector)_mm512_mask_add_pd((__m512d)to, mask, (__m512d)to, (__m512d)time);
}
INLINE bool some(lane_mask mask)
{
    return mask != 0;
}
INLINE lane_mask not(lane_mask mask)
{
    return (lane_mask)~mask;
}
/* A gather or scatter of these lanes alone. */
INLINE vector gather_where(lane_mask mask, const double *rows, index offset, int v)
{
    const __m512i own = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    return (vector)_mm512_mask_i64gather_pd(_mm512_setzero_pd(), mask, _mm512_add_epi64((__m512i)offset, own),
                                            rows + v * WIDTH, 8);
}
INLINE void scatter_where(lane_mask mask, double *rows, index offset, int v, vector value)
{
    const __m512i own = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    _mm512_mask_i64scatter_pd(rows + v * WIDTH, mask, _mm512_add_epi64((__m512i)offset, own), (__m512d)value, 8);
}
#define EVERY ((lane_mask)0xff)
#define NONE ((lane_mask)0)
#else
typedef vector_mask lane_mask;
typedef vector_mask index;
#define COMPARE(name, type, operator)                                                                                  \
    INLINE lane_mask name(type a, type b)                                                                              \
    {                                                                                                                  \
        return a operator b;                                                                                           \
    }
COMPARE(less, vector, <)
COMPARE(at_most, vector, <=)
COMPARE(equal, vector, ==)
COMPARE(below, index, <)
COMPARE(identical, index, ==)
INLINE vector pick(lane_mask mask, vector yes, vector no)
{
    return choose(mask, yes, no);
}
INLINE index pick_index(lane_mask mask, index yes, index no)
{
    return ((yes ^ no) & mask) ^ no;
}
INLINE index add_where(lane_mask mask, index to, int64_t count)
{
    return to + (mask & count);
}
INLINE vector add_time_where(lane_mask mask, vector to, vector time)
{
    return to + where(mask, time);
}
INLINE bool some(lane_mask mask)
{
    return any(mask);
}
INLINE lane_mask not(lane_mask mask)
{
    return ~mask;
}
INLINE vector gather_where(lane_mask mask, const double *rows, index offset, int v)
{
    return gather(rows, offset & mask, v);
}
INLINE void scatter_where(lane_mask mask, double *rows, index offset, int v, vector value)
{
    for (int k = 0; k < WIDTH; k++)
        if (mask[k])
            rows[offset[k] + v * WIDTH + k] = value[k];
}
#define EVERY all(-1)
#define NONE all(0)
#endif

/* A rank: its rows, and what all of its lanes share. */
struct rank {
    const struct dlq_point *point;
    struct dlq_events_rows rows;
    const double *loads[DLQ_MOST_STAGES]; /* cumulative; the first row is that of batch `first` */
    int64_t first, batches;
    int64_t ring, loaders; /* offsets beyond the last place, and the last loader */
    vector scale;
};

/* A resource as resource.h has it, whose time is natural at rate 1 since time 0. Within an event: in which lanes a load
   has left, at which of the resource's times, and the slope until then. */
struct resource {
    vector count, demand, rate, real, clock, since, work, spent;
    lane_mask leaves;
    vector left_clock, left_base, left_real, left_rate;
};

INLINE double *field(const struct rank *rank, enum dlq_events_of_loader which)
{
    return rank->rows.loaders + (rank->rows.used + (long)which) * DLQ_LANES;
}

INLINE vector virtual_at(const struct resource *resource, vector now)
{
    return resource->clock + (now - resource->real) * resource->rate;
}

/* What the loads under way took since the last change, and what they would have taken at full speed. */
INLINE void account(struct resource *resource, lane_mask mask, vector now)
{
    vector taken = resource->count * (now - resource->since);
    resource->spent = add_time_where(mask, resource->spent, taken);
    resource->work = add_time_where(mask, resource->work, taken * resource->rate);
    resource->since = pick(mask, now, resource->since);
}

INLINE vector rate_for(vector demand, double capacity)
{
    lane_mask enough = at_most(demand, same(capacity * (1 + 1e-12)));
    return pick(enough, same(1), same(capacity) / pick(enough, same(1), demand));
}

/* The demand changed now, at that of the resource's times. */
INLINE void set_rate(struct resource *resource, double capacity, lane_mask mask, vector now, vector clock)
{
    vector rate = rate_for(resource->demand, capacity);
    lane_mask changed = mask & not(equal(rate, resource->rate));
    resource->clock = pick(changed, clock, resource->clock);
    resource->real = pick(changed, now, resource->real);
    resource->rate = pick(changed, rate, resource->rate);
}

/* A load leaves at `now`, `clock` in the resource's time. */
INLINE void leave_resource(const struct rank *rank, int r, struct resource *resource, lane_mask mask, vector now,
                           vector clock, vector demand)
{
    if (!rank->rows.limited[r] || !some(mask))
        return;
    account(resource, mask, now);
    resource->leaves = mask;
    resource->left_clock = clock;
    resource->left_base = resource->clock;
    resource->left_real = resource->real;
    resource->left_rate = resource->rate;
    resource->count = add_time_where(mask, resource->count, same(-1));
    resource->demand = add_time_where(mask, resource->demand, -demand);
    resource->demand = pick(mask & equal(resource->count, same(0)), same(0), resource->demand);
    set_rate(resource, rank->rows.capacity[r], mask, now, clock);
}

/* When a load that comes now will leave, in the resource's time. */
INLINE vector enter_resource(const struct rank *rank, int r, struct resource *resource, lane_mask mask, vector now,
                             vector work, vector end, vector demand)
{
    if (!rank->rows.limited[r])
        return end;
    account(resource, mask, now);
    resource->count = add_time_where(mask, resource->count, same(1));
    resource->demand = add_time_where(mask, resource->demand, demand);
    vector clock = virtual_at(resource, now);
    const lane_mask replaces = mask & resource->leaves;
    if (some(replaces)) {
        lane_mask back = replaces & equal(rate_for(resource->demand, rank->rows.capacity[r]), resource->left_rate);
        clock = pick(replaces, resource->left_clock, clock);
        resource->clock = pick(back, resource->left_base, resource->clock);
        resource->real = pick(back, resource->left_real, resource->real);
        resource->rate = pick(back, resource->left_rate, resource->rate);
        resource->leaves &= not(replaces);
    }
    set_rate(resource, rank->rows.capacity[r], mask, now, clock);
    lane_mask natural = equal(resource->rate, same(1)) & equal(resource->real, same(0));
    return pick(natural, end, clock + work);
}

#endif
