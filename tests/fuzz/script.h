/* Reads a gnuplot script as gnuplot 5.4 does, as far as it takes to see where texts end and commands begin. */
#ifndef TESTS_FUZZ_SCRIPT_H
#define TESTS_FUZZ_SCRIPT_H

#include "base/utf8.h"
#include "target.h"

#include <stdbool.h>
#include <string.h>

/* The commands of a script, one string each: without texts and comments, every number a 0, equal neighbors in a list
   one. What was wrong, or null. */
struct script {
    char **commands; /* owned; sorted, each once */
    size_t count, capacity;
    const char *fault;
};

static inline void script_free(struct script *script)
{
    for (size_t i = 0; i < script->count; i++)
        free(script->commands[i]);
    free(script->commands);
    *script = (struct script){0};
}

static inline bool script_has(const struct script *script, const char *command)
{
    size_t low = 0, high = script->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(script->commands[middle], command);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static inline void script_keep(struct script *script, const char *command)
{
    size_t place = 0;
    if (script_has(script, command))
        return;
    if (script->count == script->capacity) {
        script->capacity = 2 * script->capacity + 64;
        script->commands = realloc(script->commands, script->capacity * sizeof *script->commands);
        if (script->commands == NULL)
            abort();
    }
    while (place < script->count && strcmp(script->commands[place], command) < 0)
        place++;
    memmove(script->commands + place + 1, script->commands + place, (script->count - place) * sizeof *script->commands);
    script->commands[place] = strdup(command);
    script->count++;
}

static inline bool script_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A double-quoted text: a backslash and octal digits are a byte, four digits behind a leading 0 and else three. Where
   it ends; null: it does not, or holds what can run a command, draw something else, or is no UTF-8. */
static inline const char *script_double(const char *at)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,.:;=+()/-";
    enum { MOST = 4096 };
    char text[MOST];
    size_t used = 0;
    for (at++; *at != '"'; used++) {
        unsigned byte = (unsigned char)*at;
        if (*at == '\0' || *at == '\n' || used + 1 == MOST)
            return NULL;
        if (*at == '\\') {
            int digits = at[1] == '0' ? 4 : 3;
            byte = 0;
            for (int i = 1; i <= digits; i++) {
                if (at[i] < '0' || at[i] > '7')
                    return NULL;
                byte = byte * 8 + (unsigned)(at[i] - '0');
            }
            at += digits + 1;
        } else if (*at == '%' && at[1] == '%') { /* of our own tics, which gnuplot takes as formats */
            at += 2;
        } else if (strchr(plain, *at++) == NULL) {
            return NULL;
        }
        if (byte < ' ' || byte > 0xff)
            return NULL;
        text[used] = (char)byte;
    }
    text[used] = '\0';
    return dlq_utf8_valid(text) ? at + 1 : NULL;
}

/* Of our own making alone: names of fonts and colors. */
static inline const char *script_single(const char *at)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,.:;=+()/-#%";
    size_t length = strspn(at + 1, plain);
    return at[length + 1] == '\'' && at[length + 2] != '\'' ? at + length + 2 : NULL;
}

/* "1e-5", ".5"; a minus is left: whether there is one does not matter, as little as the number does. */
static inline const char *script_number_end(const char *at)
{
    at += strspn(at, "0123456789.");
    if (*at == 'e' && (script_digit(at[1]) || ((at[1] == '-' || at[1] == '+') && script_digit(at[2]))))
        for (at += 2; script_digit(*at);)
            at++;
    return at;
}

/* A name goes on with digits: "x2tics", "$series12". */
static inline bool script_in_name(const char *out, size_t used)
{
    return used > 0 && (strchr("_$", out[used - 1]) != NULL || (out[used - 1] >= 'A' && out[used - 1] <= 'Z') ||
                        (out[used - 1] >= 'a' && out[used - 1] <= 'z'));
}

