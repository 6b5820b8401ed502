#include "nearest.h"

#include <stdint.h>
#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t dlq_edit_distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1];
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return SIZE_MAX;
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= m; j++)
        before[j] = last[j] = j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[m];
}

/* Near: at most a third of the longer word is wrong, and never more than three letters. */
void dlq_nearest_offer(struct dlq_nearest *nearest, const char *candidate)
{
    size_t distance = dlq_edit_distance(nearest->name, candidate);
    size_t length = strlen(nearest->name) > strlen(candidate) ? strlen(nearest->name) : strlen(candidate);
    if (distance > 3 || distance * 3 > length + 1)
        return;
    if (nearest->best == NULL || distance < nearest->distance) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}
