/* Messages about logs of known programs without data times: what is missing, and how to get it. A row per program.
   And about files that are no logs. */
#include "logs/read/formats/generic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char fairseq[] =
    "fairseq prints the time within training steps (train_wall) and since the start (wall), not the wait for data; "
    "`dlqueue run` records it";
static const char deepspeed[] =
    "DeepSpeed times the forward and the backward pass and the optimizer, not the wait for data nor the iteration; "
    "`dlqueue run` records these";
static const char keras[] =
    "Keras prints the time of a step with the wait for data in it, not that wait; `dlqueue run` records it";
static const char tensorflow[] =
    "sec/batch is the time of a batch with the wait for data in it, and no time of data is beside it; `dlqueue run` "
    "records it";
static const char progress[] = "it/s or s/it, as of a progress bar, and not both the time of data and the time of an "
                               "iteration; `dlqueue run` records "
                               "these";

static const struct {
    const char *first, *second; /* texts in the beginning of the log, by which it is recognized; second may be null */
    const char *lacks;
} rows[] = {
    {"RunningAvgSamplesPerSec", NULL, deepspeed},
    {"fwd_microstep", "bwd_microstep", deepspeed},
    {"train_au_percentage", NULL,
     "this summary of DLIO has no times of batches: they are in the files N_output.json beside it"},
    {"Accelerator Utilization [AU]", NULL,
     "this text of DLIO has no times of batches: they are in the files N_output.json of the same run"},
    {"tps:", "mfu:",
     "torchtitan prints no times: time_metrics/data_loading(s) and time_metrics/end_to_end(s) are in its metrics, "
     "which TensorBoard and Weights & Biases export as CSV"},
    {"train_wall", "wall", fairseq},
    {"global_step/sec", NULL,
     "TensorFlow's estimator prints the time of a hundred steps with the wait for data in it; TensorBoard's profile "
     "tells the wait"},
    {"Train time/batch:", NULL,
     "Composer prints counts and rates here; the trace that its profiler writes (.json) has the times of the loader"},
    {"Self CPU %", "CPU time avg",
     "this table of torch.profiler has sums over the run; its trace is read: export_chrome_trace(\"trace.json\")"},
    {"Profile stats for:", "function calls",
     "Lightning's AdvancedProfiler does not tell how often its actions ran: the table of SimpleProfiler does"},
    {"'grad_norm': ", "'learning_rate': ",
     "the Trainer of transformers prints its time once, at the end (train_runtime), and no wait for data; "
     "`dlqueue run` records it"},
    {"ms/step", NULL, keras},
    {"s/step", NULL, keras},
    {"sec/batch", NULL, tensorflow},
    {"s/it", NULL, progress},
    {"it/s", NULL, progress},
    {"Iter: ", "-- train_loss:",
     "MONAI prints losses and time stamps, no times of data or of iterations; `dlqueue run` records these"},
};

/* Reads the number behind a key, "wall=1026" or "\"wall\": \"1026\""; false: there is none. */
static bool number_behind(const char *key, double *value)
{
    const char *at = key + strspn(key, "_abcdefghijklmnopqrstuvwxyz"), *number = at + strspn(at, "=: \"");
    return strchr("=\"", *at) != NULL && dlq_number_time(number, value, NULL) != NULL;
}

/* Writes the share of the run outside of fairseq's training steps. Between two lines, training steps took train_wall of
   the second line, and the run took the difference of both walls. */
static void say_outside(const char *head, char why[DLQ_LOG_WHY])
{
    double within = 0, all = 0, before = INFINITY, train, wall;
    for (const char *at = head; (at = strstr(at, "train_wall")) != NULL; at++) {
        const size_t line = strcspn(at, "\r\n");
        const char *clock = dlq_text_find(at, "wall");
        if (clock == NULL || (size_t)(clock - at) > line || !number_behind(at, &train) || !number_behind(clock, &wall))
            continue;
        within += wall > before ? train : 0;
        all += wall > before ? wall - before : 0;
        before = wall;
    }
    if (all > 0 && within <= all)
        snprintf(why, DLQ_LOG_WHY,
                 "%s. Training steps took %.4g of %.4g s: %.1f %% is outside, waiting for data included", fairseq,
                 within, all, 100 * (1 - within / all));
}

/* Whether a line begins with `text`. */
static bool has_line(const char *head, const char *text)
{
    for (const char *at = head; (at = strstr(at, text)) != NULL; at++)
        if (at == head || at[-1] == '\n')
            return true;
    return false;
}

const char *dlq_is_no_log(const char *head)
{
    static const char *const scripts[] = {"import ", "from ", "\"\"\"", "'''"};
    const char *first = head;
    bool script = strncmp(head, "#!", 2) == 0;
    while (*(first += strspn(first, " \t\r\n")) == ';' || *first == '#')
        first += strcspn(first, "\n");
    if (*first == '[' && (has_line(first, "[pipeline]") || has_line(first, "[load]") || has_line(first, "[step]")))
        return "a configuration, and no log: solve, plan, sweep, timeline and check read it";
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        script = script || strncmp(first, scripts[i], strlen(scripts[i])) == 0;
    return script && (has_line(head, "import ") || has_line(head, "from "))
               ? "a script, and no log: `dlqueue run -- python train.py` runs a training and records its loaders"
               : NULL;
}

const char *dlq_log_lacks(const char *head, char why[DLQ_LOG_WHY])
{
    const char *lacks = dlq_is_no_log(head);
    for (size_t i = 0; lacks == NULL && i < sizeof rows / sizeof *rows; i++)
        if (strstr(head, rows[i].first) != NULL && (rows[i].second == NULL || strstr(head, rows[i].second) != NULL))
            lacks = rows[i].lacks;
    if (lacks == NULL)
        return NULL;
    snprintf(why, DLQ_LOG_WHY, "%s", lacks);
    if (lacks == fairseq)
        say_outside(head, why);
    return why;
}
