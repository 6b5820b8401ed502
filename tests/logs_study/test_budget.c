/* The budget of the wall clock: lines with time stamps of a clock of whole seconds, made with pauses between them,
   clocks that are set back, restarts, running means, and lines of one iteration of many. */
#include "logs/study/diagnose/diagnose.h"
#include "made_logs.h"

#include <time.h>

enum kind { MEANS, VALIDATED, SET_BACK, RESTARTED, RUNNING, ONE_OF_MANY, KINDS };

/* Lines of `every` iterations, of which 5 % stall. between: the lines in each pause. */
static struct dlq_diagnosis made(enum kind kind, long lines, long every, const char *between, unsigned long seed)
{
    struct measured log = {tmpfile(), gsl_rng_alloc(gsl_rng_taus2)};
    gsl_rng_set(log.random, seed);
    static const double bases[] = {0.2, 0.5, 1.5, 4};
    const double base = bases[gsl_rng_uniform_int(log.random, 4)];
    const long n = lines * every, often = every * (lines / 5 > 3 ? lines / 5 : 3);
    double now = 1.75e9 + gsl_rng_uniform(log.random), sum = 0, all = 0, last = 0;
    for (long i = 0; i < n; i++) {
        const bool stalls = gsl_rng_uniform(log.random) < 0.05;
        last = base * (1 + (stalls ? 2 + 13 * gsl_rng_uniform(log.random) : 0)) * gsl_ran_lognormal(log.random, 0, 0.2);
        now += last;
        sum += last;
        all += last;
        if (kind == VALIDATED && i > 0 && i % often == 0) {
            now += 4 * base * (double)every;
            fputs(between, log.stream);
        }
        if (kind == SET_BACK && i == n / 2)
            now -= 3600;
        if ((i + 1) % every != 0)
            continue;
        const time_t second = (time_t)now;
        const long counter = i + 1 - (kind == RESTARTED && i >= n / 2 ? n / 2 / every * every - every : 0);
        const double time = kind == RUNNING ? all / (double)(i + 1) : kind == ONE_OF_MANY ? last : sum / (double)every;
        struct tm parts;
        char stamp[32];
        strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", gmtime_r(&second, &parts));
        fprintf(log.stream, "%s iter %ld data_time: %.4f s iter_time: %.4f s\n", stamp, counter, time / 8, time);
        sum = 0;
    }
    return diagnosis_of(measured_trace(&log));
}

static void balances(void)
{
    static const long lengths[] = {12, 30, 60}, distances[] = {10, 20, 50};
    /* Shares of the logs with a balance. */
    static const struct {
        enum dlq_balance balance;
        double least, wrong; /* has this balance; says that parts add up where they do not, or the other way round */
    } rows[KINDS] = {
        [MEANS] = {DLQ_BALANCE_EVEN, 0.97, 0},      [VALIDATED] = {DLQ_BALANCE_PAUSES, 0.95, 0.01},
        [SET_BACK] = {DLQ_BALANCE_EVEN, 0.97, 0},   [RESTARTED] = {DLQ_BALANCE_EVEN, 0.97, 0},
        [RUNNING] = {DLQ_BALANCE_EVEN, 0.95, 0.03}, [ONE_OF_MANY] = {DLQ_BALANCE_OUTSIDE, 0.4, 0.16},
    };
    const long runs = test_long() ? 400 : 45;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        long counts[DLQ_BALANCE_OVER + 1] = {0};
        for (long run = 0; run < runs; run++) {
            OWN(dlq_diagnosis)
            result = made(kind, lengths[run % 3], distances[run / 3 % 3], "", (unsigned long)(run + 1));
            const struct dlq_budget *budget = &result.budget;
            counts[budget->balance]++;
            if (budget->balance != DLQ_BALANCE_UNKNOWN)
                CHECK_REL(budget->iterations + budget->waits + budget->pauses + budget->unexplained, 1, 1e-9);
        }
        const long wrong = rows[kind].balance == DLQ_BALANCE_EVEN ? runs - counts[DLQ_BALANCE_EVEN] - counts[0]
                                                                  : counts[DLQ_BALANCE_EVEN];
        CHECK((double)counts[rows[kind].balance] >= rows[kind].least * (double)runs, "kind %d: %ld of %ld", kind,
              counts[rows[kind].balance], runs);
        CHECK((double)wrong <= rows[kind].wrong * (double)runs, "kind %d: %ld of %ld are wrong", kind, wrong, runs);
    }
}

