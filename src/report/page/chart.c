/* Cleans the SVG of gnuplot for a page: keeps known elements and attributes, in the page's colors, and nothing else. */
#include "report/page/page.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Known attributes, whose values are colors; numbers, paths and transforms; words. */
static const char paints[] = "fill stroke color";
static const char geometry[] =
    "stroke-width stroke-dasharray font-size transform d points x y width height cx cy r x1 y1 x2 y2";
static const char words[] = "shape-rendering text-anchor font-weight font-style fill-opacity stroke-opacity opacity";
enum { VALUE = 96 };

struct tag {
    char name[24];
    const char *attributes, *end; /* after the name; ">" */
    bool closing, empty;
};

struct reader {
    const char *at;
    FILE *out;
    int depth;      /* open groups */
    bool in_text;   /* within a <text> */
    bool has_cells; /* a heat map, whose lines lie on colors that no theme changes */
};

/* Colors in the templates of charts, and their variables in the style sheet. */
static const struct {
    const char *color, *name;
} inks[] = {
    {"#000000", "ink"},        {"#1a1a1a", "ink"},       {"#444444", "text"},        {"#767676", "muted"},
    {"#dddddd", "rule"},       {"#ffffff", "paper"},     {"#0072b2", "blue"},        {"#00507d", "blue"},
    {"#d55e00", "red"},        {"#9a4300", "red"},       {"#009e73", "green"},       {"#00664b", "green"},
    {"#e69f00", "amber"},      {"#6b6000", "amber"},     {"#aa4499", "purple"},      {"#7a2f6c", "purple"},
    {"#555555", "muted"},      {"#e3eff7", "tint-blue"}, {"#e2f3ee", "tint-green"},  {"#fdf0e2", "tint-amber"},
    {"#f3f0dc", "tint-amber"}, {"#f1f1f1", "tint-gray"}, {"#f3e9f2", "tint-purple"}, {"#9c2400", "red"},
    {"#cc3311", "red"},        {"#c4c8ce", "rule"},      {"#55595f", "worked"},
};

/* Writes "rgb(  0, 114, 178)", "black", "#FFFFFF" or "currentColor" as a color of the page. Of the lines of a heat map
   only axes and tics, which are gray, change with the theme. */
static void put_color(const struct reader *reader, const char *text, bool line)
{
    unsigned long color = 0;
    char hex[8];
    if (strcmp(text, "currentColor") == 0) {
        fputs(text, reader->out);
        return;
    }
    if (text[0] == '#')
        color = strtoul(text + 1, NULL, 16);
    else if (strcmp(text, "white") == 0)
        color = 0xffffff;
    else if (strncmp(text, "rgb(", 4) == 0) {
        char *at = NULL;
        for (const char *part = text + 4; part != NULL; part = *at == ',' ? at + 1 : NULL)
            color = color << 8 | (strtoul(part, &at, 10) & 255UL);
    } else if (strcmp(text, "black") != 0) {
        fputs("none", reader->out);
        return;
    }
    snprintf(hex, sizeof hex, "#%06lx", color & 0xffffffUL);
    for (size_t i = 0; i < sizeof inks / sizeof *inks && !(line && reader->has_cells && color != 0x444444); i++)
        if (strcmp(inks[i].color, hex) == 0) {
            fprintf(reader->out, "var(--%s)", inks[i].name);
            return;
        }
    fputs(hex, reader->out);
}

/* Writes numbers to 0.1, and the letters and parentheses of paths and transforms. */
static void put_geometry(FILE *out, const char *text, const char *stop)
{
    bool blank = false, any = false;
    while (text < stop) {
        char *end;
        const char *digits = text + (*text == '-');
        if (isdigit((unsigned char)*digits) || (*digits == '.' && isdigit((unsigned char)digits[1]))) {
            double value = round(strtod(text, &end) * 10) / 10;
            fprintf(out, "%s%.9g", blank && any ? " " : "", value == 0 ? 0 : value);
            text = end;
            blank = false;
            any = true;
            continue;
        }
        blank = blank || isspace((unsigned char)*text) || *text == ',';
        if (isalpha((unsigned char)*text) || *text == '(' || *text == ')') {
            fputc(*text, out);
            blank = any = false;
        }
        text++;
    }
}

static bool read_tag(struct reader *reader, struct tag *tag)
{
    const char *at = reader->at + 1;
    const char *end = strchr(at, '>');
    if (end == NULL)
        return false;
    *tag = (struct tag){.closing = *at == '/', .empty = end[-1] == '/', .end = end};
    at += tag->closing;
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) && length + 1 < sizeof tag->name)
        length++;
    memcpy(tag->name, at, length);
    tag->attributes = at + length;
    reader->at = end + 1;
    return true;
}

/* Reads the attribute at *at: its name, and start and end of its value; false: there is none. */
static bool next_attribute(const struct tag *tag, const char **at, char name[VALUE], const char *ends[2])
{
    const char *from = *at + strspn(*at, " \t\r\n"), *equals = memchr(from, '=', (size_t)(tag->end - from));
    const char *open = equals != NULL ? equals + 1 + strspn(equals + 1, " ") : NULL;
    if (open == NULL || (*open != '"' && *open != '\''))
        return false;
    const char *close = memchr(open + 1, *open, (size_t)(tag->end - open - 1));
    if (close == NULL)
        return false;
    snprintf(name, VALUE, "%.*s", (int)strcspn(from, " ="), from);
    ends[0] = open + 1;
    ends[1] = *at = close;
    ++*at;
    return true;
}

