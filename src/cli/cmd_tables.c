/* dlqueue loaders, dlqueue distributions, dlqueue instances */
#include "dlqueue/distributions.h"
#include "dlqueue/instances.h"
#include "dlqueue/loaders.h"
#include "draw/text.h"
#include "report/figures.h"
#include "report/report.h"
#include "result_files.h"

#include <math.h>
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
    struct dlq_distribution_help row;
    struct dlq_table *table = dlq_figures_table(&dlq_figures_distributions, NULL, 0);
    bool filled = table != NULL;
    for (size_t i = 0; filled && dlq_distribution_help(i, &row); i++)
        filled = dlq_figures_row(table, &dlq_figures_distributions, 0, &row, NULL);
    return write_table(session, table, filled,
                       "solve --loaders 8 --load 700ms --step 100ms --set load.distribution=gamma --cv 0.6");
}

enum dlq_status dlq_run_instances(struct dlq_invocation *session)
{
    static const struct dlq_column columns[] = {
        {"name", "instance", DLQ_COLUMN_TEXT, 0},
        {"provider", "provider", DLQ_COLUMN_TEXT, 0},
        {"gpu", "GPU", DLQ_COLUMN_TEXT, 0},
        {"gpus", "GPUs", DLQ_COLUMN_COUNT, 0},
        {"vcpus", "vCPU", DLQ_COLUMN_NUMBER, 3},
        {"vcpus_per_gpu", "per GPU", DLQ_COLUMN_NUMBER, 3},
        {"memory_bytes", "memory", DLQ_COLUMN_SIZE, 4},
        {"network_bytes_per_second", "network/s", DLQ_COLUMN_SIZE, 3},
        {"local_storage_bytes", "NVMe", DLQ_COLUMN_SIZE, 3},
        {"price_per_hour", "$/h", DLQ_COLUMN_NUMBER, 4},
        {"source", NULL, DLQ_COLUMN_TEXT, 0},
    };
    size_t count;
    const struct dlq_instance *rows = dlq_instances(&count);
    FILE *stream = session->out;
    struct dlq_table *table = dlq_table_new(columns, COUNT_OF(columns));
    bool filled = table != NULL;
    for (const struct dlq_instance *row = rows; filled && row < rows + count; row++)
        filled =
            DLQ_TABLE_ADD(table, {NAN, row->name}, {NAN, row->provider}, {NAN, row->gpu}, {(double)row->gpus, NULL},
                          {row->vcpus, NULL}, {row->vcpus / (double)row->gpus, NULL}, {row->memory, NULL},
                          {row->bandwidth, NULL}, {row->local_storage, NULL}, {row->price, NULL}, {NAN, row->source});
    table = dlq_result_whole(table, filled);
    if (session->args->csv || session->args->json)
        return dlq_result_rows(session, "instances", table);
    TRY(dlq_result_text(session, table));
    fputc('\n', stream);
    dlq_text_wrap(stream,
                  "vCPU are hyper-threads, of which two share a core; measure, or halve the number (--set "
                  "host.cores=48). $/h: on demand, in the region that the source names. -: not known.",
                  0, dlq_report_width(stream));
    fprintf(stream, "\nSources\n");
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (strcmp(rows[first].source, rows[i].source) != 0)
            first++;
        if (first == i)
            dlq_text_wrap(stream, rows[i].source, 2, dlq_report_width(stream));
    }
    fprintf(stream, "\nnext: dlqueue plan my.ini --set host.instance=p4d.24xlarge\n");
    return DLQ_OK;
}
