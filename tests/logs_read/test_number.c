/* Numbers of logs: the bits of strtod. */
#include "harness.h"
#include "logs/read/format.h"

#include <stdint.h>
#include <stdlib.h>

static uint64_t next_word(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 20 ^ *state << 31;
}

/* false: the text is not read to its end, or to other bits than strtod's. */
static bool as_strtod(const char *text)
{
    double value = -1, want = strtod(text, NULL);
    const char *end = text;
    return dlq_number_read(&end, false, &value) && *end == '\0' && value == want && signbit(value) == signbit(want);
}

/* Times as programs print them: fixed places, 15 to 17 digits, exponents, Unix time; any double at all. */
static void write_random(uint64_t *state, char *text, size_t size)
{
    static const double scales[] = {1, 1e-3, 1e-9, 1e3, 1.7e9};
    uint64_t word = next_word(state);
    double value = (double)next_word(state) / 18446744073709551616.0 * scales[word % 5];
    int places = (int)(word >> 8 & 15);
    switch (word >> 16 & 7) {
    case 0:
        memcpy(&word, &(uint64_t){next_word(state)}, sizeof word);
        memcpy(&value, &word, sizeof value);
        snprintf(text, size, "%.*g", 15 + (int)(word % 3), isfinite(value) ? value : 1.0);
        break;
    case 1:
        snprintf(text, size, "%.*e", places, value);
        break;
    case 2:
    case 3:
        snprintf(text, size, "%.17g", value);
        break;
    case 4:
        snprintf(text, size, "%llu.%llu", (unsigned long long)(word >> 40), (unsigned long long)next_word(state));
        break;
    default:
        snprintf(text, size, "%.*f", places, value);
        break;
    }
}

static void random_numbers(void)
{
    uint64_t state = 1;
    char text[512];
    int wrong = 0;
    for (int i = 0; i < 1000000 && wrong < 10; i++) {
        write_random(&state, text, sizeof text);
        bool right = as_strtod(text);
        CHECK(right, "%s", text);
        wrong += !right;
    }
}

static void awkward_numbers(void)
{
    /* Some lie halfway between two doubles, or near it. */
    char texts[] = "0 -0 +1 0.0 .5 5. 007 1e0 1E+5 1e-5 1e22 1e23 9007199254740993 9007199254740992e22 "
                   "9007199254740993e-22 9999999999999999999 18446744073709551615 99999999999999999999 "
                   "1.7976931348623157e308 1e400 -1e400 4.9e-324 2e-324 1e-999999999999999999999 "
                   "0e999999999999999999999 0.000000000000000000000000000000000000000000001 "
                   "1000000000000000000000000000000000000000000000000 9223372036854775808.5 1700000000.1234567 8.5e27 "
                   "1.00000000000000011102230246251565404236316680908203125 123456789012345678e-27 "
                   "1.00000000000000011102230246251565404236316680908203126";
    char *left = NULL;
    for (const char *text = strtok_r(texts, " ", &left); text != NULL; text = strtok_r(NULL, " ", &left))
        CHECK(as_strtod(text), "%s", text);
}

static void ends(void)
{
    static const struct {
        const char *text;
        bool comma;
        double value;
        const char *rest; /* null: no number */
    } table[] = {
        {"1,5", false, 1, ",5"},     {"1,5", true, 1.5, ""},
        {"1.5,2", true, 1.5, ",2"},  {"1,5,2", true, 1.5, ",2"},
        {"1.2.3", true, 1.2, ".3"},  {"1e", false, 1, "e"},
        {"1e+", false, 1, "e+"},     {"1ex", false, 1, "ex"},
        {"0x10", false, 0, "x10"},   {"12ms", false, 12, "ms"},
        {"1_000", false, 1, "_000"}, {"", false, 0, NULL},
        {" 1", false, 0, NULL},      {"nan", false, 0, NULL},
        {"inf", false, 0, NULL},     {"-", false, 0, NULL},
        {"-.e5", false, 0, NULL},    {"--1", false, 0, NULL},
        {",5", true, 0.5, ""},       {"1,00000000000000000000000001", true, 1, ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *end = table[i].text;
        double value = 0;
        bool read = dlq_number_read(&end, table[i].comma, &value);
        CHECK(read == (table[i].rest != NULL), "'%s'", table[i].text);
        CHECK_TEXT(end, table[i].rest != NULL ? table[i].rest : table[i].text);
        CHECK_REL(value, table[i].value, 0);
    }
}

static void long_numbers(void)
{
    char text[1100];
    memset(text, '1', sizeof text);
    text[1] = '.';
    text[1023] = '\0';
    CHECK(as_strtod(text), "1023 characters");
    text[1023] = '1';
    text[1024] = '\0';
    const char *end = text;
    double value, rounding;
    CHECK(!dlq_number_read(&end, false, &value) && end == text, "1024 characters");
    CHECK(dlq_number_time("12 s", &value, &rounding) != NULL && rounding == 0.5, "a whole number");
}

TEST_SUITE(number, CASE(random_numbers), CASE(awkward_numbers), CASE(ends), CASE(long_numbers));
