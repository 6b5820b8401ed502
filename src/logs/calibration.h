/* The thresholds of the log side: the numbers that decide what is said of a log. One row serves all uses of one
   meaning. Not here: limits of memory, effort of numerical searches, lengths of stretches, quantile levels of
   intervals, "most of", and the scores by which formats are told apart. ROW(name, value, unit, evidence, test).
   Evidence: what measured or derived the value ("theory, signs" and "theory, prediction" are the sections "What a
   record shows besides" and "Prediction from a trace" of doc/theory.md); empty: chosen, and not measured. Test: a
   suite, or a question of tests/data/answers.txt, that notices a move of the value by 20 %; tools/calibration.py tries
   it.
 */
#pragma once

/* Questions that several rows share. */
#define DLQ_ASK_TAIL "fit --json --set pipeline.loaders=1 --set pipeline.prefetch=4 data/torch2/exp_n4_p2_s1.csv.gz"
#define DLQ_ASK_CORES "fit --json --set pipeline.loaders=3 data/torch2/cpug_n2_p2_s12.csv.gz"
#define DLQ_ASK_LAWS "fit --json data/made/cores2.5-n6.csv.gz --also data/made/cores2.5-n2.csv.gz"

#define DLQ_CALIBRATION(ROW)                                                                                           \
    /* levels of tests */                                                                                              \
    ROW(rare, 0.005, "probability", "theory, equation 36: below .005", "logs_study.thresholds")                        \
    ROW(improbable, 0.001, "probability", "once in 1,000 runs by chance", "logs_study.thresholds")                     \
    ROW(errors_clear, 4, "standard errors", "6e-5 by chance (normal law, both sides)", "logs_study.diagnose")          \
    /* how many */                                                                                                     \
    ROW(fewest_alike, 3, "events", "", "logs_study.thresholds")                                                        \
    ROW(few, 5, "events", "", "logs_report.diagnose_verdict")                                                          \
    ROW(least_values, 10, "values", "", "logs_study.loads_windows")                                                    \
    ROW(enough, 20, "iterations", "theory, equation 25: at least 20 slow loads",                                       \
        "diagnose --json variants/n8_p2_exp_r1_s118.20.csv")                                                           \
    ROW(fewest_times, 30, "times", "", "logs_study.thresholds")                                                        \
    ROW(told_iterations, 150, "iterations",                                                                            \
        "258 made logs: ranges of shorter ones hold in 86 to 94 %, wider ones, too", "logs_study.thresholds")          \
    ROW(long_run, 100, "iterations", "", "logs_study.thresholds")                                                      \
    ROW(many, 400, "batches", "", "logs_study.thresholds")                                                             \
    /* shares of the time, and of events */                                                                            \
    ROW(least_change, 0.001, "share", "theory, equations 26 and 28: 0.1 % for clocks", DLQ_ASK_TAIL)                   \
    ROW(severity_small, 0.01, "share", "blog on slow PyTorch loaders: from 1 % on worth a look",                       \
        "logs_report.diagnose_verdict")                                                                                \
    ROW(severity_slight, 0.05, "share", "profilers of PyTorch and TensorFlow warn from 5 % on",                        \
        "diagnose --json variants/epochs.60.csv")                                                                      \
    ROW(severity_moderate, 0.1, "share", "'warning' of TraceML or TensorFlow", "logs_report.diagnose_verdict")         \
    ROW(severity_severe, 0.2, "share", "'critical' of TraceML or TensorFlow", "logs_report.diagnose_verdict")          \
    ROW(epochs_vary, 0.35, "cv", "bench/phases.py: 2 of 7,600 logs without epochs", "logs_study.thresholds")           \
    ROW(turns_lost, 0.15, "share", "", "logs_study.diagnose")                                                          \
    ROW(ready_share, 0.5, "share", "", "logs_report.diagnose_verdict")                                                 \
    ROW(barrier_own, 0.6, "share", "", "logs_report.diagnose_verdict")                                                 \
    ROW(large_part, 0.8, "share", "", "logs_report.diagnose_verdict")                                                  \
    ROW(nearly_all, 0.9, "share", "", "logs_report.diagnose_verdict")                                                  \
    ROW(all_lost, 0.995, "share", "", "logs_report.diagnose_verdict")                                                  \
    ROW(stamps_agree, 0.7, "share", "800 synthetic logs: 81 to 92 % told rightly, 0 to 1.8 % wrongly",                 \
        "logs_read.generic")                                                                                           \
    ROW(clock_enough, 10, "units of the clock", "test_budget.c: made logs by clocks of whole seconds",                 \
        "logs_study.budget")                                                                                           \
    ROW(pause_clear, 3, "units of the clock", "the same logs", "logs_study.budget")                                    \
    ROW(pauses_most, 0.35, "share", "the same logs: above it lines are one iteration of many", "logs_study.budget")    \
    /* times that are alike, or not */                                                                                 \
    ROW(steady, 0.03, "cv", "", "logs_study.thresholds")                                                               \
    ROW(alike, 0.1, "share", "", "logs_study.thresholds")                                                              \
    ROW(tie, 0.97, "factor", "3 % of a tie by measuring both; not recorded", "logs_report.diagnose_verdict")           \
    ROW(slow_worker, 1.2, "factor", "", "logs_report.diagnose_verdict")                                                \
    ROW(gain_sharing, 1.1, "factor", "40 runs of 9 programs: 17 of 19 gains above 15 % found, 2 named wrongly",        \
        "advise --json --cores 3 variants/cpug_n2_p2_s12.60.csv")                                                      \
    ROW(several_threads, 1.2, "cores", "a load of 178 ms used 336 ms of CPU, and 749 ms with more workers",            \
        "logs_report.sentences")                                                                                       \
    ROW(phases_differ, 1.25, "factor", "theory, signs: by more than a quarter", "logs_study.thresholds")               \
    ROW(drift_matters, 1.4, "factor", "", "logs_stats.segments")                                                       \
    ROW(drift_ended, 1.5, "standard errors",                                                                           \
        "bench/phases.py: levels that end drifts of 300 iterations with cv 1 are off by 10 to 13 %, with 0 by 17 %",   \
        "logs_stats.segments")                                                                                         \
    ROW(slow_clearly, 1.5, "factor", "", "logs_study.diagnose")                                                        \
    ROW(dominates, 2, "factor", "", "logs_report.diagnose_verdict")                                                    \
    ROW(outlier, 5, "medians", "theory, signs: above five medians", "logs_study.thresholds")                           \
    ROW(far_below, 0.25, "share", "", "logs_study.diagnose")                                                           \
    ROW(stall_of_step, 0.2, "share", "", "logs_study.thresholds")                                                      \
    ROW(long_steps, 0.1, "share", "test_steps.c: none of 1,000 made logs of one rank, with lognormal steps up to 0.5", \
        "logs_study.thresholds")                                                                                       \
    ROW(long_step, 3, "factor", "the same logs", "logs_study.thresholds")                                              \
    ROW(unit_differs, 100, "factor", "between units of time lies a factor of 1,000 or 60", "logs_read.pattern")        \
    ROW(likely_cv, 1, "cv", "", "logs_study.loads_windows")                                                            \
    ROW(tail_cv, 0.8, "cv", "", "logs_study.thresholds")                                                               \
    ROW(exclusive_uneven, 3, "factor", "", "logs_study.thresholds")                                                    \
    ROW(tick, 1e-3, "s", "", "logs_study.thresholds")                                                                  \
    /* loaders that a log of waits tells */                                                                            \
    ROW(surely_needed, 0.9, "share", "bench/advice.py: 204 of 206 lower bounds were true", "logs_study.thresholds")    \
    ROW(range_wider, 1.2, "factor", "bench/advice.py: 57 of 61 ranges held; narrower ones 76 of 85",                   \
        "logs_study.thresholds")                                                                                       \
    ROW(range_told, 3, "factor", "694 made logs: 34 % got a number, with 2 20 %", "logs_study.thresholds")             \
    ROW(usual_host, 64, "loaders", "above the 40 vCPUs per GPU that the instances of model/instance.c have at most",   \
        "logs_study.thresholds")                                                                                       \
    /* what is shown */                                                                                                \
    ROW(needed_rounding, 0.05, "loaders", "", "logs_study.thresholds")                                                 \
    ROW(gain_shown, 1.005, "factor", "", "advise --json data/made/warm.csv.gz")                                        \
    /* replay and fit */                                                                                               \
    ROW(late_quantile, 0.99, "quantile", "", "logs_study.replay")                                                      \
    ROW(longest_receive, 0.005, "s", "20,678 receptions of loaded batches in records of torch: 90 % below 5 ms",       \
        "logs_study.loads")                                                                                            \
    ROW(few_known, 0.2, "share", "54 records of torch without their loads: 50 means inside, 46 without it",            \
        "fit --json --loaders 4 --prefetch 2 variants/n4_p1_pareto2.5_r1.1_s148.without-6.csv")                        \
    ROW(count_exact, 8, "loaders", "", "advise --json --loaders 8 data/torch/indep/n8_p2_gamma0.3_r1_s110.csv")        \
    /* prediction */                                                                                                   \
    ROW(tail_fits, 0.9, "factor", "", DLQ_ASK_TAIL)                                                                    \
    ROW(tail_share, 0.1, "share", "theory, equation 25: a tenth", DLQ_ASK_TAIL)                                        \
    ROW(tail_shape, 0.3, "shape", "",                                                                                  \
        "fit --json --set pipeline.loaders=12 data/torch/multirank/mr4_logn1_r1_p8_rank2.csv")                         \
    ROW(record_wider, 1.1, "factor", "theory, equation 26: measured, on recorded and on made runs", DLQ_ASK_TAIL)      \
    ROW(joint_margin, 1.1, "factor", "theory, prediction: 10 % wider",                                                 \
        "fit --json --set pipeline.loaders=12 data/torch/cases/n24_p2_const_r1.csv --also "                            \
        "data/torch/cases/n8_p2_const_r1_python.csv")                                                                  \
    ROW(law_temper, 16, "factor", "theory, prediction: loads of one run are not independent", DLQ_ASK_LAWS)            \
    ROW(law_smooth, 3, "factor", "theory, prediction: a smooth law counts a third", DLQ_ASK_LAWS)                      \
    ROW(law_rate, 0.05, "logarithm", "theory, prediction: by how much a law may miss a rate",                          \
        "fit --json --set pipeline.loaders=12 data/torch/cases/n2_p8_exp_r1.csv --also "                               \
        "data/torch/cases/n8_p2_exp_r1.csv")                                                                           \
    ROW(pace_spread, 0.1, "sd of a logarithm", "CPU time of the same load in repeated runs: sd 4 to 13 %",             \
        DLQ_ASK_CORES)                                                                                                 \
    ROW(steps_apart, 0.015, "sd of a logarithm",                                                                       \
        "a sleeping step and receiving its batch, in repeated runs: 1 to 2 %", DLQ_ASK_TAIL)                           \
    ROW(core_unusable, 0.2, "share", "theory, prediction: kappa from .8 to 1", DLQ_ASK_CORES)                          \
    ROW(core_ways_differ, 1.05, "factor", "", DLQ_ASK_CORES)                                                           \
    ROW(proven, 12, "log likelihood", "theory, prediction: n log(V/V_min) up to 12",                                   \
        "fit --json --loaders 4 --prefetch 2 variants/n4_p1_pareto2.5_r1.1_s148.without-6.csv")                        \
    /* tables of measured runs */                                                                                      \
    ROW(fewest_counts, 4, "counts", "39 tables: of three counts the prior decides", "logs_study.scaling")              \
    ROW(within_best, 0.03, "share", "within a step of a best count: 22 of 23 tables", "logs_study.scaling")            \
    ROW(likely_alike, 0.1, "probability", "39 tables: holds a best count in all", "logs_study.scaling")                \
    ROW(as_telling, 0.9, "share", "", "logs_study.scaling")                                                            \
    ROW(gain_beyond, 0.05, "share", "", "logs_study.scaling")                                                          \
    ROW(likely_grows, 0.2, "probability", "", "logs_study.scaling")                                                    \
    ROW(each_more_matters, 0.1, "share", "", "logs_study.scaling")                                                     \
    ROW(far_beyond, 2, "factor", "beyond twice 5 of 7 rows were within the interval", "logs_study.scaling")            \
    ROW(repeats_apart, 0.15, "share", "repeated runs of 9 programs: up to 13 %", "logs_study.scaling")                 \
    ROW(step_is_plateau, 0.85, "share", "", "logs_study.scaling")                                                      \
    ROW(cores_from, 0.6, "cores", "", "logs_study.scaling")                                                            \
    ROW(cores_to, 1.3, "cores", "", "logs_study.scaling")

#define DLQ_CALIBRATION_MEMBER(name, value, unit, evidence, test) double name;
struct dlq_calibration {
    DLQ_CALIBRATION(DLQ_CALIBRATION_MEMBER)
};
#undef DLQ_CALIBRATION_MEMBER

extern const struct dlq_calibration dlq_calibration;
