/* Systems from configuration text, checked as a file is. */
#pragma once

#include "harness.h"
#include "model/model.h"

#include <stdlib.h>

/* A system and what it borrows from. */
struct built {
    struct dlq_system system;
    struct dlq_entries entries;
    struct dlq_data data;
    struct dlq_error error;
    enum dlq_status status, read; /* of all; of dlq_system_read */
};

static inline void build_from(struct built *built, const char *text, const char *directory)
{
    const struct dlq_section sections[] = {dlq_pipeline_section, dlq_overheads_section, dlq_load_section,
                                           dlq_step_section,     dlq_host_section,      dlq_storage_section,
                                           dlq_slowdown_section, dlq_cache_section};
    *built = (struct built){.status = DLQ_OK};
    FILE *stream = fmemopen((void *)text, strlen(text), "r");
    built->status = dlq_ini_read(&built->entries, "a.ini", stream, &built->error);
    fclose(stream);
    for (size_t i = 0; i < built->entries.count; i++)
        dlq_option_check(sections, sizeof sections / sizeof *sections, dlq_foreign_names, &built->entries.rows[i],
                         &built->error);
    built->read = dlq_system_read(&built->system, &built->entries, directory, &built->data, &built->error);
    if (built->status == DLQ_OK)
        built->status = built->error.status != DLQ_OK ? built->error.status : built->read;
}

static inline void built_free(struct built *built)
{
    dlq_entries_free(&built->entries);
    dlq_data_free(&built->data);
}

/* A good configuration, written in two pieces, until the next one is asked for; one with mistakes ends the test. */
static inline struct built *good(const char *head, const char *rest)
{
    static struct built built;
    char text[2048];
    built_free(&built);
    snprintf(text, sizeof text, "%s%s", head, rest);
    build_from(&built, text, TEST_DATA);
    CHECK(built.status == DLQ_OK, "status %d: %s\n%s", (int)built.status, built.error.text, text);
    if (built.status != DLQ_OK)
        test_skip("mistakes in a good configuration");
    return &built;
}

/* Equal, or both NAN. */
#define CHECK_VALUE(got, want)                                                                                         \
    CHECK((isnan((double)(got)) && isnan((double)(want))) || test_relative((got), (want), 1e-12),                      \
          "%s = %.17g, expected %.17g", #got, (double)(got), (double)(want))
