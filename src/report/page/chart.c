/* Charts as gnuplot writes them, made fit for the inside of a page: shorter, in the page's colors, and nothing in them
   but what is known. */
#include "draw/memory.h"
#include "report/page/page.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What a shape or a text inherits from the groups around it. */
enum { FILL, STROKE, STROKE_WIDTH, DASHES, CAP, JOIN, RENDERING, COLOR, BOX, FONT_SIZE, WEIGHT, SLANT, ANCHOR };
enum { FILL_OPACITY = ANCHOR + 1, STROKE_OPACITY, OPACITY, TRANSFORM, INHERITED };
enum { SHAPES = 1, TEXTS = 2 };
static const struct {
    const char *name, *usual; /* usual: what need not be said */
    unsigned of;              /* what it is written of */
    enum { PAINT, NUMBERS, WORD } kind;
} attributes[INHERITED] = {
    [FILL] = {"fill", "", SHAPES | TEXTS, PAINT},
    [STROKE] = {"stroke", "none", SHAPES, PAINT},
    [STROKE_WIDTH] = {"stroke-width", "", SHAPES, NUMBERS},
    [DASHES] = {"stroke-dasharray", "", SHAPES, NUMBERS},
    [CAP] = {"stroke-linecap", "butt", SHAPES, WORD},
    [JOIN] = {"stroke-linejoin", "miter", SHAPES, WORD},
    [RENDERING] = {"shape-rendering", "", SHAPES, WORD},
    [COLOR] = {"color", "", 0, PAINT},
    [BOX] = {"style", "", 0, WORD},
    [FONT_SIZE] = {"font-size", "", TEXTS, NUMBERS},
    [WEIGHT] = {"font-weight", "", TEXTS, WORD},
    [SLANT] = {"font-style", "", TEXTS, WORD},
    [ANCHOR] = {"text-anchor", "", TEXTS, WORD},
    [FILL_OPACITY] = {"fill-opacity", "", SHAPES | TEXTS, WORD},
    [STROKE_OPACITY] = {"stroke-opacity", "", SHAPES, WORD},
    [OPACITY] = {"opacity", "", SHAPES | TEXTS, WORD},
    [TRANSFORM] = {"transform", "", SHAPES | TEXTS, NUMBERS},
};

enum { VALUE = 96, NESTED = 24 };
struct style {
    char value[INHERITED][VALUE];
};

struct reader {
    const char *at;
    FILE *out;
    struct style stack[NESTED]; /* of the groups that are open */
    int depth;
    struct style last; /* of the path that is open in the output: lines that are drawn alike are one */
    bool path, failed;
    bool has_cells; /* a heat map: its lines lie on colors that are no theme's */
};

/* gnuplot's colors that mean something, and what the style sheet calls them. */
static const struct {
    const char *color, *name;
} inks[] = {
    {"#000000", "ink"},        {"#1a1a1a", "ink"},       {"#444444", "text"},        {"#767676", "muted"},
    {"#dddddd", "rule"},       {"#ffffff", "paper"},     {"#0072b2", "blue"},        {"#00507d", "blue"},
    {"#d55e00", "red"},        {"#9a4300", "red"},       {"#009e73", "green"},       {"#00664b", "green"},
    {"#e69f00", "amber"},      {"#6b6000", "amber"},     {"#aa4499", "purple"},      {"#7a2f6c", "purple"},
    {"#555555", "muted"},      {"#e3eff7", "tint-blue"}, {"#e2f3ee", "tint-green"},  {"#fdf0e2", "tint-amber"},
    {"#f3f0dc", "tint-amber"}, {"#f1f1f1", "tint-gray"}, {"#f3e9f2", "tint-purple"},
};

/* The numbers of a text, whatever stands between them; at most so many. */
static int numbers_of(const char *text, double *numbers, int most)
{
    int count = 0;
    while (*text != '\0' && count < most) {
        char *end = NULL;
        if (isdigit((unsigned char)*text) || *text == '-' || *text == '.')
            numbers[count] = strtod(text, &end);
        bool read = end != NULL && end != text;
        count += read;
        text = read ? end : text + 1;
    }
    return count;
}

/* "rgb(  0, 114, 178)", "black", "#FFFFFF" as the page has it. Lines of a heat map are themed where they are of the
   gray of axes and tics, which lie on the sheet. */
