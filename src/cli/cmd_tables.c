/* dlqueue loaders, dlqueue distributions, dlqueue instances */
#include "dlqueue/distributions.h"
#include "dlqueue/instances.h"
#include "dlqueue/loaders.h"
#include "draw/text.h"
#include "report/figures.h"
#include "report/report.h"
#include "result_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(rows) (sizeof(rows) / sizeof *(rows))

/* Takes the table. */
static enum dlq_status write_table(struct dlq_invocation *session, struct dlq_table *table, bool filled,
                                   const char *next)
{
    table = dlq_result_whole(table, filled);
    if (session->args->csv || session->args->json)
        return dlq_result_rows(session, session->command->name, table);
    TRY(dlq_result_text(session, table));
    fprintf(session->out, "\nnext: dlqueue %s\n", next);
    return DLQ_OK;
}

static const char *const orders[] = {[DLQ_ORDER_INDEX] = "index", [DLQ_ORDER_COMPLETION] = "completion"};
static const char *const assigns[] = {
    [DLQ_ASSIGN_TRAINER] = "trainer", [DLQ_ASSIGN_ROUND_ROBIN] = "round-robin", [DLQ_ASSIGN_POOL] = "pool",
    [DLQ_ASSIGN_OWNER] = "owner",     [DLQ_ASSIGN_SINGLE] = "single",
};
static const char *const releases[] = {[DLQ_RELEASE_DELIVERY] = "delivery", [DLQ_RELEASE_REQUEST] = "request"};

enum dlq_status dlq_run_loaders(struct dlq_invocation *session)
{
    static const struct dlq_column columns[] = {
        {"name", "loader", DLQ_COLUMN_TEXT, 0},
        {"order", "delivered by", DLQ_COLUMN_TEXT, 0},
        {"assign", "loaded by", DLQ_COLUMN_TEXT, 0},
        {"window", "window", DLQ_COLUMN_TEXT, 0},
        {"prefetch_name", "prefetch is", DLQ_COLUMN_TEXT, 0},
        {"prefetch", "default", DLQ_COLUMN_COUNT, 0},
        {"release", NULL, DLQ_COLUMN_TEXT, 0},
        {"real", "the real thing", DLQ_COLUMN_TEXT, 0},
    };
    size_t count;
    const struct dlq_loader *loader = dlq_loaders(&count);
    struct dlq_table *table = dlq_table_new(columns, COUNT_OF(columns));
    bool filled = table != NULL;
    for (; filled && count > 0; loader++, count--)
        filled = DLQ_TABLE_ADD(table, {NAN, loader->name}, {NAN, orders[loader->order]}, {NAN, assigns[loader->assign]},
                               {NAN, loader->window == NULL ? NULL : loader->window_rule}, {NAN, loader->prefetch_name},
                               {loader->prefetch_name != NULL ? (double)loader->prefetch : NAN, NULL},
                               {NAN, releases[loader->release]}, {NAN, loader->real});
    return write_table(session, table, filled, "solve --loader pytorch --loaders 8 --load 700ms --step 100ms");
}

enum dlq_status dlq_run_distributions(struct dlq_invocation *session)
{
    static const struct dlq_column columns[] = {
        {"name", "distribution", DLQ_COLUMN_TEXT, 0},
        {"parameters", "parameters", DLQ_COLUMN_TEXT, 0},
        {"help", "what it is", DLQ_COLUMN_TEXT, 0},
    };
    struct dlq_distribution_help row;
    struct dlq_table *table = dlq_table_new(columns, COUNT_OF(columns));
    bool filled = table != NULL;
    for (size_t i = 0; filled && dlq_distribution_help(i, &row); i++)
        filled = DLQ_TABLE_ADD(table, {NAN, row.name}, {NAN, row.parameters}, {NAN, row.help});
    return write_table(session, table, filled,
                       "solve --loaders 8 --load 700ms --step 100ms --set load.distribution=gamma --cv 0.6");
}

/* The place of a row's source among the different ones, from 1; negative where a row before has it. */
static long source_of(const struct dlq_instance *rows, size_t at)
{
    long number = 0;
    for (size_t i = 0; i <= at; i++) {
        size_t first = 0;
        while (strcmp(rows[first].source, rows[i].source) != 0)
            first++;
        number += first == i;
        if (strcmp(rows[i].source, rows[at].source) == 0)
            return i == at ? number : -number;
    }
    return number;
}

