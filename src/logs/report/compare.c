/* A comparison of two runs: its figures and its text. */
#include "logs/calibration.h"
#include "logs/report/report.h"

#include <math.h>
#include <string.h>

/* -- figures -- */

#define SIDE(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_compared_side, member), __VA_ARGS__)
DLQ_MISSING(unknown_loaders, object, struct dlq_compared_side, it->loaders < 0)

static const struct dlq_figure side[] = {
    SIDE("runs", SIZE, runs, NULL, "that were compared"),
    SIDE("ranks", SIZE, ranks, NULL, "of a run"),
    SIDE("iterations", COUNT, iterations, NULL, "of all runs, without the first record of each"),
    SIDE("rate", NUMBER, rate, "1/s", "iterations of a rank"),
    SIDE("first", NUMBER, first, "s", "the first record of a run, which is left out and holds the start of workers",
         "none is left out"),
    SIDE("block", NUMBER, block, NULL, "records (iterations, or windows) that depend on one another; 1: none do"),
    SIDE("loaders", COUNT, loaders, NULL, "of a run of one rank whose loads are recorded", "there is none",
         unknown_loaders),
    SIDE("prefetch", COUNT, prefetch, NULL, "likewise", "there is none", unknown_loaders),
};
static const struct dlq_figures of_side = DLQ_FIGURES("compare: before, after", NULL, side);

#define MOVE(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_move_said, member), __VA_ARGS__)
static const struct dlq_figure move[] = {
    MOVE("name", WORD, name, NULL, "iteration, wait, step, load, wait_p99 or ranks: what differs"),
    MOVE("before", NUMBER, move.before, "s", "a mean per iteration; wait_p99: a quantile"),
    MOVE("after", NUMBER, move.after, .alike = true),
    MOVE("difference", ESTIMATE, move.difference, NULL, "s; after - before, with a 99 % interval"),
    MOVE("moved", FLAG, move.differs, NULL, "that interval is on one side of 0"),
};
const struct dlq_figures dlq_figures_moves = DLQ_FIGURES("compare: moves[]; compare --csv", NULL, move);

DLQ_MISSING(not_predicted, root, struct dlq_compare_answer, it->comparison.prediction.batches == 0)
DLQ_MISSING(not_held, root, struct dlq_compare_answer,
            it->comparison.prediction.batches == 0 || isnan(it->comparison.prediction.throughput.value))

#define COMPARED(key, kind, member, ...)                                                                               \
    DLQ_ROW(key, kind, offsetof(struct dlq_compare_answer, comparison.member), __VA_ARGS__)
static const struct dlq_figure prediction[] = {
    COMPARED("throughput", ESTIMATE, prediction.throughput, "1/s",
             "batches from the first request to the end of the last step, with the loaders of the run after",
             "the loads of one of the runs are not recorded, there are several runs or ranks, the run after is "
             "shorter, or loads share cores and the number of loaders changed",
             not_held),
    COMPARED("measured", NUMBER, measured, "1/s", "its measured rate", "not predicted", not_predicted),
    COMPARED("held", FLAG, within_prediction, NULL, "it lies between low and high", "likewise", not_held),
};
static const struct dlq_figures of_prediction =
    DLQ_FIGURES("compare: prediction", "What the record of the run before says of the run after.", prediction);

static const struct dlq_figure caution[] = {
    DLQ_CAUTION_ROWS("one-run, few-stretches, ranks, or reading (what the logs leave open)")};
static const struct dlq_figures of_cautions =
    DLQ_FIGURES("compare: cautions[]", "Why the comparison may not hold.", caution);

#define SAID(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_compare_answer, member), __VA_ARGS__)
#define GATE(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_gate_said, member), __VA_ARGS__)
static const struct dlq_figure gated[] = {
    GATE("limit", NUMBER, gated.limit, "share", "of --gate"),
    GATE("verdict", WORD, verdict, NULL, "passed, slower, or unknown where the logs cannot tell"),
    GATE("slowdown", ESTIMATE, gated.slowdown, NULL, "share by which an iteration takes longer, with a 95 % interval"),
    GATE("iterations", NUMBER, gated.iterations, "count", "of each side, that would tell if nothing changed",
         "the limit is 0"),
};
static const struct dlq_figures of_gate = DLQ_FIGURES("compare: gate", NULL, gated);

