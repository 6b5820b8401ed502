/* The report of a plan: its target, its candidates, what rules of thumb say, and the finding. */
#include "report/plan_report.h"

#include "draw/table.h"
#include "report/causes.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

/* "What rules of thumb say" stands below: both tables have the columns of a candidate. */
enum { RULE, COUNT, FIGURE, HALF, WAIT, MEMORY, CORES, HOURLY, COST, MARK, COLUMNS };

/* Of shares in per cent; rounded up to a hundredth of that, or to the fifth digit: nobody needs to know it better. */
static double half_width(struct dlq_estimate figure, bool share)
{
    double half = 0.5 * (figure.high - figure.low);
    double unit = share ? 1e-4 : pow(10, floor(log10(fabs(figure.value))) - 4);
    double rounded = half > 1e-9 * fabs(figure.value) ? unit * ceil(half / unit * (1 - 1e-9)) : 0 * half;
    return share ? 100 * rounded : rounded;
}

/* What the table says behind a candidate. */
static const char *mark_of(const struct dlq_plan *plan, const struct dlq_candidate *candidate, bool rule, char text[64])
{
    const long more = candidate->loaders - plan->answer.loaders;
    const char *mark = "";
    if (!candidate->host.fits)
        mark = rule ? "does not fit" : "no room";
    else if (rule)
        mark = candidate->meets ? "meets it" : "misses the target";
    else if (dlq_plan_has_answer(plan) && candidate->value == plan->answer.value)
        mark = plan->met ? "< answer" : dlq_plan_is_best(plan) ? "< best" : "< as good as any";
    snprintf(text, 64, "%s", mark);
    if (rule && candidate->host.fits && candidate->meets && plan->met && more > 0)
        snprintf(text, 64, "meets it, %.30s more than needed", SAY_COUNT(more));
    return text;
}

/* Candidates, or what rules of thumb say. What no row has, prices that all have alike, and what rules are not asked
   for, is left out. */
static enum dlq_status write_rows(FILE *stream, const struct dlq_plan *plan, bool rules, struct dlq_error *error)
{
    const struct dlq_solved *words = dlq_plan_solved(plan);
    const bool share = dlq_plan_of_share(plan), rate = words->rate > 0;
    const struct dlq_column columns[COLUMNS] = {
        [RULE] = {"",
                  strcmp(plan->solve, "instance") == 0 ? "instance"
                  : rules                              ? ""
                                                       : NULL,
                  DLQ_COLUMN_TEXT, 0},
        [COUNT] = {"", words->heading, rate ? DLQ_COLUMN_NUMBER : DLQ_COLUMN_COUNT, 3},
        [FIGURE] = {"", share ? strcmp(plan->of, "au") == 0 ? "au" : "busy" : "samples/s",
                    share ? DLQ_COLUMN_SHARE : DLQ_COLUMN_NUMBER, share ? 3 : 4},
        [HALF] = {"", "±", DLQ_COLUMN_NUMBER, 2},
        [WAIT] = {"", "p99 wait", DLQ_COLUMN_TIME, 2},
        [MEMORY] = {"", "RAM", DLQ_COLUMN_SIZE, 3},
        [CORES] = {"", strcmp(plan->solve, "cores") == 0 ? "in use" : "cores", DLQ_COLUMN_NUMBER, 3},
        [HOURLY] = {"", "$/hour", DLQ_COLUMN_NUMBER, 4},
        [COST] = {"", "$/million", DLQ_COLUMN_NUMBER, 3},
        [MARK] = {"", "", DLQ_COLUMN_TEXT, 0},
    };
    bool shown[COLUMNS] = {[FIGURE] = true};
    struct dlq_table *table = dlq_table_new(columns, COLUMNS);
    bool written = table != NULL;
    double price = NAN;
    char mark[64];
    for (size_t i = 0; written && i < (rules ? plan->rule_count : plan->count); i++) {
        const struct dlq_candidate *candidate = rules ? &plan->rules[i].candidate : &plan->candidates[i];
        const char *name = rules ? plan->rules[i].rule : candidate->instance;
        if (!rules && !candidate->in_table)
            continue;
        const double bytes = candidate->host.memory_bytes, half = half_width(candidate->figure, share);
        const double values[COLUMNS] = {
            [COUNT] = dlq_plan_amount(plan, candidate) / (rate ? 1e9 : 1),
            [FIGURE] = candidate->figure.value,
            [HALF] = dlq_simulation_has_intervals(&candidate->simulation) ? half : NAN,
            [WAIT] = rules ? NAN : candidate->simulation.wait_p99,
            [MEMORY] = bytes == 0 ? NAN : bytes,
            [CORES] = rules ? NAN : candidate->host.cores_used,
            [HOURLY] = candidate->cost_per_hour,
            [COST] = candidate->cost_per_million_samples,
        };
        price = table->rows == 0 ? candidate->cost_per_hour : price;
        written = dlq_table_row(table) && dlq_table_text(table, RULE, name) &&
                  dlq_table_text(table, MARK, mark_of(plan, candidate, rules, mark));
        for (size_t k = COUNT; written && k < MARK; k++) {
            dlq_table_number(table, k, values[k]);
            bool alike = k == HOURLY && values[k] == price;
            shown[k] = shown[k] || (!isnan(values[k]) && !alike);
        }
    }
    for (size_t k = COUNT; written && k < MARK; k++)
        if (!shown[k])
            table->columns[k].heading = NULL;
    written = written && (table->rows == 0 || dlq_table_write(table, stream, rules ? 4 : 2, -1, NULL));
    dlq_table_free(table);
    return written ? DLQ_OK : dlq_error_memory(error, "writing a plan");
}

