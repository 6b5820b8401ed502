#include "out/chart_page.h"

#include "dlqueue/gnuplot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_LEAST = 320, PAGE_MOST = 8192 };

/* What a terminal of gnuplot 5.4 makes of its numbers, measured: pngcairo draws a font of 20 in an em of 26.7 pixels,
   svg in one of 20; lw 1 is a pixel, in pdfcairo half a point; ps 1 has a radius of 3 pixels (pdfcairo: 3 points), in
   svg 0.375 of the base font. A PDF page has 100 of our pixels per inch, hence 0.72 points per pixel. */
struct terminal {
    const char *format, *name;
    double pixels_per_unit; /* of `size` */
    double font, stroke, dot;
    bool dot_by_font;
    double dashes; /* `dashlength` for the same dashes */
    const char *more;
};

static const struct terminal terminals[] = {
    {"png", "pngcairo", 1, 0.75, 1, 1 / 3.0, false, 0.75, " fontscale 1"},
    {"svg", "svg", 1, 1, 1, 1 / 0.375, true, 1.5, " fixed"},
    {"pdf", "pdfcairo", 100, 0.75, 1.44, 0.72 / 3, false, 1.5, " fontscale 0.72"},
};

static const struct terminal *terminal_of(const char *format)
{
    for (size_t i = 0; i < sizeof terminals / sizeof *terminals; i++)
        if (format != NULL && strcmp(format, terminals[i].format) == 0)
            return &terminals[i];
    return NULL;
}

enum dlq_status dlq_page_open(struct dlq_page *page, const struct dlq_canvas *canvas, FILE *script,
                              struct dlq_error *error)
{
    if (canvas->width < PAGE_LEAST || canvas->width > PAGE_MOST || canvas->height < PAGE_LEAST ||
        canvas->height > PAGE_MOST)
        return dlq_error_add(error, DLQ_INVALID, "a chart of %dx%d pixels: width and height must be %d..%d each",
                             canvas->width, canvas->height, PAGE_LEAST, PAGE_MOST);
    if (terminal_of(canvas->format) == NULL)
        return dlq_error_add(error, DLQ_INVALID, "'%s' is not a format of charts (expected png, svg or pdf)",
                             canvas->format == NULL ? "" : canvas->format);
    double wide = canvas->width / 1600.0, high = canvas->height / 900.0;
    double least = wide < high ? wide : high, scale = sqrt(wide * high);
    scale = scale > 1.5 * least ? 1.5 * least : scale;
    /* Below 0.45 the labels would be less than 8 pixels high. */
    *page = (struct dlq_page){.script = script, .canvas = canvas, .scale = scale < 0.45 ? 0.45 : scale};
    return DLQ_OK;
}

double dlq_page_em(const struct dlq_page *page, double points)
{
    return points * page->scale * 4 / 3;
}

double dlq_page_width(const struct dlq_page *page, double points, const char *text)
{
    return dlq_glyph_width(text, strlen(text), dlq_page_em(page, points));
}

double dlq_page_font(const struct dlq_page *page, double points)
{
    return dlq_page_em(page, points) * terminal_of(page->canvas->format)->font;
}

double dlq_page_stroke(const struct dlq_page *page, double width)
{
    double pixels = width * page->scale;
    return (pixels < 0.6 ? 0.6 : pixels) * terminal_of(page->canvas->format)->stroke;
}

double dlq_page_dot(const struct dlq_page *page, double radius)
{
    const struct terminal *terminal = terminal_of(page->canvas->format);
    double pixels = radius * page->scale * terminal->dot;
    return terminal->dot_by_font ? pixels / dlq_page_font(page, 17) : pixels;
}

void dlq_page_begin(struct dlq_page *page)
{
    const struct terminal *terminal = terminal_of(page->canvas->format);
    const struct dlq_box *plot = &page->plot;
    double width = page->canvas->width, height = page->canvas->height;
    fprintf(page->script,
            "set encoding utf8\nset term %s size %.9g,%.9g%s font 'DejaVu Sans,%.6g' noenhanced butt "
            "dashlength %.4g background rgb 'white'\n",
            terminal->name, width / terminal->pixels_per_unit, height / terminal->pixels_per_unit, terminal->more,
            dlq_page_font(page, 17), terminal->dashes);
    fprintf(page->script,
            "set lmargin at screen %.9g\nset rmargin at screen %.9g\nset tmargin at screen %.9g\n"
            "set bmargin at screen %.9g\n",
            plot->left / width, plot->right / width, 1 - plot->top / height, 1 - plot->bottom / height);
    fprintf(page->script,
            "unset key\nset border 3 lw %.4g lc rgb '#444444'\n"
            "set tics nomirror out scale 0.6 textcolor rgb '#333333'\nset format x '%%h'\nset format y '%%h'\n"
            "set style fill noborder\n",
            dlq_page_stroke(page, 1.2));
}

struct heading {
    struct dlq_lines title, subtitle;
    double height;
};

