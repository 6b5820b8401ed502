#include "harness.h"

#include "draw/file.h"
#include "draw/scratch.h"

#include <fcntl.h>

enum { TEXT = 4096 };

/* Writes `text` to path; the status of the first step that fails. */
static enum dlq_status put_as(const char *path, bool product, const char *text, struct dlq_error *error)
{
    struct dlq_file file;
    enum dlq_status status = dlq_file_begin(&file, path, product, error);
    if (status == DLQ_OK) {
        fputs(text, file.stream);
        status = dlq_file_commit(&file, error);
    }
    dlq_file_abandon(&file);
    CHECK(file.stream == NULL && file.path == NULL && file.temporary == NULL, "%s: left over", path);
    return status;
}

static enum dlq_status put(const char *path, const char *text, struct dlq_error *error)
{
    return put_as(path, false, text, error);
}

static void check_text(const char *path, const char *want)
{
    char text[TEXT];
    const char *got = scratch_read(path, text, sizeof text);
    CHECK(strcmp(got, want) == 0, "%s holds '%s', expected '%s'", path, got, want);
}

static void test_whole(void)
{
    SCRATCH(scratch);
    char path[SCRATCH_PATH], name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    const char *const names[] = {"result.csv", "a b'\"$`.png", "-rf", "\xc2\xb5.svg", name, ".hidden", "x.tmp"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct dlq_error error = {0};
        scratch_path(&scratch, names[i], path);
        enum dlq_status first = put(path, "old", &error);
        enum dlq_status second = put(path, "new\n", &error);
        CHECK(first == DLQ_OK && second == DLQ_OK && error.count == 0, "%s: %s", path, error.text);
        check_text(path, "new\n");
        CHECK_INT(scratch_entries(scratch.path), i + 1);
    }
}

/* In between the old file is whole, and the new ones have names of their own. */
static void test_between(void)
{
    SCRATCH(scratch);
    char path[SCRATCH_PATH];
    struct dlq_file one = {0}, two = {0};
    struct dlq_error error = {0};
    struct stat about;
    scratch_write(scratch_path(&scratch, "result", path), "old");
    mode_t before = umask(0027);
    bool begun =
        dlq_file_begin(&one, path, false, &error) == DLQ_OK && dlq_file_begin(&two, path, false, &error) == DLQ_OK;
    umask(before);
    CHECK(begun, "%s", error.text);
    if (!begun)
        return;
    CHECK_INT(scratch_entries(scratch.path), 3);
    CHECK(strncmp(one.temporary, one.path, strlen(one.path)) == 0 && strlen(one.temporary) == strlen(one.path) + 11 &&
              strcmp(strrchr(one.temporary, '.'), ".tmp") == 0,
          "%s", one.temporary);
    CHECK((fcntl(fileno(one.stream), F_GETFD) & FD_CLOEXEC) != 0, "inherited by children");
    fputs("one", one.stream);
    fputs("two", two.stream);
    fflush(one.stream);
    check_text(path, "old");
    enum dlq_status second = dlq_file_commit(&two, &error);
    check_text(path, "two");
    enum dlq_status first = dlq_file_commit(&one, &error);
    check_text(path, "one");
    CHECK(first == DLQ_OK && second == DLQ_OK, "%s", error.text);
    CHECK(stat(path, &about) == 0 && (about.st_mode & 0777) == 0640, "mode %o", about.st_mode & 0777U);
    CHECK_INT(scratch_entries(scratch.path), 1);
}

static void test_abandon(void)
{
    SCRATCH(scratch);
    char path[SCRATCH_PATH];
    struct dlq_file file;
    struct dlq_error error = {0};
    scratch_write(scratch_path(&scratch, "result", path), "old");
    enum dlq_status status = dlq_file_begin(&file, path, false, &error);
    CHECK(status == DLQ_OK, "%s", error.text);
    fputs("half", file.stream);
    dlq_file_abandon(&file);
    dlq_file_abandon(&file);
    status = dlq_file_commit(&file, &error);
    CHECK(status == DLQ_FAILURE, "an abandoned file was committed");
    check_text(path, "old");
    CHECK_INT(scratch_entries(scratch.path), 1);
}

