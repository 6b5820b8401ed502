/* A directory of a test's own, and streams kept in memory. */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCRATCH_PATH = 1024 };

struct scratch {
    char path[64];
};

static inline bool scratch_begin(struct scratch *scratch)
{
    snprintf(scratch->path, sizeof scratch->path, "/tmp/dlq-test-XXXXXX");
    return mkdtemp(scratch->path) != NULL;
}

/* "SCRATCH/NAME" in a buffer of the caller's. */
static inline const char *scratch_path(const struct scratch *scratch, const char *name, char path[SCRATCH_PATH])
{
    snprintf(path, SCRATCH_PATH, "%s/%s", scratch->path, name);
    return path;
}

static inline void scratch_end(struct scratch *scratch)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch->path);
    CHECK(system(command) == 0, "%s", command);
}

static inline void scratch_write(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    CHECK(stream != NULL && fputs(text, stream) >= 0 && fclose(stream) == 0, "write %s", path);
}

/* The file's text, cut to the buffer; "(none)" where there is no file. */
static inline const char *scratch_read(const char *path, char *text, size_t size)
{
    FILE *stream = fopen(path, "r");
    if (stream == NULL)
        return "(none)";
    text[fread(text, 1, size - 1, stream)] = '\0';
    fclose(stream);
    return text;
}

/* Entries of a directory without "." and ".."; -1: none such. */
static inline int scratch_entries(const char *path)
{
    DIR *directory = opendir(path);
    if (directory == NULL)
        return -1;
    int count = -2;
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}

#endif