static void put_color(const struct reader *reader, const char *text, bool line)
{
    unsigned long color = 0;
    double rgb[3];
    char hex[8];
    if (text[0] == '#')
        color = strtoul(text + 1, NULL, 16);
    else if (strcmp(text, "white") == 0)
        color = 0xffffff;
    else if (numbers_of(text, rgb, 3) == 3)
        color = ((unsigned long)rgb[0] << 16) + ((unsigned long)rgb[1] << 8) + (unsigned long)rgb[2];
    else if (strcmp(text, "black") != 0) {
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

/* Numbers to 0.1 and words as they are; of characters those that paths and transforms are made of. */
static void put_geometry(FILE *out, const char *text)
{
    bool blank = false, any = false;
    while (*text != '\0') {
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

/* One tag: its name and attributes, from "<" on. */
struct tag {
    char name[24];
    const char *attributes, *end; /* between name and ">" */
    bool closing, empty;
};

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

/* The attribute's value; false: it has none. */
static bool attribute_of(const struct tag *tag, const char *name, char *value, size_t size)
{
    size_t length = strlen(name);
    for (const char *at = tag->attributes; at + length < tag->end; at++) {
        if (!isspace((unsigned char)at[0]) || strncmp(at + 1, name, length) != 0)
            continue;
        const char *from = at + 1 + length;
        from += strspn(from, " =");
        const char *to = *from == '"' || *from == '\'' ? strchr(from + 1, *from) : NULL;
        if (to == NULL || to > tag->end || (size_t)(to - from) > size)
            return false;
        memset(value, 0, size);
        memcpy(value, from + 1, (size_t)(to - from - 1));
        return true;
    }
    return false;
}

/* What surrounds the tag, with what it adds. gnuplot puts no transform within another. */
static struct style style_of(const struct reader *reader, const struct tag *tag)
{
    struct style style = reader->stack[reader->depth];
    for (int i = 0; i < INHERITED; i++)
        attribute_of(tag, attributes[i].name, style.value[i], VALUE);
    for (int i = FILL; i <= STROKE; i++)
        if (strcmp(style.value[i], "currentColor") == 0)
            memcpy(style.value[i], style.value[COLOR], VALUE);
    return style;
}

static void close_path(struct reader *reader)
{
    if (reader->path)
        fputs("\"/>", reader->out);
    reader->path = false;
}

/* "<name" and the attributes that are written of `of`. */
static void open_element(struct reader *reader, const char *name, const struct style *style, unsigned of)
{
    bool line = strcmp(style->value[STROKE], "none") != 0;
    close_path(reader);
    fprintf(reader->out, "<%s", name);
    for (int i = 0; i < INHERITED; i++) {
        const char *value = style->value[i];
        if ((attributes[i].of & of) == 0 || value[0] == '\0' || strcmp(value, attributes[i].usual) == 0 ||
            (i > STROKE && i <= JOIN && !line))
            continue;
        fprintf(reader->out, " %s=\"", attributes[i].name);
        if (attributes[i].kind == PAINT)
            put_color(reader, value, i == STROKE);
        else if (attributes[i].kind == NUMBERS)
            put_geometry(reader->out, value);
        for (; attributes[i].kind == WORD && *value != '\0'; value++)
            if (isalnum((unsigned char)*value) || *value == '.' || *value == '-')
                fputc(*value, reader->out);
        fputc('"', reader->out);
    }
}

/* Lines and areas. Areas that overlap in part transparently may not be one path. */
static void put_path(struct reader *reader, const struct tag *tag, const char *geometry, const char *begin,
                     const char *end)
{
    struct style style = style_of(reader, tag);
    size_t size = (size_t)(tag->end - tag->attributes) + 1;
    char *data = malloc(size);
    bool opaque = style.value[FILL_OPACITY][0] == '\0' && style.value[STROKE_OPACITY][0] == '\0' &&
                  style.value[OPACITY][0] == '\0';
    reader->failed = reader->failed || data == NULL;
    if (data != NULL && attribute_of(tag, geometry, data, size) && data[0] != '\0') {
        if (!reader->path || !opaque || memcmp(&style, &reader->last, sizeof style) != 0) {
            open_element(reader, "path", &style, SHAPES);
            fputs(" d=\"", reader->out);
            reader->path = true;
            reader->last = style;
        }
        fputs(begin, reader->out);
        put_geometry(reader->out, data);
        fputs(end, reader->out);
    }
    free(data);
}

static void put_shape(struct reader *reader, const struct tag *tag)
{
    static const char *const known[] = {"x", "y", "width", "height", "cx", "cy", "r", "x1", "y1", "x2", "y2", NULL};
    struct style style = style_of(reader, tag);
    char value[VALUE];
    open_element(reader, tag->name, &style, SHAPES);
    for (size_t i = 0; known[i] != NULL; i++)
        if (attribute_of(tag, known[i], value, sizeof value)) {
            fprintf(reader->out, " %s=\"", known[i]);
            put_geometry(reader->out, value);
            fputc('"', reader->out);
        }
    fputs("/>", reader->out);
}

/* A point symbol: the filled and the hollow circle are all that our charts have; any other is a hollow circle, too. */
static void put_symbol(struct reader *reader, const struct tag *tag)
{
    struct style style = style_of(reader, tag);
    char reference[VALUE] = "";
    double place[3]; /* translate(x,y) scale(size) */
    if (numbers_of(style.value[TRANSFORM], place, 3) != 3)
        return;
    attribute_of(tag, "xlink:href", reference, sizeof reference);
    bool filled = strcmp(reference, "#gpPt6") == 0;
    snprintf(style.value[FILL], VALUE, "%.95s", filled ? style.value[COLOR] : "none");
    snprintf(style.value[STROKE], VALUE, "%.95s", filled ? "none" : style.value[COLOR]);
    snprintf(style.value[STROKE_WIDTH], VALUE, "%.9g", 0.178 * place[2]);
    style.value[TRANSFORM][0] = '\0';
    open_element(reader, "circle", &style, SHAPES);
    fprintf(reader->out, " cx=\"%.9g\" cy=\"%.9g\" r=\"%.9g\"/>", round(place[0] * 10) / 10, round(place[1] * 10) / 10,
            round(place[2] * 10) / 10);
}

/* The text up to its end tag; parts in a font of their own are parts of it. gnuplot has escaped what is markup. */
static void put_label(struct reader *reader, const struct tag *tag)
{
    struct style style = style_of(reader, tag);
    bool boxed = strstr(style.value[BOX], "#textbox") != NULL; /* with the sheet behind it */
    open_element(reader, "text", &style, TEXTS);
    fputs(boxed ? " class=\"boxed\">" : ">", reader->out);
    while (*reader->at != '\0' && strncmp(reader->at, "</text", 6) != 0) {
        struct tag part;
        if (*reader->at == '<') {
            if (!read_tag(reader, &part))
                break;
        } else {
            if (*reader->at != '\n' && *reader->at != '\t')
                fputc(*reader->at, reader->out);
            reader->at++;
        }
    }
    fputs("</text>", reader->out);
}

static void put_tag(struct reader *reader, const struct tag *tag)
{
    const char *name = tag->name;
    if (strcmp(name, "g") == 0 && tag->closing)
        reader->depth -= reader->depth > 0;
    else if (strcmp(name, "g") == 0 && !tag->empty) {
        reader->failed = reader->failed || reader->depth + 1 >= NESTED;
        if (!reader->failed) {
            struct style style = style_of(reader, tag);
            reader->stack[++reader->depth] = style;
        }
    }
    if (tag->closing)
        return;
    if (strcmp(name, "title") == 0 || strcmp(name, "desc") == 0 || strcmp(name, "defs") == 0) {
        char end[sizeof tag->name + 2];
        snprintf(end, sizeof end, "</%s", name);
        const char *found = strstr(reader->at, end);
        reader->at = found != NULL ? found : reader->at + strlen(reader->at);
    } else if (strcmp(name, "text") == 0)
        put_label(reader, tag);
    else if (strcmp(name, "use") == 0)
        put_symbol(reader, tag);
    else if (strcmp(name, "path") == 0)
        put_path(reader, tag, "d", "", "");
    else if (strcmp(name, "polygon") == 0 || strcmp(name, "polyline") == 0)
        put_path(reader, tag, "points", "M", name[4] == 'g' ? "z" : "");
    else if (strcmp(name, "line") == 0 || strcmp(name, "rect") == 0 || strcmp(name, "circle") == 0)
        put_shape(reader, tag);
}

char *dlq_page_chart_clean(const char *svg)
{
    enum { MANY = 100 }; /* more areas than any chart has but a heat map */
    struct dlq_memory memory;
    struct tag tag;
    char box[VALUE];
    int areas = 0;
    const char *begin = strstr(svg, "<svg");
    if (begin == NULL || !dlq_memory_begin(&memory))
        return NULL;
    for (const char *at = begin; (at = strstr(at, "<polygon")) != NULL; at++)
        areas++;
    struct reader reader = {.at = begin, .out = memory.stream, .has_cells = areas > MANY};
    reader.failed = !read_tag(&reader, &tag) || !attribute_of(&tag, "viewBox", box, sizeof box);
    if (!reader.failed) {
        fputs("<svg viewBox=\"", memory.stream);
        put_geometry(memory.stream, box);
        fputs("\" aria-hidden=\"true\">", memory.stream);
    }
    while (!reader.failed && (reader.at = strchr(reader.at, '<')) != NULL && read_tag(&reader, &tag))
        put_tag(&reader, &tag);
    close_path(&reader);
    fputs("</svg>\n", memory.stream);
    char *text = dlq_memory_end(&memory);
    if (!reader.failed)
        return text;
    free(text);
    return NULL;
}
