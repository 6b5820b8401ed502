/* UTF-8: well-formed and malformed texts. */
#include "base/utf8.h"
#include "harness.h"

static void decodes(void)
{
    static const struct {
        const char *bytes;
        size_t length;
        uint32_t point;
    } cases[] = {
        {"A", 1, 'A'},
        {"\xC2\x80", 2, 0x80},
        {"\xC2\xB5s", 2, 0xB5},
        {"\xDF\xBF", 2, 0x7FF},
        {"\xE0\xA0\x80", 3, 0x800},
        {"\xF0\x90\x80\x80", 4, 0x10000},
        {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
        {"", 0, 0},
        {"\x80", 0, 0},
        {"\xC1\xBF", 0, 0},
        {"\xE0\x9F\xBF", 0, 0},
        {"\xED\xBF\xBF", 0, 0},
        {"\xF0\x8F\xBF\xBF", 0, 0},
        {"\xF4\x90\x80\x80", 0, 0},
        {"\xF8\x88\x80\x80\x80", 0, 0},
        {"\xC3", 0, 0},
        {"\xE2\x82", 0, 0},
        {"\xE2\x82z", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t point = 0;
        size_t length = dlq_utf8_decode(cases[i].bytes, &point);
        CHECK(length == cases[i].length && point == cases[i].point, "case %zu: %zu bytes, U+%04X", i, length,
              (unsigned)point);
        if (cases[i].bytes[0] == '\0')
            continue;
        /* The same for what is shown: U+FFFD for a byte that is no UTF-8; and back. */
        unsigned next = 0;
        char bytes[DLQ_UTF8_BYTES];
        size_t size = dlq_utf8_next(cases[i].bytes, &next);
        CHECK(size == (length > 0 ? length : 1), "case %zu: %zu bytes of %zu", i, size, length);
        CHECK(next == (length > 0 ? point : DLQ_UTF8_REPLACEMENT), "case %zu: U+%04X", i, next);
        if (length > 0)
            CHECK(dlq_utf8_put(bytes, next) == size && memcmp(bytes, cases[i].bytes, size) == 0, "case %zu back", i);
    }
}

static void validates(void)
{
    CHECK(dlq_utf8_valid("ResNet-50 auf K\xC3\xBChler 4") && dlq_utf8_valid(""), "letters, nothing");
    CHECK(!dlq_utf8_valid("a\tb") && !dlq_utf8_valid("\xC2\x85.") && !dlq_utf8_valid("K\xFChler"),
          "a tab, U+0085, Latin-1");
}

static void quotes(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"700ms", "700ms"},
        {"K\xC3\xBChler", "K\xC3\xBChler"},
        {"loaders\xC2\xA0", "loaders\\xC2\\xA0"},
        {"\xA0", "\\xA0"},
        {"a\nb\x1B", "a\\x0A"
                     "b\\x1B"},
        {"\xE2\x80\xAEtxt", "\\xE2\\x80\\xAEtxt"},
        {"\xEF\xBB\xBFk", "\\xEF\\xBB\\xBFk"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char quoted[DLQ_QUOTED];
        CHECK_TEXT(dlq_quoted(cases[i].text, quoted), cases[i].want);
    }
}

static void shortens(void)
{
    char text[1000];
    char quoted[DLQ_QUOTED];
    for (int byte = 1; byte < 256; byte++) {
        memset(text, byte, sizeof text - 1);
        text[sizeof text - 1] = '\0';
        dlq_quoted(text, quoted);
        size_t length = strlen(quoted);
        CHECK(length > 90 && length < DLQ_QUOTED && strcmp(quoted + length - 3, "...") == 0, "byte %d: '%s'", byte,
              quoted);
    }
}

TEST_SUITE(utf8, CASE(decodes), CASE(validates), CASE(quotes), CASE(shortens));
