/* Every configuration that comes with the program, and the answer that its comment says to expect. */
#include "models.h"

#include <dirent.h>

static struct dlq_model *open_config(const char *name, const char *settings, struct dlq_error *error)
{
    char path[512];
    struct dlq_model *model = NULL;
    snprintf(path, sizeof path, PROJECT_SOURCE "/configs/%s.ini", name);
    FILE *stream = fopen(path, "r");
    CHECK(stream != NULL, "cannot read %s", path);
    if (stream == NULL)
        return NULL;
    dlq_model_read(&model, path, stream, error);
    fclose(stream);
    set_all(model, settings, error);
    return model;
}

static double throughput(const struct dlq_solution *solution)
{
    return solution->simulation.throughput.value;
}

static double batches(const struct dlq_solution *solution)
{
    return solution->simulation.batches.value;
}

static double utilization(const struct dlq_solution *solution)
{
    return solution->simulation.utilization.value;
}

static double epoch(const struct dlq_solution *solution)
{
    return solution->simulation.epoch_seconds.value;
}

static double samples(const struct dlq_solution *solution)
{
    return solution->simulation.samples_per_second.value;
}

static double cores(const struct dlq_solution *solution)
{
    return solution->bounds.cores;
}

/* within: absolute. */
static const struct {
    const char *name, *settings, *bound_by;
    double (*figure)(const struct dlq_solution *solution);
    double expected, within;
} answers[] = {
    {"resnet", "", "load", throughput, 5.8, 0.05},
    {"resnet", "", "load", cores, 8.7, 0.05},
    {"resnet", "pipeline.loaders=14", "cores", utilization, 0.90, 0.005},
    {"resnet", "pipeline.loaders=28", "cores", utilization, 0.90, 0.005},
    {"blog-slow", "", "load", batches, 98.2, 0.4},
    {"blog-matched", "", "load", batches, 275.2, 0.6},
    {"blog-fast", "", "step", batches, 296.0, 0.15},
    {"blog-slow", "simulate.horizon=29.9s", "load", batches, 98.1, 0.4},
    {"blog-matched", "simulate.horizon=29.9s", "load", batches, 274.3, 0.6},
    {"blog-fast", "simulate.horizon=29.9s", "step", batches, 295.0, 0.15},
    {"blog-slow", "load.cv=0 pipeline.loader=pytorch pipeline.window=14 simulate.resolution=0", "load", batches, 98, 0},
    {"blog-matched", "load.cv=0 pipeline.loader=pytorch pipeline.window=14 simulate.resolution=0", "step", batches, 293,
     0},
    {"blog-fast", "load.cv=0 pipeline.loader=pytorch pipeline.window=14 simulate.resolution=0", "step", batches, 296,
     0},
    {"fastai", "", "load", epoch, 1.9, 1e-9},
    {"fastai", "pipeline.loaders=8", "load", epoch, 2.5, 1e-9},
    {"fastai", "pipeline.loader=serial pipeline.loaders=0", "serial", epoch, 20, 1e-9},
    {"unet3d-h100", "", "host_bandwidth", samples, 17.9, 0.1},
    {"unet3d-h100", "", "host_bandwidth", utilization, 0.82, 0.01},
    {"cosmoflow-h100", "", "receive", throughput, 238.1, 0.1},
    {"cosmoflow-h100", "", "receive", utilization, 0.833, 0.001},
    {"tail", "", "variance", throughput, 6.5, 0.1},
    {"tail", "pipeline.loader=pytorch-unordered", "step", throughput, 10, 0.02},
    {"ranks", "", "order", throughput, 9.34, 0.05},
    {"ranks", "pipeline.ranks=1", "step", utilization, 0.988, 0.003},
    {"ranks", "pipeline.ranks=64", "order", throughput, 8.30, 0.05},
    {"ranks", "pipeline.ranks=64 pipeline.loader=pytorch-unordered", "step", throughput, 10, 0.01},
    {"ranks", "pipeline.slow_ranks=1 pipeline.slow_factor=4", "load", throughput, 4.0, 0.06},
    {"tail", "pipeline.prefetch=8", "order", throughput, 9.47, 0.1},
};

static void give_the_expected_answer(void)
{
    struct dlq_run run = run_with(2);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct dlq_error error = {0};
        struct dlq_solution solution;
        struct dlq_model *model = open_config(answers[i].name, answers[i].settings, &error);
        enum dlq_status status = dlq_solve(model, &run, &solution, &error);
        CHECK(status == DLQ_OK, "%s: %s", answers[i].name, error.text);
        dlq_model_free(model);
        if (status != DLQ_OK)
            continue;
        double got = answers[i].figure(&solution);
        CHECK(fabs(got - answers[i].expected) <= answers[i].within, "%s, '%s': %.9g, expected %g +- %g",
              answers[i].name, answers[i].settings, got, answers[i].expected, answers[i].within);
        CHECK(strcmp(solution.verdict.bound_by, answers[i].bound_by) == 0, "%s, '%s': bound by %s, expected %s",
              answers[i].name, answers[i].settings, solution.verdict.bound_by, answers[i].bound_by);
    }
}

static bool is_expected(const char *file)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        size_t length = strlen(answers[i].name);
        if (strncmp(file, answers[i].name, length) == 0 && strcmp(file + length, ".ini") == 0)
            return true;
    }
    return false;
}

static void none_is_left_out(void)
{
    DIR *directory = opendir(PROJECT_SOURCE "/configs");
    CHECK(directory != NULL, "no configs");
    size_t count = 0;
    for (const struct dirent *entry = NULL; directory != NULL && (entry = readdir(directory)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".ini") != 0)
            continue;
        CHECK(is_expected(entry->d_name), "%s has no expected answer here", entry->d_name);
        count++;
    }
    CHECK(count >= 8, "only %zu configurations", count);
    if (directory != NULL)
        closedir(directory);
}

static const struct test_case cases[] = {
    {"give the expected answer", give_the_expected_answer},
    {"none is left out", none_is_left_out},
    {NULL, NULL},
};

const struct test_suite suite_configs = {"configs", cases};
