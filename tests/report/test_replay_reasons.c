/* What is said of the reasons of a replay: each row of causes, in all its forms. */
#include "harness.h"
#include "report/fit_report.h"

static void each_cause(void)
{
    static const struct {
        struct dlq_replay replay;
        const char *cause, *text;
    } rows[] = {
        {{.measured = 3.1,
          .pure = 4.568,
          .reasons = {{.cause = DLQ_REASON_LOCK, .count = 31, .of = 400, .median = 0.0612}}},
         "lock",
         "31 of 400 batches came 61 ms late, most as a worker ended another load: loads hold the interpreter lock, "
         "which handing over needs. Without it 4.57 batches/s, not 3.1. Release it in the load, or set prefetch to 1."},
        {{.ranks = 1,
          .reasons = {{.cause = DLQ_REASON_WORKER, .worker = 3, .count = 1, .median = 0.29, .other_median = 0.1}}},
         "worker",
         "Worker 3 takes 2.9 times as long as the others (median 290 ms against 100 ms). Look at its core, its host "
         "and its files."},
        {{.ranks = 2,
          .reasons = {{.cause = DLQ_REASON_WORKER,
                       .worker = 3,
                       .rank = 1,
                       .count = 2,
                       .in_order = true,
                       .median = 0.909,
                       .other_median = 0.303}}},
         "worker",
         "Worker 3 of rank 1 takes 3 times as long as the others (median 910 ms against 300 ms) (2 of the workers are "
         "slow): delivery in order holds the whole pipeline to its pace. Look at its core, its host and its files."},
        {{.reasons = {{.cause = DLQ_REASON_CORES, .median = 1.62, .other_median = 0.9, .many = 6, .few = 2}}},
         "cores",
         "Loads take 1.8 times as long when 6 or more others run as when 2 or fewer do (medians): workers share cores, "
         "memory or storage. Fewer workers would lose little; see [host] cores and bandwidth."},
        {{.reasons = {{.cause = DLQ_REASON_DRIFT, .median = 0.2, .other_median = 0.12}}},
         "drift",
         "Load times drift: the median is 120 ms in the first third of the run and 200 ms in the last. Caches that "
         "fill, files that grow or other jobs do that; one law for all loads describes neither part."},
        {{.loader = "pytorch", .reasons = {{.cause = DLQ_REASON_ORDER, .count = 1, .of = 400, .in_order = true}}},
         "order",
         "1 of 400 batches were delivered before one of a smaller index; pytorch delivers in order. Name the loader "
         "that was used, or look for batches that were skipped."},
        {{.loader = "pool", .reasons = {{.cause = DLQ_REASON_ORDER, .count = 77, .of = 400}}},
         "order",
         "The trainer waited for 77 of 400 batches while another was ready; pool delivers what is ready first. Name "
         "the loader that was used: it seems to keep an order."},
        {{.reasons =
              {{.cause = DLQ_REASON_CLOCK, .of = 400, .faults = {[DLQ_CLOCK_START] = 3, [DLQ_CLOCK_OVERLAP] = 1}}}},
         "clock",
         "Times that can't be, of 400 batches: load_start before dispatched (3), loads that overlap on one worker (1). "
         "Write all times from one clock."},
        {{.reasons = {{.cause = DLQ_REASON_CLOCK, .of = 9, .faults = {0, 1, 2, 3, 4, 0}}}},
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

static const struct test_case cases[] = {
    {"each cause", each_cause},
    {NULL, NULL},
};

const struct test_suite suite_replay_reasons = {"replay_reasons", cases};
