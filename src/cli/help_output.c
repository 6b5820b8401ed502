/* dlqueue help output */
#include "dlqueue/text.h"
#include "fields.h"
#include "help.h"
#include "streams.h"

enum { NAMES = 28, KIND = 9 };

static void write_field(FILE *stream, const struct dlq_field *field)
{
    char lead[160], text[400];
    snprintf(lead, sizeof lead, "  %-*s %-*s ", NAMES, field->names, KIND, field->kind);
    dlq_text_wrap_item(stream, lead, dlq_field_say(field, text, sizeof text), dlq_streams_width(stream));
}

void dlq_help_output(FILE *stream)
{
    for (size_t i = 0; dlq_field_rule(i) != NULL; i++)
        dlq_text_wrap(stream, dlq_field_rule(i), 0, dlq_streams_width(stream));
    for (size_t i = 0; dlq_field_group(i) != NULL; i++) {
        const struct dlq_field_group *group = dlq_field_group(i);
        fprintf(stream, "\n%s\n", group->place);
        if (group->note != NULL)
            dlq_text_wrap(stream, group->note, 2, dlq_streams_width(stream));
        for (size_t k = 0; k < group->count; k++)
            write_field(stream, &group->rows[k]);
    }
}
