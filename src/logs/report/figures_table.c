/* Figures of fit --table and advise --table. */
#include "logs/report/report.h"

#define TABLE(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_measurements, member), __VA_ARGS__)
static const struct dlq_figure table[] = {
    TABLE("rows", SIZE, count, NULL, "of the table"),
    TABLE("counts", SIZE, distinct, NULL, "different ones"),
    TABLE("axis", NAMED, counted, NULL, "what is counted: loaders, ranks, threads, batch_size or prefetch",
          .names = dlq_counted_names),
    TABLE("measure", NAMED, measure, NULL, "what was measured: samples_per_s, batches_per_s or seconds",
          .names = dlq_measure_names),
};
static const struct dlq_figures of_table = DLQ_FIGURES("fit --table: table; advise --table: table", NULL, table);

#define LAW(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_scaling, member), __VA_ARGS__)
DLQ_MISSING(no_step, object, struct dlq_scaling, isnan(it->step.value))
static const struct dlq_figure law[] = {
    LAW("work", ESTIMATE, work, "s", "W, the work of one loader, for a unit: the run, a batch or a sample"),
    LAW("plateau", ESTIMATE, plateau, "s", "P, what more loaders do not make shorter, whatever makes it"),
    LAW("saturates_at", ESTIMATE, saturates_at, "number", "W/P, so many loads at once make the plateau"),
    LAW("sharpness", ESTIMATE, sharpness, "number", "k of the bend between them: 1 Amdahl's law, 40 a corner"),
    LAW("each_more", ESTIMATE, overhead, "s", "b, what each loader adds"),
    LAW("noise", ESTIMATE, noise, "share", "of a run"),
    LAW("step", ESTIMATE, step, "s", "S, the training step",
        "neither a row with 0 loaders, nor waits, nor --step tells it", no_step),
};
static const struct dlq_figures of_law = DLQ_FIGURES("fit --table: law; advise --table: law", NULL, law);