/* Pauses with lines of validation are validation, those with lines of saved checkpoints are checkpoints; with both or
   neither the log does not tell. */
static void kinds_of_pauses(void)
{
    enum { PAUSES, VALIDATION, CHECKPOINTS };
    static const struct {
        const char *between;
        int kind;
    } rows[] = {
        {"", PAUSES},
        {"val: loss 0.3\n", VALIDATION},
        {"2026-01-05 10:00:00 - mmengine - INFO - Saving checkpoint at 10 epochs\n", CHECKPOINTS},
        {"saving checkpoint at iteration     500 to /ckpt in torch_dist format\n"
         "  successfully saved checkpoint from iteration     500 to /ckpt [ t 1/1, p 1/1 ]\n",
         CHECKPOINTS},
        {"[01/05 10:00:00 fvcore.common.checkpoint]: Saving checkpoint to ./model_0004999.pth\n", CHECKPOINTS},
        {"2026-01-05 10:00:00 | INFO | yolox.core.trainer:344 - Save weights to ./YOLOX_outputs/s\n", CHECKPOINTS},
        {"2026-01-05 10:00:00,123 INFO: Saving models and training states.\n", CHECKPOINTS},
        {"[01/05 10:00:00] ppdet.utils.checkpoint INFO: Save checkpoint: output/yolo\n", CHECKPOINTS},
        {"Saving checkpoint at 10 epochs\nEpoch(val) [1][10/50]\n", PAUSES},
        {"Loading checkpoint from ./model.pth\nsaved 12 images\n", PAUSES},
    };
    double lasted = NAN;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        OWN(dlq_diagnosis) result = made(VALIDATED, 30, 20, rows[r].between, 3);
        const struct dlq_budget *budget = &result.budget;
        const double shares[] = {budget->pauses, budget->validation, budget->checkpoints};
        lasted = r == 0 ? shares[0] : lasted;
        CHECK_INT(budget->balance, DLQ_BALANCE_PAUSES);
        CHECK_INT(budget->pause_count, 4);
        for (int k = 0; k < 3; k++)
            CHECK(fabs(shares[k] - (k == rows[r].kind ? lasted : 0)) < 1e-9, "row %zu, %d: %g", r, k, shares[k]);
    }
    CHECK(lasted > 0.2 && lasted < 0.5, "%g", lasted);
}

/* On both sides of thresholds of src/logs/calibration.h: lines by a clock of whole seconds, of one iteration each. */
static void thresholds(void)
{
    enum { MOST = 9 };
    static const struct {
        const char *threshold;
        int passed[MOST]; /* s, from a line to the next; 0: the end */
        double iter[MOST];
        enum dlq_balance balance;
    } rows[] = {
        {"clock_enough", {3, 3, 3}, {3, 3, 3}, DLQ_BALANCE_UNKNOWN},
        {"clock_enough", {4, 4, 3}, {4, 4, 3}, DLQ_BALANCE_EVEN},
        {"pause_clear", {3, 3, 5}, {3, 3, 2.3}, DLQ_BALANCE_OUTSIDE},
        {"pause_clear", {3, 3, 6}, {3, 3, 2.7}, DLQ_BALANCE_PAUSES},
        {"pauses_most", {9, 4, 4, 9, 4, 4}, {4, 4, 4, 4, 4, 4}, DLQ_BALANCE_PAUSES},
        {"pauses_most", {9, 4, 4, 9, 4, 4, 9, 4}, {4, 4, 4, 4, 4, 4, 4, 4}, DLQ_BALANCE_OUTSIDE},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct measured log = {tmpfile(), gsl_rng_alloc(gsl_rng_taus2)};
        fprintf(log.stream, "2026-01-05 10:00:00 iter 1 data_time: 0.1 s iter_time: 4 s\n");
        for (int i = 0, now = 0; i < MOST && rows[r].passed[i] > 0; i++) {
            now += rows[r].passed[i];
            fprintf(log.stream, "2026-01-05 10:00:%02d iter %d data_time: 0.1 s iter_time: %g s\n", now, i + 2,
                    rows[r].iter[i]);
        }
        OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
        CHECK(result.budget.balance == rows[r].balance, "%s, row %zu: %d", rows[r].threshold, r,
              (int)result.budget.balance);
    }
}

