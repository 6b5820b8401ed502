#include "dlqueue/bars.h"

#include "out/bars_span.h"
#include "out/chart_axis.h"
#include "out/chart_figure.h"

#include <math.h>
#include <string.h>

static const double axis_points = 17, row_points = 16, line_points = 15;

struct sheet {
    const struct dlq_bars *bars;
    struct dlq_page page;
    struct dlq_tics tics;
    double margin; /* where heading and labels begin */
    double column; /* width of the labels */
    double pitch;  /* from row to row */
    double points; /* of labels and texts */
    double strip;  /* above the plot, for the label of the line */
    struct dlq_bars_span span;
};

static enum dlq_status check(const struct dlq_bars *bars, struct dlq_error *error)
{
    if (bars->count == 0)
        return dlq_error_add(error, DLQ_INVALID, "nothing to draw: the chart has no bars");
    if (bars->count > DLQ_BARS_MOST)
        return dlq_error_add(error, DLQ_INVALID, "%zu bars in a chart: at most %d", bars->count, DLQ_BARS_MOST);
    for (size_t i = 0; i < bars->count; i++)
        if (dlq_bars_drawn(&bars->rows[i]))
            return DLQ_OK;
    return dlq_error_add(error, DLQ_INVALID, "nothing to draw: no bar of the chart has a finite value");
}

static double em_of(const struct sheet *sheet)
{
    return dlq_page_em(&sheet->page, sheet->points);
}

/* One line of at most `width` pixels; no text where there is none. */
static const char *one_line(const struct sheet *sheet, const char *text, double width, struct dlq_lines *lines)
{
    dlq_lines_wrap(lines, text, em_of(sheet), width, 1);
    return lines->count > 0 ? lines->line[0] : "";
}

static const char *text_of(const struct dlq_bar *row)
{
    return row->text == NULL && !dlq_bars_drawn(row) ? "-" : row->text;
}

static bool has_line(const struct dlq_bars *bars)
{
    return dlq_bars_finite(bars->line_x);
}

/* Rows share the height; from some number on the letters shrink with them. */
static void set_rows(struct sheet *sheet)
{
    struct dlq_page *page = &sheet->page;
    const struct dlq_bars *bars = sheet->bars;
    bool labeled = has_line(bars) && bars->line_label != NULL && bars->line_label[0] != '\0';
    sheet->strip = labeled ? 1.5 * dlq_page_em(page, line_points) : 0;
    sheet->margin = 40 * page->scale;
    page->plot.bottom = page->canvas->height - 98 * page->scale;
    page->plot.top = dlq_page_heading_height(page, bars->title, bars->subtitle, sheet->margin) + sheet->strip;
    sheet->pitch = (page->plot.bottom - page->plot.top) / (double)bars->count;
    sheet->points = fmin(row_points, row_points * 0.87 * sheet->pitch / dlq_page_em(page, row_points));
}

static double widest_label(const struct sheet *sheet)
{
    struct dlq_lines lines;
    double widest = 0, most = 0.36 * sheet->page.canvas->width;
    for (size_t i = 0; i < sheet->bars->count; i++) {
        const char *label = one_line(sheet, sheet->bars->rows[i].label, most, &lines);
        widest = fmax(widest, dlq_page_width(&sheet->page, sheet->points, label));
    }
    return fmin(widest, most);
}

/* The texts stand at the ends of the bars, on one side or on both, and the axis leaves room for them. */
static double most_text(const struct sheet *sheet)
{
    size_t leftward = 0, count = sheet->bars->count;
    for (size_t i = 0; i < count; i++)
        leftward += dlq_bars_leftward(&sheet->bars->rows[i]) ? 1 : 0;
    bool both = leftward > 0 && leftward < count;
    return (both ? 0.3 : 0.5) * (sheet->page.plot.right - sheet->page.plot.left);
}

static double text_gap(const struct sheet *sheet)
{
    return fmin(12 * sheet->page.scale, 0.6 * em_of(sheet));
}

static void set_span(struct sheet *sheet)
{
    struct dlq_lines lines;
    double share[DLQ_BARS_MOST], width = sheet->page.plot.right - sheet->page.plot.left;
    for (size_t i = 0; i < sheet->bars->count; i++) {
        const char *text = one_line(sheet, text_of(&sheet->bars->rows[i]), most_text(sheet), &lines);
        double wide = dlq_page_width(&sheet->page, sheet->points, text);
        share[i] = wide > 0 ? (wide + 2 * text_gap(sheet)) / width : 0;
    }
    dlq_bars_span(sheet->bars, share, &sheet->span);
}

