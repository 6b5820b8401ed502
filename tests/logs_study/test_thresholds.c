/* Thresholds of src/logs/calibration.h: an answer for an input just beside the threshold, on both sides. Each input is
   within 20 % of the threshold, so that a moved threshold changes an answer. */
#include "logs/study/diagnose/diagnose.h"
#include "logs/study/fit/fit.h"
#include "made_logs.h"

/* -- diagnoses -- */

/* Iterations without a wait, of 0.1 s, but for `often` evenly spaced ones that wait, or whose step is longer (s). */
static struct dlq_diagnosis spaced(long often, double wait, double longer)
{
    struct measured log = measured_log("data_time,iter_time", 1);
    for (long i = 0; i < 100 * (often + 1); i++) {
        const bool here = i > 0 && i % 100 == 0;
        fprintf(log.stream, "%.9g,%.9g\n", here ? wait : 0, 0.1 + (here ? wait + longer : 0));
    }
    return diagnosis_of(measured_trace(&log));
}

/* Iterations between pauses that are so much longer than other steps. */
static double pause_every(double factor)
{
    OWN(dlq_diagnosis) result = spaced(5, 0, 0.1 * (factor - 1));
    return (double)result.pause_every;
}

/* Iterations between waits of that many steps, which are taken for starts of epochs; NAN: none. */
static double epoch_after_wait(double steps)
{
    OWN(dlq_diagnosis) result = spaced(5, 0.1 * steps, 0);
    return result.long_wait_every;
}

/* Waits that are epoch starts, of epochs of 100 iterations on average whose lengths have that cv. */
static double starts_of_cv(double cv)
{
    struct measured log = measured_log("data_time,iter_time", 1);
    const long shorter = lround(100 * (1 - cv)), longer = lround(100 * (1 + cv));
    for (long i = 0, next = 0, k = 0; i < 820; i++) {
        measured_wait(&log, i == next ? 2.385 : 0);
        if (i == next)
            next += k++ % 2 == 1 ? shorter : longer;
    }
    OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
    return (double)result.epoch_starts;
}

static double epoch_by_number(double number)
{
    OWN(dlq_diagnosis) result = spaced((long)number, 0.5, 0);
    return result.long_wait_every;
}

/* Whether waits of that length are those for loads of 0.3 s in the training process. */
static double loads_in_waits(double wait)
{
    struct measured log = measured_log("data_time,iter_time,load_time", 1);
    for (long i = 0; i < 30; i++)
        fprintf(log.stream, "%.9g,%.9g,0.3\n", wait, wait + 0.1);
    OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
    return result.loads_inside;
}

/* The same of loads that start so much before the request (s). */
static double loads_after_requests(double before)
{
    struct measured log = measured_log("index,request,received,step_end,load_start,load_end", 1);
    for (long i = 0; i < 30; i++) {
        double request = 10 + 0.4 * (double)i;
        fprintf(log.stream, "%ld,%.9g,%.9g,%.9g,%.9g,%.9g\n", i, request, request + 0.3, request + 0.4,
                request - before, request + 0.3);
    }
    OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
    return result.loads_inside;
}

/* Batches that were ready at the start, of a run whose first `count` iterations do not wait, and then half of them. */
static double ready_at_start(double count)
{
    struct measured log = measured_log("index,data_time,iter_time", 1);
    double waits[200];
    for (size_t i = 0; i < 200; i++)
        waits[i] = i < 100 ? 0 : 0.05;
    gsl_ran_shuffle(log.random, waits, 200, sizeof *waits);
    for (long i = 0; i < (long)count + 200; i++) {
        double wait = i < (long)count ? 0 : i == (long)count ? 0.05 : waits[i - (long)count];
        fprintf(log.stream, "%ld,%.9g,%.9g\n", i + 1, wait, wait + 0.1);
    }
    OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
    return (double)result.ready_at_start;
}

/* The share of shared stalls of two ranks, of which four and four are close, in that many iterations. By chance: p of
   0.0054 in 1,000 iterations, of 0.0046 in 1,040. */
static double shared_stalls(double iterations)
{
    struct measured log = measured_log("rank,index,data_time,iter_time", 1);
    for (long i = 0; i < (long)iterations; i++)
        for (long r = 0; r < 2; r++) {
            double wait = i > 200 && i <= 1000 && (i - r) % 200 == 50 ? 0.05 : 0;
            fprintf(log.stream, "%ld,%ld,%.9g,%.9g\n", r, i, wait, 0.1 + wait);
        }
    OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
    return result.shared_stalls;
}

/* Whether loads of four workers exclude one another whose first turns are uneven by that share. */
static double exclusive(double off)
{
    struct dlq_batch batches[36];
    const double ends[] = {1, 2 + off, 3, 4 + off};
    for (size_t i = 0; i < 36; i++)
        batches[i] =
            (struct dlq_batch){.load = i < 4 ? 0.1 * ends[i] : 0.4, .load_start = 7 + 0.1 * floor((double)i / 4)};
    const struct dlq_rank rank = {.batches = batches, .count = 36, .worker_count = 4};
    return dlq_loads_exclude_each_other(&rank);
}

