#include "child.h"

#include "harness.h"

static enum dlq_status run(const char *const *arguments)
{
    struct dlq_error error = {.status = DLQ_OK};
    struct bench_child child;
    enum dlq_status status = bench_child_start(&child, arguments, false, &error);
    return status == DLQ_OK ? bench_child_wait(&child, &error) : status;
}

static void test_status(void)
{
    static const struct {
        const char *arguments[4];
        enum dlq_status status;
    } cases[] = {
        {{"true"}, DLQ_OK},
        {{"false"}, DLQ_FAILURE},
        {{"sh", "-c", "kill -9 $$"}, DLQ_FAILURE},
        {{"/nowhere/program"}, DLQ_FAILURE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_INT(run(cases[i].arguments), cases[i].status);
}

static void test_talk(void)
{
    const char *const arguments[] = {"cat", NULL};
    struct bench_child child;
    char line[16] = "";
    CU_ASSERT_EQUAL_FATAL(bench_child_start(&child, arguments, true, NULL), DLQ_OK);
    CHECK(fputs("2.385\n", child.to) >= 0 && fflush(child.to) == 0, "nothing written");
    CHECK(fgets(line, sizeof line, child.from) != NULL, "nothing read");
    CHECK_TEXT(line, "2.385\n");
    CHECK_INT(bench_child_wait(&child, NULL), DLQ_OK);
}

static const struct test_case tests[] = {
    {"status", test_status},
    {"talk", test_talk},
    {NULL, NULL},
};

const struct test_suite suite_child = {"child", tests};
