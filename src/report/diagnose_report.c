#include "report/diagnose_report.h"

#include "base/arena.h"
#include "report/phrase.h"

#include "draw/text.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- ranks -- */

enum {
    RANK,
    ITERATIONS,
    DATA_MEAN,
    DATA_MEDIAN,
    DATA_P99,
    ITER_MEAN,
    ITER_MEDIAN,
    ITER_P99,
    RATIO,
    SLOW,
    RANK_COLUMNS
};

static const struct dlq_column rank_columns[RANK_COLUMNS] = {
    [RANK] = {"rank", "rank", DLQ_COLUMN_COUNT, 0},
    [ITERATIONS] = {"iterations", "iterations", DLQ_COLUMN_COUNT, 0},
    [DATA_MEAN] = {"data_mean", "data time", DLQ_COLUMN_TIME, 3},
    [DATA_MEDIAN] = {"data_median", "median", DLQ_COLUMN_TIME, 3},
    [DATA_P99] = {"data_p99", "99 %", DLQ_COLUMN_TIME, 3},
    [ITER_MEAN] = {"iter_mean", "iteration", DLQ_COLUMN_TIME, 3},
    [ITER_MEDIAN] = {"iter_median", NULL, DLQ_COLUMN_TIME, 3},
    [ITER_P99] = {"iter_p99", NULL, DLQ_COLUMN_TIME, 3},
    [RATIO] = {"ratio", "data/iteration", DLQ_COLUMN_SHARE, 3},
    [SLOW] = {"slow", "slow", DLQ_COLUMN_FLAG, 0},
};

static bool add_rank(struct dlq_table *table, const struct dlq_rank_diagnosis *rank)
{
    const double numbers[RANK_COLUMNS] = {
        [RANK] = (double)rank->rank,
        [ITERATIONS] = (double)rank->iterations,
        [DATA_MEAN] = rank->data_time.mean,
        [DATA_MEDIAN] = rank->data_time.median,
        [DATA_P99] = rank->data_time.p99,
        [ITER_MEAN] = rank->iter_time.mean,
        [ITER_MEDIAN] = rank->iter_time.median,
        [ITER_P99] = rank->iter_time.p99,
        [RATIO] = rank->ratio,
        [SLOW] = rank->slow,
    };
    if (!dlq_table_row(table))
        return false;
    for (size_t i = 0; i < RANK_COLUMNS; i++)
        dlq_table_number(table, i, numbers[i]);
    return true;
}

/* The first, which prints, and those that wait for over 1 % of their time, as far as is known. */
static bool is_shown(const struct dlq_diagnosis *diagnosis, size_t r)
{
    return r == 0 || diagnosis->ranks[r].slow || !(diagnosis->ranks[r].ratio <= dlq_severity_from(DLQ_SEVERITY_SMALL));
}

static struct dlq_table *table_of(const struct dlq_diagnosis *diagnosis, bool all)
{
    struct dlq_table *table = dlq_table_new(rank_columns, RANK_COLUMNS);
    bool filled = table != NULL;
    for (size_t r = 0; filled && r < diagnosis->rank_count; r++)
        if (all || is_shown(diagnosis, r))
            filled = add_rank(table, &diagnosis->ranks[r]);
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
    size_t hidden = diagnosis->rank_count - dlq_table_rows(table);
    fputc('\n', stream);
    bool written = dlq_table_write(table, stream, 2, -1, NULL);
    if (hidden > 0)
        fprintf(stream, "  %zu more rank%s wait%s for 1 %% of the time or less; --all shows %s\n", hidden,
                hidden == 1 ? "" : "s", hidden == 1 ? "s" : "", hidden == 1 ? "it" : "them");
    dlq_table_free(table);
    return written ? DLQ_OK : dlq_error_memory(error, "writing a table");
}

/* -- several runs -- */

enum { LOG, RUN_RANKS, RUN_ITERATIONS, RUN_DATA, RUN_ITER, RUN_RATIO, LOST, RATE, SPEEDUP, BOUND_BY, RUN_COLUMNS };

