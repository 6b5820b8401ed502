#include "dlqueue/gnuplot.h"
#include "out/gantt_sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* At the left of the plot: labels of the tracks, axes of the levels; and the headings of groups. */

static const double column_share = 0.22, heading_points = 16;
enum { TO_LABEL = 14, TIC = 6, TO_TIC = 10, TIC_TO_LABEL = 16 };

static const char *one_line(const struct dlq_gantt_sheet *sheet, const char *text, double points, double width,
                            struct dlq_lines *lines)
{
    dlq_lines_wrap(lines, text, dlq_page_em(&sheet->page, points), width, 1);
    return lines->count > 0 ? lines->line[0] : "";
}

static double tic_width(const struct dlq_gantt_sheet *sheet, size_t track)
{
    char number[DLQ_TIC_TEXT];
    dlq_tic_number(sheet->places[track].most, 0, number);
    return dlq_page_width(&sheet->page, sheet->points, number) + TIC_TO_LABEL * sheet->page.scale;
}

double dlq_gantt_labels_width(const struct dlq_gantt_sheet *sheet)
{
    struct dlq_lines lines;
    double widest = 0, most = column_share * sheet->page.canvas->width;
    for (size_t i = 0; i < sheet->gantt->count; i++) {
        const struct dlq_track *track = &sheet->gantt->tracks[i];
        enum dlq_track_kind kind = dlq_gantt_kind_of(track);
        if (kind == DLQ_TRACK_HEADING)
            continue;
        const char *label = one_line(sheet, track->label, sheet->points, most, &lines);
        double width = dlq_page_width(&sheet->page, sheet->points, label);
        widest = fmax(widest, width + (kind == DLQ_TRACK_LEVELS ? tic_width(sheet, i) : 0));
    }
    return fmin(widest, most);
}

static double height_of(const struct dlq_gantt_place *place)
{
    return place->bottom - place->top;
}

static double center_of(const struct dlq_gantt_place *place)
{
    return 0.5 * (place->top + place->bottom);
}

/* The next of the same group looks the same and stands below. */
static bool same_run(const struct dlq_track *track, const struct dlq_track *next)
{
    return !next->apart && dlq_gantt_kind_of(next) == DLQ_TRACK_SPANS && next->weight == track->weight;
}

/* Of rows too thin for a label each, every second, fourth, ... has one. Returns the row behind the group. */
static size_t choose_run(struct dlq_gantt_sheet *sheet, size_t first, double em)
{
    const struct dlq_track *tracks = sheet->gantt->tracks;
    size_t end = first + 1, every = 1;
    while (end < sheet->gantt->count && same_run(&tracks[first], &tracks[end]))
        end++;
    if (end - first > 1) {
        double pitch = center_of(&sheet->places[first + 1]) - center_of(&sheet->places[first]);
        while ((double)every * pitch < (every > 1 ? 1.8 : 0.98) * em)
            every *= 2;
    }
    for (size_t i = first; i < end; i++)
        sheet->places[i].labeled = (i - first + 1) % every == 0;
    return end;
}

void dlq_gantt_labels_choose(struct dlq_gantt_sheet *sheet)
{
    double em = dlq_page_em(&sheet->page, sheet->points);
    for (size_t i = 0; i < sheet->gantt->count;) {
        if (dlq_gantt_kind_of(&sheet->gantt->tracks[i]) == DLQ_TRACK_SPANS) {
            i = choose_run(sheet, i, em);
        } else {
            sheet->places[i].labeled = true;
            i++;
        }
    }
    const struct dlq_gantt_place *last = NULL;
    for (size_t i = 0; i < sheet->gantt->count; i++) {
        struct dlq_gantt_place *place = &sheet->places[i];
        if (dlq_gantt_kind_of(&sheet->gantt->tracks[i]) == DLQ_TRACK_HEADING)
            continue;
        place->labeled = place->labeled && (last == NULL || center_of(place) - center_of(last) >= 0.95 * em);
        last = place->labeled ? place : last;
    }
}

/* The svg terminal knows no bold letters: there the text is drawn twice, a little apart. */
static void write_bold(struct dlq_gantt_sheet *sheet, double x, double y, double points, const char *text)
{
    struct dlq_page *page = &sheet->page;
    struct dlq_type type = {points, 0x222222, DLQ_ALIGN_LEFT, false};
    char known[DLQ_LINE_BYTES];
    if (strcmp(page->canvas->format, "svg") == 0) {
        dlq_page_text(page, x, y, type, text);
        dlq_page_text(page, x + 0.05 * dlq_page_em(page, points), y, type, text);
        return;
    }
    dlq_glyph_known(text, known, sizeof known);
    char *quoted = dlq_gnuplot_quote(known);
    if (quoted == NULL) {
        page->memory_failed = true;
        return;
    }
    fprintf(page->script,
            "set label %s at screen %.9g,%.9g left front font 'DejaVu Sans:Bold,%.6g' textcolor rgb '#%06x'\n", quoted,
            x / page->canvas->width, 1 - y / page->canvas->height, dlq_page_font(page, points), type.color);
    free(quoted);
}

