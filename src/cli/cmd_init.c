/* dlqueue init: configurations to start from. */
#include "base/option.h"
#include "command.h"
#include "draw/memory.h"
#include "report/object.h"
#include "templates.h"

#include <stdlib.h>
#include <string.h>

static const struct dlq_template *find(const char *name, struct dlq_error *error)
{
    size_t count;
    const struct dlq_template *templates = dlq_templates(&count);
    struct dlq_nearest nearest = {.name = name};
    for (size_t i = 0; i < count; i++) {
        if (strcmp(templates[i].name, name) == 0)
            return &templates[i];
        dlq_nearest_offer(&nearest, templates[i].name);
    }
    dlq_error_add(error, DLQ_INVALID, "init: '%s' is not one of pytorch, tfdata, mlperf%s%s%s", name,
                  nearest.best != NULL ? "; did you mean " : "", nearest.best != NULL ? nearest.best : "",
                  nearest.best != NULL ? "?" : "");
    return NULL;
}

static void write_lines(FILE *stream, const struct dlq_template *template)
{
    for (size_t i = 0; template->lines[i] != NULL; i++)
        fprintf(stream, "%s\n", template->lines[i]);
}

static enum dlq_status write_json(struct dlq_session *session, const struct dlq_template *template)
{
    struct dlq_memory memory;
    if (!dlq_memory_begin(&memory))
        return dlq_error_memory(session->error, "writing a configuration");
    write_lines(memory.stream, template);
    char *text = dlq_memory_end(&memory);
    if (text == NULL)
        return dlq_error_memory(session->error, "writing a configuration");
    struct dlq_object object = dlq_object_of_command("init");
    dlq_object_text(&object, "name", template->name);
    dlq_object_text(&object, "config", text);
    free(text);
    return dlq_json_write(dlq_object_end(&object), session->out, session->error);
}

enum dlq_status dlq_run_init(struct dlq_session *session)
{
    const char *name = session->operand_count > 0 ? session->operands[0] : "pytorch";
    const struct dlq_template *template = find(name, session->error);
    if (template == NULL)
        return DLQ_INVALID;
    if (session->args->json)
        return write_json(session, template);
    write_lines(session->out, template);
    return DLQ_OK;
}

void dlq_init_saved(const struct dlq_session *session)
{
    if (!session->args->json && !session->args->quiet)
        fprintf(stderr, "next: dlqueue solve %s\n", session->args->output);
}