static void lay_out(struct sheet *sheet)
{
    struct dlq_page *page = &sheet->page;
    set_rows(sheet);
    sheet->column = widest_label(sheet);
    page->plot.left = sheet->margin + sheet->column + 14 * page->scale;
    page->plot.right = page->canvas->width - 42 * page->scale;
    set_span(sheet);
    struct dlq_axis axis = {
        sheet->span.low, sheet->span.high, page->plot.right - page->plot.left, 1, false, false, false, false};
    dlq_tics_plain(&sheet->tics, page, &axis);
}

static double pixel_x(const struct sheet *sheet, double x)
{
    const struct dlq_box *plot = &sheet->page.plot;
    return plot->left + (x - sheet->span.low) / (sheet->span.high - sheet->span.low) * (plot->right - plot->left);
}

static double pixel_y(const struct sheet *sheet, size_t row)
{
    return sheet->page.plot.top + ((double)row + 0.5) * sheet->pitch;
}

/* The heading begins where the labels do: next to long ones there would be no room for it. */
static void write_heading(struct sheet *sheet)
{
    struct dlq_page *page = &sheet->page;
    double left = page->plot.left;
    page->plot.left = sheet->margin;
    dlq_page_heading(page, sheet->bars->title, sheet->bars->subtitle);
    page->plot.left = left;
}

static void write_axes(struct sheet *sheet)
{
    struct dlq_page *page = &sheet->page;
    struct dlq_lines lines;
    double scale = page->scale, em = dlq_page_em(page, axis_points), zero = pixel_x(sheet, 0);
    double center = 0.5 * (page->plot.left + page->plot.right);
    fprintf(page->script, "set xrange [%.12g:%.12g]\nset yrange [%.12g:-0.5]\n", sheet->span.low, sheet->span.high,
            (double)sheet->bars->count - 0.5);
    fprintf(page->script, "set border 1 lw %.4g lc rgb '#444444'\nset grid xtics lt 1 lw %.4g lc rgb '#dddddd'\n",
            dlq_page_stroke(page, 1.2), dlq_page_stroke(page, 0.8));
    dlq_tics_write(&sheet->tics, page, "x");
    fprintf(page->script, "unset ytics\n");
    dlq_page_line(page, zero, page->plot.bottom, zero, page->plot.top, (struct dlq_stroke){1.2, 0x444444, 1}, false);
    dlq_lines_wrap(&lines, sheet->bars->x_label, em, 2 * (page->canvas->width - center - 10 * scale), 1);
    if (lines.count > 0)
        dlq_page_text(page, center, page->canvas->height - 20 * scale - 0.5 * em,
                      (struct dlq_type){axis_points, 0x111111, DLQ_ALIGN_CENTER, false}, lines.line[0]);
}

static void write_labels(struct sheet *sheet)
{
    struct dlq_lines lines;
    struct dlq_type type = {sheet->points, 0x222222, DLQ_ALIGN_RIGHT, false};
    for (size_t i = 0; i < sheet->bars->count; i++) {
        const char *label = one_line(sheet, sheet->bars->rows[i].label, sheet->column + 1, &lines);
        if (label[0] != '\0')
            dlq_page_text(&sheet->page, sheet->page.plot.left - 14 * sheet->page.scale, pixel_y(sheet, i), type, label);
    }
}

/* Behind the bar, or in front of it where it points to the left; where the line passes, on white. */
static void write_text(struct sheet *sheet, size_t row)
{
    struct dlq_page *page = &sheet->page;
    struct dlq_lines lines;
    const struct dlq_bar *bar = &sheet->bars->rows[row];
    const char *text = one_line(sheet, text_of(bar), most_text(sheet), &lines);
    double em = em_of(sheet), y = pixel_y(sheet, row), width = dlq_page_width(page, sheet->points, text);
    bool leftward = dlq_bars_leftward(bar);
    double gap = text_gap(sheet), x = pixel_x(sheet, dlq_bars_end_of(bar)) + (leftward ? -gap : gap);
    struct dlq_box box = {leftward ? x - width : x, y - 0.6 * em, leftward ? x : x + width, y + 0.6 * em};
    if (text[0] == '\0')
        return;
    double line = has_line(sheet->bars) ? pixel_x(sheet, sheet->bars->line_x) : -1;
    if (line > box.left - 0.4 * em && line < box.right + 0.4 * em) {
        box.left -= 0.25 * em;
        box.right += 0.25 * em;
        dlq_page_box(page, box, 0xffffff, 1, false, true);
    }
    dlq_page_text(page, x, y,
                  (struct dlq_type){sheet->points, 0x222222, leftward ? DLQ_ALIGN_RIGHT : DLQ_ALIGN_LEFT, false}, text);
}

