/* dlqueue init: the commented configurations to start from, which are the files of src/cli/init. */
#include "base/option.h"
#include "report/embedded.h"
#include "report/figures.h"
#include "result_files.h"

#include <string.h>

static const struct dlq_embedded *find(const char *name, struct dlq_error *error)
{
    struct dlq_nearest nearest = {.name = name};
    for (const struct dlq_embedded *row = dlq_init_templates; row->name != NULL; row++) {
        if (strcmp(row->name, name) == 0)
            return row;
        dlq_nearest_offer(&nearest, row->name);
    }
    dlq_error_add(error, DLQ_INVALID, "init: '%s' is not one of pytorch, tfdata, mlperf%s%s%s", name,
                  nearest.best != NULL ? "; did you mean " : "", nearest.best != NULL ? nearest.best : "",
                  nearest.best != NULL ? "?" : "");
    return NULL;
}

enum dlq_status dlq_run_init(struct dlq_invocation *session)
{
    const char *name = session->operand_count > 0 ? session->operands[0] : "pytorch";
    const struct dlq_embedded *template = find(name, session->error);
    if (template == NULL)
        return DLQ_INVALID;
    if (session->args->json) {
        struct dlq_object object = dlq_object_of_command("init");
        dlq_object_text(&object, "name", template->name);
        dlq_object_text(&object, "config", (const char *)template->text);
        return dlq_result_object(session, &object);
    }
    fputs((const char *)template->text, session->out);
    return DLQ_OK;
}

void dlq_init_saved(const struct dlq_invocation *session)
{
    if (!session->args->json && !session->args->quiet)
        fprintf(stderr, "next: dlqueue solve %s\n", session->args->output);
}
