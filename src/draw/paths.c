#include "draw/paths.h"

#include "base/utf8.h"
#include "draw/file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40, STICKY = 01000 /* S_ISVTX, which X/Open alone declares */ };

const char *dlq_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool dlq_path_is_printable(const char *path)
{
    uint32_t point = 0;
    for (size_t length = 0; *path != '\0'; path += length > 0 ? length : 1) {
        length = dlq_utf8_decode(path, &point);
        if (dlq_utf8_is_control(length > 0 ? point : (unsigned char)*path))
            return false;
    }
    return true;
}

bool dlq_path_is_directory(const char *path)
{
    int before = errno;
    struct stat about;
    bool is = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    errno = before;
    return is;
}

/* Replaces the link path[begin..end) by what it points to. */
static int follow(char **path, size_t begin, size_t end)
{
    char content[PATH_MAX];
    char kept = (*path)[end];
    (*path)[end] = '\0';
    ssize_t size = readlink(*path, content, sizeof content - 1);
    (*path)[end] = kept;
    if (size < 0)
        return errno;
    content[size] = '\0';
    size_t room = begin + (size_t)size + strlen(*path + end) + 1;
    char *joined = malloc(room);
    if (joined == NULL)
        return ENOMEM;
    snprintf(joined, room, "%.*s%s%s", content[0] == '/' ? 0 : (int)begin, *path, content, *path + end);
    free(*path);
    *path = joined;
    return 0;
}

static bool is_process_link(const char *path)
{
    return strncmp(path, "/proc/", strlen("/proc/")) == 0;
}

/* Whether an entry of the directory path[0..begin) is somebody else's in a directory that all share: sticky, and
   neither ours nor of the directory's owner. Linux (fs.protected_symlinks) follows no such link where it stands last;
   links that are read, or that lead to directories, are ours to refuse. */
static bool is_strangers(char *path, size_t begin, uid_t owner)
{
    struct stat directory;
    char kept = path[begin];
    path[begin] = '\0';
    bool known = stat(begin > 0 ? path : ".", &directory) == 0;
    path[begin] = kept;
    return !known || ((directory.st_mode & STICKY) != 0 && owner != geteuid() && owner != directory.st_uid);
}

/* What path[0..end) itself is; 0, or why that is unknown. */
static int look_at(char *path, size_t end, struct stat *about)
{
    char kept = path[end];
    path[end] = '\0';
    int reason = lstat(path, about) == 0 ? 0 : errno;
    path[end] = kept;
    return reason;
}

int dlq_path_follow(char **path, bool last)
{
    size_t done = 0; /* there are no links before */
    for (int links = 0; !is_process_link(*path);) {
        struct stat about;
        size_t begin = done + strspn(*path + done, "/");
        size_t end = begin + strcspn(*path + begin, "/");
        if (begin == end || (!last && (*path)[end] == '\0'))
            return 0;
        int reason = look_at(*path, end, &about);
        if (reason != 0)
            return reason == ENOENT ? 0 : reason;
        done = end;
        if (!S_ISLNK(about.st_mode))
            continue;
        if (++links > MOST_LINKS)
            return ELOOP;
        if (is_strangers(*path, begin, about.st_uid))
            return DLQ_PATH_PLANTED;
        if ((reason = follow(path, begin, end)) != 0)
            return reason;
        done = 0; /* what it holds may begin at the root */
    }
    return 0;
}

/* What cannot take the place of `path` is told before the work. */
static int classify(char *path, bool replaces, bool *direct)
{
    struct stat about;
    size_t begin = (size_t)(dlq_path_name(path) - path);
    *direct = is_process_link(path);
    if (path[0] == '\0')
        return ENOENT;
    if ((replaces ? lstat(path, &about) : stat(path, &about)) != 0)
        return errno == ENOENT && path[begin] != '\0' ? 0 : errno;
    *direct = *direct || (replaces ? S_ISDIR(about.st_mode) : !S_ISREG(about.st_mode));
    if (*direct)
        return 0;
    if (S_ISREG(about.st_mode) && access(path, W_OK) != 0)
        return errno;
    return geteuid() != 0 && is_strangers(path, begin, about.st_uid) ? EPERM : 0;
}

int dlq_path_resolve(const char *path, bool replaces, char **target, bool *direct)
{
    if (!dlq_path_is_printable(path))
        return EINVAL;
    char *resolved = strdup(path);
    if (resolved == NULL)
        return ENOMEM;
    int reason = dlq_path_follow(&resolved, !replaces);
    if (reason == 0)
        reason = classify(resolved, replaces, direct);
    if (reason != 0) {
        free(resolved);
        return reason;
    }
    *target = resolved;
    return 0;
}

char *dlq_file_join(const char *directory, const char *stem, const char *suffix)
{
    size_t length = strlen(directory);
    const char *slash = length == 0 || directory[length - 1] == '/' ? "" : "/";
    size_t size = length + strlen(stem) + strlen(suffix) + sizeof "/-";
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s%s%s-%s", directory, slash, stem, suffix);
    return path;
}

char *dlq_file_stem(const char *path)
{
    if (strcmp(path, "-") == 0)
        return strdup("stdin");
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    for (size_t i = end; i > begin + 1; i--) {
        if (path[i - 1] == '.') {
            end = i - 1;
            break;
        }
    }
    return dlq_utf8_clean(strndup(path + begin, end - begin));
}
