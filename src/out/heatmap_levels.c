#include "out/heatmap_levels.h"

#include "out/chart_place.h"

#include <math.h>

static const double label_points = 14;

static bool within(double threshold)
{
    return isfinite(threshold);
}

/* The threshold of the next column that has values; 0 behind the last. */
static double next_threshold(const struct dlq_grid *grid, size_t column, double level)
{
    for (size_t next = column + 1; next < grid->map->columns; next++) {
        double threshold = dlq_grid_threshold(grid, next, level);
        if (!isnan(threshold))
            return threshold;
    }
    return 0;
}

/* From below the plot to above it or back, between two neighbors. */
static bool passes_through(double threshold, double next)
{
    return !isnan(threshold) && !isnan(next) && !within(threshold) && !within(next) && threshold != next;
}

void dlq_level_label(const struct dlq_grid *grid, const struct dlq_level *level, struct dlq_line_label *label)
{
    size_t columns = grid->map->columns;
    *label = (struct dlq_line_label){.level = level, .end = DLQ_END_NONE};
    for (size_t column = columns; column-- > 0;) {
        double threshold = dlq_grid_threshold(grid, column, level->y);
        double next = column + 1 < columns ? dlq_grid_threshold(grid, column + 1, level->y) : NAN;
        if (!within(threshold) && !passes_through(threshold, next))
            continue;
        bool above = !within(threshold) || next_threshold(grid, column, level->y) == HUGE_VAL;
        label->end = column + 1 == columns ? DLQ_END_RIGHT : above ? DLQ_END_TOP : DLQ_END_WITHIN;
        label->x = (double)column + 0.5;
        label->y = threshold;
        return;
    }
}

static double widest(const struct dlq_grid *grid, const struct dlq_page *page, enum dlq_line_end end)
{
    struct dlq_line_label label;
    double width = 0;
    for (size_t i = 0; i < grid->map->level_count; i++) {
        dlq_level_label(grid, &grid->map->levels[i], &label);
        if (label.end == end && label.level->label != NULL)
            width = fmax(width, dlq_page_width(page, label_points, label.level->label));
    }
    return width;
}

double dlq_levels_right(const struct dlq_grid *grid, const struct dlq_page *page)
{
    double width = widest(grid, page, DLQ_END_RIGHT);
    return width > 0 ? fmin(width, 0.2 * page->canvas->width) + 14 * page->scale : 0;
}

double dlq_levels_top(const struct dlq_grid *grid, const struct dlq_page *page)
{
    return widest(grid, page, DLQ_END_TOP) > 0 ? 1.0 * dlq_page_em(page, label_points) : 0;
}

static double pixel_x(const struct dlq_grid *grid, const struct dlq_page *page, double x)
{
    return page->plot.left + (x + 0.5) / (double)grid->map->columns * (page->plot.right - page->plot.left);
}

static double pixel_y(const struct dlq_grid *grid, const struct dlq_page *page, double y)
{
    double low = dlq_grid_low(grid), high = dlq_grid_high(grid);
    return page->plot.bottom - (y - low) / (high - low) * (page->plot.bottom - page->plot.top);
}

/* Labels that end at one side, ascending along it. */
static size_t collect(const struct dlq_grid *grid, const struct dlq_page *page, enum dlq_line_end end,
                      struct dlq_line_label labels[DLQ_LEVELS], double at[DLQ_LEVELS])
{
    size_t count = 0;
    for (size_t i = 0; i < grid->map->level_count; i++) {
        struct dlq_line_label label;
        dlq_level_label(grid, &grid->map->levels[i], &label);
        if (label.end != end || label.level->label == NULL)
            continue;
        double place = end == DLQ_END_TOP ? pixel_x(grid, page, label.x) : pixel_y(grid, page, label.y);
        size_t k = count++;
        for (; k > 0 && at[k - 1] > place; k--) {
            at[k] = at[k - 1];
            labels[k] = labels[k - 1];
        }
        at[k] = place;
        labels[k] = label;
    }
    return count;
}

