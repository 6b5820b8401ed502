/* Files that are written completely or not at all: resolves symbolic links, refuses those of other users in shared
   directories, writes beside the target and renames at the end. */
#include "draw/file.h"

#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 100, MOST_LINKS = 40, STICKY = 01000 /* S_ISVTX, which X/Open alone declares */ };
enum { MOST_NAME = 230 /* bytes of the target's name in that of the temporary file */ };
/* Reasons besides values of errno. UNKNOWN: a write failed without errno. FOREIGN_LINK: the path has a symbolic link
   that belongs to another user, in a sticky directory. */
enum { UNKNOWN = -1, FOREIGN_LINK = -2 };

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
    if (reason == FOREIGN_LINK)
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

/* The part of the path after the last slash. */
static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Whether the path has no control characters, in UTF-8 or as single bytes, which would spoil messages and listings. */
static bool is_printable(const char *path)
{
    uint32_t point = 0;
    for (size_t length = 0; *path != '\0'; path += length > 0 ? length : 1) {
        length = dlq_utf8_decode(path, &point);
        if (dlq_utf8_is_control(length > 0 ? point : (unsigned char)*path))
            return false;
    }
    return true;
}

/* Calls stat or lstat for path[0..end), or for "." if `end` is 0. Returns 0 or an errno. */
static int stat_part(const char *path, size_t end, int (*call)(const char *path, struct stat *entry),
                     struct stat *entry)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%.*s", end > 0 ? (int)end : 1, end > 0 ? path : ".");
    return call(part, entry) == 0 ? 0 : errno;
}

static bool is_process_link(const char *path)
{
    return strncmp(path, "/proc/", strlen("/proc/")) == 0;
}

/* Whether an entry of the directory path[0..begin) belongs to another user in a shared directory: the directory is
   sticky, and `owner` is neither this user nor the owner of the directory; or the directory cannot be examined. Linux
   (fs.protected_symlinks) itself refuses such a link only at the end of a path. */
static bool is_foreign(const char *path, size_t begin, uid_t owner)
{
    struct stat directory;
    bool known = stat_part(path, begin, stat, &directory) == 0;
    return !known || ((directory.st_mode & STICKY) != 0 && owner != geteuid() && owner != directory.st_uid);
}

/* Resolves the symbolic links of the path, as far as the path exists; stops at /proc, where links name open files
   rather than paths. Keeps a link at the end of the path unless `last`. Returns 0, an errno or FOREIGN_LINK. */
static int follow_links(char path[PATH_MAX], bool last)
{
    size_t done = 0; /* path[0..done) has no links */
    for (int links = 0; !is_process_link(path);) {
        struct stat entry;
        size_t begin = done + strspn(path + done, "/");
        size_t end = begin + strcspn(path + begin, "/");
        if (begin == end || (!last && path[end] == '\0'))
            return 0;
        int reason = stat_part(path, end, lstat, &entry);
        if (reason != 0)
            return reason == ENOENT ? 0 : reason;
        done = end;
        if (!S_ISLNK(entry.st_mode))
            continue;
        if (++links > MOST_LINKS)
            return ELOOP;
        if (is_foreign(path, begin, entry.st_uid))
            return FOREIGN_LINK;
        char content[PATH_MAX], whole[PATH_MAX];
        snprintf(whole, sizeof whole, "%.*s", (int)end, path);
        ssize_t size = readlink(whole, content, sizeof content - 1);
        if (size < 0)
            return errno;
        content[size] = '\0';
        size_t kept = content[0] == '/' ? 0 : begin;
        if (snprintf(whole, sizeof whole, "%.*s%s%s", (int)kept, path, content, path + end) >= PATH_MAX)
            return ENAMETOOLONG;
        memcpy(path, whole, PATH_MAX);
        done = 0; /* the content of the link may start at the root */
    }
    return 0;
}

/* Resolves the links of the path, so that renaming a file to the result leaves the links in place; if `replaces`, keeps
   a link at the end, which will be replaced. *direct: the target is to be written in place, as it is in /proc, is a
   directory (whose opening then fails) or, unless `replaces`, another file that is not regular. The target need not
   exist. Returns 0, an errno (EINVAL: not printable) or FOREIGN_LINK: a target that cannot be replaced is reported
   before anything is computed. */
static int resolve(char path[PATH_MAX], bool replaces, bool *direct)
{
    struct stat entry;
    int reason = is_printable(path) ? follow_links(path, !replaces) : EINVAL;
    size_t begin = (size_t)(name_in(path) - path);
    *direct = is_process_link(path);
    if (reason != 0 || path[0] == '\0')
        return reason != 0 ? reason : ENOENT;
    if ((replaces ? lstat(path, &entry) : stat(path, &entry)) != 0)
        return errno == ENOENT && path[begin] != '\0' ? 0 : errno;
    *direct = *direct || (replaces ? S_ISDIR(entry.st_mode) : !S_ISREG(entry.st_mode));
    if (*direct)
        return 0;
    if (S_ISREG(entry.st_mode) && access(path, W_OK) != 0)
        return errno;
    /* In a sticky directory only root may replace the file of another user. */
    return geteuid() != 0 && is_foreign(path, begin, entry.st_uid) ? EPERM : 0;
}

/* Creates a temporary file beside path, mode 0666 less the umask. The number in its name depends on time, process and
   address, so that two writers hardly try the same. Returns 0 or an errno. */
