/* The command line of dlqueue-bench. */
#ifndef BENCH_ARGUMENTS_H
#define BENCH_ARGUMENTS_H

#include "subject.h"

struct bench_arguments {
    struct bench_run run;
    const char *only; /* a group's name; null: all */
    bool csv, help;
};

/* false: wrong, and *error says how. */
bool bench_arguments_read(struct bench_arguments *arguments, int count, char *const *words, struct dlq_error *error);

#endif
