/* Templates with slots: what a picture sets, and the script that gnuplot is given. */
#include "report/pictures/pictures.h"

#include "draw/gnuplot.h"
#include "report/embedded.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SAID = 1024 };

enum dlq_status dlq_slots_begin(struct dlq_slots *slots, const struct dlq_canvas *canvas, FILE *script,
                                const char *title, const char *subtitle, struct dlq_error *error)
{
    static const struct {
        const char *format, *terminal;
        double unit, paper; /* of its size, per pixel: on a screen (a PDF has 100 an inch), and of 300 an inch */
        double font;        /* points per pixel of the letters' em */
    } terminals[] = {
        {"png", "pngcairo", 1, 1, 0.75}, {"svg", "svg", 1, 0.32, 0.75}, {"pdf", "pdfcairo", 0.254, 25.4 / 300, 0.72}};
    static const double em = 20, least_em = 12.5; /* at 1600x900, and where it is still read */
    static const double paper_em = 300 * 7 / 72.0;
    const int width = canvas->width, height = canvas->height;
    size_t i = 0;
    if (width < DLQ_SLOTS_LEAST || width > DLQ_SLOTS_MOST || height < DLQ_SLOTS_LEAST || height > DLQ_SLOTS_MOST)
        return dlq_error_add(error, DLQ_INVALID, "a chart of %dx%d pixels: width and height must be %d..%d each", width,
                             height, DLQ_SLOTS_LEAST, DLQ_SLOTS_MOST);
    while (i < sizeof terminals / sizeof *terminals &&
           (canvas->format == NULL || strcmp(canvas->format, terminals[i].format) != 0))
        i++;
    if (i == sizeof terminals / sizeof *terminals)
        return dlq_error_add(error, DLQ_INVALID, "'%s' is not a format of charts (expected png, svg or pdf)",
                             canvas->format == NULL ? "" : canvas->format);
    /* A page far from 16:9 has no room for letters that suit its area. */
    double wide = width / 1600.0, high = height / 900.0;
    double scale = fmin(sqrt(wide * high), 1.5 * fmin(wide, high));
    double letters = canvas->on_paper ? paper_em : fmax(em * scale, least_em);
    *slots = (struct dlq_slots){.script = script, .embeds = strcmp(canvas->format, "svg") != 0};
    fprintf(script, "TERM = '%s'\n", terminals[i].terminal);
    double unit = canvas->on_paper ? terminals[i].paper : terminals[i].unit;
    double shrunk = canvas->on_paper ? unit / terminals[i].unit : 1;
    dlq_slot_number(slots, "W", width * unit);
    dlq_slot_number(slots, "H", height * unit);
    dlq_slot_number(slots, "F", letters * terminals[i].font * shrunk);
    dlq_slot_text(slots, "TITLE", canvas->untitled ? "" : title);
    dlq_slot_text(slots, "SUBTITLE", canvas->untitled ? "" : subtitle);
    return DLQ_OK;
}

void dlq_slots_axis(struct dlq_slots *slots, const char *label, bool logarithmic, bool whole)
{
    dlq_slot_text(slots, "XLABEL", label);
    dlq_slot_number(slots, "XLOG", logarithmic);
    dlq_slot_number(slots, "XWHOLE", whole);
}

static void write_text(struct dlq_slots *slots, const char *text)
{
    char *quoted = dlq_gnuplot_quote(text == NULL ? "" : text, slots->embeds);
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
    char text[SAID];
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

void dlq_slot_named_row(struct dlq_slots *slots, const char *text, size_t count, const double *values)
{
    fprintf(slots->script, "\"%s\" ", text);
    dlq_slot_row(slots, count, values);
}

void dlq_slot_block_end(struct dlq_slots *slots)
{
    fputs("END_OF_DATA\n", slots->script);
}

enum dlq_status dlq_slots_end(struct dlq_slots *slots, const char *template_name, struct dlq_error *error)
{
    const struct dlq_embedded *style = dlq_picture_templates, *own = dlq_picture_templates;
    while (strcmp(style->name, "style") != 0)
        style++;
    while (strcmp(own->name, template_name) != 0)
        own++;
    fprintf(slots->script, "\n%s\n%s%s", (const char *)style->text, (const char *)own->text, DLQ_GNUPLOT_PROBE);
    if (slots->failed || ferror(slots->script))
        return dlq_error_memory(error, "drawing a chart");
    return DLQ_OK;
}

enum dlq_status dlq_slots_sentence(struct dlq_slots *slots, const char *sentence, struct dlq_error *error)
{
    dlq_slot_text(slots, "SENTENCE", sentence);
    return dlq_slots_end(slots, "sentence", error);
}

double dlq_slot_prefix(double largest, const char **prefix)
{
    static const struct {
        double factor;
        const char *prefix;
    } prefixes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        *prefix = prefixes[i].prefix;
        if (largest >= 10 * prefixes[i].factor)
            return prefixes[i].factor;
    }
    *prefix = "";
    return 1;
}

double dlq_picture_unit(double seconds, const char **name)
{
    *name = seconds >= 0.9995 ? "s" : seconds >= 0.9995e-3 ? "ms" : "us";
    return seconds >= 0.9995 ? 1 : seconds >= 0.9995e-3 ? 1e3 : 1e6;
}

const char *dlq_picture_time(double seconds, char text[DLQ_TEXT_NUMBER])
{
    if (seconds == 0)
        return "0";
    if (!(seconds >= 0.095e-3 && seconds < 0.995e-3))
        return dlq_text_time(seconds, 2, text);
    snprintf(text, DLQ_TEXT_NUMBER, "%.2g ms", 1e3 * seconds);
    return text;
}
