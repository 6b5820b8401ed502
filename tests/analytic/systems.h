/* Systems from configuration text. */
#ifndef TESTS_ANALYTIC_SYSTEMS_H
#define TESTS_ANALYTIC_SYSTEMS_H

#include "../model/read.h"
#include "analytic/analytic.h"

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
