/* Every allocation fails once: each function then says so, gives all back and leaves its output alone. The linker puts
   these wrappers between the library and the C library's allocator. */
#include "measured.h"
#include "models.h"

static atomic_long countdown; /* allocations until one fails; 0: none does */
static atomic_bool failed;

static bool fails(void)
{
    if (atomic_load(&countdown) == 0 || atomic_fetch_sub(&countdown, 1) != 1)
        return false;
    atomic_store(&failed, true);
    return true;
}

/* The linker demands these names. NOLINTBEGIN(bugprone-reserved-identifier) */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return fails() ? NULL : __real_strndup(text, size);
}

/* NOLINTEND(bugprone-reserved-identifier) */

static const char several_stages[] =
    "[pipeline]\nname = memory\nloaders = 3\nbatch_size = 80\nloader = pool-ordered\n[load.read]\nmean = 1.1ms\n"
    "per = sample\ncv = 0.4\nuses = storage\nbytes = 1MB\n[load.rest]\nmean = 13ms\ndistribution = gamma\ncv = 0.3\n"
    "[step]\nmean = 31ms\ndistribution = gamma\ncv = 0.2\n[host]\nbandwidth = 1GB/s\n"
    "[simulate]\nbatches = 60\nprecision = 0\nreplications = 2\n[sweep]\nloaders = 2, 3\n";

static const char measured[] =
    "[pipeline]\nloaders = 2\nranks = 2\nepoch_batches = 20\n[load]\ndistribution = empirical\nfile = " TEST_DATA
    "/loads.csv\n"
    "[step]\nmean = 31ms\n[simulate]\nbatches = 40\nprecision = 0\nreplications = 2\n[sweep]\nload = 20ms, 30ms\n";

static const char exact[] =
    "[pipeline]\nloaders = 2\n[load]\ndistribution = exponential\nmean = 50ms\n[step]\ndistribution = exponential\n"
    "mean = 31ms\n[simulate]\nmethod = markov\nbatches = 40\nreplications = 2\n[sweep]\nload = 20ms, 30ms\n";

static enum dlq_status solve(struct dlq_model *model, struct dlq_error *error)
{
    struct dlq_solution solution;
    struct dlq_run run = run_with(2);
    return dlq_solve(model, &run, &solution, error);
}

static enum dlq_status sweep(struct dlq_model *model, struct dlq_error *error)
{
    struct dlq_sweep *sweep = NULL;
    struct dlq_sweep_point point;
    struct dlq_run run = run_with(1);
    enum dlq_status status = dlq_sweep_begin(&sweep, model, &run, error);
    for (bool more = true; more && status == DLQ_OK;)
        status = dlq_sweep_next(sweep, &point, &more, error);
    dlq_sweep_end(sweep);
    return status;
}

/* One run in which allocation number `nth` fails; true where there were fewer. */
static bool survives(const char *text, enum dlq_status (*study)(struct dlq_model *, struct dlq_error *), long nth)
{
    struct dlq_error error = {0};
    struct dlq_model *model = NULL;
    FILE *stream = stream_of(text);
    atomic_store(&failed, false);
    atomic_store(&countdown, nth);
    enum dlq_status status = dlq_model_read(&model, "test.ini", stream, &error);
    if (status == DLQ_OK)
        status = dlq_model_set(model, "simulate.seed", "7", &error);
    if (status == DLQ_OK)
        status = study(model, &error);
    bool hit = atomic_load(&failed);
    atomic_store(&countdown, 0);
    dlq_model_free(model);
    fclose(stream);
    if (hit)
        CHECK(status == DLQ_OK || strstr(error.text, "memory") != NULL, "allocation %ld: status %d, '%s'", nth,
              (int)status, error.text);
    else
        CHECK(status == DLQ_OK, "no allocation failed, yet: %s", error.text);
    return !hit;
}

static void every_allocation_fails_once(void)
{
    const struct {
        const char *text;
        enum dlq_status (*study)(struct dlq_model *, struct dlq_error *);
    } runs[] = {{several_stages, solve}, {several_stages, sweep}, {measured, solve},
                {measured, sweep},       {exact, solve},          {exact, sweep}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        long nth = 1;
        while (nth < 2000 && !survives(runs[i].text, runs[i].study, nth))
            nth++;
        CHECK(nth > 50 && nth < 2000, "run %zu made %ld allocations", i, nth - 1);
    }
}

/* Two ranks with loads, in a rhythm: every part of a diagnosis has something to do. */
static struct dlq_trace *make_trace(void)
{
    struct measured log;
    measured_begin(&log, "rank,index,worker,load_time,data_time,iter_time", 3);
    for (long i = 0; i < 200; i++) {
        long turn = i / 2;
        const double row[] = {(double)(i % 2), (double)turn, (double)(turn % 4), 0.7};
        for (size_t k = 0; k < sizeof row / sizeof *row; k++)
            measured_put(&log, row[k]);
        measured_wait(&log, turn % 4 == 0 ? 0.3 : 1e-4);
    }
    return measured_trace(&log);
}

/* An autocorrelation that can't be had is the one loss that is borne. */
static void diagnosis_without_memory(void)
{
    struct dlq_trace *trace = make_trace();
    long nth = 0, refused = 0;
    for (bool hit = true; hit && trace != NULL && nth < 200;) {
        struct dlq_diagnosis result = {0};
        struct dlq_error error = {0};
        atomic_store(&failed, false);
        atomic_store(&countdown, ++nth);
        enum dlq_status status = dlq_diagnose(trace, &result, &error);
        hit = atomic_load(&failed);
        atomic_store(&countdown, 0);
        CHECK(status == DLQ_OK || strstr(error.text, "memory") != NULL, "allocation %ld: '%s'", nth, error.text);
        CHECK(status == DLQ_OK || result.ranks == NULL, "allocation %ld: the output was touched", nth);
        refused += status != DLQ_OK;
        if (status == DLQ_OK)
            dlq_diagnosis_free(&result);
    }
    CHECK(refused > 10 && refused >= nth - 4, "%ld of %ld refused", refused, nth);
    dlq_trace_free(trace);
}

static const struct test_case cases[] = {
    {"every allocation fails once", every_allocation_fails_once},
    {"diagnosis without memory", diagnosis_without_memory},
    {NULL, NULL},
};

const struct test_suite suite_memory = {"memory", cases};
