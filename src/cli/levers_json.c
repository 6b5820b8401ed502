#include "levers_json.h"

static json_t *lever_json(const struct dlq_lever *lever)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_text(&object, "change", lever->change);
    dlq_object_estimate(&object, "throughput", lever->throughput);
    dlq_object_estimate(&object, "gain", lever->gain);
    dlq_object_flag(&object, "proven", lever->proven);
    return dlq_object_end(&object);
}

void dlq_levers_put(struct dlq_object *object, const struct dlq_levers *levers)
{
    dlq_object_list(object, "levers");
    for (size_t i = 0; i < levers->count; i++)
        dlq_object_append(object, "levers", lever_json(&levers->rows[i]));
}