/* Lists: "0, 0, 0" is "0", and so on with any element. */
static inline void script_shorten(char *command)
{
    for (char *at = command; *at != '\0';) {
        char *comma = strchr(at, ',');
        size_t length = comma == NULL ? 0 : (size_t)(comma - at);
        const char *next = comma == NULL ? NULL : comma + 1 + strspn(comma + 1, " ");
        if (next == NULL)
            return;
        /* The element before the comma, as far back as one that is equal behind it goes. */
        size_t same = 0;
        while (same < length && strncmp(at + same, next, length - same) != 0)
            same++;
        size_t element = length - same;
        char end = element > 0 ? next[element] : 'x';
        if (element > 0 && strchr(",) ]\n", end) != NULL)
            memmove(comma, next + element, strlen(next + element) + 1);
        else
            at = comma + 1;
    }
}

/* One command, up to the end of its line; where the next begins, or null with the fault. */
static inline const char *script_command(const char *at, char *out, size_t size, const char **fault)
{
    size_t used = 0;
    *fault = NULL;
    while (*fault == NULL && *at != '\0' && *at != '\n' && used + 4 < size) {
        const char *end = at + 1;
        if (*at == '"' || *at == '\'') {
            end = *at == '"' ? script_double(at) : script_single(at);
            out[used++] = '"';
            out[used++] = '"';
            if (end == NULL)
                *fault = "a text";
        } else if (*at == '#') {
            end = at + strcspn(at, "\n");
        } else if (*at == '\\' && at[1] == '\n') {
            end = at + 2;
        } else if ((script_digit(*at) || (*at == '.' && script_digit(at[1]))) && !script_in_name(out, used)) {
            end = script_number_end(at);
            if (used > 0 && out[used - 1] == '-' && (used < 2 || strchr(" ,:[(", out[used - 2]) != NULL))
                used--;
            out[used++] = '0';
        } else if (script_digit(*at)) {
            end = at + strspn(at, "0123456789");
            if (used > 0 && out[used - 1] != 'N')
                out[used++] = '0';
        } else {
            if ((unsigned char)*at < ' ' || (unsigned char)*at > '~' || strchr("`!;|@{}\\", *at) != NULL)
                *fault = "a character outside of texts";
            out[used++] = *at;
        }
        at = end;
    }
    while (used > 0 && out[used - 1] == ' ')
        used--;
    out[used] = '\0';
    if (*fault == NULL && used + 4 >= size)
        *fault = "a command without end";
    return *fault != NULL ? NULL : at + (*at == '\n');
}

/* "$NAME << END_OF_DATA", numbers, "END_OF_DATA"; where what follows begins, or null. */
static inline const char *script_data_end(const char *at)
{
    static const char begin[] = " << END_OF_DATA\n", last[] = "END_OF_DATA\n";
    at += 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (strncmp(at, begin, sizeof begin - 1) != 0)
        return NULL;
    for (at += sizeof begin - 1; strncmp(at, last, sizeof last - 1) != 0;) {
        at += strspn(at, "0123456789+-.eNa ");
        if (*at++ != '\n')
            return NULL;
    }
    return at + sizeof last - 1;
}

/* Each "plot $a ..., $b ..." as one of its own: which of them a chart has is up to what is drawn. */
static inline void script_keep_plots(struct script *script, char *command)
{
    static const char plot[] = "plot ";
    while (strncmp(command, plot, sizeof plot - 1) == 0) {
        char *comma = strstr(command, ", ");
        while (comma != NULL && comma[1 + strspn(comma + 1, " ")] != '$')
            comma = strstr(comma + 1, ", ");
        if (comma == NULL)
            break;
        *comma = '\0';
        script_keep(script, command);
        command = comma + 1 + strspn(comma + 1, " ") - (sizeof plot - 1);
        memcpy(command, plot, sizeof plot - 1);
    }
    script_keep(script, command);
}

static inline struct script script_read(const char *text)
{
    enum { MOST = 65536 };
    static char command[MOST];
    struct script script = {0};
    while (text != NULL && *text != '\0' && script.fault == NULL) {
        if (*text == '$') {
            text = script_data_end(text);
            script.fault = text == NULL ? "a block of data" : NULL;
            continue;
        }
        text = script_command(text, command, sizeof command, &script.fault);
        script_shorten(command);
        if (script.fault == NULL)
            script_keep_plots(&script, command);
    }
    return script;
}

#endif
