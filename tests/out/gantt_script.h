/* Reads the scripts of Gantt charts back. */
#ifndef TESTS_OUT_GANTT_SCRIPT_H
#define TESTS_OUT_GANTT_SCRIPT_H

#include "chart_script.h"

#include "dlqueue/gantt.h"
#include "out/chart_page.h"

/* A line of $work, $stall, ...; of $levels_ROW, row is `lower` and low is `upper`. */
struct gantt_line {
    double from, to, row, low, high, color, joined;
};

struct gantt_lines {
    size_t count;
    struct gantt_line *line; /* owned */
};

static inline char *gantt_script(const struct dlq_gantt *gantt, const struct dlq_canvas *canvas)
{
    char *text = NULL;
    size_t size = 0;
    struct dlq_error error = {0};
    FILE *file = open_memstream(&text, &size);
    enum dlq_status status = dlq_gantt_script(gantt, canvas, file, &error);
    fclose(file);
    CHECK(status == DLQ_OK, "gantt: %s", error.text);
    return text;
}

/* columns: how many there must be in each line. No block: no lines. */
static inline struct gantt_lines gantt_lines(const char *script, const char *name, size_t columns)
{
    char start[64];
    snprintf(start, sizeof start, "$%s << END_OF_DATA\n", name);
    struct gantt_lines lines = {0};
    const char *at = script_line(script, start);
    if (at == NULL)
        return lines;
    at += strlen(start);
    for (const char *line = at; strncmp(line, "END_OF_DATA\n", 12) != 0; line = strchr(line, '\n') + 1)
        lines.count++;
    lines.line = calloc(lines.count + 1, sizeof *lines.line);
    for (size_t i = 0; i < lines.count; i++) {
        double value[7] = {0};
        char *after = (char *)at;
        for (size_t k = 0; k < columns; k++)
            value[k] = strtod(after, &after);
        CHECK(*after == '\n', "line %zu of %s has not %zu columns", i, name, columns);
        lines.line[i] = (struct gantt_line){value[0], value[1], value[2], value[3], value[4], value[5], value[6]};
        at = strchr(at, '\n') + 1;
    }
    return lines;
}

static const struct {
    const char *name;
    size_t columns;
} gantt_blocks[DLQ_SPAN_KINDS] = {{"work", 7}, {"stall", 5}, {"barrier", 5}, {"overhead", 5}};

static inline struct gantt_lines gantt_kind(const char *script, enum dlq_span_kind kind)
{
    return gantt_lines(script, gantt_blocks[kind].name, gantt_blocks[kind].columns);
}

/* Height of the plot in its own pixels. */
static inline double gantt_height(const char *script)
{
    return script_number(script, "set yrange [");
}

/* The screen coordinate of a time, and of pixels below the top of the plot. */
static inline double gantt_x(const char *script, double time)
{
    static const char start[] = "set xrange [";
    double range[2] = {NAN, NAN};
    const char *line = script_line(script, start);
    if (line != NULL)
        script_numbers(line + strlen(start), 2, range);
    struct script_box plot = script_plot(script);
    return plot.left + (time - range[0]) / (range[1] - range[0]) * (plot.right - plot.left);
}

static inline double gantt_y(const char *script, double below)
{
    struct script_box plot = script_plot(script);
    return plot.top - below / gantt_height(script) * (plot.top - plot.bottom);
}

#endif
