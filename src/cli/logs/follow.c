/* Follows a log that a training is still writing: prints a line every few seconds until Ctrl-C or the end of a pipe. */
#include "dlqueue/logs/diagnose.h"
#include "logs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Seconds between printed lines by default, and between attempts to read a file. */
static const double default_period = 5, poll_period = 0.2;

struct follow {
    struct dlq_invocation *invocation;
    FILE *lines; /* to which lines are printed */
    const char *name;
    int source;       /* file descriptor of the log */
    bool grows;       /* a regular file: its end is not the end of the log */
    FILE *copy;       /* all bytes that were read so far */
    bool grown;       /* bytes were read since the last printed line */
    double last_line; /* time at which that line was printed, by now(), s */
    struct dlq_followed so_far;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Skips malformed lines, as the last line may be incomplete; it is read again with the next call. */
void dlq_followed_print(struct dlq_followed *so_far, const struct dlq_args *args, const char *name, FILE *log,
                        FILE *stream)
{
    struct dlq_trace_options options = dlq_logs_options(args);
    struct dlq_error error = {0};
    struct dlq_trace *trace = NULL;
    struct dlq_diagnosis diagnosis;
    struct dlq_trace_facts facts;
    char clock[16];
    time_t seconds = time(NULL);
    struct tm local;
    options.skip_bad = LONG_MAX;
    bool known = dlq_trace_new(&trace, &options, &error) == DLQ_OK &&
                 dlq_trace_read(trace, name, log, &error) == DLQ_OK &&
                 dlq_diagnose(trace, NULL, &diagnosis, NULL) == DLQ_OK;
    if (known && diagnosis.has_data) {
        dlq_trace_facts(trace, &facts);
        double count = (double)facts.iterations, latest = count - so_far->iterations;
        double waited = count * diagnosis.data_time.mean, spent = count * diagnosis.iter_time.mean;
        strftime(clock, sizeof clock, "%H:%M:%S", localtime_r(&seconds, &local));
        fprintf(stream, "%s  %.0f iterations, %.1f %% of the time waiting for data", clock, count,
                spent > 0 ? 100 * waited / spent : 0);
        if (so_far->iterations > 0 && latest > 0)
            fprintf(stream, "; of the last %.0f: %.1f %%", latest,
                    spent > so_far->spent ? 100 * (waited - so_far->waited) / (spent - so_far->spent) : 0);
        fputc('\n', stream);
        fflush(stream);
        *so_far = (struct dlq_followed){count, waited, spent};
    }
    if (known)
        dlq_diagnosis_free(&diagnosis);
    dlq_trace_free(trace);
}

static void print_line(struct follow *follow)
{
    rewind(follow->copy);
    dlq_followed_print(&follow->so_far, follow->invocation->args, follow->name, follow->copy, follow->lines);
    fseek(follow->copy, 0, SEEK_END);
    follow->last_line = now();
    follow->grown = false;
}

enum dlq_status dlq_follow(struct dlq_invocation *invocation, FILE *lines)
{
    struct stat about;
    if (invocation->operand_count != 1)
        return dlq_error_add(invocation->error, DLQ_INVALID, "--follow needs exactly one log, not %zu",
                             invocation->operand_count);
    struct follow follow = {
        .invocation = invocation, .lines = lines, .name = invocation->operands[0], .last_line = now()};
    bool input = strcmp(follow.name, "-") == 0, ended = false;
    const char *name = input ? "standard input" : follow.name;
    const double seconds =
        invocation->args->follow_seconds > 0 ? (double)invocation->args->follow_seconds : default_period;
    enum dlq_status status = DLQ_OK;
    follow.source = input ? STDIN_FILENO : open(follow.name, O_RDONLY | O_CLOEXEC);
    follow.grows = follow.source >= 0 && fstat(follow.source, &about) == 0 && S_ISREG(about.st_mode);
    if (follow.source < 0)
        return DLQ_OK; /* reading the log reports the error */
    follow.copy = tmpfile();
    if (follow.copy == NULL) {
        dlq_error_add(invocation->error, DLQ_FAILURE, "cannot follow %s without a temporary file: %s", follow.name,
                      strerror(errno));
        if (!input)
            close(follow.source);
        return DLQ_FAILURE;
    }
    while (!ended && status == DLQ_OK && *invocation->run.interrupted == 0) {
        char bytes[1 << 16];
        struct pollfd ready = {.fd = follow.source, .events = POLLIN};
        ssize_t got = 0;
        bool some = poll(&ready, 1, (int)(1000 * poll_period)) > 0;
        if (some)
            got = read(follow.source, bytes, sizeof bytes);
        ended = got < 0 || (some && got == 0 && !follow.grows);
        follow.grown = follow.grown || got > 0;
        if (got < 0 && errno != EINTR)
            status = dlq_error_add(invocation->error, DLQ_FAILURE, "cannot read %s: %s", name, strerror(errno));
        if (got > 0 && (fwrite(bytes, 1, (size_t)got, follow.copy) < (size_t)got || fflush(follow.copy) != 0))
            status = dlq_error_add(invocation->error, DLQ_FAILURE, "cannot copy %s to a temporary file: %s", name,
                                   strerror(errno));
        else if (some && !ended)
            nanosleep(&(struct timespec){0, (long)(1e9 * poll_period)}, NULL);
        if (follow.grown && now() - follow.last_line >= seconds)
            print_line(&follow);
    }
    if (status == DLQ_OK && (follow.grown || follow.so_far.iterations == 0))
        print_line(&follow);
    if (!input)
        close(follow.source);
    if (status == DLQ_OK && (input || !follow.grows)) {
        rewind(follow.copy);
        invocation->followed = follow.copy;
    } else {
        fclose(follow.copy);
    }
    dlq_interrupt_forget(); /* Ctrl-C ends only --follow, not the command */
    return status;
}
