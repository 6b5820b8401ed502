#include "streams.h"

#include "draw/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void dlq_streams_reserve(void)
{
    /* A file that may not grow is a write error like a full disk, not the end: its temporary file must go. */
    signal(SIGXFSZ, SIG_IGN);
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
            continue;
        int opened = open("/dev/null", fd == 0 ? O_WRONLY : fd == 1 ? O_RDONLY : O_WRONLY);
        if (opened != -1 && opened != fd)
            close(opened);
    }
}

enum dlq_status dlq_streams_finish(struct dlq_error *error)
{
    bool failed = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) == 0 && !failed)
        return DLQ_OK;
    /* Where an earlier write failed its reason is gone. */
    int reason = errno != 0 ? errno : dlq_file_reason(STDOUT_FILENO);
    return dlq_error_add(error, DLQ_FAILURE, "write error on standard output: %s",
                         reason != 0 ? strerror(reason) : "what was written is lost");
}

bool dlq_streams_color(FILE *stream, enum dlq_color_when when)
{
    const char *none = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    if (when != DLQ_COLOR_AUTO)
        return when == DLQ_COLOR_ALWAYS;
    if ((none != NULL && none[0] != '\0') || terminal == NULL || strcmp(terminal, "dumb") == 0)
        return false;
    return isatty(fileno(stream)) == 1;
}
