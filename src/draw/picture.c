/* Pictures as scripts for gnuplot: writes slots, the common style and a template. */
#include "draw/picture.h"

#include "draw/gnuplot.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1024 }; /* bytes of a text of dlq_slot_say, with its NUL */

void dlq_slots_begin(struct dlq_slots *slots, const char *title, const char *subtitle)
{
    const struct dlq_canvas *canvas = slots->canvas;
    fprintf(slots->script, "TERM = '%s%s'\nW = %d\nH = %d\nPAPER = %d\n", canvas->format,
            strcmp(canvas->format, "svg") == 0 ? "" : "cairo", canvas->width, canvas->height, canvas->on_paper);
    dlq_slot_text(slots, "TITLE", canvas->untitled ? "" : title);
    dlq_slot_text(slots, "SUBTITLE", canvas->untitled ? "" : subtitle);
}

double dlq_slots_lines(struct dlq_slots *slots, double lines, bool grows)
{
    const struct dlq_canvas *canvas = slots->canvas;
    /* A line is 1.32 em high. An em is 7 points at 300 pixels an inch on paper; else 20 pixels if the picture has the
       area of 1600 x 900, and proportional to the root of the area, at least 12 (F in style.gp). */
    const double area = (double)canvas->width / 1600 * canvas->height / 900;
    const double line = canvas->on_paper ? 38.5 : 26 * fmax(sqrt(area), 0.6);
    double height = canvas->height;
    if (grows || canvas->on_paper)
        height = fmin(fmax(height, ceil(line * lines)), DLQ_SLOTS_MOST);
    dlq_slot_number(slots, "H", height);
    return height;
}

void dlq_slots_axis(struct dlq_slots *slots, const char *label, bool logarithmic, bool whole)
{
    dlq_slot_text(slots, "XLABEL", label);
    dlq_slot_number(slots, "XLOG", logarithmic);
    dlq_slot_number(slots, "XWHOLE", whole);
}

/* Replaces letters that the font lacks, except in an SVG, whose viewer draws the letters. canvas null: a GIF. */
static void write_text(struct dlq_slots *slots, const char *text)
{
    bool by_gnuplot = slots->canvas == NULL || strcmp(slots->canvas->format, "svg") != 0;
    char *quoted = dlq_gnuplot_quote(text == NULL ? "" : text, by_gnuplot);
    slots->failed = slots->failed || quoted == NULL;
    fprintf(slots->script, "%s\n", quoted == NULL ? "''" : quoted);
    free(quoted);
}

void dlq_slot_text(struct dlq_slots *slots, const char *name, const char *text)
{
    fprintf(slots->script, "%s = ", name);
    write_text(slots, text);
}

void dlq_slot_say(struct dlq_slots *slots, const char *name, const char *format, ...)
{
    char text[MOST_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dlq_slot_text(slots, name, text);
}

void dlq_slot_array(struct dlq_slots *slots, const char *name, size_t count)
{
    fprintf(slots->script, "array %s[%zu]\n", name, count > 0 ? count : 1);
}

void dlq_slot_element(struct dlq_slots *slots, const char *name, size_t index, const char *text)
{
    fprintf(slots->script, "%s[%zu] = ", name, index + 1);
    write_text(slots, text);
}

void dlq_slot_number(struct dlq_slots *slots, const char *name, double value)
{
    fprintf(slots->script, "%s = ", name);
    dlq_slot_row(slots, 1, &value);
}

void dlq_slot_mark(struct dlq_slots *slots, const char *letter, double x, double y, const char *text)
{
    fprintf(slots->script, "%sX = ", letter);
    dlq_slot_row(slots, 1, isfinite(y) ? &x : &y);
    fprintf(slots->script, "%sY = ", letter);
    dlq_slot_row(slots, 1, &y);
    fprintf(slots->script, "%sTEXT = ", letter);
    write_text(slots, text);
}

void dlq_slot_block(struct dlq_slots *slots, const char *name)
{
    fprintf(slots->script, "%s = '$%s'\n$%s << END_OF_DATA\n", name, name, name);
}

void dlq_slot_row(struct dlq_slots *slots, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++) {
        const char *end = i + 1 < count ? " " : "\n";
        if (isfinite(values[i]))
            fprintf(slots->script, "%.10g%s", values[i], end);
        else
            fprintf(slots->script, "NaN%s", end);
    }
}

void dlq_slot_block_end(struct dlq_slots *slots)
{
    fputs("END_OF_DATA\n", slots->script);
}

static void write_template(struct dlq_slots *slots, const struct dlq_embedded *templates, const char *name)
{
    while (strcmp(templates->name, name) != 0)
        templates++;
    fprintf(slots->script, "\n%s", (const char *)templates->text);
}

enum dlq_status dlq_slots_end(struct dlq_slots *slots, const struct dlq_embedded *templates, const char *name)
{
    write_template(slots, dlq_picture_style, "style");
    write_template(slots, templates, name);
    fputs(DLQ_GNUPLOT_PROBE, slots->script);
    if (slots->failed || ferror(slots->script))
        return dlq_error_memory(slots->error, "drawing a chart");
    return DLQ_OK;
}

enum dlq_status dlq_slots_sentence(struct dlq_slots *slots, const char *sentence)
{
    dlq_slot_text(slots, "SENTENCE", sentence);
    return dlq_slots_end(slots, dlq_picture_style, "sentence");
}
