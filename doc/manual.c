/* dlqueue-manual < TEMPLATE: the template with each @name@ replaced by what the tables of the command say. */
#include "manual.h"
#include "scdoc.h"

#include <stdbool.h>
#include <string.h>

static void write_version(FILE *stream)
{
    fputs(DLQ_VERSION, stream);
}

static void write_examples_directory(FILE *stream)
{
    scdoc_plain(stream, DLQ_EXAMPLES);
}

static void write_probe(FILE *stream)
{
    scdoc_plain(stream, DLQ_PROBE);
}

static const struct {
    const char *name;
    void (*write)(FILE *stream);
} rows[] = {
    {"version", write_version},
    {"examples_directory", write_examples_directory},
    {"probe", write_probe},
    {"synopsis", manual_synopsis},
    {"examples", manual_examples},
    {"commands", manual_commands},
    {"options", manual_options},
    {"command_options", manual_command_options},
    {"formats", manual_formats},
    {"output", manual_output},
    {"exits", manual_exits},
    {"sections", manual_sections},
    {"loaders", manual_loaders},
    {"distributions", manual_distributions},
    {"completion_commands", completion_commands},
    {"completion_options", completion_options},
    {"completion_values", completion_values},
    {"completion_operands", completion_operands},
    {"completion_keys", completion_keys},
    {"completion_named", completion_named},
    {"completion_key_values", completion_key_values},
};

static bool write_row(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0) {
            rows[i].write(stdout);
            return true;
        }
    fprintf(stderr, "dlqueue-manual: the template names @%s@, which is unknown\n", name);
    return false;
}

/* The name behind an @, which is read; false, with what was read in `name`, where no name and no @ follow. */
static bool read_name(char *name, size_t size)
{
    size_t length = 0;
    int letter = getchar();
    for (; (letter == '_' || (letter >= 'a' && letter <= 'z')) && length + 2 < size; letter = getchar())
        name[length++] = (char)letter;
    name[length] = '\0';
    if (letter == '@' && length > 0)
        return true;
    if (letter != EOF)
        ungetc(letter, stdin);
    return false;
}

int main(void)
{
    char name[64];
    bool known = true;
    for (int letter = getchar(); letter != EOF; letter = getchar()) {
        if (letter != '@')
            putchar(letter);
        else if (!read_name(name, sizeof name))
            printf("@%s", name);
        else
            known = write_row(name) && known;
    }
    return known && !ferror(stdin) && fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
