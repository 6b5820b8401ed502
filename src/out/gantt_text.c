#include "dlqueue/palette.h"
#include "out/gantt_sheet.h"

#include <math.h>
#include <string.h>

/* The labels of spans. More than so many would take gnuplot seconds, and nobody reads them. */
enum { TEXTS_MOST = 3000, PAD = 7 };

static const struct look {
    double points;
    unsigned color; /* 0: the ink of the span's color */
    bool boxed;     /* centered on white: the span is hatched */
} looks[] = {
    [DLQ_SPAN_WORK] = {14, 0, false},
    [DLQ_SPAN_STALL] = {15, DLQ_PALETTE_STALL, true},
    [DLQ_SPAN_BARRIER] = {15, 0x7a5900, true}, /* darker than the hatch: letters are thin */
    [DLQ_SPAN_OVERHEAD] = {14, 0, false},
};

/* Where the label fits into its span, with the size of letters that its row has room for. */
static bool fits(const struct dlq_gantt_sheet *sheet, const struct dlq_span *span, double height, double *points)
{
    const struct look *look = &looks[span->kind];
    const struct dlq_page *page = &sheet->page;
    double em = fmin(dlq_page_em(page, look->points), 0.8 * height);
    double pads = (look->boxed ? 4 : 2) * PAD * page->scale;
    double room = (span->to - span->from) / dlq_gantt_seconds(sheet, 1) - pads;
    *points = dlq_gantt_points(sheet, em);
    return em >= DLQ_GANTT_EM && room > em && dlq_page_width(page, *points, span->label) <= room;
}

static void write_text(struct dlq_gantt_sheet *sheet, const struct dlq_span *span, double y, double points)
{
    const struct look *look = &looks[span->kind];
    struct dlq_page *page = &sheet->page;
    double left = dlq_gantt_x(sheet, span->from), center = 0.5 * (left + dlq_gantt_x(sheet, span->to));
    double em = dlq_page_em(page, points), pad = PAD * page->scale;
    if (!look->boxed) {
        unsigned color = span->kind == DLQ_SPAN_WORK ? span->color : DLQ_PALETTE_OVERHEAD;
        dlq_page_text(page, left + pad, y, (struct dlq_type){points, dlq_palette_ink(color), DLQ_ALIGN_LEFT, false},
                      span->label);
        return;
    }
    double half = 0.5 * dlq_page_width(page, points, span->label) + 0.8 * pad;
    dlq_page_box(page, (struct dlq_box){center - half, y - 0.6 * em, center + half, y + 0.6 * em}, 0xffffff, 1, false,
                 true);
    dlq_page_text(page, center, y, (struct dlq_type){points, look->color, DLQ_ALIGN_CENTER, false}, span->label);
}

/* How many labels of a track fit: of hatched spans, or of the others. They are written at most `room` of them. */
static size_t texts_of(struct dlq_gantt_sheet *sheet, size_t track, bool boxed, size_t room)
{
    const struct dlq_gantt_place *place = &sheet->places[track];
    struct dlq_gantt_walk walk;
    struct dlq_span span;
    size_t texts = 0;
    double points, height = place->bottom - place->top;
    double y = sheet->page.plot.top + 0.5 * (place->top + place->bottom);
    if (dlq_gantt_kind_of(&sheet->gantt->tracks[track]) != DLQ_TRACK_SPANS)
        return 0;
    dlq_gantt_walk_begin(&walk, &sheet->spans, &sheet->gantt->tracks[track]);
    while (dlq_gantt_walk_next(&walk, &span))
        if (span.label != NULL && span.label[0] != '\0' && looks[span.kind].boxed == boxed &&
            fits(sheet, &span, height, &points) && texts++ < room)
            write_text(sheet, &span, y, points);
    return texts;
}

/* Waits first: they are what is looked for. Where the rest would be too many, in every other row, or every third, ...:
   rows beneath which all labels end would seem to be of another kind. */
void dlq_gantt_texts_write(struct dlq_gantt_sheet *sheet)
{
    size_t texts = 0, others = 0, left = TEXTS_MOST;
    for (size_t i = 0; i < sheet->gantt->count; i++) {
        texts = texts_of(sheet, i, true, left);
        left -= texts < left ? texts : left;
        others += texts_of(sheet, i, false, 0);
    }
    size_t rows = left > 0 ? (others + left - 1) / left : 0;
    for (size_t i = 0; rows > 0 && i < sheet->gantt->count; i += rows) {
        texts = texts_of(sheet, i, false, left);
        left -= texts < left ? texts : left;
    }
}
