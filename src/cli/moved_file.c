#include "moved_file.h"

#include "report/phrase.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_PATH = 8400, LONGEST_LINE = 190 /* of a configuration, without its comment */ };

bool dlq_setting_is_file(const struct dlq_setting *setting)
{
    return strcmp(setting->key, "file") == 0 && setting->value[0] != '\0';
}

static bool is_no_file(const char *path)
{
    struct stat entry;
    return path == NULL || strcmp(path, "-") == 0 || (stat(path, &entry) == 0 && !S_ISREG(entry.st_mode));
}

/* The directory of a file without links, "" for the root; allocated. Null with errno. */
static char *directory_of(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    char *named = slash == NULL ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
    char *real = named != NULL ? realpath(named, NULL) : NULL;
    if (real != NULL && strcmp(real, "/") == 0)
        real[0] = '\0';
    int reason = errno;
    free(named);
    errno = reason;
    return real;
}

/* How much of both paths is the same directory. */
static size_t shared_length(const char *a, const char *b)
{
    size_t shared = 0;
    for (size_t i = 0;; i++) {
        if ((a[i] == '/' || a[i] == '\0') && (b[i] == '/' || b[i] == '\0'))
            shared = i;
        if (a[i] != b[i] || a[i] == '\0')
            return shared;
    }
}

/* "./" and "../" at its begin are taken off the directory, which has no links. */
static const char *skip_parents(const char *name, char *directory)
{
    for (;;) {
        bool parent = strncmp(name, "../", 3) == 0;
        if (!parent && strncmp(name, "./", 2) != 0)
            return name;
        char *slash = parent ? strrchr(directory, '/') : NULL;
        if (slash != NULL)
            *slash = '\0';
        name += parent ? 3 : 2;
        name += strspn(name, "/");
    }
}

static void say_relative(const char *from, const char *to, const char *name, char *text, size_t size)
{
    struct dlq_phrase phrase = {.text = text, .size = size};
    size_t shared = shared_length(from, to);
    for (const char *at = to + shared; *at != '\0'; at++)
        if (*at == '/')
            dlq_phrase_add(&phrase, "../");
    if (from[shared] != '\0')
        dlq_phrase_add(&phrase, "%s/", from + shared + 1);
    dlq_phrase_add(&phrase, "%s", name);
}

/* As the reader of configurations takes it: on one short line, and with nothing that begins a comment. */
static bool is_writable(const struct dlq_setting *setting, const char *value)
{
    bool begins = true;
    if (strlen(setting->key) + strlen(" = ") + strlen(value) > LONGEST_LINE || strlen(value) >= sizeof setting->value)
        return false;
    for (const char *at = value; *at != '\0'; at++) {
        if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7F || (begins && (*at == ';' || *at == '#')))
            return false;
        begins = *at == ' ' || *at == '\t';
    }
    return value[0] != ' ' && value[0] != '\t' && !begins;
}

/* What /dev/stdout and /dev/fd/3 stand for may be a file, but has another name. */
static bool stands_for_others(const char *directory)
{
    return strcmp(directory, "/dev") == 0 || strncmp(directory, "/proc/", 6) == 0;
}

static enum dlq_status rename_file(struct dlq_setting *setting, char *from, const char *to, struct dlq_error *error)
{
    char relative[MOST_PATH], absolute[MOST_PATH];
    const char *name = skip_parents(setting->value, from);
    say_relative(from, to, name, relative, sizeof relative);
    snprintf(absolute, sizeof absolute, "%s/%s", from, name);
    const char *chosen = is_writable(setting, relative) ? relative : absolute;
    if (!is_writable(setting, chosen))
        return dlq_error_add(
            error, DLQ_INVALID,
            "[%s] %s: %s cannot be written into a configuration there (a line holds %d characters, and "
            "a blank before ; or # begins a comment); choose another place",
            setting->section, setting->key, absolute, LONGEST_LINE);
    memcpy(setting->value, chosen, strlen(chosen) + 1);
    return DLQ_OK;
}

enum dlq_status dlq_moved_file(struct dlq_setting *setting, const char *from, const char *to, struct dlq_error *error)
{
    if (setting->value[0] == '/' || is_no_file(to))
        return DLQ_OK;
    char *here = directory_of(from);
    char *there = here != NULL ? directory_of(to) : NULL;
    enum dlq_status status = DLQ_OK;
    if (there == NULL && errno == ENOMEM)
        status = dlq_error_memory(error, "writing a configuration");
    else if (there == NULL)
        status = dlq_error_add(error, DLQ_FAILURE, "[%s] %s: cannot find the directory of %s: %s", setting->section,
                               setting->key, here == NULL ? "it" : to, strerror(errno));
    else if (strcmp(here, there) != 0 && !stands_for_others(there))
        status = rename_file(setting, here, there, error);
    free(here);
    free(there);
    return status;
}
