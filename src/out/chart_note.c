#include "out/chart_figure.h"

#include <math.h>
#include <string.h>

static const double region_points = 14, level_points = 15, note_points = 15;

static void mark_box(struct dlq_figure *figure, struct dlq_box box)
{
    dlq_places_box(&figure->places, box, DLQ_TAKEN_TEXT);
    dlq_places_sum(&figure->places);
}

/* Where a region's label may stand, the best first: at the bottom, at the top; turned where the region is narrow. Next
   to the border with the neighbor, so that the words tell what changes there; far from it where data pass. */
struct spot {
    bool turned, top, far;
};
static const struct spot spots[] = {{false, false, false}, {false, false, true}, {false, true, false},
                                    {false, true, true},   {true, false, false}, {true, true, false}};

static struct dlq_box spot_box(const struct dlq_figure *figure, struct dlq_box span, bool to_right, struct spot spot,
                               const char *label)
{
    double em = dlq_page_em(&figure->page, region_points), length = dlq_page_width(&figure->page, region_points, label);
    double wide = spot.turned ? em : length, high = spot.turned ? length : em, pad = 18 * figure->page.scale;
    double left = to_right != spot.far ? span.right - pad - wide : span.left + pad;
    if (spot.turned)
        left = 0.5 * (span.left + span.right - wide);
    double top = spot.top ? span.top + pad : span.bottom - pad - high;
    return (struct dlq_box){left, top, left + wide, top + high};
}

static bool inside(struct dlq_box box, struct dlq_box outer, double margin)
{
    return box.left >= outer.left + margin && box.right <= outer.right - margin && box.top >= outer.top + margin &&
           box.bottom <= outer.bottom - margin;
}

static bool write_region_label(struct dlq_figure *figure, const struct dlq_region *region, struct dlq_box span,
                               bool to_right)
{
    for (size_t i = 0; i < sizeof spots / sizeof *spots; i++) {
        struct dlq_box box = spot_box(figure, span, to_right, spots[i], region->label);
        if (!inside(box, span, 3 * figure->page.scale) || dlq_places_count(&figure->places, box) > 0)
            continue;
        struct dlq_type type = {region_points, dlq_letter_color(region->color), DLQ_ALIGN_LEFT, spots[i].turned};
        double center_x = 0.5 * (box.left + box.right), center_y = 0.5 * (box.top + box.bottom);
        dlq_page_text(&figure->page, spots[i].turned ? center_x : box.left, spots[i].turned ? box.bottom : center_y,
                      type, region->label);
        mark_box(figure, box);
        return true;
    }
    return false;
}

void dlq_regions_write(struct dlq_figure *figure)
{
    const struct dlq_chart *chart = figure->chart;
    for (size_t i = 0; i < chart->region_count; i++) {
        const struct dlq_region *region = &chart->regions[i];
        double from = fmax(region->from, figure->x_low), to = fmin(region->to, figure->x_high);
        /* What the key names in its strip is settled: the strip has its height. */
        bool settled = figure->key_outside && figure->region_in_key[i];
        if (!(from < to))
            continue;
        struct dlq_box span = figure->page.plot;
        span.left = dlq_figure_x(figure, from);
        span.right = dlq_figure_x(figure, to);
        dlq_page_box(&figure->page, span, dlq_area_color(region->color),
                     0.07 + 0.02 * (region->color == DLQ_COLOR_AMBER), false, false);
        bool to_right = i + 1 < chart->region_count && region->to < figure->x_high;
        if (region->label == NULL || region->label[0] == '\0' || settled)
            continue;
        bool written = write_region_label(figure, region, span, to_right);
        figure->region_in_key[i] = !written && !figure->key_outside;
    }
}

static size_t visible_levels(const struct dlq_figure *figure, const struct dlq_level *shown[DLQ_LEVELS])
{
    size_t count = 0;
    for (size_t i = 0; i < figure->chart->level_count; i++) {
        const struct dlq_level *level = &figure->chart->levels[i];
        if (!(level->y > figure->y_low && level->y < figure->y_high))
            continue;
        size_t at = count++;
        for (; at > 0 && shown[at - 1]->y < level->y; at--)
            shown[at] = shown[at - 1];
        shown[at] = level;
    }
    return count;
}

/* Above the line at its right end, at its left end where data pass there, or below it. */
static void write_level_inside(struct dlq_figure *figure, const char *label, double y)
{
    const struct dlq_box *plot = &figure->page.plot;
    double em = dlq_page_em(&figure->page, level_points), gap = 10 * figure->page.scale;
    double width = dlq_page_width(&figure->page, level_points, label);
    const double lefts[] = {plot->right - gap - width, plot->left + gap};
    const double tops[] = {y - 1.2 * em, y + 0.5 * em};
    struct dlq_box box = {lefts[1], tops[0], lefts[1] + width, tops[0] + em};
    for (size_t i = 0; i < 4; i++) {
        struct dlq_box spot = {lefts[i % 2], tops[i / 2], lefts[i % 2] + width, tops[i / 2] + em};
        if (dlq_places_count(&figure->places, spot) > 0)
            continue;
        box = spot;
        break;
    }
    dlq_page_text(&figure->page, box.left, box.top + 0.55 * em,
                  (struct dlq_type){level_points, 0x444444, DLQ_ALIGN_LEFT, false}, label);
    dlq_places_box(&figure->places, box, DLQ_TAKEN_TEXT);
    dlq_places_sum(&figure->places);
}

