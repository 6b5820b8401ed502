/* One call of the C library fails on purpose, for tests/cli/faults.h. Preloaded it stands between the command with all
   the libraries it uses and the C library; with sanitizers, which have an allocator of their own, it is linked into a
   command (--wrap) and sees the calls of our own objects.

   FAULTS="KIND K ERRNO REPORT" fails the K-th call of that kind with that errno ("none 0 0" fails nothing; "bytes":
   what streams write beyond K bytes in all) and at exit writes to the file REPORT how many calls of each kind there
   were. FAULTS_NAMED: as if the file system knew no O_TMPFILE. Children inherit none of this. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind {
    NONE,
    ALLOCATION,
    STREAM,
    BYTES,
    OPEN,
    FOPEN,
    FDOPEN,
    CLOSE,
    FCLOSE,
    RENAME,
    LINKAT,
    MKDIR,
    FSYNC,
    PIPE,
    SPAWN,
    THREAD,
    WRITE,
    READ,
    KINDS
};

static const char *const names[KINDS] = {"none",   "allocation", "stream", "bytes",  "open",   "fopen",
                                         "fdopen", "close",      "fclose", "rename", "linkat", "mkdir",
                                         "fsync",  "pipe",       "spawn",  "thread", "write",  "read"};

static atomic_long counts[KINDS];
static atomic_bool fired;
static enum kind wanted;
static long wanted_at;
static int wanted_errno;
static bool named;
static char report[256];

static bool fails(enum kind kind)
{
    if (atomic_fetch_add(&counts[kind], 1) + 1 != wanted_at || kind != wanted)
        return false;
    atomic_store(&fired, true);
    errno = wanted_errno;
    return true;
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the headers call them __fd and the like. */
/* -- the functions behind -- */

/* The linker and the dynamic linker demand these names. NOLINTBEGIN(bugprone-reserved-identifier) */
#ifdef FAULTS_WRAP

#define FAULTY(name) __wrap_##name
#define REAL(name) __real_##name
#define DECLARE(name)                                                                                                  \
    extern __typeof__(name) __real_##name;                                                                             \
    extern __typeof__(name) __wrap_##name
DECLARE(malloc);
DECLARE(calloc);
DECLARE(realloc);
DECLARE(aligned_alloc);
DECLARE(posix_memalign);
DECLARE(strdup);
DECLARE(strndup);
static void resolve(void)
{
}

#else

#define FAULTY(name) name
#define REAL(name) real_##name
#define DECLARE(name) static __typeof__(&(name)) real_##name
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
#define real_malloc __libc_malloc
#define real_calloc __libc_calloc
#define real_realloc __libc_realloc
#define real_aligned_alloc __libc_memalign

#endif
/* NOLINTEND(bugprone-reserved-identifier) */

DECLARE(open);
DECLARE(fopen);
DECLARE(fdopen);
DECLARE(fileno);
DECLARE(close);
DECLARE(rename);
DECLARE(linkat);
DECLARE(mkdir);
DECLARE(fsync);
DECLARE(pipe);
DECLARE(posix_spawnp);
DECLARE(pthread_create);
DECLARE(write);
DECLARE(read);

#ifndef FAULTS_WRAP
/* POSIX lets a pointer to a function be had so; ISO C does not. */
#define RESOLVE(name) *(void **)&real_##name = dlsym(RTLD_NEXT, #name)
static void resolve(void)
{
    RESOLVE(open);
    RESOLVE(fopen);
    RESOLVE(fdopen);
    RESOLVE(fileno);
    RESOLVE(close);
    RESOLVE(rename);
    RESOLVE(linkat);
    RESOLVE(mkdir);
    RESOLVE(fsync);
    RESOLVE(pipe);
    RESOLVE(posix_spawnp);
    RESOLVE(pthread_create);
    RESOLVE(write);
    RESOLVE(read);
}
#endif

/* -- memory -- */

void *FAULTY(malloc)(size_t size)
{
    return fails(ALLOCATION) ? NULL : REAL(malloc)(size);
}

void *FAULTY(calloc)(size_t count, size_t size)
{
    return fails(ALLOCATION) ? NULL : REAL(calloc)(count, size);
}

void *FAULTY(realloc)(void *old, size_t size)
{
    return fails(ALLOCATION) ? NULL : REAL(realloc)(old, size);
}

void *FAULTY(aligned_alloc)(size_t alignment, size_t size)
{
    return fails(ALLOCATION) ? NULL : REAL(aligned_alloc)(alignment, size);
}

int FAULTY(posix_memalign)(void **block, size_t alignment, size_t size)
{
    void *made = fails(ALLOCATION) ? NULL : REAL(aligned_alloc)(alignment, size);
    if (made == NULL)
        return ENOMEM;
    *block = made;
    return 0;
}

#ifdef FAULTS_WRAP
/* Where they are preloaded these call malloc. */
char *FAULTY(strdup)(const char *text)
{
    return fails(ALLOCATION) ? NULL : REAL(strdup)(text);
}

char *FAULTY(strndup)(const char *text, size_t size)
{
    return fails(ALLOCATION) ? NULL : REAL(strndup)(text, size);
}
#endif

/* -- streams: what they write passes here, which the C library's own would not show -- */

