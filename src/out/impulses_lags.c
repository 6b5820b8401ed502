/* The lower panel of impulses: the autocorrelation by lag. */
#include "out/impulses_sheet.h"

#include <math.h>
#include <string.h>

/* Lighter than the marked ones too, for who takes red and blue for the same. */
static const unsigned plain_color = 0x77addb, band_color = 0xe4e4e4;
static const struct dlq_type note_type = {15, 0x222222, DLQ_ALIGN_LEFT, false};
static const struct dlq_type band_type = {14, 0x666666, DLQ_ALIGN_LEFT, false};
static const double swatch = 34; /* in front of the band's label above the panel */

bool dlq_lags_any(const struct dlq_impulses *impulses)
{
    for (size_t lag = 1; impulses->acf != NULL && lag <= impulses->lags; lag++)
        if (dlq_impulse_drawn(impulses->acf[lag]))
            return true;
    return false;
}

static bool is_marked(const struct dlq_impulses *impulses, size_t lag)
{
    return impulses->mark > 0 && lag % (size_t)impulses->mark == 0;
}

static bool has_band(const struct dlq_impulses *impulses)
{
    return impulses->band > 0 && dlq_impulse_drawn(impulses->band);
}

/* Up to 1 always: so that a rhythm looks as strong as it is. Below there is room for a line of text. */
void dlq_lags_span(struct dlq_impulses_sheet *sheet)
{
    const struct dlq_impulses *impulses = sheet->impulses;
    double low = 0, high = 1, band = has_band(impulses) ? fmin(impulses->band, 1) : 0;
    for (size_t lag = 1; lag <= impulses->lags; lag++)
        if (dlq_impulse_drawn(impulses->acf[lag])) {
            low = fmin(low, impulses->acf[lag]);
            high = fmax(high, impulses->acf[lag]);
        }
    sheet->lower.y_high = 1.08 * high;
    low = fmin(low, -band);
    sheet->lower.y_low = fmin(-0.3 * high, low - 0.13 * (1.08 * high - low));
    sheet->lower.x_low = 0;
    sheet->lower.x_high = (double)impulses->lags + fmax(0.5, 0.015 * (double)impulses->lags);
}

/* -- widths -- */

static double pitch(const struct dlq_impulses_sheet *sheet)
{
    const struct dlq_panel *lower = &sheet->lower;
    return (lower->plot.right - lower->plot.left) / (lower->x_high - lower->x_low);
}

static double width_of(const struct dlq_impulses_sheet *sheet, bool marked)
{
    const struct dlq_page *page = &sheet->figure.page;
    return marked ? dlq_impulse_width(page, pitch(sheet), 0.75, 4.5) : dlq_impulse_width(page, pitch(sheet), 0.5, 3.2);
}

static double radius_of(const struct dlq_impulses_sheet *sheet)
{
    double between = pitch(sheet) * (double)sheet->impulses->mark / sheet->figure.page.scale;
    return fmax(fmin(4.6, 0.42 * between), 0.6 * width_of(sheet, true));
}

/* -- what is taken -- */

static void take_lag(struct dlq_impulses_sheet *sheet, size_t lag)
{
    const struct dlq_panel *lower = &sheet->lower;
    double scale = sheet->figure.page.scale, value = sheet->impulses->acf[lag];
    if (!dlq_impulse_drawn(value))
        return;
    bool marked = is_marked(sheet->impulses, lag);
    double x = dlq_panel_x(lower, (double)lag), y = dlq_panel_y(lower, value), zero = dlq_panel_y(lower, 0);
    double half = scale * (marked ? radius_of(sheet) : 0.5 * width_of(sheet, false)), over = marked ? half : 0;
    struct dlq_box box = {x - half, fmin(y - over, zero), x + half, fmax(y + over, zero)};
    dlq_places_box(&sheet->figure.places, box, DLQ_TAKEN_DATA);
}

