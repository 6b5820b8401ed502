/* Times in charts. */
#ifndef DLQ_REPORT_PICTURE_TIME_H
#define DLQ_REPORT_PICTURE_TIME_H

#include "draw/text.h"

/* The unit that a time reads best in: factor from seconds, and its name. */
double dlq_picture_unit(double seconds, const char **name);

/* Two digits; in ms from 0.1 ms on, as waits are thought of. */
const char *dlq_picture_time(double seconds, char text[DLQ_TEXT_NUMBER]);

#endif
