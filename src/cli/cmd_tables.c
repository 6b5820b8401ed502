/* dlqueue loaders, dlqueue distributions, dlqueue instances; dlqueue init: the configurations of src/cli/init. */
#include "base/option.h"
#include "dlqueue/distributions.h"
#include "dlqueue/instances.h"
#include "dlqueue/loaders.h"
#include "draw/embedded.h"
#include "output.h"
#include "report/report.h"
#include "result_files.h"

#include <string.h>

/* Takes the table. */
static enum dlq_status write_table(struct dlq_invocation *session, struct dlq_table *table, const char *next)
{
    if (session->args->csv || session->args->json)
        return dlq_result_rows(session, session->command->name, table);
    TRY(dlq_result_text(session, table));
    fprintf(session->out, "\nnext: dlqueue %s\n", next);
    return DLQ_OK;
}

enum dlq_status dlq_run_loaders(struct dlq_invocation *session)
{
    size_t count;
    const struct dlq_loader *rows = dlq_loaders(&count);
    struct dlq_table *table = dlq_result_table(&dlq_figures_loaders, rows, count, sizeof *rows, NULL);
    return write_table(session, table, "solve --loader pytorch --loaders 8 --load 700ms --step 100ms");
}

enum dlq_status dlq_run_distributions(struct dlq_invocation *session)
{
    struct dlq_distribution_help row;
    struct dlq_table *table = dlq_figures_table(&dlq_figures_distributions, NULL, 0);
    bool filled = table != NULL;
    for (size_t i = 0; filled && dlq_distribution_help(i, &row); i++)
        filled = dlq_figures_row(table, &dlq_figures_distributions, 0, &row, NULL);
    return write_table(session, dlq_table_whole(table, filled),
                       "solve --loaders 8 --load 700ms --step 100ms --set load.distribution=gamma --cv 0.6");
}

enum dlq_status dlq_run_instances(struct dlq_invocation *session)
{
    size_t count;
    const struct dlq_instance *rows = dlq_instances(&count);
    struct dlq_table *table = dlq_result_table(&dlq_figures_instances, rows, count, sizeof *rows, NULL);
    FILE *stream = session->out;
    if (session->args->csv || session->args->json)
        return dlq_result_rows(session, "instances", table);
    TRY(dlq_result_text(session, table));
    fputc('\n', stream);
    dlq_text_wrap(stream,
                  "vCPU are hyper-threads, of which two share a core; measure, or halve the number (--set "
                  "host.cores=48). $/h: on demand, in the region that the source names. -: not known.",
                  0, dlq_text_columns(stream));
    fprintf(stream, "\nSources\n");
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (strcmp(rows[first].source, rows[i].source) != 0)
            first++;
        if (first == i)
            dlq_text_wrap(stream, rows[i].source, 2, dlq_text_columns(stream));
    }
    fprintf(stream, "\nnext: dlqueue plan my.ini --set host.instance=p4d.24xlarge\n");
    return DLQ_OK;
}

enum dlq_status dlq_run_init(struct dlq_invocation *session)
{
    const char *name = session->operand_count > 0 ? session->operands[0] : "pytorch";
    struct dlq_nearest nearest = {.name = name};
    const struct dlq_embedded *template = dlq_init_templates;
    for (; template->name != NULL && strcmp(template->name, name) != 0; template ++)
        dlq_nearest_offer(&nearest, template->name);
    if (template->name == NULL)
        return dlq_error_add(session->error, DLQ_INVALID, "init: '%s' is not one of pytorch, tfdata, mlperf%s%s%s",
                             name, nearest.best != NULL ? "; did you mean " : "",
                             nearest.best != NULL ? nearest.best : "", nearest.best != NULL ? "?" : "");
    if (session->args->json) {
        struct dlq_object object = dlq_object_of_command("init");
        dlq_object_text(&object, "name", template->name);
        dlq_object_text(&object, "config", (const char *)template->text);
        return dlq_result_object(session, &object);
    }
    fputs((const char *)template->text, session->out);
    return DLQ_OK;
}
