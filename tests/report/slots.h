/* Reads the slots of a picture's script back: its texts, numbers and blocks of data. The template behind them is not
   looked at. */
#pragma once

#include "harness.h"
#include "report/pictures/pictures.h"

#include <stdlib.h>

enum { SLOT_TEXT = 4096, SLOT_ROWS = 8192, SLOT_FIELDS = 8 };

/* Rows of numbers, of a block or of a table. */
struct slot_rows {
    size_t count;
    double at[SLOT_ROWS][SLOT_FIELDS];
};

/* What stands behind "NAME = ", or null. NAME may have an index: "WHAT[1]". */
static inline const char *slot_of(const char *script, const char *name)
{
    char begin[64];
    const char *end = strstr(script, "\n# style.gp");
    int length = snprintf(begin, sizeof begin, "%s = ", name);
    for (const char *line = script; line != NULL && (end == NULL || line < end);
         line = strchr(line, '\n'), line += line != NULL)
        if (strncmp(line, begin, (size_t)length) == 0)
            return line + length;
    return NULL;
}

/* The text as it is drawn, no-break spaces as blanks; of "REGIONS[2]" of a block the whole row; "" where there is no
 * such slot. */
static inline const char *slot_text(const char *script, const char *name, char text[SLOT_TEXT])
{
    size_t used = 0;
    const char *at = slot_of(script, name), *index = strchr(name, '[');
    if (at == NULL && index != NULL) {
        snprintf(text, SLOT_TEXT, "\n$%.*s << END_OF_DATA", (int)(index - name), name);
        at = strstr(script, text);
        at = at == NULL ? "" : at + strlen(text) + 1;
        for (long row = strtol(index + 1, NULL, 10); row > 1 && *at != 'E' && *at != '\0'; row--)
            at = strchr(at, '\n') + 1;
        snprintf(text, SLOT_TEXT, "%.*s", *at == 'E' ? 0 : (int)strcspn(at, "\n"), at);
        return text;
    }
    if (at == NULL || *at != '"')
        at = "\"\"";
    for (at++; *at != '"' && *at != '\n' && *at != '\0' && used + 1 < SLOT_TEXT;) {
        if (*at == '\\') {
            unsigned byte = 0;
            for (int digits = at[1] == '0' ? 4 : 3; digits > 0; digits--)
                byte = 8 * byte + (unsigned)(*++at - '0');
            text[used++] = (char)byte;
            at++;
        } else {
            text[used++] = *at++;
        }
    }
    text[used] = '\0';
    for (char *gap = text; (gap = strstr(gap, "\xc2\xa0")) != NULL;)
        memmove(gap, gap + 1, strlen(gap)), *gap = ' ';
    return text;
}

static inline double slot_number(const char *script, const char *name)
{
    const char *at = slot_of(script, name);
    return at == NULL || *at == '"' ? NAN : strtod(at, NULL);
}

/* A block of data, "$DATA"; texts at the beginning of rows are left out. */
static inline void slot_rows(const char *script, const char *name, struct slot_rows *rows)
{
    char begin[64];
    int length = snprintf(begin, sizeof begin, "\n$%s << END_OF_DATA\n", name);
    const char *at = strstr(script, begin);
    CHECK(at != NULL, "no %s", name);
    rows->count = 0;
    for (at = at != NULL ? at + length : ""; *at != '\0' && *at != 'E' && rows->count < SLOT_ROWS;) {
        char *end = (char *)at;
        if (*at == '"')
            end = strchr(at + 1, '"') + 1;
        for (size_t i = 0; i < SLOT_FIELDS; i++)
            rows->at[rows->count][i] = *end == '\n' ? NAN : strtod(end, &end);
        rows->count += *at != '\n';
        at = strchr(at, '\n') + 1;
    }
}

/* A column is what was wanted, to the digits that scripts have. */
static inline void slot_check(const char *what, const struct slot_rows *rows, size_t column, const double *wanted,
                              size_t count)
{
    CHECK(rows->count == count, "%s: %zu rows, not %zu", what, rows->count, count);
    for (size_t i = 0; i < count && i < rows->count; i++) {
        double is = rows->at[i][column];
        CHECK(isnan(wanted[i]) ? isnan(is) : fabs(is - wanted[i]) <= 1e-8 * fmax(1e-3, fabs(wanted[i])),
              "%s, row %zu: %.12g, not %.12g", what, i, is, wanted[i]);
    }
}

/* The script of a picture, to be freed. */
static inline char *slots_made(dlq_picture *draw, const void *subject)
{
    static const struct dlq_canvas canvas = {.width = 1600, .height = 900, .format = "png"};
    struct dlq_memory memory;
    struct dlq_error error = {0};
    dlq_memory_begin(&memory);
    struct dlq_slots slots = {.canvas = &canvas, .script = memory.stream, .error = &error};
    CHECK(draw(subject, &slots) == DLQ_OK, "%s", error.text);
    return dlq_memory_end(&memory);
}
