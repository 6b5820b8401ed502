#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Commands keep whole systems on their stack. Measured: up to 160 KB of it are used. */
enum { STACK = 1 << 20 };

struct call {
    int argc;
    char **argv;
    int status;
};

static void *answer(void *argument)
{
    struct call *call = argument;
    call->status = dlq_command_main(call->argc, call->argv);
    return NULL;
}

int main(int argc, char *argv[])
{
    struct call call = {argc, argv, 0};
    struct rlimit limit;
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all;
    /* The library checks statuses; by default GSL would abort. */
    gsl_set_error_handler_off();
    /* A file that may not grow is a write error like a full disk, not the end: its temporary file must go. */
    signal(SIGXFSZ, SIG_IGN);
    /* /dev/null in the place of standard streams that were closed, the wrong way around: using one of them fails as it
       should, and no file that is opened later gets its number. */
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
            continue;
        int opened = open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY);
        if (opened != -1 && opened != fd)
            close(opened);
    }
    /* gnuplot sets that terminal before it reads anything, and 5.4 dies of one that it was built without. */
    unsetenv("GNUTERM");
    bool elsewhere = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < STACK;
    elsewhere = elsewhere && pthread_attr_init(&attributes) == 0;
    if (elsewhere) { /* on a stack that is large enough, with the signals, if there is one */
        elsewhere = pthread_attr_setstacksize(&attributes, STACK) == 0 &&
                    pthread_create(&thread, &attributes, answer, &call) == 0;
        pthread_attr_destroy(&attributes);
    }
    if (!elsewhere) {
        answer(&call);
        return call.status;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_join(thread, NULL);
    return call.status;
}
