/* A comparison of two runs: its figures, its words. */
#include "logs/report/compare.h"

#include <math.h>

/* -- figures -- */

#define S(member) offsetof(struct dlq_compared, member)
DLQ_MISSING(unknown_loaders, object, struct dlq_compared, it->loaders < 0)

static const struct dlq_figure side[] = {
    DLQ_ROW("runs", SIZE, S(runs), NULL, "that were compared"),
    DLQ_ROW("ranks", SIZE, S(ranks), NULL, "of a run"),
    DLQ_ROW("iterations", COUNT, S(iterations), NULL, "of all runs, without the first of each"),
    DLQ_ROW("rate", NUMBER, S(rate), "1/s", "iterations of a rank"),
    DLQ_ROW("block", NUMBER, S(block), NULL, "iterations that depend on one another; 1: none do"),
    DLQ_ROW("loaders", COUNT, S(loaders), NULL, "of a run of one rank whose loads are recorded", "there is none",
            unknown_loaders),
    DLQ_ROW("prefetch", COUNT, S(prefetch), NULL, "likewise", "there is none", unknown_loaders),
};
static const struct dlq_figures of_side = DLQ_FIGURES("compare: before, after", NULL, side);

#define M(member) offsetof(struct dlq_move_said, member)
static const struct dlq_figure move[] = {
    DLQ_ROW("name", WORD, M(name), NULL, "iteration, wait, step, load, wait_p99 or ranks: what differs"),
    DLQ_ROW("before", NUMBER, M(move.before), "s", "a mean per iteration; wait_p99: a quantile"),
    DLQ_ROW("after", NUMBER, M(move.after), .alike = true),
    DLQ_ROW("difference", ESTIMATE, M(move.difference), NULL, "s; after - before, with a 99 % interval"),
    DLQ_ROW("moved", FLAG, M(move.moved), NULL, "that interval is on one side of 0"),
};
const struct dlq_figures dlq_figures_moves = DLQ_FIGURES("compare: moves[]; compare --csv", NULL, move);

DLQ_MISSING(not_predicted, root, struct dlq_compare_answer, it->comparison.prediction.batches == 0)
DLQ_MISSING(not_held, root, struct dlq_compare_answer,
            it->comparison.prediction.batches == 0 || isnan(it->comparison.prediction.throughput.value))

#define C(member) offsetof(struct dlq_compare_answer, comparison.member)
static const struct dlq_figure prediction[] = {
    DLQ_ROW("throughput", ESTIMATE, C(prediction.throughput), "1/s",
            "batches from the first request to the end of the last step, with the loaders of the run after",
            "the loads of one of the runs are not recorded, there are several runs or ranks, the run after is shorter, "
            "or loads share cores and the number of loaders changed",
            not_held),
    DLQ_ROW("measured", NUMBER, C(measured), "1/s", "what the run after made of that", "not predicted", not_predicted),
    DLQ_ROW("held", FLAG, C(held), NULL, "it lies between low and high", "likewise", not_held),
};
static const struct dlq_figures of_prediction =
    DLQ_FIGURES("compare: prediction", "What the record of the run before says of the run after.", prediction);

static const struct dlq_figure caution[] = {
    DLQ_ROW("name", WORD, offsetof(struct dlq_caution_said, name), NULL, "one-run, few-stretches or ranks"),
    DLQ_ROW("text", LETTERS, offsetof(struct dlq_caution_said, text), NULL, "the same in sentences"),
};
static const struct dlq_figures of_cautions =
    DLQ_FIGURES("compare: cautions[]", "Why the comparison may not hold.", caution);

static const struct dlq_figure verdict[] = {
    DLQ_ROW("text", LETTERS, offsetof(struct dlq_compare_answer, verdict), NULL, "what differs, in sentences"),
};
static const struct dlq_figures of_verdict = DLQ_FIGURES("compare: verdict", NULL, verdict);

