/* Instruction sets for which the innermost loops are compiled. The choice affects speed alone, no bit of a result. */
#pragma once

#include <stdbool.h>

enum dlq_instructions { DLQ_PORTABLE, DLQ_AVX2, DLQ_AVX512, DLQ_INSTRUCTION_SETS };

/* Whether the program was compiled for the set and the processor has the set; always true for DLQ_PORTABLE. */
bool dlq_instructions_available(enum dlq_instructions set);
/* The widest available set. */
enum dlq_instructions dlq_instructions_best(void);

/* Sources named vector_*.c are compiled once for each set; DLQ_FOR_SET(name) is the name of a function in the copy for
   DLQ_SET. */
#define DLQ_JOIN_NAMES(name, set) name##_##set
#define DLQ_EXPAND_NAMES(name, set) DLQ_JOIN_NAMES(name, set)
#define DLQ_FOR_SET(name) DLQ_EXPAND_NAMES(name, DLQ_SET)

/* The copies of a function, by enum dlq_instructions; without DLQ_VECTORS all are the portable copy. */
#ifdef DLQ_VECTORS
#define DLQ_DECLARE_SETS(type, name) extern type name##_portable, name##_avx2, name##_avx512
#define DLQ_SETS(name)                                                                                                 \
    {                                                                                                                  \
        name##_portable, name##_avx2, name##_avx512                                                                    \
    }
#else
#define DLQ_DECLARE_SETS(type, name) extern type name##_portable
#define DLQ_SETS(name)                                                                                                 \
    {                                                                                                                  \
        name##_portable, name##_portable, name##_portable                                                              \
    }
#endif
