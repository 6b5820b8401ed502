#include "plan_json.h"

#include "levers_json.h"
#include "plan_phrases.h"

#include <math.h>

static void put_candidate(struct dlq_object *object, const struct dlq_plan *plan, const struct dlq_candidate *candidate)
{
    const struct dlq_simulation *simulation = &candidate->simulation;
    const struct dlq_description *description = &plan->description;
    dlq_object_number(object, "loaders", (double)candidate->loaders);
    dlq_object_number(object, "prefetch", candidate->prefetch > 0 ? (double)candidate->prefetch : NAN);
    dlq_object_number(object, "ranks", (double)candidate->ranks);
    dlq_object_estimate(object, "utilization", simulation->utilization);
    dlq_object_estimate(object, "au", simulation->au);
    dlq_object_estimate(object, "throughput", simulation->throughput);
    dlq_object_number(object, "wait_p99", simulation->wait_p99);
    dlq_object_number(object, "memory_bytes", candidate->host.memory_bytes);
    dlq_object_number(object, "shm_bytes", candidate->host.shm_bytes);
    dlq_object_number(object, "cores_used", candidate->host.cores_used);
    dlq_object_number(object, "cost_per_hour", candidate->cost_per_hour);
    dlq_object_number(object, "cost_per_million_samples", candidate->cost_per_million_samples);
    dlq_object_number(object, "epoch_seconds", simulation->epoch_seconds.value);
    dlq_object_number(object, "upper", candidate->bounds.upper);
    if (description->has_batch_size)
        dlq_object_estimate(object, "samples_per_second", simulation->samples_per_second);
    else
        dlq_object_put(object, "samples_per_second", json_null());
    dlq_object_text(object, "bound_by", candidate->bound_by);
    dlq_object_flag(object, "meets", candidate->meets);
    dlq_object_flag(object, "fits", candidate->host.fits);
}

static json_t *candidate_json(const struct dlq_plan *plan, const struct dlq_candidate *candidate)
{
    struct dlq_object object = dlq_object_new();
    put_candidate(&object, plan, candidate);
    return dlq_object_end(&object);
}

static json_t *rule_json(const struct dlq_plan *plan, const struct dlq_plan_rule *rule)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_text(&object, "rule", rule->rule);
    put_candidate(&object, plan, &rule->candidate);
    return dlq_object_end(&object);
}

static void put_rest(struct dlq_object *object, const struct dlq_plan *plan, bool interrupted)
{
    dlq_object_text(object, "solve", plan->solve);
    dlq_object_number(object, "at_most", (double)plan->at_most);
    dlq_object_text(object, "text", plan->text);
    dlq_object_text(object, "loader", plan->description.loader);
    dlq_levers_put(object, &plan->levers);
    dlq_object_list(object, "warnings");
    for (size_t i = 0; i < plan->warning_count; i++)
        dlq_object_append(object, "warnings", dlq_json_text(plan->warnings[i]));
    dlq_object_flag(object, "interrupted", interrupted);
}

void dlq_plan_put(struct dlq_object *object, const struct dlq_plan *plan, bool interrupted)
{
    dlq_object_text(object, "name", plan->description.name);
    dlq_object_number(object, "target", plan->target);
    dlq_object_text(object, "of", plan->of);
    dlq_object_put(object, "met", interrupted ? json_null() : json_boolean(plan->met));
    dlq_object_put(object, "answer", interrupted ? json_null() : candidate_json(plan, &plan->answer));
    dlq_object_text(object, "binds", plan->binds);
    dlq_object_list(object, "table");
    for (size_t i = 0; i < plan->count; i++)
        if (plan->candidates[i].in_table)
            dlq_object_append(object, "table", candidate_json(plan, &plan->candidates[i]));
    dlq_object_list(object, "rules");
    for (size_t i = 0; i < plan->rule_count; i++)
        dlq_object_append(object, "rules", rule_json(plan, &plan->rules[i]));
    put_rest(object, plan, interrupted);
}