static const char *const parts[] = {"loaders", "plateau", "each more"};
DLQ_MISSING(no_loaders, object, struct dlq_scaling_row, it->share_count == 0)
DLQ_MISSING(within, object, struct dlq_scaling_row, isnan(it->beyond_table))
#define IS_COUNTED(which, of)                                                                                          \
    DLQ_MISSING(no_##which, root, struct dlq_table_answer, it->table->counted != DLQ_COUNTED_##of)
IS_COUNTED(ranks, RANKS)
IS_COUNTED(threads, THREADS)
IS_COUNTED(batch_size, BATCH_SIZE)
IS_COUNTED(prefetch, PREFETCH)
#define RUN(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_scaling_row, member), __VA_ARGS__)
#define COUNTED(key, ...) RUN(#key, COUNT, count, .missing = no_##key, .omitted = true, __VA_ARGS__)
static const struct dlq_figure row[] = {
    RUN("loaders", COUNT, count, NULL, "the count, of what table.axis says"),
    COUNTED(ranks, .help = "the same, where table.axis says so; else no key"),
    COUNTED(threads, .alike = true),
    COUNTED(batch_size, .alike = true),
    COUNTED(prefetch, .alike = true),
    RUN("value", NUMBER, value.value, "number",
        "what a run would measure, in the measure of the table; low to high: 95 % of such runs"),
    RUN("low", NUMBER, value.low, .alike = true),
    RUN("high", NUMBER, value.high, .alike = true),
    DLQ_LIST_ROW("measured", NUMBERS, struct dlq_scaling_row, measured, measured_count, .unit = "number",
                 .help = "of the table", .by_pointer = true),
    RUN("binds", NAMED, largest_part, NULL, "loaders, plateau or each more: the largest share", "there are no loaders",
        no_loaders, .names = parts),
    DLQ_LIST_ROW("shares", NUMBERS, struct dlq_scaling_row, shares, share_count, .unit = "share",
                 .help = "of the time that these three make"),
    RUN("beyond", NUMBER, beyond_table, "number", "the count over the largest of the table; no key within the table",
        .missing = within, .omitted = true),
};
static const struct dlq_figures of_rows = DLQ_FIGURES("fit --table: rows[]; advise --table: rows[]", NULL, row);

#define BEST(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_best_count, member), __VA_ARGS__)
static const struct dlq_figure best[] = {
    BEST("value", NUMBER, value, "count", "the least count within 3 % of the best of the table's range"),
    BEST("low", NUMBER, low, .alike = true),
    BEST("high", NUMBER, high, .alike = true),
    DLQ_LIST_ROW("alike", NUMBERS, struct dlq_best_count, alike, alike_count, .unit = "count",
                 .help = "the first and the last count that may well be within 3 %"),
    BEST("more_than_table", NUMBER, more_than_table, "share",
         "probability that more than the largest of the table gain over 5 %"),
    BEST("gain_measured", NUMBER, gain_measured, "number", "as gain, by the measured runs of both counts",
         "one of them was not measured, its runs differ, or its only run is far from the law"),
};
static const struct dlq_figures of_best = DLQ_FIGURES("fit --table: best; advise --table: best", NULL, best);

#define CAUSE(key, member, meaning, never)                                                                             \
    DLQ_ROW(key, NUMBER, offsetof(struct dlq_plateau_causes, member), "share", meaning, never)
static const struct dlq_figure causes[] = {
    CAUSE("step", step, "probability that the plateau is the training step",
          "neither a row with 0 loaders, nor waits, nor --step tells it"),
    CAUSE("cores", cores, "probability that it is the cores", "no number of cores is given"),
    CAUSE("other", other, "probability that it is neither: receiving batches, a lock, storage", NULL),
};
static const struct dlq_figures of_causes = DLQ_FIGURES("fit --table: plateau; advise --table: plateau", NULL, causes);

static const struct dlq_figure next[] = {
    DLQ_ROW("count", COUNT, offsetof(struct dlq_next_run, count), NULL, "of the run that would tell most"),
    DLQ_ROW("explains", NUMBER, offsetof(struct dlq_next_run, variance_removed), "share",
            "of the variance at the counts that may be best"),
};
static const struct dlq_figures of_next = DLQ_FIGURES("fit --table: next_run; advise --table: next_run", NULL, next);

static const struct dlq_figure caution[] = {
    DLQ_ROW("name", WORD, offsetof(struct dlq_table_caution_said, name), NULL,
            "few-rows, beyond-table, grows, each-more-costs, outlier, repeats-differ, plateau-unknown, law-misses or "
            "rate-falls"),
    DLQ_ROW("text", LETTERS, offsetof(struct dlq_table_caution_said, text), NULL, "the same in sentences"),
};
static const struct dlq_figures of_cautions =
    DLQ_FIGURES("fit --table: cautions[]; advise --table: cautions[]", NULL, caution);

static const char no_answer[] = "the table cannot tell (exit status 3)";
DLQ_MISSING(no_law, object, struct dlq_scaling, it->row_count == 0)
DLQ_MISSING(no_run, object, struct dlq_scaling, it->next.count == 0)
DLQ_MISSING(no_cause, object, struct dlq_scaling, it->row_count == 0 || isnan(it->causes.other))
static const struct dlq_figure scaling[] = {
    DLQ_ROW("law", OBJECT, 0, NULL, "the law fitted to the table", no_answer, no_law, .of = &of_law),
    DLQ_LIST_ROW("rows", LIST, struct dlq_scaling, rows, row_count, .of = &of_rows),
    LAW("best", OBJECT, best, NULL, "the best count", no_answer, no_law, .of = &of_best),
    LAW("plateau", OBJECT, causes, NULL, "what the plateau may be", "nothing tells", no_cause, .of = &of_causes),
    LAW("next_run", OBJECT, next, NULL, "the run to measure next", "the table cannot tell, or no run would tell more",
        no_run, .of = &of_next),
    LAW("gain", ESTIMATE, gain, NULL, "speed-up - 1 from gain_from to the best count", no_answer, no_law),
    LAW("gain_from", COUNT, gain_from, NULL, "--loaders, or the fewest of the table", no_answer, no_law),
};
static const struct dlq_figures of_scaling = DLQ_FIGURES(NULL, NULL, scaling);

DLQ_MISSING(no_config, object, struct dlq_table_answer, it->config == NULL)
#define ANSWER(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_table_answer, member), __VA_ARGS__)
static const struct dlq_figure answer[] = {
    ANSWER("table", OBJECT, table, .of = &of_table, .by_pointer = true),
    ANSWER("scaling", INLINE, scaling, .of = &of_scaling, .by_pointer = true),
    DLQ_LIST_ROW("cautions", LIST, struct dlq_table_answer, cautions, caution_count, .of = &of_cautions),
    ANSWER("config", WORD, config, NULL, "the configuration, as a file would hold it",
           "the table is not of loaders, or lacks the batches of its runs or the samples of a batch", no_config),
};
const struct dlq_figures dlq_figures_table_fit = DLQ_FIGURES("fit --table; advise --table", NULL, answer);
