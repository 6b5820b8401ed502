/* The text of a diagnosis, and its cautions. */
#include "logs/calibration.h"
#include "logs/report/report.h"

#include <math.h>
#include <string.h>

static enum dlq_status write_times(FILE *stream, const struct dlq_diagnosis *diagnosis, struct dlq_error *error)
{
    bool sums = isnan(diagnosis->data_time.median) && isnan(diagnosis->iter_time.median); /* no medians */
    const char *median = diagnosis->of_windows ? "median window" : "median";
    const char *p99 = diagnosis->of_windows ? "99 % of windows" : "99 %";
    const enum dlq_column_kind kind = diagnosis->unit_unknown ? DLQ_COLUMN_NUMBER : DLQ_COLUMN_TIME;
    const struct dlq_column columns[] = {
        {"time", diagnosis->unit_unknown ? "s or ms" : "", DLQ_COLUMN_TEXT, 0},
        {"mean", "mean", kind, 3},
        {"median", sums ? NULL : median, kind, 3},
        {"p99", sums ? NULL : p99, kind, 3},
        {"share", isnan(diagnosis->ratio) ? NULL : "of iteration", DLQ_COLUMN_SHARE, 3},
    };
    const struct {
        const char *name;
        struct dlq_times times;
        double share;
    } rows[] = {{"data time", diagnosis->data_time, diagnosis->ratio},
                {"step", diagnosis->step_time, 1 - diagnosis->ratio},
                {"iteration", diagnosis->iter_time, NAN}};
    struct dlq_table *table = dlq_table_new(columns, sizeof columns / sizeof *columns);
    bool filled = table != NULL;
    for (size_t i = 0; filled && i < sizeof rows / sizeof *rows; i++)
        if (!isnan(rows[i].times.mean))
            filled = DLQ_TABLE_ADD(table, {NAN, rows[i].name}, {rows[i].times.mean, NULL}, {rows[i].times.median, NULL},
                                   {rows[i].times.p99, NULL}, {rows[i].share, NULL});
    filled = filled && dlq_table_write(table, stream, 2, -1, NULL);
    dlq_table_free(table);
    return filled ? DLQ_OK : dlq_error_memory(error, "writing a table");
}

bool dlq_is_of_other_unit(const struct dlq_budget *budget)
{
    const double ratio = budget->by_clock / budget->by_log;
    return budget->balance != DLQ_BALANCE_UNKNOWN &&
           (ratio > dlq_calibration.unit_differs || 1 / ratio > dlq_calibration.unit_differs);
}

/* Writes the parts of the time by the clock, from 1 % on, if one of them is neither iterations nor waits. */
static enum dlq_status write_budget(FILE *stream, const struct dlq_budget *budget, struct dlq_error *error)
{
    const struct dlq_column columns[] = {
        {"part", "Where the run went", DLQ_COLUMN_TEXT, 0},
        {"time", "time", DLQ_COLUMN_TIME, 3},
        {"share", "of the run", DLQ_COLUMN_SHARE, 3},
    };
    const double small = dlq_severity_from(DLQ_SEVERITY_SMALL);
    const struct {
        const char *name;
        double share, least;
    } rows[] = {
        {isnan(budget->waits) ? "iterations" : "iterations without waits", budget->iterations, 0},
        {"waits for data", budget->waits, 0},
        {"transfer to the device", budget->transfer, small},
        {"validation", budget->validation, small},
        {"saving checkpoints", budget->checkpoints, small},
        {"starts of epochs", budget->epoch_starts, small},
        {"pauses", budget->pauses, small},
        {"unexplained", budget->unexplained, dlq_severity_from(DLQ_SEVERITY_SLIGHT)},
    };
    const size_t count = sizeof rows / sizeof *rows;
    size_t shown = 0;
    for (size_t i = 0; i < count; i++)
        shown += rows[i].share >= rows[i].least;
    if (shown <= (isnan(budget->waits) ? 1 : 2) || dlq_is_of_other_unit(budget))
        return DLQ_OK;
    struct dlq_table *table = dlq_table_new(columns, sizeof columns / sizeof *columns);
    bool filled = table != NULL;
    for (size_t i = 0; filled && i < count; i++)
        if (rows[i].share >= rows[i].least)
            filled = DLQ_TABLE_ADD(table, {NAN, rows[i].name}, {rows[i].share * budget->seconds, NULL},
                                   {rows[i].share, NULL});
    fputc('\n', stream);
    filled = filled && dlq_table_write(table, stream, 2, -1, NULL);
    dlq_table_free(table);
    return filled ? DLQ_OK : dlq_error_memory(error, "writing a table");
}

