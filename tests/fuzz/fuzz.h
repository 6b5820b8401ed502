/* What the fuzz targets share: their row for the driver, an input taken apart, laws, models and logs made of it, and
   how they tell that something is wrong. */
#pragma once

#include "dist/dist.h"
#include "dlqueue/model.h"
#include "logs/read/trace.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- an input; where it has ended, zeros follow -- */

struct bytes {
    const uint8_t *at;
    size_t left;
};

unsigned bytes_next(struct bytes *bytes);
/* Raw bits, a value at which something changes or its neighbor, or any magnitude from 1e-14 to 1e14: raw bits alone are
   hardly ever a time. */
double bytes_double(struct bytes *bytes);
/* All that is left, as a text: owned by the caller. A NUL ends it early. */
char *bytes_text(const struct bytes *bytes);

/* -- targets: fuzz_NAME.c has target_NAME -- */

struct target {
    const char *name;
    size_t longest;                   /* of its inputs, in bytes; tools/fuzz reads it here */
    void (*begin)(void);              /* once, before the first input; null: GSL objects to nothing */
    void (*run)(struct bytes *bytes); /* keeps nothing from one input to the next */
};

extern const struct target target_bounds, target_config, target_fit, target_laws, target_logs, target_quantities,
    target_solve, target_titles;

/* -- what is wrong -- */

/* Printed with what is wrong, where it is not empty. */
extern const char *fuzz_subject;

_Noreturn void fuzz_fail(const char *file, int line, const char *expected, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void fuzz_in(const char *file, int line, const char *names, bool maybe, long double low, long double high,
             const long double *values, size_t count);
bool fuzz_good(const char *file, int line, enum dlq_status status, const struct dlq_error *error);

/* EXPECT(condition, "what %g", x): where it is false the input is a find. */
#define EXPECT(condition, ...)                                                                                         \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            fuzz_fail(__FILE__, __LINE__, #condition, __VA_ARGS__);                                                    \
    } while (0)
/* Each of the numbers that follow is in low..high, of which the largest finite one is DBL_MAX. KNOWN: or is NAN. */
#define IN(low, high, ...) FUZZ_IN(false, low, high, #__VA_ARGS__, __VA_ARGS__)
#define KNOWN(low, high, ...) FUZZ_IN(true, low, high, #__VA_ARGS__, __VA_ARGS__)
#define FUZZ_IN(maybe, low, high, names, ...)                                                                          \
    fuzz_in(__FILE__, __LINE__, names, maybe, low, high, (const long double[]){__VA_ARGS__},                           \
            sizeof(const long double[]){__VA_ARGS__} / sizeof(long double))
/* Whether it is DLQ_OK: else, and only then, the error has lines, of printable characters. */
#define GOOD(status, error) fuzz_good(__FILE__, __LINE__, (status), (error))
/* What is written of an answer, whatever it is: no text without words or with numbers that are none, no number below 0
   but those that may be, no share above 1, estimates within their intervals. `name`: its key. */
void fuzz_figures(const char *name, json_t *part);
/* The words nan and inf. */
void fuzz_no_nan(const char *text);
/* A text of an array that ends in it. */
#define ENDED(array) EXPECT(memchr((array), '\0', sizeof(array)) != NULL, "a text without an end")

/* -- laws -- */

/* A family and its parameters, NAN where they are not given, in the order of struct dlq_parameters. */
enum { LAW_VALUES = 10 };
struct law {
    const struct dlq_family *family;
    double values[LAW_VALUES];
};

struct law law_take(struct bytes *bytes);
/* False: refused, with a reason. The data are of empirical laws, and the caller's. */
bool law_make(const struct law *law, const struct dlq_empirical *data, struct dlq_dist *dist);
/* A few times, with ties, a 0 and a very short one, for empirical laws. Freed by dlq_empirical_free. */
void law_measured(struct dlq_empirical *data);

/* -- models: keys with values that are mostly right; what is written is refused or answered -- */

/* Rows of settings: all models have the first kind; the second is for what is simulated. */
enum { SETTINGS = 26, SETTINGS_RUN = 8 };
void model_put(struct dlq_model *model, const char *section, const char *key, const char *value);
/* One of `count` rows from `first` on; keys of the load in the section that is named. No horizon where it is false. */
void model_put_any(struct dlq_model *model, const char *load, int first, int count, bool horizon, struct bytes *bytes);
void model_put_law(struct dlq_model *model, const char *section, struct law law);
/* What is given, as a configuration; owned by the caller. */
char *model_given(const struct dlq_model *model);
/* Reads and checks. */
enum dlq_status model_of(const char *text, size_t size, struct dlq_model **model, struct dlq_error *error);
/* Bounds that are in order; false: there are none. */
bool model_bounds(struct dlq_model *model, struct dlq_bounds *bounds);

/* -- the command -- */

struct fuzz_answer {
    int status;
    char *text;   /* of standard output; owned */
    json_t *json; /* of "--json", where it is some; owned */
};

/* dlqueue WORD - FORM --set SETTING, any of the last two null. What is said on standard error is not looked at. */
struct fuzz_answer fuzz_ask(const char *config, const char *word, const char *form, const char *setting);
void fuzz_answer_free(struct fuzz_answer *answer);

/* -- logs -- */

/* All logs of the input, a line of a form feed between them; null where one is refused. Of the first byte, low bits are
   the row of the formats, beyond the last: told by content; upper bits say that the logs are packed by gzip, that some
   lines may be bad, and that each is of a rank. */
struct dlq_trace *logs_read(struct bytes *bytes);
