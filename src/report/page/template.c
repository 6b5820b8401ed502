/* Templates of HTML: slots filled in one pass. */
#include "report/page/page.h"

#include <stdbool.h>
#include <string.h>

enum { DEPTH = 4 };

/* The slots of the section that is being written, and of those around it. */
struct scope {
    const struct dlq_page_slots *of[DEPTH];
    int depth;
};

static const struct dlq_page_slot *find(const struct scope *scope, const char *name, size_t length)
{
    for (int d = scope->depth; d-- > 0;)
        for (size_t i = 0; i < scope->of[d]->count; i++) {
            const struct dlq_page_slot *slot = &scope->of[d]->slots[i];
            if (strlen(slot->name) == length && strncmp(slot->name, name, length) == 0)
                return slot;
        }
    return NULL;
}

/* Bytes of the UTF-8 character at `text`; 0: it is none. */
static size_t utf8_length(const unsigned char *text)
{
    size_t more = text[0] < 0x80                      ? 0
                  : text[0] >= 0xc2 && text[0] < 0xe0 ? 1
                  : (text[0] & 0xf0) == 0xe0          ? 2
                  : text[0] >= 0xf0 && text[0] < 0xf5 ? 3
                                                      : 9;
    if (more == 9)
        return 0;
    for (size_t i = 1; i <= more; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    bool outside = (text[0] == 0xed && text[1] >= 0xa0) || (text[0] == 0xf4 && text[1] >= 0x90);
    return overlong || outside ? 0 : more + 1;
}

static void write_text(FILE *stream, const char *text)
{
    for (size_t length; *text != '\0'; text += length > 0 ? length : 1) {
        length = utf8_length((const unsigned char *)text);
        bool control = (unsigned char)*text < ' ' && *text != '\n' && *text != '\t';
        const char *escaped = *text == '&'    ? "&amp;"
                              : *text == '<'  ? "&lt;"
                              : *text == '>'  ? "&gt;"
                              : *text == '"'  ? "&quot;"
                              : *text == '\'' ? "&#39;"
                                              : NULL;
        if (escaped != NULL)
            fputs(escaped, stream);
        else if (length == 0 || control || *text == 0x7f)
            fputs("\xef\xbf\xbd", stream);
        else
            fwrite(text, 1, length, stream);
    }
}

/* JSON has these characters within strings alone, where the escapes mean the same. */
static void write_data(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<' || *text == '>' || *text == '&')
            fprintf(stream, "\\u%04x", (unsigned)(unsigned char)*text);
        else if (strncmp(text, "\xe2\x80\xa8", 3) == 0 || strncmp(text, "\xe2\x80\xa9", 3) == 0) {
            fprintf(stream, "\\u%04x", text[2] == '\xa8' ? 0x2028U : 0x2029U);
            text += 2;
        } else
            fputc(*text, stream);
    }
}

static enum dlq_status fill(FILE *stream, const char *text, const char *end, struct scope *scope,
                            struct dlq_error *error);

/* The end of the section that begins before `text`: its "{{/name}}"; null: it has none. */
static const char *end_of(const char *text, const char *end, const char *name, size_t length)
{
    for (; text + length + 5 <= end; text++)
        if (strncmp(text, "{{/", 3) == 0 && strncmp(text + 3, name, length) == 0 &&
            strncmp(text + 3 + length, "}}", 2) == 0)
            return text;
    return NULL;
}

static enum dlq_status fill_section(FILE *stream, const struct dlq_page_slot *slot, const char *text, const char *end,
                                    struct scope *scope, struct dlq_error *error)
{
    struct scope inner = *scope;
    enum dlq_status status = DLQ_OK;
    inner.depth++;
    for (size_t i = 0; i < slot->count && status == DLQ_OK && inner.depth <= DEPTH; i++) {
        inner.of[scope->depth] = &slot->items[i];
        status = fill(stream, text, end, &inner, error);
    }
    return status;
}

static enum dlq_status fill(FILE *stream, const char *text, const char *end, struct scope *scope,
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
        const char *name = open + 2 + (open[2] == '#'), *close = strstr(name, "}}");
        size_t length = close == NULL ? 0 : (size_t)(close - name);
        const struct dlq_page_slot *slot = close == NULL ? NULL : find(scope, name, length);
        const char *after = slot != NULL && open[2] == '#' ? end_of(close + 2, end, name, length) : close;
        if (slot == NULL || after == NULL || (open[2] == '#') != (slot->kind == DLQ_SLOT_SECTION))
            return dlq_error_add(error, DLQ_FAILURE, "the template of the page has a slot without a value: %.*s",
                                 (int)length, name);
        const char *value = slot->text == NULL ? "" : slot->text;
        if (slot->kind == DLQ_SLOT_SECTION)
            status = fill_section(stream, slot, close + 2, after, scope, error);
        else if (slot->kind == DLQ_SLOT_TEXT)
            write_text(stream, value);
        else if (slot->kind == DLQ_SLOT_DATA)
            write_data(stream, value);
        else
            fputs(value, stream);
        text = slot->kind == DLQ_SLOT_SECTION ? after + 5 + length : close + 2;
    }
    return status;
}

enum dlq_status dlq_page_fill(FILE *stream, const char *text, const struct dlq_page_slots *slots,
                              struct dlq_error *error)
{
    struct scope scope = {.of = {slots}, .depth = 1};
    return fill(stream, text, text + strlen(text), &scope, error);
}
