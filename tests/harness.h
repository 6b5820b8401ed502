/* The test harness: suites of CUnit tests, one program per floor, exit status from the failure counts. */
#pragma once

#include <CUnit/CUnit.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test_case {
    const char *name;
    void (*run)(void);
    bool slow; /* run where test_full() */
};

/* Defined once per test file as suite_NAME; `tests` ends with a row of NULLs. */
struct test_suite {
    const char *name;
    const struct test_case *tests;
};

/* TEST_SUITE(NAME, CASE(function), SLOW_CASE(function), ...); */
#define CASE(function) TEST_CASE(function, false)
#define SLOW_CASE(function) TEST_CASE(function, true)
#define TEST_CASE(function, is_slow)                                                                                   \
    {                                                                                                                  \
        .name = #function, .run = function, .slow = is_slow                                                            \
    }
#define TEST_SUITE(name, ...)                                                                                          \
    const struct test_suite suite_##name = {#name, (const struct test_case[]){__VA_ARGS__, {NULL, NULL, false}}}

extern const struct test_suite *const test_suites[];

/* True with `scripts/test --long` (environment DLQ_TEST_LONG set). */
bool test_long(void);
/* True with `scripts/test --full`, as in CI (DLQ_TEST_FULL), and with --long: slow cases, too. */
bool test_full(void);

/* A long table of alike rows needs only each so-many-th of them: each `usual`-th with --full and half as many without;
   five times as few under sanitizers, which look for faults of memory and threads there, and where runs are counted
   (DLQ_COVERAGE). With --long, all. 1: all rows but there. */
size_t test_every(size_t usual);

/* Ends this test, which cannot be on this machine, and says why; the suite counts as skipped where nothing failed. */
_Noreturn void test_skip(const char *reason);

/* Ends a child of a test at once; what it ran counts, too. */
_Noreturn void test_leave(int status);

/* The uniform just above x, 0 <= x < 1. */
static inline double uniform_near(double x)
{
    return ldexp(2 * floor(ldexp(x, 52)) + 1, -53);
}

/* Locals that are released at the end of their block. OWN(dlq_plan) plan; by dlq_plan_free(&plan). FREED char *text =
   ...; by free(text). POINTER_FREED(dlq_model) makes the function dlq_model_pointer_free for pointers to models. */
#define OWN(type) __attribute__((cleanup(type##_free))) struct type
#define POINTER_FREED(type)                                                                                            \
    static inline void type##_pointer_free(struct type **pointer)                                                      \
    {                                                                                                                  \
        type##_free(*pointer);                                                                                         \
    }
#define FREED __attribute__((cleanup(test_free)))
#define OWN_RNG __attribute__((cleanup(test_rng_free))) gsl_rng

/* pointer: the address of any pointer. */
static inline void test_free(void *pointer)
{
    void *block;
    memcpy(&block, pointer, sizeof block);
    free(block);
}

static inline void test_rng_free(gsl_rng **rng)
{
    gsl_rng_free(*rng);
}

/* got == want, or |got - want| <= tolerance * |want| */
bool test_relative(double got, double want, double tolerance);

/* Each prints both values when it fails and reports the caller's line. */
void test_check(bool passed, int line, const char *file, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* CHECK(condition, "case %d", i): the message is printed where the condition is false. */
#define CHECK(condition, ...) test_check((condition), __LINE__, __FILE__, __VA_ARGS__)
/* |got - want| <= tolerance * |want| */
#define CHECK_REL(got, want, tolerance) test_check_near((got), (want), (tolerance), true, __LINE__, __FILE__, #got)
/* |got - want| <= tolerance */
#define CHECK_ABS(got, want, tolerance) test_check_near((got), (want), (tolerance), false, __LINE__, __FILE__, #got)
void test_check_near(double got, double want, double tolerance, bool relative, int line, const char *file,
                     const char *expression);
#define CHECK_TEXT(got, want) test_check_text((got), (want), __LINE__, __FILE__, #got)
#define CHECK_INT(got, want) test_check_int((long long)(got), (long long)(want), __LINE__, __FILE__, #got)
void test_check_text(const char *got, const char *want, int line, const char *file, const char *expression);
void test_check_int(long long got, long long want, int line, const char *file, const char *expression);
