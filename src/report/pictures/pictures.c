/* Templates with slots: what a picture sets, and the script that gnuplot is given. */
#include "report/pictures/pictures.h"

#include "draw/gnuplot.h"
#include "draw/memory.h"
#include "report/embedded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A no-break space before each dot, so that no line begins with one. */
static void write_subtitle(struct dlq_slots *slots, const char *subtitle)
{
    static const char dot[] = " \xc2\xb7";
    struct dlq_memory memory;
    bool begun = dlq_memory_begin(&memory);
    for (const char *at = subtitle; begun && *at != '\0'; at++) {
        bool before_dot = strncmp(at, dot, sizeof dot - 1) == 0;
        fputs(before_dot ? "\xc2\xa0" : (const char[]){*at, '\0'}, memory.stream);
    }
    char *text = begun ? dlq_memory_end(&memory) : NULL;
    slots->failed = slots->failed || text == NULL;
    dlq_slot_text(slots, "SUBTITLE", text);
    free(text);
}

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
    *slots = (struct dlq_slots){.script = script,
                                .embeds = strcmp(canvas->format, "svg") != 0,
                                .lines = height / (1.32 * letters),
                                .columns = width / (0.57 * letters)};
    fprintf(script, "TERM = '%s'\n", terminals[i].terminal);
    double unit = canvas->on_paper ? terminals[i].paper : terminals[i].unit;
    double shrunk = canvas->on_paper ? unit / terminals[i].unit : 1;
    dlq_slot_number(slots, "W", width * unit);
    dlq_slot_number(slots, "H", height * unit);
    dlq_slot_number(slots, "F", letters * terminals[i].font * shrunk);
    dlq_slot_text(slots, "TITLE", canvas->untitled ? "" : title);
    write_subtitle(slots, canvas->untitled ? "" : subtitle);
    return DLQ_OK;
}

static bool are_powers_of_two(const double *x, size_t count)
{
    int exponent;
    for (size_t i = 0; i < count; i++)
        if (frexp(x[i], &exponent) != 0.5)
            return false;
    return true;
}

void dlq_slots_axis(struct dlq_slots *slots, const char *label, const double *x, size_t count, double factor,
                    bool logarithmic, bool whole)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    dlq_slot_text(slots, "XLABEL", label);
    dlq_slot_number(slots, "XMIN", factor * least);
    dlq_slot_number(slots, "XMAX", factor * most);
    dlq_slot_number(slots, "XLOG", !logarithmic ? 0 : factor == 1 && are_powers_of_two(x, count) ? 2 : 10);
    dlq_slot_number(slots, "XWHOLE", whole);
}

static void write_quoted(struct dlq_slots *slots, const char *text)
{
    char *quoted = (slots->embeds ? dlq_gnuplot_quote_known : dlq_gnuplot_quote)(text == NULL ? "" : text);
    slots->failed = slots->failed || quoted == NULL;
    fputs(quoted == NULL ? "''" : quoted, slots->script);
    fputc('\n', slots->script);
    free(quoted);
}

void dlq_slot_text(struct dlq_slots *slots, const char *name, const char *text)
{
    fprintf(slots->script, "%s = ", name);
    write_quoted(slots, text);
}

void dlq_slot_array(struct dlq_slots *slots, const char *name, size_t count)
{
    fprintf(slots->script, "array %s[%zu]\n", name, count > 0 ? count : 1);
}

void dlq_slot_element(struct dlq_slots *slots, const char *name, size_t index, const char *text)
{
    fprintf(slots->script, "%s[%zu] = ", name, index + 1);
    write_quoted(slots, text);
}

static void write_number(struct dlq_slots *slots, double value)
{
    if (isfinite(value))
        fprintf(slots->script, "%.10g", value);
    else
        fputs("NaN", slots->script);
}

void dlq_slot_number(struct dlq_slots *slots, const char *name, double value)
{
    fprintf(slots->script, "%s = ", name);
    write_number(slots, value);
    fputc('\n', slots->script);
}

void dlq_slot_value(struct dlq_slots *slots, const char *name, size_t index, double value)
{
    fprintf(slots->script, "%s[%zu] = ", name, index + 1);
    write_number(slots, value);
    fputc('\n', slots->script);
}

void dlq_slot_block(struct dlq_slots *slots, const char *name)
{
    fprintf(slots->script, "%s = '$%s'\n$%s << END_OF_DATA\n", name, name, name);
}

void dlq_slot_row(struct dlq_slots *slots, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++) {
        write_number(slots, values[i]);
        fputc(i + 1 < count ? ' ' : '\n', slots->script);
    }
}

void dlq_slot_named_row(struct dlq_slots *slots, const char *text, size_t count, const double *values)
{
    fprintf(slots->script, "\"%s\" ", text);
    dlq_slot_row(slots, count, values);
}

void dlq_slot_gap(struct dlq_slots *slots)
{
    fputc('\n', slots->script);
}

void dlq_slot_block_end(struct dlq_slots *slots)
{
    fputs("END_OF_DATA\n", slots->script);
}

static const char *template_of(const char *name)
{
    const struct dlq_embedded *row = dlq_picture_templates;
    while (strcmp(row->name, name) != 0)
        row++;
    return (const char *)row->text;
}

enum dlq_status dlq_slots_end(struct dlq_slots *slots, const char *template_name, struct dlq_error *error)
{
    fprintf(slots->script, "\n%s\n%s", template_of("style"), template_of(template_name));
    if (slots->failed || ferror(slots->script))
        return dlq_error_memory(error, "drawing a chart");
    return DLQ_OK;
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
