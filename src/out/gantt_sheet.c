#include "out/gantt_sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes at 1600x900 in pixels. LEAST_...: what a reader needs. */
enum { GAP = 14, EDGE = 42, BELOW = 98, LEAST_ROW = 13, LEAST_LEVELS = 40, LEAST_HEADING = 20, THICKEST = 74 };
enum { HIGHEST = 8192, TRACK_PIXELS = 2, COARSEST = 64, DRAWN_MOST = 4 * DLQ_GANTT_SPANS };

static const double axis_points = 17, note_points = 13;

double dlq_gantt_seconds(const struct dlq_gantt_sheet *sheet, double pixels)
{
    return pixels * (sheet->gantt->to - sheet->gantt->from) / sheet->columns;
}

double dlq_gantt_x(const struct dlq_gantt_sheet *sheet, double time)
{
    const struct dlq_box *plot = &sheet->page.plot;
    double share = (time - sheet->gantt->from) / (sheet->gantt->to - sheet->gantt->from);
    return plot->left + share * (plot->right - plot->left);
}

double dlq_gantt_level_y(const struct dlq_gantt_sheet *sheet, size_t track, double level)
{
    const struct dlq_gantt_place *place = &sheet->places[track];
    return place->bottom - level * (place->bottom - place->top) / (1.06 * place->most);
}

double dlq_gantt_points(const struct dlq_gantt_sheet *sheet, double em)
{
    return em / dlq_page_em(&sheet->page, 1);
}

static double weight_of(const struct dlq_track *track)
{
    return track->weight > 0 && track->weight < 1000 ? track->weight : 1;
}

static size_t gaps_of(const struct dlq_gantt *gantt)
{
    size_t gaps = 0;
    for (size_t i = 1; i < gantt->count; i++)
        gaps += gantt->tracks[i].apart ? 1 : 0;
    return gaps;
}

double dlq_gantt_gap(const struct dlq_gantt_sheet *sheet)
{
    return fmin(GAP * sheet->page.scale, 0.3 * sheet->height / (double)(gaps_of(sheet->gantt) + 1));
}

/* The nearest place between two pixels of a PNG. gnuplot 5.4 draws what is at x/width of the screen at
   0.5 + x (width - 1)/width, measured. */
static double snap(double x, int width)
{
    return (round(0.5 + x * (width - 1) / width) - 0.5) * width / (width - 1);
}

static double whole_pixels(double length, int width)
{
    return round(length * (width - 1) / width);
}

/* Heading, key, tracks, axis and notes, for a plot that begins at `left`. Whole pixels, so that the columns in which
   spans are joined are those of the picture. */
static void set_frame(struct dlq_gantt_sheet *sheet, double left)
{
    struct dlq_page *page = &sheet->page;
    const struct dlq_gantt *gantt = sheet->gantt;
    double weights = 0, em = dlq_page_em(page, note_points);
    page->plot.left = snap(left, page->canvas->width);
    page->plot.right = snap(page->canvas->width - EDGE * page->scale, page->canvas->width);
    double width = page->plot.right - page->plot.left;
    dlq_lines_wrap(&sheet->note, gantt->note, em, width, 2);
    sheet->strip = dlq_gantt_key_height(sheet, width);
    double heading = dlq_page_heading_height(page, gantt->title, gantt->subtitle, page->plot.left);
    double lines = (double)(sheet->note.count + sheet->joined.count), height = page->canvas->height;
    page->plot.top = snap(heading + sheet->strip, page->canvas->height);
    page->plot.bottom = snap(height - BELOW * page->scale - 1.45 * em * lines, page->canvas->height);
    sheet->columns = whole_pixels(width, page->canvas->width);
    sheet->height = whole_pixels(page->plot.bottom - page->plot.top, page->canvas->height);
    for (size_t i = 0; i < gantt->count; i++)
        weights += weight_of(&gantt->tracks[i]);
    double gaps = dlq_gantt_gap(sheet) * (double)gaps_of(gantt);
    sheet->pitch = (sheet->height - gaps) / weights;
}

static void append(char *text, size_t size, const char *format, size_t count, int pixels)
{
    char number[DLQ_TIC_TEXT], width[32];
    size_t used = strlen(text);
    dlq_tic_number((double)count, 0, number);
    snprintf(width, sizeof width, pixels == 1 ? "a pixel" : "%d pixels", pixels);
    snprintf(text + used, size - used, format, used > 0 ? " \xc2\xb7 " : "", number, width);
}

/* The narrowest columns with which few enough are left. */
static int pixels_for(const struct dlq_gantt_sheet *sheet, bool levels)
{
    int pixels = 1;
    for (; pixels < COARSEST; pixels *= 2) {
        struct dlq_gantt_view view = sheet->spans;
        view.column = dlq_gantt_seconds(sheet, pixels);
        if (dlq_gantt_count(sheet->gantt, &view, levels) <= DRAWN_MOST)
            break;
    }
    return pixels;
}

