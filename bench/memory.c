#include "turns.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child tells, in a file that it shares. */
struct message {
    enum dlq_status status;
    double bytes;
    struct dlq_error error;
};

static void run_piece(const struct bench_subject *subject, const struct bench_run *run, struct message *message)
{
    void *state = NULL;
    double amount = 0;
    struct rusage usage;
    message->status = subject->kind->begin(&subject->setup, run, &state, &message->error);
    if (message->status == DLQ_OK) {
        message->status = subject->kind->piece(state, &amount, &message->error);
        subject->kind->end(state);
    }
    getrusage(RUSAGE_SELF, &usage);
    message->bytes = 1024 * (double)usage.ru_maxrss;
}

/* A process remembers its peak for ever, so each subject gets one. */
static enum dlq_status peak_of(const struct bench_subject *subject, const struct bench_run *run, double *bytes,
                               struct dlq_error *error)
{
    struct message message = {.status = DLQ_OK};
    FILE *file = tmpfile();
    if (file == NULL)
        return dlq_error_add(error, DLQ_FAILURE, "no temporary file: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) {
        run_piece(subject, run, &message);
        _exit(fwrite(&message, sizeof message, 1, file) == 1 && fflush(file) == 0 ? 0 : 1);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        kill(pid, SIGTERM);
    rewind(file);
    bool told = fread(&message, sizeof message, 1, file) == 1; /* not where it was interrupted, or ended by itself */
    fclose(file);
    if (!told)
        return dlq_error_add(error, DLQ_FAILURE, "the process that was to be measured did not answer");
    if (message.status != DLQ_OK)
        return dlq_error_add(error, message.status, "%s", message.error.text);
    *bytes = message.bytes;
    return DLQ_OK;
}

enum dlq_status bench_compare_memory(const struct bench_subject *subject, const struct bench_subject *yardstick,
                                     const struct bench_run *run, struct bench_comparison *comparison,
                                     struct dlq_error *error)
{
    double bytes = NAN;
    double beside = NAN;
    enum dlq_status status = peak_of(subject, run, &bytes, error);
    if (status == DLQ_OK && yardstick->kind != NULL)
        status = peak_of(yardstick, run, &beside, error);
    int turns = isnan(bytes) ? 0 : 1;
    double ratio = beside / bytes;
    *comparison = (struct bench_comparison){
        .subject = bench_figure_of(&bytes, turns),
        .yardstick = bench_figure_of(&beside, isnan(beside) ? 0 : 1),
        .ratio = bench_figure_of(&ratio, isnan(ratio) ? 0 : 1),
        .amount = NAN,
        .turns = turns,
    };
    return status;
}
