/* Gantt charts as one plot: x in s, y in pixels below the top of the plot. The script holds all that is drawn in data
   blocks, one line each, cut at the ends of the axis; a block without lines is left out. `row` counts the tracks from
   0; low and high are the upper and lower edge of a box:
     $work              from to row low high color joined: color is 0xRRGGBB as a decimal number, joined 1 where
                        neighbors were joined to it, else 0
     $stall, $barrier,
     $overhead          from to row low high
     $levels_ROW        from to lower upper: of the track ROW, in its own unit
     $axes              from to y: baselines */
#include "dlqueue/gantt.h"

#include "out/gantt_look.h"
#include "out/gantt_sheet.h"

#include <math.h>
#include <stdlib.h>

/* Narrower boxes, in pixels at 1600x900, have no border, and those that are hatched else are filled. */
enum { BORDERED = 5, HATCHED = 7 };

static const double axis_points = 17, note_points = 13;

static enum dlq_status check(const struct dlq_gantt *gantt, struct dlq_error *error)
{
    if (gantt->count == 0)
        return dlq_error_add(error, DLQ_INVALID, "nothing to draw: the chart has no tracks");
    double largest = fmax(fabs(gantt->from), fabs(gantt->to)), span = gantt->to - gantt->from;
    if (!(span > 0) || !(fabs(gantt->from) < 1e15) || !(fabs(gantt->to) < 1e15))
        return dlq_error_add(error, DLQ_INVALID, "a chart from %g s to %g s: both must be finite, and the end later",
                             gantt->from, gantt->to);
    if (span < 1e-9 * largest || span < 1e-12)
        return dlq_error_add(error, DLQ_INVALID, "a chart of %g s around %g s: too short to be drawn", span, largest);
    return DLQ_OK;
}

/* The spans of one kind; false where there are none, and then nothing is written. */
static bool write_spans(const struct dlq_gantt_sheet *sheet, enum dlq_span_kind kind, const char *name)
{
    FILE *script = sheet->page.script;
    bool any = false;
    for (size_t i = 0; i < sheet->gantt->count; i++) {
        const struct dlq_gantt_place *place = &sheet->places[i];
        struct dlq_gantt_walk walk;
        struct dlq_span span;
        if (dlq_gantt_kind_of(&sheet->gantt->tracks[i]) != DLQ_TRACK_SPANS)
            continue;
        dlq_gantt_walk_begin(&walk, &sheet->spans, &sheet->gantt->tracks[i]);
        while (dlq_gantt_walk_next(&walk, &span)) {
            if (span.kind != kind)
                continue;
            if (!any)
                fprintf(script, "$%s << END_OF_DATA\n", name);
            any = true;
            fprintf(script, "%.15g %.15g %zu %g %g", span.from, span.to, i, place->top, place->bottom);
            if (kind == DLQ_SPAN_WORK)
                fprintf(script, " %u %d", span.color & 0xffffff, walk.joined ? 1 : 0);
            fputc('\n', script);
        }
    }
    if (any)
        fprintf(script, "END_OF_DATA\n");
    return any;
}

static bool write_levels(const struct dlq_gantt_sheet *sheet, size_t track)
{
    FILE *script = sheet->page.script;
    struct dlq_gantt_stairs stairs;
    struct dlq_gantt_step step;
    bool any = false;
    dlq_gantt_stairs_begin(&stairs, &sheet->levels, &sheet->gantt->tracks[track]);
    while (dlq_gantt_stairs_next(&stairs, &step)) {
        if (!any)
            fprintf(script, "$levels_%zu << END_OF_DATA\n", track);
        any = true;
        fprintf(script, "%.15g %.15g %.9g %.9g\n", step.from, step.to, step.lower, step.upper);
    }
    if (any)
        fprintf(script, "END_OF_DATA\n");
    return any;
}

