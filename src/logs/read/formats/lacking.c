/* Logs of known programs that hold no data time: what they lack, and what to do. A row per program. */
#include "logs/read/formats/generic.h"

#include <string.h>

static const char deepspeed[] =
    "DeepSpeed times the forward and the backward pass and the optimizer, not the wait for data nor the iteration; "
    "`dlqueue run` records these";
static const char keras[] =
    "Keras prints the time of a step with the wait for data in it, not that wait; `dlqueue run` records it";
static const char progress[] = "a progress bar has no data time; `dlqueue run` records it";

static const struct {
    const char *first, *second; /* both are in the beginning of the log; second may be null */
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
    {"train_wall", "wall",
     "fairseq prints the time within training steps (train_wall) and since the start (wall), not the wait for data; "
     "`dlqueue run` records it"},
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
     "the Trainer of transformers prints its time once, at the end (train_runtime), and no wait for data; `dlqueue "
     "run` "
     "records it"},
    {"ms/step", NULL, keras},
    {"s/step", NULL, keras},
    {"s/it", NULL, progress},
    {"it/s", NULL, progress},
    {"Iter: ", "-- train_loss:",
     "MONAI prints losses and time stamps, no times of data or of iterations; `dlqueue run` records these"},
};

const char *dlq_log_lacks(const char *head)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(head, rows[i].first) != NULL && (rows[i].second == NULL || strstr(head, rows[i].second) != NULL))
            return rows[i].lacks;
    return NULL;
}
