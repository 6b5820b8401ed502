/* An input taken apart. Where it has ended, zeros follow. */
#ifndef TESTS_FUZZ_BYTES_H
#define TESTS_FUZZ_BYTES_H

#include "target.h"

#include <math.h>
#include <string.h>

struct bytes {
    const uint8_t *at;
    size_t left;
};

static inline unsigned bytes_next(struct bytes *bytes)
{
    if (bytes->left == 0)
        return 0;
    bytes->left--;
    return *bytes->at++;
}

static inline double bytes_raw(struct bytes *bytes)
{
    uint64_t bits = 0;
    double value;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | bytes_next(bytes);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Raw bits, a value at which something changes or its neighbor, or any magnitude from 1e-14 to 1e14: raw bits alone
   are hardly ever a time. */
static inline double bytes_double(struct bytes *bytes)
{
    static const double edges[] = {0,    1e-12, 1e-9, 1e-4, 0.005, 0.1, 0.5, 0.75, 1,   1.01, 2,
                                   2.01, 3,     7,    10,   100,   1e3, 1e4, 2e4,  1e6, 1e9,  1e12};
    unsigned how = bytes_next(bytes);
    double edge = edges[how % (sizeof edges / sizeof *edges)];
    switch (how >> 6) {
    case 0:
        return edge;
    case 1:
        return nextafter(edge, how & 32 ? INFINITY : -INFINITY);
    case 2:
        return bytes_raw(bytes);
    default:
        return exp((((double)bytes_next(bytes) * 256 + bytes_next(bytes)) / 65536 - 0.5) * 28 * log(10));
    }
}

/* All that is left, as a text: owned by the caller. A NUL ends it early. */
static inline char *bytes_text(const struct bytes *bytes)
{
    char *text = malloc(bytes->left + 1);
    if (text == NULL)
        abort();
    if (bytes->left > 0)
        memcpy(text, bytes->at, bytes->left);
    text[bytes->left] = '\0';
    return text;
}

#endif