static void label_within(const struct dlq_grid *grid, struct dlq_page *page, const struct dlq_line_label *label,
                         double y)
{
    double em = dlq_page_em(page, label_points), pad = 4 * page->scale;
    double width = dlq_page_width(page, label_points, label->level->label);
    double x = fmin(pixel_x(grid, page, label->x) + 3 * pad, page->plot.right - width - 2 * pad);
    dlq_page_box(page, (struct dlq_box){x - pad, y - 0.6 * em, x + width + pad, y + 0.6 * em}, 0xffffff, 1, false,
                 true);
    dlq_page_text(page, x, y, (struct dlq_type){label_points, 0x111111, DLQ_ALIGN_LEFT, false}, label->level->label);
}

void dlq_levels_label(const struct dlq_grid *grid, struct dlq_page *page)
{
    struct dlq_line_label labels[DLQ_LEVELS];
    double at[DLQ_LEVELS], em = dlq_page_em(page, label_points), gap = 8 * page->scale;
    size_t count = collect(grid, page, DLQ_END_RIGHT, labels, at);
    dlq_spread(at, count, 1.15 * em, page->plot.top, page->plot.bottom);
    for (size_t i = 0; i < count; i++)
        dlq_page_text(page, page->plot.right + gap, at[i],
                      (struct dlq_type){label_points, 0x111111, DLQ_ALIGN_LEFT, false}, labels[i].level->label);
    count = collect(grid, page, DLQ_END_TOP, labels, at);
    dlq_spread(at, count, widest(grid, page, DLQ_END_TOP) + gap, page->plot.left, page->plot.right);
    for (size_t i = 0; i < count; i++)
        dlq_page_text(page, at[i], page->plot.top - 0.75 * em,
                      (struct dlq_type){label_points, 0x111111, DLQ_ALIGN_CENTER, false}, labels[i].level->label);
    count = collect(grid, page, DLQ_END_WITHIN, labels, at);
    dlq_spread(at, count, 1.2 * em, page->plot.top + em, page->plot.bottom - em);
    for (size_t i = 0; i < count; i++)
        label_within(grid, page, &labels[i], at[i]);
}

/* Just inside the border: gnuplot lets the ends of wide lines on it stick out. */
static double clamp(double value, double low, double high)
{
    double inset = 0.001 * (high - low);
    return fmin(fmax(value, low + inset), high - inset);
}

static void write_corner(const struct dlq_grid *grid, FILE *script, double x, double y)
{
    fprintf(script, "%.12g %.12g\n", clamp(x, -0.5, (double)grid->map->columns - 0.5),
            clamp(y, dlq_grid_low(grid), dlq_grid_high(grid)));
}

/* One step per column; a line that leaves the plot is drawn up to its border, not along it. */
static void write_staircase(const struct dlq_grid *grid, FILE *script, double level)
{
    double before = NAN;
    for (size_t column = 0; column < grid->map->columns; column++) {
        double left = (double)column - 0.5, threshold = dlq_grid_threshold(grid, column, level);
        bool riser = !isnan(before) && !isnan(threshold) && before != threshold;
        if (riser && !within(before))
            write_corner(grid, script, left, before);
        if (within(threshold) || riser)
            write_corner(grid, script, left, threshold);
        if (within(threshold))
            write_corner(grid, script, left + 1, threshold);
        if (!within(threshold))
            fprintf(script, "\n");
        before = threshold;
    }
}

static bool is_drawn(const struct dlq_grid *grid, const struct dlq_level *level)
{
    struct dlq_line_label label;
    dlq_level_label(grid, level, &label);
    return label.end != DLQ_END_NONE;
}

void dlq_levels_data(const struct dlq_grid *grid, const struct dlq_page *page)
{
    for (size_t i = 0; i < grid->map->level_count; i++) {
        if (!is_drawn(grid, &grid->map->levels[i]))
            continue;
        fprintf(page->script, "$level%zu << END_OF_DATA\n", i);
        write_staircase(grid, page->script, grid->map->levels[i].y);
        fprintf(page->script, "END_OF_DATA\n");
    }
}

/* All halos first: none may cut a line. */
void dlq_levels_plot(const struct dlq_grid *grid, const struct dlq_page *page)
{
    static const struct {
        double width;
        const char *color;
    } coats[] = {{5, "white"}, {2.4, "black"}};
    for (size_t coat = 0; coat < 2; coat++)
        for (size_t i = 0; i < grid->map->level_count; i++)
            if (is_drawn(grid, &grid->map->levels[i]))
                fprintf(page->script, ", \\\n     $level%zu using 1:2 with lines lw %.4g lc rgb '%s'", i,
                        dlq_page_stroke(page, coats[coat].width), coats[coat].color);
}
