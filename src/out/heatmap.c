#include "dlqueue/chart.h"

#include "out/heatmap_grid.h"
#include "out/heatmap_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double axis_points = 17;

/* Viridis (van der Walt and Smith, 2015) at 0, 1/8, ..., 1: even steps of lightness, also for the color-blind. */
static const unsigned viridis[] = {0x440154, 0x472c7a, 0x3b518b, 0x2c718e, 0x21908d,
                                   0x27ad81, 0x5cc863, 0xaadc32, 0xfde725};
enum { VIRIDIS_LAST = sizeof viridis / sizeof *viridis - 1, GRAY = 0xbbbbbb };

struct sheet {
    struct dlq_grid grid;
    struct dlq_page page;
    struct dlq_tics x_tics, y_tics;
    double bar_left; /* of the color box */
};

static bool lacks_values(const struct dlq_heatmap *map)
{
    for (size_t i = 0; i < map->rows * map->columns; i++)
        if (!isfinite(map->z[i]))
            return true;
    return false;
}

static void lay_out(struct sheet *sheet)
{
    struct dlq_page *page = &sheet->page;
    const struct dlq_heatmap *map = sheet->grid.map;
    double above = dlq_levels_top(&sheet->grid, page), bottom = page->canvas->height - 98 * page->scale;
    double top = dlq_page_heading_height(page, map->title, map->subtitle, 130 * page->scale) + above;
    dlq_grid_y_tics(&sheet->grid, page, bottom - top, &sheet->y_tics);
    double left = 66 * page->scale + dlq_page_em(page, axis_points) + dlq_tics_width(&sheet->y_tics, page);
    double bar = 98 * page->scale + dlq_page_width(page, axis_points, "100 %") + dlq_page_em(page, axis_points);
    sheet->bar_left = page->canvas->width - bar;
    page->plot = (struct dlq_box){left, 0, sheet->bar_left - 40 * page->scale, bottom};
    page->plot.right -= dlq_levels_right(&sheet->grid, page);
    page->plot.top = dlq_page_heading_height(page, map->title, map->subtitle, left) + above;
    dlq_grid_x_tics(&sheet->grid, page, page->plot.right - page->plot.left, &sheet->x_tics);
}

static void write_palette(const struct sheet *sheet)
{
    FILE *script = sheet->page.script;
    const struct dlq_page *page = &sheet->page;
    double width = page->canvas->width, height = page->canvas->height;
    fprintf(script, "set palette defined (");
    for (size_t i = 0; i <= VIRIDIS_LAST; i++)
        fprintf(script, "%s%.9g '#%06x'", i == 0 ? "" : ", ", (double)i / VIRIDIS_LAST, viridis[i]);
    fprintf(script, ")\nset palette maxcolors 0\nset cbrange [0:100]\nset format cb '%%h %%%%'\n");
    fprintf(script, "set cbtics 0,%d,100 nomirror out scale 0.4 font ',%.6g' textcolor rgb '#333333'\n",
            page->plot.bottom - page->plot.top < 330 * page->scale ? 20 : 10, dlq_page_font(page, axis_points));
    fprintf(script, "set colorbox user origin screen %.9g,%.9g size screen %.9g,%.9g noborder\n",
            sheet->bar_left / width, 1 - page->plot.bottom / height, 26 * page->scale / width,
            (page->plot.bottom - page->plot.top) / height);
}

static void write_axes(const struct sheet *sheet)
{
    FILE *script = sheet->page.script;
    fprintf(script, "set xrange [-0.5:%.12g]\nset yrange [%.12g:%.12g]\n", (double)sheet->grid.map->columns - 0.5,
            dlq_grid_low(&sheet->grid), dlq_grid_high(&sheet->grid));
    fprintf(script, "set border 15 front lw %.4g lc rgb '#444444'\n", dlq_page_stroke(&sheet->page, 1.2));
    dlq_tics_write(&sheet->x_tics, &sheet->page, "x");
    dlq_tics_write(&sheet->y_tics, &sheet->page, "y");
    write_palette(sheet);
}

static void write_label(struct dlq_page *page, double x, double y, bool turned, const char *label)
{
    struct dlq_lines lines;
    const struct dlq_box *plot = &page->plot;
    double room = turned ? page->canvas->height - plot->top : plot->right - plot->left + 60 * page->scale;
    dlq_lines_wrap(&lines, label, dlq_page_em(page, axis_points), room, 1);
    if (lines.count > 0)
        dlq_page_text(page, x, y, (struct dlq_type){axis_points, 0x111111, DLQ_ALIGN_CENTER, turned}, lines.line[0]);
}

