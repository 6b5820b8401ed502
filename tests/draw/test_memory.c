/* Text in memory. That it tells where there was none: tests/cli/test_faults_calls.c. */
#include "harness.h"

#include "draw/memory.h"

#include <stdlib.h>

static void test_texts(void)
{
    static const size_t lengths[] = {0, 1, 4095, 4096, 4097, 8191, 8192, 100000, 3000000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct dlq_memory memory;
        CHECK(dlq_memory_begin(&memory), "no memory");
        for (size_t k = 0; k < lengths[i]; k++)
            fputc((int)('a' + k % 26), memory.stream);
        fflush(memory.stream);
        char *text = dlq_memory_end(&memory);
        bool same = text != NULL && memory.size == lengths[i] && strlen(text) == lengths[i];
        for (size_t k = 0; same && k < lengths[i]; k++)
            same = text[k] == (char)('a' + k % 26);
        CHECK(same, "%zu bytes: %zu", lengths[i], memory.size);
        CHECK(!memory.lost, "nothing is lost");
        free(text);
    }
}

/* What is lost once is not forgotten, though all that follows has room. */
static void test_lost(void)
{
    struct dlq_memory memory;
    CHECK(dlq_memory_begin(&memory), "no memory");
    fputs("whole", memory.stream);
    fflush(memory.stream);
    memory.lost = true;
    fputs("more", memory.stream);
    CHECK(dlq_memory_end(&memory) == NULL, "a part is taken for the whole");
    CHECK(memory.lost && memory.text == NULL && memory.stream == NULL, "left over");
}

static const struct test_case cases[] = {
    {"texts", test_texts},
    {"lost", test_lost},
    {NULL, NULL},
};

const struct test_suite suite_memory = {"memory", cases};
