/* Charts as gnuplot writes them, made fit for the inside of a page: shorter, in the page's colors, and nothing in them
   but what is known. */
#include "draw/memory.h"
#include "report/page/page.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What a shape is drawn with: attributes that it inherits from the groups around it. */
enum attribute {
    FILL,
    STROKE,
    STROKE_WIDTH,
    DASHES,
    CAP,
    JOIN,
    FILL_OPACITY,
    STROKE_OPACITY,
    OPACITY,
    RENDERING,
    FONT_SIZE,
    FONT_WEIGHT,
    FONT_STYLE,
    ANCHOR,
    COLOR,
    TRANSFORM,
    INHERITED
};
static const char *const attribute_names[INHERITED] = {[FILL] = "fill",
                                                       [STROKE] = "stroke",
                                                       [STROKE_WIDTH] = "stroke-width",
                                                       [DASHES] = "stroke-dasharray",
                                                       [CAP] = "stroke-linecap",
                                                       [JOIN] = "stroke-linejoin",
                                                       [FILL_OPACITY] = "fill-opacity",
                                                       [STROKE_OPACITY] = "stroke-opacity",
                                                       [OPACITY] = "opacity",
                                                       [RENDERING] = "shape-rendering",
                                                       [FONT_SIZE] = "font-size",
                                                       [FONT_WEIGHT] = "font-weight",
                                                       [FONT_STYLE] = "font-style",
                                                       [ANCHOR] = "text-anchor",
                                                       [COLOR] = "color",
                                                       [TRANSFORM] = "transform"};

enum { VALUE = 96, NESTED = 24 };
struct style {
    char value[INHERITED][VALUE];
};

struct reader {
    const char *at;
    FILE *out;
    struct style stack[NESTED];
    int depth;
    bool boxed[NESTED];      /* a text with the sheet behind it */
    struct style group;      /* of the group that is open in the output */
    bool has_cells;          /* a heat map: its lines lie on colors that are no theme's */
    bool open, path, failed; /* a group, and a path in it that may go on */
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

/* "rgb(  0, 114, 178)", "black", "#FFFFFF" as the page has it. */
static void put_color(FILE *out, const char *text, bool themed)
{
    double rgb[3];
    char hex[8];
    unsigned long color = 0;
    if (text[0] == '#')
        color = strtoul(text + 1, NULL, 16);
    else if (strcmp(text, "white") == 0)
        color = 0xffffff;
    else if (numbers_of(text, rgb, 3) == 3)
        color = ((unsigned long)rgb[0] << 16) + ((unsigned long)rgb[1] << 8) + (unsigned long)rgb[2];
    else if (strcmp(text, "black") != 0) {
        fputs("none", out);
        return;
    }
    snprintf(hex, sizeof hex, "#%06lx", color & 0xffffffUL);
    for (size_t i = 0; themed && i < sizeof inks / sizeof *inks; i++)
        if (strcmp(inks[i].color, hex) == 0) {
            fprintf(out, "var(--%s)", inks[i].name);
            return;
        }
    fputs(hex, out);
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

/* -- tags -- */

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
        while (*from == ' ' || *from == '=')
            from++;
        const char *to = *from == '"' || *from == '\'' ? strchr(from + 1, *from) : NULL;
        if (to == NULL || to > tag->end || (size_t)(to - from) > size)
            return false;
        memcpy(value, from + 1, (size_t)(to - from - 1));
        value[to - from - 1] = '\0';
        return true;
    }
    return false;
}

static struct style *style_of(struct reader *reader)
{
    return &reader->stack[reader->depth];
}