static const struct dlq_figure verdict[] = {
    SAID("text", LETTERS, verdict, NULL, "what differs, in sentences"),
};
static const struct dlq_figures of_verdict = DLQ_FIGURES("compare: verdict", NULL, verdict);

static const struct dlq_figure comparison[] = {
    COMPARED("before", OBJECT, before, .of = &of_side),
    COMPARED("after", OBJECT, after, .of = &of_side),
    COMPARED("speedup", ESTIMATE, speedup, NULL, "rate of after over that of before, with a 95 % interval"),
    COMPARED("proven", FLAG, proven, NULL, "that interval is on one side of 1"),
    COMPARED("speedup_of_all", NUMBER, speedup_of_all, NULL,
             "of the whole runs, first records included, over as many "
             "iterations as the shorter has",
             "no first record is left out, or in one side alone"),
    DLQ_LIST_ROW("moves", LIST, struct dlq_compare_answer, moves, move_count, .of = &dlq_figures_moves),
    DLQ_ROW("prediction", OBJECT, .of = &of_prediction),
    DLQ_LIST_ROW("cautions", LIST, struct dlq_compare_answer, cautions, caution_count, .of = &of_cautions),
    DLQ_ROW("verdict", OBJECT, .of = &of_verdict),
    SAID("gate", OBJECT, gate, NULL, "whether the run after is slower by more than a limit", "--gate is not given",
         .of = &of_gate, .by_first = true),
};
const struct dlq_figures dlq_figures_compare = DLQ_FIGURES("compare", NULL, comparison);

/* -- words -- */

static const char *const moves[DLQ_COMPARED_TIMES] = {
    [DLQ_COMPARED_ITERATION] = "iteration", [DLQ_COMPARED_WAIT] = "wait",         [DLQ_COMPARED_STEP] = "step",
    [DLQ_COMPARED_LOAD] = "load",           [DLQ_COMPARED_WAIT_P99] = "wait_p99", [DLQ_COMPARED_RANKS] = "ranks",
};

#define TIME(seconds) SAY_TIME((seconds), 3)
#define NUMBER(value) SAY_NUMBER((value), 3)

static void say_moves(const struct dlq_comparison *result, struct dlq_phrase *out)
{
    const struct dlq_time_change *of = result->times, *wait = &of[DLQ_COMPARED_WAIT], *step = &of[DLQ_COMPARED_STEP];
    const struct dlq_estimate *speedup = &result->speedup;
    if (result->proven)
        SAY(out,
            "The run after is %s: it makes %s times as many iterations/s (95 %%: %s to %s). An iteration takes %s "
            "instead of %s.",
            speedup->value > 1 ? "faster" : "slower", SAY_RATE(speedup->value), SAY_RATE(speedup->low),
            SAY_RATE(speedup->high), TIME(of[DLQ_COMPARED_ITERATION].after), TIME(of[DLQ_COMPARED_ITERATION].before));
    else
        SAY(out,
            "No difference proven: the run after makes %s to %s times as many iterations/s as the run before. A "
            "difference below %s %% does not show in logs this long.",
            SAY_RATE(speedup->low), SAY_RATE(speedup->high),
            SAY_NUMBER(100 * fmax(speedup->high / speedup->value - 1, 1 - speedup->low / speedup->value), 2));
    const double all = result->speedup_of_all;
    if (result->proven && (all < dlq_calibration.tie * speedup->low || all > speedup->high / dlq_calibration.tie))
        SAY(out, "That is without the first, which took %s instead of %s: with it, the whole run is %s times as fast.",
            TIME(result->after.first), TIME(result->before.first), SAY_NUMBER(all, 3));
    if (wait->differs)
        SAY(out, "Waiting for data takes %s %s.", TIME(fabs(wait->difference.value)),
            wait->difference.value < 0 ? "less" : "more");
    if (step->differs)
        SAY(out, "The step takes %s %s.", TIME(fabs(step->difference.value)),
            step->difference.value < 0 ? "less" : "more");
    if (result->proven && isnan(wait->difference.value))
        SAY(out, "The logs do not tell whether that is waiting for data or computing.");
    if (of[DLQ_COMPARED_LOAD].differs)
        SAY(out, "A load takes %s instead of %s.", TIME(of[DLQ_COMPARED_LOAD].after),
            TIME(of[DLQ_COMPARED_LOAD].before));
    if (of[DLQ_COMPARED_WAIT_P99].differs)
        SAY(out, "One wait in a hundred is longer than %s; it was %s.", TIME(of[DLQ_COMPARED_WAIT_P99].after),
            TIME(of[DLQ_COMPARED_WAIT_P99].before));
    if (of[DLQ_COMPARED_RANKS].differs)
        SAY(out, "The latest rank waits %s longer than the mean one; it was %s.", TIME(of[DLQ_COMPARED_RANKS].after),
            TIME(of[DLQ_COMPARED_RANKS].before));
}

