#include "report/animate_pace.h"

#include "draw/text.h"

#include <math.h>
#include <stdio.h>

enum { TICKS = 100 }; /* of a GIF's clock, in a second */
static const double usual_rate = 10, least_rate = 4;

/* In six digits, on the safe side. */
static double rounded(double value, double (*direction)(double))
{
    double power = pow(10, floor(log10(value)) - 5);
    return direction(value / power + (direction == floor ? 1e-6 : -1e-6)) * power;
}

static enum dlq_status too_long(double from, double play, double speed, struct dlq_error *error)
{
    double most = DLQ_PACE_FRAMES / least_rate;
    char lasts[DLQ_TEXT_NUMBER];
    return dlq_error_add(
        error, DLQ_INVALID,
        "the animation would last %s: at most %g s (%d frames, %g a second); show less (--until %.6gs) "
        "or play it faster (--speed %.6g)",
        dlq_text_time(play, 3, lasts), most, DLQ_PACE_FRAMES, least_rate, rounded(from + most * speed, floor),
        rounded(play * speed / most, ceil));
}

enum dlq_status dlq_pace_set(double from, double until, double speed, struct dlq_pace *pace, struct dlq_error *error)
{
    if (!(speed > 0 && isfinite(speed)))
        return dlq_error_add(error, DLQ_INVALID, "a speed of %g: it must be above 0", speed);
    if (!(isfinite(from) && isfinite(until) && until > from))
        return dlq_error_add(error, DLQ_INVALID, "nothing to animate between %g s and %g s", from, until);
    double play = (until - from) / speed;
    if (play * least_rate > DLQ_PACE_FRAMES * (1 + 1e-9))
        return too_long(from, play, speed, error);
    double ticks = fmax(TICKS / usual_rate, ceil(play * TICKS / DLQ_PACE_FRAMES - 1e-9));
    long frames = lrint(play * TICKS / ticks);
    *pace = (struct dlq_pace){from, until, frames > 0 ? frames : 1, ticks / TICKS};
    return DLQ_OK;
}

double dlq_pace_time(const struct dlq_pace *pace, long frame)
{
    double share = (double)(frame + 1) / (double)pace->frames;
    return frame + 1 >= pace->frames ? pace->until : pace->from + (pace->until - pace->from) * share;
}

/* 0.1 needs one, 0.25 two. */
static int decimals_for(double step)
{
    int decimals = dlq_text_decimals(step, 1);
    double shown = step * pow(10, decimals);
    return fabs(shown - rint(shown)) > 0.05 ? decimals + 1 : decimals;
}

void dlq_pace_clock(const struct dlq_pace *pace, double time, char *text, size_t size)
{
    static const struct {
        double from, scale;
        const char *name;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {0, 1e6, "\xc2\xb5s"}};
    size_t unit = 0;
    while (pace->until < units[unit].from)
        unit++;
    double step = (pace->until - pace->from) / (double)pace->frames * units[unit].scale;
    char number[DLQ_TEXT_NUMBER];
    dlq_text_fixed(time * units[unit].scale, decimals_for(step), number);
    snprintf(text, size, "t = %s %s", number, units[unit].name);
}