/* What the tag adds to the style around it. */
static void take_style(struct reader *reader, const struct tag *tag, struct style *style)
{
    char value[VALUE];
    for (int i = 0; i < INHERITED; i++)
        if (attribute_of(tag, attribute_names[i], value, sizeof value)) {
            if (i == TRANSFORM && style->value[i][0] != '\0') {
                char all[VALUE];
                reader->failed = reader->failed || snprintf(all, sizeof all, "%s %s", style->value[i], value) >= VALUE;
                snprintf(style->value[i], VALUE, "%s", all);
            } else
                snprintf(style->value[i], VALUE, "%s", value);
        }
    for (int i = FILL; i <= STROKE; i++)
        if (strcmp(style->value[i], "currentColor") == 0)
            snprintf(style->value[i], VALUE, "%.95s", style->value[COLOR]);
}

/* -- shapes -- */

static void close_path(struct reader *reader)
{
    if (reader->path)
        fputs("\"/>", reader->out);
    reader->path = false;
}

static void close_group(struct reader *reader)
{
    close_path(reader);
    if (reader->open)
        fputs("</g>", reader->out);
    reader->open = false;
}

/* The gray of axes and tics, which lie on the sheet. */
static bool is_frame(const char *color)
{
    return strcmp(color, "rgb( 68,  68,  68)") == 0 || strcmp(color, "rgb(68,68,68)") == 0;
}

static bool same_style(const struct style *a, const struct style *b)
{
    for (int i = 0; i < INHERITED; i++)
        if (strcmp(a->value[i], b->value[i]) != 0)
            return false;
    return true;
}

/* A group in the output with what the shape is drawn with: the open one, where that is the same. */
static void open_group(struct reader *reader, const struct style *style, bool is_text)
{
    struct style wanted = *style;
    wanted.value[COLOR][0] = '\0';
    if (is_text)
        wanted.value[TRANSFORM][0] = '\0'; /* its own */
    if (is_text)
        for (int i = STROKE; i <= JOIN; i++)
            wanted.value[i][0] = '\0';
    else
        for (int i = FONT_SIZE; i <= ANCHOR; i++)
            wanted.value[i][0] = '\0';
    if (!is_text && strcmp(wanted.value[STROKE], "none") == 0)
        for (int i = STROKE_WIDTH; i <= JOIN; i++)
            wanted.value[i][0] = '\0';
    if (reader->open && same_style(&wanted, &reader->group))
        return;
    close_group(reader);
    fputs("<g", reader->out);
    for (int i = 0; i < INHERITED; i++) {
        bool usual = wanted.value[i][0] == '\0' || (i == STROKE && strcmp(wanted.value[i], "none") == 0) ||
                     (i == CAP && strcmp(wanted.value[i], "butt") == 0) ||
                     (i == JOIN && strcmp(wanted.value[i], "miter") == 0);
        if (usual)
            continue;
        fprintf(reader->out, " %s=\"", attribute_names[i]);
        if ((i == FILL || i == STROKE) && strcmp(wanted.value[i], "none") != 0)
            put_color(reader->out, wanted.value[i], i == FILL || !reader->has_cells || is_frame(wanted.value[i]));
        else if (i == TRANSFORM || i == DASHES || i == STROKE_WIDTH || i == FONT_SIZE)
            put_geometry(reader->out, wanted.value[i]);
        else
            for (const char *c = wanted.value[i]; *c != '\0'; c++)
                if (isalnum((unsigned char)*c) || *c == '.' || *c == '-')
                    fputc(*c, reader->out);
        fputc('"', reader->out);
    }
    fputc('>', reader->out);
    reader->group = wanted;
    reader->open = true;
}

/* Lines that are drawn alike may be one path; areas that overlap in part transparently may not. */
static void open_path(struct reader *reader, const struct style *style)
{
    bool whole = style->value[FILL_OPACITY][0] == '\0' && style->value[STROKE_OPACITY][0] == '\0' &&
                 style->value[OPACITY][0] == '\0';
    struct style before = reader->group;
    bool was_open = reader->open && reader->path;
    open_group(reader, style, false);
    if (was_open && reader->path && whole && same_style(&before, &reader->group))
        return;
    close_path(reader);
    fputs("<path d=\"", reader->out);
    reader->path = true;
}

