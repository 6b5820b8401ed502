/* dlqueue loaders, distributions and instances: tables; dlqueue init: a configuration of src/cli/init. */
#include "base/option.h"
#include "dlqueue/distributions.h"
#include "dlqueue/instances.h"
#include "dlqueue/loaders.h"
#include "output.h"
#include "result_files.h"

#include <string.h>

/* Prints the table and frees it. */
static enum dlq_status write_table(struct dlq_invocation *invocation, struct dlq_table *table, const char *next)
{
    TRY(dlq_result_rows(invocation, invocation->command->name, table));
    if (!invocation->args->csv && !invocation->args->json)
        fprintf(invocation->out, "\nnext: dlqueue %s\n", next);
    return DLQ_OK;
}

enum dlq_status dlq_run_loaders(struct dlq_invocation *invocation)
{
    size_t count;
    const struct dlq_loader *rows = dlq_loaders(&count);
    struct dlq_table *table = dlq_result_table(&dlq_figures_loaders, rows, count, sizeof *rows, NULL);
    return write_table(invocation, table, "solve --loader pytorch --loaders 8 --load 700ms --step 100ms");
}

enum dlq_status dlq_run_distributions(struct dlq_invocation *invocation)
{
    struct dlq_distribution_help row;
    struct dlq_table *table = dlq_figures_table(&dlq_figures_distributions, NULL, 0);
    bool filled = table != NULL;
    for (size_t i = 0; filled && dlq_distribution_help(i, &row); i++)
        filled = dlq_figures_row(table, &dlq_figures_distributions, 0, &row, NULL);
    return write_table(invocation, dlq_table_whole(table, filled),
                       "solve --loaders 8 --load 700ms --step 100ms --set load.distribution=gamma --cv 0.6");
}

enum dlq_status dlq_run_instances(struct dlq_invocation *invocation)
{
    size_t count;
    const struct dlq_instance *rows = dlq_instances(&count);
    struct dlq_table *table = dlq_result_table(&dlq_figures_instances, rows, count, sizeof *rows, NULL);
    FILE *stream = invocation->out;
    TRY(dlq_result_rows(invocation, "instances", table));
    if (invocation->args->csv || invocation->args->json)
        return DLQ_OK;
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

enum dlq_status dlq_run_init(struct dlq_invocation *invocation)
{
    const char *name = invocation->operand_count > 0 ? invocation->operands[0] : "pytorch";
    struct dlq_nearest nearest = {.name = name};
    const struct dlq_embedded *template = dlq_init_templates;
    for (; template->name != NULL && strcmp(template->name, name) != 0; template ++)
        dlq_nearest_offer(&nearest, template->name);
    if (template->name == NULL)
        return dlq_error_add(invocation->error, DLQ_INVALID,
                             "init: '%s' is not one of pytorch, tfdata, mlperf, cluster%s%s%s", name,
                             nearest.best != NULL ? "; did you mean " : "", nearest.best != NULL ? nearest.best : "",
                             nearest.best != NULL ? "?" : "");
    if (invocation->args->json) {
        struct dlq_object object = dlq_object_of_command("init");
        dlq_object_text(&object, "name", template->name);
        dlq_object_text(&object, "config", (const char *)template->text);
        return dlq_result_object(invocation, &object);
    }
    fputs((const char *)template->text, invocation->out);
    return DLQ_OK;
}
