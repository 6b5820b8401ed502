/* The start of the program: sets up signals, standard streams, memory and a stack that is large enough. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Bytes. STACK: commands keep whole models on their stack and were measured to need up to 160 KB. KEPT: freed
   memory up to this size stays in the process; else the kernel takes it back and clears it for each simulation, which
   took an eighth of the time of a plan with solve = instance for 256 ranks that share cores and storage. */
enum { STACK = 1 << 20, KEPT = 1 << 28 };

struct call {
    int argc;
    char **argv;
    int status;
};

static void *run(void *argument)
{
    struct call *call = argument;
    call->status = dlq_command_main(call->argc, call->argv, dlq_commands);
    return NULL;
}

int main(int argc, char *argv[])
{
    struct call call = {argc, argv, 0};
    struct rlimit limit;
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all;
    /* By default GSL aborts on an error; the library checks each status instead. */
    gsl_set_error_handler_off();
    /* Beyond the limit of a file's size a write then fails like one on a full disk, and temporary files are removed. */
    signal(SIGXFSZ, SIG_IGN);
    mallopt(M_TRIM_THRESHOLD, KEPT);
    mallopt(M_MMAP_THRESHOLD, KEPT);
    /* A closed standard stream becomes /dev/null, opened for the opposite direction: its use still fails, and no file
       that is opened later gets its descriptor. */
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
            continue;
        int opened = open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY);
        if (opened != -1 && opened != fd)
            close(opened);
    }
    /* gnuplot 5.4 crashes at once if GNUTERM names a terminal that gnuplot was built without. */
    unsetenv("GNUTERM");
    /* Run in a thread with a stack of STACK bytes if the limit is lower; that thread then receives the signals. */
    bool threaded = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < STACK;
    threaded = threaded && pthread_attr_init(&attributes) == 0;
    if (threaded) {
        threaded =
            pthread_attr_setstacksize(&attributes, STACK) == 0 && pthread_create(&thread, &attributes, run, &call) == 0;
        pthread_attr_destroy(&attributes);
    }
    if (!threaded) {
        run(&call);
        return call.status;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_join(thread, NULL);
    return call.status;
}
