/* Instruction sets for which the innermost loops are compiled. What they compute does not depend on the choice, to the
   bit: it is a matter of speed alone. */
#ifndef DLQ_BASE_INSTRUCTIONS_H
#define DLQ_BASE_INSTRUCTIONS_H

#include <stdbool.h>

enum dlq_instructions { DLQ_PORTABLE, DLQ_AVX2, DLQ_AVX512, DLQ_INSTRUCTION_SETS };

/* Whether it is built in and this machine has it; portable always is. */
bool dlq_instructions_available(enum dlq_instructions set);
/* The widest that is available. */
enum dlq_instructions dlq_instructions_best(void);

/* Sources named vector_*.c are compiled once for each set; DLQ_FOR_SET(name) is that copy's own name for it. */
#define DLQ_JOIN_NAMES(name, set) name##_##set
#define DLQ_EXPAND_NAMES(name, set) DLQ_JOIN_NAMES(name, set)
#define DLQ_FOR_SET(name) DLQ_EXPAND_NAMES(name, DLQ_SET)

/* The table of a function's copies, by enum dlq_instructions; where vectors are off all are the portable one. */
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

#endif
