/* UTF-8: decodes and encodes characters; checks, cleans and quotes texts. */
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

/* Rows by length: the lead byte's fixed bits and the smallest code point that needs that many bytes (RFC 3629). */
static const struct {
    unsigned lead, least;
} forms[DLQ_UTF8_BYTES] = {{0x00, 0}, {0xC0, 0x80}, {0xE0, 0x800}, {0xF0, 0x10000}};

/* RFC 3629, section 3: only the shortest form is valid. */
size_t dlq_utf8_decode(const char *text, uint32_t *point)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned lead = bytes[0];
    size_t length = lead < 0x80 ? 1 : lead < 0xC0 || lead > 0xF7 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (bytes[0] == '\0' || length == 0)
        return 0;
    uint32_t value = length == 1 ? bytes[0] : bytes[0] & (0xFFU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0U) != 0x80U)
            return 0;
        value = value << 6 | (bytes[i] & 0x3FU);
    }
    if (value < forms[length - 1].least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *point = value;
    return length;
}

size_t dlq_utf8_next(const char *text, unsigned *point)
{
    uint32_t value = 0;
    size_t size = dlq_utf8_decode(text, &value);
    *point = size > 0 ? value : DLQ_UTF8_REPLACEMENT;
    return size > 0 ? size : 1;
}

size_t dlq_utf8_put(char bytes[DLQ_UTF8_BYTES], unsigned point)
{
    size_t form = DLQ_UTF8_BYTES - 1;
    while (point < forms[form].least)
        form--;
    for (size_t i = form; i > 0; i--) {
        bytes[i] = (char)(0x80U | (point & 0x3FU));
        point >>= 6;
    }
    bytes[0] = (char)(forms[form].lead | point);
    return form + 1;
}

bool dlq_utf8_is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7F && point <= 0x9F);
}

size_t dlq_utf8_step(const char *text, bool *printable)
{
    uint32_t point = 0;
    size_t length = dlq_utf8_decode(text, &point);
    *printable = length > 0 && !dlq_utf8_is_control(point);
    return length > 0 ? length : 1;
}

bool dlq_utf8_valid(const char *text)
{
    bool printable = true;
    while (*text != '\0' && printable)
        text += dlq_utf8_step(text, &printable);
    return printable;
}

char *dlq_utf8_clean(char *text)
{
    char *to = text;
    for (const char *from = text; from != NULL && *from != '\0';) {
        bool printable;
        size_t length = dlq_utf8_step(from, &printable);
        memmove(to, printable ? from : "?", printable ? length : 1);
        to += printable ? length : 1;
        from += length;
    }
    if (to != NULL)
        *to = '\0';
    return text;
}

const char *dlq_quoted(const char *text, char quoted[DLQ_QUOTED])
{
    /* Blanks other than ' ', invisible characters, and characters that change the direction of writing. */
    static const struct {
        uint32_t first, last;
    } deceptive[] = {
        {0xA0, 0xA0},     {0xAD, 0xAD},     {0x61C, 0x61C},   {0x1680, 0x1680}, {0x180E, 0x180E}, {0x2000, 0x200F},
        {0x2028, 0x202F}, {0x205F, 0x206F}, {0x3000, 0x3000}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFF},
    };
    enum { LONGEST = 4 * 4, ELLIPSIS = 3 };
    size_t used = 0;
    while (*text != '\0' && used + LONGEST + ELLIPSIS < DLQ_QUOTED) {
        uint32_t point = 0;
        size_t length = dlq_utf8_decode(text, &point);
        bool plain = length > 0 && !dlq_utf8_is_control(point);
        for (size_t i = 0; i < sizeof deceptive / sizeof *deceptive; i++)
            plain = plain && (point < deceptive[i].first || point > deceptive[i].last);
        if (plain) {
            memcpy(quoted + used, text, length);
            used += length;
            text += length;
            continue;
        }
        for (length += length == 0; length > 0; length--, text++)
            used += (size_t)snprintf(quoted + used, DLQ_QUOTED - used, "\\x%02X", (unsigned char)*text);
    }
    snprintf(quoted + used, DLQ_QUOTED - used, "%s", *text == '\0' ? "" : "...");
    return quoted;
}
