/* Of dlqueue(1): the fields of --json and --csv. */
#include "cli/fields.h"
#include "manual.h"
#include "scdoc.h"

static void write_field(FILE *stream, const struct dlq_field *field)
{
    char text[400];
    scdoc_row(stream, field->names, field->kind, dlq_field_say(field, text, sizeof text));
}

void manual_output(FILE *stream)
{
    for (size_t i = 0; dlq_field_rule(i) != NULL; i++) {
        scdoc_prose(stream, dlq_field_rule(i));
        fprintf(stream, "\n\n");
    }
    for (size_t i = 0; dlq_field_group(i) != NULL; i++) {
        const struct dlq_field_group *group = dlq_field_group(i);
        fprintf(stream, "## %s\n\n", group->place); /* no character is special in a headline */
        if (group->note != NULL) {
            scdoc_prose(stream, group->note);
            fprintf(stream, "\n\n");
        }
        for (size_t k = 0; k < group->count; k++)
            write_field(stream, &group->rows[k]);
    }
}
