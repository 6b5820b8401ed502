/* Ranges: values, texts that read back, refusals. */
#include "base/quantity.h"
#include "harness.h"

enum { WHY = 256, TEXT = 2048 };

static void reads(void)
{
    static const struct {
        const char *text;
        enum dlq_unit unit;
        size_t count, index;
        double want; /* the value at that index */
    } cases[] = {
        {"1..32", DLQ_UNIT_COUNT, 32, 31, 32},
        {"1..64 step 4", DLQ_UNIT_COUNT, 16, 15, 61},
        {" 0 .. 64  step  4 ", DLQ_UNIT_COUNT, 17, 16, 64},
        {"1..64 in 7 log", DLQ_UNIT_COUNT, 7, 5, 32},
        {"1..5 in 3", DLQ_UNIT_COUNT, 3, 1, 3},
        {"1..10000", DLQ_UNIT_COUNT, 10000, 9999, 10000},
        {"50ms..2s in 24", DLQ_UNIT_TIME, 24, 23, 2},
        {"50ms..2s in 24 log", DLQ_UNIT_TIME, 24, 0, 0.05},
        {"1s..4s in 3 log", DLQ_UNIT_TIME, 3, 1, 2},
        {"1 min..2 min in 5", DLQ_UNIT_TIME, 5, 2, 90},
        {"0..1s step 100ms", DLQ_UNIT_TIME, 11, 10, 1},
        {"0..0.3 step 0.1", DLQ_UNIT_FACTOR, 4, 3, 0.3},
        {"10%..90% step 20%", DLQ_UNIT_SHARE, 5, 4, 0.9},
        {"1, 2, 4, 8", DLQ_UNIT_COUNT, 4, 2, 4},
        {"0,700ms,2s", DLQ_UNIT_TIME, 3, 1, 0.7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char why[WHY] = "";
        struct dlq_range range = {0};
        CHECK(dlq_range_parse(cases[i].text, cases[i].unit, 0, 1e6, &range, why, sizeof why), "'%s': %s", cases[i].text,
              why);
        CHECK(range.count == cases[i].count, "'%s': %zu values", cases[i].text, range.count);
        double value = dlq_range_value(&range, cases[i].index);
        CHECK(value == cases[i].want, "'%s': value %zu is %.17g", cases[i].text, cases[i].index, value);
    }
}

static void refuses(void)
{
    static const struct {
        const char *text;
        enum dlq_unit unit;
        const char *part;
    } cases[] = {
        {"", DLQ_UNIT_COUNT, "a value is missing"},
        {"1...8", DLQ_UNIT_COUNT, "two dots"},
        {"1..8..9", DLQ_UNIT_COUNT, "not a whole number"},
        {"1:0:1", DLQ_UNIT_COUNT, "'1:0:1' is not a range (expected e.g. 1..32, 1..64 step 4 or 1, 2, 4)"},
        {"32..1", DLQ_UNIT_COUNT, "runs downward"},
        {"1..8 step 0", DLQ_UNIT_COUNT, "not above 0"},
        {"1x..8x step -1x", DLQ_UNIT_FACTOR, "not above 0"},
        {"1..1e12", DLQ_UNIT_COUNT, "has 1000000000000 points (at most 10000)"},
        {"0..1 step 1e-300", DLQ_UNIT_FACTOR, "has too many points (at most 10000)"},
        {"50ms..2s", DLQ_UNIT_TIME, "does not say which points"},
        {"50..200ms in 4", DLQ_UNIT_TIME, "it has no unit"},
        {"1s..2s in 1", DLQ_UNIT_TIME, "from 2 to 10000"},
        {"1s..2s in log", DLQ_UNIT_TIME, "a value is missing"},
        {"0..2s in 4 log", DLQ_UNIT_TIME, "above 0"},
        {"2s..2s in 4", DLQ_UNIT_TIME, "must ascend"},
        {"1..64 in 10 log", DLQ_UNIT_COUNT, "gives 1.587, which is not a whole number"},
        {"2, 1", DLQ_UNIT_COUNT, "must ascend"},
        {"1, 5000000", DLQ_UNIT_COUNT, "5000000 is not in 0..1000000"},
        {"1s, nan", DLQ_UNIT_TIME, "'nan' is not a time"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char why[WHY] = "";
        struct dlq_range range = {.count = 77};
        CHECK(!dlq_range_parse(cases[i].text, cases[i].unit, 0, 1e6, &range, why, sizeof why), "'%s' was read",
              cases[i].text);
        CHECK(range.count == 77, "'%s' changed the range", cases[i].text);
        CHECK(strstr(why, cases[i].part) != NULL, "'%s': %s", cases[i].text, why);
    }
}

static void long_parts(void)
{
    static const int lengths[] = {127, 128, 300};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char text[TEXT], why[WHY] = "";
        struct dlq_range range = {.count = 77};
        snprintf(text, sizeof text, "1,%0*d", lengths[i], 2);
        bool read = dlq_range_parse(text, DLQ_UNIT_COUNT, 0, 1e6, &range, why, sizeof why);
        CHECK(read == (lengths[i] < 128), "%d characters: %s", lengths[i], why);
        CHECK_INT(range.count, read ? 2 : 77);
        if (!read)
            CHECK(strstr(why, "a part of it is too long") != NULL, "%d characters: %s", lengths[i], why);
    }
}

static void limits_lists(void)
{
    char text[TEXT] = "0";
    char why[WHY];
    struct dlq_range range;
    for (int i = 1; i < DLQ_RANGE_LIST; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ",%d", i);
    CHECK(dlq_range_parse(text, DLQ_UNIT_COUNT, 0, 100, &range, why, sizeof why), "64 values: %s", why);
    snprintf(text + strlen(text), sizeof text - strlen(text), ",64");
    CHECK(!dlq_range_parse(text, DLQ_UNIT_COUNT, 0, 100, &range, why, sizeof why), "65 values were read");
    memset(text, ' ', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CHECK(!dlq_range_parse(text, DLQ_UNIT_COUNT, 0, 100, &range, why, sizeof why), "a long blank text was read");
}

/* Values ascend, the ends are met, the text reads back to the same values. */
static void check_round_trip(const struct dlq_range *range, enum dlq_unit unit)
{
    char text[TEXT];
    char why[WHY] = "";
    struct dlq_range back = {0};
    dlq_range_exact(range, unit, text, sizeof text);
    CHECK(dlq_range_parse(text, unit, 0, 1e6, &back, why, sizeof why), "'%s': %s", text, why);
    CHECK(back.count == range->count, "'%s': %zu values, not %zu", text, back.count, range->count);
    CHECK(dlq_range_value(range, 0) == range->low, "'%s' does not begin at %.17g", text, range->low);
    for (size_t i = 0; i < range->count; i++) {
        double value = dlq_range_value(range, i);
        CHECK(dlq_range_value(&back, i) == value, "'%s': value %zu differs", text, i);
        CHECK(i == 0 || value > dlq_range_value(range, i - 1), "'%s': value %zu does not ascend", text, i);
        CHECK(value <= range->high, "'%s': value %zu is beyond the end", text, i);
    }
}

static void reads_back_what_it_wrote(void)
{
    static const struct {
        const char *text;
        enum dlq_unit unit;
    } texts[] = {
        {"1..32", DLQ_UNIT_COUNT},          {"3..64 step 7", DLQ_UNIT_COUNT},      {"1, 2, 4, 8", DLQ_UNIT_COUNT},
        {"50ms..2s in 24", DLQ_UNIT_TIME},  {"50ms..2s in 24 log", DLQ_UNIT_TIME}, {"7ms..1s step 33ms", DLQ_UNIT_TIME},
        {"0..3 step 0.1", DLQ_UNIT_FACTOR}, {"1..3 step 1", DLQ_UNIT_FACTOR},      {"1.1ms, 2.385s, 1h", DLQ_UNIT_TIME},
        {"5%..95% in 13", DLQ_UNIT_SHARE},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char why[WHY] = "";
        struct dlq_range range = {0};
        CHECK(dlq_range_parse(texts[i].text, texts[i].unit, 0, 1e6, &range, why, sizeof why), "'%s': %s", texts[i].text,
              why);
        check_round_trip(&range, texts[i].unit);
    }
    struct dlq_range range = dlq_range_counts(1, 17);
    check_round_trip(&range, DLQ_UNIT_COUNT);
    for (size_t count = 2; count < 200; count += 13) {
        range = (struct dlq_range){.count = count, .logarithmic = count % 2 == 0, .low = 0.7 / 4, .high = 0.7 * 2};
        check_round_trip(&range, DLQ_UNIT_TIME);
        CHECK(dlq_range_value(&range, count - 1) == 0.7 * 2, "%zu points do not meet the end", count);
    }
}

static void writes_shortly(void)
{
    static const struct {
        const char *text, *want;
        enum dlq_unit unit;
    } cases[] = {
        {"1 .. 32 step 1", "1..32", DLQ_UNIT_COUNT},
        {"1..64 step 4", "1..64 step 4", DLQ_UNIT_COUNT},
        {"0.05s..2000ms in 24 log", "50ms..2s in 24 log", DLQ_UNIT_TIME},
        {"1,2 ,4", "1, 2, 4", DLQ_UNIT_COUNT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char why[WHY];
        char text[TEXT];
        struct dlq_range range = {0};
        CHECK(dlq_range_parse(cases[i].text, cases[i].unit, 0, 100, &range, why, sizeof why), "%s", why);
        dlq_range_exact(&range, cases[i].unit, text, sizeof text);
        CHECK_TEXT(text, cases[i].want);
        char tiny[4];
        dlq_range_exact(&range, cases[i].unit, tiny, sizeof tiny);
        CHECK(strncmp(tiny, cases[i].want, 3) == 0 && tiny[3] == '\0', "'%s' in four bytes", tiny);
    }
    char text[TEXT] = "x";
    struct dlq_range none = {0};
    dlq_range_exact(&none, DLQ_UNIT_COUNT, text, sizeof text);
    CHECK_TEXT(text, "");
    CHECK_INT(dlq_range_counts(5, 3).count, 0);
}

TEST_SUITE(range, CASE(reads), CASE(refuses), CASE(long_parts), CASE(limits_lists), CASE(reads_back_what_it_wrote),
           CASE(writes_shortly));