static struct dlq_table *instances_data(const struct dlq_instance *row, size_t count)
{
    static const struct dlq_column columns[] = {
        {"name", NULL, DLQ_COLUMN_TEXT, 0},
        {"provider", NULL, DLQ_COLUMN_TEXT, 0},
        {"gpu", NULL, DLQ_COLUMN_TEXT, 0},
        {"gpus", NULL, DLQ_COLUMN_COUNT, 0},
        {"vcpus", NULL, DLQ_COLUMN_NUMBER, 0},
        {"vcpus_per_gpu", NULL, DLQ_COLUMN_NUMBER, 0},
        {"memory_bytes", NULL, DLQ_COLUMN_SIZE, 0},
        {"network_bytes_per_second", NULL, DLQ_COLUMN_NUMBER, 0},
        {"local_storage_bytes", NULL, DLQ_COLUMN_SIZE, 0},
        {"price_per_hour", NULL, DLQ_COLUMN_NUMBER, 0},
        {"source", NULL, DLQ_COLUMN_TEXT, 0},
    };
    struct dlq_table *table = dlq_table_new(columns, COUNT_OF(columns));
    bool filled = table != NULL;
    for (; filled && count > 0; row++, count--)
        filled =
            DLQ_TABLE_ADD(table, {NAN, row->name}, {NAN, row->provider}, {NAN, row->gpu}, {(double)row->gpus, NULL},
                          {row->vcpus, NULL}, {row->vcpus / (double)row->gpus, NULL}, {row->memory, NULL},
                          {row->bandwidth, NULL}, {row->local_storage, NULL}, {row->price, NULL}, {NAN, row->source});
    return dlq_result_whole(table, filled);
}

/* In the units of the trade, the provider's name once. */
static struct dlq_table *instances_text(const struct dlq_instance *rows, size_t count)
{
    static const struct dlq_column columns[] = {
        {"provider", "", DLQ_COLUMN_TEXT, 0},
        {"name", "instance", DLQ_COLUMN_TEXT, 0},
        {"gpus", "GPUs", DLQ_COLUMN_TEXT, 0},
        {"vcpus", "vCPU (hyper-threads)", DLQ_COLUMN_TEXT, 0},
        {"memory", "GiB", DLQ_COLUMN_COUNT, 0},
        {"network", "Gbit/s", DLQ_COLUMN_NUMBER, 4},
        {"local_storage", "NVMe GB", DLQ_COLUMN_COUNT, 0},
        {"price", "$/h", DLQ_COLUMN_NUMBER, 4},
        {"source", "source", DLQ_COLUMN_COUNT, 0},
    };
    struct dlq_table *table = dlq_table_new(columns, COUNT_OF(columns));
    bool filled = table != NULL;
    for (size_t i = 0; filled && i < count; i++) {
        const struct dlq_instance *row = &rows[i];
        bool first = i == 0 || strcmp(row->provider, rows[i - 1].provider) != 0;
        char gpus[64], vcpus[64];
        snprintf(gpus, sizeof gpus, "%2ld %s", row->gpus, row->gpu);
        snprintf(vcpus, sizeof vcpus, "%3.0f, %2.0f per GPU", row->vcpus, row->vcpus / (double)row->gpus);
        filled = DLQ_TABLE_ADD(table, {NAN, first ? row->provider : ""}, {NAN, row->name}, {NAN, gpus}, {NAN, vcpus},
                               {row->memory / 1073741824.0, NULL}, {row->bandwidth / 1.25e8, NULL},
                               {row->local_storage / 1e9, NULL}, {row->price, NULL},
                               {(double)labs(source_of(rows, i)), NULL});
    }
    return dlq_result_whole(table, filled);
}

enum dlq_status dlq_run_instances(struct dlq_invocation *session)
{
    size_t count;
    const struct dlq_instance *rows = dlq_instances(&count);
    FILE *stream = session->out;
    if (session->args->csv || session->args->json)
        return dlq_result_rows(session, "instances", instances_data(rows, count));
    TRY(dlq_result_text(session, instances_text(rows, count)));
    fputc('\n', stream);
    dlq_text_wrap(stream,
                  "A hyper-thread is not a core: two share one; measure, or halve the number (--set host.cores=48). "
                  "$/h: on demand, in the region that the source names. -: not known.",
                  0, dlq_report_width(stream));
    fprintf(stream, "\nSources\n");
    for (size_t i = 0; i < count; i++) {
        char text[256];
        snprintf(text, sizeof text, "%ld: %s", source_of(rows, i), rows[i].source);
        if (source_of(rows, i) > 0)
            dlq_text_wrap(stream, text, 2, dlq_report_width(stream));
    }
    fprintf(stream, "\nnext: dlqueue plan my.ini --set host.instance=p4d.24xlarge\n");
    return DLQ_OK;
}