enum { STREAMS = 16 };
static struct {
    FILE *stream;
    int fd;
} streams[STREAMS];

/* As a descriptor does it: a disk that fills up takes a part first. */
static ssize_t stream_write(void *cookie, const char *text, size_t size)
{
    int fd = *(int *)cookie;
    size_t room = size, done = 0;
    if (fails(STREAM))
        return 0;
    long before = atomic_fetch_add(&counts[BYTES], (long)size);
    if (wanted == BYTES && before + (long)size > wanted_at)
        room = before < wanted_at ? (size_t)(wanted_at - before) : 0;
    while (done < room) {
        ssize_t count = REAL(write)(fd, text + done, room - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return (ssize_t)done;
        done += (size_t)count;
    }
    if (room < size) {
        atomic_store(&fired, true);
        errno = wanted_errno;
    }
    return (ssize_t)done;
}

static int stream_close(void *cookie)
{
    int fd = *(int *)cookie;
    *(int *)cookie = -1;
    bool failed = fails(FCLOSE);
    int status = REAL(close)(fd);
    if (failed)
        errno = wanted_errno;
    return failed ? -1 : status;
}

static FILE *stream_open(int fd)
{
    static const cookie_io_functions_t functions = {.write = stream_write, .close = stream_close};
    for (int i = 0; i < STREAMS; i++)
        if (streams[i].stream == NULL || streams[i].fd < 0) {
            streams[i].fd = fd;
            streams[i].stream = fopencookie(&streams[i].fd, "w", functions);
            return streams[i].stream;
        }
    abort();
}

FILE *FAULTY(fdopen)(int fd, const char *mode)
{
    if (fails(FDOPEN))
        return NULL;
    return mode[0] == 'w' ? stream_open(fd) : REAL(fdopen)(fd, mode);
}

int FAULTY(fileno)(FILE *stream)
{
    for (int i = 0; i < STREAMS; i++)
        if (streams[i].stream == stream && streams[i].fd >= 0)
            return streams[i].fd;
    return REAL(fileno)(stream);
}

FILE *FAULTY(fopen)(const char *path, const char *mode)
{
    return fails(FOPEN) ? NULL : REAL(fopen)(path, mode);
}

/* -- the rest -- */

int FAULTY(open)(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (named && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return fails(OPEN) ? -1 : REAL(open)(path, flags, mode);
}

/* Closed it is all the same. */
int FAULTY(close)(int fd)
{
    int status = REAL(close)(fd);
    return fails(CLOSE) ? -1 : status;
}

int FAULTY(rename)(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : REAL(rename)(from, to);
}

int FAULTY(linkat)(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    return fails(LINKAT) ? -1 : REAL(linkat)(from_fd, from, to_fd, to, flags);
}

int FAULTY(mkdir)(const char *path, mode_t mode)
{
    return fails(MKDIR) ? -1 : REAL(mkdir)(path, mode);
}

int FAULTY(fsync)(int fd)
{
    return fails(FSYNC) ? -1 : REAL(fsync)(fd);
}

int FAULTY(pipe)(int ends[2])
{
    return fails(PIPE) ? -1 : REAL(pipe)(ends);
}

int FAULTY(posix_spawnp)(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    return fails(SPAWN) ? wanted_errno : REAL(posix_spawnp)(pid, file, actions, attributes, arguments, environment);
}

int FAULTY(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    return fails(THREAD) ? wanted_errno : REAL(pthread_create)(thread, attributes, start, argument);
}

ssize_t FAULTY(write)(int fd, const void *text, size_t size)
{
    return fails(WRITE) ? -1 : REAL(write)(fd, text, size);
}

ssize_t FAULTY(read)(int fd, void *text, size_t size)
{
    return fails(READ) ? -1 : REAL(read)(fd, text, size);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
/* -- settings and report -- */

__attribute__((constructor)) static void begin(void)
{
    char kind[16] = "none", *rest = getenv("FAULTS");
    resolve();
    if (rest != NULL) {
        int length = (int)strcspn(rest, " ");
        snprintf(kind, sizeof kind, "%.*s", length, rest);
        wanted_at = strtol(rest + length, &rest, 10);
        wanted_errno = (int)strtol(rest, &rest, 10);
        snprintf(report, sizeof report, "%s", rest + strspn(rest, " "));
    }
    named = getenv("FAULTS_NAMED") != NULL;
    unsetenv("FAULTS");
    unsetenv("FAULTS_NAMED");
    unsetenv("LD_PRELOAD");
    stdout = stream_open(STDOUT_FILENO);
    for (int i = 0; i < KINDS; i++) {
        atomic_store(&counts[i], 0);
        if (strcmp(names[i], kind) == 0)
            wanted = (enum kind)i;
    }
}

/* What is left in standard output is not written any more, as it would be after the last destructor. */
__attribute__((destructor)) static void end(void)
{
    char text[1024];
    int used = snprintf(text, sizeof text, "fired %d\n", atomic_load(&fired) ? 1 : 0);
    for (int i = 1; i < KINDS; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %ld\n", names[i], atomic_load(&counts[i]));
    int fd = report[0] != '\0' ? REAL(open)(report, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (fd >= 0 && REAL(write)(fd, text, (size_t)used) == used)
        REAL(close)(fd);
}