/* Paths below the scratch directory, or absolute ones. */
static void test_refused(void)
{
    static const struct {
        const char *path, *message;
    } cases[] = {
        {"", "Is a directory"},
        {"directory", "Is a directory (name a file in it)"},
        {"directory/", "Is a directory"},
        {"to-directory", "Is a directory"},
        {"missing/result", "No such file or directory (create the directory first)"},
        {"missing/", "No such file or directory"},
        {"old/result", "Not a directory (a part of the path is a file)"},
        {"circle", "(the symbolic links lead in a circle)"},
        {"to-missing", "No such file or directory"},
        {"new\nline", "new?line: Invalid argument (names may hold no control characters)"},
        {"\x7f", "control characters"},
        {"/proc/nosuch", "cannot write /proc/nosuch: No such file or directory"},
        {"/sys/nosuch", "cannot write /sys/nosuch: "}, /* takes no new files, of root neither */
        {NULL, "File name too long (choose a shorter name)"},
    };
    SCRATCH(scratch);
    char path[SCRATCH_PATH], name[301];
    memset(name, 'n', 300);
    name[300] = '\0';
    scratch_shell(&scratch,
                  "mkdir directory && ln -s directory to-directory && ln -s circle circle && printf old > old "
                  "&& ln -s missing/x to-missing");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *own = cases[i].path != NULL ? cases[i].path : name;
        struct dlq_error error = {0};
        enum dlq_status status = put(own[0] == '/' ? own : scratch_path(&scratch, own, path), "new", &error);
        CHECK(status == DLQ_FAILURE && error.count == 1, "case %zu was written", i);
        CHECK(strstr(error.text, cases[i].message) != NULL, "case %zu: %s", i, error.text);
        CHECK(scratch_entries(scratch.path) == 5, "case %zu left a file", i);
    }
    struct dlq_error empty = {0};
    enum dlq_status status = put("", "new", &empty);
    CHECK(status == DLQ_FAILURE, "the empty name was written");
    check_text(scratch_path(&scratch, "old", path), "old");
}

static void test_links(void)
{
    static const struct {
        const char *link, *content, *target;
    } cases[] = {
        {"near", "target", "target"},
        {"far", "directory/deep", "directory/deep"},
        {"chain", "near", "target"},
        {"directory/up", "../new", "new"},
    };
    SCRATCH(scratch);
    char path[SCRATCH_PATH], target[SCRATCH_PATH], about[SCRATCH_PATH];
    CHECK(mkdir(scratch_path(&scratch, "directory", path), 0777) == 0, "set up");
    scratch_write(scratch_path(&scratch, "target", path), "old");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct dlq_error error = {0};
        scratch_path(&scratch, cases[i].link, path);
        CHECK(symlink(cases[i].content, path) == 0, "link %s", path);
        enum dlq_status status = put(path, cases[i].link, &error);
        CHECK(status == DLQ_OK, "%s: %s", cases[i].link, error.text);
        check_text(scratch_path(&scratch, cases[i].target, target), cases[i].link);
        CHECK(readlink(path, about, sizeof about) > 0, "%s is no link any more", path);
    }
}

/* A name that we made up: what has it is replaced, and what it led to stays. */
static void test_products(void)
{
    static const char *const commands[] = {"ln -s target product", "ln -s missing product", "ln -s /dev/full product",
                                           "mkfifo product", "printf old > product"};
    SCRATCH(scratch);
    char path[SCRATCH_PATH], target[SCRATCH_PATH];
    scratch_write(scratch_path(&scratch, "target", target), "old");
    scratch_path(&scratch, "product", path);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct dlq_error error = {0};
        struct stat about;
        unlink(path);
        scratch_shell(&scratch, commands[i]);
        enum dlq_status status = put_as(path, true, "new", &error);
        CHECK(status == DLQ_OK, "%s: %s", commands[i], error.text);
        CHECK(lstat(path, &about) == 0 && S_ISREG(about.st_mode), "%s: no file of its own", commands[i]);
        check_text(path, "new");
        check_text(target, "old");
        CHECK_INT(scratch_entries(scratch.path), 2);
    }
    struct dlq_error error = {0};
    enum dlq_status status = put_as(scratch.path, true, "new", &error);
    CHECK(status == DLQ_FAILURE && strstr(error.text, "Is a directory (name") != NULL, "%s", error.text);
}