static char *long_attribute(const struct tag *tag, const char *name)
{
    size_t size = (size_t)(tag->end - tag->attributes) + 1;
    char *value = malloc(size);
    if (value != NULL && !attribute_of(tag, name, value, size))
        value[0] = '\0';
    return value;
}

/* "x,y x,y ..." as a path; a rectangle by its sides. */
static void put_points(struct reader *reader, const char *points, bool closed)
{
    double corners[10], *x = corners, *y = corners + 1;
    bool four = numbers_of(points, corners, 10) == 8;
    for (int i = 0; i < 8 && four; i++)
        corners[i] = round(corners[i] * 10) / 10;
    if (four && closed && y[0] == y[2] && x[2] == x[4] && y[4] == y[6] && x[6] == x[0]) {
        fprintf(reader->out, "M%.9g %.9gH%.9gV%.9gH%.9gz", x[0], y[0], x[2], y[4], x[0]);
        return;
    }
    fputc('M', reader->out);
    put_geometry(reader->out, points);
    fputs(closed ? "z" : "", reader->out);
}

static void put_shape(struct reader *reader, const struct tag *tag)
{
    static const char *const known[] = {"x", "y", "width", "height", "cx", "cy", "r", "x1", "y1", "x2", "y2", NULL};
    struct style style = *style_of(reader);
    char value[VALUE];
    take_style(reader, tag, &style);
    bool path = strcmp(tag->name, "path") == 0, polygon = strcmp(tag->name, "polygon") == 0;
    if (path || polygon || strcmp(tag->name, "polyline") == 0) {
        char *data = long_attribute(tag, path ? "d" : "points");
        reader->failed = reader->failed || data == NULL;
        if (data != NULL && data[0] != '\0') {
            open_path(reader, &style);
            if (path)
                put_geometry(reader->out, data);
            else
                put_points(reader, data, polygon);
        }
        free(data);
        return;
    }
    open_group(reader, &style, false);
    close_path(reader);
    fprintf(reader->out, "<%s", tag->name);
    for (size_t i = 0; known[i] != NULL; i++)
        if (attribute_of(tag, known[i], value, sizeof value)) {
            fprintf(reader->out, " %s=\"", known[i]);
            put_geometry(reader->out, value);
            fputc('"', reader->out);
        }
    fputs("/>", reader->out);
}

/* A point symbol: the filled and the hollow circle are all that our charts have; any other is a circle, too. */
static void put_symbol(struct reader *reader, const struct tag *tag)
{
    char transform[VALUE] = "", reference[VALUE] = "", color[VALUE] = "";
    double place[3]; /* translate(x,y) scale(size) */
    attribute_of(tag, "xlink:href", reference, sizeof reference);
    attribute_of(tag, "transform", transform, sizeof transform);
    if (numbers_of(transform, place, 3) != 3)
        return;
    struct style style = *style_of(reader);
    take_style(reader, tag, &style);
    bool hollow = strcmp(reference, "#gpPt5") == 0 || strcmp(reference, "#gpPt6") != 0;
    attribute_of(tag, "color", color, sizeof color);
    snprintf(style.value[FILL], VALUE, "%s", hollow ? "none" : style.value[COLOR]);
    snprintf(style.value[STROKE], VALUE, "%s", hollow ? style.value[COLOR] : "none");
    snprintf(style.value[STROKE_WIDTH], VALUE, "%.9g", 0.178 * place[2]);
    style.value[TRANSFORM][0] = '\0';
    open_group(reader, &style, false);
    close_path(reader);
    for (size_t i = 0; i < 3; i++)
        place[i] = round(place[i] * 10) / 10;
    fprintf(reader->out, "<circle cx=\"%.9g\" cy=\"%.9g\" r=\"%.9g\"/>", place[0], place[1], place[2]);
}