/* Above the plot, over the line as far as the page has room. */
static void write_line_label(struct sheet *sheet)
{
    struct dlq_page *page = &sheet->page;
    struct dlq_lines lines;
    if (sheet->strip == 0)
        return;
    double em = dlq_page_em(page, line_points), left = sheet->margin, right = page->plot.right;
    dlq_lines_wrap(&lines, sheet->bars->line_label, em, right - left, 1);
    double half = 0.5 * dlq_page_width(page, line_points, lines.line[0]);
    double x = fmax(fmin(pixel_x(sheet, sheet->bars->line_x), right - half), left + half);
    dlq_page_text(page, x, page->plot.top - 0.7 * em, (struct dlq_type){line_points, 0x333333, DLQ_ALIGN_CENTER, false},
                  lines.line[0]);
}

static void write_bars(const struct sheet *sheet)
{
    FILE *script = sheet->page.script;
    double half = fmin(0.34, 34 * sheet->page.scale / sheet->pitch);
    fprintf(script, "$bars << END_OF_DATA\n");
    for (size_t i = 0; i < sheet->bars->count; i++) {
        const struct dlq_bar *row = &sheet->bars->rows[i];
        double y = (double)i;
        if (dlq_bars_drawn(row))
            fprintf(script, "%.12g %.12g %.12g %.12g %.12g %.12g %u\n", row->value, y, fmin(0, row->value),
                    fmax(0, row->value), y - half, y + half, dlq_area_color(row->color));
    }
    fprintf(script, "END_OF_DATA\n");
}

/* A stroke from low to high with one across at each end, as vectors: x, y, dx, dy. None where both ends would be one.
 */
static bool write_whiskers(const struct sheet *sheet)
{
    FILE *script = sheet->page.script;
    double half = fmin(0.17, 9 * sheet->page.scale / sheet->pitch), least = 4 * sheet->page.scale;
    bool any = false;
    for (size_t i = 0; i < sheet->bars->count; i++) {
        const struct dlq_bar *row = &sheet->bars->rows[i];
        double y = (double)i;
        if (!dlq_bars_has_whisker(row) || pixel_x(sheet, row->high) - pixel_x(sheet, row->low) < least)
            continue;
        fputs(any ? "" : "$whiskers << END_OF_DATA\n", script);
        fprintf(script, "%.12g %.12g %.12g 0\n%.12g %.12g 0 %.12g\n%.12g %.12g 0 %.12g\n", row->low, y,
                row->high - row->low, row->low, y - half, 2 * half, row->high, y - half, 2 * half);
        any = true;
    }
    if (any)
        fprintf(script, "END_OF_DATA\n");
    return any;
}

/* On white below: lines and whiskers are dark, and so are some bars. */
static void plot_vectors(const struct sheet *sheet, const char *name, struct dlq_stroke stroke, double white)
{
    const struct dlq_page *page = &sheet->page;
    fprintf(page->script, ", \\\n     $%s using 1:2:3:4 with vectors nohead lw %.4g dt 1 lc rgb '#ffffff'", name,
            dlq_page_stroke(page, white));
    fprintf(page->script, ", \\\n     $%s using 1:2:3:4 with vectors nohead lw %.4g dt %d lc rgb '#%06x'", name,
            dlq_page_stroke(page, stroke.width), stroke.dash, stroke.color);
}

static void write_plot(const struct sheet *sheet)
{
    FILE *script = sheet->page.script;
    bool line = has_line(sheet->bars);
    write_bars(sheet);
    if (line)
        fprintf(script, "$guide << END_OF_DATA\n%.12g %.12g 0 %.12g\nEND_OF_DATA\n", sheet->bars->line_x,
                (double)sheet->bars->count - 0.5, -(double)sheet->bars->count);
    bool whiskers = write_whiskers(sheet);
    fprintf(script, "plot $bars using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 noborder lc rgb variable");
    if (line)
        plot_vectors(sheet, "guide", (struct dlq_stroke){1.8, 0x222222, 2}, 4);
    if (whiskers)
        plot_vectors(sheet, "whiskers", (struct dlq_stroke){1.8, 0x111111, 1}, 4.2);
    fprintf(script, "\n");
}

enum dlq_status dlq_bars_script(const struct dlq_bars *bars, const struct dlq_canvas *canvas, FILE *script,
                                struct dlq_error *error)
{
    struct sheet sheet = {.bars = bars};
    enum dlq_status status = dlq_page_open(&sheet.page, canvas, script, error);
    if (status == DLQ_OK)
        status = check(bars, error);
    if (status != DLQ_OK)
        return status;
    lay_out(&sheet);
    dlq_page_begin(&sheet.page);
    write_heading(&sheet);
    write_axes(&sheet);
    write_labels(&sheet);
    write_line_label(&sheet);
    for (size_t i = 0; i < bars->count; i++)
        write_text(&sheet, i);
    write_plot(&sheet);
    return dlq_page_end(&sheet.page, error);
}
