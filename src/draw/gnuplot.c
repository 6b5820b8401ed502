/* gnuplot as a process: string literals for gnuplot, its run, a check that the picture is whole; and the colors that
   all pictures share. */
#include "draw/gnuplot.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* MESSAGE: bytes. OCTAL: characters of an escaped byte, "\0047". ELLIPSIS: its code point. */
enum { MESSAGE = 512, MESSAGE_LINES = 3, MOST_CHARACTERS = 1200, OCTAL = 5, ELLIPSIS = 0x2026 };

/* Seven of the nine "muted" colors of Paul Tol's schemes (2021): without the two reds, since stalls are red. */
static const unsigned workers[] = {0x332288, 0x88ccee, 0x44aa99, 0x117733, 0xddcc77, 0xaa4499, 0x999933};
enum { WORKERS = sizeof workers / sizeof *workers };

/* The share of a color of `workers` in its paler one, a mixture with white. Chosen so that the paler colors differ from
   each other, from `workers` and from white. */
static const double pale_share = 0.55;

unsigned dlq_palette_worker(long worker)
{
    if (worker < 0) /* unknown */
        return DLQ_PALETTE_OVERHEAD;
    unsigned color = workers[worker % WORKERS];
    return worker / WORKERS % 2 == 0 ? color : dlq_palette_pale(color, pale_share);
}

/* L is the relative luminance of WCAG 2.1: 0 for black, 1 for white, 0.0722 for pure blue. The contrast of two colors
   is (L + 0.05) / (L' + 0.05), L the larger one; the contrast with white exceeds that with black if (L + 0.05)^2 is
   below 0.05 * 1.05. */
unsigned dlq_palette_ink(unsigned color)
{
    static const double weights[] = {0.0722, 0.7152, 0.2126};
    double light = 0.05;
    for (int i = 0; i < 3; i++) {
        double part = (color >> 8 * i & 0xff) / 255.0;
        light += weights[i] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return light * light < 0.05 * 1.05 ? 0xffffff : 0x000000;
}

unsigned dlq_palette_pale(unsigned color, double share)
{
    unsigned pale = 0;
    for (unsigned shift = 0; shift < 24; shift += 8)
        pale |= (unsigned)lround(share * (color >> shift & 0xff) + (1 - share) * 0xff) << shift;
    return pale;
}

/* Whether a "us" of microseconds begins here: "12 us", "(us)", "us". */
static bool is_micro(const char *text, const char *at)
{
    const size_t before = (size_t)(at - text);
    return at[0] == 'u' && at[1] == 's' && strchr(" ,.:;)", at[2]) != NULL &&
           (before == 0 ? at[2] == '\0'
                        : at[-1] == '(' || (before > 1 && at[-1] == ' ' && at[-2] >= '0' && at[-2] <= '9'));
}

/* Characters below U+0020 would end commands; U+007F to U+009F, U+FFFE and U+FFFF would make an SVG malformed. gnuplot
   5.4 reads four octal digits if the first is 0, else three: "\0047" is a quote, "\134" a backslash. */
char *dlq_gnuplot_quote(const char *text, bool in_font)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,.:;=+()/-";
    /* Blocks that DejaVu Sans 2.37 has completely (by its table cmap). */
    static const unsigned blocks[][2] = {{0x20, 0x7e},     {0xa0, 0x2e9},    {0x300, 0x34f},   {0x38e, 0x3a1},
                                         {0x3a3, 0x525},   {0x1e00, 0x1efb}, {0x2000, 0x2064}, {0x2074, 0x208e},
                                         {0x20a0, 0x20b5}, {0x210b, 0x2149}, {0x2150, 0x2185}, {0x2190, 0x2311},
                                         {0x2500, 0x269c}, {0x2761, 0x2794}, {0x27f0, 0x28ff}};
    char *quoted = malloc(MOST_CHARACTERS * DLQ_UTF8_BYTES * OCTAL + sizeof "\"\"");
    if (quoted == NULL)
        return NULL;
    char *out = quoted;
    const char *begin = text;
    *out++ = '"';
    for (int count = 1; *text != '\0' && count <= MOST_CHARACTERS; count++) {
        char bytes[DLQ_UTF8_BYTES];
        unsigned point;
        bool drawn = !in_font;
        const bool micro = is_micro(begin, text);
        text += dlq_utf8_next(text, &point);
        point = micro ? 0xB5 : point;
        for (size_t i = 0; !drawn && i < sizeof blocks / sizeof *blocks; i++)
            drawn = point >= blocks[i][0] && point <= blocks[i][1];
        if (count == MOST_CHARACTERS && *text != '\0')
            point = ELLIPSIS;
        else if (point < 0x20 || (point >= 0x7F && point < 0xA0 && !in_font))
            point = ' ';
        else if (point == 0xFFFE || point == 0xFFFF || !drawn)
            point = DLQ_UTF8_REPLACEMENT;
        size_t size = dlq_utf8_put(bytes, point);
        for (size_t i = 0; i < size; i++) {
            unsigned byte = (unsigned char)bytes[i];
            if (byte != 0 && strchr(plain, (int)byte) != NULL)
                *out++ = bytes[i];
            else
                out += snprintf(out, OCTAL + 1, byte < 0100 ? "\\0%03o" : "\\%03o", byte);
        }
    }
    *out++ = '"';
    *out = '\0';
    return quoted;
}