/* What few lines, a coarse clock, or no clock leave unknown; times that no clock allows. */
static void unknown(void)
{
#define LINE(time, count, iter) "2026-01-05 10:00:" time " iter " count " data_time: 0.1 s iter_time: " iter " s\n"
    static const struct {
        const char *log;
        enum dlq_balance balance;
    } rows[] = {
        {LINE("01", "10", "0.2") LINE("03", "20", "0.2") LINE("05", "30", "0.2"), DLQ_BALANCE_UNKNOWN},
        {LINE("01", "1", "0.2") LINE("01", "2", "0.2") LINE("01", "3", "0.2") LINE("02", "4", "0.2"),
         DLQ_BALANCE_UNKNOWN},
        {"iter 10 data_time: 0.1 s iter_time: 0.2 s\niter 20 data_time: 0.1 s iter_time: 0.2 s\n", DLQ_BALANCE_UNKNOWN},
        {LINE("01", "10", "0.5") LINE("05", "20", "0.5") LINE("09", "30", "0.5") LINE("13", "40", "0.5")
             LINE("17", "50", "0.5"),
         DLQ_BALANCE_OVER},
        {LINE("01", "10", "0.4") LINE("05", "20", "0.4") LINE("09", "30", "0.4") LINE("13", "40", "0.4")
             LINE("17", "50", "0.4"),
         DLQ_BALANCE_EVEN},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        OWN(dlq_diagnosis) result = diagnosis_of(trace_of_text(rows[r].log));
        CHECK(result.budget.balance == rows[r].balance, "row %zu: %d", r, (int)result.budget.balance);
        CHECK(isnan(result.budget.seconds) == (rows[r].balance == DLQ_BALANCE_UNKNOWN), "row %zu", r);
    }
}

/* Lines that show every tenth iteration, of which one in `turn` is long: their share of waits is off by chance. Stamps
   tell that lines are a sample (but for one log, which shows few long ones), and correct the share where it is too
   large. In the last row all that varies is the step. */
static void samples(void)
{
    static const struct {
        long turn;
        double wait, step, longer; /* s; longer: of a step, in place of the wait */
    } rows[] = {{8, 0.65, 0.1, 0}, {7, 0.55, 0.1, 0}, {13, 2.385, 0.1, 0}, {7, 0, 0.1, 0.9}};
    long told = 0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        for (unsigned long seed = 1; seed <= 20; seed++) {
            struct measured log = {tmpfile(), gsl_rng_alloc(gsl_rng_taus2)};
            double now = 1.75e9, waits = 0, all = 0, shown = 0, shown_waits = 0;
            gsl_rng_set(log.random, seed);
            for (long i = 0; i < 600; i++) {
                const bool late = gsl_rng_uniform(log.random) < 1 / (double)rows[r].turn;
                const double wait = late ? rows[r].wait : 0, step = rows[r].step + (late ? rows[r].longer : 0);
                const double time = wait + step * gsl_ran_lognormal(log.random, 0, 0.02);
                const time_t second = (time_t)(now += time);
                waits += i > 0 ? wait : 0;
                all += i > 0 ? time : 0;
                if (i % 10 != 0)
                    continue;
                struct tm parts;
                char stamp[32];
                strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", gmtime_r(&second, &parts));
                shown += i > 0 ? time : 0;
                shown_waits += i > 0 ? wait : 0;
                fprintf(log.stream, "%s,%03d step %ld data_time %.3f iter_time %.3f\n", stamp,
                        (int)(1e3 * (now - (double)second)), i, wait, time);
            }
            OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
            const struct dlq_budget *budget = &result.budget;
            told += result.sampled;
            if (!result.sampled)
                continue;
            CHECK_REL(budget->iterations + budget->waits + budget->pauses + budget->unexplained, 1, 1e-9);
            CHECK(budget->iterations >= 0 && budget->waits >= 0 && budget->unexplained >= 0, "row %zu", r);
            if (budget->balance == DLQ_BALANCE_OVER)
                CHECK(fabs(result.lost_share - waits / all) < 0.02, "row %zu, seed %lu: %g, not %g (shown %g)", r, seed,
                      result.lost_share, waits / all, shown_waits / shown);
        }
    }
    CHECK_INT(told, 79);
}

TEST_SUITE(budget, CASE(samples), CASE(balances), CASE(kinds_of_pauses), CASE(thresholds), CASE(unknown));