static struct dlq_box band_box(const struct dlq_impulses_sheet *sheet)
{
    const struct dlq_panel *lower = &sheet->lower;
    double band = sheet->impulses->band;
    return (struct dlq_box){lower->plot.left, dlq_panel_y(lower, fmin(band, lower->y_high)), lower->plot.right,
                            dlq_panel_y(lower, fmax(-band, lower->y_low))};
}

static void take_all(struct dlq_impulses_sheet *sheet)
{
    const struct dlq_panel *lower = &sheet->lower;
    struct dlq_places *places = &sheet->figure.places;
    double zero = dlq_panel_y(lower, 0);
    dlq_places_clear(places, lower->plot);
    for (size_t lag = 1; lag <= sheet->impulses->lags; lag++)
        take_lag(sheet, lag);
    if (has_band(sheet->impulses))
        dlq_places_box(places, band_box(sheet), DLQ_TAKEN_GUIDE);
    dlq_places_line(places, lower->plot.left, zero, lower->plot.right, zero, DLQ_TAKEN_GUIDE);
    dlq_places_sum(places);
}

/* -- captions -- */

static double caption_width(const struct dlq_impulses_sheet *sheet, const struct dlq_caption *caption,
                            struct dlq_type type)
{
    double widest = 0;
    for (size_t i = 0; i < caption->lines.count; i++)
        widest = fmax(widest, dlq_page_width(&sheet->figure.page, type.points, caption->lines.line[i]));
    return widest;
}

static double line_height(const struct dlq_impulses_sheet *sheet, struct dlq_type type)
{
    return 1.3 * dlq_page_em(&sheet->figure.page, type.points);
}

/* A box of the caption's size whose middle is at y; it stands there if nothing else does. */
static bool stands(struct dlq_impulses_sheet *sheet, struct dlq_caption *caption, struct dlq_type type, double left,
                   double y)
{
    const struct dlq_box *plot = &sheet->lower.plot;
    double scale = sheet->figure.page.scale, width = caption_width(sheet, caption, type);
    double height = line_height(sheet, type) * (double)caption->lines.count;
    struct dlq_box box = {left, y - 0.5 * height, left + width, y + 0.5 * height};
    struct dlq_box wide = {box.left - 6 * scale, box.top - 2 * scale, box.right + 6 * scale, box.bottom + 2 * scale};
    bool inside = wide.left >= plot->left && wide.right <= plot->right && wide.top >= plot->top && //
                  wide.bottom <= plot->bottom;
    if (!inside || dlq_places_count(&sheet->figure.places, wide) > 0)
        return false;
    caption->box = box;
    dlq_places_box(&sheet->figure.places, wide, DLQ_TAKEN_TEXT);
    dlq_places_sum(&sheet->figure.places);
    return true;
}

static bool beside(struct dlq_impulses_sheet *sheet, size_t lag)
{
    static const double above[] = {0.5, 1, 0, 1.6, -0.7}; /* lines over the tip */
    struct dlq_caption *note = &sheet->note;
    double x = dlq_panel_x(&sheet->lower, (double)lag), y = dlq_panel_y(&sheet->lower, sheet->impulses->acf[lag]);
    double away = 20 * sheet->figure.page.scale, height = line_height(sheet, note_type);
    double left = x - away - caption_width(sheet, note, note_type);
    for (size_t i = 0; i < sizeof above / sizeof *above; i++)
        if (stands(sheet, note, note_type, x + away, y - above[i] * height) ||
            stands(sheet, note, note_type, left, y - above[i] * height))
            return true;
    return false;
}

