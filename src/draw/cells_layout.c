#include "draw/cells_layout.h"

#include "draw/glyph.h"

#include <math.h>
#include <string.h>

/* At 900 pixels. Wider cells gain nothing, and each line of pixels costs bytes in every frame. */
enum { MOST_PITCH = 104, MOST_HEIGHT = 40, STRIP = 60, HEIGHT_LIMIT = 1 << 20 };

static int scaled(const struct dlq_cells_layout *layout, double pixels)
{
    return (int)lrint(pixels * layout->scale);
}

static size_t columns_of(const struct dlq_cells *cells)
{
    return cells->columns > 0 ? cells->columns : 1;
}

static size_t in_line(const struct dlq_cells *cells, size_t row)
{
    size_t count = cells->rows[row].count, columns = columns_of(cells);
    return count < columns ? count : columns;
}

static size_t last_line(const struct dlq_cells *cells, size_t row)
{
    size_t count = cells->rows[row].count;
    return count > 0 ? (count - 1) % columns_of(cells) + 1 : 0;
}

static size_t widest_line(const struct dlq_cells *cells)
{
    size_t widest = 1;
    for (size_t i = 0; i < cells->row_count; i++)
        widest = in_line(cells, i) > widest ? in_line(cells, i) : widest;
    return widest;
}

/* Width of the labels, which may take a third of the page. */
static int label_width(const struct dlq_cells *cells, const struct dlq_cells_layout *layout)
{
    double widest = 0;
    for (size_t i = 0; i < cells->row_count; i++) {
        const char *label = cells->rows[i].label;
        widest = fmax(widest, label == NULL ? 0 : dlq_glyph_width(label, strlen(label), layout->label));
    }
    return (int)ceil(fmin(widest, cells->width / 3.0));
}

static void set_pitch(struct dlq_cells_layout *layout, size_t widest)
{
    int most = scaled(layout, MOST_PITCH), room = layout->right - layout->left;
    size_t share = (size_t)(room > 0 ? room : 0) / widest;
    layout->pitch = share < (size_t)most ? (int)share : most;
    layout->gap = layout->pitch >= 60 ? 8 : layout->pitch >= 30 ? 4 : layout->pitch >= 12 ? 2 : 1;
    layout->width = layout->pitch - layout->gap;
    layout->height = (int)fmin(fmax(0.7 * layout->width, fmin(layout->width, 20)), scaled(layout, MOST_HEIGHT));
}

/* A remark behind a full line needs a strip of its own. */
static bool needs_strip(const struct dlq_cells *cells, const struct dlq_cells_layout *layout)
{
    for (size_t i = 0; i < cells->row_count; i++) {
        size_t end = last_line(cells, i) * (size_t)layout->pitch + (size_t)scaled(layout, STRIP);
        if (cells->rows[i].remark && (long)end > layout->right - layout->left)
            return true;
    }
    return false;
}

void dlq_cells_lay_out(const struct dlq_cells *cells, struct dlq_cells_layout *layout)
{
    *layout = (struct dlq_cells_layout){.scale = fmin(fmax(cells->width / 900.0, 0.65), 1.4)};
    layout->margin = scaled(layout, 18);
    layout->title_em = 20 * layout->scale;
    layout->head_em = 17 * layout->scale;
    layout->label = 16 * layout->scale;
    int y = layout->margin;
    if (cells->title != NULL && cells->title[0] != '\0') {
        layout->title = y + scaled(layout, 11);
        y += scaled(layout, 38);
    }
    layout->head = y + scaled(layout, 9);
    layout->top = y + scaled(layout, 34);
    layout->between = scaled(layout, 20);
    layout->label_end = layout->margin + label_width(cells, layout);
    layout->left = layout->label_end + scaled(layout, 14);
    layout->right = cells->width - layout->margin;
    set_pitch(layout, widest_line(cells));
    if (needs_strip(cells, layout)) {
        layout->right -= scaled(layout, STRIP);
        set_pitch(layout, widest_line(cells));
    }
}

int dlq_cells_row_height(const struct dlq_cells *cells, const struct dlq_cells_layout *layout, size_t row)
{
    size_t count = cells->rows[row].count, columns = columns_of(cells);
    size_t lines = count / columns + (count % columns > 0 ? 1 : 0);
    lines = lines < HEIGHT_LIMIT / 256 ? lines : HEIGHT_LIMIT / 256;
    int high = (int)lines * (layout->height + layout->gap) - layout->gap, text = (int)ceil(1.3 * layout->label);
    return high > text ? high : text;
}

int dlq_cells_row_top(const struct dlq_cells *cells, const struct dlq_cells_layout *layout, size_t row)
{
    int y = layout->top;
    for (size_t i = 0; i < row && y < HEIGHT_LIMIT; i++) {
        y += dlq_cells_row_height(cells, layout, i) + layout->between;
        if (i + 1 < cells->row_count && cells->rows[i + 1].apart)
            y += layout->between;
    }
    return y;
}

struct dlq_cell_box dlq_cells_box(const struct dlq_cells *cells, const struct dlq_cells_layout *layout, size_t row,
                                  size_t cell)
{
    int line = (int)(cell / columns_of(cells)), column = (int)(cell % columns_of(cells));
    int left = layout->left + column * layout->pitch;
    int top = dlq_cells_row_top(cells, layout, row) + line * (layout->height + layout->gap);
    return (struct dlq_cell_box){left, top, left + layout->width - 1, top + layout->height - 1};
}

struct dlq_cell_box dlq_cells_remark(const struct dlq_cells *cells, const struct dlq_cells_layout *layout, size_t row)
{
    struct dlq_cell_box box = {layout->left, dlq_cells_row_top(cells, layout, row), cells->width - layout->margin, 0};
    box.bottom = box.top + dlq_cells_row_height(cells, layout, row) - 1;
    if (cells->rows[row].count > 0) {
        struct dlq_cell_box last = dlq_cells_box(cells, layout, row, cells->rows[row].count - 1);
        box.left = last.right + scaled(layout, 14);
        box.top = last.top;
        box.bottom = last.bottom;
    }
    return box;
}

int dlq_cells_height(const struct dlq_cells *cells)
{
    struct dlq_cells_layout layout;
    dlq_cells_lay_out(cells, &layout);
    return dlq_cells_row_top(cells, &layout, cells->row_count) - layout.between + layout.margin;
}