/* -- fits, and advice -- */

/* Whether times of that cv count as one. */
static double is_steady(double cv)
{
    struct dlq_observed observed[100];
    struct dlq_times_of times = {.observed = observed, .count = 100};
    double mean;
    for (size_t i = 0; i < 100; i++)
        observed[i].low = 0.2385 * (i % 2 == 0 ? 1 - cv : 1 + cv);
    return dlq_times_are_steady(&times, false, &mean);
}

/* Whether laws with tails and ends are tried for that many loads. */
static double laws_tried(double loads)
{
    const struct dlq_run run = {.threads = 1, .seed = 1, .has_seed = true};
    const struct dlq_fit_options options = {.hint = no_hint};
    static struct dlq_fit fit;
    struct dlq_error error = {0};
    struct run simulated = usual_run(law_exponential, 0.02, 1);
    simulated.batches = (long)loads;
    simulate(&simulated);
    OWN_TRACE *trace = trace_of_run(&simulated, 0);
    CHECK(dlq_fit(trace, &options, &run, &fit, &error) == DLQ_OK, "%s", error.text);
    return fit.load.tried_count > 4;
}

/* The advice for so many iterations of `steps` steps that wait, by 4 loaders, and a fit. */
static struct dlq_advice advice_for(long iterations, double steps, const struct dlq_fit *fit)
{
    const struct dlq_run run = {.threads = 1};
    const struct dlq_fit_options options = {.hint = {.loaders = 4}};
    struct dlq_error error = {0};
    OWN(dlq_diagnosis) diagnosis;
    struct dlq_advice advice = {0};
    struct measured log = measured_log("data_time,iter_time", 1);
    for (long i = 0; i < iterations; i++)
        measured_wait(&log, 0.1 * (steps - 1));
    OWN_TRACE *trace = measured_trace(&log);
    CHECK(dlq_diagnose(trace, &options.hint, &diagnosis, &error) == DLQ_OK, "%s", error.text);
    CHECK(dlq_advise(trace, &options, &diagnosis, fit, &run, &advice, &error) == DLQ_OK, "%s", error.text);
    return advice;
}

/* Whether a longer record is recommended than one of that many iterations. */
static double longer_record(double iterations)
{
    return advice_for((long)iterations, 3, NULL).record[DLQ_EVIDENCE_LONGER];
}

/* The least loaders for loads of so many steps, that only waits show: floor(0.9 needed) - 1. */
static double least_advised(double needed)
{
    return (double)advice_for(100, needed / 4, NULL).loaders_wanted;
}

/* Whether loads should be cheaper, since no usual host runs so many loaders. */
static double beyond_hosts(double needed)
{
    return advice_for(100, needed / 4, NULL).kind == DLQ_ADVICE_LOAD;
}

/* The loaders that are advised by a fit of so many waits, of which 10 suffice, between 5 and `high`; 0: no number. */
static double told_by(double iterations, double high)
{
    const struct dlq_fit fit = {.source = DLQ_FIT_WAITS,
                                .loader = "pytorch",
                                .loaders = 4,
                                .prefetch = 2,
                                .loaders_known = true,
                                .sufficient_loaders = 10,
                                .load.n = (long)iterations,
                                .prediction.recommended = {10, 5, high}};
    const struct dlq_advice advice = advice_for(100, 2, &fit);
    return advice.wanted_at_least ? 0 : (double)advice.to_loaders;
}

static double told_by_iterations(double iterations)
{
    return told_by(iterations, 12);
}

static double told_by_high(double high)
{
    return told_by(200, high);
}

/* The high end of the range of loaders for constant loads of so many steps, beyond 3 loaders. */
static double range_of(double steps)
{
    const struct dlq_run run = {.threads = 1, .seed = 1, .has_seed = true};
    const struct dlq_fit_options options = {.hint = {.loaders = 3}};
    struct dlq_error error = {0};
    struct dlq_fit fit;
    struct measured log = measured_log("data_time,iter_time", 1);
    for (long i = 0; i < 60; i++)
        measured_wait(&log, i % 3 == 0 ? 0.1 * (steps - 3) : 0);
    OWN_TRACE *trace = measured_trace(&log);
    CHECK(dlq_fit(trace, &options, &run, &fit, &error) == DLQ_OK, "%s", error.text);
    return fit.prediction.recommended.high;
}

/* The least loaders for recorded loads of so many steps. */
static double least_of_loads(double needed)
{
    struct measured log = measured_log("data_time,iter_time,load_time", 1);
    for (long i = 0; i < 30; i++)
        fprintf(log.stream, "0.2,0.3,%.9g\n", 0.1 * needed);
    OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
    return (double)result.loaders_at_least;
}

/* Whether steps of 0.1 s are too uneven for one rank, if `longer` of `count` (a prime 3 k + 2, of which cubes have all
   remainders) are `factor` times as long, at uneven distances. A step of 0.45 s shows that these are no pauses. */
