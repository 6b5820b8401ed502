/* Reads the scripts of charts back: what is drawn, where, and whether every line is one that we wrote. */
#ifndef TESTS_OUT_CHART_SCRIPT_H
#define TESTS_OUT_CHART_SCRIPT_H

#include "harness.h"

#include "dlqueue/chart.h"
#include "dlqueue/gnuplot.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static const struct dlq_canvas design = {1600, 900, "png"};

struct script_box {
    double left, bottom, right, top; /* screen coordinates, upward */
};

/* A data block's numbers, NAN where a line is blank or says NaN. */
struct script_block {
    size_t count, rows;
    double value[20000];
};

static inline char *chart_script(const struct dlq_chart *chart, const struct dlq_canvas *canvas)
{
    char *text = NULL;
    size_t size = 0;
    struct dlq_error error = {0};
    FILE *file = open_memstream(&text, &size);
    enum dlq_status status = dlq_chart_script(chart, canvas, file, &error);
    fclose(file);
    CHECK(status == DLQ_OK, "chart: %s", error.text);
    return text;
}

static inline char *heatmap_script(const struct dlq_heatmap *map, const struct dlq_canvas *canvas)
{
    char *text = NULL;
    size_t size = 0;
    struct dlq_error error = {0};
    FILE *file = open_memstream(&text, &size);
    enum dlq_status status = dlq_heatmap_script(map, canvas, file, &error);
    fclose(file);
    CHECK(status == DLQ_OK, "heat map: %s", error.text);
    return text;
}

/* The first line that begins with `start`; null: none. */
static inline const char *script_line(const char *script, const char *start)
{
    for (const char *line = script; line != NULL && *line != '\0'; line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, start, strlen(start)) == 0)
            return line;
        if (strchr(line, '\n') == NULL)
            break;
    }
    return NULL;
}

/* Safe to print. */
static inline const char *script_shown(const char *line)
{
    return line == NULL ? "nothing" : line;
}

static inline double script_number(const char *script, const char *start)
{
    const char *line = script_line(script, start);
    return line == NULL ? NAN : strtod(line + strlen(start), NULL);
}

static inline bool script_block(const char *script, const char *name, struct script_block *block)
{
    char start[64];
    snprintf(start, sizeof start, "$%s << END_OF_DATA\n", name);
    const char *line = script_line(script, start);
    *block = (struct script_block){0};
    if (line == NULL)
        return false;
    for (line += strlen(start); strncmp(line, "END_OF_DATA\n", 12) != 0; line = strchr(line, '\n') + 1) {
        const char *end = strchr(line, '\n'), *at = line;
        block->rows++;
        if (at == end)
            block->value[block->count++] = NAN;
        while (at < end) {
            char *after;
            block->value[block->count++] = strtod(at, &after);
            at = *after == ' ' ? after + 1 : after;
            if (after == line)
                return false;
        }
    }
    return true;
}

/* Reads numbers with commas, colons or " to screen " between them; where they end, or null. */
static inline const char *script_numbers(const char *at, size_t count, double values[])
{
    for (size_t i = 0; i < count; i++) {
        char *after;
        values[i] = strtod(at, &after);
        if (after == at)
            return NULL;
        at = i + 1 < count ? after + strspn(after, ", :toscren") : after;
    }
    return at;
}

/* The opaque white box of the key. */
static inline bool script_key(const char *script, struct script_box *box)
{
    static const char start[] = "set object rect from screen ", white[] = " front fc rgb '#ffffff'";
    for (const char *line = script_line(script, start); line != NULL;) {
        double at[4];
        const char *rest = script_numbers(line + strlen(start), 4, at);
        *box = (struct script_box){at[0], at[1], at[2], at[3]};
        if (rest != NULL && strncmp(rest, white, strlen(white)) == 0)
            return true;
        line = script_line(strchr(line, '\n') + 1, start);
    }
    *box = (struct script_box){NAN, NAN, NAN, NAN};
    return false;
}

static inline struct script_box script_plot(const char *script)
{
    return (struct script_box){
        script_number(script, "set lmargin at screen "), script_number(script, "set bmargin at screen "),
        script_number(script, "set rmargin at screen "), script_number(script, "set tmargin at screen ")};
}

/* The screen position of the label whose quoted text is `quoted`. */
static inline bool script_label(const char *script, const char *quoted, double *x, double *y)
{
    char start[1400];
    snprintf(start, sizeof start, "set label %s at screen ", quoted);
    const char *line = script_line(script, start);
    double at[2] = {NAN, NAN};
    bool found = line != NULL && script_numbers(line + strlen(start), 2, at) != NULL;
    *x = at[0];
    *y = at[1];
    return found;
}

static inline bool script_label_of(const char *script, const char *text, double *x, double *y)
{
    char *quoted = dlq_gnuplot_quote(text);
    bool found = script_label(script, quoted, x, y);
    free(quoted);
    return found;
}

