#include "report/object.h"

struct dlq_object dlq_object_new(void)
{
    json_t *json = json_object();
    return (struct dlq_object){.json = json, .failed = json == NULL};
}

struct dlq_object dlq_object_of_command(const char *name)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_text(&object, "dlqueue", DLQ_VERSION);
    dlq_object_text(&object, "command", name);
    return object;
}

void dlq_object_put(struct dlq_object *object, const char *key, json_t *value)
{
    if (json_object_set_new(object->json, key, value) != 0)
        object->failed = true;
}

void dlq_object_number(struct dlq_object *object, const char *key, double value)
{
    dlq_object_put(object, key, dlq_json_number(value));
}

void dlq_object_text(struct dlq_object *object, const char *key, const char *value)
{
    dlq_object_put(object, key, dlq_json_text(value));
}

void dlq_object_flag(struct dlq_object *object, const char *key, bool value)
{
    dlq_object_put(object, key, json_boolean(value));
}

void dlq_object_list(struct dlq_object *object, const char *key)
{
    dlq_object_put(object, key, json_array());
}

void dlq_object_append(struct dlq_object *object, const char *key, json_t *value)
{
    if (json_array_append_new(json_object_get(object->json, key), value) != 0)
        object->failed = true;
}

json_t *dlq_object_end(struct dlq_object *object)
{
    if (object->failed) {
        json_decref(object->json);
        return NULL;
    }
    return object->json;
}