static void say_gate(struct dlq_compare_answer *answer, struct dlq_phrase *out)
{
    static const char *const names[] = {
        [DLQ_GATE_PASSED] = "passed", [DLQ_GATE_SLOWER] = "slower", [DLQ_GATE_UNKNOWN] = "unknown"};
    const struct dlq_gate_result *gate = &answer->gate.gated;
    const struct dlq_estimate *slowdown = &gate->slowdown;
    if (isnan(gate->limit))
        return;
    answer->gate.verdict = names[gate->verdict];
    SAY(out, "Gate of %s: an iteration's time: %+.3g to %+.3g %%, which is %s.", SAY_SHARE(gate->limit),
        100 * slowdown->low, 100 * slowdown->high,
        gate->verdict == DLQ_GATE_PASSED   ? "not more than the gate"
        : gate->verdict == DLQ_GATE_SLOWER ? "more than the gate"
                                           : "not clearly on one side of the gate");
    if (gate->verdict == DLQ_GATE_UNKNOWN && gate->iterations > 0)
        SAY(out, "If nothing changed, sides of about %s iterations would tell.",
            SAY_COUNT((long)ceil(fmin(gate->iterations, 1e9))));
}

/* Adds the cautions of reading the logs; one that several logs have is added once. */
static void add_doubts(struct dlq_compare_answer *answer)
{
    struct dlq_caution_said doubts[DLQ_READING_CAUTIONS];
    struct dlq_trace_facts facts;
    const size_t before = answer->caution_count, room = sizeof answer->cautions / sizeof *answer->cautions;
    for (size_t k = 0; k < 2; k++)
        for (const struct dlq_trace *run = answer->sides[k] != NULL ? answer->sides[k]->first : NULL; run != NULL;
             run = dlq_trace_next(run)) {
            dlq_trace_facts(run, &facts);
            const size_t count = dlq_doubts_say(&facts, doubts, DLQ_READING_CAUTIONS);
            for (size_t i = 0; i < count && answer->caution_count < room; i++) {
                size_t same = before;
                while (same < answer->caution_count && strcmp(answer->cautions[same].text, doubts[i].text) != 0)
                    same++;
                if (same == answer->caution_count)
                    answer->cautions[answer->caution_count++] = doubts[i];
            }
        }
}