/* In the upper third, from the left, beginning before `last`. */
static bool on_top(struct dlq_impulses_sheet *sheet, double last)
{
    enum { ROWS = 8, STEPS = 60 };
    const struct dlq_box *plot = &sheet->lower.plot;
    double scale = sheet->figure.page.scale, third = (plot->bottom - plot->top) / 3;
    double first_y = plot->top + 3 * scale + 0.5 * line_height(sheet, note_type) * (double)sheet->note.lines.count;
    double first_x = plot->left + 14 * scale;
    for (int row = 0; row < ROWS; row++)
        for (int step = 0; step < STEPS; step++)
            if (stands(sheet, &sheet->note, note_type, first_x + (last - first_x) * step / STEPS,
                       first_y + third * row / ROWS))
                return true;
    return false;
}

static bool place_note(struct dlq_impulses_sheet *sheet)
{
    const struct dlq_impulses *impulses = sheet->impulses;
    size_t first = impulses->mark > 0 ? (size_t)impulses->mark : 0;
    bool marked = first > 0 && first <= impulses->lags && dlq_impulse_drawn(impulses->acf[first]);
    const struct dlq_box *plot = &sheet->lower.plot;
    if (!marked)
        return on_top(sheet, plot->right);
    /* Further away it would seem to speak of another lag. */
    double near = dlq_panel_x(&sheet->lower, (double)first) + 0.1 * (plot->right - plot->left);
    return beside(sheet, first) || on_top(sheet, near);
}

/* At the right, below the band or above it; at the bottom; else in an empty corner. */
static bool place_band(struct dlq_impulses_sheet *sheet)
{
    const struct dlq_box *plot = &sheet->lower.plot;
    struct dlq_box band = band_box(sheet), corner;
    struct dlq_caption *caption = &sheet->band;
    double scale = sheet->figure.page.scale, half = 0.5 * line_height(sheet, band_type);
    double width = caption_width(sheet, caption, band_type), left = plot->right - 10 * scale - width;
    const double y[] = {band.bottom + half + 4 * scale, band.top - half - 4 * scale, plot->bottom - half - 4 * scale};
    for (size_t i = 0; i < sizeof y / sizeof *y; i++)
        if (stands(sheet, caption, band_type, left, y[i]))
            return true;
    return dlq_places_corner(&sheet->figure.places, width + 14 * scale, 2 * half + 6 * scale, 4 * scale, &corner) &&
           stands(sheet, caption, band_type, corner.left + 7 * scale, 0.5 * (corner.top + corner.bottom));
}

static void cut(struct dlq_impulses_sheet *sheet, struct dlq_caption *caption, struct dlq_type type, const char *text,
                double share, size_t lines)
{
    double room = share * (sheet->lower.plot.right - sheet->lower.plot.left);
    dlq_lines_wrap(&caption->lines, text, dlq_page_em(&sheet->figure.page, type.points), room, lines);
}

/* Of the panel's width; beside a note above the panel what that leaves. */
static double band_share(const struct dlq_impulses_sheet *sheet)
{
    const struct dlq_box *plot = &sheet->lower.plot;
    if (!sheet->band.outside || !sheet->note.outside)
        return 0.7;
    double taken = caption_width(sheet, &sheet->note, note_type) + (swatch + 40) * sheet->figure.page.scale;
    return fmax(0.34, 1 - taken / (plot->right - plot->left));
}

bool dlq_lags_place(struct dlq_impulses_sheet *sheet)
{
    struct dlq_caption *note = &sheet->note, *band = &sheet->band;
    const char *label = has_band(sheet->impulses) ? sheet->impulses->band_label : NULL;
    bool found = true;
    take_all(sheet);
    cut(sheet, note, note_type, sheet->impulses->note, 0.62, note->outside ? 1 : 2);
    cut(sheet, band, band_type, label, band_share(sheet), 1);
    if (note->lines.count > 0 && !note->outside && !place_note(sheet)) {
        note->outside = true;
        found = false;
    }
    if (band->lines.count > 0 && !band->outside && !place_band(sheet)) {
        band->outside = true;
        found = false;
    }
    return found;
}

