/* How words are put together. What is said of a fit: reasons, warnings and notes, each from its facts; and the
   configuration with its comments. */
#include "harness.h"
#include "logs/report/report.h"

#include <stdlib.h>

static void warnings(void)
{
    static const struct {
        struct dlq_fit fit;
        const char *text;
    } rows[] = {
        {{.has_replay = true, .replay = {.reason_count = 1, .reasons = {{.cause = DLQ_REASON_LOCK}}}},
         "loads hold the interpreter lock, which no model here knows: the configuration is the pipeline without that"},
        {{.why_not_replayed = "a replay needs more"}, "not replayed: a replay needs more"},
        {{.one_by_one = true},
         "loads that wait for one another are written as such that share one core (cores = 1): it stands for the lock, "
         "reader or disk, and more loaders gain nothing there"},
        {{.step = {.only_bound = true}},
         "the logs have iteration times alone: a step is no longer than one, and how much of it is waiting is unknown"},
        {{.loaders_assumed = true},
         "nothing tells the number of loaders: all of them are taken for a single fast one; give --loaders (and "
         "--prefetch)"},
        {{.load = {.only_bound = true}},
         "of the load time only a bound is known: the configuration is the slowest loading that fits"},
        {{.few_iterations = 7}, "fitted to 7 iterations alone, too few to be sure"},
        {{.misses_rate = true, .measured = 5, .predicted = {10, 9, 11}},
         "the fitted model misses the measured throughput by +100 %: don't rely on it"},
        {{.misses_rate = true, .rate_outside = true, .error = -0.1104},
         "the fitted distributions miss the measured throughput by -11.0 %, more than such runs vary: `dlqueue fit LOG "
         "-o my.ini` writes the recorded times in their order, if they come nearer"},
        {{.note_count = 2, .notes = {{DLQ_NOTE_LOADERS_SEEN, {7}}, {DLQ_NOTE_SHORTENED, {8192}}}},
         "7 loaders, it seems: the waits have that period; or so many batches are fetched at once; from the last 8,192 "
         "iterations of the log"},
        {{.note_count = 1, .notes = {{DLQ_NOTE_RHYTHM, {24}}}},
         "the waits have a period of 24, as if so many batches were fetched at once"},
        {{.note_count = 1, .notes = {{DLQ_NOTE_KEEPS_UP, {3, 500}}}},
         "the trainer waited in 3 of 500 iterations: that shows only that a load takes no more than loaders x "
         "iteration time; to know more, time the loader alone"},
        {{.note_count = 1, .notes = {{DLQ_NOTE_FEW_LONG, {0.934}}}},
         "the trainer waits for few very long loads; 93.4 % of the batches are known by upper bounds alone"},
        {{.note_count = 1, .notes = {{DLQ_NOTE_MATCHED, {0}}}},
         "mean and spread of the loads are those with which a simulation shows the waits of the log; their "
         "distribution is assumed"},
        {{.note_count = 1, .notes = {{DLQ_NOTE_SPREAD_UNKNOWN, {0.44, 1, 0.2372}}}},
         "the log does not show how much loads vary: at most 0.44 s, if they do not vary; if they vary by a cv of up "
         "to 1, at least 0.237 s; a slow tail would leave less"},
        {{.note_count = 1, .notes = {{DLQ_NOTE_SERIAL, {0}}}},
         "without loaders the wait is the load; where the log shows means alone, how much they vary tells how much "
         "loads do"},
        {{.note_count = 1, .notes = {{DLQ_NOTE_NO_DATA_TIMES, {0}}}},
         "the log shows no data times: a load takes at most loaders x iteration time; log the time that the trainer "
         "waits for each batch"},
        {{.note_count = 1, .notes = {{DLQ_NOTE_HARDLY_WAITS, {0.0123}}}},
         "the trainer hardly waits, 1.23 % of the time: that shows only that a load takes no more than loaders x "
         "iteration time; to know more, time the loader alone"},
        {{.note_count = 1, .notes = {{DLQ_NOTE_TOTALS, {0}}}},
         "from totals, as if all loads took the same time: loads that vary lose throughput to batches out of order, so "
         "that the true mean is less"},
    };
    static char texts[DLQ_FIT_WARNINGS][DLQ_FIT_TEXT];
    static const struct dlq_fit sound = {0};
    CHECK_INT(dlq_fit_warnings(&sound, texts), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_INT(dlq_fit_warnings(&rows[i].fit, texts), 1);
        CHECK_TEXT(texts[0], rows[i].text);
    }
}