static void write_levels_outside(struct dlq_figure *figure, const struct dlq_level *const shown[], double y[],
                                 size_t count)
{
    const struct dlq_box *plot = &figure->page.plot;
    double em = dlq_page_em(&figure->page, level_points);
    dlq_spread(y, count, 1.25 * em, plot->top, plot->bottom);
    for (size_t i = 0; i < count; i++)
        if (shown[i]->label != NULL)
            dlq_page_text(&figure->page, plot->right + 10 * figure->page.scale, y[i],
                          (struct dlq_type){level_points, 0x444444, DLQ_ALIGN_LEFT, false}, shown[i]->label);
}

/* The labels stand right of the plot, or within where the second axis is there. */
void dlq_levels_write(struct dlq_figure *figure)
{
    const struct dlq_box *plot = &figure->page.plot;
    const struct dlq_level *shown[DLQ_LEVELS];
    double y[DLQ_LEVELS];
    size_t count = visible_levels(figure, shown);
    for (size_t i = 0; i < count; i++) {
        y[i] = dlq_figure_y(figure, shown[i]->y);
        dlq_page_line(&figure->page, plot->left, y[i], plot->right, y[i], (struct dlq_stroke){1.4, 0x777777, 2}, false);
    }
    if (figure->chart->second_label == NULL)
        write_levels_outside(figure, shown, y, count);
    for (size_t i = 0; i < count && figure->chart->second_label != NULL; i++)
        if (shown[i]->label != NULL)
            write_level_inside(figure, shown[i]->label, y[i]);
    for (size_t i = 0; i < count; i++) {
        double line = dlq_figure_y(figure, shown[i]->y);
        dlq_places_line(&figure->places, plot->left, line, plot->right, line, DLQ_TAKEN_GUIDE);
    }
    dlq_places_sum(&figure->places);
}

void dlq_guide_write(struct dlq_figure *figure)
{
    const struct dlq_box *plot = &figure->page.plot;
    double at = figure->chart->line_x;
    if (!(at > figure->x_low && at < figure->x_high))
        return;
    double x = dlq_figure_x(figure, at);
    dlq_page_line(&figure->page, x, plot->bottom, x, plot->top, (struct dlq_stroke){1.4, 0x666666, 2}, false);
    dlq_places_line(&figure->places, x, plot->bottom, x, plot->top, DLQ_TAKEN_GUIDE);
    dlq_places_sum(&figure->places);
}

static void write_arrow(struct dlq_figure *figure, const struct dlq_box *box, double x, double y)
{
    double from_x, from_y, short_of = 13 * figure->page.scale;
    dlq_box_nearest(box, x, y, &from_x, &from_y);
    double length = hypot(x - from_x, y - from_y);
    if (length < 2 * short_of)
        return;
    double end = 1 - short_of / length;
    dlq_page_line(&figure->page, from_x, from_y, from_x + end * (x - from_x), from_y + end * (y - from_y),
                  (struct dlq_stroke){1.4, 0x222222, 1}, true);
}

static bool place_note(const struct dlq_figure *figure, const struct dlq_lines *lines, double x, double y,
                       struct dlq_box *box)
{
    double em = dlq_page_em(&figure->page, note_points), scale = figure->page.scale, width = 0;
    for (size_t i = 0; i < lines->count; i++)
        width = fmax(width, dlq_page_width(&figure->page, note_points, lines->line[i]));
    double pad = 6 * scale;
    return dlq_places_near(&figure->places, width + 2 * pad, 1.3 * em * (double)lines->count + 2 * pad, 8 * scale, x, y,
                           130 * scale, box);
}

bool dlq_note_write(struct dlq_figure *figure)
{
    const struct dlq_chart *chart = figure->chart;
    const struct dlq_box *plot = &figure->page.plot;
    double em = dlq_page_em(&figure->page, note_points), pad = 6 * figure->page.scale;
    struct dlq_lines lines;
    struct dlq_box box;
    dlq_lines_wrap(&lines, chart->note, em, 0.42 * (plot->right - plot->left), 5);
    if (lines.count == 0 || !(chart->note_x >= figure->x_low && chart->note_x <= figure->x_high) ||
        !(chart->note_y >= figure->y_low && chart->note_y <= figure->y_high))
        return true;
    double x = dlq_figure_x(figure, chart->note_x), y = dlq_figure_y(figure, chart->note_y);
    if (!place_note(figure, &lines, x, y, &box))
        return false;
    for (size_t i = 0; i < lines.count; i++)
        dlq_page_text(&figure->page, box.left + pad, box.top + pad + 1.3 * em * ((double)i + 0.5),
                      (struct dlq_type){note_points, 0x222222, DLQ_ALIGN_LEFT, false}, lines.line[i]);
    write_arrow(figure, &box, x, y);
    return true;
}
