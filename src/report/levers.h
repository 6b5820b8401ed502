/* What changes gain, in words and as a table. */
#ifndef DLQ_REPORT_LEVERS_H
#define DLQ_REPORT_LEVERS_H

#include "dlqueue/error.h"
#include "dlqueue/levers.h"

#include <stdio.h>

/* What a change is worth saying. */
enum dlq_lever_kind {
    DLQ_LEVER_COUNTS,  /* proven, at least 0.5 % */
    DLQ_LEVER_SMALL,   /* proven, less */
    DLQ_LEVER_UNPROVEN /* or without a gain */
};
enum dlq_lever_kind dlq_lever_kind(const struct dlq_lever *lever);

/* A table of the gains and losses that are proven, and in words what gains little or is not proven. Nothing where there
   are no levers. DLQ_FAILURE: no memory. */
enum dlq_status dlq_report_levers(FILE *stream, const struct dlq_levers *levers, struct dlq_error *error);

#endif
