/* What --json and --csv give, field by field: for help and the manual. */
#ifndef DLQ_CLI_FIELDS_H
#define DLQ_CLI_FIELDS_H

#include <stddef.h>

struct dlq_field {
    const char *names;   /* keys of the object, or columns, that are alike: "mean, median"; * stands for any */
    const char *kind;    /* as dlq_field_rule explains them: "s", "~ share" */
    const char *meaning; /* what, and in which range, where the kind does not say that */
    const char *absent;  /* when it is null, in CSV empty; null: never */
};

/* Fields of the same objects. */
struct dlq_field_group {
    /* Where they stand: "plan: answer, table[]; plan --csv" is the object `answer` and each of the list `table` of plan
       --json, and the columns of plan --csv; "solve" is the outermost object. */
    const char *place;
    const char *note; /* null: none */
    const struct dlq_field *rows;
    size_t count;
};

/* Group 0, 1, ...; null at the end. */
const struct dlq_field_group *dlq_field_group(size_t index);

/* The meaning, and when it is null. Returns `text`. */
const char *dlq_field_say(const struct dlq_field *field, char *text, size_t size);

/* What holds for all of them, a paragraph each: row 0, 1, ...; null at the end. */
const char *dlq_field_rule(size_t index);

/* The parts that dlq_field_group goes through. */
struct dlq_field_groups {
    const struct dlq_field_group *rows;
    size_t count;
};
extern const struct dlq_field_groups dlq_fields_of_solve, dlq_fields_of_plan, dlq_fields_of_logs, dlq_fields_of_fit,
    dlq_fields_of_tables;

#define DLQ_FIELD_GROUP(place, note, fields)                                                                           \
    {                                                                                                                  \
        place, note, fields, sizeof(fields) / sizeof *(fields)                                                         \
    }

#endif