static void write_axes_data(const struct dlq_gantt_sheet *sheet)
{
    const struct dlq_gantt *gantt = sheet->gantt;
    fprintf(sheet->page.script, "$axes << END_OF_DATA\n%.15g %.15g %g\n", gantt->from, gantt->to, sheet->height);
    for (size_t i = 0; i < gantt->count; i++)
        if (dlq_gantt_kind_of(&gantt->tracks[i]) == DLQ_TRACK_LEVELS)
            fprintf(sheet->page.script, "%.15g %.15g %g\n", gantt->from, gantt->to, dlq_gantt_level_y(sheet, i, 0));
    fprintf(sheet->page.script, "END_OF_DATA\n");
}

/* Boxes from columns 1, 2, 4 and 5 where a condition holds. */
static void plot_boxes(const struct dlq_gantt_sheet *sheet, const char *name, const char *condition)
{
    fprintf(sheet->page.script, ", \\\n     $%s using (%s?column(1):NaN):4:1:2:4:5", name, condition);
}

/* Conditions: narrower than so many pixels of the design, or not. */
enum { CONDITION = 80 };
static void set_width(const struct dlq_gantt_sheet *sheet, const char *comparison, double pixels, char text[CONDITION])
{
    double seconds = dlq_gantt_seconds(sheet, pixels * sheet->page.scale);
    snprintf(text, CONDITION, "column(2)-column(1)%s%.9g", comparison, seconds);
}

static void plot_work(const struct dlq_gantt_sheet *sheet)
{
    char narrow[CONDITION], wide[CONDITION], joined[2 * CONDITION], single[2 * CONDITION];
    set_width(sheet, "<", BORDERED, narrow);
    set_width(sheet, ">=", BORDERED, wide);
    snprintf(joined, sizeof joined, "(%s?1:column(7)==1)", narrow);
    snprintf(single, sizeof single, "(%s?column(7)==0:0)", wide);
    plot_boxes(sheet, "work", joined);
    fprintf(sheet->page.script, ":6 with boxxyerror lc rgb variable fs solid 1 noborder");
    plot_boxes(sheet, "work", single);
    fprintf(sheet->page.script, ":6 with boxxyerror lw %.4g lc rgb variable fs solid 1 border rgb '#ffffff'",
            dlq_page_stroke(&sheet->page, 1.6));
}

static void plot_hatched(const struct dlq_gantt_sheet *sheet, const char *name, const struct dlq_gantt_hatch *hatch)
{
    FILE *script = sheet->page.script;
    char narrow[CONDITION], wide[CONDITION];
    set_width(sheet, "<", HATCHED, narrow);
    set_width(sheet, ">=", HATCHED, wide);
    plot_boxes(sheet, name, narrow);
    fprintf(script, " with boxxyerror lc rgb '#%06x' fs solid 1 noborder", hatch->color);
    plot_boxes(sheet, name, wide);
    fprintf(script, " with boxxyerror lc rgb '#%06x' fs solid 1 noborder", hatch->tint);
    plot_boxes(sheet, name, wide);
    fprintf(script, " with boxxyerror lw %.4g lc rgb '#%06x' fs transparent pattern %d border rgb '#%06x'",
            dlq_page_stroke(&sheet->page, 1.1), hatch->color, hatch->pattern, hatch->color);
}

