/* What was measured, as one table for people or as CSV. */
#pragma once

#include "groups.h"
#include "turns.h"

#include <stdio.h>

struct bench_report; /* opaque */

/* Null: no memory. */
struct bench_report *bench_report_new(bool csv);
/* note: why something is missing; "" else. false: no memory. */
bool bench_report_add(struct bench_report *report, const struct bench_group *group, const struct bench_row *row,
                      const struct bench_comparison *comparison, const char *note);
void bench_report_write(const struct bench_report *report, FILE *stream);
void bench_report_free(struct bench_report *report);
