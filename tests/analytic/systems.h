/* Systems from configuration text. */
#pragma once

#include "../model/read.h"
#include "analytic/analytic.h"

/* The bounds of a text, with a context of its own; all NAN where it has none. */
static inline struct dlq_bounds bounds_of(const char *text)
{
    struct dlq_bounds bounds = {.upper = NAN, .lower = NAN};
    struct dlq_bounds_context context = {0};
    struct dlq_error error = {0};
    CHECK(dlq_system_bounds(&good(text, "")->system, 0, &context, &bounds, &error) == DLQ_OK, "%s\n%s", error.text,
          text);
    dlq_bounds_context_free(&context);
    return bounds;
}
