#include "scdoc.h"
#include "cli/command.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* scdoc takes a backslash before any of its own characters. */
static void put(FILE *stream, char letter)
{
    if (strchr("\\*_+#`[]|<>", letter) != NULL)
        fputc('\\', stream);
    fputc(letter, stream);
}

void scdoc_plain(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++)
        put(stream, *text);
}

static bool begins_option(const char *text, const char *at)
{
    return strncmp(at, "--", 2) == 0 && islower((unsigned char)at[2]) &&
           (at == text || !isalnum((unsigned char)at[-1]));
}

void scdoc_prose(FILE *stream, const char *text)
{
    bool quoted = false;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '`') {
            quoted = !quoted;
            fputc('*', stream);
        } else if (!quoted && begins_option(text, at)) {
            size_t length = 2 + strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-");
            fprintf(stream, "*%.*s*", (int)length, at);
            at += length - 1;
        } else {
            put(stream, *at);
        }
    }
}

void scdoc_arguments(FILE *stream, const char *text)
{
    bool inside = false;
    for (; *text != '\0'; text++) {
        bool word = isalpha((unsigned char)*text) != 0;
        if (word != inside)
            fputc('_', stream);
        inside = word;
        put(stream, *text);
    }
    if (inside)
        fputc('_', stream);
}

void scdoc_row(FILE *stream, const char *name, const char *beside, const char *prose)
{
    fprintf(stream, "*");
    scdoc_plain(stream, name);
    fprintf(stream, beside != NULL ? "*: " : "*");
    if (beside != NULL)
        scdoc_plain(stream, beside);
    fprintf(stream, "\n\t");
    scdoc_prose(stream, prose);
    fprintf(stream, "\n\n");
}

void scdoc_examples(FILE *stream, const struct dlq_example *example)
{
    for (; example->line != NULL; example++)
        scdoc_row(stream, example->line, NULL, example->comment);
}