static double uneven_steps(long count, double longer, double factor)
{
    struct measured log = measured_log("data_time,iter_time", 1);
    for (long i = 0; i < count; i++)
        fprintf(log.stream, "0.001,%.9g\n",
                0.001 + 0.1 * ((double)(i * i % count * i % count) < longer ? factor
                               : i == count / 2                             ? 4.5
                                                                            : 1));
    OWN(dlq_diagnosis) result = diagnosis_of(measured_trace(&log));
    return !isnan(result.long_steps.excess_share);
}

static double share_of_long_steps(double share)
{
    return uneven_steps(1013, 1 + floor(1013 * share), 7); /* the first iteration does not count */
}

static double length_of_long_steps(double factor)
{
    return uneven_steps(1013, 300, factor);
}

/* Whether a prediction from that many loads has the caution. */
static double caution_of(load_law *law, double batches, enum dlq_caution caution)
{
    const struct dlq_run run = {.threads = 1, .seed = 1, .has_seed = true};
    const struct dlq_fit_options options = {.hint = no_hint};
    struct dlq_error error = {0};
    struct dlq_fit_prediction prediction;
    struct run simulated = usual_run(law, 0.02, 1);
    simulated.batches = (long)batches;
    simulate(&simulated);
    OWN_TRACE *trace = trace_of_run(&simulated, 0);
    CHECK(dlq_predict_from_record(trace, &options, &run, &prediction, &error) == DLQ_OK, "%s", error.text);
    return prediction.cautions[caution];
}

static double later_factor;

LAW(law_later, (index < 200 ? 0.1 : 0.1 * later_factor) * (1 + 0.001 * draw))

/* Whether loads that get longer by a factor drift. */
static double drift_by(double factor)
{
    later_factor = factor;
    return caution_of(law_later, 400, DLQ_CAUTION_DRIFT);
}

static double long_load; /* s */

LAW(law_some_long, (index % 20 == 7 ? long_load : 0.02) * (1 + 0.001 * draw))

/* Whether an interval rests on a tail where a twentieth of that many loads is 50 times as long. */
static double tail_of_few(double batches)
{
    long_load = 1;
    return caution_of(law_some_long, batches, DLQ_CAUTION_TAIL);
}

/* The same of 200 loads of that cv: a twentieth takes x times the mean of the others, about
   (x - 1) sqrt(.05 * .95) / (1 + .05 (x - 1)). */
static double tail_of_cv(double cv)
{
    long_load = 0.02 * (1 + cv / (sqrt(0.05 * 0.95) - 0.05 * cv));
    return caution_of(law_some_long, 200, DLQ_CAUTION_TAIL);
}

static void answers_beside_thresholds(void)
{
    static const struct {
        const char *threshold;
        double (*answer)(double input);
        double inputs[2], answers[2];
    } rows[] = {
        {"outlier", pause_every, {4.9, 5.1}, {0, 100}},
        {"stall_of_step", epoch_after_wait, {0.98, 1.02}, {NAN, 100}},
        {"epochs_vary", starts_of_cv, {0.31, 0.39}, {9, 1}},
        {"fewest_alike", epoch_by_number, {3, 4}, {NAN, 100}},
        {"alike", loads_in_waits, {0.269, 0.271}, {0, 1}},
        {"tick", loads_after_requests, {0.0009, 0.0011}, {1, 0}},
        {"improbable", ready_at_start, {9, 10}, {0, 10}},
        {"rare", shared_stalls, {1000, 1040}, {NAN, 4 / 7.0}},
        {"exclusive_uneven", exclusive, {0.118, 0.122}, {1, 0}},
        {"steady", is_steady, {0.029, 0.031}, {1, 0}},
        {"long_run", longer_record, {99, 100}, {1, 0}},
        {"needed_rounding", least_of_loads, {6.045, 6.055}, {6, 7}},
        {"surely_needed", least_advised, {22.1, 22.3}, {18, 19}},
        {"long_steps", share_of_long_steps, {0.0218, 0.0228}, {0, 1}},
        {"long_step", length_of_long_steps, {2.95, 3.05}, {0, 1}},
        {"usual_host", beyond_hosts, {71.2, 72.3}, {0, 1}},
        {"told_iterations", told_by_iterations, {149, 150}, {0, 10}},
        {"range_told", told_by_high, {14.9, 15.1}, {10, 0}},
        {"range_wider", range_of, {9.9, 10.9}, {15, 16}},
        {"fewest_times", laws_tried, {28, 32}, {0, 1}},
        {"tail_cv", tail_of_cv, {0.78, 0.82}, {0, 1}},
        {"phases_differ", drift_by, {1.22, 1.28}, {0, 1}},
        {"many", tail_of_few, {390, 410}, {1, 0}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t side = 0; side < 2; side++) {
            double answer = rows[r].answer(rows[r].inputs[side]), expected = rows[r].answers[side];
            CHECK(isnan(expected) ? isnan(answer) : fabs(answer - expected) < 1e-9, "%s at %g: %g, expected %g",
                  rows[r].threshold, rows[r].inputs[side], answer, expected);
        }
}

TEST_SUITE(thresholds, CASE(answers_beside_thresholds));