static void write_labels(struct sheet *sheet)
{
    struct dlq_page *page = &sheet->page;
    const struct dlq_heatmap *map = sheet->grid.map;
    const struct dlq_box *plot = &page->plot;
    char y_label[DLQ_LINE_BYTES];
    snprintf(y_label, sizeof y_label, sheet->grid.unit_name == NULL ? "%.900s" : "%.900s (%s)",
             map->y_label == NULL ? "" : map->y_label, sheet->grid.unit_name);
    double center_x = 0.5 * (plot->left + plot->right), center_y = 0.5 * (plot->top + plot->bottom);
    double edge = 20 * page->scale + 0.5 * dlq_page_em(page, axis_points);
    write_label(page, center_x, page->canvas->height - edge, false, map->x_label);
    write_label(page, edge + 10 * page->scale, center_y, true, y_label);
    write_label(page, page->canvas->width - edge, center_y, true, map->z_label);
}

/* Cells without a value show this gray; a swatch below the color box tells what it means. */
static void write_gray(struct sheet *sheet)
{
    struct dlq_page *page = &sheet->page;
    if (!lacks_values(sheet->grid.map))
        return;
    double y = page->plot.bottom + 36 * page->scale, half = 10 * page->scale, left = sheet->bar_left;
    dlq_page_box(page, page->plot, GRAY, 1, false, false);
    dlq_page_box(page, (struct dlq_box){left, y - half, left + 26 * page->scale, y + half}, GRAY, 1, false, true);
    dlq_page_text(page, left + 38 * page->scale, y, (struct dlq_type){15, 0x333333, DLQ_ALIGN_LEFT, false}, "no value");
}

static double percent(const struct dlq_heatmap *map, size_t row, size_t column)
{
    return 100 * map->z[row * map->columns + column];
}

/* gnuplot draws no image with a single row or column: such cells are written twice, half as large. */
static void write_image(const struct dlq_grid *grid, FILE *script)
{
    const struct dlq_heatmap *map = grid->map;
    int tall = map->rows == 1 ? 2 : 1, wide = map->columns == 1 ? 2 : 1;
    for (size_t row = 0; row < map->rows; row++)
        for (int copy = 0; copy < tall * wide * (int)map->columns; copy++) {
            int half = copy / (wide * (int)map->columns), place = copy % (wide * (int)map->columns);
            double y = grid->first + (double)row * grid->step + (tall == 2 ? (half - 0.5) * 0.5 * grid->step : 0);
            double x = wide == 2 ? (place - 0.5) * 0.5 : place, z = percent(map, row, (size_t)(place / wide));
            if (isfinite(z))
                fprintf(script, "%.12g %.12g %.9g\n", x, y, z);
            else
                fprintf(script, "%.12g %.12g NaN\n", x, y);
        }
}

/* Beyond its right and upper border a cell may go on below its neighbors, which are painted over it. */
static bool covered(const struct dlq_heatmap *map, size_t row, size_t column)
{
    return row + 1 < map->rows && column + 1 < map->columns && isfinite(percent(map, row + 1, column)) &&
           isfinite(percent(map, row, column + 1)) && isfinite(percent(map, row + 1, column + 1));
}

/* Viewers of SVG and PDF smooth an enlarged image and show seams between cells that only touch. */
static void write_boxes(const struct dlq_grid *grid, FILE *script)
{
    const struct dlq_heatmap *map = grid->map;
    for (size_t row = 0; row < map->rows; row++)
        for (size_t column = 0; column < map->columns; column++) {
            double x = (double)column, y = grid->first + (double)row * grid->step, z = percent(map, row, column);
            double more = covered(map, row, column) ? 0.75 : 0.5;
            if (isfinite(z))
                fprintf(script, "%.12g %.12g %.12g %.12g %.12g %.12g %.9g\n", x, y, x - 0.5, x + more,
                        y - 0.5 * grid->step, y + more * grid->step, z);
        }
}

static void write_plot(const struct sheet *sheet)
{
    FILE *script = sheet->page.script;
    bool image = strcmp(sheet->page.canvas->format, "png") == 0;
    fprintf(script, "$cells << END_OF_DATA\n");
    if (image)
        write_image(&sheet->grid, script);
    else
        write_boxes(&sheet->grid, script);
    fprintf(script, "END_OF_DATA\n");
    dlq_levels_data(&sheet->grid, &sheet->page);
    fprintf(script, image ? "plot $cells using 1:2:3 with image"
                          : "plot $cells using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 noborder lc palette");
    dlq_levels_plot(&sheet->grid, &sheet->page);
    fprintf(script, "\n");
}

enum dlq_status dlq_heatmap_script(const struct dlq_heatmap *map, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error)
{
    struct sheet sheet;
    enum dlq_status status = dlq_page_open(&sheet.page, canvas, script, error);
    if (status == DLQ_OK)
        status = dlq_grid_open(&sheet.grid, map, error);
    if (status != DLQ_OK)
        return status;
    lay_out(&sheet);
    dlq_page_begin(&sheet.page);
    dlq_page_heading(&sheet.page, map->title, map->subtitle);
    write_axes(&sheet);
    write_labels(&sheet);
    write_gray(&sheet);
    dlq_levels_label(&sheet.grid, &sheet.page);
    write_plot(&sheet);
    return dlq_page_end(&sheet.page, error);
}
