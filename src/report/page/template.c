/* Templates of HTML: slots filled in one pass. */
#include "report/page/page.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 4 };

/* The slots of the section that is being written, and of those around it. */
struct scope {
    const json_t *of[DEPTH];
    int depth;
};

/* Null: nothing has that name. */
static const json_t *find(const struct scope *scope, const char *name, size_t length)
{
    const json_t *found = NULL;
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)length, name);
    for (int d = scope->depth; d-- > 0 && found == NULL;)
        found = json_object_get(scope->of[d], key);
    return found;
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

/* The end of the section that begins before `text`: its "{{/name}}"; null: it has none. */
static const char *end_of(const char *text, const char *end, const char *name, size_t length)
{
    for (; text + length + 5 <= end; text++)
        if (strncmp(text, "{{/", 3) == 0 && strncmp(text + 3, name, length) == 0 &&
            strncmp(text + 3 + length, "}}", 2) == 0)
            return text;
    return NULL;
}

static enum dlq_status fill(FILE *stream, const char *text, const char *end, const struct scope *scope,
                            struct dlq_error *error)
{
    enum dlq_status status = DLQ_OK;
    while (text < end && status == DLQ_OK) {
        const char *open = strstr(text, "{{");
        if (open == NULL || open >= end)
            open = end;
        fwrite(text, 1, (size_t)(open - text), stream);
        if (open == end)
            break;
        bool section = open[2] == '#', markup = open[2] == '&';
        const char *name = open + 2 + (section || markup), *close = strstr(name, "}}");
        size_t length = close == NULL ? 0 : (size_t)(close - name);
        const json_t *slot = close == NULL ? NULL : find(scope, name, length);
        const char *after = slot != NULL && section ? end_of(close + 2, end, name, length) : close;
        if (slot == NULL || after == NULL || section != json_is_array(slot))
            return dlq_error_add(error, DLQ_FAILURE, "the template of the page has a slot without a value: %.*s",
                                 (int)length, name);
        struct scope inner = *scope;
        inner.depth++;
        for (size_t i = 0; i < json_array_size(slot) && status == DLQ_OK && inner.depth <= DEPTH; i++) {
            inner.of[scope->depth] = json_array_get(slot, i);
            status = fill(stream, close + 2, after, &inner, error);
        }
        const char *value = json_is_string(slot) ? json_string_value(slot) : "";
        if (json_is_object(slot))
            status = write_data(stream, slot, error);
        else if (markup)
            fputs(value, stream);
        else
            write_text(stream, value);
        text = section ? after + 5 + length : close + 2;
    }
    return status;
}

enum dlq_status dlq_page_fill(FILE *stream, const char *text, const json_t *slots, struct dlq_error *error)
{
    const struct scope scope = {.of = {slots}, .depth = 1};
    return fill(stream, text, text + strlen(text), &scope, error);
}