/* Bold letters are wider by a tenth. Where the group stands apart, the heading may reach into the gap above it. */
static void write_heading(struct dlq_gantt_sheet *sheet, size_t track)
{
    static const double wider = 1.12;
    struct dlq_page *page = &sheet->page;
    struct dlq_lines lines;
    const struct dlq_gantt_place *place = &sheet->places[track];
    double gap = track == 0 || sheet->gantt->tracks[track].apart ? dlq_gantt_gap(sheet) : 0;
    double em = fmin(dlq_page_em(page, heading_points), 0.95 * height_of(place) + 0.45 * gap);
    double points = dlq_gantt_points(sheet, em), x = page->plot.left, y = page->plot.top + place->bottom - 0.5 * em;
    const char *text =
        one_line(sheet, sheet->gantt->tracks[track].label, wider * points, page->plot.right - x - em, &lines);
    if (text[0] == '\0' || em < 0.8 * DLQ_GANTT_EM)
        return;
    double width = wider * dlq_page_width(page, points, text) + 0.5 * em;
    dlq_page_box(page, (struct dlq_box){x, y - 0.6 * em, x + width, y + 0.6 * em}, 0xffffff, 1, false, true);
    write_bold(sheet, x, y, points, text);
}

static const struct dlq_stroke axis_stroke = {1.2, 0x444444, 1};

static void write_tic(struct dlq_gantt_sheet *sheet, size_t track, double level)
{
    struct dlq_page *page = &sheet->page;
    char number[DLQ_TIC_TEXT];
    double y = page->plot.top + dlq_gantt_level_y(sheet, track, level), x = page->plot.left;
    dlq_tic_number(level, 0, number);
    dlq_page_line(page, x - TIC * page->scale, y, x, y, axis_stroke, false);
    dlq_page_text(page, x - TO_TIC * page->scale, y, (struct dlq_type){sheet->points, 0x333333, DLQ_ALIGN_RIGHT, false},
                  number);
}

/* Where not even two numbers have room, that at the top counts. */
static void write_levels_axis(struct dlq_gantt_sheet *sheet, size_t track)
{
    const struct dlq_gantt_place *place = &sheet->places[track];
    double em = dlq_page_em(&sheet->page, sheet->points);
    double apart = dlq_gantt_level_y(sheet, track, 0) - dlq_gantt_level_y(sheet, track, place->step);
    for (int i = apart < em ? 1 : 0; i * place->step <= place->most * (1 + 1e-9); i++)
        write_tic(sheet, track, i * place->step);
}

/* From row to row, but not along headings and gaps. */
static void write_axis_line(const struct dlq_gantt_sheet *sheet)
{
    const struct dlq_page *page = &sheet->page;
    const struct dlq_track *tracks = sheet->gantt->tracks;
    double x = page->plot.left, gap = 2 * page->scale;
    for (size_t first = 0, i = 0; i < sheet->gantt->count; i++) {
        bool heading = dlq_gantt_kind_of(&tracks[i]) == DLQ_TRACK_HEADING;
        bool ends = i + 1 == sheet->gantt->count || tracks[i + 1].apart || tracks[i + 1].heading || heading;
        if (!ends)
            continue;
        if (!heading)
            dlq_page_line(page, x, page->plot.top + sheet->places[first].top - gap, x,
                          page->plot.top + sheet->places[i].bottom + gap, axis_stroke, false);
        first = i + 1;
    }
}

static void write_label(struct dlq_gantt_sheet *sheet, size_t track)
{
    struct dlq_page *page = &sheet->page;
    struct dlq_lines lines;
    bool levels = dlq_gantt_kind_of(&sheet->gantt->tracks[track]) == DLQ_TRACK_LEVELS;
    double x = page->plot.left - (levels ? tic_width(sheet, track) + TO_TIC * page->scale : TO_LABEL * page->scale);
    const char *label = one_line(sheet, sheet->gantt->tracks[track].label, sheet->points, x - 16 * page->scale, &lines);
    if (label[0] != '\0' && sheet->places[track].labeled)
        dlq_page_text(page, x, page->plot.top + center_of(&sheet->places[track]),
                      (struct dlq_type){sheet->points, 0x222222, DLQ_ALIGN_RIGHT, false}, label);
}

void dlq_gantt_labels_write(struct dlq_gantt_sheet *sheet)
{
    write_axis_line(sheet);
    for (size_t i = 0; i < sheet->gantt->count; i++) {
        enum dlq_track_kind kind = dlq_gantt_kind_of(&sheet->gantt->tracks[i]);
        if (kind == DLQ_TRACK_HEADING) {
            write_heading(sheet, i);
            continue;
        }
        write_label(sheet, i);
        if (kind == DLQ_TRACK_LEVELS)
            write_levels_axis(sheet, i);
    }
}
