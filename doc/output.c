/* Of dlqueue(1): the fields of --json and --csv. */
#include "cli/output.h"
#include "manual.h"
#include "scdoc.h"

void manual_output(FILE *stream)
{
    const struct dlq_figures *group;
    struct dlq_figure_line line;
    for (size_t i = 0; dlq_figures_rules[i] != NULL; i++) {
        scdoc_prose(stream, dlq_figures_rules[i]);
        fprintf(stream, "\n\n");
    }
    for (size_t i = 0; (group = dlq_figures_group(i)) != NULL; i++) {
        fprintf(stream, "## %s\n\n", group->place); /* no character is special in a headline */
        if (group->note != NULL) {
            scdoc_prose(stream, group->note);
            fprintf(stream, "\n\n");
        }
        for (size_t row = 0; dlq_figures_line(group, &row, &line);)
            scdoc_row(stream, line.names, line.kind, line.meaning);
    }
}
