#include "report/diagnose_report.h"

#include "base/arena.h"
#include "report/phrase.h"

#include "draw/text.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of some ranks: the first, which prints, and those that wait for over 1 % of their time, as far as is known. */
static struct dlq_table *table_of(const struct dlq_diagnosis *diagnosis, bool all)
{
    struct dlq_table *table = dlq_figures_table(&dlq_figures_ranks, NULL, 0);
    bool filled = table != NULL;
    for (size_t r = 0; filled && r < diagnosis->rank_count; r++)
        if (all || r == 0 || diagnosis->ranks[r].slow ||
            !(diagnosis->ranks[r].ratio <= dlq_severity_from(DLQ_SEVERITY_SMALL)))
            filled = dlq_figures_row(table, &dlq_figures_ranks, 0, &diagnosis->ranks[r], diagnosis);
    if (filled)
        return table;
    dlq_table_free(table);
    return NULL;
}

struct dlq_table *dlq_diagnose_table(const struct dlq_diagnosis *diagnosis)
{
    return table_of(diagnosis, true);
}

static enum dlq_status write_ranks(FILE *stream, bool all, const struct dlq_diagnosis *diagnosis,
                                   struct dlq_error *error)
{
    if (diagnosis->rank_count < 2)
        return DLQ_OK;
    struct dlq_table *table = table_of(diagnosis, all);
    if (table == NULL)
        return dlq_error_memory(error, "writing a table");
    size_t hidden = diagnosis->rank_count - table->rows;
    fputc('\n', stream);
    bool written = dlq_table_write(table, stream, 2, -1, NULL);
    if (hidden > 0)
        fprintf(stream, "  %zu more rank%s wait%s for 1 %% of the time or less; --all shows %s\n", hidden,
                hidden == 1 ? "" : "s", hidden == 1 ? "s" : "", hidden == 1 ? "it" : "them");
    dlq_table_free(table);
    return written ? DLQ_OK : dlq_error_memory(error, "writing a table");
}

struct dlq_table *dlq_diagnose_runs_table(struct dlq_diagnosed *runs, size_t count)
{
    struct dlq_table *table = dlq_figures_table(&dlq_figures_runs, NULL, 0);
    bool filled = table != NULL;
    for (size_t i = 0; filled && i < count; i++) {
        double time = runs[i].diagnosis.iter_time.mean;
        runs[i].rate = time > 0 ? 1 / time : NAN;
        runs[i].speedup = time > 0 ? runs[0].diagnosis.iter_time.mean / time : NAN;
        filled = dlq_figures_row(table, &dlq_figures_runs, 0, &runs[i], &runs[i]);
    }
    if (filled)
        return table;
    dlq_table_free(table);
    return NULL;
}

/* -- times -- */

enum { NAME, MEAN, MEDIAN, P99, SHARE, TIME_COLUMNS };

static bool add_times(struct dlq_table *table, const char *name, const struct dlq_times *times, double share)
{
    if (isnan(times->mean))
        return true;
    if (!dlq_table_row(table) || !dlq_table_text(table, NAME, name))
        return false;
    dlq_table_number(table, MEAN, times->mean);
    dlq_table_number(table, MEDIAN, times->median);
    dlq_table_number(table, P99, times->p99);
    dlq_table_number(table, SHARE, share);
    return true;
}

static enum dlq_status write_times(FILE *stream, const struct dlq_diagnosis *diagnosis, struct dlq_error *error)
{
    struct dlq_column columns[TIME_COLUMNS] = {
        [NAME] = {"time", "", DLQ_COLUMN_TEXT, 0},
        [MEAN] = {"mean", "mean", DLQ_COLUMN_TIME, 3},
        [MEDIAN] = {"median", "median", DLQ_COLUMN_TIME, 3},
        [P99] = {"p99", "99 %", DLQ_COLUMN_TIME, 3},
        [SHARE] = {"share", "of the time", DLQ_COLUMN_SHARE, 3},
    };
    if (isnan(diagnosis->data_time.median) && isnan(diagnosis->iter_time.median))
        columns[MEDIAN].heading = columns[P99].heading = NULL; /* sums have none */
    else if (diagnosis->of_windows) {
        columns[MEDIAN].heading = "median window";
        columns[P99].heading = "99 % of windows";
    }
    if (isnan(diagnosis->ratio))
        columns[SHARE].heading = NULL;
    struct dlq_table *table = dlq_table_new(columns, TIME_COLUMNS);
    bool filled = table != NULL && add_times(table, "data time", &diagnosis->data_time, diagnosis->ratio) &&
                  add_times(table, "step", &diagnosis->step_time, 1 - diagnosis->ratio) &&
                  add_times(table, "iteration", &diagnosis->iter_time, NAN);
    if (filled)
        filled = dlq_table_write(table, stream, 2, -1, NULL);
    dlq_table_free(table);
    return filled ? DLQ_OK : dlq_error_memory(error, "writing a table");
}

/* -- the whole -- */

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

enum dlq_status dlq_diagnose_report(FILE *stream, bool color, bool all, const char *heading,
                                    const struct dlq_diagnosed *run, struct dlq_error *error)
{
    char text[400];
    const struct dlq_diagnosis *diagnosis = &run->diagnosis;
    dlq_text_styled(stream, color, DLQ_STYLE_BOLD, "%s", heading);
    fprintf(stream, "\n%s\n\n", dlq_logs_say(&run->facts, text, sizeof text));
    TRY(write_times(stream, diagnosis, error));
    TRY(write_ranks(stream, all, diagnosis, error));
    if (run->note_count > 0)
        fputc('\n', stream);
    for (size_t i = 0; i < run->note_count; i++)
        dlq_text_wrap_item(stream, "  - ", run->notes[i], dlq_report_width(stream));
    fputc('\n', stream);
    dlq_text_wrap_styled(stream, color, DLQ_STYLE_BOLD, run->verdict, 2, dlq_report_width(stream));
    return DLQ_OK;
}
