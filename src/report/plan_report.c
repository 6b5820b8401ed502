/* The report of a plan: its target, its candidates, what rules of thumb say, and the finding. */
#include "report/plan_report.h"

#include "base/arena.h"
#include "draw/memory.h"
#include "draw/table.h"
#include "draw/text.h"
#include "report/causes.h"
#include "report/levers.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "What rules of thumb say" stands below: both tables have the columns of a candidate. */
enum { RULE, COUNT, UPPER, FIGURE, HALF, BUSY, WAIT, MEMORY, SHM, CORES, HOURLY, COST, EPOCH, MARK, COLUMNS };

/* What a line can do without, first what it misses least. */
static const size_t spared[] = {BUSY, UPPER, CORES, HOURLY, WAIT, SHM, EPOCH};

/* What rules are not asked for; shm where all of them fit. */
static const size_t brief[] = {BUSY, UPPER, WAIT, CORES, EPOCH, SHM};

#define C(member) offsetof(struct dlq_candidate, member)
/* at: of a number in a candidate. */
static const struct {
    struct dlq_column column;
    size_t at;
} columns[COLUMNS] = {
    [RULE] = {{"rule", "", DLQ_COLUMN_TEXT, 0}, 0},
    [COUNT] = {{"count", "loaders", DLQ_COLUMN_COUNT, 0}, 0},
    [UPPER] = {{"upper", "upper (1/s)", DLQ_COLUMN_NUMBER, 3}, C(bounds.upper)},
    [FIGURE] = {{"figure", "busy", DLQ_COLUMN_SHARE, 3}, C(figure.value)},
    [HALF] = {{"half", "±", DLQ_COLUMN_NUMBER, 2}, 0},
    [BUSY] = {{"utilization", "busy", DLQ_COLUMN_SHARE, 3}, C(simulation.utilization.value)},
    [WAIT] = {{"wait_p99", "p99 wait", DLQ_COLUMN_TIME, 2}, C(simulation.wait_p99)},
    [MEMORY] = {{"memory_bytes", "RAM", DLQ_COLUMN_SIZE, 3}, C(host.memory_bytes)},
    [SHM] = {{"shm_bytes", "shm", DLQ_COLUMN_SIZE, 3}, C(host.shm_bytes)},
    [CORES] = {{"cores_used", "cores", DLQ_COLUMN_NUMBER, 3}, C(host.cores_used)},
    [HOURLY] = {{"cost_per_hour", "$/hour", DLQ_COLUMN_NUMBER, 4}, C(cost_per_hour)},
    [COST] = {{"cost_per_million_samples", "$/million", DLQ_COLUMN_NUMBER, 3}, C(cost_per_million_samples)},
    [EPOCH] = {{"epoch_seconds", "epoch", DLQ_COLUMN_TIME, 3}, C(simulation.epoch_seconds.value)},
    [MARK] = {{"mark", "", DLQ_COLUMN_TEXT, 0}, 0},
};

/* A row of either table. */
struct row {
    const struct dlq_candidate *candidate;
    const char *rule; /* or an instance; null: none */
    char mark[64];
};

/* Of shares in per cent; rounded up to a hundredth of that, or to the fifth digit: nobody needs to know it better. */
static double half_width(struct dlq_estimate figure, bool share)
{
    double half = 0.5 * (figure.high - figure.low);
    double unit = share ? 1e-4 : pow(10, floor(log10(fabs(figure.value))) - 4);
    double rounded = half > 1e-9 * fabs(figure.value) ? unit * ceil(half / unit * (1 - 1e-9)) : 0 * half;
    return share ? 100 * rounded : rounded;
}

static double value_of(const struct dlq_plan *plan, const struct dlq_candidate *candidate, size_t column)
{
    if (column == COUNT)
        return dlq_plan_amount(plan, candidate) / (dlq_plan_solved(plan)->rate > 0 ? 1e9 : 1);
    if (column == HALF)
        return dlq_simulation_has_intervals(&candidate->simulation)
                   ? half_width(candidate->figure, dlq_plan_of_share(plan))
                   : NAN;
    double value = *(const double *)(const void *)((const char *)candidate + columns[column].at);
    return (column == MEMORY || column == SHM) && value == 0 ? NAN : value;
}

