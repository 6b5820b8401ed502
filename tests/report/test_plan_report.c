/* Reports of plans that are made by hand. */
#include "made_plan.h"
#include "report/figures.h"

/* The report in allocated memory. */
static char *report(const struct dlq_plan_answer *plan, bool color)
{
    struct dlq_memory memory;
    dlq_memory_begin(&memory);
    CHECK_INT(dlq_plan_report(memory.stream, color, plan, NULL), DLQ_OK);
    return dlq_memory_end(&memory);
}

static void check_width(char *text, const char *of)
{
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        size_t length = strlen(line);
        CHECK(dlq_text_width(line) <= 100, "%s: %d columns: '%s'", of, dlq_text_width(line), line);
        CHECK(length == 0 || line[length - 1] != ' ', "%s: blanks at the end of '%s'", of, line);
        CHECK(strstr(line, "nan") == NULL && strstr(line, "inf") == NULL, "%s: '%s'", of, line);
    }
}

/* 1 - exp(-n/5) reaches 0.95 at 15 loaders (14.98), 1/(1 + n/100) until 5 ranks. What a report has of every plan:
   tests/cli/test_plan.c. */
static void test_report(void)
{
    static const struct {
        enum dlq_plan_solve solve;
        enum dlq_plan_of of;
        double target;
        long count, answer;
        const char *parts; /* between bars */
    } rows[] = {
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 15,
         "loaders  busy (%)|\n    load/step             10 |misses the target\n|loads half as long|"
         "  The finding.\n\n|\n\n  binds: order (delivery in order)\n"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.85, 18, 10, "meets it\n|meets it, 1 more than needed\n"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 12, 0, "< best\n|binds: cores (the cores)\n"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_AU, 0.95, 18, 15, "loaders  au (%)"},
        {DLQ_SOLVE_LOADERS, DLQ_OF_SAMPLES_PER_SECOND, 2000, 18, 8, "loaders  samples/s"},
        {DLQ_SOLVE_PREFETCH, DLQ_OF_UTILIZATION, 0.95, 18, 15,
         "pytorch · 8 loaders · load 1 s|prefetch: at most 128|\n  prefetch  "},
        {DLQ_SOLVE_RANKS, DLQ_OF_UTILIZATION, 0.95, 18, 8, "ranks: as many as possible, at most 128\n|$/hour"},
    };
    static struct made made;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char parts[300];
        make(&made, rows[i].solve, rows[i].of, rows[i].target, rows[i].count, rows[i].answer);
        char *text = report(&made.planned, false);
        snprintf(parts, sizeof parts, "%s", rows[i].parts);
        for (char *part = strtok(parts, "|"); part != NULL; part = strtok(NULL, "|"))
            CHECK(strstr(text, part) != NULL, "row %zu: '%s' is not in: %s", i, part, text);
        CHECK(strchr(text, '\033') == NULL, "row %zu: color", i);
        check_width(text, rows[i].parts);
        free(text);
    }
    make(&made, DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 15);
    made.plan.rules[0].candidate = made.candidates[16];
    made.plan.rules[0].candidate.loaders = 1250;
    made.plan.at_most = 1300;
    char *text = report(&made.planned, false);
    CHECK(strstr(text, "meets it, 1,235 more than needed\n") != NULL, "%s", text);
    CHECK(strstr(text, "loaders: at most 1,300") != NULL, "%s", text);
    free(text);
    text = report(&made.planned, true);
    CHECK(strstr(text, "\033[1m  The finding.") != NULL, "no bold verdict: %s", text);
    free(text);
}

/* What is not known has no column. */
static void test_columns(void)
{
    static struct made made;
    make(&made, DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 15);
    for (size_t i = 0; i < made.plan.count; i++) {
        struct dlq_candidate *candidate = &made.candidates[i];
        candidate->host.memory_bytes = candidate->host.shm_bytes = candidate->host.cores_used = NAN;
        candidate->cost_per_hour = candidate->cost_per_million_samples = NAN;
        candidate->simulation.epoch_seconds = around(NAN, 0);
    }
    FREED char *text = report(&made.planned, false);
    CHECK(strstr(text, "p99 wait") != NULL, "%s", text);
    static const char *const unknown[] = {"RAM", "cores  ", "$"};
    char *table = strstr(text, "  loaders"), *end = strstr(text, "What rules");
    CHECK(table != NULL && end != NULL, "%s", text);
    if (end != NULL)
        *end = '\0';
    for (size_t i = 0; table != NULL && i < sizeof unknown / sizeof *unknown; i++)
        CHECK(strstr(table, unknown[i]) == NULL, "'%s' is in: %s", unknown[i], table);
}

