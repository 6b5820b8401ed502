#include "report/pictures/picture_time.h"

double dlq_picture_unit(double seconds, const char **name)
{
    *name = seconds >= 0.9995 ? "s" : seconds >= 0.9995e-3 ? "ms" : "us";
    return seconds >= 0.9995 ? 1 : seconds >= 0.9995e-3 ? 1e3 : 1e6;
}

const char *dlq_picture_time(double seconds, char text[DLQ_TEXT_NUMBER])
{
    if (seconds == 0)
        return "0";
    if (!(seconds >= 0.095e-3 && seconds < 0.995e-3))
        return dlq_text_time(seconds, 2, text);
    snprintf(text, DLQ_TEXT_NUMBER, "%.2g ms", 1e3 * seconds);
    return text;
}