/* The text up to its end tag; parts in a font of their own are parts of it. gnuplot has escaped what is markup. */
static void put_label(struct reader *reader, const struct tag *tag)
{
    struct style style = *style_of(reader);
    take_style(reader, tag, &style);
    open_group(reader, &style, true);
    close_path(reader);
    fprintf(reader->out, "<text%s transform=\"", reader->boxed[reader->depth] ? " class=\"boxed\"" : "");
    put_geometry(reader->out, style.value[TRANSFORM]);
    fputs("\">", reader->out);
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

static void skip_to(struct reader *reader, const char *end)
{
    const char *found = strstr(reader->at, end);
    reader->at = found != NULL ? found + strlen(end) : reader->at + strlen(reader->at);
}

static void begin_group(struct reader *reader, const struct tag *tag)
{
    char style[VALUE];
    if (reader->depth + 1 >= NESTED) {
        reader->failed = true;
        return;
    }
    reader->depth++;
    *style_of(reader) = reader->stack[reader->depth - 1];
    take_style(reader, tag, style_of(reader));
    reader->boxed[reader->depth] =
        reader->boxed[reader->depth - 1] ||
        (attribute_of(tag, "style", style, sizeof style) && strstr(style, "#textbox") != NULL);
}

static void put_tag(struct reader *reader, const struct tag *tag)
{
    static const char *const shapes[] = {"path", "polygon", "polyline", "line", "rect", "circle", NULL};
    if (strcmp(tag->name, "title") == 0 && !tag->closing)
        skip_to(reader, "</title>");
    else if (strcmp(tag->name, "desc") == 0 && !tag->closing)
        skip_to(reader, "</desc>");
    else if (strcmp(tag->name, "defs") == 0 && !tag->closing)
        skip_to(reader, "</defs>");
    else if (strcmp(tag->name, "g") == 0 && tag->closing)
        reader->depth -= reader->depth > 0;
    else if (strcmp(tag->name, "g") == 0 && !tag->empty)
        begin_group(reader, tag);
    else if (strcmp(tag->name, "text") == 0 && !tag->closing)
        put_label(reader, tag);
    else if (strcmp(tag->name, "use") == 0)
        put_symbol(reader, tag);
    for (size_t i = 0; shapes[i] != NULL && !tag->closing; i++)
        if (strcmp(tag->name, shapes[i]) == 0)
            put_shape(reader, tag);
}

/* More areas than any chart has but a heat map. */
enum { MANY = 100 };

static int count_of(const char *text, const char *part)
{
    int count = 0;
    while ((text = strstr(text, part)) != NULL) {
        text += strlen(part);
        count++;
    }
    return count;
}

char *dlq_page_chart_clean(const char *svg)
{
    struct dlq_memory memory;
    char box[VALUE];
    struct tag tag;
    const char *begin = strstr(svg, "<svg");
    if (begin == NULL || !dlq_memory_begin(&memory))
        return NULL;
    struct reader reader = {.at = begin, .out = memory.stream, .has_cells = count_of(begin, "<polygon") > MANY};
    if (read_tag(&reader, &tag) && attribute_of(&tag, "viewBox", box, sizeof box)) {
        fputs("<svg viewBox=\"", memory.stream);
        put_geometry(memory.stream, box);
        fputs("\" aria-hidden=\"true\">", memory.stream);
        while (*reader.at != '\0' && !reader.failed) {
            const char *next = strchr(reader.at, '<');
            reader.at = next != NULL ? next : reader.at + strlen(reader.at);
            if (next == NULL || !read_tag(&reader, &tag))
                break;
            put_tag(&reader, &tag);
        }
        close_group(&reader);
        fputs("</svg>\n", memory.stream);
    } else
        reader.failed = true;
    char *text = dlq_memory_end(&memory);
    if (!reader.failed)
        return text;
    free(text);
    return NULL;
}
