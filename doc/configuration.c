/* Of dlqueue.ini(5). */
#include "dlqueue/distributions.h"
#include "dlqueue/loaders.h"
#include "dlqueue/model.h"
#include "manual.h"
#include "scdoc.h"

#include <string.h>

/* Words beyond these have a section of their own, or a command that lists them. */
enum { MOST_WORDS = 4 };

static size_t count_words(const char *const *words)
{
    size_t count = 0;
    while (words != NULL && words[count] != NULL)
        count++;
    return count;
}

/* "_time_", "*auto*, *simulate* or *markov*", "_whole number_ or *unbounded*", "_list_ of *png*, *svg* or *pdf*" */
static void write_value(FILE *stream, const struct dlq_option_help *row)
{
    size_t words = count_words(row->words);
    bool listed = words > 0 && words <= MOST_WORDS;
    bool chosen = strcmp(row->kind, "word") == 0;
    if (!chosen || !listed)
        fprintf(stream, "_%s%s%s_%s", row->range ? "range of " : "", row->kind, row->range ? "s" : "",
                listed ? strcmp(row->kind, "list") == 0 ? " of " : " or " : "");
    for (size_t i = 0; listed && i < words; i++) {
        fprintf(stream, "%s*", i == 0 ? "" : i + 1 < words ? ", " : " or ");
        scdoc_plain(stream, row->words[i]);
        fprintf(stream, "*");
    }
}

/* "1 to 65535, default *1*", on a line of its own; scdoc keeps it in the paragraph that was begun. */
static void write_limits(FILE *stream, const struct dlq_option_help *row)
{
    bool limited = row->most[0] != '\0';
    if (limited || row->default_value != NULL)
        fprintf(stream, "++\n");
    if (limited)
        fprintf(stream, "%s to %s%s", row->least, row->most, row->default_value != NULL ? ", " : "");
    if (row->default_value != NULL) {
        fprintf(stream, "default *");
        scdoc_plain(stream, row->default_value);
        fprintf(stream, "*");
    }
}

static void write_key(FILE *stream, const struct dlq_option_help *row)
{
    fprintf(stream, "*");
    scdoc_plain(stream, row->key);
    fprintf(stream, "* = ");
    write_value(stream, row);
    fprintf(stream, "\n\t");
    scdoc_prose(stream, row->help);
    write_limits(stream, row);
    fprintf(stream, "\n\n");
}

void manual_sections(FILE *stream)
{
    struct dlq_option_help row;
    const char *section = "";
    for (size_t i = 0; dlq_option_help(i, &row); i++) {
        if (strcmp(section, row.section) != 0) {
            fprintf(stream, "## [%s]\n\n", row.section);
            scdoc_prose(stream, row.section_help);
            fprintf(stream, "\n\n");
        }
        section = row.section;
        write_key(stream, &row);
    }
}

void manual_loaders(FILE *stream)
{
    size_t count;
    const struct dlq_loader *loaders = dlq_loaders(&count);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "*%s*\n\t", loaders[i].name);
        scdoc_prose(stream, loaders[i].implementation);
        fprintf(stream, "++\ndelivered %s",
                loaders[i].order == DLQ_ORDER_INDEX ? "in the order of dispatch" : "as they finish");
        if (loaders[i].window != NULL) {
            fprintf(stream, "; window ");
            scdoc_plain(stream, loaders[i].window_rule);
        }
        if (loaders[i].prefetch_name != NULL) {
            fprintf(stream, ", where p is *");
            scdoc_plain(stream, loaders[i].prefetch_name);
            fprintf(stream, "* (default %ld)", loaders[i].prefetch);
        }
        fprintf(stream, "\n\n");
    }
}

void manual_distributions(FILE *stream)
{
    struct dlq_distribution_help row;
    for (size_t i = 0; dlq_distribution_help(i, &row); i++)
        scdoc_row(stream, row.name, row.parameters, row.help);
}
