/* What every fuzz target is, and how it tells that something is wrong. */
#ifndef TESTS_FUZZ_TARGET_H
#define TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Once, before the first input. */
void target_begin(void);
/* 0. Keeps nothing from one input to the next. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* EXPECT(condition, "what %g", x): where it is false the input is a find. */
#define EXPECT(condition, ...)                                                                                         \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                                            \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fputc('\n', stderr);                                                                                       \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
