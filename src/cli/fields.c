#include "fields.h"

#include <stdio.h>

const char *dlq_field_say(const struct dlq_field *field, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s", field->meaning, field->absent != NULL ? "; null: " : "",
             field->absent != NULL ? field->absent : "");
    return text;
}

const char *dlq_field_rule(size_t index)
{
    static const char *const rules[] = {
        "The fields of --json and the columns of --csv. A headline says where those below it stand: `plan: answer, "
        "table[]` is the object `answer`, and each object of the list `table`, of what `dlqueue plan --json` writes; "
        "`plan --csv` is columns.",
        "A kind that begins with ~ is an estimate's. In JSON it is an object of `value`, `low` and `high`, "
        "the ends of the 95 % interval (of a single run, which has none, both are `value`). In CSV, and in `points` of "
        "sweep, these are three fields: NAME, NAME_low, NAME_high.",
        "What has no value is null in JSON and empty in CSV, where `null:` says when; no key is left out, but where it "
        "is said. Symbols: N loaders of a rank, p prefetch, K window, R ranks, s and t mean times of a load and of a "
        "step.",
        "Kinds: text; flag: true or false; count: a whole number from 0; number: without unit; share: 0 to 1; s: "
        "seconds; time: seconds from the start of the run, of a log from its first request; 1/s: per second; bytes; "
        "bytes/s; price: money; object: its fields are listed by themselves.",
    };
    return index < sizeof rules / sizeof *rules ? rules[index] : NULL;
}

const struct dlq_field_group *dlq_field_group(size_t index)
{
    static const struct dlq_field_groups *const parts[] = {&dlq_fields_of_solve,  &dlq_fields_of_plan,
                                                           &dlq_fields_of_logs,   &dlq_fields_of_fit,
                                                           &dlq_fields_of_tables, NULL};
    for (size_t i = 0; parts[i] != NULL; i++) {
        if (index < parts[i]->count)
            return &parts[i]->rows[index];
        index -= parts[i]->count;
    }
    return NULL;
}
