#include "draw/file.h"

#include "draw/paths.h"
#include "draw/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 100, MOST_NAME = 230, SUFFIX = sizeof ".XXXXXX.tmp", UNKNOWN = -1 /* among values of errno */ };

/* What to do about it. */
static const struct {
    int reason;
    const char *advice;
} advices[] = {
    {ENOENT, "create the directory first"},
    {ENOTDIR, "a part of the path is a file"},
    {EISDIR, "name a file in it"},
    {EACCES, "choose a place where you may write"},
    {EPERM, "choose a place where you may write"},
    {EROFS, "choose a place where you may write"},
    {ENAMETOOLONG, "choose a shorter name"},
    {ELOOP, "the symbolic links lead in a circle"},
    {EINVAL, "names may hold no control characters"},
    {ENOSPC, "free some space or choose another place"},
    {EFBIG, "raise the limit on file sizes (ulimit -f) or choose another place"},
    {EDQUOT, "free some space or choose another place"},
};

static enum dlq_status explain(const char *path, int reason, struct dlq_error *error)
{
    if (reason == ENOMEM)
        return dlq_error_add(error, DLQ_FAILURE, "out of memory while writing %s", path);
    if (reason == UNKNOWN)
        return dlq_error_add(error, DLQ_FAILURE, "cannot write %s: a part of it could not be written", path);
    if (reason == DLQ_PATH_PLANTED)
        return dlq_error_add(error, DLQ_FAILURE,
                             "cannot write %s: a symbolic link there belongs to somebody else, in a directory that all "
                             "share, and is not followed (choose another place)",
                             path);
    for (size_t i = 0; i < sizeof advices / sizeof advices[0]; i++)
        if (advices[i].reason == reason)
            return dlq_error_add(error, DLQ_FAILURE, "cannot write %s: %s (%s)", path, strerror(reason),
                                 advices[i].advice);
    return dlq_error_add(error, DLQ_FAILURE, "cannot write %s: %s", path, strerror(reason));
}

/* Fills the six X of ".XXXXXX.tmp" from a number. */
static void fill_suffix(char *end, uint64_t number)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (char *letter = end - SUFFIX + 2; *letter != '.'; letter++) {
        *letter = letters[number % 36];
        number /= 36;
    }
}

/* Makes a new file with that name: 0, or -1 with errno. */
typedef int (*maker)(const char *name, int *fd);

static int create(const char *name, int *fd)
{
    *fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return *fd < 0 ? -1 : 0;
}

static int give_name(const char *name, int *fd)
{
    return dlq_unnamed_link(*fd, name);
}

/* Makes a file beside path, named after it; returns 0 with its name in allocated memory, or why not. */
static int make_beside(const char *path, maker make, int *fd, char **name)
{
    size_t directory = (size_t)(dlq_path_name(path) - path);
    size_t size = directory + MOST_NAME + SUFFIX;
    char *temporary = malloc(size);
    if (temporary == NULL)
        return ENOMEM;
    int used = snprintf(temporary, size, "%.*s%.*s.XXXXXX.tmp", (int)directory, path, MOST_NAME, path + directory);
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    uint64_t number = (uint64_t)time.tv_nsec + ((uint64_t)getpid() << 30) + (uint64_t)(uintptr_t)temporary;
    int reason = EEXIST;
    for (int i = 0; i < TRIES && reason == EEXIST; i++) {
        fill_suffix(temporary + used, number += 0x9E3779B9);
        reason = make(temporary, fd) == 0 ? 0 : errno;
    }
    if (reason == 0)
        *name = temporary;
    else
        free(temporary);
    return reason;
}

/* A file beside path without a name; -1: not here. */
static int open_unnamed(const char *path)
{
    size_t length = (size_t)(dlq_path_name(path) - path);
    char *directory = length > 0 ? strndup(path, length) : strdup(".");
    int fd = directory != NULL ? dlq_unnamed_open(directory) : -1;
    free(directory);
    return fd;
}

