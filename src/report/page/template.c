/* Templates of HTML: slots filled in one pass. */
#include "report/page/page.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 5 };

struct filling {
    FILE *stream;
    const json_t *of[DEPTH]; /* the slots, and the elements of the sections that are being written */
    struct dlq_error *error;
};

static const char *wrong(const struct filling *filling, const char *name, size_t length)
{
    dlq_error_add(filling->error, DLQ_FAILURE, "the template of the page has a slot without a value: %.*s", (int)length,
                  name);
    return NULL;
}

static void write_text(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        bool control = (unsigned char)*text < ' ' && *text != '\n' && *text != '\t';
        const char *escaped = *text == '&'    ? "&amp;"
                              : *text == '<'  ? "&lt;"
                              : *text == '>'  ? "&gt;"
                              : *text == '"'  ? "&quot;"
                              : *text == '\'' ? "&#39;"
                              : control       ? "\xef\xbf\xbd"
                                              : NULL;
        if (escaped != NULL)
            fputs(escaped, stream);
        else
            fputc(*text, stream);
    }
}

/* JSON has these characters within strings alone, where the escapes mean the same. */
static enum dlq_status write_data(FILE *stream, const json_t *data, struct dlq_error *error)
{
    char *all = json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(9));
    if (all == NULL)
        return dlq_error_memory(error, "writing a page");
    for (const char *text = all; *text != '\0'; text++) {
        if (*text == '<' || *text == '>' || *text == '&')
            fprintf(stream, "\\u%04x", (unsigned)(unsigned char)*text);
        else if (strncmp(text, "\xe2\x80\xa8", 3) == 0 || strncmp(text, "\xe2\x80\xa9", 3) == 0) {
            fprintf(stream, "\\u%04x", text[2] == '\xa8' ? 0x2028U : 0x2029U);
            text += 2;
        } else
            fputc(*text, stream);
    }
    free(all);
    return DLQ_OK;
}

/* Writes up to the end of the section of that name (null: of the text), and returns what is behind it; null: an error.
   silent: writes nothing. */
static const char *fill(struct filling *filling, const char *text, const char *section, size_t length, int depth,
                        bool silent)
{
    while (true) {
        const char *open = strstr(text, "{{"), *close = open != NULL ? strstr(open, "}}") : NULL;
        fwrite(text, 1, silent ? 0 : open != NULL ? (size_t)(open - text) : strlen(text), filling->stream);
        if (close == NULL)
            return open == NULL && section == NULL
                       ? text
                       : wrong(filling, open != NULL ? open : section, open != NULL ? 2 : length);
        bool opens = open[2] == '#', ends = open[2] == '/', markup = open[2] == '&', itself = open[2] == '.';
        const char *name = open + 2 + (opens || ends || markup);
        size_t size = (size_t)(close - name), count = 0;
        const json_t *slot = itself ? filling->of[depth - 1] : NULL;
        char key[64];
        text = close + 2;
        if (ends && section != NULL && size == length && strncmp(name, section, size) == 0)
            return text;
        snprintf(key, sizeof key, "%.*s", (int)size, name);
        for (int d = depth; d-- > 0 && slot == NULL;)
            slot = json_object_get(filling->of[d], key);
        bool list = json_is_array(slot), given = json_is_string(slot);
        bool section_of = list || given; /* what may be a section */
        if (ends || (!silent && (slot == NULL || (opens ? !section_of || depth == DEPTH : list))))
            return wrong(filling, name, size);
        if (!silent && opens)
            count = list ? json_array_size(slot) : json_string_length(slot) > 0;
        for (size_t i = 0; opens && (i < count || i == 0); i++) {
            if (count > 0)
                filling->of[depth] = list ? json_array_get(slot, i) : slot;
            close = fill(filling, text, name, size, depth + (count > 0), count == 0);
            if (close == NULL)
                return NULL;
        }
        if (opens)
            text = close;
        else if (!silent && json_is_object(slot) && write_data(filling->stream, slot, filling->error) != DLQ_OK)
            return NULL;
        else if (!silent && given && markup)
            fputs(json_string_value(slot), filling->stream);
        else if (!silent && given)
            write_text(filling->stream, json_string_value(slot));
    }
}

enum dlq_status dlq_page_fill(FILE *stream, const char *text, const json_t *slots, struct dlq_error *error)
{
    struct filling filling = {.stream = stream, .of = {slots}, .error = error};
    return fill(&filling, text, NULL, 0, 1, false) != NULL ? DLQ_OK : DLQ_FAILURE;
}