static const struct dlq_column run_columns[RUN_COLUMNS] = {
    [LOG] = {"log", "", DLQ_COLUMN_TEXT, 0},
    [RUN_RANKS] = {"ranks", "ranks", DLQ_COLUMN_COUNT, 0},
    [RUN_ITERATIONS] = {"iterations", "iterations", DLQ_COLUMN_COUNT, 0},
    [RUN_DATA] = {"data_mean", "data time", DLQ_COLUMN_TIME, 3},
    [RUN_ITER] = {"iter_mean", "iteration", DLQ_COLUMN_TIME, 3},
    [RUN_RATIO] = {"ratio", NULL, DLQ_COLUMN_SHARE, 3},
    [LOST] = {"lost", "lost", DLQ_COLUMN_SHARE, 3},
    [RATE] = {"rate", "iterations/s", DLQ_COLUMN_NUMBER, 3},
    [SPEEDUP] = {"speedup", "speed-up", DLQ_COLUMN_NUMBER, 3},
    [BOUND_BY] = {"bound_by", "bound by", DLQ_COLUMN_TEXT, 0},
};

static bool add_run(struct dlq_table *table, const struct dlq_diagnosed *run, const struct dlq_diagnosed *first)
{
    const struct dlq_diagnosis *diagnosis = &run->diagnosis;
    double time = diagnosis->iter_time.mean, before = first->diagnosis.iter_time.mean;
    const double numbers[RUN_COLUMNS] = {
        [RUN_RANKS] = (double)diagnosis->rank_count,
        [RUN_ITERATIONS] = (double)diagnosis->iterations,
        [RUN_DATA] = diagnosis->data_time.mean,
        [RUN_ITER] = time,
        [RUN_RATIO] = diagnosis->ratio,
        [LOST] = diagnosis->lost,
        [RATE] = time > 0 ? 1 / time : NAN,
        [SPEEDUP] = time > 0 ? before / time : NAN,
    };
    if (!dlq_table_row(table) || !dlq_table_text(table, LOG, run->facts.name) ||
        !dlq_table_text(table, BOUND_BY, run->bound_by))
        return false;
    for (size_t i = RUN_RANKS; i < BOUND_BY; i++)
        dlq_table_number(table, i, numbers[i]);
    return true;
}

struct dlq_table *dlq_diagnose_runs_table(const struct dlq_diagnosed *runs, size_t count)
{
    struct dlq_table *table = dlq_table_new(run_columns, RUN_COLUMNS);
    bool filled = table != NULL;
    for (size_t i = 0; filled && i < count; i++)
        filled = add_run(table, &runs[i], &runs[0]);
    if (filled)
        return table;
    dlq_table_free(table);
    return NULL;
}

/* -- times -- */

enum { NAME, MEAN, MEDIAN, P99, SHARE, TIME_COLUMNS };

static const struct dlq_column time_columns[TIME_COLUMNS] = {
    [NAME] = {"time", "", DLQ_COLUMN_TEXT, 0},
    [MEAN] = {"mean", "mean", DLQ_COLUMN_TIME, 3},
    [MEDIAN] = {"median", "median", DLQ_COLUMN_TIME, 3},
    [P99] = {"p99", "99 %", DLQ_COLUMN_TIME, 3},
    [SHARE] = {"share", "of the time", DLQ_COLUMN_SHARE, 3},
};

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
    struct dlq_column columns[TIME_COLUMNS];
    memcpy(columns, time_columns, sizeof columns);
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

static void write_notes(FILE *stream, const struct dlq_diagnosed *run)
{
    if (run->note_count > 0)
        fputc('\n', stream);
    for (size_t i = 0; i < run->note_count; i++)
        dlq_text_wrap_item(stream, "  - ", run->notes[i], dlq_report_width(stream));
}

const char *dlq_logs_say(const struct dlq_trace_facts *facts, char *text, size_t size)
{
    char number[DLQ_TEXT_NUMBER];
    struct dlq_phrase phrase = {.text = text, .size = size, .separator = " · "};
    text[0] = '\0';
    dlq_phrase_add(&phrase, "%s", facts->format);
    if (facts->logs > 1)
        dlq_phrase_add(&phrase, "%zu logs", facts->logs);
    if (facts->ranks > 1)
        dlq_phrase_add(&phrase, "%zu ranks", facts->ranks);
    dlq_phrase_add(&phrase, "%s iteration%s", dlq_text_fixed((double)facts->iterations, 0, number),
                   facts->iterations == 1 ? "" : "s");
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
    write_notes(stream, run);
    fputc('\n', stream);
    dlq_text_wrap_styled(stream, color, DLQ_STYLE_BOLD, run->verdict, 2, dlq_report_width(stream));
    return DLQ_OK;
}
