/* Slowdowns as a rank's loads meet them: pieces of time, each with its speed, drawn as far as loads need them. Work of
   S seconds at full speed that begins at L ends at max(L, R^-1(R(L) + S)), R(t) being the integral of the speed. */
#ifndef DLQ_SIM_CALENDAR_H
#define DLQ_SIM_CALENDAR_H

#include "sim/kernel.h"

/* Of one rank in one replication. */
struct dlq_calendar;

/* Null: no memory. */
struct dlq_calendar *dlq_calendar_new(const struct dlq_point *point, long rank);
void dlq_calendar_free(struct dlq_calendar *calendar);
/* Goes to time 0 of a replication. */
void dlq_calendar_start(struct dlq_calendar *calendar, uint64_t seed, uint32_t replication);
/* When stages from..to - 1 of a load end that begin at `start` on that server - or on thread t of server w: w *
   point->threads + t - no earlier than what was asked of it before. times[k]: of stages 0..k, s at full speed; to:
   point->stages, or 1 where all stages are slowed alike. */
double dlq_calendar_end(struct dlq_calendar *calendar, long server, double start, const double *times, size_t from,
                        size_t to);
/* From the end of that server's last load until then loads run at this speed; -INFINITY: it is 0, or changes all along.
   For stages that are slowed alike. */
double dlq_calendar_steady_until(const struct dlq_calendar *calendar, long server, double *speed);
/* The speed of that use at `time`, no earlier than what was asked before, and until when it lasts. For slowdowns of
   all loaders of the rank alike, in steps. */
double dlq_calendar_speed(struct dlq_calendar *calendar, int use, double time, double *until);
/* That of the slowest stage of that server's loads, in the middle of the time from then on in which nothing changes.
   For one server after a start. */
double dlq_calendar_slowest(struct dlq_calendar *calendar, long server, double time, double *until);
/* Whether there was no memory for pieces: then the ends are not true. */
bool dlq_calendar_failed(const struct dlq_calendar *calendar);

#endif
