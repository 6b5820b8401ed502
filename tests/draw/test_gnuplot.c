#include "harness.h"

#include "draw/gnuplot.h"
#include "draw/scratch.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define WHOLE_PNG "printf '\\211PNG\\r\\n\\032\\n\\0\\0\\0\\0IEND\\256B\\140\\202'"

/* The same open files, no child left, the same signals as before. */
struct leaks {
    int files;
    sigset_t mask;
};

static struct leaks look(void)
{
    struct leaks leaks = {.files = scratch_entries("/proc/self/fd")};
    pthread_sigmask(SIG_BLOCK, NULL, &leaks.mask);
    return leaks;
}

static void check_leaks(const struct leaks *before, const char *name)
{
    struct leaks after = look();
    CHECK(after.files == before->files, "%s: %d files open, were %d", name, after.files, before->files);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "%s: a child is left", name);
    for (int signal = 1; signal < 32; signal++)
        CHECK(sigismember(&after.mask, signal) == sigismember(&before->mask, signal), "%s: signal %d", name, signal);
}

static const struct {
    const char *name, *body;
    enum dlq_status status;
    const char *message;
} fakes[] = {
    {"picture", "cat > /dev/null; " WHOLE_PNG, DLQ_OK, ""},
    {"noise and picture", "yes noise | head -c 1000000 >&2; cat > /dev/null; " WHOLE_PNG, DLQ_OK, ""},
    {"picture before reading", WHOLE_PNG "; cat > /dev/null", DLQ_OK, ""},
    {"reads all", "n=$(wc -c); test $n = 300000 -o $n = 7 && " WHOLE_PNG, DLQ_OK, ""},
    {"fails", "cat > /dev/null; printf 'warning: x\\n\\n   ^\\n  line 7: bad thing\\n\\n' >&2; exit 1", DLQ_FAILURE,
     "gnuplot failed with exit status 1: warning: x; line 7: bad thing"},
    {"fails with a picture", "cat > /dev/null; " WHOLE_PNG "; exit 1", DLQ_FAILURE, "exit status 1"},
    {"noise and failure", "yes noise | head -c 1200000 >&2; echo last words >&2; exit 2", DLQ_FAILURE,
     "status 2: noise; noise; last words"},
    {"killed", "kill -9 $$", DLQ_FAILURE, "killed by signal 9"},
    {"SIGPIPE is its own again", "kill -13 $$; exit 0", DLQ_FAILURE, "killed by signal 13"},
    {"half a picture", "cat > /dev/null; printf '\\211PNG\\r\\n\\032\\nIDAT'", DLQ_FAILURE,
     "12 bytes that are not a whole png picture"},
    {"garbage", "cat > /dev/null; yes x | head -c 5000", DLQ_FAILURE, "5000 bytes that are not"},
    {"ignores its input", "exec < /dev/null; echo hm >&2", DLQ_FAILURE, "whole png picture: hm"},
    {"hangs", "cat > /dev/null; sleep 1000", DLQ_FAILURE, "did not finish within 0.4 s"},
    {"hangs closed", "exec >&- 2>&- <&-; sleep 1000", DLQ_FAILURE, "did not finish within 0.4 s"},
    {"leaves a child", "sleep 1000 & " WHOLE_PNG, DLQ_FAILURE, "did not finish within 0.4 s"},
};

/* A program of that name; null: there is none. */
static void write_fake(const struct scratch *scratch, const char *name, const char *body, mode_t mode)
{
    char path[SCRATCH_PATH], text[SCRATCH_PATH];
    unlink(scratch_path(scratch, name, path));
    if (body == NULL)
        return;
    snprintf(text, sizeof text, "#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n", body);
    scratch_write(path, text);
    CHECK(chmod(path, mode) == 0, "%s", path);
}

/* A script longer than a pipe holds, or a file of ours may be, so that a child that does not read makes us wait or get
 * SIGPIPE. */
static char *long_script(void)
{
    enum { SIZE = 300000 };
    char *script = malloc(SIZE + 1);
    if (script != NULL) {
        memset(script, '\n', SIZE);
        script[SIZE] = '\0';
    }
    return script;
}

static void check_fake(size_t i, const char *script)
{
    static const volatile sig_atomic_t calm = 0;
    bool hangs = strstr(fakes[i].message, "did not finish") != NULL;
    struct leaks before = look();
    struct dlq_error error = {0};
    unsigned char mine;
    struct dlq_image image = {.bytes = &mine, .size = 1};
    enum dlq_status status = dlq_gnuplot_run(script, "png", hangs ? 0.4 : 30, &calm, &image, &error);
    CHECK(status == fakes[i].status, "%s: %d %s", fakes[i].name, (int)status, error.text);
    CHECK(strstr(error.text, fakes[i].message) != NULL, "%s: '%s'", fakes[i].name, error.text);
    CHECK(error.count == (status == DLQ_OK ? 0 : 1), "%s: %d errors", fakes[i].name, error.count);
    if (status == DLQ_OK) {
        CHECK(image.size == 20 && dlq_picture_is_whole("png", image.bytes, image.size), "%s", fakes[i].name);
        CHECK(image.bytes[image.size] == '\0', "%s: no NUL behind the picture", fakes[i].name);
        free(image.bytes);
    } else {
        CHECK(image.bytes == &mine && image.size == 1, "%s: image touched", fakes[i].name);
    }
    check_leaks(&before, fakes[i].name);
}

