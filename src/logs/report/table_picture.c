/* The chart of a table of measured runs: the runs, the law with its band, the best counts, and what takes the time. */
#include "logs/report/report.h"

/* The middle between a point of the curve and the next, on a logarithmic axis. */
static double middle(const struct dlq_scaling_row *point)
{
    return sqrt((double)(point[0].count * point[1].count));
}

/* Puts a region for neighbors in which the same part takes most of the time; the outer ones reach beyond the frame. */
static void put_regions(struct dlq_slots *slots, enum dlq_counted counted, const struct dlq_scaling *scaling)
{
    const struct dlq_scaling_row *curve = scaling->curve;
    dlq_slot_block(slots, "REGIONS");
    for (size_t i = 0, end; i < scaling->point_count; i = end) {
        const enum dlq_scaling_part largest = curve[i].largest_part;
        for (end = i + 1; end < scaling->point_count && curve[end].largest_part == largest;)
            end++;
        double from = i > 0 ? middle(&curve[i - 1]) : -1e15;
        double to = end < scaling->point_count ? middle(&curve[end - 1]) : 1e15;
        DLQ_SLOT_NAMED_ROW(slots, dlq_part_say(counted, largest), from, to, (double)largest);
    }
    dlq_slot_block_end(slots);
}

enum dlq_status dlq_table_picture(const void *subject, struct dlq_slots *slots)
{
    static const char *const labels[] = {"Throughput (samples/s)", "Throughput (batches/s)", "Time of a run (s)"};
    static const char *const axes[] = {"Loaders", "Ranks", "Threads", "Batch size", "Prefetch"};
    const struct dlq_table_answer *answer = subject;
    const struct dlq_measurements *table = answer->table;
    const struct dlq_scaling *scaling = answer->scaling;
    const struct dlq_best_count *best = &scaling->best;
    char title[DLQ_TABLE_TEXT], subtitle[DLQ_TABLE_TEXT], label[DLQ_TEXT_NUMBER];
    const char *best_count = SAY_COUNTED(table->counted, best->value);
    const bool more = best->more_than_table > DLQ_LIKELY_CAUSE;
    double zero = NAN, at_best = NAN;
    for (size_t i = 0; i < scaling->row_count; i++)
        at_best = (double)scaling->rows[i].count == best->value ? scaling->rows[i].value.value : at_best;
    const char *from = SAY_COUNTED(table->counted, (double)scaling->gain_from);
    struct dlq_phrase finding = {.text = title, .size = sizeof title};
    if (scaling->gain.value > 0)
        SAY(&finding, "%s%s: %s times as fast as %s", more ? "At least " : "", best_count,
            SAY_NUMBER(1 + scaling->gain.value, 3), from);
    else
        SAY(&finding, "Best: %s%s", more ? "at least " : "", best_count);
    if (!more && best->alike[1] > best->alike[0])
        SAY(&finding, "; %s to %s may do as well", SAY_COUNT(best->alike[0]), SAY_COUNT(best->alike[1]));
    snprintf(subtitle, sizeof subtitle, "%s · %zu runs · noise of a run %s", answer->name, table->count,
             SAY_SHARE(scaling->noise.value));
    dlq_slots_begin(slots, title, subtitle);
    dlq_slots_axis(slots, axes[table->counted], true, true);
    DLQ_SLOT_ROWS(slots, "DATA", i, scaling->point_count, (double)scaling->curve[i].count,
                  scaling->curve[i].value.value, scaling->curve[i].value.low, scaling->curve[i].value.high);
    dlq_slot_block(slots, "RUNS");
    for (size_t i = 0; i < table->count; i++) {
        zero = table->rows[i].count == 0 ? table->rows[i].value : zero;
        DLQ_SLOT_ROW(slots, table->rows[i].count > 0 ? (double)table->rows[i].count : NAN, table->rows[i].value);
    }
    dlq_slot_block_end(slots);
    put_regions(slots, table->counted, scaling);
    dlq_slot_text(slots, "YLABEL", labels[table->measure]);
    dlq_slot_number(slots, "RISES", table->measure != DLQ_MEASURE_SECONDS);
    dlq_slot_number(slots, "ALIKEFROM", best->alike[0]);
    dlq_slot_number(slots, "ALIKETO", best->alike[1]);
    dlq_slot_number(slots, "END", (double)table->rows[table->count - 1].count);
    dlq_slot_number(slots, "ZERO", zero);
    dlq_slot_say(slots, "ZTEXT", "0 loaders: %s", SAY_NUMBER(zero, 3));
    snprintf(label, sizeof label, "%s: %s%s", best_count, SAY_NUMBER(at_best, 3),
             table->measure == DLQ_MEASURE_SECONDS ? "\xc2\xa0s" : "");
    dlq_slot_mark(slots, "A", best->value, at_best, label);
    return dlq_slots_end(slots, dlq_log_templates, "table");
}
