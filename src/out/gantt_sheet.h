/* Where everything of a Gantt chart stands. */
#ifndef OUT_GANTT_SHEET_H
#define OUT_GANTT_SHEET_H

#include "out/chart_axis.h"
#include "out/gantt_walk.h"

/* A track in pixels below the top of the plot. */
struct dlq_gantt_place {
    double top, bottom; /* of its boxes, of its levels' axis, or of the heading */
    bool labeled;
    double most, step; /* of levels: largest sum on the axis, between tics */
    bool has_levels;   /* any of them is on the axis */
};

struct dlq_gantt_sheet {
    const struct dlq_gantt *gantt;
    struct dlq_page page;
    struct dlq_tics tics;
    const char *unit;               /* of the x axis */
    double points;                  /* of the labels at the left */
    double pitch;                   /* pixels of a track of weight 1 */
    double strip;                   /* height of the key */
    double columns, height;         /* of the plot in pixels of the picture, whole */
    struct dlq_gantt_place *places; /* owned: free() */
    double least_weight;            /* of the tracks with spans */
    struct dlq_gantt_view spans, levels;
    size_t span_count, level_count; /* on the axis, before they are joined */
    int span_pixels, level_pixels;  /* what is narrower is joined; 0: nothing is */
    struct dlq_lines note, joined;  /* below the chart: the caller's, and what was joined */
};

enum { DLQ_GANTT_EM = 8 }; /* of the smallest letters, in pixels */

/* Sizes and format are those of an open page. DLQ_INVALID: too small for the tracks. */
enum dlq_status dlq_gantt_lay_out(struct dlq_gantt_sheet *sheet, struct dlq_error *error);

/* Pixels of the page. */
double dlq_gantt_x(const struct dlq_gantt_sheet *sheet, double time);
double dlq_gantt_level_y(const struct dlq_gantt_sheet *sheet, size_t track, double level);
/* Seconds of so many pixels. */
double dlq_gantt_seconds(const struct dlq_gantt_sheet *sheet, double pixels);
/* Pixels above a track that stands apart. */
double dlq_gantt_gap(const struct dlq_gantt_sheet *sheet);

/* Of the page's letters, so that they are that many pixels high. */
double dlq_gantt_points(const struct dlq_gantt_sheet *sheet, double em);

/* -- parts -- */

/* Height of the strip with the key above a plot of that width; 0: nothing is named. */
double dlq_gantt_key_height(const struct dlq_gantt_sheet *sheet, double width);
void dlq_gantt_key_write(struct dlq_gantt_sheet *sheet);

/* Width that the labels and the tics of levels take at the left of the plot. */
double dlq_gantt_labels_width(const struct dlq_gantt_sheet *sheet);
/* Which labels are drawn: all, or every k-th of many thin rows. */
void dlq_gantt_labels_choose(struct dlq_gantt_sheet *sheet);
void dlq_gantt_labels_write(struct dlq_gantt_sheet *sheet);
/* The labels of the spans, where they fit. */
void dlq_gantt_texts_write(struct dlq_gantt_sheet *sheet);

#endif