/* An interrupted plan: rows, and nothing that sounds like an answer. */
static void test_interrupted(void)
{
    static const char *const nulls[] = {"met", "answer", "binds"};
    static struct made made;
    make(&made, DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 9, 0);
    made.plan.interrupted = true;
    made.plan.answer = (struct dlq_candidate){0};
    made.plan.obstacle = DLQ_CAUSE_NONE;
    FREED char *text = report(&made.planned, false);
    CHECK(strstr(text, "\n  So far, without an answer\n  loaders  busy (%)") != NULL &&
              strstr(text, "\n        9 ") != NULL && strstr(text, "<") == NULL && strstr(text, "binds") == NULL,
          "%s", text);
    check_width(text, "interrupted");
    json_t *json = dlq_figures_json(&dlq_figures_plan, &made.planned, "plan");
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        CHECK(json_is_null(json_object_get(json, nulls[i])), "%s is not null", nulls[i]);
    CHECK(json_is_true(json_object_get(json, "interrupted")), "nothing tells that it was interrupted");
    CHECK(json_array_size(json_object_get(json, "table")) > 0, "no candidates");
    json_decref(json);
}

/* Candidates that do not fit are said so, an answer among them is none. */
static void test_room(void)
{
    static struct made made;
    make(&made, DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 18, 15);
    for (size_t i = 16; i < made.plan.count; i++)
        made.candidates[i].host.fits = false;
    made.plan.rules[1].candidate.host.fits = false;
    char *text = report(&made.planned, false);
    CHECK(strstr(text, "no room\n") != NULL && strstr(text, "does not fit\n") != NULL, "%s", text);
    free(text);
    make(&made, DLQ_SOLVE_LOADERS, DLQ_OF_UTILIZATION, 0.95, 12, 0);
    for (size_t i = 0; i < made.plan.count; i++)
        made.candidates[i].host.fits = false;
    made.plan.answer.host.fits = false;
    made.plan.obstacle = DLQ_CAUSE_MEMORY;
    text = report(&made.planned, false);
    CHECK(strstr(text, "< best") == NULL && strstr(text, "no room") != NULL, "%s", text);
    CHECK(strstr(text, "loads half as long") == NULL, "levers of no answer: %s", text);
    free(text);
}

static void test_titles(void)
{
    static const char *const rows[][2] = {
        {"15 loaders: 95.0 % busy; 14 loaders: 93.9 %, held back by loading.", "15 loaders: 95.0 % busy"},
        {"No loader count reaches 95 %. Best: 12 loaders, with 90.9 %.", "No loader count reaches 95 %"},
        {"Nothing fits: even 1 loader would take 3.5 GB.", "Nothing fits: even 1 loader would take 3.5 GB"},
        {"", ""},
    };
    static struct dlq_plan_answer planned;
    char title[DLQ_PLAN_WORDS];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(planned.text, sizeof planned.text, "%s", rows[i][0]);
        CHECK_TEXT(dlq_plan_title(&planned, title), rows[i][1]);
    }
}

static void test_remedies(void)
{
    static const struct {
        enum dlq_plan_of of;
        double target, low, load; /* of the best; load: its bound */
        enum dlq_cause binds;
        long at_most;
        const char *except, *remedy;
    } rows[] = {
        {DLQ_OF_UTILIZATION, 0.95, 0.909, 4, DLQ_CAUSE_CORES, 12, "plan.target", "--target 90%"},
        {DLQ_OF_UTILIZATION, 0.95, 0.909, 4, DLQ_CAUSE_LOADERS, 128, "plan.target", "--target 90%"},
        {DLQ_OF_SAMPLES_PER_SECOND, 1e6, 2385, 4, DLQ_CAUSE_STEP, 12, "plan.target", "--target 2300"},
        /* 12 loaders for at most 2 batches/s: 57 for 9.5, and as many more. */
        {DLQ_OF_UTILIZATION, 0.95, 0.909, 2, DLQ_CAUSE_LOADERS, 12, "plan.at_most", "--at-most 114"},
        {DLQ_OF_UTILIZATION, 0.95, 0.909, 12, DLQ_CAUSE_LOADERS, 12, "plan.at_most", "--at-most 24"},
        {DLQ_OF_UTILIZATION, 0.95, 0, 4, DLQ_CAUSE_STARTUP, 12, "plan.target", ""},
    };
    static struct made made;
    char text[DLQ_PLAN_REMEDY];
    const char *except = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make(&made, DLQ_SOLVE_LOADERS, rows[i].of, rows[i].target, 12, 0);
        made.plan.obstacle = rows[i].binds;
        made.plan.at_most = rows[i].at_most;
        made.plan.answer.figure.low = rows[i].low;
        made.plan.answer.bounds.load = rows[i].load;
        CHECK_TEXT(dlq_plan_remedy(&made.plan, text, &except), rows[i].remedy);
        CHECK_TEXT(except, rows[i].except);
    }
    made.plan.answer.figure.low = 0.9;
    made.plan.answer.host.fits = false;
    CHECK_TEXT(dlq_plan_remedy(&made.plan, text, &except), "");
}

TEST_SUITE(plan_report, CASE(test_report), CASE(test_columns), CASE(test_room), CASE(test_interrupted),
           CASE(test_titles), CASE(test_remedies));
