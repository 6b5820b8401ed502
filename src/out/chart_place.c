#include "out/chart_place.h"

#include <math.h>
#include <string.h>

void dlq_places_clear(struct dlq_places *places, struct dlq_box plot)
{
    memset(places, 0, sizeof *places);
    places->plot = plot;
}

static double cell_width(const struct dlq_places *places)
{
    return (places->plot.right - places->plot.left) / DLQ_PLACE_COLUMNS;
}

static double cell_height(const struct dlq_places *places)
{
    return (places->plot.bottom - places->plot.top) / DLQ_PLACE_ROWS;
}

static int column_of(const struct dlq_places *places, double x)
{
    double column = floor((x - places->plot.left) / cell_width(places));
    return column < 0 ? 0 : column >= DLQ_PLACE_COLUMNS ? DLQ_PLACE_COLUMNS - 1 : (int)column;
}

static int row_of(const struct dlq_places *places, double y)
{
    double row = floor((y - places->plot.top) / cell_height(places));
    return row < 0 ? 0 : row >= DLQ_PLACE_ROWS ? DLQ_PLACE_ROWS - 1 : (int)row;
}

/* One boundary of Liang and Barsky (1984): keeps the part of 0..1 where from + t * step >= 0. */
static bool clip(double from, double step, double *t0, double *t1)
{
    if (step == 0)
        return from >= 0;
    double t = -from / step;
    if (step > 0)
        *t0 = fmax(*t0, t);
    else
        *t1 = fmin(*t1, t);
    return *t0 <= *t1;
}

void dlq_places_line(struct dlq_places *places, double x, double y, double to_x, double to_y, enum dlq_taken taken)
{
    const struct dlq_box *plot = &places->plot;
    double dx = to_x - x, dy = to_y - y, t0 = 0, t1 = 1;
    if (!clip(x - plot->left, dx, &t0, &t1) || !clip(plot->right - x, -dx, &t0, &t1) ||
        !clip(y - plot->top, dy, &t0, &t1) || !clip(plot->bottom - y, -dy, &t0, &t1))
        return;
    double cells = fmax(fabs(dx) / cell_width(places), fabs(dy) / cell_height(places)) * (t1 - t0);
    int steps = 1 + (int)ceil(2 * cells);
    for (int i = 0; i <= steps; i++) {
        double t = t0 + (t1 - t0) * i / steps;
        places->cell[row_of(places, y + t * dy)][column_of(places, x + t * dx)] |= (unsigned char)taken;
    }
}

void dlq_places_box(struct dlq_places *places, struct dlq_box box, enum dlq_taken taken)
{
    const struct dlq_box *plot = &places->plot;
    if (box.right < plot->left || box.left > plot->right || box.bottom < plot->top || box.top > plot->bottom)
        return;
    for (int row = row_of(places, box.top); row <= row_of(places, box.bottom); row++)
        for (int column = column_of(places, box.left); column <= column_of(places, box.right); column++)
            places->cell[row][column] |= (unsigned char)taken;
}

void dlq_places_sum(struct dlq_places *places)
{
    for (int row = 0; row < DLQ_PLACE_ROWS; row++)
        for (int column = 0; column < DLQ_PLACE_COLUMNS; column++)
            places->before[row + 1][column + 1] = (places->cell[row][column] != 0) + places->before[row][column + 1] +
                                                  places->before[row + 1][column] - places->before[row][column];
}

int dlq_places_count(const struct dlq_places *places, struct dlq_box box)
{
    int top = row_of(places, box.top), bottom = row_of(places, box.bottom) + 1;
    int left = column_of(places, box.left), right = column_of(places, box.right) + 1;
    return places->before[bottom][right] - places->before[top][right] - places->before[bottom][left] +
           places->before[top][left];
}

double dlq_places_crossed(const struct dlq_places *places, double x, double y, double to_x, double to_y)
{
    double length = hypot(to_x - x, to_y - y), crossed = 0;
    double step = 0.5 * fmin(cell_width(places), cell_height(places));
    int steps = (int)(length / step);
    for (int i = 0; i < steps; i++) {
        double t = (double)i / steps;
        int row = row_of(places, y + t * (to_y - y)), column = column_of(places, x + t * (to_x - x));
        if ((places->cell[row][column] & (DLQ_TAKEN_DATA | DLQ_TAKEN_TEXT)) != 0)
            crossed += step;
    }
    return crossed;
}

static struct dlq_box box_at(double left, double top, double width, double height)
{
    return (struct dlq_box){left, top, left + width, top + height};
}