static void choose_columns(struct dlq_gantt_sheet *sheet)
{
    char text[256] = "";
    sheet->spans = sheet->levels = (struct dlq_gantt_view){sheet->gantt->from, sheet->gantt->to, 0};
    sheet->span_count = dlq_gantt_count(sheet->gantt, &sheet->spans, false);
    sheet->level_count = dlq_gantt_count(sheet->gantt, &sheet->levels, true);
    if (sheet->span_count > DLQ_GANTT_SPANS) {
        sheet->span_pixels = pixels_for(sheet, false);
        append(text, sizeof text, "%s%s spans; those narrower than %s are joined", sheet->span_count,
               sheet->span_pixels);
    }
    if (sheet->level_count > DLQ_GANTT_SPANS) {
        sheet->level_pixels = pixels_for(sheet, true);
        append(text, sizeof text, "%s%s levels; least and largest within %s are drawn", sheet->level_count,
               sheet->level_pixels);
    }
    dlq_lines_wrap(&sheet->joined, text, dlq_page_em(&sheet->page, note_points),
                   sheet->page.plot.right - sheet->page.plot.left, 2);
}

static double smallest(const struct dlq_gantt *gantt)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < gantt->count; i++)
        if (dlq_gantt_kind_of(&gantt->tracks[i]) == DLQ_TRACK_SPANS)
            least = fmin(least, weight_of(&gantt->tracks[i]));
    return least;
}

/* Letters shrink with the rows as long as they are legible; with thinner rows, some labels are left out. */
static void set_points(struct dlq_gantt_sheet *sheet)
{
    double scale = sheet->page.scale, most = dlq_page_em(&sheet->page, axis_points);
    double em = fmin(0.88 * sheet->least_weight * sheet->pitch, most);
    if (em < fmax(DLQ_GANTT_EM, 8.5 * fmin(scale, sheet->page.canvas->width / 1600.0)))
        em = fmax(DLQ_GANTT_EM, 12.5 * scale);
    sheet->points = dlq_gantt_points(sheet, em);
}

static double largest_level(const struct dlq_gantt_sheet *sheet, const struct dlq_track *track)
{
    struct dlq_gantt_view view = {sheet->gantt->from, sheet->gantt->to, 0};
    struct dlq_gantt_stairs stairs;
    struct dlq_gantt_step step;
    double most = 1;
    for (dlq_gantt_stairs_begin(&stairs, &view, track); dlq_gantt_stairs_next(&stairs, &step);)
        most = fmax(most, step.lower + step.upper);
    return ceil(most);
}

/* Two to four tics at whole numbers, as far as there is room for them. */
static double level_step(const struct dlq_gantt_sheet *sheet, double most, double height)
{
    static const double factors[] = {2, 2.5, 2};
    double least = 1.15 * dlq_page_em(&sheet->page, sheet->points) / height * 1.06 * most, step = 1;
    for (int i = 0; step < least || most / step >= 4; i++)
        step *= factors[i % 3];
    return step > most ? most : step;
}

static void set_places(struct dlq_gantt_sheet *sheet)
{
    double y = 0, gap = dlq_gantt_gap(sheet);
    for (size_t i = 0; i < sheet->gantt->count; i++) {
        const struct dlq_track *track = &sheet->gantt->tracks[i];
        struct dlq_gantt_place *place = &sheet->places[i];
        y += i > 0 && track->apart ? gap : 0;
        double pitch = weight_of(track) * sheet->pitch;
        double thick = pitch < 6 ? pitch - 1 : fmin(0.76 * pitch, THICKEST * sheet->page.scale);
        if (dlq_gantt_kind_of(track) != DLQ_TRACK_SPANS)
            thick = pitch - 3 * fmin(1, sheet->page.scale);
        place->top = round(y + 0.5 * (pitch - thick));
        place->bottom = place->top + fmax(1, round(thick)); /* rows of equal weight are equally thick */
        if (dlq_gantt_kind_of(track) == DLQ_TRACK_LEVELS)
            place->step = level_step(sheet, place->most, place->bottom - place->top);
        y += pitch;
    }
}

struct unit {
    double least, seconds;
    const char *name;
};

/* Of a short stretch far from 0, seconds with decimals. */
static const struct unit *unit_of(const struct dlq_gantt *gantt)
{
    static const struct unit long_units[] = {{14400, 3600, "h"}, {300, 60, "min"}};
    static const struct unit units[] = {{1, 1, "s"}, {1e-3, 1e-3, "ms"}, {0, 1e-6, "\xc2\xb5s"}};
    double span = gantt->to - gantt->from, largest = fmax(fabs(gantt->from), fabs(gantt->to));
    for (size_t i = 0; i < sizeof long_units / sizeof *long_units; i++)
        if (span >= long_units[i].least)
            return &long_units[i];
    size_t i = 0;
    while (largest < units[i].least)
        i++;
    return &units[i];
}

