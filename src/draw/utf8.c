#include "draw/utf8.h"

#include "base/utf8.h"

/* Rows by length: the lead byte's fixed bits and the smallest code point that needs that many bytes (RFC 3629). */
static const struct {
    unsigned lead, least;
} forms[DLQ_UTF8_BYTES] = {{0x00, 0}, {0xC0, 0x80}, {0xE0, 0x800}, {0xF0, 0x10000}};

size_t dlq_utf8_next(const char *text, unsigned *point)
{
    uint32_t value;
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