/* Opens what is to be written: the target itself where `direct`, else a file that is to take its place. */
static int open_file(struct dlq_file *file, bool direct, int *fd)
{
    if (!direct && (*fd = open_unnamed(file->path)) >= 0) {
        file->unnamed = true;
        return 0;
    }
    if (!direct)
        return make_beside(file->path, create, fd, &file->temporary);
    *fd = open(file->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    return *fd < 0 ? errno : 0;
}

static enum dlq_status begin(struct dlq_file *file, const char *path, bool replaces, struct dlq_error *error)
{
    *file = (struct dlq_file){0};
    bool direct = false;
    int fd = -1;
    int reason = dlq_path_resolve(path, replaces, &file->path, &direct);
    if (reason == 0)
        reason = open_file(file, direct, &fd);
    if (reason == 0) {
        file->stream = fdopen(fd, "w");
        reason = file->stream == NULL ? errno : 0;
    }
    if (reason == 0)
        return DLQ_OK;
    if (fd >= 0)
        close(fd);
    dlq_file_abandon(file);
    return explain(path, reason, error);
}

enum dlq_status dlq_file_begin(struct dlq_file *file, const char *path, struct dlq_error *error)
{
    return begin(file, path, false, error);
}

enum dlq_status dlq_file_begin_product(struct dlq_file *file, const char *path, struct dlq_error *error)
{
    return begin(file, path, true, error);
}

/* Devices tell by a write of nothing, which a pipe's reader does not see. A byte too many in a file is taken back. */
int dlq_file_reason(int fd)
{
    struct stat about;
    bool regular = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    if (write(fd, "", regular ? 1 : 0) < 0)
        return errno;
    if (regular && ftruncate(fd, about.st_size) != 0)
        return errno;
    return 0;
}

static int find_reason(const struct dlq_file *file)
{
    int reason = dlq_file_reason(fileno(file->stream));
    return reason != 0 ? reason : UNKNOWN;
}

static int flush(const struct dlq_file *file)
{
    errno = 0;
    if (fflush(file->stream) != 0 || ferror(file->stream))
        return errno != 0 ? errno : find_reason(file);
    if ((file->temporary != NULL || file->unnamed) && fsync(fileno(file->stream)) != 0)
        return errno;
    return 0;
}

/* From here to the rename the file has a name of its own: the only time in which SIGKILL could leave it behind. */
static int name_it(struct dlq_file *file)
{
    int fd = fileno(file->stream);
    return make_beside(file->path, give_name, &fd, &file->temporary);
}

enum dlq_status dlq_file_commit(struct dlq_file *file, struct dlq_error *error)
{
    if (file->stream == NULL)
        return dlq_error_add(error, DLQ_FAILURE, "cannot write: no file is open");
    int reason = flush(file);
    if (reason == 0 && file->unnamed)
        reason = name_it(file);
    if (fclose(file->stream) != 0 && reason == 0)
        reason = errno;
    file->stream = NULL;
    if (reason == 0 && file->temporary != NULL && rename(file->temporary, file->path) != 0)
        reason = errno;
    enum dlq_status status = DLQ_OK;
    if (reason != 0) {
        status = explain(file->path, reason, error);
    } else {
        free(file->temporary);
        file->temporary = NULL;
    }
    dlq_file_abandon(file);
    return status;
}

void dlq_file_abandon(struct dlq_file *file)
{
    if (file->stream != NULL)
        fclose(file->stream);
    if (file->temporary != NULL)
        unlink(file->temporary);
    free(file->temporary);
    free(file->path);
    *file = (struct dlq_file){0};
}

/* As "mkdir -p": what exists is fine, the caller looks at the whole. */
static int make_parents(char *path)
{
    if (path[0] == '\0')
        return ENOENT;
    for (char *slash = path; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && !dlq_path_is_directory(path))
            return errno == EEXIST ? ENOTDIR : errno;
    }
    if (mkdir(path, 0777) != 0 && !dlq_path_is_directory(path))
        return errno == EEXIST ? ENOTDIR : errno;
    return 0;
}

static int probe(const char *directory)
{
    char *inside = dlq_file_join(directory, "", "probe");
    if (inside == NULL)
        return ENOMEM;
    char *name = NULL;
    int fd = open_unnamed(inside);
    int reason = fd < 0 ? make_beside(inside, create, &fd, &name) : 0;
    if (fd >= 0)
        close(fd);
    if (name != NULL)
        unlink(name);
    free(name);
    free(inside);
    return reason;
}

enum dlq_status dlq_file_directory(const char *path, struct dlq_error *error)
{
    char *copy = strdup(path);
    if (copy == NULL)
        return dlq_error_memory(error, "creating a directory");
    int reason = dlq_path_is_printable(path) ? 0 : EINVAL;
    if (reason == 0)
        reason = dlq_path_follow(&copy, true);
    if (reason == 0)
        reason = make_parents(copy);
    if (reason == 0)
        reason = probe(copy);
    free(copy);
    return reason == 0 ? DLQ_OK : explain(path, reason, error);
}