/* What a stranger planted in a directory that all share leads nowhere, be it the file or a directory on its way. */
static void test_planted(void)
{
    static const struct {
        const char *path;
        bool refused, refused_product;
    } cases[] = {
        {"shared/file", true, false},
        {"shared/directory/new", true, true},
        {"shared/own", false, false},
        {"own/file", true, false},
        {"own/directory/new", true, true},
        {"shared/roots", false, false},
        {"apart/file", false, false},
        {"shared/through", true, false},
        {"shared/own-directory/new", false, false},
        {"shared/directory/../x", true, true},
    };
    enum { STRANGER = 4242, OWNER = 4243 };
    SCRATCH(scratch);
    char path[SCRATCH_PATH], target[SCRATCH_PATH], command[2 * SCRATCH_PATH];
    if (geteuid() != 0)
        test_skip("only root can plant a link of somebody else");
    scratch_path(&scratch, "target", target);
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        bool product = i % 2 != 0;
        snprintf(
            command, sizeof command,
            "rm -rf * && mkdir shared apart real && chmod 1777 shared && chown %d shared && printf old > "
            "target && ln -s shared own && ln -s ../target shared/own && ln -s ../real shared/own-directory && for i "
            "in shared apart; do ln -s ../target $i/file; ln -s ../real $i/directory; done && ln -s ../target "
            "shared/roots && ln -s file shared/through && chown -h %d */file */directory && chown -h %d shared/roots",
            OWNER, STRANGER, OWNER);
        scratch_shell(&scratch, command);
        const char *name = cases[i / 2].path;
        bool refused = product ? cases[i / 2].refused_product : cases[i / 2].refused;
        struct dlq_error error = {0};
        scratch_path(&scratch, name, path);
        enum dlq_status status = put_as(path, product, "new", &error);
        CHECK(status == (refused ? DLQ_FAILURE : DLQ_OK), "%s, %d: %s", name, product, error.text);
        CHECK(!refused || strstr(error.text, "belongs to somebody else, in a directory that all share") != NULL, "%s",
              error.text);
        bool led = !refused && !product && strstr(name, "directory") == NULL;
        check_text(target, led ? "new" : "old");
        CHECK(!refused || scratch_entries(scratch_path(&scratch, "real", target)) == 0, "%s: written", name);
        scratch_path(&scratch, "target", target);
    }
    struct dlq_error error = {0};
    enum dlq_status status = dlq_file_directory(scratch_path(&scratch, "shared/directory/plots", path), &error);
    CHECK(status == DLQ_FAILURE && strstr(error.text, "is not followed") != NULL, "directory: %s", error.text);
    CHECK_INT(scratch_entries(scratch_path(&scratch, "real", path)), 0);
}

static void test_devices(void)
{
    SCRATCH(scratch);
    char path[SCRATCH_PATH], text[TEXT];
    struct dlq_error error = {0};
    enum dlq_status status = put("/dev/null", "gone", &error);
    struct stat about;
    CHECK(status == DLQ_OK && stat("/dev/null", &about) == 0 && S_ISCHR(about.st_mode), "/dev/null: %s", error.text);
    status = put("/dev/full", "some", &error);
    CHECK(status == DLQ_FAILURE && stat("/dev/full", &about) == 0 && S_ISCHR(about.st_mode), "/dev/full");
    CHECK_TEXT(error.text, "cannot write /dev/full: No space left on device (free some space or choose another place)");
    CHECK(mkfifo(scratch_path(&scratch, "pipe", path), 0600) == 0, "set up");
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    error = (struct dlq_error){0};
    status = put(path, "through", &error);
    ssize_t size = read(reader, text, sizeof text);
    close(reader);
    CHECK(status == DLQ_OK && size == 7 && memcmp(text, "through", 7) == 0, "FIFO: %s", error.text);
    CHECK_INT(scratch_entries(scratch.path), 1);
    /* A descriptor's name in /proc appends to what is open there, as "/dev/stdout" does where it is a file. */
    scratch_write(scratch_path(&scratch, "log", path), "before ");
    int fd = open(path, O_WRONLY | O_APPEND);
    snprintf(text, sizeof text, "/proc/self/fd/%d", fd);
    CHECK(put(text, "after", &error) == DLQ_OK, "%s", error.text);
    close(fd);
    check_text(path, "before after");
    /* One that comes while the file is written; only root can make one. */
    struct dlq_file file;
    status = dlq_file_begin(&file, scratch_path(&scratch, "late", path), false, &error);
    CHECK(status == DLQ_OK, "%s", error.text);
    scratch_shell(&scratch, "mknod late c 1 3 2>/dev/null || true");
    if (lstat(path, &about) == 0) {
        CHECK(dlq_file_commit(&file, &error) == DLQ_FAILURE, "a device is replaced");
        CHECK(lstat(path, &about) == 0 && S_ISCHR(about.st_mode), "no device any more");
    }
    dlq_file_abandon(&file);
}

/* The disk was full for a while: what was lost then is not forgotten when the last flush succeeds. */
static void test_write_failed(void)
{
    SCRATCH(scratch);
    char path[SCRATCH_PATH];
    struct dlq_file file;
    struct dlq_error error = {0};
    scratch_write(scratch_path(&scratch, "result", path), "old");
    enum dlq_status status = dlq_file_begin(&file, path, false, &error);
    int good = dup(fileno(file.stream));
    int device = open("/dev/full", O_WRONLY);
    CHECK(status == DLQ_OK && dup2(device, fileno(file.stream)) >= 0, "set up");
    fputs("lost", file.stream);
    int failed = fflush(file.stream);
    CHECK(failed != 0 && dup2(good, fileno(file.stream)) >= 0, "set up");
    close(device);
    close(good);
    status = dlq_file_commit(&file, &error);
    CHECK(status == DLQ_FAILURE, "committed what was lost");
    check_text(path, "old");
    CHECK_INT(scratch_entries(scratch.path), 1);
}

