/* Reads a gnuplot script as gnuplot 5.4 does, as far as it takes to see where texts end and commands begin. */
#ifndef TESTS_FUZZ_SCRIPT_H
#define TESTS_FUZZ_SCRIPT_H

#include "base/utf8.h"
#include "target.h"

#include <stdbool.h>
#include <string.h>

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

/* "$NAME << END_OF_DATA", numbers, "END_OF_DATA"; where what follows begins, or null. */
static inline const char *script_data_end(const char *at)
{
    static const char begin[] = " << END_OF_DATA\n", last[] = "END_OF_DATA\n";
    at += 1 + strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    if (strncmp(at, begin, sizeof begin - 1) != 0)
        return NULL;
    for (at += sizeof begin - 1; strncmp(at, last, sizeof last - 1) != 0;) {
        at += strspn(at, "0123456789+-.eNa ");
        if (*at++ != '\n')
            return NULL;
    }
    return at + sizeof last - 1;
}

/* A number, an index or a color is a 0: which one does not matter. */
static inline const char *script_number_end(const char *at)
{
    return at + strspn(at, *at == '#' ? "#0123456789abcdef" : "+-.0123456789");
}

/* The commands of a script, a line each between a first and a last newline, without texts, numbers and data; owned.
   Null where a text or a block of data does not end as it should, or something that runs commands stands outside. */
static inline char *script_commands(const char *at)
{
    char *commands = malloc(3 * strlen(at) + 3), *out = commands;
    if (commands == NULL)
        abort();
    *out++ = '\n';
    while (at != NULL && *at != '\0') {
        if (*at == '$' && out[-1] == '\n') {
            at = script_data_end(at);
        } else if (*at == '"') {
            at = script_double(at);
            *out++ = '"';
            *out++ = '"';
        } else if (*at == '\\' && at[1] == '\n') { /* each line of a long command by itself */
            at++;
        } else if (*at != '\n' && (*at < ' ' || *at > '~' || strchr("`!;|@{}\\", *at) != NULL)) {
            at = NULL;
        } else if (strchr("#+-.0123456789", *at) != NULL) {
            at = script_number_end(at);
            *out++ = '0';
        } else {
            *out++ = *at++;
        }
    }
    if (out[-1] != '\n')
        *out++ = '\n';
    *out = '\0';
    if (at != NULL)
        return commands;
    free(commands);
    return NULL;
}

/* The first line of the commands that is not among the known ones, or null. */
static inline const char *script_foreign(const char *commands, const char *known)
{
    static char line[4096];
    for (const char *at = commands; at[1] != '\0'; at = strchr(at + 1, '\n')) {
        size_t length = (size_t)(strchr(at + 1, '\n') - at) + 1;
        if (length >= sizeof line)
            return at;
        memcpy(line, at, length);
        line[length] = '\0';
        if (strstr(known, line) == NULL)
            return line;
    }
    return NULL;
}

#endif
