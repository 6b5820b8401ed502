#include "report/plan_report.h"

#include "analytic/analytic.h"
#include "base/arena.h"
#include "draw/memory.h"
#include "draw/table.h"
#include "draw/text.h"
#include "report/levers.h"
#include "report/phrase.h"
#include "report/plan_phrases.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "What rules of thumb say" stands below: both tables have the columns of a candidate. */
enum { RULE, COUNT, UPPER, FIGURE, HALF, BUSY, WAIT, MEMORY, SHM, CORES, HOURLY, COST, EPOCH, MARK, COLUMNS };

/* What a line can do without, first what it misses least. */
static const size_t spared[] = {BUSY, UPPER, CORES, HOURLY, WAIT, SHM, EPOCH};

/* What rules are not asked for. */
static const size_t brief[] = {BUSY, UPPER, WAIT, SHM, CORES, EPOCH};

static const struct dlq_column columns[COLUMNS] = {
    [RULE] = {"rule", "", DLQ_COLUMN_TEXT, 0},
    [COUNT] = {"count", "loaders", DLQ_COLUMN_COUNT, 0},
    [UPPER] = {"upper", "upper (1/s)", DLQ_COLUMN_NUMBER, 3},
    [FIGURE] = {"figure", "busy", DLQ_COLUMN_SHARE, 3},
    [HALF] = {"half", "±", DLQ_COLUMN_NUMBER, 2},
    [BUSY] = {"utilization", "busy", DLQ_COLUMN_SHARE, 3},
    [WAIT] = {"wait_p99", "p99 wait", DLQ_COLUMN_TIME, 2},
    [MEMORY] = {"memory_bytes", "RAM", DLQ_COLUMN_SIZE, 3},
    [SHM] = {"shm_bytes", "shm", DLQ_COLUMN_SIZE, 3},
    [CORES] = {"cores_used", "cores", DLQ_COLUMN_NUMBER, 3},
    [HOURLY] = {"cost_per_hour", "$/hour", DLQ_COLUMN_NUMBER, 4},
    [COST] = {"cost_per_million_samples", "$/million", DLQ_COLUMN_NUMBER, 3},
    [EPOCH] = {"epoch_seconds", "epoch", DLQ_COLUMN_TIME, 3},
    [MARK] = {"mark", "", DLQ_COLUMN_TEXT, 0},
};

