#include "solve_json.h"

#include "levers_json.h"

#include <inttypes.h>
#include <math.h>

static void put_work(struct dlq_object *object, const char *key, double mean, double cv)
{
    struct dlq_object work = dlq_object_new();
    dlq_object_number(&work, "mean", mean);
    dlq_object_number(&work, "cv", cv);
    dlq_object_put(object, key, dlq_object_end(&work));
}

/* jansson's integers are signed: larger ones keep their digits as text. */
static json_t *seed(uint64_t value)
{
    char text[24];
    if (value <= INT64_MAX)
        return json_integer((json_int_t)value);
    snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
}

static void put_description(struct dlq_object *object, const struct dlq_description *description)
{
    dlq_object_text(object, "name", description->name);
    dlq_object_text(object, "loader", description->loader);
    dlq_object_number(object, "loaders", (double)description->loaders);
    dlq_object_number(object, "prefetch", description->prefetch_name != NULL ? (double)description->prefetch : NAN);
    dlq_object_number(object, "window", description->window >= 0 ? (double)description->window : NAN);
    dlq_object_number(object, "ranks", (double)description->ranks);
    dlq_object_number(object, "batch_size", (double)description->batch_size);
    dlq_object_put(object, "seed", seed(description->seed));
    dlq_object_number(object, "load_ratio", description->load_ratio);
    put_work(object, "load", description->load_mean, description->load_cv);
    put_work(object, "step", description->step_mean, description->step_cv);
}

static void put_bounds(struct dlq_object *object, const struct dlq_bounds *bounds)
{
    const struct {
        const char *key;
        double value;
    } rows[] = {
        {"serial", bounds->serial},
        {"load", bounds->load},
        {"window", bounds->window},
        {"step", bounds->step},
        {"receive", bounds->receive},
        {"cores", bounds->cores},
        {"host_bandwidth", bounds->host_bandwidth},
        {"storage", bounds->storage},
        {"pin", bounds->pin},
        {"upper", bounds->upper},
        {"lower", bounds->lower},
    };
    struct dlq_object inner = dlq_object_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        dlq_object_number(&inner, rows[i].key, rows[i].value);
    dlq_object_text(&inner, "bottleneck", bounds->bottleneck);
    dlq_object_put(object, "bounds", dlq_object_end(&inner));
}

static json_t *closed_form(struct dlq_closed_form form)
{
    if (!isfinite(form.value))
        return json_null();
    struct dlq_object object = dlq_object_new();
    dlq_object_number(&object, "value", form.value);
    dlq_object_flag(&object, "exact", form.exact);
    return dlq_object_end(&object);
}

static void put_estimates(struct dlq_object *object, const struct dlq_closed_forms *forms)
{
    struct dlq_object inner = dlq_object_new();
    dlq_object_put(&inner, "product_form", closed_form(forms->product_form));
    dlq_object_put(&inner, "diffusion", closed_form(forms->diffusion));
    dlq_object_put(&inner, "autotune", closed_form(forms->autotune));
    dlq_object_put(&inner, "markov", closed_form(forms->markov));
    dlq_object_put(object, "estimates", dlq_object_end(&inner));
}

static void put_simulation(struct dlq_object *object, const struct dlq_simulation *simulation)
{
    struct dlq_object inner = dlq_object_new();
    dlq_object_estimate(&inner, "throughput", simulation->throughput);
    dlq_object_estimate(&inner, "samples_per_second", simulation->samples_per_second);
    dlq_object_estimate(&inner, "utilization", simulation->utilization);
    dlq_object_estimate(&inner, "au", simulation->au);
    dlq_object_estimate(&inner, "wait_mean", simulation->wait_mean);
    dlq_object_number(&inner, "wait_p50", simulation->wait_p50);
    dlq_object_number(&inner, "wait_p90", simulation->wait_p90);
    dlq_object_number(&inner, "wait_p99", simulation->wait_p99);
    dlq_object_number(&inner, "wait_max", simulation->wait_max);
    dlq_object_estimate(&inner, "stalled_steps", simulation->stalled_steps);
    dlq_object_number(&inner, "period", simulation->period);
    dlq_object_estimate(&inner, "batches", simulation->batches);
    dlq_object_estimate(&inner, "time_to_first_batch", simulation->time_to_first_batch);
    dlq_object_estimate(&inner, "epoch_seconds", simulation->epoch_seconds);
    dlq_object_number(&inner, "replications", (double)simulation->replications);
    dlq_object_number(&inner, "batches_per_replication", (double)simulation->batches_per_replication);
    dlq_object_flag(&inner, "precision_reached", simulation->precision_reached);
    dlq_object_number(&inner, "variance_reduction", simulation->variance_reduction);
    dlq_object_put(object, "simulation", dlq_object_end(&inner));
}

static void put_host(struct dlq_object *object, const struct dlq_host_use *host)
{
    struct dlq_object inner = dlq_object_new();
    dlq_object_number(&inner, "cores_used", host->cores_used);
    dlq_object_number(&inner, "cpu_slowdown", host->cpu_slowdown);
    dlq_object_number(&inner, "storage_slowdown", host->storage_slowdown);
    dlq_object_number(&inner, "memory_bytes", host->memory_bytes);
    dlq_object_number(&inner, "shm_bytes", host->shm_bytes);
    dlq_object_flag(&inner, "fits", host->fits);
    dlq_object_put(object, "host", dlq_object_end(&inner));
}

static json_t *loss_json(const struct dlq_loss *loss)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_text(&object, "cause", loss->cause);
    dlq_object_number(&object, "throughput", loss->throughput);
    return dlq_object_end(&object);
}

static void put_verdict(struct dlq_object *object, const struct dlq_verdict *verdict)
{
    struct dlq_object inner = dlq_object_new();
    dlq_object_text(&inner, "bound_by", verdict->bound_by);
    dlq_object_number(&inner, "headroom", verdict->headroom);
    dlq_object_text(&inner, "text", verdict->text);
    dlq_object_list(&inner, "losses");
    for (size_t i = 0; i < verdict->loss_count; i++)
        dlq_object_append(&inner, "losses", loss_json(&verdict->losses[i]));
    dlq_object_put(object, "verdict", dlq_object_end(&inner));
}

void dlq_solution_put(struct dlq_object *object, const struct dlq_solution *solution)
{
    put_description(object, &solution->description);
    put_bounds(object, &solution->bounds);
    put_estimates(object, &solution->forms);
    if (solution->interrupted && isnan(solution->simulation.throughput.value))
        dlq_object_put(object, "simulation", json_null());
    else
        put_simulation(object, &solution->simulation);
    put_host(object, &solution->host);
    if (solution->interrupted)
        dlq_object_put(object, "verdict", json_null());
    else
        put_verdict(object, &solution->verdict);
    dlq_levers_put(object, &solution->levers);
    dlq_object_list(object, "warnings");
    for (size_t i = 0; i < solution->warning_count; i++)
        dlq_object_append(object, "warnings", dlq_json_text(solution->warnings[i]));
    dlq_object_flag(object, "interrupted", solution->interrupted);
}
