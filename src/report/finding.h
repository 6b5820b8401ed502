/* What a sweep found, in words computed from its points: titles, knee, regions. */
#ifndef DLQ_REPORT_FINDING_H
#define DLQ_REPORT_FINDING_H

#include "report/grid.h"

/* Tints of regions. */
enum dlq_color { DLQ_COLOR_BLUE, DLQ_COLOR_AMBER, DLQ_COLOR_RED, DLQ_COLOR_GREEN, DLQ_COLOR_GRAY, DLQ_COLOR_PURPLE };

/* A bound that charts know. */
struct dlq_ruler {
    const char *name;   /* as dlq_bounds */
    const char *key;    /* in the chart's key */
    const char *region; /* "CORES-BOUND" */
    const char *holds;  /* "The storage holds it at" */
    enum dlq_color color;
    double (*of)(const struct dlq_bounds *bounds);
};

enum { DLQ_RULERS = 8, DLQ_FINDING_TEXT = 256 };
extern const struct dlq_ruler dlq_rulers[DLQ_RULERS];

/* The smallest bound at a column of the line: index into dlq_rulers. */
size_t dlq_finding_ruler(const struct dlq_grid *grid, size_t column);

/* Where bound `to` takes over from bound `from` between two neighboring columns, linearly in between. */
double dlq_finding_border(const struct dlq_grid *grid, size_t column, size_t from, size_t to);

/* What binds at a column of the line, in the verdict's word: a bound, or what costs most short of it. */
struct dlq_binding {
    const char *region; /* "VARIANCE"; the same pointer for the same word */
    enum dlq_color color;
};
struct dlq_binding dlq_finding_binds(const struct dlq_grid *grid, size_t column);
/* Where that changes between a column and the next. */
double dlq_finding_change(const struct dlq_grid *grid, size_t column);

const char *dlq_finding_throughput(const struct dlq_grid *grid, char text[DLQ_FINDING_TEXT]);
const char *dlq_finding_utilization(const struct dlq_grid *grid, char text[DLQ_FINDING_TEXT]);
/* All parameters but those on an axis that is drawn. */
const char *dlq_finding_subtitle(const struct dlq_grid *grid, size_t drawn, char *text, size_t size);

#endif
