/* dlqueue init: the commented configurations to start from, which are the files of src/cli/init. */
#include "base/option.h"
#include "report/embedded.h"
#include "report/figures.h"
#include "result_files.h"

#include <string.h>

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