const char *dlq_logs_say(const struct dlq_trace_facts *facts, char *text, size_t size)
{
    struct dlq_phrase phrase = {.text = text, .size = size, .separator = " · "};
    text[0] = '\0';
    dlq_phrase_add(&phrase, "%s", facts->format);
    if (facts->logs > 1)
        dlq_phrase_add(&phrase, "%zu logs", facts->logs);
    if (facts->ranks > 1)
        dlq_phrase_add(&phrase, "%zu ranks", facts->ranks);
    dlq_phrase_add(&phrase, "%s iteration%s", SAY_COUNT(facts->iterations), PLURAL(facts->iterations));
    return text;
}

size_t dlq_doubts_say(const struct dlq_trace_facts *facts, struct dlq_caution_said *said, size_t room)
{
    size_t count = 0;
    for (const char *text = facts->doubts != NULL ? facts->doubts : ""; *text != '\0' && count < room;
         text += strspn(text, "\n")) {
        const size_t length = strcspn(text, "\n");
        said[count] = (struct dlq_caution_said){.name = "reading", .since = NAN, .factor = NAN};
        snprintf(said[count++].text, DLQ_FIT_LINE, "%.*s", (int)length, text);
        text += length;
    }
    return count;
}

const char *dlq_log_time_say(const struct dlq_diagnosis *result, double seconds, char text[2 * DLQ_TEXT_NUMBER])
{
    snprintf(text, 2 * DLQ_TEXT_NUMBER, result->unit_unknown ? "%s s or ms" : "%s",
             result->unit_unknown ? SAY_NUMBER(seconds, 3) : SAY_TIME(seconds, 3));
    return text;
}

/* Adds a caution; the caller writes its text. */
static struct dlq_phrase add_caution(struct dlq_diagnosed *run, const char *name)
{
    struct dlq_caution_said *said = &run->cautions[run->caution_count++];
    *said = (struct dlq_caution_said){.name = name, .since = NAN, .factor = NAN};
    return (struct dlq_phrase){.text = said->text, .size = sizeof said->text};
}

/* Adds a caution of few iterations, if there are enough for a share of lost time. */
static void caution_few(struct dlq_diagnosed *run)
{
    const struct dlq_diagnosis *result = &run->diagnosis;
    if (isnan(result->lost_share) || result->log_length != DLQ_LOG_SHORT)
        return;
    struct dlq_phrase phrase = add_caution(run, "few");
    SAY(&phrase, "The log has %s iterations: too few to be sure.", SAY_COUNT(result->iterations));
}

/* Adds a caution of long steps: in the log of one rank, a step includes the wait for other ranks. */
static void caution_long_steps(struct dlq_diagnosed *run)
{
    const struct dlq_diagnosis *result = &run->diagnosis;
    const struct dlq_long_steps *steps = &result->long_steps;
    if (isnan(steps->excess_share))
        return;
    struct dlq_phrase phrase = add_caution(run, "long-steps");
    if (result->single_iterations)
        SAY(&phrase,
            "Half of the steps take %s or less, one in a hundred %s or more: ", SAY_LOG_TIME(result, steps->median),
            SAY_LOG_TIME(result, steps->p99));
    else
        SAY(&phrase, "The mean step is %s to %s from line to line: ", SAY_LOG_TIME(result, steps->least),
            SAY_LOG_TIME(result, steps->p99));
    SAY(&phrase,
        "%s of the time is in long steps. A rank waits for other ranks in its step: give the logs of all ranks. If all "
        "of that is waiting, training could run up to %sx faster (else: checkpoints, batches of unlike size).",
        SAY_SHARE(steps->excess_share), SAY_RATE(result->steady_iter / steps->median));
}

/* Adds a caution of times longer than the clock allows, which make the shares of the verdict doubtful. Of another unit
   the cautions of reading speak. */
static void caution_clock(struct dlq_diagnosed *run)
{
    const struct dlq_diagnosis *result = &run->diagnosis;
    const struct dlq_budget *budget = &result->budget;
    if (budget->balance != DLQ_BALANCE_OVER || result->sampled || dlq_is_of_other_unit(budget))
        return;
    struct dlq_phrase phrase = add_caution(run, "clock");
    SAY(&phrase,
        "By its time stamps an iteration takes %s, by its own times %s. So these are not means since the line before, "
        "but running means (--pattern with :running) or of single iterations, and all shares are doubtful.",
        SAY_LOG_TIME(result, budget->by_clock), SAY_LOG_TIME(result, budget->by_log));
}

