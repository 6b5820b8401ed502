#include "out/chart_figure.h"

#include <math.h>
#include <string.h>

/* The key is drawn by hand: gnuplot takes all letters for equally wide, and its box is then too large or too small. */
static const struct dlq_type key_type = {15, 0x222222, DLQ_ALIGN_LEFT, false};
enum { KEY_ROW = 32, KEY_PAD = 14, KEY_SAMPLE = 50, KEY_GAP = 13 };

/* Series first, then the regions whose label found no room. */
struct entry {
    const char *name;
    const struct dlq_series *series; /* null: a region */
    enum dlq_color color;
    size_t place;
};

static bool next_entry(const struct dlq_figure *figure, size_t *at, struct entry *entry)
{
    const struct dlq_chart *chart = figure->chart;
    for (; *at < chart->series_count; ++*at) {
        const struct dlq_series *series = &chart->series[*at];
        if (series->name == NULL || !figure->paths[*at].visible)
            continue;
        *entry = (struct entry){series->name, series, series->color, *at};
        ++*at;
        return true;
    }
    for (; *at - chart->series_count < chart->region_count; ++*at) {
        size_t place = *at - chart->series_count;
        if (!figure->region_in_key[place])
            continue;
        *entry = (struct entry){chart->regions[place].label, NULL, chart->regions[place].color, place};
        ++*at;
        return true;
    }
    return false;
}

static void short_name(const struct dlq_figure *figure, const struct entry *entry, struct dlq_lines *lines)
{
    const struct dlq_box *plot = &figure->page.plot;
    double share = figure->key_outside ? 0.8 : 0.45;
    dlq_lines_wrap(lines, entry->name, dlq_page_em(&figure->page, key_type.points), share * (plot->right - plot->left),
                   1);
    if (lines->count == 0)
        lines->line[lines->count++][0] = '\0';
}

static double entry_width(const struct dlq_figure *figure, const struct entry *entry)
{
    struct dlq_lines lines;
    short_name(figure, entry, &lines);
    return figure->page.scale * (KEY_SAMPLE + KEY_GAP) + dlq_page_width(&figure->page, key_type.points, lines.line[0]);
}

static void key_size(const struct dlq_figure *figure, double *width, double *height)
{
    struct entry entry;
    double widest = 0, rows = 0, scale = figure->page.scale;
    for (size_t at = 0; next_entry(figure, &at, &entry);) {
        widest = fmax(widest, entry_width(figure, &entry));
        rows++;
    }
    *width = rows > 0 ? widest + 2.4 * KEY_PAD * scale : 0;
    *height = rows > 0 ? rows * KEY_ROW * scale + 0.6 * KEY_PAD * scale : 0;
}

bool dlq_key_place(struct dlq_figure *figure)
{
    double width, height, scale = figure->page.scale, margin = 8 * scale;
    struct dlq_box box;
    key_size(figure, &width, &height);
    figure->key = (struct dlq_box){0};
    if (height == 0)
        return true;
    if (!dlq_places_corner(&figure->places, width + 2 * margin, height + 2 * margin, 12 * scale, &box))
        return false;
    figure->key = (struct dlq_box){box.left + margin, box.top + margin, box.right - margin, box.bottom - margin};
    dlq_places_box(&figure->places, box, DLQ_TAKEN_TEXT);
    dlq_places_sum(&figure->places);
    return true;
}

static void write_sample(struct dlq_figure *figure, const struct entry *entry, double x, double y)
{
    double scale = figure->page.scale, to_x = x + KEY_SAMPLE * scale, half = 6 * scale;
    struct dlq_box swatch = {x, y - half, to_x, y + half};
    if (entry->series == NULL || entry->series->mark == DLQ_MARK_BAND) {
        dlq_page_box(&figure->page, swatch, dlq_area_color(entry->color), entry->series == NULL ? 0.15 : 0.3, false,
                     true);
        return;
    }
    if (entry->series->mark == DLQ_MARK_BARS) {
        dlq_page_box(&figure->page, swatch, dlq_line_color(entry->color), 1, false, true);
        return;
    }
    struct dlq_stroke stroke = dlq_series_strokes[entry->series->mark];
    stroke.color = dlq_line_color(entry->color);
    dlq_page_line(&figure->page, x, y, to_x, y, stroke, false);
    double radius = dlq_series_radius(figure, entry->place);
    if (entry->series->mark == DLQ_MARK_POINTS && radius > 0)
        dlq_page_point(&figure->page, 0.5 * (x + to_x), y, dlq_series_shape(figure->chart, entry->place), radius,
                       stroke.color);
}

static void write_entry(struct dlq_figure *figure, const struct entry *entry, double x, double y)
{
    struct dlq_lines lines;
    short_name(figure, entry, &lines);
    write_sample(figure, entry, x, y);
    dlq_page_text(&figure->page, x + (KEY_SAMPLE + KEY_GAP) * figure->page.scale, y, key_type, lines.line[0]);
}

/* Where the next entry of the strip stands; breaks the row where it is full. */
static void flow(const struct dlq_figure *figure, double width, double entry, double *x, double *y)
{
    if (*x > 0 && *x + entry > width) {
        *x = 0;
        *y += KEY_ROW * figure->page.scale;
    }
}

double dlq_key_strip_height(const struct dlq_figure *figure, double width)
{
    struct entry entry;
    double x = 0, y = KEY_ROW * figure->page.scale;
    for (size_t at = 0; next_entry(figure, &at, &entry);) {
        double wide = entry_width(figure, &entry);
        flow(figure, width, wide, &x, &y);
        x += wide + 2 * KEY_PAD * figure->page.scale;
    }
    return y;
}

static void write_strip(struct dlq_figure *figure)
{
    const struct dlq_box *plot = &figure->page.plot;
    struct entry entry;
    double width = plot->right - plot->left, scale = figure->page.scale;
    double x = 0, y = 0, top = plot->top - figure->strip + 0.2 * KEY_ROW * scale;
    for (size_t at = 0; next_entry(figure, &at, &entry);) {
        double wide = entry_width(figure, &entry);
        flow(figure, width, wide, &x, &y);
        write_entry(figure, &entry, plot->left + x, top + y);
        x += wide + 2 * KEY_PAD * scale;
    }
}

void dlq_key_write(struct dlq_figure *figure)
{
    struct entry entry;
    double scale = figure->page.scale;
    if (figure->key_outside) {
        write_strip(figure);
        return;
    }
    if (!(figure->key.right > figure->key.left))
        return;
    dlq_page_box(&figure->page, figure->key, 0xffffff, 1, true, true);
    double y = figure->key.top + 0.3 * KEY_PAD * scale + 0.5 * KEY_ROW * scale;
    for (size_t at = 0; next_entry(figure, &at, &entry);) {
        write_entry(figure, &entry, figure->key.left + KEY_PAD * scale, y);
        y += KEY_ROW * scale;
    }
}