/* Inside on white, so that no grid line runs through the words. */
static void write_caption(struct dlq_impulses_sheet *sheet, const struct dlq_caption *caption, struct dlq_type type)
{
    struct dlq_page *page = &sheet->figure.page;
    double height = line_height(sheet, type), pad = 3 * page->scale;
    struct dlq_box box = caption->box;
    box.left -= pad;
    box.right += pad;
    if (!caption->outside && caption->lines.count > 0)
        dlq_page_box(page, box, 0xffffff, 1, false, true);
    for (size_t i = 0; i < caption->lines.count; i++)
        dlq_page_text(page, caption->box.left, caption->box.top + ((double)i + 0.5) * height, type,
                      caption->lines.line[i]);
}

/* Note at the left and band at the right, with a sample of its gray. */
static void set_outside(struct dlq_impulses_sheet *sheet)
{
    const struct dlq_box *plot = &sheet->lower.plot;
    struct dlq_page *page = &sheet->figure.page;
    double y = plot->top - 0.9 * line_height(sheet, note_type), half = 6 * page->scale;
    double left = plot->right - caption_width(sheet, &sheet->band, band_type);
    if (sheet->note.outside)
        sheet->note.box = (struct dlq_box){plot->left, y - 0.5 * line_height(sheet, note_type), plot->right, y};
    if (!sheet->band.outside)
        return;
    sheet->band.box = (struct dlq_box){left, y - 0.5 * line_height(sheet, band_type), plot->right, y};
    struct dlq_box sample = {left - (swatch + 10) * page->scale, y - half, left - 10 * page->scale, y + half};
    dlq_page_box(page, sample, band_color, 1, false, true);
}

void dlq_lags_write(struct dlq_impulses_sheet *sheet)
{
    struct dlq_page *page = &sheet->figure.page;
    const struct dlq_box *plot = &sheet->lower.plot;
    double zero = dlq_panel_y(&sheet->lower, 0);
    if (has_band(sheet->impulses))
        dlq_page_box(page, band_box(sheet), band_color, 1, false, false);
    dlq_page_line(page, plot->left, zero, plot->right, zero, (struct dlq_stroke){1.2, 0x444444, 1}, false);
    set_outside(sheet);
    write_caption(sheet, &sheet->note, note_type);
    write_caption(sheet, &sheet->band, band_type);
}

/* -- data -- */

static bool write_block(const struct dlq_impulses_sheet *sheet, const char *name, bool marked)
{
    const struct dlq_impulses *impulses = sheet->impulses;
    FILE *script = sheet->figure.page.script;
    bool any = false;
    for (size_t lag = 1; lag <= impulses->lags; lag++) {
        if (is_marked(impulses, lag) != marked || !dlq_impulse_drawn(impulses->acf[lag]))
            continue;
        if (!any)
            fprintf(script, "$%s << END_OF_DATA\n", name);
        fprintf(script, "%zu %.12g\n", lag, impulses->acf[lag]);
        any = true;
    }
    if (any)
        fprintf(script, "END_OF_DATA\n");
    return any;
}

void dlq_lags_plot(const struct dlq_impulses_sheet *sheet)
{
    const struct dlq_page *page = &sheet->figure.page;
    unsigned red = dlq_area_color(DLQ_COLOR_RED);
    bool plain = write_block(sheet, "lags", false), marked = write_block(sheet, "marked", true);
    fprintf(page->script, "plot ");
    if (plain)
        fprintf(page->script, "$lags using 1:2 with impulses lw %.4g dt 1 lc rgb '#%06x'",
                dlq_page_stroke(page, width_of(sheet, false)), plain_color);
    if (marked)
        fprintf(page->script,
                "%s$marked using 1:2 with impulses lw %.4g dt 1 lc rgb '#%06x', \\\n"
                "     $marked using 1:2 with points pt 7 ps %.4g lc rgb '#%06x'",
                plain ? ", \\\n     " : "", dlq_page_stroke(page, width_of(sheet, true)), red,
                dlq_page_dot(page, radius_of(sheet)), red);
    fprintf(page->script, "\n");
}