/* PNG: signature (ISO 15948, 5.2) and the IEND chunk with its length and checksum; GIF: "GIF8" and the trailer 3B. */
static const struct form {
    const char *name, *head, *tail;
    size_t head_size, tail_size;
    bool blanks; /* may follow the tail */
} forms[] = {
    {"png", "\x89PNG\r\n\x1a\n", "\0\0\0\0IEND\xae\x42\x60\x82", 8, 12, false},
    {"svg", "<?xml", "</svg>", 5, 6, true},
    {"pdf", "%PDF-", "%%EOF", 5, 5, true},
    {"gif", "GIF8", ";", 4, 1, false},
};

bool dlq_picture_is_whole(const char *format, const unsigned char *bytes, size_t size)
{
    const struct form *form = forms;
    while (strcmp(form->name, format) != 0)
        form++;
    while (form->blanks && size > 0 && strchr(" \t\r\n", bytes[size - 1]) != NULL && bytes[size - 1] != '\0')
        size--;
    return size >= form->head_size + form->tail_size && memcmp(bytes, form->head, form->head_size) == 0 &&
           memcmp(bytes + size - form->tail_size, form->tail, form->tail_size) == 0;
}

/* -- child processes: gnuplot, gifsicle -- */

enum {
    BLOCK = 1 << 16,        /* bytes of one read */
    POLL_MS = 50,           /* between checks of `interrupted` and the deadline */
    REAP_MS = 2,            /* between checks whether the child has ended */
    MOST_OUTPUT = 64 << 20, /* bytes */
    TAIL = 4096             /* bytes of standard error that are kept */
};

enum child_end {
    NO_ERROR, /* so far; or the child has ended, by itself or by a signal: see `status` */
    LATE,     /* the deadline passed */
    INTERRUPTED,
    TOO_MUCH, /* more than MOST_OUTPUT */
    BROKEN,   /* a system call failed or memory ran out; reason: an errno */
    ABSENT    /* it could not be started, reason: an errno */
};