static const struct dlq_figure comparison[] = {
    DLQ_ROW("before", OBJECT, C(before), .of = &of_side),
    DLQ_ROW("after", OBJECT, C(after), .of = &of_side),
    DLQ_ROW("speedup", ESTIMATE, C(speedup), NULL, "rate of after over that of before, with a 95 % interval"),
    DLQ_ROW("proven", FLAG, C(proven), NULL, "that interval is on one side of 1"),
    DLQ_ROW("moves", LIST, offsetof(struct dlq_compare_answer, moves), .of = &dlq_figures_moves,
            .count_at = offsetof(struct dlq_compare_answer, move_count), .stride = sizeof(struct dlq_move_said)),
    DLQ_ROW("prediction", OBJECT, .of = &of_prediction),
    DLQ_ROW("cautions", LIST, offsetof(struct dlq_compare_answer, cautions), .of = &of_cautions,
            .count_at = offsetof(struct dlq_compare_answer, caution_count), .stride = sizeof(struct dlq_caution_said)),
    DLQ_ROW("verdict", OBJECT, .of = &of_verdict),
};
const struct dlq_figures dlq_figures_compare = DLQ_FIGURES("compare", NULL, comparison);

/* -- words -- */

static const char *const moves[DLQ_MOVES] = {
    [DLQ_MOVE_ITERATION] = "iteration", [DLQ_MOVE_WAIT] = "wait",         [DLQ_MOVE_STEP] = "step",
    [DLQ_MOVE_LOAD] = "load",           [DLQ_MOVE_WAIT_P99] = "wait_p99", [DLQ_MOVE_RANKS] = "ranks",
};

#define TIME(seconds) SAY_TIME((seconds), 3)
#define NUMBER(value) SAY_NUMBER((value), 3)
#define SAY(...) dlq_phrase_add(phrase, __VA_ARGS__)

static void say_moves(const struct dlq_comparison *result, struct dlq_phrase *phrase)
{
    const struct dlq_move *of = result->moves, *wait = &of[DLQ_MOVE_WAIT], *step = &of[DLQ_MOVE_STEP];
    const struct dlq_estimate *speedup = &result->speedup;
    if (result->proven)
        SAY("The run after is %s: it makes %s times as many iterations/s (95 %%: %s to %s). An iteration takes %s "
            "instead of %s.",
            speedup->value > 1 ? "faster" : "slower", SAY_RATE(speedup->value), SAY_RATE(speedup->low),
            SAY_RATE(speedup->high), TIME(of[DLQ_MOVE_ITERATION].after), TIME(of[DLQ_MOVE_ITERATION].before));
    else
        SAY("No difference proven: the run after makes %s to %s times as many iterations/s as the run before. A "
            "difference below %s %% does not show in logs this long.",
            SAY_RATE(speedup->low), SAY_RATE(speedup->high),
            SAY_NUMBER(100 * fmax(speedup->high / speedup->value - 1, 1 - speedup->low / speedup->value), 2));
    if (wait->moved)
        SAY("Waiting for data takes %s %s.", TIME(fabs(wait->difference.value)),
            wait->difference.value < 0 ? "less" : "more");
    if (step->moved)
        SAY("The step takes %s %s.", TIME(fabs(step->difference.value)), step->difference.value < 0 ? "less" : "more");
    if (result->proven && isnan(wait->difference.value))
        SAY("Whether that is waiting for data or computing the logs do not tell.");
    if (of[DLQ_MOVE_LOAD].moved)
        SAY("A load takes %s instead of %s.", TIME(of[DLQ_MOVE_LOAD].after), TIME(of[DLQ_MOVE_LOAD].before));
    if (of[DLQ_MOVE_WAIT_P99].moved)
        SAY("One wait in a hundred is longer than %s; it was %s.", TIME(of[DLQ_MOVE_WAIT_P99].after),
            TIME(of[DLQ_MOVE_WAIT_P99].before));
    if (of[DLQ_MOVE_RANKS].moved)
        SAY("The latest rank waits %s longer than the mean one; it was %s.", TIME(of[DLQ_MOVE_RANKS].after),
            TIME(of[DLQ_MOVE_RANKS].before));
}

