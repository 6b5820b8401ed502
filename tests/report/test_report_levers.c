/* What single changes gain: words, table, JSON. */
#include "harness.h"
#include "report/report.h"

#include <stdlib.h>

static struct dlq_lever lever(const char *change, double throughput, double gain, double half, bool proven)
{
    struct dlq_lever made = {.throughput = {throughput, throughput * (1 - half), throughput * (1 + half)},
                             .gain = {gain, gain - half, gain + half},
                             .proven = proven};
    snprintf(made.change, sizeof made.change, "%s", change);
    return made;
}

static char *report(const struct dlq_levers *levers, const char *with)
{
    struct dlq_memory memory;
    dlq_memory_begin(&memory);
    CHECK_INT(dlq_report_levers(memory.stream, levers, with, NULL), DLQ_OK);
    return dlq_memory_end(&memory);
}

static void test_report(void)
{
    const struct dlq_levers levers = {.count = 12,
                                      .rows = {
                                          lever("load time halved", 13.02, 1.0, 0, true),
                                          lever("delivery by completion", 10.03, 0.5377, 0.0001, true),
                                          lever("tail free", 9.62, 0.4814, 0.0031, true),
                                          lever("twice the loaders", 8.71, 0.338, 0.012, true),
                                          lever("one more loader", 6.63, 0.0213, 0.0011, true),
                                          lever("read free", 6.52, 0.0031, 0.0002, true),
                                          lever("prefetch doubled", 6.52, 0.004, 0.005, false),
                                          lever("half the window", 6.49, -0.0031, 0.0002, true),
                                          lever("step time halved", 6.51, 0, 0, false),
                                          lever("one loader less", 5.07, -0.2238, 0.0023, true),
                                          lever("tail halved", 6.52, 0.00499, 0.0002, true),
                                          lever("overheads free", 6.5, INFINITY, 0, true),
                                      }};
    static const char want[] =
        "  What one change gains   batches/s  gain (%)     ±\n"
        "  load time halved            13.02     100.0  -\n"
        "  delivery by completion      10.03      53.8  0.01\n"
        "  tail free                    9.62      48.1  0.31\n"
        "  twice the loaders            8.71      33.8  1.20\n"
        "  one more loader              6.63       2.1  0.11\n"
        "  one loader less              5.07     -22.4  0.23\n"
        "  Under 0.5 % either way: read free, half the window, tail halved.\n"
        "  Changes nothing: step time halved.\n"
        "  No difference proven: prefetch doubled, overheads free.\n"
        "  A change may lose where loads share cores or bandwidth or are rounded up to whole "
        "ticks, where\n  each loader takes time to start, and where an epoch or a horizon ends with loads under "
        "way.\n";
    char *text = report(&levers, "");
    CHECK_TEXT(text, want);
    free(text);
    const struct dlq_levers exact = {.count = 1, .rows = {lever("load time halved", 13.02, 1.0, 0, true)}};
    text = report(&exact, "");
    CHECK_TEXT(text, "  What one change gains  batches/s  gain (%)\n  load time halved              13       100\n");
    free(text);
    text = report(&exact, "8 loaders");
    CHECK_TEXT(text, "  What one change gains with 8 loaders  batches/s  gain (%)\n"
                     "  load time halved                             13       100\n");
    free(text);
}

/* What delivery by completion costs is said where it gains. */
static void test_order(void)
{
    struct dlq_levers levers = {.count = 1, .rows = {lever("delivery by completion", 10.03, 0.5377, 0.0001, true)}};
    levers.rows[0].id = DLQ_LEVER_DELIVERY_BY_COMPLETION;
    char *text = report(&levers, "");
    CHECK(strstr(text, "the order of the batches differ from run to run, whatever the seed") != NULL, "%s", text);
    free(text);
    levers.rows[0].gain = (struct dlq_estimate){-0.2, -0.21, -0.19};
    text = report(&levers, "");
    CHECK(strstr(text, "whatever the seed") == NULL, "%s", text);
    free(text);
}

/* Without a gain that counts there is no table, and without levers nothing. */
static void test_nothing(void)
{
    struct dlq_levers levers = {0};
    char *text = report(&levers, "");
    CHECK_TEXT(text, "");
    free(text);
    levers.count = 2;
    levers.rows[0] = lever("one more loader", 6.5, 0.0002, 0.0001, true);
    levers.rows[1] = lever("twice the cores", NAN, NAN, NAN, false);
    text = report(&levers, "");
    CHECK_TEXT(text, "  What one change gains\n  Under 0.5 % either way: one more loader.\n"
                     "  No difference proven: twice the cores.\n");
    free(text);
}

/* As many levers as there can be, with the longest names, within 100 columns. */
static void test_many(void)
{
    struct dlq_levers levers = {.count = DLQ_LEVERS};
    char name[DLQ_LEVER_TEXT], *text;
    for (size_t i = 0; i < DLQ_LEVERS; i++) {
        snprintf(name, sizeof name, "change%zu:", i);
        for (size_t k = strlen(name); k + 5 < sizeof name; k += 5)
            memcpy(name + k, "ü ab", sizeof "ü ab");
        levers.rows[i] = lever(name, 9e5 - 1e4 * (double)i, 12.5 - 0.91 * (double)i, 0.004, i % 4 != 3);
    }
    text = report(&levers, "");
    CHECK(strstr(text, "No difference proven: change3:") != NULL, "%s", text);
    for (size_t i = 0; i < DLQ_LEVERS; i++) {
        snprintf(name, sizeof name, "change%zu:", i);
        CHECK(strstr(text, name) != NULL, "%s is lost", name);
    }
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        CHECK(dlq_text_width(line) <= 100, "%d columns: %s", dlq_text_width(line), line);
    free(text);
}

TEST_SUITE(report_levers, CASE(test_report), CASE(test_order), CASE(test_nothing), CASE(test_many));