/* Headings in the words of the plan; what no row has, or all have alike, is left out. */
static void choose_columns(const struct dlq_plan *plan, const struct row *rows, size_t count,
                           struct dlq_column chosen[COLUMNS])
{
    for (size_t k = 0; k < COLUMNS; k++)
        chosen[k] = columns[k].column;
    if (strcmp(plan->of, "utilization") == 0)
        chosen[BUSY].heading = NULL;
    chosen[COUNT].heading = dlq_plan_solved(plan)->heading;
    if (strcmp(plan->solve, "instance") == 0)
        chosen[RULE].heading = "instance";
    if (strcmp(plan->solve, "cores") == 0)
        chosen[CORES].heading = "in use";
    if (dlq_plan_solved(plan)->rate > 0)
        chosen[COUNT].kind = DLQ_COLUMN_NUMBER, chosen[COUNT].digits = 3;
    if (strcmp(plan->of, "au") == 0)
        chosen[FIGURE].heading = "au";
    if (!dlq_plan_of_share(plan))
        chosen[FIGURE] = (struct dlq_column){"figure", "samples/s", DLQ_COLUMN_NUMBER, 4};
    if (rows[0].rule == NULL)
        chosen[RULE].heading = NULL;
    bool prices_differ = false;
    for (size_t i = 0; i < count; i++)
        prices_differ = prices_differ || rows[i].candidate->cost_per_hour != rows[0].candidate->cost_per_hour;
    for (size_t k = COUNT; k < MARK; k++) {
        bool any = false;
        for (size_t i = 0; i < count; i++)
            any = any || !isnan(value_of(plan, rows[i].candidate, k));
        if (!any || (k == HOURLY && !prices_differ))
            chosen[k].heading = NULL;
    }
}