/* Failures between begin and commit. */
static void test_commit_fails(void)
{
    static const char *const changes[] = {"rm -f result && mkdir -p result/x", "rm -f result.*.tmp"};
    SCRATCH(scratch);
    char path[SCRATCH_PATH];
    struct dlq_file file;
    scratch_path(&scratch, "result", path);
    for (int full = 0; full < 2; full++) {
        struct dlq_error error = {0};
        scratch_write(path, "old");
        enum dlq_status status = dlq_file_begin(&file, path, false, &error);
        int device = open("/dev/full", O_WRONLY);
        CHECK(status == DLQ_OK && dup2(device, fileno(file.stream)) >= 0, "set up");
        close(device);
        for (int i = 0; i < (full ? 100000 : 1); i++)
            fputs("new", file.stream);
        status = dlq_file_commit(&file, &error);
        CHECK(status == DLQ_FAILURE && strstr(error.text, path) != NULL, "full disk: %s", error.text);
        check_text(path, "old");
        CHECK_INT(scratch_entries(scratch.path), 1);
    }
    for (size_t i = 0; i < 2; i++) {
        struct dlq_error error = {0};
        scratch_shell(&scratch, "rm -rf result && printf old > result");
        enum dlq_status status = dlq_file_begin(&file, path, false, &error);
        CHECK(status == DLQ_OK, "%s", error.text);
        scratch_shell(&scratch, changes[i]);
        status = dlq_file_commit(&file, &error);
        CHECK(status == DLQ_FAILURE && error.count == 1, "change %zu: %s", i, error.text);
        CHECK_INT(scratch_entries(scratch.path), 1);
    }
    check_text(path, "old");
}

static void test_directory(void)
{
    static const struct {
        const char *path, *message; /* null: works */
    } cases[] = {
        {"plots", NULL},
        {"plots", NULL},
        {"a/b//c/", NULL},
        {"file", "Not a directory"},
        {"file/x", "Not a directory"},
        {"a\nb", "control characters"},
        {"/", NULL},
        {"/proc/nosuch/x", "cannot write /proc/nosuch/x: "},
        {"/proc", "cannot write /proc: "},
    };
    SCRATCH(scratch);
    char path[SCRATCH_PATH];
    scratch_write(scratch_path(&scratch, "file", path), "");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct dlq_error error = {0};
        const char *own = cases[i].path[0] == '/' ? cases[i].path : scratch_path(&scratch, cases[i].path, path);
        enum dlq_status status = dlq_file_directory(own, &error);
        CHECK(status == (cases[i].message == NULL ? DLQ_OK : DLQ_FAILURE), "%s: %s", own, error.text);
        CHECK(cases[i].message == NULL || strstr(error.text, cases[i].message) != NULL, "%s", error.text);
        CHECK(cases[i].message != NULL || own[1] == '\0' || scratch_entries(own) == 0, "%s is not empty", own);
    }
    struct dlq_error empty = {0};
    enum dlq_status status = dlq_file_directory("", &empty);
    CHECK(status == DLQ_FAILURE, "the empty name");
    CHECK_INT(scratch_entries(scratch.path), 3);
}

static void test_names(void)
{
    static const struct {
        const char *path, *stem;
    } stems[] = {{"configs/resnet.ini", "resnet"},
                 {"resnet", "resnet"},
                 {"-", "stdin"},
                 {"a.tar.gz", "a.tar"},
                 {".hidden", ".hidden"},
                 {"x/.y.ini", ".y"},
                 {"a.b/c", "c"},
                 {"d/e.f/", "e"},
                 {"", ""},
                 {"/", ""},
                 {"/tmp/-.ini", "-"},
                 {"x.", "x"}};
    for (size_t i = 0; i < sizeof stems / sizeof stems[0]; i++) {
        FREED char *stem = dlq_file_stem(stems[i].path);
        CHECK(strcmp(stem, stems[i].stem) == 0, "'%s': '%s', expected '%s'", stems[i].path, stem, stems[i].stem);
    }
}

TEST_SUITE(file, CASE(test_whole), CASE(test_between), CASE(test_abandon), CASE(test_refused), CASE(test_links),
           CASE(test_products), CASE(test_planted), CASE(test_devices), CASE(test_write_failed),
           CASE(test_commit_fails), CASE(test_directory), CASE(test_names));
