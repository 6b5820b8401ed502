/* A JSON object that is built key by key; what failed on the way is known at the end. */
#ifndef DLQ_REPORT_OBJECT_H
#define DLQ_REPORT_OBJECT_H

#include "draw/json.h"

#include <stdbool.h>

struct dlq_object {
    json_t *json;
    bool failed;
};

struct dlq_object dlq_object_new(void);
/* One that begins with "dlqueue": VERSION, "command": name. */
struct dlq_object dlq_object_of_command(const char *name);
/* Takes the reference of `value`; null is a failure. */
void dlq_object_put(struct dlq_object *object, const char *key, json_t *value);
void dlq_object_number(struct dlq_object *object, const char *key, double value);
void dlq_object_text(struct dlq_object *object, const char *key, const char *value);
void dlq_object_flag(struct dlq_object *object, const char *key, bool value);
/* An empty list under that key, and one more value in it, whose reference is taken; null is a failure. */
void dlq_object_list(struct dlq_object *object, const char *key);
void dlq_object_append(struct dlq_object *object, const char *key, json_t *value);
/* The object, or null where anything failed. */
json_t *dlq_object_end(struct dlq_object *object);

#endif