static int create_beside(struct dlq_file *file, const char *path, int *fd)
{
    const char *name = name_in(path);
    char temporary[PATH_MAX + 16];
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    uint64_t number = (uint64_t)time.tv_nsec + ((uint64_t)getpid() << 30) + (uint64_t)(uintptr_t)file;
    int reason = EEXIST;
    for (int i = 0; i < TRIES && reason == EEXIST; i++) {
        number += 0x9E3779B9; /* 2^32 / the golden ratio, which spreads the tries */
        snprintf(temporary, sizeof temporary, "%.*s%.*s.%06x.tmp", (int)(name - path), path, MOST_NAME, name,
                 (unsigned)(number >> 8 & 0xffffff));
        *fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        reason = *fd < 0 ? errno : 0;
    }
    if (reason == 0 && (file->temporary = strdup(temporary)) == NULL) {
        unlink(temporary);
        reason = ENOMEM;
    }
    return reason;
}

enum dlq_status dlq_file_begin(struct dlq_file *file, const char *path, bool replaces, struct dlq_error *error)
{
    char target[PATH_MAX];
    bool direct = false;
    int fd = -1, reason = snprintf(target, sizeof target, "%s", path) >= PATH_MAX ? ENAMETOOLONG : 0;
    *file = (struct dlq_file){0};
    if (reason == 0)
        reason = resolve(target, replaces, &direct);
    if (reason == 0 && (file->path = strdup(target)) == NULL)
        reason = ENOMEM;
    if (reason == 0 && !direct)
        reason = create_beside(file, target, &fd);
    else if (reason == 0 && (fd = open(target, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY)) < 0)
        reason = errno;
    if (reason == 0 && (file->stream = fdopen(fd, "w")) == NULL)
        reason = errno;
    if (reason == 0)
        return DLQ_OK;
    if (fd >= 0)
        close(fd);
    dlq_file_abandon(file);
    return explain(path, reason, error);
}

/* A device reports the error even for a write of 0 bytes, which the reader of a pipe does not notice. A regular file
   needs a byte, which is removed again. */
int dlq_file_reason(int fd)
{
    struct stat entry;
    bool regular = fstat(fd, &entry) == 0 && S_ISREG(entry.st_mode);
    if (write(fd, "", regular ? 1 : 0) < 0)
        return errno;
    if (regular && ftruncate(fd, entry.st_size) != 0)
        return errno;
    return 0;
}

enum dlq_status dlq_file_commit(struct dlq_file *file, struct dlq_error *error)
{
    if (file->stream == NULL)
        return dlq_error_add(error, DLQ_FAILURE, "cannot write: no file is open");
    struct stat entry;
    int fd = fileno(file->stream), reason = errno = 0;
    if (fflush(file->stream) != 0 || ferror(file->stream)) {
        reason = errno != 0 ? errno : dlq_file_reason(fd);
        reason = reason != 0 ? reason : UNKNOWN;
    } else if (file->temporary != NULL && fsync(fd) != 0) {
        reason = errno;
    }
    if (fclose(file->stream) != 0 && reason == 0)
        reason = errno;
    file->stream = NULL;
    /* Do not replace a device that was created after dlq_file_begin. */
    if (reason == 0 && file->temporary != NULL && lstat(file->path, &entry) == 0 &&
        (S_ISCHR(entry.st_mode) || S_ISBLK(entry.st_mode)))
        reason = EEXIST;
    if (reason == 0 && file->temporary != NULL && rename(file->temporary, file->path) != 0)
        reason = errno;
    if (reason == 0) {
        free(file->temporary); /* renamed: nothing to remove */
        file->temporary = NULL;
    }
    enum dlq_status status = reason == 0 ? DLQ_OK : explain(file->path, reason, error);
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

enum dlq_status dlq_file_directory(const char *path, struct dlq_error *error)
{
    char copy[PATH_MAX];
    struct dlq_file file = {0};
    int fd = -1, reason = snprintf(copy, sizeof copy, "%s", path) >= PATH_MAX ? ENAMETOOLONG
                          : path[0] == '\0'                                   ? ENOENT
                          : is_printable(path)                                ? follow_links(copy, true)
                                                                              : EINVAL;
    const size_t length = strlen(copy);
    for (size_t end = 1; end <= length && reason == 0; end++) { /* like "mkdir -p" */
        struct stat entry;
        if (copy[end] != '/' && copy[end] != '\0')
            continue;
        copy[end] = '\0';
        if (mkdir(copy, 0777) != 0) {
            reason = errno == EEXIST ? ENOTDIR : errno;
            if (stat(copy, &entry) == 0 && S_ISDIR(entry.st_mode))
                reason = 0;
        }
        copy[end] = end < length ? '/' : '\0';
    }
    strncat(copy, "/", sizeof copy - length - 1);
    if (reason == 0)
        reason = create_beside(&file, copy, &fd);
    if (fd >= 0)
        close(fd);
    dlq_file_abandon(&file);
    return reason == 0 ? DLQ_OK : explain(path, reason, error);
}

char *dlq_file_stem(const char *path)
{
    if (strcmp(path, "-") == 0)
        return strdup("stdin");
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/')
        end--;
    char *stem = strndup(path, end);
    if (stem == NULL)
        return NULL;
    const char *name = name_in(stem);
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot > name)
        *dot = '\0';
    memmove(stem, name, strlen(name) + 1);
    return dlq_utf8_clean(stem);
}