void dlq_diagnosed_caution(struct dlq_diagnosed *run)
{
    run->caution_count = 0;
    caution_few(run);
    run->caution_count += dlq_doubts_say(&run->facts, run->cautions + run->caution_count, DLQ_READING_CAUTIONS);
    caution_long_steps(run);
    caution_clock(run);
}

void dlq_cautions_write(FILE *stream, const struct dlq_caution_said *said, size_t count)
{
    fputs(count > 0 ? "\n" : "", stream);
    for (size_t i = 0; i < count; i++)
        dlq_text_wrap_item(stream, "  - ", said[i].text, dlq_text_columns(stream));
}

enum dlq_status dlq_ranks_write(FILE *stream, bool all, const struct dlq_diagnosis *diagnosis, struct dlq_error *error)
{
    if (diagnosis->rank_count < 2)
        return DLQ_OK;
    /* Without `all`: the first rank, which usually prints the log, and ranks that may wait for over 1 % of the time. */
    struct dlq_table *table = dlq_figures_table(&dlq_figures_ranks, NULL, 0);
    bool filled = table != NULL;
    for (size_t r = 0; filled && r < diagnosis->rank_count; r++)
        if (all || r == 0 || diagnosis->ranks[r].slow ||
            !(diagnosis->ranks[r].ratio <= dlq_severity_from(DLQ_SEVERITY_SMALL)))
            filled = dlq_figures_row(table, &dlq_figures_ranks, 0, &diagnosis->ranks[r], diagnosis);
    if (filled) {
        size_t hidden = diagnosis->rank_count - table->rows;
        fputc('\n', stream);
        filled = dlq_table_write(table, stream, 2, -1, NULL);
        if (hidden > 0)
            fprintf(stream, "  %zu more rank%s wait%s for 1 %% of the time or less; --all shows %s\n", hidden,
                    PLURAL(hidden), hidden == 1 ? "s" : "", hidden == 1 ? "it" : "them");
    }
    dlq_table_free(table);
    return filled ? DLQ_OK : dlq_error_memory(error, "writing a table");
}

enum dlq_status dlq_diagnose_report(FILE *stream, bool color, bool all, const char *heading,
                                    const struct dlq_diagnosed *run, struct dlq_error *error)
{
    char text[400];
    const struct dlq_diagnosis *diagnosis = &run->diagnosis;
    dlq_text_wrap_bold(stream, color, run->verdict, 2, dlq_text_columns(stream));
    dlq_cautions_write(stream, run->cautions, run->caution_count);
    fputc('\n', stream);
    dlq_text_bold(stream, color, "%s", heading);
    fprintf(stream, "\n%s\n\n", dlq_logs_say(&run->facts, text, sizeof text));
    TRY(write_times(stream, diagnosis, error));
    TRY(write_budget(stream, &diagnosis->budget, error));
    TRY(dlq_ranks_write(stream, all, diagnosis, error));
    if (run->note_count > 0)
        fputc('\n', stream);
    for (size_t i = 0; i < run->note_count; i++)
        dlq_text_wrap_item(stream, "  - ", run->notes[i], dlq_text_columns(stream));
    return DLQ_OK;
}

json_t *dlq_diagnosed_waiting(const struct dlq_diagnosis *diagnosis)
{
    struct dlq_object object = dlq_object_new();
    const double lost = isnan(diagnosis->lost_share) ? diagnosis->ratio : diagnosis->lost_share;
    const double own = isnan(diagnosis->steady_ratio) ? diagnosis->ratio : diagnosis->steady_ratio;
    const bool ranks = diagnosis->rank_count > 1 && strcmp(SAY_SHARE(lost), SAY_SHARE(own)) != 0;
    const bool starts = !ranks && strcmp(SAY_SHARE(lost), SAY_SHARE(diagnosis->ratio)) != 0;
    char apart[80] = "of the time";
    if (ranks || starts)
        snprintf(apart, sizeof apart, "%s %.40s", ranks ? "a rank’s own data:" : "with the starts of epochs",
                 SAY_SHARE(ranks ? own : diagnosis->ratio));
    dlq_object_number(&object, "share", lost);
    dlq_object_text(&object, "text", SAY_SHARE(lost));
    dlq_object_text(&object, "apart", apart);
    dlq_object_text(&object, "heading",
                    ranks    ? "An iteration, as the latest rank holds it up"
                    : starts ? "An iteration between the starts of epochs"
                             : "An iteration, on average");
    return dlq_object_end(&object);
}