static void set_tics(struct dlq_gantt_sheet *sheet)
{
    const struct dlq_box *plot = &sheet->page.plot;
    const struct unit *unit = unit_of(sheet->gantt);
    struct dlq_axis axis = {.low = sheet->gantt->from,
                            .high = sheet->gantt->to,
                            .pixels = plot->right - plot->left,
                            .factor = 1 / unit->seconds};
    struct dlq_tics *tics = &sheet->tics;
    sheet->unit = unit->name;
    dlq_tics_plain(tics, &sheet->page, &axis);
    /* A long number at the end of the axis would leave the page. */
    while (tics->count > 1 && dlq_gantt_x(sheet, tics->at[tics->count - 1]) +
                                      0.5 * dlq_page_width(&sheet->page, axis_points, tics->label[tics->count - 1]) >
                                  sheet->page.canvas->width)
        tics->count--;
}

static double left_of(const struct dlq_gantt_sheet *sheet)
{
    const struct dlq_page *page = &sheet->page;
    return fmax(90 * page->scale, 34 * page->scale + dlq_gantt_labels_width(sheet));
}

static enum dlq_status check(const struct dlq_gantt_sheet *sheet, struct dlq_error *error)
{
    const struct dlq_gantt *gantt = sheet->gantt;
    const struct dlq_canvas *canvas = sheet->page.canvas;
    double least = HUGE_VAL;
    for (size_t i = 0; i < gantt->count; i++)
        least = fmin(least, weight_of(&gantt->tracks[i]));
    if (least * sheet->pitch >= TRACK_PIXELS)
        return DLQ_OK;
    int height = dlq_gantt_height(gantt, canvas->width, canvas->height);
    return dlq_error_add(error, DLQ_INVALID, "a chart of %dx%d pixels is too small for %zu tracks (%s %d high)",
                         canvas->width, canvas->height, gantt->count,
                         height < HIGHEST ? "they can be read when it is" : "it may be at most", height);
}

static void begin(struct dlq_gantt_sheet *sheet)
{
    sheet->least_weight = smallest(sheet->gantt);
    set_frame(sheet, 130 * sheet->page.scale);
    choose_columns(sheet);
    set_frame(sheet, 130 * sheet->page.scale);
}

enum dlq_status dlq_gantt_lay_out(struct dlq_gantt_sheet *sheet, struct dlq_error *error)
{
    const struct dlq_gantt *gantt = sheet->gantt;
    begin(sheet);
    enum dlq_status status = check(sheet, error);
    if (status != DLQ_OK)
        return status;
    sheet->places = calloc(gantt->count, sizeof *sheet->places);
    if (sheet->places == NULL)
        return dlq_error_memory(error, "laying out a chart");
    for (size_t i = 0; i < gantt->count; i++)
        if (dlq_gantt_kind_of(&gantt->tracks[i]) == DLQ_TRACK_LEVELS)
            sheet->places[i].most = largest_level(sheet, &gantt->tracks[i]);
    set_points(sheet);
    set_frame(sheet, left_of(sheet));
    status = check(sheet, error);
    if (status != DLQ_OK)
        return status;
    set_points(sheet);
    set_places(sheet);
    sheet->spans.column = sheet->span_pixels * dlq_gantt_seconds(sheet, 1);
    sheet->levels.column = sheet->level_pixels * dlq_gantt_seconds(sheet, 1);
    dlq_gantt_labels_choose(sheet);
    set_tics(sheet);
    return DLQ_OK;
}

static bool readable(const struct dlq_gantt_sheet *sheet)
{
    static const int least[] = {
        [DLQ_TRACK_SPANS] = LEAST_ROW, [DLQ_TRACK_LEVELS] = LEAST_LEVELS, [DLQ_TRACK_HEADING] = LEAST_HEADING};
    double scale = fmax(sheet->page.canvas->width / 1600.0, 0.72); /* letters of 8 pixels */
    for (size_t i = 0; i < sheet->gantt->count; i++) {
        const struct dlq_track *track = &sheet->gantt->tracks[i];
        if (weight_of(track) * sheet->pitch < least[dlq_gantt_kind_of(track)] * scale)
            return false;
    }
    return true;
}

/* A page's letters grow with it, which is why the height is searched for. */
int dlq_gantt_height(const struct dlq_gantt *gantt, int width, int usual)
{
    struct dlq_canvas canvas = {width, usual, "png"};
    struct dlq_gantt_sheet sheet = {.gantt = gantt};
    if (dlq_page_open(&sheet.page, &canvas, NULL, NULL) != DLQ_OK)
        return usual;
    begin(&sheet);
    while (!readable(&sheet) && canvas.height < HIGHEST) {
        canvas.height = canvas.height + 10 < HIGHEST ? canvas.height + 10 : HIGHEST;
        dlq_page_open(&sheet.page, &canvas, NULL, NULL);
        set_frame(&sheet, 130 * sheet.page.scale);
    }
    return canvas.height;
}
