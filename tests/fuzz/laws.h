/* Laws of any family with any parameters. */
#ifndef TESTS_FUZZ_LAWS_H
#define TESTS_FUZZ_LAWS_H

#include "bytes.h"
#include "dist/dist.h"

#include <gsl/gsl_errno.h>

/* What GSL objects to was not checked before. Underflow is a 0, and no objection. */
static inline void law_objection(const char *reason, const char *file, int line, int number)
{
    EXPECT(number == GSL_EUNDRFLW, "GSL: %s:%d: %s (%d)", file, line, reason, number);
}

/* A few times, with ties, a 0 and a very short one, for empirical laws. Freed by dlq_empirical_free. */
static inline void law_measured(struct dlq_empirical *data)
{
    double values[] = {0.5, 0, 2, 2, 1e-9, 7};
    EXPECT(dlq_empirical_from(data, values, sizeof values / sizeof *values, NULL) == DLQ_OK, "no memory");
}

/* The family's number, bits for the parameters that are given, then these. The data of empirical laws are the
   caller's. */
static inline const struct dlq_family *law_take(struct bytes *bytes, struct dlq_parameters *parameters,
                                                const struct dlq_empirical *data)
{
    size_t count;
    const struct dlq_family *const *families = dlq_families(&count), *family = families[bytes_next(bytes) % count];
    unsigned given = bytes_next(bytes) << 8;
    given |= bytes_next(bytes);
    double *const fields[] = {&parameters->mean,    &parameters->cv,     &parameters->sd,    &parameters->median,
                              &parameters->p99,     &parameters->shape,  &parameters->alpha, &parameters->stages,
                              &parameters->minimum, &parameters->maximum};
    /* Mostly those that the family has: else nearly all are refused for what they have too much. */
    if (given & 0x8000)
        given &= family->allowed;
    *parameters = (struct dlq_parameters){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NULL};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (given >> i & 1)
            *fields[i] = bytes_double(bytes);
    if (family->allowed & DLQ_FILE)
        parameters->data = data;
    return family;
}

static inline bool law_make(const struct dlq_family *family, const struct dlq_parameters *parameters,
                            struct dlq_dist *dist)
{
    char why[256] = "";
    unsigned fault = 0;
    bool made = dlq_dist_make(dist, family, parameters, &fault, why, sizeof why);
    EXPECT(made || (why[0] != '\0' && fault != 0), "%s is refused without a reason", family->name);
    return made;
}

#endif