/* A row of either table. */
struct row {
    const struct dlq_candidate *candidate;
    const char *rule; /* null: none */
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

static void fill_numbers(const struct dlq_plan *plan, const struct dlq_candidate *candidate, double numbers[COLUMNS])
{
    const struct dlq_simulation *simulation = &candidate->simulation;
    bool share = dlq_plan_of_share(plan), busy = strcmp(plan->of, "utilization") == 0;
    const double all[COLUMNS] = {
        [RULE] = NAN,
        [COUNT] = dlq_plan_amount(plan, candidate) / (dlq_plan_solved(plan)->rate != NULL ? 1e9 : 1),
        [UPPER] = candidate->bounds.upper,
        [FIGURE] = candidate->figure.value,
        [HALF] = dlq_simulation_has_intervals(simulation) ? half_width(candidate->figure, share) : NAN,
        [BUSY] = busy ? NAN : simulation->utilization.value,
        [WAIT] = simulation->wait_p99,
        [MEMORY] = candidate->host.memory_bytes > 0 ? candidate->host.memory_bytes : NAN,
        [SHM] = candidate->host.shm_bytes > 0 ? candidate->host.shm_bytes : NAN,
        [CORES] = candidate->host.cores_used,
        [HOURLY] = candidate->cost_per_hour,
        [COST] = candidate->cost_per_million_samples,
        [EPOCH] = simulation->epoch_seconds.value,
        [MARK] = NAN,
    };
    memcpy(numbers, all, sizeof all);
}

/* Headings in the words of the plan; what no row has, or all have alike, is left out. */
static void choose_columns(const struct dlq_plan *plan, const struct row *rows, size_t count,
                           struct dlq_column chosen[COLUMNS])
{
    memcpy(chosen, columns, sizeof columns);
    chosen[COUNT].heading = dlq_plan_solved(plan)->heading;
    if (strcmp(plan->solve, "instance") == 0)
        chosen[RULE].heading = "instance";
    if (strcmp(plan->solve, "cores") == 0)
        chosen[CORES].heading = "in use";
    if (dlq_plan_solved(plan)->rate != NULL)
        chosen[COUNT].kind = DLQ_COLUMN_NUMBER, chosen[COUNT].digits = 3;
    if (strcmp(plan->of, "au") == 0)
        chosen[FIGURE].heading = "au";
    if (!dlq_plan_of_share(plan)) {
        chosen[FIGURE].heading = "samples/s";
        chosen[FIGURE].kind = DLQ_COLUMN_NUMBER;
        chosen[FIGURE].digits = 4;
    }
    bool any[COLUMNS] = {[MARK] = true}, prices_differ = false;
    for (size_t i = 0; i < count; i++) {
        double numbers[COLUMNS];
        fill_numbers(plan, rows[i].candidate, numbers);
        any[RULE] = any[RULE] || rows[i].rule != NULL;
        for (size_t k = COUNT; k < MARK; k++)
            any[k] = any[k] || !isnan(numbers[k]);
        prices_differ = prices_differ || rows[i].candidate->cost_per_hour != rows[0].candidate->cost_per_hour;
    }
    any[HOURLY] = any[HOURLY] && prices_differ;
    for (size_t k = 0; k < COLUMNS; k++)
        if (!any[k])
            chosen[k].heading = NULL;
}

static int widest_line(char *text)
{
    int widest = 0;
    for (char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        char end = line[length];
        line[length] = '\0';
        int width = dlq_text_width(line);
        widest = width > widest ? width : widest;
        line[length] = end;
        line += length + (end != '\0');
    }
    return widest;
}

/* The table as text in allocated memory; null: no memory. */
static char *table_text(const struct dlq_plan *plan, const struct row *rows, size_t count,
                        const struct dlq_column chosen[COLUMNS], int indent)
{
    struct dlq_memory memory;
    struct dlq_table *table = dlq_table_new(chosen, COLUMNS);
    bool written = table != NULL;
    for (size_t i = 0; written && i < count; i++) {
        double numbers[COLUMNS];
        fill_numbers(plan, rows[i].candidate, numbers);
        written = dlq_table_row(table) && dlq_table_text(table, RULE, rows[i].rule) &&
                  dlq_table_text(table, MARK, rows[i].mark);
        for (size_t k = COUNT; written && k < MARK; k++)
            dlq_table_number(table, k, numbers[k]);
    }
    char *text = NULL;
    if (written && dlq_memory_begin(&memory)) {
        written = dlq_table_write(table, memory.stream, indent, -1, NULL);
        text = dlq_memory_end(&memory);
    }
    dlq_table_free(table);
    if (written)
        return text;
    free(text);
    return NULL;
}

/* As many columns as a line of the report holds. */
static enum dlq_status write_rows(FILE *stream, const struct dlq_plan *plan, const struct row *rows, size_t count,
                                  int indent, struct dlq_error *error)
{
    struct dlq_column chosen[COLUMNS];
    choose_columns(plan, rows, count, chosen);
    for (size_t i = 0; i < sizeof brief / sizeof *brief && rows[0].rule != NULL; i++)
        chosen[brief[i]].heading = NULL;
    for (size_t next = 0;;) {
        char *text = table_text(plan, rows, count, chosen, indent);
        if (text == NULL)
            return dlq_error_memory(error, "writing a plan");
        bool fits = widest_line(text) <= dlq_report_width(stream) || next == sizeof spared / sizeof *spared;
        if (fits)
            fputs(text, stream);
        free(text);
        if (fits)
            return DLQ_OK;
        chosen[spared[next++]].heading = NULL;
    }
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
        bool is_answer =
            dlq_plan_has_answer(plan) && dlq_plan_count(plan, candidate) == dlq_plan_count(plan, &plan->answer);
        const char *mark = is_answer ? plan->met ? "< answer" : "< best" : candidate->host.fits ? "" : "no room";
        rows[count].candidate = candidate;
        rows[count].rule = candidate->instance;
        snprintf(rows[count].mark, sizeof rows[count].mark, "%s", mark);
        count++;
    }
    enum dlq_status status = count > 0 ? write_rows(stream, plan, rows, count, 2, error) : DLQ_OK;
    free(rows);
    return status;
}

static enum dlq_status write_rules(FILE *stream, const struct dlq_plan *plan, struct dlq_error *error)
{
    struct row rows[DLQ_PLAN_RULES] = {0};
    if (plan->rule_count == 0)
        return DLQ_OK;
    fprintf(stream, "\n  What rules of thumb say\n");
    for (size_t i = 0; i < plan->rule_count; i++) {
        rows[i].candidate = &plan->rules[i].candidate;
        rows[i].rule = plan->rules[i].rule;
        long more = rows[i].candidate->loaders - plan->answer.loaders;
        const char *judged = !rows[i].candidate->host.fits ? "does not fit"
                             : !rows[i].candidate->meets   ? "misses the target"
                                                           : "meets it";
        snprintf(rows[i].mark, sizeof rows[i].mark, "%s", judged);
        if (rows[i].candidate->host.fits && rows[i].candidate->meets && plan->met && more > 0)
            snprintf(rows[i].mark, sizeof rows[i].mark, "meets it, %.30s more than needed", SAY_COUNT(more));
    }
    return write_rows(stream, plan, rows, plan->rule_count, 4, error);
}

