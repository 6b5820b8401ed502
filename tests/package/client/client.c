/* A program that uses the library: client CONFIG prints the throughput and its interval, in batches/s. */
#include <dlqueue/dlqueue.h>

#include <stdio.h>

static enum dlq_status simulate(const char *path, struct dlq_simulation *result, struct dlq_error *error)
{
    const struct dlq_run run = {.threads = 1};
    struct dlq_model *model = NULL;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return dlq_error_add(error, DLQ_FAILURE, "%s: can't be read", path);
    enum dlq_status status = dlq_model_read(&model, path, file, error);
    if (status == DLQ_OK)
        status = dlq_simulate(model, &run, result, error);
    dlq_model_free(model);
    fclose(file);
    return status;
}

int main(int argc, char *argv[])
{
    struct dlq_error error = {0};
    struct dlq_simulation result = {0};
    enum dlq_status status =
        argc == 2 ? simulate(argv[1], &result, &error) : dlq_error_add(&error, DLQ_INVALID, "usage: client CONFIG");
    if (status == DLQ_OK)
        printf("%.15g %.15g %.15g\n", result.throughput.value, result.throughput.low, result.throughput.high);
    else
        fprintf(stderr, "client: %s\n", error.text);
    return (int)status;
}