enum dlq_status dlq_plan_report(FILE *stream, bool color, const struct dlq_plan_answer *planned,
                                struct dlq_error *error)
{
    const struct dlq_plan *plan = &planned->plan;
    const struct dlq_solved *words = dlq_plan_solved(plan);
    char level[DLQ_PLAN_WORDS], text[600], price[DLQ_TEXT_NUMBER];
    struct dlq_phrase phrase = {.text = text, .size = sizeof text};
    const bool most = strcmp(plan->solve, "ranks") == 0, instance = strcmp(plan->solve, "instance") == 0;
    dlq_report_head(stream, color, &plan->description, true, plan->solve);
    if (plan->interrupted) {
        fprintf(stream, "\n  So far, without an answer\n");
        return write_rows(stream, plan, false, error);
    }
    dlq_phrase_add(&phrase, "Target: %s%s%s", strcmp(plan->of, "au") == 0 ? "AU " : "", dlq_plan_say_level(plan, level),
                   strcmp(plan->of, "utilization") == 0 ? " utilization" : "");
    if (words->rate > 0)
        dlq_phrase_add(&phrase, " · the least bandwidth%s", words->unit);
    else
        dlq_phrase_add(&phrase, " · %s%s: %sat most %s", instance ? "the cheapest instance · " : "", words->heading,
                       most ? "as many as possible, " : "", SAY_COUNT(plan->at_most));
    /* Where the price is the same for all. */
    if (!most && !instance && plan->count > 0 && !isnan(plan->candidates[0].cost_per_hour))
        dlq_phrase_add(&phrase, " · $%s per hour", dlq_text_fixed(plan->candidates[0].cost_per_hour, 2, price));
    fputc('\n', stream);
    dlq_text_wrap(stream, text, 2, dlq_text_columns(stream));
    fputc('\n', stream);
    TRY(write_rows(stream, plan, false, error));
    if (plan->rule_count > 0) {
        fprintf(stream, "\n  What rules of thumb say\n");
        TRY(write_rows(stream, plan, true, error));
    }
    if (dlq_plan_has_answer(plan) && plan->levers.count > 0) {
        fputc('\n', stream);
        TRY(dlq_report_levers(stream, &plan->levers, dlq_plan_say_choice(plan, &plan->answer, level), error));
    }
    fputc('\n', stream);
    dlq_text_wrap_bold(stream, color, planned->text, 2, dlq_text_columns(stream));
    /* The word of the JSON, and what it means. */
    if (plan->binds != DLQ_CAUSE_NONE)
        fprintf(stream, "\n  binds: %s (%s)\n", dlq_cause_name(plan->binds),
                dlq_cause_holder(plan->binds, &plan->answer.bounds, plan->description.epoch_batches));
    return DLQ_OK;
}