/* Corners in the order of preference where equally empty: bottom right, top left, top right, bottom left. */
static double corner_cost(const struct dlq_places *places, struct dlq_box box, double inset)
{
    const struct dlq_box *plot = &places->plot;
    double best = HUGE_VAL, half_x = 0.5 * (plot->left + plot->right), half_y = 0.5 * (plot->top + plot->bottom);
    for (int corner = 0; corner < 4; corner++) {
        bool right = corner == 0 || corner == 2, bottom = corner == 0 || corner == 3;
        struct dlq_box quarter = {right ? half_x : plot->left, bottom ? half_y : plot->top,
                                  right ? plot->right : half_x, bottom ? plot->bottom : half_y};
        double full = 0.25 * DLQ_PLACE_ROWS * DLQ_PLACE_COLUMNS;
        double away_x = right ? plot->right - inset - box.right : box.left - plot->left - inset;
        double away_y = bottom ? plot->bottom - inset - box.bottom : box.top - plot->top - inset;
        double cost = fabs(away_x) + fabs(away_y) + corner +
                      0.5 * (plot->right - plot->left) * dlq_places_count(places, quarter) / full;
        best = fmin(best, cost);
    }
    return best;
}

/* Positions from low in steps, up to high; none where high < low. */
struct walk {
    double low, step;
    int count;
};

static struct walk walk_over(double low, double high, double step)
{
    return (struct walk){low, step, high < low ? 0 : 1 + (int)floor((high - low) / step + 1e-9)};
}

bool dlq_places_corner(const struct dlq_places *places, double width, double height, double inset, struct dlq_box *box)
{
    const struct dlq_box *plot = &places->plot;
    double best = HUGE_VAL, left = plot->left + inset, top = plot->top + inset;
    double last_x = plot->right - inset - width, last_y = plot->bottom - inset - height;
    /* The last step ends exactly in the corner. */
    struct walk across = walk_over(left, last_x, fmax(1, (last_x - left) / 60));
    struct walk down = walk_over(top, last_y, fmax(1, (last_y - top) / 60));
    for (int i = 0; i < down.count; i++)
        for (int k = 0; k < across.count; k++) {
            struct dlq_box candidate = box_at(left + k * across.step, top + i * down.step, width, height);
            if (dlq_places_count(places, candidate) > 0)
                continue;
            double cost = corner_cost(places, candidate, inset);
            if (cost < best) {
                best = cost;
                *box = candidate;
            }
        }
    return best < HUGE_VAL;
}

void dlq_box_nearest(const struct dlq_box *box, double x, double y, double *near_x, double *near_y)
{
    *near_x = fmin(fmax(x, box->left), box->right);
    *near_y = fmin(fmax(y, box->top), box->bottom);
}

/* The curve that the arrow points at may be touched in its last pixels. */
static double near_cost(const struct dlq_places *places, const struct dlq_box *box, double x, double y, double distance)
{
    double from_x, from_y;
    dlq_box_nearest(box, x, y, &from_x, &from_y);
    double length = hypot(from_x - x, from_y - y);
    if (length < 0.4 * distance)
        return HUGE_VAL;
    double end = 1 - fmin(1, 0.3 * distance / length);
    double crossed =
        dlq_places_crossed(places, from_x, from_y, from_x + end * (x - from_x), from_y + end * (y - from_y));
    return fabs(length - distance) + 4 * crossed;
}

bool dlq_places_near(const struct dlq_places *places, double width, double height, double inset, double x, double y,
                     double distance, struct dlq_box *box)
{
    const struct dlq_box *plot = &places->plot;
    double best = HUGE_VAL;
    struct walk across = walk_over(plot->left + inset, plot->right - inset - width, cell_width(places));
    struct walk down = walk_over(plot->top + inset, plot->bottom - inset - height, cell_height(places));
    for (int i = 0; i < down.count; i++)
        for (int k = 0; k < across.count; k++) {
            struct dlq_box candidate = box_at(across.low + k * across.step, down.low + i * down.step, width, height);
            if (dlq_places_count(places, candidate) > 0)
                continue;
            double cost = near_cost(places, &candidate, x, y, distance);
            if (cost < best) {
                best = cost;
                *box = candidate;
            }
        }
    return best < HUGE_VAL;
}

void dlq_spread(double *positions, size_t count, double gap, double low, double high)
{
    for (size_t i = 0; i < count; i++)
        positions[i] = fmax(positions[i], i == 0 ? low : positions[i - 1] + gap);
    for (size_t i = count; i-- > 0;)
        positions[i] = fmin(positions[i], i + 1 == count ? high : positions[i + 1] - gap);
}
