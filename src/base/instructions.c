/* Detects the vector instructions of the processor. */
#include "base/instructions.h"

bool dlq_instructions_available(enum dlq_instructions set)
{
#ifdef DLQ_VECTORS
    __builtin_cpu_init();
    if (set == DLQ_AVX2)
        return __builtin_cpu_supports("avx2");
    if (set == DLQ_AVX512) /* all that the compiler may use: dlq_flags_avx512 in CMakeLists.txt */
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#endif
    return set == DLQ_PORTABLE;
}

enum dlq_instructions dlq_instructions_best(void)
{
    enum dlq_instructions best = DLQ_PORTABLE;
    for (enum dlq_instructions set = DLQ_PORTABLE; set < DLQ_INSTRUCTION_SETS; set++)
        if (dlq_instructions_available(set))
            best = set;
    return best;
}