/* Sets an environment variable; returns its value before, to be freed. */
static char *replace(const char *name, const char *value)
{
    const char *before = getenv(name);
    char *old = strdup(before != NULL ? before : "/");
    setenv(name, value, 1);
    return old;
}

static void restore(const char *name, char *old)
{
    setenv(name, old, 1);
    free(old);
}

static void test_fakes(void)
{
    SCRATCH(scratch);
    FREED char *script = long_script();
    void (*before)(int) = signal(SIGPIPE, SIG_DFL);
    struct rlimit files, small;
    CHECK(script != NULL && getrlimit(RLIMIT_FSIZE, &files) == 0, "set up");
    small = (struct rlimit){.rlim_cur = 1 << 16, .rlim_max = files.rlim_max};
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0, "no limit on files");
    char *old = replace("PATH", scratch.path);
    for (size_t i = 0; i < sizeof fakes / sizeof fakes[0]; i++) {
        write_fake(&scratch, "gnuplot", fakes[i].body, 0755);
        check_fake(i, script);
        check_fake(i, "plot x\n");
    }
    restore("PATH", old);
    signal(SIGPIPE, before);
    CHECK(setrlimit(RLIMIT_FSIZE, &files) == 0, "the limit stays");
}

/* Runs what `gnuplot` now is, without success, and looks for the message. */
static void check_failure(double timeout, const volatile sig_atomic_t *interrupted, enum dlq_status expected,
                          const char *message)
{
    struct dlq_image image = {0};
    struct dlq_error error = {0};
    enum dlq_status status = dlq_gnuplot_run("", "png", timeout, interrupted, &image, &error);
    CHECK(status == expected && error.status == expected, "%s: %d", message, (int)status);
    CHECK(strstr(error.text, message) != NULL && error.count == 1, "'%s', expected '%s'", error.text, message);
    CHECK(image.bytes == NULL && image.size == 0, "%s: image touched", message);
}

static bool is_running(long pid)
{
    char path[64], about[256];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    const char *state = strchr(scratch_read(path, about, sizeof about), ')');
    return state != NULL && strncmp(state, ") Z", 3) != 0;
}

