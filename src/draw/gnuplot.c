/* gnuplot as a process: texts as its literals, the run, and whether a whole picture came of it; and the colors that all
   pictures share. */
#include "draw/gnuplot.h"

#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 512, MESSAGE_LINES = 3, MOST_CHARACTERS = 600, OCTAL = 5, ELLIPSIS = 0x2026 };

/* Seven of the nine "muted" colors of Paul Tol's schemes (2021), without the two reds, which would pass for stalls. */
static const unsigned workers[] = {0x332288, 0x88ccee, 0x44aa99, 0x117733, 0xddcc77, 0xaa4499, 0x999933};
enum { WORKERS = sizeof workers / sizeof *workers };

/* Of the colors that come again: paler, and still apart from one another and from white. */
static const double paler = 0.55;

unsigned dlq_palette_worker(long worker)
{
    if (worker < 0) /* unknown */
        return DLQ_PALETTE_OVERHEAD;
    unsigned color = workers[worker % WORKERS];
    return worker / WORKERS % 2 == 0 ? color : dlq_palette_blend(color, 0xffffff, paler);
}

/* Relative luminance of WCAG 2.1: 0 of black, 1 of white, 0.0722 of pure blue. */
static double luminance(unsigned color)
{
    static const double weights[] = {0.0722, 0.7152, 0.2126};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double part = (color >> 8 * i & 0xff) / 255.0;
        sum += weights[i] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

/* The contrast of two colors is (L + 0.05) / (L' + 0.05), the lighter one above. */
unsigned dlq_palette_ink(unsigned color)
{
    double light = luminance(color) + 0.05;
    return 1.05 / light > light / 0.05 ? 0xffffff : 0x000000;
}

unsigned dlq_palette_blend(unsigned color, unsigned under, double opacity)
{
    unsigned blend = 0;
    double share = opacity > 0 ? fmin(opacity, 1) : 0;
    for (unsigned shift = 0; shift < 24; shift += 8) {
        double upper = color >> shift & 0xff, lower = under >> shift & 0xff;
        blend |= (unsigned)lround(share * upper + (1 - share) * lower) << shift;
    }
    return blend;
}

/* Whole blocks that DejaVu Sans 2.37 has (its table cmap). */
static bool is_in_font(unsigned point)
{
    static const struct {
        unsigned first, last;
    } blocks[] = {{0x20, 0x7e},     {0xa0, 0x2e9},    {0x300, 0x34f},   {0x38e, 0x3a1},   {0x3a3, 0x525},
                  {0x1e00, 0x1efb}, {0x2000, 0x2064}, {0x2074, 0x208e}, {0x20a0, 0x20b5}, {0x210b, 0x2149},
                  {0x2150, 0x2185}, {0x2190, 0x2311}, {0x2500, 0x269c}, {0x2761, 0x2794}, {0x27f0, 0x28ff}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (point >= blocks[i].first && point <= blocks[i].last)
            return true;
    return false;
}

/* Control characters end commands, and those of C1 and the two noncharacters make an SVG malformed or unreadable.
   gnuplot 5.4 reads four octal digits after a leading 0 and else three: "\0047" is a quote, "\134" a backslash. */
char *dlq_gnuplot_quote(const char *text, bool in_font)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,.:;=+()/-";
    char *quoted = malloc(MOST_CHARACTERS * DLQ_UTF8_BYTES * OCTAL + sizeof "\"\"");
    if (quoted == NULL)
        return NULL;
    char *out = quoted;
    *out++ = '"';
    for (int count = 1; *text != '\0' && count <= MOST_CHARACTERS; count++) {
        char bytes[DLQ_UTF8_BYTES];
        unsigned point;
        text += dlq_utf8_next(text, &point);
        if (count == MOST_CHARACTERS && *text != '\0')
            point = ELLIPSIS;
        else if (point < 0x20 || (point >= 0x7F && point < 0xA0 && !in_font))
            point = ' ';
        else if (point == 0xFFFE || point == 0xFFFF || (in_font && !is_in_font(point)))
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

/* -- child processes: files in memory are their streams, which nobody has to serve while they run -- */

enum { MOST_OUTPUT = 64 << 20, TAIL = 4096 };

struct program {
    const char *const *arguments; /* its name first, which is looked for in PATH; ended by null */
    const char *package, *doing;  /* for messages: "gnuplot-nox", "drawing" */
};

struct child {
    unsigned char *bytes; /* standard output and a NUL behind it, or null; owned, whatever the status: free() */
    size_t size;
    char tail[TAIL + 1]; /* the end of standard error */
    int status;          /* of waitpid */
    int reason;          /* an errno: why it could not be run */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Above 2, so that the child's standard streams never collide with it where ours are closed; -1 with errno. */
static int open_stream(void)
{
    int low = memfd_create("dlqueue", MFD_CLOEXEC);
    int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), reason = errno;
    if (low >= 0)
        close(low);
    errno = reason;
    return high;
}

/* Ours without GNUTERM, in allocated memory: gnuplot sets that terminal before it reads anything, and 5.4 dies of one
   that it was built without. Null: no memory. */
static char **child_environment(void)
{
    static const char unwanted[] = "GNUTERM=";
    size_t count = 0, kept = 0;
    while (environ != NULL && environ[count] != NULL)
        count++;
    char **names = calloc(count + 1, sizeof *names);
    for (size_t i = 0; names != NULL && i < count; i++)
        if (strncmp(environ[i], unwanted, strlen(unwanted)) != 0)
            names[kept++] = environ[i];
    return names;
}

/* SIGPIPE, SIGINT, SIGTERM as a program expects them, whatever ours do. Returns 0 or an errno. */
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
        char **environment = child_environment();
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &defaults);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
        reason = environment == NULL ? ENOMEM : 0;
        for (int i = 0; i < 3 && reason == 0; i++)
            reason = posix_spawn_file_actions_adddup2(&actions, streams[i], i);
        if (reason == 0)
            reason = posix_spawnp(pid, arguments[0], &actions, &attributes, (char *const *)arguments, environment);
        free(environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

static off_t size_of(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 ? about.st_size : 0;
}

/* Until the child has ended, or is interrupted, late, or prints too much: then false, and it is killed. So is what it
   started. Where the caller ignores SIGCHLD its status is lost; then it counts as 0 and what was printed decides. */
static bool await(struct child *child, pid_t pid, const int streams[3], double deadline,
                  const volatile sig_atomic_t *interrupted)
{
    static const struct timespec nap = {0, 2000000};
    bool ended = false;
    while (!ended && (interrupted == NULL || *interrupted == 0) && now() < deadline &&
           size_of(streams[1]) + size_of(streams[2]) <= MOST_OUTPUT) {
        pid_t reaped = waitpid(pid, &child->status, WNOHANG);
        ended = reaped == pid || (reaped < 0 && errno != EINTR);
        if (!ended)
            nanosleep(&nap, NULL);
    }
    kill(-pid, SIGKILL);
    while (!ended && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return ended;
}

/* All of standard output, the end of standard error, NULs blanked. Returns 0 or an errno. */
static int collect(struct child *child, const int streams[3])
{
    size_t size = (size_t)size_of(streams[1]), noise = (size_t)size_of(streams[2]);
    size_t kept = noise < TAIL ? noise : TAIL;
    child->bytes = malloc(size + 1);
    if (child->bytes == NULL)
        return ENOMEM;
    if (pread(streams[1], child->bytes, size, 0) != (ssize_t)size ||
        pread(streams[2], child->tail, kept, (off_t)(noise - kept)) != (ssize_t)kept)
        return errno != 0 ? errno : EIO;
    child->size = size;
    child->bytes[size] = '\0';
    for (size_t i = 0; i < kept; i++)
        child->tail[i] = (char)(child->tail[i] == '\0' ? ' ' : child->tail[i]);
    return 0;
}

/* Starts the program in a process group of its own, signals at their defaults, the text as its standard input; collects
   and reaps. DLQ_OK: it ended by itself, as `status` says. However it ends, the child is gone. */
static enum dlq_status run_child(struct child *child, const struct program *program, const void *text, size_t size,
                                 double timeout_seconds, const volatile sig_atomic_t *interrupted,
                                 struct dlq_error *error)
{
    int streams[3] = {-1, -1, -1};
    const char *name = program->arguments[0], *verb = "start";
    pid_t pid;
    bool ended = true;
    *child = (struct child){.bytes = NULL};
    for (int i = 0; i < 3 && child->reason == 0; i++)
        if ((streams[i] = open_stream()) < 0)
            child->reason = errno;
    errno = EFBIG; /* a part is written where the limit on file sizes is in between */
    if (child->reason == 0 && pwrite(streams[0], text, size, 0) != (ssize_t)size)
        child->reason = errno;
    if (child->reason == 0)
        child->reason = spawn(&pid, program->arguments, streams);
    if (child->reason == 0) {
        verb = "talk to";
        ended = await(child, pid, streams, now() + timeout_seconds, interrupted);
        child->reason = ended ? collect(child, streams) : 0;
    }
    bool much = size_of(streams[1]) + size_of(streams[2]) > MOST_OUTPUT;
    for (int i = 0; i < 3; i++)
        if (streams[i] >= 0)
            close(streams[i]);
    if (!ended && interrupted != NULL && *interrupted != 0)
        return dlq_error_add(error, DLQ_INTERRUPTED, "interrupted while %s was %s", name, program->doing);
    if (much)
        return dlq_error_add(error, DLQ_FAILURE, "%s printed more than %d MiB and was stopped", name,
                             MOST_OUTPUT >> 20);
    if (!ended)
        return dlq_error_add(error, DLQ_FAILURE, "%s did not finish within %g s and was stopped", name,
                             timeout_seconds);
    if (child->reason == ENOMEM)
        return dlq_error_memory(error, "drawing a picture");
    if (child->reason == ENOENT)
        return dlq_error_add(error, DLQ_FAILURE, "%s not found; install it: apt-get install %s", name,
                             program->package);
    if (child->reason != 0)
        return dlq_error_add(error, DLQ_FAILURE, "cannot %s %s: %s", verb, name, strerror(child->reason));
    return DLQ_OK;
}

/* -- pictures -- */

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

static const struct form *find_form(const char *format)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(forms[i].name, format) == 0)
            return &forms[i];
    return NULL;
}

bool dlq_picture_is_whole(const char *format, const unsigned char *bytes, size_t size)
{
    const struct form *form = find_form(format);
    if (form == NULL || bytes == NULL)
        return false;
    while (form->blanks && size > 0 && strchr(" \t\r\n", bytes[size - 1]) != NULL && bytes[size - 1] != '\0')
        size--;
    return size >= form->head_size + form->tail_size && memcmp(bytes, form->head, form->head_size) == 0 &&
           memcmp(bytes + size - form->tail_size, form->tail, form->tail_size) == 0;
}

/* The last lines of standard error with something in them, gnuplot's carets being nothing, as one:
   ": gnuplot> plot x; undefined variable: x". Cuts the text up. */
static void own_words(char *tail, char message[MESSAGE])
{
    static const char blanks[] = " \t\r\v\f^";
    message[0] = '\0';
    for (int lines = 0; lines < MESSAGE_LINES && tail[0] != '\0';) {
        char rest[MESSAGE], *end = strrchr(tail, '\n'), *line = end != NULL ? end + 1 : tail;
        line += strspn(line, blanks);
        for (size_t length = strlen(line); length > 0 && strchr(blanks, line[length - 1]) != NULL;)
            line[--length] = '\0';
        snprintf(rest, sizeof rest, "%s", message);
        if (line[0] != '\0' && lines++ >= 0)
            snprintf(message, MESSAGE, "; %.*s%.*s", MESSAGE / 2, line, MESSAGE / 2 - 4, rest);
        *(end != NULL ? end : tail) = '\0';
    }
    message[0] = message[0] == ';' ? ':' : '\0';
}

enum dlq_status dlq_gnuplot_run(const char *script, const char *format, double timeout_seconds,
                                const volatile sig_atomic_t *interrupted, struct dlq_image *image,
                                struct dlq_error *error)
{
    static const char *const arguments[] = {"gnuplot", "-d", "-", NULL};
    static const struct program gnuplot = {arguments, "gnuplot-nox", "drawing"};
    struct child child;
    char words[MESSAGE];
    if (find_form(format) == NULL)
        return dlq_error_add(error, DLQ_INVALID, "'%s' is not a picture format (png, svg, pdf, gif)", format);
    enum dlq_status status = run_child(&child, &gnuplot, script, strlen(script), timeout_seconds, interrupted, error);
    /* An exit status of 0 is no proof of a picture: gnuplot has it after many a failed write. */
    if (status == DLQ_OK && child.status == 0 && dlq_picture_is_whole(format, child.bytes, child.size)) {
        *image = (struct dlq_image){child.bytes, child.size, strstr(child.tail, DLQ_GNUPLOT_NO_FONT) != NULL};
        return DLQ_OK;
    }
    own_words(child.tail, words);
    if (status == DLQ_OK && child.status == 0)
        status = dlq_error_add(error, DLQ_FAILURE, "gnuplot printed %zu bytes that are not a whole %s picture%s",
                               child.size, format, words);
    else if (status == DLQ_OK && WIFSIGNALED(child.status))
        status = dlq_error_add(error, DLQ_FAILURE, "gnuplot was killed by signal %d%s", WTERMSIG(child.status), words);
    else if (status == DLQ_OK)
        status =
            dlq_error_add(error, DLQ_FAILURE, "gnuplot failed with exit status %d%s", WEXITSTATUS(child.status), words);
    free(child.bytes);
    return status;
}

/* What was packed takes the place of the whole, if it is a GIF and smaller. */
enum dlq_status dlq_gif_pack(struct dlq_image *image, const volatile sig_atomic_t *interrupted, struct dlq_error *error)
{
    static const char *const arguments[] = {"gifsicle", "--no-warnings", "-O3", NULL};
    static const struct program gifsicle = {arguments, "gifsicle", "packing"};
    struct child child;
    struct dlq_error own = {0};
    enum dlq_status status = run_child(&child, &gifsicle, image->bytes, image->size, 60, interrupted, &own);
    bool absent = child.reason == ENOENT || child.reason == EACCES;
    if (status == DLQ_OK && child.status == 0 && child.size < image->size &&
        dlq_picture_is_whole("gif", child.bytes, child.size)) {
        unsigned char *whole = image->bytes;
        image->bytes = child.bytes;
        image->size = child.size;
        child.bytes = whole;
    }
    free(child.bytes);
    if (status == DLQ_INTERRUPTED || (child.reason != 0 && !absent))
        return dlq_error_add(error, status, "%s", own.text);
    return DLQ_OK;
}
