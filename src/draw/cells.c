#include "draw/cells.h"

#include "draw/gnuplot.h"

#include "base/utf8.h"
#include "draw/cells_layout.h"
#include "draw/glyph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WHITE = 0xffffff, TEXT = 0x111111, FRAME = 0x777777, FRAME_OF_NOTHING = 0xcccccc, REMARK_BARRIER = 0x8a6508 };
enum { LEAST_WIDTH = 320, MOST_WIDTH = 1600, LEAST_CELL = 5, MOST_PIXELS_HIGH = 4096, LEAST_EM = 8 };

static const double pale = 0.25, most_delay = 655.35;

struct strip {
    const struct dlq_cells *cells;
    const struct dlq_cells_frame *frame;
    struct dlq_cells_layout layout;
    FILE *script;
    bool memory_failed;
};

static enum dlq_status check(const struct dlq_cells *cells, struct dlq_error *error)
{
    struct dlq_cells_layout layout;
    size_t count = 0;
    for (size_t i = 0; i < cells->row_count; i++)
        count += cells->rows[i].count;
    if (count == 0 || cells->columns == 0)
        return dlq_error_add(error, DLQ_INVALID, "nothing to draw: the animation has no cells");
    if (cells->width < LEAST_WIDTH || cells->width > MOST_WIDTH)
        return dlq_error_add(error, DLQ_INVALID, "an animation %d pixels wide: %d..%d are possible", cells->width,
                             LEAST_WIDTH, MOST_WIDTH);
    if (!(cells->delay >= 0.02 && cells->delay <= most_delay))
        return dlq_error_add(error, DLQ_INVALID, "%g s per frame: 0.02..%g are possible", cells->delay, most_delay);
    dlq_cells_lay_out(cells, &layout);
    if (layout.width < LEAST_CELL)
        return dlq_error_add(error, DLQ_INVALID, "%zu cells in a line do not fit into %d pixels", cells->columns,
                             cells->width);
    if (dlq_cells_height(cells) > MOST_PIXELS_HIGH)
        return dlq_error_add(error, DLQ_INVALID, "%zu cells need a picture more than %d pixels high", count,
                             MOST_PIXELS_HIGH);
    return DLQ_OK;
}

/* The axes span the page, a unit per pixel, downward. */
enum dlq_status dlq_cells_begin(const struct dlq_cells *cells, FILE *script, struct dlq_error *error)
{
    enum dlq_status status = check(cells, error);
    if (status != DLQ_OK)
        return status;
    int high = dlq_cells_height(cells);
    fprintf(script,
            "set encoding utf8\nset term gif animate delay %ld loop 0 size %d,%d font 'DejaVu Sans,12' noenhanced "
            "background rgb '#ffffff'\n",
            lrint(100 * cells->delay), cells->width, high);
    fprintf(script, "set lmargin at screen 0\nset rmargin at screen 1\nset tmargin at screen 1\n"
                    "set bmargin at screen 0\nunset key\nunset border\nunset tics\n");
    fprintf(script, "set xrange [0:%d]\nset yrange [%d:0]\n", cells->width - 1, high - 1);
    if (ferror(script))
        return dlq_error_add(error, DLQ_FAILURE, "cannot write the script of an animation");
    return DLQ_OK;
}

/* -- boxes, one layer over the other -- */

struct box {
    int left, top, right, bottom;
    unsigned color;
};

static struct box inside(const struct dlq_cell_box *at, unsigned color)
{
    return (struct box){at->left + 1, at->top + 1, at->right - 1, at->bottom - 1, color};
}

static bool outline(const struct dlq_cell *cell, const struct dlq_cell_box *at, struct box *box)
{
    static const unsigned colors[] = {[DLQ_CELL_EMPTY] = FRAME_OF_NOTHING,
                                      [DLQ_CELL_FILLING] = FRAME,
                                      [DLQ_CELL_FULL] = FRAME,
                                      [DLQ_CELL_HELD] = FRAME,
                                      [DLQ_CELL_STALL] = DLQ_PALETTE_STALL,
                                      [DLQ_CELL_BARRIER] = DLQ_PALETTE_BARRIER};
    *box = (struct box){at->left, at->top, at->right, at->bottom, colors[cell->kind]};
    return true;
}

static unsigned ground_color(const struct dlq_cell *cell)
{
    if (cell->kind == DLQ_CELL_FILLING)
        return dlq_palette_blend(cell->color, WHITE, pale);
    return cell->kind == DLQ_CELL_FULL || cell->kind == DLQ_CELL_HELD ? cell->color : WHITE;
}

static bool ground(const struct dlq_cell *cell, const struct dlq_cell_box *at, struct box *box)
{
    *box = inside(at, ground_color(cell));
    return true;
}

static bool filled(const struct dlq_cell *cell, const struct dlq_cell_box *at, struct box *box)
{
    double share = cell->share > 0 ? fmin(cell->share, 1) : 0; /* NAN: 0 */
    *box = inside(at, cell->color);
    box->right = box->left - 1 + (int)lrint(share * (box->right - box->left + 1));
    return cell->kind == DLQ_CELL_FILLING && box->right >= box->left;
}