static const struct dlq_type title_type = {23, 0x111111, DLQ_ALIGN_LEFT, false};
static const struct dlq_type subtitle_type = {15, 0x666666, DLQ_ALIGN_LEFT, false};

static void set_heading(const struct dlq_page *page, const char *title, const char *subtitle, double left,
                        struct heading *heading)
{
    double large = dlq_page_em(page, title_type.points), small = dlq_page_em(page, subtitle_type.points);
    double room = page->canvas->width - left - 20 * page->scale;
    dlq_lines_wrap(&heading->title, title, large, room, 2);
    dlq_lines_wrap(&heading->subtitle, subtitle, small, room, 2);
    heading->height = 18 * page->scale + 1.3 * large * (double)heading->title.count +
                      1.4 * small * (double)heading->subtitle.count + 30 * page->scale;
}

double dlq_page_heading_height(const struct dlq_page *page, const char *title, const char *subtitle, double left)
{
    struct heading heading;
    set_heading(page, title, subtitle, left, &heading);
    return heading.height;
}

static void write_lines(struct dlq_page *page, const struct dlq_lines *lines, double top, double height,
                        struct dlq_type type)
{
    for (size_t i = 0; i < lines->count; i++)
        dlq_page_text(page, page->plot.left, top + ((double)i + 0.5) * height, type, lines->line[i]);
}

void dlq_page_heading(struct dlq_page *page, const char *title, const char *subtitle)
{
    struct heading heading;
    set_heading(page, title, subtitle, page->plot.left, &heading);
    double top = 18 * page->scale, large = 1.3 * dlq_page_em(page, title_type.points);
    write_lines(page, &heading.title, top, large, title_type);
    top += large * (double)heading.title.count + 8 * page->scale;
    write_lines(page, &heading.subtitle, top, 1.4 * dlq_page_em(page, subtitle_type.points), subtitle_type);
}

enum dlq_status dlq_page_end(const struct dlq_page *page, struct dlq_error *error)
{
    if (page->memory_failed)
        return dlq_error_memory(error, "writing a chart");
    if (fflush(page->script) != 0 || ferror(page->script))
        return dlq_error_add(error, DLQ_FAILURE, "cannot write the script of a chart");
    return DLQ_OK;
}

static double screen_x(const struct dlq_page *page, double x)
{
    return x / page->canvas->width;
}

static double screen_y(const struct dlq_page *page, double y)
{
    return 1 - y / page->canvas->height;
}

void dlq_page_text(struct dlq_page *page, double x, double y, struct dlq_type type, const char *text)
{
    static const char *const aligns[] = {"left", "center", "right"};
    char known[DLQ_LINE_BYTES];
    bool embeds = strcmp(page->canvas->format, "svg") != 0;
    if (embeds)
        dlq_glyph_known(text, known, sizeof known);
    char *quoted = dlq_gnuplot_quote(embeds ? known : text);
    if (quoted == NULL) {
        page->memory_failed = true;
        return;
    }
    fprintf(page->script, "set label %s at screen %.9g,%.9g %s%s front font ',%.6g' textcolor rgb '#%06x'\n", quoted,
            screen_x(page, x), screen_y(page, y), aligns[type.align], type.turned ? " rotate by 90" : "",
            dlq_page_font(page, type.points), type.color);
    free(quoted);
}

void dlq_page_line(const struct dlq_page *page, double x, double y, double to_x, double to_y, struct dlq_stroke stroke,
                   bool arrow)
{
    fprintf(page->script, "set arrow from screen %.9g,%.9g to screen %.9g,%.9g ", screen_x(page, x), screen_y(page, y),
            screen_x(page, to_x), screen_y(page, to_y));
    if (arrow)
        fprintf(page->script, "head filled size screen %.6g,18", 15 * page->scale / page->canvas->width);
    else
        fprintf(page->script, "nohead");
    fprintf(page->script, " front lw %.4g dt %d lc rgb '#%06x'\n", dlq_page_stroke(page, stroke.width), stroke.dash,
            stroke.color);
}

void dlq_page_box(const struct dlq_page *page, struct dlq_box box, unsigned color, double opacity, bool border,
                  bool front)
{
    fprintf(page->script, "set object rect from screen %.9g,%.9g to screen %.9g,%.9g %s fc rgb '#%06x' fs solid %.3g ",
            screen_x(page, box.left), screen_y(page, box.bottom), screen_x(page, box.right), screen_y(page, box.top),
            front ? "front" : "behind", color, opacity);
    if (border)
        fprintf(page->script, "border lc rgb '#cccccc' lw %.4g\n", dlq_page_stroke(page, 1));
    else
        fprintf(page->script, "noborder\n");
}

void dlq_page_point(const struct dlq_page *page, double x, double y, int shape, double radius, unsigned color)
{
    fprintf(page->script, "set label '' at screen %.9g,%.9g front point pt %d ps %.4g lc rgb '#%06x'\n",
            screen_x(page, x), screen_y(page, y), shape, dlq_page_dot(page, radius), color);
}
