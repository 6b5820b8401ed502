#include "base/option.h"

#include <string.h>

enum { LONGEST_NAME = 40 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Optimal string alignment: Damerau's four edits (1964), none twice at the same place. "laoders", "loaders" -> 1,
   "ca", "abc" -> 3. Upper and lower case are the same. */
static size_t distance(const char *a, const char *b)
{
    size_t table[LONGEST_NAME + 1][LONGEST_NAME + 1];
    size_t rows = strlen(a);
    size_t columns = strlen(b);
    for (size_t i = 0; i <= rows; i++)
        table[i][0] = i;
    for (size_t j = 0; j <= columns; j++)
        table[0][j] = j;
    for (size_t i = 1; i <= rows; i++)
        for (size_t j = 1; j <= columns; j++) {
            size_t change = table[i - 1][j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            table[i][j] = least(change, least(table[i - 1][j], table[i][j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
        }
    return table[rows][columns];
}

const char *dlq_nearest(const char *name, const char *const *names)
{
    size_t length = strlen(name);
    if (length == 0 || length > LONGEST_NAME)
        return NULL;
    const char *best = NULL;
    /* One edit in three letters, but never all of them. */
    size_t limit = (length + 2) / 3;
    for (; *names != NULL; names++) {
        if (strlen(*names) > LONGEST_NAME)
            continue;
        size_t edits = distance(name, *names);
        if (edits > limit || edits >= length || edits >= strlen(*names) || (best != NULL && edits == limit))
            continue;
        best = *names;
        limit = edits;
    }
    return best;
}