static void configuration(void)
{
    static const struct dlq_fit fit = {
        .source = DLQ_FIT_STOPWATCH,
        .load = {.mean = 8, .mean_low = 8, .mean_high = 8, .n = 100},
        .step = {.mean = 1,
                 .only_bound = true,
                 .mean_high = 1,
                 .tried_count = 2,
                 .tried = {{.distribution = "gamma"}, {.distribution = "weibull"}}},
        .note_count = 1,
        .notes = {{DLQ_NOTE_TOTALS, {0}}},
        .setting_count = 10,
        .settings = {{"pipeline", "loader", "pytorch"},
                     {"pipeline", "loaders", "4"},
                     {"pipeline", "slow_loaders", "1"},
                     {"overheads", "receive", "1ms"},
                     {"load.usual", "distribution", "gamma"},
                     {"load.usual", "uses", "cpu"},
                     {"load.tail", "probability", "2%"},
                     {"load.tail", "uses", "cpu"},
                     {"step", "mean", "1s"},
                     {"host", "cores", "1"}},
        .one_by_one = true,
    };
    static const char expected[] =
        "; Fitted by dlqueue to a.log_ b.log\n"
        "; loads that wait for one another are written as such that share one core (cores = 1): it stands for\n"
        "; the lock, reader or disk, and more loaders gain nothing there\n"
        "; the logs have iteration times alone: a step is no longer than one, and how much of it is waiting is\n"
        "; unknown\n"
        "; from totals, as if all loads took the same time: loads that vary lose throughput to batches out of\n"
        "; order, so that the true mean is less\n\n"
        "[pipeline]\n"
        "name         = two_ runs_[load]\n"
        "loader       = pytorch\n"
        "loaders      = 4                  ; assumed, the logs do not tell: no count follows from it; see --loaders\n"
        "slow_loaders = 1                  ; workers that were slower than the others\n"
        "; batch_size = 256                ; samples per batch: also report samples/s\n"
        "\n[overheads]                       ; as measured\n"
        "receive      = 1ms                ; per batch, in the training process\n"
        "\n; fitted to 100 batches: mean 8 s, cv 0\n"
        "[load.usual]\ndistribution = gamma\nuses         = cpu\n"
        "\n[load.tail]                       ; what slow ones take on top\n"
        "probability  = 2%\nuses         = cpu\n"
        "\n; a batch takes at most 1 s on average\n"
        "; gamma, then weibull by AIC\n"
        "[step]\nmean         = 1s\n"
        "\n[host]\n"
        "cores        = 1                  ; not a core: what the loaders wait for\n"
        "; memory = 64GiB\n; price = 3.06                    ; per hour\n";
    FREED char *text = dlq_fit_configuration(&fit, "two; runs\n[load]", "a.log; b.log");
    CHECK_TEXT(text, expected);
}

