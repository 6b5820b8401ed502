#include "dlqueue/impulses.h"

#include "out/impulses_sheet.h"

#include <math.h>
#include <stdlib.h>

enum { ALARM, USUAL, LABEL_BYTES = 256 };

static const struct dlq_type axis_type = {17, 0x111111, DLQ_ALIGN_CENTER, false};
static const struct dlq_type empty_type = {16, 0x555555, DLQ_ALIGN_CENTER, false};

static enum dlq_status check(const struct dlq_impulses *impulses, struct dlq_error *error)
{
    if (impulses->count == 0 || impulses->values == NULL)
        return dlq_error_add(error, DLQ_INVALID, "nothing to draw: the series has no values");
    if (!(fabs(impulses->first) + (double)impulses->count < 1e9)) /* what tics write in full */
        return dlq_error_add(error, DLQ_INVALID, "%zu values from %g on: at most up to 1e9", impulses->count,
                             impulses->first);
    if (impulses->acf != NULL && impulses->lags > DLQ_IMPULSES_LAGS)
        return dlq_error_add(error, DLQ_INVALID, "%zu lags in a chart: at most %d", impulses->lags, DLQ_IMPULSES_LAGS);
    if (dlq_impulse_largest(impulses->values, 0, impulses->count) == SIZE_MAX)
        return dlq_error_add(error, DLQ_INVALID, "nothing to draw: the series has no finite value");
    return DLQ_OK;
}

/* -- layout -- */

/* All zeros: up to the alarm, if there is one. */
static void span_values(struct dlq_impulses_sheet *sheet)
{
    const struct dlq_impulses *impulses = sheet->impulses;
    double most = impulses->values[dlq_impulse_largest(impulses->values, 0, impulses->count)];
    bool alarms = impulses->alarm > 1e-90 && dlq_impulse_drawn(impulses->alarm);
    double count = (double)impulses->count, pad = fmax(0.5, 0.006 * count);
    sheet->upper.y_low = 0;
    sheet->upper.y_high = most > 1e-90 ? 1.08 * most : alarms ? 1.5 * impulses->alarm : 1;
    sheet->upper.x_low = impulses->first - pad;
    sheet->upper.x_high = impulses->first + count - 1 + pad;
}

/* Colors that no impulse has are not in the key. */
static void set_key(struct dlq_impulses_sheet *sheet)
{
    const struct dlq_impulses *impulses = sheet->impulses;
    sheet->names[ALARM] =
        (struct dlq_series){.name = impulses->alarm_name, .mark = DLQ_MARK_BARS, .color = DLQ_COLOR_RED};
    sheet->names[USUAL] =
        (struct dlq_series){.name = impulses->usual_name, .mark = DLQ_MARK_BARS, .color = DLQ_COLOR_BLUE};
    for (size_t i = 0; i < impulses->count; i++)
        if (dlq_impulse_drawn(impulses->values[i]) && impulses->values[i] >= 0)
            sheet->shown[impulses->values[i] > impulses->alarm ? ALARM : USUAL].visible = true;
    sheet->key = (struct dlq_chart){.series = sheet->names, .series_count = 2};
    sheet->figure.chart = &sheet->key;
    sheet->figure.paths = sheet->shown;
    sheet->figure.key_outside = true;
}

static double strip_height(const struct dlq_impulses_sheet *sheet, double width)
{
    for (size_t i = 0; i < 2; i++)
        if (sheet->shown[i].visible && sheet->names[i].name != NULL)
            return dlq_key_strip_height(&sheet->figure, width);
    return 0;
}

/* Both panels between top and bottom of the page; the lower one small where there is nothing to draw in it. */
static void set_heights(struct dlq_impulses_sheet *sheet, double left, double right)
{
    struct dlq_figure *figure = &sheet->figure;
    struct dlq_page *page = &figure->page;
    double foot = 98 * page->scale, gap = foot + 14 * page->scale;
    page->plot.left = left; /* which the width of the names in the key follows */
    page->plot.right = right;
    figure->strip = strip_height(sheet, right - left);
    double top = dlq_page_heading_height(page, sheet->impulses->title, sheet->impulses->subtitle, left) + figure->strip;
    if (sheet->note.outside || sheet->band.outside)
        gap += 22 * page->scale;
    double bottom = page->canvas->height - (sheet->has_lags ? foot : 34 * page->scale);
    double room = fmax(bottom - top - gap, 40), share = sheet->has_lags ? 0.5 : 0.78;
    sheet->upper.plot = (struct dlq_box){left, top, right, top + share * room};
    sheet->lower.plot = (struct dlq_box){left, top + share * room + gap, right, bottom};
}

