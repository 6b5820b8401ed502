#include "harness.h"

#include <CUnit/Basic.h>
#include <gsl/gsl_errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

bool test_long(void)
{
    return getenv("DLQ_TEST_LONG") != NULL;
}

bool test_full(void)
{
    return test_long() || getenv("DLQ_TEST_FULL") != NULL;
}

size_t test_every(size_t usual)
{
    usual *= usual == 1 || test_full() ? 1 : 2;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || defined DLQ_COVERAGE
    usual *= 5;
#endif
    return test_long() ? 1 : usual;
}

#ifdef __SANITIZE_ADDRESS__
/* Where these programs use a local of a function that has returned. It costs a quarter of the time; what the command
   runs, these run, too. */
const char *__asan_default_options(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__asan_default_options(void)  /* NOLINT(bugprone-reserved-identifier) */
{
    return "detect_stack_use_after_return=1";
}
#endif

enum { SKIPPED = 77 /* SKIP_RETURN_CODE of ctest */ };
static int skipped;

void test_skip(const char *reason)
{
    printf("\n    skipped: %s\n", reason);
    skipped++;
    longjmp(*CU_get_current_test()->pJumpBuf, 1); /* as CUnit leaves a test; NOLINT(cert-err52-cpp) */
}

#ifdef DLQ_COVERAGE
void __gcov_dump(void); /* of gcc's libgcov */
#endif

void test_leave(int status)
{
#ifdef DLQ_COVERAGE
    __gcov_dump();
#endif
    _exit(status);
}

bool test_relative(double got, double want, double tolerance)
{
    return got == want || fabs(got - want) <= tolerance * fabs(want);
}

void test_check(bool passed, int line, const char *file, const char *format, ...)
{
    char text[1024] = "";
    va_list arguments;
    /* What is only written where something failed need not be there otherwise. */
    va_start(arguments, format);
    if (!passed)
        vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    CU_assertImplementation(passed ? CU_TRUE : CU_FALSE, (unsigned)line, text, file, "", CU_FALSE);
}

void test_check_near(double got, double want, double tolerance, bool relative, int line, const char *file,
                     const char *expression)
{
    bool near = relative ? test_relative(got, want, tolerance) : fabs(got - want) <= tolerance;
    test_check(near, line, file, "%s = %.17g, expected %.17g within %g%s", expression, got, want, tolerance,
               relative ? " of it" : "");
}

void test_check_text(const char *got, const char *want, int line, const char *file, const char *expression)
{
    test_check(strcmp(got, want) == 0, line, file, "%s = '%s', expected '%s'", expression, got, want);
}

void test_check_int(long long got, long long want, int line, const char *file, const char *expression)
{
    test_check(got == want, line, file, "%s = %lld, expected %lld", expression, got, want);
}

static bool add_suite(const struct test_suite *suite)
{
    CU_pSuite added = CU_add_suite(suite->name, NULL, NULL);
    if (added == NULL)
        return false;
    for (const struct test_case *test = suite->tests; test->name != NULL; test++)
        if ((!test->slow || test_full()) && CU_add_test(added, test->name, test->run) == NULL)
            return false;
    return true;
}

/* Those of a name, or all where it is null; false: there are none, or one is wrong. */
static bool add_suites(const char *name)
{
    size_t added = 0;
    for (size_t i = 0; test_suites[i] != NULL; i++)
        if (name == NULL || strcmp(name, test_suites[i]->name) == 0) {
            if (!add_suite(test_suites[i]))
                return false;
            added++;
        }
    return added > 0;
}

/* Shells let what runs in their background ignore these, and children would, too. */
static void heed_signals(void)
{
    static const int signals[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
}

/* With a suite's name: that suite alone; without: all. */
int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    heed_signals();
    setenv("LC_ALL", "C.UTF-8", 1); /* what commands print is UTF-8 wherever the tests run */
    setvbuf(stdout, NULL, _IOLBF, 0);
    gsl_set_error_handler_off();
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    if (!add_suites(name)) {
        fprintf(stderr, "%s: no suite %s\n", argv[0], name == NULL ? "at all" : name);
        return 2;
    }
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    bool failed =
        CU_get_number_of_failures() > 0 || CU_get_number_of_suites_failed() > 0 || CU_get_number_of_tests_run() == 0;
    CU_cleanup_registry();
    return failed ? 1 : skipped > 0 ? SKIPPED : 0;
}
