#include "out/gantt_look.h"
#include "out/gantt_sheet.h"

#include <math.h>

/* A strip between heading and plot: swatches and names, in as many rows as it takes. */
enum { ROW = 30, SWATCH = 38, HALF = 9, TO_NAME = 10, APART = 30, ENTRIES = DLQ_SPAN_KINDS + 2, COLORS = 3 };

static const struct dlq_type type = {15, 0x222222, DLQ_ALIGN_LEFT, false};

static const char *name_of(const struct dlq_gantt *gantt, int entry)
{
    const char *name = entry < DLQ_SPAN_KINDS    ? gantt->names[entry]
                       : entry == DLQ_SPAN_KINDS ? gantt->lower_name
                                                 : gantt->upper_name;
    return name != NULL && name[0] != '\0' ? name : NULL;
}

/* Left end and row of the next entry; the name is cut where it is longer than a row. */
static bool place(const struct dlq_gantt_sheet *sheet, double width, int entry, double *x, int *row, double *next,
                  struct dlq_lines *lines)
{
    const char *name = name_of(sheet->gantt, entry);
    double scale = sheet->page.scale, sample = (SWATCH + TO_NAME) * scale;
    if (name == NULL)
        return false;
    dlq_lines_wrap(lines, name, dlq_page_em(&sheet->page, type.points), fmax(width - sample, sample), 1);
    if (lines->count == 0)
        return false;
    double wide = sample + dlq_page_width(&sheet->page, type.points, lines->line[0]);
    if (*next > 0 && *next + wide > width) {
        *next = 0;
        ++*row;
    }
    *x = *next;
    *next += wide + APART * scale;
    return true;
}

double dlq_gantt_key_height(const struct dlq_gantt_sheet *sheet, double width)
{
    struct dlq_lines lines;
    double x, next = 0;
    int row = 0;
    bool any = false;
    for (int entry = 0; entry < ENTRIES; entry++)
        any = place(sheet, width, entry, &x, &row, &next, &lines) || any;
    return any ? (ROW * (row + 1) + 4) * sheet->page.scale : 0;
}

/* Work has the colors of whoever does it: the swatch shows the first few of them. */
static int colors_of(const struct dlq_gantt_sheet *sheet, unsigned colors[COLORS])
{
    int count = 0;
    for (size_t i = 0; i < sheet->gantt->count; i++) {
        struct dlq_gantt_view single = {sheet->gantt->from, sheet->gantt->to, 0};
        struct dlq_gantt_walk walk;
        struct dlq_span span;
        if (dlq_gantt_kind_of(&sheet->gantt->tracks[i]) != DLQ_TRACK_SPANS)
            continue;
        dlq_gantt_walk_begin(&walk, &single, &sheet->gantt->tracks[i]);
        while (count < COLORS && dlq_gantt_walk_next(&walk, &span)) {
            bool is_new = span.kind == DLQ_SPAN_WORK;
            for (int k = 0; k < count; k++)
                is_new = is_new && colors[k] != span.color;
            if (is_new)
                colors[count++] = span.color;
        }
    }
    return count;
}

static void write_work(const struct dlq_gantt_sheet *sheet, struct dlq_box box)
{
    unsigned colors[COLORS] = {dlq_palette_worker(0)};
    int count = colors_of(sheet, colors);
    count = count > 0 ? count : 1;
    double width = (box.right - box.left) / count;
    for (int i = 0; i < count; i++)
        dlq_page_box(&sheet->page,
                     (struct dlq_box){box.left + i * width, box.top, box.left + (i + 1) * width, box.bottom}, colors[i],
                     1, false, true);
}

static void write_hatch(const struct dlq_gantt_sheet *sheet, struct dlq_box box, const struct dlq_gantt_hatch *hatch)
{
    const struct dlq_page *page = &sheet->page;
    double width = page->canvas->width, height = page->canvas->height;
    dlq_page_box(page, box, hatch->tint, 1, false, true);
    fprintf(page->script,
            "set object rect from screen %.9g,%.9g to screen %.9g,%.9g front fc rgb '#%06x' fs transparent pattern %d "
            "border rgb '#%06x' lw %.4g\n",
            box.left / width, 1 - box.bottom / height, box.right / width, 1 - box.top / height, hatch->color,
            hatch->pattern, hatch->color, dlq_page_stroke(page, 1));
}

static void write_swatch(const struct dlq_gantt_sheet *sheet, int entry, struct dlq_box box)
{
    static const unsigned colors[ENTRIES] = {[DLQ_SPAN_OVERHEAD] = DLQ_PALETTE_OVERHEAD,
                                             [DLQ_SPAN_KINDS] = DLQ_GANTT_LOWER,
                                             [DLQ_SPAN_KINDS + 1] = DLQ_GANTT_UPPER};
    if (entry == DLQ_SPAN_WORK)
        write_work(sheet, box);
    else if (entry == DLQ_SPAN_STALL || entry == DLQ_SPAN_BARRIER)
        write_hatch(sheet, box, entry == DLQ_SPAN_STALL ? &dlq_gantt_stall : &dlq_gantt_barrier);
    else
        dlq_page_box(&sheet->page, box, colors[entry], 1, false, true);
}

void dlq_gantt_key_write(struct dlq_gantt_sheet *sheet)
{
    struct dlq_page *page = &sheet->page;
    struct dlq_lines lines;
    double x, next = 0, scale = page->scale, width = page->plot.right - page->plot.left;
    int row = 0;
    for (int entry = 0; entry < ENTRIES; entry++) {
        if (!place(sheet, width, entry, &x, &row, &next, &lines))
            continue;
        double left = page->plot.left + x, y = page->plot.top - sheet->strip + ROW * (row + 0.4) * scale;
        write_swatch(sheet, entry, (struct dlq_box){left, y - HALF * scale, left + SWATCH * scale, y + HALF * scale});
        dlq_page_text(page, left + (SWATCH + TO_NAME) * scale, y, type, lines.line[0]);
    }
}
