/* Systems from configuration text, and what simulation makes of them. */
#pragma once

#include "harness.h"
#include "sim/simulate.h"
#include "stats/stats.h"

#include <stdlib.h>

/* A system, how to simulate it, and what both borrow from. */
struct built {
    struct dlq_system system;
    struct dlq_simulate_options options;
    struct dlq_entries entries;
    struct dlq_data data;
    bool whole;
};

static inline enum dlq_status check_entries(struct dlq_entries *entries, struct dlq_error *error)
{
    const struct dlq_section sections[] = {dlq_pipeline_section, dlq_overheads_section, dlq_load_section,
                                           dlq_step_section,     dlq_host_section,      dlq_storage_section,
                                           dlq_simulate_section, dlq_slowdown_section,  dlq_cache_section};
    enum dlq_status status = DLQ_OK;
    for (size_t i = 0; i < entries->count; i++) {
        enum dlq_status entry =
            dlq_option_check(sections, sizeof sections / sizeof *sections, dlq_foreign_names, &entries->rows[i], error);
        status = status == DLQ_OK ? entry : status;
    }
    return status;
}

static inline bool build(struct built *built, const char *text)
{
    struct dlq_error error = {0};
    *built = (struct built){.whole = false};
    FILE *stream = fmemopen((void *)text, strlen(text), "r");
    built->whole = dlq_ini_read(&built->entries, "test.ini", stream, &error) == DLQ_OK &&
                   check_entries(&built->entries, &error) == DLQ_OK &&
                   dlq_system_read(&built->system, &built->entries, TEST_DATA, &built->data, &error) == DLQ_OK &&
                   dlq_simulate_options_read(&built->options, &built->entries, &error) == DLQ_OK;
    fclose(stream);
    CHECK(built->whole, "no system: %s\n%s", error.text, text);
    return built->whole;
}

static inline void built_free(struct built *built)
{
    dlq_entries_free(&built->entries);
    dlq_data_free(&built->data);
}

/* One system with its own options on that many threads; all zero where it fails. */
static inline struct dlq_simulation simulate_built(const struct built *built, int threads)
{
    const struct dlq_system *system = &built->system;
    const struct dlq_simulate_request request = {.histogram_bits = 12, .period = true};
    const struct dlq_run run = {.threads = threads};
    struct dlq_simulation result = {0};
    struct dlq_error error = {0};
    enum dlq_status status = dlq_simulate_systems(&system, 1, &built->options, &request, &run, &result, &error);
    CHECK(status == DLQ_OK, "status %d: %s", (int)status, error.text);
    return result;
}

static inline struct dlq_simulation simulate_text(const char *text)
{
    struct dlq_simulation result = {0};
    struct built built;
    if (build(&built, text))
        result = simulate_built(&built, 1);
    built_free(&built);
    return result;
}

/* Standard error of an estimate from that many replications. */
static inline double standard_error(const struct dlq_estimate *estimate, long replications)
{
    double half = dlq_estimate_half_width(estimate);
    return half > 0 ? half / dlq_student(0.975, (double)replications - 1) : 0;
}

/* The same to the bit, NAN included; what lies between the fields does not count. */
static inline bool same_simulation(const struct dlq_simulation *a, const struct dlq_simulation *b)
{
    return memcmp(a, b, offsetof(struct dlq_simulation, precision_reached)) == 0 &&
           a->precision_reached == b->precision_reached && a->still_warming_up == b->still_warming_up &&
           a->heavy_tail == b->heavy_tail &&
           (a->variance_reduction == b->variance_reduction ||
            (isnan(a->variance_reduction) && isnan(b->variance_reduction)));
}
