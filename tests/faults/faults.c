/* One call of the C library fails on purpose, for tests/cli/faults.h. Preloaded it stands between the command with all
   the libraries it uses and the C library; with sanitizers, which have an allocator of their own, it is linked into a
   command (--wrap) and sees the calls of our own objects.

   FAULTS="KIND K ERRNO REPORT" fails the K-th call of that kind with that errno ("none 0 0" fails nothing; "bytes":
   what streams write beyond K bytes in all) and at exit writes to the file REPORT how many calls of each kind there
   were. Children inherit none of this. */
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
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define EACH_KIND(X)                                                                                                   \
    X(none), X(allocation), X(stream), X(bytes), X(open), X(fdopen), X(close), X(fclose), X(rename), X(mkdir),         \
        X(fsync), X(spawn), X(thread), X(send), X(read)
#define KIND(name) KIND_##name
#define NAME(name) #name

enum kind { EACH_KIND(KIND), KINDS };
static const char *const names[KINDS] = {EACH_KIND(NAME)};

static atomic_long counts[KINDS];
static atomic_bool fired;
static enum kind wanted;
static long wanted_at;
static int wanted_errno;
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
/* -- the functions behind: FAULTY(name) stands before REAL(name) -- */

/* clang-format off */
#define EACH_FUNCTION(X)                                                                                               \
    X(open) X(fdopen) X(fileno) X(close) X(rename) X(mkdir) X(fsync) X(posix_spawnp) X(pthread_create) X(send) X(read)
/* clang-format on */

/* The linker and the dynamic linker demand these names. NOLINTBEGIN(bugprone-reserved-identifier) */
#ifdef FAULTS_WRAP
#define FAULTY(name) __wrap_##name
#define REAL(name) __real_##name
#define DECLARE(name)                                                                                                  \
    extern __typeof__(name) __real_##name;                                                                             \
    extern __typeof__(name) __wrap_##name;
#define RESOLVE(name)
DECLARE(malloc)
DECLARE(calloc)
DECLARE(realloc)
DECLARE(aligned_alloc)
DECLARE(posix_memalign)
DECLARE(strdup)
DECLARE(strndup)
#else
#define FAULTY(name) name
#define REAL(name) real_##name
#define DECLARE(name) static __typeof__(&(name)) real_##name;
/* POSIX lets a pointer to a function be had so; ISO C does not. */
#define RESOLVE(name) *(void **)&real_##name = dlsym(RTLD_NEXT, #name);
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
EACH_FUNCTION(DECLARE)

#define FAULT(kind, failed, type, name, parameters, arguments)                                                         \
    type FAULTY(name) parameters                                                                                       \
    {                                                                                                                  \
        return fails(KIND_##kind) ? (failed) : REAL(name) arguments;                                                   \
    }

FAULT(allocation, NULL, void *, malloc, (size_t size), (size))
FAULT(allocation, NULL, void *, calloc, (size_t count, size_t size), (count, size))
FAULT(allocation, NULL, void *, realloc, (void *old, size_t size), (old, size))
FAULT(allocation, NULL, void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
#ifdef FAULTS_WRAP /* where they are preloaded these call malloc */
FAULT(allocation, NULL, char *, strdup, (const char *text), (text))
FAULT(allocation, NULL, char *, strndup, (const char *text, size_t size), (text, size))
#endif
FAULT(rename, -1, int, rename, (const char *from, const char *to), (from, to))
FAULT(mkdir, -1, int, mkdir, (const char *path, mode_t mode), (path, mode))
FAULT(fsync, -1, int, fsync, (int fd), (fd))
FAULT(send, -1, ssize_t, send, (int fd, const void *text, size_t size, int flags), (fd, text, size, flags))
FAULT(read, -1, ssize_t, read, (int fd, void *text, size_t size), (fd, text, size))
FAULT(spawn, wanted_errno, int, posix_spawnp,
      (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
       char *const arguments[], char *const environment[]),
      (pid, file, actions, attributes, arguments, environment))
FAULT(thread, wanted_errno, int, pthread_create,
      (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument),
      (thread, attributes, start, argument))

int FAULTY(posix_memalign)(void **block, size_t alignment, size_t size)
{
    void *made = FAULTY(aligned_alloc)(alignment, size);
    if (made == NULL)
        return ENOMEM;
    *block = made;
    return 0;
}

int FAULTY(open)(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails(KIND_open) ? -1 : REAL(open)(path, flags, mode);
}

/* Closed it is all the same. */
int FAULTY(close)(int fd)
{
    int status = REAL(close)(fd);
    return fails(KIND_close) ? -1 : status;
}

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
    if (fails(KIND_stream))
        return 0;
    long before = atomic_fetch_add(&counts[KIND_bytes], (long)size);
    if (wanted == KIND_bytes && before + (long)size > wanted_at)
        room = before < wanted_at ? (size_t)(wanted_at - before) : 0;
    while (done < room) {
        ssize_t count = write(fd, text + done, room - done);
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
    bool failed = fails(KIND_fclose);
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
    if (fails(KIND_fdopen))
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

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
/* -- settings and report -- */

__attribute__((constructor)) static void begin(void)
{
    char kind[16] = "none", *rest = getenv("FAULTS");
    EACH_FUNCTION(RESOLVE)
    if (rest != NULL) {
        int length = (int)strcspn(rest, " ");
        snprintf(kind, sizeof kind, "%.*s", length, rest);
        wanted_at = strtol(rest + length, &rest, 10);
        wanted_errno = (int)strtol(rest, &rest, 10);
        snprintf(report, sizeof report, "%s", rest + strspn(rest, " "));
    }
    unsetenv("FAULTS");
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
    if (fd >= 0 && write(fd, text, (size_t)used) == used)
        REAL(close)(fd);
}
