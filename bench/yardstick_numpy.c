#include "child.h"
#include "subject.h"

#include <stdlib.h>

enum { STEPS = 256 };

static void numpy_end(void *state)
{
    struct bench_child *child = state;
    bench_child_wait(child, NULL);
    free(child);
}

/* Asks for that many steps of all replications; the answer is the number of batches. */
static enum dlq_status ask(struct bench_child *child, int steps, double *amount, struct dlq_error *error)
{
    char line[64];
    char *rest = line;
    bool answered = child->to != NULL && child->from != NULL && fprintf(child->to, "%d\n", steps) > 0 &&
                    fflush(child->to) == 0 && fgets(line, sizeof line, child->from) != NULL;
    double batches = answered ? strtod(line, &rest) : 0;
    if (rest == line || !(batches >= 0))
        return dlq_error_add(error, DLQ_FAILURE, "python3 with NumPy is not there (Debian: python3-numpy)");
    *amount = batches;
    return DLQ_OK;
}

static enum dlq_status try_interpreter(const char *interpreter, const char *law, void **state, struct dlq_error *error)
{
    const char *const arguments[] = {interpreter, BENCH_SOURCE "/numpy_recursion.py", law, NULL};
    double none = 0;
    struct bench_child *child = calloc(1, sizeof *child);
    if (child == NULL)
        return dlq_error_memory(error, "setting up NumPy");
    enum dlq_status status = bench_child_start(child, arguments, true, error);
    if (status != DLQ_OK) {
        free(child);
        return status;
    }
    status = ask(child, 0, &none, error);
    if (status == DLQ_OK)
        *state = child;
    else
        numpy_end(child);
    return status;
}

/* Debian's NumPy belongs to Debian's Python, which need not be the first on the PATH. */
static enum dlq_status numpy_begin(const struct bench_setup *setup, const struct bench_run *run, void **state,
                                   struct dlq_error *error)
{
    (void)run;
    if (try_interpreter("python3", setup->detail, state, NULL) == DLQ_OK)
        return DLQ_OK;
    return try_interpreter("/usr/bin/python3", setup->detail, state, error);
}

static enum dlq_status numpy_piece(void *state, double *amount, struct dlq_error *error)
{
    return ask(state, STEPS, amount, error);
}

const struct bench_kind bench_numpy = {numpy_begin, numpy_piece, numpy_end};