/* Writes "<NAME" with the known attributes of the tag. */
static void open_element(const struct reader *reader, const char *element, const struct tag *tag)
{
    char name[VALUE], value[VALUE];
    const char *ends[2], *at = tag->attributes;
    fprintf(reader->out, "<%s", element);
    while (next_attribute(tag, &at, name, ends)) {
        bool paint = dlq_word_among(paints, name), place = dlq_word_among(geometry, name),
             word = dlq_word_among(words, name);
        snprintf(value, sizeof value, "%.*s", (int)(ends[1] - ends[0]), ends[0]);
        if (strstr(value, "#textbox") != NULL)
            fputs(" class=\"boxed\"", reader->out); /* a text on the background of the page */
        if (value[0] == '\0' || !(paint || place || word))
            continue;
        fprintf(reader->out, " %s=\"", name);
        if (paint)
            put_color(reader, value, strcmp(name, "fill") != 0);
        if (place)
            put_geometry(reader->out, ends[0], ends[1]);
        for (const char *letter = value; word && *letter != '\0'; letter++)
            if (isalnum((unsigned char)*letter) || *letter == '.' || *letter == '-')
                fputc(*letter, reader->out);
        fputc('"', reader->out);
    }
}

/* Writes a tag. Within a text tags are dropped; gnuplot has escaped markup there. */
static void put_tag(struct reader *reader, const struct tag *tag)
{
    const char *name = tag->name;
    bool text = strcmp(name, "text") == 0;
    if (reader->in_text || (text && !tag->closing)) {
        if (!reader->in_text) {
            open_element(reader, "text", tag);
            fputc('>', reader->out);
        } else if (text && tag->closing)
            fputs("</text>", reader->out);
        reader->in_text = !(text && tag->closing);
    } else if (!tag->closing && dlq_word_among("title desc defs", name)) {
        char end[sizeof tag->name + 2];
        snprintf(end, sizeof end, "</%s", name);
        const char *found = strstr(reader->at, end);
        reader->at = found != NULL ? found : reader->at + strlen(reader->at);
    } else if (strcmp(name, "g") == 0 && tag->closing && reader->depth > 0) {
        fputs("</g>", reader->out);
        reader->depth--;
    } else if (strcmp(name, "g") == 0 && !tag->closing && !tag->empty) {
        const char *next = reader->at + strspn(reader->at, " \t\r\n");
        bool holds = strncmp(next, "</g>", 4) != 0; /* gnuplot writes many with nothing in them */
        if (holds) {
            open_element(reader, "g", tag);
            fputc('>', reader->out);
        }
        reader->depth += holds;
        reader->at = holds ? next : next + 4;
    } else if (strcmp(name, "use") == 0) {
        /* A point symbol: the filled and the hollow circle are all that our charts have; any other is a hollow one. */
        const char *filled = strstr(tag->attributes, "#gpPt6");
        open_element(reader, "circle", tag);
        fprintf(reader->out, " r=\"1\" %s/>",
                filled != NULL && filled < tag->end ? "fill=\"currentColor\" stroke=\"none\""
                                                    : "fill=\"none\" stroke-width=\"0.178\"");
    } else if (dlq_word_among("path polygon polyline line rect circle", name) && !tag->closing) {
        open_element(reader, name, tag);
        fputs("/>", reader->out);
    }
}

char *dlq_page_chart_clean(const char *svg, const char *title)
{
    enum { MANY = 100 }; /* polygons, which only a heat map exceeds */
    struct dlq_memory memory;
    struct tag tag = {.name = ""};
    char name[VALUE] = "";
    const char *ends[2] = {NULL, NULL};
    int polygons = 0;
    const char *start = strstr(svg, "<svg");
    if (start == NULL || !dlq_memory_begin(&memory))
        return NULL;
    for (const char *at = start; (at = strstr(at, "<polygon")) != NULL; at++)
        polygons++;
    struct reader reader = {.at = start, .out = memory.stream, .has_cells = polygons > MANY};
    bool sized = read_tag(&reader, &tag);
    for (const char *at = tag.attributes; sized && strcmp(name, "viewBox") != 0;)
        sized = next_attribute(&tag, &at, name, ends);
    if (sized) {
        fputs("<svg viewBox=\"", memory.stream);
        put_geometry(memory.stream, ends[0], ends[1]);
        fprintf(memory.stream, "\" role=\"img\"><title>%s</title>", title);
    }
    for (; sized && *reader.at != '\0'; reader.at++) {
        while (*reader.at == '<' && read_tag(&reader, &tag))
            put_tag(&reader, &tag);
        if (*reader.at == '\0' || *reader.at == '<')
            break;
        if (reader.in_text && *reader.at != '\n' && *reader.at != '\t')
            fputc(*reader.at, memory.stream);
    }
    fputs(reader.in_text ? "</text>" : "", memory.stream);
    for (; reader.depth > 0; reader.depth--)
        fputs("</g>", memory.stream);
    fputs("</svg>\n", memory.stream);
    char *text = dlq_memory_end(&memory);
    if (sized)
        return text;
    free(text);
    return NULL;
}
