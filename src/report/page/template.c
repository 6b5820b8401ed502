/* Fills the slots of an HTML template. */
#include "report/page/page.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 5 }; /* the page and at most four open sections */

struct filling {
    FILE *stream;
    const json_t *of[DEPTH]; /* the slots, then the elements of the open sections */
    struct dlq_error *error;
};

static void write_text(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        bool control = (unsigned char)*text < ' ' && *text != '\n' && *text != '\t';
        const char *escaped = *text == '&'    ? "&amp;"
                              : *text == '<'  ? "&lt;"
                              : *text == '>'  ? "&gt;"
                              : *text == '"'  ? "&quot;"
                              : *text == '\'' ? "&#39;"
                              : control       ? "\xef\xbf\xbd" /* U+FFFD */
                                              : NULL;
        if (escaped != NULL)
            fputs(escaped, stream);
        else
            fputc(*text, stream);
    }
}

/* In JSON < > and & occur in strings only, where escapes mean the same. */
static enum dlq_status write_data(FILE *stream, const json_t *data, struct dlq_error *error)
{
    char *all = json_dumps(data, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
    if (all == NULL)
        return dlq_error_memory(error, "writing a page");
    for (const char *text = all; *text != '\0'; text++)
        if (*text == '<' || *text == '>' || *text == '&')
            fprintf(stream, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            fputc(*text, stream);
    free(all);
    return DLQ_OK;
}

/* Writes the text up to `stop`. A section contains no section of its own name, so the first end with that name counts.
 */
static enum dlq_status fill(struct filling *filling, const char *text, const char *stop, int depth)
{
    for (const char *open; (open = strstr(text, "{{")) != NULL && open < stop;) {
        bool opens = open[2] == '#', markup = open[2] == '&';
        const char *name = open + 2 + (opens || markup), *close = strstr(name, "}}"), *end = close;
        const json_t *slot = name[0] == '.' ? filling->of[depth - 1] : NULL;
        char key[64], tag[80];
        fwrite(text, 1, (size_t)(open - text), filling->stream);
        snprintf(key, sizeof key, "%.*s", close != NULL ? (int)(close - name) : 2, name);
        snprintf(tag, sizeof tag, "{{/%s}}", key);
        for (int d = depth; d-- > 0 && slot == NULL;)
            slot = json_object_get(filling->of[d], key);
        bool list = json_is_array(slot), given = json_is_string(slot);
        if (opens && close != NULL)
            end = strstr(close, tag);
        if (end == NULL || end >= stop || slot == NULL || (opens ? !(list || given) || depth == DEPTH : list))
            return dlq_error_add(filling->error, DLQ_FAILURE, "the template of the page has a slot without a value: %s",
                                 key);
        text = end + (opens ? strlen(tag) : 2);
        size_t count = list ? json_array_size(slot) : opens && json_string_length(slot) > 0;
        for (size_t i = 0; i < count; i++) {
            filling->of[depth] = list ? json_array_get(slot, i) : slot;
            TRY(fill(filling, close + 2, end, depth + 1));
        }
        if (json_is_object(slot))
            TRY(write_data(filling->stream, slot, filling->error));
        else if (given && markup)
            fputs(json_string_value(slot), filling->stream);
        else if (given && !opens)
            write_text(filling->stream, json_string_value(slot));
    }
    fwrite(text, 1, (size_t)(stop - text), filling->stream);
    return DLQ_OK;
}

enum dlq_status dlq_page_fill(FILE *stream, const char *text, const json_t *slots, struct dlq_error *error)
{
    struct filling filling = {.stream = stream, .of = {slots}, .error = error};
    return fill(&filling, text, text + strlen(text), 1);
}