/* Its whole group goes, not the shell alone. */
static void test_group(void)
{
    SCRATCH(scratch);
    char file[SCRATCH_PATH], body[2 * SCRATCH_PATH], text[64], *old = replace("PATH", scratch.path);
    scratch_path(&scratch, "pid", file);
    snprintf(body, sizeof body, "sleep 1000 & echo $! > %s; wait", file);
    write_fake(&scratch, "gnuplot", body, 0755);
    check_failure(1, NULL, DLQ_FAILURE, "did not finish within 1 s");
    long pid = strtol(scratch_read(file, text, sizeof text), NULL, 10);
    CHECK(pid > 1, "the fake's child has pid %ld", pid);
    for (int i = 0; i < 200 && is_running(pid); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    CHECK(!is_running(pid), "%ld is still running", pid);
    restore("PATH", old);
}

static void test_start(void)
{
    static const volatile sig_atomic_t raised = 1;
    SCRATCH(scratch);
    struct leaks before = look();
    char *old = replace("PATH", scratch.path);
    check_failure(5, NULL, DLQ_FAILURE, "gnuplot not found; install it: apt-get install gnuplot-nox");
    write_fake(&scratch, "gnuplot", "exit 0", 0644);
    check_failure(5, NULL, DLQ_FAILURE, "cannot start gnuplot: Permission denied");
    write_fake(&scratch, "gnuplot", "sleep 1000", 0755);
    check_failure(60, &raised, DLQ_INTERRUPTED, "interrupted");
    write_fake(&scratch, "gnuplot", "head -c 70000000 /dev/zero", 0755);
    check_failure(60, NULL, DLQ_FAILURE, "more than 64 MiB");
    restore("PATH", old);
    check_leaks(&before, "start");
}

/* The program itself, with a start file that would spoil everything. */
static void test_real(void)
{
    static const struct {
        const char *format, *script;
        enum dlq_status status;
    } cases[] = {
        {"png", "set term pngcairo size 320,240\nplot x\n", DLQ_OK},
        {"svg", "set term svg size 320,240\nplot x\n", DLQ_OK},
        {"pdf", "set term pdfcairo\nplot x\n", DLQ_OK},
        {"gif", "set term gif size 320,240\nplot x\n", DLQ_OK},
        {"png", "set term svg\nplot x\n", DLQ_FAILURE},
        {"png", "set term pngcairo\nplot nosuch\n", DLQ_FAILURE},
        {"png", "set term pngcairo size 320,240\nplot x\nnonsense\n", DLQ_FAILURE},
    };
    SCRATCH(home);
    char start[SCRATCH_PATH], *old = replace("HOME", home.path);
    scratch_write(scratch_path(&home, ".gnuplot", start), "set term dumb\nset output '/dev/null'\nexit\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct dlq_image image = {0};
        struct dlq_error error = {0};
        enum dlq_status status = dlq_gnuplot_run(cases[i].script, cases[i].format, 60, NULL, &image, &error);
        CHECK(status == cases[i].status, "%zu: %d %s", i, (int)status, error.text);
        CHECK((image.size > 500) == (status == DLQ_OK), "%zu: %zu bytes", i, image.size);
        if (strstr(cases[i].script, "nosuch") != NULL)
            CHECK(strstr(error.text, "undefined variable: nosuch") != NULL, "%s", error.text);
        free(image.bytes);
    }
    restore("HOME", old);
}

static void test_pictures(void)
{
    static const struct {
        const char *format, *bytes;
        size_t size;
        bool whole;
    } cases[] = {
        {"svg", "<?xml version='1.0'?><svg></svg>\n\n", 34, true},
        {"svg", "<?xml version='1.0'?><svg></svg>x", 33, false},
        {"svg", "<svg></svg>", 11, false},
        {"svg", "<?xml ?><svg>", 13, false},
        {"svg", "", 0, false},
        {"svg", "\n\n\n", 3, false},
        {"pdf", "%PDF-1.5\n%%EOF\n", 15, true},
        {"pdf", "%PDF-1.5\n%%EO", 13, false},
        {"gif", "GIF89a\x3b", 7, true},
        {"gif", "GIF89a;\n", 8, false},
        {"gif", "GIF8", 4, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK(dlq_picture_is_whole(cases[i].format, (const unsigned char *)cases[i].bytes, cases[i].size) ==
                  cases[i].whole,
              "case %zu (%s)", i, cases[i].format);
}

/* -- packing, by a gifsicle of our own making; the real one packs in the tests of animations -- */

static const char whole[] = "GIF89a, larger than what is packed;";

static const struct {
    const char *name, *body; /* null: there is no gifsicle */
    mode_t mode;
    const char *packed; /* null: left as it was */
} packers[] = {
    {"packs", "cat > /dev/null; printf 'GIF89a;'", 0755, "GIF89a;"},
    {"is told what to do", "cat > /dev/null; printf 'GIF8%s;' $2", 0755, "GIF8-O3;"},
    {"gets all of it", "printf 'GIF8%d;' $(wc -c)", 0755, "GIF835;"},
    {"not installed", NULL, 0, NULL},
    {"may not run", "exit 0", 0644, NULL},
    {"fails", "cat > /dev/null; printf 'GIF89a;'; exit 1", 0755, NULL},
    {"is killed", "kill -9 $$", 0755, NULL},
    {"half a GIF", "cat > /dev/null; printf 'GIF89a'", 0755, NULL},
    {"nothing", "cat > /dev/null", 0755, NULL},
    {"larger", "cat; printf 'and more;'", 0755, NULL},
};

static void check_packer(size_t i, const volatile sig_atomic_t *interrupted, enum dlq_status expected)
{
    struct dlq_image image = {.bytes = malloc(sizeof whole - 1), .size = sizeof whole - 1};
    struct dlq_error error = {0};
    const char *text = packers[i].packed == NULL || expected != DLQ_OK ? whole : packers[i].packed;
    memcpy(image.bytes, whole, image.size);
    enum dlq_status status = dlq_gif_pack(&image, interrupted, &error);
    CHECK(status == expected && error.count == (expected == DLQ_OK ? 0 : 1), "%s: %d %s", packers[i].name, status,
          error.text);
    CHECK(image.size == strlen(text) && memcmp(image.bytes, text, image.size) == 0, "%s: '%.*s'", packers[i].name,
          (int)image.size, (const char *)image.bytes);
    free(image.bytes);
}

static void test_pack(void)
{
    static const volatile sig_atomic_t calm = 0, interrupted = 1;
    SCRATCH(scratch);
    struct leaks before = look();
    char *old = replace("PATH", scratch.path);
    for (size_t i = 0; i < sizeof packers / sizeof *packers; i++) {
        write_fake(&scratch, "gifsicle", packers[i].body, packers[i].mode);
        check_packer(i, &calm, DLQ_OK);
    }
    write_fake(&scratch, "gifsicle", "sleep 1000", 0755);
    check_packer(0, &interrupted, DLQ_INTERRUPTED);
    restore("PATH", old);
    check_leaks(&before, "pack");
}

TEST_SUITE(gnuplot, CASE(test_fakes), CASE(test_group), CASE(test_start), CASE(test_real), CASE(test_pictures),
           CASE(test_pack));