/* Of a replay: each row of causes, in all its forms. */
static void reasons(void)
{
    static const struct {
        struct dlq_replay replay;
        const char *cause, *text;
    } rows[] = {
        {{.measured = 3.1,
          .without_overheads = 4.568,
          .reasons = {{.cause = DLQ_REASON_LOCK, .affected = 31, .total = 400, .time = 0.0612}}},
         "lock",
         "31 of 400 batches came 61 ms late, most as a worker ended another load: loads hold the interpreter lock, "
         "which handing over needs. Without it 4.57 batches/s, not 3.1. Release it in the load, or set prefetch to 1."},
        {{.reasons = {{.cause = DLQ_REASON_WORKER,
                       .worker = 3,
                       .rank = 1,
                       .affected = 2,
                       .time = 0.909,
                       .other_time = 0.303}}},
         "worker",
         "Worker 3 of rank 1 takes 3 times as long as the others (median 910 ms against 300 ms; workers that are slow: "
         "2). Where delivery is in order it holds the whole pipeline to its pace. Look at its core, its host and its "
         "files."},
        {{.reasons = {{.cause = DLQ_REASON_CORES, .time = 1.62, .other_time = 0.9, .many = 6, .few = 2}}},
         "cores",
         "Loads take 1.8 times as long when 6 or more others run as when 2 or fewer do (medians): workers share cores, "
         "memory or storage, or slow times come for all of them. See [host] cores and bandwidth."},
        {{.reasons = {{.cause = DLQ_REASON_DRIFT, .time = 0.2, .other_time = 0.12}}},
         "drift",
         "Load times drift: the median is 120 ms in the first third of the run and 200 ms in the last. Caches that "
         "fill, files that grow or other jobs do that; one law for all loads describes neither part."},
        {{.loader = "pytorch", .reasons = {{.cause = DLQ_REASON_ORDER, .affected = 1, .total = 400, .in_order = true}}},
         "order",
         "1 of 400 batches were not delivered in order of index, as pytorch delivers them. Name the loader that was "
         "used, or look for batches that were skipped."},
        {{.loader = "pool", .reasons = {{.cause = DLQ_REASON_ORDER, .affected = 77, .total = 400}}},
         "order",
         "77 of 400 batches were not delivered in order of completion, as pool delivers them. Name the loader that was "
         "used, or look for batches that were skipped."},
        {{.reasons =
              {{.cause = DLQ_REASON_CLOCK, .total = 400, .faults = {[DLQ_CLOCK_START] = 3, [DLQ_CLOCK_OVERLAP] = 1}}}},
         "clock",
         "Times that can't be, of 400 batches: load_start before dispatched (3), loads that overlap on one worker (1). "
         "Write all times from one clock."},
        {{.reasons = {{.cause = DLQ_REASON_CLOCK, .total = 9, .faults = {0, 1, 2, 3, 4, 0}}}},
         "clock",
         "Times that can't be, of 9 batches: load_end before load_start (1), received before load_end (2), received "
         "before request (3), step_end before received (4). Write all times from one clock."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_replay replay = rows[i].replay;
        struct dlq_reason_said said[DLQ_REASONS];
        replay.reason_count = 1;
        dlq_reasons_say(&replay, said);
        CHECK_TEXT(said[0].cause, rows[i].cause);
        CHECK_TEXT(said[0].text, rows[i].text);
    }
}

/* What does not fit is cut, no character in the middle. */
static void cut(void)
{
    static const struct {
        size_t size;
        const char *parts[2], *text;
    } rows[] = {
        {20, {"one", "two"}, "one, two"},
        {7, {"one", "two"}, "one, t"},
        {4, {"abc", NULL}, "abc"},
        {5, {"ab\xc3\xa9", NULL}, "ab\xc3\xa9"},
        {4, {"ab\xc3\xa9", NULL}, "ab"},
        {4, {"\xe2\x82\xac", NULL}, "\xe2\x82\xac"},
        {3, {"\xe2\x82\xac", NULL}, ""},
        {6, {"a\xf0\x9f\x98\x80", NULL}, "a\xf0\x9f\x98\x80"},
        {5, {"a\xf0\x9f\x98\x80", NULL}, "a"},
        {4, {"\x80\x80\x80\x80", NULL}, "\x80\x80\x80"}, /* a name that is no UTF-8 */
        {1, {"abc", NULL}, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32] = "";
        struct dlq_phrase phrase = {.text = text, .size = rows[i].size, .separator = ", "};
        for (size_t k = 0; k < 2 && rows[i].parts[k] != NULL; k++)
            dlq_phrase_add(&phrase, "%s", rows[i].parts[k]);
        CHECK_TEXT(text, rows[i].text);
        CHECK_INT(phrase.used, strlen(rows[i].text));
    }
}

/* What another caution says, too, is left out of texts. */
static void repeated_cautions(void)
{
    struct dlq_fit_prediction prediction = {.batches = 1,
                                            .cautions = {[DLQ_CAUTION_SLOWER] = true, [DLQ_CAUTION_ORDER] = true}};
    struct dlq_caution_said said[DLQ_CAUTIONS];
    CHECK_INT(dlq_cautions_say(&prediction, said), 2);
    CHECK(!said[0].repeats && !said[1].repeats, "nothing comes twice");
    prediction.cautions[DLQ_CAUTION_BURST] = true;
    CHECK_INT(dlq_cautions_say(&prediction, said), 3);
    CHECK(strstr(said[1].text, " Slow batches come together: another run") != NULL, "'%s'", said[1].text);
    CHECK(!said[1].repeats && said[2].repeats, "the order comes twice");
    prediction.cautions[DLQ_CAUTION_STRETCHES] = true;
    CHECK_INT(dlq_cautions_say(&prediction, said), 4);
    CHECK(strstr(said[1].text, "another run") == NULL, "'%s'", said[1].text);
    CHECK(!said[1].repeats && said[2].repeats && !said[3].repeats, "the order comes twice");
}

TEST_SUITE(fit_words, CASE(cut), CASE(repeated_cautions), CASE(warnings), CASE(configuration), CASE(reasons));