/* A border of its own color closes the seams between neighbors. */
static void plot_levels(const struct dlq_gantt_sheet *sheet, size_t track)
{
    FILE *script = sheet->page.script;
    double base = dlq_gantt_level_y(sheet, track, 0), unit = base - dlq_gantt_level_y(sheet, track, 1);
    static const struct {
        const char *sum;
        unsigned color;
    } parts[] = {{"(column(3)+column(4))", DLQ_GANTT_UPPER}, {"column(3)", DLQ_GANTT_LOWER}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        fprintf(script,
                ", \\\n     $levels_%zu using (%s>0?column(1):NaN):(%.9g):1:2:(%.9g-%.9g*%s):(%.9g) with boxxyerror "
                "lw %.4g lc rgb '#%06x' fs solid 1 border rgb '#%06x'",
                track, parts[i].sum, base, base, unit, parts[i].sum, base, dlq_page_stroke(&sheet->page, 0.5),
                parts[i].color, parts[i].color);
}

static void write_plot(struct dlq_gantt_sheet *sheet)
{
    FILE *script = sheet->page.script;
    write_axes_data(sheet);
    bool work = write_spans(sheet, DLQ_SPAN_WORK, "work"), stall = write_spans(sheet, DLQ_SPAN_STALL, "stall");
    bool barrier = write_spans(sheet, DLQ_SPAN_BARRIER, "barrier");
    bool overhead = write_spans(sheet, DLQ_SPAN_OVERHEAD, "overhead");
    for (size_t i = 0; i < sheet->gantt->count; i++)
        sheet->places[i].has_levels =
            dlq_gantt_kind_of(&sheet->gantt->tracks[i]) == DLQ_TRACK_LEVELS && write_levels(sheet, i);
    fprintf(script, "plot $axes using 1:3:(column(2)-column(1)):(0) with vectors nohead lw %.4g lc rgb '#444444'",
            dlq_page_stroke(&sheet->page, 1.2));
    if (work)
        plot_work(sheet);
    if (overhead) {
        plot_boxes(sheet, "overhead", "1");
        fprintf(script, " with boxxyerror lc rgb '#%06x' fs solid 1 noborder", DLQ_PALETTE_OVERHEAD);
    }
    if (stall)
        plot_hatched(sheet, "stall", &dlq_gantt_stall);
    if (barrier)
        plot_hatched(sheet, "barrier", &dlq_gantt_barrier);
    for (size_t i = 0; i < sheet->gantt->count; i++)
        if (sheet->places[i].has_levels)
            plot_levels(sheet, i);
    fprintf(script, "\n");
}

static void write_notes(struct dlq_gantt_sheet *sheet, const struct dlq_lines *lines, double *y)
{
    struct dlq_page *page = &sheet->page;
    for (size_t i = 0; i < lines->count; i++) {
        dlq_page_text(page, page->plot.left, *y, (struct dlq_type){note_points, 0x666666, DLQ_ALIGN_LEFT, false},
                      lines->line[i]);
        *y += 1.45 * dlq_page_em(page, note_points);
    }
}

static void write_axis(struct dlq_gantt_sheet *sheet)
{
    struct dlq_page *page = &sheet->page;
    char label[64];
    double y = page->plot.bottom + 66 * page->scale;
    fprintf(page->script, "set xrange [%.15g:%.15g]\nset yrange [%g:0]\n", sheet->gantt->from, sheet->gantt->to,
            sheet->height);
    fprintf(page->script, "set border 1 lw %.4g lc rgb '#444444'\nset grid xtics lt 1 lw %.4g lc rgb '#dddddd'\n",
            dlq_page_stroke(page, 1.2), dlq_page_stroke(page, 0.8));
    dlq_tics_write(&sheet->tics, page, "x");
    fprintf(page->script, "unset ytics\n");
    snprintf(label, sizeof label, "Time (%s)", sheet->unit);
    dlq_page_text(page, 0.5 * (page->plot.left + page->plot.right), y,
                  (struct dlq_type){axis_points, 0x111111, DLQ_ALIGN_CENTER, false}, label);
    y += 0.5 * dlq_page_em(page, axis_points) + 1.1 * dlq_page_em(page, note_points);
    write_notes(sheet, &sheet->note, &y);
    write_notes(sheet, &sheet->joined, &y);
}

enum dlq_status dlq_gantt_script(const struct dlq_gantt *gantt, const struct dlq_canvas *canvas, FILE *script,
                                 struct dlq_error *error)
{
    struct dlq_gantt_sheet sheet = {.gantt = gantt};
    enum dlq_status status = dlq_page_open(&sheet.page, canvas, script, error);
    if (status == DLQ_OK)
        status = check(gantt, error);
    if (status == DLQ_OK)
        status = dlq_gantt_lay_out(&sheet, error);
    if (status != DLQ_OK)
        goto cleanup;
    dlq_page_begin(&sheet.page);
    dlq_page_heading(&sheet.page, gantt->title, gantt->subtitle);
    dlq_gantt_key_write(&sheet);
    write_axis(&sheet);
    dlq_gantt_labels_write(&sheet);
    dlq_gantt_texts_write(&sheet);
    write_plot(&sheet);
    status = dlq_page_end(&sheet.page, error);
cleanup:
    free(sheet.places);
    return status;
}
