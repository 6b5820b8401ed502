/* Numbers as spreadsheets and logs write them in a table: clock times, decimal commas, separators of thousands. */
#include "logs/study/table/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

bool dlq_cell_clock(const char *text, bool hours, double *seconds)
{
    double sum = 0;
    int parts = 1;
    char *end;
    if (strspn(text, DIGITS ":.") < strlen(text))
        return false;
    for (;; parts++, text = end + 1) {
        const double number = strtod(text, &end);
        if (end == text || (parts > 1 && (strspn(text, DIGITS) != 2 || number >= 60)))
            return false;
        sum = 60 * sum + number;
        if (*end == '\0')
            break;
        if (text[strspn(text, DIGITS)] != ':')
            return false;
    }
    *seconds = parts == 2 && hours ? 60 * sum : sum;
    return parts == 2 || parts == 3;
}

bool dlq_cell_number(const char *text, char separator, char *plain, size_t size, char *decimal)
{
    const size_t length = strspn(text, "-" DIGITS ".,");
    size_t used = 0, last = length;
    for (size_t i = 0; i < length; i++)
        last = strchr(".,", text[i]) != NULL ? i : last;
    *decimal = text[last];
    if (last == length || (separator == ',' && text[last] == ',' && length - last == 4))
        *decimal = '\0';
    for (size_t i = 0; i < length; i++) {
        if (used + 1 == size)
            return false;
        if (strchr(".,", text[i]) == NULL)
            plain[used++] = text[i];
        else if (i == last && *decimal != '\0')
            plain[used++] = '.';
        else if (text[i] == *decimal || strspn(text + i + 1, DIGITS) != 3 || (used == i && i > 3))
            return false;
    }
    return snprintf(plain + used, size - used, "%s", text + length) < (int)(size - used);
}
