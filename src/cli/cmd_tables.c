/* dlqueue loaders, dlqueue distributions */
#include "command.h"
#include "dlqueue/distributions.h"
#include "dlqueue/loaders.h"
#include "dlqueue/table.h"
#include "object.h"

#include <string.h>

static enum dlq_status write_table(struct dlq_session *session, const struct dlq_table *table, const char *next)
{
    if (session->args->csv) {
        dlq_table_write_csv(table, session->out);
        return DLQ_OK;
    }
    if (session->args->json) {
        struct dlq_object object = dlq_object_of_command(session->command->name);
        dlq_object_put(&object, session->command->name, dlq_json_rows(table));
        return dlq_json_write(dlq_object_end(&object), session->out, session->error);
    }
    dlq_table_write(table, session->out, 0, -1, NULL);
    fprintf(session->out, "\nnext: dlqueue solve %s\n", next);
    return DLQ_OK;
}

static const char *const orders[] = {[DLQ_ORDER_INDEX] = "index", [DLQ_ORDER_COMPLETION] = "completion"};
static const char *const assigns[] = {
    [DLQ_ASSIGN_TRAINER] = "trainer", [DLQ_ASSIGN_ROUND_ROBIN] = "round-robin", [DLQ_ASSIGN_POOL] = "pool",
    [DLQ_ASSIGN_OWNER] = "owner",     [DLQ_ASSIGN_SINGLE] = "single",
};
static const char *const releases[] = {[DLQ_RELEASE_DELIVERY] = "delivery", [DLQ_RELEASE_REQUEST] = "request"};

static bool fill_loader(struct dlq_table *table, const struct dlq_loader *loader)
{
    const char *const texts[] = {
        loader->name,
        orders[loader->order],
        assigns[loader->assign],
        loader->window == NULL ? NULL : loader->window_rule,
        loader->prefetch_name,
        NULL,
        releases[loader->release],
        loader->real,
    };
    bool filled = dlq_table_row(table);
    for (size_t i = 0; filled && i < sizeof texts / sizeof *texts; i++)
        if (texts[i] != NULL)
            filled = dlq_table_text(table, i, texts[i]);
    if (filled && loader->prefetch_name != NULL)
        dlq_table_number(table, 5, (double)loader->prefetch);
    return filled;
}

enum dlq_status dlq_run_loaders(struct dlq_session *session)
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
    const struct dlq_loader *loaders = dlq_loaders(&count);
    struct dlq_table *table = dlq_table_new(columns, sizeof columns / sizeof *columns);
    bool filled = table != NULL;
    for (size_t i = 0; filled && i < count; i++)
        filled = fill_loader(table, &loaders[i]);
    enum dlq_status status = filled
                                 ? write_table(session, table, "--loader pytorch --loaders 8 --load 700ms --step 100ms")
                                 : dlq_error_memory(session->error, "listing loaders");
    dlq_table_free(table);
    return status;
}

enum dlq_status dlq_run_distributions(struct dlq_session *session)
{
    static const struct dlq_column columns[] = {
        {"name", "distribution", DLQ_COLUMN_TEXT, 0},
        {"parameters", "parameters", DLQ_COLUMN_TEXT, 0},
        {"help", "what it is", DLQ_COLUMN_TEXT, 0},
    };
    struct dlq_distribution_help row;
    struct dlq_table *table = dlq_table_new(columns, sizeof columns / sizeof *columns);
    bool filled = table != NULL;
    for (size_t i = 0; filled && dlq_distribution_help(i, &row); i++)
        filled = dlq_table_row(table) && dlq_table_text(table, 0, row.name) &&
                 dlq_table_text(table, 1, row.parameters) && dlq_table_text(table, 2, row.help);
    enum dlq_status status =
        filled ? write_table(session, table,
                             "--loaders 8 --load 700ms --step 100ms --set load.distribution=gamma --cv 0.6")
               : dlq_error_memory(session->error, "listing distributions");
    dlq_table_free(table);
    return status;
}