/* Position of a word at the start of which a command of ours may stand; null: a foreign command. */
static inline bool script_ours(const char *line)
{
    static const char *const starts[] = {"set encoding utf8\n",
                                         "set term pngcairo size ",
                                         "set term svg size ",
                                         "set term pdfcairo size ",
                                         "set lmargin at screen ",
                                         "set rmargin at screen ",
                                         "set tmargin at screen ",
                                         "set bmargin at screen ",
                                         "unset key\n",
                                         "set border ",
                                         "set tics nomirror ",
                                         "set format ",
                                         "set style fill noborder\n",
                                         "set xrange [",
                                         "set yrange [",
                                         "set y2range [",
                                         "set logscale x\n",
                                         "unset mxtics\n",
                                         "set grid ytics ",
                                         "set grid xtics ",
                                         "unset ytics\n",
                                         "set xtics (",
                                         "set ytics (",
                                         "set y2tics (",
                                         "set cbtics 0,",
                                         "set label ",
                                         "set arrow from screen ",
                                         "set object rect from screen ",
                                         "set palette defined (",
                                         "set palette maxcolors 0\n",
                                         "set cbrange [0:100]\n",
                                         "set colorbox user origin screen ",
                                         "set multiplot\n",
                                         "unset multiplot\n",
                                         "unset label\n",
                                         "unset arrow\n",
                                         "unset object\n",
                                         "plot $",
                                         "     $"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(line, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

/* Skips a literal: double quotes hold nothing but harmless letters and octal numbers. */
static inline const char *script_literal(const char *at)
{
    char quote = *at++;
    for (; *at != quote; at++) {
        bool harmless = isalnum((unsigned char)*at) || strchr(" ,.:;=+()/-\\%#&'", *at) != NULL;
        if (*at == '\0' || *at == '\n' || (unsigned char)*at >= 0x80 || !harmless)
            return NULL;
        if (*at == '\\' && !(isdigit((unsigned char)at[1]) && isdigit((unsigned char)at[2])))
            return NULL;
    }
    return at + 1;
}

/* The name of a data block of ours; "$series" is followed by a number. */
static inline bool script_data(const char *at)
{
    static const char *const names[] = {"$series",   "$level",  "$cells",   "$bars",     "$guide",
                                        "$whiskers", "$values", "$lags",    "$marked",   "$alarm",
                                        "$work",     "$stall",  "$barrier", "$overhead", "$axes"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(at, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The first line that is no command of ours, or holds anything that could run one; null: all is well. */
static inline const char *script_foreign(const char *script)
{
    for (const char *line = script; *line != '\0'; line = strchr(line, '\n') + 1) {
        if (*line == '$') {
            const char *end = strstr(line, "\nEND_OF_DATA\n");
            const char *data = strchr(line, '\n') + 1;
            if (end == NULL || strspn(data, "0123456789+-.eNa \n") < (size_t)(end + 1 - data))
                return line;
            line = end + 1;
            continue;
        }
        if (!script_ours(line))
            return line;
        for (const char *at = line; *at != '\n';) {
            if (strchr("`!;|@$", *at) != NULL && !script_data(at))
                return line;
            at = *at == '"' || *at == '\'' ? script_literal(at) : at + 1;
            if (at == NULL)
                return line;
        }
    }
    return NULL;
}

static inline unsigned script_word(const unsigned char *bytes)
{
    return (unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8 | bytes[3];
}

/* Draws with the real gnuplot; a PNG must have the size of the canvas. */
static inline void script_draws(const char *script, const struct dlq_canvas *canvas, const char *name)
{
    struct dlq_image image = {0};
    struct dlq_error error = {0};
    enum dlq_status status = dlq_gnuplot_run(script, canvas->format, 60, NULL, &image, &error);
    CHECK(status == DLQ_OK, "%s: %s", name, error.text);
    if (status == DLQ_OK && strcmp(canvas->format, "png") == 0) {
        CHECK(image.size > 24, "%s: %zu bytes", name, image.size);
        CHECK_INT(script_word(image.bytes + 16), canvas->width);
        CHECK_INT(script_word(image.bytes + 20), canvas->height);
    }
    free(image.bytes);
}

/* What was called is refused, with these words and nothing written. */
static inline void script_refused(enum dlq_status status, const char *reason, size_t size, const char *words, int line,
                                  const char *file)
{
    test_check(status == DLQ_INVALID, line, file, "status %d", status);
    test_check(strstr(reason, words) != NULL, line, file, "'%s' lacks '%s'", reason, words);
    test_check(size == 0, line, file, "%zu bytes written in spite of the error", size);
}

/* `call` writes its script to `stream` and its reason to `error`, which stand here. */
#define CHECK_REFUSED(call, words)                                                                                     \
    do {                                                                                                               \
        char *text = NULL;                                                                                             \
        size_t size = 0;                                                                                               \
        struct dlq_error error = {0};                                                                                  \
        FILE *stream = open_memstream(&text, &size);                                                                   \
        enum dlq_status status = (call);                                                                               \
        fclose(stream);                                                                                                \
        script_refused(status, error.text, size, (words), __LINE__, __FILE__);                                         \
        free(text);                                                                                                    \
    } while (0)

#endif
