/* Quantities: read, written exactly and for people, refused. */
#include "base/quantity.h"
#include "harness.h"

#include <float.h>

enum { WHY = 256 };

static void reads(void)
{
    static const struct {
        const char *text;
        enum dlq_unit unit;
        double want; /* exactly */
    } cases[] = {
        {"700ms", DLQ_UNIT_TIME, 0.7},
        {"40us", DLQ_UNIT_TIME, 4e-5},
        {"40\xC2\xB5s", DLQ_UNIT_TIME, 4e-5},
        {"123456789ns", DLQ_UNIT_TIME, 0.123456789},
        {"2s", DLQ_UNIT_TIME, 2},
        {" 2.385 \t s ", DLQ_UNIT_TIME, 2.385},
        {"1.5 min", DLQ_UNIT_TIME, 90},
        {".25s", DLQ_UNIT_TIME, 0.25},
        {"1e-3 s", DLQ_UNIT_TIME, 1e-3},
        {"0", DLQ_UNIT_TIME, 0},
        {"-0ms", DLQ_UNIT_TIME, 0},
        {"110KB", DLQ_UNIT_SIZE, 110e3},
        {"1.2GiB", DLQ_UNIT_SIZE, 1.2 * 1073741824.0},
        {"1 KiB", DLQ_UNIT_SIZE, 1024},
        {"1.1TB", DLQ_UNIT_SIZE, 1.1e12},
        {"2GB/s", DLQ_UNIT_RATE, 2e9},
        {"30%", DLQ_UNIT_RATIO, 0.3},
        {"1.7", DLQ_UNIT_RATIO, 1.7},
        {"10", DLQ_UNIT_RATIO, 10},
        {"3000%", DLQ_UNIT_RATIO, 30},
        {"30x", DLQ_UNIT_RATIO, 30},
        {"400Gb/s", DLQ_UNIT_RATE, 5e10},
        {"400Gbit/s", DLQ_UNIT_RATE, 5e10},
        {"100 Mbit/s", DLQ_UNIT_RATE, 1.25e7},
        {"512KiB/s", DLQ_UNIT_RATE, 524288},
        {"95%", DLQ_UNIT_SHARE, 0.95},
        {"0.95", DLQ_UNIT_SHARE, 0.95},
        {"1e6", DLQ_UNIT_COUNT, 1e6},
        {"1.5e1", DLQ_UNIT_COUNT, 15},
        {"9007199254740992", DLQ_UNIT_COUNT, 9007199254740992.0},
        {"3x", DLQ_UNIT_FACTOR, 3},
        {"-1.5x", DLQ_UNIT_FACTOR, -1.5},
        {"-2.5e-3", DLQ_UNIT_NUMBER, -2.5e-3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char why[WHY] = "";
        double value = -1;
        CHECK(dlq_quantity_parse(cases[i].text, cases[i].unit, &value, why, sizeof why), "'%s': %s", cases[i].text,
              why);
        CHECK(value == cases[i].want && !signbit(value) == !signbit(cases[i].want), "'%s' is %.17g, expected %.17g",
              cases[i].text, value, cases[i].want);
    }
}

static void refuses(void)
{
    static const struct {
        const char *text;
        enum dlq_unit unit;
        const char *part; /* of the reason */
    } cases[] = {
        {"70 parsecs", DLQ_UNIT_TIME, "'70 parsecs' is not a time (expected e.g. 700ms, 2s)"},
        {"200", DLQ_UNIT_TIME, "'200' is not a time (it has no unit; expected e.g. 700ms, 2s)"},
        {"1,5 s", DLQ_UNIT_TIME, "decimals follow a point"},
        {"1e400 s", DLQ_UNIT_TIME, "too large"},
        {"1e-400 s", DLQ_UNIT_TIME, "too small"},
        {"nan", DLQ_UNIT_TIME, "'nan' is not a time"},
        {"inf", DLQ_UNIT_NUMBER, "'inf' is not a number"},
        {"0x10 s", DLQ_UNIT_TIME, "not a time"},
        {"-3 s", DLQ_UNIT_TIME, "'-3 s' is negative"},
        {"-1", DLQ_UNIT_COUNT, "negative"},
        {"", DLQ_UNIT_TIME, "no value (expected a time, e.g. 700ms, 2s)"},
        {"+5s", DLQ_UNIT_TIME, "not a time"},
        {"1.s", DLQ_UNIT_TIME, "not a time"},
        {"1e", DLQ_UNIT_NUMBER, "not a number"},
        {"2gb/s", DLQ_UNIT_RATE, "did you mean Gb/s or GB/s? b is bits, B is bytes"},
        {"40GBps", DLQ_UNIT_RATE, "did you mean Gb/s or GB/s? b is bits, B is bytes"},
        {"40GiB/sec", DLQ_UNIT_RATE, "did you mean GiB/s?"},
        {"30", DLQ_UNIT_RATIO, "30 is 3000%; did you mean 30%? (if not, write 30x)"},
        {"12.5", DLQ_UNIT_RATIO, "12.5 is 1250%; did you mean 12.5%? (if not, write 12.5x)"},
        {"30y", DLQ_UNIT_RATIO, "is not a number or a share"},
        {"2 MS", DLQ_UNIT_TIME, "did you mean ms?"},
        {"2gib", DLQ_UNIT_SIZE, "did you mean GiB?"},
        {"1.5", DLQ_UNIT_COUNT, "'1.5' is not a whole number"},
        {"9007199254740994", DLQ_UNIT_COUNT, "too large"},
        {"5\xA0s", DLQ_UNIT_TIME, "'5\\xA0s' is not a time"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char why[WHY] = "";
        double value = 2.385;
        CHECK(!dlq_quantity_parse(cases[i].text, cases[i].unit, &value, why, sizeof why), "'%s' was read as %g",
              cases[i].text, value);
        CHECK(value == 2.385, "'%s' changed the value to %g", cases[i].text, value);
        CHECK(strstr(why, cases[i].part) != NULL, "'%s': %s", cases[i].text, why);
    }
}

static void survives_long_texts(void)
{
    char text[5000];
    char why[WHY];
    double value = 1;
    memset(text, '7', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CHECK(!dlq_quantity_parse(text, DLQ_UNIT_NUMBER, &value, why, sizeof why), "5000 digits were read");
    memset(text + 2, 'm', sizeof text - 3);
    CHECK(!dlq_quantity_parse(text, DLQ_UNIT_TIME, &value, why, sizeof why), "a long unit was read");
    char tiny[8];
    CHECK(!dlq_quantity_parse("70 parsecs", DLQ_UNIT_TIME, &value, tiny, sizeof tiny), "parsecs were read");
    CHECK_TEXT(tiny, "'70 par");
}

static void reads_seeds(void)
{
    static const struct {
        const char *text;
        bool good;
        uint64_t want;
    } cases[] = {
        {"0", true, 0},
        {"1", true, 1},
        {"007", true, 7},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"-1", false, 0},
        {"+1", false, 0},
        {"1e6", false, 0},
        {"abc", false, 0},
        {" 1", false, 0},
        {"", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char why[WHY] = "";
        uint64_t seed = 4711;
        bool good = dlq_quantity_parse_seed(cases[i].text, &seed, why, sizeof why);
        CHECK(good == cases[i].good && seed == (good ? cases[i].want : 4711), "'%s': %d", cases[i].text, (int)good);
        CHECK(good == (why[0] == '\0'), "'%s': %s", cases[i].text, why);
    }
}

static void writes_exactly(void)
{
    static const struct {
        double value;
        enum dlq_unit unit;
        const char *want;
    } cases[] = {
        {0.7, DLQ_UNIT_TIME, "700ms"},
        {2, DLQ_UNIT_TIME, "2s"},
        {1e-5, DLQ_UNIT_TIME, "10us"},
        {0, DLQ_UNIT_TIME, "0"},
        {90, DLQ_UNIT_TIME, "90s"},
        {86400, DLQ_UNIT_TIME, "1d"},
        {0.0105, DLQ_UNIT_TIME, "10.5ms"},
        {110e3, DLQ_UNIT_SIZE, "110KB"},
        {1.2 * 1073741824.0, DLQ_UNIT_SIZE, "1.2GiB"},
        {1152 * 1073741824.0, DLQ_UNIT_SIZE, "1152GiB"},
        {1e11, DLQ_UNIT_RATE, "100GB/s"},
        {1.25e10, DLQ_UNIT_RATE, "12.5GB/s"},
        {1.25e10, DLQ_UNIT_BIT_RATE, "100Gb/s"},
        {1.2 * 1024 * 1024, DLQ_UNIT_BINARY_RATE, "1.2MiB/s"},
        {1000, DLQ_UNIT_BINARY_RATE, "1000B/s"},
        {0.95, DLQ_UNIT_SHARE, "95%"},
        {1, DLQ_UNIT_SHARE, "100%"},
        {0, DLQ_UNIT_SHARE, "0%"},
        {5005, DLQ_UNIT_COUNT, "5005"},
        {1e6, DLQ_UNIT_COUNT, "1000000"},
        {3e9, DLQ_UNIT_COUNT, "3e9"},
        {-2.385, DLQ_UNIT_NUMBER, "-2.385"},
        {9.5, DLQ_UNIT_RATIO, "9.5"},
        {12.5, DLQ_UNIT_RATIO, "12.5x"}, /* as it is read */
        {1e-12, DLQ_UNIT_NUMBER, "1e-12"},
        {NAN, DLQ_UNIT_TIME, ""},
        {INFINITY, DLQ_UNIT_NUMBER, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[DLQ_QUANTITY_TEXT];
        dlq_quantity_exact(cases[i].value, cases[i].unit, text);
        CHECK_TEXT(text, cases[i].want);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U; /* Knuth's MMIX generator */
    return *state >> 11;
}

/* Doubles of all magnitudes, with few and with all digits. */
static void reads_back_what_it_wrote(void)
{
    uint64_t state = 20240517;
    for (int i = 0; i < 4000; i++) {
        enum dlq_unit unit = (enum dlq_unit)(i % 7);
        double value = (double)next_random(&state) * pow(10, (double)(next_random(&state) % 60) - 40);
        if (i % 3 == 0)
            value = (double)(next_random(&state) % 100000) * (i % 2 == 0 ? 1e-6 : 1);
        if (unit == DLQ_UNIT_COUNT)
            value = floor(fmin(value, 9007199254740992.0));
        char text[DLQ_QUANTITY_TEXT];
        char why[WHY] = "";
        double back = -1;
        dlq_quantity_exact(value, unit, text);
        CHECK(dlq_quantity_parse(text, unit, &back, why, sizeof why) && back == value, "%.17g became '%s', then %.17g",
              value, text, back);
    }
}

static void writes_for_people(void)
{
    static const struct {
        double value;
        enum dlq_unit unit;
        int digits;
        const char *want;
    } cases[] = {
        {0.7, DLQ_UNIT_TIME, 3, "700 ms"},
        {1.38123, DLQ_UNIT_TIME, 3, "1.38 s"},
        {0.99996, DLQ_UNIT_TIME, 3, "1 s"},
        {4.02e-5, DLQ_UNIT_TIME, 3, "40.2 us"},
        {90, DLQ_UNIT_TIME, 3, "90 s"},
        {138, DLQ_UNIT_TIME, 3, "2.3 min"},
        {259200, DLQ_UNIT_TIME, 3, "3 d"},
        {0, DLQ_UNIT_TIME, 3, "0 s"},
        {-0.25, DLQ_UNIT_TIME, 3, "-250 ms"},
        {2.1e9, DLQ_UNIT_SIZE, 3, "2.1 GB"},
        {5e10, DLQ_UNIT_RATE, 3, "50 GB/s"},
        {5e10, DLQ_UNIT_BIT_RATE, 3, "400 Gb/s"},
        {1.25e7, DLQ_UNIT_BIT_RATE, 3, "100 Mb/s"},
        {1e10, DLQ_UNIT_BINARY_RATE, 3, "9.31 GiB/s"},
        {0.951, DLQ_UNIT_SHARE, 3, "95.1 %"},
        {0.00012, DLQ_UNIT_SHARE, 3, "0.012 %"},
        {5005, DLQ_UNIT_COUNT, 2, "5005"},
        {1.9004, DLQ_UNIT_FACTOR, 2, "1.9x"},
        {2.38543, DLQ_UNIT_NUMBER, 4, "2.385"},
        {1234.5, DLQ_UNIT_NUMBER, 3, "1230"},
        {1e300, DLQ_UNIT_NUMBER, 3, "1e+300"},
        {1e-300, DLQ_UNIT_TIME, 3, "1e-291 ns"},
        {NAN, DLQ_UNIT_TIME, 3, "-"},
        {INFINITY, DLQ_UNIT_RATE, 3, "unbounded"},
        {0.1, DLQ_UNIT_NUMBER, 99, "0.1"},
        {10440, DLQ_UNIT_TIME, 3, "2.9 h"},
        {7195, DLQ_UNIT_TIME, 3, "2 h"},
        {7194, DLQ_UNIT_TIME, 3, "120 min"},
        {DBL_MAX, DLQ_UNIT_NUMBER, 1, "2e+308"},
        {-DBL_MAX, DLQ_UNIT_SHARE, 3, "-unbounded"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[DLQ_QUANTITY_TEXT];
        dlq_quantity_readable(cases[i].value, cases[i].unit, cases[i].digits, text);
        CHECK_TEXT(text, cases[i].want);
    }
}

/* Numbers of so many digits, with so many decimals, rates and shares. */
static void writes_numbers(void)
{
    enum form { NUMBER, FIXED, RATE, SHARE };
    static const struct {
        enum form form;
        int digits;
        double value;
        const char *want;
    } cases[] = {
        {NUMBER, 4, 1482.3, "1,482"},
        {NUMBER, 2, 1482.3, "1,482"},
        {NUMBER, 3, 2.385, "2.38"},
        {NUMBER, 9, 2.385, "2.385"},
        {NUMBER, 3, 2.1, "2.1"},
        {NUMBER, 3, 8, "8"},
        {NUMBER, 3, 9.996, "10"},
        {NUMBER, 3, -0.0, "0"},
        {NUMBER, 3, -1234567.89, "-1,234,568"},
        {NUMBER, 4, -123.456, "-123.5"},
        {NUMBER, 3, 999, "999"},
        {NUMBER, 3, 0.000123456, "0.000123"},
        {NUMBER, 3, 1.23456e-9, "1.23e-09"},
        {NUMBER, 3, 999999999999999, "999,999,999,999,999"},
        {NUMBER, 3, 1e15, "1e+15"},
        {NUMBER, 3, 1.7976931348623157e308, "1.8e+308"},
        {NUMBER, 99, 1.0 / 3, "0.333333333333333"},
        {NUMBER, -5, 1.0 / 3, "0.3"},
        {NUMBER, 3, NAN, "-"},
        {NUMBER, 3, -INFINITY, "-unbounded"},
        {FIXED, 2, 1234.5, "1,234.50"},
        {FIXED, 2, -0.004, "0.00"},
        {FIXED, 2, -0.006, "-0.01"},
        {FIXED, 0, 12, "12"},
        {FIXED, 0, 123456, "123,456"},
        {FIXED, 1, -1234, "-1,234.0"},
        {FIXED, 3, 1e15, "1e+15"},
        {FIXED, 3, NAN, "-"},
        {FIXED, -3, 0.5, "0"},
        {FIXED, 3, 999.9996, "1,000.000"},
        {FIXED, 15, 123456789012345, "123,456,789,012,345.000000000000000"},
        {RATE, 0, 6.4964, "6.50"},
        {RATE, 0, 9.996, "10.0"},
        {RATE, 0, 0.0123, "0.0123"},
        {RATE, 0, 237.6, "238"},
        {RATE, 0, 875526.3, "875,526"},
        {SHARE, 0, 0.4576, "45.8 %"},
        {SHARE, 0, 0.65, "65.0 %"},
        {SHARE, 0, 1, "100 %"},
        {SHARE, 0, 0.99969, "99.97 %"},
        {SHARE, 0, 0.99997, "100 %"},
        {SHARE, 0, 0.05, "5.00 %"},
        {SHARE, 0, 0.00403, "0.403 %"},
        {SHARE, 0, 0, "0 %"},
        {SHARE, 0, 5e-5, "under 0.01 %"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[DLQ_QUANTITY_TEXT];
        const enum form form = cases[i].form;
        const double value = cases[i].value;
        CHECK_TEXT(form == NUMBER  ? dlq_text_number(value, cases[i].digits, text)
                   : form == FIXED ? dlq_text_fixed(value, cases[i].digits, text)
                   : form == RATE  ? dlq_text_rate(value, text)
                                   : dlq_text_share(value, text),
                   cases[i].want);
    }
}

static void chooses_decimals(void)
{
    static const struct {
        double magnitude;
        int digits, decimals;
    } cases[] = {{2.385, 3, 2},  {9.996, 3, 1},   {9.994, 3, 2},  {123.4, 3, 0}, {98765, 2, 0}, {0.0712, 3, 4},
                 {0.0712, 1, 2}, {1e-300, 3, 15}, {1e300, 15, 0}, {0, 3, 2},     {1, 1000, 14}, {1, -1000, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_INT(dlq_text_decimals(cases[i].magnitude, cases[i].digits), cases[i].decimals);
}

static void names_limits(void)
{
    char why[WHY] = "";
    CHECK(dlq_quantity_within(0.7, DLQ_UNIT_TIME, 0.7, 0.7, why, sizeof why), "the ends belong to the range");
    CHECK(!dlq_quantity_within(5000, DLQ_UNIT_COUNT, 0, 4096, why, sizeof why), "5000 in 0..4096");
    CHECK_TEXT(why, "5000 is not in 0..4096");
    CHECK(!dlq_quantity_within(0.5, DLQ_UNIT_FACTOR, 1, INFINITY, why, sizeof why), "0.5 above 1");
    CHECK_TEXT(why, "0.5 is below 1");
    CHECK(!dlq_quantity_within(2, DLQ_UNIT_TIME, -INFINITY, 0.7, why, sizeof why), "2 below 0.7");
    CHECK_TEXT(why, "2s is above 700ms");
}

TEST_SUITE(quantity, CASE(reads), CASE(refuses), CASE(survives_long_texts), CASE(reads_seeds), CASE(writes_exactly),
           CASE(reads_back_what_it_wrote), CASE(writes_for_people), CASE(writes_numbers), CASE(chooses_decimals),
           CASE(names_limits));
