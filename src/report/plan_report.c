/* The report of a plan: target, candidates, rules of thumb, levers and the finding in words. */
#include "report/plan_report.h"

#include "draw/table.h"
#include "report/causes.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

/* Columns of the table of candidates, and of the table of rules of thumb below it. NAME: of an instance or a rule. */
enum { NAME, COUNT, FIGURE, HALF, WAIT, MEMORY, CORES, HOURLY, COST, EPOCH, MARK, COLUMNS };

/* Half the width of the figure's interval, rounded up. For a share: in per cent, to 0.01. For samples/s: to the place
   of the fifth digit of the figure. */
static double half_width(struct dlq_estimate figure, bool share)
{
    double half = 0.5 * (figure.high - figure.low);
    double unit = share ? 1e-4 : pow(10, floor(log10(fabs(figure.value))) - 4);
    double rounded = half > 1e-9 * fabs(figure.value) ? unit * ceil(half / unit * (1 - 1e-9)) : 0 * half /* 0 or NAN */;
    return share ? 100 * rounded : rounded;
}

/* The remark behind a candidate in the table. */
static const char *mark_of(const struct dlq_plan *plan, const struct dlq_candidate *candidate, bool rule, char text[64])
{
    const long more = candidate->loaders - plan->answer.loaders;
    const char *mark = "";
    if (!candidate->host.fits)
        mark = rule ? "does not fit" : "no room";
    else if (rule)
        mark = candidate->meets ? "meets it" : "misses the target";
    else if (dlq_plan_has_answer(plan) && candidate->value == plan->answer.value)
        mark = plan->met ? "< answer" : dlq_plan_is_best(plan) ? "< best" : "< best within the intervals";
    snprintf(text, 64, "%s", mark);
    if (rule && candidate->host.fits && candidate->meets && plan->met && more > 0)
        snprintf(text, 64, "meets it, %.30s more than needed", SAY_COUNT(more));
    return text;
}

/* Writes the table of candidates, or of rules of thumb. Columns without a value are left out, and prices per hour that
   are all the same. */
static enum dlq_status write_rows(FILE *stream, const struct dlq_plan *plan, bool rules, struct dlq_error *error)
{
    const struct dlq_quantity_words *words = dlq_plan_quantity(plan);
    const bool share = dlq_plan_of_share(plan), rate = words->rate > 0;
    const struct dlq_column columns[COLUMNS] = {
        [NAME] = {"",
                  plan->solve == DLQ_SOLVE_INSTANCE ? "instance"
                  : rules                           ? ""
                                                    : NULL,
                  DLQ_COLUMN_TEXT, 0},
        [COUNT] = {"", words->heading, rate ? DLQ_COLUMN_NUMBER : DLQ_COLUMN_COUNT, 3},
        [FIGURE] = {"", share ? plan->of == DLQ_OF_AU ? "au" : "busy" : "samples/s",
                    share ? DLQ_COLUMN_SHARE : DLQ_COLUMN_NUMBER, share ? 3 : 4},
        [HALF] = {"", "±", DLQ_COLUMN_NUMBER, 2},
        [WAIT] = {"", "p99 wait", DLQ_COLUMN_TIME, 2},
        [MEMORY] = {"", "RAM", DLQ_COLUMN_SIZE, 3},
        [CORES] = {"", plan->solve == DLQ_SOLVE_CORES ? "in use" : "cores", DLQ_COLUMN_NUMBER, 3},
        [HOURLY] = {"", "$/hour", DLQ_COLUMN_NUMBER, 4},
        [COST] = {"", "$/million", DLQ_COLUMN_NUMBER, 3},
        [EPOCH] = {"", "$/epoch", DLQ_COLUMN_NUMBER, 3},
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
            [COUNT] = dlq_plan_amount(plan, candidate) / (rate ? 1e9 : 1), /* GB/s */
            [FIGURE] = candidate->figure.value,
            [HALF] = dlq_simulation_has_intervals(&candidate->simulation) ? half : NAN,
            [WAIT] = rules ? NAN : candidate->simulation.wait_p99,
            [MEMORY] = bytes == 0 ? NAN : bytes,
            [CORES] = rules ? NAN : candidate->host.cores_used,
            [HOURLY] = candidate->cost_per_hour,
            [COST] = candidate->cost_per_million_samples,
            [EPOCH] = rules ? NAN : candidate->cost_per_hour / 3600 * candidate->simulation.epoch_seconds.value,
        };
        price = table->rows == 0 ? candidate->cost_per_hour : price;
        written = dlq_table_row(table) && dlq_table_text(table, NAME, name) &&
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
    const struct dlq_quantity_words *words = dlq_plan_quantity(plan);
    char phrase_text[DLQ_PLAN_WORDS], text[600];
    struct dlq_phrase phrase = {.text = text, .size = sizeof text};
    const bool most = plan->solve == DLQ_SOLVE_RANKS, instance = plan->solve == DLQ_SOLVE_INSTANCE;
    if (!plan->interrupted)
        dlq_text_answer(stream, color, planned->text);
    dlq_report_head(stream, color, &plan->description, true, dlq_plan_solve_name(plan->solve));
    if (plan->interrupted) {
        fprintf(stream, "\n  So far, without an answer\n");
        return write_rows(stream, plan, false, error);
    }
    dlq_phrase_add(&phrase, "Target: %s%s%s", plan->of == DLQ_OF_AU ? "AU " : "",
                   dlq_plan_say_target(plan, phrase_text), plan->of == DLQ_OF_UTILIZATION ? " utilization" : "");
    if (words->rate > 0)
        dlq_phrase_add(&phrase, " · the least bandwidth%s", words->unit);
    else
        dlq_phrase_add(&phrase, " · %s%s: %sat most %s", instance ? "the cheapest instance · " : "", words->heading,
                       most ? "as many as possible, " : "", SAY_COUNT(plan->at_most));
    /* Unless ranks or instances are solved for, all candidates have the same price per hour. */
    if (!most && !instance && plan->count > 0 && !isnan(plan->candidates[0].cost_per_hour))
        dlq_phrase_add(&phrase, " · $%s per hour", SAY_FIXED(plan->candidates[0].cost_per_hour, 2));
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
        TRY(dlq_report_levers(stream, &plan->levers, dlq_plan_say_choice(plan, &plan->answer, phrase_text), error));
    }
    const struct dlq_candidate *held = dlq_plan_held(plan);
    const char *holder = dlq_cause_holder(plan->obstacle, &held->bounds, plan->description.epoch_batches);
    const bool said = holder == NULL || strstr(planned->text, holder) != NULL;
    if (plan->obstacle == DLQ_CAUSE_NONE)
        return DLQ_OK;
    fprintf(stream, said ? "\n  binds: %s" : "\n  binds: %s (%s)", dlq_cause_name(plan->obstacle), holder);
    fprintf(stream, instance ? ", on %s\n" : "\n", held->instance);
    return DLQ_OK;
}