void dlq_compare_say(struct dlq_compare_answer *answer)
{
    static const struct dlq_caution_said cautions[DLQ_COMPARE_CAUTIONS] = {
        [DLQ_COMPARE_ONE_RUN] =
            {.name = "one-run",
             .text = "One run of a side: what runs of the same program differ by (other jobs, caches, clocks) is not "
                     "in the intervals. Several of each tell: dlqueue compare B1 B2 --after A1 --after A2"},
        [DLQ_COMPARE_STRETCHES] = {.name = "few-stretches",
                                   .text = "Slow iterations come together, and there are few such stretches: "
                                           "longer runs would tell more."},
        [DLQ_COMPARE_RANKS] = {.name = "ranks",
                               .text = "The runs have different numbers of ranks: an iteration may be of more "
                                       "samples in one than in the other. Iterations are compared, not samples."},
    };
    struct dlq_phrase said = {.text = answer->verdict, .size = sizeof answer->verdict, .separator = " "};
    struct dlq_phrase *phrase = &said;
    const struct dlq_comparison *result = &answer->comparison;
    const struct dlq_estimate *rate = &result->prediction.throughput;
    long loaders = result->prediction.loaders;
    answer->verdict[0] = '\0';
    answer->move_count = answer->caution_count = 0;
    for (size_t i = 0; i < DLQ_MOVES; i++)
        if (!isnan(result->moves[i].difference.value))
            answer->moves[answer->move_count++] = (struct dlq_move_said){moves[i], result->moves[i]};
    for (size_t i = 0; i < DLQ_COMPARE_CAUTIONS; i++)
        if (result->cautions[i])
            answer->cautions[answer->caution_count++] = cautions[i];
    say_moves(result, phrase);
    if (result->prediction.batches > 0 && isnan(rate->value))
        SAY("The record of the run before could not tell what %ld loaders would bring: loads share cores.", loaders);
    else if (result->prediction.batches > 0)
        SAY("From the record of the run before, a run with %ld loader%s was to make %s to %s batches/s; it made %s: %s",
            loaders, PLURAL(loaders), NUMBER(rate->low), NUMBER(rate->high), NUMBER(result->measured),
            result->held ? "the prediction held."
                         : "the prediction did not hold. Something else changed too, or loads depend on how many run.");
}

static void write_side(FILE *stream, const char *name, const struct dlq_compared *compared)
{
    fprintf(stream, "  %s · %s iterations%s", name, SAY_COUNT(compared->iterations),
            compared->first_left_out ? " after the first" : "");
    if (compared->runs > 1)
        fprintf(stream, " · %zu runs", compared->runs);
    if (compared->ranks > 1)
        fprintf(stream, " · %zu ranks", compared->ranks);
    if (compared->loaders >= 0)
        fprintf(stream, " · %ld loader%s", compared->loaders, PLURAL(compared->loaders));
    if (compared->loaders > 0 && compared->prefetch > 0)
        fprintf(stream, " · prefetch %ld", compared->prefetch);
    fprintf(stream, " · %s iterations/s\n", NUMBER(compared->rate));
}

enum dlq_status dlq_compare_report(FILE *stream, bool color, const struct dlq_compare_answer *answer,
                                   struct dlq_error *error)
{
    static const struct dlq_column columns[] = {
        {"name", "", DLQ_COLUMN_TEXT, 0},          {"before", "before", DLQ_COLUMN_TIME, 3},
        {"after", "after", DLQ_COLUMN_TIME, 3},    {"difference", "difference", DLQ_COLUMN_TIME, 3},
        {"low", "99 %: from", DLQ_COLUMN_TIME, 3}, {"high", "to", DLQ_COLUMN_TIME, 3},
        {"moved", "moved", DLQ_COLUMN_FLAG, 0},
    };
    const struct dlq_comparison *result = &answer->comparison;
    dlq_text_bold(stream, color, "%s", answer->before);
    fputs(" and ", stream);
    dlq_text_bold(stream, color, "%s", answer->after);
    fputs("\n\n", stream);
    write_side(stream, "before", &result->before);
    write_side(stream, "after ", &result->after);
    fputc('\n', stream);
    struct dlq_table *table = dlq_table_new(columns, sizeof columns / sizeof *columns);
    bool filled = table != NULL;
    for (size_t i = 0; filled && i < answer->move_count; i++) {
        const struct dlq_move *row = &answer->moves[i].move;
        const struct dlq_estimate *by = &row->difference;
        filled = DLQ_TABLE_ADD(table, {NAN, answer->moves[i].name}, {row->before, NULL}, {row->after, NULL},
                               {by->value, NULL}, {by->low, NULL}, {by->high, NULL}, {row->moved, NULL});
    }
    filled = filled && dlq_table_write(table, stream, 2, -1, NULL);
    dlq_table_free(table);
    if (!filled)
        return dlq_error_memory(error, "writing a table");
    fputc('\n', stream);
    for (size_t i = 0; i < answer->caution_count; i++)
        dlq_text_wrap_item(stream, "  - ", answer->cautions[i].text, dlq_text_columns(stream));
    fputs(answer->caution_count > 0 ? "\n" : "", stream);
    dlq_text_wrap_bold(stream, color, answer->verdict, 2, dlq_text_columns(stream));
    return DLQ_OK;
}
