#include "out/paths.h"

#include "dlqueue/file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

const char *dlq_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool dlq_path_is_printable(const char *path)
{
    for (; *path != '\0'; path++)
        if ((unsigned char)*path < ' ' || *path == 0x7F)
            return false;
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

/* Replaces the link *path by what it points to. */
static int follow(char **path)
{
    char content[PATH_MAX];
    ssize_t size = readlink(*path, content, sizeof content - 1);
    if (size < 0)
        return errno;
    content[size] = '\0';
    size_t directory = content[0] == '/' ? 0 : (size_t)(dlq_path_name(*path) - *path);
    char *joined = malloc(directory + (size_t)size + 1);
    if (joined == NULL)
        return ENOMEM;
    memcpy(joined, *path, directory);
    memcpy(joined + directory, content, (size_t)size + 1);
    free(*path);
    *path = joined;
    return 0;
}

static bool is_process_link(const char *path)
{
    return strncmp(path, "/proc/", strlen("/proc/")) == 0;
}

/* Follows *path to its end; stops at /proc, where links name open files rather than paths. */
static int follow_all(char **path)
{
    for (int i = 0; i < MOST_LINKS; i++) {
        struct stat about;
        if (is_process_link(*path))
            return 0;
        if (lstat(*path, &about) != 0)
            return errno == ENOENT ? 0 : errno;
        if (!S_ISLNK(about.st_mode))
            return 0;
        int reason = follow(path);
        if (reason != 0)
            return reason;
    }
    return ELOOP;
}

static int classify(const char *path, bool *direct)
{
    struct stat about;
    *direct = is_process_link(path);
    if (path[0] == '\0')
        return ENOENT;
    if (stat(path, &about) != 0)
        return errno == ENOENT && dlq_path_name(path)[0] != '\0' ? 0 : errno;
    *direct = *direct || !S_ISREG(about.st_mode);
    return 0;
}

int dlq_path_resolve(const char *path, char **target, bool *direct)
{
    if (!dlq_path_is_printable(path))
        return EINVAL;
    char *resolved = strdup(path);
    if (resolved == NULL)
        return ENOMEM;
    int reason = follow_all(&resolved);
    if (reason == 0)
        reason = classify(resolved, direct);
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
    return strndup(path + begin, end - begin);
}
