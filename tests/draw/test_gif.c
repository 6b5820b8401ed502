/* Packing of GIFs by a gifsicle of our own making; the real one packs in the tests of animations. */
#include "harness.h"

#include "draw/gnuplot.h"
#include "draw/scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char whole[] = "GIF89a, larger than what is packed;";

static const struct {
    const char *name, *body; /* null: there is no gifsicle */
    mode_t mode;
    const char *packed; /* null: left as it was */
} rows[] = {
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

static void check_row(size_t i, const volatile sig_atomic_t *interrupted, enum dlq_status expected)
{
    struct dlq_image image = {.bytes = malloc(sizeof whole - 1), .size = sizeof whole - 1};
    struct dlq_error error = {0};
    const char *text = rows[i].packed == NULL || expected != DLQ_OK ? whole : rows[i].packed;
    memcpy(image.bytes, whole, image.size);
    enum dlq_status status = dlq_gif_pack(&image, interrupted, &error);
    CHECK(status == expected && error.count == (expected == DLQ_OK ? 0 : 1), "%s: %d %s", rows[i].name, status,
          error.text);
    CHECK(image.size == strlen(text) && memcmp(image.bytes, text, image.size) == 0, "%s: '%.*s'", rows[i].name,
          (int)image.size, (const char *)image.bytes);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "%s: a child is left", rows[i].name);
    free(image.bytes);
}

static void write_gifsicle(const char *path, const char *body, mode_t mode)
{
    char text[256];
    unlink(path);
    if (body == NULL)
        return;
    snprintf(text, sizeof text, "#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n", body);
    scratch_write(path, text);
    CHECK(chmod(path, mode) == 0, "%s", path);
}

static void test_pack(void)
{
    static const volatile sig_atomic_t calm = 0, interrupted = 1;
    SCRATCH(scratch);
    const char *before = getenv("PATH");
    char path[SCRATCH_PATH], *old = strdup(before != NULL ? before : "/");
    setenv("PATH", scratch.path, 1);
    scratch_path(&scratch, "gifsicle", path);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_gifsicle(path, rows[i].body, rows[i].mode);
        check_row(i, &calm, DLQ_OK);
    }
    write_gifsicle(path, "sleep 1000", 0755);
    check_row(0, &interrupted, DLQ_INTERRUPTED);
    setenv("PATH", old, 1);
    free(old);
}

static const struct test_case cases[] = {{"pack", test_pack}, {NULL, NULL}};
const struct test_suite suite_gif = {"gif", cases};