static int widest_line(const char *text)
{
    int widest = 0, width = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        width = *at == '\n' ? 0 : width + ((*at & 0xc0) != 0x80);
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* As many columns as a line of the report holds. */
static enum dlq_status write_rows(FILE *stream, const struct dlq_plan *plan, const struct row *rows, size_t count,
                                  bool rules, struct dlq_error *error)
{
    struct dlq_column chosen[COLUMNS];
    const size_t last = sizeof spared / sizeof *spared;
    bool written = true;
    choose_columns(plan, rows, count, chosen);
    bool all_fit = true;
    for (size_t i = 0; i < count; i++)
        all_fit = all_fit && rows[i].candidate->host.fits;
    for (size_t i = 0; i < sizeof brief / sizeof *brief && rules; i++)
        if (brief[i] != SHM || all_fit)
            chosen[brief[i]].heading = NULL;
    for (size_t next = 0; written && next <= last; next++) {
        struct dlq_memory memory;
        struct dlq_table *table = dlq_table_new(chosen, COLUMNS);
        char *text = NULL;
        written = table != NULL;
        for (size_t i = 0; written && i < count; i++) {
            written = dlq_table_row(table) && dlq_table_text(table, RULE, rows[i].rule) &&
                      dlq_table_text(table, MARK, rows[i].mark);
            for (size_t k = COUNT; written && k < MARK; k++)
                dlq_table_number(table, k, value_of(plan, rows[i].candidate, k));
        }
        written = written && dlq_memory_begin(&memory);
        if (written) {
            written = dlq_table_write(table, memory.stream, rules ? 4 : 2, -1, NULL);
            text = dlq_memory_end(&memory);
            written = written && text != NULL;
        }
        bool fits = written && (widest_line(text) <= dlq_report_width(stream) || next == last);
        if (fits)
            fputs(text, stream);
        free(text);
        dlq_table_free(table);
        if (fits)
            return DLQ_OK;
        if (next < last)
            chosen[spared[next]].heading = NULL;
    }
    return dlq_error_memory(error, "writing a plan");
}

static enum dlq_status write_candidates(FILE *stream, const struct dlq_plan *plan, struct dlq_error *error)
{
    struct row *rows = calloc(plan->count + 1, sizeof *rows);
    size_t count = 0;
    if (rows == NULL)
        return dlq_error_memory(error, "writing a plan");
    for (size_t i = 0; i < plan->count; i++) {
        const struct dlq_candidate *candidate = &plan->candidates[i];
        if (!candidate->in_table)
            continue;
        bool is_answer = dlq_plan_has_answer(plan) && candidate->value == plan->answer.value;
        rows[count] = (struct row){candidate, candidate->instance, ""};
        snprintf(rows[count++].mark, sizeof rows->mark, "%s%s", is_answer ? "< " : "",
                 is_answer              ? plan->met ? "answer" : dlq_plan_say_rank(plan)
                              : candidate->host.fits ? ""
                                        : "no room");
    }
    enum dlq_status status = count > 0 ? write_rows(stream, plan, rows, count, false, error) : DLQ_OK;
    free(rows);
    return status;
}

static enum dlq_status write_rules(FILE *stream, const struct dlq_plan *plan, struct dlq_error *error)
{
    struct row rows[DLQ_PLAN_RULES];
    if (plan->rule_count == 0)
        return DLQ_OK;
    fprintf(stream, "\n  What rules of thumb say\n");
    for (size_t i = 0; i < plan->rule_count; i++) {
        const struct dlq_candidate *candidate = &plan->rules[i].candidate;
        long more = candidate->loaders - plan->answer.loaders;
        rows[i] = (struct row){candidate, plan->rules[i].rule, ""};
        snprintf(rows[i].mark, sizeof rows[i].mark, "%s",
                 !candidate->host.fits ? "does not fit"
                 : !candidate->meets   ? "misses the target"
                                       : "meets it");
        if (candidate->host.fits && candidate->meets && plan->met && more > 0)
            snprintf(rows[i].mark, sizeof rows[i].mark, "meets it, %.30s more than needed", SAY_COUNT(more));
    }
    return write_rows(stream, plan, rows, plan->rule_count, true, error);
}

/* With the price where it is the same for all. */
static void write_target(FILE *stream, const struct dlq_plan *plan)
{
    char level[DLQ_PLAN_WORDS], text[600], price[DLQ_TEXT_NUMBER];
    const struct dlq_solved *words = dlq_plan_solved(plan);
    struct dlq_phrase phrase = {.text = text, .size = sizeof text};
    bool most = strcmp(plan->solve, "ranks") == 0, instance = strcmp(plan->solve, "instance") == 0;
    dlq_phrase_add(&phrase, "Target: %s%s%s", strcmp(plan->of, "au") == 0 ? "AU " : "", dlq_plan_say_level(plan, level),
                   strcmp(plan->of, "utilization") == 0 ? " utilization" : "");
    if (words->rate > 0)
        dlq_phrase_add(&phrase, " · the least bandwidth%s", words->unit);
    else
        dlq_phrase_add(&phrase, " · %s%s: %sat most %s", instance ? "the cheapest instance · " : "", words->heading,
                       most ? "as many as possible, " : "", SAY_COUNT(plan->at_most));
    if (!most && !instance && plan->count > 0 && !isnan(plan->candidates[0].cost_per_hour))
        dlq_phrase_add(&phrase, " · $%s per hour", dlq_text_fixed(plan->candidates[0].cost_per_hour, 2, price));
    fprintf(stream, "\n");
    dlq_text_wrap(stream, text, 2, dlq_report_width(stream));
}

enum dlq_status dlq_plan_report(FILE *stream, bool color, const struct dlq_plan_answer *planned,
                                struct dlq_error *error)
{
    const struct dlq_plan *plan = &planned->plan;
    dlq_report_head(stream, color, &plan->description, true, plan->solve);
    if (plan->interrupted) {
        fprintf(stream, "\n  So far, without an answer\n");
        return write_candidates(stream, plan, error);
    }
    write_target(stream, plan);
    fputc('\n', stream);
    TRY(write_candidates(stream, plan, error));
    TRY(write_rules(stream, plan, error));
    if (dlq_plan_has_answer(plan) && plan->levers.count > 0) {
        fputc('\n', stream);
        TRY(dlq_report_levers(stream, &plan->levers, error));
    }
    fputc('\n', stream);
    dlq_text_wrap_styled(stream, color, DLQ_STYLE_BOLD, planned->text, 2, dlq_report_width(stream));
    /* The word of the JSON, and what it means. */
    if (plan->binds != DLQ_CAUSE_NONE)
        fprintf(stream, "\n  binds: %s (%s)\n", dlq_cause_name(plan->binds), dlq_causes[plan->binds].holder);
    return DLQ_OK;
}
