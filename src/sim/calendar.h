/* The slowdowns of a rank's loads: pieces of time, each with its speed, drawn as far as loads need them. A load of S
   seconds at full speed that begins at L ends at max(L, R^-1(R(L) + S)), R(t) being the integral of the speed. */
#pragma once

#include "sim/kernel.h"

/* The calendar of one rank in one replication. */
struct dlq_calendar;

/* Allocates in the arena, as later calls do; borrows the point. */
enum dlq_status dlq_calendar_begin(struct dlq_arena *arena, const struct dlq_point *point, long rank,
                                   struct dlq_calendar **result);
/* Returns to time 0 of a replication. */
void dlq_calendar_start(struct dlq_calendar *calendar, uint64_t seed, uint32_t replication);
/* When stages from..to - 1 of a load end, of which the first begins at `start`. Each client (thread t of server w is
   client w * point->threads + t) must call in order of time. times[k]: s of stages 0..k at full speed. to:
   point->stages, or 1 if all stages are slowed alike. */
double dlq_calendar_end(struct dlq_calendar *calendar, long client, double start, const double *times, size_t from,
                        size_t to);
/* Until when a server's loads keep the speed that they have at the end of its last load; *speed: that speed. -INFINITY:
   the speed is 0, or changes linearly. For stages that are slowed alike, with one thread per server. */
double dlq_calendar_steady_until(struct dlq_calendar *calendar, long server, double *speed);
/* The speed of stages with use `use` at `time`; *until: how long that lasts. Calls in order of time; for slowdowns in
   steps that all servers of the rank share. */
double dlq_calendar_speed(struct dlq_calendar *calendar, int use, double time, double *until);
/* The speed of the slowest stage of a server's loads, in the middle of the time from `time` to *until, in which no
   piece ends. Calls in order of time, for one server after each start. */
double dlq_calendar_slowest(struct dlq_calendar *calendar, long server, double time, double *until);
/* Whether memory for pieces ran out: then all ends are wrong. */
bool dlq_calendar_failed(const struct dlq_calendar *calendar);
