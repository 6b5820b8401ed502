/* dlqueue help output */
#include "draw/text.h"
#include "help.h"
#include "report/figures.h"
#include "report/report.h"
#include "streams.h"

enum { NAMES = 28, KIND = 9 };

void dlq_help_output(FILE *stream)
{
    const struct dlq_figures *group;
    struct dlq_figure_line line;
    char lead[160];
    for (size_t i = 0; dlq_figures_rule(i) != NULL; i++)
        dlq_text_wrap(stream, dlq_figures_rule(i), 0, dlq_report_width(stream));
    for (size_t i = 0; (group = dlq_figures_group(i)) != NULL; i++) {
        fprintf(stream, "\n%s\n", group->place);
        if (group->note != NULL)
            dlq_text_wrap(stream, group->note, 2, dlq_report_width(stream));
        for (size_t row = 0; dlq_figures_line(group, &row, &line);) {
            snprintf(lead, sizeof lead, "  %-*s %-*s ", NAMES, line.names, KIND, line.kind);
            dlq_text_wrap_item(stream, lead, line.meaning, dlq_report_width(stream));
        }
    }
}