void dlq_compare_say(struct dlq_compare_answer *answer)
{
    static const struct dlq_caution_said cautions[DLQ_COMPARE_CAUTIONS] = {
        [DLQ_COMPARE_ONE_RUN] =
            {.name = "one-run",
             .text = "One run of a side: what runs of the same program differ by (other jobs, caches, clocks) is not "
                     "in the intervals. Several of each tell: dlqueue compare B1 B2 --after A1 --after A2"},
        [DLQ_COMPARE_STRETCHES] =
            {.name = "few-stretches",
             .text = "Slow iterations come together, and there are few such stretches: longer runs would tell more."},
        [DLQ_COMPARE_RANKS] = {.name = "ranks",
                               .text = "The runs have different numbers of ranks: an iteration may be of more samples "
                                       "in one than in the other. Iterations are compared, not samples."},
    };
    struct dlq_phrase said = {.text = answer->verdict, .size = sizeof answer->verdict, .separator = " "};
    struct dlq_phrase *out = &said;
    const struct dlq_comparison *result = &answer->comparison;
    const struct dlq_estimate *rate = &result->prediction.throughput;
    long loaders = result->prediction.loaders;
    answer->verdict[0] = '\0';
    answer->move_count = answer->caution_count = 0;
    for (size_t i = 0; i < DLQ_COMPARED_TIMES; i++)
        if (!isnan(result->times[i].difference.value))
            answer->moves[answer->move_count++] = (struct dlq_move_said){moves[i], result->times[i]};
    for (size_t i = 0; i < DLQ_COMPARE_CAUTIONS; i++)
        if (result->cautions[i])
            answer->cautions[answer->caution_count++] = cautions[i];
    add_doubts(answer);
    say_moves(result, out);
    if (result->prediction.batches > 0 && isnan(rate->value))
        SAY(out, "The record of the run before could not tell what %ld loaders would bring: loads share cores.",
            loaders);
    else if (result->prediction.batches > 0)
        SAY(out,
            "The record of the run before predicted %s to %s batches/s with %ld loader%s; the run after made %s: %s",
            NUMBER(rate->low), NUMBER(rate->high), loaders, PLURAL(loaders), NUMBER(result->measured),
            result->within_prediction ? "the prediction held."
            : result->start_explains
                ? "the prediction did not hold, as the first batch came at another time: from the second on, it did."
                : "the prediction did not hold. Something else changed, too, or loads take longer with more loaders.");
    say_gate(answer, out);
}

static void write_side(FILE *stream, const char *name, const struct dlq_compared_side *compared)
{
    char text[300];
    struct dlq_phrase phrase = {.text = text, .size = sizeof text};
    SAY(&phrase, "· %s iterations%s", SAY_COUNT(compared->iterations),
        compared->first_left_out ? " after the first" : "");
    if (compared->runs > 1)
        SAY(&phrase, " · %zu runs", compared->runs);
    if (compared->ranks > 1)
        SAY(&phrase, " · %zu ranks", compared->ranks);
    if (compared->loaders >= 0)
        SAY(&phrase, " · %ld loader%s", compared->loaders, PLURAL(compared->loaders));
    if (compared->loaders > 0 && compared->prefetch > 0)
        SAY(&phrase, " · prefetch %ld", compared->prefetch);
    SAY(&phrase, " · %s iterations/s", NUMBER(compared->rate));
    dlq_text_wrap_item(stream, name, text, dlq_text_room(stream));
}

enum dlq_status dlq_compare_report(FILE *stream, bool color, const struct dlq_compare_answer *answer,
                                   struct dlq_error *error)
{
    static const struct dlq_column columns[] = {
        /* The columns of dlq_figures_moves, with headings for the interval. */
        {"name", "", DLQ_COLUMN_TEXT, 0},          {"before", "before", DLQ_COLUMN_TIME, 3},
        {"after", "after", DLQ_COLUMN_TIME, 3},    {"difference", "difference", DLQ_COLUMN_TIME, 3},
        {"low", "99 %: from", DLQ_COLUMN_TIME, 3}, {"high", "to", DLQ_COLUMN_TIME, 3},
        {"moved", "moved", DLQ_COLUMN_FLAG, 0},
    };
    const struct dlq_comparison *result = &answer->comparison;
    dlq_text_answer(stream, color, answer->verdict);
    dlq_text_bold(stream, color, "%s", answer->before);
    fputs(" and ", stream);
    dlq_text_bold(stream, color, "%s", answer->after);
    fputs("\n\n", stream);
    write_side(stream, "  before ", &result->before);
    write_side(stream, "  after  ", &result->after);
    fputc('\n', stream);
    struct dlq_table *table = dlq_table_new(columns, sizeof columns / sizeof *columns);
    bool filled = table != NULL;
    for (size_t i = 0; filled && i < answer->move_count; i++)
        filled = dlq_figures_row(table, &dlq_figures_moves, 0, &answer->moves[i], answer);
    filled = filled && dlq_table_write(table, stream, 2, -1, NULL);
    dlq_table_free(table);
    if (!filled)
        return dlq_error_memory(error, "writing a table");
    fputs(answer->caution_count > 0 ? "\n" : "", stream);
    for (size_t i = 0; i < answer->caution_count; i++)
        dlq_text_wrap_item(stream, "  - ", answer->cautions[i].text, dlq_text_columns(stream));
    return DLQ_OK;
}
