/* The thresholds of the log side: numbers that decide what is reported about a log. A threshold with several uses has
   the same meaning in all of them. Not here: limits of memory, effort of numerical searches, lengths of stretches,
   quantile levels of intervals, shares of one half, and the scores that distinguish formats. ROW(name, value, meaning,
   evidence, test). Meaning: unit and use; "at least" and "at most" say on which side of the value the meaning holds.
   Evidence: the measurement or derivation of the value ("theory, signs" and "theory, prediction" are the sections "What
   a record shows besides" and "Prediction from a trace" of doc/theory.md); empty: chosen, not measured. Test: a suite,
   or a question of tests/data/answers.txt, that notices a move of the value by 20 %; tools/calibration.py tries it. */
#pragma once

/* Questions that several rows share. */
#define DLQ_ASK_TAIL "fit --json --set pipeline.loaders=1 --set pipeline.prefetch=4 data/torch2/exp_n4_p2_s1.csv.gz"
#define DLQ_ASK_CORES "fit --json --set pipeline.loaders=3 data/torch2/cpug_n2_p2_s12.csv.gz"
#define DLQ_ASK_LAWS "fit --json data/made/cores2.5-n6.csv.gz --also data/made/cores2.5-n2.csv.gz"

#define DLQ_CALIBRATION(ROW)                                                                                           \
    /* levels of tests */                                                                                              \
    ROW(rare, 0.005, "probability: level of a test", "theory, equation 36: below .005", "logs_study.thresholds")       \
    ROW(improbable, 0.001, "probability: strict level of a test", "once in 1,000 runs by chance",                      \
        "logs_study.thresholds")                                                                                       \
    ROW(errors_clear, 4, "standard errors of a clear difference, at least", "6e-5 by chance (normal law, both sides)", \
        "logs_study.diagnose")                                                                                         \
    /* numbers of events */                                                                                            \
    ROW(fewest_alike, 3, "events that make a pattern, at least", "", "logs_study.thresholds")                          \
    ROW(few, 5, "events that have a mean, at least", "", "logs_report.diagnose_verdict")                               \
    ROW(least_values, 10, "values that have a spread, at least", "", "logs_study.loads_windows")                       \
    ROW(loose_lines, 5, "lines that tell whole numbers without a unit from counters, at least", "",                    \
        "logs_read.generic")                                                                                           \
    ROW(enough, 20, "iterations of a sufficient log, at least", "theory, equation 25: at least 20 slow loads",         \
        "diagnose --json variants/n8_p2_exp_r1_s118.20.csv")                                                           \
    ROW(fewest_times, 30, "times of a comparison of distributions, at least", "", "logs_study.thresholds")             \
    ROW(told_iterations, 150, "iterations for a number of loaders by waits, at least",                                 \
        "258 synthetic logs: of shorter logs 86 to 94 % of the ranges hold, even widened", "logs_study.thresholds")    \
    ROW(long_run, 100, "iterations of a search for changes, at least", "", "logs_study.thresholds")                    \
    ROW(many, 400, "batches that show the extremes of a run, at least", "", "logs_study.thresholds")                   \
    /* shares of the time, and of events */                                                                            \
    ROW(least_change, 0.001, "share: times that differ by less are equal",                                             \
        "theory, equations 26 and 28: 0.1 % for clocks", DLQ_ASK_TAIL)                                                 \
    ROW(severity_small, 0.01, "share of lost time that matters, at least",                                             \
        "blog on slow PyTorch loaders: relevant from 1 % on", "logs_report.diagnose_verdict")                          \
    ROW(severity_slight, 0.05, "share of lost time with slight severity, at least",                                    \
        "profilers of PyTorch and TensorFlow warn from 5 % on", "diagnose --json variants/epochs.60.csv")              \
    ROW(severity_moderate, 0.1, "share of lost time with moderate severity, at least",                                 \
        "'warning' of TraceML or TensorFlow", "logs_report.diagnose_verdict")                                          \
    ROW(severity_severe, 0.2, "share of lost time that is severe, at least", "'critical' of TraceML or TensorFlow",    \
        "logs_report.diagnose_verdict")                                                                                \
    ROW(epochs_vary, 0.35, "cv of the lengths of unmarked epochs, at most",                                            \
        "bench/phases.py: 2 of 7,600 logs without epochs", "logs_study.thresholds")                                    \
    ROW(turns_lost, 0.15, "share of lost time if loaders take turns, at least", "", "logs_study.diagnose")             \
    ROW(ready_share, 0.6, "share of waits for ready batches, at least",                                                \
        "4 runs that few late batches delay: .33 to .51, one without: .67; data not recorded",                         \
        "logs_report.diagnose_verdict")                                                                                \
    ROW(barrier_own, 0.6, "own wait / longest wait of the ranks, below: barrier", "", "logs_report.diagnose_verdict")  \
    ROW(large_part, 0.8, "share that is most of a sum, at least", "", "logs_report.diagnose_verdict")                  \
    ROW(nearly_all, 0.9, "share that is nearly all of a number, at least", "", "logs_report.diagnose_verdict")         \
    ROW(all_lost, 0.995, "share of lost time that is all, at least", "", "logs_report.diagnose_verdict")               \
    ROW(stamps_agree, 0.7, "share of lines that agree with time stamps, at least",                                     \
        "800 synthetic logs: 81 to 92 % right, 0 to 1.8 % wrong", "logs_read.evidence")                                \
    ROW(times_fall, 0.1, "share of lines where numbers fall, as those of a time do and counters do not, at least", "", \
        "logs_read.generic")                                                                                           \
    ROW(clock_enough, 10, "resolutions of a clock: shortest compared time",                                            \
        "test_budget.c: synthetic logs with clocks of whole seconds", "logs_study.budget")                             \
    ROW(pause_clear, 3, "resolutions of a clock: shortest pause", "the same logs", "logs_study.budget")                \
    ROW(pauses_most, 0.35, "share of lines before a pause, at most",                                                   \
        "the same logs: above it, lines show one iteration of several", "logs_study.budget")                           \
    /* differences of times */                                                                                         \
    ROW(steady, 0.03, "cv of equal times, at most", "", "logs_study.thresholds")                                       \
    ROW(alike, 0.1, "relative difference of similar values, at most", "", "logs_study.thresholds")                     \
    ROW(tie, 0.97, "factor between equally good rates, at least", "measured: rates within 3 % tie; data not recorded", \
        "logs_report.diagnose_verdict")                                                                                \
    ROW(slow_worker, 1.2, "factor of slow workers over the others, at least", "", "logs_report.diagnose_verdict")      \
    ROW(gain_sharing, 1.1, "factor gained if loads share cores, at least",                                             \
        "40 runs of 9 programs: finds 17 of 19 gains above 15 %, and 2 wrong ones",                                    \
        "advise --json --cores 3 variants/cpug_n2_p2_s12.60.csv")                                                      \
    ROW(several_threads, 1.2, "cores busy with a load of several threads, at least",                                   \
        "a load of 178 ms took 336 ms of CPU time; 749 ms with more workers", "logs_report.sentences")                 \
    ROW(phases_differ, 1.25, "factor between levels of phases, at least", "theory, signs: by more than a quarter",     \
        "logs_study.thresholds")                                                                                       \
    ROW(phase_lasts, 0.15, "share of a run that its last phase takes where waits fall, at least",                      \
        "600 iterations, .6 % of items slow: ends of 20 and 70 without any; data not recorded",                        \
        "logs_study.diagnose_series")                                                                                  \
    ROW(drift_matters, 1.4, "factor between the ends of a drift, at least", "", "logs_stats.segments")                 \
    ROW(drift_ended, 1.5, "standard errors between levels after a drift, at most",                                     \
        "bench/phases.py: last levels of drifts of 300 iterations, cv 1, err by 10 to 13 %; with the threshold 0 by "  \
        "17 %",                                                                                                        \
        "logs_stats.segments")                                                                                         \
    ROW(slow_clearly, 1.5, "factor of clearly longer times, at least", "", "logs_study.diagnose")                      \
    ROW(dominates, 2, "factor by which one part exceeds another, at least", "", "logs_report.diagnose_verdict")        \
    ROW(outlier, 5, "medians of a time that is no outlier, at most", "theory, signs: above five medians",              \
        "logs_study.thresholds")                                                                                       \
    ROW(far_below, 0.25, "share that is far less than the whole, at most", "", "logs_study.diagnose")                  \
    ROW(stall_of_step, 0.2, "share of a step that is no stall, at most", "", "logs_study.thresholds")                  \
    ROW(long_steps, 0.1, "share of time in steps beyond two medians, at least",                                        \
        "test_steps.c: in none of 1,000 synthetic logs with lognormal steps of cv up to 0.5", "logs_study.thresholds") \
    ROW(long_step, 3, "p99 / median of long steps, at least", "the same logs", "logs_study.thresholds")                \
    ROW(may_be_ms, 20, "time without a unit that may be in ms, at least", "", "logs_read.generic")                     \
    ROW(includes_wait, 0.5, "slope of an iteration on its wait that includes the wait, at least",                      \
        "the slope is 1 if it does, 0 if it does not", "logs_read.evidence")                                           \
    ROW(unit_differs, 100, "factor between times of different units, at least",                                        \
        "units of time differ by a factor of 60 or 1,000", "logs_read.pattern")                                        \
    ROW(likely_cv, 1, "cv of loads, if unknown, at most", "", "logs_study.loads_windows")                              \
    ROW(tail_cv, 0.8, "cv of loads with a tail, at least", "", "logs_study.thresholds")                                \
    ROW(exclusive_uneven, 3, "variance ratio of turns of exclusive loads, at most", "", "logs_study.thresholds")       \
    ROW(tick, 1e-3, "s: shortest difference of points in time", "", "logs_study.thresholds")                           \
    /* the number of loaders by a log of waits */                                                                      \
    ROW(surely_needed, 0.9, "share of the needed loaders that is a lower bound",                                       \
        "bench/advice.py: 204 of 206 lower bounds were true", "logs_study.thresholds")                                 \
    ROW(range_wider, 1.2, "factor that widens a range of loaders by waits",                                            \
        "bench/advice.py: 57 of 61 ranges held; narrower ones 76 of 85", "logs_study.thresholds")                      \
    ROW(range_told, 3, "factor between ends of a range with a number, at most",                                        \
        "694 synthetic logs: 34 % get a number; with 2, 20 %", "logs_study.thresholds")                                \
    ROW(usual_host, 64, "loaders of a host with unknown cores, at most",                                               \
        "instances of model/instance.c have at most 40 vCPUs per GPU", "logs_study.thresholds")                        \
    /* output */                                                                                                       \
    ROW(needed_rounding, 0.05, "loaders: tolerance of rounding up", "", "logs_study.thresholds")                       \
    ROW(gain_shown, 1.005, "factor of a gain that is printed, at least", "", "advise --json data/made/warm.csv.gz")    \
    /* replay and fit */                                                                                               \
    ROW(late_quantile, 0.99, "quantile that limits lateness", "", "logs_study.replay")                                 \
    ROW(longest_receive, 0.005, "s: longest reception",                                                                \
        "20,678 receptions of loaded batches in PyTorch records: 90 % below 5 ms", "logs_study.loads")                 \
    ROW(longest_change_of_workers, 0.1, "s per worker: to end workers and start others, at most",                      \
        "42 changes in 9 PyTorch records of tests/data: 0.015 to 0.069 s", "logs_study.replay")                        \
    ROW(change_of_workers, 0.03, "s per worker: to end workers and start others",                                      \
        "42 changes in 9 PyTorch records of tests/data: median 0.027 s", "logs_study.replay")                          \
    ROW(few_known, 0.2, "share of known loads below which a lower mean load is assumed",                               \
        "54 PyTorch records without loads: 50 means in the interval, else 46",                                         \
        "fit --json --loaders 4 --prefetch 2 variants/n4_p1_pareto2.5_r1.1_s148.without-6.csv")                        \
    ROW(count_exact, 8, "loaders from which ranges are wider by 1", "",                                                \
        "advise --json --loaders 8 data/torch/indep/n8_p2_gamma0.3_r1_s110.csv")                                       \
    /* prediction */                                                                                                   \
    ROW(tail_fits, 0.9, "Kolmogorov distance x sqrt(n) of a tail, at most", "", DLQ_ASK_TAIL)                          \
    ROW(tail_share, 0.1, "share of values in a tail, at most", "theory, equation 25: a tenth", DLQ_ASK_TAIL)           \
    ROW(tail_shape, 0.3, "shape of a heavy tail, at least", "",                                                        \
        "fit --json --set pipeline.loaders=12 data/torch/multirank/mr4_logn1_r1_p8_rank2.csv")                         \
    ROW(record_wider, 1.1, "factor that widens an interval of resampled runs",                                         \
        "theory, equation 26: measured on recorded and synthetic runs", DLQ_ASK_TAIL)                                  \
    ROW(joint_margin, 1.1, "factor that widens an interval by several runs", "theory, prediction: 10 % wider",         \
        "fit --json --set pipeline.loaders=12 data/torch/cases/n24_p2_const_r1.csv --also "                            \
        "data/torch/cases/n8_p2_const_r1_python.csv")                                                                  \
    ROW(law_temper, 16, "divisor of the log likelihood of a law",                                                      \
        "theory, prediction: loads of one run are not independent", DLQ_ASK_LAWS)                                      \
    ROW(law_smooth, 3, "divisor of the weight of a smooth law", "theory, prediction: a smooth law counts a third",     \
        DLQ_ASK_LAWS)                                                                                                  \
    ROW(law_rate, 0.05, "sd of ln(replayed rate / measured rate)",                                                     \
        "theory, prediction: by how much a law may miss a rate",                                                       \
        "fit --json --set pipeline.loaders=12 data/torch/cases/n2_p8_exp_r1.csv --also "                               \
        "data/torch/cases/n8_p2_exp_r1.csv")                                                                           \
    ROW(pace_spread, 0.1, "sd of ln(CPU time of the same loads) between runs",                                         \
        "CPU time of the same load in repeated runs: sd 4 to 13 %", DLQ_ASK_CORES)                                     \
    ROW(steps_apart, 0.015, "sd of ln(mean step) between runs",                                                        \
        "repeated runs of a sleeping step and its reception: 1 to 2 %", DLQ_ASK_TAIL)                                  \
    ROW(core_unusable, 0.2, "share of the cores for other programs, at most",                                          \
        "theory, prediction: kappa from .8 to 1", DLQ_ASK_CORES)                                                       \
    ROW(core_unexplained, 0.3, "|ln(rate)| + |ln(mean load)| of shared cores against the record, at most",             \
        "22 records of torch3: .002 to .082; two beside other programs: 2.0, 3.7", "logs_study.fit")                   \
    ROW(core_ways_differ, 1.05, "factor between run times by sharing, at least", "", DLQ_ASK_CORES)                    \
    ROW(proven, 12, "twice the difference of log likelihoods that decides, at least",                                  \
        "theory, prediction: n log(V/V_min) up to 12",                                                                 \
        "fit --json --loaders 4 --prefetch 2 variants/n4_p1_pareto2.5_r1.1_s148.without-6.csv")                        \
    /* tables of measured runs */                                                                                      \
    ROW(fewest_counts, 4, "different counts of a table, at least", "39 tables: of three counts the prior decides",     \
        "logs_study.scaling")                                                                                          \
    ROW(within_best, 0.03, "share above the best time, at most", "within a step of a best count: 22 of 23 tables",     \
        "logs_study.scaling")                                                                                          \
    ROW(likely_alike, 0.1, "probability to be within_best, at least", "39 tables: holds a best count in all",          \
        "logs_study.scaling")                                                                                          \
    ROW(as_telling, 0.9, "share of the most informative next run, at least", "", "logs_study.scaling")                 \
    ROW(next_apart, 1.05, "factor between a next run and measured counts, at least", "", "logs_study.scaling")         \
    ROW(tells_little, 0.035, "share explained by a next run that tells little, at most",                               \
        "12 tables of tests/data: one 0.03, the others 0.1 to 0.94", "advise --table data/tables/celeba64.csv")        \
    ROW(gain_beyond, 0.05, "share gained by a count beyond the table, at least", "", "logs_study.scaling")             \
    ROW(likely_grows, 0.2, "probability of gain_beyond for a caution, at least", "", "logs_study.scaling")             \
    ROW(each_more_matters, 0.1, "share of overhead for a caution, at least", "", "logs_study.scaling")                 \
    ROW(each_more_likely, 0.9, "share of laws with each_more_matters for a caution, at least",                         \
        "tables of tests/data: five with such an overhead 0.94 to 1, ten up to 0.41; a shared disk 0.66",              \
        "advise --table data/tables/celeba64.csv")                                                                     \
    ROW(far_beyond, 2, "count / largest of the table for a caution, at least",                                         \
        "beyond twice 5 of 7 rows were within the interval", "logs_study.scaling")                                     \
    ROW(repeats_apart, 0.15, "difference of repeats for a caution, at least",                                          \
        "repeated runs of 9 programs: up to 13 %", "logs_study.scaling")                                               \
    ROW(step_is_plateau, 0.85, "step / plateau if the step causes it, at least", "", "logs_study.scaling")             \
    ROW(steps_of_run, 50, "steps in the fastest run of unknown batches, at most",                                      \
        "21 tables with waits: the fastest run took 1 to 2.4 steps", "logs_study.scaling")                             \
    ROW(cores_from, 0.6, "saturating count / cores if cores cause it, at least", "", "logs_study.scaling")             \
    ROW(cores_to, 1.3, "saturating count / cores if cores cause it, at most", "", "logs_study.scaling")

#define DLQ_CALIBRATION_MEMBER(name, value, meaning, evidence, test) double name;
struct dlq_calibration {
    DLQ_CALIBRATION(DLQ_CALIBRATION_MEMBER)
};
#undef DLQ_CALIBRATION_MEMBER

extern const struct dlq_calibration dlq_calibration;
