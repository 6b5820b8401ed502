/* What is taken on the plot, on a coarse grid, and where there is room for a box of text. */
#ifndef OUT_CHART_PLACE_H
#define OUT_CHART_PLACE_H

#include "out/chart_page.h"

enum { DLQ_PLACE_COLUMNS = 200, DLQ_PLACE_ROWS = 120 };

enum dlq_taken { DLQ_TAKEN_DATA = 1, DLQ_TAKEN_TEXT = 2, DLQ_TAKEN_GUIDE = 4 };

struct dlq_places {
    struct dlq_box plot;
    unsigned char cell[DLQ_PLACE_ROWS][DLQ_PLACE_COLUMNS];
    int before[DLQ_PLACE_ROWS + 1][DLQ_PLACE_COLUMNS + 1]; /* taken cells above and left */
};

void dlq_places_clear(struct dlq_places *places, struct dlq_box plot);
/* Pixels; parts outside the plot are cut off. */
void dlq_places_line(struct dlq_places *places, double x, double y, double to_x, double to_y, enum dlq_taken taken);
void dlq_places_box(struct dlq_places *places, struct dlq_box box, enum dlq_taken taken);
/* Call after the last mark, before any question. */
void dlq_places_sum(struct dlq_places *places);
/* Taken cells under the box, and their share. */
int dlq_places_count(const struct dlq_places *places, struct dlq_box box);
/* Taken pixels along a line, guides aside. */
double dlq_places_crossed(const struct dlq_places *places, double x, double y, double to_x, double to_y);

/* The free box of that size, `inset` from the edges, nearest to a corner, the emptiest corner first. */
bool dlq_places_corner(const struct dlq_places *places, double width, double height, double inset, struct dlq_box *box);
/* The free box near a point at a good distance for an arrow that crosses nothing. */
bool dlq_places_near(const struct dlq_places *places, double width, double height, double inset, double x, double y,
                     double distance, struct dlq_box *box);
/* The point of the box nearest to x, y. */
void dlq_box_nearest(const struct dlq_box *box, double x, double y, double *near_x, double *near_y);

/* Moves ascending positions apart until neighbors are `gap` apart, within low..high where there is room. */
void dlq_spread(double *positions, size_t count, double gap, double low, double high);

#endif
