#include "command.h"
#include "terminal.h"

#include <gsl/gsl_errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

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

/* On a stack that is large enough, with the signals; false: there is none. */
static bool answer_elsewhere(struct call *call)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    bool started =
        pthread_attr_setstacksize(&attributes, STACK) == 0 && pthread_create(&thread, &attributes, answer, call) == 0;
    pthread_attr_destroy(&attributes);
    if (!started)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_join(thread, NULL);
    return true;
}

int main(int argc, char *argv[])
{
    struct call call = {argc, argv, 0};
    struct rlimit limit;
    /* The library checks statuses; by default GSL would abort. */
    gsl_set_error_handler_off();
    dlq_streams_reserve();
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK || !answer_elsewhere(&call))
        answer(&call);
    return call.status;
}