static bool held(const struct dlq_cell *cell, const struct dlq_cell_box *at, struct box *box)
{
    *box = inside(at, dlq_palette_ink(cell->color));
    return cell->kind == DLQ_CELL_HELD;
}

static bool stall(const struct dlq_cell *cell, const struct dlq_cell_box *at, struct box *box)
{
    *box = inside(at, DLQ_PALETTE_STALL);
    return cell->kind == DLQ_CELL_STALL;
}

static bool barrier(const struct dlq_cell *cell, const struct dlq_cell_box *at, struct box *box)
{
    *box = inside(at, DLQ_PALETTE_BARRIER);
    return cell->kind == DLQ_CELL_BARRIER;
}

/* On a hatch, a text has a plate below it. */
static bool plate(const struct dlq_cell *cell, const struct dlq_cell_box *at, struct box *box)
{
    int part = (at->bottom - at->top) / 5;
    *box = inside(at, ground_color(cell));
    box->top += part;
    box->bottom -= part;
    return cell->text[0] != '\0' && cell->kind >= DLQ_CELL_HELD;
}

/* From the lowest to the uppermost. */
static const struct layer {
    const char *name, *style;
    bool (*box)(const struct dlq_cell *cell, const struct dlq_cell_box *at, struct box *box);
} layers[] = {
    {"outline", "solid 1", outline},
    {"ground", "solid 1", ground},
    {"filled", "solid 1", filled},
    {"held", "transparent pattern 5", held},
    {"stall", "transparent pattern 4", stall},
    {"barrier", "transparent pattern 5", barrier},
    {"plate", "solid 1", plate},
};
enum { LAYERS = sizeof layers / sizeof *layers };

/* Writes a layer's boxes as a block of data; false: it has none. */
static bool write_layer(const struct strip *strip, const struct layer *layer)
{
    bool begun = false;
    struct box box;
    for (size_t row = 0; row < strip->cells->row_count; row++)
        for (size_t i = 0; i < strip->cells->rows[row].count; i++) {
            struct dlq_cell_box at = dlq_cells_box(strip->cells, &strip->layout, row, i);
            if (!layer->box(&strip->frame->rows[row][i], &at, &box))
                continue;
            if (!begun)
                fprintf(strip->script, "$%s << END_OF_DATA\n", layer->name);
            begun = true;
            fprintf(strip->script, "%d %d %d %d %d %d %u\n", box.left, box.top, box.left, box.right, box.top,
                    box.bottom, box.color);
        }
    if (begun)
        fprintf(strip->script, "END_OF_DATA\n");
    return begun;
}

static void write_plot(const struct strip *strip)
{
    bool drawn[LAYERS];
    for (size_t i = 0; i < LAYERS; i++)
        drawn[i] = write_layer(strip, &layers[i]);
    const char *lead = "plot";
    for (size_t i = 0; i < LAYERS; i++) {
        if (!drawn[i])
            continue;
        fprintf(strip->script, "%s $%s using 1:2:3:4:5:6:7 with boxxyerror fs %s noborder lc rgb variable", lead,
                layers[i].name, layers[i].style);
        lead = ", \\\n    ";
    }
    fprintf(strip->script, "\n");
}

/* -- texts -- */

struct style {
    double em;
    const char *align;
    unsigned color;
};

/* gd draws letters of 12 points in an em of 16 pixels. */
static void write_text(struct strip *strip, double x, double y, struct style style, const char *text)
{
    char *quoted = dlq_gnuplot_quote_known(text);
    if (quoted == NULL) {
        strip->memory_failed = true;
        return;
    }
    fprintf(strip->script, "set label %s at %.9g,%.9g %s front font ',%.6g' textcolor rgb '#%06x'\n", quoted, x, y,
            style.align, 0.75 * style.em, style.color);
    free(quoted);
}

/* One line that is not wider than `width`: smaller as far as `least`, then cut. */
static void write_line(struct strip *strip, double x, double y, double width, double least, struct style style,
                       const char *text)
{
    struct dlq_lines lines;
    if (text == NULL)
        return;
    while (style.em > least && dlq_glyph_width(text, strlen(text), style.em) > width)
        style.em -= 1;
    dlq_lines_wrap(&lines, text, style.em, width, 1);
    if (lines.count > 0)
        write_text(strip, x, y, style, lines.line[0]);
}

/* As large as the cell allows; 0: too small to be read. */
static double text_em(const struct dlq_cells_layout *layout, const char *text)
{
    double width = dlq_glyph_width(text, strlen(text), 16) / 16;
    double em = fmin(fmin(16 * layout->scale, 0.62 * layout->height), 0.86 * layout->width / fmax(width, 0.1));
    return em >= LEAST_EM ? floor(em) : 0;
}

