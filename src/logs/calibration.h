/* The thresholds of the log side: the numbers that decide what is said of a log. Not here: limits of memory, effort of
   numerical searches, quantile levels of intervals, "most of", and the scores by which formats are told apart.
   ROW(name, value, unit, evidence, test). Evidence: what measured or derived the value ("theory, signs" and "theory,
   prediction" are the sections "What a record shows besides" and "Prediction from a trace" of doc/theory.md); empty: a
   choice that nobody has measured. Test: a suite, or a question of tests/data/answers.txt, that notices a move of the
   value by 20 % (tools/calibration tries it); empty: no such test is known. */
#ifndef DLQ_LOGS_CALIBRATION_H
#define DLQ_LOGS_CALIBRATION_H

#define DLQ_CALIBRATION(ROW)                                                                                           \
    /* logs: how many iterations, and what of their time matters */                                                    \
    ROW(too_few, 5, "iterations", "", "logs_report.diagnose_verdict")                                                  \
    ROW(hardly_enough, 20, "iterations", "", "diagnose --json variants/n8_p2_exp_r1_s118.20.csv")                      \
    ROW(severity_small, 0.01, "share", "blog on slow PyTorch loaders: from 1 % on worth a look",                       \
        "logs_report.diagnose_verdict")                                                                                \
    ROW(severity_slight, 0.05, "share", "profilers of PyTorch and TensorFlow warn from 5 % on",                        \
        "diagnose --json variants/epochs.60.csv")                                                                      \
    ROW(severity_moderate, 0.1, "share", "'warning' of TraceML or TensorFlow", "logs_report.diagnose_verdict")         \
    ROW(severity_severe, 0.2, "share", "'critical' of TraceML or TensorFlow", "logs_report.diagnose_verdict")          \
    ROW(all_lost, 0.995, "share", "", "logs_report.diagnose_verdict")                                                  \
    ROW(rare, 0.005, "probability", "theory, equation 36: below .005", "")                                             \
    ROW(improbable, 1e-4, "probability", "", "")                                                                       \
    ROW(fewest_alike, 3, "events", "", "")                                                                             \
    ROW(outlier, 5, "medians", "theory, signs: above five medians", "")                                                \
    ROW(stall_of_step, 0.2, "share", "", "")                                                                           \
    ROW(of_longest, 1 / 3.0, "share", "", "")                                                                          \
    ROW(stretch, 64, "loads", "theory, signs: stretches of 64", "")                                                    \
    ROW(slow_worker, 1.2, "factor", "", "logs_report.diagnose_verdict")                                                \
    ROW(slow_clearly, 1.5, "factor", "", "")                                                                           \
    ROW(worker_loads, 5, "loads", "", "")                                                                              \
    ROW(worker_level, 0.001, "probability", "one false slow worker in 1,000 (Bonferroni)", "")                         \
    ROW(least_windows, 10, "windows", "", "")                                                                          \
    ROW(tick, 1e-3, "s", "", "")                                                                                       \
    ROW(wait_over_share, 0.01, "share", "", "")                                                                        \
    ROW(wait_over, 1e-4, "s", "", "")                                                                                  \
    /* diagnosis */                                                                                                    \
    ROW(starts_dominate, 2, "factor", "", "logs_report.diagnose_verdict")                                              \
    ROW(barrier_own, 0.6, "share", "", "logs_report.diagnose_verdict")                                                 \
    ROW(barrier_iter, 0.5, "share", "", "")                                                                            \
    ROW(ready_share, 0.5, "share", "", "logs_report.diagnose_verdict")                                                 \
    ROW(load_tie, 0.97, "factor", "3 % of a tie by measuring both; not recorded", "logs_report.diagnose_verdict")      \
    ROW(few_share, 0.8, "share", "", "logs_report.diagnose_verdict")                                                   \
    ROW(few_median, 0.25, "share", "", "")                                                                             \
    ROW(tail_median, 0.2, "share", "", "diagnose data/torch2/hiccup_n8_p2_s1.csv.gz")                                  \
    ROW(turns_lost, 0.15, "share", "", "")                                                                             \
    ROW(even_window, 5, "iterations", "", "")                                                                          \
    ROW(even_cv, 0.35, "cv", "two random stalls per window: cv of the means 0.7 (Poisson)", "")                        \
    ROW(exclusive_rounds, 9, "rounds", "", "")                                                                         \
    ROW(exclusive_cv, 0.03, "cv", "", "")                                                                              \
    ROW(exclusive_start, 0.1, "share", "", "")                                                                         \
    ROW(exclusive_evidence, 7, "log likelihood", "e^7: once in 1,000 runs by Markov's inequality",                     \
        "logs_study.diagnose")                                                                                         \
    ROW(exclusive_uneven, 3, "factor", "", "")                                                                         \
    ROW(wait_is_load, 0.1, "share", "", "")                                                                            \
    ROW(clock_step, 5e-5, "s", "resolution of clocks read one after the other; not recorded", "")                      \
    ROW(nearly_all, 0.9, "share", "", "logs_report.diagnose_verdict")                                                  \
    ROW(shared_reach, 16, "iterations", "", "")                                                                        \
    ROW(slow_rank_errors, 4, "standard errors", "6e-5 by chance (normal law, both sides)", "logs_study.diagnose")      \
    ROW(starts_over_turns, 4, "turns", "", "")                                                                         \
    ROW(regular_cv, 0.01, "cv", "", "")                                                                                \
    ROW(trend_change, 0.1, "share", "", "")                                                                            \
    ROW(change_stretch, 0.01, "share", "", "")                                                                         \
    ROW(change_matters, 1.4, "factor", "", "logs_study.diagnose_series")                                               \
    ROW(ahead_fewest, 4, "iterations", "", "")                                                                         \
    ROW(ahead_rest, 3, "factor", "", "")                                                                               \
    ROW(ahead_turns, 2, "turns", "", "")                                                                               \
    ROW(ahead_level, 1e-3, "probability", "once in 1,000 by chance", "")                                               \
    ROW(needed_rounding, 0.05, "loaders", "", "")                                                                      \
    ROW(just_keeps_up, 1.05, "factor", "", "logs_report.diagnose_verdict")                                             \
    ROW(start_of_iteration, 0.5, "share", "", "")                                                                      \
    ROW(start_over_rest, 3, "factor", "", "")                                                                          \
    ROW(ranks_apart, 0.02, "share", "", "")                                                                            \
    ROW(gain_shown, 1.005, "factor", "", "advise data/made/pauses.csv.gz")                                             \
    ROW(same_rate, 0.01, "share", "", "")                                                                              \
    ROW(waits_uneven, 0.25, "share", "", "")                                                                           \
    /* replay */                                                                                                       \
    ROW(late_quantile, 0.99, "quantile", "", "logs_study.replay")                                                      \
    ROW(pattern_broken, 0.01, "share", "", "")                                                                         \
    ROW(window_agreed, 0.75, "share", "", "")                                                                          \
    ROW(late_ticks, 5, "ticks", "", "")                                                                                \
    ROW(late_batches, 5, "batches", "", "")                                                                            \
    ROW(lock_near, 0.2, "share", "", "")                                                                               \
    ROW(lock_late, 0.1, "share", "", "")                                                                               \
    ROW(lock_chance, 0.1, "share", "one batch in ten by chance", "")                                                   \
    ROW(lock_cost, 0.02, "share", "", "")                                                                              \
    ROW(lock_uneven, 0.15, "share", "share beyond the median: exponential times 1/2, equal ones 0", "")                \
    ROW(reason_loads, 30, "loads", "", "")                                                                             \
    ROW(reason_matters, 1.1, "factor", "", "logs_study.reasons")                                                       \
    ROW(order_broken, 0.05, "share", "", "")                                                                           \
    /* torch */                                                                                                        \
    ROW(torch_deliver, 0.7e-3, "s", "measured of torch; command not recorded",                                         \
        "fit --json --set pipeline.loaders=7 data/made/serial.csv.gz")                                                 \
    ROW(torch_receive, 0.6e-3, "s", "measured of torch; command not recorded",                                         \
        "fit --json --set pipeline.loaders=7 data/made/serial.csv.gz")                                                 \
    ROW(torch_drain, 1.2e-3, "s", "measured of torch; command not recorded", "")                                       \
    ROW(torch_persistent, 2e-3, "s", "measured of torch; command not recorded", "")                                    \
    ROW(torch_worker_end, 10.7e-3, "s", "measured of torch; command not recorded", "")                                 \
    /* fit */                                                                                                          \
    ROW(few_times, 30, "times", "", "")                                                                                \
    ROW(law_mean, 0.1, "share", "", "")                                                                                \
    ROW(law_distance_n, 1.9, "factor", "Kolmogorov's distance times sqrt n: about once in 1,000", "")                  \
    ROW(law_distance, 0.1, "probability", "", "")                                                                      \
    ROW(aic_plausible, 6, "AIC", "Burnham and Anderson 2002, 2.6: up to 7 plausible", "")                              \
    ROW(count_exact, 8, "loaders", "", "")                                                                             \
    ROW(model_missed, 0.15, "share", "", "")                                                                           \
    ROW(fit_worker_loads, 10, "loads", "", "")                                                                         \
    ROW(fit_worker_errors, 5, "standard errors", "", "")                                                               \
    ROW(steady_ignored, 0.01, "share", "", "")                                                                         \
    ROW(steady_loads, 0.01, "cv", "", "")                                                                              \
    ROW(steady_steps, 0.03, "cv", "", "")                                                                              \
    /* loads from waits */                                                                                             \
    ROW(likely_cv, 1, "cv", "", "")                                                                                    \
    ROW(hardly_waits, 0.02, "share", "", "")                                                                           \
    ROW(stall_share, 0.05, "share", "", "")                                                                            \
    ROW(rounding_clear, 0.2, "share", "", "")                                                                          \
    ROW(rounding_lines, 40, "lines", "", "")                                                                           \
    ROW(median_waits, 0.1, "share", "", "")                                                                            \
    ROW(mean_nothing, 1e-3, "share", "", "")                                                                           \
    ROW(stall_exact, 1e-3, "share", "", "")                                                                            \
    ROW(receive_crowd, 3, "factor", "", "")                                                                            \
    ROW(stall_receives, 4, "factor", "", "")                                                                           \
    ROW(stall_clear, 1.5, "factor", "", "")                                                                            \
    ROW(least_stalls, 8, "stalls", "", "")                                                                             \
    ROW(hardly_any_known, 0.1, "share", "", "")                                                                        \
    ROW(tail_waits_cv, 1.5, "cv", "", "")                                                                              \
    ROW(daring_aic, 10, "AIC", "", "")                                                                                 \
    ROW(same_load, 2e-3, "share", "", "")                                                                              \
    /* prediction */                                                                                                   \
    ROW(record_batches, 20, "batches", "", "")                                                                         \
    ROW(run_after_change, 100, "batches", "", "")                                                                      \
    ROW(core_delay, 0.05, "share", "", "")                                                                             \
    ROW(core_demand, 0.5, "share", "", "")                                                                             \
    ROW(tail_shape, 0.3, "shape", "", "")                                                                              \
    ROW(tail_cv, 0.8, "cv", "", "")                                                                                    \
    ROW(tail_batches, 300, "batches", "", "")                                                                          \
    ROW(tail_fits, 0.9, "factor", "",                                                                                  \
        "fit --json --set pipeline.loaders=1 --set pipeline.prefetch=4 data/torch2/exp_n4_p2_s1.csv.gz")               \
    ROW(tail_share, 0.1, "share", "theory, equation 25: a tenth",                                                      \
        "fit --json --set pipeline.loaders=1 --set pipeline.prefetch=4 data/torch2/exp_n4_p2_s1.csv.gz")               \
    ROW(tail_fewest, 20, "loads", "theory, equation 25: at least 20", "")                                              \
    ROW(few_standstills, 5, "standstills", "theory, signs: less than five", "")                                        \
    ROW(few_stretches, 20, "stretches", "", "")                                                                        \
    ROW(together_most, 2, "factor", "", "")                                                                            \
    ROW(record_wider, 1.1, "factor", "theory, equation 26: measured, on recorded and on made runs",                    \
        "fit --json --set pipeline.loaders=1 --set pipeline.prefetch=4 data/torch2/exp_n4_p2_s1.csv.gz")               \
    ROW(few_for_range, 400, "batches", "", "")                                                                         \
    ROW(core_pace_least, 0.95, "factor", "theory, prediction: .95 to 1.1 of the work",                                 \
        "fit --json --set pipeline.loaders=3 data/torch2/cpug_n2_p2_s12.csv.gz")                                       \
    ROW(core_pace_range, 0.15, "factor", "theory, prediction: .95 to 1.1 of the work",                                 \
        "fit --json --set pipeline.loaders=3 data/torch2/cpug_n2_p2_s12.csv.gz")                                       \
    ROW(core_repeated, 1.06, "factor", "theory, prediction: repeated runs differed by 6 %",                            \
        "fit --json --set pipeline.loaders=3 data/torch2/cpug_n2_p2_s12.csv.gz")                                       \
    ROW(core_unusable, 0.2, "share", "theory, prediction: kappa from .8 to 1",                                         \
        "fit --json --set pipeline.loaders=3 data/torch2/cpug_n2_p2_s12.csv.gz")                                       \
    ROW(core_ways_differ, 1.05, "factor", "", "fit --json --set pipeline.loaders=3 data/torch2/cpug_n2_p2_s12.csv.gz") \
    ROW(capacity_proven, 12, "log likelihood", "theory, prediction: n log(V/V_min) up to 12", "")                      \
    ROW(capacity_per_batch, 0.02, "log likelihood", "", "")                                                            \
    ROW(capacity_lock, 1.25, "loads", "", "")                                                                          \
    ROW(capacity_below, 0.4, "loads", "", "")                                                                          \
    ROW(capacity_varies, 0.1, "cv", "", "")                                                                            \
    ROW(joint_margin, 1.1, "factor", "theory, prediction: 10 % wider", "")                                             \
    ROW(burst_more, 0.1, "correlation", "", "")                                                                        \
    ROW(overlap, 0.5, "share", "", "")                                                                                 \
    ROW(slowest_from, 0.9, "quantile", "", "")                                                                         \
    ROW(pairs_more, 2, "factor", "", "")                                                                               \
    ROW(order_errors, 4, "standard deviations", "", "")                                                                \
    ROW(order_matters, 0.05, "share", "", "")                                                                          \
    ROW(epoch_windows, 2, "windows", "", "")                                                                           \
    ROW(drift_batches, 100, "batches", "", "")                                                                         \
    ROW(drift_matters, 1.25, "factor", "theory, signs: by more than a quarter", "")                                    \
    ROW(first_epoch_off, 0.02, "share", "", "")                                                                        \
    /* advice, comparison */                                                                                           \
    ROW(worth_a_change, 1.02, "factor", "", "")                                                                        \
    ROW(as_good, 0.97, "factor", "", "")                                                                               \
    ROW(deeper, 4, "factor", "", "")                                                                                   \
    ROW(longer_run, 100, "iterations", "", "")                                                                         \
    ROW(least_change, 0.001, "share", "theory, equations 26 and 28: 0.1 % for clocks",                                 \
        "fit --json --set pipeline.loaders=1 --set pipeline.prefetch=4 data/torch2/exp_n4_p2_s1.csv.gz")               \
    ROW(p99_batches, 200, "iterations", "", "")                                                                        \
    ROW(held_length, 0.75, "share", "", "")                                                                            \
    ROW(compare_stretches, 10, "stretches", "", "")

#define DLQ_CALIBRATION_MEMBER(name, value, unit, evidence, test) double name;
struct dlq_calibration {
    DLQ_CALIBRATION(DLQ_CALIBRATION_MEMBER)
};
#undef DLQ_CALIBRATION_MEMBER

extern const struct dlq_calibration dlq_calibration;

#endif