enum {
    LOADERS,
    PREFETCH,
    RANKS,
    UTILIZATION,
    AU = UTILIZATION + 3,
    THROUGHPUT = AU + 3,
    WAIT = THROUGHPUT + 3,
    MEMORY,
    SHM,
    CORES,
    HOURLY,
    COST,
    EPOCH,
    UPPER,
    SAMPLES,
    MEETS = SAMPLES + 3,
    FITS,
    BOUND_BY,
    COLUMNS
};

#define NUMBER(name)                                                                                                   \
    {                                                                                                                  \
        name, NULL, DLQ_COLUMN_NUMBER, 0                                                                               \
    }
#define ESTIMATE(place, name)                                                                                          \
    [place] = NUMBER(name), [(place) + 1] = NUMBER(name "_low"), [(place) + 2] = NUMBER(name "_high")

static const struct dlq_column columns[COLUMNS] = {
    [LOADERS] = NUMBER("loaders"),
    [PREFETCH] = NUMBER("prefetch"),
    [RANKS] = NUMBER("ranks"),
    ESTIMATE(UTILIZATION, "utilization"),
    ESTIMATE(AU, "au"),
    ESTIMATE(THROUGHPUT, "throughput"),
    [WAIT] = NUMBER("wait_p99"),
    [MEMORY] = NUMBER("memory_bytes"),
    [SHM] = NUMBER("shm_bytes"),
    [CORES] = NUMBER("cores_used"),
    [HOURLY] = NUMBER("cost_per_hour"),
    [COST] = NUMBER("cost_per_million_samples"),
    [EPOCH] = NUMBER("epoch_seconds"),
    [UPPER] = NUMBER("upper"),
    ESTIMATE(SAMPLES, "samples_per_second"),
    [MEETS] = {"meets", NULL, DLQ_COLUMN_FLAG, 0},
    [FITS] = {"fits", NULL, DLQ_COLUMN_FLAG, 0},
    [BOUND_BY] = {"bound_by", NULL, DLQ_COLUMN_TEXT, 0},
};

static void fill_estimate(struct dlq_table *table, size_t column, struct dlq_estimate estimate)
{
    dlq_table_number(table, column, estimate.value);
    dlq_table_number(table, column + 1, estimate.low);
    dlq_table_number(table, column + 2, estimate.high);
}

static bool fill_row(struct dlq_table *table, const struct dlq_plan *plan, const struct dlq_candidate *candidate)
{
    const struct dlq_simulation *simulation = &candidate->simulation;
    if (!dlq_table_row(table) || !dlq_table_text(table, BOUND_BY, candidate->bound_by))
        return false;
    const struct {
        size_t column;
        double value;
    } numbers[] = {
        {LOADERS, (double)candidate->loaders},
        {PREFETCH, candidate->prefetch > 0 ? (double)candidate->prefetch : NAN},
        {RANKS, (double)candidate->ranks},
        {WAIT, simulation->wait_p99},
        {MEMORY, candidate->host.memory_bytes},
        {SHM, candidate->host.shm_bytes},
        {CORES, candidate->host.cores_used},
        {HOURLY, candidate->cost_per_hour},
        {COST, candidate->cost_per_million_samples},
        {EPOCH, simulation->epoch_seconds.value},
        {UPPER, candidate->bounds.upper},
        {MEETS, candidate->meets},
        {FITS, candidate->host.fits},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dlq_table_number(table, numbers[i].column, numbers[i].value);
    fill_estimate(table, UTILIZATION, simulation->utilization);
    fill_estimate(table, AU, simulation->au);
    fill_estimate(table, THROUGHPUT, simulation->throughput);
    if (plan->description.has_batch_size)
        fill_estimate(table, SAMPLES, simulation->samples_per_second);
    return true;
}

struct dlq_table *dlq_plan_columns(const struct dlq_plan *plan)
{
    struct dlq_table *table = dlq_table_new(columns, COLUMNS);
    bool filled = table != NULL;
    for (size_t i = 0; filled && i < plan->count; i++)
        if (plan->candidates[i].in_table)
            filled = fill_row(table, plan, &plan->candidates[i]);
    if (filled)
        return table;
    dlq_table_free(table);
    return NULL;
}