struct child {
    unsigned char *bytes; /* standard output and a NUL behind it; null: none was read; owned: free() */
    size_t size, capacity;
    char tail[TAIL + 1]; /* the end of standard error */
    int status;          /* of waitpid */
    int reason;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Starts the program with default signal handling, in a process group of its own. Returns 0 or an errno. */
static int spawn(pid_t *pid, const char *const *arguments, const int streams[3])
{
    static const int usual[] = {SIGPIPE, SIGINT, SIGTERM, SIGCHLD, SIGXFSZ};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason != 0)
        return reason;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        sigaddset(&defaults, usual[i]);
    reason = posix_spawnattr_init(&attributes);
    if (reason == 0) {
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &defaults);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
        for (int i = 0; i < 3 && reason == 0; i++)
            reason = posix_spawn_file_actions_adddup2(&actions, streams[i], i);
        if (reason == 0)
            reason = posix_spawnp(pid, arguments[0], &actions, &attributes, (char *const *)arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

/* A system call failed; EINTR is no failure. */
static enum child_end broken(struct child *child, int reason)
{
    child->reason = reason;
    return reason == EINTR ? NO_ERROR : BROKEN;
}

/* Sends as much of the text as fits into the socket. It is no error if the child stops reading: the caller checks
   whether its output is whole. */
static enum child_end send_text(struct child *child, int *fd, const char **text, size_t *size)
{
    ssize_t count = *size > 0 ? send(*fd, *text, *size, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
    bool gone = count < 0 && (errno == EPIPE || errno == ECONNRESET);
    if (count < 0 && !gone)
        return errno == EAGAIN ? NO_ERROR : broken(child, errno);
    *text += gone ? 0 : count;
    *size -= gone ? 0 : (size_t)count;
    if (gone || *size == 0)
        shut(fd);
    return NO_ERROR;
}

/* Reads from one of the pipes: keeps all of standard output, or the last TAIL bytes of standard error, with blanks for
   NULs. */
static enum child_end collect(struct child *child, int *fd, bool output)
{
    char block[TAIL];
    if (output && !dlq_grow(&child->bytes, &child->capacity, child->size + BLOCK + 1, 1))
        return broken(child, ENOMEM);
    ssize_t count = output ? read(*fd, child->bytes + child->size, BLOCK) : read(*fd, block, sizeof block);
    if (count < 0)
        return broken(child, errno);
    if (count == 0)
        shut(fd);
    if (output) {
        child->size += (size_t)count;
        child->bytes[child->size] = '\0';
        return child->size > MOST_OUTPUT ? TOO_MUCH : NO_ERROR;
    }
    size_t old = strlen(child->tail), room = TAIL - (size_t)count, kept = old < room ? old : room;
    memmove(child->tail, child->tail + old - kept, kept);
    for (ssize_t i = 0; i < count; i++)
        child->tail[kept++] = (char)(block[i] == '\0' ? ' ' : block[i]);
    child->tail[kept] = '\0';
    return NO_ERROR;
}

/* Sends the text and reads output until both pipes are closed and the child has ended, or kills the child. If the
   calling process ignores SIGCHLD, the exit status is lost and counts as 0; callers also check whether the output is
   whole. ours: see run_child. */
static enum child_end communicate(struct child *child, pid_t pid, int ours[3], const char *text, size_t size,
                                  double deadline, const volatile sig_atomic_t *interrupted)
{
    enum child_end end = NO_ERROR;
    while (end == NO_ERROR) {
        struct pollfd ready[3] = {
            {.fd = ours[0], .events = POLLOUT}, {.fd = ours[1], .events = POLLIN}, {.fd = ours[2], .events = POLLIN}};
        if (interrupted != NULL && *interrupted)
            end = INTERRUPTED;
        else if (now() >= deadline)
            end = LATE;
        else if (ours[1] < 0 && ours[2] < 0) {
            shut(&ours[0]);
            pid_t reaped = waitpid(pid, &child->status, WNOHANG);
            if (reaped == pid || (reaped < 0 && errno != EINTR))
                return NO_ERROR;
            poll(NULL, 0, REAP_MS);
        } else if (poll(ready, 3, POLL_MS) < 0)
            end = broken(child, errno);
        else
            for (int i = 0; i < 3 && end == NO_ERROR; i++)
                if (ready[i].revents != 0)
                    end = i == 0 ? send_text(child, &ours[0], &text, &size) : collect(child, &ours[i], i == 1);
    }
    kill(-pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return end;
}

/* Runs arguments[0] from PATH in a process group of its own, with the text as standard input, and collects its output.
   On return the child has ended and its pipes are closed. */
static enum child_end run_child(struct child *child, const char *const *arguments, const char *text, size_t size,
                                double timeout_seconds, const volatile sig_atomic_t *interrupted)
{
    /* Our ends and the child's ends of a socket for the text (writing to a socket can raise no SIGPIPE) and of two
       pipes. All are opened close-on-exec, as another thread may start a child at the same time. */
    int theirs[3] = {-1, -1, -1}, ours[3] = {-1, -1, -1};
    enum child_end end = ABSENT;
    pid_t pid;
    *child = (struct child){.bytes = NULL};
    for (int i = 0; i < 3 && child->reason == 0; i++) {
        int ends[2] = {-1, -1};
        if ((i == 0 ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) : pipe2(ends, O_CLOEXEC)) != 0)
            child->reason = errno;
        ours[i] = ends[0];
        theirs[i] = ends[1];
    }
    if (child->reason == 0)
        child->reason = spawn(&pid, arguments, theirs);
    for (int i = 0; i < 3; i++)
        shut(&theirs[i]);
    if (child->reason == 0)
        end = communicate(child, pid, ours, text, size, now() + timeout_seconds, interrupted);
    for (int i = 0; i < 3; i++)
        shut(&ours[i]);
    return end;
}

/* Joins the last lines of standard error, except lines of blanks and carets: ": gnuplot> plot x; undefined variable:
   x". Modifies `tail`. */
static void last_lines(char *tail, char message[MESSAGE])
{
    const char *lines[MESSAGE_LINES];
    char *rest = NULL;
    size_t count = 0, used = 0;
    for (char *line = strtok_r(tail, "\r\n", &rest); line != NULL; line = strtok_r(NULL, "\r\n", &rest)) {
        line += strspn(line, " \t\v\f^");
        if (*line != '\0')
            lines[count++ % MESSAGE_LINES] = line;
    }
    message[0] = '\0';
    for (size_t i = count > MESSAGE_LINES ? count - MESSAGE_LINES : 0; i < count && used < MESSAGE; i++)
        used +=
            (size_t)snprintf(message + used, MESSAGE - used, "%s%s", used == 0 ? ": " : "; ", lines[i % MESSAGE_LINES]);
}

enum dlq_status dlq_gnuplot_run(const char *script, const char *format, double timeout_seconds,
                                const volatile sig_atomic_t *interrupted, struct dlq_image *image,
                                struct dlq_error *error)
{
    static const char *const arguments[] = {"gnuplot", "-d", "-", NULL};
    struct child child;
    char words[MESSAGE];
    enum dlq_status status;
    enum child_end end = run_child(&child, arguments, script, strlen(script), timeout_seconds, interrupted);
    /* gnuplot's exit status is 0 even after some failed writes. */
    bool whole = end == NO_ERROR && dlq_picture_is_whole(format, child.bytes, child.size);
    if (whole && child.status == 0) {
        *image = (struct dlq_image){child.bytes, child.size, strstr(child.tail, DLQ_GNUPLOT_NO_FONT) != NULL};
        return DLQ_OK;
    }
    last_lines(child.tail, words);
    if (end == ABSENT && child.reason == ENOENT)
        status = dlq_error_add(error, DLQ_FAILURE, "gnuplot not found; install it: apt-get install gnuplot-nox");
    else if (end == INTERRUPTED)
        status = dlq_error_add(error, DLQ_INTERRUPTED, "interrupted while gnuplot was drawing");
    else if (end == LATE)
        status =
            dlq_error_add(error, DLQ_FAILURE, "gnuplot did not finish within %g s and was stopped", timeout_seconds);
    else if (end == TOO_MUCH)
        status =
            dlq_error_add(error, DLQ_FAILURE, "gnuplot printed more than %d MiB and was stopped", MOST_OUTPUT >> 20);
    else if (end != NO_ERROR && child.reason == ENOMEM)
        status = dlq_error_memory(error, "drawing a picture");
    else if (end != NO_ERROR)
        status = dlq_error_add(error, DLQ_FAILURE, "cannot %s gnuplot: %s", end == ABSENT ? "start" : "talk to",
                               strerror(child.reason));
    else if (child.status == 0)
        status = dlq_error_add(error, DLQ_FAILURE, "gnuplot printed %zu bytes that are not a whole %s picture%s",
                               child.size, format, words);
    else
        status = dlq_error_add(error, DLQ_FAILURE, "gnuplot %s %d%s",
                               WIFSIGNALED(child.status) ? "was killed by signal" : "failed with exit status",
                               WIFSIGNALED(child.status) ? WTERMSIG(child.status) : WEXITSTATUS(child.status), words);
    free(child.bytes);
    return status;
}

enum dlq_status dlq_gif_pack(struct dlq_image *image, const volatile sig_atomic_t *interrupted, struct dlq_error *error)
{
    static const char *const arguments[] = {"gifsicle", "--no-warnings", "-O3", NULL};
    static const double gifsicle_seconds = 60;
    struct child child;
    enum child_end end =
        run_child(&child, arguments, (const char *)image->bytes, image->size, gifsicle_seconds, interrupted);
    if (end == NO_ERROR && child.status == 0 && child.size < image->size &&
        dlq_picture_is_whole("gif", child.bytes, child.size)) {
        unsigned char *unpacked = image->bytes;
        image->bytes = child.bytes;
        image->size = child.size;
        child.bytes = unpacked;
    }
    free(child.bytes);
    return end != INTERRUPTED ? DLQ_OK
                              : dlq_error_add(error, DLQ_INTERRUPTED, "interrupted while gifsicle was packing");
}
