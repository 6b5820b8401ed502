#include "draw/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Linux alone, and only with _GNU_SOURCE. */
#ifdef O_TMPFILE

enum { NAME = 32 };

static const char *name_of(int fd, char name[NAME])
{
    snprintf(name, NAME, "/proc/self/fd/%d", fd);
    return name;
}

/* Without /proc it could not be named later. Kernels before 6.0 forget the umask on file systems without access control
   lists: a mode that was left as it is is not trusted. */
static bool is_usable(int fd)
{
    char name[NAME];
    struct stat own, seen;
    return fstat(fd, &own) == 0 && (own.st_mode & 0777U) != 0666U && stat(name_of(fd, name), &seen) == 0 &&
           own.st_dev == seen.st_dev && own.st_ino == seen.st_ino;
}

int dlq_unnamed_open(const char *directory)
{
    int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0 || is_usable(fd))
        return fd;
    close(fd);
    return -1;
}

int dlq_unnamed_link(int fd, const char *name)
{
    char own[NAME];
    return linkat(AT_FDCWD, name_of(fd, own), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

#else

int dlq_unnamed_open(const char *directory)
{
    (void)directory;
    return -1;
}

int dlq_unnamed_link(int fd, const char *name)
{
    (void)fd;
    (void)name;
    errno = ENOTSUP;
    return -1;
}

#endif