/* Margins follow from the labels of the tics, these from the height. */
static void set_panels(struct dlq_impulses_sheet *sheet)
{
    struct dlq_page *page = &sheet->figure.page;
    double right = page->canvas->width - 42 * page->scale;
    set_heights(sheet, 130 * page->scale, right);
    dlq_panel_value_tics(&sheet->upper, page);
    double widest = dlq_tics_width(&sheet->upper.y_tics, page);
    if (sheet->has_lags) {
        dlq_panel_value_tics(&sheet->lower, page);
        widest = fmax(widest, dlq_tics_width(&sheet->lower.y_tics, page));
    }
    set_heights(sheet, 62 * page->scale + dlq_page_em(page, axis_type.points) + widest, right);
    dlq_panel_whole_tics(&sheet->upper, page, sheet->impulses->tics, sheet->impulses->first);
    if (sheet->has_lags)
        dlq_panel_whole_tics(&sheet->lower, page, sheet->impulses->tics, 0);
}

/* With captions inside, and where one finds no room there, above the lower panel. */
static void lay_out(struct dlq_impulses_sheet *sheet)
{
    span_values(sheet);
    set_key(sheet);
    sheet->has_lags = dlq_lags_any(sheet->impulses);
    if (sheet->has_lags)
        dlq_lags_span(sheet);
    do
        set_panels(sheet);
    while (sheet->has_lags && !dlq_lags_place(sheet));
    const struct dlq_box *plot = &sheet->upper.plot;
    sheet->group = dlq_impulse_group(sheet->impulses->count, plot->right - plot->left);
}

/* -- text -- */

static void write_x_label(struct dlq_page *page, const struct dlq_panel *panel, const char *label)
{
    struct dlq_lines lines;
    double em = dlq_page_em(page, axis_type.points), width = panel->plot.right - panel->plot.left;
    dlq_lines_wrap(&lines, label, em, width + 60 * page->scale, 1);
    if (lines.count > 0)
        dlq_page_text(page, 0.5 * (panel->plot.left + panel->plot.right),
                      panel->plot.bottom + 78 * page->scale - 0.5 * em, axis_type, lines.line[0]);
}

/* Beside a low panel in smaller letters, and somewhat longer than it. */
static void write_y_label(struct dlq_page *page, const struct dlq_panel *panel, const char *label)
{
    struct dlq_lines lines;
    struct dlq_type type = axis_type;
    double room = panel->plot.bottom - panel->plot.top + 70 * page->scale;
    if (label == NULL)
        return;
    double width = dlq_page_width(page, type.points, label);
    type.points *= fmin(1, fmax(0.75, 0.98 * room / width));
    type.turned = true;
    dlq_lines_wrap(&lines, label, dlq_page_em(page, type.points), room, 1);
    if (lines.count > 0)
        dlq_page_text(page, 30 * page->scale + 0.5 * dlq_page_em(page, type.points),
                      0.5 * (panel->plot.top + panel->plot.bottom), type, lines.line[0]);
}

static void write_values_label(struct dlq_impulses_sheet *sheet)
{
    char label[LABEL_BYTES], thinned[64];
    const char *name = sheet->impulses->x_label;
    if (sheet->group == 1) {
        write_x_label(&sheet->figure.page, &sheet->upper, name);
        return;
    }
    snprintf(thinned, sizeof thinned, "largest of each %zu", sheet->group);
    if (name == NULL || name[0] == '\0')
        write_x_label(&sheet->figure.page, &sheet->upper, thinned);
    else {
        snprintf(label, sizeof label, "%.*s (%s)", (int)(sizeof label - sizeof thinned - 4), name, thinned);
        write_x_label(&sheet->figure.page, &sheet->upper, label);
    }
}

/* In place of the lower panel. */
static void write_empty(struct dlq_impulses_sheet *sheet)
{
    struct dlq_page *page = &sheet->figure.page;
    const struct dlq_box *plot = &sheet->lower.plot;
    struct dlq_lines lines;
    double em = dlq_page_em(page, empty_type.points), middle = 0.5 * (plot->top + plot->bottom);
    double fitting = fmax(1, floor((plot->bottom - plot->top) / (1.3 * em)));
    dlq_page_box(page, *plot, 0xf4f4f4, 1, false, false);
    dlq_lines_wrap(&lines, sheet->impulses->empty, em, 0.9 * (plot->right - plot->left), (size_t)fmin(3, fitting));
    for (size_t i = 0; i < lines.count; i++)
        dlq_page_text(page, 0.5 * (plot->left + plot->right),
                      middle + 1.3 * em * ((double)i + 0.5 - 0.5 * (double)lines.count), empty_type, lines.line[i]);
}

/* -- plots -- */