/* With the price where it is the same for all. */
static void write_target(FILE *stream, const struct dlq_plan *plan)
{
    char target[DLQ_PLAN_WORDS], text[600], price[DLQ_TEXT_NUMBER];
    const char *most = SAY_COUNT(plan->at_most);
    struct dlq_phrase phrase = {.text = text, .size = sizeof text};
    bool ranks = strcmp(plan->solve, "ranks") == 0, prefetch = strcmp(plan->solve, "prefetch") == 0;
    bool instance = strcmp(plan->solve, "instance") == 0;
    dlq_phrase_add(&phrase, "Target: %s, ", dlq_plan_say_target(plan, target));
    if (ranks)
        dlq_phrase_add(&phrase, "with as many ranks as possible, at most %s", most);
    else if (prefetch)
        dlq_phrase_add(&phrase, "with a prefetch of at most %s", most);
    else if (instance)
        dlq_phrase_add(&phrase, "on the cheapest instance, with at most %s loaders", most);
    else if (dlq_plan_solved(plan)->rate != NULL)
        dlq_phrase_add(&phrase, "with the least bandwidth of %s",
                       strcmp(plan->solve, "storage") == 0 ? "the storage" : "a host");
    else
        dlq_phrase_add(&phrase, "at most %s%s", most,
                       plan->at_most == 1 ? dlq_plan_solved(plan)->one : dlq_plan_solved(plan)->many);
    if (!ranks && !instance && plan->count > 0 && !isnan(plan->candidates[0].cost_per_hour))
        dlq_phrase_add(&phrase, " · $%s per hour", dlq_text_fixed(plan->candidates[0].cost_per_hour, 2, price));
    fprintf(stream, "\n");
    dlq_text_wrap(stream, text, 2, dlq_report_width(stream));
}

enum dlq_status dlq_plan_report(FILE *stream, bool color, const struct dlq_plan_answer *planned,
                                struct dlq_error *error)
{
    const struct dlq_plan *plan = &planned->plan;
    dlq_report_head_of_rates(stream, color, &plan->description, dlq_plan_solved(plan)->name);
    write_target(stream, plan);
    fputc('\n', stream);
    TRY(write_candidates(stream, plan, error));
    TRY(write_rules(stream, plan, error));
    if (dlq_plan_has_answer(plan) && plan->levers.count > 0) {
        fputc('\n', stream);
        dlq_report_levers(stream, &plan->levers, plan->answer.simulation.throughput.value);
    }
    fputc('\n', stream);
    dlq_text_wrap_styled(stream, color, DLQ_STYLE_BOLD, planned->text, 2, dlq_report_width(stream));
    /* The word of the JSON, and what it means. */
    if (plan->binds != DLQ_CAUSE_NONE)
        fprintf(stream, "\n  binds: %s (%s)\n", dlq_cause_name(plan->binds), dlq_causes[plan->binds].holder);
    return DLQ_OK;
}

/* The first that meets the target, in the order in which they are wanted, else what reaches most; nothing where none
   fits. */
static void write_best(FILE *stream, const struct dlq_plan *plan)
{
    char count[DLQ_PLAN_WORDS], figure[DLQ_PLAN_WORDS], target[DLQ_PLAN_WORDS], text[4 * DLQ_PLAN_WORDS];
    const struct dlq_candidate *best = NULL;
    bool most = strcmp(plan->solve, "ranks") == 0;
    for (size_t i = 0; i < plan->count && (best == NULL || !best->meets); i++) {
        const struct dlq_candidate *candidate = &plan->candidates[most ? plan->count - 1 - i : i];
        if (candidate->host.fits && isfinite(candidate->figure.value) &&
            (candidate->meets || best == NULL || candidate->figure.value > best->figure.value))
            best = candidate;
    }
    if (best == NULL)
        return;
    snprintf(text, sizeof text, "Best so far: %s, with %s; the target, %s, is %s.",
             dlq_plan_say_count(plan, dlq_plan_count(plan, best), count),
             dlq_plan_say_figure(plan, best->figure.value, figure), dlq_plan_say_target(plan, target),
             !best->meets ? "not met yet"
             : most       ? "met, perhaps by more, too"
                          : "met, perhaps by fewer, too");
    fputc('\n', stream);
    dlq_text_wrap(stream, text, 2, dlq_report_width(stream));
}

enum dlq_status dlq_plan_report_finished(FILE *stream, bool color, const struct dlq_plan *plan, struct dlq_error *error)
{
    dlq_report_head_of_rates(stream, color, &plan->description, dlq_plan_solved(plan)->name);
    fprintf(stream, "\n  So far, without an answer\n");
    enum dlq_status status = write_candidates(stream, plan, error);
    write_best(stream, plan);
    return status;
}
