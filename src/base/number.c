/* The one formatter of numbers: all texts that show one end here. */
#include "base/quantity.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *dlq_number_thousands(const char *plain, char *text, size_t size)
{
    size_t used = 0, sign = plain[0] == '-' ? 1 : 0, whole = strcspn(plain, ".");
    for (size_t i = 0; plain[i] != '\0'; i++) {
        bool comma = i > sign && i < whole && (whole - i) % 3 == 0;
        if (used + comma + 1 >= size)
            break;
        if (comma)
            text[used++] = ',';
        text[used++] = plain[i];
    }
    text[used] = '\0';
    return text;
}

void dlq_number_trim(char *text)
{
    size_t end = strlen(text);
    if (strchr(text, '.') == NULL)
        return;
    while (text[end - 1] == '0')
        end--;
    text[text[end - 1] == '.' ? end - 1 : end] = '\0';
}

const char *dlq_quantity_fixed(double value, int decimals, char text[DLQ_QUANTITY_TEXT])
{
    char plain[DLQ_QUANTITY_TEXT];
    int length = snprintf(plain, sizeof plain, "%.*f", decimals, value);
    size_t whole = strcspn(plain, ".");
    /* What does not fit, with its separators, stays as it is; nor has an infinity thousands. */
    if (!isfinite(value) || length < 0 || (size_t)length + whole / 3 >= sizeof plain) {
        snprintf(text, DLQ_QUANTITY_TEXT, "%.6g", value);
        return text;
    }
    return dlq_number_thousands(plain, text, DLQ_QUANTITY_TEXT);
}

/* Three digits, of small values as many decimals as that takes. */
static int decimals_of(double value)
{
    int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    if (value > 0 && value < 1)
        decimals -= (int)floor(log10(value));
    return decimals > 9 ? 9 : decimals;
}

const char *dlq_quantity_rate(double value, char text[DLQ_QUANTITY_TEXT])
{
    return dlq_quantity_fixed(value, decimals_of(value), text);
}

int dlq_quantity_share_decimals(double share)
{
    double percent = 100 * fabs(share);
    return percent == 0 ? 0 : percent >= 99.95 && percent < 99.995 ? 2 : decimals_of(percent);
}

const char *dlq_quantity_share(double share, char text[DLQ_QUANTITY_TEXT])
{
    char number[DLQ_QUANTITY_TEXT];
    if (share > 0 && share < 1e-4)
        snprintf(text, DLQ_QUANTITY_TEXT, "under 0.01 %%");
    else
        snprintf(text, DLQ_QUANTITY_TEXT, "%.48s %%",
                 dlq_quantity_fixed(100 * share, dlq_quantity_share_decimals(share), number));
    return text;
}