static void write_axes(const struct dlq_page *page, const struct dlq_panel *panel)
{
    fprintf(page->script, "set xrange [%.12g:%.12g]\nset yrange [%.12g:%.12g]\n", panel->x_low, panel->x_high,
            panel->y_low, panel->y_high);
    fprintf(page->script, "set grid ytics lt 1 lw %.4g lc rgb '#dddddd'\n", dlq_page_stroke(page, 0.8));
    dlq_tics_write(&panel->x_tics, page, "x");
    dlq_tics_write(&panel->y_tics, page, "y");
}

static void write_values(const struct dlq_impulses_sheet *sheet)
{
    const struct dlq_impulses *impulses = sheet->impulses;
    FILE *script = sheet->figure.page.script;
    fprintf(script, "$values << END_OF_DATA\n");
    for (size_t from = 0; from < impulses->count; from += sheet->group) {
        size_t left = impulses->count - from, until = from + (left < sheet->group ? left : sheet->group);
        size_t i = dlq_impulse_largest(impulses->values, from, until);
        if (i == SIZE_MAX)
            continue;
        fprintf(script, "%.15g %.12g %u\n", impulses->first + (double)i, impulses->values[i],
                dlq_area_color(impulses->values[i] > impulses->alarm ? DLQ_COLOR_RED : DLQ_COLOR_BLUE));
    }
    fprintf(script, "END_OF_DATA\n");
}

/* A dashed line where the alarm begins tells the tall from the low without their colors. */
static void plot_values(const struct dlq_impulses_sheet *sheet)
{
    const struct dlq_page *page = &sheet->figure.page;
    const struct dlq_panel *upper = &sheet->upper;
    double alarm = sheet->impulses->alarm;
    bool line = alarm > 0 && alarm < upper->y_high;
    double room = (upper->plot.right - upper->plot.left) * (double)sheet->group / (upper->x_high - upper->x_low);
    double least = sheet->group == 1 ? 1.4 : 1; /* pixels: thinner ones are pale */
    if (line)
        fprintf(page->script, "$alarm << END_OF_DATA\n%.12g %.12g\n%.12g %.12g\nEND_OF_DATA\n", upper->x_low, alarm,
                upper->x_high, alarm);
    write_values(sheet);
    fprintf(page->script, "plot ");
    if (line)
        fprintf(page->script, "$alarm using 1:2 with lines lw %.4g dt 2 lc rgb '#888888', \\\n     ",
                dlq_page_stroke(page, 1.2));
    fprintf(page->script, "$values using 1:2:3 with impulses lw %.4g dt 1 lc rgb variable\n",
            dlq_page_stroke(page, fmax(least / page->scale, dlq_impulse_width(page, room, 0.55, 4))));
}

static void write_upper(struct dlq_impulses_sheet *sheet)
{
    struct dlq_page *page = &sheet->figure.page;
    dlq_page_heading(page, sheet->impulses->title, sheet->impulses->subtitle);
    dlq_key_write(&sheet->figure);
    write_axes(page, &sheet->upper);
    write_y_label(page, &sheet->upper, sheet->impulses->y_label);
    write_values_label(sheet);
    if (!sheet->has_lags)
        write_empty(sheet);
    plot_values(sheet);
}

static void write_lower(struct dlq_impulses_sheet *sheet)
{
    struct dlq_page *page = &sheet->figure.page;
    double height = page->canvas->height;
    page->plot = sheet->lower.plot;
    fprintf(page->script, "unset label\nunset arrow\nunset object\nset tmargin at screen %.9g\n",
            1 - page->plot.top / height);
    fprintf(page->script, "set bmargin at screen %.9g\n", 1 - page->plot.bottom / height);
    write_axes(page, &sheet->lower);
    write_y_label(page, &sheet->lower, sheet->impulses->acf_label);
    write_x_label(page, &sheet->lower, sheet->impulses->lag_label);
    dlq_lags_write(sheet);
    dlq_lags_plot(sheet);
}

enum dlq_status dlq_impulses_script(const struct dlq_impulses *impulses, const struct dlq_canvas *canvas, FILE *script,
                                    struct dlq_error *error)
{
    struct dlq_impulses_sheet *sheet = calloc(1, sizeof *sheet);
    if (sheet == NULL)
        return dlq_error_memory(error, "laying out a chart");
    sheet->impulses = impulses;
    struct dlq_page *page = &sheet->figure.page;
    enum dlq_status status = dlq_page_open(page, canvas, script, error);
    if (status == DLQ_OK)
        status = check(impulses, error);
    if (status != DLQ_OK)
        goto cleanup;
    lay_out(sheet);
    page->plot = sheet->upper.plot;
    dlq_page_begin(page);
    fputs(sheet->has_lags ? "set multiplot\n" : "", script);
    write_upper(sheet);
    if (sheet->has_lags) {
        write_lower(sheet);
        fprintf(script, "unset multiplot\n");
    }
    status = dlq_page_end(page, error);
cleanup:
    free(sheet);
    return status;
}
