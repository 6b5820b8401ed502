#include "report/lever_text.h"

#include <math.h>
#include <string.h>

enum dlq_lever_kind dlq_lever_kind(const struct dlq_lever *lever)
{
    static const double least = 0.005;
    if (!lever->proven || !isfinite(lever->gain.value))
        return DLQ_LEVER_UNPROVEN;
    return fabs(lever->gain.value) >= least ? DLQ_LEVER_COUNTS : DLQ_LEVER_SMALL;
}

int dlq_lever_decimals(const struct dlq_levers *levers, double throughput)
{
    double least = throughput, most = throughput;
    for (size_t i = 0; i < levers->count; i++) {
        double value = levers->rows[i].throughput.value;
        if (!(value > 0) || !isfinite(value))
            continue;
        least = fmin(least, value); /* the number, where the other is none */
        most = fmax(most, value);
    }
    if (!(least > 0) || !isfinite(most))
        return 0;
    int wide = dlq_text_decimals(most, 3), narrow = dlq_text_decimals(least, 2);
    return wide > narrow ? wide : narrow;
}

const char *dlq_lever_gain(struct dlq_estimate gain, char text[DLQ_TEXT_NUMBER], char half[DLQ_TEXT_NUMBER])
{
    double percent = 100 * gain.value, width = 50 * (gain.high - gain.low);
    bool shows = width >= 0.05 && isfinite(width);
    int decimals = fabs(percent) < 9.95 || (shows && width < 0.95) ? 1 : 0;
    char number[DLQ_TEXT_NUMBER];
    half[0] = '\0';
    if (shows)
        dlq_text_fixed(width, decimals, half);
    dlq_text_fixed(percent, decimals, number);
    bool rises = percent > 0 && strspn(number, "0.") < strlen(number);
    snprintf(text, DLQ_TEXT_NUMBER, "%s%.48s %%", rises ? "+" : "", number);
    return text;
}
