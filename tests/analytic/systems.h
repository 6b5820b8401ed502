/* Systems from configuration text. */
#ifndef TESTS_ANALYTIC_SYSTEMS_H
#define TESTS_ANALYTIC_SYSTEMS_H

#include "analytic/analytic.h"
#include "harness.h"

/* A system and what it borrows from. */
struct built {
    struct dlq_system system;
    struct dlq_entries entries;
    struct dlq_data data;
    bool whole;
};

static inline bool build(struct built *built, const char *text)
{
    struct dlq_error error = {0};
    *built = (struct built){.whole = false};
    char copy[2048];
    snprintf(copy, sizeof copy, "%s", text);
    FILE *stream = fmemopen(copy, strlen(copy), "r");
    if (stream != NULL) {
        built->whole = dlq_ini_read(&built->entries, "test.ini", stream, &error) == DLQ_OK &&
                       dlq_system_read(&built->system, &built->entries, ".", &built->data, &error) == DLQ_OK;
        fclose(stream);
    }
    CHECK(built->whole, "no system: %s\n%s", error.text, text);
    return built->whole;
}

static inline void unbuild(struct built *built)
{
    dlq_entries_free(&built->entries);
    dlq_data_free(&built->data);
}

/* The bounds of a text, with a context of its own; all NAN where it has none. */
static inline struct dlq_bounds bounds_of(const char *text)
{
    struct dlq_bounds bounds = {.upper = NAN, .lower = NAN};
    struct dlq_bounds_context context = {0};
    struct dlq_error error = {0};
    struct built built;
    if (build(&built, text))
        CHECK(dlq_system_bounds(&built.system, 0, &context, &bounds, &error) == DLQ_OK, "%s\n%s", error.text, text);
    dlq_bounds_context_free(&context);
    unbuild(&built);
    return bounds;
}

static inline bool forms_of(const char *text, struct dlq_closed_forms *forms)
{
    struct dlq_bounds bounds = bounds_of(text);
    struct built built;
    bool whole = build(&built, text);
    if (whole)
        dlq_system_closed_forms(&built.system, &bounds, forms);
    unbuild(&built);
    return whole;
}

#endif
