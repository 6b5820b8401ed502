/* Sets of lanes, and what is done where a lane belongs to one: for the kernels whose lanes take different ways. */
#pragma once

#include "sim/vector.h"

/* A set of lanes: a mask register if the instruction set has them. COMPARE: `how` is the operator for AVX-512. PICK:
   `yes` in the lanes of the mask, `no` in the others. ADD_WHERE: adds `time` in the lanes of the mask. SOME: whether
   any lane is in the mask. */
#if defined(__AVX512F__)
typedef __mmask8 lane_mask;
#define COMPARE(a, operator, b, how) _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), how)
#define PICK(mask, yes, no) (vector) _mm512_mask_blend_pd(mask, (__m512d)(no), (__m512d)(yes))
#define ADD_WHERE(mask, to, time) (vector) _mm512_mask_add_pd((__m512d)(to), mask, (__m512d)(to), (__m512d)(time))
#define SOME(mask) ((mask) != 0)
#else
typedef vector_mask lane_mask;
#define COMPARE(a, operator, b, how) ((a) operator(b))
#define PICK(mask, yes, no) choose(mask, yes, no)
#define ADD_WHERE(mask, to, time) ((to) + where(mask, time))
#define SOME(mask) any(mask)
#endif
#define NOT(mask) ((lane_mask) ~(mask))

INLINE lane_mask less(vector a, vector b)
{
    return COMPARE(a, <, b, _CMP_LT_OQ);
}

INLINE lane_mask at_most(vector a, vector b)
{
    return COMPARE(a, <=, b, _CMP_LE_OQ);
}

INLINE lane_mask equal(vector a, vector b)
{
    return COMPARE(a, ==, b, _CMP_EQ_OQ);
}

/* dlq_pace_even of each lane; divides by 1 where it is not needed, as the demand may be 0. full: the demand up to which
   loads have full speed, with an allowance for rounding. */
INLINE vector even_pace(vector demand, double capacity, double full)
{
    const lane_mask whole = at_most(demand, splat(full));
    return PICK(whole, splat(1), splat(capacity) / PICK(whole, splat(1), demand));
}
