#include "turns.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child tells whether its piece was run, why not, and its peak. */
struct message {
    enum dlq_status status;
    double bytes;
    struct dlq_error error;
};

static void run_piece(const struct bench_subject *subject, const struct bench_run *run, struct message *message)
{
    void *state = NULL;
    double amount = 0;
    message->status = subject->kind->begin(&subject->setup, run, &state, &message->error);
    if (message->status == DLQ_OK) {
        message->status = subject->kind->piece(state, &amount, &message->error);
        subject->kind->end(state);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    message->bytes = 1024 * (double)usage.ru_maxrss;
}

static bool send_all(int end, const struct message *message)
{
    const char *bytes = (const char *)message;
    for (size_t sent = 0; sent < sizeof *message;) {
        ssize_t n = write(end, bytes + sent, sizeof *message - sent);
        if (n <= 0)
            return false;
        sent += (size_t)n;
    }
    return true;
}

static bool receive_all(int end, struct message *message)
{
    char *bytes = (char *)message;
    for (size_t received = 0; received < sizeof *message;) {
        ssize_t n = read(end, bytes + received, sizeof *message - received);
        if (n <= 0)
            return false;
        received += (size_t)n;
    }
    return true;
}

/* A process remembers its peak for ever, so each subject gets one. */
static enum dlq_status peak_of(const struct bench_subject *subject, const struct bench_run *run, double *bytes,
                               struct dlq_error *error)
{
    int ends[2];
    struct message message = {.status = DLQ_OK};
    if (pipe(ends) != 0)
        return dlq_error_add(error, DLQ_FAILURE, "no pipe: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) {
        run_piece(subject, run, &message);
        _exit(send_all(ends[1], &message) ? 0 : 1);
    }
    close(ends[1]);
    bool received = pid > 0 && receive_all(ends[0], &message);
    close(ends[0]);
    if (pid > 0 && !received)
        kill(pid, SIGTERM); /* interrupted, or it ended by itself */
    if (pid > 0)
        waitpid(pid, NULL, 0);
    if (!received)
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