/* Each letter in the ink for what is below it: a text may stand on the full color and the pale one. */
static void write_letters(struct strip *strip, const struct dlq_cell *cell, const struct dlq_cell_box *at, double em)
{
    struct box box;
    double end = filled(cell, at, &box) ? box.right + 0.5 : at->left, y = 0.5 * (at->top + at->bottom);
    double x = 0.5 * (at->left + at->right) - 0.5 * dlq_glyph_width(cell->text, strlen(cell->text), em);
    unsigned over_full = dlq_palette_ink(cell->color), over_pale = dlq_palette_ink(ground_color(cell));
    for (const char *at_text = cell->text; *at_text != '\0';) {
        char letter[DLQ_UTF8_BYTES + 1] = "";
        unsigned point;
        size_t size = dlq_utf8_next(at_text, &point);
        dlq_utf8_put(letter, point);
        double width = dlq_glyph_width(at_text, size, em);
        struct style style = {em, "center", x + 0.5 * width < end ? over_full : over_pale};
        write_text(strip, x + 0.5 * width, y, style, letter);
        x += width;
        at_text += size;
    }
}

static void write_cell_text(struct strip *strip, const struct dlq_cell *cell, const struct dlq_cell_box *at)
{
    double em = text_em(&strip->layout, cell->text);
    if (cell->text[0] == '\0' || em <= 0)
        return;
    struct style style = {em, "center", dlq_palette_ink(ground_color(cell))};
    if (cell->kind == DLQ_CELL_FILLING && dlq_palette_ink(cell->color) != style.color)
        write_letters(strip, cell, at, em);
    else
        write_text(strip, 0.5 * (at->left + at->right), 0.5 * (at->top + at->bottom), style, cell->text);
}

static unsigned remark_color(const struct strip *strip, size_t row)
{
    size_t count = strip->cells->rows[row].count;
    enum dlq_cell_kind kind = count > 0 ? strip->frame->rows[row][count - 1].kind : DLQ_CELL_EMPTY;
    return kind == DLQ_CELL_STALL ? DLQ_PALETTE_STALL : kind == DLQ_CELL_BARRIER ? REMARK_BARRIER : TEXT;
}

static void write_margins(struct strip *strip, size_t row)
{
    const struct dlq_cells *cells = strip->cells;
    const struct dlq_cells_layout *layout = &strip->layout;
    double top = dlq_cells_row_top(cells, layout, row), high = dlq_cells_row_height(cells, layout, row);
    struct style label = {layout->label, "right", TEXT}, remark = {layout->label, "left", remark_color(strip, row)};
    write_line(strip, layout->label_end, top + 0.5 * (high - 1), layout->label_end - layout->margin, LEAST_EM + 2,
               label, cells->rows[row].label);
    if (!cells->rows[row].remark || strip->frame->remarks == NULL)
        return;
    struct dlq_cell_box at = dlq_cells_remark(cells, layout, row);
    write_line(strip, at.left, 0.5 * (at.top + at.bottom), at.right - at.left, LEAST_EM + 2, remark,
               strip->frame->remarks[row]);
}

static void write_cell_texts(struct strip *strip, size_t row)
{
    for (size_t i = 0; i < strip->cells->rows[row].count; i++) {
        struct dlq_cell_box at = dlq_cells_box(strip->cells, &strip->layout, row, i);
        write_cell_text(strip, &strip->frame->rows[row][i], &at);
    }
}

static void write_heading(struct strip *strip)
{
    const struct dlq_cells_layout *layout = &strip->layout;
    double end = strip->cells->width - layout->margin, width = end - layout->margin;
    struct style title = {layout->title_em, "left", TEXT}, left = {layout->head_em, "left", TEXT},
                 right = {layout->head_em, "right", TEXT};
    if (layout->title > 0)
        write_line(strip, layout->margin, layout->title, width, 0.7 * layout->title_em, title, strip->cells->title);
    width = end - layout->left;
    write_line(strip, layout->left, layout->head, 0.32 * width, LEAST_EM + 2, left, strip->frame->left);
    write_line(strip, end, layout->head, 0.64 * width, LEAST_EM + 2, right, strip->frame->right);
}

/* Boxes are drawn before texts, and texts in this order: where a frame has more colors than its palette has places
   (some hundred are gnuplot's own), it is shades of letters in cells that are drawn in the next best. */
enum dlq_status dlq_cells_frame(const struct dlq_cells *cells, const struct dlq_cells_frame *frame, FILE *script,
                                struct dlq_error *error)
{
    struct strip strip = {.cells = cells, .frame = frame, .script = script};
    dlq_cells_lay_out(cells, &strip.layout);
    fprintf(script, "unset label\n");
    write_heading(&strip);
    for (size_t i = 0; i < cells->row_count; i++)
        write_margins(&strip, i);
    for (size_t i = 0; i < cells->row_count; i++)
        write_cell_texts(&strip, i);
    write_plot(&strip);
    if (strip.memory_failed)
        return dlq_error_memory(error, "writing an animation");
    if (ferror(script))
        return dlq_error_add(error, DLQ_FAILURE, "cannot write the script of an animation");
    return DLQ_OK;
}
